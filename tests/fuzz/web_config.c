/* A web configuration out of any bytes. Each input is taken for a whole file, and for a piece of a file that is good without it. */
#include "fuzz.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "http/web_config.h"

/* With all there is. */
static const char good_file[] =
	"# all of it\n"
	"tls_server_config:\n"
	"  cert_file: server.crt\n"
	"  key: |\n"
	"    -----BEGIN PRIVATE KEY-----\n"
	"  client_ca_file: /etc/ca.crt\n"
	"  client_auth_type: RequireAndVerifyClientCert\n"
	"  client_allowed_sans: [prometheus.example, \"10.0.0.1\"]\n"
	"  min_version: TLS12\n"
	"  max_version: TLS13\n"
	"  cipher_suites:\n"
	"  - TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384\n"
	"  - TLS_AES_128_GCM_SHA256\n"
	"  prefer_server_cipher_suites: no\n"
	"  curve_preferences: [X25519, CurveP256]\n"
	"http_server_config:\n"
	"  http2: true\n"
	"  headers:\n"
	"    X-Frame-Options: deny\n"
	"    Strict-Transport-Security: 'max-age=1'\n"
	"basic_auth_users:\n"
	"  alice: $2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy\n"
	"  b: \"$2b$04$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy\"\n"
	"rate_limit: { interval: 1m1.5s, burst: 20 }\n";

static bool has_control(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			return true;
	return false;
}

static void check_tls(const struct web_tls *t)
{
	bool is_verified = t->client_auth == WEB_CLIENT_VERIFY_IF_GIVEN || t->client_auth == WEB_CLIENT_REQUIRE;

	assert(!t->cert != !t->cert_file && !t->key != !t->key_file);
	assert(!is_verified || t->client_ca || t->client_ca_file);
	assert(t->min_version <= t->max_version && t->max_version <= WEB_TLS13);
	assert(t->n_suites <= WEB_SUITES_MAX && t->n_curves <= WEB_CURVES_MAX && t->n_allowed_sans <= WEB_SANS_MAX);
	for (size_t i = 0; i < t->n_suites; i++)
		assert(t->suites[i]->cipher && t->suites[i]->mac);
	for (size_t i = 0; i < t->n_allowed_sans; i++)
		assert(*t->allowed_sans[i]);
}

static void check(const struct web_config *c)
{
	if (c->has_tls)
		check_tls(&c->tls);
	assert(c->n_headers <= WEB_HEADERS_MAX && c->n_users <= WEB_USERS_MAX);
	for (size_t i = 0; i < c->n_headers; i++)
		assert(c->headers[i].name && !has_control(c->headers[i].value));
	for (size_t i = 0; i < c->n_users; i++) {
		assert(*c->users[i].name && strlen(c->users[i].name) <= WEB_USER_BYTES_MAX && !strchr(c->users[i].name, ':'));
		assert(strlen(c->users[i].hash) == 60);
	}
	assert(c->rate_interval_us <= UINT64_C(86400000000));
}

static void run_file(const char *bytes, size_t n)
{
	AUTO_TEXT error = TEXT_LIMIT(4000);
	struct web_config *config = NULL;
	int r = web_config_parse("web.yml", bytes, n, &config, &error);

	assert(r == 0 || r == -EINVAL);
	assert(!config == !!r && !error.length == !r);
	if (r) {
		assert(!strncmp(error.at, "web.yml:", 8) && !has_control(error.at) && text_is_utf8(error.at));
		return;
	}
	check(config);
	web_config_free(config);
}

/* The first two bytes choose a place, the third how much of the good text goes there. */
static void run_piece(const uint8_t *data, size_t size)
{
	AUTO_TEXT text = TEXT_LIMIT(1 << 20);
	size_t whole = sizeof good_file - 1, at, cut;

	if (size < 3)
		return;
	at = (data[0] | (size_t)data[1] << 8) % (whole + 1);
	cut = data[2] < whole - at ? data[2] : whole - at;
	text_add_bytes(&text, good_file, at);
	text_add_bytes(&text, data + 3, size - 3);
	text_add_bytes(&text, good_file + at + cut, whole - at - cut);
	run_file(text.at, text.length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool is_begun;

	if (!is_begun) {
		AUTO_TEXT error = TEXT_LIMIT(4000);
		struct web_config *config = NULL;

		assert(!web_config_parse("web.yml", good_file, sizeof good_file - 1, &config, &error));
		check(config);
		web_config_free(config);
		is_begun = true;
	}
	run_file((const char *)data, size);
	run_piece(data, size);
	return 0;
}
