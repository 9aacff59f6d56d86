/* The names of smartmontools' data base say what an attribute is by convention, its formats how the raw bytes make a number.
 * Taken are names that tell quantity and unit for sure; a name that is known to mislead ("GB" that is often GiB, counts of
 * erase cycles, parts of a total) gives no quantity, and keeps others from guessing one. */
#include "page/ata_database.h"

#include <fnmatch.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "page/drivedb.h"

static const struct drivedb *databases[ATA_DATABASES_MAX];
static size_t n_databases;
static unsigned generation = 1;

void ata_meaning_use_databases(const struct drivedb *const *list, size_t n)
{
	n_databases = n < ATA_DATABASES_MAX ? n : ATA_DATABASES_MAX;
	for (size_t i = 0; i < n_databases; i++)
		databases[i] = list[i];
	generation++;
}

unsigned ata_meaning_generation(void)
{
	return generation;
}

#define NAMED(an_id, a_name, a_quantity, a_part, a_unit) \
	{ .id = an_id, .name = a_name, .quantity = ATA_##a_quantity, .part = ATA_##a_part, .unit = ATA_##a_unit }

/* The id is 0 where the name alone will do. */
static const struct ata_meaning by_name[] = {
	NAMED(0, "Total_LBAs_Written", WRITTEN, RAW, LOGICAL_BLOCKS), NAMED(0, "Device_Sectors_Written", WRITTEN, RAW, LOGICAL_BLOCKS),
	NAMED(0, "Sectors_Written_to_SSD", WRITTEN, RAW, LOGICAL_BLOCKS), NAMED(0, "Total_Host_LBA_Written", WRITTEN, RAW, LOGICAL_BLOCKS),
	NAMED(0, "Host_Writes_32MiB", WRITTEN, RAW, 32MIB), NAMED(0, "Host_Writes_MiB", WRITTEN, RAW, MIB),
	NAMED(0, "Host_Writes_GiB", WRITTEN, RAW, GIB), NAMED(0, "Lifetime_Writes_GiB", WRITTEN, RAW, GIB),
	NAMED(0, "Total_Writes_GiB", WRITTEN, RAW, GIB),
	NAMED(0, "Total_LBAs_Read", READ, RAW, LOGICAL_BLOCKS), NAMED(0, "Host_Reads_32MiB", READ, RAW, 32MIB),
	NAMED(0, "Host_Reads_MiB", READ, RAW, MIB), NAMED(0, "Host_Reads_GiB", READ, RAW, GIB),
	NAMED(0, "Lifetime_Reads_GiB", READ, RAW, GIB), NAMED(0, "Total_Reads_GiB", READ, RAW, GIB),
	NAMED(0, "NAND_Writes_32MiB", NAND_WRITTEN, RAW, 32MIB), NAMED(0, "Flash_Writes_32MiB", NAND_WRITTEN, RAW, 32MIB),
	NAMED(0, "NAND_Writes_1GiB", NAND_WRITTEN, RAW, GIB), NAMED(0, "NAND_Writes_GiB", NAND_WRITTEN, RAW, GIB),
	NAMED(0, "NAND_GiB_Written", NAND_WRITTEN, RAW, GIB), NAMED(0, "Flash_Writes_GiB", NAND_WRITTEN, RAW, GIB),
	NAMED(0, "Flash_Writes_LBAs", NAND_WRITTEN, RAW, LOGICAL_BLOCKS), NAMED(0, "Flash_Writes_Sectors", NAND_WRITTEN, RAW, LOGICAL_BLOCKS),

	NAMED(233, "Media_Wearout_Indicator", WEAR, VALUE, PERCENT_LEFT), NAMED(0, "SSD_Life_Left*", WEAR, VALUE, PERCENT_LEFT),
	NAMED(0, "Lifetime_Left", WEAR, VALUE, PERCENT_LEFT), NAMED(0, "Lifetime_Remaining%", WEAR, VALUE, PERCENT_LEFT),
	NAMED(0, "Life_Remaining_Percent", WEAR, VALUE, PERCENT_LEFT), NAMED(0, "*Life_Remaining%", WEAR, VALUE, PERCENT_LEFT),
	NAMED(0, "Perc_Rated_Life_Remain", WEAR, VALUE, PERCENT_LEFT), NAMED(0, "Percent_Life_Remaining", WEAR, VALUE, PERCENT_LEFT),
	NAMED(0, "Percent_Lifetime_Remain", WEAR, VALUE, PERCENT_LEFT), NAMED(0, "PCT_Life_Remaining", WEAR, VALUE, PERCENT_LEFT),
	NAMED(0, "Remaining_Life*", WEAR, VALUE, PERCENT_LEFT),
	NAMED(0, "Percent_Life*_Used", WEAR, VALUE, PERCENT_LEFT), NAMED(0, "Perc_Rated_Life_Used", WEAR, VALUE, PERCENT_LEFT),

	NAMED(9, "Power_On_*", POWER_ON, LOW32, HOURS),
	NAMED(194, "*Temperature*", TEMPERATURE, RAW, CELSIUS), NAMED(190, "*Temperature*", TEMPERATURE, RAW, CELSIUS),
	NAMED(12, "Power_Cycle_Count", POWER_CYCLES, LOW32, COUNT), NAMED(4, "Start_Stop_Count", START_STOPS, LOW32, COUNT),
	NAMED(193, "Load_Cycle_Count", LOAD_CYCLES, LOW32, COUNT), NAMED(225, "Load_Cycle_Count", LOAD_CYCLES, LOW32, COUNT),
	NAMED(5, "Reallocated_Sector_*", REALLOCATED, LOW32, COUNT), NAMED(5, "Reallocate_NAND_Blk_Cnt", RETIRED_BLOCKS, LOW32, COUNT),
	NAMED(5, "Re*ed_Block_C*", RETIRED_BLOCKS, LOW32, COUNT), NAMED(197, "*Pending_Sector*", PENDING, LOW32, COUNT),
	NAMED(198, "Offline_Uncorrectable", OFFLINE_UNCORRECTABLE, LOW32, COUNT),
	NAMED(187, "Reported_Uncorr*", UNCORRECTED, LOW32, COUNT), NAMED(187, "Uncorrectable_Error_Cnt", UNCORRECTED, LOW32, COUNT),
	NAMED(188, "Command_Timeout", TIMEOUTS, RAW, COUNT), NAMED(199, "*CRC_Error*", CRC_ERRORS, LOW32, COUNT),
	NAMED(171, "Program_Fail_C*", PROGRAM_FAILURES, LOW32, COUNT), NAMED(181, "Program_Fail_C*", PROGRAM_FAILURES, LOW32, COUNT),
	NAMED(172, "Erase_Fail_C*", ERASE_FAILURES, LOW32, COUNT), NAMED(182, "Erase_Fail_C*", ERASE_FAILURES, LOW32, COUNT),
	NAMED(174, "Unexpect*Power_Loss*", UNSAFE_SHUTDOWNS, LOW32, COUNT), NAMED(174, "Unsafe_Shutdown_C*", UNSAFE_SHUTDOWNS, LOW32, COUNT),
	NAMED(192, "Unsafe_Shutdown_C*", UNSAFE_SHUTDOWNS, LOW32, COUNT), NAMED(192, "Unexpect*Power_Loss*", UNSAFE_SHUTDOWNS, LOW32, COUNT),
	NAMED(235, "POR_Recovery_Count", UNSAFE_SHUTDOWNS, LOW32, COUNT),
	NAMED(170, "Available_Reservd_Space", SPARE, VALUE, PERCENT), NAMED(232, "Available_Reservd_Space", SPARE, VALUE, PERCENT),
};

/* What of the raw bytes counts where the data base says so; formats that are not here make no single number, or one that is no
 * count. unit: N_ATA_UNITS where the name has it. */
static const struct {
	enum drivedb_format format;
	enum ata_part part;
	enum ata_unit unit;
} formats[] = {
	{ DRIVEDB_RAW48, ATA_RAW, N_ATA_UNITS }, { DRIVEDB_RAW24_RAW8, ATA_LOW24, N_ATA_UNITS },
	{ DRIVEDB_RAW16_RAW16, ATA_LOW16, N_ATA_UNITS }, { DRIVEDB_RAW16_AVG16, ATA_LOW16, N_ATA_UNITS },
	{ DRIVEDB_MSEC24HOUR32, ATA_LOW32, ATA_HOURS },
	{ DRIVEDB_MIN2HOUR, ATA_LOW32, ATA_MINUTES }, { DRIVEDB_HALFMIN2HOUR, ATA_LOW32, ATA_HALF_MINUTES },
	{ DRIVEDB_SEC2HOUR, ATA_LOW32, ATA_SECONDS }, { DRIVEDB_TEMPMINMAX, ATA_RAW, ATA_CELSIUS },
	{ DRIVEDB_TEMP10X, ATA_RAW, ATA_TENTHS_CELSIUS },
};

/* Intel 320 and 710. */
static const char freezes_at_log_directory[] = "INTEL SSDSA[12][BCN][WTZ]*G3*";

bool ata_meaning_forbids_log_directory(const char *model, const char *firmware)
{
	static struct drivedb_drive drive;

	for (size_t i = 0; i < n_databases; i++)
		if (drivedb_lookup(databases[i], model, firmware, -1, &drive) && drive.bugs & DRIVEDB_NO_LOG_DIRECTORY)
			return true;
	return !fnmatch(freezes_at_log_directory, model, 0);
}

const struct drivedb_attribute *ata_database_find(const char *model, const char *firmware, int32_t rpm,
						  char ret_family[ATA_FAMILY_MAX])
{
	static struct drivedb_drive drive;	/* 8 KiB and more: too much for the stack of every poll */

	ret_family[0] = 0;
	for (size_t i = 0; i < n_databases; i++)
		if (drivedb_lookup(databases[i], model, firmware, rpm < 0 ? -1 : rpm == 0, &drive)) {
			if (drive.family)
				text_copy(ret_family, ATA_FAMILY_MAX, drive.family);
			return drive.attributes;
		}
	return NULL;
}

static const struct ata_meaning *meaning_of(const char *name, uint8_t id)
{
	for (size_t i = 0; i < ARRAY_SIZE(by_name); i++)
		if ((!by_name[i].id || by_name[i].id == id) && !fnmatch(by_name[i].name, name, 0))
			return &by_name[i];
	return NULL;
}

/* Which raw bytes, and in which unit, by the format. False where that is no number for us. */
static bool take_format(const struct drivedb_attribute *a, const struct ata_meaning *m, struct ata_sense *ret)
{
	ret->part = m->part;
	ret->unit = m->unit;
	if (m->part == ATA_VALUE)
		return !a->takes_value;
	if (strcmp(a->order, drivedb_format_order(a->format)))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		if (formats[i].format != a->format)
			continue;
		if (formats[i].unit != N_ATA_UNITS)
			ret->unit = formats[i].unit;
		/* Of six bytes the low four count where nothing is known to count higher. */
		ret->part = formats[i].part == ATA_RAW ? m->part : formats[i].part;
		return true;
	}
	return false;
}

bool ata_database_sense(const struct drivedb_attribute *known, uint8_t id, uint16_t order, struct ata_sense *ret)
{
	const struct drivedb_attribute *a = &known[id];
	const struct ata_meaning *m = meaning_of(a->name, id);

	if (a->name[0])
		text_copy(ret->name, sizeof ret->name, a->name);
	if (!a->has_own_name && !a->has_own_format)	/* a word about all drives is no word about this one */
		return false;
	if (m && take_format(a, m, ret)) {
		ret->meaning = m;
		ret->is_hearsay = true;
		ret->order = (uint16_t)(order + (m - by_name));
	}
	return true;
}
