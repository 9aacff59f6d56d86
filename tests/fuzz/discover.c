/* What the kernel and enclosures say of devices: uevents, and the texts of sysfs. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "discover/drive.h"
#include "discover/watch.h"

static void check_text(const char *text, size_t size)
{
	if (!memchr(text, 0, size))
		abort();
}

static void slots(const char *text)
{
	struct device_slot slot;

	(void)slot_from_link(&slot, text, text);
	(void)slot_from_link(&slot, SLOT_LINK "Slot 05", text);
	check_text(slot.enclosure, sizeof slot.enclosure);
	check_text(slot.component, sizeof slot.component);
	slot_take_id(&slot, text);
	slot_take_number(&slot, text);
	if (strlen(slot_enclosure(&slot)) >= sizeof slot.enclosure || strlen(slot_name(&slot)) >= sizeof slot.component)
		abort();
}

static void paths(const char *text)
{
	char path[64], host[NODE_NAME_MAX], wwn[33], label[DRIVE_LABEL_MAX];

	device_path_from_devpath(text, "sda", path, sizeof path);
	device_host_from_devpath(text, host, sizeof host);
	wwn_from_wwid(text, wwn);
	label_plain(text, text, label, sizeof label);
	check_text(path, sizeof path);
	check_text(host, sizeof host);
	check_text(label, sizeof label);
	if (wwn[0] && !wwn_is_name(wwn))
		abort();
	(void)device_nsid_from_name(text);
	(void)label_is_placeholder(text);
	(void)kind_is_no_drive(text);
	(void)kind_is_virtual(text, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	uint64_t errors;

	memcpy(text, data, size);	/* its end is watched by the sanitizer */
	(void)uevent_is_of_drive(text, size);
	text[size] = 0;
	slots(text);
	paths(text);
	(void)nvme_pcie_errors_from_text(text, &errors);
	(void)nvme_is_aside(text, text, text);
	free(text);
	return 0;
}
