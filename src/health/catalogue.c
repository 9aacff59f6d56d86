/* Which row counts for a drive. */
#include "health/catalogue.h"

#include <math.h>
#include <string.h>

#include "health/catalogue_private.h"
#include "page/drivedb_pattern.h"

/* A row with a capacity is for drives of that size: over-provisioned ones and those of 520-byte sectors tell less, and the next
 * sizes that one model string is sold in are half and double. */
static const double capacity_least = 0.55, capacity_most = 1.1;

const char *rated_basis_name(enum rated_basis basis)
{
	static const char *const names[N_RATED_BASES] = { "", "stated", "computed" };

	return names[basis];
}

/* ---- patterns */

/* The end of a bracket expression that begins here. */
static const char *skip_brackets(const char *at)
{
	at += at[1] == '^' ? 2 : 1;
	if (*at == ']')
		at++;
	while (*at && *at != ']') {
		const char *class_end = at[0] == '[' && at[1] == ':' ? strstr(at, ":]") : NULL;

		at = class_end ? class_end + 2 : at + 1;
	}
	return *at ? at + 1 : at;
}

/* One of several patterns, which need not begin alike. */
static bool has_alternatives(const char *at)
{
	unsigned depth = 0;

	while (*at && (*at != '|' || depth)) {
		depth += *at == '(';
		depth -= *at == ')';
		if (*at == '[')
			at = skip_brackets(at);
		else
			at += *at == '\\' && at[1] ? 2 : 1;
	}
	return *at;
}

/* How many bytes at the beginning stand for themselves, once. */
static size_t literal_prefix(const char *pattern)
{
	size_t n = strcspn(pattern, "^$.[]()|*+?{}\\");

	if (has_alternatives(pattern))
		return 0;
	return n && pattern[n] && strchr("*+?{", pattern[n]) ? n - 1 : n;
}

void row_prepare(struct catalogue_row *row)
{
	uint64_t of_model, of_firmware;

	(void)pattern_refusal(row->model, &of_model);
	(void)pattern_refusal(row->firmware, &of_firmware);
	row->work = (unsigned)(of_model + of_firmware);		/* at most PATTERN_WORK_MAX each */
	row->prefix = literal_prefix(row->model);
	row->is_literal = !row->model[row->prefix];
}

bool row_matches(const struct catalogue_row *row, const char *text)
{
	if (strncmp(row->model, text, row->prefix))
		return false;
	return row->is_literal ? !text[row->prefix] : pattern_matches(row->model, text);
}

/* ---- looking a drive up */

enum { SPELLINGS = 3, STRING_MAX = PATTERN_SUBJECT_MAX };

/* A drive as it is compared: what it calls itself, and with what stands in the field for the vendor before it. */
struct subject {
	char models[SPELLINGS][STRING_MAX + 1];
	size_t n_models;
	char firmware[STRING_MAX + 1], serial[STRING_MAX + 1];
	double capacity_bytes;
};

/* Without the blanks around it. A string that is too long for any pattern is none. */
static void trim(const char *from, char to[static STRING_MAX + 1])
{
	size_t n;

	*to = 0;
	if (!from)
		return;
	from += strspn(from, " ");
	n = strlen(from);
	while (n && from[n - 1] == ' ')
		n--;
	if (n > STRING_MAX)
		return;
	memcpy(to, from, n);
	to[n] = 0;
}

static void add_spelling(struct subject *s, const char *vendor, const char *between, const char *model)
{
	if (strlen(vendor) + strlen(between) + strlen(model) > STRING_MAX)
		return;
	stpcpy(stpcpy(stpcpy(s->models[s->n_models++], vendor), between), model);
}

static void subject_make(const struct catalogue_drive *drive, struct subject *s)
{
	char vendor[STRING_MAX + 1], model[STRING_MAX + 1];

	*s = (struct subject){ .capacity_bytes = (double)drive->capacity_bytes };
	trim(drive->vendor, vendor);
	trim(drive->model, model);
	trim(drive->firmware, s->firmware);
	trim(drive->serial, s->serial);
	if (!*model)
		return;
	add_spelling(s, "", "", model);
	if (*vendor) {
		add_spelling(s, vendor, "", model);
		add_spelling(s, vendor, " ", model);
	}
}

static bool fits_capacity(double rated, double known)
{
	double share = known / rated;

	return isnan(rated) || (share >= capacity_least && share <= capacity_most);
}

static bool fits_model(struct catalogue *c, const struct catalogue_row *row, const struct subject *s)
{
	for (size_t i = 0; i < s->n_models; i++) {
		if (strncmp(row->model, s->models[i], row->prefix))
			continue;
		c->n_walked += !row->is_literal;
		if (row_matches(row, s->models[i]))
			return true;
	}
	return false;
}

static bool fits(struct catalogue *c, const struct catalogue_row *row, const struct subject *s)
{
	if (*row->serial && strcmp(row->serial, s->serial))
		return false;
	/* Whoever names one drive knows what it was sold as. */
	if ((!*row->serial && !fits_capacity(row->rated.capacity_bytes, s->capacity_bytes)) || !fits_model(c, row, s))
		return false;
	return !*row->firmware || (*s->firmware && pattern_matches(row->firmware, s->firmware));
}

const struct rated *catalogue_find(struct catalogue *c, const struct catalogue_drive *drive)
{
	struct subject s;

	subject_make(drive, &s);
	for (int has_serial = 1; has_serial >= 0; has_serial--)
		for (size_t i = c->n_rows; i-- > 0;)
			if (!*c->rows[i].serial == !has_serial && fits(c, &c->rows[i], &s))
				return &c->rows[i].rated;
	return NULL;
}

/* ---- life */

struct catalogue *catalogue_load(const char *const *files, struct text *errors)
{
	struct complaints complaints = { 0 };
	struct catalogue *c = catalogue_read_all(files, &complaints);

	if (c)
		complaints_print(&complaints, false, errors);
	complaints_free(&complaints);
	return c;
}

void catalogue_free(struct catalogue *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_texts; i++)
		free(c->texts[i]);
	free(c->texts);
	free(c->rows);
	free(c);
}

size_t catalogue_rows(const struct catalogue *c)
{
	return c->n_rows;
}

uint64_t catalogue_patterns_walked(const struct catalogue *c)
{
	return c->n_walked;
}
