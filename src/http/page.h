/* What the web side answers to which path; it knows requests and replies, not sockets or the loop. */
#pragma once

#include <microhttpd.h>

#include "http/crowd.h"
#include "http/server.h"

enum http_reply {
	HTTP_REPLY_HEALTHY,
	HTTP_REPLY_READY,
	HTTP_REPLY_NOT_READY,
	HTTP_REPLY_NOT_FOUND,
	HTTP_REPLY_METHOD,
	HTTP_REPLY_TOO_MANY,
	HTTP_REPLY_NO_ROOM,
	N_HTTP_REPLIES
};

struct http_site {
	struct http_pages pages;
	char *telemetry_path;
	struct http_crowd crowd;
	size_t max_requests;		/* answers under way; 0: any number */
	bool is_ending;			/* every answer is its connection's last */
	struct MHD_Response *replies[N_HTTP_REPLIES];	/* those that never change, made once */
};

/* 0, or -EINVAL and -ENOMEM with *error saying what is wrong, in one line. */
int http_site_init(struct http_site *, const struct http_options *, const struct http_pages *, struct text *error);
void http_site_clear(struct http_site *);
void http_site_end(struct http_site *);

/* libmicrohttpd's MHD_AccessHandlerCallback; site is a struct http_site. */
enum MHD_Result http_site_answer(void *site, struct MHD_Connection *, const char *path, const char *method,
				 const char *version, const char *upload, size_t *n_upload, void **request);
/* MHD_NotifyConnectionCallback and MHD_RequestCompletedCallback. */
void http_site_connection(void *site, struct MHD_Connection *, void **context, enum MHD_ConnectionNotificationCode);
void http_site_completed(void *site, struct MHD_Connection *, void **request, enum MHD_RequestTerminationCode);
