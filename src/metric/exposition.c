#include "metric/exposition.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "metric/series.h"

static const enum metric_family_id NO_FAMILY = N_METRIC_FAMILIES;

struct exposition {
	struct text text;
	struct text scratch;		/* for one label value while it is cleaned */
	struct text labels;		/* of a histogram, whose lines all have them */
	struct series_set series;	/* of the family begun */
	uint64_t duplicates;
	enum metric_family_id family;
	bool was_begun[N_METRIC_FAMILIES];
	size_t name_length, label_length[METRIC_LABELS];
};

struct exposition *exposition_new(size_t limit)
{
	struct exposition *e = calloc(1, sizeof *e);

	if (!e)
		return NULL;
	e->text.limit = limit;
	e->family = NO_FAMILY;
	return e;
}

void exposition_free(struct exposition *e)
{
	if (!e)
		return;
	text_free(&e->text);
	text_free(&e->scratch);
	text_free(&e->labels);
	series_set_free(&e->series);
	free(e);
}

void exposition_again(struct exposition *e)
{
	e->family = NO_FAMILY;
	memset(e->was_begun, 0, sizeof e->was_begun);
}

void exposition_reset(struct exposition *e)
{
	e->text.length = 0;
	e->text.truncated = false;
	if (e->text.at)
		e->text.at[0] = 0;
	exposition_again(e);
}

void exposition_begin(struct exposition *e, enum metric_family_id family)
{
	const struct metric_family *f;

	if (family == e->family)
		return;
	assert(family < N_METRIC_FAMILIES);
	assert(!e->was_begun[family]);		/* else it would not be contiguous */
	f = &metric_families[family];
	e->was_begun[family] = true;
	e->family = family;
	e->name_length = strlen(f->name);
	for (size_t i = 0; i < METRIC_LABELS && f->label[i]; i++)
		e->label_length[i] = strlen(f->label[i]);
	series_set_clear(&e->series);
}

/* Room for n more bytes, so that a sample is written with one check. The limit is judged when it is whole (commit()):
 * what it may take at worst is far more than what it takes. */
static char *room_for(struct text *t, size_t n)
{
	size_t need = t->length + n + 1, room = t->room ? t->room : 4096;
	char *at;

	if (need <= t->room)
		return t->at + t->length;
	while (room < need)
		room *= 2;
	at = realloc(t->at, room);
	if (!at)
		return NULL;
	t->at = at;
	t->room = room;
	return t->at + t->length;
}

static char *put(char *to, const char *bytes, size_t n)
{
	memcpy(to, bytes, n);
	return to + n;
}

/* Of printable text, which has no line ends. */
static char *put_escaped(char *to, const char *string)
{
	for (; *string; string++) {
		if (*string == '\\' || *string == '"')
			*to++ = '\\';
		*to++ = *string;
	}
	return to;
}

static char *put_value(struct exposition *e, char *to, const char *value)
{
	const char *s = value;
	char *start = to;

	while (*s >= 0x20 && *s < 0x7f && *s != '"' && *s != '\\')
		*to++ = *s++;
	if (!*s)
		return to;
	return put_escaped(start, text_printable(value, e->scratch.at, e->scratch.room));
}

static char *put_label(struct exposition *e, char *to, bool is_first, const char *name, size_t name_length,
		       const char *value)
{
	*to++ = is_first ? '{' : ',';
	to = put(to, name, name_length);
	to = put(to, "=\"", 2);
	to = put_value(e, to, value);
	*to++ = '"';
	return to;
}

/* {drive="...",sensor="1" without the closing brace, or nothing where no label has a value. To Prometheus an empty
 * value and a missing label are one series, so only one of the two is written. */
static char *put_labels(struct exposition *e, char *to, const char *drive, const char *const *label)
{
	const struct metric_family *f = &metric_families[e->family];
	const char *start = to;

	if (drive && *drive)
		to = put_label(e, to, true, "drive", 5, drive);
	for (size_t i = 0; label && i < METRIC_LABELS && f->label[i] && label[i]; i++)
		if (*label[i])
			to = put_label(e, to, to == start, f->label[i], e->label_length[i], label[i]);
	return to;
}

/* The most that put_labels() may write: a byte becomes three (U+FFFD) at worst. */
static size_t labels_size(const struct exposition *e, const char *drive, const char *const *label)
{
	const struct metric_family *f = &metric_families[e->family];
	size_t n = 1 + (drive ? strlen("{drive=\"\"") + 3 * strlen(drive) : 0);

	for (size_t i = 0; label && i < METRIC_LABELS && f->label[i] && label[i]; i++)
		n += strlen("{=\"\"") + e->label_length[i] + 3 * strlen(label[i]);
	return n;
}

/* Makes room for this many lines of the family. NULL: the text is full. */
static char *start_lines(struct exposition *e, size_t labels, size_t n_lines)
{
	enum { LINE = sizeof "_bucket" + sizeof ",le=\"\"} \n" + 2 * EXPOSITION_NUMBER_MAX };
	char *to;

	if (e->text.truncated)
		return NULL;
	to = room_for(&e->text, n_lines * (LINE + e->name_length + labels));
	if (!to || !room_for(&e->scratch, labels)) {
		e->text.truncated = true;
		return NULL;
	}
	return to;
}

static bool is_new_series(struct exposition *e, const char *labels, const char *end)
{
	int r = series_set_add(&e->series, e->text.at, (size_t)(labels - e->text.at), (size_t)(end - labels));

	if (r == -EEXIST)
		e->duplicates++;
	else if (r < 0)
		e->text.truncated = true;
	return r == 0;
}

/* Takes over what was written up to end, whole lines, or none of it if it passes the limit. */
static void commit(struct exposition *e, const char *end)
{
	size_t length = (size_t)(end - e->text.at);

	if (e->text.limit && length > e->text.limit)
		e->text.truncated = true;
	else
		e->text.length = length;
	e->text.at[e->text.length] = 0;
}

static char *put_number(char *to, double value)
{
	exposition_number(value, to);
	to += strlen(to);
	*to++ = '\n';
	return to;
}

void exposition_sample(struct exposition *e, const char *drive, const char *const *label, double value)
{
	char *to, *labels;

	assert(e->family < N_METRIC_FAMILIES && metric_families[e->family].type != METRIC_HISTOGRAM);
	if (isnan(value))
		return;
	to = start_lines(e, labels_size(e, drive, label), 1);
	if (!to)
		return;
	to = put(to, metric_families[e->family].name, e->name_length);
	labels = to;
	to = put_labels(e, to, drive, label);
	if (!is_new_series(e, labels, to)) {
		e->text.at[e->text.length] = 0;
		return;
	}
	if (to != labels)
		*to++ = '}';
	*to++ = ' ';
	commit(e, put_number(to, value));
}

/* OpenMetrics 1.0.0, "Numbers": a bound that is whole has a ".0" all the same, and scrapers of either format keep the label as it
 * is written. */
static char *put_bound(char *to, double bound)
{
	exposition_number(bound, to);
	if (!strpbrk(to, ".eI"))
		strcat(to, ".0");
	return to + strlen(to);
}

/* One line of a histogram up to its value: name and suffix, the labels, le where it is one of a bucket. */
static char *put_histogram_line(struct exposition *e, char *to, const char *suffix, size_t n_labels,
				const double *le)
{
	to = put(to, metric_families[e->family].name, e->name_length);
	to = put(to, suffix, strlen(suffix));
	to = put(to, e->labels.at, n_labels);
	if (le) {
		*to++ = n_labels ? ',' : '{';
		to = put(to, "le=\"", 4);
		to = put_bound(to, *le);
		*to++ = '"';
	}
	if (le || n_labels)
		*to++ = '}';
	*to++ = ' ';
	return to;
}

static char *put_count(char *to, uint64_t count)
{
	return to + snprintf(to, EXPOSITION_NUMBER_MAX, "%" PRIu64 "\n", count);
}

void exposition_histogram(struct exposition *e, const char *const *label, const double *bounds, const uint64_t *counts,
			  size_t n, double sum)
{
	static const double infinity = INFINITY;
	size_t labels_max = labels_size(e, NULL, label), n_labels;
	uint64_t total = 0;
	char *to, *first;

	assert(e->family < N_METRIC_FAMILIES && metric_families[e->family].type == METRIC_HISTOGRAM);
	if (isnan(sum))
		return;
	to = start_lines(e, labels_max, n + 3);
	if (!to)
		return;
	if (!room_for(&e->labels, labels_max)) {
		e->text.truncated = true;
		return;
	}
	n_labels = (size_t)(put_labels(e, e->labels.at, NULL, label) - e->labels.at);
	first = to + e->name_length + strlen("_bucket");
	for (size_t i = 0; i <= n; i++) {
		total += counts[i];
		to = put_histogram_line(e, to, "_bucket", n_labels, i < n ? &bounds[i] : &infinity);
		to = put_count(to, total);
	}
	to = put_histogram_line(e, to, "_sum", n_labels, NULL);
	to = put_number(to, sum);
	to = put_histogram_line(e, to, "_count", n_labels, NULL);
	to = put_count(to, total);
	if (is_new_series(e, first, first + n_labels))
		commit(e, to);
	else
		e->text.at[e->text.length] = 0;
}

struct text *exposition_text(struct exposition *e)
{
	return &e->text;
}

uint64_t exposition_duplicates(const struct exposition *e)
{
	return e->duplicates;
}
