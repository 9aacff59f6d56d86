#include "poll/starter.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/pids.h"

enum {
	ARGUMENTS_MAX = 128,
	PROGRAMS_MAX = 8,		/* that were told to end and have not: more are not started */
	OWN_FD = 3,
};

/* What it is asked for: one byte, and with START a descriptor. */
enum { START = 's', END = 'e' };

struct starter {
	int fd;
	pid_t pid;
};

void starter_exec(const struct probe_client_options *o, int fd)
{
	const char *argv[ARGUMENTS_MAX + 2] = { o->program };
	char socket_fd[32];
	sigset_t none;
	size_t n = 1;

	if (dup2(fd, 3) < 0)		/* also clears close-on-exec, unless it was 3 already */
		_exit(127);
	if (fd == 3 && fcntl(3, F_SETFD, 0))
		_exit(127);
	snprintf(socket_fd, sizeof socket_fd, "--socket-fd=%d", 3);
	argv[n++] = socket_fd;
	for (size_t i = 0; o->arguments && o->arguments[i] && n < ARRAY_SIZE(argv) - 1; i++)
		argv[n++] = o->arguments[i];
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	execv(o->program, (char *const *)argv);
	fprintf(stderr, "cannot start %s: %s\n", o->program, strerror(errno));
	_exit(127);
}

/* ---- the process */

struct programs {
	pid_t pids[PROGRAMS_MAX];
	size_t n;
};

static void reap(struct programs *p)
{
	p->n = pids_reap(p->pids, p->n);
}

static void end_all(struct programs *p)
{
	reap(p);
	for (size_t i = 0; i < p->n; i++)
		kill(p->pids[i], SIGTERM);
	reap(p);
}

static void start(struct programs *p, const struct probe_client_options *o, int fd)
{
	pid_t pid;

	reap(p);
	if (p->n == PROGRAMS_MAX)
		return;
	pid = fork();
	if (pid == 0)
		starter_exec(o, fd);
	if (pid > 0)
		p->pids[p->n++] = pid;
}

union control {
	char room[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

/* The length of the message, 0 at the end. *ret_fd is the descriptor that came with it, or -1. */
static ssize_t receive(int fd, char *ret_what, int *ret_fd)
{
	union control control = { 0 };
	struct iovec what = { .iov_base = ret_what, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &what, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
	ssize_t n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	struct cmsghdr *first = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;

	*ret_fd = -1;
	if (first && first->cmsg_type == SCM_RIGHTS)
		memcpy(ret_fd, CMSG_DATA(first), sizeof *ret_fd);
	return n;
}

/* Nothing of the exporter stays open here but standard error: nobody could take over its port. Signals to the whole process
 * group are the exporter's to act on. */
static void become_starter(int fd)
{
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	prctl(PR_SET_NAME, "drive-starter");
	if (fd != OWN_FD && dup2(fd, OWN_FD) < 0)
		_exit(EXIT_FAILURE);
	(void)syscall(__NR_close_range, OWN_FD + 1, ~0U, 0);
	(void)fcntl(OWN_FD, F_SETFD, FD_CLOEXEC);
}

static void run(const struct probe_client_options *o, int fd)
{
	struct programs programs = { 0 };
	ssize_t n;
	char what;

	become_starter(fd);
	for (;;) {
		AUTO_FD passed = -1;

		n = receive(OWN_FD, &what, &passed);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (what == START && passed >= 0)
			start(&programs, o, passed);
		else
			end_all(&programs);
	}
	end_all(&programs);
	_exit(EXIT_SUCCESS);
}

/* ---- the exporter's end */

int starter_new(const struct probe_client_options *options, struct starter **ret)
{
	AUTO_FREE struct starter *s = calloc(1, sizeof *s);
	int ends[2];

	if (!s)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	s->fd = ends[0];
	s->pid = fork();
	if (s->pid == 0)
		run(options, ends[1]);
	close(ends[1]);
	if (s->pid < 0) {
		int error = errno;

		close(ends[0]);
		return -error;
	}
	*ret = pointer_steal(&s);
	return 0;
}

int starter_start(struct starter *s, int fd)
{
	union control control = { 0 };
	char start = START;
	struct iovec what = { .iov_base = &start, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &what, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control };
	struct cmsghdr *first = CMSG_FIRSTHDR(&message);

	*first = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof fd) };
	memcpy(CMSG_DATA(first), &fd, sizeof fd);
	return sendmsg(s->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1 ? 0 : -errno;
}

void starter_end_programs(struct starter *s)
{
	char end = END;

	(void)!send(s->fd, &end, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void starter_free(struct starter *s)
{
	if (!s)
		return;
	close(s->fd);			/* it ends, and its programs with it */
	(void)waitpid(s->pid, NULL, WNOHANG);
	free(s);
}
