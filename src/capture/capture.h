/* Captures: a drive in a text file (docs/capture.md has the format). Read strictly: what breaks the rules is refused
 * with line and reason, and nothing of it is used. */
#pragma once

#include <sys/types.h>

#include "base/fail.h"
#include "base/text.h"
#include "probe/command.h"

enum {
	CAPTURE_BYTES_MAX = 16 << 20,	/* of a file */
	CAPTURE_DEVICES = 64,		/* devices and controllers together */
};

/* One answer, or one failure, to one command on one path from one moment on. */
struct capture_answer {
	struct command command;
	char path[NODE_NAME_MAX];	/* empty: the first path's, the default */
	uint64_t at_s;			/* the section's moment */
	uint64_t delay_us;		/* how long the drive took; 0: not told */
	uint8_t *bytes;			/* NULL: a failure alone */
	size_t n_bytes;
	struct fail fail;		/* OK, or beside bytes: sense data that came with them */
	bool is_hang;			/* no answer, ever */
	size_t line;
};

/* A header line of a device, or a change of one in a section. */
enum capture_line_kind { CAPTURE_DEVICE, CAPTURE_CONTROLLER, CAPTURE_SIZE, CAPTURE_LOGICAL_BLOCK, CAPTURE_ROTATIONAL,
			 CAPTURE_DEVPATH, CAPTURE_SYSFS, CAPTURE_STAT, CAPTURE_ABSENT, CAPTURE_PRESENT };
struct capture_line {
	enum capture_line_kind kind;
	uint64_t at_s;		/* 0 for the header */
	bool is_header;
	char *value;		/* the rest of the line; for sysfs "PATH VALUE" with \x20 undone in PATH and one
				 * blank between */
	size_t line;
	size_t n_path;		/* of sysfs: length of PATH in value, which may hold blanks */
	char node[NODE_NAME_MAX];	/* whose line it is. Of the header: the device or controller above, or named here;
					 * nobody's: empty. Of a section: the path in force; empty: the first */
};

struct capture {
	char *file;		/* its name, for messages */
	enum transport transport;
	struct capture_line *lines;
	size_t n_lines;
	struct capture_answer *answers;	/* in file order */
	size_t n_answers;
};

/* Reads one capture out of text (not NUL-terminated); name is for messages. NULL on a broken one: *error then says
 * "name:line: reason". */
struct capture *capture_parse(const char *text, size_t n, const char *name, struct text *error);
struct capture *capture_read(const char *path, struct text *error);	/* also: the file can't be read */
void capture_free(struct capture *);

/* All captures of PATH: a file, or the *.capture files of a folder in the order of their names. Broken ones are left
 * out, each with a line in *error. Returns how many were read; *ret is malloc'ed (free each, then the array). -errno if
 * PATH itself can't be read. */
ssize_t captures_read(const char *path, struct capture ***ret, struct text *error);

/* Name of the n-th device or controller line, in file order; NULL past the end. */
const char *capture_device(const struct capture *, size_t n, bool *ret_is_controller);

/* ---- writing */

/* The text of a capture, as capture_parse() reads it back to the same. */
void capture_write(const struct capture *, struct text *out);

/* Replaces serial numbers and world wide names, in every answer and line, by made-up ones of the same length; the same
 * one everywhere. Checksums that were right stay right. */
void capture_redact(struct capture *);

/* Building one: takes copies. False where memory ran out, or for what no capture can say (a value with # or a control
 * character in it, or empty; an answer of another length than it must have). value is as a line of the file has it:
 * blanks in the PATH of sysfs are \x20. Lines belong to the device or controller added before them. An answer of no bytes is kept
 * as "! sense 00 00 00": success, and nothing to tell. */
struct capture *capture_new(enum transport transport);
bool capture_add_line(struct capture *, enum capture_line_kind kind, const char *value);
bool capture_add_answer(struct capture *, const char *path, const struct command *, const uint8_t *bytes, size_t n,
			struct fail fail, uint64_t delay_us);
