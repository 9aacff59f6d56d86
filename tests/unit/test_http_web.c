/* http/: a server with a web configuration: TLS, users, headers, rate limit, and one configuration after another. */
#include "http_pairs.h"
#include "http_world.h"

#include <dirent.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "http/web.h"

/* Of "secret"; and two that take long enough for whatever is to happen meanwhile, and are nobody's. */
#define QUICK "$2b$04$EH0DW0texLQfMhLYpN9UC.CM43AkKaD3sgOxKR198wu/pV/7iMrxa"
#define MEDIUM "$2b$10$EH0DW0texLQfMhLYpN9UC.CM43AkKaD3sgOxKR198wu/pV/7iMrxa"
#define SLOW "$2b$13$EH0DW0texLQfMhLYpN9UC.CM43AkKaD3sgOxKR198wu/pV/7iMrxa"
#define USERS(hash) "basic_auth_users: { prometheus: '" hash "' }\n"
#define AUTHORIZED(line, coded) line " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Basic " coded "\r\n\r\n"
#define RIGHT "cHJvbWV0aGV1czpzZWNyZXQ="	/* prometheus:secret */
#define WRONG "cHJvbWV0aGV1czp3cm9uZw=="	/* prometheus:wrong */
#define REQUIRED "RequireAndVerifyClientCert"

/* ---- the clock */

static int64_t clock_ahead_us;
static uint64_t clock_stands_at_us;	/* 0: it runs */

uint64_t __real_clock_monotonic_us(void);
uint64_t __wrap_clock_monotonic_us(void);
uint64_t __wrap_clock_monotonic_us(void)
{
	return clock_stands_at_us ? clock_stands_at_us : __real_clock_monotonic_us() + (uint64_t)clock_ahead_us;
}

static const int64_t hour_us = INT64_C(3600000000);

/* ---- configurations */

static struct http_web *read_web(const char *yaml)
{
	char path[] = "/tmp/test_http_web.XXXXXX";
	AUTO_TEXT error = TEXT_LIMIT(2000);
	struct web_config *config;
	struct http_web *web = NULL;
	AUTO_FD fd = mkstemp(path);
	int r;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, yaml, strlen(yaml)), strlen(yaml));
	r = web_config_read(path, &config, &error);
	if (!r)
		r = http_web_new(config, &web, &error);
	unlink(path);
	if (r)
		print_error("%s\n", error.at);
	assert_int_equal(r, 0);
	return web;
}

static void add_pem(struct text *yaml, const char *key, const gnutls_datum_t *pem)
{
	AUTO_FREE char *copy = strndup((char *)pem->data, pem->size);
	char *rest = copy, *line;

	text_addf(yaml, "  %s: |\n", key);
	while ((line = strsep(&rest, "\n")))
		if (*line)
			text_addf(yaml, "    %s\n", line);
}

/* auth: NULL: no certificate of the client's is asked for. */
static struct http_web *tls_web(const struct pair *server, const char *auth, const char *more)
{
	AUTO_TEXT yaml = TEXT_LIMIT(1 << 20);

	text_add(&yaml, "tls_server_config:\n");
	add_pem(&yaml, "cert", &server->cert_pem);
	add_pem(&yaml, "key", &server->key_pem);
	if (auth) {
		add_pem(&yaml, "client_ca", &ca.cert_pem);
		text_addf(&yaml, "  client_auth_type: %s\n", auth);
	}
	text_add(&yaml, more);
	return read_web(yaml.at);
}

static void use(struct world *w, struct http_web *web)
{
	AUTO_TEXT error = TEXT_LIMIT(2000);

	assert_int_equal(http_server_use(w->server, web, &error), 0);
	assert_null(error.at);
}

static void serve(struct world *w, struct http_web *web)
{
	AUTO_TEXT error = TEXT_LIMIT(2000);
	const struct http_options options = { .listen_addresses = ADDRESSES("127.0.0.1:0"), .telemetry_path = "/metrics", .max_requests = 1,
					      .web = &web };

	assert_int_equal(serve_as(w, &options, &error), 0);
	assert_null(web);
}

/* ---- a client that speaks TLS */

struct tls_client {
	int fd;
	gnutls_session_t session;
	gnutls_certificate_credentials_t credentials;
};

static void tls_close(struct tls_client *c)
{
	gnutls_deinit(c->session);
	gnutls_certificate_free_credentials(c->credentials);
	fd_closep(&c->fd);
}

#define AUTO_TLS CLEANUP(tls_close) struct tls_client

static struct tls_client tls_connect(struct world *w, const struct pair *shown, const char *priority)
{
	struct tls_client c = { .fd = connect_to("127.0.0.1", w->port) };

	assert_true(c.fd >= 0);
	gnutls_certificate_allocate_credentials(&c.credentials);
	if (shown)
		assert_int_equal(gnutls_certificate_set_x509_key(c.credentials, (gnutls_x509_crt_t *)&shown->crt, 1, shown->key), 0);
	gnutls_init(&c.session, GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_FORCE_CLIENT_CERT);
	assert_int_equal(gnutls_priority_set_direct(c.session, priority, NULL), 0);
	gnutls_credentials_set(c.session, GNUTLS_CRD_CERTIFICATE, c.credentials);
	gnutls_transport_set_int(c.session, c.fd);
	return c;
}

static bool is_under_way(ssize_t r)
{
	return r == GNUTLS_E_AGAIN || r == GNUTLS_E_INTERRUPTED;
}

enum { TURNS_MAX = 20000 };

static ssize_t tls_shake(struct world *w, struct tls_client *c)
{
	ssize_t r = GNUTLS_E_AGAIN;

	for (int i = 0; i < TURNS_MAX && is_under_way(r); i++) {
		r = gnutls_handshake(c->session);
		sd_event_run(w->event, 500);
	}
	return r;
}

/* False: nothing more comes. */
static bool tls_receive_more(struct world *w, struct tls_client *c, struct text *answer)
{
	char part[16384];

	for (int i = 0; i < TURNS_MAX; i++) {
		ssize_t n = gnutls_record_recv(c->session, part, sizeof part);

		if (n > 0) {
			text_add_bytes(answer, part, (size_t)n);
			return true;
		}
		if (!is_under_way(n))
			return false;
		sd_event_run(w->event, 500);
	}
	return false;
}

/* False: there was no whole answer, or none. */
static bool tls_receive(struct world *w, struct tls_client *c, const char *enough, struct text *answer)
{
	text_free(answer);
	while (tls_receive_more(w, c, answer))
		if (strstr(answer->at, enough))
			return true;
	return false;
}

static bool tls_ask(struct world *w, struct tls_client *c, const char *request, const char *enough, struct text *answer)
{
	return tls_shake(w, c) >= 0 && gnutls_record_send(c->session, request, strlen(request)) >= 0 &&
	       tls_receive(w, c, enough, answer);
}

static const char *const both_versions[] = { "NORMAL:-VERS-ALL:+VERS-TLS1.2", "NORMAL:-VERS-ALL:+VERS-TLS1.3" };

static bool gets_in(struct world *w, const struct pair *shown, const char *priority)
{
	AUTO_TLS client = tls_connect(w, shown, priority);
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);
	int before = w->n_scrapes;
	bool is_in = tls_ask(w, &client, REQUEST("GET /metrics"), "drive_up 1\n", &answer);

	assert_int_equal(w->n_scrapes - before, is_in);	/* who does not get in costs no page */
	return is_in;
}

static void certificates_are_judged_before_any_request(void **state)
{
	static const struct {
		const struct pair *shown;
		bool is_in;
	} rows[] = {
		{ &good, true }, { &no_use, true }, { NULL, false }, { &stranger, false }, { &expired, false }, { &server_use, false },
	};
	struct world *w = *state;

	serve(w, tls_web(&ecdsa_server, REQUIRED, ""));
	for (size_t i = 0; i < 2 * ARRAY_SIZE(rows); i++)
		assert_int_equal(gets_in(w, rows[i / 2].shown, both_versions[i % 2]), rows[i / 2].is_in);
}

static void who_speaks_the_other_tongue_is_not_answered(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

	serve(w, tls_web(&rsa_server, NULL, ""));
	talk(w, REQUEST("GET /metrics"), &answer);
	assert_null(strstr(answer.at, "HTTP/"));
	assert_true(gets_in(w, NULL, "NORMAL"));
	use(w, read_web(""));
	assert_false(gets_in(w, NULL, "NORMAL"));
	talk(w, REQUEST("GET /metrics"), &answer);
	assert_status(&answer, 200);
}

static void a_handshake_without_end_has_its_time(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);
	AUTO_FD silent = -1, slow = -1;

	serve(w, tls_web(&ecdsa_server, NULL, ""));
	clock_ahead_us = -hour_us;
	silent = connect_to("127.0.0.1", w->port);
	slow = connect_to("127.0.0.1", w->port);
	assert_true(send_all(w, slow, "\x16\x03\x01\x02", 4));		/* the head of a record */
	for (int i = 0; i < 20; i++)
		sd_event_run(w->event, 1000);
	clock_ahead_us = 0;
	assert_true(receive(w, silent, &answer, NULL));
	assert_true(receive(w, slow, &answer, NULL));
	assert_true(gets_in(w, NULL, "NORMAL"));
}

/* How often it wakes up in 200 ms. */
static int count_turns(struct world *w)
{
	const uint64_t end = __real_clock_monotonic_us() + 200000;
	int n = 0;

	for (; __real_clock_monotonic_us() < end; n++)
		sd_event_run(w->event, 10000);
	return n;
}

static void half_a_handshake_is_waited_for_asleep(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);
	AUTO_FD slow = -1;

	serve(w, tls_web(&ecdsa_server, NULL, ""));
	slow = connect_to("127.0.0.1", w->port);
	assert_true(send_all(w, slow, "\x16\x03\x01\x02", 4));
	assert_in_range(count_turns(w), 1, 60);
	for (size_t i = 0; i < ARRAY_SIZE(both_versions); i++) {
		AUTO_TLS client = tls_connect(w, NULL, both_versions[i]);

		assert_true(is_under_way(gnutls_handshake(client.session)));	/* its first words */
		assert_in_range(count_turns(w), 1, 60);
		assert_true(tls_ask(w, &client, KEPT_REQUEST("GET /metrics"), "drive_up 1\n", &answer));
		assert_in_range(count_turns(w), 1, 60);
	}
}

/* While another one holds up its handshake. */
static void a_long_page_comes_whole_and_fast(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);
	uint64_t begin;

	serve(w, tls_web(&ecdsa_server, NULL, ""));
	w->n_bodies = 250000;
	AUTO_TLS half = tls_connect(w, NULL, "NORMAL"), client = tls_connect(w, NULL, "NORMAL");

	(void)gnutls_handshake(half.session);
	begin = __real_clock_monotonic_us();
	assert_true(tls_ask(w, &client, REQUEST("GET /metrics"), "\r\n\r\n", &answer));
	while (tls_receive_more(w, &client, &answer))
		;
	assert_int_equal(strlen(body_of(&answer)), w->n_bodies * strlen(w->body));
	assert_in_range(__real_clock_monotonic_us() - begin, 0, 4000000);	/* 168 records: with the longest pause before each 11 s */
}

/* ---- users */

static void a_password_opens_every_page(void **state)
{
	static const char *const paths[] = { "/metrics", "/", "/-/healthy" };
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

	serve(w, read_web(USERS(QUICK)));
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		char line[300];

		snprintf(line, sizeof line, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", paths[i]);
		talk(w, line, &answer);
		assert_status(&answer, 401);
		assert_header(&answer, "WWW-Authenticate: Basic realm=\"drive_exporter\"");
		snprintf(line, sizeof line, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Basic " WRONG "\r\n\r\n", paths[i]);
		talk(w, line, &answer);
		assert_status(&answer, 401);
		snprintf(line, sizeof line, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Basic " RIGHT "\r\n\r\n", paths[i]);
		talk(w, line, &answer);
		assert_status(&answer, 200);
	}
	assert_int_equal(w->n_scrapes, 1);
	talk(w, "POST /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello", &answer);
	assert_status(&answer, 401);
	talk(w, "POST /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Basic " RIGHT "\r\nContent-Length: 5\r\n\r\nhello", &answer);
	assert_status(&answer, 405);
}

/* While it is looked at, others are answered; and it is not one of --web.max-requests. */
static void a_password_that_takes_long_holds_up_nobody(void **state)
{
	struct world *w = *state;
	AUTO_TEXT slow = TEXT_LIMIT(ANSWER_MAX), answer = TEXT_LIMIT(ANSWER_MAX);
	AUTO_FD fd = -1;

	serve(w, read_web("basic_auth_users: { prometheus: '" QUICK "', slow: '" SLOW "' }\n"));
	talk(w, AUTHORIZED("GET /metrics", RIGHT), &answer);	/* known from now on */
	fd = connect_to("127.0.0.1", w->port);
	assert_true(send_text(w, fd, AUTHORIZED("GET /metrics", "c2xvdzpzZWNyZXQ=")));	/* slow:secret */
	for (int i = 0; i < 3; i++) {
		talk(w, AUTHORIZED("GET /metrics", RIGHT), &answer);
		assert_status(&answer, 200);
	}
	assert_true(receive(w, fd, &slow, NULL));
	assert_status(&slow, 401);
	assert_int_equal(w->n_scrapes, 4);
}

static void many_tries_are_too_many(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);
	int n_busy = 0;

	clock_stands_at_us = clock_monotonic_us();
	serve(w, read_web(USERS(QUICK)));
	talk(w, AUTHORIZED("GET /metrics", RIGHT), &answer);
	for (int i = 0; i < 12; i++) {
		talk(w, AUTHORIZED("GET /metrics", WRONG), &answer);
		if (strncmp(answer.at, "HTTP/1.1 429 ", 13)) {
			assert_status(&answer, 401);
			continue;
		}
		assert_header(&answer, "Retry-After: 1");
		n_busy++;
	}
	assert_int_equal(n_busy, 12 - 8);
	talk(w, AUTHORIZED("GET /metrics", RIGHT), &answer);
	assert_status(&answer, 200);
}

/* Its password is being looked at. */
static int wait_for_password(struct world *w)
{
	int fd = connect_to("127.0.0.1", w->port);

	assert_true(send_text(w, fd, AUTHORIZED("GET /metrics", RIGHT)));
	for (int i = 0; i < 20; i++)
		sd_event_run(w->event, 1000);
	return fd;
}

static void who_waits_may_leave(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

	serve(w, read_web(USERS(SLOW)));
	for (int i = 0; i < 4; i++)
		close(wait_for_password(w));
	use(w, read_web(""));
	talk(w, REQUEST("GET /metrics"), &answer);
	assert_status(&answer, 200);
	for (int i = 0; i < 3000 && w->n_scrapes < 2; i++)
		sd_event_run(w->event, 1000);
	assert_int_equal(w->n_scrapes, 1);
}

static size_t count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	size_t n = 0;

	assert_non_null(folder);
	while (readdir(folder))
		n++;
	closedir(folder);
	return n;
}

/* Also at our end: libmicrohttpd does not see by itself that one who is suspended is gone. */
static void who_waits_has_his_time(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);
	size_t before, with;
	AUTO_FD first = -1, second = -1;

	serve(w, read_web(USERS(SLOW)));
	before = count_descriptors();
	clock_ahead_us = -hour_us;
	first = wait_for_password(w);
	second = wait_for_password(w);		/* it is not looked at before the first one's */
	with = count_descriptors();
	clock_ahead_us = 0;
	assert_true(receive(w, second, &answer, NULL));
	assert_int_equal(answer.length, 0);
	for (int i = 0; i < 5; i++)
		sd_event_run(w->event, 1000);
	assert_int_equal(with, before + 4);
	assert_int_equal(count_descriptors(), before + 2);
}

static void the_end_finds_who_waits(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);
	AUTO_FD fd = -1, finished = -1;

	serve(w, read_web(USERS(SLOW)));
	fd = wait_for_password(w);
	stop(w);			/* libmicrohttpd would abort if somebody were suspended */
	serve(w, read_web(USERS(SLOW)));
	finished = wait_for_password(w);
	http_server_finish(w->server);
	stop(w);
	assert_true(receive(w, finished, &answer, NULL));
	if (answer.length)		/* within the second that there is */
		assert_status(&answer, 401);
}

/* Both libmicrohttpds have something to do in the same turn, and the one that nobody is suspended in goes last. */
static void a_verdict_is_not_forgotten_over_other_work(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);
	AUTO_FD plain = -1;

	serve(w, read_web(""));
	plain = connect_to("127.0.0.1", w->port);
	assert_true(send_text(w, plain, KEPT_REQUEST("GET /metrics")) && receive(w, plain, &answer, "drive_up 1\n"));
	use(w, tls_web(&ecdsa_server, NULL, USERS(MEDIUM)));
	AUTO_TLS client = tls_connect(w, NULL, "NORMAL");
	static const char request[] = AUTHORIZED("GET /metrics", RIGHT), other[] = KEPT_REQUEST("GET /metrics");

	assert_int_equal(tls_shake(w, &client), 0);
	assert_int_equal(gnutls_record_send(client.session, request, strlen(request)), strlen(request));
	for (int i = 0; i < 5; i++)
		sd_event_run(w->event, 1000);
	assert_int_equal(send(plain, other, strlen(other), MSG_NOSIGNAL), strlen(other));
	usleep(500000);			/* the thread goes on meanwhile */
	assert_true(tls_receive(w, &client, "needed.\n", &answer));
	assert_status(&answer, 401);
}

static void passwords_go_with_tls(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

	serve(w, tls_web(&ecdsa_server, REQUIRED, USERS(QUICK)));
	for (int i = 0; i < 2; i++) {
		AUTO_TLS right = tls_connect(w, &good, both_versions[i]), wrong = tls_connect(w, &good, both_versions[i]);

		assert_true(tls_ask(w, &right, AUTHORIZED("GET /metrics", RIGHT), "drive_up 1\n", &answer));
		assert_status(&answer, 200);
		assert_true(tls_ask(w, &wrong, AUTHORIZED("GET /metrics", WRONG), "\r\n\r\n", &answer));
		assert_status(&answer, 401);
	}
}

/* ---- headers and rate limit */

static void headers_replace_ours(void **state)
{
	static const char *const requests[] = {
		REQUEST("GET /metrics"), REQUEST("GET /"), REQUEST("GET /-/healthy"), REQUEST("GET /none"), REQUEST("PUT /"),
	};
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

	serve(w, read_web("http_server_config: { headers: { X-Frame-Options: sameorigin, X-XSS-Protection: '0' } }\n"));
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		talk(w, requests[i], &answer);
		assert_header(&answer, "X-Frame-Options: sameorigin");
		assert_header(&answer, "X-XSS-Protection: 0");
		assert_null(strstr(answer.at, "DENY"));
		assert_header(&answer, "X-Content-Type-Options: nosniff");
	}
	use(w, read_web(""));
	talk(w, REQUEST("GET /metrics"), &answer);
	assert_header(&answer, "X-Frame-Options: DENY");
}

static void requests_have_their_rate(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

	serve(w, read_web("rate_limit: { interval: 1m1s, burst: 2 }\n"));
	for (int i = 0; i < 4; i++) {
		talk(w, REQUEST("GET /metrics"), &answer);
		assert_status(&answer, i < 2 ? 200 : 429);
	}
	assert_header(&answer, "Retry-After: 61");
	use(w, read_web("rate_limit: { interval: 61s, burst: 2 }\nhttp_server_config: { headers: { X-XSS-Protection: '0' } }\n"));
	talk(w, REQUEST("GET /metrics"), &answer);
	assert_status(&answer, 429);		/* the same rate goes on */
	clock_ahead_us = 62000000;
	talk(w, REQUEST("GET /metrics"), &answer);
	assert_status(&answer, 200);
	talk(w, REQUEST("GET /metrics"), &answer);
	assert_status(&answer, 429);
	clock_ahead_us = 0;
	use(w, read_web("rate_limit: { interval: 1h, burst: 0 }\n"));
	talk(w, REQUEST("GET /metrics"), &answer);
	assert_status(&answer, 200);
	talk(w, REQUEST("GET /metrics"), &answer);
	assert_status(&answer, 429);
	use(w, read_web(""));
	talk(w, REQUEST("GET /metrics"), &answer);
	assert_status(&answer, 200);
}

/* ---- one after another */

static void open_connections_keep_their_tls(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

	serve(w, tls_web(&ecdsa_server, NULL, ""));
	AUTO_TLS first = tls_connect(w, NULL, "NORMAL"), half = tls_connect(w, NULL, "NORMAL");

	assert_true(tls_ask(w, &first, KEPT_REQUEST("GET /metrics"), "drive_up 1\n", &answer));
	(void)gnutls_handshake(half.session);
	sd_event_run(w->event, 1000);
	use(w, tls_web(&rsa_server, REQUIRED, "http_server_config: { headers: { X-XSS-Protection: '0' } }\n"));
	assert_false(gets_in(w, NULL, "NORMAL"));
	assert_true(gets_in(w, &good, "NORMAL"));
	assert_true(tls_ask(w, &half, KEPT_REQUEST("GET /metrics"), "drive_up 1\n", &answer));
	use(w, read_web(""));
	assert_true(tls_ask(w, &first, KEPT_REQUEST("GET /metrics"), "drive_up 1\n", &answer));
	assert_status(&answer, 200);
}

static void users_change_for_open_connections(void **state)
{
	struct world *w = *state;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);
	AUTO_FD fd = -1;

	serve(w, read_web(""));
	fd = connect_to("127.0.0.1", w->port);
	assert_true(send_text(w, fd, KEPT_REQUEST("GET /metrics")) && receive(w, fd, &answer, "drive_up 1\n"));
	assert_status(&answer, 200);
	use(w, read_web(USERS(QUICK)));
	text_free(&answer);
	assert_true(send_text(w, fd, KEPT_REQUEST("GET /metrics")) && receive(w, fd, &answer, "needed.\n"));
	assert_status(&answer, 401);
	text_free(&answer);		/* and it may try again */
	assert_true(send_text(w, fd, AUTHORIZED("GET /metrics", RIGHT)) && receive(w, fd, &answer, NULL));
	assert_status(&answer, 200);
}

static int end_and_right_the_clock(void **state)
{
	clock_ahead_us = 0;
	clock_stands_at_us = 0;
	return end_world(state);
}

#define web_test(test) cmocka_unit_test_setup_teardown(test, start_world, end_and_right_the_clock)

int main(void)
{
	const struct CMUnitTest tests[] = {
		web_test(certificates_are_judged_before_any_request),
		web_test(who_speaks_the_other_tongue_is_not_answered),
		web_test(a_handshake_without_end_has_its_time),
		web_test(half_a_handshake_is_waited_for_asleep),
		web_test(a_long_page_comes_whole_and_fast),
		web_test(a_password_opens_every_page),
		web_test(a_password_that_takes_long_holds_up_nobody),
		web_test(many_tries_are_too_many),
		web_test(who_waits_may_leave),
		web_test(who_waits_has_his_time),
		web_test(the_end_finds_who_waits),
		web_test(a_verdict_is_not_forgotten_over_other_work),
		web_test(passwords_go_with_tls),
		web_test(headers_replace_ours),
		web_test(requests_have_their_rate),
		web_test(open_connections_keep_their_tls),
		web_test(users_change_for_open_connections),
	};

	return cmocka_run_group_tests_name("http_web", tests, make_pairs, free_pairs);
}
