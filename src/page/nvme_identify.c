/* Who an NVMe drive is (NVM Express base, Identify Controller data structure; NVM command set, Identify Namespace). */
#include "page/page.h"
#include "page/pages.h"

enum {
	IDENTIFY_BYTES = 4096,
	CNS_NAMESPACE = 0, CNS_CONTROLLER = 1,
	CONTROLLER_DISCOVERY = 2, CONTROLLER_ADMINISTRATIVE = 3,	/* CNTRLTYPE; 0: not told, before 1.4 */
	LBADS_MIN = 9, LBADS_MAX = 31,		/* powers of two: 512 bytes, and what fits facts */
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

static uint64_t number_at(struct bytes in, size_t offset, size_t width)
{
	struct bytes number = bytes_at(in, offset, width);

	return bytes_le(&number, width);
}

/* Of 128 bits the low 64; all ones where they do not suffice. */
static uint64_t long_number_at(struct bytes in, size_t offset)
{
	return number_at(in, offset + 8, 8) ? UINT64_MAX : number_at(in, offset, 8);
}

static struct fail learn_controller(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct fail f = check_answer(page, in);
	struct bytes subsystem = bytes_at(in, 768, 256);
	uint64_t type;

	if (failed(f))
		return f;
	if (bytes_all(in, 0))
		return fail_format(page->name, "all zeroes");
	type = number_at(in, 111, 1);
	if (type == CONTROLLER_DISCOVERY || type == CONTROLLER_ADMINISTRATIVE)
		return fail_format(page->name, "not an I/O controller");
	facts_text(bytes_at(in, 4, 20), facts->serial, sizeof facts->serial);
	facts_text(bytes_at(in, 24, 40), facts->model, sizeof facts->model);
	facts_text(bytes_at(in, 64, 8), facts->firmware, sizeof facts->firmware);
	bytes_text(&subsystem, 256, facts->subsystem);	/* ends at its NUL */
	facts->nvme_version = (uint32_t)number_at(in, 80, 4);
	facts->nvme_warning_kelvin = (uint16_t)number_at(in, 266, 2);
	facts->nvme_critical_kelvin = (uint16_t)number_at(in, 268, 2);
	facts->nvme_total_bytes = long_number_at(in, 280);
	return OK;
}

/* The size in bytes: NSZE blocks of the format that FLBAS names, its number in bits 6:5 and 3:0. */
static struct fail namespace_size(const struct page *page, struct bytes in, uint64_t *ret)
{
	uint64_t flbas = number_at(in, 26, 1), shift;
	size_t format = (flbas >> 5 & 3) << 4 | (flbas & 0xf);

	*ret = number_at(in, 0, 8);
	if (!*ret)
		return OK;
	shift = number_at(in, 128 + 4 * format + 2, 1);
	if (shift < LBADS_MIN || shift > LBADS_MAX)
		return fail_format(page->name, "blocks of an impossible size");
	if (__builtin_mul_overflow(*ret, UINT64_C(1) << shift, ret))
		return fail_format(page->name, "no namespace is that large");
	return OK;
}

/* Where this namespace stands in the list, or its next free place; NULL: the list is full. */
static struct nvme_namespace *namespace_of(struct drive_facts *facts, uint32_t nsid)
{
	uint32_t i = 0;

	while (i < facts->n_namespaces && facts->namespaces[i].nsid != nsid)
		i++;
	return i < FACTS_NAMESPACES ? &facts->namespaces[i] : NULL;
}

/* The page comes with the namespace's number in its command. An inactive namespace answers with zeroes: its size is 0. */
static struct fail learn_namespace(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	uint32_t nsid = page->command.key[KEY_IDENTIFY_NSID];
	struct nvme_namespace *place = namespace_of(facts, nsid);
	struct fail f = check_answer(page, in);
	uint64_t size;

	if (!failed(f))
		f = namespace_size(page, in, &size);
	if (failed(f) || !place)
		return f;
	if (place == &facts->namespaces[facts->n_namespaces])
		facts->n_namespaces++;
	*place = (struct nvme_namespace){ .nsid = nsid, .size_bytes = size };
	if (!facts->wwn[0] && !facts_name(bytes_at(in, 104, 16), facts->wwn))	/* NGUID, else EUI-64 */
		facts_name(bytes_at(in, 120, 8), facts->wwn);
	return OK;
}

const struct page nvme_identify_controller = {
	.name = "NVMe identify controller", .transport = TRANSPORT_NVME,
	.command = { .name = COMMAND_NVME_IDENTIFY, .key = { [KEY_CNS] = CNS_CONTROLLER } },
	.period_s = 3600, .is_identity = true, .learn = learn_controller,
};

const struct page nvme_identify_namespace = {
	.name = "NVMe identify namespace", .transport = TRANSPORT_NVME,
	.command = { .name = COMMAND_NVME_IDENTIFY, .key = { [KEY_CNS] = CNS_NAMESPACE } },
	/* its name stands in where a serial number tells nothing */
	.period_s = 3600, .is_identity = true, .per_namespace = true, .learn = learn_namespace,
};
