/* TLS as a web configuration wants it. All of its files are read once: a connection reads none. */
#pragma once

#include <gnutls/gnutls.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "http/web_config.h"

/* Certificate, key, and what is asked of clients; one reference is the caller's. Each connection holds one more, as
 * GnuTLS does not copy what a session was given. References are counted without a lock: all of them belong to one thread. */
struct http_tls;

/* For a configuration that has_tls. 0; or -EINVAL, -ENOMEM, or what reading failed with, and *error names the file. */
MUST_CHECK int http_tls_new(const struct web_config *, struct http_tls **ret, struct text *error);
struct http_tls *http_tls_ref(struct http_tls *);
void http_tls_unref(struct http_tls *);		/* NULL does nothing */

/* Makes a server's session ours, before its handshake, instead of whatever it was given until then. Takes no reference: the
 * caller holds one until after gnutls_deinit(). The session's gnutls_db_set_ptr() is ours, its gnutls_session_set_ptr() is not.
 * 0, or a GnuTLS error. */
MUST_CHECK int http_tls_begin(struct http_tls *, gnutls_session_t);
