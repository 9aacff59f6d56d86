/* This host's drives, through sd-device. Nothing here sends a command: only links and attributes that the kernel answers
 * out of its memory are looked at. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-device.h>

#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/sysfs.h"
#include "discover/drive.h"

static void enumerator_unrefp(sd_device_enumerator **e)
{
	sd_device_enumerator_unref(*e);
}

static void read_text(const char *dir, const char *attribute, char *out, size_t size)
{
	char value[SYSFS_VALUE_MAX];
	ssize_t n = sysfs_read(dir, attribute, value, sizeof value);
	struct bytes b = bytes_of(value, n > 0 ? (size_t)n : 0);
	char trimmed[SYSFS_VALUE_MAX];

	bytes_text(&b, b.left, trimmed);
	text_copy(out, size, trimmed);
}

/* Unit Serial Number as the SCSI midlayer cached it (SPC, VPD page 80h). */
static void read_cached_serial(const char *dir, char *out, size_t size)
{
	char raw[SYSFS_VALUE_MAX];
	ssize_t n = sysfs_read(dir, "device/vpd_pg80", raw, sizeof raw);
	struct bytes b = bytes_of(raw, n > 0 ? (size_t)n : 0), value;

	bytes_skip(&b, 2);
	value = bytes_take(&b, bytes_be(&b, 2));
	if (b.torn)
		return;
	facts_text(value, out, size);
}

static const char *property(sd_device *device, const char *name)
{
	const char *value;

	return sd_device_get_property_value(device, name, &value) < 0 ? "" : value;
}

static void scsi_hints(sd_device *device, const char *dir, struct device *d)
{
	char vendor[16], wwid[256], serial[65] = "";

	read_text(dir, "device/vendor", vendor, sizeof vendor);
	d->transport = !strcmp(vendor, "ATA") ? TRANSPORT_ATA : TRANSPORT_SCSI;
	read_text(dir, "device/wwid", wwid, sizeof wwid);
	wwn_from_wwid(wwid, d->wwn);
	read_cached_serial(dir, serial, sizeof serial);
	if (d->transport == TRANSPORT_SCSI) {
		read_text(dir, "device/model", d->model, sizeof d->model);
		text_copy(d->serial, sizeof d->serial, serial);
	} else {	/* sysfs cuts an ATA model at 16 characters; udev has it whole */
		text_copy(d->model, sizeof d->model, property(device, "ID_MODEL"));
		text_copy(d->serial, sizeof d->serial, property(device, "ID_SERIAL_SHORT"));
	}
	/* Not by udev's serial, which may come later than the first scan. */
	(void)group_of_name(d->wwn, serial, d->group, sizeof d->group);
}

static bool is_scsi(const char *dir)
{
	char subsystem[64], type[16];

	if (!sysfs_link_name(dir, "device/subsystem", subsystem, sizeof subsystem))
		return !strcmp(subsystem, "scsi");
	return sysfs_read(dir, "device/type", type, sizeof type) > 0;
}

/* nvme0n1 and nvme0c1n1 to nvme0. */
static bool nvme_controller_name(const char *block, char *out, size_t size)
{
	size_t digits = strspn(block + 4, "0123456789");

	if (strncmp(block, "nvme", 4) || !digits || 4 + digits >= size)
		return false;
	memcpy(out, block, 4 + digits);
	out[4 + digits] = 0;
	return true;
}

static void nvme_group(const char *dir, struct device *d)
{
	char nqn[256];

	read_text(dir, "model", d->model, sizeof d->model);
	read_text(dir, "serial", d->serial, sizeof d->serial);
	read_text(dir, "subsysnqn", nqn, sizeof nqn);
	if (nqn[0] || d->serial[0])
		snprintf(d->group, sizeof d->group, "nvme:%.60s:%.50s:%s", nqn, d->serial, d->model);
}

static void nvme_namespace(const char *dir, struct device *d)
{
	char controller[NODE_NAME_MAX], path[SYSFS_PATH_MAX + 8];
	uint64_t nsid;

	d->transport = TRANSPORT_NVME;
	d->nsid = !sysfs_read_u64(dir, "nsid", &nsid) && nsid <= UINT32_MAX ? (uint32_t)nsid : device_nsid_from_name(d->name);
	/* `device` is the controller or, with native multipath, the subsystem: both have model, serial, subsysnqn. */
	snprintf(path, sizeof path, "%s/device", dir);
	nvme_group(path, d);
	if (nvme_controller_name(d->name, controller, sizeof controller))
		text_copy(d->host, sizeof d->host, controller);
}

static bool is_skipped(const char *name, const char *dir)
{
	uint64_t hidden = 0, size = 0, removable = 0;

	if (kind_is_no_drive(name))
		return true;
	(void)sysfs_read_u64(dir, "hidden", &hidden);	/* nvme0c0n1: a path of nvme0n1 */
	(void)sysfs_read_u64(dir, "size", &size);
	(void)sysfs_read_u64(dir, "removable", &removable);
	return hidden || (removable && !size);		/* a card reader without a card */
}

static void block_geometry(const char *dir, struct device *d)
{
	uint64_t v;

	if (!sysfs_read_u64(dir, "size", &v) && v < UINT64_MAX / 512)
		d->size_bytes = v * 512;	/* always in 512 bytes, whatever the logical block */
	if (!sysfs_read_u64(dir, "queue/logical_block_size", &v) && v <= UINT32_MAX)
		d->logical_block = (uint32_t)v;
	if (!sysfs_read_u64(dir, "queue/rotational", &v))
		d->rotational = v != 0;
	if (!sysfs_read_u64(dir, "diskseq", &v))
		d->diskseq = v;
}

static void place(const char *dir, struct device *d)
{
	char devpath[PATH_MAX];

	if (sysfs_resolve(dir, devpath, sizeof devpath))
		return;
	if (strlen(devpath) < sizeof d->devpath)
		text_copy(d->devpath, sizeof d->devpath, devpath);
	device_path_from_devpath(devpath, d->name, d->path, sizeof d->path);
	if (!d->host[0])
		device_host_from_devpath(devpath, d->host, sizeof d->host);
	d->is_sas = strstr(devpath, "/end_device-") != NULL;
}

/* Its error handler runs: no disk of it is sent anything, though each is called running (scsi_sysfs.c, shost_states). */
static bool is_host_recovering(const char *host)
{
	char dir[SYSFS_PATH_MAX], state[32] = "";

	snprintf(dir, sizeof dir, "/sys/class/scsi_host/%s", host);
	read_text(dir, "state", state, sizeof state);
	return strstr(state, "recovery");
}

void discover_refresh_state(struct device *d)
{
	char dir[SYSFS_PATH_MAX];

	if (d->source != SOURCE_HOST || !d->is_askable)
		return;
	snprintf(dir, sizeof dir, d->is_controller ? "/sys/class/nvme/%s" : "/sys/block/%s", d->name);
	read_text(dir, d->is_controller ? "state" : "device/state", d->state, sizeof d->state);
	if (!d->is_controller && !strcmp(d->state, "running") && is_host_recovering(d->host))
		text_copy(d->state, sizeof d->state, DEVICE_HOST_RECOVERY);
}

static int add_block(sd_device *device, const char *name, struct device_list *list)
{
	char dir[SYSFS_PATH_MAX];
	struct device *d;

	snprintf(dir, sizeof dir, "/sys/block/%s", name);
	if (strlen(name) >= NODE_NAME_MAX || is_skipped(name, dir))
		return 0;
	d = device_list_add(list);
	if (!d)
		return -ENOMEM;
	d->source = SOURCE_HOST;
	text_copy(d->name, sizeof d->name, name);
	block_geometry(dir, d);
	snprintf(d->group, sizeof d->group, "device:%s:%llu", name, (unsigned long long)d->diskseq);
	if (!strncmp(name, "nvme", 4)) {
		nvme_namespace(dir, d);
	} else if (is_scsi(dir) && node_name_is_valid(name)) {
		d->is_askable = true;
		scsi_hints(device, dir, d);
		slot_from_sysfs(&d->slot, dir);
	}
	place(dir, d);
	discover_refresh_state(d);
	if (!d->host[0])
		text_copy(d->host, sizeof d->host, name);
	return 0;
}

/* Kernels built without advanced error reporting have none. */
static void pcie_errors(const char *dir, struct device *d)
{
	char text[2048];

	d->has_pcie_errors = true;
	for (size_t i = 0; i < N_PCIE_SEVERITIES; i++)
		d->has_pcie_errors &= sysfs_read(dir, nvme_pcie_error_attributes[i], text, sizeof text) > 0 &&
				      nvme_pcie_errors_from_text(text, &d->pcie_errors[i]);
}

static int add_controller(const char *name, struct device_list *list)
{
	char dir[SYSFS_PATH_MAX], transport[16], type[16], nqn[256];
	struct device *d;

	snprintf(dir, sizeof dir, "/sys/class/nvme/%s", name);
	if (!node_name_is_valid(name))
		return 0;
	read_text(dir, "transport", transport, sizeof transport);
	read_text(dir, "cntrltype", type, sizeof type);
	read_text(dir, "subsysnqn", nqn, sizeof nqn);
	d = device_list_add(list);
	if (!d)
		return -ENOMEM;
	d->source = SOURCE_HOST;
	text_copy(d->name, sizeof d->name, name);
	d->is_controller = d->is_askable = true;
	d->is_aside = nvme_is_aside(transport, type, nqn);
	d->transport = TRANSPORT_NVME;
	pcie_errors(dir, d);
	snprintf(d->group, sizeof d->group, "device:%s", name);
	nvme_group(dir, d);
	discover_refresh_state(d);
	text_copy(d->host, sizeof d->host, name);
	place(dir, d);
	return 0;
}

static int enumerate(const char *subsystem, sd_device_enumerator **ret)
{
	CLEANUP(enumerator_unrefp) sd_device_enumerator *e = NULL;
	int r = sd_device_enumerator_new(&e);

	if (r >= 0)
		r = sd_device_enumerator_allow_uninitialized(e);	/* without udev nothing is initialized */
	if (r >= 0)
		r = sd_device_enumerator_add_match_subsystem(e, subsystem, true);
	if (r < 0)
		return r;
	*ret = pointer_steal(&e);
	return 0;
}

static int list_blocks(struct device_list *list)
{
	CLEANUP(enumerator_unrefp) sd_device_enumerator *e = NULL;
	int r = enumerate("block", &e);

	if (r)
		return r;
	for (sd_device *d = sd_device_enumerator_get_device_first(e); d; d = sd_device_enumerator_get_device_next(e)) {
		const char *name, *type;

		if (sd_device_get_sysname(d, &name) < 0)
			continue;
		if (sd_device_get_devtype(d, &type) >= 0 && strcmp(type, "disk"))
			continue;
		r = add_block(d, name, list);
		if (r)
			return r;
	}
	return 0;
}

static int list_controllers(struct device_list *list)
{
	CLEANUP(enumerator_unrefp) sd_device_enumerator *e = NULL;
	int r = enumerate("nvme", &e);

	if (r)
		return r;
	for (sd_device *d = sd_device_enumerator_get_device_first(e); d; d = sd_device_enumerator_get_device_next(e)) {
		const char *name;

		if (sd_device_get_sysname(d, &name) >= 0 && (r = add_controller(name, list)))
			return r;
	}
	return 0;
}

int discover_host(struct device_list *ret)
{
	struct device_list list = { 0 };
	int r = list_controllers(&list);

	if (!r)
		r = list_blocks(&list);
	if (r) {
		device_list_free(&list);
		return r;
	}
	device_list_free(ret);
	*ret = list;
	return 0;
}
