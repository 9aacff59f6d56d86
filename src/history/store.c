/* Opening, closing and moving aside. */
#include "history/store_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { BUSY_MS = 5000, FILE_MODE = 0640, ASIDE_TRIES = 100 };

static int errno_of(int rc)
{
	static const struct {
		int rc, error;
	} table[] = {
		{ SQLITE_CORRUPT, EUCLEAN }, { SQLITE_NOTADB, EUCLEAN }, { SQLITE_BUSY, EBUSY }, { SQLITE_LOCKED, EBUSY },
		{ SQLITE_FULL, ENOSPC }, { SQLITE_READONLY, EROFS }, { SQLITE_NOMEM, ENOMEM }, { SQLITE_CANTOPEN, EACCES },
		{ SQLITE_PERM, EACCES },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if ((rc & 0xff) == table[i].rc)
			return -table[i].error;
	return -EIO;
}

int store_failed(struct store *s, int rc, const char *what, struct text *error)
{
	int of_system = s->db ? sqlite3_system_errno(s->db) : 0;
	bool tells = (rc & 0xff) == SQLITE_IOERR || (rc & 0xff) == SQLITE_CANTOPEN;

	text_addf(error, "%s %s: %s", s->path, what, s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc));
	if (tells && of_system)
		text_addf(error, " (%s)", strerror(of_system));
	return errno_of(rc);
}

static int failed_with(int error_number, const char *path, struct text *error)
{
	text_addf(error, "%s: %s", path, strerror(error_number));
	return -error_number;
}

static int path_of(const char *directory, char ret[STORE_PATH_MAX], struct text *error)
{
	if (snprintf(ret, STORE_PATH_MAX, "%s/history.db", directory) < STORE_PATH_MAX)
		return 0;
	return failed_with(ENAMETOOLONG, directory, error);
}

/* An empty file is an empty data base. SQLite would give it another mode. What root makes in the directory of a user that
 * serves must be that user's; and only what is made here, never what that user's link points to. */
static int make_file(struct store *s, const char *directory, struct text *error)
{
	AUTO_FD fd = open(s->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	AUTO_FD folder = -1;
	struct stat st;

	if (fd >= 0)
		return 0;
	if (errno != ENOENT)
		return failed_with(errno, s->path, error);
	folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0 || fstat(folder, &st))
		return failed_with(errno, directory, error);
	fd = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
	if (fd < 0 || fchmod(fd, FILE_MODE))
		return failed_with(errno, s->path, error);
	if (!geteuid() && (st.st_uid || st.st_gid) && fchown(fd, st.st_uid, st.st_gid))
		return failed_with(errno, s->path, error);
	return fsync(folder) ? failed_with(errno, directory, error) : 0;
}

static int run(struct store *s, const char *sql, struct text *error)
{
	int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : store_failed(s, rc, "cannot be opened", error);
}

/* The first column of the first row; text may be NULL. */
static int ask(struct store *s, const char *sql, int64_t *ret, struct text *text, struct text *error)
{
	AUTO_STATEMENT statement = NULL;
	int rc = sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(statement);
	if (rc != SQLITE_ROW)
		return store_failed(s, rc, "cannot be read", error);
	*ret = sqlite3_column_int64(statement, 0);
	if (text && sqlite3_column_text(statement, 0))
		text_addf(text, "%.200s", (const char *)sqlite3_column_text(statement, 0));
	return 0;
}

/* Whose is it, and of which version? */
static int identify(struct store *s, int *ret_version, struct text *error)
{
	int64_t version = 0, application = 0, n_tables = 0;
	int r = ask(s, "SELECT count(*) FROM sqlite_master", &n_tables, NULL, error);

	if (!r)
		r = ask(s, "PRAGMA user_version", &version, NULL, error);
	if (!r)
		r = ask(s, "PRAGMA application_id", &application, NULL, error);
	if (r)
		return r;
	if (application != STORE_APPLICATION && (version || application || n_tables)) {
		text_addf(error, "%s: a data base of another program", s->path);
		return -EINVAL;
	}
	if (version > STORE_VERSION) {
		text_addf(error, "%s: written by a newer drive_exporter (version %lld of the data base; this one knows %d)", s->path,
			  (long long)version, STORE_VERSION);
		return -ENOTSUP;
	}
	s->is_new = !version;
	*ret_version = (int)version;
	return 0;
}

static int check_pages(struct store *s, struct text *error)
{
	AUTO_TEXT verdict = TEXT_LIMIT(400);
	int64_t ignored;
	int r = ask(s, "PRAGMA quick_check(1)", &ignored, &verdict, error);

	if (r || (verdict.at && !strcmp(verdict.at, "ok")))
		return r;
	text_addf(error, "%s: %s", s->path, verdict.at ? verdict.at : "damaged");
	return -EUCLEAN;
}

/* A data base could have been edited so that a trigger or view does harm; functions with side effects are not called from it. */
static void distrust(sqlite3 *db)
{
	(void)sqlite3_extended_result_codes(db, 1);
	(void)sqlite3_busy_timeout(db, BUSY_MS);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	(void)sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
}

static int prepare_to_write(struct store *s, bool is_file, struct text *error)
{
	AUTO_TEXT mode = TEXT_LIMIT(400);
	int64_t ignored;
	int version, r;

	/* Not even the journal of what is not ours is tidied up. */
	(void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	r = identify(s, &version, error);
	if (r)
		return r;
	if (sqlite3_db_readonly(s->db, "main"))
		return failed_with(EROFS, s->path, error);
	r = ask(s, "PRAGMA journal_mode = WAL", &ignored, &mode, error);
	if (!r && is_file && (!mode.at || strcmp(mode.at, "wal"))) {
		text_addf(error, "%s: no write-ahead log on this file system", s->path);
		return -ENOTSUP;
	}
	if (!r)
		r = run(s, "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON;"
			   "PRAGMA journal_size_limit = 4194304", error);
	if (!r && version)
		r = check_pages(s, error);
	if (!r)
		r = store_migrate(s, version, error);
	if (!r)
		r = store_check_tables(s, error);
	if (!r)
		(void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	return r;
}

static int open_to_write(struct store *s, const char *directory, struct text *error)
{
	struct stat st;
	int r = 0, rc;

	if (directory)
		r = make_file(s, directory, error);
	if (r)
		return r;
	rc = sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE, NULL);
	if (rc != SQLITE_OK)
		return store_failed(s, rc, "cannot be opened", error);
	distrust(s->db);
	r = prepare_to_write(s, directory, error);
	if (!r && directory && stat(s->path, &st))
		r = failed_with(errno, s->path, error);
	if (!r && directory) {
		s->device = st.st_dev;
		s->inode = st.st_ino;
	}
	return r;
}

/* Where nobody has it open and there may be written nothing, SQLite cannot make the files it shares with others, and needs
 * none: without a log all is in the data base itself. */
static int open_alone(struct store *s, struct text *error)
{
	char log[STORE_PATH_MAX + 8], uri[3 * STORE_PATH_MAX + 32];
	size_t n = (size_t)snprintf(uri, sizeof uri, "file:");
	struct stat st;
	int rc;

	snprintf(log, sizeof log, "%s-wal", s->path);
	if (!stat(log, &st) && st.st_size)
		return -EACCES;
	for (const char *at = s->path; *at; at++)
		n += (size_t)snprintf(uri + n, sizeof uri - n, strchr("%?#", *at) ? "%%%02x" : "%c", *at);
	snprintf(uri + n, sizeof uri - n, "?immutable=1");
	sqlite3_close(s->db);
	s->db = NULL;
	rc = sqlite3_open_v2(uri, &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
	return rc == SQLITE_OK ? 0 : store_failed(s, rc, "cannot be opened", error);
}

static int open_to_read(struct store *s, struct text *error)
{
	AUTO_TEXT first = TEXT_LIMIT(1000);
	int version, rc, r;

	if (access(s->path, R_OK))
		return failed_with(errno, s->path, error);
	rc = sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READONLY, NULL);
	if (rc != SQLITE_OK)
		return store_failed(s, rc, "cannot be opened", error);
	distrust(s->db);
	r = identify(s, &version, &first);
	if (r == -EACCES || r == -EROFS) {
		r = open_alone(s, &first);
		if (!r) {
			text_free(&first);
			distrust(s->db);
			r = identify(s, &version, &first);
		}
	}
	if (!r && !version) {
		text_addf(&first, "%s: empty", s->path);
		r = -ENOENT;
	}
	if (r)
		text_add(error, first.at ? first.at : strerror(-r));
	return r;
}

int store_open(const char *directory, enum store_mode mode, struct store **ret, struct text *error)
{
	struct store *s = calloc(1, sizeof *s);
	int r = 0;

	if (!s)
		return failed_with(ENOMEM, directory ? directory : "history", error);
	strcpy(s->path, ":memory:");
	if (directory)
		r = path_of(directory, s->path, error);
	if (!r)
		r = mode == STORE_WRITE ? open_to_write(s, directory, error) : open_to_read(s, error);
	if (r) {
		store_close(s);
		return r;
	}
	*ret = s;
	return 0;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < STORE_STATEMENTS; i++)
		sqlite3_finalize(s->statements[i]);
	sqlite3_close(s->db);
	free(s);
}

const char *store_path(const struct store *s)
{
	return s->path;
}

bool store_is_new(const struct store *s)
{
	return s->is_new;
}

bool store_is_replaced(const struct store *s)
{
	struct stat st;

	if (!s->inode)
		return false;		/* in memory */
	return stat(s->path, &st) || st.st_dev != s->device || st.st_ino != s->inode;
}

static int rename_with(const char *from, const char *to, const char *suffix, struct text *error)
{
	char old[STORE_PATH_MAX + 8], new[STORE_PATH_MAX + 8];

	snprintf(old, sizeof old, "%s%s", from, suffix);
	snprintf(new, sizeof new, "%s%s", to, suffix);
	if (!rename(old, new) || (*suffix && errno == ENOENT))
		return 0;
	return failed_with(errno, old, error);
}

/* What belongs to it goes first: were it left, SQLite might take it for a part of the new data base. */
int store_move_aside(const char *directory, char ret_path[STORE_PATH_MAX], struct text *error)
{
	static const char *const suffixes[] = { "-wal", "-shm", "-journal", "" };
	char path[STORE_PATH_MAX], stamp[32];
	time_t now = time(NULL);
	struct tm tm;
	int r = path_of(directory, path, error), n = 0;

	if (r)
		return r;
	gmtime_r(&now, &tm);
	strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%S", &tm);
	for (int try = 0; try < ASIDE_TRIES; try++) {	/* two within one second */
		n = snprintf(ret_path, STORE_PATH_MAX, try ? "%s.corrupt-%s.%d" : "%s.corrupt-%s", path, stamp, try);
		if (n >= STORE_PATH_MAX)
			return failed_with(ENAMETOOLONG, path, error);
		if (access(ret_path, F_OK))
			break;
	}
	for (size_t i = 0; i < ARRAY_SIZE(suffixes) && !r; i++)
		r = rename_with(path, ret_path, suffixes[i], error);
	return r;
}
