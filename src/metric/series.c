#include "metric/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

void series_set_clear(struct series_set *set)
{
	set->round++;
	set->n_taken = 0;
}

void series_set_free(struct series_set *set)
{
	free(set->slots);
	*set = (struct series_set){ 0 };
}

/* The slot of these bytes, or the free one where they belong. At most half the slots are taken, so there is one. */
static struct series_slot *find_slot(const struct series_set *set, const char *text,
				     const struct series_slot *series)
{
	size_t mask = set->n_slots - 1;

	for (size_t i = series->hash & mask;; i = (i + 1) & mask) {
		struct series_slot *slot = &set->slots[i];

		if (slot->round != set->round)
			return slot;
		if (slot->hash == series->hash && slot->n == series->n &&
		    !memcmp(text + slot->at, text + series->at, series->n))
			return slot;
	}
}

static int grow(struct series_set *set, const char *text)
{
	struct series_set bigger = { .n_slots = set->n_slots ? set->n_slots * 2 : 256, .round = set->round };

	bigger.slots = calloc(bigger.n_slots, sizeof *bigger.slots);
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < set->n_slots; i++) {
		if (set->slots[i].round != set->round)
			continue;
		*find_slot(&bigger, text, &set->slots[i]) = set->slots[i];
		bigger.n_taken++;
	}
	free(set->slots);
	*set = bigger;
	return 0;
}

int series_set_add(struct series_set *set, const char *text, size_t at, size_t n)
{
	struct series_slot series = { .hash = hash_bytes(0, text + at, n), .at = at, .n = n }, *slot;
	int r;

	if (!set->round)
		set->round = 1;		/* empty slots are zeroes */
	if (set->n_taken >= set->n_slots / 2) {
		r = grow(set, text);
		if (r < 0)
			return r;
	}
	slot = find_slot(set, text, &series);
	if (slot->round == set->round)
		return -EEXIST;
	series.round = set->round;
	*slot = series;
	set->n_taken++;
	return 0;
}
