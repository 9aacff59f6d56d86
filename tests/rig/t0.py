#!/usr/bin/env python3
"""The real programs on fake drives, in a host made of captures on this kernel (host.py): what drive_prober reads is what a
replay of the same capture gives; other tools read the same; drives come, go and change places; and what may hang in sysfs
is left alone by all but the prober's children."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]

import cases
import exporter
import host as rig
import made

QUIET = ('--log.level=error', '--no-collector.history')
EVERYTHING = (*QUIET, '--collector.host-phys', '--collector.ata-attributes')

# Differ by their nature: moments, durations, and the state of a path
NOT_COMPARED = ('drive_exporter_', 'process_', 'drive_io_', 'drive_poll_timestamp_seconds', 'drive_command_seconds_total',
                'drive_path_state')

NETLINK_KOBJECT_UEVENT = 15     # linux/netlink.h

host = rig.Host()


def capture(name):
    return os.path.join(exporter.CAPTURES, name + '.capture')


def run(*words, timeout=exporter.PATIENCE_S):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout)
    return done.returncode, done.stdout.decode('utf-8', 'replace'), done.stderr.decode('utf-8', 'replace')


@contextlib.contextmanager
def plugged(*captures, **options):
    """The only drives of the host, for a while. Yields the names of each."""
    host.clear()
    try:
        yield [host.plug(path, events=False, **options) for path in captures]
    finally:
        host.clear()


def write(folder, name, text):
    """Atomically, as a fake drive wants it."""
    path = os.path.join(folder, name)
    with open(path + '.new', 'w', encoding='utf-8') as f:
        f.write(text)
    os.rename(path + '.new', path)
    return path


def small(folder, device, serial, number, **more):
    return write(folder, serial + '.capture', made.capture(device, serial, 0x5000c500fade0000 + 16 * number, **more))


def number_after(pattern, text):
    found = re.search(pattern + r'\s*[:=]?\s*(\d+)', text)
    return int(found.group(1)) if found else None


# ---- the rig itself

def used(percent):
    return {'log-sense page=11': made.log_page(0x11, (1, bytes([0, 0, 0, percent])))}


def percent_used(device, timeout=exporter.PATIENCE_S):
    return number_after('Percentage used endurance indicator', run(exporter.tool('sg_logs'), '-p', '0x11', '/dev/' + device,
                                                                   timeout=timeout)[1])


def fault(path, *lines):
    if lines:
        write(os.path.dirname(path), os.path.basename(path) + '.fault', '\n'.join(lines) + '\n')
    else:
        os.unlink(path + '.fault')


def fake_drive(folder):
    """A capture that is replaced, and faults by hand."""
    path, other = small(folder, 'sda', 'RIGTEST1', 1, changes=used(42)), small(folder, 'sdb', 'RIGTEST2', 2, changes=used(7))
    with plugged(path, other):
        cases.check(percent_used('sda') == 42 and percent_used('sdb') == 7, 'a fake drive answers what its capture says')
        small(folder, 'sda', 'RIGTEST1', 1, changes=used(99))
        cases.check(percent_used('sda') == 99, 'and what another one says that takes its place')
        fault(path, 'log-sense page=11 sense=6/29/0 once')
        cases.check(percent_used('sda') is None and percent_used('sda') == 99, 'a fault by hand, once')
        fault(path, '# only of this page', 'log-sense page=0d status=08', 'read hang')
        cases.check(percent_used('sda') == 99, 'a fault of another command is none of this one')
        fault(path, 'log-sense delay=400')
        began = time.monotonic()
        cases.check(percent_used('sda') == 99 and time.monotonic() - began >= 0.4, 'a delay')
        hang_ends(path)
        write(folder, 'RIGTEST1.capture', made.capture('sda', 'RIGTEST1', 0x5000c500fade0010, tail=['@ 0', 'absent']))
        cases.check(run(exporter.tool('sg_logs'), '-p', '0x11', '/dev/sda')[0] != 0, 'nobody answers where the capture is absent')


def hang_ends(path):
    fault(path, '* hang')
    hung = subprocess.Popen([exporter.tool('sg_logs'), '-p', '0x11', '/dev/sda'], stdout=subprocess.PIPE)
    time.sleep(0.3)
    cases.check(hung.poll() is None and percent_used('sdb') == 7, 'a drive that hangs hangs no other')
    fault(path)
    answer = hung.communicate(timeout=10)[0].decode('utf-8')
    cases.check(number_after('endurance indicator', answer) == 99, 'and answers once it is let go', answer)


def events_are_heard(folder):
    """By whoever listens to the kernel (group 1), and to udevd (group 2)."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_KOBJECT_UEVENT) as ours:
        ours.bind((0, 3))
        ours.settimeout(2)
        with plugged(small(folder, 'sda', 'RIGTEST1', 1)):
            host.send('add', host.drives()[-1])
        messages = [ours.recvfrom(8192) for _ in range(2)]
    path = '/devices/pci0000:00/0000:00:1f.9/'
    cases.check(messages[0][0].startswith(('add@' + path).encode()) and b'\0DEVNAME=sda\0' in messages[0][0] and
                messages[0][1] == (0, 1), 'fakeuevent sends what is the kernel\'s own', messages[0])
    cases.check(messages[1][0].startswith(b'libudev\0') and b'\0DEVNAME=sda\0' in messages[1][0] and messages[1][1][1] == 2,
                'and what is udevd\'s', messages[1])


# ---- the same as in a replay

def comparable(metrics):
    """{drive: what must be the same}"""
    found = {}
    for name, labels, value in metrics.samples:
        if 'drive' in labels and not name.startswith(NOT_COMPARED):
            found.setdefault(labels['drive'], []).append((name, tuple(sorted(labels.items())), value))
    return {drive: sorted(samples) for drive, samples in found.items()}


LEFT_OUT = {'wdc_ss530_sas_busy': 'BUSY at first, so that each program asks again in its own way, and waits 20 s to do it'}


def groups():
    """All captures, by as many as there are nodes for their disks."""
    group, room = [], rig.LOOPS
    for name in sorted(os.listdir(exporter.CAPTURES)):
        if not name.endswith('.capture') or name.partition('.')[0] in LEFT_OUT:
            continue
        path = os.path.join(exporter.CAPTURES, name)
        disks = sum(not node.is_controller for node in rig.Capture(path).nodes)
        if disks > room:
            yield group
            group, room = [], rig.LOOPS
        group.append(path)
        room -= disks
    yield group


def replay(path):
    return comparable(exporter.Metrics(exporter.once(*EVERYTHING, '--replay=' + path)[0]))


def same_as_replayed(_):
    """At the start of each: none of them changes, or hangs, in its first seconds."""
    for name, reason in LEFT_OUT.items():
        print('# left out: %s (%s)' % (name, reason))
    for group in groups():
        with plugged(*group):
            live = comparable(exporter.Metrics(exporter.once(*EVERYTHING)[0]))
        replayed = {drive: samples for path in group for drive, samples in replay(path).items()}
        for drive in sorted(live.keys() | replayed.keys()):
            wanted, found = replayed.get(drive, []), live.get(drive, [])
            cases.check(wanted and wanted == found, 'drive_prober reads %s as drive_replay does' % drive,
                        '\n'.join('%s %s' % ('replay' if s in wanted else 'prober', s)
                                  for s in sorted(set(wanted) ^ set(found))[:20]))


def known_by_udevd(_):
    """A disk that sleeps is not asked who it is, but udevd has asked it before."""
    properties = {'ID_MODEL': 'WDC_WD30EFRX-68EUZN0', 'ID_SERIAL_SHORT': 'WD-MADEUP'}
    with plugged(capture('sata_hdd_standby')):
        before = exporter.Metrics(exporter.once(*QUIET)[0]).drives()
    with plugged(capture('sata_hdd_standby'), properties=properties):
        after = exporter.Metrics(exporter.once(*QUIET)[0]).drives()
    cases.check('MADEUP' not in str(before) and after == ['WDC_WD30EFRX-68EUZN0_WD-MADEUP'],
                'a sleeping disk is known by udev\'s data base', '%s; %s' % (before, after))


# ---- other tools

def sas_tools(device):
    report = json.loads(run(exporter.tool('smartctl'), '-a', '-j', '/dev/' + device)[1])
    page_15, page_37 = (run(exporter.tool('sg_logs'), '-p', page, '/dev/' + device)[1] for page in ('0x15', '0x37'))
    minutes = number_after('Accumulated power on minutes', page_15)
    return {'wear': report['scsi_percentage_used_endurance_indicator'], 'temperature': report['temperature']['current'],
            'hours': minutes and minutes // 60, 'written': number_after('Total Bytes Written', page_37)}


def sata_tools(device):
    report = json.loads(run(exporter.tool('smartctl'), '-x', '-j', '-d', 'sat', '/dev/' + device)[1])
    pages = report['ata_device_statistics']['pages']
    statistics = {entry['name']: entry.get('value') for page in pages for entry in page['table']}
    return {'wear': statistics['Percentage Used Endurance Indicator'], 'temperature': report['temperature']['current'],
            'hours': report['power_on_time']['hours'], 'written': 512 * statistics['Logical Sectors Written']}


def nvme_tools(device):
    report = json.loads(run(exporter.tool('nvme'), 'smart-log', '-o', 'json', '/dev/' + device)[1])
    # nvme-cli writes 128-bit numbers as strings
    return {'wear': report['percent_used'], 'temperature': report['temperature'] - 273, 'hours': int(report['power_on_hours']),
            'written': 512000 * int(report['data_units_written'])}


def served(metrics, drive):
    def value(name, **labels):
        return [v for _, v in metrics.all(name, drive=drive, **labels)]

    return {'wear': [round(100 * v) for v in value('drive_endurance_used_ratio')],
            'temperature': [round(v) for v in value('drive_temperature_celsius')],
            'hours': [int(v / 3600) for v in value('drive_power_on_seconds_total')],
            'written': value('drive_written_bytes_total')}


def same_as_tools(_):
    for name, tools in (('hgst_ss200_sas', sas_tools), ('micron_5300_sata', sata_tools), ('nvme_intel_p4510', nvme_tools)):
        with plugged(capture(name)) as ((device, *_),):
            told = tools(device)
            metrics = exporter.Metrics(exporter.once(*QUIET)[0])
        ours = served(metrics, metrics.drives()[0])
        for quantity, value in told.items():
            cases.check(value is not None and value in ours[quantity], '%s of %s is what other tools read' % (quantity, name),
                        'they: %s; we: %s' % (value, ours[quantity]))


# ---- captures made of it

def text_of(written):
    """All strings in a capture: its lines, and its bytes as they are and with each pair swapped, as ATA has them."""
    data = bytearray()
    for line in written.splitlines():
        words = line.partition('#')[0].split()
        if words and all(re.fullmatch('[0-9a-f]{2}', w) for w in words):
            data += bytes(int(w, 16) for w in words)
    swapped = bytearray(data + b'\0')
    swapped[0:len(data) // 2 * 2:2], swapped[1:len(data) // 2 * 2:2] = data[1:len(data) // 2 * 2:2], data[0:len(data) // 2 * 2:2]
    return written + data.decode('latin-1') + swapped.decode('latin-1')


def captured(folder):
    for name in ('hgst_ss200_sas', 'micron_5300_sata', 'nvme_intel_p4510'):
        with plugged(capture(name)) as ((device, *_),):
            metrics = exporter.Metrics(exporter.once(*QUIET)[0])
            status, out, err = run(exporter.PROGRAM, 'capture', '/dev/' + device, '--keep-serials')
            redacted = run(exporter.PROGRAM, 'capture', device)[1]
        path = os.path.join(folder, name + '.capture')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(out)
        if not cases.check(status == 0 and out.startswith(('#', 'drive-capture 1')), 'capture writes one of ' + name,
                           'status %d: %s' % (status, err)):
            continue
        wanted = comparable(metrics)
        found = comparable(exporter.Metrics(exporter.once(*QUIET, '--replay=' + path)[0]))
        cases.check(wanted == found, 'in replay it gives the same metrics',
                    '\n'.join(map(str, sorted(set(sum(wanted.values(), [])) ^ set(sum(found.values(), [])))[:20])))
        serial = metrics.all('drive_info')[0][0]['serial']
        cases.check(redacted and serial not in text_of(redacted), 'without --keep-serials no serial number is in it', serial)


# ---- who touches what

class Trace:
    """What strace saw: (process, call), and who is a child of the prober."""

    def __init__(self, path):
        supervisors, parents, self.calls = set(), {}, []
        with open(path, encoding='utf-8', errors='replace') as f:
            for line in f:
                pid, _, call = line.rstrip('\n').partition(' ')
                pid, call = int(pid), call.strip()
                if re.search(r'execve\("[^"]*/drive_prober"', call):
                    supervisors.add(pid)
                born = re.search(r'(?:clone3?|v?fork)(?:\(| resumed).* = (\d+)$', call)
                if born:
                    parents[int(born.group(1))] = pid
                self.calls.append((pid, call))
        self.children = {pid for pid, parent in parents.items() if parent in supervisors}

    def calls_of(self, pattern):
        return [(pid, call) for pid, call in self.calls if re.search(pattern, call)]

    def outside(self, found):
        return [call for pid, call in found if pid not in self.children]


TRACED = 'trace=open,openat,openat2,ioctl,execve,clone,clone3,fork,vfork'
# What every C library asks of its standard streams
HARMLESS_IOCTL = r'ioctl\(\d+, (TCGETS|TIOCGWINSZ)'


def traced(folder):
    log = os.path.join(folder, 'strace')
    with plugged(capture('hgst_ss200_sas'), capture('micron_5300_sata'), capture('nvme_intel_p4510')):
        run(exporter.tool('strace'), '-f', '-o', log, '-e', TRACED, exporter.PROGRAM, 'once', *QUIET)
    trace = Trace(log)
    ioctls = [c for c in trace.calls_of(r'ioctl\(') if not re.search(HARMLESS_IOCTL, c[1])]
    cases.check(ioctls and not trace.outside(ioctls), 'no ioctl outside the prober\'s children',
                '\n'.join(trace.outside(ioctls)[:10]) or 'none at all was seen')
    opens = trace.calls_of(r'open(?:at2?)?\(.*"(/dev/(sd|nvme)|/proc/self/fd/(?![012]"))')
    writing = [call for _, call in opens if re.search(r'O_RDWR|O_WRONLY|O_CREAT|O_TRUNC', call)]
    cases.check(opens and not writing, 'devices are opened read-only', '\n'.join(writing[:10]) or 'none was opened')
    cases.check(not trace.outside(opens), 'and by the prober\'s children alone', '\n'.join(trace.outside(opens)[:10]))


# Attributes for which the kernel asks hardware, which may never answer. Named by what is in their paths.
HANGING = (r'sas_phy/.*/(negotiated_linkrate|.*_count)', r'enclosure/.*/(status|fault|active|locate)', r'hwmon\d*/temp\d+_input',
           r'(current|max)_link_(speed|width)')

# Of these the prober is asked
ASKED_FOR = (r'sas_phy/.*/negotiated_linkrate"', r'current_link_speed"')


def make_fifos():
    """In the place of all that are there, and of those that a capture does not have. Returns their paths."""
    for pattern in ('block/sdi/device', 'class/nvme/nvme3/device', 'class/nvme/nvme3'):
        host.put('/sys/%s/hwmon/hwmon1/temp1_input' % pattern, '30000')
    for attribute in ('status', 'fault', 'active', 'locate'):
        host.put('/sys/class/enclosure/0:0:24:0/Slot 05/' + attribute, '0')
    paths = [os.path.join(folder, file) for folder, _, files in os.walk('/sys/devices') for file in files]
    paths = [path for path in paths if any(re.search(pattern + '$', path) for pattern in HANGING)]
    for path in paths:
        os.unlink(path)
        os.mkfifo(path)
    return paths


def hanging_attributes(folder):
    log = os.path.join(folder, 'strace')
    host.clear()
    for name in ('sas_dual_port', 'nvme_two_controllers'):
        host.plug(capture(name), events=False)
    fifos = make_fifos()
    with exporter.Exporter(*EVERYTHING, prefix=[exporter.tool('strace'), '-f', '-o', log, '-e', TRACED]) as daemon:
        metrics = daemon.wait_for_visits(2)
        exporter.wait_for('the prober opened one of each', lambda: all(Trace(log).calls_of(p) for p in ASKED_FOR))
        end_traced(daemon)
    for pattern in HANGING:
        cases.check(any(re.search(pattern + '$', path) for path in fifos), 'a FIFO stands for ' + pattern, '\n'.join(fifos))
    opened = Trace(log).calls_of('|'.join(pattern + '"' for pattern in HANGING))
    strangers = Trace(log).outside(opened)
    cases.check(not strangers, 'nobody but its children opens it', '\n'.join(strangers[:10]))
    cases.check(len(metrics.all('drive_up')) == 2 and all(v == 1 for _, v in metrics.all('drive_up')),
                'what cannot be read there costs no drive its other readings', metrics.text[:2000])
    for path in fifos:
        os.unlink(path)
    host.clear()


def hanging_child(_):
    """strace holds up whoever reads an attribute, as a driver would that waits for its hardware."""
    with plugged(capture('sas_dual_port')):
        # By the names that drive_prober uses: strace compares those
        attributes = ['/sys/class/sas_phy/%s/negotiated_linkrate' % phy for phy in os.listdir('/sys/class/sas_phy')]
        words = [word for path in attributes for word in ('-P', path)]
        prefix = [exporter.tool('strace'), '-f', '-qq', '-o', '/dev/null', *words, '-e', 'inject=openat:delay_enter=60s']
        with exporter.Exporter(*EVERYTHING, '--poll.interval=1s', prefix=prefix) as daemon:
            daemon.wait_until('the drive is read',
                              lambda m: m.all('drive_temperature_celsius') and m.all('drive_endurance_used_ratio'))
            time.sleep(2)
            metrics = daemon.metrics()
            host_side = metrics.all('drive_link_errors_total', side='host')
            cases.check(attributes and not host_side and metrics.value('drive_up') == 1,
                        'a child that hangs on one costs that reading only', 'up: %s; %s' % (metrics.all('drive_up'), host_side))
            end_with_children(daemon)


def family(pid):
    """A process and all that it started."""
    with contextlib.suppress(OSError), open('/proc/%d/task/%d/children' % (pid, pid), encoding='utf-8') as f:
        return [pid] + [p for child in f.read().split() for p in family(int(child))]
    return [pid]


def end_traced(daemon):
    """strace keeps signals to itself, and ends with what it runs."""
    os.kill(family(daemon.process.pid)[1], signal.SIGTERM)
    daemon.process.wait(exporter.PATIENCE_S)


def end_with_children(daemon):
    """strace would wait for those that it holds up."""
    for pid in family(daemon.process.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


# ---- drives that come and go

IDENTITY = {'drive_present', 'drive_missing_since_timestamp_seconds', 'drive_info', 'drive_slot_info', 'drive_power_on_seconds_total'}
SOON_S = 5
AT_ONCE_S = 2


def plug_quietly(path, **options):
    """Returns what is to be sent."""
    host.plug(path, events=False, **options)
    return host.drives()[-1]


def unplug_quietly(drive):
    host.unplug(next(iter(drive['names'].values())), events=False)


def is_up(serial):
    return lambda m: any(serial in labels['drive'] and v == 1 for labels, v in m.all('drive_up'))


def soon(daemon, what, condition, limit_s=SOON_S):
    """Whether it comes true in time, checked."""
    began = time.monotonic()
    try:
        metrics = daemon.wait_until(what, condition, limit_s)
    except AssertionError:
        cases.check(False, '%s in under %g s' % (what, limit_s),
                    [s for s in daemon.metrics().samples if s[0] in ('drive_present', 'drive_up')] or 'no drive is served')
        return None
    cases.check(True, '%s in under %g s (%.1f s)' % (what, limit_s, time.monotonic() - began))
    return metrics


def left_behind(metrics, drive):
    """The families of a drive that is gone."""
    return sorted({name for name, labels, _ in metrics.samples if labels.get('drive') == drive})


def hot_plug(folder, sender):
    """By events of the kernel or of udevd alone."""
    option = '--from=' + sender
    path = small(folder, 'sda', 'PLUGGED1', 1)
    host.clear()
    with exporter.Exporter(*QUIET) as daemon:
        daemon.wait_until('it looked for drives', lambda m: m.value('drive_exporter_drives_seen') == 0)
        time.sleep(1)
        drive = plug_quietly(path)
        host.send('add', drive, option)
        metrics = soon(daemon, 'a drive that %s tells of is served' % sender, is_up('PLUGGED1'))
        unplug_quietly(drive)
        host.send('remove', drive, option)
        if not metrics:
            return
        label = metrics.drives()[0]
        metrics = soon(daemon, 'after its removal it is not up', lambda m: not m.all('drive_up', drive=label), AT_ONCE_S)
        if metrics:
            families = left_behind(metrics, label)
            cases.check('drive_info' in families and not set(families) - IDENTITY and
                        metrics.value('drive_present', drive=label) == 0,
                        'drive_present 0 and its identity are all that stays of it', ' '.join(families) or 'nothing is left')
        other = plug_quietly(small(folder, 'sda', 'PLUGGED2', 2))
        host.send('add', other, option)
        metrics = soon(daemon, 'another serial number in the same place is another drive', is_up('PLUGGED2'))
        cases.check(metrics and not is_up('PLUGGED1')(metrics), 'and not the one that was there')


def devices(metrics):
    """{serial number: device}"""
    serials = {labels['drive']: labels['serial'] for labels, _ in metrics.all('drive_info') if 'serial' in labels}
    return {serials.get(labels['drive']): labels['device'] for labels, _ in metrics.all('drive_device_info')}


def renamed(folder):
    """Two disks are pulled and come back, each under the name that the other had."""
    first, second = small(folder, 'sda', 'RENAMED1', 3), small(folder, 'sdb', 'RENAMED2', 4)
    host.clear()
    drives = [plug_quietly(first), plug_quietly(second)]
    with exporter.Exporter(*QUIET) as daemon:
        before = daemon.wait_for_visits(2)
        for drive in drives:
            unplug_quietly(drive)
            host.send('remove', drive)
        for path, names in ((first, {'sda': 'sdb'}), (second, {'sdb': 'sda'})):
            host.send('add', plug_quietly(path, names=names))
        metrics = soon(daemon, 'two disks that changed names keep their serial numbers',
                       lambda m: devices(m) == {'RENAMED1': 'sdb', 'RENAMED2': 'sda'} and len(m.all('drive_up')) == 2)
        cases.check(metrics and metrics.drives() == before.drives(), 'and are the same drives as before', before.drives())


def cannot_tell(folder):
    """A drive that hangs from the start is known by its world wide name, if it was here before."""
    host.clear()
    path, state = small(folder, 'sda', 'SILENT01', 11), os.path.join(folder, 'state')
    os.mkdir(state)
    with plugged(path), exporter.Exporter('--log.level=error', environment={'STATE_DIRECTORY': state}) as daemon:
        label = daemon.wait_for_visits(1).drives()[0]
    fault(path, '* hang')
    with plugged(path), exporter.Exporter('--log.level=error', environment={'STATE_DIRECTORY': state}) as daemon:
        metrics = soon(daemon, 'a drive that hangs has the name that it had', lambda m: m.drives() == [label])
        cases.check(metrics and metrics.value('drive_present', drive=label) == 1 and not metrics.all('drive_missing_since_timestamp_seconds'),
                    'and is not missing')
        time.sleep(7)
        cases.check(daemon.metrics().all('drive_command_started_timestamp_seconds', drive=label), 'it is told to be stuck under that name')
    fault(path)


# ---- many events

class Footprint:
    """Processes and descriptors of the exporter and all that it started, and its own memory."""

    def __init__(self, daemon):
        pids = family(daemon.process.pid)
        self.processes, self.descriptors = len(pids), 0
        for pid in pids:
            with contextlib.suppress(OSError):
                self.descriptors += len(os.listdir('/proc/%d/fd' % pid))
        with open('/proc/%d/status' % pids[0], encoding='utf-8') as f:
            self.kibibytes = number_after('VmRSS', f.read())

    def __str__(self):
        return '%d processes, %d descriptors, %d KiB' % (self.processes, self.descriptors, self.kibibytes)


def fire(drive, count, seconds):
    """Starts that many events in about so many seconds, of a disk that is not there by the time that one looks."""
    path, words = drive['events'][0]
    return subprocess.Popen([rig.program('fakeuevent'), '--repeat=%d' % count, '--pause=%d' % (seconds * 1e6 / count),
                             'add,remove', path.replace('sda', 'sdz'), *[w.replace('sda', 'sdz') for w in words]])


def flicker(path, events):
    """While those are sent a drive really comes and goes, all the time."""
    while events.poll() is None:
        drive = plug_quietly(path)
        host.send('add', drive)
        time.sleep(0.25)
        unplug_quietly(drive)
        host.send('remove', drive)
        time.sleep(0.15)
    cases.check(events.returncode == 0, 'the events are sent')
    time.sleep(1)


def many_events(folder):
    host.clear()
    steady = plug_quietly(small(folder, 'sda', 'STORMY01', 5))
    guest = small(folder, 'sdb', 'STORMY02', 8)
    with exporter.Exporter(*QUIET, '--poll.interval=1s') as daemon:
        daemon.wait_for_visits(1)
        flicker(guest, fire(steady, 1000, 2))
        before = Footprint(daemon)
        events = fire(steady, 9000, 4)
        host.send('add', plug_quietly(small(folder, 'sdc', 'STORMY03', 9)))
        soon(daemon, 'a drive that comes while events of others come without a pause is served', is_up('STORMY03'), 3)
        flicker(guest, events)
        after = Footprint(daemon)
        print('#   before: %s; after: %s' % (before, after))
        # Exporter, starter, supervisor, and a child for each of the three drives, the last of which came after the first look
        cases.check(after.processes <= 3 + 3, 'after 10,000 events it has as many processes as after 1,000', after)
        cases.check(after.descriptors - before.descriptors <= 8 * (after.processes - before.processes) + 2,
                    'as many descriptors, but for those of new processes', '%s; %s' % (before, after))
        cases.check(after.kibibytes < before.kibibytes * 1.1 + 512, 'and as much memory', '%s; %s' % (before, after))
        up = sorted(labels['drive'] for labels, v in daemon.metrics().all('drive_up') if v == 1)
        cases.check(len(up) == 2 and 'STORMY01' in up[0] and 'STORMY03' in up[1], 'and it serves as before', up)
    host.clear()


# ---- who may not

def refused(what, make_so, words, folder):
    """A drive that may not be read beside one that may."""
    good, bad = small(folder, 'sda', 'ALLOWED1', 6), small(folder, 'sdb', 'REFUSED1', 7)
    with plugged(good, bad):
        make_so(bad)
        _, out, err = run(*words, exporter.PROGRAM, 'once', *QUIET)
    metrics = exporter.Metrics(out)
    failures = sum(v for labels, v in metrics.all('drive_poll_failures_total', source='permission')
                   if 'ALLOWED1' not in labels['drive'])
    cases.check(failures > 0, '%s is a failure of permission' % what, err + out[:3000])
    seen, readable = (metrics.value('drive_exporter_drives_' + what) for what in ('seen', 'readable'))
    cases.check((seen, readable) == (2, 1), 'and such a drive is seen, but not readable', '%s seen, %s readable' % (seen, readable))


def close_node(_):
    """With mode 0000, beside one that all may open, since the prober is nobody then."""
    os.chmod('/dev/sda', 0o666)
    os.chmod('/dev/sdb', 0)


def refuse_ioctl(bad):
    fault(bad, '* errno=EPERM')


def permissions(folder):
    runtime = os.path.join(folder, 'runtime')
    os.mkdir(runtime)
    os.chown(runtime, 65534, 65534)
    nobody = ['env', 'RUNTIME_DIRECTORY=' + runtime, exporter.tool('setpriv'), '--reuid=65534', '--regid=65534',
              '--clear-groups', '--inh-caps=-all', '--bounding-set=-all']
    refused('a node that may not be opened', close_node, nobody, folder)
    refused('a command that the kernel does not let pass', refuse_ioctl, [], folder)


# ---- main

def hot_plug_by_udevd(folder):
    hot_plug(folder, 'udevd')


def hot_plug_by_kernel(folder):
    """As in a container, or where no udevd runs: sd-device's monitor knows by this socket."""
    os.rename('/run/udev/control', '/run/udev/control.away')
    hot_plug(folder, 'kernel')
    os.rename('/run/udev/control.away', '/run/udev/control')


CASES = (fake_drive, events_are_heard, same_as_replayed, known_by_udevd, same_as_tools, captured, traced, hanging_attributes,
         hanging_child, hot_plug_by_udevd, hot_plug_by_kernel, renamed, cannot_tell, many_events,
         permissions)


def main():
    """All cases, or those that are named."""
    for case in CASES:
        if not sys.argv[1:] or case.__name__ in sys.argv[1:]:
            began = time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                os.chmod(folder, 0o755)
                case(folder)
            print('# %s: %.1f s' % (case.__name__, time.monotonic() - began))


if 'FAKE_HOST' not in os.environ:
    reason = rig.missing() or next(('no ' + tool for tool in ('strace', 'smartctl', 'sg_logs', 'nvme', 'setpriv')
                                    if not exporter.tool(tool)), None)
    if reason or not os.access(exporter.PROGRAM, os.X_OK):
        cases.skip(reason or 'no ' + exporter.PROGRAM)
        cases.finish()
    rig.run([], [sys.executable, '-B', os.path.abspath(__file__), *sys.argv[1:]])
cases.run(main)
