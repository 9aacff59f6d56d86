#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>

struct buffer *buffer_new(const void *bytes, size_t n)
{
	struct buffer *b = malloc(sizeof *b + n);

	if (!b)
		return NULL;
	b->refs = 1;
	b->n = n;
	if (bytes)
		memcpy(b->bytes, bytes, n);
	return b;
}

struct buffer *buffer_ref(struct buffer *b)
{
	b->refs++;
	return b;
}

void buffer_unref(struct buffer *b)
{
	if (b && !--b->refs)
		free(b);
}
