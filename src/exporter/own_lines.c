/* What /metrics tells of the exporter itself, and of drives that left. */
#include "base/clock.h"
#include "base/log.h"
#include "exporter/lines.h"

static void put(struct exposition *text, const char *const *label, double value)
{
	exposition_sample(text, NULL, label, value);
}

static void write_removed(const struct moment *m, enum metric_family_id family, struct exposition *text)
{
	for (size_t i = 0; i < N_LEDGER_REASONS; i++)
		put(text, LABELS(ledger_reason_names[i]), (double)ledgers_all(m->fleet->ledgers)->removed[i]);
}

static void write_build(const struct moment *m, enum metric_family_id family, struct exposition *text)
{
	put(text, LABELS(PACKAGE_VERSION), 1);
}

static void write_time(const struct moment *m, enum metric_family_id family, struct exposition *text)
{
	put(text, NO_LABELS, (double)(clock_real_us() / 1000) / 1000);
}

static void write_counts(const struct moment *m, enum metric_family_id family, struct exposition *text)
{
	put(text, NO_LABELS, (double)(family == drive_exporter_drives_seen ? m->seen :
				      family == drive_exporter_drives_readable ? m->readable : m->replayed));
}

static void write_prober_up(const struct moment *m, enum metric_family_id family, struct exposition *text)
{
	bool is_up_all = true;

	for (size_t i = 0; i < N_DEVICE_SOURCES; i++)
		if (m->fleet->clients[i])
			is_up_all &= probe_client_is_up(m->fleet->clients[i]);
	put(text, NO_LABELS, is_up_all);
}

static void write_one(const struct moment *m, enum metric_family_id family, struct exposition *text)
{
	double value = family == drive_exporter_discovery_failures_total ? (double)m->fleet->discovery_failures :
		       family == drive_exporter_duplicate_series_total ? (double)m->duplicates :
		       (double)log_dropped();

	put(text, NO_LABELS, value);
}

static void write_dropped_replies(const struct moment *m, enum metric_family_id family, struct exposition *text)
{
	struct probe_client_drops sum = { 0 };

	for (size_t i = 0; i < N_DEVICE_SOURCES; i++)
		if (m->fleet->clients[i]) {
			struct probe_client_drops d = probe_client_dropped(m->fleet->clients[i]);

			sum.generation += d.generation;
			sum.unknown += d.unknown;
		}
	put(text, LABELS("generation"), (double)sum.generation);
	put(text, LABELS("unknown"), (double)sum.unknown);
	put(text, LABELS("other_disk"), (double)poller_other_disk_replies(m->fleet->poller));
}

static void write_collectors(const struct moment *m, enum metric_family_id family, struct exposition *text)
{
	put(text, LABELS("block"), m->io->is_read);
	put(text, LABELS("ata-attributes"), m->fleet->options->has_ata_attributes);
	put(text, LABELS("drivedb"), databases_are_up(m->fleet->databases));
	put(text, LABELS("host-phys"), m->fleet->options->has_host_phys);
	put(text, LABELS("history"), m->fleet->history && history_is_up(m->fleet->history));
}

static void write_catalogue(const struct moment *m, enum metric_family_id family, struct exposition *text)
{
	const struct catalogue *c = databases_catalogue(m->fleet->databases);

	put(text, NO_LABELS, c ? (double)catalogue_rows(c) : 0);
}

static void write_history(const struct moment *m, enum metric_family_id family, struct exposition *text)
{
	const struct history *h = m->fleet->history;

	if (h && family == drive_exporter_history_rows_committed_total)
		put(text, NO_LABELS, (double)history_rows_committed(h));
	else if (h && history_committed_s(h))
		put(text, NO_LABELS, (double)history_committed_s(h));
}

static void write_command_seconds(const struct moment *m, enum metric_family_id family, struct exposition *text)
{
	for (int transport = 0; transport < N_TRANSPORTS; transport++) {
		const struct command_times *t = poller_command_times(m->fleet->poller, (enum transport)transport);

		exposition_histogram(text, LABELS(transport_name((enum transport)transport)), command_bucket_bounds,
				     t->counts, COMMAND_BUCKETS, t->sum);
	}
}

static void write_process(const struct moment *m, enum metric_family_id family, struct exposition *text)
{
	const struct self_usage *u = &m->usage;

	put(text, NO_LABELS,
	    family == process_cpu_seconds_total ? u->cpu_seconds : family == process_open_fds ? u->open_fds :
	    family == process_max_fds ? u->max_fds : family == process_resident_memory_bytes ? u->resident_bytes :
	    family == process_virtual_memory_bytes ? u->virtual_bytes : u->start_seconds);
}

own_writer *const own_writers[N_METRIC_FAMILIES] = {
	[drive_removed_total] = write_removed,
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
