/* Which way a command goes. */
#include "prober/ways.h"

#include <string.h>

#include "base/text.h"

typedef void (*ask_fn)(const struct node *, const struct command *, uint8_t *buffer, struct wire_reply *ret);

struct way {
	ask_fn ask;
	bool needs_open;	/* it is a command to the drive; else it reads sysfs */
	enum node_kind kind;
};

#define SCSI { .ask = scsi_ask, .needs_open = true, .kind = NODE_SCSI }
#define SAT { .ask = sat_ask, .needs_open = true, .kind = NODE_SCSI }
#define NVME { .ask = nvme_ask, .needs_open = true, .kind = NODE_NVME }

static const struct way ways[N_COMMANDS] = {
	[COMMAND_INQUIRY] = SCSI, [COMMAND_READ_CAPACITY] = SCSI, [COMMAND_LOG_SENSE] = SCSI,
	[COMMAND_MODE_SENSE] = SCSI, [COMMAND_REQUEST_SENSE] = SCSI, [COMMAND_READ_DEFECTS] = SCSI,
	[COMMAND_ATA_IDENTIFY] = SAT, [COMMAND_ATA_SMART_DATA] = SAT, [COMMAND_ATA_SMART_THRESHOLDS] = SAT,
	[COMMAND_ATA_SMART_STATUS] = SAT, [COMMAND_ATA_SMART_LOG] = SAT, [COMMAND_ATA_LOG] = SAT,
	[COMMAND_ATA_CHECK_POWER] = SAT,
	[COMMAND_NVME_IDENTIFY] = NVME, [COMMAND_NVME_LOG] = NVME,
	[COMMAND_PCIE_LINK] = { .ask = pcie_link_ask, .kind = NODE_NVME },
	[COMMAND_HOST_PHYS] = { .ask = host_phys_ask, .kind = NODE_SCSI },
};

/* Counters of a host's phys may hang with the host, not with one of its disks. */
static int child_for(void *context, const struct wire_request *request, char ret_child[NODE_NAME_MAX])
{
	if (request->command.name == COMMAND_HOST_PHYS)
		return node_host(request->node, ret_child, NODE_NAME_MAX);
	text_copy(ret_child, NODE_NAME_MAX, request->node);
	return 0;
}

static bool is_other_disk(const struct wire_request *request, uint64_t diskseq)
{
	return request->diskseq && diskseq && request->diskseq != diskseq;
}

static void answer(void *context, const struct wire_request *request, uint8_t *buffer, struct wire_reply *ret)
{
	const struct way *way = &ways[request->command.name];
	CLEANUP(node_close) struct node node = { .fd = -1 };

	ret->fail = node_find(request->node, &node);
	ret->diskseq = node.diskseq;	/* also where nothing can be sent to it now */
	if (is_other_disk(request, node.diskseq)) {
		ret->verdict = WIRE_OTHER_DISK;
		ret->fail = OK;
		return;
	}
	if (failed(ret->fail))
		return;
	if (node.is_asleep) {
		ret->verdict = WIRE_ASLEEP;
		return;
	}
	if (node.kind != way->kind) {	/* an NVMe command has no meaning for a SCSI disk */
		ret->fail = fail_os(EOPNOTSUPP, "command");
		return;
	}
	if (way->needs_open) {
		ret->fail = node_open(&node);
		if (failed(ret->fail))
			return;
		/* From here on the disk can't change; between the first look and now it may have. */
		ret->diskseq = node_diskseq(&node);
		if (ret->diskseq != node.diskseq) {
			ret->verdict = WIRE_OTHER_DISK;
			return;
		}
	}
	way->ask(&node, &request->command, buffer, ret);
	if (failed(ret->fail))
		ret->n_bytes = 0;	/* what came with a failure is no answer */
}

const struct prober_answerer prober_ways = { .child_for = child_for, .answer = answer };
