/* page/: a number for every row of the built-in table of SSD families. Raw numbers and values are those that drives of the
 * family gave in public, or worked out by hand where a drive had only zeroes; what they must be in our unit is worked out beside. */
#include "page_common.h"

#include <math.h>
#include <string.h>

#include "page/ata_attribute.h"

enum { SECTOR = 512 };

#define GIB 1073741824.0
#define MIB_32 33554432.0

static const struct row_case {
	const char *model, *firmware;
	uint8_t id, value;
	uint64_t raw;
	enum metric_family_id family;
	const char *label[SAMPLE_LABELS];
	double want;
} cases[] = {
	/* Samsung: 850 EVO 250GB, PM863 240GB */
	{ "Samsung SSD 850 EVO 250GB", "EMT03B6Q", 177, 56, 936, drive_endurance_used_ratio, { NULL }, 0.44 },	/* 100 - 56 */
	{ "Samsung SSD 850 EVO 500GB", "EMT02B6Q", 177, 1, 2981, drive_endurance_used_ratio, { NULL }, 0.99 },
	{ "Samsung SSD 850 EVO 250GB", "EMT03B6Q", 241, 99, 105727765555, drive_written_bytes_total, { NULL }, 105727765555 * 512.0 },
	{ "SAMSUNG MZ7LM240HMHQ-00005", "GXT5204Q", 242, 99, 2518373167, drive_read_bytes_total, { NULL }, 2518373167 * 512.0 },
	{ "SAMSUNG MZ7LM240HMHQ-00005", "GXT5204Q", 251, 100, 25415162368, drive_nand_written_bytes_total, { NULL }, 25415162368 * 512.0 },
	{ "SAMSUNG MZ7LM240HMHQ-00005", "GXT5204Q", 5, 100, 3, drive_retired_blocks, { NULL }, 3 },
	{ "SAMSUNG MZ7LM240HMHQ-00005", "GXT5204Q", 179, 97, 12, drive_spare_available_ratio, { NULL }, 0.97 },
	{ "Samsung SSD 870 QVO 4TB", "SVQ02B6Q", 181, 100, 4, drive_program_failures_total, { NULL }, 4 },
	{ "Samsung SSD 870 QVO 4TB", "SVQ02B6Q", 182, 100, 5, drive_erase_failures_total, { NULL }, 5 },
	{ "Samsung SSD 870 QVO 4TB", "SVQ02B6Q", 187, 100, 6, drive_uncorrected_errors_total, { "all" }, 6 },
	{ "Samsung SSD 850 EVO 250GB", "EMT03B6Q", 199, 99, 979, drive_link_errors_total, { "0", "crc", "drive" }, 979 },
	{ "Samsung SSD 840 Series", "DXT06B0Q", 235, 99, 3583, drive_unsafe_shutdowns_total, { NULL }, 3583 },

	/* Intel: S3500 240GB, S3510 480GB, S4500 1.92TB */
	{ "INTEL SSDSC2BB240G4", "", 233, 22, 0, drive_endurance_used_ratio, { NULL }, 0.78 },
	{ "INTEL SSDSC2KB019T7", "", 233, 85, 0, drive_endurance_used_ratio, { NULL }, 0.15 },
	{ "INTEL SSDSC2BB240G4", "", 241, 100, 1000000, drive_written_bytes_total, { NULL }, 33554432000000 },	/* 33.55 TB */
	{ "INTEL SSDSA2MH080G1GC", "", 225, 200, 25105, drive_written_bytes_total, { NULL }, 25105 * MIB_32 },
	{ "INTEL SSDSC2BB240G4", "", 242, 100, 7177604, drive_read_bytes_total, { NULL }, 7177604 * MIB_32 },
	{ "INTEL SSDSC2BB480G6", "", 243, 100, 18148965, drive_nand_written_bytes_total, { NULL }, 18148965 * MIB_32 },
	{ "INTEL SSDSC2KB240G7", "", 5, 99, 4, drive_retired_blocks, { NULL }, 4 },
	{ "INTEL SSDSC2KB240G7", "", 170, 99, 0, drive_spare_available_ratio, { NULL }, 0.99 },
	{ "INTEL SSDSA2CW120G3", "", 232, 98, 0, drive_spare_available_ratio, { NULL }, 0.98 },
	{ "INTEL SSDSC2KB240G7", "", 171, 100, 1, drive_program_failures_total, { NULL }, 1 },
	{ "INTEL SSDSC2KB240G7", "", 172, 100, 2, drive_erase_failures_total, { NULL }, 2 },
	{ "INTEL SSDSC2KB240G8", "", 174, 100, 721, drive_unsafe_shutdowns_total, { NULL }, 721 },
	{ "INTEL SSDSA2CW120G3", "", 192, 100, 2, drive_unsafe_shutdowns_total, { NULL }, 2 },
	{ "INTEL SSDSC2KB240G8", "", 197, 100, 3, drive_pending_sectors, { NULL }, 3 },
	{ "SAMSUNG MZ7LM960HMJP-00005", "", 197, 100, 3, drive_pending_sectors, { NULL }, 3 },
	{ "Micron_5300_MTFDDAK480TDS", "", 198, 100, 3, drive_offline_uncorrectable_sectors, { NULL }, 3 },
	{ "CT500MX500SSD1", "M3CR023", 198, 100, 3, drive_offline_uncorrectable_sectors, { NULL }, 3 },
	{ "SOLIDIGM SSDSC2KB038TZ", "", 187, 100, 9, drive_uncorrected_errors_total, { "all" }, 9 },
	{ "INTEL SSDSC2BB480G4", "", 199, 100, 3, drive_link_errors_total, { "0", "crc", "drive" }, 3 },

	/* Intel with Dell's firmware: S3520 240GB */
	{ "SSDSCKJB240G7R", "", 245, 86, 86, drive_endurance_used_ratio, { NULL }, 0.14 },
	{ "SSDSCKJB240G7R", "", 225, 100, 129493, drive_written_bytes_total, { NULL }, 129493 * MIB_32 },
	{ "SSDSCKJB240G7R", "", 5, 100, 1, drive_retired_blocks, { NULL }, 1 },
	{ "SSDSCKJB240G7R", "", 170, 91, 0, drive_spare_available_ratio, { NULL }, 0.91 },
	{ "SSDSCKJB240G7R", "", 181, 100, 2, drive_program_failures_total, { NULL }, 2 },
	{ "SSDSCKJB240G7R", "", 182, 100, 3, drive_erase_failures_total, { NULL }, 3 },
	{ "SSDSCKJB240G7R", "", 174, 100, 167, drive_unsafe_shutdowns_total, { NULL }, 167 },
	{ "SSDSCKJB240G7R", "", 195, 100, 4, drive_uncorrected_errors_total, { "all" }, 4 },
	{ "SSDSCKJB240G7R", "", 199, 100, 5, drive_link_errors_total, { "0", "crc", "drive" }, 5 },

	/* Micron and Crucial: 5300 960GB, MX200, MX500 */
	{ "Micron_5300_MTFDDAK960TDS", "", 202, 99, 1, drive_endurance_used_ratio, { NULL }, 0.01 },
	{ "Crucial_CT250MX200SSD1", "MU01", 202, 30, 70, drive_endurance_used_ratio, { NULL }, 0.70 },
	{ "CT500MX500SSD1", "M3CR023", 246, 100, 23996625190, drive_written_bytes_total, { NULL }, 12286272097280 },	/* 12.286 TB */
	{ "Crucial_CT250MX200SSD1", "MU01", 5, 100, 1, drive_retired_blocks, { NULL }, 1 },
	{ "Micron_5300_MTFDDAK960TDS", "", 170, 88, 12, drive_spare_available_ratio, { NULL }, 0.88 },
	{ "Micron_5300_MTFDDAK960TDS", "", 171, 100, 2, drive_program_failures_total, { NULL }, 2 },
	{ "Micron_5300_MTFDDAK960TDS", "", 172, 100, 3, drive_erase_failures_total, { NULL }, 3 },
	{ "Micron_5300_MTFDDAK480TDS", "", 174, 100, 44, drive_unsafe_shutdowns_total, { NULL }, 44 },
	{ "Micron_5300_MTFDDAK480TDS", "", 187, 100, 4, drive_uncorrected_errors_total, { "all" }, 4 },
	{ "Micron_5300_MTFDDAK480TDS", "", 188, 100, 27, drive_command_timeouts_total, { NULL }, 27 },
	{ "Micron_5300_MTFDDAK480TDS", "", 199, 100, 2, drive_link_errors_total, { "0", "crc", "drive" }, 2 },
	{ "Micron_5300_MTFDDAK480TDS", "", 246, 100, 57128752843, drive_written_bytes_total, { NULL }, 29249921455616 },
	{ "Micron_5300_MTFDDAK480TDS", "", 5, 100, 6, drive_retired_blocks, { NULL }, 6 },
	{ "Micron_1100_MTFDDAK512TBN", "", 246, 100, 57128752843, drive_written_bytes_total, { NULL }, 29249921455616 },	/* 29.25 TB */
	{ "CT500MX500SSD1", "M3CR023", 171, 100, 2, drive_program_failures_total, { NULL }, 2 },
	{ "CT500MX500SSD1", "M3CR023", 172, 100, 3, drive_erase_failures_total, { NULL }, 3 },
	{ "CT500MX500SSD1", "M3CR023", 174, 100, 44, drive_unsafe_shutdowns_total, { NULL }, 44 },
	{ "CT500MX500SSD1", "M3CR023", 187, 100, 4, drive_uncorrected_errors_total, { "all" }, 4 },
	{ "CT500MX500SSD1", "M3CR023", 188, 100, 27, drive_command_timeouts_total, { NULL }, 27 },
	{ "CT500MX500SSD1", "M3CR023", 199, 100, 2, drive_link_errors_total, { "0", "crc", "drive" }, 2 },

	/* SandForce: ADATA SX900 512GB, OCZ Talos 2 */
	{ "ADATA SSD SX900 512GB-DL2", "5.8.2", 231, 76, 115964116992, drive_endurance_used_ratio, { NULL }, 0.24 },
	{ "TALOS2", "3.20E", 231, 89, 0, drive_endurance_used_ratio, { NULL }, 0.11 },
	{ "ADATA SSD SX900 512GB-DL2", "5.8.2", 241, 0, 539164, drive_written_bytes_total, { NULL }, 539164 * GIB },
	{ "ADATA SSD SX900 512GB-DL2", "5.8.2", 242, 0, 218928, drive_read_bytes_total, { NULL }, 218928 * GIB },
	{ "ADATA SSD SX900 512GB-DL2", "5.8.2", 9, 49, 10783460289458118, drive_power_on_seconds_total, { NULL }, 44998 * 3600.0 },
	{ "TALOS2", "3.20E", 5, 100, 7, drive_retired_blocks, { NULL }, 7 },
	{ "TALOS2", "3.20E", 171, 0, 2, drive_program_failures_total, { NULL }, 2 },
	{ "TALOS2", "3.20E", 172, 0, 3, drive_erase_failures_total, { NULL }, 3 },
	{ "ADATA SSD SX900 512GB-DL2", "5.8.2", 174, 0, 171, drive_unsafe_shutdowns_total, { NULL }, 171 },
	{ "TALOS2", "3.20E", 187, 100, 1, drive_uncorrected_errors_total, { "all" }, 1 },

	/* Seagate: IronWolf 110 3.84TB, of which 840 TB written are 782310 GiB; Nytro 1351 */
	{ "ZA3840NM10001", "SF44011J", 231, 88, 30004641530074, drive_endurance_used_ratio, { NULL }, 0.12 },
	{ "ZA3840NM10001", "SF44011J", 241, 100, 782310, drive_written_bytes_total, { NULL }, 839998966333440 },
	{ "ZA3840NM10001", "SF44011J", 242, 100, 1329928, drive_read_bytes_total, { NULL }, 1329928 * GIB },
	{ "XA960LE10063", "SF450030", 233, 100, 225192, drive_nand_written_bytes_total, { NULL }, 225192 * GIB },
	{ "XA960LE10063", "SF450030", 5, 100, 2, drive_retired_blocks, { NULL }, 2 },
	{ "XA960LE10063", "SF450030", 171, 100, 3, drive_program_failures_total, { NULL }, 3 },
	{ "XA960LE10063", "SF450030", 172, 100, 4, drive_erase_failures_total, { NULL }, 4 },
	{ "XA960LE10063", "SF450030", 174, 100, 7, drive_unsafe_shutdowns_total, { NULL }, 7 },
	{ "XA960LE10063", "SF450030", 187, 100, 5, drive_uncorrected_errors_total, { "all" }, 5 },
	{ "XA960LE10063", "SF450030", 199, 100, 6, drive_link_errors_total, { "0", "crc", "drive" }, 6 },
	{ "XA960LE10063", "SF450030", 232, 94, 0, drive_spare_available_ratio, { NULL }, 0.94 },

	/* XF1230: of its own attributes none is known */
	{ "XF1230-1A0480", "", 194, 100, 30, drive_temperature_celsius, { "drive" }, 30 },

	/* Phison: Kingston A400 with two firmwares, whose values contradict each other and whose raw numbers do not */
	{ "KINGSTON SA400S37240G", "SBFK71B1", 231, 7, 93, drive_endurance_used_ratio, { NULL }, 0.07 },
	{ "KINGSTON SA400S37480G", "SBFKQ1.3", 231, 98, 98, drive_endurance_used_ratio, { NULL }, 0.02 },
	{ "Patriot Burst", "SBFM91.3", 231, 100, 97, drive_endurance_used_ratio, { NULL }, 0.03 },
	{ "KINGSTON SEDC600M960G", "SCEKH3.4", 231, 100, 99, drive_endurance_used_ratio, { NULL }, 0.01 },
	{ "KINGSTON SA400S37240G", "SBFK71B1", 241, 100, 9251, drive_written_bytes_total, { NULL }, 9251 * GIB },
	{ "KINGSTON SA400S37240G", "SBFK71B1", 242, 100, 4563, drive_read_bytes_total, { NULL }, 4563 * GIB },
	{ "KINGSTON SA400S37240G", "SBFK71B1", 233, 100, 13512, drive_nand_written_bytes_total, { NULL }, 13512 * GIB },
	{ "KINGSTON SA400S37240G", "SBFK71B1", 181, 100, 1, drive_program_failures_total, { NULL }, 1 },
	{ "KINGSTON SA400S37240G", "SBFK71B1", 182, 100, 2, drive_erase_failures_total, { NULL }, 2 },
	{ "KINGSTON SA400S37240G", "SBFK71B1", 187, 100, 3, drive_uncorrected_errors_total, { "all" }, 3 },
	{ "KINGSTON SA400S37240G", "SBFK71B1", 192, 100, 616, drive_unsafe_shutdowns_total, { NULL }, 616 },
	{ "Patriot Burst", "SBFM91.3", 218, 100, 2, drive_link_errors_total, { "0", "crc", "drive" }, 2 },

	/* Silicon Motion: Transcend MTS400 */
	{ "TS32GMTS400", "", 169, 100, 96, drive_endurance_used_ratio, { NULL }, 0.04 },
	{ "TS32GMTS400", "", 241, 100, 30245, drive_written_bytes_total, { NULL }, 30245 * MIB_32 },
	{ "TS32GMTS400", "", 242, 100, 72455, drive_read_bytes_total, { NULL }, 72455 * MIB_32 },
	{ "TS32GMTS400", "", 160, 100, 5, drive_uncorrected_errors_total, { "all" }, 5 },
	{ "TS32GMTS400", "", 181, 100, 6, drive_program_failures_total, { NULL }, 6 },
	{ "TS32GMTS400", "", 182, 100, 7, drive_erase_failures_total, { NULL }, 7 },
	{ "TS32GMTS400", "", 192, 100, 4, drive_unsafe_shutdowns_total, { NULL }, 4 },
	{ "TS32GMTS400", "", 199, 100, 8, drive_link_errors_total, { "0", "crc", "drive" }, 8 },

	/* Western Digital: 2506h / 0D28h / 2506h is 37.06 % in WD's own program; SanDisk SSD PLUS 3056h is 48.86 % */
	{ "WDC WDS240G2G0A-00JH30", "UF450000", 230, 1, 0x25060d282506, drive_endurance_used_ratio, { NULL }, 0.3706 },
	{ "SanDisk SSD PLUS 120 GB", "UE3000RL", 230, 100, 53146263498838, drive_endurance_used_ratio, { NULL }, 0.4886 },
	{ "WDC  WDS500G2B0A-00SM50", "415020WD", 241, 253, 519, drive_written_bytes_total, { NULL }, 519 * GIB },
	{ "WDC  WDS500G2B0A-00SM50", "415020WD", 242, 253, 48, drive_read_bytes_total, { NULL }, 48 * GIB },
	{ "WDC  WDS500G2B0A-00SM50", "415020WD", 5, 100, 2, drive_retired_blocks, { NULL }, 2 },
	{ "WDC  WDS500G2B0A-00SM50", "415020WD", 171, 100, 3, drive_program_failures_total, { NULL }, 3 },
	{ "WDC  WDS500G2B0A-00SM50", "415020WD", 172, 100, 4, drive_erase_failures_total, { NULL }, 4 },
	{ "SanDisk SSD PLUS 120 GB", "UE3000RL", 174, 100, 91, drive_unsafe_shutdowns_total, { NULL }, 91 },
	{ "SanDisk SSD PLUS 120 GB", "UE3000RL", 187, 100, 9, drive_uncorrected_errors_total, { "all" }, 9 },
	{ "SanDisk SSD PLUS 120 GB", "UE3000RL", 188, 100, 5, drive_command_timeouts_total, { NULL }, 5 },
	{ "SanDisk SSD PLUS 120 GB", "UE3000RL", 199, 100, 6, drive_link_errors_total, { "0", "crc", "drive" }, 6 },
	{ "WDC  WDS500G2B0A-00SM50", "415020WD", 232, 100, 83, drive_spare_available_ratio, { NULL }, 0.83 },

	{ "TOSHIBA THNSN8960PCSE", "8EET6101", 241, 100, 325214, drive_written_bytes_total, { NULL }, 325214 * MIB_32 },
	{ "TOSHIBA THNSN8960PCSE", "8EET6101", 242, 100, 1000, drive_read_bytes_total, { NULL }, 1000 * MIB_32 },
};

/* ---- a drive with one attribute */

static void seal(uint8_t raw[SECTOR])
{
	uint8_t sum = 0;

	for (size_t i = 0; i < SECTOR - 1; i++)
		sum = (uint8_t)(sum + raw[i]);
	raw[SECTOR - 1] = (uint8_t)-sum;
}

static void read_one(const char *model, const char *firmware, uint8_t id, uint8_t value, uint64_t number, struct collect *c)
{
	struct drive_facts facts = { .transport = TRANSPORT_ATA, .logical_block = 512, .capacity_bytes = 1920383410176 };
	uint8_t raw[SECTOR] = { 1, 0, id, 0, 0, value, value };

	strcpy(facts.model, model);
	strcpy(facts.firmware, firmware);
	for (size_t i = 0; i < 7; i++)
		raw[2 + 5 + i] = (uint8_t)(number >> 8 * i);
	seal(raw);
	c->n_implausible = 0;
	assert_false(failed(learn_exactly(&ata_smart_data, raw, SECTOR, &facts)));
	assert_false(failed(decode_exactly(&ata_smart_data, raw, SECTOR, &facts, c)));
}

static double served(const struct collect *c, const struct row_case *k)
{
	for (size_t i = 0; i < c->set.n; i++) {
		struct sample wanted = { .family = k->family };

		memcpy(wanted.label, k->label, sizeof wanted.label);
		if (sample_is_same_series(&c->set.at[i], &wanted))
			return c->set.at[i].value;
	}
	return NAN;
}

static void every_row_says_what_its_number_is(void **state)
{
	struct collect c;
	unsigned n_wrong = 0;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct row_case *k = &cases[i];
		double got;

		read_one(k->model, k->firmware, k->id, k->value, k->raw, &c);
		got = served(&c, k);
		if (got == k->want)
			continue;
		print_error("%s, attribute %u: %s is %.17g, not %.17g\n", k->model, k->id, metric_families[k->family].name, got, k->want);
		n_wrong++;
	}
	collect_end(&c);
	assert_int_equal(n_wrong, 0);
}

/* Models whose names are like those of a family, and attributes that mean something else there; and what a family says that
 * it does not take. */
static void what_is_not_sure_is_not_served(void **state)
{
	static const struct {
		const char *model, *firmware;
		uint8_t id, value;
		uint64_t raw;
		enum metric_family_id family;
	} silent[] = {
		{ "CT250BX100SSD1", "MU02", 246, 100, 400000, drive_written_bytes_total },	/* flash written, 32 MiB */
		{ "CT250BX100SSD1", "MU02", 241, 100, 300000, drive_written_bytes_total },
		{ "M4-CT256M4SSD2", "040H", 170, 100, 0, drive_spare_available_ratio },	/* grown failing blocks */
		{ "CT500MX500SSD1", "M3CR023", 170, 100, 0, drive_spare_available_ratio },
		{ "CT500MX500SSD1", "M3CR023", 197, 100, 1, drive_pending_sectors },	/* corrections */
		{ "TS128GSSD320", "", 241, 100, 9600, drive_written_bytes_total },
		{ "TS120GSSD25D-M", "", 199, 100, 123456789, drive_link_errors_total },	/* sectors written */
		{ "TS128GSSD340", "", 169, 100, 77, drive_endurance_used_ratio },
		{ "XF1230-1A0480", "", 233, 100, 12345, drive_nand_written_bytes_total },
		{ "XF1230-1A0480", "", 190, 100, 30, drive_temperature_celsius },	/* SATA errors */
		{ "OCZ-VECTOR", "", 198, 100, 8000, drive_offline_uncorrectable_sectors },	/* GiB read */
		{ "OCZ-VECTOR", "", 197, 100, 2, drive_pending_sectors },
		{ "OCZ-VECTOR", "", 5, 100, 3, drive_reallocated_sectors },
		{ "X SSD 870 EVO", "", 177, 99, 12, drive_endurance_used_ratio },
		{ "INTEL SSDSC2BB240G4", "", 226, 100, 65535, drive_endurance_used_ratio },
		{ "INTEL SSDSC2BB240G4", "", 226, 100, 51917, drive_endurance_used_ratio },
		{ "SSDSCKJB240G7R", "", 233, 100, 129493, drive_endurance_used_ratio },
		{ "SAMSUNG MZ7LM960HMJP-00005", "", 245, 100, 65535, drive_endurance_used_ratio },
		{ "WDC  WDS500G2B0A-00SM50", "", 233, 100, 9011, drive_nand_written_bytes_total },
		{ "KINGSTON SA400S37240G", "SBFK71E0", 169, 100, 0, drive_endurance_used_ratio },
		{ "KINGSTON SA400S37240G", "SBFK71E0", 231, 100, 0, drive_endurance_used_ratio },	/* as new, or used up */
		{ "TS32GMTS400", "", 169, 100, 0, drive_endurance_used_ratio },
		{ "SAMSUNG MZ7LM960HMJP-00005", "", 241, 99, 0xffffffffffff, drive_written_bytes_total },
	};
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(silent); i++) {
		read_one(silent[i].model, silent[i].firmware, silent[i].id, silent[i].value, silent[i].raw, &c);
		for (size_t k = 0; k < c.set.n; k++)
			if (c.set.at[k].family == silent[i].family)
				fail_msg("%s: attribute %u tells %s", silent[i].model, silent[i].id, metric_families[silent[i].family].name);
	}
	collect_end(&c);
}

static bool has_case(const struct ata_family *f, const struct ata_meaning *row)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ata_sense senses[ATA_ATTRIBUTES];
		const uint8_t ids[ATA_ATTRIBUTES] = { cases[i].id };
		char family[ATA_FAMILY_MAX];

		ata_meaning_resolve(cases[i].model, cases[i].firmware, 0, ids, NULL, senses, family);
		if (!strcmp(family, f->name) && senses[0].meaning == row)
			return true;
	}
	return false;
}

static void every_row_has_a_number(void **state)
{
	unsigned n_missing = 0;

	for (const struct ata_family *f = ata_families; f->name; f++) {
		assert_non_null(f->proof);
		for (size_t i = 0; i < f->n_rows; i++)
			if (f->rows[i].quantity != ATA_NOTHING && !has_case(f, &f->rows[i])) {
				print_error("%s: attribute %u has no case\n", f->name, f->rows[i].id);
				n_missing++;
			}
	}
	assert_int_equal(n_missing, 0);
}

/* A model of each family, by its first case. */
static const struct row_case *case_of(const struct ata_family *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ata_sense senses[ATA_ATTRIBUTES];
		const uint8_t ids[ATA_ATTRIBUTES] = { 0 };
		char family[ATA_FAMILY_MAX];

		ata_meaning_resolve(cases[i].model, cases[i].firmware, 0, ids, NULL, senses, family);
		if (!strcmp(family, f->name))
			return &cases[i];
	}
	return NULL;
}

static void attributes_with_another_meaning_feed_nothing(void **state)
{
	struct collect c;

	collect_begin(&c);
	for (const struct ata_family *f = ata_families; f->name; f++)
		for (size_t i = 0; i < f->n_rows; i++) {
			const struct row_case *k = case_of(f);

			assert_non_null(k);
			if (f->rows[i].quantity != ATA_NOTHING)
				continue;
			read_one(k->model, k->firmware, f->rows[i].id, 80, 12345, &c);
			for (size_t n = 0; n < c.set.n; n++)
				if (c.set.at[n].family < drive_ata_attribute_value || c.set.at[n].family > drive_ata_attribute_info)
					fail_msg("%s: attribute %u feeds %s", f->name, f->rows[i].id,
						 metric_families[c.set.at[n].family].name);
		}
	collect_end(&c);
}

/* What a number cannot be: more than the link carried, negative life, hundredths above 99, ones. */
static void impossible_numbers_are_absent_and_counted(void **state)
{
	static const struct { const char *model, *firmware; uint8_t id, value; uint64_t raw; enum metric_family_id family; } no[] = {
		{ "INTEL SSDSC2BB240G4", "", 233, 101, 0, drive_endurance_used_ratio },
		{ "INTEL SSDSC2BB240G4", "", 233, 253, 0, drive_endurance_used_ratio },
		{ "KINGSTON SA400S37240G", "SBFK71B1", 231, 7, 0x0065, drive_endurance_used_ratio },
		{ "WDC  WDS500G2B0A-00SM50", "415020WD", 230, 1, 0x006400000000, drive_endurance_used_ratio },
		{ "SAMSUNG MZ7LM240HMHQ-00005", "GXT5204Q", 199, 100, 0xffffffff, drive_link_errors_total },
		{ "SAMSUNG MZ7LM240HMHQ-00005", "GXT5204Q", 235, 99, 1 << 21, drive_unsafe_shutdowns_total },
		{ "SanDisk SSD PLUS 120 GB", "UE3000RL", 188, 100, 65536, drive_command_timeouts_total },
	};
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(no); i++) {
		read_one(no[i].model, no[i].firmware, no[i].id, no[i].value, no[i].raw, &c);
		for (size_t n = 0; n < c.set.n; n++)
			if (c.set.at[n].family == no[i].family)
				fail_msg("%s, attribute %u: served as %g", no[i].model, no[i].id, c.set.at[n].value);
		assert_int_equal(c.n_implausible, 1);
	}
	collect_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_says_what_its_number_is),
		cmocka_unit_test(every_row_has_a_number),
		cmocka_unit_test(what_is_not_sure_is_not_served),
		cmocka_unit_test(attributes_with_another_meaning_feed_nothing),
		cmocka_unit_test(impossible_numbers_are_absent_and_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
