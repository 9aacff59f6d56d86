/* page/: is the drive awake? */
#include "page/power.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

static enum power_state of_count(uint8_t count)
{
	enum power_state state = N_POWER_STATES;

	assert_false(failed(power_from_check_power(bytes_of(&count, 1), &state)));
	return state;
}

/* 81h to 83h taken for sleep is a fault of others: Seagate enters idle_a within 100 ms and was never read. */
static void every_code_of_check_power_has_its_state(void **state)
{
	static const uint8_t standby[] = { 0x00, 0x01, 0x40 }, idle[] = { 0x41, 0x80, 0x81, 0x82, 0x83 };
	enum power_state expected[256];

	for (unsigned i = 0; i < 256; i++)
		expected[i] = POWER_UNKNOWN;
	for (size_t i = 0; i < ARRAY_SIZE(standby); i++)
		expected[standby[i]] = POWER_STANDBY;
	for (size_t i = 0; i < ARRAY_SIZE(idle); i++)
		expected[idle[i]] = POWER_IDLE;
	expected[0xff] = POWER_ACTIVE;
	for (unsigned i = 0; i < 256; i++)
		assert_int_equal(of_count((uint8_t)i), expected[i]);
}

static void check_power_is_one_byte(void **state)
{
	uint8_t raw[2] = { 0xff, 0xff };
	enum power_state power = N_POWER_STATES;

	assert_true(failed(power_from_check_power(bytes_of(raw, 0), &power)));
	assert_true(failed(power_from_check_power(bytes_of(raw, 2), &power)));
	assert_int_equal(power, N_POWER_STATES);
}

static enum power_state of_sense(uint8_t response, uint8_t key, uint8_t asc, uint8_t ascq)
{
	uint8_t raw[18] = { response };
	bool is_fixed = (response & 0x7e) == 0x70;
	enum power_state power = N_POWER_STATES;

	raw[is_fixed ? 2 : 1] = key;
	raw[is_fixed ? 12 : 2] = asc;
	raw[is_fixed ? 13 : 3] = ascq;
	assert_false(failed(power_from_sense(bytes_of(raw, is_fixed ? 18 : 8), &power)));
	return power;
}

static void sense_data_tells_the_power_condition(void **state)
{
	static const struct {
		uint8_t key, asc, ascq;
		enum power_state power;
	} cases[] = {
		{ 0, 0x00, 0x00, POWER_ACTIVE }, { 2, 0x04, 0x02, POWER_STANDBY }, { 2, 0x04, 0x11, POWER_STANDBY },
		{ 0, 0x04, 0x09, POWER_ACTIVE }, { 2, 0x04, 0x01, POWER_UNKNOWN }, { 6, 0x29, 0x00, POWER_UNKNOWN },
		{ 0, 0x5d, 0x10, POWER_ACTIVE }, { 1, 0x0b, 0x01, POWER_ACTIVE }, { 4, 0x00, 0x00, POWER_UNKNOWN },
		{ 0, 0x5e, 0x00, POWER_STANDBY }, { 0, 0x5e, 0x01, POWER_IDLE }, { 0, 0x5e, 0x02, POWER_STANDBY },
		{ 0, 0x5e, 0x03, POWER_IDLE }, { 0, 0x5e, 0x04, POWER_STANDBY }, { 0, 0x5e, 0x05, POWER_IDLE },
		{ 0, 0x5e, 0x06, POWER_IDLE }, { 0, 0x5e, 0x07, POWER_IDLE }, { 0, 0x5e, 0x08, POWER_IDLE },
		{ 0, 0x5e, 0x09, POWER_STANDBY }, { 0, 0x5e, 0x0a, POWER_STANDBY }, { 0, 0x5e, 0x41, POWER_UNKNOWN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(of_sense(0x70, cases[i].key, cases[i].asc, cases[i].ascq), cases[i].power);
		assert_int_equal(of_sense(0xf0, cases[i].key, cases[i].asc, cases[i].ascq), cases[i].power);
		assert_int_equal(of_sense(0x72, cases[i].key, cases[i].asc, cases[i].ascq), cases[i].power);
	}
	assert_int_equal(of_sense(0x71, 0, 0, 0), POWER_UNKNOWN);	/* about an earlier command */
	assert_int_equal(of_sense(0x73, 0, 0x5e, 2), POWER_UNKNOWN);
}

static void truncated_or_foreign_sense_is_refused(void **state)
{
	static const struct {
		uint8_t response;
		size_t needed;
	} cases[] = { { 0x70, 14 }, { 0x72, 4 } };
	enum power_state power = N_POWER_STATES;
	uint8_t rubbish[18] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (size_t n = 0; n <= cases[i].needed; n++) {
			AUTO_FREE uint8_t *raw = calloc(1, n ? n : 1);

			assert_non_null(raw);
			raw[0] = cases[i].response;
			assert_int_equal(failed(power_from_sense(bytes_of(raw, n), &power)), n < cases[i].needed);
		}
	power = N_POWER_STATES;
	assert_true(failed(power_from_sense(bytes_of(rubbish, sizeof rubbish), &power)));
	memset(rubbish, 0xff, sizeof rubbish);
	assert_true(failed(power_from_sense(bytes_of(rubbish, sizeof rubbish), &power)));
	assert_int_equal(power, N_POWER_STATES);
}

static void only_sleepers_are_left_alone(void **state)
{
	assert_false(power_forbids_reading(POWER_ACTIVE));
	assert_false(power_forbids_reading(POWER_IDLE));
	assert_true(power_forbids_reading(POWER_STANDBY));
	assert_true(power_forbids_reading(POWER_SLEEP));
	assert_false(power_forbids_reading(POWER_UNKNOWN));
	assert_string_equal(power_state_name(POWER_ACTIVE), "active");
	assert_string_equal(power_state_name(POWER_IDLE), "idle");
	assert_string_equal(power_state_name(POWER_STANDBY), "standby");
	assert_string_equal(power_state_name(POWER_SLEEP), "sleep");
	assert_string_equal(power_state_name(POWER_UNKNOWN), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_of_check_power_has_its_state),
		cmocka_unit_test(check_power_is_one_byte),
		cmocka_unit_test(sense_data_tells_the_power_condition),
		cmocka_unit_test(truncated_or_foreign_sense_is_refused),
		cmocka_unit_test(only_sleepers_are_left_alone),
	};

	return cmocka_run_group_tests_name("page: power", tests, NULL, NULL);
}
