#include "health/observation.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

enum { CLOCK_SLACK_S = 300, HOUR_S = 3600, KEPT_WHOLE_DAYS = 45, THINNED_DAYS = 14, SERIES_A_DAY = 8,
       ROWS_MAX = 2000 /* some 300 are ten years of a drive that tells no nonsense */ };

/* A fall of less is the indicator's rounding, or what the counter had not saved when the power went. */
static const double wear_fall = 0.015, written_fall = 0.1;
/* No drive wears so much in a day, or since its last firmware. */
static const double wear_jump = 0.05;
/* No drive is written faster: twice a PCIe 5.0 x4 link. */
static const double written_per_s_max = 32e9;

const char *observed_break_words(enum observed_break b)
{
	static const char *const words[N_BREAKS] = {
		[BREAK_NONE] = "nothing",
		[BREAK_CLOCK] = "the clock jumped",
		[BREAK_WRITTEN] = "the counter of written bytes began anew",
		[BREAK_POWER_ON] = "the power-on time began anew",
		[BREAK_WEAR] = "the wear indicator jumped",
		[BREAK_FIRMWARE] = "new firmware tells another wear",
		[BREAK_WEAR_PAGE] = "another page tells the wear",
		[BREAK_WRITTEN_PAGE] = "another page tells the written bytes",
	};

	return words[b];
}

static bool is_told(double value)
{
	return !isnan(value);
}

static struct history_row *last_of(const struct observed *o)
{
	return o->n ? &o->rows[o->n - 1] : NULL;
}

/* ---- does a reading go on where the last one was? */

static bool is_other(const char *before, const char *now)
{
	return *before && *now && strcmp(before, now);
}

/* Wear that follows from what was written since the indicator last rose: a drive may tell it late, all at once. */
static double explained(const struct history_row *last, double written)
{
	double part = last->wear / last->wear_since_written * (written - last->wear_since_written);

	return part > 0 ? part : 0;	/* nothing, where one of these is not told */
}

/* In six hours no drive wears by two steps, nor with new firmware within a day; in a day none by five points. */
static bool has_wear_jumped(const struct history_row *last, double wear, double written, int64_t seconds, bool is_other_firmware)
{
	double rise = wear - last->wear - explained(last, written);

	if (wear < last->wear - wear_fall)
		return true;
	if (seconds <= 6 * HOUR_S || (is_other_firmware && seconds <= DAY_S))
		return rise > wear_fall;
	return rise > wear_jump && (is_other_firmware || seconds <= DAY_S);
}

static bool has_clock_jumped(const struct observed *o, const struct history_row *last, const struct observed_reading *r)
{
	if (o->has_clock_offset)
		return llabs(r->clock_offset_s - o->clock_offset_s) > CLOCK_SLACK_S;
	return r->at_s < last->last_s - CLOCK_SLACK_S;
}

static bool has_written_jumped(const struct history_row *last, const struct observed_reading *r)
{
	double most = written_per_s_max * (double)(r->at_s - last->last_s + HOUR_S);

	return r->written < last->written * (1 - written_fall) || r->written > last->written + most;
}

static enum observed_break break_of(const struct history_row *last, const struct observed_reading *r)
{
	bool is_other_firmware = is_other(last->firmware, r->firmware);

	if (is_other(last->wear_page, r->wear_page))
		return BREAK_WEAR_PAGE;
	if (is_other(last->written_page, r->written_page))
		return BREAK_WRITTEN_PAGE;
	if (has_wear_jumped(last, r->wear, r->written, r->at_s - last->last_s, is_other_firmware))
		return is_other_firmware ? BREAK_FIRMWARE : BREAK_WEAR;
	if (has_written_jumped(last, r))
		return BREAK_WRITTEN;
	if (r->power_on_s < last->power_on_s - HOUR_S)
		return BREAK_POWER_ON;
	return BREAK_NONE;
}

/* One answer may be wrong; of these breaks a second one must tell the same. When the answer came; 0: it needs no second one. */
static int64_t to_be_confirmed(enum observed_break b, const struct observed_reading *r)
{
	return b == BREAK_WRITTEN ? r->written_at_s : b == BREAK_POWER_ON ? r->power_on_at_s : b == BREAK_WEAR ? r->wear_at_s : 0;
}

static bool is_confirmed(struct observed *o, enum observed_break b, const struct observed_reading *r)
{
	int64_t told_at_s = to_be_confirmed(b, r);
	bool is_second = o->suspect == b && told_at_s > o->suspect_at_s;

	if (!told_at_s || is_second)
		o->suspect = BREAK_NONE;
	else if (o->suspect != b) {
		o->suspect = b;
		o->suspect_at_s = told_at_s;
	}
	return !told_at_s || is_second;
}

/* ---- rows */

static struct history_row *add_row(struct observed *o)
{
	return ARRAY_GROW(o->rows, o->room, o->n) ? &o->rows[o->n++] : NULL;
}

static double later_of(double before, double now)
{
	return is_told(now) && !(now < before) ? now : before;
}

static void take_wear(struct history_row *row, const struct history_row *last, const struct observed_reading *r)
{
	bool is_first = !is_told(last->wear);

	if (!is_told(r->wear) || r->wear <= last->wear)
		return;
	row->wear = r->wear;
	row->wear_since_s = !is_first && r->at_s - last->last_s <= DAY_S ? r->at_s : 0;
	row->wear_since_written = row->wear_since_s ? row->written : NAN;
}

static void take_words(struct history_row *row, const struct observed_reading *r)
{
	if (*r->firmware)
		text_copy(row->firmware, sizeof row->firmware, r->firmware);
	if (*r->wear_page)
		text_copy(row->wear_page, sizeof row->wear_page, r->wear_page);
	if (*r->written_page)
		text_copy(row->written_page, sizeof row->written_page, r->written_page);
}

static int32_t day_of(int64_t at_s)
{
	return (int32_t)(at_s / DAY_S);
}

/* Of what is older than KEPT_WHOLE_DAYS one row in THINNED_DAYS is enough, but for the ends of each series. */
static void thin(struct observed *o)
{
	int32_t newest = last_of(o)->day;
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++) {
		const struct history_row *row = &o->rows[i], *next = row + 1;
		bool is_end = i == 0 || i + 1 == o->n || o->rows[i - 1].series != row->series || next->series != row->series;

		if (is_end || newest - row->day <= KEPT_WHOLE_DAYS || row->day / THINNED_DAYS != next->day / THINNED_DAYS)
			o->rows[n++] = *row;
	}
	o->n = n;
	if (n > ROWS_MAX) {
		o->n = ROWS_MAX;
		memmove(o->rows, o->rows + n - ROWS_MAX, ROWS_MAX * sizeof *o->rows);
	}
}

static enum observed_news begin_series(struct observed *o, const struct observed_reading *r)
{
	const struct history_row *last = last_of(o);
	int64_t series = last && last->series >= r->at_s ? last->series + 1 : r->at_s;
	struct history_row *row = add_row(o);

	if (!row)
		return OBSERVED_NOTHING;
	*row = (struct history_row){ .series = series, .day = day_of(r->at_s), .first_s = r->at_s, .last_s = r->at_s,
				     .wear = r->wear, .wear_since_written = NAN, .written = r->written,
				     .nand_written = r->nand_written, .power_on_s = r->power_on_s };
	take_words(row, r);
	thin(o);
	return OBSERVED_NEW_ROW;
}

static enum observed_news go_on(struct observed *o, const struct observed_reading *r)
{
	struct history_row last = *last_of(o), *row = last_of(o);
	bool is_new_day = day_of(r->at_s) != last.day;

	if (is_new_day) {
		row = add_row(o);
		if (!row)
			return OBSERVED_NOTHING;
		*row = last;
		row->day = day_of(r->at_s);
		row->first_s = r->at_s;
	}
	row->last_s = r->at_s;
	row->written = later_of(last.written, r->written);
	row->nand_written = later_of(last.nand_written, r->nand_written);
	row->power_on_s = later_of(last.power_on_s, r->power_on_s);
	take_wear(row, &last, r);
	take_words(row, r);
	if (is_new_day)
		thin(o);
	return is_new_day ? OBSERVED_NEW_ROW : OBSERVED_SAME_DAY;
}

/* A drive that tells nonsense begins no more of them. */
static bool is_full(const struct observed *o, const struct observed_reading *r)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++)
		n += o->rows[i].day == day_of(r->at_s);
	return n >= SERIES_A_DAY;
}

/* The clock goes back: what it called later is not to be compared with what is to come, but it may go forward again (a host whose
 * clock is set only when the network is there). */
static void put_later_rows_aside(struct observed *o, int64_t at_s)
{
	while (o->n && last_of(o)->last_s > at_s) {
		if (ARRAY_GROW(o->aside, o->room_aside, o->n_aside))
			o->aside[o->n_aside++] = *last_of(o);
		o->n--;
	}
}

static void take_rows_back(struct observed *o, int64_t at_s)
{
	size_t n = 0;

	for (size_t i = 0; i < o->n_aside; i++)
		if (o->aside[i].last_s > at_s || observed_merge(o, &o->aside[i], 1))
			o->aside[n++] = o->aside[i];
	o->n_aside = n;
}

/* The clock jumped; what it called later is put aside, and what it called so before and no longer does comes back. Does a new series
 * begin? Not after a restart, if what is left goes on: then the wrong clock was another day's. */
static bool follow_clock(struct observed *o, const struct observed_reading *r)
{
	size_t n = o->n;

	put_later_rows_aside(o, r->at_s);
	take_rows_back(o, r->at_s);
	return o->has_clock_offset || !o->n || o->n == n;
}

enum observed_news observed_take(struct observed *o, const struct observed_reading *r, enum observed_break *ret_break)
{
	const struct history_row *last = last_of(o);
	enum observed_break b = BREAK_NONE;

	*ret_break = BREAK_NONE;
	if (r->at_s < OBSERVED_CLOCK_SET_S)
		return OBSERVED_NOTHING;
	if (last && has_clock_jumped(o, last, r))
		b = follow_clock(o, r) ? BREAK_CLOCK : BREAK_NONE;
	last = last_of(o);
	if (last && !b)
		b = break_of(last, r);
	if (!is_confirmed(o, b, r) || (last && !b && r->at_s <= last->last_s) || (b && is_full(o, r)))
		return OBSERVED_NOTHING;
	o->clock_offset_s = r->clock_offset_s;
	o->has_clock_offset = true;
	if (last && !b)
		return go_on(o, r);
	*ret_break = b;
	return begin_series(o, r);
}

static int by_time(const void *a, const void *b)
{
	const struct history_row *x = a, *y = b;

	if (x->last_s != y->last_s)
		return x->last_s < y->last_s ? -1 : 1;
	return x->series < y->series ? -1 : x->series > y->series;
}

static bool has_row(const struct observed *o, const struct history_row *row)
{
	for (size_t i = 0; i < o->n; i++)
		if (o->rows[i].day == row->day && o->rows[i].series == row->series)
			return true;
	return false;
}

int observed_merge(struct observed *o, const struct history_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct history_row *row;

		if (has_row(o, &rows[i]))
			continue;
		row = add_row(o);
		if (!row)
			return -ENOMEM;
		*row = rows[i];
	}
	if (o->n)
		qsort(o->rows, o->n, sizeof *o->rows, by_time);
	return 0;
}

void observed_free(struct observed *o)
{
	free(o->rows);
	free(o->aside);
	*o = (struct observed){ 0 };
}

/* ---- what follows from them */

static double quantity_of(const struct history_row *row, enum observed_quantity q)
{
	return q == OBSERVED_WRITTEN ? row->written : q == OBSERVED_NAND_WRITTEN ? row->nand_written : row->power_on_s;
}

/* The part of what came between two rows that is within the time asked for, taken as even. */
static void add_between(struct observed_rate *sum, const struct history_row *a, const struct history_row *b,
			enum observed_quantity q, int64_t from_s, int64_t to_s)
{
	int64_t begin = a->last_s > from_s ? a->last_s : from_s, end = b->last_s < to_s ? b->last_s : to_s;
	double part;

	if (end <= begin)
		return;
	part = (double)(end - begin) / (double)(b->last_s - a->last_s);
	sum->amount += part * (quantity_of(b, q) - quantity_of(a, q));
	sum->seconds += (double)(end - begin);
}

struct observed_rate observed_rate(const struct observed *o, enum observed_quantity q, int64_t from_s, int64_t to_s)
{
	struct observed_rate sum = { 0 };
	const struct history_row *before = NULL;

	for (size_t i = 0; i < o->n; i++) {
		const struct history_row *row = &o->rows[i];

		if (!is_told(quantity_of(row, q)))
			continue;
		if (before && before->series == row->series && row->last_s > before->last_s)
			add_between(&sum, before, row, q, from_s, to_s);
		before = row;
	}
	return sum;
}

struct observed_point *observed_points(const struct observed *o, size_t *ret_n)
{
	struct observed_point *points = o->n ? calloc(o->n, sizeof *points) : NULL;
	size_t n = 0;

	for (size_t i = 0; i < o->n && points; i++) {
		const struct history_row *row = &o->rows[i];

		if (row->series != last_of(o)->series || !row->wear_since_s || (n && row->wear <= points[n - 1].wear))
			continue;
		points[n++] = (struct observed_point){ row->wear_since_s, row->wear, row->wear_since_written };
	}
	*ret_n = n;
	return points;
}

/* Only where a series ends can a counter have changed. */
static bool is_border(const struct observed *o, size_t i)
{
	return i > 0 && o->rows[i].series != o->rows[i - 1].series;
}

bool observed_wear_began_anew(const struct observed *o)
{
	for (size_t i = 1; i < o->n; i++) {
		const struct history_row *before = &o->rows[i - 1], *row = &o->rows[i];

		if (is_border(o, i) &&
		    ((is_other(before->wear_page, row->wear_page) && fabs(row->wear - before->wear) > wear_fall) ||
		     has_wear_jumped(before, row->wear, row->written, row->first_s - before->last_s,
				     is_other(before->firmware, row->firmware))))
			return true;
	}
	return false;
}

/* A counter that began at zero again: it may have come some way by the time it is read. One that new firmware counts in another unit
 * has lost nothing. */
static bool is_reset(const struct history_row *before, const struct history_row *row)
{
	return row->written < 0.5 * before->written && !is_other(before->firmware, row->firmware) &&
	       !is_other(before->written_page, row->written_page);
}

static double lost_at(const struct observed *o, size_t i)
{
	return is_border(o, i) && is_reset(&o->rows[i - 1], &o->rows[i]) ? o->rows[i - 1].written : 0;
}

double observed_written_lost(const struct observed *o)
{
	double lost = 0;

	for (size_t i = 0; i < o->n; i++)
		lost += lost_at(o, i);
	return lost;
}

int64_t observed_written_reached_s(const struct observed *o, double bytes, int64_t *ret_first_s, double *ret_written)
{
	double lost = 0;

	for (size_t i = 0; i < o->n; i++) {
		const struct history_row *row = &o->rows[i], *before = i ? row - 1 : NULL;

		lost += lost_at(o, i);
		if (!(row->written + lost >= bytes))
			continue;
		*ret_first_s = row->first_s;
		*ret_written = row->written + lost;
		if (!before || before->series != row->series || !(before->written < row->written))
			return before ? row->last_s : 0;
		return before->last_s + (int64_t)((bytes - lost - before->written) / (row->written - before->written) *
						  (double)(row->last_s - before->last_s));
	}
	return 0;
}
