/* Growing text, and the few things done to strings from outside. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* Text that grows, up to a limit that its maker sets; past it (or out of memory) nothing more is added and
 * `truncated` is set. at is NUL-terminated once anything was added. */
struct text {
	char *at;
	size_t length, room, limit;
	bool truncated;
};

#define TEXT_LIMIT(bytes) ((struct text){ .limit = (bytes) })

void text_add(struct text *t, const char *string);
void text_add_bytes(struct text *t, const void *bytes, size_t n);
void text_addf(struct text *t, const char *format, ...) PRINTF_LIKE(2, 3);
void text_free(struct text *t);		/* also for CLEANUP() */
#define AUTO_TEXT CLEANUP(text_free) struct text

/* A whole decimal number without sign or blanks, at most max. False on anything else. */
bool text_to_u64(const char *string, uint64_t max, uint64_t *ret);

/* A decimal number, digits with at most one point among them, from min to max. False on anything else. */
bool text_to_decimal(const char *string, double min, double max, double *ret);

/* Sign, digits, point and exponent; none of strtod()'s other forms, and finite. */
bool text_to_real(const char *string, double *ret);

/* Hexadecimal digits only, no prefix. */
bool text_hex_to_u64(const char *string, uint64_t max, uint64_t *ret);

/* True where the whole string is UTF-8 (no overlong forms, surrogates, or beyond U+10FFFF). */
bool text_is_utf8(const char *string);

/* A string from a drive made fit for a label value or a page: control characters and bytes that are not UTF-8 become
 * U+FFFD. out has room for 3 * strlen + 1, or is cut at size on a character's border. Returns out. */
char *text_printable(const char *string, char *out, size_t size);

/* Spelled as udev spells by-id names: blanks trimmed, runs of them one '_', every byte outside
 * [A-Za-z0-9#+-.:=@_/] a '_'. Returns out. */
char *text_udev(const char *string, char *out, size_t size);

/* strncpy that ends with a NUL and tells nobody; for buffers whose size is the field's own maximum. */
void text_copy(char *to, size_t size, const char *from);

/* FNV-1a, for spreading and for duplicates; not for secrets. */
uint64_t text_hash(const void *bytes, size_t n);

/* One of the patterns (as of fnmatch(3), with bars between them) matches all of the text. */
bool text_matches_any(const char *patterns, const char *text);
