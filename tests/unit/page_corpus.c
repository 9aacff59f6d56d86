/* page/: every capture of the shared corpus decodes to the values expected of it. Skipped where there is no corpus. */
#include "page/page.h"
#include "capture/capture.h"

#include "unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "metric/sample.h"

struct drive {
	struct sample_sink sink;
	struct sample_set set;
	struct drive_facts facts;
	const struct capture *capture;
	unsigned n_failed;
};

static void keep(struct sample_sink *to, const struct sample *s)
{
	assert_true(sample_set_add(&((struct drive *)to)->set, s));
}

static void ignore_implausible(struct sample_sink *to, const char *quantity)
{
}

/* What the drive says to that at first, on its first path. */
static const struct capture_answer *answer_to(const struct capture *capture, const struct command *command)
{
	for (size_t i = 0; i < capture->n_answers; i++) {
		const struct capture_answer *a = &capture->answers[i];

		if (!a->at_s && !a->path[0] && command_is_equal(&a->command, command))
			return a->bytes ? a : NULL;
	}
	return NULL;
}

static void ask(struct drive *drive, const struct page *page)
{
	const struct capture_answer *a = answer_to(drive->capture, &page->command);
	struct fail f = OK;

	if (!a || (page->is_offered && !page->is_offered(page, &drive->facts)))
		return;
	if (page->learn)
		f = page->learn(page, bytes_of(a->bytes, a->n_bytes), &drive->facts);
	if (!failed(f) && page->decode)
		f = page->decode(page, bytes_of(a->bytes, a->n_bytes), &drive->facts, &drive->sink);
	if (failed(f)) {
		print_error("%s: %s: %s\n", drive->capture->file, f.what, f.detail);
		drive->n_failed++;
	}
}

static void ask_of_namespaces(struct drive *drive, const struct page *page)
{
	for (size_t i = 0; i < drive->capture->n_answers; i++) {
		const struct command *command = &drive->capture->answers[i].command;
		struct page copy = *page;

		if (command->name != page->command.name || command->key[KEY_CNS] != page->command.key[KEY_CNS])
			continue;
		copy.command.key[KEY_IDENTIFY_NSID] = command->key[KEY_IDENTIFY_NSID];
		ask(drive, &copy);
	}
}

static void read_drive(struct drive *drive)
{
	for (size_t i = 0; pages[i]; i++) {
		if (pages[i]->transport != drive->capture->transport)
			continue;
		if (pages[i]->per_namespace)
			ask_of_namespaces(drive, pages[i]);
		else
			ask(drive, pages[i]);
	}
	facts_samples(&drive->facts, &drive->sink);
}

/* ---- what is expected: name{label="value",...} number */

static int family_of(const char *name)
{
	for (int i = 0; i < N_METRIC_FAMILIES; i++)
		if (!strcmp(metric_families[i].name, name))
			return i;
	return -1;
}

/* Has the sample each of these labels? The label `drive` is the exporter's. */
static bool has_labels(const struct sample *s, const char *labels)
{
	const struct metric_family *family = &metric_families[s->family];
	char name[64], value[256];
	int length;

	for (; sscanf(labels, "%63[^=]=\"%255[^\"]\"%n", name, value, &length) == 2; labels += labels[length] == ',' ? length + 1 : length) {
		size_t i = 0;

		if (!strcmp(name, "drive"))
			continue;
		while (i < SAMPLE_LABELS && family->label[i] && strcmp(family->label[i], name))
			i++;
		if (i == SAMPLE_LABELS || !s->label[i] || strcmp(s->label[i], value))
			return false;
	}
	return true;
}

/* Of what several pages tell, the highest rank counts. */
static const struct sample *find(const struct drive *drive, int family, const char *labels)
{
	const struct sample *found = NULL;

	for (size_t i = 0; i < drive->set.n; i++) {
		const struct sample *s = &drive->set.at[i];

		if (s->family == family && has_labels(s, labels) && (!found || s->rank > found->rank))
			found = s;
	}
	return found;
}

/* Where the bytes say otherwise than the tool that the expected value came from. */
static const struct {
	const char *capture, *family;
	double value;
} corrections[] = {
	/* a counter of ten bytes, 18000h; sg_logs 1.81 prints 0 for every counter longer than eight */
	{ "sas_libscsicmd_log_02_a7505917.capture", "drive_written_bytes_total", 98304 },
};

static double expected_value(const struct drive *drive, const char *family, const char *number)
{
	for (size_t i = 0; i < ARRAY_SIZE(corrections); i++)
		if (strstr(drive->capture->file, corrections[i].capture) && !strcmp(corrections[i].family, family))
			return corrections[i].value;
	return strtod(number, NULL);
}

/* Samsung's and Fujitsu's disks count hours, minutes, half minutes or seconds in attribute 9, and libatasmart knows which: a
 * build without it is silent. */
static bool needs_libatasmart(const struct drive *drive, const char *name)
{
#ifdef WITH_ATASMART
	(void)drive, (void)name;
	return false;
#else
	const char *model = drive->facts.model;

	return !strcmp(name, "drive_power_on_seconds_total") &&
	       (!strncmp(model, "FUJITSU M", 9) || !strncmp(model, "SAMSUNG H", 9));
#endif
}

static bool is_line_met(const struct drive *drive, const char *line)
{
	char name[64], labels[512];
	const struct sample *s;
	int family;

	if (line[0] == '#')
		return true;
	if (sscanf(line, "%63[^{]{%511[^}]}", name, labels) != 2)
		return false;
	family = family_of(name);
	s = family < 0 ? NULL : find(drive, family, labels);
	if (needs_libatasmart(drive, name))
		return !s;
	if (s && s->value == expected_value(drive, name, strchr(line, '}') + 1))
		return true;
	print_error("%s: expected %s", drive->capture->file, line);
	if (s)
		print_error("\tdecoded %.17g\n", s->value);
	return false;
}

static unsigned lines_missed(const struct drive *drive, const char *path, unsigned *n_lines)
{
	AUTO_FILE f = fopen(path, "r");
	unsigned n_missed = 0;
	char line[1024];

	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		n_missed += !is_line_met(drive, line);
		++*n_lines;
	}
	return n_missed;
}

/* ---- the corpus */

static const char *corpus(char *path, size_t size, const char *folder)
{
	const char *shared = getenv("SHARED"), *top = getenv("top_srcdir");
	struct stat st;

	if (shared)
		snprintf(path, size, "%s/corpus/%s", shared, folder);
	else
		snprintf(path, size, "%s/../shared/corpus/%s", top ? top : "..", folder);
	if (stat(path, &st)) {
		print_message("SKIPPED: no %s\n", path);
		skip();
	}
	return path;
}

static void check_folder(const char *captures, const char *expected)
{
	char folder[512], expected_folder[512], path[1600];
	unsigned n_missed = 0, n_failed = 0, n_lines = 0;
	AUTO_TEXT error = TEXT_LIMIT(4096);
	struct capture **all;
	ssize_t n;

	corpus(folder, sizeof folder, captures);
	n = captures_read(folder, &all, &error);
	assert_true(n > 0);
	if (error.length)
		fail_msg("%s", error.at);
	for (ssize_t i = 0; i < n; i++) {
		struct drive *drive = calloc(1, sizeof *drive);
		const char *name = strrchr(all[i]->file, '/') ? strrchr(all[i]->file, '/') + 1 : all[i]->file;

		drive->sink = (struct sample_sink){ keep, ignore_implausible };
		drive->capture = all[i];
		drive->facts.transport = all[i]->transport;
		read_drive(drive);
		snprintf(path, sizeof path, "%s/%.*s.txt", corpus(expected_folder, sizeof expected_folder, expected),
			 (int)strcspn(name, "."), name);
		n_missed += lines_missed(drive, path, &n_lines);
		n_failed += drive->n_failed;
		sample_set_clear(&drive->set);
		free(drive);
		capture_free(all[i]);
	}
	free(all);
	print_message("%s: %zd captures, %u lines, %u missed, %u pages failed\n", captures, n, n_lines, n_missed, n_failed);
	assert_int_equal(n_missed, 0);
	assert_int_equal(n_failed, 0);
}

static void captures_decode_to_what_is_expected(void **state)
{
	check_folder("captures", "expected");
}

static void seed_drives_decode_to_what_is_expected(void **state)
{
	check_folder("seed_drives", "seed_drives");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(captures_decode_to_what_is_expected),
		cmocka_unit_test(seed_drives_decode_to_what_is_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
