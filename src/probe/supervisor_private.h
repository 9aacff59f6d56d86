/* What the two files of the supervisor share: supervisor.c has the loop and the client, children.c the processes that ask. */
#pragma once

#include "probe/client.h"
#include "probe/supervisor.h"

enum { CHILD_IDLE_MS = 5 * 60 * 1000 };	/* then its memory is worth more than the next fork */

/* What epoll hands back: whose descriptor it is. */
enum watch { WATCH_SIGNALS, WATCH_LISTEN, WATCH_CLIENT, WATCH_CHILD };

struct child {
	enum watch watch;		/* first: epoll's pointer leads here */
	int fd;				/* -1: to be forgotten */
	char name[NODE_NAME_MAX];
	bool is_asking;
	uint64_t request_id, client_serial;
	int64_t started_us;		/* of the command under way */
	uint64_t monotonic_us;
	int64_t idle_since_ms;
};

struct supervisor {
	const struct supervisor_options *options;
	const struct prober_answerer *answerer;
	int epoll_fd, signal_fd;
	uint64_t generation;
	struct client client;
	bool has_turned_away;		/* since this client came: told once */
	bool client_has_room_watch;	/* epoll tells when its socket takes data */
	int64_t tell_due_ms;		/* -1: never */
	int64_t notify_due_ms;		/* -1: never */
	struct child **children;
	size_t n_children, room;
	bool is_ending;
	int status;
	uint8_t *message;		/* WIRE_MESSAGE_MAX */
};

int watch_fd(struct supervisor *, int operation, int fd, uint32_t events, const enum watch *whose);
void unwatch_fd(struct supervisor *, int fd);

/* ---- children.c */

/* NULL: there is none for that node. */
struct child *child_find(struct supervisor *, const char *name);
/* 0 or a negative errno. */
int child_start(struct supervisor *, const char *name, struct child **ret);
/* 0, or a negative errno of the socket to the child. */
int child_ask(struct supervisor *, struct child *, const struct wire_request *);
/* Its end of file, where it still lives; freed by children_sweep(). */
void child_forget(struct supervisor *, struct child *);
/* Forgets those that were idle for long, and frees those that were forgotten. */
void children_sweep(struct supervisor *, int64_t now_ms);
void children_free(struct supervisor *);
