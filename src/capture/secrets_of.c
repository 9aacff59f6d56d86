/* Where the standards, and sysfs, put what tells one drive from all others. */
#include "capture/secret.h"

#include <string.h>

enum { TOKEN_MIN = 6 };		/* of free text: a shorter word is more likely a revision than a serial number */

static bool is_word(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* What holds a known secret is replaced by it, so that both stay alike. */
static bool holds_secret(const struct secrets *s, struct bytes word)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].is_text && memmem(word.at, word.left, s->at[i].from, s->at[i].n))
			return true;
	return false;
}

/* Words of free text that look like serial numbers: long enough, with a digit in them, and no part of `known`. */
static void of_words(struct secrets *s, struct bytes text, size_t min, struct bytes known)
{
	while (text.left) {
		struct bytes word = { .at = text.at };
		bool has_digit = false;

		for (; word.left < text.left && is_word(word.at[word.left]); word.left++)
			has_digit |= word.at[word.left] <= '9';
		bytes_skip(&text, word.left ? word.left : 1);
		if (word.left < min || !has_digit || holds_secret(s, word))
			continue;
		if (!known.left || !memmem(known.at, known.left, word.at, word.left))
			secrets_add_text(s, word);
	}
}

/* A string of an ATA structure: the two bytes of each word are swapped (ACS, ATA string convention). */
static void of_ata_string(struct secrets *s, struct bytes in)
{
	uint8_t plain[64];

	if (in.left > sizeof plain)
		return;
	for (size_t i = 0; i < in.left; i++)
		plain[i] = in.at[i ^ 1];
	secrets_add_text(s, bytes_of(plain, in.left));
}

/* ACS, IDENTIFY DEVICE data: words 10-19, 176-205 and 108-111. */
static void of_identify(struct secrets *s, struct bytes in)
{
	uint8_t name[8];
	struct bytes raw = bytes_at(in, 216, sizeof name);

	of_ata_string(s, bytes_at(in, 20, 20));
	of_ata_string(s, bytes_at(in, 352, 60));
	for (size_t i = 0; i < raw.left; i++)
		name[i] = raw.at[i ^ 1];
	secrets_add_name(s, bytes_of(name, raw.left), NAME_NAA);
}

/* Hexadecimal digits to a name; what parts or precedes them (naa., eui., 0x, dashes, blanks) is passed over. */
static void of_spelled_name(struct secrets *s, const char *text, size_t n, enum name_form form)
{
	uint8_t name[16] = { 0 };
	size_t digits = 0;

	if (n > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2, n -= 2;
	for (size_t i = 0; i < n; i++) {
		char digit[2] = { text[i] };
		uint64_t v;

		if (strchr("- :", text[i]) && text[i])
			continue;
		if (!text_hex_to_u64(digit, 15, &v) || digits == 2 * sizeof name)
			break;
		name[digits / 2] |= (uint8_t)(digits % 2 ? v : v << 4);
		digits++;
	}
	if (digits == 16 || digits == 24 || digits == 32)
		secrets_add_name(s, bytes_of(name, digits / 2), form);
}

/* "naa.5000...", "eui.0025...", "uuid.6ba7..." (RFC 3980; the wwid attributes of Linux). */
static void of_prefixed_name(struct secrets *s, const char *text, size_t n)
{
	static const struct { const char *prefix; enum name_form form; } prefixes[] = {
		{ "naa.", NAME_NAA }, { "eui.", NAME_EUI64 }, { "uuid.", NAME_WHOLE }, { "uuid:", NAME_WHOLE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t length = strlen(prefixes[i].prefix);

		if (n > length && !strncmp(text, prefixes[i].prefix, length))
			of_spelled_name(s, text + length, n - length, prefixes[i].form);
	}
}

/* SPC, designation descriptor. */
static void of_designator(struct secrets *s, uint8_t type, struct bytes in)
{
	switch (type) {
	case 0x0:	/* of the vendor */
		of_words(s, in, TOKEN_MIN, bytes_of("", 0));
		break;
	case 0x1:	/* vendor identification (8 bytes), then mostly model and serial number, with a blank between */
		if (in.left >= 68 && !memcmp(in.at, "ATA     ", 8))	/* SAT: model 40 bytes, serial number 20 */
			secrets_add_text(s, bytes_at(in, 48, 20));
		else
			of_words(s, bytes_at(in, 24, in.left > 24 ? in.left - 24 : 0), TOKEN_MIN, bytes_of("", 0));
		break;
	case 0x2:
		secrets_add_name(s, in, NAME_EUI64);
		break;
	case 0x3:
		secrets_add_name(s, in, NAME_NAA);
		break;
	case 0x7:	/* MD5 */
		secrets_add_name(s, in, NAME_WHOLE);
		break;
	case 0x8:	/* SCSI name string */
		of_prefixed_name(s, (const char *)in.at, in.left);
		break;
	case 0xa:	/* UUID, after two bytes */
		secrets_add_name(s, bytes_at(in, 2, 16), NAME_WHOLE);
		break;
	}
}

static void of_designators(struct secrets *s, struct bytes in)
{
	while (in.left) {
		struct bytes head = bytes_take(&in, 4);
		struct bytes value;

		if (head.torn)
			return;
		value = bytes_take(&in, head.at[3]);
		if (value.torn)
			return;
		of_designator(s, head.at[1] & 0xf, value);
	}
}

/* SPC, SCSI Ports VPD page. */
static void of_ports(struct secrets *s, struct bytes in)
{
	while (in.left && !in.torn) {
		bytes_skip(&in, 6);
		bytes_skip(&in, bytes_be(&in, 2));	/* initiator port transport ID */
		bytes_skip(&in, 2);
		of_designators(s, bytes_take(&in, bytes_be(&in, 2)));
	}
}

static void of_inquiry(struct secrets *s, uint32_t vpd, struct bytes in)
{
	struct bytes page = in;

	if (vpd == VPD_NONE) {
		/* Vendor specific bytes: Seagate, HGST and others keep a serial number there. */
		of_words(s, bytes_at(in, 36, 20), TOKEN_MIN, bytes_at(in, 8, 28));
		return;
	}
	bytes_skip(&page, 2);
	page = bytes_take(&page, bytes_be(&page, 2));
	if (vpd == 0x80)
		secrets_add_text(s, page);
	else if (vpd == 0x83)
		of_designators(s, page);
	else if (vpd == 0x88)
		of_ports(s, page);
	else if (vpd == 0x89)		/* SAT, ATA Information VPD page: IDENTIFY data from byte 60 on */
		of_identify(s, bytes_at(in, 60, 512));
}

/* SPL, Protocol Specific Port log page for SAS: own and attached address of each phy. */
static void of_phys(struct secrets *s, struct bytes params)
{
	while (params.left && !params.torn) {
		struct bytes param, phy;

		bytes_skip(&params, 3);
		param = bytes_take(&params, bytes_be(&params, 1));
		bytes_skip(&param, 4);
		while (param.left >= 48) {
			/* Its length stands in byte 3; 0 in SAS-1, whose descriptors have 48 bytes. */
			phy = bytes_take(&param, param.at[3] >= 44 ? param.at[3] + 4u : 48);
			secrets_add_name(s, bytes_at(phy, 8, 8), NAME_NAA);
			secrets_add_name(s, bytes_at(phy, 16, 8), NAME_NAA);
		}
	}
}

static void of_log_page(struct secrets *s, struct bytes in)
{
	uint8_t page = (uint8_t)bytes_be(&in, 1) & 0x3f;

	bytes_skip(&in, 1);
	if (page == 0x18)
		of_phys(s, bytes_take(&in, bytes_be(&in, 2)));
}

/* SPL, Phy Control And Discover mode page (19h, subpage 01h), here after MODE SENSE(10)'s header: 48 bytes for each phy. */
static void of_mode_page(struct secrets *s, struct bytes in)
{
	struct bytes head = bytes_take(&in, 8);

	if (head.torn)
		return;
	bytes_skip(&in, (size_t)head.at[6] << 8 | head.at[7]);	/* block descriptors */
	if ((bytes_be(&in, 1) & 0x3f) != 0x19 || bytes_be(&in, 1) != 0x01)
		return;
	bytes_skip(&in, 6);
	while (in.left >= 48) {
		struct bytes phy = bytes_take(&in, 48);

		secrets_add_name(s, bytes_at(phy, 8, 8), NAME_NAA);
		secrets_add_name(s, bytes_at(phy, 16, 8), NAME_NAA);
	}
}

/* "nqn.2014-08.org.nvmexpress:uuid:..." or, after the first colon, whatever the maker liked: mostly the serial number,
 * and often the model, which stays. */
static void of_qualified_name(struct secrets *s, struct bytes nqn, struct bytes model)
{
	static const char uuid[] = ":uuid:";
	const uint8_t *colon = nqn.left ? memchr(nqn.at, ':', nqn.left) : NULL;
	const uint8_t *found = nqn.left ? memmem(nqn.at, nqn.left, uuid, strlen(uuid)) : NULL;
	const uint8_t *end = nqn.at + nqn.left, *name = found ? found + strlen(uuid) : NULL;

	if (name)
		of_spelled_name(s, (const char *)name, (size_t)(end - name), NAME_WHOLE);
	else if (colon)		/* words longer than the 8 digits of two PCI vendor IDs */
		of_words(s, bytes_of(colon, (size_t)(end - colon)), 9, model);
}

/* NVM Express base, Namespace Identification Descriptor: type, length, two bytes, the name. */
static void of_namespace_descriptors(struct secrets *s, struct bytes in)
{
	while (in.left) {
		uint8_t type = (uint8_t)bytes_be(&in, 1);
		size_t length = bytes_be(&in, 1);
		struct bytes name;

		bytes_skip(&in, 2);
		name = bytes_take(&in, length);
		if (!type || !length || name.torn)
			return;
		secrets_add_name(s, name, type == 0x1 ? NAME_EUI64 : type == 0x2 ? NAME_GUID : NAME_WHOLE);
	}
}

/* NVM Express base, Identify. */
/* What a vendor put there is the vendor's secret; numbers seldom look like words. OCP's health log has names of firmware in
 * its second half. */
static void of_nvme_log(struct secrets *s, uint32_t id, struct bytes in)
{
	enum { VENDORS = 0xc0, OCP_LAST = 0xc3, OCP_NUMBERS = 256 };

	if (id >= VENDORS)
		of_words(s, id <= OCP_LAST ? bytes_at(in, 0, OCP_NUMBERS) : in, TOKEN_MIN, bytes_of("", 0));
}

static void of_nvme_identify(struct secrets *s, uint32_t cns, struct bytes in)
{
	struct bytes nqn = bytes_at(in, 768, 256);

	switch (cns) {
	case 0x00:
	case 0x11:
		secrets_add_name(s, bytes_at(in, 104, 16), NAME_GUID);
		secrets_add_name(s, bytes_at(in, 120, 8), NAME_EUI64);
		break;
	case 0x01:
		secrets_add_text(s, bytes_at(in, 4, 20));
		secrets_add_name(s, bytes_at(in, 112, 16), NAME_GUID);
		nqn.left = nqn.left ? strnlen((const char *)nqn.at, nqn.left) : 0;
		of_qualified_name(s, nqn, bytes_at(in, 24, 40));
		break;
	case 0x03:
		of_namespace_descriptors(s, in);
		break;
	}
}

/* ACS, IDENTIFY DEVICE data log (30h): page 01h is IDENTIFY's, page 05h holds its strings. */
static void of_ata_log(struct secrets *s, const struct command *c, struct bytes in)
{
	for (uint32_t page = c->key[KEY_LOG_PAGE]; c->key[KEY_ADDRESS] == 0x30 && in.left; page++) {
		struct bytes sector = bytes_take(&in, 512);

		if (page == 0x01)
			of_identify(s, sector);
		else if (page == 0x05)
			of_ata_string(s, bytes_at(sector, 8, 20));
	}
}

void secrets_of_answer(struct secrets *s, const struct capture_answer *a)
{
	const struct command *c = &a->command;
	struct bytes in = bytes_of(a->bytes, a->n_bytes);

	if (!a->n_bytes)
		return;
	switch (c->name) {
	case COMMAND_INQUIRY:
		of_inquiry(s, c->key[KEY_VPD], in);
		break;
	case COMMAND_LOG_SENSE:
		of_log_page(s, in);
		break;
	case COMMAND_MODE_SENSE:
		of_mode_page(s, in);
		break;
	case COMMAND_ATA_IDENTIFY:
		of_identify(s, in);
		break;
	case COMMAND_ATA_LOG:
		of_ata_log(s, c, in);
		break;
	case COMMAND_NVME_IDENTIFY:
		of_nvme_identify(s, c->key[KEY_CNS], in);
		break;
	case COMMAND_NVME_LOG:
		of_nvme_log(s, c->key[KEY_ID], in);
		break;
	default:
		break;
	}
}

/* ---- sysfs: told by the last part of an attribute's path */

static void of_text(struct secrets *s, const char *value)
{
	secrets_add_text(s, bytes_of(value, strlen(value)));
}

static void of_wwid(struct secrets *s, const char *value)
{
	of_prefixed_name(s, value, strlen(value));
	if (!strncmp(value, "t10.", 4)) {	/* the T10 designator as text: the serial number is its last word */
		const char *last = strrchr(value, ' ');

		if (last)
			of_words(s, bytes_of(last, strlen(last)), TOKEN_MIN, bytes_of("", 0));
	}
}

static void of_nqn(struct secrets *s, const char *value)
{
	of_qualified_name(s, bytes_of(value, strlen(value)), bytes_of("", 0));
}

static void of_naa(struct secrets *s, const char *value)
{
	of_spelled_name(s, value, strlen(value), NAME_NAA);
}

static void of_eui(struct secrets *s, const char *value)
{
	of_spelled_name(s, value, strlen(value), NAME_EUI64);
}

static void of_guid(struct secrets *s, const char *value)
{
	of_spelled_name(s, value, strlen(value), NAME_GUID);
}

static void of_whole(struct secrets *s, const char *value)
{
	of_spelled_name(s, value, strlen(value), NAME_WHOLE);
}

static const struct {
	const char *name;
	void (*of)(struct secrets *, const char *value);
	bool is_free_text;	/* judged last, when the serial number is known wherever it stood */
} attributes[] = {
	{ "serial", of_text, false },
	{ "wwid", of_wwid, true },
	{ "subsysnqn", of_nqn, true },
	{ "hostnqn", of_nqn, true },
	{ "hostid", of_whole, false },
	{ "eui", of_eui, false },
	{ "nguid", of_guid, false },
	{ "uuid", of_whole, false },
	{ "sas_address", of_naa, false },
	{ "enclosure_identifier", of_naa, false },
	{ "id", of_naa, false },	/* of an enclosure: 0x and 16 digits; anything else is passed over */
};

void secrets_of_line(struct secrets *s, const struct capture_line *l, bool is_free_text)
{
	const char *name;
	AUTO_FREE char *path = l->kind == CAPTURE_SYSFS ? strndup(l->value, l->n_path) : NULL;

	if (!path)
		return;
	name = strrchr(path, '/');
	name = name ? name + 1 : path;
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		if (attributes[i].is_free_text == is_free_text && !strcmp(name, attributes[i].name))
			attributes[i].of(s, l->value + l->n_path + 1);
}
