"""What smartctl and sg3_utils make of a SCSI capture, as claims; and its bytes, for those who judge the claims."""

import collections
import functools
import re

import scsi_tables as tables
from scsi_tables import ABSENT, SPELLED

# The value is a number, ABSENT, or words of the tool that no table knows; raw is the number as the tool printed it, where it
# was converted; page is as scsi_tables names it, None for the tool's own choice.
Claim = collections.namedtuple('Claim', 'tool page family labels value raw', defaults=(None,))


def answers_of(path):
    """{command: bytes} of a capture at its start, on its first path; of several answers to a command the first bytes."""
    found, command = {}, None
    with open(path, encoding='utf-8') as f:
        for text in f:
            text = text.partition('#')[0].strip()
            if text.startswith('@') or text.startswith('path '):
                break
            if text.startswith('>'):
                command = ' '.join(text[1:].split())
                if found.get(command):
                    command = None
                else:
                    found[command] = b''
            elif command and re.fullmatch(r'(?:[0-9a-f]{2}\s*)+', text):
                found[command] += bytes.fromhex(text)
    return found


def keyed(answers):
    """The same as (command, {key: number}, bytes)."""
    for text, answer in answers.items():
        command, *words = text.split()
        yield command, {key: int(value, 16) for key, _, value in (word.partition('=') for word in words)}, answer


class Scsi:
    """Of a Drive of run."""

    def __init__(self, drive):
        self.drive, self.answers, self.said = drive, answers_of(drive.path), {}

    # ---- the capture's bytes

    @functools.cached_property
    def pages(self):
        """{'0d/01': bytes} of its log pages"""
        found = {}
        for command, answer in self.answers.items():
            m = re.fullmatch(r'log-sense page=([0-9a-f]+)(?: subpage=([0-9a-f]+))?', command)
            if m and answer:
                found[m.group(1).zfill(2) + ('/' + m.group(2).zfill(2) if m.group(2) else '')] = answer
        return found

    def parameters(self, page):
        """{code: value} of a log page"""
        found, rest = {}, self.pages.get(page, b'')[4:]
        while len(rest) >= 4:
            found.setdefault(int.from_bytes(rest[:2], 'big'), rest[4:4 + rest[3]])
            rest = rest[4 + rest[3]:]
        return found

    @property
    def maker(self):
        vendor = self.answers.get('inquiry', b'')[8:16].decode('latin-1').strip()
        return {'SEAGATE': 'seagate', 'HGST': 'hgst', 'HITACHI': 'hgst', 'WDC': 'hgst'}.get(vendor)

    @property
    def is_solid_state(self):
        return self.answers.get('inquiry vpd=b1', b'')[4:6] == b'\0\1'

    @property
    def is_asleep(self):
        return any(value for labels, value in self.drive.metrics.all('drive_power_state')
                   if labels['state'] in ('standby', 'sleep'))

    def is_cut(self, page):
        """Less came than the page's header says."""
        answer = self.pages.get(page, b'')
        return len(answer) < 4 + int.from_bytes(answer[2:4], 'big')

    def is_saturated(self, claim):
        """All ones, in as many bytes as the page may have there; sg_logs has -1 for some."""
        try:
            raw = float(claim.value if claim.raw is None else claim.raw)
        except (TypeError, ValueError):
            return False
        all_ones = [-1.0] + [float(256 ** n - 1) for n in (1, 2, 4, 8)]
        return raw in all_ones and b'\xff' in self.pages.get(claim.page, b'')

    # ---- claims

    def claims(self, smartctl):
        """Of each tool and page the first (a page may repeat a parameter); of pages the best, in the order of PRECEDENCE,
        and which one that is. smartctl is its JSON."""
        found, best = {}, {}
        for c in self.all_claims(smartctl):
            found.setdefault((c.tool, c.page, series(c)), c)
        for c in found.values():
            if rank(c) and c.value is not ABSENT and not self.is_saturated(c):
                best[series(c)] = min(best.get(series(c), rank(c)), rank(c))
        for c in found.values():
            if c.value is None or rank(c) not in (None, best.get(series(c), rank(c))):
                continue
            yield c
            if c.family in tables.SOURCES and rank(c) and series(c) in best:
                labels = {'quantity': tables.SOURCES[c.family], 'page': tables.page_name(c.page)}
                yield Claim(c.tool, c.page, 'drive_source_info', labels, 1)

    def all_claims(self, smartctl):
        yield from self.lines('sg_readcap', None, tables.SG_READCAP, self.drive.tool('sg_readcap', '--16'))
        for page in self.pages:
            yield from self.sg_logs(page)
        for code, rows in tables.SG_VPD.items():
            if 'inquiry vpd=' + code in self.answers:
                yield from self.lines('sg_vpd', code, rows, self.drive.tool('sg_vpd', '--force', '--page=0x' + code))
        yield from self.smartctl(smartctl)
        if '37' in self.pages or '3e' in self.pages:    # in no JSON
            text = self.drive.tool('smartctl', '-A', '--tolerance=verypermissive', '-d', 'scsi')
            for page in ('37', '3e'):
                yield from self.lines('smartctl', page, tables.SG_LOGS[page], text)

    def lines(self, tool, page, rows, text):
        """In two passes, for what stands last on a page may be what its numbers are counted in."""
        found, said = [], dict(self.said)
        for text in text.splitlines():
            for row in rows:
                m = row.pattern.match(text)
                if m:
                    said.update((name, SPELLED.get(name, str)(group)) for name, group in m.groupdict().items()
                                if group is not None and name not in ('v', 'none'))
                    found.append((row, m.groupdict(), dict(said)))
        if 'block' in said:
            self.said['block'] = int(said['block'])
        for row, groups, said_then in found:
            if row.family:
                around = {**said, **said_then}
                labels = {name: label.format(**around) for name, label in row.labels.items()}
                is_absent = groups.get('none') or groups['v'].strip('<>') in tables.NOT_TOLD
                value = ABSENT if is_absent else row.convert(groups['v'], around)
                yield Claim(tool, page, row.family, labels, value, groups['v'])

    # ---- sg_logs

    def sg_logs(self, page):
        rows = tables.SG_LOGS.get(page, [])
        function = {'10': self.sg_self_tests, '15': self.sg_fates, '2f': self.sg_conditions}.get(page)
        if not rows and not function:
            return
        vendor = tables.SG_VENDOR.get((self.maker, page))
        words = ['--page=0x' + page.replace('/', ',0x')] + (['--vendor=' + vendor] if vendor else [])
        text = self.drive.tool('sg_logs', *words)
        yield from self.lines('sg_logs', page, rows, text)
        if function:
            yield from function(text)

    def sg_self_tests(self, text):
        hours, types, results = (re.findall(pattern, text) for pattern in (
            r'accumulated power-on hours = (\d+)', r'self-test code: .*\[(\d+)\]', r'self-test result: .*\[(\d+)\]'))
        if 'Self-test results page' in text:
            yield from self_tests('sg_logs', [tuple(map(int, test)) for test in zip(types, results, hours)])

    def sg_fates(self, text):
        if 'Status parameters' in text:
            known = {words: status for status, (_, words) in tables.FATES.items()}
            found = re.findall(r'^ +Power on minutes when error detected.*\n +(.*)$', text, re.MULTILINE)
            reserved = {words: 0 for words in found if re.match('Reassign status: [Rr]eserved', words)}
            yield from fates('sg_logs', [{**known, **reserved}.get(words, words) for words in found])

    def sg_conditions(self, text):
        """Each once by its sense code, and once by its number, for sg_logs names them so."""
        pattern = r'^  (.*):\n    SMART sense_code=0x(\w+) sense_qualifier=0x(\w+) threshold=(\d+)% trip=(\d+)'
        for name, asc, ascq, threshold, trip in re.findall(pattern, text, re.MULTILINE):
            for page, kind in (('2f', tables.CONDITIONS.get(asc.zfill(2) + ascq.zfill(2))),
                               (tables.BY_NUMBER, tables.CONDITION_NAMES.get(name, name))):
                if kind:
                    labels = {'kind': kind}
                    yield Claim('sg_logs', page, 'drive_scsi_exception_threshold_ratio', labels, int(threshold) / 100)
                    yield Claim('sg_logs', page, 'drive_scsi_exception_tripped', labels, int(trip != '0'))

    # ---- smartctl

    def smartctl(self, json):
        for field in tables.SMARTCTL:
            value, page = get(json, field.path), field.page
            if page == '0a' and 'mode-sense page=0a' not in self.answers:
                page = '86'
            if value is not None:
                text = str(int(value) if isinstance(value, bool) else value)
                yield Claim('smartctl', page, field.family, field.labels, field.convert(text, {}))
        yield from self.smartctl_health(json)
        yield from self.smartctl_kind(json)
        yield from self.smartctl_tests(json)
        yield from self.smartctl_scan(json)
        for name, port in json.items():
            if name.startswith('scsi_sas_port_'):
                yield from self.smartctl_port(port)
        for name, sensor in get(json, 'scsi_environmental_reports', {}).items():
            yield from self.smartctl_sensor(name.rpartition('_')[0], sensor)

    def smartctl_health(self, json):
        passed, hours = get(json, 'smart_status.passed'), get(json, 'power_on_time.hours')
        asc, ascq = get(json, 'smart_status.scsi.asc'), get(json, 'smart_status.scsi.ascq')
        if passed is not None:
            yield Claim('smartctl', '2f', 'drive_warning', {'reason': 'smart_failing'}, int(not passed))
        if asc is not None:
            labels = {'asc': '%02x' % asc, 'ascq': '%02x' % ascq}
            yield Claim('smartctl', '2f', 'drive_scsi_informational_exception', labels, 1)
        if hours is not None:
            seconds = hours * 3600 + get(json, 'power_on_time.minutes', 0) * 60
            yield Claim('smartctl', None, 'drive_power_on_seconds_total', {}, seconds)

    def smartctl_kind(self, json):
        rate, form = get(json, 'rotation_rate'), get(json, 'form_factor.name')
        provisioning, made = get(json, 'scsi_lb_provisioning.value'), get(json, 'scsi_start_stop_cycle_counter', {})
        if rate is not None:
            yield Claim('smartctl', 'b1', 'drive_info', {'type': 'hdd' if rate else 'ssd'}, 1)
        if form is not None:
            yield Claim('smartctl', 'b1', 'drive_info', {'form_factor': SPELLED['form'](form)}, 1)
        if provisioning is not None:
            labels = {'type': SPELLED['type'](str(provisioning))}
            yield Claim('smartctl', 'b2', 'drive_scsi_provisioning_info', labels, 1)
        year, week = made.get('year_of_manufacture', ''), made.get('week_of_manufacture', '')
        if year.isdigit() and week.isdigit():
            yield Claim('smartctl', '0e', 'drive_manufacture_info', {'year': year, 'week': week}, 1)

    def smartctl_tests(self, json):
        found = []
        while 'scsi_self_test_%d' % len(found) in json:
            test = json['scsi_self_test_%d' % len(found)]
            found.append((test['code']['value'], test['result']['value'], get(test, 'power_on_time.hours', 0)))
        if found:
            yield from self_tests('smartctl', found)

    def smartctl_scan(self, json):
        scan = get(json, 'scsi_background_scan', {})
        if 'status' not in scan:
            return
        status = scan['status']['value']
        state = tables.SCAN_STATES[status][0] if status < len(tables.SCAN_STATES) else 'unknown'
        yield Claim('smartctl', '15', 'drive_scsi_background_scan_info', {'status': state}, 1)
        yield from fates('smartctl', [result['reassign_status']['value'] for result in scan.values()
                                      if result.get('parameter_code', tables.LIST_LAST + 1) <= tables.LIST_LAST])

    def smartctl_port(self, port):
        for name, phy in port.items():
            if name.startswith('phy_'):
                labels = {'phy': '%d-%d' % (port['relative_target_port_id'], phy['identifier']), 'side': 'drive'}
                rate = re.sub('^phy enabled; ', '', phy['negotiated_logical_link_rate'])
                yield Claim('smartctl', '18', 'drive_link_speed_bits_per_second', labels, tables.RATES.get(rate, rate))
                for field, kind in tables.SMARTCTL_PHY:
                    yield Claim('smartctl', '18', 'drive_link_errors_total', {**labels, 'kind': kind}, phy[field])

    def smartctl_sensor(self, what, sensor):
        family, extremes, convert = tables.SMARTCTL_SENSORS[what]
        labels = {'sensor': SPELLED['sensor']('%x' % sensor['parameter_code'])}
        fields = [('current', family, labels)]
        fields += [(field, extremes, {**labels, 'kind': kind}) for field, kind in tables.SMARTCTL_EXTREMES]
        for field, where, labels in fields:
            if field in sensor:
                value = ABSENT if sensor[field] == 'unknown' else convert(str(sensor[field]), {})
                yield Claim('smartctl', '0d/01', where, labels, value)


# ---- lists that both tools tell

def self_tests(tool, tests):
    """tests are (code, result, hours), the newest first."""
    n_failed = sum(result in tables.TEST_FAILURES for _, result, _ in tests)
    yield Claim(tool, '10', 'drive_self_test_failures', {}, n_failed)
    for code, result, hours in tests[:1]:
        labels = {'type': tables.TEST_TYPES.get(code, 'other'), 'result': tables.TEST_RESULTS.get(result, 'unknown')}
        yield Claim(tool, '10', 'drive_self_test_info', labels, 1)
        yield Claim(tool, '10', 'drive_self_test_power_on_seconds', {}, hours * 3600)


def fates(tool, statuses):
    """statuses are REASSIGN STATUS, or the tool's words where they are not known."""
    n = collections.Counter({kind: 0 for kind, _ in tables.FATES.values()}, other=0)
    n.update(tables.FATES[s][0] if s in tables.FATES else 'other' if isinstance(s, int) else s for s in statuses)
    for kind in n:
        yield Claim(tool, '15', 'drive_scsi_background_scan_errors', {'status': kind}, n[kind])


# ---- small things

def series(claim):
    return claim.family, tuple(sorted(claim.labels.items()))


def rank(claim):
    """1 is the best; None where there is only one page, or the tool chose."""
    order = tables.PRECEDENCE.get(claim.family, ())
    return order.index(claim.page) + 1 if claim.page in order else None


def get(document, path, default=None):
    for part in path.split('.'):
        if not isinstance(document, dict) or part not in document:
            return default
        document = document[part]
    return document
