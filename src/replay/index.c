/* A capture's answers and changes in an order in which those of a moment are found by halving: a life of a drive has thousands of
 * sections. */
#include <string.h>

#include "replay/replay.h"

/* ---- answers */

/* A count left out, or 0, is 1. */
static struct command plain(const struct command *command)
{
	struct command c = *command;
	int count = command_key_index(c.name, "count");

	if (count >= 0 && !c.key[count])
		c.key[count] = 1;
	return c;
}

static int compare_commands(const struct replay_answers *a, const struct replay_answers *b)
{
	int order = memcmp(&a->command, &b->command, sizeof a->command);

	return order ? order : strcmp(a->path, b->path);
}

static int compare(const struct replay_answers *a, const struct replay_answers *b)
{
	int order = compare_commands(a, b);

	return order ? order : a->at_s < b->at_s ? -1 : a->at_s > b->at_s;
}

/* Those alike stay in the order of the file. */
static int compare_answers(const void *a, const void *b)
{
	const struct replay_answers *x = a, *y = b;
	int order = compare(x, y);

	return order ? order : x->answer < y->answer ? -1 : x->answer > y->answer;
}

static bool index_answers(struct replay_drive *d)
{
	const struct capture *c = d->capture;

	d->answers = calloc(c->n_answers + 1, sizeof *d->answers);
	if (!d->answers)
		return false;
	for (size_t i = 0; i < c->n_answers; i++) {
		const struct capture_answer *a = &c->answers[i];
		bool is_default = d->n_nodes && !strcmp(a->path, d->nodes[0].name);

		d->answers[i] = (struct replay_answers){ .command = plain(&a->command), .path = is_default ? "" : a->path,
							 .at_s = a->at_s, .answer = a };
	}
	qsort(d->answers, c->n_answers, sizeof *d->answers, compare_answers);
	return true;
}

/* How many come before the key; with_equal: or stand at its place. */
static size_t count_before(const struct replay_drive *d, const struct replay_answers *key, bool with_equal)
{
	size_t low = 0, high = d->capture->n_answers;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&d->answers[middle], key) < with_equal)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t replay_answers_at(const struct replay_drive *d, const struct command *command, const char *path, uint64_t at_s,
			 const struct replay_answers **ret_first, size_t *ret_group)
{
	struct replay_answers key = { .command = plain(command), .path = path, .at_s = at_s };
	size_t end = count_before(d, &key, true), begin;

	if (!end || compare_commands(&d->answers[end - 1], &key))
		return 0;
	key.at_s = d->answers[end - 1].at_s;
	begin = count_before(d, &key, false);
	key.at_s = 0;
	*ret_group = count_before(d, &key, false);
	*ret_first = &d->answers[begin];
	return end - begin;
}

/* ---- changes */

static int compare_lines(const void *a, const void *b)
{
	const struct capture_line *x = *(const struct capture_line *const *)a, *y = *(const struct capture_line *const *)b;

	if (x->at_s != y->at_s)
		return x->at_s < y->at_s ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Of changes at the same moment the last in the file counts. */
static void index_moment(struct replay_drive *d, size_t *at, size_t n)
{
	static const struct replay_moment start = { .is_present = true };
	const struct replay_moment *before = d->n_moments ? &d->moments[d->n_moments - 1] : &start;
	struct replay_moment *m = &d->moments[d->n_moments++];

	*m = *before;
	m->at_s = d->changes[*at]->at_s;
	for (; *at < n && d->changes[*at]->at_s == m->at_s; ++*at)
		if (d->changes[*at]->kind == CAPTURE_ABSENT || d->changes[*at]->kind == CAPTURE_PRESENT)
			m->is_present = d->changes[*at]->kind == CAPTURE_PRESENT;
	m->n_changes = *at;
	m->returns += !before->is_present && m->is_present;
}

static bool index_changes(struct replay_drive *d)
{
	const struct capture *c = d->capture;
	size_t n = 0;

	d->changes = calloc(c->n_lines + 1, sizeof *d->changes);
	d->moments = calloc(c->n_lines + 1, sizeof *d->moments);
	if (!d->changes || !d->moments)
		return false;
	for (size_t i = 0; i < c->n_lines; i++)
		if (!c->lines[i].is_header)
			d->changes[n++] = &c->lines[i];
	qsort(d->changes, n, sizeof *d->changes, compare_lines);
	for (size_t at = 0; at < n;)
		index_moment(d, &at, n);
	return true;
}

size_t replay_moments_until(const struct replay_drive *d, uint64_t at_s)
{
	size_t low = 0, high = d->n_moments;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (d->moments[middle].at_s <= at_s)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool replay_index(struct replay_drive *d)
{
	return index_answers(d) && index_changes(d);
}

void replay_index_free(struct replay_drive *d)
{
	free(d->answers);
	free(d->changes);
	free(d->moments);
}
