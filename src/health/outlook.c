#include "health/outlook.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"

enum { MIN_AGE_S = 7 * DAY_S, DUTY_AFTER_S = 14 * DAY_S, WEEK_S = 7 * DAY_S, WEEKS_MAX = 52, WEEKS_MIN = 4, WEEKS_POOLED = 12,
       WEEKEND_S = 4 * DAY_S /* what is left may end with one, or begin */ };

static const double beyond_s = 20.0 * 365 * DAY_S;
/* Below this a whole life follows from a step or two: it may be wrong by half. */
static const double wear_min = 0.02, wear_per_byte_min = 0.05;
/* Bounds that are wider than this, on either side, or than a step, say too little to be told. */
static const double half_width_max = 0.05;
static const double amplification_min_bytes = 1e9;

static const int64_t window_s[N_OUTLOOK_WINDOWS] = { [OUTLOOK_30D] = 30 * DAY_S, [OUTLOOK_7D] = 7 * DAY_S };
/* So much of it must have been observed. */
static const double window_part = 0.9;

const char *outlook_basis_name(enum outlook_basis basis)
{
	static const char *const names[N_OUTLOOK_BASES] = { "indicator", "rated", "earliest" };

	return names[basis];
}

const char *outlook_window_name(enum outlook_window window)
{
	static const char *const names[N_OUTLOOK_WINDOWS] = { "lifetime", "30d", "7d" };

	return names[window];
}

/* All that the rules below need, worked out once. */
struct view {
	const struct observed *o;
	const struct outlook_now *now;
	double age_s;			/* since it was first on; NaN */
	double written;			/* in all, with what the counter has lost */
	double per_s[N_OUTLOOK_WINDOWS];	/* bytes written; NaN */
	double pace[N_FORECAST_WINDOWS];	/* the same for forecasts: of the 30 days four whole weeks, or weekends tip it */
	double scatter[N_FORECAST_WINDOWS];	/* of that, relative: 95 % lie within twice as much; NaN */
	struct observed_point *points;
	size_t n_points;
	double step;			/* the indicator's least change */
	bool is_wear_anew;
};

/* A straight line: how much is used now, and how fast it goes. */
struct line {
	double used, per_s, scatter, step;	/* scatter: of per_s, relative: 95 % lie within twice as much; NaN: not known */
};

static const struct line no_line = { NAN, NAN, NAN, NAN };

/* ---- age and rates */

static const struct history_row *first_power_on(const struct observed *o)
{
	for (size_t i = 0; i < o->n; i++)
		if (!isnan(o->rows[i].power_on_s))
			return &o->rows[i];
	return NULL;
}

/* The drive counts the time that it is on; from our own clock follows how much of the time that is. Before anybody looked it
 * is taken to have been as it was since. A clock of the drive's that runs in another unit is set right by that, too. */
static double age_of(const struct observed *o, const struct outlook_now *now)
{
	const struct history_row *first = first_power_on(o);
	struct observed_rate on;
	double duty = 1;

	if (isnan(now->power_on_s) || now->is_power_on_wrong)
		return NAN;
	if (!first)
		return now->power_on_s;
	on = observed_rate(o, OBSERVED_POWER_ON, first->last_s, now->at_s);
	if (on.seconds >= DUTY_AFTER_S && on.amount > 0)
		duty = on.amount / on.seconds;
	if (fabs(duty - 1) < 0.05)	/* it counts whole hours */
		duty = 1;
	return first->power_on_s / duty + (double)(now->at_s - first->last_s);
}

static double written_in(const struct view *v, int64_t seconds)
{
	struct observed_rate r = observed_rate(v->o, OBSERVED_WRITTEN, v->now->at_s - seconds, v->now->at_s);

	return r.seconds >= window_part * (double)seconds ? r.amount / r.seconds : NAN;
}

/* Student's factor for 97.5 % of n values; by the normal distribution it would be 1.96. */
static double student(size_t n)
{
	static const double factors[] = { 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26 };

	return n - 2 < ARRAY_SIZE(factors) ? factors[n - 2] : 2.2;
}

/* How far the mean of `of` such values may be off, by half of what 95 % lie within, as part of the mean; NaN of less than two values,
 * or about nothing. */
static double scatter_of(const double *values, size_t n, size_t of)
{
	double sum = 0, squares = 0, mean;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	mean = sum / (double)n;
	if (n < 2 || !(mean > 0))
		return NAN;
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	return sqrt(squares / (double)(n - 1) / (double)of) / mean * student(n) / 2;
}

/* Weeks, since a host's days differ: how much does the mean of `of` of them scatter, by so many? 0: of all. */
static double weekly_scatter(const struct view *v, size_t weeks, size_t of)
{
	double per_s[WEEKS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < weeks; i++) {
		int64_t end = v->now->at_s - (int64_t)i * WEEK_S;
		struct observed_rate r = observed_rate(v->o, OBSERVED_WRITTEN, end - WEEK_S, end);

		if (r.seconds >= window_part * WEEK_S)
			per_s[n++] = r.amount / r.seconds;
	}
	return n >= WEEKS_MIN ? scatter_of(per_s, n, of ? of : n) : NAN;
}

/* An average that ends amid a week has a weekend too many or too few: a day and a half of it. */
static double amid_week(double seconds)
{
	return 0.75 * DAY_S / seconds;
}

static void fill_rates(struct view *v)
{
	v->per_s[OUTLOOK_LIFETIME] = v->age_s >= MIN_AGE_S ? v->written / v->age_s : NAN;
	v->per_s[OUTLOOK_30D] = written_in(v, window_s[OUTLOOK_30D]);
	v->per_s[OUTLOOK_7D] = written_in(v, window_s[OUTLOOK_7D]);
	v->pace[OUTLOOK_LIFETIME] = v->per_s[OUTLOOK_LIFETIME];
	v->pace[OUTLOOK_30D] = isnan(v->per_s[OUTLOOK_30D]) ? NAN : written_in(v, WEEKS_MIN * WEEK_S);
	v->scatter[OUTLOOK_LIFETIME] = hypot(weekly_scatter(v, WEEKS_MAX, 0), amid_week(v->age_s));
	/* Four weeks may agree by chance, so those before have a say. */
	v->scatter[OUTLOOK_30D] = fmax(weekly_scatter(v, WEEKS_MIN, WEEKS_MIN), weekly_scatter(v, WEEKS_POOLED, WEEKS_MIN));
}

/* ---- the indicator as a staircase */

static bool is_whole_percent(double ratio)
{
	return isnan(ratio) || fabs(ratio * 100 - round(ratio * 100)) < 1e-6;
}

static double step_of(const struct observed *o, double wear)
{
	static const double coarse = 0.01, fine = 1e-6;
	bool is_coarse = is_whole_percent(wear);

	for (size_t i = 0; i < o->n && is_coarse; i++)
		is_coarse = o->rows[i].series != o->rows[o->n - 1].series || is_whole_percent(o->rows[i].wear);
	return is_coarse ? coarse : fine;
}

/* It is larger where a drive tells its wear now and then only, as at power cycles. */
static double least_rise(const struct view *v, double step)
{
	double least = INFINITY;

	for (size_t i = 1; i < v->n_points; i++)
		least = fmin(least, v->points[i].wear - v->points[i - 1].wear);
	return v->n_points > 2 && least > step ? least : step;
}

static const struct observed_point *newest(const struct view *v)
{
	return v->n_points ? &v->points[v->n_points - 1] : NULL;
}

enum { TIME, WRITTEN };

static double abscissa(const struct observed_point *p, int by)
{
	return by == TIME ? (double)p->at_s : p->written;
}

/* Wear by time, or by bytes written, from one point to the last: each is the begin of a step, so what is between them is
 * known to the step, whichever way the drive rounds. */
static double slope_from(const struct view *v, size_t first, int by, double *ret_scatter)
{
	AUTO_FREE double *parts = calloc(v->n_points + 1, sizeof *parts);
	const struct observed_point *p = v->points;
	size_t last = v->n_points - 1, n = 0;

	for (size_t i = first; parts && i < last; i++)
		if (abscissa(&p[i + 1], by) > abscissa(&p[i], by))
			parts[n++] = (abscissa(&p[i + 1], by) - abscissa(&p[i], by)) / (p[i + 1].wear - p[i].wear);
	*ret_scatter = parts ? scatter_of(parts, n, n) : NAN;
	return (p[last].wear - p[first].wear) / (abscissa(&p[last], by) - abscissa(&p[first], by));
}

/* Wear per byte written of late: over five steps where there are so many. */
static double wear_per_byte(const struct view *v, double *ret_scatter)
{
	enum { STEPS = 5 };
	static const double percent = 0.01, nearly_a_step = 0.95 * 0.01;	/* most indicators count percents */
	const struct observed_point *last = newest(v);
	size_t first = v->n_points;

	*ret_scatter = NAN;
	if (last && !isnan(last->written))
		for (size_t i = v->n_points - 1; i-- > 0;) {
			if (isnan(v->points[i].written) || !(v->points[i].written < last->written))
				break;
			first = i;
			if (last->wear - v->points[i].wear >= (STEPS - 0.5) * percent)
				break;
		}
	if (first < v->n_points && last->wear - v->points[first].wear > nearly_a_step)
		return slope_from(v, first, WRITTEN, ret_scatter);
	if (v->is_wear_anew || !(v->now->wear >= wear_per_byte_min) || !(v->written > 0))
		return NAN;
	*ret_scatter = v->step / v->now->wear / 2;
	return last && last->wear == v->now->wear && last->written > 0
	       ? last->wear / (last->written + v->written - v->now->written) : v->now->wear / v->written;
}

/* At most a step more than it shows, or the next one would have come. */
static double within_step(const struct view *v, double used)
{
	double most = v->now->wear + v->step;

	return used < v->now->wear ? v->now->wear : used > most ? most : used;
}

static struct line line_by_bytes(const struct view *v, enum outlook_window window)
{
	const struct observed_point *last = newest(v);
	struct line l = { .step = v->step, .used = v->now->wear };
	double scatter, per_byte = wear_per_byte(v, &scatter);

	l.per_s = per_byte * v->pace[window];
	l.scatter = hypot(scatter, v->scatter[window]);
	if (last && last->wear == v->now->wear && v->now->written > last->written)
		l.used = within_step(v, last->wear + per_byte * (v->now->written - last->written));
	return l;
}

/* From the point `first` on. A step that is overdue says that it goes slower by now. */
static struct line line_by_points(const struct view *v, size_t first)
{
	const struct observed_point *last = newest(v), *begin = &v->points[first];
	struct line l = { .step = v->step };
	double most = (v->now->wear + v->step - begin->wear) / (double)(v->now->at_s - begin->at_s);

	l.per_s = fmin(slope_from(v, first, TIME, &l.scatter), most);
	l.used = within_step(v, last->wear + l.per_s * (double)(v->now->at_s - last->at_s));
	return l;
}

/* From its first day on, on which it was new. */
static struct line line_from_birth(const struct view *v)
{
	const struct observed_point *last = newest(v);
	bool is_step_known = last && last->wear == v->now->wear;
	double since = is_step_known ? (double)(v->now->at_s - last->at_s) : 0;
	struct line l = { .step = v->step };

	if (!(v->age_s - since >= MIN_AGE_S) || !(v->now->wear >= wear_min))
		return no_line;
	l.per_s = fmin(v->now->wear / (v->age_s - since), (v->now->wear + v->step) / v->age_s);
	l.used = within_step(v, v->now->wear + l.per_s * since);
	/* It may be a step more or less, for what is left as well; and nobody knows how even the life was that was not seen. */
	l.scatter = hypot(v->step / v->now->wear / (1 - v->now->wear) / 2, v->scatter[OUTLOOK_LIFETIME]);
	return l;
}

enum { POINTS_SINCE_NEW = 2, POINTS_ANEW = 3, POINTS_IN_WINDOW = 3 };

/* All steps but a few were seen. */
static bool is_seen_since_new(const struct view *v)
{
	const struct history_row *first = v->o->n ? &v->o->rows[0] : NULL;

	return first && first->series == v->o->rows[v->o->n - 1].series &&
	       v->age_s - (double)(v->now->at_s - first->last_s) <= 0.05 * v->age_s;
}

static bool is_line(struct line l)
{
	return !isnan(l.used) && !isnan(l.per_s);
}

/* Between two steps that were seen lies one, whichever way the drive rounds; its first one may show too much. */
static struct line line_since_new(const struct view *v)
{
	struct line l = no_line;

	if (v->n_points < POINTS_SINCE_NEW)
		return l;
	l = line_by_points(v, 0);
	l.scatter = hypot(l.scatter, amid_week((double)(newest(v)->at_s - v->points[0].at_s)));
	return l;
}

static struct line indicator_of_life(const struct view *v)
{
	struct line l;

	if (v->age_s < MIN_AGE_S)
		return no_line;
	if (!v->is_wear_anew && is_seen_since_new(v))
		return line_since_new(v);
	if (!v->is_wear_anew)
		return line_from_birth(v);
	l = line_by_bytes(v, OUTLOOK_LIFETIME);
	return is_line(l) || v->n_points < POINTS_ANEW ? l : line_by_points(v, 0);
}

static size_t first_point_since(const struct view *v, int64_t at_s)
{
	size_t i = 0;

	while (i < v->n_points && v->points[i].at_s < at_s)
		i++;
	return i;
}

static bool is_observed(const struct view *v, int64_t seconds)
{
	const struct observed *o = v->o;

	for (size_t i = 0; i < o->n; i++)
		if (o->rows[i].series == o->rows[o->n - 1].series)
			return v->now->at_s - o->rows[i].first_s >= (int64_t)(window_part * (double)seconds);
	return false;
}

/* In the last 30 days. Where no step came in that time, and a step in that time would be twenty years, it is as good as never. */
static struct line indicator_of_window(const struct view *v)
{
	int64_t window = window_s[OUTLOOK_30D];
	struct line l = line_by_bytes(v, OUTLOOK_30D);
	size_t first;

	if (is_line(l) || !is_observed(v, window))
		return l;
	first = first_point_since(v, v->now->at_s - window);
	if (v->n_points - first >= POINTS_IN_WINDOW)
		return line_by_points(v, first);
	if (v->n_points == first && (1 - v->now->wear) / v->step * (double)window > beyond_s)
		return (struct line){ v->now->wear, 0, NAN, v->step };
	return no_line;
}

/* Too little is used to say when, but enough time has passed to say not for long: at one step more it would be so still. */
static bool is_far_away(const struct view *v)
{
	double most = v->now->wear + v->step;

	return !v->is_wear_anew && v->age_s >= MIN_AGE_S && (1 - most) / most * v->age_s > beyond_s;
}

/* ---- dates */

static double floor_day(double at_s)
{
	return floor(at_s / DAY_S) * DAY_S;
}

static double ceil_day(double at_s)
{
	return ceil(at_s / DAY_S) * DAY_S;
}

static const struct outlook_date no_date = { NAN, NAN, NAN };

static double or_beyond(const struct view *v, double at_s)
{
	return at_s - (double)v->now->at_s > beyond_s ? INFINITY : at_s;
}

static struct outlook_date date_of(const struct view *v, struct line l)
{
	double left = (1 - l.used) / l.per_s, at = (double)v->now->at_s + left;
	double step = l.step / l.per_s, half = fmax(step / 2, 2 * l.scatter * left);
	struct outlook_date date = { floor_day(at), NAN, NAN };

	if (!is_line(l))
		return no_date;
	if (!(l.per_s > 0))
		return (struct outlook_date){ INFINITY, NAN, NAN };
	if (!isnan(l.scatter) && half <= fmax(half_width_max * left, step)) {
		date.earliest = or_beyond(v, floor_day(at - half));
		date.latest = or_beyond(v, ceil_day(at + half));
	}
	date.at = or_beyond(v, date.at);
	return date;
}

/* The day on which it was used up. Where that was not seen, as the average of its life up to the first reading that was past it, used
 * then; where its age is not known, the day of that reading. Both stay what they are. */
static struct outlook_date date_passed(const struct view *v, int64_t seen_s, int64_t first_s, double used)
{
	double at = seen_s ? (double)seen_s : (double)first_s;
	double age = v->age_s - (double)(v->now->at_s - first_s);

	if (!seen_s && age > 0)
		at -= (used - 1) / used * age;
	return (struct outlook_date){ floor_day(at), NAN, NAN };
}

/* When the indicator reached 1, between two points where it passed it; 0: not seen. */
static int64_t indicator_reached_s(const struct view *v)
{
	size_t i = 0;

	while (i < v->n_points && v->points[i].wear < 1)
		i++;
	if (i == v->n_points)
		return 0;
	if (v->points[i].wear <= 1 + v->step / 2)
		return v->points[i].at_s;
	if (!i)
		return 0;
	return v->points[i - 1].at_s + (int64_t)((1 - v->points[i - 1].wear) / (v->points[i].wear - v->points[i - 1].wear) *
						 (double)(v->points[i].at_s - v->points[i - 1].at_s));
}

static struct outlook_date indicator_passed(const struct view *v)
{
	for (size_t i = 0; i < v->o->n; i++)
		if (v->o->rows[i].wear >= 1)
			return date_passed(v, indicator_reached_s(v), v->o->rows[i].first_s, v->o->rows[i].wear);
	return date_passed(v, 0, v->now->at_s, v->now->wear);
}

static struct outlook_date rating_passed(const struct view *v)
{
	double rated = v->now->rated_bytes, written;
	int64_t first_s = 0, seen_s = observed_written_reached_s(v->o, rated, &first_s, &written);

	return first_s ? date_passed(v, seen_s, first_s, written / rated) : date_passed(v, 0, v->now->at_s, v->written / rated);
}

static void fill_indicator(const struct view *v, struct outlook_date dates[N_FORECAST_WINDOWS])
{
	if (isnan(v->now->wear))
		return;
	if (v->now->wear >= 1) {
		dates[OUTLOOK_LIFETIME] = dates[OUTLOOK_30D] = indicator_passed(v);
		return;
	}
	dates[OUTLOOK_LIFETIME] = date_of(v, indicator_of_life(v));
	if (isnan(dates[OUTLOOK_LIFETIME].at) && is_far_away(v))
		dates[OUTLOOK_LIFETIME].at = INFINITY;
	dates[OUTLOOK_30D] = date_of(v, indicator_of_window(v));
}

static struct line rated_line(const struct view *v, enum outlook_window window)
{
	double per_s = v->pace[window] / v->now->rated_bytes;

	return (struct line){ v->written / v->now->rated_bytes, per_s, v->scatter[window], per_s * WEEKEND_S };
}

static void fill_rated(const struct view *v, struct outlook_date dates[N_FORECAST_WINDOWS])
{
	if (!(v->now->rated_bytes > 0) || isnan(v->written))
		return;
	if (v->written >= v->now->rated_bytes) {
		dates[OUTLOOK_LIFETIME] = dates[OUTLOOK_30D] = rating_passed(v);
		return;
	}
	for (int w = 0; w < N_FORECAST_WINDOWS; w++)
		dates[w] = date_of(v, rated_line(v, (enum outlook_window)w));
}

static struct outlook_date earlier(struct outlook_date a, struct outlook_date b)
{
	return isnan(b.at) || a.at <= b.at ? a : b;
}

/* ---- all of it */

static double amplification_in(const struct view *v, enum outlook_window window)
{
	struct observed_rate host, nand;
	int64_t from_s = v->now->at_s - window_s[window];

	if (window == OUTLOOK_LIFETIME)
		return v->now->written >= amplification_min_bytes && v->written == v->now->written
		       ? v->now->nand_written / v->now->written : NAN;
	host = observed_rate(v->o, OBSERVED_WRITTEN, from_s, v->now->at_s);
	nand = observed_rate(v->o, OBSERVED_NAND_WRITTEN, from_s, v->now->at_s);
	if (host.seconds < window_part * (double)window_s[window] || nand.seconds < window_part * (double)window_s[window] ||
	    host.amount < amplification_min_bytes)
		return NAN;
	return nand.amount / nand.seconds / (host.amount / host.seconds);
}

double outlook_rated_used(const struct observed *o, const struct outlook_now *now)
{
	return now->rated_bytes > 0 ? (now->written + observed_written_lost(o)) / now->rated_bytes : NAN;
}

struct outlook outlook_of(const struct observed *o, const struct outlook_now *now)
{
	struct view v = { .o = o, .now = now, .age_s = age_of(o, now), .written = now->written + observed_written_lost(o),
			  .step = step_of(o, now->wear), .is_wear_anew = observed_wear_began_anew(o) };
	struct outlook out;

	v.points = observed_points(o, &v.n_points);
	v.step = least_rise(&v, v.step);
	fill_rates(&v);
	for (size_t b = 0; b < N_OUTLOOK_BASES; b++)
		for (size_t w = 0; w < N_FORECAST_WINDOWS; w++)
			out.dates[b][w] = no_date;
	if (now->at_s >= OBSERVED_CLOCK_SET_S) {	/* or no day can be told */
		fill_indicator(&v, out.dates[OUTLOOK_INDICATOR]);
		fill_rated(&v, out.dates[OUTLOOK_RATED]);
	}
	for (size_t w = 0; w < N_FORECAST_WINDOWS; w++)
		out.dates[OUTLOOK_EARLIEST][w] = earlier(out.dates[OUTLOOK_RATED][w], out.dates[OUTLOOK_INDICATOR][w]);
	for (enum outlook_window w = 0; w < N_OUTLOOK_WINDOWS; w++) {
		out.written_per_day[w] = v.per_s[w] * DAY_S;
		out.amplification[w] = amplification_in(&v, w);
	}
	out.rated_used = outlook_rated_used(o, now);
	free(v.points);
	return out;
}
