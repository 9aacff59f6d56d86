/* What drive_prober and drive_replay share: a supervisor that touches no device, and one child process per device node,
 * which asks one command at a time. They differ in struct prober_answerer only. */
#pragma once

#include "probe/wire.h"

struct prober_answerer {
	bool is_replay;
	void *context;

	/* Supervisor's side, must not touch a device: which child answers for this request. Mostly the node's own name;
	 * for host-phys that of its SCSI host ("host3"). 0 or a negative errno: the request is answered as not allowed. */
	int (*child_for)(void *context, const struct wire_request *, char ret_child[NODE_NAME_MAX]);

	/* Child's side: asks the drive. A child keeps no descriptor but its own socket: what it needs it opens here, and it
	 * does not log. Fills fail, bytes (into buffer, COMMAND_ANSWER_MAX bytes), diskseq, verdict
	 * (WIRE_ANSWERED, WIRE_OTHER_DISK or WIRE_ASLEEP). started and duration are measured around it, but may be set here
	 * (duration_us, if not 0, stands). May never return. */
	void (*answer)(void *context, const struct wire_request *, uint8_t *buffer, struct wire_reply *ret);

	/* Supervisor's side, may be NULL: a client said hello; sends it whatever comes unasked (replay: inventory)
	 * through send(to, message, n). Called again when next_event_ms() has passed. */
	void (*tell)(void *context, bool is_first, void (*send)(void *to, const uint8_t *message, size_t n), void *to);
	/* Milliseconds until tell() has something new; -1: never. NULL: never. */
	int (*next_event_ms)(void *context);
};

struct supervisor_options {
	int client_fd;			/* a connected SEQPACKET socket, or -1 */
	int listen_fd;			/* a listening one (systemd, or by path), or -1 */
	const char *runtime_directory;	/* for NODE.lock */
};

/* Runs until the client of client_fd goes away (listen_fd: for ever) or SIGTERM. Returns an exit status. */
int supervisor_run(const struct supervisor_options *, const struct prober_answerer *);
