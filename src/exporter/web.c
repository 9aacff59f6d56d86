#include "exporter/web.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "http/web.h"

static const uint64_t look_us = 1000000;	/* how often the files are looked at */

/* The configuration itself, certificate, key and authority. */
enum { FILES_MAX = 4 };

/* Another file than before has another one of these. All zero: there is none. */
struct stamp {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec modified, changed;
};

struct stamps {
	struct stamp at[FILES_MAX];
};

struct web {
	const char *path;
	struct http_server *server;
	sd_event_source *tick;
	struct reload_job job;

	/* the job's */
	char *files[FILES_MAX];		/* NULL: fewer */
	struct stamps read, seen;	/* when they were read, and at the last look */
	struct http_web *next;		/* NULL: nothing new */
	struct text error;
};

/* ---- the files */

static struct stamp stamp_of(const char *path)
{
	struct stat st;

	if (!path || stat(path, &st))
		return (struct stamp){ 0 };
	return (struct stamp){ st.st_dev, st.st_ino, st.st_size, st.st_mtim, st.st_ctim };
}

static bool is_same(const struct stamp *a, const struct stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       a->modified.tv_sec == b->modified.tv_sec && a->modified.tv_nsec == b->modified.tv_nsec &&
	       a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

static bool are_same(const struct stamps *a, const struct stamps *b)
{
	for (size_t i = 0; i < FILES_MAX; i++)
		if (!is_same(&a->at[i], &b->at[i]))
			return false;
	return true;
}

static struct stamps stamps_of(const struct web *web)
{
	struct stamps stamps;

	for (size_t i = 0; i < FILES_MAX; i++)
		stamps.at[i] = stamp_of(web->files[i]);
	return stamps;
}

static void forget_files(struct web *web)
{
	for (size_t i = 0; i < FILES_MAX; i++) {
		free(web->files[i]);
		web->files[i] = NULL;
	}
}

static bool remember_files(struct web *web, const struct web_config *config)
{
	const char *const named[FILES_MAX] = { web->path, config->tls.cert_file, config->tls.key_file, config->tls.client_ca_file };
	bool is_good = true;

	forget_files(web);
	for (size_t i = 0; i < FILES_MAX; i++) {
		web->files[i] = named[i] ? strdup(named[i]) : NULL;
		is_good &= !named[i] || web->files[i];
	}
	return is_good;
}

/* The stamps are of before the reading, so that a file that is written meanwhile is read again. */
static int read_files(struct web *web)
{
	const struct stamp own = stamp_of(web->path);
	struct web_config *config;
	int r = web_config_read(web->path, &config, &web->error);

	if (!r && !remember_files(web, config)) {
		web_config_free(config);
		text_addf(&web->error, "%s: no memory", web->path);
		r = -ENOMEM;
	}
	web->read = stamps_of(web);
	web->read.at[0] = own;
	web->seen = web->read;
	return r ? r : http_web_new(config, &web->next, &web->error);
}

/* ---- again */

/* Who writes a certificate and then its key is not done after the first; and a file may be half written. */
static bool is_to_be_read(struct web *web)
{
	const struct stamps before = web->seen;

	web->seen = stamps_of(web);
	return !are_same(&web->seen, &web->read) && are_same(&web->seen, &before);
}

static void look(void *context, bool is_asked)
{
	struct web *web = context;

	if (is_to_be_read(web) || is_asked)
		(void)read_files(web);		/* use_next() tells */
}

static void use_next(void *context)
{
	struct web *web = context;

	if (web->next && !http_server_use(web->server, pointer_steal(&web->next), &web->error))
		log_info("%s: read anew, and in use", web->path);
	if (web->error.length)
		log_error("%s (the web configuration in use stays as it was)", web->error.at);
	text_free(&web->error);
}

static int on_tick(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct web *web = userdata;

	reload_start(&web->job);
	if (sd_event_source_set_time_relative(source, look_us) < 0 || sd_event_source_set_enabled(source, SD_EVENT_ONESHOT) < 0)
		log_error("cannot set the timer of the web configuration");
	return 0;
}

/* ---- beginning and end */

int web_load(const char *path, struct web **ret, struct text *error)
{
	struct web *web = calloc(1, sizeof *web);
	int r;

	if (!web) {
		text_addf(error, "%s: no memory", path);
		return -ENOMEM;
	}
	web->path = path;
	web->error = TEXT_LIMIT(2048);
	r = read_files(web);
	if (r < 0) {
		text_add(error, web->error.at ? web->error.at : strerror(-r));
		web_free(web);
		return r;
	}
	*ret = web;
	return 0;
}

struct http_web **web_loaded(struct web *web)
{
	return &web->next;
}

int web_watch(struct web *web, sd_event *event, struct reload *reload, struct http_server *server)
{
	int r;

	web->server = server;
	web->job = (struct reload_job){ .name = "web configuration", .read = look, .use = use_next, .context = web };
	r = reload_add(reload, &web->job);
	if (r >= 0)
		r = sd_event_add_time_relative(event, &web->tick, CLOCK_MONOTONIC, look_us, look_us / 4, on_tick, web);
	return r < 0 ? r : 0;
}

void web_free(struct web *web)
{
	if (!web)
		return;
	web->tick = sd_event_source_disable_unref(web->tick);
	if (!reload_end(&web->job))
		return;
	forget_files(web);
	http_web_free(web->next);
	text_free(&web->error);
	free(web);
}
