/* The PCIe link of an NVMe controller, as the kernel tells it. */
#include "page/nvme_page.h"
#include "page/pages.h"

enum { LINK_BYTES = 6 };

/* PCI Express has links of so many lanes; a device that does not answer seems to have 63. */
static bool is_width(uint64_t lanes)
{
	return lanes == 12 || (lanes && lanes <= 32 && !(lanes & (lanes - 1)));
}

/* Big-endian, as the prober makes it: a rate in 0.1 GT/s, and how many lanes; what is, then what could be. A rate is that of the
 * line, with its coding. 0: the kernel does not know. */
static struct fail decode(const struct page *page, struct bytes in, const struct drive_facts *facts, struct sample_sink *to)
{
	static const uint16_t rates[] = { drive_link_speed_bits_per_second, drive_link_speed_max_bits_per_second };
	static const uint16_t widths[] = { drive_link_width, drive_link_width_max };

	if (in.left < LINK_BYTES)
		return fail_format(page->name, "shorter than 6 bytes");
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		uint64_t rate = bytes_be(&in, 2), width = bytes_be(&in, 1);
		struct sample s = { .is_dynamic = true, .label = { page->place ? page->place : "", "drive" } };

		s.family = rates[i];
		s.value = (double)rate * 1e8;
		if (rate)
			sample_put(to, &s);
		s.family = widths[i];
		s.value = (double)width;
		if (is_width(width))
			sample_put(to, &s);
	}
	return OK;
}

static const struct page_told told[] = {
	{ drive_link_speed_bits_per_second, "the Linux kernel's PCI class, current_link_speed" },
	{ drive_link_speed_max_bits_per_second, "the Linux kernel's PCI class, max_link_speed" },
	{ drive_link_width, "the Linux kernel's PCI class, current_link_width" },
	{ drive_link_width_max, "the Linux kernel's PCI class, max_link_width" },
};

const struct page nvme_pcie_link = {
	.name = "PCIe link", .transport = TRANSPORT_NVME, .command = { .name = COMMAND_PCIE_LINK }, .period_s = 600,
	.per_path = true, .decode = decode, .told = told, .n_told = ARRAY_SIZE(told),
};
