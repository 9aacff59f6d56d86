/* poll/: whole visits against a scripted prober, on a clock that the test moves. */
#include "poll_world.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MINUTE = 60000, HOUR = 3600000 };

static struct world *world_of_one_scsi(void)
{
	struct world *w = world_new(MINUTE, NULL);

	world_scsi(w, "sda", "SEAGATE", "ST800", "S1");
	world_device(w, "sda", TRANSPORT_SCSI, "host0", "a");
	world_discover(w);
	return w;
}

static struct world *world_of_one_nvme(void)
{
	struct world *w = world_new(MINUTE, NULL);

	world_nvme(w, "nvme0", "Model", "N1");
	world_device(w, "nvme0", TRANSPORT_NVME, "nvme0", "n");
	world_discover(w);
	return w;
}

static struct world *world_of_one_disk(void)
{
	struct world *w = world_new(MINUTE, NULL);

	world_ata(w, "sda", "WDC WD40", "W1", 7200);
	world_device(w, "sda", TRANSPORT_ATA, "host0", "a")->rotational = 1;
	world_discover(w);
	return w;
}

/* ---- a visit */

static void a_first_visit_asks_who_then_what_then_how(void **state)
{
	struct world *w = world_of_one_scsi();

	world_pass(w, 1);
	assert_string_equal(world_asked(w, 0),
			    "sda request-sense\n"
			    "sda inquiry\n"
			    "sda inquiry vpd=00\n"
			    "sda inquiry vpd=80\n"
			    "sda inquiry vpd=83\n"
			    "sda read-capacity\n"
			    "sda log-sense\n"
			    "sda log-sense subpage=ff\n"
			    "sda log-sense page=2f\n"
			    "sda log-sense page=0d\n"
			    "sda log-sense page=11\n"
			    "sda log-sense page=06\n"
			    "sda read-defects\n"
			    "sda mode-sense page=1c\n"
			    "sda mode-sense page=0a\n");
	assert_string_equal(world_drive(w, "sda")->label, "ST800_S1");
	assert_true(poller_is_settled(w->poller));
	assert_true(world_value(w, "sda", drive_temperature_celsius, "drive") == 40);
	assert_true(world_value(w, "sda", drive_endurance_used_ratio, NULL) == 0.07);
	world_free(w);
}

static void later_visits_come_once_an_interval_and_after_the_power_check(void **state)
{
	struct world *w = world_of_one_scsi();
	size_t first;

	world_pass(w, 1);
	first = w->n_log;
	world_pass(w, 20 * MINUTE);
	assert_in_range(world_count(w, first, "sda log-sense page=0d"), 19, 21);
	assert_in_range(world_count(w, first, "sda log-sense page=11"), 1, 3);	/* every ten minutes */
	for (size_t i = first; i < w->n_log; i++)
		if (i == first || w->log[i].at_ms - w->log[i - 1].at_ms > 1)
			assert_string_equal(w->log[i].text, "sda request-sense");
	world_free(w);
}

static void the_interval_scales_every_period(void **state)
{
	struct world *w = world_new(10000, NULL);

	world_scsi(w, "sda", "SEAGATE", "ST800", "S1");
	world_device(w, "sda", TRANSPORT_SCSI, "host0", "a");
	world_discover(w);
	world_pass(w, 10 * MINUTE);
	assert_in_range(world_count(w, 0, "sda log-sense page=0d"), 59, 62);
	assert_in_range(world_count(w, 0, "sda log-sense page=11"), 6, 8);
	world_free(w);
}

static void drives_are_spread_over_the_interval(void **state)
{
	struct world *w = world_new(MINUTE, NULL);
	unsigned at[60] = { 0 }, most = 0;
	size_t first;

	for (int i = 0; i < 24; i++) {
		char name[8], group[32];

		snprintf(name, sizeof name, "sd%c", 'a' + i);
		snprintf(group, sizeof group, "group%d", i);
		world_scsi(w, NULL, "SEAGATE", "ST800", "S1");
		world_device(w, name, TRANSPORT_SCSI, "host0", group);
	}
	world_discover(w);
	world_pass(w, 1);
	first = w->n_log;
	world_pass(w, MINUTE);
	for (size_t i = first; i < w->n_log; i++)
		if (strstr(w->log[i].text, "page=0d"))
			at[w->log[i].at_ms / 1000 % 60]++;
	for (size_t i = 0; i < 60; i++)
		most = at[i] > most ? at[i] : most;
	assert_in_range(most, 1, 4);
	world_free(w);
}

static void what_is_not_supported_is_never_asked_twice(void **state)
{
	struct world *w = world_of_one_scsi();

	world_pass(w, 5 * HOUR);
	assert_int_equal(world_count(w, 0, "sda log-sense page=06"), 1);
	assert_int_equal(world_count(w, 0, "sda read-capacity"), 1);
	assert_int_equal(world_count(w, 0, "sda log-sense subpage=ff"), 1);
	for (size_t i = 0; i < N_FAIL_SOURCES; i++)
		assert_int_equal(world_poll(w, "sda")->failures[i], 0);		/* nor is it a failure */
	world_free(w);
}

static void a_power_check_that_is_not_supported_is_never_asked_twice(void **state)
{
	struct world *w = world_of_one_disk();

	world_forget(w, "sda", "ata-check-power");
	world_pass(w, HOUR);
	assert_int_equal(world_count(w, 0, "sda ata-check-power"), 1);
	assert_true(world_count(w, 0, "sda ata-smart-status") > 1);
	assert_false(world_poll(w, "sda")->has_power);
	world_free(w);
}

static void solid_state_drives_are_not_asked_whether_they_sleep(void **state)
{
	struct world *w = world_new(MINUTE, NULL);

	world_ata(w, "sda", "SSD", "S1", 1);
	world_nvme(w, "nvme0", "Model", "N1");
	world_device(w, "sda", TRANSPORT_ATA, "host0", "a")->rotational = 0;
	world_device(w, "nvme0", TRANSPORT_NVME, "nvme0", "n");
	world_discover(w);
	world_pass(w, HOUR);
	assert_int_equal(world_count(w, 0, "sda ata-check-power"), 0);
	assert_int_equal(world_count(w, 0, "nvme0 request-sense"), 0);
	assert_true(world_count(w, 0, "sda ata-smart-status") > 1);
	world_free(w);
}

/* Two namespaces, of which one is attached to another controller than the one that is asked. */
static void a_namespace_of_another_controller_counts_for_the_capacity(void **state)
{
	struct world *w = world_new(MINUTE, NULL);
	uint8_t namespace[4096] = { [0] = 100, [8] = 80, [16] = 50, [130] = 12 }, nothing[4096] = { 0 };
	struct device *d;

	world_nvme(w, NULL, "Model", "N1");
	world_say(w, NULL, "nvme-identify nsid=01", namespace, sizeof namespace);
	world_say(w, NULL, "nvme-identify nsid=02", nothing, sizeof nothing);
	world_device(w, "nvme0", TRANSPORT_NVME, "nvme0", "n")->is_controller = true;
	world_device(w, "nvme1", TRANSPORT_NVME, "nvme1", "n")->is_controller = true;
	for (uint32_t nsid = 1; nsid <= 2; nsid++) {
		d = world_device(w, nsid == 1 ? "nvme0n1" : "nvme0n2", TRANSPORT_NVME, "nvme0", "n");
		d->is_askable = false;
		d->nsid = nsid;
		d->size_bytes = nsid * 409600;
		d->logical_block = 4096;
	}
	world_discover(w);
	world_pass(w, 1);
	assert_int_equal(w->table.n, 1);
	assert_true(world_value(w, "nvme0", drive_capacity_bytes, NULL) == 3 * 409600);
	assert_true(world_value(w, "nvme0", drive_nvme_namespace_size_bytes, "2") == 2 * 409600);
	assert_true(isnan(world_value(w, "nvme0", drive_nvme_namespace_used_bytes, "2")));
	assert_true(world_value(w, "nvme0", drive_nvme_namespace_used_bytes, "1") == 50 * 4096);
	assert_true(world_value(w, "nvme0", drive_nvme_namespace_capacity_bytes, "1") == 80 * 4096);
	world_free(w);
}

static struct world *world_of_two_controllers(void)
{
	static const uint8_t first[512] = { [3] = 100, [48] = 9, [176] = 10 }, second[512] = { [3] = 100, [48] = 5, [177] = 1 };
	struct world *w = world_new(MINUTE, NULL);

	world_nvme(w, NULL, "Model", "N1");
	world_say(w, "nvme0", "nvme-log id=02", first, sizeof first);
	world_say(w, "nvme1", "nvme-log id=02", second, sizeof second);
	world_device(w, "nvme0", TRANSPORT_NVME, "nvme0", "n")->is_controller = true;
	world_device(w, "nvme1", TRANSPORT_NVME, "nvme1", "n")->is_controller = true;
	world_discover(w);
	world_pass(w, MINUTE);
	return w;
}

static void check_controller_asked(struct world *w, size_t since, bool is_first)
{
	assert_int_equal(world_count(w, since, "nvme1 nvme-log id=02") > 0, !is_first);
	assert_true(world_value(w, "nvme0", drive_written_bytes_total, NULL) == (is_first ? 9 : 5) * 512000);
}

/* Each has counters and a log of errors of its own: what does not get through for a moment is no reason to ask the other. */
static void a_controller_is_left_only_when_it_is_lost(void **state)
{
	static const struct { struct fail f; unsigned times; } passing[] = {
		{ { .source = FAIL_OS, .kind = FAIL_KIND_ERRNO, .code = EAGAIN }, 2 },
		{ { .source = FAIL_TRANSPORT, .kind = FAIL_KIND_NVME, .code = 0x371 }, 2 },
		{ { .source = FAIL_TRANSPORT, .kind = FAIL_KIND_HOST, .code = FAIL_HOST_RECOVERING }, 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(passing); i++) {
		struct world *w = world_of_two_controllers();

		world_fail(w, passing[i].times, "nvme0", "nvme-log id=02", passing[i].f);
		world_pass(w, HOUR);
		check_controller_asked(w, 0, true);
		world_free(w);
	}
}

static void begin_trouble(struct world *w, bool is_dead)
{
	if (is_dead)
		text_copy(world_drive(w, "nvme0")->devices[0].state, sizeof world_drive(w, "nvme0")->devices[0].state, "dead");
	else
		world_fail(w, 0, "nvme0", "nvme-log id=02", fail_os(EAGAIN, "open"));
}

/* The other's errors are none that came, and it says first who it is. */
static void the_other_controller_begins_anew(void **state)
{
	for (int is_dead = 0; is_dead <= 1; is_dead++) {
		struct world *w = world_of_two_controllers();
		size_t since = w->n_log;

		begin_trouble(w, is_dead);
		world_pass(w, 6 * MINUTE);
		check_controller_asked(w, since, false);
		assert_int_equal(world_count(w, since, "nvme1 nvme-identify cns=01"), 1);
		assert_int_equal(world_count(w, since, "nvme1 nvme-log id=01"), 0);
		assert_true(world_value(w, "nvme0", drive_error_log_entries_total, NULL) == 256);
		assert_true(world_value(w, "nvme0", drive_nvme_logged_errors_total, "unseen") == 0);
		assert_true(drive_poll_is_up(world_poll(w, "nvme0"), poller_now_us(w->poller), MINUTE * UINT64_C(1000)));
		world_free(w);
	}
}

/* What a drive said of itself is not served for ever, but for what does not change. */
static void what_follows_from_identify_grows_old_too(void **state)
{
	static const char *const all[] = { "nvme-identify cns=01", "nvme-identify nsid=01", "nvme-log id=02" };
	struct world *w = world_new(MINUTE, NULL);
	uint8_t namespace[4096] = { [0] = 100, [8] = 80, [16] = 50, [130] = 12 };
	struct device *d;

	world_nvme(w, "nvme0", "Model", "N1");
	world_say(w, "nvme0", "nvme-identify nsid=01", namespace, sizeof namespace);
	world_device(w, "nvme0", TRANSPORT_NVME, "nvme0", "n")->is_controller = true;
	d = world_device(w, "nvme0n1", TRANSPORT_NVME, "nvme0", "n");
	d->is_askable = false;
	d->nsid = 1;
	world_discover(w);
	world_pass(w, MINUTE);
	assert_true(world_value(w, "nvme0", drive_nvme_namespace_used_bytes, "1") == 50 * 4096);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		world_fail(w, 0, "nvme0", all[i], fail_os(EAGAIN, "open"));
	world_pass(w, 5 * HOUR);
	assert_true(isnan(world_value(w, "nvme0", drive_nvme_namespace_used_bytes, "1")));
	assert_true(world_value(w, "nvme0", drive_nvme_namespace_size_bytes, "1") == 100 * 4096);
	world_free(w);
}

static void unit_attention_is_asked_again_once(void **state)
{
	struct world *w = world_of_one_scsi();

	world_fail(w, 1, "sda", "log-sense page=0d", fail_sense(6, 0x29, 0));
	world_pass(w, 1);
	assert_int_equal(world_count(w, 0, "sda log-sense page=0d"), 2);
	assert_true(world_value(w, "sda", drive_temperature_celsius, "drive") == 40);
	assert_int_equal(world_poll(w, "sda")->failures[FAIL_DEVICE], 0);
	world_free(w);

	w = world_of_one_scsi();
	world_fail(w, 0, "sda", "log-sense page=0d", fail_sense(6, 0x29, 0));
	world_pass(w, 1);
	assert_int_equal(world_count(w, 0, "sda log-sense page=0d"), 2);
	assert_int_equal(world_poll(w, "sda")->failures[FAIL_DEVICE], 1);
	assert_int_equal(world_count(w, 0, "sda log-sense page=11"), 1);	/* and the visit goes on */
	world_free(w);
}

/* ---- one after another */

static void a_drive_has_one_command_under_way(void **state)
{
	struct world *w = world_of_one_scsi();
	size_t asked;

	world_hold(w, "sda", "log-sense page=0d");
	world_pass(w, 1);
	asked = w->n_log;
	world_pass(w, 10 * MINUTE);
	assert_int_equal(w->n_log, asked);
	world_free(w);
}

static struct world *world_of_two_on_a_host(void)
{
	struct world *w = world_new(MINUTE, NULL);

	world_scsi(w, NULL, "SEAGATE", "ST800", "S1");
	world_device(w, "sda", TRANSPORT_SCSI, "host0", "a");
	world_device(w, "sdb", TRANSPORT_SCSI, "host0", "b");
	world_device(w, "sdc", TRANSPORT_SCSI, "host1", "c");
	world_discover(w);
	return w;
}

static size_t count_of_node(const struct world *w, size_t since, const char *node)
{
	size_t n = 0;

	for (size_t i = since; i < w->n_log; i++)
		n += !strcmp(w->log[i].request.node, node);
	return n;
}

static void drives_of_a_host_are_asked_one_after_another(void **state)
{
	struct world *w = world_of_two_on_a_host();

	world_hold(w, "sda", "inquiry");
	world_pass(w, 4900);
	assert_int_equal(count_of_node(w, 0, "sda"), 2);
	assert_int_equal(count_of_node(w, 0, "sdb"), 0);
	assert_true(count_of_node(w, 0, "sdc") > 5);	/* another host goes on */
	world_pass(w, 200);				/* past its deadline it holds up nobody */
	assert_true(count_of_node(w, 0, "sdb") > 5);
	world_free(w);
}

/* The one that waits stands before the one that hangs in the table, and nothing else happens that would wake us. */
static void nobody_starves_behind_a_later_drive_that_hangs(void **state)
{
	struct world *w = world_new(MINUTE, NULL);
	size_t first;

	world_scsi(w, NULL, "SEAGATE", "ST800", "S1");
	world_device(w, "sda", TRANSPORT_SCSI, "host0", "a");
	world_device(w, "sdb", TRANSPORT_SCSI, "host0", "b");
	world_discover(w);
	world_pass(w, 1);
	/* sdb hangs, and sda comes due while it does */
	world_poll(w, "sda")->next_visit_us = world_now_us() + 3 * 60 * 1000000u;
	world_poll(w, "sdb")->next_visit_us = world_now_us() + 3 * 60 * 1000000u - 1000000;
	world_hold(w, "sdb", "request-sense");
	first = w->n_log;
	world_pass(w, 6 * MINUTE);
	assert_true(world_poll(w, "sdb")->is_stuck);
	assert_int_equal(count_of_node(w, first, "sdb"), 1);
	assert_true(count_of_node(w, first, "sda") > 4);
	world_free(w);
}

static void who_waits_for_a_drive_that_is_unplugged_is_asked(void **state)
{
	struct world *w = world_of_two_on_a_host();

	w->devices.n = 2;		/* without sdc, whose answers would wake us */
	world_discover(w);
	world_hold(w, "sda", "inquiry");
	world_pass(w, 1000);
	assert_int_equal(count_of_node(w, 0, "sdb"), 0);
	memmove(w->devices.at, w->devices.at + 1, sizeof *w->devices.at);
	w->devices.n = 1;
	world_discover(w);
	world_pass(w, 1000);
	assert_true(count_of_node(w, 0, "sdb") > 5);
	world_free(w);
}

/* ---- slow, busy, asleep */

static void a_late_answer_is_used(void **state)
{
	static const uint8_t page[] = { 0x0d, 0, 0, 6, 0, 0, 3, 2, 0, 55 };
	struct world *w = world_of_one_scsi();
	struct drive_poll *poll;
	int64_t sent;

	world_hold(w, "sda", "log-sense page=0d");
	sent = world_real_us();
	world_pass(w, 4900);
	poll = world_poll(w, "sda");
	assert_false(poll->is_stuck);
	assert_false(poller_is_settled(w->poller));
	world_pass(w, 200);
	assert_true(poll->is_stuck);
	assert_true(poll->stuck_at_us == sent);
	assert_true(poller_is_settled(w->poller));	/* `once` waits no longer */
	world_pass(w, 12 * MINUTE);
	world_say(w, "sda", "log-sense page=0d", page, sizeof page);
	world_release(w, page, sizeof page);
	world_pass(w, 1);
	assert_false(poll->is_stuck);
	assert_true(world_value(w, "sda", drive_temperature_celsius, "drive") == 55);
	assert_int_equal(world_count(w, 0, "sda log-sense page=11"), 1);
	world_free(w);
}

static void busy_tells_since_when(void **state)
{
	struct world *w = world_of_one_scsi();
	int64_t since = world_real_us() - 3600 * INT64_C(1000000);
	size_t asked;

	world_verdict(w, 0, "sda", "request-sense", WIRE_BUSY, since);
	world_pass(w, 1);
	assert_true(world_poll(w, "sda")->is_stuck);
	assert_true(world_poll(w, "sda")->stuck_at_us == since);
	assert_true(poller_is_settled(w->poller));
	world_pass(w, HOUR);
	asked = w->n_log;
	assert_in_range(asked, 10, 90);		/* it is asked again, but no more often than once a minute by then */
	world_scsi_sense(w, "sda", 0, 0);
	world_pass(w, 2 * MINUTE);
	assert_false(world_poll(w, "sda")->is_stuck);
	assert_true(world_poll(w, "sda")->is_settled);
	world_free(w);
}

static void a_sleeping_drive_gets_the_power_check_alone(void **state)
{
	static const uint8_t standby[] = { 0x00 }, active[] = { 0xff };
	struct world *w = world_of_one_disk();
	size_t first;

	world_pass(w, 10 * MINUTE);
	assert_true(world_value(w, "sda", drive_warning, "smart_failing") == 0);
	world_say(w, "sda", "ata-check-power", standby, sizeof standby);
	world_pass(w, 6 * MINUTE);
	first = w->n_log;
	world_pass(w, 3 * HOUR);
	assert_true(w->n_log > first + 100);
	assert_int_equal(world_count(w, first, "sda ata-check-power"), w->n_log - first);
	assert_true(world_value(w, "sda", drive_warning, "smart_failing") == 0);	/* its last word stays */
	assert_int_equal(world_poll(w, "sda")->power, POWER_STANDBY);
	assert_true(drive_poll_is_up(world_poll(w, "sda"), poller_now_us(w->poller), MINUTE * UINT64_C(1000)));
	world_say(w, "sda", "ata-check-power", active, sizeof active);
	first = w->n_log;
	world_pass(w, 2 * MINUTE);
	assert_true(world_count(w, first, "sda ata-smart-status") > 0);
	assert_int_equal(world_poll(w, "sda")->power, POWER_ACTIVE);
	world_free(w);
}

static void a_drive_asleep_from_the_start_is_settled_and_read_when_it_wakes(void **state)
{
	struct world *w = world_of_one_scsi();

	world_scsi_sense(w, "sda", 0x5e, 0x04);
	world_pass(w, 5 * MINUTE);
	assert_int_equal(world_count(w, 0, "sda request-sense"), w->n_log);
	assert_true(poller_is_settled(w->poller));
	world_scsi_sense(w, "sda", 0, 0);
	world_pass(w, 2 * MINUTE);
	assert_true(world_poll(w, "sda")->is_settled);
	world_free(w);
}

static void a_suspended_device_keeps_its_values(void **state)
{
	struct world *w = world_of_one_nvme();

	world_pass(w, 1);
	world_verdict(w, 0, "nvme0", "nvme-log id=02", WIRE_ASLEEP, 0);
	world_verdict(w, 0, "nvme0", "nvme-identify cns=01", WIRE_ASLEEP, 0);
	world_pass(w, 2 * HOUR);
	assert_true(world_value(w, "nvme0", drive_endurance_used_ratio, NULL) == 0.03);
	assert_int_equal(world_poll(w, "nvme0")->power, POWER_STANDBY);
	assert_int_equal(world_poll(w, "nvme0")->failures[FAIL_OS], 0);
	world_free(w);
}

/* Nobody checks the power of an NVMe drive, so its answers must tell that it is awake again. */
static void who_answers_sleeps_no_more(void **state)
{
	struct world *w = world_of_one_nvme();

	world_verdict(w, 1, "nvme0", "nvme-identify cns=01", WIRE_ASLEEP, 0);
	world_pass(w, 5 * MINUTE);
	assert_true(world_value(w, "nvme0", drive_endurance_used_ratio, NULL) == 0.03);
	assert_false(world_poll(w, "nvme0")->has_power && power_forbids_reading(world_poll(w, "nvme0")->power));
	world_hold(w, "nvme0", "nvme-log id=02");
	world_pass(w, HOUR);
	assert_false(drive_poll_is_up(world_poll(w, "nvme0"), poller_now_us(w->poller), MINUTE * UINT64_C(1000)));
	assert_true(isnan(world_value(w, "nvme0", drive_endurance_used_ratio, NULL)));
	world_free(w);
}

/* ---- failures */

static void failures_are_counted_by_who_failed(void **state)
{
	static const uint8_t torn[] = { 0x11, 0, 0, 8, 0, 1, 3 };
	struct world *w = world_of_one_scsi();
	struct drive_poll *poll;

	world_fail(w, 0, "sda", "log-sense page=0d", fail_sense(4, 0x44, 0));
	world_say(w, "sda", "log-sense page=11", torn, sizeof torn);
	world_fail(w, 1, "sda", "log-sense page=2f", fail_timeout());
	world_pass(w, 1);
	poll = world_poll(w, "sda");
	assert_int_equal(poll->failures[FAIL_DEVICE], 1);
	assert_int_equal(poll->failures[FAIL_FORMAT], 1);
	assert_int_equal(poll->failures[FAIL_TRANSPORT], 1);
	assert_int_equal(poll->failures[FAIL_OS], 0);
	assert_true(poll->is_settled);		/* a page that fails fails alone */
	world_pass(w, 5 * MINUTE);
	assert_true(world_value(w, "sda", drive_warning, "smart_failing") == 0);
	world_free(w);
}

static void a_failing_page_is_asked_later_and_later(void **state)
{
	struct world *w = world_of_one_scsi();
	uint64_t last = 0, want[] = { 60, 120, 240, 480, 960, 960, 960 };
	size_t n = 0;

	world_fail(w, 0, "sda", "log-sense page=0d", fail_sense(4, 0x44, 0));
	world_pass(w, 70 * MINUTE);
	for (size_t i = 0; i < w->n_log && n < ARRAY_SIZE(want); i++) {
		if (strcmp(w->log[i].text, "sda log-sense page=0d"))
			continue;
		if (last || i > 12) {
			uint64_t pause = (w->log[i].at_ms - last) / 1000;

			if (pause + 2 < want[n] || pause > want[n] + 2)
				fail_msg("pause %zu is %llu s", n, (unsigned long long)pause);
			n++;
		}
		last = w->log[i].at_ms;
	}
	assert_in_range(n, 4, 7);
	world_temperature(w, "sda", 41);
	world_pass(w, 20 * MINUTE);
	assert_true(world_value(w, "sda", drive_temperature_celsius, "drive") == 41);	/* and it comes back */
	assert_int_equal(plan_find(world_poll(w, "sda"), &(const struct page){ 0 }), 0);
	world_free(w);
}

static size_t lines_with(int fd, const char *word)
{
	char text[65536];
	ssize_t got = pread(fd, text, sizeof text - 1, 0);
	size_t n = 0;

	text[got > 0 ? got : 0] = 0;
	for (const char *at = text; (at = strstr(at, word)); at++)
		n++;
	return n;
}

static void a_failure_is_logged_once(void **state)
{
	struct world *w = world_of_one_scsi();
	int memory = memfd_create("log", MFD_CLOEXEC), saved = dup(2);
	size_t logged, again;

	log_set_level(LOG_LEVEL_INFO);
	dup2(memory, 2);
	world_fail(w, 0, "sda", "log-sense page=0d", fail_sense(4, 0x44, 0));
	world_pass(w, HOUR);
	logged = lines_with(memory, "log page 0x0d");
	world_fail(w, 0, "sda", "log-sense page=0d", fail_sense(3, 0x11, 0));
	world_pass(w, HOUR);
	again = lines_with(memory, "log page 0x0d");
	dup2(saved, 2);
	close(saved);
	close(memory);
	assert_int_equal(logged, 1);
	assert_int_equal(again, 2);		/* another failure is news */
	assert_true(world_poll(w, "sda")->failures[FAIL_DEVICE] > 6);
	world_free(w);
}

/* Other firmware lacks it: it is asked a few times more, and then its values end with it. */
static void samples_of_a_page_that_is_gone_are_served_no_more(void **state)
{
	struct world *w = world_of_one_scsi();
	size_t first;

	world_wear(w, "sda", 9);
	world_pass(w, 1);
	assert_true(world_value(w, "sda", drive_endurance_used_ratio, NULL) == 0.09);
	first = w->n_log;
	world_forget(w, "sda", "log-sense page=11");
	world_pass(w, 6 * HOUR);
	assert_int_equal(world_count(w, first, "sda log-sense page=11"), 3);
	assert_true(isnan(world_value(w, "sda", drive_endurance_used_ratio, NULL)));
	assert_true(drive_poll_is_up(world_poll(w, "sda"), world_now_us(), poller_interval_us(w->poller)));
	world_free(w);
}

/* It had the page: one that refuses it now is ill, not a drive without health. */
static void a_drive_that_begins_to_refuse_its_health_is_down(void **state)
{
	struct world *w = world_of_one_scsi();

	world_pass(w, 1);
	world_forget(w, "sda", "log-sense page=0d");
	world_pass(w, 30 * MINUTE);
	assert_false(drive_poll_is_up(world_poll(w, "sda"), world_now_us(), poller_interval_us(w->poller)));
	assert_in_range(world_poll(w, "sda")->failures[FAIL_DEVICE], 3, 8);
	world_temperature(w, "sda", 41);
	world_pass(w, 20 * MINUTE);
	assert_true(world_value(w, "sda", drive_temperature_celsius, "drive") == 41);
	assert_true(drive_poll_is_up(world_poll(w, "sda"), world_now_us(), poller_interval_us(w->poller)));
	world_free(w);
}

static void a_drive_that_knows_not_even_who_it_is_is_settled(void **state)
{
	struct world *w = world_of_one_scsi();

	world_forget(w, "sda", "inquiry");
	world_pass(w, 1);
	assert_true(poller_is_settled(w->poller));	/* else `once` never ends */
	assert_false(drive_poll_is_up(world_poll(w, "sda"), poller_now_us(w->poller), MINUTE * UINT64_C(1000)));
	world_pass(w, HOUR);
	assert_int_equal(world_count(w, 0, "sda inquiry"), 1);
	world_free(w);
}

static void a_drive_that_hangs_before_its_health_pages_is_not_up(void **state)
{
	struct world *w = world_of_one_scsi();

	world_hold(w, "sda", "inquiry vpd=80");
	world_pass(w, 10 * MINUTE);
	assert_true(world_poll(w, "sda")->is_stuck);
	assert_false(drive_poll_is_up(world_poll(w, "sda"), poller_now_us(w->poller), MINUTE * UINT64_C(1000)));
	world_free(w);
}

static void a_torn_identity_page_holds_up_no_health_page(void **state)
{
	static const uint8_t torn[] = { 0, 0x83, 0, 99, 1, 3 };
	struct world *w = world_of_one_scsi();

	world_say(w, "sda", "inquiry vpd=83", torn, sizeof torn);
	world_pass(w, 15000);
	assert_true(world_poll(w, "sda")->failures[FAIL_FORMAT] > 0);
	assert_int_equal(world_count(w, 0, "sda log-sense page=0d"), 1);
	assert_true(poller_is_settled(w->poller));
	world_free(w);
}

/* ---- who it is */

static void another_serial_is_another_drive(void **state)
{
	struct world *w = world_of_one_nvme();
	uint8_t health[512] = { 0, 0x36, 1, 90, 10, 44 };

	world_pass(w, 1);
	assert_string_equal(world_drive(w, "nvme0")->label, "Model_N1");
	assert_int_equal(w->n_added, 1);
	world_nvme(w, "nvme0", "Model", "N2");
	world_say(w, "nvme0", "nvme-log id=02", health, sizeof health);
	world_pass(w, 3 * HOUR);
	assert_string_equal(world_drive(w, "nvme0")->label, "Model_N2");
	assert_int_equal(w->n_added, 2);
	assert_int_equal(w->n_removed, 1);
	assert_true(world_value(w, "nvme0", drive_endurance_used_ratio, NULL) == 0.44);
	world_free(w);
}

/* sysfs still says who was there before. */
static void a_drive_in_the_place_of_another_does_not_take_its_label(void **state)
{
	struct world *w = world_new(MINUTE, NULL);
	struct device *d;

	world_nvme(w, "nvme0", "Model", "N1");
	d = world_device(w, "nvme0", TRANSPORT_NVME, "nvme0", "n");
	text_copy(d->model, sizeof d->model, "Model");
	text_copy(d->serial, sizeof d->serial, "N1");
	world_discover(w);
	assert_string_equal(world_drive(w, "nvme0")->label, "Model_N1");
	world_pass(w, 1);
	world_nvme(w, "nvme0", "Model", "N2");
	world_times(w, 1, "nvme0", "nvme-identify cns=01");
	world_hold(w, "nvme0", "nvme-identify cns=01");
	world_pass(w, 3 * HOUR);
	assert_int_equal(w->n_added, 2);
	assert_string_equal(world_drive(w, "nvme0")->label, "unidentified_nvme0");
	world_nvme(w, "nvme0", "Model", "N2");
	world_release_all_as(w, fail_timeout());
	world_pass(w, HOUR);
	assert_int_equal(w->n_added, 2);
	assert_string_equal(world_drive(w, "nvme0")->label, "Model_N2");
	world_free(w);
}

static void a_virtual_drive_is_asked_no_more_once_it_is_known(void **state)
{
	struct world *w = world_new(MINUTE, NULL);
	size_t first;

	world_scsi(w, "sda", "VMware", "Virtual disk", "V1");
	world_device(w, "sda", TRANSPORT_SCSI, "host0", "a")->size_bytes = 1 << 30;
	world_discover(w);
	world_pass(w, 1);
	first = w->n_log;
	assert_true(world_drive(w, "sda")->is_virtual);
	assert_int_equal(world_count(w, 0, "sda log-sense page=0d"), 0);
	assert_true(poller_is_settled(w->poller));
	world_pass(w, 5 * HOUR);
	assert_int_equal(w->n_log, first);
	assert_true(world_value(w, "sda", drive_capacity_bytes, NULL) == 1 << 30);
	world_free(w);
}

static void an_excluded_drive_is_asked_no_more_once_it_is_known(void **state)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	struct drive_filter *filter = drive_filter_new();
	struct world *w;
	size_t first;

	assert_int_equal(drive_filter_add(filter, false, "serial=S1", &error), 0);
	assert_int_equal(drive_filter_add(filter, false, "device=sdz", &error), 0);
	w = world_new(MINUTE, filter);
	world_scsi(w, NULL, "SEAGATE", "ST800", "S1");
	world_device(w, "sda", TRANSPORT_SCSI, "host0", "a");
	world_device(w, "sdz", TRANSPORT_SCSI, "host1", "z");
	world_discover(w);
	world_pass(w, 1);
	first = w->n_log;
	assert_int_equal(count_of_node(w, 0, "sdz"), 0);	/* its device decides before any command */
	assert_true(world_drive(w, "sda")->is_excluded);
	assert_int_equal(world_count(w, 0, "sda log-sense page=0d"), 0);
	world_pass(w, 5 * HOUR);
	assert_int_equal(w->n_log, first);
	assert_true(poller_is_settled(w->poller));
	world_free(w);
	drive_filter_free(filter);
}

static void numbers_of_another_disk_are_not_taken(void **state)
{
	struct world *w = world_of_one_scsi();
	static const uint8_t page[] = { 0x0d, 0, 0, 6, 0, 0, 3, 2, 0, 99 };
	struct wire_reply other = { .diskseq = 6, .bytes = page, .n_bytes = sizeof page };

	w->devices.at[0].diskseq = 5;
	world_discover(w);
	world_hold(w, "sda", "log-sense page=0d");
	world_pass(w, 1);
	assert_int_equal(w->n_held, 1);
	assert_true(w->held[0].diskseq == 5);
	other.id = w->held[0].id;
	other.generation = w->generation;
	world_temperature(w, "sda", 40);
	w->n_held = 0;
	world_send_reply(w, &other);
	world_run(w);
	assert_int_equal(poller_other_disk_replies(w->poller), 1);
	assert_false(world_value(w, "sda", drive_temperature_celsius, "drive") == 99);
	world_pass(w, 2 * MINUTE);
	assert_true(world_value(w, "sda", drive_temperature_celsius, "drive") == 40);
	world_free(w);

	w = world_of_one_scsi();
	world_verdict(w, 1, "sda", "log-sense page=0d", WIRE_OTHER_DISK, 0);
	world_pass(w, 1);
	assert_int_equal(poller_other_disk_replies(w->poller), 1);
	assert_int_equal(world_count(w, 0, "sda log-sense page=11"), 0);
	world_free(w);
}

/* ---- paths, and the prober */

static void a_path_in_trouble_gives_way_to_the_other(void **state)
{
	struct world *w = world_new(MINUTE, NULL);
	size_t first;

	world_scsi(w, NULL, "SEAGATE", "ST800", "S1");
	world_device(w, "sda", TRANSPORT_SCSI, "host0", "a");
	world_device(w, "sdb", TRANSPORT_SCSI, "host1", "a");
	world_discover(w);
	assert_int_equal(w->table.n, 1);
	world_pass(w, 1);
	assert_int_equal(count_of_node(w, 0, "sdb"), 0);
	world_fail(w, 0, "sda", "log-sense page=2f", fail_os(ENODEV, "open"));
	first = w->n_log;
	world_pass(w, 10 * MINUTE);
	assert_int_equal(world_count(w, first, "sda log-sense page=2f"), 1);
	assert_true(world_count(w, first, "sdb log-sense page=2f") > 4);
	world_free(w);
}

static void a_prober_that_goes_away_fails_what_was_under_way(void **state)
{
	struct world *w = world_of_one_scsi();
	size_t first;

	world_hold(w, "sda", "log-sense page=0d");
	world_pass(w, 2000);		/* for long: this drive may be why */
	world_hang_up(w);
	world_run(w);
	assert_int_equal(w->n_lost, 1);
	assert_false(world_poll(w, "sda")->is_outstanding);
	assert_int_equal(world_poll(w, "sda")->failures[FAIL_OS], 1);
	first = w->n_log;
	world_temperature(w, "sda", 40);
	world_pass(w, 5000);
	assert_int_equal(w->n_ready, 2);		/* connected again, */
	assert_int_equal(w->n_log, first);		/* but this drive is left alone a while */
	world_pass(w, 2 * MINUTE);
	assert_true(world_value(w, "sda", drive_temperature_celsius, "drive") == 40);
	world_free(w);
}

static void a_drive_that_was_just_asked_is_asked_again_at_once(void **state)
{
	struct world *w = world_of_one_scsi();

	world_hold(w, "sda", "log-sense page=0d");
	world_pass(w, 1);
	world_hang_up(w);
	world_run(w);
	assert_int_equal(world_poll(w, "sda")->failures[FAIL_OS], 1);
	world_temperature(w, "sda", 40);
	world_pass(w, 2000);
	assert_true(world_value(w, "sda", drive_temperature_celsius, "drive") == 40);
	assert_true(world_poll(w, "sda")->is_settled);
	world_free(w);
}

/* Each time it is asked the prober dies: it is asked more and more seldom. */
static void a_drive_of_which_the_prober_dies_again_and_again_is_backed_off(void **state)
{
	struct world *w = world_of_one_scsi();
	uint64_t failures = 0, pauses = 0;

	world_hold(w, "sda", "inquiry");
	for (int i = 0; i < 60; i++) {
		world_pass(w, 1000);
		world_hang_up(w);
		world_run(w);
		pauses += world_poll(w, "sda")->failures[FAIL_OS] == failures;
		failures = world_poll(w, "sda")->failures[FAIL_OS];
	}
	assert_true(failures >= 3 && failures <= 12);
	assert_true(pauses > 40);
	world_free(w);
}

static void a_prober_that_dies_of_a_power_check_is_counted_too(void **state)
{
	struct world *w = world_of_one_scsi();

	world_verdict(w, 1, "sda", "request-sense", WIRE_CHILD_DIED, 0);
	world_pass(w, 1);
	assert_int_equal(world_poll(w, "sda")->failures[FAIL_OS], 1);
	world_pass(w, 15000);
	assert_true(world_poll(w, "sda")->is_settled);
	world_free(w);
}

static void values_age_while_the_prober_is_away(void **state)
{
	struct world *w = world_of_one_scsi();

	world_pass(w, 1);
	world_stop_listening(w);
	world_hang_up(w);
	world_pass(w, 14 * MINUTE);
	assert_true(world_value(w, "sda", drive_temperature_celsius, "drive") == 40);
	world_pass(w, 2 * MINUTE);
	assert_true(isnan(world_value(w, "sda", drive_temperature_celsius, "drive")));
	assert_false(drive_poll_is_up(world_poll(w, "sda"), poller_now_us(w->poller), MINUTE * UINT64_C(1000)));
	world_free(w);
}

static void a_drive_that_leaves_takes_its_answers_with_it(void **state)
{
	struct world *w = world_of_one_scsi();

	world_hold(w, "sda", "inquiry");
	world_pass(w, 1);
	w->devices.n = 0;
	world_discover(w);
	assert_int_equal(w->table.n, 0);
	world_release(w, "", 0);
	world_pass(w, 1000);
	assert_int_equal(probe_client_dropped(w->client).unknown, 1);
	world_free(w);
}

static void commands_are_counted_and_timed(void **state)
{
	struct world *w = world_of_one_scsi();
	const struct command_times *times;
	uint64_t n = 0;

	world_hold(w, "sda", "log-sense page=0d");
	world_pass(w, 1);
	world_release(w, "", 0);	/* after 9 s */
	world_pass(w, 1);
	times = poller_command_times(w->poller, TRANSPORT_SCSI);
	for (size_t i = 0; i <= COMMAND_BUCKETS; i++)
		n += times->counts[i];
	assert_int_equal(n, w->n_log);
	assert_int_equal(world_poll(w, "sda")->commands, w->n_log);
	assert_int_equal(times->counts[COMMAND_BUCKETS - 1], 1);	/* up to 30 s */
	assert_true(times->sum == 9.0);
	assert_int_equal(world_poll(w, "sda")->command_errors, 6);	/* what it does not support */
	world_free(w);
}

/* ---- SAS */

static void a_page_that_times_out_waits_longer_than_one_that_fails(void **state)
{
	struct world *w = world_of_one_scsi();
	size_t first;

	world_fail(w, 0, "sda", "log-sense page=2f", fail_timeout());
	world_pass(w, 1);
	first = w->n_log;
	assert_int_equal(world_count(w, 0, "sda log-sense page=0d"), 1);	/* the visit goes on */
	world_pass(w, MINUTE + 20000);
	assert_int_equal(world_count(w, first, "sda log-sense page=2f"), 0);
	assert_in_range(world_count(w, first, "sda log-sense page=0d"), 1, 2);
	world_pass(w, MINUTE);
	assert_int_equal(world_count(w, first, "sda log-sense page=2f"), 1);
	world_pass(w, 60 * MINUTE);
	assert_in_range(world_count(w, first, "sda log-sense page=2f"), 5, 6);	/* after 3, 6, 12 and 24 minutes */
	world_free(w);
}

static void one_timeout_takes_nothing_away(void **state)
{
	struct world *w = world_of_one_scsi();

	world_pass(w, 1);
	world_fail(w, 1, "sda", "log-sense page=11", fail_timeout());
	world_fail(w, 1, "sda", "log-sense page=2f", fail_timeout());
	for (int minute = 0; minute < 60; minute++) {
		world_pass(w, MINUTE);
		assert_true(world_value(w, "sda", drive_endurance_used_ratio, NULL) == 0.07);
		assert_true(drive_poll_is_up(world_poll(w, "sda"), world_now_us(), poller_interval_us(w->poller)));
	}
	world_free(w);
}

static void timeouts_that_do_not_follow_each_other_end_no_visit(void **state)
{
	struct world *w = world_of_one_scsi();

	world_fail(w, 0, "sda", "log-sense page=2f", fail_timeout());	/* 0Dh, between them, answers */
	world_fail(w, 0, "sda", "log-sense page=11", fail_timeout());
	world_pass(w, 1);
	assert_int_equal(world_count(w, 0, "sda log-sense page=06"), 1);
	world_free(w);
}

/* A unit attention stands before the state, and is cleared by being told. */
static void a_sleeping_disk_with_a_unit_attention_gets_nothing_else(void **state)
{
	static const uint8_t attention[18] = { 0x70, 0, 6, [7] = 10, [12] = 0x29 };
	static const uint8_t deferred[18] = { 0x71, 0, 4, [7] = 10, [12] = 0x44 };
	const uint8_t *const hides[] = { attention, deferred };

	for (size_t i = 0; i < ARRAY_SIZE(hides); i++) {
		struct world *w = world_of_one_scsi();
		size_t first;

		world_pass(w, 1);
		first = w->n_log;
		world_scsi_sense(w, "sda", 0x5e, 0x02);
		world_say(w, "sda", "request-sense", hides[i], 18);
		world_times(w, 1, "sda", "request-sense");
		world_scsi_sense(w, "sda", 0x5e, 0x02);
		world_pass(w, 10 * MINUTE);
		assert_int_equal(world_count(w, first, "sda request-sense"), w->n_log - first);
		assert_in_range(w->n_log - first, 10, 12);
		world_free(w);
	}
}

static void a_drive_whose_state_is_not_known_is_left_alone_for_a_while(void **state)
{
	struct world *w = world_of_one_scsi();
	size_t first;

	world_pass(w, 1);
	first = w->n_log;
	world_fail(w, 0, "sda", "request-sense", fail_status(0x08));
	world_pass(w, 2 * MINUTE);
	assert_int_equal(world_count(w, first, "sda request-sense"), w->n_log - first);
	world_pass(w, 10 * MINUTE);	/* it never tells: then it is read all the same */
	assert_in_range(world_count(w, first, "sda log-sense page=0d"), 8, 11);
	world_free(w);
}

static void a_sleeping_disk_sleeps_on_while_its_state_does_not_get_through(void **state)
{
	struct world *w = world_of_one_scsi();

	world_pass(w, 1);
	world_scsi_sense(w, "sda", 0x5e, 0x02);
	world_pass(w, HOUR);
	world_fail(w, 2, "sda", "request-sense", fail_status(0x08));
	world_pass(w, 2 * MINUTE);
	assert_true(drive_poll_sleeps(world_poll(w, "sda")));
	assert_true(drive_poll_is_up(world_poll(w, "sda"), world_now_us(), poller_interval_us(w->poller)));
	world_free(w);
}

static void a_power_check_that_times_out_is_not_hammered(void **state)
{
	struct world *w = world_of_one_scsi();
	size_t first;

	world_pass(w, 1);
	first = w->n_log;
	world_fail(w, 0, "sda", "request-sense", fail_timeout());
	world_pass(w, HOUR);
	assert_in_range(w->n_log - first, 4, 6);	/* after 2, 4, 8, 16, 16 minutes */
	assert_false(drive_poll_is_up(world_poll(w, "sda"), world_now_us(), poller_interval_us(w->poller)));
	world_scsi_sense(w, "sda", 0, 0);
	world_pass(w, 20 * MINUTE);
	assert_true(drive_poll_is_up(world_poll(w, "sda"), world_now_us(), poller_interval_us(w->poller)));
	world_free(w);
}

static void a_sleeping_drive_ages_when_nobody_asks_it(void **state)
{
	struct world *w = world_of_one_scsi();

	world_pass(w, 1);
	world_scsi_sense(w, "sda", 0x5e, 0x02);
	world_pass(w, 30 * MINUTE);
	assert_true(world_value(w, "sda", drive_temperature_celsius, "drive") == 40);
	world_stop_listening(w);
	world_hang_up(w);
	world_pass(w, HOUR);
	assert_true(isnan(world_value(w, "sda", drive_temperature_celsius, "drive")));
	assert_false(drive_poll_is_up(world_poll(w, "sda"), world_now_us(), poller_interval_us(w->poller)));
	world_free(w);
}

static void two_timeouts_in_a_row_end_the_visit(void **state)
{
	struct world *w = world_of_one_scsi();
	size_t first;

	world_fail(w, 0, "sda", "log-sense page=2f", fail_timeout());
	world_fail(w, 0, "sda", "log-sense page=0d", fail_timeout());
	world_pass(w, 1);
	assert_int_equal(world_count(w, 0, "sda log-sense page=11"), 0);
	assert_true(poller_is_settled(w->poller));	/* who waits for first visits waits no longer */
	first = w->n_log;
	world_pass(w, MINUTE + 1000);
	assert_int_equal(world_count(w, first, "sda log-sense page=11"), 1);	/* an interval later the rest has its turn */
	assert_int_equal(world_count(w, first, "sda log-sense page=2f"), 0);
	assert_true(world_value(w, "sda", drive_endurance_used_ratio, NULL) == 0.07);
	world_free(w);
}

static void say_pages_are(struct world *w, struct fail f)
{
	world_fail(w, 0, "sda", "log-sense page=2f", f);
	world_fail(w, 0, "sda", "log-sense page=0d", f);
	world_fail(w, 0, "sda", "log-sense page=11", f);
}

static void a_reserved_drive_has_not_failed(void **state)
{
	struct world *w = world_of_one_scsi();
	struct drive_poll *poll;
	size_t first;

	world_pass(w, 1);
	poll = world_poll(w, "sda");
	assert_false(drive_poll_is_reserved(poll));
	say_pages_are(w, fail_status(0x18));
	first = w->n_log;
	world_pass(w, 29 * MINUTE);
	assert_true(drive_poll_is_reserved(poll));
	assert_true(drive_poll_is_up(poll, world_now_us(), poller_interval_us(w->poller)));
	assert_true(poll->failures[FAIL_RESERVED] > 29);
	assert_int_equal(poll->failures[FAIL_DEVICE], 0);
	assert_in_range(world_count(w, first, "sda log-sense page=0d"), 28, 30);	/* each interval, until it is free again */
	assert_true(world_value(w, "sda", drive_endurance_used_ratio, NULL) == 0.07);
	world_say(w, "sda", "log-sense page=2f", "\x2f\0\0\x08\0\0\x03\x04\0\0\0\0", 12);
	world_temperature(w, "sda", 42);
	world_wear(w, "sda", 8);
	world_pass(w, 11 * MINUTE);
	assert_false(drive_poll_is_reserved(poll));
	assert_true(world_value(w, "sda", drive_endurance_used_ratio, NULL) == 0.08);
	world_free(w);
}

/* Some reservations let LOG SENSE pass. */
static void a_drive_whose_health_is_told_is_not_reserved(void **state)
{
	struct world *w = world_of_one_scsi();
	struct drive_poll *poll;

	world_fail(w, 0, "sda", "read-defects", fail_status(0x18));
	world_fail(w, 0, "sda", "mode-sense page=1c", fail_status(0x18));
	world_pass(w, 1);
	poll = world_poll(w, "sda");
	assert_false(drive_poll_is_reserved(poll));
	assert_true(drive_poll_is_up(poll, world_now_us(), poller_interval_us(w->poller)));
	say_pages_are(w, fail_sense(4, 0x44, 0));
	world_pass(w, 10 * MINUTE);
	assert_false(drive_poll_is_up(poll, world_now_us(), poller_interval_us(w->poller)));
	world_free(w);
}

/* One answer of a kind lets all of that kind be asked again at their turns; the reservation is over. */
static void a_reservation_is_over_for_all_pages_at_once(void **state)
{
	struct world *w = world_of_one_scsi();
	struct drive_poll *poll;

	world_pass(w, 1);
	poll = world_poll(w, "sda");
	say_pages_are(w, fail_status(0x18));
	world_pass(w, 29 * MINUTE);
	assert_true(drive_poll_is_reserved(poll));
	world_temperature(w, "sda", 42);	/* the first that gets through */
	world_fail(w, 0, "sda", "log-sense page=2f", fail_sense(4, 0x44, 0));
	world_pass(w, MINUTE + 1000);
	assert_false(drive_poll_is_reserved(poll));
	world_free(w);
}

/* Which page feeds a series is decided once: a moment in which the drive was busy must not decide it. */
static void a_busy_moment_in_the_first_visit_decides_no_source(void **state)
{
	static const uint8_t logs[] = { 0, 0, 0, 5, 0, 0x0d, 0x11, 0x2f, 0x3c };
	const struct fail passing[] = { fail_status(0x08), fail_sense(0xb, 0x47, 0), fail_sense(2, 4, 1), fail_os(5, "ioctl") };

	for (size_t i = 0; i < ARRAY_SIZE(passing); i++) {
		struct world *w = world_of_one_scsi();
		uint8_t fine[] = { 0x3c, 0, 0, 8, 0x80, 4, 3, 4, 0, 1, 0x11, 0x70 };	/* 70,000 millionths */

		world_wear(w, "sda", 9);
		world_say(w, "sda", "log-sense", logs, sizeof logs);
		world_say(w, "sda", "log-sense page=3c parameter=8004", fine, sizeof fine);
		world_fail(w, 1, "sda", "log-sense page=3c parameter=8004", passing[i]);
		world_pass(w, 1);
		assert_false(poller_is_settled(w->poller));
		assert_true(isnan(world_value(w, "sda", drive_endurance_used_ratio, NULL)));
		world_pass(w, 12000);
		assert_true(poller_is_settled(w->poller));
		assert_true(world_value(w, "sda", drive_endurance_used_ratio, NULL) == 0.07);
		world_free(w);
	}
}

static void a_busy_drive_is_asked_again_at_its_next_turn(void **state)
{
	static const uint8_t statuses[] = { 0x08, 0x28 };	/* BUSY, TASK SET FULL */

	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		struct world *w = world_of_one_scsi();
		size_t first;

		world_pass(w, 1);
		first = w->n_log;
		world_fail(w, 0, "sda", "log-sense page=0d", fail_status(statuses[i]));
		world_pass(w, 20 * MINUTE);
		assert_in_range(world_count(w, first, "sda log-sense page=0d"), 19, 21);
		assert_in_range(world_poll(w, "sda")->failures[FAIL_TRANSPORT], 19, 21);
		assert_int_equal(world_poll(w, "sda")->failures[FAIL_DEVICE], 0);
		assert_false(drive_poll_is_reserved(world_poll(w, "sda")));
		world_free(w);
	}
}

static void what_a_drive_reports_with_its_power_state_is_heard(void **state)
{
	static const uint8_t logs[] = { 0, 0, 0, 2, 0, 0x0d };
	struct world *w = world_of_one_scsi();

	world_say(w, "sda", "log-sense", logs, sizeof logs);	/* no page for exceptions */
	world_pass(w, 1);
	assert_true(isnan(world_value(w, "sda", drive_warning, "smart_failing")));
	world_scsi_sense(w, "sda", 0x5d, 0x10);
	world_pass(w, MINUTE);
	assert_true(world_value(w, "sda", drive_warning, "smart_failing") == 1);
	assert_true(world_value(w, "sda", drive_scsi_informational_exception, "5d") == 1);
	world_scsi_sense(w, "sda", 0, 0);
	world_pass(w, MINUTE);
	assert_true(isnan(world_value(w, "sda", drive_warning, "smart_failing")));
	world_free(w);
}

static void a_source_that_fails_every_third_time_stays_the_source(void **state)
{
	static const uint8_t logs[] = { 0, 0, 0, 5, 0, 0x0d, 0x11, 0x2f, 0x3c };
	uint8_t fine[] = { 0x3c, 0, 0, 8, 0x80, 4, 3, 4, 0, 1, 0x11, 0x70 };	/* 70,000 millionths */
	struct world *w = world_of_one_scsi();

	world_say(w, "sda", "log-sense", logs, sizeof logs);
	world_say(w, "sda", "log-sense page=3c parameter=8004", fine, sizeof fine);
	world_pass(w, 1);
	assert_true(world_value(w, "sda", drive_endurance_used_ratio, NULL) == 0.07);
	world_wear(w, "sda", 9);
	for (int i = 0; i < 30; i++) {
		double wear;

		if (i % 3 == 2)
			world_fail(w, 1, "sda", "log-sense page=3c parameter=8004", fail_sense(4, 0x44, 0));
		world_pass(w, 10 * MINUTE);
		wear = world_value(w, "sda", drive_endurance_used_ratio, NULL);
		assert_true(wear == 0.07);
	}
	assert_int_equal(world_poll(w, "sda")->n_source_changes, 0);
	assert_string_equal(readings_source(world_poll(w, "sda"), drive_endurance_used_ratio)->name, "log page 0x3c (Seagate)");
	world_fail(w, 0, "sda", "log-sense page=3c parameter=8004", fail_sense(5, 0x24, 0));	/* now it is gone for good */
	world_pass(w, 6 * HOUR);
	assert_true(world_value(w, "sda", drive_endurance_used_ratio, NULL) == 0.09);
	assert_int_equal(world_poll(w, "sda")->n_source_changes, 1);
	assert_string_equal(world_poll(w, "sda")->source_changes[0].quantity, "wear");
	world_free(w);
}

/* ---- the host's side of the paths */

static struct world *world_of_two_paths(void)
{
	struct world *w = world_new(MINUTE, NULL);

	world_scsi(w, NULL, "SEAGATE", "ST800", "S1");
	world_device(w, "sda", TRANSPORT_SCSI, "host0", "a")->is_sas = true;
	world_device(w, "sdb", TRANSPORT_SCSI, "host1", "a")->is_sas = true;
	text_copy(w->devices.at[0].path, sizeof w->devices.at[0].path, "0:0:3:0");
	return w;
}

static void discover_with_host_phys(struct world *w)
{
	world_discover(w);
	world_poll(w, "sda")->has_host_phys = true;
}

static void phys_of_the_host_are_left_alone_unless_asked_for(void **state)
{
	struct world *w = world_of_two_paths();

	world_discover(w);
	world_pass(w, 2 * HOUR);
	assert_int_equal(world_count(w, 0, "sda host-phys"), 0);
	world_free(w);
}

static void phys_of_the_host_are_read_on_each_path_and_rarely(void **state)
{
	static const uint8_t phys[] = { 4, 0xb, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 5 };
	struct world *w = world_of_two_paths();
	size_t n;

	world_say(w, "sda", "host-phys", phys, sizeof phys);
	world_say(w, "sdb", "host-phys", phys, sizeof phys);
	discover_with_host_phys(w);
	world_pass(w, 1);
	assert_int_equal(world_count(w, 0, "sda host-phys"), 1);
	assert_int_equal(world_count(w, 0, "sdb host-phys"), 1);
	assert_true(world_value(w, "sda", drive_link_errors_total, "0:0:3:0-4") == 1);
	assert_true(world_value(w, "sda", drive_link_errors_total, "sdb-4") == 1);
	n = world_poll(w, "sda")->commands;
	world_pass(w, 2 * HOUR);
	assert_in_range(world_count(w, 0, "sda host-phys"), 4, 6);
	assert_true(world_poll(w, "sda")->commands > n);
	w->devices.n = 1;		/* the second path is unplugged */
	world_discover(w);
	world_pass(w, HOUR);
	assert_true(isnan(world_value(w, "sda", drive_link_errors_total, "sdb-4")));
	assert_true(world_value(w, "sda", drive_link_errors_total, "0:0:3:0-4") == 1);
	world_free(w);
}

static void a_host_that_hangs_holds_up_no_drive(void **state)
{
	struct world *w = world_of_two_paths();
	size_t first;

	world_hold(w, "sda", "host-phys");
	world_verdict(w, 0, "sdb", "host-phys", WIRE_BUSY, world_real_us());
	discover_with_host_phys(w);
	world_pass(w, 6000);		/* past the deadline */
	assert_false(world_poll(w, "sda")->is_stuck);
	assert_true(poller_is_settled(w->poller));
	first = w->n_log;
	world_pass(w, 20 * MINUTE);
	assert_in_range(world_count(w, first, "sda log-sense page=0d"), 19, 21);
	assert_int_equal(world_count(w, first, "sda host-phys"), 0);
	assert_int_equal(world_poll(w, "sda")->failures[FAIL_TRANSPORT], 2);
	assert_int_equal(world_poll(w, "sda")->failures[FAIL_DEVICE], 0);
	world_release_all_as(w, OK);	/* far too late: nobody waits for it */
	world_pass(w, MINUTE);
	assert_true(drive_poll_is_up(world_poll(w, "sda"), world_now_us(), poller_interval_us(w->poller)));
	world_free(w);
}

/* Another drive of the host is just reading the same adapter. */
static void a_drive_waits_for_its_turn_at_the_adapter(void **state)
{
	static const uint8_t phys[18] = { 4, 0xa, [5] = 1 };
	struct world *w = world_of_two_paths();

	world_say(w, "sda", "host-phys", phys, sizeof phys);
	world_say(w, "sdb", "host-phys", phys, sizeof phys);
	world_verdict(w, 1, "sdb", "host-phys", WIRE_BUSY, world_real_us());
	discover_with_host_phys(w);
	world_pass(w, 1000);
	assert_int_equal(world_count(w, 0, "sdb host-phys"), 2);
	assert_true(poller_is_settled(w->poller));
	assert_int_equal(world_poll(w, "sda")->failures[FAIL_TRANSPORT], 0);
	world_free(w);
}

static void a_host_that_hangs_holds_up_no_drive_of_its_own(void **state)
{
	struct world *w = world_new(MINUTE, NULL);

	world_scsi(w, "sda", "SEAGATE", "ST800", "S1");
	world_scsi(w, "sdb", "SEAGATE", "ST800", "S2");
	world_device(w, "sda", TRANSPORT_SCSI, "host0", "a")->is_sas = true;
	world_device(w, "sdb", TRANSPORT_SCSI, "host0", "b");
	world_hold(w, "sda", "host-phys");
	discover_with_host_phys(w);
	world_pass(w, 1);
	assert_int_equal(world_count(w, 0, "sda host-phys"), 1);
	assert_int_equal(world_count(w, 0, "sdb log-sense page=0d"), 1);
	world_release_all_as(w, OK);
	world_free(w);
}

/* ---- bridges */

static struct world *world_of_a_bridge(bool is_rubbish)
{
	static const uint8_t list[] = { 0, 0, 0, 4, 0, 0x80, 0x83, 0x89 };
	struct world *w = world_new(MINUTE, NULL);

	world_ata(w, "sda", "WDC WD40", "W1", 7200);	/* what is behind it */
	world_scsi(w, "sda", "USB3.0", "Bridge", "B1");
	world_say(w, "sda", "inquiry vpd=00", list, sizeof list);
	if (is_rubbish) {
		uint8_t rubbish[512];

		memset(rubbish, 0xa5, sizeof rubbish);
		world_say(w, "sda", "ata-identify", rubbish, sizeof rubbish);
	}
	world_device(w, "sda", TRANSPORT_SCSI, "host0", "a")->rotational = 1;
	world_discover(w);
	world_pass(w, 1);
	return w;
}

static void behind_a_bridge_the_ata_drive_is_read(void **state)
{
	struct world *w = world_of_a_bridge(false);

	assert_string_equal(world_drive(w, "sda")->label, "WDC_WD40_W1");
	assert_string_equal(drive_transport_name(world_drive(w, "sda")), "ata");
	assert_int_equal(world_count(w, 0, "sda log-sense"), 0);
	assert_string_equal(world_asked(w, 0),
			    "sda request-sense\n"
			    "sda inquiry\n"
			    "sda inquiry vpd=00\n"
			    "sda ata-identify\n"
			    "sda ata-check-power\n"
			    "sda ata-identify\n"
			    "sda ata-smart-thresholds\n"
			    "sda ata-smart-data\n"
			    "sda ata-smart-status\n");
	world_pass(w, 2 * HOUR);
	assert_true(world_count(w, 0, "sda ata-check-power") > 1);
	assert_int_equal(world_count(w, 0, "sda inquiry"), 1);
	world_free(w);
}

/* The bridge is awake, and its disk is not: IDENTIFY wakes it not, SMART READ DATA would. */
static void a_disk_asleep_behind_a_bridge_sleeps_on(void **state)
{
	static const uint8_t standby[] = { 0 }, list[] = { 0, 0, 0, 4, 0, 0x80, 0x83, 0x89 };
	struct world *w = world_new(MINUTE, NULL);

	world_ata(w, "sda", "WDC WD40", "W1", 7200);
	world_scsi(w, "sda", "USB3.0", "Bridge", "B1");
	world_say(w, "sda", "inquiry vpd=00", list, sizeof list);
	world_say(w, "sda", "ata-check-power", standby, sizeof standby);
	world_fail(w, 0, "sda", "request-sense", fail_sense(5, 0x20, 0));	/* it does not even know this */
	world_device(w, "sda", TRANSPORT_SCSI, "host0", "a")->rotational = 1;
	world_discover(w);
	world_pass(w, 2 * HOUR);
	assert_int_equal(world_count(w, 0, "sda ata-smart-data") + world_count(w, 0, "sda ata-smart-status"), 0);
	assert_true(world_count(w, 0, "sda ata-check-power") > 100);
	assert_true(drive_poll_sleeps(world_poll(w, "sda")));
	world_free(w);
}

static void a_bridge_that_talks_rubbish_is_left_alone(void **state)
{
	struct world *w = world_of_a_bridge(true);
	size_t n;

	world_pass(w, 3 * MINUTE);
	assert_string_equal(world_drive(w, "sda")->label, "Bridge_B1");
	assert_string_equal(drive_transport_name(world_drive(w, "sda")), "scsi");
	n = world_count(w, 0, "sda ata-identify");
	assert_in_range(n, 1, 3);
	assert_int_equal(world_count(w, 0, "sda ata-smart-data"), 0);
	assert_true(world_value(w, "sda", drive_temperature_celsius, "drive") == 40);
	world_pass(w, 2 * HOUR);
	assert_in_range(world_count(w, 0, "sda ata-identify"), n, n + 12);	/* rarely */
	assert_int_equal(world_count(w, 0, "sda ata-smart-data"), 0);
	world_free(w);
}

/* ---- idle disks */

static void an_idle_disk_is_read_unless_told_otherwise(void **state)
{
	static const uint8_t idle[] = { 0x80, 0x81, 0x82, 0x83 };

	for (size_t i = 0; i < ARRAY_SIZE(idle); i++)
		for (int skips = 0; skips < 2; skips++) {
			struct world *w = world_of_one_disk();
			size_t first;

			world_pass(w, 1);
			world_poll(w, "sda")->skips_idle = skips;
			world_say(w, "sda", "ata-check-power", &idle[i], 1);
			first = w->n_log;
			world_pass(w, HOUR);
			assert_true((world_count(w, first, "sda ata-smart-status") > 0) == !skips);
			if (skips)	/* nothing but the check, which does not start its timer anew */
				assert_int_equal(w->n_log - first, world_count(w, first, "sda ata-check-power"));
			assert_true(drive_poll_is_up(world_poll(w, "sda"), world_now_us(), poller_interval_us(w->poller)));
			assert_false(isnan(world_value(w, "sda", drive_warning, "smart_failing")));	/* the last word stays */
			world_free(w);
		}
}

static void say_firmware(struct world *w, const char *firmware)
{
	uint8_t identify[4096] = { 0 };

	memset(identify + 4, ' ', 68);
	memcpy(identify + 4, "N1", 2);
	memcpy(identify + 24, "Model", 5);
	memcpy(identify + 64, firmware, strlen(firmware));
	world_say(w, "nvme0", "nvme-identify cns=01", identify, sizeof identify);
}

static void say_worn(struct world *w, uint8_t percent)
{
	uint8_t health[512] = { 0, 0x36, 1, 90, 10, percent };

	world_say(w, "nvme0", "nvme-log id=02", health, sizeof health);
}

/* As of a Kingston whose update turned the meaning of an attribute round. Health is read each minute, who it is each hour. */
static void a_jump_of_wear_at_new_firmware_is_told(void **state)
{
	struct world *w = world_of_one_nvme();

	say_firmware(w, "1.0");
	say_worn(w, 7);
	world_pass(w, 1);
	say_firmware(w, "2.0");
	say_worn(w, 12);	/* five points are no jump */
	world_pass(w, 2 * HOUR);
	assert_int_equal(world_poll(w, "nvme0")->n_source_changes, 0);
	say_worn(w, 40);	/* a jump, and the firmware is the same */
	world_pass(w, 2 * HOUR);
	assert_int_equal(world_poll(w, "nvme0")->n_source_changes, 0);
	say_firmware(w, "3.0");	/* both; the jump is seen first */
	say_worn(w, 93);
	world_pass(w, 2 * HOUR);
	assert_int_equal(world_poll(w, "nvme0")->n_source_changes, 1);
	assert_string_equal(world_poll(w, "nvme0")->source_changes[0].quantity, "wear");
	assert_int_equal(world_poll(w, "nvme0")->source_changes[0].n, 1);
	world_pass(w, 2 * HOUR);
	assert_int_equal(world_poll(w, "nvme0")->source_changes[0].n, 1);
	assert_true(world_value(w, "nvme0", drive_endurance_used_ratio, NULL) == 0.93);
	world_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_first_visit_asks_who_then_what_then_how),
		cmocka_unit_test(later_visits_come_once_an_interval_and_after_the_power_check),
		cmocka_unit_test(the_interval_scales_every_period),
		cmocka_unit_test(drives_are_spread_over_the_interval),
		cmocka_unit_test(what_is_not_supported_is_never_asked_twice),
		cmocka_unit_test(a_power_check_that_is_not_supported_is_never_asked_twice),
		cmocka_unit_test(solid_state_drives_are_not_asked_whether_they_sleep),
		cmocka_unit_test(a_namespace_of_another_controller_counts_for_the_capacity),
		cmocka_unit_test(a_controller_is_left_only_when_it_is_lost),
		cmocka_unit_test(the_other_controller_begins_anew),
		cmocka_unit_test(what_follows_from_identify_grows_old_too),
		cmocka_unit_test(unit_attention_is_asked_again_once),
		cmocka_unit_test(a_drive_has_one_command_under_way),
		cmocka_unit_test(drives_of_a_host_are_asked_one_after_another),
		cmocka_unit_test(nobody_starves_behind_a_later_drive_that_hangs),
		cmocka_unit_test(who_waits_for_a_drive_that_is_unplugged_is_asked),
		cmocka_unit_test(a_late_answer_is_used),
		cmocka_unit_test(busy_tells_since_when),
		cmocka_unit_test(a_sleeping_drive_gets_the_power_check_alone),
		cmocka_unit_test(a_drive_asleep_from_the_start_is_settled_and_read_when_it_wakes),
		cmocka_unit_test(a_suspended_device_keeps_its_values),
		cmocka_unit_test(who_answers_sleeps_no_more),
		cmocka_unit_test(failures_are_counted_by_who_failed),
		cmocka_unit_test(a_failing_page_is_asked_later_and_later),
		cmocka_unit_test(a_failure_is_logged_once),
		cmocka_unit_test(samples_of_a_page_that_is_gone_are_served_no_more),
		cmocka_unit_test(a_drive_that_begins_to_refuse_its_health_is_down),
		cmocka_unit_test(a_drive_that_knows_not_even_who_it_is_is_settled),
		cmocka_unit_test(a_drive_that_hangs_before_its_health_pages_is_not_up),
		cmocka_unit_test(a_torn_identity_page_holds_up_no_health_page),
		cmocka_unit_test(another_serial_is_another_drive),
		cmocka_unit_test(a_drive_in_the_place_of_another_does_not_take_its_label),
		cmocka_unit_test(a_virtual_drive_is_asked_no_more_once_it_is_known),
		cmocka_unit_test(an_excluded_drive_is_asked_no_more_once_it_is_known),
		cmocka_unit_test(numbers_of_another_disk_are_not_taken),
		cmocka_unit_test(a_path_in_trouble_gives_way_to_the_other),
		cmocka_unit_test(a_prober_that_goes_away_fails_what_was_under_way),
		cmocka_unit_test(a_drive_that_was_just_asked_is_asked_again_at_once),
		cmocka_unit_test(a_drive_of_which_the_prober_dies_again_and_again_is_backed_off),
		cmocka_unit_test(a_prober_that_dies_of_a_power_check_is_counted_too),
		cmocka_unit_test(values_age_while_the_prober_is_away),
		cmocka_unit_test(a_drive_that_leaves_takes_its_answers_with_it),
		cmocka_unit_test(commands_are_counted_and_timed),
		cmocka_unit_test(a_page_that_times_out_waits_longer_than_one_that_fails),
		cmocka_unit_test(two_timeouts_in_a_row_end_the_visit),
		cmocka_unit_test(one_timeout_takes_nothing_away),
		cmocka_unit_test(timeouts_that_do_not_follow_each_other_end_no_visit),
		cmocka_unit_test(a_sleeping_disk_with_a_unit_attention_gets_nothing_else),
		cmocka_unit_test(a_drive_whose_state_is_not_known_is_left_alone_for_a_while),
		cmocka_unit_test(a_sleeping_disk_sleeps_on_while_its_state_does_not_get_through),
		cmocka_unit_test(a_power_check_that_times_out_is_not_hammered),
		cmocka_unit_test(a_sleeping_drive_ages_when_nobody_asks_it),
		cmocka_unit_test(a_drive_whose_health_is_told_is_not_reserved),
		cmocka_unit_test(a_reservation_is_over_for_all_pages_at_once),
		cmocka_unit_test(a_busy_moment_in_the_first_visit_decides_no_source),
		cmocka_unit_test(a_reserved_drive_has_not_failed),
		cmocka_unit_test(a_busy_drive_is_asked_again_at_its_next_turn),
		cmocka_unit_test(what_a_drive_reports_with_its_power_state_is_heard),
		cmocka_unit_test(a_source_that_fails_every_third_time_stays_the_source),
		cmocka_unit_test(phys_of_the_host_are_left_alone_unless_asked_for),
		cmocka_unit_test(phys_of_the_host_are_read_on_each_path_and_rarely),
		cmocka_unit_test(a_host_that_hangs_holds_up_no_drive),
		cmocka_unit_test(a_drive_waits_for_its_turn_at_the_adapter),
		cmocka_unit_test(a_host_that_hangs_holds_up_no_drive_of_its_own),
		cmocka_unit_test(behind_a_bridge_the_ata_drive_is_read),
		cmocka_unit_test(a_disk_asleep_behind_a_bridge_sleeps_on),
		cmocka_unit_test(a_bridge_that_talks_rubbish_is_left_alone),
		cmocka_unit_test(an_idle_disk_is_read_unless_told_otherwise),
		cmocka_unit_test(a_jump_of_wear_at_new_firmware_is_told),
	};

	return cmocka_run_group_tests_name("poller", tests, NULL, NULL);
}
