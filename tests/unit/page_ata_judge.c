/* page/ata_judge.c: each limit stands where it stands; a number at it passes, the next one is kept back and counted. */
#include "page/ata_judge.h"

#include <string.h>

#include "page_common.h"

enum { HOUR_S = 3600, POWER_ON_H = 1000 };

static const struct drive_facts facts = {
	.logical_block = 512, .capacity_bytes = UINT64_C(512) * 1000000, .power_on_hours = POWER_ON_H,
	.has_identify = true, .identify = { [152] = 0x0e },	/* up to 6 Gbit/s */
};

static const struct {
	enum metric_family_id family;
	const char *quantity;
	double least, most;	/* least: one less is implausible; NAN: none */
} limits[] = {
	{ drive_power_on_seconds_total, "power_on", 0, 20 * 366 * 24 * 3600.0 },
	{ drive_power_cycles_total, "power_cycles", 0, 1048576 },
	{ drive_unsafe_shutdowns_total, "unsafe_shutdowns", 0, 1048576 },
	{ drive_mechanical_cycles_total, "mechanical_cycles", 0, 16777216 },
	{ drive_temperature_celsius, "temperature", -40, 125 },
	{ drive_temperature_extreme_celsius, "temperature_extreme", -40, 125 },
	{ drive_temperature_limit_celsius, "temperature_limit", -40, 125 },
	{ drive_written_bytes_total, "written_bytes", 0, (POWER_ON_H + 1) * HOUR_S * 6e8 },
	{ drive_read_bytes_total, "read_bytes", 0, (POWER_ON_H + 1) * HOUR_S * 6e8 },
	{ drive_nand_written_bytes_total, "nand_written_bytes", 0, (POWER_ON_H + 1) * HOUR_S * 6e9 },
	{ drive_spare_available_ratio, "spare_available", 0, 1 },
	{ drive_reallocated_sectors, "reallocated_sectors", 0, 10000 },
	{ drive_pending_sectors, "pending_sectors", 0, 10000 },
	{ drive_offline_uncorrectable_sectors, "offline_uncorrectable_sectors", 0, 10000 },
	{ drive_retired_blocks, "retired_blocks", 0, 4294967294 },
	{ drive_uncorrected_errors_total, "uncorrected_errors", 0, 4294967294 },
	{ drive_link_errors_total, "link_errors", 0, 4294967294 },
	{ drive_command_timeouts_total, "command_timeouts", 0, 65535 },
	{ drive_program_failures_total, "program_failures", 0, 4294967294 },
	{ drive_erase_failures_total, "erase_failures", 0, 4294967294 },
};

static bool passes(const struct drive_facts *of, enum metric_family_id family, double value, unsigned *ret_n_implausible)
{
	struct collect c;
	struct ata_judge judge;
	struct sample s = { .family = family, .value = value };
	bool is_served;

	collect_begin(&c);
	judge = ata_judge_of(&c.sink, of);
	for (size_t i = 0; i < SAMPLE_LABELS && metric_families[family].label[i]; i++)
		s.label[i] = "x";
	sample_put(&judge.sink, &s);
	is_served = c.set.n == 1;
	*ret_n_implausible = c.n_implausible;
	collect_end(&c);
	return is_served;
}

static void each_limit_stands_where_it_stands(void **state)
{
	unsigned n;

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		double step = limits[i].most > 4294967294 ? limits[i].most / 1e6 : 1;

		assert_true(passes(&facts, limits[i].family, limits[i].least, &n) && !n);
		assert_true(passes(&facts, limits[i].family, limits[i].most, &n) && !n);
		assert_false(passes(&facts, limits[i].family, limits[i].least - 1, &n));
		assert_int_equal(n, 1);
		assert_false(passes(&facts, limits[i].family, limits[i].most + step, &n));
		assert_int_equal(n, 1);
	}
}

static void what_is_not_limited_passes(void **state)
{
	unsigned n;

	assert_true(passes(&facts, drive_ata_attribute_raw, 281474976710655, &n) && !n);
}

/* Half worn, and never written over once. */
static void wear_is_judged_by_what_was_written(void **state)
{
	struct drive_facts little = facts, enough = facts, unknown = facts;
	unsigned n;

	little.written_blocks = 999999;
	enough.written_blocks = 1000000;
	assert_false(passes(&little, drive_endurance_used_ratio, 2.0, &n));
	assert_int_equal(n, 1);
	assert_true(passes(&little, drive_endurance_used_ratio, 0.5, &n));
	assert_true(passes(&enough, drive_endurance_used_ratio, 2.0, &n));
	assert_true(passes(&unknown, drive_endurance_used_ratio, 2.0, &n));
	assert_false(passes(&enough, drive_endurance_used_ratio, -0.01, &n));
}

static void links_of_all_generations_bound_the_bytes(void **state)
{
	static const struct {
		uint8_t speeds;		/* IDENTIFY word 76 */
		double bytes_a_second;
	} cases[] = { { 0x02, 1.5e8 }, { 0x06, 3e8 }, { 0x0e, 6e8 }, { 0x00, 6e8 } };
	unsigned n;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drive_facts of = facts;
		double most = (POWER_ON_H + 1) * HOUR_S * cases[i].bytes_a_second;

		of.identify[152] = cases[i].speeds;
		assert_true(passes(&of, drive_written_bytes_total, most, &n));
		assert_false(passes(&of, drive_written_bytes_total, most * 1.001, &n));
		of.power_on_hours = 0;		/* not told: twenty years of it */
		assert_true(passes(&of, drive_written_bytes_total, most * 100, &n));
		assert_false(passes(&of, drive_written_bytes_total, 20 * 366 * 24 * 3600.0 * cases[i].bytes_a_second * 1.001, &n));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_limit_stands_where_it_stands),
		cmocka_unit_test(what_is_not_limited_passes),
		cmocka_unit_test(wear_is_judged_by_what_was_written),
		cmocka_unit_test(links_of_all_generations_bound_the_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
