#include "discover/watch.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-device.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"

enum {
	LOOK_EVERY_US = 60000000,
	PAUSE_US = 200000,		/* events come in bursts, so one look follows a little later */
	BUFFER_BYTES = 1 << 20,		/* of a socket: what an adapter with hundreds of drives tells at once */
	KERNEL_GROUP = 1,		/* of NETLINK_KOBJECT_UEVENT; 2 is udevd's */
	MESSAGE_MAX = 8192,		/* the kernel's own are at most 2 KiB and the path */
	MESSAGES_AT_ONCE = 256,
};

struct host_watch {
	sd_event *event;
	void (*look)(void *context);
	void *context;
	sd_event_source *timer;
	uint64_t due_us;		/* when the timer is due, of CLOCK_MONOTONIC */
	sd_device_monitor *monitor;	/* where udevd runs */
	sd_event_source *kernel;	/* where not */
};

static void look_within(struct host_watch *w, uint64_t us)
{
	uint64_t due_us = clock_monotonic_us() + us;

	if (w->due_us && w->due_us <= due_us)	/* another event must not put it off */
		return;
	w->due_us = due_us;
	(void)sd_event_source_set_time(w->timer, due_us);
	(void)sd_event_source_set_enabled(w->timer, SD_EVENT_ONESHOT);
}

/* ---- udevd's events, after its rules have set owner and mode of the node */

static bool is_udevd_there(void)
{
	return !access("/run/udev/control", F_OK);
}

static int on_udev(sd_device_monitor *monitor, sd_device *device, void *userdata)
{
	look_within(userdata, PAUSE_US);
	return 0;
}

static int start_udev(struct host_watch *w)
{
	int r = sd_device_monitor_new(&w->monitor);

	if (r >= 0)
		(void)sd_device_monitor_set_receive_buffer_size(w->monitor, BUFFER_BYTES);
	if (r >= 0)
		r = sd_device_monitor_filter_add_match_subsystem_devtype(w->monitor, "block", "disk");
	if (r >= 0)
		r = sd_device_monitor_filter_add_match_subsystem_devtype(w->monitor, "nvme", NULL);
	if (r >= 0)
		r = sd_device_monitor_attach_event(w->monitor, w->event);
	if (r >= 0)
		r = sd_device_monitor_start(w->monitor, on_udev, w);
	return r;
}

static void stop_udev(struct host_watch *w)
{
	w->monitor = sd_device_monitor_unref(w->monitor);
}

/* ---- the kernel's */

static bool has_line(const char *message, size_t n, const char *line)
{
	size_t length = strlen(line) + 1;	/* with its NUL */

	for (size_t at = 0; at < n; at += strnlen(message + at, n - at) + 1)
		if (n - at >= length && !memcmp(message + at, line, length))
			return true;
	return false;
}

bool uevent_is_of_drive(const char *message, size_t n)
{
	return (has_line(message, n, "SUBSYSTEM=block") && has_line(message, n, "DEVTYPE=disk")) ||
	       has_line(message, n, "SUBSYSTEM=nvme");
}

static int on_kernel(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct host_watch *w = userdata;
	char message[MESSAGE_MAX];

	for (int i = 0; i < MESSAGES_AT_ONCE; i++) {
		ssize_t n = recv(fd, message, sizeof message, MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != ENOBUFS)
			return 0;
		if (n < 0 || uevent_is_of_drive(message, (size_t)n))	/* ENOBUFS: some were dropped */
			look_within(w, PAUSE_US);
	}
	return 0;
}

static int start_kernel(struct host_watch *w)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	int size = BUFFER_BYTES, r;
	AUTO_FD fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
	if (bind(fd, (struct sockaddr *)&address, sizeof address))
		return -errno;
	r = sd_event_add_io(w->event, &w->kernel, fd, EPOLLIN, on_kernel, w);
	if (r < 0)
		return r;
	(void)sd_event_source_set_priority(w->kernel, SD_EVENT_PRIORITY_NORMAL + 1);	/* behind scrapes */
	(void)sd_event_source_set_io_fd_own(w->kernel, true);
	fd_steal(&fd);
	return 0;
}

/* udevd may have come or gone since. */
static void listen_to_whom_there_is(struct host_watch *w)
{
	bool is_udevd = is_udevd_there();
	int r;

	if ((is_udevd && w->monitor) || (!is_udevd && w->kernel))
		return;
	stop_udev(w);
	w->kernel = sd_event_source_disable_unref(w->kernel);
	r = is_udevd ? start_udev(w) : start_kernel(w);
	if (r < 0) {
		stop_udev(w);
		log_debug("no events of drives that come and go (%s); looking every minute", strerror(-r));
	}
}

static int on_timer(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct host_watch *w = userdata;

	w->due_us = 0;
	listen_to_whom_there_is(w);	/* before the look, so that nothing comes in between */
	w->look(w->context);
	look_within(w, LOOK_EVERY_US);
	return 0;
}

int host_watch_new(sd_event *event, void (*look)(void *context), void *context, struct host_watch **ret)
{
	struct host_watch *w = calloc(1, sizeof *w);
	int r;

	if (!w)
		return -ENOMEM;
	w->event = sd_event_ref(event);
	w->look = look;
	w->context = context;
	r = sd_event_add_time_relative(event, &w->timer, CLOCK_MONOTONIC, 0, 1000, on_timer, w);
	if (r < 0) {
		host_watch_free(w);
		return r;
	}
	*ret = w;
	return 0;
}

void host_watch_free(struct host_watch *w)
{
	if (!w)
		return;
	stop_udev(w);
	sd_event_source_disable_unref(w->kernel);
	sd_event_source_disable_unref(w->timer);
	sd_event_unref(w->event);
	free(w);
}
