#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "health/catalogue_private.h"

void complain(struct complaints *c, unsigned line, bool is_warning, const char *format, ...)
{
	struct complaint *to;
	va_list args;

	if (is_warning)
		c->n_warnings++;
	else
		c->n_errors++;
	if (c->n == CATALOGUE_COMPLAINTS_MAX)
		return;
	if (!ARRAY_GROW(c->at, c->room, c->n)) {
		c->is_out_of_memory = true;
		return;
	}
	to = &c->at[c->n++];
	*to = (struct complaint){ .file = c->file, .order = c->order, .line = line, .is_warning = is_warning };
	va_start(args, format);
	vsnprintf(to->reason, sizeof to->reason, format, args);
	va_end(args);
}

static int by_place(const void *a, const void *b)
{
	const struct complaint *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->is_warning != y->is_warning)
		return x->is_warning ? 1 : -1;
	return strcmp(x->reason, y->reason);
}

void complaints_sort(struct complaints *c)
{
	if (c->n)
		qsort(c->at, c->n, sizeof *c->at, by_place);
}

void complaints_print(struct complaints *c, bool has_kinds, struct text *out)
{
	size_t n_all = c->n_errors + c->n_warnings;

	complaints_sort(c);
	for (size_t i = 0; i < c->n; i++) {
		const struct complaint *one = &c->at[i];
		char reason[3 * sizeof one->reason + 1];

		text_add(out, one->file);
		if (one->line)
			text_addf(out, ":%u", one->line);
		text_addf(out, ": %s%s\n", !has_kinds ? "" : one->is_warning ? "warning: " : "error: ",
			  text_printable(one->reason, reason, sizeof reason));
	}
	if (n_all > c->n)
		text_addf(out, "and %zu more\n", n_all - c->n);
}

void complaints_free(struct complaints *c)
{
	free(c->at);
	*c = (struct complaints){ 0 };
}
