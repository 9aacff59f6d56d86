/* A gzip member (RFC 1952) stitched of blocks that were compressed apart, each once: their CRCs combine, and each ends at a full
 * flush, so that it begins on a byte and refers to nothing before it (RFC 1951). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/buffer.h"
#include "base/cleanup.h"

struct gzip_packer;

struct gzip_block {
	struct buffer *bytes;	/* NULL: there is none */
	uint32_t length, crc;	/* of what it holds */
	unsigned long step;	/* takes the CRC of what stands before it past it: zlib's crc32_combine_gen() */
};

struct gzip_packer *gzip_packer_new(void);	/* NULL: no memory */
void gzip_packer_free(struct gzip_packer *);	/* NULL does nothing */

/* A block of these bytes; a reference to ret->bytes is the caller's. is_passing: it is for one answer, or a few, so that little
 * effort is worth it. 0 or -ENOMEM. */
MUST_CHECK int gzip_pack(struct gzip_packer *, const struct iovec *parts, size_t n_parts, bool is_passing, struct gzip_block *ret);

/* What a member has had so far; all zero before its first block. */
struct gzip_sum {
	uint32_t crc, length;
};
void gzip_sum_add(struct gzip_sum *, const struct gzip_block *);

/* What stands before the first block and behind the last. */
enum { GZIP_HEAD = 10, GZIP_TAIL = 10 };
extern const unsigned char gzip_head[GZIP_HEAD];
void gzip_tail(const struct gzip_sum *, unsigned char out[GZIP_TAIL]);
