#include "page/ata_atasmart.h"

#include <atasmart.h>
#include <string.h>

#include "base/cleanup.h"

/* A blob is a list of parts: four letters, the length (big-endian), the bytes. */
enum { SECTOR = 512, PART = 8 + SECTOR };

static void add_part(uint8_t *part, const char *tag, const uint8_t bytes[SECTOR])
{
	memcpy(part, tag, 4);
	memcpy(part + 4, (const uint8_t[]){ 0, 0, SECTOR >> 8, SECTOR & 0xff }, 4);
	memcpy(part + 8, bytes, SECTOR);
}

static void disk_freep(SkDisk **disk)
{
	if (*disk)
		sk_disk_free(*disk);
}

struct found {
	const uint8_t *ids;
	const char **names;
};

static void take_name(SkDisk *disk, const SkSmartAttributeParsedData *a, void *to)
{
	struct found *found = to;

	/* A name that it makes up for an unknown attribute ("attribute-251") is freed after this call; the others are
	 * constants of the library. */
	if (!a->name || strncmp(a->name, "attribute-", strlen("attribute-")) == 0)
		return;
	for (size_t i = 0; i < ATA_ATTRIBUTES; i++)
		if (found->ids[i] == a->id)
			found->names[i] = a->name;
}

bool ata_atasmart_names(const uint8_t identify[512], const uint8_t ids[ATA_ATTRIBUTES],
			const char *ret_names[ATA_ATTRIBUTES])
{
	struct found found = { .ids = ids, .names = ret_names };
	_Alignas(uint32_t) uint8_t blob[2 * PART];	/* the library reads it as 32-bit words */
	uint8_t data[SECTOR] = { 0 };
	CLEANUP(disk_freep) SkDisk *disk = NULL;

	/* The raw bytes stay 0: names do not depend on them, and the library has no number to judge. */
	for (size_t i = 0; i < ATA_ATTRIBUTES; i++) {
		data[2 + 12 * i] = ids[i];
		ret_names[i] = NULL;
	}
	add_part(blob, "IDFY", identify);
	add_part(blob + PART, "SMDT", data);
	if (sk_disk_open(NULL, &disk) < 0 || sk_disk_set_blob(disk, blob, sizeof blob) < 0)
		return true;
	(void)sk_disk_smart_parse_attributes(disk, take_name, &found);
	return true;
}
