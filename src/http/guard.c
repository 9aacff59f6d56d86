#include "http/guard.h"

#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>

#include "base/clock.h"

/* ---- rate_limit */

/* The same bounds go on as they were: the file is read anew for other things, too. */
static void use_rate(struct http_guard *guard, const struct web_config *config)
{
	const uint64_t burst = config->rate_burst ? config->rate_burst : 1;
	const uint64_t ahead_us = (burst - 1) * config->rate_interval_us;

	if (guard->interval_us != config->rate_interval_us || guard->ahead_us != ahead_us)
		guard->next_us = 0;
	guard->interval_us = config->rate_interval_us;
	guard->ahead_us = ahead_us;
}

static bool is_in_time(struct http_guard *guard, uint64_t now_us)
{
	if (guard->next_us < now_us)
		guard->next_us = now_us;
	if (guard->next_us - now_us > guard->ahead_us)
		return false;
	guard->next_us += guard->interval_us;
	return true;
}

/* ---- basic_auth_users */

/* What http_auth_check() and its done() say. */
static const enum http_verdict verdicts[] = {
	[HTTP_AUTH_GOOD] = HTTP_LET_IN, [HTTP_AUTH_WRONG] = HTTP_UNAUTHORIZED, [HTTP_AUTH_LATER] = HTTP_WAITING,
	[HTTP_AUTH_BUSY] = HTTP_TOO_MANY_TRIES,
};

struct peer {
	const void *bytes;
	size_t n;
};

static struct peer peer_of(struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const struct sockaddr *at = info ? info->client_addr : NULL;

	if (at && at->sa_family == AF_INET)
		return (struct peer){ &((const struct sockaddr_in *)at)->sin_addr, 4 };
	if (at && at->sa_family == AF_INET6)
		return (struct peer){ &((const struct sockaddr_in6 *)at)->sin6_addr, 16 };
	return (struct peer){ NULL, 0 };
}

static void on_judged(void *tag, enum http_auth_verdict verdict)
{
	struct http_connection *c = tag;

	c->verdict = verdicts[verdict];
	http_crowd_resume(c);
}

static enum http_verdict judge_password(struct http_guard *guard, struct http_connection *c)
{
	const char *authorization = MHD_lookup_connection_value(c->mhd, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);
	const struct peer peer = peer_of(c->mhd);
	enum http_verdict verdict = HTTP_UNAUTHORIZED;
	struct http_basic basic;

	if (http_basic_parse(authorization, &basic))
		verdict = verdicts[http_auth_check(guard->auth, basic.user, basic.password, peer.bytes, peer.n, on_judged, c)];
	explicit_bzero(&basic, sizeof basic);
	return verdict;
}

/* ---- both */

int http_guard_use(struct http_guard *guard, sd_event *event, const struct web_config *config)
{
	int r = 0;

	if (config->n_users && !guard->auth)
		r = http_auth_new(event, &guard->auth);
	if (!r && guard->auth)
		r = http_auth_set_users(guard->auth, config);
	if (r < 0)
		return r;
	guard->has_users = config->n_users;
	use_rate(guard, config);
	return 0;
}

void http_guard_clear(struct http_guard *guard)
{
	http_auth_free(guard->auth);
	*guard = (struct http_guard){ 0 };
}

void http_guard_judge(struct http_guard *guard, struct http_connection *c)
{
	if (guard->interval_us && !is_in_time(guard, clock_monotonic_us()))
		c->verdict = HTTP_TOO_OFTEN;
	else
		c->verdict = guard->has_users ? judge_password(guard, c) : HTTP_LET_IN;
}

void http_guard_forget(struct http_guard *guard, struct http_connection *c)
{
	if (c->verdict == HTTP_WAITING)
		http_auth_cancel(guard->auth, c);
	c->verdict = HTTP_UNJUDGED;
}

void http_guard_settle(struct http_guard *guard)
{
	if (guard->auth)
		http_auth_settle(guard->auth);
}
