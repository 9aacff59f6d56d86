"""24 drives, each on a SCSI host of its own, and three more that share one: 8 of the 24 hang in state D, then one of the three.
Or 200 drives that are well. For the full forms of t2.py and t3.py."""

import os
import tempfile
import time

import cases
import drives
import made
import watch

ALONE, HUNG, TOGETHER = 24, 8, 3
CROWD = 200
WATCH_S = 10
INTERVAL_S = 2
LATE_S = 3 * INTERVAL_S


def name(number):
    return 'many%04d' % number


def label(number):
    return 'TEST-SAS-SSD_' + name(number).upper()


def labels(numbers):
    return {label(number) for number in numbers}


def captures(folder, n):
    """(here, there), for a guest."""
    for number in range(n):
        with open(os.path.join(folder, name(number) + '.capture'), 'w', encoding='utf-8') as f:
            f.write(made.capture(made.device_name(number), name(number).upper(), 0x5000c50000100000 + 16 * number))
    return folder, drives.FOLDER


def files(folder, n):
    return [pair for pair in drives.FILES if pair[1] != drives.FOLDER] + [captures(folder, n)]


def scrapes(guest, when):
    with watch.Scraping(guest) as scraping:
        time.sleep(WATCH_S)
    print('# %s: %s' % (when, scraping))
    return scraping


def hang_some(guest, restart):
    """restart(which) restarts 'exporter' or 'prober', and returns how many seconds that took."""
    them = drives.Drives(guest)
    them.scsi(*map(name, range(ALONE)))
    them.scsi(*map(name, range(ALONE, ALONE + TOGETHER)), same_host=True)
    restart('exporter')
    everybody, bad = labels(range(ALONE + TOGETHER)), labels(range(HUNG))
    together = labels(range(ALONE, ALONE + TOGETHER))
    seconds = guest.wait_until('all up', lambda m: everybody <= watch.up(m), 120)[1]
    print('# %d drives up after %.1f s' % (len(everybody), seconds))
    usual = scrapes(guest, '%d drives, all well' % len(everybody))
    for number in range(HUNG):
        them.fault(name(number), 'log-sense hang')
    guest.wait_until('%d are stuck' % HUNG, lambda m: len(stuck(m)) == HUNG, 60)
    hung = scrapes(guest, '%d of them hang' % HUNG)
    metrics = guest.metrics()
    nodes = [watch.node(metrics, drive) for drive in sorted(bad)]
    cases.check(len(watch.hung(guest, *nodes)) == HUNG, 'the children of %d drives are in state D' % HUNG, watch.hung(guest, *nodes))
    late = watch.ages(metrics, everybody - bad)
    print('# the others were read %.1f s ago at most' % max(late.values()))
    cases.check(everybody - bad <= watch.up(metrics) and max(late.values()) < LATE_S, 'all others are up, and read on time', late)
    cases.check(not hung.failures and max(hung.seconds) < 2.5 and hung.p50() < 2 * usual.p50() + 0.1,
                'scrapes take as long as before', '%s; before: %s' % (hung, usual))
    one = label(ALONE)
    them.fault(name(ALONE), 'log-sense hang')
    guest.wait_until('it is stuck', lambda m: one in stuck(m), 60)
    metrics = guest.wait_until('the others of its host are up', lambda m: together - {one} <= watch.up(m), 20)[0]
    late = watch.ages(metrics, together - {one})
    print('# of a shared host one hangs, the others were read %.1f s ago at most' % max(late.values()))
    cases.check(max(late.values()) < LATE_S, 'others of its host are read on', late)
    for which in ('exporter', 'prober'):
        moment = guest.metrics().value('drive_exporter_time_seconds')
        seconds = restart(which)
        again = guest.wait_until('others are read', lambda m: watch.read_since(m, moment, everybody - bad - {one}), 90)[1]
        print('# the %s was restarted in %.2f s, all others were read again %.1f s later' % (which, seconds, again))
        cases.check(again < 30, 'the %s is restarted while %d drives hang: all others are read again' % (which, HUNG + 1))
        cases.check(len(watch.hung(guest, *nodes)) == HUNG, 'no second child hangs', watch.hung(guest, *nodes))
    for number in [*range(HUNG), ALONE]:
        them.mend(name(number))
    seconds = guest.wait_until('all up', lambda m: everybody <= watch.up(m), 120)[1]
    print('# all are up %.1f s after they answer again' % seconds)
    cases.check(True, 'they answer again: all are up')


def stuck(metrics):
    return {have['drive'] for have, _ in metrics.all('drive_command_started_timestamp_seconds')}


def crowd(guest, restart):
    them = drives.Drives(guest)
    began = time.monotonic()
    them.scsi(*map(name, range(CROWD)), patience_s=300)
    print('# %d drives attached in %.0f s' % (CROWD, time.monotonic() - began))
    restart('exporter')
    seconds = guest.wait_until('all up', lambda m: labels(range(CROWD)) <= watch.up(m), 300)[1]
    print('# %d drives up after %.1f s' % (CROWD, seconds))
    cases.check(True, '%d drives are read' % CROWD)
    usual = scrapes(guest, '%d drives' % CROWD)
    cases.check(not usual.failures and usual.p50() < 4, 'scrapes go on', usual)
    memory = guest.metrics().value('process_resident_memory_bytes')
    print('# the exporter uses %.1f MiB' % (memory / (1 << 20)))


def folder():
    return tempfile.TemporaryDirectory()
