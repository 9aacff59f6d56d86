/* All connections of a server, by what they are at, and how long they may be at it. libmicrohttpd's own time-out begins anew
 * with every byte, so a client that sends one now and then would stay for ever. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct MHD_Connection;

enum http_stage {
	HTTP_HEAD,		/* TLS is agreed on, and a request read, with its body: the first, or one that has a body */
	HTTP_ANSWER,		/* its answer is made and sent */
	HTTP_IDLE,		/* it was answered, and may ask again */
	N_HTTP_STAGES,
	HTTP_LEAVING = N_HTTP_STAGES	/* shut down; libmicrohttpd has not closed it yet */
};

/* Whether the request that is under way is let in (guard.h). */
enum http_verdict {
	HTTP_UNJUDGED,
	HTTP_WAITING,			/* for its password to be looked at */
	HTTP_LET_IN,
	HTTP_TOO_OFTEN,			/* rate_limit */
	HTTP_TOO_MANY_TRIES,		/* of passwords */
	HTTP_UNAUTHORIZED
};

struct http_connection {
	struct http_connection *next, *previous;	/* of its stage */
	struct http_crowd *crowd;
	enum http_stage stage;
	int fd;				/* libmicrohttpd's */
	uint64_t since_us;		/* of CLOCK_MONOTONIC: when its stage began */
	struct MHD_Connection *mhd;
	struct http_tls *tls;		/* a reference; NULL: plain HTTP */
	enum http_verdict verdict;
	bool is_suspended;		/* libmicrohttpd does not look at it until it is resumed */
};

/* In each stage those that came first are first. */
struct http_crowd {
	struct http_queue {
		struct http_connection *first, *last;
		size_t n;
	} stages[N_HTTP_STAGES];
	size_t n_leaving, n_suspended;
	uint64_t tls_bytes;		/* that have come and gone (transport.h) */
	void (*has_resumed)(void *context);	/* libmicrohttpd is to be run soon */
	void *context;
};

/* How long a stage may take, in microseconds. An idle one outlasts the usual pauses between scrapes. */
extern const uint64_t http_stage_us[N_HTTP_STAGES];

/* NULL: no memory. */
struct http_connection *http_crowd_add(struct http_crowd *, struct MHD_Connection *, int fd, uint64_t now_us);
void http_crowd_remove(struct http_crowd *, struct http_connection *);	/* the caller frees it; NULL does nothing */
/* Nothing where it is at that already, or leaving. */
void http_crowd_move(struct http_crowd *, struct http_connection *, enum http_stage, uint64_t now_us);

/* Within its request's handler, which then returns: it is called again when the connection is resumed. */
void http_crowd_suspend(struct http_connection *);
void http_crowd_resume(struct http_connection *);	/* nothing where it is not suspended */
void http_crowd_resume_all(struct http_crowd *);

/* Shuts down whose time is over. Returns how many. */
size_t http_crowd_expire(struct http_crowd *, uint64_t now_us);
/* When the next one's time is over; UINT64_MAX: there is none. */
uint64_t http_crowd_next_us(const struct http_crowd *);
/* Shuts down one that waits for nothing of ours: the oldest that has not asked yet or, where more are idle, the one that is for
 * longest. So neither crowd drives out who is of the other. False: there is none. */
bool http_crowd_give_way(struct http_crowd *);
/* Shuts down who has been taking his answer for longest, if that is a second at least, when others cannot be answered for him.
 * False: nobody has. */
bool http_crowd_cut_answer(struct http_crowd *, uint64_t now_us);

size_t http_crowd_size(const struct http_crowd *);
/* Those whose answer is made or sent; who is suspended is not. */
size_t http_crowd_answered(const struct http_crowd *);
/* Those whose request is under way or still to come. */
size_t http_crowd_busy(const struct http_crowd *);
