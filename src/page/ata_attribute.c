/* Attributes into quantities: the tables say which number counts and in which unit; each is judged before it is told, since
 * six bytes often hold more than one. */
#include "page/ata_attribute.h"

#include <string.h>

#include "base/cleanup.h"
#include "page/ata_judge.h"

/* "0" to "255": samples keep the pointers. */
#define TEN(tens) tens "0", tens "1", tens "2", tens "3", tens "4", tens "5", tens "6", tens "7", tens "8", tens "9"
static const char *const id_texts[256] = {
	TEN(""), TEN("1"), TEN("2"), TEN("3"), TEN("4"), TEN("5"), TEN("6"), TEN("7"), TEN("8"), TEN("9"),
	TEN("10"), TEN("11"), TEN("12"), TEN("13"), TEN("14"), TEN("15"), TEN("16"), TEN("17"), TEN("18"), TEN("19"),
	TEN("20"), TEN("21"), TEN("22"), TEN("23"), TEN("24"), "250", "251", "252", "253", "254", "255",
};

void ata_attribute_put(const struct ata_attribute *a, struct sample_sink *to)
{
	const char *id = id_texts[a->id];

	page_put(to, drive_ata_attribute_value, id, NULL, a->value);
	page_put(to, drive_ata_attribute_worst, id, NULL, a->worst);
	if (a->has_threshold)
		page_put(to, drive_ata_attribute_threshold, id, NULL, a->threshold);
	page_put(to, drive_ata_attribute_raw, id, NULL, (double)a->raw);
	if (a->sense->name[0])		/* the name lives as long as the drive's facts, the sample perhaps longer */
		sample_put(to, &(struct sample){ .family = drive_ata_attribute_info, .is_dynamic = true,
						 .label = { id, a->sense->name }, .value = 1 });
}

/* ---- what a number can be */

enum reading { READING_PLAUSIBLE, READING_IMPLAUSIBLE, READING_NONE };	/* none: no such sensor, or it says nothing */

enum { RANK_ATTRIBUTES = 10 };
static const uint64_t NOTHING_BUT_ONES = 0xffffffffffff;

static uint8_t byte_of(uint64_t raw, unsigned i)
{
	return (uint8_t)(raw >> 8 * i);
}

static uint64_t part_of(const struct ata_attribute *a, enum ata_part part)
{
	switch (part) {
	case ATA_LOW32:
	case ATA_ALONE16:
		return a->raw & UINT32_MAX;
	case ATA_LOW24:
		return a->raw & 0xffffff;
	case ATA_LOW16:
		return a->raw & UINT16_MAX;
	case ATA_LOW8:
		return a->raw & UINT8_MAX;
	case ATA_HIGH16:
		return a->raw >> 32;
	case ATA_VALUE:
		return a->value;
	case ATA_RAW:
	case N_ATA_PARTS:
		break;
	}
	return a->raw;
}

/* The low byte is degrees. Above it stand, by vendor: nothing; the sign; minimum and maximum as 16-bit words; or as the
 * two next bytes, in either order, which count as such only if the temperature lies between them. */
static enum reading read_celsius(uint64_t raw, double *ret)
{
	uint8_t now = byte_of(raw, 0), next = byte_of(raw, 1), third = byte_of(raw, 2);
	bool is_between = (next <= now && now <= third) || (third <= now && now <= next);
	bool is_negative = next == 0xff && now >= 0x80;

	if (now == 0 || raw == NOTHING_BUT_ONES)	/* no sensor says 0 far more often than a cold room does */
		return READING_NONE;
	*ret = is_negative ? now - 256 : now;
	return next == 0 || is_negative || (is_between && raw >> 24 == 0) ? READING_PLAUSIBLE : READING_IMPLAUSIBLE;
}

static enum reading read_tenths(uint64_t raw, double *ret)
{
	*ret = (double)(int16_t)(raw & 0xffff) / 10;
	return raw & 0xffff ? READING_PLAUSIBLE : READING_NONE;
}

/* A ratio; percentages above 255 are no percentages. */
static enum reading read_percent(uint64_t n, enum ata_unit unit, double *ret)
{
	uint64_t whole = n >> 8, hundredths = n & 0xff;

	if (unit == ATA_BYTES_OF_PERCENT) {
		*ret = (double)(whole * 100 + hundredths) / 10000;
		return hundredths < 100 ? READING_PLAUSIBLE : READING_IMPLAUSIBLE;
	}
	*ret = unit == ATA_PERCENT_LEFT ? (double)(100 - (int64_t)n) / 100 : (double)n / 100;
	if (unit == ATA_PERCENT_USED)
		return n <= 255 ? READING_PLAUSIBLE : READING_IMPLAUSIBLE;
	return n <= 100 ? READING_PLAUSIBLE : READING_IMPLAUSIBLE;
}

static const double scales[N_ATA_UNITS] = {
	[ATA_COUNT] = 1, [ATA_MIB] = 0x1p20, [ATA_32MIB] = 0x1p25, [ATA_GIB] = 0x1p30, [ATA_GB] = 1e9,
	[ATA_HOURS] = 3600, [ATA_MINUTES] = 60, [ATA_HALF_MINUTES] = 30, [ATA_SECONDS] = 1,
};

/* A raw number that could be a percentage too, and another one than the value: which of the two falls and which rises is the
 * firmware's secret. */
static bool is_contradicted(const struct ata_attribute *a)
{
	if (a->sense->part == ATA_LOW8 && a->sense->unit == ATA_PERCENT_LEFT && part_of(a, ATA_LOW8) == 0 && a->value >= 100)
		return true;		/* used up, and as new: the raw number is not kept */
	return a->sense->is_hearsay && a->sense->part == ATA_VALUE && a->sense->unit == ATA_PERCENT_LEFT && a->raw &&
	       a->raw <= 100 && a->raw != a->value;
}

/* The number in our unit. */
static enum reading read_number(const struct ata_attribute *a, const struct drive_facts *facts, double *ret)
{
	uint64_t n = part_of(a, (enum ata_part)a->sense->part);

	if (is_contradicted(a) || (a->sense->part == ATA_RAW && a->raw == NOTHING_BUT_ONES))
		return READING_NONE;
	switch (a->sense->unit) {
	case ATA_CELSIUS:
		return read_celsius(n, ret);
	case ATA_TENTHS_CELSIUS:
		return read_tenths(n, ret);
	case ATA_PERCENT:
	case ATA_PERCENT_LEFT:
	case ATA_PERCENT_USED:
	case ATA_BYTES_OF_PERCENT:
		return read_percent(n, (enum ata_unit)a->sense->unit, ret);
	case ATA_LOGICAL_BLOCKS:
		*ret = (double)n * facts->logical_block;
		return facts->logical_block ? READING_PLAUSIBLE : READING_NONE;
	default:
		*ret = (double)n * scales[a->sense->unit];
		return a->sense->part == ATA_ALONE16 && n > UINT16_MAX ? READING_IMPLAUSIBLE : READING_PLAUSIBLE;
	}
}

/* In the order in which they are read: what judges others comes first. */
static const struct quantity {
	enum ata_quantity quantity;
	uint16_t family;
	const char *label[SAMPLE_LABELS];
} quantities[] = {
	{ ATA_POWER_ON, drive_power_on_seconds_total, { NULL } },
	{ ATA_WRITTEN, drive_written_bytes_total, { NULL } },
	{ ATA_READ, drive_read_bytes_total, { NULL } },
	{ ATA_NAND_WRITTEN, drive_nand_written_bytes_total, { NULL } },
	{ ATA_WEAR, drive_endurance_used_ratio, { NULL } },
	{ ATA_SPARE, drive_spare_available_ratio, { NULL } },
	{ ATA_TEMPERATURE, drive_temperature_celsius, { "drive" } },
	{ ATA_POWER_CYCLES, drive_power_cycles_total, { NULL } },
	{ ATA_UNSAFE_SHUTDOWNS, drive_unsafe_shutdowns_total, { NULL } },
	{ ATA_START_STOPS, drive_mechanical_cycles_total, { "start_stop" } },
	{ ATA_LOAD_CYCLES, drive_mechanical_cycles_total, { "load_unload" } },
	{ ATA_REALLOCATED, drive_reallocated_sectors, { NULL } },
	{ ATA_RETIRED_BLOCKS, drive_retired_blocks, { NULL } },
	{ ATA_PENDING, drive_pending_sectors, { NULL } },
	{ ATA_OFFLINE_UNCORRECTABLE, drive_offline_uncorrectable_sectors, { NULL } },
	{ ATA_UNCORRECTED, drive_uncorrected_errors_total, { "all" } },
	{ ATA_CRC_ERRORS, drive_link_errors_total, { "0", "crc", "drive" } },
	{ ATA_TIMEOUTS, drive_command_timeouts_total, { NULL } },
	{ ATA_PROGRAM_FAILURES, drive_program_failures_total, { NULL } },
	{ ATA_ERASE_FAILURES, drive_erase_failures_total, { NULL } },
};

/* The attribute that tells a quantity: of several that say something the one whose row stands first. */
static const struct ata_attribute *find(const struct ata_attribute *a, size_t n, const struct quantity *q,
					const struct drive_facts *facts, enum reading *ret_reading, double *ret)
{
	const struct ata_attribute *best = NULL;

	for (size_t i = 0; i < n; i++) {
		enum reading reading;
		double v;

		if (!a[i].sense->meaning || a[i].sense->meaning->quantity != q->quantity ||
		    (best && best->sense->order <= a[i].sense->order))
			continue;
		reading = read_number(&a[i], facts, &v);
		if (reading == READING_NONE)
			continue;
		best = &a[i];
		*ret = v;
		*ret_reading = reading;
	}
	return best;
}

/* Below its threshold the drive calls its spare blocks critical. */
static void threshold_put(const struct ata_attribute *a, const struct quantity *q, struct sample_sink *to)
{
	if (q->quantity == ATA_SPARE && a->sense->part == ATA_VALUE && a->has_threshold && a->threshold && a->threshold <= 100)
		page_put(to, drive_spare_threshold_ratio, NULL, NULL, (double)a->threshold / 100);
}

void ata_attributes_decode(const struct ata_attribute *attributes, size_t n, const struct drive_facts *facts,
			   struct sample_sink *to)
{
	struct ata_judge judge = ata_judge_of(to, facts);

	for (size_t i = 0; i < ARRAY_SIZE(quantities); i++) {
		const struct quantity *q = &quantities[i];
		enum reading reading = READING_NONE;
		struct sample s = { .family = q->family, .rank = RANK_ATTRIBUTES };
		const struct ata_attribute *a = find(attributes, n, q, facts, &reading, &s.value);

		if (!a)
			continue;
		if (reading == READING_IMPLAUSIBLE) {
			ata_judge_reject(&judge, q->family);
			continue;
		}
		memcpy(s.label, q->label, sizeof s.label);
		sample_put(&judge.sink, &s);
		threshold_put(a, q, to);
	}
}
