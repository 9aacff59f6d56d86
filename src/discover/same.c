/* Which devices are one drive. Two paths to a SAS drive are two block devices with one logical unit name; what only looks
 * so, like disks to which a maker or a bridge gave one name, must stay apart: the numbers of two would mix. */
#include <stdio.h>
#include <string.h>

#include "discover/drive.h"

bool wwn_is_name(const char *digits)
{
	size_t n = strlen(digits);

	return n >= 16 && n <= 32 && strspn(digits, "0123456789abcdef") == n && strspn(digits + 1, "0") < n - 1 &&
	       strspn(digits + 1, "f") < n - 1;		/* after the digit that says what kind of name it is */
}

void wwn_from_wwid(const char *wwid, char wwn[33])
{
	wwn[0] = 0;
	if (!strncmp(wwid, "naa.", 4) && wwn_is_name(wwid + 4))
		text_copy(wwn, 33, wwid + 4);
}

bool group_of_name(const char *wwn, const char *serial, char *group, size_t size)
{
	if (!wwn_is_name(wwn) || label_is_placeholder(serial))
		return false;
	snprintf(group, size, "wwn:%s:%s", wwn, serial);
	return true;
}

static bool differ(uint64_t a, uint64_t b)
{
	return a && b && a != b;
}

/* "0:0:3:0" and "0:0:3:1": paths to one unit lead through different targets. */
static bool are_units_of_one_target(const struct device *a, const struct device *b)
{
	const char *unit = strrchr(a->path, ':');
	size_t target = unit ? (size_t)(unit - a->path) + 1 : 0;

	return target && !strncmp(a->path, b->path, target) && strcmp(a->path, b->path);
}

/* What bridges tell of the disk behind them is often their own, and the same of each; and USB has one path to a disk. */
static bool is_usb(const struct device *d)
{
	return strstr(d->devpath, "/usb");
}

static bool is_scsi_of_host(const struct device *d)
{
	return d->source == SOURCE_HOST && d->transport != TRANSPORT_NVME;
}

/* Does nothing that the kernel knows speak against these two being paths to one logical unit? Drives of a replay and of
 * NVMe go by their group alone: a capture is one drive, and namespaces differ in size. */
static bool may_be_one(const struct device *a, const struct device *b)
{
	if (a->source != b->source)
		return false;
	if (!is_scsi_of_host(a) || !is_scsi_of_host(b))
		return true;
	return a->transport == b->transport && !differ(a->size_bytes, b->size_bytes) && !is_usb(a) && !is_usb(b) &&
	       !are_units_of_one_target(a, b) && (!a->wwn[0] || !b->wwn[0] || !strcmp(a->wwn, b->wwn));
}

bool drive_takes(const struct drive *drive, const struct device *d)
{
	bool is_of_group = false;

	for (size_t i = 0; i < drive->n_devices; i++)
		is_of_group |= !strcmp(drive->devices[i].group, d->group);
	for (size_t i = 0; i < drive->n_devices && is_of_group; i++)
		if (!may_be_one(&drive->devices[i], d))
			return false;
	return is_of_group;
}

/* What the kernel has learned of it since is what the drive had told. */
static bool is_as_told(const struct drive *drive, const struct device *d)
{
	char group[sizeof d->group];

	return is_scsi_of_host(d) && drive->is_identified &&
	       group_of_name(drive->facts.wwn, drive->facts.serial, group, sizeof group) && !strcmp(group, d->group);
}

/* The kernel gives no diskseq twice, so a disk is known by it whatever else is learned of it. (A controller of NVMe has
 * none, and its namespaces stay with it.) */
static bool has_number_of(const struct device *had, const struct device *d)
{
	return is_scsi_of_host(d) && d->diskseq && d->diskseq == had->diskseq;
}

bool drive_has(const struct drive *drive, const struct device *d)
{
	for (size_t i = 0; i < drive->n_devices; i++) {
		const struct device *had = &drive->devices[i];

		if (!strcmp(had->name, d->name) && had->source == d->source &&
		    (!strcmp(had->group, d->group) || has_number_of(had, d) || is_as_told(drive, d)))
			return true;
	}
	return false;
}

/* Without diskseq another disk that comes in the place of one path would go for it. */
static bool are_paths_of_one(const struct drive *a, const struct drive *b)
{
	for (size_t i = 0; i < a->n_devices; i++)
		for (size_t k = 0; k < b->n_devices; k++)
			if (!a->devices[i].diskseq || !b->devices[k].diskseq || !is_scsi_of_host(&a->devices[i]) ||
			    !may_be_one(&a->devices[i], &b->devices[k]))
				return false;
	return true;
}

bool drive_is_same(const struct drive *a, const struct drive *b)
{
	const struct drive_facts *x = &a->facts, *y = &b->facts;

	return wwn_is_name(x->wwn) && !strcmp(x->wwn, y->wwn) &&
	       !label_is_placeholder(x->serial) && !strcmp(x->serial, y->serial) && x->model[0] &&
	       !strcmp(x->model, y->model) && !strcmp(x->vendor, y->vendor) &&
	       !differ(x->capacity_bytes, y->capacity_bytes) &&
	       !strcmp(drive_transport_name(a), drive_transport_name(b)) && are_paths_of_one(a, b);
}
