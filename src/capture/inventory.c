#include "capture/inventory.h"

#include <string.h>

#include "capture/line.h"

/* ---- writing */

static void write_device(const struct inventory_device *d, struct text *out)
{
	text_addf(out, "%s %s\ndiskseq %llu\n", d->is_controller ? "controller" : "device", d->name,
		  (unsigned long long)d->diskseq);
	if (d->size)
		text_addf(out, "size %llu\n", (unsigned long long)d->size);
	if (d->logical_block)
		text_addf(out, "logical-block %u\n", d->logical_block);
	if (d->rotational >= 0)
		text_addf(out, "rotational %d\n", d->rotational);
	if (d->devpath)
		text_addf(out, "devpath %s\n", d->devpath);
	if (d->n_stat) {
		text_add(out, "stat");
		for (size_t i = 0; i < d->n_stat; i++)
			text_addf(out, " %llu", (unsigned long long)d->stat[i]);
		text_add(out, "\n");
	}
	for (size_t i = 0; i < d->n_sysfs; i++)
		line_write_sysfs(out, d->sysfs[i].path, strlen(d->sysfs[i].path), d->sysfs[i].value);
}

void inventory_write(const struct inventory_drive *drive, struct text *out)
{
	text_addf(out, "drive %s\ntime %lld\npresent %d\ntransport %s\n", drive->key, (long long)drive->time_s,
		  drive->is_present, transport_name(drive->transport));
	for (size_t i = 0; i < drive->n_devices; i++) {
		/* A device whole or not at all, so that what is cut for want of room is still well formed. */
		AUTO_TEXT device = TEXT_LIMIT(INVENTORY_TEXT_MAX);

		write_device(&drive->devices[i], &device);
		if (device.at)
			text_add_bytes(out, device.at, device.length);
	}
}

/* ---- reading */

struct reader {
	struct inventory_drive *drive;
	struct inventory_device *device;	/* the last, or NULL */
	size_t sysfs_room;
	bool has_key, has_time, has_present, has_transport;
};

static int read_key(struct reader *r, char *value)
{
	if (r->has_key || !*value || strlen(value) >= INVENTORY_KEY_MAX)
		return -EBADMSG;
	text_copy(r->drive->key, sizeof r->drive->key, value);
	r->has_key = true;
	return 0;
}

static int read_number(const char *value, uint64_t max, bool *has, uint64_t *ret)
{
	if (*has || !text_to_u64(value, max, ret))
		return -EBADMSG;
	*has = true;
	return 0;
}

static int read_time(struct reader *r, char *value)
{
	uint64_t v = 0;
	int e = read_number(value, INT64_MAX, &r->has_time, &v);

	r->drive->time_s = (int64_t)v;
	return e;
}

static int read_present(struct reader *r, char *value)
{
	uint64_t v = 0;
	int e = read_number(value, 1, &r->has_present, &v);

	r->drive->is_present = v;
	return e;
}

static int read_transport(struct reader *r, char *value)
{
	if (r->has_transport || !transport_from_name(value, &r->drive->transport))
		return -EBADMSG;
	r->has_transport = true;
	return 0;
}

static int add_device(struct reader *r, const char *name, enum capture_line_kind kind)
{
	struct inventory_drive *d = r->drive;
	struct inventory_device *grown;

	if (line_rules[kind].refusal(name) || d->n_devices == INVENTORY_DEVICES)
		return -EBADMSG;
	for (size_t i = 0; i < d->n_devices; i++)
		if (!strcmp(d->devices[i].name, name))
			return -EBADMSG;
	grown = reallocarray(d->devices, d->n_devices + 1, sizeof *grown);
	if (!grown)
		return -ENOMEM;
	d->devices = grown;
	r->device = &grown[d->n_devices++];
	*r->device = (struct inventory_device){ .rotational = -1, .is_controller = kind == CAPTURE_CONTROLLER };
	text_copy(r->device->name, sizeof r->device->name, name);
	r->sysfs_room = 0;
	return 0;
}

static int read_device(struct reader *r, char *value)
{
	return add_device(r, value, CAPTURE_DEVICE);
}

static int read_controller(struct reader *r, char *value)
{
	return add_device(r, value, CAPTURE_CONTROLLER);
}

static int read_diskseq(struct reader *r, char *value)
{
	bool has = r->device->diskseq;

	return read_number(value, UINT64_MAX, &has, &r->device->diskseq) || !r->device->diskseq ? -EBADMSG : 0;
}

static int read_size(struct reader *r, char *value)
{
	bool has = r->device->size;

	return read_number(value, UINT64_MAX, &has, &r->device->size);
}

static int read_logical_block(struct reader *r, char *value)
{
	bool has = r->device->logical_block;
	uint64_t v = 0;
	int e = read_number(value, UINT32_MAX, &has, &v);

	if (!e)
		r->device->logical_block = (uint32_t)v;
	return e;
}

static int read_rotational(struct reader *r, char *value)
{
	bool has = r->device->rotational >= 0;
	uint64_t v = 0;
	int e = read_number(value, 1, &has, &v);

	if (!e)
		r->device->rotational = (int)v;
	return e;
}

static int read_devpath(struct reader *r, char *value)
{
	if (r->device->devpath || line_rules[CAPTURE_DEVPATH].refusal(value))
		return -EBADMSG;
	r->device->devpath = strdup(value);
	return r->device->devpath ? 0 : -ENOMEM;
}

static int read_stat(struct reader *r, char *value)
{
	char *word;

	if (r->device->n_stat)
		return -EBADMSG;
	while ((word = line_word(&value)))
		if (r->device->n_stat == INVENTORY_STAT ||
		    !text_to_u64(word, UINT64_MAX, &r->device->stat[r->device->n_stat++]))
			return -EBADMSG;
	return r->device->n_stat ? 0 : -EBADMSG;
}

static int read_sysfs(struct reader *r, char *value)
{
	struct inventory_device *d = r->device;
	size_t n_path;

	if (line_rules[CAPTURE_SYSFS].refusal(value) || d->n_sysfs == INVENTORY_SYSFS)
		return -EBADMSG;
	n_path = line_undo_escapes(value);
	if (!n_path)
		return -EBADMSG;
	value[n_path] = 0;
	if (inventory_sysfs(d, value))
		return -EBADMSG;
	if (d->n_sysfs == r->sysfs_room) {
		size_t room = r->sysfs_room ? 2 * r->sysfs_room : 8;
		struct inventory_sysfs *grown = reallocarray(d->sysfs, room, sizeof *grown);

		if (!grown)
			return -ENOMEM;
		d->sysfs = grown;
		r->sysfs_room = room;
	}
	d->sysfs[d->n_sysfs] = (struct inventory_sysfs){ .path = strdup(value), .value = strdup(value + n_path + 1) };
	d->n_sysfs++;
	return d->sysfs[d->n_sysfs - 1].path && d->sysfs[d->n_sysfs - 1].value ? 0 : -ENOMEM;
}

static const struct {
	const char *word;
	int (*read)(struct reader *, char *value);
	bool of_device;
} inventory_lines[] = {
	{ "drive", read_key, false },
	{ "time", read_time, false },
	{ "present", read_present, false },
	{ "transport", read_transport, false },
	{ "device", read_device, false },
	{ "controller", read_controller, false },
	{ "diskseq", read_diskseq, true },
	{ "size", read_size, true },
	{ "logical-block", read_logical_block, true },
	{ "rotational", read_rotational, true },
	{ "devpath", read_devpath, true },
	{ "stat", read_stat, true },
	{ "sysfs", read_sysfs, true },
};

static int read_line(struct reader *r, char *line)
{
	char *value = strchr(line, ' ');

	if (!value)
		return -EBADMSG;
	*value++ = 0;
	if (!r->has_key && strcmp(line, "drive"))	/* who it is about comes first */
		return -EBADMSG;
	for (size_t i = 0; i < ARRAY_SIZE(inventory_lines); i++) {
		if (strcmp(inventory_lines[i].word, line))
			continue;
		if (inventory_lines[i].of_device && !r->device)
			return -EBADMSG;
		return inventory_lines[i].read(r, value);
	}
	return -EBADMSG;
}

/* What no device can lack: its number, by which a swapped disk is known. */
static bool is_whole(const struct reader *r)
{
	for (size_t i = 0; i < r->drive->n_devices; i++)
		if (!r->drive->devices[i].diskseq)
			return false;
	return r->has_key && r->has_time && r->has_present && r->has_transport;
}

int inventory_parse(const char *text, struct inventory_drive **ret)
{
	CLEANUP(inventory_freep) struct inventory_drive *drive = calloc(1, sizeof *drive);
	struct reader r = { .drive = drive };
	size_t n = strnlen(text, INVENTORY_TEXT_MAX + 1);
	AUTO_FREE char *copy = n <= INVENTORY_TEXT_MAX ? strdup(text) : NULL;
	char *line, *rest = copy;

	if (n > INVENTORY_TEXT_MAX)
		return -EBADMSG;
	if (!drive || !copy)
		return -ENOMEM;
	if (!text_is_utf8(copy))
		return -EBADMSG;
	while (*rest) {
		int e;

		line = strsep(&rest, "\n");
		if (!rest)		/* every line has its end */
			return -EBADMSG;
		e = read_line(&r, line);
		if (e)
			return e;
	}
	if (!is_whole(&r))
		return -EBADMSG;
	*ret = pointer_steal(&drive);
	return 0;
}

/* ---- in memory */

void inventory_free(struct inventory_drive *drive)
{
	if (!drive)
		return;
	for (size_t i = 0; i < drive->n_devices; i++) {
		struct inventory_device *d = &drive->devices[i];

		for (size_t k = 0; k < d->n_sysfs; k++) {
			free(d->sysfs[k].path);
			free(d->sysfs[k].value);
		}
		free(d->sysfs);
		free(d->devpath);
	}
	free(drive->devices);
	free(drive);
}

void inventory_freep(struct inventory_drive **drive)
{
	inventory_free(*drive);
	*drive = NULL;
}

const char *inventory_sysfs(const struct inventory_device *d, const char *path)
{
	for (size_t i = 0; i < d->n_sysfs; i++)
		if (!strcmp(d->sysfs[i].path, path))
			return d->sysfs[i].value;
	return NULL;
}
