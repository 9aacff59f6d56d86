#include "http/server.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "http/address.h"
#include "http/page.h"

enum {
	CONNECTIONS_MAX = 64,			/* of one socket: a few Prometheus servers and people */
	CONNECTION_MEMORY = 32 * 1024,		/* a request's headers must fit into it */
	CONNECTION_IDLE_SECONDS = 10,
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

static int add_address(struct http_server *server, const char *address, struct text *error)
{
	int fds[HTTP_SOCKETS_MAX], n = http_listen(address, fds, error), r = 0;

	if (n < 0)
		return n;
	if (!*server->url)
		http_socket_url(fds[0], server->url);
	for (int i = 0; i < n; i++) {
		if (r < 0)
			close(fds[i]);
		else
			r = add_listener(server, fds[i]);
	}
	if (r < 0)
		text_addf(error, "cannot serve on \"%s\": %s", address, strerror(-r));
	return r;
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
	if (!options->listen_addresses[0]) {
		text_add(error, "no address to listen on");
		return -EINVAL;
	}
	for (size_t i = 0; options->listen_addresses[i]; i++) {
		r = add_address(server, options->listen_addresses[i], error);
		if (r < 0)
			return r;
	}
	*ret = pointer_steal(&server);
	return 0;
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
