/* Byte 0 chooses a page, the rest is what the drive answered. Each page runs with facts of a drive that said nothing yet
 * and of one that offers everything. */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page/page.h"

static void check(struct sample_sink *to, const struct sample *s)
{
	const struct metric_family *family;

	if (s->family >= N_METRIC_FAMILIES || !isfinite(s->value))
		abort();
	family = &metric_families[s->family];
	for (size_t i = 0; i < SAMPLE_LABELS; i++) {
		if (!s->label[i] != !family->label[i])
			abort();
		if (!s->label[i])
			return;
		if (!s->label[i][0])
			abort();
	}
}

static void check_quantity(struct sample_sink *to, const char *quantity)
{
	if (!quantity[0])
		abort();
}

static void fill(struct drive_facts *facts, enum transport transport)
{
	*facts = (struct drive_facts){
		.transport = transport, .vendor = "HGST", .model = "EXAMPLE", .serial = "S1", .logical_block = 4096, .rpm = 7200,
		.scsi_version = 7, .has_vpd_list = true, .has_log_list = true,
		.has_smart = true, .has_smart_log = true, .has_gp_log = true, .has_identify = true, .has_thresholds = true,
		.has_log_directory = true, .has_statistics_list = true,
		.nvme_version = 0x020000, .nvme_vendor = 0x8086, .nvme_total_bytes = UINT64_MAX, .nvme_unallocated_bytes = UINT64_MAX,
		.nvme_makes_namespaces = true, .nvme_has_self_tests = true, .nvme_has_groups = true, .nvme_has_uuids = true,
		.nvme_last_group = 1, .nvme_has_sanitize = true, .nvme_offers_log_list = true, .nvme_has_log_list = true,
		.nvme_knows_uuids = true, .nvme_ocp_uuid = 127, .nvme_self_test_minutes = UINT16_MAX,
		.has_nvme_errors = true, .nvme_errors = 1 << 20, .nvme_errors_asked = 1, .nvme_errors_seen = 1,
		.nvme_warning_kelvin = 343, .n_namespaces = FACTS_NAMESPACES,
	};
	memset(facts->nvme_logs, 0xff, sizeof facts->nvme_logs);
	memset(facts->log_pages, 0xff, sizeof facts->log_pages);
	memset(facts->log_subpages, 0xff, sizeof facts->log_subpages);
	memset(facts->thresholds, 1, sizeof facts->thresholds);
	for (size_t i = 0; i < ARRAY_SIZE(facts->gp_log_pages); i++)
		facts->gp_log_pages[i] = UINT16_MAX;
	memset(facts->statistics_pages, 0xff, sizeof facts->statistics_pages);
	for (uint32_t i = 0; i < FACTS_NAMESPACES; i++)
		facts->namespaces[i] = (struct nvme_namespace){ .nsid = i + 1, .size_bytes = UINT64_MAX };
}

static void run(const struct page *of, struct bytes in, struct drive_facts *facts)
{
	struct sample_sink sink = { .put = check, .implausible = check_quantity };
	struct page asked = *of;	/* as the plan asks it */
	const struct page *page = &asked;
	struct fail f;

	if (of->is_offered)
		(void)of->is_offered(of, facts);
	if (of->is_wanted)
		(void)of->is_wanted(of, facts);
	if (of->count)
		asked.command.key[KEY_COUNT] = of->count(of, facts);
	if (of->uuid)
		asked.command.key[KEY_UUID] = of->uuid(of, facts);
	if (of->per_group)
		asked.command.key[KEY_LSI] = facts->nvme_last_group;
	if (of->per_path)
		asked.place = "0000:01:00.0";
	if (page->learn) {
		f = page->learn(page, in, facts);
		if (failed(f) && !f.what)
			abort();
	}
	if (page->decode) {
		f = page->decode(page, in, facts, &sink);
		if (failed(f) && !f.what)
			abort();
	}
	facts_samples(facts, &sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct drive_facts *facts = calloc(1, sizeof *facts);
	size_t n_pages = 0;
	const struct page *page;

	while (pages[n_pages])
		n_pages++;
	if (facts && size) {
		page = pages[data[0] % n_pages];
		facts->transport = page->transport;
		run(page, bytes_of(data + 1, size - 1), facts);
		fill(facts, page->transport);
		run(page, bytes_of(data + 1, size - 1), facts);
	}
	free(facts);
	return 0;
}
