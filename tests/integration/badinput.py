#!/usr/bin/env python3
"""Bad input: broken captures, broken pages, wrong flags, and what a web server must not do."""

import os
import socket
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter
import made

GOOD = made.capture('sda', 'GOOD0001', 0x5000c500000000a0)

# What is wrong, the text, and the line that must be named
BROKEN = (
    ('is empty', '', None),
    ('has another first line', 'drive-capture 2\n', 1),
    ('names no transport', GOOD.replace('transport scsi\n', ''), None),
    ('names an unknown transport', GOOD.replace('transport scsi', 'transport ipi'), 2),
    ('has an unknown header line', GOOD.replace('rotational 0', 'rotation 0'), 6),
    ('has an unknown command', GOOD + '> format-unit\n00\n', GOOD.count('\n') + 1),
    ('has an unknown key', GOOD + '> log-sense pages=0d\n00\n', GOOD.count('\n') + 1),
    ('has half a byte', GOOD + '> mode-sense page=1c\n0\n', GOOD.count('\n') + 2),
    ('has an unknown failure', GOOD + '> mode-sense page=1c\n! despair\n', GOOD.count('\n') + 2),
    ('has bytes of the wrong length', GOOD.replace('transport scsi', 'transport ata') + '> ata-identify\n00 01\n', None),
    ('ends its lines with CR LF', GOOD.replace('\n', '\r\n'), None),
)

# Flags that must end in one line and status 1
BAD_FLAGS = (
    ('an unknown flag', ['--web.listen-adress=:9946']),
    ('an unknown command', ['server']),
    ('an address without a port', ['--web.listen-address=127.0.0.1']),
    ('an address that is none', ['--web.listen-address=nowhere:notaport']),
    ('a port that is too large', ['--web.listen-address=127.0.0.1:70000']),
    ('an unknown log level', ['--log.level=loud']),
    ('a duration that is none', ['--poll.interval=often']),
    ('a replay that is not there', ['--replay=/nonexistent/x.capture']),
    ('a pattern that is none', ['--drive.include=(']),
)


def run(*flags):
    """Exit status, standard output and error; status None if it did not end."""
    process = subprocess.Popen([exporter.PROGRAM, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               stdin=subprocess.DEVNULL)
    try:
        out, err = process.communicate(timeout=10)
        status = process.returncode
    except subprocess.TimeoutExpired:
        process.terminate()
        out, err = process.communicate(timeout=exporter.PATIENCE_S)
        status = None
    return status, out.decode('utf-8', 'replace'), err.decode('utf-8', 'replace')


def broken_captures(folder):
    for what, text, line in BROKEN:
        path = os.path.join(folder, 'broken.capture')
        with open(path, 'w', encoding='utf-8', newline='') as f:
            f.write(text)
        status, out, err = run('once', '--replay=' + path)
        where = 'broken.capture:%s' % (line or '')
        cases.check(status == 1 and where in err and 'GOOD0001' not in out,
                    'a capture that %s is refused with file, line and reason' % what,
                    'status %s, wanted %r in: %s' % (status, where, err))
    with open(os.path.join(folder, 'good.capture'), 'w', encoding='utf-8') as f:
        f.write(made.capture('sdb', 'GOOD0002', 0x5000c500000000b0))
    status, out, err = run('once', '--replay=' + folder)
    cases.check('broken.capture:' in err and 'GOOD0002' in out and 'GOOD0001' not in out,
                'of a folder the good capture is served and the broken one named', 'status %s: %s' % (status, err))


def broken_pages(folder):
    """Each of these pages fails alone: counted, one line, and the drive's other pages stand."""
    page = made.answers('PAGE0001', 0x5000c500000000c0)['log-sense page=0d']
    path = os.path.join(folder, 'page.capture')
    for what, answer in (('is short', page[:-3]), ('lies about its length', page[:3] + b'\xff' + page[4:]),
                         ('is another page', b'\x11' + page[1:]), ('is empty', b'\0')):
        with open(path, 'w', encoding='utf-8') as f:
            f.write(made.capture('sdc', 'PAGE0001', 0x5000c500000000c0, {'log-sense page=0d': answer}))
        _, out, err = run('once', '--replay=' + path, '--log.level=info')
        metrics = exporter.Metrics(out)
        cases.check(metrics.value('drive_poll_failures_total', source='format') == 1
                    and metrics.value('drive_temperature_celsius', sensor='drive') in (None, 30)
                    and metrics.value('drive_endurance_used_ratio') == 0.01,
                    'a page that %s fails alone and is counted' % what, out)
        lines = [line for line in err.splitlines() if 'page 0x0d' in line]
        cases.check(len(lines) == 1, 'a page that %s costs one line in the journal' % what, err)


    with open(path, 'w', encoding='utf-8') as f:
        f.write(made.capture('sdc', 'PAGE0001', 0x5000c500000000c0, {'inquiry vpd=80': bytes([0, 0x80, 0, 20]) + b'SHORT'}))
    status, out, _ = run('once', '--replay=' + path, '--log.level=info')
    cases.check(status is not None and exporter.Metrics(out).value('drive_endurance_used_ratio') == 0.01,
                'a drive whose serial number cannot be read is served all the same', 'status %s: %s' % (status, out))


def basic_pages(folder):
    """Pages on which others rest."""
    path = os.path.join(folder, 'basic.capture')

    def write(changes, tail=()):
        with open(path, 'w', encoding='utf-8') as f:
            f.write(made.capture('sdb', 'BASIC001', 0x5000c50000040000, changes, tail=tail))

    write({'log-sense page=00': b'\0'})
    status, out, err = run('once', '--replay=' + path)
    metrics = exporter.Metrics(out)
    cases.check(status == 1 and metrics.value('drive_up') == 0 and metrics.value('drive_info') == 1
                and metrics.value('drive_poll_timestamp_seconds') is None,
                'a drive whose list of pages makes no sense is listed, and not up', '%s\n%s' % (out, err))
    good = made.hexa(made.answers('', 0)['log-sense page=00'])
    for word in ('status 08', 'errno EAGAIN', 'timeout', 'sense 0b 00 00', 'sense 04 44 00'):
        write({'log-sense page=00': word}, ['> log-sense page=00', good])
        with exporter.Exporter('--replay=' + path, '--poll.interval=3s') as daemon:
            daemon.wait_until('up after "%s"' % word, lambda m: m.value('drive_up') == 1 and m.value('drive_endurance_used_ratio'),
                              patience_s=8)
    cases.check(True, 'a list of pages that fails once is asked for again before long')
    serial = made.hexa(made.answers('BASIC001', 0)['inquiry vpd=80'])
    write({'inquiry vpd=80': b'\0'}, ['> inquiry vpd=80', serial])
    status, out, err = run('once', '--replay=' + path)
    cases.check(status == 0 and exporter.Metrics(out).value('drive_up', drive='TEST-SAS-SSD_BASIC001') == 1 and 'gone' not in err,
                'a serial page that is garbled once costs no false name', '%s\n%s' % (out, err))


def bad_flags():
    for what, flags in BAD_FLAGS:
        if not any('listen' in f for f in flags):
            flags = [*flags, '--web.listen-address=127.0.0.1:%d' % exporter.free_port()]
        status, out, err = run(*flags)
        cases.check(status == 1 and len(err.splitlines()) == 1 and not out, what + ' ends in one line and status 1',
                    'status %s, stdout %r, stderr: %s' % (status, out, err))
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        s.listen()
        status, _, err = run('--replay=' + exporter.CAPTURES, '--log.level=error',
                             '--web.listen-address=127.0.0.1:%d' % s.getsockname()[1])
    cases.check(status == 1 and len(err.splitlines()) == 1, 'an occupied port ends in one line and status 1',
                'status %s: %s' % (status, err))
    for flag in ('--version', '--help'):
        status, out, err = run(flag)
        cases.check(status == 0 and out and not err, flag + ' answers on standard output', '%s: %s' % (status, err))


def web():
    with exporter.Exporter('--replay=' + os.path.join(exporter.CAPTURES, 'hostile_strings.capture')) as daemon:
        daemon.wait_for_visits(1)
        for path, method, wanted in (('/', 'GET', 200), ('/metrics', 'HEAD', 200), ('/-/healthy', 'GET', 200),
                                     ('/-/ready', 'GET', 200), ('/nothing', 'GET', 404), ('/metrics/../etc/passwd', 'GET', 404),
                                     ('/metrics', 'POST', 405), ('/metrics', 'DELETE', 405)):
            status, _, body = daemon.get(path, method)
            cases.check(status == wanted, '%s %s is answered with %d' % (method, path, wanted), 'it was %d' % status)
            if method == 'HEAD':
                cases.check(not body, 'HEAD has no body')
        with socket.create_connection(('127.0.0.1', daemon.port)) as s:
            s.sendall(b'\x16\x03\x01\0\xff\0GARBAGE\r\n\r\n')
            s.settimeout(5)
            try:
                s.recv(100)
            except OSError:
                pass
        cases.check(daemon.get('/-/healthy')[0] == 200, 'garbage on the port harms nobody')
        cases.check('<script' not in daemon.get('/')[2].decode('utf-8', 'replace').lower()
                    or b'BAD"' not in daemon.get('/')[2], 'a drive cannot write into the page')


def main():
    with tempfile.TemporaryDirectory() as folder:
        broken_captures(folder)
        broken_pages(folder)
        basic_pages(folder)
    bad_flags()
    web()


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM))
