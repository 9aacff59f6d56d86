/* page/: NVMe identify data and the health log. */
#include "page_nvme.h"

enum { HEALTH = 512, IDENTIFY = 4096 };

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

static double health_value(const struct page_field *field, const struct collect *c)
{
	return collect_value(c, field->family, field->label[0], field->label[1]);
}

/* Bytes that were counted in 1024s, or with a block's size twice; minutes of work that were labelled seconds; a composite of 75
 * degrees while a sensor says 89. */
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

/* Drives died at 104 and at 130 percent of their life, unseen where the number was held at 100. */
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
	const uint8_t blank[HEALTH] = { [3] = 100 };
	const struct drive_facts facts = { 0 };
	uint8_t raw[HEALTH] = { 0 };
	struct collect c;

	long_rows_are_exact_and_monotone(&nvme_health, blank, sizeof blank, health_value);
	collect_begin(&c);
	memset(raw + 160, 0, 8);
	raw[168] = 1;
	assert_false(failed(decode_exactly(&nvme_health, raw, sizeof raw, &facts, &c)));
	assert_sample(&c, 0x1p64, drive_media_errors_total);
	assert_sample(&c, 0x1p64, drive_uncorrected_errors_total, "all");
	memset(raw + 160, 0xff, 8);
	raw[168] = 0;
	assert_false(failed(decode_exactly(&nvme_health, raw, sizeof raw, &facts, &c)));
	assert_true(collect_value(&c, drive_media_errors_total, NULL, NULL) <= 0x1p64);
	collect_end(&c);
}

/* The summary of all endurance groups means something only where there are any. */
static void warnings_of_groups_are_those_of_a_drive_that_has_groups(void **state)
{
	static const char *const bits[] = { "spare", NULL, "reliability", "read_only" };
	const struct drive_facts has_groups = { .nvme_has_groups = true }, has_none = { 0 };
	struct collect c;

	collect_begin(&c);
	for (size_t set = 0; set < 8; set++) {
		uint8_t raw[HEALTH] = { [3] = 1, [6] = (uint8_t)(1 << set) };

		assert_false(failed(decode_exactly(&nvme_health, raw, sizeof raw, &has_groups, &c)));
		for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
			if (bits[i])
				assert_sample(&c, i == set, drive_nvme_endurance_groups_warning, bits[i]);
		assert_no_sample(&c, drive_nvme_endurance_groups_warning, "");
		assert_false(failed(decode_exactly(&nvme_health, raw, sizeof raw, &has_none, &c)));
		assert_no_sample(&c, drive_nvme_endurance_groups_warning, "spare");
	}
	collect_end(&c);
}

static void reserved_warnings_make_no_series(void **state)
{
	const struct drive_facts facts = { 0 };
	uint8_t none[HEALTH] = { [3] = 1 }, reserved[HEALTH] = { [0] = 0xc0, [3] = 1 };
	struct collect c;
	size_t n;

	collect_begin(&c);
	assert_false(failed(decode_exactly(&nvme_health, none, sizeof none, &facts, &c)));
	n = c.set.n;
	assert_false(failed(decode_exactly(&nvme_health, reserved, sizeof reserved, &facts, &c)));
	assert_int_equal(c.set.n, n);
	assert_sample(&c, 0, drive_nvme_critical_warning, "pmr");
	collect_end(&c);
}

static void power_and_energy_are_told_where_the_drive_measures_them(void **state)
{
	static const struct { uint32_t field; double watts; } powers[] = {
		{ 0x00001234, NAN }, { 0x00010000 | 12345, 1.2345 }, { 0x00020000 | 1234, 12.34 }, { 0x00030001, NAN },
		{ 0x0001ffff, 6.5535 }, { 0x00020000, 0 }, { 0xfffc0000 | 0x00010000 | 10, 0.001 },
	};
	const struct drive_facts facts = { 0 };
	uint8_t raw[HEALTH] = { [3] = 1 };
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(powers); i++) {
		double watts;

		put_le(raw, 240, powers[i].field, 4);
		assert_false(failed(decode_exactly(&nvme_health, raw, sizeof raw, &facts, &c)));
		watts = collect_value(&c, drive_nvme_power_watts, NULL, NULL);
		assert_true(isnan(powers[i].watts) ? isnan(watts) : watts == powers[i].watts);
		assert_no_sample(&c, drive_nvme_energy_joules_total, NULL);
	}
	put_le(raw, 232, 5, 8);
	assert_false(failed(decode_exactly(&nvme_health, raw, sizeof raw, &facts, &c)));
	assert_sample(&c, 18000, drive_nvme_energy_joules_total);
	collect_end(&c);
}

/* Power-on time leaves out low-power states on some drives: 482 hours, and 19,744 of work in them. Each is what the drive
 * says, for the standard says what it means. */
static void a_drive_busier_than_it_was_on_is_served_as_it_says(void **state)
{
	const struct drive_facts facts = { 0 };
	uint8_t raw[HEALTH] = { 0 };
	struct collect c;

	collect_begin(&c);
	put_le(raw, 128, 482, 16);
	put_le(raw, 96, 1184621, 16);
	assert_false(failed(decode_exactly(&nvme_health, raw, sizeof raw, &facts, &c)));
	assert_sample(&c, 482 * 3600, drive_power_on_seconds_total);
	assert_sample(&c, 71077260, drive_nvme_busy_seconds_total);
	assert_int_equal(c.n_implausible, 0);
	collect_end(&c);
}

/* Percentage and written bytes of one drive tell twofold different ages: neither is put in the other's place. */
static void wear_and_written_bytes_stand_side_by_side(void **state)
{
	static const struct { uint8_t percent; uint64_t units; double ratio, bytes; } drives[] = {
		{ 73, 5165820313, 0.73, 2644900000256000 }, { 75, 5013671875, 0.75, 2567000000000000 },
		{ 41, 32381395004, 0.41, 16579274242048000 }, { 16, 113671875, 0.16, 58200000000000 },
	};
	const struct drive_facts facts = { 0 };
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(drives); i++) {
		uint8_t raw[HEALTH] = { [5] = drives[i].percent };

		put_le(raw, 48, drives[i].units, 16);
		assert_false(failed(decode_exactly(&nvme_health, raw, sizeof raw, &facts, &c)));
		assert_sample(&c, drives[i].ratio, drive_endurance_used_ratio);
		assert_sample(&c, drives[i].bytes, drive_written_bytes_total);
	}
	collect_end(&c);
}

static void transitions_and_times_of_cooling_are_told_apart(void **state)
{
	const struct drive_facts facts = { 0 };
	uint8_t raw[HEALTH] = { 0 };
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < 4; i++)
		put_le(raw, 216 + 4 * i, UINT32_MAX - i, 4);
	assert_false(failed(decode_exactly(&nvme_health, raw, sizeof raw, &facts, &c)));
	assert_sample(&c, 4294967295, drive_nvme_thermal_transitions_total, "light");
	assert_sample(&c, 4294967294, drive_nvme_thermal_transitions_total, "heavy");
	assert_sample(&c, 4294967293, drive_nvme_thermal_seconds_total, "light");
	assert_sample(&c, 4294967292, drive_nvme_thermal_seconds_total, "heavy");
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

static void what_is_no_answer_is_refused(void **state)
{
	struct drive_facts facts = { 0 };
	uint8_t raw[IDENTIFY] = { 0 };

	assert_failed(learn_exactly(&nvme_identify_controller, raw, sizeof raw, &facts), "all zeroes");
	memset(raw, 0xff, sizeof raw);
	assert_failed(learn_exactly(&nvme_identify_controller, raw, sizeof raw, &facts), "all ones");
	assert_failed(learn_exactly(&nvme_identify_namespace, raw, sizeof raw, &facts), "all ones");
	assert_string_equal(facts.model, "");
}

/* Who asks for those of fabrics gets discovery and administrative controllers too: each is learned for what it is. */
static void a_controller_says_of_which_type_it_is(void **state)
{
	uint8_t raw[IDENTIFY];

	make_controller(raw);
	for (unsigned type = 0; type <= 0x20; type++)
		for (uint32_t version = 0; version <= 0x20100; version += 0x100) {
			struct drive_facts facts = { 0 };

			raw[111] = (uint8_t)type;
			put_le(raw, 80, version, 4);
			assert_false(failed(learn_exactly(&nvme_identify_controller, raw, sizeof raw, &facts)));
			assert_int_equal(facts.nvme_is_aside, version >= 0x10400 && (type == 2 || type == 3));
		}
}

static struct drive_facts facts_of(const uint8_t raw[IDENTIFY])
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME };

	assert_false(failed(learn_exactly(&nvme_identify_controller, raw, IDENTIFY, &facts)));
	return facts;
}

static unsigned offers(const struct drive_facts *facts)
{
	return (unsigned)facts->nvme_makes_namespaces | (unsigned)facts->nvme_has_self_tests << 1 |
	       (unsigned)facts->nvme_has_groups << 2 | (unsigned)facts->nvme_has_uuids << 3 |
	       (unsigned)facts->nvme_has_sanitize << 4 | (unsigned)facts->nvme_offers_log_list << 5;
}

/* Each bit of the fields that tell of optional commands, alone: it offers what it stands for, or nothing. */
static void each_offer_has_its_bit(void **state)
{
	static const struct { size_t at, bits; struct { size_t bit; unsigned offer; } offers[3]; } fields[] = {
		{ 96, 32, { { 4, 1 << 2 }, { 9, 1 << 3 } } },			/* CTRATT */
		{ 256, 16, { { 3, 1 << 0 }, { 4, 1 << 1 } } },			/* OACS */
		{ 261, 8, { { 5, 1 << 5 } } },					/* LPA */
		{ 328, 32, { { 0, 1 << 4 }, { 1, 1 << 4 }, { 2, 1 << 4 } } },	/* SANICAP */
	};
	uint8_t raw[IDENTIFY];

	make_controller(raw);
	put_le(raw, 80, 0x020000, 4);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		for (size_t bit = 0; bit < fields[i].bits; bit++) {
			struct drive_facts facts;
			unsigned wanted = 0;

			for (size_t k = 0; k < ARRAY_SIZE(fields[i].offers); k++)
				if (fields[i].offers[k].bit == bit)
					wanted |= fields[i].offers[k].offer;
			raw[fields[i].at + bit / 8] ^= (uint8_t)(1 << bit % 8);
			facts = facts_of(raw);
			raw[fields[i].at + bit / 8] ^= (uint8_t)(1 << bit % 8);
			if (offers(&facts) != wanted)
				fail_msg("bit %zu of the field at %zu offers %x", bit, fields[i].at, offers(&facts));
		}
}

/* LPA bit 5 was reserved before version 2.0, and the log is an error there. */
static void the_list_of_logs_came_with_version_2(void **state)
{
	static const struct { uint32_t version; bool is_offered; } versions[] = {
		{ 0, false }, { 0x010000, false }, { 0x010200, false }, { 0x010201, false }, { 0x010300, false },
		{ 0x010400, false }, { 0x01ffff, false }, { 0x020000, true }, { 0x020100, true }, { 0x020300, true },
	};
	uint8_t raw[IDENTIFY];

	make_controller(raw);
	raw[261] = 1 << 5;
	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		struct drive_facts facts;

		put_le(raw, 80, versions[i].version, 4);
		facts = facts_of(raw);
		assert_int_equal(nvme_log_list.is_offered(&nvme_log_list, &facts), versions[i].is_offered);
	}
}

/* A controller without namespace management gives all its capacity to the namespaces it has. */
static void unallocated_capacity_is_of_drives_that_make_namespaces(void **state)
{
	struct drive_facts facts;
	uint8_t raw[IDENTIFY];
	struct collect c;

	collect_begin(&c);
	make_controller(raw);
	put_le(raw, 296, 960000000000, 16);
	put_le(raw, 316, 90, 2);
	put_le(raw, 340, 0x0102, 2);
	facts = facts_of(raw);
	assert_int_equal(facts.nvme_last_group, 0x0102);
	facts_samples(&facts, &c.sink);
	assert_no_sample(&c, drive_nvme_unallocated_bytes, NULL);
	assert_no_sample(&c, drive_self_test_duration_seconds, "extended");
	sample_set_clear(&c.set);
	put_le(raw, 256, 1 << 3 | 1 << 4, 2);
	facts = facts_of(raw);
	facts_samples(&facts, &c.sink);
	assert_sample(&c, 960000000000, drive_nvme_unallocated_bytes);
	assert_sample(&c, 5400, drive_self_test_duration_seconds, "extended");
	sample_set_clear(&c.set);
	put_le(raw, 296, 0, 16);		/* all is given to namespaces */
	facts = facts_of(raw);
	facts_samples(&facts, &c.sink);
	assert_sample(&c, 0, drive_nvme_unallocated_bytes);
	sample_set_clear(&c.set);
	put_le(raw, 280, 0, 16);		/* and nothing is told of the whole */
	put_le(raw, 316, 0, 2);
	facts = facts_of(raw);
	facts_samples(&facts, &c.sink);
	assert_no_sample(&c, drive_nvme_unallocated_bytes, NULL);
	assert_no_sample(&c, drive_self_test_duration_seconds, "extended");
	collect_end(&c);
}

static void limits_that_are_not_told_are_absent(void **state)
{
	struct drive_facts facts;
	uint8_t raw[IDENTIFY];
	struct collect c;

	collect_begin(&c);
	make_controller(raw);
	put_le(raw, 266, 0, 2);
	facts = facts_of(raw);
	facts_samples(&facts, &c.sink);
	assert_no_sample(&c, drive_temperature_limit_celsius, "warning");
	assert_sample(&c, 80, drive_temperature_limit_celsius, "critical");
	collect_end(&c);
}

/* There is no such drive. */
static void a_capacity_past_64_bits_is_not_told(void **state)
{
	struct drive_facts facts = { 0 };
	uint8_t raw[IDENTIFY];

	make_controller(raw);
	raw[288] = 1;
	assert_false(failed(learn_exactly(&nvme_identify_controller, raw, sizeof raw, &facts)));
	assert_true(facts.nvme_total_bytes == 0);
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

/* Of 55 drives 32 had capacity 0 by tools that look into the one field: it may be 0 where the controller could have 128
 * namespaces and has one. */
static void one_active_namespace_of_128_is_the_capacity(void **state)
{
	struct drive_facts facts;
	uint8_t raw[IDENTIFY], namespace[IDENTIFY] = { [26] = 0, [130] = 9 };
	struct collect c;

	make_controller(raw);
	put_le(raw, 280, 0, 16);
	put_le(raw, 516, 128, 4);
	facts = facts_of(raw);
	collect_begin(&c);
	facts_samples(&facts, &c.sink);
	assert_no_sample(&c, drive_capacity_bytes, NULL);	/* not asked yet: not told, and not 0 */
	put_le(namespace, 0, 3750748848, 8);
	assert_false(failed(learn_namespace(1, namespace, &facts)));
	sample_set_clear(&c.set);
	facts_samples(&facts, &c.sink);
	assert_sample(&c, 1920383410176, drive_capacity_bytes);
	collect_end(&c);
}

static void a_namespace_tells_size_capacity_and_use(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME };
	uint8_t raw[IDENTIFY] = { [26] = 1, [128 + 4 + 2] = 12 };
	struct collect c;

	collect_begin(&c);
	put_le(raw, 0, 1000000, 8);
	put_le(raw, 8, 900000, 8);
	put_le(raw, 16, 0, 8);			/* nothing is written: 0, not absent */
	put_le(raw, 102, 0x0201, 2);
	assert_false(failed(learn_namespace(UINT32_MAX - 1, raw, &facts)));
	assert_int_equal(facts.namespaces[0].endurance_group, 0x0201);
	facts_samples(&facts, &c.sink);
	assert_sample(&c, 4096000000, drive_nvme_namespace_size_bytes, "4294967294");
	assert_sample(&c, 3686400000, drive_nvme_namespace_capacity_bytes, "4294967294");
	assert_sample(&c, 0, drive_nvme_namespace_used_bytes, "4294967294");
	assert_sample(&c, 4096, drive_nvme_namespace_block_bytes, "4294967294");
	collect_end(&c);
}

/* NSZE fits and the others do not: they are left out, and the size stands. */
static void what_is_more_than_there_can_be_is_left_out(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME };
	uint8_t raw[IDENTIFY] = { [0] = 1, [130] = 12 };
	struct collect c;

	collect_begin(&c);
	memset(raw + 8, 0xff, 16);
	assert_false(failed(learn_namespace(1, raw, &facts)));
	facts_samples(&facts, &c.sink);
	assert_sample(&c, 4096, drive_nvme_namespace_size_bytes, "1");
	assert_no_sample(&c, drive_nvme_namespace_capacity_bytes, "1");
	assert_no_sample(&c, drive_nvme_namespace_used_bytes, "1");
	collect_end(&c);
}

/* All 64: bits 3:0 and 6:5 of FLBAS; bit 4 says where metadata goes, bit 7 nothing. */
static void every_format_is_found_by_its_number(void **state)
{
	for (unsigned format = 0; format < 64; format++) {
		struct drive_facts facts = { .transport = TRANSPORT_NVME };
		uint8_t raw[IDENTIFY] = { [0] = 3 };

		for (unsigned i = 0; i < 64; i++)
			raw[128 + 4 * i + 2] = i == format ? 12 : 9;
		raw[26] = (uint8_t)((format & 0xf) | (format & 0x30) << 1);
		assert_false(failed(learn_namespace(1, raw, &facts)));
		assert_int_equal(facts.namespaces[0].block_bytes, 4096);
		raw[26] |= 0x90;
		assert_false(failed(learn_namespace(1, raw, &facts)));
		assert_int_equal(facts.namespaces[0].size_bytes, 12288);
	}
}

static void a_namespace_that_was_formatted_anew_tells_its_new_size(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_NVME };
	uint8_t raw[IDENTIFY] = { [0] = 200, [130] = 9, [102] = 1 };

	assert_false(failed(learn_namespace(1, raw, &facts)));
	raw[130] = 12;
	raw[0] = 25;
	raw[102] = 2;
	assert_false(failed(learn_namespace(1, raw, &facts)));
	assert_int_equal(facts.n_namespaces, 1);
	assert_int_equal(facts.namespaces[0].block_bytes, 4096);
	assert_int_equal(facts.namespaces[0].endurance_group, 2);
	raw[130] = 3;				/* a wrong answer leaves what was known */
	assert_failed(learn_namespace(1, raw, &facts), "blocks of an impossible size");
	assert_int_equal(facts.namespaces[0].block_bytes, 4096);
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
	assert_no_sample(&c, drive_capacity_bytes, NULL);
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
	assert_no_sample(&c, drive_capacity_bytes, NULL);
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
		cmocka_unit_test(warnings_of_groups_are_those_of_a_drive_that_has_groups),
		cmocka_unit_test(reserved_warnings_make_no_series),
		cmocka_unit_test(power_and_energy_are_told_where_the_drive_measures_them),
		cmocka_unit_test(a_drive_busier_than_it_was_on_is_served_as_it_says),
		cmocka_unit_test(wear_and_written_bytes_stand_side_by_side),
		cmocka_unit_test(transitions_and_times_of_cooling_are_told_apart),
		cmocka_unit_test(a_controller_says_who_it_is),
		cmocka_unit_test(what_is_no_answer_is_refused),
		cmocka_unit_test(a_controller_says_of_which_type_it_is),
		cmocka_unit_test(each_offer_has_its_bit),
		cmocka_unit_test(the_list_of_logs_came_with_version_2),
		cmocka_unit_test(unallocated_capacity_is_of_drives_that_make_namespaces),
		cmocka_unit_test(limits_that_are_not_told_are_absent),
		cmocka_unit_test(a_capacity_past_64_bits_is_not_told),
		cmocka_unit_test(namespaces_add_up_where_the_controller_tells_no_size),
		cmocka_unit_test(one_active_namespace_of_128_is_the_capacity),
		cmocka_unit_test(a_namespace_tells_size_capacity_and_use),
		cmocka_unit_test(what_is_more_than_there_can_be_is_left_out),
		cmocka_unit_test(every_format_is_found_by_its_number),
		cmocka_unit_test(a_namespace_that_was_formatted_anew_tells_its_new_size),
		cmocka_unit_test(an_inactive_namespace_has_no_size),
		cmocka_unit_test(impossible_block_sizes_are_refused),
		cmocka_unit_test(more_namespaces_than_fit_give_no_capacity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
