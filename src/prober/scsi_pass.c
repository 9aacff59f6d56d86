#include "prober/scsi_pass.h"

#include <scsi/sg_lib.h>
#include <scsi/sg_pt.h>
#include <string.h>

enum { HOST_DRIVER_ERROR = 0x07 };	/* DID_ERROR, include/scsi/scsi_status.h: stands for a driver status without a host's */

static void sense_take(const struct sg_pt_base *pt, struct scsi_result *ret)
{
	int n = get_scsi_pt_sense_len(pt);
	struct sg_scsi_sense_hdr header;

	ret->n_sense = n < 0 ? 0 : n > SCSI_SENSE_MAX ? SCSI_SENSE_MAX : (size_t)n;
	if (!ret->n_sense || !sg_scsi_normalize_sense(ret->sense, (int)ret->n_sense, &header))
		return;
	ret->has_sense = true;
	ret->key = header.sense_key;
	ret->asc = header.asc;
	ret->ascq = header.ascq;
}

static struct fail judge_status(const struct sg_pt_base *pt)
{
	int status = get_scsi_pt_status_response(pt) & 0x7e;	/* bit 0 and 7 are vendor's in old SCSI */

	return status == SAM_STAT_GOOD || status == SAM_STAT_CONDITION_MET ? OK : fail_status((uint8_t)status);
}

/* An ioctl() that returns 0 says only that the command was sent: who failed stands in three further fields. */
static struct fail judge(const struct sg_pt_base *pt, const struct scsi_result *got)
{
	int transport = get_scsi_pt_transport_err(pt);

	if (get_scsi_pt_os_err(pt))
		return fail_os(get_scsi_pt_os_err(pt), "ioctl");
	if (transport)
		return fail_host((uint16_t)transport);
	switch (get_scsi_pt_result_category(pt)) {
	case SCSI_PT_RESULT_GOOD:
	case SCSI_PT_RESULT_STATUS:
		return judge_status(pt);
	case SCSI_PT_RESULT_SENSE:
		return got->has_sense ? fail_sense(got->key, got->asc, got->ascq) : fail_status(SAM_STAT_CHECK_CONDITION);
	default:
		return fail_host(HOST_DRIVER_ERROR);
	}
}

static size_t arrived(const struct sg_pt_base *pt, size_t asked)
{
	int left = get_scsi_pt_resid(pt);

	if (left <= 0)
		return asked;
	return (size_t)left < asked ? asked - (size_t)left : 0;
}

void scsi_pass(int fd, const uint8_t *cdb, size_t n_cdb, uint8_t *buffer, size_t n_buffer, struct scsi_result *ret)
{
	struct sg_pt_base *pt = construct_scsi_pt_obj();
	int r;

	*ret = (struct scsi_result){ .fail = OK };
	if (!pt) {
		ret->fail = fail_os(ENOMEM, "pass-through");
		return;
	}
	if (n_buffer) {
		memset(buffer, 0, n_buffer);	/* what an earlier answer left must not pass for this one's */
		set_scsi_pt_data_in(pt, buffer, (int)n_buffer);
	}
	set_scsi_pt_cdb(pt, cdb, (int)n_cdb);
	set_scsi_pt_sense(pt, ret->sense, sizeof ret->sense);
	r = do_scsi_pt(pt, fd, SCSI_TIMEOUT_S, 0);
	if (r < 0) {
		ret->fail = fail_os(-r, "ioctl");
	} else if (r == SCSI_PT_DO_TIMEOUT) {
		ret->fail = fail_timeout();
	} else if (r > 0) {
		ret->fail = fail_os(EINVAL, "pass-through");
	} else {
		sense_take(pt, ret);
		ret->fail = judge(pt, ret);
		ret->n = arrived(pt, n_buffer);
	}
	destruct_scsi_pt_obj(pt);
}
