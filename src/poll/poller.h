/* Asks all drives, each its plan, spread over the interval; at most one command of a drive under way, one drive of a SCSI
 * host after another. Owns a struct drive_poll per drive. */
#pragma once

#include <systemd/sd-event.h>

#include "poll/client.h"
#include "poll/drive_poll.h"

struct poller;

/* Times in drive_exporter_command_seconds, by transport: upper bounds in seconds. */
enum { COMMAND_BUCKETS = 12 };
extern const double command_bucket_bounds[COMMAND_BUCKETS];
struct command_times {
	uint64_t counts[COMMAND_BUCKETS + 1];
	double sum;
};

struct poller_options {
	uint64_t interval_us;		/* --poll.interval */
	uint64_t deadline_us;		/* real time, after which a drive counts as stuck; 0: ANSWER_WAIT_US */
	bool has_host_phys;		/* --collector.host-phys */
	bool skips_idle;		/* --standby.skip=idle */
	bool visits_once;		/* a drive whose first visit is over is asked no more */
	void (*visited)(void *context, struct drive *);	/* a visit of a drive that is known is over; NULL: nobody wants to know */
	void *context;
};

int poller_new(sd_event *, struct drive_table *, const struct poller_options *, struct poller **ret);
void poller_free(struct poller *);

/* Whom to ask about drives of this source; NULL: nobody. Not owned. */
void poller_set_client(struct poller *, enum device_source, struct probe_client *);
/* For struct probe_client_events. */
void poller_take_reply(struct poller *, void *tag, const struct wire_reply *);
void poller_client_ready(struct poller *);

/* For struct drive_events. */
int poller_add(struct poller *, struct drive *);
void poller_remove(struct poller *, struct drive *);

struct drive_poll *poller_of(const struct drive *);

/* Every drive had its first visit, or is past its deadline, or cannot be asked. */
bool poller_is_settled(const struct poller *);
/* The same, but later visits may be under way. */
bool poller_has_visited_all(const struct poller *);
uint64_t poller_interval_us(const struct poller *);
/* By base/clock.h, as all that a struct drive_poll says is due or was answered. */
uint64_t poller_now_us(const struct poller *);
const struct command_times *poller_command_times(const struct poller *, enum transport);
/* Replies about another disk than the one meant. */
uint64_t poller_other_disk_replies(const struct poller *);
