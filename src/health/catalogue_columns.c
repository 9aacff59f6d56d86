/* The columns of a catalogue file: what each may hold, and where it goes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "health/catalogue_private.h"
#include "page/drivedb_pattern.h"

#define ROW(member) offsetof(struct catalogue_row, member)
#define RATED(member) offsetof(struct catalogue_row, rated.member)

const struct column catalogue_columns[] = {
	{ "vendor", COLUMN_TEXT, RATED(vendor), .help = "Who made the drive. For people; it is not compared with anything." },
	{ "family", COLUMN_TEXT, RATED(family), .help = "What the vendor calls the product." },
	{ "model", COLUMN_PATTERN, ROW(model),
	  .help = "Pattern for the whole of the drive's model; a POSIX extended regular expression. No row goes without it." },
	{ "firmware", COLUMN_PATTERN, ROW(firmware), .help = "Pattern for the whole of the firmware revision. Empty: any." },
	{ "serial", COLUMN_TEXT, ROW(serial), .help = "One drive's serial number, exactly. Empty: any." },
	{ "capacity_gb", COLUMN_NUMBER, RATED(capacity_bytes), .times = 1e9, .over = 1, .least = 1e-3, .most = 1e9, .suspicious_below = 8,
	  .suspicious_above = 1e6,
	  .help = "Capacity as sold, in decimal gigabytes (10^9 bytes). Empty: any, and nothing is computed with it." },
	{ "rated_tbw", COLUMN_NUMBER, RATED(endurance_bytes), .times = 1e12, .over = 1, .least = 1e-3, .most = 1e9, .suspicious_below = 4,
	  .help = "Rated endurance, terabytes (10^12 bytes) that may be written." },
	{ "rated_dwpd", COLUMN_NUMBER, RATED(writes_per_day), .times = 1, .over = 1, .least = 1e-4, .most = 200,
	  .help = "Rated writes of the whole capacity per day." },
	{ "warranty_years", COLUMN_NUMBER, RATED(warranty_s), .times = 365 * 86400.0, .over = 1, .least = 0.1, .most = 20,
	  .help = "Years that the rating is for. Empty where the source does not tell; nothing is computed from a guess." },
	{ "afr_percent", COLUMN_NUMBER, RATED(annual_failure_ratio), .times = 1, .over = 100, .least = 1e-6, .most = 100,
	  .help = "Annual failure rate, per cent." },
	{ "mtbf_hours", COLUMN_NUMBER, RATED(mtbf_s), .times = 3600, .over = 1, .least = 1, .most = 1e9, .suspicious_below = 100000,
	  .help = "Mean time between failures (or to failure), hours." },
	{ "uber", COLUMN_NUMBER, RATED(errors_per_bit), .times = 1, .over = 1, .least = 1e-30, .most = 0.999,
	  .help = "Unrecoverable errors per bit read, as 1e-16." },
	{ "temperature_min", COLUMN_NUMBER, RATED(temperature_low), .times = 1, .over = 1, .least = -100, .most = 200,
	  .help = "Lowest operating temperature, degrees Celsius." },
	{ "temperature_max", COLUMN_NUMBER, RATED(temperature_high), .times = 1, .over = 1, .least = -100, .most = 200,
	  .help = "Highest operating temperature." },
	{ "temperature_where", COLUMN_CHOICE, RATED(temperature_where), .choices = "internal|case|ambient",
	  .help = "Where these are measured: internal, case or ambient." },
	{ "read_latency_us", COLUMN_NUMBER, RATED(latency_s[RATED_READ]), .times = 1, .over = 1e6, .least = 1e-3, .most = 1e9,
	  .help = "Rated latency of a read, microseconds." },
	{ "write_latency_us", COLUMN_NUMBER, RATED(latency_s[RATED_WRITE]), .times = 1, .over = 1e6, .least = 1e-3, .most = 1e9,
	  .help = "Of a write." },
	{ "read_iops", COLUMN_NUMBER, RATED(operations_per_s[RATED_READ]), .times = 1, .over = 1, .least = 1e-3, .most = 1e9,
	  .help = "Rated random reads per second." },
	{ "write_iops", COLUMN_NUMBER, RATED(operations_per_s[RATED_WRITE]), .times = 1, .over = 1, .least = 1e-3, .most = 1e9,
	  .help = "Writes." },
	{ "read_mbs", COLUMN_NUMBER, RATED(bytes_per_s[RATED_READ]), .times = 1e6, .over = 1, .least = 1e-3, .most = 1e7,
	  .help = "Rated bandwidth of reads, megabytes (10^6 bytes) per second." },
	{ "write_mbs", COLUMN_NUMBER, RATED(bytes_per_s[RATED_WRITE]), .times = 1e6, .over = 1, .least = 1e-3, .most = 1e7,
	  .help = "Of writes." },
	{ "source", COLUMN_TEXT, RATED(source), .help = "Who says so. Empty: operator." },
	{ "grade", COLUMN_CHOICE, RATED(grade), .choices = "A|B|C|operator", .help = "What that is worth, see below. Empty: operator." },
	{ "note", COLUMN_TEXT, ROW(note), .help = "Anything else, for people." },
	{ 0 },
};

_Static_assert(ARRAY_SIZE(catalogue_columns) - 1 <= CATALOGUE_COLUMNS_MAX, "a reader has no room for so many columns");

const struct column *column_find(const char *name)
{
	for (const struct column *c = catalogue_columns; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static double *number_at(const struct column *c, struct catalogue_row *row)
{
	return (double *)((char *)row + c->offset);
}

void columns_clear(struct catalogue_row *row)
{
	*row = (struct catalogue_row){ 0 };
	for (const struct column *c = catalogue_columns; c->name; c++)
		if (c->kind == COLUMN_NUMBER)
			*number_at(c, row) = (double)NAN;
		else
			*(const char **)((char *)row + c->offset) = "";
}

double column_number(const struct column *c, const struct catalogue_row *row)
{
	return *number_at(c, (struct catalogue_row *)row) * c->over / c->times;
}

static bool put_number(const struct column *c, const char *text, struct catalogue_row *row, char why[static 200])
{
	double value;

	if (!text_to_real(text, &value))
		snprintf(why, 200, "%s: \"%.60s\" is not a number", c->name, text);
	else if (value < c->least || value > c->most)
		snprintf(why, 200, "%s: %.60s is not within %g to %g", c->name, text, c->least, c->most);
	else
		/* rounded once: 0.35 % is 0.0035 */
		*number_at(c, row) = (double)(strtold(text, NULL) * c->times / c->over);
	return !*why;
}

static bool is_one_of(const char *choices, const char *text)
{
	size_t n;

	for (; *choices; choices += n + (choices[n] == '|')) {
		n = strcspn(choices, "|");
		if (strlen(text) == n && !strncmp(choices, text, n))
			return true;
	}
	return false;
}

static bool check_pattern(const struct column *c, const char *text, char why[static 200])
{
	const char *refusal;
	uint64_t work;

	if (strlen(text) > CATALOGUE_PATTERN_MAX) {
		snprintf(why, 200, "%s: the pattern is longer than %d bytes", c->name, CATALOGUE_PATTERN_MAX);
		return false;
	}
	refusal = pattern_refusal(text, &work);
	if (refusal)
		snprintf(why, 200, "%s: \"%.60s\" is no pattern: %s", c->name, text, refusal);
	return !refusal;
}

bool column_read(const struct column *c, const char *text, struct catalogue_row *row, char why[static 200])
{
	*why = 0;
	if (c->kind == COLUMN_NUMBER)
		return put_number(c, text, row, why);
	if (c->kind == COLUMN_PATTERN && !check_pattern(c, text, why))
		return false;
	if (c->kind == COLUMN_CHOICE && !is_one_of(c->choices, text)) {
		snprintf(why, 200, "%s: \"%.60s\" is none of %s", c->name, text, c->choices);
		return false;
	}
	*(const char **)((char *)row + c->offset) = text;
	return true;
}
