#include "exporter/databases.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "page/ata_meaning.h"
#include "page/drivedb.h"

/* What the user wrote goes before what came with the package, and that which was updated before that which was installed. */
static const char own_path[] = "/etc/smart_drivedb.h";
static const char *const package_paths[] = { "/var/lib/smartmontools/drivedb/drivedb.h", "/usr/share/smartmontools/drivedb.h" };

enum { DATABASES_MAX = ATA_DATABASES_MAX };

/* One reading of all files. */
struct reading {
	struct drivedb *at[DATABASES_MAX];
	size_t n;
	struct catalogue *catalogue;
	bool is_broken;			/* one of them was refused */
};

struct databases {
	const struct options *options;
	struct reading now;
	void (*catalogue_is_new)(void *context, struct catalogue *);
	void *context;
	struct reload_job job;
	struct reading next;		/* the job's */
};

/* 0 where the file was read; -ENOENT where there is none. */
static int read_one(const char *path, struct reading *to)
{
	AUTO_TEXT error = TEXT_LIMIT(1024);
	struct drivedb *db;
	int r;

	if (to->n == DATABASES_MAX)
		return -E2BIG;
	r = drivedb_read(path, &db, &error);
	if (!r) {
		to->at[to->n++] = db;
		log_debug("%s: version %s, %zu models", path, drivedb_version(db), drivedb_entries(db));
	} else if (r != -ENOENT && r != -ENOTDIR) {
		to->is_broken = true;
		log_warn("%s", error.at ? error.at : strerror(-r));
	}
	return r;
}

static void log_lines(struct text *errors)
{
	char *rest = errors->at, *line;

	while (rest && (line = strsep(&rest, "\n")))
		if (*line)
			log_warn("%s", line);
}

/* At the start a row that is wrong costs itself alone; later on the catalogue in use is better than one with mistakes. */
static void read_catalogue(const struct options *options, struct reading *to)
{
	AUTO_TEXT errors = TEXT_LIMIT(64 << 10);
	char **files = catalogue_files(options->catalogue_paths, &errors);

	to->catalogue = files ? catalogue_load((const char *const *)files, &errors) : NULL;
	catalogue_files_free(files);
	log_lines(&errors);
	to->is_broken |= errors.length || !to->catalogue;
	if (!to->catalogue)
		log_error("no memory to read the catalogue of rated figures");
	else
		log_debug("%zu rows of rated figures", catalogue_rows(to->catalogue));
}

static void read_drivedb(const struct options *options, struct reading *to)
{
	if (!options->has_drivedb)
		return;
	for (size_t i = 0; options->drivedb_paths[i]; i++)
		if (read_one(options->drivedb_paths[i], to) == -ENOENT) {
			log_warn("%s: no such file", options->drivedb_paths[i]);
			to->is_broken = true;
		}
	if (options->drivedb_paths[0])
		return;
	(void)read_one(own_path, to);
	for (size_t i = 0; i < ARRAY_SIZE(package_paths); i++)
		if (!read_one(package_paths[i], to))
			break;
}

static void read_all(const struct options *options, struct reading *to)
{
	*to = (struct reading){ 0 };
	read_drivedb(options, to);
	read_catalogue(options, to);
}

static void reading_free(struct reading *r)
{
	for (size_t i = 0; i < r->n; i++)
		drivedb_free(r->at[i]);
	catalogue_free(r->catalogue);
	*r = (struct reading){ 0 };
}

static void put_to_use(struct databases *d, struct reading *r)
{
	struct reading old = d->now;

	d->now = *r;
	ata_meaning_use_databases((const struct drivedb *const *)d->now.at, d->now.n);
	if (d->catalogue_is_new)
		d->catalogue_is_new(d->context, d->now.catalogue);
	reading_free(&old);
}

void databases_tell_catalogue(struct databases *d, void (*is_new)(void *context, struct catalogue *), void *context)
{
	d->catalogue_is_new = is_new;
	d->context = context;
	is_new(context, d->now.catalogue);
}

const struct catalogue *databases_catalogue(const struct databases *d)
{
	return d->now.catalogue;
}

struct databases *databases_load(const struct options *options)
{
	struct databases *d = calloc(1, sizeof *d);
	struct reading first;

	if (!d)
		return NULL;
	d->options = options;
	read_all(options, &first);
	put_to_use(d, &first);
	return d;
}

/* ---- at SIGHUP */

static void read_again(void *context, bool is_asked)
{
	struct databases *d = context;

	read_all(d->options, &d->next);
}

static void use_next(void *context)
{
	struct databases *d = context;

	if (d->next.is_broken) {
		log_warn("the data bases of drives stay as they were");
		reading_free(&d->next);
		return;
	}
	log_info("data bases of drives read anew: %zu, and %zu rows of rated figures", d->next.n, catalogue_rows(d->next.catalogue));
	put_to_use(d, &d->next);
	d->next = (struct reading){ 0 };
}

int databases_watch(struct databases *d, struct reload *reload)
{
	d->job = (struct reload_job){ .name = "data bases of drives", .read = read_again, .use = use_next, .context = d };
	return reload_add(reload, &d->job);
}

void databases_free(struct databases *d)
{
	if (!d)
		return;
	if (!reload_end(&d->job))
		return;
	ata_meaning_use_databases(NULL, 0);
	reading_free(&d->now);
	free(d);
}

bool databases_are_up(const struct databases *d)
{
	return d && d->now.n;
}
