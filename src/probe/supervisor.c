/* Takes requests from one client and hands each to the child of its node. Touches no device and waits for nobody:
 * a child may sleep in the kernel for ever. */
#include "probe/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "probe/notify.h"
#include "probe/supervisor_private.h"

enum {
	EVENTS_AT_ONCE = 32,
	NOTIFY_EVERY_MS = 5000,
	LATE_MS = 5000,			/* a child that asks for longer counts as one that does not answer */
	MESSAGES_AT_ONCE = 64,		/* of the client, before the children have their turn again */
};

static const enum watch watch_signals = WATCH_SIGNALS, watch_listen = WATCH_LISTEN, watch_client = WATCH_CLIENT;

static int64_t now_ms(void)
{
	return (int64_t)(clock_monotonic_us() / 1000);
}

int watch_fd(struct supervisor *s, int operation, int fd, uint32_t events, const enum watch *whose)
{
	struct epoll_event event = { .events = events, .data.ptr = (void *)whose };

	return epoll_ctl(s->epoll_fd, operation, fd, &event) ? -errno : 0;
}

void unwatch_fd(struct supervisor *s, int fd)
{
	if (fd >= 0)
		epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

/* ---- to the client */

static void reply_send(struct supervisor *s, const struct wire_reply *reply)
{
	uint8_t small[256];	/* no bytes of a drive in these */

	client_send(&s->client, small, wire_put_reply(small, reply));
}

static void refuse_request(struct supervisor *s, uint64_t id, const char *why)
{
	struct wire_reply reply = { .id = id, .generation = s->generation, .verdict = WIRE_NOT_ALLOWED,
				    .fail = fail_os(EINVAL, "request") };

	log_debug("a request is refused: %s", why);
	reply_send(s, &reply);
}

static void tell_send(void *to, const uint8_t *message, size_t n)
{
	struct supervisor *s = to;

	client_send(&s->client, message, n);
}

static void tell(struct supervisor *s, bool is_first)
{
	const struct prober_answerer *a = s->answerer;
	int wait;

	s->tell_due_ms = -1;
	if (!a->tell)
		return;
	a->tell(a->context, is_first, tell_send, s);
	wait = a->next_event_ms ? a->next_event_ms(a->context) : -1;
	if (wait >= 0)
		s->tell_due_ms = now_ms() + wait;
}

/* ---- children */

/* It was killed or crashed. Its request, if any, is answered; the next one gets a new child. */
static void child_died(struct supervisor *s, struct child *c)
{
	struct wire_reply reply = { .id = c->request_id, .generation = s->generation, .verdict = WIRE_CHILD_DIED,
				    .started_us = c->started_us, .fail = fail_os(ECHILD, "child") };

	if (c->is_asking) {
		log_warn("the child for %s died while it asked", c->name);
		reply.duration_us = clock_monotonic_us() - c->monotonic_us;
		if (c->client_serial == s->client.serial)
			reply_send(s, &reply);
	}
	child_forget(s, c);
}

static void child_ready(struct supervisor *s, struct child *c)
{
	ssize_t n = wire_receive(c->fd, s->message);
	struct wire_reply reply;

	if (n == -EAGAIN)
		return;
	if (n <= 0 || !c->is_asking || wire_get_reply(bytes_of(s->message, (size_t)n), &reply) ||
	    reply.id != c->request_id) {
		child_died(s, c);
		return;
	}
	c->is_asking = false;
	c->idle_since_ms = now_ms();
	if (c->client_serial == s->client.serial)	/* the one that asked, not its successor */
		client_send(&s->client, s->message, (size_t)n);
}

/* ---- what the client says */

/* A child's name becomes a file's: whatever the answerer says, it stays in its folder. */
static bool child_name_is_valid(const char *name)
{
	size_t n = strnlen(name, NODE_NAME_MAX);

	return n && n < NODE_NAME_MAX && name[0] != '.' && !memchr(name, '/', n);
}

static void request_give(struct supervisor *s, const struct wire_request *request, const char *name)
{
	struct wire_reply reply = { .id = request->id, .generation = s->generation };
	struct child *c = child_find(s, name);
	int r;

	if (c && c->is_asking) {
		reply.verdict = WIRE_BUSY;
		reply.busy_since_us = c->started_us;
		reply_send(s, &reply);
		return;
	}
	if (c && child_ask(s, c, request)) {	/* it died since; a new one may live */
		child_forget(s, c);
		c = NULL;
	} else if (c) {
		return;
	}
	r = child_start(s, name, &c);
	if (!r)
		r = child_ask(s, c, request);
	if (r < 0) {
		reply.fail = fail_os(-r, "child");
		reply_send(s, &reply);
	}
}

/* The id of a request that is otherwise unreadable, so that its sender learns which one; 0 where even that is missing. */
static uint64_t broken_request_id(struct bytes in)
{
	bytes_skip(&in, 1);
	return bytes_le(&in, 8);
}

static void take_request(struct supervisor *s, struct bytes in)
{
	const struct prober_answerer *a = s->answerer;
	char name[NODE_NAME_MAX] = "";
	struct wire_request request;
	const char *why = NULL;

	if (wire_get_request(in, &request))
		refuse_request(s, broken_request_id(in), "it has not the form of one");
	else if (!s->client.is_greeted)
		refuse_request(s, request.id, "hello comes first");
	else if (!node_name_is_valid(request.node))
		refuse_request(s, request.id, "no block or NVMe device has such a name");
	else if (!command_is_allowed(&request.command, &why))
		refuse_request(s, request.id, why);
	else if (a->child_for(a->context, &request, name) || !child_name_is_valid(name))
		refuse_request(s, request.id, "nobody can ask that of this node");
	else
		request_give(s, &request, name);
}

static void refuse_client(struct supervisor *s, const char *why)
{
	client_send(&s->client, s->message, wire_put_text(s->message, WIRE_REFUSED, why));
	if (!s->client.broken)
		s->client.broken = "it speaks another language";
}

static void take_hello(struct supervisor *s, struct bytes in)
{
	struct wire_hello hello;

	if (wire_get_hello(in, &hello) || hello.version != WIRE_VERSION || hello.vocabulary != wire_vocabulary()) {
		refuse_client(s, "this prober is of another version than the exporter: install both from one build");
		return;
	}
	if (s->client.is_greeted)
		return;
	s->client.is_greeted = true;
	tell(s, true);
}

static void take_message(struct supervisor *s, struct bytes in)
{
	enum wire_type type;

	s->client.heard_ms = now_ms();
	if (wire_get_type(in, &type))
		refuse_request(s, 0, "a message of no known kind");
	else if (type == WIRE_HELLO)
		take_hello(s, in);
	else if (type == WIRE_REQUEST)
		take_request(s, in);
	else if (type != WIRE_HEARTBEAT)
		refuse_request(s, 0, "a message that only a prober sends");
}

static void client_ready(struct supervisor *s, uint32_t events)
{
	if (events & EPOLLOUT)
		client_flush(&s->client);
	if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		return;
	for (int i = 0; i < MESSAGES_AT_ONCE && !s->client.broken; i++) {
		ssize_t n = wire_receive(s->client.fd, s->message);

		if (n == -EAGAIN)
			return;
		if (n == -EMSGSIZE)
			refuse_request(s, 0, "a message longer than any");
		else if (n <= 0)
			s->client.broken = "it is gone";
		else
			take_message(s, bytes_of(s->message, (size_t)n));
	}
}

/* ---- clients come and go */

static void say_hello(struct supervisor *s)
{
	struct wire_hello hello = { .version = WIRE_VERSION, .vocabulary = wire_vocabulary(),
				    .generation = s->generation, .is_replay = s->answerer->is_replay };
	uint8_t message[64];

	client_send(&s->client, message, wire_put_hello(message, &hello));
}

static int take_client(struct supervisor *s, int fd)
{
	client_open(&s->client, fd, now_ms());
	s->has_turned_away = false;
	s->client_has_room_watch = false;
	s->tell_due_ms = -1;
	say_hello(s);
	return watch_fd(s, EPOLL_CTL_ADD, fd, EPOLLIN, &watch_client);
}

static void drop_client(struct supervisor *s)
{
	bool was_the_only_one = s->client.fd == s->options->client_fd;

	if (strcmp(s->client.broken, "it is gone")) {
		log_warn("the client is dropped: %s", s->client.broken);
		if (was_the_only_one)
			s->status = EXIT_FAILURE;
	}
	unwatch_fd(s, s->client.fd);
	client_close(&s->client);
	s->tell_due_ms = -1;
	if (was_the_only_one)
		s->is_ending = true;
}

static void turn_away(struct supervisor *s, int fd)
{
	static const char why[] = "another exporter is served already: stop it, or give this one a prober of its own";

	if (!s->has_turned_away)
		log_warn("a second client is refused");
	s->has_turned_away = true;
	wire_send(fd, s->message, wire_put_text(s->message, WIRE_REFUSED, why));
	while (wire_receive(fd, s->message) > 0)
		;	/* unread messages would turn our close into a reset, which hides the reason */
	close(fd);
}

static void listen_ready(struct supervisor *s)
{
	int fd = accept4(s->options->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	if (s->client.fd >= 0) {
		turn_away(s, fd);
	} else if (take_client(s, fd)) {
		s->client.broken = "it can't be watched";
	}
}

/* ---- to systemd */

static void notify_tick(struct supervisor *s, int64_t now)
{
	uint64_t alive_ms = notify_alive_ms();
	size_t n_asked = 0, n_late = 0;
	char status[128];

	for (size_t i = 0; i < s->n_children; i++) {
		const struct child *c = s->children[i];

		n_asked += c->fd >= 0;
		n_late += c->fd >= 0 && c->is_asking && now - (int64_t)(c->monotonic_us / 1000) >= LATE_MS;
	}
	snprintf(status, sizeof status, "%s; %zu devices asked, %zu not answering", s->client.fd < 0 ? "no client" : "client connected",
		 n_asked, n_late);
	notify_alive();
	notify_status(status);
	s->notify_due_ms = now + (int64_t)(alive_ms && alive_ms < NOTIFY_EVERY_MS ? alive_ms : NOTIFY_EVERY_MS);
}

/* ---- the loop */

static void earlier(int64_t *wait, int64_t other)
{
	if (other < 0)
		other = 0;
	if (*wait < 0 || other < *wait)
		*wait = other;
}

static int wait_ms(const struct supervisor *s, int64_t now)
{
	int64_t wait = -1;

	if (s->client.fd >= 0)
		earlier(&wait, client_due_ms(&s->client, now));
	if (s->tell_due_ms >= 0)
		earlier(&wait, s->tell_due_ms - now);
	if (s->notify_due_ms >= 0)
		earlier(&wait, s->notify_due_ms - now);
	if (s->n_children && !s->answerer->is_replay)
		earlier(&wait, CHILD_IDLE_MS / 10);
	return (int)wait;
}

static void event_take(struct supervisor *s, const struct epoll_event *event)
{
	const enum watch *whose = event->data.ptr;
	struct child *c;

	switch (*whose) {
	case WATCH_SIGNALS:
		s->is_ending = true;
		break;
	case WATCH_LISTEN:
		listen_ready(s);
		break;
	case WATCH_CLIENT:
		if (s->client.fd >= 0)
			client_ready(s, event->events);
		break;
	case WATCH_CHILD:
		c = event->data.ptr;
		if (c->fd >= 0)
			child_ready(s, c);
		break;
	}
}

static void after_events(struct supervisor *s)
{
	int64_t now = now_ms();
	bool is_waiting;

	if (s->tell_due_ms >= 0 && s->tell_due_ms <= now)
		tell(s, false);
	if (s->notify_due_ms >= 0 && s->notify_due_ms <= now)
		notify_tick(s, now);
	if (s->client.fd >= 0 && !s->client.broken)
		client_tick(&s->client, now);
	if (s->client.fd >= 0 && s->client.broken)
		drop_client(s);
	is_waiting = client_is_waiting(&s->client);
	if (s->client.fd >= 0 && is_waiting != s->client_has_room_watch) {
		s->client_has_room_watch = is_waiting;
		watch_fd(s, EPOLL_CTL_MOD, s->client.fd, EPOLLIN | (is_waiting ? EPOLLOUT : 0u), &watch_client);
	}
	children_sweep(s, now);
}

static int loop(struct supervisor *s)
{
	struct epoll_event events[EVENTS_AT_ONCE];

	while (!s->is_ending) {
		int n = epoll_wait(s->epoll_fd, events, EVENTS_AT_ONCE, wait_ms(s, now_ms()));

		if (n < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; i < n; i++)
			event_take(s, &events[i]);
		after_events(s);
	}
	return 0;
}

static int set_up(struct supervisor *s)
{
	sigset_t ending;
	int r = 0;

	sigemptyset(&ending);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGINT);
	sigprocmask(SIG_BLOCK, &ending, NULL);
	signal(SIGCHLD, SIG_IGN);	/* children are reaped by the kernel: one in state D is waited for by nobody */
	if (getrandom(&s->generation, sizeof s->generation, 0) != sizeof s->generation)
		return -EIO;
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	s->signal_fd = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->epoll_fd < 0 || s->signal_fd < 0)
		return -errno;
	r = watch_fd(s, EPOLL_CTL_ADD, s->signal_fd, EPOLLIN, &watch_signals);
	if (!r && s->options->listen_fd >= 0) {
		fcntl(s->options->listen_fd, F_SETFL, fcntl(s->options->listen_fd, F_GETFL) | O_NONBLOCK);
		r = watch_fd(s, EPOLL_CTL_ADD, s->options->listen_fd, EPOLLIN, &watch_listen);
	}
	if (!r && s->options->client_fd >= 0)
		r = take_client(s, s->options->client_fd);
	if (!r && notify_is_wanted()) {
		notify_state("READY=1");
		notify_tick(s, now_ms());
	}
	return r;
}

static void tear_down(struct supervisor *s)
{
	notify_state("STOPPING=1");
	client_close(&s->client);
	children_free(s);
	fd_closep(&s->epoll_fd);
	fd_closep(&s->signal_fd);
}

int supervisor_run(const struct supervisor_options *options, const struct prober_answerer *answerer)
{
	static uint8_t message[WIRE_MESSAGE_MAX];	/* not on the stack, whose pages each child would copy */
	struct supervisor s = { .options = options, .answerer = answerer, .epoll_fd = -1, .signal_fd = -1,
				.client.fd = -1, .tell_due_ms = -1, .notify_due_ms = -1, .status = EXIT_SUCCESS, .message = message };
	int r;

	r = set_up(&s);
	if (!r)
		r = loop(&s);
	if (r < 0) {
		log_error("the supervisor ends: %s", strerror(-r));
		s.status = EXIT_FAILURE;
	}
	tear_down(&s);
	return s.status;
}
