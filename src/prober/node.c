/* Opening is a side effect too: it can wake a disk, or reach another device than was meant. */
#include "prober/node.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/text.h"

static bool is_controller(const char *name)
{
	return !strncmp(name, "nvme", 4) && !strchr(name + 4, 'n');
}

/* MAJOR= and MINOR= of a uevent: what an NVMe controller's folder has where it lacks `dev`. */
static bool device_from_uevent(struct node *node)
{
	char uevent[SYSFS_VALUE_MAX];
	const char *major_at, *minor_at;

	if (sysfs_read(node->dir, "uevent", uevent, sizeof uevent) < 0)
		return false;
	major_at = strstr(uevent, "MAJOR=");
	minor_at = strstr(uevent, "MINOR=");
	return major_at && minor_at && sscanf(major_at, "MAJOR=%u", &node->device_major) == 1 &&
	       sscanf(minor_at, "MINOR=%u", &node->device_minor) == 1;
}

static bool read_device_number(struct node *node)
{
	char dev[32];

	if (sysfs_read(node->dir, "dev", dev, sizeof dev) > 0)
		return sscanf(dev, "%u:%u", &node->device_major, &node->device_minor) == 2;
	return device_from_uevent(node);
}

static bool has(const struct node *node, const char *attribute)
{
	char value[SYSFS_VALUE_MAX];

	return sysfs_read(node->dir, attribute, value, sizeof value) > 0;
}

/* A name alone proves nothing: the kernel must say that a SCSI or NVMe device stands behind it. */
static bool has_fitting_parent(const struct node *node)
{
	char subsystem[64];

	if (!node->is_block)
		return true;	/* found in the class of NVMe controllers */
	if (!sysfs_link_name(node->dir, "device/subsystem", subsystem, sizeof subsystem)) {
		if (node->kind == NODE_SCSI)
			return !strcmp(subsystem, "scsi");
		return !strcmp(subsystem, "nvme") || !strcmp(subsystem, "nvme-subsystem");
	}
	/* A made sysfs, without a bus: what only a SCSI device has. */
	return node->kind == NODE_SCSI && has(node, "device/type") &&
	       (has(node, "device/wwid") || (has(node, "device/vendor") && has(node, "device/model") &&
					     has(node, "device/rev")));
}

static bool is_suspended(const struct node *node)
{
	static const char *const attributes[] = { "device/power/runtime_status", "power/runtime_status" };
	char status[32];

	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		if (sysfs_read(node->dir, attributes[i], status, sizeof status) > 0 &&
		    (!strcmp(status, "suspended") || !strcmp(status, "suspending")))
			return true;
	return false;
}

int node_host(const char *name, char *ret_host, size_t size)
{
	char path[64], resolved[SYSFS_PATH_MAX];
	const char *at;
	size_t n;
	int r;

	snprintf(path, sizeof path, "/sys/block/%s/device", name);
	r = sysfs_resolve(path, resolved, sizeof resolved);
	if (r < 0)
		return r;
	at = strstr(resolved, "/host");
	if (!at)
		return -ENXIO;
	at++;
	n = strcspn(at, "/");
	if (n == 4 || strspn(at + 4, "0123456789") != n - 4)
		return -ENXIO;
	if (n >= size)
		return -ENAMETOOLONG;
	memcpy(ret_host, at, n);
	ret_host[n] = 0;
	return 0;
}

static bool is_one_of(const char *dir, const char *attribute, const char *const *words)
{
	char state[32] = "";

	if (sysfs_read(dir, attribute, state, sizeof state) <= 0)
		return false;
	for (; *words; words++)
		if (!strcmp(state, *words))
			return true;
	return false;
}

/* A command sent while the error handler of a SCSI host runs waits for it in state D, one to a disk whose transport is gone
 * until that is back or given up (scsi_sysfs.c, sdev_states and shost_states). */
static struct fail check_scsi(const struct node *node)
{
	static const char *const recovering[] = { "recovery", "cancel/recovery", "deleted/recovery", NULL };
	static const char *const blocked[] = { "blocked", "created-blocked", "quiesce", NULL };
	char dir[64], host[24];

	if (is_one_of(node->dir, "device/state", blocked))
		return fail_host(FAIL_HOST_RECOVERING);
	if (node_host(node->name, host, sizeof host))
		return OK;
	snprintf(dir, sizeof dir, "/sys/class/scsi_host/%s", host);
	return is_one_of(dir, "state", recovering) ? fail_host(FAIL_HOST_RECOVERING) : OK;
}

/* So does one to an NVMe controller that is being reset. */
static struct fail check_way(const struct node *node)
{
	char state[32] = "";

	if (node->kind == NODE_SCSI)
		return check_scsi(node);
	if (node->is_block || sysfs_read(node->dir, "state", state, sizeof state) <= 0 || !strcmp(state, "live"))
		return OK;
	if (!strncmp(state, "resetting", 9) || !strcmp(state, "connecting"))
		return fail_host(FAIL_HOST_RECOVERING);
	return fail_os(ENODEV, "controller");	/* dead, deleting */
}

uint64_t node_diskseq(const struct node *node)
{
	uint64_t diskseq = 0;

	if (!node->is_block || sysfs_read_u64(node->dir, "diskseq", &diskseq))
		return 0;
	return diskseq;
}

struct fail node_find(const char *name, struct node *ret)
{
	struct node node = { .name = name, .fd = -1, .is_block = !is_controller(name),
			     .kind = strncmp(name, "nvme", 4) ? NODE_SCSI : NODE_NVME };

	snprintf(node.dir, sizeof node.dir, node.is_block ? "/sys/block/%.32s" : "/sys/class/nvme/%.32s", name);
	if (!read_device_number(&node) || !has_fitting_parent(&node))
		return fail_os(ENODEV, "node");
	node.diskseq = node_diskseq(&node);
	node.is_asleep = is_suspended(&node);
	*ret = node;
	return check_way(&node);
}

struct fail node_open(struct node *node)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof path, "/dev/%.32s", node->name);
	AUTO_FD pinned = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (pinned < 0)
		return fail_open(errno);
	if (fstat(pinned, &st))
		return fail_os(errno, "stat");
	if ((node->is_block ? !S_ISBLK(st.st_mode) : !S_ISCHR(st.st_mode)) ||
	    st.st_rdev != makedev(node->device_major, node->device_minor))
		return fail_os(ENODEV, "node");
	snprintf(path, sizeof path, "/proc/self/fd/%d", pinned);
	node->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return node->fd < 0 ? fail_open(errno) : OK;
}

void node_close(struct node *node)
{
	fd_closep(&node->fd);
}
