"""Which line of sg_logs or sg_vpd, and which field of smartctl's JSON, tells which family of a SCSI drive.

A row converts the tool's text into our unit. What it gives is a number; ABSENT where the tool says that the drive does
not tell; None where nothing can be compared; or the tool's own words where no table here knows them, which agree with
nothing of ours."""

import collections
import datetime
import re

ABSENT = object()
EXPONENT_MAX = 18       # of a page's time interval: attoseconds


# ---- conversions: of the text, with what else its page said (a dictionary)

def number(text):
    return float(text) if '.' in text else int(text)


def times(factor):
    return lambda text, _: number(text) * factor


def per_cent(text, _):
    return number(text) / 100


def blocks(text, said):
    return int(text) * said['block'] if said.get('block') else None


def intervals(text, said):
    integer, exponent = int(said.get('integer', 0)), int(said.get('exponent', EXPONENT_MAX + 1))
    return int(text) * integer / 10 ** exponent if integer and exponent <= EXPONENT_MAX else ABSENT


def ones(text, _):
    """sg_logs prints these 32 bits with a sign."""
    return int(text) % 2 ** 32


def one(*_):
    """Of families whose labels tell."""
    return 1


def minutes_if_any(text, _):
    return int(text) * 60 or ABSENT


def week_begins(_, said):
    begin = datetime.datetime(int(said['year']), 1, 1, tzinfo=datetime.timezone.utc)
    return int((begin + datetime.timedelta(weeks=int(said['week']) - 1)).timestamp())


def word(table):
    return lambda text, _: table.get(text, text)


# ---- words of the tools

RATES = {
    '1.5 Gbps': 1.5e9, '3 Gbps': 3e9, '6 Gbps': 6e9, '12 Gbps': 12e9, '22.5 Gbps': 22.5e9,
    'phy disabled': 0, 'speed negotiation failed': 0, 'SATA spinup hold state': 0, 'port selector': 0,
    'reset in progress': 0, 'unsupported phy attached': 0, 'unknown': ABSENT, 'unknown rate': ABSENT,
    **{text % code: ABSENT for text in ('reserved [%d]', 'reserved [0x%x]') for code in (7, 13, 14, 15)},
}

SCAN_STATES = (
    ('none', 'no background scans active'),
    ('medium_scan', 'background medium scan is active'),
    ('pre_scan', 'background pre-scan is active'),
    ('halted_fatal_error', 'background scan halted due to fatal error'),
    ('halted_error_pattern', 'background scan halted due to a vendor specific pattern of error'),
    ('halted_no_primary_list', 'background scan halted due to medium formatted without P-List'),
    ('halted_vendor', 'background scan halted - vendor specific cause'),
    ('halted_temperature', 'background scan halted due to temperature out of range'),
    ('waiting', 'background scan enabled, none active (waiting for BMS interval timer to expire)'),
    ('halted_list_full', 'background scan halted - scan results list full'),
    ('pre_scan_time_limit', 'background scan halted - pre-scan time limit timer expired'),
)

# What became of a block that a scan found: by SBC's REASSIGN STATUS, our word and sg_logs's
FATES = {
    1: ('pending', 'Reassignment pending receipt of Reassign or Write command'),
    2: ('reassigned', 'Logical block successfully reassigned by device server'),
    4: ('reassign_failed', 'Reassignment by device server failed'),
    5: ('rewritten', 'Logical block recovered by device server via rewrite'),
    6: ('reassigned_by_write', 'Logical block reassigned by application client, has valid data'),
    7: ('reassigned_by_command', 'Logical block reassigned by application client, contains no valid data'),
    8: ('command_failed', 'Logical block unsuccessfully reassigned by application client'),
}

LIST_LAST = 0x800       # parameters above are the vendor's own

TEST_TYPES = {1: 'short', 5: 'short', 2: 'extended', 6: 'extended'}
TEST_RESULTS = {0: 'passed', 1: 'aborted', 2: 'interrupted', 3: 'incomplete', 4: 'failed', 5: 'failed', 6: 'failed',
                7: 'failed', 15: 'running'}
TEST_FAILURES = range(3, 8)

PROVISIONING = {'0': 'full', '1': 'resource', '2': 'thin'}
FORM_FACTORS = {
    '5.25 inch': '5.25in', '3.5 inch': '3.5in', '2.5 inch': '2.5in', '1.8 inch': '1.8in', '< 1.8 inch': '<1.8in',
    'less then 1.8 inch': '<1.8in',
}

# Hitachi and HGST, page 2Fh: by sense code what a condition is, and what sg_logs calls the parameters by their numbers
CONDITIONS = {
    '5d53': 'remaining_reserve', '5d54': 'remaining_reserve_xor', '5d57': 'xor_depletion', '5d28': 'backup_failure',
    '0b06': 'cache_volatile', '5d73': 'wear', '5d56': 'system_area_wear', '5d55': 'channel_hangs',
    '5d20': 'flash_scan_failure',
}
BY_NUMBER = '2f by number'      # a page of its own for those names
CONDITION_NAMES = {
    'Remaining reserve 1': 'remaining_reserve', 'Remaining reserve XOR': 'remaining_reserve_xor',
    'XOR depletion': 'xor_depletion', 'Volatile memory backup failure': 'backup_failure', 'Wear indicator': 'wear',
    'System area wear indicator': 'system_area_wear', 'Channel hangs': 'channel_hangs',
    'Flash scan failure': 'flash_scan_failure',
}

# ---- lines. The group v is the value; other groups are kept for labels and for the lines after, spelled as in SPELLED.

Line = collections.namedtuple('Line', 'pattern family labels convert')
NOT_TOLD = ('not available', 'no limit')
NUMBER = r'\s*[=:]?\s*(?P<v>-?[\d.]+|<?(?:%s)>?)(?P<none> \[not reported\])?' % '|'.join(NOT_TOLD)

SPELLED = {
    'sensor': lambda code: str(int(code, 16) & 0xff) if int(code, 16) & 0xff else 'drive',
    'asc': lambda code: code.zfill(2), 'ascq': lambda code: code.zfill(2),
    'form': lambda text: FORM_FACTORS.get(text.rstrip('es') if text.endswith('inches') else text, text),
    'type': lambda code: PROVISIONING.get(code, 'unknown'),
}


def line(text, family, convert=times(1), **labels):
    return Line(re.compile(r'\s*' + re.escape(text) + NUMBER), family, labels, convert)


def like(pattern, family=None, convert=one, **labels):
    return Line(re.compile(r'\s*' + pattern), family, labels, convert)


def error_counters(op, bytes_family=None):
    rows = [
        line('Errors corrected without substantial delay', 'drive_corrected_errors_total', op=op, method='ecc_fast'),
        line('Errors corrected with possible delays', 'drive_corrected_errors_total', op=op, method='ecc_delayed'),
        line('Total rewrites or rereads', 'drive_corrected_errors_total', op=op, method='retry'),
        line('Total errors corrected', 'drive_scsi_corrected_errors_total', op=op),
        line('Total times correction algorithm processed', 'drive_scsi_correction_runs_total', op=op),
        line('Total uncorrected errors', 'drive_uncorrected_errors_total', op=op),
    ]
    return rows + ([line('Total bytes processed', bytes_family)] if bytes_family else [])


def measured(what, codes, family, extremes, convert):
    """Sensors of subpage 0Dh/01h, by the pattern of their parameter codes."""
    return [
        like('parameter code=0x(?P<sensor>%s)$' % codes),
        line(what.capitalize(), family, convert, sensor='{sensor}'),
        *[line(text % what, extremes, convert, sensor='{sensor}', kind=kind) for text, kind in (
            ('Lifetime maximum %s', 'highest'), ('Lifetime minimum %s', 'lowest'),
            ('Maximum %s since power on', 'highest_since_power_on'),
            ('Minimum %s since power on', 'lowest_since_power_on'))],
    ]


def limits(what, family, convert):
    return [line('%s %s limit trigger' % (text, what), family, convert, kind=kind) for text, kind in (
        ('High critical', 'critical'), ('Low critical', 'low_critical'), ('High operating', 'warning'),
        ('Low operating', 'low_warning'))]


INTERVAL = [
    like(r'time interval negative exponent = (?P<exponent>\d+)'),
    like(r'time interval integer = (?P<integer>\d+)'),
]
DATE = r'Date of manufacture, year: (?P<year>\d{4}), week: (?P<week>\d\d)(?P<v>)'
PHY = {'phy': '{port}-{id}', 'side': 'drive'}

SG_LOGS = {
    '02': error_counters('write', 'drive_written_bytes_total'),
    '03': error_counters('read', 'drive_read_bytes_total'),
    '05': error_counters('verify'),
    '06': [line('Non-medium error count', 'drive_scsi_non_medium_errors_total')],
    '08': [
        line('Grown defects during certification', 'drive_scsi_format_blocks', kind='certification'),
        line('Total blocks reassigned during format', 'drive_scsi_format_blocks', kind='during_format'),
        line('Total new blocks reassigned', 'drive_scsi_format_blocks', kind='since_format'),
        line('Power on minutes since format', 'drive_scsi_since_format_seconds_total', times(60)),
    ],
    '0d': [
        line('Current temperature', 'drive_temperature_celsius', sensor='drive'),
        line('Reference temperature', 'drive_temperature_limit_celsius', kind='reference'),
    ],
    '0d/01': [
        *measured('temperature', '[0-9a-f]{1,2}', 'drive_temperature_celsius', 'drive_temperature_extreme_celsius',
                  times(1)),
        *measured('relative humidity', '1[0-9a-f]{2}', 'drive_relative_humidity_ratio',
                  'drive_relative_humidity_extreme_ratio', per_cent),
    ],
    '0d/02': [
        *limits('temperature', 'drive_temperature_limit_celsius', times(1)),
        *limits('relative humidity', 'drive_relative_humidity_limit_ratio', per_cent),
    ],
    '0e': [
        like(DATE, 'drive_manufacture_info', year='{year}', week='{week}'),
        like(DATE, 'drive_manufactured_timestamp_seconds', week_begins),
        line('Specified cycle count over device lifetime', 'drive_mechanical_cycles_rated', ones, kind='start_stop'),
        line('Accumulated start-stop cycles', 'drive_mechanical_cycles_total', ones, kind='start_stop'),
        line('Specified load-unload count over device lifetime', 'drive_mechanical_cycles_rated', ones,
             kind='load_unload'),
        line('Accumulated load-unload cycles', 'drive_mechanical_cycles_total', ones, kind='load_unload'),
    ],
    '0e/01': [
        line('Workload utilization', 'drive_scsi_workload_utilization_ratio', per_cent),
        line('Utilization usage rate based on date and time', 'drive_scsi_utilization_rate_ratio', per_cent),
    ],
    '11': [line('Percentage used endurance indicator', 'drive_endurance_used_ratio', per_cent)],
    '15': [
        line('Accumulated power on minutes', 'drive_power_on_seconds_total', times(60)),
        line('Number of background scans performed', 'drive_scsi_background_scans_total'),
        line('Background medium scan progress', 'drive_scsi_background_scan_progress_ratio', per_cent),
        line('Number of background medium scans performed', 'drive_scsi_background_medium_scans_total'),
        *[like('Status: (?P<v>%s)$' % re.escape(text), 'drive_scsi_background_scan_info', status=status)
          for status, text in SCAN_STATES],
        like('Status: (?P<v>unknown) ', 'drive_scsi_background_scan_info', status='unknown'),
    ],
    '15/01': [line('Pending defect count', 'drive_pending_sectors')],
    '18': [
        like(r'relative target port id = (?P<port>\d+)'),
        like(r'phy identifier = (?P<id>\d+)'),
        like(r'negotiated logical link rate: (?:phy enabled; )?(?P<v>.*)', 'drive_link_speed_bits_per_second',
             word(RATES), **PHY),
        line('Invalid DWORD count', 'drive_link_errors_total', **PHY, kind='invalid_dword'),
        line('Running disparity error count', 'drive_link_errors_total', **PHY, kind='running_disparity'),
        line('Loss of DWORD synchronization count', 'drive_link_errors_total', **PHY, kind='loss_of_sync'),
        line('Phy reset problem count', 'drive_link_errors_total', **PHY, kind='phy_reset_problem'),
    ],
    '19': INTERVAL + [
        line('number of read commands', 'drive_internal_commands_total', op='read'),
        line('number of write commands', 'drive_internal_commands_total', op='write'),
        line('number of logical blocks received', 'drive_written_bytes_total', blocks),
        line('number of logical blocks transmitted', 'drive_read_bytes_total', blocks),
        line('read command processing intervals', 'drive_internal_seconds_total', intervals, op='read'),
        line('write command processing intervals', 'drive_internal_seconds_total', intervals, op='write'),
        line('idle time intervals', 'drive_internal_idle_seconds_total', intervals),
    ],
    '19/20': INTERVAL + [
        line('read cache memory hits', 'drive_scsi_cache_operations_total', kind='read_hits'),
        line('reads to cache memory', 'drive_scsi_cache_operations_total', kind='reads'),
        line('write cache memory hits', 'drive_scsi_cache_operations_total', kind='write_hits'),
        line('writes from cache memory', 'drive_scsi_cache_operations_total', kind='writes'),
        line('time from last hard reset', 'drive_scsi_since_hard_reset_seconds_total', intervals),
    ],
    '1a': [line('Accumulated transitions to ' + state, 'drive_scsi_power_transitions_total', state=state)
           for state in ('active', 'idle_a', 'idle_b', 'idle_c', 'standby_z', 'standby_y')],
    '2f': [
        like('IE asc = 0x(?P<asc>[0-9a-f]+), ascq = 0x(?P<ascq>[0-9a-f]+)(?P<v>)', 'drive_scsi_informational_exception',
             asc='{asc}', ascq='{ascq}'),
        line('Current temperature', 'drive_temperature_celsius', sensor='drive'),
    ],
    '30': [
        *[line(text, 'drive_scsi_seeks_total', distance=distance) for text, distance in (
            ('Zero Seeks', 'zero'), ('Seeks >= 2/3', 'from_2_3'), ('Seeks >= 1/3 and < 2/3', 'from_1_3'),
            ('Seeks >= 1/6 and < 1/3', 'from_1_6'), ('Seeks >= 1/12 and < 1/6', 'from_1_12'),
            ('Seeks > 0 and < 1/12', 'below_1_12'))],
        line('Overrun Counter', 'drive_scsi_buffer_errors_total', kind='overrun'),
        line('Underrun Counter', 'drive_scsi_buffer_errors_total', kind='underrun'),
        *[line('Device Cache ' + text, 'drive_scsi_device_cache_total', kind=kind) for text, kind in (
            ('Full Read Hits', 'read_hits_full'), ('Partial Read Hits', 'read_hits_partial'),
            ('Write Hits', 'write_hits'), ('Fast Writes', 'fast_writes'), ('Read Misses', 'read_misses'))],
    ],
    '37': [     # two vendors' pages, which share no words
        line('Blocks sent to initiator', 'drive_scsi_cache_bytes_total', blocks, kind='sent'),
        line('Blocks received from initiator', 'drive_scsi_cache_bytes_total', blocks, kind='received'),
        line('Blocks read from cache and sent to initiator', 'drive_scsi_cache_bytes_total', blocks,
             kind='read_from_cache'),
        line('Number of read and write commands whose size <= segment size', 'drive_scsi_segment_commands_total',
             size='within'),
        line('Number of read and write commands whose size > segment size', 'drive_scsi_segment_commands_total',
             size='beyond'),
        line('Power on hours', 'drive_power_on_seconds_total', times(3600)),
        line('Total Bytes Read', 'drive_read_bytes_total'),
        line('Total Bytes Written', 'drive_written_bytes_total'),
        line('Max Drive Temp (Celsius)', 'drive_temperature_extreme_celsius', sensor='drive', kind='highest'),
        line('GList Size', 'drive_grown_defects'),
        line('Number of Information Exceptions', 'drive_scsi_exceptions_total'),
        line('MED EXC', 'drive_scsi_exception_present', kind='media'),
        line('HDW EXC', 'drive_scsi_exception_present', kind='hardware'),
        line('Total Read Commands', 'drive_internal_commands_total', op='read'),
        line('Total Write Commands', 'drive_internal_commands_total', op='write'),
        line('Flash Correction Count', 'drive_scsi_flash_corrections_total'),
    ],
    '3e': [
        line('number of hours powered up', 'drive_power_on_seconds_total', times(3600)),
        line('number of minutes until next internal SMART test', 'drive_scsi_next_self_test_seconds', times(60)),
    ],
}

SG_VPD = {
    '86': [line('Extended self-test completion minutes', 'drive_self_test_duration_seconds', minutes_if_any,
                type='extended')],
    'b1': [
        like('(?P<v>Non-rotating medium)', 'drive_info', type='ssd'),
        like(r'Nominal rotation rate: (?P<v>\d+) rpm', 'drive_info', type='hdd'),
        like('Nominal form factor: (?P<form>.* inch)(?P<v>)', 'drive_info', form_factor='{form}'),
    ],
    'b2': [
        like(r'Unmap command supported \(LBPU\): (?P<unmap>\d)'),
        like(r'Provisioning type: (?P<type>\d)(?P<v>)', 'drive_scsi_provisioning_info', type='{type}', unmap='{unmap}'),
    ],
}

SG_READCAP = [
    line('Device size', 'drive_capacity_bytes'),
    like(r'Logical block length=(?P<block>\d+) bytes'),
]

# Who sg_logs must take the drive for, where it would not by itself: by the maker and the page.
SG_VENDOR = {
    ('hgst', '2f'): 'hit', ('hgst', '30'): 'hit', ('hgst', '37'): 'hit', ('hgst', '3e'): 'sea', ('seagate', '37'): 'sea',
    ('seagate', '3e'): 'sea',
}

# ---- fields of smartctl's JSON

Field = collections.namedtuple('Field', 'path page family labels convert')      # page None: smartctl takes what it finds


def field(path, page, family, convert=times(1), **labels):
    return Field(path, page, family, labels, convert)


def counters_of(op, page, bytes_family=None):
    log = 'scsi_error_counter_log.%s.' % op
    return [
        field(log + 'errors_corrected_by_eccfast', page, 'drive_corrected_errors_total', op=op, method='ecc_fast'),
        field(log + 'errors_corrected_by_eccdelayed', page, 'drive_corrected_errors_total', op=op, method='ecc_delayed'),
        field(log + 'errors_corrected_by_rereads_rewrites', page, 'drive_corrected_errors_total', op=op, method='retry'),
        field(log + 'total_errors_corrected', page, 'drive_scsi_corrected_errors_total', op=op),
        field(log + 'correction_algorithm_invocations', page, 'drive_scsi_correction_runs_total', op=op),
        field(log + 'total_uncorrected_errors', page, 'drive_uncorrected_errors_total', op=op),
        *([field(log + 'gigabytes_processed', page, bytes_family, times(10 ** 9))] if bytes_family else []),
    ]


FORMAT = 'scsi_format_status.'
CYCLES = 'scsi_start_stop_cycle_counter.'
SCAN = 'scsi_background_scan.status.'

SMARTCTL = [
    field('user_capacity.bytes', None, 'drive_capacity_bytes'),
    field('temperature.current', None, 'drive_temperature_celsius', sensor='drive'),
    field('temperature.drive_trip', '0d', 'drive_temperature_limit_celsius', kind='reference'),
    field('scsi_temperature.drive_trip', '0d', 'drive_temperature_limit_celsius', kind='reference'),
    field('scsi_percentage_used_endurance_indicator', '11', 'drive_endurance_used_ratio', per_cent),
    field('scsi_grown_defect_list', 'read-defects', 'drive_grown_defects'),
    field(FORMAT + 'grown_defects_during_cert', '08', 'drive_scsi_format_blocks', kind='certification'),
    field(FORMAT + 'blocks_reassigned_during_format', '08', 'drive_scsi_format_blocks', kind='during_format'),
    field(FORMAT + 'total_new_block_since_format', '08', 'drive_scsi_format_blocks', kind='since_format'),
    field(FORMAT + 'power_on_minutes_since_format', '08', 'drive_scsi_since_format_seconds_total', times(60)),
    field(CYCLES + 'specified_cycle_count_over_device_lifetime', '0e', 'drive_mechanical_cycles_rated',
          kind='start_stop'),
    field(CYCLES + 'accumulated_start_stop_cycles', '0e', 'drive_mechanical_cycles_total', kind='start_stop'),
    field(CYCLES + 'specified_load_unload_count_over_device_lifetime', '0e', 'drive_mechanical_cycles_rated',
          kind='load_unload'),
    field(CYCLES + 'accumulated_load_unload_cycles', '0e', 'drive_mechanical_cycles_total', kind='load_unload'),
    field('scsi_extended_self_test_seconds', '0a', 'drive_self_test_duration_seconds', type='extended'),
    field(SCAN + 'number_scans_performed', '15', 'drive_scsi_background_scans_total'),
    field(SCAN + 'number_medium_scans_performed', '15', 'drive_scsi_background_medium_scans_total'),
    field(SCAN + 'scan_progress', '15', 'drive_scsi_background_scan_progress_ratio',
          lambda text, said: per_cent(text.rstrip('%'), said)),
    field('scsi_pending_defects.count', '15/01', 'drive_pending_sectors'),
    field('smart_support.enabled', '1c', 'drive_scsi_exceptions_enabled', kind='failure'),
    field('temperature_warning.enabled', '1c', 'drive_scsi_exceptions_enabled', kind='warning'),
    *counters_of('write', '02', 'drive_written_bytes_total'),
    *counters_of('read', '03', 'drive_read_bytes_total'),
    *counters_of('verify', '05'),
]

# Under scsi_sas_port_N.phy_N
SMARTCTL_PHY = (
    ('invalid_dword_count', 'invalid_dword'), ('running_disparity_error_count', 'running_disparity'),
    ('loss_of_dword_synchronization_count', 'loss_of_sync'), ('phy_reset_problem_count', 'phy_reset_problem'),
)

# Under scsi_environmental_reports.temperature_N and .relative_humidity_N
SMARTCTL_EXTREMES = (
    ('lifetime_maximum', 'highest'), ('lifetime_minimum', 'lowest'),
    ('maximum_since_power_on', 'highest_since_power_on'), ('minimum_since_power_on', 'lowest_since_power_on'),
)
SMARTCTL_SENSORS = {
    'temperature': ('drive_temperature_celsius', 'drive_temperature_extreme_celsius', times(1)),
    'relative_humidity': ('drive_relative_humidity_ratio', 'drive_relative_humidity_extreme_ratio', per_cent),
}

# Pages that can tell one quantity, best first: the value served is that of the first one that the tools can read.
PRECEDENCE = {
    'drive_temperature_celsius': ('0d', '0d/01', '2f'),
    'drive_temperature_extreme_celsius': ('0d/01', '37'),
    'drive_endurance_used_ratio': ('11',),
    'drive_written_bytes_total': ('37', '19', '02'),
    'drive_read_bytes_total': ('37', '19', '03'),
    'drive_power_on_seconds_total': ('15', '3e', '37'),
    'drive_internal_commands_total': ('19', '37'),
    'drive_grown_defects': ('read-defects', '37'),
    'drive_self_test_duration_seconds': ('0a', '86'),
}

# Of these drive_source_info tells the page.
SOURCES = {
    'drive_endurance_used_ratio': 'wear',
    'drive_written_bytes_total': 'written_bytes', 'drive_read_bytes_total': 'read_bytes',
    'drive_power_on_seconds_total': 'power_on_time',
}


def page_name(page):
    """As drive_source_info has it."""
    return 'log page 0x' + page + (' (HGST)' if page == '37' else '')
