/* The web side, on the exporter's own event loop: libmicrohttpd through its epoll descriptor. */
#pragma once

#include <sys/uio.h>
#include <systemd/sd-event.h>

#include "base/cleanup.h"
#include "base/text.h"

struct http_server;
struct http_web;

/* What a scrape asks for. */
struct http_wish {
	bool is_openmetrics;		/* else text format 0.0.4 */
	bool is_gzip;
	const char *const *names, *const *collectors;	/* name[] and collect[] of the query, NULL-terminated; none: all */
};

/* An answer in parts that stay where they are until release(owner), when it has been sent. */
struct http_body {
	const struct iovec *parts;
	size_t n;
	bool is_openmetrics, is_gzip;	/* what it is */
	void *owner;
	void (*release)(void *owner);	/* frees the parts' array, too */
};

/* What the server asks the exporter for. */
struct http_pages {
	void *context;
	/* 0; -EINVAL, with *error saying in one line what is wrong with the wish; -ENOMEM. */
	int (*metrics)(void *context, const struct http_wish *, struct http_body *ret, struct text *error);
	/* All other pages, "/" first: appends a whole body to out, and its Content-Type (static) comes back. The path is what the
	 * URL has, decoded, without the query. Returns the HTTP status, 200, 404 or 500; with the others nothing need be appended. */
	int (*page)(void *context, const char *path, struct text *out, const char **ret_type);
	bool (*is_ready)(void *context);			/* /-/ready: 200 or 503 */
};

struct http_options {
	const char *const *listen_addresses;	/* ":9946", "127.0.0.1:9946", "[::1]:9946", NULL-terminated */
	bool has_systemd_socket;		/* on the sockets that systemd passes instead */
	const char *telemetry_path;		/* "/metrics" */
	size_t max_requests;			/* at a time, beside those for the two paths of health; 0: any number */
	struct http_web **web;			/* the server takes it, and leaves NULL; NULL: no web configuration */
};

/* Listens on every address. 0, or a negative errno with *error saying which address and why, in one line. */
int http_server_start(sd_event *, const struct http_options *, const struct http_pages *, struct http_server **ret,
		      struct text *error);
/* Takes the web configuration, whatever comes of it. Requests and new connections go by it from now on; a connection keeps the TLS
 * that it began with. 0, or a negative errno with *error saying why, in one line, and all is as before. */
MUST_CHECK int http_server_use(struct http_server *, struct http_web *, struct text *error);
/* The last act, when the loop has ended: answers whoever waits at our sockets or has been taken, and takes nobody else. Waits a
 * second at most, and only for those whose request is under way or still to come. NULL does nothing. */
void http_server_finish(struct http_server *);
void http_server_stop(struct http_server *);	/* NULL does nothing */

/* Where it listens: "http://127.0.0.1:9946" of the first address (a wildcard becomes localhost), https where it speaks TLS. Returns
 * out. */
char *http_server_url(const struct http_server *, char *out, size_t size);
