/* Answers that never change, and the headers that every answer has. */
#pragma once

#include <microhttpd.h>

#include "http/web_config.h"

enum http_reply {
	HTTP_REPLY_HEALTHY,
	HTTP_REPLY_READY,
	HTTP_REPLY_NOT_READY,
	HTTP_REPLY_NOT_FOUND,
	HTTP_REPLY_METHOD,
	HTTP_REPLY_TOO_MANY,
	HTTP_REPLY_TOO_OFTEN,
	HTTP_REPLY_TOO_MANY_TRIES,
	HTTP_REPLY_UNAUTHORIZED,
	HTTP_REPLY_NO_ROOM,
	N_HTTP_REPLIES
};

/* Made once, for as long as a web configuration holds. */
struct http_replies {
	struct MHD_Response *at[N_HTTP_REPLIES];
};

/* NULL: no web configuration. 0 or -ENOMEM. */
MUST_CHECK int http_replies_make(const struct web_config *, struct http_replies *ret);
void http_replies_clear(struct http_replies *);
void http_replies_end(struct http_replies *);	/* each is its connection's last from now on */
enum MHD_Result http_reply(const struct http_replies *, struct MHD_Connection *, enum http_reply);

/* Of a page: its type, those that every page has, and those of the web configuration. False: no memory. */
bool http_add_page_headers(struct MHD_Response *, const char *type, const struct web_config *, bool is_last);

extern const char http_type_plain[];
