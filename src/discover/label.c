/* The label `drive`: stable across reboots, slots and renames, so it is made of what the drive says of itself. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "discover/drive.h"

/* Serials that makers or bridges gave to more than one drive. */
static const char *const shared_serials[] = { "1234567890ABCDEF", "SERIAL NUMBER", "SERIALNUMBER" };

static bool is_one_character(const char *s)
{
	for (size_t i = 0; s[i]; i++)
		if (s[i] != s[0])
			return false;
	return true;
}

bool label_is_placeholder(const char *serial)
{
	if (is_one_character(serial) || strcasestr("0123456789ABCDEF", serial))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(shared_serials); i++)
		if (!strcasecmp(serial, shared_serials[i]))
			return true;
	return false;
}

static void append_part(char *out, size_t size, const char *part)
{
	char spelled[DRIVE_LABEL_MAX];
	size_t n = strlen(out);

	text_udev(part, spelled, sizeof spelled);
	if (*spelled)
		snprintf(out + n, size - n, "%s%s", n ? "_" : "", spelled);
}

void label_plain(const char *model, const char *serial, char *out, size_t size)
{
	out[0] = 0;
	append_part(out, size, model);
	append_part(out, size, serial);
}

static const struct drive *holder_of(const struct drive_table *table, const struct drive *but, const char *label)
{
	for (size_t i = 0; i < table->n; i++)
		if (table->at[i] != but && !strcmp(table->at[i]->label, label))
			return table->at[i];
	return NULL;
}

/* Logical units of one device (the actuators of a disk): one serial, several names. */
static bool has_sibling(const struct drive_table *table, const struct drive *drive)
{
	const struct drive_facts *a = &drive->facts;

	for (size_t i = 0; i < table->n && wwn_is_name(a->wwn); i++) {
		const struct drive_facts *b = &table->at[i]->facts;
		const struct device *hint = &table->at[i]->devices[0];

		if (table->at[i] == drive)
			continue;
		if (wwn_is_name(b->wwn) ? strcmp(a->wwn, b->wwn) && !strcmp(a->serial, b->serial) && !strcmp(a->model, b->model)
			      : hint->wwn[0] && strcmp(a->wwn, hint->wwn) && !strcmp(a->serial, hint->serial))
			return true;
	}
	return false;
}

/* Words 108 to 111 of IDENTIFY as they are. A drive that does not vouch for them (ACS, word 87 bit 8) has no world wide
 * name for drive_info, but to tell two with one serial apart they do. */
static bool unvouched_wwn(const struct drive_facts *facts, char out[17])
{
	const uint8_t *words = facts->identify + 216;

	for (size_t i = 0; i < 8; i++)
		snprintf(out + 2 * i, 3, "%02x", words[i ^ 1]);
	return facts->has_identify && wwn_is_name(out);
}

/* What tells drives with one serial apart: the world wide name, else where it sits. */
static void append_distinction(struct drive *drive, const char *last_resort)
{
	const char *path = drive->devices[0].path;
	char words[17];

	if (wwn_is_name(drive->facts.wwn))
		append_part(drive->label, sizeof drive->label, drive->facts.wwn);
	else if (unvouched_wwn(&drive->facts, words))
		append_part(drive->label, sizeof drive->label, words);
	else
		append_part(drive->label, sizeof drive->label, path[0] ? path : last_resort);
}

static void settle_clash(const struct drive_table *table, struct drive *drive)
{
	char plain[DRIVE_LABEL_MAX];

	if (!holder_of(table, drive, drive->label))
		return;
	text_copy(plain, sizeof plain, drive->label);
	append_distinction(drive, drive->devices[0].name);
	for (unsigned n = 2; holder_of(table, drive, drive->label) && n < 10000; n++)
		snprintf(drive->label, sizeof drive->label, "%.200s_%u", plain, n);
}

static bool is_sibling(const struct drive *a, const struct drive *b)
{
	return wwn_is_name(a->facts.wwn) && wwn_is_name(b->facts.wwn) && strcmp(a->facts.wwn, b->facts.wwn) &&
	       !strcmp(a->facts.serial, b->facts.serial) && !strcmp(a->facts.model, b->facts.model);
}

/* Those that were named before this one told that it is one of them; a name that another holds is left to it. */
static void name_siblings(const struct drive_table *table, const struct drive *drive)
{
	for (size_t i = 0; i < table->n; i++) {
		struct drive *other = table->at[i];
		char plain[DRIVE_LABEL_MAX];

		label_plain(other->facts.model, other->facts.serial, plain, sizeof plain);
		if (other == drive || !other->is_identified || !is_sibling(other, drive) || strcmp(other->label, plain))
			continue;
		append_part(plain, sizeof plain, other->facts.wwn);
		if (!holder_of(table, other, plain))
			text_copy(other->label, sizeof other->label, plain);
	}
}

void label_settle(struct drive_table *table, struct drive *drive)
{
	const struct drive_facts *facts = &drive->facts;

	label_plain(facts->model, facts->serial, drive->label, sizeof drive->label);
	if (label_is_placeholder(facts->serial) || has_sibling(table, drive))
		append_distinction(drive, "");
	if (!drive->label[0])
		snprintf(drive->label, sizeof drive->label, "unidentified_%s", drive->devices[0].name);
	name_siblings(table, drive);
	settle_clash(table, drive);
}
