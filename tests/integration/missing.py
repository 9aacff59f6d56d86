#!/usr/bin/env python3
"""A drive that is gone is not forgotten: its health ends, who and where it was stays, over restarts, until it is back or its
time is over."""

import os
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter
import made

STAYS, GOES = 'TEST-SAS-SSD_STAYS001', 'TEST-SAS-SSD_GOES0001'
PLACE = ('devpath /sys/devices/pci0000:00/host0/target0:0:1/0:0:1:0/block/sdb',)
# What a drive that is gone still has
KEPT = {'drive_info', 'drive_slot_info', 'drive_present', 'drive_missing_since_timestamp_seconds', 'drive_power_on_seconds_total'}


def power_on(hours):
    """Background scan status: power-on minutes, SBC"""
    return made.log_page(0x15, (0, (60 * hours).to_bytes(4, 'big') + bytes(8)))


class World:
    def __init__(self, folder):
        self.captures, self.state = os.path.join(folder, 'captures'), os.path.join(folder, 'state')
        os.mkdir(self.captures)
        os.mkdir(self.state)
        self.write('stays', 'sda', STAYS)
        self.write('goes', 'sdb', GOES, head=PLACE)

    def write(self, name, device, label, **more):
        serial = label.split('_')[1]
        changes = {'log-sense page=15': power_on(1000), 'log-sense page=00': bytes([0, 0, 0, 5, 0, 0x0d, 0x11, 0x15, 0x2f]),
                   **more.pop('changes', {})}
        with open(os.path.join(self.captures, name + '.capture'), 'w', encoding='utf-8') as f:
            f.write(made.capture(device, serial, 0x5000c50000000000 + sum(map(ord, serial)) * 16, changes, **more))

    def remove(self, name):
        os.unlink(os.path.join(self.captures, name + '.capture'))

    def exporter(self, *flags):
        return exporter.Exporter('--replay=' + self.captures, '--poll.interval=1s', *flags, environment={'STATE_DIRECTORY': self.state})


def present(label, value):
    return lambda m: m.value('drive_present', drive=label) == value


def names(metrics, label):
    return {name for name, labels, _ in metrics.samples if labels.get('drive') == label}


def goes_and_comes_back(world):
    world.write('goes', 'sdb', GOES, head=PLACE, tail=('@ 4', 'absent', '@ 10', 'present'))
    with world.exporter() as daemon:
        there = daemon.wait_until('both drives', lambda m: len(m.all('drive_up')) == 2 and m.value('drive_power_on_seconds_total', drive=GOES))
        began = time.time()
        gone = daemon.wait_until('one is gone', present(GOES, 0))
        cases.check(names(gone, GOES) == KEPT, 'its health ends at once; who and where it was stays', sorted(names(gone, GOES)))
        for name in ('drive_info', 'drive_slot_info'):
            cases.check(gone.all(name, drive=GOES) == there.all(name, drive=GOES), name + ' is the same as before', gone.all(name, drive=GOES))
        cases.check(gone.value('drive_power_on_seconds_total', drive=GOES) == 3600000, 'and so is its last age')
        since = gone.value('drive_missing_since_timestamp_seconds', drive=GOES)
        cases.check(began - 1 <= since <= time.time(), 'missing since now', since - began)
        cases.check(gone.value('drive_removed_total', reason='vanished') == 1 and gone.value('drive_removed_total', reason='failed') == 0,
                    'counted as vanished')
        cases.check(gone.value('drive_present', drive=STAYS) == 1 and gone.value('drive_up', drive=STAYS) == 1, 'the other one is served on')
        back = daemon.wait_until('it is back', present(GOES, 1))
        cases.check(not back.all('drive_missing_since_timestamp_seconds'), 'nobody is missing when it is back')
        back = daemon.wait_until('it is read', lambda m: m.value('drive_up', drive=GOES) == 1)
        cases.check(back.value('drive_removed_total', reason='vanished') == 1, 'and it was removed once')


def gone_before_it_was_read_through(world):
    """It has told who it is, and is pulled within its first visit."""
    world.write('goes', 'sdb', GOES, head=PLACE, changes={'log-sense page=0d': 'hang'}, tail=('@ 4', 'absent'))
    with world.exporter() as daemon:
        metrics = daemon.wait_until('it is gone', present(GOES, 0))
        cases.check({'drive_info', 'drive_slot_info'} <= names(metrics, GOES) and metrics.value('drive_removed_total', reason='vanished') == 1,
                    'one that goes within its first visit is remembered, too', sorted(names(metrics, GOES)))


def gone_while_it_did_not_run(world):
    """Ends with its label unknown to nobody: the data base knows it."""
    world.write('goes', 'sdb', GOES, head=PLACE)
    with world.exporter() as daemon:
        daemon.wait_until('both drives', lambda m: len(m.all('drive_up')) == 2)
    seen = time.time()
    world.remove('goes')
    time.sleep(2)
    with world.exporter() as daemon:
        gone = daemon.wait_until('it is missed', present(GOES, 0))
        since = gone.value('drive_missing_since_timestamp_seconds', drive=GOES)
        cases.check(seen - 2 <= since <= seen + 0.1, 'one that went meanwhile is missing since it was last seen', since - seen)
        cases.check(names(gone, GOES) == KEPT, 'with identity, slot and age', sorted(names(gone, GOES)))
        cases.check(any('missing since the exporter ran last' in line for line in daemon.log), 'and a line says so', daemon.log)
        daemon.process.kill()
    with world.exporter() as daemon:
        again = daemon.wait_until('it is missed after kill -9', present(GOES, 0))
        cases.check(again.value('drive_missing_since_timestamp_seconds', drive=GOES) == since, 'since the same moment, after kill -9')
        cases.check(again.value('drive_removed_total', reason='vanished') == 0, 'and it is not counted again')
    with world.exporter('--drive.exclude=serial=GOES.*') as daemon:
        daemon.wait_for_visits(1)
        time.sleep(2.5)
        cases.check(GOES not in daemon.metrics().drives(), 'one that is excluded is not missing')


def another_in_its_slot(world):
    other = 'TEST-SAS-SSD_OTHER001'
    world.write('other', 'sdb', other, head=PLACE)
    with world.exporter() as daemon:
        metrics = daemon.wait_until('the other drive', lambda m: m.value('drive_up', drive=other) == 1 and m.value('drive_present', drive=GOES) == 0)
        cases.check(metrics.value('drive_present', drive=other) == 1 and
                    metrics.all('drive_slot_info', drive=other)[0][0]['path'] == metrics.all('drive_slot_info', drive=GOES)[0][0]['path'],
                    'another serial in the same slot is another drive, and the one before is missing')
    world.remove('other')


def renamed(world):
    world.write('goes', 'sda', GOES)
    world.write('stays', 'sdb', STAYS)
    with world.exporter() as daemon:
        metrics = daemon.wait_until('both under other names', lambda m: len(m.all('drive_up')) == 2)
        devices = {labels['drive']: labels['device'] for labels, _ in metrics.all('drive_device_info')}
        cases.check(devices.get(GOES) == 'sda' and devices.get(STAYS) == 'sdb' and
                    not any(d in (GOES, STAYS) for d in (labels['drive'] for labels, _ in metrics.all('drive_missing_since_timestamp_seconds'))),
                    'drives whose devices were renamed are the same drives', devices)


def failing(world):
    world.write('goes', 'sdb', GOES, head=PLACE, changes={'log-sense page=2f': made.log_page(0x2f, (0, bytes([0x5d, 0x10, 30, 0])))},
                tail=('@ 4', 'absent'))
    world.write('stays', 'sda', STAYS)
    with world.exporter() as daemon:
        daemon.wait_until('it fails', lambda m: m.value('drive_warning', drive=GOES, reason='smart_failing') == 1)
        gone = daemon.wait_until('it is gone', present(GOES, 0))
        cases.check(gone.value('drive_removed_total', reason='failed') == 1, 'one that was failing counts as failed')


def forgotten(world):
    world.remove('goes')
    with world.exporter('--ledger.forget-after=1d', '--replay.speed=20000') as daemon:
        daemon.wait_until('it is missed', present(GOES, 0))
        gone = daemon.wait_until('and forgotten', lambda m: GOES not in m.drives())
        cases.check(STAYS in gone.drives(), 'after --ledger.forget-after it is forgotten, and the others are not')
    with world.exporter() as daemon:
        daemon.wait_for_visits(1)
        time.sleep(2.5)
        cases.check(GOES not in daemon.metrics().drives(), 'for good')


def imported(world):
    """Days of another host's drive are no drive of this host."""
    with tempfile.TemporaryDirectory() as folder:
        there = World(folder)
        with there.exporter() as daemon:
            daemon.wait_until('both drives', lambda m: len(m.all('drive_up')) == 2 and
                              m.value('drive_exporter_collector_up', collector='history') == 1)
            time.sleep(2.5)     # a visit more, so that there is something to be written
        environment = dict(os.environ, STATE_DIRECTORY=there.state)
        rows = exporter.subprocess.run([exporter.PROGRAM, 'history', 'export'], env=environment, stdout=exporter.subprocess.PIPE, check=True).stdout
    foreign = rows.replace(b'GOES0001', b'FOREIGN1')
    exporter.subprocess.run([exporter.PROGRAM, 'history', 'import', '-'], env=dict(os.environ, STATE_DIRECTORY=world.state), input=foreign,
                            check=True, stdout=exporter.subprocess.DEVNULL, stderr=exporter.subprocess.DEVNULL)
    with world.exporter() as daemon:
        daemon.wait_for_visits(1)
        time.sleep(2.5)
        cases.check(b'FOREIGN1' in foreign and 'TEST-SAS-SSD_FOREIGN1' not in daemon.metrics().drives(),
                    'a drive of which only imported days are known is not missing')


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        world = World(folder)
        gone_before_it_was_read_through(world)
        goes_and_comes_back(world)
        gone_while_it_did_not_run(world)
        another_in_its_slot(world)
        renamed(world)
        failing(world)
        forgotten(world)
        imported(world)


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM))
