#include "http/crowd.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <sys/socket.h>

const uint64_t http_stage_us[N_HTTP_STAGES] = {
	[HTTP_HEAD] = 10000000,
	[HTTP_ANSWER] = 60000000,
	[HTTP_IDLE] = 150000000,
};

static void append(struct http_crowd *crowd, struct http_connection *c, enum http_stage stage)
{
	struct http_queue *q = &crowd->stages[stage];

	c->stage = stage;
	c->next = NULL;
	c->previous = q->last;
	*(q->last ? &q->last->next : &q->first) = c;
	q->last = c;
	q->n++;
}

static void take_out(struct http_crowd *crowd, struct http_connection *c)
{
	struct http_queue *q = &crowd->stages[c->stage];

	*(c->previous ? &c->previous->next : &q->first) = c->next;
	*(c->next ? &c->next->previous : &q->last) = c->previous;
	q->n--;
}

struct http_connection *http_crowd_add(struct http_crowd *crowd, struct MHD_Connection *mhd, int fd, uint64_t now_us)
{
	struct http_connection *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->crowd = crowd;
	c->mhd = mhd;
	c->fd = fd;
	c->since_us = now_us;
	append(crowd, c, HTTP_HEAD);
	return c;
}

void http_crowd_remove(struct http_crowd *crowd, struct http_connection *c)
{
	if (!c)
		return;
	if (c->stage == HTTP_LEAVING)
		crowd->n_leaving--;
	else
		take_out(crowd, c);
	if (c->is_suspended)
		crowd->n_suspended--;
}

void http_crowd_move(struct http_crowd *crowd, struct http_connection *c, enum http_stage stage, uint64_t now_us)
{
	if (c->stage == HTTP_LEAVING || c->stage == stage)
		return;
	take_out(crowd, c);
	c->since_us = now_us;
	append(crowd, c, stage);
}

void http_crowd_suspend(struct http_connection *c)
{
	c->is_suspended = true;
	c->crowd->n_suspended++;
	MHD_suspend_connection(c->mhd);
}

void http_crowd_resume(struct http_connection *c)
{
	if (!c->is_suspended)
		return;
	c->is_suspended = false;
	c->crowd->n_suspended--;
	MHD_resume_connection(c->mhd);
	c->crowd->has_resumed(c->crowd->context);
}

void http_crowd_resume_all(struct http_crowd *crowd)
{
	for (struct http_connection *c = crowd->stages[HTTP_ANSWER].first; c; c = c->next)
		http_crowd_resume(c);
}

/* libmicrohttpd reads its end, and closes it. */
static void shut_down(struct http_crowd *crowd, struct http_connection *c)
{
	take_out(crowd, c);
	c->stage = HTTP_LEAVING;
	crowd->n_leaving++;
	(void)shutdown(c->fd, SHUT_RDWR);
	http_crowd_resume(c);
}

size_t http_crowd_expire(struct http_crowd *crowd, uint64_t now_us)
{
	size_t n = 0;

	for (enum http_stage s = 0; s < N_HTTP_STAGES; s++)
		for (struct http_connection *c; (c = crowd->stages[s].first) && now_us - c->since_us >= http_stage_us[s]; n++)
			shut_down(crowd, c);
	return n;
}

uint64_t http_crowd_next_us(const struct http_crowd *crowd)
{
	uint64_t next = UINT64_MAX;

	for (enum http_stage s = 0; s < N_HTTP_STAGES; s++) {
		const struct http_connection *c = crowd->stages[s].first;

		if (c && c->since_us + http_stage_us[s] < next)
			next = c->since_us + http_stage_us[s];
	}
	return next;
}

bool http_crowd_give_way(struct http_crowd *crowd)
{
	const struct http_queue *head = &crowd->stages[HTTP_HEAD], *idle = &crowd->stages[HTTP_IDLE];
	struct http_connection *c = head->n >= idle->n ? head->first : idle->first;

	if (c)
		shut_down(crowd, c);
	return c;
}

bool http_crowd_cut_answer(struct http_crowd *crowd, uint64_t now_us)
{
	enum { LONG_US = 1000000 };
	struct http_connection *c = crowd->stages[HTTP_ANSWER].first;

	while (c && c->is_suspended)		/* waits for us */
		c = c->next;
	if (!c || now_us - c->since_us < LONG_US)
		return false;
	shut_down(crowd, c);
	return true;
}

size_t http_crowd_answered(const struct http_crowd *crowd)
{
	return crowd->stages[HTTP_ANSWER].n - crowd->n_suspended;
}

size_t http_crowd_busy(const struct http_crowd *crowd)
{
	return crowd->stages[HTTP_HEAD].n + crowd->stages[HTTP_ANSWER].n;
}

size_t http_crowd_size(const struct http_crowd *crowd)
{
	return http_crowd_busy(crowd) + crowd->stages[HTTP_IDLE].n + crowd->n_leaving;
}
