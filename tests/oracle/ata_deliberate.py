"""Where smartctl says something else of an ATA drive than we do, and is meant to: see deliberate.py."""

import os
import re

import exporter
from ata_builtin import family, is_in_table, name_in_table, of_table, value_of
from ata_tables import STATISTICS
from deliberate import CAPTURES, CORPUS, NOWHERE

ALL_ONES_16 = 0xffff
NORMALIZED = 0x20               # of the flags of a statistic
SPARE_SECTORS_OF = 100          # more of a drive than a hundredth is no count of sectors
POWER_ON = 9
ON_ALL_DRIVES = (5, 9, 12, 190, 194, 197, 198)  # attributes that every maker means the same by
ON_DISKS = (4, 187, 188, 193, 199)              # the same of disks
TEMPERATURES, LAST_PAGE = 5, 7                  # pages of Device Statistics: of temperatures, and the last that is read
SCT_TEMPERATURES = {'lowest': 203, 'highest': 204, 'specified': 205}    # byte of SCT status

# What libatasmart knows of firmware that drivedb does not
UNKNOWN_TO_DRIVEDB = {'FUJITSU MHY2120BH': (9, 197, 198), 'FUJITSU MHY2250BH': (9, 197, 198), 'MCCOE64GEMPP': (5,)}


def has_atasmart():
    if not os.path.exists(exporter.PROGRAM):
        return False
    with open(exporter.PROGRAM, 'rb') as f:
        return b'libatasmart.so' in f.read()


HAS_ATASMART = has_atasmart()


def is_of(claim, page, *families):
    return claim.page == page and (not families or claim.family in families)


def attribute(claim):
    """Which one it is about; None: about none."""
    return claim.raw['id'] if isinstance(claim.raw, dict) else int(claim.labels['id']) if 'id' in claim.labels else None


def model(capture):
    return capture.drive.metrics.all('drive_info')[0][0].get('model', '')


# ---- conditions, each as narrow as the bytes allow

def is_asleep(capture, claim, ours):
    return ours is None and capture.is_asleep


def is_family_without_attributes(capture, claim, ours):
    return claim.family == 'drive_info' and 'family' in claim.labels and ours is None and not capture.attributes


def is_zero_name(capture, claim, ours):
    return claim.family == 'drive_info' and claim.labels == {'wwn': '0' * 16} and ours is None


def is_family_of_table(capture, claim, ours):
    return claim.family == 'drive_info' and 'family' in claim.labels and ours is None and family(capture) is not None


def is_status_of_attributes(capture, claim, ours):
    return is_of(claim, 'status') and ours is None and not capture.answer('ata-smart-status')


def is_polling_time(capture, claim, ours):
    return claim.family == 'drive_self_test_duration_seconds' and ours is None


def is_six_bytes(capture, claim, ours):
    return claim.family == 'drive_ata_attribute_raw' and ours == capture.raw(attribute(claim))


def our_name(capture, number):
    """"" where we have none."""
    names = capture.drive.metrics.all('drive_ata_attribute_info', id=str(number))
    return names[0][0]['name'] if names else ''


def is_name(claim, ours):
    """There is one on one side alone."""
    return claim.family == 'drive_ata_attribute_info' and ours == (None if claim.value == 1 else 1)


def is_name_of_table(capture, claim, ours):
    return is_name(claim, ours) and attribute(claim) in capture.attributes and \
        our_name(capture, attribute(claim)) == name_in_table(capture, attribute(claim))


def is_name_of_all_drives(capture, claim, ours):
    """What drivedb has of all drives, it does not have of this one; we ask libatasmart first, whose names have no underscores.
    Of a model that drivedb has we take the others from there, too."""
    name = our_name(capture, attribute(claim))
    return is_name(claim, ours) and attribute(claim) not in capture.own_attributes and not re.search('[A-Z_]', name) and \
        (name or not capture.is_in_drivedb)


def is_word_on_all_drives(capture, claim, ours):
    number = attribute(claim)
    return is_of(claim, 'attributes') and ours is None and number not in capture.own_attributes and \
        not is_in_table(capture, number) and number not in ON_ALL_DRIVES + ON_DISKS


def is_count_of_disks(capture, claim, ours):
    """Without a rotation rate it may be a disk."""
    number = attribute(claim)
    return is_of(claim, 'attributes') and ours is None and number not in capture.own_attributes and \
        not is_in_table(capture, number) and number in ON_DISKS and not 0x401 <= capture.word(217) <= 0xfffe


def is_count_of_no_ssd(capture, claim, ours):
    number = attribute(claim)
    return is_of(claim, 'attributes') and ours is None and number not in capture.own_attributes and \
        not is_in_table(capture, number) and number in (5, 197, 198) and capture.word(217) == 1


def is_known_to_atasmart(capture, claim, ours):
    """As no count, or as one of minutes."""
    number = attribute(claim)
    return claim.page in ('attributes', None) and number not in capture.own_attributes and \
        number in UNKNOWN_TO_DRIVEDB.get(model(capture), ()) and \
        ours == (capture.raw(number) * 60 if number == POWER_ON and HAS_ATASMART else None)


def is_unsure_time(capture, claim, ours):
    return claim.family == 'drive_power_on_seconds_total' and claim.page in ('attributes', None) and ours is None and \
        not HAS_ATASMART and POWER_ON not in capture.own_attributes and model(capture).startswith(('SAMSUNG H', 'FUJITSU '))


def is_of_table(capture, claim, ours):
    return claim.page in ('attributes', 'nowhere') and ours is not None and ours == value_of(capture, claim.family)


def is_threshold_of_value(capture, claim, ours):
    return claim.family == 'drive_spare_threshold_ratio' and ours is None and \
        any(row.quantity == 'spare blocks' and row.id == attribute(claim) and row.part != 'value'
            for row in of_table(capture).rows)


def is_not_taken(capture, claim, ours):
    return is_of(claim, 'attributes') and ours is None and attribute(claim) in of_table(capture).others


def is_retired_instead(capture, claim, ours):
    return is_of(claim, 'attributes', 'drive_reallocated_sectors') and ours is None and \
        capture.drive.metrics.value('drive_retired_blocks') == claim.value


def is_low_word(capture, claim, ours):
    raw = capture.raw(188)
    return is_of(claim, 'attributes', 'drive_command_timeouts_total') and claim.value == raw and ours == raw & 0xffff


def implausible(capture, quantity):
    return capture.drive.metrics.value('drive_implausible_values_total', quantity=quantity)


def is_no_count_of_sectors(capture, claim, ours):
    quantities = {'drive_pending_sectors': 'pending_sectors', 'drive_reallocated_sectors': 'reallocated_sectors',
                  'drive_offline_uncorrectable_sectors': 'offline_uncorrectable_sectors'}
    sectors = (capture.drive.metrics.value('drive_capacity_bytes') or 0) / capture.block
    return is_of(claim, 'attributes', *quantities) and ours is None and \
        capture.raw(attribute(claim)) & 0xffffffff > sectors / SPARE_SECTORS_OF and \
        implausible(capture, quantities[claim.family])


def is_several_timeouts(capture, claim, ours):
    return is_of(claim, 'attributes', 'drive_command_timeouts_total') and ours is None and \
        claim.value > 0xffff and implausible(capture, 'command_timeouts')


def is_no_count_of_errors(capture, claim, ours):
    return is_of(claim, 'attributes', 'drive_uncorrected_errors_total') and ours is None and attribute(claim) == 187 and \
        claim.value > 0xffff and implausible(capture, 'uncorrected_errors')


def is_finer_time(capture, claim, ours):
    """Whole hours of theirs with milliseconds, our half minutes of their minutes."""
    return claim.family == 'drive_power_on_seconds_total' and ours is not None and claim.raw and \
        'h+' in claim.raw['raw']['string'] and \
        (0 < claim.value - ours < 3600 and ours % 3600 == 0 or 0 < ours - claim.value < 60)


def is_no_thermometer(capture, claim, ours):
    return is_of(claim, 'attributes', 'drive_temperature_celsius') and ours is None and claim.value == 0


def is_normalized(capture, claim, ours):
    """Of attributes one may tell it."""
    if claim.family == 'drive_ata_statistic':
        places = [(int(claim.labels['page']), int(claim.labels['offset'], 16))]
    else:
        places = [place for place, (name, labels, _) in STATISTICS.items() if (name, labels) == (claim.family, claim.labels)]
    return is_of(claim, 'statistics') and 'temperature' not in claim.family and 'ratio' not in claim.family and \
        ours in [None, value_of(capture, claim.family), *map(capture.raw, capture.attributes)] and \
        any(capture.statistics.get(place, (0, 0))[1] & NORMALIZED for place in places)


def is_packed_statistic(capture, claim, ours):
    return claim.family == 'drive_ata_statistic' and ours is None and \
        (claim.labels['page'], claim.labels['offset']) == ('1', '0x50')


def is_statistic_not_read(capture, claim, ours):
    return claim.family == 'drive_ata_statistic' and ours is None and \
        (int(claim.labels['page']) > LAST_PAGE or claim.labels['name'] == 'unknown')


def sct_says(capture, claim):
    """smartctl puts what SCT status has among the temperatures of other pages."""
    place = SCT_TEMPERATURES.get(claim.labels.get('kind'))
    return claim.page is None and place and \
        int.from_bytes(capture.log(0xe0)[place:place + 1], 'little', signed=True) == claim.value


def is_sct_of_others(capture, claim, ours):
    listed = capture.answer('ata-log', address=4)
    return ours is None and (is_of(claim, 'sct') or sct_says(capture, claim)) and \
        claim.family != 'drive_ata_temperature_limit_events_total' and TEMPERATURES in listed[9:9 + int.from_bytes(listed[8:9], 'little')]


def is_sct_of_format_2(capture, claim, ours):
    kind = claim.labels.get('kind')
    return ours is None and (is_of(claim, 'sct') or sct_says(capture, claim)) and capture.log(0xe0)[:2] == b'\2\0' and \
        kind in ('lowest', 'lowest_since_power_on', 'specified', 'over', 'under')


def is_empty_error_log(capture, claim, ours):
    return is_of(claim, 'error log') and ours is None and claim.value == 0 and \
        not any(capture.log(3) or capture.log(1))


def is_full_error_log(capture, claim, ours):
    return is_of(claim, 'error log') and ours is None and claim.value == ALL_ONES_16


def is_running_test(capture, claim, ours):
    return is_of(claim, 'self-test log', 'drive_self_test_power_on_seconds') and ours is None and \
        capture.drive.metrics.all('drive_self_test_info', result='running')


def is_phy_event_of_vendor(capture, claim, ours):
    return is_of(claim, 'phy events') and ours is None and claim.labels['event'] in ('Vendor specific', 'Unknown')


def is_speed_without_version(capture, claim, ours):
    version, speeds = capture.word(222), capture.word(76)
    return is_of(claim, 'nowhere', 'drive_link_speed_max_bits_per_second') and version in (0, 0xffff) and \
        ours == max(rate for bit, rate in ((1, 1.5e9), (2, 3e9), (3, 6e9)) if speeds >> bit & 1)


# ---- the rows, by page and field; of those that explain a difference the first counts

ROWS = (
    ('all', 'a sleeping drive', CAPTURES, is_asleep),
    ('IDENTIFY DEVICE', 'family of a model in the built-in table', CAPTURES, is_family_of_table),
    ('IDENTIFY DEVICE', 'family of a drive without SMART data', CAPTURES, is_family_without_attributes),
    ('IDENTIFY DEVICE', 'a world wide name of zeroes', CAPTURES, is_zero_name),
    ('IDENTIFY DEVICE', 'highest speed, where word 222 tells no version of Serial ATA', CAPTURES, is_speed_without_version),
    ('SMART status', 'a drive that does not tell it', CAPTURES, is_status_of_attributes),
    ('SMART data', 'polling times of self-tests', CAPTURES, is_polling_time),
    ('SMART data', 'raw numbers of other bytes than the six', CAPTURES, is_six_bytes),
    ('SMART data', 'names, of a model in the built-in table', CAPTURES, is_name_of_table),
    ('SMART data', 'names, where drivedb has none for the model', CAPTURES, is_name_of_all_drives),
    ('SMART data', 'a model in the built-in table', CAPTURES, is_of_table),
    ('SMART data', 'a model in the built-in table, an attribute that is unsure there', CAPTURES, is_not_taken),
    ('SMART data', 'threshold of spare blocks, where the raw number tells them', CAPTURES, is_threshold_of_value),
    ('SMART data', '5 of a model that retires blocks', CAPTURES, is_retired_instead),
    ('SMART data', '188 of disks by Seagate', CAPTURES, is_low_word),
    ('SMART data', '188 above 65535', CAPTURES, is_several_timeouts),
    ('SMART data', '5, 197 and 198 above a hundredth of all sectors', CAPTURES, is_no_count_of_sectors),
    ('SMART data', '187 above 65535 and a hundredth of all commands', CAPTURES, is_no_count_of_errors),
    ('SMART data', '5, 9, 197 and 198, where libatasmart knows the firmware', CAPTURES, is_known_to_atasmart),
    ('SMART data', '9 of disks by Samsung and Fujitsu, without libatasmart', NOWHERE if HAS_ATASMART else CORPUS, is_unsure_time),
    ('SMART data', '9 with minutes and milliseconds', CAPTURES, is_finer_time),
    ('SMART data', '190 and 194 at 0', CAPTURES, is_no_thermometer),
    ('SMART data', '4, 187, 188, 193 and 199, where nothing is known of the model, not even a rotation rate', CAPTURES,
     is_count_of_disks),
    ('SMART data', '5, 197 and 198 of a solid-state drive of which nothing is known', CORPUS, is_count_of_no_ssd),
    ('SMART data', 'others, where nothing is known of the model', CAPTURES, is_word_on_all_drives),
    ('Device Statistics', 'a normalized count', CAPTURES, is_normalized),
    ('Device Statistics', 'Utilization Usage Rate, page 01h offset 50h', CAPTURES, is_packed_statistic),
    ('Device Statistics', 'pages 08h and above, and what ACS-4 does not name', CAPTURES, is_statistic_not_read),
    ('SCT status', 'a drive with statistics of temperatures', CAPTURES, is_sct_of_others),
    ('SCT status', 'format 2', CAPTURES, is_sct_of_format_2),
    ('error log', '65535 errors', CAPTURES, is_full_error_log),
    ('error log', 'a page of zeroes', CAPTURES, is_empty_error_log),
    ('self-test log', 'hours of a self-test that still runs', CAPTURES, is_running_test),
    ('phy event counters', "the vendor's own, and those that Serial ATA does not name", CAPTURES, is_phy_event_of_vendor),
)
