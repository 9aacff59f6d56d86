"""What smartctl makes of an ATA capture, as claims; and its bytes, for those who judge the claims."""

import functools
import re

import ata_builtin
import ata_tables as tables
from scsi import Claim, answers_of, get, keyed, series
from scsi_tables import ABSENT

ENTRY_BYTES, ENTRIES = 12, 30       # of SMART data and thresholds, from byte 2


class Ata:
    """Of a Drive of run."""

    def __init__(self, drive):
        self.drive, self.answers, self.told = drive, answers_of(drive.path), {}

    # ---- the capture's bytes

    @functools.cached_property
    def by_keys(self):
        return {(command, keys.get('address', 0), keys.get('page', 0)): answer
                for command, keys, answer in keyed(self.answers)}

    def answer(self, command, address=0, page=0):
        """The bytes, or b''."""
        return self.by_keys.get((command, address, page), b'')

    def log(self, address, page=0):
        """Of either kind of log."""
        return self.answer('ata-log', address, page) or self.answer('ata-smart-log', address)

    def word(self, number):
        return int.from_bytes(self.answer('ata-identify')[2 * number:2 * number + 2], 'little')

    @functools.cached_property
    def block(self):
        return 2 * (self.word(118) << 16 | self.word(117)) if self.word(106) & 0xd000 == 0x5000 else 512

    @functools.cached_property
    def attributes(self):
        """{id: (value, worst, six raw bytes)}, of each id the first"""
        found, data = {}, self.answer('ata-smart-data')
        for at in range(2, 2 + ENTRIES * ENTRY_BYTES, ENTRY_BYTES):
            entry = data[at:at + ENTRY_BYTES]
            if len(entry) == ENTRY_BYTES and entry[0]:
                found.setdefault(entry[0], (entry[3], entry[4], entry[5:11]))
        return found

    def raw(self, number):
        return int.from_bytes(self.attributes[number][2], 'little') if number in self.attributes else None

    @functools.cached_property
    def statistics(self):
        """{(page, offset): (value in 7 bytes, flags)} of what the drive keeps and calls valid"""
        found = {}
        for (command, address, page), data in self.by_keys.items():
            for at in range(8, len(data), 8):
                if (command, address) == ('ata-log', 4) and page and data[at + 7] & 0xc0 == 0xc0:
                    found[page, at] = int.from_bytes(data[at:at + 7], 'little'), data[at + 7]
        return found

    @functools.cached_property
    def own_attributes(self):
        """Of which drivedb has a word for this model."""
        return {int(number) for number in re.findall(r'^(?:ATTRIBUTE OPTIONS:| {19})\s*(\d{3}) ',
                                                     self.drive.tool('smartctl', '-P', 'show', '-d', 'sat'), re.MULTILINE)}

    @property
    def is_in_drivedb(self):
        return get(self.told, 'in_smartctl_database', False)

    @property
    def is_asleep(self):
        return any(value for labels, value in self.drive.metrics.all('drive_power_state')
                   if labels['state'] in ('standby', 'sleep'))

    # ---- claims

    def claims(self, smartctl):
        """Of pages the best. smartctl is its JSON."""
        self.told = smartctl
        found, best = {}, {}
        for c in self.all_claims(smartctl):
            found.setdefault((c.page, series(c)), c)
        for c in found.values():
            if rank(c) is not None and c.value is not ABSENT:
                best[series(c)] = min(best.get(series(c), rank(c)), rank(c))
        for c in found.values():
            if c.value is None or rank(c) not in (None, best.get(series(c), rank(c))):
                continue
            yield c
            if c.family in tables.SOURCES and c.page in tables.SOURCE_PAGES and self.ours(c) is not None:
                yield self.source(c)
        yield from self.of_ours_alone([c for c in found.values() if c.value is not None])

    def ours(self, claim):
        return self.drive.metrics.value(claim.family, **claim.labels)

    def of_ours_alone(self, claims):
        """What we tell and no claim was about: the tool is silent."""
        for family in tables.TOLD:
            about = [c.labels.items() for c in claims if c.family == family]
            for labels, _ in self.drive.metrics.all(family):
                if not any(items <= labels.items() for items in about):
                    labels = {name: value for name, value in labels.items() if name != 'drive'}
                    yield Claim('smartctl', 'nowhere', family, labels, ABSENT)

    def source(self, claim):
        """Which page it is, as far as the name of ours tells."""
        quantity, page = tables.SOURCES[claim.family], tables.SOURCE_PAGES[claim.page]
        for labels, _ in self.drive.metrics.all('drive_source_info', quantity=quantity):
            page = labels['page'] if labels['page'].startswith(page) else page
        return Claim(claim.tool, claim.page, 'drive_source_info', {'quantity': quantity, 'page': page}, 1)

    def all_claims(self, smartctl):
        yield from self.identity(smartctl)
        for field in tables.SMARTCTL:
            value = get(smartctl, field.path)
            if value is not None:
                yield Claim('smartctl', field.page, field.family, field.labels, field.convert(str(int(value)), {}))
        for page in get(smartctl, 'ata_device_statistics.pages', []):
            for statistic in page.get('table', []):
                yield from self.statistic(page['number'], statistic)
        yield from self.attribute_table()
        yield from ata_builtin.claims(self)
        yield from self.health(smartctl)
        for log in ('extended', 'standard'):
            if get(smartctl, 'ata_smart_self_test_log.' + log):
                yield from self.self_tests(get(smartctl, 'ata_smart_self_test_log.' + log))
        for event in get(smartctl, 'sata_phy_event_counters.table', []):
            name = tables.EVENTS.get(event['id'], event['name'])
            value = ABSENT if event['overflow'] else event['value']
            yield Claim('smartctl', 'phy events', 'drive_ata_phy_events_total', {'event': name}, value)

    def identity(self, smartctl):
        for path, label in tables.NAMES:
            text = get(smartctl, path)
            if text and re.fullmatch(r'[!-~]+( [!-~]+)*', text):    # each program has its own way with odd bytes
                yield Claim('smartctl', 'identify', 'drive_info', {label: text}, 1)
        wwn, rate, form = get(smartctl, 'wwn'), get(smartctl, 'rotation_rate'), get(smartctl, 'form_factor.ata_value')
        if wwn:
            text = '%x%06x%09x' % (wwn['naa'], wwn['oui'], wwn['id'])
            yield Claim('smartctl', 'identify', 'drive_info', {'wwn': text}, 1)
        if rate is not None:
            yield Claim('smartctl', 'identify', 'drive_info', {'type': 'hdd' if rate else 'ssd'}, 1)
        if form is not None:
            labels = {'form_factor': tables.FORM_FACTORS.get(form, str(form))}
            yield Claim('smartctl', 'identify', 'drive_info', labels, 1)
        if get(smartctl, 'sata_version'):
            yield Claim('smartctl', 'identify', 'drive_info', {'transport': 'sata'}, 1)
        for which, family in tables.SPEEDS:
            speed = get(smartctl, 'interface_speed.' + which)
            if speed:
                value = speed['units_per_second'] * speed['bits_per_unit']
                yield Claim('smartctl', 'identify', family, {'phy': '0', 'side': 'drive'}, value)

    def statistic(self, page, s):
        labels = {'page': str(page), 'offset': '0x%02x' % s['offset'], 'name': tables.statistic_name(s['name'])}
        value = s['value'] if s['flags']['valid'] and 'value' in s else ABSENT
        yield Claim('smartctl', 'statistics', 'drive_ata_statistic', labels, value)
        if (page, s['offset']) in tables.STATISTICS and value is not ABSENT:
            family, labels, factor = tables.STATISTICS[page, s['offset']]
            yield Claim('smartctl', 'statistics', family, labels, value * (self.block if factor is None else factor))

    def health(self, smartctl):
        passed, hours = get(smartctl, 'smart_status.passed'), get(smartctl, 'power_on_time.hours')
        if passed is not None:
            yield Claim('smartctl', 'status', 'drive_warning', {'reason': 'smart_failing'}, int(not passed))
        if hours is not None:
            seconds = hours * 3600 + get(smartctl, 'power_on_time.minutes', 0) * 60
            yield Claim('smartctl', None, 'drive_power_on_seconds_total', {}, seconds, self.attribute_told(9))

    # ---- attributes

    @property
    def table(self):
        return get(self.told, 'ata_smart_attributes.table', [])

    def attribute_told(self, number):
        return next((a for a in self.table if a['id'] == number), None)

    def attribute_table(self):
        for a in self.table:
            labels = {'id': str(a['id'])}
            for part, value in (('value', a.get('value')), ('worst', a.get('worst')), ('threshold', a.get('thresh')),
                                ('raw', a['raw']['value'])):
                yield Claim('smartctl', 'table', 'drive_ata_attribute_' + part, labels, value)
            if not a['name'].startswith('Unknown_'):
                yield Claim('smartctl', 'table', 'drive_ata_attribute_info', {**labels, 'name': a['name']}, 1)
        for row in tables.ATTRIBUTES:
            for a in self.table:
                if row.pattern.match('%d %s' % (a['id'], a['name'])):
                    yield from self.quantity(row, a)

    def quantity(self, row, a):
        text = str(a['value']) if row.of == 'value' else main_number(a['raw']['string'])
        if text is not None:
            is_time = row.of == 'raw' and 'h+' in a['raw']['string']
            value = float(text) if is_time else row.convert(text, {'block': self.block})
            yield Claim('smartctl', 'attributes', row.family, row.labels, value, a)
            if row.family == 'drive_spare_available_ratio' and a.get('thresh'):
                yield Claim('smartctl', 'attributes', 'drive_spare_threshold_ratio', {}, a['thresh'] / 100, a)

    # ---- self-tests

    def self_tests(self, log):
        tests = log.get('table', [])
        yield Claim('smartctl', 'self-test log', 'drive_self_test_failures', {}, log.get('error_count_total', 0))
        for test in tests[:1]:
            labels = {'type': tables.TEST_TYPES.get(test['type']['value'] & 0x7f, 'other'),
                      'result': tables.TEST_RESULTS.get(test['status']['value'] >> 4, 'unknown')}
            yield Claim('smartctl', 'self-test log', 'drive_self_test_info', labels, 1)
            yield Claim('smartctl', 'self-test log', 'drive_self_test_power_on_seconds', {}, test['lifetime_hours'] * 3600)


# ---- small things

def main_number(text):
    """Of smartctl's words for a raw number; None where they have no main one. Times in seconds."""
    m = re.match(r'(\d+)h\+(\d+)m(?:\+([\d.]+)s)?$', text)
    if m:
        return str(int(m.group(1)) * 3600 + int(m.group(2)) * 60 + float(m.group(3) or 0))
    m = re.match(r'\d+ \d+ (\d+)$', text) or re.match(r'(-?\d+)(?: \(.*\))?$', text)
    return m.group(1) if m else None


def rank(claim):
    """0 is the best; None where there is only one page, or the tool chose."""
    return tables.PRECEDENCE.get(claim.page)
