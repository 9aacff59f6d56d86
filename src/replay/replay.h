/* A replay: drives out of captures, as they are at a moment. Time counts from the start by base/clock.h, in whole seconds where
 * sections begin. What changes with time is computed from it, so that supervisor and children agree without a word, and one that
 * is started anew with the same clock goes on where the last one was. */
#pragma once

#include "capture/capture.h"
#include "capture/inventory.h"
#include "probe/supervisor.h"

struct replay_node {
	char name[NODE_NAME_MAX];
	bool is_controller;
};

/* An answer by what it is looked up by: command, path (empty: the default) and section. */
struct replay_answers {
	struct command command;		/* its count written out */
	const char *path;
	uint64_t at_s;
	const struct capture_answer *answer;
};

/* A moment at which something of a drive's inventory changes, and what holds from then on. */
struct replay_moment {
	uint64_t at_s;
	bool is_present;
	uint64_t returns;		/* how often it has come back */
	size_t n_changes;		/* by then, of replay_drive.changes */
};

struct replay_drive {
	struct capture *capture;
	char key[INVENTORY_KEY_MAX];
	struct replay_node *nodes;	/* the capture's, then the controllers derived; the first is the default */
	size_t n_nodes;
	struct replay_answers *answers;	/* the capture's, by command, path and section */
	const struct capture_line **changes;	/* the lines of sections, by moment */
	struct replay_moment *moments;	/* ascending */
	size_t n_moments;
};

/* How far a node is in successive answers. */
struct replay_place {
	size_t drive, node, group;	/* whose, and to what: see replay_answers_at() */
	const struct replay_answers *first;	/* of the section that it is in */
	size_t next;
};

struct replay {
	struct replay_drive *drives;
	size_t n_drives;
	int64_t start_real_us, start_steady_us;	/* by base/clock.h */
	const char *hang_file;		/* NULL: "! hang" sleeps */
	uint64_t told_s;		/* the moment of which the client knows */
	struct replay_place *places;	/* of this process: each child has its own */
	size_t n_places;
};

/* Keeps the capture. False for one that can't be served, *error says why; it is freed then. */
bool replay_add(struct replay *, struct capture *, struct text *error);
/* Its time is 0 at that moment of CLOCK_MONOTONIC; the clock runs as it should. */
void replay_start(struct replay *, uint64_t start_us);
void replay_free(struct replay *);

int64_t replay_elapsed_us(const struct replay *);

bool replay_is_present(const struct replay_drive *, uint64_t at_s);

/* Whose node this is at that moment: the present drive's. False: nobody's. */
bool replay_owner(const struct replay *, const char *node, uint64_t at_s, size_t *ret_drive, size_t *ret_node);

/* Unique for each drive and device, and another one each time the drive comes back; never 0. */
uint64_t replay_diskseq(const struct replay *, size_t drive, size_t node, uint64_t at_s);

/* ---- index.c */

/* When the nodes are known. False: no memory. */
bool replay_index(struct replay_drive *);
void replay_index_free(struct replay_drive *);
/* The answers, one after another, to a command on a path (empty: the default) at that moment: those of the latest section that
 * mentions it. 0: none does. The group is a number for that command on that path. */
size_t replay_answers_at(const struct replay_drive *, const struct command *, const char *path, uint64_t at_s,
			 const struct replay_answers **ret_first, size_t *ret_group);
/* How many of a drive's moments have come. */
size_t replay_moments_until(const struct replay_drive *, uint64_t at_s);

/* ---- inventory.c */

/* The drive at that moment, to free; NULL without memory. */
struct inventory_drive *replay_inventory(const struct replay *, size_t drive, uint64_t at_s);
const char *replay_devpath(const struct replay_drive *, size_t node);	/* NULL: not told */
void replay_tell(void *replay, bool is_first, void (*send)(void *to, const uint8_t *message, size_t n), void *to);
int replay_next_event_ms(void *replay);

/* ---- answer.c */

struct replay_answer {
	struct fail fail;
	size_t n_bytes;			/* in the buffer */
	uint64_t delay_us;
	bool is_hang;
};

/* What the node answers at that moment; moves on in successive answers. buffer has COMMAND_ANSWER_MAX bytes. */
void replay_look_up(struct replay *, size_t drive, size_t node, uint64_t at_s, const struct command *, uint8_t *buffer,
		    struct replay_answer *ret);
int replay_child_for(void *replay, const struct wire_request *, char ret_child[NODE_NAME_MAX]);
void replay_answer(void *replay, const struct wire_request *, uint8_t *buffer, struct wire_reply *ret);
