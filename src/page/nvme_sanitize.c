/* NVMe log 81h: what became of the last sanitize operation (NVM Express base, Sanitize Status log page). One that failed leaves
 * the drive refusing most commands. */
#include "page/nvme_page.h"
#include "page/pages.h"

enum { LOG_BYTES = 512, RUNNING = 2 };

/* SSTAT, bits 2:0. */
static const char *state_of(uint64_t status)
{
	static const char *const states[8] = { "never", "done", [RUNNING] = "running", "failed", "done_deallocated" };

	return states[status & 7] ? states[status & 7] : "unknown";
}

static struct fail decode(const struct page *page, struct bytes in, const struct drive_facts *facts, struct sample_sink *to)
{
	struct bytes log;
	struct fail f = nvme_log_take(page, in, LOG_BYTES, true, &log);
	uint64_t status = nvme_number(log, 2, 2);

	if (failed(f))
		return f;
	page_put(to, drive_nvme_sanitize_info, state_of(status), NULL, 1);
	if ((status & 7) == RUNNING)		/* SPROG */
		page_put(to, drive_nvme_sanitize_progress_ratio, NULL, NULL, (double)nvme_number(log, 0, 2) / 65536);
	return OK;
}

static bool is_offered(const struct page *page, const struct drive_facts *facts)
{
	return facts->nvme_has_sanitize && nvme_log_is_listed(facts, NVME_LOG_SANITIZE);
}

static const struct page_told told[] = {
	{ drive_nvme_sanitize_info, "NVM Express base, Sanitize Status, SSTAT" },
	{ drive_nvme_sanitize_progress_ratio, "NVM Express base, Sanitize Status, SPROG" },
};

const struct page nvme_sanitize = {
	.name = "NVMe log 0x81", NVME_LOG(NVME_LOG_SANITIZE), .period_s = 3600, .is_offered = is_offered, .decode = decode,
	.told = told, .n_told = ARRAY_SIZE(told),
};
