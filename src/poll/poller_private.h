/* What poller.c (when a drive's turn comes) and visit.c (what happens then) share; nobody else's business. */
#pragma once

#include "poll/poller.h"

struct poller {
	sd_event *event;
	struct drive_table *table;
	struct poller_options options;
	struct probe_client *clients[N_DEVICE_SOURCES];
	sd_event_source *timer;
	sd_event_source *soon;		/* runs the schedule once, after all messages of this turn */
	struct command_times times[N_TRANSPORTS];
	uint64_t other_disk;
};

/* Microseconds since 1970. */
int64_t visit_clock_us(void);
/* The first visit has ended, but something did not get through and is asked again in a moment. */
bool visit_is_unfinished(const struct drive_poll *);
/* Sends the next command of a drive's visit, or ends the visit. */
void visit_go_on(struct poller *, struct drive_poll *);
/* Takes the reply to a drive's command and goes on. The drive may be another one afterwards. */
void visit_take_reply(struct poller *, struct drive_poll *, const struct wire_reply *);
/* No answer within the deadline. */
void visit_pass_deadline(struct poller *, struct drive_poll *);
/* Samples that follow from the facts are made anew. */
void visit_recompute(struct drive_poll *);
