/* The general purpose log directory (ACS, log address 00h): it says which logs may be asked for. */
#include <string.h>

#include "page/page.h"
#include "page/pages.h"

enum { LOG_PAGE_BYTES = 512, N_LOGS = 256, DIRECTORY_VERSION = 1 };

static bool has_gp_log(const struct page *page, const struct drive_facts *facts)
{
	return facts->has_gp_log;
}

static struct fail learn(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct bytes all = bytes_take(&in, LOG_PAGE_BYTES);
	uint16_t pages_of[N_LOGS] = { 0 };

	if (all.torn || in.left)
		return fail_format(page->name, "is not 512 bytes");
	if (bytes_all(all, 0))
		return fail_format(page->name, "empty");
	if (bytes_le(&all, 2) != DIRECTORY_VERSION)
		return fail_format(page->name, "is no log directory");
	for (size_t log = 1; log < N_LOGS; log++)
		pages_of[log] = (uint16_t)bytes_le(&all, 2);
	memcpy(facts->gp_log_pages, pages_of, sizeof pages_of);
	facts->has_log_directory = true;
	return OK;
}

const struct page ata_log_directory = {
	.name = "log directory",
	.transport = TRANSPORT_ATA,
	.command = { COMMAND_ATA_LOG, { [KEY_ADDRESS] = 0x00 } },
	.is_offered = has_gp_log,
	.learn = learn,
};
