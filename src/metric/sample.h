/* A drive's readings: what page/ and health/ produce and metric/ writes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metric/family.h"

enum { SAMPLE_LABELS = 3 };

struct sample {
	uint16_t family;	/* enum metric_family_id */
	uint8_t rank;		/* where two pages tell the same thing the higher rank is taken, once: readings_settle() */
	bool is_dynamic;	/* the labels are not static strings: whoever keeps the sample copies them */
	const char *label[SAMPLE_LABELS];	/* values of the family's labels after `drive`, in its order */
	double value;
};

/* Where a decoder's samples go. */
struct sample_sink {
	void (*put)(struct sample_sink *, const struct sample *);
	/* A value the drive cannot mean, left out; quantity is a family's name without drive_ and unit
	 * ("power_on", "temperature", "written_bytes"), static. */
	void (*implausible)(struct sample_sink *, const char *quantity);
};

static inline void sample_put(struct sample_sink *to, const struct sample *s)
{
	to->put(to, s);
}

/* The samples of one answer. */
struct sample_set {
	struct sample *at;
	size_t n, room;
	struct sample_text *texts;	/* copies of dynamic labels */
};

/* Adds a copy. False where there is no memory, or the set is at its limit (SAMPLE_SET_MAX). */
enum { SAMPLE_SET_MAX = 4096 };
bool sample_set_add(struct sample_set *, const struct sample *);
void sample_set_clear(struct sample_set *);

/* Same family and labels? */
bool sample_is_same_series(const struct sample *, const struct sample *);
