#!/usr/bin/env python3
"""The real drive_prober on fake drives (tier T0 of ../shared/rig: ioctls answered through seccomp's user notification): a
SAS, a SATA and an NVMe drive are read, a capture of each gives the same metrics in replay, and strace sees read-only opens
and no ioctl outside the prober's children."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter

KINDS = (('sas-ssd', 'sda'), ('sata-hdd', 'sdb'), ('nvme', 'nvme0n1'))

# Differ by their nature: moments, durations, and the state of a path
NOT_COMPARED = ('drive_exporter_', 'process_', 'drive_io_', 'drive_poll_timestamp_seconds', 'drive_command_seconds_total',
                'drive_path_state')

# What every C library asks of its standard streams
HARMLESS_IOCTLS = ('TCGETS', 'TIOCGWINSZ')


class Rig:
    def __init__(self, folder):
        self.path = os.path.join(folder, 'rig')
        shutil.copytree(exporter.shared('rig'), self.path)
        subprocess.run(['chmod', '-R', 'u+w', self.path], check=True)
        subprocess.run(['make', '-s', '-C', os.path.join(self.path, 'fakedrive'), 'fd-unotify'], check=True,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.drives = []
        for number, (kind, _) in enumerate(KINDS, 1):
            drive = os.path.join(folder, kind)
            subprocess.run([os.path.join(self.path, 'fakedrive', 'mkdrive'), kind, drive, 'T0%s%d' % (kind[:2].upper(), number),
                            '0x5000c500fade00%d0' % number], check=True)
            self.drives.append(drive)

    def run(self, *words):
        done = subprocess.run([os.path.join(self.path, 'host-fakedev.sh'), *self.drives, '--', *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        return done.returncode, done.stdout.decode('utf-8', 'replace'), done.stderr.decode('utf-8', 'replace')


def comparable(metrics, drive):
    return sorted((name, tuple(sorted((k, v) for k, v in labels.items() if k != 'device')), value)
                  for name, labels, value in metrics.samples
                  if labels.get('drive') == drive and not name.startswith(NOT_COMPARED))


def live(rig):
    status, out, err = rig.run(exporter.PROGRAM, 'once', '--log.level=warn')
    metrics = exporter.Metrics(out)
    up = {labels['drive']: value for labels, value in metrics.all('drive_up')}
    for serial, kind in (('T0SA1', 'SAS'), ('T0SA2', 'SATA'), ('T0NV3', 'NVMe')):
        cases.check(any(serial in d and v == 1 for d, v in up.items()), 'the real prober reads a %s drive' % kind,
                    'status %d, drive_up %r: %s' % (status, up, err))
    return metrics


def captures(rig, folder, metrics):
    for _, device in KINDS:
        path = os.path.join(folder, device + '.capture')
        status, out, err = rig.run(exporter.PROGRAM, 'capture', '/dev/' + device, '--keep-serials')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(out)
        if not cases.check(status == 0 and out.startswith(('#', 'drive-capture 1')), 'capture writes one of ' + device,
                           'status %d: %s' % (status, err)):
            continue
        replayed = exporter.Metrics(exporter.once('--replay=' + path, '--log.level=warn')[0])
        drives = replayed.drives()
        wanted = comparable(metrics, drives[0]) if drives else []
        found = comparable(replayed, drives[0]) if drives else []
        cases.check(wanted and wanted == found, 'in replay it gives the same metrics',
                    '\n'.join(map(str, sorted(set(wanted) ^ set(found))[:20])))
        status, out, _ = rig.run(exporter.PROGRAM, 'capture', device)
        serial = [labels['serial'] for labels, _ in metrics.all('drive_info') if labels['drive'] in drives]
        cases.check(status == 0 and serial and serial[0] not in text_of(out), 'without --keep-serials no serial number is in it', serial)


def text_of(capture):
    """All strings in a capture: its lines, and its bytes as they are and with each pair swapped, as ATA has them."""
    data = bytearray()
    for line in capture.splitlines():
        words = line.partition('#')[0].split()
        if words and all(re.fullmatch('[0-9a-f]{2}', w) for w in words):
            data += bytes(int(w, 16) for w in words)
    swapped = bytearray(data + b'\0')
    swapped[0:len(data) // 2 * 2:2], swapped[1:len(data) // 2 * 2:2] = data[1:len(data) // 2 * 2:2], data[0:len(data) // 2 * 2:2]
    return capture + data.decode('latin-1') + swapped.decode('latin-1')


def traced(rig, folder):
    log = os.path.join(folder, 'strace')
    rig.run(exporter.tool('strace'), '-f', '-o', log, '-e', 'trace=open,openat,openat2,ioctl,execve,clone,clone3,fork,vfork',
            exporter.PROGRAM, 'once', '--log.level=warn')
    with open(log, encoding='utf-8', errors='replace') as f:
        lines = f.read().splitlines()
    supervisor, children, ioctls, opens = set(), {}, [], []
    for line in lines:
        m = re.match(r'(\d+) +(.*)', line)
        pid, call = int(m.group(1)), m.group(2)
        if re.search(r'execve\("[^"]*/drive_prober"', call):
            supervisor.add(pid)
        m = re.search(r'(?:clone3?|v?fork)(?:\(| resumed).* = (\d+)$', call)
        if m:
            children[int(m.group(1))] = pid
        m = re.search(r'ioctl\((\d+), ([A-Z_0-9x]+)', call)
        if m and m.group(2) not in HARMLESS_IOCTLS:
            ioctls.append((pid, call))
        if re.search(r'open(?:at2?)?\(', call) and re.search(r'"(/dev/(sd|nvme)|/proc/self/fd/(?![012]"))', call):
            opens.append((pid, call))
    outside = [call for pid, call in ioctls if children.get(pid) not in supervisor]
    cases.check(ioctls and not outside, 'no ioctl outside the prober\'s children', '\n'.join(outside[:10]) or 'none at all was seen')
    writing = [call for _, call in opens if re.search(r'O_RDWR|O_WRONLY|O_CREAT|O_TRUNC', call)]
    cases.check(opens and not writing, 'devices are opened read-only', '\n'.join(writing[:10]) or 'none was opened')
    strangers = [call for pid, call in opens if children.get(pid) not in supervisor]
    cases.check(not strangers, 'and by the prober\'s children alone', '\n'.join(strangers[:10]))


def main():
    with tempfile.TemporaryDirectory() as folder:
        rig = Rig(folder)
        status, _, err = rig.run('true')
        if status:
            cases.skip('the rig does not run here: ' + err.strip().splitlines()[-1] if err.strip() else 'status %d' % status)
            return
        captures(rig, folder, live(rig))
        traced(rig, folder)


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM), (os.geteuid() == 0, 'only root can run the rig'),
          (exporter.shared('rig', 'host-fakedev.sh'), 'no ../shared/rig (set SHARED to where it is)'),
          *[(exporter.tool(t), 'no ' + t) for t in ('strace', 'unshare', 'make', 'gcc')])
