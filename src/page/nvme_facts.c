/* Samples that follow from what an NVMe controller and its namespaces said of themselves. */
#include <stdio.h>

#include "page/nvme_page.h"

/* Of the namespaces where the subsystem does not tell its own size (TNVMCAP is optional). A full list may not hold them
 * all, and a sum of some is no capacity. */
static uint64_t namespaces_bytes(const struct drive_facts *facts)
{
	uint64_t sum = 0;

	if (facts->n_namespaces >= FACTS_NAMESPACES)
		return 0;
	for (uint32_t i = 0; i < facts->n_namespaces; i++)
		if (__builtin_add_overflow(sum, facts->namespaces[i].size_bytes, &sum))
			return 0;
	return sum;
}

uint64_t facts_nvme_capacity(const struct drive_facts *facts)
{
	return facts->nvme_total_bytes ? facts->nvme_total_bytes : namespaces_bytes(facts);
}

struct nvme_namespace *facts_namespace(struct drive_facts *facts, uint32_t nsid)
{
	uint32_t i = 0;

	while (i < facts->n_namespaces && facts->namespaces[i].nsid != nsid)
		i++;
	if (i == FACTS_NAMESPACES)
		return NULL;
	if (i == facts->n_namespaces)
		facts->namespaces[facts->n_namespaces++] = (struct nvme_namespace){ .nsid = nsid };
	return &facts->namespaces[i];
}

static void capacity_put(const struct drive_facts *facts, struct sample_sink *to)
{
	uint64_t capacity = facts_nvme_capacity(facts);

	if (capacity)
		page_put(to, drive_capacity_bytes, NULL, NULL, (double)capacity);
	if (facts->nvme_total_bytes && facts->nvme_makes_namespaces)
		page_put(to, drive_nvme_unallocated_bytes, NULL, NULL, (double)facts->nvme_unallocated_bytes);
}

static void limit_put(const char *kind, uint16_t kelvin, const struct drive_facts *facts, struct sample_sink *to)
{
	double celsius;

	if (kelvin && raw_convert(RAW_KELVIN, kelvin, facts, &celsius))
		page_put(to, drive_temperature_limit_celsius, kind, NULL, celsius);
}

static void namespace_put(const struct nvme_namespace *namespace, struct sample_sink *to)
{
	const struct {
		uint16_t family;
		uint64_t value;
	} rows[] = {
		{ drive_nvme_namespace_size_bytes, namespace->size_bytes },
		{ drive_nvme_namespace_capacity_bytes, namespace->capacity_bytes },
		{ drive_nvme_namespace_used_bytes, namespace->used_bytes },
		{ drive_nvme_namespace_block_bytes, namespace->block_bytes },
	};
	char nsid[16];

	snprintf(nsid, sizeof nsid, "%u", namespace->nsid);
	for (size_t i = 0; i < ARRAY_SIZE(rows) && namespace->size_bytes; i++)
		if (rows[i].value != NVME_BYTES_UNKNOWN && (rows[i].value || rows[i].family != drive_nvme_namespace_block_bytes))
			sample_put(to, &(struct sample){ .family = rows[i].family, .is_dynamic = true, .label = { nsid },
							 .value = (double)rows[i].value });
}

static void errors_put(const struct drive_facts *facts, struct sample_sink *to)
{
	static const char *const types[N_NVME_ERROR_TYPES] = {
		[NVME_ERROR_GENERIC] = "generic", [NVME_ERROR_COMMAND] = "command", [NVME_ERROR_MEDIA] = "media",
		[NVME_ERROR_PATH] = "path", [NVME_ERROR_VENDOR] = "vendor", [NVME_ERROR_OTHER] = "other",
		[NVME_ERROR_UNSEEN] = "unseen",
	};

	if (!facts->has_nvme_errors || facts->refuses_nvme_errors || !nvme_log_is_listed(facts, NVME_LOG_ERRORS))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		page_put(to, drive_nvme_logged_errors_total, types[i], NULL, (double)facts->nvme_errors_by_type[i]);
}

void nvme_facts_samples(const struct drive_facts *facts, struct sample_sink *to)
{
	capacity_put(facts, to);
	limit_put("warning", facts->nvme_warning_kelvin, facts, to);
	limit_put("critical", facts->nvme_critical_kelvin, facts, to);
	if (facts->nvme_has_self_tests && facts->nvme_self_test_minutes)
		page_put(to, drive_self_test_duration_seconds, "extended", NULL, facts->nvme_self_test_minutes * 60.0);
	for (uint32_t i = 0; i < facts->n_namespaces; i++)
		namespace_put(&facts->namespaces[i], to);
	errors_put(facts, to);
}
