/* Seagate's field accessible reliability metrics (FARM, log address A6h): pages of 16 KiB of 8-byte fields, the
 * value in the low bytes of each, in its highest two bits whether the drive keeps it and whether it is valid. Page
 * 0 says that it is such a log; of page 3, errors, the first 512 bytes are read. Left out of those are what counts
 * no errors or is not a count for sure: spin retries (normalized, or the last entry of an array), and the list of
 * assertions. */
#include "page/ata_logs.h"
#include "page/pages.h"

enum {
	FARM_PAGE_BYTES = 16384,
	FARM_ERRORS = 3,	/* number of the page */
	VALUE_BYTES = 7,	/* of a field */
	SUPPORTED_AND_VALID = 0xc0,
	/* page 0 */
	SIGNATURE_AT = 0, PAGES_AT = 24, PAGE_BYTES_AT = 40,
	/* other pages */
	NUMBER_AT = 0,
};
static const uint64_t SIGNATURE = 0x4641524d4552;	/* FARMER */

static bool is_told(struct bytes all, size_t at)
{
	return (ata_log_number(all, at + VALUE_BYTES, 1) & SUPPORTED_AND_VALID) == SUPPORTED_AND_VALID;
}

/* What the layout rests on is compared whatever the two bits say: programs that read this log differ on whether
 * they are set. */
static uint64_t value_of(struct bytes all, size_t at)
{
	return ata_log_number(all, at, VALUE_BYTES);
}

/* ---- page 0 */

/* What Seagate's names of models begin with: # is a digit. Recertified and rebranded drives have others, and are
 * not asked. */
static const char *const seagates[] = { "ST#", "ZA#", "XA#", "Seagate " };

static bool begins_with(const char *model, const char *pattern)
{
	for (; *pattern; pattern++, model++)
		if (*pattern == '#' ? *model < '0' || *model > '9' : *model != *pattern)
			return false;
	return true;
}

static bool is_seagate(const struct drive_facts *facts)
{
	for (size_t i = 0; i < ARRAY_SIZE(seagates); i++)
		if (begins_with(facts->model, seagates[i]))
			return true;
	return false;
}

static bool has_farm(const struct page *page, const struct drive_facts *facts)
{
	return is_seagate(facts) && ata_log_is_listed(facts, ATA_LOG_FARM);
}

/* Another log at this address, or pages of another size, are no failure: they are not asked again. */
static struct fail learn_header(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct bytes all;
	struct fail f = ata_log_take(page, in, &all);

	if (!failed(f))
		facts->has_farm_errors = value_of(all, SIGNATURE_AT) == SIGNATURE && value_of(all, PAGES_AT) > FARM_ERRORS &&
					 value_of(all, PAGE_BYTES_AT) == FARM_PAGE_BYTES;
	return f;
}

/* ---- page 3 */

#define FARM_ERROR(place, kind, what) \
	{ .at = place, .width = VALUE_BYTES, .absent = ABSENT_ONES, .family = drive_ata_farm_errors_total, \
	  .label = { kind }, .spec = "Seagate, FARM log (A6h), page 3, " what }

static const struct page_field error_fields[] = {
	FARM_ERROR(16, "unrecoverable_read", "unrecoverable read errors"),
	FARM_ERROR(24, "unrecoverable_write", "unrecoverable write errors"),
	FARM_ERROR(40, "read_recovery_attempt", "read recovery attempts"),
	FARM_ERROR(48, "mechanical_start_failure", "mechanical start failures"),
	FARM_ERROR(64, "asynchronous_signal_recovery", "ASR events"),
	FARM_ERROR(72, "interface_crc", "interface CRC errors"),
	FARM_ERROR(104, "ioedc", "IOEDC errors"),
	FARM_ERROR(112, "command_timeout", "command timeouts"),
	FARM_ERROR(120, "command_timeout_over_5s", "command timeouts, over 5 s"),
	FARM_ERROR(128, "command_timeout_over_7_5s", "command timeouts, over 7.5 s"),
	FARM_ERROR(136, "firmware_assertion", "flash LED (assert) events"),
	FARM_ERROR(152, "uncorrectable", "uncorrectable errors"),
};

static struct fail decode_errors(const struct page *page, struct bytes in, const struct drive_facts *facts,
				 struct sample_sink *to)
{
	struct bytes all;
	struct fail f = ata_log_take(page, in, &all);

	if (failed(f))
		return f;
	if (value_of(all, NUMBER_AT) != FARM_ERRORS)
		return fail_format(page->name, "answered with another page");
	for (size_t i = 0; i < page->n_fields; i++)
		if (is_told(all, page->fields[i].at))
			page_field_put(&page->fields[i], all, true, facts, to);
	return OK;
}

static bool has_errors(const struct page *page, const struct drive_facts *facts)
{
	return facts->has_farm_errors && has_farm(page, facts);
}

const struct page ata_farm_header = {
	ATA_LOG(ATA_LOG_FARM, 0), .name = "FARM log page 0", .is_offered = has_farm, .learn = learn_header,
};
const struct page ata_farm_errors = {
	ATA_LOG(ATA_LOG_FARM, FARM_ERRORS * FARM_PAGE_BYTES / ATA_LOG_BYTES), .name = "FARM log page 3",
	.period_s = ATA_FARM_PERIOD_S, .is_offered = has_errors, .decode = decode_errors,
	.fields = error_fields, .n_fields = ARRAY_SIZE(error_fields),
};
