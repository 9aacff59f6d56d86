/* What the child has not acknowledged: of each drive the newest version of each row, and the readings of two days. */
#include <math.h>
#include <string.h>

#include "history/client_private.h"
#include "history/column.h"

enum {
	DRIVES_MAX = 4096,
	ROWS_MAX = 400,			/* of a drive: more than a year without a data base */
	READINGS_MAX = 2880,		/* of a drive: two days, one a minute */
	READINGS_S = 2 * HISTORY_DAY_S,
};

struct waiting *waiting_of(struct history *h, const struct history_drive *drive)
{
	struct waiting *w;

	for (size_t i = 0; i < h->n_waiting; i++)
		if (!strcmp(h->waiting[i]->id.drive, drive->drive)) {
			h->waiting[i]->id = *drive;
			return h->waiting[i];
		}
	w = *drive->drive && h->n_waiting < DRIVES_MAX ? calloc(1, sizeof *w) : NULL;
	if (!w || !ARRAY_GROW(h->waiting, h->room_waiting, h->n_waiting)) {
		free(w);
		h->n_dropped++;
		return NULL;
	}
	w->id = *drive;
	h->waiting[h->n_waiting++] = w;
	return w;
}

static bool drop(struct history *h)
{
	h->n_dropped++;
	return false;
}

/* Takes one out of an array: the oldest that is not under way. */
static void forget(void *at, size_t *n, size_t index, size_t size)
{
	char *first = (char *)at + index * size;

	memmove(first, first + size, (*n - index - 1) * size);
	--*n;
}

static bool add_row(struct history *h, struct waiting *w, const struct history_row *row)
{
	if (w->n_rows >= ROWS_MAX && w->n_rows_sent < w->n_rows) {
		forget(w->rows, &w->n_rows, w->n_rows_sent, sizeof *w->rows);
		h->n_dropped++;
	}
	if (w->n_rows >= 2 * ROWS_MAX || !ARRAY_GROW(w->rows, w->room_rows, w->n_rows))
		return drop(h);
	w->rows[w->n_rows++] = (struct waiting_row){ .row = *row };
	return true;
}

bool waiting_put(struct history *h, const struct history_drive *drive, const struct history_row *row)
{
	struct history_line line = { *drive, *row };
	struct waiting *w;

	if (!history_line_settle(&line))
		return drop(h);
	w = waiting_of(h, drive);
	if (!w)
		return false;
	for (size_t i = w->n_rows; i-- > 0;)
		if (w->rows[i].row.day == row->day && w->rows[i].row.series == row->series) {
			w->rows[i].row = line.row;
			w->rows[i].is_changed = i < w->n_rows_sent;
			return true;
		}
	return add_row(h, w, &line.row);
}

/* Those of more than two days ago, or too many. */
static void forget_readings(struct history *h, struct waiting *w, int64_t now_s)
{
	while (w->n_readings > w->n_readings_sent &&
	       (w->n_readings >= READINGS_MAX || w->readings[w->n_readings_sent].at_s < now_s - READINGS_S)) {
		forget(w->readings, &w->n_readings, w->n_readings_sent, sizeof *w->readings);
		h->n_dropped++;
	}
}

bool waiting_put_reading(struct history *h, const struct history_drive *drive, const struct history_reading *reading)
{
	struct waiting *w;

	if (reading->at_s < 0 || reading->at_s > HISTORY_TIME_MAX)
		return drop(h);
	w = waiting_of(h, drive);
	if (!w)
		return false;
	forget_readings(h, w, reading->at_s);
	if (w->n_readings >= 2 * READINGS_MAX || !ARRAY_GROW(w->readings, w->room_readings, w->n_readings))
		return drop(h);
	w->readings[w->n_readings++] = *reading;
	return true;
}

bool waiting_put_known(struct history *h, const struct history_known *known)
{
	struct history_known settled = *known;
	struct waiting *w;

	if (settled.seen_s && !history_known_settle(&settled))
		return drop(h);
	w = waiting_of(h, &known->id);
	if (!w)
		return false;
	if (!w->known)
		w->known = malloc(sizeof *w->known);
	if (!w->known)
		return drop(h);
	*w->known = settled;
	w->is_known_changed = w->is_known_sent;
	w->is_known_waiting = true;
	return true;
}

struct waiting *waiting_to_load(struct history *h)
{
	for (size_t i = 0; i < h->n_waiting; i++)
		if (h->waiting[i]->wants_rows)
			return h->waiting[i];
	return NULL;
}

void waiting_forget_loads(struct history *h)
{
	for (size_t i = 0; i < h->n_waiting; i++)
		h->waiting[i]->wants_rows = false;
	h->wants_known = false;
}

size_t history_rows_waiting(const struct history *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n_waiting; i++)
		n += h->waiting[i]->n_rows;
	return n;
}

bool waiting_is_any(const struct history *h)
{
	for (size_t i = 0; i < h->n_waiting; i++)
		if (h->waiting[i]->n_rows || h->waiting[i]->n_readings || h->waiting[i]->is_known_waiting)
			return true;
	return false;
}

/* ---- a batch */

static size_t take_up_to(size_t n, size_t *left)
{
	size_t taken = n < *left ? n : *left;

	*left -= taken;
	return taken;
}

bool waiting_mark(struct history *h)
{
	size_t left = HISTORY_BATCH_MAX;

	for (size_t i = 0; i < h->n_waiting; i++) {
		struct waiting *w = h->waiting[i];

		w->n_rows_sent = take_up_to(w->n_rows, &left);
		w->n_readings_sent = take_up_to(w->n_readings, &left);
		w->is_known_sent = take_up_to(w->is_known_waiting, &left);
	}
	return !left;
}

static bool next_of_batch(struct history *h, struct history_message *ret)
{
	struct cursor *c = &h->cursor;

	for (; c->drive < h->n_waiting; *c = (struct cursor){ .drive = c->drive + 1 }) {
		const struct waiting *w = h->waiting[c->drive];
		size_t n_readings_end = w->n_rows_sent + w->n_readings_sent;

		if (c->at == n_readings_end + w->is_known_sent)
			continue;
		if (!c->is_named)
			*ret = (struct history_message){ .type = HISTORY_DRIVE, .drive = w->id };
		else if (c->at < w->n_rows_sent)
			*ret = (struct history_message){ .type = HISTORY_ROW, .row = w->rows[c->at].row };
		else if (c->at == n_readings_end)
			*ret = (struct history_message){ .type = HISTORY_KNOWN, .known = *w->known };
		else
			*ret = (struct history_message){ .type = HISTORY_READING, .reading = w->readings[c->at - w->n_rows_sent] };
		return true;
	}
	*ret = (struct history_message){ .type = HISTORY_COMMIT };
	return true;
}

bool waiting_next(struct history *h, struct history_message *ret)
{
	struct waiting *w = waiting_to_load(h);

	if (h->cursor.is_done)
		return false;
	switch (h->request) {
	case REQUEST_NONE:
		return false;
	case REQUEST_OPEN:
		*ret = (struct history_message){ .type = HISTORY_OPEN };
		return true;
	case REQUEST_LOAD:
		*ret = (struct history_message){ .type = HISTORY_LOAD, .drive = w->id };
		return true;
	case REQUEST_LOAD_KNOWN:
		*ret = (struct history_message){ .type = HISTORY_LOAD_KNOWN };
		return true;
	case REQUEST_COMMIT:
		return next_of_batch(h, ret);
	}
	return false;
}

void waiting_sent(struct history *h, const struct history_message *m)
{
	if (m->type == HISTORY_DRIVE)
		h->cursor.is_named = true;
	else if (m->type == HISTORY_ROW)
		h->waiting[h->cursor.drive]->rows[h->cursor.at++].sent_s = m->row.last_s;
	else if (m->type == HISTORY_READING || m->type == HISTORY_KNOWN)
		h->cursor.at++;
	else
		h->cursor.is_done = true;
}

/* What was changed since it was sent waits on, at the head of the others. */
static size_t acknowledge_rows(struct waiting *w, int64_t *newest_s)
{
	size_t n_sent = w->n_rows_sent, n = 0;

	for (size_t i = 0; i < w->n_rows; i++) {
		if (i < n_sent && w->rows[i].sent_s > *newest_s)
			*newest_s = w->rows[i].sent_s;
		if (i < n_sent && !w->rows[i].is_changed)
			continue;
		w->rows[n] = w->rows[i];
		w->rows[n++].is_changed = false;
	}
	w->n_rows = n;
	w->n_rows_sent = 0;
	return n_sent;
}

static void acknowledge_readings(struct waiting *w)
{
	w->n_readings -= w->n_readings_sent;
	if (w->n_readings)
		memmove(w->readings, w->readings + w->n_readings_sent, w->n_readings * sizeof *w->readings);
	w->n_readings_sent = 0;
}

static void acknowledge_known(struct waiting *w)
{
	if (w->is_known_sent)
		w->is_known_waiting = w->is_known_changed;
	w->is_known_sent = w->is_known_changed = false;
}

size_t waiting_acknowledge(struct history *h)
{
	int64_t newest_s = 0;
	size_t n = 0;

	for (size_t i = 0; i < h->n_waiting; i++) {
		n += acknowledge_rows(h->waiting[i], &newest_s);
		acknowledge_readings(h->waiting[i]);
		acknowledge_known(h->waiting[i]);
	}
	h->n_committed += n;
	if (n) {
		h->has_committed = true;
		h->committed_s = newest_s;
	}
	return n;
}

void waiting_unsend(struct history *h)
{
	for (size_t i = 0; i < h->n_waiting; i++) {
		h->waiting[i]->n_rows_sent = h->waiting[i]->n_readings_sent = 0;
		h->waiting[i]->is_known_sent = h->waiting[i]->is_known_changed = false;
		for (size_t j = 0; j < h->waiting[i]->n_rows; j++)
			h->waiting[i]->rows[j].is_changed = false;
	}
}

void waiting_free(struct history *h)
{
	for (size_t i = 0; i < h->n_waiting; i++) {
		free(h->waiting[i]->rows);
		free(h->waiting[i]->readings);
		free(h->waiting[i]->known);
		free(h->waiting[i]);
	}
	free(h->waiting);
}
