#!/usr/bin/env python3
"""Power cuts: a guest writes the history to a disk whose cache goes to stable storage only when it is told to, and prints each
day that was acknowledged; QEMU is killed at a random moment. Then, on the host, the data base must be whole, with each
of those days in it. POWER_CUTS says how many (20 for a thorough test, 2 without it)."""

import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'lib'), os.path.join(HERE, '..', 'rig')]

import cases
import exporter
import guest
import mounts

CUTS = int(os.environ.get('POWER_CUTS', '2'))
WRITER = os.path.join(exporter.BUILD, 'tests', 'integration', 'history_writer')
DRIVES = 3
BOOT_S = 90             # without hardware virtualisation
WRITING_S = 4           # at most, from the first day on
IMAGE_SIZE = 64 << 20

INIT = '''#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin:/sbin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
for m in virtio_pci virtio_blk crc32c_generic ext4; do modprobe $m || echo "no module $m"; done
mkdir /share
mount -t ext4 /dev/vda /share || echo "no disk"
for w in $(cat /proc/cmdline); do case $w in first=*) first=${w#*=} ;; esac; done
/writer /share %d $first
echo "the writer ended"
sleep 1000
''' % DRIVES


def initramfs(folder, kern):
    init, path = os.path.join(folder, 'init'), os.path.join(folder, 'guest.cpio')
    with open(init, 'w') as f:
        f.write(INIT)
    guest.run_script('initramfs.sh', kern, path, init, '-m', 'virtio_pci virtio_blk crc32c_generic ext4', '-f', WRITER + ':writer')
    return path


def acked(console):
    """Days in whole lines of the console; what the cut tore off does not count."""
    with open(console, 'rb') as f:
        return [int(m) for m in re.findall(rb'^acked (\d+)\r?\n', f.read(), re.M)]


def run_and_cut(kern, cpio, image, console, first):
    """Days that the guest said are on the disk."""
    open(console, 'w').close()
    machine = subprocess.Popen(
        ['qemu-system-x86_64', '-accel', 'tcg,thread=multi', '-cpu', 'qemu64', '-M', 'q35', '-smp', '1', '-m', '512', '-nodefaults',
         '-no-user-config', '-display', 'none', '-no-reboot', '-kernel', os.path.join(kern, 'vmlinux'), '-initrd', cpio,
         '-append', 'console=ttyS0 quiet loglevel=3 panic=-1 mitigations=off nokaslr cryptomgr.notests first=%d' % first,
         '-serial', 'file:' + console, '-drive', 'file=%s,format=raw,if=none,id=disk,cache=none' % image,
         '-device', 'virtio-blk-pci,drive=disk'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        def is_writing():
            if machine.poll() is not None:
                raise guest.NoGuest('QEMU ended: ' + machine.stderr.read().decode('utf-8', 'replace'))
            return acked(console)
        try:
            exporter.wait_for('the first day', is_writing, BOOT_S)
        except AssertionError:
            with open(console, encoding='utf-8', errors='replace') as f:
                raise AssertionError('the guest writes no day:\n' + f.read()[-2000:]) from None
        time.sleep(random.uniform(0, WRITING_S))
    finally:
        machine.kill()
        machine.wait()
        machine.stderr.close()
    return acked(console)


def fault(image, mount, days):
    with mounts.ext4(image, mount):
        db = sqlite3.connect(os.path.join(mount, 'history.db'))
        try:
            verdict = db.execute('PRAGMA integrity_check').fetchall()
            have = set(db.execute('SELECT day, written FROM days'))
        finally:
            db.close()
        aside = [name for name in os.listdir(mount) if 'corrupt' in name]
    lost = [day for day in days if any((day, 1000 * day + i) not in have for i in range(DRIVES))]
    return 'integrity_check: %r' % verdict if verdict != [('ok',)] else 'lost days: %r' % lost if lost else \
        'moved aside: %r' % aside if aside else None


def main():
    with tempfile.TemporaryDirectory() as folder:
        try:
            kern = guest.kernel()
            cpio = initramfs(folder, kern)
            image, mount = os.path.join(folder, 'image'), os.path.join(folder, 'mount')
            os.mkdir(mount)
            mounts.make_ext4(image, IMAGE_SIZE)
            days = []
            for cut in range(1, CUTS + 1):
                new = run_and_cut(kern, cpio, image, os.path.join(folder, 'console'), days[-1] + 1 if days else 1)
                days += new
                wrong = fault(image, mount, days)
                cases.check(not wrong, 'power cut %d, after %d days more: the data base is whole, and all %d days are in it'
                            % (cut, len(new), len(days)), wrong)
        except (guest.NoGuest, mounts.NoFileSystem) as error:
            cases.skip(str(error))


cases.run(main, (os.access(WRITER, os.X_OK), 'no ' + WRITER), (os.geteuid() == 0, 'only root can mount the disk of a guest'),
          *[(exporter.tool(t), 'no ' + t) for t in (*guest.TOOLS, 'losetup', 'mkfs.ext4')])
