/* SCSI commands. Each CDB is written out with the standard's name of the field beside the byte. */
#include <string.h>

#include "base/bytes.h"
#include "prober/scsi_pass.h"
#include "prober/ways.h"

enum { ALLOCATION_MAX = 0xfffe };	/* two bytes, and even: some host adapters refuse odd transfers */

/* A question whose answer says in its header how long it is: asked for in brief, then whole. */
struct fetch {
	uint8_t cdb[16];
	size_t n_cdb;
	size_t allocation_at;		/* offset of the two bytes of ALLOCATION LENGTH */
	size_t first;			/* how much is asked for at first */
	size_t instead;			/* and where that fails; 0: nothing else */
	size_t (*total)(struct bytes);	/* the whole length, out of the first 8 bytes */
};

static size_t total_after_four(struct bytes b)	/* LOG SENSE, VPD: PAGE LENGTH at 2, without the header */
{
	bytes_skip(&b, 2);
	return (size_t)bytes_be(&b, 2) + 4;
}

static size_t total_after_two(struct bytes b)	/* MODE SENSE(10): MODE DATA LENGTH, without itself */
{
	return (size_t)bytes_be(&b, 2) + 2;
}

static size_t total_after_five(struct bytes b)	/* INQUIRY: ADDITIONAL LENGTH at 4 */
{
	bytes_skip(&b, 4);
	return (size_t)bytes_be(&b, 1) + 5;
}

static struct fail fetch_once(int fd, const struct fetch *f, size_t allocation, uint8_t *buffer, size_t *ret_n)
{
	struct scsi_result result;
	uint8_t cdb[16];

	memcpy(cdb, f->cdb, sizeof cdb);
	cdb[f->allocation_at] = (uint8_t)(allocation >> 8);
	cdb[f->allocation_at + 1] = (uint8_t)allocation;
	scsi_pass(fd, cdb, f->n_cdb, buffer, allocation, &result);
	*ret_n = result.n;
	return result.fail;
}

static struct fail fetch(int fd, const struct fetch *f, uint8_t *buffer, size_t *ret_n)
{
	struct fail fail = fetch_once(fd, f, f->first, buffer, ret_n);
	size_t total, whole;

	if (failed(fail) && f->instead)
		fail = fetch_once(fd, f, f->instead, buffer, ret_n);
	if (failed(fail))
		return fail;
	total = f->total(bytes_of(buffer, *ret_n));
	if (total > f->first && total > *ret_n) {
		whole = total + (total & 1);
		fail = fetch_once(fd, f, whole < ALLOCATION_MAX ? whole : ALLOCATION_MAX, buffer, ret_n);
		if (failed(fail))
			return fail;
		total = f->total(bytes_of(buffer, *ret_n));
	}
	if (total < *ret_n)
		*ret_n = total;		/* the rest of the buffer was never sent */
	return OK;
}

/* SPC-5 6.7. Marvell's host adapters fail 36 bytes; some old firmware fails more. */
static struct fail inquiry_standard(int fd, uint8_t *buffer, size_t *ret_n)
{
	struct fetch f = {
		.cdb = { 0x12,		/* OPERATION CODE */
			 0,		/* EVPD */
			 0,		/* PAGE CODE */
			 0, 0,		/* ALLOCATION LENGTH */
			 0 },		/* CONTROL */
		.n_cdb = 6, .allocation_at = 3, .first = 36, .instead = 64, .total = total_after_five,
	};
	struct fail fail = fetch(fd, &f, buffer, ret_n);

	if (!failed(fail))
		return OK;
	fail = fetch_once(fd, &f, f.first, buffer, ret_n);	/* the whole was refused: the first part will do */
	return fail;
}

static struct fail inquiry(int fd, const struct command *c, uint8_t *buffer, size_t *ret_n)
{
	struct fetch f = {
		.cdb = { 0x12,				/* OPERATION CODE */
			 0x01,				/* EVPD */
			 (uint8_t)c->key[KEY_VPD],	/* PAGE CODE */
			 0, 0,				/* ALLOCATION LENGTH */
			 0 },				/* CONTROL */
		.n_cdb = 6, .allocation_at = 3, .first = 252, .total = total_after_four,
	};

	if (c->key[KEY_VPD] == VPD_NONE)
		return inquiry_standard(fd, buffer, ret_n);
	return fetch(fd, &f, buffer, ret_n);
}

static struct fail log_sense(int fd, const struct command *c, uint8_t *buffer, size_t *ret_n)
{
	uint32_t page = c->key[KEY_PAGE], parameter = c->key[KEY_PARAMETER];
	struct fetch f = {			/* SPC-5 6.8 */
		.cdb = { 0x4d,					/* OPERATION CODE */
			 0,					/* SP 0: nothing is saved */
			 (uint8_t)(0x1 << 6 | page),		/* PC 01b: cumulative values; PAGE CODE */
			 (uint8_t)c->key[KEY_SUBPAGE],		/* SUBPAGE CODE */
			 0,
			 (uint8_t)(parameter >> 8), (uint8_t)parameter,	/* PARAMETER POINTER */
			 0, 0,					/* ALLOCATION LENGTH */
			 0 },					/* CONTROL */
		.n_cdb = 10, .allocation_at = 7, .first = 4, .total = total_after_four,
	};

	if (!page && !c->key[KEY_SUBPAGE])
		f.instead = 68;		/* Seagate ST8000NM0075, firmware E001, fails 4 bytes of page 00h */
	return fetch(fd, &f, buffer, ret_n);
}

static struct fail mode_sense(int fd, const struct command *c, uint8_t *buffer, size_t *ret_n)
{
	struct fetch f = {			/* SPC-5 6.14 */
		.cdb = { 0x5a,					/* OPERATION CODE */
			 0,					/* LLBAA, DBD */
			 (uint8_t)(0x0 << 6 | c->key[KEY_PAGE]),	/* PC 00b: current values; PAGE CODE */
			 (uint8_t)c->key[KEY_SUBPAGE],		/* SUBPAGE CODE */
			 0, 0, 0,
			 0, 0,					/* ALLOCATION LENGTH */
			 0 },					/* CONTROL */
		.n_cdb = 10, .allocation_at = 7, .first = 252, .total = total_after_two,
	};

	return fetch(fd, &f, buffer, ret_n);
}

static struct fail ask_plainly(int fd, const uint8_t *cdb, size_t n_cdb, size_t length, uint8_t *buffer, size_t *ret_n)
{
	struct scsi_result result;

	scsi_pass(fd, cdb, n_cdb, buffer, length, &result);
	*ret_n = result.n;
	return result.fail;
}

static struct fail read_capacity(int fd, const struct command *c, uint8_t *buffer, size_t *ret_n)
{
	static const uint8_t cdb[16] = {	/* SBC-4 5.20 */
		[0] = 0x9e,			/* OPERATION CODE: SERVICE ACTION IN(16) */
		[1] = 0x10,			/* SERVICE ACTION */
		[13] = 32,			/* ALLOCATION LENGTH, low byte */
	};

	return ask_plainly(fd, cdb, sizeof cdb, 32, buffer, ret_n);
}

static struct fail request_sense(int fd, const struct command *c, uint8_t *buffer, size_t *ret_n)
{
	static const uint8_t cdb[6] = {		/* SPC-5 6.39 */
		[0] = 0x03,			/* OPERATION CODE */
		[1] = 0,			/* DESC 0: fixed format */
		[4] = 18,			/* ALLOCATION LENGTH: what fixed format needs */
	};

	return ask_plainly(fd, cdb, sizeof cdb, 18, buffer, ret_n);
}

enum { ASC_NO_DEFECT_LIST = 0x1c };	/* then the other form would find none either */

/* The header alone: no list is transferred. (10) first, since the kernel lets it pass without CAP_SYS_RAWIO. */
static struct fail read_defects(int fd, const struct command *c, uint8_t *buffer, size_t *ret_n)
{
	static const uint8_t cdb_10[10] = {	/* SBC-3 5.16 */
		[0] = 0x37,			/* OPERATION CODE */
		[2] = 0x08 | 0x04,		/* REQ_GLIST; DEFECT LIST FORMAT 100b: bytes from index */
		[8] = 4,			/* ALLOCATION LENGTH, low byte */
	};
	static const uint8_t cdb_12[12] = {	/* SBC-3 5.17 */
		[0] = 0xb7,			/* OPERATION CODE */
		[1] = 0x08 | 0x04,		/* REQ_GLIST; DEFECT LIST FORMAT */
		[9] = 8,			/* ALLOCATION LENGTH, low byte */
	};
	struct fail fail = ask_plainly(fd, cdb_10, sizeof cdb_10, 4, buffer, ret_n);

	if (!fail_is_unsupported(fail) || (fail.code >> 8 & 0xff) == ASC_NO_DEFECT_LIST)
		return fail;
	fail = ask_plainly(fd, cdb_12, sizeof cdb_12, 8, buffer, ret_n);
	if (*ret_n < 8)
		*ret_n = 0;		/* a part of it would look like the header of (10) */
	return fail;
}

typedef struct fail (*scsi_fn)(int fd, const struct command *, uint8_t *buffer, size_t *ret_n);

static const scsi_fn functions[N_COMMANDS] = {
	[COMMAND_INQUIRY] = inquiry, [COMMAND_READ_CAPACITY] = read_capacity, [COMMAND_LOG_SENSE] = log_sense,
	[COMMAND_MODE_SENSE] = mode_sense, [COMMAND_REQUEST_SENSE] = request_sense,
	[COMMAND_READ_DEFECTS] = read_defects,
};

void scsi_ask(const struct node *node, const struct command *c, uint8_t *buffer, struct wire_reply *ret)
{
	ret->bytes = buffer;
	ret->fail = functions[c->name](node->fd, c, buffer, &ret->n_bytes);
}
