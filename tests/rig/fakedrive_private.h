/* Inside the fake drive: one question, whoever asked it in whatever form. */
#pragma once

#include "base/fail.h"
#include "capture/inventory.h"
#include "rig/fakedrive.h"

/* ---- fault.c: faults by hand, out of CAPTURE.fault */

struct fault {
	uint64_t delay_us;
	bool is_hang, has_failure;
	struct fail fail;
};

/* Which lines of which file are used up. */
struct faults {
	char *path;
	uint64_t file[4];		/* what tells one file from the next */
	uint64_t used;			/* a bit for each of the first lines */
};

/* The first line for this name, and for these keys where it has some (command may be NULL). False: none. The file is
 * read anew. */
bool faults_find(struct faults *, const char *name, const struct command *command, struct fault *ret);

/* ---- fakedrive.c */

enum drive_state { DRIVE_ANSWERED, DRIVE_LACKS, DRIVE_ABSENT };

struct drive_answer {
	enum drive_state state;		/* LACKS: the capture does not know the command; fail and bytes are as a replay's */
	struct fail fail;
	size_t n;
	uint8_t bytes[COMMAND_ANSWER_MAX];
};

/* Waits as long as the drive takes. A failure by hand is an answer. */
void drive_ask(struct fakedrive *, const struct fakedrive_patience *, const struct command *, struct drive_answer *ret);
/* The same for what no capture can hold: name is for faults by hand; in their absence it lacks. */
void drive_ask_by_name(struct fakedrive *, const struct fakedrive_patience *, const char *name,
		       struct drive_answer *ret);

/* What the capture answers now, without fault or wait: for what is made of it. False: nothing usable. */
bool drive_peek(struct fakedrive *, const struct command *, struct drive_answer *ret);
bool drive_peek_plain(struct fakedrive *, enum command_name, struct drive_answer *ret);

enum transport drive_transport(struct fakedrive *);
/* The header, and what sections made of it, to free; NULL without memory. And the device in it that is asked. */
struct inventory_drive *drive_inventory(struct fakedrive *, const struct inventory_device **ret_device);

/* ---- scsi.c, for sat.c */

void scsi_give(struct fakedrive_scsi *, const void *bytes, size_t n);
void scsi_give_fail(struct fakedrive_scsi *, struct fail);
void scsi_give_answer(struct fakedrive_scsi *, const struct drive_answer *, size_t allocation);

/* ---- sat.c */

void sat_pass_through(struct fakedrive *, struct fakedrive_scsi *);
/* A string of IDENTIFY DEVICE, whose bytes are swapped in pairs, padded with blanks. */
void sat_text(const uint8_t *identify, size_t at, size_t n, uint8_t *to);
