/* The child: one request after the other, and whatever a disk makes it wait for. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/array.h"
#include "history/store.h"
#include "history/wire.h"

struct child {
	const char *directory;		/* NULL: in memory */
	struct store *store;		/* NULL: not open */
	struct history_message *batch;
	size_t n, room;
	bool has_failed;		/* no memory for a part of the batch */
};

static void send_answer(const void *answer, size_t size)
{
	ssize_t n;

	do
		n = send(HISTORY_CHILD_FD, answer, size, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		exit(EXIT_FAILURE);	/* the exporter is gone; what it had acknowledged is on the disk */
}

/* ---- what is asked for, on an open data base */

static int put_batch(struct child *c, struct text *error)
{
	int64_t drive = 0;
	int r = store_begin(c->store, error);

	for (size_t i = 0; i < c->n && !r; i++) {
		const struct history_message *m = &c->batch[i];

		if (m->type == HISTORY_DRIVE)
			r = store_put_drive(c->store, &m->drive, &drive, error);
		else if (m->type == HISTORY_ROW)
			r = store_put_row(c->store, drive, &m->row, false, error);
		else if (m->type == HISTORY_KNOWN)
			r = store_put_known(c->store, drive, &m->known, error);
		else
			r = store_put_reading(c->store, drive, &m->reading, error);
	}
	if (!r)
		r = store_commit(c->store, error);
	if (r)
		store_rollback(c->store);
	return r;
}

static int commit(struct child *c, const struct history_message *m, struct history_answer *answer, struct text *error)
{
	if (c->has_failed) {
		text_add(error, "no memory");
		return -ENOMEM;
	}
	return c->n ? put_batch(c, error) : 0;
}

static int load(struct child *c, const struct history_message *m, struct history_answer *answer, struct text *error)
{
	struct history_rows out = { .type = HISTORY_ROWS };
	AUTO_FREE struct history_row *rows = NULL;
	size_t n = 0;
	int r;

	answer->n_invalid = 0;
	r = store_load(c->store, m->drive.drive, &rows, &n, &answer->n_invalid, error);
	for (size_t i = 0; i < n && !r; i += out.n) {
		out.n = n - i < HISTORY_ROWS_MAX ? (uint32_t)(n - i) : HISTORY_ROWS_MAX;
		memcpy(out.at, &rows[i], out.n * sizeof *out.at);
		send_answer(&out, offsetof(struct history_rows, at) + out.n * sizeof *out.at);
	}
	return r;
}

static void send_known(const struct history_known *known, size_t n)
{
	struct history_drives out = { .type = HISTORY_DRIVES };

	for (size_t i = 0; i < n; i += out.n) {
		out.n = n - i < HISTORY_KNOWN_MAX ? (uint32_t)(n - i) : HISTORY_KNOWN_MAX;
		memcpy(out.at, &known[i], out.n * sizeof *out.at);
		send_answer(&out, offsetof(struct history_drives, at) + out.n * sizeof *out.at);
	}
}

static int load_known(struct child *c, const struct history_message *m, struct history_answer *answer, struct text *error)
{
	AUTO_FREE struct history_known *known = NULL;
	size_t n = 0;
	int r;

	answer->n_invalid = 0;
	r = store_load_known(c->store, &known, &n, &answer->n_invalid, error);
	if (!r)
		send_known(known, n);
	return r;
}

static int try(struct child *c, const struct history_message *m, struct history_answer *answer, struct text *error)
{
	return 0;
}

/* ---- opening, closing, beginning anew */

static void close_store(struct child *c)
{
	store_close(c->store);
	c->store = NULL;
}

static int open_store(struct child *c, struct history_answer *answer, struct text *error)
{
	int r;

	if (c->store && c->directory && store_is_replaced(c->store))
		close_store(c);		/* somebody deleted it: what is written to it is lost */
	if (c->store)
		return 0;
	r = store_open(c->directory, STORE_WRITE, &c->store, error);
	if (!r)
		answer->is_new |= store_is_new(c->store);
	return r;
}

static int move_aside(struct child *c, const char *why, struct history_answer *answer, struct text *error)
{
	char path[STORE_PATH_MAX];
	int r;

	close_store(c);
	r = store_move_aside(c->directory, path, error);
	if (!r)
		snprintf(answer->moved_aside, sizeof answer->moved_aside, "%.300s; moved aside as %.500s, and begun anew", why, path);
	return r;
}

static const char *reason_of(const struct text *error, int r)
{
	return error->at ? error->at : strerror(-r);
}

static void serve(struct child *c, const struct history_message *m,
		  int (*act)(struct child *, const struct history_message *, struct history_answer *, struct text *))
{
	struct history_answer answer = { .type = HISTORY_RESULT };
	int r = 0;

	for (int attempt = 0; attempt < 2; attempt++) {
		AUTO_TEXT error = TEXT_LIMIT(HISTORY_REASON_MAX - 1), why = TEXT_LIMIT(HISTORY_REASON_MAX - 1);

		r = open_store(c, &answer, &error);
		if (!r)
			r = act(c, m, &answer, &error);
		if (r == -EUCLEAN && c->directory && !attempt) {
			text_add(&why, reason_of(&error, r));
			text_free(&error);
			r = move_aside(c, why.at ? why.at : "damaged", &answer, &error);
			if (!r)
				continue;
		}
		if (r)
			text_copy(answer.reason, sizeof answer.reason, reason_of(&error, r));
		break;
	}
	if (r)
		close_store(c);		/* the next request tries it from the beginning */
	answer.error = r;
	send_answer(&answer, sizeof answer);
}

/* ---- the loop */

static void keep(struct child *c, const struct history_message *m)
{
	c->has_failed |= !ARRAY_GROW(c->batch, c->room, c->n);
	if (!c->has_failed)
		c->batch[c->n++] = *m;
}

static void take(struct child *c, const struct history_message *m)
{
	switch (m->type) {
	case HISTORY_OPEN:
		serve(c, m, try);
		return;
	case HISTORY_DRIVE:
	case HISTORY_ROW:
	case HISTORY_READING:
	case HISTORY_KNOWN:
		keep(c, m);
		return;
	case HISTORY_COMMIT:
		serve(c, m, commit);
		c->n = 0;
		c->has_failed = false;
		return;
	case HISTORY_LOAD:
		serve(c, m, load);
		return;
	case HISTORY_LOAD_KNOWN:
		serve(c, m, load_known);
		return;
	}
}

/* The exporter ended, perhaps in the middle of a batch: what came of it is written all the same. */
static int end(struct child *c)
{
	AUTO_TEXT error = TEXT_LIMIT(HISTORY_REASON_MAX);
	int r = 0;

	if (c->n && c->store)
		r = put_batch(c, &error);
	close_store(c);
	free(c->batch);
	return r ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* A signal to the whole process group must not end it before it has written what it got: the socket's end does. */
static void become_child(void)
{
	static const int ignored[] = { SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGQUIT };

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	(void)fcntl(HISTORY_CHILD_FD, F_SETFD, FD_CLOEXEC);
	(void)prctl(PR_SET_NAME, "drive-history");
	(void)umask(0027);
}

void history_child_main(int argc, char **argv)
{
	static struct history_message m;
	struct child c = { 0 };
	int type = 0;
	socklen_t size = sizeof type;
	ssize_t n;

	if (argc != 3 || strcmp(argv[1], HISTORY_CHILD_VERB))
		return;
	if (getsockopt(HISTORY_CHILD_FD, SOL_SOCKET, SO_TYPE, &type, &size) || type != SOCK_SEQPACKET) {
		fprintf(stderr, "%s: %s is started by the program itself\n", argv[0], HISTORY_CHILD_VERB);
		exit(EXIT_FAILURE);
	}
	become_child();
	c.directory = *argv[2] ? argv[2] : NULL;
	while ((n = recv(HISTORY_CHILD_FD, &m, sizeof m, 0)) > 0 || (n < 0 && errno == EINTR))
		if (n == sizeof m)
			take(&c, &m);
	exit(end(&c));
}
