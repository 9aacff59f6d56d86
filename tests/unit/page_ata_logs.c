/* page/: the logs of ATA drives but Device Statistics: errors, self-tests, SCT status, pending defects, phy
 * events, FARM. */
#include "page_common.h"

#include <math.h>
#include <string.h>

enum { SECTOR = 512 };

static void put(uint8_t *raw, size_t at, uint64_t value, size_t width)
{
	for (size_t i = 0; i < width; i++)
		raw[at + i] = (uint8_t)(value >> 8 * i);
}

/* The last byte of a page makes its sum 0. */
static void sum_up(uint8_t raw[SECTOR])
{
	uint8_t sum = 0;

	for (size_t i = 0; i < SECTOR - 1; i++)
		sum = (uint8_t)(sum + raw[i]);
	raw[SECTOR - 1] = (uint8_t)-sum;
}

static bool is_offered(const struct page *page, const struct drive_facts *facts)
{
	return page->is_offered(page, facts);
}

/* A drive that has the SMART and the general purpose log feature set, and in its directory one page of each of
 * these logs. */
static struct drive_facts having(uint8_t first, uint8_t second)
{
	struct drive_facts facts = {
		.has_smart = true, .has_smart_log = true, .has_smart_error_log = true, .has_smart_self_test_log = true,
		.has_gp_log = true, .has_log_directory = true, .has_sct = true, .has_phy_events = true, .rpm = 7200,
		.logical_block = 512, .capacity_bytes = 512000000,
	};

	facts.gp_log_pages[first] = facts.gp_log_pages[second] = 1;
	return facts;
}

/* ---- which are asked: by READ LOG EXT if the directory names them, else by SMART READ LOG if IDENTIFY DEVICE
 * does */

static void logs_are_asked_one_way_or_the_other(void **state)
{
	static const struct {
		uint8_t address;
		const struct page *by_directory, *by_smart;
	} pairs[] = {
		{ 0x03, &ata_extended_error_log, &ata_summary_error_log },
		{ 0x07, &ata_extended_self_tests, &ata_smart_self_tests },
		{ 0xe0, &ata_sct_status, &ata_smart_sct_status },
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		struct drive_facts facts = having(pairs[i].address, pairs[i].address);

		assert_true(is_offered(pairs[i].by_directory, &facts));
		assert_false(is_offered(pairs[i].by_smart, &facts));
		facts.gp_log_pages[pairs[i].address] = 0;
		assert_false(is_offered(pairs[i].by_directory, &facts));
		assert_true(is_offered(pairs[i].by_smart, &facts));
		facts.has_log_directory = false;	/* not read yet: wait */
		assert_false(is_offered(pairs[i].by_directory, &facts));
		assert_false(is_offered(pairs[i].by_smart, &facts));
		ata_log_directory.refused(&ata_log_directory, &facts);
		assert_true(is_offered(pairs[i].by_smart, &facts));
		facts.refuses_log_directory = facts.has_gp_log = false;
		assert_true(is_offered(pairs[i].by_smart, &facts));
		facts.has_smart = facts.has_smart_error_log = facts.has_smart_self_test_log = false;	/* it is off */
		assert_false(is_offered(pairs[i].by_smart, &facts));
	}
}

static void what_identify_does_not_name_is_not_asked(void **state)
{
	struct drive_facts facts = having(0x11, 0x0c);

	assert_true(is_offered(&ata_phy_events, &facts));
	assert_true(is_offered(&ata_pending_defects, &facts));
	facts.has_phy_events = facts.has_sct = facts.has_smart_error_log = facts.has_smart_self_test_log = false;
	assert_false(is_offered(&ata_phy_events, &facts));
	assert_false(is_offered(&ata_summary_error_log, &facts));
	assert_false(is_offered(&ata_smart_self_tests, &facts));
	assert_false(is_offered(&ata_smart_sct_status, &facts));
	facts.gp_log_pages[0xe0] = 1;
	assert_false(is_offered(&ata_sct_status, &facts));
	facts.gp_log_pages[0x0c] = 0;
	assert_false(is_offered(&ata_pending_defects, &facts));
	facts = having(0x03, 0x07);
	facts.has_smart = false;
	assert_false(is_offered(&ata_extended_error_log, &facts));
	assert_false(is_offered(&ata_extended_self_tests, &facts));
}

static void disks_with_swapped_bytes_are_left_alone(void **state)
{
	struct drive_facts facts = having(0x11, 0x11);

	strcpy(facts.model, "SAMSUNG SV4012H");
	assert_false(is_offered(&ata_summary_error_log, &facts));
	assert_false(is_offered(&ata_smart_self_tests, &facts));
	strcpy(facts.model, "SAMSUNG MZ7LM960");
	assert_true(is_offered(&ata_summary_error_log, &facts));
	assert_true(is_offered(&ata_smart_self_tests, &facts));
}

/* Reading it may disturb: only where the statistics have no temperatures. */
static void sct_status_is_asked_where_statistics_do_not_tell(void **state)
{
	struct drive_facts facts = having(0x04, 0xe0);

	assert_false(is_offered(&ata_sct_status, &facts));	/* which statistics there are is not known yet */
	ata_statistics_list.refused(&ata_statistics_list, &facts);
	assert_true(is_offered(&ata_sct_status, &facts));
	facts.refuses_statistics = false;
	facts.has_statistics_list = true;
	facts_set_bit(facts.statistics_pages, 1);
	assert_true(is_offered(&ata_sct_status, &facts));
	facts_set_bit(facts.statistics_pages, 5);
	assert_false(is_offered(&ata_sct_status, &facts));
}

/* The sum beside the periods in ata_logs.h, for every set of statistics pages that a drive may have, asked in runs
 * or one by one. */
static double commands_an_hour(const struct drive_facts *facts)
{
	double n = 0;

	for (size_t i = 0; pages[i]; i++)
		if (pages[i]->transport == TRANSPORT_ATA && !pages[i]->per_path && pages[i]->period_s &&
		    (!pages[i]->is_offered || is_offered(pages[i], facts)))
			n += 3600.0 / pages[i]->period_s;
	return n;
}

static void a_drive_that_has_everything_is_spared(void **state)
{
	struct drive_facts facts = having(0x03, 0x04);
	double most = 0;

	strcpy(facts.model, "ST18000NM000J");
	facts.gp_log_pages[0x07] = facts.gp_log_pages[0x0c] = facts.gp_log_pages[0x11] = facts.gp_log_pages[0xa6] = 1;
	facts.gp_log_pages[0xe0] = 1;
	facts.gp_log_pages[0x04] = 8;
	facts.has_statistics_list = facts.has_farm_errors = true;
	for (unsigned numbers = 0; numbers < 256; numbers++) {
		facts.statistics_pages[0] = (uint8_t)numbers;
		for (unsigned alone = 0; alone < 2; alone++) {
			facts.statistics_alone = alone ? 0xff : 0;
			if (commands_an_hour(&facts) > most)
				most = commands_an_hour(&facts);
		}
	}
	assert_true(most <= 28);
	assert_true(most > 27);		/* 27.6, as it says there */
}

/* ---- error logs */

static const struct {
	const struct page *page;
	size_t count_at;
} error_logs[] = { { &ata_extended_error_log, 500 }, { &ata_summary_error_log, 452 } };

static void error_logs_count_errors(void **state)
{
	const struct drive_facts facts = { 0 };
	uint8_t raw[SECTOR];
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(error_logs); i++) {
		const struct page *page = error_logs[i].page;

		memset(raw, 0, SECTOR);
		raw[0] = 1;				/* version */
		put(raw, error_logs[i].count_at, 540, 2);	/* 021Ch */
		sum_up(raw);
		assert_false(failed(decode_exactly(page, raw, SECTOR, &facts, &c)));
		assert_int_equal(c.set.n, 1);
		assert_sample(&c, 540, drive_error_log_entries_total, NULL);
		every_truncation_is_refused(page, raw, SECTOR);
		put(raw, error_logs[i].count_at, 0xffff, 2);	/* it stops there: how many, nobody knows */
		assert_failed(decode_exactly(page, raw, SECTOR, &facts, &c), "bad checksum");
		sum_up(raw);
		assert_false(failed(decode_exactly(page, raw, SECTOR, &facts, &c)));
		assert_int_equal(c.set.n, 0);
		put(raw, error_logs[i].count_at, 0xfffe, 2);
		sum_up(raw);
		assert_false(failed(decode_exactly(page, raw, SECTOR, &facts, &c)));
		assert_sample(&c, 65534, drive_error_log_entries_total, NULL);
		memset(raw, 0, SECTOR);			/* not even a version: no drive says 0 errors so */
		assert_false(failed(decode_exactly(page, raw, SECTOR, &facts, &c)));
		assert_int_equal(c.set.n, 0);
		memset(raw, 0xff, SECTOR);
		assert_failed(decode_exactly(page, raw, SECTOR, &facts, &c), "empty");
	}
	collect_end(&c);
}

/* ---- self-tests */

enum { EXTENDED_ENTRY = 26, SMART_ENTRY = 24 };

/* A descriptor: what was run, the result in the high nibble, tens of per cents left in the low one, power-on
 * hours. */
static void put_test(uint8_t *raw, uint8_t subcommand, uint8_t status, uint16_t hours)
{
	raw[0] = subcommand;
	raw[1] = status;
	put(raw, 2, hours, 2);
}

static void make_smart_log(uint8_t raw[SECTOR], uint8_t newest)
{
	memset(raw, 0, SECTOR);
	raw[0] = 1;
	put_test(raw + 2 + 0 * SMART_ENTRY, 0x02, 0x79, 1200);	/* 1: extended, failed reading, 90 % left */
	put_test(raw + 2 + 1 * SMART_ENTRY, 0x01, 0x00, 9000);	/* 2: short, passed */
	put_test(raw + 2 + 2 * SMART_ENTRY, 0x82, 0x1f, 12);	/* 3: extended and captive, aborted */
	put_test(raw + 2 + 20 * SMART_ENTRY, 0x83, 0x30, 15);	/* 21: conveyance and captive, a fatal error */
	raw[508] = newest;
	sum_up(raw);
}

/* The index says which entry is the newest, whatever its hours. */
static void the_index_says_which_self_test_is_the_last(void **state)
{
	static const struct {
		uint8_t newest;
		const char *type, *result;
		double hours;
	} cases[] = {
		{ 1, "extended", "failed", 1200 }, { 2, "short", "passed", 9000 }, { 3, "extended", "aborted", 12 },
		{ 21, "conveyance", "incomplete", 15 },
	};
	const struct drive_facts facts = { 0 };
	uint8_t raw[SECTOR];
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		make_smart_log(raw, cases[i].newest);
		assert_false(failed(decode_exactly(&ata_smart_self_tests, raw, SECTOR, &facts, &c)));
		assert_int_equal(c.set.n, 3);
		assert_sample(&c, 1, drive_self_test_info, cases[i].type, cases[i].result);
		assert_sample(&c, cases[i].hours * 3600, drive_self_test_power_on_seconds, NULL);
		assert_sample(&c, 2, drive_self_test_failures, NULL);	/* 1 and 21 */
		every_truncation_is_refused(&ata_smart_self_tests, raw, SECTOR);
	}
	make_smart_log(raw, 7);		/* an entry that is not in use */
	assert_false(failed(decode_exactly(&ata_smart_self_tests, raw, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, 1);
	assert_sample(&c, 2, drive_self_test_failures, NULL);
	make_smart_log(raw, 0);		/* none was ever made: what stands in the entries is rubbish */
	assert_false(failed(decode_exactly(&ata_smart_self_tests, raw, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, 1);
	assert_sample(&c, 0, drive_self_test_failures, NULL);
	make_smart_log(raw, 22);
	assert_failed(decode_exactly(&ata_smart_self_tests, raw, SECTOR, &facts, &c), "names a test past its end");
	memset(raw, 0, SECTOR);
	assert_false(failed(decode_exactly(&ata_smart_self_tests, raw, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, 0);
	memset(raw, 0xff, SECTOR);
	assert_failed(decode_exactly(&ata_smart_self_tests, raw, SECTOR, &facts, &c), "empty");
	collect_end(&c);
}

static void every_type_and_result_has_its_word(void **state)
{
	static const struct {
		uint8_t subcommand;
		const char *type;
	} types[] = {
		{ 0x00, "other" }, { 0x01, "short" }, { 0x81, "short" }, { 0x02, "extended" }, { 0x82, "extended" },
		{ 0x03, "conveyance" }, { 0x83, "conveyance" }, { 0x04, "selective" }, { 0x84, "selective" }, { 0x05, "other" },
		{ 0x40, "other" }, { 0x7f, "other" }, { 0x80, "other" }, { 0xff, "other" },
	};
	static const struct {
		const char *result;
		double failures;
	} results[16] = {
		{ "passed", 0 }, { "aborted", 0 }, { "interrupted", 0 }, { "incomplete", 1 }, { "failed", 1 }, { "failed", 1 },
		{ "failed", 1 }, { "failed", 1 }, { "failed", 1 }, { "unknown", 0 }, { "unknown", 0 }, { "unknown", 0 },
		{ "unknown", 0 }, { "unknown", 0 }, { "unknown", 0 }, { "running", 0 },
	};
	const struct drive_facts facts = { 0 };
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		for (unsigned k = 0; k < ARRAY_SIZE(results); k++) {
			uint8_t raw[SECTOR] = { [0] = 1, [508] = 1 };

			put_test(raw + 2, types[i].subcommand, (uint8_t)(k << 4 | 9), 7);
			sum_up(raw);
			assert_false(failed(decode_exactly(&ata_smart_self_tests, raw, SECTOR, &facts, &c)));
			assert_sample(&c, 1, drive_self_test_info, types[i].type, results[k].result);
			assert_sample(&c, results[k].failures, drive_self_test_failures, NULL);
			if (k == 15)	/* it has not ended */
				assert_no_sample(&c, drive_self_test_power_on_seconds, NULL);
			else
				assert_sample(&c, 25200, drive_self_test_power_on_seconds, NULL);
		}
	collect_end(&c);
}

static void hours_of_a_self_test_are_told_only_where_they_can_be_right(void **state)
{
	static const struct {
		uint32_t now;		/* the drive's own hours; 0: not known */
		uint16_t hours;
		bool is_told;
		unsigned n_implausible;
	} cases[] = {
		{ 0, 65534, true, 0 }, { 0, 65535, false, 0 },		/* it stops there */
		{ 65534, 65534, true, 0 }, { 65535, 100, false, 0 },	/* they may have begun anew */
		{ 100, 101, true, 0 }, { 100, 102, false, 1 }, { 100, 65535, false, 0 },
	};
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct drive_facts facts = { .power_on_hours = cases[i].now };
		uint8_t raw[SECTOR] = { [0] = 1, [508] = 1 };

		put_test(raw + 2, 1, 0, cases[i].hours);
		sum_up(raw);
		c.n_implausible = 0;
		assert_false(failed(decode_exactly(&ata_smart_self_tests, raw, SECTOR, &facts, &c)));
		assert_int_equal(!isnan(collect_value(&c, drive_self_test_power_on_seconds, NULL, NULL)), cases[i].is_told);
		assert_int_equal(c.n_implausible, cases[i].n_implausible);
		assert_sample(&c, 1, drive_self_test_info, "short", "passed");
	}
	collect_end(&c);
}

/* Two pages: entries 1 to 19, and 20 to 38. */
static void make_extended_log(uint8_t raw[2 * SECTOR], uint16_t newest)
{
	memset(raw, 0, 2 * SECTOR);
	raw[0] = 1;
	put(raw, 2, newest, 2);
	put_test(raw + 4 + 18 * EXTENDED_ENTRY, 0x01, 0x20, 500);		/* 19: short, interrupted */
	put_test(raw + SECTOR + 4 + 0 * EXTENDED_ENTRY, 0x02, 0x40, 600);	/* 20: extended, failed */
	put_test(raw + SECTOR + 4 + 18 * EXTENDED_ENTRY, 0x04, 0x00, 700);	/* 38: selective, passed */
	sum_up(raw);
	sum_up(raw + SECTOR);
}

static void the_extended_log_goes_on_over_pages(void **state)
{
	static const struct {
		uint16_t newest;
		const char *type, *result;
		double hours;
	} cases[] = { { 19, "short", "interrupted", 500 }, { 20, "extended", "failed", 600 }, { 38, "selective", "passed", 700 } };
	struct drive_facts facts = having(0x07, 0x07);
	struct page both = ata_extended_self_tests;
	uint8_t raw[2 * SECTOR];
	struct collect c;

	collect_begin(&c);
	facts.gp_log_pages[0x07] = 2;
	both.command.key[KEY_COUNT] = both.count(&both, &facts);
	assert_int_equal(both.command.key[KEY_COUNT], 2);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		make_extended_log(raw, cases[i].newest);
		assert_false(failed(decode_exactly(&both, raw, sizeof raw, &facts, &c)));
		assert_sample(&c, 1, drive_self_test_info, cases[i].type, cases[i].result);
		assert_sample(&c, cases[i].hours * 3600, drive_self_test_power_on_seconds, NULL);
		assert_sample(&c, 1, drive_self_test_failures, NULL);
	}
	every_truncation_is_refused(&both, raw, sizeof raw);
	make_extended_log(raw, 39);
	assert_failed(decode_exactly(&both, raw, sizeof raw, &facts, &c), "names a test past its end");
	make_extended_log(raw, 19);
	raw[SECTOR + 40]++;
	assert_failed(decode_exactly(&both, raw, sizeof raw, &facts, &c), "bad checksum");
	memset(raw + SECTOR, 0, SECTOR);	/* not in use yet */
	assert_false(failed(decode_exactly(&both, raw, sizeof raw, &facts, &c)));
	assert_sample(&c, 0, drive_self_test_failures, NULL);
	assert_failed(decode_exactly(&ata_extended_self_tests, raw, sizeof raw, &facts, &c), "longer than asked for");
	collect_end(&c);
}

/* The first page alone knows neither the whole log's failures nor what is past it. */
static void a_part_of_the_extended_log_tells_its_part(void **state)
{
	struct drive_facts facts = having(0x07, 0x07);
	struct page both = ata_extended_self_tests;
	uint8_t raw[2 * SECTOR];
	struct collect c;

	collect_begin(&c);
	both.refused(&both, &facts);
	assert_int_equal(both.count(&both, &facts), 0);
	facts.gp_log_pages[0x07] = 2;
	assert_int_equal(both.count(&both, &facts), 2);	/* one page was refused, not two */
	both.command.key[KEY_COUNT] = 2;
	both.refused(&both, &facts);
	assert_int_equal(both.count(&both, &facts), 0);
	make_extended_log(raw, 19);
	assert_false(failed(decode_exactly(&ata_extended_self_tests, raw, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, 2);
	assert_sample(&c, 1, drive_self_test_info, "short", "interrupted");
	make_extended_log(raw, 20);
	assert_false(failed(decode_exactly(&ata_extended_self_tests, raw, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, 0);
	facts.gives_one_self_test_page = false;
	facts.gp_log_pages[0x07] = 0xffff;	/* the whole of it would not be an answer */
	assert_int_equal(both.count(&both, &facts), 16);
	collect_end(&c);
}

/* ---- SCT status */

static void make_sct(uint8_t raw[SECTOR], uint8_t format)
{
	memset(raw, 0, SECTOR);
	raw[0] = format;
	put(raw, 200, 0x362605f61d21, 6);	/* 33 now; 29 to -10 since power-on; 5 to 38 ever; made for 54 */
	put(raw, 206, 3, 4);
	put(raw, 210, 258, 4);
}

static void sct_status_tells_temperatures(void **state)
{
	const struct drive_facts facts = { 0 };
	uint8_t raw[SECTOR];
	struct collect c;

	collect_begin(&c);
	make_sct(raw, 3);
	assert_false(failed(decode_exactly(&ata_sct_status, raw, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, 8);
	assert_sample(&c, 33, drive_temperature_celsius, "drive");
	assert_sample(&c, 29, drive_temperature_extreme_celsius, "drive", "lowest_since_power_on");
	assert_sample(&c, -10, drive_temperature_extreme_celsius, "drive", "highest_since_power_on");
	assert_sample(&c, 5, drive_temperature_extreme_celsius, "drive", "lowest");
	assert_sample(&c, 38, drive_temperature_extreme_celsius, "drive", "highest");
	assert_sample(&c, 54, drive_temperature_limit_celsius, "specified");
	assert_sample(&c, 3, drive_ata_temperature_limit_events_total, "over");
	assert_sample(&c, 258, drive_ata_temperature_limit_events_total, "under");
	every_truncation_is_refused(&ata_sct_status, raw, SECTOR);
	every_truncation_is_refused(&ata_smart_sct_status, raw, SECTOR);

	make_sct(raw, 2);		/* has no lowest, no limit and no counts; what stands there is reserved */
	assert_false(failed(decode_exactly(&ata_smart_sct_status, raw, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, 3);
	assert_sample(&c, 33, drive_temperature_celsius, "drive");
	assert_sample(&c, -10, drive_temperature_extreme_celsius, "drive", "highest_since_power_on");
	assert_sample(&c, 38, drive_temperature_extreme_celsius, "drive", "highest");
	for (unsigned format = 0; format < 6; format++) {
		make_sct(raw, (uint8_t)format);
		if (format != 2 && format != 3)
			assert_failed(decode_exactly(&ata_sct_status, raw, SECTOR, &facts, &c), "of an unknown format");
	}
	make_sct(raw, 3);
	raw[1] = 1;
	assert_failed(decode_exactly(&ata_sct_status, raw, SECTOR, &facts, &c), "of an unknown format");
	collect_end(&c);
}

static void what_sct_status_does_not_know_is_absent(void **state)
{
	const struct drive_facts facts = { 0 };
	uint8_t raw[SECTOR];
	struct collect c;

	collect_begin(&c);
	make_sct(raw, 3);
	memset(raw + 200, 0x80, 5);	/* invalid */
	raw[205] = 0;			/* no limit stated */
	memset(raw + 206, 0xff, 8);	/* as high as they count */
	assert_false(failed(decode_exactly(&ata_sct_status, raw, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, 0);
	assert_int_equal(c.n_implausible, 0);

	/* ADATA's ASU800SS: 0 now, -1 to 0, 0 to 0 */
	make_sct(raw, 3);
	put(raw, 200, 0x460000ff, 6);
	raw[201] = 0xff;
	raw[200] = raw[202] = raw[203] = raw[204] = 0;
	assert_false(failed(decode_exactly(&ata_sct_status, raw, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, 2);
	assert_sample(&c, 3, drive_ata_temperature_limit_events_total, "over");

	make_sct(raw, 3);		/* a cold room: the highest of its life says that there is a thermometer */
	raw[200] = 0;
	assert_false(failed(decode_exactly(&ata_sct_status, raw, SECTOR, &facts, &c)));
	assert_sample(&c, 0, drive_temperature_celsius, "drive");
	raw[200] = 126;
	assert_false(failed(decode_exactly(&ata_sct_status, raw, SECTOR, &facts, &c)));
	assert_no_sample(&c, drive_temperature_celsius, "drive");
	assert_int_equal(c.n_implausible, 1);
	collect_end(&c);
}

/* ---- pending defects */

static void pending_defects_are_counted(void **state)
{
	struct drive_facts facts = having(0x0c, 0x0c);	/* 1,000,000 sectors */
	uint8_t raw[SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	every_truncation_is_refused(&ata_pending_defects, raw, SECTOR);
	assert_false(failed(decode_exactly(&ata_pending_defects, raw, SECTOR, &facts, &c)));
	assert_sample(&c, 0, drive_pending_sectors, NULL);
	put(raw, 0, 10000, 4);
	assert_false(failed(decode_exactly(&ata_pending_defects, raw, SECTOR, &facts, &c)));
	assert_sample(&c, 10000, drive_pending_sectors, NULL);
	put(raw, 0, 10001, 4);		/* a hundredth of the drive: it cannot mean that */
	assert_false(failed(decode_exactly(&ata_pending_defects, raw, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, 0);
	assert_int_equal(c.n_implausible, 1);
	put(raw, 0, 0xffffffff, 4);
	assert_false(failed(decode_exactly(&ata_pending_defects, raw, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, 0);
	assert_int_equal(c.n_implausible, 1);
	collect_end(&c);
}

/* ---- phy events */

static void phy_events_have_any_width(void **state)
{
	const struct drive_facts facts = { 0 };
	uint8_t raw[SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	put(raw, 4, 0x1001, 2);
	put(raw, 6, 7, 2);		/* 001h, a word: 7 */
	put(raw, 8, 0x2009, 2);
	put(raw, 10, 65536, 4);		/* 009h, two words: 65536 */
	put(raw, 14, 0x400a, 2);
	put(raw, 16, 1ull << 40, 8);	/* 00Ah, four words: 2^40 */
	put(raw, 24, 0x900b, 2);
	put(raw, 26, 5, 2);		/* a word of the vendor's own 00Bh */
	put(raw, 28, 0x100b, 2);
	put(raw, 30, 0xffff, 2);	/* 00Bh, as high as it counts */
	put(raw, 32, 0x100d, 2);
	put(raw, 34, 0xfffe, 2);
	put(raw, 36, 0x1333, 2);
	put(raw, 38, 9, 2);		/* an event that there is not */
	put(raw, 40, 0x1001, 2);
	put(raw, 42, 8, 2);		/* 001h once more */
	put(raw, 44, 0x600f, 2);
	put(raw, 46, 1, 8);		/* six words: no number of ours */
	put(raw, 58, 0x0010, 2);	/* without a counter */
	put(raw, 60, 0x1013, 2);
	put(raw, 62, 3, 2);
	sum_up(raw);
	assert_false(failed(decode_exactly(&ata_phy_events, raw, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, 5);
	assert_sample(&c, 7, drive_ata_phy_events_total, "command_icrc");
	assert_sample(&c, 65536, drive_ata_phy_events_total, "phy_ready_lost");
	assert_sample(&c, 1099511627776, drive_ata_phy_events_total, "comreset");
	assert_sample(&c, 65534, drive_ata_phy_events_total, "h2d_fis_non_crc");
	assert_sample(&c, 3, drive_ata_phy_events_total, "h2d_non_data_fis_r_err_non_crc");
	every_truncation_is_refused(&ata_phy_events, raw, SECTOR);
	raw[6]++;
	assert_failed(decode_exactly(&ata_phy_events, raw, SECTOR, &facts, &c), "bad checksum");
	memset(raw, 0, SECTOR);
	assert_failed(decode_exactly(&ata_phy_events, raw, SECTOR, &facts, &c), "empty");
	collect_end(&c);
}

static void every_phy_event_has_its_name(void **state)
{
	static const uint16_t ids[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 16, 18, 19 };
	const struct drive_facts facts = { 0 };
	uint8_t raw[SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	for (uint16_t id = 1; id < 40; id++) {	/* all of them, those that there are and those that there are not */
		put(raw, (size_t)4 * id, 0x1000 | id, 2);
		put(raw, (size_t)4 * id + 2, id, 2);
	}
	sum_up(raw);
	assert_false(failed(decode_exactly(&ata_phy_events, raw, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, ARRAY_SIZE(ids));
	for (size_t i = 0; i < c.set.n; i++) {
		assert_true(c.set.at[i].value == ids[i]);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(c.set.at[i].label[0], c.set.at[k].label[0]);
	}
	collect_end(&c);
}

static void a_phy_counter_past_the_page_is_refused(void **state)
{
	const struct drive_facts facts = { 0 };
	uint8_t raw[SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	for (size_t at = 4; at < 504; at += 4)	/* to byte 503; one of 8 bytes does not fit before the checksum */
		put(raw, at, 0x1001, 2);
	put(raw, 504, 0x4002, 2);
	sum_up(raw);
	assert_failed(decode_exactly(&ata_phy_events, raw, SECTOR, &facts, &c), "a counter runs past the page");
	put(raw, 504, 0x2002, 2);	/* 506 to 509; what is left has room for half an identifier */
	raw[510] = 0x10;
	sum_up(raw);
	assert_false(failed(decode_exactly(&ata_phy_events, raw, SECTOR, &facts, &c)));
	assert_sample(&c, 0, drive_ata_phy_events_total, "data_fis_r_err");
	collect_end(&c);
}

/* ---- FARM */

static const uint64_t SIGNATURE = 0x4641524d4552, FLAGS = 0xc0ull << 56;

static void make_farm_header(uint8_t raw[SECTOR])
{
	memset(raw, 0, SECTOR);
	put(raw, 0, SIGNATURE | FLAGS, 8);
	put(raw, 8, 4 | FLAGS, 8);
	put(raw, 24, 6 | FLAGS, 8);
	put(raw, 32, 98304 | FLAGS, 8);
	put(raw, 40, 16384 | FLAGS, 8);
}

static void farm_is_read_where_seagate_has_it(void **state)
{
	static const struct {
		const char *model;
		bool is_seagate;
	} models[] = {
		{ "ST18000NM000J-2TV103", true }, { "ZA3840NM10001", true }, { "XA960LE10063", true },
		{ "Seagate IronWolf ZA500NM10002-2ZG101", true }, { "STT_FTM28GX25H", false }, { "ZADAK", false }, { "X", false },
		{ "", false }, { "WDC WD40EFRX", false },
	};
	struct drive_facts facts = having(0xa6, 0xa6);

	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		strcpy(facts.model, models[i].model);
		assert_int_equal(is_offered(&ata_farm_header, &facts), models[i].is_seagate);
		assert_false(is_offered(&ata_farm_errors, &facts));
	}
	strcpy(facts.model, "ST18000NM000J");
	facts.gp_log_pages[0xa6] = 0;
	assert_false(is_offered(&ata_farm_header, &facts));
	/* Page 3 begins after three of 32 sectors each. */
	assert_int_equal(ata_farm_errors.command.key[KEY_LOG_PAGE], 96);
}

static void another_log_at_its_address_is_not_farm(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
		bool is_farm;
	} changes[] = {
		{ 8, 99, true }, { 0, SIGNATURE, true }, { 24, 4, true },	/* without the two bits */
		{ 0, SIGNATURE + 1, false }, { 24, 3, false }, { 40, 8192, false }, { 40, 0, false },
	};
	struct drive_facts facts = having(0xa6, 0xa6);
	uint8_t raw[SECTOR];

	strcpy(facts.model, "ST18000NM000J");
	make_farm_header(raw);
	every_truncation_is_refused(&ata_farm_header, raw, SECTOR);
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		make_farm_header(raw);
		put(raw, changes[i].at, changes[i].value, 8);
		assert_false(failed(learn_exactly(&ata_farm_header, raw, SECTOR, &facts)));
		assert_int_equal(is_offered(&ata_farm_errors, &facts), changes[i].is_farm);
	}
}

static size_t place_of(const struct page_field *field)
{
	return field->at;
}

static void farm_counts_errors(void **state)
{
	const struct drive_facts facts = { 0 };
	uint8_t raw[SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	for (size_t at = 16; at < SECTOR; at += 8)
		put(raw, at, at | FLAGS, 8);
	put(raw, 0, 3 | FLAGS, 8);
	fields_are_within_and_apart(&ata_farm_errors, SECTOR);
	each_field_moves_its_sample(&ata_farm_errors, raw, SECTOR, place_of);
	every_truncation_is_refused(&ata_farm_errors, raw, SECTOR);
	assert_false(failed(decode_exactly(&ata_farm_errors, raw, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, 12);
	assert_sample(&c, 16, drive_ata_farm_errors_total, "unrecoverable_read");	/* the third field */
	assert_sample(&c, 152, drive_ata_farm_errors_total, "uncorrectable");		/* the twentieth */
	put(raw, 16, 0xffffffffffffff | FLAGS, 8);
	put(raw, 24, 5 | 0x80ull << 56, 8);	/* not valid */
	put(raw, 40, 5 | 0x40ull << 56, 8);	/* not supported */
	put(raw, 48, 1ull << 48 | FLAGS, 8);
	assert_false(failed(decode_exactly(&ata_farm_errors, raw, SECTOR, &facts, &c)));
	assert_int_equal(c.set.n, 9);
	assert_sample(&c, 0x1p48, drive_ata_farm_errors_total, "mechanical_start_failure");
	put(raw, 0, 4 | FLAGS, 8);
	assert_failed(decode_exactly(&ata_farm_errors, raw, SECTOR, &facts, &c), "answered with another page");
	memset(raw, 0, SECTOR);
	assert_failed(decode_exactly(&ata_farm_errors, raw, SECTOR, &facts, &c), "answered with another page");
	collect_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logs_are_asked_one_way_or_the_other),
		cmocka_unit_test(what_identify_does_not_name_is_not_asked),
		cmocka_unit_test(disks_with_swapped_bytes_are_left_alone),
		cmocka_unit_test(sct_status_is_asked_where_statistics_do_not_tell),
		cmocka_unit_test(a_drive_that_has_everything_is_spared),
		cmocka_unit_test(error_logs_count_errors),
		cmocka_unit_test(the_index_says_which_self_test_is_the_last),
		cmocka_unit_test(every_type_and_result_has_its_word),
		cmocka_unit_test(hours_of_a_self_test_are_told_only_where_they_can_be_right),
		cmocka_unit_test(the_extended_log_goes_on_over_pages),
		cmocka_unit_test(a_part_of_the_extended_log_tells_its_part),
		cmocka_unit_test(sct_status_tells_temperatures),
		cmocka_unit_test(what_sct_status_does_not_know_is_absent),
		cmocka_unit_test(pending_defects_are_counted),
		cmocka_unit_test(phy_events_have_any_width),
		cmocka_unit_test(every_phy_event_has_its_name),
		cmocka_unit_test(a_phy_counter_past_the_page_is_refused),
		cmocka_unit_test(farm_is_read_where_seagate_has_it),
		cmocka_unit_test(another_log_at_its_address_is_not_farm),
		cmocka_unit_test(farm_counts_errors),
	};

	return cmocka_run_group_tests_name("page: ATA logs", tests, NULL, NULL);
}
