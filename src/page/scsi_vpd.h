/* Vital product data (SPC, INQUIRY with EVPD). */
#pragma once

#include "page/page.h"

/* The page's own bytes after its header. A drive that ignores EVPD answers with standard INQUIRY data: other bytes stand
 * where page and length should. */
MUST_CHECK struct fail scsi_vpd_open(const struct page *, struct bytes in, struct bytes *ret_body);

/* Without a list (VPD page 00h) each page is tried, once. */
bool scsi_vpd_is_offered(const struct page *, const struct drive_facts *);

#define SCSI_VPD_PAGE(page_code) \
	.name = "VPD page 0x" #page_code, .transport = TRANSPORT_SCSI, \
	.command = { .name = COMMAND_INQUIRY, .key = { [KEY_VPD] = 0x##page_code } }
