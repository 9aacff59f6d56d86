#include "http/server.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

#include "base/clock.h"
#include "base/log.h"
#include "http/address.h"
#include "http/driver.h"
#include "http/inherited.h"
#include "http/web.h"

enum {
	ACCEPTS_MAX = 64,			/* in one turn of the loop */
	RUNS_MAX = 4,
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

struct http_server {
	sd_event *event;
	struct http_site site;
	struct http_driver plain, tls;	/* tls: started where it is first asked for */
	struct listener *listeners;
	sd_event_source *overdue;	/* when the next connection's time is over, or at once: */
	bool has_resumed;		/* a connection, that no run has seen yet */
	char url[HTTP_URL_MAX];		/* of the first */
};

static int arm_overdue(struct http_server *server)
{
	uint64_t next = server->has_resumed ? 0 : http_crowd_next_us(&server->site.crowd);
	int r;

	if (next == UINT64_MAX)
		return sd_event_source_set_enabled(server->overdue, SD_EVENT_OFF);
	r = sd_event_source_set_time(server->overdue, next);
	return r < 0 ? r : sd_event_source_set_enabled(server->overdue, SD_EVENT_ONESHOT);
}

/* Not at once: it may be libmicrohttpd that we are called by. */
static void has_resumed(void *context)
{
	struct http_server *server = context;
	int r;

	server->has_resumed = true;
	r = arm_overdue(server);
	http_timer_check(r);
}

static void has_run(void *context)
{
	struct http_server *server = context;
	int r = arm_overdue(server);

	http_site_let_go(&server->site);
	http_timer_check(r);
}

static void run_drivers(struct http_server *server)
{
	http_driver_run(&server->plain);
	http_driver_run(&server->tls);
}

static int on_overdue(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct http_server *server = userdata;
	size_t n;

	server->has_resumed = false;	/* the runs below see them all */
	n = http_crowd_expire(&server->site.crowd, clock_monotonic_us());
	if (n)
		log_debug("http: %zu connections took too long", n);
	run_drivers(server);
	return 0;
}

/* ---- connections */

/* One more fits in, if need be in the place of another. */
static bool make_room(struct http_server *server)
{
	if (http_crowd_size(&server->site.crowd) < HTTP_CONNECTIONS_MAX)
		return true;
	if (!http_crowd_give_way(&server->site.crowd) && !http_crowd_cut_answer(&server->site.crowd, clock_monotonic_us()))
		return false;
	/* One sees its end, and closes it; in a crowd that stirs not always at the first run. */
	for (int runs = 0; runs < RUNS_MAX && http_crowd_size(&server->site.crowd) >= HTTP_CONNECTIONS_MAX; runs++)
		run_drivers(server);
	return http_crowd_size(&server->site.crowd) < HTTP_CONNECTIONS_MAX;
}

static bool speaks_tls(const struct http_server *server)
{
	return server->site.web && server->site.web->tls;
}

/* Takes the descriptor. */
static void admit(struct http_server *server, int fd, const struct sockaddr *address, socklen_t length)
{
	if (!make_room(server)) {
		log_debug("http: %d connections are answered; one more is refused", HTTP_CONNECTIONS_MAX);
		close(fd);
		return;
	}
	http_driver_add(speaks_tls(server) ? &server->tls : &server->plain, fd, address, length);
}

/* For a moment, or, without a descriptor for who waits, it would wake us without pause. */
static void go_deaf(struct listener *l)
{
	int r = sd_event_source_set_enabled(l->readable, SD_EVENT_OFF);

	if (r >= 0)
		r = sd_event_source_set_time_relative(l->deaf, DEAF_US);
	if (r >= 0)
		r = sd_event_source_set_enabled(l->deaf, SD_EVENT_ONESHOT);
	http_timer_check(r);
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
	run_drivers(l->server);
	return 0;
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

static int start_driver(struct http_server *server)
{
	int r = sd_event_add_time_relative(server->event, &server->overdue, CLOCK_MONOTONIC, 0, 1, on_overdue, server);

	if (r >= 0)
		r = sd_event_source_set_enabled(server->overdue, SD_EVENT_OFF);
	return r < 0 ? r : http_driver_start(&server->plain, server->event, &server->site, false, has_run, server);
}

static int use_web(struct http_server *server, struct http_web *web)
{
	int r = 0;

	if (web->tls && !server->tls.daemon)
		r = http_driver_start(&server->tls, server->event, &server->site, true, has_run, server);
	return r < 0 ? r : http_site_use(&server->site, server->event, web);
}

int http_server_use(struct http_server *server, struct http_web *web, struct text *error)
{
	int r = use_web(server, web);

	if (r < 0) {
		text_addf(error, "%s: cannot be put to use: %s", web->config->path, strerror(-r));
		http_web_free(web);
	}
	return r;
}

static void stop_serverp(struct http_server **server)
{
	http_server_stop(*server);
}

static int start(struct http_server *server, const struct http_options *options, const struct http_pages *pages,
		 struct text *error)
{
	int r = http_site_init(&server->site, options, pages, error);

	if (r < 0)
		return r;
	server->site.crowd.has_resumed = has_resumed;
	server->site.crowd.context = server;
	r = start_driver(server);
	if (r < 0) {
		text_addf(error, "cannot start the web server: %s", strerror(-r));
		return r;
	}
	if (options->web)
		r = http_server_use(server, pointer_steal(options->web), error);
	if (r < 0)
		return r;
	return options->has_systemd_socket ? add_inherited(server, error) : add_addresses(server, options->listen_addresses, error);
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
	r = start(server, options, pages, error);
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

	(void)take_connections(l, HTTP_CONNECTIONS_MAX, &taken);
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
		http_guard_settle(&server->site.guard);
		run_drivers(server);
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
	http_crowd_resume_all(&server->site.crowd);	/* libmicrohttpd ends with nobody suspended */
	http_driver_stop(&server->plain);
	http_driver_stop(&server->tls);
	sd_event_source_disable_unref(server->overdue);
	http_site_clear(&server->site);
	sd_event_unref(server->event);
	free(server);
}

char *http_server_url(const struct http_server *server, char *out, size_t size)
{
	text_copy(out, size, speaks_tls(server) ? "https" : "http");
	text_copy(out + strlen(out), size - strlen(out), server->url + strlen("http"));
	return out;
}
