#include "exporter/io_rate.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"

enum { EVERY_US = 60000000, SLACK_US = 1000000, KEPT = 5 };	/* so the window is five to six minutes */

/* Fields of diskstats, in order from 0: requests done, and milliseconds that they took, which the kernel counts in 32 bits. */
static const struct {
	int requests, milliseconds;
} fields[N_IO_RATE_OPS] = { [IO_RATE_READ] = { 0, 3 }, [IO_RATE_WRITE] = { 4, 7 } };

struct counts {
	uint64_t at_us;			/* of CLOCK_MONOTONIC */
	uint64_t requests[N_IO_RATE_OPS];
	uint32_t milliseconds[N_IO_RATE_OPS];
};

/* One device; the oldest of its readings is at `next` once all are there. */
struct track {
	char name[NODE_NAME_MAX];
	enum device_source source;
	uint64_t diskseq;
	struct counts kept[KEPT];
	size_t n, next;
	bool is_there;
};

struct io_rate {
	const struct fleet *fleet;
	struct io io;
	sd_event_source *timer;
	struct track *tracks;
	size_t n, room;
};

static struct counts counts_of(const struct diskstats *s)
{
	struct counts c = { .at_us = clock_monotonic_us() };

	for (int op = 0; op < N_IO_RATE_OPS; op++) {
		c.requests[op] = s->field[fields[op].requests];
		c.milliseconds[op] = (uint32_t)s->field[fields[op].milliseconds];
	}
	return c;
}

static struct track *find(const struct io_rate *r, const struct device *d)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->tracks[i].source == d->source && r->tracks[i].diskseq == d->diskseq && !strcmp(r->tracks[i].name, d->name))
			return &r->tracks[i];
	return NULL;
}

static struct track *find_or_add(struct io_rate *r, const struct device *d)
{
	struct track *t = find(r, d);

	if (t || !ARRAY_GROW(r->tracks, r->room, r->n))
		return t;
	t = &r->tracks[r->n++];
	*t = (struct track){ .source = d->source, .diskseq = d->diskseq };
	text_copy(t->name, sizeof t->name, d->name);
	return t;
}

/* ---- once a minute */

static void keep(struct io_rate *r, const struct drive *drive, const struct device *device)
{
	struct diskstats s;
	struct track *t = io_fields(&r->io, drive, device, &s) ? find_or_add(r, device) : NULL;

	if (!t)
		return;
	t->is_there = true;
	t->kept[t->next] = counts_of(&s);
	t->next = (t->next + 1) % KEPT;
	if (t->n < KEPT)
		t->n++;
}

static void forget_gone(struct io_rate *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->tracks[i].is_there)
			r->tracks[n++] = r->tracks[i];
	r->n = n;
}

void io_rate_read(struct io_rate *r)
{
	io_read(&r->io, r->fleet->options->has_block, r->fleet->clients[SOURCE_HOST]);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *io_rate)
{
	struct io_rate *r = io_rate;

	io_rate_read(r);
	for (size_t i = 0; i < r->n; i++)
		r->tracks[i].is_there = false;
	for (size_t i = 0; i < r->fleet->drives.n; i++)
		for (size_t k = 0; k < r->fleet->drives.at[i]->n_devices; k++)
			keep(r, r->fleet->drives.at[i], &r->fleet->drives.at[i]->devices[k]);
	forget_gone(r);
	(void)sd_event_source_set_time_relative(source, EVERY_US);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* ---- what follows */

/* *then is what its device had counted when it began to be kept, but for a device that counts anew. All zero: since it is there. */
static void add(const struct counts *then, const struct counts *now, uint64_t requests[N_IO_RATE_OPS], double seconds[N_IO_RATE_OPS])
{
	for (int op = 0; op < N_IO_RATE_OPS; op++) {
		if (now->requests[op] < then->requests[op])
			continue;
		requests[op] += now->requests[op] - then->requests[op];
		seconds[op] += (uint32_t)(now->milliseconds[op] - then->milliseconds[op]) / 1e3;
	}
}

void io_rate_of(struct io_rate *r, const struct drive *drive, struct io_rate_latency ret[N_IO_RATE_OPS])
{
	uint64_t requests[N_IO_RATE_OPS] = { 0 };
	double seconds[N_IO_RATE_OPS] = { 0 }, window = NAN;

	for (size_t i = 0; i < drive->n_devices; i++) {
		static const struct counts none;
		struct diskstats s;
		const struct track *t = find(r, &drive->devices[i]);
		const struct counts *then = t ? &t->kept[t->n < KEPT ? 0 : t->next] : &none;
		struct counts now;

		if (!io_fields(&r->io, drive, &drive->devices[i], &s))
			continue;
		now = counts_of(&s);
		if (t)
			window = (double)(now.at_us - then->at_us) / 1e6;
		add(then, &now, requests, seconds);
	}
	for (int op = 0; op < N_IO_RATE_OPS; op++)
		ret[op] = (struct io_rate_latency){ requests[op] ? seconds[op] / (double)requests[op] : NAN, (double)requests[op], window };
}

/* ---- begin and end */

struct io_rate *io_rate_new(sd_event *event, const struct fleet *fleet)
{
	struct io_rate *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->fleet = fleet;
	if (sd_event_add_time_relative(event, &r->timer, CLOCK_MONOTONIC, EVERY_US, SLACK_US, on_timer, r) >= 0)
		return r;
	io_rate_free(r);
	return NULL;
}

void io_rate_free(struct io_rate *r)
{
	if (!r)
		return;
	sd_event_source_disable_unref(r->timer);
	io_free(&r->io);
	free(r->tracks);
	free(r);
}
