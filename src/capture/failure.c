/* The line "! FAILURE" of a capture. */
#include "capture/line.h"

#include <string.h>

enum { ERRNO_MAX = 4095 };	/* the kernel's MAX_ERRNO (include/linux/err.h) */

/* Failures that are hexadecimal values after a word. max: SPC, sense data (KEY is 4 bits); SAM, status codes; ACS,
 * STATUS and ERROR; NVM Express base, Status Field (SCT is 3 bits); the host status of SG_IO is 16 bits wide. */
struct failure_rule {
	const char *word;
	enum fail_kind kind;
	size_t n;
	uint32_t max[3];
};

static const struct failure_rule failure_rules[] = {
	{ "sense", FAIL_KIND_SENSE, 3, { 0x0f, 0xff, 0xff } },
	{ "status", FAIL_KIND_STATUS, 1, { 0xff } },
	{ "ata", FAIL_KIND_ATA, 2, { 0xff, 0xff } },
	{ "nvme", FAIL_KIND_NVME, 2, { 0x7, 0xff } },
	{ "timeout", FAIL_KIND_TIMEOUT, 0, { 0 } },
	{ "host", FAIL_KIND_HOST, 1, { 0xfff } },
};

/* Two names of one number; strerrorname_np() knows the first. */
static const struct { const char *other, *name; } errno_aliases[] = {
	{ "EWOULDBLOCK", "EAGAIN" }, { "ENOTSUP", "EOPNOTSUPP" }, { "EDEADLOCK", "EDEADLK" },
};

static int errno_from_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(errno_aliases); i++)
		if (!strcmp(name, errno_aliases[i].other))
			name = errno_aliases[i].name;
	for (int e = 1; e <= ERRNO_MAX; e++) {
		const char *known = strerrorname_np(e);

		if (known && !strcmp(name, known))
			return e;
	}
	return 0;
}

/* Sense data that is no failure (keys 0h, 1h, Fh) keeps its code, so that it can be written again. */
static struct fail sense(const uint32_t value[3])
{
	struct fail f = fail_sense((uint8_t)value[0], (uint8_t)value[1], (uint8_t)value[2]);

	f.kind = FAIL_KIND_SENSE;
	f.code = value[0] << 16 | value[1] << 8 | value[2];
	return f;
}

static struct fail failure_of(enum fail_kind kind, const uint32_t value[3])
{
	switch (kind) {
	case FAIL_KIND_SENSE:
		return sense(value);
	case FAIL_KIND_STATUS:
		return fail_status((uint8_t)value[0]);
	case FAIL_KIND_ATA:
		return fail_ata((uint8_t)value[0], (uint8_t)value[1]);
	case FAIL_KIND_NVME:
		return fail_nvme((uint8_t)value[0], (uint8_t)value[1]);
	case FAIL_KIND_HOST:
		return fail_host((uint16_t)value[0]);
	case FAIL_KIND_TIMEOUT:
	case FAIL_KIND_NONE:
	case FAIL_KIND_ERRNO:
	case FAIL_KIND_OPEN:
	case FAIL_KIND_FORMAT:
	case N_FAIL_KINDS:
		break;
	}
	return fail_timeout();
}

static const char *parse_values(const struct failure_rule *rule, char *rest, struct fail *ret)
{
	uint32_t value[3] = { 0 };
	const char *word;

	for (size_t i = 0; i < rule->n; i++) {
		uint64_t v;

		word = line_word(&rest);
		if (!word || strlen(word) > 3 || !text_hex_to_u64(word, rule->max[i], &v))
			return "a hexadecimal value of this failure is missing or too large";
		value[i] = (uint32_t)v;
	}
	if (line_word(&rest))
		return "more values than this failure has";
	*ret = failure_of(rule->kind, value);
	return NULL;
}

const char *failure_parse(char *rest, struct fail *ret, bool *ret_is_hang)
{
	const char *word = line_word(&rest), *name;

	*ret = OK;
	*ret_is_hang = false;
	if (!word)
		return "which failure?";
	if (!strcmp(word, "hang")) {
		*ret_is_hang = true;
		return line_word(&rest) ? "more values than this failure has" : NULL;
	}
	if (!strcmp(word, "errno")) {
		int error;

		name = line_word(&rest);
		error = name && !line_word(&rest) ? errno_from_name(name) : 0;
		if (!error)
			return "errno takes one name, as EIO";
		*ret = fail_os(error, NULL);
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(failure_rules); i++)
		if (!strcmp(failure_rules[i].word, word))
			return parse_values(&failure_rules[i], rest, ret);
	return "no such failure";
}

void failure_write(struct text *out, const struct fail *f, bool is_hang)
{
	unsigned top = f->code >> 16 & 0xff, high = f->code >> 8 & 0xff, low = f->code & 0xff;
	const char *name;

	if (is_hang) {
		text_add(out, "hang");
		return;
	}
	switch (f->kind) {
	case FAIL_KIND_SENSE:
		text_addf(out, "sense %02x %02x %02x", top, high, low);
		return;
	case FAIL_KIND_STATUS:
		text_addf(out, "status %02x", low);
		return;
	case FAIL_KIND_ATA:
		text_addf(out, "ata %02x %02x", high, low);
		return;
	case FAIL_KIND_NVME:
		text_addf(out, "nvme %x %02x", high, low);
		return;
	case FAIL_KIND_HOST:
		text_addf(out, "host %02x", (unsigned)(f->code & 0xfff));
		return;
	case FAIL_KIND_TIMEOUT:
		text_add(out, "timeout");
		return;
	case FAIL_KIND_ERRNO:
	case FAIL_KIND_OPEN:
		name = strerrorname_np((int)f->code);
		text_addf(out, "errno %s", name ? name : "EIO");
		return;
	case FAIL_KIND_NONE:
	case FAIL_KIND_FORMAT:
	case N_FAIL_KINDS:
		break;
	}
}
