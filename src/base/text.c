#include "base/text.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool make_room(struct text *t, size_t more)
{
	size_t need = t->length + more + 1, room = t->room ? t->room : 256;
	char *at;

	if (t->truncated || need < more || (t->limit && need > t->limit + 1)) {
		t->truncated = true;
		return false;
	}
	if (need <= t->room)
		return true;
	while (room < need)
		room *= 2;
	at = realloc(t->at, room);
	if (!at) {
		t->truncated = true;
		return false;
	}
	t->at = at;
	t->room = room;
	return true;
}

void text_add_bytes(struct text *t, const void *bytes, size_t n)
{
	if (!make_room(t, n))
		return;
	if (n)
		memcpy(t->at + t->length, bytes, n);
	t->length += n;
	t->at[t->length] = 0;
}

void text_add(struct text *t, const char *string)
{
	text_add_bytes(t, string, strlen(string));
}

void text_addf(struct text *t, const char *format, ...)
{
	va_list args, again;
	int n;

	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	if (n >= 0 && make_room(t, (size_t)n)) {
		vsnprintf(t->at + t->length, (size_t)n + 1, format, again);
		t->length += (size_t)n;
	}
	va_end(again);
	va_end(args);
}

void text_free(struct text *t)
{
	free(t->at);
	*t = (struct text){ .limit = t->limit };
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

static bool to_u64(const char *string, unsigned base, uint64_t max, uint64_t *ret)
{
	uint64_t v = 0;

	if (!*string)
		return false;
	for (; *string; string++) {
		unsigned digit = (unsigned)digit_of(*string);

		if (digit >= base || v > (UINT64_MAX - digit) / base)
			return false;
		v = v * base + digit;
	}
	if (v > max)
		return false;
	*ret = v;
	return true;
}

bool text_to_u64(const char *string, uint64_t max, uint64_t *ret)
{
	return to_u64(string, 10, max, ret);
}

bool text_to_decimal(const char *string, double min, double max, double *ret)
{
	static const char digits[] = "0123456789";
	size_t n = strspn(string, digits), part = string[n] == '.' ? strspn(string + n + 1, digits) : 0;

	if (!n || string[n + (part ? part + 1 : 0)])
		return false;
	*ret = strtod(string, NULL);
	return *ret >= min && *ret <= max;
}

bool text_to_real(const char *string, double *ret)
{
	char *end;

	if (!*string || string[strspn(string, "0123456789.eE+-")])
		return false;
	*ret = strtod(string, &end);
	return !*end && isfinite(*ret);
}

bool text_hex_to_u64(const char *string, uint64_t max, uint64_t *ret)
{
	return to_u64(string, 16, max, ret);
}

/* Length of the UTF-8 sequence at s, 0 if it is none (overlong forms, surrogates and beyond U+10FFFF refused). */
static size_t utf8_length(const uint8_t *s)
{
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 :
		   s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if (n == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0)))
		return 0;
	if (n == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90)))
		return 0;
	return n;
}

bool text_is_utf8(const char *string)
{
	const uint8_t *s = (const uint8_t *)string;

	while (*s) {
		size_t n = utf8_length(s);

		if (!n)
			return false;
		s += n;
	}
	return true;
}

char *text_printable(const char *string, char *out, size_t size)
{
	const uint8_t *s = (const uint8_t *)string;
	char *to = out, *end = out + size - 1;

	while (*s) {
		size_t n = utf8_length(s);
		bool control = n == 1 && (*s < 0x20 || *s == 0x7f);
		bool c1_control = n == 2 && s[0] == 0xc2 && s[1] < 0xa0;
		bool replaced = !n || control || c1_control;
		const void *from = replaced ? (const void *)"\xef\xbf\xbd" : (const void *)s;
		size_t length = replaced ? 3 : n;

		if ((size_t)(end - to) < length)
			break;
		memcpy(to, from, length);
		to += length;
		s += n ? n : 1;
	}
	*to = 0;
	return out;
}

static bool is_blank(uint8_t c)
{
	return c == ' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f) || c == 0x85 || c == 0xa0;
}

char *text_udev(const char *string, char *out, size_t size)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789#+-.:=@_/";
	const uint8_t *s = (const uint8_t *)string;
	char *to = out, *end = out + size - 1;

	while (is_blank(*s))
		s++;
	for (; *s && to < end; s++) {
		if (!is_blank(*s)) {
			*to++ = strchr(plain, *s) ? (char)*s : '_';
			continue;
		}
		while (is_blank(s[1]))
			s++;
		if (s[1])
			*to++ = '_';
	}
	*to = 0;
	return out;
}

void text_copy(char *to, size_t size, const char *from)
{
	size_t n = strnlen(from, size - 1);

	memmove(to, from, n);
	to[n] = 0;
}

uint64_t text_hash(const void *bytes, size_t n)
{
	const uint8_t *at = bytes;
	uint64_t h = 0xcbf29ce484222325;

	while (n--)
		h = (h ^ *at++) * 0x100000001b3;
	return h;
}

bool text_matches_any(const char *patterns, const char *text)
{
	char one[128];

	while (patterns) {
		size_t n = strcspn(patterns, "|");

		if (n < sizeof one) {
			memcpy(one, patterns, n);
			one[n] = 0;
			if (!fnmatch(one, text, 0))
				return true;
		}
		patterns = patterns[n] ? patterns + n + 1 : NULL;
	}
	return false;
}
