/* A catalogue file out of any bytes: as a whole file, and behind a header that is right. What was read is looked up, checked, and
 * made a page of. */
#include "fuzz.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "health/catalogue.h"

static const char header[] = "model,serial,firmware,capacity_gb,rated_tbw,rated_dwpd,warranty_years,afr_percent,mtbf_hours,uber,"
			     "temperature_min,temperature_max,temperature_where,source,grade,note,vendor,family\n";

static void check_rated(const struct rated *r)
{
	if (!r)
		return;
	assert(text_is_utf8(r->vendor) && text_is_utf8(r->family) && text_is_utf8(r->source) && *r->source && *r->grade);
	assert((r->endurance_basis == RATED_ABSENT) == !!isnan(r->endurance_bytes));
	assert((r->writes_basis == RATED_ABSENT) == !!isnan(r->writes_per_day));
	assert((r->failure_basis == RATED_ABSENT) == !!isnan(r->annual_failure_ratio));
	assert(!(r->endurance_bytes <= 0) && !(r->annual_failure_ratio > 1) && !(r->temperature_low >= r->temperature_high));
	assert(r->line > 0 && *r->file);
}

static void run_file(const char *path)
{
	static const struct catalogue_drive drives[] = {
		{ "HGST", "SDLL1DLR016TCAA1", "A1", "S1", 1600321314816 }, { "SDLL1MLR", "032TCAA1", "", "", 0 }, { NULL, "M", NULL, NULL, 1000 },
	};
	const char *files[] = { path, NULL };
	AUTO_TEXT errors = TEXT_LIMIT(1 << 20), said = TEXT_LIMIT(1 << 20), page = TEXT_LIMIT(16 << 20), why = TEXT_LIMIT(1 << 20);
	struct catalogue *c = catalogue_load(files, &errors);
	struct catalogue_verdict v;

	assert(c);
	for (size_t i = 0; i < sizeof drives / sizeof *drives; i++)
		check_rated(catalogue_find(c, &drives[i]));
	assert(catalogue_check(files, &said, &v) == 0);
	assert(v.rows == catalogue_rows(c) && !v.errors == !errors.length && !(v.errors + v.warnings) == !said.length);
	assert(!said.at || text_is_utf8(said.at));
	assert(catalogue_list_markdown(path, &page, &why) == (v.errors ? -EINVAL : 0));
	catalogue_free(c);
}

static void run(const char *before, const uint8_t *data, size_t size)
{
	int fd = memfd_create("catalogue.csv", MFD_CLOEXEC);
	char path[64];

	assert(fd >= 0);
	assert(write(fd, before, strlen(before)) == (ssize_t)strlen(before));
	assert(write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	run_file(path);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	run("", data, size);
	run(header, data, size);
	return 0;
}
