#include "page/pages.h"
#include "page/scsi_log.h"

/* 100 is the estimated endurance, more is possible, and 255 stands for "more than 254" (SBC). */
static const struct page_field solid_state_fields[] = {
	{ .param = 0x0001, .at = 3, .width = 1, .unit = RAW_PERCENT, .rank = 1, .family = drive_endurance_used_ratio,
	  .spec = "SBC, Solid State Media log page (11h), 0001h, PERCENTAGE USED ENDURANCE INDICATOR" },
};

const struct page scsi_solid_state = {
	SCSI_LOG_PAGE(11), .period_s = 600, .decode = scsi_log_decode,
	.fields = solid_state_fields, .n_fields = ARRAY_SIZE(solid_state_fields),
};
