/* NVMe log 03h, the firmware that the controller holds (NVM Express base, Firmware Slot Information log page). */
#include <stdio.h>

#include "page/nvme_page.h"
#include "page/pages.h"

enum { LOG_BYTES = 512, SLOTS = 7, REVISION_AT = 8, REVISION_BYTES = 8 };

static void slot_put(unsigned slot, struct bytes revision, struct sample_sink *to)
{
	char number[12], firmware[REVISION_BYTES + 1];

	facts_text(revision, firmware, sizeof firmware);
	snprintf(number, sizeof number, "%u", slot);
	if (firmware[0])	/* else nothing is in it */
		sample_put(to, &(struct sample){ .family = drive_nvme_firmware_slot_info, .is_dynamic = true,
						 .label = { number, firmware }, .value = 1 });
}

static struct fail decode(const struct page *page, struct bytes in, const struct drive_facts *facts, struct sample_sink *to)
{
	struct bytes log;
	struct fail f = nvme_log_take(page, in, LOG_BYTES, false, &log);
	uint64_t slots = nvme_number(log, 0, 1), active = slots & 7, next = slots >> 4 & 7;	/* AFI; 0: none */

	if (failed(f))
		return f;
	for (unsigned slot = 1; slot <= SLOTS; slot++)
		slot_put(slot, bytes_at(log, REVISION_AT * (size_t)slot, REVISION_BYTES), to);
	if (active)
		page_put(to, drive_nvme_firmware_active_slot, NULL, NULL, (double)active);
	if (next)
		page_put(to, drive_nvme_firmware_next_slot, NULL, NULL, (double)next);
	return OK;
}

static bool is_offered(const struct page *page, const struct drive_facts *facts)
{
	return nvme_log_is_listed(facts, NVME_LOG_FIRMWARE);
}

static const struct page_told told[] = {
	{ drive_nvme_firmware_slot_info, "NVM Express base, Firmware Slot Information, FRS1 to FRS7" },
	{ drive_nvme_firmware_active_slot, "NVM Express base, Firmware Slot Information, AFI bits 2:0" },
	{ drive_nvme_firmware_next_slot, "NVM Express base, Firmware Slot Information, AFI bits 6:4" },
};

const struct page nvme_firmware = {
	.name = "NVMe log 0x03", NVME_LOG(NVME_LOG_FIRMWARE), .period_s = 3600, .is_offered = is_offered, .decode = decode,
	.told = told, .n_told = ARRAY_SIZE(told),
};
