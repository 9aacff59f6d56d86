#!/usr/bin/env python3
"""A replay that runs faster than the clock: the life of a drive in a few seconds. What is served runs with it; how long a drive may
hang does not. A drive_replay that is killed goes on in the same replay, and so does a second run."""

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

DAY_S, DAYS, SPEED = 86400, 400, 4000000
ABSENT_DAY, PRESENT_DAY, HANG_DAY, KILL_DAY = 150, 250, 20, 300
FIRST_DAYS = 41                 # of power-on time, on the first day
DEADLINE_S = 5
LATE_DAYS = 30                  # by which a busy machine may be behind
LIFE, HUNG = 'TEST-SAS-SSD_SPEED1', 'TEST-SAS-SSD_SPEED2'
PAGES = {'log-sense page=00': bytes([0, 0, 0, 5, 0, 0x0d, 0x11, 0x15, 0x2f])}


def told(day):
    """What the drive says on that day: power-on time and wear."""
    return {'log-sense page=15': made.log_page(0x15, (0, ((FIRST_DAYS + day) * 1440).to_bytes(4, 'big') + bytes(8))),
            'log-sense page=11': made.answers('', 0, used=day // 4)['log-sense page=11']}


def life():
    """A section a day, and the drive is away for some of them."""
    for day in range(1, DAYS + 1):
        yield '@ %d' % (day * DAY_S)
        for command, answer in told(day).items():
            yield from ('> ' + command, made.hexa(answer))
        if day in (ABSENT_DAY, PRESENT_DAY):
            yield 'absent' if day == ABSENT_DAY else 'present'


def write_captures(folder):
    for number, serial, tail in ((0, 'SPEED1', life()),
                                 (1, 'SPEED2', ('@ %d' % (HANG_DAY * DAY_S), '> log-sense page=0d', '! hang'))):
        with open(os.path.join(folder, serial + '.capture'), 'w', encoding='utf-8') as f:
            f.write(made.capture(made.device_name(number), serial, 0x5000c50000010000 + 16 * number, {**PAGES, **told(0)},
                                 tail=tail))


class Look:
    """A scrape: what it says, when it was made, and which day of the replay that was."""

    def __init__(self, daemon, began):
        self.before = time.monotonic()
        self.metrics = daemon.metrics()
        self.after = time.monotonic()
        self.time = self.metrics.value('drive_exporter_time_seconds')
        self.day = (self.time - began) / DAY_S
        self.up, self.hung_up = (self.metrics.value('drive_up', drive=d) for d in (LIFE, HUNG))
        self.polled = self.metrics.value('drive_poll_timestamp_seconds', drive=LIFE)
        self.stuck = self.metrics.value('drive_command_started_timestamp_seconds', drive=HUNG)
        self.wear = self.metrics.value('drive_endurance_used_ratio', drive=LIFE)
        self.on = self.metrics.value('drive_power_on_seconds_total', drive=LIFE)


def replay_of(daemon):
    """The process of drive_replay itself, not those of its drives."""
    with open('/proc/%d/task/%d/children' % (daemon.process.pid, daemon.process.pid)) as f:
        return int(f.read().split()[0])


def live(folder):
    """Looks all along the life; kills drive_replay once. All looks, and at what day of the replay it was killed."""
    looks, killed = [], None
    began = time.time()         # the replay's time begins as the exporter's process does
    with exporter.Exporter('--replay=' + folder, '--replay.speed=%d' % SPEED, '--log.level=error') as daemon:
        while not looks or looks[-1].day < DAYS + 20 or looks[-1].after - looks[0].before < DEADLINE_S + 3:
            looks.append(Look(daemon, began))
            if killed is None and looks[-1].day > KILL_DAY:
                killed = looks[-1].day
                os.kill(replay_of(daemon), signal.SIGKILL)
            time.sleep(0.01)
        took, status = daemon.stop()
    return began, looks, killed, took, status


def check_time(looks):
    first, last = looks[0], looks[-1]
    passed = last.time - first.time
    cases.check(SPEED * (last.before - first.after) - 1 <= passed <= SPEED * (last.after - first.before) + 1,
                'the clock runs as fast as it was told', '%g s in %g s' % (passed, last.before - first.before))
    cases.check(all(a.time < b.time for a, b in zip(looks, looks[1:])), 'and never back')
    polled = [look.polled for look in looks if look.polled]
    cases.check(all(look.polled <= look.time for look in looks if look.polled) and polled == sorted(polled) and
                len(set(polled)) > len(polled) / 2, 'the moments of polls run with it', polled[:20])


def check_values(began, looks):
    there = [look for look in looks if look.up is not None]
    # one that has just come, or whose drive_replay is started again, is yet to be read
    bad = [look.day for look in there if look.up != 1 and not KILL_DAY <= look.day <= KILL_DAY + 60
           and not PRESENT_DAY <= look.day <= PRESENT_DAY + LATE_DAYS]
    cases.check(there and not bad, 'a drive is up while it is there, though no machine is fast enough to read it each minute', bad)
    read = [look for look in there if look.polled and look.wear is not None and look.on is not None]
    bad = [(look.day, look.wear) for look in read
           if not min((look.polled - began) / DAY_S, DAYS) - LATE_DAYS <= look.wear * 400 <= min(look.day, DAYS)]
    cases.check(len(read) > 20 and not bad, 'wear is that of the day on which it was read', bad)
    bad = [(look.day, look.on) for look in read if look.on / DAY_S - FIRST_DAYS > min(look.day, DAYS)]
    on = [look.on for look in read]
    cases.check(not bad and on == sorted(on) and len(set(on)) > 10, 'power-on time follows the days', bad or on)
    cases.check(looks[-1].wear == DAYS // 4 / 100 and looks[-1].on == (FIRST_DAYS + DAYS) * DAY_S,
                'after the last section what it said stays', (looks[-1].wear, looks[-1].on))


def check_absence(looks):
    away = [look for look in looks if ABSENT_DAY + LATE_DAYS < look.day < PRESENT_DAY]
    cases.check(away and all(look.up is None for look in away), 'a drive that is absent is not served',
                [look.day for look in away if look.up is not None])
    back = [look for look in looks if PRESENT_DAY + LATE_DAYS < look.day < KILL_DAY]
    cases.check(back and all(look.up == 1 for look in back), 'one that is present again is',
                [look.day for look in back if look.up != 1])


def check_hang(began, looks):
    hung = looks[0].before + (began + HANG_DAY * DAY_S - looks[0].time) / SPEED    # in real time
    # It is told before drive_replay is killed, after which the drive hangs anew.
    early = [look for look in looks if look.after < hung + DEADLINE_S - 0.1]
    cases.check(early and all(look.stuck is None for look in early),
                'a drive that hangs is not told as long as it may take its time',
                [look.after - hung for look in early if look.stuck is not None])
    stuck = [look for look in looks if look.stuck is not None]
    cases.check(stuck, 'after that time it is', looks[-1].after - hung)
    if stuck:
        day = (stuck[0].stuck - began) / DAY_S
        cases.check(HANG_DAY - LATE_DAYS <= day <= stuck[0].day, 'and since when, by the clock of the replay', day)


def check_kill(looks, killed):
    after = [look for look in looks if killed and look.day > killed]
    again = [look for look in after if look.up == 1 and look.on is not None and look.on / DAY_S - FIRST_DAYS > killed]
    cases.check(again, 'a drive_replay that was killed goes on in the same replay', killed)


def check_from(folder):
    for flags, day in ((('--replay.from=%dd' % 300,), 300), (('--replay.from=%dh' % (1000 * 24), '--replay.speed=10'), DAYS), ((), 0)):
        began = time.time()
        text, _ = exporter.once('--replay=' + os.path.join(folder, 'SPEED1.capture'), '--log.level=error', *flags, check=0)
        metrics = exporter.Metrics(text)
        ahead = {300: 300, DAYS: 1000, 0: 0}[day] * DAY_S
        now = metrics.value('drive_exporter_time_seconds') - began - ahead
        cases.check(metrics.value('drive_endurance_used_ratio', drive=LIFE) == day // 4 / 100 and
                    metrics.value('drive_power_on_seconds_total', drive=LIFE) == (FIRST_DAYS + day) * DAY_S,
                    '%s: it begins on day %d' % (' '.join(flags) or 'without flags', ahead // DAY_S), text)
        cases.check(-1 < now < 300, 'and its clock is that much ahead', now)
    text, status = exporter.once('--replay=' + os.path.join(folder, 'SPEED1.capture'), '--log.level=error',
                                 '--replay.from=%dd' % (ABSENT_DAY + 1))
    cases.check(not exporter.Metrics(text).drives(), 'of a drive that is absent by then nothing is served', text)


def check_refusals(folder):
    for flags, words in ((('--replay.speed=10',), 'go with --replay'), (('--replay.from=1d',), 'go with --replay'),
                         (('--replay=' + folder, '--replay.beside-host', '--replay.speed=10'), 'not with --replay.beside-host'),
                         (('--replay=' + folder, '--replay.speed=0',), 'is not a number from 1 to 10000000')):
        done = subprocess.run([exporter.PROGRAM, 'once', *flags], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              timeout=exporter.PATIENCE_S)
        said = done.stderr.decode('utf-8', 'replace')
        cases.check(done.returncode == 1 and words in said, 'refused: ' + ' '.join(flags[-2:]), said)


def main():
    with tempfile.TemporaryDirectory() as folder:
        write_captures(folder)
        began, looks, killed, took, status = live(folder)
        times = sorted(look.after - look.before for look in looks)
        print('# %d scrapes, the slowest %.0f ms, over %.0f days' % (len(looks), 1000 * times[-1], looks[-1].day))
        check_time(looks)
        check_values(began, looks)
        check_absence(looks)
        check_hang(began, looks)
        check_kill(looks, killed)
        cases.check(times[len(times) // 2] < 0.2, 'scrapes are answered between two visits', times[len(times) // 2])
        cases.check(took < 2 and status == 0, 'and so is SIGTERM', '%.2f s, status %d' % (took, status))
        check_from(folder)
        check_refusals(folder)


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM))
