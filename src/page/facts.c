#include "page/facts.h"

#include <stdio.h>

#include "page/page.h"
#include "page/scsi_exception_codes.h"

/* Of the namespaces where the subsystem does not tell its own size (TNVMCAP is optional). A full list may not hold them
 * all, and a sum of some is no capacity. */
static double namespaces_bytes(const struct drive_facts *facts)
{
	double sum = 0;

	if (facts->n_namespaces >= FACTS_NAMESPACES)
		return 0;
	for (uint32_t i = 0; i < facts->n_namespaces; i++)
		sum += (double)facts->namespaces[i].size_bytes;
	return sum;
}

static void limit_put(const char *kind, uint16_t kelvin, const struct drive_facts *facts, struct sample_sink *to)
{
	struct sample s = { .family = drive_temperature_limit_celsius, .label = { kind } };

	if (kelvin && raw_convert(RAW_KELVIN, kelvin, facts, &s.value))
		sample_put(to, &s);
}

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

static void geometry_put(const struct drive_facts *facts, struct sample_sink *to)
{
	if (facts->transport == TRANSPORT_NVME)		/* each namespace has its own */
		return;
	size_put(drive_logical_block_bytes, facts->logical_block, to);
	size_put(drive_physical_block_bytes, facts->physical_block, to);
	size_put(drive_rotation_rate_rpm, facts->rpm, to);
}

void facts_samples(const struct drive_facts *facts, struct sample_sink *to)
{
	double capacity = (double)facts->capacity_bytes;

	if (facts->transport == TRANSPORT_NVME)
		capacity = facts->nvme_total_bytes ? (double)facts->nvme_total_bytes : namespaces_bytes(facts);
	size_put(drive_capacity_bytes, capacity, to);
	geometry_put(facts, to);
	limit_put("warning", facts->nvme_warning_kelvin, facts, to);
	limit_put("critical", facts->nvme_critical_kelvin, facts, to);
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
