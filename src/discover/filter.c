/* --drive.include and --drive.exclude. */
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "discover/drive.h"

enum filter_field { FIELD_MODEL, FIELD_SERIAL, FIELD_TRANSPORT, FIELD_DEVICE, N_FIELDS };

static const char *const field_names[N_FIELDS] = { "model", "serial", "transport", "device" };

struct filter_rule {
	struct filter_rule *next;
	bool is_include;
	enum filter_field field;
	regex_t pattern;
};

struct drive_filter {
	struct filter_rule *rules;
	bool has_include;
};

struct drive_filter *drive_filter_new(void)
{
	return calloc(1, sizeof(struct drive_filter));
}

void drive_filter_free(struct drive_filter *filter)
{
	if (!filter)
		return;
	while (filter->rules) {
		struct filter_rule *next = filter->rules->next;

		regfree(&filter->rules->pattern);
		free(filter->rules);
		filter->rules = next;
	}
	free(filter);
}

/* "sreial=ABC": a word before a = that is no field is a slip, not a model. */
static bool is_field_slip(const char *pattern)
{
	size_t letters = strspn(pattern, "abcdefghijklmnopqrstuvwxyz");

	return letters && pattern[letters] == '=';
}

/* "serial=ABC" to the field and what follows; a pattern without a known field is for models. */
static const char *split_field(const char *pattern, enum filter_field *ret)
{
	*ret = FIELD_MODEL;
	for (size_t i = 0; i < N_FIELDS; i++) {
		size_t n = strlen(field_names[i]);

		if (!strncmp(pattern, field_names[i], n) && pattern[n] == '=') {
			*ret = (enum filter_field)i;
			return pattern + n + 1;
		}
	}
	return pattern;
}

int drive_filter_add(struct drive_filter *filter, bool is_include, const char *pattern, struct text *error)
{
	struct filter_rule *rule = calloc(1, sizeof *rule);
	AUTO_TEXT whole = TEXT_LIMIT(4096);
	int bad;

	if (!rule)
		return -ENOMEM;
	if (split_field(pattern, &rule->field) == pattern && is_field_slip(pattern)) {
		text_addf(error, "bad pattern \"%s\": no field has this name; there are model, serial, transport, device",
			  pattern);
		free(rule);
		return -EINVAL;
	}
	pattern = split_field(pattern, &rule->field);
	text_addf(&whole, "^(%s)$", pattern);
	bad = whole.truncated ? REG_ESPACE : regcomp(&rule->pattern, whole.at, REG_EXTENDED | REG_NOSUB);
	if (bad) {
		char reason[128];

		regerror(bad, &rule->pattern, reason, sizeof reason);
		text_addf(error, "bad pattern \"%s\": %s", pattern, reason);
		free(rule);
		return -EINVAL;
	}
	rule->is_include = is_include;
	filter->has_include |= is_include;
	rule->next = filter->rules;
	filter->rules = rule;
	return 0;
}

enum match { MATCH_NO, MATCH_YES, MATCH_UNKNOWN };

/* What a rule looks at. drive NULL: it has no device now. */
struct looked_at {
	const struct drive *drive;
	const char *model, *serial, *transport;
	bool is_known;			/* it has told these */
};

static enum match match_device(const struct filter_rule *rule, const struct drive *drive)
{
	if (!drive)
		return MATCH_UNKNOWN;
	for (size_t i = 0; i < drive->n_devices; i++)
		if (!regexec(&rule->pattern, drive->devices[i].name, 0, NULL, 0))
			return MATCH_YES;
	return MATCH_NO;
}

static enum match rule_match(const struct filter_rule *rule, const struct looked_at *at)
{
	const char *value = "";

	switch (rule->field) {
	case FIELD_MODEL:
		value = at->model;
		break;
	case FIELD_SERIAL:
		value = at->serial;
		break;
	case FIELD_TRANSPORT:
		value = at->transport;
		break;
	case FIELD_DEVICE:
		return match_device(rule, at->drive);
	case N_FIELDS:
		break;
	}
	if (!at->is_known)
		return MATCH_UNKNOWN;
	return *value && !regexec(&rule->pattern, value, 0, NULL, 0) ? MATCH_YES : MATCH_NO;
}

static bool passes(const struct drive_filter *filter, const struct looked_at *at)
{
	bool is_included = !filter || !filter->has_include;

	for (const struct filter_rule *rule = filter ? filter->rules : NULL; rule; rule = rule->next) {
		enum match match = rule_match(rule, at);

		if (match == MATCH_YES && !rule->is_include)
			return false;
		if (match != MATCH_NO && rule->is_include)
			is_included = true;
	}
	return is_included;
}

bool drive_filter_passes(const struct drive_filter *filter, const struct drive *drive)
{
	return passes(filter, &(struct looked_at){ drive, drive->facts.model, drive->facts.serial, drive_transport_name(drive),
						   drive->is_identified || drive->is_virtual });
}

bool drive_filter_passes_known(const struct drive_filter *filter, const char *model, const char *serial, const char *transport)
{
	return passes(filter, &(struct looked_at){ NULL, model, serial, transport, true });
}
