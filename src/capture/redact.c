/* Serial numbers and world wide names give way to made-up ones. */
#include <string.h>

#include "capture/secret.h"

enum { SECTOR = 512, ATA_INFORMATION_IDENTIFY = 60 };

static uint8_t sum(const uint8_t *sector)
{
	uint8_t total = 0;

	for (size_t i = 0; i < SECTOR; i++)
		total += sector[i];
	return total;
}

/* Has this sector a checksum in its last byte, and is it right (ACS: the sum of all bytes is 0)? IDENTIFY tells that it
 * has one by A5h in the byte before. The statistics have none (ACS, Device Statistics log). */
static bool has_right_checksum(const struct command *c, uint32_t page, const uint8_t *sector)
{
	uint32_t address = c->name == COMMAND_ATA_LOG ? c->key[KEY_ADDRESS] : c->key[KEY_SMART_ADDRESS];
	bool is_log = c->name == COMMAND_ATA_LOG || c->name == COMMAND_ATA_SMART_LOG;
	bool is_identify = c->name == COMMAND_ATA_IDENTIFY || c->name == COMMAND_INQUIRY || (is_log && address == 0x30);

	if (sum(sector))
		return false;
	if (is_identify)
		return sector[SECTOR - 2] == 0xa5 && (!is_log || page == 0x01);
	return !(is_log && address == 0x04);
}

/* Where the first sector of such an answer begins; -1: it has none. */
static ssize_t first_sector(const struct command *c)
{
	switch (c->name) {
	case COMMAND_ATA_IDENTIFY:
	case COMMAND_ATA_SMART_DATA:
	case COMMAND_ATA_SMART_THRESHOLDS:
	case COMMAND_ATA_SMART_LOG:
	case COMMAND_ATA_LOG:
		return 0;
	case COMMAND_INQUIRY:		/* SAT, ATA Information VPD page */
		return c->key[KEY_VPD] == 0x89 ? ATA_INFORMATION_IDENTIFY : -1;
	default:
		return -1;
	}
}

static bool is_farm(const struct command *c)
{
	return (c->name == COMMAND_ATA_LOG && c->key[KEY_ADDRESS] == 0xa6) ||
	       (c->name == COMMAND_LOG_SENSE && c->key[KEY_PAGE] == 0x3d && c->key[KEY_SUBPAGE]);
}

static bool replace_in_answer(const struct secrets *s, struct capture_answer *a)
{
	size_t sectors = 0;
	ssize_t first = first_sector(&a->command);
	AUTO_FREE bool *was_right = NULL;
	bool done;

	if (first >= 0 && (size_t)first < a->n_bytes)
		sectors = (a->n_bytes - (size_t)first) / SECTOR;
	was_right = calloc(sectors + 1, sizeof *was_right);
	if (!was_right)
		return false;
	for (size_t i = 0; i < sectors; i++)
		was_right[i] = has_right_checksum(&a->command, a->command.key[KEY_LOG_PAGE] + (uint32_t)i,
						  a->bytes + first + SECTOR * i);
	done = secrets_replace(s, a->bytes, a->n_bytes);
	if (is_farm(&a->command))
		done = secrets_replace_quarters(s, a->bytes, a->n_bytes) && done;
	for (size_t i = 0; i < sectors; i++) {
		uint8_t *sector = a->bytes + first + SECTOR * i;

		if (was_right[i])
			sector[SECTOR - 1] -= sum(sector);
	}
	return done;
}

/* A secret of raw bytes can stand in a line by chance; what takes its place must be fit for one. */
static uint8_t fit_for_line(uint8_t before, uint8_t now, bool keeps_others)
{
	bool is_plain = now > ' ' && now < 0x7f && now != '#' && now != '\\';

	if (now == before && (keeps_others || now < 0x80))
		return now;
	if (before == ' ')		/* parts PATH from VALUE */
		return before;
	return is_plain ? now : (uint8_t)('A' + now % 26);
}

static bool replace_in_line(const struct secrets *s, struct capture_line *l)
{
	size_t n = strlen(l->value);
	AUTO_FREE char *before = strdup(l->value);

	if (!before || !secrets_replace(s, (uint8_t *)l->value, n))
		return false;
	for (size_t i = 0; i < n; i++)
		l->value[i] = (char)fit_for_line((uint8_t)before[i], (uint8_t)l->value[i], true);
	for (size_t i = 0; i < n && !text_is_utf8(l->value); i++)	/* half of a character was replaced */
		l->value[i] = (char)fit_for_line((uint8_t)before[i], (uint8_t)l->value[i], false);
	return true;
}

/* NVM Express base, Identify Controller, IEEE OUI Identifier: little-endian. */
static void learn_maker(struct secrets *s, const struct capture_answer *a)
{
	struct bytes oui = bytes_at(bytes_of(a->bytes, a->n_bytes), 73, sizeof s->oui);

	for (size_t i = 0; i < oui.left; i++)
		s->oui[i] = oui.at[oui.left - 1 - i];
}

static bool replace_all(struct capture *c)
{
	CLEANUP(secrets_end) struct secrets s;
	bool done = secrets_begin(&s);

	for (size_t i = 0; i < c->n_answers; i++)
		if (c->answers[i].command.name == COMMAND_NVME_IDENTIFY && c->answers[i].command.key[KEY_CNS] == 0x01)
			learn_maker(&s, &c->answers[i]);
	for (size_t i = 0; i < c->n_answers; i++)
		secrets_of_answer(&s, &c->answers[i]);
	for (int is_free_text = 0; is_free_text <= 1; is_free_text++)
		for (size_t i = 0; i < c->n_lines; i++)
			secrets_of_line(&s, &c->lines[i], is_free_text);
	secrets_sort(&s);
	done = done && !s.out_of_memory;
	for (size_t i = 0; i < c->n_answers && done; i++)
		done = !c->answers[i].n_bytes || replace_in_answer(&s, &c->answers[i]);
	for (size_t i = 0; i < c->n_lines && done; i++) {
		struct capture_line *l = &c->lines[i];

		if (l->kind == CAPTURE_SYSFS || l->kind == CAPTURE_DEVPATH)
			done = replace_in_line(&s, l);
	}
	return done;
}

void capture_redact(struct capture *c)
{
	if (replace_all(c))
		return;
	/* Without randomness or memory nothing is told rather than a secret. */
	for (size_t i = 0; i < c->n_answers; i++)
		free(c->answers[i].bytes);
	for (size_t i = 0; i < c->n_lines; i++)
		free(c->lines[i].value);
	c->n_answers = c->n_lines = 0;
}
