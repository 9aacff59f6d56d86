/* A supervisor in a process of its own, as in life; an answerer that touches no device; and a client of it. */
#pragma once

#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "probe/supervisor.h"

enum { PATIENCE_MS = 10000, ENDS_WITHIN_MS = 2000 /* mostly 5 */ };

static char folder[] = "/tmp/test_supervisor.XXXXXX";
static uint8_t message[WIRE_MESSAGE_MAX];

/* ---- the answerer: what a node does is told by its name */

static int child_for(void *context, const struct wire_request *request, char ret_child[NODE_NAME_MAX])
{
	if (!strcmp(request->node, "sdn"))
		return -ENODEV;
	if (!strcmp(request->node, "sdp")) {
		strcpy(ret_child, "../escape");
		return 0;
	}
	strcpy(ret_child, request->command.name == COMMAND_HOST_PHYS ? "host7" : request->node);
	return 0;
}

static void answer(void *context, const struct wire_request *request, uint8_t *buffer, struct wire_reply *ret)
{
	pid_t pid = getpid();

	switch (request->node[2]) {
	case 'h':			/* hangs for longer than any test; each test has its own such node */
		alarm(30);
		pause();
		break;
	case 'l':			/* is late */
		usleep(500000);
		break;
	case 'k':			/* is killed */
		kill(pid, SIGKILL);
		break;
	case 'b':			/* much to say */
		memset(buffer, 0xb5, COMMAND_ANSWER_MAX);
		ret->n_bytes = COMMAND_ANSWER_MAX;
		break;
	case 'f':
		ret->fail = fail_sense(5, 0x24, 0);
		break;
	case 's':
		ret->verdict = WIRE_ASLEEP;
		break;
	default:
		usleep(2000);
		memcpy(buffer, &pid, sizeof pid);	/* who answered */
		ret->n_bytes = sizeof pid;
	}
	ret->diskseq = 77;
}

static int n_told;

static void tell(void *context, bool is_first, void (*send_it)(void *to, const uint8_t *, size_t), void *to)
{
	uint8_t out[64];

	n_told++;
	send_it(to, out, is_first ? wire_put_text(out, WIRE_INVENTORY, "drive 1\n") : wire_put_empty(out, WIRE_INVENTORY_END));
}

static int next_event_ms(void *context)
{
	return n_told < 2 ? 20 : -1;
}

static const struct prober_answerer plain = { .child_for = child_for, .answer = answer };
static const struct prober_answerer telling = { .is_replay = true, .child_for = child_for, .answer = answer, .tell = tell,
						.next_event_ms = next_event_ms };

/* ---- a supervisor, and a client of it */

struct rig {
	pid_t pid;
	int fd;			/* the client's end, or the listening socket's address is in path */
	struct wire_hello hello;
	uint64_t last_id;
};

static ssize_t receive_within(int fd, int ms)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	if (poll(&wait, 1, ms) != 1)
		return -ETIMEDOUT;
	return wire_receive(fd, message);
}

static ssize_t receive(int fd)
{
	ssize_t n = receive_within(fd, PATIENCE_MS);
	enum wire_type type;

	while (n > 0 && !wire_get_type(bytes_of(message, (size_t)n), &type) && type == WIRE_HEARTBEAT)
		n = receive_within(fd, PATIENCE_MS);
	return n;
}

static void greet(int fd, struct wire_hello *ret)
{
	ssize_t n = receive(fd);

	assert_true(n > 0);
	assert_int_equal(wire_get_hello(bytes_of(message, (size_t)n), ret), 0);	/* it speaks first */
	assert_int_equal(ret->version, WIRE_VERSION);
	assert_true(ret->vocabulary == wire_vocabulary());
	assert_int_equal(wire_send(fd, message, (size_t)n), 0);
}

static pid_t start(int client_fd, int other_fd, int listen_fd, const struct prober_answerer *a)
{
	struct supervisor_options o = { .client_fd = client_fd, .listen_fd = listen_fd, .runtime_directory = folder };
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);	/* with a test that failed */
		log_set_level(LOG_LEVEL_ERROR);
		if (other_fd >= 0)
			close(other_fd);
		_exit(supervisor_run(&o, a));
	}
	return pid;
}

static struct rig set_up(const struct prober_answerer *a)
{
	struct rig r = { .fd = -1 };
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	r.fd = ends[0];
	r.pid = start(ends[1], ends[0], -1, a);
	close(ends[1]);
	greet(r.fd, &r.hello);
	return r;
}

static int64_t clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Waits for the supervisor, says how long that took; its exit status in *ret_status. */
static int64_t ended_within(pid_t pid, int *ret_status)
{
	int64_t began = clock_ms();

	while (!waitpid(pid, ret_status, WNOHANG) && clock_ms() - began < PATIENCE_MS)
		usleep(1000);
	return clock_ms() - began;
}

static void tear_down(struct rig *r)
{
	int status;

	close(r->fd);
	assert_in_range(ended_within(r->pid, &status), 0, ENDS_WITHIN_MS);
	assert_int_equal(status, 0);
}

static uint64_t ask_command(struct rig *r, const char *node, struct command command)
{
	struct wire_request request = { .id = ++r->last_id, .command = command };
	uint8_t out[256];

	strcpy(request.node, node);
	assert_int_equal(wire_send(r->fd, out, wire_put_request(out, &request)), 0);
	return request.id;
}

static uint64_t ask(struct rig *r, const char *node)
{
	return ask_command(r, node, command_default(COMMAND_READ_CAPACITY));
}

static struct wire_reply reply_of(struct rig *r)
{
	struct wire_reply reply = { 0 };
	ssize_t n = receive(r->fd);

	assert_true(n > 0);
	assert_int_equal(wire_get_reply(bytes_of(message, (size_t)n), &reply), 0);
	assert_true(reply.generation == r->hello.generation);
	return reply;
}

static struct wire_reply get(struct rig *r, const char *node)
{
	uint64_t id = ask(r, node);
	struct wire_reply reply = reply_of(r);

	assert_int_equal(reply.id, id);
	return reply;
}

static enum wire_verdict verdict_on(struct rig *r, const char *node)
{
	return get(r, node).verdict;
}

static pid_t pid_in(const struct wire_reply *reply)
{
	pid_t pid;

	assert_int_equal(reply->n_bytes, sizeof pid);
	memcpy(&pid, reply->bytes, sizeof pid);
	return pid;
}

/* An orphan may stay a zombie for as long as process 1 likes. */
static bool is_running(pid_t pid)
{
	char path[64], state = 'X';
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = 'X';
		fclose(f);
	}
	return state != 'Z' && state != 'X';
}

static int64_t real_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}
