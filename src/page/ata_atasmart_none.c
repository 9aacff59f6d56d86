/* Without libatasmart: no names. */
#include "page/ata_atasmart.h"

#include <string.h>

bool ata_atasmart_names(const uint8_t identify[512], const uint8_t ids[ATA_ATTRIBUTES],
			const char *ret_names[ATA_ATTRIBUTES])
{
	memset(ret_names, 0, ATA_ATTRIBUTES * sizeof *ret_names);
	return false;
}
