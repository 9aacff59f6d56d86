#!/usr/bin/env python3
"""The units in life: a systemd of its own on this kernel (nspawn.sh), with what `make install` installs, sysusers run. What is
tried there is in t1_inside.py.

    t1.py [CASE]...     those cases alone, by the names of their functions
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))

import cases
import exporter
import made
import mounts

# It takes one minute; with other work on the machine, two or three
SECONDS = 300
# Those that the units give; and not the one by which a systemd makes its journal's sockets too large to be filled.
CAPABILITIES = ('--capability=CAP_SYS_RAWIO,CAP_IPC_LOCK', '--drop-capability=CAP_NET_ADMIN')
# Some of every kind
CAPTURES = ('hgst_ss200_sas', 'nvme_percentage_used', 'micron_5300_sata', 'sas_hdd', 'sata_hdd_standby')

PREPARE = '''#!/bin/sh -e
make -C '%s' -s install DESTDIR="$1" > /dev/null
systemd-sysusers --root="$1" > "$1/run/sysusers" 2>&1 || { cat "$1/run/sysusers"; exit 1; }
'''


def executable(path, text):
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    os.chmod(path, 0o755)


def prepare(folder):
    os.chmod(folder, 0o755)
    executable(os.path.join(folder, 'prepare'), PREPARE % exporter.BUILD)
    executable(os.path.join(folder, 'job'), '#!/bin/sh\nexec python3 -B /share/t1_inside.py %s\n' % ' '.join(sys.argv[1:]))
    shutil.copytree(os.path.join(HERE, '..', 'lib'), os.path.join(folder, 'lib'))
    for path in (os.path.join(HERE, 't1_inside.py'), os.path.join(exporter.SOURCE, 'data', 'drives.csv')):
        shutil.copy(path, folder)
    captures, hanging = os.path.join(folder, 'captures'), os.path.join(folder, 'hanging')
    os.mkdir(captures)
    os.mkdir(hanging)
    for name in CAPTURES:
        shutil.copy(os.path.join(exporter.CAPTURES, name + '.capture'), captures)
    for number, (name, changes) in enumerate((('HANGS01', {'log-sense page=0d': 'hang'}), ('WELL01', {}))):
        with open(os.path.join(hanging, name + '.capture'), 'w', encoding='utf-8') as f:
            f.write(made.capture(made.device_name(number), name, 0x5000c50000040000 + 16 * number, changes))


@contextlib.contextmanager
def memory_group():
    """nspawn's flags for a control group of version 1 that limits memory; none where systemd can do that itself."""
    path = '/sys/fs/cgroup/memory/drive_exporter_t1.%d' % os.getpid()
    if not os.path.isdir(os.path.dirname(path)):
        yield []
        return
    os.mkdir(path)
    try:
        yield ['--bind=%s:/run/memory' % path]
    finally:
        os.rmdir(path)


def boot(folder, flags):
    """Passes on what the job says; its own closing line counts."""
    done = subprocess.run([os.path.join(HERE, 'nspawn.sh'), folder, str(SECONDS), *CAPABILITIES, *flags],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    sys.stdout.write(done.stdout.decode('utf-8', 'replace'))
    sys.exit(done.returncode)


def may_mount():
    """Many a container has root without the right to mount."""
    return not subprocess.run(['unshare', '--mount', 'true'], stderr=subprocess.DEVNULL).returncode


def main():
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        try:
            with memory_group() as flags, mounts.file_system(folder):	# nspawn.sh takes along what is mounted below the folder
                boot(folder, flags)
        except mounts.NoFileSystem as error:
            cases.skip('no file system to freeze here: %s' % error)


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM),
          (os.geteuid() == 0 and may_mount(), 'only root that may mount can boot a container'),
          *[(exporter.tool(t), 'no ' + t) for t in ('systemd-nspawn', 'systemd-sysusers', 'dbus-daemon', 'mkfs.ext4', 'losetup',
                                                'fsfreeze')])
