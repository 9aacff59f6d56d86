#include "base/bytes.h"

#include <string.h>

struct bytes bytes_take(struct bytes *b, size_t n)
{
	struct bytes out = { .at = b->at, .left = n, .torn = b->torn };

	if (n > b->left) {
		*b = (struct bytes){ .at = b->at, .torn = true };
		return *b;
	}
	b->at += n;
	b->left -= n;
	return out;
}

uint64_t bytes_be(struct bytes *b, size_t n)
{
	struct bytes in = bytes_take(b, n);
	uint64_t v = 0;

	while (in.left--)
		v = v << 8 | *in.at++;
	return v;
}

uint64_t bytes_le(struct bytes *b, size_t n)
{
	struct bytes in = bytes_take(b, n);
	uint64_t v = 0;

	for (size_t i = 0; i < in.left && i < 8; i++)
		v |= (uint64_t)in.at[i] << 8 * i;
	return v;
}

struct bytes bytes_at(struct bytes b, size_t offset, size_t n)
{
	bytes_skip(&b, offset);
	return bytes_take(&b, n);
}

bool bytes_all(struct bytes b, uint8_t value)
{
	if (!b.left)
		return false;
	for (size_t i = 0; i < b.left; i++)
		if (b.at[i] != value)
			return false;
	return true;
}

size_t bytes_text(struct bytes *b, size_t n, char *text)
{
	struct bytes in = bytes_take(b, n);
	const uint8_t *at = in.at;
	size_t left = in.left;

	while (left && (*at == ' ' || *at == 0))
		at++, left--;
	while (left && (at[left - 1] == ' ' || at[left - 1] == 0))
		left--;
	if (left)
		memcpy(text, at, left);
	text[left] = 0;
	return strlen(text);
}
