/* How many errors a drive has logged in its life: of the extended comprehensive error log (ACS-4, log address
 * 03h), where the drive has none of the summary error log (01h). The entries themselves are not looked at. */
#include "page/ata_logs.h"
#include "page/pages.h"

enum { EXTENDED_COUNT_AT = 500, SUMMARY_COUNT_AT = 452 };

#define COUNT_ROW(place, log_spec) \
	{ .at = place, .width = 2, .absent = ABSENT_ONES /* it stops there */, .family = drive_error_log_entries_total, \
	  .spec = log_spec ", device error count" }

static const struct page_field extended_fields[] = {
	COUNT_ROW(EXTENDED_COUNT_AT, "ACS-4, Extended Comprehensive SMART error log (03h)"),
};
static const struct page_field summary_fields[] = {
	COUNT_ROW(SUMMARY_COUNT_AT, "ACS-3, Summary SMART error log (01h)"),
};

/* Some disks (Hitachi's HDS721010CLA332, for one) give a page of zeroes, without even its version: it tells
 * nothing. */
static struct fail decode(const struct page *page, struct bytes in, const struct drive_facts *facts,
			  struct sample_sink *to)
{
	struct bytes all;
	struct fail f = ata_log_take(page, in, &all);

	if (failed(f) || bytes_all(all, 0))
		return f;
	f = ata_log_open(page, in, &all);
	if (!failed(f))
		page_field_put(&page->fields[0], all, true, facts, to);
	return f;
}

static bool has_extended(const struct page *page, const struct drive_facts *facts)
{
	return facts->has_smart && ata_log_is_listed(facts, ATA_LOG_EXTENDED_ERRORS);
}

static bool has_summary(const struct page *page, const struct drive_facts *facts)
{
	return facts->has_smart_error_log && !ata_has_swapped_logs(facts) &&
	       ata_log_is_lacking(facts, ATA_LOG_EXTENDED_ERRORS);
}

const struct page ata_extended_error_log = {
	ATA_LOG(ATA_LOG_EXTENDED_ERRORS, 0), .name = "extended error log", .period_s = ATA_LOG_PERIOD_S,
	.is_offered = has_extended, .decode = decode, .fields = extended_fields, .n_fields = ARRAY_SIZE(extended_fields),
};
const struct page ata_summary_error_log = {
	ATA_SMART_LOG(ATA_LOG_SUMMARY_ERRORS), .name = "SMART error log", .period_s = ATA_LOG_PERIOD_S,
	.is_offered = has_summary, .decode = decode, .fields = summary_fields, .n_fields = ARRAY_SIZE(summary_fields),
};
