/* Writing drives, rows and readings. */
#include <errno.h>
#include <string.h>

#include "history/store_private.h"

enum { KEEP_READINGS_S = 2 * HISTORY_DAY_S };

#define SET_DAY "first_s = excluded.first_s, last_s = excluded.last_s, wear = excluded.wear, wear_since_s = excluded.wear_since_s," \
	" wear_since_written = excluded.wear_since_written, written = excluded.written, nand_written = excluded.nand_written," \
	" power_on_s = excluded.power_on_s, origin = excluded.origin"
#define INSERT_DAY "INSERT INTO days (drive, day, series, first_s, last_s, wear, wear_since_s, wear_since_written, written," \
	" nand_written, power_on_s, origin) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)" \
	" ON CONFLICT (drive, day, series) DO UPDATE SET " SET_DAY

static const char *const sql[STORE_STATEMENTS] = {
	[STORE_BEGIN] = "BEGIN IMMEDIATE",
	[STORE_COMMIT] = "COMMIT",
	[STORE_ROLLBACK] = "ROLLBACK",
	/* What is not known now may have been known before. */
	[STORE_PUT_DRIVE] = "INSERT INTO drives (drive, model, serial, wwn) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (drive) DO UPDATE SET"
		" model = coalesce(nullif(excluded.model, ''), model), serial = coalesce(nullif(excluded.serial, ''), serial),"
		" wwn = coalesce(nullif(excluded.wwn, ''), wwn)",
	[STORE_GET_DRIVE] = "SELECT id FROM drives WHERE drive = ?1",
	[STORE_SEEN] = "UPDATE drives SET first_s = min(coalesce(first_s, ?2), ?2), last_s = max(coalesce(last_s, ?3), ?3)"
		" WHERE id = ?1 AND (first_s IS NULL OR last_s IS NULL OR first_s > ?2 OR last_s < ?3)",
	[STORE_PUT_ORIGIN] = "INSERT OR IGNORE INTO origins (firmware, wear_page, written_page) VALUES (?1, ?2, ?3)",
	[STORE_GET_ORIGIN] = "SELECT id FROM origins WHERE firmware = ?1 AND wear_page = ?2 AND written_page = ?3",
	[STORE_PUT_DAY] = INSERT_DAY,
	[STORE_IMPORT_DAY] = INSERT_DAY " WHERE excluded.last_s > days.last_s",
	[STORE_PUT_READING] = "INSERT OR REPLACE INTO readings (drive, at_s, wear, written, nand_written, power_on_s)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
	/* Those after it were read while the clock was ahead. */
	[STORE_PRUNE_READINGS] = "DELETE FROM readings WHERE drive = ?1 AND (at_s < ?2 OR at_s > ?3)",
	[STORE_PUT_KNOWN] = "INSERT OR REPLACE INTO ledger (drive, vendor, firmware, transport, type, form_factor, family, enclosure,"
		" slot, path, capacity_bytes, power_on_s, first_s, seen_s, missing_s)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
	[STORE_FORGET_KNOWN] = "DELETE FROM ledger WHERE drive = ?1",
};

int store_get(struct store *s, enum store_statement which, sqlite3_stmt **ret, struct text *error)
{
	int rc = SQLITE_OK;

	if (!s->statements[which])
		rc = sqlite3_prepare_v3(s->db, sql[which], -1, SQLITE_PREPARE_PERSISTENT, &s->statements[which], NULL);
	if (rc != SQLITE_OK)
		return store_failed(s, rc, "cannot be written", error);
	*ret = s->statements[which];
	return 0;
}

/* Runs it once; ret_id is what its one row says. */
int store_step(struct store *s, sqlite3_stmt *statement, int64_t *ret_id, struct text *error)
{
	int rc = sqlite3_step(statement), r = 0;

	if (ret_id && rc == SQLITE_ROW)
		*ret_id = sqlite3_column_int64(statement, 0);
	else if (ret_id || rc != SQLITE_DONE)
		r = store_failed(s, rc, "cannot be written", error);
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return r;
}

static int plain(struct store *s, enum store_statement which, struct text *error)
{
	sqlite3_stmt *statement = NULL;
	int r = store_get(s, which, &statement, error);

	return r ? r : store_step(s, statement, NULL, error);
}

int store_begin(struct store *s, struct text *error)
{
	return plain(s, STORE_BEGIN, error);
}

int store_commit(struct store *s, struct text *error)
{
	return plain(s, STORE_COMMIT, error);
}

void store_rollback(struct store *s)
{
	AUTO_TEXT ignored = TEXT_LIMIT(1000);

	s->origin_id = 0;
	if (!sqlite3_get_autocommit(s->db))
		(void)plain(s, STORE_ROLLBACK, &ignored);
}

/* Texts out of an array, which ends with NULL; then, with ret_id, what the row says. */
static int with_texts(struct store *s, enum store_statement which, const char *const *texts, int64_t *ret_id, struct text *error)
{
	sqlite3_stmt *statement = NULL;
	int r = store_get(s, which, &statement, error);

	if (r)
		return r;
	for (int i = 0; texts[i]; i++)
		sqlite3_bind_text(statement, i + 1, texts[i], -1, SQLITE_STATIC);
	return store_step(s, statement, ret_id, error);
}

int store_put_drive(struct store *s, const struct history_drive *drive, int64_t *ret_id, struct text *error)
{
	const char *all[] = { drive->drive, drive->model, drive->serial, drive->wwn, NULL }, *label[] = { drive->drive, NULL };
	int r = with_texts(s, STORE_PUT_DRIVE, all, NULL, error);

	return r ? r : with_texts(s, STORE_GET_DRIVE, label, ret_id, error);
}

static int put_origin(struct store *s, const struct history_row *row, struct text *error)
{
	const char *texts[] = { row->firmware, row->wear_page, row->written_page, NULL };
	int r;

	if (s->origin_id && !strcmp(s->firmware, row->firmware) && !strcmp(s->wear_page, row->wear_page) &&
	    !strcmp(s->written_page, row->written_page))
		return 0;
	s->origin_id = 0;
	r = with_texts(s, STORE_PUT_ORIGIN, texts, NULL, error);
	if (!r)
		r = with_texts(s, STORE_GET_ORIGIN, texts, &s->origin_id, error);
	text_copy(s->firmware, sizeof s->firmware, row->firmware);
	text_copy(s->wear_page, sizeof s->wear_page, row->wear_page);
	text_copy(s->written_page, sizeof s->written_page, row->written_page);
	return r;
}

static int put_seen(struct store *s, int64_t drive_id, int64_t first_s, int64_t last_s, struct text *error)
{
	sqlite3_stmt *statement = NULL;
	int r = store_get(s, STORE_SEEN, &statement, error);

	if (r)
		return r;
	sqlite3_bind_int64(statement, 1, drive_id);
	sqlite3_bind_int64(statement, 2, first_s);
	sqlite3_bind_int64(statement, 3, last_s);
	return store_step(s, statement, NULL, error);
}

int store_put_row(struct store *s, int64_t drive_id, const struct history_row *row, bool is_import, struct text *error)
{
	sqlite3_stmt *statement = NULL;
	int r = put_origin(s, row, error);

	if (!r)
		r = put_seen(s, drive_id, row->first_s, row->last_s, error);
	if (!r)
		r = store_get(s, is_import ? STORE_IMPORT_DAY : STORE_PUT_DAY, &statement, error);
	if (r)
		return r;
	const int64_t whole[] = { drive_id, row->day, row->series, row->first_s, row->last_s };
	const double after[] = { row->wear_since_written, row->written, row->nand_written, row->power_on_s };

	/* SQLite takes NaN for NULL, which is what we mean. */
	for (int i = 0; i < (int)ARRAY_SIZE(whole); i++)
		sqlite3_bind_int64(statement, 1 + i, whole[i]);
	sqlite3_bind_double(statement, 6, row->wear);
	sqlite3_bind_int64(statement, 7, row->wear_since_s);
	for (int i = 0; i < (int)ARRAY_SIZE(after); i++)
		sqlite3_bind_double(statement, 8 + i, after[i]);
	sqlite3_bind_int64(statement, 12, s->origin_id);
	return store_step(s, statement, NULL, error);
}

int store_put_reading(struct store *s, int64_t drive_id, const struct history_reading *reading, struct text *error)
{
	const double values[] = { reading->wear, reading->written, reading->nand_written, reading->power_on_s };
	sqlite3_stmt *statement = NULL;
	int r = put_seen(s, drive_id, reading->at_s, reading->at_s, error);

	if (!r)
		r = store_get(s, STORE_PUT_READING, &statement, error);
	if (r)
		return r;
	sqlite3_bind_int64(statement, 1, drive_id);
	sqlite3_bind_int64(statement, 2, reading->at_s);
	for (int i = 0; i < (int)ARRAY_SIZE(values); i++)
		sqlite3_bind_double(statement, 3 + i, values[i]);
	r = store_step(s, statement, NULL, error);
	if (!r)
		r = store_get(s, STORE_PRUNE_READINGS, &statement, error);
	if (r)
		return r;
	sqlite3_bind_int64(statement, 1, drive_id);
	sqlite3_bind_int64(statement, 2, reading->at_s - KEEP_READINGS_S);
	sqlite3_bind_int64(statement, 3, reading->at_s + KEEP_READINGS_S);
	return store_step(s, statement, NULL, error);
}
