/* Tables, and how a data base of an earlier version becomes one of this. */
#include <errno.h>

#include "history/store_private.h"

/* From each version to the next; they are never changed, only added to. */
static const char *const migrations[STORE_VERSION] = {
	/* 1 */
	"CREATE TABLE drives ("
	"	id INTEGER PRIMARY KEY, drive TEXT NOT NULL UNIQUE, model TEXT NOT NULL, serial TEXT NOT NULL, wwn TEXT NOT NULL,"
	"	first_s INTEGER, last_s INTEGER);"
	"CREATE TABLE origins ("
	"	id INTEGER PRIMARY KEY, firmware TEXT NOT NULL, wear_page TEXT NOT NULL, written_page TEXT NOT NULL,"
	"	UNIQUE (firmware, wear_page, written_page));"
	"CREATE TABLE days ("
	"	drive INTEGER NOT NULL REFERENCES drives ON DELETE CASCADE, day INTEGER NOT NULL, series INTEGER NOT NULL,"
	"	first_s INTEGER NOT NULL, last_s INTEGER NOT NULL, wear REAL, wear_since_s INTEGER NOT NULL,"
	"	wear_since_written REAL, written REAL, nand_written REAL, power_on_s REAL,"
	"	origin INTEGER NOT NULL REFERENCES origins, PRIMARY KEY (drive, day, series)) WITHOUT ROWID;",
	/* 2 */
	"CREATE TABLE readings ("
	"	drive INTEGER NOT NULL REFERENCES drives ON DELETE CASCADE, at_s INTEGER NOT NULL,"
	"	wear REAL, written REAL, nand_written REAL, power_on_s REAL, PRIMARY KEY (drive, at_s)) WITHOUT ROWID;",
	/* 3: of drives of this host alone, while days may have been imported */
	"CREATE TABLE ledger ("
	"	drive INTEGER PRIMARY KEY REFERENCES drives ON DELETE CASCADE, vendor TEXT NOT NULL, firmware TEXT NOT NULL,"
	"	transport TEXT NOT NULL, type TEXT NOT NULL, form_factor TEXT NOT NULL, family TEXT NOT NULL,"
	"	enclosure TEXT NOT NULL, slot TEXT NOT NULL, path TEXT NOT NULL, capacity_bytes REAL, power_on_s REAL,"
	"	first_s INTEGER NOT NULL, seen_s INTEGER NOT NULL, missing_s INTEGER NOT NULL);",
};

static int version_of(struct store *s, int *ret, struct text *error)
{
	AUTO_STATEMENT statement = NULL;
	int rc = sqlite3_prepare_v2(s->db, "PRAGMA user_version", -1, &statement, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(statement);
	if (rc != SQLITE_ROW)
		return store_failed(s, rc, "cannot be read", error);
	*ret = sqlite3_column_int(statement, 0);
	return 0;
}

/* In one transaction; somebody else may have been faster. */
static int migrate_to(struct store *s, int version, struct text *error)
{
	char set_version[64];
	int now = version, rc, r = store_begin(s, error);

	if (!r)
		r = version_of(s, &now, error);
	if (!r && now < version) {
		sqlite3_snprintf(sizeof set_version, set_version, "PRAGMA user_version = %d; PRAGMA application_id = %d;", version,
				 STORE_APPLICATION);
		rc = sqlite3_exec(s->db, migrations[version - 1], NULL, NULL, NULL);
		if (rc == SQLITE_OK)
			rc = sqlite3_exec(s->db, set_version, NULL, NULL, NULL);
		if (rc != SQLITE_OK)
			r = store_failed(s, rc, "cannot be brought to this version", error);
	}
	if (!r)
		r = store_commit(s, error);
	if (r)
		store_rollback(s);
	return r;
}

int store_migrate(struct store *s, int from, struct text *error)
{
	int r = 0;

	for (int version = from + 1; version <= STORE_VERSION && !r; version++)
		r = migrate_to(s, version, error);
	return r;
}

int store_check_tables(struct store *s, struct text *error)
{
	static const char *const queries[] = {
		"SELECT id, drive, model, serial, wwn, first_s, last_s FROM drives",
		"SELECT id, firmware, wear_page, written_page FROM origins",
		"SELECT drive, day, series, first_s, last_s, wear, wear_since_s, wear_since_written, written FROM days",
		"SELECT nand_written, power_on_s, origin FROM days",
		"SELECT drive, at_s, wear, written, nand_written, power_on_s FROM readings",
		"SELECT drive, vendor, firmware, transport, type, form_factor, family, enclosure, slot, path FROM ledger",
		"SELECT capacity_bytes, power_on_s, first_s, seen_s, missing_s FROM ledger",
	};

	for (size_t i = 0; i < ARRAY_SIZE(queries); i++) {
		AUTO_STATEMENT statement = NULL;
		int rc = sqlite3_prepare_v2(s->db, queries[i], -1, &statement, NULL);

		if (rc == SQLITE_ERROR) {	/* no such table, no such column: it was edited */
			text_addf(error, "%s: %s", s->path, sqlite3_errmsg(s->db));
			return -EUCLEAN;
		}
		if (rc != SQLITE_OK)
			return store_failed(s, rc, "cannot be read", error);
	}
	return 0;
}
