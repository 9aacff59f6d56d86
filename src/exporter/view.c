#include "exporter/view.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "exporter/lines.h"

const char *view_level_word(enum view_level level)
{
	static const char *const words[N_VIEW_LEVELS] = {
		[VIEW_FAILING] = "failing", [VIEW_MISSING] = "missing", [VIEW_SILENT] = "silent", [VIEW_WORN] = "worn",
		[VIEW_WARNED] = "warned", [VIEW_STARTING] = "starting", [VIEW_HEALTHY] = "healthy", [VIEW_UNTOLD] = "untold",
	};

	return words[level];
}

/* ---- one that is there */

static double value_of(const struct drive *drive, enum metric_family_id family, const char *label)
{
	const struct sample *s = readings_find(poller_of(drive), family, label);

	return s ? s->value : NAN;
}

static double first_known(const struct drive *drive, enum metric_family_id family, const char *const *labels)
{
	double value = NAN;

	for (; *labels && isnan(value); labels++)
		value = value_of(drive, family, *labels);
	return value;
}

/* Of several sensors the one that stands for the drive. */
static void take_temperature(struct view_drive *v)
{
	static const char *const sensors[] = { "composite", "drive", NULL };
	static const char *const limits[] = { "warning", "reference", "specified", "critical", NULL };

	v->temperature = first_known(v->drive, drive_temperature_celsius, sensors);
	v->temperature_limit = first_known(v->drive, drive_temperature_limit_celsius, limits);
}

static double exhausted_of(const struct outlook *o)
{
	double recent = o ? o->dates[OUTLOOK_EARLIEST][OUTLOOK_30D].at : NAN;

	return isnan(recent) && o ? o->dates[OUTLOOK_EARLIEST][OUTLOOK_LIFETIME].at : recent;
}

/* Since the last reading of the day before: the row of that day has it. */
static double written_today(const struct observed *seen, double written, double now_s)
{
	const struct history_row *last, *before;

	if (!seen || seen->n < 2)
		return NAN;
	last = &seen->rows[seen->n - 1];
	before = last - 1;
	if (last->day != (int32_t)(now_s / DAY_S) || before->day + 1 != last->day || before->series != last->series)
		return NAN;
	return written >= before->written ? written - before->written : NAN;
}

static void take_wear(struct view_drive *v, double now_s)
{
	const struct drive *drive = v->drive;

	v->endurance_used = value_of(drive, drive_endurance_used_ratio, NULL);
	v->rated_used = value_of(drive, drive_rated_endurance_used_ratio, NULL);
	v->spare = value_of(drive, drive_spare_available_ratio, NULL);
	v->spare_threshold = value_of(drive, drive_spare_threshold_ratio, NULL);
	v->written_bytes = value_of(drive, drive_written_bytes_total, NULL);
	v->read_bytes = value_of(drive, drive_read_bytes_total, NULL);
	v->power_on_s = value_of(drive, drive_power_on_seconds_total, NULL);
	v->exhausted_s = exhausted_of(wears_outlook(drive));
	v->written_today_bytes = written_today(wears_seen(drive), v->written_bytes, now_s);
}

static void take_state(struct view_drive *v, const struct moment *m)
{
	const struct drive_poll *poll = poller_of(v->drive);
	int64_t oldest = drive_poll_oldest_health(poll);

	v->is_replayed = v->drive->source == SOURCE_REPLAY;
	v->is_virtual = !drive_has_health(v->drive);
	v->is_asleep = !v->is_virtual && drive_poll_sleeps(poll);
	v->is_stuck = poll->is_stuck;
	v->is_reserved = !v->is_virtual && drive_poll_is_reserved(poll);
	v->is_up = !v->is_virtual && drive_is_up_now(m, v->drive);
	v->polled_s = oldest ? (double)oldest / 1e6 : NAN;
	v->interval_s = (double)drive_poll_health_period(poll, m->interval_us) / 1e6;
}

static void add_device(struct view_drive *v, const char *name)
{
	size_t n = strlen(v->devices), left = sizeof v->devices - n;

	if (strlen(name) + 3 < left)
		snprintf(v->devices + n, left, "%s%s", n ? ", " : "", name);
}

static void take_identity(struct view_drive *v)
{
	const struct drive *drive = v->drive;
	const struct drive_facts *f = &drive->facts;
	const struct device *d = &drive->devices[0];
	const struct device_slot *slot = drive_slot(drive);
	uint64_t capacity = drive_capacity_bytes_known(drive);

	v->label = drive->label;
	v->vendor = f->vendor;
	v->model = drive_told_or_known(drive, f->model, d->model);
	v->serial = drive_told_or_known(drive, f->serial, d->serial);
	v->wwn = drive_told_or_known(drive, f->wwn, d->wwn);
	v->firmware = f->firmware;
	v->family = f->family;
	v->form_factor = f->form_factor ? f->form_factor : "";
	v->transport = drive_transport_name(drive);
	v->type = drive_type_name(drive);
	v->enclosure = slot_enclosure(slot);
	v->slot = slot_name(slot);
	v->path = d->path;
	v->capacity_bytes = capacity ? (double)capacity : NAN;
	for (size_t i = 0; i < drive->n_devices; i++)
		add_device(v, drive->devices[i].name);
}

static const struct view_drive unknown = {
	.label = "", .vendor = "", .model = "", .serial = "", .firmware = "", .wwn = "", .transport = "", .type = "",
	.form_factor = "", .family = "", .enclosure = "", .slot = "", .path = "",
	.capacity_bytes = NAN, .power_on_s = NAN, .endurance_used = NAN, .rated_used = NAN, .spare = NAN, .spare_threshold = NAN,
	.exhausted_s = NAN, .temperature = NAN, .temperature_limit = NAN, .written_bytes = NAN, .read_bytes = NAN,
	.written_today_bytes = NAN, .polled_s = NAN, .interval_s = NAN, .missing_since_s = NAN,
	.latency = { { NAN, 0, NAN }, { NAN, 0, NAN } },
};

static struct view_drive view_of(struct drive *drive, const struct moment *m, struct io_rate *io, double now_s)
{
	struct view_drive v = unknown;

	v.drive = drive;
	take_identity(&v);
	take_state(&v, m);
	take_wear(&v, now_s);
	take_temperature(&v);
	io_rate_of(io, drive, v.latency);
	reasons_find(&v, now_s);
	return v;
}

/* ---- one that is missing */

static struct view_drive view_of_missing(const struct history_known *k, double now_s)
{
	struct view_drive v = unknown;

	v.is_missing = true;
	v.label = k->id.drive;
	v.vendor = k->vendor;
	v.model = k->id.model;
	v.serial = k->id.serial;
	v.firmware = k->firmware;
	v.wwn = k->id.wwn;
	v.transport = k->transport;
	v.type = k->type;
	v.form_factor = k->form_factor;
	v.family = k->family;
	v.enclosure = k->enclosure;
	v.slot = k->slot;
	v.path = k->path;
	v.capacity_bytes = k->capacity_bytes;
	v.power_on_s = k->power_on_s;
	v.missing_since_s = (double)k->missing_s;
	reasons_find(&v, now_s);
	return v;
}

/* ---- all of them */

static double worn(const struct view_drive *v)
{
	return fmax(isnan(v->endurance_used) ? -1 : v->endurance_used, isnan(v->rated_used) ? -1 : v->rated_used);
}

/* Worst first; of two that are as bad the one with less life left. */
static int compare(const void *left, const void *right)
{
	const struct view_drive *a = left, *b = right;

	if (a->level != b->level)
		return a->level < b->level ? -1 : 1;
	if (worn(a) != worn(b))
		return worn(a) > worn(b) ? -1 : 1;
	return strcmp(a->label, b->label);
}

static void count(struct view *view)
{
	for (size_t i = 0; i < view->n; i++) {
		view->n_of[view->drives[i].level]++;
		view->n_asleep += view->drives[i].is_asleep;
		view->n_replayed += view->drives[i].is_replayed;
	}
}

int view_new(const struct fleet *fleet, struct io_rate *io, struct view *ret)
{
	const struct ledger *ledger = ledgers_all(fleet->ledgers);
	struct view view = { .now_s = (double)clock_real_us() / 1e6 };
	struct moment m = { .fleet = fleet, .now_us = poller_now_us(fleet->poller), .interval_us = poller_interval_us(fleet->poller) };

	view.drives = calloc(fleet->drives.n + ledger->n + 1, sizeof *view.drives);
	if (!view.drives)
		return -ENOMEM;
	io_rate_read(io);
	for (size_t i = 0; i < fleet->drives.n; i++) {
		if (!drive_is_shown(fleet->drives.at[i]))
			continue;
		readings_age(poller_of(fleet->drives.at[i]), m.now_us, m.interval_us);
		view.drives[view.n++] = view_of(fleet->drives.at[i], &m, io, view.now_s);
	}
	for (size_t i = 0; i < ledger->n; i++)
		if (ledgers_is_missing(fleet->ledgers, &ledger->at[i]))
			view.drives[view.n++] = view_of_missing(&ledger->at[i].known, view.now_s);
	qsort(view.drives, view.n, sizeof *view.drives, compare);
	count(&view);
	*ret = view;
	return 0;
}

void view_free(struct view *view)
{
	free(view->drives);
	*view = (struct view){ 0 };
}

const struct view_drive *view_find(const struct view *view, const char *label)
{
	for (size_t i = 0; i < view->n; i++)
		if (!strcmp(view->drives[i].label, label))
			return &view->drives[i];
	return NULL;
}
