"""Guests: QEMU machines with Debian's kernel, whose drives are true SCSI and NVMe devices. There are two: a small one with
nothing but busybox, and one with systemd and udev. The test drives a guest from outside, step by step:

    with small_guest('sd_mod', 'sg') as guest:
        guest.run('lsblk')
        guest.metrics().value('drive_up', drive='...')

Kernel and images are kept in the build folder and made anew when what makes them changes."""

import contextlib
import fcntl
import hashlib
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

import exporter

HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = os.path.join(exporter.BUILD, 'rig')
AGENT_PORT, METRICS_PORT = 9000, 9946
BOOT_S, COMMAND_S = 90, 60
TOOLS = ('qemu-system-x86_64', 'busybox', 'cpio', 'modprobe', 'xz', 'apt-get')
SYSTEM_TOOLS = TOOLS + ('mmdebstrap', 'mkfs.erofs')
SYSTEM_MODULES = ('virtio_pci', 'virtio_blk', 'virtio_net', 'crc32c_generic', 'erofs', 'overlay', 'autofs4')
READERS = 'smartctl sg_logs sg_turs nvme'


class NoGuest(Exception):
    """There is none to be had here; the reason is its text."""


# ---- what guests are made of

def make(name, script, *arguments, depends=()):
    """The path of what a script makes, kept until the script, or a file or text that it depends on, changes."""
    digest = hashlib.sha256()
    for part in (os.path.join(HERE, script), *depends):
        if os.path.exists(part):
            with open(part, 'rb') as f:
                digest.update(f.read())
        else:
            digest.update(part.encode())
    path = os.path.join(KEPT, '%s-%s' % (name, digest.hexdigest()[:12]))
    with alone():
        if not os.path.exists(path):
            run_script(script, *[path + '.new' if a is None else a for a in arguments])
            forget_older(name)
            os.rename(path + '.new', path)
    return path


@contextlib.contextmanager
def alone():
    """Of all tests that want this. A guest wants all processors, and what is kept is made once."""
    os.makedirs(KEPT, exist_ok=True)
    with open(os.path.join(KEPT, 'lock'), 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def forget_older(name):
    for old in os.listdir(KEPT):
        if re.fullmatch(re.escape(name) + '-[0-9a-f]{12}', old):
            path = os.path.join(KEPT, old)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)


def run_script(script, *arguments):
    done = subprocess.run([os.path.join(HERE, script), *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise NoGuest('%s: %s' % (script, done.stdout.decode('utf-8', 'replace').strip()[-500:]))


def newest_kernel():
    """What apt would fetch: the name and version of the package."""
    done = subprocess.run(['apt-cache', 'show', '--no-all-versions', 'linux-image-amd64'], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    return ''.join(re.findall(r'^(?:Depends|Version):.*\n', done.stdout.decode(), re.M))


def kernel():
    return make('kernel', 'kernel.sh', None, depends=[newest_kernel()])


def root_image():
    return make('root', 'rootfs.sh', None)


def installed(folder):
    """Our programs, as `make install` puts them."""
    done = subprocess.run(['make', '-C', exporter.BUILD, '-s', 'install', 'DESTDIR=' + folder], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode:
        raise NoGuest('make install: ' + done.stdout.decode('utf-8', 'replace')[-500:])
    return folder


# ---- a guest

class Guest:
    """A running machine. started_s: from the start of QEMU until it took commands."""

    def __init__(self, folder, arguments, memory=1024):
        self.folder, self.agent_port, self.metrics_port = folder, exporter.free_port(), exporter.free_port()
        self.console = os.path.join(folder, 'console')
        forwards = ','.join('hostfwd=tcp:127.0.0.1:%d-10.0.2.15:%d' % pair for pair in (
            (self.agent_port, AGENT_PORT), (self.metrics_port, METRICS_PORT)))
        # qemu64 and some arguments of the kernel spare an emulated machine work: two seconds of six.
        self.process = subprocess.Popen(
            ['qemu-system-x86_64', '-accel', 'tcg,thread=multi', '-cpu', 'qemu64', '-M', 'q35', '-smp', '2', '-m', str(memory),
             '-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot', '-serial', 'file:' + self.console,
             '-qmp', 'unix:%s,server,nowait' % os.path.join(folder, 'qmp'),
             '-netdev', 'user,id=net,restrict=on,' + forwards, '-device', 'virtio-net-pci,netdev=net,romfile=', *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.qmp, self.began = None, time.monotonic()

    def wait_for_start(self):
        try:
            exporter.wait_for('the guest takes commands', self.is_up, BOOT_S)
        except AssertionError as error:
            raise AssertionError('%s\n%s' % (error, self.last_words())) from None
        self.started_s = time.monotonic() - self.began

    def is_up(self):
        if self.process.poll() is not None:
            raise NoGuest('QEMU ended: ' + self.process.stderr.read().decode('utf-8', 'replace'))
        try:
            return self.ask('true', 5)[1] == 0
        except OSError:
            return False

    def last_words(self):
        with open(self.console, encoding='utf-8', errors='replace') as f:
            return f.read()[-3000:]

    def ask(self, script, patience_s=COMMAND_S):
        """(what it printed, its exit status or None) of a shell script in the guest."""
        with socket.create_connection(('127.0.0.1', self.agent_port), timeout=patience_s) as s:
            # In braces it is read whole before it runs, so that nothing in it takes the rest for its input.
            s.sendall(('{ %s\n} < /dev/null 2>&1; echo "exit status $?"; exit\n' % script).encode())
            # Not to its end: what the script left in the background may hold the connection.
            text, end = '', None
            while not end:
                part = s.recv(65536)
                if not part:
                    return text, None
                text += part.decode('utf-8', 'replace')
                end = re.search(r'exit status (\d+)\n\Z', text)
            return text[:end.start()], int(end.group(1))

    def run(self, script, patience_s=COMMAND_S):
        """What it printed; AssertionError if it fails."""
        text, status = self.ask(script, patience_s)
        if status != 0:
            raise AssertionError('in the guest: %s: exit status %s\n%s' % (script, status, text))
        return text

    def start(self, name, command):
        """Runs it in the background; its output goes to /run/NAME.log."""
        self.run('%s > /run/%s.log 2>&1 < /dev/null & echo $! > /run/%s.pid' % (command, name, name))

    def log_of(self, name):
        return self.ask('cat /run/%s.log' % name)[0]

    def wait_for(self, what, script, patience_s=COMMAND_S):
        """Until the script succeeds; what it printed."""
        def attempt():
            text, status = self.ask(script)
            return (text or ' ') if status == 0 else None
        try:
            return exporter.wait_for(what, attempt, patience_s)
        except AssertionError as error:
            raise AssertionError('%s: %s\n%s' % (error, script, self.ask('tail -n 5 /run/*.log; dmesg | tail -n 10')[0])) from None

    # ---- from outside

    def get(self, path='/metrics', patience_s=COMMAND_S):
        connection = http.client.HTTPConnection('127.0.0.1', self.metrics_port, timeout=patience_s)
        try:
            connection.request('GET', path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode('utf-8')
        finally:
            connection.close()

    def scrape(self):
        """(the metrics, how many seconds it took)"""
        began = time.monotonic()
        status, body = self.get()
        if status != 200:
            raise AssertionError('scrape: HTTP status %d' % status)
        return exporter.Metrics(body), time.monotonic() - began

    def metrics(self):
        return self.scrape()[0]

    def wait_until(self, what, condition, patience_s=COMMAND_S):
        """Scrapes until condition(metrics) is true; returns those metrics and how many seconds that took."""
        began = time.monotonic()

        def attempt():
            try:
                metrics = self.metrics()
            except (OSError, http.client.HTTPException):
                return None
            return metrics if condition(metrics) else None
        return exporter.wait_for(what, attempt, patience_s), time.monotonic() - began

    # ---- QEMU's drives

    def monitor(self, command, **arguments):
        """A command of QEMU's monitor protocol."""
        if not self.qmp:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(os.path.join(self.folder, 'qmp'))
            self.qmp = connection.makefile('rw')
            self.monitor('qmp_capabilities')
        self.qmp.write(json.dumps({'execute': command, 'arguments': arguments}) + '\n')
        self.qmp.flush()
        while True:
            answer = json.loads(self.qmp.readline())
            if 'error' in answer:
                raise AssertionError('%s: %s' % (command, answer['error']['desc']))
            if 'return' in answer:
                return answer['return']

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()


def boot_arguments(kern, cpio, words):
    return ['-kernel', os.path.join(kern, 'vmlinux'), '-initrd', cpio, '-append',
            'console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off nokaslr cryptomgr.notests net.ifnames=0 ' + words]


@contextlib.contextmanager
def booted(folder, arguments, memory):
    with alone():
        guest = Guest(folder, arguments, memory)
        try:
            guest.wait_for_start()
            yield guest
        finally:
            guest.stop()


@contextlib.contextmanager
def small_guest(files, modules, arguments=(), memory=1024):
    """files are (here, there); modules are loaded in this order."""
    with tempfile.TemporaryDirectory() as folder:
        kern, cpio = kernel(), os.path.join(folder, 'cpio')
        pairs = [(installed(os.path.join(folder, 'installed')), '/'), *files]
        run_script('initramfs.sh', kern, cpio, os.path.join(HERE, 'init-small'), '-m', ' '.join(modules), '-p', READERS,
                   *[word for pair in pairs for word in ('-f', '%s:%s' % pair)])
        with booted(folder, [*boot_arguments(kern, cpio, 'rig.modules=' + ','.join(modules)), *arguments], memory) as guest:
            yield guest


@contextlib.contextmanager
def system_guest(files, modules, arguments=(), memory=1024):
    """The one with systemd. files are (here, there); modules can be loaded."""
    with tempfile.TemporaryDirectory() as folder:
        kern, image, cpio = kernel(), root_image(), os.path.join(folder, 'cpio')
        overlay = installed(os.path.join(folder, 'installed'))
        for here, there in files:
            copy_into(overlay, here, there)
        run_script('initramfs.sh', kern, cpio, os.path.join(HERE, 'init-system'), '-m', ' '.join((*SYSTEM_MODULES, *modules)),
                   '-f', overlay + ':overlay')
        drive = 'file=%s,format=raw,if=none,id=root,readonly=on' % image
        with booted(folder, [*boot_arguments(kern, cpio, ''), '-drive', drive, '-device', 'virtio-blk-pci,drive=root', *arguments],
                    memory) as guest:
            yield guest


def copy_into(root, here, there):
    path = os.path.join(root, there.lstrip('/'))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    shutil.copytree(here, path, dirs_exist_ok=True) if os.path.isdir(here) else shutil.copy(here, path)


def needs(tools):
    """For cases.run()."""
    return [(os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM),
            (os.uname().machine == 'x86_64', 'guests are x86-64 machines only'),
            *[(exporter.tool(tool), 'no ' + tool) for tool in tools]]
