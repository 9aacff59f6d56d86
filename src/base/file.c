#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* By name first, before it is opened. Again once it is open, since a name can come to mean something else. */
static int open_file(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	AUTO_FD fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	return S_ISREG(st.st_mode) ? fd_steal(&fd) : -EINVAL;
}

int file_read(const char *path, struct text *text)
{
	AUTO_FD fd = open_file(path);
	char chunk[16384];
	ssize_t n;

	if (fd < 0)
		return fd;
	text_add(text, "");
	while ((n = read(fd, chunk, sizeof chunk)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text_add_bytes(text, chunk, (size_t)n);
		if (text->truncated)
			return text->limit && text->length + (size_t)n > text->limit ? -EFBIG : -ENOMEM;
	}
	return text->at ? 0 : -ENOMEM;
}

const char *file_read_error(int r)
{
	return r == -EINVAL ? "not a regular file" : strerror(-r);
}
