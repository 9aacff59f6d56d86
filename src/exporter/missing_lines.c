/* Drives that are missing: who they are, where they sat, and their age. */
#include "exporter/lines.h"

void missing_write(const struct history_known *k, enum metric_family_id family, struct exposition *text)
{
	const char *drive = k->id.drive;

	if (family == drive_info)
		exposition_sample(text, drive, LABELS("physical", k->vendor, k->id.model, k->id.serial, k->firmware, k->id.wwn,
						      k->transport, k->type, k->form_factor, k->family), 1);
	else if (family == drive_slot_info)
		exposition_sample(text, drive, LABELS(k->enclosure, k->slot, k->path), 1);
	else if (family == drive_present)
		exposition_sample(text, drive, NO_LABELS, 0);
	else if (family == drive_missing_since_timestamp_seconds)
		exposition_sample(text, drive, NO_LABELS, (double)k->missing_s);
	else if (family == drive_power_on_seconds_total)
		exposition_sample(text, drive, NO_LABELS, k->power_on_s);	/* NaN: not known */
}
