/* NVMe log 01h, the entries that the controller made of errors (NVM Express base, Error Information log page): of which type
 * those are that came since the exporter first read the drive. It is read only when the health log counts more of them than
 * before, for most never are: a host's mistakes count too. */
#include "page/nvme_page.h"
#include "page/pages.h"

enum { ENTRY_BYTES = 64, STATUS_AT = 12, TYPES = 8 };

/* Status Code Type: bits 11:9 of the status field, whose bit 0 is the phase tag, and the code in bits 8:1. Of the type for media
 * and data those from 85h on tell of no lost data: a compare that failed, access denied, a block that is not written. */
static enum nvme_error_type type_of(struct bytes entry)
{
	enum { MEDIA = 2, COMPARE_FAILURE = 0x85, UNWRITTEN_BLOCK = 0x87 };
	uint64_t status = nvme_number(entry, STATUS_AT, 2), type = status >> 9 & 7, code = status >> 1 & 0xff;
	static const enum nvme_error_type types[TYPES] = {
		[0] = NVME_ERROR_GENERIC, [1] = NVME_ERROR_COMMAND, [2] = NVME_ERROR_MEDIA, [3] = NVME_ERROR_PATH,
		[4] = NVME_ERROR_OTHER, [5] = NVME_ERROR_OTHER, [6] = NVME_ERROR_OTHER, [7] = NVME_ERROR_VENDOR,
	};

	if (type == MEDIA && code >= COMPARE_FAILURE && code <= UNWRITTEN_BLOCK)
		return NVME_ERROR_COMMAND;
	return types[type];
}

/* The newest entry is the first; those not in use, whose count is 0, are the last. No more are new than the health log
 * counts: in the log of some controllers entries have other numbers. */
static struct fail learn_errors(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	uint64_t before = facts->nvme_errors_seen, n_left = facts->nvme_errors - facts->nvme_errors_asked;

	if (!in.left || in.left % ENTRY_BYTES)
		return fail_format(page->name, "ends within an entry");
	while (in.left && n_left) {
		struct bytes entry = bytes_take(&in, ENTRY_BYTES);
		uint64_t number = nvme_number(entry, 0, 8);

		if (number <= before || bytes_all(entry, 0xff))
			continue;
		facts->nvme_errors_by_type[type_of(entry)]++;
		n_left--;
		if (number > facts->nvme_errors_seen)
			facts->nvme_errors_seen = number;
	}
	facts->nvme_errors_by_type[NVME_ERROR_UNSEEN] += n_left;
	facts->nvme_errors_asked = facts->nvme_errors;
	return OK;
}

static bool has_grown(const struct page *page, const struct drive_facts *facts)
{
	return facts->has_nvme_errors && facts->nvme_errors > facts->nvme_errors_asked;
}

static bool is_offered(const struct page *page, const struct drive_facts *facts)
{
	return nvme_log_is_listed(facts, NVME_LOG_ERRORS);
}

static void refused(const struct page *page, struct drive_facts *facts)
{
	facts->refuses_nvme_errors = true;
}

static const struct page_told told[] = {
	{ drive_nvme_logged_errors_total, "NVM Express base, Error Information, Status Field" },
};

const struct page nvme_errors = {
	.name = "NVMe log 0x01", NVME_LOG(NVME_LOG_ERRORS), .period_s = 60, .is_offered = is_offered, .is_wanted = has_grown,
	.refused = refused, .is_given_up_when_refused = true, .learn = learn_errors, .told = told, .n_told = ARRAY_SIZE(told),
};
