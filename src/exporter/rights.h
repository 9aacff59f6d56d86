/* Started by hand as root, the exporter goes on as a user without rights once its prober runs: it listens on the network, and
 * needs none. What needs them is left to processes that do not: the prober, and the one that starts it. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct rights {
	bool are_given_up;		/* they will be, or are; false: there are none, or they stay */
	uid_t uid;			/* of drive_exporter, where that user exists, else of nobody */
	gid_t gid;
};

/* While we are root: whom we will become. Not root: are_given_up is false. Looks the user up, which reads files. */
void rights_plan(struct rights *);
/* Makes the folder where it is absent, and gives it, and root's files of the data base in it, to that user. */
void rights_hand_over(const struct rights *, const char *directory);
/* Becomes that user, for good, with an empty capability bounding set. A failure is logged, and we stay who we are. */
void rights_give_up(struct rights *);
