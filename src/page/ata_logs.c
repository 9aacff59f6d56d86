/* The general purpose log directory (ACS-4, log address 00h), which says what logs may be asked for, and what all
 * of them share. */
#include "page/ata_logs.h"

#include <string.h>

#include "page/pages.h"

enum { N_LOGS = 256, DIRECTORY_VERSION = 1 };

bool ata_log_is_listed(const struct drive_facts *facts, uint8_t address)
{
	return facts->has_log_directory && facts->gp_log_pages[address] > 0;
}

/* While the directory has not been read, but may yet be, it is not known. */
bool ata_log_is_lacking(const struct drive_facts *facts, uint8_t address)
{
	if (!facts->has_gp_log || facts->refuses_log_directory)
		return true;
	return facts->has_log_directory && facts->gp_log_pages[address] == 0;
}

bool ata_has_swapped_logs(const struct drive_facts *facts)
{
	static const char *const models[] = { "SAMSUNG SV", "SAMSUNG SP" };	/* how they begin */

	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		if (!strncmp(facts->model, models[i], strlen(models[i])))
			return true;
	return false;
}

struct fail ata_log_take(const struct page *page, struct bytes in, struct bytes *ret)
{
	*ret = bytes_take(&in, ATA_LOG_BYTES);
	if (ret->torn || in.left)
		return fail_format(page->name, "is not 512 bytes");
	return OK;
}

struct fail ata_log_open(const struct page *page, struct bytes in, struct bytes *ret)
{
	struct fail f = ata_log_take(page, in, ret);
	uint8_t sum = 0;

	if (failed(f))
		return f;
	if (bytes_all(*ret, 0) || bytes_all(*ret, 0xff))	/* both would pass the checksum */
		return fail_format(page->name, "empty");
	for (size_t i = 0; i < ret->left; i++)
		sum = (uint8_t)(sum + ret->at[i]);
	return sum ? fail_format(page->name, "bad checksum") : OK;
}

uint64_t ata_log_number(struct bytes all, size_t at, size_t width)
{
	struct bytes number = bytes_at(all, at, width);

	return bytes_le(&number, width);
}

/* ---- the directory */

static bool has_gp_log(const struct page *page, const struct drive_facts *facts)
{
	return facts->has_gp_log;
}

static void refused(const struct page *page, struct drive_facts *facts)
{
	facts->refuses_log_directory = true;
}

static struct fail learn(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	uint16_t pages_of[N_LOGS] = { 0 };
	struct bytes all;
	struct fail f = ata_log_take(page, in, &all);

	if (failed(f))
		return f;
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
	ATA_LOG(ATA_LOG_DIRECTORY, 0), .name = "log directory", .is_offered = has_gp_log, .refused = refused, .learn = learn,
};
