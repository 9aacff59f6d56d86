/* What the exporter and its child say to each other, one message a packet. Both are the same program, started from the same
 * file, so that they have one idea of these structs. Each request has one result, and one request at a time is under way. */
#pragma once

#include "history/history.h"

/* How the child is started: /proc/self/exe HISTORY_CHILD_VERB DIRECTORY ("": in memory), with the socket at this number. */
#define HISTORY_CHILD_VERB "history-child"
enum { HISTORY_CHILD_FD = 3 };

enum history_message_type {
	HISTORY_OPEN,		/* request: try the data base */
	HISTORY_DRIVE,		/* whose rows and readings follow */
	HISTORY_ROW,
	HISTORY_READING,
	HISTORY_KNOWN,		/* who a drive is; seen_s 0: forget it */
	HISTORY_COMMIT,		/* request: write what came since the last one */
	HISTORY_LOAD,		/* request: the rows of this drive */
	HISTORY_LOAD_KNOWN,	/* request: all drives that are known */
};

struct history_message {
	enum history_message_type type;
	union {
		struct history_drive drive;
		struct history_row row;
		struct history_reading reading;
		struct history_known known;
	};
};

enum { HISTORY_BATCH_MAX = 4096 /* rows and readings */, HISTORY_ROWS_MAX = 128, HISTORY_KNOWN_MAX = 32, HISTORY_REASON_MAX = 1024 };

enum history_answer_type { HISTORY_RESULT, HISTORY_ROWS, HISTORY_DRIVES };

struct history_answer {
	enum history_answer_type type;
	int error;			/* of a result: 0 or a negative errno */
	bool is_new;			/* the data base was made for this request */
	uint64_t n_invalid;		/* rows that were left out */
	char moved_aside[HISTORY_REASON_MAX];	/* why, and as what; empty: was not */
	char reason[HISTORY_REASON_MAX];	/* of the error */
};

/* Rows come before the result of their request. */
struct history_rows {
	enum history_answer_type type;
	uint32_t n;
	struct history_row at[HISTORY_ROWS_MAX];
};

/* So do drives. */
struct history_drives {
	enum history_answer_type type;
	uint32_t n;
	struct history_known at[HISTORY_KNOWN_MAX];
};

union history_any_answer {
	struct history_answer result;
	struct history_rows rows;
	struct history_drives drives;
};
