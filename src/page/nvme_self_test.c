/* NVMe log 06h, what the drive's own tests found (NVM Express base, Device Self-test log page): the newest of up to 20 first. */
#include "page/nvme_page.h"
#include "page/pages.h"

enum { LOG_BYTES = 564, RESULTS = 20, FIRST_AT = 4, RESULT_BYTES = 28, HOURS_AT = 4, PASSED = 0, UNUSED = 0xf };

/* Self-test codes, as they are asked for. */
static const char *type_of(uint64_t code)
{
	static const char *const types[16] = { [1] = "short", [2] = "extended" };

	return types[code & 0xf] ? types[code & 0xf] : "other";
}

/* By the result field's low half. */
static const struct {
	const char *name;
	bool is_failure;
} results[16] = {
	[PASSED] = { "passed", false },
	[0x1] = { "aborted", false },		/* by a command */
	[0x2] = { "interrupted", false },	/* by a reset of the controller */
	[0x3] = { "interrupted", false },	/* a namespace was removed */
	[0x4] = { "interrupted", false },	/* a format */
	[0x5] = { "incomplete", true },		/* a fatal error, or one that is not known */
	[0x6] = { "failed", true }, [0x7] = { "failed", true },
	[0x8] = { "interrupted", false },	/* for a reason that is not known */
	[0x9] = { "interrupted", false },	/* a sanitize operation */
};

/* A result without a type is none, whatever it says: some drives give zeroes before their first test. */
static bool is_result(uint64_t status)
{
	return status >> 4 && (status & 0xf) != UNUSED;
}

static void newest_put(struct bytes log, struct sample_sink *to)
{
	struct bytes newest = bytes_at(log, FIRST_AT, RESULT_BYTES);
	uint64_t status = nvme_number(newest, 0, 1), running = nvme_number(log, 0, 1) & 0xf;
	const char *result = results[status & 0xf].name;

	if (running) {		/* Current Device Self-Test Operation and Completion */
		page_put(to, drive_self_test_info, type_of(running), "running", 1);
		page_put(to, drive_nvme_self_test_progress_ratio, type_of(running), NULL,
			 (double)(nvme_number(log, 1, 1) & 0x7f) / 100);
	} else if (is_result(status)) {
		page_put(to, drive_self_test_info, type_of(status >> 4), result ? result : "unknown", 1);
		page_put(to, drive_self_test_power_on_seconds, NULL, NULL, (double)nvme_number(newest, HOURS_AT, 8) * 3600);
	}
}

static struct fail decode(const struct page *page, struct bytes in, const struct drive_facts *facts, struct sample_sink *to)
{
	struct bytes log;
	struct fail f = nvme_log_take(page, in, LOG_BYTES, true, &log);
	unsigned n_failed = 0;

	if (failed(f))
		return f;
	newest_put(log, to);
	for (size_t i = 0; i < RESULTS; i++) {
		uint64_t status = nvme_number(log, FIRST_AT + i * RESULT_BYTES, 1);

		n_failed += is_result(status) && results[status & 0xf].is_failure;
	}
	page_put(to, drive_self_test_failures, NULL, NULL, n_failed);
	return OK;
}

static bool is_offered(const struct page *page, const struct drive_facts *facts)
{
	return facts->nvme_has_self_tests && nvme_log_is_listed(facts, NVME_LOG_SELF_TESTS);
}

static const struct page_told told[] = {
	{ drive_self_test_info, "NVM Express base, Device Self-test, Device Self-test Status" },
	{ drive_self_test_power_on_seconds, "NVM Express base, Device Self-test, Power On Hours" },
	{ drive_self_test_failures, "NVM Express base, Device Self-test, Device Self-test Status, results 5h to 7h" },
	{ drive_nvme_self_test_progress_ratio, "NVM Express base, Device Self-test, Current Device Self-Test Completion" },
};

const struct page nvme_self_tests = {
	.name = "NVMe log 0x06", NVME_LOG(NVME_LOG_SELF_TESTS), .period_s = 3600, .is_offered = is_offered, .decode = decode,
	.told = told, .n_told = ARRAY_SIZE(told),
};
