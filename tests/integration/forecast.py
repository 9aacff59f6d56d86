#!/usr/bin/env python3
"""The worked example of docs/forecast.md: what the document says of that drive, read out of it, is what the program serves."""

import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter
import made

DOCUMENT = os.path.join(exporter.SOURCE, 'docs', 'forecast.md')
DAY_S, MODEL, SERIAL = 86400, 'EXAMPLE', 'FORECAST1'
DRIVE = '%s_%s' % (MODEL, SERIAL)
DATA_UNIT = 512000
DATE, BOUND = 'drive_endurance_exhaustion_timestamp_seconds', 'drive_endurance_exhaustion_bound_timestamp_seconds'


class Example:
    """What the document says."""

    def __init__(self, text):
        self.text = re.search(r'^## An example\n(.*?)^## ', text, re.M | re.S).group(1).replace('\n', ' ')
        found = self.find(r'A drive of (\d+) TB is rated (\d+) TBW\. It has been on for (\d+) days, (\d+) TB have been written to it, '
                          r'and its indicator shows (\d+) %')
        self.capacity_tb, self.rated_tb, self.on_days, self.written_tb, self.percent = map(int, found)
        self.used = float(self.find(r'`drive_endurance_used_ratio` ([0-9.]+\d)')[0])
        self.rated_used = float(self.find(r'`drive_rated_endurance_used_ratio` ([0-9.]+\d)')[0])
        self.per_day = float(self.find(r'`drive_writes_per_day\{window="lifetime"\}` (\d+)')[0])
        self.left = {basis: int(days) for basis, days in re.findall(r'\| (\w+) \| (\d+) \|', self.text)}

    def find(self, pattern):
        found = re.search(pattern, self.text)
        if not found:
            raise AssertionError('docs/forecast.md: the example no longer has: ' + pattern)
        return found.groups()


def words(text, length):
    return text.encode('ascii').ljust(length)


def capture_of(example):
    """An NVMe drive that tells just that."""
    identify, health = bytearray(4096), bytearray(512)
    identify[4:24], identify[24:64], identify[64:72] = words(SERIAL, 20), words(MODEL, 40), words('1.0', 8)
    identify[80:84] = (0x10400).to_bytes(4, 'little')
    identify[280:296] = (example.capacity_tb * 10 ** 12).to_bytes(16, 'little')
    identify[516:520] = (1).to_bytes(4, 'little')
    health[1:3], health[3], health[4], health[5] = (300).to_bytes(2, 'little'), 100, 10, example.percent
    health[48:64] = (example.written_tb * 10 ** 12 // DATA_UNIT).to_bytes(16, 'little')
    health[128:144] = (example.on_days * 24).to_bytes(16, 'little')
    return '\n'.join(['drive-capture 1', 'transport nvme', 'device nvme0n1', 'size %d' % (example.capacity_tb * 10 ** 12),
                      'logical-block 512', 'rotational 0', 'sysfs nsid 1', '', '> nvme-identify cns=01', made.hexa(identify),
                      '> nvme-log id=02', made.hexa(health), ''])


def catalogue_of(example):
    return 'vendor,model,capacity_gb,rated_tbw,source,grade\n,%s,%d,%d,docs/forecast.md,C\n' % (
        MODEL, example.capacity_tb * 1000, example.rated_tb)


def served(example):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ('example.capture', 'example.csv')]
        for path, text in zip(paths, (capture_of(example), catalogue_of(example))):
            with open(path, 'w', encoding='utf-8') as f:
                f.write(text)
        return exporter.Metrics(exporter.once('--replay=' + paths[0], '--catalogue.path=' + paths[1], '--log.level=warn', check=0)[0])


def check_ratios(example, metrics):
    for name, want, labels in (('drive_endurance_used_ratio', example.used, {}),
                               ('drive_rated_endurance_used_ratio', example.rated_used, {}),
                               ('drive_writes_per_day', example.per_day, {'window': 'lifetime'})):
        value = metrics.value(name, drive=DRIVE, **labels)
        cases.check(value is not None and abs(value - want) < 1e-3, '%s is %g' % (name, want), value)


def check_days(example, metrics):
    """A date is the begin of its day, so what is left until then is up to a day less than what was meant."""
    now = metrics.value('drive_exporter_time_seconds')
    for basis, days in example.left.items():
        date = metrics.value(DATE, drive=DRIVE, basis=basis, window='lifetime')
        cases.check(date is not None and date % DAY_S == 0 and days - 1 < (date - now) / DAY_S < days + 0.01,
                    '%s: %d days are left' % (basis, days), date and (date - now) / DAY_S)


def check_absence(metrics):
    found = [labels for name in (DATE, 'drive_writes_per_day') for labels, _ in metrics.all(name, window='30d')]
    cases.check(not found and not metrics.all(BOUND), 'of 30 days nothing is said yet, and there are no bounds', found)


def main():
    with open(DOCUMENT, encoding='utf-8') as f:
        example = Example(f.read())
    cases.check(sorted(example.left) == ['earliest', 'indicator', 'rated'], 'the example has a day for each basis', example.left)
    cases.check(example.left['earliest'] == min(example.left.values()), 'and "earliest" is the earliest', example.left)
    cases.check((example.rated_tb - example.written_tb) * example.on_days == example.left['rated'] * example.written_tb and
                (100 - example.percent) * example.on_days == example.left['indicator'] * example.percent,
                'they follow from what it says of the drive', example.left)
    metrics = served(example)
    check_ratios(example, metrics)
    check_days(example, metrics)
    check_absence(metrics)


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM))
