#!/usr/bin/env python3
"""Both formats, plain and gzip, of every capture in tests/captures and of all together: prometheus_client's parsers read them
whole, promtool takes the text, Prometheus's own OpenMetrics parser (promtool's tsdb import) the other; curl and wget unpack gzip."""

import glob
import gzip
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter
import made

OPENMETRICS = 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5'
LIVE = re.compile(r'(drive_exporter_|process_|drive_io_|drive_poll_|drive_command)')
FLAGS = ('--collector.ata-attributes', '--no-collector.history', '--log.level=error')

# Prints how many samples each file has, or what the parser says of it.
PARSE = '''
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as text
for path in sys.argv[1:]:
    parse = openmetrics if path.endswith('.openmetrics') else text
    try:
        with open(path, encoding='utf-8', newline='') as f:
            print(sum(len(family.samples) for family in parse(f.read())))
    except ValueError as error:
        print(repr(error))
'''


def python_with_client():
    """A Python that has prometheus_client: Debian's package is of Debian's Python, whichever runs this."""
    for python in (sys.executable, '/usr/bin/python3'):
        if os.access(python, os.X_OK) and not subprocess.run([python, '-c', 'import prometheus_client'], capture_output=True).returncode:
            return python
    return None


def fetch(daemon, is_openmetrics, is_gzip):
    headers = {'Accept': OPENMETRICS if is_openmetrics else 'text/plain', 'Accept-Encoding': 'gzip' if is_gzip else 'identity'}
    status, got, body = daemon.get(headers=headers)
    assert status == 200, status
    assert got['Content-Type'].startswith('application/openmetrics-text; version=1.0.0' if is_openmetrics else
                                          'text/plain; version=0.0.4'), got['Content-Type']
    assert (got['Content-Encoding'] == 'gzip') == is_gzip, got['Content-Encoding']
    return (gzip.decompress(body) if is_gzip else body).decode('utf-8')


def samples(text):
    return [line for line in text.splitlines() if not line.startswith('#')]


def steady(text):
    return [line for line in samples(text) if not LIVE.match(line)]


def four_forms(daemon):
    """{(is_openmetrics, is_gzip): text}, fetched until nothing has happened to the drives in between."""
    end = time.monotonic() + exporter.PATIENCE_S
    while True:
        forms = {(o, g): fetch(daemon, o, g) for o in (False, True) for g in (False, True)}
        if len({tuple(steady(text)) for text in forms.values()}) == 1 or time.monotonic() > end:
            return forms


def judge_forms(name, forms):
    text, openmetrics = forms[False, False], forms[True, False]
    cases.check(len({tuple(steady(t)) for t in forms.values()}) == 1, name + ': all four forms say the same of the drives')
    cases.check(openmetrics.endswith('\n# EOF\n') and openmetrics.count('# EOF') == 1, name + ': OpenMetrics ends with # EOF')
    cases.check('_created' not in openmetrics, name + ': no _created')
    cases.check('# EOF' not in text and not re.search(r'^# TYPE \S+ info$', text, re.M), name + ': text 0.0.4 has neither')


def judge_text(name, text):
    done = subprocess.run([exporter.tool('promtool'), 'check', 'metrics'], input=text.encode('utf-8'),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = [line for line in done.stdout.decode('utf-8', 'replace').splitlines() if 'use base unit "bytes"' not in line]
    cases.check(not lines and done.returncode in (0, 3), name + ': promtool check metrics takes the text', '\n'.join(lines))


def judge_openmetrics(name, text, folder):
    """promtool check metrics reads text 0.0.4 alone; its import has Prometheus's parser of OpenMetrics, and wants times."""
    path = os.path.join(folder, 'import')
    with open(path, 'w', encoding='utf-8', newline='') as f:
        f.write(re.sub(r'^(?!#)(.+)$', r'\1 1700000000', text, flags=re.M))
    done = subprocess.run([exporter.tool('promtool'), 'tsdb', 'create-blocks-from', 'openmetrics', path, os.path.join(folder, 'tsdb')],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    cases.check(not done.returncode, name + ": Prometheus's parser takes the OpenMetrics form", done.stdout.decode('utf-8', 'replace'))


def keep(folder, name, forms):
    paths = []
    for (is_openmetrics, is_gzip), text in forms.items():
        path = os.path.join(folder, '%s%s.%s' % (name, '.gz' if is_gzip else '', 'openmetrics' if is_openmetrics else 'text'))
        with open(path, 'w', encoding='utf-8', newline='') as f:
            f.write(text)
        paths.append((path, len(samples(text))))
    return paths


def parse_all(kept):
    python = python_with_client()
    if not python:
        cases.skip('no prometheus_client (Debian: python3-prometheus-client)')
        return
    done = subprocess.run([python, '-c', PARSE, *(path for path, _ in kept)], stdout=subprocess.PIPE, check=True)
    for (path, n), said in zip(kept, done.stdout.decode('utf-8').splitlines()):
        cases.check(said == str(n), 'prometheus_client reads all samples of ' + os.path.basename(path), '%s, not %d' % (said, n))


def unpack_with(daemon, command, name):
    if not exporter.tool(command[0]):
        cases.skip('no ' + command[0])
        return
    end = time.monotonic() + exporter.PATIENCE_S
    while True:         # until nothing has happened to the drives in between
        done = subprocess.run([*command, daemon.url], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        is_same = steady(done.stdout.decode('utf-8', 'replace')) == steady(fetch(daemon, False, False))
        if is_same or time.monotonic() > end:
            break
    cases.check(is_same, name, done.stderr.decode('utf-8', 'replace')[-500:])


def choose(daemon):
    """collect[] and name[]."""
    def names(query):
        status, _, body = daemon.get('/metrics?' + query)
        return status, {re.split(r'[{ ]', line)[0] for line in samples(body.decode('utf-8'))}
    cases.check(names('name[]=drive_up&name[]=no_such') == (200, {'drive_up'}), 'name[] chooses a family, and passes over what is none')
    cases.check(names('name%5B%5D=drive_exporter_command_seconds_count')[1] == {'drive_exporter_command_seconds_' + s for s in ('bucket', 'sum', 'count')},
                "name[] takes the name of a histogram's sample")
    cases.check(names('name[]=no_such')[0] == 400, 'name[] of nothing is refused')
    found = names('collect[]=block')[1]
    cases.check(found and all(n.startswith('drive_io_') for n in found), 'collect[]=block is the block layer alone', found)
    found = names('collect[]=exporter&collect[]=block')[1]
    cases.check('process_open_fds' in found and 'drive_io_in_flight' in found and 'drive_up' not in found, 'collectors add up', found)
    cases.check(names('collect[]=health&name[]=drive_io_in_flight') == (200, set()), 'collect[] and name[] both count')
    cases.check(names('collect[]=no')[0] == 400, 'a collector that is none is refused')
    cases.check(names('collect[]=ata-attributes')[0] == 200, 'a collector that is on is taken')
    with exporter.Exporter('--replay=' + exporter.CAPTURES, '--log.level=error', '--no-collector.block') as without:
        status, _, body = without.get('/metrics?collect[]=block')
        cases.check(status == 400 and b'--collector.block' in body, 'one that is off is refused, by name', body)


def answer_many(folder):
    """More parts than the kernel takes at once, to a reader who lets the server wait."""
    drives, whole = 400, 0
    made.write_clones(folder, exporter.CAPTURES, drives)
    with exporter.Exporter('--replay=' + folder, *FLAGS) as daemon:
        daemon.wait_for_visits(drives, 120)
        for _ in range(20):
            with socket.create_connection(('127.0.0.1', daemon.port)) as s:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
                s.sendall(b'GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
                time.sleep(0.02)
                answer = b''.join(iter(lambda: s.recv(1 << 20), b''))
            head, _, body = answer.partition(b'\r\n\r\n')
            whole += int(re.search(rb'Content-Length: (\d+)', head).group(1)) == len(body) and body.endswith(b'\n')
        cases.check(whole == 20, 'the metrics of %d drives arrive whole' % drives, '%d of 20' % whole)
        forms = four_forms(daemon)
        cases.check(len(samples(forms[False, True])) > 100 * drives, 'and compressed, too')


def main():
    captures = {os.path.splitext(os.path.basename(p))[0]: p for p in sorted(glob.glob(os.path.join(exporter.CAPTURES, '*.capture')))}
    captures['all_together'] = exporter.CAPTURES
    if not exporter.tool('promtool'):
        cases.skip('no promtool (Debian: prometheus)')
    with tempfile.TemporaryDirectory() as folder:
        kept = []
        for name, path in captures.items():
            with exporter.Exporter('--replay=' + path, *FLAGS) as daemon:
                daemon.wait_until('the first answers', lambda m: m.all('drive_info'))
                forms = four_forms(daemon)
                if name == 'all_together':
                    unpack_with(daemon, ['curl', '-sS', '--compressed'], 'curl unpacks it')
                    unpack_with(daemon, ['wget', '-qO-', '--compression=gzip'], 'wget unpacks it')
                    choose(daemon)
            judge_forms(name, forms)
            kept += keep(folder, name, forms)
            if exporter.tool('promtool'):
                judge_text(name, forms[False, False])
                judge_openmetrics(name, forms[True, False], folder)
        parse_all(kept)
    with tempfile.TemporaryDirectory() as folder:
        answer_many(folder)


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM))
