#!/usr/bin/env python3
"""The units, as `make install` installs them: systemd finds nothing to complain of, and they are as tight as they are meant to be.
What they do in life is tests/rig/t1.py."""

import glob
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

# The most that `systemd-analyze security` may say; 10 is the worst.
EXPOSURE_MAX = {'drive_exporter.service': 1.0, 'drive_prober.service': 1.6}
BPF_EXPOSURE_MAX = 2.0
UNITS = (*EXPOSURE_MAX, 'drive_exporter.socket', 'drive_prober.socket')


def run(*words, cwd=None):
    done = subprocess.run(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    return done.returncode, done.stdout.decode('utf-8', 'replace').strip()


def find(folder, name):
    found = list(filter(os.path.isfile, glob.glob(os.path.join(folder, '**', name), recursive=True)))
    if len(found) != 1:
        raise AssertionError('%s is installed %d times' % (name, len(found)))
    return found[0]


def copy_of(path, folder, programs):
    """With the programs where they were installed: systemd wants to see them."""
    with open(path, encoding='utf-8') as f:
        text = re.sub(r'(?m)^(ExecStart=)\S*/(drive_\w+)', lambda m: m.group(1) + programs[m.group(2)], f.read())
    copy = os.path.join(folder, os.path.basename(path))
    with open(copy, 'w', encoding='utf-8') as f:
        f.write(text)
    return copy


def verify(folder, *names):
    """What systemd complains of; it ends with 0 though it does not know a key."""
    return run('systemd-analyze', 'verify', '--man=no', *('./' + name for name in names), cwd=folder)[1]


def exposure(path):
    said = run('systemd-analyze', 'security', '--offline=yes', './' + os.path.basename(path), cwd=os.path.dirname(path))[1]
    found = re.search(r'Overall exposure level for \S+: (\d+\.\d+)', said)
    if not found:
        raise AssertionError('systemd-analyze security: ' + said[-500:])
    return float(found.group(1))


def with_drop_in(folder, copies, drop_in):
    """Exposure of the prober with the drop-in's lines at its end, which is what they come to."""
    name, what = 'drive_prober.service', os.path.basename(drop_in)
    others = os.path.join(folder, 'with-' + what)
    shutil.copytree(copies, others)
    with open(drop_in, encoding='utf-8') as more, open(os.path.join(others, name), 'a', encoding='utf-8') as f:
        f.write(more.read())
    said = verify(others, name)
    cases.check(not said, 'systemd has no complaint of ' + what, said)
    figure = exposure(os.path.join(others, name))
    print('# with %s: %.1f' % (what, figure))
    return figure


def can_fail(folder, path):
    """A unit with a key that does not exist, and one without its sandbox."""
    name = os.path.basename(path)
    with open(path, encoding='utf-8') as f:
        text = f.read()
    for change, (old, new) in {'unknown': ('NoNewPrivileges=', 'NoNewPriviliges='), 'open': ('ProtectSystem=strict', '')}.items():
        other = os.path.join(folder, change)
        os.mkdir(other)
        with open(os.path.join(other, name), 'w', encoding='utf-8') as f:
            f.write(text.replace(old, new))
    said = verify(os.path.join(folder, 'unknown'), name)
    cases.check('NoNewPriviliges' in said, 'a key that does not exist is found', said)
    figure = exposure(os.path.join(folder, 'open', name))
    cases.check(figure > EXPOSURE_MAX[name], 'a sandbox that is missing is found', figure)


def users(folder, description):
    """In a root of its own."""
    os.makedirs(os.path.join(folder, 'etc'))
    said = run('systemd-sysusers', '--root=' + folder, '--replace=/usr/lib/sysusers.d/drive_exporter.conf', description)
    with open(os.path.join(folder, 'etc', 'passwd'), encoding='utf-8') as f:
        names = [line.split(':')[0] for line in f]
    cases.check(said[0] == 0 and {'drive_exporter', 'drive_prober'} <= set(names), 'the users are described', (said, names))


def main():
    with tempfile.TemporaryDirectory() as folder:
        status, said = run('make', '-s', '-C', exporter.BUILD, 'install', 'DESTDIR=' + os.path.join(folder, 'installed'))
        cases.check(status == 0, 'make install', said)
        if not glob.glob(os.path.join(folder, 'installed', '**', UNITS[0]), recursive=True):
            cases.skip('configured without units')
            return
        copies = os.path.join(folder, 'units')
        os.mkdir(copies)
        programs = {name: find(folder, name) for name in ('drive_exporter', 'drive_prober')}
        for name in UNITS:
            copy_of(find(os.path.join(folder, 'installed'), name), copies, programs)
        for name in UNITS:
            said = verify(copies, name)
            cases.check(not said, 'systemd has no complaint of ' + name, said)
        for name, most in EXPOSURE_MAX.items():
            figure = exposure(os.path.join(copies, name))
            cases.check(figure <= most, '%s is exposed by %.1f at most' % (name, most), figure)
            print('# %s: %.1f' % (name, figure))
        figure = with_drop_in(folder, copies, find(folder, 'sas-only.conf'))
        cases.check(figure < exposure(os.path.join(copies, 'drive_prober.service')), 'sas-only.conf makes the prober tighter', figure)
        figure = with_drop_in(folder, copies, os.path.join(exporter.SOURCE, 'systemd', 'bpf.conf'))
        cases.check(figure <= BPF_EXPOSURE_MAX, 'bpf.conf leaves it at %.1f at most' % BPF_EXPOSURE_MAX, figure)
        can_fail(folder, os.path.join(copies, 'drive_exporter.service'))
        users(os.path.join(folder, 'root'), find(folder, 'drive_exporter.conf'))
        find(folder, '60-drive_exporter.rules')


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM),
          *[(exporter.tool(t), 'no ' + t) for t in ('systemd-analyze', 'systemd-sysusers', 'make')])
