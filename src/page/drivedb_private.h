/* Inside the reader of drivedb.h: an entry in memory, and the pieces of the parser. */
#pragma once

#include "page/drivedb.h"

enum { DRIVEDB_IDS = 256, DRIVEDB_VERSION_MAX = 64 };

/* To which drives a name applies. */
enum drivedb_kind { DRIVEDB_ANY, DRIVEDB_ROTATING, DRIVEDB_SOLID_STATE };

/* A -v of the presets. */
struct drivedb_setting {
	const char *name;	/* NULL: that of DEFAULT */
	uint8_t id;		/* 0: all that have no line of their own */
	uint8_t format, only;	/* enum drivedb_format, enum drivedb_kind */
	bool is_increasing;
	char order[9];		/* "": the format's */
};

struct drivedb_entry {
	const char *family, *model, *firmware;
	size_t first_setting, n_settings;
	unsigned bugs;
};

struct drivedb {
	char *texts;		/* every string that is kept, each with a NUL */
	size_t n_texts, room_texts;
	struct drivedb_entry *entries, defaults;
	size_t n_entries, room_entries;
	struct drivedb_setting *settings;
	size_t n_settings, room_settings;
	size_t n_not_understood;
	uint64_t work;		/* of a lookup that matches none */
	bool has_defaults;
	char version[DRIVEDB_VERSION_MAX];
};

/* A copy of a string that is as long as the data base. There is room: of a string that stands in quotes, or
 * behind a comma, and is kept once. */
const char *drivedb_keep(struct drivedb *, const char *string);

/* The next word, ended with a NUL in place; NULL at the end. */
char *drivedb_word(char **rest);

extern const char drivedb_no_memory[];

/* Reads presets, cutting their text into pieces, into the entry. NULL, or what is wrong, and with which
 * character; where there is no memory drivedb_no_memory. */
const char *drivedb_read_presets(struct drivedb *, char *text, struct drivedb_entry *, size_t *ret_where);
