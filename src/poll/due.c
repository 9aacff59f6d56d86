/* When a page is asked next, after an answer and after a failure. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "poll/poller_private.h"

enum { SOON_PARTS = 6 };		/* of the interval: 10 s */

static uint64_t fail_key(struct fail f)
{
	return 1 + ((uint64_t)f.source << 40 | (uint64_t)f.kind << 32 | f.code);
}

/* What is missing. The kernel says EPERM to a command that a capability would allow (scsi_ioctl.c), and to whom a control
 * group forbids the device; to the owner and mode of a node, and to an NVMe command, it says EACCES. */
static const char *missing_right(const struct drive_poll *poll, struct fail f)
{
	bool is_nvme = poll->drive->facts.transport == TRANSPORT_NVME;

	if (f.source != FAIL_PERMISSION)
		return "";
	if (f.kind == FAIL_KIND_ERRNO)
		return is_nvme ? "; drive_prober lacks CAP_SYS_ADMIN" : "; drive_prober lacks CAP_SYS_RAWIO";
	if (f.code == EPERM)
		return "; the unit's DeviceAllow=, or the container's list of devices, lacks it";
	return is_nvme ? "; drive_prober is neither root nor of the node's group (the udev rule gives controllers to the group disk)"
		       : "; drive_prober is neither root nor of the node's group (mostly disk)";
}

/* A right that is missing is missing for all pages: that is one line of a drive. */
void due_tell_failure(struct drive_poll *poll, uint64_t *logged, const char *what, struct fail f)
{
	bool is_told = *logged == fail_key(f) || (f.source == FAIL_PERMISSION && poll->permission_logged == fail_key(f));
	char text[200];

	poll->failures[f.source]++;
	*logged = fail_key(f);
	if (f.source == FAIL_PERMISSION)
		poll->permission_logged = fail_key(f);
	if (is_told)
		return;
	f.what = what;
	log_warn("%s (%s): %s%s", poll->drive->label, poll->request.node, fail_describe(f, text, sizeof text), missing_right(poll, f));
}

/* On these pages all others rest: who the drive is, and what it has. */
static bool is_basic(const struct plan_entry *entry)
{
	return !entry->answered_us && (entry->page->is_identity || (entry->page->learn && !entry->page->period_s));
}

/* Its controller, or the host's adapter, is being reset (a controller's node cannot be opened then): nothing reached the
 * drive. */
static bool is_being_reset(struct fail f)
{
	switch (f.kind) {
	case FAIL_KIND_OPEN:
	case FAIL_KIND_ERRNO:		/* EINTR: the kernel took a command back */
		return f.code == EAGAIN || f.code == EINTR;
	case FAIL_KIND_HOST:
		return f.code == FAIL_HOST_RECOVERING;
	default:
		return f.kind == FAIL_KIND_NVME && f.source == FAIL_TRANSPORT;
	}
}

/* None says anything about the drive's state: it has too much to do, or belongs to another host just now. */
static bool is_passing(struct fail f)
{
	return f.source == FAIL_RESERVED || is_being_reset(f) || (f.kind == FAIL_KIND_STATUS && f.source == FAIL_TRANSPORT);
}

/* A page that fails is asked again later and later, never hammered; 16 periods at most, 24 where it times out. */
static unsigned doublings_of(const struct plan_entry *entry, struct fail f)
{
	unsigned n = entry->refusals - 1;

	if (is_passing(f))
		return 0;
	return n < DOUBLINGS_MAX ? n : DOUBLINGS_MAX;
}

/* It may well get through the next time. */
bool due_is_transient(struct fail f)
{
	bool is_not_ready = f.kind == FAIL_KIND_SENSE && f.code >> 16 == 0x2;

	return f.kind != FAIL_KIND_TIMEOUT && (f.source == FAIL_TRANSPORT || f.source == FAIL_OS || is_not_ready);
}

uint64_t due_soon_us(const struct poller *p)
{
	return p->options.interval_us / SOON_PARTS;
}

/* All that did not get through in a visit is asked again in one other. */
static uint64_t again_us(const struct poller *p, struct drive_poll *poll)
{
	if (poll->again_us <= poller_now_us(p))
		poll->again_us = poller_now_us(p) + due_soon_us(p);
	return poll->again_us;
}

/* Of those that the plan rests on a wrong answer is asked for again at once, and one that did not get through a little
 * later, a few times. In the first visit the same holds for every page: which of them feeds a series is decided once, and
 * must not hang on a moment in which the drive was busy. */
static bool try_again_soon(const struct poller *p, struct drive_poll *poll, struct plan_entry *entry, struct fail f)
{
	bool is_wrong = f.source == FAIL_FORMAT || f.source == FAIL_DEVICE;
	uint64_t interval = p->options.interval_us;

	bool has_tries = entry->failures < IDENTITY_TRIES;

	entry->is_tried_again = has_tries && !poll->is_settled && !entry->answered_us && due_is_transient(f);
	if (entry->is_tried_again)
		entry->due_us = again_us(p, poll);
	else if (has_tries && is_basic(entry))
		entry->due_us = is_wrong ? 0 : poller_now_us(p) + (f.kind == FAIL_KIND_TIMEOUT ? interval : due_soon_us(p));
	return entry->is_tried_again || (has_tries && is_basic(entry));
}

/* When the kernel gives a command up it aborts, and may reset more than this drive: then half a period more; after the
 * first time that is still soon enough for no series to grow stale. */
void due_after_failure(const struct poller *p, struct drive_poll *poll, struct plan_entry *entry, struct fail f)
{
	uint64_t period = plan_period(entry, p->options.interval_us);

	entry->failures++;
	entry->refusals += !is_passing(f);
	due_tell_failure(poll, &entry->logged, entry->page->name, f);
	if (try_again_soon(p, poll, entry, f))
		return;
	if (!period || (!entry->answered_us && is_being_reset(f)))	/* nothing is known of it yet: in the next round */
		period = p->options.interval_us;
	if (f.kind == FAIL_KIND_TIMEOUT)
		period += period / 2;
	entry->due_us = poller_now_us(p) + (period << doublings_of(entry, f));
}

/* ---- after an answer */

enum { SELDOM = 30, EACH_HOUR = 60 };	/* intervals */

/* Spreads later visits over the interval: each drive has its own place in it, and each page of a longer period its own
 * interval among them. An ATA drive is not asked again soon for what it told in the first visit, and for what is read each half
 * hour or more seldom not within the hour: so that hour, with everything that a first visit asks, costs it no more than any other. */
static uint64_t first_due(const struct poller *p, const struct drive_poll *poll, const struct plan_entry *entry)
{
	uint64_t interval = p->options.interval_us, period = plan_period(entry, interval);
	uint64_t place = text_hash(poll->drive->group, strlen(poll->drive->group));
	uint64_t turns = period / interval;
	uint64_t now = poller_now_us(p), offset = place % 1000 * interval / 1000;
	uint64_t turn = turns > 1 ? (place / 1000 + entry->order * 7) % turns : 0;

	if (entry->page->transport == TRANSPORT_ATA && !entry->page->is_health)
		now += (turns >= SELDOM && turns < EACH_HOUR ? EACH_HOUR : turns) * interval;
	return now + (offset ? offset : interval) + turn * interval;
}

void due_after_answer(const struct poller *p, const struct drive_poll *poll, struct plan_entry *entry)
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
