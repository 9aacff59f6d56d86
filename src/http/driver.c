#include "http/driver.h"

#include <errno.h>
#include <gnutls/abstract.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

enum {
	CONNECTION_MEMORY = 36 * 1024,		/* a request's headers must fit into it; above 32 KiB libmicrohttpd maps it, and
						 * what is mapped is given back, even where memory is locked */
	PAUSE_MAX_MS = 64,
};

/* What strangers send is theirs to mend, so libmicrohttpd's complaints are for the curious. */
static void log_complaint(void *context, const char *format, va_list args)
{
	char line[256];

	vsnprintf(line, sizeof line, format, args);
	line[strcspn(line, "\n")] = 0;
	log_debug("http: %s", line);
}

/* From the first byte of a handshake to its end libmicrohttpd 0.9.75 takes the socket for readable, and would be run without pause
 * until a client goes on that need not. So it is only as long as runs move something; what comes in wakes us anyway. */
static unsigned pause_of(struct http_driver *d)
{
	const uint64_t bytes = d->site->crowd.tls_bytes;

	if (!d->is_tls || bytes != d->tls_bytes)
		d->pause_ms = 0;
	else
		d->pause_ms = !d->pause_ms ? 1 : d->pause_ms < PAUSE_MAX_MS ? 2 * d->pause_ms : PAUSE_MAX_MS;
	d->tls_bytes = bytes;
	return d->pause_ms;
}

/* In this mode libmicrohttpd has no wake-up of its own: after every run it is asked when it wants the next. */
static int arm_timer(struct http_driver *d)
{
	MHD_UNSIGNED_LONG_LONG ms;
	int r;

	if (MHD_get_timeout(d->daemon, &ms) != MHD_YES)
		return sd_event_source_set_enabled(d->timer, SD_EVENT_OFF);
	r = sd_event_source_set_time_relative(d->timer, (ms ? ms : pause_of(d)) * 1000);
	return r < 0 ? r : sd_event_source_set_enabled(d->timer, SD_EVENT_ONESHOT);
}

void http_timer_check(int r)
{
	if (r < 0 && r != -ESTALE)
		log_error("http: cannot set the timer: %s", strerror(-r));
}

void http_driver_run(struct http_driver *d)
{
	int r;

	if (!d->daemon)
		return;
	if (MHD_run(d->daemon) != MHD_YES)
		log_debug("http: libmicrohttpd could not run");
	r = arm_timer(d);
	http_timer_check(r);
	d->has_run(d->context);
}

/* These never fail: sd-event would switch the source off, and we would be deaf. */
static int on_readable(sd_event_source *source, int fd, uint32_t events, void *driver)
{
	http_driver_run(driver);
	return 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *driver)
{
	http_driver_run(driver);
	return 0;
}

/* Hangs libmicrohttpd on the loop. */
static int attach(struct http_driver *d, sd_event *event)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(d->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	int r;

	if (!info)
		return -EOPNOTSUPP;
	r = sd_event_add_io(event, &d->readable, info->epoll_fd, EPOLLIN, on_readable, d);
	if (r < 0)
		return r;
	r = sd_event_add_time_relative(event, &d->timer, CLOCK_MONOTONIC, 0, 1, on_timer, d);
	if (r < 0)
		return r;
	(void)sd_event_source_set_description(d->readable, "http");
	(void)sd_event_source_set_description(d->timer, "http-timer");
	return arm_timer(d);
}

/* libmicrohttpd wants a certificate of its own. Each session gets ours before its handshake, and one that did not must fail. */
static int no_certificate(gnutls_session_t session, const gnutls_datum_t *names, int n_names, const gnutls_pk_algorithm_t *algorithms,
			  int n_algorithms, gnutls_pcert_st **ret, unsigned *ret_n, gnutls_privkey_t *ret_key)
{
	return -1;
}

int http_driver_start(struct http_driver *d, sd_event *event, struct http_site *site, bool is_tls,
		      void (*has_run)(void *context), void *context)
{
	struct MHD_OptionItem tls[] = {
		{ MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)(intptr_t)no_certificate },
		{ MHD_OPTION_END, 0, NULL },
	};
	int r;

	if (is_tls && MHD_is_feature_supported(MHD_FEATURE_HTTPS_CERT_CALLBACK) != MHD_YES)
		return -EOPNOTSUPP;
	*d = (struct http_driver){ .site = site, .is_tls = is_tls, .has_run = has_run, .context = context };
	d->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG | MHD_ALLOW_SUSPEND_RESUME |
				     (is_tls ? MHD_USE_TLS : 0), 0, NULL, NULL,
				     http_site_answer, site,
				     MHD_OPTION_EXTERNAL_LOGGER, log_complaint, NULL,
				     MHD_OPTION_NOTIFY_CONNECTION, http_site_connection, site,
				     MHD_OPTION_NOTIFY_COMPLETED, http_site_completed, site,
				     MHD_OPTION_CONNECTION_LIMIT, (unsigned)HTTP_CONNECTIONS_MAX + 1,
				     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
				     MHD_OPTION_CONNECTION_TIMEOUT, 0u,
				     MHD_OPTION_STRICT_FOR_CLIENT, 1,	/* RFC 9112, 3.2: a request without Host is refused */
				     MHD_OPTION_ARRAY, is_tls ? tls : tls + 1,
				     MHD_OPTION_END);
	r = d->daemon ? attach(d, event) : -ENOMEM;
	if (r < 0)
		http_driver_stop(d);
	return r;
}

void http_driver_stop(struct http_driver *d)
{
	sd_event_source_disable_unref(d->readable);
	sd_event_source_disable_unref(d->timer);
	if (d->daemon)
		MHD_stop_daemon(d->daemon);
	*d = (struct http_driver){ 0 };
}

void http_driver_add(struct http_driver *d, int fd, const struct sockaddr *address, socklen_t length)
{
	if (MHD_add_connection(d->daemon, fd, address, length) != MHD_YES)	/* it has closed the descriptor */
		log_debug("http: libmicrohttpd does not take a connection: %s", strerror(errno));
}
