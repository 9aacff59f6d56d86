#include "http/basic.h"

#include <string.h>
#include <strings.h>

static bool split(const char *bytes, size_t n, struct http_basic *ret)
{
	const char *colon = memchr(bytes, ':', n);
	size_t user, password;

	if (!colon || memchr(bytes, 0, n))
		return false;
	user = (size_t)(colon - bytes);
	password = n - user - 1;
	if (user >= sizeof ret->user || password >= sizeof ret->password)
		return false;
	memcpy(ret->user, bytes, user);
	memcpy(ret->password, colon + 1, password);
	return true;
}

/* -1: not a digit. */
static int base64_digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Returns how many bytes, or -1. out has room for n / 4 * 3. */
static int base64_decode(const char *in, size_t n, char *out)
{
	size_t pad = n && in[n - 1] == '=' ? 1 + (n > 1 && in[n - 2] == '=') : 0;
	unsigned bits = 0;
	int length = 0;

	if (n % 4)
		return -1;
	for (size_t i = 0; i < n; i++) {
		int digit = i < n - pad ? base64_digit(in[i]) : 0;

		if (digit < 0)
			return -1;
		bits = bits << 6 | (unsigned)digit;
		if (i % 4 == 3)
			for (int shift = 16; shift >= 0; shift -= 8)
				out[length++] = (char)(bits >> shift & 0xff);
	}
	return length - (int)pad;
}

bool http_basic_parse(const char *authorization, struct http_basic *ret)
{
	enum { PLAIN_MAX = WEB_USER_BYTES_MAX + 1 + HTTP_PASSWORD_BYTES_MAX, CODED_MAX = (PLAIN_MAX + 2) / 3 * 4 };
	char plain[CODED_MAX / 4 * 3];
	bool is_good = false;
	size_t n;
	int length;

	*ret = (struct http_basic){ 0 };
	if (!authorization || strncasecmp(authorization, "Basic ", 6))
		return false;
	authorization += 6 + strspn(authorization + 6, " ");
	n = strnlen(authorization, CODED_MAX + 1);
	while (n && n <= CODED_MAX && authorization[n - 1] == ' ')
		n--;
	if (n <= CODED_MAX) {
		length = base64_decode(authorization, n, plain);
		is_good = length >= 0 && split(plain, (size_t)length, ret);
	}
	explicit_bzero(plain, sizeof plain);
	if (!is_good)
		explicit_bzero(ret, sizeof *ret);
	return is_good;
}
