/* What is opened closes itself: cleanup attributes for descriptors, memory and streams. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEANUP(fn) __attribute__((cleanup(fn)))
#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(string, first) __attribute__((__format__(__printf__, string, first)))
#define ARRAY_SIZE(array) (sizeof(array) / sizeof *(array))

static inline void fd_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static inline void freep(void *p)
{
	free(*(void **)p);
}

static inline void file_closep(FILE **f)
{
	if (*f)
		fclose(*f);
}

/* Hands a descriptor on: the variable it leaves no longer closes it. */
static inline int fd_steal(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

static inline void *pointer_steal(void *p)
{
	void *taken = *(void **)p;

	*(void **)p = NULL;
	return taken;
}

#define AUTO_FD CLEANUP(fd_closep) int
#define AUTO_FREE CLEANUP(freep)
#define AUTO_FILE CLEANUP(file_closep) FILE *
