/* A drive made of a capture (docs/capture.md), answering what a kernel or a program sends to it: SCSI commands, ATA
 * commands passed through (SAT), NVMe commands. README.md tells how a test changes it while it runs. The front ends
 * put it behind an interface:
 *	fd-unotify	the ioctls of one program
 *	fd-tcmu		a SCSI disk of the kernel
 *	fd-nvmetcp	an NVMe controller of the kernel */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "probe/command.h"

struct fakedrive;

/* node: which of the capture's devices is asked; another name, or NULL: its first. NULL, and why in *error, for a
 * capture that cannot be read. */
struct fakedrive *fakedrive_open(const char *capture, const char *node, struct text *error);
void fakedrive_free(struct fakedrive *);

const char *fakedrive_path(const struct fakedrive *);	/* of its capture */
bool fakedrive_is_present(struct fakedrive *);		/* not unplugged by its capture */

struct fakedrive_geometry {
	uint64_t blocks;	/* 0: it has none that a kernel could use */
	uint32_t block_bytes;
};
struct fakedrive_geometry fakedrive_geometry(struct fakedrive *);

/* How long who asked waits. */
struct fakedrive_patience {
	uint32_t limit_ms;			/* 0: as long as it takes; the front end's kernel keeps the time */
	bool (*is_gone)(void *context);		/* nobody waits any more; may be NULL */
	void *context;
};

enum { FAKEDRIVE_SENSE_MAX = 32, FAKEDRIVE_CDB_MAX = 16, FAKEDRIVE_TRANSFER_MAX = 1 << 20 };

struct fakedrive_scsi {
	uint8_t cdb[FAKEDRIVE_CDB_MAX];		/* zeroes after its end */
	uint8_t *in;				/* room for what the drive returns */
	size_t in_room;
	struct fakedrive_patience patience;

	size_t n_in;
	uint8_t status;
	uint8_t sense[FAKEDRIVE_SENSE_MAX];
	size_t n_sense;
	/* What only an ioctl can tell: status and sense say the nearest to it. */
	uint16_t host_status;
	int error;
};

/* Writes are taken and dropped, so their data is not asked for. */
void fakedrive_scsi(struct fakedrive *, struct fakedrive_scsi *);

enum { FAKEDRIVE_SQE = 64 };	/* bytes of a submission queue entry */

struct fakedrive_nvme {
	uint8_t sqe[FAKEDRIVE_SQE];
	bool is_io;				/* from an I/O queue: the NVM command set */
	uint8_t *in;
	size_t in_room;
	struct fakedrive_patience patience;

	size_t n_in;
	uint16_t status;			/* as in the completion, without its phase bit */
	uint32_t result;			/* dword 0 of the completion */
	int error;				/* as above */
};

void fakedrive_nvme(struct fakedrive *, struct fakedrive_nvme *);
