#include "poll/poller.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"

enum { DEADLINE_US = 5000000, BUSY_RETRY_US = 1000000, BUSY_RETRY_MAX_US = 60000000, LOST_PAUSE_US = 10000000 };

const double command_bucket_bounds[COMMAND_BUCKETS] = { 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30 };

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

static int64_t real_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* ---- failures */

static uint64_t fail_key(struct fail f)
{
	return 1 + ((uint64_t)f.source << 40 | (uint64_t)f.kind << 32 | f.code);
}

static void count_failure(struct drive_poll *poll, struct plan_entry *entry, struct fail f)
{
	char text[200];
	const char *hint = f.source == FAIL_PERMISSION
			   ? " (SCSI needs read access to the node, ATA CAP_SYS_RAWIO, NVMe CAP_SYS_ADMIN)" : "";

	poll->failures[f.source]++;
	entry->failures++;
	if (entry->logged == fail_key(f))
		return;
	entry->logged = fail_key(f);
	f.what = entry->page->name;
	log_warn("%s (%s): %s%s", poll->drive->label, poll->request.node, fail_describe(f, text, sizeof text), hint);
}

/* A page that fails is asked again later and later, never hammered; 16 periods at most. */
static void postpone(const struct poller *p, struct plan_entry *entry)
{
	uint64_t period = plan_period(entry, p->options.interval_us);
	unsigned doublings = entry->failures > 4 ? 4 : entry->failures - 1;

	entry->due_us = poller_now_us(p) + ((period ? period : p->options.interval_us) << doublings);
}

static void implausible(struct drive_poll *poll, const char *quantity)
{
	if (quantity_count(poll->implausible, &poll->n_implausible, quantity))
		log_warn("%s: it gives an implausible %s, which is left out", poll->drive->label, quantity);
}

/* ---- answers */

struct set_sink {
	struct sample_sink sink;
	struct sample_set set;
	struct drive_poll *poll;
};

static void set_sink_put(struct sample_sink *sink, const struct sample *s)
{
	(void)sample_set_add(&((struct set_sink *)sink)->set, s);
}

static void set_sink_implausible(struct sample_sink *sink, const char *quantity)
{
	implausible(((struct set_sink *)sink)->poll, quantity);
}

static struct set_sink set_sink_of(struct drive_poll *poll)
{
	return (struct set_sink){ .sink = { set_sink_put, set_sink_implausible }, .poll = poll };
}

static void recompute(struct drive_poll *poll)
{
	struct set_sink to = set_sink_of(poll);

	sample_set_clear(&poll->computed);
	facts_samples(&poll->drive->facts, &to.sink);
	poll->computed = to.set;
	poll->is_dirty = true;
}

/* Another drive in the same place, where the kernel has no number for it (DESIGN: no diskseq). */
static bool is_another_drive(const struct drive_poll *poll, const struct drive_facts *before)
{
	const struct drive_facts *now = &poll->drive->facts;

	return poll->drive->is_identified && (strcmp(before->serial, now->serial) || strcmp(before->model, now->model));
}

static struct fail learn(struct drive_poll *poll, const struct page *page, struct bytes in)
{
	struct drive_facts *before;
	struct fail f;

	if (!page->learn)
		return OK;
	before = malloc(sizeof *before);
	if (!before)
		return fail_os(ENOMEM, page->name);
	*before = poll->drive->facts;
	f = page->learn(page, in, &poll->drive->facts);
	if (failed(f))
		poll->drive->facts = *before;
	else if (is_another_drive(poll, before))
		poll->is_replaced = true;
	free(before);
	if (!failed(f))
		recompute(poll);
	return f;
}

static struct fail understand(struct drive_poll *poll, struct plan_entry *entry, const struct wire_reply *reply)
{
	struct bytes in = bytes_of(reply->bytes, reply->n_bytes);
	struct set_sink to = set_sink_of(poll);
	struct fail f = learn(poll, entry->page, in);

	if (!failed(f) && entry->page->decode)
		f = entry->page->decode(entry->page, in, &poll->drive->facts, &to.sink);
	if (failed(f))
		sample_set_clear(&to.set);
	else
		readings_take(poll, entry, &to.set);
	return f;
}

/* Spreads later visits over the interval: each drive has its own place in it, and each page of a longer period its own
 * interval among them. */
static uint64_t first_due(const struct poller *p, const struct drive_poll *poll, const struct plan_entry *entry)
{
	uint64_t interval = p->options.interval_us, period = plan_period(entry, interval);
	uint64_t place = text_hash(poll->drive->group, strlen(poll->drive->group));
	uint64_t turns = period / interval;
	uint64_t now = poller_now_us(p), offset = place % 1000 * interval / 1000;
	uint64_t turn = turns > 1 ? (place / 1000 + entry->order * 7) % turns : 0;

	return now + (offset ? offset : interval) + turn * interval;
}

static void schedule_next(const struct poller *p, const struct drive_poll *poll, struct plan_entry *entry)
{
	uint64_t period = plan_period(entry, p->options.interval_us), now = poller_now_us(p);

	if (!period) {
		entry->due_us = UINT64_MAX;
		return;
	}
	if (!entry->due_us) {
		entry->due_us = first_due(p, poll, entry);
		return;
	}
	entry->due_us += period;
	if (entry->due_us <= now)		/* late: keep its place, leave out what was missed */
		entry->due_us += (now - entry->due_us) / period * period + period;
}

static void take_answer(struct poller *p, struct drive_poll *poll, struct plan_entry *entry,
			const struct wire_reply *reply)
{
	struct fail f = reply->fail;

	if (failed(f)) {
		poll->command_errors++;
		if (fail_is_unsupported(f)) {
			entry->is_unsupported = true;
			sample_set_clear(&entry->samples);
			if (poll->is_settled)
				readings_settle(poll);
			return;
		}
	} else {
		f = understand(poll, entry, reply);
	}
	if (failed(f)) {
		count_failure(poll, entry, f);
		postpone(p, entry);
		return;
	}
	if (entry->logged)
		log_info("%s: %s is read again", poll->drive->label, entry->page->name);
	entry->logged = 0;
	entry->failures = 0;
	entry->answered_us = poller_now_us(p);
	entry->answered_at_us = real_us();
	schedule_next(p, poll, entry);
}

/* ---- visits */

static void observe(struct poller *p, struct drive_poll *poll, const struct wire_reply *reply)
{
	struct command_times *times = &p->times[poll->drive->facts.transport];
	double seconds = (double)reply->duration_us / 1e6;
	size_t i = 0;

	poll->commands++;
	poll->command_us += reply->duration_us;
	while (i < COMMAND_BUCKETS && seconds > command_bucket_bounds[i])
		i++;
	times->counts[i]++;
	times->sum += seconds;
}

static void end_visit(struct poller *p, struct drive_poll *poll)
{
	poll->is_visiting = poll->is_power_checked = false;
	if (!poll->is_settled && poll->drive->is_identified && !plan_next(poll, poller_now_us(p))) {
		poll->is_settled = true;
		readings_settle(poll);
	}
}

static void abort_visit(struct poller *p, struct drive_poll *poll, uint64_t pause_us)
{
	end_visit(p, poll);
	poll->next_visit_us = poller_now_us(p) + pause_us;
}

/* NVMe and solid-state ATA drives do not sleep in a way that a reading ends. */
static bool needs_power_check(const struct drive_poll *poll, const struct device *node)
{
	const struct drive_facts *facts = &poll->drive->facts;

	if (poll->has_no_power_check)
		return false;
	if (facts->transport == TRANSPORT_SCSI)
		return true;
	return facts->transport == TRANSPORT_ATA && (facts->rpm > 0 || (facts->rpm < 0 && node->rotational == 1));
}

static int send_command(struct poller *p, struct drive_poll *poll, const struct device *node,
			const struct command *command)
{
	struct probe_client *client = p->clients[poll->drive->source];
	int r;

	poll->request = (struct wire_request){ .diskseq = node->diskseq, .command = *command };
	text_copy(poll->request.node, sizeof poll->request.node, node->name);
	r = client ? probe_client_request(client, &poll->request, poll) : -ENOTCONN;
	if (r)
		return r;
	poll->is_outstanding = true;
	poll->sent_us = poller_now_us(p);
	poll->sent_at_us = real_us();
	return 0;
}

/* Sends the next command of the visit, or ends it. */
static void go_on(struct poller *p, struct drive_poll *poll)
{
	const struct device *node = drive_node(poll->drive, poll->turn);
	struct command command;
	struct plan_entry *entry;

	if (!node || (!poll->drive->is_identified && poll->drive->is_excluded)) {
		end_visit(p, poll);
		return;
	}
	if (plan_extend(poll)) {
		abort_visit(p, poll, p->options.interval_us);
		return;
	}
	if (!poll->is_power_checked && needs_power_check(poll, node)) {
		poll->asked = NULL;
		command = command_default(poll->drive->facts.transport == TRANSPORT_ATA ? COMMAND_ATA_CHECK_POWER
										       : COMMAND_REQUEST_SENSE);
	} else {
		entry = plan_next(poll, poller_now_us(p));
		if (!entry) {
			end_visit(p, poll);
			return;
		}
		poll->asked = entry->page;
		command = entry->page->command;
	}
	if (send_command(p, poll, node, &command))
		abort_visit(p, poll, BUSY_RETRY_US);
}

static void take_power(struct poller *p, struct drive_poll *poll, const struct wire_reply *reply)
{
	struct bytes in = bytes_of(reply->bytes, reply->n_bytes);
	enum power_state power = POWER_UNKNOWN;
	struct fail f = reply->fail;

	poll->is_power_checked = true;
	if (failed(f)) {
		poll->command_errors++;
		poll->has_no_power_check = fail_is_unsupported(f);
	} else {
		f = poll->drive->facts.transport == TRANSPORT_ATA ? power_from_check_power(in, &power)
								  : power_from_sense(in, &power);
	}
	if (failed(f) && !poll->has_no_power_check)
		poll->failures[f.source]++;
	poll->has_power = !failed(f);
	poll->power = power;
	if (poll->has_power && power_forbids_reading(power))
		abort_visit(p, poll, p->options.interval_us);
	else
		go_on(p, poll);
}

static void finish_identity(struct poller *p, struct drive_poll *poll)
{
	if (poll->drive->is_identified || plan_extend(poll) || !plan_is_identity_complete(poll))
		return;
	drive_identified(p->table, poll->drive);
	recompute(poll);
	log_debug("%s is %s", poll->request.node, poll->drive->label);
}

/* After an answer: another drive may have been found in the place of this one. */
static void after_answer(struct poller *p, struct drive_poll *poll)
{
	if (poll->is_replaced) {
		log_info("%s: another drive answers in its place", poll->drive->label);
		drive_table_replace(p->table, poll->drive);
		return;
	}
	finish_identity(p, poll);
	if (poll->drive->is_identified && (poll->drive->is_excluded || poll->drive->is_virtual)) {
		end_visit(p, poll);
		poll->next_visit_us = UINT64_MAX;	/* known by now, and asked no more */
		return;
	}
	go_on(p, poll);
}

static bool is_unit_attention(struct fail f)
{
	return f.kind == FAIL_KIND_SENSE && f.code >> 16 == 0x6;
}

static bool is_path_trouble(struct fail f)
{
	return f.source == FAIL_OS || f.source == FAIL_TRANSPORT || f.source == FAIL_RESERVED;
}

static void take_answered(struct poller *p, struct drive_poll *poll, const struct wire_reply *reply)
{
	struct plan_entry *entry;

	observe(p, poll, reply);
	if (is_unit_attention(reply->fail) && !poll->is_retried) {	/* told once, then the drive answers (SPC) */
		poll->is_retried = true;
		go_on(p, poll);
		return;
	}
	poll->is_retried = false;
	if (!poll->asked) {
		take_power(p, poll, reply);
		return;
	}
	entry = plan_find(poll, poll->asked);
	if (entry)
		take_answer(p, poll, entry, reply);
	if (failed(reply->fail) && is_path_trouble(reply->fail))
		poll->turn++;
	after_answer(p, poll);
}

static void take_busy(struct poller *p, struct drive_poll *poll, const struct wire_reply *reply)
{
	uint64_t pause = BUSY_RETRY_US;
	int64_t stuck_for = real_us() - reply->busy_since_us;

	poll->is_stuck = true;
	poll->stuck_at_us = reply->busy_since_us;
	while (stuck_for > (int64_t)pause * 8 && pause < BUSY_RETRY_MAX_US)
		pause *= 2;
	abort_visit(p, poll, pause);
}

void poller_take_reply(struct poller *p, void *tag, const struct wire_reply *reply)
{
	struct drive_poll *poll = tag;
	struct plan_entry *entry;

	poll->is_outstanding = false;
	poll->is_stuck = false;
	switch (reply->verdict) {
	case WIRE_ANSWERED:
		take_answered(p, poll, reply);
		break;
	case WIRE_BUSY:
		take_busy(p, poll, reply);
		break;
	case WIRE_ASLEEP:
		poll->has_power = true;
		poll->power = POWER_STANDBY;
		abort_visit(p, poll, p->options.interval_us);
		break;
	case WIRE_OTHER_DISK:
		p->other_disk++;
		abort_visit(p, poll, p->options.interval_us);
		break;
	case WIRE_NOT_ALLOWED:
	case WIRE_CHILD_DIED:
	case N_WIRE_VERDICTS:
		entry = poll->asked ? plan_find(poll, poll->asked) : NULL;
		if (entry) {
			struct fail f = failed(reply->fail) ? reply->fail : fail_os(ECHILD, entry->page->name);

			count_failure(poll, entry, f);
			postpone(p, entry);
		}
		abort_visit(p, poll, LOST_PAUSE_US);
		break;
	}
	run_soon(p);
}

/* ---- the schedule */

static uint64_t next_time(const struct drive_poll *poll)
{
	uint64_t due = plan_next_due(poll);

	if (due == UINT64_MAX && !poll->n_entries)
		due = 0;
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
		const struct device *node;

		if (!other || other == poll || !other->is_outstanding || other->is_stuck ||
		    other->drive->source != poll->drive->source)
			continue;
		node = drive_node(other->drive, other->turn);
		if (node && !strcmp(node->host, host))
			return true;
	}
	return false;
}

static void check_deadline(struct poller *p, struct drive_poll *poll, uint64_t now)
{
	if (poll->is_stuck || now - poll->sent_us < p->options.deadline_us)
		return;
	poll->is_stuck = true;
	poll->stuck_at_us = poll->sent_at_us;
	log_warn("%s (%s): no answer within %llu s; it is left to answer", poll->drive->label, poll->request.node,
		 (unsigned long long)p->options.deadline_us / 1000000);
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
		at = next_time(poll);
		if (at > now)
			return at;
		if (is_host_taken(p, poll))
			return UINT64_MAX;	/* its answer runs us again, or its deadline */
		poll->is_visiting = true;
		go_on(p, poll);
		if (!poll->is_outstanding)
			return next_time(poll);
	}
	check_deadline(p, poll, now);
	return poll->is_stuck ? UINT64_MAX : poll->sent_us + p->options.deadline_us;
}

static void run(struct poller *p)
{
	uint64_t now = poller_now_us(p), wake = UINT64_MAX;

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

bool poller_is_settled(const struct poller *p)
{
	for (size_t i = 0; i < p->table->n; i++) {
		const struct drive_poll *poll = poller_of(p->table->at[i]);

		if (!poll || !drive_node(poll->drive, 0) || poll->is_settled || poll->is_stuck || poll->drive->is_excluded)
			continue;
		if (poll->has_power && power_forbids_reading(poll->power))
			continue;
		if (poll->drive->is_identified && poll->drive->is_virtual)
			continue;
		if (!poll->is_outstanding && !poll->is_visiting && poll->n_entries && poll->entries[0].failures)
			continue;		/* it was tried, and does not answer */
		return false;
	}
	return true;
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
	poll->is_dirty = true;
	drive->poll = poll;
	recompute(poll);
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
