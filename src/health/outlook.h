/* How fast a drive is used up, and when it will be: out of what it counts, what was seen of it, and what it was sold with.
 * docs/forecast.md gives the rules and an example. Pure: no clock, no log. */
#pragma once

#include "health/observation.h"

enum outlook_basis { OUTLOOK_INDICATOR, OUTLOOK_RATED, OUTLOOK_EARLIEST, N_OUTLOOK_BASES };
enum outlook_window { OUTLOOK_LIFETIME, OUTLOOK_30D, OUTLOOK_7D, N_OUTLOOK_WINDOWS };
enum { N_FORECAST_WINDOWS = OUTLOOK_7D };	/* seven days are too few for a forecast */

const char *outlook_basis_name(enum outlook_basis);	/* static, as the labels have them */
const char *outlook_window_name(enum outlook_window);

/* What is known now. Not told is NaN. */
struct outlook_now {
	int64_t at_s;			/* since 1970 */
	double wear, written, nand_written, power_on_s;
	bool is_power_on_wrong;		/* other counters of the drive belie it: no age follows from it */
	double rated_bytes;		/* endurance of the catalogue */
};

/* Seconds since 1970, at 00:00 UTC; +Inf: more than 20 years away; NaN: nothing can be said. */
struct outlook_date {
	double at, earliest, latest;
};

struct outlook {
	struct outlook_date dates[N_OUTLOOK_BASES][N_FORECAST_WINDOWS];
	double written_per_day[N_OUTLOOK_WINDOWS];	/* bytes */
	double amplification[N_OUTLOOK_WINDOWS];	/* bytes written to flash by bytes written by the host */
	double rated_used;				/* ratio of rated_bytes */
};

/* rated_used alone. */
double outlook_rated_used(const struct observed *, const struct outlook_now *);
struct outlook outlook_of(const struct observed *, const struct outlook_now *);
