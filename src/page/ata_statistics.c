/* Device Statistics (ACS, log address 04h). A page is a header and statistics of 8 bytes: the value in the low bytes,
 * in the highest one flags that say whether the drive keeps it and whether it is valid now. */
#include <string.h>

#include "page/page.h"
#include "page/pages.h"

enum {
	STATISTICS_LOG = 0x04,
	PAGE_BYTES = 512,
	HEADER_BYTES = 8,
	STATISTIC_FLAGS = 7,		/* byte of a statistic */
	SUPPORTED_AND_VALID = 0xc0,
	RANK_STATISTICS = 20,		/* above the SMART attributes, whose units vendors bend */
};

/* What a drive can mean. */
enum {
	MAX_POWER_ON_S = 20 * 366 * 24 * 3600,
	MIN_CELSIUS = -40, MAX_CELSIUS = 125,
	HOUR_UNDER_WAY_S = 3600,	/* not counted yet */
	MAX_BYTES_A_SECOND = 600 * 1000 * 1000,	/* what a link of 6 Gbit/s carries */
};

#define STATISTIC(page_text, offset, bytes, label_name, ...) \
	{ .at = offset, .width = bytes, .family = drive_ata_statistic, .label = { page_text, #offset, label_name }, \
	  .spec = "ACS-4, Device Statistics log, page " page_text ", offset " #offset, __VA_ARGS__ }
#define QUANTITY(page_text, offset, bytes, raw_unit, family_id, ...) \
	{ .at = offset, .width = bytes, .unit = raw_unit, .family = family_id, .rank = RANK_STATISTICS, \
	  .spec = "ACS-4, Device Statistics log, page " page_text ", offset " #offset, __VA_ARGS__ }
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
	QUANTITY("1", 0x10, 4, RAW_HOURS, drive_power_on_seconds_total),
	QUANTITY("1", 0x18, 6, RAW_LOGICAL_BLOCKS, drive_written_bytes_total),
	QUANTITY("1", 0x28, 6, RAW_LOGICAL_BLOCKS, drive_read_bytes_total),
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
	QUANTITY("5", 0x58, 1, RAW_CELSIUS, drive_temperature_limit_celsius, .label = { "specified" }, CELSIUS),
};

static const struct page_field solid_state_fields[] = {
	STATISTIC("7", 0x08, 1, "percentage_used_endurance_indicator"),
	QUANTITY("7", 0x08, 1, RAW_PERCENT, drive_endurance_used_ratio),
};

/* ---- plausibility: between the fields and whoever takes their samples */

struct judge {
	struct sample_sink sink;
	struct sample_sink *to;
	double power_on_s;	/* as this page told it before, in an earlier row; 0: not told */
};

static const struct limit {
	uint16_t family;
	const char *quantity;
	double min, max;	/* max 0: what the link carries in the time powered on */
} limits[] = {
	{ drive_power_on_seconds_total, "power_on", 0, MAX_POWER_ON_S },
	{ drive_temperature_celsius, "temperature", MIN_CELSIUS, MAX_CELSIUS },
	{ drive_temperature_limit_celsius, "temperature_limit", MIN_CELSIUS, MAX_CELSIUS },
	{ drive_written_bytes_total, "written_bytes", 0, 0 },
	{ drive_read_bytes_total, "read_bytes", 0, 0 },
};

static void judge_put(struct sample_sink *sink, const struct sample *s)
{
	struct judge *judge = (struct judge *)sink;	/* its first member */

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		double max = limits[i].max;

		if (limits[i].family != s->family)
			continue;
		if (max == 0 && judge->power_on_s > 0)
			max = (judge->power_on_s + HOUR_UNDER_WAY_S) * MAX_BYTES_A_SECOND;
		if (s->value < limits[i].min || (max != 0 && s->value > max)) {
			judge->to->implausible(judge->to, limits[i].quantity);
			return;
		}
	}
	if (s->family == drive_power_on_seconds_total)
		judge->power_on_s = s->value;
	sample_put(judge->to, s);
}

static void judge_implausible(struct sample_sink *sink, const char *quantity)
{
	struct judge *judge = (struct judge *)sink;

	judge->to->implausible(judge->to, quantity);
}

/* ---- */

/* A page of the log, its header checked; a cursor over all of it. */
static struct fail open_page(const struct page *page, struct bytes in, struct bytes *ret)
{
	struct bytes all = bytes_take(&in, PAGE_BYTES), header = bytes_at(all, 0, HEADER_BYTES);

	if (all.torn || in.left)
		return fail_format(page->name, "is not 512 bytes");
	if (bytes_all(header, 0))	/* firmware that lists pages and leaves them empty */
		return fail_format(page->name, "empty");
	bytes_skip(&header, 2);		/* revision: later ones add statistics, they move none */
	if (bytes_le(&header, 1) != page->command.key[KEY_LOG_PAGE])
		return fail_format(page->name, "answered with another page");
	*ret = all;
	return OK;
}

static struct fail decode(const struct page *page, struct bytes in, const struct drive_facts *facts,
			  struct sample_sink *to)
{
	struct judge judge = { .sink = { .put = judge_put, .implausible = judge_implausible }, .to = to };
	struct bytes all;
	struct fail f = open_page(page, in, &all);

	if (failed(f))
		return f;
	for (size_t i = 0; i < page->n_fields; i++) {
		struct bytes flags = bytes_at(all, page->fields[i].at + STATISTIC_FLAGS, 1);

		if ((bytes_le(&flags, 1) & SUPPORTED_AND_VALID) == SUPPORTED_AND_VALID)
			page_field_put(&page->fields[i], all, true, facts, &judge.sink);
	}
	return OK;
}

/* Page 00h: how many pages there are, then their numbers. */
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

static bool has_statistics_log(const struct page *page, const struct drive_facts *facts)
{
	return facts->has_log_directory && facts->gp_log_pages[STATISTICS_LOG] > 0;
}

/* Named by the list. The length that the directory gives the log does not count: Kingston's SEDC400 says 6 and lists page
 * 07h, which it has. */
static bool is_listed(const struct page *page, const struct drive_facts *facts)
{
	return has_statistics_log(page, facts) && facts->has_statistics_list &&
	       facts_bit(facts->statistics_pages, page->command.key[KEY_LOG_PAGE]);
}

const struct page ata_statistics_list = {
	.name = "Device Statistics page 0x00",
	.transport = TRANSPORT_ATA,
	.command = { COMMAND_ATA_LOG, { [KEY_ADDRESS] = STATISTICS_LOG } },
	.is_offered = has_statistics_log,
	.learn = learn_list,
};

#define STATISTICS_PAGE(number, text, table) { \
	.name = "Device Statistics page " text, \
	.transport = TRANSPORT_ATA, \
	.command = { COMMAND_ATA_LOG, { [KEY_ADDRESS] = STATISTICS_LOG, [KEY_LOG_PAGE] = number } }, \
	.period_s = 1800, \
	.is_offered = is_listed, \
	.decode = decode, \
	.fields = table, \
	.n_fields = ARRAY_SIZE(table), \
}

const struct page ata_general_statistics = STATISTICS_PAGE(0x01, "0x01", general_fields);
const struct page ata_temperature_statistics = STATISTICS_PAGE(0x05, "0x05", temperature_fields);
const struct page ata_solid_state_statistics = STATISTICS_PAGE(0x07, "0x07", solid_state_fields);
