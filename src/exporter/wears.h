/* How worn each drive is and when it will be used up: its readings go to health/ and to the history, and what follows from them
 * comes back as samples of the drive. */
#pragma once

#include "health/catalogue.h"
#include "health/outlook.h"
#include "history/history.h"
#include "poll/poller.h"

struct wears;

/* history NULL: what is seen is remembered no longer than it runs. NULL: no memory. */
struct wears *wears_new(struct drive_table *, struct history *);
/* After the drives are gone. */
void wears_free(struct wears *);

/* A visit of the drive is over. */
void wears_visited(struct wears *, struct drive *);
/* The drive is about to be freed. */
void wears_removed(struct wears *, struct drive *);
/* This catalogue counts from now on; the one before is looked into no more when it returns. */
void wears_use_catalogue(void *wears, struct catalogue *);

/* What the drive was sold with; NULL: not known. */
const struct rated *wears_rated(const struct drive *);

/* What was seen of it, and what is to be expected; NULL: nothing yet. */
const struct observed *wears_seen(const struct drive *);
const struct outlook *wears_outlook(const struct drive *);

/* For struct history_events. */
void wears_loaded(struct wears *, const char *drive, const struct history_row *rows, size_t n);
void wears_begun_anew(struct wears *);
