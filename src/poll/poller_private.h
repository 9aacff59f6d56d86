/* What poller.c (when a drive's turn comes), visit.c (what happens then) and their helpers share; nobody else's business. */
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

/* The first visit has ended, but something did not get through and is asked again in a moment. */
bool visit_is_unfinished(const struct drive_poll *);
/* What is under way is read from the host's adapter, in a child of its own. */
bool visit_is_of_host_side(const struct drive_poll *);
/* Sends the next command of a drive's visit, or ends the visit. */
void visit_go_on(struct poller *, struct drive_poll *);
/* Takes the reply to a drive's command and goes on. The drive may be another one afterwards. */
void visit_take_reply(struct poller *, struct drive_poll *, const struct wire_reply *);
/* No answer within the deadline. */
void visit_pass_deadline(struct poller *, struct drive_poll *);

/* ---- answer.c */

/* Learns and decodes it. A failure leaves facts and samples as they were. */
struct fail answer_understand(struct drive_poll *, struct plan_entry *, const struct wire_reply *);
/* Samples that follow from the facts are made anew. */
void answer_recompute(struct drive_poll *);

/* ---- due.c */

enum { DOUBLINGS_MAX = 4 };		/* of a pause after failures */

/* It may well get through the next time. */
bool due_is_transient(struct fail);
uint64_t due_soon_us(const struct poller *);
/* Counts it; logs it where it is another one than *logged. */
void due_tell_failure(struct drive_poll *, uint64_t *logged, const char *what, struct fail);
/* Counts and tells it as well. */
void due_after_failure(const struct poller *, struct drive_poll *, struct plan_entry *, struct fail);
void due_after_answer(const struct poller *, const struct drive_poll *, struct plan_entry *);

/* ---- path.c */

/* At the begin of a visit. */
void path_choose(struct drive_poll *);
/* It did not get through to the drive by this path. */
void path_failed(struct drive_poll *);
void path_answered(struct drive_poll *);

/* ---- power_check.c */

bool power_check_is_needed(const struct drive_poll *, const struct device *);
/* How long the drive is to be left alone; 0: the visit goes on, perhaps with the power check once more. */
uint64_t power_check_take(const struct poller *, struct drive_poll *, const struct wire_reply *);
void power_check_failed(struct drive_poll *, struct fail);
/* The kernel says that it is suspended. */
void power_check_sleeps(const struct poller *, struct drive_poll *);
