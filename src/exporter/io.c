#include "exporter/io.h"

#include <string.h>

#include "base/array.h"
#include "base/hash.h"

void io_read(struct io *io, bool has_block, bool has_host)
{
	io->is_on = io->is_read = has_block;
	if (has_block && has_host)
		io->is_read = !diskstats_read(&io->table, "/proc/diskstats");
}

void io_free(struct io *io)
{
	diskstats_free(&io->table);
	free(io->samples.at);
}

/* A replay's devices bring what was counted. */
bool io_fields(struct io *io, const struct drive *drive, const struct device *device, struct diskstats *ret)
{
	if (!io->is_on)
		return false;
	if (drive->source == SOURCE_HOST && diskstats_of(&io->table, device->name, device->diskseq, ret))
		return true;
	ret->n = device->n_stat;
	memcpy(ret->field, device->stat, device->n_stat * sizeof *ret->field);
	return ret->n;
}

uint64_t io_hash(struct io *io, const struct drive *drive)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < drive->n_devices; i++) {
		struct diskstats s;
		bool is_found = io_fields(io, drive, &drive->devices[i], &s);

		hash = hash_bytes(hash, s.field, is_found ? s.n * sizeof *s.field : 0);
	}
	return hash;
}

struct keeper {
	struct sample_sink sink;
	struct sample_set *set;
};

static void keep(struct sample_sink *sink, const struct sample *s)
{
	struct sample_set *set = ((struct keeper *)sink)->set;

	if (!ARRAY_GROW(set->at, set->room, set->n))
		return;
	set->at[set->n] = *s;
	set->at[set->n++].is_dynamic = false;	/* the device's name outlives the scrape */
}

const struct sample_set *io_samples(struct io *io, const struct drive *drive)
{
	struct keeper to = { .sink = { .put = keep }, .set = &io->samples };

	io->samples.n = 0;
	for (size_t i = 0; i < drive->n_devices; i++) {
		struct diskstats s;

		if (io_fields(io, drive, &drive->devices[i], &s))
			diskstats_samples(drive->devices[i].name, s.field, s.n, &to.sink);
	}
	return &io->samples;
}
