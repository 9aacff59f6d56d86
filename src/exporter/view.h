/* What people and programs are shown of a drive: plain values out of the fleet's state, made when they are asked for. */
#pragma once

#include "exporter/fleet.h"
#include "exporter/io_rate.h"

/* From bad to good: drives are listed in this order. */
enum view_level {
	VIEW_FAILING,			/* it says so itself, or keeps no data safely any more */
	VIEW_MISSING,
	VIEW_SILENT,			/* hangs, or does not answer */
	VIEW_WORN,			/* its endurance is used up, or will be soon */
	VIEW_WARNED,			/* something else is to be looked at */
	VIEW_STARTING,			/* it has not been read yet */
	VIEW_HEALTHY,
	VIEW_UNTOLD,			/* virtual: nobody can tell */
	N_VIEW_LEVELS
};
const char *view_level_word(enum view_level);	/* "failing"; for JSON, too */

enum { VIEW_REASONS = 12, VIEW_WORDS = 160, VIEW_DEVICES = 96 };

struct view_reason {
	enum view_level level;
	char words[VIEW_WORDS];		/* for people; not cleaned */
};

/* Numbers that are not known are NaN; texts that are not, empty. Texts are as the drive tells them: to be cleaned and escaped. */
struct view_drive {
	struct drive *drive;		/* NULL: it is missing */
	const char *label, *vendor, *model, *serial, *firmware, *wwn, *transport, *type, *form_factor, *family;
	const char *enclosure, *slot, *path;
	char devices[VIEW_DEVICES];	/* "sda, sdb" */
	bool is_replayed, is_missing, is_virtual, is_asleep, is_stuck, is_reserved, is_up;
	enum view_level level;
	struct view_reason reasons[VIEW_REASONS];	/* worst first */
	size_t n_reasons;

	double capacity_bytes, power_on_s;
	double endurance_used, rated_used;	/* ratios: by its own indicator, by the catalogue */
	double spare, spare_threshold;		/* ratios */
	double exhausted_s;			/* seconds since 1970; +Inf: in more than 20 years */
	double temperature, temperature_limit;	/* degrees Celsius; the warning limit, else the critical or specified one */
	double written_bytes, read_bytes;	/* in its life, by the host */
	double written_today_bytes;		/* since it was last read on the day before (UTC) */
	struct io_rate_latency latency[N_IO_RATE_OPS];
	double polled_s;			/* when the oldest of its health values was read, seconds since 1970 */
	double interval_s;			/* how often they are due */
	double missing_since_s;
};

struct view {
	struct view_drive *drives;	/* worst first */
	size_t n, n_of[N_VIEW_LEVELS], n_asleep, n_replayed;
	double now_s;			/* seconds since 1970 */
};

/* To be freed. 0 or -ENOMEM. It holds until the event loop goes on. */
MUST_CHECK int view_new(const struct fleet *, struct io_rate *, struct view *ret);
void view_free(struct view *);
/* NULL: there is no such drive. */
const struct view_drive *view_find(const struct view *, const char *label);

/* ---- reasons.c */

/* Fills in level and reasons from all else. */
void reasons_find(struct view_drive *, double now_s);
