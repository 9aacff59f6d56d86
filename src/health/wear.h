/* A drive's rated figures and its outlook as samples. */
#pragma once

#include "health/catalogue.h"
#include "health/outlook.h"
#include "metric/sample.h"

/* rated NULL: none is known. capacity_bytes: of the drive; 0: not known; that of the rating counts before it. */
void wear_samples(const struct rated *rated, const struct outlook *, uint64_t capacity_bytes, struct sample_sink *to);
