/* Headers of a request out of any bytes: Accept, Accept-Encoding, Authorization; and passwords that are coded as they should be. */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "http/accept.h"
#include "http/auth.h"

static bool is_wiped(const struct http_basic *basic)
{
	static const struct http_basic nothing;

	return !memcmp(basic, &nothing, sizeof nothing);
}

static void run_header(const char *value)
{
	struct http_basic basic;

	(void)accept_openmetrics(value);
	(void)accept_gzip(value);
	if (http_basic_parse(value, &basic))
		assert(!strchr(basic.user, ':') && strlen(basic.user) <= WEB_USER_BYTES_MAX && strlen(basic.password) <= HTTP_PASSWORD_BYTES_MAX);
	else
		assert(is_wiped(&basic));
}

static void add_base64(struct text *to, const uint8_t *data, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t bits = (uint32_t)data[i] << 16 | (i + 1 < n ? (uint32_t)data[i + 1] << 8 : 0) | (i + 2 < n ? data[i + 2] : 0);
		char four[5] = { digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63], digits[bits & 63], 0 };

		for (size_t pad = i + 3 > n ? i + 3 - n : 0; pad; pad--)
			four[4 - pad] = '=';
		text_add(to, four);
	}
}

/* What is coded comes back, or it was not fit. */
static void run_coded(const uint8_t *data, size_t n)
{
	AUTO_TEXT value = TEXT_LIMIT(1 << 20);
	const uint8_t *colon = n ? memchr(data, ':', n) : NULL;
	size_t user = colon ? (size_t)(colon - data) : 0, password = colon ? n - user - 1 : 0;
	bool is_fit = colon && !memchr(data, 0, n) && user <= WEB_USER_BYTES_MAX && password <= HTTP_PASSWORD_BYTES_MAX;
	struct http_basic basic;

	text_add(&value, "Basic ");
	add_base64(&value, data, n);
	if (value.truncated)
		return;
	assert(http_basic_parse(value.at, &basic) == is_fit);
	if (!is_fit)
		return;
	assert(strlen(basic.user) == user && !memcmp(basic.user, data, user));
	assert(strlen(basic.password) == password && !memcmp(basic.password, colon + 1, password));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *exact = malloc(size + 1);		/* of exact size, so that ASan sees one byte too far */

	assert(exact);
	if (size)
		memcpy(exact, data, size);
	exact[size] = 0;
	run_header(exact);
	run_coded(data, size);
	free(exact);
	return 0;
}
