/* The supervisor's children: one process for each node that was asked for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/text.h"
#include "probe/child.h"
#include "probe/supervisor_private.h"

enum { CHILDREN_MAX = 4096 };	/* a stranger's node names must not fill the machine with processes */

/* A child that was just forked may hold the descriptor a moment longer than we do, so closing alone would not take it from
 * epoll. */
void child_forget(struct supervisor *s, struct child *c)
{
	unwatch_fd(s, c->fd);
	fd_closep(&c->fd);
}

struct child *child_find(struct supervisor *s, const char *name)
{
	for (size_t i = 0; i < s->n_children; i++)
		if (s->children[i]->fd >= 0 && !strcmp(s->children[i]->name, name))
			return s->children[i];
	return NULL;
}

/* The parent's end, or a negative errno. */
static int child_fork(struct supervisor *s, const char *name)
{
	struct child_options options = { .name = name, .runtime_directory = s->options->runtime_directory,
					 .generation = s->generation };
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	switch (fork()) {
	case -1:
		close(ends[0]);
		close(ends[1]);
		return -EAGAIN;
	case 0:
		options.fd = ends[1];
		child_run(&options, s->answerer);
	}
	close(ends[1]);
	return ends[0];
}

int child_start(struct supervisor *s, const char *name, struct child **ret)
{
	AUTO_FREE struct child *c = calloc(1, sizeof *c);
	int r;

	if (!c)
		return -ENOMEM;
	if (s->n_children == CHILDREN_MAX)
		return -EUSERS;
	if (!ARRAY_GROW(s->children, s->room, s->n_children))
		return -ENOMEM;
	c->watch = WATCH_CHILD;
	text_copy(c->name, sizeof c->name, name);
	c->fd = child_fork(s, name);
	if (c->fd < 0)
		return c->fd;
	r = watch_fd(s, EPOLL_CTL_ADD, c->fd, EPOLLIN, &c->watch);
	if (r < 0) {
		child_forget(s, c);
		return r;
	}
	*ret = s->children[s->n_children++] = pointer_steal(&c);
	return 0;
}

int child_ask(struct supervisor *s, struct child *c, const struct wire_request *request)
{
	uint8_t message[256];
	int r = wire_send(c->fd, message, wire_put_request(message, request));

	if (r < 0)
		return r;
	c->is_asking = true;
	c->request_id = request->id;
	c->client_serial = s->client.serial;
	c->started_us = clock_real_us();
	c->monotonic_us = clock_monotonic_us();
	return 0;
}

void children_sweep(struct supervisor *s, int64_t now)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n_children; i++) {
		struct child *c = s->children[i];

		/* A replay's child holds its place in successive answers: it stays. */
		if (c->fd >= 0 && !c->is_asking && !s->answerer->is_replay && now - c->idle_since_ms >= CHILD_IDLE_MS)
			child_forget(s, c);
		if (c->fd >= 0)
			s->children[kept++] = c;
		else
			free(c);
	}
	s->n_children = kept;
}

void children_free(struct supervisor *s)
{
	for (size_t i = 0; i < s->n_children; i++) {
		child_forget(s, s->children[i]);
		free(s->children[i]);
	}
	free(s->children);
}
