#include "probe/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/wire.h"

struct client_message {
	struct client_message *next;
	size_t n;
	uint8_t bytes[];
};

void client_open(struct client *c, int fd, int64_t now_ms)
{
	*c = (struct client){ .fd = fd, .serial = c->serial + 1, .heard_ms = now_ms, .sent_heartbeat_ms = now_ms };
	c->last = &c->first;
}

void client_close(struct client *c)
{
	while (c->first) {
		struct client_message *next = c->first->next;

		free(c->first);
		c->first = next;
	}
	fd_closep(&c->fd);
	*c = (struct client){ .fd = -1, .serial = c->serial };
}

static void enqueue(struct client *c, const uint8_t *message, size_t n)
{
	struct client_message *m;

	if (c->n_waiting + n > CLIENT_QUEUE_MAX) {
		c->broken = "it does not read";
		return;
	}
	m = malloc(sizeof *m + n);
	if (!m) {
		c->broken = "no memory for its answers";
		return;
	}
	m->next = NULL;
	m->n = n;
	memcpy(m->bytes, message, n);
	*c->last = m;
	c->last = &m->next;
	c->n_waiting += n;
}

void client_send(struct client *c, const uint8_t *message, size_t n)
{
	int r;

	if (c->fd < 0 || c->broken)
		return;
	if (c->first) {		/* in order */
		enqueue(c, message, n);
		return;
	}
	r = wire_send(c->fd, message, n);
	if (r == -EAGAIN)
		enqueue(c, message, n);
	else if (r < 0)
		c->broken = "it is gone";
}

void client_flush(struct client *c)
{
	while (c->first && !c->broken) {
		struct client_message *m = c->first;
		int r = wire_send(c->fd, m->bytes, m->n);

		if (r == -EAGAIN)
			return;
		if (r < 0) {
			c->broken = "it is gone";
			return;
		}
		c->first = m->next;
		if (!c->first)
			c->last = &c->first;
		c->n_waiting -= m->n;
		free(m);
	}
}

int64_t client_due_ms(const struct client *c, int64_t now_ms)
{
	int64_t beat = c->sent_heartbeat_ms + WIRE_HEARTBEAT_MS - now_ms;
	int64_t silence = c->heard_ms + WIRE_SILENCE_MS - now_ms;

	return beat < silence ? beat : silence;
}

void client_tick(struct client *c, int64_t now_ms)
{
	uint8_t message[8];

	if (now_ms - c->heard_ms >= WIRE_SILENCE_MS) {
		c->broken = "it fell silent";
		return;
	}
	if (now_ms - c->sent_heartbeat_ms >= WIRE_HEARTBEAT_MS) {
		c->sent_heartbeat_ms = now_ms;
		client_send(c, message, wire_put_empty(message, WIRE_HEARTBEAT));
	}
}
