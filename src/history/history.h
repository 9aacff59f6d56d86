/* What drives counted, day by day, in a data base that a child process writes: the disk under it may hang, and nothing here
 * waits for it. Everything is kept in memory until the child has said that it is on the disk. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

enum { HISTORY_DRIVE_MAX = 192, HISTORY_PAGE_MAX = 48, HISTORY_FIRMWARE_MAX = 17 };

/* Who it is. drive is the label, and the key. */
struct history_drive {
	char drive[HISTORY_DRIVE_MAX], model[64], serial[72], wwn[33];
};

/* One drive, one UTC day, one series of observations; in the data base there is one row for each. Not told is NaN. */
struct history_row {
	int64_t series;			/* when it began, seconds since 1970; within one nothing was reset or changed its meaning */
	int32_t day;			/* since 1970-01-01 */
	int64_t first_s, last_s;	/* when the drive was first and last read on that day, seconds since 1970 */
	double wear;			/* the drive's indicator when last read: 0 new, 1 used up */
	int64_t wear_since_s;		/* when it was first read with that value; 0: it had it before it was first read */
	double wear_since_written;	/* bytes written by then */
	double written, nand_written, power_on_s;	/* when last read: bytes, bytes, seconds */
	char firmware[HISTORY_FIRMWARE_MAX], wear_page[HISTORY_PAGE_MAX], written_page[HISTORY_PAGE_MAX];
};

/* A finer reading: kept for two days. */
struct history_reading {
	int64_t at_s;
	double wear, written, nand_written, power_on_s;
};

struct history;

struct history_events {
	void *context;
	/* Its rows, oldest first: all of the last 45 days, of older days one in two weeks, but of each series the first and the last.
	 * Answers history_load(); n may be 0. */
	void (*loaded)(void *context, const char *drive, const struct history_row *rows, size_t n);
};

struct history_options {
	const char *directory;		/* NULL: in memory only */
	const struct history_events *events;
};

/* Starts the child. 0 or a negative errno; a data base that cannot be opened is no failure: it is told once, tried again, and
 * history_is_up() is false meanwhile. */
int history_start(sd_event *, const struct history_options *, struct history **ret);
/* Gives the child a moment (2 s at most) to write what it was given. */
void history_stop(struct history *);
/* Asks for a drive's rows. Where the data base is not up they come when it is. */
void history_load(struct history *, const struct history_drive *);
/* Writes the row, or writes it anew: (drive, day, series) is its key. At the next commit, which is at most 10 minutes of real
 * time away; `now`: at once. */
void history_put(struct history *, const struct history_drive *, const struct history_row *, bool now);
void history_put_reading(struct history *, const struct history_drive *, const struct history_reading *);
bool history_is_up(const struct history *);
/* Of the newest row that is known to be on the disk: its last_s; 0: none yet. */
int64_t history_committed_s(const struct history *);
uint64_t history_rows_committed(const struct history *);

/* The directory of the data base: $STATE_DIRECTORY (the first of several), else /var/lib/drive_exporter. */
const char *history_default_directory(void);
