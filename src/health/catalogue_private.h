/* What the files of the catalogue share. */
#pragma once

#include "health/catalogue.h"

struct catalogue_row {
	struct rated rated;
	const char *model, *firmware, *serial, *note;
	size_t prefix;		/* so many bytes of model stand for themselves, and begin all that it matches */
	bool is_literal;	/* all of it */
	size_t order;		/* of its file */
	unsigned work;		/* of walking the patterns: pattern_refusal() */
};

struct catalogue {
	struct catalogue_row *rows;
	size_t n_rows, room_rows;
	char **texts;			/* of each file; rows point into it */
	size_t n_texts, room_texts;
	uint64_t work, n_walked;
};

/* ---- what is wrong: catalogue_complaint.c */

struct complaint {
	const char *file;
	size_t order;		/* of the file */
	unsigned line;		/* 0: the file as a whole */
	bool is_warning;
	char reason[256];
};

struct complaints {
	struct complaint *at;
	size_t n, room, n_errors, n_warnings;
	const char *file;	/* that is being read, or checked */
	size_t order;
	bool is_out_of_memory;
};

void complain(struct complaints *, unsigned line, bool is_warning, const char *format, ...) PRINTF_LIKE(4, 5);
void complaints_sort(struct complaints *);	/* by file and line */
/* Sorts them, and adds a line each. has_kinds: with "error: " and "warning: ". */
void complaints_print(struct complaints *, bool has_kinds, struct text *out);
void complaints_free(struct complaints *);

/* ---- columns: catalogue_columns.c */

enum column_kind { COLUMN_TEXT, COLUMN_PATTERN, COLUMN_CHOICE, COLUMN_NUMBER };

struct column {
	const char *name;
	enum column_kind kind;
	size_t offset;			/* in struct catalogue_row */
	const char *choices;		/* with bars between */
	double times, over;		/* a number in the file to the unit of struct rated */
	double least, most;		/* in the unit of the file; what is beyond is an error */
	double suspicious_below, suspicious_above;	/* 0: nothing is; most likely another unit */
	const char *help;
};

/* Ends with a name of NULL. */
extern const struct column catalogue_columns[];
enum { CATALOGUE_COLUMNS_MAX = 32 };

const struct column *column_find(const char *name);
void columns_clear(struct catalogue_row *);	/* all is not told */
/* Puts what stands in a field into the row. False: *why tells what is wrong with it. */
bool column_read(const struct column *, const char *text, struct catalogue_row *, char why[static 200]);
/* A number of the row in the unit of the file; NaN: not told. */
double column_number(const struct column *, const struct catalogue_row *);

/* ---- reading: catalogue_read.c */

/* Adds the rows of a file. Complaints tell what is wrong; false: no memory. */
bool catalogue_read(struct catalogue *, const char *file, struct complaints *);
/* A catalogue of these files, or NULL: no memory. */
struct catalogue *catalogue_read_all(const char *const *files, struct complaints *);

/* ---- what only looks wrong: catalogue_check.c */

/* False: no memory. */
bool catalogue_warn(const struct catalogue *, struct complaints *);

/* ---- matching: catalogue.c */

/* model and firmware of the row, which are not refused, get their prefix, is_literal and work. */
void row_prepare(struct catalogue_row *);
/* The pattern of the row matches the whole text. */
bool row_matches(const struct catalogue_row *, const char *text);
