/* What /metrics tells of a drive that is there, beside what its pages told. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "exporter/lines.h"

bool drive_is_shown(const struct drive *drive)
{
	return !drive->is_excluded && poller_of(drive);
}

bool drive_has_health(const struct drive *drive)
{
	return drive_is_shown(drive) && !drive->is_virtual && drive_node(drive, 0);
}

bool drive_is_up_now(const struct moment *m, const struct drive *drive)
{
	return drive_poll_is_up(poller_of(drive), m->now_us, m->interval_us);
}

static void put(struct exposition *text, const struct drive *drive, const char *const *label, double value)
{
	exposition_sample(text, drive->label, label, value);
}

/* ---- who it is */

const char *drive_told_or_known(const struct drive *drive, const char *told, const char *known)
{
	return drive->is_identified || told[0] ? told : known;
}

/* Bytes of FFh alone: nobody wrote one. */
static const char *serial_of(const struct drive *drive)
{
	const char *serial = drive_told_or_known(drive, drive->facts.serial, drive->devices[0].serial);

	return serial[strspn(serial, "\xff")] ? serial : "";
}

static void write_info(const struct moment *m, struct drive *drive, enum metric_family_id family,
		       struct exposition *text)
{
	const struct drive_facts *f = &drive->facts;
	const struct device *d = &drive->devices[0];
	const char *const label[METRIC_LABELS + 1] = {
		drive->is_virtual ? "virtual" : "physical", f->vendor, drive_told_or_known(drive, f->model, d->model),
		serial_of(drive), f->firmware, drive_told_or_known(drive, f->wwn, d->wwn),
		drive_transport_name(drive), drive_type_name(drive), f->form_factor ? f->form_factor : "", f->family, NULL,
	};

	put(text, drive, label, 1);
}

static void write_slot(const struct moment *m, struct drive *drive, enum metric_family_id family,
		       struct exposition *text)
{
	const struct device_slot *slot = drive_slot(drive);

	put(text, drive, LABELS(slot_enclosure(slot), slot_name(slot), drive->devices[0].path), 1);
}

static void write_devices(const struct moment *m, struct drive *drive, enum metric_family_id family,
			  struct exposition *text)
{
	for (size_t i = 0; i < drive->n_devices; i++) {
		char nsid[16] = "";

		if (drive->devices[i].is_controller)
			continue;
		if (drive->devices[i].nsid)
			snprintf(nsid, sizeof nsid, "%u", drive->devices[i].nsid);
		put(text, drive, LABELS(drive->devices[i].name, nsid), 1);
	}
}

/* The kernel's words for a SCSI device and for an NVMe controller (scsi_sysfs.c, nvme host core). */
static const char *const scsi_states[] = { "running", "blocked", "offline", "transport-offline", "quiesce",
					   DEVICE_HOST_RECOVERY, NULL };
static const char *const nvme_states[] = { "live", "new", "resetting", "connecting", "deleting", "dead", NULL };

static void write_path_state(const struct moment *m, struct drive *drive, enum metric_family_id family,
			     struct exposition *text)
{
	for (size_t i = 0; i < drive->n_devices; i++) {
		const struct device *d = &drive->devices[i];
		const char *const *states = d->transport == TRANSPORT_NVME ? nvme_states : scsi_states;
		bool is_known = false;

		if (!d->is_askable || !d->state[0])
			continue;
		for (; *states; states++) {
			is_known |= !strcmp(d->state, *states);
			put(text, drive, LABELS(d->name, *states), !strcmp(d->state, *states));
		}
		if (!is_known)		/* a state of a kernel to come */
			put(text, drive, LABELS(d->name, d->state), 1);
	}
}

static void write_pcie_errors(const struct moment *m, struct drive *drive, enum metric_family_id family,
			      struct exposition *text)
{
	for (size_t i = 0; i < drive->n_devices; i++)
		for (size_t k = 0; drive->devices[i].has_pcie_errors && k < N_PCIE_SEVERITIES; k++)
			put(text, drive, LABELS(drive->devices[i].name, pcie_severity_names[k]),
			    (double)drive->devices[i].pcie_errors[k]);
}

static void write_sources(const struct moment *m, struct drive *drive, enum metric_family_id family,
			  struct exposition *text)
{
	for (size_t i = 0; i < TOLD_QUANTITIES; i++) {
		const struct told_quantity *told = &told_quantities[i];
		const struct page *page = readings_source(poller_of(drive), told->family);

		if (page)
			put(text, drive, LABELS(told->name, page_source(page, told->family)), 1);
	}
}

/* ---- how it goes */

static void write_present(const struct moment *m, struct drive *drive, enum metric_family_id family,
			  struct exposition *text)
{
	put(text, drive, NO_LABELS, 1);
}

static void write_up(const struct moment *m, struct drive *drive, enum metric_family_id family,
		     struct exposition *text)
{
	put(text, drive, NO_LABELS, drive_is_up_now(m, drive));
}

/* Only SCSI knows reservations that keep others from reading. */
static void write_reserved(const struct moment *m, struct drive *drive, enum metric_family_id family,
			   struct exposition *text)
{
	if (drive->facts.transport == TRANSPORT_SCSI)
		put(text, drive, NO_LABELS, drive_poll_is_reserved(poller_of(drive)));
}

static void write_power(const struct moment *m, struct drive *drive, enum metric_family_id family,
			struct exposition *text)
{
	const struct drive_poll *poll = poller_of(drive);

	for (int state = 0; poll->has_power && state < N_POWER_STATES; state++)
		put(text, drive, LABELS(power_state_name((enum power_state)state)), poll->power == (enum power_state)state);
}

static void write_poll_time(const struct moment *m, struct drive *drive, enum metric_family_id family,
			    struct exposition *text)
{
	int64_t oldest = drive_poll_oldest_health(poller_of(drive));

	if (oldest)
		put(text, drive, NO_LABELS, (double)(oldest / 1000) / 1000);
}

static void write_poll_interval(const struct moment *m, struct drive *drive, enum metric_family_id family,
				struct exposition *text)
{
	put(text, drive, NO_LABELS, (double)drive_poll_health_period(poller_of(drive), m->interval_us) / 1e6);
}

static void write_stuck(const struct moment *m, struct drive *drive, enum metric_family_id family,
			struct exposition *text)
{
	if (poller_of(drive)->is_stuck)
		put(text, drive, NO_LABELS, (double)(poller_of(drive)->stuck_at_us / 1000) / 1000);
}

static void write_failures(const struct moment *m, struct drive *drive, enum metric_family_id family,
			   struct exposition *text)
{
	for (int source = FAIL_NONE + 1; source < N_FAIL_SOURCES; source++)
		put(text, drive, LABELS(fail_source_name((enum fail_source)source)),
		    (double)poller_of(drive)->failures[source]);
}

static void write_counter(const struct moment *m, struct drive *drive, enum metric_family_id family,
			  struct exposition *text)
{
	const struct drive_poll *poll = poller_of(drive);

	put(text, drive, NO_LABELS, family == drive_commands_total ? (double)poll->commands :
	    family == drive_command_seconds_total ? (double)poll->command_us / 1e6 : (double)poll->command_errors);
}

static void write_implausible(const struct moment *m, struct drive *drive, enum metric_family_id family,
			      struct exposition *text)
{
	for (size_t i = 0; i < poller_of(drive)->n_implausible; i++)
		put(text, drive, LABELS(poller_of(drive)->implausible[i].quantity),
		    (double)poller_of(drive)->implausible[i].n);
}

static uint64_t changes_of(const struct drive_poll *poll, const char *quantity)
{
	for (size_t i = 0; i < poll->n_source_changes; i++)
		if (!strcmp(poll->source_changes[i].quantity, quantity))
			return poll->source_changes[i].n;
	return 0;
}

static void write_source_changes(const struct moment *m, struct drive *drive, enum metric_family_id family,
				 struct exposition *text)
{
	for (size_t i = 0; i < TOLD_QUANTITIES; i++)
		if (readings_source(poller_of(drive), told_quantities[i].family) ||
		    changes_of(poller_of(drive), told_quantities[i].name))
			put(text, drive, LABELS(told_quantities[i].name),
			    (double)changes_of(poller_of(drive), told_quantities[i].name));
}

/* More labels than a sample holds. */
static void write_rated(const struct moment *m, struct drive *drive, enum metric_family_id family,
			struct exposition *text)
{
	const struct rated *r = wears_rated(drive);

	if (r)
		put(text, drive, LABELS(r->source, r->grade, rated_basis_name(r->endurance_basis),
				     rated_basis_name(r->writes_basis), rated_basis_name(r->failure_basis)), 1);
}

/* ---- the block layer */

static void write_io(const struct moment *m, struct drive *drive, enum metric_family_id family,
		     struct exposition *text)
{
	const struct sample_set *set = io_samples(m->io, drive);

	for (size_t i = 0; i < set->n; i++)
		if (set->at[i].family == family)
			put(text, drive, set->at[i].label, set->at[i].value);
}

const struct drive_writer drive_writers[N_METRIC_FAMILIES] = {
	[drive_info] = { write_info, false },
	[drive_slot_info] = { write_slot, false },
	[drive_device_info] = { write_devices, false },
	[drive_path_state] = { write_path_state, true },
	[drive_pcie_errors_total] = { write_pcie_errors, true },
	[drive_source_info] = { write_sources, true },
	[drive_present] = { write_present, false },
	[drive_up] = { write_up, true },
	[drive_reserved] = { write_reserved, true },
	[drive_power_state] = { write_power, true },
	[drive_poll_timestamp_seconds] = { write_poll_time, true },
	[drive_poll_interval_seconds] = { write_poll_interval, true },
	[drive_command_started_timestamp_seconds] = { write_stuck, true },
	[drive_poll_failures_total] = { write_failures, true },
	[drive_command_seconds_total] = { write_counter, true },
	[drive_commands_total] = { write_counter, true },
	[drive_own_command_errors_total] = { write_counter, true },
	[drive_implausible_values_total] = { write_implausible, true },
	[drive_source_changes_total] = { write_source_changes, true },
	[drive_rated_info] = { write_rated, true },
	[drive_io_completed_total] = { write_io, false },
	[drive_io_bytes_total] = { write_io, false },
	[drive_io_seconds_total] = { write_io, false },
	[drive_io_merged_total] = { write_io, false },
	[drive_io_busy_seconds_total] = { write_io, false },
	[drive_io_weighted_seconds_total] = { write_io, false },
	[drive_io_in_flight] = { write_io, false },
};

/* ---- has it changed? */

static uint64_t hash_string(uint64_t hash, const char *string)
{
	return hash_bytes(hash, string, strlen(string));
}

/* What the drive said of itself stands at the beginning of its facts; whatever else of them matters has changed its readings,
 * too. Texts that are static are told by where they are. */
static uint64_t hash_identity(uint64_t hash, const struct drive *drive)
{
	const void *const words[] = { drive, drive_transport_name(drive), drive_type_name(drive) };
	const bool flags[] = { drive->is_identified, drive->is_virtual };

	hash = hash_string(hash, drive->label);
	hash = hash_bytes(hash, words, sizeof words);
	hash = hash_bytes(hash, flags, sizeof flags);
	hash = hash_bytes(hash, &drive->facts, offsetof(struct drive_facts, is_sas));
	return hash_bytes(hash, drive->devices, drive->n_devices * sizeof *drive->devices);
}

/* From another catalogue it may have the same place. */
static uint64_t hash_rated(uint64_t hash, const struct rated *r)
{
	const int bases[] = { r->endurance_basis, r->writes_basis, r->failure_basis };

	return hash_bytes(hash_string(hash_string(hash, r->source), r->grade), bases, sizeof bases);
}

static uint64_t hash_poll(uint64_t hash, const struct moment *m, const struct drive_poll *poll)
{
	const uint64_t numbers[] = {
		poll->served_number, drive_poll_is_up(poll, m->now_us, m->interval_us), drive_poll_is_reserved(poll),
		(uint64_t)drive_poll_oldest_health(poll), drive_poll_health_period(poll, m->interval_us),
		poll->has_power, poll->power, poll->is_stuck, (uint64_t)poll->stuck_at_us,
		poll->commands, poll->command_errors, poll->command_us,
	};
	const struct page *sources[TOLD_QUANTITIES];

	for (size_t i = 0; i < TOLD_QUANTITIES; i++)
		sources[i] = readings_source(poll, told_quantities[i].family);
	hash = hash_bytes(hash, numbers, sizeof numbers);
	hash = hash_bytes(hash, sources, sizeof sources);
	hash = hash_bytes(hash, poll->failures, sizeof poll->failures);
	hash = hash_bytes(hash, poll->implausible, poll->n_implausible * sizeof *poll->implausible);
	return hash_bytes(hash, poll->source_changes, poll->n_source_changes * sizeof *poll->source_changes);
}

uint64_t drive_lines_hash(const struct moment *m, struct drive *drive)
{
	const struct rated *rated = wears_rated(drive);
	uint64_t hash;
	size_t n;

	(void)readings_served(poller_of(drive), &n);	/* gives them their number */
	hash = hash_poll(hash_identity(1, drive), m, poller_of(drive));
	return rated ? hash_rated(hash, rated) : hash;
}
