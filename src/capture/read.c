/* Captures out of files and folders. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/capture.h"

enum { CAPTURES_MAX = 100000 };		/* of one folder */

/* Reads a file whole, one byte more than a capture may have at most. */
static int read_file(const char *path, char **ret, size_t *ret_n)
{
	AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t n = 0, room = 1 << 16;
	AUTO_FREE char *text = malloc(room);

	if (fd < 0)
		return -errno;
	for (;;) {
		ssize_t got;

		if (!text)
			return -ENOMEM;
		got = read(fd, text + n, room - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		n += (size_t)got;
		if (!got || n > CAPTURE_BYTES_MAX)
			break;
		if (n == room) {
			void *grown = realloc(text, room *= 2);

			if (!grown)
				return -ENOMEM;
			text = grown;
		}
	}
	*ret = pointer_steal(&text);
	*ret_n = n;
	return 0;
}

struct capture *capture_read(const char *path, struct text *error)
{
	AUTO_FREE char *text = NULL;
	size_t n = 0;
	int r = read_file(path, &text, &n);

	if (r < 0) {
		text_addf(error, "%s: %s", path, strerror(-r));
		return NULL;
	}
	return capture_parse(text, n, path, error);
}

static int is_capture_name(const struct dirent *entry)
{
	static const char suffix[] = ".capture";
	size_t n = strlen(entry->d_name);

	return n > strlen(suffix) && entry->d_name[0] != '.' && !strcmp(entry->d_name + n - strlen(suffix), suffix);
}

/* By bytes: the same order under every locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Each broken capture is one line of *error. */
static ssize_t read_into(struct capture **array, const char *path, struct text *error)
{
	*array = capture_read(path, error);
	if (*array)
		return 1;
	text_add(error, "\n");
	return 0;
}

static ssize_t read_folder(const char *path, struct capture ***ret, struct text *error)
{
	struct dirent **entries = NULL;
	int n_entries = scandir(path, &entries, is_capture_name, by_name);
	struct capture **array;
	ssize_t n = 0;

	if (n_entries < 0)
		return -errno;
	array = n_entries <= CAPTURES_MAX ? calloc((size_t)n_entries + 1, sizeof *array) : NULL;
	for (int i = 0; i < n_entries; i++) {
		char *file = NULL;

		if (array && asprintf(&file, "%s/%s", path, entries[i]->d_name) >= 0) {
			n += read_into(&array[n], file, error);
			free(file);
		}
		free(entries[i]);
	}
	free(entries);
	if (!array)
		return n_entries > CAPTURES_MAX ? -E2BIG : -ENOMEM;
	*ret = array;
	return n;
}

ssize_t captures_read(const char *path, struct capture ***ret, struct text *error)
{
	struct capture **array;
	struct stat st;

	*ret = NULL;
	if (stat(path, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return read_folder(path, ret, error);
	if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode) && !S_ISCHR(st.st_mode))
		return -EINVAL;
	if (access(path, R_OK))
		return -errno;
	array = calloc(2, sizeof *array);
	if (!array)
		return -ENOMEM;
	*ret = array;
	return read_into(array, path, error);
}
