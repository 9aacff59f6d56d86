/* health/: catalogues as files have them, and which row counts. */
#include "unit.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "health/catalogue.h"

static char folder[64];

static void catalogue_freep(struct catalogue **c)
{
	catalogue_free(*c);
}
#define AUTO_CATALOGUE CLEANUP(catalogue_freep) struct catalogue *

static const char *path_of(const char *name, char path[static 512])
{
	snprintf(path, 512, "%s/%s", folder, name);
	return path;
}

static void write_file(const char *name, const char *text, size_t n)
{
	char path[512];
	AUTO_FILE f = fopen(path_of(name, path), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
}

/* A catalogue of up to two texts, read as a.csv and b.csv. What is wrong must be what errors says, "FOLDER/" left out. */
static struct catalogue *load(const char *a, const char *b, const char *errors)
{
	static char path_a[512], path_b[512];
	const char *files[] = { path_of("a.csv", path_a), b ? path_of("b.csv", path_b) : NULL, NULL };
	AUTO_TEXT said = TEXT_LIMIT(100000), plain = TEXT_LIMIT(100000);
	struct catalogue *c;

	write_file("a.csv", a, strlen(a));
	if (b)
		write_file("b.csv", b, strlen(b));
	c = catalogue_load(files, &said);
	assert_non_null(c);
	text_add(&plain, "");
	for (const char *at = said.at; at && *at;) {
		if (!strncmp(at, folder, strlen(folder)))
			at += strlen(folder) + 1;
		text_add_bytes(&plain, at, strcspn(at, "\n") + 1);
		at += strcspn(at, "\n") + 1;
	}
	assert_string_equal(plain.at, errors);
	return c;
}

/* The family of the row that counts; "" for none. */
static const char *family(struct catalogue *c, const char *vendor, const char *model, const char *firmware, const char *serial,
			  uint64_t capacity)
{
	const struct catalogue_drive drive = { vendor, model, firmware, serial, capacity };
	const struct rated *r = catalogue_find(c, &drive);

	return r ? r->family : "";
}

static const char *by_model(struct catalogue *c, const char *model)
{
	return family(c, NULL, model, NULL, NULL, 0);
}

/* ---- what a file may look like */

static void columns_come_in_any_order_and_lines_may_say_nothing(void **state)
{
	AUTO_CATALOGUE c = load("# comment, with \"quotation\n\n  \t\nrated_tbw , model,family,note\r\n"
				"1.5e3, M1 ,\"one, \"\"two\"\"\",\r\n#M1,,,\n"
				",M2,second,last line without an end", NULL, "");
	const struct catalogue_drive m1 = { .model = "M1" }, m2 = { .model = "M2" };
	const struct rated *r = catalogue_find(c, &m1);

	assert_int_equal(catalogue_rows(c), 2);
	assert_non_null(r);
	assert_string_equal(r->family, "one, \"two\"");
	assert_true(r->endurance_bytes == 1500e12);
	assert_int_equal(r->line, 5);
	assert_int_equal(strlen(r->file), strlen(folder) + 6);
	assert_string_equal(r->source, "operator");
	assert_string_equal(r->grade, "operator");
	assert_true(isnan(r->capacity_bytes) && isnan(r->writes_per_day) && isnan(r->mtbf_s) && isnan(r->errors_per_bit));
	assert_true(isnan(r->temperature_low) && isnan(r->latency_s[RATED_READ]) && isnan(r->bytes_per_s[RATED_WRITE]));
	assert_string_equal(r->temperature_where, "");
	r = catalogue_find(c, &m2);
	assert_non_null(r);
	assert_true(isnan(r->endurance_bytes));
	assert_int_equal(r->endurance_basis, RATED_ABSENT);
	assert_int_equal(r->line, 7);
}

static void a_byte_order_mark_is_no_part_of_the_header(void **state)
{
	AUTO_CATALOGUE c = load("\xef\xbb\xbfmodel,family\nM\xc3\xa4,F\n", NULL, "");

	assert_string_equal(by_model(c, "M\xc3\xa4"), "F");
}

static void every_number_goes_into_its_unit(void **state)
{
	AUTO_CATALOGUE c = load("model,capacity_gb,rated_tbw,rated_dwpd,warranty_years,afr_percent,mtbf_hours,uber,"
				"temperature_min,temperature_max,temperature_where,read_latency_us,write_latency_us,read_iops,write_iops,read_mbs,write_mbs,source,grade\n"
				"M,480,900,2,3,0.5,1000000,1e-17,-5,70,case,90,25,1000,2000,500,400,S,B\n", NULL, "");
	const struct catalogue_drive drive = { .model = "M", .capacity_bytes = 480103981056 };
	const struct rated *r = catalogue_find(c, &drive);

	assert_non_null(r);
	assert_true(r->capacity_bytes == 480e9 && r->endurance_bytes == 900e12 && r->writes_per_day == 2);
	assert_true(r->warranty_s == 3 * 365 * 86400.0 && r->annual_failure_ratio == 0.005 && r->mtbf_s == 3.6e9);
	assert_true(r->errors_per_bit == 1e-17 && r->temperature_low == -5 && r->temperature_high == 70);
	assert_true(r->latency_s[RATED_READ] == 90e-6 && r->latency_s[RATED_WRITE] == 25e-6);
	assert_true(r->operations_per_s[RATED_READ] == 1000 && r->operations_per_s[RATED_WRITE] == 2000);
	assert_true(r->bytes_per_s[RATED_READ] == 500e6 && r->bytes_per_s[RATED_WRITE] == 400e6);
	assert_int_equal(r->endurance_basis, RATED_STATED);
	assert_int_equal(r->writes_basis, RATED_STATED);
	assert_int_equal(r->failure_basis, RATED_STATED);
	assert_string_equal(r->temperature_where, "case");
	assert_string_equal(r->source, "S");
	assert_string_equal(r->grade, "B");
}

static void what_is_missing_is_computed_where_it_follows(void **state)
{
	static const struct {
		const char *row;
		double tbw, dwpd, afr;
		enum rated_basis tbw_basis, dwpd_basis, afr_basis;
	} rows[] = {
		{ "M,1000,600,,5,,", 600, 600.0 / 1825, NAN, RATED_STATED, RATED_COMPUTED, RATED_ABSENT },
		{ "M,3840,,1,5,,", 7008, 1, NAN, RATED_COMPUTED, RATED_STATED, RATED_ABSENT },
		{ "M,3840,7000,1,5,,", 7000, 1, NAN, RATED_STATED, RATED_STATED, RATED_ABSENT },
		{ "M,,600,,5,,", 600, NAN, NAN, RATED_STATED, RATED_ABSENT, RATED_ABSENT },		/* no capacity */
		{ "M,1000,,1,,,", NAN, 1, NAN, RATED_ABSENT, RATED_STATED, RATED_ABSENT },		/* no years */
		{ "M,1000,,,5,,2000000", NAN, NAN, 0.0043704217892903685, RATED_ABSENT, RATED_ABSENT, RATED_COMPUTED },
		{ "M,1000,,,5,0.44,2000000", NAN, NAN, 0.0044, RATED_ABSENT, RATED_ABSENT, RATED_STATED },
		{ "M,1000,,,5,,20000", NAN, NAN, 0.3547, RATED_ABSENT, RATED_ABSENT, RATED_COMPUTED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_TEXT text = TEXT_LIMIT(1000);
		const struct catalogue_drive drive = { .model = "M", .capacity_bytes = rows[i].row[2] == '3' ? 3840755982336 : 1000204886016 };
		const struct rated *r;

		text_addf(&text, "model,capacity_gb,rated_tbw,rated_dwpd,warranty_years,afr_percent,mtbf_hours\n%s\n", rows[i].row);
		AUTO_CATALOGUE c = load(text.at, NULL, "");
		r = catalogue_find(c, &drive);
		assert_non_null(r);
		assert_true(isnan(rows[i].tbw) ? isnan(r->endurance_bytes) : fabs(r->endurance_bytes / (rows[i].tbw * 1e12) - 1) < 1e-12);
		assert_true(isnan(rows[i].dwpd) ? isnan(r->writes_per_day) : fabs(r->writes_per_day / rows[i].dwpd - 1) < 1e-12);
		assert_true(isnan(rows[i].afr) ? isnan(r->annual_failure_ratio) : fabs(r->annual_failure_ratio / rows[i].afr - 1) < 1e-4);
		assert_int_equal(r->endurance_basis, rows[i].tbw_basis);
		assert_int_equal(r->writes_basis, rows[i].dwpd_basis);
		assert_int_equal(r->failure_basis, rows[i].afr_basis);
	}
}

/* ---- what is wrong */

#define HEADER "model,family,firmware,capacity_gb,temperature_min,temperature_max,temperature_where,grade\n"
#define GOOD "GOOD,still there,,,,,,\n"

static void a_broken_row_costs_itself_alone(void **state)
{
	static const struct {
		const char *row, *reason;
	} rows[] = {
		{ ",F,,,,,,", "no model" },
		{ "M,F,,", "4 fields, where the header has 8" },
		{ "M,F,,,,,,,,", "10 fields, where the header has 8" },
		{ ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,", "41 fields, where the header has 8" },
		{ "M,F,,\"1,000\",,,,", "capacity_gb: \"1,000\" is not a number" },
		{ "M,F,,1 000,,,,", "capacity_gb: \"1 000\" is not a number" },
		{ "M,F,,inf,,,,", "capacity_gb: \"inf\" is not a number" },
		{ "M,F,,0x10,,,,", "capacity_gb: \"0x10\" is not a number" },
		{ "M,F,,1e999,,,,", "capacity_gb: \"1e999\" is not a number" },
		{ "M,F,,1e,,,,", "capacity_gb: \"1e\" is not a number" },
		{ "M,F,,.,,,,", "capacity_gb: \".\" is not a number" },
		{ "M,F,,-5,,,,", "capacity_gb: -5 is not within 0.001 to 1e+09" },
		{ "M,F,,0,,,,", "capacity_gb: 0 is not within 0.001 to 1e+09" },
		{ "M,F,,,70,0,,", "temperature_min is not below temperature_max" },
		{ "M,F,,,5,5,,", "temperature_min is not below temperature_max" },
		{ "M,F,,,,,inside,", "temperature_where: \"inside\" is none of internal|case|ambient" },
		{ "M,F,,,,,cas,", "temperature_where: \"cas\" is none of internal|case|ambient" },
		{ "M,F,,,,,,D", "grade: \"D\" is none of A|B|C|operator" },
		{ "M(,F,,,,,,", "model: \"M(\" is no pattern: '(' without ')'" },
		{ "(M{1,255}){1,255},F,,,,,,", "10 fields, where the header has 8" },	/* its commas end fields */
		{ "\"(M{1,255}){1,255}\",F,,,,,,", "model: \"(M{1,255}){1,255}\" is no pattern: takes too much work" },
		{ "M,F,[A,,,,,", "firmware: \"[A\" is no pattern: '[' without ']'" },
		{ "M,F,\\d+,,,,,", "firmware: \"\\d+\" is no pattern: '\\' before a character that is not special" },
		{ "M\x01,F,,,,,,", "a control character" },
		{ "M\xff,F,,,,,,", "not UTF-8" },
		{ "M,\"F,,,,,,", "a quotation mark that does not begin or end a field, or a field that does not end on its line" },
		{ "M,F\"F,,,,,,", "a quotation mark that does not begin or end a field, or a field that does not end on its line" },
		{ "M,\"F\"F,,,,,,", "a quotation mark that does not begin or end a field, or a field that does not end on its line" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_TEXT text = TEXT_LIMIT(10000), error = TEXT_LIMIT(10000);

		text_addf(&text, "# first\n" HEADER "%s\n" GOOD, rows[i].row);
		text_addf(&error, "a.csv:3: %s\n", rows[i].reason);
		AUTO_CATALOGUE c = load(text.at, NULL, error.at);
		assert_int_equal(catalogue_rows(c), 1);
		assert_string_equal(by_model(c, "GOOD"), "still there");
		assert_string_equal(by_model(c, "M"), "");
	}
}

static void every_number_has_a_range(void **state)
{
	static const struct {
		const char *column, *good, *bad;
	} rows[] = {
		{ "rated_tbw", "0.001", "-1" }, { "rated_tbw", "1e9", "1e10" }, { "rated_dwpd", "200", "201" }, { "rated_dwpd", "60", "0" },
		{ "warranty_years", "5", "50" }, { "warranty_years", "0.5", "-5" }, { "afr_percent", "100", "100.1" },
		{ "afr_percent", "35.5", "-0.1" }, { "mtbf_hours", "2000000", "0" }, { "mtbf_hours", "500", "1e12" },
		{ "uber", "1e-17", "1" }, { "uber", "1e-14", "1e17" }, { "temperature_min", "-40", "-300" },
		{ "temperature_max", "85", "1000" }, { "read_latency_us", "90", "0" }, { "write_latency_us", "20", "-1" },
		{ "read_iops", "250000", "0" }, { "write_iops", "1", "1e12" }, { "read_mbs", "1800", "-1" }, { "write_mbs", "1000", "0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_TEXT good = TEXT_LIMIT(1000), bad = TEXT_LIMIT(1000), said = TEXT_LIMIT(1000);
		char path[512];
		const char *files[] = { path_of("bad.csv", path), NULL };

		text_addf(&good, "model,%s\nM,%s\n", rows[i].column, rows[i].good);
		AUTO_CATALOGUE c = load(good.at, NULL, "");
		assert_int_equal(catalogue_rows(c), 1);
		text_addf(&bad, "model,%s\nM,%s\n", rows[i].column, rows[i].bad);
		write_file("bad.csv", bad.at, bad.length);
		AUTO_CATALOGUE none = catalogue_load(files, &said);
		assert_int_equal(catalogue_rows(none), 0);
		assert_non_null(strstr(said.at, rows[i].column));
		assert_non_null(strstr(said.at, " is not within "));
	}
}

static void a_wrong_header_costs_the_file(void **state)
{
	static const struct {
		const char *text, *error;
	} files[] = {
		{ "", "a.csv:1: no header\n" },
		{ "# only a comment\n\n", "a.csv:2: no header\n" },
		{ "model,price\nM,1\n", "a.csv:1: unknown column \"price\"; the file's rows are not read\n" },
		{ "Model\nM\n", "a.csv:1: unknown column \"Model\"; the file's rows are not read\n" },
		{ "model;family\nM;F\n", "a.csv:1: unknown column \"model;family\"; the file's rows are not read\n" },
		{ "model,family,model\nM,F,M\n", "a.csv:1: twice the column \"model\"; the file's rows are not read\n" },
		{ "vendor,family\nV,F\n", "a.csv:1: no column \"model\"; the file's rows are not read\n" },
		{ "model,\nM,\n", "a.csv:1: unknown column \"\"; the file's rows are not read\n" },
		{ "\"model\nM\n", "a.csv:1: a quotation mark that does not begin or end a field, or a field that does not end on its line\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		AUTO_CATALOGUE c = load(files[i].text, "model,family\nM,other file\n", files[i].error);

		assert_int_equal(catalogue_rows(c), 1);
		assert_string_equal(by_model(c, "M"), "other file");
	}
}

static void a_zero_byte_is_told(void **state)
{
	static const char text[] = "model,family\nM\0M,F\n\0\nGOOD,F\n";
	char path[512];
	const char *files[] = { path_of("zero.csv", path), NULL };
	AUTO_TEXT said = TEXT_LIMIT(1000);

	write_file("zero.csv", text, sizeof text - 1);
	AUTO_CATALOGUE c = catalogue_load(files, &said);
	assert_int_equal(catalogue_rows(c), 1);
	assert_non_null(strstr(said.at, "zero.csv:2: a control character\n"));
	assert_non_null(strstr(said.at, "zero.csv:3: a control character\n"));
}

static void files_that_cannot_be_read_are_told(void **state)
{
	char missing[512], fifo[512], good[512];
	const char *files[] = { path_of("missing.csv", missing), path_of("fifo.csv", fifo), folder, path_of("good.csv", good), NULL };
	AUTO_TEXT said = TEXT_LIMIT(10000), wanted = TEXT_LIMIT(10000);

	assert_int_equal(mkfifo(fifo, 0600), 0);
	write_file("good.csv", "model,family\nM,F\n", 17);
	AUTO_CATALOGUE c = catalogue_load(files, &said);
	text_addf(&wanted, "%s: No such file or directory\n%s: not a regular file\n%s: not a regular file\n", missing, fifo, folder);
	assert_string_equal(said.at, wanted.at);
	assert_string_equal(by_model(c, "M"), "F");
	unlink(fifo);
}

static void limits_are_kept(void **state)
{
	AUTO_TEXT text = TEXT_LIMIT(32 << 20), pattern = TEXT_LIMIT(1000);
	char path[512];
	const char *files[] = { path_of("big.csv", path), NULL };

	/* 16 MiB of comments are a file; one byte more is too much */
	text_add(&text, "model,family\nM,F\n#");
	while (text.length < CATALOGUE_BYTES_MAX - 1)
		text_add_bytes(&text, "x", 1);
	text_add(&text, "\n");
	for (int more = 0; more < 2; more++) {
		AUTO_TEXT said = TEXT_LIMIT(1000);

		write_file("big.csv", text.at, text.length);
		AUTO_CATALOGUE c = catalogue_load(files, &said);
		assert_int_equal(catalogue_rows(c), more ? 0 : 1);
		assert_true(more ? !!strstr(said.at, "big.csv: File too large") : !said.length);
		text_add(&text, "\n");
	}
	unlink(path);
	text_free(&text);

	for (int i = 0; i < CATALOGUE_PATTERN_MAX; i++)
		text_add(&pattern, "M");
	text_addf(&text, "model,family\n%s,200\n%sM,201\n", pattern.at, pattern.at);
	AUTO_CATALOGUE c = load(text.at, NULL, "a.csv:3: model: the pattern is longer than 200 bytes\n");
	assert_int_equal(catalogue_rows(c), 1);
	text_free(&text);

	text_add(&text, "model,note\nM,");
	for (int i = 0; i < CATALOGUE_FIELD_MAX + 1; i++)
		text_add(&text, "n");
	AUTO_CATALOGUE none = load(text.at, NULL, "a.csv:2: a field of more than 1000 bytes\n");
	assert_int_equal(catalogue_rows(none), 0);
}

static void there_are_at_most_so_many_rows(void **state)
{
	AUTO_TEXT text = TEXT_LIMIT(CATALOGUE_BYTES_MAX);

	text_add(&text, "model\n");
	for (int i = 0; i < CATALOGUE_ROWS_MAX + 2; i++)
		text_addf(&text, "M%d\n", i);
	AUTO_CATALOGUE c = load(text.at, NULL, "a.csv:100002: more than 100000 rows\n");
	assert_int_equal(catalogue_rows(c), CATALOGUE_ROWS_MAX);
}

static void patterns_together_take_at_most_so_much_work(void **state)
{
	AUTO_TEXT text = TEXT_LIMIT(CATALOGUE_BYTES_MAX);
	static const unsigned work_of_one = 6 * 65;	/* each asterisk may go over all of a string, and be walked once to see its end */
	unsigned rows = CATALOGUE_WORK_MAX / work_of_one;
	char error[100];

	text_add(&text, "model\n");
	for (unsigned i = 0; i < rows + 3; i++)
		text_add(&text, "A*B*C*D*E*F*\n");
	snprintf(error, sizeof error, "a.csv:%u: all patterns together take too much work\n", rows + 2);
	AUTO_CATALOGUE c = load(text.at, NULL, error);
	assert_int_equal(catalogue_rows(c), rows);
}

static void many_complaints_are_counted(void **state)
{
	AUTO_TEXT text = TEXT_LIMIT(100000), said = TEXT_LIMIT(1 << 20);
	char path[512];
	const char *files[] = { path_of("many.csv", path), NULL };

	text_add(&text, "model\n");
	for (int i = 0; i < CATALOGUE_COMPLAINTS_MAX + 7; i++)
		text_add(&text, "(\n");
	write_file("many.csv", text.at, text.length);
	AUTO_CATALOGUE c = catalogue_load(files, &said);
	assert_int_equal(catalogue_rows(c), 0);
	assert_non_null(strstr(said.at, "many.csv:1001: "));
	assert_null(strstr(said.at, "many.csv:1002: "));
	assert_string_equal(strrchr(said.at, 'a'), "and 7 more\n");
}

/* ---- which row counts */

static void a_pattern_matches_the_whole_model(void **state)
{
	AUTO_CATALOGUE c = load("model,family\nAB,literal\nCD[0-9]+,digits\n(EF|GH)I,either\nKL|MN,top\nOP?Q,option\n[|(]R,bracket\n"
				"\\.S,dot\nT[^](]|U,negated\nV[[:digit:](]|W,class\nX\\(|Y,escaped\n", NULL, "");
	static const struct {
		const char *model, *family;
	} rows[] = {
		{ "AB", "literal" }, { "AB  ", "literal" }, { "  AB", "literal" }, { "ABC", "" }, { "A", "" }, { "ab", "" }, { "XAB", "" },
		{ "", "" },
		{ "CD1", "digits" }, { "CD12", "digits" }, { "CD", "" }, { "CD1x", "" }, { "EFI", "either" }, { "GHI", "either" }, { "EFGHI", "" },
		{ "KL", "top" }, { "MN", "top" }, { "KLMN", "" }, { "OPQ", "option" }, { "OQ", "option" }, { "O?Q", "" }, { "|R", "bracket" },
		{ "(R", "bracket" }, { ".S", "dot" }, { "xS", "" },
		{ "T1", "negated" }, { "T(", "" }, { "U", "negated" }, { "V1", "class" }, { "V(", "class" }, { "W", "class" },
		{ "X(", "escaped" }, { "Y", "escaped" },
		{ "CD111111111111111111111111111111111111111111111111111111111111111111111", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(by_model(c, rows[i].model), rows[i].family);
	assert_string_equal(by_model(c, NULL), "");
}

static void a_product_may_be_split_over_the_vendor_field(void **state)
{
	AUTO_CATALOGUE c = load("model,family\nSDLL1[A-Z]LR032TC[A-Z]A1,SS200\nHUSMM151CLAR1600,OEM\nINTEL SSDSC2.*,Intel\n", NULL, "");

	assert_string_equal(family(c, "SDLL1MLR", "032TCAA1", "", "", 0), "SS200");
	assert_string_equal(family(c, "SDLL1MLR", "032TCAA1        ", "", "", 0), "SS200");
	assert_string_equal(family(c, "HGST    ", "SDLL1DLR032TCAA1", "", "", 0), "SS200");
	assert_string_equal(family(c, "HUSMM151", "CLAR1600", "", "", 0), "OEM");
	assert_string_equal(family(c, "INTEL", "SSDSC2BA400G3", "", "", 0), "Intel");
	assert_string_equal(family(c, "ATA", "INTEL SSDSC2BA400G3", "", "", 0), "Intel");
	assert_string_equal(family(c, "", "032TCAA1", "", "", 0), "");
	assert_string_equal(family(c, "SDLL1MLR", "", "", "", 0), "");
	assert_string_equal(family(c, "SDLL1MLRSDLL1MLRSDLL1MLRSDLL1MLRSDLL1MLRSDLL1MLRSDLL1MLRSDLL1MLR", "032TCAA1", "", "", 0), "");
}

static void the_last_row_that_fits_counts(void **state)
{
	AUTO_CATALOGUE c = load("model,family\nM.*,general\nM1,first\nM1,second\n", "model,family\nM2,other file\nM3.*,three\n", "");

	assert_string_equal(by_model(c, "M1"), "second");
	assert_string_equal(by_model(c, "M2"), "other file");
	assert_string_equal(by_model(c, "M9"), "general");
	AUTO_CATALOGUE reversed = load("model,family\nM2,other file\n", "model,family\nM1,first\nM.*,general\n", "");
	assert_string_equal(by_model(reversed, "M1"), "general");
	assert_string_equal(by_model(reversed, "M2"), "general");
}

static void a_serial_number_goes_over_all(void **state)
{
	AUTO_CATALOGUE c = load("model,serial,family\nM.*,S1,this drive\nM1, \" S2 \" ,that drive\nM1,,all\n",
				"model,serial,family\nM1,,later\nX.*,S1,other model\n", "");

	assert_string_equal(family(c, "", "M1", "", "S1", 0), "this drive");
	assert_string_equal(family(c, "", "M1", "", "  S1  ", 0), "this drive");
	assert_string_equal(family(c, "", "M1", "", "S2", 0), "that drive");
	assert_string_equal(family(c, "", "M1", "", "S", 0), "later");
	assert_string_equal(family(c, "", "M1", "", "s1", 0), "later");
	assert_string_equal(family(c, "", "M1", "", NULL, 0), "later");
	assert_string_equal(family(c, "", "M2", "", "S2", 0), "");
	assert_string_equal(family(c, "", "X1", "", "S1", 0), "other model");
}

/* A drive that was made half as large as it was sold. */
static void a_serial_number_goes_over_the_capacity(void **state)
{
	AUTO_CATALOGUE c = load("model,serial,capacity_gb,family\nM1,,1600,as sold\nM1,S1,1600,this drive\n", NULL, "");

	assert_string_equal(family(c, "", "M1", "", "S1", 800000000000), "this drive");
	assert_string_equal(family(c, "", "M1", "", "S2", 800000000000), "");
	assert_string_equal(family(c, "", "M1", "", "S2", 1600000000000), "as sold");
}

static void firmware_may_be_asked_for(void **state)
{
	AUTO_CATALOGUE c = load("model,firmware,family\nM1,,any\nM1,A[0-9]+|B1,some\n", NULL, "");

	assert_string_equal(family(c, "", "M1", "A12", "", 0), "some");
	assert_string_equal(family(c, "", "M1", " B1 ", "", 0), "some");
	assert_string_equal(family(c, "", "M1", "A", "", 0), "any");
	assert_string_equal(family(c, "", "M1", "XA1", "", 0), "any");
	assert_string_equal(family(c, "", "M1", "", "", 0), "any");
	assert_string_equal(family(c, "", "M1", NULL, "", 0), "any");
	AUTO_CATALOGUE all = load("model,firmware,family\nM1,.*,told\n", NULL, "");
	assert_string_equal(family(all, "", "M1", "A1", "", 0), "told");
	assert_string_equal(family(all, "", "M1", "", "", 0), "");
}

static void a_capacity_keeps_sizes_apart(void **state)
{
	AUTO_CATALOGUE c = load("model,capacity_gb,family\nM,400,400\nM,800,800\nM,1600,1600\nN,,any\n", NULL, "");
	static const struct {
		uint64_t bytes;
		const char *family;
	} rows[] = {
		{ 800166076416, "800" }, { 400088457216, "400" }, { 1600321314816, "1600" },
		{ 786000000000, "800" },	/* 520-byte sectors, or formatted with less */
		{ 440000000000, "800" },	/* 0.55 times 800: of two rows that fit, the later one */
		{ 439999999999, "400" }, { 220000000000, "400" }, { 219999999999, "" }, { 880000000001, "1600" }, { 879999999999, "800" },
		{ 1760000000000, "1600" }, { 1760000000001, "" }, { 3200631791616, "" }, { 0, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(family(c, "", "M", "", "", rows[i].bytes), rows[i].family);
	assert_string_equal(family(c, "", "N", "", "", 0), "any");
	assert_string_equal(family(c, "", "N", "", "", 1), "any");
}

/* ---- many */

static void only_patterns_whose_beginning_fits_are_walked(void **state)
{
	AUTO_TEXT text = TEXT_LIMIT(CATALOGUE_BYTES_MAX);
	const struct catalogue_drive drive = { .vendor = "ATA", .model = "MODEL 31415X", .capacity_bytes = 1000204886016 };
	struct rusage usage;
	const struct rated *r;

	text_add(&text, "vendor,family,model,capacity_gb,rated_tbw,warranty_years\n");
	for (int i = 0; i < 50000; i++)
		text_addf(&text, "V,F%d,MODEL %05d[A-Z],1000,600,5\n", i, i);
	AUTO_CATALOGUE c = load(text.at, NULL, "");
	assert_int_equal(catalogue_rows(c), 50000);
	assert_int_equal(catalogue_patterns_walked(c), 0);	/* reading walks none */
	r = catalogue_find(c, &drive);
	assert_non_null(r);
	assert_string_equal(r->family, "F31415");
	assert_int_equal(r->line, 31417);
	assert_int_equal(catalogue_patterns_walked(c), 1);
	for (int i = 0; i < 1000; i++)
		assert_true(catalogue_find(c, &drive) == r);
	assert_int_equal(catalogue_patterns_walked(c), 1001);
	getrusage(RUSAGE_SELF, &usage);
	print_message("50,000 rows, 1,001 lookups: %ld.%06ld s of CPU so far\n", (long)usage.ru_utime.tv_sec, (long)usage.ru_utime.tv_usec);
}

/* ---- files */

static void drop_ins_come_in_the_order_of_their_names(void **state)
{
	static const char *const names[] = { "10-b.csv", "9-a.csv", "Z.csv", "a.csv", "\xc3\xa4.csv" };
	AUTO_TEXT errors = TEXT_LIMIT(1000);
	char place[512], path[1024], file[512];
	char **files;

	assert_int_equal(mkdir(path_of("drives.d", place), 0700), 0);
	for (size_t i = ARRAY_SIZE(names); i-- > 0;) {
		snprintf(path, sizeof path, "drives.d/%s", names[i]);
		write_file(path, "model\n", 6);
	}
	write_file("drives.d/.hidden.csv", "x", 1);
	write_file("drives.d/notes.txt", "x", 1);
	write_file("drives.d/old.csv.bak", "x", 1);
	write_file("drives.d/csv", "x", 1);
	files = catalogue_files_of(path_of("data.csv", file), place, &errors);
	assert_non_null(files);
	assert_string_equal(files[0], file);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof path, "%s/%s", place, names[i]);
		assert_string_equal(files[1 + i], path);
	}
	assert_null(files[1 + ARRAY_SIZE(names)]);
	assert_int_equal(errors.length, 0);
	catalogue_files_free(files);
}

static void there_need_be_no_drop_ins(void **state)
{
	AUTO_TEXT errors = TEXT_LIMIT(1000);
	char place[512], loop[512];
	char **files = catalogue_files_of("data.csv", path_of("nothing.d", place), &errors);

	assert_non_null(files);
	assert_string_equal(files[0], "data.csv");
	assert_null(files[1]);
	assert_int_equal(errors.length, 0);
	catalogue_files_free(files);
	assert_int_equal(symlink("loop", path_of("loop", loop)), 0);
	files = catalogue_files_of("data.csv", loop, &errors);
	assert_non_null(files);
	assert_null(files[1]);
	assert_non_null(strstr(errors.at, "/loop: Too many levels of symbolic links\n"));
	catalogue_files_free(files);
}

static void files_that_are_named_stand_for_the_usual_ones(void **state)
{
	AUTO_TEXT errors = TEXT_LIMIT(1000);
	const char *given[41] = { NULL }, *none[] = { NULL };
	char **files;

	for (int i = 0; i < 40; i++)
		given[i] = i % 2 ? "odd" : "even";
	files = catalogue_files(given, &errors);
	assert_non_null(files);
	for (int i = 0; i < 40; i++)
		assert_string_equal(files[i], given[i]);
	assert_null(files[40]);
	catalogue_files_free(files);
	files = catalogue_files(none, &errors);
	assert_non_null(files);
	assert_non_null(strstr(files[0], "/drives.csv"));
	catalogue_files_free(files);
	catalogue_files_free(NULL);
}

static int make_folder(void **state)
{
	strcpy(folder, "/tmp/drive-exporter-catalogue-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[128];

	snprintf(command, sizeof command, "rm -r %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_come_in_any_order_and_lines_may_say_nothing),
		cmocka_unit_test(a_byte_order_mark_is_no_part_of_the_header),
		cmocka_unit_test(every_number_goes_into_its_unit),
		cmocka_unit_test(what_is_missing_is_computed_where_it_follows),
		cmocka_unit_test(a_broken_row_costs_itself_alone),
		cmocka_unit_test(every_number_has_a_range),
		cmocka_unit_test(a_wrong_header_costs_the_file),
		cmocka_unit_test(a_zero_byte_is_told),
		cmocka_unit_test(files_that_cannot_be_read_are_told),
		cmocka_unit_test(limits_are_kept),
		cmocka_unit_test(there_are_at_most_so_many_rows),
		cmocka_unit_test(patterns_together_take_at_most_so_much_work),
		cmocka_unit_test(many_complaints_are_counted),
		cmocka_unit_test(a_pattern_matches_the_whole_model),
		cmocka_unit_test(a_product_may_be_split_over_the_vendor_field),
		cmocka_unit_test(the_last_row_that_fits_counts),
		cmocka_unit_test(a_serial_number_goes_over_all),
		cmocka_unit_test(a_serial_number_goes_over_the_capacity),
		cmocka_unit_test(firmware_may_be_asked_for),
		cmocka_unit_test(a_capacity_keeps_sizes_apart),
		cmocka_unit_test(only_patterns_whose_beginning_fits_are_walked),
		cmocka_unit_test(drop_ins_come_in_the_order_of_their_names),
		cmocka_unit_test(there_need_be_no_drop_ins),
		cmocka_unit_test(files_that_are_named_stand_for_the_usual_ones),
	};

	return cmocka_run_group_tests_name("health: catalogues", tests, make_folder, remove_folder);
}
