"""What nvme-cli and smartctl make of an NVMe capture, as claims; and its bytes, for those who judge the claims."""

import collections
import functools
import re

import nvme_tables as tables
from scsi import Claim, answers_of, get, keyed, series
from scsi_tables import ABSENT

NOT_SERVED = 'not served'       # the family of what no table here knows
ITEM_BYTES = 12                 # of log CAh


class Nvme:
    """Of a Drive of run."""

    def __init__(self, drive):
        self.drive, self.answers = drive, answers_of(drive.path)

    # ---- the capture's bytes

    @functools.cached_property
    def by_keys(self):
        """{(command, cns or id, nsid or lsi, uuid): bytes}"""
        found = {}
        for command, keys, answer in keyed(self.answers):
            which = keys.get('cns', keys.get('id', 0))
            found[command, which, keys.get('lsi', 0) if 'id' in keys else keys.get('nsid', 0), keys.get('uuid', 0)] = answer
        return found

    def log(self, number, group=0):
        """As one gets it who knows of no UUIDs."""
        return self.by_keys.get(('nvme-log', number, group, 0), b'')

    def is_by_uuid(self, number):
        """With a UUID it is another log than without, or there is none without."""
        return any(key[:2] == ('nvme-log', number) and key[3] and answer != self.log(number)
                   for key, answer in self.by_keys.items())

    def number(self, number, at, width):
        return int.from_bytes(self.log(number)[at:at + width], 'little')

    def identify(self, at, width):
        """Of the controller."""
        return int.from_bytes(self.by_keys.get(('nvme-identify', 1, 0, 0), b'')[at:at + width], 'little')

    @property
    def namespaces(self):
        return sorted(key[2] for key, answer in self.by_keys.items() if key[:2] == ('nvme-identify', 0) and answer)

    @property
    def groups(self):
        return sorted(key[2] for key, answer in self.by_keys.items() if key[:2] == ('nvme-log', 9) and answer)

    @functools.cached_property
    def intel_items(self):
        """Of log CAh, in their order: (key, six raw bytes)"""
        log = self.log(0xca)
        items = [log[at:at + ITEM_BYTES] for at in range(0, len(log) - ITEM_BYTES + 1, ITEM_BYTES)]
        return [(item[0], item[5:11]) for item in items]

    # ---- claims

    def claims(self, smartctl):
        """smartctl is its JSON. Of a series that a tool tells twice on one page the first; of pages the best."""
        found, best = {}, {}
        for c in self.all_claims(smartctl):
            if c.value is not None:
                found.setdefault((c.tool, c.page, series(c)), c)
                best[series(c)] = min(best.get(series(c), rank(c)), rank(c))
        for c in found.values():
            if rank(c) != best[series(c)]:
                continue
            yield c
            if c.family in tables.SOURCES and self.drive.metrics.value(c.family, **c.labels) is not None:
                labels = {'quantity': tables.SOURCES[c.family], 'page': tables.SOURCE_PAGE}
                yield Claim(c.tool, c.page, 'drive_source_info', labels, 1)
        for tool, families in (('nvme-cli', tables.TOLD_BY_NVME_CLI), ('smartctl', tables.TOLD_BY_SMARTCTL)):
            yield from self.of_ours_alone(tool, families, [c for c in found.values() if c.tool == tool])

    def of_ours_alone(self, tool, families, claims):
        """What we tell and the tool has a field for, and does not tell."""
        for family in families:
            about = [c.labels.items() for c in claims if c.family == family]
            for labels, _ in self.drive.metrics.all(family):
                if not any(items <= labels.items() for items in about):
                    labels = {name: value for name, value in labels.items() if name != 'drive'}
                    yield Claim(tool, 'nowhere', family, labels, ABSENT)

    def all_claims(self, smartctl):
        yield from self.smartctl(smartctl)
        controller = self.json_of('id-ctrl')
        yield from self.names('nvme-cli', tables.ID_CTRL_NAMES, controller)
        yield from rows('nvme-cli', tables.ID_CTRL, controller)
        yield from self.namespace_claims(controller)
        yield from self.listed_logs()
        yield from self.health(self.json_of('smart-log'))
        yield from errors(self.json_of('error-log'))
        yield from firmware(self.json_of('fw-log'))
        yield from self_tests(self.json_of('self-test-log'))
        yield from sanitize(self.json_of('sanitize-log'))
        for group in self.groups:
            yield from self.endurance(group, self.json_of('endurance-log', '-g', str(group)))
        for page, table, log in (('C0h', tables.OCP_HEALTH, self.json_of('ocp', 'smart-add-log')),
                                 ('C3h', tables.OCP_LATENCY, self.json_of('ocp', 'latency-monitor-log')),
                                 ('CAh', tables.SOLIDIGM, self.solidigm), ('CAh, intel', tables.INTEL, self.intel)):
            yield from rows('nvme-cli', table, log)
            yield from left_out(page, table, log)

    def json_of(self, *words):
        return self.drive.json_of('nvme', *words, '-o', 'json')

    @property
    def is_by_intel(self):
        """Of other makers CAh is another log."""
        return self.identify(0, 2) in (0x8086, 0x025e)

    @functools.cached_property
    def solidigm(self):
        return get(self.json_of('solidigm', 'smart-log-add'), 'Device stats', {}) if self.is_by_intel else {}

    @property
    def intel(self):
        if not self.is_by_intel:
            return {}
        return get(self.drive.json_of('nvme', 'intel', 'smart-log-add', '-j'), 'Device stats', {})

    def smartctl(self, told):
        yield from self.names('smartctl', tables.SMARTCTL_NAMES, told)
        yield from rows('smartctl', tables.SMARTCTL_HEALTH + tables.SMARTCTL_IDENTIFY, told)
        log = get(told, tables.SMARTCTL_LOG, {})
        for name in log.keys() - tables.SMARTCTL_KNOWN:
            if not name.endswith(('_s', '_le')):        # a long number again, as text or bytes
                yield Claim('smartctl', '02h', NOT_SERVED, {'field': name}, 'something')
        if 'critical_warning' in log:
            yield from bits('smartctl', '02h', 'drive_nvme_critical_warning', tables.WARNING_BITS, log['critical_warning'])
        for number, celsius in enumerate(log.get('temperature_sensors', []), 1):
            yield Claim('smartctl', '02h', 'drive_temperature_celsius', {'sensor': str(number)},
                        ABSENT if celsius is None else celsius)
        passed = get(told, 'smart_status.passed')
        if passed is not None:
            yield Claim('smartctl', '02h', 'drive_warning', {'reason': 'smart_failing'}, int(not passed))
        if get(told, 'device.protocol') == 'NVMe' and 'model_name' in told:
            yield Claim('smartctl', 'controller', 'drive_info', {'transport': 'nvme'}, 1)
        namespaces = told.get('nvme_namespaces', [])
        sizes = sum(n['size']['bytes'] for n in namespaces)
        yield Claim('smartctl', 'controller', 'drive_capacity_bytes', {}, told.get('nvme_total_capacity') or sizes or None)
        for n in namespaces:
            sizes = {part: n[part]['bytes'] for part in ('size', 'capacity', 'utilization')}
            sizes['block'] = n['formatted_lba_size']
            yield from namespace('smartctl', n['id'], sizes)

    def names(self, tool, table, document):
        """Where all bytes are plain: each program has its own way with others."""
        if not all(0x20 <= byte < 0x7f for byte in self.identify(4, 68).to_bytes(68, 'little')):
            return
        for field, label in table:
            if get(document, field):
                yield Claim(tool, 'controller', 'drive_info', {label: document[field].strip()}, 1)

    def namespace_claims(self, controller):
        """And the capacity, which may be their sum."""
        total, name = 0, None
        for nsid in self.namespaces:
            n = self.drive.json_of('nvme', 'id-ns', '-o', 'json', '-n', str(nsid))
            if not n.get('nsze'):
                continue
            block = 2 ** n['lbafs'][n['flbas'] & 0xf | n['flbas'] >> 1 & 0x30]['ds']
            total += n['nsze'] * block
            name = name or next((n[part] for part in ('nguid', 'eui64') if n[part].strip('0')), None)
            yield from namespace('nvme-cli', nsid, {'size': n['nsze'] * block, 'capacity': n['ncap'] * block,
                                                    'utilization': n['nuse'] * block, 'block': block})
        if controller:
            yield Claim('nvme-cli', 'controller', 'drive_capacity_bytes', {}, int(controller['tnvmcap']) or total or ABSENT)
        if name:
            yield Claim('nvme-cli', 'namespace', 'drive_info', {'wwn': name}, 1)

    def listed_logs(self):
        """No family may come of a log that the drive does not list."""
        listed = re.findall(r'^LID (0x\w+) ', self.drive.tool('nvme', 'supported-log-pages'), re.MULTILINE)
        for page, families in tables.LOG_OF.items():
            if not listed or '0x' + page[:2].lstrip('0').lower() in listed:
                continue
            for family in families:
                for labels, _ in self.drive.metrics.all(family):
                    yield Claim('nvme-cli', '00h', family, labels, ABSENT)

    def health(self, log):
        yield from rows('nvme-cli', tables.SMART_LOG, log)
        known = ('critical_warning', 'endurance_grp_critical_warning_summary')
        yield from left_out('02h', tables.SMART_LOG, log, known)
        for field, family, names_of_bits in zip(known, ('drive_nvme_critical_warning', 'drive_nvme_endurance_groups_warning'),
                                                (tables.WARNING_BITS, tables.GROUP_BITS)):
            if field in log:
                yield from bits('nvme-cli', '02h', family, names_of_bits, int(log[field]))

    def endurance(self, group, log):
        yield from rows('nvme-cli', tables.ENDURANCE_LOG, log, group=str(group))
        yield from left_out('09h', tables.ENDURANCE_LOG, log, ('critical_warning',))
        if log:
            yield from bits('nvme-cli', '09h', 'drive_nvme_endurance_group_warning', tables.GROUP_BITS, log['critical_warning'],
                            group=str(group))
        if log and self.identify(340, 2) == 1:      # there is no other group: all the flash
            written = int(log['media_units_written']) * 10 ** 9
            yield Claim('nvme-cli', '09h', 'drive_nand_written_bytes_total', {}, written)


# ---- what several tools or logs have in common

def rank(claim):
    """0 is the best."""
    return tables.PRECEDENCE.get(claim.page.partition(',')[0], 0)


def value_at(document, path):
    """A number as text. nvme-cli has some of 128 bits as two."""
    value = get(document, path)
    if isinstance(value, dict) and value.keys() == {'hi', 'lo'}:
        value = value['hi'] << 64 | value['lo']
    return None if value is None or isinstance(value, (dict, list)) else str(int(value) if isinstance(value, bool) else value)


def rows(tool, table, document, **labels):
    for row in table:
        text = value_at(document, row.path)
        if text is not None:
            yield Claim(tool, row.page, row.family, {**labels, **row.labels}, row.convert(text, {}), (row.path, text))


def bits(tool, page, family, names_of_bits, value, **labels):
    for number, name in enumerate(names_of_bits):
        if name:
            yield Claim(tool, page, family, {**labels, 'bit': name}, value >> number & 1)


def namespace(tool, nsid, sizes):
    for part, family in tables.NAMESPACE_SIZES:
        yield Claim(tool, 'namespace', family, {'nsid': str(nsid)}, sizes[part])


def paths(document):
    """Of each value in it; elements of a list have no number."""
    for name, value in document.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict) and each.keys() != {'hi', 'lo'}:
                yield from (name + '.' + rest for rest in paths(each))
            else:
                yield name


def left_out(page, table, document, known=()):
    """What the tool tells that no row of ours takes."""
    taken = {row.path for row in table} | set(known)
    for path in sorted(set(paths(document)) - taken):
        yield Claim('nvme-cli', page, NOT_SERVED, {'field': path}, 'something')


# ---- logs that are no plain tables

def errors(log):
    """By type: of those entries that are in use."""
    types = collections.Counter(tables.ERROR_TYPES[e['status_field'] >> 8 & 7]
                                for e in log.get('errors', []) if e['error_count'])
    for name, n in types.items():
        yield Claim('nvme-cli', '01h', 'drive_nvme_logged_errors_total', {'type': name}, n)
    yield from left_out('01h', (), log, ('errors.error_count', 'errors.status_field'))


def of_device(log):
    """nvme-cli puts some logs below the name of the device."""
    return next(iter(log.values()), {})


def firmware(log):
    log = of_device(log)
    active = log.get('Active Firmware Slot (afi)')
    if active is None:
        return
    yield Claim('nvme-cli', '03h', 'drive_nvme_firmware_active_slot', {}, active & 7 or ABSENT)
    yield Claim('nvme-cli', '03h', 'drive_nvme_firmware_next_slot', {}, active >> 4 & 7 or ABSENT)
    for name, text in log.items():
        slot, number = re.match(r'Firmware Rev Slot (\d)$', name), re.match(r'(\d+) ', str(text))
        if slot and number:         # the eight bytes: in the text after them it has dots for blanks
            revision = int(number.group(1)).to_bytes(8, 'little').decode('latin-1').strip(' \0')
            yield Claim('nvme-cli', '03h', 'drive_nvme_firmware_slot_info', {'slot': slot.group(1), 'firmware': revision}, 1)


def self_tests(log):
    """raw of what is about a result: its type as a number, and whether a test runs."""
    if 'Current Device Self-Test Operation' not in log:
        return
    running, tests = log['Current Device Self-Test Operation'], log['List of Valid Reports']
    used = [t for t in tests if t['Self test result'] != tables.TEST_UNUSED]
    if running:
        kind = tables.TEST_TYPES.get(running, 'other')
        yield Claim('nvme-cli', '06h', 'drive_self_test_info', {'type': kind, 'result': 'running'}, 1)
        yield Claim('nvme-cli', '06h', 'drive_nvme_self_test_progress_ratio', {'type': kind},
                    log['Current Device Self-Test Completion'] / 100)
    if tests[:1] == used[:1]:
        for test in used[:1]:
            raw = test['Self test code'], running
            labels = {'type': tables.TEST_TYPES.get(raw[0], 'other'),
                      'result': tables.TEST_RESULTS.get(test['Self test result'], 'unknown')}
            yield Claim('nvme-cli', '06h', 'drive_self_test_info', labels, 1, raw)
            yield Claim('nvme-cli', '06h', 'drive_self_test_power_on_seconds', {}, test['Power on hours'] * 3600, raw)
    yield Claim('nvme-cli', '06h', 'drive_self_test_failures', {},
                sum(t['Self test result'] in tables.TEST_FAILURES for t in used))
    report = 'List of Valid Reports.'
    yield from left_out('06h', (), log, ('Current Device Self-Test Operation', 'Current Device Self-Test Completion',
                                             report + 'Self test result', report + 'Self test code', report + 'Power on hours'))


def sanitize(log):
    log = of_device(log)
    status = re.match(r'\((\d+)\)', get(log, 'sstat.status', ''))
    if not status:
        return
    number = int(status.group(1))
    state = tables.SANITIZE_STATES[number] if number < len(tables.SANITIZE_STATES) else 'unknown'
    yield Claim('nvme-cli', '81h', 'drive_nvme_sanitize_info', {'state': state}, 1)
    yield Claim('nvme-cli', '81h', 'drive_nvme_sanitize_progress_ratio', {}, log['sprog'] / 65536, state)
    yield from left_out('81h', (), log, ('sprog', 'sstat.status'))
