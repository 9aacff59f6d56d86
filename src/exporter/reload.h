/* Files that are read anew while the program runs, at SIGHUP or when somebody asks: each in a thread, since a disk may hang. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <systemd/sd-event.h>

struct reload;

/* The owner's; what is not told here is the reload's. */
struct reload_job {
	const char *name;		/* of what is read, in the log */
	void (*read)(void *context, bool is_asked);	/* in the thread; is_asked: by SIGHUP */
	void (*use)(void *context);	/* on the loop, afterwards: until then what read() makes is not looked at */
	void *context;

	struct reload *reload;
	struct reload_job *next;
	sd_event_source *done;
	int done_fd;			/* eventfd: the thread has ended */
	pthread_t thread;
	bool is_running, is_wanted_again, is_of_signal;
	bool is_asked;			/* the thread's */
};

/* Takes SIGHUP, and tells systemd of each reload. 0 or a negative errno. */
int reload_new(sd_event *, struct reload **ret);
void reload_free(struct reload *);		/* after its jobs; NULL does nothing */

/* Done at each SIGHUP from now on. The job stays where it is until reload_end(). 0 or a negative errno. */
int reload_add(struct reload *, struct reload_job *);
/* Now, or anew when it is under way. */
void reload_start(struct reload_job *);
/* False: its thread is under way, and may hang with its disk. What it works on must stay where it is; the process ends, and so
 * does the thread. */
bool reload_end(struct reload_job *);
