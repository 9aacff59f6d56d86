"""Seeds for the fuzz targets, out of tests/captures:

    seeds.py --targets "tests/fuzz/a tests/fuzz/b" FOLDER

makes FOLDER/a and so on, by the name of the target: for those that read captures the captures, and for those that read catalogues
the one that we have, whole and line by line; for the history lines of CSV; for devices texts of sysfs; for the web configuration those of
its manual, for headers some, and for the web server requests, most of them broken; for those that read
pages, whose first byte chooses the page, a few answers to each command behind every such byte; for others the answers alone. To
these comes what earlier fuzzing found: tests/fuzz/corpora.tar.xz, a folder for each target.
"""

import argparse
import glob
import hashlib
import itertools
import os
import re
import sys
import tarfile

import broken_requests

HERE = os.path.dirname(os.path.abspath(__file__))
CAPTURES = sorted(glob.glob(os.path.join(HERE, '..', 'captures', '*.capture')))
CATALOGUE = os.path.join(HERE, '..', '..', 'data', 'drives.csv')
FOUND_BEFORE = os.path.join(HERE, '..', 'fuzz', 'corpora.tar.xz')
CATALOGUE_BYTES = 8000  # a fuzzer takes no longer ones
PAGES = 96              # at least as many as there are pages
REQUESTS = 220          # ten of each kind
ANSWERS_OF_COMMAND = 2  # more of the same kind teach a fuzzer little


SYSFS_TEXTS = [b'add@/devices/x/block/sda\0ACTION=add\0DEVPATH=/x\0SUBSYSTEM=block\0DEVTYPE=disk\0SEQNUM=5\0',
               b'remove@/devices/x/nvme/nvme0\0SUBSYSTEM=nvme\0', b'enclosure_device:Slot 05', b'/sys/class/enclosure/0:0:24:0/Slot 05',
               b'0x5000ccab04001a00', b'17', b'/sys/devices/pci0000:00/0000:00:01.0/host0/port-0:0/end_device-0:0/target0:0:3/0:0:3:0/block/sda',
               b'naa.5000c50012345678', b't10.ATA     ST4000', b'eui.0025385b71b00001', b'nvme0n1', b'RxErr 0\nBadTLP 3\nTOTAL_ERR_COR 3\n']

WEB_MANUAL = os.path.join(HERE, '..', '..', 'docs', 'web-config.md')
WEB_PIECES = [b'rate_limit: {interval: 1m30.5s, burst: 3}', b'http_server_config:\n  headers: {X-XSS-Protection: "0"}\n',
              b'\x28\0\x20  cert: a\n', b'\0\0\0a: &b c\n', b'\x10\2\0  !!str a: *b\n', b'basic_auth_users: ~\n...\n---\n']
HEADERS = [b'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
           b'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', b'gzip, deflate;q=0, identity;q=0.001, *;q=1.000',
           b'Basic cHJvbWV0aGV1czpzZWNyZXQ=', b'basic   OjpkOng= ', b'prometheus:secret', b'application/openmetrics-text; version="1.0.0"; q=0']

HISTORY_LINES = [b'"A","M","S","W",2026-11-30,1,2,3,0.5,4,5,6,7,8,"F","P","Q"', b'A,M,S,W,2026-11-30,1,2,3,,4,,,,,F,P,Q',
                 b'"\\x3da""b\\\\","","","",1970-01-01,0,0,0,-1e-300,0,1e300,2.55,,,"","",""']


def answers(path):
    """(command, bytes) of the answers of a capture; the format is read loosely, for seeds need not be right."""
    found, data = [], None
    with open(path, encoding='utf-8') as f:
        for line in f:
            words = line.partition('#')[0].split()
            if words[:1] == ['>']:
                data = bytearray()
                found.append((' '.join(words[1:]), data))
            elif data is not None and words:
                try:
                    data += bytes.fromhex(''.join(words))
                except ValueError:
                    data = None
    return [(command, bytes(d)) for command, d in found if d]


def write(folder, data):
    with open(os.path.join(folder, hashlib.sha256(data).hexdigest()[:16]), 'wb') as f:
        f.write(data)


def seeds_of(name):
    if 'catalogue' in name:
        with open(CATALOGUE, 'rb') as f:
            text = f.read()
        yield text[:CATALOGUE_BYTES]
        yield from text.splitlines(True)
        return
    if 'capture' in name:
        for path in CAPTURES:
            with open(path, 'rb') as f:
                yield f.read()
        return
    if 'discover' in name:
        yield from SYSFS_TEXTS
        return
    if 'web_config' in name:
        with open(WEB_MANUAL, encoding='utf-8') as f:
            yield from (block.encode('utf-8') for block in re.findall('```yaml\n(.*?)```', f.read(), re.DOTALL))
        yield from WEB_PIECES
        return
    if 'http_headers' in name:
        yield from HEADERS
        return
    if 'requests' in name:
        for pieces in (b'\0', b'\1'):
            yield pieces + broken_requests.GOOD
        for _, data in broken_requests.broken_requests(1, REQUESTS):
            yield b'\0' + data
        return
    if 'history' in name:
        yield from HISTORY_LINES
        return
    seen = {}
    for path in CAPTURES:
        for command, data in answers(path):
            seen[command] = seen.get(command, 0) + 1
            if seen[command] > ANSWERS_OF_COMMAND:
                continue
            for page in range(PAGES) if 'page' in name else [None]:
                yield data if page is None else bytes([page]) + data


def found_before(name):
    """What ten minutes of fuzzing each target left that reaches something new, without the rest (docs/reliability.md)."""
    with tarfile.open(FOUND_BEFORE) as archive:
        for member in archive:
            if member.isfile() and os.path.basename(os.path.dirname(member.name)) == name:
                yield archive.extractfile(member).read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--targets', default='')
    parser.add_argument('folder')
    arguments = parser.parse_args()

    for target in arguments.targets.split():
        name = os.path.basename(target)
        folder = os.path.join(arguments.folder, name)
        os.makedirs(folder, exist_ok=True)
        for data in itertools.chain(seeds_of(name), found_before(name)):
            write(folder, data)


if __name__ == '__main__':
    sys.exit(main())
