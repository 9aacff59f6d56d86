/* Mode pages (SPC, MODE SENSE(10)): a header of eight bytes, block descriptors, the page. */
#pragma once

#include "page/page.h"

/* The mode page's own bytes after its page code and length. */
MUST_CHECK struct fail scsi_mode_open(const struct page *, struct bytes in, struct bytes *ret_body);

/* struct page's decode for a mode page whose fields stand alone: `at` counts from the byte after PAGE LENGTH. */
struct fail scsi_mode_decode(const struct page *, struct bytes in, const struct drive_facts *, struct sample_sink *to);

/* Disks that tell of their health by log pages have mode pages too; whether this one, only asking tells, once. */
bool scsi_mode_is_offered(const struct page *, const struct drive_facts *);

#define SCSI_MODE_PAGE(page_code) \
	.name = "mode page 0x" #page_code, .transport = TRANSPORT_SCSI, .is_offered = scsi_mode_is_offered, \
	.command = { .name = COMMAND_MODE_SENSE, .key = { [KEY_PAGE] = 0x##page_code } }
