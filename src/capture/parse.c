/* Text to a capture; every breach of the format is refused with its line. */
#include <stdarg.h>
#include <string.h>

#include "capture/line.h"

enum { SECONDS_MAX = 1000000000, MICROSECONDS_MAX = 1000000000 };	/* 31 years; 16 minutes */

enum state {
	STATE_START,	/* nothing said yet */
	STATE_HEADER,
	STATE_COMMAND,	/* right after ">" and "~" */
	STATE_DATA,	/* in its bytes */
	STATE_FAILED,	/* after "!" */
	STATE_MOMENT,	/* after "@", "path", or a line of a section */
};

struct parser {
	struct capture *capture;
	const char *name;
	struct text *error;
	size_t number;			/* of the line at hand */
	enum state state;
	bool has_transport, in_section;
	uint64_t at_s;
	char path[NODE_NAME_MAX];	/* in force */
	char node[NODE_NAME_MAX];	/* whose header lines these are */
	bool node_is_block;
	struct capture_answer *answer;	/* the last of the capture's, or NULL: none is open */
	size_t room;			/* of its bytes */
	size_t n_nodes;
};

static bool refuse_at(struct parser *p, size_t line, const char *format, ...) PRINTF_LIKE(3, 4);

static bool refuse_at(struct parser *p, size_t line, const char *format, ...)
{
	char reason[256];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof reason, format, args);
	va_end(args);
	/* An empty file ends in its first line. */
	text_addf(p->error, "%s:%zu: %s", p->name, line ? line : 1, reason);
	return false;
}

#define refuse(p, ...) refuse_at((p), (p)->number, __VA_ARGS__)

static bool end_answer(struct parser *p)
{
	struct capture_answer *a = p->answer;
	const char *why;

	p->answer = NULL;
	if (!a)
		return true;
	if (!a->bytes && p->state != STATE_FAILED)
		return refuse_at(p, a->line, "neither bytes nor a failure follow this command");
	why = a->bytes ? capture_refuse_length(&a->command, a->n_bytes, a->fail) : NULL;
	if (why)
		return refuse_at(p, a->line, "%s %s: %zu bytes", commands[a->command.name].name, why, a->n_bytes);
	return true;
}

static bool parse_first(struct parser *p, const char *word, char *rest)
{
	const char *version = line_word(&rest);

	if (strcmp(word, "drive-capture") || !version || strcmp(version, "1") || line_word(&rest))
		return refuse(p, "the first line must be \"drive-capture 1\"");
	p->state = STATE_HEADER;
	return true;
}

static bool parse_key(struct parser *p, struct command *command, bool seen[COMMAND_KEYS], char *word)
{
	char *value = strchr(word, '=');
	uint64_t v;
	int key;

	if (!value)
		return refuse(p, "not key=value: %.40s", word);
	*value++ = 0;
	key = command_key_index(command->name, word);
	if (key < 0)
		return refuse(p, "%s has no key %.40s", commands[command->name].name, word);
	if (seen[key])
		return refuse(p, "key %s is said twice", word);
	if (strlen(value) > 8 || !text_hex_to_u64(value, UINT32_MAX, &v))
		return refuse(p, "key %s takes 1 to 8 hexadecimal digits, not %.40s", word, value);
	seen[key] = true;
	command->key[key] = (uint32_t)v;
	return true;
}

static bool parse_command(struct parser *p, char *rest)
{
	const char *name = line_word(&rest);
	bool seen[COMMAND_KEYS] = { false };
	struct capture_answer *a;
	enum command_name n;
	char *word;

	if (!p->has_transport)
		return refuse(p, "no transport line before the first command");
	if (!name || !command_name_from_text(name, &n))
		return refuse(p, "no such command: %.40s", name ? name : "");
	a = capture_more_answers(p->capture);
	if (!a)
		return refuse(p, "out of memory");
	a->command = command_default(n);
	a->fail = OK;
	a->at_s = p->at_s;
	a->line = p->number;
	text_copy(a->path, sizeof a->path, p->path);
	p->answer = a;
	p->room = 0;
	p->state = STATE_COMMAND;
	while ((word = line_word(&rest)))
		if (!parse_key(p, &a->command, seen, word))
			return false;
	return true;
}

static bool parse_section(struct parser *p, char *rest)
{
	const char *seconds = line_word(&rest);

	if (!seconds || !text_to_u64(seconds, SECONDS_MAX, &p->at_s) || line_word(&rest))
		return refuse(p, "@ takes a number of seconds, at most %d", SECONDS_MAX);
	p->in_section = true;
	p->path[0] = 0;
	p->state = STATE_MOMENT;
	return true;
}

static bool parse_path(struct parser *p, char *rest)
{
	const char *name = line_word(&rest);

	if (!name || !node_name_is_valid(name) || line_word(&rest))
		return refuse(p, "path takes the kernel name of a device or controller");
	text_copy(p->path, sizeof p->path, name);
	p->state = STATE_MOMENT;
	return true;
}

static bool parse_delay(struct parser *p, char *rest)
{
	const char *delay = line_word(&rest);

	if (p->state != STATE_COMMAND || !delay || !text_to_u64(delay, MICROSECONDS_MAX, &p->answer->delay_us) ||
	    line_word(&rest))
		return refuse(p, "~ takes microseconds (at most %d), right after the command", MICROSECONDS_MAX);
	return true;
}

static bool parse_failure(struct parser *p, char *rest)
{
	const char *why;

	if (p->state != STATE_COMMAND && p->state != STATE_DATA)
		return refuse(p, "a failure stands alone after its command");
	why = failure_parse(rest, &p->answer->fail, &p->answer->is_hang);
	if (why)
		return refuse(p, "%s", why);
	if (p->state == STATE_DATA && p->answer->fail.kind != FAIL_KIND_SENSE)
		return refuse(p, "only sense may follow bytes");
	p->state = STATE_FAILED;
	return true;
}

static bool add_byte(struct parser *p, uint8_t byte)
{
	struct capture_answer *a = p->answer;

	if (a->n_bytes == p->room) {
		size_t room = p->room ? 2 * p->room : 64;
		uint8_t *grown = realloc(a->bytes, room);

		if (!grown)
			return refuse(p, "out of memory");
		a->bytes = grown;
		p->room = room;
	}
	a->bytes[a->n_bytes++] = byte;
	return true;
}

static bool parse_bytes(struct parser *p, const char *word, char *rest)
{
	if (p->state == STATE_MOMENT)
		return refuse(p, "a command, sysfs, stat, absent or present must follow");
	if (p->state != STATE_COMMAND && p->state != STATE_DATA)
		return refuse(p, "bytes without a command");
	for (; word; word = line_word(&rest)) {
		uint64_t byte;

		if (strlen(word) != 2 || !text_hex_to_u64(word, 0xff, &byte))
			return refuse(p, "not two hexadecimal digits a byte: %.40s", word);
		if (!add_byte(p, (uint8_t)byte))
			return false;
	}
	p->state = STATE_DATA;
	return true;
}

static bool parse_transport(struct parser *p, char *rest)
{
	const char *name = line_word(&rest);

	if (p->has_transport || !name || !transport_from_name(name, &p->capture->transport) || line_word(&rest))
		return refuse(p, "transport must be one of scsi, ata, nvme, and said once");
	p->has_transport = true;
	return true;
}

/* "via megaraid N" is reserved for the drive's number behind a RAID controller: well formed, and of no effect yet. */
static bool parse_via(struct parser *p, char *rest)
{
	const char *kind = line_word(&rest), *number = line_word(&rest);
	uint64_t n;

	if (!kind || strcmp(kind, "megaraid") || !number || !text_to_u64(number, UINT32_MAX, &n) || line_word(&rest))
		return refuse(p, "via takes megaraid and a number");
	return true;
}

/* A device's or controller's name begins the lines that are its own. */
static bool begin_node(struct parser *p, const char *name, bool is_block)
{
	for (size_t i = 0; i < p->n_nodes; i++)
		if (!strcmp(capture_device(p->capture, i, NULL), name))
			return refuse(p, "%s is said twice", name);
	if (++p->n_nodes > CAPTURE_DEVICES)
		return refuse(p, "more than %d devices and controllers", CAPTURE_DEVICES);
	text_copy(p->node, sizeof p->node, name);
	p->node_is_block = is_block;
	return true;
}

static bool check_owner(struct parser *p, const struct line_rule *rule, const char *value)
{
	if (rule->owner == LINE_NODE && !p->node[0] && *value != '/')
		return refuse(p, "%s needs a device or controller line above it", rule->word);
	if (rule->owner == LINE_BLOCK && !p->node_is_block)
		return refuse(p, "%s needs a device line above it", rule->word);
	return true;
}

static bool parse_line_of_kind(struct parser *p, enum capture_line_kind kind, char *rest)
{
	const struct line_rule *rule = &line_rules[kind];
	bool is_header = p->state == STATE_HEADER;
	struct capture_line *line;
	const char *why;

	line_squeeze(rest);
	why = rule->refusal(rest);
	if (why)
		return refuse(p, "%s %s", rule->word, why);
	if (is_header && rule->owner == LINE_DRIVE && !begin_node(p, rest, kind == CAPTURE_DEVICE))
		return false;
	if (is_header && !check_owner(p, rule, rest))
		return false;
	line = capture_more_lines(p->capture);
	if (!line)
		return refuse(p, "out of memory");
	*line = (struct capture_line){ .kind = kind, .at_s = p->at_s, .is_header = is_header, .line = p->number };
	text_copy(line->node, sizeof line->node, is_header ? p->node : p->path);
	if (kind == CAPTURE_SYSFS)
		line->n_path = line_undo_escapes(rest);
	line->value = strdup(rest);
	if (!line->value)
		return refuse(p, "out of memory");
	if (!is_header)
		p->state = STATE_MOMENT;
	return true;
}

/* The first words that are no command, mark, or line of a section. */
static bool parse_header(struct parser *p, const char *word, char *rest)
{
	enum capture_line_kind kind;

	if (!strcmp(word, "transport"))
		return parse_transport(p, rest);
	if (!strcmp(word, "via"))
		return parse_via(p, rest);
	if (!line_kind_from_word(word, &kind) || !line_rules[kind].in_header)
		return refuse(p, "no such header line: %.40s", word);
	return parse_line_of_kind(p, kind, rest);
}

static bool parse_words(struct parser *p, const char *word, char *rest)
{
	enum capture_line_kind kind;

	if (p->state == STATE_START)
		return parse_first(p, word, rest);
	if (!strcmp(word, ">"))
		return end_answer(p) && parse_command(p, rest);
	if (!strcmp(word, "@"))
		return end_answer(p) && parse_section(p, rest);
	if (p->state == STATE_HEADER)
		return parse_header(p, word, rest);
	if (!strcmp(word, "path"))
		return end_answer(p) && parse_path(p, rest);
	if (!strcmp(word, "~"))
		return parse_delay(p, rest);
	if (!strcmp(word, "!"))
		return parse_failure(p, rest);
	if (!line_kind_from_word(word, &kind))
		return parse_bytes(p, word, rest);
	if (!line_rules[kind].in_section || !p->in_section)
		return refuse(p, "%s stands in the header%s only", word,
			      line_rules[kind].in_section ? " or a section (@)" : "");
	return end_answer(p) && parse_line_of_kind(p, kind, rest);
}

static bool has_control(const char *line)
{
	for (; *line; line++)
		if (((unsigned char)*line < 0x20 && *line != '\t') || *line == 0x7f)
			return true;
	return false;
}

/* length: how long the line is where it stands; its copy ends at the first NUL. */
static bool parse_line(struct parser *p, char *line, size_t length)
{
	char *comment, *word;

	if (strlen(line) != length)
		return refuse(p, "a NUL byte; a capture is text");
	if (strchr(line, '\r'))
		return refuse(p, "a carriage return; lines end in LF");
	if (!text_is_utf8(line))
		return refuse(p, "not UTF-8");
	comment = strchr(line, '#');
	if (comment)
		*comment = 0;
	if (has_control(line))
		return refuse(p, "a control character");
	word = line_word(&line);
	return word ? parse_words(p, word, line) : true;
}

static bool parse_lines(struct parser *p, char *text, size_t n)
{
	char *end = text + n;

	while (text < end) {
		char *lf = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((lf ? lf : end) - text);

		p->number++;
		text[length] = 0;
		if (!parse_line(p, text, length))
			return false;
		text += length + 1;
	}
	if (p->state == STATE_START)
		return refuse(p, "empty: there is no line \"drive-capture 1\"");
	if (!end_answer(p))
		return false;
	return p->has_transport || refuse(p, "no transport line");
}

struct capture *capture_parse(const char *text, size_t n, const char *name, struct text *error)
{
	struct parser p = { .capture = capture_new(TRANSPORT_SCSI), .name = name, .error = error };
	AUTO_FREE char *copy = n <= CAPTURE_BYTES_MAX ? malloc(n + 1) : NULL;

	if (n > CAPTURE_BYTES_MAX) {
		refuse_at(&p, 1, "more than %d bytes", CAPTURE_BYTES_MAX);
	} else if (!p.capture || !copy || !(p.capture->file = strdup(name))) {
		refuse_at(&p, 1, "out of memory");
	} else {
		if (n)
			memcpy(copy, text, n);
		copy[n] = 0;
		if (parse_lines(&p, copy, n))
			return p.capture;
	}
	capture_free(p.capture);
	return NULL;
}
