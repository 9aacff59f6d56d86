/* What the drive measures around itself, with signs, extremes and limits: more than the Temperature log page has. */
#include <stdio.h>

#include "page/pages.h"
#include "page/scsi_log.h"

enum {
	FIRST_HUMIDITY = 0x0100, FIRST_RESERVED = 0x0200,
	TEMPERATURE_NOT_KNOWN = -128, HUMIDITY_MAX = 100,	/* per cent; FFh and all above: not known */
};

/* Where in a parameter's value, and what it is. */
struct measured {
	uint8_t at;
	const char *kind;
};

static const struct measured extremes[] = {
	{ 2, "highest" }, { 3, "lowest" }, { 4, "highest_since_power_on" }, { 5, "lowest_since_power_on" },
};
static const struct measured limits[] = {	/* the triggers; the resets between them end what a trigger began */
	{ 0, "critical" }, { 3, "low_critical" }, { 4, "warning" }, { 7, "low_warning" },
};
enum { CURRENT_AT = 1 };

static bool measure(bool is_humidity, struct bytes value, size_t at, double *ret)
{
	struct bytes raw = bytes_at(value, at, 1);
	uint8_t byte = (uint8_t)bytes_be(&raw, 1);

	if (raw.torn)
		return false;
	if (is_humidity) {
		*ret = (double)byte / 100;
		return byte <= HUMIDITY_MAX;
	}
	*ret = (int8_t)byte;
	return (int8_t)byte != TEMPERATURE_NOT_KNOWN;
}

static void report_put(uint16_t code, struct bytes value, struct sample_sink *to)
{
	bool is_humidity = code >= FIRST_HUMIDITY;
	char number[8];
	struct sample s = { .is_dynamic = true, .rank = is_humidity ? 0 : 2, .label = { "drive" },
			    .family = is_humidity ? drive_relative_humidity_ratio : drive_temperature_celsius };

	if (code & 0xff) {		/* other places than the drive's one temperature */
		snprintf(number, sizeof number, "%u", code & 0xffu);
		s.label[0] = number;
		s.rank = 0;
	} else {
		s.is_dynamic = false;
	}
	if (measure(is_humidity, value, CURRENT_AT, &s.value))
		sample_put(to, &s);
	s.family = is_humidity ? drive_relative_humidity_extreme_ratio : drive_temperature_extreme_celsius;
	for (size_t i = 0; i < ARRAY_SIZE(extremes); i++) {
		s.label[1] = extremes[i].kind;
		s.rank = !is_humidity && !(code & 0xff) && i == 0 ? 2 : 0;	/* page 37h of HGST has this one too */
		if (measure(is_humidity, value, extremes[i].at, &s.value))
			sample_put(to, &s);
	}
}

static struct fail decode_report(const struct page *page, struct bytes in, const struct drive_facts *facts,
				 struct sample_sink *to)
{
	struct bytes params, value;
	struct fail f = scsi_log_params(page, in, &params);
	uint16_t code;

	if (failed(f))
		return f;
	while (scsi_log_next(&params, &code, &value))
		if (code < FIRST_RESERVED)
			report_put(code, value, to);
	return OK;
}

/* Of the first place only: a limit has no label for others. */
static void limits_put(struct bytes params, uint16_t code, uint16_t family, struct sample_sink *to)
{
	struct bytes value;
	double v;

	if (!scsi_log_find(params, code, &value))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (measure(code >= FIRST_HUMIDITY, value, limits[i].at, &v))
			page_put(to, family, limits[i].kind, NULL, v);
}

static struct fail decode_limits(const struct page *page, struct bytes in, const struct drive_facts *facts,
				 struct sample_sink *to)
{
	struct bytes params;
	struct fail f = scsi_log_params(page, in, &params);

	if (failed(f))
		return f;
	limits_put(params, 0x0000, drive_temperature_limit_celsius, to);
	limits_put(params, FIRST_HUMIDITY, drive_relative_humidity_limit_ratio, to);
	return OK;
}

static const struct page_told report_told[] = {
	{ drive_temperature_celsius, "SPC-5, Environmental Reporting log page (0Dh/01h), 0000h-00FFh" },
	{ drive_temperature_extreme_celsius, "SPC-5, Environmental Reporting log page (0Dh/01h), 0000h-00FFh" },
	{ drive_relative_humidity_ratio, "SPC-5, Environmental Reporting log page (0Dh/01h), 0100h-01FFh" },
	{ drive_relative_humidity_extreme_ratio, "SPC-5, Environmental Reporting log page (0Dh/01h), 0100h-01FFh" },
};
static const struct page_told limits_told[] = {
	{ drive_temperature_limit_celsius, "SPC-5, Environmental Limits log page (0Dh/02h), 0000h" },
	{ drive_relative_humidity_limit_ratio, "SPC-5, Environmental Limits log page (0Dh/02h), 0100h" },
};

const struct page scsi_environment_report = {
	SCSI_LOG_SUBPAGE(0d, 01), .period_s = 600, .decode = decode_report,
	.told = report_told, .n_told = ARRAY_SIZE(report_told),
};
const struct page scsi_environment_limits = {
	SCSI_LOG_SUBPAGE(0d, 02), .period_s = 21600, .decode = decode_limits,
	.told = limits_told, .n_told = ARRAY_SIZE(limits_told),
};
