/* What the client is told of the drives: at first all, then each that a section changed. */
#include <limits.h>
#include <string.h>

#include "base/clock.h"

#include "replay/replay.h"

static struct inventory_device *device_named(struct inventory_drive *d, const char *name)
{
	for (size_t i = 0; i < d->n_devices; i++)
		if (!strcmp(d->devices[i].name, name))
			return &d->devices[i];
	return NULL;
}

static bool put_sysfs(struct inventory_device *d, const struct capture_line *l)
{
	const char *value = l->value + l->n_path + 1;
	struct inventory_sysfs *grown;

	for (size_t i = 0; i < d->n_sysfs; i++) {
		if (strlen(d->sysfs[i].path) == l->n_path && !strncmp(d->sysfs[i].path, l->value, l->n_path)) {
			free(d->sysfs[i].value);
			d->sysfs[i].value = strdup(value);
			return d->sysfs[i].value;
		}
	}
	if (d->n_sysfs == INVENTORY_SYSFS)
		return true;
	grown = reallocarray(d->sysfs, d->n_sysfs + 1, sizeof *grown);
	if (!grown)
		return false;
	d->sysfs = grown;
	grown += d->n_sysfs++;
	*grown = (struct inventory_sysfs){ .path = strndup(l->value, l->n_path), .value = strdup(value) };
	return grown->path && grown->value;
}

static void put_stat(struct inventory_device *d, const char *fields)
{
	d->n_stat = 0;
	while (*fields && d->n_stat < INVENTORY_STAT) {
		char *end;	/* the parser saw to it that these are numbers */

		d->stat[d->n_stat++] = strtoull(fields, &end, 10);
		fields = *end ? end + 1 : end;
	}
}

static bool put_line(struct inventory_device *d, const struct capture_line *l)
{
	uint64_t number;

	switch (l->kind) {
	case CAPTURE_SIZE:
		d->size = strtoull(l->value, NULL, 10);
		return true;
	case CAPTURE_LOGICAL_BLOCK:
		if (text_to_u64(l->value, UINT32_MAX, &number))
			d->logical_block = (uint32_t)number;
		return true;
	case CAPTURE_ROTATIONAL:
		d->rotational = l->value[0] == '1';
		return true;
	case CAPTURE_DEVPATH:
		free(d->devpath);
		d->devpath = strdup(l->value);
		return d->devpath;
	case CAPTURE_SYSFS:
		return put_sysfs(d, l);
	case CAPTURE_STAT:
		put_stat(d, l->value);
		return true;
	case CAPTURE_DEVICE:
	case CAPTURE_CONTROLLER:
	case CAPTURE_ABSENT:
	case CAPTURE_PRESENT:
		break;
	}
	return true;
}

/* A line that says no node is the first one's. */
static bool put_change(struct inventory_drive *d, const struct capture_line *l)
{
	struct inventory_device *device = l->node[0] ? device_named(d, l->node) : &d->devices[0];

	return !device || put_line(device, l);
}

/* A derived controller is the folder above its namespace: .../nvme0/nvme0n1. */
static bool derive_devpath(struct inventory_drive *d, struct inventory_device *controller)
{
	size_t n = strlen(controller->name);

	for (size_t i = 0; i < d->n_devices; i++) {
		const char *path = d->devices[i].devpath, *last = path ? strrchr(path, '/') : NULL;

		if (!last || (size_t)(last - path) < n + 1 || last[-(ptrdiff_t)n - 1] != '/' ||
		    strncmp(last - n, controller->name, n))
			continue;
		controller->devpath = strndup(path, (size_t)(last - path));
		return controller->devpath;
	}
	return true;
}

static bool fill(const struct replay *r, size_t drive, uint64_t at_s, struct inventory_drive *d)
{
	const struct replay_drive *from = &r->drives[drive];
	size_t n_moments = replay_moments_until(from, at_s);
	size_t n_changes = n_moments ? from->moments[n_moments - 1].n_changes : 0;

	d->devices = calloc(from->n_nodes, sizeof *d->devices);
	if (!d->devices)
		return false;
	d->n_devices = from->n_nodes;
	for (size_t i = 0; i < from->n_nodes; i++) {
		struct inventory_device *device = &d->devices[i];

		text_copy(device->name, sizeof device->name, from->nodes[i].name);
		device->is_controller = from->nodes[i].is_controller;
		device->diskseq = replay_diskseq(r, drive, i, at_s);
		device->rotational = -1;
	}
	for (size_t i = 0; i < from->capture->n_lines; i++)
		if (from->capture->lines[i].is_header && !put_change(d, &from->capture->lines[i]))
			return false;
	for (size_t i = 0; i < n_changes; i++)
		if (!put_change(d, from->changes[i]))
			return false;
	for (size_t i = 0; i < d->n_devices; i++)
		if (d->devices[i].is_controller && !d->devices[i].devpath && !derive_devpath(d, &d->devices[i]))
			return false;
	return true;
}

struct inventory_drive *replay_inventory(const struct replay *r, size_t drive, uint64_t at_s)
{
	CLEANUP(inventory_freep) struct inventory_drive *d = calloc(1, sizeof *d);

	if (!d)
		return NULL;
	text_copy(d->key, sizeof d->key, r->drives[drive].key);
	d->time_s = r->start_real_us / 1000000 + (int64_t)at_s;
	d->is_present = replay_is_present(&r->drives[drive], at_s);
	d->transport = r->drives[drive].capture->transport;
	return fill(r, drive, at_s, d) ? pointer_steal(&d) : NULL;
}

const char *replay_devpath(const struct replay_drive *d, size_t node)
{
	for (size_t i = 0; i < d->capture->n_lines; i++) {
		const struct capture_line *l = &d->capture->lines[i];

		if (l->kind == CAPTURE_DEVPATH && !strcmp(l->node, d->nodes[node].name))
			return l->value;
	}
	return NULL;
}

/* ---- telling */

static bool changes_between(const struct replay_drive *d, uint64_t after_s, uint64_t to_s)
{
	return replay_moments_until(d, after_s) < replay_moments_until(d, to_s);
}

void replay_tell(void *replay, bool is_first, void (*send)(void *to, const uint8_t *message, size_t n), void *to)
{
	static uint8_t message[WIRE_MESSAGE_MAX];
	struct replay *r = replay;
	uint64_t now_s = (uint64_t)replay_elapsed_us(r) / 1000000;

	for (size_t i = 0; i < r->n_drives; i++) {
		CLEANUP(inventory_freep) struct inventory_drive *d = NULL;
		AUTO_TEXT text = TEXT_LIMIT(INVENTORY_TEXT_MAX);

		if (!is_first && !changes_between(&r->drives[i], r->told_s, now_s))
			continue;
		d = replay_inventory(r, i, now_s);
		if (!d)
			continue;
		inventory_write(d, &text);
		send(to, message, wire_put_text(message, WIRE_INVENTORY, text.at));
	}
	if (is_first)
		send(to, message, wire_put_empty(message, WIRE_INVENTORY_END));
	r->told_s = now_s;
}

int replay_next_event_ms(void *replay)
{
	const struct replay *r = replay;
	uint64_t next_s = UINT64_MAX, at_us, now_us = clock_monotonic_us(), wait_ms;

	for (size_t i = 0; i < r->n_drives; i++) {
		const struct replay_drive *d = &r->drives[i];
		size_t m = replay_moments_until(d, r->told_s);

		if (m < d->n_moments && d->moments[m].at_s < next_s)
			next_s = d->moments[m].at_s;
	}
	if (next_s == UINT64_MAX)
		return -1;
	at_us = clock_monotonic_from((uint64_t)r->start_steady_us + next_s * 1000000);
	if (at_us <= now_us)
		return 0;
	wait_ms = (at_us - now_us - 1) / 1000 + 1;	/* rounded up: it must have come by then */
	return wait_ms > INT_MAX ? INT_MAX : (int)wait_ms;
}
