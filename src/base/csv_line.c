#include "base/csv_line.h"

#include <csv.h>
#include <errno.h>

struct line {
	void (*field)(void *context, const char *at, size_t n);
	void *context;
};

static void on_field(void *field, size_t n, void *context)
{
	const struct line *line = context;

	line->field(line->context, field, n);
}

static void on_record(int terminator, void *context)
{
}

int csv_line_split(const char *line, size_t n, void (*field)(void *, const char *, size_t), void *context)
{
	struct line l = { field, context };
	struct csv_parser csv;
	int r = 0;

	if (csv_init(&csv, CSV_STRICT | CSV_STRICT_FINI))
		return -ENOMEM;
	if (csv_parse(&csv, line, n, on_field, on_record, &l) != n || csv_fini(&csv, on_field, on_record, &l))
		r = csv_error(&csv) == CSV_ENOMEM ? -ENOMEM : -EBADMSG;
	csv_free(&csv);
	return r;
}
