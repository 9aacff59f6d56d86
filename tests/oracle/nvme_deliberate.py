"""Where nvme-cli or smartctl says something else of an NVMe drive than we do, and is meant to: see deliberate.py."""

import nvme_tables as tables
from deliberate import CAPTURES, CORPUS
from nvme import NOT_SERVED, rows
from scsi_tables import ABSENT

EXACT = 2 ** 53
NAMESPACES = {family for _, family in tables.NAMESPACE_SIZES}
LATENCY_FAMILIES = {row.family for row in tables.OCP_LATENCY}
OCP_FAMILIES = {row.family for row in tables.OCP_HEALTH} | LATENCY_FAMILIES
ALL_ONES = {str(256 ** n - 1) for n in (1, 2, 6)}       # of C0h, as nvme-cli prints them
FIRST_HOUR = 0xffff

# Log C3h: where the counters and latencies of a window begin; what is read where, by the specification and by nvme-cli 2.3.
COUNTERS_AT = {'active': 0x20, 'previous': 0xf0}
LATENCIES_AT = {'active': 0xc0, 'previous': 0x190}
COUNTER, THEIR_COUNTER = {'read': 3, 'write': 2, 'discard': 1}, {'read': 0, 'write': 1, 'discard': 2}
LATENCY, THEIR_LATENCY = {'read': 2, 'write': 1, 'discard': 0}, {'read': 0, 'write': 1, 'discard': 2}


def is_of(claim, page, *families):
    return claim.page == page and (not families or claim.family in families)


def is_not_served(claim, page):
    return is_of(claim, page, NOT_SERVED)


def number(claim):
    """As the tool printed it."""
    return int(claim.raw[1])


# ---- identify

def is_unallocated_of_one(capture, claim, ours):
    return claim.family == 'drive_nvme_unallocated_bytes' and ours is None and \
        not (capture.identify(256, 2) >> 3 & 1 and capture.identify(280, 16))


def is_silent_of_namespaces(capture, claim, ours):
    return is_of(claim, 'nowhere', 'drive_capacity_bytes', *NAMESPACES) and capture.identify(516, 4) != 1


def is_size_of_kernel(capture, claim, ours):
    nsid = claim.labels.get('nsid')
    return is_of(claim, 'nowhere', 'drive_capacity_bytes', *NAMESPACES) and ours is not None and \
        (int(nsid) not in capture.namespaces if nsid else not capture.namespaces)


def has_high_format(capture):
    return any(capture.by_keys['nvme-identify', 0, nsid, 0][26] & 0x60 for nsid in capture.namespaces)


def is_high_format(capture, claim, ours):
    return claim.page in ('controller', 'namespace') and claim.family in NAMESPACES | {'drive_capacity_bytes'} and \
        ours is not None and claim.value is not ABSENT and claim.value * 8 == ours and has_high_format(capture)


# ---- 02h

def is_verdict(capture, claim, ours):
    return is_of(claim, '02h', 'drive_warning') and ours is None and claim.value == int(capture.number(2, 0, 1) != 0)


def is_no_temperature(capture, claim, ours):
    return is_of(claim, '02h', 'drive_temperature_celsius') and ours is None and claim.value == -273


def is_summary_without_groups(capture, claim, ours):
    return is_of(claim, '02h', 'drive_nvme_endurance_groups_warning') and ours is None and not capture.identify(96, 4) >> 4 & 1


def is_rounded(capture, claim, ours):
    return claim.page in ('02h', 'C0h') and claim.raw is not None and number(claim) > EXACT and ours is not None and \
        abs(ours - claim.value) < claim.value / EXACT * 2


def is_signed(capture, claim, ours):
    return is_of(claim, '02h') and claim.raw is not None and -2 ** 31 <= number(claim) < 0 and \
        ours == claim.value // number(claim) * (number(claim) + 2 ** 32)


def is_time_without_limit(capture, claim, ours):
    at = {'warning': 266, 'critical': 268}
    return is_of(claim, 'nowhere', 'drive_nvme_over_temperature_seconds_total') and ours == 0 and \
        not capture.identify(at[claim.labels['kind']], 2)


# ---- 01h, 06h, 81h

def is_old_error(capture, claim, ours):
    return is_not_served(claim, '01h') or is_of(claim, '01h', 'drive_nvme_logged_errors_total') and ours == 0


def is_of_result(capture, claim):
    return is_of(claim, '06h') and isinstance(claim.raw, tuple)


def is_before_running(capture, claim, ours):
    return is_of_result(capture, claim) and ours is None and claim.raw[1]


def is_without_type(capture, claim, ours):
    return is_of_result(capture, claim) and ours is None and claim.raw[0] == 0


def is_detail_of_result(capture, claim, ours):
    return is_not_served(claim, '06h')


def is_no_self_test_offered(capture, claim, ours):
    return is_of(claim, '06h') and ours is None and not capture.identify(256, 2) >> 4 & 1


def is_idle_progress(capture, claim, ours):
    return is_of(claim, '81h', 'drive_nvme_sanitize_progress_ratio') and ours is None and claim.raw != 'running'


def is_detail_of_sanitize(capture, claim, ours):
    return is_not_served(claim, '81h')


def is_no_sanitize_offered(capture, claim, ours):
    return is_of(claim, '81h') and ours is None and not capture.identify(328, 4) & 7


# ---- C0h, C3h

def is_swapped(capture, claim, ours):
    at = {'detected': (72, 76), 'corrected': (76, 72)}
    if not is_of(claim, 'C0h', 'drive_nvme_end_to_end_errors_total'):
        return False
    right, wrong = (capture.number(0xc0, place, 4) for place in at[claim.labels['kind']])
    return claim.value == wrong and ours == right


def is_newer(capture, claim, ours):
    return is_of(claim, 'nowhere', 'drive_nvme_erase_cycles', 'drive_nvme_power_state_changes_total') and \
        claim.labels.get('kind', 'average') == 'average' and capture.log(0xc0)


def is_not_counted(capture, claim, ours):
    return is_of(claim, 'C0h') and claim.raw is not None and ours is None and claim.raw[1] in ALL_ONES


def is_no_estimate(capture, claim, ours):
    return is_of(claim, 'C0h', 'drive_nvme_endurance_estimate_bytes') and ours is None and claim.value == 0


def is_no_count(capture, claim, ours):
    return is_not_served(claim, 'C0h')


def is_by_uuid(capture, claim, ours):
    return is_of(claim, 'nowhere', *OCP_FAMILIES) and (capture.is_by_uuid(0xc0) or capture.is_by_uuid(0xc3))


def is_newer_monitor(capture, claim, ours):
    return is_of(claim, 'nowhere', *LATENCY_FAMILIES) and capture.log(0xc3) and capture.number(0xc3, 494, 2) != 1


def is_switched_off(capture, claim, ours):
    return is_of(claim, 'C3h') and ours is None and not capture.number(0xc3, 0, 1) & 1


def cell(capture, claim, places, size, width, bucket, which):
    """Of the window that the claim is about."""
    return capture.number(0xc3, places[claim.labels['window']] + bucket * size + which[claim.labels['op']] * width, width)


def is_other_operation(capture, claim, ours):
    if not is_of(claim, 'C3h', 'drive_nvme_latency_commands'):
        return False
    right, wrong = (cell(capture, claim, COUNTERS_AT, 16, 4, int(claim.labels['bucket']), which)
                    for which in (COUNTER, THEIR_COUNTER))
    return claim.value == wrong and ours == right


def is_other_bucket(capture, claim, ours):
    if not is_of(claim, 'C3h', 'drive_nvme_latency_recorded_seconds'):
        return False
    bucket = int(claim.labels['bucket'])
    right = cell(capture, claim, LATENCIES_AT, 6, 2, 3 - bucket, LATENCY)
    wrong = cell(capture, claim, LATENCIES_AT, 6, 2, bucket, THEIR_LATENCY)
    count = cell(capture, claim, COUNTERS_AT, 16, 4, bucket, COUNTER)
    return claim.value == wrong / 1000 and ours == (right / 1000 if count and right not in (0, 0xffff) else None)


def is_setting(capture, claim, ours):
    return is_not_served(claim, 'C3h')


# ---- CAh

def is_of_intel(claim):
    return claim.page.startswith('CAh')


def is_normalized(capture, claim, ours):
    return is_of_intel(claim) and claim.family == NOT_SERVED and claim.labels['field'].endswith('.normalized')


def is_other_item(capture, claim, ours):
    return is_of_intel(claim) and claim.family == NOT_SERVED and not claim.labels['field'].endswith('.normalized')


def is_first_hour(capture, claim, ours):
    return is_of(claim, 'CAh') and 'timed_workload' in claim.family and ours is None and number(claim) == FIRST_HOUR


def is_by_position(capture, claim, ours):
    """Of a number that is not there what it reads is zero."""
    if not is_of(claim, 'CAh, intel') or claim.family == NOT_SERVED:
        return False
    place, key = tables.INTEL_ITEMS[claim.raw[0].partition('.')[0]]
    return capture.intel_items[place][0] != key and ours == by_key(capture, claim, key)


def is_rounded_wear(capture, claim, ours):
    return is_of(claim, 'CAh, intel', 'drive_nvme_timed_workload_wear_ratio') and ours == by_key(capture, claim, 0xe2) and \
        abs(claim.value - ours) <= 0.5e-8


def by_key(capture, claim, key):
    """Ours as it should be: what the other plugin, which looks for keys, says of the same number."""
    for other in rows('nvme-cli', tables.SOLIDIGM, capture.solidigm):
        if (other.family, other.labels) == (claim.family, claim.labels):
            return None if key in (0xe2, 0xe3, 0xe4) and number(other) == FIRST_HOUR else other.value
    return None


# ---- the rows, by page and field; of those that explain a difference the first counts

ROWS = (
    ('identify controller', 'unallocated capacity of a drive that cannot make namespaces, or tells no capacity', CAPTURES,
     is_unallocated_of_one),
    ('identify namespace', 'a drive that may have several', CAPTURES, is_silent_of_namespaces),
    ('identify namespace', 'a namespace that does not tell its size', CORPUS, is_size_of_kernel),
    ('identify namespace', 'formats 16 and above', CAPTURES, is_high_format),
    ('02h', 'verdict', CAPTURES, is_verdict),
    ('02h', 'composite temperature 0', CAPTURES, is_no_temperature),
    ('02h', 'summary of endurance groups, of a drive without them', CAPTURES, is_summary_without_groups),
    ('02h, C0h', 'counters above 2^53', CAPTURES, is_rounded),
    ('02h', 'counters of four bytes from 2^31 on', CAPTURES, is_signed),
    ('02h', 'times above limits that the drive does not state', CAPTURES, is_time_without_limit),
    ('01h', 'entries', CAPTURES, is_old_error),
    ('06h', 'segment, diagnostic information and the like of a result', CAPTURES, is_detail_of_result),
    ('06h', 'a drive that does not offer self-tests', CAPTURES, is_no_self_test_offered),
    ('06h', 'the newest result while a test runs', CAPTURES, is_before_running),
    ('06h', 'a result without a type', CAPTURES, is_without_type),
    ('81h', 'command, passes, estimated times', CAPTURES, is_detail_of_sanitize),
    ('81h', 'progress while nothing runs', CAPTURES, is_idle_progress),
    ('81h', 'a drive that does not offer to sanitize', CAPTURES, is_no_sanitize_offered),
    ('C0h', 'end-to-end errors', CAPTURES, is_swapped),
    ('C0h', 'average of erases, changes of power state', CAPTURES, is_newer),
    ('C0h', 'a field at all ones', CAPTURES, is_not_counted),
    ('C0h', 'endurance estimate 0', CAPTURES, is_no_estimate),
    ('C0h', 'versions, GUID, use of namespaces', CAPTURES, is_no_count),
    ('C0h, C3h', "a drive that answers them only by OCP's UUID", CAPTURES, is_by_uuid),
    ('C3h', 'a log of another version than 1', CAPTURES, is_newer_monitor),
    ('C3h', 'a monitor that is switched off', CAPTURES, is_switched_off),
    ('C3h', 'counters', CAPTURES, is_other_operation),
    ('C3h', 'latencies', CAPTURES, is_other_bucket),
    ('C3h', 'timers, modes, time stamps, debug log', CAPTURES, is_setting),
    ('CAh', 'normalized values', CAPTURES, is_normalized),
    ('CAh', 'unexpected power losses and other items', CAPTURES, is_other_item),
    ('CAh', 'timed workload in its first hour', CAPTURES, is_first_hour),
    ('CAh', '`intel smart-log-add` in JSON', CAPTURES, is_by_position),
    ('CAh', '`intel smart-log-add` in JSON, wear in the timed workload', CAPTURES, is_rounded_wear),
)
