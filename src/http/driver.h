/* A libmicrohttpd without a socket of its own, whose epoll descriptor hangs on the loop. */
#pragma once

#include <systemd/sd-event.h>

#include "http/page.h"

struct http_driver {
	struct http_site *site;
	struct MHD_Daemon *daemon;	/* NULL: it is not started */
	bool is_tls;
	uint64_t tls_bytes;		/* of the crowd, after the last run */
	unsigned pause_ms;		/* after runs that move nothing */
	sd_event_source *readable, *timer;
	void (*has_run)(void *context);
	void *context;
};

enum {
	HTTP_CONNECTIONS_MAX = 256,	/* a few Prometheus servers and people; beyond that the oldest that has not asked gives way */
};

/* has_run() is called after each run. 0; -EOPNOTSUPP: this libmicrohttpd has no TLS; or a negative errno. */
MUST_CHECK int http_driver_start(struct http_driver *, sd_event *, struct http_site *, bool is_tls,
				 void (*has_run)(void *context), void *context);
void http_driver_stop(struct http_driver *);	/* closes all its connections */
/* Takes the descriptor. */
void http_driver_add(struct http_driver *, int fd, const struct sockaddr *, socklen_t);
void http_driver_run(struct http_driver *);	/* nothing where it is not started */
/* Complains of a timer that could not be set. When the loop has ended (-ESTALE) none is needed any more. */
void http_timer_check(int r);
