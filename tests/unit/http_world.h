/* For the tests of http/: a real server on a free port, and clients that say what they like, all on one loop. */
#pragma once

#include "unit.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "http/server.h"

enum { ANSWER_MAX = 64 << 20 };

struct world {
	sd_event *event;
	struct http_server *server;
	unsigned port;
	char body[64];			/* of /metrics */
	size_t n_bodies;		/* that many times */
	bool is_truncated, is_ready;
	int n_scrapes;
};

#define ADDRESSES(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define REQUEST(line) line " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
#define KEPT_REQUEST(line) line " HTTP/1.1\r\nHost: x\r\n\r\n"

/* cmocka's fixtures: a loop without a server, and with one at 127.0.0.1. */
int start_world(void **state);
int start_served_world(void **state);
int end_world(void **state);
#define served(test) cmocka_unit_test_setup_teardown(test, start_served_world, end_world)
#define unserved(test) cmocka_unit_test_setup_teardown(test, start_world, end_world)

int start_at(struct world *, const char *const *addresses, const char *path, struct text *error);
int serve_as(struct world *, const struct http_options *, struct text *error);
void stop(struct world *);

/* A socket that does not block, or a negative errno. */
int connect_to(const char *host, unsigned port);

/* Sends while the server runs; false where it hung up before the end. */
bool send_all(struct world *, int fd, const void *bytes, size_t n);
bool send_text(struct world *, int fd, const char *text);

/* Reads until the server hangs up, or `enough` stands in the answer where that is not NULL. False: too long a wait. */
bool receive(struct world *, int fd, struct text *answer, const char *enough);

/* One connection, these bytes, all that comes back. */
void talk_bytes(struct world *, const void *request, size_t n, struct text *answer);
void talk(struct world *, const char *request, struct text *answer);

const char *body_of(const struct text *answer);
void assert_status(const struct text *answer, int status);
void assert_header(const struct text *answer, const char *header);	/* "Name: value" */
