#include "http/server.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "base/clock.h"
#include "base/log.h"
#include "http/address.h"
#include "http/inherited.h"
#include "http/page.h"

enum {
	CONNECTIONS_MAX = 64,			/* of one socket: a few Prometheus servers and people */
	CONNECTION_MEMORY = 32 * 1024,		/* a request's headers must fit into it */
	CONNECTION_IDLE_SECONDS = 10,
	FINISH_US = 1000000,
	FINISH_STEP_MS = 5,
};

/* One socket: its libmicrohttpd, whose epoll descriptor hangs on the loop, and when that wants to run though nothing
 * came in. */
struct listener {
	struct listener *next;
	struct MHD_Daemon *daemon;
	sd_event_source *readable, *timer;
};

struct http_server {
	sd_event *event;
	struct http_site site;
	struct listener *listeners;
	char url[HTTP_URL_MAX];		/* of the first */
};

/* What strangers send is theirs to mend, so libmicrohttpd's complaints are for the curious. */
static void log_complaint(void *context, const char *format, va_list args)
{
	char line[256];

	vsnprintf(line, sizeof line, format, args);
	line[strcspn(line, "\n")] = 0;
	log_debug("http: %s", line);
}

/* In this mode libmicrohttpd has no wake-up of its own: after every run it is asked when it wants the next. */
static int arm_timer(struct listener *l)
{
	MHD_UNSIGNED_LONG_LONG ms;
	int r;

	if (MHD_get_timeout(l->daemon, &ms) != MHD_YES)
		return sd_event_source_set_enabled(l->timer, SD_EVENT_OFF);
	r = sd_event_source_set_time_relative(l->timer, ms * 1000);
	return r < 0 ? r : sd_event_source_set_enabled(l->timer, SD_EVENT_ONESHOT);
}

static unsigned count_connections(struct listener *l)
{
	return MHD_get_daemon_info(l->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections;
}

/* Never fails: sd-event would switch the source off, and we would be deaf. */
static int run_listener(struct listener *l)
{
	unsigned before;
	int r;

	/* At its limit of connections or descriptors libmicrohttpd takes the socket out of its epoll set, and puts it
	 * back at the start of a run. Where connections ended in this one, nothing might call for the next. */
	do {
		before = count_connections(l);
		if (MHD_run(l->daemon) != MHD_YES)
			log_debug("http: libmicrohttpd could not run");
	} while (count_connections(l) < before);
	r = arm_timer(l);
	if (r < 0)
		log_error("http: cannot set the timer: %s", strerror(-r));
	return 0;
}

static int on_readable(sd_event_source *source, int fd, uint32_t events, void *listener)
{
	return run_listener(listener);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *listener)
{
	return run_listener(listener);
}

static void free_listener(struct listener *l)
{
	sd_event_source_disable_unref(l->readable);
	sd_event_source_disable_unref(l->timer);
	if (l->daemon)
		MHD_stop_daemon(l->daemon);	/* closes the socket and all its connections */
	free(l);
}

/* Hangs the listener's libmicrohttpd on the loop. */
static int attach_listener(struct http_server *server, struct listener *l)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(l->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	int r;

	if (!info)
		return -EOPNOTSUPP;
	r = sd_event_add_io(server->event, &l->readable, info->epoll_fd, EPOLLIN, on_readable, l);
	if (r < 0)
		return r;
	r = sd_event_add_time_relative(server->event, &l->timer, CLOCK_MONOTONIC, 0, 1, on_timer, l);
	if (r < 0)
		return r;
	(void)sd_event_source_set_description(l->readable, "http");
	(void)sd_event_source_set_description(l->timer, "http-timer");
	return arm_timer(l);
}

/* Serves on a listening socket, which it takes. */
static int add_listener(struct http_server *server, int fd)
{
	struct listener *l = calloc(1, sizeof *l);
	int r;

	if (!l) {
		close(fd);
		return -ENOMEM;
	}
	l->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_ERROR_LOG, 0, NULL, NULL,
				     http_site_answer, &server->site,
				     MHD_OPTION_EXTERNAL_LOGGER, log_complaint, NULL,
				     MHD_OPTION_NOTIFY_CONNECTION, http_site_connection, &server->site,
				     MHD_OPTION_NOTIFY_COMPLETED, http_site_completed, &server->site,
				     MHD_OPTION_LISTEN_SOCKET, fd,
				     MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
				     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
				     MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)CONNECTION_IDLE_SECONDS,
				     MHD_OPTION_END);
	r = l->daemon ? attach_listener(server, l) : -ENOMEM;
	if (r < 0) {
		free_listener(l);
		return r;
	}
	l->next = server->listeners;
	server->listeners = l;
	return 0;
}

/* Serves on all of these, or closes them. */
static int add_listeners(struct http_server *server, const int *fds, int n)
{
	int r = 0;

	if (!*server->url)
		http_socket_url(fds[0], server->url);
	for (int i = 0; i < n; i++) {
		if (r < 0)
			close(fds[i]);
		else
			r = add_listener(server, fds[i]);
	}
	return r;
}

static int add_address(struct http_server *server, const char *address, struct text *error)
{
	int fds[HTTP_SOCKETS_MAX], n = http_listen(address, fds, error), r;

	if (n < 0)
		return n;
	r = add_listeners(server, fds, n);
	if (r < 0)
		text_addf(error, "cannot serve on \"%s\": %s", address, strerror(-r));
	return r;
}

static int add_addresses(struct http_server *server, const char *const *addresses, struct text *error)
{
	int r = 0;

	if (!addresses[0]) {
		text_add(error, "no address to listen on");
		return -EINVAL;
	}
	for (size_t i = 0; !r && addresses[i]; i++)
		r = add_address(server, addresses[i], error);
	return r;
}

static int add_inherited(struct http_server *server, struct text *error)
{
	int n = http_inherit(error), r = 0;

	for (int i = 0; i < n && r >= 0; i++)
		r = add_listeners(server, (int[]){ SD_LISTEN_FDS_START + i }, 1);
	if (r < 0)
		text_addf(error, "cannot serve on the sockets that systemd passed: %s", strerror(-r));
	return n < 0 ? n : r;
}

static void stop_serverp(struct http_server **server)
{
	http_server_stop(*server);
}

int http_server_start(sd_event *event, const struct http_options *options, const struct http_pages *pages,
		      struct http_server **ret, struct text *error)
{
	CLEANUP(stop_serverp) struct http_server *server = calloc(1, sizeof *server);
	int r;

	if (!server) {
		text_add(error, "no memory for the web server");
		return -ENOMEM;
	}
	server->event = sd_event_ref(event);
	r = http_site_init(&server->site, options, pages, error);
	if (r < 0)
		return r;
	r = options->has_systemd_socket ? add_inherited(server, error) : add_addresses(server, options->listen_addresses, error);
	if (r < 0)
		return r;
	*ret = pointer_steal(&server);
	return 0;
}

/* ---- the end */

static int listening_socket(const struct listener *l)
{
	return MHD_get_daemon_info(l->daemon, MHD_DAEMON_INFO_LISTEN_FD)->listen_fd;
}

/* Who has connected already would be reset if the last holder of the socket closed it. (Systemd keeps its own; there it saves
 * them the wait for our successor.) */
static void take_queue(struct listener *l)
{
	struct pollfd queue = { .fd = listening_socket(l), .events = POLLIN };

	for (int i = 0; i < CONNECTIONS_MAX && poll(&queue, 1, 0) > 0 && count_connections(l) < CONNECTIONS_MAX; i++)
		(void)MHD_run(l->daemon);
}

static void stop_listening(struct listener *l)
{
	int fd;

	take_queue(l);
	fd = MHD_quiesce_daemon(l->daemon);
	fd_closep(&fd);
}

void http_server_finish(struct http_server *server)
{
	uint64_t end = clock_monotonic_us() + FINISH_US;

	if (!server)
		return;
	http_site_end(&server->site);
	for (struct listener *l = server->listeners; l; l = l->next)
		stop_listening(l);
	for (;;) {
		for (struct listener *l = server->listeners; l; l = l->next)
			(void)MHD_run(l->daemon);
		if (!server->site.n_busy || clock_monotonic_us() >= end)
			return;
		(void)poll(NULL, 0, FINISH_STEP_MS);
	}
}

void http_server_stop(struct http_server *server)
{
	if (!server)
		return;
	while (server->listeners) {
		struct listener *l = server->listeners;

		server->listeners = l->next;
		free_listener(l);
	}
	http_site_clear(&server->site);
	sd_event_unref(server->event);
	free(server);
}

char *http_server_url(const struct http_server *server, char *out, size_t size)
{
	text_copy(out, size, server->url);
	return out;
}
