/* drive_prober: the privileged side. Reads drives for one client; can express nothing but reads. */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "probe/notify.h"
#include "prober/ways.h"

enum { SYSTEMD_FIRST_FD = 3 };		/* sd_listen_fds(3) */

static const char default_runtime_directory[] = "/run/drive_prober";

static const char help[] =
	"Usage: drive_prober --socket-fd=N | --listen=PATH [--runtime-directory=DIR] [--log.level=LEVEL]\n"
	"Reads the health of drives for drive_exporter. Started by drive_exporter or by systemd's socket.\n"
	"\n"
	"  --socket-fd=N             serve the client on this connected socket, and end with it\n"
	"  --listen=PATH             serve clients, one at a time, on this socket\n"
	"  --runtime-directory=DIR   where lock files are kept ($RUNTIME_DIRECTORY, else /run/drive_prober)\n"
	"  --log.level=LEVEL         debug, info, warn or error (info)\n"
	"  --version, --help\n";

struct options {
	int socket_fd;
	const char *listen_path, *runtime_directory;
	bool wants_exit;	/* --help and --version are done */
};

static bool is_socket_of(int fd, bool is_listening)
{
	int type = 0, accepts = 0;
	socklen_t n = sizeof type;

	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) || type != SOCK_SEQPACKET)
		return false;
	n = sizeof accepts;
	return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &n) && !accepts == !is_listening;
}

static bool parse_options(int argc, char **argv, struct options *ret)
{
	enum { OPTION_SOCKET_FD = 1, OPTION_LISTEN, OPTION_RUNTIME_DIRECTORY, OPTION_LOG_LEVEL, OPTION_VERSION,
	       OPTION_HELP };
	static const struct option known[] = {
		{ "socket-fd", required_argument, NULL, OPTION_SOCKET_FD },
		{ "listen", required_argument, NULL, OPTION_LISTEN },
		{ "runtime-directory", required_argument, NULL, OPTION_RUNTIME_DIRECTORY },
		{ "log.level", required_argument, NULL, OPTION_LOG_LEVEL },
		{ "version", no_argument, NULL, OPTION_VERSION },
		{ "help", no_argument, NULL, OPTION_HELP },
		{ NULL, 0, NULL, 0 },
	};
	enum log_level level;
	uint64_t number;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", known, NULL)) != -1) {
		switch (option) {
		case OPTION_SOCKET_FD:
			if (!text_to_u64(optarg, INT32_MAX, &number) || !is_socket_of((int)number, false)) {
				log_error("--socket-fd=%s: no connected SEQPACKET socket", optarg);
				return false;
			}
			ret->socket_fd = (int)number;
			break;
		case OPTION_LISTEN:
			ret->listen_path = optarg;
			break;
		case OPTION_RUNTIME_DIRECTORY:
			ret->runtime_directory = optarg;
			break;
		case OPTION_LOG_LEVEL:
			if (!log_level_from_name(optarg, &level)) {
				log_error("--log.level=%s: not debug, info, warn or error", optarg);
				return false;
			}
			log_set_level(level);
			break;
		case OPTION_VERSION:
			printf("drive_prober %s\n", PACKAGE_VERSION);
			ret->wants_exit = true;
			return true;
		case OPTION_HELP:
			fputs(help, stdout);
			ret->wants_exit = true;
			return true;
		default:
			log_error("%s: no such option, or its value is missing; see --help", argv[optind - 1]);
			return false;
		}
	}
	if (optind < argc)
		log_error("%s: no argument is expected; see --help", argv[optind]);
	return optind >= argc;
}

/* systemd's socket activation, without its library: the variables say which descriptors are for us. */
static int inherited_socket(void)
{
	const char *pid_text = getenv("LISTEN_PID"), *n_text = getenv("LISTEN_FDS");
	uint64_t pid, n;

	if (!pid_text || !n_text || !text_to_u64(pid_text, INT32_MAX, &pid) || pid != (uint64_t)getpid() ||
	    !text_to_u64(n_text, 1, &n) || n != 1 || !is_socket_of(SYSTEMD_FIRST_FD, true))
		return -1;
	fcntl(SYSTEMD_FIRST_FD, F_SETFD, FD_CLOEXEC);
	return SYSTEMD_FIRST_FD;
}

static int listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat st;
	mode_t mask;
	int r;

	if (strlen(path) >= sizeof address.sun_path)
		return -ENAMETOOLONG;
	text_copy(address.sun_path, sizeof address.sun_path, path);
	AUTO_FD fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!connect(fd, (struct sockaddr *)&address, sizeof address))
		return -EADDRINUSE;
	if (errno == ECONNREFUSED && !lstat(path, &st) && S_ISSOCK(st.st_mode))
		unlink(path);		/* left behind by one that is gone */
	mask = umask(0177);
	r = bind(fd, (struct sockaddr *)&address, sizeof address) ? -errno : 0;
	umask(mask);
	if (!r && listen(fd, 4))
		r = -errno;
	return r < 0 ? r : fd_steal(&fd);
}

/* The first of $RUNTIME_DIRECTORY, which systemd separates by colons. */
static const char *runtime_directory_by_default(void)
{
	static char first[4096];
	const char *all = getenv("RUNTIME_DIRECTORY");
	size_t n = all ? strcspn(all, ":") : 0;

	if (!n || n >= sizeof first)
		return default_runtime_directory;
	memcpy(first, all, n);
	return first;
}

/* Nobody else may put locks into it. */
static int runtime_directory_open(const char *path)
{
	struct stat st;

	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	if (lstat(path, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	return st.st_uid == geteuid() && !(st.st_mode & 0022) ? 0 : -EPERM;
}

int main(int argc, char **argv)
{
	struct options o = { .socket_fd = -1 };
	struct supervisor_options s = { .client_fd = -1, .listen_fd = -1 };
	int r;

	log_guard_streams();
	log_open("drive_prober");
	notify_open();
	if (!parse_options(argc, argv, &o))
		return EXIT_FAILURE;
	if (o.wants_exit)
		return EXIT_SUCCESS;
	s.client_fd = o.socket_fd;
	s.listen_fd = o.listen_path ? listen_at(o.listen_path) : inherited_socket();
	if (o.listen_path && s.listen_fd < 0) {
		log_error("%s: can't listen: %s", o.listen_path, strerror(-s.listen_fd));
		return EXIT_FAILURE;
	}
	if (s.client_fd < 0 && s.listen_fd < 0) {
		log_error("no socket to serve: --socket-fd or --listen is needed, or systemd's socket; see --help");
		return EXIT_FAILURE;
	}
	s.runtime_directory = o.runtime_directory ? o.runtime_directory : runtime_directory_by_default();
	r = runtime_directory_open(s.runtime_directory);
	if (r < 0) {
		log_error("%s: can't keep lock files there: %s", s.runtime_directory,
			  r == -EPERM ? "it is not ours, or others may write to it" : strerror(-r));
		return EXIT_FAILURE;
	}
	return supervisor_run(&s, &prober_ways);
}
