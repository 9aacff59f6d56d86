/* Which table says what an attribute means: the built-in one where it knows the model, else smartmontools' data base where
 * that does, else libatasmart, whose names come with units, else what all drives mean by an id. The first that has a word
 * about an attribute has the last one too. */
#include "page/ata_meaning.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "page/ata_database.h"

enum { ORDER_OF_TABLE = 1000 };		/* rows of a later table come after those of an earlier one */

#define MEANS(an_id, a_quantity, a_part, a_unit, a_name) \
	{ .id = an_id, .quantity = ATA_##a_quantity, .part = ATA_##a_part, .unit = ATA_##a_unit, .name = a_name }

/* libatasmart's names: on models where it has another one for the id, the row says nothing. */
static const struct ata_meaning by_atasmart_name[] = {
	MEANS(194, TEMPERATURE, RAW, CELSIUS, "temperature-celsius-2"),
	MEANS(194, TEMPERATURE, RAW, TENTHS_CELSIUS, "temperature-centi-celsius"),
	MEANS(190, TEMPERATURE, RAW, CELSIUS, "airflow-temperature-celsius"),
	MEANS(231, TEMPERATURE, RAW, CELSIUS, "temperature-celsius"),	/* of disks only: see is_for() */
	MEANS(9, POWER_ON, LOW32, HOURS, "power-on-hours"),
	MEANS(9, POWER_ON, LOW32, MINUTES, "power-on-minutes"),
	MEANS(9, POWER_ON, LOW32, HALF_MINUTES, "power-on-half-minutes"),
	MEANS(9, POWER_ON, LOW32, SECONDS, "power-on-seconds"),
	MEANS(12, POWER_CYCLES, LOW32, COUNT, "power-cycle-count"),
	MEANS(5, REALLOCATED, ALONE16, COUNT, "reallocated-sector-count"),
	MEANS(197, PENDING, LOW32, COUNT, "current-pending-sector"),
	MEANS(198, OFFLINE_UNCORRECTABLE, LOW32, COUNT, "offline-uncorrectable"),
};

/* What every vendor means by an id, where nobody knows better. */
static const struct ata_meaning by_id[] = {
	MEANS(194, TEMPERATURE, RAW, CELSIUS, "Temperature_Celsius"),
	MEANS(190, TEMPERATURE, RAW, CELSIUS, "Airflow_Temperature_Cel"),
	MEANS(9, POWER_ON, LOW32, HOURS, "Power_On_Hours"),
	MEANS(12, POWER_CYCLES, LOW32, COUNT, "Power_Cycle_Count"),
};

/* The same of what is not known to be an SSD: on those these ids have other meanings often enough. */
static const struct ata_meaning by_id_of_others[] = {
	MEANS(5, REALLOCATED, ALONE16, COUNT, "Reallocated_Sector_Ct"),
	MEANS(197, PENDING, LOW32, COUNT, "Current_Pending_Sector"),
	MEANS(198, OFFLINE_UNCORRECTABLE, LOW32, COUNT, "Offline_Uncorrectable"),
};

/* And of what is known to be a disk. */
static const struct ata_meaning by_id_of_disks[] = {
	MEANS(4, START_STOPS, LOW32, COUNT, "Start_Stop_Count"),
	MEANS(193, LOAD_CYCLES, LOW32, COUNT, "Load_Cycle_Count"),
	MEANS(187, UNCORRECTED, ALONE16, COUNT, "Reported_Uncorrect"),
	MEANS(188, TIMEOUTS, RAW, COUNT, "Command_Timeout"),
	MEANS(199, CRC_ERRORS, LOW32, COUNT, "UDMA_CRC_Error_Count"),
};

/* Disks whose numbers have units or packings of their own. */
static const struct ata_meaning in_minutes[] = { MEANS(9, POWER_ON, LOW32, MINUTES, "Power_On_Minutes") };
static const struct ata_meaning in_half_minutes[] = { MEANS(9, POWER_ON, LOW32, HALF_MINUTES, "Power_On_Half_Minutes") };
/* Of these some firmware counts hours, some seconds or half minutes: where nobody has a word on the very firmware, nothing. */
static const char unsure_of_power_on[] = "TOSHIBA MK*|Maxtor *|MAXTOR *|FUJITSU *|SAMSUNG S[PV][0-9]*|SAMSUNG H[DMS][0-9]*";
/* IBM's line, under all its owners, packs a second count above a 16-bit one. */
static const struct ata_meaning ibm_line[] = { MEANS(5, REALLOCATED, LOW16, COUNT, "Reallocated_Sector_Ct") };
/* Seagate packs three counts of 16 bits into 188; 1, 7 and 195 have errors above operations. */
static const struct ata_meaning seagate_disks[] = {
	MEANS(188, TIMEOUTS, LOW16, COUNT, "Command_Timeout"),
	{ .id = 1, .name = "Raw_Read_Error_Rate" }, { .id = 7, .name = "Seek_Error_Rate" },
	{ .id = 195, .name = "Hardware_ECC_Recovered" },
};

#define DISKS(some_models, the_rows) { .models = some_models, .rows = the_rows, .n_rows = ARRAY_SIZE(the_rows) }
static const struct ata_family disk_families[] = {
	DISKS("TOSHIBA MK??5[16]GSY*|TOSHIBA MK??61GSY*|M[aA][xX][tT][oO][rR] [2-59]*|M[aA][xX][tT][oO][rR] [67][BELKY]*", in_minutes),
	DISKS("SAMSUNG MP0*|SAMSUNG SV[0-9]*", in_half_minutes),
	DISKS("IBM*|IC25*|IC35*|Hitachi*|HITACHI*|HDS*|HDT*|HTS*|HTE*|HUA*", ibm_line),
	DISKS("ST[1-9]*[A-Z][A-Z][0-9]*|ST3*A*|ST9*A*", seagate_disks),
};

static bool is_of_family(const struct ata_family *f, const char *model, const char *firmware)
{
	return text_matches_any(f->models, model) && (!f->firmware || text_matches_any(f->firmware, firmware));
}

static const struct ata_family *family_of(const char *model, const char *firmware)
{
	for (const struct ata_family *f = ata_families; f->name; f++)
		if (is_of_family(f, model, firmware))
			return f;
	return NULL;
}

static const struct ata_family *disk_family_of(const char *model)
{
	for (size_t i = 0; i < ARRAY_SIZE(disk_families); i++)
		if (text_matches_any(disk_families[i].models, model))
			return &disk_families[i];
	return NULL;
}

/* ---- the tables, one after another */

/* A drive as the tables look at it. */
struct subject {
	const char *model;
	int32_t rpm;
	uint8_t id;
	bool has_atasmart;		/* libatasmart is there */
	const char *atasmart_name;	/* NULL: none */
	uint16_t order;			/* of the table that is asked */
	struct ata_sense *sense;
};

static bool take(struct subject *s, const struct ata_meaning *row, size_t i)
{
	struct ata_sense *sense = s->sense;

	sense->meaning = row;
	sense->part = row->part;
	sense->unit = row->unit;
	sense->order = (uint16_t)(s->order + i);
	if (!sense->name[0])
		text_copy(sense->name, sizeof sense->name, row->name);
	return true;
}

static bool ask_rows(struct subject *s, const struct ata_meaning *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].id == s->id)
			return take(s, &rows[i], i);
	return false;
}

static bool ask_family(struct subject *s, const struct ata_family *f)
{
	return f && ask_rows(s, f->rows, f->n_rows);
}

/* 231 is a temperature on some disks and the life that is left on many SSDs; libatasmart knows the former only. Its other
 * names it gives to SSDs too, where some of them do not hold. */
static bool is_for(const struct ata_meaning *row, int32_t rpm)
{
	if (row->id == 231)
		return rpm > 0;
	for (size_t i = 0; i < ARRAY_SIZE(by_id_of_others); i++)
		if (by_id_of_others[i].id == row->id)
			return rpm != 0;
	return true;
}

/* Another name for one of these ids, or none, says that the model means something else by it. */
static bool ask_atasmart(struct subject *s)
{
	bool is_spoken_of = false;

	for (size_t i = 0; s->has_atasmart && i < ARRAY_SIZE(by_atasmart_name); i++) {
		const struct ata_meaning *row = &by_atasmart_name[i];

		is_spoken_of |= row->id == s->id;
		if (row->id == s->id && s->atasmart_name && !strcmp(row->name, s->atasmart_name) && is_for(row, s->rpm))
			return take(s, row, i);
	}
	return is_spoken_of;
}

static bool ask_generic(struct subject *s)
{
	if (s->id == 9 && text_matches_any(unsure_of_power_on, s->model))
		return true;
	return ask_rows(s, by_id, ARRAY_SIZE(by_id)) ||
	       (s->rpm != 0 && ask_rows(s, by_id_of_others, ARRAY_SIZE(by_id_of_others))) ||
	       (s->rpm > 0 && ask_rows(s, by_id_of_disks, ARRAY_SIZE(by_id_of_disks)));
}

/* Its names are of disks: of what an SSD has by these ids hardly one is right. */
static bool is_disks_alone(uint8_t id)
{
	static const uint8_t below[] = { 3, 7, 8, 10, 11, 191, 192, 193 };

	for (size_t i = 0; i < ARRAY_SIZE(below); i++)
		if (below[i] == id)
			return true;
	return id >= 200;
}

static void resolve_one(struct subject *s, const struct ata_family *family, const struct drivedb_attribute *known)
{
	s->order = 0;
	if (ask_family(s, family))
		return;
	s->order += ORDER_OF_TABLE;
	if (ask_family(s, disk_family_of(s->model)))
		return;
	s->order += ORDER_OF_TABLE;
	if (known && ata_database_sense(known, s->id, s->order, s->sense))
		return;
	s->order += ORDER_OF_TABLE;
	if (s->atasmart_name && !s->sense->name[0] && (s->rpm != 0 || !is_disks_alone(s->id)))
		text_copy(s->sense->name, sizeof s->sense->name, s->atasmart_name);
	if (ask_atasmart(s))
		return;
	s->order += ORDER_OF_TABLE;
	(void)ask_generic(s);
}

void ata_meaning_resolve(const char *model, const char *firmware, int32_t rpm, const uint8_t ids[ATA_ATTRIBUTES],
			 const char *const *atasmart_names, struct ata_sense ret[ATA_ATTRIBUTES],
			 char ret_family[ATA_FAMILY_MAX])
{
	const struct ata_family *family = family_of(model, firmware);
	const struct drivedb_attribute *known = ata_database_find(model, firmware, rpm, ret_family);

	if (family)
		text_copy(ret_family, ATA_FAMILY_MAX, family->name);
	memset(ret, 0, ATA_ATTRIBUTES * sizeof *ret);
	for (size_t i = 0; i < ATA_ATTRIBUTES; i++) {
		struct subject s = { .model = model, .rpm = rpm, .id = ids[i], .has_atasmart = atasmart_names != NULL,
				     .atasmart_name = atasmart_names ? atasmart_names[i] : NULL, .sense = &ret[i] };

		if (ids[i])
			resolve_one(&s, family, known);
	}
}
