/* Lets smartctl, sg3_utils and nvme-cli read a capture as if it were a drive. Preloaded into such a program
 * (LD_PRELOAD), with
 *	ORACLE_CAPTURE	the capture
 *	ORACLE_NODE	the one path that becomes its drive: /dev/ and a kernel name of the capture
 *	ORACLE_TRACE	if set, each command asked is listed on standard error
 * the node opens as /dev/null, and SG_IO and NVME_IOCTL_ADMIN_CMD on it are answered as the capture says at its start;
 * all other paths and descriptors are the machine's. What no capture holds is made up here, each where it is said. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <scsi/sg.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "capture/capture.h"

enum { DESCRIPTORS = 256 };

static const struct capture *drive;
static bool is_drive_fd[DESCRIPTORS];

/* ---- the capture */

static const char *node_path(void)
{
	const char *path = getenv("ORACLE_NODE");

	return path ? path : "";
}

static const char *node_name(void)
{
	const char *slash = strrchr(node_path(), '/');

	return slash ? slash + 1 : "";
}

static void read_drive(void)
{
	AUTO_TEXT error = TEXT_LIMIT(4096);
	const char *path = getenv("ORACLE_CAPTURE");

	drive = path ? capture_read(path, &error) : NULL;
	if (!drive) {
		fprintf(stderr, "shim: %s\n", error.at ? error.at : "ORACLE_CAPTURE names no capture");
		_exit(99);
	}
}

static bool is_unit_attention(const struct capture_answer *a)
{
	return a->fail.kind == FAIL_KIND_SENSE && a->fail.code >> 16 == 0x06;
}

/* The first answer at the start: the node's own if it has one, else the first path's. A drive tells UNIT ATTENTION once,
 * and not every program asks again: so what comes after it. NULL: not in the capture. */
static const struct capture_answer *answer_to(const struct command *command)
{
	const struct capture_answer *found = NULL;
	char text[COMMAND_TEXT_MAX];

	for (size_t i = drive->n_answers; i-- > 0;) {
		const struct capture_answer *a = &drive->answers[i];
		bool is_own = !strcmp(a->path, node_name());

		if (a->at_s || !command_is_equal(&a->command, command) || (a->path[0] && !is_own))
			continue;
		if (!found || ((is_own || !found->path[0]) && !is_unit_attention(a)))
			found = a;
	}
	if (getenv("ORACLE_TRACE"))
		fprintf(stderr, "shim: %s%s\n", command_text(command, text), found ? "" : " (not in the capture)");
	return found;
}

static const struct capture_answer *answer_to_plain(enum command_name name)
{
	struct command command = command_default(name);

	return answer_to(&command);
}

static bool has_bytes(const struct capture_answer *a, size_t n)
{
	return a && a->bytes && !failed(a->fail) && a->n_bytes >= n;
}

/* ---- SCSI: what goes back into the SG_IO header */

static int give_bytes(sg_io_hdr_t *io, const void *bytes, size_t n)
{
	size_t fits = n < io->dxfer_len ? n : io->dxfer_len;

	if (fits && io->dxferp)
		memcpy(io->dxferp, bytes, fits);
	io->resid = (int)(io->dxfer_len - fits);
	return 0;
}

static int give_sense(sg_io_hdr_t *io, const uint8_t *sense, size_t n)
{
	size_t fits = n < io->mx_sb_len ? n : io->mx_sb_len;

	io->status = 0x02;		/* CHECK CONDITION */
	io->masked_status = 0x01;
	io->driver_status = 0x08;	/* sense data is there */
	io->info |= SG_INFO_CHECK;
	if (fits && io->sbp)
		memcpy(io->sbp, sense, fits);
	io->sb_len_wr = (unsigned char)fits;
	return 0;
}

static int give_fixed_sense(sg_io_hdr_t *io, uint32_t key_asc_ascq)
{
	uint8_t sense[18] = { [0] = 0x70, [2] = key_asc_ascq >> 16 & 0xff, [7] = 10, [12] = key_asc_ascq >> 8 & 0xff,
			      [13] = key_asc_ascq & 0xff };

	io->resid = (int)io->dxfer_len;
	return give_sense(io, sense, sizeof sense);
}

/* SAT, ATA Status Return descriptor: the registers after the command. */
static int give_registers(sg_io_hdr_t *io, uint8_t key, uint8_t error, uint8_t count, const uint8_t lba[2], uint8_t status)
{
	uint8_t sense[22] = { [0] = 0x72, [1] = key, [3] = key == 1 ? 0x1d : 0, [7] = 14, [8] = 0x09, [9] = 12, [11] = error,
			      [13] = count, [17] = lba[0], [19] = lba[1], [20] = 0x40, [21] = status };

	return give_sense(io, sense, sizeof sense);
}

static int give_failure(sg_io_hdr_t *io, struct fail fail)
{
	static const uint8_t no_lba[2];

	io->resid = (int)io->dxfer_len;
	switch (fail.kind) {
	case FAIL_KIND_SENSE:
		return give_fixed_sense(io, fail.code);
	case FAIL_KIND_ATA:
		return give_registers(io, 0x0b, fail.code & 0xff, 0, no_lba, fail.code >> 8 & 0xff);
	case FAIL_KIND_STATUS:
		io->status = fail.code & 0xff;
		io->masked_status = fail.code >> 1 & 0x1f;
		return 0;
	case FAIL_KIND_HOST:
		io->host_status = fail.code & 0xffff;
		return 0;
	case FAIL_KIND_ERRNO:
		errno = (int)fail.code;
		return -1;
	default:
		io->host_status = 0x03;	/* DID_TIME_OUT: also for a hang, since nobody waits for ever here */
		return 0;
	}
}

static int give_answer(sg_io_hdr_t *io, const struct capture_answer *a)
{
	if (!a)
		return give_fixed_sense(io, 0x052000);	/* invalid command operation code */
	if (a->is_hang)
		return give_failure(io, fail_timeout());
	if (!a->bytes)
		return give_failure(io, a->fail);
	give_bytes(io, a->bytes, a->n_bytes);
	return failed(a->fail) ? give_failure(io, a->fail) : 0;
}

/* ---- SCSI: one function for each operation code */

static int test_unit_ready(sg_io_hdr_t *io)
{
	return 0;	/* not in captures: the drive is ready */
}

/* A SATA drive that no SCSI host described: INQUIRY out of IDENTIFY DEVICE, as SAT 8.1 makes it. */
static int translated_inquiry(sg_io_hdr_t *io)
{
	const struct capture_answer *a = answer_to_plain(COMMAND_ATA_IDENTIFY);
	uint8_t data[36] = "\0\0\5\2\37\0\0\2" "ATA                         ";

	if (!has_bytes(a, 512))
		return give_answer(io, NULL);
	for (size_t i = 0; i < 16; i++)
		data[16 + i] = a->bytes[54 + (i ^ 1)];	/* words 27 on: model */
	for (size_t i = 0; i < 4; i++)
		data[32 + i] = a->bytes[50 + (i ^ 1)];	/* words 25 and 26: the last half of the firmware */
	return give_bytes(io, data, sizeof data);
}

static int inquiry(sg_io_hdr_t *io)
{
	struct command command = command_default(COMMAND_INQUIRY);
	const struct capture_answer *a;

	if (io->cmdp[1] & 0x01)
		command.key[KEY_VPD] = io->cmdp[2];
	a = answer_to(&command);
	if (!a && drive->transport == TRANSPORT_ATA && !(io->cmdp[1] & 0x01))
		return translated_inquiry(io);
	return give_answer(io, a);
}

static int request_sense(sg_io_hdr_t *io)
{
	return give_answer(io, answer_to_plain(COMMAND_REQUEST_SENSE));
}

static int log_sense(sg_io_hdr_t *io)
{
	struct command command = command_default(COMMAND_LOG_SENSE);

	if (io->cmdp[2] >> 6 != 1)	/* captures hold cumulative values */
		return give_answer(io, NULL);
	command.key[KEY_PAGE] = io->cmdp[2] & 0x3f;
	command.key[KEY_SUBPAGE] = io->cmdp[3];
	command.key[KEY_PARAMETER] = (uint32_t)io->cmdp[5] << 8 | io->cmdp[6];
	return give_answer(io, answer_to(&command));
}

/* MODE SENSE(10), and (6) out of it by its shorter header, since smartctl asks that one first. A capture holds current
 * values (PC 0); asked which can be changed (PC 1), the drive says none. */
static int mode_sense(sg_io_hdr_t *io)
{
	struct command command = command_default(COMMAND_MODE_SENSE);
	uint8_t data[256], page_control = io->cmdp[2] >> 6;
	const struct capture_answer *a;
	size_t n, body;

	command.key[KEY_PAGE] = io->cmdp[2] & 0x3f;
	command.key[KEY_SUBPAGE] = io->cmdp[3];
	a = page_control <= 1 ? answer_to(&command) : NULL;
	if (!has_bytes(a, 8) || a->n_bytes > sizeof data)
		return give_answer(io, a);
	n = a->n_bytes;
	memcpy(data, a->bytes, n);
	body = 8 + data[7] + 2;	/* header, block descriptors, head of the page */
	if (page_control == 1 && body < n)
		memset(data + body, 0, n - body);
	if (io->cmdp[0] == 0x5a)
		return give_bytes(io, data, n);
	memmove(data + 4, data + 8, n - 8);
	data[0] = (uint8_t)(n - 5);
	data[1] = a->bytes[2];
	data[2] = a->bytes[3];
	data[3] = a->bytes[7];
	return give_bytes(io, data, n - 4);
}

static int read_capacity_10(sg_io_hdr_t *io)
{
	const struct capture_answer *a = answer_to_plain(COMMAND_READ_CAPACITY);
	uint8_t data[8];

	if (!has_bytes(a, 12))
		return give_answer(io, a);
	memcpy(data, a->bytes + 4, sizeof data);
	if (memcmp(a->bytes, "\0\0\0", 4))
		memset(data, 0xff, 4);	/* SBC: ask READ CAPACITY(16) */
	return give_bytes(io, data, sizeof data);
}

static int service_action_in_16(sg_io_hdr_t *io)
{
	return give_answer(io, (io->cmdp[1] & 0x1f) == 0x10 ? answer_to_plain(COMMAND_READ_CAPACITY) : NULL);
}

/* READ DEFECT DATA: a capture has the header of the (10) or of the (12) form; each asker gets the form it asked for. */
static int read_defects(sg_io_hdr_t *io)
{
	const struct capture_answer *a = answer_to_plain(COMMAND_READ_DEFECTS);
	bool is_12 = io->cmdp[0] == 0xb7;
	uint8_t data[8] = { 0 };

	if (!has_bytes(a, 4) || a->n_bytes == (is_12 ? 8 : 4))
		return give_answer(io, a);
	data[1] = a->bytes[1];
	memcpy(data + (is_12 ? 6 : 2), a->bytes + (is_12 ? 2 : 6), 2);
	return give_bytes(io, data, is_12 ? 8 : 4);
}

/* ---- ATA, through SAT's ATA PASS-THROUGH */

struct ata_request {
	uint8_t command, feature, lba_low;
	uint16_t count, page;
};

static struct ata_request ata_request_of(const uint8_t *cdb)
{
	if (cdb[0] == 0x85)	/* (16): each register in two bytes, the older first */
		return (struct ata_request){ .command = cdb[14], .feature = cdb[4], .lba_low = cdb[8],
					     .count = (uint16_t)(cdb[5] << 8 | cdb[6]),
					     .page = (uint16_t)(cdb[9] << 8 | cdb[10]) };
	return (struct ata_request){ .command = cdb[9], .feature = cdb[3], .lba_low = cdb[5], .count = cdb[4],
				     .page = cdb[6] };
}

static int give_ata(sg_io_hdr_t *io, const struct capture_answer *a)
{
	return a ? give_answer(io, a) : give_failure(io, fail_ata(0x51, 0x04));
}

/* READ LOG EXT of several pages out of single ones. smartctl asks for all pages at once and looks only at those that
 * page 00h lists; what a capture leaves out between them is zero. */
static int read_log_ext(sg_io_hdr_t *io, const struct ata_request *ata)
{
	AUTO_FREE uint8_t *pages = calloc(ata->count ? ata->count : 1, 512);
	struct command command = command_default(COMMAND_ATA_LOG);

	if (!pages)
		return give_failure(io, fail_os(ENOMEM, "log"));
	command.key[KEY_ADDRESS] = ata->lba_low;
	for (unsigned i = 0; i < ata->count; i++) {
		const struct capture_answer *a;

		command.key[KEY_LOG_PAGE] = (uint32_t)ata->page + i;
		a = answer_to(&command);
		if (has_bytes(a, 512))
			memcpy(pages + 512 * (size_t)i, a->bytes, 512);
		else if (a || i == 0)
			return give_ata(io, a);
	}
	return give_bytes(io, pages, 512 * (size_t)ata->count);
}

static int smart_status(sg_io_hdr_t *io)
{
	const struct capture_answer *a = answer_to_plain(COMMAND_ATA_SMART_STATUS);

	return has_bytes(a, 2) ? give_registers(io, 1, 0, 0, a->bytes, 0x50) : give_ata(io, a);
}

static int check_power(sg_io_hdr_t *io)
{
	const struct capture_answer *a = answer_to_plain(COMMAND_ATA_CHECK_POWER);
	static const uint8_t no_lba[2];

	return has_bytes(a, 1) ? give_registers(io, 1, 0, a->bytes[0], no_lba, 0x50) : give_ata(io, a);
}

static int smart(sg_io_hdr_t *io, const struct ata_request *ata)
{
	struct command log = command_default(COMMAND_ATA_SMART_LOG);

	switch (ata->feature) {
	case 0xd0:
		return give_ata(io, answer_to_plain(COMMAND_ATA_SMART_DATA));
	case 0xd1:
		return give_ata(io, answer_to_plain(COMMAND_ATA_SMART_THRESHOLDS));
	case 0xd5:
		log.key[KEY_SMART_ADDRESS] = ata->lba_low;
		return give_ata(io, answer_to(&log));
	case 0xd8:
		return 0;	/* ENABLE OPERATIONS, not in captures: done */
	case 0xda:
		return smart_status(io);
	default:
		return give_ata(io, NULL);
	}
}

static int ata_pass_through(sg_io_hdr_t *io)
{
	struct ata_request ata = ata_request_of(io->cmdp);

	if (drive->transport != TRANSPORT_ATA && !answer_to_plain(COMMAND_ATA_IDENTIFY))	/* no bridge either */
		return give_answer(io, NULL);
	switch (ata.command) {
	case 0xec:
		return give_ata(io, answer_to_plain(COMMAND_ATA_IDENTIFY));
	case 0xb0:
		return smart(io, &ata);
	case 0x2f:
	case 0x47:		/* READ LOG DMA EXT */
		return read_log_ext(io, &ata);
	case 0xe5:
		return check_power(io);
	default:
		return give_ata(io, NULL);
	}
}

static const struct {
	uint8_t code, length;
	int (*answer)(sg_io_hdr_t *);
} operations[] = {
	{ 0x00, 6, test_unit_ready },
	{ 0x03, 6, request_sense },
	{ 0x12, 6, inquiry },
	{ 0x1a, 6, mode_sense },
	{ 0x25, 10, read_capacity_10 },
	{ 0x37, 10, read_defects },
	{ 0x4d, 10, log_sense },
	{ 0x5a, 10, mode_sense },
	{ 0x85, 16, ata_pass_through },
	{ 0x9e, 16, service_action_in_16 },
	{ 0xa1, 12, ata_pass_through },
	{ 0xb7, 12, read_defects },
};

static int scsi_command(sg_io_hdr_t *io)
{
	io->status = io->masked_status = io->msg_status = io->sb_len_wr = 0;
	io->host_status = io->driver_status = 0;
	io->resid = 0;
	io->info = io->duration = 0;
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++)
		if (io->cmd_len >= operations[i].length && io->cmdp[0] == operations[i].code)
			return operations[i].answer(io);
	return give_answer(io, NULL);
}

/* ---- NVMe */

enum { NVME_INVALID_OPCODE = 0x001, NVME_INVALID_FIELD = 0x002, NVME_INVALID_NAMESPACE = 0x00b, NVME_INVALID_LOG = 0x109,
       NVME_DO_NOT_RETRY = 0x4000 };

/* As the capture has it; *ret_refusal: as who does not know that answers. */
static const struct capture_answer *nvme_identify(const struct nvme_passthru_cmd *request, int *ret_refusal)
{
	struct command command = command_default(COMMAND_NVME_IDENTIFY);
	const uint32_t cns = request->cdw10 & 0xff;

	command.key[KEY_CNS] = cns;
	if (cns != 0x01)	/* of the controller: no namespace belongs to it */
		command.key[KEY_IDENTIFY_NSID] = request->nsid;
	*ret_refusal = cns == 0x00 ? NVME_INVALID_NAMESPACE : NVME_INVALID_FIELD;
	return answer_to(&command);
}

static const struct capture_answer *nvme_log(const struct nvme_passthru_cmd *request, int *ret_refusal)
{
	struct command command = command_default(COMMAND_NVME_LOG);

	command.key[KEY_ID] = request->cdw10 & 0xff;
	command.key[KEY_NSID] = request->nsid;
	command.key[KEY_LSP] = request->cdw10 >> 8 & 0x7f;
	command.key[KEY_LSI] = request->cdw11 >> 16;
	command.key[KEY_UUID] = request->cdw14 & 0x7f;
	*ret_refusal = NVME_INVALID_LOG;
	return answer_to(&command);
}

/* A capture has a log as a whole: the part of it that is asked for; what is beyond its end is zero. */
static int give_nvme_bytes(const struct nvme_passthru_cmd *request, const struct capture_answer *a)
{
	uint64_t offset = request->opcode == 0x02 ? request->cdw12 | (uint64_t)request->cdw13 << 32 : 0;
	uint8_t *to = (uint8_t *)(uintptr_t)request->addr;
	size_t n = offset < a->n_bytes ? a->n_bytes - offset : 0;

	if (n > request->data_len)
		n = request->data_len;
	memset(to, 0, request->data_len);
	if (n)
		memcpy(to, a->bytes + offset, n);
	return 0;
}

/* The test takes any word of the shim for an error, so a tool that does more than read fails it. */
static const struct capture_answer *nvme_answer(const struct nvme_passthru_cmd *request, int *ret_refusal)
{
	switch (request->opcode) {
	case 0x02:
		return nvme_log(request, ret_refusal);
	case 0x06:
		return nvme_identify(request, ret_refusal);
	default:
		fprintf(stderr, "shim: NVMe command %02xh may do more than read\n", request->opcode);
		*ret_refusal = NVME_INVALID_OPCODE;
		return NULL;
	}
}

static int nvme_command(struct nvme_passthru_cmd *request)
{
	int refusal = 0;
	const struct capture_answer *a = nvme_answer(request, &refusal);

	request->result = 0;
	if (!a)
		return NVME_DO_NOT_RETRY | refusal;
	if (!a->is_hang && a->bytes)
		return give_nvme_bytes(request, a);
	if (!a->is_hang && a->fail.kind == FAIL_KIND_NVME)
		return NVME_DO_NOT_RETRY | (int)(a->fail.code & 0x7ff);
	errno = !a->is_hang && a->fail.kind == FAIL_KIND_ERRNO ? (int)a->fail.code : ETIMEDOUT;
	return -1;
}

/* ---- the calls of the C library that the programs make on a node */

static int open_node(const char *path, int flags, mode_t mode)
{
	static int (*real)(int, const char *, int, ...);
	int fd;

	if (!real)
		real = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
	if (strcmp(path, node_path()))
		return real(AT_FDCWD, path, flags, mode);
	if (!drive)
		read_drive();
	fd = real(AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);
	if (fd >= 0 && fd < DESCRIPTORS)
		is_drive_fd[fd] = true;
	return fd;
}

#define MODE_AFTER(flags) \
	mode_t mode = 0; \
	if ((flags) & (O_CREAT | O_TMPFILE)) { \
		va_list rest; \
		va_start(rest, flags); \
		mode = va_arg(rest, mode_t); \
		va_end(rest); \
	}

int open(const char *path, int flags, ...)
{
	MODE_AFTER(flags)
	return open_node(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	MODE_AFTER(flags)
	return open_node(path, flags, mode);
}

/* What open() becomes in programs built with _FORTIFY_SOURCE. */
int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
	return open_node(path, flags, 0);
}

int __open64_2(const char *path, int flags);
int __open64_2(const char *path, int flags)
{
	return open_node(path, flags, 0);
}

int close(int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");

	if (fd >= 0 && fd < DESCRIPTORS)
		is_drive_fd[fd] = false;
	return real(fd);
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*real)(int, unsigned long, ...) = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
	va_list rest;
	void *argument;

	va_start(rest, request);
	argument = va_arg(rest, void *);
	va_end(rest);
	if (fd < 0 || fd >= DESCRIPTORS || !is_drive_fd[fd])
		return real(fd, request, argument);
	if (request == SG_IO && ((sg_io_hdr_t *)argument)->interface_id == 'S')
		return scsi_command(argument);
	if ((uint32_t)request == NVME_IOCTL_ADMIN_CMD && drive->transport == TRANSPORT_NVME)
		return nvme_command(argument);
	errno = request == SG_IO ? EINVAL : ENOTTY;
	return -1;
}
