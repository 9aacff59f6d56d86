/* What the pages of NVMe controllers share. All numbers are little-endian. */
#pragma once

#include "page/page.h"

/* NVM Express base, log page identifiers; OCP, Intel and Solidigm beyond BFh. */
enum {
	NVME_LOG_LIST = 0x00, NVME_LOG_ERRORS = 0x01, NVME_LOG_HEALTH = 0x02, NVME_LOG_FIRMWARE = 0x03,
	NVME_LOG_SELF_TESTS = 0x06, NVME_LOG_ENDURANCE_GROUP = 0x09, NVME_LOG_SANITIZE = 0x81,
	NVME_LOG_OCP_HEALTH = 0xc0, NVME_LOG_OCP_LATENCY = 0xc3, NVME_LOG_INTEL = 0xca,
};

#define NVME_LOG(log) \
	.transport = TRANSPORT_NVME, .command = { .name = COMMAND_NVME_LOG, .key = { [KEY_ID] = (log), [KEY_NSID] = UINT32_MAX } }

/* width bytes at that offset as a number; 0 where there are not so many. */
static inline uint64_t nvme_number(struct bytes in, size_t offset, size_t width)
{
	struct bytes number = bytes_at(in, offset, width);

	return bytes_le(&number, width);
}

/* The controller may be asked for a log that its version or its identify data say it has: its list, where it has one, must
 * agree. */
bool nvme_log_is_listed(const struct drive_facts *, uint8_t log);
/* A log of a vendor's: the controller's list has it or, without one, a row of our table of models. */
bool nvme_has_vendor_log(const struct drive_facts *, uint8_t log);
/* The same for OCP's, once it is known whether it has a UUID for them. */
bool nvme_has_ocp_log(const struct drive_facts *, uint8_t log);
/* Where OCP's UUID stands in the drive's list; 0: it does not, or that log is refused by it (NVM Express base, UUID Index). */
uint32_t nvme_ocp_uuid(const struct page *, const struct drive_facts *);
/* It was asked for with the UUID, and refused: it is asked for without. */
void nvme_ocp_refused(const struct page *, struct drive_facts *);

/* n bytes of the log; fails where there are fewer, and where they are all ones or, unless zeroes tell something, all zeroes. */
MUST_CHECK struct fail nvme_log_take(const struct page *, struct bytes in, size_t n, bool may_be_zeroes, struct bytes *ret);
/* All rows of the page's table. */
void nvme_fields_put(const struct page *, struct bytes log, const struct drive_facts *, struct sample_sink *to);

/* Capacity, limits, namespaces and the like: what follows from the facts. */
void nvme_facts_samples(const struct drive_facts *, struct sample_sink *to);

/* What several logs tell: endurance groups count in steps of 1 GB, Intel in 32 MiB, OCP in bytes. */
enum { NVME_RANK_GROUP = 1, NVME_RANK_INTEL, NVME_RANK_OCP };

/* ---- nvme_ocp.c: logs of 512 bytes that end with a GUID, by which they are known; other makers have others of their number */

enum { NVME_OCP_BYTES = 512 };
bool nvme_is_ocp(const struct page *, struct bytes log);
/* Learns whether it is, and no longer wants it where it is not. */
MUST_CHECK struct fail nvme_ocp_learn(const struct page *, struct bytes in, struct drive_facts *);
bool nvme_ocp_is_wanted(const struct page *, const struct drive_facts *);

/* The bits of a warning field as 0 and 1, from bit 0 on; "": reserved, NULL: no more. */
void nvme_warning_put(uint64_t warning, uint16_t family, const char *const *bits, struct sample_sink *to);
extern const char *const nvme_group_bits[];	/* of an endurance group's */
