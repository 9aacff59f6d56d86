#include "probe/notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/cleanup.h"
#include "base/text.h"

enum { STATES_MAX = 128, STATUS_MAX = 256 };

static struct {
	int fd;
	struct sockaddr_un to;
	socklen_t n_to;
	uint64_t alive_ms;
	char unsent[STATES_MAX];	/* there was no room for it */
	char status[STATUS_MAX];	/* as told last */
} state = { .fd = -1 };

/* "/path", or "@name" for the abstract name space, where a NUL stands in the place of the @ and none at the end. */
static bool address_of(const char *name, struct sockaddr_un *ret, socklen_t *ret_n)
{
	size_t n = strlen(name);

	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if ((name[0] != '/' && name[0] != '@') || n < 2 || n >= sizeof ret->sun_path)
		return false;
	memcpy(ret->sun_path, name, n);
	if (name[0] == '@')
		ret->sun_path[0] = 0;
	*ret_n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + (name[0] == '/'));
	return true;
}

/* The times of a watchdog that is meant for another process are not ours. */
static uint64_t alive_ms_of(const char *usec, const char *pid)
{
	uint64_t us, whose;

	if (!usec || !text_to_u64(usec, INT64_MAX, &us) || !us)
		return 0;
	if (pid && (!text_to_u64(pid, INT32_MAX, &whose) || whose != (uint64_t)getpid()))
		return 0;
	return us < 2000 ? 1 : us / 2000;
}

void notify_open(void)
{
	const char *name = getenv("NOTIFY_SOCKET");

	if (name && address_of(name, &state.to, &state.n_to))
		state.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	state.alive_ms = state.fd < 0 ? 0 : alive_ms_of(getenv("WATCHDOG_USEC"), getenv("WATCHDOG_PID"));
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

bool notify_is_wanted(void)
{
	return state.fd >= 0;
}

uint64_t notify_alive_ms(void)
{
	return state.alive_ms;
}

static bool send_now(const char *message)
{
	ssize_t n;

	do
		n = sendto(state.fd, message, strlen(message), MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&state.to, state.n_to);
	while (n < 0 && errno == EINTR);
	return n >= 0;
}

static void send_unsent(void)
{
	if (state.unsent[0] && send_now(state.unsent))
		state.unsent[0] = 0;
}

void notify_state(const char *states)
{
	if (state.fd < 0)
		return;
	send_unsent();
	if (!send_now(states))
		text_copy(state.unsent, sizeof state.unsent, states);
}

void notify_status(const char *text)
{
	char message[STATUS_MAX + sizeof "STATUS="], clean[STATUS_MAX];

	if (state.fd < 0)
		return;
	send_unsent();
	text_printable(text, clean, sizeof clean);	/* a line end would begin another assignment */
	if (!strcmp(clean, state.status))
		return;
	snprintf(message, sizeof message, "STATUS=%s", clean);
	if (send_now(message))
		text_copy(state.status, sizeof state.status, clean);
}

void notify_alive(void)
{
	if (state.fd < 0)
		return;
	send_unsent();
	if (state.alive_ms)
		(void)send_now("WATCHDOG=1");
}
