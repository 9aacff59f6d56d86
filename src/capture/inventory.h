/* What a replay tells of a drive, unasked: the text of a WIRE_INVENTORY message (probe/wire.h, its end), written by
 * drive_replay and read by discover/. Read strictly: a text that breaks the rules is refused whole. */
#pragma once

#include "base/text.h"
#include "probe/command.h"
#include "probe/wire.h"

enum {
	INVENTORY_KEY_MAX = 256,
	INVENTORY_DEVICES = 128,	/* of a drive: CAPTURE_DEVICES, and the controllers derived from them */
	INVENTORY_SYSFS = 512,		/* lines of one device */
	INVENTORY_STAT = 17,		/* fields of /sys/block/NAME/stat (Documentation/block/stat.rst) */
	INVENTORY_TEXT_MAX = WIRE_MESSAGE_MAX - 64,
};

/* An attribute, below the device's folder in sysfs, or at an absolute path. */
struct inventory_sysfs {
	char *path;
	char *value;
};

struct inventory_device {
	char name[NODE_NAME_MAX];
	bool is_controller;		/* an NVMe controller; else a block device */
	uint64_t diskseq;		/* never 0; another one each time the drive comes back */
	uint64_t size;			/* bytes; 0: not told */
	uint32_t logical_block;		/* bytes; 0: not told */
	int rotational;			/* 0 or 1; -1: not told */
	char *devpath;			/* NULL: not told, the drive is alone on a host */
	uint64_t stat[INVENTORY_STAT];
	size_t n_stat;			/* 0: not told */
	struct inventory_sysfs *sysfs;	/* each path once, its value of now */
	size_t n_sysfs;
};

struct inventory_drive {
	char key[INVENTORY_KEY_MAX];	/* names the drive in later messages */
	int64_t time_s;			/* the replay's, since 1970 */
	bool is_present;		/* false: unplugged; its devices are still listed, but nobody answers there */
	enum transport transport;
	struct inventory_device *devices;
	size_t n_devices;
};

/* 0 and a drive to free, -EBADMSG for anything that inventory_write() does not write, or -ENOMEM. */
int inventory_parse(const char *text, struct inventory_drive **ret);
void inventory_free(struct inventory_drive *);
void inventory_freep(struct inventory_drive **);	/* for CLEANUP() */

/* Adds the text of a message. Where there is no room (INVENTORY_TEXT_MAX is what a message takes) devices at the end are
 * left out. */
void inventory_write(const struct inventory_drive *, struct text *out);

/* The value of a device's attribute; NULL: not told. */
const char *inventory_sysfs(const struct inventory_device *, const char *path);
