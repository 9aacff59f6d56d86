/* The logs of ATA drives, by READ LOG EXT and SMART READ LOG: which of them a drive has, and how a page is opened.
 *
 * How often they are asked, at the default --poll.interval. Each command drains the queue of the drive, so that all of
 * them together, in an hour and where a drive has every log, stay below 28 (CHECK POWER MODE apart):
 *
 *	SMART data			6	every 10 minutes
 *	temperature			6	every 10 minutes, by Device Statistics page 05h or by SCT status
 *	SMART status			2	every 30 minutes
 *	IDENTIFY DEVICE			1
 *	SMART thresholds		0.1	every 12 hours
 *	Device Statistics		8	every 30 minutes, 01h to 07h in four runs at most (01h, 03h, 05h, 07h)
 *	errors, self-tests,
 *	pending defects, phy events	4	every hour
 *	FARM				0.5	every 2 hours
 *	counts of the SCT status	0.25	every 4 hours
 *					27.85
 *
 * Temperatures of the SCT status are read only where the drive has no statistics page 05h. A drive that gives one page of statistics at a time
 * is asked for them every hour (02h every 4 hours): 6.3 instead of 8. With statistics in one run and no FARM, it is 21. */
#pragma once

#include "page/page.h"

enum {
	ATA_SMART_DATA_PERIOD_S = 600,
	ATA_TEMPERATURE_PERIOD_S = 600,
	ATA_STATISTICS_PERIOD_S = 1800,
	ATA_LOG_PERIOD_S = 3600,
	ATA_FARM_PERIOD_S = 2 * 3600,
	ATA_RARE_PERIOD_S = 4 * 3600,
};

enum { ATA_LOG_BYTES = 512 };	/* a page of a log; all numbers in it are little-endian */

/* ACS-4, log addresses. */
enum {
	ATA_LOG_DIRECTORY = 0x00,
	ATA_LOG_SUMMARY_ERRORS = 0x01,		/* SMART READ LOG only */
	ATA_LOG_EXTENDED_ERRORS = 0x03,
	ATA_LOG_STATISTICS = 0x04,
	ATA_LOG_SELF_TESTS = 0x06,		/* SMART READ LOG only */
	ATA_LOG_EXTENDED_SELF_TESTS = 0x07,
	ATA_LOG_PENDING_DEFECTS = 0x0c,
	ATA_LOG_PHY_EVENTS = 0x11,
	ATA_LOG_FARM = 0xa6,			/* Seagate */
	ATA_LOG_SCT_STATUS = 0xe0,
};

/* The log directory names the log: READ LOG EXT gives it. */
bool ata_log_is_listed(const struct drive_facts *, uint8_t address);
/* READ LOG EXT is known not to give it: SMART READ LOG may, if IDENTIFY DEVICE says so. */
bool ata_log_is_lacking(const struct drive_facts *, uint8_t address);

/* Old disks of Samsung whose SMART logs have the bytes of some numbers swapped, by firmware. */
bool ata_has_swapped_logs(const struct drive_facts *);

/* One page, whatever it holds; a cursor over all of it. Fails where there is less or more. */
MUST_CHECK struct fail ata_log_take(const struct page *, struct bytes in, struct bytes *ret);
/* One page whose bytes must add up to 0 (ACS-4, data structure checksum), and which is not empty. (One that is all
 * zeroes adds up to 0 as well; decoders for which it has a meaning look for it first.) */
MUST_CHECK struct fail ata_log_open(const struct page *, struct bytes in, struct bytes *ret);

/* A number of a page, `width` bytes at `at`. */
uint64_t ata_log_number(struct bytes all, size_t at, size_t width);

#define ATA_LOG(log_address, log_page) \
	.transport = TRANSPORT_ATA, \
	.command = { COMMAND_ATA_LOG, { [KEY_ADDRESS] = log_address, [KEY_LOG_PAGE] = log_page } }
#define ATA_SMART_LOG(log_address) \
	.transport = TRANSPORT_ATA, .command = { COMMAND_ATA_SMART_LOG, { [KEY_SMART_ADDRESS] = log_address } }
