/* Versions, cipher suites and curves of a web configuration, as GnuTLS wants to be told of them. */
#pragma once

#include <gnutls/gnutls.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "http/web_config.h"

/* For a certificate with such a key, a gnutls_pk_algorithm_t. 0, -EINVAL or -ENOMEM; *error says what is wrong, in one line. */
MUST_CHECK int http_tls_priority(const struct web_config *, int key, gnutls_priority_t *ret, struct text *error);
