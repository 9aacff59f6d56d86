"""Where smartctl or sg3_utils say something else of a SCSI drive than we do, and are meant to: see deliberate.py."""

from deliberate import CAPTURES, CORPUS, NOWHERE
from scsi_tables import BY_NUMBER, CONDITIONS, LIST_LAST

# ---- conditions, each as narrow as the bytes allow

ERROR_PAGES = ('02', '03', '05')
METHODS = {'ecc_fast': 0, 'ecc_delayed': 1, 'retry': 2}
ERROR_PARAMETERS = {'drive_scsi_corrected_errors_total': 3, 'drive_scsi_correction_runs_total': 4,
                    'drive_written_bytes_total': 5, 'drive_read_bytes_total': 5, 'drive_uncorrected_errors_total': 6}


def is_of(claim, page, family=None):
    return claim.page == page and (family is None or claim.family == family)


def error_parameter(capture, claim):
    """The counter's bytes on page 02h, 03h or 05h; b'' where it is not there."""
    code = METHODS.get(claim.labels.get('method'), ERROR_PARAMETERS.get(claim.family))
    return capture.parameters(claim.page).get(code, b'')


def has_long_counter(capture, claim, ours):
    if claim.page not in ERROR_PAGES or claim.value != 0:
        return False
    counter = error_parameter(capture, claim)
    return len(counter) > 8 and ours == float(int.from_bytes(counter[-8:], 'big'))


def is_saturated(capture, claim, ours):
    """But for wear, whose FFh stands for more."""
    return ours is None and claim.page != '11' and capture.is_saturated(claim)


def is_missing_counter(capture, claim, ours):
    return claim.page in ERROR_PAGES and claim.value == 0 and ours is None and not error_parameter(capture, claim)


def sense_code(capture):
    """Of page 2Fh, or where that is silent of REQUEST SENSE (fixed or descriptor format)."""
    code, sense = capture.parameters('2f').get(0, b'')[:2], capture.answers.get('request-sense', b'')
    return code if code[:1] != b'\0' else sense[2:4] if sense[:1] in (b'\x72', b'\x73') else sense[12:14]


def is_wear_or_test(capture, claim, ours):
    return is_of(claim, '2f', 'drive_warning') and ours == 0 and sense_code(capture) in (b'\x5d\x73', b'\x5d\xff')


def is_warning(capture, claim, ours):
    return is_of(claim, '2f', 'drive_warning') and ours == 0 and sense_code(capture)[:1] == b'\x0b'


def is_without_exceptions_page(capture, claim, ours):
    return is_of(claim, '2f', 'drive_warning') and ours is None and '2f' not in capture.pages


# What half of the last digit printed is in our units
ROUNDING = {
    'drive_written_bytes_total': 500000, 'drive_read_bytes_total': 500000, 'drive_power_on_seconds_total': 18,
    'drive_scsi_background_scan_progress_ratio': 0.00005,
}


def is_rounded(capture, claim, ours):
    slack = ROUNDING.get(claim.family, 0) * 1.001
    return ours is not None and isinstance(claim.value, float) and abs(ours - claim.value) <= slack


def is_progress_of_no_scan(capture, claim, ours):
    status = capture.parameters('15').get(0, bytes(12))[5]
    return claim.family == 'drive_scsi_background_scan_progress_ratio' and ours is None and status not in (1, 2)


def is_unknown_count(capture, claim, ours):
    return claim.family == 'drive_scsi_background_medium_scans_total' and ours is None and claim.value == 0


def is_statistics_unread(capture, claim, ours):
    """sg_logs cannot read page 19h then, so here its eight bytes are."""
    at = {'drive_written_bytes_total': 16, 'drive_read_bytes_total': 24}.get(claim.family)
    if 3 in capture.parameters('19') or 1 not in capture.parameters('19') or claim.page not in ERROR_PAGES:
        return False
    if claim.family == 'drive_source_info':
        return ours is None
    blocks = int.from_bytes(capture.parameters('19')[1][at:at + 8], 'big') if at else 0
    return ours is not None and ours == blocks * capture.said['block']


def is_motion_without_mechanics(capture, claim, ours):
    return claim.family.startswith('drive_mechanical_cycles_') and ours is None and capture.is_solid_state


def is_rating_of_zero(capture, claim, ours):
    return claim.family == 'drive_mechanical_cycles_rated' and ours is None and claim.value == 0


def is_running_test(capture, claim, ours):
    return claim.family == 'drive_self_test_power_on_seconds' and ours is None and \
        capture.parameters('10').get(1, bytes(16))[0] & 0xf == 0xf


def is_overrun_hours(capture, claim, ours):
    return claim.family == 'drive_self_test_power_on_seconds' and ours is None and claim.value == 0xffff * 3600


def is_unknown_rate(capture, claim, ours):
    return claim.family == 'drive_link_speed_bits_per_second' and claim.value == 'reserved [12]' and ours == 22.5e9


# Vendor pages, and whose form the tools take them for
MAKERS = {'30': ('hgst',), '37': ('seagate',), '3e': ('seagate', 'hgst')}


def is_page_of_others(capture, claim, ours):
    """smartctl's power-on time is of 3Eh where it is of no other page."""
    page = '3e' if claim.page is None and claim.family == 'drive_power_on_seconds_total' else claim.page
    return ours is None and page in capture.pages and capture.maker not in MAKERS.get(page, (capture.maker,))


def is_cache_page_of_hgst(capture, claim, ours):
    return is_page_of_others(capture, claim, ours) and claim.page == '37' and capture.maker == 'hgst'


def is_seek_without_mechanics(capture, claim, ours):
    return claim.family == 'drive_scsi_seeks_total' and ours is None and capture.is_solid_state


def is_finer_wear(capture, claim, ours):
    """The tools cannot read it, so here its four bytes are."""
    page = capture.answers.get('log-sense page=3c parameter=8004', b'')
    if capture.maker != 'seagate' or page[4:8] != b'\x80\x04\x03\x04':
        return False
    if claim.family == 'drive_source_info':
        return claim.labels['quantity'] == 'wear' and ours is None
    return claim.family == 'drive_endurance_used_ratio' and ours == int.from_bytes(page[8:12], 'big') / 1000000


def is_numbered_otherwise(capture, claim, ours):
    kinds = {CONDITIONS.get(value[:2].hex()) for code, value in capture.parameters('2f').items() if code}
    return claim.page == BY_NUMBER and (ours is not None or claim.labels['kind'] not in kinds)


def is_humidity_unknown(capture, claim, ours):
    return is_of(claim, '0d/01') and 'humidity' in claim.family and ours is None and claim.value == 2.55


def is_no_sensor(capture, claim, ours):
    return claim.family == 'drive_temperature_celsius' and ours is None and claim.value == 0 and \
        '0d' not in capture.pages


def is_sense_instead(capture, claim, ours):
    return is_of(claim, '2f', 'drive_scsi_informational_exception') and ours is None and \
        claim.labels == {'asc': '00', 'ascq': '00'} and sense_code(capture)[:1] in (b'\x5d', b'\x0b')


def is_trip_of_exceptions(capture, claim, ours):
    return claim.family == 'drive_temperature_limit_celsius' and ours is None and \
        '0d' not in capture.pages and '2f' in capture.pages


def is_temperature_of_nothing(capture, claim, ours):
    return claim.family in ('drive_temperature_celsius', 'drive_temperature_limit_celsius') and claim.value == 0 and \
        '0d' not in capture.pages and capture.parameters('2f').get(0, b'\0\0\xff')[2:3] != b'\0'


def is_no_date(capture, claim, ours):
    date = capture.parameters('0e').get(1, b'').decode('latin-1')
    return claim.family.startswith('drive_manufacture') and ours is None and \
        not (date.isdigit() and 1980 <= int(date[:4]) <= 2099 and 1 <= int(date[4:6]) <= 53)


def is_other_factory_page(capture, claim, ours):
    codes = set(capture.parameters('3e'))
    return is_of(claim, '3e') and ours is None and not ({0, 8} <= codes and len(codes) <= 6)


def is_long_list(capture, claim, ours):
    """smartctl reads no more of it."""
    codes = [code for code in capture.parameters('15') if 1 <= code <= LIST_LAST]
    return claim.family == 'drive_scsi_background_scan_errors' and ours is not None and len(codes) > 671 and \
        claim.value <= ours


def is_fate_of_none(capture, claim, ours):
    return claim.family == 'drive_scsi_background_scan_errors' and ours is None and claim.value == 0 and \
        capture.is_solid_state


def is_threshold_of_none(capture, claim, ours):
    return claim.family == 'drive_scsi_exception_threshold_ratio' and ours is None and claim.value == 0


def is_cut(capture, claim, ours):
    return ours is None and capture.is_cut(claim.page)


def is_volume(capture, claim, ours):
    return ours is None and claim.page == 'b1' and capture.drive.metrics.all('drive_info', kind='virtual')


def is_asleep(capture, claim, ours):
    return ours is None and capture.is_asleep


# ---- the rows, by page and field; of those that explain a difference the first counts

ROWS = (
    ('02h, 03h, 05h', 'a counter of more than 8 bytes', CAPTURES, has_long_counter),
    ('all', 'a counter at all ones', CAPTURES, is_saturated),
    ('02h, 03h, 05h', 'a parameter that the page does not have', CAPTURES, is_missing_counter),
    ('02h, 03h, 15h, 3Eh', 'bytes, progress, power-on time', CAPTURES, is_rounded),
    ('2Fh', 'sense codes 5Dh/73h and 5Dh/FFh', CAPTURES, is_wear_or_test),
    ('2Fh', 'sense code 0Bh, a warning', CAPTURES, is_warning),
    ('2Fh', 'a drive without this page', CAPTURES, is_without_exceptions_page),
    ('2Fh', 'sense code 00h, while REQUEST SENSE has 5Dh or 0Bh', CAPTURES, is_sense_instead),
    ('0Dh', 'a drive that does not have this page, or does not answer it', CAPTURES, is_temperature_of_nothing),
    ('2Fh', 'temperature 0, on a drive without page 0Dh', CAPTURES, is_no_sensor),
    ('2Fh', 'the byte after the temperature, on a drive without page 0Dh', CAPTURES, is_trip_of_exceptions),
    ('2Fh', 'a threshold of 0, of conditions of Hitachi and HGST drives', CAPTURES, is_threshold_of_none),
    ('2Fh', 'conditions of Hitachi and HGST drives, 0001h and above', CAPTURES, is_numbered_otherwise),
    ('0Dh/01h', 'relative humidity FFh', CAPTURES, is_humidity_unknown),
    ('0Eh', 'cycles of a solid-state drive', CAPTURES, is_motion_without_mechanics),
    ('0Eh', 'a date of manufacture that is none, as week 00', CAPTURES, is_no_date),
    ('0Eh', 'specified cycles of 0', CAPTURES, is_rating_of_zero),
    ('10h', 'hours of a self-test that still runs', CAPTURES, is_running_test),
    ('10h', 'hours FFFFh', CAPTURES, is_overrun_hours),
    ('15h', 'progress while no scan runs', CAPTURES, is_progress_of_no_scan),
    ('15h', '0 background medium scans', CAPTURES, is_unknown_count),
    ('15h', 'more than 671 errors, which fill 16 KiB', NOWHERE, is_long_list),
    ('15h', 'kinds of scan errors that a solid-state drive has none of', CAPTURES, is_fate_of_none),
    ('18h', 'link rate code Ch', CAPTURES, is_unknown_rate),
    ('37h', 'of HGST drives', CAPTURES, is_cache_page_of_hgst),
    ('30h, 37h, 3Eh', 'pages of a vendor whom the tool does not know', CAPTURES, is_page_of_others),
    ('19h', 'without a time interval, 0003h', CAPTURES, is_statistics_unread),
    ('3Eh', 'without 0000h and 0008h, or with more than four parameters besides', CAPTURES, is_other_factory_page),
    ('3Ch', "wear of Seagate's solid-state drives, 8004h", CAPTURES, is_finer_wear),
    ('30h', 'seeks of a solid-state drive', CAPTURES, is_seek_without_mechanics),
    ('all', 'a page of which less came than its header says', CAPTURES, is_cut),
    ('B1h', 'volume of a RAID controller', CORPUS, is_volume),
    ('all', 'a sleeping drive', CAPTURES, is_asleep),
)
