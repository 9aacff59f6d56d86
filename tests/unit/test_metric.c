/* metric/: the text format 0.0.4, numbers, the list of families. */
#include "unit.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric/exposition.h"

#define LABELS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void exposition_freep(struct exposition **e)
{
	exposition_free(*e);
}

#define AUTO_EXPOSITION CLEANUP(exposition_freep) struct exposition *

static void assert_text(struct exposition *e, const char *expected)
{
	assert_string_equal(exposition_text(e)->at, expected);
	assert_int_equal(exposition_text(e)->length, strlen(expected));
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *s = text; (s = strstr(s, what)); s++)
		n++;
	return n;
}

static void every_type_is_written_as_the_formats_say(void **state)
{
	AUTO_EXPOSITION e = exposition_new(0);

	exposition_begin(e, drive_device_info);
	exposition_sample(e, "X_1", LABELS("nvme0n1", "1"), 1);
	exposition_begin(e, drive_temperature_celsius);
	exposition_sample(e, "X_1", LABELS("composite"), 36.5);
	exposition_sample(e, "X_1", LABELS("1"), -3);
	exposition_begin(e, drive_power_cycles_total);
	exposition_sample(e, "X_1", NULL, 17);
	exposition_begin(e, process_open_fds);
	exposition_sample(e, NULL, NULL, 9);
	assert_text(e,
		    "drive_device_info{drive=\"X_1\",device=\"nvme0n1\",nsid=\"1\"} 1\n"
		    "drive_temperature_celsius{drive=\"X_1\",sensor=\"composite\"} 36.5\n"
		    "drive_temperature_celsius{drive=\"X_1\",sensor=\"1\"} -3\n"
		    "drive_power_cycles_total{drive=\"X_1\"} 17\n"
		    "process_open_fds 9\n");
}

static void a_histogram_adds_its_buckets_up(void **state)
{
	AUTO_EXPOSITION e = exposition_new(0);
	const double bounds[] = { 0.001, 0.25, 4 };
	const uint64_t counts[] = { 2, 0, 3, UINT64_C(9007199254740993) };

	exposition_begin(e, drive_exporter_command_seconds);
	exposition_histogram(e, LABELS("nvme"), bounds, counts, 3, 12.75);
	exposition_histogram(e, NULL, bounds, counts, 0, 0);
	exposition_histogram(e, LABELS("nvme"), bounds, counts, 3, 13);
	assert_text(e,
		    "drive_exporter_command_seconds_bucket{transport=\"nvme\",le=\"0.001\"} 2\n"
		    "drive_exporter_command_seconds_bucket{transport=\"nvme\",le=\"0.25\"} 2\n"
		    "drive_exporter_command_seconds_bucket{transport=\"nvme\",le=\"4.0\"} 5\n"
		    "drive_exporter_command_seconds_bucket{transport=\"nvme\",le=\"+Inf\"} 9007199254740998\n"
		    "drive_exporter_command_seconds_sum{transport=\"nvme\"} 12.75\n"
		    "drive_exporter_command_seconds_count{transport=\"nvme\"} 9007199254740998\n"
		    "drive_exporter_command_seconds_bucket{le=\"+Inf\"} 2\n"
		    "drive_exporter_command_seconds_sum 0\n"
		    "drive_exporter_command_seconds_count 2\n");
	assert_int_equal(exposition_duplicates(e), 1);
}

static void a_family_without_a_sample_leaves_no_trace(void **state)
{
	AUTO_EXPOSITION e = exposition_new(0);

	exposition_begin(e, drive_up);
	exposition_begin(e, drive_present);
	exposition_sample(e, "a", NULL, NAN);	/* unknown is absent */
	exposition_begin(e, drive_capacity_bytes);
	exposition_sample(e, "a", NULL, 512);
	assert_text(e, "drive_capacity_bytes{drive=\"a\"} 512\n");
}

static void a_family_begun_again_at_once_goes_on(void **state)
{
	AUTO_EXPOSITION e = exposition_new(0);

	for (int i = 0; i < 2; i++) {
		exposition_begin(e, drive_up);
		exposition_sample(e, i ? "a" : "b", NULL, 1);
		exposition_sample(e, "b", NULL, 1);
	}
	assert_int_equal(exposition_duplicates(e), 2);
}

static void hostile_labels_stay_inside_their_quotes(void **state)
{
	AUTO_EXPOSITION e = exposition_new(0);

	exposition_begin(e, drive_device_info);
	exposition_sample(e, "a\"} 1\ndrive_up{drive=\"b", LABELS("c:\\\\x\\n", "\xff\xc3\xa4\x01\x7f"), 1);
	assert_non_null(strstr(exposition_text(e)->at,
			       "drive_device_info{drive=\"a\\\"} 1\xef\xbf\xbd" "drive_up{drive=\\\"b\","
			       "device=\"c:\\\\\\\\x\\\\n\","
			       "nsid=\"\xef\xbf\xbd\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd\"} 1\n"));
	assert_int_equal(count(exposition_text(e)->at, "\n"), 1);
}

static void any_byte_can_stand_in_a_label(void **state)
{
	AUTO_EXPOSITION e = exposition_new(0);
	char all[256];

	for (int i = 0; i < 255; i++)
		all[i] = (char)(i + 1);
	all[255] = 0;
	exposition_begin(e, drive_info);
	exposition_sample(e, all, LABELS(all, all, all, all, all, all, all, all, all, all), 1);
	assert_int_equal(count(exposition_text(e)->at, "\n"), 1);
	assert_int_equal(count(exposition_text(e)->at, "\\\""), 11);
	assert_non_null(strstr(exposition_text(e)->at, "\"} 1\n"));
}

static void an_empty_label_is_a_missing_one(void **state)
{
	AUTO_EXPOSITION e = exposition_new(0);

	exposition_begin(e, drive_device_info);
	exposition_sample(e, "a", LABELS("sda", ""), 1);
	exposition_sample(e, "a", LABELS("sda"), 1);
	exposition_sample(e, "a", LABELS("", "1"), 1);
	exposition_sample(e, "a", LABELS("b", "1", "more than the family has"), 1);
	assert_int_equal(exposition_duplicates(e), 1);
	assert_non_null(strstr(exposition_text(e)->at,
			       "drive_device_info{drive=\"a\",device=\"sda\"} 1\n"
			       "drive_device_info{drive=\"a\",nsid=\"1\"} 1\n"
			       "drive_device_info{drive=\"a\",device=\"b\",nsid=\"1\"} 1\n"));
	assert_null(strstr(exposition_text(e)->at, "more than"));
}

/* The first stays: it came first, and a later one must not change what was said. */
static void a_duplicate_is_dropped_and_counted(void **state)
{
	AUTO_EXPOSITION e = exposition_new(0);

	for (int scrape = 1; scrape <= 3; scrape++) {
		exposition_reset(e);
		exposition_begin(e, drive_up);
		exposition_sample(e, "a", NULL, 1);
		exposition_sample(e, "b", NULL, 1);
		exposition_sample(e, "a", NULL, 0);
		exposition_begin(e, drive_present);
		exposition_sample(e, "a", NULL, 1);	/* another family, another series */
		assert_int_equal(exposition_duplicates(e), scrape);
		assert_int_equal(count(exposition_text(e)->at, "drive=\"a\"} 1\n"), 2);
		assert_int_equal(count(exposition_text(e)->at, "drive=\"a\"} 0\n"), 0);
	}
}

static void many_series_are_all_told_apart(void **state)
{
	enum { DRIVES = 20000 };
	AUTO_EXPOSITION e = exposition_new(0);

	for (int scrape = 1; scrape <= 2; scrape++) {
		char drive[32];

		exposition_reset(e);
		exposition_begin(e, drive_temperature_celsius);
		for (int i = 0; i < 2 * DRIVES; i++) {
			snprintf(drive, sizeof drive, "MODEL_%d", i % DRIVES);
			exposition_sample(e, drive, LABELS("1"), i);
		}
		assert_int_equal(exposition_duplicates(e), scrape * DRIVES);
		assert_int_equal(count(exposition_text(e)->at, "\n"), DRIVES);
	}
}

static void a_full_text_ends_with_a_whole_line(void **state)
{
	AUTO_EXPOSITION whole = exposition_new(0);
	const double bounds[] = { 1, 2 };
	const uint64_t counts[] = { 1, 2, 3 };

	for (size_t limit = 0; limit == 0 || exposition_text(whole)->length >= limit; limit++) {
		AUTO_EXPOSITION limited = exposition_new(limit);
		struct exposition *e = limit ? limited : whole;
		const struct text *text = exposition_text(e);

		exposition_begin(e, drive_up);
		exposition_sample(e, "a", NULL, 1);
		exposition_sample(e, "a drive with a much longer name", NULL, 1);
		exposition_sample(e, "b", NULL, 1);
		exposition_begin(e, drive_exporter_command_seconds);
		exposition_histogram(e, NULL, bounds, counts, 2, 3);
		exposition_begin(e, process_open_fds);
		exposition_sample(e, NULL, NULL, 9);
		if (!limit)
			continue;
		assert_true(text->length <= limit);
		assert_true(text->truncated == (limit < exposition_text(whole)->length));
		assert_memory_equal(text->at, exposition_text(whole)->at, text->length);
		assert_int_equal(text->at[text->length], 0);
		if (!text->length)
			continue;
		assert_int_equal(text->at[text->length - 1], '\n');
		/* No piece of a histogram. */
		assert_int_equal(count(text->at, "_bucket"), 3 * count(text->at, "_count 6\n"));
	}
}

static void a_reset_makes_a_full_text_usable_again(void **state)
{
	AUTO_EXPOSITION e = exposition_new(200);

	for (int i = 0; i < 2; i++) {
		exposition_begin(e, drive_up);
		assert_true(!exposition_text(e)->length);
		exposition_sample(e, "a", NULL, 1);
		assert_true(exposition_text(e)->length > 0);
		for (int drive = 0; drive < 10; drive++)
			exposition_sample(e, (char[]){ (char)('b' + drive), 0 }, NULL, 1);
		assert_true(exposition_text(e)->truncated);
		exposition_reset(e);
		assert_false(exposition_text(e)->truncated);
	}
}

static void assert_number(double value, const char *expected)
{
	char out[EXPOSITION_NUMBER_MAX];

	assert_string_equal(exposition_number(value, out), expected);
}

static void assert_header(enum metric_family_id family, enum exposition_format format, const char *expected)
{
	AUTO_TEXT out = TEXT_LIMIT(0);

	exposition_header(family, format, &out);
	assert_string_equal(out.at, expected);
}

static void each_format_has_its_own_headers(void **state)
{
	assert_header(drive_power_cycles_total, EXPOSITION_TEXT,
		      "# HELP drive_power_cycles_total Times the drive was powered on.\n# TYPE drive_power_cycles_total counter\n");
	assert_header(drive_power_cycles_total, EXPOSITION_OPENMETRICS,
		      "# HELP drive_power_cycles Times the drive was powered on.\n# TYPE drive_power_cycles counter\n");
	assert_header(process_open_fds, EXPOSITION_OPENMETRICS,
		      "# HELP process_open_fds Open file descriptors of the exporter.\n# TYPE process_open_fds gauge\n");
	assert_header(drive_exporter_command_seconds, EXPOSITION_OPENMETRICS,
		      "# HELP drive_exporter_command_seconds How long our own commands to the drives took.\n"
		      "# TYPE drive_exporter_command_seconds histogram\n");
	assert_header(drive_device_info, EXPOSITION_TEXT,
		      "# HELP drive_device_info A block device of this drive; nsid is the NVMe namespace.\n"
		      "# TYPE drive_device_info gauge\n");
	assert_header(drive_device_info, EXPOSITION_OPENMETRICS,
		      "# HELP drive_device A block device of this drive; nsid is the NVMe namespace.\n"
		      "# TYPE drive_device info\n");
}

/* drive_warning_info without _info is drive_warning, which is another family. */
static void no_two_families_share_a_name_in_openmetrics(void **state)
{
	char names[N_METRIC_FAMILIES][128];

	for (enum metric_family_id family = 0; family < N_METRIC_FAMILIES; family++) {
		AUTO_TEXT out = TEXT_LIMIT(0);

		exposition_header(family, EXPOSITION_OPENMETRICS, &out);
		assert_int_equal(sscanf(strstr(out.at, "# TYPE "), "# TYPE %127s", names[family]), 1);
		for (enum metric_family_id other = 0; other < family; other++)
			assert_string_not_equal(names[family], names[other]);
	}
	assert_string_equal(names[drive_warning_info], "drive_warning_info");
	assert_string_equal(names[drive_info], "drive");
}

/* What comes of another subject stands behind, family by family again. */
static void another_subject_begins_anew(void **state)
{
	AUTO_EXPOSITION e = exposition_new(0);

	for (int i = 0; i < 2; i++) {
		exposition_again(e);
		exposition_begin(e, drive_up);
		exposition_sample(e, i ? "b" : "a", NULL, 1);
		exposition_begin(e, drive_present);
		exposition_sample(e, i ? "b" : "a", NULL, 1);
	}
	assert_text(e, "drive_up{drive=\"a\"} 1\ndrive_present{drive=\"a\"} 1\n"
		       "drive_up{drive=\"b\"} 1\ndrive_present{drive=\"b\"} 1\n");
}

static void numbers_are_short_and_exact(void **state)
{
	assert_number(0, "0");
	assert_number(-0.0, "0");
	assert_number(1, "1");
	assert_number(-1, "-1");
	assert_number(16579274242048000, "16579274242048000");
	assert_number(9007199254740993.0, "9007199254740992");
	assert_number(9223372036854774784.0, "9223372036854774784");	/* the last below 2^63 */
	assert_number(-9223372036854774784.0, "-9223372036854774784");
	assert_number(9223372036854775808.0, "9.223372036854776e+18");
	assert_number(0.1, "0.1");
	assert_number(0.1 + 0.2, "0.30000000000000004");
	assert_number(36.5, "36.5");
	assert_number(-273.15, "-273.15");
	assert_number(0.000001, "1e-06");
	assert_number(0.0001, "0.0001");
	assert_number(1234567.000001, "1234567.000001");
	assert_number(1732977303.123456, "1732977303.123456");
	assert_number(0.99, "0.99");
	assert_number(1e22, "1e+22");
	assert_number(DBL_MAX, "1.7976931348623157e+308");
	assert_number(4.9406564584124654e-324, "5e-324");
	assert_number(INFINITY, "+Inf");
	assert_number(-INFINITY, "-Inf");
	assert_number(NAN, "NaN");
}

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Reads back equal, and no decimal with fewer digits does. */
static void assert_round_trip(double value)
{
	char out[EXPOSITION_NUMBER_MAX], shorter[400];
	int digits = 0;

	exposition_number(value, out);
	assert_true(strtod(out, NULL) == value);
	assert_true(strlen(out) < sizeof out);
	if (fabs(value) < 9223372036854775808.0 && value == trunc(value)) {
		snprintf(shorter, sizeof shorter, "%.0f", value);
		assert_string_equal(out, value == 0 ? "0" : shorter);
		return;
	}
	for (const char *s = out + strspn(out, "-0."); *s && *s != 'e'; s++)
		digits += *s != '.';
	if (digits < 2)
		return;
	snprintf(shorter, sizeof shorter, "%.*g", digits - 1, value);
	assert_true(strtod(shorter, NULL) != value);
}

static void random_numbers_read_back_as_they_were(void **state)
{
	uint64_t x = 0x9e3779b97f4a7c15;

	for (int i = 0; i < 200000; i++) {
		uint64_t bits = next_random(&x);
		double value;

		memcpy(&value, &bits, sizeof value);
		if (isnan(value) || isinf(value))
			continue;
		assert_round_trip(value);
		assert_round_trip((double)(bits >> (bits & 63)));		/* whole numbers */
		assert_round_trip((double)(bits >> 20) / 1e6);			/* microseconds */
		assert_round_trip((double)(bits >> 40) / 1e3);
		assert_round_trip((double)(bits % 100) / 100);			/* percent */
		assert_round_trip((double)(bits >> 11) / 9007199254740992.0);	/* 0 to 1, every bit */
		assert_round_trip((double)(bits >> 11) / 1048576.0);		/* about 2^33 */
	}
}

static void names_of_families_follow_the_rules(void **state)
{
	for (size_t i = 0; i < N_METRIC_FAMILIES; i++) {
		const struct metric_family *f = &metric_families[i];
		const char *end = f->name + strlen(f->name);

		assert_true((f->type == METRIC_COUNTER) == !strcmp(end - 6, "_total"));
		assert_true((f->type == METRIC_INFO) == !strcmp(end - 5, "_info"));
		assert_true(f->help[strlen(f->help) - 1] == '.');
		assert_null(strchr(f->help, '\n'));
	}
}

/* Of a drive all counters outlive their page, but these: the kernel's, and what begins anew while the drive runs. */
static const enum metric_family_id counters_that_go[] = {
	drive_io_completed_total, drive_io_bytes_total, drive_io_seconds_total, drive_io_merged_total,
	drive_io_busy_seconds_total, drive_io_weighted_seconds_total,
	drive_ata_phy_events_total, drive_scsi_since_hard_reset_seconds_total,
};

/* Of all else these: what does not change, what only grows, and what the exporter itself says of a drive. Any other number
 * would be served as if it were of now, a temperature for example. */
static const enum metric_family_id others_that_stay[] = {
	drive_info, drive_slot_info, drive_device_info, drive_source_info, drive_missing_since_timestamp_seconds, drive_capacity_bytes, drive_logical_block_bytes,
	drive_physical_block_bytes, drive_rotation_rate_rpm, drive_manufacture_info,
	drive_manufactured_timestamp_seconds, drive_mechanical_cycles_rated, drive_self_test_duration_seconds,
	drive_temperature_limit_celsius, drive_relative_humidity_limit_ratio, drive_link_speed_max_bits_per_second,
	drive_link_width_max, drive_ata_trim_supported, drive_scsi_provisioning_info, drive_nvme_namespace_size_bytes,
	drive_nvme_namespace_capacity_bytes, drive_nvme_namespace_block_bytes, drive_nvme_endurance_group_capacity_bytes,

	drive_grown_defects, drive_reallocated_sectors, drive_retired_blocks, drive_scsi_format_blocks,
	drive_nvme_bad_blocks, drive_nvme_erase_cycles, drive_nvme_media_dies,

	drive_rated_info, drive_rated_endurance_bytes, drive_rated_writes_per_day, drive_rated_warranty_seconds,
	drive_rated_annual_failure_ratio, drive_rated_unrecoverable_errors_per_bit_read, drive_rated_temperature_celsius,
	drive_rated_latency_seconds, drive_rated_endurance_used_ratio,

	drive_present, drive_up, drive_reserved, drive_power_state, drive_poll_timestamp_seconds,
	drive_poll_interval_seconds, drive_command_started_timestamp_seconds,
};

static bool has_family(const enum metric_family_id *list, size_t n, size_t family)
{
	while (n--)
		if (list[n] == family)
			return true;
	return false;
}

static bool must_stay(size_t family)
{
	if (metric_families[family].type == METRIC_COUNTER)
		return !has_family(counters_that_go, ARRAY_SIZE(counters_that_go), family);
	return has_family(others_that_stay, ARRAY_SIZE(others_that_stay), family);
}

static void what_counts_a_life_outlives_its_page(void **state)
{
	for (size_t i = 0; i < N_METRIC_FAMILIES; i++) {
		const struct metric_family *f = &metric_families[i];
		bool is_own = !strncmp(f->name, "drive_exporter_", 15) || !strncmp(f->name, "process_", 8) ||
			      i == drive_removed_total;		/* of all drives of the host */

		if (f->is_drive == is_own)
			fail_msg("%s has%s the label drive", f->name, f->is_drive ? "" : " not");
		if (f->is_lifetime != (f->is_drive && must_stay(i)))
			fail_msg("%s %s when its page can no longer be read", f->name, f->is_lifetime ? "stays" : "goes");
	}
}

static void source(unsigned family, struct text *out)
{
	if (family == drive_up)
		text_add(out, "a | b");
}

static void the_list_holds_every_family(void **state)
{
	AUTO_TEXT plain = TEXT_LIMIT(1 << 20), markdown = TEXT_LIMIT(1 << 20);
	char row[128];

	exposition_list_families(&plain, false, source);
	exposition_list_families(&markdown, true, source);
	assert_int_equal(count(plain.at, "\n"), 2 * (N_METRIC_FAMILIES + 1) + 1);
	assert_int_equal(count(plain.at, "\n    Source: a | b\n"), 1);
	assert_int_equal(count(markdown.at, " | a \\| b |\n"), 1);
	assert_int_equal(count(plain.at, " \n"), 0);
	assert_int_equal(count(markdown.at, "\n| "), 2 + N_METRIC_FAMILIES);
	assert_non_null(strstr(markdown.at, "\n| `drive_path_state` | gauge | `drive`, `device`, `state` | 1 for "));
	for (size_t i = 0; i < N_METRIC_FAMILIES; i++) {
		snprintf(row, sizeof row, "\n%s ", metric_families[i].name);
		assert_int_equal(count(plain.at, row), 1);
		snprintf(row, sizeof row, "\n| `%s` | ", metric_families[i].name);
		assert_int_equal(count(markdown.at, row), 1);
		assert_non_null(strstr(plain.at, metric_families[i].help));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_is_written_as_the_formats_say),
		cmocka_unit_test(a_histogram_adds_its_buckets_up),
		cmocka_unit_test(a_family_without_a_sample_leaves_no_trace),
		cmocka_unit_test(a_family_begun_again_at_once_goes_on),
		cmocka_unit_test(hostile_labels_stay_inside_their_quotes),
		cmocka_unit_test(any_byte_can_stand_in_a_label),
		cmocka_unit_test(an_empty_label_is_a_missing_one),
		cmocka_unit_test(a_duplicate_is_dropped_and_counted),
		cmocka_unit_test(many_series_are_all_told_apart),
		cmocka_unit_test(a_full_text_ends_with_a_whole_line),
		cmocka_unit_test(a_reset_makes_a_full_text_usable_again),
		cmocka_unit_test(each_format_has_its_own_headers),
		cmocka_unit_test(no_two_families_share_a_name_in_openmetrics),
		cmocka_unit_test(another_subject_begins_anew),
		cmocka_unit_test(numbers_are_short_and_exact),
		cmocka_unit_test(random_numbers_read_back_as_they_were),
		cmocka_unit_test(names_of_families_follow_the_rules),
		cmocka_unit_test(what_counts_a_life_outlives_its_page),
		cmocka_unit_test(the_list_holds_every_family),
	};

	return cmocka_run_group_tests_name("metric", tests, NULL, NULL);
}
