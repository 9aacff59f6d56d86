/* Why a drive is not simply healthy, in words. What the drive gives as a warning in its metrics becomes a reason here by itself;
 * rules of our own are the rows of a table. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "exporter/view.h"

enum { SOON_S = 90 * DAY_S };

static struct view_reason *add(struct view_drive *v, enum view_level level)
{
	struct view_reason *r = v->n_reasons < VIEW_REASONS ? &v->reasons[v->n_reasons++] : &v->reasons[VIEW_REASONS - 1];

	*r = (struct view_reason){ .level = level };
	return r;
}

PRINTF_LIKE(3, 4) static void say(struct view_drive *v, enum view_level level, const char *format, ...)
{
	struct view_reason *r = add(v, level);
	va_list args;

	va_start(args, format);
	vsnprintf(r->words, sizeof r->words, format, args);
	va_end(args);
}

/* ---- what the drive says: series that are 1 */

/* label: the reason of drive_warning, or the bit. Those that are not here are told by their own name, and as a warning. */
static const struct told {
	enum metric_family_id family;
	const char *label;
	enum view_level level;
	const char *words;
} told[] = {
	{ drive_warning, "smart_failing", VIEW_FAILING, "It predicts its own failure (SMART)" },
	{ drive_nvme_critical_warning, "reliability", VIEW_FAILING, "Its reliability is degraded, it says" },
	{ drive_nvme_critical_warning, "read_only", VIEW_FAILING, "It takes no more writes" },
	{ drive_nvme_critical_warning, "backup", VIEW_WARNED, "Its protection against loss of power has failed" },
	{ drive_nvme_critical_warning, "spare", VIEW_WORN, "Its spare capacity is below the threshold" },
	{ drive_nvme_critical_warning, "temperature", VIEW_WARNED, "A temperature is beyond its limit" },
	{ drive_nvme_critical_warning, "pmr", VIEW_WARNED, "Its persistent memory region is unreliable" },
	{ drive_throttled, "thermal", VIEW_WARNED, "It slows itself down to cool" },
};

/* Reasons of drive_warning_info, whose text follows in the drive's own terms. */
static const struct {
	const char *reason;
	enum view_level level;
} texts[] = { { "smart_failing", VIEW_FAILING }, { "life_used_up", VIEW_WORN } };

static const struct told *find_told(const struct sample *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		if (told[i].family == s->family && !strcmp(told[i].label, s->label[0]))
			return &told[i];
	return NULL;
}

static enum view_level level_of_text(const char *reason)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (!strcmp(texts[i].reason, reason))
			return texts[i].level;
	return VIEW_WARNED;
}

static void say_told(struct view_drive *v, const struct sample *s)
{
	const struct told *t = find_told(s);
	bool is_fatal = s->family == drive_warning && s->label[1] && !strcmp(s->label[1], "fatal");
	struct view_reason *r;

	if (t) {
		say(v, t->level, "%s", t->words);
		return;
	}
	r = add(v, is_fatal ? VIEW_FAILING : VIEW_WARNED);
	snprintf(r->words, sizeof r->words, "Warning: %s", s->label[0]);
	for (char *c = r->words; *c; c++)
		*c = *c == '_' ? ' ' : *c;
}

static bool is_told_by(enum metric_family_id family)
{
	return family == drive_warning || family == drive_nvme_critical_warning || family == drive_throttled;
}

static void find_told_ones(struct view_drive *v)
{
	size_t n;
	const struct sample **served = readings_served(poller_of(v->drive), &n);

	for (size_t i = 0; i < n; i++) {
		const struct sample *s = served[i];

		if (is_told_by(s->family) && s->value && s->label[0])
			say_told(v, s);
		else if (s->family == drive_warning_info && s->label[0] && s->label[1])
			say(v, level_of_text(s->label[0]), "It says: %s", s->label[1]);
	}
}

/* ---- what follows from its values */

static bool is_missing(struct view_drive *v)
{
	if (v->is_missing)
		say(v, VIEW_MISSING, "It is not there any more");
	return v->is_missing;
}

static void say_state(struct view_drive *v)
{
	const struct drive_poll *poll = poller_of(v->drive);

	if (v->is_stuck)
		say(v, VIEW_SILENT, "A command to it has not come back");
	else if (!v->is_up && poll->failures[FAIL_PERMISSION] && poll->has_had_visit)
		say(v, VIEW_SILENT, "The exporter may not read it");
	else if (!v->is_up && poll->has_had_visit)
		say(v, VIEW_SILENT, "It does not answer");
	if (v->is_reserved)
		say(v, VIEW_HEALTHY, "Another host has reserved it, so it is not read");
}

static void say_paths(struct view_drive *v)
{
	for (size_t i = 0; i < v->drive->n_devices; i++) {
		const struct device *d = &v->drive->devices[i];

		if (d->is_askable && d->state[0] && strcmp(d->state, "running") && strcmp(d->state, "live"))
			say(v, VIEW_WARNED, "Its path %s is %s", d->name, d->state);
	}
}

static void say_wear(struct view_drive *v, double now_s)
{
	double left_s = v->exhausted_s - now_s;

	if (v->endurance_used >= 1)
		say(v, VIEW_WORN, "Its endurance is used up by its own indicator (%.0f %%)", v->endurance_used * 100);
	if (v->rated_used >= 1)
		say(v, VIEW_WORN, "More was written than its rating allows (%.0f %%)", v->rated_used * 100);
	if (!(v->endurance_used >= 1) && !(v->rated_used >= 1) && left_s < SOON_S)
		say(v, VIEW_WORN, "Its endurance will be used up in %.0f days", fmax(0, left_s / DAY_S));
	if (v->spare < v->spare_threshold)
		say(v, VIEW_WORN, "Spare capacity of %.0f %% is below its threshold of %.0f %%", v->spare * 100, v->spare_threshold * 100);
}

static void say_counts(struct view_drive *v)
{
	static const struct {
		enum metric_family_id family;
		const char *words;
	} counts[] = {
		{ drive_pending_sectors, "%.0f of its sectors cannot be read" },
		{ drive_offline_uncorrectable_sectors, "Its own scans could not read %.0f of its sectors" },
		{ drive_self_test_failures, "%.0f of its self-tests in the log found a fault" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		const struct sample *s = readings_find(poller_of(v->drive), counts[i].family, NULL);
		char words[VIEW_WORDS];

		if (!s || s->value <= 0)
			continue;
		snprintf(words, sizeof words, counts[i].words, s->value);
		say(v, VIEW_WARNED, "%s", words);
	}
}

static void say_heat(struct view_drive *v)
{
	if (v->temperature >= v->temperature_limit)
		say(v, VIEW_WARNED, "It is as hot as its limit allows: %.0f °C of %.0f °C", v->temperature, v->temperature_limit);
}

static enum view_level level_of(const struct view_drive *v)
{
	enum view_level level = v->is_virtual && !v->is_missing ? VIEW_UNTOLD :
				!v->is_missing && !poller_of(v->drive)->has_had_visit ? VIEW_STARTING : VIEW_HEALTHY;

	for (size_t i = 0; i < v->n_reasons; i++)
		if (v->reasons[i].level < level)
			level = v->reasons[i].level;
	return level;
}

static void sort(struct view_drive *v)
{
	for (size_t i = 1; i < v->n_reasons; i++)
		for (size_t k = i; k > 0 && v->reasons[k - 1].level > v->reasons[k].level; k--) {
			struct view_reason r = v->reasons[k];

			v->reasons[k] = v->reasons[k - 1];
			v->reasons[k - 1] = r;
		}
}

void reasons_find(struct view_drive *v, double now_s)
{
	if (!is_missing(v) && !v->is_virtual) {
		find_told_ones(v);
		say_state(v);
		say_paths(v);
		say_wear(v, now_s);
		say_counts(v);
		say_heat(v);
	}
	sort(v);
	v->level = level_of(v);
}
