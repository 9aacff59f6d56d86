/* Writes the lines of samples as the Prometheus text format 0.0.4 and OpenMetrics 1.0.0 both have them; what stands above a
 * family's lines differs: exposition_header(). A family at a time: begin it once, then all its samples. A series that stands
 * already is dropped and counted. */
#pragma once

#include "base/text.h"
#include "metric/sample.h"

struct exposition;

struct exposition *exposition_new(size_t limit);	/* of the whole text, in bytes; NULL: no memory */
void exposition_free(struct exposition *);

/* Empties it for the next scrape; memory is kept. */
void exposition_reset(struct exposition *);

/* What comes is of another subject: each family may be begun once more, behind the text so far, and no series of it can be one
 * of those before. */
void exposition_again(struct exposition *);

/* Once for each family: a family that was left cannot be begun again before one of the two above. */
void exposition_begin(struct exposition *, enum metric_family_id family);

/* A sample of the family begun. drive is the value of the label `drive` (NULL where the family has none); label are
 * the values of the family's other labels, in its order, NULL-terminated (NULL itself: none); an empty or missing one
 * is left out, since Prometheus takes both for the same. Values are escaped, and cleaned with text_printable(). A
 * value that is NaN is not written. Where the text is full, or memory, this and all further samples are dropped whole
 * and the text's `truncated` is set. */
void exposition_sample(struct exposition *, const char *drive, const char *const *label, double value);

/* A histogram of the family begun: bounds are upper bounds in ascending order, counts not cumulative, n + 1 of them.
 * All its lines are written, or none. */
void exposition_histogram(struct exposition *, const char *const *label, const double *bounds, const uint64_t *counts,
			  size_t n, double sum);

enum exposition_format { EXPOSITION_TEXT, EXPOSITION_OPENMETRICS, N_EXPOSITION_FORMATS };

/* HELP and TYPE of a family, to stand above its lines. Text 0.0.4 has no info type: these are gauges there. OpenMetrics names a
 * counter's family without _total and an info's without _info; where another family has that name, it is a gauge by its whole
 * one. */
void exposition_header(enum metric_family_id, enum exposition_format, struct text *out);

/* The text so far, whole lines; it stays valid until the next call. at is NULL before the first sample ever. */
struct text *exposition_text(struct exposition *);

/* Series dropped as duplicates since exposition_new(). */
uint64_t exposition_duplicates(const struct exposition *);

/* The shortest decimal that reads back as an equal double; whole numbers below 2^63 exact and without exponent (zero
 * of either sign is "0"); "+Inf", "-Inf", "NaN".
 * Returns out. */
enum { EXPOSITION_NUMBER_MAX = 40 };
char *exposition_number(double value, char out[EXPOSITION_NUMBER_MAX]);

/* "drive_info", "gauge", ...: all families as a Markdown table (docs/metrics.md) or, for --list-metrics, as text. source adds
 * where a family comes from (standard, page, clause); NULL: nobody knows. */
void exposition_list_families(struct text *out, bool is_markdown, void (*source)(unsigned family, struct text *out));
