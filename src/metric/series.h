/* Which series stand in a text already: a hash set that keeps its memory from family to family and scrape to scrape.
 * It holds no strings, only where they are in the text, which may move and grow. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct series_slot {
	uint64_t hash;
	uint64_t round;		/* the slot is taken if this is the set's */
	size_t at, n;		/* the series' labels in the text */
};

struct series_set {
	struct series_slot *slots;
	size_t n_slots, n_taken;	/* n_slots is a power of 2, or 0 */
	uint64_t round;
};

void series_set_clear(struct series_set *);
void series_set_free(struct series_set *);

/* Adds the n bytes at text + at. 0, -EEXIST where the same bytes were added since series_set_clear(), -ENOMEM. */
MUST_CHECK int series_set_add(struct series_set *, const char *text, size_t at, size_t n);
