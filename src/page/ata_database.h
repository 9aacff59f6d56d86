/* smartmontools' data base of drives as a source of meaning: what its names and formats say in our units. Room-private to
 * ata_meaning.c. */
#pragma once

#include "page/ata_meaning.h"

struct drivedb_attribute;

/* What the data base has of this model, by id; NULL: no entry of its own for the model, or no data base. Stays until the next
 * call. ret_family: the entry's, else "". */
const struct drivedb_attribute *ata_database_find(const char *model, const char *firmware, int32_t rpm,
						  char ret_family[ATA_FAMILY_MAX]);

/* Its name for the attribute, and its meaning where the name says one. False where the data base has no name for it, so that
 * other tables are asked. */
bool ata_database_sense(const struct drivedb_attribute *known, uint8_t id, uint16_t order, struct ata_sense *ret);
