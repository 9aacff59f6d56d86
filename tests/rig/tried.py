"""Faults of every kind, each on a drive of its own, at the same time, beside drives that are well. Prints what each drive showed
as rows of a table, and checks that nothing else suffers and that all are read again."""

import time

import cases
import drives
import watch

WELL = ('hgst_ssd800mm_sas', 'sata_ssd_behind_sas_hba', 'nvme_solidigm')
# (what, capture, lines of its .fault, source of the failures that must be counted; None: there must be none)
FAULTS = (
    ('is busy (status BUSY)', 'seagate_1200_sas', ['log-sense status=08'], 'transport'),
    ('unit attention, once', 'hgst_he8_sas', ['log-sense sense=6/29/0 once'], None),
    ('medium error (3/11/00)', 'sas_hdd', ['log-sense page=0d sense=3/11/0'], 'device'),
    ('hardware error (4/44/00)', 'sas_hdd_failing', ['log-sense sense=4/44/0'], 'device'),
    ('answers after 3 s', 'sas_dual_port', ['log-sense delay=3000'], None),
    ('hangs for 75 s', 'toshiba_px05_sas_4096', ['log-sense hang'], 'transport'),
    ('SATA: aborts commands (51/04)', 'micron_5300_sata', ['ata-smart-data ata=51/04', 'ata-log ata=51/04'], 'device'),
    ('SATA: answers after 1.5 s', 'seagate_exos_7e8_sata', ['* delay=1500'], None),
    ('NVMe: internal error (0/06)', 'nvme_client', ['nvme-log nvme=0/6'], 'device'),
    ('NVMe: answers after 3 s', 'nvme_intel_p4510', ['nvme-log delay=3000'], None),
)
WATCH_S, LONG_S = 75, 120   # longer than the 60 s after which the kernel gives a command up
SCSI_DEBUG = '/sys/bus/pseudo/drivers/scsi_debug'


def failures(metrics, label):
    return {have['source']: value for have, value in metrics.all('drive_poll_failures_total', drive=label) if value}


def describe(counts):
    return ', '.join('%s %d' % pair for pair in sorted(counts.items())) or 'none'


def everything(guest, command):
    them = drives.Drives(guest)
    names = WELL + tuple(capture for _, capture, _, _ in FAULTS)
    them.scsi(*[n for n in names if not n.startswith('nvme')])
    for n in names:
        if n.startswith('nvme'):
            them.nvme(n)
    guest.run('mkdir -p /var/lib/drive_exporter')
    guest.start('exporter', command)
    everybody = {them.label(n) for n in names}
    guest.wait_until('all up', lambda m: everybody <= watch.up(m), 60)
    time.sleep(5)
    before = guest.metrics()
    for _, capture, lines, _ in FAULTS:
        them.fault(capture, *lines)
    # No command of that disk is answered.
    guest.run('echo 4 > %s/opts && echo 1 > %s/every_nth' % (SCSI_DEBUG, SCSI_DEBUG))
    with watch.Scraping(guest, 0.5) as scraping:
        time.sleep(WATCH_S)
    metrics = guest.metrics()
    print('# faults of all kinds: %s' % scraping)
    print('# | fault | drive_up | failures | log |')
    log = guest.log_of('exporter').splitlines()
    for what, capture, _, source in FAULTS:
        row(them.label(capture), what, source, before, metrics, log)
    cases.check(not scraping.failures and max(scraping.seconds) < 2.5, 'no scrape waits', scraping)
    late = watch.ages(metrics, {them.label(n) for n in WELL})
    cases.check(len(late) == len(WELL) and {them.label(n) for n in WELL} <= watch.up(metrics), 'drives without a fault are read on', late)
    print('# time-outs of scsi_debug: %s' % [line for line in log if 'scsi_debug' in line or 'SCSI_DEBUG' in line][-2:])
    guest.run('echo 0 > %s/every_nth; echo 0 > %s/opts' % (SCSI_DEBUG, SCSI_DEBUG))
    for _, capture, _, _ in FAULTS:
        them.mend(capture)
    try:
        seconds = guest.wait_until('all up', lambda m: everybody <= watch.up(m), LONG_S)[1]
        cases.check(True, 'the faults end: all drives are read again')
        print('# all drives up %.1f s after the faults ended' % seconds)
    except AssertionError:
        cases.check(False, 'the faults end: all drives are read again', everybody - watch.up(guest.metrics()))


def row(label, what, source, before, metrics, log):
    was, now = failures(before, label), failures(metrics, label)
    new = {k: v - was.get(k, 0) for k, v in now.items() if v > was.get(k, 0)}
    said = [line.partition(label)[2] for line in log if label in line and 'warn' in line]
    since = metrics.value('drive_command_started_timestamp_seconds', drive=label)
    print('# | %s | %s | %s | %s |' % (what, 'stuck' if since else int(label in watch.up(metrics)), describe(new),
                                     said[-1].strip() if said else ''))
    if source is None:
        cases.check(not new, '%s: that is no failure' % what, new)
    else:
        cases.check(new.get(source) or since, '%s: failures of source="%s" are counted, or it is stuck' % (what, source), new)
