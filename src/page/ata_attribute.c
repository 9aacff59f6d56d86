/* Attributes into quantities. Their raw bytes are the vendors' own: a row below says what one counts where libatasmart
 * calls it so on this model, and each number is judged, since six bytes often hold more than one. */
#include "page/ata_attribute.h"

#include <string.h>

#include "base/cleanup.h"

/* "0" to "255": samples keep the pointers. */
#define TEN(tens) tens "0", tens "1", tens "2", tens "3", tens "4", tens "5", tens "6", tens "7", tens "8", tens "9"
static const char *const id_texts[256] = {
	TEN(""), TEN("1"), TEN("2"), TEN("3"), TEN("4"), TEN("5"), TEN("6"), TEN("7"), TEN("8"), TEN("9"),
	TEN("10"), TEN("11"), TEN("12"), TEN("13"), TEN("14"), TEN("15"), TEN("16"), TEN("17"), TEN("18"), TEN("19"),
	TEN("20"), TEN("21"), TEN("22"), TEN("23"), TEN("24"), "250", "251", "252", "253", "254", "255",
};

static void put(struct sample_sink *to, enum metric_family_id family, const char *id, const char *name, double value)
{
	struct sample s = { .family = (uint16_t)family, .label = { id, name }, .value = value };

	sample_put(to, &s);
}

void ata_attribute_put(const struct ata_attribute *a, struct sample_sink *to)
{
	const char *id = id_texts[a->id];

	put(to, drive_ata_attribute_value, id, NULL, a->value);
	put(to, drive_ata_attribute_worst, id, NULL, a->worst);
	if (a->has_threshold)
		put(to, drive_ata_attribute_threshold, id, NULL, a->threshold);
	put(to, drive_ata_attribute_raw, id, NULL, (double)a->raw);
	if (a->name)
		put(to, drive_ata_attribute_info, id, a->name, 1);
}

/* ---- quantities */

enum reading { READING_PLAUSIBLE, READING_IMPLAUSIBLE, READING_NONE };	/* none: no such sensor */

struct meaning;
typedef enum reading (*judge_fn)(uint64_t raw, const struct meaning *, const struct drive_facts *, double *ret);

struct meaning {
	uint8_t id;
	const char *name;	/* libatasmart's name for it: on models where it has another one, this row says nothing */
	uint16_t family;
	const char *label;
	const char *quantity;	/* for drive_implausible_values_total */
	double times;		/* to our unit */
	judge_fn judge;
};

enum {
	RANK_ATTRIBUTES = 10,
	MIN_CELSIUS = -40, MAX_CELSIUS = 125,
	MAX_POWER_ON_S = 20 * 366 * 24 * 3600,
	MAX_POWER_CYCLES = 1 << 20,	/* one every ten minutes for twenty years */
	SPARE_SECTORS_OF = 100,		/* no drive keeps more than a hundredth of itself as spare sectors */
};

static const uint64_t NO_SENSOR = 0xffffffffffff;

static uint8_t byte_of(uint64_t raw, unsigned i)
{
	return (uint8_t)(raw >> 8 * i);
}

/* The low byte is degrees. Above it stand, by vendor: nothing; the sign; minimum and maximum as 16-bit words; or as the
 * two next bytes, in either order, which count as such only if the temperature lies between them. */
static enum reading judge_celsius(uint64_t raw, const struct meaning *m, const struct drive_facts *facts, double *ret)
{
	uint8_t now = byte_of(raw, 0), next = byte_of(raw, 1), third = byte_of(raw, 2);
	bool is_between = raw >> 24 == 0 && ((next <= now && now <= third) || (third <= now && now <= next));
	bool is_negative = next == 0xff && now >= 0x80;

	if (now == 0 || raw == NO_SENSOR)	/* no sensor says 0 far more often than a cold room does */
		return READING_NONE;
	*ret = is_negative ? now - 256 : now;
	return (next == 0 || is_negative || is_between) && *ret >= MIN_CELSIUS && *ret <= MAX_CELSIUS
		? READING_PLAUSIBLE : READING_IMPLAUSIBLE;
}

static enum reading judge_tenths(uint64_t raw, const struct meaning *m, const struct drive_facts *facts, double *ret)
{
	*ret = (double)(int16_t)(raw & 0xffff) / 10;
	if ((raw & 0xffff) == 0)
		return READING_NONE;
	return *ret >= MIN_CELSIUS && *ret <= MAX_CELSIUS ? READING_PLAUSIBLE : READING_IMPLAUSIBLE;
}

/* 231 is a temperature on some disks and the life that is left on many SSDs; libatasmart knows the former only. */
static enum reading judge_disk_celsius(uint64_t raw, const struct meaning *m, const struct drive_facts *facts,
				       double *ret)
{
	return facts->rpm > 0 ? judge_celsius(raw, m, facts, ret) : READING_NONE;
}

/* Models that libatasmart takes for counting hours. */
static const struct {
	const char *model;	/* how it begins */
	double seconds;
} power_on_units[] = {
	{ "TOSHIBA MK", 60 },
	{ "SAMSUNG MP0", 30 },
};

/* The low 32 bits: above them a second clock runs (milliseconds, or a count since the last start). */
static enum reading judge_power_on(uint64_t raw, const struct meaning *m, const struct drive_facts *facts, double *ret)
{
	double times = m->times;

	for (size_t i = 0; i < ARRAY_SIZE(power_on_units); i++)
		if (strncmp(facts->model, power_on_units[i].model, strlen(power_on_units[i].model)) == 0)
			times = power_on_units[i].seconds;
	*ret = (double)(raw & UINT32_MAX) * times;
	return *ret <= MAX_POWER_ON_S ? READING_PLAUSIBLE : READING_IMPLAUSIBLE;
}

static enum reading judge_power_cycles(uint64_t raw, const struct meaning *m, const struct drive_facts *facts,
				       double *ret)
{
	*ret = (double)(raw & UINT32_MAX);
	return *ret <= MAX_POWER_CYCLES ? READING_PLAUSIBLE : READING_IMPLAUSIBLE;
}

static enum reading judge_sectors(uint64_t raw, const struct meaning *m, const struct drive_facts *facts, double *ret)
{
	uint64_t n = raw & UINT32_MAX;
	uint64_t sectors = facts->logical_block ? facts->capacity_bytes / facts->logical_block : 0;

	*ret = (double)n;
	return n != UINT32_MAX && (sectors == 0 || n <= sectors / SPARE_SECTORS_OF)
		? READING_PLAUSIBLE : READING_IMPLAUSIBLE;
}

/* How the models of IBM's line of disks begin, under all its owners. They pack a second count above a 16-bit one. */
static const char *const packing_models[] = { "IBM", "IC25", "IC35", "Hitachi", "HITACHI", "HGST", "HDS", "HDT", "HTS",
					      "HTE", "HUA", "HUS", "HUH" };

static enum reading judge_reallocated(uint64_t raw, const struct meaning *m, const struct drive_facts *facts,
				      double *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(packing_models); i++)
		if (strncmp(facts->model, packing_models[i], strlen(packing_models[i])) == 0)
			return judge_sectors(raw & UINT16_MAX, m, facts, ret);
	return judge_sectors(raw, m, facts, ret);
}

/* Of several rows for one family the first that the drive has is taken. */
static const struct meaning meanings[] = {
	{ 194, "temperature-celsius-2", drive_temperature_celsius, "drive", "temperature", 1, judge_celsius },
	{ 194, "temperature-centi-celsius", drive_temperature_celsius, "drive", "temperature", 1, judge_tenths },
	{ 190, "airflow-temperature-celsius", drive_temperature_celsius, "drive", "temperature", 1, judge_celsius },
	{ 231, "temperature-celsius", drive_temperature_celsius, "drive", "temperature", 1, judge_disk_celsius },
	{ 9, "power-on-hours", drive_power_on_seconds_total, NULL, "power_on", 3600, judge_power_on },
	{ 9, "power-on-minutes", drive_power_on_seconds_total, NULL, "power_on", 60, judge_power_on },
	{ 9, "power-on-half-minutes", drive_power_on_seconds_total, NULL, "power_on", 30, judge_power_on },
	{ 9, "power-on-seconds", drive_power_on_seconds_total, NULL, "power_on", 1, judge_power_on },
	{ 12, "power-cycle-count", drive_power_cycles_total, NULL, "power_cycles", 1, judge_power_cycles },
	{ 5, "reallocated-sector-count", drive_reallocated_sectors, NULL, "reallocated_sectors", 1, judge_reallocated },
	{ 197, "current-pending-sector", drive_pending_sectors, NULL, "pending_sectors", 1, judge_sectors },
};

static const struct ata_attribute *find(const struct ata_attribute *a, size_t n, const struct meaning *m)
{
	for (size_t i = 0; i < n; i++)
		if (a[i].id == m->id && a[i].name && strcmp(a[i].name, m->name) == 0)
			return &a[i];
	return NULL;
}

void ata_attributes_decode(const struct ata_attribute *attributes, size_t n, const struct drive_facts *facts,
			   struct sample_sink *to)
{
	uint16_t told = N_METRIC_FAMILIES;	/* the family of the last row that the drive had something to say to */

	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++) {
		const struct meaning *m = &meanings[i];
		const struct ata_attribute *a = m->family == told ? NULL : find(attributes, n, m);
		struct sample s = { .family = m->family, .rank = RANK_ATTRIBUTES, .label = { m->label } };
		enum reading reading = a ? m->judge(a->raw, m, facts, &s.value) : READING_NONE;

		if (reading == READING_NONE)
			continue;
		told = m->family;
		if (reading == READING_PLAUSIBLE)
			sample_put(to, &s);
		else
			to->implausible(to, m->quantity);
	}
}
