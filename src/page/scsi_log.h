/* SCSI log pages (SPC, Log parameters): a header, then parameters of a code, a control byte and a value of any length. */
#pragma once

#include "page/page.h"

struct scsi_log_header {
	uint8_t code, subpage;
	bool is_subpage;		/* the SPF bit: `subpage` means something */
	struct bytes body;		/* of the page's own length */
};

/* The four bytes before every log page. Fails where the answer is shorter than the page says it is, or the page empty;
 * what follows the page is padding. */
MUST_CHECK struct fail scsi_log_open(const struct page *, struct bytes in, struct scsi_log_header *ret);

/* The parameters of this page and no other, all of them whole. */
MUST_CHECK struct fail scsi_log_params(const struct page *, struct bytes in, struct bytes *ret_params);

/* The same of a page whose list may be longer than what a host adapter moves at once (page 15h: 49 KiB): the parameters that
 * came whole, one at least. *ret_is_cut: some are missing. */
MUST_CHECK struct fail scsi_log_first_params(const struct page *, struct bytes in, struct bytes *ret_params,
					     bool *ret_is_cut);

/* The next parameter's code and value; false at the end. params comes from one of the two above, or is a copy. */
bool scsi_log_next(struct bytes *params, uint16_t *ret_code, struct bytes *ret_value);

/* The value of a parameter, of the first where a page repeats one; false where the page does not have it. params comes
 * from scsi_log_params(). */
bool scsi_log_find(struct bytes params, uint16_t code, struct bytes *ret_value);

/* struct page's decode and is_offered for log pages: a sample for each field whose parameter is there. */
struct fail scsi_log_decode(const struct page *, struct bytes in, const struct drive_facts *, struct sample_sink *to);
bool scsi_log_is_offered(const struct page *, const struct drive_facts *);

/* Fewer lines for what every log page says of itself. */
#define SCSI_LOG_COMMAND(page_code, subpage_code) \
	.transport = TRANSPORT_SCSI, \
	.command = { .name = COMMAND_LOG_SENSE, .key = { [KEY_PAGE] = 0x##page_code, [KEY_SUBPAGE] = 0x##subpage_code } }
#define SCSI_LOG_PAGE(page_code) \
	SCSI_LOG_COMMAND(page_code, 00), .name = "log page 0x" #page_code, .is_offered = scsi_log_is_offered
#define SCSI_LOG_SUBPAGE(page_code, subpage_code) \
	SCSI_LOG_COMMAND(page_code, subpage_code), .name = "log page 0x" #page_code "/0x" #subpage_code, \
	.is_offered = scsi_log_is_offered
