#include "block/diskstats.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/text.h"

enum { SECTOR_BYTES = 512, BUFFER_MAX = 16 << 20 };

/* One row a field; a family without operations has no op. */
static const struct {
	uint8_t field;		/* as numbered in iostats.rst, from 1 */
	uint16_t family;
	const char *op;
	uint16_t times, over;	/* to our unit */
} rows[] = {
	{ 1, drive_io_completed_total, "read", 1, 1 },
	{ 2, drive_io_merged_total, "read", 1, 1 },
	{ 3, drive_io_bytes_total, "read", SECTOR_BYTES, 1 },
	{ 4, drive_io_seconds_total, "read", 1, 1000 },
	{ 5, drive_io_completed_total, "write", 1, 1 },
	{ 6, drive_io_merged_total, "write", 1, 1 },
	{ 7, drive_io_bytes_total, "write", SECTOR_BYTES, 1 },
	{ 8, drive_io_seconds_total, "write", 1, 1000 },
	{ 9, drive_io_in_flight, NULL, 1, 1 },
	{ 10, drive_io_busy_seconds_total, NULL, 1, 1000 },
	{ 11, drive_io_weighted_seconds_total, NULL, 1, 1000 },
	{ 12, drive_io_completed_total, "discard", 1, 1 },
	{ 13, drive_io_merged_total, "discard", 1, 1 },
	{ 14, drive_io_bytes_total, "discard", SECTOR_BYTES, 1 },
	{ 15, drive_io_seconds_total, "discard", 1, 1000 },
	{ 16, drive_io_completed_total, "flush", 1, 1 },
	{ 17, drive_io_seconds_total, "flush", 1, 1000 },
};

void diskstats_samples(const char *device, const uint64_t *field, size_t n, struct sample_sink *to)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sample s = { .family = rows[i].family, .is_dynamic = true, .label = { device, rows[i].op } };

		if (rows[i].field > n)
			break;
		s.value = (double)field[rows[i].field - 1] * rows[i].times / rows[i].over;
		sample_put(to, &s);
	}
}

/* The whole file in one go: the kernel makes it anew for every read from the start. */
static int read_file(struct diskstats_table *t, const char *path)
{
	AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;

	if (fd < 0)
		return -errno;
	for (;;) {
		ssize_t got;

		if (n + 1 >= t->buffer_size) {
			size_t size = t->buffer_size ? t->buffer_size * 2 : 16384;
			char *buffer = size <= BUFFER_MAX ? realloc(t->buffer, size) : NULL;

			if (!buffer)
				return -ENOMEM;
			t->buffer = buffer;
			t->buffer_size = size;
		}
		got = read(fd, t->buffer + n, t->buffer_size - n - 1);
		if (got < 0)
			return -errno;
		if (!got)
			break;
		n += (size_t)got;
	}
	t->buffer[n] = 0;
	return 0;
}

static const char *skip_blanks(const char *at)
{
	while (*at == ' ')
		at++;
	return at;
}

static const char *next_number(const char *at, uint64_t *ret)
{
	uint64_t v = 0;

	at = skip_blanks(at);
	if (!isdigit((unsigned char)*at))
		return NULL;
	while (isdigit((unsigned char)*at))
		v = v * 10 + (uint64_t)(*at++ - '0');
	*ret = v;
	return at;
}

/* " 254 0 vda 35478 ...": major, minor, name, then the fields, as many as this kernel has. */
static bool parse_line(const char *at, struct diskstats *ret)
{
	uint64_t number;
	size_t n;

	at = next_number(at, &number);
	if (at)
		at = next_number(at, &number);
	if (!at)
		return false;
	at = skip_blanks(at);
	n = strcspn(at, " \n");
	if (!n || n >= sizeof ret->name)
		return false;
	memcpy(ret->name, at, n);
	ret->name[n] = 0;
	at += n;
	ret->n = 0;
	while (ret->n < DISKSTATS_FIELDS && (at = next_number(at, &ret->field[ret->n])))
		ret->n++;
	return ret->n >= 11;
}

static struct diskstats_path *path_of(struct diskstats_table *t, const char *name)
{
	for (size_t i = 0; i < t->n_paths; i++)
		if (!strcmp(t->paths[i].now.name, name))
			return &t->paths[i];
	if (!ARRAY_GROW(t->paths, t->room_paths, t->n_paths))
		return NULL;
	t->paths[t->n_paths] = (struct diskstats_path){ .is_there = true };
	memcpy(t->paths[t->n_paths].now.name, name, sizeof t->paths[0].now.name);
	return &t->paths[t->n_paths++];
}

/* One that counts less than before is another path of the same name. */
static void take_path(struct diskstats_path *path, const struct diskstats *now)
{
	bool is_new = now->field[0] < path->now.field[0] || now->field[4] < path->now.field[4];

	for (size_t k = 0; k < DISKSTATS_FIELDS && is_new; k++)
		path->before.field[k] += path->now.field[k];
	path->now = *now;
	path->is_there = true;
}

/* nvme3c33n1: native multipath. */
static bool is_path(const char *name)
{
	size_t digits = 4 + (strncmp(name, "nvme", 4) ? 0 : strspn(name + 4, "0123456789"));

	return !strncmp(name, "nvme", 4) && digits > 4 && name[digits] == 'c';
}

static void take_paths(struct diskstats_table *t)
{
	for (size_t i = 0; i < t->n_paths; i++)
		t->paths[i].is_there = false;
	for (size_t i = 0; i < t->n; i++) {
		struct diskstats_path *path = is_path(t->at[i].name) ? path_of(t, t->at[i].name) : NULL;

		if (path)
			take_path(path, &t->at[i]);
	}
}

void diskstats_parse(struct diskstats_table *t, const char *text)
{
	t->n = 0;
	for (const char *end; *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		if (!ARRAY_GROW(t->at, t->room, t->n))
			return;
		t->n += parse_line(text, &t->at[t->n]);
	}
	take_paths(t);
}

int diskstats_read(struct diskstats_table *t, const char *path)
{
	int r = read_file(t, path);

	if (r) {
		t->n = 0;
		return r;
	}
	diskstats_parse(t, t->buffer);
	return 0;
}

void diskstats_free(struct diskstats_table *t)
{
	free(t->at);
	free(t->paths);
	free(t->buffer);
	*t = (struct diskstats_table){ 0 };
}

const struct diskstats *diskstats_find(const struct diskstats_table *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (!strcmp(t->at[i].name, name))
			return &t->at[i];
	return NULL;
}

static bool is_zero(const struct diskstats *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->field[i])
			return false;
	return true;
}

/* nvme3c33n1 is a path of nvme3n1: the number of the controller stands in between. */
static bool is_path_of(const char *path, const char *name)
{
	size_t subsystem = 4, digits;

	if (strncmp(name, "nvme", 4))
		return false;
	subsystem += strspn(name + 4, "0123456789");
	if (strncmp(path, name, subsystem) || path[subsystem] != 'c')
		return false;
	digits = strspn(path + subsystem + 1, "0123456789");
	return digits && !strcmp(path + subsystem + 1 + digits, name + subsystem);
}

static void add_path(const struct diskstats_path *path, struct diskstats *sum)
{
	enum { IN_FLIGHT = 8, BUSY = 9 };	/* fields 9 and 10 */

	for (size_t k = 0; k < sum->n; k++) {
		uint64_t all = path->before.field[k] + path->now.field[k];

		if (k == IN_FLIGHT)
			sum->field[k] += path->is_there ? path->now.field[k] : 0;
		else if (k == BUSY)
			sum->field[k] = all > sum->field[k] ? all : sum->field[k];
		else
			sum->field[k] += all;
	}
}

/* The kernel gives no diskseq twice: its paths are those of another disk now. */
static void forget_other_disk(struct diskstats_path *path, uint64_t diskseq)
{
	if (path->diskseq == diskseq)
		return;
	path->diskseq = diskseq;
	memset(path->before.field, 0, sizeof path->before.field);
	if (!path->is_there)
		memset(path->now.field, 0, sizeof path->now.field);
}

bool diskstats_of(struct diskstats_table *t, const char *name, uint64_t diskseq, struct diskstats *ret)
{
	const struct diskstats *own = diskstats_find(t, name);

	if (!own)
		return false;
	*ret = *own;
	for (size_t i = 0; i < t->n_paths && is_zero(own); i++)
		if (is_path_of(t->paths[i].now.name, name)) {
			forget_other_disk(&t->paths[i], diskseq);
			add_path(&t->paths[i], ret);
		}
	return true;
}
