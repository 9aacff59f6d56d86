#include "exporter/fleet.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "discover/watch.h"
#include "exporter/past.h"
#include "poll/starter.h"

enum {
	HOPELESS_AFTER = 3,
	SETTLE_US = 60000000,		/* then a drive that has not told who it is will not */
	TEND_SOON_US = 1000000, TEND_US = 5000000,
};

static char *program_beside_us(const char *said, const char *name)
{
	char self[PATH_MAX], *path = NULL, *slash;
	ssize_t n;

	if (said)
		return strdup(said);
	n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n < 0)
		return strdup(name);
	self[n] = 0;
	slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
	return asprintf(&path, "%s/%s", self, name) < 0 ? NULL : path;
}

static void on_added(void *context, struct drive *drive)
{
	struct fleet *fleet = context;

	if (poller_add(fleet->poller, drive))
		log_error("%s: no memory to ask it", drive->label);
	log_debug("%s: found, %s", drive->label, drive->devices[0].name);
}

/* ---- from time to time */

static bool is_settled(const struct fleet *fleet)
{
	return fleet->is_settled || (fleet_is_discovered(fleet) && (poller_has_visited_all(fleet->poller) ||
								    clock_monotonic_us() - fleet->started_us > SETTLE_US));
}

/* The kernel's word for a path changes without an event. */
static void refresh_states(struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->drives.n; i++)
		for (size_t k = 0; k < fleet->drives.at[i]->n_devices; k++)
			discover_refresh_state(&fleet->drives.at[i]->devices[k]);
}

static int on_tend(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct fleet *fleet = userdata;

	refresh_states(fleet);
	fleet->is_settled = is_settled(fleet);
	ledgers_look(fleet->ledgers, fleet->is_settled);
	(void)sd_event_source_set_time_relative(source, fleet->is_settled ? TEND_US : TEND_SOON_US);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* When this turn of the loop is over: before the next scrape. */
static void tend_soon(struct fleet *fleet)
{
	(void)sd_event_source_set_time(fleet->tend, 0);
}

static int start_tending(struct fleet *fleet)
{
	int r = sd_event_add_time_relative(fleet->event, &fleet->tend, CLOCK_MONOTONIC, TEND_SOON_US, 10000, on_tend, fleet);

	return r < 0 ? r : sd_event_source_set_priority(fleet->tend, SD_EVENT_PRIORITY_NORMAL - 1);
}

/* ---- drives come and go */

static void on_removed(void *context, struct drive *drive)
{
	struct fleet *fleet = context;

	if (!drive->n_devices)
		log_info("%s: a path to a drive that is known already", drive->label);
	else if (!fleet->is_stopping)
		log_info("%s: gone", drive->label);
	wears_removed(fleet->wears, drive);
	ledgers_removed(fleet->ledgers, drive);
	poller_remove(fleet->poller, drive);
	if (!fleet->is_stopping)
		tend_soon(fleet);
}

static void on_visited(void *context, struct drive *drive)
{
	struct fleet *fleet = context;

	wears_visited(fleet->wears, drive);
	ledgers_visited(fleet->ledgers, drive);
}

/* The table takes the news of the list. Without memory it stays as it is. */
static void update(struct fleet *fleet, enum device_source source)
{
	const struct device_list *list = &fleet->devices[source];
	struct device_list kept = { 0 };

	for (size_t i = 0; i < list->n; i++) {
		struct device *copy = device_list_add(&kept);

		if (!copy) {
			device_list_free(&kept);
			return;
		}
		*copy = list->at[i];
	}
	if (!fleet->options->has_fabrics)
		nvme_leave_out(&kept);
	(void)drive_table_update(&fleet->drives, source, &kept);
	device_list_free(&kept);
}

static void scan_host(void *context)
{
	struct fleet *fleet = context;
	int r = discover_host(&fleet->devices[SOURCE_HOST]);

	if (r) {	/* the last list stays */
		if (!fleet->discovery_failures++)
			log_warn("cannot list this machine's drives: %s", strerror(-r));
		return;
	}
	update(fleet, SOURCE_HOST);
	fleet->is_discovered[SOURCE_HOST] = true;
}

/* ---- a replay tells its drives */

static void forget_devices(struct device_list *list, const char *key)
{
	char group[160];
	size_t n = 0;

	discover_inventory_group(key, group, sizeof group);
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->at[i].group, group))
			list->at[n++] = list->at[i];
	list->n = n;
}

static void on_inventory(void *context, const char *text)
{
	struct fleet *fleet = context;
	struct device_list *all = &fleet->devices[SOURCE_REPLAY], told = { 0 };
	char key[INVENTORY_KEY_MAX];

	if (discover_inventory(text, &told, key)) {
		log_warn("the replay tells of a drive in a form that is not understood");
		device_list_free(&told);
		return;
	}
	forget_devices(all, key);
	for (size_t i = 0; i < told.n; i++) {
		struct device *copy = device_list_add(all);

		if (copy)
			*copy = told.at[i];
	}
	device_list_free(&told);
	if (fleet->is_discovered[SOURCE_REPLAY])
		update(fleet, SOURCE_REPLAY);
}

static void on_inventory_end(void *context)
{
	struct fleet *fleet = context;

	update(fleet, SOURCE_REPLAY);
	fleet->is_discovered[SOURCE_REPLAY] = true;
}

/* ---- the programs that answer */

static void on_ready(void *context)
{
	struct fleet *fleet = context;

	rights_give_up(&fleet->rights);		/* what the prober needs it has by now */
	poller_client_ready(fleet->poller);
}

static void on_replay_ready(void *context)
{
	struct fleet *fleet = context;

	fleet->devices[SOURCE_REPLAY].n = 0;	/* it tells all of them again */
	fleet->is_discovered[SOURCE_REPLAY] = false;
	poller_client_ready(fleet->poller);
}

static void on_lost(void *context)
{
}

/* The prober is tried again for ever: a host without it still has its block statistics. Without its replay there is
 * nothing to serve, and it has said why. */
static void on_prober_failed(void *context)
{
}

static void on_replay_failed(void *context)
{
	struct fleet *fleet = context;

	if (!fleet->is_discovered[SOURCE_REPLAY])
		(void)sd_event_exit(fleet->event, ENOTCONN);
}

static void on_reply(void *context, void *tag, const struct wire_reply *reply)
{
	struct fleet *fleet = context;

	poller_take_reply(fleet->poller, tag, reply);
}

static const struct {
	const char *program;
	void (*ready)(void *), (*failed)(void *);
} sources[N_DEVICE_SOURCES] = {
	[SOURCE_HOST] = { "drive_prober", on_ready, on_prober_failed },
	[SOURCE_REPLAY] = { "drive_replay", on_replay_ready, on_replay_failed },
};

static int PRINTF_LIKE(3, 4) add_argument(struct fleet *fleet, enum device_source source, const char *format, ...)
{
	const char **to = fleet->arguments[source];
	va_list values;
	size_t n = 0;
	int r;

	while (to[n])
		n++;
	va_start(values, format);
	r = vasprintf(&fleet->made[source][n], format, values);
	va_end(values);
	if (r < 0) {
		fleet->made[source][n] = NULL;
		return -ENOMEM;
	}
	to[n] = fleet->made[source][n];
	return 0;
}

/* One that is started again goes on in the same replay: its clock is that of the first. */
static int add_clock(struct fleet *fleet)
{
	const struct options *o = fleet->options;
	int r = add_argument(fleet, SOURCE_REPLAY, "--speed=%.17g", o->replay_speed);

	if (!r)
		r = add_argument(fleet, SOURCE_REPLAY, "--start=%" PRIu64, o->replay_start_us);
	return r ? r : add_argument(fleet, SOURCE_REPLAY, "--ahead=%" PRIu64, o->replay_from_us);
}

static int make_arguments(struct fleet *fleet, enum device_source source)
{
	const struct options *o = fleet->options;
	const char **to = fleet->arguments[source];
	int r = add_argument(fleet, source, "--log.level=%s", log_level_name(o->log_level));

	if (r || source != SOURCE_REPLAY)
		return r;
	r = add_clock(fleet);
	if (!r && o->replay_hang_file)
		r = add_argument(fleet, source, "--hang-file=%s", o->replay_hang_file);
	while (*to)
		to++;
	for (size_t i = 0; o->replays[i]; i++)
		*to++ = o->replays[i];
	return r;
}

int fleet_program(struct fleet *fleet, enum device_source source, struct probe_client_options *ret)
{
	const struct options *o = fleet->options;
	bool is_replay = source == SOURCE_REPLAY;
	int r;

	*ret = (struct probe_client_options){ .arguments = fleet->arguments[source] };
	if (!is_replay && o->prober_socket) {
		ret->socket_path = o->prober_socket;
		return 0;
	}
	fleet->program[source] = program_beside_us(is_replay ? o->replay_path : o->prober_path, sources[source].program);
	ret->program = fleet->program[source];
	if (!ret->program || make_arguments(fleet, source))
		return -ENOMEM;
	if (access(ret->program, X_OK)) {
		r = -errno;
		log_error("cannot start %s: %s", ret->program, strerror(-r));
		return r;
	}
	return 0;
}

void fleet_free_programs(struct fleet *fleet)
{
	for (size_t i = 0; i < N_DEVICE_SOURCES; i++) {
		free(fleet->program[i]);
		for (size_t k = 0; k < FLEET_ARGUMENTS; k++)
			free(fleet->made[i][k]);
	}
}

static int start_client(struct fleet *fleet, enum device_source source)
{
	struct probe_client_events events = { fleet, sources[source].ready, sources[source].failed, on_lost, on_inventory,
					      on_inventory_end, on_reply };
	struct probe_client_options client;
	int r = fleet_program(fleet, source, &client);

	if (!r && client.program && fleet->rights.are_given_up)
		r = starter_new(&client, &fleet->starters[source]);
	client.starter = fleet->starters[source];
	if (!r)
		r = probe_client_new(fleet->event, &client, &events, &fleet->clients[source]);
	if (!r)
		poller_set_client(fleet->poller, source, fleet->clients[source]);
	return r;
}

static int start_host(struct fleet *fleet)
{
	int r = start_client(fleet, SOURCE_HOST);

	if (r < 0)
		return r;
	return host_watch_new(fleet->event, scan_host, fleet, &fleet->watch);
}

static bool serves_host(const struct options *options)
{
	return !options->replays[0] || options->replay_beside_host;
}

int fleet_start(struct fleet *fleet, sd_event *event, const struct options *options)
{
	struct poller_options poller = { .interval_us = options->poll_interval_us, .has_host_phys = options->has_host_phys,
					 .skips_idle = options->skips_idle, .visits_once = options->verb != VERB_SERVE,
					 .visited = on_visited, .context = fleet };
	bool has_replay = options->replays[0] != NULL;
	int r;

	*fleet = (struct fleet){ .event = event, .options = options, .started_us = clock_monotonic_us(),
				 .drives = { .events = { fleet, on_added, on_removed }, .filter = options->filter,
					     .has_fabrics = options->has_fabrics } };
	fleet->databases = databases_load(options);
	if (serves_host(options) && !options->prober_socket)
		rights_plan(&fleet->rights);
	past_start(fleet);
	fleet->wears = wears_new(&fleet->drives, fleet->history);
	fleet->ledgers = ledgers_new(&fleet->drives, fleet->history, options);
	if (!fleet->databases || !fleet->wears || !fleet->ledgers)
		return -ENOMEM;
	databases_tell_catalogue(fleet->databases, wears_use_catalogue, fleet->wears);
	r = poller_new(event, &fleet->drives, &poller, &fleet->poller);
	if (r >= 0)
		r = start_tending(fleet);
	if (r >= 0 && has_replay)
		r = start_client(fleet, SOURCE_REPLAY);
	if (r >= 0 && serves_host(options))
		r = start_host(fleet);
	return r < 0 ? r : 0;
}

void fleet_stop(struct fleet *fleet)
{
	fleet->is_stopping = true;
	drive_table_free(&fleet->drives);
	for (size_t i = 0; i < N_DEVICE_SOURCES; i++) {
		probe_client_free(fleet->clients[i]);
		starter_free(fleet->starters[i]);
		device_list_free(&fleet->devices[i]);
	}
	fleet_free_programs(fleet);
	host_watch_free(fleet->watch);
	sd_event_source_disable_unref(fleet->tend);
	poller_free(fleet->poller);
	ledgers_free(fleet->ledgers);
	past_stop(fleet);
	wears_free(fleet->wears);
	databases_free(fleet->databases);
}

bool fleet_is_discovered(const struct fleet *fleet)
{
	for (size_t i = 0; i < N_DEVICE_SOURCES; i++)
		if (fleet->clients[i] && !fleet->is_discovered[i])
			return false;
	return true;
}

bool fleet_is_settled(const struct fleet *fleet)
{
	for (size_t i = 0; i < N_DEVICE_SOURCES; i++)
		if (fleet->clients[i] && !probe_client_is_up(fleet->clients[i]))
			return false;
	return fleet_is_discovered(fleet) && poller_is_settled(fleet->poller);
}

bool fleet_is_hopeless(const struct fleet *fleet)
{
	for (size_t i = 0; i < N_DEVICE_SOURCES; i++)
		if (fleet->clients[i] && probe_client_failures(fleet->clients[i]) >= HOPELESS_AFTER)
			return true;
	return false;
}
