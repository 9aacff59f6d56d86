/* Inside capture/: what tells one drive from all others, and the made-up ones that stand in its place. */
#pragma once

#include "base/bytes.h"
#include "capture/capture.h"

enum { SECRET_MAX = 256 };	/* bytes; a serial number has at most 252 (SPC, VPD page 80h) */

struct secret {
	uint8_t from[SECRET_MAX], to[SECRET_MAX];
	size_t n;
	bool is_text;
	bool any_last;		/* the last 4 bits are any: the names of one drive's ports differ in them only */
};

struct secrets {
	uint64_t key[2];
	uint8_t oui[3];		/* of an NVMe controller's maker; all 0: not known */
	struct secret *at;
	size_t n, room;
	bool out_of_memory;
};

/* How a world wide name is built, which says where the maker's number (OUI) stands; that part is kept. */
enum name_form {
	NAME_NAA,		/* SPC, NAA designator: by its first 4 bits */
	NAME_EUI64,		/* 8, 12 or 16 bytes (SPC, EUI-64 designator; NVM Express, EUI64) */
	NAME_GUID,		/* NVM Express, NGUID and FGUID: bytes 8-10, if they are this maker's */
	NAME_WHOLE,		/* nothing is kept: UUID, MD5 */
};

/* False where the system has no randomness to give. */
bool secrets_begin(struct secrets *);
void secrets_end(struct secrets *);

/* Blanks and NULs around it do not count. Nothing is added for an empty one, a placeholder (one character over and
 * over, counting digits), or a known one. */
void secrets_add_text(struct secrets *, struct bytes text);
void secrets_add_name(struct secrets *, struct bytes name, enum name_form form);

/* Longest first, so that no part is replaced before the whole. */
void secrets_sort(struct secrets *);

/* Replaces every secret in data: as it is, with the bytes of each 16-bit word swapped (ATA strings), backwards
 * (little-endian numbers), and spelled in hexadecimal digits, with blanks, dashes or colons between them or not. False
 * without memory: data may still hold some. */
bool secrets_replace(const struct secrets *, uint8_t *data, size_t n);
/* The same for pieces of 4 bytes each: Seagate's FARM log holds its strings so. */
bool secrets_replace_quarters(const struct secrets *, uint8_t *data, size_t n);

/* ---- secrets_of.c: where the standards put them */

void secrets_of_answer(struct secrets *, const struct capture_answer *);
/* Twice for each line: what is free text is judged last, when the serial number is known wherever it stands. */
void secrets_of_line(struct secrets *, const struct capture_line *, bool is_free_text);
