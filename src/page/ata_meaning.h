/* What a SMART attribute means on a model. The raw bytes and the normalised value are the vendors' own, so a table says for a
 * family of models which of them count, in which unit and direction, and for which quantity. Where no table knows the
 * attribute it has no meaning here: a number that may be wrong by a factor of 65,536 is worth less than none. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ATA_ATTRIBUTES = 30 };	/* SMART READ DATA has room for so many */
enum { ATA_NAME_MAX = 40, ATA_FAMILY_MAX = 64 };

/* Which bits count. */
enum ata_part {
	ATA_RAW,		/* all six raw bytes */
	ATA_LOW32, ATA_LOW24, ATA_LOW16, ATA_LOW8,
	ATA_ALONE16,		/* the low 16 bits, if the 16 above are none: else it is two counts, or a larger one */
	ATA_HIGH16,		/* the last two of the six */
	ATA_VALUE,		/* the normalised value */
	N_ATA_PARTS
};

enum ata_unit {
	ATA_COUNT,
	ATA_LOGICAL_BLOCKS, ATA_MIB, ATA_32MIB, ATA_GIB, ATA_GB,
	ATA_HOURS, ATA_MINUTES, ATA_HALF_MINUTES, ATA_SECONDS,
	ATA_CELSIUS,		/* packed with extremes, by vendor */
	ATA_TENTHS_CELSIUS,
	ATA_PERCENT,
	ATA_PERCENT_LEFT,	/* of life: 100 is new */
	ATA_PERCENT_USED,
	ATA_BYTES_OF_PERCENT,	/* used: whole per cents in the high byte, hundredths in the low one */
	N_ATA_UNITS
};

/* What the number is about: a row of quantities[] in ata_attribute.c. */
enum ata_quantity {
	ATA_NOTHING,		/* known to be no quantity of ours: no other table is asked */
	ATA_TEMPERATURE, ATA_POWER_ON, ATA_POWER_CYCLES, ATA_UNSAFE_SHUTDOWNS, ATA_START_STOPS, ATA_LOAD_CYCLES,
	ATA_REALLOCATED, ATA_RETIRED_BLOCKS, ATA_PENDING, ATA_OFFLINE_UNCORRECTABLE, ATA_UNCORRECTED,
	ATA_CRC_ERRORS, ATA_TIMEOUTS, ATA_PROGRAM_FAILURES, ATA_ERASE_FAILURES,
	ATA_WRITTEN, ATA_READ, ATA_NAND_WRITTEN, ATA_WEAR, ATA_SPARE,
	N_ATA_QUANTITIES
};

struct ata_meaning {
	uint8_t id;		/* 0: any; the name decides */
	enum ata_quantity quantity;
	enum ata_part part;
	enum ata_unit unit;
	const char *name;	/* a pattern where names are matched, else what the attribute is called */
};

struct ata_family {
	const char *name;
	const char *models;	/* patterns (fnmatch), '|' between them */
	const char *firmware;	/* the same; NULL: any */
	const struct ata_meaning *rows;	/* of two attributes for one quantity the one that stands first counts */
	size_t n_rows;
	const char *proof;	/* what the meaning of wear and bytes rests on: docs/wear-sources.md */
};

extern const struct ata_family ata_families[];	/* the built-in table; a NULL name ends it */

/* One attribute of a drive, as the tables have it. */
struct ata_sense {
	const struct ata_meaning *meaning;	/* NULL: none */
	uint8_t part, unit;			/* of the meaning, or as a data base says for this model */
	uint16_t order;				/* of several for one quantity the lowest counts */
	bool is_hearsay;			/* a name says so: not believed where raw number and value disagree */
	char name[ATA_NAME_MAX];		/* empty: nobody has one */
};

/* ids are those of SMART READ DATA, 0: none; atasmart_names what libatasmart calls them on this drive (a name NULL: it has none;
 * the whole NULL: it is not built in). */
void ata_meaning_resolve(const char *model, const char *firmware, int32_t rpm, const uint8_t ids[ATA_ATTRIBUTES],
			 const char *const *atasmart_names, struct ata_sense ret[ATA_ATTRIBUTES],
			 char ret_family[ATA_FAMILY_MAX]);

/* smartmontools' data bases of drives, where they are installed, the one that is asked first in front. They must stay until
 * others are set. Drives take the new ones' word when they are next read. */
enum { ATA_DATABASES_MAX = 8 };
struct drivedb;
void ata_meaning_use_databases(const struct drivedb *const *list, size_t n);
/* True of models that may freeze when their log directory is read. */
bool ata_meaning_forbids_log_directory(const char *model, const char *firmware);
/* Changes with each call of ata_meaning_use_databases(). */
unsigned ata_meaning_generation(void);

/* The built-in table as Markdown. */
struct text;
void ata_families_list(struct text *out);
