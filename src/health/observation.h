/* What has been seen of one drive's counters: one row a day, as the history keeps them. A row's series says which rows may be
 * compared: a new one begins where a counter began anew or changed its meaning, or the clock jumped. */
#pragma once

#include "history/history.h"

enum { DAY_S = 86400 };

/* Before this no clock is right: 2020-01-01. A host whose clock has lost its battery begins in 1970. */
#define OBSERVED_CLOCK_SET_S INT64_C(1577836800)

/* One reading. Not told is NaN, or empty. */
struct observed_reading {
	int64_t at_s;			/* since 1970 */
	int64_t clock_offset_s;		/* of the clock then, ahead of one that nobody sets, which counts from the boot on */
	double wear, written, nand_written, power_on_s;
	int64_t wear_at_s, written_at_s, power_on_at_s;	/* when the drive told each: they are read one by one */
	char firmware[HISTORY_FIRMWARE_MAX], wear_page[HISTORY_PAGE_MAX], written_page[HISTORY_PAGE_MAX];
};

/* Why a new series began. */
enum observed_break {
	BREAK_NONE, BREAK_CLOCK, BREAK_WRITTEN, BREAK_POWER_ON, BREAK_WEAR, BREAK_FIRMWARE, BREAK_WEAR_PAGE, BREAK_WRITTEN_PAGE,
	N_BREAKS
};
const char *observed_break_words(enum observed_break);	/* for the log */

struct observed {
	struct history_row *rows;	/* oldest first */
	size_t n, room;
	struct history_row *aside;	/* those that the clock calls later than now */
	size_t n_aside, room_aside;
	enum observed_break suspect;	/* what was told did not fit: the drive must tell it once more */
	int64_t suspect_at_s;		/* when it told it */
	int64_t clock_offset_s;		/* of the last reading */
	bool has_clock_offset;		/* one was taken since the program started */
};

enum observed_news {
	OBSERVED_NOTHING,		/* no news, or put aside until the next reading */
	OBSERVED_SAME_DAY,		/* the last row changed */
	OBSERVED_NEW_ROW		/* the last row is new; the one before it is final */
};

/* Takes a reading in. *ret_break: where a new series began, why. */
enum observed_news observed_take(struct observed *, const struct observed_reading *, enum observed_break *ret_break);
/* Older rows out of the history, oldest first. 0 or -ENOMEM. */
int observed_merge(struct observed *, const struct history_row *, size_t n);
void observed_free(struct observed *);

/* ---- what follows from the rows */

/* How much of something came in how much time: summed over those parts of the time from from_s on that were observed in one series. */
struct observed_rate {
	double amount, seconds;
};
enum observed_quantity { OBSERVED_WRITTEN, OBSERVED_NAND_WRITTEN, OBSERVED_POWER_ON };
struct observed_rate observed_rate(const struct observed *, enum observed_quantity, int64_t from_s, int64_t to_s);

/* A moment at which the indicator was first read with a value. */
struct observed_point {
	int64_t at_s;
	double wear, written;
};
/* Those of the newest series, oldest first; NULL: none, or no memory. To free. */
struct observed_point *observed_points(const struct observed *, size_t *ret_n);
/* Somewhere in the rows the indicator fell, jumped or became another one: it does not tell of the whole life. */
bool observed_wear_began_anew(const struct observed *);
/* What the counter of written bytes had lost where it began at zero again. */
double observed_written_lost(const struct observed *);
/* When written + lost reached this; 0: that was not seen. *ret_first_s, *ret_written: of the first reading that was past it; unchanged
 * where there is none. */
int64_t observed_written_reached_s(const struct observed *, double bytes, int64_t *ret_first_s, double *ret_written);
