"""What t2.py and t3.py both try: the reference tools beside the exporter, and a clock that is set."""

import json
import re
import time

import cases
import watch

SAS, SATA, NVME = 'hgst_ssd800mm_sas', 'sata_ssd_behind_sas_hba', 'nvme_solidigm'


def references(rig, metrics):
    """The tools that everybody knows, in the guest, on the same devices."""
    sas, sata, nvme = ('/dev/' + watch.node(metrics, rig.label(name)) for name in (SAS, SATA, NVME))

    def value(family, name, **labels):
        return metrics.value(family, drive=rig.label(name), **labels)
    smart = json.loads(rig.guest.ask('smartctl -j -A -l ssd %s' % sas)[0])
    cases.check(smart['temperature']['current'] == value('drive_temperature_celsius', SAS, sensor='drive') and
                smart['scsi_percentage_used_endurance_indicator'] == round(100 * value('drive_endurance_used_ratio', SAS)),
                'smartctl agrees on the SAS drive: temperature, wear', smart)
    used = int(re.search(r'endurance indicator: (\d+)', rig.guest.run('sg_logs -p 0x11 ' + sas)).group(1))
    cases.check(used == round(100 * value('drive_endurance_used_ratio', SAS)), 'sg_logs agrees on the SAS drive: wear', used)
    smart = json.loads(rig.guest.ask('smartctl -j -A -H %s' % sata)[0])
    cases.check(smart['temperature']['current'] == value('drive_temperature_celsius', SATA, sensor='drive') and
                smart['power_on_time']['hours'] * 3600 == value('drive_power_on_seconds_total', SATA),
                'smartctl agrees on the SATA drive: temperature, hours', smart)
    smart = json.loads(rig.guest.run('nvme smart-log -o json ' + nvme))
    cases.check(smart['percent_used'] == round(100 * value('drive_endurance_used_ratio', NVME)) and
                int(smart['power_on_hours']) * 3600 == value('drive_power_on_seconds_total', NVME),
                'nvme-cli agrees on the NVMe drive: wear, hours', smart)


def clock_jumps(rig, often, check_scrapes):
    """often: labels of drives that are read each second."""
    before = {p.pid for p in watch.processes(rig.guest, 'drive_exporter', 'drive_prober')}
    with watch.Scraping(rig.guest) as scraping:
        for word, seconds in (('forward', 86400), ('back', -2 * 86400), ('where it was', 86400)):
            rig.guest.run('date -s @$(($(date +%%s) + %d))' % seconds)
            now = rig.guest.metrics().value('drive_exporter_time_seconds')
            found = rig.guest.wait_until('read after the jump', lambda m: all(
                0 <= age < 10 for age in watch.ages(m, often).values()) and often <= watch.up(m), 15)
            cases.check(found[1] < 5, 'the clock is set a day %s: all are read on' % word, '%.1f s, at %s' % (found[1], now))
    check_scrapes(scraping, 'the clock is set')
    after = {p.pid for p in watch.processes(rig.guest, 'drive_exporter', 'drive_prober')}
    cases.check(before == after, 'nothing dies of it', '%s, then %s' % (before, after))


def try_all(rig, steps, last_words):
    """One step after the other; what the guest has to say where one breaks off."""
    try:
        for step in steps:
            at = time.monotonic()
            step(rig)
            print('# %s: %.1f s' % (step.__name__, time.monotonic() - at))
    except Exception:
        print('# ' + '\n# '.join(last_words().splitlines()[-40:]))
        raise
