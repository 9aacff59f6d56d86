/* The one service client of a supervisor: a connected socket, what waits to be sent on it, and when it last spoke.
 * Sending never blocks; a client that does not read is given up. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* What may wait for a client that does not read: answers of 100 children at their largest, or a large inventory. */
enum { CLIENT_QUEUE_MAX = 8 * 1024 * 1024 };

struct client_message;

struct client {
	int fd;			/* -1: there is none */
	uint64_t serial;	/* counts clients, so that an answer never goes to the next one */
	bool is_greeted;	/* it said hello, and speaks our language */
	const char *broken;	/* why it must be dropped, static; NULL: it need not */
	int64_t heard_ms, sent_heartbeat_ms;
	struct client_message *first, **last;
	size_t n_waiting;	/* bytes */
};

void client_open(struct client *, int fd, int64_t now_ms);	/* keeps fd */
void client_close(struct client *);

/* Sends, or puts behind what waits. Sets broken where the client is gone or its queue is full. */
void client_send(struct client *, const uint8_t *message, size_t n);
void client_flush(struct client *);	/* its socket takes data again */

static inline bool client_is_waiting(const struct client *c)
{
	return c->first != NULL;
}

/* Milliseconds until a heartbeat is due or silence is too long; negative or 0: now. */
int64_t client_due_ms(const struct client *, int64_t now_ms);
void client_tick(struct client *, int64_t now_ms);	/* sends the heartbeat, notices silence */
