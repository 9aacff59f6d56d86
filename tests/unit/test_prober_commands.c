/* prober/: what goes to a drive, byte by byte, and what is made of what comes back. Below the prober's own files stand
 * scsi_pass() and ioctl() of this test, which play the drive. And what is not sent, by what a played sysfs says. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probe/child.h"
#include "prober/scsi_pass.h"
/* Here and not linked: below them stands a sysfs of this test. */
#include "prober/node.c"
#include "prober/ways.c"

/* ---- the drive played: answers in the order in which they were laid out */

enum { STEPS = 4 };

struct step {
	const void *data;	/* what it sends */
	size_t n;
	struct fail fail;
	const void *sense;
	size_t n_sense;
	uint8_t key, asc, ascq;
};

static struct step steps[STEPS];
static struct {
	uint8_t cdb[16];
	size_t n_cdb, n_buffer;
} asked[STEPS];
static size_t n_asked;

void scsi_pass(int fd, const uint8_t *cdb, size_t n_cdb, uint8_t *buffer, size_t n_buffer, struct scsi_result *ret)
{
	const struct step *s = &steps[n_asked];

	assert_true(n_asked < STEPS);
	memcpy(asked[n_asked].cdb, cdb, n_cdb);
	asked[n_asked].n_cdb = n_cdb;
	asked[n_asked++].n_buffer = n_buffer;
	*ret = (struct scsi_result){ .fail = s->fail, .n = s->n < n_buffer ? s->n : n_buffer, .key = s->key,
				     .asc = s->asc, .ascq = s->ascq, .n_sense = s->n_sense, .has_sense = s->n_sense };
	if (s->n_sense)
		memcpy(ret->sense, s->sense, s->n_sense);
	if (ret->n)
		memcpy(buffer, s->data, ret->n);
}

static struct nvme_admin_cmd submitted[STEPS];
static int statuses[STEPS];
static unsigned takes_s[STEPS];
static size_t n_submitted;
static uint8_t elpe;

/* ---- the clock played: time passes in commands alone */

static time_t passed_s;

int clock_gettime(clockid_t clock, struct timespec *t)
{
	*t = (struct timespec){ .tv_sec = 1000000 + passed_s };
	return 0;
}

/* ---- a parameter of the kernel's module played */

#define ADMIN_TIMEOUT "/sys/module/nvme_core/parameters/admin_timeout"

static const char *admin_timeout;	/* NULL: there is no such file */

int open(const char *path, int flags, ...)
{
	va_list args;
	int fd, mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, int) : 0;
	va_end(args);
	if (strcmp(path, ADMIN_TIMEOUT))
		return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
	errno = ENOENT;
	fd = admin_timeout ? memfd_create("admin_timeout", MFD_CLOEXEC) : -1;
	if (fd >= 0)
		assert_int_equal(pwrite(fd, admin_timeout, strlen(admin_timeout), 0), strlen(admin_timeout));
	return fd;
}

int ioctl(int fd, unsigned long request, ...)
{
	struct nvme_admin_cmd *c;
	va_list args;

	va_start(args, request);
	c = va_arg(args, struct nvme_admin_cmd *);
	va_end(args);
	assert_int_equal(request, NVME_IOCTL_ADMIN_CMD);
	assert_true(n_submitted < STEPS);
	submitted[n_submitted] = *c;
	passed_s += takes_s[n_submitted];
	if (c->opcode == 0x06)
		((uint8_t *)(uintptr_t)c->addr)[262] = elpe;
	if (statuses[n_submitted] < 0) {
		errno = -statuses[n_submitted++];
		return -1;
	}
	return statuses[n_submitted++];
}

/* ---- sysfs played: a SAS disk and an NVMe controller, each with nothing behind it in /dev */

#define DISK "sdnone"
#define CONTROLLER "nvme4294967295"

enum { DISKSEQ = 77 };

static const char *state_of_host, *state_of_disk, *state_of_controller, *runtime_status;	/* NULL: the kernel tells none */
static unsigned n_phys_read, n_links_read;

ssize_t sysfs_read(const char *dir, const char *attribute, char *value, size_t size)
{
	const struct {
		const char *dir, *attribute, *text;
	} files[] = {
		{ "/sys/block/" DISK, "dev", "8:0" },
		{ "/sys/block/" DISK, "device/power/runtime_status", runtime_status },
		{ "/sys/block/" DISK, "device/state", state_of_disk },
		{ "/sys/class/scsi_host/host7", "state", state_of_host },
		{ "/sys/class/nvme/" CONTROLLER, "dev", "240:0" },
		{ "/sys/class/nvme/" CONTROLLER, "state", state_of_controller },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (files[i].text && !strcmp(dir, files[i].dir) && !strcmp(attribute, files[i].attribute))
			return snprintf(value, size, "%s", files[i].text);
	return -ENOENT;
}

int sysfs_read_u64(const char *dir, const char *attribute, uint64_t *ret)
{
	*ret = DISKSEQ;
	return strcmp(dir, "/sys/block/" DISK) || strcmp(attribute, "diskseq") ? -ENOENT : 0;
}

int sysfs_resolve(const char *path, char *resolved, size_t size)
{
	if (strcmp(path, "/sys/block/" DISK "/device"))
		return -ENOENT;
	snprintf(resolved, size, "/sys/devices/pci0000:00/0000:03:00.0/host7/port-7:0/end_device-7:0/target7:0:0/7:0:0:0");
	return 0;
}

int sysfs_link_name(const char *dir, const char *link, char *name, size_t size)
{
	if (strcmp(dir, "/sys/block/" DISK) || strcmp(link, "device/subsystem"))
		return -ENOENT;
	snprintf(name, size, "scsi");
	return 0;
}

void host_phys_ask(const struct node *node, const struct command *c, uint8_t *to, struct wire_reply *ret)
{
	n_phys_read++;
}

void pcie_link_ask(const struct node *node, const struct command *c, uint8_t *to, struct wire_reply *ret)
{
	n_links_read++;
}

enum { MEMORY_PAGE = 4096 };
static _Alignas(MEMORY_PAGE) uint8_t buffer[COMMAND_ANSWER_MAX];

static int reset(void **state)
{
	memset(steps, 0, sizeof steps);
	memset(asked, 0, sizeof asked);
	memset(statuses, 0, sizeof statuses);
	memset(takes_s, 0, sizeof takes_s);
	n_asked = n_submitted = 0;
	state_of_host = state_of_disk = state_of_controller = runtime_status = NULL;
	n_phys_read = n_links_read = 0;
	return 0;
}

static struct wire_reply ask(void (*way)(const struct node *, const struct command *, uint8_t *, struct wire_reply *),
			     enum command_name name, int key, uint32_t value, int key_2, uint32_t value_2)
{
	struct node node = { .name = "sda", .fd = 3 };
	struct command c = command_default(name);
	struct wire_reply reply = { 0 };

	if (key >= 0)
		c.key[key] = value;
	if (key_2 >= 0)
		c.key[key_2] = value_2;
	way(&node, &c, buffer, &reply);
	return reply;
}

#define ASK(way, name) ask(way, name, -1, 0, -1, 0)

static void assert_cdb(size_t i, const char *bytes, size_t n)
{
	assert_true(i < n_asked);
	assert_int_equal(asked[i].n_cdb, n);
	assert_memory_equal(asked[i].cdb, bytes, n);
}

/* ---- SCSI */

static void log_pages_are_fetched_in_two_steps(void **state)
{
	static const uint8_t page[] = { 0x0d, 0, 0, 7, 0, 0, 3, 3, 1, 2, 3 };
	struct wire_reply r;

	steps[0] = steps[1] = (struct step){ .data = page, .n = sizeof page };
	r = ask(scsi_ask, COMMAND_LOG_SENSE, KEY_PAGE, 0x0d, KEY_PARAMETER, 0x8004);
	assert_int_equal(n_asked, 2);
	assert_cdb(0, "\x4d\x00\x4d\x00\x00\x80\x04\x00\x04\x00", 10);
	assert_cdb(1, "\x4d\x00\x4d\x00\x00\x80\x04\x00\x0c\x00", 10);	/* 11 bytes, rounded up to even */
	assert_int_equal(asked[1].n_buffer, 12);
	assert_int_equal(r.n_bytes, 11);
	assert_memory_equal(r.bytes, page, 11);
}

static void what_did_not_arrive_is_not_answered(void **state)
{
	static const uint8_t page[] = { 0x11, 0, 0, 8, 0, 1, 3, 4, 0, 0, 0, 42 };
	struct wire_reply r;

	steps[0] = (struct step){ .data = page, .n = 4 };
	steps[1] = (struct step){ .data = page, .n = 9 };	/* the residual says so */
	r = ask(scsi_ask, COMMAND_LOG_SENSE, KEY_PAGE, 0x11, -1, 0);
	assert_int_equal(r.n_bytes, 9);
	reset(NULL);
	steps[0] = (struct step){ .data = page, .n = 3 };	/* not even a header */
	steps[1] = (struct step){ .data = page, .n = 0 };
	r = ask(scsi_ask, COMMAND_LOG_SENSE, KEY_PAGE, 0x11, -1, 0);
	assert_in_range(r.n_bytes, 0, 3);
}

static void a_list_of_pages_that_fails_in_brief_is_asked_for_at_once(void **state)
{
	static const uint8_t page[] = { 0, 0, 0, 2, 0, 0x0d };
	struct wire_reply r;

	steps[0] = (struct step){ .fail = fail_sense(5, 0x24, 0) };
	steps[1] = (struct step){ .data = page, .n = sizeof page };
	r = ASK(scsi_ask, COMMAND_LOG_SENSE);
	assert_int_equal(n_asked, 2);
	assert_int_equal(asked[1].n_buffer, 68);
	assert_int_equal(r.n_bytes, 6);
	reset(NULL);
	steps[0] = (struct step){ .fail = fail_sense(5, 0x24, 0) };
	r = ask(scsi_ask, COMMAND_LOG_SENSE, KEY_PAGE, 0x19, -1, 0);
	assert_int_equal(n_asked, 1);			/* any other page: refused is refused */
	assert_true(fail_is_unsupported(r.fail));
}

static void a_page_of_64_kibibytes_is_cut_to_an_even_allocation(void **state)
{
	static uint8_t page[COMMAND_ANSWER_MAX] = { 0x15, 0, 0xff, 0xff };

	steps[0] = steps[1] = (struct step){ .data = page, .n = sizeof page };
	ask(scsi_ask, COMMAND_LOG_SENSE, KEY_PAGE, 0x15, -1, 0);
	assert_int_equal(asked[1].n_buffer, 0xfffe);
}

static void inquiry_asks_for_what_every_host_adapter_takes(void **state)
{
	static uint8_t data[96] = { 0, 0, 6, 2, 91 };
	struct wire_reply r;

	steps[0] = steps[1] = (struct step){ .data = data, .n = 96 };
	r = ASK(scsi_ask, COMMAND_INQUIRY);
	assert_cdb(0, "\x12\x00\x00\x00\x24\x00", 6);
	assert_cdb(1, "\x12\x00\x00\x00\x60\x00", 6);
	assert_int_equal(r.n_bytes, 96);
	reset(NULL);
	steps[0] = (struct step){ .fail = fail_host(7) };	/* as Marvell's do */
	steps[1] = steps[2] = (struct step){ .data = data, .n = 96 };
	r = ASK(scsi_ask, COMMAND_INQUIRY);
	assert_int_equal(asked[1].n_buffer, 64);
	assert_int_equal(asked[2].n_buffer, 96);
	assert_false(failed(r.fail));
	reset(NULL);
	steps[0] = steps[2] = (struct step){ .data = data, .n = 96 };
	steps[1] = (struct step){ .fail = fail_host(7) };	/* the whole is too much: the first part will do */
	r = ASK(scsi_ask, COMMAND_INQUIRY);
	assert_false(failed(r.fail));
	assert_int_equal(r.n_bytes, 36);
}

static void other_scsi_commands_are_as_the_standards_say(void **state)
{
	ask(scsi_ask, COMMAND_INQUIRY, KEY_VPD, 0x83, -1, 0);
	assert_cdb(0, "\x12\x01\x83\x00\xfc\x00", 6);
	reset(NULL);
	ASK(scsi_ask, COMMAND_READ_CAPACITY);
	assert_cdb(0, "\x9e\x10\0\0\0\0\0\0\0\0\0\0\0\x20\0\0", 16);
	reset(NULL);
	ask(scsi_ask, COMMAND_MODE_SENSE, KEY_PAGE, 0x1c, KEY_SUBPAGE, 1);
	assert_cdb(0, "\x5a\x00\x1c\x01\0\0\0\x00\xfc\0", 10);
	reset(NULL);
	ASK(scsi_ask, COMMAND_REQUEST_SENSE);
	assert_cdb(0, "\x03\0\0\0\x12\0", 6);
}

static void defects_are_read_with_10_and_else_with_12(void **state)
{
	struct wire_reply r;

	steps[0] = (struct step){ .data = "\x00\x0c\x00\x08", .n = 4 };
	r = ASK(scsi_ask, COMMAND_READ_DEFECTS);
	assert_cdb(0, "\x37\x00\x0c\0\0\0\0\x00\x04\0", 10);
	assert_int_equal(r.n_bytes, 4);
	reset(NULL);
	steps[0] = (struct step){ .fail = fail_sense(5, 0x20, 0) };
	steps[1] = (struct step){ .data = "\x00\x0c\0\0\0\0\0\x08", .n = 8 };
	r = ASK(scsi_ask, COMMAND_READ_DEFECTS);
	assert_cdb(1, "\xb7\x0c\0\0\0\0\0\0\0\x08\0\0", 12);
	assert_int_equal(r.n_bytes, 8);
	reset(NULL);
	steps[0] = (struct step){ .fail = fail_sense(4, 0x1c, 0) };	/* no list: not asked again */
	r = ASK(scsi_ask, COMMAND_READ_DEFECTS);
	assert_int_equal(n_asked, 1);
	assert_true(failed(r.fail));
}

/* ---- ATA through SAT */

static void ata_commands_are_passed_through(void **state)
{
	static uint8_t data[1024];

	for (int i = 0; i < STEPS; i++)
		steps[i] = (struct step){ .data = data, .n = sizeof data };
	assert_int_equal(ASK(sat_ask, COMMAND_ATA_IDENTIFY).n_bytes, 512);
	assert_cdb(0, "\x85\x08\x0e\0\0\0\x01\0\0\0\0\0\0\0\xec\0", 16);
	ASK(sat_ask, COMMAND_ATA_SMART_DATA);
	assert_cdb(1, "\x85\x08\x0e\0\xd0\0\x01\0\0\0\x4f\0\xc2\0\xb0\0", 16);
	ask(sat_ask, COMMAND_ATA_SMART_LOG, KEY_SMART_ADDRESS, 0x06, KEY_SMART_COUNT, 2);
	assert_cdb(2, "\x85\x08\x0e\0\xd5\0\x02\0\x06\0\x4f\0\xc2\0\xb0\0", 16);
	struct node node = { .fd = 3 };
	struct command c = command_default(COMMAND_ATA_LOG);
	struct wire_reply r = { 0 };
	c.key[KEY_ADDRESS] = 0x04;
	c.key[KEY_LOG_PAGE] = 0x1207;
	c.key[KEY_COUNT] = 2;
	sat_ask(&node, &c, buffer, &r);
	assert_cdb(3, "\x85\x09\x0e\0\0\0\x02\0\x04\x12\x07\0\0\0\x2f\0", 16);
	assert_int_equal(r.n_bytes, 1024);
}

static const uint8_t descriptor_failed[] = { 0x72, 1, 0, 0x1d, 0, 0, 0, 14, 9, 12, 0, 0, 0, 0, 0, 0, 0, 0xf4, 0, 0x2c, 0, 0x50 };
static const uint8_t fixed_passed[] = { 0xf0, 0, 1, 0x00, 0x50, 0x00, 0x81, 10, 0, 0, 0x4f, 0xc2, 0, 0x1d, 0, 0, 0, 0 };

static void the_registers_are_read_from_both_forms_of_sense(void **state)
{
	struct wire_reply r;

	steps[0] = (struct step){ .sense = descriptor_failed, .n_sense = 22, .key = 1, .asc = 0, .ascq = 0x1d };
	r = ASK(sat_ask, COMMAND_ATA_SMART_STATUS);
	assert_cdb(0, "\x85\x06\x20\0\xda\0\x00\0\0\0\x4f\0\xc2\0\xb0\0", 16);
	assert_int_equal(asked[0].n_buffer, 0);
	assert_false(failed(r.fail));
	assert_int_equal(r.n_bytes, 2);
	assert_memory_equal(r.bytes, "\xf4\x2c", 2);
	steps[1] = steps[2] = (struct step){ .sense = fixed_passed, .n_sense = 18, .key = 1, .asc = 0, .ascq = 0x1d };
	r = ASK(sat_ask, COMMAND_ATA_SMART_STATUS);
	assert_memory_equal(r.bytes, "\x4f\xc2", 2);
	r = ASK(sat_ask, COMMAND_ATA_CHECK_POWER);
	assert_cdb(2, "\x85\x06\x20\0\0\0\0\0\0\0\0\0\0\0\xe5\0", 16);
	assert_int_equal(r.n_bytes, 1);
	assert_int_equal(r.bytes[0], 0x81);
}

static void missing_registers_are_no_answer(void **state)
{
	static const uint8_t torn[] = { 0x72, 1, 0, 0x1d, 0, 0, 0, 14, 9, 12, 0, 0, 0, 0 };
	struct wire_reply r = ASK(sat_ask, COMMAND_ATA_SMART_STATUS);	/* a bridge that ignores CK_COND */

	assert_int_equal(r.fail.source, FAIL_FORMAT);
	steps[1] = (struct step){ .sense = torn, .n_sense = sizeof torn, .key = 1, .ascq = 0x1d };
	r = ASK(sat_ask, COMMAND_ATA_SMART_STATUS);
	assert_int_equal(r.fail.source, FAIL_FORMAT);
	/* Fixed format of something else: its information field is no register. */
	static const uint8_t other[] = { 0xf0, 0, 1, 0x00, 0x50, 0x00, 0x81, 10, 0, 0, 0x4f, 0xc2, 0x5d, 0, 0, 0, 0, 0 };
	steps[2] = (struct step){ .sense = other, .n_sense = 18, .key = 1, .asc = 0x5d };
	r = ASK(sat_ask, COMMAND_ATA_SMART_STATUS);
	assert_int_equal(r.fail.source, FAIL_FORMAT);
}

static void ata_errors_are_the_drives_own(void **state)
{
	static const uint8_t aborted[] = { 0x72, 0x0b, 0, 0, 0, 0, 0, 14, 9, 12, 0, 0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x51 };
	static const uint8_t fixed[] = { 0x70, 0, 0x0b, 0x04, 0x51, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
	static const uint8_t hollow[] = { 0x70, 0, 0x0b, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
	struct wire_reply r;

	steps[0] = (struct step){ .sense = aborted, .n_sense = 22, .fail = fail_sense(0xb, 0, 0), .key = 0xb };
	r = ask(sat_ask, COMMAND_ATA_LOG, KEY_ADDRESS, 4, -1, 0);
	assert_int_equal(r.fail.kind, FAIL_KIND_ATA);
	assert_int_equal(r.fail.code, 0x5104);
	assert_true(fail_is_unsupported(r.fail));
	steps[1] = (struct step){ .sense = fixed, .n_sense = 18, .fail = fail_sense(0xb, 0, 0), .key = 0xb };
	r = ask(sat_ask, COMMAND_ATA_LOG, KEY_ADDRESS, 4, -1, 0);
	assert_int_equal(r.fail.code, 0x5104);
	steps[2] = (struct step){ .sense = hollow, .n_sense = 18, .fail = fail_sense(0xb, 0, 0), .key = 0xb };
	r = ask(sat_ask, COMMAND_ATA_LOG, KEY_ADDRESS, 4, -1, 0);
	assert_int_equal(r.fail.kind, FAIL_KIND_SENSE);
}

/* The last of the ATA tests: the way of a node, once known, is kept. */
static void who_knows_only_12_bytes_is_asked_with_12(void **state)
{
	static uint8_t data[512];
	struct step refused = { .sense = "\x70\0\x05\0\0\0\0\x0a\0\0\0\0\x20\0\0\0\0\0", .n_sense = 18,
				.fail = fail_sense(5, 0x20, 0), .key = 5, .asc = 0x20 };
	struct wire_reply r;

	steps[0] = refused;
	r = ask(sat_ask, COMMAND_ATA_LOG, KEY_ADDRESS, 4, -1, 0);	/* needs 48-bit registers */
	assert_int_equal(n_asked, 1);
	assert_true(fail_is_unsupported(r.fail));
	steps[1] = refused;
	steps[2] = steps[3] = (struct step){ .data = data, .n = 512 };
	r = ASK(sat_ask, COMMAND_ATA_SMART_THRESHOLDS);
	assert_cdb(2, "\xa1\x08\x0e\xd1\x01\x00\x4f\xc2\x00\xb0\0\0", 12);
	assert_int_equal(r.n_bytes, 512);
	ASK(sat_ask, COMMAND_ATA_SMART_DATA);
	assert_int_equal(n_asked, 4);			/* (16) is not tried again */
	assert_int_equal(asked[3].n_cdb, 12);
}

/* ---- NVMe */

static void identify_controller_has_no_namespace(void **state)
{
	struct wire_reply r = ask(nvme_ask, COMMAND_NVME_IDENTIFY, KEY_CNS, 1, -1, 0);

	assert_int_equal(submitted[0].opcode, 0x06);
	assert_int_equal(submitted[0].nsid, 0);
	assert_int_equal(submitted[0].cdw10, 1);
	assert_int_equal(submitted[0].data_len, 4096);
	assert_in_range(submitted[0].timeout_ms, 60000, UINT32_MAX);
	assert_int_equal(r.n_bytes, 4096);
}

static void logs_are_read_without_clearing_events(void **state)
{
	struct wire_reply r = ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0x02, -1, 0);

	assert_int_equal(submitted[0].opcode, 0x02);
	assert_int_equal(submitted[0].nsid, 0xffffffff);
	assert_int_equal(submitted[0].cdw10, 127u << 16 | 1u << 15 | 0x02);
	assert_int_equal(submitted[0].data_len, 512);
	assert_int_equal(r.n_bytes, 512);
	r = ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0x09, KEY_LSI, 3);
	assert_int_equal(submitted[1].cdw11, 3u << 16);
	r = ask(nvme_ask, COMMAND_NVME_LOG, KEY_OFFSET, 256, KEY_UUID, 2);
	assert_int_equal(submitted[2].cdw12, 256);
	assert_int_equal(submitted[2].cdw14, 2);
	assert_int_equal(submitted[2].data_len, 768);
}

static void every_log_is_asked_with_its_length_and_changes_nothing(void **state)
{
	static const struct { uint32_t log, bytes; } logs[] = {
		{ 0x00, 1024 }, { 0x02, 512 }, { 0x03, 512 }, { 0x05, 4096 }, { 0x06, 564 }, { 0x09, 512 }, { 0x81, 512 },
		{ 0xc0, 512 }, { 0xc3, 512 }, { 0xca, 512 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(logs); i++) {
		struct wire_reply r;

		reset(NULL);
		memset(buffer, 0xa5, sizeof buffer);
		r = ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, logs[i].log, -1, 0);
		assert_int_equal(n_submitted, 1);
		assert_int_equal(submitted[0].opcode, 0x02);
		assert_int_equal(submitted[0].cdw10 & 0xff, logs[i].log);
		assert_int_equal(submitted[0].cdw10 >> 8 & 0x7f, 0);	/* LSP */
		assert_int_equal(submitted[0].cdw10 >> 15 & 1, 1);	/* RAE */
		assert_int_equal((submitted[0].cdw10 >> 16) + 1, logs[i].bytes / 4);
		assert_int_equal(submitted[0].cdw11 | submitted[0].cdw12 | submitted[0].cdw13 | submitted[0].cdw14, 0);
		assert_int_equal(submitted[0].data_len, logs[i].bytes);
		assert_int_equal(submitted[0].metadata | submitted[0].metadata_len, 0);
		assert_in_range(submitted[0].timeout_ms, 60000, UINT32_MAX);
		assert_int_equal(r.n_bytes, logs[i].bytes);
		assert_true(bytes_all(bytes_of(r.bytes, r.n_bytes), 0));	/* nothing of an earlier answer */
	}
}

/* Of the controller's memory accesses the first may begin within a page, but some cannot do that well: a whole page it is. */
static void answers_go_to_the_start_of_the_buffer(void **state)
{
	ask(nvme_ask, COMMAND_NVME_IDENTIFY, KEY_CNS, 1, -1, 0);
	ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0x02, -1, 0);
	elpe = 255;
	ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0x01, -1, 0);
	assert_int_equal(n_submitted, 4);
	for (size_t i = 0; i < n_submitted; i++) {
		assert_true(submitted[i].addr == (uintptr_t)buffer);
		assert_in_range(submitted[i].data_len, 512, sizeof buffer);
	}
}

static void tell_buffer(void *context, const struct wire_request *request, uint8_t *at, struct wire_reply *ret)
{
	uintptr_t address = (uintptr_t)at;

	memset(at, 0, COMMAND_ANSWER_MAX);	/* all of it is there */
	memcpy(at, &address, sizeof address);
	ret->bytes = at;
	ret->n_bytes = sizeof address;
}

/* The same of the buffer that a child really has. */
static void buffers_of_children_are_whole_pages(void **state)
{
	static uint8_t message[WIRE_MESSAGE_MAX];
	static const struct prober_answerer telling = { .answer = tell_buffer };
	struct wire_request request = { .id = 1, .node = CONTROLLER, .command = command_default(COMMAND_NVME_LOG) };
	char folder[] = "/tmp/test_prober_commands.XXXXXX", lock[sizeof folder + NODE_NAME_MAX + 8];
	struct wire_reply reply;
	uintptr_t address;
	int pair[2], status;
	ssize_t n;
	pid_t pid;

	assert_non_null(mkdtemp(folder));
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	pid = fork();
	if (!pid)
		child_run(&(struct child_options){ .fd = pair[1], .name = CONTROLLER, .runtime_directory = folder }, &telling);
	close(pair[1]);
	assert_int_equal(wire_send(pair[0], message, wire_put_request(message, &request)), 0);
	assert_int_equal(poll(&(struct pollfd){ .fd = pair[0], .events = POLLIN }, 1, 10000), 1);
	n = wire_receive(pair[0], message);
	assert_true(n > 0);
	assert_int_equal(wire_get_reply(bytes_of(message, (size_t)n), &reply), 0);
	assert_int_equal(reply.n_bytes, sizeof address);
	memcpy(&address, reply.bytes, sizeof address);
	assert_true(address && address % (uintptr_t)sysconf(_SC_PAGESIZE) == 0);
	close(pair[0]);				/* it ends */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	snprintf(lock, sizeof lock, "%s/%s.lock", folder, CONTROLLER);
	unlink(lock);
	assert_int_equal(rmdir(folder), 0);
}

static void the_error_log_is_as_long_as_the_controller_says(void **state)
{
	struct wire_reply r;

	elpe = 63;
	r = ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0x01, -1, 0);
	assert_int_equal(n_submitted, 2);
	assert_int_equal(submitted[0].opcode, 0x06);
	assert_int_equal(submitted[1].data_len, 64 * 64);
	assert_int_equal(r.n_bytes, 4096);
	r = ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0x01, KEY_LENGTH, 128);
	assert_int_equal(n_submitted, 3);		/* who gives a length knows */
	assert_int_equal(r.n_bytes, 128);
}

/* ELPE counts from 0; a length given stands. More entries than there are would be an error that the controller logs. */
static void no_more_error_entries_are_asked_for_than_there_are(void **state)
{
	for (unsigned entries = 1; entries <= 256; entries++) {
		struct wire_reply r;

		reset(NULL);
		elpe = (uint8_t)(entries - 1);
		r = ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0x01, -1, 0);
		assert_int_equal(submitted[0].opcode, 0x06);
		assert_int_equal(submitted[0].nsid, 0);
		assert_int_equal(submitted[0].cdw10, 1);
		assert_int_equal(submitted[1].nsid, 0xffffffff);
		assert_int_equal(submitted[1].cdw10, (entries * 16 - 1) << 16 | 1u << 15 | 0x01);
		assert_int_equal(submitted[1].cdw11, 0);
		assert_int_equal(submitted[1].data_len, entries * 64);
		assert_int_equal(r.n_bytes, entries * 64);
		reset(NULL);
		r = ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0x01, KEY_OFFSET, 64);
		if (entries == 1) {
			assert_int_equal(n_submitted, 1);	/* past its end: not sent */
			assert_int_equal(r.fail.source, FAIL_FORMAT);
		} else {
			assert_int_equal(submitted[1].cdw12, 64);
			assert_int_equal(submitted[1].data_len, entries * 64 - 64);
		}
	}
}

/* Who is not answered when asked for the number of entries is not asked for them. */
static void an_error_log_of_unknown_length_is_not_read(void **state)
{
	struct wire_reply r;

	statuses[0] = -EAGAIN;
	r = ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0x01, -1, 0);
	assert_int_equal(n_submitted, 1);
	assert_int_equal(r.fail.source, FAIL_OS);
	assert_int_equal(r.fail.code, EAGAIN);
}

static void statuses_of_the_controller_are_told_from_the_systems(void **state)
{
	struct wire_reply r;

	statuses[0] = 0x4109;		/* Do Not Retry, type 1, Invalid Log Page */
	r = ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0xc0, -1, 0);
	assert_int_equal(r.fail.kind, FAIL_KIND_NVME);
	assert_int_equal(r.fail.code, 0x109);
	statuses[1] = 0x371;		/* Command Aborted By Host */
	r = ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0x02, -1, 0);
	assert_int_equal(r.fail.source, FAIL_TRANSPORT);
	statuses[2] = -EACCES;
	r = ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0x02, -1, 0);
	assert_int_equal(r.fail.source, FAIL_PERMISSION);
}

/* A command that was given up for what became of the controller says nothing of the drive: it is asked again. What the drive
 * does not know is not; the bits above the status code change nothing. */
static void a_status_says_whose_fault_it_is(void **state)
{
	static const struct { int status; enum fail_source source; bool is_unsupported; } told[] = {
		{ 0x001, FAIL_DEVICE, true }, { 0x002, FAIL_DEVICE, true }, { 0x109, FAIL_DEVICE, true }, { 0x4002, FAIL_DEVICE, true },
		{ 0x6109, FAIL_DEVICE, true }, { 0x004, FAIL_DEVICE, false }, { 0x006, FAIL_DEVICE, false }, { 0x00b, FAIL_DEVICE, false },
		{ 0x013, FAIL_DEVICE, false }, { 0x4013, FAIL_DEVICE, false }, { 0x281, FAIL_DEVICE, false }, { 0x745, FAIL_DEVICE, false },
		{ 0x007, FAIL_TRANSPORT, false }, { 0x008, FAIL_TRANSPORT, false }, { 0x021, FAIL_TRANSPORT, false },
		{ 0x022, FAIL_TRANSPORT, false }, { 0x082, FAIL_TRANSPORT, false }, { 0x300, FAIL_TRANSPORT, false },
		{ 0x360, FAIL_TRANSPORT, false }, { 0x370, FAIL_TRANSPORT, false }, { 0x371, FAIL_TRANSPORT, false },
		{ 0x4371, FAIL_TRANSPORT, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(told); i++) {
		struct fail f;

		reset(NULL);
		statuses[0] = told[i].status;
		f = ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0x02, -1, 0).fail;
		if (f.source != told[i].source || fail_is_unsupported(f) != told[i].is_unsupported)
			fail_msg("status %x", (unsigned)told[i].status);
		assert_int_equal(f.kind, FAIL_KIND_NVME);
		assert_int_equal(f.code, told[i].status & 0x7ff);
	}
}

/* The kernel does not say that it was a timeout: it says that it aborted the command, or was interrupted, or what its reset
 * made of it. Nothing else takes so long. */
static void what_took_the_whole_timeout_is_a_timeout(void **state)
{
	static const int what_the_kernel_says[] = { 0x371, -EINTR, -EIO, 0x007, 0x4002, -ENODEV };

	for (size_t i = 0; i < ARRAY_SIZE(what_the_kernel_says); i++) {
		struct wire_reply r;

		reset(NULL);
		statuses[0] = statuses[1] = what_the_kernel_says[i];
		takes_s[0] = 60;
		takes_s[1] = 58;
		r = ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0x02, -1, 0);
		assert_int_equal(r.fail.kind, FAIL_KIND_TIMEOUT);
		assert_int_equal(r.fail.source, FAIL_TRANSPORT);
		r = ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0x02, -1, 0);
		assert_int_not_equal(r.fail.kind, FAIL_KIND_TIMEOUT);
		assert_true(failed(r.fail));
	}
	reset(NULL);
	statuses[0] = 0x371;
	takes_s[0] = 61;
	assert_int_equal(ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0x01, -1, 0).fail.kind, FAIL_KIND_TIMEOUT);
	assert_int_equal(n_submitted, 1);
	reset(NULL);
	takes_s[0] = 3600;			/* a late answer is an answer */
	assert_false(failed(ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0x02, -1, 0).fail));
}

/* Each in a process of its own, for the parameter is read once. Comes before any other command is sent. */
static void the_timeout_is_never_shorter_than_the_kernels(void **state)
{
	static const struct { const char *parameter; uint32_t timeout_ms; } parameters[] = {
		{ NULL, 60000 }, { "60\n", 60000 }, { "30\n", 60000 }, { "0\n", 60000 }, { "61\n", 61000 }, { "240\n", 240000 },
		{ "4294967\n", 4294967000 }, { "4294968\n", 60000 }, { "\n", 60000 }, { "", 60000 }, { "fast\n", 60000 },
		{ "-1\n", 60000 }, { "123456789012345678\n", 60000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(parameters); i++) {
		pid_t pid = fork();
		int status;

		if (!pid) {
			admin_timeout = parameters[i].parameter;
			ask(nvme_ask, COMMAND_NVME_IDENTIFY, KEY_CNS, 1, -1, 0);
			admin_timeout = "90\n";
			ask(nvme_ask, COMMAND_NVME_LOG, KEY_ID, 0x02, -1, 0);
			_exit(submitted[0].timeout_ms != parameters[i].timeout_ms ||
			      submitted[1].timeout_ms != parameters[i].timeout_ms);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status)
			fail_msg("with an admin_timeout of %s", parameters[i].parameter);
	}
}

/* ---- the way to the drive */

static struct wire_reply answer_of(const char *name, enum command_name command)
{
	struct wire_request request = { .command = command_default(command) };
	struct wire_reply reply = { 0 };

	strcpy(request.node, name);
	prober_ways.answer(NULL, &request, buffer, &reply);
	return reply;
}

static bool is_recovering(struct fail f)
{
	return f.source == FAIL_TRANSPORT && f.kind == FAIL_KIND_HOST && f.code == FAIL_HOST_RECOVERING;
}

static void while_a_scsi_host_recovers_nothing_is_sent_nor_read(void **state)
{
	static const char *const recovering[] = { "recovery", "cancel/recovery", "deleted/recovery" };

	for (size_t i = 0; i < ARRAY_SIZE(recovering); i++)
		for (enum command_name name = 0; name < N_COMMANDS; name++) {
			struct wire_reply r;

			state_of_host = recovering[i];
			r = answer_of(DISK, name);
			if (!is_recovering(r.fail))	/* ENOENT here: it was opened */
				fail_msg("%s while the host is in %s", commands[name].name, recovering[i]);
			assert_int_equal(r.verdict, WIRE_ANSWERED);
			assert_int_equal(r.diskseq, DISKSEQ);
			assert_int_equal(r.n_bytes, 0);
		}
	assert_int_equal(n_phys_read + n_links_read + n_asked + n_submitted, 0);
}

/* Its transport is gone, or somebody quiesces it: a command would wait for that to be over. An offline one answers at once. */
static void a_blocked_disk_is_not_asked(void **state)
{
	static const char *const blocked[] = { "blocked", "created-blocked", "quiesce" }, *const other[] = { "running", "offline",
														 "transport-offline" };

	for (size_t i = 0; i < ARRAY_SIZE(blocked); i++) {
		state_of_disk = blocked[i];
		assert_true(is_recovering(answer_of(DISK, COMMAND_LOG_SENSE).fail));
		assert_true(is_recovering(answer_of(DISK, COMMAND_HOST_PHYS).fail));
	}
	assert_int_equal(n_phys_read + n_asked + n_submitted, 0);
	for (size_t i = 0; i < ARRAY_SIZE(other); i++) {
		state_of_disk = other[i];
		assert_int_equal(answer_of(DISK, COMMAND_LOG_SENSE).fail.code, ENOENT);	/* would have opened it */
	}
}

static void a_scsi_host_in_any_other_state_is_used(void **state)
{
	static const char *const usable[] = { NULL, "created", "running", "cancel", "deleted" };

	for (size_t i = 0; i < ARRAY_SIZE(usable); i++) {
		state_of_host = usable[i];
		assert_false(failed(answer_of(DISK, COMMAND_HOST_PHYS).fail));
		assert_int_equal(n_phys_read, i + 1);
		assert_int_equal(answer_of(DISK, COMMAND_LOG_SENSE).fail.code, ENOENT);	/* would have opened it */
	}
	runtime_status = "suspended";
	assert_int_equal(answer_of(DISK, COMMAND_HOST_PHYS).verdict, WIRE_ASLEEP);
	assert_int_equal(n_phys_read, ARRAY_SIZE(usable));
}

static void an_nvme_controller_that_is_reset_is_not_asked(void **state)
{
	static const struct {
		const char *state;
		bool is_recovering;
	} states[] = {
		{ "resetting", true }, { "resetting (no IO)", true }, { "connecting", true }, { "deleting", false },
		{ "deleting (no IO)", false }, { "dead", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		for (enum command_name name = 0; name < N_COMMANDS; name++) {
			struct fail f;

			state_of_controller = states[i].state;
			f = answer_of(CONTROLLER, name).fail;
			if (states[i].is_recovering ? !is_recovering(f) : f.kind != FAIL_KIND_ERRNO || f.code != ENODEV)
				fail_msg("%s while the controller is %s", commands[name].name, states[i].state);
		}
	assert_int_equal(n_phys_read + n_links_read + n_asked + n_submitted, 0);
	state_of_controller = "live";
	assert_false(failed(answer_of(CONTROLLER, COMMAND_PCIE_LINK).fail));
	assert_int_equal(n_links_read, 1);
}

#define TEST(function) cmocka_unit_test_setup(function, reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_timeout_is_never_shorter_than_the_kernels),
		TEST(log_pages_are_fetched_in_two_steps),
		TEST(what_did_not_arrive_is_not_answered),
		TEST(a_list_of_pages_that_fails_in_brief_is_asked_for_at_once),
		TEST(a_page_of_64_kibibytes_is_cut_to_an_even_allocation),
		TEST(inquiry_asks_for_what_every_host_adapter_takes),
		TEST(other_scsi_commands_are_as_the_standards_say),
		TEST(defects_are_read_with_10_and_else_with_12),
		TEST(ata_commands_are_passed_through),
		TEST(the_registers_are_read_from_both_forms_of_sense),
		TEST(missing_registers_are_no_answer),
		TEST(ata_errors_are_the_drives_own),
		TEST(who_knows_only_12_bytes_is_asked_with_12),
		TEST(identify_controller_has_no_namespace),
		TEST(logs_are_read_without_clearing_events),
		TEST(every_log_is_asked_with_its_length_and_changes_nothing),
		TEST(answers_go_to_the_start_of_the_buffer),
		TEST(buffers_of_children_are_whole_pages),
		TEST(the_error_log_is_as_long_as_the_controller_says),
		TEST(no_more_error_entries_are_asked_for_than_there_are),
		TEST(an_error_log_of_unknown_length_is_not_read),
		TEST(statuses_of_the_controller_are_told_from_the_systems),
		TEST(a_status_says_whose_fault_it_is),
		TEST(what_took_the_whole_timeout_is_a_timeout),
		TEST(while_a_scsi_host_recovers_nothing_is_sent_nor_read),
		TEST(a_blocked_disk_is_not_asked),
		TEST(a_scsi_host_in_any_other_state_is_used),
		TEST(an_nvme_controller_that_is_reset_is_not_asked),
	};

	return cmocka_run_group_tests_name("prober: commands", tests, NULL, NULL);
}
