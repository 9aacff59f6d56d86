/* page/: ATA IDENTIFY DEVICE, the log directory, Device Statistics. */
#include "page_common.h"

#include <math.h>
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
	put_word(raw, 106, 0x9000);	/* not valid: 512 */
	assert_int_equal(learned(raw)->logical_block, 512);
	put_word(raw, 106, 0x6003);	/* only the physical sector is longer */
	assert_int_equal(learned(raw)->logical_block, 512);
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
		assert_int_equal(ata_smart_data.is_offered(&ata_smart_data, facts), cases[i].smart);
		assert_int_equal(ata_smart_status.is_offered(&ata_smart_status, facts), cases[i].smart);
		assert_int_equal(ata_log_directory.is_offered(&ata_log_directory, facts), cases[i].gp_log);
	}
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

static void a_page_is_asked_only_where_the_list_names_it(void **state)
{
	struct drive_facts facts = { .has_gp_log = true, .has_log_directory = true, .gp_log_pages = { [4] = 8 } };
	uint8_t raw[SECTOR] = { 1, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 7, 0xff, 5 };

	assert_false(ata_general_statistics.is_offered(&ata_general_statistics, &facts));
	assert_false(failed(learn_exactly(&ata_statistics_list, raw, SECTOR, &facts)));
	assert_true(ata_general_statistics.is_offered(&ata_general_statistics, &facts));
	assert_true(ata_solid_state_statistics.is_offered(&ata_solid_state_statistics, &facts));
	/* 05h stands after the last entry */
	assert_false(ata_temperature_statistics.is_offered(&ata_temperature_statistics, &facts));
	assert_true(facts_bit(facts.statistics_pages, 0xff));
	facts.gp_log_pages[4] = 6;	/* a directory too short for page 07h: Kingston SEDC400 lists and has it */
	assert_true(ata_solid_state_statistics.is_offered(&ata_solid_state_statistics, &facts));
	facts.gp_log_pages[4] = 0;
	assert_false(ata_solid_state_statistics.is_offered(&ata_solid_state_statistics, &facts));

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

static const struct page *const statistics[] = { &ata_general_statistics, &ata_temperature_statistics,
						 &ata_solid_state_statistics };

/* SMART attributes tell some of the same quantities, in units that vendors bend. */
static void statistics_outrank_attributes(void **state)
{
	uint8_t data[SECTOR] = { [0] = 1, [2] = 194, [7] = 36, [511] = (uint8_t)-(1 + 194 + 36) };
	const struct drive_facts facts = { .logical_block = 512 };
	uint8_t raw[SECTOR];
	struct collect attributes, statistic;

	collect_begin(&attributes);
	collect_begin(&statistic);
	assert_false(failed(decode_exactly(&ata_smart_data, data, SECTOR, &facts, &attributes)));
	make_statistics(raw, 5);
	assert_false(failed(decode_exactly(&ata_temperature_statistics, raw, SECTOR, &facts, &statistic)));
	for (size_t i = 0; i < attributes.set.n; i++)
		for (size_t k = 0; k < statistic.set.n; k++)
			if (sample_is_same_series(&attributes.set.at[i], &statistic.set.at[k])) {
				assert_true(statistic.set.at[k].rank > attributes.set.at[i].rank);
				assert_int_equal(attributes.set.at[i].family, drive_temperature_celsius);
			}
	assert_sample(&attributes, 36, drive_temperature_celsius, "drive");
	assert_sample(&statistic, 1, drive_temperature_celsius, "drive");
	collect_end(&attributes);
	collect_end(&statistic);
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
			assert_int_equal(c.set.n, (flags & 0xc0) == 0xc0 ? page->n_fields : 0);
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
		make_statistics(raw, 4);
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
		cmocka_unit_test(the_directory_gives_each_log_its_length),
		cmocka_unit_test(a_page_is_asked_only_where_the_list_names_it),
		cmocka_unit_test(statistics_outrank_attributes),
		cmocka_unit_test(statistics_stand_apart_and_move_alone),
		cmocka_unit_test(a_statistic_without_both_flags_is_absent),
		cmocka_unit_test(a_statistics_page_must_be_the_one_asked_for),
		cmocka_unit_test(general_statistics_become_bytes_and_seconds),
		cmocka_unit_test(more_than_the_link_carries_is_implausible),
		cmocka_unit_test(temperatures_are_signed_and_80h_is_none),
		cmocka_unit_test(wear_may_pass_one),
	};

	return cmocka_run_group_tests_name("page: ATA identify and logs", tests, NULL, NULL);
}
