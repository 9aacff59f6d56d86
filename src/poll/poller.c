#include "poll/poller_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

enum { TIMER_ACCURACY_US = 10000 };

const double command_bucket_bounds[COMMAND_BUCKETS] = { 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30 };

static void run_soon(struct poller *p)
{
	(void)sd_event_source_set_enabled(p->soon, SD_EVENT_ONESHOT);
}

struct drive_poll *poller_of(const struct drive *drive)
{
	return drive->poll;
}

uint64_t poller_now_us(const struct poller *p)
{
	return clock_steady_us();
}

uint64_t poller_interval_us(const struct poller *p)
{
	return p->options.interval_us;
}

const struct command_times *poller_command_times(const struct poller *p, enum transport transport)
{
	return &p->times[transport];
}

uint64_t poller_other_disk_replies(const struct poller *p)
{
	return p->other_disk;
}

/* ---- the schedule */

static uint64_t next_time(const struct poller *p, const struct drive_poll *poll)
{
	uint64_t due = plan_next_due(poll);

	if (due == UINT64_MAX && !poll->n_entries)
		due = 0;
	if (p->options.visits_once && poll->has_had_visit && !poll->is_visiting && !visit_is_unfinished(poll))
		return UINT64_MAX;
	return due > poll->next_visit_us ? due : poll->next_visit_us;
}

static bool is_askable(const struct poller *p, const struct drive_poll *poll)
{
	const struct probe_client *client = p->clients[poll->drive->source];

	return client && probe_client_is_up(client) && drive_node(poll->drive, 0) &&
	       !(poll->drive->is_excluded && (poll->drive->is_identified || !poll->n_entries));
}

/* That one waits for the same host, and for longer: where visits cannot keep up, each drive has its turn. */
static bool is_before(const struct poller *p, const struct drive_poll *other, const struct drive_poll *poll)
{
	const struct device *node = drive_node(other->drive, other->turn);

	return !other->is_outstanding && node && !strcmp(node->host, drive_node(poll->drive, poll->turn)->host) &&
	       !other->drive->is_excluded && is_askable(p, other) && next_time(p, other) < next_time(p, poll);
}

/* One drive of a SCSI host after another, so that an adapter sees a trickle; one that is stuck holds up nobody. */
static bool is_host_taken(const struct poller *p, const struct drive_poll *poll)
{
	const char *host = drive_node(poll->drive, poll->turn)->host;

	for (size_t i = 0; i < p->table->n; i++) {
		const struct drive_poll *other = poller_of(p->table->at[i]);

		if (!other || other == poll || other->drive->source != poll->drive->source)
			continue;
		if (other->is_outstanding && !other->is_stuck && !visit_is_of_host_side(other) && !strcmp(other->host, host))
			return true;
		if (is_before(p, other, poll))
			return true;
	}
	return false;
}

static void check_deadline(struct poller *p, struct drive_poll *poll, uint64_t monotonic)
{
	if (!poll->is_outstanding || poll->is_stuck || monotonic - poll->sent_us < p->options.deadline_us)
		return;
	visit_pass_deadline(p, poll);
}

static void arm(struct poller *p, uint64_t at)
{
	if (at == UINT64_MAX) {
		(void)sd_event_source_set_enabled(p->timer, SD_EVENT_OFF);
		return;
	}
	(void)sd_event_source_set_time(p->timer, at);
	(void)sd_event_source_set_enabled(p->timer, SD_EVENT_ONESHOT);
}

/* When the drives must be looked at again: visits are due by the clock, deadlines in real time. */
struct wake {
	uint64_t visit_us, deadline_us;
};

static void earlier(uint64_t *at, uint64_t other)
{
	if (other < *at)
		*at = other;
}

/* Starts a visit if it is due. */
static void attend(struct poller *p, struct drive_poll *poll, uint64_t now, struct wake *wake)
{
	if (!poll->is_outstanding) {
		if (next_time(p, poll) > now) {
			earlier(&wake->visit_us, next_time(p, poll));
			return;
		}
		if (!poll->is_visiting)
			path_choose(poll);
		if (is_host_taken(p, poll))
			return;		/* its answer runs us again, or its deadline */
		poll->is_visiting = true;
		poll->visit_us = now;
		visit_go_on(p, poll);
		if (!poll->is_outstanding) {
			earlier(&wake->visit_us, next_time(p, poll));
			return;
		}
	}
	if (!poll->is_stuck)
		earlier(&wake->deadline_us, poll->sent_us + p->options.deadline_us);
}

static void run(struct poller *p)
{
	uint64_t now = poller_now_us(p), monotonic = clock_monotonic_us();
	struct wake wake = { UINT64_MAX, UINT64_MAX };

	/* First of all drives: who waits for one of them may stand before it. */
	for (size_t i = 0; i < p->table->n; i++)
		if (poller_of(p->table->at[i]))
			check_deadline(p, poller_of(p->table->at[i]), monotonic);
	for (size_t i = 0; i < p->table->n; i++) {
		struct drive_poll *poll = poller_of(p->table->at[i]);

		if (poll && is_askable(p, poll))
			attend(p, poll, now, &wake);
	}
	earlier(&wake.deadline_us, clock_monotonic_from(wake.visit_us));
	arm(p, wake.deadline_us);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	run(userdata);
	return 0;
}

static int on_soon(sd_event_source *source, void *userdata)
{
	run(userdata);
	return 0;
}

static bool is_waited_for(const struct drive_poll *poll)
{
	return drive_node(poll->drive, 0) && !poll->drive->is_excluded && !poll->is_stuck &&
	       (poll->is_visiting || !poll->has_had_visit || (!poll->is_settled && visit_is_unfinished(poll)));
}

bool poller_is_settled(const struct poller *p)
{
	for (size_t i = 0; i < p->table->n; i++)
		if (poller_of(p->table->at[i]) && is_waited_for(poller_of(p->table->at[i])))
			return false;
	return true;
}

bool poller_has_visited_all(const struct poller *p)
{
	for (size_t i = 0; i < p->table->n; i++) {
		const struct drive_poll *poll = poller_of(p->table->at[i]);

		if (poll && drive_node(poll->drive, 0) && !poll->drive->is_excluded && !poll->is_stuck && !poll->has_had_visit)
			return false;
	}
	return true;
}

void poller_take_reply(struct poller *p, void *tag, const struct wire_reply *reply)
{
	visit_take_reply(p, tag, reply);
	run_soon(p);
}

void poller_set_client(struct poller *p, enum device_source source, struct probe_client *client)
{
	p->clients[source] = client;
}

void poller_client_ready(struct poller *p)
{
	run_soon(p);
}

int poller_add(struct poller *p, struct drive *drive)
{
	struct drive_poll *poll = calloc(1, sizeof *poll);

	if (!poll)
		return -ENOMEM;
	poll->drive = drive;
	poll->has_host_phys = p->options.has_host_phys;
	poll->skips_idle = p->options.skips_idle;
	poll->is_dirty = true;
	drive->poll = poll;
	answer_recompute(poll);
	run_soon(p);
	return 0;
}

void poller_remove(struct poller *p, struct drive *drive)
{
	struct drive_poll *poll = poller_of(drive);
	struct probe_client *client = p->clients[drive->source];

	if (!poll)
		return;
	if (client)
		probe_client_forget(client, poll);
	plan_free(poll);
	readings_free(poll);
	free(poll);
	drive->poll = NULL;
	run_soon(p);		/* others of its host may have waited for it */
}

/* Of the time that passes by the clock; sd-event takes 0 for a quarter of a second. */
static uint64_t timer_accuracy_us(void)
{
	uint64_t speed = 1 + clock_gain_us(TIMER_ACCURACY_US) / TIMER_ACCURACY_US;

	return speed < TIMER_ACCURACY_US ? TIMER_ACCURACY_US / speed : 1;
}

/* Scrapes and signals come first, also where visits are always due. Among those behind them, of whom the client is one, each has
 * its turn. */
static int stand_behind(sd_event_source *source)
{
	return sd_event_source_set_priority(source, SD_EVENT_PRIORITY_NORMAL + 1);
}

int poller_new(sd_event *event, struct drive_table *table, const struct poller_options *options, struct poller **ret)
{
	struct poller *p = calloc(1, sizeof *p);
	int r;

	if (!p)
		return -ENOMEM;
	p->event = sd_event_ref(event);
	p->table = table;
	p->options = *options;
	if (!p->options.deadline_us)
		p->options.deadline_us = ANSWER_WAIT_US;
	r = sd_event_add_time(event, &p->timer, CLOCK_MONOTONIC, 0, timer_accuracy_us(), on_timer, p);
	if (r >= 0)
		r = sd_event_add_defer(event, &p->soon, on_soon, p);
	if (r >= 0)
		r = stand_behind(p->timer);
	if (r >= 0)
		r = stand_behind(p->soon);
	if (r < 0) {
		poller_free(p);
		return r;
	}
	*ret = p;
	return 0;
}

void poller_free(struct poller *p)
{
	if (!p)
		return;
	sd_event_source_unref(p->timer);
	sd_event_source_unref(p->soon);
	sd_event_unref(p->event);
	free(p);
}
