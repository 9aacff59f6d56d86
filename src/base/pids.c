#include "base/pids.h"

#include <sys/wait.h>

size_t pids_reap(pid_t *pids, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		if (waitpid(pids[i], NULL, WNOHANG) == 0)
			pids[left++] = pids[i];
	return left;
}
