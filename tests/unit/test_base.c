/* base/: the cursor, text from outside, failures, the door to sysfs. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/fail.h"
#include "base/sysfs.h"
#include "base/text.h"

static void reading_past_the_end_is_zero_and_torn(void **state)
{
	uint8_t raw[] = { 0x12, 0x34, 0x56 };
	struct bytes b = bytes_of(raw, sizeof raw);

	assert_int_equal(bytes_be(&b, 2), 0x1234);
	assert_false(b.torn);
	assert_int_equal(bytes_be(&b, 2), 0);
	assert_true(b.torn);
	assert_int_equal(bytes_be(&b, 1), 0);	/* and it stays so */
}

static void numbers_are_read_in_both_orders(void **state)
{
	uint8_t raw[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	struct bytes b = bytes_of(raw, sizeof raw);

	assert_true(bytes_le(&b, 10) == 0x0807060504030201);
	b = bytes_of(raw, sizeof raw);
	assert_true(bytes_be(&b, 10) == 0x030405060708090a);	/* of a long counter the low 64 bits */
	assert_int_equal(bytes_at(bytes_of(raw, 10), 9, 1).at[0], 10);
	assert_true(bytes_at(bytes_of(raw, 10), 9, 2).torn);
}

static void strings_of_drives_are_trimmed(void **state)
{
	char text[9];
	struct bytes b = bytes_of(" AB C \0 ", 8);

	assert_int_equal(bytes_text(&b, 8, text), 4);
	assert_string_equal(text, "AB C");
	b = bytes_of("        ", 8);
	assert_int_equal(bytes_text(&b, 8, text), 0);
}

static void labels_are_spelled_as_udev_does(void **state)
{
	char out[64];

	assert_string_equal(text_udev("  ST4000  NM\t1 ", out, sizeof out), "ST4000_NM_1");
	assert_string_equal(text_udev("a\"b\\c\xff" "d", out, sizeof out), "a_b_c_d");
	assert_string_equal(text_udev("", out, sizeof out), "");
	assert_string_equal(text_udev("abcdef", out, 4), "abc");
}

static void what_is_not_utf8_is_replaced(void **state)
{
	char out[64];

	assert_string_equal(text_printable("a\x01" "b\x7f", out, sizeof out), "a\xef\xbf\xbd" "b\xef\xbf\xbd");
	assert_string_equal(text_printable("\xc3\xa4", out, sizeof out), "\xc3\xa4");
	assert_string_equal(text_printable("\xc0\xaf", out, sizeof out), "\xef\xbf\xbd\xef\xbf\xbd");	/* overlong */
	assert_string_equal(text_printable("\xed\xa0\x80", out, sizeof out),
			    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");	/* a surrogate */
	assert_string_equal(text_printable("\xe2\x82", out, sizeof out), "\xef\xbf\xbd\xef\xbf\xbd");
	assert_string_equal(text_printable("a\xc3\xa4", out, 3), "a");	/* never half a character */
}

static void numbers_from_outside_are_whole_and_bounded(void **state)
{
	uint64_t v;

	assert_true(text_to_u64("18446744073709551615", UINT64_MAX, &v) && v == UINT64_MAX);
	assert_false(text_to_u64("18446744073709551616", UINT64_MAX, &v));
	assert_false(text_to_u64("", 10, &v));
	assert_false(text_to_u64("-1", 10, &v));
	assert_false(text_to_u64("11", 10, &v));
	assert_false(text_to_u64("1x", 10, &v));
	assert_true(text_hex_to_u64("fF", 255, &v) && v == 255);
	assert_false(text_hex_to_u64("0x1", 255, &v));
}

static void decimal_numbers_are_plain_and_bounded(void **state)
{
	static const char *const bad[] = { "", ".", ".5", "1.", "1..5", "1.5.0", "+1", "-1", " 1", "1 ", "1e3", "0x10", "nan", "inf", "1,5",
					   "0.99", "1000.001", "1x", "1.5x" };
	double v;

	assert_true(text_to_decimal("1", 1, 1000, &v) && v == 1);
	assert_true(text_to_decimal("1000.000", 1, 1000, &v) && v == 1000);
	assert_true(text_to_decimal("7.25", 1, 1000, &v) && v == 7.25);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(text_to_decimal(bad[i], 1, 1000, &v));
}

static void real_numbers_are_finite_and_decimal(void **state)
{
	static const char *const bad[] = { "", " 1", "1 ", "1e", "e1", "1.2.3", "0x1p3", "nan", "inf", "-inf", "1e999", "1,5", "1x", "--1" };
	double v;

	assert_true(text_to_real("1", &v) && v == 1);
	assert_true(text_to_real("-0.35", &v) && v == -0.35);
	assert_true(text_to_real("+1.5e-16", &v) && v == 1.5e-16);
	assert_true(text_to_real("4.9406564584124654e-324", &v) && v > 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(text_to_real(bad[i], &v));
}

static void text_stops_at_its_limit(void **state)
{
	struct text t = TEXT_LIMIT(4);

	text_add(&t, "abc");
	text_add(&t, "de");
	assert_string_equal(t.at, "abc");
	assert_true(t.truncated);
	text_free(&t);
}

static void failures_blame_the_right_party(void **state)
{
	assert_int_equal(fail_os(EPERM, "x").source, FAIL_PERMISSION);
	assert_int_equal(fail_os(EIO, "x").source, FAIL_OS);
	assert_false(failed(fail_sense(0x1, 0x5d, 0)));		/* recovered: the data are good */
	assert_int_equal(fail_sense(0xb, 0, 0).source, FAIL_TRANSPORT);
	assert_int_equal(fail_sense(0x4, 0x44, 0).source, FAIL_DEVICE);
	assert_int_equal(fail_status(0x18).source, FAIL_RESERVED);
	assert_int_equal(fail_host(3).kind, FAIL_KIND_TIMEOUT);
	assert_true(fail_is_unsupported(fail_sense(5, 0x24, 0)));
	assert_false(fail_is_unsupported(fail_sense(5, 0x2c, 0)));
	assert_true(fail_is_unsupported(fail_ata(0x51, 0x04)));
	assert_false(fail_is_unsupported(fail_ata(0x51, 0x40)));
	assert_true(fail_is_unsupported(fail_nvme(0, 1)));
	assert_true(fail_is_unsupported(fail_nvme(1, 9)));
	assert_false(fail_is_unsupported(fail_nvme(2, 0x81)));
}

static void failures_read_as_sentences(void **state)
{
	char text[200];
	struct fail f = fail_sense(5, 0x24, 0);

	f.what = "log page 0x0d";
	assert_string_equal(fail_describe(f, text, sizeof text), "log page 0x0d: the drive answered with sense 5/24/00");
	assert_string_equal(fail_describe(fail_format("log page 0x0d", "too short"), text, sizeof text),
			    "log page 0x0d: too short");
}

static void sysfs_gives_only_what_is_listed(void **state)
{
	char value[64];

	assert_true(sysfs_is_safe("device/state"));
	assert_int_equal(sysfs_read("/sys/class/sas_phy/phy-0:0", "invalid_dword_count", value, sizeof value), -EACCES);
	assert_int_equal(sysfs_read("/sys/block/x", "../../etc/passwd", value, sizeof value), -EACCES);
	assert_int_equal(sysfs_read("/sys/block/none-such", "size", value, sizeof value), -ENOENT);
}

/* Of an enclosure only what the kernel keeps; the rest is asked of it, or would even write to it. */
static void an_enclosure_is_asked_nothing(void **state)
{
	static const char *const kept[] = { "id", "slot", "type" };
	static const char *const asked[] = { "status", "fault", "active", "locate", "power_status", "components", "device/status",
					     "device/enclosure_device:0/status", "enclosure_device:0/slot", "0/slot", "../id" };
	char value[64];

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		assert_true(sysfs_is_safe(kept[i]));
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		assert_false(sysfs_is_safe(asked[i]));
		assert_int_equal(sysfs_read("/sys/class/enclosure/0:0:24:0/0", asked[i], value, sizeof value), -EACCES);
	}
}

static void put_link(const char *dir, const char *name)
{
	char path[600];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	assert_int_equal(symlink("nowhere", path), 0);
}

static void links_are_found_by_how_they_begin(void **state)
{
	static const char *const names[] = { "a:2", "a:1", "a:0123456789", "b:0", "a", "A:0", "a:\xff\n", NULL };
	char dir[] = "/tmp/test_base.XXXXXX", name[8] = "";
	char path[600];

	assert_non_null(mkdtemp(dir));
	assert_int_equal(sysfs_find_link(dir, "a:", name, sizeof name), -ENOENT);
	for (size_t i = 0; names[i]; i++)
		put_link(dir, names[i]);
	snprintf(path, sizeof path, "%s/a:0", dir);
	assert_int_equal(mkdir(path, 0700), 0);			/* no link */
	assert_int_equal(sysfs_find_link(dir, "a:", name, sizeof name), 0);
	assert_string_equal(name, "a:1");			/* the longer one before it does not fit */
	assert_int_equal(sysfs_find_link(dir, "a:\xff", name, sizeof name), 0);
	assert_string_equal(name, "a:\xff\n");
	assert_int_equal(sysfs_find_link(dir, "c", name, sizeof name), -ENOENT);
	rmdir(path);
	for (size_t i = 0; names[i]; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(sysfs_find_link(dir, "a:", name, sizeof name), -ENOENT);
	assert_int_equal(sysfs_find_link("/etc/passwd", "a:", name, sizeof name), -ENOTDIR);
}

static void arrays_grow_and_keep_what_they_hold(void **state)
{
	uint32_t *numbers = NULL;
	size_t n = 0, room = 0;

	for (; n < 1000; n++) {
		assert_true(ARRAY_GROW(numbers, room, n));
		numbers[n] = (uint32_t)n;
	}
	assert_true(room >= 1000);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(numbers[i], i);
	room = SIZE_MAX / 2;
	assert_false(ARRAY_GROW(numbers, room, room));	/* its size would not fit a number */
	free(numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading_past_the_end_is_zero_and_torn),
		cmocka_unit_test(numbers_are_read_in_both_orders),
		cmocka_unit_test(strings_of_drives_are_trimmed),
		cmocka_unit_test(labels_are_spelled_as_udev_does),
		cmocka_unit_test(what_is_not_utf8_is_replaced),
		cmocka_unit_test(numbers_from_outside_are_whole_and_bounded),
		cmocka_unit_test(decimal_numbers_are_plain_and_bounded),
		cmocka_unit_test(real_numbers_are_finite_and_decimal),
		cmocka_unit_test(text_stops_at_its_limit),
		cmocka_unit_test(arrays_grow_and_keep_what_they_hold),
		cmocka_unit_test(failures_blame_the_right_party),
		cmocka_unit_test(failures_read_as_sentences),
		cmocka_unit_test(sysfs_gives_only_what_is_listed),
		cmocka_unit_test(an_enclosure_is_asked_nothing),
		cmocka_unit_test(links_are_found_by_how_they_begin),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
