/* Log CAh of Intel's and Solidigm's drives for data centres: a list of attributes, found by their keys, for not every model has
 * each at the same place (Intel SSD DC P4510 Series Product Specification, Additional SMART Attributes). */
#include "page/nvme_page.h"
#include "page/pages.h"

enum { LOG_BYTES = 512, ITEM_BYTES = 12, RAW_AT = 5, RAW_BYTES = 6,
       KEY_WEAR = 0xe2, KEY_READS = 0xe3, KEY_TIMER = 0xe4, KEY_THROTTLING = 0xea, WORKLOAD_IS_SHORT = 0xffff };

#define SPEC(key, field) .param = key, .spec = "Intel, Solidigm: log CAh, " #key ", " field

/* .at and .width within the six raw bytes. */
static const struct page_field fields[] = {
	{ .width = 6, .family = drive_retired_blocks, SPEC(0x05, "reallocated blocks") },
	{ .width = 6, .rank = NVME_RANK_INTEL, .family = drive_nvme_soft_ecc_errors_total, SPEC(0x0d, "soft ECC errors") },
	{ .width = 6, .family = drive_program_failures_total, SPEC(0xab, "program failures") },
	{ .width = 6, .family = drive_erase_failures_total, SPEC(0xac, "erase failures") },
	{ .at = 0, .width = 2, .rank = NVME_RANK_INTEL, .family = drive_nvme_erase_cycles, .label = { "min" },
	  SPEC(0xad, "wear levelling, minimum") },
	{ .at = 2, .width = 2, .rank = NVME_RANK_INTEL, .family = drive_nvme_erase_cycles, .label = { "max" },
	  SPEC(0xad, "wear levelling, maximum") },
	{ .at = 4, .width = 2, .rank = NVME_RANK_INTEL, .family = drive_nvme_erase_cycles, .label = { "average" },
	  SPEC(0xad, "wear levelling, average") },
	{ .width = 6, .rank = NVME_RANK_INTEL, .family = drive_nvme_end_to_end_errors_total, .label = { "detected" },
	  SPEC(0xb8, "end-to-end errors detected") },
	{ .width = 6, .family = drive_link_errors_total, .label = { "0", "crc", "drive" }, SPEC(0xc7, "CRC errors") },
	{ .width = 6, .unit = RAW_1024TH_PERCENT, .family = drive_nvme_timed_workload_wear_ratio,
	  SPEC(0xe2, "timed workload, media wear") },
	{ .width = 6, .unit = RAW_PERCENT, .family = drive_nvme_timed_workload_reads_ratio,
	  SPEC(0xe3, "timed workload, host reads") },
	{ .width = 6, .unit = RAW_MINUTES, .family = drive_nvme_timed_workload_seconds, SPEC(0xe4, "timed workload, timer") },
	{ .at = 1, .width = 4, .rank = NVME_RANK_INTEL, .family = drive_nvme_throttling_events_total,
	  SPEC(0xea, "thermal throttling, count") },
	{ .width = 6, .family = drive_nvme_retry_buffer_overflows_total, SPEC(0xf0, "retry buffer overflows") },
	{ .width = 6, .family = drive_nvme_pll_lock_losses_total, SPEC(0xf3, "PLL lock losses") },
	{ .width = 6, .unit = RAW_32_MIB, .rank = NVME_RANK_INTEL, .family = drive_nand_written_bytes_total,
	  SPEC(0xf4, "NAND bytes written") },
	{ .width = 6, .unit = RAW_32_MIB, .family = drive_nvme_intel_written_bytes_total, SPEC(0xf5, "host bytes written") },
	{ .width = 6, .unit = RAW_32_MIB, .rank = NVME_RANK_INTEL, .family = drive_nand_read_bytes_total,
	  SPEC(0xf8, "media bytes read") },
};

/* The three of the timed workload say all ones in its first hour. */
static bool is_absent(uint64_t key, struct bytes raw)
{
	return (key == KEY_WEAR || key == KEY_READS || key == KEY_TIMER) &&
	       (nvme_number(raw, 0, RAW_BYTES) == WORKLOAD_IS_SHORT || bytes_all(raw, 0xff));
}

static void item_put(const struct page *page, uint64_t key, struct bytes raw, const struct drive_facts *facts,
		     struct sample_sink *to)
{
	for (size_t i = 0; i < page->n_fields; i++)
		if (page->fields[i].param == key && !is_absent(key, raw))
			page_field_put(&page->fields[i], raw, true, facts, to);
	if (key == KEY_THROTTLING)		/* its first byte: by how many percent */
		sample_put(to, &(struct sample){ .family = drive_throttled, .rank = NVME_RANK_INTEL, .label = { "thermal" },
						 .value = nvme_number(raw, 0, 1) != 0 });
}

/* A key that comes again would be a series that stands twice. */
static struct fail decode(const struct page *page, struct bytes in, const struct drive_facts *facts, struct sample_sink *to)
{
	bool is_seen[256] = { [0] = true };		/* key 0: an item that is not used */
	struct bytes log;
	struct fail f = nvme_log_take(page, in, LOG_BYTES, false, &log);

	while (!failed(f) && log.left >= ITEM_BYTES) {
		struct bytes item = bytes_take(&log, ITEM_BYTES);
		uint64_t key = nvme_number(item, 0, 1);

		if (!is_seen[key])
			item_put(page, key, bytes_at(item, RAW_AT, RAW_BYTES), facts, to);
		is_seen[key] = true;
	}
	return f;
}

static bool is_offered(const struct page *page, const struct drive_facts *facts)
{
	enum { INTEL = 0x8086, SOLIDIGM = 0x025e };

	return (facts->nvme_vendor == INTEL || facts->nvme_vendor == SOLIDIGM) && nvme_has_vendor_log(facts, NVME_LOG_INTEL);
}

static const struct page_told told[] = {
	{ drive_throttled, "Intel, Solidigm: log CAh, 0xea, thermal throttling, percent" },
};

const struct page nvme_intel = {
	.name = "NVMe log 0xca (Intel)", NVME_LOG(NVME_LOG_INTEL), .period_s = 600, .is_offered = is_offered, .decode = decode,
	.fields = fields, .n_fields = ARRAY_SIZE(fields), .told = told, .n_told = ARRAY_SIZE(told),
};
