/* Bytes that several hold and nobody changes. Counted without a lock: all holders are of one thread. */
#pragma once

#include <stddef.h>

struct buffer {
	size_t refs, n;
	char bytes[];
};

/* A copy of these bytes (NULL: whoever made it fills it in), with one reference. NULL: no memory. */
struct buffer *buffer_new(const void *bytes, size_t n);
struct buffer *buffer_ref(struct buffer *);
void buffer_unref(struct buffer *);		/* NULL does nothing */
