/* block/: /proc/diskstats of several kernels, and what is not of its form. */
#include "block/diskstats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "unit.h"

struct found {
	struct sample_sink sink;
	struct sample at[32];
	size_t n;
};

static void keep(struct sample_sink *sink, const struct sample *s)
{
	struct found *f = (struct found *)sink;

	assert_true(f->n < 32);
	f->at[f->n++] = *s;
}

static struct found samples_of(const struct diskstats *d)
{
	struct found f = { .sink = { .put = keep } };

	diskstats_samples("dev", d->field, d->n, &f.sink);
	return f;
}

static double value_of(const struct found *f, enum metric_family_id family, const char *op)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].family == family && (op ? f->at[i].label[1] && !strcmp(f->at[i].label[1], op) : !f->at[i].label[1]))
			return f->at[i].value;
	return -1;
}

static void every_kernel_gives_what_it_has(void **state)
{
	static const struct {
		const char *line;
		size_t n;
	} kernels[] = {
		{ " 8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n", 11 },
		{ " 8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n", 15 },
		{ " 8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n", 17 },
		{ " 8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19\n", 17 },	/* of one to come we know 17 */
	};

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct diskstats_table t = { 0 };
		struct found f;

		diskstats_parse(&t, kernels[i].line);
		assert_int_equal(t.n, 1);
		assert_int_equal(t.at[0].n, kernels[i].n);
		f = samples_of(&t.at[0]);
		assert_int_equal(f.n, kernels[i].n);
		assert_true(value_of(&f, drive_io_completed_total, "discard") == (kernels[i].n >= 15 ? 12 : -1));
		assert_true(value_of(&f, drive_io_completed_total, "flush") == (kernels[i].n >= 17 ? 16 : -1));
		diskstats_free(&t);
	}
}

/* Sectors are 512 bytes whatever the drive's block is, times are milliseconds. */
static void units_are_bytes_and_seconds(void **state)
{
	struct diskstats_table t = { 0 };
	struct found f;

	diskstats_parse(&t, " 259 0 nvme0n1 100 20 3000 4500 50 60 7000 8250 3 12500 99999 5 6 8 9000 11 1500\n");
	f = samples_of(&t.at[0]);
	assert_true(value_of(&f, drive_io_completed_total, "read") == 100);
	assert_true(value_of(&f, drive_io_merged_total, "read") == 20);
	assert_true(value_of(&f, drive_io_bytes_total, "read") == 3000 * 512.0);
	assert_true(value_of(&f, drive_io_seconds_total, "read") == 4.5);
	assert_true(value_of(&f, drive_io_completed_total, "write") == 50);
	assert_true(value_of(&f, drive_io_merged_total, "write") == 60);
	assert_true(value_of(&f, drive_io_bytes_total, "write") == 7000 * 512.0);
	assert_true(value_of(&f, drive_io_seconds_total, "write") == 8.25);
	assert_true(value_of(&f, drive_io_in_flight, NULL) == 3);
	assert_true(value_of(&f, drive_io_busy_seconds_total, NULL) == 12.5);
	assert_true(value_of(&f, drive_io_weighted_seconds_total, NULL) == 99.999);
	assert_true(value_of(&f, drive_io_completed_total, "discard") == 5);
	assert_true(value_of(&f, drive_io_merged_total, "discard") == 6);
	assert_true(value_of(&f, drive_io_bytes_total, "discard") == 8 * 512.0);
	assert_true(value_of(&f, drive_io_seconds_total, "discard") == 9);
	assert_true(value_of(&f, drive_io_completed_total, "flush") == 11);
	assert_true(value_of(&f, drive_io_seconds_total, "flush") == 1.5);
	for (size_t i = 0; i < f.n; i++)
		assert_string_equal(f.at[i].label[0], "dev");
	diskstats_free(&t);
}

static void large_counters_survive(void **state)
{
	struct diskstats_table t = { 0 };
	struct found f;

	diskstats_parse(&t, "8 0 sda 0 0 18014398509481984 4294967295 0 0 0 0 0 0 0\n");	/* 2^54 sectors */
	f = samples_of(&t.at[0]);
	assert_true(value_of(&f, drive_io_bytes_total, "read") == 9223372036854775808.0);
	assert_true(value_of(&f, drive_io_seconds_total, "read") == 4294967.295);
	diskstats_free(&t);
}

static void what_is_not_of_the_form_is_left_out(void **state)
{
	static const char *const bad[] = {
		"", "\n", " \n\n", "8", "8 0", "8 0 sda", "8 0 sda\n", "8 0 sda 1 2 3 4 5 6 7 8 9 10\n", "sda 1 2 3\n",
		"8 sda 1 2 3 4 5 6 7 8 9 10 11\n", "8 0 sda -1 2 3 4 5 6 7 8 9 10 11\n", "8 0 sda 1 2 x 4 5 6 7 8 9 10 11\n",
		"8 0 a-name-that-is-longer-than-any-device-has 1 2 3 4 5 6 7 8 9 10 11\n", "8 0 sda 1 2 3 4 5\n6 7 8 9 10 11\n",
		"\xff\xfe\xfd 1 2\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		AUTO_TEXT text = TEXT_LIMIT(4096);
		struct diskstats_table t = { 0 };

		diskstats_parse(&t, bad[i]);
		assert_int_equal(t.n, 0);
		text_addf(&text, "8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n%s\n8 16 sdb 1 2 3 4 5 6 7 8 9 10 11", bad[i]);
		diskstats_parse(&t, text.at);		/* and its neighbours stand */
		assert_int_equal(t.n, 2);
		assert_non_null(diskstats_find(&t, "sdb"));
		assert_int_equal(t.at[1].field[10], 11);
		diskstats_free(&t);
	}
}

static void names_are_whole(void **state)
{
	struct diskstats_table t = { 0 };

	diskstats_parse(&t, "8 1 sda1 1 2 3 4 5 6 7 8 9 10 11\n8 0 sda 2 2 3 4 5 6 7 8 9 10 11\n"
			    "65 160 sdaa 3 2 3 4 5 6 7 8 9 10 11\n");
	assert_int_equal(diskstats_find(&t, "sda")->field[0], 2);
	assert_int_equal(diskstats_find(&t, "sda1")->field[0], 1);
	assert_null(diskstats_find(&t, "sd"));
	assert_null(diskstats_find(&t, ""));
	diskstats_parse(&t, "8 0 sdb 1 2 3 4 5 6 7 8 9 10 11\n");
	assert_null(diskstats_find(&t, "sda"));		/* of the time before nothing is left */
	diskstats_free(&t);
}

static void a_long_file_is_read_whole_and_fast(void **state)
{
	char path[] = "/tmp/drive-exporter-diskstats-XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct diskstats_table t = { 0 };
	clock_t began;

	for (int i = 0; i < 5000; i++)
		fprintf(f, " 8 %d sd%d %d 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n", i, i, i);
	fclose(f);
	began = clock();
	for (int round = 0; round < 3; round++) {
		assert_int_equal(diskstats_read(&t, path), 0);
		assert_int_equal(t.n, 5000);
	}
	/* 20 ms would do for one; this must hold with sanitizers on a busy machine too */
	assert_true((double)(clock() - began) / CLOCKS_PER_SEC < 1);
	assert_int_equal(diskstats_find(&t, "sd4999")->field[0], 4999);
	unlink(path);
	diskstats_free(&t);
}

/* Linux 6.1 counts what goes through native multipath at the hidden paths alone, later kernels at the namespace. */
static void a_namespace_without_counts_has_those_of_its_paths(void **state)
{
	static const struct {
		const char *text;
		double completed;
	} cases[] = {
		{ "259 1 nvme3c33n1 5 0 40 1 0 0 0 0 0 1 1\n259 2 nvme3n1 0 0 0 0 0 0 0 0 0 0 0\n259 3 nvme3c7n1 2 0 16 1 0 0 0 0 0 1 1\n"
		  "259 4 nvme3c7n11 90 0 16 1 0 0 0 0 0 1 1\n259 5 nvme33c7n1 90 0 16 1 0 0 0 0 0 1 1\n"
		  "259 6 nvme3cn1 90 0 16 1 0 0 0 0 0 1 1\n", 7 },
		{ "259 1 nvme3c33n1 5 0 40 1 0 0 0 0 0 1 1\n259 2 nvme3n1 6 0 48 1 0 0 0 0 0 1 1\n", 6 },
		{ "259 2 nvme3n1 0 0 0 0 0 0 0 0 0 0 0\n", 0 },
	};
	struct diskstats_table t = { 0 };
	struct diskstats s;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		diskstats_free(&t);
		diskstats_parse(&t, cases[i].text);
		assert_true(diskstats_of(&t, "nvme3n1", 7, &s));
		assert_string_equal(s.name, "nvme3n1");
		assert_true((double)s.field[0] == cases[i].completed);
		assert_false(diskstats_of(&t, "nvme3n2", 7, &s));
	}
	diskstats_parse(&t, "8 0 sda 0 0 0 0 0 0 0 0 0 0 0\n8 1 sdac1 1 0 0 0 0 0 0 0 0 0 0\n");
	assert_true(diskstats_of(&t, "sda", 7, &s));
	assert_int_equal(s.field[0], 0);
	diskstats_free(&t);
}

/* No sum falls when a path goes, and none counts twice when another of its name comes. */
static void what_a_path_counted_stays(void **state)
{
	static const struct {
		const char *text;
		uint64_t completed, in_flight, busy;
	} rounds[] = {
		{ "1 1 nvme0n1 0 0 0 0 0 0 0 0 0 0 0\n1 2 nvme0c0n1 9000 0 0 0 0 0 0 0 2 500 0\n1 3 nvme0c1n1 1000 0 0 0 0 0 0 0 1 300 0\n",
		  10000, 3, 500 },
		{ "1 1 nvme0n1 0 0 0 0 0 0 0 0 0 0 0\n1 3 nvme0c1n1 1001 0 0 0 0 0 0 0 1 301 0\n", 10001, 1, 500 },
		{ "1 1 nvme0n1 0 0 0 0 0 0 0 0 0 0 0\n1 2 nvme0c0n1 5 0 0 0 0 0 0 0 4 1 0\n1 3 nvme0c1n1 1001 0 0 0 0 0 0 0 0 301 0\n",
		  10006, 4, 501 },
		{ "1 1 nvme0n1 0 0 0 0 0 0 0 0 0 0 0\n1 2 nvme0c0n1 7 0 0 0 0 0 0 0 0 2 0\n1 3 nvme0c1n1 1001 0 0 0 0 0 0 0 0 301 0\n",
		  10008, 0, 502 },
	};
	struct diskstats_table t = { 0 };
	struct diskstats s;

	for (size_t i = 0; i < ARRAY_SIZE(rounds); i++) {
		diskstats_parse(&t, rounds[i].text);
		assert_true(diskstats_of(&t, "nvme0n1", 7, &s));
		assert_int_equal(s.field[0], rounds[i].completed);
		assert_int_equal(s.field[8], rounds[i].in_flight);
		assert_int_equal(s.field[9], rounds[i].busy);
	}
	diskstats_parse(&t, "1 1 nvme0n1 0 0 0 0 0 0 0 0 0 0 0\n1 2 nvme0c0n1 3 0 0 0 0 0 0 0 0 2 0\n");
	assert_true(diskstats_of(&t, "nvme0n1", 8, &s));	/* another disk in its place */
	assert_int_equal(s.field[0], 3);
	assert_int_equal(s.field[9], 2);
	diskstats_free(&t);
}

static void a_file_that_cannot_be_read_leaves_nothing_old(void **state)
{
	struct diskstats_table t = { 0 };

	diskstats_parse(&t, "8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n");
	assert_int_equal(diskstats_read(&t, "/nonexistent/diskstats"), -ENOENT);
	assert_int_equal(t.n, 0);
	assert_null(diskstats_find(&t, "sda"));
	diskstats_free(&t);
}

static void this_kernel_is_understood(void **state)
{
	struct diskstats_table t = { 0 };

	assert_int_equal(diskstats_read(&t, "/proc/diskstats"), 0);
	for (size_t i = 0; i < t.n; i++)
		assert_in_range(t.at[i].n, 11, 17);
	diskstats_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kernel_gives_what_it_has),
		cmocka_unit_test(units_are_bytes_and_seconds),
		cmocka_unit_test(large_counters_survive),
		cmocka_unit_test(what_is_not_of_the_form_is_left_out),
		cmocka_unit_test(names_are_whole),
		cmocka_unit_test(a_long_file_is_read_whole_and_fast),
		cmocka_unit_test(a_namespace_without_counts_has_those_of_its_paths),
		cmocka_unit_test(what_a_path_counted_stays),
		cmocka_unit_test(a_file_that_cannot_be_read_leaves_nothing_old),
		cmocka_unit_test(this_kernel_is_understood),
	};

	return cmocka_run_group_tests_name("block", tests, NULL, NULL);
}
