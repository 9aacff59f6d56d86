/* How worn each drive is and when it will be used up: its readings go to health/ and to the history, and what follows from them
 * comes back as samples of the drive. */
#pragma once

#include <systemd/sd-event.h>

#include "exporter/options.h"
#include "health/catalogue.h"
#include "history/history.h"
#include "poll/poller.h"

struct wears;

/* With has_history the daemon's history is written. NULL: no memory. */
struct wears *wears_new(sd_event *, struct drive_table *, const struct options *, bool has_history);
/* After the drives are gone. */
void wears_free(struct wears *);

/* For struct poller_options, context being the struct wears. */
void wears_visited(void *wears, struct drive *);
/* The drive is about to be freed. */
void wears_removed(struct wears *, struct drive *);
/* This catalogue counts from now on; the one before is looked into no more when it returns. */
void wears_use_catalogue(void *wears, struct catalogue *);

/* What the drive was sold with; NULL: not known. */
const struct rated *wears_rated(const struct drive *);
/* NULL: there is none. */
const struct history *wears_history(const struct wears *);
