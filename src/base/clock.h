/* The time as it is served and counted: this machine's, or that of a replay that runs faster. Deadlines of commands, heartbeats
 * and whatever else guards against a hang take real time, from the event loop. */
#pragma once

#include <stdint.h>

/* Time runs `speed` times as fast from `start_us` of CLOCK_MONOTONIC on, when it was `ahead_us` later than it really was.
 * Without a call it is this machine's own. */
void clock_run(double speed, uint64_t start_us, uint64_t ahead_us);
int64_t clock_real_us(void);		/* since 1970 */
uint64_t clock_steady_us(void);		/* as CLOCK_MONOTONIC, but faster */
/* A moment of CLOCK_MONOTONIC to that of this clock, and back (rounded up). */
uint64_t clock_steady_from(uint64_t monotonic_us);
uint64_t clock_monotonic_from(uint64_t steady_us);
