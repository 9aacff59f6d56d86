/* Files that somebody else wrote: read whole, and only if they are files. */
#pragma once

#include "base/text.h"

/* Adds all of a regular file to *text, whose limit is the most it may have; at is then never NULL. What is no regular file is
 * not opened, since opening a device can do something. 0; -EINVAL: not a regular file; -EFBIG: passes the limit; or a negative
 * errno. */
MUST_CHECK int file_read(const char *path, struct text *text);

/* What file_read() failed with, for people. */
const char *file_read_error(int r);
