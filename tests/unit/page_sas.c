/* page/: SAS pages whose values need more than a row: clocks, lists, codes, vendors. The numbers are worked out by hand from
 * the layouts of SPC, SBC and SPL. */
#include "page_common.h"

#include <math.h>
#include <string.h>

#include "page/scsi_exception_codes.h"
#include "page/scsi_vendor.h"

#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof (const uint8_t[]){ __VA_ARGS__ }

static const struct drive_facts blank;

static void assert_decodes(const struct page *page, const uint8_t *raw, size_t n, const struct drive_facts *facts,
			   struct collect *c)
{
	struct fail f = decode_exactly(page, raw, n, facts, c);

	if (failed(f))
		fail_msg("%s: %s", f.what, f.detail);
}

/* ---- 19h: the drive's own clock */

enum { STATISTICS_BYTES = 96 };

static size_t statistics_of(uint8_t *raw, uint32_t exponent, uint32_t integer)
{
	memset(raw, 0, STATISTICS_BYTES);
	memcpy(raw, (const uint8_t[]){ 0x19, 0, 0, STATISTICS_BYTES - 4, 0, 1, 3, 64 }, 8);
	raw[8 + 7] = 200;				/* reads */
	raw[8 + 15] = 100;				/* writes */
	raw[8 + 23] = 3;				/* blocks received */
	raw[8 + 31] = 5;				/* blocks transmitted */
	memset(raw + 8 + 32, 0xff, 7);			/* read intervals: 2^64 - 2^8 */
	raw[8 + 47] = 250;				/* write intervals */
	memcpy(raw + 72, (const uint8_t[]){ 0, 2, 3, 8 }, 4);
	raw[76 + 7] = 7;				/* idle intervals */
	memcpy(raw + 84, (const uint8_t[]){ 0, 3, 3, 8 }, 4);
	for (size_t i = 0; i < 4; i++) {
		raw[88 + i] = (uint8_t)(exponent >> 8 * (3 - i));
		raw[92 + i] = (uint8_t)(integer >> 8 * (3 - i));
	}
	return STATISTICS_BYTES;
}

static void intervals_become_seconds_without_an_overflow(void **state)
{
	const struct drive_facts facts = { .logical_block = 520 };
	uint8_t raw[STATISTICS_BYTES];
	struct collect c;

	collect_begin(&c);
	assert_decodes(&scsi_statistics, raw, statistics_of(raw, 9, 5), &facts, &c);	/* 5 ns */
	/* (2^64 - 2^8) x 5 ns = 92233720368.5477568 s: the product has 67 bits */
	assert_sample(&c, 92233720368.5477568, drive_internal_seconds_total, "read");
	assert_sample(&c, 1.25e-6, drive_internal_seconds_total, "write");
	assert_sample(&c, 35e-9, drive_internal_idle_seconds_total);
	assert_sample(&c, 200, drive_internal_commands_total, "read");
	assert_sample(&c, 100, drive_internal_commands_total, "write");
	assert_sample(&c, 3 * 520, drive_written_bytes_total);
	assert_sample(&c, 5 * 520, drive_read_bytes_total);
	assert_decodes(&scsi_statistics, raw, statistics_of(raw, 0, UINT32_MAX), &facts, &c);
	assert_sample(&c, 250.0 * UINT32_MAX, drive_internal_seconds_total, "write");
	assert_decodes(&scsi_statistics, raw, statistics_of(raw, 18, 1), &facts, &c);
	assert_sample(&c, 250e-18, drive_internal_seconds_total, "write");
	memset(raw + 8, 0xff, 8);	/* reads are not counted: their time belongs to nothing */
	assert_decodes(&scsi_statistics, raw, sizeof raw, &facts, &c);
	assert_no_sample(&c, drive_internal_commands_total, "read");
	assert_no_sample(&c, drive_internal_seconds_total, "read");
	assert_sample(&c, 250e-18, drive_internal_seconds_total, "write");
	collect_end(&c);
}

static void a_clock_that_is_none_gives_no_seconds(void **state)
{
	static const struct { uint32_t exponent, integer; } clocks[] = { { 6, 0 }, { 19, 1 }, { UINT32_MAX, 1 } };
	uint8_t raw[STATISTICS_BYTES];
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		size_t n = statistics_of(raw, clocks[i].exponent, clocks[i].integer);

		assert_decodes(&scsi_statistics, raw, n, &blank, &c);
		assert_int_equal(c.set.n, 2);	/* commands; blocks of unknown size are no bytes */
		assert_sample(&c, 200, drive_internal_commands_total, "read");
	}
	collect_end(&c);
}

/* ---- 15h: a list that may be cut */

static const uint8_t scan[] = {
	0x15, 0, 0, 16 + 3 * 24,
	0, 0, 3, 12, 0, 0, 0, 90, 0, 1, 0, 7, 0x40, 0, 0, 0,		/* 90 minutes; medium scan, 7 scans, a quarter of it */
	0, 1, 3, 20, 0, 0, 0, 1, 0x13, 0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9,
	0, 2, 3, 20, 0, 0, 0, 2, 0x53, 0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8,
	0, 3, 3, 20, 0, 0, 0, 3, 0x93, 0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7,
};

static void scan_errors_are_counted_by_what_became_of_them(void **state)
{
	static const struct drive_facts disk = { .rpm = 7200 };
	struct collect c;

	collect_begin(&c);
	assert_decodes(&scsi_background_scan, scan, sizeof scan, &disk, &c);
	assert_sample(&c, 90 * 60, drive_power_on_seconds_total);
	assert_sample(&c, 7, drive_scsi_background_scans_total);
	assert_sample(&c, 0.25, drive_scsi_background_scan_progress_ratio);
	assert_sample(&c, 1, drive_scsi_background_scan_info, "medium_scan");
	assert_no_sample(&c, drive_scsi_background_medium_scans_total, NULL);
	assert_sample(&c, 1, drive_scsi_background_scan_errors, "pending");
	assert_sample(&c, 1, drive_scsi_background_scan_errors, "rewritten");
	assert_sample(&c, 1, drive_scsi_background_scan_errors, "other");	/* 9 is reserved */
	assert_sample(&c, 0, drive_scsi_background_scan_errors, "reassigned");
	assert_decodes(&scsi_background_scan, scan, sizeof scan, &blank, &c);	/* solid state */
	assert_no_sample(&c, drive_scsi_background_scan_errors, "reassigned");
	assert_sample(&c, 1, drive_scsi_background_scan_errors, "pending");
	collect_end(&c);
}

static void of_a_list_cut_short_the_status_stands_and_nothing_is_counted(void **state)
{
	static const struct drive_facts disk = { .rpm = 7200 };
	struct collect c;

	collect_begin(&c);
	for (size_t n = 0; n < sizeof scan; n++) {
		struct fail f = decode_exactly(&scsi_background_scan, scan, n, &disk, &c);

		assert_true(failed(f) == (n < 20));
		if (!failed(f)) {
			assert_sample(&c, 90 * 60, drive_power_on_seconds_total);
			assert_no_sample(&c, drive_scsi_background_scan_errors, "pending");
		}
	}
	collect_end(&c);
}

/* ---- 18h */

static void each_phy_of_each_port_is_told(void **state)
{
	uint8_t raw[4 + 4 + 4 + 48 + 60 + 8] = { 0x18, 0, 0, 124, 0, 2, 3, 112, 6, 0, 1, 2 };
	uint8_t *first = raw + 12, *second = first + 48;
	struct collect c;

	collect_begin(&c);
	first[1] = 3;			/* phy 3, of SAS-1: no length */
	first[5] = 0x0a;		/* 6 Gbit/s */
	first[35] = 1;
	memset(first + 36, 0xff, 4);	/* stands still */
	first[43] = 2;
	second[1] = 4;
	second[3] = 56;			/* 60 bytes, the last of them events */
	second[5] = 0x03;		/* spin-up hold: no link */
	second[47] = 9;
	raw[3] = 4 + 4 + 48 + 60;
	raw[7] = 4 + 48 + 60;
	assert_decodes(&scsi_ports, raw, 4u + raw[3], &blank, &c);
	assert_int_equal(c.set.n, 4 + 5);
	assert_string_equal(c.set.at[0].label[0], "2-3");
	assert_string_equal(c.set.at[0].label[1], "invalid_dword");
	assert_string_equal(c.set.at[0].label[2], "drive");
	assert_true(c.set.at[0].value == 1);
	assert_sample(&c, 6e9, drive_link_speed_bits_per_second, "2-3", "drive");
	assert_sample(&c, 0, drive_link_speed_bits_per_second, "2-4", "drive");
	raw[8] = 0;			/* Fibre Channel: another layout */
	assert_decodes(&scsi_ports, raw, 4u + raw[3], &blank, &c);
	assert_int_equal(c.set.n, 0);
	raw[8] = 6;
	raw[11] = 3;			/* more phys than there is room for */
	assert_failed(decode_exactly(&scsi_ports, raw, 4u + raw[3], &blank, &c), "phy descriptor runs past its port");
	collect_end(&c);
}

/* SPL, NEGOTIATED LOGICAL LINK RATE: 0h is not known, 1h to 6h (UNSUPPORTED_PHY_ATTACHED) are reasons for having no link, 7h
 * and those after 22.5 Gbit/s are reserved. */
static const double rate_by_code[16] = { NAN, 0, 0, 0, 0, 0, 0, NAN, 1.5e9, 3e9, 6e9, 12e9, 22.5e9, NAN, NAN, NAN };

static void assert_rate(const struct collect *c, uint8_t code, const char *phy, const char *side)
{
	double rate = collect_value(c, drive_link_speed_bits_per_second, phy, side), expected = rate_by_code[code];

	if (isnan(expected) ? !isnan(rate) : rate != expected)
		fail_msg("code %xh at the %s's side is told as %g", code, side, rate);
}

static void a_phy_is_down_by_six_codes_and_no_other(void **state)
{
	uint8_t port[4 + 4 + 4 + 48] = { 0x18, 0, 0, 56, 0, 1, 3, 52, 6, 0, 0, 1 };
	uint8_t host[18] = { 7 };
	struct page host_phys = scsi_host_phys;
	struct collect c;

	host_phys.place = "0:0:3:0";
	port[12 + 1] = 2;
	port[12 + 3] = 44;
	collect_begin(&c);
	for (uint8_t code = 0; code < ARRAY_SIZE(rate_by_code); code++) {
		port[12 + 5] = 0xf0 | code;	/* REASON stands before it */
		assert_decodes(&scsi_ports, port, sizeof port, &blank, &c);
		assert_rate(&c, code, "1-2", "drive");
		host[1] = code;
		assert_decodes(&host_phys, host, sizeof host, &blank, &c);
		assert_rate(&c, code, "0:0:3:0-7", "host");
	}
	collect_end(&c);
}

static void phys_of_the_host_are_named_by_their_path(void **state)
{
	struct page page = scsi_host_phys;
	struct collect c;

	page.place = "0:0:3:0";
	collect_begin(&c);
	assert_decodes(&page, BYTES(7, 0xb, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff), &blank, &c);
	assert_int_equal(c.set.n, 4);	/* three counters, the speed */
	assert_string_equal(c.set.at[0].label[0], "0:0:3:0-7");
	assert_string_equal(c.set.at[0].label[2], "host");
	assert_true(c.set.at[0].value == 256);
	assert_sample(&c, 12e9, drive_link_speed_bits_per_second, "0:0:3:0-7", "host");
	assert_failed(decode_exactly(&page, BYTES(7, 0xb, 0), &blank, &c), "ends within a phy");
	assert_decodes(&page, NULL, 0, &blank, &c);
	assert_int_equal(c.set.n, 0);
	collect_end(&c);
}

/* ---- 0Dh/01h, 0Dh/02h: humidity */

static const enum metric_family_id extreme = drive_relative_humidity_extreme_ratio;
static const enum metric_family_id limit = drive_relative_humidity_limit_ratio;

static void assert_per_cent(const struct collect *c, uint8_t byte, enum metric_family_id family, const char *label,
			    const char *second)
{
	double value = collect_value(c, family, label, second);

	if (byte <= 100 ? value != (double)byte / 100 : !isnan(value))
		fail_msg("%s%s%s: %u is told as %g", label, second ? ", " : "", second ? second : "", byte, value);
}

/* Each byte goes through all values while its neighbours stand at 40 to 45 per cent. */
static void humidity_above_100_per_cent_is_absent(void **state)
{
	uint8_t report[16] = { 0x4d, 1, 0, 12, 1, 0, 3, 8 }, limits[16] = { 0x4d, 2, 0, 12, 1, 0, 3, 8 };
	struct collect c;

	collect_begin(&c);
	for (unsigned byte = 0; byte <= UINT8_MAX; byte++)
		for (size_t moved = 0; moved < 8; moved++) {
			for (uint8_t i = 0; i < 8; i++)
				report[8 + i] = limits[8 + i] = i == moved ? (uint8_t)byte : 40 + i;
			assert_decodes(&scsi_environment_report, report, sizeof report, &blank, &c);
			assert_per_cent(&c, report[9], drive_relative_humidity_ratio, "drive", NULL);
			assert_per_cent(&c, report[10], extreme, "drive", "highest");
			assert_per_cent(&c, report[11], extreme, "drive", "lowest");
			assert_per_cent(&c, report[12], extreme, "drive", "highest_since_power_on");
			assert_per_cent(&c, report[13], extreme, "drive", "lowest_since_power_on");
			assert_decodes(&scsi_environment_limits, limits, sizeof limits, &blank, &c);
			assert_per_cent(&c, limits[8], limit, "critical", NULL);
			assert_per_cent(&c, limits[11], limit, "low_critical", NULL);
			assert_per_cent(&c, limits[12], limit, "warning", NULL);
			assert_per_cent(&c, limits[15], limit, "low_warning", NULL);
		}
	collect_end(&c);
}

/* ---- READ DEFECT DATA */

static void the_grown_list_is_counted_where_its_format_is_known(void **state)
{
	struct collect c;

	collect_begin(&c);
	assert_decodes(&scsi_grown_defects, BYTES(0, 0x0c, 0, 0x60), &blank, &c);
	assert_sample(&c, 12, drive_grown_defects);
	assert_decodes(&scsi_grown_defects, BYTES(0, 0x0d, 0, 9, 0, 1, 0, 0x10), &blank, &c);	/* (12): 65552 bytes */
	assert_sample(&c, 8194, drive_grown_defects);
	assert_decodes(&scsi_grown_defects, BYTES(0, 0x08, 0, 0x10), &blank, &c);	/* short block format: 4 bytes each */
	assert_sample(&c, 4, drive_grown_defects);
	assert_decodes(&scsi_grown_defects, BYTES(0, 0x0e, 0, 0), &blank, &c);
	assert_sample(&c, 0, drive_grown_defects);
	assert_decodes(&scsi_grown_defects, BYTES(0, 0x0e, 0, 8), &blank, &c);
	assert_int_equal(c.set.n, 0);
	assert_failed(decode_exactly(&scsi_grown_defects, BYTES(0, 0x14, 0, 8), &blank, &c), "is not the grown list");
	assert_failed(decode_exactly(&scsi_grown_defects, BYTES(0, 0x1c, 0, 8), &blank, &c), "is not the grown list");
	assert_failed(decode_exactly(&scsi_grown_defects, BYTES(0, 0x0c, 0, 9), &blank, &c), "ends within a defect");
	for (size_t n = 0; n < 8; n++)
		if (n != 4)
			assert_true(failed(decode_exactly(&scsi_grown_defects, (const uint8_t[8]){ 0, 0x0c, 0, 0, 0, 0, 0, 8 }, n,
							  &blank, &c)));
	collect_end(&c);
}

/* ---- mode pages */

static void mode_pages_are_found_behind_block_descriptors(void **state)
{
	struct collect c;

	collect_begin(&c);
	assert_decodes(&scsi_mode_exceptions, BYTES(0, 26, 0, 0, 0, 0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8,
						    0x9c, 10, 0x18, 6, 0, 0, 0, 0, 0, 0, 0, 1), &blank, &c);
	assert_sample(&c, 0, drive_scsi_exceptions_enabled, "failure");
	assert_sample(&c, 1, drive_scsi_exceptions_enabled, "warning");
	assert_decodes(&scsi_mode_exceptions, BYTES(0, 18, 0, 0, 0, 0, 0, 0, 0x1c, 10, 0, 6, 0, 0, 0, 0, 0, 0, 0, 1), &blank, &c);
	assert_sample(&c, 1, drive_scsi_exceptions_enabled, "failure");
	assert_decodes(&scsi_mode_exceptions, BYTES(0, 18, 0, 0, 0, 0, 0, 0, 0x1c, 10, 0, 0xf0, 0, 0, 0, 0, 0, 0, 0, 1), &blank, &c);
	assert_sample(&c, 0, drive_scsi_exceptions_enabled, "failure");	/* MRIE 0: by no method */
	for (size_t n = 2; n < 12; n++)		/* cut anywhere: nothing of it is read */
		assert_true(failed(decode_exactly(&scsi_mode_exceptions, (const uint8_t[12]){ 0, 26, [7] = 8, 1, 2, 3, 4 }, n, &blank, &c)));
	assert_decodes(&scsi_mode_control, BYTES(0, 18, 0, 0, 0, 0, 0, 0, 0x0a, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0x0e, 0x10), &blank, &c);
	assert_sample(&c, 3600, drive_self_test_duration_seconds, "extended");
	assert_decodes(&scsi_mode_control, BYTES(0, 18, 0, 0, 0, 0, 0, 0, 0x0a, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff), &blank, &c);
	assert_int_equal(c.set.n, 0);
	assert_failed(decode_exactly(&scsi_mode_control, BYTES(0, 8, 0, 0, 0, 0, 0, 0, 0x08, 0), &blank, &c),
		      "answered with another page");
	assert_failed(decode_exactly(&scsi_mode_control, BYTES(0, 8, 0, 0, 0, 0, 0, 2, 0x0a, 0), &blank, &c),
		      "shorter than its header says");
	collect_end(&c);
}

/* ---- exception codes */

static void every_code_has_its_reason_and_words(void **state)
{
	static const struct { uint8_t asc, ascq; const char *reason, *text; } codes[] = {
		{ 0x5d, 0x00, "smart_failing", "failure predicted" },
		{ 0x5d, 0x10, "smart_failing", "failure predicted: hardware, general failure" },
		{ 0x5d, 0x32, "smart_failing", "failure predicted: data channel, error rate of data too high" },
		{ 0x5d, 0x6c, "smart_failing", "failure predicted: firmware, too many calibration retries" },
		{ 0x5d, 0x1d, "smart_failing", "failure predicted: power loss protection" },
		{ 0x5d, 0x2e, "smart_failing", "failure predicted, qualifier 2eh" },
		{ 0x5d, 0x6d, "smart_failing", "failure predicted, qualifier 6dh" },
		{ 0x5d, 0x73, "life_used_up", "rated endurance of the medium is used up" },
		{ 0x0b, 0x01, "hot", "specified temperature exceeded" },
		{ 0x0b, 0x03, "self_test_failed", "background self-test failed" },
		{ 0x0b, 0x06, "backup_failed", "non-volatile cache has become volatile" },
		{ 0x0b, 0x77, "other", "warning, qualifier 77h" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		char text[SCSI_EXCEPTION_TEXT_MAX];

		assert_true(scsi_exception_is_one(codes[i].asc, codes[i].ascq));
		assert_string_equal(scsi_exception_describe(codes[i].asc, codes[i].ascq, text), codes[i].reason);
		assert_string_equal(text, codes[i].text);
		assert_true(scsi_exception_is_failing(codes[i].asc, codes[i].ascq) == !strcmp(codes[i].reason, "smart_failing"));
	}
	assert_false(scsi_exception_is_one(0x5d, 0xff));
	assert_false(scsi_exception_is_one(0x00, 0x00));
	assert_false(scsi_exception_is_one(0x5e, 0x01));
}

static void what_request_sense_reports_counts_where_the_page_is_silent(void **state)
{
	const struct drive_facts facts = { .sense_asc = 0x5d, .sense_ascq = 0x14 };
	struct collect c;

	collect_begin(&c);
	assert_decodes(&scsi_informational_exceptions, BYTES(0x2f, 0, 0, 8, 0, 0, 3, 4, 0, 0, 30, 0), &facts, &c);
	assert_sample(&c, 1, drive_warning, "smart_failing", "fatal");
	assert_sample(&c, 1, drive_scsi_informational_exception, "5d", "14");
	assert_sample(&c, 1, drive_warning_info, "smart_failing", "failure predicted: hardware, too many blocks reassigned");
	assert_decodes(&scsi_informational_exceptions, BYTES(0x2f, 0, 0, 8, 0, 0, 3, 4, 0x0b, 1, 30, 0), &facts, &c);
	assert_sample(&c, 0, drive_warning, "smart_failing", "fatal");	/* the page is not silent */
	assert_sample(&c, 1, drive_warning_info, "hot", "specified temperature exceeded");
	collect_end(&c);
}

static void conditions_of_hgst_are_known_by_their_code_not_by_their_number(void **state)
{
	static const uint8_t raw[] = {
		0x2f, 0, 0, 28, 0, 0, 3, 4, 0, 0, 28, 70,
		0, 3, 3, 4, 0x5d, 0x28, 0, 1,		/* the third here is what others have as the fourth */
		0, 5, 3, 4, 0x0b, 0x06, 1, 0,
		0, 9, 3, 4, 0x5d, 0x99, 1, 1,		/* nobody knows */
	};
	struct drive_facts facts = { .vendor = "HITACHI" };
	struct collect c;
	uint8_t copy[sizeof raw];

	memcpy(copy, raw, sizeof raw);
	copy[3] = sizeof raw - 4;
	collect_begin(&c);
	assert_decodes(&scsi_informational_exceptions, copy, sizeof copy, &facts, &c);
	assert_sample(&c, 1, drive_scsi_exception_tripped, "backup_failure");
	assert_no_sample(&c, drive_scsi_exception_threshold_ratio, "backup_failure");
	assert_sample(&c, 0, drive_scsi_exception_tripped, "cache_volatile");
	assert_sample(&c, 0.01, drive_scsi_exception_threshold_ratio, "cache_volatile");
	assert_int_equal(c.set.n, 3 + 3);
	strcpy(facts.vendor, "TOSHIBA");
	assert_decodes(&scsi_informational_exceptions, copy, sizeof copy, &facts, &c);
	assert_int_equal(c.set.n, 3);
	collect_end(&c);
}

/* ---- who made it */

static void makers_are_known_behind_other_names(void **state)
{
	static const struct { const char *vendor, *model, *wwn; enum scsi_maker maker; } drives[] = {
		{ "SEAGATE", "ST800FM0043", "", MAKER_SEAGATE },
		{ "SEAGATE", "HUSMM8080ASS200", "", MAKER_SEAGATE },	/* the vendor's own word counts first */
		{ "HITACHI", "HUSML4040ASS600", "", MAKER_HGST },
		{ "HGST", "SDLL1DLR016TCAA1", "", MAKER_HGST },
		{ "WDC", "WUSTR6480BSS200", "", MAKER_HGST },
		{ "HUSMM151", "CLAR1600", "", MAKER_HGST },		/* Dell/EMC: the name begins in the vendor field */
		{ "EMC", "HUSMM151 CLAR160", "", MAKER_HGST },
		{ "H4SMR324", "CLAR400", "", MAKER_HGST },
		{ "DELL", "ST600MP0036", "", MAKER_SEAGATE },
		{ "HPE", "MO0400JFFCF", "5000cca04e1b2c3d", MAKER_HGST },	/* nothing but the world wide name tells */
		{ "NETAPP", "X438_1625400MCSG", "5000c500a1b2c3d4", MAKER_SEAGATE },
		{ "NETAPP", "X358_S16433T8ATE", "5002538a1b2c3d40", MAKER_UNKNOWN },
		{ "TOSHIBA", "PX02SMF040", "50000395e8c0b2d0", MAKER_UNKNOWN },
		{ "STEC", "S842E800M2", "5000a72030000000", MAKER_UNKNOWN },
		{ "NETAPP", "X438_1625400MCSG", "6000c500a1b2c3d40000000000000001", MAKER_SEAGATE },	/* NAA 6 */
		{ "HPE", "MO0400JFFCF", "6000cca04e1b2c3d0000000000000001", MAKER_HGST },
		{ "HPE", "LOGICAL VOLUME", "600508b1001c000c50000ccad0000001", MAKER_UNKNOWN },	/* not in that place */
		{ "HPE", "MO0400JFFCF", "3000cca04e1b2c3d", MAKER_UNKNOWN },	/* NAA 3: locally assigned */
		{ "HPE", "MO0400JFFCF", "000ccafffe4e1b2c", MAKER_UNKNOWN },	/* EUI-64 */
		{ "", "", "", MAKER_UNKNOWN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(drives); i++) {
		struct drive_facts facts = { 0 };

		strcpy(facts.vendor, drives[i].vendor);
		strcpy(facts.model, drives[i].model);
		strcpy(facts.wwn, drives[i].wwn);
		if (scsi_maker_of(&facts) != drives[i].maker)
			fail_msg("%s %s is taken for maker %d", drives[i].vendor, drives[i].model, (int)scsi_maker_of(&facts));
	}
}

static void a_vendor_page_of_another_form_gives_nothing(void **state)
{
	/* Seagate's page 37h, asked of a drive that counts as HGST, and the other way round */
	static const uint8_t seagate[] = {
		0x37, 0, 0, 40, 0, 0, 2, 4, 0x4a, 0x92, 0x79, 0xba, 0, 1, 2, 4, 0x71, 0xdd, 0x1f, 0xcd,
		0, 2, 2, 4, 0x6d, 0x2c, 0xda, 0x32, 0, 3, 2, 4, 1, 0x87, 3, 0x91, 0, 4, 2, 4, 0, 0, 0, 5,
	};
	static const struct drive_facts facts = { .logical_block = 512 };
	uint8_t hgst[52] = { 0x37, 0, 0, 48, 0, 0, 3, 44 };
	struct collect c;

	collect_begin(&c);
	assert_decodes(&scsi_hgst_miscellaneous, seagate, sizeof seagate, &facts, &c);
	assert_int_equal(c.set.n, 0);
	assert_decodes(&scsi_seagate_cache, hgst, sizeof hgst, &facts, &c);
	assert_int_equal(c.set.n, 0);
	assert_decodes(&scsi_seagate_cache, seagate, sizeof seagate, &facts, &c);
	assert_sample(&c, 1251113402.0 * 512, drive_scsi_cache_bytes_total, "sent");
	assert_sample(&c, 5, drive_scsi_segment_commands_total, "beyond");
	assert_decodes(&scsi_factory, BYTES(0x3e, 0, 0, 8, 0, 0, 2, 4, 0, 0, 0, 60), &facts, &c);
	assert_int_equal(c.set.n, 0);	/* one known parameter is too few */
	assert_decodes(&scsi_seagate_wear, BYTES(0x3c, 0, 0, 8, 0x80, 4, 3, 4, 0, 6, 0x68, 0xa1), &facts, &c);
	assert_sample(&c, 0.420001, drive_endurance_used_ratio);
	collect_end(&c);
}

static void wear_of_page_3ch_is_of_solid_state_and_of_four_bytes(void **state)
{
	struct drive_facts facts = { .rpm = 0 };
	uint8_t raw[4 + 4 + 8] = { 0x3c, 0, 0, 0, 0x80, 4, 3 };
	struct collect c;

	collect_begin(&c);
	for (uint8_t n = 0; n <= 8; n++) {
		raw[3] = 4 + n;
		raw[7] = n;
		memset(raw + 8, 0, 8);
		memcpy(raw + 8, (const uint8_t[]){ 0, 6, 0x68, 0xa1 }, 4);	/* 420001 */
		assert_decodes(&scsi_seagate_wear, raw, 8u + n, &facts, &c);
		assert_int_equal(c.set.n, n == 4);
		memset(raw + 8, 0, 8);						/* a wider number would end there */
		if (n > 4)
			memcpy(raw + 8 + n - 4, (const uint8_t[]){ 0, 6, 0x68, 0xa1 }, 4);
		assert_decodes(&scsi_seagate_wear, raw, 8u + n, &facts, &c);
		assert_int_equal(c.set.n, n == 4);
	}
	for (size_t i = 0; i < 4; i++) {
		facts.rpm = (const int32_t[]){ -1, 0, 5400, 15000 }[i];		/* not told, none, rotating */
		assert_decodes(&scsi_seagate_wear, BYTES(0x3c, 0, 0, 8, 0x80, 4, 3, 4, 0, 6, 0x68, 0xa1), &facts, &c);
		assert_int_equal(c.set.n, facts.rpm <= 0);
	}
	collect_end(&c);
}

/* Five counters, of which one has n bytes and the others 4: each is its code and 1. */
static size_t cache_page_of(uint8_t *raw, uint8_t odd, uint8_t n)
{
	uint8_t *to = raw + 4;

	for (uint8_t code = 0; code < 5; code++) {
		uint8_t length = code == odd ? n : 4;

		memset(to, 0, 4u + length);
		to[1] = code;
		to[3] = length;
		to[3 + length] = code + 1;
		to += 4 + length;
	}
	memcpy(raw, (const uint8_t[]){ 0x37, 0, 0, (uint8_t)(to - raw - 4) }, 4);
	return (size_t)(to - raw);
}

static void counters_of_seagates_cache_have_8_bytes_at_most(void **state)
{
	static const struct drive_facts facts = { .logical_block = 512 };
	uint8_t raw[4 + 5 * 4 + 4 * 4 + 16];
	struct collect c;

	collect_begin(&c);
	for (uint8_t odd = 0; odd < 5; odd++)
		for (uint8_t n = 8; n <= 16; n++) {
			assert_decodes(&scsi_seagate_cache, raw, cache_page_of(raw, odd, n), &facts, &c);
			assert_int_equal(c.set.n, n == 8 ? 5 : 0);	/* another form: none of the five */
			if (n > 8)
				continue;
			assert_sample(&c, 1 * 512, drive_scsi_cache_bytes_total, "sent");
			assert_sample(&c, 3 * 512, drive_scsi_cache_bytes_total, "read_from_cache");
			assert_sample(&c, 5, drive_scsi_segment_commands_total, "beyond");
		}
	collect_end(&c);
}

/* ---- how often */

enum { ONCE = 0, MINUTE_S = 60, HOUR_S = 60 * MINUTE_S };

/* As the manual page has it: temperature and what may warn every minute, wear, error counters and ports every ten, scans
 * every half hour, lists and identity every hour. Each period is a load on the drive, and how long a value is served. */
static const struct {
	const struct page *page;
	unsigned period_s;
} periods[] = {
	{ &scsi_inquiry, HOUR_S }, { &scsi_read_capacity, HOUR_S },
	{ &scsi_vpd_list, ONCE }, { &scsi_vpd_serial, ONCE }, { &scsi_vpd_identification, ONCE },
	{ &scsi_vpd_characteristics, ONCE }, { &scsi_vpd_extended_inquiry, ONCE }, { &scsi_vpd_provisioning, ONCE },
	{ &sat_identify, ONCE }, { &scsi_log_list, ONCE }, { &scsi_log_list_with_subpages, ONCE },
	{ &scsi_mode_control, ONCE },

	{ &scsi_informational_exceptions, MINUTE_S }, { &scsi_temperature, MINUTE_S }, { &scsi_statistics, MINUTE_S },

	{ &scsi_solid_state, 10 * MINUTE_S }, { &scsi_seagate_wear, 10 * MINUTE_S },
	{ &scsi_hgst_miscellaneous, 10 * MINUTE_S }, { &scsi_seagate_cache, 10 * MINUTE_S },
	{ &scsi_write_errors, 10 * MINUTE_S }, { &scsi_read_errors, 10 * MINUTE_S }, { &scsi_verify_errors, 10 * MINUTE_S },
	{ &scsi_non_medium_errors, 10 * MINUTE_S }, { &scsi_ports, 10 * MINUTE_S },
	{ &scsi_environment_report, 10 * MINUTE_S }, { &scsi_cache_statistics, 10 * MINUTE_S },

	{ &scsi_background_scan, 30 * MINUTE_S }, { &scsi_pending_defects, 30 * MINUTE_S },
	{ &scsi_host_phys, 30 * MINUTE_S }, { &ata_host_phys, 30 * MINUTE_S },

	{ &scsi_grown_defects, HOUR_S }, { &scsi_format_status, HOUR_S }, { &scsi_self_tests, HOUR_S },
	{ &scsi_start_stop, HOUR_S }, { &scsi_utilization, HOUR_S }, { &scsi_power_transitions, HOUR_S },
	{ &scsi_factory, HOUR_S }, { &scsi_hgst_performance, HOUR_S }, { &scsi_mode_exceptions, HOUR_S },

	{ &scsi_environment_limits, 6 * HOUR_S },
};

static void every_page_is_read_as_often_as_was_decided(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(periods); i++)
		if (periods[i].page->period_s != periods[i].period_s)
			fail_msg("%s every %u s", periods[i].page->name, periods[i].page->period_s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_become_seconds_without_an_overflow),
		cmocka_unit_test(a_clock_that_is_none_gives_no_seconds),
		cmocka_unit_test(scan_errors_are_counted_by_what_became_of_them),
		cmocka_unit_test(of_a_list_cut_short_the_status_stands_and_nothing_is_counted),
		cmocka_unit_test(each_phy_of_each_port_is_told),
		cmocka_unit_test(a_phy_is_down_by_six_codes_and_no_other),
		cmocka_unit_test(phys_of_the_host_are_named_by_their_path),
		cmocka_unit_test(humidity_above_100_per_cent_is_absent),
		cmocka_unit_test(the_grown_list_is_counted_where_its_format_is_known),
		cmocka_unit_test(mode_pages_are_found_behind_block_descriptors),
		cmocka_unit_test(every_code_has_its_reason_and_words),
		cmocka_unit_test(what_request_sense_reports_counts_where_the_page_is_silent),
		cmocka_unit_test(conditions_of_hgst_are_known_by_their_code_not_by_their_number),
		cmocka_unit_test(makers_are_known_behind_other_names),
		cmocka_unit_test(a_vendor_page_of_another_form_gives_nothing),
		cmocka_unit_test(wear_of_page_3ch_is_of_solid_state_and_of_four_bytes),
		cmocka_unit_test(counters_of_seagates_cache_have_8_bytes_at_most),
		cmocka_unit_test(every_page_is_read_as_often_as_was_decided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
