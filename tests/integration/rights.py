#!/usr/bin/env python3
"""Started by hand as root, the exporter gives its rights up once its prober runs: as another user it serves on, starts a prober
that died, and keeps its history."""

import os
import pwd
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter


def user():
    for name in 'drive_exporter', 'nobody':
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None


def status_of(pid):
    with open('/proc/%d/status' % pid) as f:
        return dict(line.rstrip('\n').split(':\t', 1) for line in f if ':\t' in line)


def children_of(pid):
    """{name: pid} of all that descend from it"""
    found = {}
    for entry in filter(str.isdigit, os.listdir('/proc')):
        try:
            status = status_of(int(entry))
        except OSError:
            continue
        if int(status['PPid']) == pid and status['State'][0] != 'Z':
            found[status['Name']] = int(entry)
            found.update(children_of(int(entry)))
    return found


NAMES = {'drive_prober', 'drive-starter', 'drive-history'}


def settled(pid, ended=()):
    """Its processes as soon as each has its name, which is a moment after it was started, and none is one of those that ended."""
    def look():
        family = children_of(pid)
        return family if set(family) == NAMES and not set(family.values()) & set(ended) else None
    return exporter.wait_for('the prober, the one that starts it, and the history', look)


def has_no_rights(pid):
    s = status_of(pid)
    ids = {*s['Uid'].split(), *s['Gid'].split()}
    return ids == {str(user().pw_uid), str(user().pw_gid)} and not s['Groups'].strip() and \
        all(int(s[c], 16) == 0 for c in ('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb')) and s['NoNewPrivs'].strip() == '1'


def gives_up(state):
    with exporter.Exporter('--log.level=debug', environment={'STATE_DIRECTORY': state}) as daemon:
        daemon.wait_until('the prober', lambda m: m.value('drive_exporter_prober_up') == 1)
        pid = daemon.process.pid
        cases.check(has_no_rights(pid), 'once its prober runs the exporter has another user and no capability', status_of(pid))
        family = settled(pid)
        cases.check(True, 'its processes are the prober, the one that starts it, and the history')
        cases.check(status_of(family['drive_prober'])['Uid'].split()[0] == '0', 'the prober is root')
        history = status_of(family['drive-history'])
        cases.check(history['Uid'].split() == [str(user().pw_uid)] * 4 and int(history['CapEff'], 16) == 0, 'the history is not', history)
        cases.check(os.readlink('/proc/%d/fd/3' % family['drive-starter']).startswith('socket:') and
                    not os.path.exists('/proc/%d/fd/4' % family['drive-starter']), 'the one that starts it has one socket open')
        cases.check((daemon.metrics().value('process_open_fds') or 0) > 5, 'open descriptors are still counted')
        daemon.wait_until('a history that is written', lambda m: m.value('drive_exporter_collector_up', collector='history') == 1)
        cases.check(True, 'the history is written')
        restarts(daemon, family)
        last = settled(pid)
        daemon.process.kill()
        daemon.process.wait()
        exporter.wait_for('the end of all', lambda: not any(alive(p) for p in last.values()))
        cases.check(True, 'after kill -9 all its processes end')


def alive(pid):
    try:
        return status_of(pid)['State'][0] not in 'ZX'
    except OSError:
        return False


def restarts(daemon, before):
    ended = [before['drive_prober'], before['drive-history']]
    for pid in ended:
        os.kill(pid, 9)
    after = settled(daemon.process.pid, ended)
    cases.check(status_of(after['drive_prober'])['Uid'].split()[0] == '0', 'a prober that was killed is started again, as root')
    daemon.wait_until('the prober', lambda m: m.value('drive_exporter_prober_up') == 1)
    cases.check(has_no_rights(daemon.process.pid) and status_of(after['drive-history'])['Uid'].split()[0] == str(user().pw_uid),
                'and the history as the other user')


def hands_over(state, folder):
    """root's own files of an earlier start go to the user; what is linked from there does not."""
    owners = {name: os.lstat(os.path.join(state, name)).st_uid for name in os.listdir(state)}
    cases.check(owners and set(owners.values()) == {user().pw_uid}, 'the data base is that user\'s', owners)
    for name in [state] + [os.path.join(state, n) for n in os.listdir(state)]:
        os.chown(name, 0, 0)
    victim = os.path.join(folder, 'victim')
    with open(victim, 'w'):
        pass
    os.link(victim, os.path.join(state, 'history.db-wal'))
    with exporter.Exporter('--log.level=debug', environment={'STATE_DIRECTORY': state}) as daemon:
        daemon.wait_until('the history', lambda m: m.value('drive_exporter_prober_up') == 1)
        cases.check(os.stat(os.path.join(state, 'history.db')).st_uid == user().pw_uid, 'root\'s data base of an earlier start is handed over')
        cases.check(os.stat(victim).st_uid == 0, 'a file with another name elsewhere is not')
    os.unlink(os.path.join(state, 'history.db-wal'))


def ends(state):
    with exporter.Exporter(environment={'STATE_DIRECTORY': state}) as daemon:
        daemon.wait_until('the prober', lambda m: m.value('drive_exporter_prober_up') == 1)
        family = children_of(daemon.process.pid)
        seconds, code = daemon.stop()
        cases.check(seconds < 2 and code == 0, 'SIGTERM ends it', '%.2f s, status %d' % (seconds, code))
        exporter.wait_for('the end of all', lambda: not any(alive(p) for p in family.values()))
        cases.check(True, 'and all its processes')


def replay_alone():
    with exporter.Exporter('--replay=' + os.path.join(exporter.CAPTURES, 'sas_hdd.capture')) as daemon:
        daemon.wait_for_visits(1)
        cases.check('drive-starter' not in children_of(daemon.process.pid), 'a replay alone has nobody to give rights up for')


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        state = os.path.join(folder, 'new', 'state')
        os.mkdir(os.path.dirname(state))
        gives_up(state)
        hands_over(state, folder)
        ends(state)
        replay_alone()


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM), (os.geteuid() == 0, 'only root has rights to give up'),
          (user(), 'no user to become'))
