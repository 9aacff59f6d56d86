/* Device Statistics (ACS-4, log address 04h). A page is a header and statistics of 8 bytes: the value in the low
 * bytes, in the highest one flags that say whether the drive keeps it and whether it is valid now.
 *
 * The pages 01h to 07h, as far as the drive's list names them, are read in runs: one command for pages that follow
 * each other. A drive that refuses this is asked for one page at a time. The temperature now is read more often. */
#include <string.h>

#include "page/ata_judge.h"
#include "page/ata_logs.h"
#include "page/pages.h"

enum {
	HEADER_BYTES = 8,
	GENERAL = 0x01, TEMPERATURE = 0x05, SOLID_STATE = 0x07, LAST_PAGE = SOLID_STATE,
	STATISTIC_FLAGS = 7,		/* byte of a statistic */
	SUPPORTED_AND_VALID = 0xc0,
	NORMALIZED = 0x20,
	RANK_STATISTICS = 20,		/* above the SMART attributes, whose units vendors bend */
	RANK_NOW,			/* the same, fresher */
};

/* Offsets of page 01h. */
enum { POWER_ON_HOURS = 0x10, SECTORS_WRITTEN = 0x18, WRITE_COMMANDS = 0x20, READ_COMMANDS = 0x30 };
enum { HOURS_BYTES = 4, SECTORS_BYTES = 6, COMMANDS_BYTES = 6 };
static const uint64_t ALL_ONES = 0xffffffffffff;

#define SPEC(page_text, offset) "ACS-4, Device Statistics log, page " page_text ", offset " #offset
#define STATISTIC(page_text, offset, bytes, label_name, ...) \
	{ .at = offset, .width = bytes, .family = drive_ata_statistic, .label = { page_text, #offset, label_name }, \
	  .spec = SPEC(page_text, offset), __VA_ARGS__ }
#define RANKED(rank_id, page_text, offset, bytes, raw_unit, family_id, ...) \
	{ .at = offset, .width = bytes, .unit = raw_unit, .family = family_id, .rank = rank_id, \
	  .spec = SPEC(page_text, offset), __VA_ARGS__ }
#define QUANTITY(...) RANKED(RANK_STATISTICS, __VA_ARGS__)
#define COUNT(page_text, offset, family_id, ...) \
	QUANTITY(page_text, offset, 4, RAW_ONE, family_id, .absent = ABSENT_ONES, __VA_ARGS__)	/* it stops there */
#define CELSIUS .is_signed = true, .absent = ABSENT_MIN

/* Not here: offset 50h, Utilization Usage Rate, four fields in one. */
static const struct page_field general_fields[] = {
	STATISTIC("1", 0x08, 4, "lifetime_power_on_resets"),
	STATISTIC("1", 0x10, 4, "power_on_hours"),
	STATISTIC("1", 0x18, 6, "logical_sectors_written"),
	STATISTIC("1", 0x20, 6, "number_of_write_commands"),
	STATISTIC("1", 0x28, 6, "logical_sectors_read"),
	STATISTIC("1", 0x30, 6, "number_of_read_commands"),
	STATISTIC("1", 0x38, 6, "date_and_time_timestamp"),
	STATISTIC("1", 0x40, 4, "pending_error_count"),
	STATISTIC("1", 0x48, 2, "workload_utilization"),
	STATISTIC("1", 0x58, 7, "resource_availability"),
	STATISTIC("1", 0x60, 1, "random_write_resources_used"),
	COUNT("1", 0x08, drive_power_cycles_total),
	QUANTITY("1", 0x10, 4, RAW_HOURS, drive_power_on_seconds_total),
	QUANTITY("1", 0x18, 6, RAW_LOGICAL_BLOCKS, drive_written_bytes_total, .absent = ABSENT_ONES),
	QUANTITY("1", 0x28, 6, RAW_LOGICAL_BLOCKS, drive_read_bytes_total, .absent = ABSENT_ONES),
	COUNT("1", 0x40, drive_pending_sectors),
};

static const struct page_field free_fall_fields[] = {
	STATISTIC("2", 0x08, 4, "number_of_free_fall_events_detected"),
	STATISTIC("2", 0x10, 4, "overlimit_shock_events"),
};

static const struct page_field rotating_fields[] = {
	STATISTIC("3", 0x08, 4, "spindle_motor_power_on_hours"),
	STATISTIC("3", 0x10, 4, "head_flying_hours"),
	STATISTIC("3", 0x18, 4, "head_load_events"),
	STATISTIC("3", 0x20, 4, "number_of_reallocated_logical_sectors"),
	STATISTIC("3", 0x28, 4, "read_recovery_attempts"),
	STATISTIC("3", 0x30, 4, "number_of_mechanical_start_failures"),
	STATISTIC("3", 0x38, 4, "number_of_realloc_candidate_logical_sectors"),
	STATISTIC("3", 0x40, 4, "number_of_high_priority_unload_events"),
	COUNT("3", 0x18, drive_mechanical_cycles_total, .label = { "load_unload" }),
	COUNT("3", 0x20, drive_reallocated_sectors),
};

static const struct page_field error_fields[] = {
	STATISTIC("4", 0x08, 4, "number_of_reported_uncorrectable_errors"),
	STATISTIC("4", 0x10, 4, "resets_between_command_acceptance_and_completion"),
	STATISTIC("4", 0x18, 4, "physical_element_status_changed"),
	COUNT("4", 0x08, drive_uncorrected_errors_total, .label = { "all" }),
};

static const struct page_field temperature_fields[] = {
	STATISTIC("5", 0x08, 1, "current_temperature", CELSIUS),
	STATISTIC("5", 0x10, 1, "average_short_term_temperature", CELSIUS),
	STATISTIC("5", 0x18, 1, "average_long_term_temperature", CELSIUS),
	STATISTIC("5", 0x20, 1, "highest_temperature", CELSIUS),
	STATISTIC("5", 0x28, 1, "lowest_temperature", CELSIUS),
	STATISTIC("5", 0x30, 1, "highest_average_short_term_temperature", CELSIUS),
	STATISTIC("5", 0x38, 1, "lowest_average_short_term_temperature", CELSIUS),
	STATISTIC("5", 0x40, 1, "highest_average_long_term_temperature", CELSIUS),
	STATISTIC("5", 0x48, 1, "lowest_average_long_term_temperature", CELSIUS),
	STATISTIC("5", 0x50, 4, "time_in_over_temperature"),
	STATISTIC("5", 0x58, 1, "specified_maximum_operating_temperature", CELSIUS),
	STATISTIC("5", 0x60, 4, "time_in_under_temperature"),
	STATISTIC("5", 0x68, 1, "specified_minimum_operating_temperature", CELSIUS),
	QUANTITY("5", 0x08, 1, RAW_CELSIUS, drive_temperature_celsius, .label = { "drive" }, CELSIUS),
	QUANTITY("5", 0x20, 1, RAW_CELSIUS, drive_temperature_extreme_celsius, .label = { "drive", "highest" }, CELSIUS),
	QUANTITY("5", 0x28, 1, RAW_CELSIUS, drive_temperature_extreme_celsius, .label = { "drive", "lowest" }, CELSIUS),
	QUANTITY("5", 0x58, 1, RAW_CELSIUS, drive_temperature_limit_celsius, .label = { "specified" }, CELSIUS),
	QUANTITY("5", 0x68, 1, RAW_CELSIUS, drive_temperature_limit_celsius, .label = { "low_specified" }, CELSIUS),
};

static const struct page_field temperature_now_fields[] = {
	RANKED(RANK_NOW, "5", 0x08, 1, RAW_CELSIUS, drive_temperature_celsius, .label = { "drive" }, CELSIUS),
};

static const struct page_field transport_fields[] = {
	STATISTIC("6", 0x08, 4, "number_of_hardware_resets"),
	STATISTIC("6", 0x10, 4, "number_of_asr_events"),
	STATISTIC("6", 0x18, 4, "number_of_interface_crc_errors"),
	COUNT("6", 0x18, drive_link_errors_total, .label = { "0", "crc", "drive" }),
};

static const struct page_field solid_state_fields[] = {
	STATISTIC("7", 0x08, 1, "percentage_used_endurance_indicator"),
	QUANTITY("7", 0x08, 1, RAW_PERCENT, drive_endurance_used_ratio),
};

static const struct {
	const struct page_field *fields;
	size_t n;
} tables[LAST_PAGE + 1] = {
	[0x01] = { general_fields, ARRAY_SIZE(general_fields) },
	[0x02] = { free_fall_fields, ARRAY_SIZE(free_fall_fields) },
	[0x03] = { rotating_fields, ARRAY_SIZE(rotating_fields) },
	[0x04] = { error_fields, ARRAY_SIZE(error_fields) },
	[0x05] = { temperature_fields, ARRAY_SIZE(temperature_fields) },
	[0x06] = { transport_fields, ARRAY_SIZE(transport_fields) },
	[0x07] = { solid_state_fields, ARRAY_SIZE(solid_state_fields) },
};

/* ---- one page */

/* The header is that of the page with this number. */
static struct fail check_header(const struct page *page, uint32_t number, struct bytes all)
{
	if (bytes_all(bytes_at(all, 0, HEADER_BYTES), 0))	/* firmware that lists pages and leaves them empty */
		return fail_format(page->name, "empty");
	/* The revision, before the number, is not looked at: later ones add statistics, they move none. */
	return ata_log_number(all, 2, 1) == number ? OK : fail_format(page->name, "answered with another page");
}

static struct fail open_page(const struct page *page, struct bytes in, struct bytes *ret)
{
	struct fail f = ata_log_take(page, in, ret);

	return failed(f) ? f : check_header(page, page->command.key[KEY_LOG_PAGE], *ret);
}

static uint8_t flags_of(struct bytes all, size_t at)
{
	return (uint8_t)ata_log_number(all, at + STATISTIC_FLAGS, 1);
}

/* A normalized count (ACS-4, device statistics flags) counts nothing. Degrees and per cents are what they are:
 * Seagate's disks set the flag beside their averages of temperature, many SSDs beside the per cent used. */
static bool is_told(uint32_t number, uint8_t flags)
{
	bool is_count = number != TEMPERATURE && number != SOLID_STATE;

	return (flags & SUPPORTED_AND_VALID) == SUPPORTED_AND_VALID && !(is_count && flags & NORMALIZED);
}

static void put_fields(uint32_t number, struct bytes all, const struct drive_facts *facts, struct sample_sink *to)
{
	for (size_t i = 0; i < tables[number].n; i++)
		if (is_told(number, flags_of(all, tables[number].fields[i].at)))
			page_field_put(&tables[number].fields[i], all, true, facts, to);
}

/* What other numbers are judged by. */
static void learn_use(struct bytes all, struct drive_facts *facts)
{
	if (is_told(GENERAL, flags_of(all, POWER_ON_HOURS)))
		facts->power_on_hours = (uint32_t)ata_log_number(all, POWER_ON_HOURS, HOURS_BYTES);
	if (is_told(GENERAL, flags_of(all, WRITE_COMMANDS)) && is_told(GENERAL, flags_of(all, READ_COMMANDS)))
		facts->commands = ata_log_number(all, WRITE_COMMANDS, COMMANDS_BYTES) +
				  ata_log_number(all, READ_COMMANDS, COMMANDS_BYTES);
	if (is_told(GENERAL, flags_of(all, SECTORS_WRITTEN)) && ata_log_number(all, SECTORS_WRITTEN, SECTORS_BYTES) != ALL_ONES)
		facts->written_blocks = ata_log_number(all, SECTORS_WRITTEN, SECTORS_BYTES);
}

/* ---- which there are: page 00h, how many, then their numbers */

static bool has_statistics(const struct page *page, const struct drive_facts *facts)
{
	return ata_log_is_listed(facts, ATA_LOG_STATISTICS);
}

static void refused_list(const struct page *page, struct drive_facts *facts)
{
	facts->refuses_statistics = true;
}

static struct fail learn_list(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct bytes all, numbers;
	struct fail f = open_page(page, in, &all);

	if (failed(f))
		return f;
	bytes_skip(&all, HEADER_BYTES);
	numbers = bytes_take(&all, bytes_le(&all, 1));
	memset(facts->statistics_pages, 0, sizeof facts->statistics_pages);
	while (numbers.left)
		facts_set_bit(facts->statistics_pages, (unsigned)bytes_le(&numbers, 1));
	facts->has_statistics_list = true;
	return OK;
}

const struct page ata_statistics_list = {
	ATA_LOG(ATA_LOG_STATISTICS, 0x00), .name = "Device Statistics page 0x00", .is_offered = has_statistics,
	.refused = refused_list, .learn = learn_list,
};

static bool is_listed(uint32_t number, const struct drive_facts *facts)
{
	return number >= GENERAL && number <= LAST_PAGE && ata_log_is_listed(facts, ATA_LOG_STATISTICS) &&
	       facts->has_statistics_list && facts_bit(facts->statistics_pages, number);
}

/* ---- several pages by one command */

/* Kingston's SEDC400 gives the log 6 pages in its directory, and lists 07h, which it has: past the end, a page is
 * asked alone. */
static bool is_within_log(uint32_t number, const struct drive_facts *facts)
{
	return number < facts->gp_log_pages[ATA_LOG_STATISTICS];
}

static bool is_in_run(uint32_t number, const struct drive_facts *facts)
{
	return is_listed(number, facts) && is_within_log(number, facts) && !facts_bit(&facts->statistics_alone, number);
}

/* Such a page stands for the run that begins with it. */
static bool begins_run(const struct page *page, const struct drive_facts *facts)
{
	uint32_t number = page->command.key[KEY_LOG_PAGE];

	return is_in_run(number, facts) && !is_in_run(number - 1, facts);
}

static uint32_t count_run(const struct page *page, const struct drive_facts *facts)
{
	uint32_t n = 1;

	while (is_in_run(page->command.key[KEY_LOG_PAGE] + n, facts))
		n++;
	return n > 1 ? n : 0;	/* 0: as a command without a count */
}

static uint32_t pages_of(const struct page *page)
{
	return page->command.key[KEY_COUNT] ? page->command.key[KEY_COUNT] : 1;
}

/* One at a time, then, if it was more. Runs that other pages begin stay as they are: they may have been answered. */
static void refused_run(const struct page *page, struct drive_facts *facts)
{
	for (uint32_t i = 0; pages_of(page) > 1 && i < pages_of(page); i++)
		facts_set_bit(&facts->statistics_alone, page->command.key[KEY_LOG_PAGE] + i);
}

/* Fails where no page of them is good. */
static struct fail check_run(const struct page *page, struct bytes in, uint8_t *ret_wrong)
{
	struct fail first = OK;
	uint32_t n = pages_of(page), n_wrong = 0;

	if (in.left != n * ATA_LOG_BYTES)
		return fail_format(page->name, n > 1 ? "is not as many pages as asked for" : "is not 512 bytes");
	for (uint32_t i = 0; i < n; i++) {
		uint32_t number = page->command.key[KEY_LOG_PAGE] + i;
		struct fail f = check_header(page, number, bytes_take(&in, ATA_LOG_BYTES));

		if (!failed(f))
			continue;
		if (!n_wrong++)
			first = f;
		facts_set_bit(ret_wrong, number);
	}
	return n_wrong == n ? first : OK;
}

/* A page that makes no sense among good ones is asked for once more and alone: what comes of that is seen and
 * counted like any other failure, and it costs the others nothing. The source of its numbers is decided once, when it
 * is first read: if it was wrong then, it is told by its own reading, else by the run, when that is right again. */
static void learn_wrong(const struct page *page, uint8_t wrong, struct drive_facts *facts)
{
	uint8_t run = (uint8_t)(((1u << pages_of(page)) - 1) << page->command.key[KEY_LOG_PAGE]);

	facts->statistics_good |= run & (uint8_t)~(wrong | facts->statistics_wrong);
	facts->statistics_wrong |= wrong & (uint8_t)~facts->statistics_good;
	facts->statistics_odd = (facts->statistics_odd & (uint8_t)~run) | (wrong & facts->statistics_good);
}

static struct fail learn_run(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	uint8_t wrong = 0;
	struct fail f = check_run(page, in, &wrong);

	if (failed(f))
		return f;
	learn_wrong(page, wrong, facts);
	if (page->command.key[KEY_LOG_PAGE] == GENERAL && !facts_bit(&wrong, GENERAL))
		learn_use(in, facts);
	return OK;
}

static struct fail decode_run(const struct page *page, struct bytes in, const struct drive_facts *facts,
			      struct sample_sink *to)
{
	struct ata_judge judge = ata_judge_of(to, facts);
	uint8_t wrong = 0;
	struct fail f = check_run(page, in, &wrong);

	if (failed(f))
		return f;
	wrong |= facts->statistics_wrong;
	for (uint32_t i = 0; i < pages_of(page); i++) {
		uint32_t number = page->command.key[KEY_LOG_PAGE] + i;
		struct bytes all = bytes_take(&in, ATA_LOG_BYTES);

		if (!facts_bit(&wrong, number))
			put_fields(number, all, facts, &judge.sink);
	}
	return OK;
}

#define STATISTICS_NAME(text) "Device Statistics page " text

static const char *source_of_run(const struct page *page, uint16_t family)
{
	static const char *const names[LAST_PAGE + 1] = {
		[1] = STATISTICS_NAME("0x01"), [2] = STATISTICS_NAME("0x02"), [3] = STATISTICS_NAME("0x03"),
		[4] = STATISTICS_NAME("0x04"), [5] = STATISTICS_NAME("0x05"), [6] = STATISTICS_NAME("0x06"),
		[7] = STATISTICS_NAME("0x07"),
	};

	for (uint32_t i = 0; i < pages_of(page); i++) {
		uint32_t number = page->command.key[KEY_LOG_PAGE] + i;

		for (size_t k = 0; number <= LAST_PAGE && k < tables[number].n; k++)
			if (tables[number].fields[k].family == family)
				return names[number];
	}
	return page->name;
}

#define STATISTICS_RUN(number, text, table) { \
	ATA_LOG(ATA_LOG_STATISTICS, number), .name = "Device Statistics from page " text, \
	.period_s = ATA_STATISTICS_PERIOD_S, .is_offered = begins_run, .count = count_run, .refused = refused_run, \
	.learn = learn_run, .decode = decode_run, .source = source_of_run, .fields = table, .n_fields = ARRAY_SIZE(table), \
}

const struct page ata_statistics_run_1 = STATISTICS_RUN(0x01, "0x01", general_fields);
const struct page ata_statistics_run_2 = STATISTICS_RUN(0x02, "0x02", free_fall_fields);
const struct page ata_statistics_run_3 = STATISTICS_RUN(0x03, "0x03", rotating_fields);
const struct page ata_statistics_run_4 = STATISTICS_RUN(0x04, "0x04", error_fields);
const struct page ata_statistics_run_5 = STATISTICS_RUN(0x05, "0x05", temperature_fields);
const struct page ata_statistics_run_6 = STATISTICS_RUN(0x06, "0x06", transport_fields);
const struct page ata_statistics_run_7 = STATISTICS_RUN(0x07, "0x07", solid_state_fields);

/* ---- or one page at a time */

static struct fail learn_general(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct bytes all;
	struct fail f = open_page(page, in, &all);

	if (!failed(f))
		learn_use(all, facts);
	return f;
}

/* Such a page is asked alone only to see what is wrong with it. */
static bool is_told_by_run(uint32_t number, const struct drive_facts *facts)
{
	return is_in_run(number, facts) && !facts_bit(&facts->statistics_wrong, number);
}

static struct fail decode_alone(const struct page *page, struct bytes in, const struct drive_facts *facts,
				struct sample_sink *to)
{
	struct ata_judge judge = ata_judge_of(to, facts);
	struct bytes all;
	struct fail f = open_page(page, in, &all);

	if (!failed(f) && !is_told_by_run(page->command.key[KEY_LOG_PAGE], facts))
		put_fields(page->command.key[KEY_LOG_PAGE], all, facts, &judge.sink);
	return f;
}

static bool is_alone(const struct page *page, const struct drive_facts *facts)
{
	uint32_t number = page->command.key[KEY_LOG_PAGE];

	return is_listed(number, facts) &&
	       (!is_told_by_run(number, facts) || facts_bit(&facts->statistics_odd, number));
}

#define STATISTICS_PAGE(number, text, table, page_period_s, page_learn) { \
	ATA_LOG(ATA_LOG_STATISTICS, number), .name = STATISTICS_NAME(text), .period_s = page_period_s, \
	.is_offered = is_alone, .learn = page_learn, .decode = decode_alone, \
	.fields = table, .n_fields = ARRAY_SIZE(table), \
}

const struct page ata_general_statistics = STATISTICS_PAGE(0x01, "0x01", general_fields, ATA_LOG_PERIOD_S, learn_general);
const struct page ata_free_fall_statistics =
	STATISTICS_PAGE(0x02, "0x02", free_fall_fields, ATA_RARE_PERIOD_S, NULL);
const struct page ata_rotating_statistics = STATISTICS_PAGE(0x03, "0x03", rotating_fields, ATA_LOG_PERIOD_S, NULL);
const struct page ata_error_statistics = STATISTICS_PAGE(0x04, "0x04", error_fields, ATA_LOG_PERIOD_S, NULL);
const struct page ata_temperature_statistics = STATISTICS_PAGE(0x05, "0x05", temperature_fields, ATA_LOG_PERIOD_S, NULL);
const struct page ata_transport_statistics = STATISTICS_PAGE(0x06, "0x06", transport_fields, ATA_LOG_PERIOD_S, NULL);
const struct page ata_solid_state_statistics = STATISTICS_PAGE(0x07, "0x07", solid_state_fields, ATA_LOG_PERIOD_S, NULL);

/* ---- the temperature now */

static bool has_temperature(const struct page *page, const struct drive_facts *facts)
{
	return is_listed(TEMPERATURE, facts) && !facts_bit(&facts->statistics_wrong, TEMPERATURE);
}

static struct fail decode_now(const struct page *page, struct bytes in, const struct drive_facts *facts,
			      struct sample_sink *to)
{
	struct ata_judge judge = ata_judge_of(to, facts);
	struct bytes all;
	struct fail f = open_page(page, in, &all);

	if (!failed(f) && is_told(TEMPERATURE, flags_of(all, page->fields[0].at)))
		page_field_put(&page->fields[0], all, true, facts, &judge.sink);
	return f;
}

const struct page ata_temperature_now = {
	ATA_LOG(ATA_LOG_STATISTICS, TEMPERATURE), .name = "Device Statistics, temperature now", .period_s = ATA_TEMPERATURE_PERIOD_S,
	.is_offered = has_temperature, .decode = decode_now,
	.fields = temperature_now_fields, .n_fields = ARRAY_SIZE(temperature_now_fields),
};
