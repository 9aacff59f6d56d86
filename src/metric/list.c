/* The families as people read them; made of the same rows as HELP and TYPE. */
#include "metric/exposition.h"

#include <string.h>

static const char *const type_names[] = {
	[METRIC_GAUGE] = "gauge",
	[METRIC_COUNTER] = "counter",
	[METRIC_INFO] = "info",
	[METRIC_HISTOGRAM] = "histogram",
};

static const char markdown_head[] =
	"# Metrics\n"
	"\n"
	"This page is generated from the list of families in src/metric/families.h.\n"
	"To change it, change that list and generate it again.\n"
	"\n"
	"The last column says where the value comes from: the standard, the page, the field. Families without it are told by the\n"
	"kernel, or by the exporter itself.\n"
	"\n"
	"| family | type | labels | meaning | source |\n"
	"| --- | --- | --- | --- | --- |\n";

static void add_labels(struct text *out, const struct metric_family *f, const char *quote)
{
	const char *separator = "";

	if (f->is_drive) {
		text_addf(out, "%sdrive%s", quote, quote);
		separator = ", ";
	}
	for (size_t i = 0; f->label[i]; i++) {
		text_addf(out, "%s%s%s%s", separator, quote, f->label[i], quote);
		separator = ", ";
	}
	if (!*separator)
		text_add(out, "-");
}

/* A bar would end the cell; * _ ` and < could begin something. */
static void add_markdown(struct text *out, const char *string)
{
	for (; *string; string++) {
		if (strchr("|*_`<\\", *string))
			text_add(out, "\\");
		text_add_bytes(out, string, 1);
	}
}

static void add_markdown_row(struct text *out, const struct metric_family *f, const char *source)
{
	text_addf(out, "| `%s` | %s | ", f->name, type_names[f->type]);
	add_labels(out, f, "`");
	text_add(out, " | ");
	add_markdown(out, f->help);
	text_add(out, " | ");
	add_markdown(out, source);
	text_add(out, " |\n");
}

/* The meaning stands on a line of its own: name, labels and meaning side by side need 250 columns. */
static void add_text_row(struct text *out, const struct metric_family *f, const char *source, int name_width)
{
	text_addf(out, "%-*s  %-9s  ", name_width, f->name, type_names[f->type]);
	add_labels(out, f, "");
	text_addf(out, "\n    %s\n", f->help);
	if (*source)
		text_addf(out, "    Source: %s\n", source);
}

void exposition_list_families(struct text *out, bool is_markdown, void (*source)(unsigned family, struct text *out))
{
	size_t width = 0;

	for (size_t i = 0; i < N_METRIC_FAMILIES; i++)
		if (strlen(metric_families[i].name) > width)
			width = strlen(metric_families[i].name);
	if (is_markdown)
		text_add(out, markdown_head);
	else
		text_addf(out, "%-*s  %-9s  %s\n    %s\n", (int)width, "FAMILY", "TYPE", "LABELS", "MEANING");
	for (unsigned i = 0; i < N_METRIC_FAMILIES; i++) {
		AUTO_TEXT from = TEXT_LIMIT(8192);
		const char *words;

		if (source)
			source(i, &from);
		words = from.length ? from.at : "";
		if (is_markdown)
			add_markdown_row(out, &metric_families[i], words);
		else
			add_text_row(out, &metric_families[i], words, (int)width);
	}
}
