/* A drive's plan, the state of its polling, and its readings. */
#pragma once

#include "discover/drive.h"
#include "metric/sample.h"
#include "page/page.h"
#include "page/power.h"
#include "probe/wire.h"

/* Real time, in which a drive should have answered. */
enum { ANSWER_WAIT_US = 5000000 };

/* One command of the plan, with what it last gave. Moments are those of base/clock.h, which may run faster than the real one. */
struct plan_entry {
	const struct page *page;
	struct page *owned;		/* a copy of the page for a namespace, a path or a number of log pages; else NULL */
	char node[NODE_NAME_MAX];	/* of a path's: the device it is asked of; else empty */
	size_t order;			/* of the page in pages[] */
	uint64_t due_us;		/* UINT64_MAX: not again */
	uint64_t answered_us;		/* 0: never */
	int64_t answered_at_us;		/* since 1970 */
	int64_t answered_offset_us;	/* clock_offset_us() then */
	unsigned failures;		/* in a row */
	unsigned refusals;		/* of these, those that are not over in a moment: each doubles the pause */
	uint64_t logged;		/* the failure that was logged last, so that it is logged once */
	bool is_unsupported;		/* the drive said so: never asked again */
	bool is_reserved;		/* last time another host's reservation stood in the way */
	bool is_tried_again;		/* of the first visit: it did not get through, and is asked again in a moment */
	bool is_stale;			/* too old to be served, but for identity and lifetime counters */
	struct sample_set samples;
};

/* Which entry feeds a series that several pages tell. Made when the first visit ends, and kept. */
struct reading_choice {
	struct sample series;		/* family and labels */
	const struct page *page;	/* NULL: the one that fed it is gone, and no other tells it yet */
	bool is_open;			/* to be made, or made anew */
	bool was_fed;			/* by a page that is gone */
};

/* How often something happened to a quantity. */
struct quantity_count {
	const char *quantity;		/* static */
	uint64_t n;
};

enum { COUNTED_QUANTITIES = 16 };

struct drive_poll {
	struct drive *drive;
	struct plan_entry *entries;	/* in the order of pages[] */
	size_t n_entries, room_entries;
	bool has_host_phys;		/* the host's side of its paths is read too */
	bool skips_idle;		/* a disk is left alone from idle on */
	bool is_settled;		/* the first visit is over */
	bool is_replaced;		/* another drive answered in its place */

	/* The visit under way. */
	bool is_visiting, is_power_checked, is_retried;
	bool has_had_visit;		/* one has ended, however it went */
	uint64_t visit_us;		/* when it began: what was due by then is asked */
	unsigned timeouts;		/* of this visit */
	size_t turn;			/* which path is asked */
	char controller[NODE_NAME_MAX];	/* NVMe: which one that was last */
	bool has_path_trouble;		/* in this visit */
	unsigned path_troubles;		/* NVMe: visits in a row */
	uint64_t next_visit_us;		/* not before */
	uint64_t again_us;		/* when the next visit tries again what did not get through */

	/* The one command under way. */
	bool is_outstanding;
	char host[NODE_NAME_MAX];	/* of the device that is asked */
	struct wire_request request;
	const struct page *asked;	/* NULL: the power check */
	uint64_t sent_us;		/* of CLOCK_MONOTONIC: a deadline takes real time */
	int64_t sent_at_us;		/* since 1970 */
	bool is_stuck;			/* past its deadline, or an earlier command still is: since stuck_at_us */
	int64_t stuck_at_us;

	bool has_power, has_no_power_check;
	uint64_t power_logged;		/* the power check's failure that was logged last */
	unsigned power_asked, power_failures;	/* in this visit; visits in a row */
	bool is_power_tried_again;	/* in a moment: before the first visit it did not get through */
	uint64_t power_us;		/* when it last answered */
	enum power_state power;

	unsigned losses;		/* one soon after another: the prober went away while this drive was asked */
	uint64_t lost_us, lost_logged;	/* the last time; what was logged then */
	uint64_t permission_logged;	/* the missing right that was logged last */
	uint64_t commands, command_errors, command_us;
	uint64_t failures[N_FAIL_SOURCES];
	struct quantity_count implausible[COUNTED_QUANTITIES], source_changes[COUNTED_QUANTITIES];
	size_t n_implausible, n_source_changes;

	/* A jump of wear at an update of firmware: whichever of the two is read first waits for the other. */
	bool has_wear, has_jumped, has_new_firmware;
	double wear, worn_before;	/* as last read; before the jump */

	struct reading_choice *choices;
	size_t n_choices, room_choices;
	struct sample_set computed;	/* what follows from the facts */
	struct sample_set added;	/* what health/ works out */

	const struct sample **served;	/* by family, then in order of the plan */
	size_t n_served, room_served;
	bool is_dirty;			/* served must be made anew */
	uint64_t served_number;		/* another one each time that it is, of any drive */
};

/* ---- plan.c */

/* Adds the pages that the drive offers, as far as its facts tell by now. 0 or -ENOMEM. */
int plan_extend(struct drive_poll *);
/* The entry to ask next: due, lowest in the order of pages[]; NULL: none is. Drops entries that are no longer offered. */
struct plan_entry *plan_next(struct drive_poll *, uint64_t now_us);
/* When the next entry is due; UINT64_MAX: none. */
uint64_t plan_next_due(const struct drive_poll *);
struct plan_entry *plan_find(struct drive_poll *, const struct page *page);
enum { IDENTITY_TRIES = 3 };
/* Who the drive is has been asked as far as it can be: a page that gives no answer is tried IDENTITY_TRIES times, unless
 * model and serial are there without it. */
bool plan_is_identity_complete(const struct drive_poll *);
/* Period of an entry in microseconds; 0: only once. */
uint64_t plan_period(const struct plan_entry *, uint64_t interval_us);
/* What it has is read again: the pages that are otherwise read once and, if it may be another controller, those that tell who
 * it is. */
void plan_learn_anew(struct drive_poll *, bool with_identity);
/* How old a value may be that may be of that age at a speed of 1, and was asked for so many times in vain since. A clock that runs
 * faster than drives can be read makes no value old: what it gains while a drive may take its time to answer is added, unless the
 * drive was asked often enough. */
enum { PERIODS_UNTIL_STALE = 3 };
uint64_t plan_age_allowed(uint64_t age_us, unsigned failures);
void plan_free(struct drive_poll *);

/* ---- readings.c */

/* Quantities whose source is told (drive_source_info), though only one page may feed them. */
enum { TOLD_QUANTITIES = 4 };
struct told_quantity {
	enum metric_family_id family;
	const char *name;		/* the label `quantity` */
};
extern const struct told_quantity told_quantities[TOLD_QUANTITIES];

/* Counts one more; true the first time. */
bool quantity_count(struct quantity_count *counts, size_t *n, const char *quantity);

/* Takes over a decoded answer. */
void readings_take(struct drive_poll *, struct plan_entry *, struct sample_set *set);
/* Takes over what others worked out of the readings, in place of what they did before. */
void readings_add(struct drive_poll *, struct sample_set *set);
/* The entry whose page tells this sample; NULL: none does. */
const struct plan_entry *readings_entry(const struct drive_poll *, const struct sample *);
/* Fixes the source of every series; called when the first visit ends and when a page turns out unsupported. */
void readings_settle(struct drive_poll *);
/* The page is gone for good: what it fed is fed by another from now on. */
void readings_forget(struct drive_poll *, struct plan_entry *);
/* Marks what is too old to be served. */
void readings_age(struct drive_poll *, uint64_t now_us, uint64_t interval_us);
/* The samples to serve now, by family. */
const struct sample **readings_served(struct drive_poll *, size_t *ret_n);
/* The page that feeds a family; NULL: none. For drive_source_info. */
const struct page *readings_source(const struct drive_poll *, enum metric_family_id family);
/* The first sample of a family with that first label (NULL: any) that is served; NULL: none. */
const struct sample *readings_find(struct drive_poll *, enum metric_family_id family, const char *label);
void readings_free(struct drive_poll *);

/* ---- for whoever shows it */

/* Nothing is read of it now: it sleeps, or is idle and --standby.skip=idle. */
bool drive_poll_sleeps(const struct drive_poll *);
/* Another host's reservation keeps this one from reading pages. */
bool drive_poll_is_reserved(const struct drive_poll *);
/* 1, 0 as drive_up is defined. */
bool drive_poll_is_up(const struct drive_poll *, uint64_t now_us, uint64_t interval_us);
/* The oldest time of the health entries, in microseconds since 1970; 0: not all were read yet. */
int64_t drive_poll_oldest_health(const struct drive_poll *);
uint64_t drive_poll_health_period(const struct drive_poll *, uint64_t interval_us);
