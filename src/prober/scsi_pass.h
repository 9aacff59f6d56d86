/* One SCSI command through libsgutils2, and what became of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fail.h"

enum {
	SCSI_TIMEOUT_S = 60,	/* longer than a spin-up; when it expires the kernel aborts, then resets, with others' I/O */
	SCSI_SENSE_MAX = 64,
};

struct scsi_result {
	struct fail fail;	/* device, transport and driver status, judged together */
	size_t n;		/* bytes that arrived */
	bool has_sense;
	uint8_t key, asc, ascq;
	uint8_t sense[SCSI_SENSE_MAX];
	size_t n_sense;
};

/* Reads: n_buffer is also the most that the kernel will transfer (0: no data). */
void scsi_pass(int fd, const uint8_t *cdb, size_t n_cdb, uint8_t *buffer, size_t n_buffer, struct scsi_result *ret);
