/* What a web configuration asks for, with all the files that it names read: made in any thread, and then the server's. */
#pragma once

#include "http/tls.h"
#include "http/web_config.h"

struct http_web {
	struct web_config *config;
	struct http_tls *tls;		/* NULL: plain HTTP */
};

/* Takes the configuration, whatever comes of it. 0; or -EINVAL, -ENOMEM, or what reading failed with, and *error says what is
 * wrong with which file, in one line. */
MUST_CHECK int http_web_new(struct web_config *, struct http_web **ret, struct text *error);
void http_web_free(struct http_web *);		/* NULL does nothing */
