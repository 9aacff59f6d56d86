/* page/: the reader of smartmontools' data base of drives. All texts here are made up but for those of the
 * installed file. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "page/drivedb.h"

/* One entry with these last four strings, as C has them. */
#define ENTRY(family, model, firmware, presets) \
	"{ \"" family "\", \"" model "\", \"" firmware "\", \"\", \"" presets "\" },\n"
#define DEFAULT(presets) ENTRY("DEFAULT", "-", "-", presets)

static void drivedb_freep(struct drivedb **db)
{
	drivedb_free(*db);
}

#define AUTO_DRIVEDB CLEANUP(drivedb_freep) struct drivedb *

/* A copy of exactly that size, so that the sanitizer sees one byte too far. */
static int parse_exactly(const char *text, size_t n, struct drivedb **ret, struct text *error)
{
	char *copy = malloc(n ? n : 1);
	int r;

	assert_non_null(copy);
	memcpy(copy, text, n);
	*ret = (struct drivedb *)copy;
	r = drivedb_parse(copy, n, ret, error);
	free(copy);
	assert_true(r == 0 || r == -EINVAL);
	assert_true(!*ret == (r < 0));
	assert_true(!error->length == !r);
	return r;
}

static struct drivedb *parse(const char *text)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	struct drivedb *db;

	if (parse_exactly(text, strlen(text), &db, &error)) {
		print_error("%s\n", error.at);
		fail();
	}
	return db;
}

/* What it is refused for. */
static void assert_refused(const char *text, size_t n, const char *why)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	struct drivedb *db;

	assert_int_equal(parse_exactly(text, n, &db, &error), -EINVAL);
	assert_string_equal(error.at, why);
}

static const char *family_of(const struct drivedb *db, const char *model, const char *firmware)
{
	struct drivedb_drive drive;
	bool is_known = drivedb_lookup(db, model, firmware, -1, &drive);

	assert_true(is_known == !!drive.family);
	return is_known ? drive.family : "(none)";
}

static struct drivedb_attribute attribute_of(const struct drivedb *db, const char *model, int is_solid_state,
					     unsigned id)
{
	struct drivedb_drive drive;

	drivedb_lookup(db, model, "1.0", is_solid_state, &drive);
	return drive.attributes[id];
}

static void assert_attribute(const struct drivedb *db, const char *model, unsigned id, const char *name,
			     enum drivedb_format format, const char *order)
{
	struct drivedb_attribute a = attribute_of(db, model, -1, id);

	if (strcmp(a.name, name) || a.format != format || strcmp(a.order, order))
		print_error("attribute %u of %s is \"%s\", %s:%s\n", id, model, a.name,
			    drivedb_format_name(a.format), a.order);
	assert_string_equal(a.name, name);
	assert_int_equal(a.format, format);
	assert_string_equal(a.order, order);
}

/* ---- the file */

/* Everything at once that the grammar allows and a naive reader trips over. */
static const char whole_file[] =
	"/* An example.\n"
	" * const drive_settings builtin_knowndrives[] = { \"not\", \"an\", \"entry\" }\n"
	" */\n"
	"/*\n"
	"const drive_settings builtin_knowndrives[] = {\n"
	" */\n"
	"  { \"VERSION: 9.8 $Id: drivedb.h 7654 2030-01-02 03:04:05Z somebody $\",\n"
	"    \"-\", \"-\", \"Version\", \"\"\n"
	"  },\n"
	"  { \"DEFAULT\", \"-\", \"-\",\n"
	"    \"Default \\\"settings\\\"\\n\",\n"
	"    \"-v 1,raw48,First_Of_All \"\n"
	"    //  2-8 nobody knows\n"
	"    \"-v 9,raw24(raw8),Hours \" /* here, too */ \"-v 10,raw48,Spin,HDD -v 11,raw48,Cells,SSD\"\n"
	"  },\n"
	"  { \"Example \" \"One\",  // (c) http://example.com/\"quoted\"\n"
	"    \"EX-(1|2)00\\\\.[0-9]{2}\"  // one back\\slash here \\\\\n"
	"    \"|EX \\\"OEM\\\" //.*\", // the second slash is text\n"
	"    \"\", \"\", // any firmware \"1\\.0\"\n"
	"  //\"-v 1,raw48,Commented_Out \"\n"
	"    \"-v 9,min2hour \"\n"
	"    /* \"-v 9,sec2hour \" // */ \"-v 2\" // split\n"
	"    \"00,raw16(avg16),Split_Name\"\n"
	"    \"_Here\"\n"
	"  },\n"
	"  { \"$Hidden\", \"EX-.*\", \"\", \"\", \"-v 1,raw48,Hidden -x y\" },\n"
	"  { \"USB: Bridge; Chip\", \"0x1234:0x56(78\", \"\", \"\", \"-d sat\" },\n"
	"  { \"\", \"EX-300\", \"\", \"see \\\"http://example.com/\\\"\\n\", \"\" },\r\n"
	"\t{ \"Example Two\", \"EX-300|EX-[3-9]00\",\f\v\"(2|3)\\\\.0\", \"\", \"-F nologdir\" }, // the end\n"
	"/* } */\n";

static void a_whole_file_is_read(void **state)
{
	AUTO_DRIVEDB db = parse(whole_file);

	assert_string_equal(drivedb_version(db), "9.8/7654");
	assert_int_equal(drivedb_entries(db), 3);
	assert_int_equal(drivedb_not_understood(db), 0);
	assert_string_equal(family_of(db, "EX-100.42", ""), "Example One");
	assert_string_equal(family_of(db, "EX-200.42", "9"), "Example One");
	assert_string_equal(family_of(db, "EX-100x42", ""), "(none)");
	assert_string_equal(family_of(db, "EX \"OEM\" //x", ""), "Example One");
	assert_string_equal(family_of(db, "EX-300", "2.0"), "");
	assert_string_equal(family_of(db, "EX-400", "2.0"), "Example Two");
	assert_string_equal(family_of(db, "EX-400", "12.0"), "(none)");
	assert_string_equal(family_of(db, "EX-400", "2.0x"), "(none)");
	assert_string_equal(family_of(db, "EX-400", ""), "(none)");
	assert_string_equal(family_of(db, "-", "-"), "(none)");
	assert_string_equal(family_of(db, "0x1234:0x5678", ""), "(none)");
	assert_attribute(db, "EX-100.42", 1, "First_Of_All", DRIVEDB_RAW48, "543210");
	assert_attribute(db, "EX-100.42", 9, "Hours", DRIVEDB_MIN2HOUR, "543210");
	assert_attribute(db, "EX-100.42", 200, "Split_Name_Here", DRIVEDB_RAW16_AVG16, "543210");
	assert_attribute(db, "EX-400", 9, "Hours", DRIVEDB_RAW24_RAW8, "543210");
	assert_attribute(db, "EX-400", 77, "", DRIVEDB_RAW48, "543210");
}

/* Cut anywhere it is broken, but right behind an entry (and its comma, blanks and comments). */
static void every_cut_is_refused_or_ends_an_entry(void **state)
{
	for (size_t n = 0; n < sizeof whole_file; n++) {
		AUTO_TEXT error = TEXT_LIMIT(1000);
		AUTO_DRIVEDB db = NULL;

		if (parse_exactly(whole_file, n, &db, &error) == 0)
			assert_true(memrchr(whole_file, '}', n));
		else
			assert_memory_equal(error.at, "line ", 5);
	}
	assert_refused(whole_file, 0, "line 1: '{' expected, not the end of the file");
}

static void versions_are_read(void **state)
{
	static const struct {
		const char *text, *version;
	} rows[] = {
		{ ENTRY("VERSION: 7.5/5706 $Id$", "-", "-", ""), "7.5/5706" },
		{ ENTRY("VERSION: 7.3 $Id: drivedb.h 5319 2022-02-19 $", "-", "-", ""), "7.3/5319" },
		{ ENTRY("VERSION: 7.3 $Id: drivedb.h x5319 $", "-", "-", ""), "7.3" },
		{ ENTRY("VERSION: 7.3 $Id: drivedb.h", "-", "-", ""), "7.3" },
		{ ENTRY("VERSION: 7.3 another", "-", "-", ""), "7.3" },
		{ ENTRY("VERSION:", "-", "-", ""), "" },
		{ ENTRY("VERSION: 1", "-", "-", "") ENTRY("VERSION: 2", "-", "-", ""), "1" },
		{ ENTRY("VERSION 1", "-", "-", ""), "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_DRIVEDB db = parse(rows[i].text);

		assert_string_equal(drivedb_version(db), rows[i].version);
	}
}

static const struct {
	const char *text, *why;
} broken[] = {
	{ "\n\n", "line 3: '{' expected, not the end of the file" },
	{ "int x;", "line 1: '{' expected, not 'i'" },
	{ "#define x\n{", "line 1: '{' expected, not '#'" },
	{ "\xef\xbb\xbf{", "line 1: '{' expected, not the byte ef" },
	{ "/* x\n*", "line 1: a comment that does not end" },
	{ "/ {", "line 1: '{' expected, not '/'" },
	{ "{ \"a\",\n\"b\" }", "line 2: ',' expected, not '}'" },
	{ "{ \"a\", \"b\",\n\"c\", \"d\" }", "line 2: ',' expected, not '}'" },
	{ "{ \"a\", \"b\", \"c\", \"d\",\n\"\", \"f\" }", "line 2: '}' expected, not ','" },
	{ "{ \"a\", \"b\", \"c\", \"d\", \"\",\n}", "line 1: '}' expected, not ','" },
	{ "{ \"a\",, \"c\", \"d\", \"\" }", "line 1: a string expected, not ','" },
	{ "{ \"a\", NULL, \"c\", \"d\", \"\" }", "line 1: a string expected, not 'N'" },
	{ "{ {", "line 1: a string expected, not '{'" },
	{ ENTRY("a", "b", "", "") "\n,", "line 3: '{' expected, not ','" },
	{ "{ \"a\", \"b\", \"\", \"\", \"\" }\n{", "line 2: ',' expected, not '{'" },
	{ "{ \"a\nb\"", "line 1: '\"' at the end of a string expected, not the byte 0a" },
	{ "{ \"a\tb\"", "line 1: '\"' at the end of a string expected, not the byte 09" },
	{ "{ \"a", "line 1: '\"' at the end of a string expected, not the end of the file" },
	{ "{ \"a\\", "line 1: a character that may follow '\\' (\" \\ ' ? n r t) expected, not the end of the file" },
	{ "{ \"a\\\n\"", "line 1: a character that may follow '\\' (\" \\ ' ? n r t) expected, not the byte 0a" },
	{ "{ \"\\0\"", "line 1: a character that may follow '\\' (\" \\ ' ? n r t) expected, not '0'" },
	{ "{ \"\\x41\"", "line 1: a character that may follow '\\' (\" \\ ' ? n r t) expected, not 'x'" },
	{ "{ \"\\.\"", "line 1: a character that may follow '\\' (\" \\ ' ? n r t) expected, not '.'" },
	{ ENTRY("a\xff", "b", "", ""), "line 1: the family is not UTF-8" },
	{ ENTRY("a\\nb", "b", "", ""), "line 1: a control character in the family" },
	{ ENTRY("VERSION: \xc3\xa4", "b", "", ""), "line 1: a version in printable ASCII expected" },
	{ ENTRY("a", "b", "", "-x 1"), "line 1: -v or -F expected" },
	{ ENTRY("a", "b", "", "-v9,raw48"), "line 1: -v or -F expected" },
	{ ENTRY("a", "b", "", "-v 1,raw48 2,raw48"), "line 1: -v or -F expected" },
	{ ENTRY("a", "b", "", "-v"), "line 1: an argument expected behind -v and -F" },
	{ ENTRY("a", "b", "", "-v 1,raw48 -F "), "line 1: an argument expected behind -v and -F" },
	{ ENTRY("a", "b", "", "-v 0,raw48"), "line 1: an attribute's number (1 to 255, or N) expected after -v" },
	{ ENTRY("a", "b", "", "-v 256,raw48"), "line 1: an attribute's number (1 to 255, or N) expected after -v" },
	{ ENTRY("a", "b", "", "-v -1,raw48"), "line 1: an attribute's number (1 to 255, or N) expected after -v" },
	{ ENTRY("a", "b", "", "-v n,raw48"), "line 1: an attribute's number (1 to 255, or N) expected after -v" },
	{ ENTRY("a", "b", "", "-v ,raw48"), "line 1: an attribute's number (1 to 255, or N) expected after -v" },
	{ ENTRY("a", "b", "", "-v 9"), "line 1: a format expected behind an attribute's number" },
	{ ENTRY("a", "b", "", "-v 9,"), "line 1: a format expected behind an attribute's number" },
	{ ENTRY("a", "b", "", "-v 9,,Name"), "line 1: a format expected behind an attribute's number" },
	{ ENTRY("a", "b", "", "-v 9,raw48,"), "line 1: an attribute's name has 1 to 64 characters" },
	{ ENTRY("a", "b", "", "-v 9,raw48,\xc3\xa4"), "line 1: an attribute's name is printable ASCII" },
	{ ENTRY("a", "b", "", "-v 9,raw48,Name,"), "line 1: HDD or SSD expected behind an attribute's name" },
	{ ENTRY("a", "b", "", "-v 9,raw48,Name,hdd"), "line 1: HDD or SSD expected behind an attribute's name" },
	{ ENTRY("a", "b", "", "-v 9,raw48,Name,HDD,SSD"), "line 1: HDD or SSD expected behind an attribute's name" },
	/* Of several literals, the one where it stands. */
	{ "{ \"a\", \"b\", \"\", \"\",\n\"-v 1,raw48 \"\n//\n\"\" /*\n*/ \"-v 2,raw48 \\n-v \"\n"
	  "\"3,raw48,\" \"x\"\n\" -v x,\" }",
	  "line 7: an attribute's number (1 to 255, or N) expected after -v" },
	{ "{ \"a\", \"b\", \"\", \"\",\n\"-v\"\n\" \"\n\"1\"\n\",\" }",
	  "line 4: a format expected behind an attribute's number" },
};

static void a_broken_file_is_refused_with_its_line(void **state)
{
	char nul[] = "{ \"a\", \"b\", \"\", \"\", \"\" }";

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++)
		assert_refused(broken[i].text, strlen(broken[i].text), broken[i].why);
	nul[3] = 0;
	assert_refused(nul, sizeof nul - 1, "line 1: '\"' at the end of a string expected, not the byte 00");
	nul[3] = 'a';
	nul[5] = 0;
	assert_refused(nul, sizeof nul - 1, "line 1: ',' expected, not the byte 00");
}

/* ---- limits */

static void add_times(struct text *t, const char *what, size_t times)
{
	while (times--)
		text_add(t, what);
}

#define SETTINGS_8 "-v 9,raw8 -v 9,raw8 -v 9,raw8 -v 9,raw8 -v 9,raw8 -v 9,raw8 -v 9,raw8 -v 9,raw8 "

/* Text of BEFORE, so many times EACH, and AFTER is read; with one EACH more it is refused. */
static void assert_limit(const char *before, const char *each, const char *after, size_t most, const char *why)
{
	AUTO_TEXT good = TEXT_LIMIT(16 << 20), bad = TEXT_LIMIT(16 << 20);
	AUTO_DRIVEDB db = NULL;

	text_add(&good, before);
	add_times(&good, each, most);
	text_add(&bad, good.at);
	text_add(&good, after);
	text_add(&bad, each);
	text_add(&bad, after);
	db = parse(good.at);
	assert_refused(bad.at, bad.length, why);
}

static void limits_hold(void **state)
{
	assert_limit("{ \"", "f", "\", \"b\", \"\", \"\", \"\" }", DRIVEDB_FAMILY_MAX,
		     "line 1: the family is longer than 256 bytes");
	assert_limit("{ \"a\", \"", "m", "\", \"\", \"\", \"\" }", DRIVEDB_PATTERN_MAX,
		     "line 1: the pattern of models is longer than 4096 bytes");
	assert_limit("{ \"a\", \"b\", \"", "f", "\", \"\", \"\" }", DRIVEDB_PATTERN_MAX,
		     "line 1: the pattern of firmware is longer than 4096 bytes");
	assert_limit("{ \"a\", \"b\", \"\", \"", "w", "\", \"\" }", DRIVEDB_STRING_MAX,
		     "line 1: the warning is longer than 65536 bytes");
	assert_limit("{ \"a\", \"b\", \"\", \"\", \"", " ", "\" }", DRIVEDB_STRING_MAX,
		     "line 1: the list of presets is longer than 65536 bytes");
	assert_limit("{ \"a\", \"b\", \"\", \"\", \"-v 9,raw48,", "n", "\" }", DRIVEDB_NAME_MAX,
		     "line 1: an attribute's name has 1 to 64 characters");
	assert_limit("", ENTRY("", "x", "", ""), "", DRIVEDB_ENTRIES_MAX, "line 16385: more than 16384 entries");
	assert_limit("", ENTRY("", "x", "", SETTINGS_8), "", DRIVEDB_SETTINGS_MAX / 8,
		     "line 8193: more than 65536 attributes in all");
	/* 66 * 65 characters may have to be walked for a "(.*)*", and it is three times that: 12,870 */
	assert_limit("", ENTRY("", "(.*)*(.*)*(.*)*", "", ""), "", DRIVEDB_WORK_MAX / 12870,
		     "line 82: more than 1048576 characters of patterns may have to be walked");
}

static void a_file_of_all_the_bytes_there_may_be(void **state)
{
	AUTO_TEXT text = TEXT_LIMIT(16 << 20);

	text_add(&text, ENTRY("a", "b", "", ""));
	while (text.length < DRIVEDB_BYTES_MAX)
		text_add(&text, " ");
	drivedb_free(parse(text.at));
	text_add(&text, " ");
	assert_refused(text.at, text.length, "line 1: more than 8388608 bytes");
}

/* ---- which entry */

static void the_first_whole_match_counts(void **state)
{
	AUTO_DRIVEDB db = parse(ENTRY("broken", "AB(C", "", "") ENTRY("empty", "", "", "") ENTRY("firmware", "AB",
	"F1|F2", "")
				ENTRY("broken firmware", "AB", "F[", "") ENTRY("anchored", "^AB$", "", "")
				ENTRY("branches", "A|AB|ABC", "", "") ENTRY("late", "ABC|ABCD", "", "")
				ENTRY("$", "Z", "", "") ENTRY("USB", "Z", "", "") ENTRY("DEFAULT 2", "Y", "", ""));

	assert_int_equal(drivedb_entries(db), 6);
	assert_int_equal(drivedb_not_understood(db), 3);
	assert_string_equal(family_of(db, "AB", "F2"), "firmware");
	assert_string_equal(family_of(db, "AB", "F"), "anchored");
	assert_string_equal(family_of(db, "AB", "F11"), "anchored");
	assert_string_equal(family_of(db, "ABC", ""), "branches");
	assert_string_equal(family_of(db, "ABCD", ""), "late");
	assert_string_equal(family_of(db, "ABCDE", ""), "(none)");
	assert_string_equal(family_of(db, "xAB", ""), "(none)");
	assert_string_equal(family_of(db, "ab", ""), "(none)");
	assert_string_equal(family_of(db, "", ""), "(none)");
	assert_string_equal(family_of(db, "Z", ""), "USB");
	assert_string_equal(family_of(db, "Y", ""), "DEFAULT 2");
}

static void a_file_without_drives_knows_none(void **state)
{
	AUTO_DRIVEDB db = parse(ENTRY("USB: a; b", "(", "(", "-x"));

	assert_string_equal(drivedb_version(db), "");
	assert_string_equal(family_of(db, "A", "1"), "(none)");
	assert_attribute(db, "A", 9, "", DRIVEDB_RAW48, "543210");
}

/* ---- presets */

/* What a preset makes of attribute ID. */
static void assert_preset(const char *presets, unsigned id, const char *name, enum drivedb_format format,
			  const char *order)
{
	AUTO_TEXT text = TEXT_LIMIT(10000);
	AUTO_DRIVEDB db = NULL;

	text_addf(&text, "{ \"a\", \"b\", \"\", \"\", \"%s\" }", presets);
	db = parse(text.at);
	assert_attribute(db, "b", id, name, format, order);
}

static void every_format_has_its_word_and_order(void **state)
{
	static const struct {
		const char *word, *order;
		enum drivedb_format format;
	} rows[] = {
		{ "raw8", "543210", DRIVEDB_RAW8 }, { "raw16", "543210", DRIVEDB_RAW16 },
		{ "raw48", "543210", DRIVEDB_RAW48 },
		{ "raw56", "r543210", DRIVEDB_RAW56 }, { "raw64", "543210wv", DRIVEDB_RAW64 },
		{ "hex48", "543210", DRIVEDB_HEX48 }, { "hex56", "r543210", DRIVEDB_HEX56 },
		{ "hex64", "543210wv", DRIVEDB_HEX64 }, { "raw16(raw16)", "543210", DRIVEDB_RAW16_RAW16 },
		{ "raw16(avg16)", "543210", DRIVEDB_RAW16_AVG16 }, { "raw24(raw8)", "543210", DRIVEDB_RAW24_RAW8 },
		{ "raw24/raw24", "543210", DRIVEDB_RAW24_DIV_RAW24 },
		{ "raw24/raw32", "r543210", DRIVEDB_RAW24_DIV_RAW32 },
		{ "sec2hour", "543210", DRIVEDB_SEC2HOUR }, { "min2hour", "543210", DRIVEDB_MIN2HOUR },
		{ "halfmin2hour", "543210", DRIVEDB_HALFMIN2HOUR },
		{ "msec24hour32", "r543210", DRIVEDB_MSEC24HOUR32 },
		{ "tempminmax", "543210", DRIVEDB_TEMPMINMAX }, { "temp10x", "543210", DRIVEDB_TEMP10X },
	};

	assert_int_equal(ARRAY_SIZE(rows), N_DRIVEDB_FORMATS - 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char presets[64];

		assert_string_equal(drivedb_format_name(rows[i].format), rows[i].word);
		assert_int_equal(drivedb_format_from(rows[i].word), rows[i].format);
		snprintf(presets, sizeof presets, "-v 7,%s", rows[i].word);
		assert_preset(presets, 7, "", rows[i].format, rows[i].order);
		snprintf(presets, sizeof presets, "-v 7,%s,A/%%b(c).-+_9", rows[i].word);
		assert_preset(presets, 7, "A/%b(c).-+_9", rows[i].format, rows[i].order);
		snprintf(presets, sizeof presets, "-v 7,%s:z210vw4r,Name", rows[i].word);
		assert_preset(presets, 7, "Name", rows[i].format, "z210vw4r");
	}
	assert_string_equal(drivedb_format_name(DRIVEDB_UNKNOWN), "");
	assert_int_equal(drivedb_format_from(""), DRIVEDB_UNKNOWN);
}

static void a_format_that_is_not_known_keeps_its_name_alone(void **state)
{
	static const char *const words[] = { "raw49", "RAW48", "raw48:", "raw48:543210zzz", "raw48:6", "raw48++", "+",
					     ":", "minutes" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		AUTO_TEXT text = TEXT_LIMIT(10000);
		AUTO_DRIVEDB db = NULL;
		struct drivedb_attribute a;
		struct drivedb_bytes bytes = { .raw = { 1 } };
		int64_t v;

		text_addf(&text, DEFAULT("-v 9,raw48,Nine") "{ \"a\", \"b\", \"\", \"\", \"-v 9,%s,Name\" }", words[i]);
		db = parse(text.at);
		a = attribute_of(db, "b", -1, 9);
		assert_string_equal(a.name, "Name");
		assert_int_equal(a.format, DRIVEDB_UNKNOWN);
		assert_false(drivedb_raw(&a, &bytes, &v));
		assert_int_equal(drivedb_not_understood(db), 1);
	}
}

static void old_forms_mean_what_they_meant(void **state)
{
	static const struct {
		const char *preset;
		unsigned id;
		const char *name;
		enum drivedb_format format;
		bool is_increasing;
	} rows[] = {
		{ "9,minutes", 9, "Power_On_Minutes", DRIVEDB_MIN2HOUR, false },
		{ "9,seconds", 9, "Power_On_Seconds", DRIVEDB_SEC2HOUR, false },
		{ "9,halfminutes", 9, "Power_On_Half_Minutes", DRIVEDB_HALFMIN2HOUR, false },
		{ "9,temp", 9, "Temperature_Celsius", DRIVEDB_TEMPMINMAX, false },
		{ "192,emergencyretractcyclect", 192, "Emerg_Retract_Cycle_Ct", DRIVEDB_RAW48, false },
		{ "193,loadunload", 193, "Default", DRIVEDB_RAW24_DIV_RAW24, false },
		{ "194,10xCelsius", 194, "Temperature_Celsius_x10", DRIVEDB_TEMP10X, false },
		{ "194,unknown", 194, "", DRIVEDB_RAW48, false },
		{ "197,increasing", 197, "Total_Pending_Sectors", DRIVEDB_RAW48, true },
		{ "198,increasing", 198, "Total_Offl_Uncorrectabl", DRIVEDB_RAW48, true },
		{ "198,offlinescanuncsectorct", 198, "Offline_Scan_UNC_SectCt", DRIVEDB_RAW48, false },
		{ "200,writeerrorcount", 200, "Write_Error_Count", DRIVEDB_RAW48, false },
		{ "201,detectedtacount", 201, "Detected_TA_Count", DRIVEDB_RAW48, false },
		{ "220,temp", 220, "Temperature_Celsius", DRIVEDB_TEMPMINMAX, false },
		{ "197,raw48+,Name", 197, "Name", DRIVEDB_RAW48, true },
		{ "198,raw16:10+", 198, "Default", DRIVEDB_RAW16, true },
		/* Of other attributes they are formats that nobody knows. */
		{ "12,minutes", 12, "Default", DRIVEDB_UNKNOWN, false },
		{ "9,loadunload", 9, "Default", DRIVEDB_UNKNOWN, false },
		{ "N,temp", 9, "Default", DRIVEDB_UNKNOWN, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_TEXT text = TEXT_LIMIT(10000);
		AUTO_DRIVEDB db = NULL;
		struct drivedb_attribute a;

		text_addf(&text, DEFAULT("-v N,raw24(raw8),Default") "{ \"a\", \"b\", \"\", \"\", \"-v %s\" }",
			  rows[i].preset);
		db = parse(text.at);
		a = attribute_of(db, "b", -1, rows[i].id);
		assert_string_equal(a.name, rows[i].name);
		assert_int_equal(a.format, rows[i].format);
		assert_true(a.is_increasing == rows[i].is_increasing);
		assert_true(a.has_own_format);
		assert_true(a.has_own_name == !!strcmp(rows[i].name, "Default"));
	}
}

static void a_models_own_presets_go_over_those_of_all(void **state)
{
	AUTO_DRIVEDB db = parse(DEFAULT("-v 1,raw48,One -v 2,raw56,Two -v 3,raw16,Three -v 3,raw8,Three_Again "
					"-v 5,raw48,Five -v 6,raw16:10+,Six -v 7,hex48,Unknown_Attribute")
				DEFAULT("-v 1,raw8,Second_Default")
				ENTRY("a", "b", "",
				"-v 2,raw64 -v 3,hex48,Mine -v 4,raw48:012345,Four -v 5,raw48,Unknown_SSD_Attribute "
				      "-v 6,raw48"));
	struct drivedb_attribute a;

	assert_attribute(db, "b", 1, "One", DRIVEDB_RAW48, "543210");
	assert_attribute(db, "b", 2, "Two", DRIVEDB_RAW64, "543210wv");
	assert_attribute(db, "b", 3, "Mine", DRIVEDB_HEX48, "543210");
	assert_attribute(db, "b", 4, "Four", DRIVEDB_RAW48, "012345");
	assert_attribute(db, "b", 5, "", DRIVEDB_RAW48, "543210");
	assert_attribute(db, "b", 6, "Six", DRIVEDB_RAW48, "543210");
	assert_attribute(db, "b", 7, "", DRIVEDB_HEX48, "543210");
	assert_attribute(db, "other", 3, "Three_Again", DRIVEDB_RAW8, "543210");
	assert_attribute(db, "other", 4, "", DRIVEDB_RAW48, "543210");
	assert_attribute(db, "other", 6, "Six", DRIVEDB_RAW16, "10");
	a = attribute_of(db, "b", -1, 1);
	assert_false(a.has_own_name || a.has_own_format);
	a = attribute_of(db, "b", -1, 2);
	assert_true(!a.has_own_name && a.has_own_format && a.takes_value && a.takes_worst);
	a = attribute_of(db, "b", -1, 5);
	assert_true(a.has_own_name && a.has_own_format && !a.takes_value && !a.takes_worst);
	assert_false(attribute_of(db, "b", -1, 6).is_increasing);
	assert_true(attribute_of(db, "other", -1, 6).is_increasing);
}

static void a_preset_for_all_goes_under_those_for_one(void **state)
{
	AUTO_DRIVEDB db = parse(DEFAULT("-v 1,raw48,One -v 2,raw48,Two")
				ENTRY("a", "b", "", "-v 2,hex48,Mine -v N,raw56 -v 3,raw16,Three -v N,raw64"));

	assert_attribute(db, "b", 1, "One", DRIVEDB_RAW56, "r543210");
	assert_attribute(db, "b", 2, "Mine", DRIVEDB_HEX48, "543210");
	assert_attribute(db, "b", 3, "Three", DRIVEDB_RAW16, "543210");
	assert_attribute(db, "b", 255, "", DRIVEDB_RAW56, "r543210");
	assert_attribute(db, "b", 0, "", DRIVEDB_RAW48, "543210");
}

static void names_for_the_other_kind_of_drive_are_left_out(void **state)
{
	AUTO_DRIVEDB db = parse(DEFAULT("-v 1,raw16,Disk,HDD -v 2,raw16,Cells,SSD -v 3,raw16,Both") ENTRY("a", "b",
	"", "-v 1,hex48"));
	static const char *const names[3][3] = {	/* not known, rotating, solid state */
		{ "Disk", "Cells", "Both" }, { "Disk", "", "Both" }, { "", "Cells", "Both" },
	};

	for (int kind = -1; kind <= 1; kind++)
		for (unsigned id = 1; id <= 3; id++) {
			struct drivedb_attribute a = attribute_of(db, "b", kind, id);

			assert_string_equal(a.name, names[kind + 1][id - 1]);
			assert_int_equal(a.format, id == 1 ? DRIVEDB_HEX48 : DRIVEDB_RAW16);
		}
}

static void bytes_taken_from_the_normalised_values_are_told(void **state)
{
	static const struct {
		const char *word;
		bool takes_value, takes_worst;
	} rows[] = {
		{ "raw48", false, false }, { "raw56", false, false }, { "raw64", true, true },
		{ "hex64", true, true },
		{ "raw64:r543210", false, false }, { "raw48:w54", false, true }, { "raw48:v54", true, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_TEXT text = TEXT_LIMIT(10000);
		AUTO_DRIVEDB db = NULL;
		struct drivedb_attribute a;

		text_addf(&text, "{ \"a\", \"b\", \"\", \"\", \"-v 9,%s,Name\" }", rows[i].word);
		db = parse(text.at);
		a = attribute_of(db, "b", -1, 9);
		assert_true(a.takes_value == rows[i].takes_value && a.takes_worst == rows[i].takes_worst);
	}
}

static void bugs_are_told(void **state)
{
	AUTO_DRIVEDB db = parse(ENTRY("a", "none", "", "-F none") ENTRY("a", "all", "",
	"-F nologdir -F samsung -F samsung2\\n-F samsung3 "
				      "-v 9,raw48 -F xerrorlba  -F swapid ") ENTRY("a", "new", "", "-F samsung4"));
	struct drivedb_drive drive;

	drivedb_lookup(db, "none", "", -1, &drive);
	assert_int_equal(drive.bugs, 0);
	drivedb_lookup(db, "all", "", -1, &drive);
	assert_int_equal(drive.bugs, DRIVEDB_NO_LOG_DIRECTORY | DRIVEDB_SWAPPED_WORDS | DRIVEDB_SWAPPED_ERROR_COUNT |
			 DRIVEDB_SELF_TEST_SEEMS_RUNNING | DRIVEDB_LITTLE_ENDIAN_ERROR_LBA | DRIVEDB_SWAPPED_IDENTIFY);
	drivedb_lookup(db, "new", "", -1, &drive);
	assert_int_equal(drive.bugs, DRIVEDB_OTHER_BUG);
	drivedb_lookup(db, "unheard of", "", -1, &drive);
	assert_int_equal(drive.bugs, 0);
	assert_int_equal(drivedb_not_understood(db), 1);
}

/* ---- files */

static int read_path(const char *folder, const char *name, struct drivedb **ret, const char *why)
{
	AUTO_TEXT path = TEXT_LIMIT(1000), error = TEXT_LIMIT(1000);
	int r;

	text_addf(&path, "%s%s", folder, name);
	r = drivedb_read(path.at, ret, &error);
	assert_true(!error.length == !r);
	assert_true(!*ret == (r < 0));
	if (r) {
		text_addf(&path, ": %s", why);
		assert_string_equal(error.at, path.at);
	}
	return r;
}

static void write_file(const char *folder, const char *name, const char *text, off_t size)
{
	AUTO_TEXT path = TEXT_LIMIT(1000);
	AUTO_FILE f = NULL;

	text_addf(&path, "%s%s", folder, name);
	f = fopen(path.at, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0 && fflush(f) == 0);
	assert_true(size == 0 || !ftruncate(fileno(f), size));
}

static void only_regular_files_are_read(void **state)
{
	static const char *const names[] = { "fifo", "link", "good", "bad", "empty", "zeroes", "long" };
	char folder[] = "/tmp/drivedb-XXXXXX", fifo[64], link[64];
	struct drivedb *db;

	assert_non_null(mkdtemp(folder));
	snprintf(fifo, sizeof fifo, "%s/fifo", folder);
	snprintf(link, sizeof link, "%s/link", folder);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(symlink("good", link), 0);
	write_file(folder, "/good", whole_file, 0);
	write_file(folder, "/bad", "\n{", 0);
	write_file(folder, "/empty", "", 0);
	write_file(folder, "/zeroes", "", DRIVEDB_BYTES_MAX);
	write_file(folder, "/long", "", DRIVEDB_BYTES_MAX + 1);

	assert_int_equal(read_path(folder, "/good", &db, ""), 0);
	assert_int_equal(drivedb_entries(db), 3);
	drivedb_free(db);
	assert_int_equal(read_path(folder, "/link", &db, ""), 0);
	drivedb_free(db);
	assert_int_equal(read_path(folder, "/bad", &db, "line 2: a string expected, not the end of the file"), -EINVAL);
	assert_int_equal(read_path(folder, "/empty", &db, "line 1: '{' expected, not the end of the file"), -EINVAL);
	assert_int_equal(read_path(folder, "/zeroes", &db, "line 1: '{' expected, not the byte 00"), -EINVAL);
	assert_int_equal(read_path(folder, "/long", &db, "File too large"), -EFBIG);
	assert_int_equal(read_path(folder, "/none", &db, "No such file or directory"), -ENOENT);
	assert_int_equal(read_path(folder, "/fifo", &db, "not a regular file"), -EINVAL);
	assert_int_equal(read_path(folder, "", &db, "not a regular file"), -EINVAL);
	assert_int_equal(read_path("/dev/null", "", &db, "not a regular file"), -EINVAL);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[64];

		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

/* ---- the file of this machine */

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void the_installed_file_is_read_whole(void **state)
{
	static const char *const paths[] = { "/var/lib/smartmontools/drivedb/drivedb.h",
					     "/usr/share/smartmontools/drivedb.h" };
	AUTO_TEXT error = TEXT_LIMIT(1000);
	AUTO_DRIVEDB db = NULL;
	struct drivedb_drive drive;
	double began, parsed;
	size_t i = 0;

	while (i < ARRAY_SIZE(paths) && access(paths[i], R_OK))
		i++;
	if (i == ARRAY_SIZE(paths)) {
		print_message("smartmontools is not installed: no %s\n", paths[0]);
		skip();
	}
	began = now_ms();
	if (drivedb_read(paths[i], &db, &error))
		print_error("%s\n", error.at);
	assert_non_null(db);
	parsed = now_ms();
	assert_false(drivedb_lookup(db, "A model that nobody makes", "1.0", -1, &drive));
	print_message("%s: version %s, %zu entries for drives; read in %.1f ms, a lookup that matches none %.2f ms\n",
		      paths[i], drivedb_version(db), drivedb_entries(db), parsed - began, now_ms() - parsed);
	assert_int_equal(drivedb_not_understood(db), 0);
	if (!strcmp(drivedb_version(db), "7.3/5319"))
		assert_int_equal(drivedb_entries(db), 740 - 2 - 198);	/* VERSION, DEFAULT, USB bridges */
	assert_true(drivedb_entries(db) > 500);
	assert_string_equal(drive.attributes[12].name, "Power_Cycle_Count");
	assert_int_equal(drive.attributes[194].format, DRIVEDB_TEMPMINMAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_file_is_read),
		cmocka_unit_test(every_cut_is_refused_or_ends_an_entry),
		cmocka_unit_test(versions_are_read),
		cmocka_unit_test(a_broken_file_is_refused_with_its_line),
		cmocka_unit_test(limits_hold),
		cmocka_unit_test(a_file_of_all_the_bytes_there_may_be),
		cmocka_unit_test(the_first_whole_match_counts),
		cmocka_unit_test(a_file_without_drives_knows_none),
		cmocka_unit_test(every_format_has_its_word_and_order),
		cmocka_unit_test(a_format_that_is_not_known_keeps_its_name_alone),
		cmocka_unit_test(old_forms_mean_what_they_meant),
		cmocka_unit_test(a_models_own_presets_go_over_those_of_all),
		cmocka_unit_test(a_preset_for_all_goes_under_those_for_one),
		cmocka_unit_test(names_for_the_other_kind_of_drive_are_left_out),
		cmocka_unit_test(bytes_taken_from_the_normalised_values_are_told),
		cmocka_unit_test(bugs_are_told),
		cmocka_unit_test(only_regular_files_are_read),
		cmocka_unit_test(the_installed_file_is_read_whole),
	};

	return cmocka_run_group_tests_name("page: drivedb", tests, NULL, NULL);
}
