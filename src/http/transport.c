#include "http/transport.h"

#include <sys/socket.h>

static ssize_t count(struct http_connection *c, ssize_t n)
{
	if (n > 0)
		c->crowd->tls_bytes += (uint64_t)n;
	return n;
}

static ssize_t push(gnutls_transport_ptr_t connection, const void *bytes, size_t n)
{
	struct http_connection *c = connection;

	return count(c, send(c->fd, bytes, n, MSG_NOSIGNAL));
}

static ssize_t pull(gnutls_transport_ptr_t connection, void *bytes, size_t n)
{
	struct http_connection *c = connection;

	return count(c, recv(c->fd, bytes, n, 0));
}

void http_transport_begin(struct http_connection *c, gnutls_session_t session)
{
	gnutls_transport_set_ptr(session, c);
	gnutls_transport_set_push_function(session, push);
	gnutls_transport_set_pull_function(session, pull);
}
