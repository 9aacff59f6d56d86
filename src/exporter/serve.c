/* The daemon. */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "exporter/expose.h"
#include "exporter/site.h"
#include "exporter/status.h"
#include "exporter/verbs.h"
#include "exporter/web.h"
#include "http/server.h"
#include "probe/notify.h"

struct daemon {
	struct fleet fleet;
	struct expose expose;
	struct site site;
	struct http_server *server;
	struct reload *reload;
	struct web *web;
};

static void free_answer(void *answer)
{
	answer_unref(answer);
}

static int on_metrics(void *context, const struct http_wish *wish, struct http_body *ret, struct text *error)
{
	struct daemon *d = context;
	struct answer *answer;
	int r = expose_metrics(&d->expose, wish, &answer, error);

	if (r)
		return r;
	*ret = (struct http_body){ answer->parts, answer->n, wish->is_openmetrics, wish->is_gzip, answer, free_answer };
	return 0;
}

static int on_page(void *context, const char *path, struct text *out, const char **ret_type)
{
	struct daemon *d = context;

	return site_page(&d->site, path, out, ret_type);
}

static bool is_ready(void *context)
{
	struct daemon *d = context;

	return fleet_is_discovered(&d->fleet);
}

/* capabilities(7): with CAP_IPC_LOCK no limit holds. */
static bool may_lock_all(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
	struct rlimit limit;

	if (!syscall(SYS_capget, &header, data) && (data[0].effective & 1u << CAP_IPC_LOCK))
		return true;
	return !getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur == RLIM_INFINITY;
}

/* Where the system's own disk hangs, a page of ours that must come back from it would hang us. Only without a limit:
 * with one, memory that would pass it is refused, which is worse. */
static void lock_memory(void)
{
	if (!may_lock_all()) {
		log_debug("memory is not locked: neither CAP_IPC_LOCK nor an unlimited RLIMIT_MEMLOCK");
		return;
	}
	if (mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT))
		log_debug("memory is not locked: %s", strerror(errno));
}

static int start_server(struct daemon *d, sd_event *event, const struct options *options)
{
	struct http_options http = { options->listen_addresses, options->has_systemd_socket, options->telemetry_path,
				     (size_t)options->max_requests, NULL };
	struct http_pages bodies = { d, on_metrics, on_page, is_ready };
	AUTO_TEXT error = TEXT_LIMIT(1024);
	char url[256];
	int r = options->web_config_file ? web_load(options->web_config_file, &d->web, &error) : 0;

	if (d->web)
		http.web = web_loaded(d->web);
	if (!r)
		r = http_server_start(event, &http, &bodies, &d->server, &error);
	if (r) {
		log_error("%s", error.at ? error.at : strerror(-r));
		return r;
	}
	log_info("Listening on %s%s", http_server_url(d->server, url, sizeof url), options->telemetry_path);
	return 0;
}

static int watch_files(struct daemon *d, sd_event *event)
{
	int r = databases_watch(d->fleet.databases, d->reload);

	if (!r && d->web)
		r = web_watch(d->web, event, d->reload, d->server);
	return r;
}

int verb_serve(const struct options *options)
{
	static struct daemon d;
	CLEANUP(event_unrefp) sd_event *event = NULL;
	int r = event_new(&event);

	if (!r)
		r = reload_new(event, &d.reload);	/* first: until then a SIGHUP would end us */
	if (!r)
		r = expose_init(&d.expose, &d.fleet, !options->lacks_exporter_metrics);
	if (!r)
		r = expose_prepare(&d.expose, event);
	if (!r)
		r = site_init(&d.site, &d.fleet, event);
	if (!r)
		r = start_server(&d, event, options);
	if (!r)
		r = fleet_start(&d.fleet, event, options);
	if (!r)
		r = watch_files(&d, event);
	if (!r)
		r = status_start(event, &d.fleet);
	if (!r) {
		lock_memory();
		notify_state("READY=1");
		r = sd_event_loop(event);
		notify_state("STOPPING=1");
		log_info("ending");
		http_server_finish(d.server);
	}
	web_free(d.web);
	http_server_stop(d.server);
	fleet_stop(&d.fleet);
	reload_free(d.reload);
	site_free(&d.site);
	expose_free(&d.expose);
	return r ? 1 : 0;
}
