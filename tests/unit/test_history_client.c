/* history/client.c and child.c on a real loop, with a true child: this program, started again. */
#include "history/history.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <time.h>

#include "base/log.h"
#include "history_world.h"

enum { PATIENCE_US = 20000000, TURN_US = 5000 };

struct world {
	sd_event *event;
	struct history *history;
	char *folder;
	struct history_events events;
	unsigned silent_ms;
	size_t n_loaded, n_rows, n_committed, n_anew;
	char loaded[HISTORY_DRIVE_MAX];
	struct history_row last;	/* of the rows that were loaded last */
	size_t n_known_loaded, n_known;
	struct history_known known[300];
};

static void loaded(void *context, const char *drive, const struct history_row *rows, size_t n)
{
	struct world *w = context;

	w->n_loaded++;
	w->n_rows = n;
	text_copy(w->loaded, sizeof w->loaded, drive);
	if (n)
		w->last = rows[n - 1];
}

static void known(void *context, const struct history_known *known, size_t n)
{
	struct world *w = context;

	w->n_known_loaded++;
	w->n_known = n;
	for (size_t i = 0; i < n && i < ARRAY_SIZE(w->known); i++)
		w->known[i] = known[i];
}

static void begun_anew(void *context)
{
	((struct world *)context)->n_anew++;
}

static void committed(void *context, size_t n)
{
	((struct world *)context)->n_committed += n;
}

static void start_in(struct world *w, const char *directory)
{
	struct history_options options = { .directory = directory, .events = &w->events, .restart_ms = 10, .retry_ms = 50,
					   .silent_ms = w->silent_ms };

	assert_int_equal(history_start(w->event, &options, &w->history), 0);
}

static struct world *world_new(void)
{
	struct world *w = calloc(1, sizeof *w);

	w->events = (struct history_events){ w, loaded, known, begun_anew, committed };
	w->folder = folder_new();
	assert_true(sd_event_new(&w->event) >= 0);
	return w;
}

static void stop(struct world *w)
{
	history_stop(w->history);
	w->history = NULL;
}

static void world_free(struct world *w)
{
	stop(w);
	sd_event_unref(w->event);
	folder_free(w->folder);
	free(w);
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

#define RUN_UNTIL(w, condition) \
	do { \
		uint64_t end_us = now_us() + PATIENCE_US; \
		while (!(condition)) { \
			assert_true(sd_event_run((w)->event, TURN_US) >= 0); \
			if (now_us() > end_us) \
				fail_msg("line %d: never: %s", __LINE__, #condition); \
		} \
	} while (0)

static void run_for(struct world *w, uint64_t us)
{
	for (uint64_t end_us = now_us() + us; now_us() < end_us;)
		assert_true(sd_event_run(w->event, TURN_US) >= 0);
}

static void put(struct world *w, const char *label, int32_t day, bool now)
{
	struct history_drive drive = drive_named(label);
	struct history_row row = row_of(day, 1);

	history_put(w->history, &drive, &row, now);
}

static void load(struct world *w, const char *label)
{
	struct history_drive drive = drive_named(label);
	size_t before = w->n_loaded;

	history_load(w->history, &drive);
	RUN_UNTIL(w, w->n_loaded > before);
	assert_string_equal(w->loaded, label);
}

/* The newest child of ours. */
static pid_t child(void)
{
	DIR *dir = opendir("/proc");
	pid_t found = 0;

	for (struct dirent *entry; (entry = readdir(dir));) {
		char path[300], state;
		int pid, parent;
		FILE *f;

		snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
		f = atoi(entry->d_name) > 0 ? fopen(path, "re") : NULL;
		if (f && fscanf(f, "%d (%*[^)]) %c %d", &pid, &state, &parent) == 3 && parent == getpid() && state != 'Z')
			found = pid;
		if (f)
			fclose(f);
	}
	closedir(dir);
	return found;
}

static void what_is_put_is_loaded_after_a_restart(void **state)
{
	struct world *w = world_new();
	struct history_row want = row_of(20001, 1);

	start_in(w, w->folder);
	assert_false(history_is_up(w->history));
	assert_int_equal(history_committed_s(w->history), 0);
	put(w, "A", 20000, false);
	put(w, "A", 20001, true);
	put(w, "B", 20000, false);
	RUN_UNTIL(w, w->n_committed == 3);
	assert_true(history_is_up(w->history));
	assert_int_equal(history_rows_committed(w->history), 3);
	assert_int_equal(history_rows_waiting(w->history), 0);
	assert_int_equal(history_committed_s(w->history), want.last_s);
	stop(w);
	start_in(w, w->folder);
	load(w, "A");
	assert_int_equal(w->n_rows, 2);
	assert_true(same_row(&w->last, &want));
	assert_int_equal(history_committed_s(w->history), want.last_s);
	assert_int_equal(w->n_anew, 0);
	world_free(w);
}

static struct history_known known_as(const char *label, int64_t seen_s)
{
	return (struct history_known){ .id = drive_named(label), .vendor = "VENDOR", .firmware = "F1", .transport = "sas", .type = "ssd",
				       .enclosure = "0x5000", .slot = "7", .path = "0:0:1:0", .capacity_bytes = 8e11,
				       .power_on_s = NAN, .first_s = 1800000000, .seen_s = seen_s };
}

static void load_known(struct world *w)
{
	size_t before = w->n_known_loaded;

	history_load_known(w->history);
	RUN_UNTIL(w, w->n_known_loaded > before);
}

static void drives_that_are_known_are_loaded_after_a_restart(void **state)
{
	struct world *w = world_new();
	struct history_known a = known_as("A", 1800000100);

	start_in(w, w->folder);
	load_known(w);
	assert_int_equal(w->n_known, 0);
	history_put_known(w->history, &a, true);
	put(w, "B", 20000, true);		/* an imported one has days, and was never here */
	RUN_UNTIL(w, w->n_committed == 1);
	a.missing_s = 1800000200;
	history_put_known(w->history, &a, false);
	stop(w);
	start_in(w, w->folder);
	load_known(w);
	assert_int_equal(w->n_known, 1);
	assert_string_equal(w->known[0].id.drive, "A");
	assert_string_equal(w->known[0].id.serial, "SERIAL");
	assert_string_equal(w->known[0].slot, "7");
	assert_string_equal(w->known[0].path, "0:0:1:0");
	assert_true(w->known[0].capacity_bytes == 8e11 && isnan(w->known[0].power_on_s));
	assert_int_equal(w->known[0].seen_s, 1800000100);
	assert_int_equal(w->known[0].missing_s, 1800000200);
	history_forget_known(w->history, &a.id);
	stop(w);
	start_in(w, w->folder);
	load_known(w);
	assert_int_equal(w->n_known, 0);
	world_free(w);
}

/* More than one message holds, and changed while they were under way. */
static void many_drives_are_known(void **state)
{
	struct world *w = world_new();
	char label[16];

	start_in(w, w->folder);
	for (int64_t second = 1; second <= 3; second++) {
		for (size_t i = 0; i < ARRAY_SIZE(w->known); i++) {
			struct history_known k;

			snprintf(label, sizeof label, "D%zu", i);
			k = known_as(label, 1800000000 + second);
			history_put_known(w->history, &k, true);
		}
		assert_true(sd_event_run(w->event, 0) >= 0);
	}
	stop(w);
	start_in(w, w->folder);
	load_known(w);
	assert_int_equal(w->n_known, ARRAY_SIZE(w->known));
	for (size_t i = 0; i < w->n_known; i++)
		assert_int_equal(w->known[i].seen_s, 1800000003);
	world_free(w);
}

static void a_drive_without_a_label_or_a_time_is_not_known(void **state)
{
	struct world *w = world_new();
	struct history_known nameless = known_as("", 1800000100), early = known_as("A", -1);

	start_in(w, NULL);
	history_put_known(w->history, &nameless, true);
	history_put_known(w->history, &early, true);
	assert_int_equal(history_dropped(w->history), 2);
	load_known(w);
	assert_int_equal(w->n_known, 0);
	world_free(w);
}

/* Not due for minutes, but of this drive's rows those that wait are part of the answer. */
static void rows_that_wait_are_written_before_rows_are_loaded(void **state)
{
	struct world *w = world_new();

	start_in(w, NULL);
	put(w, "A", 20000, false);
	run_for(w, 100000);
	assert_int_equal(w->n_committed, 0);
	load(w, "A");
	assert_int_equal(w->n_rows, 1);
	load(w, "B");
	assert_int_equal(w->n_rows, 0);
	world_free(w);
}

static void stopping_writes_what_waits(void **state)
{
	struct world *w = world_new();

	start_in(w, w->folder);
	for (int day = 0; day < 300; day++)
		put(w, "A", day, false);
	stop(w);
	start_in(w, w->folder);
	load(w, "A");
	assert_int_equal(w->last.day, 299);
	world_free(w);
}

static void many_rows_go_in_several_batches(void **state)
{
	struct world *w = world_new();

	start_in(w, w->folder);
	for (int i = 0; i < 30; i++)
		for (int day = 0; day < 390; day++) {
			char label[16];

			sprintf(label, "D%d", i);
			put(w, label, day, i == 29);
		}
	RUN_UNTIL(w, w->n_committed == 30 * 390);
	assert_int_equal(history_dropped(w->history), 0);
	world_free(w);
}

/* One day of a drive A is on the disk. */
static void start_with_a_day(struct world *w)
{
	start_in(w, w->folder);
	put(w, "A", 1, true);
	RUN_UNTIL(w, w->n_committed == 1);
}

static void stopping_while_rows_are_loaded_drops_them(void **state)
{
	struct world *w = world_new();
	struct history_drive drive = drive_named("A");

	start_with_a_day(w);
	history_load(w->history, &drive);	/* asked by now: stopping waits for the answer, which nobody wants */
	stop(w);
	assert_int_equal(w->n_loaded, 0);
	world_free(w);
}

/* Frozen: the disk hangs, as it seems. */
static void a_child_that_hangs_is_left_alone(void **state)
{
	struct world *w = world_new();
	uint64_t began;
	pid_t pid;

	start_with_a_day(w);
	pid = child();
	kill(pid, SIGSTOP);
	put(w, "A", 2, true);
	run_for(w, 50000);
	began = now_us();
	for (int day = 3; day < 300; day++)
		put(w, "A", day, true);
	put(w, "A", 2, true);		/* a newer version of one that is under way */
	assert_true(now_us() - began < 500000);
	run_for(w, 50000);
	assert_int_equal(w->n_committed, 1);
	assert_int_equal(history_rows_waiting(w->history), 298);
	assert_int_equal(child(), pid);
	kill(pid, SIGCONT);
	RUN_UNTIL(w, !history_rows_waiting(w->history));
	assert_int_equal(w->n_committed, 300);
	world_free(w);
}

static void a_long_silence_is_told(void **state)
{
	struct world *w = world_new();
	pid_t pid;

	w->silent_ms = 500;
	start_with_a_day(w);
	run_for(w, 700000);
	assert_true(history_is_up(w->history));		/* nothing was asked */
	pid = child();
	kill(pid, SIGSTOP);
	put(w, "A", 2, true);
	RUN_UNTIL(w, !history_is_up(w->history));
	kill(pid, SIGCONT);
	RUN_UNTIL(w, history_is_up(w->history));
	assert_int_equal(w->n_committed, 2);
	assert_int_equal(child(), pid);
	world_free(w);
}

static void the_newest_version_of_a_row_wins(void **state)
{
	struct world *w = world_new();
	struct history_drive drive = drive_named("A");
	struct history_row row = row_of(20000, 1);
	pid_t pid;

	start_with_a_day(w);
	pid = child();
	kill(pid, SIGSTOP);
	history_put(w->history, &drive, &row, true);
	run_for(w, 20000);
	row.written = 77;
	history_put(w->history, &drive, &row, true);
	row.written = 78;
	history_put(w->history, &drive, &row, true);
	kill(pid, SIGCONT);
	RUN_UNTIL(w, !history_rows_waiting(w->history));
	load(w, "A");
	assert_true(w->last.written == 78);
	world_free(w);
}

static void stopping_does_not_wait_for_a_child_that_hangs(void **state)
{
	struct world *w = world_new();
	uint64_t began;
	pid_t pid;

	start_with_a_day(w);
	pid = child();
	kill(pid, SIGSTOP);
	put(w, "A", 2, false);
	began = now_us();
	stop(w);
	assert_in_range(now_us() - began, 1500000, 3000000);
	kill(pid, SIGCONT);
	began = now_us();
	while (child() == pid && now_us() - began < PATIENCE_US)
		usleep(1000);		/* it writes what it got, and ends */
	start_in(w, w->folder);
	load(w, "A");
	assert_int_equal(w->last.day, 2);
	world_free(w);
}

static void a_child_that_dies_is_started_again_and_nothing_is_lost(void **state)
{
	struct world *w = world_new();

	start_in(w, w->folder);
	for (int i = 0; i < 5; i++) {
		put(w, "A", i, true);
		RUN_UNTIL(w, child() > 0);
		kill(child(), SIGKILL);
		RUN_UNTIL(w, !history_rows_waiting(w->history));
	}
	RUN_UNTIL(w, history_is_up(w->history));
	load(w, "A");
	assert_int_equal(w->n_rows, 5);
	assert_int_equal(w->n_anew, 0);
	world_free(w);
}

static void signals_to_the_group_do_not_end_it(void **state)
{
	struct world *w = world_new();
	pid_t pid;

	start_with_a_day(w);
	pid = child();
	kill(pid, SIGTERM);
	kill(pid, SIGINT);
	kill(pid, SIGHUP);
	put(w, "A", 2, true);
	RUN_UNTIL(w, w->n_committed == 2);
	assert_int_equal(child(), pid);
	world_free(w);
}

/* Standard streams, the socket, and of the data base the file and its log; not the file opened here. */
static void the_child_has_a_name_and_no_descriptors_of_ours(void **state)
{
	AUTO_FILE ours = fopen("/proc/self/stat", "r");		/* without close-on-exec */
	struct world *w = world_new();
	char path[64], name[32] = "", target[512];
	struct dirent *entry;
	AUTO_FILE f = NULL;
	DIR *dir;

	assert_non_null(ours);
	start_with_a_day(w);
	snprintf(path, sizeof path, "/proc/%d/comm", child());
	f = fopen(path, "re");
	assert_non_null(fgets(name, sizeof name, f));
	assert_string_equal(name, "drive-history\n");
	snprintf(path, sizeof path, "/proc/%d/fd", child());
	dir = opendir(path);
	while ((entry = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof target - 1);

		if (n < 0)
			continue;
		target[n] = 0;
		if (strcmp(target, "/dev/null") && strncmp(target, "socket:", 7) && strncmp(target, w->folder, strlen(w->folder)))
			fail_msg("the child has %s", target);
	}
	closedir(dir);
	world_free(w);
}

static void a_data_base_in_memory_that_is_lost_is_told(void **state)
{
	struct world *w = world_new();

	start_in(w, NULL);
	put(w, "A", 1, true);
	RUN_UNTIL(w, w->n_committed == 1);
	kill(child(), SIGKILL);
	RUN_UNTIL(w, w->n_anew == 1);
	load(w, "A");
	assert_int_equal(w->n_rows, 0);
	world_free(w);
}

static void a_directory_that_comes_later_is_found(void **state)
{
	struct world *w = world_new();
	char absent[300];

	snprintf(absent, sizeof absent, "%s/absent", w->folder);
	start_in(w, absent);
	put(w, "A", 1, true);
	run_for(w, 200000);
	assert_false(history_is_up(w->history));
	assert_int_equal(w->n_committed, 0);
	assert_int_equal(mkdir(absent, 0755), 0);
	RUN_UNTIL(w, w->n_committed == 1);
	assert_true(history_is_up(w->history));
	assert_int_equal(w->n_anew, 0);
	world_free(w);
}

static void a_corrupt_file_is_moved_aside_and_told(void **state)
{
	struct world *w = world_new();
	FILE *f = fopen(inside(w->folder, "history.db"), "w");

	for (int i = 0; i < 10000; i++)
		fputs("garbage", f);
	fclose(f);
	start_with_a_day(w);
	assert_int_equal(w->n_anew, 1);
	assert_true(history_is_up(w->history));
	world_free(w);
}

static void a_file_that_is_deleted_is_begun_anew(void **state)
{
	struct world *w = world_new();

	start_with_a_day(w);
	unlink(inside(w->folder, "history.db"));
	unlink(inside(w->folder, "history.db-wal"));
	unlink(inside(w->folder, "history.db-shm"));
	put(w, "A", 2, true);
	RUN_UNTIL(w, w->n_committed == 2);
	assert_int_equal(w->n_anew, 1);
	stop(w);
	start_in(w, w->folder);
	load(w, "A");
	assert_int_equal(w->n_rows, 1);
	world_free(w);
}

static void corruption_while_it_runs_is_found(void **state)
{
	struct world *w = world_new();
	AUTO_FILE f = NULL;
	char garbage[4096];

	start_in(w, w->folder);
	for (int day = 0; day < 300; day++)
		put(w, "A", day, true);
	RUN_UNTIL(w, w->n_committed == 300);
	kill(child(), SIGKILL);		/* so that nothing of it is in memory */
	f = fopen(inside(w->folder, "history.db-wal"), "w");
	f = freopen(inside(w->folder, "history.db"), "r+", f);
	memset(garbage, 0x5a, sizeof garbage);
	for (int page = 0; page < 30; page++)
		assert_int_equal(fwrite(garbage, sizeof garbage, 1, f), 1);
	fflush(f);
	put(w, "A", 1000, true);
	RUN_UNTIL(w, w->n_committed == 301);
	assert_int_equal(w->n_anew, 1);
	load(w, "A");
	assert_int_equal(w->n_rows, 1);
	world_free(w);
}

static void what_waits_is_bounded(void **state)
{
	struct world *w = world_new();
	struct history_drive drive = drive_named("A");
	char absent[300];

	snprintf(absent, sizeof absent, "%s/absent", w->folder);
	start_in(w, absent);
	for (int day = 0; day < 1000; day++)
		put(w, "A", day, day == 999);
	assert_int_equal(history_rows_waiting(w->history), 400);
	assert_int_equal(history_dropped(w->history), 600);
	for (int64_t i = 0; i < 10000; i++)
		history_put_reading(w->history, &drive, &(struct history_reading){ .at_s = 20000ll * HISTORY_DAY_S + 60 * i });
	assert_int_equal(history_dropped(w->history), 600 + 10000 - 2880);
	assert_int_equal(mkdir(absent, 0755), 0);
	RUN_UNTIL(w, w->n_committed == 400);
	load(w, "A");
	assert_int_equal(w->last.day, 999);
	world_free(w);
}

static void rows_that_are_not_valid_are_dropped(void **state)
{
	struct world *w = world_new();
	struct history_drive drive = drive_named("A"), nobody = drive_named("");
	struct history_row row = row_of(20000, 1), bad;

	start_in(w, NULL);
	history_put(w->history, &nobody, &row, true);
	bad = row, bad.day = -1;
	history_put(w->history, &drive, &bad, true);
	bad = row, bad.last_s = HISTORY_TIME_MAX + 1;
	history_put(w->history, &drive, &bad, true);
	history_put_reading(w->history, &drive, &(struct history_reading){ .at_s = -1 });
	assert_int_equal(history_dropped(w->history), 4);
	row.wear = INFINITY;
	history_put(w->history, &drive, &row, true);
	RUN_UNTIL(w, w->n_committed == 1);
	load(w, "A");
	assert_true(isnan(w->last.wear));
	world_free(w);
}

static void the_directory_is_the_first_that_systemd_names(void **state)
{
	unsetenv("STATE_DIRECTORY");
	assert_string_equal(history_default_directory(), "/var/lib/drive_exporter");
	setenv("STATE_DIRECTORY", "", 1);
	assert_string_equal(history_default_directory(), "/var/lib/drive_exporter");
	setenv("STATE_DIRECTORY", "/a b:/c", 1);
	assert_string_equal(history_default_directory(), "/a b");
	unsetenv("STATE_DIRECTORY");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_put_is_loaded_after_a_restart),
		cmocka_unit_test(drives_that_are_known_are_loaded_after_a_restart),
		cmocka_unit_test(many_drives_are_known),
		cmocka_unit_test(a_drive_without_a_label_or_a_time_is_not_known),
		cmocka_unit_test(rows_that_wait_are_written_before_rows_are_loaded),
		cmocka_unit_test(stopping_writes_what_waits),
		cmocka_unit_test(many_rows_go_in_several_batches),
		cmocka_unit_test(stopping_while_rows_are_loaded_drops_them),
		cmocka_unit_test(a_child_that_hangs_is_left_alone),
		cmocka_unit_test(a_long_silence_is_told),
		cmocka_unit_test(the_newest_version_of_a_row_wins),
		cmocka_unit_test(stopping_does_not_wait_for_a_child_that_hangs),
		cmocka_unit_test(a_child_that_dies_is_started_again_and_nothing_is_lost),
		cmocka_unit_test(signals_to_the_group_do_not_end_it),
		cmocka_unit_test(the_child_has_a_name_and_no_descriptors_of_ours),
		cmocka_unit_test(a_data_base_in_memory_that_is_lost_is_told),
		cmocka_unit_test(a_directory_that_comes_later_is_found),
		cmocka_unit_test(a_corrupt_file_is_moved_aside_and_told),
		cmocka_unit_test(a_file_that_is_deleted_is_begun_anew),
		cmocka_unit_test(corruption_while_it_runs_is_found),
		cmocka_unit_test(what_waits_is_bounded),
		cmocka_unit_test(rows_that_are_not_valid_are_dropped),
		cmocka_unit_test(the_directory_is_the_first_that_systemd_names),
	};

	history_child_main(argc, argv);
	log_set_level(LOG_LEVEL_ERROR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
