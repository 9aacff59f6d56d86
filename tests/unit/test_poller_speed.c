/* poll/ on a clock that runs faster than the real one: what is due and how old values are goes by it; what hangs does not. */
#include "poll_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

enum { MINUTE = 60000 };
#define MINUTE_US UINT64_C(60000000)

static int real_clock(void **state)
{
	clock_run(1, 0, 0);
	return 0;
}

static struct world *world_at_speed(double speed, const char *devices)
{
	struct world *w;

	clock_run(speed, world_now_us(), 0);
	w = world_new(MINUTE, NULL);
	world_scsi(w, NULL, "SEAGATE", "ST800", "S1");
	for (; *devices; devices++)
		world_device(w, (char[]){ 's', 'd', *devices, 0 }, TRANSPORT_SCSI, "host0", (char[]){ *devices, 0 });
	world_discover(w);
	return w;
}

static size_t count(const struct world *w, size_t since, const char *device, const char *command)
{
	char text[100];

	snprintf(text, sizeof text, "%s %s", device, command);
	return world_count(w, since, text);
}

static bool is_up(const struct world *w, const char *device)
{
	return drive_poll_is_up(world_poll(w, device), poller_now_us(w->poller), poller_interval_us(w->poller));
}

static void periods_and_timestamps_run_with_it(void **state)
{
	struct world *w = world_at_speed(60, "a");
	int64_t began = world_real_us();
	size_t first;

	world_pass(w, 1);
	first = w->n_log;
	world_pass(w, 60000);			/* an hour of it */
	assert_in_range(count(w, first, "sda", "log-sense page=0d"), 59, 61);
	assert_in_range(count(w, first, "sda", "log-sense page=11"), 5, 7);
	assert_in_range(drive_poll_oldest_health(world_poll(w, "sda")) - began, 58 * MINUTE_US, 61 * MINUTE_US);
	assert_true(is_up(w, "sda"));
	world_free(w);
}

/* Visits are always due, and yet it is at rest in between. */
static void it_rests_between_visits(void **state)
{
	struct world *w = world_at_speed(7000000, "a");

	world_pass(w, 1);
	for (int i = 0; i < 200; i++) {
		world_turn(w, 40);
		assert_int_equal(sd_event_run(w->event, 0), 0);		/* at rest */
		world_jump(1);
	}
	assert_true(count(w, 0, "sda", "log-sense page=0d") > 150);
	world_free(w);
}

static void a_hang_is_told_after_five_real_seconds(void **state)
{
	struct world *w = world_at_speed(100000, "a");
	int64_t hung_at;

	world_device(w, "sdb", TRANSPORT_SCSI, "host1", "b");	/* goes on, and so looks at the other's deadline */
	world_discover(w);
	world_pass(w, 10);
	assert_true(is_up(w, "sda"));
	world_hold(w, "sda", "log-sense page=0d");
	for (int i = 0; i < 100 && !w->n_held; i++)
		world_pass(w, 10);
	assert_int_equal(w->n_held, 1);
	hung_at = clock_real_us();
	world_pass(w, 4980);
	assert_false(world_poll(w, "sda")->is_stuck);
	assert_true(is_up(w, "sda"));			/* though 5.7 days went by */
	assert_true(world_value(w, "sda", drive_temperature_celsius, "drive") == 40);
	world_pass(w, 50);
	assert_true(world_poll(w, "sda")->is_stuck);
	assert_in_range(hung_at - world_poll(w, "sda")->stuck_at_us, 0, 20000 * UINT64_C(100000));
	world_pass(w, 1000);
	assert_false(is_up(w, "sda"));
	assert_true(isnan(world_value(w, "sda", drive_temperature_celsius, "drive")));
	world_free(w);
}

/* Each answer takes longer than every period of the plan: all of it is read all the same, and nothing is called old. */
static void who_cannot_keep_up_is_read_as_often_as_it_goes(void **state)
{
	struct world *w = world_at_speed(1000000, "a");
	size_t first;

	w->answer_us = 1000;			/* 1000 s */
	world_turn(w, 200);
	assert_true(world_poll(w, "sda")->is_settled);
	first = w->n_log;
	for (int i = 0; i < 100; i++) {
		world_turn(w, 10);
		assert_true(is_up(w, "sda"));
		assert_true(world_value(w, "sda", drive_temperature_celsius, "drive") == 40);
		assert_true(world_value(w, "sda", drive_endurance_used_ratio, NULL) == 0.07);
	}
	assert_true(count(w, first, "sda", "log-sense page=0d") > 20);
	assert_in_range(count(w, first, "sda", "log-sense page=11") * 10, count(w, first, "sda", "log-sense page=0d") * 8,
			count(w, first, "sda", "log-sense page=0d") * 12);
	world_free(w);
}

static void those_behind_one_adapter_have_their_turns(void **state)
{
	struct world *w = world_at_speed(1000000, "abc");
	size_t first, n[3];

	w->answer_us = 1000;
	world_turn(w, 600);
	first = w->n_log;
	world_turn(w, 3000);
	n[0] = count(w, first, "sda", "log-sense page=0d");
	n[1] = count(w, first, "sdb", "log-sense page=0d");
	n[2] = count(w, first, "sdc", "log-sense page=0d");
	assert_true(n[0] > 20);
	assert_in_range(n[1], n[0] - 2, n[0] + 2);
	assert_in_range(n[2], n[0] - 2, n[0] + 2);
	world_free(w);
}

/* It was asked, and often enough: so the values are old by the clock, however little real time went by. */
static void what_fails_grows_old(void **state)
{
	struct world *w = world_at_speed(1000000, "a");

	world_pass(w, 1);
	world_fail(w, 0, "sda", "log-sense page=0d", fail_sense(4, 0x44, 0));
	world_turn(w, 40);
	for (int i = 0; i < 4; i++) {
		world_jump(1);
		world_turn(w, 40);
	}
	assert_true(world_poll(w, "sda")->failures[FAIL_DEVICE] >= PERIODS_UNTIL_STALE);
	assert_true(isnan(world_value(w, "sda", drive_temperature_celsius, "drive")));
	assert_false(is_up(w, "sda"));
	assert_true(world_value(w, "sda", drive_endurance_used_ratio, NULL) == 0.07);
	world_free(w);
}

static void one_failure_is_no_age(void **state)
{
	struct world *w = world_at_speed(1000000, "a");

	world_pass(w, 1);
	world_fail(w, 1, "sda", "log-sense page=0d", fail_sense(4, 0x44, 0));
	for (int i = 0; i < 10; i++) {
		world_jump(1);
		world_turn(w, 40);
		assert_true(world_value(w, "sda", drive_temperature_celsius, "drive") == 40);
		assert_true(is_up(w, "sda"));
	}
	assert_int_equal(world_poll(w, "sda")->failures[FAIL_DEVICE], 1);
	world_free(w);
}

/* Somebody else's command keeps the drive: asked again each real second, not as fast as the clock runs. */
static void a_busy_drive_is_not_hammered(void **state)
{
	struct world *w = world_at_speed(1000000, "a");
	size_t first;

	world_pass(w, 1);
	world_verdict(w, 0, "sda", "request-sense", WIRE_BUSY, clock_real_us());
	world_pass(w, 100);
	assert_true(world_poll(w, "sda")->is_stuck);
	first = w->n_log;
	world_pass(w, 8000);
	assert_in_range(w->n_log - first, 7, 9);
	world_free(w);
}

/* Whoever scrapes, or ends the program, is served between two visits. */
static int on_scrape(sd_event_source *source, void *userdata)
{
	++*(unsigned *)userdata;
	return 0;
}

static void others_of_the_loop_have_their_turn(void **state)
{
	struct world *w = world_at_speed(1000000, "a");
	sd_event_source *scrape;
	unsigned n = 0;

	w->answer_us = 1000;
	world_turn(w, 200);
	assert_true(sd_event_add_defer(w->event, &scrape, on_scrape, &n) >= 0);
	assert_true(sd_event_source_set_enabled(scrape, SD_EVENT_OFF) >= 0);
	for (unsigned i = 1; i <= 100; i++) {
		world_turn(w, i % 5);
		assert_true(sd_event_source_set_enabled(scrape, SD_EVENT_ONESHOT) >= 0);
		world_turn(w, 1);
		assert_int_equal(n, i);
	}
	sd_event_source_unref(scrape);
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(periods_and_timestamps_run_with_it, real_clock),
		cmocka_unit_test_teardown(it_rests_between_visits, real_clock),
		cmocka_unit_test_teardown(a_hang_is_told_after_five_real_seconds, real_clock),
		cmocka_unit_test_teardown(who_cannot_keep_up_is_read_as_often_as_it_goes, real_clock),
		cmocka_unit_test_teardown(those_behind_one_adapter_have_their_turns, real_clock),
		cmocka_unit_test_teardown(what_fails_grows_old, real_clock),
		cmocka_unit_test_teardown(one_failure_is_no_age, real_clock),
		cmocka_unit_test_teardown(a_busy_drive_is_not_hammered, real_clock),
		cmocka_unit_test_teardown(others_of_the_loop_have_their_turn, real_clock),
	};

	return cmocka_run_group_tests_name("poller_speed", tests, NULL, NULL);
}
