/* What people read on the pages: nothing of a drive is ever markup, and numbers are short and say their unit. */
#include "exporter/html.h"

#include <math.h>
#include <string.h>

#include "unit.h"

static void assert_added(void (*add)(struct text *, const char *), const char *string, const char *expected)
{
	AUTO_TEXT out = TEXT_LIMIT(0);

	add(&out, string);
	text_add(&out, "");
	assert_string_equal(out.at ? out.at : "", expected);
}

static void no_byte_becomes_markup(void **state)
{
	assert_added(html_add, "<script>alert('1' & \"2\")</script>",
		     "&lt;script&gt;alert(&#39;1&#39; &amp; &quot;2&quot;)&lt;/script&gt;");
	assert_added(html_add, "\xff\x01ok\n", "\xef\xbf\xbd\xef\xbf\xbdok\xef\xbf\xbd");
	for (int c = 1; c < 256; c++) {
		AUTO_TEXT out = TEXT_LIMIT(0);

		html_add(&out, (const char[]){ (char)c, 0 });
		assert_non_null(out.at);
		assert_null(strpbrk(out.at, "<>\"'"));
	}
}

static void a_path_takes_any_label(void **state)
{
	assert_added(html_add_path, "AZaz09-._~", "AZaz09-._~");
	assert_added(html_add_path, "a/b?c#d%e f+\"\xff", "a%2Fb%3Fc%23d%25e%20f%2B%22%FF");
}

static void what_is_not_known_is_said(void **state)
{
	AUTO_TEXT out = TEXT_LIMIT(0);

	html_add_or_none(&out, "");
	assert_non_null(strstr(out.at, "not known"));
}

static void assert_words(const char *words, const char *expected)
{
	assert_string_equal(words, expected);
}

static void numbers_are_for_people(void **state)
{
	char out[HTML_NUMBER_MAX];

	assert_words(html_bytes(0, out), "0 B");
	assert_words(html_bytes(999, out), "999 B");
	assert_words(html_bytes(1000, out), "1.00 kB");
	assert_words(html_bytes(3840755982336, out), "3.84 TB");
	assert_words(html_bytes(18e12, out), "18.0 TB");
	assert_words(html_bytes(999.6e9, out), "1.00 TB");
	assert_words(html_percent(0, out), "0 %");
	assert_words(html_percent(0.0253, out), "2.5 %");
	assert_words(html_percent(0.05, out), "5 %");
	assert_words(html_percent(1.06, out), "106 %");
	assert_words(html_duration(0, out), "0 s");
	assert_words(html_duration(0.000085, out), "85.0 µs");
	assert_words(html_duration(119, out), "119 s");
	assert_words(html_duration(7199, out), "120 minutes");
	assert_words(html_duration(2 * 86400, out), "2 days");
	assert_words(html_duration(729 * 86400.0, out), "729 days");
	assert_words(html_duration(1461 * 86400.0, out), "4.0 years");
	assert_words(html_latency(0.0012, out), "1.20 ms");
	assert_words(html_latency(2.5, out), "2.50 s");
	assert_words(html_celsius(-3.4, out), "-3 °C");
	assert_words(html_time(1764511440, true, out), "2025-11-30 14:04");
	assert_words(html_time(1764511440, false, out), "2025-11-30");
	assert_words(html_number(1234567, out), "1\u202f234\u202f567");
	assert_words(html_number(-1000, out), "−1\u202f000");
	assert_words(html_number(999, out), "999");
	assert_words(html_number(0.25, out), "0.25");
	assert_words(html_number(18446744073709551615.0, out), "1.84467e+19");
	assert_words(html_number(INFINITY, out), "∞");
}

static void what_is_no_number_is_a_dash(void **state)
{
	char out[HTML_NUMBER_MAX];

	assert_words(html_bytes(NAN, out), "–");
	assert_words(html_percent(NAN, out), "–");
	assert_words(html_duration(NAN, out), "–");
	assert_words(html_latency(NAN, out), "–");
	assert_words(html_celsius(NAN, out), "–");
	assert_words(html_number(NAN, out), "–");
	assert_words(html_time(NAN, true, out), "–");
	assert_words(html_time(1e300, true, out), "–");
	assert_words(html_time(-INFINITY, true, out), "–");
}

static void no_number_is_too_long(void **state)
{
	static const double values[] = { 0, 1, -1, 1e15, -1e15, 999999999999999, 1e300, -1e300, 5e-324, INFINITY, -INFINITY };
	char out[HTML_NUMBER_MAX + 1];

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		out[HTML_NUMBER_MAX] = 'x';
		assert_true(strlen(html_bytes(values[i], out)) < HTML_NUMBER_MAX);
		assert_true(strlen(html_percent(values[i], out)) < HTML_NUMBER_MAX);
		assert_true(strlen(html_duration(values[i], out)) < HTML_NUMBER_MAX);
		assert_true(strlen(html_latency(values[i], out)) < HTML_NUMBER_MAX);
		assert_true(strlen(html_celsius(values[i], out)) < HTML_NUMBER_MAX);
		assert_true(strlen(html_number(values[i], out)) < HTML_NUMBER_MAX);
		assert_true(strlen(html_time(values[i], true, out)) < HTML_NUMBER_MAX);
		assert_int_equal(out[HTML_NUMBER_MAX], 'x');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_byte_becomes_markup),
		cmocka_unit_test(a_path_takes_any_label),
		cmocka_unit_test(what_is_not_known_is_said),
		cmocka_unit_test(numbers_are_for_people),
		cmocka_unit_test(what_is_no_number_is_a_dash),
		cmocka_unit_test(no_number_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
