#include "http_world.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000 };

struct body {
	struct iovec part;
	struct text text;
};

static void free_body(void *body)
{
	struct body *b = body;

	text_free(&b->text);
	free(b);
}

static int write_metrics(void *context, const struct http_wish *wish, struct http_body *ret, struct text *error)
{
	struct world *w = context;
	struct body *b = calloc(1, sizeof *b);

	assert_non_null(b);
	w->n_scrapes++;
	if (w->is_truncated) {
		free(b);
		return -ENOMEM;
	}
	for (size_t i = 0; i < w->n_bodies; i++)
		text_add(&b->text, w->body);
	b->part = (struct iovec){ b->text.at, b->text.length };
	*ret = (struct http_body){ .parts = &b->part, .n = 1, .owner = b, .release = free_body };
	return 0;
}

static int write_page(void *context, const char *path, struct text *out, const char **ret_type)
{
	if (strcmp(path, "/"))
		return 404;
	*ret_type = "text/html; charset=utf-8";
	text_add(out, "<!DOCTYPE html><title>drives</title>\n");
	return 200;
}

static bool is_ready(void *context)
{
	return ((struct world *)context)->is_ready;
}

int start_at(struct world *w, const char *const *addresses, const char *path, struct text *error)
{
	return serve_as(w, &(const struct http_options){ .listen_addresses = addresses, .telemetry_path = path }, error);
}

int serve_as(struct world *w, const struct http_options *options, struct text *error)
{
	const struct http_pages pages = {
		.context = w, .metrics = write_metrics, .page = write_page, .is_ready = is_ready,
	};
	char url[80];
	int r = http_server_start(w->event, options, &pages, &w->server, error);

	if (r == 0)
		sscanf(strrchr(http_server_url(w->server, url, sizeof url), ':'), ":%u", &w->port);
	return r;
}

int start_world(void **state)
{
	struct world *w = calloc(1, sizeof *w);

	assert_non_null(w);
	assert_true(sd_event_new(&w->event) >= 0);
	strcpy(w->body, "drive_up 1\n");
	w->n_bodies = 1;
	*state = w;
	return 0;
}

int start_served_world(void **state)
{
	AUTO_TEXT error = TEXT_LIMIT(200);

	start_world(state);
	return start_at(*state, ADDRESSES("127.0.0.1:0"), "/metrics", &error);
}

void stop(struct world *w)
{
	http_server_stop(w->server);
	w->server = NULL;
}

int end_world(void **state)
{
	struct world *w = *state;

	stop(w);
	sd_event_unref(w->event);
	free(w);
	return 0;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int connect_to(const char *host, unsigned port)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };
	bool is_v6 = inet_pton(AF_INET6, host, &v6.sin6_addr) == 1;
	int fd = socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, host, &v4.sin_addr);
	if (connect(fd, is_v6 ? (void *)&v6 : (void *)&v4, is_v6 ? sizeof v6 : sizeof v4) < 0) {
		close(fd);
		return -errno;
	}
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

bool send_all(struct world *w, int fd, const void *bytes, size_t n)
{
	const char *at = bytes;

	for (int64_t until = now_ms() + PATIENCE_MS; n && now_ms() < until;) {
		ssize_t sent = send(fd, at, n, MSG_NOSIGNAL);

		if (sent < 0 && errno != EAGAIN)
			return false;
		if (sent > 0) {
			at += sent;
			n -= (size_t)sent;
		}
		sd_event_run(w->event, sent < 0 ? 1000 : 0);
	}
	return n == 0;
}

bool send_text(struct world *w, int fd, const char *text)
{
	return send_all(w, fd, text, strlen(text));
}

bool receive(struct world *w, int fd, struct text *answer, const char *enough)
{
	char part[65536];

	for (int64_t until = now_ms() + PATIENCE_MS; now_ms() < until;) {
		ssize_t n = recv(fd, part, sizeof part, 0);

		if (n == 0 || (n < 0 && errno != EAGAIN))
			return !enough;
		if (n > 0)
			text_add_bytes(answer, part, (size_t)n);
		if (enough && answer->at && strstr(answer->at, enough))
			return true;
		if (n < 0)
			sd_event_run(w->event, 1000);
	}
	return false;
}

void talk_bytes(struct world *w, const void *request, size_t n, struct text *answer)
{
	AUTO_FD fd = connect_to("127.0.0.1", w->port);

	assert_true(fd >= 0);
	send_all(w, fd, request, n);
	assert_true(receive(w, fd, answer, NULL));
	text_add(answer, "");
}

void talk(struct world *w, const char *request, struct text *answer)
{
	text_free(answer);
	talk_bytes(w, request, strlen(request), answer);
}

const char *body_of(const struct text *answer)
{
	const char *end = strstr(answer->at, "\r\n\r\n");

	assert_non_null(end);
	return end + 4;
}

void assert_status(const struct text *answer, int status)
{
	char line[32];

	snprintf(line, sizeof line, "HTTP/1.1 %d ", status);
	assert_memory_equal(answer->at, line, strlen(line));
}

void assert_header(const struct text *answer, const char *header)
{
	char line[200];
	const char *at;

	snprintf(line, sizeof line, "\r\n%s\r\n", header);
	at = strstr(answer->at, line);
	assert_non_null(at);
	assert_true(at < body_of(answer));
}
