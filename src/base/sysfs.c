#include "base/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"

/* Relative to /sys/block/NAME or /sys/class/nvme/NAME, or to a folder of the enclosure class. Each is answered by the
 * kernel without a command. */
static const char *const safe[] = {
	"size", "dev", "diskseq", "hidden", "removable", "ro", "stat", "wwid", "nsid", "uevent",
	"queue/rotational", "queue/logical_block_size", "queue/physical_block_size",
	"device/vendor", "device/model", "device/rev", "device/type", "device/wwid", "device/state",
	"device/inquiry", "device/vpd_pg80", "device/vpd_pg83", "device/vpd_pgb1",	/* cached by the SCSI midlayer */
	"device/ioerr_cnt", "device/iorequest_cnt", "device/iodone_cnt", "device/iotmo_cnt",
	"model", "serial", "firmware_rev", "subsysnqn", "cntlid", "cntrltype", "transport", "address", "state",
	"device/aer_dev_correctable", "device/aer_dev_nonfatal", "device/aer_dev_fatal",	/* counted by the AER driver */
	"power/runtime_status", "device/power/runtime_status",
	/* Kept by drivers/misc/enclosure.c and ses.c; their other attributes (status, fault, active, locate,
	 * power_status) are asked of the enclosure. */
	"id", "slot", "type",
};

bool sysfs_is_safe(const char *attribute)
{
	for (size_t i = 0; i < ARRAY_SIZE(safe); i++)
		if (!strcmp(attribute, safe[i]))
			return true;
	return false;
}

static bool is_binary(const char *attribute)
{
	return strstr(attribute, "vpd_pg") || strstr(attribute, "inquiry");
}

ssize_t sysfs_read(const char *dir, const char *attribute, char *value, size_t size)
{
	char path[SYSFS_PATH_MAX];
	ssize_t n;

	if (!sysfs_is_safe(attribute))
		return -EACCES;
	if (snprintf(path, sizeof path, "%s/%s", dir, attribute) >= (int)sizeof path)
		return -ENAMETOOLONG;
	AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	n = read(fd, value, size - 1);
	if (n < 0)
		return -errno;
	if (!is_binary(attribute))
		while (n > 0 && strchr(" \t\n", value[n - 1]))
			n--;
	value[n] = 0;
	return n;
}

int sysfs_read_u64(const char *dir, const char *attribute, uint64_t *ret)
{
	char value[64], *end;
	ssize_t n = sysfs_read(dir, attribute, value, sizeof value);
	bool is_hex;

	if (n < 0)
		return (int)n;
	is_hex = !strncmp(value, "0x", 2);
	if (n == 0 || value[0] == '-')
		return -EINVAL;
	errno = 0;
	*ret = strtoull(value, &end, is_hex ? 16 : 10);
	return errno || *end ? -EINVAL : 0;
}

int sysfs_resolve(const char *path, char *resolved, size_t size)
{
	AUTO_FREE char *real = realpath(path, NULL);

	if (!real)
		return -errno;
	if (strlen(real) >= size)
		return -ENAMETOOLONG;
	strcpy(resolved, real);
	return 0;
}

int sysfs_link_name(const char *dir, const char *link, char *name, size_t size)
{
	char path[SYSFS_PATH_MAX], target[PATH_MAX];
	const char *last;
	ssize_t n;

	if (snprintf(path, sizeof path, "%s/%s", dir, link) >= (int)sizeof path)
		return -ENAMETOOLONG;
	n = readlink(path, target, sizeof target - 1);
	if (n < 0)
		return -errno;
	target[n] = 0;
	last = strrchr(target, '/');
	last = last ? last + 1 : target;
	if (strlen(last) >= size)
		return -ENAMETOOLONG;
	strcpy(name, last);
	return 0;
}

static void dir_closep(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static bool is_link(DIR *dir, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_LNK;
	return !fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISLNK(st.st_mode);
}

int sysfs_find_link(const char *dir, const char *prefix, char *name, size_t size)
{
	CLEANUP(dir_closep) DIR *folder = opendir(dir);
	const struct dirent *entry;
	bool is_found = false;

	if (!folder)
		return -errno;
	while (errno = 0, (entry = readdir(folder))) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)) || strlen(entry->d_name) >= size || !is_link(folder, entry))
			continue;
		if (!is_found || strcmp(entry->d_name, name) < 0)
			strcpy(name, entry->d_name);
		is_found = true;
	}
	return errno ? -errno : is_found ? 0 : -ENOENT;
}
