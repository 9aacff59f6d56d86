/* Inside capture/: the lines of a capture, as the reader, the writer and the builder share them. */
#pragma once

#include "capture/capture.h"

enum { N_CAPTURE_LINE_KINDS = CAPTURE_PRESENT + 1 };

/* Whose a header line is. */
enum line_owner {
	LINE_DRIVE,		/* the drive's */
	LINE_NODE,		/* of the device or controller above */
	LINE_BLOCK,		/* of the device above: the block layer knows no controllers */
};

/* A kind of line: where it may stand and what may follow its word. */
struct line_rule {
	const char *word;
	bool in_header, in_section;
	enum line_owner owner;
	const char *(*refusal)(const char *value);	/* the reason why not, static; NULL: it is well formed */
};

extern const struct line_rule line_rules[N_CAPTURE_LINE_KINDS];

/* The kind that starts with this word. */
bool line_kind_from_word(const char *word, enum capture_line_kind *ret);

/* The next word of a line, ended with a NUL in place; NULL at its end. */
char *line_word(char **rest);

/* Words parted by one blank each, in place. */
char *line_squeeze(char *rest);

/* A sysfs line's value ("PATH VALUE") with every \x20 in PATH made a blank, in place. Returns PATH's new length. */
size_t line_undo_escapes(char *value);
/* "PATH VALUE" as a file has it: the first n_path bytes are PATH. */
void line_write_sysfs(struct text *out, const char *path, size_t n_path, const char *value);

/* ---- failure.c: what stands after "!" */

/* Reads the words after "!" into fail and is_hang; NULL, or the reason why not. */
const char *failure_parse(char *rest, struct fail *ret, bool *ret_is_hang);
/* "sense 05 24 00", "errno EIO", ...; nothing for OK without a code. */
void failure_write(struct text *out, const struct fail *, bool is_hang);

/* ---- build.c */

/* Room for one more; NULL without memory. The new one is zeroed. */
struct capture_line *capture_more_lines(struct capture *);
struct capture_answer *capture_more_answers(struct capture *);

/* Why an answer can't have this many bytes, static ("ata-identify" goes before it); NULL: it can. */
const char *capture_refuse_length(const struct command *, size_t n, struct fail beside);
