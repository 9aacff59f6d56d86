/* NVMe admin commands, Identify and Get Log Page only, through the kernel's ioctl. */
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/text.h"
#include "prober/ways.h"

enum {
	OPCODE_GET_LOG_PAGE = 0x02, OPCODE_IDENTIFY = 0x06,
	IDENTIFY_LENGTH = 4096, CNS_CONTROLLER = 0x01, MDTS_AT = 77, ELPE_AT = 262, ERROR_ENTRY_LENGTH = 64, PAGE_LENGTH = 4096,
	LOG_ERRORS = 0x01,
	ADMIN_TIMEOUT_S = 60,	/* the kernel's default */
};

/* The kernel's own admin timeout. When a command's expires the kernel resets the controller, so ours is never shorter. */
static uint32_t timeout_ms(void)
{
	static uint32_t known;
	char text[16];
	uint64_t seconds = 0;
	ssize_t n;

	if (known)
		return known;
	AUTO_FD fd = open("/sys/module/nvme_core/parameters/admin_timeout", O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (n > 0) {
		text[n] = 0;
		text[strcspn(text, "\n")] = 0;
		if (!text_to_u64(text, UINT32_MAX / 1000, &seconds))
			seconds = 0;
	}
	known = 1000 * (uint32_t)(seconds > ADMIN_TIMEOUT_S ? seconds : ADMIN_TIMEOUT_S);
	return known;
}

/* The kernel says of a command whose time is over only that it was aborted by the host (host path status 371h), or EINTR. */
static bool was_timeout(const struct timespec *begin, int status)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	return status && (uint64_t)(end.tv_sec - begin->tv_sec) * 1000 + 1000 > timeout_ms();
}

static struct fail submit(int fd, struct nvme_admin_cmd *c, uint8_t *buffer, size_t n)
{
	struct timespec begin;
	int status;

	memset(buffer, 0, n);	/* what an earlier answer left must not pass for this one's */
	c->addr = (uint64_t)(uintptr_t)buffer;
	c->data_len = (uint32_t)n;
	c->timeout_ms = timeout_ms();
	clock_gettime(CLOCK_MONOTONIC, &begin);
	status = ioctl(fd, NVME_IOCTL_ADMIN_CMD, c);
	if (was_timeout(&begin, status))
		return fail_timeout();
	if (status < 0)
		return fail_os(errno, "ioctl");
	if (status > 0)		/* NVM Express base 2.0, 3.3.3.2.1: SC in bits 7:0, SCT in bits 10:8 */
		return fail_nvme(status >> 8 & 0x7, status & 0xff);
	return OK;
}

static struct fail identify(int fd, uint32_t cns, uint32_t nsid, uint8_t *buffer)
{
	struct nvme_admin_cmd c = {
		.opcode = OPCODE_IDENTIFY,
		.nsid = nsid,
		.cdw10 = cns,		/* CNTID 0, CNS */
	};

	return submit(fd, &c, buffer, IDENTIFY_LENGTH);
}

/* MDTS: pages of the least size that the controller can have, as a power of two; 0: as many as one likes. */
static size_t transfer_max(const uint8_t *identified)
{
	return identified[MDTS_AT] && identified[MDTS_AT] < 8 ? (size_t)PAGE_LENGTH << identified[MDTS_AT] : COMMAND_ANSWER_MAX;
}

/* The error log has as many entries as the controller says; asking for more is an error that it would log. */
static struct fail own_length(int fd, const struct command *c, uint8_t *buffer, size_t *ret_n)
{
	struct fail f;

	*ret_n = command_answer_max(c);
	if (c->key[KEY_ID] != LOG_ERRORS || c->key[KEY_LENGTH])
		return OK;
	f = identify(fd, CNS_CONTROLLER, 0, buffer);
	if (failed(f))
		return f;
	*ret_n = (size_t)(buffer[ELPE_AT] + 1) * ERROR_ENTRY_LENGTH;
	if (c->key[KEY_OFFSET] >= *ret_n)
		return fail_format("error log", "asked for past its end");
	*ret_n -= c->key[KEY_OFFSET];
	*ret_n = *ret_n < transfer_max(buffer) ? *ret_n : transfer_max(buffer);
	return OK;
}

static struct fail get_log(int fd, const struct command *c, uint8_t *buffer, size_t *ret_n)
{
	struct fail f = own_length(fd, c, buffer, ret_n);
	uint32_t dwords;

	if (failed(f))
		return f;
	dwords = (uint32_t)(*ret_n / 4 - 1);		/* NUMD counts from 0 */
	struct nvme_admin_cmd log = {			/* NVM Express base 2.0, figures 197 to 201 */
		.opcode = OPCODE_GET_LOG_PAGE,
		.nsid = c->key[KEY_NSID],
		.cdw10 = (dwords & 0xffff) << 16	/* NUMDL */
			 | 1u << 15			/* RAE: no event is cleared */
			 | (c->key[KEY_LSP] & 0x7f) << 8
			 | (c->key[KEY_ID] & 0xff),	/* LID */
		.cdw11 = c->key[KEY_LSI] << 16 | dwords >> 16,	/* LSI, NUMDU */
		.cdw12 = c->key[KEY_OFFSET],		/* LPOL; LPOU is 0 */
		.cdw14 = c->key[KEY_UUID] & 0x7f,
	};

	return submit(fd, &log, buffer, *ret_n);
}

void nvme_ask(const struct node *node, const struct command *c, uint8_t *buffer, struct wire_reply *ret)
{
	ret->bytes = buffer;
	if (c->name == COMMAND_NVME_IDENTIFY) {
		ret->n_bytes = IDENTIFY_LENGTH;
		ret->fail = identify(node->fd, c->key[KEY_CNS], c->key[KEY_IDENTIFY_NSID], buffer);
	} else {
		ret->fail = get_log(node->fd, c, buffer, &ret->n_bytes);
	}
}
