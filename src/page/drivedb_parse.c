/* The text of drivedb.h to entries. It is C source: a list of braces with five string literals each, and
 * comments anywhere between. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/array.h"
#include "page/drivedb_pattern.h"
#include "page/drivedb_private.h"

enum field { FIELD_FAMILY, FIELD_MODEL, FIELD_FIRMWARE, FIELD_WARNING, FIELD_PRESETS, N_FIELDS };

static const struct {
	const char *name;
	size_t max;	/* bytes */
} fields[N_FIELDS] = {
	[FIELD_FAMILY] = { "the family", DRIVEDB_FAMILY_MAX },
	[FIELD_MODEL] = { "the pattern of models", DRIVEDB_PATTERN_MAX },
	[FIELD_FIRMWARE] = { "the pattern of firmware", DRIVEDB_PATTERN_MAX },
	[FIELD_WARNING] = { "the warning", DRIVEDB_STRING_MAX },
	[FIELD_PRESETS] = { "the list of presets", DRIVEDB_STRING_MAX },
};

struct place {
	const char *at;
	size_t line;
};

struct parser {
	const char *at, *end;
	size_t line;
	enum field field;	/* of the string read last */
	struct place begin;	/* of it */
	struct text string;	/* what it holds, its literals put together */
	struct text *error;
	struct drivedb *db;
	int r;			/* 0, or why it failed */
};

/* ---- saying what is wrong */

static bool refuse_at(struct parser *p, size_t line, const char *format, ...) PRINTF_LIKE(3, 4);

static bool refuse_at(struct parser *p, size_t line, const char *format, ...)
{
	char reason[256];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof reason, format, args);
	va_end(args);
	text_addf(p->error, "line %zu: %s", line, reason);
	p->r = -EINVAL;
	return false;
}

static bool refuse_memory(struct parser *p)
{
	text_add(p->error, drivedb_no_memory);
	p->r = -ENOMEM;
	return false;
}

static bool refuse_expected(struct parser *p, const char *what)
{
	unsigned char c = p->at < p->end ? (unsigned char)*p->at : 0;

	if (p->at == p->end)
		return refuse_at(p, p->line, "%s expected, not the end of the file", what);
	if (c <= ' ' || c >= 0x7f)
		return refuse_at(p, p->line, "%s expected, not the byte %02x", what, c);
	return refuse_at(p, p->line, "%s expected, not '%c'", what, c);
}

/* ---- C: blanks, comments, strings */

static bool begins(const struct parser *p, const char *what)
{
	size_t n = strlen(what);

	return (size_t)(p->end - p->at) >= n && !memcmp(p->at, what, n);
}

/* At the '/' and '*' that begin it. */
static bool skip_comment(struct parser *p)
{
	size_t line = p->line;

	for (p->at += 2; p->at < p->end; p->at++) {
		if (begins(p, "*/")) {
			p->at += 2;
			return true;
		}
		p->line += *p->at == '\n';
	}
	return refuse_at(p, line, "a comment that does not end");
}

static void skip_line(struct parser *p)
{
	const char *lf = memchr(p->at, '\n', (size_t)(p->end - p->at));

	p->at = lf ? lf : p->end;
}

/* Blanks and comments. */
static bool skip_blanks(struct parser *p)
{
	while (p->at < p->end) {
		if (begins(p, "//")) {
			skip_line(p);
		} else if (begins(p, "/*")) {
			if (!skip_comment(p))
				return false;
		} else if (memchr(" \t\r\n\f\v", *p->at, 6)) {
			p->line += *p->at++ == '\n';
		} else {
			break;
		}
	}
	return true;
}

/* Takes that character if it comes next. */
static bool take(struct parser *p, char c)
{
	if (!skip_blanks(p) || p->at == p->end || *p->at != c)
		return false;
	p->at++;
	return true;
}

static bool expect(struct parser *p, char c)
{
	return take(p, c) || (!p->r && refuse_expected(p, (const char[]){ '\'', c, '\'', 0 }));
}

static bool add_to_string(struct parser *p, const char *bytes, size_t n)
{
	size_t max = fields[p->field].max;

	if (n > max - p->string.length)
		return refuse_at(p, p->line, "%s is longer than %zu bytes", fields[p->field].name, max);
	text_add_bytes(&p->string, bytes, n);
	return !p->string.truncated || refuse_memory(p);
}

/* After a backslash. Numbers of characters occur in no such file, and could make a NUL. */
static bool read_escape(struct parser *p)
{
	static const char from[] = "\"\\'?nrt", to[] = "\"\\'?\n\r\t";
	const char *found = p->at < p->end ? memchr(from, *p->at, strlen(from)) : NULL;

	if (!found)
		return refuse_expected(p, "a character that may follow '\\' (\" \\ ' ? n r t)");
	p->at++;
	return add_to_string(p, &to[found - from], 1);
}

/* Neither a control character, nor what ends or interrupts a literal. */
static bool is_plain(char c)
{
	return (unsigned char)c >= ' ' && c != 0x7f && c != '"' && c != '\\';
}

/* At the quote that begins it; adds to p->string. */
static bool read_literal(struct parser *p)
{
	p->at++;
	for (;;) {
		const char *begin = p->at;

		while (p->at < p->end && is_plain(*p->at))
			p->at++;
		if (!add_to_string(p, begin, (size_t)(p->at - begin)))
			return false;
		if (p->at == p->end || (*p->at != '"' && *p->at != '\\'))
			return refuse_expected(p, "'\"' at the end of a string");
		if (*p->at++ == '"')
			return true;
		if (!read_escape(p))
			return false;
	}
}

/* Literals one after the other are one string. */
static bool read_literals(struct parser *p)
{
	if (p->at == p->end || *p->at != '"')
		return refuse_expected(p, "a string");
	while (p->at < p->end && *p->at == '"')
		if (!read_literal(p) || !skip_blanks(p))
			return false;
	return true;
}

static bool read_string(struct parser *p, enum field field)
{
	if (!skip_blanks(p))
		return false;
	p->field = field;
	p->begin = (struct place){ p->at, p->line };
	p->string.length = 0;
	return add_to_string(p, "", 0) && read_literals(p);
}

/* The line that character n of the string read last stands on. */
static size_t line_of(const struct parser *p, size_t n)
{
	AUTO_TEXT ignored = TEXT_LIMIT(256);
	struct parser again = { .at = p->begin.at, .end = p->end, .line = p->begin.line, .field = p->field,
				.error = &ignored };
	size_t line = again.line;

	/* It was read once, so it can be again, but for want of memory. */
	while (again.string.length <= n && again.at < again.end && *again.at == '"') {
		line = again.line;
		if (!read_literal(&again) || !skip_blanks(&again))
			break;
	}
	text_free(&again.string);
	return line;
}

/* ---- entries */

/* What an entry is for: its first string tells. */
enum entry_kind { ENTRY_DRIVE, ENTRY_VERSION, ENTRY_DEFAULT, ENTRY_IGNORED };

static const struct {
	const char *begin;
	bool is_whole;
	enum entry_kind kind;
} kinds[] = {
	{ "VERSION:", false, ENTRY_VERSION },
	{ "DEFAULT", true, ENTRY_DEFAULT },
	{ "USB:", false, ENTRY_IGNORED },	/* bridges, by USB number */
	{ "$", false, ENTRY_IGNORED },
};

static enum entry_kind kind_of(const char *family)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strncmp(family, kinds[i].begin, strlen(kinds[i].begin) + kinds[i].is_whole))
			return kinds[i].kind;
	return ENTRY_DRIVE;
}

/* "VERSION: 7.5/5706 ...", or in older files "VERSION: 7.3 $Id: drivedb.h 5319 ...". The first of several
 * counts. */
static bool read_version(struct parser *p)
{
	char *rest = p->string.at + strlen("VERSION:"), *version = drivedb_word(&rest), *revision = NULL;

	if (!version || *p->db->version)
		return true;
	if (!strncmp(rest, "$Id: ", strlen("$Id: ")) && !strchr(version, '/')) {
		drivedb_word(&rest);
		drivedb_word(&rest);
		revision = drivedb_word(&rest);
	}
	for (const char *c = version; *c; c++)
		if ((unsigned char)*c > '~')
			return refuse_at(p, p->begin.line, "a version in printable ASCII expected");
	if (revision && !revision[strspn(revision, "0123456789")])
		snprintf(p->db->version, sizeof p->db->version, "%s/%s", version, revision);
	else
		text_copy(p->db->version, sizeof p->db->version, version);
	return true;
}

static bool keep_family(struct parser *p, struct drivedb_entry *e)
{
	for (const char *c = p->string.at; *c; c++)
		if ((unsigned char)*c < ' ')
			return refuse_at(p, p->begin.line, "a control character in the family");
	if (!text_is_utf8(p->string.at))
		return refuse_at(p, p->begin.line, "the family is not UTF-8");
	e->family = drivedb_keep(p->db, p->string.at);
	return true;
}

/* is_good: false where the pattern is none we take. */
static const char *keep_pattern(struct parser *p, bool *is_good)
{
	uint64_t work;

	*is_good = *is_good && !pattern_refusal(p->string.at, &work);
	if (*is_good)
		p->db->work += work;
	return drivedb_keep(p->db, p->string.at);
}

static bool keep_entry(struct parser *p, const struct drivedb_entry *e)
{
	struct drivedb *db = p->db;

	if (db->n_entries == DRIVEDB_ENTRIES_MAX)
		return refuse_at(p, p->line, "more than %d entries", DRIVEDB_ENTRIES_MAX);
	if (db->work > DRIVEDB_WORK_MAX)
		return refuse_at(p, p->line, "more than %d characters of patterns may have to be walked",
				 DRIVEDB_WORK_MAX);
	if (!ARRAY_GROW(db->entries, db->room_entries, db->n_entries))
		return refuse_memory(p);
	db->entries[db->n_entries++] = *e;
	return true;
}

static bool use_presets(struct parser *p, struct drivedb_entry *e)
{
	size_t where;
	const char *why = drivedb_read_presets(p->db, p->string.at, e, &where);

	if (why == drivedb_no_memory)
		return refuse_memory(p);
	return !why || refuse_at(p, line_of(p, where), "%s", why);
}

/* A field of an entry that drives can match, or of DEFAULT. */
static bool use_field(struct parser *p, enum field field, struct drivedb_entry *e, bool *is_good)
{
	switch (field) {
	case FIELD_FAMILY:
		return keep_family(p, e);
	case FIELD_MODEL:
		*is_good = *p->string.at;
		e->model = keep_pattern(p, is_good);
		return true;
	case FIELD_FIRMWARE:
		e->firmware = keep_pattern(p, is_good);
		return true;
	case FIELD_PRESETS:
		return use_presets(p, e);
	default:
		return true;
	}
}

static bool end_entry(struct parser *p, enum entry_kind kind, const struct drivedb_entry *e, bool is_good)
{
	if (kind == ENTRY_DRIVE && is_good)
		return keep_entry(p, e);
	p->db->n_not_understood += kind == ENTRY_DRIVE;
	if (kind == ENTRY_DEFAULT && !p->db->has_defaults) {
		p->db->defaults = *e;
		p->db->has_defaults = true;
	}
	return true;
}

/* { FAMILY, MODEL, FIRMWARE, WARNING, PRESETS } */
static bool read_entry(struct parser *p)
{
	enum entry_kind kind = ENTRY_DRIVE;
	struct drivedb_entry e = { 0 };
	bool is_good = true;

	if (!expect(p, '{'))
		return false;
	for (enum field field = FIELD_FAMILY; field < N_FIELDS; field++) {
		if (field > 0 && !expect(p, ','))
			return false;
		if (!read_string(p, field))
			return false;
		if (field == FIELD_FAMILY)
			kind = kind_of(p->string.at);
		if (kind == ENTRY_VERSION && field == FIELD_FAMILY && !read_version(p))
			return false;
		if ((kind == ENTRY_DRIVE || kind == ENTRY_DEFAULT) && !use_field(p, field, &e, &is_good))
			return false;
	}
	return expect(p, '}') && end_entry(p, kind, &e, is_good);
}

/* Entries with commas between, and perhaps one behind the last. */
static bool read_entries(struct parser *p)
{
	do {
		if (!read_entry(p) || !skip_blanks(p))
			return false;
		if (p->at == p->end)
			return true;
	} while (expect(p, ',') && skip_blanks(p) && p->at < p->end);
	return !p->r;
}

int drivedb_parse(const char *text, size_t n, struct drivedb **ret, struct text *error)
{
	struct parser p = { .at = text, .end = text + n, .line = 1, .error = error };

	*ret = NULL;
	if (n > DRIVEDB_BYTES_MAX) {
		refuse_at(&p, 1, "more than %d bytes", DRIVEDB_BYTES_MAX);
		return p.r;
	}
	p.db = calloc(1, sizeof *p.db);
	if (p.db)
		p.db->texts = malloc(p.db->room_texts = n + 1);
	if (!p.db || !p.db->texts)
		refuse_memory(&p);
	else
		read_entries(&p);
	text_free(&p.string);
	if (p.r)
		drivedb_free(p.db);
	else
		*ret = p.db;
	return p.r;
}

