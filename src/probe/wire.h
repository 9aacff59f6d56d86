/* The wire between exporter and prober (or replay): messages over AF_UNIX SEQPACKET, one message one packet, numbers
 * little-endian. Whoever reads one trusts nothing in it. */
#pragma once

#include <sys/types.h>

#include "base/bytes.h"
#include "base/fail.h"
#include "probe/command.h"

enum {
	WIRE_VERSION = 2,
	WIRE_MESSAGE_MAX = COMMAND_ANSWER_MAX + 512,
	WIRE_HEARTBEAT_MS = 5000,	/* each side sends one this often */
	WIRE_SILENCE_MS = 20000,	/* and takes the other for gone after this long without any message */
};

enum wire_type {
	WIRE_HELLO = 1,		/* prober to exporter, first; exporter answers with its own */
	WIRE_REQUEST,		/* exporter to prober */
	WIRE_REPLY,		/* prober to exporter */
	WIRE_HEARTBEAT,		/* both ways, empty */
	WIRE_INVENTORY,		/* replay to exporter: a drive and its devices, or a change of them */
	WIRE_INVENTORY_END,	/* replay to exporter: all drives were told once */
	WIRE_REFUSED,		/* prober to exporter, then it closes: why this client is not served */
};

struct wire_hello {
	uint32_t version;
	uint64_t vocabulary;	/* wire_vocabulary(): both sides must know the same commands */
	uint64_t generation;	/* the prober's: random, new at each start; replies carry it */
	bool is_replay;
};

struct wire_request {
	uint64_t id;		/* chosen by the exporter, repeated in the reply */
	uint64_t diskseq;	/* the disk the exporter means; 0: not known, not compared */
	char node[NODE_NAME_MAX];
	struct command command;
};

enum wire_verdict {
	WIRE_ANSWERED,		/* fail and bytes say how the command went */
	WIRE_BUSY,		/* an earlier command to this node has not ended; busy_since_us */
	WIRE_OTHER_DISK,	/* the node is another disk by now: diskseq is its number */
	WIRE_NOT_ALLOWED,	/* unknown command, value or node: our own mistake, or a stranger's */
	WIRE_ASLEEP,		/* the device is runtime-suspended: it was not opened */
	WIRE_CHILD_DIED,	/* the child that asked was killed or crashed */
	N_WIRE_VERDICTS
};

struct wire_reply {
	uint64_t id, generation, diskseq;
	enum wire_verdict verdict;
	int64_t started_us;	/* since 1970 (replay: its own time, as busy_since_us) */
	uint64_t duration_us;	/* really */
	int64_t busy_since_us;
	struct fail fail;	/* source, kind and code travel; what and detail do not */
	const uint8_t *bytes;	/* into the message */
	size_t n_bytes;
};

/* Encoders: write one message into out (WIRE_MESSAGE_MAX bytes), return its length. */
size_t wire_put_hello(uint8_t *out, const struct wire_hello *);
size_t wire_put_request(uint8_t *out, const struct wire_request *);
size_t wire_put_reply(uint8_t *out, const struct wire_reply *);
size_t wire_put_empty(uint8_t *out, enum wire_type type);		/* WIRE_HEARTBEAT, WIRE_INVENTORY_END */
size_t wire_put_text(uint8_t *out, enum wire_type type, const char *text);	/* WIRE_REFUSED, WIRE_INVENTORY; cut at the maximum */

/* Decoders: 0, or -EBADMSG for anything that is not exactly such a message. */
int wire_get_type(struct bytes in, enum wire_type *ret);
int wire_get_hello(struct bytes in, struct wire_hello *ret);
int wire_get_request(struct bytes in, struct wire_request *ret);
int wire_get_reply(struct bytes in, struct wire_reply *ret);
int wire_get_text(struct bytes in, char *text, size_t size);	/* NUL-terminated; without control bytes but LF and TAB */

/* Changes whenever the table of commands does. */
uint64_t wire_vocabulary(void);

/* Never blocks. 0, -EAGAIN where the socket is full, else a negative errno. */
int wire_send(int fd, const uint8_t *message, size_t n);
/* One message; never blocks. Its length, 0 at the end of the stream, -EAGAIN, or a negative errno (-EMSGSIZE: longer
 * than a message can be). */
ssize_t wire_receive(int fd, uint8_t *message);

/* ---- what an Inventory message says, as lines of text: a capture's header lines after these two
 *	drive KEY		names the drive in later messages
 *	time SECONDS		the replay's time, since 1970, at which this holds
 *	present 0|1
 * then transport, device, controller, size, logical-block, rotational, devpath, sysfs, stat as in a capture, and
 *	diskseq N		of the device above
 * A later message about the same drive replaces the earlier one whole. */
