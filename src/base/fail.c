#include "base/fail.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const source_names[N_FAIL_SOURCES] = {
	[FAIL_NONE] = "none", [FAIL_OS] = "os", [FAIL_PERMISSION] = "permission", [FAIL_TRANSPORT] = "transport",
	[FAIL_DEVICE] = "device", [FAIL_FORMAT] = "format", [FAIL_RESERVED] = "reserved",
};

const char *fail_source_name(enum fail_source source)
{
	return (unsigned)source < N_FAIL_SOURCES ? source_names[source] : "none";
}

struct fail fail_os(int error, const char *what)
{
	bool denied = error == EACCES || error == EPERM;

	return (struct fail){ .source = denied ? FAIL_PERMISSION : FAIL_OS, .kind = FAIL_KIND_ERRNO,
			      .code = (uint32_t)error, .what = what };
}

struct fail fail_open(int error)
{
	struct fail f = fail_os(error, "open");

	f.kind = FAIL_KIND_OPEN;
	return f;
}

struct fail fail_sense(uint8_t key, uint8_t asc, uint8_t ascq)
{
	/* NO SENSE, RECOVERED ERROR and COMPLETED come with good data (SPC, sense key list). */
	if (key == 0x0 || key == 0x1 || key == 0xf)
		return OK;
	return (struct fail){ .source = key == 0xb ? FAIL_TRANSPORT : FAIL_DEVICE, .kind = FAIL_KIND_SENSE,
			      .code = (uint32_t)key << 16 | (uint32_t)asc << 8 | ascq };
}

struct fail fail_status(uint8_t status)
{
	enum fail_source source = FAIL_DEVICE;

	if (status == 0x18)		/* RESERVATION CONFLICT (SAM, status codes) */
		source = FAIL_RESERVED;
	else if (status == 0x08 || status == 0x28)	/* BUSY, TASK SET FULL */
		source = FAIL_TRANSPORT;
	return (struct fail){ .source = source, .kind = FAIL_KIND_STATUS, .code = status };
}

struct fail fail_ata(uint8_t status, uint8_t error)
{
	return (struct fail){ .source = FAIL_DEVICE, .kind = FAIL_KIND_ATA,
			      .code = (uint32_t)status << 8 | error };
}

/* NVM Express base, status codes: of type 3h (path related) all, and of the generic ones those that say that a command was
 * given up for another reason than what it asked. The controller could not answer just now; the medium has no part in it. */
static bool is_of_controllers_state(uint8_t sct, uint8_t sc)
{
	switch (sct << 8 | sc) {
	case 0x007:	/* Command Abort Requested */
	case 0x008:	/* Command Aborted due to SQ Deletion: a reset */
	case 0x021:	/* Command Interrupted */
	case 0x022:	/* Transient Transport Error */
	case 0x024:	/* Admin Command Media Not Ready */
	case 0x082:	/* Namespace Not Ready */
		return true;
	default:
		return sct == 3;
	}
}

struct fail fail_nvme(uint8_t sct, uint8_t sc)
{
	return (struct fail){ .source = is_of_controllers_state(sct, sc) ? FAIL_TRANSPORT : FAIL_DEVICE, .kind = FAIL_KIND_NVME,
			      .code = (uint32_t)sct << 8 | sc };
}

struct fail fail_timeout(void)
{
	return (struct fail){ .source = FAIL_TRANSPORT, .kind = FAIL_KIND_TIMEOUT };
}

struct fail fail_host(uint16_t host_status)
{
	if (host_status == 0x03)	/* DID_TIME_OUT */
		return fail_timeout();
	return (struct fail){ .source = FAIL_TRANSPORT, .kind = FAIL_KIND_HOST, .code = host_status };
}

struct fail fail_format(const char *what, const char *detail)
{
	return (struct fail){ .source = FAIL_FORMAT, .kind = FAIL_KIND_FORMAT, .what = what, .detail = detail };
}

bool fail_is_unit_attention(struct fail f)
{
	return f.kind == FAIL_KIND_SENSE && f.code >> 16 == 0x6;
}

bool fail_is_unsupported(struct fail f)
{
	uint8_t key = f.code >> 16, asc = f.code >> 8;

	switch (f.kind) {
	case FAIL_KIND_SENSE:
		return asc == 0x1c || (key == 0x5 && (asc == 0x20 || asc == 0x24 || asc == 0x25 || asc == 0x26));
	case FAIL_KIND_ATA:
		return (f.code >> 8 & 0x01) && (f.code & 0x04);	/* ERR and ABRT */
	case FAIL_KIND_NVME:
		return f.code == 0x001 || f.code == 0x002 || f.code == 0x109;
	case FAIL_KIND_ERRNO:
		return f.code == EOPNOTSUPP;	/* what sysfs has not: no SAS port, no PCIe link */
	case FAIL_KIND_NONE:
	case FAIL_KIND_OPEN:
	case FAIL_KIND_STATUS:
	case FAIL_KIND_TIMEOUT:
	case FAIL_KIND_HOST:
	case FAIL_KIND_FORMAT:
	case N_FAIL_KINDS:
		break;
	}
	return false;
}

static void describe_reason(struct fail f, char *text, size_t size)
{
	unsigned high = f.code >> 8 & 0xff, low = f.code & 0xff;

	switch (f.kind) {
	case FAIL_KIND_ERRNO:
		snprintf(text, size, "%s", strerror((int)f.code));
		return;
	case FAIL_KIND_OPEN:
		snprintf(text, size, "cannot open it: %s", strerror((int)f.code));
		return;
	case FAIL_KIND_SENSE:
		snprintf(text, size, "the drive answered with sense %x/%02x/%02x", (unsigned)(f.code >> 16 & 0xf), high, low);
		return;
	case FAIL_KIND_STATUS:
		snprintf(text, size, "%s (SCSI status %02x)",
			 low == 0x18 ? "reserved by another host" : low == 0x08 ? "the drive is busy" :
			 low == 0x28 ? "the drive's task set is full" : "refused", low);
		return;
	case FAIL_KIND_ATA:
		snprintf(text, size, "the drive answered with ATA status %02x, error %02x", high, low);
		return;
	case FAIL_KIND_NVME:
		snprintf(text, size, "the controller answered with status type %x, code %02x", high, low);
		return;
	case FAIL_KIND_TIMEOUT:
		snprintf(text, size, "no answer in the kernel's time");
		return;
	case FAIL_KIND_HOST:
		if (f.code == FAIL_HOST_RECOVERING)
			snprintf(text, size, "its host adapter or controller is being recovered, so nothing was sent");
		else
			snprintf(text, size, "the host adapter gave up, host status %02x", (unsigned)(f.code & 0xffff));
		return;
	case FAIL_KIND_FORMAT:
	case FAIL_KIND_NONE:
	case N_FAIL_KINDS:
		break;
	}
	snprintf(text, size, "%s", f.detail ? f.detail : "no reason known");
}

const char *fail_describe(struct fail f, char *text, size_t size)
{
	char reason[160];

	describe_reason(f, reason, sizeof reason);
	if (f.kind != FAIL_KIND_FORMAT && f.detail)
		snprintf(text, size, "%s: %s, %s", f.what ? f.what : "command", f.detail, reason);
	else
		snprintf(text, size, "%s: %s", f.what ? f.what : "command", reason);
	return text;
}
