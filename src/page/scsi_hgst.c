/* Vendor pages of Hitachi, HGST and WDC: one parameter each, 0000h, of a fixed form. A longer one is a later firmware's;
 * where it is shorter the page is another one, and nothing is taken of it. */
#include "page/pages.h"
#include "page/scsi_log.h"
#include "page/scsi_vendor.h"

static struct fail form_find(const struct page *page, struct bytes in, size_t length, struct bytes *ret_value)
{
	struct bytes params;
	struct fail f = scsi_log_params(page, in, &params);

	if (failed(f) || !scsi_log_find(params, 0x0000, ret_value) || ret_value->left < length)
		*ret_value = (struct bytes){ 0 };
	return f;
}

/* ---- 37h, of solid-state drives */

enum { MISCELLANEOUS_BYTES = 44, EXCEPTIONS_AT = 24, MEDIA_EXCEPTION = 0x80, HARDWARE_EXCEPTION = 0x40 };

#define MISCELLANEOUS "HGST, Miscellaneous log page (37h), 0000h, "

static const struct page_field miscellaneous_fields[] = {
	{ .at = 0, .width = 4, .unit = RAW_HOURS, .absent = ABSENT_ONES, .rank = 1, .family = drive_power_on_seconds_total,
	  .spec = MISCELLANEOUS "power-on hours" },
	{ .at = 4, .width = 8, .absent = ABSENT_ONES, .rank = 3, .family = drive_read_bytes_total, .spec = MISCELLANEOUS "bytes read" },
	{ .at = 12, .width = 8, .absent = ABSENT_ONES, .rank = 3, .family = drive_written_bytes_total,
	  .spec = MISCELLANEOUS "bytes written" },
	{ .at = 20, .width = 1, .unit = RAW_CELSIUS, .absent = ABSENT_ONES_OR_ZERO, .rank = 1, .family = drive_temperature_extreme_celsius,
	  .label = { "drive", "highest" }, .spec = MISCELLANEOUS "highest temperature" },
	{ .at = 21, .width = 2, .absent = ABSENT_ONES, .rank = 1, .family = drive_grown_defects,
	  .spec = MISCELLANEOUS "size of the grown list" },
	{ .at = 23, .width = 1, .absent = ABSENT_ONES, .family = drive_scsi_exceptions_total,
	  .spec = MISCELLANEOUS "informational exceptions" },
	{ .at = 25, .width = 8, .absent = ABSENT_ONES, .rank = 1, .family = drive_internal_commands_total, .label = { "read" },
	  .spec = MISCELLANEOUS "read commands" },
	{ .at = 33, .width = 8, .absent = ABSENT_ONES, .rank = 1, .family = drive_internal_commands_total, .label = { "write" },
	  .spec = MISCELLANEOUS "write commands" },
	{ .at = 42, .width = 2, .absent = ABSENT_ONES, .family = drive_scsi_flash_corrections_total,
	  .spec = MISCELLANEOUS "flash corrections" },
};

static struct fail decode_miscellaneous(const struct page *page, struct bytes in, const struct drive_facts *facts,
					struct sample_sink *to)
{
	struct bytes value, raw;
	struct fail f = form_find(page, in, MISCELLANEOUS_BYTES, &value);
	uint64_t exceptions;

	if (failed(f) || !value.left)
		return f;
	for (size_t i = 0; i < page->n_fields; i++)
		page_field_put(&page->fields[i], value, false, facts, to);
	raw = bytes_at(value, EXCEPTIONS_AT, 1);
	exceptions = bytes_be(&raw, 1);
	page_put(to, drive_scsi_exception_present, "media", NULL, (exceptions & MEDIA_EXCEPTION) != 0);
	page_put(to, drive_scsi_exception_present, "hardware", NULL, (exceptions & HARDWARE_EXCEPTION) != 0);
	return OK;
}

static const struct page_told miscellaneous_told[] = {
	{ drive_scsi_exception_present, MISCELLANEOUS "media and hardware exception" },
};

const struct page scsi_hgst_miscellaneous = {
	SCSI_VENDOR_PAGE(37, "HGST", hgst), .period_s = 600, .decode = decode_miscellaneous,
	.fields = miscellaneous_fields, .n_fields = ARRAY_SIZE(miscellaneous_fields),
	.told = miscellaneous_told, .n_told = ARRAY_SIZE(miscellaneous_told),
};

/* ---- 30h: performance counters. Seeks come first, so that solid-state drives can leave them out. */

enum { PERFORMANCE_BYTES = 0x30, SEEKS = 6 };

#define PERFORMANCE "Hitachi, HGST: Performance Counters log page (30h), 0000h, "
#define SEEK(place, a_distance, what) \
	{ .at = place, .width = 2, .absent = ABSENT_ONES, .family = drive_scsi_seeks_total, .label = { a_distance }, \
	  .spec = PERFORMANCE what }
#define COUNTER(place, bytes_wide, a_family, a_kind, what) \
	{ .at = place, .width = bytes_wide, .absent = ABSENT_ONES, .family = a_family, .label = { a_kind }, .spec = PERFORMANCE what }

static const struct page_field performance_fields[] = {
	SEEK(0, "zero", "zero seeks"), SEEK(2, "from_2_3", "seeks of 2/3 or more"), SEEK(4, "from_1_3", "seeks of 1/3 or more"),
	SEEK(6, "from_1_6", "seeks of 1/6 or more"), SEEK(8, "from_1_12", "seeks of 1/12 or more"),
	SEEK(10, "below_1_12", "shorter seeks"),
	COUNTER(16, 2, drive_scsi_buffer_errors_total, "overrun", "overruns"),
	COUNTER(18, 2, drive_scsi_buffer_errors_total, "underrun", "underruns"),
	COUNTER(20, 4, drive_scsi_device_cache_total, "read_hits_full", "full read hits"),
	COUNTER(24, 4, drive_scsi_device_cache_total, "read_hits_partial", "partial read hits"),
	COUNTER(28, 4, drive_scsi_device_cache_total, "write_hits", "write hits"),
	COUNTER(32, 4, drive_scsi_device_cache_total, "fast_writes", "fast writes"),
	COUNTER(36, 4, drive_scsi_device_cache_total, "read_misses", "read misses"),
};

static struct fail decode_performance(const struct page *page, struct bytes in, const struct drive_facts *facts,
				      struct sample_sink *to)
{
	struct bytes value;
	struct fail f = form_find(page, in, PERFORMANCE_BYTES, &value);

	for (size_t i = facts->rpm == 0 ? SEEKS : 0; !failed(f) && value.left && i < page->n_fields; i++)
		page_field_put(&page->fields[i], value, false, facts, to);
	return f;
}

const struct page scsi_hgst_performance = {
	SCSI_VENDOR_PAGE(30, "HGST", hgst), .period_s = 3600, .decode = decode_performance,
	.fields = performance_fields, .n_fields = ARRAY_SIZE(performance_fields),
};
