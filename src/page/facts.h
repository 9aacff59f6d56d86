/* What a drive says of itself: who it is and what it offers. Learned from its identity pages on the first visit; it
 * decides which other pages are asked. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "metric/sample.h"
#include "page/ata_meaning.h"
#include "probe/command.h"

enum { FACTS_NAMESPACES = 128 };

#define NVME_BYTES_UNKNOWN UINT64_MAX
struct nvme_namespace {
	uint32_t nsid, block_bytes;
	uint64_t size_bytes;	/* NSZE x block size; 0: not known */
	uint64_t capacity_bytes, used_bytes;	/* NCAP, NUSE; NVME_BYTES_UNKNOWN: they make no sense */
	uint16_t endurance_group;	/* ENDGID; 0: none */
};

/* Types of status codes that an entry of the error log may have (NVM Express base, Status Code Type), and those entries that
 * were gone before they were read. */
enum nvme_error_type {
	NVME_ERROR_GENERIC, NVME_ERROR_COMMAND, NVME_ERROR_MEDIA, NVME_ERROR_PATH, NVME_ERROR_VENDOR, NVME_ERROR_OTHER,
	NVME_ERROR_UNSEEN, N_NVME_ERROR_TYPES
};

struct drive_facts {
	enum transport transport;

	/* Strings as the drive gives them, blanks trimmed; empty where it tells none. Bytes are not cleaned. */
	char vendor[9], model[41], serial[65], firmware[17];
	char wwn[33];			/* lower-case hexadecimal digits of the logical unit's NAA, EUI-64 or NGUID */
	char subsystem[257];		/* NVMe: SUBNQN */
	char family[ATA_FAMILY_MAX];	/* the maker's line of models, where a table knows it */
	const char *form_factor;	/* static, "2.5in"; NULL: not told */
	int32_t rpm;			/* 0: solid state; > 0: rotating; -1: not told */
	uint32_t logical_block, physical_block;	/* bytes; 0: not told */
	uint64_t capacity_bytes;	/* SCSI and ATA; 0: not told */

	/* SCSI */
	bool is_sas;			/* VPD page 83h names a SAS port */
	uint8_t scsi_version;		/* INQUIRY byte 2 */
	uint8_t sense_asc, sense_ascq;	/* an exception that REQUEST SENSE reported when last asked; 0: none */
	bool has_vpd_list, has_log_list;
	uint8_t vpd_pages[32];		/* bit per VPD page, from VPD page 00h */
	uint8_t log_pages[64 / 8];	/* bit per page code: pages 00h and 00h/FFh together */
	uint8_t log_subpages[64][32];	/* bit per page and subpage, from 00h/FFh */

	/* ATA */
	bool has_smart, has_smart_log, has_gp_log;	/* IDENTIFY words 82, 85, 84, 87 */
	bool has_identify, has_thresholds, has_log_directory, has_statistics_list;
	uint8_t identify[512], thresholds[512];		/* kept for libatasmart and for the attribute table */
	uint8_t attribute_ids[ATA_ATTRIBUTES];	/* of the last SMART data, in its order; 0: no attribute */
	unsigned attribute_generation;	/* of the tables that said what they mean */
	struct ata_sense attributes[ATA_ATTRIBUTES];	/* and what they mean on this model */
	uint16_t gp_log_pages[256];	/* pages of each general purpose log; 0: none */
	uint8_t statistics_pages[32];	/* bit per Device Statistics page, from page 00h */
	uint8_t statistics_alone;	/* bit per page of these: the drive refused it together with others */
	uint8_t statistics_good, statistics_wrong;	/* when first read among others it made sense, or none */
	uint8_t statistics_odd;		/* when last read it made none, but had before */
	bool refuses_log_directory, refuses_statistics, gives_one_self_test_page;
	bool has_smart_error_log, has_smart_self_test_log, has_sct, has_phy_events;	/* IDENTIFY words 84, 87, 206, 76 */
	bool has_farm_errors;		/* Seagate's log A6h was found to be laid out as we know it */
	uint32_t power_on_hours;	/* as Device Statistics, else the attributes, last told them; 0: not told */
	uint64_t commands, written_blocks;	/* reads and writes of the host, likewise */

	/* NVMe */
	uint32_t nvme_version;		/* VER: major << 16 | minor << 8 | tertiary; 0 before 1.2 */
	uint16_t nvme_vendor;		/* VID */
	bool nvme_is_aside;		/* CNTRLTYPE: for discovery or administration only */
	uint64_t nvme_total_bytes;	/* TNVMCAP; 0: not told */
	uint64_t nvme_unallocated_bytes;	/* UNVMCAP, where namespaces can be made */
	bool nvme_makes_namespaces, nvme_has_self_tests;	/* OACS bits 3 and 4 */
	bool nvme_has_groups, nvme_has_uuids;	/* CTRATT bits 4 and 9 */
	uint16_t nvme_last_group;	/* ENDGIDMAX */
	bool nvme_has_sanitize;		/* SANICAP */
	bool nvme_offers_log_list;	/* LPA bit 5 */
	bool nvme_has_log_list, nvme_refuses_log_list;	/* and log 00h was read, or refused */
	uint8_t nvme_logs[32];		/* bit per log identifier, from log 00h */
	bool nvme_knows_uuids;		/* and the list of UUIDs was read, or refused */
	uint8_t nvme_ocp_uuid;		/* where OCP's stands in the list of UUIDs, from 1; 0: not there */
	uint8_t nvme_refused_by_uuid[32];	/* bit per log identifier: refused when asked for by OCP's UUID */
	uint8_t nvme_ocp_logs[32], nvme_foreign_logs[32];	/* the same: it was OCP's once; it holds something else */
	uint16_t nvme_self_test_minutes;	/* EDSTT; 0: not told */
	bool has_nvme_errors, refuses_nvme_errors;	/* the health log counts errors; the error log is refused */
	uint64_t nvme_errors;		/* in the log ever, as the health log last told */
	uint64_t nvme_errors_asked;	/* of these, how many there were when the error log was last read, or first heard of */
	uint64_t nvme_errors_seen;	/* the number of the newest entry read */
	uint64_t nvme_errors_by_type[N_NVME_ERROR_TYPES];	/* that came since */
	uint16_t nvme_warning_kelvin, nvme_critical_kelvin;	/* WCTEMP, CCTEMP; 0: not told */
	uint32_t n_namespaces;
	struct nvme_namespace namespaces[FACTS_NAMESPACES];
};

static inline bool facts_bit(const uint8_t *map, unsigned bit)
{
	return map[bit / 8] >> bit % 8 & 1;
}

static inline void facts_set_bit(uint8_t *map, unsigned bit)
{
	map[bit / 8] |= (uint8_t)(1u << bit % 8);
}

/* Samples that follow from the facts alone: drive_capacity_bytes (NVMe: TNVMCAP, else the sum of the namespaces, else
 * none) and the temperature limits that identify data holds. */
void facts_samples(const struct drive_facts *, struct sample_sink *to);

/* The namespace's place in the list, a new one where it had none; NULL: the list is full. */
struct nvme_namespace *facts_namespace(struct drive_facts *, uint32_t nsid);
/* TNVMCAP, else the sum of the namespaces; 0: not known. */
uint64_t facts_nvme_capacity(const struct drive_facts *);

/* All of a string field of a drive, blanks and NULs around it left out; a NUL within it becomes a blank. Cut at size - 1. */
void facts_text(struct bytes in, char *text, size_t size);

/* A world wide name as hexadecimal digits. False, and wwn as it was, where there is none: all zeroes or all ones, or no 8 to 16 bytes. */
bool facts_name(struct bytes name, char wwn[33]);
