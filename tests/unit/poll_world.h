/* A world for client and poller: a clock that stands still until a test lets it pass, and a prober that a test scripts.
 * All of it is one thread, so what happens, and in which order, is the same every time. */
#pragma once

#include "base/log.h"
#include "poll/poller.h"

#include "unit.h"	/* after the others: cmocka makes a macro of fail */

enum { WORLD_LOG = 8192, WORLD_ANSWERS = 512, WORLD_REPLIES = 64 };

struct world_answer {
	char node[NODE_NAME_MAX];		/* empty: any */
	char command[COMMAND_TEXT_MAX];		/* as in a capture */
	struct wire_reply reply;
	uint8_t *bytes;
	unsigned left;				/* so many times more; 0: for ever */
	bool is_held;				/* no reply until world_release() */
};

struct world_event {
	uint64_t at_ms;				/* since the start of this world */
	char text[NODE_NAME_MAX + COMMAND_TEXT_MAX];	/* "sda log-sense page=0d" */
	struct wire_request request;
};

/* Answers what the book does not know. */
typedef void (*world_other_fn)(void *context, const struct wire_request *, struct wire_reply *ret);

struct world {
	sd_event *event;
	struct probe_client *client;
	struct poller *poller;			/* NULL: replies are noted below instead */
	struct drive_table table;
	struct device_list devices;

	/* The prober's side. */
	char socket_path[108];
	int listener, peer;			/* peer -1: nobody is connected */
	uint64_t generation;
	bool is_mute, is_silent;		/* says no hello; sends no heartbeats */
	size_t n_accepted, n_beats, n_hellos;
	struct world_answer answers[WORLD_ANSWERS];
	size_t n_answers;
	world_other_fn other;			/* NULL: nobody does */
	void *other_context;
	struct world_event log[WORLD_LOG];
	size_t n_log;
	struct wire_request held[WORLD_ANSWERS];
	size_t n_held;

	/* What the client told. */
	size_t n_ready, n_failed, n_lost, n_inventory, n_inventory_end, n_added, n_removed;
	char inventory[256];
	struct {
		void *tag;
		struct wire_reply reply;
	} replies[WORLD_REPLIES];
	size_t n_replies;
	uint64_t began_us;
	uint64_t answer_us;			/* so much time passes with each request */
};

/* A new world with a client that connects when time passes; with a poller unless interval is 0. */
struct world *world_new(uint64_t interval_ms, const struct drive_filter *filter);
void world_free(struct world *);

/* Lets everything happen that can happen now; requests are noted in the log and answered out of the book. */
void world_run(struct world *);
/* So many turns of the loop, and no more: of a world that never comes to rest. */
void world_turn(struct world *, unsigned turns);
/* The same as world_run() while so much time passes; the prober sends its heartbeats. */
void world_pass(struct world *, uint64_t ms);
/* The clock alone moves. */
void world_jump(uint64_t ms);
uint64_t world_now_us(void);
int64_t world_real_us(void);

/* The book: what is answered. A later entry for the same node and command replaces an earlier one, but one with a
 * number of times (0: for ever) goes before it. What is not in the book is not supported. node NULL: any. */
void world_say(struct world *, const char *node, const char *command, const void *bytes, size_t n);
void world_fail(struct world *, unsigned times, const char *node, const char *command, struct fail);
void world_verdict(struct world *, unsigned times, const char *node, const char *command, enum wire_verdict,
		   int64_t busy_since_us);
void world_hold(struct world *, const char *node, const char *command);
/* What the book says for ever holds for so many times only. */
void world_times(struct world *, unsigned times, const char *node, const char *command);
void world_forget(struct world *, const char *node, const char *command);
/* Answers, late, the oldest request that is held. */
void world_release(struct world *, const void *bytes, size_t n);
void world_release_all_as(struct world *, struct fail);

/* The prober says this message; ends the connection; stops or begins to listen. */
void world_send(struct world *, const uint8_t *message, size_t n);
void world_send_reply(struct world *, const struct wire_reply *);
void world_hang_up(struct world *);
void world_stop_listening(struct world *);
void world_listen(struct world *);

/* What was asked since then, a line each; valid until the next call. */
const char *world_asked(const struct world *, size_t since);
size_t world_count(const struct world *, size_t since, const char *text);

/* Devices of the host; world_discover() makes them drives. */
struct device *world_device(struct world *, const char *name, enum transport, const char *host, const char *group);
void world_discover(struct world *);
struct drive *world_drive(const struct world *, const char *device);
struct drive_poll *world_poll(const struct world *, const char *device);
/* NAN: not served. */
double world_value(const struct world *, const char *device, enum metric_family_id, const char *label);

/* Drives that answer. */
void world_scsi(struct world *, const char *node, const char *vendor, const char *model, const char *serial);
void world_nvme(struct world *, const char *node, const char *model, const char *serial);
void world_ata(struct world *, const char *node, const char *model, const char *serial, unsigned rpm);
void world_temperature(struct world *, const char *node, int celsius);
void world_wear(struct world *, const char *node, int percent);
void world_scsi_sense(struct world *, const char *node, uint8_t asc, uint8_t ascq);
