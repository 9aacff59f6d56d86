#!/usr/bin/env python3
"""Standard streams that nobody reads, that are full or closed, and signals that come early: the exporter goes on, or ends
with the right status."""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter
import made

NOBODY = 65534


def full_pipe():
    """A pipe that takes nothing more; whoever writes to it waits."""
    reader, writer = os.pipe()
    flags = fcntl.fcntl(writer, fcntl.F_GETFL)
    fcntl.fcntl(writer, fcntl.F_SETFL, flags | os.O_NONBLOCK)
    try:
        while True:
            os.write(writer, b'x' * 4096)
    except BlockingIOError:
        fcntl.fcntl(writer, fcntl.F_SETFL, flags)
    return reader, writer


def nobody_reads(folder, user, who):
    reader, writer = full_pipe()
    port = exporter.free_port()
    identity = {} if user is None else {'user': user, 'group': user, 'extra_groups': []}
    process = subprocess.Popen([os.path.join(folder, 'drive_exporter'), '--replay=' + os.path.join(folder, 'one.capture'),
                                '--web.listen-address=127.0.0.1:%d' % port, '--log.level=debug', '--poll.interval=100ms'],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=writer, **identity)
    try:
        def scrape():
            try:
                with urllib.request.urlopen('http://127.0.0.1:%d/metrics' % port, timeout=5) as answer:
                    return exporter.Metrics(answer.read().decode('utf-8'))
            except OSError:
                return None
        exporter.wait_for('the first scrape', scrape)
        time.sleep(1)
        cases.check(scrape().value('drive_exporter_prober_up') == 1, 'a log that nobody reads stops nothing, ' + who)
        began = time.monotonic()
        process.terminate()
        cases.check(process.wait(5) == 0 and time.monotonic() - began < 1, 'and SIGTERM ends it in under a second, ' + who)
    finally:
        process.kill()
        process.wait()
        os.close(reader)
        os.close(writer)


def descriptors(pid):
    return {int(fd): os.readlink('/proc/%d/fd/%s' % (pid, fd)) for fd in os.listdir('/proc/%d/fd' % pid)}


def a_file_is_written_by_a_child(folder, capture):
    """Which must not hold what the exporter was started with: a socket that systemd passes would outlive it."""
    with open(os.path.join(folder, 'log'), 'wb') as log, socket.create_server(('127.0.0.1', 0)) as passed:
        process = subprocess.Popen([exporter.PROGRAM, '--replay=' + capture, '--web.listen-address=127.0.0.1:0', '--no-collector.history'],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, pass_fds=[passed.fileno()])
        try:
            def writer():
                with open('/proc/%d/task/%d/children' % (process.pid, process.pid)) as f:
                    pids = [int(pid) for pid in f.read().split()]
                return next((pid for pid in pids if open('/proc/%d/comm' % pid).read() == 'log-writer\n'), None)
            held = descriptors(exporter.wait_for('the child', writer))
            cases.check(sorted(held) == [0, 2] and held[2] == log.name, 'the child that writes the log has that file and nothing more', held)
        finally:
            process.terminate()
            process.wait()
        with open(log.name, encoding='utf-8') as written:
            cases.check('Listening on' in written.read(), 'and writes it')


def wrong_ends(capture):
    for words in (['once', '--replay=' + capture], ['list', '--replay=' + capture], ['capture', 'sda', '--replay=' + capture],
                  ['--list-metrics'], ['--help']):
        with open('/dev/full', 'w') as full:
            done = subprocess.run([exporter.PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, timeout=30)
        cases.check(done.returncode == 1, '%s into a full device ends with 1' % words[0], done)
    closed = subprocess.run(['sh', '-c', 'exec "$0" "$@" >&-', exporter.PROGRAM, 'once', '--replay=' + capture],
                            stderr=subprocess.PIPE, timeout=30)
    cases.check(closed.returncode == 1 and b'# HELP' not in closed.stderr, 'once without standard output ends with 1', closed)


def blocks_sigterm(pid):
    with open('/proc/%d/status' % pid) as status:
        blocked = next(line for line in status if line.startswith('SigBlk:'))
    return int(blocked.split()[1], 16) >> (signal.SIGTERM - 1) & 1


def early_signals(capture):
    statuses = []
    for n in range(20):
        process = subprocess.Popen([exporter.PROGRAM, '--replay=' + capture, '--web.listen-address=127.0.0.1:0'],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not blocks_sigterm(process.pid):		# main() has not begun; before, it is the dynamic loader's
            time.sleep(0.001)
        time.sleep(n * 0.005)
        process.send_signal(signal.SIGTERM)
        statuses.append(process.wait(10))
    cases.check(set(statuses) == {0}, 'SIGTERM at any moment of the start ends it with 0', statuses)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for name in ('drive_exporter', 'drive_replay'):
            shutil.copy(os.path.join(exporter.BUILD, name), folder)
        capture = os.path.join(folder, 'one.capture')
        with open(capture, 'w', encoding='utf-8') as f:
            f.write(made.capture('sda', 'STREAM01', 0x5000c50000030000))
        nobody_reads(folder, None, 'as who runs this')
        if os.geteuid() == 0:
            nobody_reads(folder, NOBODY, 'as another user than the pipe is of')
        a_file_is_written_by_a_child(folder, capture)
        wrong_ends(capture)
        early_signals(capture)


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM))
