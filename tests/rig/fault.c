/* Faults by hand. A line: COMMAND [KEY=VALUE...] EFFECT... [once]; README.md lists them. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "capture/line.h"
#include "rig/fakedrive_private.h"

enum { LINE_SIZE = 256, LINES_ONCE = 64 };

static void know_file(struct faults *f, FILE *file)
{
	struct stat st;
	uint64_t now[4];

	if (fstat(fileno(file), &st))
		return;
	now[0] = st.st_ino;
	now[1] = (uint64_t)st.st_mtim.tv_sec;
	now[2] = (uint64_t)st.st_mtim.tv_nsec;
	now[3] = (uint64_t)st.st_size;
	if (memcmp(now, f->file, sizeof now))
		f->used = 0;
	memcpy(f->file, now, sizeof now);
}

/* "page=11" for a command with that key: whether it is this one. */
static bool is_key(const char *word, const struct command *command, bool *ret_is_same)
{
	const char *value = strchr(word, '=');
	char name[16];
	uint64_t wanted;
	int key;

	if (!command || !value || (size_t)(value - word) >= sizeof name)
		return false;
	text_copy(name, (size_t)(value - word) + 1, word);
	key = command_key_index(command->name, name);
	if (key < 0 || !text_hex_to_u64(value + 1, UINT32_MAX, &wanted))
		return false;
	*ret_is_same = command->key[key] == wanted;
	return true;
}

/* "sense=6/29/0" is the capture's "! sense 6 29 0". */
static bool parse_effect(char *word, struct fault *fault, bool *ret_is_once)
{
	uint64_t ms;

	if (!strcmp(word, "once")) {
		*ret_is_once = true;
		return true;
	}
	if (!strncmp(word, "delay=", 6)) {
		if (!text_to_u64(word + 6, UINT32_MAX, &ms))
			return false;
		fault->delay_us = ms * 1000;
		return true;
	}
	for (char *c = word; *c; c++)
		if (*c == '=' || *c == '/')
			*c = ' ';
	if (failure_parse(word, &fault->fail, &fault->is_hang))
		return false;
	fault->has_failure = !fault->is_hang;
	return true;
}

/* False: of another command, or broken (which is said each time, since a test with a typing error tests nothing). */
static bool parse_line(const char *path, char *line, const char *name, const struct command *command, struct fault *ret,
		       bool *ret_is_once)
{
	char *rest = line, *word;
	bool is_same;

	line[strcspn(line, "#\n")] = 0;
	word = line_word(&rest);
	if (!word || (strcmp(word, "*") && strcmp(word, name)))
		return false;
	*ret = (struct fault){ .fail = OK };
	*ret_is_once = false;
	while ((word = line_word(&rest))) {
		if (is_key(word, command, &is_same)) {
			if (!is_same)
				return false;
		} else if (!parse_effect(word, ret, ret_is_once)) {
			fprintf(stderr, "%s: what is \"%s\"?\n", path, word);
			return false;
		}
	}
	return true;
}

bool faults_find(struct faults *f, const char *name, const struct command *command, struct fault *ret)
{
	AUTO_FILE file = fopen(f->path, "re");
	char line[LINE_SIZE];
	bool is_once;

	if (!file)
		return false;
	know_file(f, file);
	for (size_t n = 0; fgets(line, sizeof line, file); n++) {
		bool is_used = n < LINES_ONCE && (f->used >> n & 1);

		if (is_used || !parse_line(f->path, line, name, command, ret, &is_once))
			continue;
		if (is_once && n < LINES_ONCE)
			f->used |= UINT64_C(1) << n;
		return true;
	}
	return false;
}
