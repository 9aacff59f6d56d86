/* http/: sockets that systemd passes, and an end that leaves nobody without an answer. */
#include "http/address.h"
#include "http_world.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

enum { PASSED_MAX = 3 };

/* ---- sockets that are passed */

/* A kind of socket for each letter: 4, 6 and u are good; d is a datagram socket, c listens to nobody, f is no socket. */
static int make(char kind)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_un local = { .sun_family = AF_UNIX };
	int fd;

	switch (kind) {
	case '4':
		fd = socket(AF_INET, SOCK_STREAM, 0);
		return bind(fd, (struct sockaddr *)&v4, sizeof v4) || listen(fd, 8) ? -1 : fd;
	case '6':
		fd = socket(AF_INET6, SOCK_STREAM, 0);
		return bind(fd, (struct sockaddr *)&v6, sizeof v6) || listen(fd, 8) ? -1 : fd;
	case 'u':
		snprintf(local.sun_path, sizeof local.sun_path, "/tmp/test_http_inherited.%d", (int)getppid());
		unlink(local.sun_path);
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		return bind(fd, (struct sockaddr *)&local, sizeof local) || listen(fd, 8) ? -1 : fd;
	case 'd':
		fd = socket(AF_INET, SOCK_DGRAM, 0);
		return bind(fd, (struct sockaddr *)&v4, sizeof v4) ? -1 : fd;
	case 'c':
		return socket(AF_INET, SOCK_STREAM, 0);
	default:
		return open("/dev/null", O_RDONLY);
	}
}

/* As systemd does: from 3 on. */
static void pass(const char *kinds)
{
	int fds[PASSED_MAX], n = (int)strlen(kinds);
	char text[16];

	for (int i = 0; i < n; i++) {
		int fd = make(kinds[i]);

		fds[i] = fcntl(fd, F_DUPFD, SD_LISTEN_FDS_START + PASSED_MAX);
		close(fd);
	}
	for (int i = 0; i < n; i++)
		dup2(fds[i], SD_LISTEN_FDS_START + i);
	if (!n)
		return;
	snprintf(text, sizeof text, "%d", n);
	setenv("LISTEN_FDS", text, 1);
	snprintf(text, sizeof text, "%d", (int)getpid());
	setenv("LISTEN_PID", text, 1);
}

static bool is_answered_at(struct world *w, int listening)
{
	struct sockaddr_storage at;
	socklen_t n = sizeof at;
	AUTO_TEXT answer = TEXT_LIMIT(ANSWER_MAX);

	getsockname(listening, (struct sockaddr *)&at, &n);
	AUTO_FD fd = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (connect(fd, (struct sockaddr *)&at, n))
		return false;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return send_text(w, fd, REQUEST("GET /metrics")) && receive(w, fd, &answer, NULL) && strstr(answer.at, "drive_up 1");
}

/* The URL, or why it does not serve. In a process of its own, since the descriptors 3 and following are overwritten. */
static void outcome_of(const char *kinds, char *out, size_t size)
{
	int ends[2];
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		const struct http_options options = { .has_systemd_socket = true, .telemetry_path = "/metrics" };
		AUTO_TEXT error = TEXT_LIMIT(300);
		char url[HTTP_URL_MAX] = "", told[512];
		int out_fd = fcntl(ends[1], F_DUPFD, 100);
		void *state;
		struct world *w;

		pass(kinds);
		start_world(&state);
		w = state;
		if (serve_as(w, &options, &error)) {
			snprintf(told, sizeof told, "%s", error.at);
		} else {
			snprintf(told, sizeof told, "%s", http_server_url(w->server, url, sizeof url));
			for (size_t i = 0; i < strlen(kinds); i++)
				if (!is_answered_at(w, SD_LISTEN_FDS_START + (int)i))
					snprintf(told, sizeof told, "socket %zu does not answer", i);
			if (getenv("LISTEN_FDS") || !(fcntl(SD_LISTEN_FDS_START, F_GETFD) & FD_CLOEXEC))
				snprintf(told, sizeof told, "children would keep them");
		}
		_exit(write(out_fd, told, strlen(told)) < 0);
	}
	close(ends[1]);
	n = read(ends[0], out, size - 1);
	out[n > 0 ? n : 0] = 0;
	close(ends[0]);
	waitpid(pid, NULL, 0);
}

static void every_kind_of_stream_is_served(void **state)
{
	char told[512], expected[128];

	outcome_of("4", told, sizeof told);
	assert_memory_equal(told, "http://127.0.0.1:", 17);
	outcome_of("6", told, sizeof told);
	assert_memory_equal(told, "http://[::1]:", 13);
	outcome_of("u", told, sizeof told);
	snprintf(expected, sizeof expected, "http://unix:/tmp/test_http_inherited.%d:", (int)getpid());
	assert_string_equal(told, expected);
	unlink(expected + strlen("http://unix:"));
	outcome_of("4u6", told, sizeof told);
	assert_memory_equal(told, "http://127.0.0.1:", 17);
	expected[strlen(expected) - 1] = 0;
	unlink(expected + strlen("http://unix:"));
}

static void all_else_is_refused_with_its_place(void **state)
{
	static const char *const kinds[] = { "d", "c", "f", "4d", "44f" };
	char told[512], expected[64];

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		outcome_of(kinds[i], told, sizeof told);
		snprintf(expected, sizeof expected, "socket %zu of %zu that systemd", strlen(kinds[i]), strlen(kinds[i]));
		assert_memory_equal(told, expected, strlen(expected));
		assert_null(strchr(told, '\n'));
	}
	outcome_of("", told, sizeof told);
	assert_non_null(strstr(told, "systemd has passed no socket"));
}

/* ---- the end */

static int64_t clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t finish(struct world *w)
{
	int64_t began = clock_ms();

	http_server_finish(w->server);
	stop(w);
	return clock_ms() - began;
}

/* What came until the end of the connection: bytes, or a negative errno. */
static ssize_t read_rest(int fd, char *out, size_t size)
{
	size_t n = 0;
	ssize_t got;

	fcntl(fd, F_SETFL, 0);
	while ((got = recv(fd, out + n, size - 1 - n, 0)) > 0)
		n += (size_t)got;
	out[n] = 0;
	return got < 0 ? -errno : (ssize_t)n;
}

static void who_is_in_the_queue_is_answered(void **state)
{
	struct world *w = *state;
	int fds[20];
	char answer[4096];

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = connect_to("127.0.0.1", w->port);
		assert_true(fds[i] >= 0);
		assert_true(send(fds[i], REQUEST("GET /metrics"), strlen(REQUEST("GET /metrics")), 0) > 0);
	}
	assert_in_range(finish(w), 0, 900);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		assert_true(read_rest(fds[i], answer, sizeof answer) > 0);
		assert_non_null(strstr(answer, "drive_up 1"));
		close(fds[i]);
	}
	assert_int_equal(connect_to("127.0.0.1", w->port), -ECONNREFUSED);
}

static void a_connection_that_is_kept_ends_in_order(void **state)
{
	struct world *w = *state;
	AUTO_FD idle = connect_to("127.0.0.1", w->port), asking = connect_to("127.0.0.1", w->port);
	AUTO_TEXT first = TEXT_LIMIT(ANSWER_MAX), second = TEXT_LIMIT(ANSWER_MAX);
	char rest[4096];

	assert_true(send_text(w, idle, KEPT_REQUEST("GET /metrics")) && receive(w, idle, &first, "drive_up 1\n"));
	assert_true(send_text(w, asking, KEPT_REQUEST("GET /metrics")) && receive(w, asking, &second, "drive_up 1\n"));
	assert_null(strstr(second.at, "Connection: close"));
	assert_true(send(asking, KEPT_REQUEST("GET /-/healthy"), strlen(KEPT_REQUEST("GET /-/healthy")), 0) > 0);
	assert_in_range(finish(w), 0, 500);
	assert_int_equal(read_rest(idle, rest, sizeof rest), 0);	/* closed, not reset */
	assert_true(read_rest(asking, rest, sizeof rest) > 0);
	assert_non_null(strstr(rest, "drive_exporter is healthy."));
	assert_non_null(strstr(rest, "Connection: close"));
}

static void who_never_asks_is_waited_for_a_second(void **state)
{
	struct world *w = *state;
	AUTO_FD fd = connect_to("127.0.0.1", w->port);

	assert_true(send_text(w, fd, "GET /metr"));
	assert_in_range(finish(w), 900, 1500);
}

static void a_large_answer_is_sent_to_its_end(void **state)
{
	struct world *w = *state;
	AUTO_FD fd = connect_to("127.0.0.1", w->port);
	AUTO_TEXT first = TEXT_LIMIT(ANSWER_MAX);
	int status;
	pid_t reader;

	assert_true(send_text(w, fd, KEPT_REQUEST("GET /metrics")) && receive(w, fd, &first, "drive_up 1\n"));
	w->n_bodies = 500000;		/* 5 MB */
	assert_true(send_text(w, fd, REQUEST("GET /metrics")));
	reader = fork();
	if (!reader) {
		static char all[8 << 20];

		_exit(read_rest(fd, all, sizeof all) < 500000 * 11);
	}
	assert_in_range(finish(w), 0, 1500);
	assert_int_equal(waitpid(reader, &status, 0), reader);
	assert_int_equal(status, 0);
}

static void with_nobody_there_it_ends_at_once(void **state)
{
	assert_in_range(finish(*state), 0, 50);
	http_server_finish(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_stream_is_served),
		cmocka_unit_test(all_else_is_refused_with_its_place),
		served(who_is_in_the_queue_is_answered),
		served(a_connection_that_is_kept_ends_in_order),
		served(who_never_asks_is_waited_for_a_second),
		served(a_large_answer_is_sent_to_its_end),
		served(with_nobody_there_it_ends_at_once),
	};

	return cmocka_run_group_tests_name("http_inherited", tests, NULL, NULL);
}
