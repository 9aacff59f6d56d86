/* drive_replay, the program: what a client sees of it. */
#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "capture/inventory.h"
#include "probe/wire.h"

enum { PATIENCE_MS = 10000 };

/* A folder of captures, and the program over it. */
struct setup {
	char folder[64];
	char errors[128];	/* its standard error */
	pid_t pid;
	int fd;
	uint8_t message[WIRE_MESSAGE_MAX];
};

static struct setup s;

static void write_file(const char *name, const char *text)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", s.folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int make_folder(void **state)
{
	s = (struct setup){ .folder = "/tmp/test_replay.XXXXXX", .fd = -1 };
	if (!mkdtemp(s.folder))
		return -1;
	snprintf(s.errors, sizeof s.errors, "%s/errors", s.folder);
	return 0;
}

static int remove_folder(void **state)
{
	char command[200];

	if (s.fd >= 0)
		close(s.fd);
	if (s.pid > 0) {
		kill(s.pid, SIGKILL);
		waitpid(s.pid, NULL, 0);
	}
	snprintf(command, sizeof command, "rm -rf '%s'", s.folder);
	return system(command);
}

/* argument may be NULL. */
static void start(const char *argument)
{
	const char *top = getenv("top_builddir");
	char program[4096], socket_fd[32];
	int ends[2];

	snprintf(program, sizeof program, "%s/drive_replay", top ? top : ".");
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	snprintf(socket_fd, sizeof socket_fd, "--socket-fd=%d", ends[1]);
	s.pid = fork();
	if (!s.pid) {
		int out = open(s.errors, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		dup2(out, STDERR_FILENO);
		setenv("TMPDIR", s.folder, 1);
		execl(program, program, socket_fd, s.folder, argument, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	s.fd = ends[0];
}

static int status_of_end(void)
{
	int status, waited = 0;

	while (waitpid(s.pid, &status, WNOHANG) != s.pid) {
		if (++waited > PATIENCE_MS / 10)
			fail_msg("it does not end");
		usleep(10000);
	}
	s.pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static struct bytes receive(void)
{
	struct pollfd wait = { .fd = s.fd, .events = POLLIN };
	ssize_t n;

	if (poll(&wait, 1, PATIENCE_MS) != 1)
		fail_msg("no message");
	n = wire_receive(s.fd, s.message);
	assert_true(n > 0);
	return bytes_of(s.message, (size_t)n);
}

/* The next message of that kind; heartbeats are passed over. */
static struct bytes expect(enum wire_type type)
{
	enum wire_type got;
	struct bytes in;

	do {
		in = receive();
		assert_int_equal(wire_get_type(in, &got), 0);
	} while (got == WIRE_HEARTBEAT);
	assert_int_equal(got, type);
	return in;
}

static struct inventory_drive *expect_inventory(void)
{
	static char text[WIRE_MESSAGE_MAX];
	struct inventory_drive *d;

	assert_int_equal(wire_get_text(expect(WIRE_INVENTORY), text, sizeof text), 0);
	assert_int_equal(inventory_parse(text, &d), 0);
	return d;
}

static void greet(void)
{
	struct wire_hello hello;
	uint8_t out[64];

	assert_int_equal(wire_get_hello(expect(WIRE_HELLO), &hello), 0);
	assert_true(hello.is_replay);
	assert_int_equal(wire_send(s.fd, out, wire_put_hello(out, &(struct wire_hello){
		.version = WIRE_VERSION, .vocabulary = wire_vocabulary() })), 0);
}

static void ask(uint64_t id, const char *node, enum command_name name)
{
	struct wire_request request = { .id = id, .command = command_default(name) };
	uint8_t out[256];

	text_copy(request.node, sizeof request.node, node);
	assert_int_equal(wire_send(s.fd, out, wire_put_request(out, &request)), 0);
}

static struct wire_reply expect_reply(uint64_t id)
{
	struct wire_reply reply;

	assert_int_equal(wire_get_reply(expect(WIRE_REPLY), &reply), 0);
	assert_int_equal(reply.id, id);
	return reply;
}

static void expect_error(const char *part)
{
	char text[4096] = "";
	FILE *f;

	for (int i = 0; i < PATIENCE_MS / 10; i++) {	/* a child writes them, in its own time */
		f = fopen(s.errors, "r");
		if (f) {
			size_t n = fread(text, 1, sizeof text - 1, f);

			text[n] = 0;
			fclose(f);
		}
		if (strstr(text, part))
			return;
		usleep(10000);
	}
	fail_msg("\"%s\" is not in \"%s\"", part, text);
}

#define SAS "drive-capture 1\ntransport scsi\ndevice sda\n> inquiry\n01\n> inquiry\n02\n> read-capacity\n! hang\n@ 1\nabsent\n"

static void drives_are_told_asked_and_changed(void **state)
{
	struct inventory_drive *d;
	struct wire_reply reply;

	write_file("a.capture", SAS);
	write_file("b.capture", "drive-capture 1\ntransport nvme\ndevice nvme0n1\n> nvme-log id=02\n07\n");
	write_file("ignored.txt", "no capture");
	start(NULL);
	greet();
	d = expect_inventory();
	assert_string_equal(d->key, "a.capture");
	assert_true(d->is_present);
	inventory_free(d);
	d = expect_inventory();
	assert_int_equal(d->n_devices, 2);
	inventory_free(d);
	expect(WIRE_INVENTORY_END);
	for (int i = 1; i <= 3; i++) {
		ask((uint64_t)i, "sda", COMMAND_INQUIRY);
		reply = expect_reply((uint64_t)i);
		assert_int_equal(reply.verdict, WIRE_ANSWERED);
		assert_int_equal(reply.bytes[0], i < 2 ? 1 : 2);
	}
	d = expect_inventory();			/* a second later it is gone */
	assert_string_equal(d->key, "a.capture");
	assert_false(d->is_present);
	inventory_free(d);
	ask(9, "sda", COMMAND_INQUIRY);
	reply = expect_reply(9);
	assert_int_equal(reply.fail.kind, FAIL_KIND_ERRNO);
	assert_int_equal(reply.fail.code, ENODEV);
	close(s.fd);
	s.fd = -1;
	assert_int_equal(status_of_end(), 0);
}

static bool is_running_in(const char *folder)
{
	char command[200];

	snprintf(command, sizeof command, "ls -d '%s'/drive_replay.* >/dev/null 2>&1", folder);
	return !system(command);
}

static void a_hang_keeps_its_own_drive_only(void **state)
{
	char hang_file[200], argument[220];
	struct wire_reply reply;
	struct stat st;

	write_file("a.capture", SAS);
	write_file("b.capture", "drive-capture 1\ntransport scsi\ndevice sdb\n> inquiry\n03\n");
	snprintf(hang_file, sizeof hang_file, "%s/hang", s.folder);
	snprintf(argument, sizeof argument, "--hang-file=%s", hang_file);
	start(argument);
	greet();
	inventory_free(expect_inventory());
	inventory_free(expect_inventory());
	expect(WIRE_INVENTORY_END);
	assert_true(is_running_in(s.folder));
	ask(1, "sda", COMMAND_READ_CAPACITY);
	ask(2, "sda", COMMAND_INQUIRY);
	reply = expect_reply(2);
	assert_int_equal(reply.verdict, WIRE_BUSY);
	ask(3, "sdb", COMMAND_INQUIRY);
	reply = expect_reply(3);
	assert_int_equal(reply.verdict, WIRE_ANSWERED);
	for (int i = 0; i < PATIENCE_MS / 10 && (stat(hang_file, &st) || st.st_size != 1); i++)
		usleep(10000);
	assert_int_equal(stat(hang_file, &st), 0);
	assert_int_equal(st.st_size, 1);
	kill(s.pid, SIGTERM);
	assert_int_equal(status_of_end(), 0);
	assert_false(is_running_in(s.folder));		/* its private folder went with it */
}

static void broken_captures_are_left_out_by_name_and_line(void **state)
{
	struct inventory_drive *d;

	write_file("a.capture", "drive-capture 1\ntransport scsi\ndevice sda\n> inquiry\n0g\n");
	write_file("b.capture", "drive-capture 1\ntransport scsi\ndevice sdb\n> inquiry\n03\n");
	start(NULL);
	greet();
	d = expect_inventory();
	assert_string_equal(d->key, "b.capture");
	inventory_free(d);
	expect(WIRE_INVENTORY_END);
	expect_error("a.capture:5: not two hexadecimal digits a byte: 0g");
}

static void nothing_to_serve_is_an_error(void **state)
{
	write_file("a.capture", "drive-capture 2\n");
	start(NULL);
	assert_int_equal(status_of_end(), 1);
	expect_error("a.capture:1: the first line must be");
}

static void unknown_options_are_refused(void **state)
{
	start("--colour=red");
	assert_int_equal(status_of_end(), 1);
	expect_error("colour");
}

static void a_clock_that_cannot_be_is_refused(void **state)
{
	static const char *const bad[][2] = {
		{ "--speed=0.9", "--speed takes a number from 1 to 10000000, not \"0.9\"" },
		{ "--speed=1e9", "--speed takes a number from 1 to 10000000, not \"1e9\"" },
		{ "--start=now", "--start takes a number of microseconds, not \"now\"" },
		{ "--ahead=-1", "--ahead takes a number of microseconds, not \"-1\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		start(bad[i][0]);
		assert_int_equal(status_of_end(), 1);
		expect_error(bad[i][1]);
		close(s.fd);
		s.fd = -1;
	}
}

static void it_may_begin_later_in_its_captures(void **state)
{
	struct inventory_drive *d;

	write_file("a.capture", SAS);
	start("--ahead=86400000000");
	greet();
	d = expect_inventory();
	assert_false(d->is_present);
	assert_in_range(d->time_s - time(NULL), 86390, 86410);
	inventory_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(drives_are_told_asked_and_changed, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(a_hang_keeps_its_own_drive_only, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(broken_captures_are_left_out_by_name_and_line, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(nothing_to_serve_is_an_error, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(unknown_options_are_refused, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(a_clock_that_cannot_be_is_refused, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(it_may_begin_later_in_its_captures, make_folder, remove_folder),
	};

	return cmocka_run_group_tests_name("replay_program", tests, NULL, NULL);
}
