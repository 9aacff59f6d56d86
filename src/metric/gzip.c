#include "metric/gzip.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Most blocks are a few kilobytes of lines that are much alike: a higher level finds little more, and more memory would be
 * cleared for each of them. */
enum { LEVEL = 4, WINDOW_BITS = 15, MEMORY_LEVEL = 6, FLUSH_MAX = 16 };

/* What passes, and is less than this, is not compressed, but stored: it would save some fifty bytes. */
enum { STORED_MAX = 400, STORED_HEAD = 5 };

struct gzip_packer {
	z_stream stream;
	unsigned char *out;
	size_t room;
};

/* No name, no time, Unix. */
const unsigned char gzip_head[GZIP_HEAD] = { 0x1f, 0x8b, Z_DEFLATED, 0, 0, 0, 0, 0, 0, 3 };

struct gzip_packer *gzip_packer_new(void)
{
	struct gzip_packer *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	if (deflateInit2(&p->stream, LEVEL, Z_DEFLATED, -WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK)
		return p;
	free(p);
	return NULL;
}

void gzip_packer_free(struct gzip_packer *p)
{
	if (!p)
		return;
	deflateEnd(&p->stream);
	free(p->out);
	free(p);
}

static size_t length_of(const struct iovec *parts, size_t n)
{
	size_t length = 0;

	for (size_t i = 0; i < n; i++)
		length += parts[i].iov_len;
	return length;
}

static bool make_room(struct gzip_packer *p, size_t length)
{
	size_t need = deflateBound(&p->stream, length) + FLUSH_MAX;
	unsigned char *out = need > p->room ? realloc(p->out, need) : p->out;

	if (!out)
		return false;
	p->out = out;
	if (need > p->room)
		p->room = need;
	return true;
}

/* How many bytes it gave; 0: it failed. */
static size_t deflate_all(struct gzip_packer *p, const struct iovec *parts, size_t n)
{
	z_stream *z = &p->stream;
	int r;

	z->next_out = p->out;
	z->avail_out = (uInt)p->room;
	for (size_t i = 0; i < n; i++) {
		z->next_in = parts[i].iov_base;
		z->avail_in = (uInt)parts[i].iov_len;
		r = deflate(z, i + 1 == n ? Z_FULL_FLUSH : Z_NO_FLUSH);
		if ((r != Z_OK && r != Z_BUF_ERROR) || z->avail_in || !z->avail_out)	/* an empty part is no progress */
			return 0;
	}
	return p->room - z->avail_out;
}

/* RFC 1951, 3.2.4; such a block begins and ends on a byte. */
static struct buffer *store(const struct iovec *parts, size_t n_parts, uint16_t length)
{
	struct buffer *b = buffer_new(NULL, STORED_HEAD + (size_t)length);
	unsigned char *to;

	if (!b)
		return NULL;
	to = (unsigned char *)b->bytes;
	*to++ = 0;
	*to++ = (unsigned char)length;
	*to++ = (unsigned char)(length >> 8);
	*to++ = (unsigned char)~length;
	*to++ = (unsigned char)(~length >> 8);
	for (size_t i = 0; i < n_parts; i++)
		to = mempcpy(to, parts[i].iov_base, parts[i].iov_len);
	return b;
}

static struct buffer *compress_all(struct gzip_packer *p, const struct iovec *parts, size_t n_parts, size_t length)
{
	size_t n;

	if (length > UINT32_MAX / 2 || deflateReset(&p->stream) != Z_OK || !make_room(p, length))
		return NULL;
	n = deflate_all(p, parts, n_parts);
	return n ? buffer_new(p->out, n) : NULL;
}

int gzip_pack(struct gzip_packer *p, const struct iovec *parts, size_t n_parts, bool is_passing, struct gzip_block *ret)
{
	size_t length = length_of(parts, n_parts);
	struct gzip_block block = { .length = (uint32_t)length, .step = crc32_combine_gen((z_off_t)length) };

	block.bytes = is_passing && length < STORED_MAX ? store(parts, n_parts, (uint16_t)length) : compress_all(p, parts, n_parts, length);
	if (!block.bytes)
		return -ENOMEM;
	for (size_t i = 0; i < n_parts; i++)
		block.crc = (uint32_t)crc32_z(block.crc, parts[i].iov_base, parts[i].iov_len);
	*ret = block;
	return 0;
}

void gzip_sum_add(struct gzip_sum *sum, const struct gzip_block *block)
{
	sum->crc = (uint32_t)crc32_combine_op(sum->crc, block->crc, block->step);
	sum->length += block->length;
}

static void put_le32(unsigned char *to, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		to[i] = (unsigned char)(v >> 8 * i);
}

void gzip_tail(const struct gzip_sum *sum, unsigned char out[GZIP_TAIL])
{
	out[0] = 3;		/* the last block, empty, of fixed codes */
	out[1] = 0;
	put_le32(out + 2, sum->crc);
	put_le32(out + 6, sum->length);
}
