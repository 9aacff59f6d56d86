#include "page/pages.h"
#include "page/scsi_log.h"

/* 0 is "0 degrees or below" and FFh "not available" (SPC). */
static const struct page_field temperature_fields[] = {
	{ .param = 0x0000, .at = 1, .width = 1, .unit = RAW_CELSIUS, .absent = ABSENT_ONES, .rank = 3,
	  .family = drive_temperature_celsius, .label = { "drive" }, .spec = "SPC, Temperature log page (0Dh), 0000h, TEMPERATURE" },
	{ .param = 0x0001, .at = 1, .width = 1, .unit = RAW_CELSIUS, .absent = ABSENT_ONES,
	  .family = drive_temperature_limit_celsius, .label = { "reference" }, .spec = "SPC, Temperature log page (0Dh), 0001h, REFERENCE TEMPERATURE" },
};

const struct page scsi_temperature = {
	SCSI_LOG_PAGE(0d), .period_s = 60, .is_health = true, .decode = scsi_log_decode,
	.fields = temperature_fields, .n_fields = ARRAY_SIZE(temperature_fields),
};
