/* A replay: drives out of captures, as they are at a moment. Time counts from the start, in whole seconds where
 * sections begin. What changes with time is computed from it, so that supervisor and children agree without a word. */
#pragma once

#include "capture/capture.h"
#include "capture/inventory.h"
#include "probe/supervisor.h"

struct replay_node {
	char name[NODE_NAME_MAX];
	bool is_controller;
};

struct replay_drive {
	struct capture *capture;
	char key[INVENTORY_KEY_MAX];
	struct replay_node *nodes;	/* the capture's, then the controllers derived; the first is the default */
	size_t n_nodes;
	uint64_t *moments;		/* when something of its inventory changes, ascending */
	size_t n_moments;
};

/* How far a node is in successive answers: those from `first` on that are alike. */
struct replay_place {
	size_t drive, node, first, next;
};

struct replay {
	struct replay_drive *drives;
	size_t n_drives;
	int64_t start_real_us, start_steady_us;
	const char *hang_file;		/* NULL: "! hang" sleeps */
	uint64_t told_s;		/* the moment of which the client knows */
	struct replay_place *places;	/* of this process: each child has its own */
	size_t n_places;
};

/* Keeps the capture. False for one that can't be served, *error says why; it is freed then. */
bool replay_add(struct replay *, struct capture *, struct text *error);
void replay_start(struct replay *);		/* its time is 0 from now on */
void replay_free(struct replay *);

int64_t replay_elapsed_us(const struct replay *);

bool replay_is_present(const struct replay_drive *, uint64_t at_s);

/* Whose node this is at that moment: the present drive's. False: nobody's. */
bool replay_owner(const struct replay *, const char *node, uint64_t at_s, size_t *ret_drive, size_t *ret_node);

/* Unique for each drive and device, and another one each time the drive comes back; never 0. */
uint64_t replay_diskseq(const struct replay *, size_t drive, size_t node, uint64_t at_s);

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
