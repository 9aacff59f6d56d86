/* Listening sockets that systemd passes to a service, as its socket unit names them (sd_listen_fds(3)). */
#pragma once

#include "base/cleanup.h"
#include "base/text.h"

/* Takes all of them: they begin at SD_LISTEN_FDS_START, and no child keeps them. TCP and Unix sockets that listen are good, and
 * do not block afterwards. Returns how many, or a negative errno with *error saying what is wrong, in one line. */
MUST_CHECK int http_inherit(struct text *error);
