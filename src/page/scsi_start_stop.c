/* When the drive was made, how often its mechanics moved, and how hard it is used against what it is made for. */
#include <string.h>

#include "base/text.h"
#include "page/pages.h"
#include "page/scsi_log.h"

#define SPEC(parameter) .spec = "SPC, Start-Stop Cycle Counter log page (0Eh), parameter " parameter

/* A drive that states no figure says 0. */
static const struct page_field rated_fields[] = {
	{ .param = 0x0003, .width = 4, .absent = ABSENT_ONES_OR_ZERO, .family = drive_mechanical_cycles_rated, .label = { "start_stop" },
	  SPEC("0003h") },
	{ .param = 0x0005, .width = 4, .absent = ABSENT_ONES_OR_ZERO, .family = drive_mechanical_cycles_rated, .label = { "load_unload" },
	  SPEC("0005h") },
	{ .param = 0x0004, .width = 4, .absent = ABSENT_ONES, .family = drive_mechanical_cycles_total, .label = { "start_stop" },
	  SPEC("0004h") },
	{ .param = 0x0006, .width = 4, .absent = ABSENT_ONES, .family = drive_mechanical_cycles_total, .label = { "load_unload" },
	  SPEC("0006h") },
};

enum { YEAR_FIRST = 1980, YEAR_LAST = 2099, WEEK_LAST = 53, DAY_S = 86400 };

/* Days from 1 January 1970 to that of a year from 1970 to 2099, in which every fourth is a leap year. */
static int64_t days_to(uint64_t year)
{
	return (int64_t)(year - 1970) * 365 + (int64_t)(year - 1969) / 4;
}

/* Four digits and two; some drives have blanks or zeroes there. */
static void manufacture_put(struct bytes value, struct sample_sink *to)
{
	char year[5] = "", week[3] = "";
	uint64_t y, w;

	if (value.left < 6)
		return;
	memcpy(year, value.at, 4);
	memcpy(week, value.at + 4, 2);
	if (strspn(year, "0123456789") != 4 || strspn(week, "0123456789") != 2)
		return;
	y = (uint64_t)((year[0] - '0') * 1000 + (year[1] - '0') * 100 + (year[2] - '0') * 10 + year[3] - '0');
	w = (uint64_t)((week[0] - '0') * 10 + week[1] - '0');
	if (y < YEAR_FIRST || y > YEAR_LAST || !w || w > WEEK_LAST)
		return;
	sample_put(to, &(struct sample){ .family = drive_manufacture_info, .is_dynamic = true, .label = { year, week }, .value = 1 });
	page_put(to, drive_manufactured_timestamp_seconds, NULL, NULL, (double)((days_to(y) + (int64_t)(w - 1) * 7) * DAY_S));
}

/* Solid-state drives have no mechanics, and tell zeroes. */
static struct fail decode_start_stop(const struct page *page, struct bytes in, const struct drive_facts *facts,
				     struct sample_sink *to)
{
	struct bytes params, value;
	struct fail f = scsi_log_params(page, in, &params);

	if (failed(f))
		return f;
	if (scsi_log_find(params, 0x0001, &value))
		manufacture_put(value, to);
	for (size_t i = 0; i < page->n_fields && facts->rpm != 0; i++)
		if (scsi_log_find(params, page->fields[i].param, &value))
			page_field_put(&page->fields[i], value, false, facts, to);
	return OK;
}

static const struct page_told start_stop_told[] = {
	{ drive_manufacture_info, "SPC, Start-Stop Cycle Counter log page (0Eh), parameter 0001h" },
	{ drive_manufactured_timestamp_seconds, "SPC, Start-Stop Cycle Counter log page (0Eh), parameter 0001h" },
};

const struct page scsi_start_stop = {
	SCSI_LOG_PAGE(0e), .period_s = 3600, .decode = decode_start_stop, .fields = rated_fields, .n_fields = ARRAY_SIZE(rated_fields),
	.told = start_stop_told, .n_told = ARRAY_SIZE(start_stop_told),
};

static const struct page_field utilization_fields[] = {
	{ .param = 0x0000, .width = 2, .unit = RAW_HUNDREDTH_PERCENT, .family = drive_scsi_workload_utilization_ratio,
	  .spec = "SBC-4, Utilization log page (0Eh/01h), parameter 0000h" },
	{ .param = 0x0001, .width = 1, .unit = RAW_PERCENT, .family = drive_scsi_utilization_rate_ratio,
	  .spec = "SBC-4, Utilization log page (0Eh/01h), parameter 0001h" },
};

const struct page scsi_utilization = {
	SCSI_LOG_SUBPAGE(0e, 01), .period_s = 3600, .decode = scsi_log_decode,
	.fields = utilization_fields, .n_fields = ARRAY_SIZE(utilization_fields),
};
