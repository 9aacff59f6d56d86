#include "page/scsi_mode.h"

enum { MODE_CODE = 0x3f, MODE_SPF = 0x40 };

struct fail scsi_mode_open(const struct page *page, struct bytes in, struct bytes *ret_body)
{
	struct bytes all;
	uint8_t code;

	all = bytes_take(&in, bytes_be(&in, 2));	/* MODE DATA LENGTH does not count itself */
	if (in.torn)
		return fail_format(page->name, "shorter than its header says");
	in = all;
	bytes_skip(&in, 4);				/* medium type, device-specific parameter, LONGLBA, reserved */
	bytes_skip(&in, bytes_be(&in, 2));		/* block descriptors */
	code = (uint8_t)bytes_be(&in, 1);
	*ret_body = bytes_take(&in, bytes_be(&in, 1));
	if (in.torn)
		return fail_format(page->name, "shorter than its header says");
	if ((code & MODE_CODE) != page->command.key[KEY_PAGE] || code & MODE_SPF)
		return fail_format(page->name, "answered with another page");
	return OK;
}

struct fail scsi_mode_decode(const struct page *page, struct bytes in, const struct drive_facts *facts,
			     struct sample_sink *to)
{
	struct bytes body;
	struct fail f = scsi_mode_open(page, in, &body);

	for (size_t i = 0; !failed(f) && i < page->n_fields; i++)
		page_field_put(&page->fields[i], body, false, facts, to);
	return f;
}

bool scsi_mode_is_offered(const struct page *page, const struct drive_facts *facts)
{
	return facts->has_log_list;
}
