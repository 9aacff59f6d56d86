/* The child of one device node: takes a request from its socket, holds NODE.lock while it asks, answers, and ends when
 * the socket does. It may sleep in a command for ever; nobody waits for it. */
#pragma once

#include "probe/supervisor.h"

struct child_options {
	int fd;				/* its end of the socket pair; all other descriptors are closed */
	const char *name;		/* of the node or host: process name and lock file */
	const char *runtime_directory;
	uint64_t generation;
};

/* Never returns. */
_Noreturn void child_run(const struct child_options *, const struct prober_answerer *);
