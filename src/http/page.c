#include "http/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/log.h"
#include "http/accept.h"
#include "http/transport.h"
#include "http/web.h"

static const char path_healthy[] = "/-/healthy", path_ready[] = "/-/ready";

static const char type_metrics[] = "text/plain; version=0.0.4; charset=utf-8";
static const char type_openmetrics[] = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/* The bound of a page, far above the metrics of a thousand drives (6 MB). */
enum { PAGE_MAX = 256 << 20 };

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
	if (site->telemetry_path && !http_replies_make(NULL, &site->replies))
		return 0;
	http_site_clear(site);
	text_add(error, "no memory for the web server");
	return -ENOMEM;
}

int http_site_use(struct http_site *site, sd_event *event, struct http_web *web)
{
	struct http_replies replies;
	int r = http_replies_make(web->config, &replies);

	if (!r)
		r = http_guard_use(&site->guard, event, web->config);
	if (r < 0) {
		http_replies_clear(&replies);
		return r;
	}
	http_replies_clear(&site->replies);
	site->replies = replies;
	http_web_free(site->web);
	site->web = web;
	return 0;
}

void http_site_clear(struct http_site *site)
{
	http_site_let_go(site);
	http_guard_clear(&site->guard);
	http_replies_clear(&site->replies);
	http_web_free(site->web);
	free(site->telemetry_path);
	*site = (struct http_site){ 0 };
}

static enum MHD_Result send_reply(struct http_site *site, struct MHD_Connection *connection, enum http_reply reply)
{
	return http_reply(&site->replies, connection, reply);
}

static bool add_page_headers(struct http_site *site, struct MHD_Response *response, const char *type)
{
	return http_add_page_headers(response, type, site->web ? site->web->config : NULL, site->is_ending);
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
	const char *type = http_type_plain;
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

/* A body in parts, and how far it was read. libmicrohttpd's own answers in parts (0.9.75) keep a list of them in the connection's
 * memory: it aborts where the request has left too little of that, and cuts off the end where the list is long. */
struct body_reader {
	struct http_body body;
	size_t part, offset;		/* what comes next */
};

enum { BLOCK = 64 << 10 };		/* asked for at a time */

static ssize_t read_body(void *reader, uint64_t position, char *out, size_t max)
{
	struct body_reader *r = reader;
	size_t n = 0;

	while (n < max && r->part < r->body.n) {
		const struct iovec *part = &r->body.parts[r->part];
		size_t left = part->iov_len - r->offset, step = left < max - n ? left : max - n;

		memcpy(out + n, (const char *)part->iov_base + r->offset, step);
		n += step;
		r->offset += step;
		if (r->offset == part->iov_len) {
			r->part++;
			r->offset = 0;
		}
	}
	return n ? (ssize_t)n : MHD_CONTENT_READER_END_OF_STREAM;
}

static void free_reader(void *reader)
{
	struct body_reader *r = reader;

	r->body.release(r->body.owner);
	free(r);
}

static struct MHD_Response *make_parts(const struct http_body *b)
{
	struct body_reader *r = malloc(sizeof *r);
	struct MHD_Response *response;
	uint64_t n = 0;

	if (!r)
		return NULL;
	*r = (struct body_reader){ .body = *b };
	for (size_t i = 0; i < b->n; i++)
		n += b->parts[i].iov_len;
	response = MHD_create_response_from_callback(n, BLOCK, read_body, r, free_reader);
	if (!response)
		free(r);
	return response;
}

static struct MHD_Response *make_body(const struct http_body *b)
{
	if (b->n == 1)
		return MHD_create_response_from_buffer_with_free_callback_cls(b->parts->iov_len, b->parts->iov_base, b->release, b->owner);
	return make_parts(b);
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
		return send_text(site, connection, MHD_HTTP_BAD_REQUEST, http_type_plain, &error);
	if (r < 0)
		return send_reply(site, connection, HTTP_REPLY_NO_ROOM);
	return send_made(site, connection, MHD_HTTP_OK, body.is_openmetrics ? type_openmetrics : type_metrics, make_metrics(&body));
}

/* ---- connections */

static struct http_connection *context_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* True where it is plain HTTP, too. */
static bool begin_tls(struct http_site *site, struct http_connection *c)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c->mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);
	gnutls_session_t session = info ? info->tls_session : NULL;
	int r;

	if (!session)
		return true;
	if (!site->web || !site->web->tls)
		return false;
	c->tls = http_tls_ref(site->web->tls);
	http_transport_begin(c, session);
	r = http_tls_begin(c->tls, session);
	if (r < 0)
		log_debug("http: cannot begin TLS: %s", gnutls_strerror(r));
	return r >= 0;
}

/* Of one that cannot be added to the loop libmicrohttpd frees the session only afterwards. */
static void part(struct http_site *site, struct http_connection *c)
{
	http_guard_forget(&site->guard, c);
	http_crowd_remove(&site->crowd, c);
	c->next = site->parted;
	site->parted = c;
}

void http_site_let_go(struct http_site *site)
{
	struct http_connection *c;

	while ((c = site->parted)) {
		site->parted = c->next;
		http_tls_unref(c->tls);
		free(c);
	}
}

void http_site_connection(void *context, struct MHD_Connection *connection, void **own_context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct http_site *site = context;
	int fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	struct http_connection *c;

	if (code != MHD_CONNECTION_NOTIFY_STARTED) {
		c = pointer_steal(own_context);
		if (c)
			part(site, c);
		return;
	}
	*own_context = c = http_crowd_add(&site->crowd, connection, fd, clock_monotonic_us());
	if (!c || !begin_tls(site, c))		/* nobody would end it, or none answers it */
		(void)shutdown(fd, SHUT_RDWR);
}

void http_site_completed(void *context, struct MHD_Connection *connection, void **request, enum MHD_RequestTerminationCode code)
{
	struct http_site *site = context;
	struct http_connection *c = context_of(connection);

	if (!c)
		return;
	http_guard_forget(&site->guard, c);
	http_crowd_move(&site->crowd, c, HTTP_IDLE, clock_monotonic_us());
}

void http_site_end(struct http_site *site)
{
	site->is_ending = true;
	http_replies_end(&site->replies);
}

/* ---- requests */

/* What is said to whom the guard does not let in. */
static const enum http_reply refusals[] = {
	[HTTP_TOO_OFTEN] = HTTP_REPLY_TOO_OFTEN,
	[HTTP_TOO_MANY_TRIES] = HTTP_REPLY_TOO_MANY_TRIES,
	[HTTP_UNAUTHORIZED] = HTTP_REPLY_UNAUTHORIZED,
};

static bool is_read_only(const char *method)
{
	return !strcmp(method, MHD_HTTP_METHOD_GET) || !strcmp(method, MHD_HTTP_METHOD_HEAD);
}

static enum MHD_Result send_path(struct http_site *site, struct MHD_Connection *connection, const char *path)
{
	if (!strcmp(path, path_healthy))
		return send_reply(site, connection, HTTP_REPLY_HEALTHY);
	if (!strcmp(path, path_ready)) {
		bool is_ready = site->pages.is_ready(site->pages.context);

		return send_reply(site, connection, is_ready ? HTTP_REPLY_READY : HTTP_REPLY_NOT_READY);
	}
	if (site->max_requests && http_crowd_answered(&site->crowd) > site->max_requests &&
	    !http_crowd_cut_answer(&site->crowd, clock_monotonic_us()))
		return send_reply(site, connection, HTTP_REPLY_TOO_MANY);
	if (!strcmp(path, site->telemetry_path))
		return send_metrics(site, connection);
	return send_page(site, connection, path);
}

/* First called when the headers are read, and last when the body is. */
enum MHD_Result http_site_answer(void *context, struct MHD_Connection *connection, const char *path,
				 const char *method, const char *version, const char *upload, size_t *n_upload,
				 void **request)
{
	static char is_begun;
	struct http_site *site = context;
	struct http_connection *c = context_of(connection);
	bool is_first = !*request;

	if (!c || c->stage == HTTP_LEAVING)
		return MHD_NO;
	if (is_first)
		http_crowd_move(&site->crowd, c, HTTP_HEAD, clock_monotonic_us());
	/* A body, which GET may have but means nothing, is read past, so that the next request of the connection is found
	 * behind it. */
	if (*n_upload) {
		*n_upload = 0;
		return MHD_YES;
	}
	*request = &is_begun;
	if (c->verdict == HTTP_UNJUDGED)
		http_guard_judge(&site->guard, c);
	/* An answer at once is its connection's last: only to save reading a body that may be long. */
	if (is_first && (is_read_only(method) || c->verdict == HTTP_WAITING))
		return MHD_YES;
	http_crowd_move(&site->crowd, c, HTTP_ANSWER, clock_monotonic_us());
	if (c->verdict == HTTP_WAITING) {
		http_crowd_suspend(c);
		return MHD_YES;
	}
	if (c->verdict != HTTP_LET_IN)
		return send_reply(site, connection, refusals[c->verdict]);
	if (!is_read_only(method))
		return send_reply(site, connection, HTTP_REPLY_METHOD);
	return send_path(site, connection, path);
}
