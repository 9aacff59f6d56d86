/* The exporter's end: what waits to be written, and the child that writes it. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/log.h"
#include "base/pids.h"
#include "history/client_private.h"

enum {
	RESTART_FIRST_MS = 1000, RESTART_LAST_MS = 600000,
	RETRY_MS = 60000, RETRIES_SOON = 10, RETRY_LATER = 10 /* times as long */,
	LIVED_LONG_US = 600000000,	/* a child that ends after that is none that cannot live */
	COMMIT_US = 600000000,
	SILENT_MS = 30000,
	STOP_MS = 2000,
};

static void work(struct history *h);
static int on_restart(sd_event_source *source, uint64_t usec, void *userdata);
static int on_io(sd_event_source *source, int fd, uint32_t events, void *userdata);

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void arm(struct history *h, sd_event_source **timer, uint64_t in_us, sd_event_time_handler_t handler)
{
	int r;

	*timer = sd_event_source_unref(*timer);
	r = sd_event_add_time_relative(h->event, timer, CLOCK_MONOTONIC, in_us, in_us ? 10000 : 1, handler, h);
	if (r < 0 && r != -ESTALE)	/* the loop has ended: finish() waits by itself */
		log_error("history: no timer: %s", strerror(-r));
}

/* ---- what is said: a line when it changes */

static void tell_trouble(struct history *h, const char *why)
{
	h->is_up = false;
	if (!strcmp(h->trouble, why))
		return;
	text_copy(h->trouble, sizeof h->trouble, why);
	log_warn("history: %s", why);
}

static void tell_well(struct history *h)
{
	h->is_up = true;
	if (h->trouble[0])
		log_info("history: works again");
	h->trouble[0] = 0;
	h->n_retries = 0;
}

/* ---- the child */

static void reap(struct history *h)
{
	h->n_pids = pids_reap(h->pids, h->n_pids);
}

/* For good. The system's calls, since glibc's wrappers would tell other threads. */
static bool become(uid_t uid, gid_t gid)
{
	return !syscall(SYS_setgroups, 0, NULL) && !syscall(SYS_setresgid, gid, gid, gid) && !syscall(SYS_setresuid, uid, uid, uid);
}

/* Between fork and exec other threads may hold any lock: only what signal-safety(7) lists. The descriptors are closed before
 * exec, since the program's disk may be the one that hangs, and nobody could take over our port. */
static void exec_child(const struct history *h, int fd)
{
	char *argv[] = { "drive_exporter", HISTORY_CHILD_VERB, h->directory, NULL };
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
		if (null < 0 || dup2(null, i) < 0)
			_exit(127);
	if (fd == HISTORY_CHILD_FD ? fcntl(fd, F_SETFD, 0) < 0 : dup2(fd, HISTORY_CHILD_FD) < 0)
		_exit(127);
	(void)syscall(__NR_close_range, HISTORY_CHILD_FD + 1, ~0U, 0);	/* before Linux 5.9 exec does it */
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (h->options.uid && !geteuid() && !become(h->options.uid, h->options.gid))
		_exit(127);
	execv("/proc/self/exe", argv);
	_exit(127);
}

static int start_child(struct history *h)
{
	int ends[2], r;
	pid_t pid;

	reap(h);
	if (h->n_pids == ARRAY_SIZE(h->pids))
		return -EAGAIN;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	pid = fork();
	if (pid == 0)
		exec_child(h, ends[1]);
	r = pid < 0 ? -errno : 0;
	close(ends[1]);
	h->fd = ends[0];
	if (r)
		return r;
	h->pids[h->n_pids++] = pid;
	h->started_us = now_us();
	h->is_open = false;
	r = sd_event_add_io(h->event, &h->io, h->fd, EPOLLIN, on_io, h);

	/* Whoever scrapes comes first. */
	return r < 0 ? r : sd_event_source_set_priority(h->io, SD_EVENT_PRIORITY_NORMAL + 1);
}

/* Everything that it did not acknowledge waits again. */
static void lose_child(struct history *h, const char *why)
{
	unsigned first = h->options.restart_ms ? h->options.restart_ms : RESTART_FIRST_MS;
	uint64_t pause_ms;

	if (h->started_us && now_us() - h->started_us > LIVED_LONG_US)
		h->n_restarts = 0;
	pause_ms = (uint64_t)first << (h->n_restarts < 20 ? h->n_restarts : 20);
	h->n_restarts++;
	h->io = sd_event_source_unref(h->io);
	h->silence = sd_event_source_unref(h->silence);
	h->resting = sd_event_source_unref(h->resting);
	fd_closep(&h->fd);
	h->request = REQUEST_NONE;
	h->is_blocked = h->is_silent = false;
	waiting_unsend(h);
	tell_trouble(h, why);
	arm(h, &h->restart, (pause_ms < RESTART_LAST_MS ? pause_ms : RESTART_LAST_MS) * 1000, on_restart);
}

static void start_or_wait(struct history *h)
{
	int r = start_child(h);

	if (r < 0)
		lose_child(h, strerror(-r));
	else
		work(h);
}

static int on_restart(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct history *h = userdata;

	h->restart = sd_event_source_unref(h->restart);
	start_or_wait(h);
	return 0;
}

/* ---- requests */

static int on_silence(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct history *h = userdata;

	h->is_silent = true;
	tell_trouble(h, "the disk of the data base does not answer");
	return 0;
}

static void watch_for_room(struct history *h, bool is_blocked)
{
	if (h->is_blocked != is_blocked && h->io)
		(void)sd_event_source_set_io_events(h->io, is_blocked ? EPOLLIN | EPOLLOUT : EPOLLIN);
	h->is_blocked = is_blocked;
}

/* Sends what is left of the request, as far as the socket takes it. */
static void pump(struct history *h)
{
	struct history_message m;

	while (waiting_next(h, &m)) {
		ssize_t n = send(h->fd, &m, sizeof m, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == ENOBUFS)) {
			watch_for_room(h, true);
			return;
		}
		if (n < 0) {
			lose_child(h, "its process ended");
			return;
		}
		waiting_sent(h, &m);
	}
	watch_for_room(h, false);
}

static void request(struct history *h, enum request what)
{
	h->request = what;
	h->cursor = (struct cursor){ 0 };
	h->n_rows = h->n_known = 0;
	if (what == REQUEST_COMMIT) {
		h->commit = sd_event_source_unref(h->commit);
		h->is_due = false;
		h->is_cut = waiting_mark(h);
	}
	arm(h, &h->silence, 1000ull * (h->options.silent_ms ? h->options.silent_ms : SILENT_MS), on_silence);
	pump(h);
}

/* The next thing to be asked for. A drive's rows are asked for after those that wait of it were written. */
static void work(struct history *h)
{
	const struct waiting *loading = waiting_to_load(h);

	if (h->fd < 0 || h->request != REQUEST_NONE || h->resting || h->has_given_up)
		return;
	if (!h->is_open)
		request(h, REQUEST_OPEN);
	else if (h->wants_known)
		request(h, REQUEST_LOAD_KNOWN);
	else if (h->is_due || (loading && loading->n_rows))
		request(h, REQUEST_COMMIT);
	else if (loading)
		request(h, REQUEST_LOAD);
}

static int on_rested(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct history *h = userdata;

	h->resting = sd_event_source_unref(h->resting);
	work(h);
	return 0;
}

static void rest(struct history *h, const char *why)
{
	uint64_t ms = h->options.retry_ms ? h->options.retry_ms : RETRY_MS;

	waiting_unsend(h);
	h->is_open = false;
	h->has_given_up = h->is_ending;	/* there is no later */
	tell_trouble(h, why);
	if (++h->n_retries > RETRIES_SOON)
		ms *= RETRY_LATER;
	arm(h, &h->resting, ms * 1000, on_rested);
}

/* ---- answers */

static void take_rows(struct history *h, const struct history_rows *rows, size_t size)
{
	for (uint32_t i = 0; i < rows->n && size >= offsetof(struct history_rows, at) + (i + 1) * sizeof *rows->at; i++) {
		if (!ARRAY_GROW(h->rows, h->room_rows, h->n_rows)) {
			log_error("history: no memory");
			return;
		}
		h->rows[h->n_rows++] = rows->at[i];
	}
}

static void take_known(struct history *h, const struct history_drives *drives, size_t size)
{
	for (uint32_t i = 0; i < drives->n && size >= offsetof(struct history_drives, at) + (i + 1) * sizeof *drives->at; i++) {
		if (!ARRAY_GROW(h->known, h->room_known, h->n_known)) {
			log_error("history: no memory");
			return;
		}
		h->known[h->n_known++] = drives->at[i];
	}
}

static void give_known(struct history *h)
{
	h->wants_known = false;
	if (h->events.known)
		h->events.known(h->events.context, h->known, h->n_known);
	free(h->known);			/* asked for once */
	h->known = NULL;
	h->n_known = h->room_known = 0;
}

static void give_rows(struct history *h)
{
	struct waiting *w = waiting_to_load(h);

	if (!w)
		return;			/* finish() has forgotten who asked */
	w->wants_rows = false;
	for (size_t i = 0; i < h->n_rows && !h->has_committed; i++)
		if (h->rows[i].last_s > h->committed_s)
			h->committed_s = h->rows[i].last_s;
	if (h->events.loaded)
		h->events.loaded(h->events.context, w->id.drive, h->rows, h->n_rows);
}

static void commit_done(struct history *h)
{
	size_t n = waiting_acknowledge(h);

	h->n_restarts = 0;
	h->is_due |= h->is_cut;
	if (n && h->events.committed)
		h->events.committed(h->events.context, n);
}

static void begin_anew(struct history *h, const char *moved_aside)
{
	if (*moved_aside)
		log_warn("history: %s", moved_aside);
	else if (h->was_open)
		log_warn("history: the data base is gone, and begun anew");
	if ((*moved_aside || h->was_open) && h->events.begun_anew)
		h->events.begun_anew(h->events.context);
}

static int on_commit(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct history *h = userdata;

	h->commit = sd_event_source_unref(h->commit);
	h->is_due = true;
	work(h);
	return 0;
}

static void take_result(struct history *h, const struct history_answer *answer)
{
	enum request done = h->request;
	bool was_down = h->trouble[0];

	h->request = REQUEST_NONE;
	h->silence = sd_event_source_unref(h->silence);
	h->is_silent = false;
	h->n_invalid += answer->n_invalid;
	if (answer->is_new || answer->moved_aside[0])
		begin_anew(h, answer->moved_aside);
	if (answer->error) {
		rest(h, answer->reason);
		return;
	}
	h->is_open = h->was_open = true;
	h->is_due |= was_down && waiting_is_any(h);
	/* A full disk can be opened, but not written: it is well when that was done which failed. */
	if (done != REQUEST_OPEN || !was_down || !(h->is_due || h->wants_known || waiting_to_load(h)))
		tell_well(h);
	if (done == REQUEST_COMMIT)
		commit_done(h);
	if (done == REQUEST_LOAD)
		give_rows(h);
	if (done == REQUEST_LOAD_KNOWN)
		give_known(h);
}

/* False: there is nothing more to be received now. */
static bool receive(struct history *h)
{
	static union history_any_answer answer;
	ssize_t n = recv(h->fd, &answer, sizeof answer, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n == sizeof answer.result && answer.result.type == HISTORY_RESULT && h->request != REQUEST_NONE)
		take_result(h, &answer.result);
	else if (n >= (ssize_t)offsetof(struct history_rows, at) && answer.rows.type == HISTORY_ROWS && h->request == REQUEST_LOAD)
		take_rows(h, &answer.rows, (size_t)n);
	else if (n >= (ssize_t)offsetof(struct history_drives, at) && answer.drives.type == HISTORY_DRIVES &&
		 h->request == REQUEST_LOAD_KNOWN)
		take_known(h, &answer.drives, (size_t)n);
	else
		lose_child(h, n > 0 ? "its process says what it should not" : "its process ended");
	return h->fd >= 0;
}

static int on_io(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct history *h = userdata;

	if (events & EPOLLOUT && h->request != REQUEST_NONE)
		pump(h);
	while (h->fd >= 0 && receive(h))
		;
	work(h);
	return 0;
}

/* ---- what the exporter calls */

int history_start(sd_event *event, const struct history_options *options, struct history **ret)
{
	struct history *h = calloc(1, sizeof *h);

	if (!h)
		return -ENOMEM;
	h->event = sd_event_ref(event);
	h->options = *options;
	if (options->events)
		h->events = *options->events;
	h->fd = -1;
	h->directory = strdup(options->directory ? options->directory : "");
	if (!h->directory) {
		history_stop(h);
		return -ENOMEM;
	}
	start_or_wait(h);
	*ret = h;
	return 0;
}

/* Without the event loop, which no longer runs. A data base that did not work is tried once more. */
static void finish(struct history *h)
{
	uint64_t end = now_us() + STOP_MS * 1000;

	h->events = (struct history_events){ 0 };
	h->is_ending = true;
	waiting_forget_loads(h);
	h->resting = sd_event_source_unref(h->resting);
	h->is_due = waiting_is_any(h);
	work(h);
	while (h->fd >= 0 && h->request != REQUEST_NONE && now_us() < end) {
		struct pollfd p = { .fd = h->fd, .events = h->is_blocked ? POLLIN | POLLOUT : POLLIN };

		if (poll(&p, 1, (int)((end - now_us()) / 1000) + 1) < 0 && errno != EINTR)
			break;
		(void)on_io(NULL, h->fd, p.revents & POLLOUT ? EPOLLIN | EPOLLOUT : EPOLLIN, h);
	}
}

/* Where a warning said that the data base does not work, this is no news. */
static void tell_loss(const struct history *h)
{
	static const char loss[] = "history: %zu rows may be lost: that they are written was not acknowledged";
	size_t n = history_rows_waiting(h);

	if (n && h->trouble[0])
		log_info(loss, n);
	else if (n)
		log_warn(loss, n);
}

void history_stop(struct history *h)
{
	if (!h)
		return;
	if (h->fd >= 0 && !h->is_silent)
		finish(h);
	tell_loss(h);
	sd_event_source_unref(h->io);
	sd_event_source_unref(h->restart);
	sd_event_source_unref(h->resting);
	sd_event_source_unref(h->commit);
	sd_event_source_unref(h->silence);
	fd_closep(&h->fd);		/* the child ends with it, as soon as its disk lets it */
	reap(h);
	waiting_free(h);
	free(h->rows);
	free(h->known);
	free(h->directory);
	sd_event_unref(h->event);
	free(h);
}

static void plan_commit(struct history *h, bool now)
{
	if (h->is_due || (h->commit && !now))
		return;
	/* Not from within the call: several rows of one turn of the loop go together. */
	arm(h, &h->commit, now ? 0 : COMMIT_US, on_commit);
}

void history_load(struct history *h, const struct history_drive *drive)
{
	struct waiting *w = waiting_of(h, drive);

	if (!w)
		return;
	w->wants_rows = true;
	work(h);
}

void history_put(struct history *h, const struct history_drive *drive, const struct history_row *row, bool now)
{
	if (waiting_put(h, drive, row))
		plan_commit(h, now);
}

void history_put_reading(struct history *h, const struct history_drive *drive, const struct history_reading *reading)
{
	if (waiting_put_reading(h, drive, reading))
		plan_commit(h, false);
}

void history_load_known(struct history *h)
{
	h->wants_known = true;
	work(h);
}

void history_put_known(struct history *h, const struct history_known *known, bool now)
{
	if (waiting_put_known(h, known))
		plan_commit(h, now);
}

void history_forget_known(struct history *h, const struct history_drive *drive)
{
	struct history_known known = { .id = *drive };	/* never seen */

	if (waiting_put_known(h, &known))
		plan_commit(h, false);
}

bool history_is_up(const struct history *h)
{
	return h->is_up;
}

bool history_is_in_trouble(const struct history *h)
{
	return h->trouble[0];
}

int64_t history_committed_s(const struct history *h)
{
	return h->committed_s;
}

uint64_t history_rows_committed(const struct history *h)
{
	return h->n_committed;
}

uint64_t history_dropped(const struct history *h)
{
	return h->n_dropped;
}

uint64_t history_rows_invalid(const struct history *h)
{
	return h->n_invalid;
}

const char *history_default_directory(void)
{
	static char directory[4096];
	const char *all = getenv("STATE_DIRECTORY");

	if (!all || !*all)
		return "/var/lib/drive_exporter";
	snprintf(directory, sizeof directory, "%.*s", (int)strcspn(all, ":"), all);
	return directory;
}
