/* A read position over bytes we do not trust. Reading past the end yields zeroes and sets torn, so a decoder
 * checks once, at the end. Nothing is ever laid over the buffer and no pointer into it is kept. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	const uint8_t *at;
	size_t left;
	bool torn;
};

static inline struct bytes bytes_of(const void *data, size_t n)
{
	return (struct bytes){ .at = data, .left = n };
}

/* The next n bytes as a cursor of their own; torn (and empty) where there are fewer. */
struct bytes bytes_take(struct bytes *b, size_t n);

/* The next n bytes as a number, big- or little-endian; of more than 8 bytes the low 64 bits count. */
uint64_t bytes_be(struct bytes *b, size_t n);
uint64_t bytes_le(struct bytes *b, size_t n);

static inline void bytes_skip(struct bytes *b, size_t n)
{
	(void)bytes_take(b, n);
}

/* A cursor at an absolute offset of what `b` still holds; `b` itself does not move. Torn where it has fewer bytes. */
struct bytes bytes_at(struct bytes b, size_t offset, size_t n);

/* True where every one of the bytes has that value (an empty cursor: false). */
bool bytes_all(struct bytes b, uint8_t value);

/* Copies up to n bytes into text and ends it with a NUL, leading and trailing blanks and NULs left out; other bytes
 * stay as they are. text has room for n + 1. Returns the length. */
size_t bytes_text(struct bytes *b, size_t n, char *text);
