/* Starts a program on behalf of an exporter that has given its rights up: a process of its own, forked while there still were
 * some, that knows this one program and does nothing else. It ends with the exporter, and its programs with it. */
#pragma once

#include "poll/client.h"

struct starter;

/* Forks it; arguments are those of the options, and are copied with the process. 0 or a negative errno. */
int starter_new(const struct probe_client_options *, struct starter **ret);
/* Its programs are told to end. NULL does nothing. */
void starter_free(struct starter *);

/* Starts the program with that end of a socketpair, which stays the caller's to close. Never waits: 0, or a negative errno. That
 * the program could not be started shows in the end of the socket. */
int starter_start(struct starter *, int fd);
/* Sends all its programs SIGTERM. */
void starter_end_programs(struct starter *);

/* ---- for client.c, which starts programs without one, too */

/* In a child process: becomes the program, with this as the socket of its --socket-fd. Does not return. */
void starter_exec(const struct probe_client_options *, int fd);
