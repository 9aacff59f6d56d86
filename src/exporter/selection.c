#include "exporter/selection.h"

#include <errno.h>
#include <string.h>

#include "exporter/lines.h"

enum collector { COLLECTOR_HEALTH, COLLECTOR_BLOCK, COLLECTOR_ATTRIBUTES, COLLECTOR_EXPORTER, N_COLLECTORS };

static const char *const collector_names[N_COLLECTORS] = {
	[COLLECTOR_HEALTH] = "health", [COLLECTOR_BLOCK] = "block", [COLLECTOR_ATTRIBUTES] = "ata-attributes",
	[COLLECTOR_EXPORTER] = "exporter",
};

static enum collector collector_of(enum metric_family_id family)
{
	return lines_part_of(family) == LINES_IO ? COLLECTOR_BLOCK : lines_are_attributes(family) ? COLLECTOR_ATTRIBUTES :
	       lines_are_own(family) ? COLLECTOR_EXPORTER : COLLECTOR_HEALTH;
}

static bool is_on(const struct options *options, enum collector collector)
{
	return collector == COLLECTOR_BLOCK ? options->has_block : collector != COLLECTOR_ATTRIBUTES || options->has_ata_attributes;
}

static int find_collector(const struct options *options, const char *name, struct text *error)
{
	for (int i = 0; i < N_COLLECTORS; i++) {
		if (strcmp(name, collector_names[i]))
			continue;
		if (is_on(options, (enum collector)i))
			return i;
		text_addf(error, "collect[]: the collector %s is off (--collector.%s)\n", name, name);
		return -EINVAL;
	}
	text_add(error, "collect[]: there is no such collector; there are");
	for (int i = 0; i < N_COLLECTORS; i++)
		text_addf(error, "%s %s", i ? "," : "", collector_names[i]);
	text_add(error, "\n");
	return -EINVAL;
}

static int want_collectors(const struct options *options, const char *const *collectors, bool is_wanted[N_METRIC_FAMILIES],
			   struct text *error)
{
	bool has[N_COLLECTORS] = { false };

	for (size_t i = 0; collectors[i]; i++) {
		int collector = find_collector(options, collectors[i], error);

		if (collector < 0)
			return collector;
		has[collector] = true;
	}
	for (enum metric_family_id family = 0; family < N_METRIC_FAMILIES; family++)
		is_wanted[family] = !collectors[0] || has[collector_of(family)];
	return 0;
}

/* The family's own name, or one of a histogram's samples. */
static bool is_named(const struct metric_family *f, const char *name)
{
	static const char *const suffixes[] = { "_bucket", "_count", "_sum" };
	size_t n = strlen(f->name);

	if (strncmp(name, f->name, n))
		return false;
	for (size_t i = 0; f->type == METRIC_HISTOGRAM && i < ARRAY_SIZE(suffixes); i++)
		if (!strcmp(name + n, suffixes[i]))
			return true;
	return !name[n];
}

static bool is_any_name(const struct metric_family *f, const char *const *names)
{
	for (size_t i = 0; names[i]; i++)
		if (is_named(f, names[i]))
			return true;
	return false;
}

static int want_names(const char *const *names, bool is_wanted[N_METRIC_FAMILIES], struct text *error)
{
	bool is_any = !names[0];

	for (enum metric_family_id family = 0; names[0] && family < N_METRIC_FAMILIES; family++) {
		bool is_meant = is_any_name(&metric_families[family], names);

		is_wanted[family] &= is_meant;
		is_any |= is_meant;
	}
	if (!is_any)
		text_add(error, "name[]: no metric has such a name (--list-metrics lists them)\n");
	return is_any ? 0 : -EINVAL;
}

int selection_make(const struct options *options, const char *const *collectors, const char *const *names,
		   bool ret_is_wanted[N_METRIC_FAMILIES], struct text *error)
{
	int r = want_collectors(options, collectors, ret_is_wanted, error);

	return r ? r : want_names(names, ret_is_wanted, error);
}
