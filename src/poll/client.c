#include "poll/client.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/pids.h"
#include "base/text.h"
#include "poll/starter.h"

enum {
	PROGRAMS_MAX = 8,		/* that were told to end and have not: more are not started */
	RETRY_FIRST_MS = 250, RETRY_LAST_MS = 30000,
	TURN_US = 5000,			/* of reading messages; then the loop sees to the scrapes */
};

struct pending {
	uint64_t id;
	void *tag;
};

struct probe_client {
	sd_event *event;
	struct probe_client_options options;
	struct probe_client_events events;
	int fd;
	pid_t pids[PROGRAMS_MAX];	/* of the programs we started, the last one last; those that ended are taken out */
	size_t n_pids;
	bool has_hello;
	uint64_t generation;
	uint64_t next_id;
	uint64_t last_heard_us;
	unsigned failures;
	struct pending *pending;
	size_t n_pending, room_pending;
	sd_event_source *io, *heartbeat, *retry;
	struct probe_client_drops drops;
	uint8_t message[WIRE_MESSAGE_MAX];
	char text[WIRE_MESSAGE_MAX];
};

static uint64_t now_us(struct probe_client *c)
{
	uint64_t now = 0;

	(void)sd_event_now(c->event, CLOCK_MONOTONIC, &now);
	return now;
}

static int on_retry(sd_event_source *source, uint64_t usec, void *userdata);
static int on_message(sd_event_source *source, int fd, uint32_t revents, void *userdata);
static int on_heartbeat(sd_event_source *source, uint64_t usec, void *userdata);

static int arm(struct probe_client *c, sd_event_source **timer, unsigned in_ms, sd_event_time_handler_t handler)
{
	*timer = sd_event_source_unref(*timer);
	return sd_event_add_time_relative(c->event, timer, CLOCK_MONOTONIC, (uint64_t)in_ms * 1000, 10000, handler, c);
}

static void fail_pending(struct probe_client *c)
{
	while (c->n_pending) {
		void *tag = c->pending[--c->n_pending].tag;
		struct wire_reply lost = { .verdict = WIRE_CHILD_DIED, .fail = fail_os(ECONNRESET, "prober") };

		c->events.reply(c->events.context, tag, &lost);
	}
}

static void reap(struct probe_client *c)
{
	c->n_pids = pids_reap(c->pids, c->n_pids);
}

static void tell_to_end(struct probe_client *c)
{
	if (c->options.starter)
		starter_end_programs(c->options.starter);
	reap(c);
	for (size_t i = 0; i < c->n_pids; i++)
		kill(c->pids[i], SIGTERM);
	reap(c);
}

static void drop_connection(struct probe_client *c, const char *why)
{
	bool was_up = c->has_hello;
	unsigned pause = RETRY_FIRST_MS << (c->failures < 7 ? c->failures : 7);

	c->io = sd_event_source_unref(c->io);
	c->heartbeat = sd_event_source_unref(c->heartbeat);
	fd_closep(&c->fd);
	c->has_hello = false;
	c->failures++;
	if (was_up || c->failures == 1)
		log_warn("%s: %s", c->options.program ? c->options.program : c->options.socket_path, why);
	tell_to_end(c);
	fail_pending(c);
	if (was_up)
		c->events.lost(c->events.context);
	else
		c->events.failed(c->events.context);
	(void)arm(c, &c->retry, pause < RETRY_LAST_MS ? pause : RETRY_LAST_MS, on_retry);
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	AUTO_FD fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (strlen(path) >= sizeof address.sun_path)
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	if (connect(fd, (struct sockaddr *)&address, sizeof address))
		return -errno;
	return fd_steal(&fd);
}

/* With that as its end of the socketpair. */
static int fork_program(struct probe_client *c, int fd)
{
	pid_t pid;

	if (c->n_pids == PROGRAMS_MAX)
		return -EAGAIN;
	pid = fork();
	if (pid == 0)
		starter_exec(&c->options, fd);
	if (pid < 0)
		return -errno;
	c->pids[c->n_pids++] = pid;
	return 0;
}

static int start_program(struct probe_client *c)
{
	int ends[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends))
		return -errno;
	r = c->options.starter ? starter_start(c->options.starter, ends[1]) : fork_program(c, ends[1]);
	close(ends[1]);
	if (r < 0) {
		close(ends[0]);
		return r;
	}
	return ends[0];
}

static int open_connection(struct probe_client *c)
{
	int fd = c->options.program ? start_program(c) : connect_to(c->options.socket_path), r;

	if (fd < 0)
		return fd;
	c->fd = fd;
	c->last_heard_us = now_us(c);
	(void)arm(c, &c->heartbeat, WIRE_HEARTBEAT_MS, on_heartbeat);	/* who never says hello is noticed too */
	r = sd_event_add_io(c->event, &c->io, fd, EPOLLIN, on_message, c);

	/* Whoever scrapes comes first: decoding many answers must not keep him waiting. */
	return r < 0 ? r : sd_event_source_set_priority(c->io, SD_EVENT_PRIORITY_NORMAL + 1);
}

static int on_retry(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct probe_client *c = userdata;
	int r;

	reap(c);
	r = open_connection(c);
	if (r < 0)
		drop_connection(c, strerror(-r));
	return 0;
}

static int on_heartbeat(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct probe_client *c = userdata;
	uint8_t beat[64];

	if (now_us(c) - c->last_heard_us > WIRE_SILENCE_MS * 1000ull) {
		drop_connection(c, "no sign of life");
		return 0;
	}
	if (c->has_hello)
		(void)wire_send(c->fd, beat, wire_put_empty(beat, WIRE_HEARTBEAT));
	(void)arm(c, &c->heartbeat, WIRE_HEARTBEAT_MS, on_heartbeat);
	return 0;
}

static void take_hello(struct probe_client *c, struct bytes in)
{
	struct wire_hello theirs, ours = { .version = WIRE_VERSION, .vocabulary = wire_vocabulary() };
	uint8_t out[256];

	if (wire_get_hello(in, &theirs) || c->has_hello) {
		drop_connection(c, "sent a bad hello");
		return;
	}
	if (theirs.version != ours.version || theirs.vocabulary != ours.vocabulary) {
		drop_connection(c, "is of another version than this exporter");
		return;
	}
	c->generation = ours.generation = theirs.generation;
	if (wire_send(c->fd, out, wire_put_hello(out, &ours))) {
		drop_connection(c, "does not take our hello");
		return;
	}
	c->has_hello = true;
	c->failures = 0;
	(void)arm(c, &c->heartbeat, WIRE_HEARTBEAT_MS, on_heartbeat);
	c->events.ready(c->events.context);
}

static void take_reply(struct probe_client *c, struct bytes in)
{
	struct wire_reply reply;

	if (wire_get_reply(in, &reply)) {
		drop_connection(c, "sent a bad reply");
		return;
	}
	if (reply.generation != c->generation) {
		c->drops.generation++;
		return;
	}
	for (size_t i = 0; i < c->n_pending; i++)
		if (c->pending[i].id == reply.id) {
			void *tag = c->pending[i].tag;

			c->pending[i] = c->pending[--c->n_pending];
			c->events.reply(c->events.context, tag, &reply);
			return;
		}
	c->drops.unknown++;
}

static void take_message(struct probe_client *c, size_t n)
{
	struct bytes in = bytes_of(c->message, n);
	enum wire_type type;

	if (wire_get_type(in, &type)) {
		drop_connection(c, "sent what is no message");
		return;
	}
	c->last_heard_us = now_us(c);
	if (!c->has_hello && type != WIRE_HELLO && type != WIRE_REFUSED) {
		drop_connection(c, "spoke before its hello");
		return;
	}
	switch (type) {
	case WIRE_HELLO:
		take_hello(c, in);
		return;
	case WIRE_REPLY:
		take_reply(c, in);
		return;
	case WIRE_HEARTBEAT:
		return;
	case WIRE_INVENTORY:
		if (!wire_get_text(in, c->text, sizeof c->text))
			c->events.inventory(c->events.context, c->text);
		return;
	case WIRE_INVENTORY_END:
		c->events.inventory_end(c->events.context);
		return;
	case WIRE_REFUSED:
		if (wire_get_text(in, c->text, sizeof c->text))
			c->text[0] = 0;
		if (!c->failures)
			log_warn("the prober refuses us: %s", c->text);
		drop_connection(c, "refused");
		return;
	case WIRE_REQUEST:
		break;
	}
	drop_connection(c, "sent a message that is not its to send");
}

static int on_message(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct probe_client *c = userdata;

	uint64_t end = clock_monotonic_us() + TURN_US;	/* sd_event_now() stands still within a turn of the loop */

	do {
		ssize_t n = wire_receive(fd, c->message);

		if (n == -EAGAIN || n == -EINTR)
			break;
		if (n <= 0)
			drop_connection(c, n ? strerror((int)-n) : "ended");
		else
			take_message(c, (size_t)n);
	} while (c->fd == fd && clock_monotonic_us() < end);
	return 0;
}

int probe_client_new(sd_event *event, const struct probe_client_options *options,
		     const struct probe_client_events *events, struct probe_client **ret)
{
	struct probe_client *c = calloc(1, sizeof *c);
	int r;

	if (!c)
		return -ENOMEM;
	c->event = sd_event_ref(event);
	c->options = *options;
	c->events = *events;
	c->fd = -1;
	r = arm(c, &c->retry, 0, on_retry);
	if (r < 0) {
		probe_client_free(c);
		return r;
	}
	*ret = c;
	return 0;
}

void probe_client_free(struct probe_client *c)
{
	if (!c)
		return;
	sd_event_source_unref(c->io);
	sd_event_source_unref(c->heartbeat);
	sd_event_source_unref(c->retry);
	fd_closep(&c->fd);		/* the program ends with it */
	tell_to_end(c);
	free(c->pending);
	sd_event_unref(c->event);
	free(c);
}

bool probe_client_is_up(const struct probe_client *c)
{
	return c->has_hello;
}

unsigned probe_client_failures(const struct probe_client *c)
{
	return c->failures;
}

int probe_client_request(struct probe_client *c, struct wire_request *request, void *tag)
{
	uint8_t out[512];
	int r;

	if (!c->has_hello)
		return -ENOTCONN;
	if (!ARRAY_GROW(c->pending, c->room_pending, c->n_pending))
		return -ENOMEM;
	request->id = ++c->next_id;
	r = wire_send(c->fd, out, wire_put_request(out, request));
	if (r)
		return r;
	c->pending[c->n_pending++] = (struct pending){ .id = request->id, .tag = tag };
	return 0;
}

void probe_client_forget(struct probe_client *c, void *tag)
{
	for (size_t i = 0; i < c->n_pending;)
		if (c->pending[i].tag == tag)
			c->pending[i] = c->pending[--c->n_pending];
		else
			i++;
}

struct probe_client_drops probe_client_dropped(const struct probe_client *c)
{
	return c->drops;
}
