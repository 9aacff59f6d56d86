/* ATA commands, passed through a SCSI translation layer (SAT): the kernel's own, a SAS host adapter's, a USB bridge's. */
#include <scsi/sg_lib.h>

#include "base/bytes.h"
#include "prober/scsi_pass.h"
#include "prober/ways.h"

enum {
	ATA_SMART = 0xb0, ATA_READ_LOG_EXT = 0x2f, ATA_IDENTIFY = 0xec, ATA_CHECK_POWER = 0xe5,
	SMART_READ_DATA = 0xd0, SMART_READ_THRESHOLDS = 0xd1, SMART_READ_LOG = 0xd5, SMART_RETURN_STATUS = 0xda,
	SMART_LBA = 0xc24f00,			/* LBA mid 4Fh, high C2h (ACS-3 7.48) */
	PROTOCOL_NON_DATA = 3, PROTOCOL_PIO_IN = 4,	/* SAT-4 12.2.2 */
	ATA_STATUS_BAD = 0x21,			/* ERR, DF */
	ATA_STATUS_READY = 0x40,		/* DRDY */
};

struct ata_command {
	uint8_t command, feature;
	uint16_t count;
	uint64_t lba;
	bool is_ext;		/* 48-bit registers */
	size_t length;		/* bytes to read; 0: the answer is in the registers */
};

struct ata_registers {
	uint8_t error, status, count, lba_mid, lba_high;
};

/* T_DIR 1 (from the device), BYT_BLOK 1 (blocks of 512), T_LENGTH 10b (the COUNT field); or CK_COND: the registers. */
static uint8_t transfer_flags(const struct ata_command *a)
{
	return a->length ? 1 << 3 | 1 << 2 | 2 : 1 << 5;
}

static void pass_16(int fd, const struct ata_command *a, uint8_t *buffer, struct scsi_result *ret)
{
	uint8_t protocol = a->length ? PROTOCOL_PIO_IN : PROTOCOL_NON_DATA;
	const uint8_t cdb[16] = {		/* SAT-4 12.2.2 */
		[0] = 0x85,					/* OPERATION CODE: ATA PASS-THROUGH(16) */
		[1] = (uint8_t)(protocol << 1 | a->is_ext),	/* PROTOCOL, EXTEND */
		[2] = transfer_flags(a),
		[3] = 0, [4] = a->feature,			/* FEATURES */
		[5] = (uint8_t)(a->count >> 8), [6] = (uint8_t)a->count,	/* COUNT */
		[7] = (uint8_t)(a->lba >> 24), [8] = (uint8_t)a->lba,		/* LBA (31:24), (7:0) */
		[9] = (uint8_t)(a->lba >> 32), [10] = (uint8_t)(a->lba >> 8),	/* LBA (39:32), (15:8) */
		[11] = (uint8_t)(a->lba >> 40), [12] = (uint8_t)(a->lba >> 16),	/* LBA (47:40), (23:16) */
		[13] = 0,					/* DEVICE */
		[14] = a->command,				/* COMMAND */
		[15] = 0,					/* CONTROL */
	};

	scsi_pass(fd, cdb, sizeof cdb, buffer, a->length, ret);
}

static void pass_12(int fd, const struct ata_command *a, uint8_t *buffer, struct scsi_result *ret)
{
	uint8_t protocol = a->length ? PROTOCOL_PIO_IN : PROTOCOL_NON_DATA;
	const uint8_t cdb[12] = {		/* SAT-4 12.2.1 */
		[0] = 0xa1,					/* OPERATION CODE: ATA PASS-THROUGH(12) */
		[1] = (uint8_t)(protocol << 1),			/* PROTOCOL */
		[2] = transfer_flags(a),
		[3] = a->feature,				/* FEATURES */
		[4] = (uint8_t)a->count,			/* COUNT */
		[5] = (uint8_t)a->lba,				/* LBA (7:0) */
		[6] = (uint8_t)(a->lba >> 8),			/* LBA (15:8) */
		[7] = (uint8_t)(a->lba >> 16),			/* LBA (23:16) */
		[8] = 0,					/* DEVICE */
		[9] = a->command,				/* COMMAND */
		[11] = 0,					/* CONTROL */
	};

	scsi_pass(fd, cdb, sizeof cdb, buffer, a->length, ret);
}

/* The registers that a command left, out of the ATA Status Return descriptor (SAT-4 12.2.7) or the fixed format (12.2.8).
 * In fixed format the fields may be something else's: ASC and ASCQ 00h/1Dh say that they are the registers; after an
 * error, which has its own ASC, a status that fits must do. */
static bool registers_of(const struct scsi_result *result, struct ata_registers *ret)
{
	struct bytes sense = bytes_of(result->sense, result->n_sense), fixed = sense;
	const uint8_t *found = sg_scsi_sense_desc_find(result->sense, (int)result->n_sense, 0x09);

	if (!result->has_sense)
		return false;
	if (found) {
		struct bytes d = bytes_at(sense, (size_t)(found - result->sense), 14);

		if (d.torn)
			return false;
		*ret = (struct ata_registers){ .error = d.at[3], .count = d.at[5], .lba_mid = d.at[9],
					       .lba_high = d.at[11], .status = d.at[13] };
		return true;
	}
	fixed = bytes_at(sense, 0, 12);
	if (fixed.torn || (fixed.at[0] & 0x7e) != 0x70)
		return false;
	*ret = (struct ata_registers){ .error = fixed.at[3], .status = fixed.at[4], .count = fixed.at[6],
				       .lba_mid = fixed.at[10], .lba_high = fixed.at[11] };
	if (result->asc == 0x00 && result->ascq == 0x1d)
		return true;
	return (ret->status & ATA_STATUS_READY) && (ret->status & ATA_STATUS_BAD);
}

static struct fail pass(const struct node *node, const struct ata_command *a, uint8_t *buffer, size_t *ret_n,
			struct ata_registers *ret_registers)
{
	static bool knows_12_only;	/* of this child's node: each refused command may count as an error */
	struct scsi_result result = { .fail = OK };
	bool has_registers;

	if (!knows_12_only)
		pass_16(node->fd, a, buffer, &result);
	/* INVALID COMMAND OPERATION CODE, and the registers of (12) suffice. */
	if (!a->is_ext && (knows_12_only || (result.key == 0x5 && result.asc == 0x20 && result.ascq == 0x00))) {
		pass_12(node->fd, a, buffer, &result);
		knows_12_only = !failed(result.fail);
	} else if (knows_12_only) {
		return fail_sense(0x5, 0x20, 0x00);
	}
	has_registers = registers_of(&result, ret_registers);
	*ret_n = result.n;
	if (has_registers && (ret_registers->status & ATA_STATUS_BAD))
		return fail_ata(ret_registers->status, ret_registers->error);
	if (failed(result.fail))
		return result.fail;
	if (!a->length && !has_registers)
		return fail_format("ATA registers", "the translation layer did not return them");
	return OK;
}

static struct ata_command smart(uint8_t feature, uint8_t address, uint16_t count, size_t length)
{
	return (struct ata_command){ .command = ATA_SMART, .feature = feature, .lba = SMART_LBA | address,
				     .count = count, .length = length };
}

static struct ata_command build(const struct command *c)
{
	uint16_t count;

	switch (c->name) {
	case COMMAND_ATA_SMART_DATA:
		return smart(SMART_READ_DATA, 0, 1, 512);
	case COMMAND_ATA_SMART_THRESHOLDS:
		return smart(SMART_READ_THRESHOLDS, 0, 1, 512);
	case COMMAND_ATA_SMART_STATUS:
		return smart(SMART_RETURN_STATUS, 0, 0, 0);
	case COMMAND_ATA_SMART_LOG:
		count = c->key[KEY_SMART_COUNT] ? (uint16_t)c->key[KEY_SMART_COUNT] : 1;
		return smart(SMART_READ_LOG, (uint8_t)c->key[KEY_SMART_ADDRESS], count, command_answer_max(c));
	case COMMAND_ATA_LOG:
		count = c->key[KEY_COUNT] ? (uint16_t)c->key[KEY_COUNT] : 1;
		return (struct ata_command){	/* ACS-4 7.23: log address in LBA (7:0), page in (15:8) and (39:32) */
			.command = ATA_READ_LOG_EXT, .count = count, .is_ext = true, .length = command_answer_max(c),
			.lba = c->key[KEY_ADDRESS] | (c->key[KEY_LOG_PAGE] & 0xff) << 8 |
			       (uint64_t)(c->key[KEY_LOG_PAGE] >> 8) << 32 };
	case COMMAND_ATA_CHECK_POWER:
		return (struct ata_command){ .command = ATA_CHECK_POWER };
	default:
		return (struct ata_command){ .command = ATA_IDENTIFY, .count = 1, .length = 512 };
	}
}

void sat_ask(const struct node *node, const struct command *c, uint8_t *buffer, struct wire_reply *ret)
{
	struct ata_command a = build(c);
	struct ata_registers registers = { 0 };

	ret->bytes = buffer;
	ret->fail = pass(node, &a, buffer, &ret->n_bytes, &registers);
	if (failed(ret->fail))
		return;
	if (c->name == COMMAND_ATA_SMART_STATUS) {
		buffer[0] = registers.lba_mid;
		buffer[1] = registers.lba_high;
		ret->n_bytes = 2;
	} else if (c->name == COMMAND_ATA_CHECK_POWER) {
		buffer[0] = registers.count;
		ret->n_bytes = 1;
	}
}
