/* Where a family comes from, out of the rows that decode it: for docs/metrics.md and --list-metrics. */
#include <string.h>

#include "page/page.h"

/* What a visit begins with is no page. */
static const struct page_told without_page[] = {
	{ drive_power_state, "SPC, REQUEST SENSE, additional sense codes 04h and 5Eh" },
	{ drive_power_state, "ACS, CHECK POWER MODE, COUNT field" },
	{ drive_reserved, "SAM, status RESERVATION CONFLICT" },
};

static void add_source(struct text *out, const char *spec)
{
	if (out->length && strstr(out->at, spec))
		return;
	text_addf(out, "%s%s", out->length ? "; " : "", spec);
}

void page_sources(unsigned family, struct text *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(without_page); i++)
		if (without_page[i].family == family)
			add_source(out, without_page[i].spec);
	for (size_t p = 0; pages[p]; p++) {
		for (size_t i = 0; i < pages[p]->n_fields; i++)
			if (pages[p]->fields[i].family == family)
				add_source(out, pages[p]->fields[i].spec);
		for (size_t i = 0; i < pages[p]->n_told; i++)
			if (pages[p]->told[i].family == family)
				add_source(out, pages[p]->told[i].spec);
	}
}
