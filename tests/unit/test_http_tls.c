/* http/: who gets through a handshake, with real clients at the other end of a socket pair. */
#include "http_pairs.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "http/tls.h"

static struct web_config config_of(const struct pair *server)
{
	return (struct web_config){ .path = "web.yml", .has_tls = true, .tls = {
		.cert = (char *)server->cert_pem.data, .key = (char *)server->key_pem.data,
		.min_version = WEB_TLS12, .max_version = WEB_TLS13, .prefers_server_order = true,
	} };
}

static struct http_tls *tls_of(const struct web_config *config)
{
	AUTO_TEXT error = TEXT_LIMIT(2000);
	struct http_tls *tls = NULL;
	int r = http_tls_new(config, &tls, &error);

	if (r)
		print_error("%s\n", error.at);
	assert_int_equal(r, 0);
	return tls;
}

/* What the server's handshake came to; with a name of what was agreed on. */
struct outcome {
	int r;
	char suite[64];
	gnutls_protocol_t version;
};

static bool is_under_way(int r)
{
	return r < 0 && !gnutls_error_is_fatal(r);
}

/* Both ends in turn, without blocking, until the server's has ended. */
static int shake_hands(gnutls_session_t server, gnutls_session_t client)
{
	int s = GNUTLS_E_AGAIN, c = GNUTLS_E_AGAIN;

	for (int i = 0; i < 200 && is_under_way(s); i++) {
		if (is_under_way(c))
			c = gnutls_handshake(client);
		s = gnutls_handshake(server);
		if (!is_under_way(c) && c < 0 && is_under_way(s)) {
			gnutls_alert_send_appropriate(client, c);
			s = gnutls_handshake(server);
			return s < 0 ? s : c;
		}
	}
	return s;
}

static struct outcome meet(struct http_tls *tls, const struct pair *with, const char *priority)
{
	gnutls_certificate_credentials_t theirs, before;
	gnutls_session_t server, client;
	struct outcome out = { 0 };
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
	gnutls_certificate_allocate_credentials(&theirs);
	gnutls_certificate_allocate_credentials(&before);	/* libmicrohttpd's own, which are to be replaced */
	if (with)
		assert_int_equal(gnutls_certificate_set_x509_key(theirs, (gnutls_x509_crt_t *)&with->crt, 1, with->key), 0);
	assert_int_equal(gnutls_init(&client, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_FORCE_CLIENT_CERT), 0);
	assert_int_equal(gnutls_priority_set_direct(client, priority ? priority : "NORMAL", NULL), 0);
	gnutls_credentials_set(client, GNUTLS_CRD_CERTIFICATE, theirs);
	gnutls_transport_set_int(client, fds[0]);
	assert_int_equal(gnutls_init(&server, GNUTLS_SERVER | GNUTLS_NONBLOCK), 0);
	gnutls_set_default_priority(server);
	gnutls_credentials_set(server, GNUTLS_CRD_CERTIFICATE, before);
	gnutls_transport_set_int(server, fds[1]);
	assert_int_equal(http_tls_begin(http_tls_ref(tls), server), 0);
	out.r = shake_hands(server, client);
	if (!out.r) {
		out.version = gnutls_protocol_get_version(server);
		snprintf(out.suite, sizeof out.suite, "%s", gnutls_ciphersuite_get(server));
	}
	gnutls_deinit(client);
	gnutls_deinit(server);
	http_tls_unref(tls);
	gnutls_certificate_free_credentials(theirs);
	gnutls_certificate_free_credentials(before);
	close(fds[0]);
	close(fds[1]);
	return out;
}

static const char *const both_versions[] = { "NORMAL:-VERS-ALL:+VERS-TLS1.2", "NORMAL:-VERS-ALL:+VERS-TLS1.3" };

static void each_client_auth_type_takes_whom_it_says(void **state)
{
	enum { NO_CERT = GNUTLS_E_CERTIFICATE_REQUIRED, BAD = GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR };
	static const struct pair *const clients[] = { NULL, &good, &no_use, &stranger, &expired, &server_use };
	static const struct {
		enum web_client_auth auth;
		bool has_ca;
		int r[ARRAY_SIZE(clients)];
	} rows[] = {
		/*				none	 good no_use stranger expired server_use */
		{ WEB_CLIENT_NONE, false,	{ 0,	   0, 0, 0,   0,   0 } },
		{ WEB_CLIENT_REQUEST, true,	{ 0,	   0, 0, 0,   0,   0 } },
		{ WEB_CLIENT_REQUIRE_ANY, true,	{ NO_CERT, 0, 0, 0,   0,   0 } },
		{ WEB_CLIENT_VERIFY_IF_GIVEN, true, { 0,   0, 0, BAD, BAD, BAD } },
		{ WEB_CLIENT_REQUIRE, true,	{ NO_CERT, 0, 0, BAD, BAD, BAD } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows) * ARRAY_SIZE(clients) * 2; i++) {
		size_t row = i / 2 / ARRAY_SIZE(clients), client = i / 2 % ARRAY_SIZE(clients);
		struct web_config config = config_of(&ecdsa_server);
		struct http_tls *tls;
		int r, expected = rows[row].r[client];

		config.tls.client_auth = rows[row].auth;
		config.tls.client_ca = rows[row].has_ca ? (char *)ca.cert_pem.data : NULL;
		tls = tls_of(&config);
		r = meet(tls, clients[client], both_versions[i % 2]).r;
		if (expected == NO_CERT && r == GNUTLS_E_NO_CERTIFICATE_FOUND)
			r = NO_CERT;	/* as GnuTLS calls it before TLS 1.3 */
		if (r != expected)
			print_error("row %zu client %zu %s: %s\n", row, client, both_versions[i % 2], gnutls_strerror(r));
		assert_int_equal(r, expected);
		http_tls_unref(tls);
	}
}

static void only_allowed_names_come_in(void **state)
{
	static const struct {
		const char *san;
		bool is_good;
	} rows[] = {
		{ "prometheus.example", true }, { "10.0.0.7", true }, { "a@example", true }, { "spiffe://x/y", true },
		{ "prometheus.exampl", false }, { "10.0.0.8", false }, { "*", false }, { "leaf", false }, { "::ffff:10.0.0.7", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct web_config config = config_of(&ecdsa_server);
		char *sans[] = { "other.example", (char *)rows[i].san };
		struct http_tls *tls;

		config.tls.client_auth = WEB_CLIENT_REQUIRE;
		config.tls.client_ca = (char *)ca.cert_pem.data;
		config.tls.allowed_sans = sans;
		config.tls.n_allowed_sans = 2;
		tls = tls_of(&config);
		assert_int_equal(meet(tls, &good, NULL).r, rows[i].is_good ? 0 : GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR);
		http_tls_unref(tls);
	}
}

static void versions_have_their_bounds(void **state)
{
	static const char *const names[] = { "1.0", "1.1", "1.2", "1.3" };
	static const gnutls_protocol_t versions[] = { GNUTLS_TLS1_0, GNUTLS_TLS1_1, GNUTLS_TLS1_2, GNUTLS_TLS1_3 };

	for (int min = WEB_TLS10; min <= WEB_TLS13; min++)
		for (int max = min; max <= WEB_TLS13; max++) {
			struct web_config config = config_of(&ecdsa_server);
			struct http_tls *tls;

			config.tls.min_version = (enum web_tls_version)min;
			config.tls.max_version = (enum web_tls_version)max;
			tls = tls_of(&config);
			for (int v = WEB_TLS10; v <= WEB_TLS13; v++) {
				char priority[64];
				struct outcome o;

				snprintf(priority, sizeof priority, "NORMAL:-VERS-ALL:+VERS-TLS%s", names[v]);
				o = meet(tls, NULL, priority);
				assert_int_equal(o.r == 0, v >= min && v <= max);
				if (!o.r)
					assert_int_equal(o.version, versions[v]);
			}
			http_tls_unref(tls);
		}
}

static const struct web_suite rsa_128 = { "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", WEB_KX_RSA, "AES-128-GCM", "AEAD" };
static const struct web_suite rsa_cbc = { "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", WEB_KX_RSA, "AES-256-CBC", "SHA1" };
static const struct web_suite only_13 = { "TLS_AES_256_GCM_SHA384", WEB_KX_TLS13, "AES-256-GCM", "AEAD" };

static void suites_and_curves_are_those_named(void **state)
{
	static const struct web_curve p384 = { "CurveP384", "SECP384R1" };
	static const struct {
		const struct web_suite *suites[2];
		const char *client, *suite;	/* NULL: no handshake */
	} rows[] = {
		{ { &rsa_128 }, "NORMAL:-VERS-ALL:+VERS-TLS1.2", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256" },
		{ { &rsa_128 }, "NORMAL:-VERS-ALL:+VERS-TLS1.2:-AES-128-GCM", NULL },
		{ { &rsa_128 }, "NORMAL", "TLS_AES_128_GCM_SHA256" },
		{ { &rsa_cbc }, "NORMAL", "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA" },
		{ { &rsa_128, &rsa_cbc }, "NORMAL:-VERS-ALL:+VERS-TLS1.2:-AES-128-GCM", "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA" },
		{ { &only_13 }, "NORMAL", "TLS_AES_256_GCM_SHA384" },
		{ { &only_13 }, "NORMAL:-VERS-ALL:+VERS-TLS1.2", NULL },
		{ { NULL }, "NORMAL:-VERS-ALL:+VERS-TLS1.2:-ECDHE-RSA:-ECDHE-ECDSA", NULL },	/* no forward secrecy */
		{ { NULL }, "NORMAL:-GROUP-ALL:+GROUP-SECP256R1", NULL },			/* the curve is P-384 */
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct web_config config = config_of(&rsa_server);
		struct http_tls *tls;
		struct outcome o;

		for (size_t n = 0; n < 2 && rows[i].suites[n]; n++)
			config.tls.suites[config.tls.n_suites++] = rows[i].suites[n];
		config.tls.curves[config.tls.n_curves++] = &p384;
		tls = tls_of(&config);
		o = meet(tls, NULL, rows[i].client);
		if ((o.r == 0) != (rows[i].suite != NULL))
			print_error("row %zu: %s %s\n", i, gnutls_strerror(o.r), o.suite);
		assert_int_equal(o.r == 0, rows[i].suite != NULL);
		if (rows[i].suite)
			assert_string_equal(o.suite, rows[i].suite);
		http_tls_unref(tls);
	}
}

static void what_cannot_be_loaded_is_named(void **state)
{
	char *const good_cert = (char *)ecdsa_server.cert_pem.data, *const good_key = (char *)ecdsa_server.key_pem.data;
	char *const ca_pem = (char *)ca.cert_pem.data;
	const struct {
		struct web_tls tls;
		int r;
		const char *error;
	} rows[] = {
		{ { .cert_file = "/none/c.pem", .key = good_key }, -ENOENT, "/none/c.pem: cert_file: No such file or directory" },
		{ { .cert = good_cert, .key_file = "/none/k.pem" }, -ENOENT, "/none/k.pem: key_file: No such file or directory" },
		{ { .cert_file = "/dev/null", .key = good_key }, -EINVAL, "/dev/null: cert_file: not a regular file" },
		{ { .cert = "x", .key = good_key }, -EINVAL, "web.yml: tls_server_config.cert: no certificate in PEM" },
		{ { .cert = "", .key = good_key }, -EINVAL, "web.yml: tls_server_config.cert: no certificate in PEM" },
		{ { .cert = good_cert, .key = "x" }, -EINVAL, "web.yml: tls_server_config.key: no private key in PEM" },
		{ { .cert = good_cert, .key = (char *)good.key_pem.data }, -EINVAL,
		  "web.yml: tls_server_config.key: not the key of the certificate" },
		{ { .cert = good_cert, .key = good_key, .client_ca = "x" }, -EINVAL,
		  "web.yml: tls_server_config.client_ca: no certificate in PEM" },
		{ { .cert = good_cert, .key = good_key, .client_ca_file = "/none/a.pem" }, -ENOENT,
		  "/none/a.pem: client_ca_file: No such file or directory" },
		{ { .cert = good_cert, .key = good_key, .client_ca = ca_pem, .suites = { &rsa_128 }, .n_suites = 1,
		    .min_version = WEB_TLS12, .max_version = WEB_TLS12 }, -EINVAL,
		  "web.yml: tls_server_config.cipher_suites: none fits the certificate's ECDSA key and the versions allowed" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct web_config config = { .path = "web.yml", .has_tls = true, .tls = rows[i].tls };
		AUTO_TEXT error = TEXT_LIMIT(2000);
		struct http_tls *tls = NULL;
		int r = http_tls_new(&config, &tls, &error);

		assert_string_equal(error.at ? error.at : "", rows[i].error);
		assert_int_equal(r, rows[i].r);
		assert_null(tls);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_client_auth_type_takes_whom_it_says),
		cmocka_unit_test(only_allowed_names_come_in),
		cmocka_unit_test(versions_have_their_bounds),
		cmocka_unit_test(suites_and_curves_are_those_named),
		cmocka_unit_test(what_cannot_be_loaded_is_named),
	};

	return cmocka_run_group_tests_name("http_tls", tests, make_pairs, free_pairs);
}
