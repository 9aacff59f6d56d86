/* Which logs an NVMe controller has. One that it lacks is never asked for: each such command would be an entry in its error
 * log. The list of logs (00h) came with version 2.0; OCP's and Intel's logs are older, so there are models that are known to
 * have them. */
#include <string.h>

#include "page/nvme_page.h"
#include "page/pages.h"

enum { LIST_BYTES = 1024, LIST_ENTRY = 4, N_LOGS = 256, IDENTIFY_BYTES = 4096, CNS_UUIDS = 0x17, UUID_ENTRY = 32, UUID_AT = 16,
       UUID_BYTES = 16, UUIDS = 127 };

/* ---- the controller's own list */

static bool lists(struct bytes in, size_t log)
{
	return nvme_number(in, log * LIST_ENTRY, 1) & 1;	/* LSUPP */
}

static struct fail learn_list(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct bytes list;
	struct fail f = nvme_log_take(page, in, LIST_BYTES, false, &list);

	if (failed(f))
		return f;
	if (!lists(list, NVME_LOG_HEALTH))
		return fail_format(page->name, "does not list the health log, which every controller has");
	memset(facts->nvme_logs, 0, sizeof facts->nvme_logs);
	for (unsigned log = 0; log < N_LOGS; log++)
		if (lists(list, log))
			facts_set_bit(facts->nvme_logs, log);
	facts->nvme_has_log_list = true;
	return OK;
}

static bool offers_list(const struct page *page, const struct drive_facts *facts)
{
	return facts->nvme_offers_log_list;
}

static void refused_list(const struct page *page, struct drive_facts *facts)
{
	facts->nvme_refuses_log_list = true;
}

const struct page nvme_log_list = {
	.name = "NVMe log 0x00", NVME_LOG(NVME_LOG_LIST), .is_offered = offers_list, .refused = refused_list, .learn = learn_list,
};

bool nvme_log_is_listed(const struct drive_facts *facts, uint8_t log)
{
	return !facts->nvme_has_log_list || facts_bit(facts->nvme_logs, log);
}

/* ---- models */

enum { SAMSUNG = 0x144d, MICRON = 0x1344, INTEL = 0x8086, SOLIDIGM = 0x025e, KIOXIA = 0x1e0f };

/* Intel's and Solidigm's drives for data centres have log CAh, their client drives do not. PM9A3 (MZQL2, MZ1L2, MZ3L), Micron's
 * drives from the 7400 on and Kioxia's XD series were made to OCP's specification. */
static const struct {
	uint16_t vendor;
	const char *models;
	uint8_t log;
} models[] = {
	{ INTEL, "INTEL SSDPE2M*|INTEL SSDPE2K*|INTEL SSDPE2N*|INTEL SSDPEDM*|INTEL SSDPEDK*|INTEL SSDPECM*|INTEL SSDPELK*|INTEL SSDPF2*",
	  NVME_LOG_INTEL },
	{ SOLIDIGM, "INTEL SSDPF2*|SOLIDIGM SSDPF2*", NVME_LOG_INTEL },
	{ SAMSUNG, "SAMSUNG MZQL2*|SAMSUNG MZ1L2*|SAMSUNG MZ3L*", NVME_LOG_OCP_HEALTH },
	{ MICRON, "Micron_7400*|Micron_7450*|Micron_7500*|Micron_9400*|Micron_6500*", NVME_LOG_OCP_HEALTH },
	{ KIOXIA, "KIOXIA KXD5*|KIOXIA KXD6*|KIOXIA KXD7*", NVME_LOG_OCP_HEALTH },
};

static bool is_of_model(const struct drive_facts *facts, uint8_t log)
{
	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		if (models[i].log == log && models[i].vendor == facts->nvme_vendor &&
		    text_matches_any(models[i].models, facts->model))
			return true;
	return false;
}

bool nvme_has_vendor_log(const struct drive_facts *facts, uint8_t log)
{
	if (facts->nvme_has_log_list)
		return facts_bit(facts->nvme_logs, log);
	if (facts->nvme_offers_log_list && !facts->nvme_refuses_log_list)
		return false;		/* it is still to be read */
	return is_of_model(facts, log);
}

/* ---- UUIDs: two makers of one drive's firmware may give one log identifier two meanings */

/* As the list holds it: the bytes of an RFC 9562 UUID from the first to the last (OCP Datacenter NVMe SSD, UUID list). */
static const uint8_t ocp[UUID_BYTES] = { 0xc1, 0x94, 0xd5, 0x5b, 0xe0, 0x94, 0x47, 0x94,
					 0xa2, 0x1d, 0x29, 0x99, 0x8f, 0x56, 0xbe, 0x6f };

/* NVM Express base, UUID list: entry 0 is reserved, so that an entry's number is its index; zeroes end it. */
static struct fail learn_uuids(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct bytes list;
	struct fail f = nvme_log_take(page, in, IDENTIFY_BYTES, true, &list);

	facts->nvme_knows_uuids = !failed(f);
	for (unsigned i = 1; i <= UUIDS && !failed(f); i++) {
		struct bytes uuid = bytes_at(list, i * UUID_ENTRY + UUID_AT, UUID_BYTES);

		if (bytes_all(uuid, 0))
			break;
		if (!memcmp(uuid.at, ocp, sizeof ocp)) {
			facts->nvme_ocp_uuid = (uint8_t)i;
			break;
		}
	}
	return f;
}

static bool offers_uuids(const struct page *page, const struct drive_facts *facts)
{
	return facts->nvme_has_uuids;
}

static void refused_uuids(const struct page *page, struct drive_facts *facts)
{
	facts->nvme_knows_uuids = true;		/* that there are none */
}

const struct page nvme_identify_uuids = {
	.name = "NVMe UUID list", .transport = TRANSPORT_NVME,
	.command = { .name = COMMAND_NVME_IDENTIFY, .key = { [KEY_CNS] = CNS_UUIDS } },
	.is_offered = offers_uuids, .refused = refused_uuids, .learn = learn_uuids,
};

bool nvme_has_ocp_log(const struct drive_facts *facts, uint8_t log)
{
	return nvme_has_vendor_log(facts, log) && (!facts->nvme_has_uuids || facts->nvme_knows_uuids);
}

uint32_t nvme_ocp_uuid(const struct page *page, const struct drive_facts *facts)
{
	return facts_bit(facts->nvme_refused_by_uuid, page->command.key[KEY_ID] & 0xff) ? 0 : facts->nvme_ocp_uuid;
}

void nvme_ocp_refused(const struct page *page, struct drive_facts *facts)
{
	if (page->command.key[KEY_UUID])
		facts_set_bit(facts->nvme_refused_by_uuid, page->command.key[KEY_ID] & 0xff);
}

/* ---- any log */

struct fail nvme_log_take(const struct page *page, struct bytes in, size_t n, bool may_be_zeroes, struct bytes *ret)
{
	*ret = bytes_take(&in, n);
	if (in.torn)
		return fail_format(page->name, "shorter than it must be");
	if (!may_be_zeroes && bytes_all(*ret, 0))
		return fail_format(page->name, "all zeroes");
	return bytes_all(*ret, 0xff) ? fail_format(page->name, "all ones") : OK;
}

void nvme_fields_put(const struct page *page, struct bytes log, const struct drive_facts *facts, struct sample_sink *to)
{
	for (size_t i = 0; i < page->n_fields; i++)
		page_field_put(&page->fields[i], log, true, facts, to);
}
