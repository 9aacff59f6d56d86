/* ATA PASS-THROUGH (12) and (16): the other way round than src/prober/sat.c. */
#include <string.h>

#include "rig/fakedrive_private.h"

enum {
	ATA_IDENTIFY = 0xec, ATA_SMART = 0xb0, ATA_READ_LOG_EXT = 0x2f, ATA_READ_LOG_DMA_EXT = 0x47, ATA_CHECK_POWER = 0xe5,
	SMART_READ_DATA = 0xd0, SMART_READ_THRESHOLDS = 0xd1, SMART_READ_LOG = 0xd5, SMART_ENABLE = 0xd8, SMART_RETURN_STATUS = 0xda,
	STATUS_GOOD = 0x50, STATUS_ERROR = 0x51, ERROR_ABORT = 0x04, CHECK_CONDITION = 0x02,
};

struct registers {
	uint8_t command, feature, device;
	uint8_t error, status;		/* after it */
	uint16_t count;
	uint8_t lba[6];			/* (7:0) first */
	bool is_ext, wants_registers;	/* CK_COND */
};

static struct registers registers_of(const uint8_t *cdb)
{
	struct registers r = { .status = STATUS_GOOD, .wants_registers = cdb[2] >> 5 & 1 };

	if (cdb[0] == 0xa1) {		/* SAT-4 12.2.1 */
		r.feature = cdb[3];
		r.count = cdb[4];
		memcpy(r.lba, cdb + 5, 3);
		r.device = cdb[8];
		r.command = cdb[9];
		return r;
	}
	r.is_ext = cdb[1] & 0x01;	/* 12.2.2: each register in two bytes, the older first, which count only in 48-bit commands */
	r.feature = cdb[4];
	r.count = cdb[6];
	for (size_t i = 0; i < 3; i++)
		r.lba[i] = cdb[8 + 2 * i];
	for (size_t i = 0; i < 3 && r.is_ext; i++)
		r.lba[3 + i] = cdb[7 + 2 * i];
	if (r.is_ext)
		r.count = (uint16_t)(r.count | cdb[5] << 8);
	r.device = cdb[13];
	r.command = cdb[14];
	return r;
}

void sat_text(const uint8_t *identify, size_t at, size_t n, uint8_t *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = identify[at + (i ^ 1)];
}

/* The ATA Status Return descriptor (SAT-4 12.2.7). */
static void give_registers(struct fakedrive_scsi *x, const struct registers *r)
{
	bool is_error = r->status & 0x21;
	const uint8_t sense[22] = {
		[0] = 0x72, [1] = is_error ? 0x0b : 0x01, [3] = is_error ? 0x00 : 0x1d, [7] = 14,
		[8] = 0x09, [9] = 12, [10] = r->is_ext, [11] = r->error,
		[12] = (uint8_t)(r->is_ext ? r->count >> 8 : 0), [13] = (uint8_t)r->count,
		[14] = r->lba[3], [15] = r->lba[0], [16] = r->lba[4], [17] = r->lba[1], [18] = r->lba[5], [19] = r->lba[2],
		[20] = r->device, [21] = r->status,
	};

	x->status = CHECK_CONDITION;
	memcpy(x->sense, sense, sizeof sense);
	x->n_sense = sizeof sense;
}

static void give(struct fakedrive_scsi *x, struct registers *r, const struct drive_answer *a)
{
	if (a->fail.kind == FAIL_KIND_ATA || a->state == DRIVE_LACKS) {
		r->status = a->fail.kind == FAIL_KIND_ATA ? a->fail.code >> 8 & 0xff : STATUS_ERROR;
		r->error = a->fail.kind == FAIL_KIND_ATA ? a->fail.code & 0xff : ERROR_ABORT;
		give_registers(x, r);
		return;
	}
	scsi_give_answer(x, a, x->in_room);
	if (!x->status && !x->host_status && !x->error && r->wants_registers)
		give_registers(x, r);
}

static void abort_command(struct fakedrive_scsi *x, struct registers *r)
{
	r->status = STATUS_ERROR;
	r->error = ERROR_ABORT;
	give_registers(x, r);
}

/* The answer that is in the registers: how many bytes of it a capture has. */
static void give_in_registers(struct fakedrive_scsi *x, struct registers *r, const struct drive_answer *a)
{
	struct drive_answer empty = { .state = a->state, .fail = a->fail };

	if (a->n == 1)
		r->count = a->bytes[0];
	if (a->n == 2)
		memcpy(r->lba + 1, a->bytes, 2);
	give(x, r, &empty);
}

/* Pages that a capture leaves out between those that it has are zero: smartctl reads the whole log, and looks at
 * those that its directory lists. */
static bool fill_pages(struct fakedrive *d, const struct command *wanted, struct drive_answer *ret)
{
	uint32_t count = wanted->key[KEY_COUNT];
	struct command c = *wanted;
	struct drive_answer one;

	if (count < 2 || count > COMMAND_ANSWER_MAX / 512)
		return false;
	c.key[KEY_COUNT] = 1;
	memset(ret->bytes, 0, 512 * (size_t)count);
	for (uint32_t i = 0; i < count; i++) {
		c.key[KEY_LOG_PAGE] = wanted->key[KEY_LOG_PAGE] + i;
		if (drive_peek(d, &c, &one) && one.n == 512)
			memcpy(ret->bytes + 512 * (size_t)i, one.bytes, 512);
		else if (i == 0)
			return false;
	}
	ret->n = 512 * (size_t)count;
	ret->state = DRIVE_ANSWERED;
	ret->fail = OK;
	return true;
}

static void ask(struct fakedrive *d, struct fakedrive_scsi *x, struct registers *r, const struct command *c)
{
	struct drive_answer a;

	drive_ask(d, &x->patience, c, &a);
	if (c->name == COMMAND_ATA_LOG && a.state == DRIVE_LACKS)
		(void)fill_pages(d, c, &a);
	if (c->name == COMMAND_ATA_CHECK_POWER || c->name == COMMAND_ATA_SMART_STATUS)
		give_in_registers(x, r, &a);
	else
		give(x, r, &a);
}

static void ask_plainly(struct fakedrive *d, struct fakedrive_scsi *x, struct registers *r, enum command_name name)
{
	struct command c = command_default(name);

	ask(d, x, r, &c);
}

static void smart(struct fakedrive *d, struct fakedrive_scsi *x, struct registers *r)
{
	struct command c = command_default(COMMAND_ATA_SMART_LOG);

	switch (r->feature) {
	case SMART_READ_DATA:
		ask_plainly(d, x, r, COMMAND_ATA_SMART_DATA);
		break;
	case SMART_READ_THRESHOLDS:
		ask_plainly(d, x, r, COMMAND_ATA_SMART_THRESHOLDS);
		break;
	case SMART_READ_LOG:
		c.key[KEY_SMART_ADDRESS] = r->lba[0];
		c.key[KEY_SMART_COUNT] = r->count;
		ask(d, x, r, &c);
		break;
	case SMART_RETURN_STATUS:
		ask_plainly(d, x, r, COMMAND_ATA_SMART_STATUS);
		break;
	case SMART_ENABLE:
		if (r->wants_registers)
			give_registers(x, r);
		break;
	default:
		abort_command(x, r);
		break;
	}
}

static void read_log(struct fakedrive *d, struct fakedrive_scsi *x, struct registers *r)
{
	struct command c = command_default(COMMAND_ATA_LOG);

	c.key[KEY_ADDRESS] = r->lba[0];
	c.key[KEY_LOG_PAGE] = r->lba[1] | (uint32_t)r->lba[4] << 8;
	c.key[KEY_COUNT] = r->count;
	ask(d, x, r, &c);
}

void sat_pass_through(struct fakedrive *d, struct fakedrive_scsi *x)
{
	struct registers r = registers_of(x->cdb);
	struct drive_answer identity;

	/* A bridge passes commands on, and its capture has what came back. */
	if (drive_transport(d) != TRANSPORT_ATA && !drive_peek_plain(d, COMMAND_ATA_IDENTIFY, &identity)) {
		scsi_give_fail(x, fail_sense(0x05, 0x20, 0x00));
		return;
	}
	switch (r.command) {
	case ATA_IDENTIFY:
		ask_plainly(d, x, &r, COMMAND_ATA_IDENTIFY);
		break;
	case ATA_CHECK_POWER:
		ask_plainly(d, x, &r, COMMAND_ATA_CHECK_POWER);
		break;
	case ATA_SMART:
		smart(d, x, &r);
		break;
	case ATA_READ_LOG_EXT:
	case ATA_READ_LOG_DMA_EXT:
		read_log(d, x, &r);
		break;
	default:
		abort_command(x, &r);
		break;
	}
}
