#include "poll/poller_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

enum { DEADLINE_US = 5000000 };

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
	uint64_t now = 0;

	(void)sd_event_now(p->event, CLOCK_MONOTONIC, &now);
	return now;
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

/* One drive of a SCSI host after another, so that an adapter sees a trickle; one that is stuck holds up nobody. */
static bool is_host_taken(const struct poller *p, const struct drive_poll *poll)
{
	const char *host = drive_node(poll->drive, poll->turn)->host;

	for (size_t i = 0; i < p->table->n; i++) {
		const struct drive_poll *other = poller_of(p->table->at[i]);

		if (other && other != poll && other->is_outstanding && !other->is_stuck && !visit_is_of_host_side(other) &&
		    other->drive->source == poll->drive->source && !strcmp(other->host, host))
			return true;
	}
	return false;
}

static void check_deadline(struct poller *p, struct drive_poll *poll, uint64_t now)
{
	if (!poll->is_outstanding || poll->is_stuck || now - poll->sent_us < p->options.deadline_us)
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

/* Starts a visit if it is due. When this drive must be looked at again. */
static uint64_t attend(struct poller *p, struct drive_poll *poll, uint64_t now)
{
	uint64_t at;

	if (!poll->is_outstanding) {
		at = next_time(p, poll);
		if (at > now)
			return at;
		if (!poll->is_visiting)
			path_choose(poll);
		if (is_host_taken(p, poll))
			return UINT64_MAX;	/* its answer runs us again, or its deadline */
		poll->is_visiting = true;
		visit_go_on(p, poll);
		if (!poll->is_outstanding)
			return next_time(p, poll);
	}
	return poll->is_stuck ? UINT64_MAX : poll->sent_us + p->options.deadline_us;
}

static void run(struct poller *p)
{
	uint64_t now = poller_now_us(p), wake = UINT64_MAX;

	/* First of all drives: who waits for one of them may stand before it. */
	for (size_t i = 0; i < p->table->n; i++)
		if (poller_of(p->table->at[i]))
			check_deadline(p, poller_of(p->table->at[i]), now);
	for (size_t i = 0; i < p->table->n; i++) {
		struct drive_poll *poll = poller_of(p->table->at[i]);
		uint64_t at = poll && is_askable(p, poll) ? attend(p, poll, now) : UINT64_MAX;

		if (at < wake)
			wake = at;
	}
	arm(p, wake);
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
		p->options.deadline_us = DEADLINE_US;
	r = sd_event_add_time(event, &p->timer, CLOCK_MONOTONIC, 0, 10000, on_timer, p);
	if (r >= 0)
		r = sd_event_add_defer(event, &p->soon, on_soon, p);
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
