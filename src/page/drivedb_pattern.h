/* Extended regular expressions (POSIX, XBD 9.4) that must match a short string whole, for patterns nobody
 * vouches for. regcomp() and regexec() will not do: glibc takes 240 MiB and more than a second to compile
 * "(a{1,255}){1,255}", and seconds to match some back-references. Here the pattern is walked as it stands,
 * without memory, with all the places of the string that it may have reached so far; the work this can be is
 * known beforehand. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PATTERN_SUBJECT_MAX = 63,	/* characters; the longest string there is to match is ATA's model number, 40 */
	PATTERN_WORK_MAX = 1 << 15,	/* a pattern that may take more characters to be walked is refused */
};

/* NULL, or what is wrong with the pattern, static. What POSIX leaves undefined is refused, as are
 * back-references, collating symbols, equivalence classes, and what takes too much work. *ret_work:
 * characters to be walked, at most. */
const char *pattern_refusal(const char *pattern, uint64_t *ret_work);

/* True where the pattern matches all of the string, by bytes, with ranges and classes as in the C locale.
 * For a pattern that is not refused; a string of more than PATTERN_SUBJECT_MAX bytes matches none. */
bool pattern_matches(const char *pattern, const char *subject);
