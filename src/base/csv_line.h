/* A line of comma-separated values, as RFC 4180 has them: quotation marks stand around a whole field or nowhere, and twice within one.
 * Blanks around a field without them are no part of it. */
#pragma once

#include <stddef.h>

#include "base/cleanup.h"

/* What -EBADMSG means, for people. */
#define CSV_LINE_MALFORMED "a quotation mark that does not begin or end a field, or a field that does not end on its line"

/* Calls field() for each field of the line, which has no end of line; an empty line has none. The bytes are not followed by a NUL.
 * 0, -EBADMSG or -ENOMEM. */
MUST_CHECK int csv_line_split(const char *line, size_t n, void (*field)(void *context, const char *at, size_t n), void *context);
