/* smartmontools' data base of drives out of any bytes. Each input is taken for a whole file, for the presets
 * of an entry, for a piece of a file that is good without it, and for a pattern and the string that it is to
 * match, which regexec() judges too. */
#include "fuzz.h"

#include <assert.h>
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/drivedb.h"
#include "page/drivedb_pattern.h"

/* Our own, with all there is in the grammar. */
static const char good_file[] =
	"/* \"comment\" */ { \"VERSION: 1.2 $Id: drivedb.h 34 $\", \"-\", \"-\", \"\", \"\" }, // \"comment\"\n"
	"{ \"DEFAULT\", \"-\", \"-\", \"\", \"-v 1,raw48,One -v 9,raw24(raw8),Nine,HDD -v 177,raw16,Wear,SSD \"\n"
	"\"-v N,hex48\" },\n"
	"{ \"Family\", \"MODEL-(A|B[0-9]{2,3}|[^x]+)?\\\\.*\" /* or */ \"|^O\\\"ther.*$\",\n"
	"\"1\\\\.0|2.*\", \"Warning\\n\",\n"
	" //\"-v 5,raw48,Out\"\n"
	"\"-v 5,raw24/raw32:zvzzzw,Five -v 9,minutes -v 194,tempminmax,Warmth \"\n"
	"\"-v 197,increasing -v 241,raw64+,Written \"\n"
	"\"-F nologdir -F xerrorlba\" },\n"
	"{ \"USB: a; b\", \"0x1234:0x5678\", \"\", \"\", \"-d sat\" }, { \"$\", \"\", \"\", \"\", \"\" },\n"
	"{ \"\", \"M.*\", \"\", \"\", \"-v N,hex64:w012345r\" },\n";

static void check_attribute(const struct drivedb_attribute *a)
{
	static const struct drivedb_bytes ones = { 0xff, 0xff, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 0xff };
	size_t n = strlen(a->order);
	int64_t v;

	assert(strlen(a->name) <= DRIVEDB_NAME_MAX);
	for (const char *c = a->name; *c; c++)
		assert(*c > ' ' && *c <= '~');
	assert(n >= 1 && n <= 8 && !a->order[strspn(a->order, "012345rvwz")]);
	assert(a->format < N_DRIVEDB_FORMATS);
	if (drivedb_raw(a, &ones, &v))
		assert((uint64_t)v <= drivedb_whole(a, &ones));
}

static void check_lookup(const struct drivedb *db, const char *model)
{
	struct drivedb_drive drive;

	for (int is_solid_state = -1; is_solid_state <= 1; is_solid_state++) {
		bool is_known = drivedb_lookup(db, model, "1.0", is_solid_state, &drive);

		assert(is_known == !!drive.family && (is_known || !drive.bugs));
		assert(!is_known || text_is_utf8(drive.family));
		for (size_t id = 0; id < 256; id++)
			check_attribute(&drive.attributes[id]);
	}
}

static void run_file(const char *text, size_t n)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	struct drivedb *db;
	int r = drivedb_parse(text, n, &db, &error);

	assert(r == 0 || r == -EINVAL);
	assert(!db == !!r && !error.length == !r);
	if (r) {
		assert(!strncmp(error.at, "line ", 5));
		return;
	}
	assert(strlen(drivedb_version(db)) < 64);
	check_lookup(db, "MODEL-B12.");
	check_lookup(db, "");
	drivedb_free(db);
}

/* The first two bytes choose a place, the third how much of the good text goes there. */
static void run_piece(const uint8_t *data, size_t size)
{
	AUTO_TEXT text = TEXT_LIMIT(1 << 20);
	size_t whole = sizeof good_file - 1, at, cut;

	if (size < 3)
		return;
	at = (data[0] | (size_t)data[1] << 8) % (whole + 1);
	cut = data[2] < whole - at ? data[2] : whole - at;
	text_add_bytes(&text, good_file, at);
	text_add_bytes(&text, data + 3, size - 3);
	text_add_bytes(&text, good_file + at + cut, whole - at - cut);
	run_file(text.at, text.length);
}

/* Escaped, so that all of it gets behind the quotes, but for control characters. */
static void run_presets(const uint8_t *data, size_t size)
{
	AUTO_TEXT text = TEXT_LIMIT(1 << 20);

	text_add(&text, "{ \"\", \"M.*\", \"\", \"\", \"");
	for (size_t i = 0; i < size; i++) {
		if (data[i] == '"' || data[i] == '\\')
			text_add(&text, "\\");
		text_add_bytes(&text, data[i] < ' ' || data[i] == 0x7f ? (const uint8_t *)" " : data + i, 1);
	}
	text_add(&text, "\" }");
	run_file(text.at, text.length);
}

/* regcomp() needs more memory than there is for some of what we take; what it needs grows with the work. */
enum { REGEXEC_WORK_MAX = 2000, REGEXEC_BYTES_MAX = 200 };

/* glibc 2.36 takes an anchor for fulfilled in a later turn of a repetition: "(^A)+" matches "AA" for it. */
static bool has_inner_anchor(const char *pattern)
{
	size_t n = strlen(pattern);

	return n && (strchr(pattern + 1, '^') || memchr(pattern, '$', n - 1));
}

static void compare(const char *pattern, const char *subject)
{
	regmatch_t range;
	regex_t regex;
	uint64_t work;
	bool is_whole, theirs;

	if (pattern_refusal(pattern, &work))
		return;
	is_whole = pattern_matches(pattern, subject);
	if (work > REGEXEC_WORK_MAX || strlen(pattern) > REGEXEC_BYTES_MAX || strlen(subject) > PATTERN_SUBJECT_MAX ||
	    has_inner_anchor(pattern))
		return;
	if (regcomp(&regex, pattern, REG_EXTENDED)) {
		fprintf(stderr, "regcomp() refuses \"%s\"\n", pattern);
		abort();
	}
	theirs = !regexec(&regex, subject, 1, &range, 0) && !range.rm_so && (size_t)range.rm_eo == strlen(subject);
	if (is_whole != theirs) {
		fprintf(stderr, "\"%s\" and \"%s\": %d\n", pattern, subject, is_whole);
		abort();
	}
	regfree(&regex);
}

/* A line is the pattern, the next one the string. */
static void run_pattern(const uint8_t *data, size_t size)
{
	AUTO_TEXT text = TEXT_LIMIT(1 << 20);
	char *subject;

	text_add_bytes(&text, data, size);
	subject = text.at + strcspn(text.at, "\n");
	if (*subject)
		*subject++ = 0;
	compare(text.at, subject);
	compare(text.at, "MODEL-B12.");
}

/* What is installed is read once, whatever the input. */
static void run_installed(void)
{
	static const char path[] = "/usr/share/smartmontools/drivedb.h";
	AUTO_TEXT error = TEXT_LIMIT(1000);
	struct drivedb *db;

	if (drivedb_read(path, &db, &error) == 0)
		check_lookup(db, "MODEL-B12.");
	else
		assert(error.length && !db);
	drivedb_free(db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool is_begun;

	if (!is_begun) {
		run_installed();
		run_file(good_file, sizeof good_file - 1);
		is_begun = true;
	}
	run_file((const char *)data, size);
	run_piece(data, size);
	run_presets(data, size);
	run_pattern(data, size);
	return 0;
}
