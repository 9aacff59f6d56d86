/* page/: every SCSI page stands in a capture of tests/captures that it decodes, and each such answer is cut at every length. */
#include "page/page.h"
#include "page/pages.h"
#include "capture/capture.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric/sample.h"

struct collect {
	struct sample_sink sink;
	struct sample_set set;
};

static void keep(struct sample_sink *to, const struct sample *s)
{
	assert_true(sample_set_add(&((struct collect *)to)->set, s));
}

static void ignore_implausible(struct sample_sink *to, const char *quantity)
{
}

static struct collect collect_of(void)
{
	return (struct collect){ .sink = { keep, ignore_implausible } };
}

/* On a copy of exactly that size, so that the sanitizer sees one byte too far. */
static struct fail understand(const struct page *page, const uint8_t *raw, size_t n, struct drive_facts *facts, struct collect *to)
{
	AUTO_FREE uint8_t *copy = malloc(n ? n : 1);
	struct fail f = OK;

	assert_non_null(copy);
	if (n)
		memcpy(copy, raw, n);
	if (page->learn)
		f = page->learn(page, bytes_of(copy, n), facts);
	if (!failed(f) && page->decode)
		f = page->decode(page, bytes_of(copy, n), facts, &to->sink);
	return f;
}

/* Pages whose beginning stands without the rest: a list at their end is longer than what some host adapters move, or (INQUIRY,
 * READ CAPACITY) what follows the fields is of no use here, or (host phys) each phy stands for itself. */
static bool may_be_cut(const struct page *page)
{
	return page == &scsi_background_scan || page == &scsi_pending_defects || page == &scsi_inquiry ||
	       page == &scsi_read_capacity || page == &scsi_host_phys;
}

static bool is_among(const struct sample *s, const struct sample_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		if (sample_is_same_series(s, &set->at[i]) && s->value == set->at[i].value)
			return true;
	return false;
}

static void cut_everywhere(const char *file, const struct page *page, const struct capture_answer *a,
			   const struct drive_facts *facts, const struct sample_set *whole)
{
	AUTO_FREE struct drive_facts *copy = malloc(sizeof *copy);

	assert_non_null(copy);
	for (size_t n = 0; n < a->n_bytes; n++) {
		struct collect some = collect_of();

		*copy = *facts;
		if (!failed(understand(page, a->bytes, n, copy, &some))) {
			if (!may_be_cut(page))
				fail_msg("%s: %s cut to %zu of %zu bytes is taken", file, page->name, n, a->n_bytes);
			for (size_t i = 0; i < some.set.n; i++)
				if (!is_among(&some.set.at[i], whole))
					fail_msg("%s: %s cut to %zu bytes tells another %s", file, page->name, n,
						 metric_families[some.set.at[i].family].name);
		}
		sample_set_clear(&some.set);
	}
}

static bool is_told(const struct page *page, uint16_t family)
{
	for (size_t i = 0; i < page->n_fields; i++)
		if (page->fields[i].family == family)
			return true;
	for (size_t i = 0; i < page->n_told; i++)
		if (page->told[i].family == family)
			return true;
	return false;
}

static void check_answer(const char *file, const struct page *page, const struct capture_answer *a,
			 struct drive_facts *facts, unsigned *n_good)
{
	AUTO_FREE struct drive_facts *before = malloc(sizeof *before);
	struct collect whole = collect_of();

	assert_non_null(before);
	*before = *facts;
	if (failed(understand(page, a->bytes, a->n_bytes, facts, &whole))) {
		*facts = *before;
		sample_set_clear(&whole.set);
		return;		/* some captures hold wrong answers on purpose */
	}
	for (size_t i = 0; i < whole.set.n; i++)
		if (!is_told(page, whole.set.at[i].family))
			fail_msg("%s does not say that it tells %s", page->name, metric_families[whole.set.at[i].family].name);
	*n_good += page->learn || whole.set.n;
	cut_everywhere(file, page, a, before, &whole.set);
	sample_set_clear(&whole.set);
}

enum { PAGES_MAX = 128 };

static void check_capture(const struct capture *capture, unsigned n_good[PAGES_MAX])
{
	AUTO_FREE struct drive_facts *facts = calloc(1, sizeof *facts);

	assert_non_null(facts);
	facts->transport = capture->transport;
	for (size_t p = 0; pages[p]; p++)
		for (size_t i = 0; i < capture->n_answers; i++) {
			const struct capture_answer *a = &capture->answers[i];

			if (pages[p]->transport == TRANSPORT_SCSI && a->bytes && command_is_equal(&a->command, &pages[p]->command) &&
			    (!pages[p]->is_offered || pages[p]->is_offered(pages[p], facts)))
				check_answer(capture->file, pages[p], a, facts, &n_good[p]);
		}
}

static void every_page_has_a_capture_and_is_cut_at_every_length(void **state)
{
	unsigned n_good[PAGES_MAX] = { 0 }, n_missing = 0;
	const char *top = getenv("top_srcdir");
	AUTO_TEXT error = TEXT_LIMIT(4096);
	struct capture **all;
	char folder[512];
	ssize_t n;

	snprintf(folder, sizeof folder, "%s/tests/captures", top ? top : ".");
	n = captures_read(folder, &all, &error);
	assert_true(n > 0);
	for (ssize_t i = 0; i < n; i++) {
		if (all[i]->transport == TRANSPORT_SCSI)
			check_capture(all[i], n_good);
		capture_free(all[i]);
	}
	free(all);
	for (size_t p = 0; pages[p]; p++)
		if (pages[p]->transport == TRANSPORT_SCSI && !n_good[p]) {
			print_error("%s: no capture tells anything by it\n", pages[p]->name);
			n_missing++;
		}
	assert_int_equal(n_missing, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_page_has_a_capture_and_is_cut_at_every_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
