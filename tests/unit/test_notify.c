/* probe/notify.c: what systemd is told, by which address, and that it is never waited for. */
#include "probe/notify.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "unit.h"

/* What it keeps is the process's, so each case runs in one of its own. */
static void in_a_child(void (*act)(void *), void *context)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		alarm(10);		/* it should have waited for nothing */
		act(context);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* In the child: cmocka would go on in it. */
#define MUST(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			_exit(1); \
		} \
	} while (0)

/* A socket as systemd's, at that name. */
static int bind_at(const char *name)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	socklen_t n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	memcpy(at.sun_path, name, strlen(name));
	if (name[0] == '@')
		at.sun_path[0] = 0;
	assert_int_equal(bind(fd, (struct sockaddr *)&at, n), 0);
	return fd;
}

static void set_environment(const char *name, const char *usec, const char *pid)
{
	setenv("NOTIFY_SOCKET", name, 1);
	setenv("WATCHDOG_USEC", usec, 1);
	if (pid)
		setenv("WATCHDOG_PID", pid, 1);
	else
		unsetenv("WATCHDOG_PID");
}

/* The next message; "" where there is none. */
static const char *told(int fd)
{
	static char message[4096];
	ssize_t n = recv(fd, message, sizeof message - 1, 0);

	message[n < 0 ? 0 : n] = 0;
	return message;
}

static void say_all(void *name)
{
	set_environment(name, "3000000", NULL);
	notify_open();
	MUST(!getenv("NOTIFY_SOCKET") && !getenv("WATCHDOG_USEC") && !getenv("WATCHDOG_PID"));
	MUST(notify_is_wanted() && notify_alive_ms() == 1500);
	notify_state("READY=1");
	notify_status("one\ntwo");
	notify_status("one\ntwo");
	notify_status("three");
	notify_alive();
	notify_state("STOPPING=1");
}

static void both_kinds_of_address_are_reached(void **state)
{
	char path[64], abstract[64];
	char *const names[] = { path, abstract };

	snprintf(path, sizeof path, "/tmp/test_notify.%d", (int)getpid());
	snprintf(abstract, sizeof abstract, "@test_notify.%d", (int)getpid());
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		AUTO_FD fd = bind_at(names[i]);

		in_a_child(say_all, names[i]);
		assert_string_equal(told(fd), "READY=1");
		assert_string_equal(told(fd), "STATUS=one\357\277\275two");	/* no line of its own */
		assert_string_equal(told(fd), "STATUS=three");			/* and none twice */
		assert_string_equal(told(fd), "WATCHDOG=1");
		assert_string_equal(told(fd), "STOPPING=1");
		assert_string_equal(told(fd), "");
	}
	unlink(path);
}

static void say_to_nobody(void *name)
{
	if (name)
		set_environment(name, "3000000", NULL);
	notify_open();
	MUST(!getenv("NOTIFY_SOCKET") && !getenv("WATCHDOG_USEC"));
	MUST(!notify_is_wanted() && !notify_alive_ms());
	notify_state("READY=1");
	notify_status("text");
	notify_alive();
}

static void an_address_that_is_none_is_left_alone(void **state)
{
	char longest[sizeof ((struct sockaddr_un *)NULL)->sun_path + 1] = { 0 };

	memset(longest, 'x', sizeof longest - 1);
	longest[0] = '/';
	in_a_child(say_to_nobody, longest);
	longest[0] = '@';
	in_a_child(say_to_nobody, longest);
	for (char **name = (char *[]){ "relative", "/", "@", "", "vsock:2:1234", NULL }; *name; name++)
		in_a_child(say_to_nobody, *name);
	in_a_child(say_to_nobody, NULL);
}

static void say_one(void *name)
{
	set_environment(name, "1000000", "1");	/* the watchdog is another's */
	notify_open();
	MUST(notify_is_wanted() && !notify_alive_ms());
	notify_alive();
	notify_state("READY=1");
}

static void a_watchdog_of_another_process_is_not_ours(void **state)
{
	char name[64];

	snprintf(name, sizeof name, "@test_notify.%d", (int)getpid());
	AUTO_FD fd = bind_at(name);
	in_a_child(say_one, name);
	assert_string_equal(told(fd), "READY=1");
	assert_string_equal(told(fd), "");
}

static void check_times(void *name)
{
	static const struct {
		const char *usec;
		uint64_t ms;
	} rows[] = { { "1", 1 }, { "2000", 1 }, { "30000000", 15000 }, { "0", 0 }, { "", 0 }, { "-1", 0 }, { "1x", 0 } };
	char pid[16];

	snprintf(pid, sizeof pid, "%d", (int)getpid());
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		set_environment(name, rows[i].usec, pid);
		notify_open();
		MUST(notify_alive_ms() == rows[i].ms);
	}
}

static void half_the_time_is_a_good_time(void **state)
{
	in_a_child(check_times, "@test_notify.nobody");
}

struct full {
	const char *name;
	int fd;
	size_t n;		/* messages that had room */
};

/* systemd reads nothing: what was to be said comes when it does, ahead of what follows. */
static void say_to_a_full_one(void *context)
{
	struct full *full = context;

	set_environment(full->name, "1000000", NULL);
	notify_open();
	for (int i = 0; i < 5000; i++)
		notify_alive();
	notify_state("READY=1");
	notify_status("lost");
	while (strcmp(told(full->fd), ""))
		full->n++;
	MUST(full->n > 0 && full->n < 5000);
	notify_status("lost");
	MUST(!strcmp(told(full->fd), "READY=1"));
	MUST(!strcmp(told(full->fd), "STATUS=lost"));
	notify_alive();
	MUST(!strcmp(told(full->fd), "WATCHDOG=1"));
	MUST(!strcmp(told(full->fd), ""));
}

static void a_systemd_that_does_not_read_is_not_waited_for(void **state)
{
	char name[64];
	struct full full = { .name = name };

	snprintf(name, sizeof name, "@test_notify.%d", (int)getpid());
	full.fd = bind_at(name);
	in_a_child(say_to_a_full_one, &full);
	close(full.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_kinds_of_address_are_reached),
		cmocka_unit_test(an_address_that_is_none_is_left_alone),
		cmocka_unit_test(a_watchdog_of_another_process_is_not_ours),
		cmocka_unit_test(half_the_time_is_a_good_time),
		cmocka_unit_test(a_systemd_that_does_not_read_is_not_waited_for),
	};

	return cmocka_run_group_tests_name("notify", tests, NULL, NULL);
}
