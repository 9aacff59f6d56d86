/* What this host, or a replay, has: block devices and NVMe controllers, with what the kernel knows of them without
 * asking the drive. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "capture/inventory.h"
#include "probe/command.h"

enum device_source { SOURCE_HOST, SOURCE_REPLAY, N_DEVICE_SOURCES };

struct device {
	enum device_source source;
	char name[NODE_NAME_MAX];
	bool is_controller;		/* an NVMe controller: asked, but no block device */
	bool is_askable;		/* takes health commands; else identity and block statistics only */
	enum transport transport;	/* of an askable one */
	uint64_t diskseq;		/* 0: not known */
	uint64_t size_bytes;		/* 0: not known */
	uint32_t logical_block, nsid;	/* 0: not known */
	int rotational;			/* 1, 0, or -1: not known */
	char group[160];		/* the devices of one drive share it */
	char host[NODE_NAME_MAX];	/* devices that share a SCSI host or controller share it: asked one after another */
	char devpath[256];		/* the kernel's path of the device; empty: not known, or longer */
	char path[64];			/* where it sits: "0:0:3:0", a PCI address; empty: not known */
	char state[24];			/* the kernel's word: running, offline, live, dead; empty: not known */
	bool is_sas;			/* seen below a SAS end device */

	/* What udev or sysfs say before the drive itself has answered; empty: nothing. */
	char model[41], serial[65], wwn[33];

	/* Of a replay only: the fields of `stat`. */
	uint64_t stat[INVENTORY_STAT];
	size_t n_stat;
};

struct device_list {
	struct device *at;
	size_t n, room;
};

/* A new, zeroed device at the end of the list; NULL: no memory. */
struct device *device_list_add(struct device_list *);
void device_list_free(struct device_list *);

/* Last part of the path on the bus out of a devpath: ".../0:0:3:0/block/sdc" to "0:0:3:0", ".../0000:01:00.0/nvme/nvme0"
 * to "0000:01:00.0". And the host out of it: "host0"; empty if there is none. */
void device_path_from_devpath(const char *devpath, const char *name, char *path, size_t size);
void device_host_from_devpath(const char *devpath, char *host, size_t size);

/* Namespace of an NVMe block device where sysfs does not say: nvme0n1 is taken for namespace 1. 0: no such name. */
uint32_t device_nsid_from_name(const char *name);

/* Lists this host's drives through sd-device (works without udev's database). 0, or a negative errno: then the list is
 * as it was. */
int discover_host(struct device_list *ret);

/* The device list of an Inventory message of a replay; an absent drive gives none. 0, -EBADMSG for a message that is not
 * one; *ret_key names the drive, for its later messages. */
/* The `group` of a replayed drive's devices. */
void discover_inventory_group(const char *key, char *group, size_t size);
int discover_inventory(const char *text, struct device_list *ret, char ret_key[INVENTORY_KEY_MAX]);
