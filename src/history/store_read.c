/* Reading, and judging what is read: anybody with rights to the file can have edited it. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "history/store_private.h"

enum { SQL_MAX = 1024, NEWEST_DAYS = 45, FORTNIGHT = 14, LOAD_MAX = 200000 };

/* ---- one row */

static bool take_text(sqlite3_stmt *statement, int i, char *to, size_t size)
{
	const char *text = sqlite3_column_type(statement, i) == SQLITE_TEXT ? (const char *)sqlite3_column_text(statement, i) : NULL;
	size_t n = text ? (size_t)sqlite3_column_bytes(statement, i) : 0;

	if (!text || n >= size || memchr(text, 0, n))
		return false;
	memcpy(to, text, n + 1);
	return true;
}

static bool take_whole(sqlite3_stmt *statement, int i, void *to, size_t size)
{
	int64_t number = sqlite3_column_int64(statement, i);
	int32_t day = (int32_t)number;

	if (sqlite3_column_type(statement, i) != SQLITE_INTEGER || (size == sizeof day && day != number))
		return false;
	memcpy(to, size == sizeof day ? (void *)&day : (void *)&number, size);
	return true;
}

static bool take_real(sqlite3_stmt *statement, int i, void *to)
{
	int type = sqlite3_column_type(statement, i);
	double real = type == SQLITE_NULL ? NAN : sqlite3_column_double(statement, i);

	memcpy(to, &real, sizeof real);
	return type == SQLITE_NULL || ((type == SQLITE_FLOAT || type == SQLITE_INTEGER) && isfinite(real));
}

bool store_take(sqlite3_stmt *statement, int i, enum column_kind kind, void *to, size_t size)
{
	switch (kind) {
	case COLUMN_LABEL:
	case COLUMN_TEXT:
		return take_text(statement, i, to, size);
	case COLUMN_DAY:
	case COLUMN_TIME:
		return take_whole(statement, i, to, size);
	case COLUMN_REAL:
		return take_real(statement, i, to);
	}
	return false;
}

static bool take_line(sqlite3_stmt *statement, struct history_line *line)
{
	bool is_valid = true;

	*line = (struct history_line){ 0 };
	for (int i = 0; i < HISTORY_COLUMNS && is_valid; i++) {
		const struct history_column *column = &history_columns[i];

		is_valid = store_take(statement, i, column->kind, (char *)line + column->offset, column->size);
	}
	return is_valid && history_line_settle(line);
}

/* A row whose drive or origin is missing has texts that are NULL, so it counts as invalid. */
static void write_query(char out[SQL_MAX], bool is_one_drive)
{
	size_t n = 0;

	for (size_t i = 0; i < HISTORY_COLUMNS; i++)
		n += (size_t)snprintf(out + n, SQL_MAX - n, "%s%s", i ? ", " : "SELECT ", history_columns[i].sql);
	snprintf(out + n, SQL_MAX - n, " FROM days t LEFT JOIN drives d ON d.id = t.drive LEFT JOIN origins o ON o.id = t.origin%s"
		 " ORDER BY t.drive, t.day, t.series", is_one_drive ? " WHERE t.drive = (SELECT id FROM drives WHERE drive = ?1)" : "");
}

int store_each(struct store *s, const char *drive, store_line_fn fn, void *context, uint64_t *invalid, struct text *error)
{
	AUTO_STATEMENT statement = NULL;
	struct history_line line;
	char query[SQL_MAX];
	int rc;

	write_query(query, drive);
	rc = sqlite3_prepare_v2(s->db, query, -1, &statement, NULL);
	if (rc != SQLITE_OK)
		return store_failed(s, rc, "cannot be read", error);
	if (drive)
		sqlite3_bind_text(statement, 1, drive, -1, SQLITE_STATIC);
	while ((rc = sqlite3_step(statement)) == SQLITE_ROW)
		if (take_line(statement, &line))
			fn(context, &line);
		else
			++*invalid;
	return rc == SQLITE_DONE ? 0 : store_failed(s, rc, "cannot be read", error);
}

/* ---- the rows of a drive, thinned */

struct rows {
	struct history_row *at;
	size_t n, room;
	bool has_failed;
};

static void add_row(void *context, const struct history_line *line)
{
	struct rows *rows = context;

	rows->has_failed |= rows->n == LOAD_MAX || !ARRAY_GROW(rows->at, rows->room, rows->n);
	if (!rows->has_failed)
		rows->at[rows->n++] = line->row;
}

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_day(const void *a, const void *b)
{
	const struct history_row *x = a, *y = b;

	return x->day != y->day ? compare(x->day, y->day) : compare(x->series, y->series);
}

static int by_series(const void *a, const void *b)
{
	const struct history_row *x = a, *y = b;

	return x->series != y->series ? compare(x->series, y->series) : compare(x->day, y->day);
}

/* By the days that there are rows of, not by the calendar: a drive may have been away, or the clock ahead. */
static int32_t oldest_of_newest(const struct rows *rows)
{
	int n_days = 0;

	for (size_t i = rows->n; i-- > 0;)
		if ((i + 1 == rows->n || rows->at[i].day != rows->at[i + 1].day) && ++n_days == NEWEST_DAYS)
			return rows->at[i].day;
	return 0;
}

static void thin(struct rows *rows)
{
	int32_t from = oldest_of_newest(rows);		/* they come in order of days */
	size_t n = 0;

	if (!rows->n)
		return;
	qsort(rows->at, rows->n, sizeof *rows->at, by_series);
	for (size_t i = 0; i < rows->n; i++) {
		const struct history_row row = rows->at[i], *next = i + 1 < rows->n ? &rows->at[i + 1] : NULL;
		/* The first of each series is kept, so the last one kept tells which series this is in. */
		bool is_first = !i || rows->at[n - 1].series != row.series;
		bool is_last = !next || next->series != row.series || next->day / FORTNIGHT != row.day / FORTNIGHT;

		if (row.day >= from || is_first || is_last)
			rows->at[n++] = row;
	}
	rows->n = n;
	qsort(rows->at, rows->n, sizeof *rows->at, by_day);
}

int store_load(struct store *s, const char *drive, struct history_row **ret, size_t *ret_n, uint64_t *invalid,
	       struct text *error)
{
	struct rows rows = { 0 };
	int r = store_each(s, drive, add_row, &rows, invalid, error);

	if (!r && rows.has_failed) {
		text_addf(error, "%s: %s has too many rows", s->path, drive);
		r = -ENOMEM;
	}
	if (r) {
		free(rows.at);
		return r;
	}
	thin(&rows);
	*ret = rows.at;
	*ret_n = rows.n;
	return 0;
}

/* ---- all drives */

struct drives {
	struct store_drive *at;
	size_t n, room;
	bool has_failed;
};

/* Lines come one drive after the other, and in order of days. */
static void add_line(void *context, const struct history_line *line)
{
	struct drives *drives = context;
	struct store_drive *last = drives->n ? &drives->at[drives->n - 1] : NULL;

	if (!last || strcmp(last->id.drive, line->drive.drive)) {
		drives->has_failed |= !ARRAY_GROW(drives->at, drives->room, drives->n);
		if (drives->has_failed)
			return;
		last = &drives->at[drives->n++];
		*last = (struct store_drive){ .id = line->drive, .first_day = line->row.day, .last_day = -1 };
	}
	last->n_days += last->last_day != line->row.day;	/* a day may have several series */
	last->last_day = line->row.day;
}

static int by_label(const void *a, const void *b)
{
	const struct store_drive *x = a, *y = b;

	return strcmp(x->id.drive, y->id.drive);
}

int store_list(struct store *s, struct store_drive **ret, size_t *ret_n, uint64_t *invalid, struct text *error)
{
	struct drives drives = { 0 };
	int r = store_each(s, NULL, add_line, &drives, invalid, error);

	if (!r && drives.has_failed) {
		text_addf(error, "%s: no memory", s->path);
		r = -ENOMEM;
	}
	if (r) {
		free(drives.at);
		return r;
	}
	if (drives.n)
		qsort(drives.at, drives.n, sizeof *drives.at, by_label);
	*ret = drives.at;
	*ret_n = drives.n;
	return 0;
}
