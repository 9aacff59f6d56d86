#include "page/ata_judge.h"

enum {
	MAX_POWER_ON_S = 20 * 366 * 24 * 3600,
	MAX_POWER_CYCLES = 1 << 20,	/* one every ten minutes for twenty years */
	MAX_CYCLES = 1 << 24,		/* load cycles: one every half minute for sixteen years */
	MAX_TIMEOUTS = 0xffff,		/* one 16-bit count: more bytes are several counts in one */
	MIN_CELSIUS = -40, MAX_CELSIUS = 125,
	HOUR_UNDER_WAY_S = 3600,	/* not counted yet */
	SATA1_BYTES_A_SECOND = 150 * 1000 * 1000,	/* doubled by each generation */
	LINKS_OF_FLASH = 10,		/* flash takes in more than the link carries, but not ten times as much */
	SPARE_SECTORS_OF = 100,		/* no drive keeps more than a hundredth of itself as spare sectors */
	FAILED_COMMANDS_OF = 100,	/* nobody keeps a drive that fails more than a hundredth of its commands, */
	FEW_ERRORS = 0xffff,		/* unless they are few */
	WORN_FILLS = 1,			/* a drive half worn has been written over once at least */
};
static const double MAX_COUNT = 0xfffffffe;	/* a counter that stands at all ones counts nothing */
static const double HALF_WORN = 0.5;

/* The most there can be; 0: not known. */
typedef double (*bound_fn)(const struct ata_judge *);

/* IDENTIFY word 76: generations of Serial ATA that the drive can speak, bits 1 to 3. */
static double link_bytes_a_second(const struct drive_facts *facts)
{
	unsigned speeds = facts->has_identify ? facts->identify[152] | (unsigned)facts->identify[153] << 8 : 0;
	unsigned generation = speeds == 0xffff || !(speeds & 0xe) ? 3 : speeds & 8 ? 3 : speeds & 4 ? 2 : 1;

	return SATA1_BYTES_A_SECOND * (double)(1u << (generation - 1));
}

/* What the link carries in all the time powered on; as long as nobody lives where that is not told. */
static double link_bound(const struct ata_judge *judge)
{
	double on_s = judge->power_on_s > 0 ? judge->power_on_s + HOUR_UNDER_WAY_S : MAX_POWER_ON_S;

	return on_s * link_bytes_a_second(judge->facts);
}

static double flash_bound(const struct ata_judge *judge)
{
	return link_bound(judge) * LINKS_OF_FLASH;
}

static double sectors_bound(const struct ata_judge *judge)
{
	const struct drive_facts *facts = judge->facts;
	double sectors = facts->logical_block ? (double)(facts->capacity_bytes / facts->logical_block) : 0;

	return sectors > 0 && sectors / SPARE_SECTORS_OF < MAX_COUNT ? sectors / SPARE_SECTORS_OF : MAX_COUNT;
}

/* Kingston's SEDC400 (960 GB) tells 47275262 errors in 2.2 thousand million commands where its attribute 187
 * counts none. */
static double commands_bound(const struct ata_judge *judge)
{
	return judge->facts->commands ? FEW_ERRORS + (double)judge->facts->commands / FAILED_COMMANDS_OF : MAX_COUNT;
}

static double wear_bound(const struct ata_judge *judge)
{
	double capacity = (double)judge->facts->capacity_bytes;

	return judge->written_bytes > 0 && judge->written_bytes < capacity * WORN_FILLS ? HALF_WORN : 0;
}

static const struct limit {
	uint16_t family;
	const char *quantity;	/* for drive_implausible_values_total */
	double min, max;	/* max 0: bound; without one: any */
	bound_fn bound;
} limits[] = {
	{ drive_power_on_seconds_total, "power_on", 0, MAX_POWER_ON_S, NULL },
	{ drive_power_cycles_total, "power_cycles", 0, MAX_POWER_CYCLES, NULL },
	{ drive_unsafe_shutdowns_total, "unsafe_shutdowns", 0, MAX_POWER_CYCLES, NULL },
	{ drive_mechanical_cycles_total, "mechanical_cycles", 0, MAX_CYCLES, NULL },
	{ drive_temperature_celsius, "temperature", MIN_CELSIUS, MAX_CELSIUS, NULL },
	{ drive_temperature_extreme_celsius, "temperature_extreme", MIN_CELSIUS, MAX_CELSIUS, NULL },
	{ drive_temperature_limit_celsius, "temperature_limit", MIN_CELSIUS, MAX_CELSIUS, NULL },
	{ drive_written_bytes_total, "written_bytes", 0, 0, link_bound },
	{ drive_read_bytes_total, "read_bytes", 0, 0, link_bound },
	{ drive_nand_written_bytes_total, "nand_written_bytes", 0, 0, flash_bound },
	{ drive_endurance_used_ratio, "endurance_used", 0, 0, wear_bound },
	{ drive_spare_available_ratio, "spare_available", 0, 1, NULL },
	{ drive_reallocated_sectors, "reallocated_sectors", 0, 0, sectors_bound },
	{ drive_pending_sectors, "pending_sectors", 0, 0, sectors_bound },
	{ drive_offline_uncorrectable_sectors, "offline_uncorrectable_sectors", 0, 0, sectors_bound },
	{ drive_retired_blocks, "retired_blocks", 0, MAX_COUNT, NULL },
	{ drive_uncorrected_errors_total, "uncorrected_errors", 0, 0, commands_bound },
	{ drive_link_errors_total, "link_errors", 0, MAX_COUNT, NULL },
	{ drive_command_timeouts_total, "command_timeouts", 0, MAX_TIMEOUTS, NULL },
	{ drive_program_failures_total, "program_failures", 0, MAX_COUNT, NULL },
	{ drive_erase_failures_total, "erase_failures", 0, MAX_COUNT, NULL },
};

static const struct limit *limit_of(uint16_t family)
{
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (limits[i].family == family)
			return &limits[i];
	return NULL;
}

static bool is_plausible(const struct ata_judge *judge, const struct limit *limit, double value)
{
	double max = limit->bound ? limit->bound(judge) : limit->max;

	return value >= limit->min && (max == 0 || value <= max);
}

void ata_judge_reject(struct ata_judge *judge, uint16_t family)
{
	const struct limit *limit = limit_of(family);

	if (limit)
		judge->to->implausible(judge->to, limit->quantity);
}

static void put(struct sample_sink *sink, const struct sample *s)
{
	struct ata_judge *judge = (struct ata_judge *)sink;	/* its first member */
	const struct limit *limit = limit_of(s->family);

	if (limit && !is_plausible(judge, limit, s->value)) {
		ata_judge_reject(judge, s->family);
		return;
	}
	if (s->family == drive_power_on_seconds_total)
		judge->power_on_s = s->value;
	if (s->family == drive_written_bytes_total)
		judge->written_bytes = s->value;
	sample_put(judge->to, s);
}

static void implausible(struct sample_sink *sink, const char *quantity)
{
	struct ata_judge *judge = (struct ata_judge *)sink;

	judge->to->implausible(judge->to, quantity);
}

struct ata_judge ata_judge_of(struct sample_sink *to, const struct drive_facts *facts)
{
	return (struct ata_judge){
		.sink = { .put = put, .implausible = implausible }, .to = to, .facts = facts,
		.power_on_s = (double)facts->power_on_hours * 3600,
		.written_bytes = (double)facts->written_blocks * facts->logical_block,
	};
}
