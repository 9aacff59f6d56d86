/* The history of a fleet: started here, and what comes of it goes to those who asked. */
#pragma once

#include "exporter/fleet.h"

/* Starts it where the options want one. A failure is logged: all else is served. */
void past_start(struct fleet *);
void past_stop(struct fleet *);
