/* A visit: one command after another, as the plan has them due, and what is done with each answer. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "poll/poller_private.h"

enum {
	BUSY_RETRY_US = 1000000, BUSY_RETRY_MAX_US = 60000000, HOST_SIDE_RETRY_US = 100000,
	LOST_PAUSE_US = 10000000, LOST_FIRST_US = 250000, LOST_LONG_US = 1000000, LOSSES_MAX = 8, LOSSES_FORGOTTEN_US = 300000000,
};

/* What holds for one command of a kind holds for all: a reservation lets a kind pass, or it does not. */
static void forget_reservation(struct drive_poll *poll, enum command_name kind)
{
	for (size_t i = 0; i < poll->n_entries; i++)
		if (poll->entries[i].page->command.name == kind)
			poll->entries[i].is_reserved = false;
}

enum { TOGETHER_TRIES = 3 };

/* Pages that are asked together fail together: after some tries each is asked alone. */
static void give_up_together(struct drive_poll *poll, const struct plan_entry *entry, struct fail f)
{
	if (entry->page->count && f.source == FAIL_DEVICE && entry->failures == TOGETHER_TRIES)
		entry->page->refused(entry->page, &poll->drive->facts);
}

/* NVM Express base, Sanitize Failed and Sanitize In Progress: until that is over most commands are refused. */
static bool is_sanitizing(struct fail f)
{
	return f.kind == FAIL_KIND_NVME && (f.code == 0x01c || f.code == 0x01d);
}

enum { REFUSED_TRIES = 3 };

/* A page that it had is refused again and again, while others are answered: other firmware lacks it. A drive that refuses its
 * health, or everything, is ill, and must not pass for one that has nothing to tell. */
static bool is_gone(const struct poller *p, const struct drive_poll *poll, const struct plan_entry *entry)
{
	uint64_t lately = poller_now_us(p) - 2 * p->options.interval_us;

	if (entry->page->is_health || entry->failures + 1 < REFUSED_TRIES)
		return false;
	for (size_t i = 0; i < poll->n_entries; i++)
		if (&poll->entries[i] != entry && !poll->entries[i].failures && poll->entries[i].answered_us >= lately)
			return true;
	return false;
}

/* It will not be asked again. An NVMe controller logs what it refuses, for whatever reason; one page of those that every drive
 * has may fail nevertheless. */
static bool is_refused(const struct poller *p, const struct drive_poll *poll, const struct plan_entry *entry, struct fail f)
{
	const struct page *page = entry->page;
	bool is_nvme = f.kind == FAIL_KIND_NVME && !is_sanitizing(f);

	if (page->is_mandatory)
		return false;
	if (fail_is_unsupported(f))
		return !entry->answered_us || is_gone(p, poll, entry);
	if (page->is_given_up_when_refused && is_nvme)
		return f.source == FAIL_DEVICE || entry->failures >= REFUSED_TRIES;
	return is_nvme && f.source == FAIL_DEVICE && !entry->answered_us;
}

static void take_answer(struct poller *p, struct drive_poll *poll, struct plan_entry *entry,
			const struct wire_reply *reply)
{
	struct fail f = reply->fail;

	entry->is_reserved = f.source == FAIL_RESERVED;
	if (is_refused(p, poll, entry, f)) {
		entry->is_unsupported = true;
		if (entry->page->refused)
			entry->page->refused(entry->page, &poll->drive->facts);
		readings_forget(poll, entry);
		return;
	}
	if (!failed(f))
		f = answer_understand(poll, entry, reply);
	if (failed(f)) {
		due_after_failure(p, poll, entry, f);
		give_up_together(poll, entry, f);
		return;
	}
	entry->is_tried_again = false;
	if (entry->logged)
		log_info("%s: %s is read again", poll->drive->label, entry->page->name);
	forget_reservation(poll, entry->page->command.name);
	entry->logged = 0;
	entry->failures = entry->refusals = 0;
	entry->answered_us = poller_now_us(p);
	entry->answered_at_us = clock_real_us();
	entry->answered_offset_us = clock_offset_us();
	due_after_answer(p, poll, entry);
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

bool visit_is_unfinished(const struct drive_poll *poll)
{
	if (poll->is_power_tried_again)
		return true;
	if (drive_poll_sleeps(poll))	/* that may take hours */
		return false;
	for (size_t i = 0; i < poll->n_entries; i++)
		if (poll->entries[i].is_tried_again && !poll->entries[i].is_unsupported)
			return true;
	return false;
}

static void end_visit(struct poller *p, struct drive_poll *poll)
{
	bool was_visiting = poll->is_visiting;

	poll->has_had_visit |= was_visiting;
	poll->is_visiting = poll->is_power_checked = poll->has_path_trouble = false;
	poll->timeouts = poll->power_asked = 0;
	if (!poll->is_settled && poll->drive->is_identified && !plan_next(poll, poll->visit_us) &&
	    !visit_is_unfinished(poll)) {
		poll->is_settled = true;
		readings_settle(poll);
	}
	if (was_visiting && poll->is_settled && p->options.visited)
		p->options.visited(p->options.context, poll->drive);
}

static void abort_visit(struct poller *p, struct drive_poll *poll, uint64_t pause_us)
{
	end_visit(p, poll);
	poll->next_visit_us = poller_now_us(p) + pause_us;
}

static int send_command(struct poller *p, struct drive_poll *poll, const struct device *node,
			const struct command *command)
{
	struct probe_client *client = p->clients[poll->drive->source];
	int r;

	poll->request = (struct wire_request){ .diskseq = node->diskseq, .command = *command };
	text_copy(poll->request.node, sizeof poll->request.node, node->name);
	text_copy(poll->host, sizeof poll->host, node->host);
	r = client ? probe_client_request(client, &poll->request, poll) : -ENOTCONN;
	if (r)
		return r;
	poll->is_outstanding = true;
	poll->sent_us = clock_monotonic_us();
	poll->sent_at_us = clock_real_us();
	return 0;
}

static const struct device *node_of(const struct drive_poll *poll, const struct plan_entry *entry)
{
	for (size_t i = 0; entry->node[0] && i < poll->drive->n_devices; i++)
		if (!strcmp(poll->drive->devices[i].name, entry->node))
			return &poll->drive->devices[i];
	return drive_node(poll->drive, poll->turn);
}

/* Sends the next command of the visit, or ends it. */
void visit_go_on(struct poller *p, struct drive_poll *poll)
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
	if (!poll->is_power_checked && power_check_is_needed(poll, node)) {
		poll->asked = NULL;
		command = command_default(poll->drive->facts.transport == TRANSPORT_ATA ? COMMAND_ATA_CHECK_POWER
										       : COMMAND_REQUEST_SENSE);
	} else {
		entry = plan_next(poll, poll->visit_us);
		if (!entry) {
			end_visit(p, poll);
			return;
		}
		poll->asked = entry->page;
		command = entry->page->command;
		node = node_of(poll, entry);
	}
	if (send_command(p, poll, node, &command)) {
		poll->is_visiting = false;	/* the prober could not take it: no visit */
		abort_visit(p, poll, BUSY_RETRY_US);
	}
}

/* False where the drive is no more: it was a second path to one that is known already. */
static bool finish_identity(struct poller *p, struct drive_poll *poll)
{
	if (poll->drive->is_identified || plan_extend(poll) || !plan_is_identity_complete(poll))
		return true;
	if (!drive_identified(p->table, poll->drive))
		return false;
	answer_recompute(poll);
	log_debug("%s is %s", poll->request.node, poll->drive->label);
	return true;
}

/* After an answer: another drive may have been found in the place of this one. */
static void after_answer(struct poller *p, struct drive_poll *poll)
{
	if (poll->is_replaced) {
		log_info("%s: another drive answers in its place", poll->drive->label);
		drive_table_replace(p->table, poll->drive);
		return;
	}
	if (!finish_identity(p, poll))
		return;
	if (poll->drive->is_identified && (poll->drive->is_excluded || poll->drive->is_virtual)) {
		end_visit(p, poll);
		poll->next_visit_us = UINT64_MAX;	/* known by now, and asked no more */
		return;
	}
	visit_go_on(p, poll);
}

/* What never left this machine is no command of the drive's: no node, no permission, a host in recovery. */
static bool was_sent(struct fail f)
{
	return f.source != FAIL_OS && f.source != FAIL_PERMISSION &&
	       !(f.kind == FAIL_KIND_HOST && f.code == FAIL_HOST_RECOVERING);
}

/* It ended with an error that the drive itself reported. */
static bool is_drives_own(struct fail f)
{
	return f.kind == FAIL_KIND_SENSE || f.kind == FAIL_KIND_STATUS || f.kind == FAIL_KIND_ATA || f.kind == FAIL_KIND_NVME;
}

static bool is_path_trouble(struct fail f)
{
	return f.source == FAIL_OS || f.source == FAIL_TRANSPORT || f.source == FAIL_RESERVED;
}

/* One page may be at fault; a second one in a row is the drive, and each costs it an abort. */
enum { TIMEOUTS_A_VISIT = 2 };

static bool is_given_up(struct drive_poll *poll, struct fail f)
{
	poll->timeouts = f.kind == FAIL_KIND_TIMEOUT ? poll->timeouts + 1 : 0;
	return poll->timeouts >= TIMEOUTS_A_VISIT;
}

/* Nothing else would be answered either: it was pulled, and will soon be missed. Where there is another path that is asked. */
static bool is_node_gone(const struct drive_poll *poll, struct fail f)
{
	bool is_gone = f.source == FAIL_OS && (f.code == ENODEV || f.code == ENOENT || f.code == ENXIO);

	return is_gone && !visit_is_of_host_side(poll) && drive_node(poll->drive, 0) == drive_node(poll->drive, 1);
}

/* What is asked for now is read from the host's adapter, not from the drive. */
bool visit_is_of_host_side(const struct drive_poll *poll)
{
	return poll->asked && poll->asked->per_path;
}

static void take_answered(struct poller *p, struct drive_poll *poll, const struct wire_reply *reply)
{
	struct plan_entry *entry;
	uint64_t pause;

	if (was_sent(reply->fail) && !visit_is_of_host_side(poll))
		observe(p, poll, reply);
	poll->command_errors += is_drives_own(reply->fail) && !visit_is_of_host_side(poll);
	if (fail_is_unit_attention(reply->fail) && !poll->is_retried) {
		poll->is_retried = true;
		visit_go_on(p, poll);
		return;
	}
	poll->is_retried = false;
	if (!poll->asked) {
		pause = power_check_take(p, poll, reply);
		if (pause)
			abort_visit(p, poll, pause);
		else
			visit_go_on(p, poll);
		return;
	}
	if (power_forbids_reading(poll->power))		/* said before this page was asked, so it is over */
		poll->has_power = false;
	entry = plan_find(poll, poll->asked);
	if (entry)
		take_answer(p, poll, entry, reply);
	if (failed(reply->fail) && is_path_trouble(reply->fail) && !(entry && entry->node[0]))
		path_failed(poll);
	else if (!failed(reply->fail))
		path_answered(poll);
	if (is_given_up(poll, reply->fail) || is_node_gone(poll, reply->fail))
		abort_visit(p, poll, p->options.interval_us);
	else
		after_answer(p, poll);
}

/* What passes by the clock in that much real time. */
static uint64_t really(uint64_t us)
{
	return us + clock_gain_us(us);
}

/* A reading of the host's side does not get through: the drive itself has nothing to do with it. */
static void skip_host_side(struct poller *p, struct drive_poll *poll)
{
	struct plan_entry *entry = plan_find(poll, poll->asked);

	poll->is_outstanding = false;
	if (entry)
		due_after_failure(p, poll, entry, fail_timeout());
	visit_go_on(p, poll);
}

/* Another drive of the host has just asked its adapter: this one waits for its turn, and is read on meanwhile. What takes too
 * long hangs. */
static void wait_for_host_side(struct poller *p, struct drive_poll *poll, const struct wire_reply *reply)
{
	struct plan_entry *entry = plan_find(poll, poll->asked);

	if (!entry || clock_real_us() - reply->busy_since_us >= (int64_t)really(p->options.deadline_us)) {
		skip_host_side(p, poll);
		return;
	}
	entry->is_tried_again = !poll->is_settled;
	entry->due_us = poller_now_us(p) + really(HOST_SIDE_RETRY_US);
	visit_go_on(p, poll);
}

void visit_pass_deadline(struct poller *p, struct drive_poll *poll)
{
	if (visit_is_of_host_side(poll)) {
		probe_client_forget(p->clients[poll->drive->source], poll);
		skip_host_side(p, poll);
		return;
	}
	poll->is_stuck = true;
	poll->stuck_at_us = poll->sent_at_us;
	log_warn("%s (%s): no answer within %llu s; it is left to answer", poll->drive->label, poll->request.node,
		 (unsigned long long)p->options.deadline_us / 1000000);
}

/* The pauses are real ones: nobody but the drive ends its command, and that takes as long as it takes. */
static void take_busy(struct poller *p, struct drive_poll *poll, const struct wire_reply *reply)
{
	uint64_t pause = really(BUSY_RETRY_US);
	int64_t stuck_for = clock_real_us() - reply->busy_since_us;

	poll->is_stuck = true;
	poll->stuck_at_us = reply->busy_since_us;
	while (stuck_for / 8 > (int64_t)pause && pause < really(BUSY_RETRY_MAX_US))
		pause *= 2;
	abort_visit(p, poll, pause);
}

static bool is_of_other_disk(const struct drive_poll *poll, const struct wire_reply *reply)
{
	return poll->request.diskseq && reply->diskseq && poll->request.diskseq != reply->diskseq;
}

/* The prober went away. A drive that had been asked for long may be why; the others just happened to be asked, and are asked
 * again at once, unless that happens to them again and again. */
static void take_lost(struct poller *p, struct drive_poll *poll, struct fail f)
{
	uint64_t now = clock_monotonic_us(), pause;

	if (now - poll->lost_us > LOSSES_FORGOTTEN_US) {
		poll->losses = 0;
		poll->lost_logged = 0;
	}
	pause = now - poll->sent_us > LOST_LONG_US ? LOST_PAUSE_US : (uint64_t)LOST_FIRST_US << poll->losses;
	poll->lost_us = now;
	if (poll->losses < LOSSES_MAX)
		poll->losses++;
	due_tell_failure(poll, &poll->lost_logged, "command", f);
	abort_visit(p, poll, pause);
}

static bool is_lost(const struct wire_reply *reply)
{
	return reply->verdict == WIRE_CHILD_DIED && reply->fail.kind == FAIL_KIND_ERRNO && reply->fail.code == ECONNRESET;
}

void visit_take_reply(struct poller *p, struct drive_poll *poll, const struct wire_reply *reply)
{
	enum wire_verdict verdict = reply->verdict;
	struct plan_entry *entry;
	struct fail f;

	poll->is_outstanding = false;
	poll->is_stuck = false;
	if (is_lost(reply)) {
		take_lost(p, poll, reply->fail);
		return;
	}
	if (verdict == WIRE_ANSWERED && is_of_other_disk(poll, reply))
		verdict = WIRE_OTHER_DISK;
	switch (verdict) {
	case WIRE_ANSWERED:
		take_answered(p, poll, reply);
		break;
	case WIRE_BUSY:
		if (visit_is_of_host_side(poll))
			wait_for_host_side(p, poll, reply);
		else
			take_busy(p, poll, reply);
		break;
	case WIRE_ASLEEP:
		power_check_sleeps(p, poll);
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
		f = failed(reply->fail) ? reply->fail : fail_os(ECHILD, "prober");
		if (entry)
			due_after_failure(p, poll, entry, f);
		else
			power_check_failed(poll, f);
		abort_visit(p, poll, LOST_PAUSE_US);
		break;
	}
}
