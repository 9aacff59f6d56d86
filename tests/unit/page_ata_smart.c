/* page/: SMART data, thresholds and status; what attributes mean. */
#include "page_common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/ata_atasmart.h"
#include "page/ata_attribute.h"

enum { SECTOR = 512 };

/* Makes the bytes add up to 0, as drives do. */
static void seal(uint8_t raw[SECTOR])
{
	uint8_t sum = 0;

	raw[SECTOR - 1] = 0;
	for (size_t i = 0; i < SECTOR; i++)
		sum = (uint8_t)(sum + raw[i]);
	raw[SECTOR - 1] = (uint8_t)-sum;
}

static void set_attribute(uint8_t raw[SECTOR], size_t slot, uint8_t id, uint8_t value, uint8_t worst, uint64_t number)
{
	uint8_t *entry = raw + 2 + 12 * slot;

	entry[0] = id;
	entry[3] = value;
	entry[4] = worst;
	for (size_t i = 0; i < 7; i++)	/* some vendors count on into the reserved byte */
		entry[5 + i] = (uint8_t)(number >> 8 * i);
	raw[0] = 1;
	seal(raw);
}

static void set_threshold(uint8_t raw[SECTOR], size_t slot, uint8_t id, uint8_t threshold)
{
	raw[2 + 12 * slot] = id;
	raw[3 + 12 * slot] = threshold;
	raw[0] = 1;
	seal(raw);
}

static struct drive_facts *facts_of(const char *model)
{
	static struct drive_facts facts;

	memset(&facts, 0, sizeof facts);
	facts.logical_block = 512;
	facts.capacity_bytes = 1000204886016;
	facts.rpm = 7200;
	facts.has_identify = true;
	memcpy(facts.model, model, strlen(model) + 1);
	memset(facts.identify + 54, ' ', 40);
	for (size_t i = 0; model[i]; i++)
		facts.identify[54 + (i ^ 1)] = (uint8_t)model[i];
	return &facts;
}

/* As a poll does: what the attributes mean is learned from the answer that is decoded. */
static struct fail read_data(const uint8_t raw[SECTOR], struct drive_facts *facts, struct collect *c)
{
	struct fail f = learn_exactly(&ata_smart_data, raw, SECTOR, facts);

	c->n_implausible = 0;
	return failed(f) ? f : decode_exactly(&ata_smart_data, raw, SECTOR, facts, c);
}

/* Reads a drive with this one attribute; its quantity is then in c. */
static void read_one(struct collect *c, const char *model, uint8_t id, uint64_t number)
{
	uint8_t raw[SECTOR] = { 0 };

	set_attribute(raw, 0, id, 100, 100, number);
	assert_false(failed(read_data(raw, facts_of(model), c)));
}

static void attributes_are_told_as_the_drive_gives_them(void **state)
{
	struct drive_facts *facts = facts_of("ACME");
	uint8_t data[SECTOR] = { 0 }, thresholds[SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	set_attribute(data, 0, 1, 117, 99, 0x0605040302010a);
	set_attribute(data, 2, 255, 0, 255, 7);		/* after an unused entry */
	set_attribute(data, 29, 241, 1, 2, 3);
	set_threshold(thresholds, 5, 1, 6);		/* in another place, found by its id */
	set_threshold(thresholds, 6, 241, 0);
	set_threshold(thresholds, 7, 1, 99);
	assert_false(failed(learn_exactly(&ata_smart_thresholds, thresholds, SECTOR, facts)));
	assert_false(failed(decode_exactly(&ata_smart_data, data, SECTOR, facts, &c)));
	assert_sample(&c, 117, drive_ata_attribute_value, "1");
	assert_sample(&c, 99, drive_ata_attribute_worst, "1");
	assert_sample(&c, 6, drive_ata_attribute_threshold, "1");
	assert_sample(&c, 0x05040302010a, drive_ata_attribute_raw, "1");	/* six bytes, not seven */
	assert_sample(&c, 0, drive_ata_attribute_value, "255");
	assert_sample(&c, 255, drive_ata_attribute_worst, "255");
	assert_no_sample(&c, drive_ata_attribute_threshold, "255");
	assert_sample(&c, 0, drive_ata_attribute_threshold, "241");
	assert_sample(&c, 3, drive_ata_attribute_raw, "241");
	assert_no_sample(&c, drive_ata_attribute_value, "0");
	collect_end(&c);
}

static void thresholds_are_told_only_where_they_were_read(void **state)
{
	uint8_t data[SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	set_attribute(data, 0, 1, 117, 99, 5);
	assert_false(failed(decode_exactly(&ata_smart_data, data, SECTOR, facts_of("ACME"), &c)));
	assert_no_sample(&c, drive_ata_attribute_threshold, "1");
	collect_end(&c);
}

static void of_two_attributes_with_one_id_the_first_counts(void **state)
{
	uint8_t data[SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	set_attribute(data, 0, 12, 100, 100, 40);
	set_attribute(data, 1, 12, 50, 50, 99);
	assert_false(failed(read_data(data, facts_of("ACME"), &c)));
	assert_sample(&c, 100, drive_ata_attribute_value, "12");
	assert_sample(&c, 40, drive_ata_attribute_raw, "12");
	assert_sample(&c, 40, drive_power_cycles_total, NULL);
	collect_end(&c);
}

static void each_byte_of_an_attribute_moves_its_own_samples(void **state)
{
	static const struct {
		size_t at;
		unsigned n_moved;
	} cases[] = { { 1, 0 }, { 2, 0 }, { 3, 1 }, { 4, 1 }, { 5, 1 }, { 10, 1 }, { 11, 0 } };
	uint8_t raw[SECTOR] = { 0 };
	struct collect before, after;

	collect_begin(&before);
	collect_begin(&after);
	set_attribute(raw, 0, 1, 100, 100, 1);
	set_attribute(raw, 1, 7, 100, 100, 1);
	assert_false(failed(decode_exactly(&ata_smart_data, raw, SECTOR, facts_of("ACME"), &before)));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned n_moved = 0;

		raw[2 + cases[i].at]++;
		seal(raw);
		assert_false(failed(decode_exactly(&ata_smart_data, raw, SECTOR, facts_of("ACME"), &after)));
		raw[2 + cases[i].at]--;
		assert_int_equal(before.set.n, after.set.n);
		for (size_t k = 0; k < before.set.n; k++)
			n_moved += before.set.at[k].value != after.set.at[k].value;
		assert_int_equal(n_moved, cases[i].n_moved);
	}
	collect_end(&before);
	collect_end(&after);
}

static void a_broken_structure_fails_alone(void **state)
{
	struct drive_facts *facts = facts_of("ACME");
	uint8_t data[SECTOR + 1] = { 0 }, thresholds[SECTOR] = { 0 }, blank[SECTOR] = { 0 }, ones[SECTOR];
	struct collect c;

	collect_begin(&c);
	memset(ones, 0xff, SECTOR);
	set_attribute(data, 0, 194, 100, 100, 36);
	set_threshold(thresholds, 0, 194, 45);
	every_truncation_is_refused(&ata_smart_data, data, SECTOR);
	every_truncation_is_refused(&ata_smart_thresholds, thresholds, SECTOR);
	assert_failed(decode_exactly(&ata_smart_data, data, SECTOR + 1, facts, &c), "is not 512 bytes");

	assert_failed(decode_exactly(&ata_smart_data, blank, SECTOR, facts, &c), "empty");
	assert_failed(decode_exactly(&ata_smart_data, ones, SECTOR, facts, &c), "empty");
	assert_failed(learn_exactly(&ata_smart_thresholds, blank, SECTOR, facts), "empty");
	for (size_t at = 0; at < SECTOR; at++) {
		data[at] ^= 0x10;
		assert_failed(decode_exactly(&ata_smart_data, data, SECTOR, facts, &c), "bad checksum");
		assert_failed(learn_exactly(&ata_smart_data, data, SECTOR, facts), "bad checksum");
		data[at] ^= 0x10;
		thresholds[at] ^= 0x10;
		assert_failed(learn_exactly(&ata_smart_thresholds, thresholds, SECTOR, facts), "bad checksum");
		thresholds[at] ^= 0x10;
	}
	assert_int_equal(c.set.n, 0);
	assert_false(facts->has_thresholds);
	collect_end(&c);
}

static void status_is_passed_failed_or_refused(void **state)
{
	static const uint8_t passed[] = { 0x4f, 0xc2 }, exceeded[] = { 0xf4, 0x2c };
	struct collect c;

	collect_begin(&c);
	every_truncation_is_refused(&ata_smart_status, passed, 2);
	assert_false(failed(decode_exactly(&ata_smart_status, passed, 2, facts_of("ACME"), &c)));
	assert_sample(&c, 0, drive_warning, "smart_failing", "fatal");
	assert_false(failed(decode_exactly(&ata_smart_status, exceeded, 2, facts_of("ACME"), &c)));
	assert_sample(&c, 1, drive_warning, "smart_failing", "fatal");
	for (unsigned i = 0; i < 65536; i++) {
		uint8_t raw[2] = { (uint8_t)i, (uint8_t)(i >> 8) };

		if (memcmp(raw, passed, 2) && memcmp(raw, exceeded, 2))
			assert_failed(decode_exactly(&ata_smart_status, raw, 2, facts_of("ACME"), &c),
				      "neither passed nor failed");
	}
	collect_end(&c);
}

/* ---- what attributes mean */

/* Raw numbers that users of other programs saw as temperatures, with minimum and maximum in them. */
static void temperatures_are_unpacked(void **state)
{
	static const struct {
		uint64_t raw;
		double celsius;
	} cases[] = {
		{ 240518299684, 36 }, { 73014444075, 43 }, { 193274642466, 34 }, { 111669215238, 6 },
		{ 163210199071, 31 }, { 176094511130, 26 }, { 81604378659, 35 }, { 25, 25 }, { 125, 125 },
		{ 0xfff6, -10 }, { 0x290012000000, NAN }, { 0x2a1423, 35 }, { 0x142a23, 35 },
	};
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		read_one(&c, "ACME", 194, cases[i].raw);
		if (isnan(cases[i].celsius))
			assert_no_sample(&c, drive_temperature_celsius, "drive");
		else
			assert_sample(&c, cases[i].celsius, drive_temperature_celsius, "drive");
		assert_int_equal(c.n_implausible, 0);
	}
	collect_end(&c);
}

static void impossible_temperatures_are_absent_and_counted(void **state)
{
	static const uint64_t raws[] = { 126, 200, 255, 0xff80, 0x0123, 0x60504023, 0x60401023, 0x301040 };
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(raws); i++) {
		read_one(&c, "ACME", 194, raws[i]);
		assert_no_sample(&c, drive_temperature_celsius, "drive");
		assert_int_equal(c.n_implausible, 1);
	}
	read_one(&c, "ACME", 194, 0xffffffffffff);	/* no sensor is no lie */
	assert_no_sample(&c, drive_temperature_celsius, "drive");
	assert_int_equal(c.n_implausible, 0);
	collect_end(&c);
}

static void one_attribute_gives_the_temperature(void **state)
{
	struct drive_facts *facts = facts_of("ACME");
	uint8_t raw[SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	set_attribute(raw, 0, 190, 70, 70, 30);
	set_attribute(raw, 1, 194, 70, 70, 33);
	assert_false(failed(read_data(raw, facts, &c)));
	assert_sample(&c, 33, drive_temperature_celsius, "drive");
	set_attribute(raw, 1, 194, 70, 70, 0);		/* not told: the other one is asked */
	assert_false(failed(read_data(raw, facts, &c)));
	assert_sample(&c, 30, drive_temperature_celsius, "drive");
	set_attribute(raw, 1, 194, 70, 70, 240);	/* a lie: no other source steps in */
	assert_false(failed(read_data(raw, facts, &c)));
	assert_no_sample(&c, drive_temperature_celsius, "drive");
	collect_end(&c);
}

static void power_on_time_is_the_low_half(void **state)
{
	static const struct {
		uint64_t raw;
		double hours;
	} cases[] = {
		{ 115594749838557, 34013 }, { 209259396633810, 38098 }, { 9023116403587028, 47060 }, { 0, 0 },
		{ 175680, 175680 },	/* twenty years */
	};
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		read_one(&c, "ACME", 9, cases[i].raw);
		assert_sample(&c, cases[i].hours * 3600, drive_power_on_seconds_total, NULL);
		assert_int_equal(c.n_implausible, 0);
	}
	collect_end(&c);
}

#ifdef WITH_ATASMART
static void power_on_time_has_the_models_unit(void **state)
{
	static const struct {
		const char *model;
		uint64_t raw;
		double seconds;
	} cases[] = {
		{ "Maxtor 96147H8", 121017, 7261020 }, { "Maxtor 6Y120P0", 28870, 1732200 },	/* minutes */
		{ "SAMSUNG SP0802N", 557429, 16722870 },	/* half minutes */
		{ "SAMSUNG MP0804H", 557429, 16722870 },	/* half minutes, unknown to libatasmart */
		{ "FUJITSU MHV2080AH", 16722870, 16722870 },	/* seconds */
		{ "TOSHIBA MK1651GSY", 378645, 22718700 },	/* minutes, unknown to libatasmart */
	};
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		read_one(&c, cases[i].model, 9, cases[i].raw);
		assert_sample(&c, cases[i].seconds, drive_power_on_seconds_total, NULL);
	}
	read_one(&c, "INTEL SSDSC2CW120A3", 9, 894118);	/* 102 years */
	assert_no_sample(&c, drive_power_on_seconds_total, NULL);
	assert_int_equal(c.n_implausible, 1);
	collect_end(&c);
}

static void a_models_own_meaning_wins(void **state)
{
	struct collect c;

	collect_begin(&c);
	read_one(&c, "SAMSUNG SV1204H", 194, 315);	/* tenths of a degree */
	assert_sample(&c, 31.5, drive_temperature_celsius, "drive");
	assert_sample(&c, 1, drive_ata_attribute_info, "194", "temperature-centi-celsius");
	read_one(&c, "SAMSUNG SV1204H", 194, 9999);
	assert_no_sample(&c, drive_temperature_celsius, "drive");
	assert_int_equal(c.n_implausible, 1);
	read_one(&c, "Maxtor 4D060H3", 194, 36);	/* something else */
	assert_no_sample(&c, drive_temperature_celsius, "drive");
	assert_int_equal(c.n_implausible, 0);
	read_one(&c, "ACME", 231, 90);			/* on a disk 231 is a temperature, */
	assert_sample(&c, 90, drive_temperature_celsius, "drive");
	collect_end(&c);
}

/* libatasmart knows that 198 of this model means something else with this firmware. */
static void what_libatasmart_calls_unknown_is_nothing(void **state)
{
	static const char firmware[] = "0085000B";
	struct drive_facts *facts = facts_of("FUJITSU MHY2120BH");
	uint8_t raw[SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; firmware[i]; i++)
		facts->identify[46 + (i ^ 1)] = (uint8_t)firmware[i];
	set_attribute(raw, 0, 198, 100, 100, 0x31);
	assert_false(failed(read_data(raw, facts, &c)));
	assert_no_sample(&c, drive_offline_uncorrectable_sectors, NULL);
	assert_int_equal(c.n_implausible, 0);
	read_one(&c, "FUJITSU MHY2120BH", 198, 0x31);
	assert_sample(&c, 0x31, drive_offline_uncorrectable_sectors, NULL);
	collect_end(&c);
}

static void names_of_disks_are_not_given_to_ssds(void **state)
{
	struct drive_facts *facts = facts_of("ACME");
	uint8_t raw[SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	set_attribute(raw, 0, 12, 100, 100, 36);
	set_attribute(raw, 1, 230, 100, 100, 36);
	for (int rpm = 0; rpm < 2; rpm++) {
		facts->rpm = rpm * 7200;
		facts->attribute_ids[0] = 0;	/* look them up anew */
		assert_false(failed(read_data(raw, facts, &c)));
		assert_string_equal(facts->attributes[0].name, "power-cycle-count");
		assert_string_equal(facts->attributes[1].name, rpm ? "head-amplitude" : "");
	}
	collect_end(&c);
}

static void names_of_unknown_models_come_from_libatasmart_once(void **state)
{
	struct drive_facts *facts = facts_of("ACME");
	uint8_t raw[SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	set_attribute(raw, 0, 9, 100, 100, 36);
	set_attribute(raw, 1, 251, 100, 100, 36);
	assert_false(failed(read_data(raw, facts, &c)));
	assert_int_equal(facts->attribute_ids[0], 9);
	assert_string_equal(facts->attributes[0].name, "power-on-hours");
	assert_string_equal(facts->attributes[1].name, "");
	strcpy(facts->attributes[0].name, "learned");
	assert_false(failed(read_data(raw, facts, &c)));
	assert_sample(&c, 1, drive_ata_attribute_info, "9", "learned");
	set_attribute(raw, 1, 5, 100, 100, 36);		/* another attribute: all is looked up anew */
	assert_false(failed(read_data(raw, facts, &c)));
	assert_sample(&c, 1, drive_ata_attribute_info, "9", "power-on-hours");
	assert_sample(&c, 1, drive_ata_attribute_info, "5", "reallocated-sector-count");
	collect_end(&c);
}
#endif

/* SSD_Life_Left; on a drive that tells no rotation rate nobody knows. */
static void life_left_is_no_temperature(void **state)
{
	struct drive_facts *facts = facts_of("ACME");
	uint8_t raw[SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	set_attribute(raw, 0, 231, 90, 90, 90);
	facts->rpm = 0;
	assert_false(failed(read_data(raw, facts, &c)));
	assert_no_sample(&c, drive_temperature_celsius, "drive");
	facts->rpm = -1;
	assert_false(failed(read_data(raw, facts, &c)));
	assert_no_sample(&c, drive_temperature_celsius, "drive");
	collect_end(&c);
}

static void counts_are_unpacked_and_judged(void **state)
{
	static const struct {
		const char *model;
		uint8_t id;
		enum metric_family_id family;
		uint64_t raw;
		double count;	/* NAN: implausible */
	} cases[] = {
		{ "ACME", 5, drive_reallocated_sectors, 1935, 1935 },
		{ "FUJITSU MHZ2160BH G1", 5, drive_reallocated_sectors, 0x7d000000000, 0 },	/* spare ones above */
		{ "Hitachi HDS721010CLA632", 5, drive_reallocated_sectors, 0x2b002b, 43 },
		{ "IC25N020ATCS04-0", 5, drive_reallocated_sectors, 0x40016, 22 },
		{ "ACME", 5, drive_reallocated_sectors, 0x2faf08, NAN },	/* 44808 and 47, or 3125000: nobody knows */
		{ "ACME", 5, drive_reallocated_sectors, 0xffff, 0xffff },
		{ "ACME", 198, drive_offline_uncorrectable_sectors, 7, 7 },
		{ "ACME", 5, drive_reallocated_sectors, 0xffffffff, NAN },
		{ "ACME", 5, drive_reallocated_sectors, 0xffffffffffff, NAN },
		{ "ACME", 197, drive_pending_sectors, 65529, 65529 },
		{ "ACME", 197, drive_pending_sectors, 19535251, 19535251 },	/* a hundredth of a disk of 1 TB */
		{ "ACME", 197, drive_pending_sectors, 19535252, NAN },
		{ "SAMSUNG HS122JC", 197, drive_pending_sectors, 0x10cf2e3c, NAN },
		{ "ACME", 12, drive_power_cycles_total, 117, 117 },
		{ "ACME", 12, drive_power_cycles_total, 117 | 5ull << 32, 117 },
		{ "ACME", 12, drive_power_cycles_total, 1 << 21, NAN },
	};
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		read_one(&c, cases[i].model, cases[i].id, cases[i].raw);
		if (isnan(cases[i].count))
			assert_no_sample(&c, cases[i].family, NULL);
		else
			assert_sample(&c, cases[i].count, cases[i].family, NULL);
		assert_int_equal(c.n_implausible, isnan(cases[i].count));
	}
	collect_end(&c);
}

static void ones_are_no_count_even_of_a_drive_of_unknown_size(void **state)
{
	struct drive_facts *facts = facts_of("ACME");
	uint8_t raw[SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	facts->capacity_bytes = 0;
	set_attribute(raw, 0, 5, 100, 100, 0xffffffff);
	set_attribute(raw, 1, 197, 100, 100, 0xfffffffe);
	assert_false(failed(read_data(raw, facts, &c)));
	assert_no_sample(&c, drive_reallocated_sectors, NULL);
	assert_sample(&c, 0xfffffffe, drive_pending_sectors, NULL);
	assert_int_equal(c.n_implausible, 1);
	collect_end(&c);
}

static void vendor_counters_of_unknown_unit_are_left_alone(void **state)
{
	static const uint8_t ids[] = { 177, 202, 225, 230, 231, 232, 233, 241, 242, 246, 249 };
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		uint8_t raw[SECTOR] = { 0 };
		struct drive_facts *facts = facts_of("ACME");

		facts->rpm = 0;
		set_attribute(raw, 0, ids[i], 100, 100, 23996625190);
		assert_false(failed(read_data(raw, facts, &c)));
		for (size_t k = 0; k < c.set.n; k++)
			assert_true(c.set.at[k].family >= drive_ata_attribute_value &&
				    c.set.at[k].family <= drive_ata_attribute_info);
	}
	collect_end(&c);
}

/* Seagate's disks pack three counts into 188: the low one is that of all. Another vendor's number of that form is unknown. */
static void three_counts_in_one_are_told_apart(void **state)
{
	static const struct { uint64_t raw; double count; } cases_188[] = {
		{ 4295032833, 1 }, { 4295032841, 9 }, { 94490722326, 22 }, { 4295294976, 0 }, { 51540393996, 12 }, { 8590065666, 2 },
		{ 0, 0 }, { 65535, 65535 },
	};
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(cases_188); i++) {
		read_one(&c, "ST16000NM001G-2KK103", 188, cases_188[i].raw);
		assert_sample(&c, cases_188[i].count, drive_command_timeouts_total, NULL);
		read_one(&c, "ACME", 188, cases_188[i].raw);
		if (cases_188[i].raw > 65535)
			assert_no_sample(&c, drive_command_timeouts_total, NULL);
		assert_int_equal(c.n_implausible, cases_188[i].raw > 65535);
	}
	collect_end(&c);
}

static bool feeds_quantities(const struct collect *c)
{
	for (size_t i = 0; i < c->set.n; i++)
		if (c->set.at[i].family < drive_ata_attribute_value || c->set.at[i].family > drive_ata_attribute_info)
			return true;
	return false;
}

/* Rates of errors, of which the raw number counts operations as well: 12834215976973 are 2988 errors in 965,373 thousand. */
static void error_rates_are_no_errors(void **state)
{
	static const uint8_t ids[] = { 1, 7, 195 };
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		read_one(&c, "ST3000NM0033-9ZM178", ids[i], 12834215976973);
		assert_false(feeds_quantities(&c));
		assert_int_equal(c.n_implausible, 0);
	}
	collect_end(&c);
}

static void disks_tell_their_mechanics_and_their_link(void **state)
{
	static const struct { uint8_t id; uint64_t raw; enum metric_family_id family; const char *label; } told[] = {
		{ 4, 2514, drive_mechanical_cycles_total, "start_stop" }, { 193, 842262, drive_mechanical_cycles_total, "load_unload" },
		{ 187, 9, drive_uncorrected_errors_total, "all" }, { 198, 37, drive_offline_uncorrectable_sectors, NULL },
	};
	struct drive_facts *facts;
	uint8_t raw[SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(told); i++) {
		read_one(&c, "ACME", told[i].id, told[i].raw);
		assert_sample(&c, (double)told[i].raw, told[i].family, told[i].label);
	}
	facts = facts_of("ACME");
	facts->rpm = 0;			/* of an SSD that no table knows they may be anything */
	for (size_t i = 0; i < 3; i++)
		set_attribute(raw, i, told[i].id, 100, 100, told[i].raw);
	assert_false(failed(read_data(raw, facts, &c)));
	assert_false(feeds_quantities(&c));
	collect_end(&c);
}

static void put_model(struct drive_facts *facts, const char *model, uint64_t capacity)
{
	memset(facts, 0, sizeof *facts);
	strcpy(facts->model, model);
	facts->logical_block = 512;
	facts->capacity_bytes = capacity;
}

/* What the link could not carry in the time the drive has been on, and wear that the bytes contradict. */
static void bytes_and_wear_are_judged_by_one_another(void **state)
{
	struct drive_facts facts;
	uint8_t raw[SECTOR] = { 0 };
	struct collect c;

	collect_begin(&c);
	put_model(&facts, "SAMSUNG MZ7LH480HAHQ-00005", 480103981056);
	set_attribute(raw, 0, 9, 99, 99, 1000);
	set_attribute(raw, 1, 241, 99, 99, 4222968750000);	/* 600 MB/s for 1001 hours are 2.16216 PB */
	assert_false(failed(read_data(raw, &facts, &c)));
	assert_sample(&c, 2162160000000000, drive_written_bytes_total, NULL);
	set_attribute(raw, 1, 241, 99, 99, 4222968750001);
	assert_false(failed(read_data(raw, &facts, &c)));
	assert_no_sample(&c, drive_written_bytes_total, NULL);
	assert_int_equal(c.n_implausible, 1);
	facts.has_identify = true;
	facts.identify[152] = 0x06;				/* speaks 1.5 and 3 Gbit/s: half of that */
	set_attribute(raw, 1, 241, 99, 99, 3000000000000);
	assert_false(failed(read_data(raw, &facts, &c)));
	assert_no_sample(&c, drive_written_bytes_total, NULL);

	memset(raw, 0, sizeof raw);
	set_attribute(raw, 0, 177, 45, 45, 900);
	set_attribute(raw, 1, 241, 99, 99, 937703088);		/* written over once: half worn can be */
	assert_false(failed(read_data(raw, &facts, &c)));
	assert_sample(&c, 0.55, drive_endurance_used_ratio, NULL);
	set_attribute(raw, 1, 241, 99, 99, 937703087);
	assert_false(failed(read_data(raw, &facts, &c)));
	assert_no_sample(&c, drive_endurance_used_ratio, NULL);
	assert_int_equal(c.n_implausible, 1);
	collect_end(&c);
}

/* Below its threshold a drive calls the spare critical; a threshold of 0 is none. */
static void spare_comes_with_its_threshold(void **state)
{
	uint8_t data[SECTOR] = { 0 }, thresholds[SECTOR] = { 0 };
	struct drive_facts facts;
	struct collect c;

	collect_begin(&c);
	put_model(&facts, "INTEL SSDSC2KB240G7", 240057409536);
	set_attribute(data, 0, 170, 99, 99, 0);
	set_threshold(thresholds, 0, 170, 10);
	assert_false(failed(learn_exactly(&ata_smart_thresholds, thresholds, SECTOR, &facts)));
	assert_false(failed(read_data(data, &facts, &c)));
	assert_sample(&c, 0.99, drive_spare_available_ratio, NULL);
	assert_sample(&c, 0.1, drive_spare_threshold_ratio, NULL);
	set_threshold(thresholds, 0, 170, 0);
	assert_false(failed(learn_exactly(&ata_smart_thresholds, thresholds, SECTOR, &facts)));
	assert_false(failed(read_data(data, &facts, &c)));
	assert_no_sample(&c, drive_spare_threshold_ratio, NULL);
	collect_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes_are_told_as_the_drive_gives_them),
		cmocka_unit_test(thresholds_are_told_only_where_they_were_read),
		cmocka_unit_test(of_two_attributes_with_one_id_the_first_counts),
		cmocka_unit_test(each_byte_of_an_attribute_moves_its_own_samples),
		cmocka_unit_test(a_broken_structure_fails_alone),
		cmocka_unit_test(status_is_passed_failed_or_refused),
		cmocka_unit_test(temperatures_are_unpacked),
		cmocka_unit_test(impossible_temperatures_are_absent_and_counted),
		cmocka_unit_test(one_attribute_gives_the_temperature),
		cmocka_unit_test(power_on_time_is_the_low_half),
#ifdef WITH_ATASMART
		cmocka_unit_test(power_on_time_has_the_models_unit),
		cmocka_unit_test(a_models_own_meaning_wins),
		cmocka_unit_test(what_libatasmart_calls_unknown_is_nothing),
		cmocka_unit_test(names_of_disks_are_not_given_to_ssds),
		cmocka_unit_test(names_of_unknown_models_come_from_libatasmart_once),
#endif
		cmocka_unit_test(life_left_is_no_temperature),
		cmocka_unit_test(counts_are_unpacked_and_judged),
		cmocka_unit_test(ones_are_no_count_even_of_a_drive_of_unknown_size),
		cmocka_unit_test(vendor_counters_of_unknown_unit_are_left_alone),
		cmocka_unit_test(three_counts_in_one_are_told_apart),
		cmocka_unit_test(error_rates_are_no_errors),
		cmocka_unit_test(disks_tell_their_mechanics_and_their_link),
		cmocka_unit_test(bytes_and_wear_are_judged_by_one_another),
		cmocka_unit_test(spare_comes_with_its_threshold),
	};

	return cmocka_run_group_tests_name("page: ATA SMART", tests, NULL, NULL);
}
