/* What the attributes of SMART READ DATA mean. */
#pragma once

#include "metric/sample.h"
#include "page/facts.h"

struct ata_attribute {
	uint8_t id, value, worst, threshold;
	bool has_threshold;
	uint64_t raw;		/* six bytes, little-endian */
	const char *name;	/* libatasmart's, static; NULL: it knows none */
};

/* One attribute as the drive gives it: drive_ata_attribute_value, _worst, _threshold, _raw, _info. */
void ata_attribute_put(const struct ata_attribute *, struct sample_sink *to);

/* The quantities that attributes tell beyond doubt: temperature, power-on time, power cycles, reallocated and pending
 * sectors. Numbers that a drive cannot mean are reported as implausible. */
void ata_attributes_decode(const struct ata_attribute *, size_t n, const struct drive_facts *, struct sample_sink *to);
