/* Pieces that are kept say what pieces made from nothing say, whatever happens to the drives; and what did not change costs
 * nothing. */
#include "exporter/answer.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "poll_world.h"

enum { MINUTE = 60000, HOUR = 60 * MINUTE, DRIVES = 40, TEXT_MAX = 4 << 20 };

struct rig {
	struct world *w;
	struct options options;
	struct fleet fleet;
	struct pieces *pieces;		/* kept */
};

/* ---- the rig */

static void name_of(int i, char out[NODE_NAME_MAX])
{
	snprintf(out, NODE_NAME_MAX, "sd%c%c", 'a' + i / 26, 'a' + i % 26);
}

static void add_drive(struct rig *rig, int i)
{
	char name[NODE_NAME_MAX], serial[32];
	struct device *d;

	name_of(i, name);
	snprintf(serial, sizeof serial, "SERIAL%d", i);
	world_scsi(rig->w, name, "SEAGATE", "ST800", serial);
	world_temperature(rig->w, name, 20 + i);
	d = world_device(rig->w, name, TRANSPORT_SCSI, name, name);
	d->n_stat = 11;
	for (size_t k = 0; k < d->n_stat; k++)
		d->stat[k] = (uint64_t)i * 100 + k;
	text_copy(d->state, sizeof d->state, "running");
}

static struct rig *rig_of(int drives)
{
	struct rig *rig = calloc(1, sizeof *rig);

	assert_non_null(rig);
	rig->w = world_new(MINUTE, NULL);
	for (int i = 0; i < drives; i++)
		add_drive(rig, i);
	world_discover(rig->w);
	rig->options.has_block = true;
	rig->fleet = (struct fleet){ .options = &rig->options, .poller = rig->w->poller, .drives = rig->w->table };
	rig->fleet.ledgers = ledgers_new(&rig->w->table, NULL, &rig->options);
	rig->pieces = pieces_new(&rig->fleet, false);
	assert_non_null(rig->fleet.ledgers);
	assert_non_null(rig->pieces);
	return rig;
}

static void rig_freep(struct rig **rig)
{
	pieces_free((*rig)->pieces);
	ledgers_free((*rig)->fleet.ledgers);
	world_free((*rig)->w);
	free(*rig);
}

#define AUTO_RIG CLEANUP(rig_freep) struct rig *

/* ---- what is served */

static struct text joined(const struct answer *a)
{
	struct text t = TEXT_LIMIT(0);

	for (size_t i = 0; i < a->n; i++)
		text_add_bytes(&t, a->parts[i].iov_base, a->parts[i].iov_len);
	text_add(&t, "");
	assert_false(t.truncated);
	return t;
}

static struct text served(struct pieces *p, enum exposition_format format, bool is_gzip)
{
	const struct answer_form form = { format, is_gzip, NULL };
	struct answer *a = NULL;
	struct text t;

	assert_int_equal(answer_make(p, &form, &a), 0);
	t = joined(a);
	answer_unref(a);
	return t;
}

static void assert_unpacks(const struct text *packed, const struct text *expected)
{
	static char out[TEXT_MAX];
	z_stream z = { .next_in = (Bytef *)packed->at, .avail_in = (uInt)packed->length,
		       .next_out = (Bytef *)out, .avail_out = sizeof out };

	assert_int_equal(inflateInit2(&z, 16 + 15), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	assert_int_equal(sizeof out - z.avail_out, expected->length);
	assert_memory_equal(out, expected->at, expected->length);
	inflateEnd(&z);
}

static struct text refreshed(struct rig *rig)
{
	rig->fleet.drives = rig->w->table;
	assert_int_equal(pieces_refresh(rig->pieces), 0);
	return served(rig->pieces, EXPOSITION_TEXT, false);
}

/* Kept and new say the same, in every form. Returns whether the text holds that. */
static bool is_told(struct rig *rig, const char *what)
{
	AUTO_TEXT kept = refreshed(rig);
	struct pieces *fresh = pieces_new(&rig->fleet, false);
	bool is = strstr(kept.at, what) != NULL;

	assert_int_equal(pieces_refresh(fresh), 0);
	for (enum exposition_format format = 0; format < N_EXPOSITION_FORMATS; format++) {
		AUTO_TEXT old = served(rig->pieces, format, false), new = served(fresh, format, false),
			  packed = served(rig->pieces, format, true);

		assert_string_equal(old.at, new.at);
		assert_unpacks(&packed, &new);
	}
	pieces_free(fresh);
	return is;
}

/* ---- tests */

static void whatever_happens_is_told(void **state)
{
	AUTO_RIG rig = rig_of(DRIVES);
	struct world *w = rig->w;

	assert_true(is_told(rig, "drive_up{drive=\"unidentified"));
	world_pass(w, 1);
	assert_true(is_told(rig, "drive_temperature_celsius{drive=\"ST800_SERIAL39\",sensor=\"drive\"} 59\n"));

	world_temperature(w, "saa", 77);
	world_temperature(w, "sdab", 78);
	world_pass(w, 2 * MINUTE);
	assert_true(is_told(rig, "drive_temperature_celsius{drive=\"ST800_SERIAL1\",sensor=\"drive\"} 78\n"));

	w->devices.at[35].stat[0] = 4711;			/* a replay brings these with its devices */
	world_discover(w);
	assert_true(is_told(rig, "drive_io_completed_total{drive=\"ST800_SERIAL35\",device=\"sdbj\",op=\"read\"} 4711\n"));

	text_copy(w->devices.at[3].state, sizeof w->devices.at[3].state, "offline");
	world_discover(w);
	assert_true(is_told(rig, "drive_path_state{drive=\"ST800_SERIAL3\",device=\"sdad\",state=\"offline\"} 1\n"));

	text_copy(w->devices.at[4].path, sizeof w->devices.at[4].path, "0:0:4:0");
	world_discover(w);
	assert_true(is_told(rig, "drive_slot_info{drive=\"ST800_SERIAL4\",path=\"0:0:4:0\"} 1\n"));
}

/* ---- one thing alone, which in life comes with others */

static void fail_once(struct drive *drive)
{
	poller_of(drive)->failures[FAIL_DEVICE]++;
}

static void be_stuck(struct drive *drive)
{
	poller_of(drive)->is_stuck = true;
}

static void be_stuck_later(struct drive *drive)
{
	poller_of(drive)->stuck_at_us += 5000000;
}

static void lose_power(struct drive *drive)
{
	poller_of(drive)->has_power = false;
}

static void sleep_deep(struct drive *drive)
{
	poller_of(drive)->power = POWER_STANDBY;
}

static void count_command(struct drive *drive)
{
	poller_of(drive)->commands++;
}

static void count_command_time(struct drive *drive)
{
	poller_of(drive)->command_us += 1000;
}

static void count_command_error(struct drive *drive)
{
	poller_of(drive)->command_errors++;
}

static void be_implausible(struct drive *drive)
{
	(void)quantity_count(poller_of(drive)->implausible, &poller_of(drive)->n_implausible, "temperature");
}

static void change_source(struct drive *drive)
{
	(void)quantity_count(poller_of(drive)->source_changes, &poller_of(drive)->n_source_changes, "wear");
}

static void be_another_reading(struct drive *drive)
{
	const struct sample *s = readings_find(poller_of(drive), drive_temperature_celsius, NULL);

	((struct sample *)(uintptr_t)s)->value++;
	poller_of(drive)->is_dirty = true;
}

static void be_read_later(struct drive *drive)
{
	for (size_t i = 0; i < poller_of(drive)->n_entries; i++)
		if (poller_of(drive)->entries[i].answered_at_us)
			poller_of(drive)->entries[i].answered_at_us += 7000000;
}

static void get_firmware(struct drive *drive)
{
	text_copy(drive->facts.firmware, sizeof drive->facts.firmware, "NEW1");
}

static void be_virtual(struct drive *drive)
{
	drive->is_virtual = !drive->is_virtual;
}

static void be_excluded(struct drive *drive)
{
	drive->is_excluded = !drive->is_excluded;
}

static void be_sas(struct drive *drive)
{
	drive->facts.is_sas = !drive->facts.is_sas;
}

static void be_named(struct drive *drive)
{
	text_copy(drive->label, sizeof drive->label, "ANOTHER");
}

static void be_offline(struct drive *drive)
{
	text_copy(drive->devices[0].state, sizeof drive->devices[0].state, "offline");
}

static void (*const changes[])(struct drive *) = {
	fail_once, be_stuck, be_stuck_later, sleep_deep, lose_power, count_command, count_command_time, count_command_error,
	be_implausible, change_source, be_another_reading, be_read_later, get_firmware, be_virtual, be_virtual, be_excluded,
	be_excluded, be_sas, be_offline, be_named,
};

static void each_change_alone_is_told(void **state)
{
	AUTO_RIG rig = rig_of(3);
	struct drive *drive;

	world_pass(rig->w, 1);
	drive = world_drive(rig->w, "sdab");
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		AUTO_TEXT before = refreshed(rig), after = TEXT_LIMIT(0);

		changes[i](drive);
		(void)is_told(rig, "");
		after = refreshed(rig);
		if (!strcmp(before.at, after.at))
			print_error("change %zu\n", i);
		assert_string_not_equal(before.at, after.at);
	}
}

static void time_alone_is_told(void **state)
{
	AUTO_RIG rig = rig_of(2);

	world_pass(rig->w, 1);
	assert_true(is_told(rig, "drive_up{drive=\"ST800_SERIAL0\"} 1\n"));
	assert_true(is_told(rig, "drive_temperature_celsius{drive=\"ST800_SERIAL0\""));
	world_jump(5 * MINUTE);		/* nobody has asked it since */
	assert_true(is_told(rig, "drive_up{drive=\"ST800_SERIAL0\"} 0\n"));
	assert_true(is_told(rig, "drive_temperature_celsius{drive=\"ST800_SERIAL0\""));
	world_jump(HOUR);
	assert_true(is_told(rig, "drive_up{drive=\"ST800_SERIAL0\"} 0\n"));
	assert_false(is_told(rig, "drive_temperature_celsius{drive=\"ST800_SERIAL0\""));
	world_pass(rig->w, 2 * MINUTE);
	assert_true(is_told(rig, "drive_up{drive=\"ST800_SERIAL0\"} 1\n"));
	assert_true(is_told(rig, "drive_temperature_celsius{drive=\"ST800_SERIAL0\""));
}

static void one_that_hangs_is_told(void **state)
{
	AUTO_RIG rig = rig_of(3);

	world_pass(rig->w, 1);
	world_hold(rig->w, "sdab", "log-sense page=0d");
	world_pass(rig->w, 2 * MINUTE);
	assert_true(is_told(rig, "drive_command_started_timestamp_seconds{drive=\"ST800_SERIAL1\"}"));
	world_forget(rig->w, "sdab", "log-sense page=0d");
	world_release_all_as(rig->w, fail_os(EIO, "read"));
	world_pass(rig->w, 2 * MINUTE);
	assert_false(is_told(rig, "drive_command_started_timestamp_seconds{"));
	assert_true(is_told(rig, "drive_poll_failures_total{drive=\"ST800_SERIAL1\",source=\"os\"} 1\n"));
}

/* Those behind it move up, into another group's place. */
static void drives_come_and_go(void **state)
{
	AUTO_RIG rig = rig_of(DRIVES);
	struct world *w = rig->w;
	struct drive *gone;

	world_pass(w, 1);
	for (size_t i = 0; i < w->table.n; i++)
		ledgers_visited(rig->fleet.ledgers, w->table.at[i]);
	assert_true(is_told(rig, "drive_present{drive=\"ST800_SERIAL5\"} 1\n"));

	gone = world_drive(w, "sdaf");
	ledgers_removed(rig->fleet.ledgers, gone);
	memmove(&w->devices.at[5], &w->devices.at[6], (w->devices.n - 6) * sizeof *w->devices.at);
	w->devices.n--;
	world_discover(w);
	ledgers_look(rig->fleet.ledgers, true);
	assert_true(is_told(rig, "drive_present{drive=\"ST800_SERIAL5\"} 0\n"));
	assert_true(is_told(rig, "drive_missing_since_timestamp_seconds{drive=\"ST800_SERIAL5\"}"));
	assert_true(is_told(rig, "drive_removed_total{reason=\"vanished\"} 1\n"));
	ledger_find(ledgers_all(rig->fleet.ledgers), "ST800_SERIAL5")->known.missing_s = 1700000000;
	assert_true(is_told(rig, "drive_missing_since_timestamp_seconds{drive=\"ST800_SERIAL5\"} 1700000000\n"));

	add_drive(rig, 5);
	world_discover(w);
	world_pass(w, MINUTE);
	for (size_t i = 0; i < w->table.n; i++)
		ledgers_visited(rig->fleet.ledgers, w->table.at[i]);
	assert_true(is_told(rig, "drive_present{drive=\"ST800_SERIAL5\"} 1\n"));
	assert_false(is_told(rig, "drive_missing_since_timestamp_seconds{"));
}

static void what_did_not_change_costs_nothing(void **state)
{
	AUTO_RIG rig = rig_of(DRIVES);
	struct pieces_work before, after;
	AUTO_TEXT one = TEXT_LIMIT(0), two = TEXT_LIMIT(0), packed = TEXT_LIMIT(0);

	world_pass(rig->w, 1);
	one = refreshed(rig);
	packed = served(rig->pieces, EXPOSITION_TEXT, true);
	before = pieces_work(rig->pieces);
	two = refreshed(rig);
	text_free(&packed);
	packed = served(rig->pieces, EXPOSITION_TEXT, true);
	after = pieces_work(rig->pieces);
	assert_string_equal(one.at, two.at);
	assert_int_equal(after.written - before.written, N_LINES_PARTS);	/* the exporter's own, always */
	assert_int_equal(after.made, before.made);
	assert_int_equal(after.packed, before.packed);
}

/* Of 40 drives in two groups, one device of the second. */
static void one_value_costs_one_piece(void **state)
{
	AUTO_RIG rig = rig_of(DRIVES);
	struct pieces_work before, after;
	AUTO_TEXT text = TEXT_LIMIT(0), packed = TEXT_LIMIT(0);
	struct drive *drive;

	world_pass(rig->w, 1);
	text = refreshed(rig);
	packed = served(rig->pieces, EXPOSITION_OPENMETRICS, true);
	before = pieces_work(rig->pieces);
	drive = world_drive(rig->w, "sdbj");
	drive->devices[0].stat[0]++;
	text_free(&text);
	text_free(&packed);
	text = refreshed(rig);
	packed = served(rig->pieces, EXPOSITION_OPENMETRICS, true);
	after = pieces_work(rig->pieces);
	assert_int_equal(after.made - before.made, 1);
	assert_int_equal(after.packed - before.packed, 1);
	assert_int_equal(after.written - before.written, 2 * N_LINES_PARTS);	/* its own and the exporter's */
}

/* Whoever sends an answer keeps what is in it. */
static void an_answer_stays_while_it_is_held(void **state)
{
	AUTO_RIG rig = rig_of(DRIVES);
	const struct answer_form form = { EXPOSITION_TEXT, false, NULL };
	AUTO_TEXT before = TEXT_LIMIT(0), after = TEXT_LIMIT(0), now = TEXT_LIMIT(0);
	struct answer *a = NULL;

	world_pass(rig->w, 1);
	before = refreshed(rig);
	assert_int_equal(answer_make(rig->pieces, &form, &a), 0);
	world_temperature(rig->w, "sdaa", 99);
	world_pass(rig->w, 2 * MINUTE);
	now = refreshed(rig);
	after = joined(a);
	answer_unref(a);
	assert_string_equal(after.at, before.at);
	assert_string_not_equal(now.at, before.at);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *s = text; (s = strstr(s, what)); s++)
		n++;
	return n;
}

/* It cannot be; if it were, Prometheus would refuse all that is served. */
static void one_label_is_served_once(void **state)
{
	AUTO_RIG rig = rig_of(3);
	AUTO_TEXT text = TEXT_LIMIT(0);
	struct drive *second;

	world_pass(rig->w, 1);
	second = world_drive(rig->w, "sdab");
	text_copy(second->label, sizeof second->label, "ST800_SERIAL0");
	text = refreshed(rig);
	assert_int_equal(count(text.at, "drive_up{drive=\"ST800_SERIAL0\"}"), 1);
	assert_int_equal(count(text.at, "drive_up{"), 2);
	assert_int_equal(count(text.at, "drive_io_in_flight{"), 2);
	text_copy(second->label, sizeof second->label, "ST800_SERIAL1");
	assert_true(is_told(rig, "drive_up{drive=\"ST800_SERIAL1\"} 1\n"));
}

/* HELP and TYPE stand once above a family, also where its first group has none of it. */
static void headers_stand_above_the_first_line(void **state)
{
	AUTO_RIG rig = rig_of(DRIVES);
	AUTO_TEXT text = TEXT_LIMIT(0);

	world_hold(rig->w, NULL, "log-sense page=0d");
	world_forget(rig->w, "sdbm", "log-sense page=0d");
	world_temperature(rig->w, "sdbm", 31);
	world_pass(rig->w, 1);
	assert_true(is_told(rig, "drive_up{"));
	text = refreshed(rig);
	for (enum metric_family_id family = 0; family < N_METRIC_FAMILIES; family++) {
		char type[160], sample[160];

		snprintf(type, sizeof type, "# TYPE %s ", metric_families[family].name);
		snprintf(sample, sizeof sample, "\n%s{", metric_families[family].name);
		assert_int_equal(count(text.at, type), count(text.at, sample) > 0);
	}
}

static void no_family_gives_an_empty_answer(void **state)
{
	AUTO_RIG rig = rig_of(1);
	bool is_wanted[N_METRIC_FAMILIES] = { false };

	rig->fleet.drives = rig->w->table;
	assert_int_equal(pieces_refresh(rig->pieces), 0);
	for (int is_gzip = 0; is_gzip <= 1; is_gzip++) {
		const struct answer_form form = { EXPOSITION_OPENMETRICS, is_gzip, is_wanted };
		struct text end = { .at = (char *)(uintptr_t)"# EOF\n", .length = 6 };
		AUTO_TEXT text = TEXT_LIMIT(0);
		struct answer *a = NULL;

		assert_int_equal(answer_make(rig->pieces, &form, &a), 0);
		text = joined(a);
		answer_unref(a);
		if (is_gzip)
			assert_unpacks(&text, &end);
		else
			assert_string_equal(text.at, "# EOF\n");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_happens_is_told),
		cmocka_unit_test(each_change_alone_is_told),
		cmocka_unit_test(time_alone_is_told),
		cmocka_unit_test(one_that_hangs_is_told),
		cmocka_unit_test(drives_come_and_go),
		cmocka_unit_test(what_did_not_change_costs_nothing),
		cmocka_unit_test(one_value_costs_one_piece),
		cmocka_unit_test(an_answer_stays_while_it_is_held),
		cmocka_unit_test(one_label_is_served_once),
		cmocka_unit_test(headers_stand_above_the_first_line),
		cmocka_unit_test(no_family_gives_an_empty_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
