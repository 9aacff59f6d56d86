#include "exporter/ledgers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

enum { FORGET_DELAY_US = 3600000000u };

struct ledgers {
	struct drive_table *drives;
	struct history *history;
	const struct options *options;
	struct ledger ledger;
	bool is_full_told;
	uint64_t overdue_us;		/* since when one is to be forgotten; 0: none is */
};

static int64_t now_s(void)
{
	return clock_real_us() / 1000000;
}

static void write_down(struct ledgers *l, const struct ledger_entry *entry, bool now)
{
	if (l->history)
		history_put_known(l->history, &entry->known, now);
}

/* ---- a drive that is there */

static void copy(char *to, size_t size, const char *from)
{
	text_copy(to, size, from ? from : "");
}

static double power_on_of(const struct drive *drive)
{
	const struct sample *s = readings_find(poller_of(drive), drive_power_on_seconds_total, NULL);

	return s ? s->value : NAN;
}

static struct history_known known_of(const struct drive *drive)
{
	const struct drive_facts *f = &drive->facts;
	const struct device_slot *slot = drive_slot(drive);
	uint64_t capacity = drive_capacity_bytes_known(drive);
	struct history_known k = { .capacity_bytes = capacity ? (double)capacity : NAN, .power_on_s = power_on_of(drive),
				   .seen_s = now_s() };

	copy(k.id.drive, sizeof k.id.drive, drive->label);
	copy(k.id.model, sizeof k.id.model, f->model);
	copy(k.id.serial, sizeof k.id.serial, f->serial);
	copy(k.id.wwn, sizeof k.id.wwn, f->wwn);
	copy(k.vendor, sizeof k.vendor, f->vendor);
	copy(k.firmware, sizeof k.firmware, f->firmware);
	copy(k.transport, sizeof k.transport, drive_transport_name(drive));
	copy(k.type, sizeof k.type, drive_type_name(drive));
	copy(k.form_factor, sizeof k.form_factor, f->form_factor);
	copy(k.family, sizeof k.family, f->family);
	copy(k.enclosure, sizeof k.enclosure, slot_enclosure(slot));
	copy(k.slot, sizeof k.slot, slot_name(slot));
	copy(k.path, sizeof k.path, drive->devices[0].path);
	return k;
}

/* The kernel's last word for a path that leads nowhere any more. */
static bool is_path_dead(const struct drive *drive)
{
	static const char *const dead[] = { "offline", "transport-offline", "dead" };

	for (size_t i = 0; i < drive->n_devices; i++)
		for (size_t k = 0; k < ARRAY_SIZE(dead); k++)
			if (!strcmp(drive->devices[i].state, dead[k]))
				return true;
	return false;
}

/* What NVM Express base's critical warning says of the drive itself, not of its age (SMART / Health Information, byte 0). A
 * drive whose endurance is used up says that it is unreliable, too. */
static bool is_nvme_failing(struct drive_poll *poll)
{
	const struct sample *wear = readings_find(poll, drive_endurance_used_ratio, NULL);
	const struct sample *unreliable = readings_find(poll, drive_nvme_critical_warning, "reliability");
	const struct sample *read_only = readings_find(poll, drive_nvme_critical_warning, "read_only");

	return (read_only && read_only->value == 1) || (unreliable && unreliable->value == 1 && !(wear && wear->value >= 1));
}

static bool is_failing(const struct drive *drive)
{
	const struct sample *smart = readings_find(poller_of(drive), drive_warning, "smart_failing");

	return (smart && smart->value == 1) || is_nvme_failing(poller_of(drive)) || is_path_dead(drive);
}

/* Virtual disks come and go as somebody wants them. */
static bool is_kept(const struct drive *drive)
{
	return drive->is_identified && !drive->is_virtual && !drive->is_excluded && poller_of(drive);
}

void ledgers_visited(struct ledgers *l, const struct drive *drive)
{
	struct history_known known;
	struct ledger_entry *entry;
	enum ledger_news news;

	if (!is_kept(drive))
		return;
	known = known_of(drive);
	entry = ledger_see(&l->ledger, &known, is_failing(drive), &news);
	if (!entry) {
		if (!l->is_full_told)
			log_warn("%s: no room to remember it when it is gone", drive->label);
		l->is_full_told = true;
		return;
	}
	if (news == LEDGER_BACK)
		log_info("%s: is back", drive->label);
	if (news != LEDGER_NOTHING)
		write_down(l, entry, news != LEDGER_TO_WRITE);
}

void ledgers_removed(struct ledgers *l, const struct drive *drive)
{
	struct ledger_entry *entry = ledger_find(&l->ledger, drive->label);

	if (!is_kept(drive) || !drive->n_devices)
		return;
	if (entry)
		entry->is_failing = is_failing(drive);
	else
		ledgers_visited(l, drive);	/* gone before its first visit was over */
}

/* ---- those that are not there */

/* A drive that has not told who it is may be known by what the kernel knows of it. */
static bool has_its_name(const struct drive *drive, const struct history_known *known)
{
	for (size_t i = 0; i < drive->n_devices && !drive->is_identified; i++)
		if (drive->devices[i].wwn[0] && !strcmp(drive->devices[i].wwn, known->id.wwn))
			return true;
	return false;
}

/* NULL: it is not in the table. */
static struct drive *drive_of(const struct ledgers *l, const struct history_known *known)
{
	for (size_t i = 0; i < l->drives->n; i++)
		if (!strcmp(l->drives->at[i]->label, known->id.drive))
			return l->drives->at[i];
	for (size_t i = 0; i < l->drives->n; i++)
		if (has_its_name(l->drives->at[i], known))
			return l->drives->at[i];
	return NULL;
}

static bool is_excluded(const struct ledgers *l, const struct ledger_entry *entry)
{
	const struct history_known *k = &entry->known;

	return !drive_filter_passes_known(l->options->filter, k->id.model, k->id.serial, k->transport);
}

static void found(struct ledgers *l, struct ledger_entry *entry, struct drive *drive)
{
	enum ledger_news news = ledger_is_there(entry, now_s());

	if (news == LEDGER_BACK)
		log_info("%s: is back", entry->known.id.drive);
	if (news != LEDGER_NOTHING)
		write_down(l, entry, news == LEDGER_BACK);
	if (drive_is_nameless(drive))
		text_copy(drive->label, sizeof drive->label, entry->known.id.drive);
}

static void compare(struct ledgers *l, struct ledger_entry *entry, bool is_settled)
{
	struct drive *drive = drive_of(l, &entry->known);
	enum ledger_reason reason;

	if (drive) {
		found(l, entry, drive);
		return;
	}
	if ((!entry->is_seen && !is_settled) || !ledger_is_gone(&l->ledger, entry, now_s(), &reason))
		return;
	log_warn("%s: is missing%s%s", entry->known.id.drive, entry->is_seen ? "" : " since the exporter ran last",
		 reason == LEDGER_FAILED ? "; it was failing" : "");
	write_down(l, entry, true);
}

static bool is_overdue(const struct ledgers *l, struct ledger_entry *entry)
{
	return ledger_is_overdue(entry, now_s(), (int64_t)(l->options->forget_after_us / 1000000));
}

/* A clock that is set wrong for a while must not make us forget all of them, so an hour passes in between. */
static void forget_overdue(struct ledgers *l)
{
	bool is_any = false, is_time;

	for (size_t i = 0; i < l->ledger.n; i++)
		is_any |= is_overdue(l, &l->ledger.at[i]);
	if (!is_any)
		l->overdue_us = 0;
	else if (!l->overdue_us)
		l->overdue_us = clock_steady_us();
	is_time = is_any && clock_steady_us() - l->overdue_us >= FORGET_DELAY_US;
	for (size_t i = l->ledger.n; i-- > 0 && is_time;) {
		struct ledger_entry *entry = &l->ledger.at[i];

		if (!is_overdue(l, entry))
			continue;
		log_info("%s: missing for too long to be remembered", entry->known.id.drive);
		if (l->history)
			history_forget_known(l->history, &entry->known.id);
		ledger_forget(&l->ledger, entry);
	}
}

void ledgers_look(struct ledgers *l, bool is_settled)
{
	for (size_t i = 0; i < l->ledger.n; i++)
		if (!is_excluded(l, &l->ledger.at[i]))
			compare(l, &l->ledger.at[i], is_settled);
	forget_overdue(l);
}

const struct ledger *ledgers_all(const struct ledgers *l)
{
	return &l->ledger;
}

bool ledgers_is_missing(const struct ledgers *l, const struct ledger_entry *entry)
{
	return entry->known.missing_s && entry->is_confirmed && !is_excluded(l, entry);
}

size_t ledgers_count_missing(const struct ledgers *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->ledger.n; i++)
		n += ledgers_is_missing(l, &l->ledger.at[i]);
	return n;
}

/* ---- the history */

void ledgers_known(struct ledgers *l, const struct history_known *known, size_t n)
{
	if (ledger_merge(&l->ledger, known, n))
		log_error("no memory for the drives that were here before");
}

void ledgers_begun_anew(struct ledgers *l)
{
	for (size_t i = 0; i < l->ledger.n; i++)
		write_down(l, &l->ledger.at[i], false);
}

struct ledgers *ledgers_new(struct drive_table *drives, struct history *history, const struct options *options)
{
	struct ledgers *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	l->drives = drives;
	l->history = history;
	l->options = options;
	if (history)
		history_load_known(history);
	return l;
}

void ledgers_free(struct ledgers *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->ledger.n; i++)
		if (!l->ledger.at[i].known.missing_s && l->ledger.at[i].is_seen)
			write_down(l, &l->ledger.at[i], false);
	ledger_free(&l->ledger);
	free(l);
}
