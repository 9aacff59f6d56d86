#!/usr/bin/env python3
"""Our reader of smartmontools' data base of drives against smartctl's own: for every ATA capture the family, the names of
attributes, and what their raw bytes come to. Both read the installed file, and then files made up here, whose presets try what
the installed one does not."""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter

SHIM = os.path.join(exporter.BUILD, 'tests', 'oracle', 'shim.so')
TELL = os.path.join(exporter.BUILD, 'tests', 'integration', 'drivedb_tell')
PLACES = ('/var/lib/smartmontools/drivedb/drivedb.h', '/usr/share/smartmontools/drivedb.h')
INSTALLED = next((place for place in PLACES if os.path.exists(place)), None)

# Files that are not GPL. Every drive of the captures matches the last entry.
HEAD = '{ "VERSION: 1.0", "-", "-", "", "" },\n'
DEFAULT = '{ "DEFAULT", "-", "-", "", "%s" },\n'
ENTRY = '{ "Ours", "%s", "%s", "", "%s" },\n'
MADE = (
    ('a preset for all attributes, before and after others',
     DEFAULT % '-v 5,raw16,Five -v 9,hex48,Nine' + ENTRY % ('.*', '', '-v 9,raw48,Own -v N,raw16(raw16) -v 12,raw56,Twelve -v N,raw64')),
    ('names for one kind of drive, by DEFAULT and by a model',
     DEFAULT % ('-v 5,raw24(raw8),Five,HDD -v 9,raw48,Nine,SSD -v 12,raw48,Twelve -v 194,raw48,Disk,HDD -v 199,raw48,C,SSD ') +
     ENTRY % ('.*', '', '-v 5,hex56 -v 12,raw16')),
    ('the last of several lines for an attribute counts',
     DEFAULT % '-v 9,raw48,First -v 9,raw16,Second' + ENTRY % ('.*', '', '-v 5,raw8,A -v 5,raw48 -v 12,hex64,B -v 12,hex48,C')),
    ('byte orders', DEFAULT % '' + ENTRY % ('.*', '', '-v 5,raw48:012345,A -v 9,raw24/raw24:w01z23,B -v 12,hex64:w012345r -v 194,raw48:vwr '
                                            '-v 197,raw24/raw32:zvzzzw -v 198,raw16:543210wv -v 199,raw48:0')),
    ('formats of time', DEFAULT % '' + ENTRY % ('.*', '', '-v 9,min2hour -v 12,sec2hour -v 5,halfmin2hour -v 194,msec24hour32 -v 1,min2hour '
                                                '-v 193,sec2hour -v 241,msec24hour32 -v 242,halfmin2hour')),
    ('temperatures everywhere', DEFAULT % '' + ENTRY % ('.*', '', '-v N,tempminmax')),
    ('tenths of degrees everywhere', DEFAULT % '' + ENTRY % ('.*', '', '-v N,temp10x')),
    ('two numbers everywhere', DEFAULT % '' + ENTRY % ('.*', '', '-v N,raw24/raw32')),
    ('old forms', DEFAULT % '-v 193,raw48,Default' +
     ENTRY % ('.*', '', '-v 9,halfminutes -v 193,loadunload -v 194,unknown -v 197,increasing -v 198,offlinescanuncsectorct '
              '-v 200,writeerrorcount -v 192,emergencyretractcyclect -v 201,detectedtacount -v 220,temp')),
    ('more old forms', DEFAULT % '' + ENTRY % ('.*', '', '-v 9,temp -v 194,10xCelsius -v 198,increasing -F nologdir')),
    ('firmware decides, and a whole match',
     DEFAULT % '' + ENTRY % ('.', '', '-v N,raw8') + ENTRY % ('.*', '[A-K].*|[0-3].', '-v N,hex48') +
     ENTRY % ('.* .*', '.*[0-4]', '-v N,raw16') + ENTRY % ('[^ ]*|(S|W).*', '^[A-Z0-9]{4,8}$', '-v N,raw56')),
)
EVERY = 6   # a made-up file is tried with each sixth capture


def device_of(path):
    with open(path, encoding='utf-8') as f:
        for line in f:
            words = line.partition('#')[0].split()
            if words[:1] == ['>']:
                return None
            if words[:1] == ['device']:
                return '/dev/' + words[1]
    return None


def smartctl(capture, database):
    node = device_of(capture)
    environment = dict(os.environ, LD_PRELOAD=SHIM, ORACLE_CAPTURE=capture, ORACLE_NODE=node, LC_ALL='C')
    done = subprocess.run([exporter.tool('smartctl'), '--json', '-i', '-A', '-B', database, '-d', 'sat', node], env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    if b'shim:' in done.stderr:
        raise AssertionError(done.stderr.decode('utf-8', 'replace'))
    return json.loads(done.stdout.decode('utf-8', 'replace'))


Attribute = collections.namedtuple('Attribute', 'id name format whole main has_value has_worst')


def ours(database, captures):
    """(version, {capture: (family, [Attribute, ...])}) of those that have attributes."""
    done = subprocess.run([TELL, database, *captures], stdout=subprocess.PIPE, check=True, timeout=120)
    drives, attributes, version = {}, None, None
    for line in done.stdout.decode('utf-8').splitlines():
        kind, *words = line.split('\t')
        if kind == 'database':
            version = words[0]
            print('# %s: version %s, %s entries for drives, %s not understood, read in %s ms' % (database, *words))
        elif kind == 'drive':
            attributes = []
            drives[words[0]] = words[2], attributes
        else:
            attributes.append(Attribute(int(words[0]), words[1], words[2], int(words[3]), int(words[4]) if words[4] else None,
                                        words[5] == '1', words[6] == '1'))
    return version, drives


def number_of(text, form):
    """The main number in what smartctl prints for a format; None where that is none to us."""
    if form in ('raw8', 'raw16') or (form == 'tempminmax' and re.match(r'\d+ \((\d+ ){4}\d+\)', text)):
        return None
    if text.startswith('0x'):
        return int(text, 16)
    hours = re.match(r'(\d+)h\+(\d\d)m(?:\+(\d\d)(?:\.\d\d\d)?s)?', text)
    if hours and form != 'msec24hour32':
        seconds = int(hours.group(1)) * 3600 + int(hours.group(2)) * 60 + int(hours.group(3) or 0)
        return seconds if form == 'sec2hour' else seconds // 60
    if form == 'temp10x':
        whole, _, tenth = text.partition('.')
        return int(whole) * 10 + int(tenth)
    return int(re.match(r'-?\d+', text).group(0))


def is_same_number(attribute, theirs):
    main = attribute.main
    if attribute.format == 'halfmin2hour':
        main //= 2
    if attribute.format == 'tempminmax' and main is None:
        return theirs in (None, -1) or theirs < 0    # left out where it could mean "not measured"
    if attribute.format == 'temp10x' and main is None:
        return theirs >= 0x8000
    if main is None and theirs is not None:
        return theirs > 2 ** 63 - 1
    return main == theirs


def compare(capture, family, attributes, answer):
    """What differs, as lines."""
    wrong = []
    if family != answer.get('model_family', ''):
        wrong.append('family %r, smartctl says %r' % (family, answer.get('model_family', '')))
    table = {a['id']: a for a in answer.get('ata_smart_attributes', {}).get('table', [])}
    for a in attributes:
        theirs = table.get(a.id)
        if theirs is None:
            continue
        name = '' if theirs['name'].startswith('Unknown_') else theirs['name']
        for what, mine, other in (('name', a.name, name), ('raw value', a.whole, theirs['raw']['value']),
                                  ('has a value', a.has_value, 'value' in theirs),
                                  ('has a worst value', a.has_worst, 'worst' in theirs)):
            if mine != other:
                wrong.append('attribute %d: %s %r, smartctl says %r' % (a.id, what, mine, other))
        if not is_same_number(a, number_of(theirs['raw']['string'], a.format)):
            wrong.append('attribute %d, %s: %r, smartctl says %s' % (a.id, a.format, a.main, theirs['raw']['string']))
    return ['%s: %s' % (os.path.basename(capture), line) for line in wrong]


def compare_all(database, captures, sentence):
    version, drives = ours(database, captures)
    wrong, n, known = [], 0, 0
    for capture, (family, attributes) in drives.items():
        answer = smartctl(capture, database)
        theirs = answer['smartctl'].get('drive_database_version', {}).get('string')
        if theirs and theirs != version:
            wrong.append('version %r, smartctl says %r' % (version, theirs))
        wrong += compare(capture, family, attributes, answer)
        n += len(attributes)
        known += answer.get('in_smartctl_database', False)
    cases.check(not wrong and n, sentence, '\n'.join(wrong[:40]))
    print('#   %d drives, %d of them in the data base, %d attributes' % (len(drives), known, n))


def main():
    corpus = exporter.shared('corpus', 'captures')
    captures = []
    for folder in (corpus, exporter.shared('corpus', 'seed_drives'), exporter.CAPTURES):
        captures += sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith('.capture'))
    captures = [c for c in captures if device_of(c)]
    compare_all(INSTALLED, captures, 'the installed file means to us what it means to smartctl')
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, 'drivedb.h')
        for sentence, text in MADE:
            with open(path, 'w', encoding='ascii') as f:
                f.write(HEAD + text)
            compare_all(path, captures[::EVERY], sentence)


cases.run(main, (os.access(TELL, os.X_OK), 'no ' + TELL), (os.path.exists(SHIM), 'no ' + SHIM),
          (exporter.tool('smartctl'), 'no smartctl'), (INSTALLED, 'no ' + PLACES[0]),
          (exporter.shared('corpus', 'captures'), 'no ../shared/corpus (set SHARED to where it is)'))
