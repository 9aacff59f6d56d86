/* once and list: each drive is read once, then shown. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "exporter/expose.h"
#include "exporter/verbs.h"

enum { LOOK_EVERY_US = 5000 };

void event_unrefp(sd_event **event)
{
	sd_event_unref(*event);
}

void event_block_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int event_new(sd_event **ret)
{
	CLEANUP(event_unrefp) sd_event *event = NULL;
	int r = sd_event_new(&event);

	if (r >= 0)
		r = sd_event_add_signal(event, NULL, SIGTERM, NULL, NULL);
	if (r >= 0)
		r = sd_event_add_signal(event, NULL, SIGINT, NULL, NULL);
	if (r < 0)
		return r;
	*ret = pointer_steal(&event);
	return 0;
}

static int look(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct fleet *fleet = userdata;

	if (fleet_is_settled(fleet))
		return sd_event_exit(fleet->event, 0);
	if (fleet_is_hopeless(fleet))
		return sd_event_exit(fleet->event, ENOTCONN);
	(void)sd_event_source_set_time_relative(source, LOOK_EVERY_US);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

int fleet_visit_once(sd_event *event, struct fleet *fleet, const struct options *options)
{
	int r = fleet_start(fleet, event, options);

	if (r)
		return r;
	r = sd_event_add_time_relative(event, NULL, CLOCK_MONOTONIC, LOOK_EVERY_US, 1000, look, fleet);
	if (r >= 0)
		r = sd_event_loop(event);
	if (r == ENOTCONN)
		log_error("the program that reads the drives cannot be reached");
	return r < 0 ? r : -r;
}

static bool is_read(const struct fleet *fleet, const struct drive_poll *poll)
{
	return drive_poll_is_up(poll, poller_now_us(fleet->poller), poller_interval_us(fleet->poller)) &&
	       !drive_poll_is_reserved(poll);
}

static bool is_every_drive_read(const struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->drives.n; i++) {
		const struct drive *drive = fleet->drives.at[i];

		if (!drive->is_excluded && !drive->is_virtual && drive_node(drive, 0) && !is_read(fleet, poller_of(drive)))
			return false;
	}
	return true;
}

static bool print_metrics(struct expose *expose)
{
	static const char *const all[] = { NULL };
	const struct http_wish wish = { .names = all, .collectors = all };
	AUTO_TEXT error = TEXT_LIMIT(1024);
	struct answer *answer;
	bool is_good = true;

	if (expose_metrics(expose, &wish, &answer, &error))
		return false;
	for (size_t i = 0; i < answer->n; i++)
		is_good &= fwrite(answer->parts[i].iov_base, 1, answer->parts[i].iov_len, stdout) == answer->parts[i].iov_len;
	answer_unref(answer);
	return is_good && !fflush(stdout);
}

int verb_once(const struct options *options)
{
	CLEANUP(event_unrefp) sd_event *event = NULL;
	CLEANUP(fleet_stop) struct fleet fleet = { 0 };
	CLEANUP(expose_free) struct expose expose = { 0 };

	if (event_new(&event) || expose_init(&expose, &fleet, !options->lacks_exporter_metrics) || fleet_visit_once(event, &fleet, options))
		return 1;
	return print_metrics(&expose) && is_every_drive_read(&fleet) ? 0 : 1;
}

/* ---- list */

enum { LIST_COLUMNS = 10, LIST_RIGHT_FIRST = 4, LIST_RIGHT_LAST = 8, LIST_CELL_MAX = 192 };

struct list_row {
	char cell[LIST_COLUMNS][LIST_CELL_MAX];
};

static void size_text(uint64_t bytes, char *out, size_t size)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	double value = (double)bytes;
	size_t unit = 0;

	while (value >= 999.5 && unit + 1 < ARRAY_SIZE(units)) {
		value /= 1000;
		unit++;
	}
	if (!bytes)
		snprintf(out, size, "-");
	else
		snprintf(out, size, value < 10 && unit ? "%.2f %s" : value < 100 && unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

/* Time powered on; the drive's own count, so a shelf life is no part of it. */
static void age_text(const struct sample *age, char *out, size_t size)
{
	double days = age ? age->value / 86400 : 0;

	if (!age)
		snprintf(out, size, "-");
	else
		snprintf(out, size, days >= 365 ? "%.1f y" : "%.0f d", days >= 365 ? days / 365 : days);
}

/* One word, the worst that is known. */
static const char *health_word(const struct fleet *fleet, const struct drive *drive)
{
	struct drive_poll *poll = poller_of(drive);
	const struct sample *failing, *wear;

	if (drive->is_virtual || !drive_node(drive, 0))
		return "virtual";
	failing = readings_find(poll, drive_warning, "smart_failing");
	if (failing && failing->value)
		return "FAILING";
	if (poll->is_stuck)
		return "stuck";
	if (drive_poll_sleeps(poll))
		return "asleep";
	if (drive_poll_is_reserved(poll))
		return "reserved";
	if (!is_read(fleet, poll))
		return poll->failures[FAIL_PERMISSION] ? "no permission" : "no answer";
	for (const char *const *bit = (const char *const[]){ "reliability", "read_only", "spare", "backup", NULL }; *bit; bit++) {
		const struct sample *warning = readings_find(poll, drive_nvme_critical_warning, *bit);

		if (warning && warning->value)
			return "WARNING";
	}
	wear = readings_find(poll, drive_endurance_used_ratio, NULL);
	if ((wear && wear->value >= 1) || readings_find(poll, drive_warning_info, "life_used_up"))
		return "worn out";
	if (readings_find(poll, drive_warning_info, NULL))
		return "WARNING";
	return failing || drive->facts.transport == TRANSPORT_NVME ? "ok" : "unknown";
}

static void fill_row(const struct fleet *fleet, const struct drive *drive, struct list_row *row)
{
	struct drive_poll *poll = poller_of(drive);
	const char *sensor = drive->facts.transport == TRANSPORT_NVME ? "composite" : "drive";
	const struct sample *temperature = readings_find(poll, drive_temperature_celsius, sensor);
	const struct sample *wear = readings_find(poll, drive_endurance_used_ratio, NULL);
	const struct sample *age = readings_find(poll, drive_power_on_seconds_total, NULL);
	const struct sample *written = readings_find(poll, drive_written_bytes_total, NULL);
	const struct device *block = drive_block_device(drive);

	text_printable(block ? block->name : drive->devices[0].name, row->cell[0], LIST_CELL_MAX);
	text_printable(drive->facts.model[0] ? drive->facts.model : "-", row->cell[1], LIST_CELL_MAX);
	text_printable(drive->facts.serial[0] ? drive->facts.serial : "-", row->cell[2], LIST_CELL_MAX);
	text_copy(row->cell[3], LIST_CELL_MAX, drive_transport_name(drive));
	size_text(drive_capacity_bytes_known(drive), row->cell[4], LIST_CELL_MAX);
	age_text(age, row->cell[5], LIST_CELL_MAX);
	size_text(written ? (uint64_t)written->value : 0, row->cell[6], LIST_CELL_MAX);
	snprintf(row->cell[7], LIST_CELL_MAX, temperature ? "%.0f C" : "-", temperature ? temperature->value : 0);
	snprintf(row->cell[8], LIST_CELL_MAX, wear ? "%.4g %%" : "-", wear ? wear->value * 100 : 0);
	text_copy(row->cell[9], LIST_CELL_MAX, health_word(fleet, drive));
}

/* Characters, not bytes. */
static int cell_width(const char *cell)
{
	int n = 0;

	for (; *cell; cell++)
		n += (*cell & 0xc0) != 0x80;
	return n;
}

static void print_rows(const struct list_row *rows, size_t n)
{
	int width[LIST_COLUMNS] = { 0 };

	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < LIST_COLUMNS; c++)
			if (cell_width(rows[i].cell[c]) > width[c])
				width[c] = cell_width(rows[i].cell[c]);
	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < LIST_COLUMNS; c++) {
			bool is_right = c >= LIST_RIGHT_FIRST && c <= LIST_RIGHT_LAST, is_last = c == LIST_COLUMNS - 1;
			int blanks = is_last ? 0 : width[c] - cell_width(rows[i].cell[c]);

			printf("%*s%s%*s%s", is_right ? blanks : 0, "", rows[i].cell[c], is_right ? 0 : blanks, "",
			       is_last ? "\n" : "  ");
		}
}

/* As people count: nvme2n1 before nvme10n1, sdz before sdaa. */
static int compare_rows(const void *a, const void *b)
{
	const char *left = ((const struct list_row *)a)->cell[0], *right = ((const struct list_row *)b)->cell[0];
	bool is_sd_left = !strncmp(left, "sd", 2), is_sd_right = !strncmp(right, "sd", 2);

	if (is_sd_left && is_sd_right && strlen(left) != strlen(right))
		return strlen(left) < strlen(right) ? -1 : 1;
	return strverscmp(left, right);
}

int verb_list(const struct options *options)
{
	static const struct list_row head = { { "DEVICE", "MODEL", "SERIAL", "TRANSPORT", "SIZE", "AGE", "WRITTEN",
						   "TEMP", "WEAR", "HEALTH" } };
	CLEANUP(event_unrefp) sd_event *event = NULL;
	AUTO_FREE struct list_row *rows = NULL;
	CLEANUP(fleet_stop) struct fleet fleet = { 0 };
	size_t n = 1;

	if (event_new(&event) || fleet_visit_once(event, &fleet, options))
		return 1;
	rows = calloc(fleet.drives.n + 1, sizeof *rows);
	if (!rows)
		return 1;
	rows[0] = head;
	for (size_t i = 0; i < fleet.drives.n; i++)
		if (!fleet.drives.at[i]->is_excluded)
			fill_row(&fleet, fleet.drives.at[i], &rows[n++]);
	qsort(rows + 1, n - 1, sizeof *rows, compare_rows);
	print_rows(rows, n);
	return !fflush(stdout) && !ferror(stdout) && is_every_drive_read(&fleet) ? 0 : 1;
}
