#!/usr/bin/env python3
"""A host with the drives of given captures, on this kernel and without a VM (tier T0). Only root can make one.

    host.py run [CAPTURE...] -- PROGRAM [ARGUMENT]...       runs a program in it
    host.py plug CAPTURE [OLD=NEW...]                       in it: a drive comes, under other names of devices if wanted
    host.py unplug NAME                                     in it: the drive that has this device goes

In mount, network and process name spaces of its own the program sees /sys and /dev with nothing but these drives, and a
udev database; fd-unotify answers the ioctls on their nodes. The capture's header says what they are called and where they
sit. Nodes of disks are loop devices, which open and are block devices; those of characters are /dev/null. A capture is
used where it lies: a test that changes a drive replaces its own copy.

As a module:  host = Host();  names = host.plug(path);  host.unplug(names[0])
"""

import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get('top_builddir') or os.path.join(os.path.dirname(os.path.dirname(HERE)), 'build')
ROOT = '/run/fake-host'         # a tmpfs of the name space
LOOP_MAJOR, LOOPS = 7, 8        # those that are there without being made
NULL_DEVICE = '1:3'


def program(name):
    return os.path.join(BUILD, 'tests', 'rig', name)


# ---- captures

class Node:
    """A device or controller line of a capture, and the lines below it."""

    def __init__(self, name, is_controller):
        self.name, self.is_controller = name, is_controller
        self.lines, self.sysfs = {}, []

    def attribute(self, path, otherwise=''):
        return dict(self.sysfs).get(path, otherwise)


class Capture:
    """Its header, and the answers of its start on each path ('' is the first)."""

    def __init__(self, path):
        self.path, self.transport, self.nodes, self.answers = os.path.abspath(path), None, [], {}
        command, section, on = None, 0, ''
        with open(path, encoding='utf-8') as f:
            for line in (line.partition('#')[0].strip() for line in f):
                word, _, rest = line.partition(' ')
                if word == '@':
                    section = int(rest)
                elif word == 'path':
                    on = rest
                elif word == '>':
                    command = (on, ' '.join(sorted(rest.split(), key=lambda w: ('=' in w, w))))
                elif command is None:
                    self.header_line(word, rest)
                elif section == 0 and re.match('[0-9a-f]{2}( |$)', line):
                    self.answers[command] = self.answers.get(command, b'') + bytes.fromhex(line)
        if self.transport == 'nvme' and not any(node.is_controller for node in self.nodes):
            self.derive_controllers()

    def header_line(self, word, rest):
        if word == 'transport':
            self.transport = rest
        elif word in ('device', 'controller'):
            self.nodes.append(Node(rest, word == 'controller'))
        elif word == 'sysfs':
            path, _, value = rest.partition(' ')
            self.nodes[-1].sysfs.append((path.replace('\\x20', ' '), value.strip()))
        elif self.nodes:
            self.nodes[-1].lines[word] = rest

    def derive_controllers(self):
        """nvme0n1 is behind nvme0, the folder above it."""
        for name in sorted({controller_of(node.name) for node in self.nodes}):
            controller = Node(name, True)
            paths = [n.lines['devpath'] for n in self.nodes if controller_of(n.name) == name and 'devpath' in n.lines]
            if paths:
                controller.lines['devpath'] = os.path.dirname(paths[0])
            self.nodes.append(controller)

    def answer(self, command, node):
        return self.answers.get((node.name, command), self.answers.get(('', command), b''))


def controller_of(name):
    return re.match(r'nvme\d+', name).group()


def naa_of(page):
    """The world wide name of the logical unit out of VPD page 83h (SPC, designation descriptors)."""
    at = 4
    while at + 4 <= len(page):
        kind, n = page[at + 1], page[at + 3]
        if kind & 0x3f == 3:
            return page[at + 4:at + 4 + n].hex()
        at += 4 + n
    return None


# ---- the made host

class Host:
    """The host that this process is in."""

    def __init__(self, root=ROOT):
        self.root = root
        self.made = None        # what the drive that is being made consists of
        self.properties = {}    # and what udevd knows of it

    # What is made of a drive is written down, so that it can be taken away.

    def path(self, path):
        return path if path.startswith(self.root) else self.root + path

    def folder(self, path):
        """Makes it and those above; symbolic links on the way count."""
        path = self.path(path)
        if not os.path.isdir(path):
            self.folder(os.path.dirname(path))
            os.mkdir(path)
            self.made.append(path)

    def put(self, path, value):
        path = self.path(path)
        self.folder(os.path.dirname(path))
        if not os.path.lexists(path):
            self.made.append(path)
        with open(path, 'wb') as f:
            f.write(value if isinstance(value, bytes) else (value + '\n').encode('utf-8'))

    def link(self, path, target):
        """A relative link, as sysfs has them; target is a path of the host."""
        path = self.path(path)
        self.folder(os.path.dirname(path))
        if not os.path.lexists(path):
            os.symlink(os.path.relpath(self.path(target), os.path.realpath(os.path.dirname(path))), path)
            self.made.append(path)

    def node(self, name, kind, number):
        path = self.path('/dev/' + name)
        major, _, minor = number.partition(':')
        subprocess.run(['mknod', '-m', '660', path, kind, major, minor], check=True)
        self.made.append(path)

    def take_away(self, made):
        for path in reversed(made):
            try:
                if os.path.isdir(path) and not os.path.islink(path):
                    os.rmdir(path)
                else:
                    os.unlink(path)
            except OSError:
                pass            # shared with another drive: not empty, or gone with that

    # ---- counters of the host

    def state(self, name, otherwise):
        try:
            with open(self.path('/state/' + name), encoding='utf-8') as f:
                return json.load(f)
        except FileNotFoundError:
            return otherwise

    def set_state(self, name, value):
        os.makedirs(self.path('/state'), exist_ok=True)
        with open(self.path('/state/' + name) + '.new', 'w', encoding='utf-8') as f:
            json.dump(value, f)
        os.rename(self.path('/state/' + name) + '.new', self.path('/state/' + name))

    def next_number(self, name):
        number = self.state(name, 0) + 1
        self.set_state(name, number)
        return number

    def write_map(self, drives):
        """What fd-unotify reads."""
        with open(self.root + '/map.new', 'w', encoding='utf-8') as f:
            for drive in drives:
                for old, new in drive['names'].items():
                    f.write('/dev/%s=%s#%s\n' % (new, drive['capture'], old))
        os.rename(self.root + '/map.new', self.root + '/map')

    # ---- SCSI

    def add_scsi(self, capture, node, name):
        path = node.lines.get('devpath')
        if path:
            path = os.path.join(os.path.dirname(path), name)
        else:
            number = 100 + self.next_number('host')
            path = '/sys/devices/pci0000:00/0000:00:1f.9/host%d/target%d:0:0/%d:0:0:0/block/%s' % (number, number, number, name)
        device = os.path.dirname(os.path.dirname(path))
        self.add_block(node, name, path, device)
        self.link(device + '/subsystem', '/sys/bus/scsi')
        self.put(device + '/uevent', 'DEVTYPE=scsi_device')
        self.put(device + '/type', '0')
        self.put(device + '/state', 'running')
        self.add_inquiry(capture, node, device)
        self.add_host(path)
        self.add_phys(capture, node, device)
        self.add_attributes(node, '/sys/block/' + name)

    def add_inquiry(self, capture, node, device):
        data = capture.answer('inquiry', node)
        for attribute, begin, end in (('vendor', 8, 16), ('model', 16, 32), ('rev', 32, 36)):
            if len(data) >= end:
                self.put(device + '/' + attribute, data[begin:end])
        for page in ('80', '83'):
            data = capture.answer('inquiry vpd=' + page, node)
            if data:
                self.put(device + '/vpd_pg' + page, data)
        name = naa_of(capture.answer('inquiry vpd=83', node))
        if name:
            self.put(device + '/wwid', 'naa.' + name)

    def add_host(self, path):
        host = re.search(r'.*/(host\d+)(?=/)', path)
        if host:
            folder = '%s/scsi_host/%s' % host.group(0, 1)
            self.put(folder + '/state', 'running')
            self.link('/sys/class/scsi_host/' + host.group(1), folder)

    def add_phys(self, capture, node, device):
        """The host's side of a SAS port, out of what a capture has of it: as drive_prober reads it there."""
        rates = {1: 'Phy disabled', 2: 'Link Rate failed', 3: 'Spin-up hold', 8: '1.5 Gbit', 9: '3.0 Gbit', 10: '6.0 Gbit',
                 11: '12.0 Gbit', 12: '22.5 Gbit'}
        port, data = re.search(r'.*/port-(\d+):[^/]+', device), capture.answer('host-phys', node)
        for phy in (data[at:at + 18] for at in range(0, len(data) if port else 0, 18)):
            # Of a port's own number, since two ports of a capture may name the same phy
            name = 'phy-%s:%s:%d' % (port.group(1), os.path.basename(port.group()).partition(':')[2], phy[0])
            folder = '%s/%s/sas_phy/%s' % (port.group(), name, name)
            self.link('/sys/class/sas_phy/' + name, folder)
            self.put(folder + '/phy_identifier', str(phy[0]))
            self.put(folder + '/negotiated_linkrate', rates.get(phy[1], 'Unknown'))
            for number, counter in enumerate(('invalid_dword_count', 'running_disparity_error_count', 'loss_of_dword_sync_count',
                                              'phy_reset_problem_count')):
                self.put(folder + '/' + counter, str(int.from_bytes(phy[2 + 4 * number:6 + 4 * number], 'big')))

    # ---- NVMe

    def nvme_path(self, node, name):
        """Where a controller is; a namespace is below it."""
        path = node.lines.get('devpath')
        if path:
            return os.path.join(os.path.dirname(path), name)
        return '/sys/devices/pci0000:00/0000:00:1e.%s/nvme/%s' % (re.sub(r'\D', '', name), name)

    def add_controller(self, capture, node, name):
        path = self.nvme_path(node, name)
        data = capture.answer('nvme-identify cns=01', node)
        self.link('/sys/class/nvme/' + name, path)
        self.link(path + '/subsystem', '/sys/class/nvme')
        self.link(path + '/device', os.path.dirname(os.path.dirname(path)))
        self.put(path + '/uevent', 'MAJOR=1\nMINOR=3\nDEVNAME=' + name)
        self.put(path + '/dev', NULL_DEVICE)
        for attribute, begin, end in (('serial', 4, 24), ('model', 24, 64), ('firmware_rev', 64, 72)):
            self.put(path + '/' + attribute, data[begin:end] or b'\n')
        self.put(path + '/subsysnqn', node.attribute('subsysnqn', 'nqn.2026-01.test.fakedrive:' + name))
        self.put(path + '/transport', 'pcie')
        self.put(path + '/state', 'live')
        self.add_link(capture.answer('pcie-link', node), path + '/device')
        self.add_attributes(node, '/sys/class/nvme/' + name)
        self.node(name, 'c', NULL_DEVICE)
        self.add_subsystem(path, name)

    def add_subsystem(self, controller, name):
        """What `nvme list` looks at. Controllers with the same name of their subsystem share it."""
        def read(attribute):
            with open(self.path(controller + '/' + attribute), 'rb') as f:
                return f.read()

        subsystems = self.state('subsystems', [])
        nqn = read('subsysnqn').decode('utf-8', 'replace')
        if nqn not in subsystems:
            subsystems.append(nqn)
            self.set_state('subsystems', subsystems)
        folder = '/sys/devices/virtual/nvme-subsystem/nvme-subsys%d' % subsystems.index(nqn)
        for attribute in ('subsysnqn', 'model', 'serial', 'firmware_rev'):
            self.put(folder + '/' + attribute, read(attribute))
        self.link(folder + '/' + name, controller)
        self.link('/sys/class/nvme-subsystem/' + os.path.basename(folder), folder)

    def add_link(self, data, device):
        """Of the PCI device, out of what a capture has of it."""
        for which, at in (('current', 0), ('max', 3)):
            if len(data) >= at + 3:
                tenths = int.from_bytes(data[at:at + 2], 'big')
                self.put('%s/%s_link_speed' % (device, which), '%d.%d GT/s PCIe' % divmod(tenths, 10))
                self.put('%s/%s_link_width' % (device, which), str(data[at + 2]))

    def add_namespace(self, node, name, controllers):
        controller = controllers.get(controller_of(name))
        if not controller:
            raise ValueError('%s: its controller is not in the capture' % name)
        path = self.nvme_path(controller, controller_of(name)) + '/' + name
        self.add_block(node, name, path, os.path.dirname(path))
        self.put(path + '/nsid', node.attribute('nsid', name.rpartition('n')[2]))
        self.add_attributes(node, '/sys/block/' + name)

    # ---- block devices

    def add_block(self, node, name, path, device):
        number = self.free_loop()
        dev = '%d:%d' % (LOOP_MAJOR, number)
        block = int(node.lines.get('logical-block', 512))
        for attribute, value in (('size', int(node.lines.get('size', 0)) // 512), ('ro', 0), ('removable', 0), ('hidden', 0),
                                 ('dev', dev), ('diskseq', self.next_number('diskseq')),
                                 ('queue/rotational', node.lines.get('rotational', 0)), ('queue/logical_block_size', block),
                                 ('queue/physical_block_size', block), ('stat', node.lines.get('stat', ' '.join(['0'] * 17)))):
            self.put(path + '/' + attribute, str(value))
        self.put(path + '/uevent', 'MAJOR=%d\nMINOR=%d\nDEVNAME=%s\nDEVTYPE=disk' % (LOOP_MAJOR, number, name))
        self.link(path + '/device', device)
        self.link(path + '/subsystem', '/sys/class/block')
        self.link('/sys/block/' + name, path)
        self.link('/sys/class/block/' + name, path)
        self.link('/sys/dev/block/' + dev, path)
        self.add_udev(node, dev)
        self.node(name, 'b', dev)

    def free_loop(self):
        """One that stands for no other drive, or any: every drive needs a node that opens, and there are only so many."""
        for number in range(LOOPS):
            if not os.path.lexists(self.path('/sys/dev/block/%d:%d' % (LOOP_MAJOR, number))):
                return number
        return (self.next_number('disk') - 1) % LOOPS

    def add_udev(self, node, dev):
        """What udevd would have stored. A loop device that stands for a second drive has nobody's properties."""
        path = '/run/udev/data/b' + dev
        properties = {'ID_WWN': node.attribute('device/wwid') or node.attribute('wwid'), **self.properties}
        if os.path.exists(path):
            properties = {}
        with open(path, 'w', encoding='utf-8') as f:
            f.write('I:1\n' + ''.join('E:%s=%s\n' % p for p in properties.items()) + 'V:1\n')
        self.made.append(path)

    def add_attributes(self, node, folder):
        """The capture's own lines, which go before what was made up. For a link VALUE is its target."""
        for path, value in node.sysfs:
            at = self.path(path if path.startswith('/') else folder + '/' + path)
            if 'enclosure_device:' in path:
                self.add_slot(at, value.replace('\\x20', ' '))
            else:
                self.put(at, value)

    def add_slot(self, link, target):
        """A place in an enclosure, and the enclosure's own folder in its class."""
        slot = os.path.normpath(os.path.join(os.path.realpath(os.path.dirname(link)), target))
        self.folder(slot)
        self.link(link, slot)
        enclosure = os.path.dirname(slot)
        self.link('/sys/class/enclosure/' + os.path.basename(enclosure), enclosure)

    # ---- drives come and go

    def drives(self):
        return self.state('drives', [])

    def plug(self, capture, names=None, events=True, properties=None):
        """A drive comes, under other names of its devices if wanted ({old: new}), and with properties in udev's data base.
        Returns the names."""
        capture, self.properties = Capture(capture), properties or {}
        names = {node.name: (names or {}).get(node.name, node.name) for node in capture.nodes}
        controllers = {names[node.name]: node for node in capture.nodes if node.is_controller}
        self.made = []
        for node in sorted(capture.nodes, key=lambda n: not n.is_controller):
            if node.is_controller:
                self.add_controller(capture, node, names[node.name])
            elif capture.transport == 'nvme':
                self.add_namespace(node, names[node.name], controllers)
            else:
                self.add_scsi(capture, node, names[node.name])
        drive = {'capture': capture.path, 'names': names, 'made': self.made, 'events': self.events_of(capture, names)}
        self.set_state('drives', self.drives() + [drive])
        self.write_map(self.drives())
        if events:
            self.send('add', drive)
        return list(names.values())

    def unplug(self, name, events=True):
        """The drive that has this device goes."""
        drive = next(d for d in self.drives() if name in d['names'].values())
        rest = [d for d in self.drives() if d != drive]
        self.take_away(drive['made'])
        self.set_state('drives', rest)
        self.write_map(rest)
        if events:
            self.send('remove', drive)

    def clear(self):
        for drive in self.drives():
            self.unplug(next(iter(drive['names'].values())), events=False)

    def events_of(self, capture, names):
        """[(path, words)] of what the kernel would say of each device."""
        events = []
        for node in capture.nodes:
            name = names[node.name]
            kind = 'nvme' if node.is_controller else 'block'
            path = os.path.realpath(self.path('/sys/class/%s/%s' % (kind, name)))[len(self.root):]
            major, minor = self.number_of(path)
            words = ['SUBSYSTEM=' + kind, 'DEVNAME=' + name, 'MAJOR=' + major, 'MINOR=' + minor]
            events.append((path, words + ([] if node.is_controller else ['DEVTYPE=disk'])))
        return events

    def number_of(self, path):
        with open(self.path(path + '/dev'), encoding='utf-8') as f:
            return f.read().strip().split(':')

    def send(self, action, drive, *options):
        for path, words in drive['events']:
            subprocess.run([program('fakeuevent'), *options, action, path, *words], check=True)


# ---- entering it

STANDARD_NODES = ('null', 'zero', 'full', 'random', 'urandom', 'tty', 'ptmx')


def make_root():
    """In the name spaces: an empty host, over /sys, /dev and /run."""
    def mount(*words):
        subprocess.run(['mount', *words], check=True)

    mount('-t', 'tmpfs', 'fake-host', '/run')
    for folder in ('sys/block', 'sys/bus/scsi', 'sys/class/block', 'sys/class/nvme', 'sys/class/scsi_host', 'sys/dev/block',
                   'sys/dev/char', 'sys/devices', 'dev/shm', 'dev/pts', 'state'):
        os.makedirs(os.path.join(ROOT, folder))
    os.makedirs('/run/udev/data')
    # sd-device's monitor believes that udevd runs if this is there.
    open('/run/udev/control', 'w').close()
    open(ROOT + '/map', 'w').close()
    for node in STANDARD_NODES:
        subprocess.run(['cp', '-a', '/dev/' + node, ROOT + '/dev/'], check=True)
    for name, target in (('fd', '/proc/self/fd'), ('stdin', 'fd/0'), ('stdout', 'fd/1'), ('stderr', 'fd/2')):
        os.symlink(target, ROOT + '/dev/' + name)
    mount('--bind', '/dev/shm', ROOT + '/dev/shm')
    mount('--rbind', ROOT + '/dev', '/dev')
    mount('--bind', ROOT + '/sys', '/sys')
    subprocess.run(['ip', 'link', 'set', 'lo', 'up'], check=True)


def enter(captures, words):
    """Replaces this process by the program in a new host. With the program ends all that it started."""
    os.environ['FAKE_HOST_INSIDE'] = '1'
    os.execvp('unshare', ['unshare', '--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc',
                          '--propagation', 'private', sys.executable, '-B', os.path.abspath(__file__), 'run', *captures, '--', *words])


def run(captures, words):
    if not os.access(program('fd-unotify'), os.X_OK):
        sys.exit('no %s; top_builddir tells where it was built' % program('fd-unotify'))
    if os.environ.pop('FAKE_HOST_INSIDE', None) is None:
        enter([os.path.abspath(c) for c in captures], words)
    make_root()
    host = Host()
    for capture in captures:
        host.plug(capture, events=False)
    os.environ['SYSTEMD_DEVICE_VERIFY_SYSFS'] = '0'     # else sd-device takes no /sys that is not sysfs
    os.environ['FAKE_HOST'] = ROOT
    os.execv(program('fd-unotify'), ['fd-unotify', '--map=' + ROOT + '/map', '--', *words])


def missing():
    """What is not there that a host needs; None: nothing."""
    if os.geteuid() != 0:
        return 'only root can make a host'
    for tool in ('unshare', 'mount', 'ip', 'mknod'):
        if not shutil.which(tool):
            return 'no ' + tool
    for name in ('fd-unotify', 'fakeuevent'):
        if not os.access(program(name), os.X_OK):
            return 'no ' + program(name)
    done = subprocess.run([sys.executable, '-B', os.path.abspath(__file__), 'run', '--', 'true'], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    if done.returncode:
        words = done.stdout.decode('utf-8', 'replace').strip().splitlines()
        return 'no host can be made here: ' + (words[-1] if words else 'status %d' % done.returncode)
    return None


def main(words):
    if words[:1] == ['run'] and '--' in words[:-1]:
        at = words.index('--')
        run(words[1:at], words[at + 1:])
    elif words[:1] == ['plug'] and len(words) >= 2:
        print(*Host().plug(words[1], dict(w.split('=', 1) for w in words[2:])))
    elif words[:1] == ['unplug'] and len(words) == 2:
        Host().unplug(words[1])
    else:
        sys.exit(__doc__)


if __name__ == '__main__':
    main(sys.argv[1:])
