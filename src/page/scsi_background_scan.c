/* What the drive found when nobody asked: scans of the medium, and blocks it will have to replace. */
#include "page/pages.h"
#include "page/scsi_log.h"

enum { SCAN_FIRST = 0x0001, SCAN_LAST = 0x0800, SCAN_BYTES = 20, REASSIGN_AT = 4 };

/* SBC, BACKGROUND SCAN STATUS. */
enum { MEDIUM_SCAN = 1, PRE_SCAN = 2 };
static const char *const states[] = {
	"none", "medium_scan", "pre_scan", "halted_fatal_error", "halted_error_pattern", "halted_no_primary_list",
	"halted_vendor", "halted_temperature", "waiting", "halted_list_full", "pre_scan_time_limit",
};

/* SBC, REASSIGN STATUS. */
enum { REASSIGN_OTHER = 0, REASSIGN_STATUSES = 16 };
static const char *const fates[REASSIGN_STATUSES] = {
	[REASSIGN_OTHER] = "other",
	[0x1] = "pending",
	[0x2] = "reassigned",		/* by the drive itself */
	[0x4] = "reassign_failed",
	[0x5] = "rewritten",		/* in place */
	[0x6] = "reassigned_by_write",	/* or unmapped */
	[0x7] = "reassigned_by_command",	/* REASSIGN BLOCKS */
	[0x8] = "command_failed",
};

static const struct page_field status_fields[] = {
	{ .param = 0x0000, .width = 4, .unit = RAW_MINUTES, .rank = 3, .family = drive_power_on_seconds_total,
	  .spec = "SBC, Background Scan log page (15h), ACCUMULATED POWER ON MINUTES" },
	{ .param = 0x0000, .at = 6, .width = 2, .family = drive_scsi_background_scans_total,
	  .spec = "SBC, Background Scan log page (15h), NUMBER OF BACKGROUND SCANS PERFORMED" },
	{ .param = 0x0000, .at = 10, .width = 2, .absent = ABSENT_ZERO, .family = drive_scsi_background_medium_scans_total,
	  .spec = "SBC, Background Scan log page (15h), NUMBER OF BACKGROUND MEDIUM SCANS PERFORMED" },
};

/* A scan that stands still may leave its last progress behind, so it is told while one runs. */
static void status_put(struct bytes value, struct sample_sink *to)
{
	struct bytes rest = bytes_at(value, 5, 1);
	uint64_t status = bytes_be(&rest, 1);

	if (rest.torn)
		return;
	page_put(to, drive_scsi_background_scan_info, status < ARRAY_SIZE(states) ? states[status] : "unknown", NULL, 1);
	rest = bytes_at(value, 8, 2);
	if ((status == MEDIUM_SCAN || status == PRE_SCAN) && !rest.torn)
		page_put(to, drive_scsi_background_scan_progress_ratio, NULL, NULL, (double)bytes_be(&rest, 2) / 65536);
}

/* Of a solid-state drive, which hardly ever has such a list, only what is there. */
static void fates_put(struct bytes params, bool is_solid_state, struct sample_sink *to)
{
	unsigned n[REASSIGN_STATUSES] = { 0 };
	struct bytes value;
	uint16_t code;

	while (scsi_log_next(&params, &code, &value)) {
		uint8_t status;

		if (code < SCAN_FIRST || code > SCAN_LAST || value.left < SCAN_BYTES)
			continue;
		status = value.at[REASSIGN_AT] >> 4;
		n[fates[status] ? status : REASSIGN_OTHER]++;
	}
	for (size_t i = 0; i < REASSIGN_STATUSES; i++)
		if (fates[i] && (n[i] || !is_solid_state))
			page_put(to, drive_scsi_background_scan_errors, fates[i], NULL, n[i]);
}

/* The list may hold 2048 errors, 49 KiB: where only its beginning came, what it counts is not known. */
static struct fail decode_scan(const struct page *page, struct bytes in, const struct drive_facts *facts,
			       struct sample_sink *to)
{
	struct bytes params, value;
	bool is_cut;
	struct fail f = scsi_log_first_params(page, in, &params, &is_cut);

	if (failed(f))
		return f;
	if (scsi_log_find(params, 0x0000, &value)) {
		for (size_t i = 0; i < page->n_fields; i++)
			page_field_put(&page->fields[i], value, false, facts, to);
		status_put(value, to);
	}
	if (!is_cut)
		fates_put(params, facts->rpm == 0, to);
	return OK;
}

static const struct page_told scan_told[] = {
	{ drive_scsi_background_scan_info, "SBC, Background Scan log page (15h), BACKGROUND SCAN STATUS" },
	{ drive_scsi_background_scan_progress_ratio, "SBC, Background Scan log page (15h), BACKGROUND SCAN PROGRESS" },
	{ drive_scsi_background_scan_errors, "SBC, Background Scan log page (15h), 0001h-0800h, REASSIGN STATUS" },
};

const struct page scsi_background_scan = {
	SCSI_LOG_PAGE(15), .period_s = 1800, .decode = decode_scan,
	.fields = status_fields, .n_fields = ARRAY_SIZE(status_fields), .told = scan_told, .n_told = ARRAY_SIZE(scan_told),
};

static const struct page_field pending_fields[] = {
	{ .param = 0x0000, .width = 4, .absent = ABSENT_ONES, .family = drive_pending_sectors,
	  .spec = "SBC-4, Pending Defects log page (15h/01h), PENDING DEFECT COUNT" },
};

/* The count comes first, and stands without the list after it. */
static struct fail decode_pending(const struct page *page, struct bytes in, const struct drive_facts *facts,
				  struct sample_sink *to)
{
	struct bytes params, value;
	bool is_cut;
	struct fail f = scsi_log_first_params(page, in, &params, &is_cut);

	if (!failed(f) && scsi_log_find(params, 0x0000, &value))
		page_field_put(&page->fields[0], value, false, facts, to);
	return f;
}

const struct page scsi_pending_defects = {
	SCSI_LOG_SUBPAGE(15, 01), .period_s = 1800, .decode = decode_pending,
	.fields = pending_fields, .n_fields = ARRAY_SIZE(pending_fields),
};
