/* Inventories out of any bytes: what is read can be written and reads back the same. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "capture/inventory.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_TEXT once = TEXT_LIMIT(1 << 20), twice = TEXT_LIMIT(1 << 20);
	AUTO_FREE char *text = malloc(size + 1);
	struct inventory_drive *d;

	memcpy(text, data, size);
	text[size] = 0;
	if (inventory_parse(text, &d))
		return 0;
	inventory_write(d, &once);
	inventory_free(d);
	/* Written it may be longer than a message (a number's leading zeros go, but blanks become escapes). */
	if (once.length > INVENTORY_TEXT_MAX)
		return 0;
	assert(!inventory_parse(once.at, &d));
	inventory_write(d, &twice);
	inventory_free(d);
	assert(!strcmp(once.at, twice.at));
	return 0;
}
