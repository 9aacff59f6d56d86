#include "exporter/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/log.h"

void rights_plan(struct rights *rights)
{
	static const char *const names[] = { "drive_exporter", "nobody" };

	*rights = (struct rights){ 0 };
	if (geteuid())
		return;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct passwd *user = getpwnam(names[i]);

		if (!user || !user->pw_uid)
			continue;
		*rights = (struct rights){ .are_given_up = true, .uid = user->pw_uid, .gid = user->pw_gid };
		return;
	}
	log_warn("runs as root: there is neither a user drive_exporter nor nobody to become");
}

/* Only what is root's, and a plain file with one name: the folder may have been somebody else's before. */
static void hand_over_file(const struct rights *rights, int folder, const char *name)
{
	AUTO_FD fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_nlink != 1 || st.st_uid)
		return;
	if (fchown(fd, rights->uid, rights->gid))
		log_warn("%s: it stays root's: %s", name, strerror(errno));
}

void rights_hand_over(const struct rights *rights, const char *directory)
{
	static const char *const names[] = { "history.db", "history.db-wal", "history.db-shm" };
	AUTO_FD folder = -1;
	struct stat st;

	if (mkdir(directory, 0750) && errno != EEXIST)
		return;			/* the history will tell why */
	folder = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0 || fstat(folder, &st) || (st.st_uid && st.st_uid != rights->uid))
		return;
	if (!st.st_uid && fchown(folder, rights->uid, rights->gid))
		log_warn("%s: it stays root's: %s", directory, strerror(errno));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		hand_over_file(rights, folder, names[i]);
}

/* Without CAP_IPC_LOCK a limit would count again, and what passes it would be refused: see lock_memory() in serve.c. */
static void keep_memory_lock(void)
{
	struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };

	if (setrlimit(RLIMIT_MEMLOCK, &none))		/* in a container without CAP_SYS_RESOURCE */
		(void)munlockall();
}

static int become(const struct rights *rights)
{
	for (unsigned long capability = 0; capability <= CAP_LAST_CAP; capability++)
		(void)prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);	/* EINVAL: one that this kernel does not know */
	if (setgroups(0, NULL) || setresgid(rights->gid, rights->gid, rights->gid) ||
	    setresuid(rights->uid, rights->uid, rights->uid))
		return -errno;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;
}

void rights_give_up(struct rights *rights)
{
	int r;

	if (!rights->are_given_up || geteuid())
		return;
	keep_memory_lock();
	r = become(rights);
	if (r < 0)
		log_warn("runs on as root: %s", strerror(-r));
	else
		log_debug("goes on as user %u, without any right; the prober is root still", (unsigned)rights->uid);
}
