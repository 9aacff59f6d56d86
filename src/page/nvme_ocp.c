/* OCP's extended health log, C0h (OCP Datacenter NVMe SSD Specification, SMART / Health Information Extended). Other makers
 * have other logs of that number: without OCP's GUID nothing in it is believed. */
#include <string.h>

#include "page/nvme_page.h"
#include "page/pages.h"

enum { VERSION_AT = 494, GUID_AT = 496, GUID_BYTES = 16, THROTTLING_AT = 97 };

#define SPEC(field) .spec = "OCP Datacenter NVMe SSD, log C0h, " field

/* By the version of the log in which they came, the old ones first. All ones: not told; the count of thermal throttling stops
 * there. */
static const struct page_field fields[] = {
	{ .at = 0, .width = 16, .absent = ABSENT_ONES, .rank = NVME_RANK_OCP, .family = drive_nand_written_bytes_total,
	  SPEC("Physical Media Units Written") },
	{ .at = 16, .width = 16, .absent = ABSENT_ONES, .rank = NVME_RANK_OCP, .family = drive_nand_read_bytes_total,
	  SPEC("Physical Media Units Read") },
	{ .at = 32, .width = 6, .absent = ABSENT_ONES, .family = drive_nvme_bad_blocks, .label = { "user" },
	  SPEC("Bad User NAND Blocks, raw") },
	{ .at = 38, .width = 2, .unit = RAW_PERCENT, .absent = ABSENT_ONES, .family = drive_nvme_bad_blocks_left_ratio,
	  .label = { "user" }, SPEC("Bad User NAND Blocks, normalized") },
	{ .at = 40, .width = 6, .absent = ABSENT_ONES, .family = drive_nvme_bad_blocks, .label = { "system" },
	  SPEC("Bad System NAND Blocks, raw") },
	{ .at = 46, .width = 2, .unit = RAW_PERCENT, .absent = ABSENT_ONES, .family = drive_nvme_bad_blocks_left_ratio,
	  .label = { "system" }, SPEC("Bad System NAND Blocks, normalized") },
	{ .at = 48, .width = 8, .absent = ABSENT_ONES, .family = drive_nvme_xor_recoveries_total, SPEC("XOR Recovery Count") },
	{ .at = 56, .width = 8, .absent = ABSENT_ONES, .family = drive_nvme_uncorrectable_reads_total,
	  SPEC("Uncorrectable Read Error Count") },
	{ .at = 64, .width = 8, .absent = ABSENT_ONES, .rank = NVME_RANK_OCP, .family = drive_nvme_soft_ecc_errors_total,
	  SPEC("Soft ECC Error Count") },
	{ .at = 72, .width = 4, .absent = ABSENT_ONES, .rank = NVME_RANK_OCP, .family = drive_nvme_end_to_end_errors_total,
	  .label = { "detected" },
	  SPEC("End to End Correction Counts, detected") },
	{ .at = 76, .width = 4, .absent = ABSENT_ONES, .rank = NVME_RANK_OCP, .family = drive_nvme_end_to_end_errors_total,
	  .label = { "corrected" },
	  SPEC("End to End Correction Counts, corrected") },
	{ .at = 80, .width = 1, .unit = RAW_PERCENT, .family = drive_nvme_system_data_used_ratio, SPEC("System Data % Used") },
	{ .at = 81, .width = 7, .absent = ABSENT_ONES, .family = drive_nvme_refreshes_total, SPEC("Refresh Counts") },
	{ .at = 88, .width = 4, .absent = ABSENT_ONES, .rank = NVME_RANK_OCP, .family = drive_nvme_erase_cycles,
	  .label = { "max" },
	  SPEC("User Data Erase Counts, maximum") },
	{ .at = 92, .width = 4, .absent = ABSENT_ONES, .rank = NVME_RANK_OCP, .family = drive_nvme_erase_cycles,
	  .label = { "min" },
	  SPEC("User Data Erase Counts, minimum") },
	{ .at = 96, .width = 1, .rank = NVME_RANK_OCP, .family = drive_nvme_throttling_events_total,
	  SPEC("Thermal Throttling Count") },
	{ .at = THROTTLING_AT, .width = 1, .absent = ABSENT_ONES, .family = drive_nvme_throttling_level,
	  SPEC("Thermal Throttling Status") },
	{ .at = 104, .width = 8, .absent = ABSENT_ONES, .family = drive_link_errors_total,
	  .label = { "0", "pcie_correctable", "drive" },
	  SPEC("PCIe Correctable Error Count") },
	{ .at = 112, .width = 4, .absent = ABSENT_ONES, .family = drive_nvme_incomplete_shutdowns_total,
	  SPEC("Incomplete Shutdowns") },
	{ .at = 120, .width = 1, .unit = RAW_PERCENT, .absent = ABSENT_ONES, .family = drive_nvme_free_blocks_ratio,
	  SPEC("% Free Blocks") },
	{ .at = 128, .width = 2, .unit = RAW_PERCENT, .absent = ABSENT_ONES, .family = drive_nvme_capacitor_health_ratio,
	  SPEC("Capacitor Health") },
	{ .at = 136, .width = 8, .absent = ABSENT_ONES, .family = drive_nvme_unaligned_io_total, SPEC("Unaligned I/O") },
	{ .at = 160, .width = 16, .absent = ABSENT_ONES, .family = drive_nvme_power_loss_protections_total,
	  SPEC("PLP Start Count") },
	{ .at = 176, .width = 16, .absent = ABSENT_ONES_OR_ZERO, .family = drive_nvme_endurance_estimate_bytes,
	  SPEC("Endurance Estimate") },

	{ .param = 2, .at = 192, .width = 8, .absent = ABSENT_ONES, .family = drive_nvme_pcie_retrainings_total,
	  SPEC("PCIe Link Retraining Count") },
	{ .param = 2, .at = 200, .width = 8, .absent = ABSENT_ONES, .family = drive_nvme_power_state_changes_total,
	  SPEC("Power State Change Count") },

	{ .param = 5, .at = 216, .width = 2, .absent = ABSENT_ONES_OR_ZERO, .family = drive_nvme_media_dies,
	  .label = { "total" },
	  SPEC("Total Media Dies") },
	{ .param = 5, .at = 218, .width = 2, .absent = ABSENT_ONES, .family = drive_nvme_media_dies, .label = { "tolerated" },
	  SPEC("Media Die Failure Tolerance") },
	{ .param = 5, .at = 220, .width = 2, .absent = ABSENT_ONES, .family = drive_nvme_media_dies, .label = { "offline" },
	  SPEC("Media Dies Offline") },
	{ .param = 5, .at = 222, .width = 1, .unit = RAW_CELSIUS, .absent = ABSENT_ONES_OR_ZERO, .family = drive_temperature_extreme_celsius,
	  .label = { "composite", "highest" }, SPEC("Max Temperature Recorded") },
	{ .param = 5, .at = 224, .width = 8, .absent = ABSENT_ONES, .rank = NVME_RANK_OCP, .family = drive_nvme_erase_cycles,
	  .label = { "average" },
	  SPEC("NAND Average Erase Count") },
	{ .param = 5, .at = 232, .width = 4, .absent = ABSENT_ONES, .family = drive_command_timeouts_total,
	  SPEC("Command Timeouts") },
	{ .param = 5, .at = 236, .width = 4, .absent = ABSENT_ONES, .family = drive_nvme_system_area_failures_total,
	  .label = { "program" },
	  SPEC("System Area Program Fail Count, raw") },
	{ .param = 5, .at = 244, .width = 4, .absent = ABSENT_ONES, .family = drive_nvme_system_area_failures_total,
	  .label = { "uncorrectable_read" },
	  SPEC("System Area Uncorrectable Read Count, raw") },
	{ .param = 5, .at = 252, .width = 4, .absent = ABSENT_ONES, .family = drive_nvme_system_area_failures_total,
	  .label = { "erase" },
	  SPEC("System Area Erase Fail Count, raw") },
};

/* In the logs' order of bytes; the specification writes the first one AFD514C97C6F4F9CA4F2BFEA2810AFC5h. */
static const struct {
	uint8_t log, guid[GUID_BYTES];
} guids[] = {
	{ NVME_LOG_OCP_HEALTH, { 0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4, 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf } },
	{ NVME_LOG_OCP_LATENCY, { 0x92, 0x7a, 0xc0, 0x8c, 0xd0, 0x84, 0x6c, 0x9c, 0x70, 0x43, 0xe6, 0xd4, 0x58, 0x5e, 0xd4, 0x85 } },
};

bool nvme_is_ocp(const struct page *page, struct bytes log)
{
	struct bytes guid = bytes_at(log, GUID_AT, GUID_BYTES);

	for (size_t i = 0; i < ARRAY_SIZE(guids) && !guid.torn; i++)
		if (guids[i].log == page->command.key[KEY_ID])
			return !memcmp(guid.at, guids[i].guid, GUID_BYTES);
	return false;
}

struct fail nvme_ocp_learn(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	unsigned id = page->command.key[KEY_ID] & 0xff;
	struct bytes log;
	struct fail f = nvme_log_take(page, in, NVME_OCP_BYTES, false, &log);

	if (failed(f))
		return f;
	if (!nvme_is_ocp(page, log) && facts_bit(facts->nvme_ocp_logs, id))
		return fail_format(page->name, "without the GUID that it had");
	facts_set_bit(nvme_is_ocp(page, log) ? facts->nvme_ocp_logs : facts->nvme_foreign_logs, id);
	return OK;
}

bool nvme_ocp_is_wanted(const struct page *page, const struct drive_facts *facts)
{
	return !facts_bit(facts->nvme_foreign_logs, page->command.key[KEY_ID] & 0xff);
}

static struct fail decode(const struct page *page, struct bytes in, const struct drive_facts *facts, struct sample_sink *to)
{
	struct bytes log;
	struct fail f = nvme_log_take(page, in, NVME_OCP_BYTES, false, &log);
	uint64_t version = nvme_number(log, VERSION_AT, 2), throttling = nvme_number(log, THROTTLING_AT, 1);

	if (failed(f) || !nvme_is_ocp(page, log))
		return f;
	for (size_t i = 0; i < page->n_fields; i++)
		if (page->fields[i].param <= version)
			page_field_put(&page->fields[i], log, true, facts, to);
	if (throttling != 0xff)
		sample_put(to, &(struct sample){ .family = drive_throttled, .rank = NVME_RANK_OCP, .label = { "thermal" },
						 .value = throttling != 0 });
	return OK;
}

static bool is_offered(const struct page *page, const struct drive_facts *facts)
{
	return nvme_has_ocp_log(facts, NVME_LOG_OCP_HEALTH);
}

static const struct page_told told[] = {
	{ drive_throttled, "OCP Datacenter NVMe SSD, log C0h, Thermal Throttling Status" },
};

const struct page nvme_ocp_health = {
	.name = "NVMe log 0xc0 (OCP)", NVME_LOG(NVME_LOG_OCP_HEALTH), .period_s = 600, .is_offered = is_offered,
	.uuid = nvme_ocp_uuid, .refused = nvme_ocp_refused, .is_wanted = nvme_ocp_is_wanted, .learn = nvme_ocp_learn,
	.decode = decode,
	.fields = fields, .n_fields = ARRAY_SIZE(fields), .told = told, .n_told = ARRAY_SIZE(told),
};
