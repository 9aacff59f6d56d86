/* A table whose drives come and go. */
#pragma once

#include <string.h>

#include "discover/drive.h"
#include "unit.h"

struct counts {
	unsigned added, removed;
	char last_removed[DRIVE_LABEL_MAX];
};

static inline void on_added(void *context, struct drive *drive)
{
	((struct counts *)context)->added++;
}

static inline void on_removed(void *context, struct drive *drive)
{
	struct counts *counts = context;

	counts->removed++;
	text_copy(counts->last_removed, sizeof counts->last_removed, drive->label);
}

static inline struct drive_table table_with(struct counts *counts, const struct drive_filter *filter)
{
	*counts = (struct counts){ 0 };
	return (struct drive_table){ .events = { counts, on_added, on_removed }, .filter = filter };
}

static inline struct device *add(struct device_list *list, const char *name, const char *group)
{
	struct device *d = device_list_add(list);

	assert_non_null(d);
	d->is_askable = true;
	text_copy(d->name, sizeof d->name, name);
	text_copy(d->group, sizeof d->group, group);
	return d;
}

static inline struct drive *find(const struct drive_table *table, const char *device)
{
	for (size_t i = 0; i < table->n; i++)
		if (!strcmp(table->at[i]->devices[0].name, device))
			return table->at[i];
	fail_msg("no drive has %s", device);
	return NULL;
}

/* What a drive says of itself; false: it was a path to another. */
static inline bool tell(struct drive_table *table, struct drive *drive, const char *model, const char *serial,
			const char *wwn)
{
	text_copy(drive->facts.model, sizeof drive->facts.model, model);
	text_copy(drive->facts.serial, sizeof drive->facts.serial, serial);
	text_copy(drive->facts.wwn, sizeof drive->facts.wwn, wwn);
	return drive_identified(table, drive);
}
