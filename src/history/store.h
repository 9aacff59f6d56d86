/* The data base itself, by whoever has it open: the child process, or a command of drive_exporter. Waits for disks.
 * Functions return 0 or a negative errno, and then add the reason to *error. -EUCLEAN: the file is damaged. */
#pragma once

#include "history/column.h"

enum { STORE_VERSION = 3, STORE_PATH_MAX = 4096 };

struct store;

/* STORE_WRITE makes the file where there is none; the directory must exist. STORE_READ changes nothing and also reads what
 * another process is writing to. */
enum store_mode { STORE_READ, STORE_WRITE };

/* directory NULL: in memory. A data base of a newer version, or of another program, is refused and left as it is. */
int store_open(const char *directory, enum store_mode, struct store **ret, struct text *error);
void store_close(struct store *);
const char *store_path(const struct store *);
bool store_is_new(const struct store *);	/* store_open() made it */
bool store_is_replaced(const struct store *);	/* by now its name stands for another file, or none */

/* Renames what is damaged, out of the way: history.db.corrupt-YYYYMMDDTHHMMSS, and with it what belongs to it. */
int store_move_aside(const char *directory, char ret_path[STORE_PATH_MAX], struct text *error);

/* ---- writing: within a transaction, which lasts until commit or rollback */

int store_begin(struct store *, struct text *error);
int store_commit(struct store *, struct text *error);
void store_rollback(struct store *);
int store_put_drive(struct store *, const struct history_drive *, int64_t *ret_id, struct text *error);
/* is_import: a row that is there already stays unless this one was read later. */
int store_put_row(struct store *, int64_t drive_id, const struct history_row *, bool is_import, struct text *error);
int store_put_reading(struct store *, int64_t drive_id, const struct history_reading *, struct text *error);

/* seen_s 0: the drive is no longer known. */
int store_put_known(struct store *, int64_t drive_id, const struct history_known *, struct text *error);

/* ---- reading: rows that are not valid are left out and added to *invalid */

typedef void (*store_line_fn)(void *context, const struct history_line *);
/* drive NULL: of all, one drive after the other. In order of day and series. */
int store_each(struct store *, const char *drive, store_line_fn, void *context, uint64_t *invalid, struct text *error);

/* What history_events.loaded promises. *ret is the caller's to free. */
int store_load(struct store *, const char *drive, struct history_row **ret, size_t *ret_n, uint64_t *invalid,
	       struct text *error);

/* All that are known. *ret is the caller's to free. */
int store_load_known(struct store *, struct history_known **ret, size_t *ret_n, uint64_t *invalid, struct text *error);

struct store_drive {
	struct history_drive id;
	int32_t first_day, last_day;
	int64_t n_days;
};
/* *ret is the caller's to free; in order of the labels. */
int store_list(struct store *, struct store_drive **ret, size_t *ret_n, uint64_t *invalid, struct text *error);
