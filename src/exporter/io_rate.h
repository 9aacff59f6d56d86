/* How long requests of a device have taken on average lately, as the block layer counts them: out of readings once a minute. */
#pragma once

#include "exporter/fleet.h"
#include "exporter/io.h"

enum io_rate_op { IO_RATE_READ, IO_RATE_WRITE, N_IO_RATE_OPS };

struct io_rate_latency {
	double seconds;			/* by request; NaN: there was none, or nothing is counted */
	double requests;
	double window_s;		/* in so much time until now; NaN: since the host has the device */
};

struct io_rate;

/* NULL: no memory. The fleet and its drives may come and go. */
struct io_rate *io_rate_new(sd_event *, const struct fleet *);
void io_rate_free(struct io_rate *);	/* NULL does nothing */

/* Reads /proc/diskstats, for the calls that follow. */
void io_rate_read(struct io_rate *);
/* Of all devices of the drive together. */
void io_rate_of(struct io_rate *, const struct drive *, struct io_rate_latency ret[N_IO_RATE_OPS]);
