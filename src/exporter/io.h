/* What the block layer counts of each drive's devices, read at each scrape. */
#pragma once

#include "block/diskstats.h"
#include "discover/drive.h"

struct io {
	struct diskstats_table table;
	bool is_on, is_read;		/* by the last io_read(): wanted; and nothing went wrong */
	struct sample_set samples;	/* of one drive, while it is written */
};

/* Reads /proc/diskstats, where this host's drives are served. */
void io_read(struct io *, bool has_block, bool has_host);
void io_free(struct io *);

/* False: nothing is counted for it. */
bool io_fields(struct io *, const struct drive *, const struct device *, struct diskstats *ret);
/* Tells whether something that the drive's drive_io_* follow from has changed. */
uint64_t io_hash(struct io *, const struct drive *);
/* Its samples; valid until the next call. label[0] is the device, whose name is the drive's. */
const struct sample_set *io_samples(struct io *, const struct drive *);
