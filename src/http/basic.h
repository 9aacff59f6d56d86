/* Basic authentication (RFC 7617): the header. */
#pragma once

#include "base/cleanup.h"
#include "http/web_config.h"

enum { HTTP_PASSWORD_BYTES_MAX = 1024 };

/* What an Authorization header says. */
struct http_basic {
	char user[WEB_USER_BYTES_MAX + 1], password[HTTP_PASSWORD_BYTES_MAX + 1];
};

/* False where it is not Basic, not base64 (RFC 4648, clause 4, padded), has no colon or a NUL byte, or is too long; *ret is wiped
 * then. Who is done with *ret wipes it, too. */
MUST_CHECK bool http_basic_parse(const char *authorization, struct http_basic *ret);
