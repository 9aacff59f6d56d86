/* base/clock.c: its sums, on a machine whose clocks stand still until a test moves them. */
#include "base/clock.h"

#include <stdlib.h>
#include <time.h>

#include "base/cleanup.h"

#include "unit.h"

#define SECOND UINT64_C(1000000)
#define DAY (86400 * SECOND)
#define START (1000 * SECOND + 7)

static uint64_t monotonic_us, real_us;

/* Stands in for libc's. */
int clock_gettime(clockid_t clock, struct timespec *t)
{
	uint64_t us = clock == CLOCK_REALTIME ? real_us : monotonic_us;

	t->tv_sec = (time_t)(us / SECOND);
	t->tv_nsec = (long)(us % SECOND) * 1000;
	return 0;
}

static int set_up(void **state)
{
	monotonic_us = START;
	real_us = 1700000000 * SECOND + 123456;
	clock_run(1, 0, 0);
	return 0;
}

static void pass(uint64_t us)
{
	monotonic_us += us;
	real_us += us;
}

static void it_is_the_machines_own_at_first(void **state)
{
	assert_true(clock_monotonic_us() == START);
	assert_true(clock_steady_us() == START);
	assert_true(clock_real_us() == (int64_t)real_us);
	assert_true(clock_steady_from(5) == 5 && clock_monotonic_from(5) == 5);
	assert_true(clock_gain_us(DAY) == 0);
	clock_run(1, START, 0);			/* a replay as fast as life */
	real_us -= DAY;				/* somebody sets it back */
	pass(3);
	assert_true(clock_steady_us() == START + 3);
	assert_true(clock_real_us() == (int64_t)real_us);
}

static void it_runs_faster_from_its_start_on(void **state)
{
	int64_t began = clock_real_us();

	clock_run(86400, START, 0);
	assert_true(clock_steady_us() == START && clock_real_us() == began);
	pass(1);
	assert_true(clock_steady_us() == START + 86400);
	pass(SECOND - 1);
	assert_true(clock_steady_us() == START + DAY);
	assert_true(clock_real_us() == began + (int64_t)DAY);
	assert_true(clock_monotonic_us() == START + SECOND);
	assert_true(clock_gain_us(SECOND) == DAY - SECOND);
	assert_true(clock_steady_from(START - 5) == START - 5);		/* before, it was the machine's own */
	assert_true(clock_monotonic_from(START - 5) == START - 5);
}

static void it_may_begin_ahead(void **state)
{
	int64_t began = clock_real_us();

	clock_run(10, START, 400 * DAY);
	assert_true(clock_steady_us() == START + 400 * DAY);
	assert_true(clock_real_us() == began + (int64_t)(400 * DAY));
	pass(SECOND);
	assert_true(clock_steady_us() == START + 400 * DAY + 10 * SECOND);
	assert_true(clock_steady_from(START - 5) == START - 5 + 400 * DAY);
	assert_true(clock_monotonic_from(START - 5 + 400 * DAY) == START - 5);
	assert_true(clock_monotonic_from(17) == 0);			/* before the machine was there */
	clock_run(1, START, 400 * DAY);
	assert_true(clock_steady_us() == START + 400 * DAY + SECOND);
	assert_true(clock_monotonic_from(START + 400 * DAY) == START);
	assert_true(clock_monotonic_from(17) == 0);
}

static void a_second_run_goes_on_where_the_first_one_ended(void **state)
{
	uint64_t ended;

	clock_run(1000, START, 3 * DAY);
	pass(60 * SECOND);
	ended = clock_steady_us() - START;
	assert_true(ended == 3 * DAY + 60000 * SECOND);
	clock_run(50, monotonic_us, ended);
	assert_true(clock_steady_us() == monotonic_us + ended);
}

/* For a moment of this clock the first of CLOCK_MONOTONIC at which it is that far; and so for none before it. */
static void there_and_back_rounds_up(void **state)
{
	static const double speeds[] = { 1, 1.0000001, 1.5, 3, 7.3, 60, 1000.1, 86400, 999999.999, CLOCK_SPEED_MAX };

	srand(42);
	for (size_t i = 0; i < ARRAY_SIZE(speeds); i++) {
		clock_run(speeds[i], START, 77);
		for (int k = 0; k < 1000; k++) {
			uint64_t reach = k % 2 ? DAY : 3650 * DAY;	/* of this clock: ten years, too */
			uint64_t steady = START + 77 + ((uint64_t)rand() << 20 ^ (uint64_t)rand()) % reach;
			uint64_t monotonic = clock_monotonic_from(steady);

			assert_true(clock_steady_from(monotonic) >= steady);
			assert_true(monotonic == 0 || clock_steady_from(monotonic - 1) < steady);
		}
	}
	assert_true(clock_monotonic_from(UINT64_MAX) == UINT64_MAX);
}

/* Also where a double no longer knows single microseconds. */
static void ten_years_are_exact(void **state)
{
	uint64_t elapsed = 3650 * DAY / 60 + 1;

	clock_run(60, START, 3650 * DAY);
	assert_true(clock_steady_from(START + elapsed) == START + 2 * 3650 * DAY + 60);
	assert_true(clock_monotonic_from(START + 2 * 3650 * DAY + 60) == START + elapsed);
	assert_true(clock_monotonic_from(START + 2 * 3650 * DAY + 61) == START + elapsed + 1);
	clock_run(CLOCK_SPEED_MAX, START, 0);
	assert_true(clock_steady_from(START + DAY + 1) == START + (DAY + 1) * CLOCK_SPEED_MAX);		/* 27,000 years: beyond 2^53 us */
	clock_run(1.5, START, 0);
	assert_true(clock_steady_from(START + 10 * DAY + 1) == START + 15 * DAY + 1);
}

/* A month at the greatest speed is more than 64 bits of microseconds: it stands still, and never jumps back. */
static void it_stands_still_before_it_overflows(void **state)
{
	uint64_t last = 0;

	clock_run(CLOCK_SPEED_MAX, START, 10000 * DAY);
	for (int hour = 0; hour < 31 * 24; hour++) {
		pass(DAY / 24);
		assert_true(clock_steady_us() >= last);
		assert_true(clock_real_us() > 0 && (uint64_t)clock_real_us() >= clock_steady_us() - DAY);
		last = clock_steady_us();
	}
	pass(400 * DAY);
	assert_true(clock_steady_us() == last && last > 146000 * 365 * DAY && last < INT64_MAX);
	assert_true(clock_monotonic_from(last + 1) == UINT64_MAX);	/* a timer for that never fires */
	assert_true(clock_steady_from(clock_monotonic_from(last)) == last);
	assert_true(clock_gain_us(400 * DAY) <= last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_is_the_machines_own_at_first, set_up),
		cmocka_unit_test_setup(it_runs_faster_from_its_start_on, set_up),
		cmocka_unit_test_setup(it_may_begin_ahead, set_up),
		cmocka_unit_test_setup(a_second_run_goes_on_where_the_first_one_ended, set_up),
		cmocka_unit_test_setup(there_and_back_rounds_up, set_up),
		cmocka_unit_test_setup(ten_years_are_exact, set_up),
		cmocka_unit_test_setup(it_stands_still_before_it_overflows, set_up),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
