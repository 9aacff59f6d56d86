#include "http/server.h"

#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

#include "base/clock.h"
#include "base/log.h"
#include "http/address.h"
#include "http/inherited.h"
#include "http/page.h"

enum {
	CONNECTIONS_MAX = 256,			/* a few Prometheus servers and people; beyond that the oldest that has not asked gives way */
	CONNECTION_MEMORY = 32 * 1024,		/* a request's headers must fit into it */
	ACCEPTS_MAX = 64,			/* in one turn of the loop */
	DEAF_US = 100000,			/* without descriptors */
	FINISH_US = 1000000,
	FINISH_STEP_MS = 5,
};

/* A socket that listens. We take its connections ourselves, so that we choose who gives way when there are too many. */
struct listener {
	struct listener *next;
	struct http_server *server;
	int fd;
	sd_event_source *readable, *deaf;	/* deaf: when it listens again */
};

/* A libmicrohttpd without a socket of its own, whose epoll descriptor hangs on the loop. */
struct driver {
	struct http_server *server;
	struct MHD_Daemon *daemon;
	sd_event_source *readable, *timer;
};

struct http_server {
	sd_event *event;
	struct http_site site;
	struct driver plain;
	struct listener *listeners;
	sd_event_source *overdue;	/* when the next connection's time is over */
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

/* ---- libmicrohttpd on the loop */

/* In this mode libmicrohttpd has no wake-up of its own: after every run it is asked when it wants the next. */
static int arm_timer(struct driver *d)
{
	MHD_UNSIGNED_LONG_LONG ms;
	int r;

	if (MHD_get_timeout(d->daemon, &ms) != MHD_YES)
		return sd_event_source_set_enabled(d->timer, SD_EVENT_OFF);
	r = sd_event_source_set_time_relative(d->timer, ms * 1000);
	return r < 0 ? r : sd_event_source_set_enabled(d->timer, SD_EVENT_ONESHOT);
}

static int arm_overdue(struct http_server *server)
{
	uint64_t next = http_crowd_next_us(&server->site.crowd);
	int r;

	if (next == UINT64_MAX)
		return sd_event_source_set_enabled(server->overdue, SD_EVENT_OFF);
	r = sd_event_source_set_time(server->overdue, next);
	return r < 0 ? r : sd_event_source_set_enabled(server->overdue, SD_EVENT_ONESHOT);
}

/* Never fails: sd-event would switch the source off, and we would be deaf. */
static int run_driver(struct driver *d)
{
	int r;

	if (MHD_run(d->daemon) != MHD_YES)
		log_debug("http: libmicrohttpd could not run");
	r = arm_timer(d);
	if (r >= 0)
		r = arm_overdue(d->server);
	if (r < 0)
		log_error("http: cannot set the timer: %s", strerror(-r));
	return 0;
}

static int on_driver_readable(sd_event_source *source, int fd, uint32_t events, void *driver)
{
	return run_driver(driver);
}

static int on_driver_timer(sd_event_source *source, uint64_t usec, void *driver)
{
	return run_driver(driver);
}

static int on_overdue(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct http_server *server = userdata;

	log_debug("http: %zu connections took too long", http_crowd_expire(&server->site.crowd, clock_monotonic_us()));
	return run_driver(&server->plain);
}

static void stop_driver(struct driver *d)
{
	sd_event_source_disable_unref(d->readable);
	sd_event_source_disable_unref(d->timer);
	if (d->daemon)
		MHD_stop_daemon(d->daemon);	/* closes all its connections */
	*d = (struct driver){ 0 };
}

/* Hangs libmicrohttpd on the loop. */
static int attach_driver(struct http_server *server, struct driver *d)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(d->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	int r;

	if (!info)
		return -EOPNOTSUPP;
	r = sd_event_add_io(server->event, &d->readable, info->epoll_fd, EPOLLIN, on_driver_readable, d);
	if (r < 0)
		return r;
	r = sd_event_add_time_relative(server->event, &d->timer, CLOCK_MONOTONIC, 0, 1, on_driver_timer, d);
	if (r < 0)
		return r;
	(void)sd_event_source_set_description(d->readable, "http");
	(void)sd_event_source_set_description(d->timer, "http-timer");
	return arm_timer(d);
}

static int start_driver(struct http_server *server, struct driver *d)
{
	d->server = server;
	d->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG, 0, NULL, NULL,
				     http_site_answer, &server->site,
				     MHD_OPTION_EXTERNAL_LOGGER, log_complaint, NULL,
				     MHD_OPTION_NOTIFY_CONNECTION, http_site_connection, &server->site,
				     MHD_OPTION_NOTIFY_COMPLETED, http_site_completed, &server->site,
				     MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX + 1,
				     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
				     MHD_OPTION_CONNECTION_TIMEOUT, 0u,
				     MHD_OPTION_END);
	return d->daemon ? attach_driver(server, d) : -ENOMEM;
}

/* ---- connections */

/* One more fits in, if need be in the place of another. */
static bool make_room(struct http_server *server)
{
	if (http_crowd_size(&server->site.crowd) < CONNECTIONS_MAX)
		return true;
	if (!http_crowd_give_way(&server->site.crowd))
		return false;
	(void)MHD_run(server->plain.daemon);	/* sees its end, and closes it */
	return http_crowd_size(&server->site.crowd) < CONNECTIONS_MAX;
}

/* Takes the descriptor. */
static void admit(struct http_server *server, int fd, const struct sockaddr *address, socklen_t length)
{
	if (!make_room(server)) {
		log_debug("http: %d connections are answered; one more is refused", CONNECTIONS_MAX);
		close(fd);
		return;
	}
	if (MHD_add_connection(server->plain.daemon, fd, address, length) != MHD_YES)	/* it has closed the descriptor */
		log_debug("http: libmicrohttpd does not take a connection: %s", strerror(errno));
}

/* For a moment, or, without a descriptor for who waits, it would wake us without pause. */
static void go_deaf(struct listener *l)
{
	int r = sd_event_source_set_enabled(l->readable, SD_EVENT_OFF);

	if (r >= 0)
		r = sd_event_source_set_time_relative(l->deaf, DEAF_US);
	if (r >= 0)
		r = sd_event_source_set_enabled(l->deaf, SD_EVENT_ONESHOT);
	if (r < 0)
		log_error("http: cannot set the timer: %s", strerror(-r));
}

/* How many were taken, at most that many; -errno where the next could not be, -EAGAIN where there is none. */
static int take_connections(struct listener *l, int max, int *ret_taken)
{
	for (*ret_taken = 0; *ret_taken < max; ++*ret_taken) {
		struct sockaddr_storage address = { 0 };
		socklen_t length = sizeof address;
		int fd = accept4(l->fd, (struct sockaddr *)&address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0)
			return -errno;
		admit(l->server, fd, (struct sockaddr *)&address, length);
	}
	return 0;
}

static bool is_out_of_something(int r)
{
	return r == -EMFILE || r == -ENFILE || r == -ENOMEM || r == -ENOBUFS;
}

static int on_readable(sd_event_source *source, int fd, uint32_t events, void *listener)
{
	struct listener *l = listener;
	int taken, r = take_connections(l, ACCEPTS_MAX, &taken);

	if (is_out_of_something(r)) {
		log_debug("http: cannot take a connection: %s", strerror(-r));
		(void)http_crowd_give_way(&l->server->site.crowd);
		go_deaf(l);
	}
	return run_driver(&l->server->plain);
}

static int on_deaf_end(sd_event_source *source, uint64_t usec, void *listener)
{
	struct listener *l = listener;

	(void)sd_event_source_set_enabled(l->readable, SD_EVENT_ON);
	return 0;
}

/* ---- sockets that listen */

static void free_listener(struct listener *l)
{
	sd_event_source_disable_unref(l->readable);
	sd_event_source_disable_unref(l->deaf);
	fd_closep(&l->fd);
	free(l);
}

static int attach_listener(struct listener *l)
{
	sd_event *event = l->server->event;
	int r = sd_event_add_io(event, &l->readable, l->fd, EPOLLIN, on_readable, l);

	if (r < 0)
		return r;
	(void)sd_event_source_set_description(l->readable, "http-listener");
	r = sd_event_add_time_relative(event, &l->deaf, CLOCK_MONOTONIC, 0, 1, on_deaf_end, l);
	return r < 0 ? r : sd_event_source_set_enabled(l->deaf, SD_EVENT_OFF);
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
	l->server = server;
	l->fd = fd;
	r = attach_listener(l);
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

static int start_drivers(struct http_server *server)
{
	int r = sd_event_add_time_relative(server->event, &server->overdue, CLOCK_MONOTONIC, 0, 1, on_overdue, server);

	if (r >= 0)
		r = sd_event_source_set_enabled(server->overdue, SD_EVENT_OFF);
	return r < 0 ? r : start_driver(server, &server->plain);
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
	r = start_drivers(server);
	if (r < 0) {
		text_addf(error, "cannot start the web server: %s", strerror(-r));
		return r;
	}
	r = options->has_systemd_socket ? add_inherited(server, error) : add_addresses(server, options->listen_addresses, error);
	if (r < 0)
		return r;
	*ret = pointer_steal(&server);
	return 0;
}

/* ---- the end */

/* Who has connected already would be reset if the last holder of the socket closed it. (Systemd keeps its own; there it saves
 * them the wait for our successor.) */
static void stop_listening(struct listener *l)
{
	int taken;

	(void)take_connections(l, CONNECTIONS_MAX, &taken);
	sd_event_source_disable_unref(pointer_steal(&l->readable));
	fd_closep(&l->fd);
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
		(void)MHD_run(server->plain.daemon);
		if (!http_crowd_busy(&server->site.crowd) || clock_monotonic_us() >= end)
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
	stop_driver(&server->plain);
	sd_event_source_disable_unref(server->overdue);
	http_site_clear(&server->site);
	sd_event_unref(server->event);
	free(server);
}

char *http_server_url(const struct http_server *server, char *out, size_t size)
{
	text_copy(out, size, server->url);
	return out;
}
