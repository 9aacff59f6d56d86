/* The presets of an entry: options of smartctl(8), -v and -F. */
#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "page/drivedb_private.h"

const char drivedb_no_memory[] = "out of memory";

const char *drivedb_keep(struct drivedb *db, const char *string)
{
	size_t n = strlen(string) + 1;
	char *kept = db->texts + db->n_texts;

	assert(n <= db->room_texts - db->n_texts);
	memcpy(kept, string, n);
	db->n_texts += n;
	return kept;
}

char *drivedb_word(char **rest)
{
	char *word = *rest + strspn(*rest, " \t\r\n"), *end = word + strcspn(word, " \t\r\n");

	*rest = *end ? end + 1 : end;
	*end = 0;
	return *word ? word : NULL;
}

/* ---- -v ID,FORMAT[:ORDER][+][,NAME[,HDD|SSD]] */

/* Old forms without a format of their own: smartctl(8), option -v. */
static const struct {
	uint8_t id;
	const char *word;
	enum drivedb_format format;
	bool is_increasing;
	const char *name;	/* NULL: as without it */
} old_forms[] = {
	{ 9, "halfminutes", DRIVEDB_HALFMIN2HOUR, false, "Power_On_Half_Minutes" },
	{ 9, "minutes", DRIVEDB_MIN2HOUR, false, "Power_On_Minutes" },
	{ 9, "seconds", DRIVEDB_SEC2HOUR, false, "Power_On_Seconds" },
	{ 9, "temp", DRIVEDB_TEMPMINMAX, false, "Temperature_Celsius" },
	{ 192, "emergencyretractcyclect", DRIVEDB_RAW48, false, "Emerg_Retract_Cycle_Ct" },
	{ 193, "loadunload", DRIVEDB_RAW24_DIV_RAW24, false, NULL },
	{ 194, "10xCelsius", DRIVEDB_TEMP10X, false, "Temperature_Celsius_x10" },
	{ 194, "unknown", DRIVEDB_RAW48, false, "Unknown_Attribute" },
	{ 197, "increasing", DRIVEDB_RAW48, true, "Total_Pending_Sectors" },
	{ 198, "increasing", DRIVEDB_RAW48, true, "Total_Offl_Uncorrectabl" },
	{ 198, "offlinescanuncsectorct", DRIVEDB_RAW48, false, "Offline_Scan_UNC_SectCt" },
	{ 200, "writeerrorcount", DRIVEDB_RAW48, false, "Write_Error_Count" },
	{ 201, "detectedtacount", DRIVEDB_RAW48, false, "Detected_TA_Count" },
	{ 220, "temp", DRIVEDB_TEMPMINMAX, false, "Temperature_Celsius" },
};

static bool set_old_form(const char *word, struct drivedb_setting *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(old_forms); i++) {
		if (old_forms[i].id != s->id || strcmp(old_forms[i].word, word))
			continue;
		s->format = (uint8_t)old_forms[i].format;
		s->is_increasing = old_forms[i].is_increasing;
		s->name = old_forms[i].name;
		return true;
	}
	return false;
}

/* FORMAT[:ORDER][+], cut in place. What we do not know leaves DRIVEDB_UNKNOWN: then no number is better than
 * one of the format that DEFAULT has. */
static void set_format(char *word, struct drivedb_setting *s)
{
	size_t n = strlen(word);
	char *order;

	s->is_increasing = n && word[n - 1] == '+';
	if (s->is_increasing)
		word[n - 1] = 0;
	order = strchr(word, ':');
	if (order) {
		*order++ = 0;
		if (!*order || strlen(order) >= sizeof s->order || order[strspn(order, "012345rvwz")])
			return;
		text_copy(s->order, sizeof s->order, order);
	}
	s->format = (uint8_t)drivedb_format_from(word);
}

/* ID,FORMAT[,NAME[,HDD|SSD]], cut at its commas: NULL, or what is wrong. */
static const char *read_words(char *word[4], size_t n, struct drivedb_setting *s)
{
	uint64_t id = 0;

	if (strcmp(word[0], "N") && (!text_to_u64(word[0], DRIVEDB_IDS - 1, &id) || !id))
		return "an attribute's number (1 to 255, or N) expected after -v";
	if (n < 2 || !*word[1])
		return "a format expected behind an attribute's number";
	s->id = (uint8_t)id;
	if (n > 2 || !set_old_form(word[1], s))
		set_format(word[1], s);
	if (n == 2)
		return NULL;
	if (!*word[2] || strlen(word[2]) > DRIVEDB_NAME_MAX)
		return "an attribute's name has 1 to 64 characters";
	for (const char *c = word[2]; *c; c++)
		if (*c <= ' ' || *c > '~')
			return "an attribute's name is printable ASCII";
	s->name = word[2];
	if (n == 3)
		return NULL;
	if (strcmp(word[3], "HDD") && strcmp(word[3], "SSD"))
		return "HDD or SSD expected behind an attribute's name";
	s->only = *word[3] == 'H' ? DRIVEDB_ROTATING : DRIVEDB_SOLID_STATE;
	return NULL;
}

/* A fifth word is left where the fourth must be HDD or SSD. */
static size_t cut_at_commas(char *argument, char *word[4])
{
	size_t n = 0;

	while (argument && n < 3)
		word[n++] = strsep(&argument, ",");
	if (argument)
		word[n++] = argument;
	return n;
}

/* The argument of -v; NULL, or what is wrong. */
static const char *add_setting(struct drivedb *db, char *argument)
{
	struct drivedb_setting s = { .format = DRIVEDB_UNKNOWN };
	char *word[4] = { NULL };
	size_t n = cut_at_commas(argument, word);
	const char *why = read_words(word, n, &s);

	_Static_assert(DRIVEDB_SETTINGS_MAX == 65536 && DRIVEDB_NAME_MAX == 64, "as the reasons have it");
	if (why)
		return why;
	if (db->n_settings == DRIVEDB_SETTINGS_MAX)
		return "more than 65536 attributes in all";
	if (!ARRAY_GROW(db->settings, db->room_settings, db->n_settings))
		return drivedb_no_memory;
	if (s.name && !strncmp(s.name, "Unknown_", strlen("Unknown_")))
		s.name = "";
	else if (s.name && n > 2)
		s.name = drivedb_keep(db, s.name);
	db->n_not_understood += s.format == DRIVEDB_UNKNOWN;
	db->settings[db->n_settings++] = s;
	return NULL;
}

/* ---- -F BUG */

static const struct {
	const char *word;
	unsigned bug;
} bugs[] = {
	{ "none", 0 },
	{ "nologdir", DRIVEDB_NO_LOG_DIRECTORY },
	{ "samsung", DRIVEDB_SWAPPED_WORDS },
	{ "samsung2", DRIVEDB_SWAPPED_ERROR_COUNT },
	{ "samsung3", DRIVEDB_SELF_TEST_SEEMS_RUNNING },
	{ "xerrorlba", DRIVEDB_LITTLE_ENDIAN_ERROR_LBA },
	{ "swapid", DRIVEDB_SWAPPED_IDENTIFY },
};

static unsigned bug_from(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(bugs); i++)
		if (!strcmp(word, bugs[i].word))
			return bugs[i].bug;
	return DRIVEDB_OTHER_BUG;
}

static void add_bug(struct drivedb *db, const char *argument, struct drivedb_entry *e)
{
	unsigned bug = bug_from(argument);

	e->bugs |= bug;
	db->n_not_understood += bug == DRIVEDB_OTHER_BUG;
}

/* Options with an argument each. Another option than these two could change what the others mean. */
static const char *read_option(struct drivedb *db, const char *option, char *argument, struct drivedb_entry *e)
{
	bool is_setting = !strcmp(option, "-v");

	if (!is_setting && strcmp(option, "-F"))
		return "-v or -F expected";
	if (!argument)
		return "an argument expected behind -v and -F";
	if (is_setting)
		return add_setting(db, argument);
	add_bug(db, argument, e);
	return NULL;
}

const char *drivedb_read_presets(struct drivedb *db, char *text, struct drivedb_entry *e, size_t *ret_where)
{
	char *rest = text, *option;

	e->first_setting = db->n_settings;
	while ((option = drivedb_word(&rest))) {
		char *argument = drivedb_word(&rest);
		const char *why = read_option(db, option, argument, e);

		*ret_where = (size_t)((argument ? argument : option) - text);
		if (why)
			return why;
	}
	e->n_settings = db->n_settings - e->first_setting;
	return NULL;
}
