#!/usr/bin/env python3
"""The units as they are installed, in a guest with systemd and udev on Debian's kernel: sockets, users, capabilities, device rules,
restarts while a drive hangs in state D. All cases are in one boot; with RIG_FULL=1 24 drives are in another."""

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
import watch

SAS, SATA, NVME = both.SAS, both.SATA, both.NVME
DISK = 'sas_hdd'
LATER = 'seagate_1200_sas'                  # plugged in
ALL = (SAS, SATA, DISK, NVME)
OFTEN = (SAS, DISK, NVME)
MODULES = [*drives.MODULES, 'loop', 'ext4']
IS_FULL = os.environ.get('RIG_FULL') == '1'
EXPORTER, PROBER = 'drive_exporter.service', 'drive_prober.service'
ARGUMENTS = 'ARGS=--drive.fabrics --no-collector.drivedb --poll.interval=1s'
# A restart takes less than a second, and what systemd itself takes on an emulated machine, as a unit that does nothing shows
# at the same time. Had it to wait for a hung drive it would take a unit's TimeoutStopSec= and more.
RESTART_S, UNITS = 1, 3
AGAIN_S, PLUGGED_S = 5, 5
LAST_ROWS_S = 2                             # so long the exporter waits for its history as it ends
SCRAPE_MAX_S = 4.5                          # one that waited for a drive would take 5 s at least


class Rig:
    def __init__(self, machine):
        self.guest, self.drives = machine, drives.Drives(machine)

    def label(self, name):
        return self.drives.label(name)

    def labels(self, names, but=()):
        return {self.label(name) for name in names if name not in but}

    def property(self, unit, name):
        return self.guest.run('systemctl show -P %s %s' % (name, unit)).strip()

    def timed(self, script):
        """How many seconds it takes in the guest."""
        text = self.guest.run('read a b < /proc/uptime; %s; read c b < /proc/uptime; echo "$a $c"' % script)
        before, after = map(float, text.split()[-2:])
        return after - before

    def restart(self, unit, more_s=0.0):
        """Seconds, and whether that is no longer than it may take."""
        idle = self.timed('systemctl restart idle.service')
        seconds = self.timed('systemctl restart ' + unit)
        print('# %s restarted in %.2f s, a unit that does nothing in %.2f s' % (unit, seconds, idle))
        is_fast = seconds < RESTART_S + UNITS * idle + more_s
        if not is_fast:
            print('#   ' + '\n#   '.join(self.guest.run('journalctl -o short-monotonic -n 12 -u ' + unit).splitlines()))
        return seconds, is_fast

    def journal(self, unit):
        return self.guest.run('journalctl -o cat -u ' + unit)

    def all_up(self, names=ALL, patience_s=40):
        return self.guest.wait_until('drives up', lambda m: self.labels(names) <= watch.up(m), patience_s)

    def drop_in(self, unit, name, *lines):
        """Empty: away with it."""
        path = '/etc/systemd/system/%s.d/%s.conf' % (unit, name)
        text = '\\n'.join(('[Service]',) + lines)
        self.guest.run("mkdir -p %s && printf '%s\\n' > %s" % (os.path.dirname(path), text, path) if lines else 'rm ' + path)
        self.guest.run('systemctl daemon-reload && systemctl restart ' + unit)


def main_pid(rig, unit):
    return int(rig.property(unit, 'MainPID'))


# ---- start

def starts_by_socket(rig):
    rig.guest.run('systemctl start drive_exporter.socket drive_prober.socket')
    cases.check(rig.property(EXPORTER, 'ActiveState') == 'inactive' and rig.property(PROBER, 'ActiveState') == 'inactive',
                'both sockets listen, no service runs')
    seconds = rig.guest.scrape()[1]
    cases.check(rig.property(EXPORTER, 'ActiveState') == 'active', 'the first scrape starts the service')
    print('# the first scrape, from outside, took %.1f s' % seconds)
    seconds = rig.all_up()[1]
    print('# all drives up %.1f s later' % seconds)
    cases.check(True, 'a scrape from outside shows all drives')
    cases.check(rig.property(PROBER, 'ActiveState') == 'active', 'the prober is started by its socket')


def with_least_rights(rig):
    metrics = rig.guest.metrics()
    seen, readable = (metrics.value('drive_exporter_drives_' + word) for word in ('seen', 'readable'))
    cases.check(seen == readable == len(ALL), 'all drives that are seen are readable: device rules, capabilities and users suffice',
                '%s seen, %s readable\n%s' % (seen, readable, rig.journal(EXPORTER)))
    for unit, user, capabilities in ((EXPORTER, 'drive_exporter', 0), (PROBER, 'drive_prober', 1 << 17 | 1 << 21)):
        status = rig.guest.run('cat /proc/%d/status; stat -c owner:%%U /proc/%d' % (main_pid(rig, unit), main_pid(rig, unit)))
        effective = int([line for line in status.splitlines() if line.startswith('CapEff:')][0].split()[1], 16)
        cases.check('owner:%s\n' % user in status and effective == capabilities,
                    '%s runs as %s with no more capabilities than it needs' % (unit, user), status)
    for name in ALL:
        failures = [(labels, value) for labels, value in metrics.all('drive_poll_failures_total', drive=rig.label(name)) if value]
        cases.check(not failures, '%s is read without a failure' % name, failures)
    status = rig.property(EXPORTER, 'StatusText')
    print('# the status line says: %s' % status)
    cases.check(str(len(ALL)) in status, 'systemctl status tells of the drives', status)


# ---- while a drive hangs

def restarts(rig):
    label = rig.label(SAS)
    rig.drives.fault(SAS, 'log-sense hang')
    metrics = rig.guest.wait_until('it is stuck', lambda m: m.value('drive_command_started_timestamp_seconds', drive=label), 20)[0]
    node = watch.node(metrics, label)
    child = watch.hung(rig.guest, node)
    cases.check(len(child) == 1, 'a drive hangs: its child is in state D', child)
    with watch.Scraping(rig.guest) as scraping:
        for unit in (EXPORTER, PROBER):
            before, moment = main_pid(rig, unit), rig.guest.metrics().value('drive_exporter_time_seconds')
            seconds, is_fast = rig.restart(unit)
            cases.check(is_fast and main_pid(rig, unit) not in (0, before),
                        'systemctl restart %s waits for no drive' % unit, '%.2f s' % seconds)
            read_again(rig, moment, unit + ' restarted', AGAIN_S)
            left_alone(rig, node, child)
    check_scrapes(scraping, 'both are restarted', 0)
    with watch.Scraping(rig.guest) as scraping:
        for unit in (PROBER, EXPORTER):
            moment = rig.guest.metrics().value('drive_exporter_time_seconds')
            rig.guest.run('kill -9 %d' % main_pid(rig, unit))
            read_again(rig, moment, unit + ' killed', AGAIN_S)
            left_alone(rig, node, child)
    check_scrapes(scraping, 'both are killed', 1)       # what it was just answering dies with the exporter
    rig.drives.mend(SAS)
    seconds = rig.all_up()[1]
    cases.check(seconds < 15, 'the drive answers: it is read again', '%.1f s' % seconds)
    exporter.wait_for('the old child ends', lambda: child[0].pid not in [p.pid for p in watch.processes(rig.guest, node)])


def check_scrapes(scraping, when, may_fail):
    print('# %s: %s' % (when, scraping))
    cases.check(len(scraping.failures) <= may_fail and max(scraping.seconds) < SCRAPE_MAX_S,
                '%s: no scrape is refused or waits for a drive' % when, '%s\n%s' % (scraping, '\n'.join(scraping.failures[:3])))


def read_again(rig, moment, when, limit):
    others = rig.labels(OFTEN, but=[SAS])
    seconds = rig.guest.wait_until('the others are read', lambda m: watch.read_since(m, moment, others), 30)[1]
    print('# %s: the other drives read again after %.1f s' % (when, seconds))
    cases.check(seconds < limit, '%s: the other drives are read again' % when, '%.1f s' % seconds)


def left_alone(rig, node, child):
    time.sleep(1)
    found = watch.stays_hung(rig.guest, node)
    cases.check([p.pid for p in found] == [child[0].pid], 'the hung child is left alone, and no second one hangs', found)


# ---- what else systemd and udev do

def plugged(rig):
    began = time.monotonic()
    rig.drives.scsi(LATER)
    seconds = rig.guest.wait_until('it is served', lambda m: rig.label(LATER) in watch.up(m), 30)[1]
    print('# a drive is plugged in: served %.1f s after it was attached, %.1f s after that began' % (
        seconds, time.monotonic() - began))
    cases.check(seconds < PLUGGED_S, 'a drive is plugged in: by udev\'s event it is served within %d s' % PLUGGED_S, '%.1f s' % seconds)
    node = watch.node(rig.guest.metrics(), rig.label(LATER))
    rig.guest.run('echo 1 > /sys/block/%s/device/delete' % node)
    seconds = rig.guest.wait_until('it is gone', lambda m: not m.all('drive_device_info', drive=rig.label(LATER)), 70)[1]
    cases.check(seconds < PLUGGED_S, 'it is pulled: its readings end within %d s' % PLUGGED_S, '%.1f s' % seconds)


def reloads(rig):
    pid = main_pid(rig, EXPORTER)
    rig.guest.run('systemctl reload ' + EXPORTER)
    metrics = rig.guest.metrics()
    cases.check(main_pid(rig, EXPORTER) == pid and rig.labels(ALL) <= watch.up(metrics), 'systemctl reload: it goes on')


def sleeping_disk(rig):
    """A disk that the kernel suspended is not woken to be read."""
    label = rig.label(DISK)
    node = watch.node(rig.guest.metrics(), label)
    power = '/sys/block/%s/device/power/' % node
    rig.guest.run('echo 500 > %sautosuspend_delay_ms; echo auto > %scontrol' % (power, power))
    try:
        rig.guest.wait_for('it is suspended', 'grep -w suspended %sruntime_status' % power, 15)
    except AssertionError:
        status = rig.guest.run('cat %sruntime_status' % power).strip()
        cases.check(False, 'a disk that is polled each second can suspend', status)
        return
    asked = rig.guest.metrics().value('drive_commands_total', drive=label)
    time.sleep(4)
    metrics = rig.guest.metrics()
    status = rig.guest.run('cat %sruntime_status' % power).strip()
    cases.check(status == 'suspended' and metrics.value('drive_commands_total', drive=label) == asked and
                label in watch.up(metrics), 'a suspended disk is not woken, and counts as up', status)
    rig.guest.run('echo on > %scontrol' % power)


def system_disk_hangs(rig):
    """The file system of the history stands still."""
    rig.guest.run('dd if=/dev/zero of=/run/disk bs=1M count=32 2> /dev/null && mkfs.ext4 -q /run/disk && modprobe loop && '
                  'systemctl stop %s && mount -o loop /run/disk /var/lib/drive_exporter && chown drive_exporter /var/lib/drive_exporter && '
                  'systemctl start %s' % (EXPORTER, EXPORTER))
    rig.all_up()
    rig.guest.wait_for('the data base is there', 'ls /var/lib/drive_exporter/history.db', 20)
    rig.guest.run('fsfreeze --freeze /var/lib/drive_exporter')
    try:
        moment = rig.guest.metrics().value('drive_exporter_time_seconds')
        with watch.Scraping(rig.guest) as scraping:
            time.sleep(3)
            rig.guest.wait_until('drives are read', lambda m: watch.read_since(m, moment, rig.labels(OFTEN)), 15)
        check_scrapes(scraping, 'the system disk hangs', 0)
        with watch.Scraping(rig.guest) as scraping:
            seconds, is_fast = rig.restart(EXPORTER, LAST_ROWS_S)
            rig.all_up()
        cases.check(is_fast and not scraping.failures, 'and the exporter can be restarted, without a scrape refused',
                    '%.2f s; %s' % (seconds, scraping))
    finally:
        rig.guest.run('fsfreeze --unfreeze /var/lib/drive_exporter')


# ---- rights that are missing

def without_capabilities(rig):
    label = rig.label(NVME)
    rig.drop_in(PROBER, 'fewer', 'CapabilityBoundingSet=', 'AmbientCapabilities=')
    rig.guest.wait_until('it is refused', lambda m: m.value('drive_poll_failures_total', drive=label, source='permission'), 40)
    cases.check(True, 'without capabilities failures count as source="permission"')
    lines = [line for line in rig.journal(EXPORTER).splitlines() if label in line and 'CAP_SYS_ADMIN' in line]
    cases.check(lines, 'and the journal names what is missing', rig.journal(EXPORTER)[-1000:])
    print('# the journal says: %s' % lines[-1:])
    moment = rig.guest.metrics().value('drive_exporter_time_seconds')
    rig.guest.wait_until('SAS drives are read', lambda m: watch.read_since(m, moment, rig.labels([SAS, DISK])), 20)
    cases.check(True, 'SAS drives are read all the same')


def sas_only(rig):
    lines = rig.guest.run('cat /usr/local/share/drive_exporter/sas-only.conf')
    moment = rig.guest.metrics().value('drive_exporter_time_seconds')
    rig.drop_in(PROBER, 'fewer', *[line for line in lines.splitlines() if line and line[0] not in '#['])
    rig.guest.wait_until('they are read', lambda m: watch.read_since(m, moment + 1, rig.labels([SAS, DISK])), 30)
    effective = rig.guest.run('grep CapEff /proc/%d/status' % main_pid(rig, PROBER)).split()[1]
    cases.check(int(effective, 16) == 0, 'with sas-only.conf SAS drives are read without any capability', effective)


# ---- the full form

def full_form():
    n = many.ALONE + many.TOGETHER
    with many.folder() as folder, guest.system_guest(many.files(folder, n), MODULES, memory=3072) as machine:
        rig = prepared(machine, ARGUMENTS.replace('=1s', '=%ds' % many.INTERVAL_S))

        def restart(which):
            seconds, is_fast = rig.restart('drive_%s.service' % which)
            cases.check(is_fast, 'systemctl restart drive_%s.service waits for no drive' % which, '%.2f s' % seconds)
            return seconds
        machine.run('systemctl start drive_exporter.socket drive_prober.socket')
        many.hang_some(machine, restart)


def prepared(machine, arguments):
    machine.run("echo '%s' > /etc/default/drive_exporter" % arguments)
    machine.run("printf '[Service]\\nExecStart=/bin/sleep infinity\\n' > /etc/systemd/system/idle.service && "
                'systemctl daemon-reload && systemctl start idle.service')
    machine.run('[ -e /bin/kill ] || ln -s busybox /bin/kill')       # for systemctl reload; the package procps is not here
    machine.run('modprobe -a %s' % ' '.join(drives.MODULES))
    machine.run('grep -q configfs /proc/mounts || mount -t configfs config /sys/kernel/config')
    return Rig(machine)


def tools_agree(rig):
    both.references(rig, rig.all_up()[0])


def clock_is_set(rig):
    both.clock_jumps(rig, rig.labels(OFTEN), lambda scraping, when: check_scrapes(scraping, when, 0))


def main():
    began = time.monotonic()
    try:
        with guest.system_guest(drives.FILES, MODULES) as machine:
            print('# the guest takes commands after %.1f s, of which it booted for %.1f s' % (
                time.monotonic() - began, machine.started_s))
            rig = prepared(machine, ARGUMENTS)
            rig.drives.scsi(SAS, SATA, DISK)
            rig.drives.nvme(NVME)
            machine.run('udevadm settle')
            both.try_all(rig, (starts_by_socket, with_least_rights, tools_agree, clock_is_set, restarts, plugged, reloads,
                               sleeping_disk, system_disk_hangs, without_capabilities, sas_only),
                         lambda: machine.ask('journalctl -b -o short-monotonic | tail -40')[0])
        if IS_FULL:
            full_form()
    except guest.NoGuest as error:
        cases.skip(str(error))
    print('# %.0f s in all' % (time.monotonic() - began))


cases.run(main, (os.geteuid() == 0, 'only root can make the system of a guest'), *guest.needs(guest.SYSTEM_TOOLS),
          (os.path.exists(os.path.join(exporter.BUILD, 'systemd', EXPORTER)), 'no units were built'),
          *[(os.access(p, os.X_OK), 'no ' + p) for p in drives.PROGRAMS])
