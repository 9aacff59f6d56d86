#include "page/facts.h"

#include <stdio.h>

#include "page/nvme_page.h"
#include "page/page.h"
#include "page/scsi_exception_codes.h"

/* A drive without the page for it may still report an exception to REQUEST SENSE. */
static bool has_exception_of_its_own(const struct drive_facts *facts)
{
	return facts->sense_asc && !facts_bit(facts->log_pages, 0x2f);
}

static void size_put(enum metric_family_id family, double value, struct sample_sink *to)
{
	if (value > 0)
		sample_put(to, &(struct sample){ .family = family, .value = value });
}

void facts_samples(const struct drive_facts *facts, struct sample_sink *to)
{
	if (facts->transport == TRANSPORT_NVME) {
		nvme_facts_samples(facts, to);
		return;
	}
	size_put(drive_capacity_bytes, (double)facts->capacity_bytes, to);
	size_put(drive_logical_block_bytes, facts->logical_block, to);
	size_put(drive_physical_block_bytes, facts->physical_block, to);
	size_put(drive_rotation_rate_rpm, facts->rpm, to);
	if (has_exception_of_its_own(facts))
		scsi_exception_put(facts->sense_asc, facts->sense_ascq, to);
}

void facts_text(struct bytes in, char *text, size_t size)
{
	size_t n = 0;

	while (in.left && (*in.at == ' ' || *in.at == 0))
		bytes_skip(&in, 1);
	for (; in.left && n < size - 1; n++) {
		text[n] = (char)bytes_be(&in, 1);
		if (!text[n])
			text[n] = ' ';
	}
	while (n && text[n - 1] == ' ')
		n--;
	text[n] = 0;
}

bool facts_name(struct bytes name, char wwn[33])
{
	if (name.left < 8 || name.left > 16 || bytes_all(name, 0) || bytes_all(name, 0xff))
		return false;
	for (size_t n = 0; name.left; n += 2)
		snprintf(wwn + n, 3, "%02x", (unsigned)bytes_be(&name, 1));
	return true;
}
