#!/usr/bin/env python3
"""What both programs tell systemd, here a socket of the test's: start, state, reload, that they are alive, end; and that no
program which they start can speak for them."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter
import made

WATCHDOG_S = 0.5


class Systemd:
    """Hears what is said, a list of messages in their order."""

    def __init__(self, folder):
        self.path = os.path.join(folder, 'notify')
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.socket.setblocking(False)
        self.told = []

    def environment(self):
        return {'NOTIFY_SOCKET': self.path, 'WATCHDOG_USEC': str(int(WATCHDOG_S * 1e6))}

    def hears(self, pattern, after=0):
        """The index behind the first message from `after` on that matches; AssertionError if none comes."""
        def listen():
            with contextlib.suppress(BlockingIOError):
                while True:
                    self.told.append(self.socket.recv(4096).decode('utf-8'))
            return next((i + 1 for i in range(after, len(self.told)) if re.match(pattern + r'\Z', self.told[i])), None)
        return exporter.wait_for('%s in %s' % (pattern, self.told), listen)

    def alive_per_second(self):
        """Counted for two seconds."""
        before = self.told.count('WATCHDOG=1')
        time.sleep(2)
        self.hears('WATCHDOG=1', len(self.told))
        return (self.told.count('WATCHDOG=1') - before) / 2

    def close(self):
        self.socket.close()
        os.unlink(self.path)


def has_right_to_speak(pid):
    with open('/proc/%s/environ' % pid, 'rb') as f:
        return b'NOTIFY_SOCKET=' in f.read()


def children(pid):
    with open('/proc/%d/task/%d/children' % (pid, pid)) as f:
        return f.read().split()


def the_exporter(folder):
    systemd, capture = Systemd(folder), os.path.join(folder, 'one.capture')
    with open(capture, 'w', encoding='utf-8') as f:
        f.write(made.capture('sda', 'NOTIFY01', 0x5000c50000050000))
    environment = dict(systemd.environment(), STATE_DIRECTORY=folder)
    with exporter.Exporter('--replay=' + capture, environment=environment) as e:
        systemd.hears('READY=1')
        cases.check(systemd.told[0] == 'READY=1' and e.is_listening(), 'the exporter says that it is ready, first of all', systemd.told)
        systemd.hears('STATUS=1 drive: 1 read; replay up')
        cases.check(True, 'its status tells of its drives')
        pids = children(e.process.pid)
        cases.check(len(pids) == 2 and not any(map(has_right_to_speak, pids)), 'neither of its children can speak for it', pids)
        rate = systemd.alive_per_second()
        cases.check(2 <= rate <= 6, 'it says that it is alive twice in the time it has', rate)
        at = len(systemd.told)
        e.process.send_signal(signal.SIGHUP)
        at = systemd.hears(r'RELOADING=1\nMONOTONIC_USEC=\d+', at)
        systemd.hears('READY=1', at)
        cases.check(True, 'a reload has a beginning and an end')
        e.stop()
        systemd.hears('STOPPING=1')
        cases.check(systemd.told.count('STATUS=1 drive: 1 read; replay up') == 1, 'what is not new is not said again', systemd.told)
    systemd.close()


def the_prober(folder):
    systemd, path = Systemd(folder), os.path.join(folder, 'prober')
    prober = subprocess.Popen([os.path.join(exporter.BUILD, 'drive_prober'), '--listen=' + path, '--runtime-directory=' + folder],
                              env=dict(os.environ, **systemd.environment()), stdin=subprocess.DEVNULL)
    try:
        systemd.hears('READY=1')
        cases.check(systemd.told[0] == 'READY=1' and os.path.exists(path), 'the prober says that it is ready, first of all', systemd.told)
        systemd.hears('STATUS=no client; 0 devices asked, 0 not answering')
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.connect(path)
            systemd.hears('STATUS=client connected; 0 devices asked, 0 not answering')
            cases.check(True, 'its status tells of its client')
        rate = systemd.alive_per_second()
        cases.check(2 <= rate <= 6, 'it says that it is alive twice in the time it has', rate)
        began = time.monotonic()
        prober.terminate()
        cases.check(prober.wait(10) == 0 and time.monotonic() - began < 0.5, 'SIGTERM ends it at once')
        systemd.hears('STOPPING=1')
    finally:
        prober.kill()
        prober.wait()
    systemd.close()


def main():
    for case in (the_exporter, the_prober):
        with tempfile.TemporaryDirectory() as folder:
            case(folder)


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM))
