/* poll/: what polling costs NVMe controllers. A controller logs each command that it does not support, and people take the
 * count of such entries for errors of the drive. So controllers of every version are played here that know what such a
 * controller must, and what they say that they can; all else is counted, and none may be. And what is not supported is told
 * from what did not get through just now. */
#include "poll_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/pages.h"

enum { MINUTE = 60000, HOUR = 3600000, POLLS = 100 };

/* ---- a controller, and what it can */

enum { SAMSUNG = 0x144d, MICRON = 0x1344, INTEL = 0x8086, SOLIDIGM = 0x025e, NOBODY = 0x1234 };

enum {
	SELF_TESTS = 1 << 0,	/* OACS bit 4 */
	SANITIZE = 1 << 1,	/* SANICAP */
	GROUPS = 1 << 2,	/* CTRATT bit 4 */
	UUIDS = 1 << 3,		/* CTRATT bit 9 */
	LOG_LIST = 1 << 4,	/* LPA bit 5 */
	N_OPTIONS = 5,
	OCP = 1 << 5, FOREIGN_C0 = 1 << 6, LATENCY = 1 << 7, INTEL_LOG = 1 << 8,
	UUID_OF_OCP = 1 << 9,	/* C0h and C3h are OCP's only when asked for by its UUID */
	NO_ERROR_LOG = 1 << 10, /* it refuses the one that every controller must have */
	NO_UUID_LIST = 1 << 11,	/* it says that it has one, and does not */
	RESETS_COUNT = 1 << 12,	/* its count of errors begins anew at times */
	TWO_CONTROLLERS = 1 << 13,
};

enum { OCP_AT = 2 };		/* in the list of UUIDs */

struct controller {
	const char *model;
	uint32_t vendor, version;
	unsigned has;
	uint8_t elpe;
	uint32_t namespaces[3];	/* NSIDs; 0: no more */
	uint16_t groups[3];	/* of these */
	unsigned errors_each;	/* entries that others cause, every 97 minutes */

	/* What came of it. */
	char node[NODE_NAME_MAX];
	uint64_t began_us, caused;
	bool has_told, has_grown;
	uint64_t told;
	unsigned n_unsupported, n_identified, n_namespaces, n_uuids, n_links, n_growths, n_out_of_turn;
	unsigned n_logs[256];
	char first_wrong[COMMAND_TEXT_MAX];
};

static uint8_t answered[4096];

static void put_le(size_t at, uint64_t value, size_t width)
{
	for (size_t i = 0; i < width; i++)
		answered[at + i] = (uint8_t)(value >> 8 * i);
}

static void put_text(size_t at, size_t n, const char *text)
{
	memset(answered + at, ' ', n);
	memcpy(answered + at, text, strlen(text));
}

/* ---- identify */

static size_t identify_controller(const struct controller *c)
{
	char serial[NODE_NAME_MAX + 2];

	put_le(0, c->vendor, 2);
	snprintf(serial, sizeof serial, "S-%s", c->node);
	put_text(4, 20, serial);
	put_text(24, 40, c->model);
	put_text(64, 8, "FW1");
	put_le(80, c->version >= 0x010200 ? c->version : 0, 4);	/* VER came with 1.2 */
	put_le(96, (c->has & GROUPS ? 1 << 4 : 0) | (c->has & UUIDS ? 1 << 9 : 0), 4);
	answered[111] = c->version >= 0x010400;
	put_le(256, c->has & SELF_TESTS ? 1 << 4 : 0, 2);
	answered[261] = c->has & LOG_LIST ? 1 << 5 : 0;
	answered[262] = c->elpe;
	put_le(328, c->has & SANITIZE ? 1 << 1 : 0, 4);
	for (size_t i = 0; i < ARRAY_SIZE(c->groups); i++)
		if (c->groups[i])
			put_le(340, c->groups[i], 2);		/* ENDGIDMAX: here they rise */
	put_le(516, 128, 4);
	return 4096;
}

static size_t identify_namespace(struct controller *c, uint32_t nsid)
{
	for (size_t i = 0; i < ARRAY_SIZE(c->namespaces) && c->namespaces[i]; i++) {
		if (c->namespaces[i] != nsid)
			continue;
		c->n_namespaces++;
		put_le(0, 1000000, 8);
		put_le(8, 1000000, 8);
		put_le(102, c->has & GROUPS ? c->groups[i] : 0, 2);
		answered[130] = 9;
		return 4096;
	}
	return 0;
}

static size_t identify_uuids(struct controller *c)
{
	static const uint8_t ocp[16] = { 0xc1, 0x94, 0xd5, 0x5b, 0xe0, 0x94, 0x47, 0x94,
					 0xa2, 0x1d, 0x29, 0x99, 0x8f, 0x56, 0xbe, 0x6f };

	c->n_uuids++;
	answered[32 + 16] = 1;			/* another's */
	if (c->has & UUID_OF_OCP)
		memcpy(answered + OCP_AT * 32 + 16, ocp, sizeof ocp);
	return c->has & UUIDS && !(c->has & NO_UUID_LIST) ? 4096 : 0;
}

static size_t identify(struct controller *c, const struct command *asked)
{
	uint32_t nsid = asked->key[KEY_IDENTIFY_NSID];

	switch (asked->key[KEY_CNS]) {
	case 0x00:
		return identify_namespace(c, nsid);
	case 0x01:
		c->n_identified++;
		return nsid ? 0 : identify_controller(c);
	case 0x17:
		return nsid ? 0 : identify_uuids(c);
	default:
		return 0;
	}
}

/* ---- logs */

static bool has_log(const struct controller *c, uint32_t log)
{
	switch (log) {
	case 0x00:
		return c->has & LOG_LIST;
	case 0x01: case 0x02: case 0x03:
		return true;
	case 0x06:
		return c->has & SELF_TESTS;
	case 0x09:
		return c->has & GROUPS;
	case 0x81:
		return c->has & SANITIZE;
	case 0xc0:
		return c->has & (OCP | FOREIGN_C0);
	case 0xc3:
		return c->has & LATENCY;
	case 0xca:
		return c->has & INTEL_LOG;
	default:
		return false;
	}
}

static bool is_group(const struct controller *c, uint32_t group)
{
	for (size_t i = 0; i < ARRAY_SIZE(c->groups); i++)
		if (c->groups[i] && c->groups[i] == group)
			return true;
	return false;
}

/* What else must be right in the command. */
static bool is_well_formed(const struct controller *c, const struct command *asked)
{
	uint32_t log = asked->key[KEY_ID], nsid = asked->key[KEY_NSID], uuid = asked->key[KEY_UUID];
	bool is_by_uuid = (log == 0xc0 || log == 0xc3) && c->has & UUID_OF_OCP;

	if (asked->key[KEY_LSP] || asked->key[KEY_OFFSET] || uuid != (is_by_uuid ? OCP_AT : 0))
		return false;
	if (log == 0x09)
		return (nsid == 0 || nsid == UINT32_MAX) && is_group(c, asked->key[KEY_LSI]);
	if (log == 0x01 && asked->key[KEY_LENGTH] > (c->elpe + 1u) * 64)
		return false;
	return nsid == UINT32_MAX && !asked->key[KEY_LSI];
}

static uint64_t errors_now(const struct controller *c)
{
	enum { EACH_MINUTES = 97, RESET_AFTER = 20 };
	uint64_t times = (world_now_us() - c->began_us) / (EACH_MINUTES * UINT64_C(60000000));

	if (c->has & RESETS_COUNT)
		times %= RESET_AFTER;
	return 1548554 + c->caused + times * c->errors_each;
}

static size_t health(struct controller *c)
{
	uint64_t errors = errors_now(c);

	put_le(1, 310, 2);
	answered[3] = 100;
	put_le(176, errors, 8);
	if (c->has_told && errors > c->told && !c->has_grown) {
		c->has_grown = true;
		c->n_growths++;
	}
	if (errors < c->told)
		c->has_grown = false;
	c->has_told = true;
	c->told = errors;
	return 512;
}

/* It has ELPE + 1 entries, the newest first. */
static size_t error_log(struct controller *c)
{
	c->n_out_of_turn += !c->has_grown;
	c->has_grown = false;
	if (c->has & NO_ERROR_LOG) {
		c->caused++;
		return 0;
	}
	for (size_t i = 0; i <= c->elpe && i * 64 < sizeof answered; i++) {
		put_le(i * 64, errors_now(c) - i, 8);
		put_le(i * 64 + 12, 2 << 1, 2);
	}
	return (c->elpe + 1u) * 64;
}

static size_t ocp_log(const uint8_t guid[16], unsigned version)
{
	answered[0] = 1;
	put_le(494, version, 2);
	memcpy(answered + 496, guid, 16);
	return 512;
}

static size_t log_list(const struct controller *c)
{
	for (size_t log = 0; log < 256; log++)
		answered[log * 4] = has_log(c, (uint32_t)log);
	return 1024;
}

static size_t intel_log(void)
{
	static const uint8_t keys[] = {
		0x05, 0x0d, 0xab, 0xac, 0xad, 0xb8, 0xc7, 0xe2, 0xe3, 0xe4, 0xea, 0xf0, 0xf3, 0xf4, 0xf5, 0xf8,
	};

	for (size_t i = 0; i < sizeof keys; i++) {
		answered[i * 12] = keys[i];
		answered[i * 12 + 5] = 7;
	}
	return 512;
}

static size_t get_log(struct controller *c, const struct command *asked)
{
	static const uint8_t health_guid[16] = { 0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
						 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf };
	static const uint8_t latency_guid[16] = { 0x92, 0x7a, 0xc0, 0x8c, 0xd0, 0x84, 0x6c, 0x9c,
						  0x70, 0x43, 0xe6, 0xd4, 0x58, 0x5e, 0xd4, 0x85 };
	static const uint8_t foreign_guid[16] = { 1 };
	uint32_t log = asked->key[KEY_ID];

	c->n_logs[log]++;
	if (!has_log(c, log) || !is_well_formed(c, asked))
		return 0;
	switch (log) {
	case 0x00:
		return log_list(c);
	case 0x01:
		return error_log(c);
	case 0x02:
		return health(c);
	case 0x06:
		return 564;
	case 0xc0:
		return ocp_log(c->has & FOREIGN_C0 ? foreign_guid : health_guid, 5);
	case 0xc3:
		return ocp_log(latency_guid, 5);
	case 0xca:
		return intel_log();
	default:
		answered[0] = answered[8] = 1;		/* so that it is no page of zeroes */
		return 512;
	}
}

/* ---- many of them in one world */

struct fleet {
	struct controller *at;
	size_t n;
	struct world *world;
	struct fail trouble;		/* what each command comes to, while there is some */
};

static struct controller *controller_of(const struct fleet *f, const char *node)
{
	size_t n = strcspn(node + 4, "n");

	for (size_t i = 0; i < f->n; i++)
		if (strlen(f->at[i].node) == 4 + n && !strncmp(f->at[i].node, node, 4 + n))
			return &f->at[i];
	for (size_t i = 0; i < f->n; i++)	/* the second controller of one */
		if (node[4] == '9' && !strcmp(f->at[i].node + 4, node + 5))
			return &f->at[i];
	fail_msg("%s is asked", node);
	return NULL;
}

/* Tools took the block device for the drive, and its health log, asked for by that namespace, was refused; or Identify
 * Controller with the number of all namespaces, an entry in the error log each time. So both are refused here. */
static bool is_askable(const char *node)
{
	return !strchr(node + 4, 'n');
}

static void answer(void *context, const struct wire_request *request, struct wire_reply *ret)
{
	const struct fleet *f = context;
	struct controller *c = controller_of(f, request->node);
	const struct command *asked = &request->command;
	bool is_refused = asked->name == COMMAND_NVME_LOG && asked->key[KEY_ID] == 0x01 && c->has & NO_ERROR_LOG;
	bool is_of_controller = is_askable(request->node);
	char text[COMMAND_TEXT_MAX];
	size_t n = 0;

	if (failed(f->trouble)) {
		ret->fail = f->trouble;
		return;
	}
	memset(answered, 0, sizeof answered);
	if (asked->name == COMMAND_PCIE_LINK && is_of_controller) {
		c->n_links++;
		memcpy(answered, "\0\x50\x04\0\x50\x04", 6);
		n = 6;
	} else if (asked->name == COMMAND_NVME_IDENTIFY && is_of_controller) {
		n = identify(c, asked);
	} else if (asked->name == COMMAND_NVME_LOG && is_of_controller) {
		n = get_log(c, asked);
	}
	ret->bytes = answered;
	ret->n_bytes = n;
	if (n)
		return;
	ret->fail = is_refused ? fail_nvme(0, 0x13) : fail_nvme(0, asked->name == COMMAND_NVME_LOG ? 0x02 : 0x01);
	if (is_refused || (asked->name == COMMAND_NVME_IDENTIFY && asked->key[KEY_CNS] == 0x17 && c->has & NO_UUID_LIST))
		return;
	c->caused++;
	if (!c->n_unsupported++)
		snprintf(c->first_wrong, sizeof c->first_wrong, "%s", command_text(asked, text));
}

static void add_device(struct world *w, const char *name, const char *host, bool is_controller, uint32_t nsid, const char *group)
{
	struct device *d = world_device(w, name, TRANSPORT_NVME, host, group);

	d->is_controller = d->is_askable = is_controller;
	d->nsid = nsid;
}

/* Each is there as its controllers and the block devices of its namespaces. */
static void add_controller(struct world *w, struct controller *c, size_t i)
{
	char name[2 * NODE_NAME_MAX], second[NODE_NAME_MAX];

	snprintf(c->node, sizeof c->node, "nvme%zu", i);
	snprintf(second, sizeof second, "nvme9%zu", i);
	c->began_us = world_now_us();
	add_device(w, c->node, c->node, true, 0, c->node);
	if (c->has & TWO_CONTROLLERS)
		add_device(w, second, second, true, 0, c->node);
	for (size_t k = 0; k < ARRAY_SIZE(c->namespaces) && c->namespaces[k]; k++) {
		snprintf(name, sizeof name, "%sn%u", c->node, (unsigned)k + 1);
		name[NODE_NAME_MAX - 1] = 0;
		add_device(w, name, c->node, false, c->namespaces[k], c->node);
	}
}

static void fleet_begin(struct fleet *f, struct controller *controllers, size_t n)
{
	*f = (struct fleet){ .at = controllers, .n = n, .world = world_new(MINUTE, NULL) };
	f->world->other = answer;
	f->world->other_context = f;
	for (size_t i = 0; i < n; i++)
		add_controller(f->world, &controllers[i], i);
	world_discover(f->world);
}

static void fleet_end(struct fleet *f)
{
	world_free(f->world);
}

/* ---- 100 polls of every page */

static bool is_asked_as_often_as_it_should(const struct controller *c, uint32_t log, bool is_there)
{
	return is_there ? c->n_logs[log] >= POLLS : !c->n_logs[log];
}

static void check_logs(const struct controller *c)
{
	static const struct { uint32_t log; unsigned has; } logs[] = {
		{ 0x02, 0 }, { 0x03, 0 }, { 0x06, SELF_TESTS }, { 0x81, SANITIZE }, { 0xc0, OCP }, { 0xca, INTEL_LOG },
		{ 0xc3, LATENCY },
	};

	for (size_t i = 0; i < ARRAY_SIZE(logs); i++)
		if (!is_asked_as_often_as_it_should(c, logs[i].log, !logs[i].has || c->has & logs[i].has) &&
		    !(logs[i].log == 0xc0 && c->has & FOREIGN_C0))
			fail_msg("%s %x: log %02x was asked %u times", c->model, c->version, logs[i].log, c->n_logs[logs[i].log]);
	assert_int_equal(c->n_logs[0x00], c->has & LOG_LIST ? 1 : 0);
	assert_int_equal(c->n_logs[0xc0] == 1, !!(c->has & FOREIGN_C0));
	assert_int_equal(c->n_logs[0x09] >= POLLS, c->has & GROUPS && c->groups[0]);
}

static void check_errors(const struct controller *c)
{
	unsigned n = c->has & NO_ERROR_LOG ? 1 : c->n_growths;

	assert_int_equal(c->n_out_of_turn, 0);
	assert_true(!c->errors_each || c->has & NO_ERROR_LOG || c->n_growths > 10);
	if (c->n_logs[0x01] != n)
		fail_msg("%s %x: its error log grew %u times, and was read %u times", c->model, c->version, c->n_growths, c->n_logs[0x01]);
}

static void check_samples(const struct fleet *f, const struct controller *c)
{
	size_t n;
	const struct sample **served = readings_served(world_poll(f->world, c->node), &n);

	assert_true(n > 10);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (sample_is_same_series(served[i], served[k]))
				fail_msg("%s: %s is told twice", c->model, metric_families[served[i]->family].name);
}

static void check_controller(const struct fleet *f, const struct controller *c)
{
	const struct drive_poll *poll = world_poll(f->world, c->node);

	if (c->n_unsupported)
		fail_msg("%s %x, options %x: %u commands that it does not support, the first: %s", c->model, c->version, c->has,
			 c->n_unsupported, c->first_wrong);
	assert_true(poll->is_settled);
	assert_in_range(c->n_identified, POLLS, 2 * POLLS);
	assert_int_equal(c->n_namespaces >= POLLS, c->namespaces[0] != 0);
	assert_true(c->n_links >= POLLS);
	assert_int_equal(c->n_uuids, c->has & UUIDS ? 1 : 0);
	check_logs(c);
	check_errors(c);
	check_samples(f, c);
}

/* Hours, as the most seldom of its pages are read once in one. */
static void poll_a_hundred_times(struct controller *controllers, size_t n)
{
	struct fleet f;

	fleet_begin(&f, controllers, n);
	for (unsigned hour = 0; hour <= POLLS; hour++) {
		world_pass(f.world, HOUR);
		f.world->n_log = 0;		/* it has room for some thousands */
	}
	assert_int_equal(f.world->table.n, n);	/* controller and namespace are one drive */
	for (size_t i = 0; i < n; i++)
		check_controller(&f, &controllers[i]);
	fleet_end(&f);
}

static const struct { uint32_t version; unsigned options; } versions[] = {
	{ 0x010000, 0 }, { 0x010100, 0 }, { 0x010200, 0 }, { 0x010201, 0 },
	{ 0x010300, SELF_TESTS | SANITIZE },
	{ 0x010400, SELF_TESTS | SANITIZE | GROUPS | UUIDS },
	{ 0x020000, SELF_TESTS | SANITIZE | GROUPS | UUIDS | LOG_LIST },
	{ 0x020100, SELF_TESTS | SANITIZE | GROUPS | UUIDS | LOG_LIST },
};

static const struct { uint32_t vendor; const char *model; unsigned has; } models[] = {
	{ INTEL, "INTEL SSDPEKNW512G8", 0 },			/* 660p */
	{ INTEL, "INTEL SSDPE2KX040T8", INTEL_LOG },		/* P4510 */
	{ SAMSUNG, "SAMSUNG MZQL21T9HCJR-00A07", OCP },		/* PM9A3 */
	{ NOBODY, "EXAMPLE 4TB", 0 },
};

static struct controller make(size_t version, size_t model, unsigned options)
{
	struct controller c = {
		.model = models[model].model, .vendor = models[model].vendor, .version = versions[version].version,
		.has = models[model].has | (options & versions[version].options),
		.elpe = (uint8_t)(version * 9), .namespaces = { 1 }, .groups = { 1 }, .errors_each = 3,
	};

	if (!(c.has & GROUPS))
		c.groups[0] = 0;
	return c;
}

static void no_model_of_any_version_is_asked_what_it_lacks(void **state)
{
	struct controller all[2 * ARRAY_SIZE(versions) * ARRAY_SIZE(models)];
	size_t n = 0;

	for (size_t version = 0; version < ARRAY_SIZE(versions); version++)
		for (size_t model = 0; model < ARRAY_SIZE(models); model++) {
			all[n++] = make(version, model, 0);
			if (versions[version].options)
				all[n++] = make(version, model, ~0u);
		}
	poll_a_hundred_times(all, n);
}

/* Version 2.0 has the options of 2.1, and 1.3 no more than two. */
static void each_option_alone_and_all_but_each(void **state)
{
	struct controller all[2 * ARRAY_SIZE(versions) * N_OPTIONS];
	size_t n = 0;

	for (size_t version = 5; version < ARRAY_SIZE(versions); version += 2)
		for (unsigned option = 0; option < N_OPTIONS; option++) {
			if (!(versions[version].options >> option & 1))
				continue;
			all[n++] = make(version, (version + option) % ARRAY_SIZE(models), 1u << option);
			all[n++] = make(version, (version + option + 2) % ARRAY_SIZE(models), ~(1u << option));
		}
	poll_a_hundred_times(all, n);
}

/* Some drives' oddities: each page stands or falls alone. */
static void odd_controllers_are_asked_no_more_than_others(void **state)
{
	enum { NEW = SELF_TESTS | SANITIZE | GROUPS | LOG_LIST };
	struct controller all[] = {
		/* one that refuses the error log for its length: its health is served all the same */
		{ .model = "ZHITAI TiPro7000 1TB", .vendor = 0x1e49, .version = 0x010400, .has = NO_ERROR_LOG, .elpe = 15,
		  .namespaces = { 1 }, .errors_each = 1 },
		/* a log C0h that is none of OCP's */
		{ .model = "Micron_7450_MTFDKCC3T8TFR", .vendor = MICRON, .version = 0x010400, .has = FOREIGN_C0, .elpe = 63,
		  .namespaces = { 1 }, .errors_each = 1 },
		/* all that we know, of one that selects OCP's by its UUID; namespaces in two groups of three */
		{ .model = "SOLIDIGM SSDPFWNV153T6", .vendor = SOLIDIGM, .version = 0x020000,
		  .has = NEW | UUIDS | UUID_OF_OCP | OCP | LATENCY | INTEL_LOG, .elpe = 255 / 4, .namespaces = { 1, 2, 9 },
		  .groups = { 1, 3, 3 }, .errors_each = 200 },
		/* the same without UUIDs */
		{ .model = "SOLIDIGM SSDPF2KX038T1", .vendor = SOLIDIGM, .version = 0x020000,
		  .has = NEW | OCP | LATENCY | INTEL_LOG, .elpe = 0, .namespaces = { 1 }, .groups = { 1 }, .errors_each = 1 },
		/* no namespace is there, so no group is known to be */
		{ .model = "SAMSUNG MZ1L23T8HBLA-00A07", .vendor = SAMSUNG, .version = 0x020000, .has = NEW | OCP | LATENCY },
		/* an error count that begins anew */
		{ .model = "EXAMPLE 1TB", .vendor = NOBODY, .version = 0x010300, .has = RESETS_COUNT | SELF_TESTS, .elpe = 7,
		  .namespaces = { 1 }, .errors_each = 2 },
		/* one that says it has a list of UUIDs, and has none */
		{ .model = "SAMSUNG MZ3LO3T8HCJR-00A07", .vendor = SAMSUNG, .version = 0x010400, .has = UUIDS | NO_UUID_LIST | OCP,
		  .elpe = 3, .namespaces = { 1 } },
		/* namespaces in no group of one that has some */
		{ .model = "EXAMPLE 2TB", .vendor = NOBODY, .version = 0x010400, .has = GROUPS, .namespaces = { 1, 2 } },
		/* two ports */
		{ .model = "EXAMPLE 3TB", .vendor = NOBODY, .version = 0x020100, .has = NEW | TWO_CONTROLLERS, .namespaces = { 1, 2, 3 },
		  .groups = { 1, 1, 1 }, .elpe = 127 / 4, .errors_each = 5 },
	};

	poll_a_hundred_times(all, ARRAY_SIZE(all));
}

/* ---- what did not get through just now */

static const struct fail troubles[] = {
	{ .source = FAIL_OS, .kind = FAIL_KIND_ERRNO, .code = EAGAIN },
	{ .source = FAIL_TRANSPORT, .kind = FAIL_KIND_NVME, .code = 0x371 },
	{ .source = FAIL_TRANSPORT, .kind = FAIL_KIND_HOST, .code = FAIL_HOST_RECOVERING },
};

static struct controller one_of_all(void)
{
	return (struct controller){
		.model = "SOLIDIGM SSDPF2KX038T1", .vendor = SOLIDIGM, .version = 0x020000, .elpe = 63, .namespaces = { 1 },
		.groups = { 1 }, .has = SELF_TESTS | SANITIZE | GROUPS | LOG_LIST | OCP | LATENCY | INTEL_LOG,
	};
}

static void has_all(const struct fleet *f, const struct controller *c, unsigned times)
{
	static const uint8_t logs[] = { 0x02, 0x03, 0x06, 0x09, 0x81, 0xc0, 0xc3, 0xca };

	assert_true(world_poll(f->world, c->node)->is_settled);
	for (size_t i = 0; i < sizeof logs; i++)
		assert_true(c->n_logs[logs[i]] >= times);
	assert_true(c->n_identified >= times && c->n_namespaces >= times && c->n_links >= times);
	assert_int_equal(c->n_unsupported, 0);
	assert_int_equal(c->n_logs[0x00], 1);
}

static const struct { const char *text; unsigned each_minutes; } rounds[] = {
	{ "nvme0 nvme-log id=02", 1 }, { "nvme0 nvme-log id=c3", 5 }, { "nvme0 nvme-log id=c0", 10 }, { "nvme0 nvme-log id=ca", 10 },
	{ "nvme0 nvme-log id=09 nsid=00 lsi=01", 10 }, { "nvme0 pcie-link", 10 }, { "nvme0 nvme-log id=03", 60 },
	{ "nvme0 nvme-log id=06", 60 }, { "nvme0 nvme-log id=81", 60 }, { "nvme0 nvme-identify cns=01", 60 },
	{ "nvme0 nvme-identify nsid=01", 60 },
};

static bool is_up(const struct fleet *f)
{
	return drive_poll_is_up(world_poll(f->world, "nvme0"), poller_now_us(f->world->poller), MINUTE * UINT64_C(1000));
}

/* A day of trouble: each page is asked in its own round, no more often, and no more seldom as where it fails for good. */
static void pages_keep_their_rounds(struct fail trouble)
{
	enum { TROUBLED_HOURS = 24 };
	struct controller c = one_of_all();
	struct fleet f;
	size_t since;

	fleet_begin(&f, &c, 1);
	world_pass(f.world, 2 * HOUR);
	has_all(&f, &c, 2);
	f.trouble = trouble;
	since = f.world->n_log;
	world_pass(f.world, TROUBLED_HOURS * (uint64_t)HOUR);
	assert_false(is_up(&f));
	for (size_t k = 0; k < ARRAY_SIZE(rounds); k++) {
		size_t n = world_count(f.world, since, rounds[k].text), wanted = TROUBLED_HOURS * 60 / rounds[k].each_minutes;

		if (n + 1 < wanted || n > wanted + 1)
			fail_msg("%s: %zu times instead of %zu", rounds[k].text, n, wanted);
	}
	f.trouble = OK;
	since = f.world->n_log;
	world_pass(f.world, 2 * MINUTE);
	assert_true(is_up(&f));
	world_pass(f.world, HOUR);
	for (size_t k = 0; k < ARRAY_SIZE(rounds); k++)
		assert_true(world_count(f.world, since, rounds[k].text) >= 1);
	assert_int_equal(c.n_unsupported, 0);
	fleet_end(&f);
}

/* One EAGAIN, and a tool showed nothing of the drive any more. */
static void who_has_no_time_is_asked_again_in_the_next_round(void **state)
{
	pages_keep_their_rounds(troubles[0]);
}

/* 371h, Command Aborted By Host: the kernel gives up what is under way when it resets a controller. */
static void who_is_reset_is_asked_again_in_the_next_round(void **state)
{
	pages_keep_their_rounds(troubles[1]);
}

/* The same as seen before anything is sent: sysfs says that the controller is resetting or connecting. */
static void who_is_known_to_be_reset_is_asked_again_in_the_next_round(void **state)
{
	pages_keep_their_rounds(troubles[2]);
}

/* When the exporter starts, for a moment or for long: nothing is taken for unsupported, nothing is asked of a drive that has
 * not yet told who it is, and once it is over all is there. */
static void who_has_no_time_at_first_is_read_later(void **state)
{
	static const struct { uint64_t trouble_ms, then_ms; size_t most; } times[] = {
		{ 15000, MINUTE, 3 }, { 20 * MINUTE, 2 * MINUTE, 30 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(troubles) * ARRAY_SIZE(times); i++) {
		size_t k = i / ARRAY_SIZE(troubles);
		struct controller c = one_of_all();
		struct fleet f;

		fleet_begin(&f, &c, 1);
		f.trouble = troubles[i % ARRAY_SIZE(troubles)];
		world_pass(f.world, times[k].trouble_ms);
		assert_int_equal(world_count(f.world, 0, "nvme0 nvme-identify cns=01"), f.world->n_log);
		assert_in_range(f.world->n_log, 2, times[k].most);
		f.trouble = OK;
		world_pass(f.world, times[k].then_ms);
		has_all(&f, &c, 1);
		fleet_end(&f);
	}
}

/* It comes in the midst of a first visit, when some pages were read and others not. */
static void who_has_no_time_in_a_first_visit_is_read_in_full(void **state)
{
	static const char *const pages_asked[] = {
		"nvme-log", "nvme-identify nsid=01", "nvme-identify cns=17", "nvme-log id=02", "nvme-log id=03", "nvme-log id=06",
		"nvme-log id=09 nsid=00 lsi=01", "nvme-log id=81", "nvme-log id=c0 uuid=02", "nvme-log id=c3 uuid=02",
		"nvme-log id=ca", "pcie-link",
	};

	for (size_t i = 0; i < ARRAY_SIZE(pages_asked); i++) {
		struct controller c = one_of_all();
		struct fleet f;

		c.has |= UUIDS | UUID_OF_OCP;
		fleet_begin(&f, &c, 1);
		world_fail(f.world, 2, "nvme0", pages_asked[i], fail_os(EAGAIN, "ioctl"));
		world_pass(f.world, 3 * MINUTE);
		has_all(&f, &c, 1);
		assert_int_equal(f.world->n_answers, 0);	/* it was asked in these words */
		fleet_end(&f);
	}
}

/* New entries are not lost over it, and are read once. */
static void an_error_log_that_did_not_get_through_is_read_in_the_next_round(void **state)
{
	struct controller c = one_of_all();
	struct fleet f;

	c.errors_each = 2;
	fleet_begin(&f, &c, 1);
	world_pass(f.world, 90 * MINUTE);
	assert_int_equal(c.n_logs[0x01], 0);
	world_fail(f.world, 2, "nvme0", "nvme-log id=01", troubles[0]);
	world_pass(f.world, 12 * MINUTE);
	assert_int_equal(world_count(f.world, 0, "nvme0 nvme-log id=01"), 3);
	assert_int_equal(c.n_logs[0x01], 1);
	assert_int_equal(c.n_out_of_turn, 0);
	assert_true(world_value(f.world, "nvme0", drive_nvme_logged_errors_total, "generic") == 2);
	assert_true(world_value(f.world, "nvme0", drive_nvme_logged_errors_total, "unseen") == 0);
	fleet_end(&f);
}

/* What every controller has may fail, and is asked again: nobody is well who tells nothing of his health. */
static void health_that_is_refused_is_a_failure(void **state)
{
	static const struct fail refusals[] = {
		{ .source = FAIL_DEVICE, .kind = FAIL_KIND_NVME, .code = 0x001 },
		{ .source = FAIL_DEVICE, .kind = FAIL_KIND_NVME, .code = 0x002 },
		{ .source = FAIL_DEVICE, .kind = FAIL_KIND_NVME, .code = 0x109 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		struct controller c = one_of_all();
		struct fleet f;

		fleet_begin(&f, &c, 1);
		world_pass(f.world, MINUTE);
		assert_true(is_up(&f));
		world_fail(f.world, 3, "nvme0", "nvme-log id=02", refusals[i]);
		world_pass(f.world, 6 * MINUTE);
		assert_false(is_up(&f));
		assert_int_equal(world_poll(f.world, "nvme0")->failures[FAIL_DEVICE], 3);
		world_pass(f.world, 20 * MINUTE);
		assert_true(is_up(&f));
		fleet_end(&f);
	}
}

/* One of OCP's logs is refused by its UUID and given without; the other is as it was. */
static void a_log_refused_by_uuid_leaves_the_other_alone(void **state)
{
	struct controller c = one_of_all();
	struct fleet f;

	c.has |= UUIDS | UUID_OF_OCP;
	fleet_begin(&f, &c, 1);
	world_fail(f.world, 0, "nvme0", "nvme-log id=c3 uuid=02", fail_nvme(1, 0x09));
	world_pass(f.world, HOUR);
	assert_int_equal(world_count(f.world, 0, "nvme0 nvme-log id=c3 uuid=02"), 1);
	assert_true(world_count(f.world, 0, "nvme0 nvme-log id=c0 uuid=02") > 3);
	assert_int_equal(world_count(f.world, 0, "nvme0 nvme-log id=c0"), 0);
	fleet_end(&f);
}

/* A model that is known to have OCP's log, and whose list says that it has not: the list counts, also where it is read late. */
static void a_list_that_is_read_late_counts(void **state)
{
	static const char *const lists[] = { "nvme-log", "nvme-identify cns=17" };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct controller c = one_of_all();
		struct fleet f;

		c.has = (c.has & ~(unsigned)(OCP | INTEL_LOG | LATENCY)) | UUIDS | UUID_OF_OCP;
		c.model = "SAMSUNG MZQL23T8HCLS-00A07";
		c.vendor = SAMSUNG;
		fleet_begin(&f, &c, 1);
		world_fail(f.world, 2, "nvme0", lists[i], fail_os(EAGAIN, "ioctl"));
		world_pass(f.world, HOUR);
		assert_int_equal(c.n_unsupported, 0);
		fleet_end(&f);
	}
}

/* Refused for its length, as some drives do it: the drive was dropped for that by others. Here its health is served on, and
 * nothing is told of the types of its errors. */
static void a_refused_error_log_costs_nothing_else(void **state)
{
	struct controller c = one_of_all();
	struct fleet f;

	c.errors_each = 1;
	c.has |= NO_ERROR_LOG;
	fleet_begin(&f, &c, 1);
	world_pass(f.world, MINUTE);
	assert_true(world_value(f.world, "nvme0", drive_nvme_logged_errors_total, "generic") == 0);
	world_pass(f.world, 12 * (uint64_t)HOUR);
	assert_int_equal(c.n_logs[0x01], 1);
	assert_true(is_up(&f));
	assert_true(world_value(f.world, "nvme0", drive_spare_available_ratio, NULL) == 1);
	assert_true(isnan(world_value(f.world, "nvme0", drive_nvme_logged_errors_total, "generic")));
	assert_true(world_value(f.world, "nvme0", drive_error_log_entries_total, NULL) == (double)errors_now(&c));
	fleet_end(&f);
}

/* ---- what takes the whole timeout: each such command ends in an abort, and perhaps in a reset */

enum { MAX_PERIODS = 24 };

static void pauses_grow(const struct world *w, size_t since, const char *text, uint64_t period_ms, size_t at_least)
{
	uint64_t last_ms = 0, pause_ms = period_ms;
	size_t n = 0;

	for (size_t i = since; i < w->n_log; i++) {
		uint64_t pause;

		if (strcmp(w->log[i].text, text))
			continue;
		pause = w->log[i].at_ms - last_ms;
		last_ms = w->log[i].at_ms;
		if (!n++)
			continue;
		if (pause + MINUTE < pause_ms || pause > (MAX_PERIODS + 2) * period_ms)
			fail_msg("%s: a pause of %llu s after one of %llu s", text, (unsigned long long)pause / 1000,
				 (unsigned long long)pause_ms / 1000);
		pause_ms = pause;
	}
	assert_in_range(n, at_least, 24 * 60 / 4);
	assert_true(pause_ms >= (MAX_PERIODS - 1) * period_ms);
}

static void a_log_that_times_out_is_asked_later_and_later(void **state)
{
	struct controller c = one_of_all();
	struct fleet f;
	size_t since, n_errors;

	fleet_begin(&f, &c, 1);
	world_pass(f.world, 2 * HOUR);
	has_all(&f, &c, 2);
	world_fail(f.world, 0, "nvme0", "nvme-log id=c0", fail_timeout());
	since = f.world->n_log;
	world_pass(f.world, 48 * (uint64_t)HOUR);
	pauses_grow(f.world, since, "nvme0 nvme-log id=c0", 10 * MINUTE, 10);
	n_errors = world_count(f.world, since, "nvme0 nvme-log id=02");
	assert_true(is_up(&f));
	assert_in_range(n_errors, 47 * 60, 48 * 60 + 1);	/* the others keep their rounds */
	world_forget(f.world, "nvme0", "nvme-log id=c0");
	world_pass(f.world, (MAX_PERIODS + 1) * 10 * (uint64_t)MINUTE);
	since = f.world->n_log;
	world_pass(f.world, HOUR);
	assert_in_range(world_count(f.world, since, "nvme0 nvme-log id=c0"), 5, 7);	/* and so does it again */
	fleet_end(&f);
}

static void a_controller_that_times_out_is_asked_later_and_later(void **state)
{
	struct controller c = one_of_all();
	struct fleet f;
	size_t since;

	fleet_begin(&f, &c, 1);
	world_pass(f.world, 2 * HOUR);
	f.trouble = fail_timeout();
	since = f.world->n_log;
	world_pass(f.world, 24 * (uint64_t)HOUR);
	pauses_grow(f.world, since, "nvme0 nvme-log id=02", MINUTE, 20);
	assert_in_range(f.world->n_log - since, 60, 24 * 24);	/* of 2,280 that are due in a day */
	assert_false(is_up(&f));
	f.trouble = OK;
	world_pass(f.world, (MAX_PERIODS + 2) * MINUTE);
	assert_true(is_up(&f));
	assert_int_equal(c.n_unsupported, 0);
	fleet_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_model_of_any_version_is_asked_what_it_lacks),
		cmocka_unit_test(each_option_alone_and_all_but_each),
		cmocka_unit_test(odd_controllers_are_asked_no_more_than_others),
		cmocka_unit_test(who_has_no_time_is_asked_again_in_the_next_round),
		cmocka_unit_test(who_is_reset_is_asked_again_in_the_next_round),
		cmocka_unit_test(who_is_known_to_be_reset_is_asked_again_in_the_next_round),
		cmocka_unit_test(who_has_no_time_at_first_is_read_later),
		cmocka_unit_test(who_has_no_time_in_a_first_visit_is_read_in_full),
		cmocka_unit_test(an_error_log_that_did_not_get_through_is_read_in_the_next_round),
		cmocka_unit_test(health_that_is_refused_is_a_failure),
		cmocka_unit_test(a_log_refused_by_uuid_leaves_the_other_alone),
		cmocka_unit_test(a_list_that_is_read_late_counts),
		cmocka_unit_test(a_refused_error_log_costs_nothing_else),
		cmocka_unit_test(a_log_that_times_out_is_asked_later_and_later),
		cmocka_unit_test(a_controller_that_times_out_is_asked_later_and_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
