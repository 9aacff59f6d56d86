/* page/: every SCSI and ATA page stands in a capture of tests/captures that it decodes, and each such answer is
 * cut at every length. Pages of ATA logs are asked as a plan would ask them: several at once, and then fewer, to
 * one at a time. */
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

/* Pages whose beginning stands without the rest: a list at their end is longer than what some host adapters move,
 * or (INQUIRY, READ CAPACITY) what follows the fields is of no use here, or (host phys) each phy stands for
 * itself. */
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

static bool is_told(const struct page *page, uint16_t family);

/* Several pages of a log tell what each of them tells. */
static bool is_told_by_any(uint16_t family)
{
	for (size_t i = 0; pages[i]; i++)
		if (pages[i]->transport == TRANSPORT_ATA && !pages[i]->count && is_told(pages[i], family))
			return true;
	return false;
}

static bool is_told(const struct page *page, uint16_t family)
{
	if (page->count && page->command.key[KEY_COUNT] > 1)
		return is_told_by_any(family);
	for (size_t i = 0; i < page->n_fields; i++)
		if (page->fields[i].family == family)
			return true;
	for (size_t i = 0; i < page->n_told; i++)
		if (page->told[i].family == family)
			return true;
	return false;
}

static unsigned n_complaints;

static void complain_once(const struct page *page, uint16_t family)
{
	static const char *name;	/* of the last one */
	static bool is_known[N_METRIC_FAMILIES];

	if (name != page->name)
		memset(is_known, 0, sizeof is_known);
	name = page->name;
	if (!is_known[family])
		print_error("%s does not say that it tells %s\n", page->name, metric_families[family].name);
	is_known[family] = true;
	n_complaints++;
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
			complain_once(page, whole.set.at[i].family);
	*n_good += page->learn || whole.set.n;
	cut_everywhere(file, page, a, before, &whole.set);
	sample_set_clear(&whole.set);
}

enum { PAGES_MAX = 128 };

/* Of the host's side there is nothing to read on SATA. */
static bool is_checked(const struct page *page)
{
	return (page->transport == TRANSPORT_SCSI || page->transport == TRANSPORT_ATA) && page != &ata_host_phys;
}

static const struct capture_answer *first_answer(const struct capture *capture, const struct command *command)
{
	for (size_t i = 0; i < capture->n_answers; i++)
		if (command_is_equal(&capture->answers[i].command, command))
			return &capture->answers[i];
	return NULL;
}

/* As drive_replay does; nothing where the capture lacks one of them, or has a failure. */
static void join_pages(const struct capture *capture, const struct command *command, uint8_t room[COMMAND_ANSWER_MAX],
		       struct capture_answer *ret)
{
	struct command single = *command;

	*ret = (struct capture_answer){ .bytes = room };
	single.key[KEY_COUNT] = 0;
	for (uint32_t i = 0; i < command->key[KEY_COUNT]; i++) {
		const struct capture_answer *a;

		single.key[KEY_LOG_PAGE] = command->key[KEY_LOG_PAGE] + i;
		a = first_answer(capture, &single);
		if (!a || !a->bytes || a->n_bytes > COMMAND_ANSWER_MAX - ret->n_bytes) {
			ret->bytes = NULL;
			return;
		}
		memcpy(room + ret->n_bytes, a->bytes, a->n_bytes);
		ret->n_bytes += a->n_bytes;
	}
}

static void check_counted(const struct capture *capture, const struct page *page, struct drive_facts *facts, unsigned *n_good)
{
	AUTO_FREE uint8_t *room = malloc(COMMAND_ANSWER_MAX);
	struct capture_answer joined;

	assert_non_null(room);
	join_pages(capture, &page->command, room, &joined);
	if (joined.bytes)
		check_answer(capture->file, page, &joined, facts, n_good);
}

static void check_page(const struct capture *capture, const struct page *page, struct drive_facts *facts, unsigned *n_good)
{
	struct page counted = *page;

	if (page->is_offered && !page->is_offered(page, facts))
		return;
	if (page->count)
		counted.command.key[KEY_COUNT] = page->count(page, facts);
	if (counted.command.key[KEY_COUNT] > 1 && page->count) {
		check_counted(capture, &counted, facts, n_good);
		return;
	}
	/* What a drive says it has stands in its capture, if only as a failure. */
	if (page->transport == TRANSPORT_ATA && !first_answer(capture, &page->command)) {
		print_error("%s: no answer for %s, which the drive says it has\n", capture->file, page->name);
		n_complaints++;
	}
	for (size_t i = 0; i < capture->n_answers; i++)
		if (capture->answers[i].bytes && command_is_equal(&capture->answers[i].command, &page->command))
			check_answer(capture->file, page, &capture->answers[i], facts, n_good);
}

/* alone: pages of statistics that are asked one at a time, a bit each. */
static void check_capture(const struct capture *capture, uint8_t alone, unsigned n_good[PAGES_MAX])
{
	AUTO_FREE struct drive_facts *facts = calloc(1, sizeof *facts);

	assert_non_null(facts);
	facts->transport = capture->transport;
	facts->statistics_alone = alone;
	facts->gives_one_self_test_page = alone != 0;
	for (size_t p = 0; pages[p]; p++)
		if (pages[p]->transport == capture->transport && is_checked(pages[p]))
			check_page(capture, pages[p], facts, &n_good[p]);
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
		check_capture(all[i], 0, n_good);
		for (unsigned k = 2; all[i]->transport == TRANSPORT_ATA && k <= 8; k++)
			check_capture(all[i], (uint8_t)((1 << k) - 1), n_good);	/* a run may begin with any page */
		capture_free(all[i]);
	}
	free(all);
	for (size_t p = 0; pages[p]; p++)
		if (is_checked(pages[p]) && !n_good[p]) {
			print_error("%s: no capture tells anything by it\n", pages[p]->name);
			n_missing++;
		}
	assert_int_equal(n_missing, 0);
	assert_int_equal(n_complaints, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_page_has_a_capture_and_is_cut_at_every_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
