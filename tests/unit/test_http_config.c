/* http/: what a web configuration may say, and which file, line and key are named where it is wrong. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "http/web_config.h"

#define SALT_AND_HASH "N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"
#define HASH(cost) "$2y$" cost "$" SALT_AND_HASH

static char folder[] = "/tmp/web_config.XXXXXX", path[64];

static int write_config(const char *bytes, size_t n)
{
	AUTO_FILE f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	return 0;
}

static int read_bytes(const char *bytes, size_t n, struct web_config **ret, struct text *error)
{
	*ret = NULL;
	write_config(bytes, n);
	return web_config_read(path, ret, error);
}

static struct web_config *read_good(const char *yaml)
{
	AUTO_TEXT error = TEXT_LIMIT(2000);
	struct web_config *c;
	int r = read_bytes(yaml, strlen(yaml), &c, &error);

	if (r)
		print_error("%s\n", error.at);
	assert_int_equal(r, 0);
	assert_null(error.at);
	return c;
}

static void an_empty_file_asks_for_nothing(void **state)
{
	static const char *const files[] = {
		"", "\n", "# nothing\n", "---\n", "---\n...\n", "{}\n", "null\n", "tls_server_config:\n", "tls_server_config: {}\n",
		"basic_auth_users: ~\nhttp_server_config:\nrate_limit:\n", "http_server_config: { http2: false, headers: }\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct web_config *c = read_good(files[i]);

		assert_false(c->has_tls);
		assert_int_equal(c->n_users + c->n_headers + c->rate_burst + c->rate_interval_us, 0);
		web_config_free(c);
	}
}

static void every_key_is_kept(void **state)
{
	struct web_config *c = read_good("tls_server_config:\n"
					 "  cert_file: a/server.crt\n"
					 "  key_file: /abs/server.key\n"
					 "  client_ca_file: ca.crt\n"
					 "  client_auth_type: RequireAndVerifyClientCert\n"
					 "  client_allowed_sans: [prometheus.example, 10.0.0.1]\n"
					 "  min_version: TLS11\n"
					 "  max_version: TLS12\n"
					 "  cipher_suites:\n"
					 "  - TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384\n"
					 "  - TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256\n"
					 "  prefer_server_cipher_suites: no\n"
					 "  curve_preferences: [X25519, CurveP256]\n"
					 "http_server_config:\n"
					 "  http2: true\n"
					 "  headers:\n"
					 "    X-Frame-Options: deny\n"
					 "    Strict-Transport-Security: max-age=31536000\n"
					 "basic_auth_users:\n"
					 "  alice: " HASH("10") "\n"
					 "  bob: '" HASH("04") "'\n"
					 "rate_limit: { interval: 1m1.5s, burst: 20 }\n");
	char expected[100];

	snprintf(expected, sizeof expected, "%s/a/server.crt", folder);
	assert_true(c->has_tls);
	assert_string_equal(c->tls.cert_file, expected);
	assert_string_equal(c->tls.key_file, "/abs/server.key");
	assert_int_equal(c->tls.client_auth, WEB_CLIENT_REQUIRE);
	assert_int_equal(c->tls.n_allowed_sans, 2);
	assert_string_equal(c->tls.allowed_sans[1], "10.0.0.1");
	assert_int_equal(c->tls.min_version, WEB_TLS11);
	assert_int_equal(c->tls.max_version, WEB_TLS12);
	assert_int_equal(c->tls.n_suites, 2);
	assert_string_equal(c->tls.suites[0]->cipher, "AES-256-GCM");
	assert_false(c->tls.prefers_server_order);
	assert_int_equal(c->tls.n_curves, 2);
	assert_string_equal(c->tls.curves[1]->group, "SECP256R1");
	assert_int_equal(c->n_headers, 2);
	assert_string_equal(c->headers[1].name, "Strict-Transport-Security");
	assert_string_equal(c->headers[1].value, "max-age=31536000");
	assert_int_equal(c->n_users, 2);
	assert_string_equal(c->users[1].name, "bob");
	assert_string_equal(c->users[1].hash, HASH("04"));
	assert_int_equal(c->rate_interval_us, 61500000);
	assert_int_equal(c->rate_burst, 20);
	web_config_free(c);
}

static void what_is_not_said_has_a_default(void **state)
{
	struct web_config *c = read_good("tls_server_config: {cert: x, key: y}\n");

	assert_string_equal(c->tls.cert, "x");
	assert_string_equal(c->tls.key, "y");
	assert_int_equal(c->tls.min_version, WEB_TLS12);
	assert_int_equal(c->tls.max_version, WEB_TLS13);
	assert_true(c->tls.prefers_server_order);
	assert_int_equal(c->tls.client_auth, WEB_CLIENT_NONE);
	web_config_free(c);
}

#define TLS(more) "tls_server_config:\n  cert_file: c\n  key_file: k\n" more
static const struct {
	const char *yaml, *error;	/* what follows the file's name */
} mistakes[] = {
	{ "tls: {}\n", ":1: tls: unknown key" },
	{ TLS("  nope: 1\n"), ":4: tls_server_config.nope: unknown key" },
	{ TLS("  key_file: k\n"), ":4: tls_server_config.key_file: is there twice, first in line 3" },
	{ "rate_limit:\nrate_limit:\n", ":2: rate_limit: is there twice, first in line 1" },
	{ "- a\n", ":1: is not a mapping of keys to values" },
	{ "tls_server_config: 3\n", ":1: tls_server_config: is not a mapping of keys to values" },
	{ "tls_server_config:\n  cert_file: [c]\n", ":2: tls_server_config.cert_file: is a list, not one value" },
	{ "tls_server_config:\n  cert_file: {c: d}\n", ":2: tls_server_config.cert_file: is a mapping, not one value" },
	{ "tls_server_config:\n  cert_file: ''\n", ":2: tls_server_config.cert_file: is empty" },
	{ "tls_server_config:\n  key_file: k\n", ":1: tls_server_config.cert_file: is missing" },
	{ "\ntls_server_config:\n  cert_file: k\n", ":2: tls_server_config.key_file: is missing" },
	{ "tls_server_config:\n  min_version: TLS13\n", ":1: tls_server_config.cert_file: is missing" },
	{ TLS("  cert: x\n"), ":4: tls_server_config.cert: cert_file is there, too: one of them" },
	{ TLS("  client_ca_file: ca\n"),
	  ":4: tls_server_config.client_ca_file: asks for a client_auth_type other than NoClientCert" },
	{ TLS("  client_ca: ca\n  client_auth_type: NoClientCert\n"),
	  ":4: tls_server_config.client_ca: asks for a client_auth_type other than NoClientCert" },
	{ TLS("  client_auth_type: RequireAndVerifyClientCert\n"), ":4: tls_server_config.client_auth_type: asks for client_ca_file" },
	{ TLS("  client_auth_type: requireAny\n"),
	  ":4: tls_server_config.client_auth_type: \"requireAny\" is none of NoClientCert, RequestClientCert, RequireAnyClientCert, "
	  "VerifyClientCertIfGiven, RequireAndVerifyClientCert" },
	{ TLS("  client_auth_type: RequireAnyClientCert\n  client_allowed_sans: [a]\n"),
	  ":5: tls_server_config.client_allowed_sans: asks for client_auth_type RequireAndVerifyClientCert or "
	  "VerifyClientCertIfGiven" },
	{ TLS("  client_allowed_sans: a\n"), ":4: tls_server_config.client_allowed_sans: is not a list" },
	{ TLS("  client_allowed_sans: [[a]]\n"), ":4: tls_server_config.client_allowed_sans: has an item that is no string" },
	{ TLS("  min_version: SSL30\n"), ":4: tls_server_config.min_version: \"SSL30\" is none of TLS10, TLS11, TLS12, TLS13" },
	{ TLS("  max_version: TLS11\n"), ":4: tls_server_config.max_version: min_version is above max_version" },
	{ TLS("  cipher_suites:\n  - TLS_RSA_WITH_RC4_128_SHA\n"),
	  ":5: tls_server_config.cipher_suites: \"TLS_RSA_WITH_RC4_128_SHA\" is no suite that is known and safe" },
	{ TLS("  curve_preferences: [X25519, X25519]\n"), ":4: tls_server_config.curve_preferences: X25519 is there twice" },
	{ TLS("  curve_preferences: [P256]\n"),
	  ":4: tls_server_config.curve_preferences: \"P256\" is none of CurveP256, CurveP384, CurveP521, X25519" },
	{ TLS("  prefer_server_cipher_suites: maybe\n"),
	  ":4: tls_server_config.prefer_server_cipher_suites: \"maybe\" is neither true nor false" },
	{ "http_server_config:\n  headers:\n    Server: x\n", ":3: http_server_config.headers.Server: no header that can be set here" },
	{ "http_server_config:\n  headers:\n    X-Frame-Options: den\n",
	  ":3: http_server_config.headers.X-Frame-Options: \"den\" is none of: deny sameorigin" },
	{ "http_server_config:\n  headers:\n    X-XSS-Protection: \"1\\r\\nA: b\"\n",
	  ":3: http_server_config.headers.X-XSS-Protection: has a control character" },
	{ "http_server_config:\n  headers: {X-XSS-Protection: 1, X-XSS-Protection: 1}\n",
	  ":2: http_server_config.headers.X-XSS-Protection: is there twice" },
	{ "http_server_config:\n  headers: {}\n  http3: true\n", ":3: http_server_config.http3: unknown key" },
	{ "basic_auth_users:\n  a: secret\n", ":2: basic_auth_users.a: is no bcrypt hash" },
	{ "basic_auth_users:\n  a:\n", ":2: basic_auth_users.a: is no bcrypt hash" },
	{ "basic_auth_users:\n  a: $2x$10$" SALT_AND_HASH "\n", ":2: basic_auth_users.a: is no bcrypt hash" },
	{ "basic_auth_users:\n  a: " HASH("16") "\n", ":2: basic_auth_users.a: the bcrypt hash has a cost of 16, not of 4 to 15" },
	{ "basic_auth_users:\n  a: " HASH("03") "\n", ":2: basic_auth_users.a: the bcrypt hash has a cost of 3, not of 4 to 15" },
	{ "basic_auth_users:\n  a: " HASH("10") "\n  a: " HASH("10") "\n", ":3: basic_auth_users.a: is there twice" },
	{ "basic_auth_users:\n  'a:b': " HASH("10") "\n",
	  ":2: basic_auth_users.a:b: a user has 1 to 255 bytes, no colon and no control character" },
	{ "rate_limit:\n  interval: 3\n", ":2: rate_limit.interval: \"3\" is no time from 1us to 24h, as in 250ms or 1m30s" },
	{ "rate_limit:\n  interval: 25h\n", ":2: rate_limit.interval: \"25h\" is no time from 1us to 24h, as in 250ms or 1m30s" },
	{ "rate_limit:\n  burst: -1\n", ":2: rate_limit.burst: \"-1\" is no whole number up to 1000000" },
	{ "tls_server_config: &x {}\n", ":1: tls_server_config: anchors and aliases are not taken" },
	{ "basic_auth_users:\n  a: *x\n", ":2: basic_auth_users.a: anchors and aliases are not taken" },
	{ "tls_server_config:\n  key: !!binary eA==\n", ":2: tls_server_config.key: tags are not taken" },
	{ "tls_server_config:\n  key: \"a\\0b\"\n", ":2: tls_server_config.key: has a NUL byte" },
	{ "{}\n---\n{}\n", ":2: a second document" },
	{ "? [a]\n: b\n", ":1: has a key that is no string" },
	{ "rate_limit: {\n\n", ":3: not YAML: did not find expected node content" },
};

static void a_mistake_is_named(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
		AUTO_TEXT error = TEXT_LIMIT(2000);
		struct web_config *c;
		int r = read_bytes(mistakes[i].yaml, strlen(mistakes[i].yaml), &c, &error);

		if (r != -EINVAL)
			print_error("%s: %d\n", mistakes[i].yaml, r);
		assert_int_equal(r, -EINVAL);
		assert_null(c);
		assert_memory_equal(error.at, path, strlen(path));
		assert_string_equal(error.at + strlen(path), mistakes[i].error);
	}
}

static void hostile_bytes_are_refused_in_one_line(void **state)
{
	static const char *const files[] = { "\xff\xfe\0", "\x80", "a\x01", "\"\\n\\n\": 1", "%YAML 9.9\n---\n{}", "\t- x", "\xef\xbb\xbf\x80" };
	struct web_config *c;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		AUTO_TEXT error = TEXT_LIMIT(2000);

		assert_int_equal(read_bytes(files[i], strlen(files[i]), &c, &error), -EINVAL);
		assert_null(strchr(error.at, '\n'));
	}
	for (int c1 = 0; c1 < 256; c1++) {	/* each byte in the midst of a good file */
		char file[] = TLS("  max_version: TLS13\n");
		AUTO_TEXT error = TEXT_LIMIT(2000);

		file[30] = (char)c1;
		if (!read_bytes(file, sizeof file - 1, &c, &error))
			web_config_free(c);
		else
			assert_null(strchr(error.at, '\n'));
	}
}

static void the_size_has_a_limit(void **state)
{
	const size_t n = WEB_CONFIG_BYTES_MAX;
	AUTO_FREE char *bytes = malloc(n + 1);
	AUTO_TEXT error = TEXT_LIMIT(2000), deep = TEXT_LIMIT(2000);
	struct web_config *c;

	memset(bytes, '\n', n + 1);
	assert_int_equal(read_bytes(bytes, n, &c, &error), 0);
	web_config_free(c);
	assert_int_equal(read_bytes(bytes, n + 1, &c, &error), -EFBIG);
	assert_memory_equal(error.at, path, strlen(path));
	memset(bytes, '[', n);
	assert_int_equal(read_bytes(bytes, n, &c, &deep), -EINVAL);
	assert_null(strchr(deep.at, '\n'));
}

static void a_file_that_is_not_there_is_named(void **state)
{
	AUTO_TEXT error = TEXT_LIMIT(2000);
	struct web_config *c;

	assert_int_equal(web_config_read("/none/such.yml", &c, &error), -ENOENT);
	assert_string_equal(error.at, "/none/such.yml: No such file or directory");
}

static int make_folder(void **state)
{
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/web.yml", folder);
	return 0;
}

static int remove_folder(void **state)
{
	unlink(path);
	return rmdir(folder);
}

static void a_long_key_is_cut_between_characters(void **state)
{
	for (size_t n = 1; n < 150; n++) {
		AUTO_TEXT yaml = TEXT_LIMIT(1000), error = TEXT_LIMIT(2000);
		struct web_config *c;

		text_add(&yaml, "rate_limit: {'");
		for (size_t i = 0; i < n; i++)
			text_add(&yaml, i % 2 ? "\xc2\x85" : "a");	/* shown as U+FFFD */
		text_add(&yaml, "': 1}\n");
		assert_int_equal(read_bytes(yaml.at, yaml.length, &c, &error), -EINVAL);
		assert_true(text_is_utf8(error.at));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_file_asks_for_nothing),
		cmocka_unit_test(every_key_is_kept),
		cmocka_unit_test(what_is_not_said_has_a_default),
		cmocka_unit_test(a_mistake_is_named),
		cmocka_unit_test(hostile_bytes_are_refused_in_one_line),
		cmocka_unit_test(the_size_has_a_limit),
		cmocka_unit_test(a_file_that_is_not_there_is_named),
		cmocka_unit_test(a_long_key_is_cut_between_characters),
	};

	return cmocka_run_group_tests_name("http_config", tests, make_folder, remove_folder);
}
