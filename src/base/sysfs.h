/* The one door to /sys, and a list of what may pass it: attributes that the kernel answers out of its memory. Those
 * that reach hardware (sas_phy counters, enclosure status, PCIe link of a sleeping device, hwmon) are not on the list:
 * they are commands of the prober, or not read at all. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { SYSFS_VALUE_MAX = 4096, SYSFS_PATH_MAX = 512 };

/* Reads DIR/ATTRIBUTE, e.g. ("/sys/block/sda", "queue/rotational"). Returns the number of bytes, value NUL-terminated
 * and trailing white space cut; binary attributes (vpd_pg80, ...) keep theirs. -EACCES if the attribute is not on the
 * list, else a negative errno. */
ssize_t sysfs_read(const char *dir, const char *attribute, char *value, size_t size);

/* The same, parsed as a decimal or 0x-hexadecimal number. */
int sysfs_read_u64(const char *dir, const char *attribute, uint64_t *ret);

/* Where a link below /sys leads, resolved: no attribute is opened. Returns 0 or a negative errno. */
int sysfs_resolve(const char *path, char *resolved, size_t size);

/* The last part of where DIR/LINK points ("subsystem" to "scsi"). Returns 0 or a negative errno. */
int sysfs_link_name(const char *dir, const char *link, char *name, size_t size);

/* The link in DIR whose name begins with PREFIX; of several the first in the order of their bytes, so that it is the same
 * one each time. Names that do not fit are passed over. Returns 0, -ENOENT where there is none, or a negative errno. */
int sysfs_find_link(const char *dir, const char *prefix, char *name, size_t size);

bool sysfs_is_safe(const char *attribute);
