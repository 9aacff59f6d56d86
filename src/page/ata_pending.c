/* Pending Defects log (ACS-4, log address 0Ch): how many there are. The list of them, which follows, is not read. */
#include "page/ata_judge.h"
#include "page/ata_logs.h"
#include "page/pages.h"

enum { RANK_PENDING = 30 };	/* above the statistic that counts the same, and above attribute 197 */

static const struct page_field pending_fields[] = {
	{ .at = 0, .width = 4, .absent = ABSENT_ONES, .rank = RANK_PENDING, .family = drive_pending_sectors,
	  .spec = "ACS-4, Pending Defects log (0Ch), number of pending defect descriptors" },
};

static struct fail decode(const struct page *page, struct bytes in, const struct drive_facts *facts,
			  struct sample_sink *to)
{
	struct ata_judge judge = ata_judge_of(to, facts);
	struct bytes all;
	struct fail f = ata_log_take(page, in, &all);

	if (!failed(f))
		page_field_put(&page->fields[0], all, true, facts, &judge.sink);
	return f;
}

static bool has_pending_defects(const struct page *page, const struct drive_facts *facts)
{
	return ata_log_is_listed(facts, ATA_LOG_PENDING_DEFECTS);
}

const struct page ata_pending_defects = {
	ATA_LOG(ATA_LOG_PENDING_DEFECTS, 0), .name = "pending defects log", .period_s = ATA_LOG_PERIOD_S,
	.is_offered = has_pending_defects, .decode = decode, .fields = pending_fields, .n_fields = ARRAY_SIZE(pending_fields),
};
