/* A visit: one command after another, as the plan has them due, and what is done with each answer. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "poll/poller_private.h"

enum { BASIC_RETRY_PARTS = 6 };		/* of the interval: 10 s */
enum { BUSY_RETRY_US = 1000000, BUSY_RETRY_MAX_US = 60000000, LOST_PAUSE_US = 10000000 };

int64_t visit_clock_us(void)
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

/* The power check is no page of the plan; it counts and is told the same way. */
static void count_power_failure(struct drive_poll *poll, struct fail f)
{
	char text[200];

	poll->failures[f.source]++;
	if (poll->power_logged == fail_key(f))
		return;
	poll->power_logged = fail_key(f);
	f.what = "power check";
	log_warn("%s (%s): %s", poll->drive->label, poll->request.node, fail_describe(f, text, sizeof text));
}

/* On these pages all others rest: who the drive is, and what it has. */
static bool is_basic(const struct plan_entry *entry)
{
	return !entry->answered_us && (entry->page->is_identity || (entry->page->learn && !entry->page->period_s));
}

/* Neither says anything about the drive's state: it has too much to do, or belongs to another host just now. */
static bool is_passing(struct fail f)
{
	return f.source == FAIL_RESERVED || (f.kind == FAIL_KIND_STATUS && f.source == FAIL_TRANSPORT);
}

enum { DOUBLINGS_MAX = 4, TOGETHER_TRIES = 3 };

/* A page that fails is asked again later and later, never hammered; 16 periods at most, 24 where it times out. */
static unsigned doublings_of(const struct plan_entry *entry, struct fail f)
{
	unsigned n = entry->failures - 1;

	if (is_passing(f))
		return 0;
	return n < DOUBLINGS_MAX ? n : DOUBLINGS_MAX;
}

/* It may well get through the next time. */
static bool is_transient(struct fail f)
{
	bool is_not_ready = f.kind == FAIL_KIND_SENSE && f.code >> 16 == 0x2;

	return f.kind != FAIL_KIND_TIMEOUT && (f.source == FAIL_TRANSPORT || f.source == FAIL_OS || is_not_ready);
}

/* Of those that the plan rests on a wrong answer is asked for again at once, and one that did not get through a little
 * later, a few times. In the first visit the same holds for every page: which of them feeds a series is decided once, and
 * must not hang on a moment in which the drive was busy. */
static bool try_again_soon(const struct poller *p, struct drive_poll *poll, struct plan_entry *entry, struct fail f)
{
	bool is_wrong = f.source == FAIL_FORMAT || f.source == FAIL_DEVICE;
	uint64_t interval = p->options.interval_us;

	entry->is_tried_again = !poll->is_settled && !entry->answered_us && is_transient(f) && entry->failures < IDENTITY_TRIES;
	if (poll->again_us <= poller_now_us(p))		/* all of a visit in one other */
		poll->again_us = poller_now_us(p) + interval / BASIC_RETRY_PARTS;
	if (entry->is_tried_again)
		entry->due_us = poll->again_us;
	else if (is_basic(entry) && entry->failures < IDENTITY_TRIES)
		entry->due_us = is_wrong ? 0 : poller_now_us(p) + (f.kind == FAIL_KIND_TIMEOUT ? interval : interval / BASIC_RETRY_PARTS);
	else
		return false;
	return true;
}

/* When the kernel gives a command up it aborts, and may reset more than this drive: then half a period more; after the
 * first time that is still soon enough for no series to grow stale. */
static void postpone(const struct poller *p, struct drive_poll *poll, struct plan_entry *entry, struct fail f)
{
	uint64_t period = plan_period(entry, p->options.interval_us);

	if (try_again_soon(p, poll, entry, f))
		return;
	if (!period)
		period = p->options.interval_us;
	if (f.kind == FAIL_KIND_TIMEOUT)
		period += period / 2;
	entry->due_us = poller_now_us(p) + (period << doublings_of(entry, f));
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

void visit_recompute(struct drive_poll *poll)
{
	struct set_sink to = set_sink_of(poll);

	sample_set_clear(&poll->computed);
	facts_samples(&poll->drive->facts, &to.sink);
	poll->computed = to.set;
	poll->is_dirty = true;
}

/* Another drive in the same place, where the kernel has no number (diskseq) for it. One that had not told its
 * serial is no other for telling it now. */
static bool is_another_drive(const struct drive_poll *poll, const struct drive_facts *before)
{
	const struct drive_facts *now = &poll->drive->facts;

	return poll->drive->is_identified && (strcmp(before->model, now->model) ||
					      (before->serial[0] && strcmp(before->serial, now->serial)));
}

static bool has_told_its_serial(const struct drive_poll *poll, const struct drive_facts *before)
{
	return poll->drive->is_identified && !before->serial[0] && poll->drive->facts.serial[0];
}

/* New firmware may count wear in another way, as no wearing does: from one reading to the next. */
enum { WEAR_JUMP_PERCENT = 5 };

static void tell_jump(struct drive_poll *poll)
{
	if (!poll->has_jumped || !poll->has_new_firmware)
		return;
	log_warn("%s: since its firmware changed it says that %g %% of its life is used, not %g %%: it may mean something else now",
		 poll->drive->label, poll->wear * 100, poll->worn_before * 100);
	quantity_count(poll->source_changes, &poll->n_source_changes, "wear");
	poll->has_jumped = poll->has_new_firmware = false;
}

static void note_wear(struct drive_poll *poll, const struct sample_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		double jump = set->at[i].value - poll->wear;

		if (set->at[i].family != drive_endurance_used_ratio)
			continue;
		if (poll->has_wear && (jump * 100 > WEAR_JUMP_PERCENT || jump * 100 < -WEAR_JUMP_PERCENT)) {
			poll->has_jumped = true;
			poll->worn_before = poll->wear;
		}
		poll->wear = set->at[i].value;
		poll->has_wear = true;
		tell_jump(poll);
		poll->has_new_firmware = false;
		return;
	}
}

/* Of an identity page that was understood. */
static void note_firmware(struct drive_poll *poll, const struct drive_facts *before)
{
	if (!poll->drive->is_identified || !before->firmware[0])
		return;
	poll->has_new_firmware = strcmp(before->firmware, poll->drive->facts.firmware) != 0;
	if (poll->has_new_firmware)
		log_info("%s: its firmware was %s and is %s now", poll->drive->label, before->firmware, poll->drive->facts.firmware);
	tell_jump(poll);
	poll->has_jumped = false;
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
	else if (has_told_its_serial(poll, before))
		poll->drive->is_identified = false;	/* it gets its name anew */
	if (!failed(f) && !poll->is_replaced && page->is_identity)
		note_firmware(poll, before);
	free(before);
	if (!failed(f))
		visit_recompute(poll);
	return f;
}

static struct fail understand(struct drive_poll *poll, struct plan_entry *entry, const struct wire_reply *reply)
{
	struct bytes in = bytes_of(reply->bytes, reply->n_bytes);
	struct set_sink to = set_sink_of(poll);
	struct fail f = learn(poll, entry->page, in);

	if (!failed(f) && entry->page->decode)
		f = entry->page->decode(entry->page, in, &poll->drive->facts, &to.sink);
	if (failed(f)) {
		sample_set_clear(&to.set);
		return f;
	}
	note_wear(poll, &to.set);
	readings_take(poll, entry, &to.set);
	return OK;
}

enum { SELDOM = 6, EACH_HALF_HOUR = 30, EACH_HOUR = 60 };	/* intervals */

/* Spreads later visits over the interval: each drive has its own place in it, and each page of a longer period its own
 * interval among them. What an ATA drive is asked seldom is not read again soon after the first visit: the first hour, with
 * everything that a first visit asks, costs it no more than any other. */
static uint64_t first_due(const struct poller *p, const struct drive_poll *poll, const struct plan_entry *entry)
{
	uint64_t interval = p->options.interval_us, period = plan_period(entry, interval);
	uint64_t place = text_hash(poll->drive->group, strlen(poll->drive->group));
	uint64_t turns = period / interval;
	uint64_t now = poller_now_us(p), offset = place % 1000 * interval / 1000;
	uint64_t turn = turns > 1 ? (place / 1000 + entry->order * 7) % turns : 0;

	if (entry->page->transport == TRANSPORT_ATA && turns >= SELDOM && !entry->page->is_health)
		now += turns >= EACH_HALF_HOUR && turns < EACH_HOUR ? 2 * period : period;
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

/* What holds for one command of a kind holds for all: a reservation lets a kind pass, or it does not. */
static void forget_reservation(struct drive_poll *poll, enum command_name kind)
{
	for (size_t i = 0; i < poll->n_entries; i++)
		if (poll->entries[i].page->command.name == kind)
			poll->entries[i].is_reserved = false;
}

/* Pages that are asked together fail together: after some tries each is asked alone. */
static void give_up_together(struct drive_poll *poll, const struct plan_entry *entry, struct fail f)
{
	if (entry->page->count && f.source == FAIL_DEVICE && entry->failures == TOGETHER_TRIES) {
		entry->page->refused(entry->page, &poll->drive->facts);
		poll->is_dirty = true;
	}
}

static void take_answer(struct poller *p, struct drive_poll *poll, struct plan_entry *entry,
			const struct wire_reply *reply)
{
	struct fail f = reply->fail;

	entry->is_reserved = f.source == FAIL_RESERVED;
	if (fail_is_unsupported(f)) {
		entry->is_unsupported = true;
		if (entry->page->refused)
			entry->page->refused(entry->page, &poll->drive->facts);
		sample_set_clear(&entry->samples);
		poll->is_dirty = true;
		if (poll->is_settled)
			readings_settle(poll);
		return;
	}
	if (!failed(f))
		f = understand(poll, entry, reply);
	if (failed(f)) {
		count_failure(poll, entry, f);
		give_up_together(poll, entry, f);
		postpone(p, poll, entry, f);
		return;
	}
	entry->is_tried_again = false;
	if (entry->logged)
		log_info("%s: %s is read again", poll->drive->label, entry->page->name);
	forget_reservation(poll, entry->page->command.name);
	entry->logged = 0;
	entry->failures = 0;
	entry->answered_us = poller_now_us(p);
	entry->answered_at_us = visit_clock_us();
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
	poll->has_had_visit |= poll->is_visiting;
	poll->is_visiting = poll->is_power_checked = false;
	poll->timeouts = poll->power_asked = 0;
	if (!poll->is_settled && poll->drive->is_identified && !plan_next(poll, poller_now_us(p)) &&
	    !visit_is_unfinished(poll)) {
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
	text_copy(poll->host, sizeof poll->host, node->host);
	r = client ? probe_client_request(client, &poll->request, poll) : -ENOTCONN;
	if (r)
		return r;
	poll->is_outstanding = true;
	poll->sent_us = poller_now_us(p);
	poll->sent_at_us = visit_clock_us();
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
		node = node_of(poll, entry);
	}
	if (send_command(p, poll, node, &command)) {
		poll->is_visiting = false;	/* the prober could not take it: no visit */
		abort_visit(p, poll, BUSY_RETRY_US);
	}
}

/* What the drive reports with its state; samples are made of it with the next page, or here where no page has it. */
static void take_exception(struct drive_poll *poll, struct bytes in)
{
	struct drive_facts *facts = &poll->drive->facts;
	uint8_t asc, ascq;

	power_exception_in_sense(in, &asc, &ascq);
	if (asc == facts->sense_asc && ascq == facts->sense_ascq)
		return;
	facts->sense_asc = asc;
	facts->sense_ascq = ascq;
	visit_recompute(poll);
}

enum { POWER_TRIES = 3 };

/* The state is not known, so neither is whether it may be woken: the drive is left alone for a while. False after some
 * tries: one that never tells is read all the same; but each timeout costs it an abort. */
static bool leaves_alone(struct poller *p, struct drive_poll *poll, struct fail f)
{
	bool is_soon = !poll->drive->is_identified && is_transient(f);
	uint64_t pause = is_soon ? p->options.interval_us / BASIC_RETRY_PARTS : p->options.interval_us;

	poll->power_failures++;
	poll->is_power_tried_again = is_soon && poll->power_failures < POWER_TRIES;
	if (f.kind == FAIL_KIND_TIMEOUT)
		pause <<= poll->power_failures < DOUBLINGS_MAX ? poll->power_failures : DOUBLINGS_MAX;
	else if (!is_transient(f) || poll->power_failures >= POWER_TRIES)
		return false;
	abort_visit(p, poll, pause);
	return true;
}

static struct fail read_power(struct poller *p, struct drive_poll *poll, struct bytes in, enum power_state *ret)
{
	struct fail f;

	if (poll->drive->facts.transport == TRANSPORT_ATA) {
		f = power_from_check_power(in, ret);
	} else {
		f = power_from_sense(in, ret);
		take_exception(poll, in);
	}
	poll->power_us = poller_now_us(p);
	return f;
}

static void take_power(struct poller *p, struct drive_poll *poll, const struct wire_reply *reply)
{
	struct bytes in = bytes_of(reply->bytes, reply->n_bytes);
	enum power_state power = POWER_UNKNOWN;
	struct fail f = reply->fail;
	bool is_lost = failed(f) && !fail_is_unsupported(f);

	if (!failed(f) && poll->drive->facts.transport == TRANSPORT_SCSI && power_is_hidden_by_sense(in) &&
	    ++poll->power_asked < POWER_TRIES) {
		visit_go_on(p, poll);
		return;
	}
	poll->is_power_checked = true;
	if (failed(f))
		poll->has_no_power_check = fail_is_unsupported(f);
	else
		f = read_power(p, poll, in, &power);
	if (failed(f) && !poll->has_no_power_check)
		count_power_failure(poll, f);
	poll->has_power = !failed(f);
	poll->power = power;
	if (is_lost && leaves_alone(p, poll, f))
		return;
	if (!is_lost) {
		poll->power_failures = 0;
		poll->is_power_tried_again = false;
	}
	if (drive_poll_sleeps(poll))
		abort_visit(p, poll, p->options.interval_us);
	else
		visit_go_on(p, poll);
}

/* False where the drive is no more: it was a second path to one that is known already. */
static bool finish_identity(struct poller *p, struct drive_poll *poll)
{
	if (poll->drive->is_identified || plan_extend(poll) || !plan_is_identity_complete(poll))
		return true;
	if (!drive_identified(p->table, poll->drive))
		return false;
	visit_recompute(poll);
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

static bool is_unit_attention(struct fail f)
{
	return f.kind == FAIL_KIND_SENSE && f.code >> 16 == 0x6;
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

/* What is asked for now is read from the host's adapter, not from the drive. */
static bool is_of_host_side(const struct drive_poll *poll)
{
	return poll->asked && poll->asked->per_path;
}

static void take_answered(struct poller *p, struct drive_poll *poll, const struct wire_reply *reply)
{
	struct plan_entry *entry;

	if (was_sent(reply->fail) && !is_of_host_side(poll))
		observe(p, poll, reply);
	poll->command_errors += is_drives_own(reply->fail);
	if (is_unit_attention(reply->fail) && !poll->is_retried) {	/* told once, then the drive answers (SPC) */
		poll->is_retried = true;
		visit_go_on(p, poll);
		return;
	}
	poll->is_retried = false;
	if (!poll->asked) {
		take_power(p, poll, reply);
		return;
	}
	if (power_forbids_reading(poll->power))		/* said before this page was asked, so it is over */
		poll->has_power = false;
	entry = plan_find(poll, poll->asked);
	if (entry)
		take_answer(p, poll, entry, reply);
	if (failed(reply->fail) && is_path_trouble(reply->fail) && !(entry && entry->node[0]))
		poll->turn++;
	if (is_given_up(poll, reply->fail))
		abort_visit(p, poll, p->options.interval_us);
	else
		after_answer(p, poll);
}

/* A reading of the host's side does not get through: the drive itself has nothing to do with it. */
static void skip_host_side(struct poller *p, struct drive_poll *poll)
{
	struct plan_entry *entry = plan_find(poll, poll->asked);

	poll->is_outstanding = false;
	if (entry) {
		count_failure(poll, entry, fail_timeout());
		postpone(p, poll, entry, fail_timeout());
	}
	visit_go_on(p, poll);
}

void visit_pass_deadline(struct poller *p, struct drive_poll *poll)
{
	if (is_of_host_side(poll)) {
		probe_client_forget(p->clients[poll->drive->source], poll);
		skip_host_side(p, poll);
		return;
	}
	poll->is_stuck = true;
	poll->stuck_at_us = poll->sent_at_us;
	log_warn("%s (%s): no answer within %llu s; it is left to answer", poll->drive->label, poll->request.node,
		 (unsigned long long)p->options.deadline_us / 1000000);
}

static void take_busy(struct poller *p, struct drive_poll *poll, const struct wire_reply *reply)
{
	uint64_t pause = BUSY_RETRY_US;
	int64_t stuck_for = visit_clock_us() - reply->busy_since_us;

	poll->is_stuck = true;
	poll->stuck_at_us = reply->busy_since_us;
	while (stuck_for > (int64_t)pause * 8 && pause < BUSY_RETRY_MAX_US)
		pause *= 2;
	abort_visit(p, poll, pause);
}

static bool is_of_other_disk(const struct drive_poll *poll, const struct wire_reply *reply)
{
	return poll->request.diskseq && reply->diskseq && poll->request.diskseq != reply->diskseq;
}

void visit_take_reply(struct poller *p, struct drive_poll *poll, const struct wire_reply *reply)
{
	enum wire_verdict verdict = reply->verdict;
	struct plan_entry *entry;
	struct fail f;

	poll->is_outstanding = false;
	poll->is_stuck = false;
	if (verdict == WIRE_ANSWERED && is_of_other_disk(poll, reply))
		verdict = WIRE_OTHER_DISK;
	switch (verdict) {
	case WIRE_ANSWERED:
		take_answered(p, poll, reply);
		break;
	case WIRE_BUSY:
		if (is_of_host_side(poll))
			skip_host_side(p, poll);
		else
			take_busy(p, poll, reply);
		break;
	case WIRE_ASLEEP:
		poll->has_power = true;
		poll->power = POWER_STANDBY;
		poll->power_us = poller_now_us(p);
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
		if (entry) {
			count_failure(poll, entry, f);
			postpone(p, poll, entry, f);
		} else {
			count_power_failure(poll, f);
		}
		abort_visit(p, poll, LOST_PAUSE_US);
		break;
	}
}
