/* The drive's own account of its work (SPC-4, General Statistics and Performance log page): commands, blocks, and the time
 * spent on them by its own clock. */
#include "page/pages.h"
#include "page/scsi_log.h"

enum { EXPONENT_MAX = 18 };	/* attoseconds: what stands for more is no clock */

/* The unit in which a page counts time: integer x 10^-exponent seconds. */
struct interval {
	uint32_t integer;	/* 0: not told, or unusable */
	uint64_t divisor;
};

static struct interval interval_of(struct bytes params, uint16_t code)
{
	struct interval unit = { .divisor = 1 };
	struct bytes value;
	uint64_t exponent;

	if (!scsi_log_find(params, code, &value))
		return unit;
	exponent = bytes_be(&value, 4);
	unit.integer = (uint32_t)bytes_be(&value, 4);
	if (value.torn || exponent > EXPONENT_MAX)
		return (struct interval){ 0 };
	while (exponent--)
		unit.divisor *= 10;
	return unit;
}

/* Counts times the unit have up to 96 bits; whole seconds and the rest are told apart before any is rounded. */
static double seconds_of(uint64_t count, struct interval unit)
{
	unsigned __int128 ticks = (unsigned __int128)count * unit.integer;

	return (double)(ticks / unit.divisor) + (double)(ticks % unit.divisor) / (double)unit.divisor;
}

static void time_put(struct bytes value, size_t at, struct interval unit, uint16_t family, const char *op,
		     struct sample_sink *to)
{
	struct bytes raw = bytes_at(value, at, 8);

	if (unit.integer && !raw.torn && !bytes_all(raw, 0xff))
		page_put(to, family, op, NULL, seconds_of(bytes_be(&raw, 8), unit));
}

#define SPEC(field) .spec = "SPC-4, General Statistics and Performance log page (19h), 0001h, " field

static const struct page_field statistics_fields[] = {
	{ .param = 0x0001, .at = 0, .width = 8, .absent = ABSENT_ONES, .rank = 2, .family = drive_internal_commands_total, .label = { "read" },
	  SPEC("NUMBER OF READ COMMANDS") },
	{ .param = 0x0001, .at = 8, .width = 8, .absent = ABSENT_ONES, .rank = 2, .family = drive_internal_commands_total, .label = { "write" },
	  SPEC("NUMBER OF WRITE COMMANDS") },
	{ .param = 0x0001, .at = 16, .width = 8, .unit = RAW_LOGICAL_BLOCKS, .absent = ABSENT_ONES, .rank = 2,
	  .family = drive_written_bytes_total, SPEC("NUMBER OF LOGICAL BLOCKS RECEIVED") },
	{ .param = 0x0001, .at = 24, .width = 8, .unit = RAW_LOGICAL_BLOCKS, .absent = ABSENT_ONES, .rank = 2,
	  .family = drive_read_bytes_total, SPEC("NUMBER OF LOGICAL BLOCKS TRANSMITTED") },
};
enum { READS_AT = 0, WRITES_AT = 8, READ_INTERVALS_AT = 32, WRITE_INTERVALS_AT = 40 };

/* Time belongs to the commands that this page counts: without them it says nothing, beside another page's it would lie. */
static bool is_counted(struct bytes value, size_t at)
{
	struct bytes raw = bytes_at(value, at, 8);

	return !raw.torn && !bytes_all(raw, 0xff);
}

static struct fail decode_statistics(const struct page *page, struct bytes in, const struct drive_facts *facts,
				     struct sample_sink *to)
{
	struct bytes params, value;
	struct fail f = scsi_log_params(page, in, &params);
	struct interval unit;

	if (failed(f))
		return f;
	unit = interval_of(params, 0x0003);
	if (scsi_log_find(params, 0x0001, &value)) {
		for (size_t i = 0; i < page->n_fields; i++)
			page_field_put(&page->fields[i], value, false, facts, to);
		if (is_counted(value, READS_AT))
			time_put(value, READ_INTERVALS_AT, unit, drive_internal_seconds_total, "read", to);
		if (is_counted(value, WRITES_AT))
			time_put(value, WRITE_INTERVALS_AT, unit, drive_internal_seconds_total, "write", to);
	}
	if (scsi_log_find(params, 0x0002, &value))
		time_put(value, 0, unit, drive_internal_idle_seconds_total, NULL, to);
	return OK;
}

static const struct page_told statistics_told[] = {
	{ drive_internal_seconds_total,
	  "SPC-4, General Statistics and Performance log page (19h), 0001h, READ and WRITE COMMAND PROCESSING INTERVALS; 0003h" },
	{ drive_internal_idle_seconds_total,
	  "SPC-4, General Statistics and Performance log page (19h), 0002h, IDLE TIME INTERVALS; 0003h" },
};

const struct page scsi_statistics = {
	SCSI_LOG_PAGE(19), .period_s = 60, .decode = decode_statistics,
	.fields = statistics_fields, .n_fields = ARRAY_SIZE(statistics_fields),
	.told = statistics_told, .n_told = ARRAY_SIZE(statistics_told),
};

/* ---- subpage 20h */

#define CACHE(code, a_kind, field) \
	{ .param = code, .width = 8, .absent = ABSENT_ONES, .family = drive_scsi_cache_operations_total, .label = { a_kind }, \
	  .spec = "SPC-4, Cache Memory Statistics log page (19h/20h), " field }

static const struct page_field cache_fields[] = {
	CACHE(0x0001, "read_hits", "0001h, READ CACHE MEMORY HITS"), CACHE(0x0002, "reads", "0002h, READS TO CACHE MEMORY"),
	CACHE(0x0003, "write_hits", "0003h, WRITE CACHE MEMORY HITS"),
	CACHE(0x0004, "writes", "0004h, WRITES FROM CACHE MEMORY"),
};

static struct fail decode_cache(const struct page *page, struct bytes in, const struct drive_facts *facts,
				struct sample_sink *to)
{
	struct bytes params, value;
	struct fail f = scsi_log_params(page, in, &params);

	if (failed(f))
		return f;
	f = scsi_log_decode(page, in, facts, to);
	if (scsi_log_find(params, 0x0005, &value))
		time_put(value, 0, interval_of(params, 0x0006), drive_scsi_since_hard_reset_seconds_total, NULL, to);
	return f;
}

static const struct page_told cache_told[] = {
	{ drive_scsi_since_hard_reset_seconds_total,
	  "SPC-4, Cache Memory Statistics log page (19h/20h), 0005h, TIME FROM LAST HARD RESET; 0006h" },
};

const struct page scsi_cache_statistics = {
	SCSI_LOG_SUBPAGE(19, 20), .period_s = 600, .decode = decode_cache,
	.fields = cache_fields, .n_fields = ARRAY_SIZE(cache_fields), .told = cache_told, .n_told = ARRAY_SIZE(cache_told),
};
