#!/usr/bin/env python3
"""Many scrapes and polls of 48 replayed drives, of which some hang, fail, come and go: memory stays flat, no descriptor leaks, no
process is left over, and no scrape is slow.

	tests/soak/soak.py [--scrapes=N] [--rounds=N]

A round is a visit of every drive. By default a short form, without a verdict on times; `make soak` is the long one, a million
scrapes and ten thousand rounds, which takes an hour."""

import argparse
import os
import re
import socket
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter
import made

DRIVES = 48
INTERVAL_S = 0.2
LONG = 500000                   # scrapes from which on times are judged
SLOW_S = 0.050                  # no more than one scrape in a thousand
GROWTH, SHORT_GROWTH = 0.01, 0.03     # a short run has hardly warmed up
# Of the run: before that caches fill
WARM = 0.2
SAMPLES = 40


def comes_and_goes(number, seconds):
    """Away for 2 seconds out of 5, each at another time."""
    lines, at = [], 3 + number % 5
    while at < seconds:
        lines += ['@ %d' % at, 'absent', '@ %d' % (at + 2), 'present']
        at += 5
    return lines


def changes_and_tail(number, seconds):
    if number % 12 == 3:
        return {'log-sense page=0d': 'hang'}, ()
    if number % 12 == 5:
        return {'log-sense page=11': 'sense 03 11 00', 'log-sense page=0d': 'timeout'}, ()
    if number % 12 == 7:
        return {'log-sense page=2f': made.log_page(0x2f, (0, bytes([0x5d, 0x10, 30, 0]))), 'log-sense page=11': made.log_page(0x11, (9, b'\0'))}, ()
    if number % 12 == 9:
        return {}, comes_and_goes(number, seconds)
    return {}, ()


def write_captures(folder, seconds):
    for number in range(DRIVES):
        changes, tail = changes_and_tail(number, seconds)
        with open(os.path.join(folder, '%02d.capture' % number), 'w', encoding='utf-8') as f:
            f.write(made.capture(made.device_name(number), 'SOAK%04d' % number, 0x5000c50000020000 + 16 * number, changes, tail=tail))


# ---- what it costs

def family_of(pid):
    """It and all that descend from it."""
    parents = {}
    for entry in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open('/proc/%s/stat' % entry) as f:
                parents[int(entry)] = int(f.read().rsplit(') ', 1)[1].split()[1])
        except (OSError, IndexError):
            continue
    found, more = set(), {pid}
    while more:
        found |= more
        more = {p for p, parent in parents.items() if parent in found} - found
    return found


def memory_of(pid):
    """Bytes that no file is behind. How much of the others is in memory depends on who else runs the same libraries."""
    try:
        with open('/proc/%d/smaps_rollup' % pid) as f:
            return 1024 * int(re.search(r'^Anonymous: +(\d+) kB', f.read(), re.M).group(1))
    except OSError:
        return 0


def descriptors_of(pid):
    try:
        return len(os.listdir('/proc/%d/fd' % pid))
    except OSError:
        return 0


class Usage:
    def __init__(self, pid):
        family = family_of(pid)
        self.exporter = memory_of(pid)
        self.memory = sum(map(memory_of, family))
        self.descriptors = descriptors_of(pid)
        self.processes = len(family)


# ---- scrapes, over one connection as Prometheus keeps it

class Scraper:
    def __init__(self, port):
        self.socket = socket.create_connection(('127.0.0.1', port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = bytearray(1 << 20)

    def scrape(self):
        """(seconds, bytes)"""
        began = time.perf_counter()
        self.socket.sendall(b'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n')
        have, need = 0, None
        while need is None or have < need:
            n = self.socket.recv_into(memoryview(self.buffer)[have:])
            if not n:
                raise AssertionError('the connection ended within an answer')
            have += n
            head = self.buffer.find(b'\r\n\r\n', 0, have) if need is None else -1
            if head >= 0:
                if not self.buffer.startswith(b'HTTP/1.1 200'):
                    raise AssertionError(bytes(self.buffer[:100]))
                need = head + 4 + int(re.search(rb'(?i)content-length: (\d+)', self.buffer[:head]).group(1))
                if need > len(self.buffer):
                    self.buffer.extend(bytes(need - len(self.buffer)))
        return time.perf_counter() - began, need


def run(daemon, scrapes, rounds):
    """(seconds of each scrape, [Usage...]): scrapes are spread over the time that the rounds take, and more often if that must be."""
    scraper, times, used = Scraper(daemon.port), [], []
    pause = rounds * INTERVAL_S / scrapes
    began = time.monotonic()
    for number in range(scrapes):
        seconds, _ = scraper.scrape()
        times.append(seconds)
        if number % (scrapes // SAMPLES) == 0:
            used.append(Usage(daemon.process.pid))
        late = began + (number + 1) * pause - time.monotonic()
        if late > 0.0005:
            time.sleep(late)
    return times, used


def middle(values):
    return sorted(values)[len(values) // 2]


def flat(name, values, allowed):
    """The middle of the last quarter against that of the first after warming up."""
    values = values[int(len(values) * WARM):]
    quarter = max(1, len(values) // 4)
    first, last = middle(values[:quarter]), middle(values[-quarter:])
    cases.check(last <= first * (1 + allowed), '%s is flat: %d, then %d (%+.2f %%)' % (name, first, last, 100 * (last - first) / first),
                ' '.join(map(str, values)))


def judge(daemon, times, used, rounds_done, rounds):
    times.sort()
    at = {p: times[min(len(times) - 1, int(len(times) * p))] for p in (0.5, 0.99, 0.999)}
    figures = '%d scrapes: p50 %.1f ms, p99 %.1f ms, p99.9 %.1f ms, slowest %.1f ms' % (
        len(times), *(1000 * at[p] for p in (0.5, 0.99, 0.999)), 1000 * times[-1])
    print('# ' + figures)
    print('# %d polls of %d drives' % (rounds_done, DRIVES))
    if len(times) >= LONG:
        cases.check(at[0.999] < SLOW_S, 'one scrape in a thousand takes 50 ms or more at most: ' + figures)
    cases.check(rounds_done >= 0.9 * rounds, 'drives were read %d times' % rounds_done, rounds)
    allowed = GROWTH if len(times) >= LONG else SHORT_GROWTH
    flat('the exporter\'s own memory', [u.exporter for u in used], allowed)
    flat('memory of all its processes', [u.memory for u in used], allowed)
    last = used[len(used) // 2:]
    first = used[int(len(used) * WARM):len(used) // 2] or last
    for name, value in (('descriptors', lambda u: u.descriptors), ('processes', lambda u: u.processes)):
        cases.check(max(map(value, last)) <= max(map(value, first)), 'no more %s than before: %d' % (name, max(map(value, last))),
                    [value(u) for u in used])


def visits(metrics):
    """How often the healthiest drive was asked for its temperature page and its wear: two commands and a power check a visit."""
    return max(v for _, v in metrics.all('drive_commands_total')) / 3


def main(o):
    with tempfile.TemporaryDirectory() as folder:
        captures, state = os.path.join(folder, 'captures'), os.path.join(folder, 'state')
        os.mkdir(captures)
        os.mkdir(state)
        write_captures(captures, int(max(o.rounds * INTERVAL_S, o.scrapes * 0.01)) + 60)
        with exporter.Exporter('--replay=' + captures, '--poll.interval=%dms' % (1000 * INTERVAL_S), '--log.level=error',
                               environment={'STATE_DIRECTORY': state}) as daemon:
            daemon.wait_for_visits(DRIVES // 2)
            before = visits(daemon.metrics())
            times, used = run(daemon, o.scrapes, o.rounds)
            metrics = daemon.metrics()
            judge(daemon, times, used, visits(metrics) - before, o.rounds)
            cases.check(metrics.all('drive_command_started_timestamp_seconds'), 'meanwhile drives hung')
            cases.check((metrics.value('drive_removed_total', reason='vanished') or 0) >= 4, 'came and went')
            cases.check(any(v > 3 for _, v in metrics.all('drive_poll_failures_total', source='device')), 'and failed')
            seconds, code = daemon.stop()
            cases.check(seconds < 3 and code == 0, 'it ends in time', '%.2f s, status %d' % (seconds, code))


parser = argparse.ArgumentParser()
parser.add_argument('--scrapes', type=int, default=4000)
parser.add_argument('--rounds', type=int, default=100)
OPTIONS = parser.parse_args()
cases.run(lambda: main(OPTIONS), (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM))
