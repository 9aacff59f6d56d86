"""The drives of a guest: SCSI disks and NVMe controllers of its kernel that answer what a capture says, and fail as told.

    drives = Drives(guest)
    drives.scsi('sas_hdd')
    drives.fault('sas_hdd', 'log-sense hang')
"""

import functools
import os

import exporter

PROGRAMS = [os.path.join(exporter.BUILD, 'tests', 'rig', name) for name in ('fd-tcmu', 'fd-nvmetcp')]
FOLDER = '/captures'
FILES = [(path, '/usr/bin/' + os.path.basename(path)) for path in PROGRAMS] + [(exporter.CAPTURES, FOLDER)]
MODULES = ['configfs', 'target_core_mod', 'uio', 'target_core_user', 'tcm_loop', 'sd_mod', 'sg', 'nvme', 'nvme_tcp']
FIRST_PORT = 4420


@functools.lru_cache(maxsize=None)
def replayed(capture):
    """What the metrics of a capture are where it is replayed, with the drive's label."""
    metrics = exporter.Metrics(exporter.once('--replay=' + capture, '--no-collector.drivedb')[0])
    return metrics, metrics.drives()[0]


class Drives:
    def __init__(self, guest, captures=exporter.CAPTURES):
        self.guest, self.captures, self.n, self.controllers = guest, captures, 0, {}

    def path(self, name):
        return os.path.join(self.captures, name + '.capture')

    def label(self, name):
        return replayed(self.path(name))[1]

    def scsi(self, *names, same_host=False, patience_s=60):
        """Disks, each on a SCSI host of its own unless they share one. Ready when this returns."""
        program = 'tcmu%d' % self.n
        self.guest.start(program, 'fd-tcmu --first=%d %s %s' % (self.n, '--same-host' if same_host else '', ' '.join(
            '%s/%s.capture' % (FOLDER, name) for name in names)))
        self.n += len(names)
        self.guest.wait_for('the disks', 'grep ready /run/%s.log' % program, patience_s)
        return program

    def nvme(self, name, options='keep_alive_tmo=0,reconnect_delay=1'):
        """A controller behind a program of its own, whose name is returned. Without keep-alive: where that is what times out
        Linux 6.1.192 hangs itself, since nvme_tcp_error_recovery_work() waits for nvme_keep_alive_work(), which waits for it."""
        program, port = 'nvmetcp%d' % len(self.controllers), FIRST_PORT + len(self.controllers)
        self.controllers[program] = 'fd-nvmetcp %d %s/%s.capture' % (port, FOLDER, name)
        self.restart(program)
        self.guest.run('echo "transport=tcp,traddr=127.0.0.1,trsvcid=%d,nqn=nqn.2026-01.test.fakedrive:%s,nr_io_queues=1,'
                       'ctrl_loss_tmo=-1,%s" > /dev/nvme-fabrics' % (port, name, options))
        return program

    def restart(self, program):
        self.guest.start(program, self.controllers[program])
        self.guest.wait_for('the controller', 'grep ready /run/%s.log' % program)

    def fault(self, name, *lines):
        """Until it is mended. A line: COMMAND [KEY=VALUE...] EFFECT... [once]"""
        self.guest.run('printf "%%s\\n" %s > %s/%s.capture.fault' % (' '.join("'%s'" % line for line in lines), FOLDER, name))

    def mend(self, name):
        self.guest.run('rm -f %s/%s.capture.fault' % (FOLDER, name))
