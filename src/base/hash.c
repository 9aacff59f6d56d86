#include "base/hash.h"

#include <string.h>

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
	static const uint64_t multiplier = 0x9e3779b97f4a7c15;	/* 2^64 / golden ratio, odd: spreads upward */
	const unsigned char *at = bytes;
	uint64_t word;

	hash ^= n;
	while (n) {
		size_t step = n < sizeof word ? n : sizeof word;

		word = 0;
		memcpy(&word, at, step);
		hash = (hash ^ word) * multiplier;
		hash ^= hash >> 32;		/* and back down, where the slot is taken from */
		at += step;
		n -= step;
	}
	return hash;
}
