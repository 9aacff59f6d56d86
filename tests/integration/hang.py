#!/usr/bin/env python3
"""One drive of 24 hangs: no scrape waits, the others are polled on time, and the hung one is told. A drive that hangs from
its first command on is listed too."""

import os
import statistics
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter
import made

DRIVES, HUNG, MUTE = 24, 7, 11
INTERVAL_S = 2
# The exporter's own deadline is 5 s; a drive is down when three intervals (at least) went by without an answer.
WATCH_S = 14
SCRAPE_LIMIT_S = 0.050


def serial(number):
    return 'HANG%04d' % number


def write_captures(folder):
    for number in range(DRIVES):
        changes = {}
        if number == HUNG:
            changes['log-sense page=0d'] = 'hang'
        if number == MUTE:
            changes = {command: 'hang' for command in made.answers('', 0)}
        with open(os.path.join(folder, '%02d.capture' % number), 'w', encoding='utf-8') as f:
            f.write(made.capture(made.device_name(number), serial(number), 0x5000c50000010000 + 16 * number, changes))


def main():
    with tempfile.TemporaryDirectory() as folder:
        write_captures(folder)
        with exporter.Exporter('--replay=' + folder, '--poll.interval=%ds' % INTERVAL_S, '--log.level=warn') as daemon:
            cases.check(daemon.listening_s < 1, 'it listens at once, whatever the drives do (100 ms is the aim)',
                        '%.3f s' % daemon.listening_s)
            times, late = [], {}
            end = time.monotonic() + WATCH_S
            while time.monotonic() < end:
                began = time.monotonic()
                text = daemon.scrape()
                times.append(time.monotonic() - began)
                metrics, now = exporter.Metrics(text), time.time()
                for labels, value in metrics.all('drive_poll_timestamp_seconds'):
                    late[labels['drive']] = max(late.get(labels['drive'], 0), now - value)
                time.sleep(0.1)
            report(daemon, metrics, times, late)
            seconds, status = daemon.stop()
            cases.check(seconds < 1 and status == 0, 'SIGTERM ends it in under a second', '%.2f s, status %d' % (seconds, status))


def report(daemon, metrics, times, late):
    print('# %d scrapes: median %.1f ms, worst %.1f ms; listening after %.0f ms'
          % (len(times), 1000 * statistics.median(times), 1000 * max(times), 1000 * daemon.listening_s))
    cases.check(statistics.median(times) < SCRAPE_LIMIT_S, 'a scrape takes less than 50 ms', statistics.median(times))
    cases.check(statistics.quantiles(times, n=20)[-1] < 4 * SCRAPE_LIMIT_S, 'so do nearly all, as far as a shared machine lets them',
                max(times))

    hung = 'TEST-SAS-SSD_' + serial(HUNG)
    others = ['TEST-SAS-SSD_' + serial(n) for n in range(DRIVES) if n not in (HUNG, MUTE)]
    up = {labels['drive']: value for labels, value in metrics.all('drive_up')}
    cases.check(all(up.get(d) == 1 for d in others), 'the other drives are up', sorted(set(others) - {d for d in up if up[d] == 1}))
    worst = max(late.get(d, 1e9) for d in others)
    cases.check(worst < 3 * INTERVAL_S, 'the other drives are polled on time', 'values were up to %.1f s old' % worst)
    cases.check(up.get(hung) == 0, 'the hung drive has drive_up 0', up.get(hung))
    since = metrics.value('drive_command_started_timestamp_seconds', drive=hung)
    cases.check(since and 3 < time.time() - since < WATCH_S + 5, 'since when it hangs is told', since)
    cases.check(metrics.value('drive_info', drive=hung), 'who the hung drive is stays known')

    unidentified = [d for d in up if d.startswith('unidentified_')]
    cases.check(len(unidentified) == 1 and up[unidentified[0]] == 0,
                'a drive that hangs from its first command on is listed as unidentified_<path>, down', sorted(up))
    cases.check(unidentified and metrics.value('drive_command_started_timestamp_seconds', drive=unidentified[0]),
                'and since when it hangs is told')


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM))
