"""Which field of smartctl's JSON tells which family of an ATA drive, and which of its names of attributes tells which quantity.

Rows convert into our unit as those of scsi_tables.py do."""

import collections
import re

from scsi_tables import field, per_cent, times

# ---- plain fields; the page is our word for where the drive has it

SMARTCTL = [
    field('user_capacity.bytes', 'identify', 'drive_capacity_bytes'),
    field('trim.supported', 'identify', 'drive_ata_trim_supported'),
    field('ata_smart_error_log.extended.count', 'error log', 'drive_error_log_entries_total'),
    field('ata_smart_error_log.summary.count', 'error log', 'drive_error_log_entries_total'),
    field('ata_pending_defects_log.count', 'pending defects', 'drive_pending_sectors'),
    field('temperature.current', None, 'drive_temperature_celsius', sensor='drive'),
    field('temperature.lifetime_max', None, 'drive_temperature_extreme_celsius', sensor='drive', kind='highest'),
    field('temperature.lifetime_min', None, 'drive_temperature_extreme_celsius', sensor='drive', kind='lowest'),
    field('temperature.op_limit_max', None, 'drive_temperature_limit_celsius', kind='specified'),
    field('temperature.op_limit_min', None, 'drive_temperature_limit_celsius', kind='low_specified'),
    field('power_cycle_count', None, 'drive_power_cycles_total'),
]

SCT = 'ata_sct_status.temperature.'
SMARTCTL += [
    field(SCT + 'current', 'sct', 'drive_temperature_celsius', sensor='drive'),
    field(SCT + 'power_cycle_max', 'sct', 'drive_temperature_extreme_celsius', sensor='drive',
          kind='highest_since_power_on'),
    field(SCT + 'power_cycle_min', 'sct', 'drive_temperature_extreme_celsius', sensor='drive',
          kind='lowest_since_power_on'),
    field(SCT + 'lifetime_max', 'sct', 'drive_temperature_extreme_celsius', sensor='drive', kind='highest'),
    field(SCT + 'lifetime_min', 'sct', 'drive_temperature_extreme_celsius', sensor='drive', kind='lowest'),
    field(SCT + 'op_limit_max', 'sct', 'drive_temperature_limit_celsius', kind='specified'),
    field(SCT + 'over_limit_count', 'sct', 'drive_ata_temperature_limit_events_total', kind='over'),
    field(SCT + 'under_limit_count', 'sct', 'drive_ata_temperature_limit_events_total', kind='under'),
]

POLLING = 'ata_smart_data.self_test.polling_minutes.'
SMARTCTL += [field(POLLING + kind, 'attributes', 'drive_self_test_duration_seconds', times(60), type=kind)
             for kind in ('short', 'extended', 'conveyance')]

NAMES = (('model_name', 'model'), ('serial_number', 'serial'), ('firmware_version', 'firmware'), ('model_family', 'family'))

FORM_FACTORS = {1: '5.25in', 2: '3.5in', 3: '2.5in', 4: '1.8in', 5: 'below 1.8in', 6: 'mSATA', 7: 'M.2'}

SPEEDS = (('current', 'drive_link_speed_bits_per_second'), ('max', 'drive_link_speed_max_bits_per_second'))

# ---- self-tests: the subcommand without the bit for captive mode, and the upper half of the status

TEST_TYPES = {1: 'short', 2: 'extended', 3: 'conveyance', 4: 'selective'}
TEST_RESULTS = {0: 'passed', 1: 'aborted', 2: 'interrupted', 3: 'incomplete', 4: 'failed', 5: 'failed', 6: 'failed',
                7: 'failed', 8: 'failed', 15: 'running'}

# ---- phy events, by identifier

EVENTS = {
    0x001: 'command_icrc', 0x002: 'data_fis_r_err', 0x003: 'd2h_data_fis_r_err', 0x004: 'h2d_data_fis_r_err',
    0x005: 'non_data_fis_r_err', 0x006: 'd2h_non_data_fis_r_err', 0x007: 'h2d_non_data_fis_r_err',
    0x008: 'd2h_non_data_fis_retry', 0x009: 'phy_ready_lost', 0x00a: 'comreset', 0x00b: 'h2d_fis_crc',
    0x00d: 'h2d_fis_non_crc', 0x00f: 'h2d_data_fis_r_err_crc', 0x010: 'h2d_data_fis_r_err_non_crc',
    0x012: 'h2d_non_data_fis_r_err_crc', 0x013: 'h2d_non_data_fis_r_err_non_crc',
}

# ---- Device Statistics

# By page and offset, what several pages may tell; times a logical block where the factor is None.
STATISTICS = {
    (1, 0x08): ('drive_power_cycles_total', {}, 1),
    (1, 0x10): ('drive_power_on_seconds_total', {}, 3600),
    (1, 0x18): ('drive_written_bytes_total', {}, None),
    (1, 0x28): ('drive_read_bytes_total', {}, None),
    (1, 0x40): ('drive_pending_sectors', {}, 1),
    (3, 0x18): ('drive_mechanical_cycles_total', {'kind': 'load_unload'}, 1),
    (3, 0x20): ('drive_reallocated_sectors', {}, 1),
    (4, 0x08): ('drive_uncorrected_errors_total', {'op': 'all'}, 1),
    (5, 0x08): ('drive_temperature_celsius', {'sensor': 'drive'}, 1),
    (5, 0x20): ('drive_temperature_extreme_celsius', {'sensor': 'drive', 'kind': 'highest'}, 1),
    (5, 0x28): ('drive_temperature_extreme_celsius', {'sensor': 'drive', 'kind': 'lowest'}, 1),
    (5, 0x58): ('drive_temperature_limit_celsius', {'kind': 'specified'}, 1),
    (5, 0x68): ('drive_temperature_limit_celsius', {'kind': 'low_specified'}, 1),
    (6, 0x18): ('drive_link_errors_total', {'phy': '0', 'kind': 'crc', 'side': 'drive'}, 1),
    (7, 0x08): ('drive_endurance_used_ratio', {}, 0.01),
}


def statistic_name(text):
    """smartctl's, as ours are made: of the words that ACS-4 has."""
    text = re.sub(r'\bCmd\b', 'Command', text).replace('TimeStamp', 'Timestamp')
    return re.sub('[^a-z0-9]+', '_', text.lower()).strip('_')


# ---- attributes: what smartctl's name says of the number or of the value

Attribute = collections.namedtuple('Attribute', 'pattern family labels of convert')
MIB, GIB, GB = 1 << 20, 1 << 30, 10 ** 9


def blocks(text, said):
    return int(text) * said['block']


def life_left(text, _):
    return (100 - int(text)) / 100


def raw(pattern, family, convert=times(1), **labels):
    return Attribute(re.compile(pattern), family, labels, 'raw', convert)


def normalised(pattern, family, convert, **labels):
    return Attribute(re.compile(pattern), family, labels, 'value', convert)


CRC = {'phy': '0', 'kind': 'crc', 'side': 'drive'}

# Matched with "ID NAME". Where several attributes tell one quantity the first row here is compared.
ATTRIBUTES = (
    raw('9 Power_On_', 'drive_power_on_seconds_total', times(3600)),
    raw('12 Power_Cycle_Count$', 'drive_power_cycles_total'),
    raw('4 Start_Stop_Count$', 'drive_mechanical_cycles_total', kind='start_stop'),
    raw('(193|225) Load_Cycle_Count$', 'drive_mechanical_cycles_total', kind='load_unload'),
    raw('5 Reallocated_Sector_Ct$', 'drive_reallocated_sectors'),
    raw('5 (Retired_Block_Count|Reallocate_NAND_Blk_Cnt)$', 'drive_retired_blocks'),
    raw('197 ', 'drive_pending_sectors'),
    raw('198 Offline_Uncorrectable$', 'drive_offline_uncorrectable_sectors'),
    raw('(187|195) (Reported_Uncorrect|Uncorrectable_E.*)$', 'drive_uncorrected_errors_total', op='all'),
    raw('188 Command_Timeout$', 'drive_command_timeouts_total'),
    raw(r'\d+ (UDMA_|SATA_)?CRC_Error(_Count)?$', 'drive_link_errors_total', **CRC),
    raw('(171|181) Program_Fail_C', 'drive_program_failures_total'),
    raw('(172|182) Erase_Fail_C', 'drive_erase_failures_total'),
    raw(r'\d+ (Unsafe_Shutdown_Count|Unexpect(ed)?_(Power|Pwr)_Loss(_Ct)?)$', 'drive_unsafe_shutdowns_total'),
    raw(r'\d+ Total_LBAs_Written$', 'drive_written_bytes_total', blocks),
    raw(r'\d+ Host_Writes_32MiB$', 'drive_written_bytes_total', times(32 * MIB)),
    raw(r'\d+ (Host_Writes|Lifetime_Writes|Total_Writes)_GiB$', 'drive_written_bytes_total', times(GIB)),
    raw(r'\d+ Lifetime_Wts_Frm_Hst_GB$', 'drive_written_bytes_total', times(GB)),
    raw(r'\d+ Total_LBAs_Read$', 'drive_read_bytes_total', blocks),
    raw(r'\d+ Host_Reads_32MiB$', 'drive_read_bytes_total', times(32 * MIB)),
    raw(r'\d+ (Host_Reads|Lifetime_Reads|Total_Reads)_GiB$', 'drive_read_bytes_total', times(GIB)),
    raw(r'\d+ Lifetime_Rds_Frm_Hst_GB$', 'drive_read_bytes_total', times(GB)),
    raw(r'\d+ NAND_Writes_32MiB$', 'drive_nand_written_bytes_total', times(32 * MIB)),
    raw(r'\d+ (Flash_Writes|Total_NAND_Writes)_GiB$', 'drive_nand_written_bytes_total', times(GIB)),
    raw(r'\d+ Lifetime_Wts_To_Flsh_GB$', 'drive_nand_written_bytes_total', times(GB)),
    normalised(r'\d+ (SSD_Life_Left|Percent_Lifetime_Remain|Percent_Life_Remaining|Remaining_Lifetime_Perc|'
               'Media_Wearout_Indicator|Wear_Leveling_Count)$', 'drive_endurance_used_ratio', life_left),
    normalised(r'\d+ (Available_Reservd_Space|Perc_Avail_Resrvd_Space|Reserved_Block_Pct|Used_Rsvd_Blk_Cnt_Tot)$',
               'drive_spare_available_ratio', per_cent),
    raw('194 ', 'drive_temperature_celsius', sensor='drive'),
    raw('190 ', 'drive_temperature_celsius', sensor='drive'),
)

# ---- pages that can tell one quantity, best first

PRECEDENCE = {'pending defects': 0, 'statistics': 1, 'sct': 2, 'attributes': 3, 'built-in table': 3}

# Of these drive_source_info tells the page: by how its name there begins.
SOURCES = {
    'drive_endurance_used_ratio': 'wear',
    'drive_written_bytes_total': 'written_bytes', 'drive_read_bytes_total': 'read_bytes',
    'drive_power_on_seconds_total': 'power_on_time',
}
SOURCE_PAGES = {'statistics': 'Device Statistics', 'attributes': 'SMART data'}

# ---- what of ours a tool could tell

TOLD = (
    'drive_capacity_bytes', 'drive_endurance_used_ratio', 'drive_spare_available_ratio', 'drive_spare_threshold_ratio',
    'drive_written_bytes_total', 'drive_read_bytes_total', 'drive_nand_written_bytes_total', 'drive_warning',
    'drive_uncorrected_errors_total', 'drive_reallocated_sectors', 'drive_retired_blocks', 'drive_pending_sectors',
    'drive_offline_uncorrectable_sectors', 'drive_program_failures_total', 'drive_erase_failures_total',
    'drive_command_timeouts_total', 'drive_error_log_entries_total', 'drive_link_errors_total',
    'drive_link_speed_bits_per_second', 'drive_link_speed_max_bits_per_second', 'drive_power_on_seconds_total',
    'drive_power_cycles_total', 'drive_mechanical_cycles_total', 'drive_unsafe_shutdowns_total', 'drive_self_test_info',
    'drive_self_test_power_on_seconds', 'drive_self_test_failures', 'drive_self_test_duration_seconds',
    'drive_temperature_celsius', 'drive_temperature_limit_celsius', 'drive_temperature_extreme_celsius',
    'drive_ata_attribute_value', 'drive_ata_attribute_worst', 'drive_ata_attribute_threshold', 'drive_ata_attribute_raw',
    'drive_ata_attribute_info', 'drive_ata_statistic', 'drive_ata_trim_supported', 'drive_ata_phy_events_total',
    'drive_ata_temperature_limit_events_total',
)
