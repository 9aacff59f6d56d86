/* All that is served: this host's drives, or a replay's, or both; found, asked, and kept up to date. */
#pragma once

#include <systemd/sd-event.h>

#include "exporter/databases.h"
#include "exporter/ledgers.h"
#include "exporter/rights.h"
#include "exporter/wears.h"
#include "poll/poller.h"

enum { FLEET_ARGUMENTS = 5 };			/* of a program, beside the captures */

struct fleet {
	sd_event *event;
	const struct options *options;
	struct drive_table drives;
	struct poller *poller;
	struct probe_client *clients[N_DEVICE_SOURCES];	/* NULL: this source is not served */
	struct device_list devices[N_DEVICE_SOURCES];
	bool is_discovered[N_DEVICE_SOURCES];
	uint64_t discovery_failures;
	struct databases *databases;		/* of drives: what ATA attributes mean */
	struct rights rights;
	struct starter *starters[N_DEVICE_SOURCES];	/* of the programs, once we have no rights; NULL: we start them */
	struct history *history;		/* NULL: there is none */
	struct wears *wears;			/* how worn they are */
	struct ledgers *ledgers;		/* which were there, and are */
	bool is_stopping;

	char *program[N_DEVICE_SOURCES];	/* these three: fleet_program() */
	const char *arguments[N_DEVICE_SOURCES][OPTIONS_LIST + FLEET_ARGUMENTS + 1];
	char *made[N_DEVICE_SOURCES][FLEET_ARGUMENTS];
	struct host_watch *watch;		/* of this host's devices */
	sd_event_source *tend;
	bool is_settled;			/* drives that are there have told who they are, or had the time to */
	uint64_t started_us;
};

/* Starts finding and asking; the event loop does the rest. 0 or a negative errno with a line logged. The fleet must not
 * move afterwards. */
int fleet_start(struct fleet *, sd_event *, const struct options *);
void fleet_stop(struct fleet *);	/* also of one that was not started, all zeroes */

/* Drives are known, and each had its first visit, or is past its deadline. */
bool fleet_is_settled(const struct fleet *);
/* Drives are known. */
bool fleet_is_discovered(const struct fleet *);
/* The program that answers could not be started three times in a row. */
bool fleet_is_hopeless(const struct fleet *);

/* How to reach the program that answers for a source: beside the running one, or as the options say. Kept by the fleet
 * until fleet_free_programs(). 0, or a negative errno with a line logged. */
int fleet_program(struct fleet *, enum device_source, struct probe_client_options *ret);
void fleet_free_programs(struct fleet *);
