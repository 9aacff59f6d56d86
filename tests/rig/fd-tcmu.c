/* Serves SCSI disks of the kernel out of captures: fd-tcmu [--first=N] [--same-host] CAPTURE[#DEVICE]...
 *
 * For each capture it makes a device of target_core_user (configfs), answers the commands that the kernel puts into
 * the shared ring, and adds a LUN to a target of tcm_loop, which the kernel then probes as an ordinary disk. Each
 * target is a SCSI host of its own; with --same-host all are LUNs of one. Where several of these programs run, --first
 * gives each numbers of its own. Every CDB but REPORT LUNS and those of persistent reservations comes here. Needs root,
 * CONFIG_TCM_USER2 and CONFIG_LOOPBACK_TARGET. Prints "ready N" when all disks are attached, and runs until it is
 * killed. */
#include <linux/target_core_user.h>
#define __iovec_defined 1	/* by linux/uio.h, just now; glibc's is the same */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "rig/fakedrive.h"

static const char core[] = "/sys/kernel/config/target/core/user_0";
static const char loopback[] = "/sys/kernel/config/target/loopback";

enum { IOVECS_MAX = 512, HOSTS_MAX = 0x1000 };

struct unit {
	struct fakedrive *drive;
	size_t index, host, lun;
	int uio;
	size_t map_length;
	struct tcmu_mailbox *mailbox;
};

static _Noreturn void die(const char *what, const char *path)
{
	fprintf(stderr, "fd-tcmu: %s %s: %s\n", what, path, strerror(errno));
	exit(1);
}

/* ---- configfs */

static void write_file(const char *path, const char *format, ...) PRINTF_LIKE(2, 3);

static void write_file(const char *path, const char *format, ...)
{
	char text[512];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	AUTO_FD fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, (size_t)n) != n)
		die("cannot write", path);
}

static void make_folder(const char *path)
{
	if (mkdir(path, 0755) && errno != EEXIST)
		die("cannot make", path);
}

/* ---- the ring */

/* Moves between the ring's data area, whose pieces are given by their offset, and one buffer. */
static void copy_to_ring(uint8_t *base, const struct iovec *pieces, size_t n_pieces, const uint8_t *from, size_t n)
{
	for (size_t i = 0; i < n_pieces && n; i++) {
		size_t part = pieces[i].iov_len < n ? pieces[i].iov_len : n;

		memcpy(base + (size_t)pieces[i].iov_base, from, part);
		from += part;
		n -= part;
	}
}

static bool is_in_map(const struct unit *u, uint64_t at, uint64_t n)
{
	return at <= u->map_length && n <= u->map_length - at;
}

static void respond(struct tcmu_cmd_entry *e, const struct fakedrive_scsi *x, bool is_read)
{
	memset(&e->rsp, 0, sizeof e->rsp);
	e->rsp.scsi_status = x->status;
	if (is_read && !x->status) {
		/* How much is valid, so that the initiator sees the residue that a drive would give. */
		e->hdr.uflags |= TCMU_UFLAG_READ_LEN;
		e->rsp.read_len = (uint32_t)x->n_in;
	}
	memcpy(e->rsp.sense_buffer, x->sense, x->n_sense);
}

static void answer(struct unit *u, struct tcmu_cmd_entry *e, uint8_t *buffer)
{
	uint8_t *base = (uint8_t *)u->mailbox;
	size_t n_pieces = e->req.iov_cnt < IOVECS_MAX ? e->req.iov_cnt : IOVECS_MAX, room = 0;
	struct iovec pieces[IOVECS_MAX];
	struct fakedrive_scsi x = { .in = buffer };
	bool is_write;

	memcpy(pieces, e->req.iov, n_pieces * sizeof *pieces);	/* the response overlays the request: copy it first */
	for (size_t i = 0; i < n_pieces; i++) {
		if (!is_in_map(u, (size_t)pieces[i].iov_base, pieces[i].iov_len))
			n_pieces = i;
		else
			room += pieces[i].iov_len;
	}
	if (is_in_map(u, e->req.cdb_off, sizeof x.cdb))
		memcpy(x.cdb, base + e->req.cdb_off, sizeof x.cdb);
	is_write = x.cdb[0] == 0x0a || x.cdb[0] == 0x2a || x.cdb[0] == 0x8a;
	x.in_room = is_write ? 0 : room < FAKEDRIVE_TRANSFER_MAX ? room : FAKEDRIVE_TRANSFER_MAX;
	memset(buffer, 0, x.in_room);
	fakedrive_scsi(u->drive, &x);
	copy_to_ring(base, pieces, n_pieces, buffer, x.n_in);
	respond(e, &x, !is_write);
}

/* One drive does one thing after another: what hangs holds up the others of this drive, and of no other. */
static void *serve(void *context)
{
	struct unit *u = context;
	struct tcmu_mailbox *mailbox = u->mailbox;
	uint8_t *buffer = malloc(FAKEDRIVE_TRANSFER_MAX), *ring = (uint8_t *)mailbox + mailbox->cmdr_off;
	uint32_t count = 0;

	if (!buffer)
		die("no memory for", fakedrive_path(u->drive));
	for (;;) {
		while (mailbox->cmd_tail != __atomic_load_n(&mailbox->cmd_head, __ATOMIC_ACQUIRE)) {
			struct tcmu_cmd_entry *e = (void *)(ring + mailbox->cmd_tail);

			switch (tcmu_hdr_get_op(e->hdr.len_op)) {
			case TCMU_OP_CMD:
				answer(u, e, buffer);
				break;
			case TCMU_OP_PAD:
			case TCMU_OP_TMR:
				break;
			default:
				e->hdr.uflags |= TCMU_UFLAG_UNKNOWN_OP;
				break;
			}
			__atomic_store_n(&mailbox->cmd_tail,
					 (mailbox->cmd_tail + tcmu_hdr_get_len(e->hdr.len_op)) % mailbox->cmdr_size,
					 __ATOMIC_RELEASE);
			count = 0;
			if (write(u->uio, &count, sizeof count) != sizeof count)
				die("cannot notify for", fakedrive_path(u->drive));
		}
		if (read(u->uio, &count, sizeof count) != sizeof count)
			break;
	}
	free(buffer);
	return NULL;
}

/* ---- attaching */

/* -1: there is none of that name. */
static int find_uio(const char *wanted)
{
	DIR *folder = opendir("/sys/class/uio");
	struct dirent *entry;
	int found = -1;

	while (folder && found < 0 && (entry = readdir(folder))) {
		char path[300], name[300] = "";

		snprintf(path, sizeof path, "/sys/class/uio/%s/name", entry->d_name);
		AUTO_FILE f = fopen(path, "re");
		if (!f || !fgets(name, sizeof name, f))
			continue;
		name[strcspn(name, "\n")] = 0;
		if (!strcmp(name, wanted))
			found = atoi(entry->d_name + strlen("uio"));
	}
	if (folder)
		closedir(folder);
	return found;
}

static void make_backend(const struct unit *u)
{
	struct fakedrive_geometry g = fakedrive_geometry(u->drive);
	uint32_t block = g.block_bytes == 4096 ? 4096 : 512;	/* blocks of another size are the drive's own affair */
	uint64_t size = g.blocks * g.block_bytes / block * block;
	char path[256], file[300];

	snprintf(path, sizeof path, "%s/d%zu", core, u->index);
	make_folder(path);
	snprintf(file, sizeof file, "%s/control", path);
	write_file(file, "dev_config=fd/d%zu", u->index);
	write_file(file, "dev_size=%llu", (unsigned long long)(size ? size : block));
	write_file(file, "hw_block_size=%u", block);
	write_file(file, "max_data_area_mb=1");		/* this and the next are 8 MiB a device otherwise, which matters with 200 */
	write_file(file, "cmd_ring_size_mb=1");
	write_file(file, "nl_reply_supported=-1");	/* nobody answers on netlink */
	snprintf(file, sizeof file, "%s/enable", path);
	write_file(file, "1");
	snprintf(file, sizeof file, "%s/attrib/cmd_time_out", path);
	write_file(file, "0");				/* the initiator's own timer runs out, as with a drive that hangs */
}

static void map_ring(struct unit *u)
{
	char path[256], name[64];
	unsigned long length = 0;
	int n;

	snprintf(name, sizeof name, "tcm-user/0/d%zu/fd/d%zu", u->index, u->index);
	n = find_uio(name);
	if (n < 0)
		die("no uio device", name);
	snprintf(path, sizeof path, "/sys/class/uio/uio%d/maps/map0/size", n);
	AUTO_FILE f = fopen(path, "re");
	if (!f || fscanf(f, "%lx", &length) != 1)
		die("cannot read", path);
	snprintf(path, sizeof path, "/dev/uio%d", n);
	u->uio = open(path, O_RDWR | O_CLOEXEC);
	if (u->uio < 0)
		die("cannot open", path);
	u->map_length = length;
	u->mailbox = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, u->uio, 0);
	if (u->mailbox == MAP_FAILED)
		die("cannot map", path);
}

/* The target of a SCSI host, which appears with it. */
static void make_host(size_t host, char path[256])
{
	char file[300];

	snprintf(path, 256, "%s/naa.5001405fa4ed%04zx", loopback, host);
	make_folder(path);
	snprintf(path, 256, "%s/naa.5001405fa4ed%04zx/tpgt_1", loopback, host);
	if (mkdir(path, 0755)) {
		if (errno != EEXIST)
			die("cannot make", path);
		return;		/* its nexus is there as well */
	}
	snprintf(file, sizeof file, "%s/nexus", path);
	write_file(file, "naa.5001405fa4ee%04zx", host);
}

static void attach(struct unit *u)
{
	char host[256], path[400], to[300];
	pthread_t thread;

	make_backend(u);
	map_ring(u);
	/* The kernel probes the disk as soon as the LUN is linked, so this must run already. */
	if (pthread_create(&thread, NULL, serve, u))
		die("no thread for", fakedrive_path(u->drive));
	pthread_detach(thread);
	make_host(u->host, host);
	snprintf(path, sizeof path, "%s/lun/lun_%zu", host, u->lun);
	make_folder(path);
	snprintf(path, sizeof path, "%s/lun/lun_%zu/link", host, u->lun);
	snprintf(to, sizeof to, "%s/d%zu", core, u->index);
	if (symlink(to, path))
		die("cannot link", path);
}

static struct fakedrive *open_drive(char *word)
{
	AUTO_TEXT error = TEXT_LIMIT(4096);
	char *device = strrchr(word, '#');
	struct fakedrive *drive;

	if (device)
		*device++ = 0;
	drive = fakedrive_open(word, device, &error);
	if (!drive) {
		fprintf(stderr, "fd-tcmu: %s\n", error.at ? error.at : "out of memory");
		exit(1);
	}
	return drive;
}

/* Takes its options off the arguments; what is left are captures. */
static char **take_options(char **argv, uint64_t *ret_first, bool *ret_is_same_host)
{
	argv++;
	if (*argv && !strncmp(*argv, "--first=", 8) && text_to_u64(*argv + 8, HOSTS_MAX, ret_first))
		argv++;
	if (*argv && !strcmp(*argv, "--same-host")) {
		*ret_is_same_host = true;
		argv++;
	}
	return argv;
}

int main(int argc, char **argv)
{
	bool is_same_host = false;
	uint64_t first = 0;
	char **words = take_options(argv, &first, &is_same_host);
	size_t n = (size_t)(argv + argc - words);
	struct unit *units = calloc(n + 1, sizeof *units);

	if (!n || first + n > HOSTS_MAX || !units) {
		fprintf(stderr, "usage: fd-tcmu [--first=N] [--same-host] CAPTURE[#DEVICE]...\n");
		return 2;
	}
	make_folder(loopback);
	make_folder(core);
	for (size_t i = 0; i < n; i++) {
		units[i].index = first + i;
		units[i].host = is_same_host ? first : first + i;
		units[i].lun = is_same_host ? i : 0;
		units[i].drive = open_drive(words[i]);
		attach(&units[i]);
	}
	printf("ready %zu\n", n);
	fflush(stdout);
	for (;;)
		pause();
}
