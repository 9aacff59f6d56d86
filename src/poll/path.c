/* Which of several paths to a drive is asked. The ports of a SCSI drive lead to one and the same, so whoever has trouble with one
 * takes the next. NVMe controllers of one subsystem each have identify data, an error log and, for what the standard says,
 * counters of their own: one is asked as long as it is there. */
#include <string.h>

#include "base/log.h"
#include "poll/poller_private.h"

enum { PATIENCE = 3 };		/* visits in a row that did not get through to a controller, before another one is tried */

static bool is_nvme(const struct drive_poll *poll)
{
	return poll->drive->facts.transport == TRANSPORT_NVME;
}

/* The kernel has given it up. (One that is reset comes back, or is found dead.) */
static bool is_lost(const struct device *d)
{
	return !strcmp(d->state, "dead") || !strncmp(d->state, "deleting", strlen("deleting"));
}

static size_t count_controllers(const struct drive *drive)
{
	size_t n = 0;

	for (size_t i = 0; i < drive->n_devices; i++)
		n += drive->devices[i].is_controller && drive->devices[i].is_askable;
	return n;
}

/* What was learned of one controller does not hold for another: it says anew who it is and what it has, and its error log has
 * other entries. */
static void begin_anew(struct drive_poll *poll, const struct device *node)
{
	log_info("%s: asked by way of %s now, not %s", poll->drive->label, node->name, poll->controller);
	poll->drive->facts.has_nvme_errors = false;
	plan_learn_anew(poll, true);
}

void path_choose(struct drive_poll *poll)
{
	const struct device *node = drive_node(poll->drive, poll->turn);
	size_t n = count_controllers(poll->drive);

	if (!is_nvme(poll) || !node)
		return;
	if (poll->path_troubles >= PATIENCE || is_lost(node)) {
		poll->path_troubles = 0;
		for (size_t i = 1; i < n; i++)
			if (!is_lost(drive_node(poll->drive, poll->turn + i))) {
				poll->turn += i;
				node = drive_node(poll->drive, poll->turn);
				break;
			}
	}
	if (poll->controller[0] && strcmp(poll->controller, node->name))
		begin_anew(poll, node);
	text_copy(poll->controller, sizeof poll->controller, node->name);
}

void path_failed(struct drive_poll *poll)
{
	if (!is_nvme(poll))
		poll->turn++;
	else if (!poll->has_path_trouble)
		poll->path_troubles++;
	poll->has_path_trouble = true;
}

void path_answered(struct drive_poll *poll)
{
	if (!poll->has_path_trouble)
		poll->path_troubles = 0;
}
