#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/text.h"

enum { LINE_MAX_BYTES = 1024 };

static struct {
	const char *program;
	enum log_level level;
	int fd;
	bool is_socket;		/* send() takes MSG_DONTWAIT */
	bool is_journal;	/* lines start with <priority> */
	uint64_t dropped;
} state = { .program = "", .level = LOG_LEVEL_INFO, .fd = STDERR_FILENO };

static const struct {
	const char *name;
	int priority;		/* of syslog */
} levels[] = {
	[LOG_LEVEL_ERROR] = { "error", 3 }, [LOG_LEVEL_WARN] = { "warn", 4 },
	[LOG_LEVEL_INFO] = { "info", 6 }, [LOG_LEVEL_DEBUG] = { "debug", 7 },
};

bool log_level_from_name(const char *name, enum log_level *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (!strcmp(name, levels[i].name)) {
			*ret = (enum log_level)i;
			return true;
		}
	return false;
}

const char *log_level_name(enum log_level level)
{
	return levels[level].name;
}

void log_set_level(enum log_level level)
{
	state.level = level;
}

uint64_t log_dropped(void)
{
	return state.dropped;
}

void log_guard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)	/* the lowest number is free */
			_exit(EXIT_FAILURE);
}

/* A listening socket that we were started with must not outlive us in a child. */
static void close_inherited(void)
{
	struct rlimit limit;

	close(STDOUT_FILENO);
	if (!close_range(STDERR_FILENO + 1, ~0U, 0) || getrlimit(RLIMIT_NOFILE, &limit))
		return;
	for (int fd = STDERR_FILENO + 1; fd < (int)limit.rlim_cur; fd++)	/* kernels before 5.9 */
		close(fd);
}

/* A child copies a pipe into the file: a frozen file system hangs the child, not us. */
static int open_through_child(void)
{
	int ends[2];
	char buffer[4096];
	ssize_t n;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	switch (fork()) {
	case -1:
		close(ends[0]);
		close(ends[1]);
		return -1;
	case 0:
		dup2(ends[0], STDIN_FILENO);
		close_inherited();
		prctl(PR_SET_NAME, "log-writer");
		signal(SIGTERM, SIG_IGN);	/* ends with the pipe, after the last line */
		signal(SIGINT, SIG_IGN);
		while ((n = read(STDIN_FILENO, buffer, sizeof buffer)) > 0)
			if (write(STDERR_FILENO, buffer, (size_t)n) < 0 && errno != EINTR)
				continue;
		_exit(0);
	}
	close(ends[0]);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	return ends[1];
}

static bool names_our_stderr(const char *journal_stream, const struct stat *st)
{
	unsigned long long device, inode;

	return journal_stream && sscanf(journal_stream, "%llu:%llu", &device, &inode) == 2 &&
	       device == st->st_dev && inode == st->st_ino;
}

void log_open(const char *program)
{
	struct stat st;
	int fd = -1;

	state.program = program;
	if (fstat(STDERR_FILENO, &st))
		return;
	state.is_journal = names_our_stderr(getenv("JOURNAL_STREAM"), &st);
	state.is_socket = S_ISSOCK(st.st_mode);
	if (state.is_socket)
		return;
	if (!S_ISREG(st.st_mode))
		fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)			/* a file, or another user's pipe or terminal */
		fd = open_through_child();
	if (fd >= 0)
		state.fd = fd;
}

void log_line(enum log_level level, const char *format, ...)
{
	char message[LINE_MAX_BYTES - 64], clean[LINE_MAX_BYTES - 48], line[LINE_MAX_BYTES];
	va_list args;
	ssize_t sent;
	int n;

	if (level > state.level)
		return;
	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	text_printable(message, clean, sizeof clean);	/* a drive's strings must not forge lines */
	if (state.is_journal)
		n = snprintf(line, sizeof line, "<%d>%s\n", levels[level].priority, clean);
	else
		n = snprintf(line, sizeof line, "%s: %s: %s\n", state.program, levels[level].name, clean);
	if (n >= (int)sizeof line) {
		n = sizeof line - 1;
		line[n - 1] = '\n';
	}
	do
		sent = state.is_socket ? send(state.fd, line, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL)
				       : write(state.fd, line, (size_t)n);
	while (sent < 0 && errno == EINTR);
	if (sent != n)
		state.dropped++;
}
