/* poll/: what a day of polling costs ATA drives. Health reads are not queued: each drains the drive's queue, so they are
 * rationed, and counted here on every ATA capture. */
#include "poll_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"
#include "replay/replay.h"

enum { MINUTE = 60000, HOUR = 3600000, HOURS = 8 };
enum { SMART_AND_LOG_COMMANDS_AN_HOUR = 30, STATUS_AN_HOUR = 2, CHECKS_AN_HOUR = 61 };

static void answer(void *context, const struct wire_request *request, struct wire_reply *ret)
{
	static uint8_t buffer[COMMAND_ANSWER_MAX];
	struct replay *replay = context;
	struct replay_answer a;
	size_t drive, node;

	assert_true(replay_owner(replay, request->node, 0, &drive, &node));
	replay_look_up(replay, drive, node, 0, &request->command, buffer, &a);
	ret->fail = a.fail;
	ret->bytes = buffer;
	ret->n_bytes = a.n_bytes;
}

static bool is_rotating(const struct capture *c)
{
	for (size_t i = 0; i < c->n_lines; i++)
		if (c->lines[i].kind == CAPTURE_ROTATIONAL)
			return !strcmp(c->lines[i].value, "1");
	return true;
}

static bool is_smart_or_log(const struct command *c)
{
	return c->name >= COMMAND_ATA_SMART_DATA && c->name <= COMMAND_ATA_LOG;
}

/* Commands between two moments. */
static size_t count(const struct world *w, uint64_t from_ms, uint64_t to_ms, bool (*is_counted)(const struct command *))
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_log; i++)
		n += w->log[i].at_ms >= from_ms && w->log[i].at_ms < to_ms && is_counted(&w->log[i].request.command);
	return n;
}

static bool is_status(const struct command *c)
{
	return c->name == COMMAND_ATA_SMART_STATUS;
}

static bool is_check(const struct command *c)
{
	return c->name == COMMAND_ATA_CHECK_POWER;
}

static void check(const struct world *w, const char *file, bool rotates)
{
	assert_true(poller_is_settled(w->poller));
	for (uint64_t hour = 0; hour < HOURS; hour++) {
		uint64_t from = hour * HOUR, to = from + HOUR;
		size_t n = count(w, from, to, is_smart_or_log);

		if (n > SMART_AND_LOG_COMMANDS_AN_HOUR)
			fail_msg("%s: %zu commands in hour %u", file, n, (unsigned)hour);
		assert_in_range(n, 1, SMART_AND_LOG_COMMANDS_AN_HOUR);
		assert_in_range(count(w, from, to, is_status), 1, STATUS_AN_HOUR + (hour == 0));
		assert_in_range(count(w, from, to, is_check), 0, rotates ? CHECKS_AN_HOUR : 0);
	}
}

/* Frees it. False: it is of no ATA drive, or of one that sleeps or goes away. */
static bool poll_for_hours(struct capture *c, world_other_fn other)
{
	struct replay replay = { 0 };
	AUTO_TEXT error = TEXT_LIMIT(1000);
	bool rotates = is_rotating(c), is_ata = c->transport == TRANSPORT_ATA && !strstr(c->file, "standby");
	const char *node = capture_device(c, 0, NULL);
	struct world *w;

	if (!replay_add(&replay, c, &error))
		fail_msg("%s", error.at);
	if (is_ata) {
		w = world_new(MINUTE, NULL);
		w->other = other;
		w->other_context = &replay;
		world_device(w, node, TRANSPORT_ATA, "host0", "a")->rotational = rotates;
		world_discover(w);
		world_pass(w, HOURS * (uint64_t)HOUR);
		check(w, c->file, rotates);
		world_free(w);
	}
	replay_free(&replay);
	return is_ata;
}

/* Device Statistics 01h, 03h, 05h and 07h, so that no two are asked by one command. */
static void answer_with_holes(void *context, const struct wire_request *request, struct wire_reply *ret)
{
	static const uint8_t list[512] = { 1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 1, 3, 5, 7 };
	static uint8_t page[512] = { 1, 0 };
	const struct command *c = &request->command;

	if (c->name != COMMAND_ATA_LOG || c->key[KEY_ADDRESS] != 0x04) {
		answer(context, request, ret);
		return;
	}
	page[2] = (uint8_t)c->key[KEY_LOG_PAGE];
	ret->bytes = c->key[KEY_LOG_PAGE] ? page : list;
	ret->n_bytes = sizeof page;
}

static void statistics_that_lie_apart_cost_no_more(void **state)
{
	const char *top = getenv("top_srcdir");
	AUTO_TEXT error = TEXT_LIMIT(4096);
	char path[512];
	struct capture *c;

	snprintf(path, sizeof path, "%s/tests/captures/seagate_exos_x18_sata.capture", top ? top : ".");
	c = capture_read(path, &error);
	assert_non_null(c);
	assert_true(poll_for_hours(c, answer_with_holes));
}

static void thirty_smart_and_log_commands_an_hour_are_enough(void **state)
{
	const char *top = getenv("top_srcdir");
	AUTO_TEXT error = TEXT_LIMIT(4096);
	struct capture **all;
	char folder[512];
	size_t n_polled = 0;
	ssize_t n;

	snprintf(folder, sizeof folder, "%s/tests/captures", top ? top : ".");
	n = captures_read(folder, &all, &error);
	assert_true(n > 0);
	for (ssize_t i = 0; i < n; i++)
		n_polled += poll_for_hours(all[i], answer);
	free(all);
	assert_true(n_polled > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thirty_smart_and_log_commands_an_hour_are_enough),
		cmocka_unit_test(statistics_that_lie_apart_cost_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
