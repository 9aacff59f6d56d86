/* page/: the answers of real ATA drives, against what smartctl makes of them. The corpus lies beside the source tree
 * ($SHARED, or ../shared) and is not part of it; without it this test is skipped. */
#include "page_common.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"

enum { PATH_BYTES = 4096, LINE_BYTES = 1024 };

#ifdef WITH_ATASMART
static const bool is_power_on_told = true;
#else
static const bool is_power_on_told = false;	/* the unit of attribute 9 is not known */
#endif

static void globfreep(glob_t *found)
{
	globfree(found);
}

static void capture_freep(struct capture **capture)
{
	capture_free(*capture);
}

static void collect_endp(struct collect *c)
{
	collect_end(c);
}

static void add_shared(struct text *path)
{
	const char *named = getenv("SHARED"), *top = getenv("top_srcdir");

	if (named)
		text_add(path, named);
	else
		text_addf(path, "%s/../shared", top ? top : ".");
}

/* A capture's first answer to that question. */
static struct bytes answer_to(const struct capture *capture, const struct page *page, bool *ret_found)
{
	*ret_found = false;
	for (size_t i = 0; i < capture->n_answers; i++) {
		const struct capture_answer *a = &capture->answers[i];

		if (a->bytes && command_is_equal(&a->command, &page->command)) {
			*ret_found = true;
			return bytes_of(a->bytes, a->n_bytes);
		}
	}
	return bytes_of(NULL, 0);
}

/* A first visit. */
static void visit(const struct capture *capture, struct collect *c)
{
	AUTO_FREE struct drive_facts *facts = calloc(1, sizeof *facts);

	assert_non_null(facts);
	facts->transport = TRANSPORT_ATA;
	facts->statistics_alone = 0xff;		/* captures hold one page of a log each */
	facts->gives_one_self_test_page = true;
	for (size_t i = 0; pages[i]; i++) {
		const struct page *page = pages[i];
		bool found;
		struct bytes in = answer_to(capture, page, &found);

		if (page->transport != TRANSPORT_ATA || !found || (page->is_offered && !page->is_offered(page, facts)))
			continue;
		if (page->learn)
			assert_false(failed(page->learn(page, in, facts)));
		if (page->decode)
			assert_false(failed(page->decode(page, in, facts, &c->sink)));
	}
	facts_samples(facts, &c->sink);
}

/* The sample of the highest rank; labels after the first are not compared. */
static const struct sample *find(const struct collect *c, const char *family, const char *label)
{
	const struct sample *best = NULL;

	for (size_t i = 0; i < c->set.n; i++) {
		const struct sample *s = &c->set.at[i];

		if (strcmp(metric_families[s->family].name, family) || strcmp(s->label[0] ? s->label[0] : "", label))
			continue;
		if (!best || s->rank > best->rank)
			best = s;
	}
	return best;
}

/* A line is family{drive="..."[,label="value"]} number. */
static size_t compare_line(const struct collect *c, const char *line, const char *file)
{
	char family[64], label[64] = "";
	const char *labels = strchr(line, '{'), *end = strrchr(line, '}');
	const struct sample *s;
	double wanted;

	if (*line == '#' || !labels || !end)
		return 0;
	assert_true((size_t)(labels - line) < sizeof family);
	snprintf(family, sizeof family, "%.*s", (int)(labels - line), line);
	if (!is_power_on_told && strcmp(family, "drive_power_on_seconds_total") == 0)
		return 0;
	labels = strstr(labels, "\",");
	if (labels)
		sscanf(labels, "\",%*[a-z]=\"%63[^\"]", label);
	wanted = strtod(end + 1, NULL);
	s = find(c, family, label);
	if (!s || s->value != wanted) {
		print_error("%s: %s{%s} is %.17g, not %.17g\n", file, family, label, s ? s->value : (double)NAN,
			    wanted);
		fail();
	}
	return 1;
}

/* Compares one drive with FOLDER/NAME.txt. Returns how many numbers agreed. */
static size_t compare_drive(const char *path, const char *folder)
{
	CLEANUP(capture_freep) struct capture *capture = NULL;
	CLEANUP(collect_endp) struct collect c;
	AUTO_TEXT error = TEXT_LIMIT(LINE_BYTES);
	AUTO_TEXT text = TEXT_LIMIT(PATH_BYTES);
	AUTO_FILE expected = NULL;
	const char *name = strrchr(path, '/') + 1;
	char line[LINE_BYTES];
	size_t n = 0;

	collect_begin(&c);
	capture = capture_read(path, &error);
	assert_non_null(capture);
	if (capture->transport != TRANSPORT_ATA)
		return 0;
	visit(capture, &c);
	text_addf(&text, "%s/%.*s.txt", folder, (int)(strlen(name) - strlen(".capture")), name);
	expected = fopen(text.at, "re");
	assert_non_null(expected);
	while (fgets(line, sizeof line, expected))
		n += compare_line(&c, line, name);
	return n;
}

static void compare_folder(const char *captures, const char *expected)
{
	AUTO_TEXT path = TEXT_LIMIT(PATH_BYTES);
	AUTO_TEXT folder = TEXT_LIMIT(PATH_BYTES);
	CLEANUP(globfreep) glob_t found = { 0 };
	size_t n = 0;

	add_shared(&folder);
	add_shared(&path);
	text_addf(&folder, "/corpus/%s", expected);
	text_addf(&path, "/corpus/%s/*.capture", captures);
	if (glob(path.at, 0, NULL, &found)) {
		print_message("no captures at %s\n", path.at);
		text_free(&path);	/* skip() jumps over the cleanup */
		text_free(&folder);
		skip();
	}
	for (size_t i = 0; i < found.gl_pathc; i++)
		n += compare_drive(found.gl_pathv[i], folder.at);
	print_message("%s: %zu numbers agree\n", captures, n);
	assert_true(n > 0);
}

static void drives_of_the_corpus_read_as_smartctl_reads_them(void **state)
{
	compare_folder("captures", "expected");
}

static void seed_drives_read_as_smartctl_reads_them(void **state)
{
	compare_folder("seed_drives", "seed_drives");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drives_of_the_corpus_read_as_smartctl_reads_them),
		cmocka_unit_test(seed_drives_read_as_smartctl_reads_them),
	};

	return cmocka_run_group_tests_name("page: ATA corpus", tests, NULL, NULL);
}
