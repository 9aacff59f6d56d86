/* capture/: the corpus beside the project, read as the reference reader reads it, and written back. Skipped where the
 * corpus or Python is absent. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/capture.h"

enum { CAPTURES_MIN = 200, TEXT_MAX = 64 << 20 };

static char shared[2048];

static const char *const folders[] = { "corpus/captures", "corpus/seed_drives" };

static int find_shared(void **state)
{
	const char *top = getenv("top_srcdir"), *said = getenv("SHARED");
	struct stat st;

	if (said)
		snprintf(shared, sizeof shared, "%s", said);
	else
		snprintf(shared, sizeof shared, "%s/../shared", top ? top : ".");
	if (stat(shared, &st))
		shared[0] = 0;
	return 0;
}

static void need_shared(void)
{
	if (!shared[0]) {
		print_message("no ../shared: the corpus is not read\n");
		skip();
	}
}

static ssize_t read_folder(const char *folder, struct capture ***ret)
{
	AUTO_TEXT error = TEXT_LIMIT(100000);
	char path[4096];
	ssize_t n;

	snprintf(path, sizeof path, "%s/%s", shared, folder);
	n = captures_read(path, ret, &error);
	if (error.length)
		fail_msg("%s", error.at);
	return n;
}

static void free_all(struct capture **captures, ssize_t n)
{
	for (ssize_t i = 0; i < n; i++)
		capture_free(captures[i]);
	free(captures);
}

static void what_is_written_reads_back_the_same(void **state)
{
	ssize_t total = 0;

	need_shared();
	for (size_t f = 0; f < ARRAY_SIZE(folders); f++) {
		struct capture **captures;
		ssize_t n = read_folder(folders[f], &captures);

		for (ssize_t i = 0; i < n; i++) {
			AUTO_TEXT once = TEXT_LIMIT(TEXT_MAX), twice = TEXT_LIMIT(TEXT_MAX), error = TEXT_LIMIT(1000);
			struct capture *again;

			capture_write(captures[i], &once);
			again = capture_parse(once.at, once.length, "written", &error);
			if (!again)
				fail_msg("%s: %s", captures[i]->file, error.at);
			capture_write(again, &twice);
			assert_string_equal(once.at, twice.at);
			assert_int_equal(again->n_answers, captures[i]->n_answers);
			for (size_t a = 0; a < again->n_answers; a++) {
				assert_int_equal(again->answers[a].n_bytes, captures[i]->answers[a].n_bytes);
				if (again->answers[a].n_bytes)
					assert_memory_equal(again->answers[a].bytes, captures[i]->answers[a].bytes,
							    again->answers[a].n_bytes);
			}
			capture_free(again);
		}
		total += n;
		free_all(captures, n);
	}
	assert_true(total >= CAPTURES_MIN);
}

/* The reference reader's view, a line for each header and answer. */
static const char dump[] =
	"import glob, os, sys\n"
	"sys.path.insert(0, os.path.join(sys.argv[1], 'tools'))\n"
	"sys.dont_write_bytecode = True\n"
	"import capturefile as c\n"
	"for f in sorted(glob.glob(os.path.join(sys.argv[1], sys.argv[2], '*.capture')), key=os.path.basename):\n"
	"  x = c.read(f)\n"
	"  print(os.path.basename(f), x.transport)\n"
	"  for n, v in x.headers:\n"
	"    if n not in ('transport', 'via'): print(n, v)\n"
	"  for a in x.answers:\n"
	"    k = [0xffffffff if v is None else v for v in c.full_keys(a.command, a.keys)]\n"
	"    w = a.failure.split()\n"
	"    w = ' '.join(w if w[:1] == ['errno'] else w[:1] + ['%02x' % int(v, 16) for v in w[1:]])\n"
	"    print(a.command, ' '.join('%x' % v for v in k), a.at, a.path, a.delay_us, w, a.data.hex())\n";

static void dump_answer(struct text *t, const struct capture_answer *a)
{
	text_add(t, commands[a->command.name].name);
	for (size_t k = 0; k < COMMAND_KEYS && commands[a->command.name].key[k].name; k++)
		text_addf(t, " %x", a->command.key[k]);
	if (!commands[a->command.name].key[0].name)
		text_add(t, " ");
	text_addf(t, " %llu %s %llu ", (unsigned long long)a->at_s, a->path, (unsigned long long)a->delay_us);
	if (a->is_hang)
		text_add(t, "hang");
	else if (a->fail.kind == FAIL_KIND_SENSE)
		text_addf(t, "sense %02x %02x %02x", a->fail.code >> 16, a->fail.code >> 8 & 0xff, a->fail.code & 0xff);
	else if (a->fail.kind == FAIL_KIND_ATA)
		text_addf(t, "ata %02x %02x", a->fail.code >> 8, a->fail.code & 0xff);
	else if (a->fail.kind == FAIL_KIND_NVME)
		text_addf(t, "nvme %02x %02x", a->fail.code >> 8, a->fail.code & 0xff);
	else if (a->fail.kind != FAIL_KIND_NONE)
		text_addf(t, "another failure: %d", a->fail.kind);
	text_add(t, " ");
	for (size_t i = 0; i < a->n_bytes; i++)
		text_addf(t, "%02x", a->bytes[i]);
	text_add(t, "\n");
}

static void dump_capture(struct text *t, const struct capture *c)
{
	static const char *const words[] = { "device", "controller", "size", "logical-block", "rotational", "devpath", "sysfs",
					     "stat" };
	const char *slash = strrchr(c->file, '/');

	text_addf(t, "%s %s\n", slash ? slash + 1 : c->file, transport_name(c->transport));
	for (size_t i = 0; i < c->n_lines; i++)
		text_addf(t, "%s %s\n", words[c->lines[i].kind], c->lines[i].value);
	for (size_t i = 0; i < c->n_answers; i++)
		dump_answer(t, &c->answers[i]);
}

static void compare_folder(const char *folder)
{
	AUTO_TEXT ours = TEXT_LIMIT(TEXT_MAX), command = TEXT_LIMIT(10000);
	const char *python = getenv("PYTHON3");
	struct capture **captures;
	ssize_t n = read_folder(folder, &captures);
	char *line = NULL, *rest;
	size_t room = 0;
	FILE *theirs;

	for (ssize_t i = 0; i < n; i++)
		dump_capture(&ours, captures[i]);
	free_all(captures, n);
	text_addf(&command, "%s -c \"%s\" '%s' '%s'", python && *python ? python : "python3", dump, shared, folder);
	theirs = popen(command.at, "r");
	assert_non_null(theirs);
	rest = ours.at;
	while (getline(&line, &room, theirs) > 0) {
		size_t length = strlen(line);

		if (strncmp(line, rest, length))
			fail_msg("%s\ntheirs %.300s\nours   %.300s", folder, line, rest);
		rest += length;
	}
	free(line);
	assert_int_equal(pclose(theirs), 0);
	assert_string_equal(rest, "");
}

static void the_reference_reader_reads_the_same(void **state)
{
	const char *python = getenv("PYTHON3");
	char command[1000];

	need_shared();
	snprintf(command, sizeof command, "%s -c pass 2>/dev/null", python && *python ? python : "python3");
	if (system(command)) {
		print_message("no python3: the reference reader is not asked\n");
		skip();
	}
	for (size_t f = 0; f < ARRAY_SIZE(folders); f++)
		compare_folder(folders[f]);
}

/* No capture of the corpus tells a serial number after redaction that it told before. */
static void redaction_keeps_length_and_readability(void **state)
{
	need_shared();
	for (size_t f = 0; f < ARRAY_SIZE(folders); f++) {
		struct capture **captures, **before;
		ssize_t n = read_folder(folders[f], &captures);

		assert_int_equal(read_folder(folders[f], &before), n);
		for (ssize_t i = 0; i < n; i++) {
			AUTO_TEXT text = TEXT_LIMIT(TEXT_MAX), error = TEXT_LIMIT(1000);
			struct capture *again;

			capture_redact(captures[i]);
			assert_int_equal(captures[i]->n_answers, before[i]->n_answers);
			for (size_t a = 0; a < captures[i]->n_answers; a++)
				assert_int_equal(captures[i]->answers[a].n_bytes, before[i]->answers[a].n_bytes);
			capture_write(captures[i], &text);
			again = capture_parse(text.at, text.length, "redacted", &error);
			if (!again)
				fail_msg("%s: %s", captures[i]->file, error.at);
			capture_free(again);
		}
		free_all(captures, n);
		free_all(before, n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_reads_back_the_same),
		cmocka_unit_test(the_reference_reader_reads_the_same),
		cmocka_unit_test(redaction_keeps_length_and_readability),
	};

	return cmocka_run_group_tests_name("capture_corpus", tests, find_shared, NULL);
}
