/* Who an NVMe drive is, and what it offers (NVM Express base, Identify Controller data structure; NVM command set, Identify
 * Namespace data structure). */
#include "page/nvme_page.h"
#include "page/pages.h"

enum {
	IDENTIFY_BYTES = 4096,
	CNS_NAMESPACE = 0, CNS_CONTROLLER = 1,
	LBADS_MIN = 9, LBADS_MAX = 31,		/* powers of two: 512 bytes, and what fits facts */
	VERSION_2 = 2 << 16,
};

/* What no controller can say: it did not answer at all. */
static struct fail check_answer(const struct page *page, struct bytes in)
{
	if (in.left < IDENTIFY_BYTES)
		return fail_format(page->name, "shorter than 4096 bytes");
	if (bytes_all(bytes_take(&in, IDENTIFY_BYTES), 0xff))
		return fail_format(page->name, "all ones");
	return OK;
}

/* Of 128 bits the low 64; 0, not told, where they do not suffice: there is no such drive. */
static uint64_t long_number_at(struct bytes in, size_t offset)
{
	return nvme_number(in, offset + 8, 8) ? 0 : nvme_number(in, offset, 8);
}

/* CNTRLTYPE came with version 1.4. */
static bool is_aside(uint64_t type, uint32_t version)
{
	enum { DISCOVERY = 2, ADMINISTRATIVE = 3, VERSION_1_4 = 0x10400 };

	return version >= VERSION_1_4 && (type == DISCOVERY || type == ADMINISTRATIVE);
}

/* What may be asked of it later. The bits were reserved, and so 0, in the versions before they came. */
static void learn_offers(struct bytes in, struct drive_facts *facts)
{
	uint64_t attributes = nvme_number(in, 96, 4), admin = nvme_number(in, 256, 2), logs = nvme_number(in, 261, 1);

	facts->nvme_has_groups = attributes >> 4 & 1;		/* CTRATT */
	facts->nvme_has_uuids = attributes >> 9 & 1;
	facts->nvme_last_group = (uint16_t)nvme_number(in, 340, 2);	/* ENDGIDMAX */
	facts->nvme_makes_namespaces = admin >> 3 & 1;	/* OACS */
	facts->nvme_has_self_tests = admin >> 4 & 1;
	facts->nvme_offers_log_list = (logs >> 5 & 1) && facts->nvme_version >= VERSION_2;	/* LPA */
	facts->nvme_has_sanitize = nvme_number(in, 328, 4) & 7;	/* SANICAP: crypto erase, block erase, overwrite */
}

static struct fail learn_controller(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct fail f = check_answer(page, in);
	struct bytes subsystem = bytes_at(in, 768, 256);

	if (failed(f))
		return f;
	if (bytes_all(in, 0))
		return fail_format(page->name, "all zeroes");
	facts->nvme_vendor = (uint16_t)nvme_number(in, 0, 2);
	facts_text(bytes_at(in, 4, 20), facts->serial, sizeof facts->serial);
	facts_text(bytes_at(in, 24, 40), facts->model, sizeof facts->model);
	facts_text(bytes_at(in, 64, 8), facts->firmware, sizeof facts->firmware);
	bytes_text(&subsystem, 256, facts->subsystem);	/* ends at its NUL */
	facts->nvme_version = (uint32_t)nvme_number(in, 80, 4);
	facts->nvme_is_aside = is_aside(nvme_number(in, 111, 1), facts->nvme_version);
	learn_offers(in, facts);
	facts->nvme_warning_kelvin = (uint16_t)nvme_number(in, 266, 2);
	facts->nvme_critical_kelvin = (uint16_t)nvme_number(in, 268, 2);
	facts->nvme_total_bytes = long_number_at(in, 280);
	facts->nvme_unallocated_bytes = long_number_at(in, 296);
	facts->nvme_self_test_minutes = (uint16_t)nvme_number(in, 316, 2);
	return OK;
}

/* More than there can be is not told. */
static uint64_t in_bytes(uint64_t blocks, uint32_t block_bytes)
{
	uint64_t bytes;

	return __builtin_mul_overflow(blocks, (uint64_t)block_bytes, &bytes) ? NVME_BYTES_UNKNOWN : bytes;
}

/* NSZE, NCAP and NUSE count blocks of the format that FLBAS names, its number in bits 6:5 and 3:0. */
static struct fail namespace_sizes(const struct page *page, struct bytes in, struct nvme_namespace *ret)
{
	uint64_t flbas = nvme_number(in, 26, 1), blocks = nvme_number(in, 0, 8), shift;
	size_t format = (flbas >> 5 & 3) << 4 | (flbas & 0xf);

	if (!blocks)
		return OK;
	shift = nvme_number(in, 128 + 4 * format + 2, 1);
	if (shift < LBADS_MIN || shift > LBADS_MAX)
		return fail_format(page->name, "blocks of an impossible size");
	ret->block_bytes = UINT32_C(1) << shift;
	ret->size_bytes = in_bytes(blocks, ret->block_bytes);
	if (ret->size_bytes == NVME_BYTES_UNKNOWN)
		return fail_format(page->name, "no namespace is that large");
	ret->capacity_bytes = in_bytes(nvme_number(in, 8, 8), ret->block_bytes);
	ret->used_bytes = in_bytes(nvme_number(in, 16, 8), ret->block_bytes);
	return OK;
}

/* The page comes with the namespace's number in its command. An inactive namespace answers with zeroes: its size is 0. */
static struct fail learn_namespace(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct nvme_namespace told = { .nsid = page->command.key[KEY_IDENTIFY_NSID] };
	struct fail f = check_answer(page, in);
	struct nvme_namespace *place;

	if (!failed(f))
		f = namespace_sizes(page, in, &told);
	if (failed(f))
		return f;
	place = facts_namespace(facts, told.nsid);
	if (!place)
		return OK;
	told.endurance_group = (uint16_t)nvme_number(in, 102, 2);
	*place = told;
	if (!facts->wwn[0] && !facts_name(bytes_at(in, 104, 16), facts->wwn))	/* NGUID, else EUI-64 */
		facts_name(bytes_at(in, 120, 8), facts->wwn);
	return OK;
}

static const struct page_told controller_told[] = {
	{ drive_capacity_bytes, "NVM Express base, Identify Controller, TNVMCAP; else Identify Namespace, NSZE of all" },
	{ drive_temperature_limit_celsius, "NVM Express base, Identify Controller, WCTEMP, CCTEMP" },
	{ drive_nvme_unallocated_bytes, "NVM Express base, Identify Controller, UNVMCAP" },
	{ drive_self_test_duration_seconds, "NVM Express base, Identify Controller, EDSTT" },
};

const struct page nvme_identify_controller = {
	.name = "NVMe identify controller", .transport = TRANSPORT_NVME,
	.command = { .name = COMMAND_NVME_IDENTIFY, .key = { [KEY_CNS] = CNS_CONTROLLER } },
	.period_s = 3600, .is_identity = true, .is_mandatory = true, .learn = learn_controller,
	.told = controller_told, .n_told = ARRAY_SIZE(controller_told),
};

static const struct page_told namespace_told[] = {
	{ drive_nvme_namespace_size_bytes, "NVM command set, Identify Namespace, NSZE" },
	{ drive_nvme_namespace_capacity_bytes, "NVM command set, Identify Namespace, NCAP" },
	{ drive_nvme_namespace_used_bytes, "NVM command set, Identify Namespace, NUSE" },
	{ drive_nvme_namespace_block_bytes, "NVM command set, Identify Namespace, FLBAS, LBADS" },
};

const struct page nvme_identify_namespace = {
	.name = "NVMe identify namespace", .transport = TRANSPORT_NVME,
	.command = { .name = COMMAND_NVME_IDENTIFY, .key = { [KEY_CNS] = CNS_NAMESPACE } },
	/* its name stands in where a serial number tells nothing */
	.period_s = 3600, .is_identity = true, .per_namespace = true, .learn = learn_namespace,
	.told = namespace_told, .n_told = ARRAY_SIZE(namespace_told),
};
