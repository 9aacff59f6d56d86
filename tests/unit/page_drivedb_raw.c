/* page/: raw bytes of attributes as smartmontools' data base of drives says they are to be read. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "page/drivedb.h"

/* FORMAT or FORMAT:ORDER. */
static struct drivedb_attribute of_format(const char *word)
{
	struct drivedb_attribute a = { .name = "" };
	char format[32];
	const char *order = strchr(word, ':');

	snprintf(format, sizeof format, "%.*s", (int)strcspn(word, ":"), word);
	a.format = drivedb_format_from(format);
	text_copy(a.order, sizeof a.order, order ? order + 1 : drivedb_format_order(a.format));
	return a;
}

enum { NONE = -1000 };		/* no main number */

static void raw_bytes_become_the_number_of_their_format(void **state)
{
	/* Value 11h, worst 22h, raw 01 02 03 04 05 06, reserved 07h, the lowest byte first. */
	static const struct drivedb_bytes bytes = { 0x11, 0x22, { 1, 2, 3, 4, 5, 6 }, 7 };
	static const struct {
		const char *word;
		uint64_t whole;
		int64_t main;
		enum drivedb_unit unit;
	} rows[] = {
		{ "raw8", 0x060504030201, NONE, DRIVEDB_BITS },
		{ "raw16", 0x060504030201, NONE, DRIVEDB_BITS },
		{ "raw48", 0x060504030201, 0x060504030201, DRIVEDB_COUNT },
		{ "hex48", 0x060504030201, 0x060504030201, DRIVEDB_BITS },
		{ "raw56", 0x07060504030201, 0x07060504030201, DRIVEDB_COUNT },
		{ "hex56", 0x07060504030201, 0x07060504030201, DRIVEDB_BITS },
		{ "raw64", 0x0605040302012211, 0x0605040302012211, DRIVEDB_COUNT },
		{ "hex64", 0x0605040302012211, 0x0605040302012211, DRIVEDB_BITS },
		{ "raw16(raw16)", 0x060504030201, 0x0201, DRIVEDB_COUNT },
		{ "raw16(avg16)", 0x060504030201, 0x0201, DRIVEDB_COUNT },
		{ "raw24(raw8)", 0x060504030201, 0x030201, DRIVEDB_COUNT },
		{ "raw24/raw24", 0x060504030201, 0x060504, DRIVEDB_COUNT },
		{ "raw24/raw32", 0x07060504030201, 0x070605, DRIVEDB_COUNT },
		{ "sec2hour", 0x060504030201, 0x060504030201, DRIVEDB_SECONDS },
		{ "min2hour", 0x060504030201, 0x04030201, DRIVEDB_MINUTES },
		{ "halfmin2hour", 0x060504030201, 0x060504030201, DRIVEDB_HALF_MINUTES },
		{ "msec24hour32", 0x07060504030201, 0x04030201, DRIVEDB_HOURS },
		{ "tempminmax", 0x060504030201, NONE, DRIVEDB_CELSIUS },
		{ "temp10x", 0x060504030201, 0x0201, DRIVEDB_TENTHS_CELSIUS },
		{ "raw48:012345", 0x010203040506, 0x010203040506, DRIVEDB_COUNT },
		{ "raw48:54321", 0x0605040302, 0x0605040302, DRIVEDB_COUNT },
		{ "raw24/raw24:z54z10", 0x000605000201, 0x0605, DRIVEDB_COUNT },
		{ "raw24/raw32:04321", 0x0105040302, 0x01, DRIVEDB_COUNT },
		{ "raw24/raw32:210zr54", 0x03020100070605, 0x030201, DRIVEDB_COUNT },
		{ "raw24/raw32:zvzzzw", 0x001100000022, 0x11, DRIVEDB_COUNT },
		{ "hex64:w012345r", 0x2201020304050607, 0x2201020304050607, DRIVEDB_BITS },
		{ "raw48:0", 0x01, 0x01, DRIVEDB_COUNT },
		{ "raw64:vw", 0x1122, 0x1122, DRIVEDB_COUNT },
		{ "nothing", 0x060504030201, NONE, DRIVEDB_BITS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct drivedb_attribute a = of_format(rows[i].word);
		int64_t v;
		bool is_told = drivedb_raw(&a, &bytes, &v);

		if (drivedb_whole(&a, &bytes) != rows[i].whole || is_told != (rows[i].main != NONE))
			print_error("%s\n", rows[i].word);
		assert_int_equal(drivedb_whole(&a, &bytes), rows[i].whole);
		assert_true(is_told == (rows[i].main != NONE));
		assert_true(!is_told || v == rows[i].main);
		assert_int_equal(drivedb_unit(a.format), rows[i].unit);
	}
}

static void the_greatest_numbers_do_not_turn_round(void **state)
{
	static const struct drivedb_bytes ones = { 0xff, 0xff, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 0xff };
	static const struct {
		const char *word;
		int64_t main;
	} rows[] = {
		{ "raw48", 0xffffffffffff }, { "raw56", 0xffffffffffffff }, { "raw64", NONE }, { "hex64", NONE },
		{ "raw64:z543210w", 0xffffffffffffff },
		{ "raw24(raw8)", 0xffffff }, { "raw24/raw24", 0xffffff }, { "raw24/raw32", 0xffffff },
		{ "raw24/raw32:543210wv", 0xffffffff },
		{ "min2hour", 0xffffffff }, { "msec24hour32", 0xffffffff }, { "temp10x", NONE },
		{ "tempminmax", NONE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct drivedb_attribute a = of_format(rows[i].word);
		int64_t v;
		bool is_told = drivedb_raw(&a, &ones, &v);

		assert_true(is_told == (rows[i].main != NONE));
		assert_true(!is_told || v == rows[i].main);
	}
}

static void temperatures_are_told_where_a_layout_fits(void **state)
{
	static const struct {
		uint8_t raw[6];
		int celsius;
	} rows[] = {
		{ { 0, 0, 0, 0, 0, 0 }, 0 },
		{ { 35, 0, 0, 0, 0, 0 }, 35 },
		{ { 127, 0, 0, 0, 0, 0 }, 127 },
		{ { 0xf6, 0xff, 0, 0, 0, 0 }, -10 },
		{ { 0xf6, 0, 0, 0, 0, 0 }, NONE },		/* 246, or -10? */
		{ { 0xff, 0xff, 0, 0, 0, 0 }, NONE },		/* not measured, or -1? */
		{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, NONE },
		{ { 35, 1, 0, 0, 0, 0 }, NONE },
		{ { 35, 0xff, 0, 0, 0, 0 }, NONE },
		{ { 35, 0, 20, 50, 0, 0 }, 35 },		/* two bytes from byte 2 on, */
		{ { 35, 0, 50, 20, 0, 0 }, 35 },		/* in either order */
		{ { 35, 0, 0xf6, 50, 0, 0 }, 35 },		/* -10 to 50 */
		{ { 35, 0, 36, 50, 0, 0 }, NONE },		/* colder than the coldest */
		{ { 51, 0, 20, 50, 0, 0 }, NONE },
		{ { 35, 0, 20, 121, 0, 0 }, NONE },		/* no drive was at 121 */
		{ { 35, 0, 0xc3, 50, 0, 0 }, NONE },		/* nor at -61 */
		{ { 35, 20, 50, 0, 0, 0 }, 35 },		/* from byte 1 on */
		{ { 35, 50, 20, 0, 0, 0 }, 35 },
		{ { 35, 50, 36, 0, 0, 0 }, NONE },
		{ { 35, 0, 20, 0, 50, 0 }, 35 },		/* two words */
		{ { 35, 0, 50, 0, 20, 0 }, 35 },
		{ { 35, 0, 0xf6, 0xff, 50, 0 }, 35 },
		{ { 0xf6, 0xff, 0xf0, 0xff, 50, 0 }, -10 },
		{ { 35, 0, 20, 1, 50, 0 }, NONE },
		{ { 35, 0, 20, 0, 50, 1 }, NONE },
		{ { 35, 0, 36, 0, 50, 0 }, NONE },
		{ { 35, 0, 20, 50, 7, 0 }, 35 },		/* a count above two bytes */
		{ { 35, 0, 20, 50, 0, 9 }, 35 },
		{ { 35, 0, 20, 39, 7, 0 }, NONE },		/* too hot seven times, and never above 39? */
		{ { 35, 0, 0, 0, 7, 0 }, NONE },
	};
	struct drivedb_attribute a = of_format("tempminmax");

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct drivedb_bytes bytes = { 0 };
		int64_t v;
		bool is_told;

		memcpy(bytes.raw, rows[i].raw, sizeof bytes.raw);
		is_told = drivedb_raw(&a, &bytes, &v);
		if (is_told != (rows[i].celsius != NONE))
			print_error("row %zu\n", i);
		assert_true(is_told == (rows[i].celsius != NONE));
		assert_true(!is_told || v == rows[i].celsius);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raw_bytes_become_the_number_of_their_format),
		cmocka_unit_test(the_greatest_numbers_do_not_turn_round),
		cmocka_unit_test(temperatures_are_told_where_a_layout_fits),
	};

	return cmocka_run_group_tests_name("page: numbers of drivedb", tests, NULL, NULL);
}
