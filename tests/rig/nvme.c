/* NVMe commands: the other way round than src/prober/nvme.c. What the kernel's driver asks and no capture has is made
 * of the header. */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "rig/fakedrive_private.h"

enum {
	GET_LOG_PAGE = 0x02, IDENTIFY = 0x06, SET_FEATURES = 0x09, GET_FEATURES = 0x0a, KEEP_ALIVE = 0x18,
	FLUSH = 0x00, WRITE = 0x01, READ = 0x02,
	INVALID_OPCODE = 0x001, INVALID_FIELD = 0x002, INTERNAL_ERROR = 0x006, ABORTED = 0x007, INVALID_NAMESPACE = 0x00b,
	DO_NOT_RETRY = 0x4000,
	IDENTIFY_BYTES = 4096,
};

static uint32_t get_le32(const uint8_t *at)
{
	struct bytes b = bytes_of(at, 4);

	return (uint32_t)bytes_le(&b, 4);
}

static void put_le(uint8_t *to, size_t width, uint64_t value)
{
	for (size_t i = 0; i < width; i++, value >>= 8)
		to[i] = (uint8_t)value;
}

static uint32_t dword(const struct fakedrive_nvme *x, size_t n)
{
	return get_le32(x->sqe + 4 * n);
}

/* ---- what goes back */

static void give(struct fakedrive_nvme *x, const uint8_t *bytes, size_t n)
{
	x->n_in = n < x->in_room ? n : x->in_room;
	if (x->n_in)
		memcpy(x->in, bytes, x->n_in);
}

static void give_fail(struct fakedrive_nvme *x, struct fail fail)
{
	switch (fail.kind) {
	case FAIL_KIND_NVME:
		x->status = DO_NOT_RETRY | (fail.code & 0x7ff);
		break;
	case FAIL_KIND_TIMEOUT:
		x->status = DO_NOT_RETRY | ABORTED;
		x->error = ETIMEDOUT;
		break;
	case FAIL_KIND_ERRNO:
		x->status = DO_NOT_RETRY | INTERNAL_ERROR;
		x->error = (int)fail.code;
		break;
	default:	/* of another kind of drive: a mistake in the capture or fault */
		x->status = DO_NOT_RETRY | INTERNAL_ERROR;
		break;
	}
}

static void give_answer(struct fakedrive_nvme *x, const struct drive_answer *a)
{
	if (a->state == DRIVE_ABSENT) {
		x->status = DO_NOT_RETRY | INTERNAL_ERROR;
		x->error = ENODEV;
	} else if (failed(a->fail)) {
		give_fail(x, a->fail);
	} else {
		give(x, a->bytes, a->n);
	}
}

/* ---- Identify */

static uint32_t nsid_of(const struct inventory_device *device)
{
	const char *nsid = inventory_sysfs(device, "nsid"), *last = strrchr(device->name, 'n');
	uint64_t number;

	return text_to_u64(nsid ? nsid : last ? last + 1 : "", UINT32_MAX - 1, &number) ? (uint32_t)number : 1;
}

static const struct inventory_device *find_namespace(const struct inventory_drive *inventory, uint32_t nsid)
{
	for (size_t i = 0; i < inventory->n_devices; i++)
		if (!inventory->devices[i].is_controller && nsid_of(&inventory->devices[i]) == nsid)
			return &inventory->devices[i];
	return NULL;
}

static uint8_t log2_of(uint32_t bytes)
{
	uint8_t n = 0;

	while (bytes > 1) {
		bytes >>= 1;
		n++;
	}
	return n;
}

static bool made_namespace(const struct inventory_drive *inventory, uint32_t nsid, uint8_t *data)
{
	const struct inventory_device *device = find_namespace(inventory, nsid);
	uint32_t block = device && device->logical_block ? device->logical_block : 512;

	if (!device)
		return false;
	for (size_t at = 0; at < 24; at += 8)		/* NSZE, NCAP, NUSE */
		put_le(data + at, 8, device->size / block);
	data[130] = log2_of(block);			/* LBAF0: LBADS */
	return true;
}

static void put_text(uint8_t *to, size_t n, const char *text)
{
	size_t length = text ? strnlen(text, n) : 0;

	memset(to, ' ', n);
	if (length)
		memcpy(to, text, length);
}

static bool made_controller(const struct inventory_drive *inventory, uint8_t *data)
{
	const struct inventory_device *controller = NULL;
	uint32_t n_namespaces = 0;

	for (size_t i = 0; i < inventory->n_devices; i++) {
		if (!inventory->devices[i].is_controller)
			n_namespaces++;
		else if (!controller)
			controller = &inventory->devices[i];
	}
	if (!controller)
		return false;
	put_text(data + 4, 20, inventory_sysfs(controller, "serial"));
	put_text(data + 24, 40, inventory_sysfs(controller, "model"));
	put_text(data + 64, 8, inventory_sysfs(controller, "firmware_rev"));
	put_le(data + 80, 4, 0x10400);			/* VER */
	data[111] = 1;					/* CNTRLTYPE: I/O */
	data[512] = 0x66;				/* SQES, CQES */
	data[513] = 0x44;
	put_le(data + 516, 4, n_namespaces);		/* NN */
	return true;
}

/* Active namespaces above nsid; they must rise. */
static bool made_list(const struct inventory_drive *inventory, uint32_t nsid, uint8_t *data)
{
	for (size_t n = 0; n < IDENTIFY_BYTES / 4; n++) {
		uint32_t next = UINT32_MAX;

		for (size_t i = 0; i < inventory->n_devices; i++) {
			const struct inventory_device *device = &inventory->devices[i];

			if (!device->is_controller && nsid_of(device) > nsid && nsid_of(device) < next)
				next = nsid_of(device);
		}
		if (next == UINT32_MAX)
			break;
		put_le(data + 4 * n, 4, next);
		nsid = next;
	}
	return true;
}

/* Hexadecimal digits, whatever stands between them. Returns how many bytes. */
static size_t bytes_of_text(const char *text, uint8_t *to, size_t room)
{
	size_t n = 0;
	unsigned byte;

	while (n < room && *text) {
		if (*text == '-') {
			text++;
			continue;
		}
		if (sscanf(text, "%2x", &byte) != 1 || !text[1])
			break;
		to[n++] = (uint8_t)byte;
		text += 2;
	}
	return n;
}

/* NVM Express base 2.0, figure 277: out of what the kernel called it. A namespace without a name of its own gets one
 * by its number: the driver wants at least one. */
static bool made_descriptors(const struct inventory_drive *inventory, uint32_t nsid, uint8_t *data)
{
	const struct inventory_device *device = find_namespace(inventory, nsid);
	const char *wwid = device ? inventory_sysfs(device, "wwid") : NULL;
	uint8_t name[16];
	size_t n = 0;

	if (!device)
		return false;
	if (wwid && (!strncmp(wwid, "eui.", 4) || !strncmp(wwid, "uuid.", 5)))
		n = bytes_of_text(strchr(wwid, '.') + 1, name, sizeof name);
	if (n != 8 && n != 16) {
		n = 8;
		put_le(name, n, UINT64_C(0xfade000000000000) | nsid);
	}
	data[0] = wwid && !strncmp(wwid, "uuid.", 5) && n == 16 ? 3 : n == 8 ? 1 : 2;	/* UUID, EUI64, NGUID */
	data[1] = (uint8_t)n;
	memcpy(data + 4, name, n);
	return true;
}

static bool make_identify(struct fakedrive *d, uint32_t cns, uint32_t nsid, uint8_t data[IDENTIFY_BYTES])
{
	const struct inventory_device *device;
	CLEANUP(inventory_freep) struct inventory_drive *inventory = drive_inventory(d, &device);

	if (!inventory)
		return false;
	switch (cns) {
	case 0x00:
		return made_namespace(inventory, nsid, data);
	case 0x01:
		return made_controller(inventory, data);
	case 0x02:
		return made_list(inventory, nsid, data);
	case 0x03:
		return made_descriptors(inventory, nsid, data);
	default:
		return false;
	}
}

static void identify(struct fakedrive *d, struct fakedrive_nvme *x)
{
	struct command c = command_default(COMMAND_NVME_IDENTIFY);
	uint8_t data[IDENTIFY_BYTES] = { 0 };
	struct drive_answer a;

	c.key[KEY_CNS] = dword(x, 10) & 0xff;
	if (c.key[KEY_CNS] != 0x01)	/* of the controller: no namespace belongs to it */
		c.key[KEY_IDENTIFY_NSID] = dword(x, 1);
	drive_ask(d, &x->patience, &c, &a);
	if (a.state != DRIVE_LACKS)
		give_answer(x, &a);
	else if (make_identify(d, c.key[KEY_CNS], dword(x, 1), data))
		give(x, data, sizeof data);
	else
		x->status = DO_NOT_RETRY | (c.key[KEY_CNS] == 0x00 ? INVALID_NAMESPACE : INVALID_FIELD);
}

/* ---- logs */

/* A capture has a log whole, without its length, or the very part that was asked for. */
static void get_log(struct fakedrive *d, struct fakedrive_nvme *x)
{
	uint64_t offset = dword(x, 12) | (uint64_t)dword(x, 13) << 32;
	uint64_t n = ((uint64_t)(dword(x, 10) >> 16) + ((uint64_t)(dword(x, 11) & 0xffff) << 16) + 1) * 4;
	struct command c = command_default(COMMAND_NVME_LOG);
	struct drive_answer a;

	if (offset > UINT32_MAX || n > COMMAND_ANSWER_MAX) {
		x->status = DO_NOT_RETRY | INVALID_FIELD;
		return;
	}
	c.key[KEY_ID] = dword(x, 10) & 0xff;
	c.key[KEY_NSID] = dword(x, 1);
	c.key[KEY_LSP] = dword(x, 10) >> 8 & 0x7f;
	c.key[KEY_LSI] = dword(x, 11) >> 16;
	c.key[KEY_UUID] = dword(x, 14) & 0x7f;
	c.key[KEY_OFFSET] = (uint32_t)offset;
	c.key[KEY_LENGTH] = (uint32_t)n;
	drive_ask(d, &x->patience, &c, &a);
	if (!failed(a.fail) && a.n < n) {	/* the rest of a log is zero */
		memset(a.bytes + a.n, 0, n - a.n);
		a.n = n;
	}
	give_answer(x, &a);
}

/* ---- the rest of what a driver sends */

static void refuse_or(struct fakedrive *d, struct fakedrive_nvme *x, const char *name, uint16_t status)
{
	struct drive_answer a;

	drive_ask_by_name(d, &x->patience, name, &a);
	if (a.state == DRIVE_LACKS)
		x->status = status;
	else
		give_answer(x, &a);
}

/* Zeroes are read; what is written is dropped. */
static void io(struct fakedrive *d, struct fakedrive_nvme *x)
{
	switch (x->sqe[0]) {
	case FLUSH:
		refuse_or(d, x, "synchronize-cache", 0);
		break;
	case WRITE:
		refuse_or(d, x, "write", 0);
		break;
	case READ:
		refuse_or(d, x, "read", 0);
		if (!x->status && !x->error) {
			memset(x->in, 0, x->in_room);
			x->n_in = x->in_room;
		}
		break;
	default:
		refuse_or(d, x, "other", DO_NOT_RETRY | INVALID_OPCODE);
		break;
	}
}

/* Every feature can be set and is then forgotten. Result 0 of the number of queues: one pair. */
static void features(struct fakedrive *d, struct fakedrive_nvme *x)
{
	refuse_or(d, x, "features", 0);
}

void fakedrive_nvme(struct fakedrive *d, struct fakedrive_nvme *x)
{
	x->n_in = 0;
	x->status = 0;
	x->result = 0;
	x->error = 0;
	if (x->is_io) {
		io(d, x);
		return;
	}
	switch (x->sqe[0]) {
	case GET_LOG_PAGE:
		get_log(d, x);
		break;
	case IDENTIFY:
		identify(d, x);
		break;
	case SET_FEATURES:
	case GET_FEATURES:
		features(d, x);
		break;
	case KEEP_ALIVE:
		refuse_or(d, x, "keep-alive", 0);
		break;
	default:
		refuse_or(d, x, "other", DO_NOT_RETRY | INVALID_OPCODE);
		break;
	}
}
