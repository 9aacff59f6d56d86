/* Drives: what is one, who it is, and which devices belong to it. */
#pragma once

#include "discover/device.h"
#include "page/facts.h"

enum { DRIVE_LABEL_MAX = 256 };

struct drive {
	enum device_source source;
	char group[160];		/* of the device by which it was found */
	char label[DRIVE_LABEL_MAX];	/* value of the label `drive` */
	bool is_identified;		/* it told model and serial itself: the label is final */
	bool is_virtual;		/* a volume or virtual disk: identity and block statistics only */
	bool is_excluded;		/* by --drive.include or --drive.exclude: neither asked nor served */
	struct device *devices;		/* paths, namespaces, controllers; at least one */
	size_t n_devices;
	struct drive_facts facts;
	void *poll;			/* poll/'s own */
	void *wear;			/* exporter/wears.c's own */
};

struct drive_events {
	void *context;
	void (*added)(void *context, struct drive *);
	void (*removed)(void *context, struct drive *);	/* freed when it returns; without devices: another one has them */
};

struct drive_filter;

struct drive_table {
	struct drive **at;
	size_t n, room;
	struct drive_events events;
	const struct drive_filter *filter;
	bool has_fabrics;		/* NVMe controllers that are no drives of this host are drives, too */
};

/* Makes the table hold the drives of these devices, for one source: new ones are added, others keep their state and take
 * the devices' news, those without a device left are removed. 0 or -ENOMEM. */
int drive_table_update(struct drive_table *, enum device_source, const struct device_list *);
void drive_table_free(struct drive_table *);

/* Ends this drive and begins anew with the same devices: another one answered in its place. */
void drive_table_replace(struct drive_table *, struct drive *);
void drive_table_remove(struct drive_table *, struct drive *);

/* Called once the drive has told model and serial: gives it its final label, and settles a clash with another's. False:
 * it is a path to a drive that told the same before; that one has its devices now, and this one is removed and freed. */
bool drive_identified(struct drive_table *, struct drive *);

/* It has not told who it is, and nobody else knows: its label is made of its place. */
bool drive_is_nameless(const struct drive *);

/* The device to ask: NVMe controllers before namespaces, else the first askable. NULL: there is none. */
const struct device *drive_node(const struct drive *, size_t turn);
/* The first block device; NULL: none. */
const struct device *drive_block_device(const struct drive *);

/* Where it sits: of its devices the first that is in an enclosure. */
const struct device_slot *drive_slot(const struct drive *);

/* "sas", "sata", "nvme", "scsi", "ata", "virtual": for people and drive_info. */
const char *drive_transport_name(const struct drive *);
/* "ssd", "hdd" or "" where nobody tells. */
const char *drive_type_name(const struct drive *);
uint64_t drive_capacity_bytes_known(const struct drive *);

/* ---- same.c: which devices are one drive */

/* Hexadecimal digits that name something: not too few, not all zeroes or all ones. */
bool wwn_is_name(const char *digits);
/* "naa.5000c500..." to its digits; other forms (t10., eui.) are no world wide name by which paths meet. Empty: none. */
void wwn_from_wwid(const char *wwid, char wwn[33]);
/* The group of all paths to the logical unit of that name. Its serial guards against names that makers gave twice; false
 * where it cannot. */
bool group_of_name(const char *wwn, const char *serial, char *group, size_t size);
/* It is one of the drive's devices, as the last list had them. */
bool drive_has(const struct drive *, const struct device *);
/* It is another device of this drive, as far as the kernel knows. */
bool drive_takes(const struct drive *, const struct device *);
/* Two of this host told who they are, and are one. */
bool drive_is_same(const struct drive *, const struct drive *);

/* ---- label.c */

/* True of serials that tell nothing: none, one character over and over, counting digits, or known to be shared. */
bool label_is_placeholder(const char *serial);
/* <model>_<serial>, each spelled as udev spells it; empty parts left out. */
void label_plain(const char *model, const char *serial, char *out, size_t size);
/* The final label, of what the drive told, unlike any other's in the table. */
void label_settle(struct drive_table *, struct drive *);

/* ---- kind.c */

/* Devices that are no drives: loop, ram, dm, md, ... */
bool kind_is_no_drive(const char *device);
/* A volume of a RAID controller, an iSCSI LUN or a virtual disk, by what INQUIRY or identify data say. */
bool kind_is_virtual(const char *vendor, const char *model);

/* ---- filter.c: --drive.include and --drive.exclude */

struct drive_filter *drive_filter_new(void);
/* PATTERN, or FIELD=PATTERN with FIELD one of model, serial, transport, device (default model): an extended regular
 * expression that must match the whole field. 0, or -EINVAL with *error set. */
int drive_filter_add(struct drive_filter *, bool is_include, const char *pattern, struct text *error);
void drive_filter_free(struct drive_filter *);
/* With any include, only what one of them matches passes. What a drive has not told yet neither keeps it out nor in: a
 * drive passes until it is identified, unless its device decides. */
bool drive_filter_passes(const struct drive_filter *, const struct drive *);
/* The same for one that is gone, which has no device. */
bool drive_filter_passes_known(const struct drive_filter *, const char *model, const char *serial, const char *transport);
