/* What a header line, or a change of one in a section, may look like. */
#include "capture/line.h"

#include <string.h>

enum { STAT_FIELDS_MAX = 64 };	/* the kernel has 17 (6.x); room for its future */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

char *line_word(char **rest)
{
	char *word = *rest, *end;

	while (is_blank(*word))
		word++;
	if (!*word) {
		*rest = word;
		return NULL;
	}
	for (end = word; *end && !is_blank(*end);)
		end++;
	*rest = *end ? end + 1 : end;
	*end = 0;
	return word;
}

char *line_squeeze(char *rest)
{
	char *to = rest, *from = rest;

	while (*from) {
		while (is_blank(*from))
			from++;
		if (*from && to > rest)
			*to++ = ' ';
		while (*from && !is_blank(*from))
			*to++ = *from++;
	}
	*to = 0;
	return rest;
}

size_t line_undo_escapes(char *value)
{
	static const char escape[] = "\\x20";
	char *to = value, *from = value;
	size_t n_path;

	while (*from && *from != ' ') {
		bool is_escape = !strncmp(from, escape, strlen(escape));

		*to++ = is_escape ? ' ' : *from;
		from += is_escape ? strlen(escape) : 1;
	}
	n_path = (size_t)(to - value);
	memmove(to, from, strlen(from) + 1);
	return n_path;
}

void line_write_sysfs(struct text *out, const char *path, size_t n_path, const char *value)
{
	text_add(out, "sysfs ");
	for (size_t i = 0; i < n_path; i++)
		text_add_bytes(out, path[i] == ' ' ? "\\x20" : path + i, path[i] == ' ' ? 4 : 1);
	text_addf(out, " %s\n", value);
}

static bool is_number(const char *value, size_t n)
{
	char digits[24];
	uint64_t v;

	if (n >= sizeof digits)
		return false;
	memcpy(digits, value, n);
	digits[n] = 0;
	return text_to_u64(digits, UINT64_MAX, &v);
}

static const char *refuse_number(const char *value)
{
	return is_number(value, strlen(value)) ? NULL : "takes a decimal number of at most 64 bits";
}

static const char *refuse_numbers(const char *value)
{
	size_t fields = 0;

	for (;;) {
		size_t n = strcspn(value, " ");

		if (!is_number(value, n) || ++fields > STAT_FIELDS_MAX)
			return "takes decimal numbers of at most 64 bits";
		if (!value[n])
			return NULL;
		value += n + 1;
	}
}

static const char *refuse_switch(const char *value)
{
	return !strcmp(value, "0") || !strcmp(value, "1") ? NULL : "is 0 or 1";
}

/* NVMe controllers are nvmeN; every other node name is a block device's. */
static bool is_controller_name(const char *name)
{
	return !strncmp(name, "nvme", 4) && name[4] && !name[4 + strspn(name + 4, "0123456789")];
}

static const char *refuse_device(const char *value)
{
	return node_name_is_valid(value) && !is_controller_name(value) ? NULL :
		"takes the kernel name of a block device";
}

static const char *refuse_controller(const char *value)
{
	return node_name_is_valid(value) && is_controller_name(value) ? NULL :
		"takes the kernel name of an NVMe controller";
}

static const char *refuse_word(const char *value)
{
	return *value && !strchr(value, ' ') ? NULL : "takes one path without blanks";
}

static const char *refuse_sysfs(const char *value)
{
	const char *blank = strchr(value, ' ');

	return blank && blank[1] ? NULL : "takes a path and a value";
}

static const char *refuse_anything(const char *value)
{
	return *value ? "stands alone on its line" : NULL;
}

const struct line_rule line_rules[N_CAPTURE_LINE_KINDS] = {
	[CAPTURE_DEVICE] = { "device", true, false, LINE_DRIVE, refuse_device },
	[CAPTURE_CONTROLLER] = { "controller", true, false, LINE_DRIVE, refuse_controller },
	[CAPTURE_SIZE] = { "size", true, false, LINE_BLOCK, refuse_number },
	[CAPTURE_LOGICAL_BLOCK] = { "logical-block", true, false, LINE_BLOCK, refuse_number },
	[CAPTURE_ROTATIONAL] = { "rotational", true, false, LINE_BLOCK, refuse_switch },
	[CAPTURE_DEVPATH] = { "devpath", true, false, LINE_NODE, refuse_word },
	[CAPTURE_SYSFS] = { "sysfs", true, true, LINE_NODE, refuse_sysfs },
	[CAPTURE_STAT] = { "stat", true, true, LINE_BLOCK, refuse_numbers },
	[CAPTURE_ABSENT] = { "absent", false, true, LINE_DRIVE, refuse_anything },
	[CAPTURE_PRESENT] = { "present", false, true, LINE_DRIVE, refuse_anything },
};

bool line_kind_from_word(const char *word, enum capture_line_kind *ret)
{
	for (size_t i = 0; i < N_CAPTURE_LINE_KINDS; i++) {
		if (!strcmp(line_rules[i].word, word)) {
			*ret = (enum capture_line_kind)i;
			return true;
		}
	}
	return false;
}
