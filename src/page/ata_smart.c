/* SMART (ATA8-ACS, SMART READ DATA and SMART RETURN STATUS; ATA-3, SMART READ ATTRIBUTE THRESHOLDS). The attributes'
 * layout is the vendors' common one, never standardised: 30 entries of 12 bytes from byte 2. */
#include <string.h>

#include "page/ata_atasmart.h"
#include "page/ata_attribute.h"
#include "page/ata_logs.h"
#include "page/page.h"
#include "page/pages.h"

enum {
	SMART_BYTES = 512,
	FIRST_ENTRY = 2,
	ENTRY_BYTES = 12,
	THRESHOLDS_PERIOD_S = 43200,	/* they are constants of the firmware, which can be updated */
};

static bool has_smart(const struct page *page, const struct drive_facts *facts)
{
	return facts->has_smart;
}

/* A 512-byte structure whose bytes add up to 0 (ATA8-ACS, data structure checksum); a cursor over all of it. */
static struct fail open_structure(const struct page *page, struct bytes in, struct bytes *ret)
{
	struct bytes all = bytes_take(&in, SMART_BYTES);
	uint8_t sum = 0;

	if (all.torn || in.left)
		return fail_format(page->name, "is not 512 bytes");
	if (bytes_all(all, 0) || bytes_all(all, 0xff))	/* both would pass the checksum */
		return fail_format(page->name, "empty");
	for (size_t i = 0; i < all.left; i++)
		sum = (uint8_t)(sum + all.at[i]);
	if (sum != 0)
		return fail_format(page->name, "bad checksum");
	*ret = all;
	return OK;
}

static struct bytes entry_of(struct bytes all, size_t i)
{
	return bytes_at(all, FIRST_ENTRY + i * ENTRY_BYTES, ENTRY_BYTES);
}

/* ---- thresholds */

static struct fail learn_thresholds(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct bytes all;
	struct fail f = open_structure(page, in, &all);

	if (failed(f))
		return f;
	memcpy(facts->thresholds, all.at, sizeof facts->thresholds);
	facts->has_thresholds = true;
	return OK;
}

/* Entries mostly stand where the attributes do, but only the id says so. */
static bool find_threshold(const struct drive_facts *facts, uint8_t id, uint8_t *ret)
{
	struct bytes all = bytes_of(facts->thresholds, sizeof facts->thresholds);

	for (size_t i = 0; facts->has_thresholds && i < ATA_ATTRIBUTES; i++) {
		struct bytes entry = entry_of(all, i);

		if (bytes_le(&entry, 1) == id) {
			*ret = (uint8_t)bytes_le(&entry, 1);
			return true;
		}
	}
	return false;
}

/* ---- attributes */

/* Takes out the attributes of a structure, the first of each id; returns how many. */
static size_t read_attributes(struct bytes all, struct ata_attribute *ret)
{
	bool is_seen[256] = { [0] = true };	/* id 0: an unused entry */
	size_t n = 0;

	for (size_t i = 0; i < ATA_ATTRIBUTES; i++) {
		struct bytes entry = entry_of(all, i);
		struct ata_attribute a = { .id = (uint8_t)bytes_le(&entry, 1) };

		bytes_skip(&entry, 2);		/* flags */
		a.value = (uint8_t)bytes_le(&entry, 1);
		a.worst = (uint8_t)bytes_le(&entry, 1);
		a.raw = bytes_le(&entry, 6);
		if (is_seen[a.id])
			continue;
		is_seen[a.id] = true;
		ret[n++] = a;
	}
	return n;
}

static struct fail open_attributes(const struct page *page, struct bytes in, struct ata_attribute *attributes, size_t *ret_n)
{
	struct bytes all;
	struct fail f = open_structure(page, in, &all);

	*ret_n = failed(f) ? 0 : read_attributes(all, attributes);
	return f;
}

/* What the attributes mean is kept with the facts: libatasmart takes far longer for a name than we may for a whole poll. */
static void resolve(const struct ata_attribute *a, size_t n, struct drive_facts *facts)
{
	const char *names[ATA_ATTRIBUTES];
	uint8_t ids[ATA_ATTRIBUTES] = { 0 };
	bool has_names;

	for (size_t i = 0; i < n; i++)
		ids[i] = a[i].id;
	if (facts->attribute_generation == ata_meaning_generation() && !memcmp(ids, facts->attribute_ids, sizeof ids))
		return;
	has_names = ata_atasmart_names(facts->identify, ids, names);
	ata_meaning_resolve(facts->model, facts->firmware, facts->rpm, ids, has_names ? names : NULL, facts->attributes,
			    facts->family);
	memcpy(facts->attribute_ids, ids, sizeof ids);
	facts->attribute_generation = ata_meaning_generation();
}

/* An attribute that the last answer learned from did not have has no meaning yet. */
static const struct ata_sense *sense_of(uint8_t id, const struct drive_facts *facts)
{
	static const struct ata_sense none;

	for (size_t i = 0; i < ATA_ATTRIBUTES; i++)
		if (facts->attribute_ids[i] == id)
			return &facts->attributes[i];
	return &none;
}

static void make_sense(struct ata_attribute *a, size_t n, const struct drive_facts *facts)
{
	for (size_t i = 0; i < n; i++) {
		a[i].sense = sense_of(a[i].id, facts);
		a[i].has_threshold = find_threshold(facts, a[i].id, &a[i].threshold);
	}
}

/* The self-test logs count hours in 16 bits, and need to know how many there have been. */
struct hours_sink {
	struct sample_sink sink;
	double hours;
};

static void hours_put(struct sample_sink *sink, const struct sample *s)
{
	if (s->family == drive_power_on_seconds_total)
		((struct hours_sink *)sink)->hours = s->value / 3600;
}

static void hours_implausible(struct sample_sink *sink, const char *quantity)
{
}

static uint32_t hours_of(const struct ata_attribute *a, size_t n, const struct drive_facts *facts)
{
	struct hours_sink to = { .sink = { hours_put, hours_implausible } };

	ata_attributes_decode(a, n, facts, &to.sink);
	return (uint32_t)to.hours;
}

enum { GENERAL_STATISTICS = 1 };

static struct fail learn_data(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct ata_attribute attributes[ATA_ATTRIBUTES];
	size_t n;
	struct fail f = open_attributes(page, in, attributes, &n);

	if (failed(f))
		return f;
	resolve(attributes, n, facts);
	make_sense(attributes, n, facts);
	if (!facts_bit(facts->statistics_pages, GENERAL_STATISTICS))	/* which knows better */
		facts->power_on_hours = hours_of(attributes, n, facts);
	return OK;
}

static struct fail decode_data(const struct page *page, struct bytes in, const struct drive_facts *facts,
			       struct sample_sink *to)
{
	struct ata_attribute attributes[ATA_ATTRIBUTES];
	size_t n;
	struct fail f = open_attributes(page, in, attributes, &n);

	if (failed(f))
		return f;
	make_sense(attributes, n, facts);
	for (size_t i = 0; i < n; i++)
		ata_attribute_put(&attributes[i], to);
	ata_attributes_decode(attributes, n, facts, to);
	return OK;
}

/* ---- status */

enum { STATUS_PASSED = 0xc24f, STATUS_EXCEEDED = 0x2cf4 };	/* LBA high, LBA mid */

static struct fail decode_status(const struct page *page, struct bytes in, const struct drive_facts *facts,
				 struct sample_sink *to)
{
	uint16_t status = (uint16_t)bytes_le(&in, 2);
	struct sample s = { .family = drive_warning, .label = { "smart_failing", "fatal" } };

	if (in.torn || in.left)
		return fail_format(page->name, "is not two bytes");
	if (status != STATUS_PASSED && status != STATUS_EXCEEDED)
		return fail_format(page->name, "neither passed nor failed");
	s.value = status == STATUS_EXCEEDED;
	sample_put(to, &s);
	return OK;
}

#define TABLE(family) { family, "SMART READ DATA, attribute table" }
#define ATTRIBUTE(family) { family, "SMART READ DATA, attributes (docs/wear-sources.md)" }

static const struct page_told data_told[] = {
	TABLE(drive_ata_attribute_value), TABLE(drive_ata_attribute_worst), TABLE(drive_ata_attribute_raw),
	TABLE(drive_ata_attribute_info), { drive_ata_attribute_threshold, "ATA-3, SMART READ ATTRIBUTE THRESHOLDS" },
	ATTRIBUTE(drive_power_on_seconds_total), ATTRIBUTE(drive_written_bytes_total), ATTRIBUTE(drive_read_bytes_total),
	ATTRIBUTE(drive_nand_written_bytes_total), ATTRIBUTE(drive_endurance_used_ratio), ATTRIBUTE(drive_spare_available_ratio),
	ATTRIBUTE(drive_spare_threshold_ratio), ATTRIBUTE(drive_temperature_celsius), ATTRIBUTE(drive_power_cycles_total),
	ATTRIBUTE(drive_unsafe_shutdowns_total), ATTRIBUTE(drive_mechanical_cycles_total), ATTRIBUTE(drive_reallocated_sectors),
	ATTRIBUTE(drive_retired_blocks), ATTRIBUTE(drive_pending_sectors), ATTRIBUTE(drive_offline_uncorrectable_sectors),
	ATTRIBUTE(drive_uncorrected_errors_total), ATTRIBUTE(drive_link_errors_total), ATTRIBUTE(drive_command_timeouts_total),
	ATTRIBUTE(drive_program_failures_total), ATTRIBUTE(drive_erase_failures_total),
};
static const struct page_told status_told[] = { { drive_warning, "ACS, SMART RETURN STATUS, LBA mid and high" } };

const struct page ata_smart_thresholds = {
	.name = "SMART thresholds",
	.transport = TRANSPORT_ATA,
	.command = { COMMAND_ATA_SMART_THRESHOLDS, { 0 } },
	.period_s = THRESHOLDS_PERIOD_S,
	.is_offered = has_smart,
	.learn = learn_thresholds,
};

const struct page ata_smart_data = {
	.name = "SMART data",
	.transport = TRANSPORT_ATA,
	.command = { COMMAND_ATA_SMART_DATA, { 0 } },
	.period_s = ATA_SMART_DATA_PERIOD_S,
	.is_health = true,
	.is_offered = has_smart,
	.learn = learn_data,
	.decode = decode_data,
	.told = data_told,
	.n_told = ARRAY_SIZE(data_told),
};

const struct page ata_smart_status = {
	.name = "SMART status",
	.transport = TRANSPORT_ATA,
	.command = { COMMAND_ATA_SMART_STATUS, { 0 } },
	.period_s = 1800,
	.is_health = true,
	.is_offered = has_smart,
	.decode = decode_status,
	.told = status_told,
	.n_told = ARRAY_SIZE(status_told),
};
