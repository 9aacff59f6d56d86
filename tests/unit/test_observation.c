/* What is seen of a drive, row by row: what goes on, and what begins anew. */
#include <math.h>

#include "base/text.h"
#include "health/observation.h"
#include "unit.h"

enum { HOUR_S = 3600 };

#define START_S INT64_C(1767225600)	/* 2026-01-01 */
#define TB 1e12

static struct observed_reading reading(int64_t at_s, double wear, double written, double power_on_h)
{
	struct observed_reading r = { .at_s = at_s, .wear = wear, .written = written, .nand_written = NAN,
				      .power_on_s = power_on_h * HOUR_S, .wear_at_s = at_s, .written_at_s = at_s,
				      .power_on_at_s = at_s };

	text_copy(r.firmware, sizeof r.firmware, "0001");
	text_copy(r.wear_page, sizeof r.wear_page, "log page 0x11");
	text_copy(r.written_page, sizeof r.written_page, "log page 0x02");
	return r;
}

static enum observed_news take(struct observed *o, const struct observed_reading *r, enum observed_break want)
{
	enum observed_break b;
	enum observed_news news = observed_take(o, r, &b);

	assert_int_equal(b, want);
	return news;
}

/* Hours 0 to n - 1, a terabyte and a thousandth of wear an hour; shown in whole percents. */
static void go(struct observed *o, int from_h, int to_h)
{
	for (int h = from_h; h < to_h; h++) {
		struct observed_reading r = reading(START_S + (int64_t)h * HOUR_S, floor(h / 10.0) / 100, h * TB, h);

		assert_int_not_equal(take(o, &r, BREAK_NONE), OBSERVED_NOTHING);
	}
}

static void a_day_is_a_row(void **state)
{
	CLEANUP(observed_free) struct observed o = { 0 };

	go(&o, 0, 72);
	assert_int_equal(o.n, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(o.rows[i].day, START_S / DAY_S + i);
		assert_int_equal(o.rows[i].first_s, START_S + i * DAY_S);
		assert_int_equal(o.rows[i].last_s, START_S + i * DAY_S + 23 * HOUR_S);
		assert_true(o.rows[i].written == (24 * i + 23) * TB);
		assert_int_equal(o.rows[i].series, START_S);
	}
	assert_true(o.rows[2].wear == 0.07);
	assert_int_equal(o.rows[2].wear_since_s, START_S + 70 * HOUR_S);
	assert_true(o.rows[2].wear_since_written == 70 * TB);
	assert_string_equal(o.rows[2].firmware, "0001");
	assert_string_equal(o.rows[2].wear_page, "log page 0x11");
}

/* The value it had when first seen, and one that came while nobody looked: since when is not known. */
static void when_a_step_came_is_known_only_if_it_was_seen(void **state)
{
	CLEANUP(observed_free) struct observed o = { 0 };
	struct observed_reading r = reading(START_S, 0.5, 10 * TB, 1000);
	struct observed_point *points;
	size_t n;

	take(&o, &r, BREAK_NONE);
	assert_int_equal(o.rows[0].wear_since_s, 0);
	r = reading(START_S + 3 * DAY_S, 0.51, 11 * TB, 1000 + 72);
	take(&o, &r, BREAK_NONE);
	assert_int_equal(o.rows[1].wear_since_s, 0);
	r = reading(START_S + 3 * DAY_S + HOUR_S, 0.52, 12 * TB, 1000 + 73);
	take(&o, &r, BREAK_NONE);
	assert_int_equal(o.rows[1].wear_since_s, r.at_s);
	points = observed_points(&o, &n);
	assert_int_equal(n, 1);
	assert_true(points[0].wear == 0.52 && points[0].written == 12 * TB);
	free(points);
}

static void what_is_not_told_is_kept_as_it_was(void **state)
{
	CLEANUP(observed_free) struct observed o = { 0 };
	struct observed_reading r;

	go(&o, 0, 20);
	r = reading(START_S + 20 * HOUR_S, NAN, NAN, NAN);
	assert_int_equal(take(&o, &r, BREAK_NONE), OBSERVED_SAME_DAY);
	assert_true(o.rows[0].wear == 0.01 && o.rows[0].written == 19 * TB && o.rows[0].power_on_s == 19 * HOUR_S);
	assert_int_equal(o.rows[0].last_s, r.at_s);
}

static void the_same_moment_is_no_news(void **state)
{
	CLEANUP(observed_free) struct observed o = { 0 };
	struct observed_reading r = reading(START_S, 0.1, TB, 5);

	assert_int_equal(take(&o, &r, BREAK_NONE), OBSERVED_NEW_ROW);
	assert_int_equal(take(&o, &r, BREAK_NONE), OBSERVED_NOTHING);
}

static void before_the_clock_is_set_nothing_is_seen(void **state)
{
	CLEANUP(observed_free) struct observed o = { 0 };
	struct observed_reading r = reading(1000, 0.1, TB, 5);

	assert_int_equal(take(&o, &r, BREAK_NONE), OBSERVED_NOTHING);
	assert_int_equal(o.n, 0);
}

/* ---- what begins anew, and after how many readings */

struct jump {
	const char *what;
	double wear, written, power_on_h;	/* of the reading after hour 47 */
	int64_t clock_offset_s;
	const char *firmware, *wear_page, *written_page;
	enum observed_break want;
	bool is_at_once;		/* else the second reading tells */
};

static const struct jump jumps[] = {
	{ "all as before", 0.04, 48 * TB, 48, .want = BREAK_NONE },
	{ "new firmware alone", 0.04, 48 * TB, 48, .firmware = "0002", .want = BREAK_NONE },
	{ "a step back, as rounding has it", 0.03, 48 * TB, 48, .want = BREAK_NONE },
	{ "bytes that were not saved", 0.04, 46 * TB, 48, .want = BREAK_NONE },
	{ "the clock is corrected a little", 0.04, 48 * TB, 48, .clock_offset_s = 250, .want = BREAK_NONE },
	{ "the clock jumps", 0.04, 48 * TB, 48, .clock_offset_s = 86400, .want = BREAK_CLOCK, .is_at_once = true },
	{ "the clock jumps back", 0.04, 48 * TB, 48, .clock_offset_s = -7200, .want = BREAK_CLOCK, .is_at_once = true },
	{ "wear jumps", 0.35, 48 * TB, 48, .want = BREAK_WEAR },
	{ "wear falls", 0.01, 48 * TB, 48, .want = BREAK_WEAR },
	{ "firmware tells a little more", 0.07, 48 * TB, 48, .firmware = "0002", .want = BREAK_FIRMWARE, .is_at_once = true },
	{ "wear rises by three steps at once", 0.075, 48 * TB, 48, .want = BREAK_WEAR },
	{ "firmware tells another wear", 0.35, 48 * TB, 48, .firmware = "0002", .want = BREAK_FIRMWARE, .is_at_once = true },
	{ "bytes begin anew", 0.04, 1 * TB, 48, .want = BREAK_WRITTEN },
	{ "more bytes than a link carries", 0.04, 9000 * TB, 48, .want = BREAK_WRITTEN },
	{ "power-on time begins anew", 0.04, 48 * TB, 2, .want = BREAK_POWER_ON },
	{ "another page tells the wear", 0.04, 48 * TB, 48, .wear_page = "log page 0x3c", .want = BREAK_WEAR_PAGE, .is_at_once = true },
	{ "another page tells the bytes", 0.04, 48 * TB, 48, .written_page = "log page 0x37", .want = BREAK_WRITTEN_PAGE,
	  .is_at_once = true },
};

static struct observed_reading jumped(const struct jump *j, int64_t later_s)
{
	struct observed_reading r = reading(START_S + 48 * HOUR_S + later_s, j->wear, j->written, j->power_on_h);

	r.clock_offset_s = j->clock_offset_s;
	text_copy(r.firmware, sizeof r.firmware, j->firmware ? j->firmware : r.firmware);
	text_copy(r.wear_page, sizeof r.wear_page, j->wear_page ? j->wear_page : r.wear_page);
	text_copy(r.written_page, sizeof r.written_page, j->written_page ? j->written_page : r.written_page);
	return r;
}

static void a_break_begins_a_series(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(jumps); i++) {
		CLEANUP(observed_free) struct observed o = { 0 };
		const struct jump *j = &jumps[i];
		struct observed_reading first = jumped(j, 0), second = jumped(j, 60);
		enum observed_break b;

		go(&o, 0, 48);
		observed_take(&o, &first, &b);
		if (b != (j->is_at_once ? j->want : BREAK_NONE))
			fail_msg("%s: after one reading \"%s\"", j->what, observed_break_words(b));
		if (!j->is_at_once) {
			observed_take(&o, &second, &b);
			if (b != j->want)
				fail_msg("%s: after two readings \"%s\"", j->what, observed_break_words(b));
		}
		if ((o.rows[o.n - 1].series != o.rows[0].series) != (j->want != BREAK_NONE))
			fail_msg("%s: the series is wrong", j->what);
	}
}

/* One reading that makes no sense is forgotten. */
static void a_glitch_costs_nothing(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(jumps); i++) {
		CLEANUP(observed_free) struct observed o = { 0 };
		struct observed_reading glitch = jumped(&jumps[i], 0);

		if (!jumps[i].want || jumps[i].is_at_once)
			continue;
		go(&o, 0, 48);
		assert_int_equal(take(&o, &glitch, BREAK_NONE), OBSERVED_NOTHING);
		go(&o, 49, 60);
		assert_int_equal(o.rows[o.n - 1].series, START_S);
		assert_true(o.rows[o.n - 1].written == 59 * TB);
	}
}

/* Other pages are read in between; the same answer is not a second one. */
static void an_answer_does_not_confirm_itself(void **state)
{
	CLEANUP(observed_free) struct observed o = { 0 };
	struct observed_reading r = reading(START_S + 48 * HOUR_S, 0.35, 48 * TB, 48);

	go(&o, 0, 48);
	take(&o, &r, BREAK_NONE);
	r.at_s += 600;
	assert_int_equal(take(&o, &r, BREAK_NONE), OBSERVED_NOTHING);
	r.at_s += 600;
	assert_int_equal(take(&o, &r, BREAK_NONE), OBSERVED_NOTHING);
	r.at_s = r.wear_at_s += 1800;
	assert_int_equal(take(&o, &r, BREAK_WEAR), OBSERVED_NEW_ROW);
}

/* Bytes that go up and down with every answer. */
static void nonsense_fills_no_history(void **state)
{
	CLEANUP(observed_free) struct observed o = { 0 };

	for (int i = 0; i < 1000; i++) {
		struct observed_reading r = reading(START_S + i * 60, 0.1, i / 2 % 2 ? 5 * TB : 500 * TB, 100 + i / 60.0);
		enum observed_break b;

		observed_take(&o, &r, &b);
	}
	assert_int_equal(o.n, 8);
}

/* A drive that tells its wear at power cycles only: what its bytes explain is no jump. */
static void wear_that_bytes_explain_is_no_jump(void **state)
{
	CLEANUP(observed_free) struct observed o = { 0 };
	struct observed_reading r;

	go(&o, 0, 101);		/* 10 %, since 100 TB */
	r = reading(START_S + 200 * HOUR_S, 0.1, 200 * TB, 200);
	take(&o, &r, BREAK_NONE);
	r = reading(START_S + 200 * HOUR_S + 120, 0.2, 200 * TB, 200);
	take(&o, &r, BREAK_NONE);
	assert_true(o.rows[o.n - 1].wear == 0.2);
}

static void long_ago_wear_may_have_grown_much(void **state)
{
	CLEANUP(observed_free) struct observed o = { 0 };
	struct observed_reading r = reading(START_S + 400 * DAY_S, 0.4, 500 * TB, 9000);

	go(&o, 0, 48);
	assert_int_equal(take(&o, &r, BREAK_NONE), OBSERVED_NEW_ROW);
	assert_int_equal(o.rows[o.n - 1].series, START_S);
	assert_false(observed_wear_began_anew(&o));
}

static void of_the_past_we_know_where_wear_began_anew(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(jumps); i++) {
		CLEANUP(observed_free) struct observed o = { 0 };
		struct observed_reading first = jumped(&jumps[i], 0), second = jumped(&jumps[i], 60);
		enum observed_break want = jumps[i].want, b;

		go(&o, 0, 48);
		observed_take(&o, &first, &b);
		observed_take(&o, &second, &b);
		/* another page that tells the same wear changes nothing */
		assert_int_equal(observed_wear_began_anew(&o), want == BREAK_WEAR || want == BREAK_FIRMWARE);
	}
}

static void bytes_that_a_counter_lost_still_count(void **state)
{
	CLEANUP(observed_free) struct observed o = { 0 };
	struct observed_reading first = reading(START_S + 48 * HOUR_S, 0.04, 0.1 * TB, 48), second = first;

	int64_t first_s = 0;
	double written = 0;

	second.at_s += 60;
	second.written_at_s += 60;
	go(&o, 0, 48);
	take(&o, &first, BREAK_NONE);
	assert_true(observed_written_lost(&o) == 0);
	take(&o, &second, BREAK_WRITTEN);
	assert_true(observed_written_lost(&o) == 47 * TB);
	assert_int_equal(observed_written_reached_s(&o, 35 * TB, &first_s, &written), START_S + 35 * HOUR_S);
	assert_int_equal(observed_written_reached_s(&o, 48 * TB, &first_s, &written), 0);
}

/* Of two series each tells its own; what was between them is nobody's. */
static void a_rate_adds_up_the_series(void **state)
{
	CLEANUP(observed_free) struct observed o = { 0 };
	struct observed_rate r;

	go(&o, 0, 97);		/* the last readings of the days are at 23, 47, 71, 95; then 96 */
	r = observed_rate(&o, OBSERVED_WRITTEN, START_S, START_S + 96 * HOUR_S);
	assert_true(r.amount == 73 * TB && r.seconds == 73 * HOUR_S);
	r = observed_rate(&o, OBSERVED_WRITTEN, START_S + 59 * HOUR_S, START_S + 96 * HOUR_S);
	assert_true(fabs(r.amount - 37 * TB) < 1 && r.seconds == 37 * HOUR_S);
	o.rows[3].series++;
	o.rows[4].series++;
	r = observed_rate(&o, OBSERVED_WRITTEN, START_S, START_S + 96 * HOUR_S);
	assert_true(r.amount == 49 * TB && r.seconds == 49 * HOUR_S);
	r = observed_rate(&o, OBSERVED_NAND_WRITTEN, START_S, START_S + 96 * HOUR_S);
	assert_true(r.amount == 0 && r.seconds == 0);
}

/* ---- the clock between two runs of the program: other rows, no offset */

static struct observed after_restart(const struct observed *before)
{
	struct observed o = { 0 };

	assert_int_equal(observed_merge(&o, before->rows, before->n), 0);
	return o;
}

static struct observed after_two_days_and_a_restart(struct observed *before)
{
	go(before, 0, 48);
	return after_restart(before);
}

static void a_restart_goes_on(void **state)
{
	CLEANUP(observed_free) struct observed before = { 0 };
	CLEANUP(observed_free) struct observed o = { 0 };
	struct observed_reading r = reading(START_S + 60 * HOUR_S, 0.06, 60 * TB, 60);

	o = after_two_days_and_a_restart(&before);
	r.clock_offset_s = 987654;	/* it was another boot */
	assert_int_equal(take(&o, &r, BREAK_NONE), OBSERVED_NEW_ROW);
	assert_int_equal(o.rows[o.n - 1].series, START_S);
}

static void a_clock_that_went_back_meanwhile_is_noticed(void **state)
{
	CLEANUP(observed_free) struct observed before = { 0 };
	CLEANUP(observed_free) struct observed o = { 0 };
	struct observed_reading r = reading(START_S + 10 * HOUR_S, 0.05, 50 * TB, 50);

	o = after_two_days_and_a_restart(&before);
	assert_int_equal(take(&o, &r, BREAK_CLOCK), OBSERVED_NEW_ROW);
	for (size_t i = 0; i < o.n; i++)
		assert_true(o.rows[i].last_s <= r.at_s);
}

/* A host without a clock of its own, until the network tells the time. */
static void what_a_wrong_clock_hides_comes_back_with_the_right_one(void **state)
{
	CLEANUP(observed_free) struct observed o = { 0 };
	struct observed_reading r = reading(START_S - 1000 * DAY_S, 0.04, 47 * TB, 48);
	struct observed_rate rate;

	go(&o, 0, 48);
	r.clock_offset_s = -1000 * DAY_S;
	take(&o, &r, BREAK_CLOCK);
	assert_int_equal(o.n, 1);
	r = reading(START_S + 49 * HOUR_S, 0.04, 48 * TB, 49);
	take(&o, &r, BREAK_CLOCK);
	rate = observed_rate(&o, OBSERVED_WRITTEN, START_S, r.at_s);
	assert_true(rate.amount == 24 * TB && rate.seconds == 24 * HOUR_S);
	assert_int_equal(o.rows[o.n - 1].last_s, r.at_s);
	assert_int_equal(o.n_aside, 0);
}

/* It is read rarely: what the row has of it may be hours old. */
static void a_power_on_time_that_was_read_long_ago_is_no_jump(void **state)
{
	CLEANUP(observed_free) struct observed before = { 0 };
	CLEANUP(observed_free) struct observed o = { 0 };
	struct observed_reading r = reading(START_S + 47 * HOUR_S + 60, 0.04, 47 * TB, 60);

	o = after_two_days_and_a_restart(&before);
	take(&o, &r, BREAK_NONE);
	assert_int_equal(o.rows[o.n - 1].series, START_S);
}

/* One row of a day to come, of a clock that was wrong once: the rest goes on. */
static void a_row_of_another_day_breaks_nothing(void **state)
{
	CLEANUP(observed_free) struct observed before = { 0 };
	CLEANUP(observed_free) struct observed o = { 0 };
	struct observed_reading r = reading(START_S + 60 * HOUR_S, 0.06, 60 * TB, 60);

	o = after_two_days_and_a_restart(&before);
	o.rows[1].series++;
	o.rows[1].last_s += 9000 * (int64_t)DAY_S;
	o.rows[1].day += 9000;
	assert_int_equal(take(&o, &r, BREAK_NONE), OBSERVED_NEW_ROW);
	assert_int_equal(o.n, 2);
	assert_int_equal(o.rows[1].series, START_S);
	assert_int_equal(o.n_aside, 1);
}

static void history_that_comes_late_goes_before(void **state)
{
	CLEANUP(observed_free) struct observed before = { 0 };
	CLEANUP(observed_free) struct observed o = { 0 };
	struct observed_reading r = reading(START_S + 60 * HOUR_S, 0.06, 60 * TB, 60);

	go(&before, 0, 48);
	take(&o, &r, BREAK_NONE);
	assert_int_equal(observed_merge(&o, before.rows, before.n), 0);
	assert_int_equal(observed_merge(&o, before.rows, before.n), 0);	/* twice is once */
	assert_int_equal(o.n, 3);
	assert_int_equal(o.rows[0].series, START_S);
	assert_int_equal(o.rows[2].last_s, r.at_s);
	assert_true(o.rows[2].written == 60 * TB);
}

/* Ten years in memory are few rows, and nothing of the rates is lost. */
static void old_days_are_thinned(void **state)
{
	CLEANUP(observed_free) struct observed o = { 0 };
	struct observed_rate r;

	for (int day = 0; day < 3650; day++) {
		struct observed_reading each = reading(START_S + (int64_t)day * DAY_S, floor(day / 50.0) / 100, day * TB, day * 24);

		take(&o, &each, BREAK_NONE);
	}
	assert_true(o.n < 400);
	assert_int_equal(o.rows[0].day, START_S / DAY_S);
	for (size_t i = o.n - 40; i < o.n; i++)
		assert_int_equal(o.rows[i].day, o.rows[i - 1].day + 1);
	r = observed_rate(&o, OBSERVED_WRITTEN, START_S, START_S + INT64_C(3650) * DAY_S);
	assert_true(r.amount == 3649 * TB && r.seconds == 3649.0 * DAY_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_day_is_a_row),
		cmocka_unit_test(when_a_step_came_is_known_only_if_it_was_seen),
		cmocka_unit_test(what_is_not_told_is_kept_as_it_was),
		cmocka_unit_test(the_same_moment_is_no_news),
		cmocka_unit_test(before_the_clock_is_set_nothing_is_seen),
		cmocka_unit_test(a_break_begins_a_series),
		cmocka_unit_test(a_glitch_costs_nothing),
		cmocka_unit_test(an_answer_does_not_confirm_itself),
		cmocka_unit_test(nonsense_fills_no_history),
		cmocka_unit_test(wear_that_bytes_explain_is_no_jump),
		cmocka_unit_test(a_row_of_another_day_breaks_nothing),
		cmocka_unit_test(long_ago_wear_may_have_grown_much),
		cmocka_unit_test(of_the_past_we_know_where_wear_began_anew),
		cmocka_unit_test(bytes_that_a_counter_lost_still_count),
		cmocka_unit_test(a_rate_adds_up_the_series),
		cmocka_unit_test(a_restart_goes_on),
		cmocka_unit_test(a_clock_that_went_back_meanwhile_is_noticed),
		cmocka_unit_test(what_a_wrong_clock_hides_comes_back_with_the_right_one),
		cmocka_unit_test(a_power_on_time_that_was_read_long_ago_is_no_jump),
		cmocka_unit_test(history_that_comes_late_goes_before),
		cmocka_unit_test(old_days_are_thinned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
