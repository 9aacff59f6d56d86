/* All connections of a server, by what they are at, and how long they may be at it. libmicrohttpd's own time-out begins anew
 * with every byte, so a client that sends one now and then would stay for ever. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum http_stage {
	HTTP_HEAD,		/* new: TLS is agreed on, and the head of its first request read */
	HTTP_ANSWER,		/* its answer is made and sent */
	HTTP_IDLE,		/* it was answered, and may ask again */
	N_HTTP_STAGES,
	HTTP_LEAVING = N_HTTP_STAGES	/* shut down; libmicrohttpd has not closed it yet */
};

struct http_connection {
	struct http_connection *next, *previous;	/* of its stage */
	enum http_stage stage;
	int fd;				/* libmicrohttpd's */
	uint64_t since_us;		/* of CLOCK_MONOTONIC: when its stage began */
};

/* In each stage those that came first are first. */
struct http_crowd {
	struct http_queue {
		struct http_connection *first, *last;
		size_t n;
	} stages[N_HTTP_STAGES];
	size_t n_leaving;
};

/* How long a stage may take, in microseconds. An idle one outlasts the usual pauses between scrapes. */
extern const uint64_t http_stage_us[N_HTTP_STAGES];

/* NULL: no memory. */
struct http_connection *http_crowd_add(struct http_crowd *, int fd, uint64_t now_us);
void http_crowd_remove(struct http_crowd *, struct http_connection *);	/* frees it; NULL does nothing */
/* Nothing where it is at that already, or leaving. */
void http_crowd_move(struct http_crowd *, struct http_connection *, enum http_stage, uint64_t now_us);

/* Shuts down whose time is over. Returns how many. */
size_t http_crowd_expire(struct http_crowd *, uint64_t now_us);
/* When the next one's time is over; UINT64_MAX: there is none. */
uint64_t http_crowd_next_us(const struct http_crowd *);
/* Shuts down one that waits for nothing of ours: the oldest that has not asked yet, else the one that is idle for longest. False:
 * there is none. */
bool http_crowd_give_way(struct http_crowd *);

size_t http_crowd_size(const struct http_crowd *);
/* Those whose request is under way or still to come. */
size_t http_crowd_busy(const struct http_crowd *);
