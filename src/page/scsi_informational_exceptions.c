/* What SCSI calls SMART: the drive says with an additional sense code what it worries about (SPC, Informational
 * Exceptions log page). */
#include <stdio.h>

#include "page/pages.h"
#include "page/scsi_log.h"

enum {
	ASC_FAILURE_PREDICTED = 0x5d,
	ASCQ_ENDURANCE_LIMIT = 0x73,	/* the rated life is used up: wear, no failure */
	ASCQ_FALSE = 0xff,		/* a test of the report */
};

/* Drives without a sensor leave the byte at 0; the same field of page 0Dh, which ranks higher, has a 0 that means it. */
static const struct page_field exception_fields[] = {
	{ .param = 0x0000, .at = 2, .width = 1, .unit = RAW_CELSIUS, .absent = ABSENT_ONES, .rank = 1,
	  .family = drive_temperature_celsius, .label = { "drive" },
	  .spec = "SPC, Informational Exceptions log page, 0000h, Most Recent Temperature Reading" },
};

static bool is_failing(uint8_t asc, uint8_t ascq)
{
	return asc == ASC_FAILURE_PREDICTED && ascq != ASCQ_ENDURANCE_LIMIT && ascq != ASCQ_FALSE;
}

static void exception_put(uint8_t asc, uint8_t ascq, struct sample_sink *to)
{
	char hex[2][3];

	snprintf(hex[0], sizeof hex[0], "%02x", asc);
	snprintf(hex[1], sizeof hex[1], "%02x", ascq);
	sample_put(to, &(struct sample){
		.family = drive_warning, .label = { "smart_failing", "fatal" }, .value = is_failing(asc, ascq) });
	sample_put(to, &(struct sample){
		.family = drive_scsi_informational_exception, .is_dynamic = true, .label = { hex[0], hex[1] }, .value = 1 });
}

static struct fail decode_exceptions(const struct page *page, struct bytes in, const struct drive_facts *facts,
				     struct sample_sink *to)
{
	struct bytes params, value;
	struct fail f = scsi_log_params(page, in, &params);

	if (failed(f))
		return f;
	if (!scsi_log_find(params, 0x0000, &value))
		return OK;
	if (!bytes_all(bytes_at(value, page->fields[0].at, 1), 0))
		page_field_put(&page->fields[0], value, false, facts, to);
	if (value.left >= 2) {
		uint8_t asc = (uint8_t)bytes_be(&value, 1);

		exception_put(asc, (uint8_t)bytes_be(&value, 1), to);
	}
	return OK;
}

const struct page scsi_informational_exceptions = {
	SCSI_LOG_PAGE(2f), .period_s = 60, .is_health = true, .decode = decode_exceptions,
	.fields = exception_fields, .n_fields = ARRAY_SIZE(exception_fields),
};
