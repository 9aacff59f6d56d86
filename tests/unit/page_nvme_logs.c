/* page/: NVMe firmware slots, self-tests, endurance groups, sanitize state, error log; and the PCIe link. */
#include "page_nvme.h"

enum { FIRMWARE = 512, SELF_TESTS = 564, GROUP = 512, SANITIZE = 512, ENTRY = 64 };

static const struct drive_facts blank;

static void assert_decoded(const struct page *page, const uint8_t *raw, size_t n, struct collect *c)
{
	assert_false(failed(decode_exactly(page, raw, n, &blank, c)));
}

/* ---- 03h, firmware slots */

static void firmware_slots_are_told_with_what_they_hold(void **state)
{
	uint8_t raw[FIRMWARE] = { [0] = 7 | 3 << 4 };
	struct collect c;

	collect_begin(&c);
	memcpy(raw + 8, "GDC5602Q", 8);
	memcpy(raw + 24, "  FW 3  ", 8);
	memcpy(raw + 56, "\xff\"\n\\7\0\0\0", 8);
	every_truncation_is_refused(&nvme_firmware, raw, sizeof raw);
	zeroes_and_ones_are_refused(&nvme_firmware, FIRMWARE);
	assert_decoded(&nvme_firmware, raw, sizeof raw, &c);
	assert_int_equal(c.set.n, 5);		/* slots 2, 4, 5 and 6 are empty */
	assert_sample(&c, 1, drive_nvme_firmware_slot_info, "1", "GDC5602Q");
	assert_sample(&c, 1, drive_nvme_firmware_slot_info, "3", "FW 3");
	assert_sample(&c, 1, drive_nvme_firmware_slot_info, "7", "\xff\"\n\\7");
	assert_sample(&c, 7, drive_nvme_firmware_active_slot);
	assert_sample(&c, 3, drive_nvme_firmware_next_slot);
	collect_end(&c);
}

/* AFI: bits 2:0 and 6:4; 3 and 7 are reserved. */
static void every_slot_may_be_the_active_or_the_next(void **state)
{
	struct collect c;

	collect_begin(&c);
	for (unsigned afi = 0; afi < 256; afi++) {
		uint8_t raw[FIRMWARE] = { [0] = (uint8_t)afi, [8] = 'F' };
		unsigned active = afi & 7, next = afi >> 4 & 7;

		assert_decoded(&nvme_firmware, raw, sizeof raw, &c);
		assert_sample(&c, 1, drive_nvme_firmware_slot_info, "1", "F");
		if (active)
			assert_sample(&c, active, drive_nvme_firmware_active_slot);
		else
			assert_no_sample(&c, drive_nvme_firmware_active_slot, NULL);
		if (next)
			assert_sample(&c, next, drive_nvme_firmware_next_slot);
		else
			assert_no_sample(&c, drive_nvme_firmware_next_slot, NULL);
	}
	collect_end(&c);
}

/* ---- 06h, self-tests */

static void put_result(uint8_t *raw, size_t i, uint8_t type, uint8_t result, uint64_t hours)
{
	raw[4 + 28 * i] = (uint8_t)(type << 4 | result);
	put_le(raw, 4 + 28 * i + 4, hours, 8);
}

static void no_results(uint8_t raw[SELF_TESTS])
{
	memset(raw, 0, SELF_TESTS);
	for (size_t i = 0; i < 20; i++)
		raw[4 + 28 * i] = 0x0f;
}

static void a_drive_that_was_never_tested_tells_no_test(void **state)
{
	uint8_t raw[SELF_TESTS];
	struct collect c;

	collect_begin(&c);
	no_results(raw);
	every_truncation_is_refused(&nvme_self_tests, raw, sizeof raw);
	assert_decoded(&nvme_self_tests, raw, sizeof raw, &c);
	assert_int_equal(c.set.n, 1);
	assert_sample(&c, 0, drive_self_test_failures);
	memset(raw, 0, sizeof raw);		/* of some firmware, which would read as a test that passed */
	assert_decoded(&nvme_self_tests, raw, sizeof raw, &c);
	assert_int_equal(c.set.n, 1);
	assert_sample(&c, 0, drive_self_test_failures);
	memset(raw, 0xff, sizeof raw);
	assert_failed(decode_exactly(&nvme_self_tests, raw, sizeof raw, &blank, &c), "all ones");
	assert_int_equal(c.set.n, 0);
	collect_end(&c);
}

static void each_result_of_a_self_test_has_its_word(void **state)
{
	static const struct { const char *word; bool is_failure; } results[15] = {
		{ "passed", false }, { "aborted", false }, { "interrupted", false }, { "interrupted", false },
		{ "interrupted", false }, { "incomplete", true }, { "failed", true }, { "failed", true },
		{ "interrupted", false }, { "interrupted", false }, { "unknown", false }, { "unknown", false },
		{ "unknown", false }, { "unknown", false }, { "unknown", false },
	};
	struct collect c;

	collect_begin(&c);
	for (uint8_t i = 0; i < ARRAY_SIZE(results); i++) {
		uint8_t raw[SELF_TESTS];

		no_results(raw);
		put_result(raw, 0, 1, i, 1000 + i);
		assert_decoded(&nvme_self_tests, raw, sizeof raw, &c);
		assert_int_equal(c.set.n, 3);
		assert_sample(&c, 1, drive_self_test_info, "short", results[i].word);
		assert_sample(&c, (1000.0 + i) * 3600, drive_self_test_power_on_seconds);
		assert_sample(&c, results[i].is_failure, drive_self_test_failures);
	}
	collect_end(&c);
}

static void each_type_of_self_test_has_its_word(void **state)
{
	struct collect c;

	collect_begin(&c);
	for (uint8_t type = 1; type < 16; type++) {
		uint8_t raw[SELF_TESTS];

		no_results(raw);
		put_result(raw, 0, type, 0, 7);
		assert_decoded(&nvme_self_tests, raw, sizeof raw, &c);
		assert_sample(&c, 1, drive_self_test_info, type == 1 ? "short" : type == 2 ? "extended" : "other", "passed");
	}
	collect_end(&c);
}

static void all_twenty_results_count_and_the_newest_is_told(void **state)
{
	uint8_t raw[SELF_TESTS];
	struct collect c;

	collect_begin(&c);
	no_results(raw);
	put_result(raw, 0, 2, 0, 5000);
	for (size_t i = 1; i < 20; i++)
		put_result(raw, i, 2, i == 19 ? 5 : 7, 5000 - i);
	assert_decoded(&nvme_self_tests, raw, sizeof raw, &c);
	assert_sample(&c, 1, drive_self_test_info, "extended", "passed");
	assert_sample(&c, 5000.0 * 3600, drive_self_test_power_on_seconds);
	assert_sample(&c, 19, drive_self_test_failures);
	put_result(raw, 0, 0, 7, 0);		/* a result without a type is none */
	put_result(raw, 1, 0, 7, 0);
	assert_decoded(&nvme_self_tests, raw, sizeof raw, &c);
	assert_sample(&c, 18, drive_self_test_failures);
	assert_int_equal(c.set.n, 1);
	collect_end(&c);
}

static void a_test_that_runs_hides_the_one_before(void **state)
{
	uint8_t raw[SELF_TESTS];
	struct collect c;

	collect_begin(&c);
	no_results(raw);
	put_result(raw, 0, 1, 7, 40);
	raw[0] = 0xf2;			/* the upper half is reserved */
	raw[1] = 0x80 | 37;
	assert_decoded(&nvme_self_tests, raw, sizeof raw, &c);
	assert_int_equal(c.set.n, 3);
	assert_sample(&c, 1, drive_self_test_info, "extended", "running");
	assert_sample(&c, 0.37, drive_nvme_self_test_progress_ratio, "extended");
	assert_sample(&c, 1, drive_self_test_failures);
	raw[0] = 0xf0;			/* none: its progress is left over */
	assert_decoded(&nvme_self_tests, raw, sizeof raw, &c);
	assert_sample(&c, 1, drive_self_test_info, "short", "failed");
	assert_no_sample(&c, drive_nvme_self_test_progress_ratio, "short");
	assert_no_sample(&c, drive_nvme_self_test_progress_ratio, "extended");
	collect_end(&c);
}

/* ---- 09h, endurance groups */

static struct page group_page(uint32_t group)
{
	struct page page = nvme_endurance_group;

	page.command.key[KEY_LSI] = group;
	return page;
}

static double group_value(const struct page_field *field, const struct collect *c)
{
	return collect_value(c, field->family, "0", field->label[0]);
}

static void full_group(uint8_t raw[GROUP])
{
	memset(raw, 0, GROUP);
	for (size_t i = 0; i < nvme_endurance_group.n_fields; i++)
		raw[nvme_endurance_group.fields[i].at] = 1;
}

static void rows_of_a_group_stand_apart_and_move_alone(void **state)
{
	const struct page page = group_page(7);
	uint8_t raw[GROUP];
	struct collect before, after;

	full_group(raw);
	fields_are_within_and_apart(&page, GROUP);
	every_truncation_is_refused(&page, raw, sizeof raw);
	zeroes_and_ones_are_refused(&page, GROUP);
	collect_begin(&before);
	collect_begin(&after);
	assert_decoded(&page, raw, sizeof raw, &before);
	for (size_t i = 0; i < page.n_fields; i++) {
		size_t n_moved = 0;

		raw[page.fields[i].at]++;
		assert_decoded(&page, raw, sizeof raw, &after);
		raw[page.fields[i].at]--;
		assert_int_equal(before.set.n, after.set.n);
		for (size_t k = 0; k < before.set.n; k++) {
			assert_true(sample_is_same_series(&before.set.at[k], &after.set.at[k]));
			assert_string_equal(before.set.at[k].label[0], "7");
			if (before.set.at[k].value == after.set.at[k].value)
				continue;
			n_moved++;
			assert_int_equal(before.set.at[k].family, page.fields[i].family);
		}
		assert_int_equal(n_moved, 1);
	}
	collect_end(&before);
	collect_end(&after);
}

static void a_group_counts_in_billions_of_bytes(void **state)
{
	const struct page page = group_page(0x10000 | 65535);	/* the upper half is none of the log's number */
	uint8_t raw[GROUP] = { [3] = 100, [4] = 5, [5] = 130 };
	struct collect c;

	collect_begin(&c);
	put_le(raw, 32, 3500000, 16);
	put_le(raw, 48, 1, 16);
	put_le(raw, 64, 2, 16);
	put_le(raw, 80, 3, 16);
	put_le(raw, 96, 4, 16);
	put_le(raw, 112, 5, 16);
	put_le(raw, 128, 6, 16);
	put_le(raw, 144, 7, 16);
	put_le(raw, 160, 1920383410176, 16);
	assert_decoded(&page, raw, sizeof raw, &c);
	assert_sample(&c, 1, drive_nvme_endurance_group_spare_available_ratio, "65535");
	assert_sample(&c, 0.05, drive_nvme_endurance_group_spare_threshold_ratio, "65535");
	assert_sample(&c, 1.3, drive_nvme_endurance_group_used_ratio, "65535");
	assert_sample(&c, 3.5e15, drive_nvme_endurance_group_estimate_bytes, "65535");
	assert_sample(&c, 1e9, drive_nvme_endurance_group_read_bytes_total, "65535");
	assert_sample(&c, 2e9, drive_nvme_endurance_group_written_bytes_total, "65535");
	assert_sample(&c, 3e9, drive_nvme_endurance_group_media_written_bytes_total, "65535");
	assert_sample(&c, 4, drive_nvme_endurance_group_commands_total, "65535", "read");
	assert_sample(&c, 5, drive_nvme_endurance_group_commands_total, "65535", "write");
	assert_sample(&c, 6, drive_nvme_endurance_group_media_errors_total, "65535");
	assert_sample(&c, 7, drive_nvme_endurance_group_error_log_entries_total, "65535");
	assert_sample(&c, 1920383410176, drive_nvme_endurance_group_capacity_bytes, "65535");
	assert_sample(&c, 0, drive_nvme_endurance_group_unallocated_bytes, "65535");
	collect_end(&c);
}

static void a_group_may_be_worn_past_one(void **state)
{
	static const struct { uint8_t percent; double ratio; } wears[] = {
		{ 0, 0 }, { 100, 1 }, { 104, 1.04 }, { 130, 1.3 }, { 254, 2.54 }, { 255, 2.55 },
	};
	const struct page page = group_page(1);
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(wears); i++) {
		uint8_t raw[GROUP] = { [3] = 1, [5] = wears[i].percent };

		assert_decoded(&page, raw, sizeof raw, &c);
		assert_sample(&c, wears[i].ratio, drive_nvme_endurance_group_used_ratio, "1");
	}
	collect_end(&c);
}

static void a_group_leaves_out_what_it_does_not_tell(void **state)
{
	const struct page page = group_page(1);
	uint8_t raw[GROUP] = { [3] = 1 };
	struct collect c;

	collect_begin(&c);
	put_le(raw, 176, 5, 16);		/* of a capacity that is not told */
	assert_decoded(&page, raw, sizeof raw, &c);
	assert_no_sample(&c, drive_nvme_endurance_group_estimate_bytes, "1");
	assert_no_sample(&c, drive_nvme_endurance_group_capacity_bytes, "1");
	assert_no_sample(&c, drive_nvme_endurance_group_unallocated_bytes, "1");
	assert_sample(&c, 0, drive_nvme_endurance_group_written_bytes_total, "1");
	collect_end(&c);
}

/* Media units of the only group are what the flash took; of one of several they are a part of it. */
static void the_only_group_tells_what_the_flash_took(void **state)
{
	const struct page page = group_page(1);
	uint8_t raw[GROUP] = { [3] = 1 };
	struct collect c;

	collect_begin(&c);
	put_le(raw, 80, 12345, 16);
	for (uint16_t last = 0; last < 4; last++) {
		const struct drive_facts facts = { .nvme_last_group = last };

		assert_false(failed(decode_exactly(&page, raw, sizeof raw, &facts, &c)));
		if (last == 1)
			assert_sample(&c, 12345e9, drive_nand_written_bytes_total);
		else
			assert_no_sample(&c, drive_nand_written_bytes_total, NULL);
	}
	collect_end(&c);
}

static void each_warning_of_a_group_has_its_bit(void **state)
{
	static const char *const bits[] = { "spare", NULL, "reliability", "read_only" };
	const struct page page = group_page(3);
	struct collect c;

	collect_begin(&c);
	for (size_t set = 0; set < 8; set++) {
		uint8_t raw[GROUP] = { [0] = (uint8_t)(1 << set), [3] = 1 };

		assert_decoded(&page, raw, sizeof raw, &c);
		for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
			if (bits[i])
				assert_sample(&c, i == set, drive_nvme_endurance_group_warning, "3", bits[i]);
	}
	collect_end(&c);
}

static void counters_of_a_group_never_fall(void **state)
{
	uint8_t raw[GROUP];

	full_group(raw);
	long_rows_are_exact_and_monotone(&nvme_endurance_group, raw, sizeof raw, group_value);
}

/* ---- 81h, sanitize */

static void each_state_of_sanitize_has_its_word(void **state)
{
	static const char *const states[8] = {
		"never", "done", "running", "failed", "done_deallocated", "unknown", "unknown", "unknown",
	};
	struct collect c;

	collect_begin(&c);
	for (uint8_t i = 0; i < ARRAY_SIZE(states); i++) {
		uint8_t raw[SANITIZE] = { [0] = 0x00, [1] = 0x40, [2] = (uint8_t)(i | 0xf8), [3] = 0xff };

		assert_decoded(&nvme_sanitize, raw, sizeof raw, &c);
		assert_sample(&c, 1, drive_nvme_sanitize_info, states[i]);
		assert_int_equal(c.set.n, i == 2 ? 2 : 1);
		if (i == 2)
			assert_sample(&c, 0.25, drive_nvme_sanitize_progress_ratio);
	}
	collect_end(&c);
}

static void a_drive_that_was_never_sanitized_answers_with_zeroes(void **state)
{
	uint8_t raw[SANITIZE] = { 0 };
	struct collect c;

	collect_begin(&c);
	every_truncation_is_refused(&nvme_sanitize, raw, sizeof raw);
	assert_decoded(&nvme_sanitize, raw, sizeof raw, &c);
	assert_sample(&c, 1, drive_nvme_sanitize_info, "never");
	raw[0] = raw[1] = 0xff;			/* SPROG where none runs */
	assert_decoded(&nvme_sanitize, raw, sizeof raw, &c);
	assert_int_equal(c.set.n, 1);
	memset(raw, 0xff, sizeof raw);
	assert_failed(decode_exactly(&nvme_sanitize, raw, sizeof raw, &blank, &c), "all ones");
	collect_end(&c);
}

/* ---- 01h, the error log, and the count in 02h by which it is asked */

enum { GENERIC = 0x002 << 1, COMMAND = 0x109 << 1, MEDIA = 0x281 << 1, PATH = 0x301 << 1, VENDOR = 0x701 << 1 };

static void count_errors(struct drive_facts *facts, uint64_t n)
{
	uint8_t raw[512] = { [3] = 100 };

	put_le(raw, 176, n, 16);
	assert_false(failed(learn_exactly(&nvme_health, raw, sizeof raw, facts)));
}

/* An entry with its status field, whose bit 0 is the phase tag and bits 14 and 15 say more and not again. */
static void put_entry(uint8_t *log, size_t i, uint64_t number, uint16_t status)
{
	memset(log + i * ENTRY, 0xee, ENTRY);
	put_le(log, i * ENTRY, number, 8);
	put_le(log, i * ENTRY + 12, status, 2);
}

static bool is_wanted(const struct drive_facts *facts)
{
	return nvme_errors.is_wanted(&nvme_errors, facts);
}

static double logged(const struct drive_facts *facts, const char *type)
{
	struct collect c;
	double value;

	collect_begin(&c);
	facts_samples(facts, &c.sink);
	value = collect_value(&c, drive_nvme_logged_errors_total, type, NULL);
	collect_end(&c);
	return value;
}

static double logged_in_all(const struct drive_facts *facts)
{
	static const char *const types[] = { "generic", "command", "media", "path", "vendor", "other", "unseen" };
	double sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		sum += logged(facts, types[i]);
	return sum;
}

static void errors_from_before_the_first_visit_are_not_ours(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME };

	assert_false(is_wanted(&facts));
	assert_true(isnan(logged(&facts, "media")));
	count_errors(&facts, 1548554);
	assert_false(is_wanted(&facts));
	assert_true(logged_in_all(&facts) == 0);
	count_errors(&facts, 1548554);
	assert_false(is_wanted(&facts));
	count_errors(&facts, 1548555);
	assert_true(is_wanted(&facts));
}

static void entries_that_came_since_are_told_by_type(void **state)
{
	static const struct { uint16_t status; const char *type; } types[] = {
		{ GENERIC, "generic" }, { COMMAND, "command" }, { MEDIA, "media" }, { PATH, "path" }, { 4 << 9, "other" },
		{ 5 << 9, "other" }, { 6 << 9, "other" }, { VENDOR, "vendor" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct drive_facts facts = { .transport = TRANSPORT_NVME };
		uint8_t log[4 * ENTRY] = { 0 };

		count_errors(&facts, 10);
		count_errors(&facts, 12);
		put_entry(log, 0, 12, (uint16_t)(types[i].status | 0xc001));
		put_entry(log, 1, 11, types[i].status);
		put_entry(log, 2, 10, MEDIA);			/* of before */
		assert_false(failed(learn_exactly(&nvme_errors, log, sizeof log, &facts)));
		assert_true(logged(&facts, types[i].type) == 2);
		assert_true(logged_in_all(&facts) == 2);
		assert_false(is_wanted(&facts));
		assert_false(failed(learn_exactly(&nvme_errors, log, sizeof log, &facts)));	/* read again: nothing new */
		assert_true(logged_in_all(&facts) == 2);
	}
}

static void what_the_log_no_longer_holds_is_unseen(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME };
	uint8_t log[2 * ENTRY];

	count_errors(&facts, 0);
	count_errors(&facts, 100);
	put_entry(log, 0, 100, MEDIA);
	put_entry(log, 1, 99, GENERIC);
	assert_false(failed(learn_exactly(&nvme_errors, log, sizeof log, &facts)));
	assert_true(logged(&facts, "media") == 1 && logged(&facts, "generic") == 1);
	assert_true(logged(&facts, "unseen") == 98);
	count_errors(&facts, 103);
	memset(log, 0, sizeof log);			/* emptied by a reset */
	assert_false(failed(learn_exactly(&nvme_errors, log, sizeof log, &facts)));
	assert_true(logged(&facts, "unseen") == 101);
	assert_true(logged_in_all(&facts) == 103);
}

/* An entry that was read before is not taken for the one that is gone. */
static void what_was_read_before_stands_for_nothing_new(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME };
	uint8_t log[3 * ENTRY];

	count_errors(&facts, 10);
	count_errors(&facts, 12);
	put_entry(log, 0, 12, GENERIC);
	put_entry(log, 1, 10, MEDIA);
	put_entry(log, 2, 9, MEDIA);
	assert_false(failed(learn_exactly(&nvme_errors, log, sizeof log, &facts)));
	assert_true(logged(&facts, "generic") == 1 && logged(&facts, "unseen") == 1);
	assert_true(logged(&facts, "media") == 0);
}

/* The count in an entry is not the count in the health log on every controller: no more are told than the latter grew. */
static void entries_may_have_numbers_of_their_own(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME };
	uint8_t log[8 * ENTRY];

	count_errors(&facts, 5);
	count_errors(&facts, 7);
	for (size_t i = 0; i < 8; i++)
		put_entry(log, i, 1000000 - i, MEDIA);	/* greater: two are new */
	assert_false(failed(learn_exactly(&nvme_errors, log, sizeof log, &facts)));
	assert_true(logged(&facts, "media") == 2 && logged_in_all(&facts) == 2);
	count_errors(&facts, 8);
	put_entry(log, 0, 1000001, VENDOR);
	assert_false(failed(learn_exactly(&nvme_errors, log, sizeof log, &facts)));
	assert_true(logged(&facts, "vendor") == 1 && logged_in_all(&facts) == 3);

	facts = (struct drive_facts){ .transport = TRANSPORT_NVME };
	count_errors(&facts, 5000);
	count_errors(&facts, 5002);
	for (size_t i = 0; i < 8; i++)
		put_entry(log, i, 8 - i, MEDIA);	/* less: nothing says which are new */
	assert_false(failed(learn_exactly(&nvme_errors, log, sizeof log, &facts)));
	assert_true(logged(&facts, "unseen") == 2 && logged_in_all(&facts) == 2);
}

static void a_count_that_falls_begins_anew(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME };
	uint8_t log[ENTRY];

	count_errors(&facts, 40);
	count_errors(&facts, 41);
	put_entry(log, 0, 41, MEDIA);
	assert_false(failed(learn_exactly(&nvme_errors, log, sizeof log, &facts)));
	count_errors(&facts, 0);
	assert_false(is_wanted(&facts));
	assert_true(logged(&facts, "media") == 1);	/* what was counted stays: a counter never falls */
	count_errors(&facts, 1);
	assert_true(is_wanted(&facts));
	put_entry(log, 0, 1, GENERIC);
	assert_false(failed(learn_exactly(&nvme_errors, log, sizeof log, &facts)));
	assert_true(logged(&facts, "generic") == 1 && logged_in_all(&facts) == 2);
}

static void the_count_may_grow_while_the_log_is_not_read(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME };
	uint8_t log[4 * ENTRY];

	count_errors(&facts, 1);
	count_errors(&facts, 2);
	count_errors(&facts, 4);
	for (size_t i = 0; i < 4; i++)
		put_entry(log, i, 4 - i, COMMAND);
	assert_false(failed(learn_exactly(&nvme_errors, log, sizeof log, &facts)));
	assert_true(logged(&facts, "command") == 3 && logged_in_all(&facts) == 3);
}

static void a_counter_of_errors_at_its_end_is_no_harm(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME };
	uint8_t log[2 * ENTRY];

	count_errors(&facts, UINT64_MAX - 1);
	count_errors(&facts, UINT64_MAX);
	put_entry(log, 0, UINT64_MAX, MEDIA);
	put_entry(log, 1, UINT64_MAX - 1, MEDIA);
	assert_false(failed(learn_exactly(&nvme_errors, log, sizeof log, &facts)));
	assert_true(logged(&facts, "media") == 1 && logged_in_all(&facts) == 1);
	count_errors(&facts, 3);
	assert_false(is_wanted(&facts));
}

static void an_error_log_ends_with_an_entry(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME };
	uint8_t log[4 * ENTRY];

	count_errors(&facts, 0);
	count_errors(&facts, 4);
	for (size_t i = 0; i < 4; i++)
		put_entry(log, i, 4 - i, MEDIA);
	for (size_t n = 0; n < sizeof log; n++) {
		struct drive_facts torn = facts;

		if (n && n % ENTRY == 0)
			continue;			/* a controller with fewer entries */
		assert_failed(learn_exactly(&nvme_errors, log, n, &torn), "ends within an entry");
		assert_memory_equal(&torn, &facts, sizeof torn);
	}
	assert_false(failed(learn_exactly(&nvme_errors, log, ENTRY, &facts)));
	assert_true(logged(&facts, "media") == 1 && logged(&facts, "unseen") == 3);
}

/* Some controllers refuse this log, whatever is asked of it: then nothing is told of it, and the rest of the drive stands. */
static void a_refused_error_log_tells_no_zeroes(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME, .nvme_total_bytes = 512 };
	struct collect c;

	count_errors(&facts, 16);
	nvme_errors.refused(&nvme_errors, &facts);
	assert_true(isnan(logged(&facts, "generic")) && isnan(logged(&facts, "unseen")));
	collect_begin(&c);
	facts_samples(&facts, &c.sink);
	assert_sample(&c, 512, drive_capacity_bytes);
	collect_end(&c);
}

/* The count is in the answer that may be torn: then it is as it was. */
static void a_torn_health_log_counts_no_errors(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME }, before;
	uint8_t raw[512] = { [3] = 100, [176] = 9 };

	count_errors(&facts, 3);
	before = facts;
	for (size_t n = 0; n < sizeof raw; n++) {
		assert_true(failed(learn_exactly(&nvme_health, raw, n, &facts)));
		assert_memory_equal(&facts, &before, sizeof facts);
	}
}

/* ---- which of them a controller has */

static void a_log_is_asked_where_the_controller_says_that_it_has_it(void **state)
{
	static const struct { const struct page *page; uint8_t log; bool is_always; } logs[] = {
		{ &nvme_errors, 0x01, true }, { &nvme_firmware, 0x03, true }, { &nvme_self_tests, 0x06, false },
		{ &nvme_endurance_group, 0x09, false }, { &nvme_sanitize, 0x81, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
		const struct page *page = logs[i].page;
		struct drive_facts none = { 0 }, all = { .nvme_has_self_tests = true, .nvme_has_groups = true, .nvme_has_sanitize = true };

		assert_int_equal(page->is_offered(page, &none), logs[i].is_always);
		assert_true(page->is_offered(page, &all));
		all.nvme_has_log_list = true;		/* and it is not in there */
		assert_false(page->is_offered(page, &all));
		facts_set_bit(all.nvme_logs, logs[i].log);
		assert_true(page->is_offered(page, &all));
		none.nvme_has_log_list = true;		/* the list alone does not do where a capability must be told, too */
		facts_set_bit(none.nvme_logs, logs[i].log);
		assert_int_equal(page->is_offered(page, &none), logs[i].is_always);
	}
}

/* ---- the PCIe link */

static void the_link_is_told_as_it_is_and_as_it_could_be(void **state)
{
	const uint8_t raw[] = { 0, 80, 2, 1, 0x40, 4, 0xee };
	struct page page = nvme_pcie_link;
	struct collect c;

	page.place = "0000:01:00.0";
	every_truncation_is_refused(&page, raw, 6);
	collect_begin(&c);
	assert_decoded(&page, raw, sizeof raw, &c);
	assert_int_equal(c.set.n, 4);
	assert_sample(&c, 8e9, drive_link_speed_bits_per_second, "0000:01:00.0", "drive");
	assert_sample(&c, 32e9, drive_link_speed_max_bits_per_second, "0000:01:00.0", "drive");
	assert_sample(&c, 2, drive_link_width, "0000:01:00.0", "drive");
	assert_sample(&c, 4, drive_link_width_max, "0000:01:00.0", "drive");
	collect_end(&c);
}

static void what_the_kernel_does_not_know_of_a_link_is_absent(void **state)
{
	static const uint16_t families[] = {
		drive_link_speed_bits_per_second, drive_link_width, drive_link_speed_max_bits_per_second, drive_link_width_max,
	};
	static const size_t at[] = { 0, 2, 3, 5 }, width[] = { 2, 1, 2, 1 };
	struct page page = nvme_pcie_link;
	struct collect c;

	page.place = "nvme0";
	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		uint8_t raw[6] = { 0, 25, 1, 0, 50, 2 };

		memset(raw + at[i], 0, width[i]);
		assert_decoded(&page, raw, sizeof raw, &c);
		assert_int_equal(c.set.n, 3);
		assert_no_sample(&c, families[i], "nvme0", "drive");
	}
	assert_decoded(&page, (const uint8_t[6]){ 0 }, 6, &c);
	assert_int_equal(c.set.n, 0);
	assert_decoded(&page, (const uint8_t[6]){ 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 6, &c);
	assert_sample(&c, 6553500000000, drive_link_speed_bits_per_second, "nvme0", "drive");
	assert_no_sample(&c, drive_link_width_max, "nvme0", "drive");
	for (unsigned lanes = 0; lanes < 256; lanes++) {
		bool is_one = lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8 || lanes == 12 || lanes == 16 || lanes == 32;

		assert_decoded(&page, (const uint8_t[6]){ 0, 25, (uint8_t)lanes, 0, 25, 4 }, 6, &c);
		assert_int_equal(c.set.n, is_one ? 4 : 3);	/* 63: it does not answer */
	}
	collect_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(firmware_slots_are_told_with_what_they_hold),
		cmocka_unit_test(every_slot_may_be_the_active_or_the_next),
		cmocka_unit_test(a_drive_that_was_never_tested_tells_no_test),
		cmocka_unit_test(each_result_of_a_self_test_has_its_word),
		cmocka_unit_test(each_type_of_self_test_has_its_word),
		cmocka_unit_test(all_twenty_results_count_and_the_newest_is_told),
		cmocka_unit_test(a_test_that_runs_hides_the_one_before),
		cmocka_unit_test(rows_of_a_group_stand_apart_and_move_alone),
		cmocka_unit_test(a_group_counts_in_billions_of_bytes),
		cmocka_unit_test(a_group_may_be_worn_past_one),
		cmocka_unit_test(a_group_leaves_out_what_it_does_not_tell),
		cmocka_unit_test(the_only_group_tells_what_the_flash_took),
		cmocka_unit_test(each_warning_of_a_group_has_its_bit),
		cmocka_unit_test(counters_of_a_group_never_fall),
		cmocka_unit_test(each_state_of_sanitize_has_its_word),
		cmocka_unit_test(a_drive_that_was_never_sanitized_answers_with_zeroes),
		cmocka_unit_test(errors_from_before_the_first_visit_are_not_ours),
		cmocka_unit_test(entries_that_came_since_are_told_by_type),
		cmocka_unit_test(what_the_log_no_longer_holds_is_unseen),
		cmocka_unit_test(what_was_read_before_stands_for_nothing_new),
		cmocka_unit_test(entries_may_have_numbers_of_their_own),
		cmocka_unit_test(a_count_that_falls_begins_anew),
		cmocka_unit_test(the_count_may_grow_while_the_log_is_not_read),
		cmocka_unit_test(a_counter_of_errors_at_its_end_is_no_harm),
		cmocka_unit_test(an_error_log_ends_with_an_entry),
		cmocka_unit_test(a_refused_error_log_tells_no_zeroes),
		cmocka_unit_test(a_torn_health_log_counts_no_errors),
		cmocka_unit_test(a_log_is_asked_where_the_controller_says_that_it_has_it),
		cmocka_unit_test(the_link_is_told_as_it_is_and_as_it_could_be),
		cmocka_unit_test(what_the_kernel_does_not_know_of_a_link_is_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
