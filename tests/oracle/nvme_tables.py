"""Which field of nvme-cli and of smartctl tells which family of an NVMe drive. Rows convert into our unit as those of
scsi_tables.py do; pages are named by log identifier, 'controller' and 'namespace' are identify data."""

from scsi_tables import ABSENT, field, minutes_if_any, per_cent, times


def kelvin(text, _):
    return int(text) - 273


def kelvin_if_any(text, _):
    return int(text) - 273 if int(text) else ABSENT


def billions_if_any(text, _):
    return int(text) * 10 ** 9 or ABSENT


def milliseconds(text, _):
    return int(text) / 1000


def is_any(text, _):
    return int(int(text) != 0)


def percent_words(text, _):
    return float(text) / 100


# ---- identify

ID_CTRL = [
    field('unvmcap', 'controller', 'drive_nvme_unallocated_bytes'),
    field('wctemp', 'controller', 'drive_temperature_limit_celsius', kelvin_if_any, kind='warning'),
    field('cctemp', 'controller', 'drive_temperature_limit_celsius', kelvin_if_any, kind='critical'),
    field('edstt', 'controller', 'drive_self_test_duration_seconds', minutes_if_any, type='extended'),
]
ID_CTRL_NAMES = (('mn', 'model'), ('sn', 'serial'), ('fr', 'firmware'))
SMARTCTL_NAMES = (('model_name', 'model'), ('serial_number', 'serial'), ('firmware_version', 'firmware'))
SMARTCTL_IDENTIFY = [field('nvme_unallocated_capacity', 'controller', 'drive_nvme_unallocated_bytes')]

NAMESPACE_SIZES = (('size', 'drive_nvme_namespace_size_bytes'), ('capacity', 'drive_nvme_namespace_capacity_bytes'),
                   ('utilization', 'drive_nvme_namespace_used_bytes'), ('block', 'drive_nvme_namespace_block_bytes'))

# ---- 02h

UNIT = 512 * 1000


def health(prefix, spare, threshold, used, reads, writes):
    """What both tools tell, under the names of each."""
    return [field(prefix + name, '02h', family, convert, **labels) for name, family, convert, labels in (
        (spare, 'drive_spare_available_ratio', per_cent, {}),
        (threshold, 'drive_spare_threshold_ratio', per_cent, {}),
        (used, 'drive_endurance_used_ratio', per_cent, {}),
        ('data_units_read', 'drive_read_bytes_total', times(UNIT), {}),
        ('data_units_written', 'drive_written_bytes_total', times(UNIT), {}),
        (reads, 'drive_nvme_commands_total', times(1), {'op': 'read'}),
        (writes, 'drive_nvme_commands_total', times(1), {'op': 'write'}),
        ('controller_busy_time', 'drive_nvme_busy_seconds_total', times(60), {}),
        ('power_cycles', 'drive_power_cycles_total', times(1), {}),
        ('power_on_hours', 'drive_power_on_seconds_total', times(3600), {}),
        ('unsafe_shutdowns', 'drive_unsafe_shutdowns_total', times(1), {}),
        ('media_errors', 'drive_media_errors_total', times(1), {}),
        ('media_errors', 'drive_uncorrected_errors_total', times(1), {'op': 'all'}),
        ('num_err_log_entries', 'drive_error_log_entries_total', times(1), {}),
        ('warning_temp_time', 'drive_nvme_over_temperature_seconds_total', times(60), {'kind': 'warning'}),
        ('critical_comp_time', 'drive_nvme_over_temperature_seconds_total', times(60), {'kind': 'critical'}),
    )]


SMARTCTL_LOG = 'nvme_smart_health_information_log'
SMARTCTL_HEALTH = health(SMARTCTL_LOG + '.', 'available_spare', 'available_spare_threshold', 'percentage_used', 'host_reads',
                         'host_writes') + [
    field(SMARTCTL_LOG + '.temperature', '02h', 'drive_temperature_celsius', sensor='composite'),
    field('temperature.current', '02h', 'drive_temperature_celsius', sensor='composite'),
    field('power_on_time.hours', '02h', 'drive_power_on_seconds_total', times(3600)),
    field('power_cycle_count', '02h', 'drive_power_cycles_total'),
]

SMARTCTL_KNOWN = {row.path.rpartition('.')[2] for row in SMARTCTL_HEALTH} | {'critical_warning', 'temperature_sensors'}

SMART_LOG = health('', 'avail_spare', 'spare_thresh', 'percent_used', 'host_read_commands', 'host_write_commands') + [
    field('temperature', '02h', 'drive_temperature_celsius', kelvin, sensor='composite'),
    *(field('temperature_sensor_%d' % n, '02h', 'drive_temperature_celsius', kelvin, sensor=str(n)) for n in range(1, 9)),
    field('thm_temp1_trans_count', '02h', 'drive_nvme_thermal_transitions_total', kind='light'),
    field('thm_temp2_trans_count', '02h', 'drive_nvme_thermal_transitions_total', kind='heavy'),
    field('thm_temp1_total_time', '02h', 'drive_nvme_thermal_seconds_total', kind='light'),
    field('thm_temp2_total_time', '02h', 'drive_nvme_thermal_seconds_total', kind='heavy'),
]

WARNING_BITS = ('spare', 'temperature', 'reliability', 'read_only', 'backup', 'pmr')
GROUP_BITS = ('spare', None, 'reliability', 'read_only')

# Of these drive_source_info tells the page.
SOURCES = {'drive_endurance_used_ratio': 'wear', 'drive_written_bytes_total': 'written_bytes',
           'drive_read_bytes_total': 'read_bytes', 'drive_power_on_seconds_total': 'power_on_time'}
SOURCE_PAGE = 'NVMe log 0x02'

# ---- 01h: status code types

ERROR_TYPES = ('generic', 'command', 'media', 'path', 'other', 'other', 'other', 'vendor')

# ---- 06h

TEST_TYPES = {1: 'short', 2: 'extended'}
TEST_RESULTS = {0: 'passed', 1: 'aborted', 2: 'interrupted', 3: 'interrupted', 4: 'interrupted', 5: 'incomplete', 6: 'failed',
                7: 'failed', 8: 'interrupted', 9: 'interrupted'}
TEST_FAILURES = (5, 6, 7)
TEST_UNUSED = 15

# ---- 09h

ENDURANCE_LOG = [
    field('avl_spare', '09h', 'drive_nvme_endurance_group_spare_available_ratio', per_cent),
    field('avl_spare_threshold', '09h', 'drive_nvme_endurance_group_spare_threshold_ratio', per_cent),
    field('percent_used', '09h', 'drive_nvme_endurance_group_used_ratio', per_cent),
    field('endurance_estimate', '09h', 'drive_nvme_endurance_group_estimate_bytes', billions_if_any),
    field('data_units_read', '09h', 'drive_nvme_endurance_group_read_bytes_total', times(10 ** 9)),
    field('data_units_written', '09h', 'drive_nvme_endurance_group_written_bytes_total', times(10 ** 9)),
    field('media_units_written', '09h', 'drive_nvme_endurance_group_media_written_bytes_total', times(10 ** 9)),
    field('host_read_cmds', '09h', 'drive_nvme_endurance_group_commands_total', op='read'),
    field('host_write_cmds', '09h', 'drive_nvme_endurance_group_commands_total', op='write'),
    field('media_data_integrity_err', '09h', 'drive_nvme_endurance_group_media_errors_total'),
    field('num_err_info_log_entries', '09h', 'drive_nvme_endurance_group_error_log_entries_total'),
]

# ---- 81h: the low bits of the status

SANITIZE_STATES = ('never', 'done', 'running', 'failed', 'done_deallocated')

# ---- C0h

OCP_HEALTH = [
    field('Physical media units written', 'C0h', 'drive_nand_written_bytes_total'),
    field('Physical media units read', 'C0h', 'drive_nand_read_bytes_total'),
    field('Bad user nand blocks - Raw', 'C0h', 'drive_nvme_bad_blocks', kind='user'),
    field('Bad user nand blocks - Normalized', 'C0h', 'drive_nvme_bad_blocks_left_ratio', per_cent, kind='user'),
    field('Bad system nand blocks - Raw', 'C0h', 'drive_nvme_bad_blocks', kind='system'),
    field('Bad system nand blocks - Normalized', 'C0h', 'drive_nvme_bad_blocks_left_ratio', per_cent, kind='system'),
    field('XOR recovery count', 'C0h', 'drive_nvme_xor_recoveries_total'),
    field('Uncorrectable read error count', 'C0h', 'drive_nvme_uncorrectable_reads_total'),
    field('Soft ecc error count', 'C0h', 'drive_nvme_soft_ecc_errors_total'),
    field('End to end detected errors', 'C0h', 'drive_nvme_end_to_end_errors_total', kind='detected'),
    field('End to end corrected errors', 'C0h', 'drive_nvme_end_to_end_errors_total', kind='corrected'),
    field('System data percent used', 'C0h', 'drive_nvme_system_data_used_ratio', per_cent),
    field('Refresh counts', 'C0h', 'drive_nvme_refreshes_total'),
    field('Max User data erase counts', 'C0h', 'drive_nvme_erase_cycles', kind='max'),
    field('Min User data erase counts', 'C0h', 'drive_nvme_erase_cycles', kind='min'),
    field('Number of Thermal throttling events', 'C0h', 'drive_nvme_throttling_events_total'),
    field('Current throttling status', 'C0h', 'drive_nvme_throttling_level'),
    field('Current throttling status', 'C0h', 'drive_throttled', is_any, kind='thermal'),
    field('PCIe correctable error count', 'C0h', 'drive_link_errors_total', phy='0', kind='pcie_correctable', side='drive'),
    field('Incomplete shutdowns', 'C0h', 'drive_nvme_incomplete_shutdowns_total'),
    field('Percent free blocks', 'C0h', 'drive_nvme_free_blocks_ratio', per_cent),
    field('Capacitor health', 'C0h', 'drive_nvme_capacitor_health_ratio', per_cent),
    field('Unaligned I/O', 'C0h', 'drive_nvme_unaligned_io_total'),
    field('PLP start count', 'C0h', 'drive_nvme_power_loss_protections_total'),
    field('Endurance estimate', 'C0h', 'drive_nvme_endurance_estimate_bytes'),
    field('PCIe Link Retraining Count', 'C0h', 'drive_nvme_pcie_retrainings_total'),
    field('Power State Change Count', 'C0h', 'drive_nvme_power_state_changes_total'),
]

# ---- C3h: buckets, windows and columns as nvme-cli names them

OCP_LATENCY = [field('Active Threshold ' + letter, 'C3h', 'drive_nvme_latency_threshold_seconds', milliseconds,
                     bucket=str(bucket)) for bucket, letter in enumerate('ABCD')]
WINDOWS = (('Active', 'active'), ('Static', 'previous'))
OPERATIONS = (('Read', 'read'), ('Write', 'write'), ('Trim', 'discard'))
OCP_LATENCY += [
    field('%s %s: Bucket %d.%s' % (window, what, bucket, column), 'C3h', family, convert,
          window=ours, op=op, bucket=str(bucket))
    for what, family, convert in (('Bucket Counter', 'drive_nvme_latency_commands', times(1)),
                                  ('Measured Latency', 'drive_nvme_latency_recorded_seconds', milliseconds))
    for window, ours in WINDOWS for bucket in range(4) for column, op in OPERATIONS]

# ---- CAh: the names of the two plugins

INTEL_UNIT = 32 << 20


def intel(page, names, wear):
    """Each name is the path of what one key counts, below its item."""
    rows = zip(names, (
        ('drive_program_failures_total', times(1), {}),
        ('drive_erase_failures_total', times(1), {}),
        ('drive_nvme_erase_cycles', times(1), {'kind': 'min'}),
        ('drive_nvme_erase_cycles', times(1), {'kind': 'max'}),
        ('drive_nvme_erase_cycles', times(1), {'kind': 'average'}),
        ('drive_nvme_end_to_end_errors_total', times(1), {'kind': 'detected'}),
        ('drive_link_errors_total', times(1), {'phy': '0', 'kind': 'crc', 'side': 'drive'}),
        ('drive_nvme_timed_workload_wear_ratio', wear, {}),
        ('drive_nvme_timed_workload_reads_ratio', per_cent, {}),
        ('drive_nvme_timed_workload_seconds', times(60), {}),
        ('drive_throttled', is_any, {'kind': 'thermal'}),
        ('drive_nvme_throttling_events_total', times(1), {}),
        ('drive_nvme_retry_buffer_overflows_total', times(1), {}),
        ('drive_nvme_pll_lock_losses_total', times(1), {}),
        ('drive_nand_written_bytes_total', times(INTEL_UNIT), {}),
        ('drive_nvme_intel_written_bytes_total', times(INTEL_UNIT), {}),
        ('drive_retired_blocks', times(1), {}),
        ('drive_nvme_soft_ecc_errors_total', times(1), {}),
        ('drive_nand_read_bytes_total', times(INTEL_UNIT), {}),
    ))
    return [field(name, page, family, convert, **labels) for name, (family, convert, labels) in rows]


SOLIDIGM = intel('CAh', (
    'program_fail_count.raw', 'erase_fail_count.raw', 'wear_leveling_count.min', 'wear_leveling_count.max',
    'wear_leveling_count.avg', 'e2e_error_detect_count.raw', 'crc_error_count.raw', 'media_wear_percentage.raw',
    'host_reads.raw', 'timed_work_load.raw', 'thermal_throttle_status.percentage', 'thermal_throttle_status.count',
    'retry_buffer_overflow_counter.raw', 'pll_lock_loss_counter.raw', 'nand_bytes_written.raw', 'host_bytes_written.raw',
    'relocatable_sector_count.raw', 'soft_ecc_error_rate.raw', 'media_bytes_read.raw',
), lambda text, _: int(text) / 1024 / 100)

# This plugin takes the items to be in an order of its own, whatever they are.
INTEL = intel('CAh, intel', (
    'program_fail_count.raw', 'erase_fail_count.raw', 'wear_leveling.raw.min', 'wear_leveling.raw.max',
    'wear_leveling.raw.avg', 'end_to_end_error_detection_count.raw', 'crc_error_count.raw', 'timed_workload_media_wear.raw',
    'timed_workload_host_reads.raw', 'timed_workload_timer.raw', 'thermal_throttle_status.raw.pct',
    'thermal_throttle_status.raw.cnt', 'retry_buffer_overflow_count.raw', 'pll_lock_loss_count.raw',
    'nand_bytes_written.raw', 'host_bytes_written.raw', 're_alloc_sectr_cnt.raw', 'soft_ecc_err_rate.raw', 'media_bytes_read.raw',
), percent_words)

# By the item's name there: the place where that plugin reads it, and the key that it should have.
INTEL_ITEMS = {
    'program_fail_count': (0, 0xab), 'erase_fail_count': (1, 0xac), 'wear_leveling': (2, 0xad),
    'end_to_end_error_detection_count': (3, 0xb8), 'crc_error_count': (4, 0xc7), 'timed_workload_media_wear': (5, 0xe2),
    'timed_workload_host_reads': (6, 0xe3), 'timed_workload_timer': (7, 0xe4), 'thermal_throttle_status': (8, 0xea),
    'retry_buffer_overflow_count': (9, 0xf0), 'pll_lock_loss_count': (10, 0xf3), 'nand_bytes_written': (11, 0xf4),
    'host_bytes_written': (12, 0xf5), 're_alloc_sectr_cnt': (15, 0x05), 'soft_ecc_err_rate': (16, 0x0d),
    'media_bytes_read': (18, 0xf8),
}

# ---- pages that tell one quantity, the finer first

PRECEDENCE = {'C0h': 0, 'CAh': 1, '09h': 2}

# ---- which log each family is on: one that the drive's own list does not have must not have been read

LOG_OF = {
    '03h': ('drive_nvme_firmware_slot_info', 'drive_nvme_firmware_active_slot', 'drive_nvme_firmware_next_slot'),
    '06h': ('drive_self_test_info', 'drive_self_test_failures', 'drive_self_test_power_on_seconds'),
    '09h': ('drive_nvme_endurance_group_used_ratio',), '81h': ('drive_nvme_sanitize_info',),
    'C0h': ('drive_nvme_xor_recoveries_total',), 'C3h': ('drive_nvme_latency_threshold_seconds',),
    'CAh': ('drive_nvme_pll_lock_losses_total', 'drive_nvme_intel_written_bytes_total'),
}

# ---- what of ours each tool could tell

TOLD_BY_SMARTCTL = {row.family for row in SMARTCTL_HEALTH + SMARTCTL_IDENTIFY} | {family for _, family in NAMESPACE_SIZES} | {
    'drive_capacity_bytes', 'drive_nvme_critical_warning'}

TOLD_BY_NVME_CLI = {row.family for row in ID_CTRL + SMART_LOG + ENDURANCE_LOG + OCP_HEALTH + OCP_LATENCY + SOLIDIGM} | {
    family for _, family in NAMESPACE_SIZES} | {
    'drive_capacity_bytes', 'drive_nvme_critical_warning', 'drive_nvme_endurance_groups_warning',
    'drive_nvme_endurance_group_warning', 'drive_nvme_firmware_slot_info', 'drive_nvme_firmware_active_slot',
    'drive_nvme_firmware_next_slot', 'drive_self_test_info', 'drive_self_test_power_on_seconds', 'drive_self_test_failures',
    'drive_nvme_self_test_progress_ratio', 'drive_nvme_sanitize_info', 'drive_nvme_sanitize_progress_ratio'}
