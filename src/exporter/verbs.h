/* What drive_exporter can be told to do. Each returns an exit status. */
#pragma once

#include "exporter/fleet.h"

int verb_serve(const struct options *);
int verb_once(const struct options *);
int verb_list(const struct options *);
int verb_capture(const struct options *);
int verb_history(const struct options *);
int verb_check_config(const struct options *);

/* once.c: runs the loop until every drive had its first visit or is past its deadline. 0, or a negative errno with a line
 * logged. */
int fleet_visit_once(sd_event *, struct fleet *, const struct options *);
void event_unrefp(sd_event **);
/* Before anything else: a SIGTERM that comes early ends the loop when there is one. */
void event_block_signals(void);
/* An event loop that SIGTERM and SIGINT end. */
int event_new(sd_event **ret);
