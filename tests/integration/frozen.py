#!/usr/bin/env python3
"""A drive that hangs in state D, which no signal ends: its child process writes to a file on a frozen file system (ext4 on
a loop device). The exporter still ends at once, and its successor knows that the drive is busy, and since when."""

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

HUNG, WELL = 'TEST-SAS-SSD_FROZEN01', 'TEST-SAS-SSD_FROZEN02'


def in_state_d(hang_file):
    """Processes in state D that were started with this --replay.hang-file."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open('/proc/%s/cmdline' % pid, 'rb') as f:
                is_ours = hang_file.encode() in f.read()
            with open('/proc/%s/stat' % pid) as f:
                state = f.read().rsplit(') ', 1)[1][0]
        except (OSError, IndexError):
            continue
        if is_ours and state == 'D':
            found.append(int(pid))
    return found


def replay_with(folder, runtime):
    """drive_replay with a folder of locks that outlives it, as the real prober's does."""
    path = os.path.join(folder, 'replay')
    with open(path, 'w') as f:
        f.write('#!/bin/sh\nexec %s --runtime-directory=%s "$@"\n' % (os.path.join(exporter.BUILD, 'drive_replay'), runtime))
    os.chmod(path, 0o755)
    return path


def try_it(folder, mount):
    hang_file, captures, runtime = os.path.join(mount, 'hang'), os.path.join(folder, 'captures'), os.path.join(folder, 'run')
    os.mkdir(captures)
    os.mkdir(runtime)
    for number, (changes, name) in enumerate((({'log-sense page=0d': 'hang'}, 'FROZEN01'), ({}, 'FROZEN02'))):
        with open(os.path.join(captures, name + '.capture'), 'w', encoding='utf-8') as f:
            f.write(made.capture(made.device_name(number), name, 0x5000c50000020000 + 16 * number, changes))
    open(hang_file, 'w').close()
    flags = ['--replay=' + captures, '--replay.hang-file=' + hang_file, '--replay.path=' + replay_with(folder, runtime),
             '--poll.interval=1s', '--log.level=warn']
    mounts.run('fsfreeze', '--freeze', mount)

    def stuck_since(metrics):
        """By whatever name: to a successor the drive could not say yet who it is."""
        return metrics.value('drive_command_started_timestamp_seconds')

    with exporter.Exporter(*flags) as first:
        since = stuck_since(first.wait_until('stuck', stuck_since))
        cases.check(first.metrics().value('drive_up', drive=HUNG) is not None, 'the hung drive is known by its name')
        cases.check(in_state_d(hang_file), 'a child is in state D')
        cases.check(first.metrics().value('drive_up', drive=WELL) == 1, 'the other drive is up')
        seconds, status = first.stop()
        cases.check(seconds < 1 and status == 0, 'SIGTERM ends the exporter in under a second',
                    '%.2f s, status %d' % (seconds, status))
    left = in_state_d(hang_file)
    cases.check(len(left) == 1, 'the child stays behind, alone', left)

    with exporter.Exporter(*flags) as second:
        again = stuck_since(second.wait_until('stuck again', stuck_since))
        cases.check(abs(again - since) < 2, 'its successor tells since when the drive is busy', '%r, then %r' % (since, again))
        cases.check(len(second.metrics().all('drive_up')) == 2, 'and lists it')
        cases.check(second.wait_until('up', lambda m: m.value('drive_up', drive=WELL)), 'and polls the other drive')
        cases.check(in_state_d(hang_file) == left, 'no second child is added', in_state_d(hang_file))
        os.kill(second.process.pid, signal.SIGKILL)
        second.process.wait()
    exporter.wait_for('the orphaned processes to end', lambda: not others_of(hang_file, left))
    cases.check(True, 'after a crash all end but the hung child')

    mounts.run('fsfreeze', '--unfreeze', mount)
    exporter.wait_for('the hung child to end', lambda: not others_of(hang_file, []))
    cases.check(True, 'the hung child ends when the drive lets go')


def others_of(hang_file, but):
    """All processes started with it, hung or not."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open('/proc/%s/cmdline' % pid, 'rb') as f:
                if hang_file.encode() in f.read() and int(pid) not in but:
                    found.append(int(pid))
        except OSError:
            pass
    return found


def main():
    with tempfile.TemporaryDirectory() as folder:
        try:
            with mounts.file_system(folder) as mount:
                try_it(folder, mount)
        except mounts.NoFileSystem as error:
            cases.skip('no file system to freeze here: %s' % error)


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM),
          (os.geteuid() == 0, 'only root can freeze a file system'),
          *[(exporter.tool(t), 'no ' + t) for t in ('mkfs.ext4', 'losetup', 'mount', 'fsfreeze')])
