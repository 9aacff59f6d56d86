/* probe/: the supervisor and its children: what a client sees of them. */
#include "probe_rig.h"

static void requests_are_answered_by_one_child_per_node(void **state)
{
	struct rig r = set_up(&plain);
	struct wire_reply reply = get(&r, "sda");
	pid_t pid = pid_in(&reply);

	assert_int_equal(reply.verdict, WIRE_ANSWERED);
	assert_int_equal(reply.diskseq, 77);
	assert_false(failed(reply.fail));
	assert_in_range(reply.duration_us, 2000, PATIENCE_MS * 1000);
	assert_in_range(real_us() - reply.started_us, 2000, (uint64_t)PATIENCE_MS * 1000);
	reply = get(&r, "sda");
	assert_int_equal(pid_in(&reply), pid);
	reply = get(&r, "sdc");
	assert_int_not_equal(pid_in(&reply), pid);
	ask_command(&r, "sda", command_default(COMMAND_HOST_PHYS));
	reply = reply_of(&r);
	assert_int_not_equal(pid_in(&reply), pid);	/* the host's */
	tear_down(&r);
}

static void failures_and_verdicts_pass_through(void **state)
{
	struct rig r = set_up(&plain);
	struct wire_reply reply = get(&r, "sdf");

	assert_int_equal(reply.fail.kind, FAIL_KIND_SENSE);
	assert_int_equal(reply.fail.code, 0x52400);
	assert_int_equal(verdict_on(&r, "sds"), WIRE_ASLEEP);
	reply = get(&r, "sdb");
	assert_int_equal(reply.n_bytes, COMMAND_ANSWER_MAX);
	assert_true(bytes_all(bytes_of(reply.bytes, reply.n_bytes), 0xb5));
	tear_down(&r);
}

static void a_hung_child_is_busy_since_and_stops_nobody(void **state)
{
	struct rig r = set_up(&plain);
	int64_t asked_us = real_us();
	struct wire_reply reply;
	int status;

	ask(&r, "sdha");
	assert_int_equal(verdict_on(&r, "sda"), WIRE_ANSWERED);
	reply = get(&r, "sdha");
	assert_int_equal(reply.verdict, WIRE_BUSY);
	assert_in_range(reply.busy_since_us, asked_us, real_us());
	close(r.fd);
	assert_in_range(ended_within(r.pid, &status), 0, ENDS_WITHIN_MS);		/* the end of the client ends it */
	assert_int_equal(status, 0);
}

static void sigterm_ends_it_at_once_though_a_child_hangs(void **state)
{
	struct rig r = set_up(&plain);
	struct wire_reply reply;
	pid_t healthy;
	int status;

	ask(&r, "sdhb");
	reply = get(&r, "sda");
	healthy = pid_in(&reply);
	kill(r.pid, SIGTERM);
	assert_in_range(ended_within(r.pid, &status), 0, ENDS_WITHIN_MS);
	assert_int_equal(status, 0);
	assert_int_equal(receive(r.fd), 0);		/* the hung child does not hold the client's socket */
	for (int i = 0; i < 1000 && is_running(healthy); i++)
		usleep(1000);				/* the healthy one ends with its own */
	assert_false(is_running(healthy));
	close(r.fd);
}

static void a_successor_finds_the_lock_of_a_hung_child(void **state)
{
	int64_t asked_us = real_us();
	struct rig r = set_up(&plain);
	struct wire_reply reply;
	int status;

	ask(&r, "sdhc");
	get(&r, "sda");
	for (int i = 0; i < 1000; i++) {		/* until the child has its lock */
		ask(&r, "sdhc");
		if (reply_of(&r).verdict == WIRE_BUSY)
			break;
	}
	usleep(50000);
	close(r.fd);
	ended_within(r.pid, &status);
	r = set_up(&plain);
	reply = get(&r, "sdhc");
	assert_int_equal(reply.verdict, WIRE_BUSY);
	assert_in_range(reply.busy_since_us, asked_us, real_us() - 40000);
	assert_int_equal(verdict_on(&r, "sda"), WIRE_ANSWERED);
	tear_down(&r);
}

static void locks_are_held_for_a_command_only_and_are_private(void **state)
{
	struct rig r = set_up(&plain);
	char path[64];
	struct stat st;

	get(&r, "sda");
	snprintf(path, sizeof path, "%s/sda.lock", folder);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	int fd = open(path, O_RDWR);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);	/* free between commands */
	assert_int_equal(pwrite(fd, "1234567", 7, 0), 7);
	struct wire_reply reply = get(&r, "sda");
	assert_int_equal(reply.verdict, WIRE_BUSY);
	assert_int_equal(reply.busy_since_us, 1234567);
	assert_int_equal(ftruncate(fd, 0), 0);			/* locked, and its holder yet to write */
	reply = get(&r, "sda");
	assert_int_equal(reply.verdict, WIRE_BUSY);
	assert_in_range(real_us() - reply.busy_since_us, 0, PATIENCE_MS * 1000);
	close(fd);
	unlink(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);	/* never followed */
	reply = get(&r, "sda");
	assert_int_equal(reply.fail.code, ELOOP);
	unlink(path);
	tear_down(&r);
}

static void a_dead_child_is_told_and_replaced(void **state)
{
	struct rig r = set_up(&plain);
	struct wire_reply reply = get(&r, "sdk");
	pid_t pid;

	assert_int_equal(reply.verdict, WIRE_CHILD_DIED);
	assert_true(failed(reply.fail));
	reply = get(&r, "sda");
	pid = pid_in(&reply);
	kill(pid, SIGKILL);			/* between requests: nobody has to know */
	for (int i = 0; i < 1000 && is_running(pid); i++)
		usleep(1000);
	reply = get(&r, "sda");
	assert_int_equal(reply.verdict, WIRE_ANSWERED);
	assert_int_not_equal(pid_in(&reply), pid);
	tear_down(&r);
}

static void what_is_not_allowed_is_answered_so(void **state)
{
	struct rig r = set_up(&plain);
	struct command c = command_default(COMMAND_NVME_LOG);
	static const char *const nodes[] = { "vda", "../sda", "sda1", "", "sdn", "sdp" };

	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++)
		assert_int_equal(verdict_on(&r, nodes[i]), WIRE_NOT_ALLOWED);
	c.key[KEY_ID] = 0x07;
	ask_command(&r, "nvme0", c);
	assert_int_equal(reply_of(&r).verdict, WIRE_NOT_ALLOWED);
	c.name = (enum command_name)999;
	ask_command(&r, "nvme0", c);
	assert_int_equal(reply_of(&r).verdict, WIRE_NOT_ALLOWED);
	assert_int_equal(verdict_on(&r, "sda"), WIRE_ANSWERED);
	tear_down(&r);
}

static void a_strangers_bytes_do_no_harm(void **state)
{
	static uint8_t noise[WIRE_MESSAGE_MAX + 64];
	struct rig r = set_up(&plain);
	struct wire_reply reply;
	size_t n;

	srand(1);
	for (int i = 0; i < 2000; i++) {
		n = 1 + (size_t)rand() % 200;
		for (size_t k = 0; k < n; k++)
			noise[k] = (uint8_t)rand();
		if (noise[0] == WIRE_HELLO)	/* a wrong hello is another test */
			noise[0] = WIRE_REQUEST;
		assert_int_equal(wire_send(r.fd, noise, n), 0);
		while (receive_within(r.fd, i % 50 ? 0 : 20) > 0)
			;
	}
	assert_int_equal(wire_send(r.fd, noise, sizeof noise), 0);
	while (receive_within(r.fd, 100) > 0)
		;
	struct wire_request request = { .id = 0x1234, .node = "sda" };
	n = wire_put_request(message, &request);
	assert_int_equal(wire_send(r.fd, message, n - 1), 0);	/* wrong size, and still it learns which one */
	reply = reply_of(&r);
	assert_int_equal(reply.verdict, WIRE_NOT_ALLOWED);
	assert_int_equal(reply.id, 0x1234);
	assert_int_equal(verdict_on(&r, "sda"), WIRE_ANSWERED);
	tear_down(&r);
}

static void another_vocabulary_is_refused_with_a_reason(void **state)
{
	struct rig r = set_up(&plain);
	struct wire_hello hello = { .version = WIRE_VERSION, .vocabulary = wire_vocabulary() + 1 };
	char text[256];
	ssize_t n;
	int status;

	assert_int_equal(wire_send(r.fd, message, wire_put_hello(message, &hello)), 0);
	n = receive(r.fd);
	assert_true(n > 0);
	assert_int_equal(wire_get_text(bytes_of(message, (size_t)n), text, sizeof text), 0);
	assert_non_null(strstr(text, "version"));
	assert_int_equal(receive(r.fd), 0);
	ended_within(r.pid, &status);
	assert_int_equal(WEXITSTATUS(status), 1);
	close(r.fd);
}

static void nothing_is_asked_before_hello(void **state)
{
	struct rig r = { .fd = -1 };
	int ends[2], status;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	r.fd = ends[0];
	r.pid = start(ends[1], ends[0], -1, &plain);
	close(ends[1]);
	ask(&r, "sda");
	assert_true(receive(r.fd) > 0);		/* its hello */
	assert_int_equal(wire_get_hello(bytes_of(message, 22), &r.hello), 0);
	assert_int_equal(reply_of(&r).verdict, WIRE_NOT_ALLOWED);
	close(r.fd);
	ended_within(r.pid, &status);
}

static void replays_tell_of_themselves(void **state)
{
	struct rig r = set_up(&telling);
	enum wire_type type;
	ssize_t n = receive(r.fd);

	assert_true(r.hello.is_replay);
	assert_int_equal(wire_get_type(bytes_of(message, (size_t)n), &type), 0);
	assert_int_equal(type, WIRE_INVENTORY);
	n = receive(r.fd);			/* when its time has come */
	assert_int_equal(wire_get_type(bytes_of(message, (size_t)n), &type), 0);
	assert_int_equal(type, WIRE_INVENTORY_END);
	tear_down(&r);
}

static void who_does_not_read_is_dropped(void **state)
{
	struct rig r = set_up(&plain);
	int status, sent = 0, refused = 0;
	struct wire_request request = { .node = "vda" };
	uint8_t out[256];
	size_t n = wire_put_request(out, &request);

	/* Each is answered with a refusal that nobody takes. */
	while (sent < 1000000 && refused < 1000) {
		int e = wire_send(r.fd, out, n);

		if (e == -EPIPE || e == -ECONNRESET)
			break;
		if (e)
			usleep(1000), refused++;
		else
			sent++, refused = 0;
	}
	assert_in_range(sent, 1000, 999999);
	ended_within(r.pid, &status);
	assert_int_equal(WEXITSTATUS(status), 1);
	close(r.fd);
}

/* ---- clients of a listening socket */

static int connect_to(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	assert_int_equal(connect(fd, (const struct sockaddr *)address, sizeof *address), 0);
	return fd;
}

static void a_second_client_is_refused_and_the_next_one_served(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct rig first = { .fd = -1 }, third = { .fd = -1, .last_id = 1000 };
	int listening = socket(AF_UNIX, SOCK_SEQPACKET, 0), second, status;
	struct wire_reply reply;
	char text[256];
	ssize_t n;

	snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder);
	assert_int_equal(bind(listening, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(listening, 4), 0);
	first.pid = start(-1, -1, listening, &plain);
	close(listening);
	first.fd = connect_to(&address);
	greet(first.fd, &first.hello);
	second = connect_to(&address);
	n = receive(second);
	assert_true(n > 0);
	assert_int_equal(wire_get_text(bytes_of(message, (size_t)n), text, sizeof text), 0);
	assert_non_null(strstr(text, "another exporter"));
	assert_int_equal(receive(second), 0);
	close(second);
	reply = get(&first, "sda");		/* the first did not notice */
	assert_int_equal(reply.verdict, WIRE_ANSWERED);

	ask(&first, "sdl");
	ask(&first, "sdhd");
	get(&first, "sda");
	close(first.fd);
	for (int i = 0; i < 100; i++) {		/* until its going is noticed */
		third.fd = connect_to(&address);
		n = receive(third.fd);
		if (n > 0 && message[0] == WIRE_HELLO)
			break;
		close(third.fd);
		usleep(10000);
	}
	assert_int_equal(wire_get_hello(bytes_of(message, (size_t)n), &third.hello), 0);
	assert_int_equal(wire_send(third.fd, message, (size_t)n), 0);
	reply = get(&third, "sdhd");		/* what the first asked is still under way */
	assert_int_equal(reply.verdict, WIRE_BUSY);
	usleep(700000);				/* by now the late answer to the first has come: not for the third */
	get(&third, "sda");
	kill(first.pid, SIGTERM);
	assert_in_range(ended_within(first.pid, &status), 0, ENDS_WITHIN_MS);
	close(third.fd);
	unlink(address.sun_path);
}

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_answered_by_one_child_per_node),
		cmocka_unit_test(failures_and_verdicts_pass_through),
		cmocka_unit_test(a_hung_child_is_busy_since_and_stops_nobody),
		cmocka_unit_test(sigterm_ends_it_at_once_though_a_child_hangs),
		cmocka_unit_test(a_successor_finds_the_lock_of_a_hung_child),
		cmocka_unit_test(locks_are_held_for_a_command_only_and_are_private),
		cmocka_unit_test(a_dead_child_is_told_and_replaced),
		cmocka_unit_test(what_is_not_allowed_is_answered_so),
		cmocka_unit_test(a_strangers_bytes_do_no_harm),
		cmocka_unit_test(another_vocabulary_is_refused_with_a_reason),
		cmocka_unit_test(nothing_is_asked_before_hello),
		cmocka_unit_test(replays_tell_of_themselves),
		cmocka_unit_test(who_does_not_read_is_dropped),
		cmocka_unit_test(a_second_client_is_refused_and_the_next_one_served),
	};

	return cmocka_run_group_tests_name("probe: supervisor", tests, make_folder, remove_folder);
}
