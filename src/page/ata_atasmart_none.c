/* Without libatasmart: the names of the attributes that mean the same on every drive, and nothing by model. Attribute 9
 * is not among them, since models count hours, minutes or seconds in it. */
#include "page/ata_atasmart.h"

static const char *const common_names[256] = {
	[5] = "reallocated-sector-count",
	[12] = "power-cycle-count",
	[190] = "airflow-temperature-celsius",
	[194] = "temperature-celsius-2",
	[197] = "current-pending-sector",
};

void ata_atasmart_names(const uint8_t identify[512], const uint8_t ids[ATA_ATTRIBUTES],
			const char *ret_names[ATA_ATTRIBUTES])
{
	for (unsigned i = 0; i < ATA_ATTRIBUTES; i++)
		ret_names[i] = common_names[ids[i]];
}
