/* The drives that this host has or had. */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "history/store_private.h"

#define OF(kind, member) { kind, offsetof(struct history_known, member), sizeof ((struct history_known *)NULL)->member }

/* In the order of both statements below; the first four stand in `drives`. */
static const struct known_column {
	enum column_kind kind;
	size_t offset, size;
} columns[] = {
	OF(COLUMN_LABEL, id.drive), OF(COLUMN_TEXT, id.model), OF(COLUMN_TEXT, id.serial), OF(COLUMN_TEXT, id.wwn),
	OF(COLUMN_TEXT, vendor), OF(COLUMN_TEXT, firmware), OF(COLUMN_TEXT, transport), OF(COLUMN_TEXT, type),
	OF(COLUMN_TEXT, form_factor), OF(COLUMN_TEXT, family), OF(COLUMN_TEXT, enclosure), OF(COLUMN_TEXT, slot),
	OF(COLUMN_TEXT, path), OF(COLUMN_REAL, capacity_bytes), OF(COLUMN_REAL, power_on_s), OF(COLUMN_TIME, first_s),
	OF(COLUMN_TIME, seen_s), OF(COLUMN_TIME, missing_s),
};

enum { IN_DRIVES = 4 };

bool history_known_settle(struct history_known *known)
{
	bool is_valid = true;

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		is_valid &= history_column_settle(columns[i].kind, (char *)known + columns[i].offset);
	return is_valid && known->seen_s;
}

static void bind(sqlite3_stmt *statement, int i, const struct known_column *column, const void *at)
{
	double real;
	int64_t whole;

	switch (column->kind) {
	case COLUMN_REAL:
		memcpy(&real, at, sizeof real);
		sqlite3_bind_double(statement, i, real);	/* NaN is NULL */
		return;
	case COLUMN_TIME:
		memcpy(&whole, at, sizeof whole);
		sqlite3_bind_int64(statement, i, whole);
		return;
	default:
		sqlite3_bind_text(statement, i, at, -1, SQLITE_STATIC);
	}
}

int store_put_known(struct store *s, int64_t drive_id, const struct history_known *known, struct text *error)
{
	sqlite3_stmt *statement = NULL;
	int r = store_get(s, known->seen_s ? STORE_PUT_KNOWN : STORE_FORGET_KNOWN, &statement, error);

	if (r)
		return r;
	sqlite3_bind_int64(statement, 1, drive_id);
	for (size_t i = IN_DRIVES; i < ARRAY_SIZE(columns) && known->seen_s; i++)
		bind(statement, (int)(2 + i - IN_DRIVES), &columns[i], (const char *)known + columns[i].offset);
	return store_step(s, statement, NULL, error);
}

static bool take(sqlite3_stmt *statement, struct history_known *known)
{
	bool is_valid = true;

	*known = (struct history_known){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(columns) && is_valid; i++)
		is_valid = store_take(statement, (int)i, columns[i].kind, (char *)known + columns[i].offset, columns[i].size);
	return is_valid && history_known_settle(known);
}

int store_load_known(struct store *s, struct history_known **ret, size_t *ret_n, uint64_t *invalid, struct text *error)
{
	static const char query[] =
		"SELECT d.drive, d.model, d.serial, d.wwn, l.vendor, l.firmware, l.transport, l.type, l.form_factor, l.family,"
		" l.enclosure, l.slot, l.path, l.capacity_bytes, l.power_on_s, l.first_s, l.seen_s, l.missing_s"
		" FROM ledger l LEFT JOIN drives d ON d.id = l.drive ORDER BY l.seen_s DESC LIMIT ?1";
	AUTO_STATEMENT statement = NULL;
	AUTO_FREE struct history_known *known = NULL;
	size_t n = 0, room = 0;
	int rc = sqlite3_prepare_v2(s->db, query, -1, &statement, NULL);

	if (rc != SQLITE_OK)
		return store_failed(s, rc, "cannot be read", error);
	sqlite3_bind_int(statement, 1, HISTORY_KNOWN_DRIVES_MAX);
	while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
		if (!ARRAY_GROW(known, room, n))
			return -ENOMEM;
		if (take(statement, &known[n]))
			n++;
		else
			++*invalid;
	}
	if (rc != SQLITE_DONE)
		return store_failed(s, rc, "cannot be read", error);
	*ret = pointer_steal(&known);
	*ret_n = n;
	return 0;
}
