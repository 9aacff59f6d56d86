#include "base/clock.h"

#include <time.h>

/* Where it stands still: half of what 63 bits hold, so that nobody who adds to it, or counts it from 1970, overflows. */
#define CLOCK_LAST_US ((uint64_t)INT64_MAX / 2)

/* The speed in two parts: the product with a whole number is exact where that of a double would not be (beyond 2^53 us, 285
 * years). */
static struct {
	uint64_t whole;
	double part;			/* 0 to 1 */
	uint64_t start_us, ahead_us;
} run = { .whole = 1 };

static uint64_t now_us(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

void clock_run(double speed, uint64_t start_us, uint64_t ahead_us)
{
	run.whole = (uint64_t)speed;
	run.part = speed - (double)run.whole;
	run.start_us = start_us;
	run.ahead_us = ahead_us;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return a < CLOCK_LAST_US && b < CLOCK_LAST_US - a ? a + b : CLOCK_LAST_US;
}

/* How much passes by this clock; never less for more. */
static uint64_t faster(uint64_t us)
{
	uint64_t whole;

	if (__builtin_mul_overflow(us, run.whole, &whole))
		return CLOCK_LAST_US;
	return add(whole, (uint64_t)((double)us * run.part));
}

uint64_t clock_steady_from(uint64_t monotonic_us)
{
	uint64_t begin = add(run.start_us, run.ahead_us);

	if (monotonic_us <= run.start_us)	/* before it ran faster */
		return add(monotonic_us, run.ahead_us);
	return add(begin, faster(monotonic_us - run.start_us));
}

/* The first moment at which this clock is that far, found by halving: so that a timer set to it never comes too early, however the
 * product was rounded. */
uint64_t clock_monotonic_from(uint64_t steady_us)
{
	uint64_t low = 0, high = steady_us;	/* this clock is never behind CLOCK_MONOTONIC */

	if (steady_us > CLOCK_LAST_US)
		return UINT64_MAX;
	if (run.whole == 1 && run.part == 0)
		return steady_us > run.ahead_us ? steady_us - run.ahead_us : 0;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (clock_steady_from(middle) >= steady_us)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

uint64_t clock_gain_us(uint64_t monotonic_us)
{
	return faster(monotonic_us) - monotonic_us;
}

uint64_t clock_monotonic_us(void)
{
	return now_us(CLOCK_MONOTONIC);
}

uint64_t clock_steady_us(void)
{
	return clock_steady_from(now_us(CLOCK_MONOTONIC));
}

/* As far ahead of this machine's time as of its CLOCK_MONOTONIC: so two processes agree, and a machine whose time is set takes its
 * replay along by that much, not by so many times as much. */
int64_t clock_real_us(void)
{
	uint64_t monotonic_us = now_us(CLOCK_MONOTONIC);

	return (int64_t)(now_us(CLOCK_REALTIME) + (clock_steady_from(monotonic_us) - monotonic_us));
}

int64_t clock_offset_us(void)
{
	return (int64_t)now_us(CLOCK_REALTIME) - (int64_t)now_us(CLOCK_BOOTTIME);
}
