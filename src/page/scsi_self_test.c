/* What the drive's own tests found, and how long they take. */
#include "page/pages.h"
#include "page/scsi_log.h"
#include "page/scsi_mode.h"
#include "page/scsi_vpd.h"

enum { TESTS = 20, TEST_BYTES = 16, RUNNING = 0xf, HOURS_OVERRUN = 0xffff };

/* SPC, Self-Test Results log page: SELF-TEST CODE, in the background or in the foreground. */
static const char *const types[8] = {
	[1] = "short", [2] = "extended", [5] = "short", [6] = "extended",
};

static const struct {
	const char *name;
	bool is_failure;
} results[16] = {
	[0x0] = { "passed", false },
	[0x1] = { "aborted", false },		/* by SEND DIAGNOSTIC */
	[0x2] = { "interrupted", false },	/* by a reset or another command */
	[0x3] = { "incomplete", true },		/* an unknown error: it could not be completed */
	[0x4] = { "failed", true }, [0x5] = { "failed", true }, [0x6] = { "failed", true }, [0x7] = { "failed", true },
	[RUNNING] = { "running", false },
};

struct self_test {
	uint8_t type, result;
	uint16_t hours;
};

/* False for an entry that is not used: no test was made at hour 0. */
static bool test_of(struct bytes value, struct self_test *ret)
{
	uint8_t first = (uint8_t)bytes_be(&value, 1);

	bytes_skip(&value, 1);
	*ret = (struct self_test){ .type = first >> 5, .result = first & 0xf, .hours = (uint16_t)bytes_be(&value, 2) };
	return !value.torn && (first || ret->hours);
}

static void newest_put(const struct self_test *test, struct sample_sink *to)
{
	const char *type = types[test->type], *result = results[test->result].name;

	page_put(to, drive_self_test_info, type ? type : "other", result ? result : "unknown", 1);
	if (test->result != RUNNING && test->hours != HOURS_OVERRUN)
		page_put(to, drive_self_test_power_on_seconds, NULL, NULL, (double)test->hours * 3600);
}

/* Parameter 0001h is the newest. */
static struct fail decode_tests(const struct page *page, struct bytes in, const struct drive_facts *facts,
				struct sample_sink *to)
{
	struct bytes params, value;
	struct fail f = scsi_log_params(page, in, &params);
	unsigned n_failed = 0;
	bool has_newest = false;

	if (failed(f))
		return f;
	for (uint16_t code = 1; code <= TESTS; code++) {
		struct self_test test;

		if (!scsi_log_find(params, code, &value) || value.left < TEST_BYTES || !test_of(value, &test))
			continue;
		if (!has_newest)
			newest_put(&test, to);
		has_newest = true;
		n_failed += results[test.result].is_failure;
	}
	page_put(to, drive_self_test_failures, NULL, NULL, n_failed);
	return OK;
}

static const struct page_told tests_told[] = {
	{ drive_self_test_info, "SPC, Self-Test Results log page (10h), SELF-TEST CODE, SELF-TEST RESULTS" },
	{ drive_self_test_power_on_seconds, "SPC, Self-Test Results log page (10h), ACCUMULATED POWER ON HOURS" },
	{ drive_self_test_failures, "SPC, Self-Test Results log page (10h), SELF-TEST RESULTS 3h to 7h" },
};

const struct page scsi_self_tests = {
	SCSI_LOG_PAGE(10), .period_s = 3600, .decode = decode_tests, .told = tests_told, .n_told = ARRAY_SIZE(tests_told),
};

/* ---- how long the extended one takes: in seconds, or where these do not suffice, in minutes */

static const struct page_field control_fields[] = {
	{ .at = 8, .width = 2, .unit = RAW_SECONDS, .absent = ABSENT_ONES_OR_ZERO, .rank = 2, .family = drive_self_test_duration_seconds,
	  .label = { "extended" }, .spec = "SPC, Control mode page (0Ah), EXTENDED SELF-TEST COMPLETION TIME" },
};

static const struct page_field extended_inquiry_fields[] = {
	{ .at = 6, .width = 2, .unit = RAW_MINUTES, .absent = ABSENT_ONES_OR_ZERO, .rank = 1, .family = drive_self_test_duration_seconds,
	  .label = { "extended" },
	  .spec = "SPC, Extended INQUIRY Data VPD page (86h), EXTENDED SELF-TEST COMPLETION MINUTES" },
};

static struct fail decode_extended_inquiry(const struct page *page, struct bytes in, const struct drive_facts *facts,
					   struct sample_sink *to)
{
	struct bytes body;
	struct fail f = scsi_vpd_open(page, in, &body);

	if (!failed(f))
		page_field_put(&page->fields[0], body, false, facts, to);
	return f;
}

const struct page scsi_mode_control = {
	SCSI_MODE_PAGE(0a), .decode = scsi_mode_decode, .fields = control_fields, .n_fields = ARRAY_SIZE(control_fields),
};
const struct page scsi_vpd_extended_inquiry = {
	SCSI_VPD_PAGE(86), .is_offered = scsi_vpd_is_offered, .decode = decode_extended_inquiry,
	.fields = extended_inquiry_fields, .n_fields = ARRAY_SIZE(extended_inquiry_fields),
};
