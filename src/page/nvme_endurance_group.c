/* NVMe log 09h of one endurance group: media of a drive that wear together (NVM Express base, Endurance Group Information log
 * page). Bytes are counted in 10^9, rounded up. */
#include <stdio.h>
#include <string.h>

#include "page/nvme_page.h"
#include "page/pages.h"

enum { LOG_BYTES = 512 };

#define SPEC(field) .spec = "NVM Express base, Endurance Group Information, " field

static const struct page_field fields[] = {
	{ .at = 3, .width = 1, .unit = RAW_PERCENT, .family = drive_nvme_endurance_group_spare_available_ratio,
	  SPEC("Available Spare") },
	{ .at = 4, .width = 1, .unit = RAW_PERCENT, .family = drive_nvme_endurance_group_spare_threshold_ratio,
	  SPEC("Available Spare Threshold") },
	{ .at = 5, .width = 1, .unit = RAW_PERCENT, .family = drive_nvme_endurance_group_used_ratio, SPEC("Percentage Used") },
	{ .at = 32, .width = 16, .unit = RAW_BILLIONS, .absent = ABSENT_ZERO,
	  .family = drive_nvme_endurance_group_estimate_bytes, SPEC("Endurance Estimate") },
	{ .at = 48, .width = 16, .unit = RAW_BILLIONS, .family = drive_nvme_endurance_group_read_bytes_total,
	  SPEC("Data Units Read") },
	{ .at = 64, .width = 16, .unit = RAW_BILLIONS, .family = drive_nvme_endurance_group_written_bytes_total,
	  SPEC("Data Units Written") },
	{ .at = 80, .width = 16, .unit = RAW_BILLIONS, .family = drive_nvme_endurance_group_media_written_bytes_total,
	  SPEC("Media Units Written") },
	{ .at = 96, .width = 16, .family = drive_nvme_endurance_group_commands_total, .label = { "read" },
	  SPEC("Host Read Commands") },
	{ .at = 112, .width = 16, .family = drive_nvme_endurance_group_commands_total, .label = { "write" },
	  SPEC("Host Write Commands") },
	{ .at = 128, .width = 16, .family = drive_nvme_endurance_group_media_errors_total,
	  SPEC("Media and Data Integrity Errors") },
	{ .at = 144, .width = 16, .family = drive_nvme_endurance_group_error_log_entries_total,
	  SPEC("Number of Error Information Log Entries") },
	{ .at = 160, .width = 16, .absent = ABSENT_ZERO, .family = drive_nvme_endurance_group_capacity_bytes,
	  SPEC("Total Endurance Group Capacity") },
	{ .at = 176, .width = 16, .family = drive_nvme_endurance_group_unallocated_bytes,
	  SPEC("Unallocated Endurance Group Capacity") },
};

/* Puts the group's number before the labels of each sample. */
struct group_sink {
	struct sample_sink sink;
	struct sample_sink *to;
	char group[8];
};

static void group_put(struct sample_sink *sink, const struct sample *s)
{
	const struct group_sink *mine = (const struct group_sink *)sink;
	struct sample copy = *s;

	memmove(copy.label + 1, s->label, sizeof copy.label - sizeof copy.label[0]);
	copy.label[0] = mine->group;
	copy.is_dynamic = true;
	sample_put(mine->to, &copy);
}

/* Version 2.0 has the capacities only with domains; a drive that tells none has no unallocated capacity to tell of. */
static bool tells_capacity(struct bytes log)
{
	return !bytes_all(bytes_at(log, 160, 16), 0);
}

/* Where there is one group, it is all the flash that the drive has. */
static void flash_put(const struct page *page, struct bytes log, const struct drive_facts *facts, struct sample_sink *to)
{
	static const struct page_field written = { .at = 80, .width = 16, .unit = RAW_BILLIONS, .absent = ABSENT_ZERO, .rank = NVME_RANK_GROUP,
						   .family = drive_nand_written_bytes_total };

	if (facts->nvme_last_group == 1)
		page_field_put(&written, log, true, facts, to);
}

static struct fail decode(const struct page *page, struct bytes in, const struct drive_facts *facts, struct sample_sink *to)
{
	struct group_sink mine = { .sink = { group_put, NULL }, .to = to };
	struct bytes log;
	struct fail f = nvme_log_take(page, in, LOG_BYTES, false, &log);

	if (failed(f))
		return f;
	snprintf(mine.group, sizeof mine.group, "%u", page->command.key[KEY_LSI] & 0xffff);
	nvme_warning_put(nvme_number(log, 0, 1), drive_nvme_endurance_group_warning, nvme_group_bits, &mine.sink);
	for (size_t i = 0; i < page->n_fields; i++)
		if (page->fields[i].family != drive_nvme_endurance_group_unallocated_bytes || tells_capacity(log))
			page_field_put(&page->fields[i], log, true, facts, &mine.sink);
	flash_put(page, log, facts, to);
	return OK;
}

static bool is_offered(const struct page *page, const struct drive_facts *facts)
{
	return facts->nvme_has_groups && nvme_log_is_listed(facts, NVME_LOG_ENDURANCE_GROUP);
}

static const struct page_told told[] = {
	{ drive_nvme_endurance_group_warning, "NVM Express base, Endurance Group Information, Critical Warning" },
	{ drive_nand_written_bytes_total, "NVM Express base, Endurance Group Information, Media Units Written, of the only group" },
};

/* Its scope is the group, so no namespace is named. */
const struct page nvme_endurance_group = {
	.name = "NVMe log 0x09", .transport = TRANSPORT_NVME,
	.command = { .name = COMMAND_NVME_LOG, .key = { [KEY_ID] = NVME_LOG_ENDURANCE_GROUP } },
	.period_s = 600, .per_group = true, .is_offered = is_offered, .decode = decode,
	.fields = fields, .n_fields = ARRAY_SIZE(fields), .told = told, .n_told = ARRAY_SIZE(told),
};
