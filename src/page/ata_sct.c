/* SCT status (ACS-4, log address E0h): temperatures, and how often they were out of bounds.
 *
 * Where the drive lists a Device Statistics page of temperatures, that tells them better, and this is read for the counts
 * alone, and rarely: a program with an SCT command under way looks here for its end. */
#include "page/ata_judge.h"
#include "page/ata_logs.h"
#include "page/pages.h"

enum {
	TEMPERATURE_STATISTICS = 0x05,
	FORMAT_2 = 2, FORMAT_3 = 3,
	CURRENT_AT = 200, MAX_AT = 202, HIGHEST_AT = 204, OPERATING_LIMIT_AT = 205,
	RANK_SCT = 15,		/* between Device Statistics and the SMART attributes */
};

#define SCT "ACS-4, SCT status response, "
#define CELSIUS(place, family_id, what, ...) \
	{ .at = place, .width = 1, .is_signed = true, .unit = RAW_CELSIUS, .absent = ABSENT_MIN, .rank = RANK_SCT, \
	  .family = family_id, .spec = SCT what, .label = { __VA_ARGS__ } }
#define EVENTS(place, kind, what) \
	{ .at = place, .width = 4, .absent = ABSENT_ONES, .family = drive_ata_temperature_limit_events_total, \
	  .label = { kind }, .spec = SCT what }

static const struct page_field sct_fields[] = {
	CELSIUS(CURRENT_AT, drive_temperature_celsius, "HDA TEMP", "drive"),
	CELSIUS(MAX_AT, drive_temperature_extreme_celsius, "MAX TEMP", "drive", "highest_since_power_on"),
	CELSIUS(HIGHEST_AT, drive_temperature_extreme_celsius, "LIFE MAX TEMP", "drive", "highest"),
	CELSIUS(201, drive_temperature_extreme_celsius, "MIN TEMP", "drive", "lowest_since_power_on"),
	CELSIUS(203, drive_temperature_extreme_celsius, "LIFE MIN TEMP", "drive", "lowest"),
	CELSIUS(OPERATING_LIMIT_AT, drive_temperature_limit_celsius, "MAX OP LIMIT", "specified"),
	EVENTS(206, "over", "OVER LIMIT COUNT"),
	EVENTS(210, "under", "UNDER LIMIT COUNT"),
};
static const struct page_field count_fields[] = {
	EVENTS(206, "over", "OVER LIMIT COUNT"),
	EVENTS(210, "under", "UNDER LIMIT COUNT"),
};

/* Of the SCT technical report; the others came with format 3. */
static bool is_of_format_2(const struct page_field *field)
{
	return field->at == CURRENT_AT || field->at == MAX_AT || field->at == HIGHEST_AT;
}

/* Some SSDs answer and keep no temperature: ADATA's ASU800SS tells 0 degrees, now and as the highest of its life. */
static bool has_thermometer(struct bytes all)
{
	return ata_log_number(all, CURRENT_AT, 1) || ata_log_number(all, HIGHEST_AT, 1);
}

/* No limit stated: 0. */
static bool is_stated(const struct page_field *field, struct bytes all)
{
	return field->at != OPERATING_LIMIT_AT || ata_log_number(all, field->at, 1);
}

static struct fail decode(const struct page *page, struct bytes in, const struct drive_facts *facts,
			  struct sample_sink *to)
{
	struct ata_judge judge = ata_judge_of(to, facts);
	struct bytes all;
	struct fail f = ata_log_take(page, in, &all);
	uint64_t format;

	if (failed(f))
		return f;
	format = ata_log_number(all, 0, 2);
	if (format != FORMAT_2 && format != FORMAT_3)
		return fail_format(page->name, "of an unknown format");
	for (size_t i = 0; i < page->n_fields; i++) {
		const struct page_field *field = &page->fields[i];

		if (format == FORMAT_2 && !is_of_format_2(field))
			continue;
		if ((field->unit != RAW_CELSIUS || has_thermometer(all)) && is_stated(field, all))
			page_field_put(field, all, true, facts, &judge.sink);
	}
	return OK;
}

/* While it is not known which statistics there are, it waits. */
static bool is_wanted(const struct page *page, const struct drive_facts *facts)
{
	bool is_for_counts = page->fields == count_fields;

	if (!facts->has_sct)
		return false;
	if (ata_log_is_lacking(facts, ATA_LOG_STATISTICS) || facts->refuses_statistics)
		return !is_for_counts;
	return facts->has_statistics_list && facts_bit(facts->statistics_pages, TEMPERATURE_STATISTICS) == is_for_counts;
}

static bool has_gp_log(const struct page *page, const struct drive_facts *facts)
{
	return is_wanted(page, facts) && ata_log_is_listed(facts, ATA_LOG_SCT_STATUS);
}

/* A drive that has the SCT feature set has the log (ACS-4, SCT Command Transport). */
static bool has_smart_log(const struct page *page, const struct drive_facts *facts)
{
	return is_wanted(page, facts) && facts->has_smart && ata_log_is_lacking(facts, ATA_LOG_SCT_STATUS);
}

const struct page ata_sct_status = {
	ATA_LOG(ATA_LOG_SCT_STATUS, 0), .name = "SCT status", .period_s = ATA_TEMPERATURE_PERIOD_S, .is_offered = has_gp_log,
	.decode = decode, .fields = sct_fields, .n_fields = ARRAY_SIZE(sct_fields),
};
const struct page ata_smart_sct_status = {
	ATA_SMART_LOG(ATA_LOG_SCT_STATUS), .name = "SCT status, as a SMART log", .period_s = ATA_TEMPERATURE_PERIOD_S,
	.is_offered = has_smart_log, .decode = decode, .fields = sct_fields, .n_fields = ARRAY_SIZE(sct_fields),
};
const struct page ata_sct_counts = {
	ATA_LOG(ATA_LOG_SCT_STATUS, 0), .name = "SCT status, counts", .period_s = ATA_RARE_PERIOD_S, .is_offered = has_gp_log,
	.decode = decode, .fields = count_fields, .n_fields = ARRAY_SIZE(count_fields),
};
const struct page ata_smart_sct_counts = {
	ATA_SMART_LOG(ATA_LOG_SCT_STATUS), .name = "SCT status, counts, as a SMART log", .period_s = ATA_RARE_PERIOD_S,
	.is_offered = has_smart_log, .decode = decode, .fields = count_fields, .n_fields = ARRAY_SIZE(count_fields),
};
