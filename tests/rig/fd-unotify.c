/* Runs a program whose pass-through ioctls are answered by fake drives; no VM, no driver of the kernel.
 *
 *	fd-unotify [--map=FILE] [NODE=CAPTURE[#DEVICE]]... -- PROGRAM [ARGUMENT]...
 *
 * A seccomp filter hands each SG_IO, SG_GET_VERSION_NUM, NVME_IOCTL_ADMIN_CMD and NVME_IOCTL_ID of the program and
 * its children to this process, which looks up the path behind the descriptor. If that path was named, the answer
 * comes out of the capture; else the kernel carries on with the call. NODE is anything that opens: a loop device is a
 * real block device. DEVICE is the capture's name for what is asked there; without it, the last part of NODE. FILE
 * has such words, one a line, and is read again when it changes, so that drives can come and go.
 *
 * The caller sleeps in the kernel meanwhile, so a hang is a hang, but one that a signal ends, unlike a command stuck
 * in a driver. Works on static and hardened programs, unlike LD_PRELOAD. Needs Linux 5.5. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/nvme_ioctl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <scsi/sg.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "rig/fakedrive.h"

#ifdef __aarch64__
#define OUR_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define OUR_ARCHITECTURE AUDIT_ARCH_X86_64
#endif

enum { PATH_SIZE = 4096, NODES_MAX = 4096, NOTICE_SIZE = 4096, SG_VERSION = 30536 };

/* ---- which path is which drive */

struct node {
	char *path, *target;		/* as they were given */
	struct fakedrive *drive;
	unsigned users;			/* the table, and each call that is being answered */
};

struct table {
	struct node **at;
	size_t n;
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct table by_argument, by_file;
static const char *map_path;
static struct stat map_stat;
static int listener = -1;

/* With the lock held. */
static void node_release(struct node *node)
{
	if (--node->users)
		return;
	fakedrive_free(node->drive);
	free(node->path);
	free(node->target);
	free(node);
}

static void node_put(struct node *node)
{
	pthread_mutex_lock(&table_lock);
	node_release(node);
	pthread_mutex_unlock(&table_lock);
}

static struct node *table_find(const struct table *t, const char *path, const char *target)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->at[i]->path, path) && (!target || !strcmp(t->at[i]->target, target)))
			return t->at[i];
	return NULL;
}

static struct fakedrive *open_target(const char *path, const char *target, struct text *error)
{
	AUTO_FREE char *capture = strdup(target);
	char *device = capture ? strrchr(capture, '#') : NULL;
	const char *slash = strrchr(path, '/');

	if (!capture)
		return NULL;
	if (device)
		*device++ = 0;
	return fakedrive_open(capture, device ? device : slash ? slash + 1 : path, error);
}

/* NODE=TARGET; of two for the same node the later counts. Keeps the drive of an older table. */
static bool table_add(struct table *t, const struct table *old, const char *word, struct text *error)
{
	const char *equals = strchr(word, '=');
	AUTO_FREE char *path = equals ? strndup(word, (size_t)(equals - word)) : NULL;
	struct node *known = path ? table_find(old, path, equals + 1) : NULL, *node, **grown;

	if (!path || t->n == NODES_MAX) {
		text_addf(error, "%s: not NODE=CAPTURE, or too many of them", word);
		return false;
	}
	grown = reallocarray(t->at, t->n + 1, sizeof(struct node *));
	if (!grown)
		return false;
	t->at = grown;
	node = known ? known : calloc(1, sizeof *node);
	if (!node)
		return false;
	if (!known) {
		node->drive = open_target(path, equals + 1, error);
		node->target = strdup(equals + 1);
		node->path = pointer_steal(&path);
	}
	node->users++;
	if (!node->drive || !node->target) {
		node_release(node);
		return false;
	}
	t->at[t->n++] = node;
	return true;
}

static void table_free(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		node_release(t->at[i]);
	free(t->at);
	*t = (struct table){ .n = 0 };
}

/* With the lock held. A line that is no good is left out, with a word about it. */
static void refresh_map(void)
{
	struct table fresh = { .n = 0 };
	char line[PATH_SIZE];
	struct stat now;

	if (!map_path || stat(map_path, &now) ||
	    (now.st_ino == map_stat.st_ino && now.st_mtim.tv_nsec == map_stat.st_mtim.tv_nsec &&
	     now.st_mtim.tv_sec == map_stat.st_mtim.tv_sec && now.st_size == map_stat.st_size))
		return;
	AUTO_FILE file = fopen(map_path, "re");
	if (!file)
		return;
	map_stat = now;
	while (fgets(line, sizeof line, file)) {
		AUTO_TEXT error = TEXT_LIMIT(4096);

		line[strcspn(line, "\n")] = 0;
		if (line[0] && !table_add(&fresh, &by_file, line, &error))
			fprintf(stderr, "fd-unotify: %s: %s\n", map_path, error.at ? error.at : "out of memory");
	}
	table_free(&by_file);
	by_file = fresh;
}

static bool is_deleted(const char *path)
{
	static const char end[] = " (deleted)";
	size_t n = strlen(path);

	return n > strlen(end) && !strcmp(path + n - strlen(end), end) && !strncmp(path, "/dev/", 5);
}

/* The drive behind a descriptor, to put back. NULL: not ours, or a node that is gone (then *ret_is_gone). */
static struct node *node_of(pid_t pid, int fd, bool *ret_is_gone)
{
	char link[64], path[PATH_SIZE];
	struct node *node;
	ssize_t n;

	snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, fd);
	n = readlink(link, path, sizeof path - 1);
	path[n < 0 ? 0 : n] = 0;
	*ret_is_gone = is_deleted(path);
	pthread_mutex_lock(&table_lock);
	refresh_map();
	node = table_find(&by_file, path, NULL);
	if (!node)
		node = table_find(&by_argument, path, NULL);
	if (node)
		node->users++;
	pthread_mutex_unlock(&table_lock);
	return node;
}

/* ---- the caller's memory */

static bool peek(pid_t pid, uint64_t address, void *buffer, size_t n)
{
	struct iovec ours = { buffer, n }, theirs = { (void *)(uintptr_t)address, n };

	return !n || process_vm_readv(pid, &ours, 1, &theirs, 1, 0) == (ssize_t)n;
}

static bool poke(pid_t pid, uint64_t address, void *buffer, size_t n)
{
	struct iovec ours = { buffer, n }, theirs = { (void *)(uintptr_t)address, n };

	return !n || process_vm_writev(pid, &ours, 1, &theirs, 1, 0) == (ssize_t)n;
}

/* ---- the ioctls: each returns its value, or a negative errno */

static bool is_gone(void *context)
{
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, context);
}

static void fill_header(struct sg_io_hdr *h, const struct fakedrive_scsi *x)
{
	bool is_in = h->dxfer_direction == SG_DXFER_FROM_DEV || h->dxfer_direction == SG_DXFER_TO_FROM_DEV;
	size_t n_sense = x->host_status ? 0 : x->n_sense;

	h->sb_len_wr = (unsigned char)(n_sense < h->mx_sb_len ? n_sense : h->mx_sb_len);
	h->host_status = x->host_status;
	h->status = x->host_status ? 0 : x->status;
	h->masked_status = h->status >> 1 & 0x1f;
	h->driver_status = h->sb_len_wr ? 0x08 : 0;	/* sense data is there */
	h->resid = is_in ? (int)(h->dxfer_len - x->n_in) : 0;
	h->info = h->status || h->host_status ? SG_INFO_CHECK : 0;
}

static int sg_io(pid_t pid, struct fakedrive *drive, uint64_t argument, uint64_t *id)
{
	struct fakedrive_scsi x = { .patience = { .is_gone = is_gone, .context = id } };
	struct sg_io_hdr h;
	bool is_in;

	if (!peek(pid, argument, &h, sizeof h))
		return -EFAULT;
	if (h.interface_id != 'S' || h.iovec_count || h.dxfer_len > FAKEDRIVE_TRANSFER_MAX || h.cmd_len > sizeof x.cdb)
		return -EINVAL;
	if (!peek(pid, (uintptr_t)h.cmdp, x.cdb, h.cmd_len))
		return -EFAULT;
	is_in = h.dxfer_direction == SG_DXFER_FROM_DEV || h.dxfer_direction == SG_DXFER_TO_FROM_DEV;
	x.in_room = is_in ? h.dxfer_len : 0;
	AUTO_FREE uint8_t *data = malloc(x.in_room + 1);
	if (!data)
		return -ENOMEM;
	x.in = data;
	x.patience.limit_ms = h.timeout;
	fakedrive_scsi(drive, &x);
	if (x.error)
		return -x.error;
	fill_header(&h, &x);
	if (!poke(pid, (uintptr_t)h.dxferp, data, x.n_in) || !poke(pid, (uintptr_t)h.sbp, x.sense, h.sb_len_wr) ||
	    !poke(pid, argument, &h, sizeof h))
		return -EFAULT;
	return 0;
}

static int nvme_admin(pid_t pid, struct fakedrive *drive, uint64_t argument, uint64_t *id)
{
	struct fakedrive_nvme x = { .patience = { .is_gone = is_gone, .context = id } };
	struct nvme_admin_cmd c;

	if (!peek(pid, argument, &c, sizeof c))
		return -EFAULT;
	if (c.data_len > FAKEDRIVE_TRANSFER_MAX)
		return -EINVAL;
	AUTO_FREE uint8_t *data = calloc(1, (size_t)c.data_len + 1);
	if (!data)
		return -ENOMEM;
	x.in = data;
	x.in_room = c.opcode & 0x02 ? c.data_len : 0;	/* NVM Express base, 3.3.3.1: data transfer from the controller */
	x.patience.limit_ms = c.timeout_ms;
	x.sqe[0] = c.opcode;
	memcpy(x.sqe + 4, &c.nsid, sizeof c.nsid);
	memcpy(x.sqe + 40, &c.cdw10, 24);		/* dwords 10 to 15 */
	fakedrive_nvme(drive, &x);
	if (x.error)
		return -x.error;
	c.result = x.result;
	if (!poke(pid, c.addr, data, x.n_in) || !poke(pid, argument, &c, sizeof c))
		return -EFAULT;
	return x.status;
}

static int sg_version(pid_t pid, uint64_t argument)
{
	int version = SG_VERSION;

	return poke(pid, argument, &version, sizeof version) ? 0 : -EFAULT;
}

static int answer_ioctl(const struct seccomp_notif *notice, struct fakedrive *drive, uint64_t *id)
{
	pid_t pid = (pid_t)notice->pid;
	uint64_t argument = notice->data.args[2];

	switch ((uint32_t)notice->data.args[1]) {
	case SG_IO:
		return sg_io(pid, drive, argument, id);
	case NVME_IOCTL_ADMIN_CMD:
		return nvme_admin(pid, drive, argument, id);
	case NVME_IOCTL_ID:
		return 1;
	case SG_GET_VERSION_NUM:
		return sg_version(pid, argument);
	default:
		return -ENOTTY;
	}
}

static void *answer(void *context)
{
	AUTO_FREE struct seccomp_notif *notice = context;
	struct seccomp_notif_resp response = { .id = notice->id };
	uint64_t id = notice->id;
	bool is_deleted_node;
	struct node *node = node_of((pid_t)notice->pid, (int)notice->data.args[0], &is_deleted_node);

	if (node) {
		int r = answer_ioctl(notice, node->drive, &id);

		response.error = r < 0 ? r : 0;
		response.val = r < 0 ? 0 : r;
		node_put(node);
	} else if (is_deleted_node) {
		response.error = -ENODEV;
	} else {
		response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	}
	ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);	/* fails where the caller is gone: nothing to do */
	return NULL;
}

/* A thread for each call: one that hangs holds up nobody else's. */
static void *serve(void *unused)
{
	for (;;) {
		/* The kernel wants it zeroed, and may want more bytes than this header knows. */
		struct seccomp_notif *notice = calloc(1, NOTICE_SIZE);
		pthread_t thread;

		if (!notice || ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, notice)) {
			int error = errno;

			free(notice);
			if (error == EINTR || error == ENOENT)
				continue;
			return NULL;
		}
		if (pthread_create(&thread, NULL, answer, notice))
			abort();
		pthread_detach(thread);
	}
}

/* ---- the filter */

static int install_filter(void)
{
	static const uint32_t requests[] = { SG_IO, SG_GET_VERSION_NUM, NVME_IOCTL_ADMIN_CMD, NVME_IOCTL_ID };
	enum { N = sizeof requests / sizeof *requests };
	struct sock_filter filter[7 + N];
	size_t n = 0;

	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCHITECTURE, 0, 3 + N);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 1 + N);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1]));
	for (size_t i = 0; i < N; i++)
		filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, requests[i], (uint8_t)(N - i), 0);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	struct sock_fprog program = { (unsigned short)n, filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static bool send_fd(int socket, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof fd)] = { 0 };
	struct iovec data = { &byte, 1 };
	struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(c), &fd, sizeof fd);
	return sendmsg(socket, &m, 0) == 1;
}

static int take_fd(int socket)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec data = { &byte, 1 };
	struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control };
	int fd = -1;

	if (recvmsg(socket, &m, MSG_CMSG_CLOEXEC) == 1 && CMSG_FIRSTHDR(&m))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
	return fd;
}

/* ---- the program */

static _Noreturn void run(char **words, int socket, const sigset_t *mask)
{
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);	/* without us its ioctls would fail */
	sigprocmask(SIG_SETMASK, mask, NULL);
	fd = install_filter();
	if (fd < 0 || !send_fd(socket, fd)) {
		perror("fd-unotify: seccomp");
		_exit(126);
	}
	close(fd);
	execvp(words[0], words);
	perror(words[0]);
	_exit(127);
}

/* Whoever ended; in a process name space of its own this process is the parent of all orphans. True: the program
 * itself has. */
static bool reap(pid_t child, int *ret_status)
{
	int status;
	pid_t ended;

	while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
		if (ended == child) {
			*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			return true;
		}
	}
	return false;
}

/* Its end is ours, and our signals are its. */
static int wait_for(pid_t child, const sigset_t *ours)
{
	int status;

	for (;;) {
		int signal = sigwaitinfo(ours, NULL);

		if (signal == SIGCHLD && reap(child, &status))
			return status;
		if (signal > 0 && signal != SIGCHLD)
			kill(child, signal);
	}
}

/* The first word of the program; NULL: the words before it are wrong. */
static char **parse_words(char **words)
{
	for (; *words && strcmp(*words, "--"); words++) {
		AUTO_TEXT error = TEXT_LIMIT(4096);
		const struct table none = { .n = 0 };

		if (!strncmp(*words, "--map=", 6)) {
			map_path = *words + 6;
		} else if (!table_add(&by_argument, &none, *words, &error)) {
			fprintf(stderr, "fd-unotify: %s\n", error.at ? error.at : "out of memory");
			return NULL;
		}
	}
	if (!*words || !words[1]) {
		fprintf(stderr, "usage: fd-unotify [--map=FILE] [NODE=CAPTURE[#DEVICE]]... -- PROGRAM [ARGUMENT]...\n");
		return NULL;
	}
	return words + 1;
}

int main(int argc, char **argv)
{
	char **words = parse_words(argv + 1);
	sigset_t ours, before;
	pthread_t thread;
	int sockets[2];
	pid_t child;

	if (!words)
		return 2;
	sigemptyset(&ours);
	sigaddset(&ours, SIGCHLD);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGHUP);
	sigprocmask(SIG_BLOCK, &ours, &before);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return 126;
	child = fork();
	if (child < 0)
		return 126;
	if (!child)
		run(words, sockets[1], &before);
	close(sockets[1]);
	listener = take_fd(sockets[0]);
	if (listener < 0 || pthread_create(&thread, NULL, serve, NULL)) {
		kill(child, SIGKILL);
		return 126;
	}
	return wait_for(child, &ours);
}
