/* ATA drives behind bridges: a SCSI device that lists the ATA Information VPD page (SAT, 89h) translates, and passes ATA commands
 * through. It is read as the ATA drive that it is, unless what the bridge calls IDENTIFY data is rubbish. */
#include "page/page.h"
#include "page/pages.h"

enum { VPD_ATA_INFORMATION = 0x89, IDENTIFY_BYTES = 512 };
enum { SERIAL_AT = 20, SERIAL_BYTES = 20, MODEL_AT = 54, MODEL_BYTES = 40 };	/* words 10 and 27 */

static bool is_translated(const struct page *page, const struct drive_facts *facts)
{
	return facts->has_vpd_list && facts_bit(facts->vpd_pages, VPD_ATA_INFORMATION);
}

static bool is_text(struct bytes in)
{
	if (in.torn)
		return false;
	while (in.left) {
		uint64_t c = bytes_be(&in, 1);

		if (c && (c < ' ' || c > '~'))
			return false;
	}
	return true;
}

/* ACS, word 0 bit 15: 0 is an ATA device. */
static bool is_identify(struct bytes in)
{
	return in.left == IDENTIFY_BYTES && !(in.at[1] & 0x80) && is_text(bytes_at(in, SERIAL_AT, SERIAL_BYTES)) &&
	       is_text(bytes_at(in, MODEL_AT, MODEL_BYTES));
}

static struct fail learn(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct fail f;

	if (!is_identify(in))
		return fail_format(page->name, "is none: the bridge is read as it is");
	f = ata_identify.learn(page, in, facts);
	if (!failed(f)) {
		facts->transport = TRANSPORT_ATA;
		facts->vendor[0] = '\0';	/* was the bridge's */
	}
	return f;
}

const struct page sat_identify = {
	.name = "IDENTIFY DEVICE (SAT)", .transport = TRANSPORT_SCSI,
	.command = { COMMAND_ATA_IDENTIFY, { 0 } },
	.is_identity = true, .is_offered = is_translated, .learn = learn,
};
