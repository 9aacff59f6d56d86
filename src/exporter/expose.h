/* From the fleet's state to the text of a scrape. */
#pragma once

#include "exporter/answer.h"
#include "exporter/selection.h"
#include "http/server.h"

enum { EXPOSE_FORMS = 2 * N_EXPOSITION_FORMATS };

struct expose {
	const struct fleet *fleet;
	struct pieces *pieces;
	struct {
		struct answer *answer;		/* whole, to the last scrape that asked for this form; NULL: nobody did lately */
		uint64_t made_us;		/* 0: nobody ever did */
	} last[EXPOSE_FORMS];
	sd_event_source *idle;
};

/* has_own: the families of the exporter itself are served, too. */
int expose_init(struct expose *, const struct fleet *, bool has_own);
void expose_free(struct expose *);

/* From now on what has changed of many drives is written while there is nothing else to do, for who scrapes. 0 or a negative
 * errno. */
MUST_CHECK int expose_prepare(struct expose *, sd_event *);

/* An answer, one reference to which is the caller's. Reads /proc/diskstats and /proc/self, and nothing else. Scrapes that come
 * within a moment share one. 0; -EINVAL, with *error saying in one line what is wrong with the wish; -ENOMEM. */
MUST_CHECK int expose_metrics(struct expose *, const struct http_wish *, struct answer **ret, struct text *error);
