/* history_writer DIRECTORY DRIVES [FIRST_DAY [DAYS]]: puts day after day of some drives, each only when the one before it is
 * acknowledged, and prints a line for each day that is; for history.py and power_cut.py. "-" is a data base in memory.
 *
 *	acked DAY		every drive's row of that day, whose written is 1000 * DAY + the drive's number, is on the disk
 *	up N / down N		the data base works or does not; N rows wait
 *	anew			it was begun anew: all rows of the last 50 days are put again
 *	loaded DRIVE N DAY	its rows, and the last one's day
 *	tick N			twice a second: the loop is not held up
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "history/history.h"

enum { DAY_S = 86400, AGAIN_DAYS = 50, TICK_US = 500000, LOOK_US = 1000 };

static struct {
	sd_event *event;
	struct history *history;
	int n_drives, day, first_day, last_day, n_ticks;
	bool was_up;
} w;

static void put_day(int day, bool now)
{
	for (int i = 0; i < w.n_drives; i++) {
		struct history_drive drive = { .model = "MODEL" };
		struct history_row row = { .series = 1, .day = day, .first_s = (int64_t)day * DAY_S, .last_s = (int64_t)day * DAY_S + 1,
					   .wear = NAN, .wear_since_written = NAN, .nand_written = NAN, .power_on_s = day * 3600.,
					   .written = 1000. * day + i, .firmware = "F1" };

		snprintf(drive.drive, sizeof drive.drive, "MODEL_%d", i);
		snprintf(drive.serial, sizeof drive.serial, "S%d", i);
		history_put(w.history, &drive, &row, now);
		history_put_reading(w.history, &drive, &(struct history_reading){ row.last_s, NAN, row.written, NAN, NAN });
	}
}

static void say(const char *what, long number)
{
	printf("%s %ld\n", what, number);
	fflush(stdout);
}

static void committed(void *context, size_t n)
{
	if (history_rows_waiting(w.history))
		return;
	if (w.day >= w.first_day)
		say("acked", w.day);
	if (w.day == w.last_day) {
		(void)sd_event_exit(w.event, 0);
		return;
	}
	put_day(++w.day, true);
}

static void begun_anew(void *context)
{
	say("anew", w.day);
	for (int day = w.day - AGAIN_DAYS; day < w.day; day++)
		if (day >= w.first_day)
			put_day(day, false);
}

static void loaded(void *context, const char *drive, const struct history_row *rows, size_t n)
{
	printf("loaded %s %zu %d\n", drive, n, n ? rows[n - 1].day : -1);
	fflush(stdout);
	if (w.day < w.first_day) {
		w.day = w.first_day;
		put_day(w.day, true);
	}
}

static int tick(sd_event_source *source, uint64_t usec, void *userdata)
{
	say("tick", ++w.n_ticks);
	(void)sd_event_source_set_time_relative(source, TICK_US);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static int look(sd_event_source *source, uint64_t usec, void *userdata)
{
	bool is_up = history_is_up(w.history);

	if (is_up != w.was_up)
		say(is_up ? "up" : "down", (long)history_rows_waiting(w.history));
	w.was_up = is_up;
	(void)sd_event_source_set_time_relative(source, LOOK_US);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

int main(int argc, char **argv)
{
	struct history_events events = { .loaded = loaded, .begun_anew = begun_anew, .committed = committed };
	struct history_options options = { .events = &events, .restart_ms = 20, .retry_ms = 200 };
	struct history_drive first = { "MODEL_0", "MODEL", "S0", "" };
	sigset_t signals;
	int r;

	history_child_main(argc, argv);
	if (argc < 3)
		return 2;
	options.directory = strcmp(argv[1], "-") ? argv[1] : NULL;
	w.n_drives = atoi(argv[2]);
	w.first_day = argc > 3 ? atoi(argv[3]) : 1;
	w.last_day = argc > 4 ? w.first_day + atoi(argv[4]) - 1 : INT32_MAX;
	log_open("history_writer");
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	r = sd_event_new(&w.event);
	if (r >= 0)
		r = sd_event_add_signal(w.event, NULL, SIGTERM, NULL, NULL);
	if (r >= 0)
		r = sd_event_add_time_relative(w.event, NULL, CLOCK_MONOTONIC, TICK_US, 1000, tick, NULL);
	if (r >= 0)
		r = sd_event_add_time_relative(w.event, NULL, CLOCK_MONOTONIC, LOOK_US, 100, look, NULL);
	if (r >= 0)
		r = history_start(w.event, &options, &w.history);
	if (r < 0)
		return 1;
	history_load(w.history, &first);
	r = sd_event_loop(w.event);
	history_stop(w.history);
	sd_event_unref(w.event);
	return r < 0;
}
