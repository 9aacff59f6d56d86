/* A replay's drives: they come over the wire, since no such device is in this host's sysfs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "discover/drive.h"

static uint32_t nsid_of(const struct inventory_device *from)
{
	const char *said = inventory_sysfs(from, "nsid");
	uint64_t nsid;

	return said && text_to_u64(said, UINT32_MAX, &nsid) ? (uint32_t)nsid : device_nsid_from_name(from->name);
}

void discover_inventory_group(const char *key, char *group, size_t size)
{
	snprintf(group, size, "replay:%016llx", (unsigned long long)text_hash(key, strlen(key)));
}

/* An attribute below the enclosure's folder; what is too long is not told. */
static const char *enclosure_attribute(const struct inventory_device *from, const char *enclosure, const char *component,
				       const char *name)
{
	char path[256];
	int n = snprintf(path, sizeof path, "/sys/class/enclosure/%s%s%s/%s", enclosure, component ? "/" : "",
			 component ? component : "", name);
	const char *value = n < (int)sizeof path ? inventory_sysfs(from, path) : NULL;

	return value ? value : "";
}

/* Of several links the first in the order of their bytes, as slot_from_sysfs() takes them. */
static void take_slot(const struct inventory_device *from, struct device_slot *slot)
{
	static const char prefix[] = "device/" SLOT_LINK;
	const struct inventory_sysfs *link = NULL;
	const char *name;

	for (size_t i = 0; i < from->n_sysfs; i++)
		if (!strncmp(from->sysfs[i].path, prefix, strlen(prefix)) &&
		    strlen(from->sysfs[i].path) < strlen(prefix) + ENCLOSURE_NAME_MAX &&
		    (!link || strcmp(from->sysfs[i].path, link->path) < 0))
			link = &from->sysfs[i];
	if (!link)
		return;
	name = link->path + strlen("device/");
	if (!slot_from_link(slot, name, link->value))
		return;
	slot_take_id(slot, enclosure_attribute(from, slot->enclosure, NULL, "id"));
	slot_take_number(slot, enclosure_attribute(from, slot->enclosure, name + strlen(SLOT_LINK), "slot"));
}

static const char *attribute(const struct inventory_device *from, const char *name)
{
	const char *value = inventory_sysfs(from, name);

	return value ? value : "";
}

static void take_controller(const struct inventory_device *from, struct device *d)
{
	text_copy(d->model, sizeof d->model, attribute(from, "model"));
	text_copy(d->serial, sizeof d->serial, attribute(from, "serial"));
	d->is_aside = nvme_is_aside(attribute(from, "transport"), attribute(from, "cntrltype"), attribute(from, "subsysnqn"));
	d->has_pcie_errors = true;
	for (size_t i = 0; i < N_PCIE_SEVERITIES; i++)
		d->has_pcie_errors &= nvme_pcie_errors_from_text(attribute(from, nvme_pcie_error_attributes[i]), &d->pcie_errors[i]);
}

static void take_device(const struct inventory_drive *drive, const struct inventory_device *from, struct device *d)
{
	const char *devpath = from->devpath ? from->devpath : "";
	const char *wwid = inventory_sysfs(from, "device/wwid");
	const char *state = inventory_sysfs(from, from->is_controller ? "state" : "device/state");

	d->source = SOURCE_REPLAY;
	text_copy(d->name, sizeof d->name, from->name);
	d->is_controller = from->is_controller;
	d->transport = drive->transport;
	d->is_askable = drive->transport != TRANSPORT_NVME || from->is_controller;
	d->diskseq = from->diskseq;
	d->size_bytes = from->size;
	d->logical_block = from->logical_block;
	d->rotational = from->rotational;
	if (from->is_controller)
		take_controller(from, d);
	else if (drive->transport == TRANSPORT_NVME)
		d->nsid = nsid_of(from);
	discover_inventory_group(drive->key, d->group, sizeof d->group);
	text_copy(d->host, sizeof d->host, drive->devices[0].name);	/* a replay asks all drives side by side */
	if (strlen(devpath) < sizeof d->devpath)
		text_copy(d->devpath, sizeof d->devpath, devpath);
	device_path_from_devpath(devpath, from->name, d->path, sizeof d->path);
	d->is_sas = strstr(devpath, "/end_device-") != NULL;
	if (wwid)
		wwn_from_wwid(wwid, d->wwn);
	if (state)
		text_copy(d->state, sizeof d->state, state);
	memcpy(d->stat, from->stat, sizeof d->stat);
	d->n_stat = from->n_stat;
	take_slot(from, &d->slot);
}

/* On a host a namespace's folder leads to its controller, or to its subsystem, which both have them. */
static void share_names(struct device *devices, size_t n)
{
	const struct device *told = NULL;

	for (size_t i = 0; i < n && !told; i++)
		if (devices[i].is_controller && devices[i].serial[0])
			told = &devices[i];
	for (size_t i = 0; i < n && told; i++) {
		text_copy(devices[i].model, sizeof devices[i].model, told->model);
		text_copy(devices[i].serial, sizeof devices[i].serial, told->serial);
	}
}

int discover_inventory(const char *text, struct device_list *ret, char ret_key[INVENTORY_KEY_MAX])
{
	CLEANUP(inventory_freep) struct inventory_drive *drive = NULL;
	int r = inventory_parse(text, &drive);
	size_t n_before = ret->n;

	if (r)
		return r;
	text_copy(ret_key, INVENTORY_KEY_MAX, drive->key);
	for (size_t i = 0; i < drive->n_devices && drive->is_present; i++) {
		struct device *d = device_list_add(ret);

		if (!d)
			return -ENOMEM;
		take_device(drive, &drive->devices[i], d);
	}
	if (ret->n > n_before)
		share_names(ret->at + n_before, ret->n - n_before);
	return 0;
}
