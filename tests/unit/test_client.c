/* poll/client.c against a scripted prober: who may speak, what is dropped, and how it comes back. */
#include "poll_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct wire_request request_for(const char *node)
{
	struct wire_request request = { .command = command_default(COMMAND_INQUIRY) };

	text_copy(request.node, sizeof request.node, node);
	return request;
}

static void say_hello(struct world *w, uint32_t version, uint64_t vocabulary)
{
	struct wire_hello hello = { .version = version, .vocabulary = vocabulary, .generation = w->generation };
	uint8_t out[256];

	world_send(w, out, wire_put_hello(out, &hello));
}

static void hello_is_answered_and_opens_the_wire(void **state)
{
	struct world *w = world_new(0, NULL);
	struct wire_request request = request_for("sda");

	assert_false(probe_client_is_up(w->client));
	assert_int_equal(probe_client_request(w->client, &request, w), -ENOTCONN);
	world_pass(w, 1);
	assert_true(probe_client_is_up(w->client));
	assert_int_equal(w->n_ready, 1);
	assert_int_equal(w->n_hellos, 1);
	world_say(w, "sda", "inquiry", "abc", 3);
	assert_int_equal(probe_client_request(w->client, &request, w), 0);
	assert_true(request.id != 0);
	world_run(w);
	assert_int_equal(w->n_replies, 1);
	assert_ptr_equal(w->replies[0].tag, w);
	assert_int_equal(w->replies[0].reply.n_bytes, 3);
	world_free(w);
}

static void a_prober_of_another_version_is_not_spoken_to(void **state)
{
	for (int which = 0; which < 2; which++) {
		struct world *w = world_new(0, NULL);

		w->is_mute = true;
		world_pass(w, 1);
		assert_int_equal(w->n_accepted, 1);
		say_hello(w, WIRE_VERSION + (which == 0), wire_vocabulary() + (which == 1));
		world_run(w);
		assert_int_equal(w->n_ready, 0);
		assert_int_equal(w->n_hellos, 0);
		assert_int_equal(w->n_failed, 1);
		assert_int_equal(w->peer, -1);		/* it hung up */
		assert_int_equal(probe_client_failures(w->client), 1);
		world_free(w);
	}
}

static void who_breaks_the_rules_is_left(void **state)
{
	static const struct {
		uint8_t message[4];
		size_t n;
	} bad[] = {
		{ { 0 }, 1 }, { { 99 }, 1 }, { { WIRE_HEARTBEAT, 1 }, 2 }, { { WIRE_REPLY, 1, 2 }, 3 }, { { WIRE_REQUEST }, 1 },
		{ { WIRE_HELLO }, 1 }, { { WIRE_INVENTORY_END, 0 }, 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct world *w = world_new(0, NULL);
		struct wire_request request = request_for("sda");

		world_hold(w, "sda", "inquiry");
		world_pass(w, 1);
		assert_int_equal(probe_client_request(w->client, &request, w), 0);
		world_send(w, bad[i].message, bad[i].n);
		world_run(w);
		assert_int_equal(w->n_lost, 1);
		assert_int_equal(w->n_replies, 1);	/* what was under way is told to have failed */
		assert_int_equal(w->replies[0].reply.verdict, WIRE_CHILD_DIED);
		assert_int_equal(w->replies[0].reply.fail.source, FAIL_OS);
		world_pass(w, 300);
		assert_int_equal(w->n_ready, 2);
		world_free(w);
	}
}

static void a_second_hello_is_one_too_many(void **state)
{
	struct world *w = world_new(0, NULL);

	world_pass(w, 1);
	say_hello(w, WIRE_VERSION, wire_vocabulary());
	world_run(w);
	assert_int_equal(w->n_lost, 1);
	assert_int_equal(w->n_ready, 1);
	world_free(w);
}

static void nothing_counts_before_hello(void **state)
{
	uint8_t out[64];
	struct world *w = world_new(0, NULL);

	w->is_mute = true;
	world_pass(w, 1);
	world_send(w, out, wire_put_text(out, WIRE_INVENTORY, "drive x\n"));
	world_run(w);
	assert_int_equal(w->n_inventory, 0);
	assert_int_equal(w->n_failed, 1);
	assert_int_equal(w->peer, -1);
	world_free(w);
}

static void a_refusal_is_heard_and_tried_again(void **state)
{
	uint8_t out[64];
	struct world *w = world_new(0, NULL);

	w->is_mute = true;
	world_pass(w, 1);
	world_send(w, out, wire_put_text(out, WIRE_REFUSED, "another one is served"));
	world_run(w);
	assert_int_equal(w->n_failed, 1);
	w->is_mute = false;
	world_pass(w, 1000);
	assert_int_equal(w->n_ready, 1);
	world_free(w);
}

static void replies_of_another_generation_are_dropped(void **state)
{
	struct world *w = world_new(0, NULL);
	struct wire_request request = request_for("sda");
	struct wire_reply reply = { .verdict = WIRE_ANSWERED };

	world_hold(w, "sda", "inquiry");
	world_pass(w, 1);
	assert_int_equal(probe_client_request(w->client, &request, w), 0);
	world_run(w);
	reply.id = request.id;
	reply.generation = w->generation + 1;
	world_send_reply(w, &reply);
	world_run(w);
	assert_int_equal(w->n_replies, 0);
	assert_int_equal(probe_client_dropped(w->client).generation, 1);
	world_release(w, "x", 1);
	world_run(w);
	assert_int_equal(w->n_replies, 1);		/* the true one still counts */
	world_free(w);
}

static void replies_nobody_asked_for_are_dropped(void **state)
{
	struct world *w = world_new(0, NULL);
	struct wire_request request = request_for("sda");
	struct wire_reply reply = { .id = 77, .generation = w->generation };

	world_pass(w, 1);
	world_send_reply(w, &reply);
	world_run(w);
	assert_int_equal(probe_client_dropped(w->client).unknown, 1);

	world_say(w, "sda", "inquiry", "x", 1);
	assert_int_equal(probe_client_request(w->client, &request, w), 0);
	world_run(w);
	reply.id = request.id;
	world_send_reply(w, &reply);		/* the same twice */
	world_run(w);
	assert_int_equal(w->n_replies, 1);
	assert_int_equal(probe_client_dropped(w->client).unknown, 2);

	world_hold(w, "sda", "inquiry");
	assert_int_equal(probe_client_request(w->client, &request, w), 0);
	world_run(w);
	probe_client_forget(w->client, w);
	world_release(w, "x", 1);
	world_run(w);
	assert_int_equal(w->n_replies, 1);
	assert_int_equal(probe_client_dropped(w->client).unknown, 3);
	assert_int_equal(w->n_lost, 0);
	world_free(w);
}

static void replies_find_their_tags_in_any_order(void **state)
{
	static const char *const names[] = { "sda", "sdb", "sdc", "sdd" };
	struct world *w = world_new(0, NULL);
	int tags[4];
	uint64_t ids[4];

	world_hold(w, NULL, "inquiry");
	world_pass(w, 1);
	for (size_t i = 0; i < 4; i++) {
		struct wire_request request = request_for(names[i]);

		assert_int_equal(probe_client_request(w->client, &request, &tags[i]), 0);
		ids[i] = request.id;
	}
	world_run(w);
	for (size_t i = 0; i < 4; i++) {
		static const size_t order[] = { 2, 0, 3, 1 };
		struct wire_reply reply = { .id = ids[order[i]], .generation = w->generation };

		world_send_reply(w, &reply);
		world_run(w);
		assert_int_equal(w->n_replies, i + 1);
		assert_ptr_equal(w->replies[i].tag, &tags[order[i]]);
	}
	world_free(w);
}

static void a_lost_connection_answers_all_that_was_under_way(void **state)
{
	static const char *const names[] = { "sda", "sdb", "sdc" };
	struct world *w = world_new(0, NULL);

	world_hold(w, NULL, "inquiry");
	world_pass(w, 1);
	for (size_t i = 0; i < 3; i++) {
		struct wire_request request = request_for(names[i]);

		assert_int_equal(probe_client_request(w->client, &request, w), 0);
	}
	world_run(w);
	world_hang_up(w);
	world_run(w);
	assert_int_equal(w->n_replies, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(w->replies[i].reply.verdict, WIRE_CHILD_DIED);
	assert_int_equal(w->n_lost, 1);
	assert_false(probe_client_is_up(w->client));
	world_pass(w, 1000);
	assert_true(probe_client_is_up(w->client));
	world_free(w);
}

/* Old ids must not meet new ones. */
static void a_new_connection_does_not_take_old_replies(void **state)
{
	struct world *w = world_new(0, NULL);
	struct wire_request request = request_for("sda");
	struct wire_reply reply = { .generation = w->generation };

	world_hold(w, NULL, "inquiry");
	world_pass(w, 1);
	assert_int_equal(probe_client_request(w->client, &request, w), 0);
	reply.id = request.id;
	world_run(w);
	world_hang_up(w);
	w->generation++;
	world_pass(w, 1000);
	assert_int_equal(probe_client_request(w->client, &request, w), 0);
	assert_true(request.id != reply.id);
	world_run(w);
	world_send_reply(w, &reply);
	world_run(w);
	assert_int_equal(probe_client_dropped(w->client).generation, 1);
	assert_int_equal(w->n_replies, 1);
	world_free(w);
}

static void it_tries_again_with_growing_pauses(void **state)
{
	static const unsigned pauses_ms[] = { 250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000 };
	struct world *w = world_new(0, NULL);

	world_stop_listening(w);
	world_run(w);
	for (size_t i = 0; i < ARRAY_SIZE(pauses_ms); i++) {
		assert_int_equal(probe_client_failures(w->client), i + 1);
		assert_int_equal(w->n_failed, i + 1);
		world_jump(pauses_ms[i] - 1);
		world_run(w);
		assert_int_equal(probe_client_failures(w->client), i + 1);
		world_jump(2);
		world_run(w);
	}
	world_listen(w);
	world_jump(30001);
	world_run(w);
	assert_true(probe_client_is_up(w->client));
	assert_int_equal(probe_client_failures(w->client), 0);
	assert_int_equal(w->n_lost, 0);
	world_free(w);
}

static void heartbeats_go_out_and_silence_ends_it(void **state)
{
	struct world *w = world_new(0, NULL);

	world_pass(w, 60000);
	assert_in_range(w->n_beats, 11, 13);
	assert_int_equal(w->n_lost, 0);
	w->is_silent = true;
	world_pass(w, WIRE_SILENCE_MS - 1000);
	assert_int_equal(w->n_lost, 0);
	world_pass(w, WIRE_HEARTBEAT_MS + 2000);
	assert_int_equal(w->n_lost, 1);
	world_free(w);
}

/* As where systemd listens for a prober that cannot start. */
static void silence_before_hello_ends_it_too(void **state)
{
	struct world *w = world_new(0, NULL);

	w->is_mute = true;
	world_pass(w, WIRE_SILENCE_MS + WIRE_HEARTBEAT_MS + 2000);
	assert_in_range(w->n_failed, 1, 2);
	world_free(w);
}

static void inventory_is_passed_on(void **state)
{
	uint8_t out[256], bad[] = { WIRE_INVENTORY, 'd', 1 };
	struct world *w = world_new(0, NULL);

	world_pass(w, 1);
	world_send(w, out, wire_put_text(out, WIRE_INVENTORY, "drive x\ntime 1\n"));
	world_send(w, out, wire_put_empty(out, WIRE_INVENTORY_END));
	world_run(w);
	assert_string_equal(w->inventory, "drive x\ntime 1\n");
	assert_int_equal(w->n_inventory_end, 1);
	world_send(w, bad, sizeof bad);
	world_run(w);
	assert_int_equal(w->n_inventory, 1);
	world_free(w);
}

static void count_one(void *context)
{
	++*(unsigned *)context;
}

static void a_path_that_is_too_long_is_not_cut(void **state)
{
	char path[300];
	unsigned n_failed = 0;
	struct world *w = world_new(0, NULL);
	struct probe_client_options options = { .socket_path = path };
	struct probe_client_events events = { .context = &n_failed, .failed = count_one };
	struct probe_client *client;

	snprintf(path, sizeof path, "%s%*s", w->socket_path, 150, "x");
	assert_int_equal(probe_client_new(w->event, &options, &events, &client), 0);
	probe_client_free(client);		/* before it had tried: nothing is left behind */
	assert_int_equal(probe_client_new(w->event, &options, &events, &client), 0);
	world_run(w);
	assert_int_equal(n_failed, 1);
	assert_int_equal(probe_client_failures(client), 1);
	probe_client_free(client);
	world_free(w);
}

/* Lets real time pass until the client has noticed that many failures; a program needs a moment to start. */
static void wait_for_failures(struct world *w, const unsigned *n_failed, unsigned n)
{
	for (int i = 0; i < 500 && *n_failed < n; i++) {
		usleep(10000);
		world_run(w);
	}
	assert_int_equal(*n_failed, n);
}

/* Hangs up at once, but takes its time to end. */
static const char slow_program[] = "#!/bin/sh\ntrap '' TERM\nexec 3>&-\nexec sleep 0.5\n";

static void programs_that_end_late_are_collected(void **state)
{
	char path[] = "/tmp/drive-exporter-test-program-XXXXXX";
	int fd = mkstemp(path);
	unsigned n_failed = 0;
	struct world *w = world_new(0, NULL);
	struct probe_client_options options = { .program = path };
	struct probe_client_events events = { .context = &n_failed, .failed = count_one };
	struct probe_client *client;
	siginfo_t ended = { 0 };

	assert_int_equal(write(fd, slow_program, strlen(slow_program)), strlen(slow_program));
	fchmod(fd, 0700);
	close(fd);
	assert_int_equal(probe_client_new(w->event, &options, &events, &client), 0);
	wait_for_failures(w, &n_failed, 1);
	world_jump(251);
	wait_for_failures(w, &n_failed, 2);
	usleep(700000);			/* both have ended by now */
	world_jump(501);
	wait_for_failures(w, &n_failed, 3);
	waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT);
	probe_client_free(client);
	unlink(path);
	while (wait(NULL) > 0)
		;
	world_free(w);
	assert_int_equal(ended.si_pid, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hello_is_answered_and_opens_the_wire),
		cmocka_unit_test(a_prober_of_another_version_is_not_spoken_to),
		cmocka_unit_test(who_breaks_the_rules_is_left),
		cmocka_unit_test(a_second_hello_is_one_too_many),
		cmocka_unit_test(nothing_counts_before_hello),
		cmocka_unit_test(a_refusal_is_heard_and_tried_again),
		cmocka_unit_test(replies_of_another_generation_are_dropped),
		cmocka_unit_test(replies_nobody_asked_for_are_dropped),
		cmocka_unit_test(replies_find_their_tags_in_any_order),
		cmocka_unit_test(a_lost_connection_answers_all_that_was_under_way),
		cmocka_unit_test(a_new_connection_does_not_take_old_replies),
		cmocka_unit_test(it_tries_again_with_growing_pauses),
		cmocka_unit_test(heartbeats_go_out_and_silence_ends_it),
		cmocka_unit_test(silence_before_hello_ends_it_too),
		cmocka_unit_test(inventory_is_passed_on),
		cmocka_unit_test(a_path_that_is_too_long_is_not_cut),
		cmocka_unit_test(programs_that_end_late_are_collected),
	};

	return cmocka_run_group_tests_name("client", tests, NULL, NULL);
}
