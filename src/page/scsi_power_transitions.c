#include "page/pages.h"
#include "page/scsi_log.h"

#define TRANSITIONS(code, a_state) \
	{ .param = code, .absent = ABSENT_ONES, .family = drive_scsi_power_transitions_total, .label = { a_state }, \
	  .spec = "SPC-4, Power Condition Transitions log page (1Ah), accumulated transitions" }

static const struct page_field transition_fields[] = {
	TRANSITIONS(0x0001, "active"), TRANSITIONS(0x0002, "idle_a"), TRANSITIONS(0x0003, "idle_b"),
	TRANSITIONS(0x0004, "idle_c"), TRANSITIONS(0x0008, "standby_z"), TRANSITIONS(0x0009, "standby_y"),
};

const struct page scsi_power_transitions = {
	SCSI_LOG_PAGE(1a), .period_s = 3600, .decode = scsi_log_decode,
	.fields = transition_fields, .n_fields = ARRAY_SIZE(transition_fields),
};
