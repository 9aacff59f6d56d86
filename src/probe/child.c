#include "probe/child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

/* Above SMALL_ANSWER bytes an answer is rare, and the memory it touched is given back. */
enum { SMALL_ANSWER = 8192, LOCK_PATH_MAX = 4096, OWN_FD = 3 };

/* ---- NODE.lock: at most one command per node, also across restarts of the prober */

/* Since when its holder has been asking. The holder may be about to write; then the file's own time is near enough. */
static int64_t lock_since(int fd)
{
	char digits[24] = "";
	struct stat st;
	uint64_t since;
	ssize_t n = pread(fd, digits, sizeof digits - 1, 0);

	if (n > 0) {
		digits[n] = 0;
		if (text_to_u64(digits, INT64_MAX, &since))
			return (int64_t)since;
	}
	if (fstat(fd, &st))
		return clock_real_us();
	return (int64_t)st.st_mtim.tv_sec * 1000000 + st.st_mtim.tv_nsec / 1000;
}

/* 0: locked, *ret_fd holds it. -EBUSY: someone else has it, *ret_since tells since when. Else a negative errno. Opened
 * here, after the fork: a descriptor inherited would be one lock shared with the supervisor. */
static int lock_take(const struct child_options *o, int *ret_fd, int64_t *ret_since)
{
	char path[LOCK_PATH_MAX], digits[24];
	int n;

	if (snprintf(path, sizeof path, "%s/%s.lock", o->runtime_directory, o->name) >= (int)sizeof path)
		return -ENAMETOOLONG;
	AUTO_FD fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			return -errno;
		*ret_since = lock_since(fd);
		return -EBUSY;
	}
	n = snprintf(digits, sizeof digits, "%" PRId64, clock_real_us());
	if (pwrite(fd, digits, (size_t)n, 0) != n)
		return -EIO;
	*ret_fd = fd_steal(&fd);
	return 0;
}

/* Emptied first, so that nobody reads this command's time for the next one's. The lock goes with the descriptor. */
static void lock_release(int *fd)
{
	if (*fd >= 0)
		(void)!ftruncate(*fd, 0);
	fd_closep(fd);
}

/* ---- the loop */

struct child_memory {
	uint8_t *answer;	/* COMMAND_ANSWER_MAX, whole pages */
	uint8_t *message;	/* WIRE_MESSAGE_MAX */
	size_t n_answer, n_message;
};

static uint8_t *map_pages(size_t n)
{
	void *at = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

static bool memory_open(struct child_memory *m)
{
	m->n_answer = COMMAND_ANSWER_MAX;
	m->n_message = WIRE_MESSAGE_MAX;
	m->answer = map_pages(m->n_answer);
	m->message = map_pages(m->n_message);
	return m->answer && m->message;
}

static void memory_trim(const struct child_memory *m)
{
	madvise(m->answer, m->n_answer, MADV_DONTNEED);
	madvise(m->message, m->n_message, MADV_DONTNEED);
}

static void answer(const struct child_options *o, const struct prober_answerer *answerer,
		   const struct wire_request *request, uint8_t *buffer, struct wire_reply *ret)
{
	int64_t started_us;
	uint64_t monotonic_us;
	CLEANUP(lock_release) int lock = -1;
	int r;

	*ret = (struct wire_reply){ .verdict = WIRE_ANSWERED };
	r = lock_take(o, &lock, &ret->busy_since_us);
	if (r == -EBUSY) {
		ret->verdict = WIRE_BUSY;
	} else if (r < 0) {
		ret->fail = fail_os(-r, "lock file");
	} else {
		started_us = clock_real_us();
		monotonic_us = clock_monotonic_us();
		answerer->answer(answerer->context, request, buffer, ret);
		if (!ret->duration_us)
			ret->duration_us = clock_monotonic_us() - monotonic_us;
		if (!ret->started_us)
			ret->started_us = started_us;
		if (ret->n_bytes && !ret->bytes)
			ret->bytes = buffer;
	}
	ret->id = request->id;
	ret->generation = o->generation;
}

/* One request at a time, so the socket always has room for the answer. */
static bool serve_one(const struct child_options *o, const struct prober_answerer *answerer, struct child_memory *m)
{
	struct pollfd wait = { .fd = o->fd, .events = POLLIN };
	struct wire_request request;
	struct wire_reply reply;
	ssize_t n;

	if (poll(&wait, 1, -1) < 0)
		return errno == EINTR;
	n = wire_receive(o->fd, m->message);
	if (n == -EAGAIN)
		return true;
	if (n <= 0 || wire_get_request(bytes_of(m->message, (size_t)n), &request))
		return false;
	answer(o, answerer, &request, m->answer, &reply);
	if (wire_send(o->fd, m->message, wire_put_reply(m->message, &reply)))
		return false;
	if (reply.n_bytes > SMALL_ANSWER)
		memory_trim(m);
	return true;
}

/* Nothing of the supervisor stays open here: neither its client, nor another child's socket (whose end must mean the
 * supervisor's end), nor its standard streams, which a child in state D would hold for whoever reads them. */
static void close_inherited(int socket)
{
	int high = fcntl(socket, F_DUPFD_CLOEXEC, OWN_FD + 1), null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct rlimit limit;

	for (int fd = 0; fd < OWN_FD; fd++)
		dup2(null, fd);
	dup2(high, OWN_FD);
	if (!close_range(OWN_FD + 1, ~0U, 0) || getrlimit(RLIMIT_NOFILE, &limit))
		return;
	for (int fd = OWN_FD + 1; fd < (int)limit.rlim_cur; fd++)	/* kernels before 5.9 */
		close(fd);
}

static void signals_to_default(void)
{
	sigset_t none;

	signal(SIGCHLD, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void child_run(const struct child_options *options, const struct prober_answerer *answerer)
{
	struct child_options o = *options;
	struct child_memory m;

	close_inherited(o.fd);
	o.fd = OWN_FD;
	signals_to_default();
	prctl(PR_SET_NAME, o.name);
	if (memory_open(&m))
		while (serve_one(&o, answerer, &m))
			;
	_exit(0);
}
