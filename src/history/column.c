#include "history/column.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define OF_DRIVE(member) offsetof(struct history_line, drive.member), sizeof ((struct history_drive *)NULL)->member
#define OF_ROW(member) offsetof(struct history_line, row.member), sizeof ((struct history_row *)NULL)->member

const struct history_column history_columns[HISTORY_COLUMNS] = {
	{ "drive", "d.drive", COLUMN_LABEL, OF_DRIVE(drive) },
	{ "model", "d.model", COLUMN_TEXT, OF_DRIVE(model) },
	{ "serial", "d.serial", COLUMN_TEXT, OF_DRIVE(serial) },
	{ "wwn", "d.wwn", COLUMN_TEXT, OF_DRIVE(wwn) },
	{ "day", "t.day", COLUMN_DAY, OF_ROW(day) },
	{ "series", "t.series", COLUMN_TIME, OF_ROW(series) },
	{ "first_s", "t.first_s", COLUMN_TIME, OF_ROW(first_s) },
	{ "last_s", "t.last_s", COLUMN_TIME, OF_ROW(last_s) },
	{ "wear", "t.wear", COLUMN_REAL, OF_ROW(wear) },
	{ "wear_since_s", "t.wear_since_s", COLUMN_TIME, OF_ROW(wear_since_s) },
	{ "wear_since_written", "t.wear_since_written", COLUMN_REAL, OF_ROW(wear_since_written) },
	{ "written", "t.written", COLUMN_REAL, OF_ROW(written) },
	{ "nand_written", "t.nand_written", COLUMN_REAL, OF_ROW(nand_written) },
	{ "power_on_s", "t.power_on_s", COLUMN_REAL, OF_ROW(power_on_s) },
	{ "firmware", "o.firmware", COLUMN_TEXT, OF_ROW(firmware) },
	{ "wear_page", "o.wear_page", COLUMN_TEXT, OF_ROW(wear_page) },
	{ "written_page", "o.written_page", COLUMN_TEXT, OF_ROW(written_page) },
};

bool history_column_settle(enum column_kind kind, void *at)
{
	int32_t day;
	int64_t time;
	double real;

	switch (kind) {
	case COLUMN_LABEL:
		return *(const char *)at;
	case COLUMN_TEXT:
		return true;
	case COLUMN_DAY:
		memcpy(&day, at, sizeof day);
		return day >= 0 && day <= HISTORY_DAY_MAX;
	case COLUMN_TIME:
		memcpy(&time, at, sizeof time);
		return time >= 0 && time <= HISTORY_TIME_MAX;
	case COLUMN_REAL:
		memcpy(&real, at, sizeof real);
		real = isfinite(real) ? real : NAN;
		memcpy(at, &real, sizeof real);
		return true;
	}
	return false;
}

bool history_line_settle(struct history_line *line)
{
	bool is_valid = true;

	for (size_t i = 0; i < HISTORY_COLUMNS; i++)
		is_valid &= history_column_settle(history_columns[i].kind, (char *)line + history_columns[i].offset);
	return is_valid;
}

/* ---- dates: years are taken to begin in March, so that the day that some lack is their last */

enum { DAYS_TO_1970 = 719468 /* since 0000-03-01 */, DAYS_IN_400_YEARS = 146097 };

static int32_t day_of(int32_t year, int32_t month, int32_t day)
{
	int32_t from_march = (month + 9) % 12, since_0 = month < 3 ? year - 1 : year;

	return since_0 * 365 + since_0 / 4 - since_0 / 100 + since_0 / 400 + (153 * from_march + 2) / 5 + day - 1 - DAYS_TO_1970;
}

char *history_date(int32_t day, char out[HISTORY_DATE_MAX])
{
	int32_t since_0 = day + DAYS_TO_1970;
	int32_t year = (int32_t)((int64_t)since_0 * 400 / DAYS_IN_400_YEARS) + 1, month = 12;

	while (day_of(year, 1, 1) > day)
		year--;
	while (day_of(year, month, 1) > day)
		month--;
	snprintf(out, HISTORY_DATE_MAX, "%04u-%02u-%02u", (unsigned)year % 10000, (unsigned)month % 100,
		 (unsigned)(day - day_of(year, month, 1) + 1) % 100);
	return out;
}

bool history_date_parse(const char *text, int32_t *ret)
{
	char again[HISTORY_DATE_MAX];
	int year, month, day;

	if (strlen(text) != 10 || sscanf(text, "%4d-%2d-%2d", &year, &month, &day) != 3 || month < 1 || month > 12 || day < 1)
		return false;
	*ret = day_of(year, month, day);
	/* February 30 is another day when it is written again. */
	return *ret >= 0 && *ret <= HISTORY_DAY_MAX && !strcmp(history_date(*ret, again), text);
}
