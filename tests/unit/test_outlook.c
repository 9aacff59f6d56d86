/* Lives of drives, played hour by hour: what is said of their end on the way, against when it came. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "health/outlook.h"
#include "unit.h"

enum { HOUR_S = 3600 };

#define START_S INT64_C(1767225600)	/* 2026-01-01 */
#define TB 1e12

/* What a drive is, and how it is used. */
struct life {
	const char *name;
	double rated_tb, years;			/* at load 1 the rating is written in so many years */
	double wear_at_rated;			/* the indicator then */
	double step;				/* of the indicator; 0: a millionth */
	bool is_rounded_up, has_no_written, has_no_power_on;
	double (*load)(double day);		/* 1: as rated; NULL: always */
	double seen_from;			/* the host is set up on this day of its life */
	double duty;				/* part of the time it is on; 0: all of it */
	int born_hour;				/* of a UTC day */
	double firmware_day, wear_after;	/* new firmware: the indicator goes on from there, at the same pace */
};

struct moment {
	double day;
	struct outlook at;
	double wear, written;
};

enum { MOMENTS = 8000 };

/* One life, and the outlook of each of its days. */
struct played {
	struct moment moments[MOMENTS];
	size_t n;
	double wear_end, rated_end;		/* days on which the indicator shows 1, and the rating is written; NaN: never */
	struct observed seen;
};

static double shown(const struct life *l, double wear)
{
	double step = l->step > 0 ? l->step : 1e-6, steps = wear / step + 1e-9;

	return step * (l->is_rounded_up ? ceil(steps) : floor(steps));
}

static struct outlook_now now_of(const struct life *l, double day, double wear, double written, double on_s)
{
	return (struct outlook_now){
		.at_s = START_S + l->born_hour * HOUR_S + (int64_t)(day * DAY_S),
		.wear = shown(l, wear), .written = l->has_no_written ? NAN : written,
		.nand_written = NAN, .power_on_s = l->has_no_power_on ? NAN : floor(on_s / HOUR_S) * HOUR_S,
		.rated_bytes = l->rated_tb * TB,
	};
}

static void look(const struct life *l, struct played *p, double day, const struct outlook_now *now, bool is_new_firmware)
{
	struct observed_reading r = { .at_s = now->at_s, .clock_offset_s = START_S, .wear = now->wear, .written = now->written,
				      .nand_written = NAN, .power_on_s = now->power_on_s, .wear_at_s = now->at_s,
				      .written_at_s = now->at_s, .power_on_at_s = now->at_s, .wear_page = "log page 0x11" };
	enum observed_break b;

	text_copy(r.firmware, sizeof r.firmware, is_new_firmware ? "0002" : "0001");
	(void)observed_take(&p->seen, &r, &b);
}

static void play(const struct life *l, double until_part, struct played *p)
{
	double per_day = l->rated_tb * TB / (l->years * 365), written = 0, wear = 0, on_s = 0, duty = l->duty > 0 ? l->duty : 1;
	double days = until_part * l->years * 365;
	bool is_new_firmware = false;

	*p = (struct played){ .wear_end = NAN, .rated_end = NAN };
	for (int hour = 1; hour <= (int)(days * 24) && p->n < MOMENTS; hour++) {
		double day = hour / 24.0, load = l->load ? l->load((hour - 0.5) / 24.0) : 1;
		struct outlook_now now;

		written += load * per_day / 24;
		wear += load * per_day / 24 / (l->rated_tb * TB) * l->wear_at_rated;
		on_s += HOUR_S * duty;
		if (l->firmware_day > 0 && !is_new_firmware && day >= l->firmware_day) {
			is_new_firmware = true;
			wear = l->wear_after;
		}
		if (isnan(p->wear_end) && shown(l, wear) >= 1)
			p->wear_end = day;
		if (isnan(p->rated_end) && written >= l->rated_tb * TB)
			p->rated_end = day;
		if (day < l->seen_from)
			continue;
		now = now_of(l, day, wear, written, on_s);
		look(l, p, day, &now, is_new_firmware);
		if (hour % 24 == 0)
			p->moments[p->n++] = (struct moment){ day, outlook_of(&p->seen, &now), now.wear, written };
	}
	observed_free(&p->seen);
}

static const struct moment *moment_of(const struct played *p, double day)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->moments[i].day >= day)
			return &p->moments[i];
	return &p->moments[p->n - 1];
}

/* ---- what is asked of a forecast */

static const char *const basis_names[] = { "indicator", "rated" };

static double day_of(double at)
{
	return (at - (double)START_S) / DAY_S;
}

/* So much of the time that was really left may it be wrong by. */
static void assert_near(const struct life *l, const struct moment *m, int basis, enum outlook_window window, double end, double part)
{
	const struct outlook_date *date = &m->at.dates[basis][window];
	double said = day_of(date->at) - m->day, left = end - m->day;

	if (fabs(said - left) > part * left + 1)
		fail_msg("%s, day %.0f, %s over %s: %.1f days are left, said was %.1f", l->name, m->day, basis_names[basis],
			 outlook_window_name(window), left, said);
}

/* A bound is a whole day, and no wider apart than a tenth of what is left or two steps. */
static void assert_within_bounds(const struct life *l, const struct moment *m, int basis, enum outlook_window window, double end,
				 double step_days)
{
	const struct outlook_date *date = &m->at.dates[basis][window];
	double width = (date->latest - date->earliest) / DAY_S, most = fmax(0.1 * (end - m->day), 2 * step_days);

	if (!(day_of(date->earliest) <= end && end <= day_of(date->latest)))
		fail_msg("%s, day %.0f, %s over %s: it ended on day %.1f, bounds were %.1f and %.1f", l->name, m->day,
			 basis_names[basis], outlook_window_name(window), end, day_of(date->earliest), day_of(date->latest));
	if (width > most + 2)
		fail_msg("%s, day %.0f: the bounds are %.1f days apart", l->name, m->day, width);
}

/* The drives this project was asked for first: rating, years, and the indicator's step. */
static const struct life seeds[] = {
	{ "ST800FM0043", 14600, 5, 1, .step = 0.01 },
	{ "ST400FM0053", 7300, 5, 1, .step = 0 },
	{ "ST200FM0053", 3650, 5, 1, .step = 0 },
	{ "ST400FM0093, 25 DWPD", 18250, 5, 1, .step = 0 },
	{ "SDLL1DLR016TCAA1", 8760, 5, 1, .step = 0.01 },
	{ "SDLL1DLR400GCCA1", 2190, 5, 1, .step = 0.01 },
	{ "HUSMM8080ASS200", 14600, 5, 1, .step = 0.01 },
	{ "HUSMM8020ASS200", 3650, 5, 1, .step = 0.01 },
	{ "HUSMH8080ASS200", 36500, 5, 1, .step = 0.01 },
	{ "HUSMR1010ASS200", 3650, 5, 1, .step = 0.01 },
	{ "ZA3840NM10001", 7000, 5, 1, .step = 0.01 },
	{ "ZA240NM10001", 438, 5, 1, .step = 0.01 },
	{ "PX02SMF040", 7300, 5, 1, .step = 0.01 },
	{ "PX02SSF040", 21900, 5, 1, .step = 0.01 },
	/* used up in a year, and slowly */
	{ "HUSMM8080ASS200 at 50 DWPD", 14600, 1, 1, .step = 0.01 },
	{ "ZA3840NM10001 at 0.5 DWPD", 7000, 10, 1, .step = 0.01 },
	/* an indicator that thinks otherwise than the rating, one that rounds up, and drives that tell less */
	{ "wears less than rated", 14600, 5, 0.7, .step = 0.01 },
	{ "wears more than rated", 14600, 5, 1.8, .step = 0.01 },
	{ "rounds up", 14600, 5, 1, .step = 0.01, .is_rounded_up = true },
	{ "tells no bytes", 14600, 2, 1, .step = 0.01, .has_no_written = true },
	{ "tells no power-on time", 14600, 5, 1, .step = 0.01, .has_no_power_on = true },
	{ "counts minutes as hours", 14600, 5, 1, .step = 0.01, .duty = 60 },
};

static struct played p;		/* large */

static bool is_said(const struct moment *m, int basis, int window)
{
	return !isnan(m->at.dates[basis][window].at);
}

/* At each tenth of its life: what was said 90 days before. */
static size_t check_tenths(const struct life *l, int basis)
{
	double end = basis == OUTLOOK_RATED ? p.rated_end : p.wear_end;
	double step = basis == OUTLOOK_RATED ? 1 : (l->step > 0 ? l->step : 0.001) * end;
	size_t n = 0;

	for (int tenth = 1; tenth <= 10; tenth++) {
		double day = end * tenth / 10 - 90;
		const struct moment *m = moment_of(&p, day);

		for (int w = 0; day >= 45 && w < N_FORECAST_WINDOWS; w++) {
			if (!is_said(m, basis, w))
				continue;
			assert_near(l, m, basis, (enum outlook_window)w, end, 0.05);
			assert_within_bounds(l, m, basis, (enum outlook_window)w, end, step);
			n++;
		}
	}
	return n;
}

static void steady_lives_end_when_it_was_said(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(seeds); i++) {
		size_t n;

		play(&seeds[i], seeds[i].wear_at_rated < 1 ? 1.6 : 1.1, &p);
		n = check_tenths(&seeds[i], OUTLOOK_INDICATOR) +
		    (seeds[i].has_no_written ? 0 : check_tenths(&seeds[i], OUTLOOK_RATED));
		if (n < 12)
			fail_msg("%s: only %zu forecasts were made", seeds[i].name, n);
	}
}

/* Past the end the date is that on which it came, and stays. */
static void a_drive_that_is_used_up_has_its_day_in_the_past(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(seeds); i++) {
		const struct moment *last;

		play(&seeds[i], 2, &p);
		last = &p.moments[p.n - 1];
		for (int w = 0; w < N_FORECAST_WINDOWS; w++) {
			assert_true(fabs(day_of(last->at.dates[OUTLOOK_INDICATOR][w].at) - p.wear_end) <= 15);
			if (!seeds[i].has_no_written)
				assert_true(fabs(day_of(last->at.dates[OUTLOOK_RATED][w].at) - p.rated_end) <= 15);
			assert_true(isnan(last->at.dates[OUTLOOK_INDICATOR][w].earliest));
		}
		assert_true(last->wear > 1);
		if (!seeds[i].has_no_written)
			assert_true(last->at.rated_used > 1.9);
	}
}

/* Rarely is it said of the last day that it was said of the one before: no forecast jumps from hour to hour. */
static void a_forecast_is_steady_under_a_steady_load(void **state)
{
	play(&seeds[0], 1, &p);
	for (size_t i = 60; i + 120 < p.n; i++)
		for (int w = 0; w < N_FORECAST_WINDOWS; w++) {
			double a = p.moments[i].at.dates[OUTLOOK_EARLIEST][w].at, b = p.moments[i + 1].at.dates[OUTLOOK_EARLIEST][w].at;

			assert_true(fabs(a - b) <= 0.02 * (p.wear_end - p.moments[i].day) * DAY_S);
		}
}

/* ---- lives that are not steady */

static double weekends(double day)
{
	return (int)day % 7 < 5 ? 1.3 : 0.25;
}

static double triples(double day)
{
	return day < 300 ? 1 : 3;
}

static double idles(double day)
{
	return day < 300 || day >= 360 ? 1 : 0;
}

static double varies(double day)	/* from day to day, between nothing and twice as much */
{
	return 2.0 * ((unsigned)day * 2654435761u >> 16 & 1023) / 1023;
}

struct step {
	struct life life;
	double day;			/* of the step */
	bool is_short_only;		/* the whole life's average cannot know of it */
};

static const struct step steps[] = {
	{ { "weekends", 14600, 5, 1, .step = 0.01, .load = weekends }, .day = 855 },
	{ { "weekends, fine", 7300, 5, 1, .step = 0, .load = weekends }, .day = 855 },
	{ { "varies", 14600, 5, 1, .step = 0.01, .load = varies }, .day = 855 },
	{ { "triples", 14600, 5, 1, .step = 0.01, .load = triples }, .day = 300, .is_short_only = true },
	{ { "triples, two years", 14600, 2, 1, .step = 0.01, .load = triples }, .day = 300, .is_short_only = true },
	{ { "triples, no bytes", 14600, 2, 1, .step = 0.01, .load = triples, .has_no_written = true }, .day = 300, .is_short_only = true },
	{ { "idles", 14600, 5, 1, .step = 0.01, .load = idles }, .day = 360 },
	{ { "idles, fine", 7300, 2, 1, .step = 0, .load = idles }, .day = 360 },
	{ { "idles, no bytes", 14600, 2, 1, .step = 0.01, .load = idles, .has_no_written = true }, .day = 360 },
	{ { "firmware, jump up", 14600, 5, 1, .step = 0.01, .firmware_day = 365, .wear_after = 0.35 }, .day = 365 },
	{ { "firmware, jump down", 14600, 5, 1, .step = 0.01, .firmware_day = 365, .wear_after = 0.02 }, .day = 365 },
	{ { "firmware, jump up, no bytes", 14600, 2, 1, .step = 0.01, .firmware_day = 365, .wear_after = 0.6, .has_no_written = true }, .day = 365 },
	{ { "firmware, small jump", 14600, 5, 1, .step = 0.01, .firmware_day = 365, .wear_after = 0.225 }, .day = 365 },
	{ { "firmware, small jump, no bytes", 14600, 2, 1, .step = 0.01, .firmware_day = 365, .wear_after = 0.53,
	    .has_no_written = true }, .day = 365 },
	{ { "fresh host", 14600, 5, 1, .step = 0.01, .seen_from = 800 }, .day = 800 },
	{ { "fresh host, on for two days of five", 14600, 5, 1, .step = 0.01, .seen_from = 800, .duty = 0.4 }, .day = 800 },
	{ { "fresh host, no power-on time", 14600, 5, 1, .step = 0.01, .seen_from = 800, .has_no_power_on = true }, .day = 800 },
	{ { "fresh host, no bytes", 14600, 5, 1, .step = 0.01, .seen_from = 800, .has_no_written = true }, .day = 800 },
};

static void lives_that_change_are_known_again_after_45_days(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		const struct step *s = &steps[i];
		const struct moment *m;
		size_t n = 0;

		play(&s->life, 1.6, &p);
		m = moment_of(&p, s->day + 45);
		for (int basis = 0; basis < 2; basis++)
			for (int w = s->is_short_only ? OUTLOOK_30D : 0; w < N_FORECAST_WINDOWS; w++)
				if (is_said(m, basis, w)) {
					assert_near(&s->life, m, basis, (enum outlook_window)w,
						    basis == OUTLOOK_RATED ? p.rated_end : p.wear_end, 0.2);
					n++;
				}
		if (!n)
			fail_msg("%s: nothing was said", s->life.name);
	}
}

/* While a firmware's new counter is young nothing is said from it, and nothing from the old one. */
static void after_a_jump_nothing_is_said_until_steps_were_seen(void **state)
{
	static const struct life l = { "jump", 14600, 5, 1, .step = 0.01, .firmware_day = 365, .wear_after = 0.35 };

	play(&l, 0.3, &p);
	assert_true(is_said(moment_of(&p, 364), OUTLOOK_INDICATOR, OUTLOOK_LIFETIME));
	assert_false(is_said(moment_of(&p, 367), OUTLOOK_INDICATOR, OUTLOOK_LIFETIME));
	assert_false(is_said(moment_of(&p, 367), OUTLOOK_INDICATOR, OUTLOOK_30D));
	assert_true(is_said(moment_of(&p, 367), OUTLOOK_RATED, OUTLOOK_LIFETIME));
}

static void two_readings_say_nothing_of_the_last_days(void **state)
{
	static const struct life l = { "young host", 14600, 5, 1, .step = 0.01, .seen_from = 800 };
	const struct moment *m;

	play(&l, 0.5, &p);
	m = moment_of(&p, 803);
	for (int basis = 0; basis < N_OUTLOOK_BASES; basis++)
		assert_false(is_said(m, basis, OUTLOOK_30D));
	assert_true(isnan(m->at.written_per_day[OUTLOOK_7D]));
	assert_true(isnan(m->at.written_per_day[OUTLOOK_30D]));
	assert_true(is_said(m, OUTLOOK_EARLIEST, OUTLOOK_LIFETIME));
}

static void of_a_new_drive_nothing_is_said(void **state)
{
	play(&seeds[0], 0.01, &p);
	for (int basis = 0; basis < N_OUTLOOK_BASES; basis++)
		for (int w = 0; w < N_FORECAST_WINDOWS; w++)
			assert_false(is_said(&p.moments[3], basis, w));
}

/* A fine indicator shows several steps on its first day, and the seven days hold all the same: where all of its life was seen,
 * because the UTC day on which it was new had only two hours left, and where new firmware began to count anew. */
static void a_fine_indicator_says_nothing_in_its_first_week_either(void **state)
{
	static const struct life lives[] = {
		{ "fine", 7300, 1, 1, .step = 0, .born_hour = 22 },
		{ "fine, anew", 7300, 1, 1, .step = 0, .born_hour = 22, .firmware_day = 3, .wear_after = 0.1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lives); i++) {
		play(&lives[i], 0.04, &p);
		for (size_t k = 0; k < p.n; k++) {
			bool is_old_enough = p.moments[k].day >= 7;

			if (is_said(&p.moments[k], OUTLOOK_INDICATOR, OUTLOOK_LIFETIME) != is_old_enough)
				fail_msg("%s, day %.0f", lives[i].name, p.moments[k].day);
		}
		assert_true(p.n > 10);
	}
}

static double never(double day)
{
	return 0;
}

static void what_is_not_written_lasts(void **state)
{
	static const struct life l = { "idle", 14600, 5, 1, .step = 0.01, .load = never };
	const struct moment *m;

	play(&l, 0.5, &p);
	m = &p.moments[p.n - 1];
	assert_true(isinf(m->at.dates[OUTLOOK_RATED][OUTLOOK_30D].at));
	assert_true(isinf(m->at.dates[OUTLOOK_INDICATOR][OUTLOOK_LIFETIME].at));
	assert_true(isinf(m->at.dates[OUTLOOK_EARLIEST][OUTLOOK_30D].at));
	assert_true(m->at.written_per_day[OUTLOOK_30D] == 0);
	assert_true(isnan(m->at.amplification[OUTLOOK_LIFETIME]));
}

/* ---- one look, no life */

static const struct observed nothing_seen;

/* A drive of 1 TB rated 600 TBW, 300 TB written at 1 TB a day, the indicator at 40 %: docs/forecast.md. */
static void the_example_of_the_manual(void **state)
{
	struct outlook_now now = { .at_s = START_S + 12 * HOUR_S, .wear = 0.4, .written = 300 * TB, .nand_written = 450 * TB,
				   .power_on_s = 300.0 * DAY_S, .rated_bytes = 600 * TB };
	struct outlook o = outlook_of(&nothing_seen, &now);

	assert_true(o.rated_used == 0.5);
	assert_true(day_of(o.dates[OUTLOOK_RATED][OUTLOOK_LIFETIME].at) == 300);
	assert_true(day_of(o.dates[OUTLOOK_INDICATOR][OUTLOOK_LIFETIME].at) == 450);
	assert_true(o.dates[OUTLOOK_EARLIEST][OUTLOOK_LIFETIME].at == o.dates[OUTLOOK_RATED][OUTLOOK_LIFETIME].at);
	assert_true(fabs(o.written_per_day[OUTLOOK_LIFETIME] - TB) < 1);
	assert_true(o.amplification[OUTLOOK_LIFETIME] == 1.5);
	assert_true(isnan(o.dates[OUTLOOK_RATED][OUTLOOK_30D].at));
	assert_true(isnan(o.dates[OUTLOOK_INDICATOR][OUTLOOK_LIFETIME].earliest));
}

static struct outlook seen_once(double wear, double written, double power_on_s, double rated)
{
	struct outlook_now now = { .at_s = START_S, .wear = wear, .written = written, .nand_written = NAN,
				   .power_on_s = power_on_s, .rated_bytes = rated };

	return outlook_of(&nothing_seen, &now);
}

static void what_is_not_told_leaves_the_rest(void **state)
{
	struct outlook o = seen_once(0.4, NAN, 300.0 * DAY_S, NAN);

	assert_true(day_of(o.dates[OUTLOOK_EARLIEST][OUTLOOK_LIFETIME].at) == 450);
	assert_true(isnan(o.rated_used) && isnan(o.dates[OUTLOOK_RATED][OUTLOOK_LIFETIME].at));
	assert_true(isnan(o.written_per_day[OUTLOOK_LIFETIME]));
	o = seen_once(NAN, 300 * TB, 300.0 * DAY_S, 600 * TB);
	assert_true(day_of(o.dates[OUTLOOK_EARLIEST][OUTLOOK_LIFETIME].at) == 300);
	o = seen_once(0.4, 300 * TB, NAN, 600 * TB);
	assert_true(isnan(o.dates[OUTLOOK_EARLIEST][OUTLOOK_LIFETIME].at));
	assert_true(o.rated_used == 0.5);
	o = seen_once(NAN, NAN, NAN, NAN);
	assert_true(isnan(o.dates[OUTLOOK_EARLIEST][OUTLOOK_LIFETIME].at));
}

/* 130 %, and what NVMe cannot count any further. */
static void an_indicator_past_its_end_is_not_clamped(void **state)
{
	struct outlook o = seen_once(1.3, 780 * TB, 1300.0 * DAY_S, 600 * TB);

	assert_true(o.rated_used == 1.3);
	assert_true(fabs(day_of(o.dates[OUTLOOK_INDICATOR][OUTLOOK_LIFETIME].at) + 300) <= 1);
	assert_true(fabs(day_of(o.dates[OUTLOOK_RATED][OUTLOOK_LIFETIME].at) + 300) <= 1);
	o = seen_once(2.55, NAN, 1000.0 * DAY_S, NAN);
	assert_true(day_of(o.dates[OUTLOOK_INDICATOR][OUTLOOK_LIFETIME].at) < 0);
	assert_true(day_of(o.dates[OUTLOOK_INDICATOR][OUTLOOK_LIFETIME].at) >= -1000);
	o = seen_once(1, 600 * TB, 1000.0 * DAY_S, 600 * TB);
	assert_true(day_of(o.dates[OUTLOOK_EARLIEST][OUTLOOK_LIFETIME].at) == 0);
}

static void what_was_used_up_before_anybody_looked_was_so_when_first_seen(void **state)
{
	struct outlook o = seen_once(1.1, 700 * TB, NAN, 600 * TB);

	for (int w = 0; w < N_FORECAST_WINDOWS; w++)
		for (int b = 0; b < N_OUTLOOK_BASES; b++)
			assert_true(day_of(o.dates[b][w].at) == 0);
}

/* Nobody looked when it passed; the day does not wander with the time. */
static void a_day_in_the_past_stays(void **state)
{
	for (int capped = 0; capped < 2; capped++) {
		CLEANUP(observed_free) struct observed seen = { 0 };
		double first = NAN;

		for (int day = 0; day < 40; day++) {
			struct observed_reading r = { .at_s = START_S + day * DAY_S, .wear = capped ? 1 : 2.55, .written = 700 * TB + day * TB,
						      .nand_written = NAN, .power_on_s = (700.0 + day) * DAY_S };
			struct outlook_now now = { .at_s = r.at_s, .wear = r.wear, .written = r.written, .nand_written = NAN,
						   .power_on_s = r.power_on_s, .rated_bytes = 600 * TB };
			enum observed_break b;
			struct outlook o;

			observed_take(&seen, &r, &b);
			o = outlook_of(&seen, &now);
			first = isnan(first) ? o.dates[OUTLOOK_INDICATOR][OUTLOOK_LIFETIME].at : first;
			assert_true(o.dates[OUTLOOK_INDICATOR][OUTLOOK_LIFETIME].at == first);
			assert_true(day_of(o.dates[OUTLOOK_RATED][OUTLOOK_LIFETIME].at) == -100);
		}
		assert_true(day_of(first) == (capped ? 0 : floor(-700 * 1.55 / 2.55)));
	}
}

/* Twelve weeks in which each day is another: nothing is called sure that is not. */
static double noise(double day)
{
	return exp(1.2 * (((unsigned)day * 2654435761u >> 16 & 1023) / 1023.0 - 0.5));
}

static void bounds_hold_where_days_differ(void **state)
{
	static const struct life l = { "noise", 14600, 5, 1, .step = 0.01, .load = noise };
	size_t n = 0, outside = 0;

	play(&l, 1.4, &p);
	for (size_t i = 90; i < p.n && p.moments[i].day < p.rated_end - 30; i++)
		for (int w = 0; w < N_FORECAST_WINDOWS; w++)
			for (int b = 0; b < 2; b++) {
				const struct outlook_date *date = &p.moments[i].at.dates[b][w];
				double end = b == OUTLOOK_RATED ? p.rated_end : p.wear_end;

				if (isnan(date->earliest))
					continue;
				n++;
				outside += !(day_of(date->earliest) <= end && end <= day_of(date->latest));
			}
	assert_true(n > 1000);
	assert_true(outside * 10 <= n);
}

static void without_a_clock_no_day_is_told(void **state)
{
	struct outlook_now now = { .at_s = 1000, .wear = 1.2, .written = 700 * TB, .nand_written = NAN, .power_on_s = 300.0 * DAY_S,
				   .rated_bytes = 600 * TB };
	struct outlook o = outlook_of(&nothing_seen, &now);

	for (int b = 0; b < N_OUTLOOK_BASES; b++)
		assert_true(isnan(o.dates[b][OUTLOOK_LIFETIME].at));
	assert_true(o.rated_used > 1.16);
}

static void beyond_twenty_years_is_never(void **state)
{
	struct outlook o = seen_once(0.1, 10 * TB, 900.0 * DAY_S, 100 * TB);

	assert_true(isinf(o.dates[OUTLOOK_INDICATOR][OUTLOOK_LIFETIME].at));
	assert_true(isinf(o.dates[OUTLOOK_RATED][OUTLOOK_LIFETIME].at));
	o = seen_once(0.1, 10 * TB, 700.0 * DAY_S, 100 * TB);
	assert_true(day_of(o.dates[OUTLOOK_RATED][OUTLOOK_LIFETIME].at) == 6300);
	o = seen_once(0, NAN, 100.0 * DAY_S, NAN);	/* 1 % at most in 100 days */
	assert_true(isinf(o.dates[OUTLOOK_INDICATOR][OUTLOOK_LIFETIME].at));
	o = seen_once(0, NAN, 30.0 * DAY_S, NAN);
	assert_true(isnan(o.dates[OUTLOOK_INDICATOR][OUTLOOK_LIFETIME].at));
}

/* 1445.9 TB in 482 hours that were busy for 19,744: the power-on time is not one. */
static void no_age_follows_from_a_power_on_time_that_is_wrong(void **state)
{
	struct outlook_now now = { .at_s = START_S, .wear = 0.2, .written = 1445.9 * TB, .nand_written = NAN,
				   .power_on_s = 482.0 * HOUR_S, .is_power_on_wrong = true, .rated_bytes = 1e16 };
	struct outlook o = outlook_of(&nothing_seen, &now);

	assert_true(isnan(o.written_per_day[OUTLOOK_LIFETIME]));
	assert_true(isnan(o.dates[OUTLOOK_EARLIEST][OUTLOOK_LIFETIME].at));
	assert_true(o.rated_used == 0.14459);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steady_lives_end_when_it_was_said),
		cmocka_unit_test(a_drive_that_is_used_up_has_its_day_in_the_past),
		cmocka_unit_test(a_forecast_is_steady_under_a_steady_load),
		cmocka_unit_test(lives_that_change_are_known_again_after_45_days),
		cmocka_unit_test(after_a_jump_nothing_is_said_until_steps_were_seen),
		cmocka_unit_test(two_readings_say_nothing_of_the_last_days),
		cmocka_unit_test(of_a_new_drive_nothing_is_said),
		cmocka_unit_test(a_fine_indicator_says_nothing_in_its_first_week_either),
		cmocka_unit_test(what_is_not_written_lasts),
		cmocka_unit_test(the_example_of_the_manual),
		cmocka_unit_test(what_is_not_told_leaves_the_rest),
		cmocka_unit_test(an_indicator_past_its_end_is_not_clamped),
		cmocka_unit_test(what_was_used_up_before_anybody_looked_was_so_when_first_seen),
		cmocka_unit_test(a_day_in_the_past_stays),
		cmocka_unit_test(bounds_hold_where_days_differ),
		cmocka_unit_test(without_a_clock_no_day_is_told),
		cmocka_unit_test(beyond_twenty_years_is_never),
		cmocka_unit_test(no_age_follows_from_a_power_on_time_that_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
