#include "discover/drive.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

static void drive_free(struct drive *drive)
{
	free(drive->devices);
	free(drive);
}

#define NAMELESS "unidentified_"

bool drive_is_nameless(const struct drive *drive)
{
	return !drive->is_identified && !strncmp(drive->label, NAMELESS, strlen(NAMELESS));
}

/* Until the drive has told who it is: what sysfs or udev know, else where it sits. */
static void label_from_hints(const struct drive_table *table, struct drive *drive)
{
	const struct device *hint = &drive->devices[0];

	drive->label[0] = 0;
	if (hint->model[0] && hint->serial[0] && !label_is_placeholder(hint->serial))
		label_plain(hint->model, hint->serial, drive->label, sizeof drive->label);
	for (size_t i = 0; i < table->n && drive->label[0]; i++)
		if (table->at[i] != drive && !strcmp(table->at[i]->label, drive->label))
			drive->label[0] = 0;
	if (!drive->label[0]) {
		char where[80];

		snprintf(drive->label, sizeof drive->label, NAMELESS "%s",
			 text_udev(hint->path[0] ? hint->path : hint->name, where, sizeof where));
	}
	for (unsigned n = 2, i = 0; i < table->n; i++)		/* two hosts with a 0:0:0:0, or a host beside a replay */
		if (table->at[i] != drive && !strcmp(table->at[i]->label, drive->label)) {
			snprintf(drive->label, sizeof drive->label, NAMELESS "%.60s_%u", hint->name, n++);
			i = (unsigned)-1;
		}
}

/* A controller for discovery or administration only, where the kernel does not say so: as it told itself (NVM Express base,
 * CNTRLTYPE). */
static bool is_controller_alone(const struct drive *drive)
{
	return drive->facts.transport == TRANSPORT_NVME && drive->facts.nvme_is_aside;
}

static bool is_excluded(const struct drive_table *table, const struct drive *drive)
{
	return (!table->has_fabrics && is_controller_alone(drive)) || !drive_filter_passes(table->filter, drive);
}

static bool has_askable(const struct drive *drive)
{
	return drive_node(drive, 0) != NULL;
}

static struct drive *drive_new(struct drive_table *table, const struct device *first)
{
	struct drive *drive;

	if (!ARRAY_GROW(table->at, table->room, table->n))
		return NULL;
	drive = calloc(1, sizeof *drive);
	if (!drive)
		return NULL;
	drive->source = first->source;
	drive->facts.transport = first->transport;
	drive->facts.rpm = -1;
	text_copy(drive->group, sizeof drive->group, first->group);
	table->at[table->n++] = drive;
	return drive;
}

void drive_table_remove(struct drive_table *table, struct drive *drive)
{
	for (size_t i = 0; i < table->n; i++) {
		if (table->at[i] != drive)
			continue;
		table->events.removed(table->events.context, drive);
		memmove(table->at + i, table->at + i + 1, (table->n - i - 1) * sizeof(struct drive *));
		table->n--;
		drive_free(drive);
		return;
	}
}

void drive_table_free(struct drive_table *table)
{
	while (table->n)
		drive_table_remove(table, table->at[table->n - 1]);
	free(table->at);
	table->at = NULL;
	table->room = 0;
}

/* Which drive of the table each device of the list belongs to, as the table stands; NULL: to none yet. */
static struct drive *owner_of(const struct drive_table *table, const struct device *d)
{
	for (size_t i = 0; i < table->n; i++)
		if (drive_has(table->at[i], d))
			return table->at[i];
	for (size_t i = 0; i < table->n; i++)
		if (drive_takes(table->at[i], d))
			return table->at[i];
	return NULL;
}

static struct drive **owners_of(const struct drive_table *table, const struct device_list *list)
{
	struct drive **owners = calloc(list->n ? list->n : 1, sizeof(struct drive *));

	for (size_t i = 0; i < list->n && owners; i++)
		owners[i] = owner_of(table, &list->at[i]);
	return owners;
}

static size_t count_owned(struct drive *const *owners, size_t n, const struct drive *drive)
{
	size_t owned = 0;

	for (size_t i = 0; i < n; i++)
		owned += owners[i] == drive;
	return owned;
}

/* The drive's devices become those it owns in the list. */
static int take_devices(struct drive *drive, const struct device_list *list, struct drive *const *owners)
{
	struct device *devices = calloc(count_owned(owners, list->n, drive), sizeof *devices);
	size_t n = 0;

	if (!devices)
		return -ENOMEM;
	for (size_t i = 0; i < list->n; i++)
		if (owners[i] == drive)
			devices[n++] = list->at[i];
	free(drive->devices);
	drive->devices = devices;
	drive->n_devices = n;
	return 0;
}

static bool add_devices(struct drive *drive, const struct device *devices, size_t n)
{
	struct device *grown = reallocarray(drive->devices, drive->n_devices + n, sizeof *grown);

	if (!grown)
		return false;
	memcpy(grown + drive->n_devices, devices, n * sizeof *grown);
	drive->devices = grown;
	drive->n_devices += n;
	return true;
}

/* A drive of the first device, and of those after it that go with all before them. */
static int add_drive(struct drive_table *table, const struct device_list *list, struct drive **owners, size_t first)
{
	struct drive *drive = drive_new(table, &list->at[first]);
	bool is_whole = drive;

	for (size_t i = first; i < list->n && is_whole; i++) {
		if (owners[i] || (i > first && !drive_takes(drive, &list->at[i])))
			continue;
		owners[i] = drive;
		is_whole = add_devices(drive, &list->at[i], 1);
	}
	if (!is_whole) {
		if (drive) {
			table->n--;
			drive_free(drive);
		}
		return -ENOMEM;
	}
	drive->is_virtual = !has_askable(drive);
	if (drive->is_virtual)		/* nobody will ask it: what the block layer says must do */
		drive->facts.capacity_bytes = drive->devices[0].size_bytes;
	label_from_hints(table, drive);
	drive->is_excluded = is_excluded(table, drive);
	table->events.added(table->events.context, drive);
	return 0;
}

static int add_drives(struct drive_table *table, const struct device_list *list, struct drive **owners)
{
	for (size_t i = 0; i < list->n; i++) {
		int r = owners[i] ? 0 : add_drive(table, list, owners, i);

		if (r)
			return r;
	}
	return 0;
}

int drive_table_update(struct drive_table *table, enum device_source source, const struct device_list *list)
{
	AUTO_FREE struct drive **owners = owners_of(table, list);

	if (!owners)
		return -ENOMEM;
	for (size_t i = table->n; i-- > 0;)
		if (table->at[i]->source == source && !count_owned(owners, list->n, table->at[i]))
			drive_table_remove(table, table->at[i]);
	for (size_t i = 0; i < table->n; i++) {
		struct drive *drive = table->at[i];
		int r = drive->source == source ? take_devices(drive, list, owners) : 0;

		if (r)
			return r;
		drive->is_excluded = is_excluded(table, drive);
	}
	return add_drives(table, list, owners);
}

void drive_table_replace(struct drive_table *table, struct drive *drive)
{
	struct device_list list = { 0 };
	AUTO_FREE struct drive **owners = NULL;

	for (size_t i = 0; i < drive->n_devices; i++) {
		struct device *copy = device_list_add(&list);

		if (!copy)
			continue;
		*copy = drive->devices[i];
		copy->model[0] = copy->serial[0] = copy->wwn[0] = 0;	/* they told of the one before */
	}
	drive_table_remove(table, drive);
	owners = calloc(list.n ? list.n : 1, sizeof(struct drive *));
	if (owners)
		(void)add_drives(table, &list, owners);
	device_list_free(&list);
}

/* Another path to this drive, that told who it is before: two paths of which the kernel did not know that. */
static struct drive *known_as(const struct drive_table *table, const struct drive *drive)
{
	for (size_t i = 0; i < table->n; i++)
		if (table->at[i] != drive && table->at[i]->is_identified && drive_is_same(table->at[i], drive))
			return table->at[i];
	return NULL;
}

/* As sd-device lists them: the first gives the drive its path, whichever was asked first. */
static int by_devpath(const void *a, const void *b)
{
	const struct device *x = a, *y = b;
	int r = strcmp(x->devpath, y->devpath);

	return r ? r : strcmp(x->name, y->name);
}

bool drive_identified(struct drive_table *table, struct drive *drive)
{
	struct drive *known = known_as(table, drive);

	if (known && add_devices(known, drive->devices, drive->n_devices)) {
		qsort(known->devices, known->n_devices, sizeof *known->devices, by_devpath);
		known->is_excluded = is_excluded(table, known);
		drive->n_devices = 0;		/* handed over */
		drive_table_remove(table, drive);
		return false;
	}
	drive->is_identified = true;
	label_settle(table, drive);
	drive->is_virtual = kind_is_virtual(drive->facts.vendor, drive->facts.model);
	if (drive->is_virtual && !drive->facts.capacity_bytes)	/* it is asked no more */
		drive->facts.capacity_bytes = drive_capacity_bytes_known(drive);
	drive->is_excluded = is_excluded(table, drive);
	return true;
}

const struct device *drive_node(const struct drive *drive, size_t turn)
{
	size_t n = 0;

	for (int controllers = 1; controllers >= 0; controllers--) {
		size_t before = n;

		for (size_t i = 0; i < drive->n_devices; i++)
			n += drive->devices[i].is_askable && drive->devices[i].is_controller == controllers;
		if (n == before)
			continue;
		turn %= n;
		for (size_t i = 0; i < drive->n_devices; i++)
			if (drive->devices[i].is_askable && drive->devices[i].is_controller == controllers && turn-- == 0)
				return &drive->devices[i];
	}
	return NULL;
}

const struct device *drive_block_device(const struct drive *drive)
{
	for (size_t i = 0; i < drive->n_devices; i++)
		if (!drive->devices[i].is_controller)
			return &drive->devices[i];
	return NULL;
}

const struct device_slot *drive_slot(const struct drive *drive)
{
	for (size_t i = 0; i < drive->n_devices; i++)
		if (drive->devices[i].slot.enclosure[0])
			return &drive->devices[i].slot;
	return &drive->devices[0].slot;
}

/* IDENTIFY word 76: 0 and FFFFh are parallel ATA (ACS, Serial ATA Capabilities). */
static bool is_serial_ata(const struct drive_facts *facts)
{
	unsigned word = facts->identify[152] | (unsigned)facts->identify[153] << 8;

	return !facts->has_identify || (word != 0 && word != 0xffff);
}

const char *drive_transport_name(const struct drive *drive)
{
	if (!has_askable(drive))
		return "virtual";
	switch (drive->facts.transport) {
	case TRANSPORT_NVME:
		return "nvme";
	case TRANSPORT_ATA:
		return is_serial_ata(&drive->facts) ? "sata" : "ata";
	case TRANSPORT_SCSI:
		return drive->facts.is_sas || drive->devices[0].is_sas ? "sas" : "scsi";
	case N_TRANSPORTS:
		break;
	}
	return "";
}

const char *drive_type_name(const struct drive *drive)
{
	const struct device *block = drive_block_device(drive);

	if (drive->facts.transport == TRANSPORT_NVME && !drive->is_virtual)
		return "ssd";
	if (drive->facts.rpm >= 0)
		return drive->facts.rpm ? "hdd" : "ssd";
	if (drive->is_virtual || !block || block->rotational < 0)
		return "";
	return block->rotational ? "hdd" : "ssd";
}

uint64_t drive_capacity_bytes_known(const struct drive *drive)
{
	const struct drive_facts *facts = &drive->facts;
	uint64_t told = facts->capacity_bytes ? facts->capacity_bytes : facts_nvme_capacity(facts);

	if (told || facts->n_namespaces || !drive_block_device(drive))	/* the first of several namespaces is not all */
		return told;
	return drive_block_device(drive)->size_bytes;
}
