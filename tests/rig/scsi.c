/* SCSI commands, turned into those of our vocabulary: the other way round than src/prober/scsi.c. What a kernel or a
 * tool asks and no capture has gets an answer that fits the rest of it. */
#include <string.h>

#include "base/bytes.h"
#include "rig/fakedrive_private.h"

enum { CHECK_CONDITION = 0x02, BUSY = 0x08, TASK_ABORTED = 0x40, HOST_TIME_OUT = 0x03, HOST_NO_CONNECT = 0x01 };

static void put_be(uint8_t *to, size_t width, uint64_t value)
{
	while (width--) {
		to[width] = (uint8_t)value;
		value >>= 8;
	}
}

static uint64_t get_be(const uint8_t *at, size_t width)
{
	struct bytes b = bytes_of(at, width);

	return bytes_be(&b, width);
}

static void put_text(uint8_t *to, size_t n, const char *text)
{
	size_t length = strnlen(text, n);

	memset(to, ' ', n);
	memcpy(to, text, length);
}

/* ---- what goes back */

void scsi_give(struct fakedrive_scsi *x, const void *bytes, size_t n)
{
	x->n_in = n < x->in_room ? n : x->in_room;
	if (x->n_in)
		memcpy(x->in, bytes, x->n_in);
}

/* As much as was asked for, as drives cut it. */
static void give_part(struct fakedrive_scsi *x, const void *bytes, size_t n, size_t allocation)
{
	scsi_give(x, bytes, n < allocation ? n : allocation);
}

static void give_sense(struct fakedrive_scsi *x, uint32_t key_asc_ascq)
{
	const uint8_t sense[18] = { [0] = 0x70, [2] = key_asc_ascq >> 16 & 0x0f, [7] = 10, [12] = key_asc_ascq >> 8 & 0xff,
				    [13] = key_asc_ascq & 0xff };

	x->status = CHECK_CONDITION;
	memcpy(x->sense, sense, sizeof sense);
	x->n_sense = sizeof sense;
}

enum { INVALID_OPCODE = 0x052000, INVALID_FIELD = 0x052400, OUT_OF_RANGE = 0x052100, NO_SUCH_UNIT = 0x052500,
       NO_MEDIUM = 0x023a00, INTERNAL_FAILURE = 0x044400, ABORTED = 0x0b0000 };

void scsi_give_fail(struct fakedrive_scsi *x, struct fail fail)
{
	switch (fail.kind) {
	case FAIL_KIND_SENSE:
		give_sense(x, fail.code);
		break;
	case FAIL_KIND_STATUS:
		x->status = (uint8_t)fail.code;
		break;
	case FAIL_KIND_TIMEOUT:
		x->status = TASK_ABORTED;
		x->host_status = HOST_TIME_OUT;
		break;
	case FAIL_KIND_HOST:
		give_sense(x, ABORTED);
		x->host_status = (uint16_t)fail.code;
		break;
	case FAIL_KIND_ERRNO:
		give_sense(x, INTERNAL_FAILURE);
		x->error = (int)fail.code;
		break;
	default:	/* of another kind of drive: a mistake in the capture or fault */
		give_sense(x, INTERNAL_FAILURE);
		break;
	}
}

void scsi_give_answer(struct fakedrive_scsi *x, const struct drive_answer *a, size_t allocation)
{
	give_part(x, a->bytes, a->n, allocation);
	if (a->state == DRIVE_ABSENT) {
		give_sense(x, NO_SUCH_UNIT);
		x->host_status = HOST_NO_CONNECT;
		x->error = ENODEV;
	} else if (a->fail.kind != FAIL_KIND_NONE) {
		scsi_give_fail(x, a->fail);
	}
}

/* Asks it; false where the capture lacks it, so that the caller finds an answer. */
static bool is_told(struct fakedrive *d, struct fakedrive_scsi *x, const struct command *c, size_t allocation,
		    struct drive_answer *a)
{
	drive_ask(d, &x->patience, c, a);
	if (a->state == DRIVE_LACKS)
		return false;
	scsi_give_answer(x, a, allocation);
	return true;
}

/* For what has no name in our vocabulary: true where a fault, or its absence, is all the answer there is. */
static bool is_faulty(struct fakedrive *d, struct fakedrive_scsi *x, const char *name)
{
	struct drive_answer a;

	drive_ask_by_name(d, &x->patience, name, &a);
	if (a.state == DRIVE_LACKS)
		return false;
	scsi_give_answer(x, &a, 0);
	return true;
}

/* ---- INQUIRY */

static const char *sysfs_of(const struct inventory_drive *inventory, const struct inventory_device *device, const char *path,
			    const char *otherwise)
{
	const char *value = inventory ? inventory_sysfs(device, path) : NULL;

	return value ? value : otherwise;
}

/* Of an ATA drive as SAT-4 8.1 makes it; else out of what the kernel said of the drive. */
static size_t made_inquiry(struct fakedrive *d, uint8_t data[96])
{
	const struct inventory_device *device;
	CLEANUP(inventory_freep) struct inventory_drive *inventory = drive_inventory(d, &device);
	struct drive_answer a;

	data[2] = 0x05;		/* SPC-3 */
	data[3] = 0x02;
	data[4] = 91;
	data[7] = 0x02;		/* CmdQue */
	put_text(data + 8, 8, sysfs_of(inventory, device, "device/vendor", "FAKE"));
	put_text(data + 16, 16, sysfs_of(inventory, device, "device/model", "DRIVE"));
	put_text(data + 32, 4, sysfs_of(inventory, device, "device/rev", "0001"));
	if (drive_peek_plain(d, COMMAND_ATA_IDENTIFY, &a) && a.n == 512 && drive_transport(d) == TRANSPORT_ATA) {
		put_text(data + 8, 8, "ATA");
		sat_text(a.bytes, 54, 16, data + 16);	/* words 27 on */
		sat_text(a.bytes, 50, 4, data + 32);	/* words 25 and 26, the last half of the firmware's name */
	}
	return 96;
}

/* Those that the capture has, and those that are made of IDENTIFY. */
static size_t made_vpd_list(struct fakedrive *d, uint8_t *data)
{
	static const uint8_t made_of_ata[] = { 0x80, 0x83, 0x89, 0xb1 };
	bool is_ata = drive_transport(d) == TRANSPORT_ATA;
	struct command c = command_default(COMMAND_INQUIRY);
	struct drive_answer a;
	size_t n = 4;

	for (uint32_t page = 0; page <= 0xff; page++) {
		c.key[KEY_VPD] = page;
		if (!page || (is_ata && memchr(made_of_ata, (int)page, sizeof made_of_ata)) || drive_peek(d, &c, &a))
			data[n++] = (uint8_t)page;
	}
	return n;
}

/* SAT-4 10.3: out of IDENTIFY DEVICE. Words are little-endian. */
static size_t made_ata_vpd(const uint8_t *identify, uint8_t page, uint8_t *data)
{
	switch (page) {
	case 0x80:
		sat_text(identify, 20, 20, data + 4);
		return 24;
	case 0x83:
		data[4] = 0x01;		/* binary */
		data[5] = 0x03;		/* of the logical unit, NAA */
		data[7] = 8;
		for (size_t i = 0; i < 8; i++)
			data[8 + i] = identify[216 + (i ^ 1)];
		return 16;
	case 0x89:
		put_text(data + 8, 8, "FAKE");
		put_text(data + 16, 16, "TRANSLATION");
		put_text(data + 32, 4, "0001");
		data[36] = 0x34;	/* a SATA transport */
		data[56] = 0xec;
		memcpy(data + 60, identify, 512);
		return 572;
	case 0xb1:
		data[4] = identify[435];
		data[5] = identify[434];
		data[7] = identify[336] & 0x0f;
		return 64;
	default:
		return 0;
	}
}

static size_t made_vpd(struct fakedrive *d, uint8_t page, uint8_t data[1024])
{
	struct drive_answer a;
	size_t n = 0;

	if (page == 0x00)
		n = made_vpd_list(d, data);
	else if (drive_transport(d) == TRANSPORT_ATA && drive_peek_plain(d, COMMAND_ATA_IDENTIFY, &a) && a.n == 512)
		n = made_ata_vpd(a.bytes, page, data);
	if (n) {
		data[1] = page;
		put_be(data + 2, 2, n - 4);
	}
	return n;
}

static void inquiry(struct fakedrive *d, struct fakedrive_scsi *x)
{
	struct command c = command_default(COMMAND_INQUIRY);
	size_t allocation = get_be(x->cdb + 3, 2), n;
	uint8_t data[1024] = { 0 };
	struct drive_answer a;

	if (x->cdb[1] & 0x01)
		c.key[KEY_VPD] = x->cdb[2];
	if (is_told(d, x, &c, allocation, &a))
		return;
	n = x->cdb[1] & 0x01 ? made_vpd(d, x->cdb[2], data) : made_inquiry(d, data);
	if (n)
		give_part(x, data, n, allocation);
	else
		give_sense(x, INVALID_FIELD);
}

/* ---- pages */

static void log_sense(struct fakedrive *d, struct fakedrive_scsi *x)
{
	struct command c = command_default(COMMAND_LOG_SENSE);
	struct drive_answer a;

	if (x->cdb[2] >> 6 != 1) {	/* captures hold cumulative values */
		give_sense(x, INVALID_FIELD);
		return;
	}
	c.key[KEY_PAGE] = x->cdb[2] & 0x3f;
	c.key[KEY_SUBPAGE] = x->cdb[3];
	c.key[KEY_PARAMETER] = (uint32_t)get_be(x->cdb + 5, 2);
	if (!is_told(d, x, &c, get_be(x->cdb + 7, 2), &a))
		give_sense(x, drive_transport(d) == TRANSPORT_SCSI ? INVALID_FIELD : INVALID_OPCODE);
}

enum { MODE_HEADER = 8, ALL_PAGES = 0x3f, CACHING = 0x08 };

/* Where the first page begins, after header and block descriptors. */
static size_t mode_body(const struct drive_answer *a)
{
	size_t at = MODE_HEADER + get_be(a->bytes + 6, 2);

	return at < a->n ? at : a->n;
}

/* Write cache off: a kernel that is going down does not wait for SYNCHRONIZE CACHE from who is gone already. */
static void add_caching_page(struct drive_answer *a)
{
	static const uint8_t caching[20] = { CACHING, 18 };

	memcpy(a->bytes + a->n, caching, sizeof caching);
	a->n += sizeof caching;
}

/* A page that the capture lacks. */
static bool made_mode_page(struct fakedrive *d, const struct command *wanted, struct drive_answer *a)
{
	struct command c = *wanted;
	struct drive_answer one;

	if (wanted->key[KEY_SUBPAGE] || (wanted->key[KEY_PAGE] != CACHING && wanted->key[KEY_PAGE] != ALL_PAGES))
		return false;
	memset(a->bytes, 0, MODE_HEADER);
	a->n = MODE_HEADER;
	for (uint32_t page = 1; page < ALL_PAGES && wanted->key[KEY_PAGE] == ALL_PAGES; page++) {
		c.key[KEY_PAGE] = page;
		if (page == CACHING || !drive_peek(d, &c, &one) || one.n < MODE_HEADER || a->n + one.n > COMMAND_ANSWER_MAX / 2)
			continue;
		memcpy(a->bytes + a->n, one.bytes + mode_body(&one), one.n - mode_body(&one));
		a->n += one.n - mode_body(&one);
	}
	add_caching_page(a);
	put_be(a->bytes, 2, a->n - 2);
	a->state = DRIVE_ANSWERED;
	a->fail = OK;
	return true;
}

static void drop_block_descriptors(struct drive_answer *a)
{
	size_t body = mode_body(a);

	memmove(a->bytes + MODE_HEADER, a->bytes + body, a->n - body);
	a->n -= body - MODE_HEADER;
	put_be(a->bytes + 6, 2, 0);
	put_be(a->bytes, 2, a->n - 2);
}

/* MODE SENSE(6) has a shorter header, and no more than 256 bytes. */
static void shorten_header(struct drive_answer *a)
{
	const uint8_t header[4] = { [0] = (uint8_t)(a->n - 5 < 255 ? a->n - 5 : 255), [1] = a->bytes[2], [2] = a->bytes[3],
				    [3] = a->bytes[7] };

	memcpy(a->bytes, header, sizeof header);
	memmove(a->bytes + 4, a->bytes + MODE_HEADER, a->n - MODE_HEADER);
	a->n = a->n - 4 < 256 ? a->n - 4 : 256;
}

static void mode_sense(struct fakedrive *d, struct fakedrive_scsi *x)
{
	bool is_10 = x->cdb[0] == 0x5a, is_asked_for_changeable = x->cdb[2] >> 6 == 1;
	struct command c = command_default(COMMAND_MODE_SENSE);
	struct drive_answer a;

	c.key[KEY_PAGE] = x->cdb[2] & 0x3f;
	c.key[KEY_SUBPAGE] = x->cdb[3];
	drive_ask(d, &x->patience, &c, &a);
	if (a.state == DRIVE_LACKS && !made_mode_page(d, &c, &a)) {
		give_sense(x, INVALID_FIELD);
		return;
	}
	if (a.n >= MODE_HEADER) {
		if (is_asked_for_changeable && mode_body(&a) + 2 < a.n)	/* nothing is, of the first page */
			memset(a.bytes + mode_body(&a) + 2, 0, a.n - mode_body(&a) - 2);
		if (x->cdb[1] & 0x08)	/* DBD */
			drop_block_descriptors(&a);
		if (!is_10)
			shorten_header(&a);
	}
	scsi_give_answer(x, &a, is_10 ? get_be(x->cdb + 7, 2) : x->cdb[4]);
}

static void request_sense(struct fakedrive *d, struct fakedrive_scsi *x)
{
	static const uint8_t nothing[18] = { [0] = 0x70, [7] = 10 };
	struct command c = command_default(COMMAND_REQUEST_SENSE);
	struct drive_answer a;

	if (!is_told(d, x, &c, x->cdb[4], &a))
		give_part(x, nothing, sizeof nothing, x->cdb[4]);
}

/* A capture has the header of (10) or of (12). The form that it lacks is unknown to the drive, but for (12) of a
 * short list. */
static void read_defects(struct fakedrive *d, struct fakedrive_scsi *x)
{
	bool is_12 = x->cdb[0] == 0xb7;
	size_t allocation = is_12 ? get_be(x->cdb + 6, 4) : get_be(x->cdb + 7, 2);
	struct command c = command_default(COMMAND_READ_DEFECTS);
	struct drive_answer a;

	if (!(x->cdb[is_12 ? 1 : 2] & 0x08)) {		/* REQ_GLIST */
		give_sense(x, INVALID_FIELD);
		return;
	}
	drive_ask(d, &x->patience, &c, &a);
	if (a.n == 8 && !is_12) {
		give_sense(x, INVALID_OPCODE);
		return;
	}
	if (a.n == 4 && is_12) {
		memmove(a.bytes + 6, a.bytes + 2, 2);
		memset(a.bytes + 2, 0, 4);
		a.n = 8;
	}
	scsi_give_answer(x, &a, allocation);
}

/* ---- capacity and medium */

static bool find_capacity(struct fakedrive *d, struct fakedrive_scsi *x, struct drive_answer *a)
{
	struct command c = command_default(COMMAND_READ_CAPACITY);
	struct fakedrive_geometry g = fakedrive_geometry(d);

	drive_ask(d, &x->patience, &c, a);
	if (a->state != DRIVE_LACKS) {
		if (!failed(a->fail) && a->n >= 12)
			return true;
		scsi_give_answer(x, a, 0);
		return false;
	}
	if (!g.blocks) {
		give_sense(x, NO_MEDIUM);
		return false;
	}
	a->n = 32;
	memset(a->bytes, 0, a->n);
	put_be(a->bytes, 8, g.blocks - 1);
	put_be(a->bytes + 8, 4, g.block_bytes);
	return true;
}

static void read_capacity_10(struct fakedrive *d, struct fakedrive_scsi *x)
{
	struct drive_answer a;

	if (!find_capacity(d, x, &a))
		return;
	if (get_be(a.bytes, 8) > UINT32_MAX)	/* SBC: ask (16) */
		memset(a.bytes + 4, 0xff, 4);
	scsi_give(x, a.bytes + 4, 8);
}

static void service_action_in(struct fakedrive *d, struct fakedrive_scsi *x)
{
	struct drive_answer a;

	if ((x->cdb[1] & 0x1f) != 0x10)
		give_sense(x, INVALID_OPCODE);
	else if (find_capacity(d, x, &a))
		give_part(x, a.bytes, a.n, get_be(x->cdb + 10, 4));
}

/* First block and how many, of READ and WRITE. */
static void medium_range(const uint8_t *cdb, uint64_t *ret_first, uint64_t *ret_count)
{
	switch (cdb[0] >> 5) {
	case 0:		/* (6): 0 blocks are 256 */
		*ret_first = get_be(cdb + 1, 3) & 0x1fffff;
		*ret_count = cdb[4] ? cdb[4] : 256;
		break;
	case 4:		/* (16) */
		*ret_first = get_be(cdb + 2, 8);
		*ret_count = get_be(cdb + 10, 4);
		break;
	default:	/* (10) */
		*ret_first = get_be(cdb + 2, 4);
		*ret_count = get_be(cdb + 7, 2);
		break;
	}
}

/* There is no medium: whatever is read is zero. */
static void medium(struct fakedrive *d, struct fakedrive_scsi *x, bool is_write)
{
	struct fakedrive_geometry g = fakedrive_geometry(d);
	uint64_t first, count;

	medium_range(x->cdb, &first, &count);
	if (is_faulty(d, x, is_write ? "write" : "read"))
		return;
	if (first > g.blocks || count > g.blocks - first) {
		give_sense(x, OUT_OF_RANGE);
	} else if (!is_write) {
		x->n_in = count * g.block_bytes < x->in_room ? count * g.block_bytes : x->in_room;
		memset(x->in, 0, x->n_in);
	}
}

static void read_medium(struct fakedrive *d, struct fakedrive_scsi *x)
{
	medium(d, x, false);
}

static void write_medium(struct fakedrive *d, struct fakedrive_scsi *x)
{
	medium(d, x, true);
}

/* ---- the rest */

static void test_unit_ready(struct fakedrive *d, struct fakedrive_scsi *x)
{
	(void)is_faulty(d, x, "test-unit-ready");
}

static void synchronize_cache(struct fakedrive *d, struct fakedrive_scsi *x)
{
	(void)is_faulty(d, x, "synchronize-cache");
}

static void start_stop(struct fakedrive *d, struct fakedrive_scsi *x)
{
	(void)is_faulty(d, x, "start-stop");
}

static void report_luns(struct fakedrive *d, struct fakedrive_scsi *x)
{
	static const uint8_t only_lun_0[16] = { [3] = 8 };

	if (!is_faulty(d, x, "report-luns"))
		give_part(x, only_lun_0, sizeof only_lun_0, get_be(x->cdb + 6, 4));
}

static void unknown(struct fakedrive *d, struct fakedrive_scsi *x)
{
	if (!is_faulty(d, x, "other"))
		give_sense(x, INVALID_OPCODE);
}

static const struct {
	uint8_t code;
	void (*answer)(struct fakedrive *, struct fakedrive_scsi *);
} operations[] = {
	{ 0x00, test_unit_ready },
	{ 0x03, request_sense },
	{ 0x08, read_medium },
	{ 0x0a, write_medium },
	{ 0x12, inquiry },
	{ 0x1a, mode_sense },
	{ 0x1b, start_stop },
	{ 0x25, read_capacity_10 },
	{ 0x28, read_medium },
	{ 0x2a, write_medium },
	{ 0x35, synchronize_cache },
	{ 0x37, read_defects },
	{ 0x4d, log_sense },
	{ 0x5a, mode_sense },
	{ 0x85, sat_pass_through },
	{ 0x88, read_medium },
	{ 0x8a, write_medium },
	{ 0x91, synchronize_cache },
	{ 0x9e, service_action_in },
	{ 0xa0, report_luns },
	{ 0xa1, sat_pass_through },
	{ 0xb7, read_defects },
};

void fakedrive_scsi(struct fakedrive *d, struct fakedrive_scsi *x)
{
	x->n_in = x->n_sense = 0;
	x->status = 0;
	x->host_status = 0;
	x->error = 0;
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
		if (operations[i].code == x->cdb[0]) {
			operations[i].answer(d, x);
			return;
		}
	}
	unknown(d, x);
}
