/* The ways to ask: one function per way, which fills fail and bytes of a reply. Each gets a command that was found
 * allowed and a node that was found fit; bytes go into buffer (COMMAND_ANSWER_MAX bytes, whole pages). */
#pragma once

#include "probe/supervisor.h"
#include "prober/node.h"

void scsi_ask(const struct node *, const struct command *, uint8_t *buffer, struct wire_reply *ret);
void sat_ask(const struct node *, const struct command *, uint8_t *buffer, struct wire_reply *ret);
void nvme_ask(const struct node *, const struct command *, uint8_t *buffer, struct wire_reply *ret);
void host_phys_ask(const struct node *, const struct command *, uint8_t *buffer, struct wire_reply *ret);
void pcie_link_ask(const struct node *, const struct command *, uint8_t *buffer, struct wire_reply *ret);

/* What the supervisor calls: the dispatch table. */
extern const struct prober_answerer prober_ways;
