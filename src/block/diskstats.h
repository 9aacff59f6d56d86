/* Block-layer statistics: what the kernel counts of every device's requests (Documentation/admin-guide/iostats.rst). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metric/sample.h"

enum { DISKSTATS_FIELDS = 17, DISKSTATS_NAME_MAX = 32 };

/* The fields of one device: 11, 15 (since 4.18) or 17 (since 5.5) of them, as in /sys/block/NAME/stat. */
struct diskstats {
	char name[DISKSTATS_NAME_MAX];
	uint64_t field[DISKSTATS_FIELDS];
	size_t n;
};

/* A path of native multipath: what it counted before it last began anew, and what it counts. */
struct diskstats_path {
	struct diskstats before, now;
	uint64_t diskseq;		/* of the namespace whose path it was */
	bool is_there;
};

struct diskstats_table {
	struct diskstats *at;
	size_t n, room;
	struct diskstats_path *paths;	/* all that ever were */
	size_t n_paths, room_paths;
	char *buffer;
	size_t buffer_size;
};

/* Reads all of /proc/diskstats (or another file of that form) at once. 0 or a negative errno; lines that are not of the
 * form are left out. Memory is kept for the next time. */
int diskstats_read(struct diskstats_table *, const char *path);
/* The same out of text. */
void diskstats_parse(struct diskstats_table *, const char *text);
void diskstats_free(struct diskstats_table *);

/* NULL: no such device. */
const struct diskstats *diskstats_find(const struct diskstats_table *, const char *name);

/* A device's own; or, of a namespace for which nothing is counted, those of its paths added up: kernels that leave the
 * counting to the hidden nvmeXcYnZ of native multipath. What a path counted stays when it goes away, so that no sum falls; time
 * with requests under way is that of the busiest path. diskseq is the device's: what was counted for another disk of that name is
 * forgotten. False: no such device. */
bool diskstats_of(struct diskstats_table *, const char *name, uint64_t diskseq, struct diskstats *ret);

/* drive_io_*: calls put for each; label[0] is device, label[1] op. Bytes are 512 times the kernel's sectors, whatever the
 * device's block; seconds are its 32-bit milliseconds as they are. Fields that this kernel lacks give no sample. */
void diskstats_samples(const char *device, const uint64_t *field, size_t n, struct sample_sink *to);
