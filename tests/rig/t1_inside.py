#!/usr/bin/env python3
"""What t1.py runs in its container: the units as they are installed, started, restarted, killed, and kept from their disk, their
memory and their journal."""

import contextlib
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, '/share/lib')

import cases
import exporter

EXPORTER, PROBER = 'drive_exporter.service', 'drive_prober.service'
SOCKETS = ('drive_exporter.socket', 'drive_prober.socket')
DEFAULTS, CATALOGUE = '/etc/default/drive_exporter', '/etc/drive_exporter/drives.d/own.csv'
MOUNT = '/share/mount'
HOST, PORT = '127.0.0.1', 9946
REPLAY = '--replay=/share/captures --replay.beside-host'
SYS_RAWIO, SYS_ADMIN = 1 << 17, 1 << 21
SCRAPES, RESTARTS = 100, 5


# ---- systemd

def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    return done.returncode, done.stdout.decode('utf-8', 'replace').strip()


def systemctl(*words):
    status, said = run('systemctl', *words)
    if status:
        raise AssertionError('systemctl %s: %s' % (' '.join(words), said))


def timed(*words):
    began = time.monotonic()
    systemctl(*words)
    return time.monotonic() - began


def show(unit, name):
    return run('systemctl', 'show', '--value', '-p', name, unit)[1]


def main_pid(unit):
    return int(show(unit, 'MainPID'))


def is_active(unit):
    return show(unit, 'ActiveState') == 'active'


def status_of(unit):
    return show(unit, 'StatusText')


def journal(unit, cursor=None):
    return run('journalctl', '-q', '-o', 'cat', '-u', unit, *(['--after-cursor=' + cursor] if cursor else []))[1]


def journal_end():
    return run('journalctl', '-q', '-n', '1', '--show-cursor', '-o', 'cat')[1].rsplit('-- cursor: ', 1)[1]


@contextlib.contextmanager
def drop_in(unit, text):
    """In force until the next daemon-reload after it; the unit must be started again."""
    folder = '/run/systemd/system/%s.d' % unit
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, 'test.conf')
    with open(path, 'w') as f:
        f.write('[Service]\n' + text)
    systemctl('daemon-reload')
    try:
        yield
    finally:
        os.unlink(path)
        systemctl('daemon-reload')


def arguments(text):
    with open(DEFAULTS, 'w') as f:
        f.write('ARGS=%s\n' % text)


def stat(path):
    return run('stat', '-c', '%U:%G %a', path)[1]


def start_line():
    return re.search(r'(?m)^ExecStart=(.*)', run('systemctl', 'cat', EXPORTER)[1]).group(1)


def program(name):
    """Where it is installed."""
    return os.path.join(os.path.dirname(start_line().split()[0]), name)


# ---- processes

def read(path):
    with open(path, 'rb') as f:
        return f.read().decode('utf-8', 'replace')


def proc(pid, name):
    return read('/proc/%d/%s' % (pid, name))


def rights(pid):
    """The lines of proc(5)'s status, by name."""
    return dict(line.split(':\t', 1) for line in proc(pid, 'status').splitlines() if ':\t' in line)


def of_unit(unit):
    """(pid, name, state) of all processes in its control group."""
    found = []
    path = '/sys/fs/cgroup/%s' + show(unit, 'ControlGroup') + '/cgroup.procs'
    for layout in ('systemd', '.'):
        if os.path.exists(path % layout):
            with open(path % layout) as f:
                pids = [int(line) for line in f]
            break
    else:
        return []
    for pid in pids:
        with contextlib.suppress(OSError):
            lines = rights(pid)
            found.append((pid, lines['Name'], lines['State'][0]))
    return found


def orphans(unit):
    """Those whose parent has ended."""
    return [(pid, name) for pid, name, _ in of_unit(unit) if pid != main_pid(unit) and rights(pid)['PPid'] == '1']


def hung(unit):
    return sorted(pid for pid, _, state in of_unit(unit) if state == 'D')


# ---- scrapes

def scrape(path='/metrics', timeout=20, connection=None):
    c = connection or http.client.HTTPConnection(HOST, PORT, timeout=timeout)
    try:
        c.request('GET', path)
        answer = c.getresponse()
        body = answer.read().decode('utf-8')
        if answer.status != 200:
            raise AssertionError('%s: status %d' % (path, answer.status))
        return body
    finally:
        if not connection:
            c.close()


def metrics():
    return exporter.Metrics(scrape())


def wait_until(what, condition, patience_s=30):
    def attempt():
        m = metrics()
        return m if condition(m) else None
    return exporter.wait_for(what, attempt, patience_s)


def wait_for_drives():
    return wait_until('drives read', lambda m: len(m.all('drive_up')) and all(v for _, v in m.all('drive_up')))


class Scraper(threading.Thread):
    """Scrapes until it is told to end; a connection each, or one kept as Prometheus keeps it. A connection that was kept may be
    closed by the server before the request came: then it asks again on a new one, as HTTP clients do."""

    def __init__(self, is_kept):
        super().__init__(daemon=True)
        self.is_kept, self.is_ending, self.good, self.again, self.bad, self.slowest_s = is_kept, False, 0, 0, [], 0.0
        self.start()

    def run(self):
        kept = None
        while not self.is_ending:
            began = time.monotonic()
            try:
                kept = self.one(kept)
                self.good += 1
            except (OSError, http.client.HTTPException, AssertionError) as error:
                self.bad.append(repr(error))
                kept = None
            self.slowest_s = max(self.slowest_s, time.monotonic() - began)
            time.sleep(0.005)

    def one(self, kept):
        if kept:
            try:
                scrape(connection=kept)
                return kept if kept.sock else None
            except (ConnectionError, http.client.RemoteDisconnected):
                kept.close()
                self.again += 1
        fresh = http.client.HTTPConnection(HOST, PORT, timeout=20)
        scrape(connection=fresh)
        if self.is_kept and fresh.sock:
            return fresh
        fresh.close()
        return None

    def end(self):
        self.is_ending = True
        self.join(30)
        return self


def scrapes_go_on(what, seconds=2.0, limit_s=1.0):
    scraper = Scraper(False)
    time.sleep(seconds)
    scraper.end()
    return cases.check(scraper.good > 5 and not scraper.bad and scraper.slowest_s < limit_s,
                       '%s: scrapes go on' % what, '%d good, %s, slowest %.2f s' % (scraper.good, scraper.bad[:3], scraper.slowest_s))


# ---- cases

def starts():
    arguments(REPLAY)
    systemctl('enable', EXPORTER)
    cases.check(all(run('systemctl', 'is-enabled', unit)[1] == 'enabled' for unit in (EXPORTER, *SOCKETS)),
                'enabling the exporter enables the sockets')
    systemctl('start', *SOCKETS)
    cases.check(not is_active(EXPORTER) and not is_active(PROBER), 'with the sockets alone neither program runs')
    text = scrape()
    cases.check('drive_exporter_build_info' in text and is_active(EXPORTER), 'the first scrape starts the exporter')
    exporter.wait_for('the prober', lambda: is_active(PROBER))
    cases.check(True, 'the exporter starts the prober')
    m = wait_for_drives()
    cases.check(m.value('drive_exporter_prober_up') == 1, 'both are in touch')
    cases.check('Listening on http://localhost:9946/metrics' in journal(EXPORTER), 'the journal has the address')


def tells_its_state():
    told = exporter.wait_for('the line', lambda: re.match(r'\d+ drives: [^;]*\d+ read[^;]*; prober up, replay up$', status_of(EXPORTER)))
    print('# ' + told.group(0))
    cases.check('1 asleep' in told.group(0), 'the status line counts drives by what they do', told.group(0))
    exporter.wait_for('the prober\'s line', lambda: re.match(r'client connected; \d+ devices asked, 0 not answering$', status_of(PROBER)))
    cases.check(True, 'the prober\'s tells of its client and devices')


def has_no_rights():
    one, other = rights(main_pid(EXPORTER)), rights(main_pid(PROBER))
    for who, name, lines, effective in ((EXPORTER, 'drive_exporter', one, 0), (PROBER, 'drive_prober', other, SYS_RAWIO | SYS_ADMIN)):
        uid = run('id', '-u', name)[1]
        cases.check(lines['Uid'].split() == [uid] * 4 and uid != '0', who + ' runs as its user')
        cases.check(all(int(lines[c], 16) == effective for c in ('CapEff', 'CapPrm', 'CapBnd', 'CapAmb')),
                    who + ' has exactly its capabilities', lines)
        cases.check(lines['NoNewPrivs'] == '1' and lines['Seccomp'] == '2', who + ' may gain no rights, and has a filter')
    print('# exporter: %s resident; prober: %s' % (one['VmRSS'].strip(), other['VmRSS'].strip()))
    cases.check(stat('/run/drive_prober.socket') == 'root:drive_exporter 660', 'only the exporter may ask the prober')
    speakers = [p for unit in (EXPORTER, PROBER) for p, _, _ in of_unit(unit)
                if p != main_pid(unit) and 'NOTIFY_SOCKET' in proc(p, 'environ')]
    cases.check(len(of_unit(EXPORTER)) > 2 and not speakers, 'no child may speak to systemd', of_unit(EXPORTER))


def locks_memory():
    """Where nothing may raise the limit, as in some containers, the capability stands in for it."""
    limit = re.search(r'Max locked memory +(\S+)', proc(main_pid(EXPORTER), 'limits')).group(1)
    lock = '' if limit == 'unlimited' else 'CapabilityBoundingSet=CAP_IPC_LOCK\nAmbientCapabilities=CAP_IPC_LOCK\n'
    with drop_in(EXPORTER, lock):
        systemctl('restart', EXPORTER)
        wait_for_drives()
        locked = int(rights(main_pid(EXPORTER))['VmLck'].split()[0])
        cases.check(locked > 4096, 'the exporter locks its memory' + (', given CAP_IPC_LOCK' if lock else ''), locked)
        print('# %d kB locked; the limit is %s' % (locked, limit))
    systemctl('restart', EXPORTER)


def keeps_history():
    path = '/var/lib/drive_exporter'
    cases.check(stat(path) == 'drive_exporter:drive_exporter 750', 'the state directory is the exporter\'s', stat(path))
    drives = wait_for_drives().drives()
    systemctl('restart', EXPORTER)
    said = run(program('drive_exporter'), 'history')[1]
    kept = [drive for drive in drives if drive in said]
    cases.check(len(kept) >= 3, 'the days of drives are kept', (drives, said))
    cases.check(stat(path + '/history.db') == 'drive_exporter:drive_exporter 640', 'the data base is the exporter\'s')


def restarts_without_a_gap():
    scrapers, times = [Scraper(False), Scraper(True)], []
    for _ in range(RESTARTS):
        time.sleep(0.3)
        times.append(timed('restart', EXPORTER))
    exporter.wait_for('the scrapes', lambda: all(s.good >= SCRAPES for s in scrapers))
    for s, who in zip(scrapers, ('new connections', 'a connection that is kept')):
        s.end()
        cases.check(not s.bad, 'restarts refuse and reset nothing, over ' + who, s.bad)
        print('# %s: %d scrapes, %d of them asked twice, slowest %.0f ms' % (who, s.good, s.again, 1000 * s.slowest_s))
    cases.check(min(times) < 1, 'a restart takes less than a second', times)
    print('# restarts: ' + ', '.join('%.0f ms' % (1000 * t) for t in times))
    exporter.wait_for('no child of an earlier exporter', lambda: not orphans(EXPORTER), 2)
    cases.check(True, 'no child of an earlier exporter is left')


def prober_restarts_alone():
    before, old = main_pid(EXPORTER), main_pid(PROBER)
    open('/run/drive_prober/sdz.lock', 'w').close()
    took = timed('restart', PROBER)
    cases.check(stat('/run/drive_prober') == 'drive_prober:drive_prober 700' and os.path.exists('/run/drive_prober/sdz.lock'),
                'the folder of its locks is the prober\'s, and stays')
    cases.check(main_pid(EXPORTER) == before and main_pid(PROBER) != old, 'a restart of the prober leaves the exporter alone')
    wait_until('the prober up', lambda m: m.value('drive_exporter_prober_up') == 1)
    cases.check(took < 1, 'and takes less than a second', took)
    exporter.wait_for('the line', lambda: 'prober up' in status_of(EXPORTER))


def comes_back():
    for unit in (EXPORTER, PROBER):
        pid = main_pid(unit)
        os.kill(pid, signal.SIGKILL)
        began = time.monotonic()
        exporter.wait_for('another ' + unit, lambda: is_active(unit) and main_pid(unit) not in (0, pid))
        wait_until('both in touch', lambda m: m.value('drive_exporter_prober_up') == 1)
        cases.check(True, '%s comes back when it is killed' % unit)
        print('# both in touch again %.1f s after' % (time.monotonic() - began))


def is_watched():
    for unit in (EXPORTER, PROBER):
        with drop_in(unit, 'WatchdogSec=1s\nRestartSec=100ms\n'):
            systemctl('restart', unit)
            time.sleep(2)
            pid, cursor = main_pid(unit), journal_end()
            cases.check(is_active(unit) and show(unit, 'NRestarts') == '0', unit + ' says in time that it is alive')
            os.kill(pid, signal.SIGSTOP)
            exporter.wait_for('another ' + unit, lambda: is_active(unit) and main_pid(unit) not in (0, pid))
            cases.check('watchdog' in run('journalctl', '-q', '-o', 'cat', '--after-cursor=' + cursor)[1].lower(),
                        unit + ' is killed when it is stopped, and comes back')
        systemctl('restart', unit)


def reloads():
    os.makedirs(os.path.dirname(CATALOGUE), exist_ok=True)
    rows = metrics().value('drive_exporter_catalogue_rows')
    lines = read('/share/drives.csv').split('\n')
    columns = next(line for line in lines if line and not line.startswith('#'))
    cursor = journal_end()
    with open(CATALOGUE, 'w') as f:
        f.write(columns + '\n,broken\n')
    systemctl('reload', EXPORTER)
    exporter.wait_for('the refusal', lambda: 'stay as they were' in journal(EXPORTER, cursor))
    cases.check('own.csv:2' in journal(EXPORTER, cursor), 'a broken catalogue is named with its line', journal(EXPORTER, cursor))
    cases.check(metrics().value('drive_exporter_catalogue_rows') == rows and is_active(EXPORTER), 'and the old one stays')
    os.unlink(CATALOGUE)
    cursor, pid = journal_end(), main_pid(EXPORTER)
    systemctl('reload', EXPORTER)
    exporter.wait_for('the catalogue', lambda: 'read anew' in journal(EXPORTER, cursor))
    exporter.wait_for('the end of the reload', lambda: is_active(EXPORTER))
    cases.check(main_pid(EXPORTER) == pid, 'a good one is taken without a restart')


@contextlib.contextmanager
def frozen():
    run('fsfreeze', '--freeze', MOUNT)
    try:
        yield
    finally:
        run('fsfreeze', '--unfreeze', MOUNT)


def a_drive_hangs():
    hang_file, replay = MOUNT + '/hang', '/run/hanging_replay.sh'
    open(hang_file, 'w').close()
    os.chmod(hang_file, 0o666)
    with open(replay, 'w') as f:
        f.write('#!/bin/sh\nexec %s --runtime-directory=/run/hanging_replay "$@"\n' % program('drive_replay'))
    os.chmod(replay, 0o755)
    arguments('--replay=/share/hanging --replay.beside-host --replay.path=%s --replay.hang-file=%s --poll.interval=1s' % (replay, hang_file))
    with drop_in(EXPORTER, 'RuntimeDirectory=hanging_replay\nRuntimeDirectoryPreserve=yes\nReadWritePaths=%s\n' % MOUNT), frozen():
        systemctl('restart', EXPORTER)
        exporter.wait_for('a child in state D', lambda: hung(EXPORTER))
        wait_until('the drive is told to be stuck', lambda m: m.value('drive_command_started_timestamp_seconds'))
        exporter.wait_for('the line', lambda: '1 stuck' in status_of(EXPORTER))
        print('# ' + status_of(EXPORTER))
        left, times = hung(EXPORTER), []
        for _ in range(3):
            times.append(timed('restart', EXPORTER, PROBER))
            wait_until('the drive is stuck again', lambda m: m.value('drive_command_started_timestamp_seconds'))
        cases.check(min(times) < 1, 'with a child in state D a restart of both takes less than a second', times)
        print('# restarts: ' + ', '.join('%.0f ms' % (1000 * t) for t in times))
        cases.check(len(left) == 1 and hung(EXPORTER) == left, 'which is left alone, and joined by no other', (left, of_unit(EXPORTER)))
        scrapes_go_on('a drive hangs')
    exporter.wait_for('the child to end', lambda: not os.path.exists('/proc/%d' % left[0]))
    cases.check(True, 'it ends when its drive lets it go')
    arguments(REPLAY)
    systemctl('restart', EXPORTER)


def complain():
    with socket.create_connection((HOST, PORT), timeout=20) as s:
        s.sendall(b'GET / HTTP/1.1\r\nHost\r\n: x\r\n\r\n')
        s.shutdown(socket.SHUT_WR)
        while s.recv(4096):
            pass


def the_journal_stops():
    arguments(REPLAY + ' --log.level=debug')
    systemctl('restart', EXPORTER)
    journald = main_pid('systemd-journald.service')
    os.kill(journald, signal.SIGSTOP)
    try:
        def dropped():
            for _ in range(100):	# each is a line
                complain()
            return metrics().value('drive_exporter_log_lines_dropped_total')
        exporter.wait_for('lines that are dropped', dropped)
        cases.check(True, 'with a journal that does not read, lines are dropped and counted')
        scrapes_go_on('the journal does not read')
        cases.check(metrics().value('drive_exporter_prober_up') == 1, 'and drives are read')
    finally:
        os.kill(journald, signal.SIGCONT)
    arguments(REPLAY)
    systemctl('restart', EXPORTER)


@contextlib.contextmanager
def little_memory():
    """The exporter with as little as it can have: its pages of files come and go. With control groups of version 1 the limit is a
    hard one, and the group comes from t1.py, since a container may not make any."""
    if os.path.exists('/sys/fs/cgroup/cgroup.controllers'):
        with drop_in(EXPORTER, 'MemoryHigh=%d\n' % (8 << 20)):
            systemctl('restart', EXPORTER)
            yield lambda: int(re.search(r'^high (\d+)', read('/sys/fs/cgroup%s/memory.events' % show(EXPORTER, 'ControlGroup')), re.M).group(1))
        return

    def group(name, value=None):
        with open(os.path.join('/run/memory', name), 'r' if value is None else 'w') as f:
            return int(f.read()) if value is None else f.write(str(value))
    start = start_line()
    os.chmod('/run/memory/cgroup.procs', 0o666)
    with drop_in(EXPORTER, 'ExecStart=\nExecStart=/bin/sh -c "echo $$$$ > /run/memory/cgroup.procs; exec %s"\n' % start
                 + 'ReadWritePaths=/run/memory\n'):
        systemctl('restart', EXPORTER)
        wait_for_drives()
        limit, refused = group('memory.usage_in_bytes'), 0
        while not refused and not group('memory.failcnt'):
            limit -= 64 << 10
            try:
                group('memory.limit_in_bytes', limit)
                metrics()
            except OSError:		# there is nothing more to be taken
                refused = 1
        print('# the limit is %d kB' % (limit >> 10))
        group('memory.limit_in_bytes', limit + (2 << 20))	# with much less it would be killed
        yield lambda: refused + group('memory.failcnt')
        group('memory.limit_in_bytes', -1)


def memory_is_short():
    with little_memory() as refusals:
        pid = main_pid(EXPORTER)
        scrapes_go_on('memory is short', limit_s=2)
        cases.check(refusals(), 'and it was short')
        cases.check(main_pid(EXPORTER) == pid, 'and the exporter is the same')
        print('# %d times short' % refusals())
    systemctl('restart', EXPORTER)


def the_state_is_frozen():
    state = '/var/lib/drive_exporter'
    os.chmod(MOUNT, 0o750)
    systemctl('stop', EXPORTER, *SOCKETS)
    run('mount', '--bind', MOUNT, state)
    run('chown', '-R', 'drive_exporter:drive_exporter', state)
    systemctl('start', EXPORTER)
    wait_for_drives()
    with frozen():
        scrapes_go_on('the state directory hangs')
        times = [timed('restart', EXPORTER) for _ in range(3)]
        print('# restarts: ' + ', '.join('%.0f ms' % (1000 * t) for t in times))
        cases.check(min(times) < 4, 'it can be restarted meanwhile', times)
        wait_for_drives()
        scrapes_go_on('it is started while the state directory hangs')
        waiting = [name for _, name, _ in of_unit(EXPORTER)].count('drive-history')
        print('# %d children of the history wait for the disk' % waiting)
    exporter.wait_for('the children to end', lambda: not hung(EXPORTER))
    exporter.wait_for('one child', lambda: [n for _, n, _ in of_unit(EXPORTER)].count('drive-history') == 1)
    cases.check(True, 'when it goes on, one child is left')
    systemctl('stop', EXPORTER, *SOCKETS)
    run('umount', state)
    systemctl('start', EXPORTER)


def stops():
    took = timed('stop', EXPORTER, PROBER, *SOCKETS)
    cases.check(took < 1, 'all of it stops in less than a second', took)
    exporter.wait_for('no process', lambda: not run('pgrep', '-u', 'drive_exporter,drive_prober')[1])
    cases.check(True, 'and leaves no process')
    said = run('journalctl', '-q', '-o', 'cat', '-p', 'warning')[1]
    cases.check('reception only permitted' not in said and 'dumped core' not in said, 'nobody else spoke to systemd', said)


CASES = (starts, tells_its_state, has_no_rights, locks_memory, keeps_history, restarts_without_a_gap, prober_restarts_alone,
         comes_back, is_watched, reloads, a_drive_hangs, the_journal_stops, memory_is_short, the_state_is_frozen, stops)


def main():
    for case in CASES:
        if sys.argv[1:] and case is not starts and case.__name__ not in sys.argv[1:]:
            continue
        began = time.monotonic()
        case()
        print('# %s: %.1f s' % (case.__name__, time.monotonic() - began))


cases.run(main)
