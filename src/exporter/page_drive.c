/* The page of one drive: all that is known of it. */
#include <math.h>
#include <string.h>

#include "exporter/html.h"
#include "exporter/lines.h"
#include "exporter/site.h"

/* ---- who it is */

static void add_fact(struct text *out, const char *name, const char *value)
{
	text_addf(out, "<div><dt>%s</dt><dd>", name);
	html_add_or_none(out, value);
	text_add(out, "</dd></div>\n");
}

static void begin_section(struct text *out, const char *id, const char *title)
{
	text_addf(out, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", id, id, title);
}

static void add_identity(const struct view_drive *v, struct text *out)
{
	char number[HTML_NUMBER_MAX];
	const struct {
		const char *name, *value;
	} facts[] = {
		{ "Vendor", v->vendor }, { "Model", v->model }, { "Family", v->family }, { "Serial number", v->serial },
		{ "Firmware", v->firmware }, { "World wide name", v->wwn }, { "Transport", v->transport }, { "Type", v->type },
		{ "Form factor", v->form_factor }, { "Enclosure", v->enclosure }, { "Slot", v->slot }, { "Path", v->path },
		{ "Devices", v->devices }, { "Label of its metrics", v->label },
	};

	begin_section(out, "identity", "Identity");
	text_add(out, "<dl class=\"grid\">\n");
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		add_fact(out, facts[i].name, facts[i].value);
	add_fact(out, "Capacity", isnan(v->capacity_bytes) ? "" : html_bytes(v->capacity_bytes, number));
	add_fact(out, "Powered on for", isnan(v->power_on_s) ? "" : html_duration(v->power_on_s, number));
	text_add(out, "</dl>\n</section>\n");
}

/* ---- wear */

static void add_ratio(struct text *out, const char *name, double ratio)
{
	char number[HTML_NUMBER_MAX];

	text_addf(out, "<div><dt>%s</dt><dd>", name);
	if (isnan(ratio))
		html_add_or_none(out, "");
	else
		text_addf(out, "%s<span class=\"bar\" aria-hidden=\"true\"><span%s style=\"width:%.0f%%\"></span></span>",
			  html_percent(ratio, number), ratio >= 1 ? " class=\"over\"" : "", fmin(fmax(ratio, 0), 1) * 100);
	text_add(out, "</dd></div>\n");
}

static const char *date_words(double at_s, char number[HTML_NUMBER_MAX])
{
	return isinf(at_s) ? "in more than 20 years" : html_time(at_s, false, number);
}

static void begin_table(struct text *out, const char *caption, const char *const *columns)
{
	text_addf(out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"%s\"><table>\n<caption>%s</caption>\n<thead><tr>",
		  caption, caption);
	for (; *columns; columns++)
		text_addf(out, "<th scope=\"col\">%s</th>", *columns);
	text_add(out, "</tr></thead>\n<tbody>\n");
}

static void end_table(struct text *out)
{
	text_add(out, "</tbody>\n</table></div>\n");
}

static const char *const basis_words[N_OUTLOOK_BASES] = {
	[OUTLOOK_INDICATOR] = "the drive's own indicator", [OUTLOOK_RATED] = "bytes written against its rating",
	[OUTLOOK_EARLIEST] = "the earlier of these",
};
static const char *const window_words[N_FORECAST_WINDOWS] = {
	[OUTLOOK_LIFETIME] = "as over its lifetime", [OUTLOOK_30D] = "as in the last 30 days",
};

static void add_date_row(struct text *out, int basis, int window, const struct outlook_date *d)
{
	char number[HTML_NUMBER_MAX];

	text_addf(out, "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td>", basis_words[basis], window_words[window],
		  date_words(d->at, number));
	text_addf(out, "<td>%s</td>", date_words(d->earliest, number));
	text_addf(out, "<td>%s</td></tr>\n", date_words(d->latest, number));
}

static void add_dates(const struct view_drive *v, struct text *out)
{
	static const char *const columns[] = { "By", "If it goes on", "Used up on", "Not before", "Not after", NULL };
	const struct outlook *o = v->drive ? wears_outlook(v->drive) : NULL;
	bool is_any = false;

	for (int basis = 0; o && basis < N_OUTLOOK_BASES; basis++)
		for (int window = 0; window < N_FORECAST_WINDOWS; window++)
			is_any |= !isnan(o->dates[basis][window].at);
	if (!is_any) {
		text_add(out, "<p class=\"soft\">Nothing can be said yet of when its endurance will be used up.</p>\n");
		return;
	}
	begin_table(out, "When its endurance will be used up", columns);
	for (int basis = 0; basis < N_OUTLOOK_BASES; basis++)
		for (int window = 0; window < N_FORECAST_WINDOWS; window++)
			if (!isnan(o->dates[basis][window].at))
				add_date_row(out, basis, window, &o->dates[basis][window]);
	end_table(out);
}

static void add_wear(const struct view_drive *v, double now_s, struct text *out)
{
	char number[HTML_NUMBER_MAX];

	begin_section(out, "wear", "Wear and forecast");
	text_add(out, "<dl class=\"grid\">\n");
	add_ratio(out, "Used, by its own indicator", v->endurance_used);
	add_ratio(out, "Used of its rated writes", v->rated_used);
	add_ratio(out, "Spare capacity left", v->spare);
	add_fact(out, "Written in its life", isnan(v->written_bytes) ? "" : html_bytes(v->written_bytes, number));
	add_fact(out, "Written today (UTC)", isnan(v->written_today_bytes) ? "" : html_bytes(v->written_today_bytes, number));
	add_fact(out, "Read in its life", isnan(v->read_bytes) ? "" : html_bytes(v->read_bytes, number));
	text_add(out, "</dl>\n");
	chart_wear(v, now_s, out);
	add_dates(v, out);
	text_add(out, "</section>\n");
}

/* ---- how it is read */

static void add_count(struct text *out, const char *name, double value)
{
	char number[HTML_NUMBER_MAX];

	add_fact(out, name, html_number(value, number));
}

static void add_failures(const struct drive_poll *poll, struct text *out)
{
	for (int source = FAIL_NONE + 1; source < N_FAIL_SOURCES; source++)
		if (poll->failures[source]) {
			AUTO_TEXT name = TEXT_LIMIT(100);

			text_addf(&name, "Failures: %s", fail_source_name((enum fail_source)source));
			add_count(out, name.at, (double)poll->failures[source]);
		}
}

static void add_polling(const struct view_drive *v, double now_s, struct text *out)
{
	const struct drive_poll *poll = poller_of(v->drive);
	char number[HTML_NUMBER_MAX];

	begin_section(out, "reading", "How it is read");
	text_add(out, "<dl class=\"grid\">\n");
	add_fact(out, "Oldest health value (UTC)", isnan(v->polled_s) ? "" : html_time(v->polled_s, true, number));
	add_fact(out, "That is so long ago", isnan(v->polled_s) ? "" : html_duration(fmax(0, now_s - v->polled_s), number));
	add_fact(out, "Due every", html_duration(v->interval_s, number));
	add_fact(out, "Power state", poll->has_power ? power_state_name(poll->power) : "");
	add_count(out, "Commands sent to it", (double)poll->commands);
	add_count(out, "Of these refused by it", (double)poll->command_errors);
	add_fact(out, "Average time it took", poll->commands ? html_latency((double)poll->command_us / 1e6 / (double)poll->commands, number) : "");
	if (poll->is_stuck)
		add_fact(out, "A command hangs since (UTC)", html_time((double)poll->stuck_at_us / 1e6, true, number));
	add_failures(poll, out);
	text_add(out, "</dl>\n</section>\n");
}

/* ---- what it told */

/* The families of a range, in the order of the list. */
static const struct {
	const char *id, *title;
	enum metric_family_id first, last;
} sections[] = {
	{ "errors", "Errors and warnings", drive_warning, drive_media_errors_total },
	{ "temperatures", "Temperatures", drive_throttled, drive_relative_humidity_limit_ratio },
	{ "links", "Links", drive_link_errors_total, drive_link_width_max },
	{ "life", "Power, self-tests and age", drive_power_on_seconds_total, drive_self_test_duration_seconds },
	{ "endurance", "Endurance and rating", drive_capacity_bytes, drive_write_amplification_ratio },
	{ "raw", "The protocol's own view", drive_internal_commands_total, drive_removed_total },
};

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), length = strlen(end);

	return n >= length && !strcmp(name + n - length, end);
}

/* By the unit that the name ends in. */
static const char *value_words(const struct metric_family *f, double value, char out[HTML_NUMBER_MAX])
{
	static const struct {
		const char *end;
		const char *(*words)(double, char[HTML_NUMBER_MAX]);
	} units[] = {
		{ "_bytes", html_bytes }, { "_bytes_total", html_bytes }, { "_ratio", html_percent }, { "_celsius", html_celsius },
		{ "_seconds", html_duration }, { "_seconds_total", html_duration },
	};

	if (ends_in(f->name, "_timestamp_seconds"))
		return isinf(value) ? "in more than 20 years" : html_time(value, true, out);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (ends_in(f->name, units[i].end))
			return units[i].words(value, out);
	return html_number(value, out);
}

static void add_labels(const struct sample *s, struct text *out)
{
	const struct metric_family *f = &metric_families[s->family];
	const char *between = "";

	for (size_t i = 0; i < SAMPLE_LABELS && f->label[i] && s->label[i]; i++) {
		if (!*s->label[i])
			continue;
		text_addf(out, "%s%s ", between, f->label[i]);
		html_add(out, s->label[i]);
		between = ", ";
	}
}

/* What follows from several pages has no time of its own. */
static void add_age(const struct view_drive *v, const struct sample *s, double now_s, struct text *out)
{
	const struct plan_entry *entry = readings_entry(poller_of(v->drive), s);
	char number[HTML_NUMBER_MAX];

	text_add(out, "<td class=\"num\">");
	if (entry && entry->answered_at_us)
		text_addf(out, "%s ago", html_duration(fmax(0, now_s - (double)entry->answered_at_us / 1e6), number));
	text_add(out, "</td>");
}

static void add_sample(const struct view_drive *v, const struct sample *s, bool is_first, double now_s, struct text *out)
{
	const struct metric_family *f = &metric_families[s->family];
	char number[HTML_NUMBER_MAX];

	text_addf(out, "<tr><th scope=\"row\">%s", f->name);
	if (is_first) {
		text_add(out, "<small>");
		html_add(out, f->help);
		text_add(out, "</small>");
	}
	text_add(out, "</th><td>");
	add_labels(s, out);
	text_addf(out, "</td><td class=\"num\">%s</td>", f->type == METRIC_INFO ? "" : value_words(f, s->value, number));
	add_age(v, s, now_s, out);
	text_add(out, "</tr>\n");
}

/* What is left of the page belongs to the sections after this one, too. */
enum { SAMPLE_MAX = 4000, FOOT_MAX = 3000 };

static void add_section(const struct view_drive *v, size_t section, double now_s, struct text *out)
{
	static const char *const columns[] = { "Metric", "Of", "Value", "Read", NULL };
	size_t n, left_out = 0;
	const struct sample **served = readings_served(poller_of(v->drive), &n);
	int last = -1;

	begin_section(out, sections[section].id, sections[section].title);
	for (size_t i = 0; i < n; i++) {
		if (served[i]->family < sections[section].first || served[i]->family > sections[section].last)
			continue;
		if (out->length > SITE_PAGE_MAX - SAMPLE_MAX - FOOT_MAX) {
			left_out++;
			continue;
		}
		if (last < 0)
			begin_table(out, sections[section].title, columns);
		add_sample(v, served[i], served[i]->family != last, now_s, out);
		last = served[i]->family;
	}
	if (last >= 0)
		end_table(out);
	else if (!left_out)
		text_add(out, "<p class=\"soft\">It tells nothing of this.</p>\n");
	if (left_out)
		text_addf(out, "<p>%zu more are in the metrics.</p>\n", left_out);
	text_add(out, "</section>\n");
}

/* ---- the page */

void page_drive(const struct site *site, const struct view *view, const struct view_drive *v, struct text *out)
{
	char number[HTML_NUMBER_MAX];

	html_begin(out, *v->model ? v->model : v->label, false);
	page_health(v, view->now_s, out);
	if (v->is_replayed)
		text_add(out, "<p class=\"note\" role=\"note\"><strong>Replayed</strong> out of a capture: this is no drive of this host.</p>\n");
	add_identity(v, out);
	if (v->drive && !v->is_virtual) {
		add_wear(v, view->now_s, out);
		for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
			add_section(v, i, view->now_s, out);
		add_polling(v, view->now_s, out);
	}
	text_addf(out, "</main>\n<footer>\n<p>%s UTC. <a href=\"", html_time(view->now_s, true, number));
	html_add(out, site->fleet->options->telemetry_path);
	text_add(out, "\">Metrics</a> · <a href=\"/api/v1/drives/");
	html_add_path(out, v->label);
	text_add(out, "\">This drive as JSON</a></p>\n");
	html_end(out);
}
