/* Blocks that the drive has replaced: its grown list, and what formatting did. */
#include "page/pages.h"
#include "page/scsi_log.h"

/* SBC, READ DEFECT DATA. The header of (10) has four bytes, that of (12) eight. */
enum {
	HEADER_10 = 4, HEADER_12 = 8,
	LISTS_RETURNED = 0x18, GROWN_LIST_ONLY = 0x08,	/* PLISTV, GLISTV */
	LIST_FORMAT = 0x07,
};

/* Bytes of a defect, by DEFECT LIST FORMAT; 0: the vendor's own, or reserved. */
static const uint8_t defect_bytes[8] = { 4, 8, 8, 8, 8, 8, 0, 0 };

/* Where the size of a defect is not known, only an empty list can be counted. */
static struct fail decode_grown(const struct page *page, struct bytes in, const struct drive_facts *facts,
				struct sample_sink *to)
{
	bool is_12 = in.left == HEADER_12;
	uint64_t flags, length;
	uint8_t size;

	if (!is_12 && in.left != HEADER_10)
		return fail_format(page->name, "is neither of the headers");
	bytes_skip(&in, 1);
	flags = bytes_be(&in, 1);
	bytes_skip(&in, is_12 ? 2 : 0);		/* generation */
	length = bytes_be(&in, is_12 ? 4 : 2);
	if ((flags & LISTS_RETURNED) != GROWN_LIST_ONLY)
		return fail_format(page->name, "is not the grown list");
	size = defect_bytes[flags & LIST_FORMAT];
	if (!size && length)
		return OK;
	if (size && length % size)
		return fail_format(page->name, "ends within a defect");
	sample_put(to, &(struct sample){ .family = drive_grown_defects, .rank = 2, .value = size ? (double)(length / size) : 0 });
	return OK;
}

static bool is_disk_with_logs(const struct page *page, const struct drive_facts *facts)
{
	return facts->has_log_list;
}

static const struct page_told grown_told[] = {
	{ drive_grown_defects, "SBC, READ DEFECT DATA, DEFECT LIST LENGTH of the grown list" },
};

const struct page scsi_grown_defects = {
	.name = "READ DEFECT DATA", .transport = TRANSPORT_SCSI, .command = { .name = COMMAND_READ_DEFECTS },
	.period_s = 3600, .is_offered = is_disk_with_logs, .decode = decode_grown,
	.told = grown_told, .n_told = ARRAY_SIZE(grown_told),
};

/* ---- log page 08h: all ones where the drive has not been formatted since it was made, or does not know */

#define SPEC(parameter) .spec = "SBC, Format Status log page (08h), parameter " parameter

static const struct page_field format_fields[] = {
	{ .param = 0x0001, .absent = ABSENT_ONES, .family = drive_scsi_format_blocks, .label = { "certification" }, SPEC("0001h") },
	{ .param = 0x0002, .absent = ABSENT_ONES, .family = drive_scsi_format_blocks, .label = { "during_format" }, SPEC("0002h") },
	{ .param = 0x0003, .absent = ABSENT_ONES, .family = drive_scsi_format_blocks, .label = { "since_format" }, SPEC("0003h") },
	{ .param = 0x0004, .absent = ABSENT_ONES, .unit = RAW_MINUTES, .family = drive_scsi_since_format_seconds_total, SPEC("0004h") },
};

const struct page scsi_format_status = {
	SCSI_LOG_PAGE(08), .period_s = 3600, .decode = scsi_log_decode,
	.fields = format_fields, .n_fields = ARRAY_SIZE(format_fields),
};
