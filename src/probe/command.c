/* The vocabulary. What has an effect on a drive has no name here, or no value. */
#include "probe/command.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

static const char *const transport_names[N_TRANSPORTS] = {
	[TRANSPORT_SCSI] = "scsi", [TRANSPORT_ATA] = "ata", [TRANSPORT_NVME] = "nvme",
};

static const struct command_range zero[] = { { 0, 0 } };
static const struct command_range any[] = { { 0, UINT32_MAX } };
static const struct command_range any_word[] = { { 0, 0xffff } };

/* SPC-5 7.7 and SBC-4 6.6. 81h and 82h are obsolete; 03h to 7Fh are texts. */
static const struct command_range inquiry_vpd[] = {
	{ VPD_NONE, VPD_NONE },
	{ 0x00, 0x00 },		/* which there are */
	{ 0x80, 0x80 },		/* serial number */
	{ 0x83, 0x8d },		/* identification, network, extended inquiry, ATA information, power, feature sets */
	{ 0xb0, 0xb9 },		/* block device: limits, characteristics, provisioning, zones, actuators */
	{ 0xc0, 0xc3 },		/* Seagate: firmware numbers, dates, jumpers, behaviour */
};

/* SPC-5 7.3. With SP=0 nothing is saved, so each page is a read; listed are those that tell of health. 0Fh (application
 * client) is left out: it holds what hosts wrote, not what the drive measured. */
static const struct command_range log_page[] = {
	{ 0x00, 0x00 },		/* supported pages */
	{ 0x02, 0x08 },		/* error counters, non-medium errors, last errors, format status */
	{ 0x0b, 0x0e },		/* last deferred errors, provisioning, temperature, start-stop and utilization */
	{ 0x10, 0x11 },		/* self-tests, solid state media */
	{ 0x15, 0x1a },		/* background scan, ATA results, non-volatile cache, ports, statistics, power */
	{ 0x2f, 0x3e },		/* informational exceptions; the vendor's. 3Fh is reserved */
};

/* To 21h: the subpages of 0Dh, 0Eh, 15h, 19h and the time series of FARM; FFh: which there are. */
static const struct command_range log_subpage[] = { { 0x00, 0x21 }, { 0xff, 0xff } };

/* SPC-5 7.5. 00h is left out: a vendor may give it any form. */
static const struct command_range mode_page[] = {
	{ 0x01, 0x02 },		/* error recovery, disconnect-reconnect */
	{ 0x07, 0x08 },		/* verify error recovery, caching */
	{ 0x0a, 0x0a },		/* control: duration of the extended self-test */
	{ 0x18, 0x1a },		/* port: logical unit and phys; power conditions */
	{ 0x1c, 0x1c },		/* informational exceptions, background control */
	{ 0x3f, 0x3f },		/* all */
};
static const struct command_range mode_subpage[] = { { 0x00, 0x05 }, { 0xff, 0xff } };

/* ACS-4 table A.2. E1h (SCT data transfer) moves data of a command in progress. 80h to 9Fh are the host's own; A0h to
 * DFh are the vendor's and may do anything when read. */
static const struct command_range smart_log[] = {
	{ 0x00, 0x02 },		/* directory, summary and comprehensive errors */
	{ 0x04, 0x04 },		/* device statistics */
	{ 0x06, 0x06 },		/* self-tests */
	{ 0x09, 0x09 },		/* selective self-test */
	{ 0x30, 0x30 },		/* identify data */
	{ 0xe0, 0xe0 },		/* SCT status */
};

/* ACS-4 table A.2. Left out: 10h, whose reading clears the NCQ error state; 24h, whose reading takes a snapshot;
 * E1h as above. Of the vendors' logs A6h only (Seagate FARM), which openSeaChest reads on drives in use. */
static const struct command_range ata_log[] = {
	{ 0x00, 0x00 },		/* directory */
	{ 0x03, 0x04 },		/* extended errors, device statistics */
	{ 0x07, 0x08 },		/* extended self-tests, power conditions */
	{ 0x0c, 0x0d },		/* pending defects, misaligned writes */
	{ 0x11, 0x11 },		/* SATA phy event counters; the feature bit that clears them is never set */
	{ 0x2f, 0x30 },		/* sector configurations, identify data */
	{ 0xa6, 0xa6 },
	{ 0xe0, 0xe0 },		/* SCT status */
};
static const struct command_range sectors[] = { { 0, COMMAND_ANSWER_MAX / 512 } };

/* NVM Express base 2.0, figure 273: what there is, never what is to be done. */
static const struct command_range identify_cns[] = {
	{ 0x00, 0x06 },		/* namespace, controller, lists, descriptors; by command set (NVM) */
	{ 0x08, 0x08 },		/* namespace, whatever its command set */
	{ 0x10, 0x15 },		/* allocated namespaces, controllers of the subsystem */
	{ 0x17, 0x17 },		/* UUIDs */
};

/* NVM Express base 2.0, figure 202. RAE is always 1, so that no event is cleared. Left out because of effects: 04h, whose
 * reading clears it; 07h and 08h (telemetry, a snapshot); 0Ch, the kernel's own; 0Dh (establishes a context); 70h
 * (discovery); 80h, whose reading removes an entry. The length of the others is fixed, but for 01h. */
static const struct command_range nvme_log[] = {
	{ 0x00, 0x03 },		/* supported logs, errors, health, firmware slots */
	{ 0x05, 0x06 },		/* effects, self-tests */
	{ 0x09, 0x09 },		/* endurance group */
	{ 0x81, 0x81 },		/* sanitize status */
	{ 0xc0, 0xc0 },		/* OCP: extended SMART */
	{ 0xc3, 0xc3 },		/* OCP: latency */
	{ 0xca, 0xca },		/* Intel, Solidigm: SMART attributes */
};
static const struct command_range nvme_length[] = { { 0, COMMAND_ANSWER_MAX } };
static const struct command_range nvme_uuid[] = { { 0, 0x7f } };

#define KEY(key_name, key_absent, list) \
	{ .name = (key_name), .absent = (key_absent), .allowed = (list), .n_allowed = ARRAY_SIZE(list) }

const struct command_kind commands[N_COMMANDS] = {
	[COMMAND_INQUIRY] = { .name = "inquiry", .key = { [KEY_VPD] = KEY("vpd", VPD_NONE, inquiry_vpd) } },
	[COMMAND_READ_CAPACITY] = { .name = "read-capacity" },
	[COMMAND_LOG_SENSE] = { .name = "log-sense", .key = {
		[KEY_PAGE] = KEY("page", 0, log_page),
		[KEY_SUBPAGE] = KEY("subpage", 0, log_subpage),
		[KEY_PARAMETER] = KEY("parameter", 0, any_word) } },
	[COMMAND_MODE_SENSE] = { .name = "mode-sense", .key = {
		[KEY_PAGE] = KEY("page", 0, mode_page),
		[KEY_SUBPAGE] = KEY("subpage", 0, mode_subpage) } },
	[COMMAND_REQUEST_SENSE] = { .name = "request-sense" },
	[COMMAND_READ_DEFECTS] = { .name = "read-defects" },
	[COMMAND_ATA_IDENTIFY] = { .name = "ata-identify", .fixed_length = 512 },
	[COMMAND_ATA_SMART_DATA] = { .name = "ata-smart-data", .fixed_length = 512 },
	[COMMAND_ATA_SMART_THRESHOLDS] = { .name = "ata-smart-thresholds", .fixed_length = 512 },
	[COMMAND_ATA_SMART_STATUS] = { .name = "ata-smart-status", .fixed_length = 2 },
	[COMMAND_ATA_SMART_LOG] = { .name = "ata-smart-log", .key = {
		[KEY_SMART_ADDRESS] = KEY("address", 0, smart_log),
		[KEY_SMART_COUNT] = KEY("count", 0, sectors) } },
	[COMMAND_ATA_LOG] = { .name = "ata-log", .fixed_length = 512, .key = {
		[KEY_ADDRESS] = KEY("address", 0, ata_log),
		[KEY_LOG_PAGE] = KEY("page", 0, any_word),
		[KEY_COUNT] = KEY("count", 0, sectors) } },
	[COMMAND_ATA_CHECK_POWER] = { .name = "ata-check-power", .fixed_length = 1 },
	[COMMAND_NVME_IDENTIFY] = { .name = "nvme-identify", .fixed_length = 4096, .key = {
		[KEY_CNS] = KEY("cns", 0, identify_cns),
		[KEY_IDENTIFY_NSID] = KEY("nsid", 0, any) } },
	[COMMAND_NVME_LOG] = { .name = "nvme-log", .key = {
		[KEY_ID] = KEY("id", 0, nvme_log),
		[KEY_NSID] = KEY("nsid", UINT32_MAX, any),
		[KEY_LSP] = KEY("lsp", 0, zero),	/* 0 starts nothing on any log listed */
		[KEY_LSI] = KEY("lsi", 0, any_word),
		[KEY_OFFSET] = KEY("offset", 0, any),
		[KEY_LENGTH] = KEY("length", 0, nvme_length),
		[KEY_UUID] = KEY("uuid", 0, nvme_uuid) } },
	[COMMAND_PCIE_LINK] = { .name = "pcie-link", .fixed_length = 6 },
	[COMMAND_HOST_PHYS] = { .name = "host-phys" },
};

/* ---- rules between keys */

/* Bytes of a log page as NVM Express and OCP define them; of 01h the most there can be (256 entries). */
static uint32_t nvme_log_length(uint32_t id)
{
	static const struct {
		uint8_t id;
		uint32_t length;
	} lengths[] = {
		{ 0x00, 1024 }, { 0x01, 256 * 64 }, { 0x05, 4096 }, { 0x06, 564 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		if (lengths[i].id == id)
			return lengths[i].length;
	return 512;
}

static const char *nvme_log_refusal(const struct command *c)
{
	/* NUMD and the offset count dwords (NVM Express base 2.0, figures 197 to 200). */
	if (c->key[KEY_OFFSET] % 4)
		return "key offset: no multiple of 4";
	if (c->key[KEY_LENGTH] % 4)
		return "key length: no multiple of 4";
	if (!c->key[KEY_LENGTH] && c->key[KEY_OFFSET] >= nvme_log_length(c->key[KEY_ID]))
		return "key offset: past the end of the log";
	return NULL;
}

static const char *nvme_identify_refusal(const struct command *c)
{
	/* Some controllers log an error for a controller identified with a namespace. */
	if (c->key[KEY_CNS] == 0x01 && c->key[KEY_IDENTIFY_NSID])
		return "key nsid: must be 0 with cns 01";
	return NULL;
}

static const char *ata_log_refusal(const struct command *c)
{
	uint32_t count = c->key[KEY_COUNT] ? c->key[KEY_COUNT] : 1;

	if (c->key[KEY_LOG_PAGE] + count > 0x10000)
		return "key count: past the last page";
	return NULL;
}

static const char *(*const refusal_between_keys[N_COMMANDS])(const struct command *) = {
	[COMMAND_NVME_LOG] = nvme_log_refusal,
	[COMMAND_NVME_IDENTIFY] = nvme_identify_refusal,
	[COMMAND_ATA_LOG] = ata_log_refusal,
};

/* ---- the functions */

const char *transport_name(enum transport transport)
{
	return (unsigned)transport < N_TRANSPORTS ? transport_names[transport] : "unknown";
}

bool transport_from_name(const char *name, enum transport *ret)
{
	for (size_t i = 0; i < N_TRANSPORTS; i++)
		if (!strcmp(name, transport_names[i])) {
			*ret = (enum transport)i;
			return true;
		}
	return false;
}

struct command command_default(enum command_name name)
{
	struct command c = { .name = name };

	if ((unsigned)name < N_COMMANDS)
		for (size_t i = 0; i < COMMAND_KEYS; i++)
			c.key[i] = commands[name].key[i].absent;
	return c;
}

bool command_name_from_text(const char *text, enum command_name *ret)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (!strcmp(text, commands[i].name)) {
			*ret = (enum command_name)i;
			return true;
		}
	return false;
}

int command_key_index(enum command_name name, const char *key)
{
	if ((unsigned)name >= N_COMMANDS)
		return -1;
	for (int i = 0; i < COMMAND_KEYS && commands[name].key[i].name; i++)
		if (!strcmp(key, commands[name].key[i].name))
			return i;
	return -1;
}

bool command_is_equal(const struct command *a, const struct command *b)
{
	return a->name == b->name && !memcmp(a->key, b->key, sizeof a->key);
}

static bool key_allows(const struct command_key *key, uint32_t value)
{
	if (!key->name)
		return value == 0;	/* not used by this command */
	for (size_t i = 0; i < key->n_allowed; i++)
		if (value >= key->allowed[i].first && value <= key->allowed[i].last)
			return true;
	return false;
}

bool command_is_allowed(const struct command *c, const char **ret_why)
{
	/* One text per key of any command: all are static, none is put together. */
	static const struct {
		const char *key, *why;
	} reasons[] = {
		{ "vpd", "key vpd: value not listed" }, { "page", "key page: value not listed" },
		{ "subpage", "key subpage: value not listed" }, { "parameter", "key parameter: value not listed" },
		{ "address", "key address: value not listed" }, { "count", "key count: value not listed" },
		{ "cns", "key cns: value not listed" }, { "id", "key id: value not listed" },
		{ "lsp", "key lsp: value not listed" }, { "lsi", "key lsi: value not listed" },
		{ "length", "key length: value not listed" }, { "uuid", "key uuid: value not listed" },
	};
	const char *why = NULL;

	if ((unsigned)c->name >= N_COMMANDS) {
		*ret_why = "no such command";
		return false;
	}
	for (size_t i = 0; i < COMMAND_KEYS; i++) {
		const struct command_key *key = &commands[c->name].key[i];

		if (key_allows(key, c->key[i]))
			continue;
		*ret_why = "a key that the command does not have";
		for (size_t k = 0; key->name && k < ARRAY_SIZE(reasons); k++)
			if (!strcmp(key->name, reasons[k].key))
				*ret_why = reasons[k].why;
		return false;
	}
	if (refusal_between_keys[c->name])
		why = refusal_between_keys[c->name](c);
	*ret_why = why;
	return !why;
}

char *command_text(const struct command *c, char text[COMMAND_TEXT_MAX])
{
	size_t n;

	if ((unsigned)c->name >= N_COMMANDS) {
		snprintf(text, COMMAND_TEXT_MAX, "unknown");
		return text;
	}
	n = (size_t)snprintf(text, COMMAND_TEXT_MAX, "%s", commands[c->name].name);
	for (size_t i = 0; i < COMMAND_KEYS && commands[c->name].key[i].name && n < COMMAND_TEXT_MAX; i++)
		if (c->key[i] != commands[c->name].key[i].absent)
			n += (size_t)snprintf(text + n, COMMAND_TEXT_MAX - n, " %s=%02x", commands[c->name].key[i].name,
					      c->key[i]);
	return text;
}

static size_t sectors_length(uint32_t count)
{
	size_t n = 512 * (size_t)(count ? count : 1);

	return n < COMMAND_ANSWER_MAX ? n : COMMAND_ANSWER_MAX;
}

static size_t nvme_answer_length(const struct command *c)
{
	uint32_t own = nvme_log_length(c->key[KEY_ID]), length = c->key[KEY_LENGTH];

	if (!length)
		length = c->key[KEY_OFFSET] < own ? own - c->key[KEY_OFFSET] : 0;
	return length < COMMAND_ANSWER_MAX ? length : COMMAND_ANSWER_MAX;
}

size_t command_answer_max(const struct command *c)
{
	if ((unsigned)c->name >= N_COMMANDS)
		return 0;
	switch (c->name) {
	case COMMAND_INQUIRY:
		/* Standard data: one byte of length. VPD pages in use stay far below this. */
		return c->key[KEY_VPD] == VPD_NONE ? 260 : 4096;
	case COMMAND_READ_CAPACITY:
		return 32;
	case COMMAND_MODE_SENSE:
		return 4096;
	case COMMAND_REQUEST_SENSE:
		return 252;		/* SPC-5 4.4: the most there is */
	case COMMAND_READ_DEFECTS:
		return 8;
	case COMMAND_ATA_SMART_LOG:
		return sectors_length(c->key[KEY_SMART_COUNT]);
	case COMMAND_ATA_LOG:
		return sectors_length(c->key[KEY_COUNT]);
	case COMMAND_NVME_LOG:
		return nvme_answer_length(c);
	case COMMAND_HOST_PHYS:
		return 18 * 128;	/* a wide port of a SAS domain has at most 128 phys */
	case COMMAND_LOG_SENSE:
		return COMMAND_ANSWER_MAX;
	default:
		return commands[c->name].fixed_length;
	}
}

/* A number as the kernel prints it; moves past it. */
static bool skip_number(const char **at)
{
	const char *start = *at;

	while (**at >= '0' && **at <= '9')
		(*at)++;
	return *at != start && (*start != '0' || *at == start + 1);
}

bool node_name_is_valid(const char *name)
{
	const char *at = name;

	if (strnlen(name, NODE_NAME_MAX) >= NODE_NAME_MAX)
		return false;
	if (!strncmp(name, "sd", 2)) {
		for (at += 2; *at >= 'a' && *at <= 'z'; at++)
			;
		return at > name + 2 && !*at;
	}
	if (strncmp(name, "nvme", 4))
		return false;
	at += 4;
	if (!skip_number(&at))
		return false;
	if (!*at)
		return true;
	return *at++ == 'n' && skip_number(&at) && !*at;
}
