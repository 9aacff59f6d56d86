/* What the files of the store share. */
#pragma once

#include <sqlite3.h>
#include <sys/types.h>

#include "history/store.h"

enum store_statement {
	STORE_BEGIN, STORE_COMMIT, STORE_ROLLBACK, STORE_PUT_DRIVE, STORE_GET_DRIVE, STORE_SEEN, STORE_PUT_ORIGIN, STORE_GET_ORIGIN,
	STORE_PUT_DAY, STORE_IMPORT_DAY, STORE_PUT_READING, STORE_PRUNE_READINGS, STORE_PUT_KNOWN, STORE_FORGET_KNOWN, STORE_STATEMENTS,
};

struct store {
	sqlite3 *db;
	bool is_new;
	dev_t device;
	ino_t inode;
	sqlite3_stmt *statements[STORE_STATEMENTS];	/* made when first used */
	/* Of the last row: most have the same. 0: none. */
	int64_t origin_id;
	char firmware[HISTORY_FIRMWARE_MAX], wear_page[HISTORY_PAGE_MAX], written_page[HISTORY_PAGE_MAX];
	char path[STORE_PATH_MAX];
};

/* Says what SQLite says of its last failure. */
int store_failed(struct store *, int rc, const char *what, struct text *error);

static inline void store_finalizep(sqlite3_stmt **statement)
{
	sqlite3_finalize(*statement);
}
#define AUTO_STATEMENT CLEANUP(store_finalizep) sqlite3_stmt *

/* In the header of the file, so that no data base of another program is taken for ours. */
enum { STORE_APPLICATION = 0x64726864 };

/* store_write.c: a statement, and one run of it; ret_id is what its one row says, NULL where it has none. */
int store_get(struct store *, enum store_statement, sqlite3_stmt **ret, struct text *error);
int store_step(struct store *, sqlite3_stmt *, int64_t *ret_id, struct text *error);

/* store_read.c: the column into what lies at `to`. False: it is not of this kind. */
bool store_take(sqlite3_stmt *, int i, enum column_kind, void *to, size_t size);

/* store_schema.c */
int store_migrate(struct store *, int from, struct text *error);
/* Are our tables there, with our columns? */
int store_check_tables(struct store *, struct text *error);
