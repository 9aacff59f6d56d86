/* page/: what every layout shares, and what holds for every page of every transport. */
#include "page_common.h"

#include <math.h>
#include <string.h>

#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof (const uint8_t[]){ __VA_ARGS__ }

static const struct drive_facts blank;

/* ---- fields, as every layout puts them */

static void put_field(const struct page_field *field, const uint8_t *raw, size_t n, bool is_little_endian, struct collect *c)
{
	const struct drive_facts facts = { .logical_block = 4096 };

	sample_set_clear(&c->set);
	page_field_put(field, bytes_of(raw, n), is_little_endian, &facts, &c->sink);
}

static void signs_and_absent_values_are_known_in_both_orders(void **state)
{
	const struct page_field celsius = { .width = 1, .is_signed = true, .absent = ABSENT_MIN, .family = drive_temperature_celsius };
	const struct page_field word = { .at = 1, .width = 2, .is_signed = true, .absent = ABSENT_MIN, .family = drive_capacity_bytes };
	const struct page_field blocks = { .width = 2, .unit = RAW_LOGICAL_BLOCKS, .absent = ABSENT_ZERO, .family = drive_capacity_bytes };
	struct collect c;

	collect_begin(&c);
	put_field(&celsius, BYTES(0xfb), true, &c);
	assert_sample(&c, -5, drive_temperature_celsius);
	put_field(&celsius, BYTES(0x80), false, &c);
	assert_int_equal(c.set.n, 0);
	put_field(&word, BYTES(9, 0xff, 0xfe), false, &c);
	assert_sample(&c, -2, drive_capacity_bytes);
	put_field(&word, BYTES(9, 0xfe, 0xff), true, &c);
	assert_sample(&c, -2, drive_capacity_bytes);
	put_field(&word, BYTES(9, 0x00, 0x80), true, &c);
	assert_int_equal(c.set.n, 0);
	put_field(&word, BYTES(9, 0x00, 0x80), false, &c);
	assert_sample(&c, 128, drive_capacity_bytes);
	put_field(&word, BYTES(9, 0), false, &c);
	assert_int_equal(c.set.n, 0);		/* past the end */
	put_field(&blocks, BYTES(1, 0), false, &c);
	assert_sample(&c, 1048576, drive_capacity_bytes);
	put_field(&blocks, BYTES(0, 0), false, &c);
	assert_int_equal(c.set.n, 0);
	collect_end(&c);
}

static void units_are_converted_exactly(void **state)
{
	const struct drive_facts facts = { .logical_block = 520 };
	double v;

	assert_true(raw_convert(RAW_PERCENT, 42, &facts, &v) && v == 0.42);
	assert_true(raw_convert(RAW_KELVIN, 273, &facts, &v) && v == 0);
	assert_true(raw_convert(RAW_HOURS, 2, &facts, &v) && v == 7200);
	assert_true(raw_convert(RAW_NVME_DATA_UNITS, 9007199254740991, &facts, &v) && v == 0x1p12 * 125 * 9007199254740991);
	assert_true(raw_convert(RAW_LOGICAL_BLOCKS, 3, &facts, &v) && v == 1560);
	assert_false(raw_convert(RAW_LOGICAL_BLOCKS, 3, &blank, &v));
}

/* ---- all pages, of every transport */

static void every_page_asks_what_the_prober_lets_pass(void **state)
{
	for (size_t i = 0; pages[i]; i++) {
		const char *why = "";

		if (!command_is_allowed(&pages[i]->command, &why))
			fail_msg("%s: %s", pages[i]->name, why);
		assert_true(pages[i]->learn || pages[i]->decode);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(pages[i]->name, pages[k]->name);
	}
}

static void every_row_has_its_familys_labels(void **state)
{
	for (size_t i = 0; pages[i]; i++)
		for (size_t k = 0; k < pages[i]->n_fields; k++) {
			const struct page_field *field = &pages[i]->fields[k];
			const struct metric_family *family = &metric_families[field->family];
			size_t n = 0, n_family = 0;

			while (n < SAMPLE_LABELS && field->label[n])
				n++;
			while (family->label[n_family])
				n_family++;
			n += pages[i]->per_group;	/* the group itself is the first */
			if (n != n_family)
				fail_msg("%s, row %zu: %zu labels, %s has %zu", pages[i]->name, k, n, family->name, n_family);
		}
}

static void every_family_of_scsi_says_where_it_comes_from(void **state)
{
	for (unsigned i = 0; i < N_METRIC_FAMILIES; i++) {
		AUTO_TEXT from = TEXT_LIMIT(8192);

		page_sources(i, &from);
		if (!strncmp(metric_families[i].name, "drive_scsi_", 11) && !from.length)
			fail_msg("%s has no source", metric_families[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signs_and_absent_values_are_known_in_both_orders),
		cmocka_unit_test(units_are_converted_exactly),
		cmocka_unit_test(every_page_asks_what_the_prober_lets_pass),
		cmocka_unit_test(every_row_has_its_familys_labels),
		cmocka_unit_test(every_family_of_scsi_says_where_it_comes_from),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
