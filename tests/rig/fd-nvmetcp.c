/* Serves NVMe controllers out of captures over NVMe/TCP on the loopback address: fd-nvmetcp PORT
 * CAPTURE[#CONTROLLER]...
 *
 * Each capture is a subsystem with one controller, nqn.2026-01.test.fakedrive:NAME, where NAME is the file's without
 * ".capture" (and "-CONTROLLER" where one was named). The kernel connects with
 *	modprobe nvme-tcp
 *	echo "transport=tcp,traddr=127.0.0.1,trsvcid=PORT,nqn=NQN,nr_io_queues=1,ctrl_loss_tmo=-1" > /dev/nvme-fabrics
 * and makes /dev/nvmeX, whose Identify data and logs are then the capture's. Enough of NVMe 1.4, Fabrics 1.1 and TCP
 * 1.0 for Linux: no digests, no TLS, data to the controller in capsules only. Prints the names, "ready N", and runs
 * until it is killed. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/bytes.h"
#include "base/cleanup.h"
#include "rig/fakedrive.h"

enum { IN_CAPSULE = 8192, DATA_MAX = 65536, SQE_BYTES = FAKEDRIVE_SQE, CQE_BYTES = 16, IDENTIFY_BYTES = 4096 };
enum { PDU_ICREQ = 0, PDU_ICRESP = 1, PDU_COMMAND = 4, PDU_RESPONSE = 5, PDU_C2H_DATA = 7, PDU_LAST_DATA = 4,
       PDU_IC_BYTES = 128 };
enum { FABRICS = 0x7f, ASYNC_EVENT_REQUEST = 0x0c, IDENTIFY = 0x06, CNS_CONTROLLER = 0x01 };
enum { INVALID_OPCODE = 0x4001, INVALID_FIELD = 0x4002, CONNECT_BUSY = 0x0181, CONNECT_INVALID = 0x4182 };

struct target {
	struct fakedrive *drive;
	char nqn[256];
	unsigned id;			/* of its controller */
};

struct queue {
	int fd;
	unsigned id, depth, head;
	const struct target *target;	/* NULL before Connect */
	uint32_t cc, csts;
};

static struct target *targets;
static size_t n_targets;

static uint32_t get_le(const uint8_t *at, size_t width)
{
	struct bytes b = bytes_of(at, width);

	return (uint32_t)bytes_le(&b, width);
}

static void put_le(uint8_t *to, size_t width, uint64_t value)
{
	for (size_t i = 0; i < width; i++, value >>= 8)
		to[i] = (uint8_t)value;
}

/* ---- the socket */

static bool receive(int fd, void *buffer, size_t n)
{
	uint8_t *at = buffer;

	while (n) {
		ssize_t got = recv(fd, at, n, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		n -= (size_t)got;
	}
	return true;
}

static bool transmit(int fd, const void *buffer, size_t n)
{
	const uint8_t *at = buffer;

	while (n) {
		ssize_t put = send(fd, at, n, MSG_NOSIGNAL);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		at += put;
		n -= (size_t)put;
	}
	return true;
}

/* The host has hung up: nobody waits for what is being done. */
static bool is_gone(void *context)
{
	struct pollfd p = { .fd = *(const int *)context, .events = POLLRDHUP };

	return poll(&p, 1, 0) > 0 && p.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

/* ---- PDUs */

static void put_header(uint8_t *pdu, uint8_t type, uint8_t flags, uint8_t header_bytes, uint8_t data_at, size_t bytes)
{
	pdu[0] = type;
	pdu[1] = flags;
	pdu[2] = header_bytes;
	pdu[3] = data_at;
	put_le(pdu + 4, 4, bytes);
}

static bool respond(struct queue *q, const uint8_t *sqe, uint16_t status, uint64_t result)
{
	uint8_t pdu[8 + CQE_BYTES] = { 0 };

	put_header(pdu, PDU_RESPONSE, 0, sizeof pdu, 0, sizeof pdu);
	q->head = (q->head + 1) % q->depth;
	put_le(pdu + 8, 8, result);
	put_le(pdu + 16, 2, q->head);
	memcpy(pdu + 20, sqe + 2, 2);		/* CID */
	put_le(pdu + 22, 2, (uint64_t)status << 1);
	return transmit(q->fd, pdu, sizeof pdu);
}

static bool send_data(struct queue *q, const uint8_t *sqe, const uint8_t *data, size_t n)
{
	uint8_t pdu[24] = { 0 };

	put_header(pdu, PDU_C2H_DATA, PDU_LAST_DATA, sizeof pdu, sizeof pdu, sizeof pdu + n);
	memcpy(pdu + 8, sqe + 2, 2);
	put_le(pdu + 16, 4, n);
	return transmit(q->fd, pdu, sizeof pdu) && transmit(q->fd, data, n);
}

/* ---- Fabrics: Connect, Property Get and Set */

static const struct target *find_target(const char *nqn)
{
	for (size_t i = 0; i < n_targets; i++)
		if (!strncmp(targets[i].nqn, nqn, sizeof targets[i].nqn))
			return &targets[i];
	return NULL;
}

static bool connect_queue(struct queue *q, const uint8_t *sqe, const uint8_t *data)
{
	const struct target *t = find_target((const char *)data + 256);

	if (!t)
		return respond(q, sqe, CONNECT_INVALID, 0);
	if (!fakedrive_is_present(t->drive))
		return respond(q, sqe, CONNECT_BUSY, 0);	/* the host tries again, and some day the drive is back */
	q->id = get_le(sqe + 42, 2);
	q->depth = get_le(sqe + 44, 2) + 1;
	q->target = t;
	return respond(q, sqe, 0, t->id);
}

static bool set_property(struct queue *q, const uint8_t *sqe)
{
	if (get_le(sqe + 44, 4) == 0x14) {		/* CC */
		q->cc = get_le(sqe + 48, 4);
		q->csts = q->cc & 1;			/* ready as soon as it is enabled */
		if (q->cc >> 14 & 3)
			q->csts |= 2U << 2;		/* shutdown complete */
	}
	return respond(q, sqe, 0, 0);
}

static bool get_property(struct queue *q, const uint8_t *sqe)
{
	switch (get_le(sqe + 44, 4)) {
	case 0x00:	/* CAP: 128 entries, contiguous, 5 s, NVM command set */
		return respond(q, sqe, 0, 127 | UINT64_C(1) << 16 | UINT64_C(10) << 24 | UINT64_C(1) << 37);
	case 0x08:	/* VS */
		return respond(q, sqe, 0, 0x10400);
	case 0x14:
		return respond(q, sqe, 0, q->cc);
	case 0x1c:
		return respond(q, sqe, 0, q->csts);
	default:
		return respond(q, sqe, INVALID_FIELD, 0);
	}
}

static bool fabrics(struct queue *q, const uint8_t *sqe, const uint8_t *data)
{
	switch (sqe[4]) {
	case 0x00:
		return set_property(q, sqe);
	case 0x01:
		return connect_queue(q, sqe, data);
	case 0x04:
		return get_property(q, sqe);
	default:
		return respond(q, sqe, INVALID_OPCODE, 0);
	}
}

/* ---- NVMe */

/* What drivers/nvme/host/core.c (nvme_init_identify, nvme_check_ctrl_fabric_info) and tcp.c want of a controller over
 * Fabrics, whatever kind of drive the capture is of. */
static void put_fabrics_fields(const struct target *t, uint8_t *id)
{
	id[76] &= (uint8_t)~(1U << 3);			/* CMIC: no ANA, whose log no capture has */
	id[77] = 1;					/* MDTS: 8 KiB, so that data to the controller fits into a capsule */
	put_le(id + 78, 2, t->id);			/* CNTLID */
	if (!get_le(id + 320, 2))
		put_le(id + 320, 2, 100);		/* KAS: 10 s */
	put_le(id + 514, 2, 128);			/* MAXCMD */
	put_le(id + 536, 4, get_le(id + 536, 4) | 1);	/* SGLS */
	memset(id + 768, 0, 256);
	text_copy((char *)id + 768, 256, t->nqn);	/* SUBNQN */
	put_le(id + 1792, 4, (SQE_BYTES + IN_CAPSULE) / 16);	/* IOCCSZ */
	put_le(id + 1796, 4, CQE_BYTES / 16);		/* IORCSZ */
	put_le(id + 1800, 2, 0);			/* ICDOFF */
	id[1802] = 0;					/* FCATT: dynamic */
	id[1803] = 1;					/* MSDBD */
}

/* False: the connection ends. */
static bool command(struct queue *q, const uint8_t *sqe, uint8_t *data)
{
	struct fakedrive_nvme x = { .is_io = q->id != 0, .in = data, .in_room = get_le(sqe + 32, 4),	/* of the SGL descriptor */
				    .patience = { .is_gone = is_gone, .context = &q->fd } };

	if (sqe[0] == FABRICS)
		return fabrics(q, sqe, data);
	if (!q->target || !fakedrive_is_present(q->target->drive))
		return false;
	if (!x.is_io && sqe[0] == ASYNC_EVENT_REQUEST)
		return true;			/* held for ever */
	if (x.in_room > DATA_MAX)
		return respond(q, sqe, INVALID_FIELD, 0);
	if (!(sqe[0] & 0x02))			/* NVM Express base, 3.3.3.1: no data comes from the controller */
		x.in_room = 0;
	memcpy(x.sqe, sqe, SQE_BYTES);
	fakedrive_nvme(q->target->drive, &x);
	if (!x.is_io && sqe[0] == IDENTIFY && sqe[40] == CNS_CONTROLLER && !x.status && x.n_in == IDENTIFY_BYTES)
		put_fabrics_fields(q->target, data);
	if (!x.status && x.n_in && !send_data(q, sqe, data, x.n_in))
		return false;
	return respond(q, sqe, x.status, x.result);
}

static bool initialize_connection(int fd)
{
	uint8_t request[PDU_IC_BYTES], response[PDU_IC_BYTES] = { 0 };

	if (!receive(fd, request, sizeof request) || request[0] != PDU_ICREQ)
		return false;
	put_header(response, PDU_ICRESP, 0, PDU_IC_BYTES, 0, PDU_IC_BYTES);
	put_le(response + 12, 4, 131072);	/* MAXH2CDATA */
	return transmit(fd, response, sizeof response);
}

static bool receive_command(struct queue *q, uint8_t sqe[SQE_BYTES], uint8_t *data)
{
	uint8_t header[8];
	uint32_t bytes;

	if (!receive(q->fd, header, sizeof header))
		return false;
	bytes = get_le(header + 4, 4);
	if (header[0] != PDU_COMMAND || bytes < 8 + SQE_BYTES || bytes - 8 - SQE_BYTES > DATA_MAX ||
	    !receive(q->fd, sqe, SQE_BYTES))
		return false;
	memset(data, 0, DATA_MAX);
	return receive(q->fd, data, bytes - 8 - SQE_BYTES);
}

/* A thread for each queue: what hangs holds up the rest of its queue. */
static void *serve(void *context)
{
	AUTO_FD fd = (int)(intptr_t)context;
	struct queue q = { .fd = fd, .depth = 32 };
	AUTO_FREE uint8_t *data = malloc(DATA_MAX);
	uint8_t sqe[SQE_BYTES];

	if (!data || !initialize_connection(fd))
		return NULL;
	while (receive_command(&q, sqe, data) && command(&q, sqe, data))
		;
	return NULL;
}

/* ---- main */

static bool add_target(char *word)
{
	AUTO_TEXT error = TEXT_LIMIT(4096);
	char *controller = strrchr(word, '#'), *name;
	struct target *t = &targets[n_targets];

	if (controller)
		*controller++ = 0;
	t->drive = fakedrive_open(word, controller, &error);
	if (!t->drive) {
		fprintf(stderr, "fd-nvmetcp: %s\n", error.at ? error.at : "out of memory");
		return false;
	}
	name = strrchr(word, '/');
	name = name ? name + 1 : word;
	snprintf(t->nqn, sizeof t->nqn, "nqn.2026-01.test.fakedrive:%.*s%s%s", (int)strcspn(name, "."), name,
		 controller ? "-" : "", controller ? controller : "");
	t->id = (unsigned)++n_targets;
	return true;
}

static int listen_on(uint16_t port)
{
	const struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port),
					     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(fd, (const struct sockaddr *)&address, sizeof address) || listen(fd, 64)) {
		perror("fd-nvmetcp: listen");
		return -1;
	}
	return fd;
}

static _Noreturn void accept_all(int listener)
{
	for (;;) {
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC), one = 1;
		pthread_t thread;

		if (fd < 0)
			continue;
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
		if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd))
			close(fd);
		else
			pthread_detach(thread);
	}
}

int main(int argc, char **argv)
{
	uint64_t port;
	int listener;

	targets = calloc((size_t)argc, sizeof *targets);
	if (argc < 3 || !targets || !text_to_u64(argv[1], UINT16_MAX, &port)) {
		fprintf(stderr, "usage: fd-nvmetcp PORT CAPTURE[#CONTROLLER]...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		if (!add_target(argv[i]))
			return 1;
	listener = listen_on((uint16_t)port);
	if (listener < 0)
		return 1;
	for (size_t i = 0; i < n_targets; i++)
		printf("%s\n", targets[i].nqn);
	printf("ready %zu\n", n_targets);
	fflush(stdout);
	accept_all(listener);
}
