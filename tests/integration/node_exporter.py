#!/usr/bin/env python3
"""The block statistics of the system's own disk move with dd, and agree with Debian's prometheus-node-exporter read at the
same moment."""

import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter

MIB = 1 << 20
WRITTEN = 48 * MIB

# Ours, its op, and theirs
PAIRS = (
    ('drive_io_bytes_total', 'read', 'node_disk_read_bytes_total'),
    ('drive_io_bytes_total', 'write', 'node_disk_written_bytes_total'),
    ('drive_io_completed_total', 'read', 'node_disk_reads_completed_total'),
    ('drive_io_completed_total', 'write', 'node_disk_writes_completed_total'),
    ('drive_io_completed_total', 'discard', 'node_disk_discards_completed_total'),
    ('drive_io_completed_total', 'flush', 'node_disk_flush_requests_total'),
    ('drive_io_merged_total', 'read', 'node_disk_reads_merged_total'),
    ('drive_io_merged_total', 'write', 'node_disk_writes_merged_total'),
    ('drive_io_seconds_total', 'read', 'node_disk_read_time_seconds_total'),
    ('drive_io_seconds_total', 'write', 'node_disk_write_time_seconds_total'),
    ('drive_io_busy_seconds_total', None, 'node_disk_io_time_seconds_total'),
    ('drive_io_weighted_seconds_total', None, 'node_disk_io_time_weighted_seconds_total'),
)


def system_disk():
    """The whole disk below /, if it is one that /proc/diskstats lists."""
    number = os.stat('/').st_dev
    path = os.path.realpath('/sys/dev/block/%d:%d' % (os.major(number), os.minor(number)))
    if os.path.exists(os.path.join(path, 'partition')):
        path = os.path.dirname(path)
    with open('/proc/diskstats') as f:
        names = [line.split()[2] for line in f]
    name = os.path.basename(path)
    return name if name in names else None


def write_something(folder):
    path = os.path.join(folder, 'written')
    subprocess.run(['dd', 'if=/dev/zero', 'of=' + path, 'bs=1M', 'count=%d' % (WRITTEN // MIB), 'oflag=direct',
                    'conv=fsync', 'status=none'], check=True)
    os.unlink(path)


def fetch(url):
    import urllib.request
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode('utf-8')


def ours_of(metrics, device):
    out = {}
    for family, op, name in PAIRS:
        value = metrics.value(family, device=device, **({'op': op} if op else {}))
        if value is not None:
            out[name] = value
    return out


def theirs_of(text, device):
    out, names = {}, {name for _, _, name in PAIRS}
    for line in text.splitlines():
        name, _, rest = line.partition('{')
        if name in names and rest.startswith('device="%s"}' % device):
            out[name] = float(rest.rsplit(' ', 1)[1])
    return out


def try_it(daemon, url, device, folder):
    before = ours_of(daemon.metrics(), device)
    cases.check('node_disk_written_bytes_total' in before, 'the disk %s is served' % device, daemon.scrape()[:2000])
    write_something(folder)
    after = ours_of(daemon.metrics(), device)
    moved = after['node_disk_written_bytes_total'] - before['node_disk_written_bytes_total']
    cases.check(WRITTEN <= moved < 64 * WRITTEN, 'drive_io_bytes_total moves with dd', '%d bytes' % moved)

    # Others use the disk too: the same moment is one in which nothing changed between two readings of ours.
    for attempt in range(40):
        first = ours_of(daemon.metrics(), device)
        theirs = theirs_of(fetch(url), device)
        time.sleep(0.05)        # two scrapes within 20 ms would share one reading
        if ours_of(daemon.metrics(), device) == first:
            break
    wrong = ['%s: theirs %r, ours %r' % (n, theirs.get(n), v) for n, v in first.items()
             if n in theirs and abs(theirs[n] - v) > 1e-9 * abs(v)]
    both = [n for n in first if n in theirs]
    cases.check(len(both) >= 10 and not wrong, 'it agrees with node_exporter in %d counters, read at the same moment' % len(both),
                '\n'.join(wrong) or sorted(set(first) ^ set(theirs)))


def main():
    device = system_disk()
    if not device:
        cases.skip('the file system / is on no disk of /proc/diskstats')
        return
    port = exporter.free_port()
    node_exporter = subprocess.Popen(
        [exporter.tool('prometheus-node-exporter'), '--web.listen-address=127.0.0.1:%d' % port, '--collector.disable-defaults',
         '--collector.diskstats'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        url = 'http://127.0.0.1:%d/metrics' % port
        exporter.wait_for('node_exporter', lambda: is_there(url))
        with tempfile.TemporaryDirectory(dir='/var/tmp') as folder, exporter.Exporter('--log.level=warn') as daemon:
            daemon.wait_until('block statistics', lambda m: ours_of(m, device))
            try_it(daemon, url, device, folder)
    finally:
        node_exporter.terminate()
        node_exporter.wait()


def is_there(url):
    try:
        return fetch(url)
    except OSError:
        return None


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM),
          (exporter.tool('prometheus-node-exporter'), 'no prometheus-node-exporter'))
