/* What drives were sold with: rated figures by model, out of CSV files that docs/catalogue.md describes. Of the rows that fit a
 * drive the last one read counts: so a file of the operator's overrides the one that is installed, and a row for a serial
 * number counts before all rows without one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum {
	CATALOGUE_BYTES_MAX = 16 << 20,		/* of a file */
	CATALOGUE_ROWS_MAX = 100000,		/* of all files together */
	CATALOGUE_PATTERN_MAX = 200,		/* bytes */
	CATALOGUE_FIELD_MAX = 1000,
	CATALOGUE_WORK_MAX = 1 << 24,		/* characters of patterns that one lookup may have to walk */
	CATALOGUE_COMPLAINTS_MAX = 1000,	/* that are told; those beyond are counted */
};

enum rated_basis { RATED_ABSENT, RATED_STATED, RATED_COMPUTED, N_RATED_BASES };
const char *rated_basis_name(enum rated_basis);		/* "", "stated", "computed" */

enum { RATED_READ, RATED_WRITE, RATED_OPS };

/* Not told is NaN, or an empty string. Ratings are kept as given: endurance and writes per day are two of them, and each is
 * computed only where it is missing. */
struct rated {
	double capacity_bytes;			/* as sold: decimal gigabytes */
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
	const char *vendor, *family;
	const char *source, *grade;		/* never empty: a row that tells none of them is the operator's */
	const char *file;			/* where the row stands */
	unsigned line;
};

/* Whom to look up; NULL or empty, and 0, where it is not known. */
struct catalogue_drive {
	const char *vendor, *model, *firmware, *serial;
	uint64_t capacity_bytes;
};

struct catalogue;

/* Reads the files in this order; the list ends with NULL. What is wrong in one is told by a line "FILE:LINE: reason" each in
 * *errors, and costs that row alone; a wrong header costs the file. A file that cannot be read is told too ("FILE: reason").
 * NULL: no memory. */
struct catalogue *catalogue_load(const char *const *files, struct text *errors);
void catalogue_free(struct catalogue *);
/* The row that counts for this drive; NULL: none. It lives as long as the catalogue. */
const struct rated *catalogue_find(struct catalogue *, const struct catalogue_drive *);
size_t catalogue_rows(const struct catalogue *);
/* How many patterns all lookups so far had to walk: those whose literal beginning fits the drive. */
uint64_t catalogue_patterns_walked(const struct catalogue *);

struct catalogue_verdict {
	size_t files, rows, errors, warnings;
};

/* Reads the files, and says what is wrong and what looks wrong: "FILE:LINE: error: reason" and "FILE:LINE: warning: reason", in
 * their order. 0 or -ENOMEM. */
MUST_CHECK int catalogue_check(const char *const *files, struct text *said, struct catalogue_verdict *ret);

/* The page docs/catalogue.md of this file. 0, -ENOMEM, or -EINVAL where there are errors in it, which *errors tells. */
MUST_CHECK int catalogue_list_markdown(const char *file, struct text *out, struct text *errors);

/* ---- where the files are: catalogue_files.c */

/* The file that comes with the program: data/drives.csv in the folder of the running program, where that is, as in a build;
 * else the installed one. To be freed; NULL: no memory. */
char *catalogue_shipped_file(void);
/* A list that ends with NULL: those given if there are any, else the shipped file and then what lies in the folder of the
 * operator's files. NULL: no memory. A folder that is there and cannot be read is told in *errors. */
char **catalogue_files(const char *const *given, struct text *errors);
/* The same for other places: the file, then folder's *.csv in the order of their names, by bytes. */
char **catalogue_files_of(const char *file, const char *folder, struct text *errors);
void catalogue_files_free(char **);
