/* The text of /metrics in pieces, one for a family of up to 32 subjects: what has not changed since the last scrape is neither
 * written nor compressed again. */
#pragma once

#include "exporter/lines.h"
#include "metric/gzip.h"

enum { PIECE_SUBJECTS = 32 };

struct pieces;

struct pieces *pieces_new(const struct fleet *, bool has_own);	/* NULL: no memory */
void pieces_free(struct pieces *);		/* NULL does nothing */

/* Brings all of them up to date. 0; or -ENOMEM, and then they must not be served. */
MUST_CHECK int pieces_refresh(struct pieces *);

/* A family's lines stand in the pieces of its groups, one behind another. */
size_t pieces_groups(const struct pieces *);
/* NULL: it has no line. It stays until the next refresh, and longer for whoever takes a reference. */
struct buffer *piece_text(const struct pieces *, enum metric_family_id, size_t group);
/* What stands above the first of them. */
const struct text *pieces_header(const struct pieces *, enum metric_family_id, enum exposition_format);
/* A piece that has lines, compressed, below its header where it is the family's first. 0 or -ENOMEM. */
MUST_CHECK int piece_packed(struct pieces *, enum metric_family_id, size_t group, bool is_first, enum exposition_format,
			    const struct gzip_block **ret);
/* "# EOF", with which OpenMetrics ends. */
extern const char pieces_end[];
MUST_CHECK int pieces_end_packed(struct pieces *, const struct gzip_block **ret);

/* What it has cost since it was made, for tests. */
struct pieces_work {
	uint64_t written;		/* subjects' lines, one part of them */
	uint64_t made;			/* pieces put together */
	uint64_t packed;		/* compressed */
};
struct pieces_work pieces_work(const struct pieces *);
