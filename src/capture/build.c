/* A capture in memory: made, added to, freed. */
#include "capture/line.h"

#include <string.h>

/* Doubles an array whenever its length is a power of two. */
static void *more(void **array, size_t n, size_t size)
{
	if (!(n & (n - 1))) {
		void *grown = reallocarray(*array, n ? 2 * n : 1, size);

		if (!grown)
			return NULL;
		*array = grown;
	}
	return memset((char *)*array + n * size, 0, size);
}

struct capture_line *capture_more_lines(struct capture *c)
{
	void *array = c->lines;
	struct capture_line *line = more(&array, c->n_lines, sizeof *line);

	c->lines = array;
	c->n_lines += line ? 1 : 0;
	return line;
}

struct capture_answer *capture_more_answers(struct capture *c)
{
	void *array = c->answers;
	struct capture_answer *answer = more(&array, c->n_answers, sizeof *answer);

	c->answers = array;
	c->n_answers += answer ? 1 : 0;
	return answer;
}

struct capture *capture_new(enum transport transport)
{
	struct capture *c = calloc(1, sizeof *c);

	if (c)
		c->transport = transport;
	return c;
}

void capture_free(struct capture *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_lines; i++)
		free(c->lines[i].value);
	for (size_t i = 0; i < c->n_answers; i++)
		free(c->answers[i].bytes);
	free(c->lines);
	free(c->answers);
	free(c->file);
	free(c);
}

const char *capture_device(const struct capture *c, size_t n, bool *ret_is_controller)
{
	for (size_t i = 0; i < c->n_lines; i++) {
		const struct capture_line *l = &c->lines[i];

		if ((l->kind != CAPTURE_DEVICE && l->kind != CAPTURE_CONTROLLER) || n--)
			continue;
		if (ret_is_controller)
			*ret_is_controller = l->kind == CAPTURE_CONTROLLER;
		return l->value;
	}
	return NULL;
}

/* What a line of text can't carry: comments start with '#', and control characters are no text. */
static bool is_writable(const char *value)
{
	for (const char *s = value; *s; s++)
		if (*s == '#' || ((unsigned char)*s < 0x20 && *s != '\t') || *s == 0x7f)
			return false;
	return text_is_utf8(value);
}

static bool owns(const struct capture *c, const struct line_rule *rule, char node[NODE_NAME_MAX])
{
	const struct capture_line *last = c->n_lines ? &c->lines[c->n_lines - 1] : NULL;
	enum capture_line_kind kind = CAPTURE_CONTROLLER;

	node[0] = 0;
	if (last)
		memcpy(node, last->node, NODE_NAME_MAX);
	for (size_t i = c->n_lines; i--;) {
		kind = c->lines[i].kind;
		if (kind == CAPTURE_DEVICE || kind == CAPTURE_CONTROLLER)
			break;
	}
	return rule->owner == LINE_DRIVE || (*node && (rule->owner == LINE_NODE || kind == CAPTURE_DEVICE));
}

bool capture_add_line(struct capture *c, enum capture_line_kind kind, const char *value)
{
	const struct line_rule *rule = &line_rules[kind];
	char node[NODE_NAME_MAX];
	struct capture_line *line;
	AUTO_FREE char *copy = is_writable(value) ? strdup(value) : NULL;

	if (!copy || !rule->in_header || !owns(c, rule, node))
		return false;
	if (rule->refusal(line_squeeze(copy)))
		return false;
	line = capture_more_lines(c);
	if (!line)
		return false;
	*line = (struct capture_line){ .kind = kind, .is_header = true, .line = c->n_lines };
	if (kind == CAPTURE_SYSFS)
		line->n_path = line_undo_escapes(copy);
	text_copy(line->node, sizeof line->node, kind == CAPTURE_DEVICE || kind == CAPTURE_CONTROLLER ? copy : node);
	line->value = pointer_steal(&copy);
	return true;
}

const char *capture_refuse_length(const struct command *command, size_t n, struct fail fail)
{
	const struct command_kind *kind = &commands[command->name];
	int count_key = command_key_index(command->name, "count");
	uint64_t count = count_key < 0 ? 0 : command->key[count_key];

	/* With sense data a drive may have returned less. */
	if (kind->fixed_length && fail.kind == FAIL_KIND_NONE && n != kind->fixed_length * (count ? count : 1))
		return "has not the length that every answer to it has";
	/* A log of NVMe may be longer than one answer: it is asked for, and cut, in parts. */
	if (n > COMMAND_ANSWER_MAX && command->name != COMMAND_NVME_LOG)
		return "is answered with more than 64 KiB";
	return NULL;
}

bool capture_add_answer(struct capture *c, const char *path, const struct command *command, const uint8_t *bytes,
			size_t n, struct fail fail, uint64_t delay_us)
{
	struct capture_answer *a;
	AUTO_FREE uint8_t *copy = NULL;

	if (path && *path && !node_name_is_valid(path))
		return false;
	if (fail.kind == FAIL_KIND_FORMAT || (n && capture_refuse_length(command, n, fail)))
		return false;
	if (n) {
		copy = malloc(n);
		if (!copy)
			return false;
		memcpy(copy, bytes, n);
	} else if (fail.kind == FAIL_KIND_NONE) {
		fail.kind = FAIL_KIND_SENSE;	/* NO SENSE: done, and nothing said */
		fail.code = 0;
	}
	/* Bytes stand beside sense data only; what else failed answered nothing. */
	if (n && fail.kind != FAIL_KIND_NONE && fail.kind != FAIL_KIND_SENSE) {
		free(pointer_steal(&copy));
		n = 0;
	}
	a = capture_more_answers(c);
	if (!a)
		return false;
	*a = (struct capture_answer){ .command = *command, .delay_us = delay_us, .n_bytes = n, .fail = fail };
	text_copy(a->path, sizeof a->path, path ? path : "");
	a->bytes = pointer_steal(&copy);
	return true;
}
