/* Rows as lines of CSV, and back, without loss. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_line.h"
#include "history/column.h"
#include "metric/exposition.h"

enum { FIELD_MAX = 4 * HISTORY_DRIVE_MAX };	/* each byte may be written as \xHH */

/* ---- writing */

/* How many bytes of text may stand as they are: whole characters of UTF-8 that no terminal acts upon. */
static size_t plain_length(const char *at)
{
	const uint8_t *s = (const uint8_t *)at;
	char one[5] = { 0 };
	size_t n = *s < 0x80 ? 1 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;

	if (n == 1)
		return *s >= 0x20 && *s < 0x7f && *s != '\\' && *s != '"';
	memcpy(one, at, strnlen(at, n));
	return strlen(one) == n && text_is_utf8(one) && !(*s == 0xc2 && s[1] < 0xa0) ? n : 0;
}

/* Spreadsheets take a cell that begins so for a formula, quoted or not. */
static bool begins_formula(char first)
{
	return first == '=' || first == '+' || first == '-' || first == '@';
}

static void put_text(const char *string, struct text *out)
{
	text_add(out, "\"");
	for (const char *at = string; *at;) {
		size_t n = at == string && begins_formula(*at) ? 0 : plain_length(at);

		if (n)
			text_add_bytes(out, at, n);
		else if (*at == '"')
			text_add(out, "\"\"");
		else if (*at == '\\')
			text_add(out, "\\\\");
		else
			text_addf(out, "\\x%02x", (uint8_t)*at);
		at += n ? n : 1;
	}
	text_add(out, "\"");
}

static void put_field(const struct history_column *column, const void *at, struct text *out)
{
	char number[EXPOSITION_NUMBER_MAX], date[HISTORY_DATE_MAX];
	int32_t day;
	int64_t time;
	double real;

	switch (column->kind) {
	case COLUMN_LABEL:
	case COLUMN_TEXT:
		put_text(at, out);
		break;
	case COLUMN_DAY:
		memcpy(&day, at, sizeof day);
		text_add(out, history_date(day, date));
		break;
	case COLUMN_TIME:
		memcpy(&time, at, sizeof time);
		text_addf(out, "%lld", (long long)time);
		break;
	case COLUMN_REAL:
		memcpy(&real, at, sizeof real);
		text_add(out, isnan(real) ? "" : exposition_number(real, number));
		break;
	}
}

void history_csv_header(struct text *out)
{
	for (size_t i = 0; i < HISTORY_COLUMNS; i++)
		text_addf(out, "%s%s", i ? "," : "", history_columns[i].name);
	text_add(out, "\n");
}

void history_csv_line(const struct history_line *line, struct text *out)
{
	for (size_t i = 0; i < HISTORY_COLUMNS; i++) {
		if (i)
			text_add(out, ",");
		put_field(&history_columns[i], (const char *)line + history_columns[i].offset, out);
	}
	text_add(out, "\n");
}

/* ---- reading */

/* The byte behind \x, or -1. */
static int hex_byte(const char *at)
{
	char digits[3] = { at[0], at[0] ? at[1] : 0, 0 };
	uint64_t byte;

	return strlen(digits) == 2 && text_hex_to_u64(digits, 0xff, &byte) && byte ? (int)byte : -1;
}

/* A backslash stands before \, or before x and two digits. Undone in place; false: it stands before something else. */
static bool undo_escapes(char *field)
{
	char *to = field;
	int byte;

	for (const char *at = field; *at; at++) {
		if (*at != '\\') {
			*to++ = *at;
		} else if (at[1] == '\\') {
			*to++ = *++at;
		} else if (at[1] == 'x' && (byte = hex_byte(at + 2)) >= 0) {
			*to++ = (char)byte;
			at += 3;
		} else {
			return false;
		}
	}
	*to = 0;
	return true;
}

static const char *set_field(const struct history_column *column, char *field, void *at)
{
	int32_t day;
	uint64_t time;
	double real;

	switch (column->kind) {
	case COLUMN_LABEL:
	case COLUMN_TEXT:
		if (!undo_escapes(field))
			return "a backslash that begins neither \\\\ nor \\xHH";
		if (strlen(field) >= column->size)
			return "too long";
		if (column->kind == COLUMN_LABEL && !*field)
			return "empty";
		memcpy(at, field, strlen(field) + 1);
		return NULL;
	case COLUMN_DAY:
		if (!history_date_parse(field, &day))
			return "not a date such as 2026-11-30, from 1970 to 9999";
		memcpy(at, &day, sizeof day);
		return NULL;
	case COLUMN_TIME:
		if (!text_to_u64(field, HISTORY_TIME_MAX, &time))
			return "not seconds since 1970";
		memcpy(at, &time, sizeof time);
		return NULL;
	case COLUMN_REAL:
		real = NAN;
		if (*field && !text_to_real(field, &real))
			return "not a number";
		memcpy(at, &real, sizeof real);
		return NULL;
	}
	return NULL;
}

struct fields {
	char at[HISTORY_COLUMNS][FIELD_MAX];
	size_t n;			/* may be more than there is room for */
};

/* One that is too long is cut: none of the columns has room for it then. */
static void on_field(void *context, const char *at, size_t n)
{
	struct fields *fields = context;

	if (n >= FIELD_MAX)
		n = FIELD_MAX - 1;
	if (fields->n < HISTORY_COLUMNS) {
		memcpy(fields->at[fields->n], at, n);
		fields->at[fields->n][n] = 0;
	}
	fields->n++;
}

static int refuse(struct text *error, const char *name, const char *why)
{
	text_addf(error, "%s%s%s", name, *name ? ": " : "", why);
	return -EINVAL;
}

int history_csv_parse(const char *line, struct history_line *ret, struct text *error)
{
	struct fields fields = { .n = 0 };
	int r = csv_line_split(line, strlen(line), on_field, &fields);

	*ret = (struct history_line){ 0 };
	if (r)
		return refuse(error, "", r == -EBADMSG ? CSV_LINE_MALFORMED : strerror(-r));
	if (fields.n != HISTORY_COLUMNS) {
		text_addf(error, "%zu columns, not %d", fields.n, HISTORY_COLUMNS);
		return -EINVAL;
	}
	for (size_t i = 0; i < HISTORY_COLUMNS; i++) {
		const char *why = set_field(&history_columns[i], fields.at[i], (char *)ret + history_columns[i].offset);

		if (why)
			return refuse(error, history_columns[i].name, why);
	}
	return 0;
}
