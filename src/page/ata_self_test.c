/* What the drive's own tests found: of the extended self-test log (ACS-4, log address 07h), where the drive has
 * none of the SMART self-test log (06h). Both are rings of descriptors, with an index of the newest. */
#include "page/ata_logs.h"
#include "page/pages.h"

enum {
	EXTENDED_INDEX_AT = 2, EXTENDED_FIRST = 4, EXTENDED_BYTES = 26, EXTENDED_A_PAGE = 19,
	EXTENDED_PAGES_MAX = 16,	/* 304 tests; nobody keeps that many */
	SHORT_INDEX_AT = 508, SHORT_FIRST = 2, SHORT_BYTES = 24, SHORT_A_PAGE = 21,
	HOURS_OVERRUN = 0xffff,
	RUNNING = 0xf,
};

/* ---- a descriptor: what was run, how it ended, and when. Both logs begin theirs so. */

struct self_test {
	uint8_t subcommand, result;
	uint16_t hours;
};

/* ACS-4, SMART EXECUTE OFF-LINE IMMEDIATE, subcommands. Bit 7: in captive mode, which is no other test. */
static const char *type_of(uint8_t subcommand)
{
	static const char *const types[] = { [1] = "short", [2] = "extended", [3] = "conveyance", [4] = "selective" };
	size_t type = subcommand & 0x7f;

	return type < ARRAY_SIZE(types) && types[type] ? types[type] : "other";
}

/* ACS-4, self-test execution status values. */
static const struct {
	const char *name;
	bool is_failure;
} results[16] = {
	[0x0] = { "passed", false },
	[0x1] = { "aborted", false },		/* by the host */
	[0x2] = { "interrupted", false },	/* by a reset */
	[0x3] = { "incomplete", true },		/* a fatal or unknown error: it could not be completed */
	[0x4] = { "failed", true }, [0x5] = { "failed", true }, [0x6] = { "failed", true }, [0x7] = { "failed", true },
	[0x8] = { "failed", true },
	[RUNNING] = { "running", false },
};

/* False for a descriptor that is not used. */
static bool test_of(struct bytes descriptor, struct self_test *ret)
{
	if (bytes_all(descriptor, 0))
		return false;
	*ret = (struct self_test){ .subcommand = (uint8_t)ata_log_number(descriptor, 0, 1),
				   .result = (uint8_t)ata_log_number(descriptor, 1, 1) >> 4,
				   .hours = (uint16_t)ata_log_number(descriptor, 2, 2) };
	return true;
}

/* The hours have 16 bits. They stop at the last number or begin anew: on a drive that has been on for longer they
 * say nothing; and no test ended in the future. */
static void hours_put(const struct self_test *test, const struct drive_facts *facts, struct sample_sink *to)
{
	uint32_t now = facts->power_on_hours;

	if (test->result == RUNNING || test->hours == HOURS_OVERRUN || now >= HOURS_OVERRUN)
		return;
	if (now && test->hours > now + 1)	/* it may have counted on since */
		to->implausible(to, "self_test_power_on");
	else
		page_put(to, drive_self_test_power_on_seconds, NULL, NULL, (double)test->hours * 3600);
}

static void newest_put(struct bytes descriptor, const struct drive_facts *facts, struct sample_sink *to)
{
	struct self_test test;
	const char *result;

	if (!test_of(descriptor, &test))
		return;
	result = results[test.result].name;
	page_put(to, drive_self_test_info, type_of(test.subcommand), result ? result : "unknown", 1);
	hours_put(&test, facts, to);
}

/* ---- the logs */

static const struct ring {
	size_t index_at, index_bytes, first, bytes, n;	/* of a page; the index stands in the first one */
} extended = { EXTENDED_INDEX_AT, 2, EXTENDED_FIRST, EXTENDED_BYTES, EXTENDED_A_PAGE },
  smart = { SHORT_INDEX_AT, 1, SHORT_FIRST, SHORT_BYTES, SHORT_A_PAGE };

static struct bytes descriptor_of(const struct ring *ring, struct bytes log, size_t i)
{
	return bytes_at(log, i / ring->n * ATA_LOG_BYTES + ring->first + i % ring->n * ring->bytes, ring->bytes);
}

/* All pages; each has its checksum. Those that are not in use may be zeroes; so are all of a log that tells
 * nothing. */
static struct fail check_pages(const struct page *page, struct bytes in, size_t n_pages)
{
	for (size_t i = 0; i < n_pages; i++) {
		struct bytes all, one = bytes_take(&in, ATA_LOG_BYTES);
		struct fail f = bytes_all(one, 0) ? OK : ata_log_open(page, one, &all);

		if (failed(f))
			return f;
	}
	return in.left ? fail_format(page->name, "longer than asked for") : OK;
}

/* log: as many pages of it as were asked for; is_whole: all there are. */
static struct fail ring_decode(const struct ring *ring, const struct page *page, struct bytes log, bool is_whole,
			       const struct drive_facts *facts, struct sample_sink *to)
{
	size_t n = log.left / ATA_LOG_BYTES * ring->n, newest = ata_log_number(log, ring->index_at, ring->index_bytes);
	unsigned n_failed = 0;

	if (bytes_all(log, 0))	/* not even a version */
		return OK;
	if (newest > n && is_whole)
		return fail_format(page->name, "names a test past its end");
	if (newest && newest <= n)
		newest_put(descriptor_of(ring, log, newest - 1), facts, to);
	for (size_t i = 0; newest && i < n; i++) {	/* index 0: none was ever made */
		struct self_test test;

		n_failed += test_of(descriptor_of(ring, log, i), &test) && results[test.result].is_failure;
	}
	if (is_whole)
		page_put(to, drive_self_test_failures, NULL, NULL, n_failed);
	return OK;
}

static uint32_t pages_of(const struct page *page)
{
	return page->command.key[KEY_COUNT] ? page->command.key[KEY_COUNT] : 1;
}

static struct fail decode_extended(const struct page *page, struct bytes in, const struct drive_facts *facts,
				   struct sample_sink *to)
{
	uint32_t n = pages_of(page);
	struct fail f = check_pages(page, in, n);
	bool is_whole = facts->gp_log_pages[ATA_LOG_EXTENDED_SELF_TESTS] <= n;

	return failed(f) ? f : ring_decode(&extended, page, in, is_whole, facts, to);
}

static struct fail decode_smart(const struct page *page, struct bytes in, const struct drive_facts *facts,
				struct sample_sink *to)
{
	struct fail f = check_pages(page, in, 1);

	return failed(f) ? f : ring_decode(&smart, page, in, true, facts, to);
}

static uint32_t count_extended(const struct page *page, const struct drive_facts *facts)
{
	uint32_t n = facts->gp_log_pages[ATA_LOG_EXTENDED_SELF_TESTS];

	if (facts->gives_one_self_test_page || n < 2)
		return 0;	/* as a command without a count */
	return n < EXTENDED_PAGES_MAX ? n : EXTENDED_PAGES_MAX;
}

/* The first page alone, then, if it was more. */
static void refused_extended(const struct page *page, struct drive_facts *facts)
{
	if (pages_of(page) > 1)
		facts->gives_one_self_test_page = true;
}

static bool has_extended(const struct page *page, const struct drive_facts *facts)
{
	return facts->has_smart && ata_log_is_listed(facts, ATA_LOG_EXTENDED_SELF_TESTS);
}

static bool has_smart(const struct page *page, const struct drive_facts *facts)
{
	return facts->has_smart_self_test_log && !ata_has_swapped_logs(facts) &&
	       ata_log_is_lacking(facts, ATA_LOG_EXTENDED_SELF_TESTS);
}

#define TOLD(log_spec) { \
	{ drive_self_test_info, log_spec ", self-test number, self-test execution status" }, \
	{ drive_self_test_power_on_seconds, log_spec ", life timestamp" }, \
	{ drive_self_test_failures, log_spec ", self-test execution status 3h to 8h" }, \
}

static const struct page_told extended_told[] = TOLD("ACS-4, Extended SMART self-test log (07h)");
static const struct page_told smart_told[] = TOLD("ACS-4, SMART self-test log (06h)");

const struct page ata_extended_self_tests = {
	ATA_LOG(ATA_LOG_EXTENDED_SELF_TESTS, 0), .name = "extended self-test log", .period_s = ATA_LOG_PERIOD_S,
	.is_offered = has_extended, .count = count_extended, .refused = refused_extended, .decode = decode_extended,
	.told = extended_told, .n_told = ARRAY_SIZE(extended_told),
};
const struct page ata_smart_self_tests = {
	ATA_SMART_LOG(ATA_LOG_SELF_TESTS), .name = "SMART self-test log", .period_s = ATA_LOG_PERIOD_S,
	.is_offered = has_smart, .decode = decode_smart, .told = smart_told, .n_told = ARRAY_SIZE(smart_told),
};
