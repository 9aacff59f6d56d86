/* Error counters of writes, reads and verifies, and errors that the medium had no part in. Counters may have any length;
 * at all ones they stand still for ever (SPC, Log parameters), so they are left out there. */
#include "page/pages.h"
#include "page/scsi_log.h"

#define COUNTER .absent = ABSENT_ONES
#define SPEC(parameter) .spec = "SPC, Error Counter log pages (02h write, 03h read, 05h verify), parameter " parameter

#define ERROR_COUNTERS(op) \
	{ .param = 0x0000, COUNTER, .family = drive_corrected_errors_total, .label = { op, "ecc_fast" }, SPEC("0000h") }, \
	{ .param = 0x0001, COUNTER, .family = drive_corrected_errors_total, .label = { op, "ecc_delayed" }, SPEC("0001h") }, \
	{ .param = 0x0002, COUNTER, .family = drive_corrected_errors_total, .label = { op, "retry" }, SPEC("0002h") }, \
	{ .param = 0x0003, COUNTER, .family = drive_scsi_corrected_errors_total, .label = { op }, SPEC("0003h") }, \
	{ .param = 0x0004, COUNTER, .family = drive_scsi_correction_runs_total, .label = { op }, SPEC("0004h") }, \
	{ .param = 0x0006, COUNTER, .family = drive_uncorrected_errors_total, .label = { op }, SPEC("0006h") }

static const struct page_field write_fields[] = {
	ERROR_COUNTERS("write"),
	{ .param = 0x0005, COUNTER, .rank = 1, .family = drive_written_bytes_total, SPEC("0005h") },
};

static const struct page_field read_fields[] = {
	ERROR_COUNTERS("read"),
	{ .param = 0x0005, COUNTER, .rank = 1, .family = drive_read_bytes_total, SPEC("0005h") },
};

static const struct page_field verify_fields[] = {
	ERROR_COUNTERS("verify"),
};

static const struct page_field non_medium_fields[] = {
	{ .param = 0x0000, COUNTER, .family = drive_scsi_non_medium_errors_total,
	  .spec = "SPC, Non-Medium Error log page (06h), parameter 0000h" },
};

#define COUNTERS_PAGE(code, rows) { \
	SCSI_LOG_PAGE(code), .period_s = 600, .decode = scsi_log_decode, .fields = rows, .n_fields = ARRAY_SIZE(rows) }

const struct page scsi_write_errors = COUNTERS_PAGE(02, write_fields);
const struct page scsi_read_errors = COUNTERS_PAGE(03, read_fields);
const struct page scsi_verify_errors = COUNTERS_PAGE(05, verify_fields);
const struct page scsi_non_medium_errors = COUNTERS_PAGE(06, non_medium_fields);
