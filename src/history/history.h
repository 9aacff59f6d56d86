/* What drives counted, day by day, in a data base that a child process writes: the disk under it may hang, and nothing here
 * waits for it. Everything is kept in memory until the child has said that it is on the disk. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

enum { HISTORY_DRIVE_MAX = 192, HISTORY_PAGE_MAX = 48, HISTORY_FIRMWARE_MAX = 17, HISTORY_NAME_MAX = 32, HISTORY_KNOWN_DRIVES_MAX = 4096 };

/* Who it is. drive is the label, and the key. */
struct history_drive {
	char drive[HISTORY_DRIVE_MAX], model[64], serial[72], wwn[33];
};

/* One drive, one UTC day, one series of observations; in the data base there is one row for each. Not told is NaN. Days and
 * times from 1970 to 9999 are taken, and numbers that are finite; other rows are dropped and counted. */
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

/* A finer reading: kept for two days before and after the one that was put last. */
struct history_reading {
	int64_t at_s;
	double wear, written, nand_written, power_on_s;
};

/* A drive that this host has or had, as it was when last seen. */
struct history_known {
	struct history_drive id;
	char vendor[HISTORY_NAME_MAX], firmware[HISTORY_FIRMWARE_MAX], transport[HISTORY_NAME_MAX], type[HISTORY_NAME_MAX];
	char form_factor[HISTORY_NAME_MAX], family[64], enclosure[64], slot[64], path[64];
	double capacity_bytes, power_on_s;	/* NaN: not told */
	int64_t first_s, seen_s;	/* when it was first and last seen here, seconds since 1970 */
	int64_t missing_s;		/* since when it is missing; 0: it is not */
};

struct history;

/* Called from the event loop, never from within a function below. Each may be NULL, and may put and load; none may stop. */
struct history_events {
	void *context;
	/* Its rows, oldest first: all of the newest 45 days that it has rows of, of older days one in two weeks, but of each
	 * series the first and the last. Answers history_load(); n may be 0. */
	void (*loaded)(void *context, const char *drive, const struct history_row *rows, size_t n);
	/* Every drive that is known. Answers history_load_known(); n may be 0. */
	void (*known)(void *context, const struct history_known *known, size_t n);
	/* The data base was lost (corrupt and moved aside, deleted, or in memory and its process ended) and begun anew: whoever
	 * has rows puts them again. Those that were not acknowledged are sent without that. */
	void (*begun_anew)(void *context);
	/* So many rows more are on the disk. */
	void (*committed)(void *context, size_t n);
};

struct history_options {
	const char *directory;		/* NULL: in memory only */
	const struct history_events *events;	/* copied; NULL: none */
	uid_t uid;			/* whom the child becomes where we are root; 0: nobody else */
	gid_t gid;
	/* For tests; 0 is what is meant for use. */
	unsigned restart_ms;		/* the first pause before a child that ended is started again: 1 s */
	unsigned retry_ms;		/* between the first ten tries of a data base that does not work: a minute; then ten times that */
	unsigned silent_ms;		/* a request that takes longer hangs, and so does its disk: 30 s */
};

/* The first act of main(): where this process was started as the child, does its work and does not return. */
void history_child_main(int argc, char **argv);

/* Starts the child. 0 or a negative errno; a data base that cannot be opened is no failure: it is told once, tried again, and
 * history_is_up() is false meanwhile. */
int history_start(sd_event *, const struct history_options *, struct history **ret);
/* Gives the child a moment (2 s at most) to write what it was given. NULL: nothing. */
void history_stop(struct history *);
/* Asks for a drive's rows, among them all that were put before. Where the data base is not up they come when it is. */
void history_load(struct history *, const struct history_drive *);
/* Writes the row, or writes it anew: (drive, day, series) is its key. At the next commit, which is at most 10 minutes of real
 * time away; `now`: at once. */
void history_put(struct history *, const struct history_drive *, const struct history_row *, bool now);
void history_put_reading(struct history *, const struct history_drive *, const struct history_reading *);
/* Asks for all drives that are known, those among them that were put before. */
void history_load_known(struct history *);
/* Writes who the drive is, or writes it anew; `now` as above. */
void history_put_known(struct history *, const struct history_known *, bool now);
/* It is no longer known; its days stay. */
void history_forget_known(struct history *, const struct history_drive *);
/* What is put is being written: the data base could be opened, the last request was done, and the child does not hang. */
bool history_is_up(const struct history *);
/* Something is wrong, as was logged: what is asked for may never come. Neither this nor up: it has only begun. */
bool history_is_in_trouble(const struct history *);
/* Of the newest row of the last commit: its last_s; before the first one of the newest row that was loaded; 0: none yet. */
int64_t history_committed_s(const struct history *);
uint64_t history_rows_committed(const struct history *);
/* Rows that are not known to be on the disk. */
size_t history_rows_waiting(const struct history *);
/* Rows and readings that were not kept, because too many waited or because they were not valid. */
uint64_t history_dropped(const struct history *);
/* Rows of the data base that were left out at loading, because somebody or something has made them invalid. */
uint64_t history_rows_invalid(const struct history *);

/* The directory of the data base: $STATE_DIRECTORY (the first of several), else /var/lib/drive_exporter. */
const char *history_default_directory(void);
