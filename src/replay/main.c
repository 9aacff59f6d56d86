/* drive_replay: answers out of captures in the prober's place. Needs no right and links nothing that reaches a drive. */
#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/log.h"
#include "replay/replay.h"

struct options {
	int socket_fd;
	const char *hang_file;
	const char *runtime_directory;
	double speed;
	uint64_t start_us, ahead_us;
	char **paths;
	int n_paths;
};

static void print_help(void)
{
	printf("Usage: drive_replay --socket-fd=N [OPTION]... PATH...\n"
	       "Serves the drives of captures to drive_exporter, which starts it for --replay.\n"
	       "PATH is a capture, or a folder of *.capture files.\n\n"
	       "  --socket-fd=N            the connected SEQPACKET socket to the exporter\n"
	       "  --speed=FACTOR           time runs so many times as fast, 1 (default) to 10000000\n"
	       "  --start=MICROSECONDS     when it began to, by CLOCK_MONOTONIC (default: now); the first sections hold from then on\n"
	       "  --ahead=MICROSECONDS     where in the captures it began, and how much later it was then than it really was\n"
	       "  --hang-file=PATH         \"! hang\" writes a byte to PATH instead of sleeping: on a frozen\n"
	       "                           file system that is a process in state D, as behind a dead drive\n"
	       "  --runtime-directory=DIR  where lock files are kept (default: a private folder, removed at the end)\n"
	       "  --log.level=LEVEL        debug, info, warn or error (default info)\n"
	       "  --help                   this text\n"
	       "  --version                the version\n");
}

static bool parse_speed(const char *text, double *ret)
{
	if (text_to_decimal(text, 1, CLOCK_SPEED_MAX, ret))
		return true;
	log_error("--speed takes a number from 1 to %d, not \"%s\"", CLOCK_SPEED_MAX, text);
	return false;
}

static bool parse_moment(const char *option, const char *text, uint64_t *ret_us)
{
	if (text_to_u64(text, INT64_MAX / 4, ret_us))
		return true;
	log_error("%s takes a number of microseconds, not \"%s\"", option, text);
	return false;
}

/* -1: go on. Else the exit status. */
static int parse_options(int argc, char **argv, struct options *o)
{
	enum { OPTION_SOCKET_FD = 256, OPTION_SPEED, OPTION_START, OPTION_AHEAD, OPTION_HANG_FILE, OPTION_RUNTIME_DIRECTORY,
	       OPTION_LOG_LEVEL, OPTION_HELP, OPTION_VERSION };
	static const struct option options[] = {
		{ "socket-fd", required_argument, NULL, OPTION_SOCKET_FD },
		{ "speed", required_argument, NULL, OPTION_SPEED },
		{ "start", required_argument, NULL, OPTION_START },
		{ "ahead", required_argument, NULL, OPTION_AHEAD },
		{ "hang-file", required_argument, NULL, OPTION_HANG_FILE },
		{ "runtime-directory", required_argument, NULL, OPTION_RUNTIME_DIRECTORY },
		{ "log.level", required_argument, NULL, OPTION_LOG_LEVEL },
		{ "help", no_argument, NULL, OPTION_HELP },
		{ "version", no_argument, NULL, OPTION_VERSION },
		{ 0 },
	};
	enum log_level level;
	uint64_t fd;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (c) {
		case OPTION_SOCKET_FD:
			if (!text_to_u64(optarg, INT32_MAX, &fd)) {
				log_error("--socket-fd takes the number of a descriptor, not \"%s\"", optarg);
				return EXIT_FAILURE;
			}
			o->socket_fd = (int)fd;
			break;
		case OPTION_SPEED:
			if (!parse_speed(optarg, &o->speed))
				return EXIT_FAILURE;
			break;
		case OPTION_START:
			if (!parse_moment("--start", optarg, &o->start_us))
				return EXIT_FAILURE;
			break;
		case OPTION_AHEAD:
			if (!parse_moment("--ahead", optarg, &o->ahead_us))
				return EXIT_FAILURE;
			break;
		case OPTION_HANG_FILE:
			o->hang_file = optarg;
			break;
		case OPTION_RUNTIME_DIRECTORY:
			o->runtime_directory = optarg;
			break;
		case OPTION_LOG_LEVEL:
			if (!log_level_from_name(optarg, &level)) {
				log_error("--log.level takes debug, info, warn or error, not \"%s\"", optarg);
				return EXIT_FAILURE;
			}
			log_set_level(level);
			break;
		case OPTION_HELP:
			print_help();
			return EXIT_SUCCESS;
		case OPTION_VERSION:
			printf("drive_replay %s\n", PACKAGE_VERSION);
			return EXIT_SUCCESS;
		default:
			return EXIT_FAILURE;	/* getopt said what it does not know */
		}
	}
	o->paths = argv + optind;
	o->n_paths = argc - optind;
	return -1;
}

static bool is_our_kind_of_socket(int fd)
{
	int type = 0;
	socklen_t n = sizeof type;

	return fd >= 0 && !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) && type == SOCK_SEQPACKET;
}

/* One line of the journal for each broken capture. */
static void log_lines(const struct text *errors)
{
	AUTO_FREE char *copy = errors->at ? strdup(errors->at) : NULL;
	char *rest = copy, *line;

	while (rest && (line = strsep(&rest, "\n")))
		if (*line)
			log_error("%s", line);
}

static void load(struct replay *r, const char *path)
{
	AUTO_TEXT errors = TEXT_LIMIT(CAPTURE_BYTES_MAX);
	struct capture **captures;
	ssize_t n = captures_read(path, &captures, &errors);

	if (n < 0) {
		log_error("%s: %s", path, strerror((int)-n));
		return;
	}
	for (ssize_t i = 0; i < n; i++)
		replay_add(r, captures[i], &errors);
	free(captures);
	log_lines(&errors);
}

/* Lock files of our children; whatever else is there is not ours, and keeps the folder. */
static void remove_folder(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		size_t n = strlen(entry->d_name);

		if (n > 5 && !strcmp(entry->d_name + n - 5, ".lock"))
			unlinkat(dirfd(folder), entry->d_name, 0);
	}
	if (folder)
		closedir(folder);
	rmdir(path);
}

static int serve(const struct options *o, struct replay *r)
{
	struct prober_answerer answerer = {
		.is_replay = true, .context = r, .child_for = replay_child_for, .answer = replay_answer,
		.tell = replay_tell, .next_event_ms = replay_next_event_ms,
	};
	struct supervisor_options supervisor = { .client_fd = o->socket_fd, .listen_fd = -1,
						 .runtime_directory = o->runtime_directory };
	const char *temporary = getenv("TMPDIR");
	AUTO_FREE char *private = NULL;
	int status;

	if (!o->runtime_directory) {
		if (asprintf(&private, "%s/drive_replay.XXXXXX", temporary && *temporary ? temporary : "/tmp") < 0 ||
		    !mkdtemp(private)) {
			log_error("%s: %s", private ? private : "a private folder", strerror(errno));
			return EXIT_FAILURE;
		}
		supervisor.runtime_directory = private;
	}
	replay_start(r, o->start_us);
	status = supervisor_run(&supervisor, &answerer);
	if (private)
		remove_folder(private);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = { .socket_fd = -1, .speed = 1, .start_us = clock_monotonic_us() };
	CLEANUP(replay_free) struct replay r = { .n_drives = 0 };
	int status = parse_options(argc, argv, &o);

	if (status >= 0)
		return status;
	log_guard_streams();
	log_open("drive_replay");
	if (!o.n_paths) {
		log_error("which captures? Name files or folders; --help tells more");
		return EXIT_FAILURE;
	}
	if (!is_our_kind_of_socket(o.socket_fd)) {
		log_error("--socket-fd must name a connected SEQPACKET socket; drive_exporter --replay starts this program"
			  " with one");
		return EXIT_FAILURE;
	}
	signal(SIGPIPE, SIG_IGN);
	clock_run(o.speed, o.start_us, o.ahead_us);
	r.hang_file = o.hang_file;
	for (int i = 0; i < o.n_paths; i++)
		load(&r, o.paths[i]);
	if (!r.n_drives) {
		log_error("no capture is left to serve");
		return EXIT_FAILURE;
	}
	return serve(&o, &r);
}
