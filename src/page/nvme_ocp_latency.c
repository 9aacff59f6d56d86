/* OCP's latency monitor, log C3h: how many commands were slow, by the drive's own clock (OCP Datacenter NVMe SSD Specification,
 * Latency Monitor). It counts only what takes at least the first threshold, in windows that follow each other: these are no
 * counters, and no histogram of all commands. */
#include "page/nvme_page.h"
#include "page/pages.h"

enum { BUCKETS = 4, OPERATIONS = 3,
       STATUS_AT = 0, THRESHOLDS_AT = 6, BUCKET_BYTES = 16, BUCKET_LATENCY_BYTES = 6, NO_LATENCY = 0xffff, THRESHOLD_STEP_MS = 5 };

/* The window that runs, and the one before. */
static const struct window {
	const char *name;
	size_t counts_at, latencies_at;
} windows[] = { { "active", 0x20, 0xc0 }, { "previous", 0xf0, 0x190 } };

/* Where an operation's count stands in a bucket's four, and its latency in the bucket's three. Counts begin with bucket 0,
 * latencies with bucket 3. */
static const struct {
	const char *op;
	uint8_t count, latency;
} operations[OPERATIONS] = { { "read", 3, 2 }, { "write", 2, 1 }, { "discard", 1, 0 } };

static const char *const bucket_names[BUCKETS] = { "0", "1", "2", "3" };

static void cell_put(struct bytes log, const struct window *w, size_t bucket, size_t op, struct sample_sink *to)
{
	size_t count_at = w->counts_at + bucket * BUCKET_BYTES + operations[op].count * 4;
	size_t latency_at = w->latencies_at + (BUCKETS - 1 - bucket) * BUCKET_LATENCY_BYTES + operations[op].latency * 2;
	uint64_t ms = nvme_number(log, latency_at, 2), count = nvme_number(log, count_at, 4);
	struct sample s = { .family = drive_nvme_latency_commands, .label = { w->name, operations[op].op, bucket_names[bucket] },
			    .value = (double)count };

	sample_put(to, &s);
	if (!count || !ms || ms == NO_LATENCY)
		return;
	s.family = drive_nvme_latency_recorded_seconds;
	s.value = (double)ms / 1000;
	sample_put(to, &s);
}

static struct fail decode(const struct page *page, struct bytes in, const struct drive_facts *facts, struct sample_sink *to)
{
	struct bytes log;
	struct fail f = nvme_log_take(page, in, NVME_OCP_BYTES, false, &log);

	if (failed(f) || !nvme_is_ocp(page, log) || !(nvme_number(log, STATUS_AT, 1) & 1))		/* it is switched off */
		return f;
	for (size_t i = 0; i < BUCKETS; i++)
		page_put(to, drive_nvme_latency_threshold_seconds, bucket_names[i], NULL,
			 (double)((nvme_number(log, THRESHOLDS_AT + i, 1) + 1) * THRESHOLD_STEP_MS) / 1000);
	for (size_t w = 0; w < ARRAY_SIZE(windows); w++)
		for (size_t i = 0; i < BUCKETS; i++)
			for (size_t op = 0; op < OPERATIONS; op++)
				cell_put(log, &windows[w], i, op, to);
	return OK;
}

static bool is_offered(const struct page *page, const struct drive_facts *facts)
{
	return nvme_has_ocp_log(facts, NVME_LOG_OCP_LATENCY);
}

static const struct page_told told[] = {
	{ drive_nvme_latency_threshold_seconds, "OCP Datacenter NVMe SSD, log C3h, Active Threshold A to D" },
	{ drive_nvme_latency_commands, "OCP Datacenter NVMe SSD, log C3h, Active and Static Bucket Counters" },
	{ drive_nvme_latency_recorded_seconds, "OCP Datacenter NVMe SSD, log C3h, Active and Static Measured Latency" },
};

const struct page nvme_ocp_latency = {
	.name = "NVMe log 0xc3 (OCP)", NVME_LOG(NVME_LOG_OCP_LATENCY), .period_s = 300, .is_offered = is_offered,
	.uuid = nvme_ocp_uuid, .refused = nvme_ocp_refused, .is_wanted = nvme_ocp_is_wanted, .learn = nvme_ocp_learn,
	.decode = decode, .told = told, .n_told = ARRAY_SIZE(told),
};
