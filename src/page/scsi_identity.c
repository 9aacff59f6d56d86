/* Who a SCSI drive is: INQUIRY, its vital product data, READ CAPACITY(16). */
#include <string.h>

#include "page/page.h"
#include "page/pages.h"
#include "page/scsi_vpd.h"

enum { INQUIRY_MIN = 36 };

/* Peripheral qualifier 0 (a device is there), and one of the types that the kernel makes a disk of: direct access (SBC),
 * optical memory, reduced block commands, zoned (ZBC). */
static bool is_disk(uint8_t peripheral)
{
	return peripheral == 0x00 || peripheral == 0x07 || peripheral == 0x0e || peripheral == 0x14;
}

static struct fail learn_inquiry(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	if (in.left < INQUIRY_MIN)
		return fail_format(page->name, "shorter than 36 bytes");
	if (!is_disk((uint8_t)bytes_be(&in, 1)))
		return fail_format(page->name, "not a disk");
	if (!facts->scsi_version && !facts->model[0])
		facts->rpm = -1;	/* first time: not told until VPD page B1h does */
	bytes_skip(&in, 1);
	facts->scsi_version = (uint8_t)bytes_be(&in, 1);
	bytes_skip(&in, 5);
	facts_text(bytes_take(&in, 8), facts->vendor, sizeof facts->vendor);
	facts_text(bytes_take(&in, 16), facts->model, sizeof facts->model);
	facts_text(bytes_take(&in, 4), facts->firmware, sizeof facts->firmware);
	return OK;
}

enum { PHYSICAL_EXPONENT = 0x0f };	/* LOGICAL BLOCKS PER PHYSICAL BLOCK EXPONENT */

static struct fail learn_capacity(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	uint64_t last = bytes_be(&in, 8), block = bytes_be(&in, 4), bytes, exponent;	/* no block size: neither is told */

	if (in.torn)
		return fail_format(page->name, "shorter than 12 bytes");
	bytes_skip(&in, 1);
	exponent = bytes_be(&in, 1) & PHYSICAL_EXPONENT;
	if (__builtin_add_overflow(last, 1, &bytes) || __builtin_mul_overflow(bytes, block, &bytes))
		return fail_format(page->name, "no drive is that large");
	facts->logical_block = (uint32_t)block;
	facts->physical_block = in.torn || block > UINT16_MAX ? 0 : (uint32_t)(block << exponent);
	facts->capacity_bytes = bytes;
	return OK;
}

/* ---- vital product data (SPC) */

static struct fail learn_vpd_list(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct bytes list;
	struct fail f = scsi_vpd_open(page, in, &list);

	if (failed(f))
		return f;
	if (!list.left)
		return fail_format(page->name, "empty");
	while (list.left)
		facts_set_bit(facts->vpd_pages, (unsigned)bytes_be(&list, 1));
	facts->has_vpd_list = true;
	return OK;
}

static struct fail learn_serial(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct bytes serial;
	struct fail f = scsi_vpd_open(page, in, &serial);

	if (!failed(f))
		facts_text(serial, facts->serial, sizeof facts->serial);
	return f;
}

enum {
	NAME_EUI64 = 2, NAME_NAA = 3,
	NAME_PIV = 0x80,		/* the protocol identifier is valid */
	NAME_ASSOCIATION_AND_TYPE = 0x3f,	/* association 0 is the logical unit */
	PROTOCOL_SAS = 6,
};

/* The logical unit's own names only: those of ports and of the device differ between the paths, or are shared by the
 * units of a multi-actuator disk. Of a port only its protocol is learned. */
static struct fail learn_identification(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	char naa[33] = "", eui64[33] = "";
	struct bytes list;
	bool is_sas = false;
	struct fail f = scsi_vpd_open(page, in, &list);

	if (failed(f))
		return f;
	while (list.left) {
		uint8_t protocol = (uint8_t)(bytes_be(&list, 1) >> 4);
		uint8_t kind = (uint8_t)bytes_be(&list, 1);
		struct bytes name;

		bytes_skip(&list, 1);
		name = bytes_take(&list, bytes_be(&list, 1));
		if (list.torn)
			return fail_format(page->name, "descriptor runs past the page");
		if (kind & NAME_PIV && protocol == PROTOCOL_SAS)
			is_sas = true;
		kind &= NAME_ASSOCIATION_AND_TYPE;
		if (kind == NAME_NAA && !naa[0])
			facts_name(name, naa);
		if (kind == NAME_EUI64 && !eui64[0])
			facts_name(name, eui64);
	}
	facts->is_sas = is_sas;
	memcpy(facts->wwn, naa[0] ? naa : eui64, sizeof facts->wwn);
	return OK;
}

/* SBC, Block Device Characteristics: Nominal Form Factor. */
static const char *const form_factors[16] = { NULL, "5.25in", "3.5in", "2.5in", "1.8in", "<1.8in" };

/* SBC, Medium Rotation Rate: 0 not told, 1 does not rotate, 0401h to FFFEh per minute, the rest reserved. */
static int32_t rpm_of(uint64_t rate)
{
	if (rate == 1)
		return 0;
	return rate > 0x400 && rate < 0xffff ? (int32_t)rate : -1;
}

static struct fail learn_characteristics(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct bytes body;
	struct fail f = scsi_vpd_open(page, in, &body);
	uint64_t rate, form_factor;

	if (failed(f))
		return f;
	rate = bytes_be(&body, 2);
	bytes_skip(&body, 1);
	form_factor = bytes_be(&body, 1) & 0xf;
	if (body.torn)
		return fail_format(page->name, "shorter than its fields");
	facts->rpm = rpm_of(rate);
	facts->form_factor = form_factors[form_factor];
	return OK;
}

enum { IDENTITY_PERIOD_S = 3600 };

#define TELLS_IDENTITY(clause) \
	.told = (const struct page_told[]){ { drive_info, clause } }, .n_told = 1

const struct page scsi_inquiry = {
	.name = "INQUIRY", .transport = TRANSPORT_SCSI,
	.command = { .name = COMMAND_INQUIRY, .key = { [KEY_VPD] = VPD_NONE } },
	.period_s = IDENTITY_PERIOD_S, .is_identity = true, .learn = learn_inquiry,
	TELLS_IDENTITY("SPC, standard INQUIRY data"),
};

const struct page scsi_read_capacity = {
	.name = "READ CAPACITY(16)", .transport = TRANSPORT_SCSI,
	.command = { .name = COMMAND_READ_CAPACITY },
	.period_s = IDENTITY_PERIOD_S, .learn = learn_capacity,
	.told = (const struct page_told[]){ { drive_capacity_bytes, "SBC, READ CAPACITY(16)" },
					    { drive_logical_block_bytes, "SBC, READ CAPACITY(16)" },
					    { drive_physical_block_bytes, "SBC, READ CAPACITY(16)" } }, .n_told = 3,
};

const struct page scsi_vpd_list = { SCSI_VPD_PAGE(00), .is_identity = true, .learn = learn_vpd_list };
const struct page scsi_vpd_serial = {
	SCSI_VPD_PAGE(80), .is_identity = true, .is_offered = scsi_vpd_is_offered, .learn = learn_serial,
	TELLS_IDENTITY("SPC, Unit Serial Number VPD page (80h)"),
};
const struct page scsi_vpd_identification = {
	SCSI_VPD_PAGE(83), .is_identity = true, .is_offered = scsi_vpd_is_offered, .learn = learn_identification,
	TELLS_IDENTITY("SPC, Device Identification VPD page (83h), designators of the logical unit"),
};
const struct page scsi_vpd_characteristics = {
	SCSI_VPD_PAGE(b1), .is_offered = scsi_vpd_is_offered, .learn = learn_characteristics,
	.told = (const struct page_told[]){ { drive_info, "SBC, Block Device Characteristics VPD page (B1h)" },
					    { drive_rotation_rate_rpm, "SBC, Block Device Characteristics VPD page (B1h)" } },
	.n_told = 2,
};
