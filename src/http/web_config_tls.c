#include "http/web_config_tls.h"

#include <string.h>

static const char *const client_auth_names[] = {
	[WEB_CLIENT_NONE] = "NoClientCert", [WEB_CLIENT_REQUEST] = "RequestClientCert",
	[WEB_CLIENT_REQUIRE_ANY] = "RequireAnyClientCert", [WEB_CLIENT_VERIFY_IF_GIVEN] = "VerifyClientCertIfGiven",
	[WEB_CLIENT_REQUIRE] = "RequireAndVerifyClientCert",
};
static const char *const version_names[] = {
	[WEB_TLS10] = "TLS10", [WEB_TLS11] = "TLS11", [WEB_TLS12] = "TLS12", [WEB_TLS13] = "TLS13",
};

/* Those that Go has under CipherSuites(); what it calls insecure is no suite here either. */
static const struct web_suite suites[] = {
	{ "TLS_AES_128_GCM_SHA256", WEB_KX_TLS13, "AES-128-GCM", "AEAD" },
	{ "TLS_AES_256_GCM_SHA384", WEB_KX_TLS13, "AES-256-GCM", "AEAD" },
	{ "TLS_CHACHA20_POLY1305_SHA256", WEB_KX_TLS13, "CHACHA20-POLY1305", "AEAD" },
	{ "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", WEB_KX_ECDSA, "AES-128-CBC", "SHA1" },
	{ "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", WEB_KX_ECDSA, "AES-256-CBC", "SHA1" },
	{ "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", WEB_KX_RSA, "AES-128-CBC", "SHA1" },
	{ "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", WEB_KX_RSA, "AES-256-CBC", "SHA1" },
	{ "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", WEB_KX_ECDSA, "AES-128-GCM", "AEAD" },
	{ "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", WEB_KX_ECDSA, "AES-256-GCM", "AEAD" },
	{ "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", WEB_KX_RSA, "AES-128-GCM", "AEAD" },
	{ "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", WEB_KX_RSA, "AES-256-GCM", "AEAD" },
	{ "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", WEB_KX_RSA, "CHACHA20-POLY1305", "AEAD" },
	{ "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", WEB_KX_ECDSA, "CHACHA20-POLY1305", "AEAD" },
};
static const struct web_curve curves[] = {
	{ "CurveP256", "SECP256R1" }, { "CurveP384", "SECP384R1" }, { "CurveP521", "SECP521R1" }, { "X25519", "X25519" },
};
_Static_assert(ARRAY_SIZE(suites) == WEB_SUITES_MAX && ARRAY_SIZE(curves) == WEB_CURVES_MAX, "room for each once");

/* ---- values */

static int read_client_auth(struct web_reader *r, void *to)
{
	int i, err = web_read_name(r, client_auth_names, ARRAY_SIZE(client_auth_names), &i);

	if (i >= 0)
		*(enum web_client_auth *)to = (enum web_client_auth)i;
	return err;
}

static int read_version(struct web_reader *r, void *to)
{
	int i, err = web_read_name(r, version_names, ARRAY_SIZE(version_names), &i);

	if (i >= 0)
		*(enum web_tls_version *)to = (enum web_tls_version)i;
	return err;
}

static int add_suite(struct web_reader *r, char **item)
{
	struct web_tls *tls = &r->config->tls;

	for (size_t i = 0; i < tls->n_suites; i++)
		if (!strcmp(tls->suites[i]->name, *item))
			return web_refuse(r, "%s is there twice", *item);
	for (size_t i = 0; i < ARRAY_SIZE(suites); i++)
		if (!strcmp(suites[i].name, *item)) {
			tls->suites[tls->n_suites++] = &suites[i];
			return 0;
		}
	return web_refuse(r, "\"%s\" is no suite that is known and safe", web_show(*item).at);
}

static int add_curve(struct web_reader *r, char **item)
{
	struct web_tls *tls = &r->config->tls;

	for (size_t i = 0; i < tls->n_curves; i++)
		if (!strcmp(tls->curves[i]->name, *item))
			return web_refuse(r, "%s is there twice", *item);
	for (size_t i = 0; i < ARRAY_SIZE(curves); i++)
		if (!strcmp(curves[i].name, *item)) {
			tls->curves[tls->n_curves++] = &curves[i];
			return 0;
		}
	return web_refuse(r, "\"%s\" is none of CurveP256, CurveP384, CurveP521, X25519", web_show(*item).at);
}

static int add_san(struct web_reader *r, char **item)
{
	struct web_tls *tls = &r->config->tls;

	if (!**item)
		return web_refuse(r, "has an empty name");
	if (tls->n_allowed_sans == WEB_SANS_MAX)
		return web_refuse(r, "has more than %d names", WEB_SANS_MAX);
	if (!tls->allowed_sans)
		tls->allowed_sans = calloc(WEB_SANS_MAX, sizeof *tls->allowed_sans);
	if (!tls->allowed_sans)
		return web_no_memory(r);
	tls->allowed_sans[tls->n_allowed_sans++] = pointer_steal(item);
	return 0;
}

static int read_suites(struct web_reader *r, void *to)
{
	return web_read_list(r, add_suite);
}

static int read_curves(struct web_reader *r, void *to)
{
	return web_read_list(r, add_curve);
}

static int read_sans(struct web_reader *r, void *to)
{
	return web_read_list(r, add_san);
}

/* ---- the section */

#define TLS(field) offsetof(struct web_config, tls.field)
enum { TLS_CERT_FILE, TLS_CERT, TLS_KEY_FILE, TLS_KEY, TLS_CA_FILE, TLS_CA, TLS_AUTH, TLS_SANS, TLS_MIN, TLS_MAX };
static const struct web_key tls_keys[] = {
	[TLS_CERT_FILE] = { "cert_file", web_read_path, TLS(cert_file) },
	[TLS_CERT] = { "cert", web_read_string, TLS(cert) },
	[TLS_KEY_FILE] = { "key_file", web_read_path, TLS(key_file) },
	[TLS_KEY] = { "key", web_read_string, TLS(key) },
	[TLS_CA_FILE] = { "client_ca_file", web_read_path, TLS(client_ca_file) },
	[TLS_CA] = { "client_ca", web_read_string, TLS(client_ca) },
	[TLS_AUTH] = { "client_auth_type", read_client_auth, TLS(client_auth) },
	[TLS_SANS] = { "client_allowed_sans", read_sans, 0 },
	[TLS_MIN] = { "min_version", read_version, TLS(min_version) },
	[TLS_MAX] = { "max_version", read_version, TLS(max_version) },
	{ "cipher_suites", read_suites, 0 },
	{ "prefer_server_cipher_suites", web_read_bool, TLS(prefers_server_order) },
	{ "curve_preferences", read_curves, 0 },
};
_Static_assert(ARRAY_SIZE(tls_keys) <= WEB_KEYS_MAX, "each has its line");

static int read_tls_key(struct web_reader *r, const char *name)
{
	r->config->has_tls = true;
	return web_read_key(r, tls_keys, ARRAY_SIZE(tls_keys), r->tls_lines, name);
}

/* The section as a whole, from the line of one of its keys or, where that is not there, its own. */
static int refuse_tls(struct web_reader *r, int key, const char *what)
{
	r->line = r->tls_lines[key] ? r->tls_lines[key] : r->tls_line;
	text_copy(r->key, sizeof r->key, tls_keys[key].name);
	return web_refuse(r, "%s", what);
}

static int check_tls(struct web_reader *r)
{
	const struct web_tls *t = &r->config->tls;
	bool is_verified = t->client_auth == WEB_CLIENT_VERIFY_IF_GIVEN || t->client_auth == WEB_CLIENT_REQUIRE;
	bool has_ca = t->client_ca || t->client_ca_file;
	const struct {
		bool is_wrong;
		int key;
		const char *what;
	} rules[] = {
		{ t->cert && t->cert_file, TLS_CERT, "cert_file is there, too: one of them" },
		{ t->key && t->key_file, TLS_KEY, "key_file is there, too: one of them" },
		{ t->client_ca && t->client_ca_file, TLS_CA, "client_ca_file is there, too: one of them" },
		{ !t->cert && !t->cert_file, TLS_CERT_FILE, "is missing" },
		{ !t->key && !t->key_file, TLS_KEY_FILE, "is missing" },
		{ has_ca && t->client_auth == WEB_CLIENT_NONE, t->client_ca ? TLS_CA : TLS_CA_FILE,
		  "asks for a client_auth_type other than NoClientCert" },
		{ is_verified && !has_ca, TLS_AUTH, "asks for client_ca_file" },
		{ t->n_allowed_sans && !is_verified, TLS_SANS,
		  "asks for client_auth_type RequireAndVerifyClientCert or VerifyClientCertIfGiven" },
		{ t->min_version > t->max_version, r->tls_lines[TLS_MIN] ? TLS_MIN : TLS_MAX, "min_version is above max_version" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].is_wrong)
			return refuse_tls(r, rules[i].key, rules[i].what);
	return 0;
}

int web_read_tls(struct web_reader *r, void *to)
{
	int err;

	r->tls_line = r->line;
	err = web_read_mapping(r, read_tls_key);
	return err < 0 || !r->config->has_tls ? err : check_tls(r);
}
