/* From the fleet's state to the text of a scrape. */
#pragma once

#include "block/diskstats.h"
#include "exporter/fleet.h"
#include "metric/exposition.h"

struct expose {
	struct fleet *fleet;
	struct exposition *text;
	struct diskstats_table diskstats;
	bool has_diskstats;
	struct sample_set io;		/* of this scrape, all devices together */
	struct drive **io_drive;	/* whose, for each sample */
	size_t room_io, *cursor, room_cursor;
};

int expose_init(struct expose *, struct fleet *);
void expose_free(struct expose *);

/* Appends the whole of /metrics. Reads /proc/diskstats and /proc/self, and nothing else. */
void expose_metrics(struct expose *, struct text *out);
/* Appends the page at /. */
void expose_index(struct expose *, struct text *out);

/* ---- self.c: about the exporter's own process */
struct self_usage {
	double cpu_seconds, start_seconds, resident_bytes, virtual_bytes, open_fds, max_fds;
};
void self_usage(struct self_usage *ret);
/* Before rights are given up: after that the kernel lets us open less of /proc/self. */
void self_open(void);
