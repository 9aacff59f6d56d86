#!/usr/bin/env python3
"""The data base of drives in use: what it adds, what a broken file does, and SIGHUP. The files here are of our own making."""

import os
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter
import made

GIB, MIB_32 = 1 << 30, 1 << 25
MODEL = 'ACME QUICK 1TB'
# id: value, raw number
ATTRIBUTES = {9: (100, 8760), 12: (100, 44), 231: (88, 0), 241: (100, 1000), 233: (77, 13)}


def swapped(text, size):
    raw = text.ljust(size).encode('ascii')
    return bytes(raw[i ^ 1] for i in range(size))


def identify(model):
    raw = bytearray(512)
    raw[20:40], raw[46:54], raw[54:94] = swapped('A1B2C3D4', 20), swapped('F1', 8), swapped(model, 40)
    for word, number in ((60, 0x0fff), (61, 0x0fff), (82, 1), (83, 0x4000), (84, 0x4000), (85, 1), (87, 0x4000), (217, 1)):
        raw[2 * word:2 * word + 2] = number.to_bytes(2, 'little')
    return bytes(raw)


def smart_data(attributes):
    raw = bytearray(512)
    raw[0] = 16
    for slot, (number, (value, count)) in enumerate(attributes.items()):
        at = 2 + 12 * slot
        raw[at:at + 12] = bytes([number, 0x32, 0, value, value]) + count.to_bytes(6, 'little') + b'\0'
    raw[511] = -sum(raw) & 0xff
    return bytes(raw)


def capture(path, model, attributes):
    with open(path, 'w', encoding='utf-8') as f:
        f.write('drive-capture 1\ntransport ata\ndevice sda\nsize 137438953472\nlogical-block 512\nrotational 0\n'
                '> ata-identify\n%s\n> ata-smart-data\n%s\n> ata-smart-status\n4f c2\n'
                % (made.hexa(identify(model)), made.hexa(smart_data(attributes))))
    return path


def database(path, entry):
    with open(path, 'w', encoding='utf-8') as f:
        f.write('{ "VERSION: 9.9/1 $Id$", "-", "-", "made up", "" },\n'
                '{ "DEFAULT", "-", "-", "", "-v 9,raw24(raw8),Power_On_Hours -v 241,raw48,Total_LBAs_Written" },\n' + entry + ',\n')


def entry(words):
    return '{ "Acme Quick SSDs", "ACME QUICK .*", "", "", "%s" }' % words


def once(*arguments):
    done = subprocess.run([exporter.PROGRAM, 'once', *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=exporter.PATIENCE_S)
    return exporter.Metrics(done.stdout.decode('utf-8')), done.stderr.decode('utf-8', 'replace')


def told(metrics):
    return metrics.value('drive_endurance_used_ratio'), metrics.value('drive_written_bytes_total')


def what_it_adds(folder):
    drive, db = capture(os.path.join(folder, 'drive.capture'), MODEL, ATTRIBUTES), os.path.join(folder, 'db.h')
    metrics, _ = once('--replay=' + drive, '--no-collector.drivedb')
    cases.check(told(metrics) == (None, None), 'without a data base an unknown model tells neither wear nor bytes', metrics.text)
    cases.check(metrics.value('drive_power_on_seconds_total') == 8760 * 3600, 'what every drive means is told all the same')
    database(db, entry('-v 231,raw48,SSD_Life_Left -v 241,raw48,Host_Writes_GiB -v 233,raw48,NAND_GB_Written_TLC'))
    metrics, _ = once('--replay=' + drive, '--drivedb.path=' + db, '--all')
    cases.check(told(metrics) == (0.12, 1000 * GIB), 'with one it does', '%s' % (told(metrics),))
    cases.check(metrics.value('drive_nand_written_bytes_total') is None, 'a name whose unit is not sure gives no number')
    cases.check(metrics.value('drive_info', family='Acme Quick SSDs') == 1, 'its family is told')
    cases.check(metrics.value('drive_ata_attribute_info', id='233', name='NAND_GB_Written_TLC') == 1, 'and its names are')
    cases.check(metrics.value('drive_exporter_collector_up', collector='drivedb') == 1, 'the collector is up')
    database(db, '{ "Others", "SOMETHING ELSE", "", "", "-v 231,raw48,SSD_Life_Left" }')
    metrics, _ = once('--replay=' + drive, '--drivedb.path=' + db)
    cases.check(told(metrics) == (None, None), 'what is said of all drives is not said of this one', metrics.text)
    database(db, entry('-v 231,raw48,SSD_Life_Left'))
    capture(drive, MODEL, {231: (7, 93)})
    metrics, _ = once('--replay=' + drive, '--drivedb.path=' + db)
    cases.check(told(metrics)[0] is None, 'where value and raw number contradict each other a name is not believed', metrics.text)


def built_in_goes_first(folder):
    drive, db = capture(os.path.join(folder, 'drive.capture'), 'ZA3840NM10001', {9: (100, 15330), 231: (88, 0), 241: (100, 782310)}), \
        os.path.join(folder, 'db.h')
    database(db, '{ "IronWolf", "ZA.*", "", "", "-v 231,raw48,Percent_Life_Used -v 241,raw48,Total_LBAs_Written" }')
    metrics, _ = once('--replay=' + drive, '--drivedb.path=' + db)
    cases.check(told(metrics) == (0.12, 782310 * GIB), 'a model that is built in is not looked up', '%s' % (told(metrics),))


def a_broken_one(folder):
    drive, db = capture(os.path.join(folder, 'drive.capture'), 'ZA3840NM10001', {9: (100, 15330), 231: (88, 0)}), \
        os.path.join(folder, 'db.h')
    with open(db, 'w', encoding='utf-8') as f:
        f.write('{ "VERSION: 9.9/1 $Id$", "-", "-", "", "" },\n{ "DEFAULT", "-", "-", "", "" },\n{ "no end\n')
    metrics, err = once('--replay=' + drive, '--drivedb.path=' + db)
    cases.check('line 3' in err and db in err, 'a broken file is refused with its line', err)
    cases.check(told(metrics)[0] == 0.12, 'and the built-in table stands', metrics.text)
    cases.check(metrics.value('drive_exporter_collector_up', collector='drivedb') == 0, 'the collector is not up')
    metrics, err = once('--replay=' + drive, '--drivedb.path=' + os.path.join(folder, 'none.h'))
    cases.check('none.h' in err, 'a file that is not there is told', err)


def at_sighup(folder):
    drive, db = capture(os.path.join(folder, 'drive.capture'), MODEL, ATTRIBUTES), os.path.join(folder, 'db.h')
    database(db, entry('-v 241,raw48,Host_Writes_GiB'))
    with exporter.Exporter('--replay=' + drive, '--drivedb.path=' + db, '--poll.interval=200ms') as daemon:
        daemon.wait_until('the first reading', lambda m: told(m)[1] == 1000 * GIB)
        database(db, entry('-v 241,raw48,Host_Writes_32MiB'))
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_until('the new unit', lambda m: told(m)[1] == 1000 * MIB_32)
        cases.check(True, 'at SIGHUP the file is read anew')
        with open(db, 'w', encoding='utf-8') as f:
            f.write('{ broken')
        daemon.process.send_signal(signal.SIGHUP)
        exporter.wait_for('the refusal', lambda: 'stay as they were' in '\n'.join(daemon.log))
        metrics = daemon.metrics()
        cases.check('line 1' in '\n'.join(daemon.log) and told(metrics)[1] == 1000 * MIB_32
                    and metrics.value('drive_exporter_collector_up', collector='drivedb') == 1,
                    'a broken file then changes nothing', '\n'.join(daemon.log))
        database(db, entry('-v 241,raw48,Host_Writes_MiB'))
        for _ in range(20):
            daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_until('the last unit', lambda m: told(m)[1] == 1000 * (1 << 20))
        cases.check(True, 'many signals at once do no harm')


def catalogue(path, rated_tbw):
    with open(path, 'w', encoding='utf-8') as f:
        f.write('model,capacity_gb,rated_tbw,source\nZA3840NM10001,,%s,a test\n' % rated_tbw)


def the_catalogue_at_sighup(folder):
    drive, rated = capture(os.path.join(folder, 'drive.capture'), 'ZA3840NM10001', {9: (100, 15330), 231: (88, 0), 241: (100, 782310)}), \
        os.path.join(folder, 'rated.csv')

    def used(metrics):
        return metrics.value('drive_rated_endurance_bytes'), metrics.value('drive_rated_endurance_used_ratio')
    catalogue(rated, '2000')
    with exporter.Exporter('--replay=' + drive, '--catalogue.path=' + rated, '--poll.interval=200ms') as daemon:
        metrics = daemon.wait_until('the rating', lambda m: used(m)[0] == 2e15)
        cases.check(abs(used(metrics)[1] - 782310 * GIB / 2e15) < 1e-9, 'what is used of a rating of ours is told', used(metrics))
        cases.check(metrics.value('drive_rated_info', source='a test', grade='operator', tbw_basis='stated') == 1,
                    'and whose it is', metrics.text)
        catalogue(rated, '1000')
        daemon.process.send_signal(signal.SIGHUP)
        metrics = daemon.wait_until('the new rating', lambda m: used(m)[0] == 1e15)
        cases.check(abs(used(metrics)[1] - 782310 * GIB / 1e15) < 1e-9, 'at SIGHUP the catalogue is read anew', used(metrics))
        catalogue(rated, 'many')
        daemon.process.send_signal(signal.SIGHUP)
        exporter.wait_for('the refusal', lambda: 'stay as they were' in '\n'.join(daemon.log))
        cases.check('rated.csv:2: ' in '\n'.join(daemon.log) and used(daemon.metrics())[0] == 1e15,
                    'one with a mistake changes nothing, and the mistake is told', '\n'.join(daemon.log))


def main():
    for test in (what_it_adds, built_in_goes_first, a_broken_one, at_sighup, the_catalogue_at_sighup):
        with tempfile.TemporaryDirectory() as folder:
            test(folder)


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM))
