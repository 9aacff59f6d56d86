#include "exporter/expose.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"

enum { BODY_MAX = 64 << 20 };

#define LABELS(...) (const char *const[]){ __VA_ARGS__, NULL }
#define NO_LABELS ((const char *const[]){ NULL })

typedef void family_writer(struct expose *, enum metric_family_id);

static bool is_shown(const struct drive *drive)
{
	return !drive->is_excluded && poller_of(drive);
}

/* Health is told of drives that can be asked, not of virtual ones. */
static bool has_health(const struct drive *drive)
{
	return is_shown(drive) && !drive->is_virtual && drive_node(drive, 0);
}

#define FOR_EACH_DRIVE(e, drive, condition) \
	for (size_t index_ = 0; index_ < (e)->fleet->drives.n; index_++) \
		for (struct drive *drive = (e)->fleet->drives.at[index_]; drive && condition(drive); drive = NULL)

static void put(struct expose *e, const struct drive *drive, const char *const *label, double value)
{
	exposition_sample(e->text, drive ? drive->label : NULL, label, value);
}

/* ---- drives that are missing: who they are, where they sat, and their age */

#define FOR_EACH_MISSING(e, known) \
	for (size_t index_ = 0; index_ < ledgers_all((e)->fleet->ledgers)->n; index_++) \
		for (const struct history_known *known = missing_at(e, index_); known; known = NULL)

/* NULL: it is not missing, or not to be served. */
static const struct history_known *missing_at(const struct expose *e, size_t i)
{
	const struct ledger_entry *entry = &ledgers_all(e->fleet->ledgers)->at[i];

	return ledgers_is_missing(e->fleet->ledgers, entry) ? &entry->known : NULL;
}

static void write_missing(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_MISSING(e, k) {
		const char *drive = k->id.drive;

		if (family == drive_info)
			exposition_sample(e->text, drive, LABELS("physical", k->vendor, k->id.model, k->id.serial, k->firmware, k->id.wwn,
								 k->transport, k->type, k->form_factor, k->family), 1);
		else if (family == drive_slot_info)
			exposition_sample(e->text, drive, LABELS(k->enclosure, k->slot, k->path), 1);
		else if (family == drive_present)
			exposition_sample(e->text, drive, NO_LABELS, 0);
		else if (family == drive_missing_since_timestamp_seconds)
			exposition_sample(e->text, drive, NO_LABELS, (double)k->missing_s);
		else if (family == drive_power_on_seconds_total && !isnan(k->power_on_s))
			exposition_sample(e->text, drive, NO_LABELS, k->power_on_s);
	}
}

static void write_removed(struct expose *e, enum metric_family_id family)
{
	for (size_t i = 0; i < N_LEDGER_REASONS; i++)
		put(e, NULL, LABELS(ledger_reason_names[i]), (double)ledgers_all(e->fleet->ledgers)->removed[i]);
}

/* ---- who it is */

/* What the drive told; before it has told anything, what the kernel knows. */
static const char *told_or_known(const struct drive *drive, const char *told, const char *known)
{
	return drive->is_identified || told[0] ? told : known;
}

/* Bytes of FFh alone: nobody wrote one. */
static const char *serial_of(const struct drive *drive)
{
	const char *serial = told_or_known(drive, drive->facts.serial, drive->devices[0].serial);

	return serial[strspn(serial, "\xff")] ? serial : "";
}

static void write_info(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_DRIVE(e, drive, is_shown) {
		const struct drive_facts *f = &drive->facts;
		const struct device *d = &drive->devices[0];
		const char *const label[METRIC_LABELS + 1] = {
			drive->is_virtual ? "virtual" : "physical", f->vendor, told_or_known(drive, f->model, d->model),
			serial_of(drive), f->firmware, told_or_known(drive, f->wwn, d->wwn),
			drive_transport_name(drive), drive_type_name(drive), f->form_factor ? f->form_factor : "", f->family, NULL,
		};

		put(e, drive, label, 1);
	}
}

static void write_slot(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_DRIVE(e, drive, is_shown) {
		const struct device_slot *slot = drive_slot(drive);

		put(e, drive, LABELS(slot_enclosure(slot), slot_name(slot), drive->devices[0].path), 1);
	}
}

static void write_devices(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_DRIVE(e, drive, is_shown)
		for (size_t i = 0; i < drive->n_devices; i++) {
			char nsid[16] = "";

			if (drive->devices[i].is_controller)
				continue;
			if (drive->devices[i].nsid)
				snprintf(nsid, sizeof nsid, "%u", drive->devices[i].nsid);
			put(e, drive, LABELS(drive->devices[i].name, nsid), 1);
		}
}

/* The kernel's words for a SCSI device and for an NVMe controller (scsi_sysfs.c, nvme host core). */
static const char *const scsi_states[] = { "running", "blocked", "offline", "transport-offline", "quiesce",
					   DEVICE_HOST_RECOVERY, NULL };
static const char *const nvme_states[] = { "live", "new", "resetting", "connecting", "deleting", "dead", NULL };

static void write_path_state(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_DRIVE(e, drive, has_health)
		for (size_t i = 0; i < drive->n_devices; i++) {
			const struct device *d = &drive->devices[i];
			const char *const *states = d->transport == TRANSPORT_NVME ? nvme_states : scsi_states;
			bool is_known = false;

			if (!d->is_askable || !d->state[0])
				continue;
			for (; *states; states++) {
				is_known |= !strcmp(d->state, *states);
				put(e, drive, LABELS(d->name, *states), !strcmp(d->state, *states));
			}
			if (!is_known)		/* a state of a kernel to come */
				put(e, drive, LABELS(d->name, d->state), 1);
		}
}

static void write_pcie_errors(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_DRIVE(e, drive, has_health)
		for (size_t i = 0; i < drive->n_devices; i++)
			for (size_t k = 0; drive->devices[i].has_pcie_errors && k < N_PCIE_SEVERITIES; k++)
				put(e, drive, LABELS(drive->devices[i].name, pcie_severity_names[k]),
				    (double)drive->devices[i].pcie_errors[k]);
}

static void write_sources(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_DRIVE(e, drive, has_health)
		for (size_t i = 0; i < TOLD_QUANTITIES; i++) {
			const struct told_quantity *told = &told_quantities[i];
			const struct page *page = readings_source(poller_of(drive), told->family);

			if (page)
				put(e, drive, LABELS(told->name, page_source(page, told->family)), 1);
		}
}

/* ---- how it goes */

static void write_present(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_DRIVE(e, drive, is_shown)
		put(e, drive, NO_LABELS, 1);
}

static bool is_up(struct expose *e, const struct drive *drive)
{
	return drive_poll_is_up(poller_of(drive), poller_now_us(e->fleet->poller), poller_interval_us(e->fleet->poller));
}

static void write_up(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_DRIVE(e, drive, has_health)
		put(e, drive, NO_LABELS, is_up(e, drive));
}

/* Only SCSI knows reservations that keep others from reading. */
static void write_reserved(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_DRIVE(e, drive, has_health)
		if (drive->facts.transport == TRANSPORT_SCSI)
			put(e, drive, NO_LABELS, drive_poll_is_reserved(poller_of(drive)));
}

static void write_power(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_DRIVE(e, drive, has_health) {
		const struct drive_poll *poll = poller_of(drive);

		for (int state = 0; poll->has_power && state < N_POWER_STATES; state++)
			put(e, drive, LABELS(power_state_name((enum power_state)state)), poll->power == (enum power_state)state);
	}
}

static void write_poll_time(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_DRIVE(e, drive, has_health) {
		int64_t oldest = drive_poll_oldest_health(poller_of(drive));

		if (oldest)
			put(e, drive, NO_LABELS, (double)(oldest / 1000) / 1000);
	}
}

static void write_poll_interval(struct expose *e, enum metric_family_id family)
{
	uint64_t interval = poller_interval_us(e->fleet->poller);

	FOR_EACH_DRIVE(e, drive, has_health)
		put(e, drive, NO_LABELS, (double)drive_poll_health_period(poller_of(drive), interval) / 1e6);
}

static void write_stuck(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_DRIVE(e, drive, has_health)
		if (poller_of(drive)->is_stuck)
			put(e, drive, NO_LABELS, (double)(poller_of(drive)->stuck_at_us / 1000) / 1000);
}

static void write_failures(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_DRIVE(e, drive, has_health)
		for (int source = FAIL_NONE + 1; source < N_FAIL_SOURCES; source++)
			put(e, drive, LABELS(fail_source_name((enum fail_source)source)),
			    (double)poller_of(drive)->failures[source]);
}

static void write_counter(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_DRIVE(e, drive, has_health) {
		const struct drive_poll *poll = poller_of(drive);

		put(e, drive, NO_LABELS, family == drive_commands_total ? (double)poll->commands :
		    family == drive_command_seconds_total ? (double)poll->command_us / 1e6 : (double)poll->command_errors);
	}
}

static void write_implausible(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_DRIVE(e, drive, has_health)
		for (size_t i = 0; i < poller_of(drive)->n_implausible; i++)
			put(e, drive, LABELS(poller_of(drive)->implausible[i].quantity),
			    (double)poller_of(drive)->implausible[i].n);
}

static uint64_t changes_of(const struct drive_poll *poll, const char *quantity)
{
	for (size_t i = 0; i < poll->n_source_changes; i++)
		if (!strcmp(poll->source_changes[i].quantity, quantity))
			return poll->source_changes[i].n;
	return 0;
}

static void write_source_changes(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_DRIVE(e, drive, has_health)
		for (size_t i = 0; i < TOLD_QUANTITIES; i++)
			if (readings_source(poller_of(drive), told_quantities[i].family) ||
			    changes_of(poller_of(drive), told_quantities[i].name))
				put(e, drive, LABELS(told_quantities[i].name),
				    (double)changes_of(poller_of(drive), told_quantities[i].name));
}

/* More labels than a sample holds. */
static void write_rated(struct expose *e, enum metric_family_id family)
{
	FOR_EACH_DRIVE(e, drive, has_health) {
		const struct rated *r = wears_rated(drive);

		if (r)
			put(e, drive, LABELS(r->source, r->grade, rated_basis_name(r->endurance_basis),
					     rated_basis_name(r->writes_basis), rated_basis_name(r->failure_basis)), 1);
	}
}

/* ---- the block layer, live at each scrape */

struct io_sink {
	struct sample_sink sink;
	struct expose *e;
	struct drive *drive;
};

static void io_put(struct sample_sink *sink, const struct sample *s)
{
	struct io_sink *to = (struct io_sink *)sink;
	struct expose *e = to->e;
	struct sample mine = *s;

	mine.is_dynamic = false;	/* the device's name outlives the scrape */
	if (!ARRAY_GROW(e->io.at, e->io.room, e->io.n) || !ARRAY_GROW(e->io_drive, e->room_io, e->io.n))
		return;
	e->io_drive[e->io.n] = to->drive;
	e->io.at[e->io.n++] = mine;
}

static void read_io(struct expose *e)
{
	e->io.n = 0;
	e->has_diskstats = e->fleet->options->has_block;
	if (!e->has_diskstats)
		return;
	if (e->fleet->clients[SOURCE_HOST])
		e->has_diskstats = !diskstats_read(&e->diskstats, "/proc/diskstats");
	FOR_EACH_DRIVE(e, drive, is_shown)
		for (size_t i = 0; i < drive->n_devices; i++) {
			struct io_sink to = { .sink = { .put = io_put }, .e = e, .drive = drive };
			const struct device *d = &drive->devices[i];
			struct diskstats s;

			if (drive->source == SOURCE_HOST && diskstats_of(&e->diskstats, d->name, d->diskseq, &s))
				diskstats_samples(d->name, s.field, s.n, &to.sink);
			else if (d->n_stat)
				diskstats_samples(d->name, d->stat, d->n_stat, &to.sink);
		}
}

static void write_io(struct expose *e, enum metric_family_id family)
{
	for (size_t i = 0; i < e->io.n; i++)
		if (e->io.at[i].family == family)
			put(e, e->io_drive[i], e->io.at[i].label, e->io.at[i].value);
}

/* ---- about the exporter */

static void write_build(struct expose *e, enum metric_family_id family)
{
	put(e, NULL, LABELS(PACKAGE_VERSION), 1);
}

static void write_time(struct expose *e, enum metric_family_id family)
{
	put(e, NULL, NO_LABELS, (double)(clock_real_us() / 1000) / 1000);
}

static void write_counts(struct expose *e, enum metric_family_id family)
{
	size_t seen = 0, readable = 0, replayed = 0;

	FOR_EACH_DRIVE(e, drive, is_shown) {
		seen += has_health(drive);
		replayed += drive->source == SOURCE_REPLAY;
		readable += has_health(drive) && is_up(e, drive);
	}
	put(e, NULL, NO_LABELS, (double)(family == drive_exporter_drives_seen ? seen :
					  family == drive_exporter_drives_readable ? readable : replayed));
}

static void write_prober_up(struct expose *e, enum metric_family_id family)
{
	bool is_up_all = true;

	for (size_t i = 0; i < N_DEVICE_SOURCES; i++)
		if (e->fleet->clients[i])
			is_up_all &= probe_client_is_up(e->fleet->clients[i]);
	put(e, NULL, NO_LABELS, is_up_all);
}

static void write_one(struct expose *e, enum metric_family_id family)
{
	double value = family == drive_exporter_discovery_failures_total ? (double)e->fleet->discovery_failures :
		       family == drive_exporter_duplicate_series_total ? (double)exposition_duplicates(e->text) :
		       (double)log_dropped();

	put(e, NULL, NO_LABELS, value);
}

static void write_dropped_replies(struct expose *e, enum metric_family_id family)
{
	struct probe_client_drops sum = { 0 };

	for (size_t i = 0; i < N_DEVICE_SOURCES; i++)
		if (e->fleet->clients[i]) {
			struct probe_client_drops d = probe_client_dropped(e->fleet->clients[i]);

			sum.generation += d.generation;
			sum.unknown += d.unknown;
		}
	put(e, NULL, LABELS("generation"), (double)sum.generation);
	put(e, NULL, LABELS("unknown"), (double)sum.unknown);
	put(e, NULL, LABELS("other_disk"), (double)poller_other_disk_replies(e->fleet->poller));
}

static void write_collectors(struct expose *e, enum metric_family_id family)
{
	put(e, NULL, LABELS("block"), e->has_diskstats);
	put(e, NULL, LABELS("ata-attributes"), e->fleet->options->has_ata_attributes);
	put(e, NULL, LABELS("drivedb"), databases_are_up(e->fleet->databases));
	put(e, NULL, LABELS("host-phys"), e->fleet->options->has_host_phys);
	put(e, NULL, LABELS("history"), e->fleet->history && history_is_up(e->fleet->history));
}

static void write_catalogue(struct expose *e, enum metric_family_id family)
{
	const struct catalogue *c = databases_catalogue(e->fleet->databases);

	put(e, NULL, NO_LABELS, c ? (double)catalogue_rows(c) : 0);
}

static void write_history(struct expose *e, enum metric_family_id family)
{
	const struct history *h = e->fleet->history;

	if (h && family == drive_exporter_history_rows_committed_total)
		put(e, NULL, NO_LABELS, (double)history_rows_committed(h));
	else if (h && history_committed_s(h))
		put(e, NULL, NO_LABELS, (double)history_committed_s(h));
}

static void write_command_seconds(struct expose *e, enum metric_family_id family)
{
	for (int transport = 0; transport < N_TRANSPORTS; transport++) {
		const struct command_times *t = poller_command_times(e->fleet->poller, (enum transport)transport);

		exposition_histogram(e->text, LABELS(transport_name((enum transport)transport)), command_bucket_bounds,
				     t->counts, COMMAND_BUCKETS, t->sum);
	}
}

static void write_process(struct expose *e, enum metric_family_id family)
{
	struct self_usage u;

	self_usage(&u);
	put(e, NULL, NO_LABELS,
	    family == process_cpu_seconds_total ? u.cpu_seconds : family == process_open_fds ? u.open_fds :
	    family == process_max_fds ? u.max_fds : family == process_resident_memory_bytes ? u.resident_bytes :
	    family == process_virtual_memory_bytes ? u.virtual_bytes : u.start_seconds);
}

/* Families that no page feeds; all others come from the drives' readings. */
static family_writer *const writers[N_METRIC_FAMILIES] = {
	[drive_info] = write_info,
	[drive_slot_info] = write_slot,
	[drive_device_info] = write_devices,
	[drive_path_state] = write_path_state,
	[drive_pcie_errors_total] = write_pcie_errors,
	[drive_source_info] = write_sources,
	[drive_present] = write_present,
	[drive_removed_total] = write_removed,
	[drive_up] = write_up,
	[drive_reserved] = write_reserved,
	[drive_power_state] = write_power,
	[drive_poll_timestamp_seconds] = write_poll_time,
	[drive_poll_interval_seconds] = write_poll_interval,
	[drive_command_started_timestamp_seconds] = write_stuck,
	[drive_poll_failures_total] = write_failures,
	[drive_command_seconds_total] = write_counter,
	[drive_commands_total] = write_counter,
	[drive_own_command_errors_total] = write_counter,
	[drive_implausible_values_total] = write_implausible,
	[drive_source_changes_total] = write_source_changes,
	[drive_rated_info] = write_rated,
	[drive_io_completed_total] = write_io,
	[drive_io_bytes_total] = write_io,
	[drive_io_seconds_total] = write_io,
	[drive_io_merged_total] = write_io,
	[drive_io_busy_seconds_total] = write_io,
	[drive_io_weighted_seconds_total] = write_io,
	[drive_io_in_flight] = write_io,
	[drive_exporter_build_info] = write_build,
	[drive_exporter_time_seconds] = write_time,
	[drive_exporter_replayed_drives] = write_counts,
	[drive_exporter_drives_seen] = write_counts,
	[drive_exporter_drives_readable] = write_counts,
	[drive_exporter_prober_up] = write_prober_up,
	[drive_exporter_discovery_failures_total] = write_one,
	[drive_exporter_duplicate_series_total] = write_one,
	[drive_exporter_log_lines_dropped_total] = write_one,
	[drive_exporter_replies_dropped_total] = write_dropped_replies,
	[drive_exporter_collector_up] = write_collectors,
	[drive_exporter_catalogue_rows] = write_catalogue,
	[drive_exporter_history_committed_timestamp_seconds] = write_history,
	[drive_exporter_history_rows_committed_total] = write_history,
	[drive_exporter_command_seconds] = write_command_seconds,
	[process_cpu_seconds_total] = write_process,
	[process_open_fds] = write_process,
	[process_max_fds] = write_process,
	[process_resident_memory_bytes] = write_process,
	[process_virtual_memory_bytes] = write_process,
	[process_start_time_seconds] = write_process,
};

static bool is_attribute_table(enum metric_family_id family)
{
	return family >= drive_ata_attribute_value && family <= drive_ata_attribute_info;
}

/* Each drive's readings are sorted by family, so a cursor per drive walks them once in all. */
static void write_readings(struct expose *e, enum metric_family_id family)
{
	bool is_left_out = is_attribute_table(family) && !e->fleet->options->has_ata_attributes;

	for (size_t i = 0; i < e->fleet->drives.n; i++) {
		const struct drive *drive = e->fleet->drives.at[i];
		const struct sample **served;
		size_t n, at = e->cursor[i];

		if (!is_shown(drive))
			continue;
		served = readings_served(poller_of(drive), &n);
		for (; at < n && served[at]->family <= family; at++)
			if (served[at]->family == family && !is_left_out)
				put(e, drive, (const char *const[]){ served[at]->label[0], served[at]->label[1],
								     served[at]->label[2], NULL }, served[at]->value);
		e->cursor[i] = at;
	}
}

static bool start_cursors(struct expose *e)
{
	size_t n = e->fleet->drives.n;

	if (n > e->room_cursor) {
		size_t *cursor = realloc(e->cursor, n * sizeof *cursor);

		if (!cursor)
			return false;
		e->cursor = cursor;
		e->room_cursor = n;
	}
	if (n)
		memset(e->cursor, 0, n * sizeof *e->cursor);
	return true;
}

void expose_metrics(struct expose *e, struct text *out)
{
	uint64_t now = poller_now_us(e->fleet->poller), interval = poller_interval_us(e->fleet->poller);
	struct text *body;

	exposition_reset(e->text);
	if (!start_cursors(e))
		return;
	FOR_EACH_DRIVE(e, drive, is_shown)
		readings_age(poller_of(drive), now, interval);
	read_io(e);
	for (enum metric_family_id family = 0; family < N_METRIC_FAMILIES; family++) {
		exposition_begin(e->text, family);
		if (writers[family])
			writers[family](e, family);
		else
			write_readings(e, family);
		write_missing(e, family);
	}
	body = exposition_text(e->text);
	if (body->truncated)
		log_error("the metrics do not fit into %d MiB; they end early", BODY_MAX >> 20);
	if (body->length)
		text_add_bytes(out, body->at, body->length);
}

int expose_init(struct expose *e, struct fleet *fleet)
{
	self_open();
	*e = (struct expose){ .fleet = fleet, .text = exposition_new(BODY_MAX) };
	return e->text ? 0 : -ENOMEM;
}

void expose_free(struct expose *e)
{
	exposition_free(e->text);
	diskstats_free(&e->diskstats);
	free(e->io.at);
	free(e->io_drive);
	free(e->cursor);
}
