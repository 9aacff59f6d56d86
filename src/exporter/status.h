/* What systemd is told of the daemon while it runs: that it is alive, and the line that `systemctl status` shows. */
#pragma once

#include "exporter/fleet.h"

/* A drive is one of these; one that is missing is none of those that are counted as there. */
enum status_kind { STATUS_READ, STATUS_ASLEEP, STATUS_RESERVED, STATUS_STUCK, STATUS_UNREAD, STATUS_VIRTUAL, STATUS_MISSING,
		   N_STATUS_KINDS };

struct status_counts {
	bool is_discovered;
	size_t n[N_STATUS_KINDS];
	bool has_source[N_DEVICE_SOURCES], is_up[N_DEVICE_SOURCES];
};

/* "24 drives: 22 read, 1 asleep, 1 stuck, 2 missing; prober up" */
void status_text(const struct status_counts *, struct text *out);

/* Nothing where systemd does not ask for it. 0 or a negative errno. */
int status_start(sd_event *, const struct fleet *);
