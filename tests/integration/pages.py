#!/usr/bin/env python3
"""The pages and the JSON as any client gets them: well formed, bounded, escaped, complete, and as docs/api.md says."""

import html.parser
import json
import os
import re
import sys
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter
import made
import showcase
import tempfile

PAGE_MAX = 100000
VOID = {'meta', 'link', 'br', 'hr', 'img', 'line', 'polyline'}
LEVELS = ['failing', 'missing', 'silent', 'worn', 'warned', 'starting', 'healthy', 'untold']
API = os.path.join(exporter.SOURCE, 'docs', 'api.md')
# Of the example in docs/api.md, what differs from run to run
MOVING = re.compile(r'timestamp_seconds$|latency')


class Page(html.parser.HTMLParser):
    """The elements of a page; faults are what an author should not have written."""

    def __init__(self, body):
        super().__init__()
        self.stack, self.faults, self.elements, self.texts, self.ids = [], [], [], [], []
        self.feed(body.decode('utf-8'))
        self.close()
        if self.stack:
            self.faults.append('left open: %s' % self.stack)

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        if len(set(names)) != len(names):
            self.faults.append('an attribute twice: <%s %s>' % (tag, names))
        attributes = dict(attributes)
        self.elements.append((tag, attributes))
        self.ids += [attributes['id']] if 'id' in attributes else []
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.faults.append('</%s> closes what was not open' % tag)

    def handle_data(self, data):
        if 'style' not in self.stack:
            self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    def text(self):
        return ' '.join(' '.join(self.texts).split())


def judge_structure(name, page):
    tags = {tag for tag, _ in page.elements}
    levels = [int(tag[1]) for tag, _ in page.elements if re.match(r'h[1-6]$', tag)]
    duplicates = {i for i in page.ids if page.ids.count(i) > 1}
    outside = [a for a in page.elements for v in (a[1].get('href'), a[1].get('src')) if v and not v.startswith(('/', '#'))]
    cases.check(not page.faults, name + ': every element is closed', page.faults[:5])
    cases.check(not tags & {'script', 'img', 'link', 'iframe', 'form'} and not any(k.startswith('on') for _, a in page.elements for k in a),
                name + ': no script, nothing that is loaded')
    cases.check(not outside, name + ': all links stay here', outside[:3])
    cases.check(page.all('html')[0].get('lang') == 'en' and 'title' in tags and {'header', 'main', 'footer'} <= tags, name + ': language, title, landmarks')
    cases.check(levels[0] == 1 and levels.count(1) == 1 and all(b <= a + 1 for a, b in zip(levels, levels[1:])),
                name + ': one h1, and no level of headings left out', levels)
    cases.check(all(a.get('scope') for a in page.all('th')) and len(page.all('caption')) == len(page.all('table')),
                name + ': tables have captions, and their headers a scope')
    cases.check(not duplicates, name + ': ids are unique', duplicates)


def judge_headers(name, headers):
    policy = headers['Content-Security-Policy'] or ''
    cases.check("default-src 'none'" in policy and 'script' not in policy and "frame-ancestors 'none'" in policy,
                name + ': its policy allows no script and no frame', policy)
    cases.check(headers['X-Content-Type-Options'] == 'nosniff' and headers['X-Frame-Options'] == 'DENY', name + ': no sniffing, no frame')


def fetch_page(daemon, path, name):
    status, headers, body = daemon.get(path)
    cases.check(status == 200 and headers['Content-Type'] == 'text/html; charset=utf-8', name + ': is HTML', (status, headers['Content-Type']))
    cases.check(len(body) < PAGE_MAX, name + ': has less than 100 kB', len(body))
    judge_headers(name, headers)
    page = Page(body)
    judge_structure(name, page)
    return page, body


def drive_path(drive):
    return '/drives/' + urllib.parse.quote(drive, safe='')


def judge_index(daemon, drives):
    page, body = fetch_page(daemon, '/', 'index')
    links = [a['href'] for a in page.all('a') if a['href'].startswith('/drives/')]
    cases.check(links == [drive_path(d['drive']) for d in drives], 'index: links all drives, in the order of the JSON', links)
    order = [LEVELS.index(d['health']) for d in drives]
    cases.check(order == sorted(order), 'worst come first', [d['health'] for d in drives])
    text = page.text()
    for d in drives:
        for reason in d['reasons']:
            if re.sub(r'\d+', '', reason['text']) not in re.sub(r'\d+', '', text):
                cases.check(False, 'index: says why', reason['text'])
    for word in ('%d drives' % len(drives), 'are replayed', 'missing', 'asleep', 'Life left', 'today', 'read ', 'write '):
        cases.check(word in text, 'index: says "%s"' % word)
    cases.check(b'<b>' not in body and b'&quot;&gt;&lt;b&gt;&amp;x' in body, 'index: hostile names are text')
    cases.check(sum(v is not None and 'width:' in v for v in (a.get('style') for _, a in page.elements)) >= 5, 'index: wear has bars')


def judge_drives(daemon, drives):
    for d in drives:
        page, body = fetch_page(daemon, drive_path(d['drive']), d['drive'])
        text = page.text()
        cases.check(d['health'] in text or d['health'] in ('silent', 'warned', 'untold', 'starting'), d['drive'] + ': says how it is')
        if d['drive'] == showcase.GONE:
            cases.check('not there any more' in text, 'the page of one that is missing says so')


def judge_lived(daemon, drives):
    lived = [d for d in drives if d['drive'].startswith('SDLL')][0]
    page = Page(daemon.get(drive_path(lived['drive']))[2])
    points = page.all('polyline')[0]['points'].split()
    # One in two weeks of old days is kept, and a machine that is busy misses some of the newest.
    cases.check(len(points) > 15 and page.all('svg')[0]['role'] == 'img' and page.all('svg')[0]['aria-labelledby'] in page.ids,
                'the chart has the months, and a title', len(points))
    y = [float(p.split(',')[1]) for p in points]
    cases.check(y == sorted(y, reverse=True) and y[0] - y[-1] > 50, 'the curve climbs', y[::20])
    cases.check('60 %' in page.text() and 'expected to be used up on 2' in page.text(), 'and its words say from where to where')
    cases.check(not daemon.get(drive_path(lived['drive']) + 'x')[0] == 200, 'another label is another drive')


def judge_others(daemon):
    for path in ('/drives/', '/drives/none', '/drives', '/api/v1', '/api/v1/drivesx', '/index.html', '/drives/%00', '/drives/..%2f..%2fetc'):
        cases.check(daemon.get(path)[0] == 404, path + ' is not there')
    status, headers, body = daemon.get('/api/v1/drives/none')
    cases.check(status == 404 and headers['Content-Type'] == 'application/json' and json.loads(body)['error'], 'an unknown drive is an error in JSON')
    for path in ('/', '/api/v1/drives'):
        status, headers, body = daemon.get(path, method='HEAD')
        cases.check(status == 200 and body == b'' and int(headers['Content-Length']) > 1000, 'HEAD of %s has the headers alone' % path)
        status, headers, body = daemon.get(path, headers={'Range': 'bytes=0-9'})
        cases.check(status == 200 and len(body) > 1000, 'a range of %s is ignored' % path)


# ---- JSON

def documented():
    with open(API, encoding='utf-8') as f:
        text = f.read()
    rows = re.findall(r'^\| (`[^|]+) \| (string|integer|number|boolean|array) \|', text, re.M)
    example = json.loads(re.search(r'```json\n(.*?)```', text, re.S).group(1))
    return {name: kind for names, kind in rows for name in re.findall(r'`(\w+)`', names)}, example


KINDS = {'string': str, 'integer': int, 'number': (int, float), 'boolean': bool, 'array': list}


def is_kind(value, kind):
    return isinstance(value, KINDS[kind]) and (kind == 'boolean' or not isinstance(value, bool))


def judge_members(drives, members):
    seen = {name for d in drives for name in d}
    cases.check(seen <= set(members), 'docs/api.md has every member', seen - set(members))
    never = set(members) - seen - {'version', 'time_seconds', 'drives', 'family', 'stuck', 'latency_window_seconds', 'readings'}
    cases.check(not never, 'every member that it has is served', never)
    wrong = [(d['drive'], name, value) for d in drives for name, value in d.items() if not is_kind(value, members[name])]
    cases.check(not wrong, 'and is of the type that it says', wrong[:5])


def judge_readings(daemon, drives, metrics):
    for d in drives:
        status, _, body = daemon.get('/api/v1' + drive_path(d['drive']))
        one = json.loads(body)['drive']
        if d.get('virtual') or not d['present']:
            continue
        for r in one['readings']:
            value = metrics.value(r['metric'], drive=d['drive'], **r['labels']) if r['metric'] not in ('drive_ata_attribute_info',) else 1
            if r['metric'].startswith('drive_ata_attribute') or r['metric'] in MAY_MOVE:
                continue
            if value is None or abs(value - float(r['value'])) > 1e-9 * abs(value):
                cases.check(False, '%s: %s is what the metrics say' % (d['drive'], r['metric']), (value, r))
                return
    cases.check(True, 'the readings of all drives are what the metrics say')


MAY_MOVE = ('drive_endurance_exhaustion_timestamp_seconds', 'drive_endurance_exhaustion_bound_timestamp_seconds', 'drive_writes_per_day')


def judge_example(members, example):
    capture = os.path.join(exporter.CAPTURES, 'seagate_1200_sas.capture')
    flags = ('--no-collector.history', '--no-collector.drivedb', '--catalogue.path=' + os.path.join(exporter.SOURCE, 'data', 'drives.csv'))
    with exporter.Exporter('--replay=' + capture, '--log.level=error', *flags) as daemon:
        drive = showcase.settled(daemon)[0]
    drive = {name: value for name, value in drive.items() if not MOVING.search(name)}
    cases.check(drive == example and set(example) <= set(members), "docs/api.md's example is what is served", json.dumps(drive, indent=2))


# ---- many

def judge_thousand():
    with tempfile.TemporaryDirectory() as folder:
        for i in range(300):
            with open(os.path.join(folder, '%d.capture' % i), 'w', encoding='utf-8') as f:
                f.write(made.capture(made.device_name(i), 'M%04d' % i, 0x5000c50000000000 + 16 * i, {}))
        with exporter.Exporter('--replay=' + folder, '--log.level=error') as daemon:
            daemon.wait_for_visits(300, 60)
            page, body = fetch_page(daemon, '/', '300 drives')
            shown = len([a for a in page.all('a') if a['href'].startswith('/drives/')])
            cases.check(30 <= shown < 300 and '%d more drives' % (300 - shown) in page.text(), 'the rest is counted', shown)
            cases.check(len(json.loads(daemon.get('/api/v1/drives')[2])['drives']) == 300, 'and the JSON has all')


def main():
    members, example = documented()
    with showcase.Host() as daemon:
        drives = json.loads(daemon.get('/api/v1/drives')[2])['drives']
        judge_members(drives, members)
        judge_index(daemon, drives)
        judge_drives(daemon, drives)
        judge_lived(daemon, drives)
        judge_others(daemon)
        judge_readings(daemon, drives, daemon.metrics())
    judge_example(members, example)
    judge_thousand()


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM))
