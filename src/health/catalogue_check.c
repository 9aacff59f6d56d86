/* What looks wrong in a catalogue that can be read: numbers that contradict each other, and rows that can never count. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "health/catalogue_private.h"

/* Ratings are printed with two or three digits. */
static const double tolerance = 0.02, half_a_hundredth_of_a_percent = 0.00005;
static const double failure_ratio_most = 0.05;

/* So many pairs of a model without any pattern and a later pattern are looked at. */
enum { PAIRS_MAX = 200 * 1000 * 1000, WALKS_MAX = 4 * 1000 * 1000 };

static void warn_of_row(struct complaints *to, const struct catalogue_row *row, const char *reason)
{
	complain(to, row->rated.line, true, "%s", reason);
}

/* ---- numbers */

/* Terabytes for gigabytes, a misprint that lost a factor of a hundred, a ratio for a percentage: within the range, but nothing that is
 * sold is so. */
static void check_suspicious(const struct catalogue_row *row, struct complaints *to)
{
	for (const struct column *c = catalogue_columns; c->name; c++) {
		double value = c->kind == COLUMN_NUMBER ? column_number(c, row) : (double)NAN;

		if (value < c->suspicious_below)
			complain(to, row->rated.line, true, "%s: %g is less than %g, which can hardly be", c->name, value, c->suspicious_below);
		else if (c->suspicious_above > 0 && value > c->suspicious_above)
			complain(to, row->rated.line, true, "%s: %g is more than %g, which can hardly be", c->name, value, c->suspicious_above);
	}
}

/* What follows from TBW says whether that, or the capacity, is in another unit. */
static void check_computed_writes(const struct catalogue_row *row, struct complaints *to)
{
	const struct rated *r = &row->rated;

	if (r->writes_basis == RATED_COMPUTED && (r->writes_per_day < 0.01 || r->writes_per_day > 200))
		complain(to, r->line, true, "%.6g TBW of %.6g GB in %.3g years would be %.3g DWPD, which can hardly be", r->endurance_bytes / 1e12,
			 r->capacity_bytes / 1e9, r->warranty_s / 86400 / 365, r->writes_per_day);
}

static void check_endurance(const struct catalogue_row *row, struct complaints *to)
{
	const struct rated *r = &row->rated;
	double by_writes = r->writes_per_day * r->capacity_bytes * r->warranty_s / 86400;

	if (r->endurance_basis != RATED_STATED || r->writes_basis != RATED_STATED)
		return;
	if (fabs(r->endurance_bytes / by_writes - 1) > tolerance)	/* not so where one of them is not told */
		complain(to, r->line, true, "%.6g TBW, but %.6g DWPD x %.6g GB x 365 x %.3g years is %.6g: %+.1f %%", r->endurance_bytes / 1e12,
			 r->writes_per_day, r->capacity_bytes / 1e9, r->warranty_s / 86400 / 365, by_writes / 1e12,
			 (r->endurance_bytes / by_writes - 1) * 100);
}

static void check_failure_rate(const struct catalogue_row *row, struct complaints *to)
{
	const struct rated *r = &row->rated;
	double by_mtbf = -expm1(-8760 * 3600.0 / r->mtbf_s), apart = fabs(r->annual_failure_ratio - by_mtbf);

	if (r->failure_basis == RATED_STATED && apart > tolerance * by_mtbf && apart > half_a_hundredth_of_a_percent)
		complain(to, r->line, true, "an AFR of %.3g %%, but an MTBF of %.6g hours is %.3g %%", r->annual_failure_ratio * 100,
			 r->mtbf_s / 3600, by_mtbf * 100);
	if (r->failure_basis == RATED_STATED && r->annual_failure_ratio > failure_ratio_most)
		complain(to, r->line, true, "an AFR of %.3g %% can hardly be", r->annual_failure_ratio * 100);
}

static void check_source(const struct catalogue_row *row, struct complaints *to)
{
	const struct rated *r = &row->rated;

	if (!strcmp(r->source, "operator") && strcmp(r->grade, "operator"))
		warn_of_row(to, row, "a grade, but no source that it is for");
	if (*r->temperature_where && isnan(r->temperature_low) && isnan(r->temperature_high))
		warn_of_row(to, row, "temperature_where, but no temperature");
}

static void (*const row_checks[])(const struct catalogue_row *, struct complaints *) = {
	check_suspicious, check_computed_writes, check_endurance, check_failure_rate, check_source,
};

/* ---- rows that another one hides. The rows are walked from the last, whose keys are kept, to the first. */

/* Whom a row is for. A later row without firmware or capacity is for all that one with them is for. */
struct scope {
	const char *model, *firmware, *serial;
	double capacity_bytes;		/* 0: any */
};

struct seen {
	size_t *slots;			/* 1 + the row; 0: free */
	size_t n_slots;			/* a power of two, more than twice the rows */
};

static struct scope scope_of(const struct catalogue_row *row)
{
	double capacity = row->rated.capacity_bytes;

	return (struct scope){ row->model, row->firmware, row->serial, isnan(capacity) ? 0 : capacity };
}

static bool is_same_scope(const struct scope *a, const struct scope *b)
{
	return a->capacity_bytes == b->capacity_bytes && !strcmp(a->model, b->model) && !strcmp(a->firmware, b->firmware) &&
	       !strcmp(a->serial, b->serial);
}

static uint64_t scope_hash(const struct scope *s)
{
	uint64_t parts[] = { text_hash(s->model, strlen(s->model)), text_hash(s->firmware, strlen(s->firmware)),
			     text_hash(s->serial, strlen(s->serial)), text_hash(&s->capacity_bytes, sizeof s->capacity_bytes) };

	return text_hash(parts, sizeof parts);
}

/* Where it is, or where it would go. */
static size_t *slot_of(const struct catalogue *c, struct seen *seen, const struct scope *s)
{
	size_t i = scope_hash(s) & (seen->n_slots - 1);

	for (; seen->slots[i]; i = (i + 1) & (seen->n_slots - 1)) {
		struct scope other = scope_of(&c->rows[seen->slots[i] - 1]);

		if (is_same_scope(&other, s))
			break;
	}
	return &seen->slots[i];
}

static const struct catalogue_row *later_alike(const struct catalogue *c, struct seen *seen, const struct catalogue_row *row)
{
	for (unsigned wider = 0; wider < 4; wider++) {
		struct scope s = scope_of(row);
		size_t at;

		if (wider & 1)
			s.firmware = "";
		if (wider & 2)
			s.capacity_bytes = 0;
		at = *slot_of(c, seen, &s);
		if (at)
			return &c->rows[at - 1];
	}
	return NULL;
}

static bool is_wider(const struct catalogue_row *a, const struct catalogue_row *b)
{
	struct scope x = scope_of(a), y = scope_of(b);

	return (!x.capacity_bytes || x.capacity_bytes == y.capacity_bytes) && (!*x.firmware || !strcmp(x.firmware, y.firmware)) &&
	       !strcmp(x.serial, y.serial);
}

struct search {
	const size_t *patterns;		/* rows that are no literals, the later ones first */
	size_t n_patterns;
	unsigned n_pairs, n_walks;
};

static const struct catalogue_row *later_pattern(const struct catalogue *c, struct search *s, const struct catalogue_row *row)
{
	for (size_t i = 0; i < s->n_patterns && s->n_pairs < PAIRS_MAX && s->n_walks < WALKS_MAX; i++) {
		const struct catalogue_row *later = &c->rows[s->patterns[i]];

		s->n_pairs++;
		if (strncmp(later->model, row->model, later->prefix) || !is_wider(later, row))
			continue;
		s->n_walks++;
		if (row_matches(later, row->model))
			return later;
	}
	return NULL;
}

static void warn_of_shadow(const struct catalogue_row *row, const struct catalogue_row *by, struct complaints *to)
{
	if (!strcmp(row->rated.file, by->rated.file))
		complain(to, row->rated.line, true, "never counts: line %u is for the same drives", by->rated.line);
	else
		complain(to, row->rated.line, true, "never counts: %.150s:%u is for the same drives", by->rated.file, by->rated.line);
}

/* Complaints go to the row's own file. */
static void enter_file(const struct catalogue_row *row, struct complaints *to)
{
	to->order = row->order;
	to->file = row->rated.file;
}

static void check_shadows(const struct catalogue *c, struct seen *seen, size_t *patterns, struct complaints *to)
{
	struct search search = { .patterns = patterns };

	for (size_t i = c->n_rows; i-- > 0;) {
		const struct catalogue_row *row = &c->rows[i], *by = later_alike(c, seen, row);
		struct scope s = scope_of(row);

		enter_file(row, to);
		if (!by && row->is_literal)
			by = later_pattern(c, &search, row);
		if (by)
			warn_of_shadow(row, by, to);
		*slot_of(c, seen, &s) = i + 1;
		if (!row->is_literal)
			patterns[search.n_patterns++] = i;
	}
	if (search.n_pairs == PAIRS_MAX || search.n_walks == WALKS_MAX)
		complain(to, 0, true, "too many rows to tell of all whether a later one hides them");
}

static bool warn_of_shadows(const struct catalogue *c, struct complaints *to)
{
	struct seen seen = { .n_slots = 16 };
	AUTO_FREE size_t *slots = NULL;
	AUTO_FREE size_t *patterns = NULL;

	while (seen.n_slots <= 2 * c->n_rows)
		seen.n_slots *= 2;
	seen.slots = slots = calloc(seen.n_slots, sizeof *slots);
	patterns = calloc(c->n_rows + 1, sizeof *patterns);
	if (!slots || !patterns)
		return false;
	check_shadows(c, &seen, patterns, to);
	return true;
}

bool catalogue_warn(const struct catalogue *c, struct complaints *to)
{
	for (size_t i = 0; i < c->n_rows; i++) {
		enter_file(&c->rows[i], to);
		for (size_t k = 0; k < ARRAY_SIZE(row_checks); k++)
			row_checks[k](&c->rows[i], to);
	}
	return warn_of_shadows(c, to) && !to->is_out_of_memory;
}

int catalogue_check(const char *const *files, struct text *said, struct catalogue_verdict *ret)
{
	struct complaints complaints = { 0 };
	struct catalogue *c = catalogue_read_all(files, &complaints);
	bool is_good = c && catalogue_warn(c, &complaints);

	*ret = (struct catalogue_verdict){ .errors = complaints.n_errors, .warnings = complaints.n_warnings };
	if (is_good) {
		while (files[ret->files])
			ret->files++;
		ret->rows = catalogue_rows(c);
		complaints_print(&complaints, true, said);
	}
	complaints_free(&complaints);
	catalogue_free(c);
	return is_good ? 0 : -ENOMEM;
}
