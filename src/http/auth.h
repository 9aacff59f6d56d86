/* Users and their passwords. bcrypt takes a tenth of a second and more, so a thread does it, not the loop. */
#pragma once

#include <systemd/sd-event.h>

#include "base/cleanup.h"
#include "http/basic.h"
#include "http/web_config.h"

struct http_auth;

enum http_auth_verdict {
	HTTP_AUTH_GOOD,
	HTTP_AUTH_WRONG,
	HTTP_AUTH_LATER,		/* done() will be called from the loop, with GOOD or WRONG */
	HTTP_AUTH_BUSY,			/* too many wait, or this peer has asked too often: 429 */
};

typedef void (*http_auth_done)(void *tag, enum http_auth_verdict);

/* Starts the thread. 0 or a negative errno. */
MUST_CHECK int http_auth_new(sd_event *, struct http_auth **ret);
/* Copies the users. Passwords found good with another hash are forgotten by that; who waits is judged by the hash of when
 * he asked. 0 or -ENOMEM, and then the users are as before. */
MUST_CHECK int http_auth_set_users(struct http_auth *, const struct web_config *);
/* peer: the 4 or 16 bytes of an address, none for a Unix socket. A good password is remembered, and then neither waits nor is
 * counted; nor does a try count that was good. tag is what done() gets and http_auth_cancel() takes. */
enum http_auth_verdict http_auth_check(struct http_auth *, const char *user, const char *password,
				       const void *peer, size_t n_peer, http_auth_done done, void *tag);
/* Calls done() of those that have been judged, as the loop does it by itself. */
void http_auth_settle(struct http_auth *);
/* done(tag) will not be called any more. */
void http_auth_cancel(struct http_auth *, void *tag);
/* Ends the thread, and waits for the bcrypt that it is at; nobody's done() is called. NULL does nothing. */
void http_auth_free(struct http_auth *);
