#include "http/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static const char path_healthy[] = "/-/healthy", path_ready[] = "/-/ready";

static const char type_plain[] = "text/plain; charset=utf-8";
static const char type_metrics[] = "text/plain; version=0.0.4; charset=utf-8";

static const struct {
	unsigned status;
	const char *body;
} replies[N_HTTP_REPLIES] = {
	[HTTP_REPLY_HEALTHY] = { MHD_HTTP_OK, "drive_exporter is healthy.\n" },
	[HTTP_REPLY_READY] = { MHD_HTTP_OK, "drive_exporter is ready.\n" },
	[HTTP_REPLY_NOT_READY] = { MHD_HTTP_SERVICE_UNAVAILABLE, "drive_exporter is not ready yet.\n" },
	[HTTP_REPLY_NOT_FOUND] = { MHD_HTTP_NOT_FOUND, "There is no such page.\n" },
	[HTTP_REPLY_METHOD] = { MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET and HEAD are answered.\n" },
	[HTTP_REPLY_NO_ROOM] = { MHD_HTTP_INTERNAL_SERVER_ERROR, "There is not enough memory for this page.\n" },
};

struct header {
	const char *name, *value;
};

/* Every page shows a moment, and none runs a script, loads anything or is part of another page. */
static const struct header page_headers[] = {
	{ "Cache-Control", "no-store" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
				     "form-action 'none'; frame-ancestors 'none'" },
	{ "Referrer-Policy", "no-referrer" },
};

/* The bound of a page, far above the metrics of a thousand drives (6 MB). */
enum { PAGE_MAX = 256 << 20 };

static bool add_last(struct MHD_Response *response)
{
	return MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close") == MHD_YES;
}

static bool add_headers(struct MHD_Response *response, const char *type, size_t n_headers)
{
	if (MHD_add_response_header(response, "Content-Type", type) != MHD_YES)
		return false;
	for (size_t i = 0; i < n_headers; i++)
		if (MHD_add_response_header(response, page_headers[i].name, page_headers[i].value) != MHD_YES)
			return false;
	return true;
}

static struct MHD_Response *make_reply(enum http_reply reply)
{
	const char *body = replies[reply].body;
	struct MHD_Response *response =
		MHD_create_response_from_buffer(strlen(body), (void *)body, MHD_RESPMEM_PERSISTENT);

	if (!response)
		return NULL;
	if (!add_headers(response, type_plain, 2) ||
	    (reply == HTTP_REPLY_METHOD && MHD_add_response_header(response, "Allow", "GET, HEAD") != MHD_YES)) {
		MHD_destroy_response(response);
		return NULL;
	}
	return response;
}

/* NULL, or what is wrong with it. */
static const char *judge_path(const char *path)
{
	if (path[0] != '/')
		return "must begin with /";
	if (!strcmp(path, "/") || !strcmp(path, path_healthy) || !strcmp(path, path_ready))
		return "is taken by another page";
	for (const char *s = path; *s; s++)
		if (*s <= ' ' || *s >= 0x7f || strchr("?#%\"<>\\", *s))
			return "may only hold what a URL holds unescaped";
	return NULL;
}

int http_site_init(struct http_site *site, const struct http_options *options, const struct http_pages *pages,
		   struct text *error)
{
	const char *wrong = judge_path(options->telemetry_path);
	char shown[256];

	if (wrong) {
		text_addf(error, "the telemetry path \"%s\" %s",
			  text_printable(options->telemetry_path, shown, sizeof shown), wrong);
		return -EINVAL;
	}
	*site = (struct http_site){ .pages = *pages, .telemetry_path = strdup(options->telemetry_path) };
	for (int i = 0; i < N_HTTP_REPLIES; i++)
		site->replies[i] = make_reply(i);
	for (int i = 0; i < N_HTTP_REPLIES; i++) {
		if (site->telemetry_path && site->replies[i])
			continue;
		http_site_clear(site);
		text_add(error, "no memory for the web server");
		return -ENOMEM;
	}
	return 0;
}

void http_site_clear(struct http_site *site)
{
	for (int i = 0; i < N_HTTP_REPLIES; i++)
		if (site->replies[i])
			MHD_destroy_response(site->replies[i]);
	free(site->telemetry_path);
	*site = (struct http_site){ 0 };
}

static enum MHD_Result send_reply(struct http_site *site, struct MHD_Connection *connection, enum http_reply reply)
{
	return MHD_queue_response(connection, replies[reply].status, site->replies[reply]);
}

static bool add_page_headers(struct http_site *site, struct MHD_Response *response, const char *type)
{
	return add_headers(response, type, ARRAY_SIZE(page_headers)) && (!site->is_ending || add_last(response));
}

/* Takes the response over; NULL: there was no memory for it. */
static enum MHD_Result send_made(struct http_site *site, struct MHD_Connection *connection, unsigned status, const char *type,
				 struct MHD_Response *response)
{
	enum MHD_Result result;

	if (!response)
		return send_reply(site, connection, HTTP_REPLY_NO_ROOM);
	result = add_page_headers(site, response, type) ? MHD_queue_response(connection, status, response) :
							  send_reply(site, connection, HTTP_REPLY_NO_ROOM);
	MHD_destroy_response(response);		/* ours; the connection has its own */
	return result;
}

/* The response takes the text over. */
static enum MHD_Result send_text(struct http_site *site, struct MHD_Connection *connection, unsigned status, const char *type,
				 struct text *page)
{
	struct MHD_Response *response;

	if (page->truncated)
		return send_reply(site, connection, HTTP_REPLY_NO_ROOM);
	response = MHD_create_response_from_buffer(page->length, page->at, MHD_RESPMEM_MUST_FREE);
	if (response)
		pointer_steal(&page->at);
	return send_made(site, connection, status, type, response);
}

static enum MHD_Result send_page(struct http_site *site, struct MHD_Connection *connection, const char *path)
{
	AUTO_TEXT page = TEXT_LIMIT(PAGE_MAX);
	const char *type = type_plain;
	int status = site->pages.page(site->pages.context, path, &page, &type);

	if (status == MHD_HTTP_NOT_FOUND && !page.length)
		return send_reply(site, connection, HTTP_REPLY_NOT_FOUND);
	return send_text(site, connection, (unsigned)status, type, &page);
}

static enum MHD_Result send_metrics(struct http_site *site, struct MHD_Connection *connection)
{
	static const char *const none[] = { NULL };
	struct http_wish wish = { .names = none, .collectors = none };
	struct http_body body = { 0 };
	struct MHD_Response *response;
	AUTO_TEXT error = TEXT_LIMIT(1024);
	int r = site->pages.metrics(site->pages.context, &wish, &body, &error);

	if (r == -EINVAL)
		return send_text(site, connection, MHD_HTTP_BAD_REQUEST, type_plain, &error);
	if (r < 0)
		return send_reply(site, connection, HTTP_REPLY_NO_ROOM);
	response = MHD_create_response_from_iovec((const struct MHD_IoVec *)body.parts, (unsigned)body.n, body.release, body.owner);
	if (!response)
		body.release(body.owner);
	return send_made(site, connection, MHD_HTTP_OK, type_metrics, response);
}

/* ---- connections */

static void set_busy(struct http_site *site, struct http_connection *c, bool is_busy)
{
	if (!c || c->is_busy == is_busy)
		return;
	c->is_busy = is_busy;
	site->n_busy += is_busy ? 1 : (size_t)-1;
}

static struct http_connection *context_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* One without memory for its context is served like any other; only the end does not wait for it. */
void http_site_connection(void *context, struct MHD_Connection *connection, void **own, enum MHD_ConnectionNotificationCode code)
{
	struct http_site *site = context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		*own = calloc(1, sizeof(struct http_connection));
		set_busy(site, *own, true);
		return;
	}
	set_busy(site, *own, false);
	free(pointer_steal(own));
}

void http_site_completed(void *context, struct MHD_Connection *connection, void **request, enum MHD_RequestTerminationCode code)
{
	set_busy(context, context_of(connection), false);
}

void http_site_end(struct http_site *site)
{
	site->is_ending = true;
	for (int i = 0; i < N_HTTP_REPLIES; i++)
		if (!add_last(site->replies[i]))
			log_debug("http: no memory for a header");
}

/* ---- requests */

enum MHD_Result http_site_answer(void *context, struct MHD_Connection *connection, const char *path,
				 const char *method, const char *version, const char *upload, size_t *n_upload,
				 void **request)
{
	static char is_begun;
	struct http_site *site = context;

	set_busy(site, context_of(connection), true);
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return send_reply(site, connection, HTTP_REPLY_METHOD);
	/* First called when the headers are read; a body, which GET may have but means nothing, is read past, so that
	 * the next request of the connection is found behind it. */
	if (!*request || *n_upload) {
		*request = &is_begun;
		*n_upload = 0;
		return MHD_YES;
	}
	if (!strcmp(path, site->telemetry_path))
		return send_metrics(site, connection);
	if (!strcmp(path, path_healthy))
		return send_reply(site, connection, HTTP_REPLY_HEALTHY);
	if (!strcmp(path, path_ready)) {
		bool is_ready = site->pages.is_ready(site->pages.context);

		return send_reply(site, connection, is_ready ? HTTP_REPLY_READY : HTTP_REPLY_NOT_READY);
	}
	return send_page(site, connection, path);
}
