/* Any bytes to the real server, over a real connection: it answers with HTTP or not at all, and lets go of who has gone. The first
 * byte says in how large pieces the others come. */
#include "fuzz.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "http/server.h"

enum { QUIET_TURNS = 3, TURNS_MAX = 100000 };

static sd_event *event;
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static socklen_t address_length;

static void release(void *owner)
{
}

static int metrics(void *context, const struct http_wish *wish, struct http_body *ret, struct text *error)
{
	static char up[] = "drive_up 1\n";
	static const struct iovec parts[] = { { up, sizeof up - 1 }, { up, sizeof up - 1 } };

	for (const char *const *name = wish->names; *name; name++)
		if (!**name) {
			text_add(error, "a name is empty");
			return -EINVAL;
		}
	*ret = (struct http_body){ .parts = parts, .n = 2, .release = release };
	return 0;
}

static int page(void *context, const char *path, struct text *out, const char **ret_type)
{
	if (path[0] != '/' || path[1])
		return 404;
	*ret_type = "text/html; charset=utf-8";
	text_add(out, "<!DOCTYPE html>\n");
	return 200;
}

static bool is_ready(void *context)
{
	return true;
}

static void start(void)
{
	static const struct http_pages pages = { .metrics = metrics, .page = page, .is_ready = is_ready };
	static struct http_server *server;
	AUTO_TEXT error = TEXT_LIMIT(1000);
	char name[64];

	snprintf(name, sizeof name, "unix:@fuzz-http-requests-%ld", (long)getpid());
	if (sd_event_new(&event) < 0 ||
	    http_server_start(event, &(const struct http_options){ .listen_addresses = (const char *const[]){ name, NULL },
								   .telemetry_path = "/metrics" }, &pages, &server, &error)) {
		fprintf(stderr, "%s\n", error.at ? error.at : "no event loop");
		abort();
	}
	memcpy(address.sun_path + 1, name + 6, strlen(name + 6));
	address_length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name + 6));
}

/* Until there is nothing to do. */
static void run_server(void)
{
	int quiet = 0;

	for (int i = 0; quiet < QUIET_TURNS; i++) {
		assert(i < TURNS_MAX);
		quiet = sd_event_run(event, 0) > 0 ? 0 : quiet + 1;
	}
}

/* False: the connection has ended. */
static bool receive(int fd, struct text *answer)
{
	char part[4096];
	ssize_t n;

	while ((n = recv(fd, part, sizeof part, MSG_DONTWAIT)) > 0)
		text_add_bytes(answer, part, (size_t)n);
	return n < 0 && errno == EAGAIN;
}

static void talk(int fd, const uint8_t *data, size_t size, size_t piece, struct text *answer)
{
	bool is_open = true;

	while (size && is_open) {
		ssize_t n = send(fd, data, size < piece ? size : piece, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN)
			break;
		if (n > 0) {
			data += n;
			size -= (size_t)n;
		}
		run_server();
		is_open = receive(fd, answer);
	}
	(void)shutdown(fd, SHUT_WR);
	run_server();
	(void)receive(fd, answer);
}

static void judge(const struct text *answer)
{
	unsigned minor, status;

	if (!answer->length)
		return;
	assert(sscanf(answer->at, "HTTP/1.%1u %3u ", &minor, &status) == 2);
	assert(minor <= 1 && (status == 100 || (status >= 200 && status < 300) || (status >= 400 && status < 600)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_TEXT answer = TEXT_LIMIT(64 << 20);
	AUTO_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (!event)
		start();
	if (!size)
		return 0;
	assert(fd >= 0 && !connect(fd, (const struct sockaddr *)&address, address_length));
	talk(fd, data + 1, size - 1, data[0] ? data[0] : SIZE_MAX, &answer);
	judge(&answer);
	fd_closep(&fd);
	run_server();
	return 0;
}
