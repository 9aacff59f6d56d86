/* health/: what check-config says of a catalogue, and the page that is made of one. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "health/catalogue.h"

static char path_a[64], path_b[64];

static void write_file(const char *path, const char *text)
{
	AUTO_FILE f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
}

/* Checks one text, or two; every line said, without the name of the first file, must be the wanted one. */
static void check(const char *a, const char *b, const char *wanted)
{
	const char *files[] = { path_a, b ? path_b : NULL, NULL };
	AUTO_TEXT said = TEXT_LIMIT(1 << 20), plain = TEXT_LIMIT(1 << 20);
	struct catalogue_verdict v;
	size_t n_errors = 0, n_warnings = 0;

	write_file(path_a, a);
	if (b)
		write_file(path_b, b);
	assert_int_equal(catalogue_check(files, &said, &v), 0);
	text_add(&plain, "");
	for (const char *at = said.at; at && *at; at += strcspn(at, "\n") + 1) {
		const char *from = strncmp(at, path_a, strlen(path_a)) ? at : at + strlen(path_a) + 1;

		text_add_bytes(&plain, from, strcspn(from, "\n") + 1);
		n_errors += !!memmem(at, strcspn(at, "\n"), ": error: ", 9);
		n_warnings += !!memmem(at, strcspn(at, "\n"), ": warning: ", 11);
	}
	assert_string_equal(plain.at, wanted);
	assert_int_equal(v.errors, n_errors);
	assert_int_equal(v.warnings, n_warnings);
	assert_int_equal(v.files, b ? 2 : 1);
}

#define HEADER "model,firmware,serial,capacity_gb,rated_tbw,rated_dwpd,warranty_years,afr_percent,mtbf_hours,temperature_max," \
	       "temperature_where,source,grade\n"

static void what_agrees_is_not_told(void **state)
{
	check(HEADER "A,,,3840,7000,1,5,,,,,S,A\n"		/* rounded from 7008 */
	      "B,,,1000,1789,1,5,,,,,S,A\n"			/* 2 % less than 1825 */
	      "C,,,1000,600,,5,0.44,2000000,70,case,S,A\n"	/* 0.437 % */
	      "D,,,,,,,0.58,1500000,,,,\n"			/* 0.582 % */
	      "E,,,,,,,0.04,20000000,,,,\n"			/* 0.0438 %: printed with two digits behind the point */
	      "F,,,,600,10,5,,,,,S,B\n"				/* no capacity, nothing to compare */
	      "G,,,1000,600,10,,,,,,,\n"			/* no years */
	      "H,,,,,,,,100000,,,,\n", NULL, "");
}

static void numbers_that_contradict_each_other_are_told(void **state)
{
	check(HEADER "A,,,800,17800,10,5,,,,,S,A\n"
	      "B,,,1000,1788,1,5,,,,,S,A\n"
	      "C,,,,,,,0.44,1000000,,,,\n"
	      "D,,,,,,,0.3,20000000,,,,\n"
	      "E,,,,,,,,999,,,,\n"
	      "F,,,,,,,,,,,,B\n"
	      "G,,,,,,,,,,case,,\n", NULL,
	      "2: warning: 17800 TBW, but 10 DWPD x 800 GB x 365 x 5 years is 14600: +21.9 %\n"
	      "3: warning: 1788 TBW, but 1 DWPD x 1000 GB x 365 x 5 years is 1825: -2.0 %\n"
	      "4: warning: an AFR of 0.44 %, but an MTBF of 1e+06 hours is 0.872 %\n"
	      "5: warning: an AFR of 0.3 %, but an MTBF of 2e+07 hours is 0.0438 %\n"
	      "6: warning: mtbf_hours: 999 is less than 100000, which can hardly be\n"
	      "7: warning: a grade, but no source that it is for\n"
	      "8: warning: temperature_where, but no temperature\n");
}

/* Terabytes for gigabytes, petabytes for terabytes, a factor of a hundred lost, 0.44 as if it were a ratio. */
static void another_unit_is_suspected(void **state)
{
	check(HEADER "A,,,0.96,1752,,5,,,,,S,A\n"
	      "B,,,960,1.752,,5,,,,,S,A\n"
	      "C,,,,,,,,20000,,,,\n"
	      "D,,,,,,,44,,,,,\n"
	      "E,,,960000,1752,,5,,,,,S,A\n", NULL,
	      "2: warning: 1752 TBW of 0.96 GB in 5 years would be 1e+03 DWPD, which can hardly be\n"
	      "2: warning: capacity_gb: 0.96 is less than 8, which can hardly be\n"
	      "3: warning: 1.752 TBW of 960 GB in 5 years would be 0.001 DWPD, which can hardly be\n"
	      "3: warning: rated_tbw: 1.752 is less than 4, which can hardly be\n"
	      "4: warning: mtbf_hours: 20000 is less than 100000, which can hardly be\n"
	      "5: warning: an AFR of 44 % can hardly be\n"
	      "6: warning: 1752 TBW of 960000 GB in 5 years would be 0.001 DWPD, which can hardly be\n");
}

static void errors_and_warnings_come_in_the_order_of_lines(void **state)
{
	check(HEADER "A,,,800,17800,10,5,,,,,S,A\n(,,,,,,,,,,,,\nB,,,,,,,,10,,,,\nC,,,,,300,,,,,,,\n", NULL,
	      "2: warning: 17800 TBW, but 10 DWPD x 800 GB x 365 x 5 years is 14600: +21.9 %\n"
	      "3: error: model: \"(\" is no pattern: '(' without ')'\n"
	      "4: warning: mtbf_hours: 10 is less than 100000, which can hardly be\n"
	      "5: error: rated_dwpd: 300 is not within 0.0001 to 200\n");
}

#define SCOPE "model,firmware,serial,capacity_gb\n"

static void rows_that_never_count_are_told(void **state)
{
	static const struct {
		const char *first, *second;
		bool is_hidden;
	} pairs[] = {
		{ "M", "M", true }, { "M[0-9]", "M[0-9]", true }, { "M1", "M[0-9]", true }, { "M1", "M.*", true }, { "M1", "[M]1", true },
		{ "M1", "M1|M2", true }, { "M", "N", false }, { "M1", "M[2-9]", false },
		{ "M[12]", "M[0-9]", false },		/* of two patterns only equal ones are compared */
		{ "M[0-9]", "M1", false }, { "m", "M", false },
		{ "M,A1", "M", true }, { "M,A1", "M,A1", true }, { "M,A1", "M,A2", false }, { "M", "M,A1", false }, { "M1,A1", "M.", true },
		{ "M1,A1", "M.,A2", false },
		{ "M,,S1", "M,,S1", true }, { "M,,S1", "M", false }, { "M", "M,,S1", false }, { "M1,,S1", "M.,,S1", true },
		{ "M1,,S1", "M.,,S2", false },
		{ "M,,,400", "M,,,400", true }, { "M,,,400", "M", true }, { "M,,,400", "M,,,800", false }, { "M", "M,,,400", false },
		{ "M1,,,400", "M.,,,400", true }, { "M1,,,400", "M.", true }, { "M1,,,400", "M.,,,800", false }, { "M1", "M.,,,400", false },
		{ "M,A1,S1,400", "M,A1,S1,400", true }, { "M,A1,S1,400", "M,,S1,", true }, { "M,A1,S1,400", "M,A1,,400", false },
	};
	static const char *const ends[] = { ",,,", ",,", ",", "" };

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		AUTO_TEXT text = TEXT_LIMIT(1000);
		size_t commas[2] = { 0 };

		for (const char *at = pairs[i].first; *at; at++)
			commas[0] += *at == ',';
		for (const char *at = pairs[i].second; *at; at++)
			commas[1] += *at == ',';
		text_addf(&text, SCOPE "%s%s\nother,,,\n%s%s\n", pairs[i].first, ends[commas[0]], pairs[i].second, ends[commas[1]]);
		check(text.at, NULL, pairs[i].is_hidden ? "2: warning: never counts: line 4 is for the same drives\n" : "");
	}
}

static void a_row_of_a_later_file_hides_one_too(void **state)
{
	AUTO_TEXT wanted = TEXT_LIMIT(1000);

	text_addf(&wanted, "2: warning: never counts: %s:3 is for the same drives\n"
		  "4: warning: never counts: %s:4 is for the same drives\n", path_b, path_b);
	check(SCOPE "M1,,,\nN1,,,\nP[0-9],,,\n", SCOPE "N[2-9],,,\nM[0-9],,,\nP[0-9],,,\n", wanted.at);
}

static void many_rows_are_compared_in_passing(void **state)
{
	AUTO_TEXT text = TEXT_LIMIT(CATALOGUE_BYTES_MAX);

	text_add(&text, SCOPE);
	for (int i = 0; i < 50000; i++)
		text_addf(&text, "M%05d,,,\n", i);
	for (int i = 0; i < 2000; i++)
		text_addf(&text, "N%05d[A-Z],,,\n", i);
	text_add(&text, "M00077,,,\nM0008[0-1],,,\n");
	check(text.at, NULL, "79: warning: never counts: line 52002 is for the same drives\n"
	      "82: warning: never counts: line 52003 is for the same drives\n83: warning: never counts: line 52003 is for the same drives\n");
}

static void what_cannot_be_compared_is_told(void **state)
{
	const char *files[] = { path_a, NULL };
	AUTO_TEXT text = TEXT_LIMIT(CATALOGUE_BYTES_MAX), said = TEXT_LIMIT(1 << 20);
	struct catalogue_verdict v;

	text_add(&text, SCOPE);
	for (int i = 0; i < 10000; i++)
		text_addf(&text, "M%d,,,\n", i);
	for (int i = 0; i < 5000; i++)
		text_addf(&text, ".*%d,,,\n", i + 10000);
	write_file(path_a, text.at);
	assert_int_equal(catalogue_check(files, &said, &v), 0);
	assert_int_equal(v.errors, 0);
	assert_int_equal(v.warnings, 1);
	assert_non_null(strstr(said.at, ": warning: too many rows to tell of all whether a later one hides them\n"));
}

static void the_page_tells_what_is_stated_and_what_is_computed(void **state)
{
	AUTO_TEXT out = TEXT_LIMIT(1 << 20), errors = TEXT_LIMIT(1000);

	write_file(path_a, "vendor,family,model,capacity_gb,rated_tbw,rated_dwpd,warranty_years,mtbf_hours,uber,temperature_min,"
		   "temperature_max,temperature_where,source,grade,note\n"
		   "V,F,M(1|2),3840,,1,5,2000000,1e-17,0,70,case,Sheet | 1,A,\n"
		   "V,G,N,800,17800,10,5,,,,,,,,two methods\n");
	assert_int_equal(catalogue_list_markdown(path_a, &out, &errors), 0);
	assert_non_null(strstr(out.at, "| `M(1\\|2)` | V F | 3840 | 7008 (computed) | 1 | 5 | 0.437 (computed) | 2000000 | 1e-17 | "
			       "0 to 70 case | A: Sheet \\| 1 |\n"));
	assert_non_null(strstr(out.at, "| `N` | V G | 800 | 17800 | 10 | 5 |  |  |  |  | operator: operator. two methods |\n"));
	assert_non_null(strstr(out.at, "| `N` | 17800 TBW, but 10 DWPD x 800 GB x 365 x 5 years is 14600: +21.9 % | two methods |\n"));
	assert_non_null(strstr(out.at, "| `temperature_where` | "));
	assert_int_equal(errors.length, 0);
}

static void a_broken_file_makes_no_page(void **state)
{
	AUTO_TEXT out = TEXT_LIMIT(1 << 20), errors = TEXT_LIMIT(1000);

	write_file(path_a, "model\n(\n");
	assert_int_equal(catalogue_list_markdown(path_a, &out, &errors), -EINVAL);
	assert_int_equal(out.length, 0);
	assert_non_null(strstr(errors.at, ":2: model: "));
	text_free(&errors);
	assert_int_equal(catalogue_list_markdown("/nonexistent.csv", &out, &errors), -EINVAL);
	assert_string_equal(errors.at, "/nonexistent.csv: No such file or directory\n");
}

static int make_files(void **state)
{
	strcpy(path_a, "/tmp/drive-exporter-check-a-XXXXXX");
	strcpy(path_b, "/tmp/drive-exporter-check-b-XXXXXX");
	return close(mkstemp(path_a)) || close(mkstemp(path_b));
}

static int remove_files(void **state)
{
	return unlink(path_a) || unlink(path_b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_agrees_is_not_told),
		cmocka_unit_test(numbers_that_contradict_each_other_are_told),
		cmocka_unit_test(another_unit_is_suspected),
		cmocka_unit_test(errors_and_warnings_come_in_the_order_of_lines),
		cmocka_unit_test(rows_that_never_count_are_told),
		cmocka_unit_test(a_row_of_a_later_file_hides_one_too),
		cmocka_unit_test(many_rows_are_compared_in_passing),
		cmocka_unit_test(what_cannot_be_compared_is_told),
		cmocka_unit_test(the_page_tells_what_is_stated_and_what_is_computed),
		cmocka_unit_test(a_broken_file_makes_no_page),
	};

	return cmocka_run_group_tests_name("health: catalogues checked", tests, make_files, remove_files);
}
