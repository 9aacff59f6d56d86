/* What ATA drives cannot mean. Vendors bend the units of their numbers, pack several into one, and leave rubbish in fields
 * that they call valid; a sink between a decoder and whoever takes its samples keeps such numbers back and reports them. */
#pragma once

#include "page/page.h"

struct ata_judge {
	struct sample_sink sink;	/* what a decoder puts into */
	struct sample_sink *to;
	const struct drive_facts *facts;
	double power_on_s, written_bytes;	/* as other pages or samples before told: what others are judged by; 0: not told */
};

struct ata_judge ata_judge_of(struct sample_sink *to, const struct drive_facts *);

/* For a number that its decoder could not even bring into our unit. */
void ata_judge_reject(struct ata_judge *, uint16_t family);
