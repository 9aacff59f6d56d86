#include "replay/replay.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

void replay_start(struct replay *r, uint64_t start_us)
{
	r->start_steady_us = (int64_t)start_us;
	r->start_real_us = clock_real_us() - replay_elapsed_us(r);
}

int64_t replay_elapsed_us(const struct replay *r)
{
	return (int64_t)clock_steady_us() - r->start_steady_us;
}

/* ---- who is there */

bool replay_is_present(const struct replay_drive *d, uint64_t at_s)
{
	size_t n = replay_moments_until(d, at_s);

	return !n || d->moments[n - 1].is_present;
}

uint64_t replay_diskseq(const struct replay *r, size_t drive, size_t node, uint64_t at_s)
{
	const struct replay_drive *d = &r->drives[drive];
	size_t n = replay_moments_until(d, at_s);
	uint64_t returns = n ? d->moments[n - 1].returns : 0;

	return 1 + (returns * r->n_drives + drive) * INVENTORY_DEVICES + node;
}

static bool find_node(const struct replay_drive *d, const char *name, size_t *ret)
{
	for (size_t i = 0; i < d->n_nodes; i++) {
		if (!strcmp(d->nodes[i].name, name)) {
			*ret = i;
			return true;
		}
	}
	return false;
}

bool replay_owner(const struct replay *r, const char *node, uint64_t at_s, size_t *ret_drive, size_t *ret_node)
{
	for (size_t i = 0; i < r->n_drives; i++) {
		if (find_node(&r->drives[i], node, ret_node) && replay_is_present(&r->drives[i], at_s)) {
			*ret_drive = i;
			return true;
		}
	}
	return false;
}

/* ---- taking captures in */

static bool add_node(struct replay_drive *d, const char *name, bool is_controller)
{
	size_t known;

	if (find_node(d, name, &known))
		return true;
	text_copy(d->nodes[d->n_nodes].name, NODE_NAME_MAX, name);
	d->nodes[d->n_nodes++].is_controller = is_controller;
	return true;
}

/* An NVMe capture without controllers: nvme0n1 is behind nvme0. */
static void derive_controllers(struct replay_drive *d)
{
	size_t n = d->n_nodes;

	for (size_t i = 0; i < n; i++)
		if (d->nodes[i].is_controller)
			return;
	for (size_t i = 0; i < n; i++) {
		char name[NODE_NAME_MAX], *last;

		text_copy(name, sizeof name, d->nodes[i].name);
		last = strncmp(name, "nvme", 4) ? NULL : strrchr(name + 4, 'n');
		if (last) {
			*last = 0;
			add_node(d, name, true);
		}
	}
}

static bool collect_nodes(struct replay_drive *d)
{
	const char *name;
	bool is_controller;

	d->nodes = calloc(INVENTORY_DEVICES, sizeof *d->nodes);	/* twice what a capture can name */
	if (!d->nodes)
		return false;
	for (size_t i = 0; (name = capture_device(d->capture, i, &is_controller)); i++)
		add_node(d, name, is_controller);
	if (d->capture->transport == TRANSPORT_NVME)
		derive_controllers(d);
	return true;
}

/* Is there a moment at which both are present? It would be the start, or one at which something changes. */
static bool are_present_together(const struct replay_drive *a, const struct replay_drive *b)
{
	if (replay_is_present(a, 0) && replay_is_present(b, 0))
		return true;
	for (size_t i = 0; i < a->n_moments + b->n_moments; i++) {
		uint64_t at_s = i < a->n_moments ? a->moments[i].at_s : b->moments[i - a->n_moments].at_s;

		if (replay_is_present(a, at_s) && replay_is_present(b, at_s))
			return true;
	}
	return false;
}

/* Two drives may take turns on one node; at any moment it is one's. */
static bool check_clashes(const struct replay *r, const struct replay_drive *d, struct text *error)
{
	size_t known;

	for (size_t i = 0; i < r->n_drives; i++) {
		for (size_t k = 0; k < d->n_nodes; k++) {
			if (!find_node(&r->drives[i], d->nodes[k].name, &known) ||
			    !are_present_together(&r->drives[i], d))
				continue;
			text_addf(error, "%s: %s is the drive of %s already, which is present at the same time\n",
				  d->capture->file, d->nodes[k].name, r->drives[i].capture->file);
			return false;
		}
	}
	return true;
}

static bool has_key(const struct replay *r, const char *key)
{
	for (size_t i = 0; i < r->n_drives; i++)
		if (!strcmp(r->drives[i].key, key))
			return true;
	return false;
}

/* The file's name without its folder, as text that fits on a line; #2, #3, ... where files of several folders share
 * it. */
static void choose_key(const struct replay *r, struct replay_drive *d)
{
	enum { NUMBER_MAX = 24 };
	const char *slash = strrchr(d->capture->file, '/');
	char name[INVENTORY_KEY_MAX - NUMBER_MAX];

	text_printable(slash ? slash + 1 : d->capture->file, name, sizeof name);
	snprintf(d->key, sizeof d->key, "%s", *name ? name : "capture");
	for (size_t n = 2; has_key(r, d->key); n++)
		snprintf(d->key, sizeof d->key, "%s#%zu", name, n);
}

static void drive_free(struct replay_drive *d)
{
	capture_free(d->capture);
	free(d->nodes);
	replay_index_free(d);
}

bool replay_add(struct replay *r, struct capture *capture, struct text *error)
{
	struct replay_drive d = { .capture = capture };
	struct replay_drive *grown;

	if (!collect_nodes(&d) || !replay_index(&d))
		text_addf(error, "%s: out of memory\n", capture->file);
	else if (!d.n_nodes)
		text_addf(error, "%s: it has neither a device nor a controller line, so nobody could ask it\n",
			  capture->file);
	else if (check_clashes(r, &d, error)) {
		choose_key(r, &d);
		grown = reallocarray(r->drives, r->n_drives + 1, sizeof *grown);
		if (grown) {
			r->drives = grown;
			r->drives[r->n_drives++] = d;
			return true;
		}
		text_addf(error, "%s: out of memory\n", capture->file);
	}
	drive_free(&d);
	return false;
}

void replay_free(struct replay *r)
{
	for (size_t i = 0; i < r->n_drives; i++)
		drive_free(&r->drives[i]);
	free(r->drives);
	free(r->places);
	*r = (struct replay){ .n_drives = 0 };
}
