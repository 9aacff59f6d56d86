/* Where the files of the catalogue are. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "health/catalogue.h"

static const char shipped[] = PKGDATADIR "/drives.csv", operators[] = SYSCONFDIR "/drive_exporter/drives.d";

struct list {
	char **at;			/* all behind the last name are NULL */
	size_t n, room;
};

/* Takes over the string, NULL too. False: no memory. */
static bool add(struct list *l, char *name)
{
	size_t room = l->room;

	if (!name || !ARRAY_GROW(l->at, l->room, l->n + 1)) {
		free(name);
		return false;
	}
	memset(l->at + room, 0, (l->room - room) * sizeof *l->at);
	l->at[l->n++] = name;
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *join(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* Hidden files are what editors and package managers leave behind. */
static bool is_csv(const char *name)
{
	size_t n = strlen(name);

	return *name != '.' && n > 4 && !strcmp(name + n - 4, ".csv");
}

static bool add_names(struct list *l, DIR *d, const char *folder)
{
	const struct dirent *entry;

	while ((entry = readdir(d)))
		if (is_csv(entry->d_name) && !add(l, join(folder, entry->d_name)))
			return false;
	return true;
}

/* There need not be such a folder. */
static bool add_folder(struct list *l, const char *folder, struct text *errors)
{
	DIR *d = opendir(folder);
	size_t first = l->n;
	bool is_good;

	if (!d) {
		if (errno != ENOENT && errno != ENOTDIR)
			text_addf(errors, "%s: %s\n", folder, strerror(errno));
		return true;
	}
	is_good = add_names(l, d, folder);
	closedir(d);
	if (l->n > first)
		qsort(l->at + first, l->n - first, sizeof *l->at, by_name);
	return is_good;
}

char **catalogue_files_of(const char *file, const char *folder, struct text *errors)
{
	struct list l = { 0 };

	if (add(&l, strdup(file)) && add_folder(&l, folder, errors))
		return l.at;
	catalogue_files_free(l.at);
	return NULL;
}

char *catalogue_shipped_file(void)
{
	char self[PATH_MAX], *slash, *path;
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n < 0)
		return strdup(shipped);
	self[n] = 0;
	slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
	path = join(self, "data/drives.csv");
	if (!path || !access(path, F_OK))
		return path;
	free(path);
	return strdup(shipped);
}

static char **copies(const char *const *given)
{
	struct list l = { 0 };

	for (; *given; given++)
		if (!add(&l, strdup(*given))) {
			catalogue_files_free(l.at);
			return NULL;
		}
	return l.at;
}

char **catalogue_files(const char *const *given, struct text *errors)
{
	AUTO_FREE char *file = NULL;

	if (given && *given)
		return copies(given);
	file = catalogue_shipped_file();
	return file ? catalogue_files_of(file, operators, errors) : NULL;
}

void catalogue_files_free(char **files)
{
	for (char **at = files; at && *at; at++)
		free(*at);
	free(files);
}
