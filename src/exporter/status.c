#include "exporter/status.h"

#include "probe/notify.h"

enum { STATUS_EVERY_US = 3000000, TIMER_SLACK_US = 100000 };

/* ---- the line */

static const char *const kind_words[N_STATUS_KINDS] = {
	[STATUS_READ] = "read", [STATUS_ASLEEP] = "asleep", [STATUS_RESERVED] = "reserved", [STATUS_STUCK] = "stuck",
	[STATUS_UNREAD] = "not read", [STATUS_VIRTUAL] = "virtual", [STATUS_MISSING] = "missing",
};

static const char *const source_words[N_DEVICE_SOURCES] = { [SOURCE_HOST] = "prober", [SOURCE_REPLAY] = "replay" };

static void add_drives(const struct status_counts *c, struct text *out)
{
	const char *between = ": ";
	size_t n = 0;

	for (int kind = 0; kind < STATUS_MISSING; kind++)
		n += c->n[kind];
	if (n)
		text_addf(out, "%zu drive%s", n, n == 1 ? "" : "s");
	else
		text_add(out, c->is_discovered ? "no drives" : "looking for drives");
	for (int kind = 0; kind < N_STATUS_KINDS; kind++)
		if (c->n[kind]) {
			text_addf(out, "%s%zu %s", between, c->n[kind], kind_words[kind]);
			between = ", ";
		}
}

void status_text(const struct status_counts *c, struct text *out)
{
	const char *between = "; ";

	add_drives(c, out);
	for (int source = 0; source < N_DEVICE_SOURCES; source++)
		if (c->has_source[source]) {
			text_addf(out, "%s%s %s", between, source_words[source], c->is_up[source] ? "up" : "down");
			between = ", ";
		}
}

/* ---- the drives, counted */

static enum status_kind kind_of(const struct fleet *fleet, const struct drive *drive)
{
	const struct drive_poll *poll = poller_of(drive);

	if (drive->is_virtual || !drive_node(drive, 0))
		return STATUS_VIRTUAL;
	if (poll->is_stuck)
		return STATUS_STUCK;
	if (drive_poll_sleeps(poll))
		return STATUS_ASLEEP;
	if (drive_poll_is_reserved(poll))
		return STATUS_RESERVED;
	return drive_poll_is_up(poll, poller_now_us(fleet->poller), poller_interval_us(fleet->poller)) ? STATUS_READ : STATUS_UNREAD;
}

static void count(const struct fleet *fleet, struct status_counts *ret)
{
	*ret = (struct status_counts){ .is_discovered = fleet_is_discovered(fleet) };
	for (size_t i = 0; i < fleet->drives.n; i++) {
		const struct drive *drive = fleet->drives.at[i];

		if (!drive->is_excluded && poller_of(drive))
			ret->n[kind_of(fleet, drive)]++;
	}
	ret->n[STATUS_MISSING] = ledgers_count_missing(fleet->ledgers);
	for (int source = 0; source < N_DEVICE_SOURCES; source++) {
		ret->has_source[source] = fleet->clients[source];
		ret->is_up[source] = fleet->clients[source] && probe_client_is_up(fleet->clients[source]);
	}
}

/* ---- when */

static int again(sd_event_source *timer, uint64_t in_us)
{
	int r = sd_event_source_set_time_relative(timer, in_us);

	return r < 0 ? r : sd_event_source_set_enabled(timer, SD_EVENT_ONESHOT);
}

static int on_status(sd_event_source *timer, uint64_t usec, void *fleet)
{
	AUTO_TEXT line = TEXT_LIMIT(256);
	struct status_counts counts;

	count(fleet, &counts);
	status_text(&counts, &line);
	if (line.at)
		notify_status(line.at);
	return again(timer, STATUS_EVERY_US);
}

/* Of ordinary priority: a loop that no longer comes to answer scrapes must not pass for one that is alive. */
static int on_alive(sd_event_source *timer, uint64_t usec, void *fleet)
{
	notify_alive();
	return again(timer, notify_alive_ms() * 1000);
}

int status_start(sd_event *event, const struct fleet *fleet)
{
	int r;

	if (!notify_is_wanted())
		return 0;
	r = sd_event_add_time_relative(event, NULL, CLOCK_MONOTONIC, 0, TIMER_SLACK_US, on_status, (void *)fleet);
	if (r >= 0 && notify_alive_ms())
		r = sd_event_add_time_relative(event, NULL, CLOCK_MONOTONIC, 0, 1, on_alive, (void *)fleet);
	return r < 0 ? r : 0;
}
