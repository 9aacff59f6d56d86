/* What the kernel says of this process (proc(5)). */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "exporter/lines.h"

static bool read_proc(const char *path, char *out, size_t size)
{
	AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);

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

	if (!seconds && read_proc("/proc/stat", stat, sizeof stat) && (at = strstr(stat, "\nbtime ")))
		seconds = atof(at + 7);
	return seconds;
}

static DIR *own_fds;

void self_open(void)
{
	if (!own_fds)
		own_fds = opendir("/proc/self/fd");
}

static double count_fds(void)
{
	double n = -3;			/* ".", ".." and that folder's own */

	if (!own_fds)
		return NAN;
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
	if (!read_proc("/proc/self/stat", stat, sizeof stat) || !(at = strrchr(stat, ')')))
		return;
	if (sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %llu %lu %ld",
		   &utime, &stime, &start, &vsize, &rss) != 5)
		return;
	ret->cpu_seconds = (double)(utime + stime) / ticks;
	ret->start_seconds = boot_seconds() + (double)start / ticks;
	ret->virtual_bytes = (double)vsize;
	ret->resident_bytes = (double)rss * (double)sysconf(_SC_PAGESIZE);
}
