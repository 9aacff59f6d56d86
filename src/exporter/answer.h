/* One answer to a scrape: parts of the pieces, in order, which stay for as long as it is held. */
#pragma once

#include "exporter/pieces.h"

struct answer {
	size_t refs;
	struct iovec *parts;
	size_t n, room;
	struct buffer **held;
	size_t n_held, room_held;
	struct gzip_sum sum;
	unsigned char tail[GZIP_TAIL];
};

struct answer_form {
	enum exposition_format format;
	bool is_gzip;
	const bool *is_wanted;		/* by family; NULL: all */
};

/* Of pieces that are up to date; to be held no longer than they exist. One reference is the caller's. 0 or -ENOMEM. */
MUST_CHECK int answer_make(struct pieces *, const struct answer_form *, struct answer **ret);
struct answer *answer_ref(struct answer *);
void answer_unref(struct answer *);		/* NULL does nothing */
