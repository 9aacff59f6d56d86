/* What the two files of the exporter's end share: client.c speaks to the child, waiting.c keeps what it has not acknowledged. */
#pragma once

#include <sys/types.h>
#include <sys/wait.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "history/wire.h"

struct waiting_row {
	struct history_row row;
	bool is_changed;		/* since it was sent */
	int64_t sent_s;			/* its last_s as it was sent */
};

/* What a drive has that is not known to be on the disk. Those that were sent come first. */
struct waiting {
	struct history_drive id;
	bool wants_rows;
	struct waiting_row *rows;
	size_t n_rows, room_rows, n_rows_sent;
	struct history_reading *readings;
	size_t n_readings, room_readings, n_readings_sent;
	struct history_known *known;	/* NULL: there never was any */
	bool is_known_waiting, is_known_sent, is_known_changed;	/* since it was sent */
};

enum request { REQUEST_NONE, REQUEST_OPEN, REQUEST_COMMIT, REQUEST_LOAD, REQUEST_LOAD_KNOWN };

/* How far a request has been sent. */
struct cursor {
	size_t drive, at;		/* of its rows, then its readings, then who it is */
	bool is_named;			/* the drive has been said */
	bool is_done;
};

struct history {
	sd_event *event;
	struct history_options options;
	struct history_events events;
	char *directory;
	int fd;				/* -1: there is no child */
	pid_t pids[8];			/* of children that have not ended, the last one last */
	size_t n_pids;
	uint64_t started_us;
	bool is_ending, has_given_up;
	unsigned n_restarts, n_retries;
	sd_event_source *io, *restart, *resting /* a data base that did not work is left alone */, *commit, *silence;
	enum request request;
	struct cursor cursor;
	bool is_blocked;		/* the socket is full */
	bool is_open, was_open;
	bool is_due;			/* what waits is to be written now */
	bool is_cut;			/* the batch under way is not all that waited */
	bool is_up, is_silent;
	char trouble[HISTORY_REASON_MAX];	/* what was said last; empty: all is well */
	struct waiting **waiting;
	size_t n_waiting, room_waiting;
	struct history_row *rows;	/* of the load under way */
	size_t n_rows, room_rows;
	bool wants_known;
	struct history_known *known;	/* likewise */
	size_t n_known, room_known;
	bool has_committed;
	int64_t committed_s;
	uint64_t n_committed, n_dropped, n_invalid;
};

/* NULL: no memory, no label, or too many; counted as dropped. Stays where it is. */
struct waiting *waiting_of(struct history *, const struct history_drive *);
bool waiting_put(struct history *, const struct history_drive *, const struct history_row *);
bool waiting_put_reading(struct history *, const struct history_drive *, const struct history_reading *);
bool waiting_put_known(struct history *, const struct history_known *);
struct waiting *waiting_to_load(struct history *);	/* the first that wants its rows, or NULL */
void waiting_forget_loads(struct history *);
bool waiting_is_any(const struct history *);

/* What waits becomes a batch: marked, sent message by message, and then acknowledged (how many rows) or waiting again. */
bool waiting_mark(struct history *);	/* true: there is more than goes into one batch */
bool waiting_next(struct history *, struct history_message *ret);	/* of any request; false: all is sent */
void waiting_sent(struct history *, const struct history_message *);
size_t waiting_acknowledge(struct history *);
void waiting_unsend(struct history *);
void waiting_free(struct history *);
