#include "page_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep(struct sample_sink *to, const struct sample *s)
{
	assert_true(sample_set_add(&((struct collect *)to)->set, s));
}

static void count_implausible(struct sample_sink *to, const char *quantity)
{
	((struct collect *)to)->n_implausible++;
}

void collect_begin(struct collect *c)
{
	*c = (struct collect){ .sink = { .put = keep, .implausible = count_implausible } };
}

void collect_end(struct collect *c)
{
	sample_set_clear(&c->set);
}

static const struct sample *find(const struct sample_set *set, const struct sample *wanted)
{
	const struct sample *found = NULL;

	for (size_t i = 0; i < set->n; i++)
		if (sample_is_same_series(&set->at[i], wanted)) {
			assert_null(found);
			found = &set->at[i];
		}
	return found;
}

double collect_value(const struct collect *c, enum metric_family_id family, const char *label, const char *second)
{
	const struct sample *s = find(&c->set, &(struct sample){ .family = family, .label = { label, second } });

	return s ? s->value : NAN;
}

void assert_sample_(const struct collect *c, double value, enum metric_family_id family, const char *label[2], int line)
{
	double got = collect_value(c, family, label[0], label[1]);

	if (got == value)
		return;
	print_error("line %d: %s{%s,%s} is %.17g, not %.17g\n", line, metric_families[family].name,
		    label[0] ? label[0] : "", label[1] ? label[1] : "", got, value);
	fail();
}

static void *copy_exactly(const uint8_t *raw, size_t n)
{
	void *copy = malloc(n ? n : 1);

	assert_non_null(copy);
	return n ? memcpy(copy, raw, n) : copy;
}

struct fail decode_exactly(const struct page *page, const uint8_t *raw, size_t n, const struct drive_facts *facts,
			   struct collect *c)
{
	AUTO_FREE uint8_t *copy = copy_exactly(raw, n);

	sample_set_clear(&c->set);
	return page->decode(page, bytes_of(copy, n), facts, &c->sink);
}

struct fail learn_exactly(const struct page *page, const uint8_t *raw, size_t n, struct drive_facts *facts)
{
	AUTO_FREE uint8_t *copy = copy_exactly(raw, n);

	return page->learn(page, bytes_of(copy, n), facts);
}

void assert_failed(struct fail f, const char *detail)
{
	assert_int_equal(f.source, FAIL_FORMAT);
	assert_string_equal(f.detail, detail);
	assert_non_null(f.what);
}

void every_truncation_is_refused(const struct page *page, const uint8_t *raw, size_t n)
{
	static const struct drive_facts blank;
	AUTO_FREE struct drive_facts *facts = calloc(1, sizeof *facts);
	struct collect c;

	collect_begin(&c);
	for (size_t shorter = 0; shorter < n; shorter++) {
		if (page->learn)
			assert_true(failed(learn_exactly(page, raw, shorter, facts)));
		if (page->decode)
			assert_true(failed(decode_exactly(page, raw, shorter, facts, &c)));
		assert_int_equal(c.set.n, 0);
		assert_memory_equal(facts, &blank, sizeof blank);
	}
	if (page->learn)
		assert_false(failed(learn_exactly(page, raw, n, facts)));
	if (page->decode)
		assert_false(failed(decode_exactly(page, raw, n, facts, &c)));
	collect_end(&c);
}

void fields_are_within_and_apart(const struct page *page, size_t size)
{
	assert_true(page->n_fields > 0);
	for (size_t i = 0; i < page->n_fields; i++) {
		const struct page_field *a = &page->fields[i];

		assert_true(a->at + a->width <= size);
		assert_non_null(a->spec);
		for (size_t k = 0; k < i; k++) {
			const struct page_field *b = &page->fields[k];
			bool is_apart = a->at + a->width <= b->at || b->at + b->width <= a->at;

			if (a->param == b->param && !(a->at == b->at && a->width == b->width))
				assert_true(is_apart && a->width && b->width);
		}
	}
}

static size_t rows_at(const struct page *page, const struct page_field *field)
{
	size_t n = 0;

	for (size_t i = 0; i < page->n_fields; i++)
		n += page->fields[i].param == field->param && page->fields[i].at == field->at;
	return n;
}

void each_field_moves_its_sample(const struct page *page, const uint8_t *raw, size_t n,
				 size_t (*at)(const struct page_field *))
{
	const struct drive_facts facts = { .logical_block = 512 };
	AUTO_FREE uint8_t *changed = copy_exactly(raw, n);
	struct collect before, after;

	collect_begin(&before);
	collect_begin(&after);
	assert_false(failed(decode_exactly(page, raw, n, &facts, &before)));
	for (size_t i = 0; i < page->n_fields; i++) {
		const struct page_field *field = &page->fields[i];
		struct sample wanted = { .family = field->family };
		size_t n_moved = 0;

		memcpy(wanted.label, field->label, sizeof wanted.label);
		changed[at(field)]++;
		assert_false(failed(decode_exactly(page, changed, n, &facts, &after)));
		changed[at(field)]--;
		assert_int_equal(before.set.n, after.set.n);
		for (size_t k = 0; k < before.set.n; k++)
			n_moved += before.set.at[k].value != find(&after.set, &before.set.at[k])->value;
		assert_int_equal(n_moved, rows_at(page, field));
		assert_true(find(&before.set, &wanted)->value != find(&after.set, &wanted)->value);
	}
	collect_end(&before);
	collect_end(&after);
}
