/* Captures out of any bytes: read, written, read again, redacted. The seeds are captures. */
#include <assert.h>
#include <string.h>

#include "capture/capture.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_TEXT error = TEXT_LIMIT(1000), once = TEXT_LIMIT(64 << 20), twice = TEXT_LIMIT(64 << 20);
	struct capture *c = capture_parse((const char *)data, size, "fuzz", &error), *again;

	assert(!c == !!error.length);
	if (!c)
		return 0;
	capture_write(c, &once);
	again = capture_parse(once.at, once.length, "again", &error);
	assert(again);
	capture_write(again, &twice);
	assert(once.length == twice.length && !memcmp(once.at, twice.at, once.length));
	capture_free(again);
	capture_redact(c);
	text_free(&once);
	capture_write(c, &once);
	again = capture_parse(once.at, once.length, "redacted", &error);
	assert(again && again->n_answers == c->n_answers);
	capture_free(again);
	capture_free(c);
	return 0;
}
