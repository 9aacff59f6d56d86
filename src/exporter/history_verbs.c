/* history: prints the data base, carries it over to another host. It works on the file itself, also while the daemon does. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "exporter/verbs.h"
#include "history/store.h"

enum { OUT_AT_MOST = 1 << 20, LINE_MAX_BYTES = 8192, COMPLAINTS_MAX = 20 };

/* The first line of an export: format and version. */
static const char format_line[] = "# drive_exporter history 1";

static void store_closep(struct store **s)
{
	store_close(*s);
}
#define AUTO_STORE CLEANUP(store_closep) struct store *

static int complain(const struct text *error, const char *otherwise)
{
	fprintf(stderr, "drive_exporter: error: %s\n", error->at ? error->at : otherwise);
	return 1;
}

static int written(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	fprintf(stderr, "drive_exporter: error: cannot write to standard output: %s\n", strerror(errno));
	return 1;
}

/* Rows that were left out are no success, but what is valid was printed. */
static int finish(uint64_t n_invalid, const struct store *s)
{
	if (n_invalid)
		fprintf(stderr, "drive_exporter: warning: %s: %llu rows are not valid and were left out\n", store_path(s),
			(unsigned long long)n_invalid);
	return written();
}

static void print(struct text *out)
{
	fwrite(out->at, 1, out->length, stdout);
	text_free(out);
}

/* ---- history: all drives */

static void print_drives(const struct store_drive *drives, size_t n)
{
	char label[3 * HISTORY_DRIVE_MAX], serial[3 * 72], first[HISTORY_DATE_MAX], last[HISTORY_DATE_MAX];

	printf("%-10s  %-10s  %6s  %-20s  %s\n", "FIRST DAY", "LAST DAY", "DAYS", "SERIAL", "DRIVE");
	for (size_t i = 0; i < n; i++)
		printf("%-10s  %-10s  %6lld  %-20s  %s\n", history_date(drives[i].first_day, first),
		       history_date(drives[i].last_day, last), (long long)drives[i].n_days,
		       text_printable(drives[i].id.serial, serial, sizeof serial), text_printable(drives[i].id.drive, label, sizeof label));
}

/* ---- history DRIVE */

static bool is_label(const struct store_drive *drive, const char *word)
{
	return !strcmp(drive->id.drive, word);
}

static bool is_serial(const struct store_drive *drive, const char *word)
{
	return !strcmp(drive->id.serial, word);
}

static bool is_part(const struct store_drive *drive, const char *word)
{
	return strcasestr(drive->id.drive, word);
}

/* By label, else by serial number, else by a part of the label; one drive, or NULL with a line said. */
static const struct store_drive *find_drive(const struct store_drive *drives, size_t n, const char *word)
{
	static bool (*const ways[])(const struct store_drive *, const char *) = { is_label, is_serial, is_part };

	for (size_t way = 0; way < ARRAY_SIZE(ways); way++) {
		const struct store_drive *found = NULL;
		size_t n_found = 0;

		for (size_t i = 0; i < n; i++)
			if (ways[way](&drives[i], word)) {
				found = &drives[i];
				n_found++;
			}
		if (n_found == 1)
			return found;
		if (n_found)
			fprintf(stderr, "drive_exporter: error: \"%s\" stands for %zu drives:\n", word, n_found);
		for (size_t i = 0; i < n && n_found; i++)
			if (ways[way](&drives[i], word)) {
				char label[3 * HISTORY_DRIVE_MAX + 1];

				fprintf(stderr, "  %s\n", text_printable(drives[i].id.drive, label, sizeof label));
			}
		if (n_found)
			return NULL;
	}
	fprintf(stderr, "drive_exporter: error: no drive \"%s\" in the history; `drive_exporter history` lists them\n", word);
	return NULL;
}

static void print_csv(void *context, const struct history_line *line)
{
	AUTO_TEXT out = TEXT_LIMIT(OUT_AT_MOST);

	history_csv_line(line, &out);
	print(&out);
}

struct table {
	struct history_row before;
	bool has_before;
};

static const char *number(double value, double unit, int digits, char out[32])
{
	if (isnan(value))
		return "-";
	snprintf(out, 32, "%.*f", digits, value / unit);
	return out;
}

/* Bytes a day since the row before, if both are of one series. */
static double written_a_day(const struct table *table, const struct history_row *row)
{
	int64_t seconds = row->last_s - table->before.last_s;

	if (!table->has_before || table->before.series != row->series || seconds <= 0)
		return NAN;
	return (row->written - table->before.written) / (double)seconds * HISTORY_DAY_S;
}

static void print_row(void *context, const struct history_line *line)
{
	struct table *table = context;
	char date[HISTORY_DATE_MAX], wear[32], total[32], a_day[32], hours[32], firmware[3 * HISTORY_FIRMWARE_MAX];
	const struct history_row *row = &line->row;

	printf("%-10s  %8s  %12s  %10s  %10s  %s\n", history_date(row->day, date), number(row->wear, 0.01, 1, wear),
	       number(row->written, 1e12, 3, total), number(written_a_day(table, row), 1e12, 3, a_day),
	       number(row->power_on_s, 3600, 0, hours), text_printable(row->firmware, firmware, sizeof firmware));
	table->before = *row;
	table->has_before = true;
}

static int show(struct store *s, const struct options *o)
{
	AUTO_TEXT error = TEXT_LIMIT(1024), header = TEXT_LIMIT(1024);
	AUTO_FREE struct store_drive *drives = NULL;
	const struct store_drive *drive;
	struct table table = { .has_before = false };
	uint64_t n_invalid = 0;
	size_t n = 0;

	if (store_list(s, &drives, &n, &n_invalid, &error))
		return complain(&error, "cannot be read");
	if (!o->words[0]) {
		print_drives(drives, n);
		return finish(n_invalid, s);
	}
	drive = find_drive(drives, n, o->words[0]);
	if (!drive)
		return 1;
	n_invalid = 0;
	history_csv_header(&header);
	if (o->has_csv)
		print(&header);
	else
		printf("%-10s  %8s  %12s  %10s  %10s  %s\n", "DAY", "WEAR %", "WRITTEN TB", "TB A DAY", "POWER-ON H", "FIRMWARE");
	if (store_each(s, drive->id.drive, o->has_csv ? print_csv : print_row, &table, &n_invalid, &error))
		return complain(&error, "cannot be read");
	return finish(n_invalid, s);
}

/* ---- history export */

static int export(struct store *s)
{
	AUTO_TEXT error = TEXT_LIMIT(1024), header = TEXT_LIMIT(1024);
	uint64_t n_invalid = 0;

	text_addf(&header, "%s\n", format_line);
	history_csv_header(&header);
	print(&header);
	if (store_each(s, NULL, print_csv, NULL, &n_invalid, &error))
		return complain(&error, "cannot be read");
	return finish(n_invalid, s);
}

/* ---- history import */

struct import {
	struct store *store;
	const char *name;		/* of the file, for people */
	FILE *in;
	unsigned long n_line, n_rows;
	unsigned n_complaints;
	struct history_drive drive;	/* of the row before: lines of one drive follow each other */
	int64_t drive_id;
};

static void complain_of_line(struct import *i, const char *why)
{
	if (i->n_complaints++ < COMPLAINTS_MAX)
		fprintf(stderr, "%s:%lu: %s\n", i->name, i->n_line, why);
}

/* A line without its end, which may be of Windows. False: there is none. *why: it is no text. */
static bool read_line(struct import *i, char line[LINE_MAX_BYTES], const char **why)
{
	size_t n = 0;
	int c = getc(i->in);

	*why = NULL;
	if (c == EOF)
		return false;
	for (; c != EOF && c != '\n'; c = getc(i->in)) {
		if (!c)
			*why = "a zero byte";
		if (n < LINE_MAX_BYTES - 1)
			line[n++] = (char)c;
		else
			*why = "the line is too long";
	}
	while (n && line[n - 1] == '\r')
		n--;
	line[n] = 0;
	i->n_line++;
	return true;
}

static bool has_header(struct import *i)
{
	AUTO_TEXT columns = TEXT_LIMIT(1024);
	char line[LINE_MAX_BYTES];
	const char *why;

	if (!read_line(i, line, &why) || why || strcmp(line, format_line)) {
		i->n_line = 1;
		complain_of_line(i, "the file does not begin with \"# drive_exporter history 1\"");
		return false;
	}
	history_csv_header(&columns);
	columns.at[columns.length - 1] = 0;
	if (read_line(i, line, &why) && !why && !strcmp(line, columns.at))
		return true;
	i->n_line = 2;
	complain_of_line(i, "other columns than those of version 1");
	return false;
}

/* A line that is wrong is told, and the rest is looked at too; only the data base's own failure is returned. */
static int import_line(struct import *i, const char *text, const char *why, struct text *error)
{
	AUTO_TEXT reason = TEXT_LIMIT(1024);
	struct history_line line;
	int r = 0;

	if (why || history_csv_parse(text, &line, &reason)) {
		complain_of_line(i, why ? why : reason.at ? reason.at : "not valid");
		return 0;
	}
	if (!i->drive_id || memcmp(&i->drive, &line.drive, sizeof line.drive)) {
		r = store_put_drive(i->store, &line.drive, &i->drive_id, error);
		i->drive = line.drive;
	}
	if (!r)
		r = store_put_row(i->store, i->drive_id, &line.row, true, error);
	i->n_rows++;
	return r;
}

static int import_lines(struct import *i, struct text *error)
{
	char line[LINE_MAX_BYTES];
	const char *why;
	int r = 0;

	if (!has_header(i))
		return -EINVAL;
	while (!r && read_line(i, line, &why))
		if (why || *line)
			r = import_line(i, line, why, error);
	if (!r && ferror(i->in)) {
		text_addf(error, "%s: %s", i->name, strerror(errno));
		r = -EIO;
	}
	if (i->n_complaints > COMPLAINTS_MAX)
		fprintf(stderr, "%s: %u more lines are wrong\n", i->name, i->n_complaints - COMPLAINTS_MAX);
	return !r && i->n_complaints ? -EINVAL : r;
}

static int import_all(struct import *i)
{
	AUTO_TEXT error = TEXT_LIMIT(1024);
	int r = store_begin(i->store, &error);

	if (!r)
		r = import_lines(i, &error);
	if (!r)
		r = store_commit(i->store, &error);
	if (!r) {
		printf("%lu rows of %s are in %s\n", i->n_rows, i->name, store_path(i->store));
		return written();
	}
	store_rollback(i->store);
	if (error.at)
		complain(&error, "");
	fprintf(stderr, "drive_exporter: error: nothing of %s was taken\n", i->name);
	return 1;
}

/* All of standard input, in a file without a name: whoever writes to it may be slow, and a transaction that waits for him would
 * keep the daemon from writing. NULL: errno says why. */
static FILE *take_input(void)
{
	FILE *file = tmpfile();
	char buffer[65536];
	size_t n;

	while (file && (n = fread(buffer, 1, sizeof buffer, stdin)) > 0)
		if (fwrite(buffer, 1, n, file) != n)
			break;
	if (file && (ferror(stdin) || fflush(file) || ferror(file))) {
		int error = errno;

		fclose(file);
		errno = error;
		return NULL;
	}
	if (file)
		rewind(file);
	return file;
}

static int import(const struct options *o)
{
	AUTO_TEXT error = TEXT_LIMIT(1024);
	AUTO_STORE s = NULL;
	bool is_stdin = !strcmp(o->words[1], "-");
	AUTO_FILE file = is_stdin ? take_input() : fopen(o->words[1], "re");
	const char *name = is_stdin ? "standard input" : o->words[1];

	if (!file) {
		fprintf(stderr, "drive_exporter: error: %s: %s\n", name, strerror(errno));
		return 1;
	}
	if (store_open(history_default_directory(), STORE_WRITE, &s, &error))
		return complain(&error, "cannot be opened");

	struct import i = { .store = s, .name = name, .in = file };

	return import_all(&i);
}

int verb_history(const struct options *o)
{
	AUTO_TEXT error = TEXT_LIMIT(1024);
	AUTO_STORE s = NULL;

	if (o->words[0] && !strcmp(o->words[0], "import"))
		return import(o);
	if (store_open(history_default_directory(), STORE_READ, &s, &error))
		return complain(&error, "cannot be opened");
	return o->words[0] && !strcmp(o->words[0], "export") ? export(s) : show(s, o);
}
