/* history/store*.c: what is written is read again, what is damaged is found, and what is not ours is left alone. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>

#include "history/store.h"
#include "history_world.h"

enum { BIG_DRIVES = 100, BIG_DAYS = 3650, BIG_TRANSACTION_DAYS = 365, BIG_MAX = 100 << 20, PAGE = 4096 };

static struct store *opened(const char *folder, enum store_mode mode)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	struct store *s = NULL;

	if (store_open(folder, mode, &s, &error))
		fail_msg("%s", error.at);
	return s;
}

static int open_error(const char *folder, enum store_mode mode, const char *why)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	struct store *s = NULL;
	int r = store_open(folder, mode, &s, &error);

	store_close(s);
	if (r && !(error.at && strstr(error.at, why)))
		fail_msg("not \"%s\": %s", why, error.at ? error.at : "");
	return r;
}

static void put_rows(struct store *s, const char *label, const struct history_row *rows, size_t n)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	struct history_drive drive = drive_named(label);
	int64_t id = 0;

	assert_int_equal(store_begin(s, &error), 0);
	assert_int_equal(store_put_drive(s, &drive, &id, &error), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(store_put_row(s, id, &rows[i], false, &error), 0);
	assert_int_equal(store_commit(s, &error), 0);
}

static size_t load(struct store *s, const char *label, struct history_row **rows, uint64_t *invalid)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	uint64_t ignored = 0;
	size_t n = 0;

	if (store_load(s, label, rows, &n, invalid ? invalid : &ignored, &error))
		fail_msg("%s", error.at);
	return n;
}

/* What anybody else may do to the file. */
static void tamper(const char *folder, const char *sql)
{
	sqlite3 *db;
	char *why = NULL;

	assert_int_equal(sqlite3_open(inside(folder, "history.db"), &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s: %s", sql, why);
	sqlite3_close(db);
}

static int64_t ask(const char *folder, const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *statement;
	int64_t n;

	assert_int_equal(sqlite3_open(inside(folder, "history.db"), &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	n = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return n;
}

static void rows_come_back_as_they_were(void **state)
{
	AUTO_FREE struct history_row *rows = NULL;
	char *folder = folder_new();
	struct history_row put[] = { row_of(20000, 5), row_of(20001, 5), row_of(20001, 7), row_of(0, 0), row_of(HISTORY_DAY_MAX, 9) };
	struct store *s = opened(folder, STORE_WRITE);
	struct stat st;

	put[1].wear = NAN;
	put[2].wear_page[0] = 0;
	put[4].last_s = HISTORY_TIME_MAX;
	put[4].first_s = 0;
	assert_true(store_is_new(s));
	assert_int_equal(stat(inside(folder, "history.db"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	put_rows(s, "A", put, ARRAY_SIZE(put));
	put_rows(s, "B", put, 1);
	store_close(s);
	s = opened(folder, STORE_WRITE);
	assert_false(store_is_new(s));
	assert_int_equal(load(s, "A", &rows, NULL), ARRAY_SIZE(put));
	assert_true(same_row(&rows[0], &put[3]) && same_row(&rows[1], &put[0]) && same_row(&rows[2], &put[1]) &&
		    same_row(&rows[3], &put[2]) && same_row(&rows[4], &put[4]));
	free(rows);
	assert_int_equal(load(s, "C", &rows, NULL), 0);
	store_close(s);
	folder_free(folder);
}

static void the_same_key_is_written_anew(void **state)
{
	AUTO_FREE struct history_row *rows = NULL;
	struct history_row put[] = { row_of(20000, 5), row_of(20000, 5) };
	struct store *s = opened(NULL, STORE_WRITE);

	put[1].last_s -= 10;		/* the clock went back; the later put stays */
	put[1].written = 1;
	strcpy(put[1].firmware, "B");
	put_rows(s, "A", put, 2);
	assert_int_equal(load(s, "A", &rows, NULL), 1);
	assert_true(same_row(&rows[0], &put[1]));
	store_close(s);
}

static void of_an_imported_row_the_later_one_stays(void **state)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	struct history_drive drive = drive_named("A");
	struct history_row there = row_of(20000, 5), earlier = there, later = there;
	struct store *s = opened(NULL, STORE_WRITE);
	int64_t id;

	earlier.last_s--;
	earlier.written = 1;
	later.last_s++;
	later.written = 2;
	put_rows(s, "A", &there, 1);
	for (int i = 0; i < 3; i++) {
		AUTO_FREE struct history_row *rows = NULL;

		assert_int_equal(store_begin(s, &error), 0);
		assert_int_equal(store_put_drive(s, &drive, &id, &error), 0);
		assert_int_equal(store_put_row(s, id, i == 1 ? &later : &earlier, true, &error), 0);
		assert_int_equal(store_commit(s, &error), 0);
		assert_int_equal(load(s, "A", &rows, NULL), 1);
		assert_true(same_row(&rows[0], i ? &later : &there));
	}
	store_close(s);
}

static void what_is_rolled_back_was_never_there(void **state)
{
	AUTO_FREE struct history_row *rows = NULL;
	AUTO_TEXT error = TEXT_LIMIT(1000);
	struct history_drive drive = drive_named("A");
	struct history_row row = row_of(20000, 5);
	struct store *s = opened(NULL, STORE_WRITE);
	int64_t id;

	assert_int_equal(store_begin(s, &error), 0);
	assert_int_equal(store_put_drive(s, &drive, &id, &error), 0);
	assert_int_equal(store_put_row(s, id, &row, false, &error), 0);
	store_rollback(s);
	assert_int_equal(load(s, "A", &rows, NULL), 0);
	free(rows);
	put_rows(s, "A", &row, 1);	/* its origin went with the rollback, too */
	assert_int_equal(load(s, "A", &rows, NULL), 1);
	assert_true(same_row(&rows[0], &row));
	store_close(s);
}

static void readings_are_kept_for_two_days(void **state)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	char *folder = folder_new();
	struct store *s = opened(folder, STORE_WRITE);
	struct history_drive a = drive_named("A"), b = drive_named("B");
	const int64_t from = 20000ll * HISTORY_DAY_S, step_s = 600, n = 6 * 144;
	int64_t id_a, id_b;

	assert_int_equal(store_begin(s, &error), 0);
	assert_int_equal(store_put_drive(s, &a, &id_a, &error), 0);
	assert_int_equal(store_put_drive(s, &b, &id_b, &error), 0);
	assert_int_equal(store_put_reading(s, id_b, &(struct history_reading){ from, 0.5, 1, 2, 3 }, &error), 0);
	assert_int_equal(store_put_reading(s, id_a, &(struct history_reading){ 2 * from, 0.5, 1, 2, 3 }, &error), 0);
	for (int64_t i = 0; i <= n; i++)
		assert_int_equal(store_put_reading(s, id_a, &(struct history_reading){ from + i * step_s, NAN, i, NAN, 3 }, &error), 0);
	assert_int_equal(store_commit(s, &error), 0);
	store_close(s);
	assert_int_equal(ask(folder, "SELECT count(*) FROM readings JOIN drives ON id = readings.drive WHERE drives.drive = 'A'"),
			 2 * 144 + 1);
	assert_int_equal(ask(folder, "SELECT max(at_s) - min(at_s) FROM readings WHERE wear IS NULL"), 2 * HISTORY_DAY_S);
	assert_int_equal(ask(folder, "SELECT count(*) FROM readings WHERE wear = 0.5"), 1);	/* B's, not the one of the future */
	folder_free(folder);
}

static void a_data_base_of_version_1_is_migrated(void **state)
{
	AUTO_FREE struct history_row *rows = NULL;
	char *folder = folder_new();
	struct history_row row = row_of(20000, 5);
	struct store *s = opened(folder, STORE_WRITE);

	put_rows(s, "A", &row, 1);
	store_close(s);
	tamper(folder, "DROP TABLE readings; DROP TABLE ledger; PRAGMA user_version = 1");
	s = opened(folder, STORE_READ);		/* reading needs no migration, and makes none */
	assert_int_equal(load(s, "A", &rows, NULL), 1);
	store_close(s);
	assert_int_equal(ask(folder, "PRAGMA user_version"), 1);
	s = opened(folder, STORE_WRITE);
	free(rows);
	assert_int_equal(load(s, "A", &rows, NULL), 1);
	assert_true(same_row(&rows[0], &row));
	store_close(s);
	assert_int_equal(ask(folder, "PRAGMA user_version"), STORE_VERSION);
	assert_int_equal(ask(folder, "SELECT count(*) FROM readings"), 0);
	folder_free(folder);
}

static uint64_t hash_of(const char *path)
{
	AUTO_FILE f = fopen(path, "re");
	static char bytes[1 << 20];

	assert_non_null(f);
	return text_hash(bytes, fread(bytes, 1, sizeof bytes, f));
}

static void what_is_not_ours_is_not_touched(void **state)
{
	static const struct {
		const char *sql, *why;
	} not_ours[] = {
		{ "PRAGMA user_version = 99", "newer" },
		{ "PRAGMA application_id = 1", "another program" },
		{ "PRAGMA application_id = 0; PRAGMA user_version = 0", "another program" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(not_ours); i++) {
		char *folder = folder_new();
		struct history_row row = row_of(20000, 5);
		struct store *s = opened(folder, STORE_WRITE);
		uint64_t before;

		put_rows(s, "A", &row, 1);
		store_close(s);
		tamper(folder, not_ours[i].sql);
		before = hash_of(inside(folder, "history.db"));
		assert_int_not_equal(open_error(folder, STORE_WRITE, not_ours[i].why), 0);
		assert_int_not_equal(open_error(folder, STORE_READ, not_ours[i].why), 0);
		assert_true(hash_of(inside(folder, "history.db")) == before);
		folder_free(folder);
	}
}

static void fill(const char *folder, int n_days)
{
	struct store *s = opened(folder, STORE_WRITE);
	AUTO_FREE struct history_row *rows = calloc((size_t)n_days, sizeof *rows);

	for (int i = 0; i < n_days; i++)
		rows[i] = row_of(i, 1);
	put_rows(s, "A", rows, (size_t)n_days);
	store_close(s);
}

static void overwrite(const char *folder, off_t at, size_t n)
{
	AUTO_FD fd = open(inside(folder, "history.db"), O_WRONLY | O_CLOEXEC);
	AUTO_FREE char *garbage = malloc(n);

	memset(garbage, 0xa5, n);
	assert_int_equal(pwrite(fd, garbage, n, at), (ssize_t)n);
}

static void what_is_damaged_is_found_and_moved_aside(void **state)
{
	static const char *const edits[] = { "DROP TABLE days", "ALTER TABLE days RENAME COLUMN wear TO tear", "DROP TABLE readings" };

	for (size_t i = 0; i < 4 + ARRAY_SIZE(edits); i++) {
		AUTO_TEXT error = TEXT_LIMIT(1000);
		char *folder = folder_new(), path[STORE_PATH_MAX], beside[STORE_PATH_MAX + 8];
		struct store *s;

		fill(folder, 2000);
		switch (i) {
		case 0: overwrite(folder, 0, PAGE); break;
		case 1: overwrite(folder, 20 * PAGE, PAGE); break;
		case 2: assert_int_equal(truncate(inside(folder, "history.db"), 10 * PAGE), 0); break;
		case 3: assert_int_equal(truncate(inside(folder, "history.db"), 100), 0); break;
		default: tamper(folder, edits[i - 4]); break;
		}
		assert_int_equal(open_error(folder, STORE_WRITE, folder), -EUCLEAN);
		fclose(fopen(inside(folder, "history.db-wal"), "w"));
		assert_int_equal(store_move_aside(folder, path, &error), 0);
		assert_int_equal(strlen(path), strlen(inside(folder, "history.db.corrupt-20261201T120000")));
		assert_int_equal(access(path, F_OK), 0);
		snprintf(beside, sizeof beside, "%s-wal", path);
		assert_int_equal(access(beside, F_OK), 0);
		assert_int_equal(access(inside(folder, "history.db-wal"), F_OK), -1);
		s = opened(folder, STORE_WRITE);
		assert_true(store_is_new(s));
		store_close(s);
		folder_free(folder);
	}
}

static void two_in_one_second_do_not_overwrite_each_other(void **state)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	char *folder = folder_new(), paths[3][STORE_PATH_MAX];

	for (int i = 0; i < 3; i++) {
		fclose(fopen(inside(folder, "history.db"), "w"));
		assert_int_equal(store_move_aside(folder, paths[i], &error), 0);
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(access(paths[i], F_OK), 0);
	folder_free(folder);
}

static void rows_that_were_edited_are_left_out_and_counted(void **state)
{
	static const char *const edits[] = {
		"UPDATE days SET wear = 9e999 WHERE day = 3", "UPDATE days SET wear = -9e999 WHERE day = 3",
		"UPDATE days SET written = 'much' WHERE day = 3", "UPDATE days SET written = x'00' WHERE day = 3",
		"UPDATE days SET day = -1 WHERE day = 3", "UPDATE days SET day = 99999999 WHERE day = 3",
		"UPDATE days SET day = 4294967300 WHERE day = 3", "UPDATE days SET day = 'x' WHERE day = 3",
		"UPDATE days SET series = -5 WHERE day = 3", "UPDATE days SET last_s = 1e30 WHERE day = 3",
		"UPDATE days SET first_s = 253402300800 WHERE day = 3", "UPDATE days SET wear_since_s = 'x' WHERE day = 3",
		"UPDATE days SET origin = 77 WHERE day = 3",
		"INSERT INTO origins VALUES (9, 'a firmware that is too long', '', ''); UPDATE days SET origin = 9 WHERE day = 3",
		"INSERT INTO origins VALUES (9, x'0000', '', ''); UPDATE days SET origin = 9 WHERE day = 3",
		"INSERT INTO origins VALUES (9, 'a' || char(0) || 'b', '', ''); UPDATE days SET origin = 9 WHERE day = 3",
	};

	for (size_t i = 0; i < ARRAY_SIZE(edits); i++) {
		AUTO_FREE struct history_row *rows = NULL;
		char *folder = folder_new();
		uint64_t invalid = 0;
		struct store *s;

		fill(folder, 6);
		tamper(folder, edits[i]);
		s = opened(folder, STORE_WRITE);
		if (load(s, "A", &rows, &invalid) != 5 || invalid != 1)
			fail_msg("%s: %d invalid", edits[i], (int)invalid);
		for (int j = 0; j < 5; j++)
			assert_int_equal(rows[j].day, j < 3 ? j : j + 1);
		store_close(s);
		folder_free(folder);
	}
}

static void put_known(struct store *s, const char *label)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	struct history_known known = { .id = drive_named(label), .capacity_bytes = NAN, .power_on_s = 1, .first_s = 1, .seen_s = 2 };
	int64_t id = 0;

	assert_int_equal(store_begin(s, &error), 0);
	assert_int_equal(store_put_drive(s, &known.id, &id, &error), 0);
	assert_int_equal(store_put_known(s, id, &known, &error), 0);
	assert_int_equal(store_commit(s, &error), 0);
}

static void drives_that_were_edited_are_left_out_and_counted(void **state)
{
	static const char *const edits[] = {
		"UPDATE ledger SET seen_s = -1 WHERE drive = 1", "UPDATE ledger SET seen_s = 0 WHERE drive = 1",
		"UPDATE ledger SET missing_s = 'x' WHERE drive = 1", "UPDATE ledger SET first_s = 1e30 WHERE drive = 1",
		"UPDATE ledger SET power_on_s = 9e999 WHERE drive = 1", "UPDATE ledger SET power_on_s = x'00' WHERE drive = 1",
		"UPDATE ledger SET slot = 5 || char(0) || 'b' WHERE drive = 1", "UPDATE ledger SET firmware = 'too long, by far, for one' WHERE drive = 1",
		"UPDATE ledger SET path = x'00' WHERE drive = 1", "PRAGMA foreign_keys = OFF; UPDATE ledger SET drive = 77 WHERE drive = 1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(edits); i++) {
		AUTO_TEXT error = TEXT_LIMIT(1000);
		AUTO_FREE struct history_known *known = NULL;
		char *folder = folder_new();
		uint64_t invalid = 0;
		size_t n = 0;
		struct store *s = opened(folder, STORE_WRITE);

		put_known(s, "A");
		put_known(s, "B");
		store_close(s);
		tamper(folder, edits[i]);
		s = opened(folder, STORE_WRITE);
		assert_int_equal(store_load_known(s, &known, &n, &invalid, &error), 0);
		if (n != 1 || invalid != 1 || strcmp(known[0].id.drive, "B"))
			fail_msg("%s: %zu drives, %d invalid", edits[i], n, (int)invalid);
		store_close(s);
		folder_free(folder);
	}
}

static bool has(const struct history_row *rows, size_t n, int32_t day, int64_t series)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].day == day && rows[i].series == series)
			return true;
	return false;
}

static void old_rows_come_thinned(void **state)
{
	AUTO_FREE struct history_row *rows = NULL;
	struct history_row put[1000];
	struct store *s = opened(NULL, STORE_WRITE);
	size_t n, n_old = 0;

	for (int i = 0; i < 1000; i++)
		put[i] = row_of(10000 + i, i < 303 ? 1 : i < 306 ? 2 : 3);
	put_rows(s, "A", put, 1000);
	n = load(s, "A", &rows, NULL);
	for (size_t i = 0; i < n; i++) {
		n_old += rows[i].day < 10000 + 955;
		assert_true(!i || rows[i - 1].day < rows[i].day);
	}
	assert_int_equal(n - n_old, 45);
	assert_in_range(n_old, 955 / 14, 955 / 14 + 2 * 3 + 1);
	assert_true(has(rows, n, 10000, 1) && has(rows, n, 10302, 1) && has(rows, n, 10303, 2) && has(rows, n, 10305, 2) &&
		    has(rows, n, 10306, 3) && has(rows, n, 10999, 3));
	assert_false(has(rows, n, 10304, 2));
	for (int day = 10000; day < 10955; day += 14) {
		bool is_there = false;

		for (size_t i = 0; i < n; i++)
			is_there |= rows[i].day / 14 == day / 14;
		assert_true(is_there);
	}
	store_close(s);
}

/* 45 days that there are rows of: one row of the far future does not push them out. */
static void a_day_of_the_future_thins_nothing_else(void **state)
{
	AUTO_FREE struct history_row *rows = NULL;
	struct history_row put[101];
	struct store *s = opened(NULL, STORE_WRITE);
	size_t n, n_new = 0;

	for (int i = 0; i < 100; i++)
		put[i] = row_of(10000 + i, 1);
	put[100] = row_of(90000, 1);
	put_rows(s, "A", put, 101);
	n = load(s, "A", &rows, NULL);
	for (size_t i = 0; i < n; i++)
		n_new += rows[i].day >= 10056;
	assert_int_equal(n_new, 45);
	assert_int_equal(rows[n - 1].day, 90000);
	store_close(s);
}

static void a_reader_sees_what_a_writer_has_committed(void **state)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	char *folder = folder_new();
	struct history_row rows[] = { row_of(1, 1), row_of(2, 1) };
	struct store *writer, *reader;
	struct store_drive *drives = NULL;
	uint64_t invalid = 0;
	int64_t id;
	size_t n = 0;

	assert_int_equal(open_error(folder, STORE_READ, "No such file"), -ENOENT);
	assert_int_equal(access(inside(folder, "history.db"), F_OK), -1);
	writer = opened(folder, STORE_WRITE);
	put_rows(writer, "B", rows, 2);
	put_rows(writer, "A", rows, 1);
	reader = opened(folder, STORE_READ);
	assert_int_equal(store_list(reader, &drives, &n, &invalid, &error), 0);
	assert_int_equal(n, 2);
	assert_string_equal(drives[0].id.drive, "A");
	assert_string_equal(drives[1].id.serial, "SERIAL");
	assert_int_equal(drives[1].first_day, 1);
	assert_int_equal(drives[1].last_day, 2);
	assert_int_equal(drives[1].n_days, 2);
	assert_int_equal(store_put_drive(reader, &drives[0].id, &id, &error), -EROFS);
	store_close(reader);
	store_close(writer);
	free(drives);
	folder_free(folder);
}

static void a_file_that_was_replaced_is_noticed(void **state)
{
	char *folder = folder_new();
	struct store *s = opened(folder, STORE_WRITE);

	assert_false(store_is_replaced(s));
	unlink(inside(folder, "history.db"));
	assert_true(store_is_replaced(s));
	fclose(fopen(inside(folder, "history.db"), "w"));
	assert_true(store_is_replaced(s));
	store_close(s);
	folder_free(folder);
}

static void a_directory_that_is_not_there_is_told_and_not_made(void **state)
{
	char *folder = folder_new();
	char absent[300];

	snprintf(absent, sizeof absent, "%s/absent", folder);
	assert_int_equal(open_error(absent, STORE_WRITE, "No such file"), -ENOENT);
	assert_int_equal(access(absent, F_OK), -1);
	folder_free(folder);
}

/* Root imports, and then another user serves. */
static void what_root_makes_belongs_to_the_owner_of_the_directory(void **state)
{
	static const char *const names[] = { "history.db", "history.db-wal", "history.db-shm" };
	char *folder = folder_new();
	struct history_row row = row_of(1, 1);
	struct store *s;
	struct stat st;

	if (geteuid() || chown(folder, 65534, 65533)) {
		folder_free(folder);
		print_message("# skipped: only root can give a folder away\n");
		skip();
	}
	s = opened(folder, STORE_WRITE);
	put_rows(s, "A", &row, 1);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_int_equal(stat(inside(folder, names[i]), &st), 0);
		assert_int_equal(st.st_uid, 65534);
		assert_int_equal(st.st_gid, 65533);
		assert_int_equal(st.st_mode & 0777, 0640);
	}
	store_close(s);
	folder_free(folder);
}

static void what_is_known_of_a_drive_is_not_forgotten(void **state)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	char *folder = folder_new();
	struct history_drive drive = drive_named("A"), less = { .drive = "A", .model = "NEW" };
	struct history_row row = row_of(1, 1);
	struct store *s = opened(folder, STORE_WRITE);
	int64_t id, again;

	assert_int_equal(store_put_drive(s, &drive, &id, &error), 0);
	assert_int_equal(store_put_drive(s, &less, &again, &error), 0);
	assert_int_equal(id, again);
	assert_int_equal(store_put_row(s, id, &row, false, &error), 0);
	store_close(s);
	assert_int_equal(ask(folder, "SELECT count(*) FROM drives WHERE model = 'NEW' AND serial = 'SERIAL' AND wwn <> ''"
				     " AND first_s = 86460 AND last_s = 172400"), 1);
	folder_free(folder);
}

/* In the order in which a daemon writes them: day after day, and each day all drives. */
static void ten_years_of_a_hundred_drives_are_small(void **state)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	char *folder = folder_new();
	struct store *s = opened(folder, STORE_WRITE);
	AUTO_FREE struct history_row *rows = NULL;
	int64_t ids[BIG_DRIVES], n_rows;
	struct stat st;

	for (int day = 0; day < BIG_DAYS; day++) {
		if (day % BIG_TRANSACTION_DAYS == 0)
			assert_int_equal(store_begin(s, &error), 0);
		for (int i = 0; i < BIG_DRIVES; i++) {
			struct history_row row = row_of(18000 + day, 1555200000 + i);
			struct history_drive drive = drive_named("SAMSUNG MZQL23T8HCLS-00A07_S64GNE0T100");

			sprintf(drive.drive + strlen(drive.drive), "%03d", i);
			row.written += i;
			row.nand_written = row.written * 1.7;
			sprintf(row.firmware, "FW%d", i % 7 + day / 700);
			assert_int_equal(day ? 0 : store_put_drive(s, &drive, &ids[i], &error), 0);
			assert_int_equal(store_put_row(s, ids[i], &row, false, &error), 0);
		}
		if (day % BIG_TRANSACTION_DAYS == BIG_TRANSACTION_DAYS - 1)
			assert_int_equal(store_commit(s, &error), 0);
	}
	store_close(s);
	assert_int_equal(stat(inside(folder, "history.db"), &st), 0);
	print_message("%d rows: %.1f MiB\n", BIG_DAYS * BIG_DRIVES, (double)st.st_size / (1 << 20));
	assert_true(st.st_size < BIG_MAX);
	n_rows = ask(folder, "SELECT count(*) FROM days");
	assert_int_equal(n_rows, BIG_DAYS * BIG_DRIVES);
	s = opened(folder, STORE_WRITE);	/* with its check of all pages */
	assert_in_range(load(s, "SAMSUNG MZQL23T8HCLS-00A07_S64GNE0T100042", &rows, NULL), 45 + 3605 / 14, 45 + 3605 / 14 + 3);
	store_close(s);
	folder_free(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_back_as_they_were),
		cmocka_unit_test(the_same_key_is_written_anew),
		cmocka_unit_test(of_an_imported_row_the_later_one_stays),
		cmocka_unit_test(what_is_rolled_back_was_never_there),
		cmocka_unit_test(readings_are_kept_for_two_days),
		cmocka_unit_test(a_data_base_of_version_1_is_migrated),
		cmocka_unit_test(what_is_not_ours_is_not_touched),
		cmocka_unit_test(what_is_damaged_is_found_and_moved_aside),
		cmocka_unit_test(two_in_one_second_do_not_overwrite_each_other),
		cmocka_unit_test(rows_that_were_edited_are_left_out_and_counted),
		cmocka_unit_test(drives_that_were_edited_are_left_out_and_counted),
		cmocka_unit_test(old_rows_come_thinned),
		cmocka_unit_test(a_day_of_the_future_thins_nothing_else),
		cmocka_unit_test(a_reader_sees_what_a_writer_has_committed),
		cmocka_unit_test(a_file_that_was_replaced_is_noticed),
		cmocka_unit_test(a_directory_that_is_not_there_is_told_and_not_made),
		cmocka_unit_test(what_root_makes_belongs_to_the_owner_of_the_directory),
		cmocka_unit_test(what_is_known_of_a_drive_is_not_forgotten),
		cmocka_unit_test(ten_years_of_a_hundred_drives_are_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
