/* NVMe controllers: which of them are drives of this host, and what the kernel counts of their PCIe ports. */
#include <string.h>

#include "discover/device.h"

const char *const pcie_severity_names[N_PCIE_SEVERITIES] = { "correctable", "nonfatal", "fatal" };

/* drivers/pci/pcie/aer.c; read from memory. */
const char *const nvme_pcie_error_attributes[N_PCIE_SEVERITIES] = {
	[PCIE_CORRECTABLE] = "device/aer_dev_correctable", [PCIE_NONFATAL] = "device/aer_dev_nonfatal",
	[PCIE_FATAL] = "device/aer_dev_fatal",
};

/* A drive behind a fabric is served by the host it is in. NVM Express base names the discovery subsystem. */
bool nvme_is_aside(const char *transport, const char *type, const char *subsystem)
{
	static const char discovery[] = "nqn.2014-08.org.nvmexpress.discovery";
	bool is_local = !transport[0] || !strcmp(transport, "pcie") || !strcmp(transport, "apple-nvme");

	return !is_local || !strcmp(type, "discovery") || !strcmp(type, "admin") || !strcmp(subsystem, discovery);
}

static bool has_controller(const struct device_list *list, const char *group, bool is_aside)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i].is_controller && list->at[i].is_aside == is_aside && !strcmp(list->at[i].group, group))
			return true;
	return false;
}

static bool is_left_out(const struct device_list *list, const struct device *d)
{
	if (d->is_controller || d->transport != TRANSPORT_NVME)
		return d->is_aside;
	return has_controller(list, d->group, true) && !has_controller(list, d->group, false);
}

void nvme_leave_out(struct device_list *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		list->at[i].is_aside = is_left_out(list, &list->at[i]);
	for (size_t i = 0; i < list->n; i++)
		if (!list->at[i].is_aside)
			list->at[n++] = list->at[i];
	list->n = n;
}

bool nvme_pcie_errors_from_text(const char *text, uint64_t *ret)
{
	static const char total[] = "TOTAL_ERR";	/* TOTAL_ERR_COR, _NONFATAL, _FATAL */
	const char *at = strstr(text, total);
	char number[24];
	size_t n;

	if (!at)
		return false;
	at += strcspn(at, " \n");
	at += strspn(at, " ");
	n = strspn(at, "0123456789");
	if (!n || n >= sizeof number)
		return false;
	memcpy(number, at, n);
	number[n] = 0;
	return text_to_u64(number, UINT64_MAX, ret);
}
