/* The page at /: all drives of the host, worst first. A table on a screen, cards on a phone. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "exporter/html.h"
#include "exporter/site.h"

static const struct {
	const char *word, *style;
} tags[N_VIEW_LEVELS] = {
	[VIEW_FAILING] = { "failing", "tag bad" }, [VIEW_MISSING] = { "missing", "tag bad" }, [VIEW_SILENT] = { "no answer", "tag bad" },
	[VIEW_WORN] = { "worn", "tag warn" }, [VIEW_WARNED] = { "warning", "tag warn" }, [VIEW_STARTING] = { "not read yet", "tag" },
	[VIEW_HEALTHY] = { "healthy", "tag good" }, [VIEW_UNTOLD] = { "virtual", "tag" },
};

static void add_tag(struct text *out, const char *style, const char *word)
{
	text_addf(out, "<span class=\"%s\">%s</span> ", style, word);
}

void page_health(const struct view_drive *v, double now_s, struct text *out)
{
	char number[HTML_NUMBER_MAX];

	add_tag(out, tags[v->level].style, tags[v->level].word);
	if (v->is_asleep)
		add_tag(out, "tag", "asleep");
	if (v->is_stuck)
		add_tag(out, "tag bad", "stuck");
	if (v->is_reserved)
		add_tag(out, "tag", "reserved");
	if (v->is_replayed)
		add_tag(out, "tag", "replayed");
	if (!v->n_reasons && !v->is_missing)
		return;
	text_add(out, "<ul class=\"why\">");
	for (size_t i = 0; i < v->n_reasons; i++) {
		text_add(out, "<li>");
		html_add(out, v->reasons[i].words);
		text_add(out, "</li>");
	}
	if (v->is_missing)
		text_addf(out, "<li>Since %s UTC, %s ago</li>", html_time(v->missing_since_s, true, number),
			  html_duration(now_s - v->missing_since_s, (char[HTML_NUMBER_MAX]){ 0 }));
	text_add(out, "</ul>");
}

/* ---- cells */

static void add_name(const struct view_drive *v, struct text *out)
{
	char number[HTML_NUMBER_MAX];

	text_add(out, "<th scope=\"row\" role=\"rowheader\"><a href=\"/drives/");
	html_add_path(out, v->label);
	text_add(out, "\">");
	html_add(out, *v->model ? v->model : v->label);
	text_add(out, "</a><small>");
	html_add(out, v->serial);
	if (*v->devices) {
		text_add(out, *v->serial ? " · " : "");
		html_add(out, v->devices);
	}
	text_add(out, "</small><small>");
	html_add(out, v->transport);
	text_add(out, " ");
	html_add(out, v->type);
	if (!isnan(v->capacity_bytes))
		text_addf(out, ", %s", html_bytes(v->capacity_bytes, number));
	text_add(out, "</small></th>");
}

static void begin_cell(struct text *out, const char *label, bool is_number)
{
	text_addf(out, "<td role=\"cell\" data-label=\"%s\"%s><div>", label, is_number ? " class=\"num\"" : "");
}

static void end_cell(struct text *out)
{
	text_add(out, "</div></td>");
}

static void add_place(const struct view_drive *v, struct text *out)
{
	begin_cell(out, "Place", false);
	if (*v->enclosure || *v->slot) {
		html_add(out, v->enclosure);
		text_add(out, *v->enclosure && *v->slot ? ", slot " : "");
		html_add(out, v->slot);
	} else {
		html_add_or_none(out, v->path);
	}
	end_cell(out);
}

/* By whichever says more: the indicator of the drive, or the rating. */
static void add_wear(const struct view_drive *v, struct text *out)
{
	bool is_rated = isnan(v->endurance_used) || v->rated_used > v->endurance_used;
	double used = is_rated ? v->rated_used : v->endurance_used;
	char number[HTML_NUMBER_MAX];

	begin_cell(out, "Wear", false);
	if (isnan(used)) {
		html_add_or_none(out, "");
	} else {
		text_addf(out, "%s <small>%s</small><span class=\"bar\" aria-hidden=\"true\"><span%s style=\"width:%.0f%%\"></span></span>",
			  html_percent(used, number), is_rated ? "of rating" : "own count",
			  used >= 1 ? " class=\"over\"" : "", fmin(fmax(used, 0), 1) * 100);
	}
	end_cell(out);
}

static void add_left(const struct view_drive *v, double now_s, struct text *out)
{
	double left = v->exhausted_s - now_s;
	char number[HTML_NUMBER_MAX];

	begin_cell(out, "Life left", true);
	if (isnan(left))
		html_add_or_none(out, "");
	else if (isinf(left))
		text_add(out, "&gt; 20 years");
	else if (left <= 0)
		text_add(out, "none");
	else
		text_addf(out, "%s <small>until %s</small>", html_duration(left, number),
			  html_time(v->exhausted_s, false, (char[HTML_NUMBER_MAX]){ 0 }));
	end_cell(out);
}

static void add_temperature(const struct view_drive *v, struct text *out)
{
	char number[HTML_NUMBER_MAX];

	begin_cell(out, "Temperature", true);
	if (isnan(v->temperature))
		html_add_or_none(out, "");
	else
		text_add(out, html_celsius(v->temperature, number));
	if (!isnan(v->temperature) && !isnan(v->temperature_limit))
		text_addf(out, " <small>limit %s</small>", html_celsius(v->temperature_limit, number));
	end_cell(out);
}

static void add_written(const struct view_drive *v, struct text *out)
{
	char number[HTML_NUMBER_MAX];

	begin_cell(out, "Written", true);
	if (isnan(v->written_bytes))
		html_add_or_none(out, "");
	else
		text_add(out, html_bytes(v->written_bytes, number));
	if (!isnan(v->written_today_bytes))
		text_addf(out, " <small>%s today</small>", html_bytes(v->written_today_bytes, number));
	end_cell(out);
}

static void add_latency_of(const struct io_rate_latency *l, const char *op, struct text *out)
{
	char number[HTML_NUMBER_MAX];

	text_addf(out, "<span class=\"op\">%s ", op);
	if (isnan(l->seconds))
		html_add_or_none(out, "");
	else
		text_add(out, html_latency(l->seconds, number));
	text_add(out, "</span> ");
}

static void add_latency(const struct view_drive *v, struct text *out)
{
	char number[HTML_NUMBER_MAX];
	bool is_any = v->latency[IO_RATE_READ].requests + v->latency[IO_RATE_WRITE].requests > 0;

	begin_cell(out, "Latency", true);
	if (is_any) {
		add_latency_of(&v->latency[IO_RATE_READ], "read", out);
		add_latency_of(&v->latency[IO_RATE_WRITE], "write", out);
		if (isnan(v->latency[0].window_s))
			text_add(out, "<small>since boot</small>");
		else
			text_addf(out, "<small>last %s</small>", html_duration(v->latency[0].window_s, number));
	} else {
		html_add_or_none(out, "");
	}
	end_cell(out);
}

static void add_read(const struct view_drive *v, double now_s, struct text *out)
{
	double age = fmax(0, now_s - v->polled_s);
	char number[HTML_NUMBER_MAX];

	begin_cell(out, "Read", true);
	if (isnan(v->polled_s))
		html_add_or_none(out, "");
	else
		text_addf(out, "%s ago%s", html_duration(age, number), age > 3 * v->interval_s && !v->is_asleep ? " <small>late</small>" : "");
	end_cell(out);
}

static void add_row(const struct view_drive *v, double now_s, struct text *out)
{
	text_add(out, "<tr role=\"row\">");
	add_name(v, out);
	add_place(v, out);
	begin_cell(out, "Health", false);
	page_health(v, now_s, out);
	end_cell(out);
	add_wear(v, out);
	add_left(v, now_s, out);
	add_temperature(v, out);
	add_written(v, out);
	add_latency(v, out);
	add_read(v, now_s, out);
	text_add(out, "</tr>\n");
}

/* ---- the page */

static void add_summary(const struct view *view, struct text *out)
{
	const char *between = ": ";

	text_addf(out, "<p><strong>%zu drive%s</strong>", view->n, view->n == 1 ? "" : "s");
	for (int level = 0; level < N_VIEW_LEVELS; level++)
		if (view->n_of[level]) {
			text_addf(out, "%s%zu %s", between, view->n_of[level], tags[level].word);
			between = ", ";
		}
	if (view->n_asleep)
		text_addf(out, "; %zu asleep", view->n_asleep);
	text_add(out, "</p>\n");
	if (view->n_replayed)
		text_addf(out, "<p class=\"note\" role=\"note\"><strong>%zu of these drives %s replayed</strong> out of captures. "
			       "They are not drives of this host.</p>\n", view->n_replayed, view->n_replayed == 1 ? "is" : "are");
}

static const struct {
	const char *name;
	bool is_number;
} columns[] = { { "Drive", false }, { "Place", false }, { "Health", false }, { "Wear", false }, { "Life left", true }, { "Temperature", true },
		{ "Written", true }, { "Latency", true }, { "Read", true } };

static void add_head(struct text *out)
{
	text_add(out, "<table class=\"cards\" role=\"table\">\n<caption>Worst first; every drive has a page of its own.</caption>\n"
		      "<thead role=\"rowgroup\"><tr role=\"row\">");
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		text_addf(out, "<th scope=\"col\" role=\"columnheader\"%s>%s</th>", columns[i].is_number ? " class=\"num\"" : "", columns[i].name);
	text_add(out, "</tr></thead>\n<tbody role=\"rowgroup\">\n");
}

/* What stands at the end must fit, too. */
enum { ROW_MAX = 16000, FOOT_MAX = 2000 };

static void add_table(const struct view *view, struct text *out)
{
	size_t i;

	add_head(out);
	for (i = 0; i < view->n && out->length < SITE_PAGE_MAX - ROW_MAX - FOOT_MAX; i++)
		add_row(&view->drives[i], view->now_s, out);
	text_add(out, "</tbody>\n</table>\n");
	if (i < view->n)
		text_addf(out, "<p>%zu more drives, none of them in a worse state, are not shown here: "
			       "<a href=\"/api/v1/drives\">all of them as JSON</a>.</p>\n", view->n - i);
}

void page_index(const struct site *site, const struct view *view, struct text *out)
{
	char number[HTML_NUMBER_MAX];

	html_begin(out, "Drives of this host", true);
	add_summary(view, out);
	if (view->n)
		add_table(view, out);
	else
		text_add(out, "<p>There is no drive that can be shown.</p>\n");
	text_addf(out, "</main>\n<footer>\n<p>drive_exporter %s, %s UTC. <a href=\"", PACKAGE_VERSION, html_time(view->now_s, true, number));
	html_add(out, site->fleet->options->telemetry_path);
	text_add(out, "\">Metrics</a> · <a href=\"/api/v1/drives\">JSON</a> · <a href=\"/-/healthy\">Healthy</a> · "
		      "<a href=\"/-/ready\">Ready</a></p>\n");
	html_end(out);
}
