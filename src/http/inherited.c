#include "http/inherited.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

static bool is_served(int fd)
{
	static const int families[] = { AF_INET, AF_INET6, AF_UNIX };

	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		if (sd_is_socket(fd, families[i], SOCK_STREAM, true) > 0)
			return true;
	return false;
}

int http_inherit(struct text *error)
{
	int n = sd_listen_fds(true);

	if (n < 0) {
		text_addf(error, "cannot take the sockets that systemd passes: %s", strerror(-n));
		return n;
	}
	if (!n) {
		text_add(error, "systemd has passed no socket: --web.systemd-socket is for a service with a socket unit");
		return -ENOTCONN;
	}
	for (int i = 0; i < n; i++) {
		int fd = SD_LISTEN_FDS_START + i;

		if (!is_served(fd)) {
			text_addf(error, "socket %d of %d that systemd has passed is no TCP or Unix socket that listens (ListenStream=)",
				  i + 1, n);
			return -ENOTSOCK;
		}
		if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK))
			return -errno;
	}
	return n;
}
