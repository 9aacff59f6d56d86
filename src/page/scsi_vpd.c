#include "page/scsi_vpd.h"

#include "page/pages.h"

struct fail scsi_vpd_open(const struct page *page, struct bytes in, struct bytes *ret_body)
{
	uint64_t code;

	bytes_skip(&in, 1);		/* the device type again: INQUIRY has told it */
	code = bytes_be(&in, 1);
	*ret_body = bytes_take(&in, bytes_be(&in, 2));
	if (in.torn)
		return fail_format(page->name, "shorter than its header says");
	if (code != page->command.key[KEY_VPD])
		return fail_format(page->name, "answered with another page");
	return OK;
}

bool scsi_vpd_is_offered(const struct page *page, const struct drive_facts *facts)
{
	return !facts->has_vpd_list || facts_bit(facts->vpd_pages, page->command.key[KEY_VPD] & 0xff);
}

/* ---- how logical blocks are backed */

static const char *const provisioning_types[8] = { "full", "resource", "thin", "unknown", "unknown", "unknown", "unknown",
						   "unknown" };

static struct fail decode_provisioning(const struct page *page, struct bytes in, const struct drive_facts *facts,
				       struct sample_sink *to)
{
	struct bytes body;
	struct fail f = scsi_vpd_open(page, in, &body);
	bool takes_unmap;
	uint64_t type;

	if (failed(f))
		return f;
	bytes_skip(&body, 1);			/* threshold exponent */
	takes_unmap = bytes_be(&body, 1) & 0x80;	/* LBPU */
	type = bytes_be(&body, 1) & 0x07;
	if (body.torn)
		return fail_format(page->name, "shorter than its fields");
	page_put(to, drive_scsi_provisioning_info, provisioning_types[type], takes_unmap ? "1" : "0", 1);
	return OK;
}

static const struct page_told provisioning_told[] = {
	{ drive_scsi_provisioning_info, "SBC, Logical Block Provisioning VPD page (B2h), PROVISIONING TYPE, LBPU" },
};

const struct page scsi_vpd_provisioning = {
	SCSI_VPD_PAGE(b2), .is_offered = scsi_vpd_is_offered, .decode = decode_provisioning,
	.told = provisioning_told, .n_told = ARRAY_SIZE(provisioning_told),
};
