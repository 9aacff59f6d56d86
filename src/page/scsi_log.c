#include "page/scsi_log.h"

#include "page/pages.h"

enum {
	LOG_CODE = 0x3f,		/* the page code's bits of byte 0 */
	LOG_SPF = 0x40,			/* subpage format */
	LOG_ALL_SUBPAGES = 0xff,
	SCSI_VERSION_SPC4 = 6,		/* INQUIRY byte 2 */
};

/* Moves `in` past the header; ret->body stays empty. */
static struct fail take_header(const struct page *page, struct bytes *in, struct scsi_log_header *ret, size_t *ret_length)
{
	uint8_t first = (uint8_t)bytes_be(in, 1);

	*ret = (struct scsi_log_header){ .code = first & LOG_CODE, .is_subpage = first & LOG_SPF };
	ret->subpage = (uint8_t)bytes_be(in, 1);
	*ret_length = (size_t)bytes_be(in, 2);
	if (in->torn)
		return fail_format(page->name, "shorter than its header says");
	return *ret_length ? OK : fail_format(page->name, "empty");
}

struct fail scsi_log_open(const struct page *page, struct bytes in, struct scsi_log_header *ret)
{
	size_t length;
	struct fail f = take_header(page, &in, ret, &length);

	if (failed(f))
		return f;
	ret->body = bytes_take(&in, length);
	return in.torn ? fail_format(page->name, "shorter than its header says") : OK;
}

/* A parameter's code and value. */
static uint16_t param_next(struct bytes *params, struct bytes *ret_value)
{
	uint16_t code = (uint16_t)bytes_be(params, 2);

	bytes_skip(params, 1);		/* control byte: how the drive keeps it, not what it is */
	*ret_value = bytes_take(params, bytes_be(params, 1));
	return code;
}

/* Some drives answer a subpage without setting SPF; others leave byte 1 of a page without subpages as it comes (it is
 * reserved there). So byte 1 counts where SPF is set, or where a subpage was asked. */
static bool is_page_asked(const struct page *page, const struct scsi_log_header *header)
{
	uint32_t subpage = page->command.key[KEY_SUBPAGE];

	if (header->code != page->command.key[KEY_PAGE])
		return false;
	return header->subpage == subpage || (!subpage && !header->is_subpage);
}

static struct fail open_asked(const struct page *page, struct bytes in, struct scsi_log_header *ret)
{
	struct fail f = scsi_log_open(page, in, ret);

	if (!failed(f) && !is_page_asked(page, ret))
		f = fail_format(page->name, "answered with another page");
	return f;
}

struct fail scsi_log_params(const struct page *page, struct bytes in, struct bytes *ret_params)
{
	struct scsi_log_header header;
	struct fail f = open_asked(page, in, &header);

	if (failed(f))
		return f;
	for (struct bytes params = header.body, value; params.left;) {
		param_next(&params, &value);
		if (params.torn)
			return fail_format(page->name, "parameter runs past the page");
	}
	*ret_params = header.body;
	return OK;
}

struct fail scsi_log_first_params(const struct page *page, struct bytes in, struct bytes *ret_params, bool *ret_is_cut)
{
	struct scsi_log_header header;
	struct bytes body = in, value;
	size_t length;
	struct fail f = take_header(page, &body, &header, &length);

	if (failed(f))
		return f;
	*ret_is_cut = body.left < length;
	if (!*ret_is_cut)
		return scsi_log_params(page, in, ret_params);
	if (!is_page_asked(page, &header))
		return fail_format(page->name, "answered with another page");
	*ret_params = (struct bytes){ .at = body.at };
	for (;;) {
		param_next(&body, &value);
		if (body.torn)
			break;
		ret_params->left = (size_t)(body.at - ret_params->at);
	}
	return ret_params->left ? OK : fail_format(page->name, "shorter than its header says");
}

bool scsi_log_next(struct bytes *params, uint16_t *ret_code, struct bytes *ret_value)
{
	if (!params->left)
		return false;
	*ret_code = param_next(params, ret_value);
	return true;
}

bool scsi_log_find(struct bytes params, uint16_t code, struct bytes *ret_value)
{
	while (params.left)
		if (param_next(&params, ret_value) == code)
			return true;
	return false;
}

struct fail scsi_log_decode(const struct page *page, struct bytes in, const struct drive_facts *facts,
			    struct sample_sink *to)
{
	struct bytes params, value;
	struct fail f = scsi_log_params(page, in, &params);

	if (failed(f))
		return f;
	for (size_t i = 0; i < page->n_fields; i++)
		if (scsi_log_find(params, page->fields[i].param, &value))
			page_field_put(&page->fields[i], value, false, facts, to);
	return OK;
}

bool scsi_log_is_offered(const struct page *page, const struct drive_facts *facts)
{
	uint32_t code = page->command.key[KEY_PAGE] & LOG_CODE, subpage = page->command.key[KEY_SUBPAGE] & 0xff;

	if (subpage)
		return facts_bit(facts->log_subpages[code], subpage);
	return facts->has_log_list && facts_bit(facts->log_pages, code);
}

/* ---- which pages there are */

static struct fail learn_list(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct scsi_log_header header;
	struct fail f = open_asked(page, in, &header);

	if (failed(f))
		return f;
	while (header.body.left)
		facts_set_bit(facts->log_pages, bytes_be(&header.body, 1) & LOG_CODE);
	facts->has_log_list = true;
	return OK;
}

static bool offers_list_with_subpages(const struct page *page, const struct drive_facts *facts)
{
	return facts->has_log_list && facts->scsi_version >= SCSI_VERSION_SPC4;
}

/* A drive that ignores the subpage asked for answers with page 00h once more: pages known from there, in ascending
 * order. (Pairs begin with 00h 00h.) */
static bool is_plain_list(struct bytes list, const struct drive_facts *facts)
{
	for (int last = -1; list.left;) {
		int code = (int)bytes_be(&list, 1);

		if (code <= last || code > LOG_CODE || !facts_bit(facts->log_pages, (unsigned)code))
			return false;
		last = code;
	}
	return true;
}

/* Some drives list only what page 00h does not (Samsung PM1643a), so the two lists are added up; HGST and WDC list
 * {page, FFh}, which is the list of that page's subpages, for every page. A drive may also leave both SPF and byte 1
 * at 0 and still answer rightly. */
static struct fail learn_list_with_subpages(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct scsi_log_header header;
	struct fail f = scsi_log_open(page, in, &header);

	if (failed(f))
		return f;
	if (header.code != page->command.key[KEY_PAGE] ||
	    (header.is_subpage ? header.subpage != LOG_ALL_SUBPAGES : is_plain_list(header.body, facts)))
		return fail_format(page->name, "answered with another page");
	if (header.body.left % 2)
		return fail_format(page->name, "ends within an entry");
	while (header.body.left) {
		uint8_t code = bytes_be(&header.body, 1) & LOG_CODE;
		uint8_t subpage = (uint8_t)bytes_be(&header.body, 1);

		if (subpage == LOG_ALL_SUBPAGES)
			continue;
		facts_set_bit(facts->log_subpages[code], subpage);
		if (!subpage)
			facts_set_bit(facts->log_pages, code);
	}
	return OK;
}

const struct page scsi_log_list = {
	.name = "log page 0x00", .transport = TRANSPORT_SCSI,
	.command = { .name = COMMAND_LOG_SENSE },
	.learn = learn_list,
};

const struct page scsi_log_list_with_subpages = {
	.name = "log page 0x00/0xff", .transport = TRANSPORT_SCSI,
	.command = { .name = COMMAND_LOG_SENSE, .key = { [KEY_SUBPAGE] = LOG_ALL_SUBPAGES } },
	.is_offered = offers_list_with_subpages,
	.learn = learn_list_with_subpages,
};
