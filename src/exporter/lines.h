/* What /metrics tells, and of whom: drives that are there, drives that are missing, and the exporter itself. */
#pragma once

#include "exporter/fleet.h"
#include "exporter/io.h"
#include "metric/exposition.h"

/* The exporter's own process (self.c). */
struct self_usage {
	double cpu_seconds, start_seconds, resident_bytes, virtual_bytes, open_fds, max_fds;
};
void self_usage(struct self_usage *ret);
/* Before rights are given up: after that the kernel lets us open less of /proc/self. */
void self_open(void);

/* The fleet as it is now. */
struct moment {
	const struct fleet *fleet;
	uint64_t now_us, interval_us;
	struct io *io;
	bool has_own;			/* families of the exporter itself are served */
	size_t seen, readable, replayed;	/* drives, for drive_exporter_drives_*, drive_exporter_replayed_drives */
	uint64_t duplicates;
	struct self_usage usage;
};

/* Makes readings as old as they are, reads /proc/diskstats and /proc/self, and nothing else. duplicates is 0. */
void moment_take(struct moment *ret, const struct fleet *, struct io *, bool has_own);

struct subject {
	struct drive *drive;		/* one that is there; NULL: */
	const struct history_known *missing;	/* one that is missing; NULL: the exporter itself */
};

const char *subject_label(const struct subject *);	/* of a drive; else NULL */

/* The families of which scrape time alone decides, and all others. */
enum lines_part { LINES_STATE, LINES_IO, N_LINES_PARTS };
enum lines_part lines_part_of(enum metric_family_id);
/* It is about the exporter itself, not about drives. */
bool lines_are_own(enum metric_family_id);
/* It is one of the attribute tables of --collector.ata-attributes. */
bool lines_are_attributes(enum metric_family_id);

/* Two that are equal mean the same lines. */
uint64_t lines_hash(const struct moment *, const struct subject *, enum lines_part);
/* Writes all families of the part, in order; ends[family] becomes the text's length behind each of them, those of other parts
 * included. */
void lines_write(const struct moment *, const struct subject *, enum lines_part, struct exposition *,
		 size_t ends[N_METRIC_FAMILIES]);

/* ---- lines.c, for the three below */

#define LABELS(...) (const char *const[]){ __VA_ARGS__, NULL }
#define NO_LABELS ((const char *const[]){ NULL })

/* ---- drive_lines.c, missing_lines.c, own_lines.c: a family's lines, where it has any that no page feeds */

struct drive_writer {
	void (*write)(const struct moment *, struct drive *, enum metric_family_id, struct exposition *);	/* NULL: pages feed it */
	bool needs_health;		/* only of drives that can be asked, not of virtual ones */
};
extern const struct drive_writer drive_writers[N_METRIC_FAMILIES];
bool drive_is_shown(const struct drive *);
bool drive_has_health(const struct drive *);
/* What the drive told; before it has told anything, what the kernel knows. */
const char *drive_told_or_known(const struct drive *, const char *told, const char *known);
bool drive_is_up_now(const struct moment *, const struct drive *);
uint64_t drive_lines_hash(const struct moment *, struct drive *);

void missing_write(const struct history_known *, enum metric_family_id, struct exposition *);

typedef void own_writer(const struct moment *, enum metric_family_id, struct exposition *);
extern own_writer *const own_writers[N_METRIC_FAMILIES];
