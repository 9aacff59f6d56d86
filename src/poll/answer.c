/* What is made of an answer: facts of the drive, and samples. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "poll/poller_private.h"

static void implausible(struct drive_poll *poll, const char *quantity)
{
	if (quantity_count(poll->implausible, &poll->n_implausible, quantity))
		log_warn("%s: it gives an implausible %s, which is left out", poll->drive->label, quantity);
}

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

/* Of a namespace that does not tell its size the kernel does: to a controller that it is not attached to it is empty, and its
 * page may fail. Without it the sum of the namespaces would be no capacity. */
static void complete_namespaces(struct drive_poll *poll)
{
	for (size_t i = 0; i < poll->drive->n_devices; i++) {
		const struct device *d = &poll->drive->devices[i];
		struct nvme_namespace *namespace = d->nsid && d->size_bytes ? facts_namespace(&poll->drive->facts, d->nsid) : NULL;

		if (namespace && !namespace->size_bytes)
			*namespace = (struct nvme_namespace){
				.nsid = d->nsid, .size_bytes = d->size_bytes, .block_bytes = d->logical_block,
				.capacity_bytes = NVME_BYTES_UNKNOWN, .used_bytes = NVME_BYTES_UNKNOWN,
			};
	}
}

void answer_recompute(struct drive_poll *poll)
{
	struct set_sink to = set_sink_of(poll);

	complete_namespaces(poll);
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
	if (poll->has_new_firmware) {
		plan_learn_anew(poll, false);	/* it may have other logs now */
		log_info("%s: its firmware was %s and is %s now", poll->drive->label, before->firmware, poll->drive->facts.firmware);
	}
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
	if (!failed(f) && poll->drive->facts.transport != before->transport)
		poll->is_power_checked = poll->has_no_power_check = false;	/* it has another check, and may sleep */
	if (!failed(f) && !poll->is_replaced && page->is_identity)
		note_firmware(poll, before);
	free(before);
	if (!failed(f))
		answer_recompute(poll);
	return f;
}

struct fail answer_understand(struct drive_poll *poll, struct plan_entry *entry, const struct wire_reply *reply)
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
