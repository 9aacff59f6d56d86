/* history/csv.c and column.c: nothing is lost on the way out and back, and no line that is wrong is taken. */
#include <errno.h>

#include "history_world.h"

static void every_day_has_its_date_and_back(void **state)
{
	char date[HISTORY_DATE_MAX], before[HISTORY_DATE_MAX] = "";
	int32_t day;

	for (int32_t i = 0; i <= HISTORY_DAY_MAX; i += i < 60000 ? 1 : 13) {	/* the next hundred years, and samples */
		assert_true(history_date_parse(history_date(i, date), &day));
		assert_int_equal(day, i);
		assert_true(strcmp(before, date) < 0);
		strcpy(before, date);
	}
	assert_string_equal(history_date(0, date), "1970-01-01");
	assert_string_equal(history_date(11016, date), "2000-02-29");
	assert_string_equal(history_date(20788, date), "2026-12-01");
	assert_string_equal(history_date(HISTORY_DAY_MAX, date), "9999-12-31");
}

static void what_is_no_date_is_refused(void **state)
{
	static const char *const bad[] = { "", "2026-02-29", "1969-12-31", "2026-13-01", "2026-00-01", "2026-01-00", "2026-04-31",
					   "2026-1-01", "2026-01-01x", "20260101", "+026-01-01", "2026/01/01", "2100-02-29" };
	int32_t day;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(history_date_parse(bad[i], &day));
	assert_true(history_date_parse("2000-02-29", &day));
}

/* Out and back; returns what was in between. */
static char *there_and_back(const struct history_line *line)
{
	struct text out = TEXT_LIMIT(10000);
	AUTO_TEXT error = TEXT_LIMIT(1000);
	struct history_line again;

	history_csv_line(line, &out);
	assert_int_equal(out.at[out.length - 1], '\n');
	out.at[out.length - 1] = 0;
	assert_int_equal(history_csv_parse(out.at, &again, &error), 0);
	assert_string_equal(again.drive.drive, line->drive.drive);
	assert_string_equal(again.drive.model, line->drive.model);
	assert_string_equal(again.drive.serial, line->drive.serial);
	assert_string_equal(again.drive.wwn, line->drive.wwn);
	assert_true(same_row(&again.row, &line->row));
	return out.at;
}

static void every_number_comes_back_exactly(void **state)
{
	static const double numbers[] = { 0, 1, -1, 0.1, 1. / 3, 0.0299999999999999989, 1e300, 5e-324, 2.55, 13714521600000000.,
					  9007199254740993., 1.7976931348623157e308, NAN };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct history_line line = { drive_named("MODEL_1"), row_of(20000, 1) };

		line.row.wear = line.row.written = line.row.power_on_s = numbers[i];
		free(there_and_back(&line));
	}
}

static void hostile_texts_come_back_and_do_no_harm(void **state)
{
	static const char *const texts[] = { "=1+1", "+1", "-1", "@SUM(A1)", "a\"b", "\"", "\"\"", "a,b", "a\\b", "\\x41", "\\", "\n", "\r\n",
					     "\t", "\x1b[31m", "\x7f", "\xff\xfe", "\xc2\x9b", "Gr\xc3\xbc\xc3\x9f", "", " ", "a=b",
					     "\xe2\x82", "\xf0\x9f\x98\x80" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct history_line line = { drive_named("MODEL_1"), row_of(20000, 1) };
		AUTO_FREE char *csv = NULL;

		snprintf(line.drive.drive, sizeof line.drive.drive, "x%s", texts[i]);
		text_copy(line.drive.model, sizeof line.drive.model, texts[i]);
		text_copy(line.row.firmware, sizeof line.row.firmware, texts[i]);
		csv = there_and_back(&line);
		assert_true(text_is_utf8(csv));
		for (const char *at = csv; *at; at++)
			assert_true((uint8_t)*at >= 0x20 && *at != 0x7f);
		assert_null(strstr(csv, "\"="));
		assert_null(strstr(csv, "\"+"));
		assert_null(strstr(csv, "\"-"));
		assert_null(strstr(csv, "\"@"));
	}
}

static void the_longest_texts_fit(void **state)
{
	struct history_line line = { .row = row_of(1, 1) };

	memset(line.drive.drive, 0x01, sizeof line.drive.drive - 1);
	memset(line.drive.model, '\\', sizeof line.drive.model - 1);
	memset(line.row.wear_page, '"', sizeof line.row.wear_page - 1);
	free(there_and_back(&line));
}

#define GOOD_TAIL ",\"M\",\"S\",\"W\",2026-12-01,1,2,3,0.5,4,5,6,7,8,\"F\",\"P\",\"Q\""

static void a_line_that_is_wrong_is_told(void **state)
{
	static const struct {
		const char *line, *why;
	} bad[] = {
		{ "", "0 columns" },
		{ "\"\"" GOOD_TAIL, "drive: empty" },
		{ "\"D\"", "1 columns" },
		{ "\"D\"" GOOD_TAIL ",", "18 columns" },
		{ "\"D" GOOD_TAIL, "a quotation mark that" },
		{ "\"D\"x" GOOD_TAIL, "a quotation mark that" },
		{ "D\"" GOOD_TAIL, "a quotation mark that" },
		{ "\"D\\y\"" GOOD_TAIL, "backslash" },
		{ "\"D\\x0\"" GOOD_TAIL, "backslash" },
		{ "\"D\\x00\"" GOOD_TAIL, "backslash" },
		{ "\"D\\\"" GOOD_TAIL, "backslash" },
		{ "\"D\",\"M\",\"S\",\"12345678901234567890123456789012345\",2026-12-01,1,2,3,,4,,,,,,,", "wwn: too long" },
		{ "D,M,S,W,2026-02-30,1,2,3,,4,,,,,,,", "day: " },
		{ "D,M,S,W,2026-12-01,-1,2,3,,4,,,,,,,", "series: " },
		{ "D,M,S,W,2026-12-01,1,2,253402300800,,4,,,,,,,", "last_s: " },
		{ "D,M,S,W,2026-12-01,1,2,,,4,,,,,,,", "last_s: " },
		{ "D,M,S,W,2026-12-01,1,2,3,inf,4,,,,,,,", "wear: " },
		{ "D,M,S,W,2026-12-01,1,2,3,nan,4,,,,,,,", "wear: " },
		{ "D,M,S,W,2026-12-01,1,2,3,1e999,4,,,,,,,", "wear: " },
		{ "D,M,S,W,2026-12-01,1,2,3,0x1p3,4,,,,,,,", "wear: " },
		{ "D,M,S,W,2026-12-01,1,2,3,1.2.3,4,,,,,,,", "wear: " },
		{ "D,M,S,W,2026-12-01,1,2,3,e,4,,,,,,,", "wear: " },
	};
	struct history_line line;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		AUTO_TEXT error = TEXT_LIMIT(1000);

		assert_int_equal(history_csv_parse(bad[i].line, &line, &error), -EINVAL);
		if (!strstr(error.at, bad[i].why))
			fail_msg("%s: %s", bad[i].line, error.at);
	}
	for (int quoted = 0; quoted < 2; quoted++) {
		AUTO_TEXT error = TEXT_LIMIT(1000);

		assert_int_equal(history_csv_parse(quoted ? "\"D\"" GOOD_TAIL : "D" GOOD_TAIL, &line, &error), 0);
		assert_string_equal(line.drive.drive, "D");
		assert_true(line.row.written == 6 && line.row.last_s == 3 && line.row.day == 20788);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_day_has_its_date_and_back),
		cmocka_unit_test(what_is_no_date_is_refused),
		cmocka_unit_test(every_number_comes_back_exactly),
		cmocka_unit_test(hostile_texts_come_back_and_do_no_harm),
		cmocka_unit_test(the_longest_texts_fit),
		cmocka_unit_test(a_line_that_is_wrong_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
