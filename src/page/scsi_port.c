/* The drive's SAS phys, and those on the host's side of its cable: what their receivers did not understand. */
#include <stdio.h>

#include "page/pages.h"
#include "page/scsi_log.h"

enum {
	PROTOCOL_SAS = 6,
	DESCRIPTOR_HEAD = 4, SAS1_DESCRIPTOR = 48,	/* SAS-1.1 leaves the length at 0 */
	COUNTERS_AT = 32,
	HOST_PHY_BYTES = 18,
};

/* SPL, tables of INVALID DWORD COUNT and the three after it: each 32 bits, standing still at all ones. */
static const char *const kinds[] = { "invalid_dword", "running_disparity", "loss_of_sync", "phy_reset_problem" };

/* SPL, NEGOTIATED LOGICAL LINK RATE: 1h to 6h are reasons for having no link, 0h is not known. */
enum { RATE_FIRST_WITHOUT_LINK = 0x1, RATE_LAST_WITHOUT_LINK = 0x6 };
static const double rates[16] = { [0x8] = 1.5e9, [0x9] = 3e9, [0xa] = 6e9, [0xb] = 12e9, [0xc] = 22.5e9 };

static void counters_put(struct bytes in, const char *phy, const char *side, struct sample_sink *to)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct bytes raw = bytes_take(&in, 4);

		if (!raw.torn && !bytes_all(raw, 0xff))
			sample_put(to, &(struct sample){ .family = drive_link_errors_total, .is_dynamic = true,
							 .label = { phy, kinds[i], side }, .value = (double)bytes_be(&raw, 4) });
	}
}

static void rate_put(uint8_t code, const char *phy, const char *side, struct sample_sink *to)
{
	bool is_down = code >= RATE_FIRST_WITHOUT_LINK && code <= RATE_LAST_WITHOUT_LINK;

	code &= 0xf;
	if (rates[code] > 0 || is_down)
		sample_put(to, &(struct sample){ .family = drive_link_speed_bits_per_second, .is_dynamic = true,
						 .label = { phy, side }, .value = rates[code] });
}

/* ---- log page 18h */

/* The next descriptor; its length leaves out its first four bytes. */
static struct bytes next_phy(struct bytes *list)
{
	struct bytes head = bytes_at(*list, 3, 1);
	size_t length = (size_t)bytes_be(&head, 1);

	return bytes_take(list, length ? length + DESCRIPTOR_HEAD : SAS1_DESCRIPTOR);
}

static struct fail port_put(const struct page *page, uint16_t port, struct bytes in, struct sample_sink *to)
{
	uint8_t protocol = (uint8_t)bytes_be(&in, 1) & 0xf;
	uint64_t n_phys;

	bytes_skip(&in, 2);
	n_phys = bytes_be(&in, 1);
	if (protocol != PROTOCOL_SAS)
		return OK;
	for (uint64_t i = 0; i < n_phys; i++) {
		struct bytes phy = next_phy(&in);
		char name[16];

		if (phy.torn || phy.left < SAS1_DESCRIPTOR)
			return fail_format(page->name, "phy descriptor runs past its port");
		snprintf(name, sizeof name, "%u-%u", port, phy.at[1]);
		counters_put(bytes_at(phy, COUNTERS_AT, 16), name, "drive", to);
		rate_put(phy.at[5] & 0xf, name, "drive", to);
	}
	return OK;
}

/* A parameter is a port of the drive, by its relative target port identifier. */
static struct fail decode_ports(const struct page *page, struct bytes in, const struct drive_facts *facts,
				struct sample_sink *to)
{
	struct bytes params, value;
	struct fail f = scsi_log_params(page, in, &params);
	uint16_t port;

	while (!failed(f) && scsi_log_next(&params, &port, &value))
		f = port_put(page, port, value, to);
	return f;
}

static const struct page_told ports_told[] = {
	{ drive_link_errors_total, "SPL, Protocol Specific Port log page for SAS (18h), phy log descriptor" },
	{ drive_link_speed_bits_per_second,
	  "SPL, Protocol Specific Port log page for SAS (18h), NEGOTIATED LOGICAL LINK RATE" },
};

const struct page scsi_ports = {
	SCSI_LOG_PAGE(18), .period_s = 600, .decode = decode_ports, .told = ports_told, .n_told = ARRAY_SIZE(ports_told),
};

/* ---- the host's side */

/* For each phy its number, the code of its rate, and the four counters (the prober's own form). The number alone would not
 * do: the two paths of a drive may end at phys of one number. */
static struct fail decode_host_phys(const struct page *page, struct bytes in, const struct drive_facts *facts,
				    struct sample_sink *to)
{
	if (in.left % HOST_PHY_BYTES)
		return fail_format(page->name, "ends within a phy");
	while (in.left) {
		struct bytes phy = bytes_take(&in, HOST_PHY_BYTES);
		char name[80];

		snprintf(name, sizeof name, "%.64s-%u", page->place ? page->place : "", phy.at[0]);
		counters_put(bytes_at(phy, 2, 16), name, "host", to);
		rate_put(phy.at[1], name, "host", to);
	}
	return OK;
}

static const struct page_told host_phys_told[] = {
	{ drive_link_errors_total, "the Linux kernel's sas_phy class, beside SPL's phy counters" },
	{ drive_link_speed_bits_per_second, "the Linux kernel's sas_phy class" },
};

#define HOST_PHYS(a_name, a_transport) { \
	.name = a_name, .transport = a_transport, .command = { .name = COMMAND_HOST_PHYS }, .period_s = 1800, \
	.per_path = true, .decode = decode_host_phys, .told = host_phys_told, .n_told = ARRAY_SIZE(host_phys_told) }

const struct page scsi_host_phys = HOST_PHYS("host phys", TRANSPORT_SCSI);
const struct page ata_host_phys = HOST_PHYS("host phys (SATA)", TRANSPORT_ATA);	/* a SATA drive on a SAS host adapter */
