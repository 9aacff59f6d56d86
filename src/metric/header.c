/* What stands above a family's lines. */
#include <string.h>

#include "metric/exposition.h"

static const char *const text_types[] = {
	[METRIC_GAUGE] = "gauge", [METRIC_COUNTER] = "counter", [METRIC_INFO] = "gauge", [METRIC_HISTOGRAM] = "histogram",
};

/* OpenMetrics: what a type's samples add to the name of their family. */
static const char *const suffixes[] = {
	[METRIC_GAUGE] = "", [METRIC_COUNTER] = "_total", [METRIC_INFO] = "_info", [METRIC_HISTOGRAM] = "",
};

static bool is_named(const char *name, size_t n, enum metric_family_id family)
{
	const struct metric_family *f = &metric_families[family];
	size_t length = strlen(f->name) - (f->type == METRIC_INFO ? 0 : strlen(suffixes[f->type]));

	return length == n && !strncmp(f->name, name, n);
}

static bool is_taken(const char *name, size_t n)
{
	for (enum metric_family_id family = 0; family < N_METRIC_FAMILIES; family++)
		if (is_named(name, n, family))
			return true;
	return false;
}

struct heading {
	size_t name_length;
	const char *type;
};

static struct heading heading_of(const struct metric_family *f, enum exposition_format format)
{
	size_t whole = strlen(f->name), base = whole - strlen(suffixes[f->type]);

	if (format == EXPOSITION_TEXT)
		return (struct heading){ whole, text_types[f->type] };
	if (f->type == METRIC_INFO)
		return is_taken(f->name, base) ? (struct heading){ whole, "gauge" } : (struct heading){ base, "info" };
	return (struct heading){ base, text_types[f->type] };
}

/* A quote is escaped by OpenMetrics alone. */
static void add_help(struct text *out, const char *help, enum exposition_format format)
{
	for (; *help; help++) {
		if (*help == '\\' || (*help == '"' && format == EXPOSITION_OPENMETRICS))
			text_add(out, "\\");
		text_add_bytes(out, help, 1);
	}
}

void exposition_header(enum metric_family_id family, enum exposition_format format, struct text *out)
{
	const struct metric_family *f = &metric_families[family];
	struct heading heading = heading_of(f, format);

	text_addf(out, "# HELP %.*s ", (int)heading.name_length, f->name);
	add_help(out, f->help, format);
	text_addf(out, "\n# TYPE %.*s %s\n", (int)heading.name_length, f->name, heading.type);
}
