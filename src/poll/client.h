/* The exporter's end of the wire: one prober or replay, started or connected to, watched, and come back to after it went
 * away. Nothing here waits. */
#pragma once

#include <systemd/sd-event.h>

#include "probe/wire.h"

struct probe_client;
struct starter;

struct probe_client_options {
	const char *program;		/* to start, with a socketpair; NULL: connect to socket_path */
	const char *const *arguments;	/* after --socket-fd=N, NULL-terminated; kept by reference */
	const char *socket_path;
	struct starter *starter;	/* starts the program in our place; NULL: we do. Not owned */
};

struct probe_client_events {
	void *context;
	void (*ready)(void *context);	/* hello was exchanged: requests may be sent */
	void (*failed)(void *context);	/* it could not be started or reached, or ended before its hello */
	void (*lost)(void *context);	/* after every outstanding request was answered with WIRE_CHILD_DIED */
	void (*inventory)(void *context, const char *text);
	void (*inventory_end)(void *context);
	void (*reply)(void *context, void *tag, const struct wire_reply *);
};

/* Starts trying at once; keeps trying with growing pauses. 0 or a negative errno (no memory, no event loop). */
int probe_client_new(sd_event *, const struct probe_client_options *, const struct probe_client_events *,
		     struct probe_client **ret);
/* Closes the socket and, where it started the program, tells it to end; waits for nothing. NULL does nothing. */
void probe_client_free(struct probe_client *);

bool probe_client_is_up(const struct probe_client *);
/* The program could not be started, or ended before its hello, this many times in a row. */
unsigned probe_client_failures(const struct probe_client *);

/* Sends; request->id is set. The reply carries tag. 0, -ENOTCONN while it is away, -EAGAIN where the socket is full. */
int probe_client_request(struct probe_client *, struct wire_request *request, void *tag);
/* No reply for this tag any more. */
void probe_client_forget(struct probe_client *, void *tag);

/* Replies thrown away: of an older generation, and of no request that is open. */
struct probe_client_drops {
	uint64_t generation, unknown;
};
struct probe_client_drops probe_client_dropped(const struct probe_client *);
