#!/usr/bin/env python3
"""All captures of ../shared/corpus served at once, compared with what is expected of them."""

import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter

# No page that this program reads yet tells them
WITHOUT = ('--without=drive_grown_defects', '--without=drive_power_on_seconds_total')
FOLDERS = (('captures', 'expected'), ('seed_drives', 'seed_drives'))


def compare(url, expected):
    done = subprocess.run([exporter.shared('tools', 'compare'), '--complete', *WITHOUT, url, expected],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    return done.returncode, done.stdout.decode('utf-8', 'replace')


def main():
    for captures, expected in FOLDERS:
        folder = exporter.shared('corpus', captures)
        number = sum(name.endswith('.capture') for name in os.listdir(folder))
        with exporter.Exporter('--replay=' + folder, '--collector.ata-attributes', '--log.level=error') as daemon:
            end = time.monotonic() + 90
            status, output = 1, ''
            while status and time.monotonic() < end:
                time.sleep(1)
                status, output = compare(daemon.url, exporter.shared('corpus', expected))
            metrics = daemon.metrics()
            drives = len(metrics.all('drive_info'))
            cases.check(status == 0, '%s: what is served is what is expected' % captures, output)
            cases.check(drives >= number - 2, '%s: every capture is served' % captures, '%d drives of %d' % (drives, number))
            cases.check(not metrics.value('drive_exporter_duplicate_series_total'), '%s: no series stands twice' % captures)
            print('# %s: %d drives, %d samples, %d bytes' % (captures, drives, len(metrics.samples), len(metrics.text)))


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM),
          (exporter.shared('corpus', 'captures'), 'no ../shared/corpus (set SHARED to where it is)'))
