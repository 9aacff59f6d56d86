/* Which drives this host has had, and whether they are there: what of a drive is served when it is gone. */
#pragma once

#include "discover/drive.h"
#include "exporter/options.h"
#include "health/ledger.h"
#include "poll/poller.h"

struct ledgers;

/* history NULL: only what is seen from now on is known. NULL: no memory. */
struct ledgers *ledgers_new(struct drive_table *, struct history *, const struct options *);
/* Writes down when they were last seen. NULL does nothing. */
void ledgers_free(struct ledgers *);

/* A visit of the drive is over. */
void ledgers_visited(struct ledgers *, const struct drive *);
/* The drive is about to leave the table. */
void ledgers_removed(struct ledgers *, const struct drive *);
/* Compares with the table, where a drive that cannot tell who it is gets the label that it had before; to be called when that has changed, and from time to time. is_settled: all drives that are there
 * have had the time to tell who they are. */
void ledgers_look(struct ledgers *, bool is_settled);

/* For struct history_events. */
void ledgers_known(struct ledgers *, const struct history_known *, size_t n);
void ledgers_begun_anew(struct ledgers *);

const struct ledger *ledgers_all(const struct ledgers *);
/* It is missing, and to be served. */
bool ledgers_is_missing(const struct ledgers *, const struct ledger_entry *);
size_t ledgers_count_missing(const struct ledgers *);
