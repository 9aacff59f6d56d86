/* The power check: whether a drive sleeps, asked before anything else of a visit. It is no page of the plan. */
#include "base/log.h"
#include "poll/poller_private.h"

/* NVMe and solid-state ATA drives do not sleep in a way that a reading ends. */
bool power_check_is_needed(const struct drive_poll *poll, const struct device *node)
{
	const struct drive_facts *facts = &poll->drive->facts;

	if (poll->has_no_power_check)
		return false;
	if (facts->transport == TRANSPORT_SCSI)
		return true;
	return facts->transport == TRANSPORT_ATA && (facts->rpm > 0 || (facts->rpm < 0 && node->rotational == 1));
}

void power_check_failed(struct drive_poll *poll, struct fail f)
{
	due_tell_failure(poll, &poll->power_logged, "power check", f);
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
	answer_recompute(poll);
}

enum { POWER_TRIES = 3 };

/* The state is not known, so neither is whether it may be woken: the drive is left alone for a while, and what was heard last
 * holds until it is too old. 0 after some tries: one that never tells is read all the same; but each timeout costs it an
 * abort. */
static uint64_t pause_after(const struct poller *p, struct drive_poll *poll, struct fail f)
{
	bool is_soon = !poll->drive->is_identified && due_is_transient(f);
	unsigned n = ++poll->power_failures;

	poll->is_power_tried_again = is_soon && n < POWER_TRIES;
	if (f.kind == FAIL_KIND_TIMEOUT)
		return p->options.interval_us << (n < DOUBLINGS_MAX ? n : DOUBLINGS_MAX);
	if (!due_is_transient(f) || n >= POWER_TRIES)
		return 0;
	return is_soon ? due_soon_us(p) : p->options.interval_us;
}

static void set_power(const struct poller *p, struct drive_poll *poll, bool is_known, enum power_state power)
{
	poll->has_power = is_known;
	poll->power = power;
	poll->power_us = poller_now_us(p);
}

void power_check_sleeps(const struct poller *p, struct drive_poll *poll)
{
	set_power(p, poll, true, POWER_STANDBY);
}

/* REQUEST SENSE must be asked again, a few times. */
static bool is_hidden(struct drive_poll *poll, struct bytes in)
{
	return poll->drive->facts.transport == TRANSPORT_SCSI && power_is_hidden_by_sense(in) && ++poll->power_asked < POWER_TRIES;
}

static struct fail read_power(struct drive_poll *poll, struct bytes in, enum power_state *ret)
{
	if (poll->drive->facts.transport == TRANSPORT_ATA)
		return power_from_check_power(in, ret);
	take_exception(poll, in);
	return power_from_sense(in, ret);
}

uint64_t power_check_take(const struct poller *p, struct drive_poll *poll, const struct wire_reply *reply)
{
	struct bytes in = bytes_of(reply->bytes, reply->n_bytes);
	enum power_state power = POWER_UNKNOWN;
	struct fail f = reply->fail;
	uint64_t pause = 0;

	poll->has_no_power_check = fail_is_unsupported(f);
	poll->is_power_checked = failed(f) || !is_hidden(poll, in);
	if (!poll->is_power_checked)
		return 0;
	if (failed(f) && !poll->has_no_power_check) {
		power_check_failed(poll, f);
		pause = pause_after(p, poll, f);
		if (pause)
			return pause;
	} else {
		poll->power_failures = 0;
		poll->is_power_tried_again = false;
	}
	if (!failed(f)) {
		f = read_power(poll, in, &power);
		if (failed(f))
			power_check_failed(poll, f);
	}
	set_power(p, poll, !failed(f), power);
	return drive_poll_sleeps(poll) ? p->options.interval_us : 0;
}
