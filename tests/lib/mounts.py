"""File systems of a test's own, for root: one to freeze, a small one, one that is read-only. Whatever happens they are thawed
and taken down again."""

import contextlib
import os
import subprocess
import time


class NoFileSystem(Exception):
    """There is none to be had here; the reason is its text."""


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    if done.returncode:
        raise NoFileSystem('%s: %s' % (' '.join(words), done.stdout.decode('utf-8', 'replace').strip()))
    return done.stdout.decode('utf-8').strip()


def take_down(mount):
    """Processes that hung on it end as soon as they are let go, but not at once."""
    for _ in range(50):
        if subprocess.run(['umount', mount], stderr=subprocess.DEVNULL).returncode == 0:
            return
        time.sleep(0.2)
    subprocess.run(['umount', '--lazy', mount])


@contextlib.contextmanager
def ext4(image, mount, *options):
    """The ext4 in this file. options are mount's."""
    loop = run('losetup', '--find', '--show', image)
    try:
        run('mount', *options, loop, mount)
        try:
            yield mount
        finally:
            subprocess.run(['fsfreeze', '--unfreeze', mount], stderr=subprocess.DEVNULL)
            take_down(mount)
    finally:
        subprocess.run(['losetup', '--detach', loop])


@contextlib.contextmanager
def file_system(folder):
    """A new ext4."""
    image, mount = os.path.join(folder, 'image'), os.path.join(folder, 'mount')
    os.mkdir(mount)
    make_ext4(image)
    with ext4(image, mount):
        yield mount


def make_ext4(image, size=32 << 20):
    with open(image, 'wb') as f:
        f.truncate(size)
    run('mkfs.ext4', '-q', '-F', image)


@contextlib.contextmanager
def small(mount, size):
    """A tmpfs; remount(mount, 'size=8m') makes it larger."""
    run('mount', '-t', 'tmpfs', '-o', 'size=' + size, 'tmpfs', mount)
    try:
        yield mount
    finally:
        take_down(mount)


@contextlib.contextmanager
def read_only(folder):
    """The folder itself, read-only even for root; remount(folder, 'bind,rw') makes it writable."""
    run('mount', '--bind', folder, folder)
    try:
        remount(folder, 'bind,ro')
        yield folder
    finally:
        take_down(folder)


def remount(mount, options):
    run('mount', '-o', 'remount,' + options, mount)
