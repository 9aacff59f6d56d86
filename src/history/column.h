/* The columns of a row, in the data base and as CSV: one table for reading, writing and judging them. */
#pragma once

#include "base/text.h"
#include "history/history.h"

/* A drive and one of its rows. */
struct history_line {
	struct history_drive drive;
	struct history_row row;
};

enum column_kind { COLUMN_LABEL /* text that may not be empty */, COLUMN_TEXT, COLUMN_DAY, COLUMN_TIME, COLUMN_REAL };

struct history_column {
	const char *name;		/* in CSV */
	const char *sql;		/* in the data base: t is days, d drives, o origins */
	enum column_kind kind;
	size_t offset, size;		/* in struct history_line */
};

enum { HISTORY_COLUMNS = 17 };
extern const struct history_column history_columns[HISTORY_COLUMNS];

#define HISTORY_TIME_MAX INT64_C(253402300799)		/* the end of the year 9999 */
enum { HISTORY_DAY_MAX = 2932896, HISTORY_DAY_S = 86400 };

/* Infinite numbers become NaN, that is, unknown. False: a day or a time is out of range, or a label empty. */
bool history_column_settle(enum column_kind, void *value);
/* Of all columns. False also where it was never seen. */
bool history_known_settle(struct history_known *);
/* Infinite numbers become NaN, that is, unknown. False: a day or a time is out of range, or there is no label. */
bool history_line_settle(struct history_line *);

enum { HISTORY_DATE_MAX = 12 };
/* 2026-11-30; days of the calendar that holds before 1582 too. Returns out. */
char *history_date(int32_t day, char out[HISTORY_DATE_MAX]);
bool history_date_parse(const char *text, int32_t *ret);

/* One line, with its end. The header names the columns; text is quoted, and what a spreadsheet or a terminal would act upon is
 * written as \xHH (docs/history.md). */
void history_csv_header(struct text *out);
void history_csv_line(const struct history_line *, struct text *out);
/* A line without its end. 0, or -EINVAL with the reason. */
int history_csv_parse(const char *line, struct history_line *ret, struct text *error);
