/* Which families a scrape wants: collect[] and name[] of its query. */
#pragma once

#include "base/text.h"
#include "exporter/options.h"
#include "metric/family.h"

/* A family is wanted if one of the collectors has it and one of the names is its own, or that of one of its samples; a list that
 * is empty wants all. A name that no family has is passed over, unless none has any. 0; or -EINVAL, with *error saying in one line
 * what is wrong. */
int selection_make(const struct options *, const char *const *collectors, const char *const *names,
		   bool ret_is_wanted[N_METRIC_FAMILIES], struct text *error);
