/* Vendor pages of Seagate. A page whose form does not fit is some other firmware's: nothing is taken of it. */
#include "page/pages.h"
#include "page/scsi_log.h"
#include "page/scsi_vendor.h"

/* ---- 3Ch: wear, a hundred times finer than page 11h */

enum { WEAR_PARAMETER = 0x8004, WEAR_BYTES = 4 };

static const struct page_field wear_fields[] = {
	{ .param = WEAR_PARAMETER, .width = WEAR_BYTES, .unit = RAW_MILLIONTHS, .absent = ABSENT_ONES, .rank = 2,
	  .family = drive_endurance_used_ratio, .spec = "Seagate, log page 3Ch, parameter 8004h, millionths of the rated endurance" },
};

static struct fail decode_wear(const struct page *page, struct bytes in, const struct drive_facts *facts,
			       struct sample_sink *to)
{
	struct bytes params, value;
	struct fail f = scsi_log_params(page, in, &params);

	if (!failed(f) && facts->rpm <= 0 && scsi_log_find(params, WEAR_PARAMETER, &value) && value.left == WEAR_BYTES)
		page_field_put(&page->fields[0], value, false, facts, to);
	return f;
}

const struct page scsi_seagate_wear = {
	.name = "log page 0x3c (Seagate)", .transport = TRANSPORT_SCSI, .is_offered = scsi_seagate_is_offered,
	.command = { .name = COMMAND_LOG_SENSE, .key = { [KEY_PAGE] = 0x3c, [KEY_PARAMETER] = WEAR_PARAMETER } },
	.period_s = 600, .decode = decode_wear, .fields = wear_fields, .n_fields = ARRAY_SIZE(wear_fields),
};

/* ---- 37h: use of the cache, in blocks */

enum { CACHE_PARAMETERS = 5 };

#define BLOCKS(code, a_kind, what) \
	{ .param = code, .unit = RAW_LOGICAL_BLOCKS, .absent = ABSENT_ONES, .family = drive_scsi_cache_bytes_total, \
	  .label = { a_kind }, .spec = "Seagate, Cache Statistics log page (37h), " what }
#define COMMANDS(code, a_size, what) \
	{ .param = code, .absent = ABSENT_ONES, .family = drive_scsi_segment_commands_total, .label = { a_size }, \
	  .spec = "Seagate, Cache Statistics log page (37h), " what }

static const struct page_field cache_fields[CACHE_PARAMETERS] = {
	BLOCKS(0x0000, "sent", "0000h, blocks sent to initiators"),
	BLOCKS(0x0001, "received", "0001h, blocks received from initiators"),
	BLOCKS(0x0002, "read_from_cache", "0002h, blocks read from the cache"),
	COMMANDS(0x0003, "within", "0003h, commands no longer than a cache segment"),
	COMMANDS(0x0004, "beyond", "0004h, commands longer than a cache segment"),
};

static struct fail decode_cache(const struct page *page, struct bytes in, const struct drive_facts *facts,
				struct sample_sink *to)
{
	struct bytes params, value;
	struct fail f = scsi_log_params(page, in, &params);

	if (failed(f))
		return f;
	for (uint16_t code = 0; code < CACHE_PARAMETERS; code++)
		if (!scsi_log_find(params, code, &value) || value.left > 8)
			return OK;
	return scsi_log_decode(page, in, facts, to);
}

const struct page scsi_seagate_cache = {
	SCSI_VENDOR_PAGE(37, "Seagate", seagate), .period_s = 600, .decode = decode_cache,
	.fields = cache_fields, .n_fields = ARRAY_SIZE(cache_fields),
};

/* ---- 3Eh, which Hitachi and HGST have as well */

enum { FACTORY_KNOWN_MIN = 2, FACTORY_UNKNOWN_MAX = 4 };

static const struct page_field factory_fields[] = {
	{ .param = 0x0000, .unit = RAW_MINUTES, .absent = ABSENT_ONES, .rank = 2, .family = drive_power_on_seconds_total,
	  .spec = "Seagate, Hitachi: Factory log page (3Eh), 0000h, minutes powered on" },
	{ .param = 0x0008, .unit = RAW_MINUTES, .absent = ABSENT_ONES, .family = drive_scsi_next_self_test_seconds,
	  .spec = "Seagate, Hitachi: Factory log page (3Eh), 0008h, minutes to the next internal test" },
};

static bool is_known(const struct page *page, uint16_t code)
{
	for (size_t i = 0; i < page->n_fields; i++)
		if (page->fields[i].param == code)
			return true;
	return false;
}

static struct fail decode_factory(const struct page *page, struct bytes in, const struct drive_facts *facts,
				  struct sample_sink *to)
{
	unsigned n_known = 0, n_unknown = 0;
	struct bytes params, value;
	struct fail f = scsi_log_params(page, in, &params);
	uint16_t code;

	if (failed(f))
		return f;
	while (scsi_log_next(&params, &code, &value)) {
		bool known = is_known(page, code);

		n_known += known;
		n_unknown += !known;
	}
	if (n_known < FACTORY_KNOWN_MIN || n_unknown > FACTORY_UNKNOWN_MAX)
		return OK;
	return scsi_log_decode(page, in, facts, to);
}

static bool has_factory_page(const struct page *page, const struct drive_facts *facts)
{
	return scsi_seagate_is_offered(page, facts) || scsi_hgst_is_offered(page, facts);
}

const struct page scsi_factory = {
	SCSI_LOG_COMMAND(3e, 00), .name = "log page 0x3e", .is_offered = has_factory_page, .period_s = 3600,
	.decode = decode_factory, .fields = factory_fields, .n_fields = ARRAY_SIZE(factory_fields),
};
