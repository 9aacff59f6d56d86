/* probe/: the supervisor's end of its client's socket: order, heartbeats, silence, and a client that does not read. */
#include "unit.h"

#include <string.h>
#include <sys/socket.h>

#include "probe/client.h"
#include "probe/wire.h"

static uint8_t message[WIRE_MESSAGE_MAX];

static int set_up(struct client *c)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	client_open(c, ends[0], 1000);
	return ends[1];
}

static void what_waits_is_sent_in_order(void **state)
{
	struct client c = { .fd = -1 };
	int peer = set_up(&c), n = 0, next = 0;
	uint8_t out[5000] = { 0 };

	for (; !client_is_waiting(&c); n++) {
		memcpy(out, &n, sizeof n);
		client_send(&c, out, sizeof out);
	}
	for (int end = n + 50; n < end; n++) {
		memcpy(out, &n, sizeof n);
		client_send(&c, out, sizeof out);
	}
	assert_int_equal(c.n_waiting, 51 * sizeof out);
	while (next < n) {
		int number;

		while (wire_receive(peer, message) == sizeof out) {
			memcpy(&number, message, sizeof number);
			assert_int_equal(number, next++);
		}
		client_flush(&c);
	}
	assert_int_equal(c.n_waiting, 0);
	assert_false(client_is_waiting(&c));
	assert_null(c.broken);
	client_close(&c);
	close(peer);
}

static void a_full_queue_ends_the_client(void **state)
{
	struct client c = { .fd = -1 };
	int peer = set_up(&c);

	for (int i = 0; i < 1000 && !c.broken; i++)
		client_send(&c, message, 60000);
	assert_string_equal(c.broken, "it does not read");
	assert_in_range(c.n_waiting, CLIENT_QUEUE_MAX - 60000, CLIENT_QUEUE_MAX);
	client_close(&c);
	assert_int_equal(c.fd, -1);
	assert_false(client_is_waiting(&c));
	close(peer);
}

static void heartbeats_are_sent_and_silence_is_noticed(void **state)
{
	struct client c = { .fd = -1 };
	int peer = set_up(&c);
	enum wire_type type;

	assert_int_equal(client_due_ms(&c, 1000), WIRE_HEARTBEAT_MS);
	client_tick(&c, 1000 + WIRE_HEARTBEAT_MS - 1);
	assert_int_equal(wire_receive(peer, message), -EAGAIN);
	client_tick(&c, 1000 + WIRE_HEARTBEAT_MS);
	assert_int_equal(wire_receive(peer, message), 1);
	assert_int_equal(wire_get_type(bytes_of(message, 1), &type), 0);
	assert_int_equal(type, WIRE_HEARTBEAT);
	assert_int_equal(client_due_ms(&c, 1000 + WIRE_HEARTBEAT_MS), WIRE_HEARTBEAT_MS);
	client_tick(&c, 1000 + WIRE_SILENCE_MS - 1);
	assert_null(c.broken);
	assert_int_equal(client_due_ms(&c, 1000 + WIRE_SILENCE_MS - 1), 1);
	client_tick(&c, 1000 + WIRE_SILENCE_MS);
	assert_string_equal(c.broken, "it fell silent");
	client_close(&c);
	close(peer);
}

static void each_client_has_a_serial_of_its_own(void **state)
{
	struct client c = { .fd = -1 };
	int peer = set_up(&c);
	uint64_t first = c.serial;

	c.is_greeted = true;
	client_close(&c);
	close(peer);
	peer = set_up(&c);
	assert_true(c.serial != first);
	assert_false(c.is_greeted);
	close(peer);
	client_send(&c, message, 1);
	assert_string_equal(c.broken, "it is gone");
	client_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_waits_is_sent_in_order),
		cmocka_unit_test(a_full_queue_ends_the_client),
		cmocka_unit_test(heartbeats_are_sent_and_silence_is_noticed),
		cmocka_unit_test(each_client_has_a_serial_of_its_own),
	};

	return cmocka_run_group_tests_name("probe: client", tests, NULL, NULL);
}
