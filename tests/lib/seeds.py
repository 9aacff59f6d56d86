"""Seeds for the fuzz targets, out of tests/captures:

    seeds.py --targets "tests/fuzz/a tests/fuzz/b" FOLDER

makes FOLDER/a and so on, by the name of the target: for those that read captures the captures, and for those that read catalogues
the one that we have, whole and line by line; for the history lines of CSV; for those that read
pages, whose first byte chooses the page, a few answers to each command behind every such byte; for others the answers alone.
"""

import argparse
import glob
import hashlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CAPTURES = sorted(glob.glob(os.path.join(HERE, '..', 'captures', '*.capture')))
CATALOGUE = os.path.join(HERE, '..', '..', 'data', 'drives.csv')
CATALOGUE_BYTES = 8000  # a fuzzer takes no longer ones
PAGES = 96              # at least as many as there are pages
ANSWERS_OF_COMMAND = 2  # more of the same kind teach a fuzzer little


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--targets', default='')
    parser.add_argument('folder')
    arguments = parser.parse_args()

    for target in arguments.targets.split():
        name = os.path.basename(target)
        folder = os.path.join(arguments.folder, name)
        os.makedirs(folder, exist_ok=True)
        for data in seeds_of(name):
            write(folder, data)


if __name__ == '__main__':
    sys.exit(main())
