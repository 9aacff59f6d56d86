#include "metric/family.h"

#include <stddef.h>

#define PLAIN .is_drive = false
#define DRIVE .is_drive = true
#define LIFETIME .is_drive = true, .is_lifetime = true
#define L(...) { __VA_ARGS__ }
#define FAMILY_ROW(family_name, family_type, flags, labels, text) \
	[family_name] = { .name = #family_name, .type = family_type, flags, .label = labels, .help = text },

const struct metric_family metric_families[N_METRIC_FAMILIES] = { FAMILIES(FAMILY_ROW) };
