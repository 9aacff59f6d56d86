/* What is a drive, and what only looks like one. */
#include <string.h>

#include "discover/drive.h"

/* Block devices without a drive of their own, or made of drives that are listed themselves. */
static const char *const no_drives[] = { "loop", "zram", "ram", "dm-", "md", "nbd", "rbd", "sr", "fd", "drbd", "bcache",
					 "ublkb", "nullb", "pmem", "zd" };

/* mmcblk0boot0, mmcblk0rpmb: parts of a memory card that the kernel shows as disks. */
static bool is_part_of_card(const char *device)
{
	return !strncmp(device, "mmcblk", 6) && (strstr(device, "boot") || strstr(device, "rpmb"));
}

bool kind_is_no_drive(const char *device)
{
	for (size_t i = 0; i < ARRAY_SIZE(no_drives); i++)
		if (!strncmp(device, no_drives[i], strlen(no_drives[i])))
			return true;
	return is_part_of_card(device);
}

/* Vendor and beginning of the product, as INQUIRY gives them ("" matches all); NVMe has no vendor. */
static const struct {
	const char *vendor, *model;
} virtual_disks[] = {
	{ "QEMU", "" }, { "VMware", "" }, { "VBOX", "" }, { "Msft", "Virtual" }, { "Xen", "" }, { "Google", "" },
	{ "LIO-ORG", "" }, { "IET", "" }, { "IQNBLOCK", "" }, { "FreeNAS", "" }, { "TrueNAS", "" }, { "SYNOLOGY", "" },
	{ "DELL", "PERC" }, { "DELL", "Virtual Disk" }, { "LSI", "MR" }, { "LSI", "MegaRAID" }, { "AVAGO", "" },
	{ "BROADCOM", "MR" }, { "HP", "LOGICAL VOLUME" }, { "HPE", "LOGICAL VOLUME" }, { "Adaptec", "" },
	{ "Intel", "Raid" }, { "LSILOGIC", "Logical Volume" }, { "Lenovo", "RAID" }, { "IBM", "ServeRAID" },
	{ "LSI", "Logical Volume" }, { "ATA", "QEMU HARDDISK" },
	{ "NETAPP", "LUN" }, { "PURE", "FlashArray" }, { "3PARdata", "VV" }, { "DGC", "" }, { "EMC", "SYMMETRIX" },
	{ "HITACHI", "OPEN-" }, { "IBM", "2107" }, { "IBM", "2145" }, { "COMPELNT", "" }, { "Nimble", "" },
	{ "DELL", "MD3" }, { "HPE", "MSA" },
	{ "", "Amazon Elastic Block Store" }, { "", "nvme_card-pd" }, { "", "QEMU HARDDISK" },
	{ "", "QEMU NVMe Ctrl" }, { "", "VBOX HARDDISK" }, { "", "ORCL-VBOX-NVME" }, { "", "VMware Virtual" },
};

bool kind_is_virtual(const char *vendor, const char *model)
{
	for (size_t i = 0; i < ARRAY_SIZE(virtual_disks); i++) {
		const char *m = virtual_disks[i].model;

		if (!strcmp(vendor, virtual_disks[i].vendor) && !strncmp(model, m, strlen(m)))
			return true;
	}
	return false;
}
