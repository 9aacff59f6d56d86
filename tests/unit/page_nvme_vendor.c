/* page/: logs beyond NVM Express: OCP's C0h and C3h, Intel's and Solidigm's CAh; and what says that a drive has them. */
#include "page_nvme.h"

enum { LOG = 512, ITEM = 12, ITEMS = LOG / ITEM, RAW_AT = 5, LIST = 1024, UUIDS = 4096 };
enum { SAMSUNG = 0x144d, MICRON = 0x1344, INTEL = 0x8086, SOLIDIGM = 0x025e, KIOXIA = 0x1e0f };

static const struct drive_facts blank;

static void assert_decoded(const struct page *page, const uint8_t *raw, struct collect *c)
{
	assert_false(failed(decode_exactly(page, raw, LOG, &blank, c)));
}

/* The value of a series with three labels; NAN where there is none. */
static double value_of(const struct collect *c, enum metric_family_id family, const char *a, const char *b, const char *third)
{
	const struct sample wanted = { .family = family, .label = { a, b, third } };

	for (size_t i = 0; i < c->set.n; i++)
		if (sample_is_same_series(&c->set.at[i], &wanted))
			return c->set.at[i].value;
	return NAN;
}

/* ---- C0h */

static void make_ocp(uint8_t raw[LOG], unsigned version)
{
	static const uint8_t guid[16] = { 0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
					  0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf };

	memset(raw, 0, LOG);
	put_le(raw, 494, version, 2);
	memcpy(raw + 496, guid, sizeof guid);
}

static void full_ocp(uint8_t raw[LOG], unsigned version)
{
	make_ocp(raw, version);
	for (size_t i = 0; i < nvme_ocp_health.n_fields; i++)
		raw[nvme_ocp_health.fields[i].at] = 1;
}

static double field_value(const struct page_field *field, const struct collect *c)
{
	return value_of(c, field->family, field->label[0], field->label[1], field->label[2]);
}

static void rows_of_ocps_log_stand_apart_and_move_alone(void **state)
{
	const struct page *page = &nvme_ocp_health;
	uint8_t raw[LOG];

	full_ocp(raw, 5);
	fields_are_within_and_apart(page, 494);
	for (size_t i = 0; i < page->n_fields; i++)	/* those of different versions, too */
		for (size_t k = 0; k < i; k++)
			assert_true(page->fields[k].at + page->fields[k].width <= page->fields[i].at ||
				    page->fields[i].at + page->fields[i].width <= page->fields[k].at);
	each_field_moves_its_sample(page, raw, sizeof raw, place_of);
	every_truncation_is_refused(page, raw, sizeof raw);
	zeroes_and_ones_are_refused(page, LOG);
	full_ocp(raw, 5);
	long_rows_are_exact_and_monotone(page, raw, sizeof raw, field_value);
}

static void assert_foreign(const struct page *page, const uint8_t raw[LOG])
{
	struct drive_facts facts = { .nvme_vendor = SAMSUNG };
	struct collect c;

	assert_true(page->is_wanted(page, &facts));
	collect_begin(&c);
	assert_false(failed(learn_exactly(page, raw, LOG, &facts)));	/* no fault of the drive's */
	assert_false(failed(decode_exactly(page, raw, LOG, &facts, &c)));
	assert_int_equal(c.set.n, 0);
	collect_end(&c);
	assert_false(page->is_wanted(page, &facts));			/* and not asked for again */
}

/* Micron has a log of this number with another layout, and others have their own. Each wrong bit makes it another's. */
static void a_log_with_another_guid_tells_nothing(void **state)
{
	static const uint8_t mirrored[16] = { 0xaf, 0xd5, 0x14, 0xc9, 0x7c, 0x6f, 0x4f, 0x9c,
					      0xa4, 0xf2, 0xbf, 0xea, 0x28, 0x10, 0xaf, 0xc5 };
	struct drive_facts facts = { 0 };
	uint8_t raw[LOG];

	for (unsigned bit = 0; bit < 128; bit++) {
		full_ocp(raw, 3);
		raw[496 + bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_foreign(&nvme_ocp_health, raw);
		assert_foreign(&nvme_ocp_latency, raw);
	}
	full_ocp(raw, 3);
	memcpy(raw + 496, mirrored, sizeof mirrored);	/* as the specification prints it */
	assert_foreign(&nvme_ocp_health, raw);
	full_ocp(raw, 3);				/* the right one for the other log */
	assert_foreign(&nvme_ocp_latency, raw);
	assert_false(failed(learn_exactly(&nvme_ocp_latency, raw, LOG, &facts)));
	assert_false(failed(learn_exactly(&nvme_ocp_health, raw, LOG, &facts)));
	assert_true(nvme_ocp_health.is_wanted(&nvme_ocp_health, &facts));	/* of one log, the other stands */
	assert_false(nvme_ocp_latency.is_wanted(&nvme_ocp_latency, &facts));
}

static void each_version_of_ocps_log_has_the_fields_that_had_come(void **state)
{
	static const uint16_t of_2[] = { drive_nvme_pcie_retrainings_total, drive_nvme_power_state_changes_total };
	static const struct { uint16_t family; const char *label, *second; } of_5[] = {
		{ drive_nvme_media_dies, "total", NULL }, { drive_nvme_media_dies, "tolerated", NULL },
		{ drive_nvme_media_dies, "offline", NULL },
		{ drive_temperature_extreme_celsius, "composite", "highest" }, { drive_nvme_erase_cycles, "average", NULL },
		{ drive_command_timeouts_total, NULL, NULL }, { drive_nvme_system_area_failures_total, "program", NULL },
		{ drive_nvme_system_area_failures_total, "uncorrectable_read", NULL },
		{ drive_nvme_system_area_failures_total, "erase", NULL },
	};
	struct collect c;

	collect_begin(&c);
	for (unsigned version = 0; version <= 7; version++) {
		uint8_t raw[LOG];

		full_ocp(raw, version);
		assert_decoded(&nvme_ocp_health, raw, &c);
		assert_sample(&c, 1, drive_nand_written_bytes_total);
		assert_sample(&c, 1, drive_nvme_endurance_estimate_bytes);
		for (size_t i = 0; i < ARRAY_SIZE(of_2); i++)
			assert_int_equal(!isnan(collect_value(&c, of_2[i], NULL, NULL)), version >= 2);
		for (size_t i = 0; i < ARRAY_SIZE(of_5); i++)
			assert_int_equal(!isnan(collect_value(&c, of_5[i].family, of_5[i].label, of_5[i].second)), version >= 5);
	}
	collect_end(&c);
}

static void the_numbers_of_ocps_log_are_in_our_units(void **state)
{
	uint8_t raw[LOG];
	struct collect c;

	make_ocp(raw, 5);
	put_le(raw, 0, 123456789012345678, 16);		/* bytes, whatever the field is called */
	put_le(raw, 16, 4096, 16);
	put_le(raw, 32, 17, 6);
	put_le(raw, 38, 98, 2);
	put_le(raw, 40, 3, 6);
	put_le(raw, 46, 100, 2);
	put_le(raw, 72, 2, 4);
	put_le(raw, 76, 1, 4);
	raw[80] = 104;
	put_le(raw, 81, 0x01020304050607, 7);
	put_le(raw, 88, 300, 4);
	put_le(raw, 92, 100, 4);
	raw[96] = 9;
	put_le(raw, 104, 12, 8);
	raw[120] = 7;
	put_le(raw, 128, 99, 2);
	put_le(raw, 176, 7000000000000000, 16);
	raw[222] = 81;
	put_le(raw, 224, 210, 8);
	collect_begin(&c);
	assert_decoded(&nvme_ocp_health, raw, &c);
	assert_sample(&c, 123456789012345680.0, drive_nand_written_bytes_total);
	assert_sample(&c, 4096, drive_nand_read_bytes_total);
	assert_sample(&c, 17, drive_nvme_bad_blocks, "user");
	assert_sample(&c, 0.98, drive_nvme_bad_blocks_left_ratio, "user");
	assert_sample(&c, 3, drive_nvme_bad_blocks, "system");
	assert_sample(&c, 1, drive_nvme_bad_blocks_left_ratio, "system");
	assert_sample(&c, 2, drive_nvme_end_to_end_errors_total, "detected");
	assert_sample(&c, 1, drive_nvme_end_to_end_errors_total, "corrected");
	assert_sample(&c, 1.04, drive_nvme_system_data_used_ratio);
	assert_sample(&c, 0x01020304050607, drive_nvme_refreshes_total);
	assert_sample(&c, 300, drive_nvme_erase_cycles, "max");
	assert_sample(&c, 100, drive_nvme_erase_cycles, "min");
	assert_sample(&c, 210, drive_nvme_erase_cycles, "average");
	assert_sample(&c, 9, drive_nvme_throttling_events_total);
	assert_true(value_of(&c, drive_link_errors_total, "0", "pcie_correctable", "drive") == 12);
	assert_sample(&c, 0.07, drive_nvme_free_blocks_ratio);
	assert_sample(&c, 0.99, drive_nvme_capacitor_health_ratio);
	assert_sample(&c, 7000000000000000, drive_nvme_endurance_estimate_bytes);
	assert_sample(&c, 81, drive_temperature_extreme_celsius, "composite", "highest");
	collect_end(&c);
}

static void what_a_drive_leaves_out_of_ocps_log_is_absent(void **state)
{
	static const struct { size_t at, width; uint16_t family; const char *label; } ones[] = {
		{ 32, 6, drive_nvme_bad_blocks, "user" }, { 38, 2, drive_nvme_bad_blocks_left_ratio, "user" },
		{ 40, 6, drive_nvme_bad_blocks, "system" }, { 46, 2, drive_nvme_bad_blocks_left_ratio, "system" },
		{ 97, 1, drive_nvme_throttling_level, NULL }, { 128, 2, drive_nvme_capacitor_health_ratio, NULL },
	}, zeroes[] = {
		{ 176, 16, drive_nvme_endurance_estimate_bytes, NULL }, { 216, 2, drive_nvme_media_dies, "total" },
		{ 222, 1, drive_temperature_extreme_celsius, "composite" },
	};
	uint8_t raw[LOG];
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(ones); i++) {
		full_ocp(raw, 5);
		memset(raw + ones[i].at, 0xff, ones[i].width);
		assert_decoded(&nvme_ocp_health, raw, &c);
		assert_no_sample(&c, ones[i].family, ones[i].label);
	}
	for (size_t i = 0; i < ARRAY_SIZE(zeroes); i++) {
		full_ocp(raw, 5);
		memset(raw + zeroes[i].at, 0, zeroes[i].width);
		assert_decoded(&nvme_ocp_health, raw, &c);
		assert_no_sample(&c, zeroes[i].family, zeroes[i].label);
	}
	assert_no_sample(&c, drive_temperature_extreme_celsius, "composite", "highest");
	collect_end(&c);
}

static void throttling_is_a_level_and_a_state(void **state)
{
	uint8_t raw[LOG];
	struct collect c;

	collect_begin(&c);
	for (unsigned level = 0; level < 256; level++) {
		full_ocp(raw, 2);
		raw[97] = (uint8_t)level;
		assert_decoded(&nvme_ocp_health, raw, &c);
		if (level == 255) {
			assert_no_sample(&c, drive_throttled, "thermal");
			assert_no_sample(&c, drive_nvme_throttling_level, NULL);
		} else {
			assert_sample(&c, level != 0, drive_throttled, "thermal");
			assert_sample(&c, level, drive_nvme_throttling_level);
		}
	}
	collect_end(&c);
}

/* ---- C3h */

static void make_latency(uint8_t raw[LOG])
{
	static const uint8_t guid[16] = { 0x92, 0x7a, 0xc0, 0x8c, 0xd0, 0x84, 0x6c, 0x9c,
					  0x70, 0x43, 0xe6, 0xd4, 0x58, 0x5e, 0xd4, 0x85 };

	memset(raw, 0, LOG);
	raw[0] = 1;
	memcpy(raw + 496, guid, sizeof guid);
}

static const char *const bucket_names[] = { "0", "1", "2", "3" }, *const op_names[] = { "discard", "write", "read" };
static const struct {
	const char *name;
	size_t counts, latencies;
} windows[] = { { "active", 0x20, 0xc0 }, { "previous", 0xf0, 0x190 } };

static size_t count_at(size_t w, size_t bucket, size_t op)
{
	return windows[w].counts + 16 * bucket + 4 * (op + 1);		/* the first of the four is reserved */
}

static size_t latency_at(size_t w, size_t bucket, size_t op)
{
	return windows[w].latencies + 6 * (3 - bucket) + 2 * op;	/* these begin with the last bucket */
}

static void full_latency(uint8_t raw[LOG])
{
	make_latency(raw);
	for (size_t w = 0; w < 2; w++)
		for (size_t bucket = 0; bucket < 4; bucket++)
			for (size_t op = 0; op < 3; op++) {
				put_le(raw, count_at(w, bucket, op), 1000 * w + 100 * bucket + op + 1, 4);
				put_le(raw, latency_at(w, bucket, op), 2000 * w + 200 * bucket + op + 5, 2);
			}
}

static void each_cell_of_the_latency_monitor_stands_in_its_place(void **state)
{
	uint8_t raw[LOG];
	struct collect c;

	full_latency(raw);
	raw[6] = 0;
	raw[7] = 1;
	raw[8] = 199;
	raw[9] = 255;
	every_truncation_is_refused(&nvme_ocp_latency, raw, sizeof raw);
	zeroes_and_ones_are_refused(&nvme_ocp_latency, LOG);
	collect_begin(&c);
	assert_decoded(&nvme_ocp_latency, raw, &c);
	assert_int_equal(c.set.n, 4 + 2 * 2 * 4 * 3);
	assert_sample(&c, 0.005, drive_nvme_latency_threshold_seconds, "0");
	assert_sample(&c, 0.01, drive_nvme_latency_threshold_seconds, "1");
	assert_sample(&c, 1, drive_nvme_latency_threshold_seconds, "2");
	assert_sample(&c, 1.28, drive_nvme_latency_threshold_seconds, "3");
	for (size_t w = 0; w < 2; w++)
		for (size_t bucket = 0; bucket < 4; bucket++)
			for (size_t op = 0; op < 3; op++) {
				double count = (double)(1000 * w + 100 * bucket + op + 1);
				double seconds = (double)(2000 * w + 200 * bucket + op + 5) / 1000;

				assert_true(value_of(&c, drive_nvme_latency_commands, windows[w].name, op_names[op],
						     bucket_names[bucket]) == count);
				assert_true(value_of(&c, drive_nvme_latency_recorded_seconds, windows[w].name, op_names[op],
						     bucket_names[bucket]) == seconds);
			}
	collect_end(&c);
}

/* Reserved words and the moments that the log keeps lie between the cells. */
static void no_other_byte_of_the_latency_monitor_moves_a_cell(void **state)
{
	uint8_t raw[LOG];
	struct collect before, after;
	size_t n_moving = 0;

	full_latency(raw);
	collect_begin(&before);
	collect_begin(&after);
	assert_decoded(&nvme_ocp_latency, raw, &before);
	for (size_t at = 1; at < 496; at++) {
		size_t n_moved = 0;

		raw[at] ^= 0x10;
		assert_decoded(&nvme_ocp_latency, raw, &after);
		raw[at] ^= 0x10;
		assert_int_equal(after.set.n, before.set.n);
		for (size_t i = 0; i < before.set.n; i++) {
			assert_true(sample_is_same_series(&before.set.at[i], &after.set.at[i]));
			n_moved += before.set.at[i].value != after.set.at[i].value;
		}
		assert_in_range(n_moved, 0, 1);
		n_moving += n_moved;
	}
	assert_int_equal(n_moving, 4 + 2 * 4 * 3 * (4 + 2));
	collect_end(&before);
	collect_end(&after);
}

static void a_latency_that_was_not_measured_is_absent(void **state)
{
	static const uint16_t none[] = { 0, 0xffff };
	uint8_t raw[LOG];
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		full_latency(raw);
		put_le(raw, latency_at(1, 2, 0), none[i], 2);
		assert_decoded(&nvme_ocp_latency, raw, &c);
		assert_true(value_of(&c, drive_nvme_latency_commands, "previous", "discard", "2") == 1201);
		assert_true(isnan(value_of(&c, drive_nvme_latency_recorded_seconds, "previous", "discard", "2")));
	}
	full_latency(raw);
	put_le(raw, count_at(0, 0, 2), 0, 4);		/* no command, so its latency is left over from another window */
	assert_decoded(&nvme_ocp_latency, raw, &c);
	assert_true(value_of(&c, drive_nvme_latency_commands, "active", "read", "0") == 0);
	assert_true(isnan(value_of(&c, drive_nvme_latency_recorded_seconds, "active", "read", "0")));
	put_le(raw, count_at(0, 0, 2), UINT32_MAX, 4);
	assert_decoded(&nvme_ocp_latency, raw, &c);
	assert_true(value_of(&c, drive_nvme_latency_commands, "active", "read", "0") == 4294967295);
	collect_end(&c);
}

static void a_monitor_that_is_off_tells_nothing(void **state)
{
	uint8_t raw[LOG];
	struct collect c;

	full_latency(raw);
	raw[0] = 0xfe;
	collect_begin(&c);
	assert_decoded(&nvme_ocp_latency, raw, &c);
	assert_int_equal(c.set.n, 0);
	collect_end(&c);
}

/* ---- CAh */

static void put_item(uint8_t *raw, size_t i, uint8_t key, uint64_t value)
{
	memset(raw + i * ITEM, 0x5a, ITEM);		/* reserved and normalized */
	raw[i * ITEM] = key;
	put_le(raw, i * ITEM + RAW_AT, value, 6);
}

static const uint8_t keys[] = {
	0x05, 0x0d, 0xab, 0xac, 0xad, 0xb8, 0xc7, 0xe2, 0xe3, 0xe4, 0xea, 0xf0, 0xf3, 0xf4, 0xf5, 0xf8,
};

static size_t place_of_item(const struct page_field *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i] == field->param)
			return i * ITEM + RAW_AT + field->at;
	fail_msg("key %x is not in the test", field->param);
	return 0;
}

static void full_intel(uint8_t raw[LOG])
{
	memset(raw, 0, LOG);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		put_item(raw, i, keys[i], 0x010101010101);
}

static void rows_of_intels_log_stand_apart_and_move_alone(void **state)
{
	uint8_t raw[LOG];

	full_intel(raw);
	fields_are_within_and_apart(&nvme_intel, 6);
	each_field_moves_its_sample(&nvme_intel, raw, sizeof raw, place_of_item);
	every_truncation_is_refused(&nvme_intel, raw, sizeof raw);
	zeroes_and_ones_are_refused(&nvme_intel, LOG);
}

static void the_numbers_of_intels_log_are_in_our_units(void **state)
{
	uint8_t raw[LOG] = { 0 };
	struct collect c;

	put_item(raw, 0, 0xad, 0x012c0190012b);		/* least 299, most 400, mean 300 */
	put_item(raw, 1, 0xe2, 102400);
	put_item(raw, 2, 0xe3, 42);
	put_item(raw, 3, 0xe4, 61);
	put_item(raw, 4, 0xea, 7 << 8 | 25);
	put_item(raw, 5, 0xf4, 1000000);
	put_item(raw, 6, 0xf5, (UINT64_C(1) << 48) - 1);
	put_item(raw, 7, 0xf8, 1);
	put_item(raw, 8, 0xc7, 3);
	put_item(raw, 9, 0x05, 11);
	collect_begin(&c);
	assert_decoded(&nvme_intel, raw, &c);
	assert_int_equal(c.set.n, 13);
	assert_sample(&c, 299, drive_nvme_erase_cycles, "min");
	assert_sample(&c, 400, drive_nvme_erase_cycles, "max");
	assert_sample(&c, 300, drive_nvme_erase_cycles, "average");
	assert_sample(&c, 1, drive_nvme_timed_workload_wear_ratio);
	assert_sample(&c, 0.42, drive_nvme_timed_workload_reads_ratio);
	assert_sample(&c, 3660, drive_nvme_timed_workload_seconds);
	assert_sample(&c, 7, drive_nvme_throttling_events_total);
	assert_sample(&c, 1, drive_throttled, "thermal");
	assert_sample(&c, 33554432000000, drive_nand_written_bytes_total);
	assert_sample(&c, 281474976710655.0 * 33554432, drive_nvme_intel_written_bytes_total);
	assert_sample(&c, 33554432, drive_nand_read_bytes_total);
	assert_true(value_of(&c, drive_link_errors_total, "0", "crc", "drive") == 3);
	assert_sample(&c, 11, drive_retired_blocks);
	collect_end(&c);
}

/* Not every model has each key at the same place: it is the key that counts. */
static void keys_may_stand_in_any_order(void **state)
{
	uint8_t raw[LOG];
	struct collect c;

	collect_begin(&c);
	for (size_t turn = 0; turn < ITEMS; turn++) {
		memset(raw, 0, sizeof raw);
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
			put_item(raw, (i * 5 + turn) % ITEMS, keys[i], keys[i] + 1000);
		assert_decoded(&nvme_intel, raw, &c);
		assert_int_equal(c.set.n, nvme_intel.n_fields + 1);
		assert_sample(&c, 0xab + 1000, drive_program_failures_total);
		assert_sample(&c, 0xac + 1000, drive_erase_failures_total);
		assert_sample(&c, (0xf4 + 1000) * 33554432.0, drive_nand_written_bytes_total);
	}
	collect_end(&c);
}

static void a_key_that_comes_again_is_told_once(void **state)
{
	uint8_t raw[LOG] = { 0 };
	struct collect c;

	for (size_t i = 0; i < ITEMS; i++)
		put_item(raw, i, i % 2 ? 0xab : 0xea, i << 8);
	collect_begin(&c);
	assert_decoded(&nvme_intel, raw, &c);
	assert_int_equal(c.set.n, 3);
	assert_sample(&c, 1 << 8, drive_program_failures_total);
	assert_sample(&c, 0, drive_nvme_throttling_events_total);
	assert_sample(&c, 0, drive_throttled, "thermal");
	collect_end(&c);
}

static void unused_items_and_unknown_keys_are_passed_over(void **state)
{
	uint8_t raw[LOG] = { 0 };
	struct collect c;

	put_item(raw, 0, 0, 77);
	put_item(raw, 1, 0x99, 77);
	put_item(raw, ITEMS - 1, 0xac, 5);		/* the last that is whole */
	memset(raw + ITEMS * ITEM, 0xab, LOG - ITEMS * ITEM);
	collect_begin(&c);
	assert_decoded(&nvme_intel, raw, &c);
	assert_int_equal(c.set.n, 1);
	assert_sample(&c, 5, drive_erase_failures_total);
	collect_end(&c);
}

/* In its first hour the timed workload says 65535 for each of its three: taken at its word, 64 percent of wear on a new
 * drive. */
static void a_timed_workload_that_has_just_begun_is_absent(void **state)
{
	static const struct { uint8_t key; uint16_t family; } timed[] = {
		{ 0xe2, drive_nvme_timed_workload_wear_ratio }, { 0xe3, drive_nvme_timed_workload_reads_ratio },
		{ 0xe4, drive_nvme_timed_workload_seconds },
	};
	uint8_t raw[LOG];
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(timed); i++) {
		full_intel(raw);
		put_item(raw, 7 + i, timed[i].key, 0xffff);
		assert_decoded(&nvme_intel, raw, &c);
		assert_no_sample(&c, timed[i].family, NULL);
		put_item(raw, 7 + i, timed[i].key, 0xffffffffffff);
		assert_decoded(&nvme_intel, raw, &c);
		assert_no_sample(&c, timed[i].family, NULL);
		put_item(raw, 7 + i, timed[i].key, 0xfffe);
		assert_decoded(&nvme_intel, raw, &c);
		assert_true(collect_value(&c, timed[i].family, NULL, NULL) > 0);
	}
	put_item(raw, 0, 0x05, 0xffff);			/* of another key it is a number like any other */
	assert_decoded(&nvme_intel, raw, &c);
	assert_sample(&c, 65535, drive_retired_blocks);
	collect_end(&c);
}

/* ---- which drives have them: the list of logs (00h) */

static void make_list(uint8_t raw[LIST], const uint8_t *logs, size_t n)
{
	memset(raw, 0, LIST);
	for (size_t i = 0; i < n; i++)
		raw[logs[i] * 4] = 1;
}

static void the_list_says_which_logs_there_are(void **state)
{
	static const uint8_t logs[] = { 0x00, 0x01, 0x02, 0x03, 0x81, 0xc0, 0xff };
	struct drive_facts facts = { 0 };
	uint8_t raw[LIST];

	make_list(raw, logs, sizeof logs);
	every_truncation_is_refused(&nvme_log_list, raw, sizeof raw);
	raw[0xca * 4] = 0xfe;			/* all but LSUPP */
	memset(raw + 0xca * 4 + 1, 0xff, 3);
	assert_false(failed(learn_exactly(&nvme_log_list, raw, LIST, &facts)));
	assert_true(facts.nvme_has_log_list);
	for (unsigned log = 0; log < 256; log++)
		assert_int_equal(facts_bit(facts.nvme_logs, log), memchr(logs, (int)log, sizeof logs) != NULL);
	make_list(raw, logs, 5);
	assert_false(failed(learn_exactly(&nvme_log_list, raw, LIST, &facts)));
	assert_false(facts_bit(facts.nvme_logs, 0xc0));		/* after an update of firmware it is gone */
}

/* Every controller has 02h: a list without it is none. */
static void a_list_without_the_health_log_is_not_believed(void **state)
{
	static const uint8_t logs[] = { 0x00, 0x01, 0x03, 0xc0 };
	struct drive_facts facts = { 0 };
	uint8_t raw[LIST];

	make_list(raw, logs, sizeof logs);
	assert_failed(learn_exactly(&nvme_log_list, raw, LIST, &facts), "does not list the health log, which every controller has");
	memset(raw, 0, sizeof raw);
	assert_failed(learn_exactly(&nvme_log_list, raw, LIST, &facts), "all zeroes");
	memset(raw, 0xff, sizeof raw);
	assert_failed(learn_exactly(&nvme_log_list, raw, LIST, &facts), "all ones");
	assert_memory_equal(&facts, &blank, sizeof facts);
}

/* ---- and the models that had them before there was a list */

static bool has(const struct page *page, uint16_t vendor, const char *model)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME, .nvme_vendor = vendor };

	strcpy(facts.model, model);
	return page->is_offered(page, &facts);
}

static void vendor_logs_are_asked_of_models_known_to_have_them(void **state)
{
	static const struct { const struct page *page; uint16_t vendor; const char *model; bool has; } drives[] = {
		{ &nvme_intel, INTEL, "INTEL SSDPE2KX040T8", true },		/* P4510 */
		{ &nvme_intel, INTEL, "INTEL SSDPE2MD800G4", true },		/* P3700 */
		{ &nvme_intel, INTEL, "INTEL SSDPEDMD016T4", true },
		{ &nvme_intel, INTEL, "INTEL SSDPEKNW512G8", false },		/* 660p, a client drive */
		{ &nvme_intel, INTEL, "INTEL SSDPEKKW256G8", false },		/* 760p */
		{ &nvme_intel, INTEL, "", false },
		{ &nvme_intel, SOLIDIGM, "INTEL SSDPF2KX038TZ", true },
		{ &nvme_intel, SOLIDIGM, "SOLIDIGM SSDPFKNU010TZ", false },
		{ &nvme_intel, SAMSUNG, "INTEL SSDPE2KX040T8", false },		/* a name is not enough */
		{ &nvme_ocp_health, SAMSUNG, "SAMSUNG MZQL21T9HCJR-00A07", true },	/* PM9A3 */
		{ &nvme_ocp_health, SAMSUNG, "SAMSUNG MZVL21T0HCLR-00B00", false },
		{ &nvme_ocp_health, MICRON, "Micron_7450_MTFDKCC3T8TFR", true },
		{ &nvme_ocp_health, MICRON, "Micron_9300_MTFDHAL3T8TDP", false },
		{ &nvme_ocp_health, KIOXIA, "KIOXIA KXD51RUE3T84", true },
		{ &nvme_ocp_health, INTEL, "INTEL SSDPE2KX040T8", false },
		{ &nvme_ocp_health, 0x1234, "SAMSUNG MZQL21T9HCJR-00A07", false },
		{ &nvme_ocp_latency, SAMSUNG, "SAMSUNG MZQL21T9HCJR-00A07", false },	/* no model is known to have this one */
	};

	for (size_t i = 0; i < ARRAY_SIZE(drives); i++)
		if (has(drives[i].page, drives[i].vendor, drives[i].model) != drives[i].has)
			fail_msg("%s of %s", drives[i].page->name, drives[i].model);
}

/* A list, where there is one, has the last word; and CAh of another maker is another log. */
static void the_list_overrules_the_table_of_models(void **state)
{
	static const uint8_t none[] = { 0x02 }, all[] = { 0x02, 0xc0, 0xc3, 0xca };
	struct drive_facts facts = { .nvme_vendor = INTEL, .model = "INTEL SSDPE2KX040T8" };
	uint8_t raw[LIST];

	make_list(raw, none, sizeof none);
	assert_false(failed(learn_exactly(&nvme_log_list, raw, LIST, &facts)));
	assert_false(nvme_intel.is_offered(&nvme_intel, &facts));
	make_list(raw, all, sizeof all);
	strcpy(facts.model, "INTEL SSDPEKNW512G8");
	assert_false(failed(learn_exactly(&nvme_log_list, raw, LIST, &facts)));
	assert_true(nvme_intel.is_offered(&nvme_intel, &facts));
	assert_true(nvme_ocp_health.is_offered(&nvme_ocp_health, &facts));
	assert_true(nvme_ocp_latency.is_offered(&nvme_ocp_latency, &facts));
	facts.nvme_vendor = SAMSUNG;
	assert_false(nvme_intel.is_offered(&nvme_intel, &facts));
	assert_true(nvme_ocp_health.is_offered(&nvme_ocp_health, &facts));
}

/* ---- the list of UUIDs */

static const uint8_t ocp_uuid[16] = { 0xc1, 0x94, 0xd5, 0x5b, 0xe0, 0x94, 0x47, 0x94,
				      0xa2, 0x1d, 0x29, 0x99, 0x8f, 0x56, 0xbe, 0x6f };

static void put_uuid(uint8_t *raw, size_t index, const uint8_t uuid[16])
{
	raw[index * 32] = 2;			/* whose it is */
	memcpy(raw + index * 32 + 16, uuid, 16);
}

static void ocps_uuid_is_known_by_its_place_in_the_list(void **state)
{
	static const uint8_t other[16] = { 1, 2, 3 };
	struct drive_facts facts = { .nvme_has_uuids = true };
	uint8_t raw[UUIDS];

	for (size_t index = 1; index <= 127; index++) {
		memset(raw, 0, sizeof raw);
		for (size_t i = 1; i < index; i++)
			put_uuid(raw, i, other);
		put_uuid(raw, index, ocp_uuid);
		put_uuid(raw, 127, ocp_uuid);	/* the first counts */
		facts.nvme_ocp_uuid = 0;
		assert_false(failed(learn_exactly(&nvme_identify_uuids, raw, UUIDS, &facts)));
		assert_int_equal(nvme_ocp_health.uuid(&nvme_ocp_health, &facts), index);
		assert_int_equal(nvme_ocp_latency.uuid(&nvme_ocp_latency, &facts), index);
	}
	put_uuid(raw, 1, ocp_uuid);
	every_truncation_is_refused(&nvme_identify_uuids, raw, sizeof raw);
}

static void a_list_of_uuids_without_ocps_gives_no_index(void **state)
{
	static const uint8_t other[16] = { 1, 2, 3 };
	struct drive_facts facts = { .nvme_has_uuids = true };
	uint8_t raw[UUIDS] = { 0 };

	assert_false(failed(learn_exactly(&nvme_identify_uuids, raw, UUIDS, &facts)));
	assert_int_equal(nvme_ocp_health.uuid(&nvme_ocp_health, &facts), 0);
	assert_true(facts.nvme_knows_uuids);
	put_uuid(raw, 0, ocp_uuid);		/* entry 0 is reserved */
	put_uuid(raw, 1, other);
	put_uuid(raw, 3, ocp_uuid);		/* entry 2 ended the list */
	assert_false(failed(learn_exactly(&nvme_identify_uuids, raw, UUIDS, &facts)));
	assert_int_equal(nvme_ocp_health.uuid(&nvme_ocp_health, &facts), 0);
	memset(raw, 0xff, sizeof raw);
	assert_failed(learn_exactly(&nvme_identify_uuids, raw, UUIDS, &facts), "all ones");
}

/* A controller that selects vendor logs by UUID is not asked for them until it is known by which. */
static void ocps_logs_wait_for_the_list_of_uuids(void **state)
{
	static const uint8_t all[] = { 0x02, 0xc0, 0xc3 };
	struct drive_facts facts = { .nvme_has_uuids = true };
	struct page by_uuid = nvme_ocp_health, plain = nvme_ocp_health;
	uint8_t raw[LIST];

	make_list(raw, all, sizeof all);
	assert_false(failed(learn_exactly(&nvme_log_list, raw, LIST, &facts)));
	assert_true(nvme_identify_uuids.is_offered(&nvme_identify_uuids, &facts));
	assert_false(nvme_ocp_health.is_offered(&nvme_ocp_health, &facts));
	nvme_identify_uuids.refused(&nvme_identify_uuids, &facts);
	assert_true(nvme_ocp_health.is_offered(&nvme_ocp_health, &facts));
	assert_int_equal(nvme_ocp_health.uuid(&nvme_ocp_health, &facts), 0);

	facts.nvme_ocp_uuid = 2;
	plain.refused(&plain, &facts);			/* asked for without: it says nothing of the index */
	assert_int_equal(nvme_ocp_health.uuid(&nvme_ocp_health, &facts), 2);
	by_uuid.command.key[KEY_UUID] = 2;
	by_uuid.refused(&by_uuid, &facts);		/* with it: tried without */
	assert_int_equal(nvme_ocp_health.uuid(&nvme_ocp_health, &facts), 0);

	facts.nvme_has_uuids = facts.nvme_knows_uuids = false;
	assert_true(nvme_ocp_health.is_offered(&nvme_ocp_health, &facts));
	assert_false(nvme_identify_uuids.is_offered(&nvme_identify_uuids, &facts));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_ocps_log_stand_apart_and_move_alone),
		cmocka_unit_test(a_log_with_another_guid_tells_nothing),
		cmocka_unit_test(each_version_of_ocps_log_has_the_fields_that_had_come),
		cmocka_unit_test(the_numbers_of_ocps_log_are_in_our_units),
		cmocka_unit_test(what_a_drive_leaves_out_of_ocps_log_is_absent),
		cmocka_unit_test(throttling_is_a_level_and_a_state),
		cmocka_unit_test(each_cell_of_the_latency_monitor_stands_in_its_place),
		cmocka_unit_test(no_other_byte_of_the_latency_monitor_moves_a_cell),
		cmocka_unit_test(a_latency_that_was_not_measured_is_absent),
		cmocka_unit_test(a_monitor_that_is_off_tells_nothing),
		cmocka_unit_test(rows_of_intels_log_stand_apart_and_move_alone),
		cmocka_unit_test(the_numbers_of_intels_log_are_in_our_units),
		cmocka_unit_test(keys_may_stand_in_any_order),
		cmocka_unit_test(a_key_that_comes_again_is_told_once),
		cmocka_unit_test(unused_items_and_unknown_keys_are_passed_over),
		cmocka_unit_test(a_timed_workload_that_has_just_begun_is_absent),
		cmocka_unit_test(the_list_says_which_logs_there_are),
		cmocka_unit_test(a_list_without_the_health_log_is_not_believed),
		cmocka_unit_test(vendor_logs_are_asked_of_models_known_to_have_them),
		cmocka_unit_test(the_list_overrules_the_table_of_models),
		cmocka_unit_test(ocps_uuid_is_known_by_its_place_in_the_list),
		cmocka_unit_test(a_list_of_uuids_without_ocps_gives_no_index),
		cmocka_unit_test(ocps_logs_wait_for_the_list_of_uuids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
