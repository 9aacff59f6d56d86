/* Processes that we started. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Collects those that have ended, without waiting for one that has not (in state D it may never), and takes them out. Returns
 * how many are left. */
size_t pids_reap(pid_t *pids, size_t n);
