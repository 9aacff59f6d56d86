#include "http/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/log.h"
#include "http/accept.h"

static const char path_healthy[] = "/-/healthy", path_ready[] = "/-/ready";

static const char type_plain[] = "text/plain; charset=utf-8";
static const char type_metrics[] = "text/plain; version=0.0.4; charset=utf-8";
static const char type_openmetrics[] = "application/openmetrics-text; version=1.0.0; charset=utf-8";

static const struct {
	unsigned status;
	const char *body;
} replies[N_HTTP_REPLIES] = {
	[HTTP_REPLY_HEALTHY] = { MHD_HTTP_OK, "drive_exporter is healthy.\n" },
	[HTTP_REPLY_READY] = { MHD_HTTP_OK, "drive_exporter is ready.\n" },
	[HTTP_REPLY_NOT_READY] = { MHD_HTTP_SERVICE_UNAVAILABLE, "drive_exporter is not ready yet.\n" },
	[HTTP_REPLY_NOT_FOUND] = { MHD_HTTP_NOT_FOUND, "There is no such page.\n" },
	[HTTP_REPLY_METHOD] = { MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET and HEAD are answered.\n" },
	[HTTP_REPLY_TOO_MANY] = { MHD_HTTP_SERVICE_UNAVAILABLE, "Too many requests are under way (--web.max-requests).\n" },
	[HTTP_REPLY_NO_ROOM] = { MHD_HTTP_INTERNAL_SERVER_ERROR, "There is not enough memory for this page.\n" },
};

struct header {
	const char *name, *value;
};

/* Every page shows a moment, and none runs a script, loads anything or is part of another page. */
static const struct header page_headers[] = {
	{ "Cache-Control", "no-store" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "X-Frame-Options", "DENY" },
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

static bool add_header(struct MHD_Response *response, const struct header *h)
{
	return MHD_add_response_header(response, h->name, h->value) == MHD_YES;
}

static bool add_headers(struct MHD_Response *response, const char *type, size_t n_headers)
{
	if (MHD_add_response_header(response, "Content-Type", type) != MHD_YES)
		return false;
	for (size_t i = 0; i < n_headers; i++)
		if (!add_header(response, &page_headers[i]))
			return false;
	return true;
}

/* Of one reply alone. */
static const struct header own[N_HTTP_REPLIES] = {
	[HTTP_REPLY_METHOD] = { "Allow", "GET, HEAD" },
	[HTTP_REPLY_TOO_MANY] = { "Retry-After", "1" },
};

static struct MHD_Response *make_reply(enum http_reply reply)
{
	const char *body = replies[reply].body;
	struct MHD_Response *response =
		MHD_create_response_from_buffer(strlen(body), (void *)body, MHD_RESPMEM_PERSISTENT);

	if (!response)
		return NULL;
	if (!add_headers(response, type_plain, 3) || (own[reply].name && !add_header(response, &own[reply]))) {
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
	*site = (struct http_site){ .pages = *pages, .telemetry_path = strdup(options->telemetry_path),
				    .max_requests = options->max_requests };
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

	if (!page.length)
		return send_reply(site, connection, status == MHD_HTTP_NOT_FOUND ? HTTP_REPLY_NOT_FOUND : HTTP_REPLY_NO_ROOM);
	return send_text(site, connection, (unsigned)status, type, &page);
}

/* ---- what a scrape asks for */

enum { WISHES_MAX = 256, ACCEPT_MAX = 2048 };

struct wish_lists {
	const char *names[WISHES_MAX + 1], *collectors[WISHES_MAX + 1];
	size_t n_names, n_collectors;
	bool is_too_long;
};

static enum MHD_Result take_argument(void *context, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct wish_lists *to = context;
	bool is_name = !strcmp(key, "name[]");
	size_t *n = is_name ? &to->n_names : &to->n_collectors;

	if (!is_name && strcmp(key, "collect[]"))
		return MHD_YES;		/* others may be meant for a proxy before us */
	if (*n == WISHES_MAX)
		to->is_too_long = true;
	else
		(is_name ? to->names : to->collectors)[(*n)++] = value ? value : "";
	return MHD_YES;
}

struct header_lines {
	const char *name;
	struct text value;
};

static enum MHD_Result take_line(void *context, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct header_lines *to = context;

	if (strcasecmp(key, to->name) || !value)
		return MHD_YES;
	if (to->value.length)
		text_add(&to->value, ",");
	text_add(&to->value, value);
	return MHD_YES;
}

/* All lines of a header are one list: RFC 9110, clause 5.3. One that is too long asks for nothing. */
static bool is_accepted(struct MHD_Connection *connection, const char *name, bool (*judge)(const char *))
{
	struct header_lines lines = { name, TEXT_LIMIT(ACCEPT_MAX) };
	bool is;

	(void)MHD_get_connection_values(connection, MHD_HEADER_KIND, take_line, &lines);
	is = !lines.value.truncated && judge(lines.value.at);
	text_free(&lines.value);
	return is;
}

static struct MHD_Response *make_body(const struct http_body *b)
{
	if (b->n == 1)
		return MHD_create_response_from_buffer_with_free_callback_cls(b->parts->iov_len, b->parts->iov_base, b->release, b->owner);
	return MHD_create_response_from_iovec((const struct MHD_IoVec *)b->parts, (unsigned)b->n, b->release, b->owner);
}

static struct MHD_Response *make_metrics(const struct http_body *body)
{
	struct MHD_Response *response = make_body(body);

	if (!response) {
		body->release(body->owner);
		return NULL;
	}
	if (MHD_add_response_header(response, "Vary", "Accept, Accept-Encoding") == MHD_YES &&
	    (!body->is_gzip || MHD_add_response_header(response, "Content-Encoding", "gzip") == MHD_YES))
		return response;
	MHD_destroy_response(response);
	return NULL;
}

static enum MHD_Result send_metrics(struct http_site *site, struct MHD_Connection *connection)
{
	struct wish_lists lists = { 0 };
	struct http_wish wish = { .names = lists.names, .collectors = lists.collectors };
	struct http_body body = { 0 };
	AUTO_TEXT error = TEXT_LIMIT(1024);
	int r = -EINVAL;

	(void)MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, take_argument, &lists);
	wish.is_openmetrics = is_accepted(connection, "Accept", accept_openmetrics);
	wish.is_gzip = is_accepted(connection, "Accept-Encoding", accept_gzip);
	if (lists.is_too_long)
		text_addf(&error, "more than %d of name[] or of collect[]\n", WISHES_MAX);
	else
		r = site->pages.metrics(site->pages.context, &wish, &body, &error);
	if (r == -EINVAL)
		return send_text(site, connection, MHD_HTTP_BAD_REQUEST, type_plain, &error);
	if (r < 0)
		return send_reply(site, connection, HTTP_REPLY_NO_ROOM);
	return send_made(site, connection, MHD_HTTP_OK, body.is_openmetrics ? type_openmetrics : type_metrics, make_metrics(&body));
}

/* ---- connections */

static struct http_connection *context_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

static void move(struct http_site *site, struct MHD_Connection *connection, enum http_stage stage)
{
	struct http_connection *c = context_of(connection);

	if (c)
		http_crowd_move(&site->crowd, c, stage, clock_monotonic_us());
}

void http_site_connection(void *context, struct MHD_Connection *connection, void **own_context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct http_site *site = context;
	int fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;

	if (code != MHD_CONNECTION_NOTIFY_STARTED) {
		http_crowd_remove(&site->crowd, pointer_steal(own_context));
		return;
	}
	*own_context = http_crowd_add(&site->crowd, fd, clock_monotonic_us());
	if (!*own_context)		/* nobody would end it */
		(void)shutdown(fd, SHUT_RDWR);
}

void http_site_completed(void *context, struct MHD_Connection *connection, void **request, enum MHD_RequestTerminationCode code)
{
	move(context, connection, HTTP_IDLE);
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

	move(site, connection, HTTP_ANSWER);
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return send_reply(site, connection, HTTP_REPLY_METHOD);
	/* First called when the headers are read; a body, which GET may have but means nothing, is read past, so that
	 * the next request of the connection is found behind it. */
	if (!*request || *n_upload) {
		*request = &is_begun;
		*n_upload = 0;
		return MHD_YES;
	}
	if (!strcmp(path, path_healthy))
		return send_reply(site, connection, HTTP_REPLY_HEALTHY);
	if (!strcmp(path, path_ready)) {
		bool is_ready = site->pages.is_ready(site->pages.context);

		return send_reply(site, connection, is_ready ? HTTP_REPLY_READY : HTTP_REPLY_NOT_READY);
	}
	if (site->max_requests && site->crowd.stages[HTTP_ANSWER].n > site->max_requests)
		return send_reply(site, connection, HTTP_REPLY_TOO_MANY);
	if (!strcmp(path, site->telemetry_path))
		return send_metrics(site, connection);
	return send_page(site, connection, path);
}
