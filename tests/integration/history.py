#!/usr/bin/env python3
"""The history: no acknowledged day is lost to kill -9, and a disk that is full, read-only, damaged, locked or frozen costs
nothing but time. And what the command `history` prints, exports and imports."""

import contextlib
import glob
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter
import mounts

WRITER = os.path.join(exporter.BUILD, 'tests', 'integration', 'history_writer')
DRIVES = 3
KILLS = int(os.environ.get('HISTORY_KILLS', '200'))     # of each kind
RECOVER = 4                                             # kills of the child; pauses before a new one grow until it has written
FOLDER_KILLS = 50                                       # then a new folder: what grows is checked more slowly
DAY_S = 86400


class Writer:
    """A history_writer, in a process group of its own."""

    def __init__(self, directory, first_day=1, days=None, drives=DRIVES):
        words = [WRITER, directory, str(drives), str(first_day)] + ([str(days)] if days else [])
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        start_new_session=True)
        self.acked, self.lines, self.log, self.loaded = [], [], [], []
        self.readers = [threading.Thread(target=self.read, daemon=True), threading.Thread(target=self.read_log, daemon=True)]
        for reader in self.readers:
            reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def read(self):
        for line in self.process.stdout:
            if not line.endswith(b'\n'):
                break
            words = line.decode('ascii').split()
            self.lines.append((time.monotonic(), words))
            if words[0] == 'acked':
                self.acked.append(int(words[1]))
            if words[0] == 'loaded':
                self.loaded.append((words[1], int(words[2]), int(words[3])))

    def read_log(self):
        for line in self.process.stderr:
            self.log.append(line.decode('utf-8', 'replace').rstrip('\n'))

    def said(self, word):
        return [at for at, words in list(self.lines) if words[0] == word]

    def wait(self, what, condition):
        try:
            return exporter.wait_for(what, condition, pause_s=0.005)
        except AssertionError as error:
            raise AssertionError('%s\n%s\n%s' % (error, self.lines[-5:], '\n'.join(self.log))) from None

    def wait_for_more(self, days=2):
        want = len(self.acked) + days
        self.wait('%d days more' % days, lambda: len(self.acked) >= want)

    def child(self):
        """Its process id, or None: there is none just now."""
        for pid in filter(str.isdigit, os.listdir('/proc')):
            with contextlib.suppress(OSError, IndexError), open('/proc/%s/stat' % pid) as f:
                name, rest = f.read().split('(', 1)[1].rsplit(') ', 1)
                state, parent = rest.split()[:2]
                if int(parent) == self.process.pid and name == 'drive-history' and state != 'Z':
                    return int(pid)
        return None

    def kill_child(self):
        """Whether there was one."""
        pid = self.child()
        with contextlib.suppress(ProcessLookupError):
            if pid:
                os.kill(pid, signal.SIGKILL)
                return True
        return False

    def kill(self):
        """It and its child, at one moment."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for reader in self.readers:
            reader.join()

    def end(self):
        """Ends it with SIGTERM. Returns the seconds that took."""
        began = time.monotonic()
        self.process.terminate()
        self.process.wait(exporter.PATIENCE_S)
        return time.monotonic() - began


def faults(directory, acked):
    """What is wrong with the data base, given the days that were acknowledged."""
    db = sqlite3.connect(os.path.join(directory, 'history.db'), timeout=30)
    try:
        verdict = db.execute('PRAGMA integrity_check').fetchall()
        if verdict != [('ok',)]:
            return 'integrity_check: %r' % verdict
        # An acknowledgement that was printed, but before the tables were made, cannot be.
        if not acked:
            return None
        have = set(db.execute('SELECT day, written FROM days'))
        lost = [day for day in acked if any((day, 1000 * day + i) not in have for i in range(DRIVES))]
        return 'lost days: %r' % lost if lost else None
    finally:
        db.close()


# ---- kill -9

def seconds_to_begin():
    """From the start to the first acknowledgement: with sanitizers, or beside other work, it takes its time."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        with Writer(folder) as writer:
            writer.wait_for_more(1)
            return time.monotonic() - began


def kill_all_the_time():
    """Writer and child together, also as they start."""
    wrong, n_acked, start_s = [], 0, seconds_to_begin()
    for begin in range(0, KILLS, FOLDER_KILLS):
        with tempfile.TemporaryDirectory() as folder:
            acked = []
            for _ in range(min(FOLDER_KILLS, KILLS - begin)):
                with Writer(folder, acked[-1] + 1 if acked else 1) as writer:
                    time.sleep(random.uniform(0, start_s * 2 + 0.06))
                    writer.kill()
                    acked += writer.acked
                if acked and (fault := faults(folder, acked)):
                    wrong.append(fault)
            n_acked += len(acked)
    cases.check(not wrong, 'kill -9 of all, %d times: integrity_check passes, no acknowledged day is lost' % KILLS, wrong[:5])
    cases.check(n_acked > KILLS, 'and days were written meanwhile', n_acked)


def kill_the_child_all_the_time():
    wrong, n_acked = [], 0
    for begin in range(0, KILLS, FOLDER_KILLS):
        with tempfile.TemporaryDirectory() as folder, Writer(folder) as writer:
            for i in range(min(FOLDER_KILLS, KILLS - begin)):
                if i % RECOVER == 0:
                    writer.wait_for_more(1)
                time.sleep(random.uniform(0, 0.05))
                writer.wait('a child to kill', writer.kill_child)
                acked = list(writer.acked)
                if acked and (fault := faults(folder, acked)):
                    wrong.append(fault)
            writer.wait_for_more()
            n_acked += len(writer.acked)
            if writer.said('anew'):
                wrong.append('begun anew')
            writer.kill()
            if fault := faults(folder, writer.acked):
                wrong.append(fault)
    cases.check(not wrong, 'kill -9 of the child, %d times: the same' % KILLS, wrong[:5])
    cases.check(n_acked > KILLS, 'and the days went on', n_acked)


def an_orphan_writes_what_it_got():
    """SIGTERM to the whole group, as a terminal or systemd sends it."""
    with tempfile.TemporaryDirectory() as folder, Writer(folder) as writer:
        writer.wait_for_more(5)
        child = writer.child()
        os.killpg(writer.process.pid, signal.SIGTERM)
        writer.process.wait(exporter.PATIENCE_S)
        exporter.wait_for('the end of the child', lambda: not os.path.exists('/proc/%d' % child))
        cases.check(not faults(folder, writer.acked), 'SIGTERM to all: nothing is lost')
        cases.check(not os.path.exists(os.path.join(folder, 'history.db-wal')), 'and the data base is closed in good order')


# ---- disks

def warnings(writer):
    return [line for line in writer.log if ': warn: ' in line]


def goes_down_and_up(writer, what, heal, word, warm=True):
    """It is down once, with one line that has the word in it, until heal() was called; then all days come in."""
    writer.wait('down', lambda: writer.said('down') or (not warm and warnings(writer)))
    n_acked = len(writer.acked)
    time.sleep(0.7)             # several tries
    cases.check(len(warnings(writer)) == 1 and word in warnings(writer)[0], '%s: one line says so' % what, writer.log)
    cases.check(len(writer.acked) == n_acked, '%s: nothing is acknowledged' % what)
    heal()
    writer.wait_for_more()
    cases.check(writer.acked == list(range(writer.acked[0], writer.acked[-1] + 1)), '%s: all days come in afterwards' % what,
                writer.acked)


def a_full_disk():
    with tempfile.TemporaryDirectory() as folder, mounts.small(folder, '1m'):
        with Writer(folder, drives=100) as writer:
            goes_down_and_up(writer, 'a full disk', lambda: mounts.remount(folder, 'size=16m'), 'full')
            writer.kill()


def a_read_only_disk():
    with tempfile.TemporaryDirectory() as folder, mounts.read_only(folder):
        with Writer(folder) as writer:
            goes_down_and_up(writer, 'a read-only disk', lambda: mounts.remount(folder, 'bind,rw'), 'Read-only', warm=False)
            writer.end()
        mounts.remount(folder, 'bind,ro')
        status, out, err = history(folder)
        cases.check(status == 0 and out.count('\n') == 1 + DRIVES, 'history reads it where nothing may be written', out + err)
        with Writer(folder) as writer:
            goes_down_and_up(writer, 'a read-only disk with a data base', lambda: mounts.remount(folder, 'bind,rw'), 'Read-only',
                             warm=False)
            writer.end()


def fill(folder, days=300):
    with Writer(folder, days=days) as writer:
        writer.process.wait(exporter.PATIENCE_S)


def overwrite(path, at, data):
    with open(path, 'r+b') as f:
        f.seek(at)
        f.write(data)


def a_damaged_file():
    size = 4096
    damages = [('page 1', lambda path: overwrite(path, 0, random.randbytes(size))),
               ('pages in the middle', lambda path: overwrite(path, os.path.getsize(path) // 2 // size * size, b'\xa5' * 3 * size)),
               ('cut in half', lambda path: os.truncate(path, os.path.getsize(path) // 2)),
               ('cut within page 1', lambda path: os.truncate(path, 50))]
    for what, damage in damages:
        with tempfile.TemporaryDirectory() as folder:
            fill(folder)
            damage(os.path.join(folder, 'history.db'))
            with Writer(folder, 1000) as writer:
                writer.wait_for_more()
                writer.wait('the warning', lambda: warnings(writer))
                aside = glob.glob(os.path.join(folder, 'history.db.corrupt-2???????T??????'))
                cases.check(len(aside) == 1 and len(warnings(writer)) == 1 and aside[0] in warnings(writer)[0],
                            'damage, %s: moved aside, said in one line' % what, '\n'.join(writer.log + os.listdir(folder)))
                cases.check(len(writer.said('anew')) == 1, 'damage, %s: begun anew' % what, writer.lines)
                writer.kill()
                cases.check(not faults(folder, writer.acked), 'damage, %s: the new one is whole' % what)


def a_newer_data_base():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'history.db')
        fill(folder, 3)

        def set_version(n):
            db = sqlite3.connect(path)
            before = db.execute('PRAGMA user_version').fetchone()[0]
            db.execute('PRAGMA user_version = %d' % n)
            db.close()
            return before
        ours = set_version(99)
        with open(path, 'rb') as f:
            before = f.read()
        with Writer(folder, 1000) as writer:
            def heal():
                with open(path, 'rb') as f:
                    cases.check(f.read() == before, 'a newer data base: is not touched')
                set_version(ours)
            goes_down_and_up(writer, 'a newer data base', heal, 'newer', warm=False)


def a_locked_data_base():
    with tempfile.TemporaryDirectory() as folder:
        with Writer(folder) as writer:
            writer.wait_for_more()
            other = sqlite3.connect(os.path.join(folder, 'history.db'), timeout=30, isolation_level=None)
            other.execute('BEGIN IMMEDIATE')
            goes_down_and_up(writer, 'a locked data base', lambda: other.execute('COMMIT'), 'locked')
            other.close()
        other = sqlite3.connect(os.path.join(folder, 'history.db'), timeout=30, isolation_level=None)
        other.execute('PRAGMA locking_mode = EXCLUSIVE')
        other.execute('BEGIN IMMEDIATE')
        other.execute('COMMIT')
        with Writer(folder, 100000) as writer:
            goes_down_and_up(writer, 'locked from the start', other.close, 'locked', warm=False)


def a_frozen_disk():
    with tempfile.TemporaryDirectory() as folder, mounts.file_system(folder) as mount:
        with Writer(mount) as writer:
            writer.wait_for_more(5)
            mounts.run('fsfreeze', '--freeze', mount)
            time.sleep(0.3)
            n_acked, n_ticks, child = len(writer.acked), len(writer.said('tick')), writer.child()
            time.sleep(2.5)
            cases.check(len(writer.acked) == n_acked, 'frozen: nothing is acknowledged')
            cases.check(len(writer.said('tick')) >= n_ticks + 4, 'frozen: the loop goes on', writer.said('tick'))
            cases.check(writer.child() == child, 'frozen: the child is left alone')
            mounts.run('fsfreeze', '--unfreeze', mount)
            writer.wait_for_more(5)
            cases.check(writer.child() == child and writer.acked == list(range(1, len(writer.acked) + 1)),
                        'thawed: all days come in', writer.acked)
            mounts.run('fsfreeze', '--freeze', mount)
            time.sleep(0.3)
            seconds = writer.end()
            cases.check(seconds < 4, 'frozen: it ends all the same', seconds)
            mounts.run('fsfreeze', '--unfreeze', mount)
            exporter.wait_for('the end of the child', lambda: not os.path.exists('/proc/%d' % child))
            cases.check(not faults(mount, writer.acked), 'thawed: nothing is lost')


# ---- the command

def history(directory, *words, stdin=b''):
    done = subprocess.run([exporter.PROGRAM, 'history', *words], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, STATE_DIRECTORY=directory), timeout=exporter.PATIENCE_S)
    return done.returncode, done.stdout.decode('utf-8'), done.stderr.decode('utf-8', 'replace')


HEADER = ('# drive_exporter history 1\ndrive,model,serial,wwn,day,series,first_s,last_s,wear,wear_since_s,wear_since_written,written,'
          'nand_written,power_on_s,firmware,wear_page,written_page\n')


def line(drive, day='2026-11-30', series=5, last_s=100, wear='0.5', written=1000000000000, serial='S1', hours=8760):
    return '"%s","M","%s","5000c500",%s,%d,90,%d,%s,7,,%s,,%s,"F1","log page 0x11","log page 0x37"\n' % (
        drive, serial, day, series, last_s, wear, written, hours * 3600)


def what_it_prints(folder):
    status, out, err = history(folder)
    cases.check(status == 1 and not out and 'No such file' in err and folder in err, 'without a data base: one clear line', err)
    cases.check(not os.listdir(folder), 'and none is made')
    text = HEADER + line('ACME_1', last_s=86400) + line('ACME_1', '2026-12-01', last_s=3 * 86400, written=5000000000000, wear='0.51') + \
        line('ACME_1', '2026-12-01', series=6, last_s=3 * 86400, wear='') + line('ACME_12', serial='ACME_1') + line('OTHER_3', serial='S3')
    status, out, err = history(folder, 'import', '-', stdin=text.encode())
    cases.check(status == 0 and '5 rows' in out, 'import from standard input', out + err)
    _, out, _ = history(folder)
    cases.check([row.split() for row in out.splitlines()[1:]] == [
        ['2026-11-30', '2026-12-01', '2', 'S1', 'ACME_1'], ['2026-11-30', '2026-11-30', '1', 'ACME_1', 'ACME_12'],
        ['2026-11-30', '2026-11-30', '1', 'S3', 'OTHER_3']], 'all drives', out)
    _, out, _ = history(folder, 'ACME_1')
    cases.check([row.split() for row in out.splitlines()[1:]] == [
        ['2026-11-30', '50.0', '1.000', '-', '8760', 'F1'], ['2026-12-01', '51.0', '5.000', '2.000', '8760', 'F1'],
        ['2026-12-01', '-', '1.000', '-', '8760', 'F1']], 'the days of a drive; a label goes before a serial number', out)
    for word, want in (('S3', 'OTHER_3'), ('ther', 'OTHER_3'), ('acme_12', 'ACME_12')):
        status, out, err = history(folder, word, '--csv')
        cases.check(status == 0 and out.splitlines()[1].startswith('"%s",' % want), 'found by "%s"' % word, out + err)
    status, out, err = history(folder, 'acme')
    cases.check(status == 1 and not out and '2 drives' in err and 'ACME_1\n' in err and 'ACME_12\n' in err,
                'what stands for several is told, with those', err)
    status, out, err = history(folder, 'nobody')
    cases.check(status == 1 and 'no drive "nobody"' in err, 'and what stands for none', err)
    _, out, _ = history(folder, 'OTHER_3', '--csv')
    cases.check(out == HEADER.split('\n', 1)[1] + line('OTHER_3', serial='S3'), '--csv has all columns', out)
    with open('/dev/full', 'wb') as full:
        done = subprocess.run([exporter.PROGRAM, 'history', 'export'], stdout=full, stderr=subprocess.PIPE,
                              env=dict(os.environ, STATE_DIRECTORY=folder))
    cases.check(done.returncode == 1 and b'No space' in done.stderr, 'output that could not be written is told', done.stderr)


def over_to_another_host(folder):
    hosts = [os.path.join(folder, name) for name in ('a', 'b')]
    for host in hosts:
        os.mkdir(host)
    hostile = ['\\x3dcmd|calc', 'a""b', 'x,y', 'back\\\\slash', '\\x1b[31mred', '\\xff\\xfe', 'line\\x0aline', 'Größe', "'quoted'"]
    text = HEADER + ''.join(line(label, wear=wear) for label, wear in zip(hostile, ('0.1', '1e-300', '0.30000000000000004', '', '2.55',
                                                                                      '5e-324', '1', '0', '-0.5')))
    path = os.path.join(folder, 'export.csv')
    history(hosts[0], 'import', '-', stdin=text.encode())
    status, out, err = history(hosts[0], 'export')
    cases.check(status == 0 and out == text, 'what was imported is exported as it was', out + err)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(out)
    status, _, err = history(hosts[1], 'import', path)
    cases.check(status == 0 and history(hosts[1], 'export')[1] == text, 'and once more on another host', err)
    _, out, _ = history(hosts[1])
    cases.check('\x1b' not in out and '\nline' not in out, 'nothing in a label acts upon the terminal', ascii(out))
    history(hosts[1], 'import', '-', stdin=(HEADER + line('a""b', last_s=101, wear='0.7') + line('x,y', last_s=99, wear='0.7')).encode())
    out = history(hosts[1], 'export')[1]
    cases.check(line('a""b', last_s=101, wear='0.7') in out and line('x,y', wear='0.30000000000000004') in out,
                'of two rows the one that was read later stays', out)
    with open(path, 'w', encoding='utf-8', newline='') as f:
        f.write(text.replace('\n', '\r\n'))
    cases.check(history(hosts[1], 'import', path)[0] == 0, 'a file that went through Windows is taken')


def what_is_wrong_is_not_taken(folder):
    good, path = line('A'), os.path.join(folder, 'bad.csv')
    bad = [('another first line', good, 1, 'begin'), ('no such column', '# drive_exporter history 1\n' + good, 2, 'columns'),
           ('a later version', HEADER.replace('history 1', 'history 2') + good, 1, 'begin'), ('nothing', '', 1, 'begin'),
           ('a bad date', HEADER + good + line('B', '2026-02-30'), 4, 'day: '), ('a torn line', HEADER + good + good[:40], 4, ''),
           ('a zero byte', HEADER + good + '\0\n', 4, 'zero'), ('a long line', HEADER + 'x' * 100000 + '\n' + good, 3, 'long')]
    for what, text, number, word in bad:
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        status, _, err = history(folder, 'import', path)
        cases.check(status == 1 and '%s:%d: ' % (path, number) in err and word in err, '%s: file, line and reason' % what, err)
    status, out, _ = history(folder, 'export')
    cases.check(out in ('', HEADER), 'and nothing of it was taken', out)
    text = HEADER + good + line('B', 'x') * 100
    status, _, err = history(folder, 'import', '-', stdin=text.encode())
    cases.check(status == 1 and err.count('\n') < 30 and '80 more' in err, 'many faults are told in few lines', err)
    for words in (('import', '/nowhere/x.csv'), ('import', folder)):
        status, _, err = history(folder, *words)
        cases.check(status == 1 and words[1] in err, 'import %s: %s' % (words[1], err.splitlines()[0]), err)
    status, _, err = history(os.path.join(folder, 'absent'), 'import', '-', stdin=text.encode())
    cases.check(status == 1 and 'No such file' in err, 'a directory that is not there is told', err)


def beside_a_writer(folder):
    with Writer(folder) as writer:
        writer.wait_for_more(5)
        before = writer.acked[-1]
        status, out, err = history(folder, 'MODEL_1', '--csv')
        days = [int(row.split(',')[7]) // DAY_S for row in out.splitlines()[1:]]
        cases.check(status == 0 and days[:before] == list(range(1, before + 1)), 'history reads while it is written to', out[-300:] + err)
        status, out, err = history(folder, 'import', '-', stdin=(HEADER + line('ACME_1')).encode())
        cases.check(status == 0, 'and import adds to it', err)
        slow = subprocess.Popen([exporter.PROGRAM, 'history', 'import', '-'], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                env=dict(os.environ, STATE_DIRECTORY=folder))
        slow.stdin.write((HEADER + line('ACME_2')).encode())
        slow.stdin.flush()
        writer.wait_for_more(5)
        slow.communicate()
        cases.check(slow.returncode == 0 and not warnings(writer), 'which the writer does not mind, nor a slow one', writer.log)
        writer.kill()
        cases.check(not faults(folder, writer.acked) and '"ACME_1"' in history(folder, 'export')[1], 'and both are there')


def edited_rows(folder):
    fill(folder, 5)
    db = sqlite3.connect(os.path.join(folder, 'history.db'), isolation_level=None)
    db.execute("UPDATE days SET written = 'x' WHERE day = 3")
    db.close()
    status, out, err = history(folder, 'export')
    cases.check(status == 0 and out.count('\n') == 2 + 4 * DRIVES and '%d rows are not valid' % DRIVES in err,
                'rows that somebody made invalid are left out and told', err)
    with Writer(folder, 100, 1) as writer:
        writer.process.wait(exporter.PATIENCE_S)
        cases.check(writer.loaded == [('MODEL_0', 4, 5)], 'and not loaded', writer.loaded)


def main():
    for test in (what_it_prints, over_to_another_host, what_is_wrong_is_not_taken, beside_a_writer, edited_rows):
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
    for test in (kill_all_the_time, kill_the_child_all_the_time, an_orphan_writes_what_it_got, a_damaged_file, a_newer_data_base,
                 a_locked_data_base):
        test()
    for test in (a_full_disk, a_read_only_disk, a_frozen_disk):
        what = test.__name__.replace('_', ' ')
        if os.geteuid():
            cases.skip('%s: only root can mount' % what)
            continue
        try:
            test()
        except (mounts.NoFileSystem, FileNotFoundError) as error:
            cases.skip('%s: no such file system here: %s' % (what, error))


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM), (os.access(WRITER, os.X_OK), 'no ' + WRITER))
