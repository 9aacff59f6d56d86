#include "exporter/reload.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "probe/notify.h"

struct reload {
	sd_event *event;
	sd_event_source *hup;
	struct reload_job *jobs;
	bool is_told;			/* systemd, that a reload is under way */
};

/* A systemd that waits for the end of a reload goes by when it began, too. */
static void tell_begin(struct reload *reload)
{
	char states[64];

	if (reload->is_told)
		return;
	snprintf(states, sizeof states, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, clock_monotonic_us());
	notify_state(states);
	reload->is_told = true;
}

static void tell_end(struct reload *reload)
{
	for (const struct reload_job *job = reload->jobs; job; job = job->next)
		if (job->is_of_signal)
			return;
	if (reload->is_told)
		notify_state("READY=1");
	reload->is_told = false;
}

static void *run(void *userdata)
{
	struct reload_job *job = userdata;
	const uint64_t one = 1;

	job->read(job->context, job->is_asked);
	while (write(job->done_fd, &one, sizeof one) < 0 && errno == EINTR)
		;
	return NULL;
}

void reload_start(struct reload_job *job)
{
	int r;

	if (job->is_running) {
		job->is_wanted_again = true;
		return;
	}
	job->is_asked = job->is_of_signal;
	r = pthread_create(&job->thread, NULL, run, job);
	job->is_running = !r;
	if (r) {
		log_warn("cannot read the %s anew: %s", job->name, strerror(r));
		job->is_of_signal = false;
	}
}

static int on_done(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct reload_job *job = userdata;
	uint64_t n;

	if (read(fd, &n, sizeof n) != sizeof n)
		return 0;
	pthread_join(job->thread, NULL);
	job->is_running = false;
	job->use(job->context);
	if (job->is_wanted_again) {	/* what was asked for meanwhile may have come too late for this one */
		job->is_wanted_again = false;
		reload_start(job);
	}
	if (!job->is_running)
		job->is_of_signal = false;
	tell_end(job->reload);
	return 0;
}

static int on_hup(sd_event_source *source, const struct signalfd_siginfo *si, void *userdata)
{
	struct reload *reload = userdata;

	tell_begin(reload);
	for (struct reload_job *job = reload->jobs; job; job = job->next) {
		job->is_of_signal = true;
		reload_start(job);
	}
	tell_end(reload);
	return 0;
}

int reload_new(sd_event *event, struct reload **ret)
{
	struct reload *reload = calloc(1, sizeof *reload);
	sigset_t hup;
	int r;

	if (!reload)
		return -ENOMEM;
	sigemptyset(&hup);
	sigaddset(&hup, SIGHUP);
	r = -pthread_sigmask(SIG_BLOCK, &hup, NULL);
	if (!r)
		r = sd_event_add_signal(event, &reload->hup, SIGHUP, on_hup, reload);
	if (r < 0) {
		free(reload);
		return r;
	}
	reload->event = sd_event_ref(event);
	*ret = reload;
	return 0;
}

void reload_free(struct reload *reload)
{
	if (!reload)
		return;
	sd_event_source_disable_unref(reload->hup);
	sd_event_unref(reload->event);
	free(reload);
}

int reload_add(struct reload *reload, struct reload_job *job)
{
	int r;

	job->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (job->done_fd < 0)
		return -errno;
	r = sd_event_add_io(reload->event, &job->done, job->done_fd, EPOLLIN, on_done, job);
	if (r < 0) {
		fd_closep(&job->done_fd);
		return r;
	}
	job->reload = reload;
	job->next = reload->jobs;
	reload->jobs = job;
	return 0;
}

static void take_out(struct reload_job *job)
{
	struct reload_job **at = &job->reload->jobs;

	while (*at != job)
		at = &(*at)->next;
	*at = job->next;
	job->reload = NULL;
}

bool reload_end(struct reload_job *job)
{
	if (!job->reload)		/* never added */
		return true;
	take_out(job);
	job->done = sd_event_source_disable_unref(job->done);
	if (job->is_running)
		return false;
	fd_closep(&job->done_fd);
	return true;
}
