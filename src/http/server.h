/* The web side, on the exporter's own event loop: libmicrohttpd through its epoll descriptor. */
#pragma once

#include <systemd/sd-event.h>

#include "base/text.h"

struct http_server;

/* What the server asks the exporter for: each appends a whole body to out. */
struct http_pages {
	void *context;
	void (*metrics)(void *context, struct text *out);	/* text format 0.0.4 */
	void (*index)(void *context, struct text *out);		/* HTML */
	bool (*is_ready)(void *context);			/* /-/ready: 200 or 503 */
};

struct http_options {
	const char *const *listen_addresses;	/* ":9946", "127.0.0.1:9946", "[::1]:9946", NULL-terminated */
	bool has_systemd_socket;		/* on the sockets that systemd passes instead */
	const char *telemetry_path;		/* "/metrics" */
};

/* Listens on every address. 0, or a negative errno with *error saying which address and why, in one line. */
int http_server_start(sd_event *, const struct http_options *, const struct http_pages *, struct http_server **ret,
		      struct text *error);
/* The last act, when the loop has ended: answers whoever waits at our sockets or has been taken, and takes nobody else. Waits a
 * second at most, and only for those whose request is under way or still to come. NULL does nothing. */
void http_server_finish(struct http_server *);
void http_server_stop(struct http_server *);	/* NULL does nothing */

/* Where it listens: "http://127.0.0.1:9946" of the first address (a wildcard becomes localhost). Returns out. */
char *http_server_url(const struct http_server *, char *out, size_t size);
