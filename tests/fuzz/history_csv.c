/* A line of CSV: what is taken is valid, and comes back the same when it is written. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "history/column.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_TEXT error = TEXT_LIMIT(1000), out = TEXT_LIMIT(100000), again = TEXT_LIMIT(100000);
	AUTO_FREE char *text = malloc(size + 1);
	struct history_line line;

	memcpy(text, data, size);
	text[size] = 0;
	if (history_csv_parse(text, &line, &error))
		return 0;
	history_csv_line(&line, &out);
	out.at[out.length - 1] = 0;
	if (!history_line_settle(&line) || history_csv_parse(out.at, &line, &error))
		abort();
	history_csv_line(&line, &again);
	again.at[again.length - 1] = 0;
	if (strcmp(out.at, again.at))
		abort();
	return 0;
}
