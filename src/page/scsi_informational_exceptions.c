/* What SCSI calls SMART: the drive says with an additional sense code what it worries about (SPC, Informational
 * Exceptions log page). */
#include "page/pages.h"
#include "page/scsi_exception_codes.h"
#include "page/scsi_log.h"
#include "page/scsi_mode.h"
#include "page/scsi_vendor.h"

/* Drives without a sensor leave the byte at 0; the same field of page 0Dh, which ranks higher, has a 0 that means it. */
static const struct page_field exception_fields[] = {
	{ .param = 0x0000, .at = 2, .width = 1, .unit = RAW_CELSIUS, .absent = ABSENT_ONES_OR_ZERO, .rank = 1,
	  .family = drive_temperature_celsius, .label = { "drive" },
	  .spec = "SPC, Informational Exceptions log page (2Fh), 0000h, MOST RECENT TEMPERATURE READING" },
};

/* ---- Hitachi and HGST: the conditions that their solid-state drives watch. They number them differently from model to
 * model, so the sense code that a condition would raise tells which one it is. */

enum { CONDITION_BYTES = 4 };

static const struct {
	uint8_t asc, ascq;
	const char *kind;
} conditions[] = {
	{ 0x5d, 0x53, "remaining_reserve" }, { 0x5d, 0x54, "remaining_reserve_xor" }, { 0x5d, 0x57, "xor_depletion" },
	{ 0x5d, 0x28, "backup_failure" }, { 0x0b, 0x06, "cache_volatile" }, { 0x5d, 0x73, "wear" },
	{ 0x5d, 0x56, "system_area_wear" }, { 0x5d, 0x55, "channel_hangs" }, { 0x5d, 0x20, "flash_scan_failure" },
};

static void condition_put(struct bytes value, struct sample_sink *to)
{
	uint8_t asc = (uint8_t)bytes_be(&value, 1), ascq = (uint8_t)bytes_be(&value, 1);
	uint8_t threshold = (uint8_t)bytes_be(&value, 1), trip = (uint8_t)bytes_be(&value, 1);

	for (size_t i = 0; i < ARRAY_SIZE(conditions); i++)
		if (conditions[i].asc == asc && conditions[i].ascq == ascq) {
			if (threshold)		/* 0: this condition has none */
				page_put(to, drive_scsi_exception_threshold_ratio, conditions[i].kind, NULL,
					 (double)threshold / 100);
			page_put(to, drive_scsi_exception_tripped, conditions[i].kind, NULL, trip != 0);
		}
}

static void conditions_put(struct bytes params, struct sample_sink *to)
{
	struct bytes value;
	uint16_t code;

	while (scsi_log_next(&params, &code, &value))
		if (code && value.left == CONDITION_BYTES)
			condition_put(value, to);
}

/* Where the page is silent, what REQUEST SENSE said counts: with MRIE 6 (SPC, Informational Exceptions Control mode page)
 * a drive reports there. */
static struct fail decode_exceptions(const struct page *page, struct bytes in, const struct drive_facts *facts,
				     struct sample_sink *to)
{
	struct bytes params, value;
	struct fail f = scsi_log_params(page, in, &params);

	if (failed(f))
		return f;
	if (scsi_maker_of(facts) == MAKER_HGST)
		conditions_put(params, to);
	if (!scsi_log_find(params, 0x0000, &value))
		return OK;
	page_field_put(&page->fields[0], value, false, facts, to);
	if (value.left >= 2) {
		uint8_t asc = (uint8_t)bytes_be(&value, 1), ascq = (uint8_t)bytes_be(&value, 1);

		if (asc)
			scsi_exception_put(asc, ascq, to);
		else
			scsi_exception_put(facts->sense_asc, facts->sense_ascq, to);
	}
	return OK;
}

static const struct page_told exceptions_told[] = {
	{ drive_warning, "SPC, Informational Exceptions log page (2Fh), 0000h, ADDITIONAL SENSE CODE 5Dh; REQUEST SENSE" },
	{ drive_warning_info, "SPC, Informational Exceptions log page (2Fh), 0000h; REQUEST SENSE; additional sense codes" },
	{ drive_scsi_informational_exception, "SPC, Informational Exceptions log page (2Fh), 0000h; REQUEST SENSE" },
	{ drive_scsi_exception_threshold_ratio, "Hitachi, HGST: Informational Exceptions log page (2Fh), 0001h and above" },
	{ drive_scsi_exception_tripped, "Hitachi, HGST: Informational Exceptions log page (2Fh), 0001h and above" },
};

const struct page scsi_informational_exceptions = {
	SCSI_LOG_PAGE(2f), .period_s = 60, .is_health = true, .decode = decode_exceptions,
	.fields = exception_fields, .n_fields = ARRAY_SIZE(exception_fields),
	.told = exceptions_told, .n_told = ARRAY_SIZE(exceptions_told),
};

/* ---- whether it says anything at all */

enum { EWASC = 0x10, DEXCPT = 0x08, MRIE = 0x0f };

static struct fail decode_control(const struct page *page, struct bytes in, const struct drive_facts *facts,
				  struct sample_sink *to)
{
	struct bytes body;
	struct fail f = scsi_mode_open(page, in, &body);
	uint64_t flags, method;

	if (failed(f))
		return f;
	flags = bytes_be(&body, 1);
	method = bytes_be(&body, 1) & MRIE;	/* 0: none are reported */
	if (body.torn)
		return fail_format(page->name, "shorter than its fields");
	page_put(to, drive_scsi_exceptions_enabled, "failure", NULL, !(flags & DEXCPT) && method);
	page_put(to, drive_scsi_exceptions_enabled, "warning", NULL, (flags & EWASC) != 0);
	return OK;
}

static const struct page_told control_told[] = {
	{ drive_scsi_exceptions_enabled, "SPC, Informational Exceptions Control mode page (1Ch), DEXCPT, EWASC, MRIE" },
};

const struct page scsi_mode_exceptions = {
	SCSI_MODE_PAGE(1c), .period_s = 3600, .decode = decode_control, .told = control_told, .n_told = ARRAY_SIZE(control_told),
};
