/* http/: where the server listens, and what it refuses. */
#include "http_world.h"

#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static void every_address_is_served(void **state)
{
	struct world *w = *state;
	AUTO_TEXT error = TEXT_LIMIT(200), answer = TEXT_LIMIT(ANSWER_MAX);
	char url[80], second[32];

	/* A port that is free, asked for on an address of its own. */
	assert_int_equal(start_at(w, ADDRESSES("127.0.0.2:0"), "/metrics", &error), 0);
	snprintf(second, sizeof second, "127.0.0.2:%u", w->port);
	stop(w);
	assert_int_equal(start_at(w, ADDRESSES("127.0.0.1:0", second), "/m", &error), 0);
	assert_null(error.at);
	assert_true(strstr(http_server_url(w->server, url, sizeof url), "http://127.0.0.1:") == url);

	AUTO_FD fd = connect_to("127.0.0.2", (unsigned)atoi(strchr(second, ':') + 1));
	assert_true(fd >= 0);
	assert_true(send_text(w, fd, REQUEST("GET /m")));
	assert_true(receive(w, fd, &answer, NULL));
	assert_status(&answer, 200);
	talk(w, REQUEST("GET /m"), &answer);
	assert_status(&answer, 200);
	talk(w, REQUEST("GET /metrics"), &answer);
	assert_status(&answer, 404);
}

static bool has_ipv6(void)
{
	struct sockaddr_in6 loopback = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	AUTO_FD fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd >= 0 && bind(fd, (struct sockaddr *)&loopback, sizeof loopback) == 0;
}

static void assert_reached_at(struct world *w, const char *host, bool is_reached)
{
	AUTO_FD fd = connect_to(host, w->port);
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

	if (!is_reached) {
		assert_int_equal(fd, -ECONNREFUSED);
		return;
	}
	assert_true(fd >= 0);
	assert_true(send_text(w, fd, REQUEST("GET /-/healthy")));
	assert_true(receive(w, fd, &answer, NULL));
	assert_status(&answer, 200);
}

static void addresses_mean_what_they_say(void **state)
{
	static const struct {
		const char *address, *url;
		bool is_v4, is_v6;
	} rows[] = {
		{ ":0", "http://localhost:", true, true },
		{ "0.0.0.0:0", "http://localhost:", true, false },
		{ "[::]:0", "http://localhost:", false, true },
		{ "127.0.0.1:0", "http://127.0.0.1:", true, false },
		{ "[::1]:0", "http://[::1]:", false, true },
		{ "localhost:0", "http://127.0.0.1:", true, true },
	};
	struct world *w = *state;
	bool ipv6 = has_ipv6();

	if (!ipv6)
		print_message("IPv6 addresses skipped: this machine has none\n");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_TEXT error = TEXT_LIMIT(200);
		char url[80];

		if (!ipv6 && !rows[i].is_v4)
			continue;
		assert_int_equal(start_at(w, ADDRESSES(rows[i].address), "/metrics", &error), 0);
		assert_memory_equal(http_server_url(w->server, url, sizeof url), rows[i].url, strlen(rows[i].url));
		assert_true(w->port > 0);
		assert_reached_at(w, "127.0.0.1", rows[i].is_v4);
		if (ipv6)
			assert_reached_at(w, "::1", rows[i].is_v6);
		stop(w);
	}
}

static void an_occupied_port_is_named(void **state)
{
	struct world *w = *state;
	AUTO_TEXT error = TEXT_LIMIT(200);
	struct http_server *first = w->server;
	char address[32], expected[100];

	snprintf(address, sizeof address, ":%u", w->port);
	assert_int_equal(start_at(w, ADDRESSES(address), "/metrics", &error), -EADDRINUSE);
	snprintf(expected, sizeof expected, "cannot listen on \"%s\": Address already in use", address);
	assert_string_equal(error.at, expected);
	assert_ptr_equal(w->server, first);	/* and nothing else was touched */
}

static void bad_addresses_are_refused_in_one_line(void **state)
{
	static const char *const addresses[] = {
		"", "9946", "127.0.0.1", "::1:9946", "[::1]", "[::1]9946", "[]:9946", "[127.0.0.1]:9946",
		"[::1:9946", "::1]:9946",
		":", ":-1", ":+1", ": 9946", ":9946 ", ":65536", ":99999999999999999999", ":http", ":0x10",
		"1:9946", "127.1:9946", "256.0.0.1:9946", " 127.0.0.1:9946", "example.com:9946",
		"http://127.0.0.1:9946",
		"*:9946", "a\nb:9946", "[fe80::1%none-such]:9946",
	};
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		AUTO_TEXT error = TEXT_LIMIT(400);

		assert_int_equal(start_at(w, ADDRESSES(addresses[i]), "/metrics", &error), -EINVAL);
		assert_null(w->server);
		assert_memory_equal(error.at, "cannot listen on \"", 18);
		assert_null(strchr(error.at, '\n'));
	}
}

static void the_telemetry_path_must_be_a_path_of_its_own(void **state)
{
	static const char *const paths[] = {
		"", "metrics", "/", "/-/healthy", "/-/ready", "/a?b", "/a#b", "/a%20b", "/a b", "/\xc3\xa4", "/a\n",
	};
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		AUTO_TEXT error = TEXT_LIMIT(400);

		assert_int_equal(start_at(w, ADDRESSES("127.0.0.1:0"), paths[i], &error), -EINVAL);
		assert_memory_equal(error.at, "the telemetry path \"", 20);
		assert_null(strchr(error.at, '\n'));
	}
}

static size_t count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void a_server_that_stops_leaves_nothing_open(void **state)
{
	struct world *w = *state;
	size_t before = count_descriptors();

	for (int i = 0; i < 3; i++) {
		AUTO_TEXT error = TEXT_LIMIT(200), answer = TEXT_LIMIT(ANSWER_MAX);

		assert_int_equal(start_at(w, ADDRESSES("127.0.0.1:0", ":0"), "/metrics", &error), 0);
		AUTO_FD kept = connect_to("127.0.0.1", w->port);
		assert_true(send_text(w, kept, KEPT_REQUEST("GET /metrics")));
		assert_true(receive(w, kept, &answer, "drive_up 1\n"));
		stop(w);
		assert_true(receive(w, kept, &answer, NULL));	/* hung up */
	}
	/* The loop keeps its clock's descriptor. */
	assert_true(count_descriptors() <= before + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unserved(every_address_is_served),
		unserved(addresses_mean_what_they_say),
		served(an_occupied_port_is_named),
		unserved(bad_addresses_are_refused_in_one_line),
		unserved(the_telemetry_path_must_be_a_path_of_its_own),
		unserved(a_server_that_stops_leaves_nothing_open),
	};

	return cmocka_run_group_tests_name("http_address", tests, NULL, NULL);
}
