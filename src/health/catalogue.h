/* What drives were sold with: rated figures by model, out of CSV files that docs/catalogue.md describes. Of the rows that fit a
 * drive the last one read counts: so a file of the operator's overrides the one that is installed, and a row for a serial
 * number counts before all rows without one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum rated_basis { RATED_ABSENT, RATED_STATED, RATED_COMPUTED, N_RATED_BASES };
const char *rated_basis_name(enum rated_basis);		/* "", "stated", "computed" */

enum { RATED_READ, RATED_WRITE, RATED_OPS };

/* Not told is NaN, or an empty string. Ratings are kept as given: endurance and writes per day are two of them, and each is
 * computed only where it is missing. */
struct rated {
	double capacity_bytes;
	double endurance_bytes;			/* TBW x 10^12 */
	double writes_per_day;			/* DWPD, of capacity_bytes */
	double warranty_s;			/* years of 365 days */
	double annual_failure_ratio;		/* 1 - exp(-8760 / MTBF in hours) where only that is told */
	double mtbf_s;
	double errors_per_bit;			/* unrecoverable errors per bit read */
	double temperature_low, temperature_high;	/* degrees Celsius */
	double latency_s[RATED_OPS], operations_per_s[RATED_OPS], bytes_per_s[RATED_OPS];
	enum rated_basis endurance_basis, writes_basis, failure_basis;
	const char *temperature_where;		/* internal, case, ambient */
	const char *vendor, *family, *source, *grade;
	const char *file;			/* where the row stands */
	unsigned line;
};

/* Whom to look up; NULL or empty, and 0, where it is not known. */
struct catalogue_drive {
	const char *vendor, *model, *firmware, *serial;
	uint64_t capacity_bytes;
};

struct catalogue;

/* Reads the files in this order; what is wrong in one is told by a line "FILE:LINE: reason" each in *errors, and costs that
 * row alone. A file that cannot be read is told too. NULL: no memory. */
struct catalogue *catalogue_load(const char *const *files, struct text *errors);
void catalogue_free(struct catalogue *);
/* The row that counts for this drive; NULL: none. It lives as long as the catalogue. */
const struct rated *catalogue_find(struct catalogue *, const struct catalogue_drive *);
size_t catalogue_rows(const struct catalogue *);
