/* The built-in table of SSD families as people read it: docs/wear-sources.md. */
#include "page/ata_meaning.h"

#include <string.h>

#include "base/text.h"

static const char head[] =
	"# What SATA SSDs tell by their attributes\n"
	"\n"
	"This page is generated from the table in src/page/ata_families.c (`drive_exporter --list-attributes-markdown`).\n"
	"\n"
	"Where a drive has Device Statistics (ACS-4) they are taken, and no attribute is asked: page 7 for wear, page 1 for bytes.\n"
	"Else this table says which attribute tells a quantity, by model, with its unit and direction and what that rests on. A model\n"
	"that is not here is looked up in smartmontools' drivedb.h, if that is installed; of its names those count that say quantity\n"
	"and unit for sure. Of all others wear and bytes are left out. `drive_source_info` tells what was taken, and\n"
	"`drive_implausible_values_total` what was left out because the drive cannot mean it.\n";

static const char *const parts[N_ATA_PARTS] = {
	[ATA_RAW] = "raw", [ATA_LOW32] = "raw, low 32 bits", [ATA_LOW24] = "raw, low 24 bits", [ATA_LOW16] = "raw, low 16 bits",
	[ATA_ALONE16] = "raw, low 16 bits if the next are none",
	[ATA_LOW8] = "raw, low byte", [ATA_HIGH16] = "raw, bytes 4 and 5", [ATA_VALUE] = "value",
};

static const char *const units[N_ATA_UNITS] = {
	[ATA_COUNT] = "count", [ATA_LOGICAL_BLOCKS] = "logical blocks (512 bytes, or the drive's own)", [ATA_MIB] = "MiB",
	[ATA_32MIB] = "32 MiB", [ATA_GIB] = "GiB", [ATA_GB] = "GB", [ATA_HOURS] = "hours", [ATA_MINUTES] = "minutes",
	[ATA_HALF_MINUTES] = "half minutes", [ATA_SECONDS] = "seconds", [ATA_CELSIUS] = "degrees Celsius",
	[ATA_TENTHS_CELSIUS] = "tenths of a degree", [ATA_PERCENT] = "per cent left", [ATA_PERCENT_LEFT] = "per cent of life left, falling",
	[ATA_PERCENT_USED] = "per cent of life used, rising",
	[ATA_BYTES_OF_PERCENT] = "life used, rising: per cents in the high byte, hundredths in the low",
};

static const char *const quantities[N_ATA_QUANTITIES] = {
	[ATA_TEMPERATURE] = "temperature", [ATA_POWER_ON] = "power-on time", [ATA_POWER_CYCLES] = "power cycles",
	[ATA_UNSAFE_SHUTDOWNS] = "unsafe shutdowns", [ATA_START_STOPS] = "start-stop cycles", [ATA_LOAD_CYCLES] = "load cycles",
	[ATA_REALLOCATED] = "reallocated sectors", [ATA_RETIRED_BLOCKS] = "retired blocks", [ATA_PENDING] = "pending sectors",
	[ATA_OFFLINE_UNCORRECTABLE] = "offline uncorrectable sectors", [ATA_UNCORRECTED] = "uncorrected errors",
	[ATA_CRC_ERRORS] = "CRC errors of the link", [ATA_TIMEOUTS] = "command timeouts",
	[ATA_PROGRAM_FAILURES] = "program failures", [ATA_ERASE_FAILURES] = "erase failures",
	[ATA_WRITTEN] = "bytes written", [ATA_READ] = "bytes read", [ATA_NAND_WRITTEN] = "bytes written to flash",
	[ATA_WEAR] = "**wear**", [ATA_SPARE] = "spare blocks",
};

/* Bars would end the cell, asterisks begin something. */
static void add_patterns(struct text *out, const char *patterns)
{
	text_add(out, "`");
	for (; *patterns; patterns++)
		text_add_bytes(out, *patterns == '|' ? "`, `" : patterns, *patterns == '|' ? 4 : 1);
	text_add(out, "`");
}

static void add_rows(struct text *out, const struct ata_family *f)
{
	text_add(out, "\n| quantity | attribute | of it | unit and direction |\n| --- | --- | --- | --- |\n");
	for (size_t i = 0; i < f->n_rows; i++) {
		const struct ata_meaning *row = &f->rows[i];

		if (row->quantity != ATA_NOTHING)
			text_addf(out, "| %s | %u `%s` | %s | %s |\n", quantities[row->quantity], row->id, row->name, parts[row->part],
				  units[row->unit]);
	}
	text_add(out, "\nNot taken, since they mean something else, or nothing that is sure: ");
	for (size_t i = 0, n = 0; i < f->n_rows; i++)
		if (f->rows[i].quantity == ATA_NOTHING)
			text_addf(out, "%s%u `%s`", n++ ? ", " : "", f->rows[i].id, f->rows[i].name);
	text_add(out, ".\n");
}

void ata_families_list(struct text *out)
{
	text_add(out, head);
	for (const struct ata_family *f = ata_families; f->name; f++) {
		text_addf(out, "\n## %s\n\nModels ", f->name);
		add_patterns(out, f->models);
		if (f->firmware) {
			text_add(out, " with firmware ");
			add_patterns(out, f->firmware);
		}
		text_addf(out, ".\nRests on: %s.\n", f->proof);
		add_rows(out, f);
	}
}
