/* Messages between exporter and prober. Each decoder takes exactly what its encoder writes: one byte more or less, or a
 * value outside its enumeration, is refused. */
#include "probe/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/text.h"

/* ---- writing */

struct out {
	uint8_t *at;
	size_t n;
};

static void put(struct out *o, uint64_t value, size_t width)
{
	while (width--) {
		o->at[o->n++] = (uint8_t)value;
		value >>= 8;
	}
}

static void put_bytes(struct out *o, const void *bytes, size_t n)
{
	if (n)
		memcpy(o->at + o->n, bytes, n);
	o->n += n;
}

size_t wire_put_hello(uint8_t *out, const struct wire_hello *h)
{
	struct out o = { .at = out };

	put(&o, WIRE_HELLO, 1);
	put(&o, h->version, 4);
	put(&o, h->vocabulary, 8);
	put(&o, h->generation, 8);
	put(&o, h->is_replay, 1);
	return o.n;
}

size_t wire_put_request(uint8_t *out, const struct wire_request *r)
{
	char node[NODE_NAME_MAX] = { 0 };
	struct out o = { .at = out };

	text_copy(node, sizeof node, r->node);
	put(&o, WIRE_REQUEST, 1);
	put(&o, r->id, 8);
	put(&o, r->diskseq, 8);
	put_bytes(&o, node, sizeof node);
	put(&o, r->command.name, 2);
	for (size_t i = 0; i < COMMAND_KEYS; i++)
		put(&o, r->command.key[i], 4);
	return o.n;
}

size_t wire_put_reply(uint8_t *out, const struct wire_reply *r)
{
	size_t n_bytes = r->n_bytes < COMMAND_ANSWER_MAX ? r->n_bytes : COMMAND_ANSWER_MAX;
	struct out o = { .at = out };

	put(&o, WIRE_REPLY, 1);
	put(&o, r->id, 8);
	put(&o, r->generation, 8);
	put(&o, r->diskseq, 8);
	put(&o, r->verdict, 1);
	put(&o, (uint64_t)r->started_us, 8);
	put(&o, r->duration_us, 8);
	put(&o, (uint64_t)r->busy_since_us, 8);
	put(&o, r->fail.source, 1);
	put(&o, r->fail.kind, 1);
	put(&o, r->fail.code, 4);
	put(&o, n_bytes, 4);
	put_bytes(&o, r->bytes, n_bytes);
	return o.n;
}

size_t wire_put_empty(uint8_t *out, enum wire_type type)
{
	out[0] = (uint8_t)type;
	return 1;
}

static bool is_text_byte(uint8_t c)
{
	return (c >= ' ' && c != 0x7f) || c == '\n' || c == '\t';
}

size_t wire_put_text(uint8_t *out, enum wire_type type, const char *text)
{
	struct out o = { .at = out };

	put(&o, type, 1);
	for (; *text && o.n < WIRE_MESSAGE_MAX; text++)
		put(&o, is_text_byte((uint8_t)*text) ? (uint8_t)*text : '?', 1);
	return o.n;
}

/* ---- reading */

static int done(struct bytes in)
{
	return in.torn || in.left ? -EBADMSG : 0;
}

static bool begins_with(struct bytes *in, enum wire_type type)
{
	return in->left <= WIRE_MESSAGE_MAX && bytes_le(in, 1) == type && !in->torn;
}

int wire_get_type(struct bytes in, enum wire_type *ret)
{
	uint64_t type = bytes_le(&in, 1);

	if (in.torn || type < WIRE_HELLO || type > WIRE_REFUSED)
		return -EBADMSG;
	if ((type == WIRE_HEARTBEAT || type == WIRE_INVENTORY_END) && in.left)
		return -EBADMSG;	/* these are empty */
	*ret = (enum wire_type)type;
	return 0;
}

int wire_get_hello(struct bytes in, struct wire_hello *ret)
{
	struct wire_hello h = { 0 };
	uint64_t is_replay;

	if (!begins_with(&in, WIRE_HELLO))
		return -EBADMSG;
	h.version = (uint32_t)bytes_le(&in, 4);
	h.vocabulary = bytes_le(&in, 8);
	h.generation = bytes_le(&in, 8);
	is_replay = bytes_le(&in, 1);
	h.is_replay = is_replay == 1;
	if (done(in) || is_replay > 1)
		return -EBADMSG;
	*ret = h;
	return 0;
}

/* A name that ends with a NUL, and NULs only after it. */
static bool get_node(struct bytes *in, char node[NODE_NAME_MAX])
{
	struct bytes field = bytes_take(in, NODE_NAME_MAX);
	size_t n;

	if (field.torn)
		return false;
	memcpy(node, field.at, NODE_NAME_MAX);
	n = strnlen(node, NODE_NAME_MAX);
	for (size_t i = n; i < NODE_NAME_MAX; i++)
		if (node[i])
			return false;
	return n < NODE_NAME_MAX;
}

/* Node and command are not judged here: who refuses them must be able to answer with the request's id. */
int wire_get_request(struct bytes in, struct wire_request *ret)
{
	struct wire_request r = { 0 };

	if (!begins_with(&in, WIRE_REQUEST))
		return -EBADMSG;
	r.id = bytes_le(&in, 8);
	r.diskseq = bytes_le(&in, 8);
	if (!get_node(&in, r.node))
		return -EBADMSG;
	r.command.name = (enum command_name)bytes_le(&in, 2);
	for (size_t i = 0; i < COMMAND_KEYS; i++)
		r.command.key[i] = (uint32_t)bytes_le(&in, 4);
	if (done(in))
		return -EBADMSG;
	*ret = r;
	return 0;
}

int wire_get_reply(struct bytes in, struct wire_reply *ret)
{
	struct wire_reply r = { 0 };
	uint64_t verdict, source, kind;
	struct bytes answer;

	if (!begins_with(&in, WIRE_REPLY))
		return -EBADMSG;
	r.id = bytes_le(&in, 8);
	r.generation = bytes_le(&in, 8);
	r.diskseq = bytes_le(&in, 8);
	verdict = bytes_le(&in, 1);
	r.started_us = (int64_t)bytes_le(&in, 8);
	r.duration_us = bytes_le(&in, 8);
	r.busy_since_us = (int64_t)bytes_le(&in, 8);
	source = bytes_le(&in, 1);
	kind = bytes_le(&in, 1);
	r.fail.code = (uint32_t)bytes_le(&in, 4);
	r.n_bytes = bytes_le(&in, 4);
	answer = bytes_take(&in, r.n_bytes);
	if (done(in) || r.n_bytes > COMMAND_ANSWER_MAX)
		return -EBADMSG;
	if (verdict >= N_WIRE_VERDICTS || source >= N_FAIL_SOURCES || kind >= N_FAIL_KINDS)
		return -EBADMSG;
	r.verdict = (enum wire_verdict)verdict;
	r.fail.source = (enum fail_source)source;
	r.fail.kind = (enum fail_kind)kind;
	r.bytes = answer.at;
	*ret = r;
	return 0;
}

int wire_get_text(struct bytes in, char *text, size_t size)
{
	enum wire_type type;

	if (wire_get_type(in, &type) || (type != WIRE_REFUSED && type != WIRE_INVENTORY))
		return -EBADMSG;
	bytes_skip(&in, 1);
	if (in.left >= size || in.left >= WIRE_MESSAGE_MAX)
		return -EBADMSG;
	for (size_t i = 0; i < in.left; i++)
		if (!is_text_byte(in.at[i]))
			return -EBADMSG;
	if (in.left)
		memcpy(text, in.at, in.left);
	text[in.left] = 0;
	return 0;
}

/* ---- who speaks the same language */

uint64_t wire_vocabulary(void)
{
	AUTO_TEXT all = TEXT_LIMIT(65536);

	text_addf(&all, "%d %d %d %d;", WIRE_VERSION, N_FAIL_SOURCES, N_FAIL_KINDS, N_WIRE_VERDICTS);
	for (size_t c = 0; c < N_COMMANDS; c++) {
		text_addf(&all, "%s %u;", commands[c].name, commands[c].fixed_length);
		for (size_t k = 0; k < COMMAND_KEYS && commands[c].key[k].name; k++) {
			const struct command_key *key = &commands[c].key[k];

			text_addf(&all, " %s %x:", key->name, key->absent);
			for (size_t i = 0; i < key->n_allowed; i++)
				text_addf(&all, " %x-%x", key->allowed[i].first, key->allowed[i].last);
		}
	}
	return all.at ? text_hash(all.at, all.length) : 0;
}

/* ---- the socket */

int wire_send(int fd, const uint8_t *message, size_t n)
{
	ssize_t sent;

	do
		sent = send(fd, message, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent < 0)
		return errno == EWOULDBLOCK ? -EAGAIN : -errno;
	return (size_t)sent == n ? 0 : -EMSGSIZE;
}

ssize_t wire_receive(int fd, uint8_t *message)
{
	ssize_t n;

	do	/* MSG_TRUNC: the true length, so that a message too long is not taken for a whole one */
		n = recv(fd, message, WIRE_MESSAGE_MAX, MSG_DONTWAIT | MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EWOULDBLOCK ? -EAGAIN : -errno;
	return n > WIRE_MESSAGE_MAX ? -EMSGSIZE : n;
}
