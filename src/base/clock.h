/* The time as it is served and counted: this machine's, or that of a replay that runs faster. Deadlines of commands, heartbeats
 * and whatever else guards against a hang take real time, from the event loop. */
#pragma once

#include <stdint.h>

/* How fast it may run. */
enum { CLOCK_SPEED_MAX = 10000000 };

/* Time runs `speed` (1 to CLOCK_SPEED_MAX) times as fast from `start_us` of CLOCK_MONOTONIC on, when it was `ahead_us` later than
 * it really was. Without a call it is this machine's own. Some 150,000 years on it stands still. */
void clock_run(double speed, uint64_t start_us, uint64_t ahead_us);
int64_t clock_real_us(void);		/* since 1970 */
/* Of the time of day ahead of the time since the boot, sleep included: another one when somebody has set the clock, and only then. */
int64_t clock_offset_us(void);
uint64_t clock_steady_us(void);		/* as CLOCK_MONOTONIC, but faster */
uint64_t clock_monotonic_us(void);	/* CLOCK_MONOTONIC itself */
/* A moment of CLOCK_MONOTONIC to that of this clock, and back (rounded up; UINT64_MAX: it never comes). */
uint64_t clock_steady_from(uint64_t monotonic_us);
uint64_t clock_monotonic_from(uint64_t steady_us);
/* What this clock gains on real time while that passes: 0 at a speed of 1. */
uint64_t clock_gain_us(uint64_t monotonic_us);
