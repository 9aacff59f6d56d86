/* What the tests of pages share: a sink that keeps samples, and checks that hold for every page. */
#pragma once

/* Before cmocka, whose macro fail() would take `struct fail (*learn)(...)` for a call. */
#include "page/page.h"
#include "page/pages.h"

#include "unit.h"

struct collect {
	struct sample_sink sink;
	struct sample_set set;
	unsigned n_implausible;
};

void collect_begin(struct collect *);
void collect_end(struct collect *);

/* The value of that series; NAN where there is none. Labels left out are NULL. A series told twice fails the test. */
double collect_value(const struct collect *, enum metric_family_id, const char *label, const char *second);

#define assert_sample(c, value, family, ...) assert_sample_(c, value, family, (const char *[2]){ __VA_ARGS__ }, __LINE__)
#define assert_no_sample(c, family, ...) \
	assert_true(isnan(collect_value(c, family, ((const char *[2]){ __VA_ARGS__ })[0], ((const char *[2]){ __VA_ARGS__ })[1])))
void assert_sample_(const struct collect *, double value, enum metric_family_id, const char *label[2], int line);

/* Both work on a copy of exactly that size, so that the sanitizer sees one byte too far. decode empties c before. */
struct fail decode_exactly(const struct page *, const uint8_t *raw, size_t n, const struct drive_facts *, struct collect *c);
struct fail learn_exactly(const struct page *, const uint8_t *raw, size_t n, struct drive_facts *);

void assert_failed(struct fail, const char *detail);

/* An answer that is right as it stands fails at every shorter length, leaves the facts alone and gives no sample. */
void every_truncation_is_refused(const struct page *, const uint8_t *raw, size_t n);

/* Each row's bytes lie within `size` bytes, of the parameter or of the page, and no two rows share a part of theirs; two
 * rows may tell the same bytes. */
void fields_are_within_and_apart(const struct page *, size_t size);

/* Every row's bytes, changed alone, change the row's own sample and no other. `at` gives where a row's value is in raw. */
void each_field_moves_its_sample(const struct page *, const uint8_t *raw, size_t n,
				 size_t (*at)(const struct page_field *));
