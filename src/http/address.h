/* Listening sockets, as --web.listen-address names them. */
#pragma once

#include <stddef.h>

#include "base/cleanup.h"
#include "base/text.h"

/* What one address may become: localhost is 127.0.0.1 and ::1. */
enum { HTTP_SOCKETS_MAX = 2 };

/* Binds and listens: "HOST:PORT", "[IPV6]:PORT", or ":PORT" for every address of this machine; HOST is a numeric
 * address or localhost (names would be asked of a resolver, which may take its time); port 0 takes a free one. Or
 * "unix:/path", where a socket that an owner who is gone has left makes way, or "unix:@name". The sockets do not block; the caller closes them. Returns how many, or a negative errno with *error saying why, in one
 * line. */
MUST_CHECK int http_listen(const char *address, int ret_fds[HTTP_SOCKETS_MAX], struct text *error);

enum { HTTP_URL_MAX = 128 };

/* "http://127.0.0.1:9946" of a socket; a wildcard becomes localhost, a Unix socket "http://unix:/path:". Returns url. */
char *http_socket_url(int fd, char url[HTTP_URL_MAX]);
