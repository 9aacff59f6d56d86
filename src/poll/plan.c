/* What a drive is asked, and how often. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "poll/poller_private.h"

enum { DEFAULT_INTERVAL_S = 60 };

struct plan_entry *plan_find(struct drive_poll *poll, const struct page *page)
{
	for (size_t i = 0; i < poll->n_entries; i++)
		if (poll->entries[i].page == page)
			return &poll->entries[i];
	return NULL;
}

static struct plan_entry *find_command(struct drive_poll *poll, size_t order, const struct command *command)
{
	for (size_t i = 0; i < poll->n_entries; i++)
		if (poll->entries[i].order == order && command_is_equal(&poll->entries[i].page->command, command))
			return &poll->entries[i];
	return NULL;
}

static bool is_offered(const struct page *page, const struct drive_poll *poll)
{
	return !page->is_offered || page->is_offered(page, &poll->drive->facts);
}

static struct plan_entry *add_entry(struct drive_poll *poll, const struct page *page, size_t order, struct page *owned)
{
	size_t at = poll->n_entries;

	if (!ARRAY_GROW(poll->entries, poll->room_entries, poll->n_entries))
		return NULL;
	while (at > 0 && poll->entries[at - 1].order > order)
		at--;
	memmove(poll->entries + at + 1, poll->entries + at, (poll->n_entries - at) * sizeof *poll->entries);
	poll->entries[at] = (struct plan_entry){ .page = page, .owned = owned, .order = order };
	poll->n_entries++;
	return &poll->entries[at];
}

static int extend_by_one(struct drive_poll *poll, const struct page *page, size_t order)
{
	return find_command(poll, order, &page->command) || add_entry(poll, page, order, NULL) ? 0 : -ENOMEM;
}

/* The page with a command of its own: a copy, unless it is in the plan already. */
static int extend_by_command(struct drive_poll *poll, const struct page *page, size_t order, const struct command *command)
{
	struct page *copy;

	if (find_command(poll, order, command))
		return 0;
	copy = malloc(sizeof *copy);
	if (!copy)
		return -ENOMEM;
	*copy = *page;
	copy->command = *command;
	if (add_entry(poll, copy, order, copy))
		return 0;
	free(copy);
	return -ENOMEM;
}

/* As asked for a number of log pages at once, or by a UUID. */
static int extend_by_facts(struct drive_poll *poll, const struct page *page, size_t order)
{
	struct command command = page->command;

	if (page->count)
		command.key[KEY_COUNT] = page->count(page, &poll->drive->facts);
	else
		command.key[KEY_UUID] = page->uuid(page, &poll->drive->facts);
	return extend_by_command(poll, page, order, &command);
}

/* Each namespace, by the nsid in the command. */
static uint32_t *nsid_of(struct command *command)
{
	return &command->key[command->name == COMMAND_NVME_IDENTIFY ? (int)KEY_IDENTIFY_NSID : (int)KEY_NSID];
}

static int extend_by_namespaces(struct drive_poll *poll, const struct page *page, size_t order)
{
	struct command command = page->command;
	int r = 0;

	for (size_t i = 0; !r && i < poll->drive->n_devices; i++) {
		*nsid_of(&command) = poll->drive->devices[i].nsid;
		if (poll->drive->devices[i].nsid)
			r = extend_by_command(poll, page, order, &command);
	}
	return r;
}

/* Each endurance group that a namespace is in: no other is known to be there. */
static int extend_by_groups(struct drive_poll *poll, const struct page *page, size_t order)
{
	const struct drive_facts *facts = &poll->drive->facts;
	struct command command = page->command;
	int r = 0;

	for (size_t i = 0; !r && i < facts->n_namespaces; i++) {
		uint16_t group = facts->namespaces[i].endurance_group;

		command.key[KEY_LSI] = group;
		if (group && (group <= facts->nvme_last_group || !facts->nvme_last_group))
			r = extend_by_command(poll, page, order, &command);
	}
	return r;
}

/* The page as asked of one path: a copy that knows where the path is. */
struct path_page {
	struct page page;
	char place[sizeof ((struct device *)0)->path];
};

static struct plan_entry *find_path(struct drive_poll *poll, size_t order, const char *node)
{
	for (size_t i = 0; i < poll->n_entries; i++)
		if (poll->entries[i].order == order && !strcmp(poll->entries[i].node, node))
			return &poll->entries[i];
	return NULL;
}

/* The host's phys are those of SAS paths, and asked for only if wanted; a PCIe link has every NVMe controller. */
static bool has_page_of_path(const struct drive_poll *poll, const struct device *device)
{
	if (!device->is_askable)
		return false;
	return device->is_controller || (poll->has_host_phys && device->is_sas);
}

static int extend_by_path(struct drive_poll *poll, const struct page *page, size_t order, const struct device *device)
{
	struct path_page *copy;
	struct plan_entry *entry;

	if (!has_page_of_path(poll, device) || find_path(poll, order, device->name))
		return 0;
	copy = malloc(sizeof *copy);
	if (!copy)
		return -ENOMEM;
	copy->page = *page;
	copy->page.place = copy->place;
	text_copy(copy->place, sizeof copy->place, device->path[0] ? device->path : device->name);
	entry = add_entry(poll, &copy->page, order, &copy->page);
	if (!entry) {
		free(copy);
		return -ENOMEM;
	}
	text_copy(entry->node, sizeof entry->node, device->name);
	return 0;
}

static int extend_by_paths(struct drive_poll *poll, const struct page *page, size_t order)
{
	int r = 0;

	for (size_t i = 0; !r && i < poll->drive->n_devices; i++)
		r = extend_by_path(poll, page, order, &poll->drive->devices[i]);
	return r;
}

static int extend_by(struct drive_poll *poll, const struct page *page, size_t order)
{
	if (page->count || page->uuid)
		return extend_by_facts(poll, page, order);
	if (page->per_namespace)
		return extend_by_namespaces(poll, page, order);
	if (page->per_group)
		return extend_by_groups(poll, page, order);
	if (page->per_path)
		return extend_by_paths(poll, page, order);
	return extend_by_one(poll, page, order);
}

/* The first page of a transport comes alone: without its answer nothing else is asked. */
static bool has_answer_of_first(const struct drive_poll *poll)
{
	return poll->n_entries && poll->entries[0].answered_us;
}

int plan_extend(struct drive_poll *poll)
{
	bool goes_on = has_answer_of_first(poll), is_identified = poll->drive->is_identified;

	for (size_t i = 0; pages[i]; i++) {
		int r;

		if (pages[i]->transport != poll->drive->facts.transport || !is_offered(pages[i], poll))
			continue;
		if (pages[i]->is_identity || is_identified) {
			r = extend_by(poll, pages[i], i);
			if (r)
				return r;
		}
		if (!goes_on)
			break;
	}
	return 0;
}

static void entry_free(struct plan_entry *entry)
{
	sample_set_clear(&entry->samples);
	free(entry->owned);
}

static void drop_entry(struct drive_poll *poll, size_t i)
{
	readings_forget(poll, &poll->entries[i]);
	entry_free(&poll->entries[i]);
	memmove(poll->entries + i, poll->entries + i + 1, (poll->n_entries - i - 1) * sizeof *poll->entries);
	poll->n_entries--;
}

/* A namespace that was deleted: asking for it would be an error that the drive logs. Or a path that went away. */
static bool is_deleted(const struct drive_poll *poll, const struct plan_entry *entry)
{
	if (!entry->page->per_namespace && !entry->page->per_path)
		return false;
	for (size_t i = 0; i < poll->drive->n_devices; i++) {
		const struct device *device = &poll->drive->devices[i];

		if (entry->node[0] ? !strcmp(device->name, entry->node) : device->nsid == *nsid_of(&entry->owned->command))
			return false;
	}
	return true;
}

static void forget_namespace(struct drive_facts *facts, uint32_t nsid)
{
	for (size_t i = 0; i < facts->n_namespaces; i++)
		if (facts->namespaces[i].nsid == nsid)
			facts->namespaces[i--] = facts->namespaces[--facts->n_namespaces];
}

static bool may_be_due(const struct drive_poll *poll, const struct plan_entry *entry)
{
	const struct page *page = entry->page;

	return !entry->is_unsupported && entry->due_us != UINT64_MAX &&
	       (!page->is_wanted || page->is_wanted(page, &poll->drive->facts)) &&
	       (page->transport != TRANSPORT_NVME || is_offered(page, poll));	/* another controller may lack it */
}

struct plan_entry *plan_next(struct drive_poll *poll, uint64_t now_us)
{
	for (size_t i = 0; i < poll->n_entries;) {
		struct plan_entry *entry = &poll->entries[i];

		if (is_deleted(poll, entry)) {
			if (entry->page->per_namespace) {
				forget_namespace(&poll->drive->facts, *nsid_of(&entry->owned->command));
				answer_recompute(poll);
			}
			drop_entry(poll, i);
			continue;
		}
		if (entry->page->transport != poll->drive->facts.transport) {	/* what it told first was its bridge's word */
			drop_entry(poll, i);
			continue;
		}
		if (!entry->answered_us && !entry->is_unsupported && !is_offered(entry->page, poll)) {
			drop_entry(poll, i);
			continue;
		}
		if (may_be_due(poll, entry) && entry->due_us <= now_us)
			return entry;
		i++;
	}
	return NULL;
}

uint64_t plan_next_due(const struct drive_poll *poll)
{
	uint64_t due = UINT64_MAX;

	for (size_t i = 0; i < poll->n_entries; i++)
		if (may_be_due(poll, &poll->entries[i]) && poll->entries[i].due_us < due)
			due = poll->entries[i].due_us;
	return due;
}

/* Model and serial are there: a page that only adds to them must not keep the drive's health waiting. */
static bool has_name(const struct drive_facts *facts)
{
	return facts->model[0] && !label_is_placeholder(facts->serial);
}

/* Asked as far as it makes sense now. */
static bool is_asked_out(const struct drive_poll *poll, const struct plan_entry *entry)
{
	return entry->answered_us || entry->is_unsupported || entry->failures >= IDENTITY_TRIES ||
	       (entry->failures && has_name(&poll->drive->facts));
}

bool plan_is_identity_complete(const struct drive_poll *poll)
{
	if (!has_answer_of_first(poll))
		return false;
	for (size_t i = 0; i < poll->n_entries; i++) {
		const struct plan_entry *entry = &poll->entries[i];

		if (entry->page->is_identity && !is_asked_out(poll, entry) && is_offered(entry->page, poll))
			return false;
	}
	return true;
}

uint64_t plan_period(const struct plan_entry *entry, uint64_t interval_us)
{
	return interval_us * entry->page->period_s / DEFAULT_INTERVAL_S;
}

uint64_t plan_age_allowed(uint64_t age_us, unsigned failures)
{
	return failures < PERIODS_UNTIL_STALE ? age_us + clock_gain_us(ANSWER_WAIT_US) : age_us;
}

void plan_learn_anew(struct drive_poll *poll, bool with_identity)
{
	for (size_t i = 0; i < poll->n_entries; i++) {
		const struct page *page = poll->entries[i].page;

		if (page->learn && (page->is_identity ? with_identity : !page->period_s))
			poll->entries[i].due_us = 0;
	}
}

void plan_free(struct drive_poll *poll)
{
	for (size_t i = 0; i < poll->n_entries; i++)
		entry_free(&poll->entries[i]);
	free(poll->entries);
	poll->entries = NULL;
	poll->n_entries = poll->room_entries = 0;
}

/* ---- how it goes */

/* A page that tells what else there is was asked and has not answered: whether the drive has health pages is not known. */
static bool is_list_missing(const struct drive_poll *poll)
{
	for (size_t i = 0; i < poll->n_entries; i++) {
		const struct plan_entry *entry = &poll->entries[i];

		if (entry->page->learn && !entry->page->period_s && !entry->page->is_identity && entry->failures &&
		    !entry->answered_us)
			return true;
	}
	return false;
}

static bool has_health_page(const struct drive_poll *poll)
{
	for (size_t i = 0; i < poll->n_entries; i++)
		if (poll->entries[i].page->is_health && !poll->entries[i].is_unsupported)
			return true;
	return false;
}

/* Health pages; where a drive has none, the page that tells who it is. */
static bool counts_for_health(const struct drive_poll *poll, const struct plan_entry *entry)
{
	if (entry->is_unsupported)
		return false;
	return has_health_page(poll) ? entry->page->is_health : entry == &poll->entries[0];
}

/* Something was asked about its health, or is known not to be there. */
static bool is_health_known(const struct drive_poll *poll)
{
	return poll->drive->is_identified && has_answer_of_first(poll) && (has_health_page(poll) || !is_list_missing(poll));
}

/* A solid-state drive has no spindle that a timer could stop. */
bool drive_poll_sleeps(const struct drive_poll *poll)
{
	if (!poll->has_power)
		return false;
	return power_forbids_reading(poll->power) ||
	       (poll->skips_idle && poll->power == POWER_IDLE && poll->drive->facts.rpm != 0);
}

/* Some reservations let LOG SENSE through and READ DEFECT DATA not: such a drive is read. */
bool drive_poll_is_reserved(const struct drive_poll *poll)
{
	bool has_health = has_health_page(poll);

	for (size_t i = 0; i < poll->n_entries; i++)
		if (poll->entries[i].is_reserved && (poll->entries[i].page->is_health || !has_health))
			return true;
	return false;
}

bool drive_poll_is_up(const struct drive_poll *poll, uint64_t now_us, uint64_t interval_us)
{
	if (drive_poll_sleeps(poll) || drive_poll_is_reserved(poll))
		return true;
	if (!is_health_known(poll))
		return false;
	for (size_t i = 0; i < poll->n_entries; i++) {
		const struct plan_entry *entry = &poll->entries[i];
		uint64_t period = plan_period(entry, interval_us);

		if (!counts_for_health(poll, entry))
			continue;
		if (!entry->answered_us || (period && now_us - entry->answered_us >
					    plan_age_allowed(PERIODS_UNTIL_STALE * period, entry->failures)))
			return false;
	}
	return true;
}

int64_t drive_poll_oldest_health(const struct drive_poll *poll)
{
	int64_t oldest = INT64_MAX;

	if (!is_health_known(poll))
		return 0;
	for (size_t i = 0; i < poll->n_entries; i++) {
		const struct plan_entry *entry = &poll->entries[i];

		if (!counts_for_health(poll, entry))
			continue;
		if (!entry->answered_us)
			return 0;
		if (entry->answered_at_us < oldest)
			oldest = entry->answered_at_us;
	}
	return oldest == INT64_MAX ? 0 : oldest;
}

uint64_t drive_poll_health_period(const struct drive_poll *poll, uint64_t interval_us)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < poll->n_entries; i++) {
		uint64_t period = plan_period(&poll->entries[i], interval_us);

		if (counts_for_health(poll, &poll->entries[i]) && period > longest)
			longest = period;
	}
	return longest ? longest : interval_us;
}
