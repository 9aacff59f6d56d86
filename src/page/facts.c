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

void facts_samples(const struct drive_facts *facts, struct sample_sink *to)
{
	struct sample capacity = { .family = drive_capacity_bytes };

	if (facts->transport == TRANSPORT_NVME)
		capacity.value = facts->nvme_total_bytes ? (double)facts->nvme_total_bytes : namespaces_bytes(facts);
	else
		capacity.value = (double)facts->capacity_bytes;
	if (capacity.value > 0)
		sample_put(to, &capacity);
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
