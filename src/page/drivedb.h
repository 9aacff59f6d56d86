/* smartmontools' data base of drives, drivedb.h, read where it is installed: it is under the GPL, and no part
 * of it is a part of this program. It says what the vendors' attributes of a model are called and how their raw
 * bytes are put together.
 *
 * A file is refused whole for a breach of its grammar, or where it passes one of the limits below. What a
 * later version may bring costs no more than itself: an entry whose pattern we do not take is left out, an
 * attribute whose format we do not know has a name and no number; both are counted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum {
	DRIVEDB_BYTES_MAX = 8 << 20,	/* of a file */
	DRIVEDB_ENTRIES_MAX = 16384,	/* that are kept: not those of USB bridges */
	DRIVEDB_SETTINGS_MAX = 65536,	/* of all entries together */
	DRIVEDB_STRING_MAX = 64 << 10,
	DRIVEDB_PATTERN_MAX = 4096,
	DRIVEDB_FAMILY_MAX = 256,
	DRIVEDB_NAME_MAX = 64,		/* of an attribute: printable ASCII */
	DRIVEDB_WORK_MAX = 1 << 20,	/* characters of patterns that one lookup may have to walk */
};

struct drivedb;				/* owns all its text */

/* Reads a data base out of n bytes of text. 0; -EINVAL, and *error says "line N: " and what is wrong there;
 * -ENOMEM. */
int drivedb_parse(const char *text, size_t n, struct drivedb **ret, struct text *error);

/* Reads a file. -errno where that fails, with "PATH: " before the reason; what is no regular file is not
 * opened (-EINVAL). */
int drivedb_read(const char *path, struct drivedb **ret, struct text *error);

void drivedb_free(struct drivedb *);

/* "7.3/5319"; "" where the file does not tell. Printable ASCII. */
const char *drivedb_version(const struct drivedb *);

/* Those that a drive can match. */
size_t drivedb_entries(const struct drivedb *);

/* Entries left out for their pattern, formats and bugs not known. */
size_t drivedb_not_understood(const struct drivedb *);

/* How the raw bytes are to be read: the words of smartctl(8), option -v. */
enum drivedb_format {
	DRIVEDB_UNKNOWN,	/* a word we do not know: there is no number */
	DRIVEDB_RAW8, DRIVEDB_RAW16,	/* six and three numbers, none of which is the main one */
	DRIVEDB_RAW48, DRIVEDB_RAW56, DRIVEDB_RAW64,
	DRIVEDB_HEX48, DRIVEDB_HEX56, DRIVEDB_HEX64,	/* parts or flags more often than a count */
	DRIVEDB_RAW16_RAW16, DRIVEDB_RAW16_AVG16, DRIVEDB_RAW24_RAW8,	/* the lowest part, and more above it */
	DRIVEDB_RAW24_DIV_RAW24, DRIVEDB_RAW24_DIV_RAW32,	/* two numbers, the upper one first */
	DRIVEDB_SEC2HOUR, DRIVEDB_MIN2HOUR, DRIVEDB_HALFMIN2HOUR, DRIVEDB_MSEC24HOUR32,
	DRIVEDB_TEMPMINMAX, DRIVEDB_TEMP10X,
	N_DRIVEDB_FORMATS
};

/* What the main number of a format counts, as far as the format tells. */
enum drivedb_unit {
	DRIVEDB_COUNT,		/* whatever the attribute's name says */
	DRIVEDB_BITS,		/* not to be taken for a count */
	DRIVEDB_SECONDS, DRIVEDB_MINUTES, DRIVEDB_HALF_MINUTES, DRIVEDB_HOURS,
	DRIVEDB_CELSIUS, DRIVEDB_TENTHS_CELSIUS,
};

struct drivedb_attribute {
	const char *name;	/* owned by the data base; "": none, also where the data base calls it unknown */
	enum drivedb_format format;
	char order[9];		/* the bytes that make the number, the most significant first: 0 to 5 of the raw bytes,
				 * r reserved, v value, w worst, z zero. Ends with a NUL */
	bool has_own_name, has_own_format;	/* the matching entry says it; false: DEFAULT does, or nobody */
	bool takes_value, takes_worst;	/* these are part of the raw number, or have no meaning since the value is: no
					 * normalised values here */
	bool is_increasing;	/* the count is not taken back when sectors are reallocated */
};

/* Faults of firmware that an entry tells of (smartctl(8), option -F): a bit for each. */
enum drivedb_bug {
	DRIVEDB_NO_LOG_DIRECTORY = 1 << 0,	/* must not be asked for log 00h */
	DRIVEDB_SWAPPED_WORDS = 1 << 1,		/* some 16- and 32-bit quantities of SMART structures */
	DRIVEDB_SWAPPED_ERROR_COUNT = 1 << 2,
	DRIVEDB_SELF_TEST_SEEMS_RUNNING = 1 << 3,	/* with 0 % remaining it has ended */
	DRIVEDB_LITTLE_ENDIAN_ERROR_LBA = 1 << 4,	/* of the extended comprehensive error log */
	DRIVEDB_SWAPPED_IDENTIFY = 1 << 5,
	DRIVEDB_OTHER_BUG = 1 << 6,		/* one we do not know */
};

struct drivedb_drive {
	const char *family;	/* of the matching entry, owned by the data base; NULL: none matches */
	unsigned bugs;
	struct drivedb_attribute attributes[256];	/* by id; 0 is no attribute */
};

/* What the data base says of a model: the first entry whose patterns match it. Its own entry goes over
 * DEFAULT; a name that DEFAULT gives to disks alone, or to SSDs alone, is left out for the others.
 * is_solid_state: 1, 0, or -1 where that is not known. Strings are those of IDENTIFY without the blanks
 * around them. False: no entry matches, and only what DEFAULT says was put in. */
bool drivedb_lookup(const struct drivedb *, const char *model, const char *firmware, int is_solid_state,
		    struct drivedb_drive *ret);

/* ---- numbers: drivedb_raw.c */

/* An attribute of SMART READ DATA. */
struct drivedb_bytes {
	uint8_t value, worst, raw[6], reserved;
};

/* All the bytes the attribute is made of, as one number: what smartctl's JSON output has as raw.value. */
uint64_t drivedb_whole(const struct drivedb_attribute *, const struct drivedb_bytes *);

/* The one number that the format makes of them, in its unit; a temperature of 0 is mostly a drive without a
 * sensor. False where it makes several equal ones (raw8, raw16), where the format is not known, for a
 * temperature whose bytes fit no layout, and for a number beyond INT64_MAX. */
bool drivedb_raw(const struct drivedb_attribute *, const struct drivedb_bytes *, int64_t *ret_main);

enum drivedb_unit drivedb_unit(enum drivedb_format);

/* "raw48"; the word that drivedb_format_from() takes. "" for DRIVEDB_UNKNOWN. */
const char *drivedb_format_name(enum drivedb_format);
enum drivedb_format drivedb_format_from(const char *word);

/* The bytes, where the data base does not say which. */
const char *drivedb_format_order(enum drivedb_format);
