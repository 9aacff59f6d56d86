/* What libatasmart knows of attributes: their names, by model and firmware. It is fed with bytes and never sees a
 * device; its numbers are not used, since it turns impossible counts into 0. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "page/ata_meaning.h"

/* The name of each of these attributes on the drive of this IDENTIFY data, static: "power-on-hours", or on other models
 * "power-on-minutes". NULL where it has none, and for id 0. Takes a millisecond an attribute: ask once a drive. False: the library is not built in. */
bool ata_atasmart_names(const uint8_t identify[512], const uint8_t ids[ATA_ATTRIBUTES],
			const char *ret_names[ATA_ATTRIBUTES]);
