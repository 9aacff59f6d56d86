#include "exporter/wears.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "health/wear.h"

enum { HOUR_S = 3600, PUT_EVERY_S = 600, WAIT_FOR_HISTORY_US = 30000000 };

struct wears {
	struct drive_table *drives;
	struct catalogue *catalogue;	/* neither this nor the history is ours */
	struct history *history;
};

/* Of one drive. */
struct wear {
	struct history_drive who;
	struct observed seen;
	struct outlook outlook;
	const struct rated *rated;
	char firmware[HISTORY_FIRMWARE_MAX];	/* these two: when it was last looked up */
	uint64_t capacity_bytes;
	bool is_loaded, has_observed;
	bool is_blank;			/* when last worked out it had told nothing yet */
	uint64_t begun_us;		/* of CLOCK_MONOTONIC */
	int64_t worked_out_s;		/* 0: not yet */
	int64_t put_s, put_reading_s;
};

static struct wear *wear_of(const struct drive *drive)
{
	return drive->wear;
}

/* ---- what the drive tells now */

/* *newest becomes the entry that tells it, if that was read later. */
static double value_of(struct drive_poll *poll, enum metric_family_id family, int64_t *ret_at_s, const struct plan_entry **newest)
{
	const struct sample *s = readings_find(poll, family, NULL);
	const struct plan_entry *entry = s ? readings_entry(poll, s) : NULL;

	*ret_at_s = entry ? entry->answered_at_us / 1000000 : 0;
	if (entry && (!*newest || entry->answered_us > (*newest)->answered_us))
		*newest = entry;
	return s ? s->value : NAN;
}

static void copy_source(const struct drive_poll *poll, enum metric_family_id family, char *to, size_t size)
{
	const struct page *page = readings_source(poll, family);

	text_copy(to, size, page ? page_source(page, family) : "");
}

static struct observed_reading reading_of(const struct drive *drive)
{
	struct drive_poll *poll = poller_of(drive);
	const struct plan_entry *newest = NULL;
	struct observed_reading r = { 0 };

	r.nand_written = value_of(poll, drive_nand_written_bytes_total, &r.at_s, &newest);
	r.wear = value_of(poll, drive_endurance_used_ratio, &r.wear_at_s, &newest);
	r.written = value_of(poll, drive_written_bytes_total, &r.written_at_s, &newest);
	r.power_on_s = value_of(poll, drive_power_on_seconds_total, &r.power_on_at_s, &newest);
	if (newest) {		/* it is as old as its newest value */
		r.at_s = newest->answered_at_us / 1000000;
		r.clock_offset_s = newest->answered_offset_us / 1000000;
	}
	if (r.written == 0 && r.wear > 0)	/* it does not count them */
		r.written = NAN;
	text_copy(r.firmware, sizeof r.firmware, drive->facts.firmware);
	copy_source(poll, drive_endurance_used_ratio, r.wear_page, sizeof r.wear_page);
	copy_source(poll, drive_written_bytes_total, r.written_page, sizeof r.written_page);
	return r;
}

/* A drive cannot have been busy, or written, for longer than it was on. */
static bool is_power_on_wrong(const struct drive *drive, const struct observed_reading *r)
{
	static const double fastest_per_s = 16e9;
	const struct sample *busy = readings_find(poller_of(drive), drive_nvme_busy_seconds_total, NULL);

	return (busy && busy->value > r->power_on_s * 1.05 + HOUR_S) || r->written > fastest_per_s * (r->power_on_s + HOUR_S);
}

/* ---- what follows */

struct wear_sink {
	struct sample_sink sink;
	struct sample_set set;
};

/* Its labels are static, or the catalogue's: with another catalogue all are made anew. */
static void on_sample(struct sample_sink *sink, const struct sample *s)
{
	if (!sample_set_add(&((struct wear_sink *)sink)->set, s))
		log_debug("no memory for what follows from the wear");
}

static void show(struct drive *drive)
{
	const struct wear *w = wear_of(drive);
	struct wear_sink to = { .sink = { .put = on_sample } };

	wear_samples(w->rated, &w->outlook, drive_capacity_bytes_known(drive), &to.sink);
	readings_add(poller_of(drive), &to.set);
}

static struct outlook_now now_of(const struct drive *drive)
{
	const struct wear *w = wear_of(drive);
	struct observed_reading r = reading_of(drive);

	/* As of the reading, since nobody knows what came after it; while it sleeps nothing does. */
	bool is_as_read = r.at_s && !drive_poll_sleeps(poller_of(drive));

	return (struct outlook_now){
		.at_s = is_as_read ? r.at_s : clock_real_us() / 1000000, .wear = r.wear, .written = r.written,
		.nand_written = r.nand_written, .power_on_s = r.power_on_s, .is_power_on_wrong = is_power_on_wrong(drive, &r),
		.rated_bytes = w->rated ? w->rated->endurance_bytes : NAN,
	};
}

static void look_up(struct wears *ws, struct drive *drive)
{
	const struct drive_facts *f = &drive->facts;
	struct catalogue_drive who = { f->vendor, f->model, f->firmware, f->serial, drive_capacity_bytes_known(drive) };

	text_copy(wear_of(drive)->firmware, HISTORY_FIRMWARE_MAX, f->firmware);
	wear_of(drive)->capacity_bytes = who.capacity_bytes;
	wear_of(drive)->rated = ws->catalogue ? catalogue_find(ws->catalogue, &who) : NULL;
}

/* Its firmware, or what is known of its capacity, may be another one by now, and so the rating. */
static void work_out(struct wears *ws, struct drive *drive)
{
	struct wear *w = wear_of(drive);
	struct outlook_now now;

	look_up(ws, drive);
	if (w->seen.suspect && w->worked_out_s) {	/* it told nonsense, or something has changed: the next answer decides */
		show(drive);
		return;
	}
	now = now_of(drive);
	w->outlook = outlook_of(&w->seen, &now);
	w->worked_out_s = clock_real_us() / 1000000;
	w->is_blank = isnan(now.wear) && isnan(now.written);
	show(drive);
}

/* Between the hours: what is used of the rating follows the bytes. */
static void follow(struct drive *drive)
{
	struct wear *w = wear_of(drive);
	struct outlook_now now = now_of(drive);
	double used = outlook_rated_used(&w->seen, &now);

	if (used == w->outlook.rated_used || isnan(used))
		return;
	w->outlook.rated_used = used;
	show(drive);
}

/* Once an hour; visits are spread over time, and so is this. A clock that went back makes it due, too, and what is another drive
 * to the catalogue. */
static bool is_due(const struct drive *drive)
{
	const struct wear *w = wear_of(drive);
	int64_t now_s = clock_real_us() / 1000000;

	return now_s - w->worked_out_s >= HOUR_S || now_s < w->worked_out_s || w->is_blank ||
	       w->capacity_bytes != drive_capacity_bytes_known(drive) || strcmp(w->firmware, drive->facts.firmware);
}

/* ---- who it is */

static struct wear *begin(struct wears *ws, struct drive *drive)
{
	struct wear *w = calloc(1, sizeof *w);

	if (!w)
		return NULL;
	drive->wear = w;
	w->begun_us = clock_monotonic_us();
	text_copy(w->who.drive, sizeof w->who.drive, drive->label);
	text_copy(w->who.model, sizeof w->who.model, drive->facts.model);
	text_copy(w->who.serial, sizeof w->who.serial, drive->facts.serial);
	text_copy(w->who.wwn, sizeof w->who.wwn, drive->facts.wwn);
	if (ws->history)
		history_load(ws->history, &w->who);
	return w;
}

void wears_removed(struct wears *ws, struct drive *drive)
{
	struct wear *w = ws ? wear_of(drive) : NULL;

	if (!w)
		return;
	if (ws->history && w->seen.n)
		history_put(ws->history, &w->who, &w->seen.rows[w->seen.n - 1], true);
	observed_free(&w->seen);
	free(w);
	drive->wear = NULL;
}

/* ---- the history */

static struct drive *drive_named(const struct wears *ws, const char *label)
{
	for (size_t i = 0; i < ws->drives->n; i++)
		if (wear_of(ws->drives->at[i]) && !strcmp(wear_of(ws->drives->at[i])->who.drive, label))
			return ws->drives->at[i];
	return NULL;
}

/* The data base was lost: all that is known goes into the new one. */
void wears_begun_anew(struct wears *ws)
{
	for (size_t i = 0; i < ws->drives->n; i++) {
		const struct wear *w = wear_of(ws->drives->at[i]);

		for (size_t k = 0; w && k < w->seen.n; k++)
			history_put(ws->history, &w->who, &w->seen.rows[k], false);
	}
}

static void put_rows(struct wears *ws, struct wear *w, enum observed_news news)
{
	const struct history_row *last = &w->seen.rows[w->seen.n - 1];

	if (news == OBSERVED_NEW_ROW && w->seen.n > 1)
		history_put(ws->history, &w->who, last - 1, true);
	if (news == OBSERVED_NEW_ROW || last->last_s - w->put_s >= PUT_EVERY_S) {
		w->put_s = last->last_s;
		history_put(ws->history, &w->who, last, false);
	}
}

static void put_reading(struct wears *ws, struct wear *w, const struct observed_reading *r)
{
	struct history_reading reading = { r->at_s, r->wear, r->written, r->nand_written, r->power_on_s };

	if (r->at_s - w->put_reading_s < PUT_EVERY_S && r->at_s >= w->put_reading_s)
		return;
	w->put_reading_s = r->at_s;
	history_put_reading(ws->history, &w->who, &reading);
}

/* A history that is there is waited for, so that what was seen before goes on; but not for ever, for its disk may hang. */
static bool is_to_wait(const struct wears *ws, const struct wear *w)
{
	return ws->history && !w->is_loaded && !history_is_in_trouble(ws->history) &&
	       clock_monotonic_us() - w->begun_us < WAIT_FOR_HISTORY_US;
}

/* A page that changed while the exporter did not run is a change of source that only the history knows of. */
static void tell_break(struct drive *drive, enum observed_break b)
{
	struct drive_poll *poll = poller_of(drive);
	const char *quantity = b == BREAK_WEAR_PAGE ? "wear" : b == BREAK_WRITTEN_PAGE ? "written_bytes" : NULL;

	log_warn("%s: %s; what was seen before is not compared with what is to come", drive->label, observed_break_words(b));
	if (quantity && !wear_of(drive)->has_observed)
		quantity_count(poll->source_changes, &poll->n_source_changes, quantity);
}

static void observe(struct wears *ws, struct drive *drive)
{
	struct wear *w = wear_of(drive);
	struct observed_reading r = reading_of(drive);
	enum observed_break b;
	enum observed_news news = observed_take(&w->seen, &r, &b);

	if (b)
		tell_break(drive, b);
	w->has_observed = true;
	if (news == OBSERVED_NOTHING || !ws->history)
		return;
	put_rows(ws, w, news);
	put_reading(ws, w, &r);
}

void wears_loaded(struct wears *ws, const char *label, const struct history_row *rows, size_t n)
{
	struct drive *drive = drive_named(ws, label);

	if (!drive)
		return;
	if (observed_merge(&wear_of(drive)->seen, rows, n))
		log_error("%s: no memory for its history", label);
	wear_of(drive)->is_loaded = true;
	observe(ws, drive);		/* what was read while it was waited for */
	work_out(ws, drive);
}

void wears_visited(struct wears *ws, struct drive *drive)
{
	struct wear *w;

	if (!drive->is_identified || drive->is_virtual || drive->is_excluded)
		return;
	if (wear_of(drive) && strncmp(wear_of(drive)->who.drive, drive->label, HISTORY_DRIVE_MAX - 1))	/* it is called otherwise now */
		wears_removed(ws, drive);
	w = wear_of(drive) ? wear_of(drive) : begin(ws, drive);
	if (!w)
		return;
	if (!is_to_wait(ws, w))
		observe(ws, drive);
	if (is_due(drive))
		work_out(ws, drive);
	else if (!w->seen.suspect)
		follow(drive);
}

/* ---- all of it */

void wears_use_catalogue(void *context, struct catalogue *catalogue)
{
	struct wears *ws = context;

	ws->catalogue = catalogue;
	for (size_t i = 0; i < ws->drives->n; i++)
		if (wear_of(ws->drives->at[i])) {
			look_up(ws, ws->drives->at[i]);
			work_out(ws, ws->drives->at[i]);
		}
}

const struct rated *wears_rated(const struct drive *drive)
{
	return wear_of(drive) ? wear_of(drive)->rated : NULL;
}

const struct observed *wears_seen(const struct drive *drive)
{
	return wear_of(drive) ? &wear_of(drive)->seen : NULL;
}

const struct outlook *wears_outlook(const struct drive *drive)
{
	return wear_of(drive) && wear_of(drive)->worked_out_s ? &wear_of(drive)->outlook : NULL;
}

struct wears *wears_new(struct drive_table *drives, struct history *history)
{
	struct wears *ws = calloc(1, sizeof *ws);

	if (!ws)
		return NULL;
	ws->drives = drives;
	ws->history = history;
	return ws;
}

void wears_free(struct wears *ws)
{
	free(ws);
}
