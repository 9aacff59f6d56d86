/* SPC, additional sense codes and qualifiers; the words are ours. */
#include "page/scsi_exception_codes.h"

#include <stddef.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "page/page.h"

enum {
	FAILURE_PREDICTED = 0x5d, WARNING = 0x0b,
	ENDURANCE_LIMIT = 0x73, TEST = 0xff,		/* qualifiers of 5Dh */
	FIRST_PART = 0x10, LAST_PART = 0x6c,		/* qualifiers of 5Dh made of a part and what ails it */
};

static const struct {
	uint8_t asc, ascq;
	const char *reason, *text;
} codes[] = {
	{ 0x5d, 0x00, "smart_failing", "failure predicted" },
	{ 0x5d, 0x01, "smart_failing", "failure of the medium predicted" },
	{ 0x5d, 0x02, "smart_failing", "failure of the logical unit predicted" },
	{ 0x5d, 0x03, "smart_failing", "failure predicted: spare area exhausted" },
	{ 0x5d, 0x1d, "smart_failing", "failure predicted: power loss protection" },
	{ 0x5d, ENDURANCE_LIMIT, "life_used_up", "rated endurance of the medium is used up" },
	{ 0x0b, 0x00, "other", "warning without a reason" },
	{ 0x0b, 0x01, "hot", "specified temperature exceeded" },
	{ 0x0b, 0x02, "other", "enclosure degraded" },
	{ 0x0b, 0x03, "self_test_failed", "background self-test failed" },
	{ 0x0b, 0x04, "pending_sectors", "background pre-scan found an error of the medium" },
	{ 0x0b, 0x05, "pending_sectors", "background medium scan found an error of the medium" },
	{ 0x0b, 0x06, "backup_failed", "non-volatile cache has become volatile" },
	{ 0x0b, 0x07, "backup_failed", "power of the non-volatile cache degraded" },
	{ 0x0b, 0x08, "backup_failed", "loss of power expected" },
	{ 0x0b, 0x09, "other", "statistics limit reached" },
	{ 0x0b, 0x0a, "hot", "high critical temperature limit exceeded" },
	{ 0x0b, 0x0b, "other", "low critical temperature limit exceeded" },
	{ 0x0b, 0x0c, "hot", "high operating temperature limit exceeded" },
	{ 0x0b, 0x0d, "other", "low operating temperature limit exceeded" },
	{ 0x0b, 0x0e, "other", "high critical humidity limit exceeded" },
	{ 0x0b, 0x0f, "other", "low critical humidity limit exceeded" },
	{ 0x0b, 0x10, "other", "high operating humidity limit exceeded" },
	{ 0x0b, 0x11, "other", "low operating humidity limit exceeded" },
	{ 0x0b, 0x12, "other", "microcode at risk" },
	{ 0x0b, 0x13, "other", "digital signature of the microcode is not valid" },
	{ 0x0b, 0x14, "other", "status of a physical element has changed" },
};

/* Qualifiers 10h to 6Ch of 5Dh: the high digit is the part, the low one what ails it. */
static const char *const parts[] = { "hardware", "controller", "data channel", "servo", "spindle", "firmware" };
static const char *const ails[] = {
	"general failure", "error rate of the drive too high", "error rate of data too high", "error rate of seeks too high",
	"too many blocks reassigned", "access times too high", "start times too high", "parameters of the channel out of range",
	"found by the controller", "throughput too low", "seek times too high", "too many spin-up retries",
	"too many calibration retries",
};

bool scsi_exception_is_failing(uint8_t asc, uint8_t ascq)
{
	return asc == FAILURE_PREDICTED && ascq != ENDURANCE_LIMIT && ascq != TEST;
}

bool scsi_exception_is_one(uint8_t asc, uint8_t ascq)
{
	return asc == WARNING || (asc == FAILURE_PREDICTED && ascq != TEST);
}

const char *scsi_exception_describe(uint8_t asc, uint8_t ascq, char text[SCSI_EXCEPTION_TEXT_MAX])
{
	unsigned part = (unsigned)(ascq >> 4) - 1, ail = ascq & 0xf;

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (codes[i].asc == asc && codes[i].ascq == ascq) {
			snprintf(text, SCSI_EXCEPTION_TEXT_MAX, "%s", codes[i].text);
			return codes[i].reason;
		}
	if (asc == FAILURE_PREDICTED && ascq >= FIRST_PART && ascq <= LAST_PART && ail < ARRAY_SIZE(ails))
		snprintf(text, SCSI_EXCEPTION_TEXT_MAX, "failure predicted: %s, %s", parts[part], ails[ail]);
	else if (asc == FAILURE_PREDICTED)
		snprintf(text, SCSI_EXCEPTION_TEXT_MAX, "failure predicted, qualifier %02xh", ascq);
	else
		snprintf(text, SCSI_EXCEPTION_TEXT_MAX, "warning, qualifier %02xh", ascq);
	return asc == FAILURE_PREDICTED ? "smart_failing" : "other";
}

void scsi_exception_put(uint8_t asc, uint8_t ascq, struct sample_sink *to)
{
	char hex[2][3], text[SCSI_EXCEPTION_TEXT_MAX];
	const char *reason;

	snprintf(hex[0], sizeof hex[0], "%02x", asc);
	snprintf(hex[1], sizeof hex[1], "%02x", ascq);
	page_put(to, drive_warning, "smart_failing", "fatal", scsi_exception_is_failing(asc, ascq));
	sample_put(to, &(struct sample){
		.family = drive_scsi_informational_exception, .is_dynamic = true, .label = { hex[0], hex[1] }, .value = 1 });
	if (!scsi_exception_is_one(asc, ascq))
		return;
	reason = scsi_exception_describe(asc, ascq, text);
	sample_put(to, &(struct sample){ .family = drive_warning_info, .is_dynamic = true, .label = { reason, text }, .value = 1 });
}
