/* Who is let in: rate_limit and basic_auth_users of the web configuration, asked before any page. */
#pragma once

#include <systemd/sd-event.h>

#include "http/auth.h"
#include "http/crowd.h"

struct http_guard {
	struct http_auth *auth;		/* NULL: there have never been users */
	bool has_users;
	uint64_t interval_us, ahead_us;	/* 0: no rate_limit; how much of the time to come may be asked for at once */
	uint64_t next_us;		/* when the one after all that were let in would be due */
};

/* From now on. 0 or a negative errno, and then all is as before. */
MUST_CHECK int http_guard_use(struct http_guard *, sd_event *, const struct web_config *);
void http_guard_clear(struct http_guard *);

/* Once for each request. HTTP_WAITING: later on its verdict is another one, and it is resumed if it is suspended. */
void http_guard_judge(struct http_guard *, struct http_connection *);
/* Its request has ended: the next one is to be judged anew. */
void http_guard_forget(struct http_guard *, struct http_connection *);
/* Gives those their verdict whose password has been looked at; the loop does it by itself. */
void http_guard_settle(struct http_guard *);
