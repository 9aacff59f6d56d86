/* How TLS reads and writes its socket: as GnuTLS does it by itself, but that what has been moved is counted. */
#pragma once

#include <gnutls/gnutls.h>

#include "http/crowd.h"

/* The connection stays until after gnutls_deinit(). */
void http_transport_begin(struct http_connection *, gnutls_session_t);
