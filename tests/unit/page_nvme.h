/* What the tests of NVMe pages share. */
#pragma once

#include "page_common.h"

#include <math.h>
#include <string.h>

/* A little-endian number. Of more than 8 bytes the upper are zeroes. */
static inline void put_le(uint8_t *raw, size_t at, uint64_t value, size_t width)
{
	for (size_t i = 0; i < width; i++)
		raw[at + i] = i < 8 ? (uint8_t)(value >> 8 * i) : 0;
}

/* For each_field_moves_its_sample(), where a row's offset is that in the page. */
static inline size_t place_of(const struct page_field *field)
{
	return field->at;
}

/* No answer at all: a controller that is going away gives it. */
static inline void zeroes_and_ones_are_refused(const struct page *page, size_t size)
{
	const struct drive_facts facts = { .nvme_has_groups = true };
	uint8_t raw[4096];
	struct collect c;

	assert_true(size <= sizeof raw);
	collect_begin(&c);
	memset(raw, 0, size);
	assert_failed(decode_exactly(page, raw, size, &facts, &c), "all zeroes");
	memset(raw, 0xff, size);
	assert_failed(decode_exactly(page, raw, size, &facts, &c), "all ones");
	assert_int_equal(c.set.n, 0);
	collect_end(&c);
}

/* Counters of 128 bits: exact as long as a double can be, and never less for a greater number. */
static inline void long_rows_are_exact_and_monotone(const struct page *page, const uint8_t *blank, size_t n,
						    double (*value_of)(const struct page_field *, const struct collect *))
{
	const struct drive_facts facts = { 0 };
	uint8_t raw[512];
	struct collect c;

	assert_true(n <= sizeof raw);
	collect_begin(&c);
	for (size_t i = 0; i < page->n_fields; i++) {
		const struct page_field *field = &page->fields[i];
		double before = 0, one, exact;

		if (field->width != 16)
			continue;
		memcpy(raw, blank, n);
		put_le(raw, field->at, 1, 16);
		assert_false(failed(decode_exactly(page, raw, n, &facts, &c)));
		one = value_of(field, &c);
		put_le(raw, field->at, (UINT64_C(1) << 53) - 1, 16);
		assert_false(failed(decode_exactly(page, raw, n, &facts, &c)));
		exact = value_of(field, &c);
		assert_true(one >= 1 && exact == one * 9007199254740991.0);
		for (unsigned bit = 0; bit < 128; bit++) {		/* 1, 2, 3, 4, 6, 8, 12 and so on */
			for (unsigned half = 0; half < 2; half++) {
				memset(raw + field->at, 0, 16);
				raw[field->at + bit / 8] = (uint8_t)(1 << bit % 8);
				if (half && bit)
					raw[field->at + (bit - 1) / 8] |= (uint8_t)(1 << (bit - 1) % 8);
				assert_false(failed(decode_exactly(page, raw, n, &facts, &c)));
				assert_true(isfinite(value_of(field, &c)) && value_of(field, &c) >= before);
				before = value_of(field, &c);
			}
		}
		assert_true(before >= one * 0x1p127);
		memset(raw + field->at, 0xff, 16);
		assert_false(failed(decode_exactly(page, raw, n, &facts, &c)));
		if (field->absent == ABSENT_ONES || field->absent == ABSENT_ONES_OR_ZERO)
			assert_true(isnan(value_of(field, &c)));
		else
			assert_true(isfinite(value_of(field, &c)) && value_of(field, &c) >= before);
	}
	collect_end(&c);
}
