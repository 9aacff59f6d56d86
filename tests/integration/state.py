#!/usr/bin/env python3
"""The whole exporter and the disk of its history: one that freezes, fills up, or cannot be written, and a kill -9. What the
data base itself goes through is in history.py."""

import csv
import io
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter
import made
import mounts

DAY_S = 86400
DRIVES = 4
SPEED = DAY_S                   # a day a second
KILLS = 8
COMMITTED, UP = 'drive_exporter_history_committed_timestamp_seconds', 'drive_exporter_collector_up'
SLOWEST_S = 1                   # of a scrape here, with sanitizers and other tests beside it


def captures(folder):
    for i in range(DRIVES):
        with open(os.path.join(folder, '%d.capture' % i), 'w', encoding='utf-8') as f:
            f.write(made.capture(made.device_name(i), 'STATE%d' % i, 0x5000c500aa000000 + i))
    return folder


def serving(folder, directory, *flags):
    return exporter.Exporter('--replay=' + folder, '--replay.speed=%d' % SPEED, '--poll.interval=600s', *flags,
                             environment={'STATE_DIRECTORY': directory})


def days(directory):
    """All rows, of all drives."""
    done = subprocess.run([exporter.PROGRAM, 'history', 'export'], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, STATE_DIRECTORY=directory), timeout=exporter.PATIENCE_S)
    return list(csv.DictReader(io.StringIO(done.stdout.decode('utf-8').partition('\n')[2])))


def wait_for_commit(daemon, after=0):
    return daemon.wait_until('a commit', lambda m: (m.value(COMMITTED) or 0) > after).value(COMMITTED)


def warnings(daemon):
    return [line for line in daemon.log if 'warn: history' in line]


def scrape_for(daemon, seconds):
    """The slowest of these scrapes, the first metrics and the last."""
    slowest, all_of_them, end = 0, [], time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        all_of_them.append(daemon.metrics())
        slowest = max(slowest, time.monotonic() - began)
        time.sleep(0.05)
    return slowest, all_of_them[0], all_of_them[-1]


def newest_poll(metrics):
    return max(value for _, value in metrics.all('drive_poll_timestamp_seconds'))


def a_disk_that_freezes(folder):
    with tempfile.TemporaryDirectory() as scratch, mounts.file_system(scratch) as mount, serving(folder, mount) as daemon:
        wait_for_commit(daemon)
        mounts.run('fsfreeze', '--freeze', mount)
        time.sleep(0.5)
        slowest, first, last = scrape_for(daemon, 4)
        cases.check(slowest < SLOWEST_S, 'frozen: scrapes go on', slowest)
        cases.check(newest_poll(last) > newest_poll(first) + 2 * DAY_S, 'frozen: drives are read', (newest_poll(first), newest_poll(last)))
        cases.check(last.value(COMMITTED) == first.value(COMMITTED), 'frozen: nothing is said to be on the disk')
        frozen_day = int(newest_poll(last) // DAY_S)
        mounts.run('fsfreeze', '--unfreeze', mount)
        wait_for_commit(daemon, (frozen_day + 1) * DAY_S)
        have = {(row['drive'], row['day']) for row in days(mount)}
        want = {(drive, time.strftime('%Y-%m-%d', time.gmtime(day * DAY_S)))
                for drive in first.drives() for day in range(frozen_day - 2, frozen_day + 1)}
        cases.check(want <= have, 'thawed: the days come in', (sorted(want), sorted(have)))


def served_all_the_same(folder, directory, what):
    with serving(folder, directory) as daemon:
        metrics = daemon.wait_for_visits(DRIVES)
        time.sleep(3)
        metrics = daemon.metrics()
        cases.check(metrics.value(UP, collector='history') == 0, what + ': collector_up says so')
        cases.check(sum(v for _, v in metrics.all('drive_up')) == DRIVES and metrics.all('drive_endurance_used_ratio'),
                    what + ': all else is served')
        cases.check(len(warnings(daemon)) == 1, what + ': one warning', daemon.log)
        _, status = daemon.stop()
        cases.check(status == 0, what + ': it ends as it should', status)


def disks_that_cannot_be_written(folder):
    with tempfile.TemporaryDirectory() as scratch:
        served_all_the_same(folder, os.path.join(scratch, 'missing'), 'no directory')
        with mounts.read_only(scratch) as directory:
            served_all_the_same(folder, directory, 'read-only')
    with tempfile.TemporaryDirectory() as scratch, mounts.small(scratch, '64k') as directory:
        with open(os.path.join(directory, 'ballast'), 'wb') as f:
            f.write(bytes(60 << 10))
        served_all_the_same(folder, directory, 'full')


def kill_9(folder):
    lost = []
    with tempfile.TemporaryDirectory() as directory:
        for i in range(KILLS):
            with serving(folder, directory, '--replay.from=%dd' % (20 * i)) as daemon:
                wait_for_commit(daemon)
                time.sleep(0.37 * i)
                committed = daemon.metrics().value(COMMITTED)
                daemon.process.send_signal(signal.SIGKILL)
                daemon.process.wait()
            rows = exporter.wait_for('the data base', lambda: days(directory))
            if max(int(row['last_s']) for row in rows) < committed:
                lost.append((committed, rows[-1]))
        cases.check(not lost, 'kill -9, %d times: what was said to be on the disk is there' % KILLS, lost)
        series = {(row['drive'], row['series']) for row in days(directory)}
        cases.check(len(series) == DRIVES, 'and the next run goes on where the one before ended', series)


def in_memory(folder):
    """Without STATE_DIRECTORY a replay leaves nothing behind."""
    usual = '/var/lib/drive_exporter'
    before = os.path.exists(usual) and sorted(os.listdir(usual))
    environment = {name: value for name, value in os.environ.items() if name != 'STATE_DIRECTORY'}
    os.environ.pop('STATE_DIRECTORY', None)
    with exporter.Exporter('--replay=' + folder, '--replay.speed=%d' % SPEED, '--poll.interval=600s') as daemon:
        wait_for_commit(daemon)
        cases.check(daemon.metrics().value(UP, collector='history') == 1, 'a replay keeps its history in memory')
    cases.check((os.path.exists(usual) and sorted(os.listdir(usual))) == before, 'and leaves this host\'s alone')
    os.environ.update(environment)


def main():
    with tempfile.TemporaryDirectory() as folder:
        captures(folder)
        kill_9(folder)
        in_memory(folder)
        try:
            disks_that_cannot_be_written(folder)
            a_disk_that_freezes(folder)
        except mounts.NoFileSystem as reason:
            cases.skip(str(reason))


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM))
