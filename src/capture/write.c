/* A capture to text, as capture_parse() reads it back to the same. */
#include <string.h>

#include "capture/line.h"

enum { BYTES_A_LINE = 16 };

static void write_bytes(struct text *out, const uint8_t *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		bool is_last = i + 1 == n || i % BYTES_A_LINE == BYTES_A_LINE - 1;
		char byte[3] = { digits[bytes[i] >> 4], digits[bytes[i] & 15], is_last ? '\n' : ' ' };

		text_add_bytes(out, byte, sizeof byte);
	}
}

static void write_answer(struct text *out, const struct capture_answer *a)
{
	char command[COMMAND_TEXT_MAX];

	text_addf(out, "\n> %s\n", command_text(&a->command, command));
	if (a->delay_us)
		text_addf(out, "~ %llu\n", (unsigned long long)a->delay_us);
	write_bytes(out, a->bytes, a->n_bytes);
	if (a->is_hang || a->fail.kind != FAIL_KIND_NONE) {
		text_add(out, "! ");
		failure_write(out, &a->fail, a->is_hang);
		text_add(out, "\n");
	}
}

static void write_line(struct text *out, const struct capture_line *l)
{
	const char *word = line_rules[l->kind].word;

	if (l->kind == CAPTURE_SYSFS)
		line_write_sysfs(out, l->value, l->n_path, l->value + l->n_path + 1);
	else
		text_addf(out, "%s%s%s\n", word, *l->value ? " " : "", l->value);
}

/* Where the writer stands: "@" and "path" are written when the next thing differs. */
struct place {
	uint64_t at_s;
	bool in_section;
	const char *path;
};

static void go_to(struct text *out, struct place *place, uint64_t at_s, bool needs_section, const char *path)
{
	bool is_other_path = strcmp(place->path, path);

	if (at_s != place->at_s || (needs_section && !place->in_section) || (is_other_path && !*path)) {
		text_addf(out, "\n@ %llu\n", (unsigned long long)at_s);
		*place = (struct place){ .at_s = at_s, .in_section = true, .path = "" };
		is_other_path = *path;
	}
	if (is_other_path)
		text_addf(out, "\npath %s\n", path);
	place->path = path;
}

void capture_write(const struct capture *c, struct text *out)
{
	struct place place = { .path = "" };
	size_t line = 0;

	text_addf(out, "drive-capture 1\ntransport %s\n", transport_name(c->transport));
	for (; line < c->n_lines && c->lines[line].is_header; line++)
		write_line(out, &c->lines[line]);
	/* Changes and answers each keep their own order, which is all that counts; as far as known, the file's too. */
	for (size_t i = 0; i <= c->n_answers; i++) {
		const struct capture_answer *a = i < c->n_answers ? &c->answers[i] : NULL;

		for (; line < c->n_lines && (!a || c->lines[line].line < a->line); line++) {
			go_to(out, &place, c->lines[line].at_s, true, c->lines[line].node);
			write_line(out, &c->lines[line]);
		}
		if (a) {
			go_to(out, &place, a->at_s, false, a->path);
			write_answer(out, a);
		}
	}
}
