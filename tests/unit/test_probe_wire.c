/* probe/: the wire. What is sent is read back; what is not exactly a message is refused. */
#include "unit.h"

#include <string.h>
#include <sys/socket.h>

#include "probe/wire.h"

static uint8_t message[WIRE_MESSAGE_MAX];

static int get_hello(struct bytes in)
{
	struct wire_hello h;

	return wire_get_hello(in, &h);
}

static int get_request(struct bytes in)
{
	struct wire_request r;

	return wire_get_request(in, &r);
}

static int get_reply(struct bytes in)
{
	struct wire_reply r;

	return wire_get_reply(in, &r);
}

static void every_other_length_is_refused(size_t n, int (*get)(struct bytes))
{
	assert_int_equal(get(bytes_of(message, n)), 0);
	for (size_t cut = 0; cut < n; cut++) {
		uint8_t *copy = malloc(cut ? cut : 1);	/* of exact size, so that ASan sees one byte too far */

		memcpy(copy, message, cut);
		assert_int_equal(get(bytes_of(copy, cut)), -EBADMSG);
		free(copy);
	}
	message[n] = 0;
	assert_int_equal(get(bytes_of(message, n + 1)), -EBADMSG);
}

static void hello_travels(void **state)
{
	struct wire_hello h = { .version = 7, .vocabulary = 0x0123456789abcdef, .generation = UINT64_MAX, .is_replay = true };
	struct wire_hello back;
	size_t n = wire_put_hello(message, &h);

	assert_int_equal(wire_get_hello(bytes_of(message, n), &back), 0);
	assert_int_equal(back.version, 7);
	assert_true(back.vocabulary == h.vocabulary && back.generation == UINT64_MAX && back.is_replay);
	every_other_length_is_refused(n, get_hello);
	message[n - 1] = 2;		/* is_replay is 0 or 1 */
	assert_int_equal(get_hello(bytes_of(message, n)), -EBADMSG);
}

static void requests_travel(void **state)
{
	struct wire_request r = { .id = 42, .diskseq = 9, .node = "nvme0n1", .command = command_default(COMMAND_NVME_LOG) };
	struct wire_request back;
	size_t n;

	r.command.key[KEY_UUID] = 0x7f;
	n = wire_put_request(message, &r);
	assert_int_equal(wire_get_request(bytes_of(message, n), &back), 0);
	assert_int_equal(back.id, 42);
	assert_int_equal(back.diskseq, 9);
	assert_string_equal(back.node, "nvme0n1");
	assert_true(command_is_equal(&back.command, &r.command));
	every_other_length_is_refused(n, get_request);
	memset(message + 17, 'a', NODE_NAME_MAX);	/* a name without an end */
	assert_int_equal(get_request(bytes_of(message, n)), -EBADMSG);
	memset(message + 17, 0, NODE_NAME_MAX);
	message[17 + 5] = 'x';				/* something after its end */
	assert_int_equal(get_request(bytes_of(message, n)), -EBADMSG);
}

static void replies_travel(void **state)
{
	static uint8_t answer[COMMAND_ANSWER_MAX];
	struct wire_reply r = { .id = 1, .generation = 2, .diskseq = 3, .verdict = WIRE_BUSY, .started_us = -4,
				.duration_us = 5, .busy_since_us = INT64_MAX, .fail = fail_sense(5, 0x24, 1),
				.bytes = answer, .n_bytes = 3 };
	struct wire_reply back;
	size_t n;

	memcpy(answer, "\1\2\3", 3);
	n = wire_put_reply(message, &r);
	assert_int_equal(wire_get_reply(bytes_of(message, n), &back), 0);
	assert_true(back.id == 1 && back.generation == 2 && back.diskseq == 3 && back.started_us == -4);
	assert_true(back.verdict == WIRE_BUSY && back.duration_us == 5 && back.busy_since_us == INT64_MAX);
	assert_int_equal(back.fail.source, FAIL_DEVICE);
	assert_int_equal(back.fail.kind, FAIL_KIND_SENSE);
	assert_int_equal(back.fail.code, 0x52401);
	assert_int_equal(back.n_bytes, 3);
	assert_memory_equal(back.bytes, "\1\2\3", 3);
	every_other_length_is_refused(n, get_reply);
	r.n_bytes = COMMAND_ANSWER_MAX;
	n = wire_put_reply(message, &r);
	assert_in_range(n, COMMAND_ANSWER_MAX, WIRE_MESSAGE_MAX);
	assert_int_equal(get_reply(bytes_of(message, n)), 0);
	r.n_bytes = 0;
	n = wire_put_reply(message, &r);
	assert_int_equal(get_reply(bytes_of(message, n)), 0);
}

static void values_outside_their_enumerations_are_refused(void **state)
{
	struct wire_reply r = { .verdict = N_WIRE_VERDICTS };
	enum wire_type type;
	size_t n = wire_put_reply(message, &r);

	assert_int_equal(get_reply(bytes_of(message, n)), -EBADMSG);
	r = (struct wire_reply){ .fail.source = N_FAIL_SOURCES };
	n = wire_put_reply(message, &r);
	assert_int_equal(get_reply(bytes_of(message, n)), -EBADMSG);
	r = (struct wire_reply){ .fail.kind = N_FAIL_KINDS };
	n = wire_put_reply(message, &r);
	assert_int_equal(get_reply(bytes_of(message, n)), -EBADMSG);
	message[0] = 0;
	assert_int_equal(wire_get_type(bytes_of(message, 1), &type), -EBADMSG);
	message[0] = WIRE_REFUSED + 1;
	assert_int_equal(wire_get_type(bytes_of(message, 1), &type), -EBADMSG);
	assert_int_equal(wire_get_type(bytes_of(message, 0), &type), -EBADMSG);
	n = wire_put_empty(message, WIRE_HEARTBEAT);
	assert_int_equal(wire_get_type(bytes_of(message, n), &type), 0);
	assert_int_equal(type, WIRE_HEARTBEAT);
	assert_int_equal(wire_get_type(bytes_of(message, n + 1), &type), -EBADMSG);
}

static void one_kind_is_not_taken_for_another(void **state)
{
	struct wire_request r = { .node = "sda" };
	size_t n = wire_put_request(message, &r);

	assert_int_equal(get_hello(bytes_of(message, n)), -EBADMSG);
	assert_int_equal(get_reply(bytes_of(message, n)), -EBADMSG);
	message[0] = WIRE_HELLO;
	assert_int_equal(get_request(bytes_of(message, n)), -EBADMSG);
}

static void texts_hold_no_control_bytes(void **state)
{
	static char long_text[WIRE_MESSAGE_MAX + 100], back[WIRE_MESSAGE_MAX];
	size_t n = wire_put_text(message, WIRE_REFUSED, "one\ntwo\tthree \xc3\xa4");

	assert_int_equal(wire_get_text(bytes_of(message, n), back, sizeof back), 0);
	assert_string_equal(back, "one\ntwo\tthree \xc3\xa4");
	assert_int_equal(wire_get_text(bytes_of(message, n), back, n - 1), -EBADMSG);	/* no room */
	message[2] = 0x1b;
	assert_int_equal(wire_get_text(bytes_of(message, n), back, sizeof back), -EBADMSG);
	message[2] = 0;
	assert_int_equal(wire_get_text(bytes_of(message, n), back, sizeof back), -EBADMSG);
	n = wire_put_text(message, WIRE_INVENTORY, "a\x1b[1mb");
	assert_int_equal(wire_get_text(bytes_of(message, n), back, sizeof back), 0);
	assert_string_equal(back, "a?[1mb");
	memset(long_text, 'x', sizeof long_text - 1);
	n = wire_put_text(message, WIRE_INVENTORY, long_text);
	assert_int_equal(n, WIRE_MESSAGE_MAX);
	assert_int_equal(wire_get_text(bytes_of(message, n), back, sizeof back), 0);
	n = wire_put_empty(message, WIRE_HEARTBEAT);
	assert_int_equal(wire_get_text(bytes_of(message, n), back, sizeof back), -EBADMSG);
}

static void sockets_never_block(void **state)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	assert_int_equal(wire_receive(ends[1], message), -EAGAIN);
	memset(message, 0, sizeof message);
	while (!wire_send(ends[0], message, 60000))
		;
	assert_int_equal(wire_send(ends[0], message, 60000), -EAGAIN);
	while (wire_receive(ends[1], message) == 60000)
		;
	close(ends[1]);
	assert_int_equal(wire_send(ends[0], message, 1), -EPIPE);	/* and no SIGPIPE */
	close(ends[0]);
}

static void a_message_too_long_is_no_message(void **state)
{
	static uint8_t too_long[WIRE_MESSAGE_MAX + 1];
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	assert_int_equal(wire_send(ends[0], too_long, sizeof too_long), 0);
	assert_int_equal(wire_send(ends[0], too_long, 5), 0);
	assert_int_equal(wire_receive(ends[1], message), -EMSGSIZE);
	assert_int_equal(wire_receive(ends[1], message), 5);		/* and the next one is whole */
	close(ends[0]);
	assert_int_equal(wire_receive(ends[1], message), 0);
	close(ends[1]);
}

static void the_vocabulary_has_one_number(void **state)
{
	assert_true(wire_vocabulary() != 0);
	assert_true(wire_vocabulary() == wire_vocabulary());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hello_travels),
		cmocka_unit_test(requests_travel),
		cmocka_unit_test(replies_travel),
		cmocka_unit_test(values_outside_their_enumerations_are_refused),
		cmocka_unit_test(one_kind_is_not_taken_for_another),
		cmocka_unit_test(texts_hold_no_control_bytes),
		cmocka_unit_test(sockets_never_block),
		cmocka_unit_test(a_message_too_long_is_no_message),
		cmocka_unit_test(the_vocabulary_has_one_number),
	};

	return cmocka_run_group_tests_name("probe: wire", tests, NULL, NULL);
}
