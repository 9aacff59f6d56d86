/* page/: ATA IDENTIFY DEVICE, the log directory, Device Statistics. */
#include "page_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512 };

static void put_word(uint8_t *raw, size_t word, uint16_t value)
{
	raw[2 * word] = (uint8_t)value;
	raw[2 * word + 1] = (uint8_t)(value >> 8);
}

static void put_words(uint8_t *raw, size_t word, uint64_t value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_word(raw, word + i, (uint16_t)(value >> 16 * i));
}

/* Padded with blanks, the bytes of each word swapped. */
static void put_text(uint8_t *raw, size_t word, size_t n_words, const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < n_words * 2; i++)
		raw[2 * word + (i ^ 1)] = (uint8_t)(i < length ? text[i] : ' ');
}

/* An SSD of 480 GB as its maker would like it. */
static void make_identify(uint8_t raw[SECTOR])
{
	memset(raw, 0, SECTOR);
	put_text(raw, 10, 10, "  S1NXNSAF");
	put_text(raw, 23, 4, "EXM02B6Q");
	put_text(raw, 27, 20, "ACME SSD  480GB");
	put_word(raw, 49, 1 << 9);
	put_words(raw, 60, 0x0fffffff, 2);
	put_word(raw, 82, 1);
	put_word(raw, 83, 0x4400);
	put_word(raw, 84, 0x4023);
	put_word(raw, 85, 1);
	put_word(raw, 87, 0x4123);
	put_words(raw, 100, 937703088, 4);
	put_word(raw, 108, 0x5002);
	put_word(raw, 109, 0x538d);
	put_word(raw, 110, 0x0001);
	put_word(raw, 111, 0x00ab);
	put_word(raw, 168, 3);
	put_word(raw, 217, 1);
}

static struct drive_facts *learned(const uint8_t raw[SECTOR])
{
	static struct drive_facts facts;

	memset(&facts, 0, sizeof facts);
	assert_false(failed(learn_exactly(&ata_identify, raw, SECTOR, &facts)));
	return &facts;
}

static void identify_says_who_the_drive_is(void **state)
{
	uint8_t raw[SECTOR];
	const struct drive_facts *facts;

	make_identify(raw);
	facts = learned(raw);
	assert_true(facts->has_identify);
	assert_memory_equal(facts->identify, raw, SECTOR);
	assert_string_equal(facts->serial, "S1NXNSAF");
	assert_string_equal(facts->firmware, "EXM02B6Q");
	assert_string_equal(facts->model, "ACME SSD  480GB");	/* blanks within are its own */
	assert_string_equal(facts->wwn, "5002538d000100ab");
	assert_string_equal(facts->form_factor, "2.5in");
	assert_int_equal(facts->rpm, 0);
	assert_int_equal(facts->logical_block, 512);
	assert_true(facts->capacity_bytes == 480103981056);
	assert_true(facts->has_smart && facts->has_smart_log && facts->has_gp_log);
}

static void a_zero_byte_does_not_end_a_string(void **state)
{
	uint8_t raw[SECTOR];

	make_identify(raw);
	put_text(raw, 10, 10, "S1 Z9");
	raw[10 * 2 + 3] = 0;		/* the blank: bytes of a word stand swapped */
	assert_string_equal(learned(raw)->serial, "S1 Z9");
}

static void identify_of_any_other_length_is_refused(void **state)
{
	uint8_t raw[SECTOR + 1] = { 0 };

	make_identify(raw);
	every_truncation_is_refused(&ata_identify, raw, SECTOR);
	assert_failed(learn_exactly(&ata_identify, raw, SECTOR + 1, &(struct drive_facts){ 0 }), "is not 512 bytes");
}

static void rubbish_is_no_identify(void **state)
{
	struct drive_facts facts = { .model = "kept" };
	uint8_t raw[SECTOR] = { 0 };

	assert_failed(learn_exactly(&ata_identify, raw, SECTOR, &facts), "empty");
	memset(raw, 0xff, SECTOR);
	assert_failed(learn_exactly(&ata_identify, raw, SECTOR, &facts), "empty");
	memset(raw, ' ', SECTOR);
	assert_failed(learn_exactly(&ata_identify, raw, SECTOR, &facts), "names no model");
	assert_string_equal(facts.model, "kept");
}

static void a_wrong_checksum_of_identify_is_forgiven(void **state)
{
	uint8_t raw[SECTOR];

	make_identify(raw);
	put_word(raw, 255, 0x00a5);
	assert_string_equal(learned(raw)->firmware, "EXM02B6Q");
}

/* A firmware update may change what an attribute is; the hourly look at the same drive must not cost its names. */
static void names_of_attributes_go_with_model_and_firmware(void **state)
{
	struct drive_facts *facts;
	uint8_t raw[SECTOR];

	make_identify(raw);
	facts = learned(raw);
	facts->attribute_ids[0] = 9;
	put_text(raw, 10, 10, "ANOTHER");
	assert_false(failed(learn_exactly(&ata_identify, raw, SECTOR, facts)));
	assert_int_equal(facts->attribute_ids[0], 9);
	put_text(raw, 23, 4, "EXM03B6Q");
	assert_false(failed(learn_exactly(&ata_identify, raw, SECTOR, facts)));
	assert_int_equal(facts->attribute_ids[0], 0);
	facts->attribute_ids[0] = 9;
	put_text(raw, 27, 20, "ACME SSD  960GB");
	assert_false(failed(learn_exactly(&ata_identify, raw, SECTOR, facts)));
	assert_int_equal(facts->attribute_ids[0], 0);
}

static void a_name_counts_only_where_it_is_valid(void **state)
{
	uint8_t raw[SECTOR];

	make_identify(raw);
	put_word(raw, 87, 0x4023);
	assert_string_equal(learned(raw)->wwn, "");
	put_word(raw, 87, 0xffff);
	assert_string_equal(learned(raw)->wwn, "");
	put_word(raw, 87, 0x4123);
	put_words(raw, 108, 0, 4);
	assert_string_equal(learned(raw)->wwn, "");
	put_words(raw, 108, UINT64_MAX, 4);
	assert_string_equal(learned(raw)->wwn, "");
}

static void blocks_of_4096_bytes_count(void **state)
{
	uint8_t raw[SECTOR];

	make_identify(raw);
	put_word(raw, 106, 0x5000);
	put_words(raw, 117, 2048, 2);
	put_words(raw, 100, 1000, 4);
	put_words(raw, 60, 900, 2);
	assert_int_equal(learned(raw)->logical_block, 4096);
	assert_true(learned(raw)->capacity_bytes == 4096000);
	assert_int_equal(learned(raw)->physical_block, 4096);
	put_word(raw, 106, 0x9000);	/* not valid: 512 */
	assert_int_equal(learned(raw)->logical_block, 512);
	assert_int_equal(learned(raw)->physical_block, 0);
	put_word(raw, 106, 0x6003);	/* only the physical sector is longer */
	assert_int_equal(learned(raw)->logical_block, 512);
	assert_int_equal(learned(raw)->physical_block, 4096);
	put_word(raw, 106, 0x5000);
	put_words(raw, 117, 7, 2);	/* a length that cannot be: neither blocks nor bytes are known */
	assert_int_equal(learned(raw)->logical_block, 0);
	assert_true(learned(raw)->capacity_bytes == 0);
}

static void the_largest_count_of_sectors_is_the_capacity(void **state)
{
	uint8_t raw[SECTOR];

	make_identify(raw);
	put_word(raw, 83, 0x4000);	/* no 48-bit addresses */
	assert_true(learned(raw)->capacity_bytes == 0x0fffffffull * 512);
	put_word(raw, 83, 0x4400);
	put_word(raw, 69, 1 << 3);
	put_words(raw, 230, 1ull << 48, 4);
	assert_true(learned(raw)->capacity_bytes == 512ull << 48);
	put_words(raw, 230, UINT64_MAX, 4);	/* more bytes than a number holds: the other counts stand */
	assert_true(learned(raw)->capacity_bytes == 480103981056);
	put_word(raw, 69, 0);
	assert_true(learned(raw)->capacity_bytes == 480103981056);
	put_words(raw, 60, 0x0fffffff, 2);
	put_words(raw, 100, UINT64_MAX, 4);	/* more than 28 bits can say, and rubbish where it should be said */
	assert_true(learned(raw)->capacity_bytes == 0);
}

static void rotation_is_told_or_not(void **state)
{
	static const struct {
		uint16_t word;
		int32_t rpm;
	} cases[] = { { 0, -1 }, { 1, 0 }, { 2, -1 }, { 0x400, -1 }, { 0x401, 1025 }, { 7200, 7200 }, { 0xfffe, 65534 },
		      { 0xffff, -1 } };
	uint8_t raw[SECTOR];

	make_identify(raw);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put_word(raw, 217, cases[i].word);
		assert_int_equal(learned(raw)->rpm, cases[i].rpm);
	}
	put_word(raw, 168, 0xffff);
	assert_null(learned(raw)->form_factor);
	put_word(raw, 168, 7);
	assert_string_equal(learned(raw)->form_factor, "M.2");
}

static void what_is_not_enabled_is_not_asked(void **state)
{
	static const struct {
		uint16_t w82, w83, w84, w85, w87;
		bool smart, smart_log, gp_log;
	} cases[] = {
		{ 1, 0x4400, 0x4023, 1, 0x4023, true, true, true },
		{ 1, 0x4400, 0x4023, 0, 0x4023, false, false, true },	/* SMART is off */
		{ 0, 0x4400, 0x4023, 1, 0x4023, false, false, true },
		{ 1, 0x4400, 0x4023, 1, 0x4003, true, true, false },
		{ 1, 0x4400, 0x4003, 1, 0x4023, true, true, false },
		{ 1, 0x4400, 0x4002, 1, 0x4002, true, true, false },	/* self-test log alone */
		{ 1, 0x4000, 0x0000, 0, 0x0000, true, false, false },	/* ATA-3: words from 84 on say nothing */
		{ 1, 0x4000, 0xffff, 0xffff, 0xffff, true, false, false },
		{ 0xffff, 0xffff, 0xffff, 0xffff, 0xffff, false, false, false },	/* ATA-1 */
		{ 0, 0, 0, 0, 0, false, false, false },
	};
	uint8_t raw[SECTOR];

	make_identify(raw);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct drive_facts *facts;

		put_word(raw, 82, cases[i].w82);
		put_word(raw, 83, cases[i].w83);
		put_word(raw, 84, cases[i].w84);
		put_word(raw, 85, cases[i].w85);
		put_word(raw, 87, cases[i].w87);
		facts = learned(raw);
		assert_int_equal(facts->has_smart, cases[i].smart);
		assert_int_equal(facts->has_smart_log, cases[i].smart_log);
		assert_int_equal(facts->has_gp_log, cases[i].gp_log);
		assert_int_equal(facts->has_smart_log, facts->has_smart_error_log || facts->has_smart_self_test_log);
		assert_int_equal(ata_smart_data.is_offered(&ata_smart_data, facts), cases[i].smart);
		assert_int_equal(ata_smart_status.is_offered(&ata_smart_status, facts), cases[i].smart);
		assert_int_equal(ata_log_directory.is_offered(&ata_log_directory, facts), cases[i].gp_log);
	}
}

static void the_link_is_told_where_there_is_one(void **state)
{
	static const struct {
		uint16_t w76, w77;
		double now, max;	/* 0: not told */
	} cases[] = {
		{ 0x850e, 0x00c6, 6e9, 6e9 },	/* what else stands in word 77 does not matter */
		{ 0x850e, 0x0004, 3e9, 6e9 }, { 0x0506, 0x0002, 1.5e9, 3e9 }, { 0x0102, 0x0000, 0, 1.5e9 },
		{ 0x850e, 0x0008, 0, 6e9 },	/* a generation that there is not */
		{ 0x0100, 0x0006, 6e9, 0 }, { 0x0000, 0x0006, 0, 0 }, { 0xffff, 0xffff, 0, 0 },	/* parallel */
	};
	uint8_t raw[SECTOR];
	struct collect c;

	collect_begin(&c);
	make_identify(raw);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double now, max;

		put_word(raw, 76, cases[i].w76);
		put_word(raw, 77, cases[i].w77);
		assert_false(failed(decode_exactly(&ata_identify, raw, SECTOR, learned(raw), &c)));
		now = collect_value(&c, drive_link_speed_bits_per_second, "0", "drive");
		max = collect_value(&c, drive_link_speed_max_bits_per_second, "0", "drive");
		assert_true(cases[i].now > 0 ? now == cases[i].now : isnan(now));
		assert_true(cases[i].max > 0 ? max == cases[i].max : isnan(max));
	}
	put_word(raw, 76, 0x040e);
	assert_true(learned(raw)->has_phy_events);
	put_word(raw, 76, 0x030e);
	assert_false(learned(raw)->has_phy_events);
	put_word(raw, 76, 0xffff);
	assert_false(learned(raw)->has_phy_events);
	collect_end(&c);
}

static void trim_and_sct_are_a_bit_each(void **state)
{
	uint8_t raw[SECTOR];
	struct collect c;

	collect_begin(&c);
	make_identify(raw);
	assert_false(failed(decode_exactly(&ata_identify, raw, SECTOR, learned(raw), &c)));
	assert_sample(&c, 0, drive_ata_trim_supported, NULL);
	assert_false(learned(raw)->has_sct);
	put_word(raw, 169, 1);
	put_word(raw, 206, 0x003d);
	assert_false(failed(decode_exactly(&ata_identify, raw, SECTOR, learned(raw), &c)));
	assert_sample(&c, 1, drive_ata_trim_supported, NULL);
	assert_true(learned(raw)->has_sct);
	put_word(raw, 169, 0xffff);
	put_word(raw, 206, 0xffff);
	assert_false(failed(decode_exactly(&ata_identify, raw, SECTOR, learned(raw), &c)));
	assert_no_sample(&c, drive_ata_trim_supported, NULL);
	assert_false(learned(raw)->has_sct);
	collect_end(&c);
}

/* ---- logs */

static void make_directory(uint8_t raw[SECTOR])
{
	memset(raw, 0, SECTOR);
	put_word(raw, 0, 1);
	put_word(raw, 4, 8);
	put_word(raw, 0xff, 0x1234);
}

static void the_directory_gives_each_log_its_length(void **state)
{
	struct drive_facts facts = { .has_gp_log = true };
	uint8_t raw[SECTOR];

	make_directory(raw);
	assert_false(ata_statistics_list.is_offered(&ata_statistics_list, &facts));
	assert_false(failed(learn_exactly(&ata_log_directory, raw, SECTOR, &facts)));
	assert_true(facts.has_log_directory);
	assert_int_equal(facts.gp_log_pages[0], 0);
	assert_int_equal(facts.gp_log_pages[4], 8);
	assert_int_equal(facts.gp_log_pages[0xff], 0x1234);
	assert_true(ata_statistics_list.is_offered(&ata_statistics_list, &facts));
	every_truncation_is_refused(&ata_log_directory, raw, SECTOR);

	put_word(raw, 4, 0);
	assert_false(failed(learn_exactly(&ata_log_directory, raw, SECTOR, &facts)));
	assert_false(ata_statistics_list.is_offered(&ata_statistics_list, &facts));
	memset(raw, 0, SECTOR);
	assert_failed(learn_exactly(&ata_log_directory, raw, SECTOR, &facts), "empty");
	memset(raw, 0xff, SECTOR);
	assert_failed(learn_exactly(&ata_log_directory, raw, SECTOR, &facts), "is no log directory");
	assert_int_equal(facts.gp_log_pages[0xff], 0x1234);
}

/* A page of statistics, each of the value 1, supported and valid. */
static void make_statistics(uint8_t raw[SECTOR], uint8_t number)
{
	memset(raw, 0, SECTOR);
	raw[0] = 1;
	raw[2] = number;
	for (size_t at = 8; at < SECTOR; at += 8) {
		raw[at] = 1;
		raw[at + 7] = 0xc0;
	}
}

static bool is_offered(const struct page *page, const struct drive_facts *facts)
{
	return page->is_offered(page, facts);
}

static void a_page_is_asked_only_where_the_list_names_it(void **state)
{
	struct drive_facts facts = { .has_gp_log = true, .has_log_directory = true, .gp_log_pages = { [4] = 8 } };
	uint8_t raw[SECTOR] = { 1, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 7, 0xff, 5 };

	assert_false(is_offered(&ata_statistics_run_1, &facts));
	assert_false(failed(learn_exactly(&ata_statistics_list, raw, SECTOR, &facts)));
	assert_true(is_offered(&ata_statistics_run_1, &facts));
	assert_true(is_offered(&ata_statistics_run_7, &facts));
	assert_false(is_offered(&ata_statistics_run_5, &facts));	/* 05h stands after the last entry */
	assert_true(facts_bit(facts.statistics_pages, 0xff));
	facts.gp_log_pages[4] = 6;	/* a directory too short for page 07h: Kingston SEDC400 lists and has it */
	assert_false(is_offered(&ata_statistics_run_7, &facts));
	assert_true(is_offered(&ata_solid_state_statistics, &facts));
	facts.gp_log_pages[4] = 0;
	assert_false(is_offered(&ata_solid_state_statistics, &facts));

	every_truncation_is_refused(&ata_statistics_list, raw, SECTOR);
	raw[2] = 1;
	assert_failed(learn_exactly(&ata_statistics_list, raw, SECTOR, &facts), "answered with another page");
	memset(raw, 0, SECTOR);
	assert_failed(learn_exactly(&ata_statistics_list, raw, SECTOR, &facts), "empty");
	assert_true(facts_bit(facts.statistics_pages, 0xff));
}

static size_t place_of(const struct page_field *field)
{
	return field->at;
}

static const struct page *const runs[] = {
	&ata_statistics_run_1, &ata_statistics_run_2, &ata_statistics_run_3, &ata_statistics_run_4, &ata_statistics_run_5,
	&ata_statistics_run_6, &ata_statistics_run_7,
};
static const struct page *const statistics[] = {
	&ata_general_statistics, &ata_free_fall_statistics, &ata_rotating_statistics, &ata_error_statistics,
	&ata_temperature_statistics, &ata_transport_statistics, &ata_solid_state_statistics,
};

static void statistics_are_numbered_as_their_place_is(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(statistics); i++) {
		assert_int_equal(statistics[i]->command.key[KEY_LOG_PAGE], i + 1);
		assert_memory_equal(&runs[i]->command, &statistics[i]->command, sizeof runs[i]->command);
		assert_ptr_equal(runs[i]->fields, statistics[i]->fields);
		for (size_t k = 0; k < statistics[i]->n_fields; k++) {
			const struct page_field *field = &statistics[i]->fields[k];
			char page[8], offset[8];

			snprintf(page, sizeof page, "%zu", i + 1);
			snprintf(offset, sizeof offset, "0x%02x", field->at);
			assert_non_null(strstr(field->spec, page));
			assert_non_null(strstr(field->spec, offset));
			if (field->family != drive_ata_statistic)
				continue;
			assert_string_equal(field->label[0], page);
			assert_string_equal(field->label[1], offset);
		}
	}
}

/* SMART attributes tell some of the same quantities, in units that vendors bend; one log tells one of them better
 * still. */
static void ranks_decide_between_logs(void **state)
{
	static const struct {
		const struct page *page;
		unsigned rank;
	} ranks[] = { { &ata_pending_defects, 30 }, { &ata_statistics_run_1, 20 }, { &ata_statistics_run_7, 20 },
		      { &ata_sct_status, 15 }, { &ata_smart_sct_status, 15 } };

	for (size_t i = 0; i < ARRAY_SIZE(ranks); i++)
		for (size_t k = 0; k < ranks[i].page->n_fields; k++) {
			const struct page_field *field = &ranks[i].page->fields[k];
			bool is_told_once = field->family == drive_ata_statistic ||
					    field->family == drive_ata_temperature_limit_events_total;

			assert_int_equal(field->rank, is_told_once ? 0 : ranks[i].rank);
		}
}

static void statistics_stand_apart_and_move_alone(void **state)
{
	uint8_t raw[SECTOR];

	for (size_t i = 0; i < ARRAY_SIZE(statistics); i++) {
		const struct page *page = statistics[i];

		make_statistics(raw, (uint8_t)page->command.key[KEY_LOG_PAGE]);
		fields_are_within_and_apart(page, SECTOR);
		each_field_moves_its_sample(page, raw, SECTOR, place_of);
		every_truncation_is_refused(page, raw, SECTOR);
		for (size_t k = 0; k < page->n_fields; k++)	/* none reads into the flags */
			assert_true(page->fields[k].at % 8 == 0 && page->fields[k].width < 8);
	}
}

/* What counts nothing where the drive normalizes it: all but degrees and per cents. */
static size_t n_counts(const struct page *page)
{
	uint32_t number = page->command.key[KEY_LOG_PAGE];

	return number == 5 || number == 7 ? 0 : page->n_fields;
}

static void a_statistic_without_both_flags_is_absent(void **state)
{
	const struct drive_facts facts = { .logical_block = 512 };
	uint8_t raw[SECTOR];
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(statistics); i++) {
		const struct page *page = statistics[i];

		make_statistics(raw, (uint8_t)page->command.key[KEY_LOG_PAGE]);
		for (unsigned flags = 0; flags < 256; flags++) {
			for (size_t at = 8; at < SECTOR; at += 8)
				raw[at + 7] = (uint8_t)flags;
			assert_false(failed(decode_exactly(page, raw, SECTOR, &facts, &c)));
			if ((flags & 0xc0) != 0xc0)
				assert_int_equal(c.set.n, 0);
			else
				assert_int_equal(c.set.n, page->n_fields - (flags & 0x20 ? n_counts(page) : 0));
		}
	}
	collect_end(&c);
}

static void a_statistics_page_must_be_the_one_asked_for(void **state)
{
	const struct drive_facts facts = { .logical_block = 512 };
	uint8_t raw[SECTOR];
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(statistics); i++) {
		make_statistics(raw, 0);
		assert_failed(decode_exactly(statistics[i], raw, SECTOR, &facts, &c), "answered with another page");
		make_statistics(raw, (uint8_t)(i + 2));
		assert_failed(decode_exactly(statistics[i], raw, SECTOR, &facts, &c), "answered with another page");
		memset(raw, 0, 8);
		assert_failed(decode_exactly(statistics[i], raw, SECTOR, &facts, &c), "empty");
		assert_int_equal(c.set.n, 0);
	}
	collect_end(&c);
}

static void set_statistic(uint8_t *raw, size_t at, uint64_t value)
{
	for (size_t i = 0; i < 7; i++)
		raw[at + i] = (uint8_t)(value >> 8 * i);
}

static void normalized_hours_are_not_learned(void **state)
{
	struct drive_facts facts = { .logical_block = 512 };
	uint8_t raw[SECTOR];

	make_statistics(raw, 1);
	set_statistic(raw, 0x10, 97);
	raw[0x17] = 0xe0;
	assert_false(failed(ata_general_statistics.learn(&ata_general_statistics, bytes_of(raw, SECTOR), &facts)));
	assert_int_equal(facts.power_on_hours, 0);
	raw[0x17] = 0xc0;
	assert_false(failed(ata_general_statistics.learn(&ata_general_statistics, bytes_of(raw, SECTOR), &facts)));
	assert_int_equal(facts.power_on_hours, 97);
}

static uint8_t temperature_rank(void)
{
	const struct page *page = &ata_temperature_statistics;

	for (size_t i = 0; i < page->n_fields; i++)
		if (page->fields[i].family == drive_temperature_celsius)
			return page->fields[i].rank;
	return UINT8_MAX;
}

/* Once more, and alone: it is read more often, and outranks the rest of its page. */
static void the_temperature_now_is_told_alone(void **state)
{
	struct drive_facts facts = { .has_gp_log = true, .has_log_directory = true, .has_statistics_list = true };
	uint8_t raw[SECTOR];
	struct collect c;

	collect_begin(&c);
	make_statistics(raw, 5);
	set_statistic(raw, 0x08, 0xf6);
	assert_false(failed(decode_exactly(&ata_temperature_now, raw, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, 1);
	assert_sample(&c, -10, drive_temperature_celsius, "drive");
	assert_true(ata_temperature_now.period_s < ata_temperature_statistics.period_s);
	assert_true(ata_temperature_now.fields[0].rank > temperature_rank());
	raw[0x0f] = 0x80;
	assert_false(failed(decode_exactly(&ata_temperature_now, raw, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, 0);
	assert_false(ata_temperature_now.is_offered(&ata_temperature_now, &facts));
	facts.gp_log_pages[4] = 8;
	facts_set_bit(facts.statistics_pages, 5);
	assert_true(ata_temperature_now.is_offered(&ata_temperature_now, &facts));
	facts_set_bit(&facts.statistics_wrong, 5);
	assert_false(ata_temperature_now.is_offered(&ata_temperature_now, &facts));
	collect_end(&c);
}

static void general_statistics_become_bytes_and_seconds(void **state)
{
	struct drive_facts facts = { .logical_block = 4096 };
	uint8_t raw[SECTOR];
	struct collect c;

	collect_begin(&c);
	make_statistics(raw, 1);
	set_statistic(raw, 0x10, 10645 | 0xffull << 32);	/* only the four bytes of the field count */
	set_statistic(raw, 0x18, 2999578898);	/* 12.286 TB, if blocks are of 4096 bytes */
	set_statistic(raw, 0x28, 7);
	assert_false(failed(decode_exactly(&ata_general_statistics, raw, SECTOR, &facts, &c)));
	assert_sample(&c, 10645 * 3600.0, drive_power_on_seconds_total, NULL);
	assert_sample(&c, 2999578898 * 4096.0, drive_written_bytes_total, NULL);
	assert_sample(&c, 7 * 4096.0, drive_read_bytes_total, NULL);
	assert_sample(&c, 1, drive_power_cycles_total, NULL);
	assert_sample(&c, 1, drive_pending_sectors, NULL);
	facts.logical_block = 0;
	assert_false(failed(decode_exactly(&ata_general_statistics, raw, SECTOR, &facts, &c)));
	assert_no_sample(&c, drive_written_bytes_total, NULL);
	assert_int_equal(c.n_implausible, 0);
	collect_end(&c);
}

/* ST8000NM017B: 60841830299295 sectors read in 10,645 hours are 813 MB/s, day and night. */
static void more_than_the_link_carries_is_implausible(void **state)
{
	const struct drive_facts facts = { .logical_block = 512 };
	uint8_t raw[SECTOR];
	struct collect c;

	collect_begin(&c);
	make_statistics(raw, 1);
	set_statistic(raw, 0x10, 10645);
	set_statistic(raw, 0x18, 40000000000000);
	set_statistic(raw, 0x28, 60841830299295);
	assert_false(failed(decode_exactly(&ata_general_statistics, raw, SECTOR, &facts, &c)));
	assert_sample(&c, 40000000000000 * 512.0, drive_written_bytes_total, NULL);
	assert_no_sample(&c, drive_read_bytes_total, NULL);
	assert_int_equal(c.n_implausible, 1);

	set_statistic(raw, 0x10, 102 * 365 * 24);	/* 102 years: told by an Intel 520 */
	assert_false(failed(decode_exactly(&ata_general_statistics, raw, SECTOR, &facts, &c)));
	assert_no_sample(&c, drive_power_on_seconds_total, NULL);
	assert_int_equal(c.n_implausible, 2);
	collect_end(&c);
}

static double crc_errors(const struct collect *c)
{
	for (size_t i = 0; i < c->set.n; i++)
		if (c->set.at[i].family == drive_link_errors_total) {
			assert_string_equal(c->set.at[i].label[0], "0");
			assert_string_equal(c->set.at[i].label[1], "crc");
			assert_string_equal(c->set.at[i].label[2], "drive");
			return c->set.at[i].value;
		}
	return NAN;
}

static void counts_stop_at_their_highest_number(void **state)
{
	const struct drive_facts facts = { 0 };
	uint8_t raw[SECTOR];
	struct collect c;

	collect_begin(&c);
	make_statistics(raw, 6);
	set_statistic(raw, 0x18, 0xfffffffe);
	assert_false(failed(decode_exactly(&ata_transport_statistics, raw, SECTOR, &facts, &c)));
	assert_true(crc_errors(&c) == 4294967294);
	set_statistic(raw, 0x18, 0xffffffff);
	assert_false(failed(decode_exactly(&ata_transport_statistics, raw, SECTOR, &facts, &c)));
	assert_true(isnan(crc_errors(&c)));
	make_statistics(raw, 3);
	set_statistic(raw, 0x18, 41912);
	assert_false(failed(decode_exactly(&ata_rotating_statistics, raw, SECTOR, &facts, &c)));
	assert_sample(&c, 41912, drive_mechanical_cycles_total, "load_unload");
	set_statistic(raw, 0x18, 0xffffffff);
	assert_false(failed(decode_exactly(&ata_rotating_statistics, raw, SECTOR, &facts, &c)));
	assert_no_sample(&c, drive_mechanical_cycles_total, "load_unload");
	collect_end(&c);
}

/* Of 1,000,000 sectors a drive may lose 10,000; of 823,389,251 + 1,388,784,389 commands it may fail 22,121,736 and
 * 65,535: Kingston's SEDC400S37960G tells 47,275,262. */
static void more_errors_than_a_drive_survives_are_implausible(void **state)
{
	struct drive_facts facts = { .logical_block = 512, .capacity_bytes = 512000000 };
	uint8_t raw[SECTOR];
	struct collect c;

	collect_begin(&c);
	make_statistics(raw, 1);
	set_statistic(raw, 0x20, 823389251);
	set_statistic(raw, 0x30, 1388784389);
	set_statistic(raw, 0x40, 10001);
	assert_false(failed(learn_exactly(&ata_general_statistics, raw, SECTOR, &facts)));
	assert_true(facts.commands == 2212173640);
	assert_false(failed(decode_exactly(&ata_general_statistics, raw, SECTOR, &facts, &c)));
	assert_no_sample(&c, drive_pending_sectors, NULL);
	make_statistics(raw, 3);
	set_statistic(raw, 0x20, 10000);
	assert_false(failed(decode_exactly(&ata_rotating_statistics, raw, SECTOR, &facts, &c)));
	assert_sample(&c, 10000, drive_reallocated_sectors, NULL);
	assert_int_equal(c.n_implausible, 1);

	make_statistics(raw, 4);
	set_statistic(raw, 0x08, 22187271);
	assert_false(failed(decode_exactly(&ata_error_statistics, raw, SECTOR, &facts, &c)));
	assert_sample(&c, 22187271, drive_uncorrected_errors_total, "all");
	set_statistic(raw, 0x08, 47275262);
	assert_false(failed(decode_exactly(&ata_error_statistics, raw, SECTOR, &facts, &c)));
	assert_no_sample(&c, drive_uncorrected_errors_total, "all");
	assert_int_equal(c.n_implausible, 2);
	facts.commands = 0;		/* not known: nothing to judge by */
	assert_false(failed(decode_exactly(&ata_error_statistics, raw, SECTOR, &facts, &c)));
	assert_sample(&c, 47275262, drive_uncorrected_errors_total, "all");
	collect_end(&c);
}

static void temperatures_are_signed_and_80h_is_none(void **state)
{
	const struct drive_facts facts = { 0 };
	uint8_t raw[SECTOR];
	struct collect c;

	collect_begin(&c);
	make_statistics(raw, 5);
	set_statistic(raw, 0x08, 0xf6);
	set_statistic(raw, 0x58, 70);
	assert_false(failed(decode_exactly(&ata_temperature_statistics, raw, SECTOR, &facts, &c)));
	assert_sample(&c, -10, drive_temperature_celsius, "drive");
	assert_sample(&c, 70, drive_temperature_limit_celsius, "specified");
	assert_sample(&c, 1, drive_temperature_limit_celsius, "low_specified");
	assert_sample(&c, 1, drive_temperature_extreme_celsius, "drive", "highest");
	assert_sample(&c, 1, drive_temperature_extreme_celsius, "drive", "lowest");
	set_statistic(raw, 0x08, 0x80);
	set_statistic(raw, 0x58, 0x7f);
	assert_false(failed(decode_exactly(&ata_temperature_statistics, raw, SECTOR, &facts, &c)));
	assert_no_sample(&c, drive_temperature_celsius, "drive");
	assert_int_equal(c.n_implausible, 1);	/* no drive may run at 127 degrees */
	collect_end(&c);
}

static void wear_may_pass_one(void **state)
{
	static const uint8_t percents[] = { 0, 42, 100, 104, 130, 254, 255 };
	const struct drive_facts facts = { 0 };
	uint8_t raw[SECTOR];
	struct collect c;

	collect_begin(&c);
	make_statistics(raw, 7);
	for (size_t i = 0; i < ARRAY_SIZE(percents); i++) {
		set_statistic(raw, 0x08, percents[i]);
		assert_false(failed(decode_exactly(&ata_solid_state_statistics, raw, SECTOR, &facts, &c)));
		assert_sample(&c, percents[i] / 100.0, drive_endurance_used_ratio, NULL);
	}
	collect_end(&c);
}

/* ---- several pages by one command */

/* The facts of a drive that lists these pages: a bit each. */
static struct drive_facts listing(uint8_t numbers)
{
	return (struct drive_facts){ .logical_block = 512, .has_log_directory = true, .gp_log_pages = { [4] = 8 },
				     .has_statistics_list = true, .statistics_pages = { numbers } };
}

/* "1x3 5 =7" says: three pages from 01h on by one command, 05h as a run of one; 07h is asked alone. */
static const char *plan_of(const struct drive_facts *facts)
{
	static char text[64];
	size_t n = 0;

	text[0] = 0;
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		const char *blank = n ? " " : "";

		if (is_offered(runs[i], facts)) {
			uint32_t count = runs[i]->count(runs[i], facts);

			n += (size_t)snprintf(text + n, sizeof text - n, "%s%zu", blank, i + 1);
			if (count)
				n += (size_t)snprintf(text + n, sizeof text - n, "x%u", (unsigned)count);
			blank = " ";
		}
		if (is_offered(statistics[i], facts))
			n += (size_t)snprintf(text + n, sizeof text - n, "%s=%zu", blank, i + 1);
	}
	return text;
}

static struct page counted(const struct page *page, const struct drive_facts *facts)
{
	struct page copy = *page;

	copy.command.key[KEY_COUNT] = page->count(page, facts);
	return copy;
}

static void pages_that_follow_each_other_are_read_together(void **state)
{
	static const struct {
		uint8_t numbers;	/* bit 0 is page 00h, which is read before */
		const char *plan;
	} cases[] = {
		{ 0xff, "1x7" }, { 0x01, "" }, { 0x03, "1" }, { 0xf3, "1 4x4" }, { 0x7b, "1 3x4" }, { 0xab, "1 3 5 7" },
		{ 0xfd, "2x6" }, { 0x81, "7" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct drive_facts facts = listing(cases[i].numbers);

		assert_string_equal(plan_of(&facts), cases[i].plan);
	}
}

static void pages_past_the_end_of_the_log_are_asked_alone(void **state)
{
	struct drive_facts facts = listing(0xf3);	/* as Kingston's SEDC400 */

	facts.gp_log_pages[4] = 6;
	assert_string_equal(plan_of(&facts), "1 4x2 =6 =7");
	facts.gp_log_pages[4] = 1;
	assert_string_equal(plan_of(&facts), "=1 =4 =5 =6 =7");
}

static void a_drive_that_refuses_several_is_asked_one_by_one(void **state)
{
	struct drive_facts facts = listing(0xf3);
	struct page run = counted(&ata_statistics_run_1, &facts);

	run.refused(&run, &facts);
	assert_string_equal(plan_of(&facts), "1 4x4");	/* one page was refused: no less can be asked for */
	run = counted(&ata_statistics_run_4, &facts);
	run.refused(&run, &facts);
	assert_string_equal(plan_of(&facts), "1 =4 =5 =6 =7");
}

/* Seven pages of which each statistic is 1, at once. */
static void make_run(uint8_t raw[7 * SECTOR])
{
	for (uint8_t i = 0; i < 7; i++)
		make_statistics(raw + i * SECTOR, (uint8_t)(i + 1));
}

static size_t rows_of_all(void)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(statistics); i++)
		n += statistics[i]->n_fields;
	return n;
}

static void a_run_tells_what_its_pages_tell(void **state)
{
	struct drive_facts facts = listing(0xff);
	struct page run = counted(&ata_statistics_run_1, &facts);
	uint8_t raw[7 * SECTOR + 1] = { 0 };
	struct collect c;

	collect_begin(&c);
	make_run(raw);
	set_statistic(raw, 0x10, 4000);
	every_truncation_is_refused(&run, raw, 7 * SECTOR);
	assert_failed(decode_exactly(&run, raw, 7 * SECTOR + 1, &facts, &c), "is not as many pages as asked for");
	assert_failed(decode_exactly(&ata_statistics_run_1, raw, SECTOR - 1, &facts, &c), "is not 512 bytes");
	assert_false(failed(learn_exactly(&run, raw, 7 * SECTOR, &facts)));
	assert_int_equal(facts.power_on_hours, 4000);
	assert_true(facts.commands == 2);
	assert_false(failed(decode_exactly(&run, raw, 7 * SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, rows_of_all());
	assert_sample(&c, 4000 * 3600.0, drive_power_on_seconds_total, NULL);
	assert_sample(&c, 0.01, drive_endurance_used_ratio, NULL);
	assert_string_equal(plan_of(&facts), "1x7");
	collect_end(&c);
}

static void a_wrong_page_costs_the_others_nothing(void **state)
{
	struct drive_facts facts = listing(0xff);
	struct page run = counted(&ata_statistics_run_1, &facts);
	uint8_t raw[7 * SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	make_run(raw);
	memset(raw + 2 * SECTOR, 0, SECTOR);	/* 03h is empty */
	raw[4 * SECTOR + 2] = 1;		/* 05h says that it is 01h */
	assert_false(failed(learn_exactly(&run, raw, sizeof raw, &facts)));
	assert_false(failed(decode_exactly(&run, raw, sizeof raw, &facts, &c)));
	assert_int_equal(c.set.n, rows_of_all() - ata_rotating_statistics.n_fields - ata_temperature_statistics.n_fields);
	assert_string_equal(plan_of(&facts), "1x7 =3 =5");	/* where their failure is seen */

	make_run(raw);		/* if they come right later, they are told where they were told before */
	assert_false(failed(learn_exactly(&run, raw, sizeof raw, &facts)));
	assert_false(failed(decode_exactly(&run, raw, sizeof raw, &facts, &c)));
	assert_int_equal(c.set.n, rows_of_all() - ata_rotating_statistics.n_fields - ata_temperature_statistics.n_fields);
	assert_false(failed(decode_exactly(&ata_rotating_statistics, raw + 2 * SECTOR, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, ata_rotating_statistics.n_fields);
	assert_string_equal(plan_of(&facts), "1x7 =3 =5");
	collect_end(&c);
}

static void a_page_that_was_right_before_stays_with_its_run(void **state)
{
	struct drive_facts facts = listing(0xff);
	struct page run = counted(&ata_statistics_run_1, &facts);
	uint8_t raw[7 * SECTOR];
	struct collect c;

	collect_begin(&c);
	make_run(raw);
	assert_false(failed(learn_exactly(&run, raw, sizeof raw, &facts)));
	memset(raw + 6 * SECTOR, 0, SECTOR);
	assert_false(failed(learn_exactly(&run, raw, sizeof raw, &facts)));
	assert_false(failed(decode_exactly(&run, raw, sizeof raw, &facts, &c)));
	assert_int_equal(c.set.n, rows_of_all() - ata_solid_state_statistics.n_fields);
	assert_string_equal(plan_of(&facts), "1x7 =7");	/* seen there */
	assert_failed(decode_exactly(&ata_solid_state_statistics, raw + 6 * SECTOR, SECTOR, &facts, &c), "empty");
	make_run(raw);
	assert_false(failed(decode_exactly(&ata_solid_state_statistics, raw + 6 * SECTOR, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, 0);	/* but not told */
	assert_false(failed(learn_exactly(&run, raw, sizeof raw, &facts)));
	assert_false(failed(decode_exactly(&run, raw, sizeof raw, &facts, &c)));
	assert_int_equal(c.set.n, rows_of_all());
	assert_string_equal(plan_of(&facts), "1x7");
	collect_end(&c);
}

static void where_all_are_wrong_the_run_fails(void **state)
{
	struct drive_facts facts = listing(0xff);
	struct page run = counted(&ata_statistics_run_1, &facts);
	uint8_t raw[7 * SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	assert_failed(learn_exactly(&run, raw, sizeof raw, &facts), "empty");
	assert_failed(decode_exactly(&run, raw, sizeof raw, &facts, &c), "empty");
	assert_int_equal(facts.statistics_wrong, 0);
	assert_failed(learn_exactly(&ata_statistics_run_7, raw, SECTOR, &facts), "empty");
	assert_int_equal(facts.statistics_wrong, 0);
	assert_int_equal(c.set.n, 0);
	collect_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identify_says_who_the_drive_is),
		cmocka_unit_test(a_zero_byte_does_not_end_a_string),
		cmocka_unit_test(identify_of_any_other_length_is_refused),
		cmocka_unit_test(rubbish_is_no_identify),
		cmocka_unit_test(a_wrong_checksum_of_identify_is_forgiven),
		cmocka_unit_test(names_of_attributes_go_with_model_and_firmware),
		cmocka_unit_test(a_name_counts_only_where_it_is_valid),
		cmocka_unit_test(blocks_of_4096_bytes_count),
		cmocka_unit_test(the_largest_count_of_sectors_is_the_capacity),
		cmocka_unit_test(rotation_is_told_or_not),
		cmocka_unit_test(what_is_not_enabled_is_not_asked),
		cmocka_unit_test(the_link_is_told_where_there_is_one),
		cmocka_unit_test(trim_and_sct_are_a_bit_each),
		cmocka_unit_test(the_directory_gives_each_log_its_length),
		cmocka_unit_test(a_page_is_asked_only_where_the_list_names_it),
		cmocka_unit_test(statistics_are_numbered_as_their_place_is),
		cmocka_unit_test(ranks_decide_between_logs),
		cmocka_unit_test(statistics_stand_apart_and_move_alone),
		cmocka_unit_test(a_statistic_without_both_flags_is_absent),
		cmocka_unit_test(a_statistics_page_must_be_the_one_asked_for),
		cmocka_unit_test(normalized_hours_are_not_learned),
		cmocka_unit_test(the_temperature_now_is_told_alone),
		cmocka_unit_test(general_statistics_become_bytes_and_seconds),
		cmocka_unit_test(more_than_the_link_carries_is_implausible),
		cmocka_unit_test(counts_stop_at_their_highest_number),
		cmocka_unit_test(more_errors_than_a_drive_survives_are_implausible),
		cmocka_unit_test(temperatures_are_signed_and_80h_is_none),
		cmocka_unit_test(wear_may_pass_one),
		cmocka_unit_test(pages_that_follow_each_other_are_read_together),
		cmocka_unit_test(pages_past_the_end_of_the_log_are_asked_alone),
		cmocka_unit_test(a_drive_that_refuses_several_is_asked_one_by_one),
		cmocka_unit_test(a_run_tells_what_its_pages_tell),
		cmocka_unit_test(a_wrong_page_costs_the_others_nothing),
		cmocka_unit_test(a_page_that_was_right_before_stays_with_its_run),
		cmocka_unit_test(where_all_are_wrong_the_run_fails),
	};

	return cmocka_run_group_tests_name("page: ATA identify and logs", tests, NULL, NULL);
}
