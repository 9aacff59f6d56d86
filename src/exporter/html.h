/* Bits of HTML. All that comes from a drive, a file or the kernel goes through html_add(). */
#pragma once

#include "base/text.h"

/* Cleaned and escaped, fit for text and for an attribute in double quotes. */
void html_add(struct text *out, const char *string);
/* The same, "–" where there is nothing to say, with words for who hears it. */
void html_add_or_none(struct text *out, const char *string);
/* For a path of a URL: all but letters, digits and -._~ as %XX. */
void html_add_path(struct text *out, const char *string);

/* Begins a page: title, the one style sheet, a link past the navigation, the way back. is_home: there is none. */
void html_begin(struct text *out, const char *title, bool is_home);
void html_end(struct text *out);

/* ---- numbers for people; out is returned, "–" for NaN */
enum { HTML_NUMBER_MAX = 64 };
const char *html_bytes(double bytes, char out[HTML_NUMBER_MAX]);		/* "3.84 TB" */
const char *html_percent(double ratio, char out[HTML_NUMBER_MAX]);		/* "34 %" */
const char *html_duration(double seconds, char out[HTML_NUMBER_MAX]);		/* "3.2 years", "14 days", "40 s" */
const char *html_latency(double seconds, char out[HTML_NUMBER_MAX]);		/* "85 µs", "1.2 ms" */
const char *html_celsius(double celsius, char out[HTML_NUMBER_MAX]);
const char *html_time(double seconds, bool with_clock, char out[HTML_NUMBER_MAX]);	/* "2026-11-30", UTC; with "14:05" */
const char *html_number(double value, char out[HTML_NUMBER_MAX]);		/* "1 234 567", "0.25" */
