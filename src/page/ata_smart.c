/* SMART (ATA8-ACS, SMART READ DATA and SMART RETURN STATUS; ATA-3, SMART READ ATTRIBUTE THRESHOLDS). The attributes'
 * layout is the vendors' common one, never standardised: 30 entries of 12 bytes from byte 2. */
#include <string.h>

#include "page/ata_atasmart.h"
#include "page/ata_attribute.h"
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

/* Names are kept with the facts: libatasmart takes far longer for one than we may for a whole poll. */
static void name_attributes(struct ata_attribute *a, size_t n, const struct drive_facts *facts)
{
	uint8_t ids[ATA_ATTRIBUTES] = { 0 };
	const char *asked[ATA_ATTRIBUTES];
	const char *const *names = facts->attribute_names;

	for (size_t i = 0; i < n; i++)
		ids[i] = a[i].id;
	if (memcmp(ids, facts->attribute_ids, sizeof ids)) {	/* not learned from this answer */
		ata_atasmart_names(facts->identify, ids, asked);
		names = asked;
	}
	for (size_t i = 0; i < n; i++)
		a[i].name = names[i];
}

static struct fail learn_data(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct ata_attribute attributes[ATA_ATTRIBUTES];
	struct bytes all;
	struct fail f = open_structure(page, in, &all);
	size_t n;

	_Static_assert(sizeof facts->attribute_ids == ATA_ATTRIBUTES, "one name for each attribute");
	if (failed(f))
		return f;
	n = read_attributes(all, attributes);
	name_attributes(attributes, n, facts);
	memset(facts->attribute_ids, 0, sizeof facts->attribute_ids);
	for (size_t i = 0; i < n; i++) {
		facts->attribute_ids[i] = attributes[i].id;
		facts->attribute_names[i] = attributes[i].name;
	}
	return OK;
}

static struct fail decode_data(const struct page *page, struct bytes in, const struct drive_facts *facts,
			       struct sample_sink *to)
{
	struct ata_attribute attributes[ATA_ATTRIBUTES];
	struct bytes all;
	struct fail f = open_structure(page, in, &all);
	size_t n;

	if (failed(f))
		return f;
	n = read_attributes(all, attributes);
	name_attributes(attributes, n, facts);
	for (size_t i = 0; i < n; i++) {
		attributes[i].has_threshold = find_threshold(facts, attributes[i].id, &attributes[i].threshold);
		ata_attribute_put(&attributes[i], to);
	}
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
	.period_s = 300,
	.is_health = true,
	.is_offered = has_smart,
	.learn = learn_data,
	.decode = decode_data,
};

const struct page ata_smart_status = {
	.name = "SMART status",
	.transport = TRANSPORT_ATA,
	.command = { COMMAND_ATA_SMART_STATUS, { 0 } },
	.period_s = 1800,
	.is_health = true,
	.is_offered = has_smart,
	.decode = decode_status,
};
