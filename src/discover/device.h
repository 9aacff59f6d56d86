/* What this host, or a replay, has: block devices and NVMe controllers, with what the kernel knows of them without
 * asking the drive. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "capture/inventory.h"
#include "probe/command.h"

/* A place in an enclosure, as the kernel's enclosure class has it. Empty: not told. */
enum { ENCLOSURE_NAME_MAX = 64 };	/* drivers/misc/enclosure.c, COMPONENT_NAME_SIZE */
struct device_slot {
	char enclosure[ENCLOSURE_NAME_MAX];	/* where the enclosure itself sits, "0:0:24:0"; empty: in none */
	char id[19];				/* its world wide name, "0x5000..." */
	char component[ENCLOSURE_NAME_MAX];	/* what it calls the place, "Slot 05" */
	char number[12];			/* of the place */
};

enum pcie_severity { PCIE_CORRECTABLE, PCIE_NONFATAL, PCIE_FATAL, N_PCIE_SEVERITIES };
extern const char *const pcie_severity_names[N_PCIE_SEVERITIES];

enum device_source { SOURCE_HOST, SOURCE_REPLAY, N_DEVICE_SOURCES };

struct device {
	enum device_source source;
	char name[NODE_NAME_MAX];
	bool is_controller;		/* an NVMe controller: asked, but no block device */
	bool is_aside;			/* an NVMe controller that is none of a drive in this host: over fabrics, or for discovery or
					 * administration only */
	bool is_askable;		/* takes health commands; else identity and block statistics only */
	enum transport transport;	/* of an askable one */
	uint64_t diskseq;		/* 0: not known */
	uint64_t size_bytes;		/* 0: not known */
	uint32_t logical_block, nsid;	/* 0: not known */
	int rotational;			/* 1, 0, or -1: not known */
	char group[160];		/* devices that share it are of one drive (same.c) */
	char host[NODE_NAME_MAX];	/* devices that share a SCSI host or controller share it: asked one after another */
	char devpath[256];		/* the kernel's path of the device; empty: not known, or longer */
	char path[64];			/* where it sits: "0:0:3:0", a PCI address; empty: not known */
	char state[24];			/* the kernel's word: running, offline, live, dead, or ours; empty: not known */
	bool is_sas;			/* seen below a SAS end device */
	bool has_pcie_errors;
	uint64_t pcie_errors[N_PCIE_SEVERITIES];	/* of a controller's port, as the kernel counts them since it found it */
	struct device_slot slot;

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

/* In the place of running, while the error handler of the SCSI host stops all its disks. */
#define DEVICE_HOST_RECOVERY "host-recovery"

/* The kernel's word for this path to a drive of this host, as it is now. */
void discover_refresh_state(struct device *);

/* The `group` of a replayed drive's devices. */
void discover_inventory_group(const char *key, char *group, size_t size);
/* The device list of an Inventory message of a replay; an absent drive gives none. 0, -EBADMSG for a message that is not
 * one; *ret_key names the drive, for its later messages. */
int discover_inventory(const char *text, struct device_list *ret, char ret_key[INVENTORY_KEY_MAX]);

/* ---- nvme.c */

/* By what sysfs says of a controller ("" where it does not): transport "pcie", "tcp", ...; cntrltype "io", "discovery", "admin". */
bool nvme_is_aside(const char *transport, const char *type, const char *subsystem);
/* Takes out of the list what is aside, and the namespaces that no other controller has. */
void nvme_leave_out(struct device_list *);
/* The total out of sysfs's aer_dev_correctable and its like: a line for each kind of error and one for their sum. */
bool nvme_pcie_errors_from_text(const char *text, uint64_t *ret);
/* Where sysfs has them for that severity, below the controller's folder. */
extern const char *const nvme_pcie_error_attributes[N_PCIE_SEVERITIES];

/* ---- slot.c */

/* How the kernel's link from a SCSI device to its place begins; what follows is the component's name. */
#define SLOT_LINK "enclosure_device:"

/* From the link's name and where it leads, ".../enclosure/0:0:24:0/Slot 05". False, and all empty, for what is none. */
bool slot_from_link(struct device_slot *, const char *link, const char *target);
/* The attributes `id` of the enclosure and `slot` of the component; what is none leaves it empty. */
void slot_take_id(struct device_slot *, const char *value);
void slot_take_number(struct device_slot *, const char *value);
/* All of it, for the block device in DIR (/sys/block/NAME). */
void slot_from_sysfs(struct device_slot *, const char *dir);

/* For the labels `enclosure` and `slot`. */
const char *slot_enclosure(const struct device_slot *);
const char *slot_name(const struct device_slot *);
