#include "exporter/past.h"

#include <stdlib.h>
#include <string.h>

static void on_loaded(void *context, const char *drive, const struct history_row *rows, size_t n)
{
	wears_loaded(((struct fleet *)context)->wears, drive, rows, n);
}

static void on_known(void *context, const struct history_known *known, size_t n)
{
	ledgers_known(((struct fleet *)context)->ledgers, known, n);
}

static void on_begun_anew(void *context)
{
	struct fleet *fleet = context;

	wears_begun_anew(fleet->wears);
	ledgers_begun_anew(fleet->ledgers);
}

/* What replayed drives did is no business of this host's history. */
static const char *directory_of(const struct options *options)
{
	const char *told = getenv("STATE_DIRECTORY");

	return options->replays[0] && (!told || !*told) ? NULL : history_default_directory();
}

void past_start(struct fleet *fleet)
{
	struct history_events events = { .context = fleet, .loaded = on_loaded, .known = on_known, .begun_anew = on_begun_anew };
	struct history_options history = { .directory = directory_of(fleet->options), .events = &events };
	int r;

	if (fleet->options->verb != VERB_SERVE || !fleet->options->has_history)
		return;
	if (history.directory && fleet->rights.are_given_up)
		rights_hand_over(&fleet->rights, history.directory);
	if (fleet->rights.are_given_up) {
		history.uid = fleet->rights.uid;
		history.gid = fleet->rights.gid;
	}
	r = history_start(fleet->event, &history, &fleet->history);
	if (r < 0)
		log_warn("there will be no history: %s", strerror(-r));
}

void past_stop(struct fleet *fleet)
{
	history_stop(fleet->history);
	fleet->history = NULL;
}
