/* Files of the catalogue: lines of comma-separated values, each a record of its own, so that a broken one costs itself alone. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/csv_line.h"
#include "base/file.h"
#include "health/catalogue_private.h"

struct reader {
	struct catalogue *catalogue;
	struct complaints *complaints;
	const char *file;
	unsigned line;
	char *at;				/* where the next field's text goes: every file has room for all of its own */
	const char *fields[CATALOGUE_COLUMNS_MAX];	/* of this line */
	size_t n_fields;			/* may be more than there is room for */
	bool has_long_field;
	const struct column *columns[CATALOGUE_COLUMNS_MAX];	/* of the header */
	size_t n_columns;
	bool has_header, is_refused;		/* is_refused: nothing more is read of this file */
	bool is_out_of_memory;
};

/* ---- one line */

/* Blanks around a value are no part of it, not even in quotation marks. */
static void on_field(void *context, const char *text, size_t n)
{
	struct reader *r = context;

	for (; n && *text == ' '; n--)
		text++;
	while (n && text[n - 1] == ' ')
		n--;
	r->has_long_field |= n > CATALOGUE_FIELD_MAX;
	if (r->n_fields < CATALOGUE_COLUMNS_MAX) {
		memcpy(r->at, text, n);
		r->at[n] = 0;
		r->fields[r->n_fields] = r->at;
		r->at += n + 1;
	}
	r->n_fields++;
}

static bool refuse_line(struct reader *r, const char *reason)
{
	complain(r->complaints, r->line, false, "%s", reason);
	return false;
}

static bool has_control_character(const char *line)
{
	for (; *line; line++)
		if ((unsigned char)(*line == '\t' ? ' ' : *line) < ' ' || *line == 0x7f)
			return true;
	return false;
}

/* line[n] is a NUL. */
static bool split_line(struct reader *r, const char *line, size_t n)
{
	int error;

	r->n_fields = 0;
	r->has_long_field = false;
	if (strlen(line) < n || has_control_character(line))
		return refuse_line(r, "a control character");
	if (!text_is_utf8(line))
		return refuse_line(r, "not UTF-8");
	error = csv_line_split(line, n, on_field, r);
	r->is_out_of_memory |= error == -ENOMEM;
	if (error)
		return error == -EBADMSG && refuse_line(r, CSV_LINE_MALFORMED);
	if (r->has_long_field) {
		complain(r->complaints, r->line, false, "a field of more than %d bytes", CATALOGUE_FIELD_MAX);
		return false;
	}
	return true;
}

/* ---- the header */

static bool has_column(const struct reader *r, const struct column *column)
{
	for (size_t i = 0; i < r->n_columns; i++)
		if (r->columns[i] == column)
			return true;
	return false;
}

static bool refuse_header(struct reader *r, const char *what, const char *name)
{
	complain(r->complaints, r->line, false, "%s \"%.60s\"; the file's rows are not read", what, name);
	return false;
}

static bool read_header(struct reader *r)
{
	size_t n = r->n_fields < CATALOGUE_COLUMNS_MAX ? r->n_fields : CATALOGUE_COLUMNS_MAX;

	for (r->n_columns = 0; r->n_columns < n; r->n_columns++) {
		const char *name = r->fields[r->n_columns];
		const struct column *column = column_find(name);

		if (!column)
			return refuse_header(r, "unknown column", name);
		if (has_column(r, column))
			return refuse_header(r, "twice the column", name);
		r->columns[r->n_columns] = column;
	}
	return has_column(r, column_find("model")) || refuse_header(r, "no column", "model");
}

/* ---- a row */

/* What is missing, from what is there. */
static enum rated_basis complete(double *value, double computed)
{
	if (!isnan(*value))
		return RATED_STATED;
	*value = computed;
	return isnan(computed) ? RATED_ABSENT : RATED_COMPUTED;
}

static void compute(struct rated *r)
{
	double written = r->capacity_bytes * r->warranty_s / 86400;	/* with one write of all a day */
	double endurance = r->writes_per_day * written, writes = r->endurance_bytes / written;

	r->endurance_basis = complete(&r->endurance_bytes, endurance);
	r->writes_basis = complete(&r->writes_per_day, writes);
	r->failure_basis = complete(&r->annual_failure_ratio, -expm1(-8760 * 3600.0 / r->mtbf_s));
	if (!*r->source)
		r->source = "operator";
	if (!*r->grade)
		r->grade = "operator";
}

static bool read_fields(struct reader *r, struct catalogue_row *row)
{
	char why[200];

	if (r->n_fields != r->n_columns) {
		complain(r->complaints, r->line, false, "%zu fields, where the header has %zu", r->n_fields, r->n_columns);
		return false;
	}
	for (size_t i = 0; i < r->n_columns; i++)
		if (*r->fields[i] && !column_read(r->columns[i], r->fields[i], row, why))
			return refuse_line(r, why);
	if (!*row->model)
		return refuse_line(r, "no model");
	if (row->rated.temperature_low >= row->rated.temperature_high)	/* neither is NaN then */
		return refuse_line(r, "temperature_min is not below temperature_max");
	return true;
}

static bool has_room(struct reader *r, unsigned work)
{
	struct catalogue *c = r->catalogue;

	r->is_refused = true;
	if (c->n_rows == CATALOGUE_ROWS_MAX)
		complain(r->complaints, r->line, false, "more than %d rows", CATALOGUE_ROWS_MAX);
	else if (c->work + work > CATALOGUE_WORK_MAX)
		complain(r->complaints, r->line, false, "all patterns together take too much work");
	else if (!ARRAY_GROW(c->rows, c->room_rows, c->n_rows))
		r->is_out_of_memory = true;
	else
		r->is_refused = false;
	return !r->is_refused;
}

static bool read_row(struct reader *r)
{
	struct catalogue *c = r->catalogue;
	struct catalogue_row row;

	columns_clear(&row);
	if (!read_fields(r, &row))
		return false;
	row_prepare(&row);
	if (!has_room(r, row.work))
		return false;
	row.rated.file = r->file;
	row.rated.line = r->line;
	row.order = r->complaints->order;
	compute(&row.rated);
	c->work += row.work;
	c->rows[c->n_rows++] = row;
	return true;
}

/* ---- a file */

static void read_line(struct reader *r, const char *line, size_t n)
{
	char *before = r->at;

	r->line++;
	if (!line[strspn(line, " \t")] && strlen(line) == n)
		return;
	if (*line == '#')
		return;
	if (!split_line(r, line, n)) {
		r->is_refused |= !r->has_header;
		r->at = before;
	} else if (!r->has_header) {
		r->has_header = true;
		r->is_refused = !read_header(r);
		r->at = before;
	} else if (!read_row(r)) {
		r->at = before;
	}
}

/* The text's line ends, LF or CR LF, become NULs. A byte order mark, as spreadsheets write it, is no part of the header. */
static void read_lines(struct reader *r, struct text *text)
{
	char *at = text->at, *end = text->at + text->length;

	if (text->length >= 3 && !memcmp(at, "\xef\xbb\xbf", 3))
		at += 3;
	while (at < end && !r->is_refused && !r->is_out_of_memory) {
		char *lf = memchr(at, '\n', (size_t)(end - at)), *line_end = lf ? lf : end;

		if (line_end > at && line_end[-1] == '\r')
			line_end--;
		*line_end = 0;
		read_line(r, at, (size_t)(line_end - at));
		at = lf ? lf + 1 : end;
	}
	if (!r->has_header && !r->is_refused && !r->is_out_of_memory)
		complain(r->complaints, r->line ? r->line : 1, false, "no header");
}

/* A field's text with its NUL is no longer than what stands in the file with the comma or line end behind it. */
static char *make_room(struct catalogue *c, size_t length, const char *file)
{
	size_t n = strlen(file) + 1;
	char *room;

	if (!ARRAY_GROW(c->texts, c->room_texts, c->n_texts))
		return NULL;
	room = malloc(n + length + 1);
	if (room)
		c->texts[c->n_texts++] = memcpy(room, file, n);
	return room;
}

bool catalogue_read(struct catalogue *c, const char *file, struct complaints *complaints)
{
	struct reader r = { .catalogue = c, .complaints = complaints };
	AUTO_TEXT text = TEXT_LIMIT(CATALOGUE_BYTES_MAX);
	int error = file_read(file, &text);

	complaints->file = file;
	complaints->order++;
	if (error == -ENOMEM)
		return false;
	if (error < 0) {
		complain(complaints, 0, false, "%s", file_read_error(error));
		return true;
	}
	r.file = make_room(c, text.length, file);
	if (!r.file)
		return false;
	r.at = c->texts[c->n_texts - 1] + strlen(file) + 1;
	read_lines(&r, &text);
	return !r.is_out_of_memory;
}

struct catalogue *catalogue_read_all(const char *const *files, struct complaints *complaints)
{
	struct catalogue *c = calloc(1, sizeof *c);

	for (size_t i = 0; c && files[i]; i++)
		if (!catalogue_read(c, files[i], complaints)) {
			catalogue_free(c);
			return NULL;
		}
	if (complaints->is_out_of_memory) {
		catalogue_free(c);
		return NULL;
	}
	return c;
}
