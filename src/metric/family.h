/* The one list of metric families: FAMILIES in families.h. From it come the HELP and TYPE lines, --list-metrics and
 * docs/metrics.md, so a family is described in one place. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum metric_type {
	METRIC_GAUGE,
	METRIC_COUNTER,		/* the name ends in _total */
	METRIC_INFO,		/* value 1, facts in labels; typed gauge in text 0.0.4, whose names end in _info */
	METRIC_HISTOGRAM	/* written by metric_text_histogram() */
};

enum { METRIC_LABELS = 10 };	/* at most, `drive` apart */

struct metric_family {
	const char *name;
	enum metric_type type;
	bool is_drive;		/* its first label is `drive` */
	bool is_lifetime;	/* kept when its page can no longer be read: identity and lifetime counters */
	const char *label[METRIC_LABELS + 1];	/* the labels after `drive`, NULL-terminated */
	const char *help;	/* one sentence, meaning and unit */
};

#include "metric/families.h"

#define FAMILY_ENUM(name, ...) name,
enum metric_family_id { FAMILIES(FAMILY_ENUM) N_METRIC_FAMILIES };
#undef FAMILY_ENUM

extern const struct metric_family metric_families[N_METRIC_FAMILIES];
