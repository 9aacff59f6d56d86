/* --web.config.file: TLS, headers and users, in the form that Prometheus's own exporters read (docs/web-config.md). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/text.h"

enum {
	WEB_CONFIG_BYTES_MAX = 1 << 20,
	WEB_USERS_MAX = 1024,
	WEB_USER_BYTES_MAX = 255,
	WEB_SANS_MAX = 256,
	WEB_BCRYPT_COST_MAX = 15,	/* some two seconds of a processor; each further one doubles it */
};

enum web_client_auth {
	WEB_CLIENT_NONE,
	WEB_CLIENT_REQUEST,
	WEB_CLIENT_REQUIRE_ANY,
	WEB_CLIENT_VERIFY_IF_GIVEN,
	WEB_CLIENT_REQUIRE,
};
enum web_tls_version { WEB_TLS10, WEB_TLS11, WEB_TLS12, WEB_TLS13 };
enum web_key_exchange { WEB_KX_TLS13, WEB_KX_RSA, WEB_KX_ECDSA };

/* What a name in cipher_suites or curve_preferences is to GnuTLS. */
struct web_suite {
	const char *name;
	enum web_key_exchange exchange;
	const char *cipher, *mac;
};

struct web_curve {
	const char *name, *group;
};

enum { WEB_SUITES_MAX = 13, WEB_CURVES_MAX = 4, WEB_HEADERS_MAX = 5 };

struct web_tls {
	char *cert_file, *key_file, *client_ca_file;	/* absolute, or relative to our working directory as path is */
	char *cert, *key, *client_ca;			/* PEM; of each pair one at most is there */
	enum web_client_auth client_auth;
	char **allowed_sans;
	size_t n_allowed_sans;
	enum web_tls_version min_version, max_version;
	bool prefers_server_order;
	const struct web_suite *suites[WEB_SUITES_MAX];	/* in the file's order; none: ours */
	const struct web_curve *curves[WEB_CURVES_MAX];
	size_t n_suites, n_curves;
};

struct web_header {
	const char *name;
	char *value;
};

struct web_user {
	char *name, *hash;		/* bcrypt, of a form and cost that were checked */
};

struct web_config {
	char *path;
	bool has_tls;
	struct web_tls tls;
	struct web_header headers[WEB_HEADERS_MAX];
	size_t n_headers;
	struct web_user *users;
	size_t n_users;
	uint64_t rate_interval_us;	/* one request each; 0: no limit */
	unsigned rate_burst;
};

/* 0; or -EINVAL, -ENOMEM, or what reading failed with, and *error says "FILE:LINE: KEY: what is wrong". */
MUST_CHECK int web_config_read(const char *path, struct web_config **ret, struct text *error);
/* The same of its bytes; the path is what errors say, and where relative ones begin. */
MUST_CHECK int web_config_parse(const char *path, const char *bytes, size_t n, struct web_config **ret, struct text *error);
void web_config_free(struct web_config *);	/* NULL does nothing */
