/* A device node: what sysfs says of it, asked before it is touched, and how it is opened. */
#pragma once

#include "base/fail.h"
#include "base/sysfs.h"
#include "probe/wire.h"

enum node_kind { NODE_SCSI, NODE_NVME };

struct node {
	const char *name;
	enum node_kind kind;
	char dir[64];			/* in sysfs: /sys/block/NAME or /sys/class/nvme/NAME */
	bool is_block;			/* else an NVMe controller's character device */
	unsigned device_major, device_minor;
	uint64_t diskseq;		/* 0: the kernel gives none */
	bool is_asleep;			/* runtime-suspended: opening would wake it */
	int fd;				/* -1: not open */
};

/* Fills ret from sysfs alone. Fails with ENODEV where the name is no SCSI disk, NVMe namespace or controller, and as a
 * host adapter in recovery where that is so. */
MUST_CHECK struct fail node_find(const char *name, struct node *ret);

/* Opens it for reading, after checking that /dev/NAME is the device that sysfs means. Closed by node_close(). */
MUST_CHECK struct fail node_open(struct node *);
void node_close(struct node *);

/* The SCSI host ("host3") that a disk hangs on. 0 or a negative errno. */
int node_host(const char *name, char *ret_host, size_t size);

/* What /sys/block/NAME/diskseq says now. */
uint64_t node_diskseq(const struct node *);
