/* Why there is no value. At a drive three parties can fail, and the user must know which. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* Who is to blame; the label `source` of drive_poll_failures_total. */
enum fail_source {
	FAIL_NONE,
	FAIL_OS,		/* this machine: no memory, no such node, the prober went away */
	FAIL_PERMISSION,	/* EACCES, EPERM */
	FAIL_TRANSPORT,		/* the way to the drive: host status, time-out, aborted command */
	FAIL_DEVICE,		/* the drive said no: sense data, ATA error, NVMe status */
	FAIL_FORMAT,		/* the drive answered, but not with what its page must be */
	FAIL_RESERVED,		/* reservation conflict: another host owns the drive */
	N_FAIL_SOURCES
};

/* What `code` holds. */
enum fail_kind {
	FAIL_KIND_NONE,
	FAIL_KIND_ERRNO,	/* errno */
	FAIL_KIND_OPEN,		/* errno of opening the node: nothing was asked */
	FAIL_KIND_SENSE,	/* sense key << 16 | asc << 8 | ascq */
	FAIL_KIND_STATUS,	/* SCSI status without sense data */
	FAIL_KIND_ATA,		/* ATA status << 8 | error */
	FAIL_KIND_NVME,		/* status code type << 8 | status code */
	FAIL_KIND_TIMEOUT,	/* the kernel gave the command up */
	FAIL_KIND_HOST,		/* host status of SG_IO */
	FAIL_KIND_FORMAT,	/* none; detail says what is wrong */
	N_FAIL_KINDS
};

/* A host status of our own, beyond those of the kernel (one byte): the way to the drive is being recovered, and nothing
 * was sent. */
enum { FAIL_HOST_RECOVERING = 0x100 };

/* Passed by value: nothing to free, nothing global. source becomes a metric label; the rest goes to the journal.
 * On the wire: source, kind and code; what follows from the command, detail from kind and code. */
struct fail {
	enum fail_source source;
	enum fail_kind kind;
	uint32_t code;
	const char *what;	/* static: the thing we asked for, "log page 0x0d" */
	const char *detail;	/* static: what was wrong with the answer, or NULL */
};

#define OK ((struct fail){ .source = FAIL_NONE })

static inline bool failed(struct fail f)
{
	return f.source != FAIL_NONE;
}

/* "os", "permission", ...: the metric label. */
const char *fail_source_name(enum fail_source source);

/* One constructor per kind decides the source, so that a prober and a replay blame the same party. */
struct fail fail_os(int error, const char *what);		/* EACCES and EPERM become FAIL_PERMISSION */
struct fail fail_open(int error);				/* the same, of opening the node */
struct fail fail_sense(uint8_t key, uint8_t asc, uint8_t ascq);	/* keys 0h, 1h and Fh are OK; Bh is FAIL_TRANSPORT */
struct fail fail_status(uint8_t status);			/* 18h: FAIL_RESERVED; 08h and 28h (busy, task set full): FAIL_TRANSPORT */
struct fail fail_ata(uint8_t status, uint8_t error);
struct fail fail_nvme(uint8_t sct, uint8_t sc);
struct fail fail_timeout(void);
struct fail fail_host(uint16_t host_status);
struct fail fail_format(const char *what, const char *detail);

/* True where the drive says that it does not know the command, page or log: SCSI ILLEGAL REQUEST with ASC 20h, 24h,
 * 25h or 26h, ASC 1Ch (there is no such defect list; SPC, sense code list), ATA abort (ACS, ERROR field), NVMe Invalid Opcode, Invalid Field, Invalid Log
 * Page (NVM Express base, status codes). Such a command is never sent twice. */
bool fail_is_unsupported(struct fail f);

/* SCSI UNIT ATTENTION: told once, then the device answers (SPC). */
bool fail_is_unit_attention(struct fail f);

/* A sentence for a person: "log page 0x0d: the drive refused it, sense 5/24/00". Returns text. */
const char *fail_describe(struct fail f, char *text, size_t size);
