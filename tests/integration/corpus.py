#!/usr/bin/env python3
"""All captures of ../shared/corpus served at once, compared with what is expected of them."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter

# Lines that are wrong in the expected files, with what the drive says: file, line, right value, reason. Nothing else is
# taken out of the comparison.
CORRECTED = (
    ('sas_libscsicmd_log_02_a7505917.txt', 'drive_written_bytes_total{drive="DRIVE_3C9B9244_3C9B92444761"} 0', '98304',
     'the counter has ten bytes, 00 .. 01 80 00; sg_logs 1.46, which the file was made with, prints 0 for any of more than eight'),
)
# With smartmontools' data base of drives where that is installed, and without.
FOLDERS = (('captures', 'expected', '--collector.drivedb'), ('captures', 'expected', '--no-collector.drivedb'),
           ('seed_drives', 'seed_drives', '--collector.drivedb'))


def compare(url, expected):
    done = subprocess.run([exporter.shared('tools', 'compare'), '--complete', url, expected],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    return done.returncode, done.stdout.decode('utf-8', 'replace')


def corrected(folder, into):
    """A copy of the expected files with those lines mended."""
    shutil.copytree(folder, into, ignore=lambda _, names: [n for n in names if not n.endswith('.txt')])
    for name, line, right, reason in CORRECTED:
        path = os.path.join(into, name)
        if not os.path.exists(path):
            continue
        with open(path, encoding='utf-8') as f:
            text = f.read()
        if line + '\n' not in text:
            print('# %s is mended by now: its correction here can go' % name)
            continue
        print('# %s: %s, not %s: %s' % (name, right, line, reason))
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text.replace(line, line.rsplit(' ', 1)[0] + ' ' + right))
    return into


def main():
    with tempfile.TemporaryDirectory() as scratch:
        compare_all(scratch)


def compare_all(scratch):
    for captures, expected, database in FOLDERS:
        folder = exporter.shared('corpus', captures)
        wanted = corrected(exporter.shared('corpus', expected), os.path.join(scratch, expected + database))
        number = sum(name.endswith('.capture') for name in os.listdir(folder))
        with exporter.Exporter('--replay=' + folder, '--collector.ata-attributes', database, '--log.level=error') as daemon:
            end = time.monotonic() + 90
            status, output = 1, ''
            while status and time.monotonic() < end:
                time.sleep(1)
                status, output = compare(daemon.url, wanted)
            metrics = daemon.metrics()
            drives = len(metrics.all('drive_info'))
            cases.check(status == 0, '%s, %s: what is served is what is expected' % (captures, database), output)
            cases.check(drives >= number - 2, '%s, %s: every capture is served' % (captures, database), '%d drives of %d' % (drives, number))
            cases.check(not metrics.value('drive_exporter_duplicate_series_total'), '%s, %s: no series stands twice' % (captures, database))
            print('# %s: %d drives, %d samples, %d bytes' % (captures, drives, len(metrics.samples), len(metrics.text)))


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM),
          (exporter.shared('corpus', 'captures'), 'no ../shared/corpus (set SHARED to where it is)'))
