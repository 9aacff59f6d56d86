/* What the data base says of a model; its life; its file. */
#include <string.h>

#include "base/file.h"
#include "page/drivedb_pattern.h"
#include "page/drivedb_private.h"

void drivedb_free(struct drivedb *db)
{
	if (!db)
		return;
	free(db->texts);
	free(db->entries);
	free(db->settings);
	free(db);
}

const char *drivedb_version(const struct drivedb *db)
{
	return db->version;
}

size_t drivedb_entries(const struct drivedb *db)
{
	return db->n_entries;
}

size_t drivedb_not_understood(const struct drivedb *db)
{
	return db->n_not_understood;
}

/* ---- lookups */

static const struct drivedb_entry *find(const struct drivedb *db, const char *model, const char *firmware)
{
	for (size_t i = 0; i < db->n_entries; i++) {
		const struct drivedb_entry *e = &db->entries[i];

		if (pattern_matches(e->model, model) && (!*e->firmware || pattern_matches(e->firmware, firmware)))
			return e;
	}
	return NULL;
}

/* A name for the other kind of drive is no name. A drive that does not tell what it is may be either. */
static const char *name_for(const struct drivedb_setting *s, int is_solid_state)
{
	bool is_other = (s->only == DRIVEDB_ROTATING && is_solid_state == 1) ||
			(s->only == DRIVEDB_SOLID_STATE && is_solid_state == 0);

	return is_other ? "" : s->name;
}

static void set(struct drivedb_attribute *a, const struct drivedb_setting *s, int is_solid_state, bool is_own)
{
	if (s->name) {
		a->name = name_for(s, is_solid_state);
		a->has_own_name = is_own;
	}
	a->format = s->format;
	a->has_own_format = is_own;
	a->is_increasing = s->is_increasing;
	text_copy(a->order, sizeof a->order, *s->order ? s->order : drivedb_format_order(a->format));
	a->takes_value = strchr(a->order, 'v');
	a->takes_worst = a->takes_value || strchr(a->order, 'w');
}

/* A line for all attributes goes under those for one, wherever it stands. */
static void apply(const struct drivedb *db, const struct drivedb_entry *e, int is_solid_state, bool is_own,
		  struct drivedb_attribute a[DRIVEDB_IDS])
{
	bool is_set[DRIVEDB_IDS] = { false };

	for (size_t i = 0; i < e->n_settings; i++) {
		const struct drivedb_setting *s = &db->settings[e->first_setting + i];
		unsigned first = s->id ? s->id : 1, last = s->id ? s->id : DRIVEDB_IDS - 1;

		for (unsigned id = first; id <= last; id++) {
			if (s->id == 0 && is_set[id])
				continue;
			set(&a[id], s, is_solid_state, is_own);
			is_set[id] = true;
		}
	}
}

bool drivedb_lookup(const struct drivedb *db, const char *model, const char *firmware, int is_solid_state,
		    struct drivedb_drive *ret)
{
	static const struct drivedb_setting nothing = { .name = "", .format = DRIVEDB_RAW48 };
	const struct drivedb_entry *e = find(db, model, firmware);

	*ret = (struct drivedb_drive){ .family = e ? e->family : NULL, .bugs = e ? e->bugs : 0 };
	for (size_t id = 0; id < DRIVEDB_IDS; id++)
		set(&ret->attributes[id], &nothing, is_solid_state, false);
	apply(db, &db->defaults, is_solid_state, false, ret->attributes);
	if (e)
		apply(db, e, is_solid_state, true, ret->attributes);
	return e;
}

/* ---- files */

int drivedb_read(const char *path, struct drivedb **ret, struct text *error)
{
	AUTO_TEXT text = TEXT_LIMIT(DRIVEDB_BYTES_MAX), why = TEXT_LIMIT(1000);
	int r = file_read(path, &text);

	*ret = NULL;
	if (r < 0)
		text_add(&why, file_read_error(r));
	else
		r = drivedb_parse(text.at, text.length, ret, &why);
	if (r < 0)
		text_addf(error, "%s: %s", path, why.at ? why.at : strerror(-r));
	return r;
}
