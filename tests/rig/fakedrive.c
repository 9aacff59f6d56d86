/* One drive: its capture, read again when it is replaced, and how long it takes to answer. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "replay/replay.h"
#include "rig/fakedrive_private.h"

enum {
	PAUSE_US = 20000,		/* how often one who waits looks whether something changed */
	TIMEOUT_S = 65,			/* "timeout" where the kernel keeps the time: longer than it waits for a command, so that it
					 * gives it up, and it ends after all */
};

struct fakedrive {
	char *path;
	char node[NODE_NAME_MAX];	/* that was asked for */
	uint64_t start_us;
	pthread_mutex_t lock;		/* of what follows; nobody waits with it */
	struct stat file;		/* of the capture that is served */
	struct replay replay;
	size_t node_index;
	unsigned generation;		/* how many captures it has had */
	struct faults faults;
};

/* ---- the capture */

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static size_t find_node(const struct replay_drive *r, const char *name)
{
	for (size_t i = 0; i < r->n_nodes; i++)
		if (!strcmp(r->nodes[i].name, name))
			return i;
	return 0;
}

/* The old capture stays where the new one can't be read. */
static bool load(struct fakedrive *d, struct text *error)
{
	struct replay fresh = { .n_drives = 0 };
	struct capture *capture = capture_read(d->path, error);

	if (!capture || !replay_add(&fresh, capture, error)) {
		replay_free(&fresh);
		return false;
	}
	replay_free(&d->replay);
	d->replay = fresh;
	replay_start(&d->replay, d->start_us);
	d->node_index = find_node(&d->replay.drives[0], d->node);
	d->generation++;
	return true;
}

/* With the lock held. A file that is not there for a moment has not changed. */
static void refresh(struct fakedrive *d)
{
	AUTO_TEXT error = TEXT_LIMIT(4096);
	struct stat now;

	if (stat(d->path, &now) || is_same_file(&now, &d->file))
		return;
	d->file = now;
	if (!load(d, &error))
		fprintf(stderr, "%s; going on with the old one\n", error.at ? error.at : d->path);
}

static void lock(struct fakedrive *d)
{
	pthread_mutex_lock(&d->lock);
	refresh(d);
}

static void unlock(struct fakedrive *d)
{
	pthread_mutex_unlock(&d->lock);
}

static uint64_t elapsed_s(const struct fakedrive *d)
{
	return (uint64_t)replay_elapsed_us(&d->replay) / 1000000;
}

struct fakedrive *fakedrive_open(const char *capture, const char *node, struct text *error)
{
	struct fakedrive *d = calloc(1, sizeof *d);

	if (!d)
		return NULL;
	d->start_us = clock_monotonic_us();
	pthread_mutex_init(&d->lock, NULL);
	text_copy(d->node, sizeof d->node, node ? node : "");
	d->path = strdup(capture);
	if (asprintf(&d->faults.path, "%s.fault", capture) < 0)
		d->faults.path = NULL;
	if (!d->path || !d->faults.path || stat(capture, &d->file) || !load(d, error)) {
		if (!error->at)
			text_addf(error, "%s: %s", capture, strerror(errno));
		fakedrive_free(d);
		return NULL;
	}
	return d;
}

void fakedrive_free(struct fakedrive *d)
{
	if (!d)
		return;
	replay_free(&d->replay);
	pthread_mutex_destroy(&d->lock);
	free(d->path);
	free(d->faults.path);
	free(d);
}

const char *fakedrive_path(const struct fakedrive *d)
{
	return d->path;
}

bool fakedrive_is_present(struct fakedrive *d)
{
	bool is_present;

	lock(d);
	is_present = replay_is_present(&d->replay.drives[0], elapsed_s(d));
	unlock(d);
	return is_present;
}

enum transport drive_transport(struct fakedrive *d)
{
	enum transport transport;

	lock(d);
	transport = d->replay.drives[0].capture->transport;
	unlock(d);
	return transport;
}

struct inventory_drive *drive_inventory(struct fakedrive *d, const struct inventory_device **ret_device)
{
	struct inventory_drive *inventory;

	lock(d);
	inventory = replay_inventory(&d->replay, 0, elapsed_s(d));
	*ret_device = inventory ? &inventory->devices[d->node_index] : NULL;
	unlock(d);
	return inventory;
}

/* ---- waiting */

struct wait {
	struct fakedrive *drive;
	const struct fakedrive_patience *patience;
	uint64_t began_us;
};

/* True: it is over, and nobody gets an answer. */
static bool is_given_up(const struct wait *w)
{
	uint64_t limit_us = (uint64_t)w->patience->limit_ms * 1000;

	if (limit_us && clock_monotonic_us() - w->began_us >= limit_us)
		return true;
	return w->patience->is_gone && w->patience->is_gone(w->patience->context);
}

static void pause_us(uint64_t us)
{
	struct timespec t = { .tv_sec = (time_t)(us / 1000000), .tv_nsec = (long)(us % 1000000) * 1000 };

	nanosleep(&t, NULL);
}

static bool wait_delay(const struct wait *w, uint64_t delay_us)
{
	uint64_t end_us = clock_monotonic_us() + delay_us, now_us;

	while ((now_us = clock_monotonic_us()) < end_us) {
		if (is_given_up(w))
			return false;
		pause_us(end_us - now_us < PAUSE_US ? end_us - now_us : PAUSE_US);
	}
	return true;
}

/* Where an ioctl has the time, "timeout" is told at once: nobody learns more by waiting for it. */
static void wait_timeout(const struct wait *w)
{
	if (!w->patience->limit_ms)
		(void)wait_delay(w, (uint64_t)TIMEOUT_S * 1000000);
}

/* ---- asking */

/* Until the line goes away. False: given up. */
static bool wait_fault(const struct wait *w, const char *name, const struct command *c, struct fault *fault,
		       bool *ret_is_fault)
{
	for (;;) {
		lock(w->drive);
		*ret_is_fault = faults_find(&w->drive->faults, name, c, fault);
		unlock(w->drive);
		if (!*ret_is_fault || !fault->is_hang)
			return true;
		if (is_given_up(w))
			return false;
		pause_us(PAUSE_US);
	}
}

static bool is_unknown(struct fail f)
{
	return (f.kind == FAIL_KIND_SENSE && f.code == 0x052000) || (f.kind == FAIL_KIND_ATA && f.code == 0x5104) ||
	       (f.kind == FAIL_KIND_NVME && f.code == 0x001);
}

/* Returns which capture said so. */
static unsigned look_up(struct fakedrive *d, const struct command *c, struct drive_answer *ret,
			struct replay_answer *answer)
{
	unsigned generation;

	lock(d);
	generation = d->generation;
	*answer = (struct replay_answer){ .fail = OK };
	if (replay_is_present(&d->replay.drives[0], elapsed_s(d))) {
		replay_look_up(&d->replay, 0, d->node_index, elapsed_s(d), c, ret->bytes, answer);
		ret->state = !answer->n_bytes && is_unknown(answer->fail) ? DRIVE_LACKS : DRIVE_ANSWERED;
	} else {
		ret->state = DRIVE_ABSENT;
	}
	unlock(d);
	ret->fail = answer->fail;
	ret->n = answer->n_bytes;
	return generation;
}

/* A capture's hang ends when another capture takes its place. */
static bool wait_new_capture(const struct wait *w, unsigned generation)
{
	for (;;) {
		bool is_new;

		lock(w->drive);
		is_new = w->drive->generation != generation;
		unlock(w->drive);
		if (is_new)
			return true;
		if (is_given_up(w))
			return false;
		pause_us(PAUSE_US);
	}
}

static bool ask_capture(const struct wait *w, const struct command *c, struct drive_answer *ret)
{
	struct replay_answer answer;
	unsigned generation = look_up(w->drive, c, ret, &answer);

	while (answer.is_hang) {
		if (!wait_new_capture(w, generation))
			return false;
		generation = look_up(w->drive, c, ret, &answer);
	}
	return wait_delay(w, answer.delay_us);
}

static bool ask(const struct wait *w, const char *name, const struct command *c, struct drive_answer *ret)
{
	struct fault fault = { .fail = OK };
	bool is_fault;

	ret->state = DRIVE_LACKS;
	ret->fail = OK;
	ret->n = 0;
	if (!fakedrive_is_present(w->drive)) {
		ret->state = DRIVE_ABSENT;
		return true;
	}
	if (!wait_fault(w, name, c, &fault, &is_fault) || (is_fault && !wait_delay(w, fault.delay_us)))
		return false;
	if (is_fault && fault.has_failure) {
		ret->state = DRIVE_ANSWERED;
		ret->fail = fault.fail;
		return true;
	}
	return !c || ask_capture(w, c, ret);
}

static void ask_and_wait(struct fakedrive *d, const struct fakedrive_patience *patience, const char *name,
			 const struct command *c, struct drive_answer *ret)
{
	struct wait w = { .drive = d, .patience = patience, .began_us = clock_monotonic_us() };

	if (!ask(&w, name, c, ret)) {
		ret->state = DRIVE_ANSWERED;
		ret->fail = fail_timeout();
		ret->n = 0;
	} else if (ret->fail.kind == FAIL_KIND_TIMEOUT) {
		wait_timeout(&w);
	}
}

void drive_ask(struct fakedrive *d, const struct fakedrive_patience *patience, const struct command *c,
	       struct drive_answer *ret)
{
	ask_and_wait(d, patience, commands[c->name].name, c, ret);
}

void drive_ask_by_name(struct fakedrive *d, const struct fakedrive_patience *patience, const char *name,
		       struct drive_answer *ret)
{
	ask_and_wait(d, patience, name, NULL, ret);
}

bool drive_peek(struct fakedrive *d, const struct command *c, struct drive_answer *ret)
{
	struct replay_answer answer;

	look_up(d, c, ret, &answer);
	return ret->state == DRIVE_ANSWERED && !answer.is_hang && !failed(ret->fail) && ret->n;
}

bool drive_peek_plain(struct fakedrive *d, enum command_name name, struct drive_answer *ret)
{
	struct command c = command_default(name);

	return drive_peek(d, &c, ret);
}

/* ---- what the block layer would know */

struct fakedrive_geometry fakedrive_geometry(struct fakedrive *d)
{
	const struct inventory_device *device;
	CLEANUP(inventory_freep) struct inventory_drive *inventory = drive_inventory(d, &device);
	struct fakedrive_geometry g = { .block_bytes = 512 };

	if (!device)
		return g;
	/* A controller has no size of its own: that of its first namespace. */
	for (size_t i = 0; device->is_controller && i < inventory->n_devices; i++)
		if (!inventory->devices[i].is_controller)
			device = &inventory->devices[i];
	if (device->logical_block)
		g.block_bytes = device->logical_block;
	g.blocks = device->size / g.block_bytes;
	return g;
}
