/* From bytes to samples. One const struct page per thing that a drive can be asked for; pages.c lists them in the order
 * in which a first visit asks them (what a page's is_offered needs was learned by one before it). Everything here is
 * pure: bytes in, facts and samples out; no descriptor, no clock, no log. */
#pragma once

#include "base/bytes.h"
#include "base/fail.h"
#include "base/text.h"
#include "metric/sample.h"
#include "page/facts.h"
#include "probe/command.h"

/* What a drive counts in; page/field.c has the factor and offset to our unit. */
enum raw_unit {
	RAW_ONE,		/* as it is */
	RAW_PERCENT,		/* to a ratio */
	RAW_HUNDREDTH_PERCENT,	/* to a ratio */
	RAW_MILLIONTHS,		/* to a ratio */
	RAW_CELSIUS,
	RAW_KELVIN,		/* whole kelvins, 273 is 0 degrees Celsius (NVM Express's own rounding: smartctl, nvme-cli) */
	RAW_SECONDS, RAW_MINUTES, RAW_HOURS,	/* to seconds */
	RAW_LOGICAL_BLOCKS,	/* of the drive's own size, to bytes; absent where that is not known */
	RAW_NVME_DATA_UNITS,	/* 1000 x 512 bytes */
	RAW_BILLIONS,		/* NVMe endurance groups: 10^9 bytes */
	RAW_32_MIB,		/* Intel, Solidigm: 32 x 1024 x 1024 bytes */
	RAW_WATT_HOURS,		/* to joules */
	RAW_1024TH_PERCENT,	/* Intel, Solidigm: 1/1024 of a percent, to a ratio */
	N_RAW_UNITS
};

/* Which raw value means "not reported". */
enum raw_absent { ABSENT_NEVER, ABSENT_ONES, ABSENT_ZERO, ABSENT_ONES_OR_ZERO, ABSENT_MIN /* the most negative: int8 -128 */ };

struct page_field {
	uint16_t param;		/* SCSI log parameter code; other layouts: unused */
	uint16_t at;		/* offset of the value: in the parameter's value, or in the page */
	uint8_t width;		/* bytes; 0: the whole parameter value, whatever its length */
	bool is_signed;
	enum raw_unit unit;
	enum raw_absent absent;
	uint8_t rank;
	uint16_t family;	/* enum metric_family_id */
	const char *label[SAMPLE_LABELS];
	const char *spec;	/* standard, clause or page, field */
};

/* A family that a page tells by code of its own rather than by a row: for docs/metrics.md. */
struct page_told {
	uint16_t family;	/* enum metric_family_id */
	const char *spec;
};

struct page {
	const char *name;	/* "log page 0x0d": in failures and drive_source_info */
	enum transport transport;
	struct command command;	/* what to ask */
	uint16_t period_s;	/* how often, at the default --poll.interval of 60 s; 0: on the first visit only */
	bool is_health;		/* drive_up rests on it */
	bool is_identity;	/* tells who the drive is: asked before all others; the first of a transport must answer */
	bool is_mandatory;	/* every drive has it: one that refuses it has failed */
	bool is_given_up_when_refused;	/* a command that the drive refuses, for whatever reason, is not sent again */
	bool per_namespace;	/* one command for each namespace, its nsid put in */
	bool per_group;		/* one for each endurance group that a namespace is in */
	bool per_path;		/* of the host's side: one reading for each path, in a child of the SCSI host; off by default */
	const char *place;	/* set in the copy for a path: where that is, "0:0:3:0" */

	/* Does the drive have it? NULL: always. */
	bool (*is_offered)(const struct page *, const struct drive_facts *);
	/* Is there something new to read? While there is not, it is not asked even when it is due. NULL: always. */
	bool (*is_wanted)(const struct page *, const struct drive_facts *);
	/* ATA logs: how many pages one command asks for. NULL: as the command says. */
	uint32_t (*count)(const struct page *, const struct drive_facts *);
	/* NVMe logs: the index of the UUID by which one is asked for; 0: by none. NULL: as the command says. */
	uint32_t (*uuid)(const struct page *, const struct drive_facts *);
	/* The drive does not know the command; what is tried instead follows from the facts. NULL: nothing. */
	void (*refused)(const struct page *, struct drive_facts *);
	/* Takes facts out of the answer. NULL: none. A failure leaves the facts as they were. */
	struct fail (*learn)(const struct page *, struct bytes in, struct drive_facts *);
	/* Several pages asked for by one command: the name of the one that tells this family. NULL: name. */
	const char *(*source)(const struct page *, uint16_t family);
	/* Samples out of the answer. NULL: none. */
	struct fail (*decode)(const struct page *, struct bytes in, const struct drive_facts *, struct sample_sink *to);

	const struct page_field *fields;
	size_t n_fields;
	const struct page_told *told;
	size_t n_told;
};

/* For drive_source_info: which page tells the family. */
static inline const char *page_source(const struct page *page, unsigned family)
{
	return page->source ? page->source(page, (uint16_t)family) : page->name;
}

extern const struct page *const pages[];	/* NULL-terminated */

/* Which standard, page and field tell a family, each once, "; " between them. Nothing for one that no page tells. */
void page_sources(unsigned family, struct text *out);

/* The one field put as a sample: reads `width` bytes at `at` (big- or little-endian), knows absent, converts. */
void page_field_put(const struct page_field *, struct bytes value, bool is_little_endian, const struct drive_facts *,
		    struct sample_sink *to);

/* One value that a page tells without a row. Labels left out are NULL; they must be static. */
void page_put(struct sample_sink *to, uint16_t family, const char *label, const char *second, double value);

/* raw in our unit; false where it cannot be told (blocks of unknown size). */
bool raw_convert(enum raw_unit unit, double raw, const struct drive_facts *, double *ret);
