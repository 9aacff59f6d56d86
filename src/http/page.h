/* What the web side answers to which path; it knows requests and replies, not sockets or the loop. */
#pragma once

#include <microhttpd.h>

#include "http/guard.h"
#include "http/reply.h"
#include "http/server.h"

struct http_site {
	struct http_pages pages;
	char *telemetry_path;
	struct http_crowd crowd;
	struct http_connection *parted;	/* closed, and their TLS not let go yet */
	struct http_guard guard;
	struct http_web *web;		/* NULL: no web configuration */
	struct http_replies replies;
	size_t max_requests;		/* answers under way; 0: any number */
	bool is_ending;			/* every answer is its connection's last */
};

/* 0, or -EINVAL and -ENOMEM with *error saying what is wrong, in one line. */
int http_site_init(struct http_site *, const struct http_options *, const struct http_pages *, struct text *error);
void http_site_clear(struct http_site *);
/* Takes the web configuration, for new connections and all requests from now on. 0 or a negative errno, and then it is the caller's
 * still, and all is as before. */
MUST_CHECK int http_site_use(struct http_site *, sd_event *, struct http_web *);
void http_site_end(struct http_site *);
/* After each run of libmicrohttpd. */
void http_site_let_go(struct http_site *);

/* libmicrohttpd's MHD_AccessHandlerCallback; site is a struct http_site. */
enum MHD_Result http_site_answer(void *site, struct MHD_Connection *, const char *path, const char *method,
				 const char *version, const char *upload, size_t *n_upload, void **request);
/* MHD_NotifyConnectionCallback and MHD_RequestCompletedCallback. */
void http_site_connection(void *site, struct MHD_Connection *, void **context, enum MHD_ConnectionNotificationCode);
void http_site_completed(void *site, struct MHD_Connection *, void **request, enum MHD_RequestTerminationCode);
