#include "http/reply.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

const char http_type_plain[] = "text/plain; charset=utf-8";

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
	[HTTP_REPLY_TOO_OFTEN] = { MHD_HTTP_TOO_MANY_REQUESTS, "Too many requests (rate_limit of the web configuration).\n" },
	[HTTP_REPLY_TOO_MANY_TRIES] = { MHD_HTTP_TOO_MANY_REQUESTS, "Too many passwords are tried.\n" },
	[HTTP_REPLY_UNAUTHORIZED] = { MHD_HTTP_UNAUTHORIZED, "A user's name and password are needed.\n" },
	[HTTP_REPLY_NO_ROOM] = { MHD_HTTP_INTERNAL_SERVER_ERROR, "There is not enough memory for this page.\n" },
};

struct header {
	const char *name, *value;
};

/* Of one reply alone. */
static const struct header own[N_HTTP_REPLIES] = {
	[HTTP_REPLY_METHOD] = { "Allow", "GET, HEAD" },
	[HTTP_REPLY_TOO_MANY] = { "Retry-After", "1" },
	[HTTP_REPLY_TOO_MANY_TRIES] = { "Retry-After", "1" },
	[HTTP_REPLY_UNAUTHORIZED] = { "WWW-Authenticate", "Basic realm=\"drive_exporter\"" },
};

/* Every page shows a moment, and none runs a script, loads anything or is part of another page. Plain text needs no more
 * than the first ones. */
enum { N_TEXT_HEADERS = 3 };
static const struct header page_headers[] = {
	{ "Cache-Control", "no-store" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "X-Frame-Options", "DENY" },
	{ "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
				     "form-action 'none'; frame-ancestors 'none'" },
	{ "Referrer-Policy", "no-referrer" },
};

static bool add_header(struct MHD_Response *response, const char *name, const char *value)
{
	return MHD_add_response_header(response, name, value) == MHD_YES;
}

static bool add_last(struct MHD_Response *response)
{
	return add_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
}

static bool is_set(const struct web_config *config, const char *name)
{
	for (size_t i = 0; config && i < config->n_headers; i++)
		if (!strcmp(config->headers[i].name, name))
			return true;
	return false;
}

/* Ours, but where the web configuration has the same one, and then all of those. */
static bool add_headers(struct MHD_Response *response, const char *type, const struct web_config *config, size_t n_ours)
{
	bool is_good = add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);

	for (size_t i = 0; i < n_ours; i++)
		if (!is_set(config, page_headers[i].name))
			is_good &= add_header(response, page_headers[i].name, page_headers[i].value);
	for (size_t i = 0; config && i < config->n_headers; i++)
		is_good &= add_header(response, config->headers[i].name, config->headers[i].value);
	return is_good;
}

bool http_add_page_headers(struct MHD_Response *response, const char *type, const struct web_config *config, bool is_last)
{
	return add_headers(response, type, config, ARRAY_SIZE(page_headers)) && (!is_last || add_last(response));
}

/* After one interval the next request is due at the latest. */
static bool add_rate(struct MHD_Response *response, const struct web_config *config)
{
	const uint64_t second_us = 1000000, interval_us = config ? config->rate_interval_us : 0;
	char seconds[24];

	snprintf(seconds, sizeof seconds, "%" PRIu64, interval_us ? (interval_us + second_us - 1) / second_us : 1);
	return add_header(response, MHD_HTTP_HEADER_RETRY_AFTER, seconds);
}

static struct MHD_Response *make_reply(enum http_reply reply, const struct web_config *config)
{
	const char *body = replies[reply].body;
	struct MHD_Response *response =
		MHD_create_response_from_buffer(strlen(body), (void *)body, MHD_RESPMEM_PERSISTENT);

	if (!response)
		return NULL;
	if (add_headers(response, http_type_plain, config, N_TEXT_HEADERS) &&
	    (!own[reply].name || add_header(response, own[reply].name, own[reply].value)) &&
	    (reply != HTTP_REPLY_TOO_OFTEN || add_rate(response, config)))
		return response;
	MHD_destroy_response(response);
	return NULL;
}

int http_replies_make(const struct web_config *config, struct http_replies *ret)
{
	*ret = (struct http_replies){ 0 };
	for (int i = 0; i < N_HTTP_REPLIES; i++) {
		ret->at[i] = make_reply(i, config);
		if (!ret->at[i]) {
			http_replies_clear(ret);
			return -ENOMEM;
		}
	}
	return 0;
}

void http_replies_clear(struct http_replies *r)
{
	for (int i = 0; i < N_HTTP_REPLIES; i++)
		if (r->at[i])
			MHD_destroy_response(r->at[i]);	/* one that is being sent stays until then */
	*r = (struct http_replies){ 0 };
}

void http_replies_end(struct http_replies *r)
{
	for (int i = 0; i < N_HTTP_REPLIES; i++)
		if (!add_last(r->at[i]))
			log_debug("http: no memory for a header");
}

enum MHD_Result http_reply(const struct http_replies *r, struct MHD_Connection *connection, enum http_reply reply)
{
	return MHD_queue_response(connection, replies[reply].status, r->at[reply]);
}
