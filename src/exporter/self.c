/* What the kernel says of this process (proc(5)). */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "exporter/lines.h"

/* Kept open: each scrape reads them, and opening costs more than reading. */
static int stat_fd = -1;
static DIR *own_fds;

/* The beginning of a file that the kernel writes anew for who reads it from there. */
static bool read_start(int fd, char *out, size_t size)
{
	ssize_t n = fd < 0 ? -1 : pread(fd, out, size - 1, 0);

	if (n < 0)
		return false;
	out[n] = 0;
	return true;
}

static double boot_seconds(void)
{
	static double seconds;		/* never changes while we run */
	char stat[65536];
	const char *at;

	if (!seconds) {
		AUTO_FD fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);

		if (read_start(fd, stat, sizeof stat) && (at = strstr(stat, "\nbtime ")))
			seconds = atof(at + 7);
	}
	return seconds;
}

void self_open(void)
{
	if (!own_fds)
		own_fds = opendir("/proc/self/fd");
	if (stat_fd < 0)
		stat_fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
}

/* Since Linux 6.2 the folder's size says it; before, that is 0. */
static double count_fds(void)
{
	struct stat st;
	double n = -2;			/* "." and ".." */

	if (!own_fds)
		return NAN;
	if (!fstat(dirfd(own_fds), &st) && st.st_size > 0)
		return (double)st.st_size;
	rewinddir(own_fds);
	while (readdir(own_fds))
		n++;
	return n;
}

void self_usage(struct self_usage *ret)
{
	char stat[1024];
	const char *at;
	unsigned long utime, stime, vsize;
	unsigned long long start;
	long rss;
	struct rlimit limit;
	double ticks = (double)sysconf(_SC_CLK_TCK);

	*ret = (struct self_usage){ NAN, NAN, NAN, NAN, count_fds(), NAN };
	if (!getrlimit(RLIMIT_NOFILE, &limit))
		ret->max_fds = (double)limit.rlim_cur;
	if (!read_start(stat_fd, stat, sizeof stat) || !(at = strrchr(stat, ')')))
		return;
	if (sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %llu %lu %ld",
		   &utime, &stime, &start, &vsize, &rss) != 5)
		return;
	ret->cpu_seconds = (double)(utime + stime) / ticks;
	ret->start_seconds = boot_seconds() + (double)start / ticks;
	ret->virtual_bytes = (double)vsize;
	ret->resident_bytes = (double)rss * (double)sysconf(_SC_PAGESIZE);
}
