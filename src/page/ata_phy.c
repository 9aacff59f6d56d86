/* SATA Phy Event Counters log (Serial ATA, log address 11h): counters of any width, each after its identifier.
 * They are read without the feature that would clear them. */
#include "page/ata_logs.h"
#include "page/pages.h"

enum {
	COUNTERS_AT = 4, CHECKSUM_AT = 511,
	IS_VENDORS = 1 << 15, WORDS_SHIFT = 12, WORDS_MASK = 7,	/* of an identifier: whose, how wide its counter */
	COUNTER_BYTES_MAX = 8,
};

/* The names follow the direction of the frame (FIS), device to host or host to device, and how it was received. */
static const struct event {
	uint16_t id;
	const char *name;
} events[] = {
	{ 0x001, "command_icrc" },		/* commands that ended with an interface CRC error */
	{ 0x002, "data_fis_r_err" },
	{ 0x003, "d2h_data_fis_r_err" },
	{ 0x004, "h2d_data_fis_r_err" },
	{ 0x005, "non_data_fis_r_err" },
	{ 0x006, "d2h_non_data_fis_r_err" },
	{ 0x007, "h2d_non_data_fis_r_err" },
	{ 0x008, "d2h_non_data_fis_retry" },
	{ 0x009, "phy_ready_lost" },		/* the drive's phy went from ready to not ready */
	{ 0x00a, "comreset" },			/* register FISes sent because of a COMRESET */
	{ 0x00b, "h2d_fis_crc" },
	{ 0x00d, "h2d_fis_non_crc" },
	{ 0x00f, "h2d_data_fis_r_err_crc" },
	{ 0x010, "h2d_data_fis_r_err_non_crc" },
	{ 0x012, "h2d_non_data_fis_r_err_crc" },
	{ 0x013, "h2d_non_data_fis_r_err_non_crc" },
};

/* A counter stops at its highest number. */
static void counter_put(size_t event, struct bytes counter, uint32_t *is_told, struct sample_sink *to)
{
	if (*is_told >> event & 1 || !counter.left || counter.left > COUNTER_BYTES_MAX || bytes_all(counter, 0xff))
		return;
	*is_told |= UINT32_C(1) << event;
	page_put(to, drive_ata_phy_events_total, events[event].name, NULL, (double)bytes_le(&counter, counter.left));
}

static void find_and_put(uint16_t id, struct bytes counter, uint32_t *is_told, struct sample_sink *to)
{
	_Static_assert(ARRAY_SIZE(events) <= 32, "a bit for each");
	if (id & IS_VENDORS)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (events[i].id == (id & ((1 << WORDS_SHIFT) - 1)))
			counter_put(i, counter, is_told, to);
}

static struct fail decode(const struct page *page, struct bytes in, const struct drive_facts *facts,
			  struct sample_sink *to)
{
	struct bytes all, counters;
	struct fail f = ata_log_open(page, in, &all);
	uint32_t is_told = 0;
	uint16_t id;

	if (failed(f))
		return f;
	counters = bytes_at(all, COUNTERS_AT, CHECKSUM_AT - COUNTERS_AT);
	while ((id = (uint16_t)bytes_le(&counters, 2)) != 0) {
		struct bytes counter = bytes_take(&counters, 2 * (id >> WORDS_SHIFT & WORDS_MASK));

		if (counters.torn)
			return fail_format(page->name, "a counter runs past the page");
		find_and_put(id, counter, &is_told, to);
	}
	return OK;
}

static bool has_phy_events(const struct page *page, const struct drive_facts *facts)
{
	return facts->has_phy_events && ata_log_is_listed(facts, ATA_LOG_PHY_EVENTS);
}

static const struct page_told phy_told[] = {
	{ drive_ata_phy_events_total, "Serial ATA, Phy Event Counters log (11h)" },
};

const struct page ata_phy_events = {
	ATA_LOG(ATA_LOG_PHY_EVENTS, 0), .name = "SATA phy event counters", .period_s = ATA_LOG_PERIOD_S,
	.is_offered = has_phy_events, .decode = decode, .told = phy_told, .n_told = ARRAY_SIZE(phy_told),
};
