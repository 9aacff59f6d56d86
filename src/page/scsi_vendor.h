/* Who made the drive: vendor pages have one number and as many meanings. */
#pragma once

#include "page/page.h"

enum scsi_maker { MAKER_UNKNOWN, MAKER_SEAGATE, MAKER_HGST /* and Hitachi, and WDC's drives of that line */ };

/* By the vendor of INQUIRY; where a system's seller put its own name there (Dell/EMC, NetApp, HPE), by the product, also one
 * that begins in the vendor field, or by the company in the world wide name. */
enum scsi_maker scsi_maker_of(const struct drive_facts *);

/* is_offered of a vendor page: the drive lists the page, and the maker fits. */
bool scsi_seagate_is_offered(const struct page *, const struct drive_facts *);
bool scsi_hgst_is_offered(const struct page *, const struct drive_facts *);

#define SCSI_VENDOR_PAGE(page_code, of, maker) \
	SCSI_LOG_COMMAND(page_code, 00), .name = "log page 0x" #page_code " (" of ")", .is_offered = scsi_##maker##_is_offered
