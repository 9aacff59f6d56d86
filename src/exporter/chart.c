/* A small chart of wear over time, as SVG: what was seen, and in dashes what is expected. */
#include <math.h>

#include "exporter/html.h"
#include "exporter/site.h"

enum { WIDTH = 640, HEIGHT = 220, LEFT = 44, RIGHT = 12, TOP = 12, BOTTOM = 26, POINTS_MAX = 400 };

struct point {
	double at_s, used;
};

struct chart {
	struct point points[POINTS_MAX];
	size_t n;
	bool is_rated;			/* bytes against the rating, where the drive has no indicator */
	double from_s, to_s, top;	/* what it spans: time, and from 0 to this */
};

static double used_of(const struct history_row *row, const struct view_drive *v, bool is_rated)
{
	/* The rating itself is not in the rows: what is used of it now, and the bytes now, give it. */
	return is_rated ? row->written / v->written_bytes * v->rated_used : row->wear;
}

static void take_points(struct chart *c, const struct observed *seen, const struct view_drive *v)
{
	size_t step = seen->n / (POINTS_MAX - 1) + 1;

	c->is_rated = isnan(v->endurance_used);
	for (size_t i = 0; i < seen->n; i += i + step < seen->n || i + 1 == seen->n ? step : seen->n - 1 - i) {
		struct point p = { (double)seen->rows[i].last_s, used_of(&seen->rows[i], v, c->is_rated) };

		if (!isnan(p.used) && isfinite(p.used) && c->n < POINTS_MAX)
			c->points[c->n++] = p;
	}
}

/* Half as much to come as was seen, or until it is used up where that is not much later. */
static void choose_span(struct chart *c, const struct view_drive *v, double now_s)
{
	double seen = now_s - c->points[0].at_s, end = now_s + fmax(seen / 2, 30 * DAY_S), highest = 0;

	if (isfinite(v->exhausted_s) && v->exhausted_s > now_s && v->exhausted_s < now_s + 2 * fmax(seen, 180 * DAY_S))
		end = v->exhausted_s;
	for (size_t i = 0; i < c->n; i++)
		highest = fmax(highest, c->points[i].used);
	c->from_s = c->points[0].at_s;
	c->to_s = end;
	c->top = fmax(1, ceil(highest * 10) / 10);
}

static double x_of(const struct chart *c, double at_s)
{
	return LEFT + (at_s - c->from_s) / (c->to_s - c->from_s) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct chart *c, double used)
{
	return HEIGHT - BOTTOM - used / c->top * (HEIGHT - TOP - BOTTOM);
}

static void add_axes(const struct chart *c, double now_s, struct text *out)
{
	char number[HTML_NUMBER_MAX];

	for (int quarter = 0; quarter <= 4; quarter++) {
		double y = y_of(c, quarter / 4.0);

		text_addf(out, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"var(--line)\"/>"
			       "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d %%</text>",
			  LEFT, WIDTH - RIGHT, y, y, LEFT - 6, y + 4, quarter * 25);
	}
	text_addf(out, "<text x=\"%d\" y=\"%d\">%s</text>", LEFT, HEIGHT - 6, html_time(c->from_s, false, number));
	text_addf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>", WIDTH - RIGHT, HEIGHT - 6,
		  html_time(c->to_s, false, number));
	text_addf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"var(--soft)\" stroke-dasharray=\"2 3\"/>",
		  x_of(c, now_s), x_of(c, now_s), TOP, HEIGHT - BOTTOM);
	text_addf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">now</text>", x_of(c, now_s), HEIGHT - 6);
}

static void add_seen(const struct chart *c, struct text *out)
{
	text_add(out, "<polyline fill=\"none\" stroke=\"var(--fill)\" stroke-width=\"2.5\" stroke-linejoin=\"round\" points=\"");
	for (size_t i = 0; i < c->n; i++)
		text_addf(out, "%.1f,%.1f ", x_of(c, c->points[i].at_s), y_of(c, c->points[i].used));
	text_add(out, "\"/>");
}

/* On the way to all of it on the day that is expected. */
static void add_expected(const struct chart *c, const struct view_drive *v, double now_s, struct text *out)
{
	const struct point *last = &c->points[c->n - 1];
	double end = fmin(v->exhausted_s, c->to_s);

	if (!isfinite(v->exhausted_s) || v->exhausted_s <= now_s || last->used >= 1)
		return;
	text_addf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"var(--fill)\" stroke-width=\"2\" "
		       "stroke-dasharray=\"6 5\"/>",
		  x_of(c, last->at_s), y_of(c, last->used), x_of(c, end),
		  y_of(c, last->used + (1 - last->used) * (end - last->at_s) / (v->exhausted_s - last->at_s)));
}

static void add_words(const struct chart *c, const struct view_drive *v, struct text *out)
{
	const struct point *first = &c->points[0], *last = &c->points[c->n - 1];
	char number[HTML_NUMBER_MAX];

	text_addf(out, "Wear %s went from %s", c->is_rated ? "against the rating" : "by the drive's indicator", html_percent(first->used, number));
	text_addf(out, " on %s", html_time(first->at_s, false, number));
	text_addf(out, " to %s", html_percent(last->used, number));
	text_addf(out, " on %s.", html_time(last->at_s, false, number));
	if (isfinite(v->exhausted_s))
		text_addf(out, " All of it is expected to be used up on %s.", html_time(v->exhausted_s, false, number));
	else if (isinf(v->exhausted_s))
		text_add(out, " It is expected to last for more than 20 years.");
}

void chart_wear(const struct view_drive *v, double now_s, struct text *out)
{
	const struct observed *seen = v->drive ? wears_seen(v->drive) : NULL;
	struct chart c = { 0 };

	if (seen)
		take_points(&c, seen, v);
	if (c.n < 2 || now_s <= c.points[0].at_s) {
		text_add(out, "<p class=\"soft\">There is no chart yet: the history has fewer than two days on which this drive told its wear.</p>\n");
		return;
	}
	choose_span(&c, v, now_s);
	text_addf(out, "<figure style=\"margin:0\"><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"wear-chart\">"
		       "<title id=\"wear-chart\">", WIDTH, HEIGHT);
	add_words(&c, v, out);
	text_add(out, "</title>");
	add_axes(&c, now_s, out);
	add_seen(&c, out);
	add_expected(&c, v, now_s, out);
	text_add(out, "</svg><figcaption class=\"soft\">");
	add_words(&c, v, out);
	text_add(out, "</figcaption></figure>\n");
}
