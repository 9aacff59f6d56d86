/* page/: NVMe identify data and the health log. */
#include "page_common.h"

#include <math.h>
#include <string.h>

enum { HEALTH = 512, IDENTIFY = 4096 };

static void put_le(uint8_t *raw, size_t at, uint64_t value, size_t width)
{
	for (size_t i = 0; i < width; i++)
		raw[at + i] = i < 8 ? (uint8_t)(value >> 8 * i) : 0;
}

static size_t place_of(const struct page_field *field)
{
	return field->at;
}

static void health_rows_stand_apart_and_move_alone(void **state)
{
	uint8_t raw[HEALTH] = { 0 };

	for (size_t i = 0; i < nvme_health.n_fields; i++)
		raw[nvme_health.fields[i].at] = 1;
	fields_are_within_and_apart(&nvme_health, HEALTH);
	each_field_moves_its_sample(&nvme_health, raw, sizeof raw, place_of);
	every_truncation_is_refused(&nvme_health, raw, sizeof raw);
}

static void an_empty_health_log_is_refused(void **state)
{
	const struct drive_facts facts = { 0 };
	uint8_t raw[HEALTH + 16] = { 0 };
	struct collect c;

	collect_begin(&c);
	assert_failed(decode_exactly(&nvme_health, raw, HEALTH, &facts, &c), "all zeroes");
	memset(raw, 0xff, sizeof raw);
	assert_failed(decode_exactly(&nvme_health, raw, HEALTH, &facts, &c), "all ones");
	raw[5] = 1;
	assert_false(failed(decode_exactly(&nvme_health, raw, sizeof raw, &facts, &c)));	/* padding is no harm */
	collect_end(&c);
}

static void numbers_of_users_are_told_exactly(void **state)
{
	const struct drive_facts facts = { 0 };
	uint8_t raw[HEALTH] = { 0 };
	struct collect c;

	collect_begin(&c);
	put_le(raw, 1, 348, 2);
	put_le(raw, 48, 32381395004, 16);
	put_le(raw, 96, 1184621, 16);
	put_le(raw, 128, 34013, 16);
	put_le(raw, 192, 3, 4);
	put_le(raw, 202, 362, 2);
	put_le(raw, 228, 17, 4);
	assert_false(failed(decode_exactly(&nvme_health, raw, sizeof raw, &facts, &c)));
	assert_sample(&c, 75, drive_temperature_celsius, "composite");
	assert_sample(&c, 89, drive_temperature_celsius, "2");
	assert_no_sample(&c, drive_temperature_celsius, "1");
	assert_no_sample(&c, drive_temperature_celsius, "8");
	assert_sample(&c, 16579274242048000, drive_written_bytes_total);
	assert_sample(&c, 0, drive_read_bytes_total);
	assert_sample(&c, 71077260, drive_nvme_busy_seconds_total);
	assert_sample(&c, 34013.0 * 3600, drive_power_on_seconds_total);
	assert_sample(&c, 180, drive_nvme_over_temperature_seconds_total, "warning");
	assert_sample(&c, 0, drive_nvme_over_temperature_seconds_total, "critical");
	assert_sample(&c, 17, drive_nvme_thermal_seconds_total, "heavy");
	collect_end(&c);
}

static void no_temperature_is_absent_and_the_rest_stands(void **state)
{
	const struct drive_facts facts = { 0 };
	uint8_t raw[HEALTH] = { [3] = 100 };
	struct collect c;

	collect_begin(&c);
	assert_false(failed(decode_exactly(&nvme_health, raw, sizeof raw, &facts, &c)));
	assert_no_sample(&c, drive_temperature_celsius, "composite");
	assert_sample(&c, 1, drive_spare_available_ratio);
	collect_end(&c);
}

static void wear_may_pass_one(void **state)
{
	static const struct { uint8_t percent; double ratio; } wears[] = {
		{ 0, 0 }, { 42, 0.42 }, { 100, 1 }, { 104, 1.04 }, { 130, 1.3 }, { 254, 2.54 }, { 255, 2.55 },
	};
	const struct drive_facts facts = { 0 };
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(wears); i++) {
		uint8_t raw[HEALTH] = { [3] = 1, [5] = wears[i].percent };

		assert_false(failed(decode_exactly(&nvme_health, raw, sizeof raw, &facts, &c)));
		assert_sample(&c, wears[i].ratio, drive_endurance_used_ratio);
	}
	collect_end(&c);
}

static void each_critical_warning_has_its_bit(void **state)
{
	static const char *const bits[] = { "spare", "temperature", "reliability", "read_only", "backup", "pmr" };
	const struct drive_facts facts = { 0 };
	struct collect c;

	collect_begin(&c);
	for (size_t set = 0; set < ARRAY_SIZE(bits); set++) {
		uint8_t raw[HEALTH] = { [0] = (uint8_t)(1 << set) };

		assert_false(failed(decode_exactly(&nvme_health, raw, sizeof raw, &facts, &c)));
		for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
			assert_sample(&c, i == set, drive_nvme_critical_warning, bits[i]);
	}
	collect_end(&c);
}

static void counters_of_128_bits_never_fall(void **state)
{
	const struct drive_facts facts = { 0 };
	uint8_t raw[HEALTH] = { 0 };
	struct collect c;
	double low;

	collect_begin(&c);
	memset(raw + 160, 0xff, 8);
	assert_false(failed(decode_exactly(&nvme_health, raw, sizeof raw, &facts, &c)));
	low = collect_value(&c, drive_media_errors_total, NULL, NULL);
	memset(raw + 160, 0, 8);
	raw[168] = 1;
	assert_false(failed(decode_exactly(&nvme_health, raw, sizeof raw, &facts, &c)));
	assert_sample(&c, 0x1p64, drive_media_errors_total);
	assert_sample(&c, 0x1p64, drive_uncorrected_errors_total, "all");
	assert_true(low <= 0x1p64);
	raw[175] = 0x80;
	assert_false(failed(decode_exactly(&nvme_health, raw, sizeof raw, &facts, &c)));
	assert_true(collect_value(&c, drive_media_errors_total, NULL, NULL) >= 0x1p127);
	collect_end(&c);
}

static void make_controller(uint8_t raw[IDENTIFY])
{
	memset(raw, 0, IDENTIFY);
	memcpy(raw + 4, "  S1234567890       ", 20);
	memcpy(raw + 24, "EXAMPLE DRIVE 1920G                     ", 40);
	memcpy(raw + 64, "FW01    ", 8);
	put_le(raw, 80, 0x010400, 4);
	raw[111] = 1;
	put_le(raw, 266, 343, 2);
	put_le(raw, 268, 353, 2);
	put_le(raw, 280, 1920383410176, 16);
	memcpy(raw + 768, "nqn.2014-08.org.example:drive\0rubbish", 38);
}

static void a_controller_says_who_it_is(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME };
	uint8_t raw[IDENTIFY];
	struct collect c;

	make_controller(raw);
	every_truncation_is_refused(&nvme_identify_controller, raw, sizeof raw);
	assert_false(failed(learn_exactly(&nvme_identify_controller, raw, sizeof raw, &facts)));
	assert_string_equal(facts.serial, "S1234567890");
	assert_string_equal(facts.model, "EXAMPLE DRIVE 1920G");
	assert_string_equal(facts.firmware, "FW01");
	assert_string_equal(facts.subsystem, "nqn.2014-08.org.example:drive");
	assert_int_equal(facts.nvme_version, 0x010400);
	assert_int_equal(facts.rpm, 0);
	collect_begin(&c);
	facts_samples(&facts, &c.sink);
	assert_sample(&c, 1920383410176, drive_capacity_bytes);
	assert_sample(&c, 70, drive_temperature_limit_celsius, "warning");
	assert_sample(&c, 80, drive_temperature_limit_celsius, "critical");
	collect_end(&c);
}

static void what_is_no_drive_is_refused(void **state)
{
	struct drive_facts facts = { 0 };
	uint8_t raw[IDENTIFY];

	make_controller(raw);
	raw[111] = 2;
	assert_failed(learn_exactly(&nvme_identify_controller, raw, sizeof raw, &facts), "not an I/O controller");
	raw[111] = 3;
	assert_failed(learn_exactly(&nvme_identify_controller, raw, sizeof raw, &facts), "not an I/O controller");
	memset(raw, 0, sizeof raw);
	assert_failed(learn_exactly(&nvme_identify_controller, raw, sizeof raw, &facts), "all zeroes");
	memset(raw, 0xff, sizeof raw);
	assert_failed(learn_exactly(&nvme_identify_controller, raw, sizeof raw, &facts), "all ones");
	assert_failed(learn_exactly(&nvme_identify_namespace, raw, sizeof raw, &facts), "all ones");
	assert_string_equal(facts.model, "");
}

static void a_capacity_past_64_bits_saturates(void **state)
{
	struct drive_facts facts = { 0 };
	uint8_t raw[IDENTIFY];

	make_controller(raw);
	raw[288] = 1;
	assert_false(failed(learn_exactly(&nvme_identify_controller, raw, sizeof raw, &facts)));
	assert_true(facts.nvme_total_bytes == UINT64_MAX);
}

static struct fail learn_namespace(uint32_t nsid, const uint8_t *raw, struct drive_facts *facts)
{
	struct page page = nvme_identify_namespace;

	page.command.key[KEY_IDENTIFY_NSID] = nsid;
	return learn_exactly(&page, raw, IDENTIFY, facts);
}

static void namespaces_add_up_where_the_controller_tells_no_size(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME };
	uint8_t raw[IDENTIFY] = { 0 };
	struct collect c;

	put_le(raw, 0, 1000, 8);
	raw[26] = 0x21;			/* format 17: bit 5, and 1 */
	raw[128 + 4 * 17 + 2] = 12;
	raw[128 + 2] = 9;
	raw[120] = 0xab;		/* EUI-64 */
	every_truncation_is_refused(&nvme_identify_namespace, raw, sizeof raw);
	assert_false(failed(learn_namespace(1, raw, &facts)));
	assert_true(facts.namespaces[0].size_bytes == 4096000);
	assert_string_equal(facts.wwn, "ab00000000000000");

	raw[26] = 0;
	raw[104] = 0xcd;		/* NGUID: another namespace's, so not the drive's */
	assert_false(failed(learn_namespace(7, raw, &facts)));
	assert_false(failed(learn_namespace(7, raw, &facts)));	/* asked again */
	assert_int_equal(facts.n_namespaces, 2);
	assert_true(facts.namespaces[1].size_bytes == 512000);
	assert_string_equal(facts.wwn, "ab00000000000000");

	collect_begin(&c);
	facts_samples(&facts, &c.sink);
	assert_sample(&c, 4608000, drive_capacity_bytes);
	assert_no_sample(&c, drive_temperature_limit_celsius, "warning");
	collect_end(&c);
}

static void an_inactive_namespace_has_no_size(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME };
	uint8_t raw[IDENTIFY] = { 0 };
	struct collect c;

	assert_false(failed(learn_namespace(3, raw, &facts)));
	assert_int_equal(facts.n_namespaces, 1);
	assert_true(facts.namespaces[0].size_bytes == 0);
	assert_string_equal(facts.wwn, "");
	collect_begin(&c);
	facts_samples(&facts, &c.sink);
	assert_int_equal(c.set.n, 0);
	collect_end(&c);
}

static void impossible_block_sizes_are_refused(void **state)
{
	struct drive_facts facts = { 0 };
	uint8_t raw[IDENTIFY] = { 1 };

	raw[130] = 8;
	assert_failed(learn_namespace(1, raw, &facts), "blocks of an impossible size");
	raw[130] = 32;
	assert_failed(learn_namespace(1, raw, &facts), "blocks of an impossible size");
	raw[130] = 31;
	assert_false(failed(learn_namespace(1, raw, &facts)));
	memset(raw, 0xff, 8);
	assert_failed(learn_namespace(1, raw, &facts), "no namespace is that large");
	assert_true(facts.namespaces[0].size_bytes == UINT64_C(1) << 31);
}

static void more_namespaces_than_fit_give_no_capacity(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME };
	uint8_t raw[IDENTIFY] = { 1, [130] = 9, [104] = 1 };
	struct collect c;

	for (uint32_t nsid = 1; nsid <= FACTS_NAMESPACES + 1; nsid++)
		assert_false(failed(learn_namespace(nsid, raw, &facts)));
	assert_int_equal(facts.n_namespaces, FACTS_NAMESPACES);
	assert_string_equal(facts.wwn, "01000000000000000000000000000000");
	collect_begin(&c);
	facts_samples(&facts, &c.sink);
	assert_int_equal(c.set.n, 0);
	collect_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(health_rows_stand_apart_and_move_alone),
		cmocka_unit_test(an_empty_health_log_is_refused),
		cmocka_unit_test(numbers_of_users_are_told_exactly),
		cmocka_unit_test(no_temperature_is_absent_and_the_rest_stands),
		cmocka_unit_test(wear_may_pass_one),
		cmocka_unit_test(each_critical_warning_has_its_bit),
		cmocka_unit_test(counters_of_128_bits_never_fall),
		cmocka_unit_test(a_controller_says_who_it_is),
		cmocka_unit_test(what_is_no_drive_is_refused),
		cmocka_unit_test(a_capacity_past_64_bits_saturates),
		cmocka_unit_test(namespaces_add_up_where_the_controller_tells_no_size),
		cmocka_unit_test(an_inactive_namespace_has_no_size),
		cmocka_unit_test(impossible_block_sizes_are_refused),
		cmocka_unit_test(more_namespaces_than_fit_give_no_capacity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
