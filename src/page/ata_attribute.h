/* What the attributes of SMART READ DATA mean. */
#pragma once

#include "page/page.h"

struct ata_attribute {
	uint8_t id, value, worst, threshold;
	bool has_threshold;
	uint64_t raw;		/* six bytes, little-endian */
	const struct ata_sense *sense;	/* what the tables say of it */
};

/* One attribute as the drive gives it: drive_ata_attribute_value, _worst, _threshold, _raw, _info. */
void ata_attribute_put(const struct ata_attribute *, struct sample_sink *to);

/* The quantities that the tables know the attributes to tell. Numbers that the drive cannot mean are reported as
 * implausible. */
void ata_attributes_decode(const struct ata_attribute *, size_t n, const struct drive_facts *, struct sample_sink *to);
