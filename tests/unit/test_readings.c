/* poll/readings.c: which page feeds a series, and how long a value is served. Pages and values are made up. */
#include "poll/drive_poll.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "unit.h"

enum { SECOND = 1000000, MINUTE = 60 * SECOND };

static const struct page good = { .name = "good page", .period_s = 60 }, poor = { .name = "poor page", .period_s = 60 },
			 slow = { .name = "slow page", .period_s = 1800 }, once = { .name = "once page" };

struct readings_world {
	struct drive drive;
	struct plan_entry entries[4];
	struct drive_poll poll;
};

enum { GOOD, POOR, SLOW, ONCE };

static void begin(struct readings_world *w)
{
	static const struct page *const all[] = { &good, &poor, &slow, &once };

	*w = (struct readings_world){ .drive.label = "drive" };
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		w->entries[i] = (struct plan_entry){ .page = all[i], .order = i, .due_us = 1 };
	w->poll = (struct drive_poll){ .drive = &w->drive, .entries = w->entries, .n_entries = 4, .is_dirty = true };
	log_set_level(LOG_LEVEL_ERROR);
}

static void end(struct readings_world *w)
{
	for (size_t i = 0; i < 4; i++)
		sample_set_clear(&w->entries[i].samples);
	readings_free(&w->poll);
}

static void take(struct readings_world *w, int which, uint64_t now_us, enum metric_family_id family, uint8_t rank,
		 double value)
{
	struct sample s = { .family = family, .rank = rank, .value = value };
	struct sample_set set = { 0 };

	assert_true(sample_set_add(&set, &s));
	w->entries[which].answered_us = now_us;
	readings_take(&w->poll, &w->entries[which], &set);
}

static void settle(struct readings_world *w)
{
	w->poll.is_settled = true;
	readings_settle(&w->poll);
}

static double value_of(struct readings_world *w, enum metric_family_id family)
{
	const struct sample *s = readings_find(&w->poll, family, NULL);

	return s ? s->value : NAN;
}

static size_t n_served(struct readings_world *w)
{
	size_t n;

	readings_served(&w->poll, &n);
	return n;
}

static void the_source_is_chosen_when_the_first_visit_ends(void **state)
{
	struct readings_world w;

	begin(&w);
	take(&w, POOR, SECOND, drive_written_bytes_total, 1, 100);
	assert_true(isnan(value_of(&w, drive_written_bytes_total)));	/* a better one may come yet */
	take(&w, GOOD, SECOND, drive_written_bytes_total, 2, 200);
	settle(&w);
	assert_true(value_of(&w, drive_written_bytes_total) == 200);
	assert_int_equal(n_served(&w), 1);
	assert_ptr_equal(readings_source(&w.poll, drive_written_bytes_total), &good);
	assert_null(readings_source(&w.poll, drive_read_bytes_total));
	assert_int_equal(w.poll.n_source_changes, 0);
	end(&w);
}

static void no_other_page_steps_in(void **state)
{
	struct readings_world w;

	begin(&w);
	take(&w, POOR, SECOND, drive_endurance_used_ratio, 1, 0.1);
	take(&w, GOOD, SECOND, drive_endurance_used_ratio, 2, 0.2);
	settle(&w);
	take(&w, POOR, 60 * (uint64_t)MINUTE, drive_endurance_used_ratio, 1, 0.3);	/* the good one fails since then */
	readings_age(&w.poll, 60 * (uint64_t)MINUTE, MINUTE);
	assert_true(isnan(value_of(&w, drive_endurance_used_ratio)));
	assert_ptr_equal(readings_source(&w.poll, drive_endurance_used_ratio), &good);
	take(&w, GOOD, 61 * (uint64_t)MINUTE, drive_endurance_used_ratio, 2, 0.4);
	readings_age(&w.poll, 61 * (uint64_t)MINUTE, MINUTE);
	assert_true(value_of(&w, drive_endurance_used_ratio) == 0.4);
	end(&w);
}

static void a_better_page_that_comes_late_does_not_take_over(void **state)
{
	struct readings_world w;

	begin(&w);
	take(&w, POOR, SECOND, drive_written_bytes_total, 1, 100);
	settle(&w);
	take(&w, GOOD, MINUTE, drive_written_bytes_total, 2, 200);
	assert_true(value_of(&w, drive_written_bytes_total) == 100);
	assert_int_equal(n_served(&w), 1);
	end(&w);
}

/* A series that is new makes us choose again, but not for those that have a source. */
static void choosing_again_leaves_the_chosen_alone(void **state)
{
	struct readings_world w;
	struct sample_set set = { 0 };
	struct sample s[] = { { .family = drive_written_bytes_total, .rank = 2, .value = 200 },
			      { .family = drive_read_bytes_total, .rank = 2, .value = 5 } };

	begin(&w);
	take(&w, POOR, SECOND, drive_written_bytes_total, 1, 100);
	settle(&w);
	for (size_t i = 0; i < ARRAY_SIZE(s); i++)
		assert_true(sample_set_add(&set, &s[i]));
	readings_take(&w.poll, &w.entries[GOOD], &set);
	assert_true(value_of(&w, drive_written_bytes_total) == 100);
	assert_true(value_of(&w, drive_read_bytes_total) == 5);
	assert_ptr_equal(readings_source(&w.poll, drive_written_bytes_total), &poor);
	assert_int_equal(w.poll.n_source_changes, 0);
	end(&w);
}

static void a_series_that_comes_late_finds_its_source(void **state)
{
	struct readings_world w;

	begin(&w);
	settle(&w);
	take(&w, POOR, MINUTE, drive_written_bytes_total, 1, 100);
	assert_true(value_of(&w, drive_written_bytes_total) == 100);
	assert_ptr_equal(readings_source(&w.poll, drive_written_bytes_total), &poor);
	take(&w, GOOD, MINUTE, drive_written_bytes_total, 2, 200);
	assert_true(value_of(&w, drive_written_bytes_total) == 100);
	end(&w);
}

static void a_page_that_is_gone_gives_way_and_that_is_counted(void **state)
{
	struct readings_world w;

	begin(&w);
	take(&w, POOR, SECOND, drive_written_bytes_total, 1, 100);
	take(&w, GOOD, SECOND, drive_written_bytes_total, 2, 200);
	settle(&w);
	readings_forget(&w.poll, &w.entries[GOOD]);
	assert_true(value_of(&w, drive_written_bytes_total) == 100);
	assert_ptr_equal(readings_source(&w.poll, drive_written_bytes_total), &poor);
	assert_int_equal(w.poll.n_source_changes, 1);
	assert_int_equal(w.poll.source_changes[0].n, 1);
	end(&w);
}

static void a_page_that_is_gone_leaves_its_series_to_a_later_one(void **state)
{
	struct readings_world w;

	begin(&w);
	take(&w, GOOD, SECOND, drive_written_bytes_total, 2, 200);
	settle(&w);
	readings_forget(&w.poll, &w.entries[GOOD]);
	assert_true(isnan(value_of(&w, drive_written_bytes_total)));
	assert_null(readings_source(&w.poll, drive_written_bytes_total));
	assert_int_equal(w.poll.n_source_changes, 0);	/* nobody has taken its place */
	take(&w, POOR, MINUTE, drive_written_bytes_total, 1, 201);
	assert_true(value_of(&w, drive_written_bytes_total) == 201);
	assert_int_equal(w.poll.n_source_changes, 1);
	end(&w);
}

static void series_choose_each_for_itself(void **state)
{
	struct readings_world w;
	struct sample_set set = { 0 };
	struct sample s[] = { { .family = drive_temperature_celsius, .rank = 2, .label = { "drive" }, .value = 30 },
			      { .family = drive_read_bytes_total, .rank = 2, .value = 5 } };

	begin(&w);
	for (size_t i = 0; i < ARRAY_SIZE(s); i++)
		assert_true(sample_set_add(&set, &s[i]));
	readings_take(&w.poll, &w.entries[GOOD], &set);
	take(&w, POOR, SECOND, drive_written_bytes_total, 1, 100);
	settle(&w);
	assert_int_equal(n_served(&w), 3);
	assert_non_null(readings_find(&w.poll, drive_temperature_celsius, "drive"));
	assert_null(readings_find(&w.poll, drive_temperature_celsius, "composite"));
	end(&w);
}

static void values_without_a_rank_are_served_at_once(void **state)
{
	struct readings_world w;

	begin(&w);
	take(&w, POOR, SECOND, drive_pending_sectors, 0, 8);
	assert_true(value_of(&w, drive_pending_sectors) == 8);
	end(&w);
}

static void a_value_grows_stale(void **state)
{
	struct readings_world w;

	begin(&w);
	take(&w, GOOD, SECOND, drive_pending_sectors, 0, 8);
	take(&w, SLOW, SECOND, drive_spare_available_ratio, 0, 0.9);
	take(&w, ONCE, SECOND, drive_temperature_celsius, 0, 20);
	readings_age(&w.poll, SECOND + 15 * (uint64_t)MINUTE, MINUTE);
	assert_true(value_of(&w, drive_pending_sectors) == 8);
	readings_age(&w.poll, SECOND + 15 * (uint64_t)MINUTE + 1, MINUTE);
	assert_true(isnan(value_of(&w, drive_pending_sectors)));
	readings_age(&w.poll, SECOND + 90 * (uint64_t)MINUTE, MINUTE);		/* three periods of half an hour */
	assert_true(value_of(&w, drive_spare_available_ratio) == 0.9);
	readings_age(&w.poll, SECOND + 90 * (uint64_t)MINUTE + 1, MINUTE);
	assert_true(isnan(value_of(&w, drive_spare_available_ratio)));
	readings_age(&w.poll, 100000 * (uint64_t)MINUTE, MINUTE);
	assert_true(value_of(&w, drive_temperature_celsius) == 20);		/* asked once, and so for good */
	take(&w, GOOD, 100000 * (uint64_t)MINUTE, drive_pending_sectors, 0, 9);
	assert_true(value_of(&w, drive_pending_sectors) == 9);
	end(&w);
}

static void a_longer_interval_leaves_more_time(void **state)
{
	struct readings_world w;

	begin(&w);
	take(&w, GOOD, SECOND, drive_pending_sectors, 0, 8);
	readings_age(&w.poll, 29 * (uint64_t)MINUTE, 10 * (uint64_t)MINUTE);
	assert_true(value_of(&w, drive_pending_sectors) == 8);
	readings_age(&w.poll, 31 * (uint64_t)MINUTE, 10 * (uint64_t)MINUTE);
	assert_true(isnan(value_of(&w, drive_pending_sectors)));
	end(&w);
}

static void lifetime_counters_stay(void **state)
{
	struct readings_world w;

	begin(&w);
	take(&w, GOOD, SECOND, drive_power_cycles_total, 0, 77);
	take(&w, POOR, SECOND, drive_power_on_seconds_total, 1, 3600);
	settle(&w);
	readings_age(&w.poll, 10000 * (uint64_t)MINUTE, MINUTE);
	assert_true(value_of(&w, drive_power_cycles_total) == 77);
	assert_true(value_of(&w, drive_power_on_seconds_total) == 3600);
	end(&w);
}

static void sleep_keeps_values(void **state)
{
	struct readings_world w;

	begin(&w);
	take(&w, GOOD, SECOND, drive_pending_sectors, 0, 8);
	w.poll.has_power = true;
	w.poll.power = POWER_STANDBY;
	w.poll.power_us = 10000 * (uint64_t)MINUTE;
	readings_age(&w.poll, 10000 * (uint64_t)MINUTE, MINUTE);
	assert_true(value_of(&w, drive_pending_sectors) == 8);
	w.poll.power = POWER_IDLE;
	readings_age(&w.poll, 10000 * (uint64_t)MINUTE, MINUTE);
	assert_true(isnan(value_of(&w, drive_pending_sectors)));
	end(&w);
}

static void what_is_served_is_in_the_order_of_families(void **state)
{
	struct readings_world w;
	const struct sample **served;
	size_t n;

	begin(&w);
	take(&w, GOOD, SECOND, drive_nvme_busy_seconds_total, 0, 1);
	take(&w, POOR, SECOND, drive_pending_sectors, 0, 2);
	take(&w, SLOW, SECOND, drive_pending_sectors, 0, 3);
	take(&w, ONCE, SECOND, drive_spare_available_ratio, 0, 4);
	served = readings_served(&w.poll, &n);
	assert_int_equal(n, 4);
	for (size_t i = 1; i < n; i++)
		assert_true(served[i - 1]->family <= served[i]->family);
	assert_true(served[1]->value == 2 && served[2]->value == 3);	/* within one, the order of the plan */
	end(&w);
}

static void quantities_are_counted_up_to_a_limit(void **state)
{
	static char names[COUNTED_QUANTITIES + 1][8];
	struct quantity_count counts[COUNTED_QUANTITIES];
	size_t n = 0;

	for (int i = 0; i <= COUNTED_QUANTITIES; i++) {
		names[i][0] = (char)('a' + i);
		assert_int_equal(quantity_count(counts, &n, names[i]), i < COUNTED_QUANTITIES);
	}
	assert_false(quantity_count(counts, &n, "b"));
	assert_int_equal(n, COUNTED_QUANTITIES);
	assert_int_equal(counts[1].n, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_source_is_chosen_when_the_first_visit_ends),
		cmocka_unit_test(no_other_page_steps_in),
		cmocka_unit_test(a_better_page_that_comes_late_does_not_take_over),
		cmocka_unit_test(choosing_again_leaves_the_chosen_alone),
		cmocka_unit_test(a_series_that_comes_late_finds_its_source),
		cmocka_unit_test(a_page_that_is_gone_gives_way_and_that_is_counted),
		cmocka_unit_test(a_page_that_is_gone_leaves_its_series_to_a_later_one),
		cmocka_unit_test(series_choose_each_for_itself),
		cmocka_unit_test(values_without_a_rank_are_served_at_once),
		cmocka_unit_test(a_value_grows_stale),
		cmocka_unit_test(a_longer_interval_leaves_more_time),
		cmocka_unit_test(lifetime_counters_stay),
		cmocka_unit_test(sleep_keeps_values),
		cmocka_unit_test(what_is_served_is_in_the_order_of_families),
		cmocka_unit_test(quantities_are_counted_up_to_a_limit),
	};

	return cmocka_run_group_tests_name("readings", tests, NULL, NULL);
}
