/* JSON for programs; docs/api.md says what each member means. What is not known is left out. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "exporter/site.h"

enum { FORMAT_VERSION = 1, REAL_DIGITS = 15 };

/* ---- members; the object takes what is made, and a failure shows in it alone at the end */

static void set(json_t *object, const char *name, json_t *value, bool *is_good)
{
	if (json_object_set_new(object, name, value))	/* frees it, too, and fails for NULL */
		*is_good = false;
}

static void set_text(json_t *object, const char *name, const char *value, bool *is_good)
{
	char clean[1024];

	if (*value)
		set(object, name, json_string(text_printable(value, clean, sizeof clean)), is_good);
}

/* Whole numbers as such; what is not finite has no form in JSON. */
static void set_number(json_t *object, const char *name, double value, bool *is_good)
{
	static const double two_to_63 = 9223372036854775808.0;

	if (!isfinite(value))
		return;
	set(object, name, value == floor(value) && fabs(value) < two_to_63 ? json_integer((json_int_t)value) : json_real(value), is_good);
}

static void set_flag(json_t *object, const char *name, bool value, bool *is_good)
{
	set(object, name, json_boolean(value), is_good);
}

/* ---- a drive */

static json_t *reasons_of(const struct view_drive *v, bool *is_good)
{
	json_t *array = json_array();

	for (size_t i = 0; i < v->n_reasons; i++) {
		json_t *object = json_object();

		set_text(object, "level", view_level_word(v->reasons[i].level), is_good);
		set_text(object, "text", v->reasons[i].words, is_good);
		if (json_array_append_new(array, object))
			*is_good = false;
	}
	return array;
}

static void set_identity(json_t *o, const struct view_drive *v, bool *is_good)
{
	const struct {
		const char *name, *value;
	} texts[] = {
		{ "drive", v->label }, { "vendor", v->vendor }, { "model", v->model }, { "family", v->family }, { "serial", v->serial },
		{ "firmware", v->firmware }, { "wwn", v->wwn }, { "transport", v->transport }, { "type", v->type },
		{ "form_factor", v->form_factor }, { "enclosure", v->enclosure }, { "slot", v->slot }, { "path", v->path },
		{ "devices", v->devices },
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		set_text(o, texts[i].name, texts[i].value, is_good);
}

static void set_state(json_t *o, const struct view_drive *v, bool *is_good)
{
	set_text(o, "health", view_level_word(v->level), is_good);
	set(o, "reasons", reasons_of(v, is_good), is_good);
	set_flag(o, "present", !v->is_missing, is_good);
	set_flag(o, "replayed", v->is_replayed, is_good);
	set_flag(o, "virtual", v->is_virtual, is_good);
	set_flag(o, "asleep", v->is_asleep, is_good);
	set_flag(o, "stuck", v->is_stuck, is_good);
	set_flag(o, "reserved", v->is_reserved, is_good);
	set_flag(o, "up", v->is_up, is_good);
}

static void set_numbers(json_t *o, const struct view_drive *v, bool *is_good)
{
	const struct {
		const char *name;
		double value;
	} numbers[] = {
		{ "capacity_bytes", v->capacity_bytes }, { "power_on_seconds", v->power_on_s },
		{ "endurance_used_ratio", v->endurance_used }, { "rated_endurance_used_ratio", v->rated_used },
		{ "spare_available_ratio", v->spare }, { "spare_threshold_ratio", v->spare_threshold },
		{ "endurance_exhaustion_timestamp_seconds", v->exhausted_s },
		{ "temperature_celsius", v->temperature }, { "temperature_limit_celsius", v->temperature_limit },
		{ "written_bytes", v->written_bytes }, { "written_today_bytes", v->written_today_bytes }, { "read_bytes", v->read_bytes },
		{ "read_latency_seconds", v->latency[IO_RATE_READ].seconds }, { "write_latency_seconds", v->latency[IO_RATE_WRITE].seconds },
		{ "latency_window_seconds", v->latency[IO_RATE_READ].window_s },
		{ "poll_timestamp_seconds", v->polled_s }, { "poll_interval_seconds", v->interval_s },
		{ "missing_since_timestamp_seconds", v->missing_since_s },
	};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		set_number(o, numbers[i].name, numbers[i].value, is_good);
	if (isinf(v->exhausted_s))
		set_flag(o, "endurance_beyond_20_years", true, is_good);
}

static json_t *drive_of(const struct view_drive *v, bool *is_good)
{
	json_t *o = json_object();

	set_identity(o, v, is_good);
	set_state(o, v, is_good);
	set_numbers(o, v, is_good);
	return o;
}

/* ---- its readings, by the names of the metrics */

static json_t *labels_of(const struct sample *s, bool *is_good)
{
	const struct metric_family *f = &metric_families[s->family];
	json_t *labels = json_object();

	for (size_t i = 0; i < SAMPLE_LABELS && f->label[i] && s->label[i]; i++)
		set_text(labels, f->label[i], s->label[i], is_good);
	return labels;
}

static json_t *readings_of(const struct view_drive *v, bool *is_good)
{
	json_t *array = json_array();
	size_t n;
	const struct sample **served = readings_served(poller_of(v->drive), &n);

	for (size_t i = 0; i < n; i++) {
		json_t *o = json_object();

		if (isnan(served[i]->value)) {
			json_decref(o);
			continue;
		}
		set_text(o, "metric", metric_families[served[i]->family].name, is_good);
		set(o, "labels", labels_of(served[i], is_good), is_good);
		if (isinf(served[i]->value))
			set_text(o, "value", served[i]->value > 0 ? "+Inf" : "-Inf", is_good);
		else
			set_number(o, "value", served[i]->value, is_good);
		if (json_array_append_new(array, o))
			*is_good = false;
	}
	return array;
}

/* ---- the documents */

static int append(const char *bytes, size_t n, void *out)
{
	text_add_bytes(out, bytes, n);
	return 0;
}

/* Takes the document. */
static int write_out(json_t *document, bool is_good, struct text *out)
{
	is_good = is_good && document && !json_dump_callback(document, append, out, JSON_INDENT(2) | JSON_REAL_PRECISION(REAL_DIGITS));
	text_add(out, "\n");
	json_decref(document);
	return is_good && !out->truncated ? 0 : -ENOMEM;
}

int json_drives(const struct view *view, struct text *out)
{
	bool is_good = true;
	json_t *document = json_object(), *drives = json_array();

	for (size_t i = 0; i < view->n; i++)
		if (json_array_append_new(drives, drive_of(&view->drives[i], &is_good)))
			is_good = false;
	set(document, "version", json_integer(FORMAT_VERSION), &is_good);
	set_number(document, "time_seconds", floor(view->now_s), &is_good);
	set(document, "drives", drives, &is_good);
	return write_out(document, is_good, out);
}

int json_drive(const struct view_drive *v, double now_s, struct text *out)
{
	bool is_good = true;
	json_t *document = json_object(), *drive = drive_of(v, &is_good);

	set(document, "version", json_integer(FORMAT_VERSION), &is_good);
	set_number(document, "time_seconds", floor(now_s), &is_good);
	if (v->drive && !v->is_virtual)
		set(drive, "readings", readings_of(v, &is_good), &is_good);
	set(document, "drive", drive, &is_good);
	return write_out(document, is_good, out);
}

int json_error(const char *words, struct text *out)
{
	bool is_good = true;
	json_t *document = json_object();

	set(document, "version", json_integer(FORMAT_VERSION), &is_good);
	set_text(document, "error", words, &is_good);
	return write_out(document, is_good, out);
}
