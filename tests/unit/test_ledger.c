/* health/ledger.c: who was there, who is missing and since when. */
#include "health/ledger.h"

#include <math.h>

#include "base/text.h"
#include "unit.h"

enum { NOW = 1800000000, HOUR = 3600, DAY = 86400 };

static struct history_known drive(const char *label, int64_t seen_s)
{
	struct history_known k = { .vendor = "V", .firmware = "F1", .slot = "7", .path = "0:0:1:0", .capacity_bytes = 1e12,
				   .power_on_s = 100, .seen_s = seen_s };

	text_copy(k.id.drive, sizeof k.id.drive, label);
	return k;
}

static enum ledger_news see(struct ledger *l, const char *label, int64_t now_s)
{
	struct history_known k = drive(label, now_s);
	enum ledger_news news;

	assert_non_null(ledger_see(l, &k, false, &news));
	return news;
}

static bool is_gone(struct ledger *l, const char *label, int64_t now_s)
{
	enum ledger_reason reason;

	return ledger_is_gone(l, ledger_find(l, label), now_s, &reason);
}

static void a_drive_is_new_then_no_news_then_written_every_hour(void **state)
{
	struct ledger l = { 0 };

	assert_int_equal(see(&l, "A", NOW), LEDGER_NEW);
	assert_int_equal(see(&l, "A", NOW + 60), LEDGER_NOTHING);
	assert_int_equal(see(&l, "A", NOW + HOUR), LEDGER_TO_WRITE);
	assert_int_equal(see(&l, "A", NOW + HOUR + 60), LEDGER_NOTHING);
	assert_int_equal(see(&l, "A", NOW), LEDGER_TO_WRITE);	/* a clock that went back */
	assert_int_equal(ledger_find(&l, "A")->known.first_s, NOW);
	ledger_free(&l);
}

static void what_changes_is_written_and_what_is_not_told_stays(void **state)
{
	struct ledger l = { 0 };
	struct history_known k = drive("A", NOW);
	enum ledger_news news;

	assert_int_equal(see(&l, "A", NOW), LEDGER_NEW);
	text_copy(k.firmware, sizeof k.firmware, "F2");
	assert_non_null(ledger_see(&l, &k, false, &news));
	assert_int_equal(news, LEDGER_TO_WRITE);
	text_copy(k.vendor, sizeof k.vendor, "");
	k.power_on_s = k.capacity_bytes = NAN;
	assert_non_null(ledger_see(&l, &k, false, &news));
	assert_int_equal(news, LEDGER_NOTHING);
	assert_string_equal(ledger_find(&l, "A")->known.vendor, "V");
	assert_true(ledger_find(&l, "A")->known.power_on_s == 100 && ledger_find(&l, "A")->known.capacity_bytes == 1e12);
	k.slot[0] = 0;			/* it has left its slot */
	assert_non_null(ledger_see(&l, &k, false, &news));
	assert_int_equal(news, LEDGER_TO_WRITE);
	assert_string_equal(ledger_find(&l, "A")->known.slot, "");
	ledger_free(&l);
}

static void a_drive_that_goes_is_missing_since_then_and_counted_once(void **state)
{
	struct ledger l = { 0 };

	see(&l, "A", NOW);
	assert_true(is_gone(&l, "A", NOW + 30));
	assert_false(is_gone(&l, "A", NOW + 90));
	assert_int_equal(ledger_find(&l, "A")->known.missing_s, NOW + 30);
	assert_int_equal(l.removed[LEDGER_VANISHED], 1);
	assert_int_equal(see(&l, "A", NOW + 200), LEDGER_BACK);
	assert_int_equal(ledger_find(&l, "A")->known.missing_s, 0);
	assert_true(is_gone(&l, "A", NOW + 300));
	assert_int_equal(ledger_is_there(ledger_find(&l, "A"), NOW + 400), LEDGER_BACK);
	assert_int_equal(ledger_is_there(ledger_find(&l, "A"), NOW + 401), LEDGER_NOTHING);
	assert_int_equal(l.removed[LEDGER_VANISHED], 2);
	assert_int_equal(l.removed[LEDGER_FAILED], 0);
	ledger_free(&l);
}

static void one_that_was_failing_has_failed(void **state)
{
	struct ledger l = { 0 };
	struct history_known k = drive("A", NOW);
	enum ledger_news news;

	assert_non_null(ledger_see(&l, &k, true, &news));
	assert_true(is_gone(&l, "A", NOW));
	assert_int_equal(l.removed[LEDGER_FAILED], 1);
	assert_int_equal(l.removed[LEDGER_VANISHED], 0);
	ledger_free(&l);
}

static void one_that_is_only_loaded_is_missing_since_it_was_last_seen(void **state)
{
	struct ledger l = { 0 };
	struct history_known before[] = { drive("A", NOW - 5 * DAY), drive("B", NOW - 5 * DAY), drive("C", NOW - 5 * DAY) };

	before[1].first_s = NOW - 9 * DAY;
	before[2].missing_s = NOW - 7 * DAY;
	see(&l, "B", NOW);
	assert_int_equal(ledger_merge(&l, before, 3), 0);
	assert_false(ledger_find(&l, "A")->is_confirmed);
	assert_true(is_gone(&l, "A", NOW + 10));
	assert_int_equal(ledger_find(&l, "A")->known.missing_s, NOW - 5 * DAY);
	assert_true(ledger_find(&l, "A")->is_confirmed);
	assert_int_equal(ledger_find(&l, "B")->known.first_s, NOW - 9 * DAY);
	assert_int_equal(ledger_find(&l, "B")->known.seen_s, NOW);
	assert_false(is_gone(&l, "C", NOW + 10));		/* that was known */
	assert_int_equal(ledger_find(&l, "C")->known.missing_s, NOW - 7 * DAY);
	assert_true(ledger_find(&l, "C")->is_confirmed);
	ledger_free(&l);
}

static void it_is_forgotten_when_its_time_is_over(void **state)
{
	struct ledger l = { 0 };

	see(&l, "A", NOW);
	see(&l, "B", NOW);
	assert_false(ledger_is_overdue(ledger_find(&l, "A"), NOW + 100 * DAY, 90 * DAY));	/* it is there */
	is_gone(&l, "A", NOW);
	assert_false(ledger_is_overdue(ledger_find(&l, "A"), NOW + 90 * DAY, 90 * DAY));
	assert_true(ledger_is_overdue(ledger_find(&l, "A"), NOW + 90 * DAY + 1, 90 * DAY));
	assert_false(ledger_is_overdue(ledger_find(&l, "A"), 1000, 90 * DAY));		/* a clock of 1970 */
	ledger_forget(&l, ledger_find(&l, "A"));
	assert_null(ledger_find(&l, "A"));
	assert_non_null(ledger_find(&l, "B"));
	ledger_free(&l);
}

/* A host whose clock has lost its battery begins in 1970; when the clock is set nobody was missing for 57 years. */
static void a_clock_that_is_not_set_dates_nothing(void **state)
{
	struct ledger l = { 0 };

	see(&l, "A", NOW);
	see(&l, "A", 500);
	assert_int_equal(ledger_find(&l, "A")->known.seen_s, NOW);
	is_gone(&l, "A", 600);
	assert_int_equal(ledger_find(&l, "A")->known.missing_s, NOW);
	see(&l, "B", 500);
	is_gone(&l, "B", 600);
	assert_false(ledger_is_overdue(ledger_find(&l, "B"), NOW, 90 * DAY));
	assert_int_equal(ledger_find(&l, "B")->known.missing_s, NOW);
	ledger_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_drive_is_new_then_no_news_then_written_every_hour),
		cmocka_unit_test(what_changes_is_written_and_what_is_not_told_stays),
		cmocka_unit_test(a_drive_that_goes_is_missing_since_then_and_counted_once),
		cmocka_unit_test(one_that_was_failing_has_failed),
		cmocka_unit_test(one_that_is_only_loaded_is_missing_since_it_was_last_seen),
		cmocka_unit_test(it_is_forgotten_when_its_time_is_over),
		cmocka_unit_test(a_clock_that_is_not_set_dates_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
