#!/usr/bin/env python3
"""Drives of a true kernel: a guest with Debian's, whose SCSI disks and NVMe controllers answer out of captures and hang in
state D. All cases are in one boot; with RIG_FULL=1 there are more, in three others."""

import os
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]

import both
import cases
import drives
import exporter
import guest
import many
import tried
import watch

SAS, SATA, NVME = both.SAS, both.SATA, both.NVME
DISK, CLIENT = 'seagate_exos_7e8_sata', 'nvme_client'
SHARED = ('seagate_1200_sas', 'sas_hdd', 'hgst_he8_sas')    # of one host,
BESIDE = 'micron_5300_sata'                                 # and this one too
ALL = (SAS, SATA, DISK, NVME, CLIENT, BESIDE) + SHARED
OFTEN = (SAS, NVME, CLIENT) + SHARED        # ATA drives are read ten times as seldom
MODULES = ['virtio_pci', 'virtio_net', *drives.MODULES, 'virtio_scsi']

IS_FULL = os.environ.get('RIG_FULL') == '1'
STATE_S = 5      # how often states are looked at

EXPORTER = watch.PROGRAMS + '/drive_exporter --drive.fabrics --no-collector.drivedb --poll.interval=1s'
# An emulated machine, beside others that want the same processors. A scrape that waited for a drive would take 5 s at least.
SCRAPE_P50_S, SCRAPE_MAX_S = 0.5, 2.5
LATE_S, PLUGGED_S, MENDED_S = 3, 5, 10      # who is stuck is looked after every eighth of the time that it was
SETTLED_S = 10                              # until all pages of a first visit were asked
STUCK_S = 15                                # until the exporter calls a drive stuck: 5 s after its command began

QEMU_DRIVES = ['-device', 'virtio-scsi-pci,id=scsi', '-device', 'pcie-root-port,id=slot0,chassis=1',
               '-device', 'pcie-root-port,id=slot1,chassis=2']
for name in ('a', 'b', 'c'):
    QEMU_DRIVES += ['-blockdev', 'driver=null-co,node-name=%s,size=67108864,read-zeroes=on' % name]
QEMU_DRIVES += ['-device', 'nvme,id=first,drive=a,serial=FIRST,bus=slot0']

# What does not come from the drive, but from where it is and how it was asked
OF_THE_PLACE = ('drive_io_', 'drive_poll_', 'drive_command', 'drive_own_command_errors_total', 'drive_slot_info',
                'drive_device_info', 'drive_path_state')
OF_PCIE = ('drive_link_',)


class Rig:
    """The guest with its drives and the exporter."""

    def __init__(self, machine):
        self.guest, self.drives, self.n_exporters = machine, drives.Drives(machine), 0
        self.drives.scsi(SAS, SATA, DISK)
        self.drives.scsi(*SHARED, BESIDE, same_host=True)
        self.controllers = [self.drives.nvme(name) for name in (NVME, CLIENT)]
        machine.run('mkdir -p /var/lib/drive_exporter')

    def start_exporter(self):
        self.n_exporters += 1
        self.guest.start('exporter%d' % self.n_exporters, EXPORTER)

    def again_s(self):
        """How long it may take until all drives are read again: two poll periods, and not much longer than at first."""
        return 2 + 2 * self.first_s

    def label(self, name):
        return self.drives.label(name)

    def labels(self, names, but=()):
        return {self.label(name) for name in names if name not in but}

    def log(self):
        return self.guest.log_of('exporter%d' % self.n_exporters)

    def hang(self, name, fault='log-sense hang'):
        """Until the exporter calls the drive stuck; its metrics."""
        self.drives.fault(name, fault)
        label = self.label(name)
        return self.guest.wait_until(name + ' is stuck', lambda m: started(m, label), STUCK_S)[0]

    def mend(self, name):
        """How many seconds it takes until it is read again."""
        self.drives.mend(name)
        label = self.label(name)
        return self.guest.wait_until(name + ' is read again', lambda m: not started(m, label) and label in watch.up(m))[1]


def started(metrics, label):
    return metrics.value('drive_command_started_timestamp_seconds', drive=label)


def check_scrapes(scraping, when):
    print('# %s: %s' % (when, scraping))
    cases.check(scraping.p50() < SCRAPE_P50_S and max(scraping.seconds) < SCRAPE_MAX_S and not scraping.failures,
                'no scrape waits: %s' % when, '%s\n%s' % (scraping, '\n'.join(scraping.failures[:3])))


# ---- what is read

def as_replayed(rig, metrics, name):
    """Differences between what the guest's drive shows and what its capture shows where it is replayed."""
    wanted, label = drives.replayed(rig.drives.path(name))
    ignored = OF_THE_PLACE + (OF_PCIE if name in (NVME, CLIENT) else ())

    def series(all_of_them):
        return {(family, tuple(sorted(labels.items()))): value for family, labels, value in all_of_them.samples
                if labels.get('drive') == label and not family.startswith(ignored)}
    want, have = series(wanted), series(metrics)
    return len(want), ['%s%s: %s, replayed %s' % (k[0], dict(k[1]), have.get(k), want.get(k))
                       for k in sorted(want.keys() | have.keys()) if want.get(k) != have.get(k)]


def readings(rig):
    rig.start_exporter()
    metrics, seconds = rig.guest.wait_until('all drives up', lambda m: rig.labels(ALL) <= watch.up(m), 30)
    print('# all %d drives up %.1f s after the start' % (len(ALL), seconds))
    rig.first_s = seconds
    for name in ALL:
        wrong = None
        end = time.monotonic() + SETTLED_S
        while wrong is None or (wrong and time.monotonic() < end):
            metrics = rig.guest.metrics()
            n, wrong = as_replayed(rig, metrics, name)
        cases.check(n > 50 and not wrong, '%s: all %d series are as its capture is replayed' % (name, n), '\n'.join(wrong))
    both.references(rig, metrics)


# ---- hangs

def hang(rig):
    with watch.Scraping(rig.guest) as scraping:
        time.sleep(3)
    check_scrapes(scraping, 'all drives answer')
    with watch.Scraping(rig.guest) as scraping:
        metrics = rig.hang(SAS)
        node = watch.node(metrics, rig.label(SAS))
        child = watch.hung(rig.guest, node)
        cases.check(len(child) == 1, 'the child of the hung drive is in state D', watch.processes(rig.guest, node))
        rig.guest.run('kill -9 %d' % child[0].pid)
        time.sleep(1)
        cases.check([p.pid for p in watch.hung(rig.guest, node)] == [child[0].pid], 'kill -9 has no effect on it',
                    watch.processes(rig.guest, node))
        metrics = rig.guest.metrics()
        late = watch.ages(metrics, rig.labels(OFTEN, but=[SAS]))
        print('# while one hangs the others were read %.1f s ago at most' % max(late.values()))
        cases.check(len(late) == len(OFTEN) - 1 and max(late.values()) < LATE_S, 'all other drives are polled on', late)
        cases.check(rig.labels(ALL, but=[SAS]) <= watch.up(metrics) and rig.label(SAS) not in watch.up(metrics),
                    'the hung drive is down, the others are up', watch.up(metrics))
        since = metrics.value('drive_exporter_time_seconds') - started(metrics, rig.label(SAS))
        cases.check(4 < since < STUCK_S, 'since when the drive hangs is told', '%.1f s' % since)
        prober_crashes(rig, node, child[0].pid)
    check_scrapes(scraping, 'a drive hangs, the prober is killed')
    exporter_crashes(rig, node, child[0].pid)
    seconds = rig.mend(SAS)
    cases.check(seconds < MENDED_S, 'once the drive answers it is read again', '%.1f s' % seconds)
    print('# read again %.1f s after the drive answers' % seconds)
    exporter.wait_for('the old child ends', lambda: child[0].pid not in [p.pid for p in watch.processes(rig.guest, node)])


def alone_in_state_d(rig, node, pid):
    """A successor's child may be there, but it asks the drive nothing."""
    time.sleep(1.5)
    found = watch.stays_hung(rig.guest, node)
    cases.check([p.pid for p in found] == [pid] and len(watch.processes(rig.guest, node)) <= 2,
                'no second child hangs for the drive', watch.processes(rig.guest, node))


def prober_crashes(rig, node, pid):
    others = rig.labels(OFTEN, but=[SAS])
    moment = rig.guest.metrics().value('drive_exporter_time_seconds')
    rig.guest.run('kill -9 %d' % watch.processes(rig.guest, 'drive_prober')[0].pid)
    seconds = rig.guest.wait_until('others are read again', lambda m: watch.read_since(m, moment, others))[1]
    print('# prober killed: all %d other drives were read again after %.1f s' % (len(others), seconds))
    cases.check(seconds < rig.again_s(), 'the prober is killed: all other drives are read again', '%.1f s' % seconds)
    alone_in_state_d(rig, node, pid)


def exporter_crashes(rig, node, pid):
    others = rig.labels(OFTEN, but=[SAS])
    old = watch.processes(rig.guest, 'drive_exporter', 'drive_prober')
    rig.guest.run('kill -9 %d' % [p.pid for p in old if p.name == 'drive_exporter'][0])
    exporter.wait_for('both programs end', lambda: not watch.processes(rig.guest, 'drive_exporter', 'drive_prober'), 5)
    left = [p for p in watch.processes(rig.guest, *['sd' + c for c in 'abcdefghij'], 'nvme0', 'nvme1', 'nvme2')]
    cases.check([p.pid for p in left] == [pid], 'the exporter is killed: all its processes end but the hung child', left)
    rig.start_exporter()
    seconds = rig.guest.wait_until('the others are up', lambda m: others <= watch.up(m))[1]
    print('# exporter killed and started: all other drives read again after %.1f s' % seconds)
    cases.check(seconds < rig.again_s(), 'started again it reads all other drives soon', '%.1f s' % seconds)
    metrics = rig.guest.metrics()
    found = exporter.wait_for('it tells of the hung one', lambda: rig.guest.metrics().all('drive_command_started_timestamp_seconds'))
    since = metrics.value('drive_exporter_time_seconds') - found[0][1]
    cases.check(len(found) == 1 and since > 10, 'and tells since when the other hangs', '%s: %.1f s' % (found, since))
    print('# what hangs has after a restart the label %s' % found[0][0]['drive'])
    alone_in_state_d(rig, node, pid)


# ---- one host, three drives

def shared_host(rig):
    """A drive hangs beside others of its host: they are asked on."""
    bad, good = SHARED[0], rig.labels(SHARED[1:])
    label = rig.label(bad)
    rig.hang(bad)
    metrics = rig.guest.wait_until('the others are up', lambda m: good <= watch.up(m), 10)[0]
    asked = metrics.value('drive_commands_total', drive=label)
    time.sleep(2)
    metrics = rig.guest.metrics()
    late = watch.ages(metrics, good)
    cases.check(good <= watch.up(metrics) and max(late.values()) < LATE_S, 'a drive hangs: others of its host are read on', late)
    cases.check(metrics.value('drive_commands_total', drive=label) == asked, 'the hung one is not asked')
    rig.mend(bad)


def host_recovers(rig):
    """A drive fails without a reason, the kernel's error handler asks for it, and that command hangs. As long as it runs every
    command to the host waits, so none should be sent."""
    good = rig.labels(SHARED)
    metrics = rig.guest.metrics()
    before, nodes = refused(metrics, good), [watch.node(metrics, drive) for drive in good]
    node = watch.node(metrics, rig.label(BESIDE))
    host = rig.guest.run('cd -P /sys/block/%s/device && cd ../.. && echo ${PWD##*/}' % node).strip()
    rig.drives.fault(BESIDE, 'test-unit-ready status=02', 'request-sense hang')
    rig.guest.start('turs', 'sg_turs /dev/' + node)
    rig.guest.wait_for('the error handler', 'grep recovery /sys/class/scsi_host/%s/state' % host, 10)
    metrics, seconds = rig.guest.wait_until('all of its drives are down', lambda m: not good & watch.up(m), 15)
    print('# a host is being recovered: its drives are down after %.1f s' % seconds)
    # A command that was on its way when it began waits, and its drive is asked no more.
    metrics = rig.guest.wait_until('failures of the transport', lambda m: sum(
        now > was for now, was in zip(refused(m, good), before)) >= len(good) - 1, 15)[0]
    cases.check(len(watch.stays_hung(rig.guest, node, *nodes)) <= 1,
                'a host is being recovered: nothing is sent to its drives, which are down, with failures of the transport',
                watch.hung(rig.guest, node, *nodes))
    for drive in sorted(good):
        state_is_told(rig, drive, 'host-recovery')
    cases.check(rig.labels(ALL, but=(*SHARED, BESIDE)) <= watch.up(metrics), 'drives of other hosts are up', watch.up(metrics))
    rig.drives.mend(BESIDE)
    metrics, seconds = rig.guest.wait_until('all are up', lambda m: rig.labels(ALL) <= watch.up(m), 40)
    cases.check(seconds < 20, 'once the drive answers all of the host are read again', '%.1f s' % seconds)
    print('# read again %.1f s after the drive answers' % seconds)


def refused(metrics, labels):
    """How often nothing got through to them."""
    return [metrics.value('drive_poll_failures_total', drive=label, source='transport') for label in sorted(labels)]


# ---- drives come and go

def present(metrics, serial):
    found = [value for labels, value in metrics.all('drive_present') if labels['drive'].endswith(serial)]
    return found[0] if found else None


def plugged(rig, what, serial, *device):
    rig.guest.monitor('device_add', **dict(pair.split('=') for pair in device))
    try:
        seconds = rig.guest.wait_until('it is served', lambda m: present(m, serial) == 1, PLUGGED_S + 1)[1]
    except AssertionError:
        seconds = float('inf')
    cases.check(seconds < PLUGGED_S, '%s is plugged in: served within %d s' % (what, PLUGGED_S), '%.1f s' % seconds)
    print('# %s served after %.1f s' % (what, seconds))


def unplugged(rig, what, serial, unplug, is_virtual=True):
    """Its readings end. That it was there stays, unless it is a virtual one."""
    unplug()

    def is_gone(m):
        return present(m, serial) in ((0, None) if is_virtual else (0,)) and \
            not any(labels['drive'].endswith(serial) for labels, _ in m.all('drive_device_info'))
    try:
        seconds = rig.guest.wait_until('it is gone', is_gone, PLUGGED_S + 1)[1]
    except AssertionError:
        seconds = float('inf')
    print('# %s gone after %.1f s' % (what, seconds))
    cases.check(seconds < PLUGGED_S, '%s is pulled: its readings end%s within %d s' % (
        what, '' if is_virtual else ', and drive_present is 0,', PLUGGED_S), '%.1f s' % seconds)


def come_and_go(rig):
    plugged(rig, 'an NVMe drive', 'SECOND', 'driver=nvme', 'id=second', 'drive=b', 'serial=SECOND', 'bus=slot1')
    plugged(rig, 'a SCSI disk', 'THIRD', 'driver=scsi-hd', 'id=third', 'drive=c', 'serial=THIRD', 'bus=scsi.0')
    unplugged(rig, 'an NVMe drive', 'FIRST', lambda: rig.guest.monitor('device_del', id='first'))
    unplugged(rig, 'a SCSI disk', 'THIRD', lambda: rig.guest.monitor('device_del', id='third'))
    label = rig.label(SATA)
    node = watch.node(rig.guest.metrics(), label)
    unplugged(rig, 'a SATA drive, by sysfs,', label,
              lambda: rig.guest.run('echo 1 > /sys/block/%s/device/delete' % node), is_virtual=False)
    cases.check(rig.guest.metrics().value('drive_temperature_celsius', drive=label, sensor='drive') is None,
                'its temperature is no longer told')


# ---- time


def clock_is_set(rig):
    both.clock_jumps(rig, rig.labels(OFTEN), check_scrapes)


# ---- NVMe

def controller_hangs(rig):
    """The controller answers no question for a log; then it is not there at all; then it is back."""
    label, program = rig.label(NVME), rig.controllers[0]
    others = rig.labels(OFTEN, but=[NVME])
    metrics = rig.hang(NVME, 'nvme-log hang')
    node = watch.node(metrics, label)
    cases.check(label not in watch.up(metrics) and watch.hung(rig.guest, node) and others <= watch.up(metrics),
                'an NVMe controller hangs: it is down, its child in state D, the others are up', watch.up(metrics))
    rig.guest.run('kill -9 $(cat /run/%s.pid)' % program)
    rig.guest.wait_for('the kernel connects anew', 'grep connecting /sys/class/nvme/%s/state' % node, 30)
    time.sleep(1.5)
    cases.check(not watch.stays_hung(rig.guest, node) and label not in watch.up(rig.guest.metrics()),
                'it is gone, the kernel tries to connect: it is down, and no child hangs', watch.processes(rig.guest, node))
    state_is_told(rig, label, 'connecting')
    rig.drives.mend(NVME)
    rig.drives.restart(program)
    metrics, seconds = rig.guest.wait_until('it is read again', lambda m: label in watch.up(m), 30)
    print('# the NVMe drive is read again %.1f s after it came back' % seconds)
    cases.check(seconds < 15, 'it is back, and read again', '%.1f s' % seconds)


def state_is_told(rig, label, state):
    """No event tells of it, so the exporter looks from time to time."""
    seconds = rig.guest.wait_until('its state is told', lambda m: watch.state(m, label) == state, STATE_S + 15)[1]
    cases.check(seconds < STATE_S + 5, 'drive_path_state says "%s"' % state, '%.1f s' % seconds)
    print('# drive_path_state said "%s" after %.1f s' % (state, seconds))


# ---- the full form

def restarter(machine):
    """How many.py restarts the programs: the exporter ends when told, the prober is killed, as it ends with the exporter."""
    def restart(which):
        program = 'drive_' + which
        old = watch.processes(machine, program)
        began = time.monotonic()
        if old:
            machine.run('kill -%s %d' % ('TERM' if which == 'exporter' else 'KILL', old[0].pid))
            exporter.wait_for('it ends', lambda: not {p.pid for p in old} & {p.pid for p in watch.processes(machine, program)}, 20)
        if which == 'exporter':
            machine.run('mkdir -p /var/lib/drive_exporter')
            machine.start('exporter', EXPORTER.replace('=1s', '=%ds' % many.INTERVAL_S))
        return time.monotonic() - began
    return restart


def full_form():
    for n, step in ((many.ALONE + many.TOGETHER, many.hang_some), (many.CROWD, many.crowd)):
        with many.folder() as folder, guest.small_guest(many.files(folder, n), MODULES, memory=3072) as machine:
            step(machine, restarter(machine))
    with guest.small_guest(drives.FILES, [*MODULES, 'scsi_debug'], memory=2048) as machine:
        tried.everything(machine, EXPORTER)


def main():
    began = time.monotonic()
    try:
        with guest.small_guest(drives.FILES, MODULES, QEMU_DRIVES) as machine:
            print('# the guest takes commands after %.1f s, of which it booted for %.1f s' % (
                time.monotonic() - began, machine.started_s))
            rig = Rig(machine)
            both.try_all(rig, (readings, hang, shared_host, host_recovers, controller_hangs, clock_is_set, come_and_go),
                         lambda: rig.log() + machine.run('dmesg'))
        if IS_FULL:
            full_form()
    except guest.NoGuest as error:
        cases.skip(str(error))
    print('# %.0f s in all' % (time.monotonic() - began))


cases.run(main, *guest.needs(guest.TOOLS), *[(os.access(p, os.X_OK), 'no ' + p) for p in drives.PROGRAMS],
          *[(exporter.tool(tool), 'no ' + tool) for tool in guest.READERS.split()])
