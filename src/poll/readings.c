/* A drive's readings: which page feeds what, what is too old, what is served. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "poll/drive_poll.h"

enum { STALE_AFTER_US = 15 * 60 * 1000000 };

bool quantity_count(struct quantity_count *counts, size_t *n, const char *quantity)
{
	for (size_t i = 0; i < *n; i++)
		if (!strcmp(counts[i].quantity, quantity)) {
			counts[i].n++;
			return false;
		}
	if (*n == COUNTED_QUANTITIES)
		return false;
	counts[(*n)++] = (struct quantity_count){ quantity, 1 };
	return true;
}

static struct reading_choice *find_choice(const struct drive_poll *poll, const struct sample *s)
{
	for (size_t i = 0; i < poll->n_choices; i++)
		if (sample_is_same_series(&poll->choices[i].series, s))
			return &poll->choices[i];
	return NULL;
}

const struct told_quantity told_quantities[TOLD_QUANTITIES] = {
	{ drive_endurance_used_ratio, "wear" },
	{ drive_written_bytes_total, "written_bytes" },
	{ drive_read_bytes_total, "read_bytes" },
	{ drive_power_on_seconds_total, "power_on_time" },
};

static const char *told_quantity(unsigned family)
{
	for (size_t i = 0; i < TOLD_QUANTITIES; i++)
		if (told_quantities[i].family == family)
			return told_quantities[i].name;
	return NULL;
}

static bool is_source_told(unsigned family)
{
	return told_quantity(family) != NULL;
}

/* Labels of a choice must outlive the answer, so it takes only static ones; contested series have no others. */
static bool needs_choice(const struct sample *s)
{
	return (s->rank || is_source_told(s->family)) && !s->is_dynamic;
}

static struct reading_choice *add_choice(struct drive_poll *poll, const struct sample *s)
{
	struct reading_choice *choice;

	if (!ARRAY_GROW(poll->choices, poll->room_choices, poll->n_choices))
		return NULL;
	choice = &poll->choices[poll->n_choices++];
	*choice = (struct reading_choice){ .series = *s, .is_open = true };
	return choice;
}

static void offer(struct drive_poll *poll, const struct plan_entry *entry, const struct sample *s)
{
	struct reading_choice *choice = find_choice(poll, s);

	if (!choice)
		choice = add_choice(poll, s);
	if (!choice || !choice->is_open || (choice->page && choice->series.rank >= s->rank))
		return;
	choice->series = *s;
	choice->page = entry->page;
}

static void close_choice(struct drive_poll *poll, struct reading_choice *choice)
{
	unsigned family = choice->series.family;

	choice->is_open = !choice->page;
	if (choice->is_open || !choice->was_fed)
		return;
	choice->was_fed = false;
	log_warn("%s: %s feeds %s now", poll->drive->label, page_source(choice->page, family), metric_families[family].name);
	if (is_source_told(family))
		quantity_count(poll->source_changes, &poll->n_source_changes, told_quantity(family));
}

void readings_settle(struct drive_poll *poll)
{
	for (size_t i = 0; i < poll->n_entries; i++) {
		const struct sample_set *set = &poll->entries[i].samples;

		for (size_t k = 0; k < set->n; k++)
			if (needs_choice(&set->at[k]))
				offer(poll, &poll->entries[i], &set->at[k]);
	}
	for (size_t i = 0; i < poll->n_choices; i++)
		close_choice(poll, &poll->choices[i]);
	poll->is_dirty = true;
}

void readings_forget(struct drive_poll *poll, struct plan_entry *entry)
{
	bool is_any = false;

	sample_set_clear(&entry->samples);
	poll->is_dirty = true;
	for (size_t i = 0; i < poll->n_choices; i++) {
		struct reading_choice *choice = &poll->choices[i];

		if (choice->page != entry->page)
			continue;
		log_warn("%s: %s is gone, which fed %s", poll->drive->label,
			 page_source(entry->page, choice->series.family), metric_families[choice->series.family].name);
		choice->page = NULL;
		choice->is_open = choice->was_fed = is_any = true;
	}
	if (is_any && poll->is_settled)
		readings_settle(poll);
}

static uint64_t stale_after(uint64_t period_us, unsigned failures)
{
	uint64_t periods_us = PERIODS_UNTIL_STALE * period_us;

	return plan_age_allowed(periods_us > STALE_AFTER_US ? periods_us : STALE_AFTER_US, failures);
}

/* Asleep is what was heard last; nobody knows for how long, once nobody asks. */
static void age_power(struct drive_poll *poll, uint64_t now_us, uint64_t interval_us)
{
	uint64_t shortest = UINT64_MAX;

	for (size_t i = 0; i < poll->n_entries; i++) {
		uint64_t period = plan_period(&poll->entries[i], interval_us);

		if (period && period < shortest && !poll->entries[i].is_unsupported)
			shortest = period;
	}
	if (poll->has_power &&
	    now_us - poll->power_us > stale_after(shortest == UINT64_MAX ? interval_us : shortest, poll->power_failures))
		poll->has_power = false;
}

void readings_age(struct drive_poll *poll, uint64_t now_us, uint64_t interval_us)
{
	bool is_asleep;

	age_power(poll, now_us, interval_us);
	is_asleep = drive_poll_sleeps(poll);

	for (size_t i = 0; i < poll->n_entries; i++) {
		struct plan_entry *entry = &poll->entries[i];
		uint64_t period = plan_period(entry, interval_us);
		bool is_stale = period && !is_asleep && entry->answered_us &&
				now_us - entry->answered_us > stale_after(period, entry->failures);

		if (is_stale != entry->is_stale) {
			entry->is_stale = is_stale;
			poll->is_dirty = true;
		}
	}
}

/* A series that nobody feeds: it came after the first visit, or its page is gone. */
static bool is_open(const struct drive_poll *poll, const struct sample *s)
{
	const struct reading_choice *choice = needs_choice(s) ? find_choice(poll, s) : NULL;

	return needs_choice(s) && (!choice || !choice->page);
}

static bool has_open_choice(const struct drive_poll *poll, const struct sample_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		if (is_open(poll, &set->at[i]))
			return true;
	return false;
}

void readings_take(struct drive_poll *poll, struct plan_entry *entry, struct sample_set *set)
{
	sample_set_clear(&entry->samples);
	entry->samples = *set;
	*set = (struct sample_set){ 0 };
	entry->is_stale = false;
	poll->is_dirty = true;
	if (poll->is_settled && has_open_choice(poll, &entry->samples))
		readings_settle(poll);
}

static bool is_served(const struct drive_poll *poll, const struct plan_entry *entry, const struct sample *s)
{
	if (entry->is_stale && !metric_families[s->family].is_lifetime)
		return false;
	if (s->rank && needs_choice(s)) {
		const struct reading_choice *choice = find_choice(poll, s);

		/* Before the first visit has ended, and for a series that came later, the source is still open. */
		return choice && choice->page == entry->page;
	}
	return true;
}

/* What the drive said of itself is as old as the page that tells who it is. */
static bool is_computed_served(const struct drive_poll *poll, const struct sample *s)
{
	return metric_families[s->family].is_lifetime || !poll->n_entries || !poll->entries[0].is_stale;
}

void readings_add(struct drive_poll *poll, struct sample_set *set)
{
	sample_set_clear(&poll->added);
	poll->added = *set;
	*set = (struct sample_set){ 0 };
	poll->is_dirty = true;
}

const struct plan_entry *readings_entry(const struct drive_poll *poll, const struct sample *s)
{
	for (size_t i = 0; i < poll->n_entries; i++) {
		const struct sample_set *set = &poll->entries[i].samples;

		if (set->n && s >= set->at && s < set->at + set->n)
			return &poll->entries[i];
	}
	return NULL;
}

static bool serve(struct drive_poll *poll, const struct sample *s)
{
	if (!ARRAY_GROW(poll->served, poll->room_served, poll->n_served))
		return false;
	poll->served[poll->n_served++] = s;
	return true;
}

static void serve_computed(struct drive_poll *poll, const struct sample_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		if (is_computed_served(poll, &set->at[i]))
			serve(poll, &set->at[i]);
}

/* Insertion sort by family keeps the plan's order within one; the input is nearly sorted runs, and short. */
static void sort_served(struct drive_poll *poll)
{
	for (size_t i = 1; i < poll->n_served; i++) {
		const struct sample *s = poll->served[i];
		size_t k = i;

		while (k > 0 && poll->served[k - 1]->family > s->family) {
			poll->served[k] = poll->served[k - 1];
			k--;
		}
		poll->served[k] = s;
	}
}

const struct sample **readings_served(struct drive_poll *poll, size_t *ret_n)
{
	static uint64_t last_number;

	if (poll->is_dirty) {
		poll->is_dirty = false;
		poll->served_number = ++last_number;
		poll->n_served = 0;
		serve_computed(poll, &poll->computed);
		serve_computed(poll, &poll->added);
		for (size_t i = 0; i < poll->n_entries; i++) {
			const struct sample_set *set = &poll->entries[i].samples;

			for (size_t k = 0; k < set->n; k++)
				if (is_served(poll, &poll->entries[i], &set->at[k]))
					serve(poll, &set->at[k]);
		}
		sort_served(poll);
	}
	*ret_n = poll->n_served;
	return poll->served;
}

const struct page *readings_source(const struct drive_poll *poll, enum metric_family_id family)
{
	for (size_t i = 0; i < poll->n_choices; i++)
		if (poll->choices[i].series.family == family && poll->choices[i].page)
			return poll->choices[i].page;
	return NULL;
}

const struct sample *readings_find(struct drive_poll *poll, enum metric_family_id family, const char *label)
{
	size_t n;
	const struct sample **served = readings_served(poll, &n);

	for (size_t i = 0; i < n; i++)
		if (served[i]->family == family &&
		    (!label || (served[i]->label[0] && !strcmp(served[i]->label[0], label))))
			return served[i];
	return NULL;
}

void readings_free(struct drive_poll *poll)
{
	sample_set_clear(&poll->computed);
	sample_set_clear(&poll->added);
	free(poll->choices);
	free(poll->served);
}
