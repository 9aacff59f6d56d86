/* What the tests of the history share: a folder of their own, drives and rows. */
#pragma once

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "history/column.h"
#include "unit.h"

static inline char *folder_new(void)
{
	const char *top = getenv("TMPDIR");
	char *path = malloc(256);

	snprintf(path, 256, "%s/history-XXXXXX", top ? top : "/tmp");
	assert_non_null(mkdtemp(path));
	return path;
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	return remove(path);
}

static inline void folder_free(char *path)
{
	(void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(path);
}

/* The path of a file in it, until the next call but one. */
static inline const char *inside(const char *folder, const char *name)
{
	static char paths[2][512];
	static int turn;

	turn = !turn;
	snprintf(paths[turn], sizeof paths[turn], "%s/%s", folder, name);
	return paths[turn];
}

static inline struct history_drive drive_named(const char *label)
{
	struct history_drive drive = { .model = "MODEL", .serial = "SERIAL", .wwn = "5000c50000000001" };

	text_copy(drive.drive, sizeof drive.drive, label);
	return drive;
}

static inline struct history_row row_of(int32_t day, int64_t series)
{
	return (struct history_row){
		.series = series, .day = day, .first_s = (int64_t)day * HISTORY_DAY_S + 60, .last_s = (int64_t)day * HISTORY_DAY_S + 86000,
		.wear = day * 0.0001, .wear_since_s = 12345, .wear_since_written = 1e9 / 3, .written = day * 1e12 / 7,
		.nand_written = NAN, .power_on_s = day * 86400., .firmware = "A360", .wear_page = "log page 0x11",
		.written_page = "log page 0x37",
	};
}

static inline bool same_number(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static inline bool same_row(const struct history_row *a, const struct history_row *b)
{
	return a->series == b->series && a->day == b->day && a->first_s == b->first_s && a->last_s == b->last_s &&
	       same_number(a->wear, b->wear) && a->wear_since_s == b->wear_since_s &&
	       same_number(a->wear_since_written, b->wear_since_written) && same_number(a->written, b->written) &&
	       same_number(a->nand_written, b->nand_written) && same_number(a->power_on_s, b->power_on_s) &&
	       !strcmp(a->firmware, b->firmware) && !strcmp(a->wear_page, b->wear_page) &&
	       !strcmp(a->written_page, b->written_page);
}
