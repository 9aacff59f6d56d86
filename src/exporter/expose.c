#include "exporter/expose.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"

/* From so many drives on, so often, and for as long after a scrape. With fewer a scrape does it itself in no time. */
enum { PREPARED_DRIVES = 64, PREPARE_US = 1000000, PREPARE_SLACK_US = 100000, ASKED_US = 150000000 };

/* Two servers that scrape for one another's sake come at the same time. By the clock that is served: one that runs fast shares nothing. */
enum { SHARED_US = 20000 };

static int make(struct expose *e, const struct answer_form *form, struct answer **ret)
{
	int r = pieces_refresh(e->pieces);

	return r ? r : answer_make(e->pieces, form, ret);
}

/* Old ones would keep pieces that are no longer served. */
static void drop_old(struct expose *e, uint64_t now_us)
{
	for (size_t i = 0; i < EXPOSE_FORMS; i++)
		if (e->last[i].answer && now_us - e->last[i].made_us >= SHARED_US)
			answer_unref(pointer_steal(&e->last[i].answer));
}

static int share(struct expose *e, const struct answer_form *form, struct answer **ret)
{
	size_t i = (size_t)form->format * 2 + form->is_gzip;
	uint64_t now = clock_steady_us();
	struct answer *made;
	int r;

	drop_old(e, now);
	if (e->last[i].answer) {
		*ret = answer_ref(e->last[i].answer);
		return 0;
	}
	r = make(e, form, &made);
	if (r)
		return r;
	e->last[i].answer = answer_ref(made);
	e->last[i].made_us = now;
	*ret = made;
	return 0;
}

int expose_metrics(struct expose *e, const struct http_wish *wish, struct answer **ret, struct text *error)
{
	bool is_wanted[N_METRIC_FAMILIES];
	struct answer_form form = { wish->is_openmetrics ? EXPOSITION_OPENMETRICS : EXPOSITION_TEXT, wish->is_gzip, is_wanted };
	int r;

	if (!wish->collectors[0] && !wish->names[0]) {
		form.is_wanted = NULL;
		return share(e, &form, ret);
	}
	r = selection_make(e->fleet->options, wish->collectors, wish->names, is_wanted, error);
	return r ? r : make(e, &form, ret);
}

/* ---- beforehand */

static struct answer_form form_of(size_t i)
{
	return (struct answer_form){ (enum exposition_format)(i / 2), i % 2, NULL };
}

static bool was_asked(const struct expose *e, size_t form, uint64_t now_us)
{
	return e->last[form].made_us && now_us - e->last[form].made_us < ASKED_US;
}

/* Making an answer compresses what it is made of, and that stays. */
static void prepare(struct expose *e)
{
	uint64_t now = clock_steady_us();
	bool is_fresh = false;

	drop_old(e, now);
	for (size_t i = 0; i < EXPOSE_FORMS; i++) {
		struct answer_form form = form_of(i);
		struct answer *answer = NULL;

		if (!was_asked(e, i, now))
			continue;
		if (!is_fresh && pieces_refresh(e->pieces))
			return;		/* the scrape will say so */
		is_fresh = true;
		if (form.is_gzip && !answer_make(e->pieces, &form, &answer))
			answer_unref(answer);
	}
}

static int on_idle(sd_event_source *source, uint64_t usec, void *expose)
{
	struct expose *e = expose;

	if (e->fleet->drives.n >= PREPARED_DRIVES)
		prepare(e);
	(void)sd_event_source_set_time_relative(source, PREPARE_US);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

int expose_prepare(struct expose *e, sd_event *event)
{
	int r = sd_event_add_time_relative(event, &e->idle, CLOCK_MONOTONIC, PREPARE_US, PREPARE_SLACK_US, on_idle, e);

	return r < 0 ? r : sd_event_source_set_priority(e->idle, SD_EVENT_PRIORITY_IDLE);
}

/* ---- begin and end */

int expose_init(struct expose *e, const struct fleet *fleet, bool has_own)
{
	self_open();
	*e = (struct expose){ .fleet = fleet, .pieces = pieces_new(fleet, has_own) };
	return e->pieces ? 0 : -ENOMEM;
}

void expose_free(struct expose *e)
{
	for (size_t i = 0; i < EXPOSE_FORMS; i++)
		answer_unref(e->last[i].answer);
	sd_event_source_disable_unref(e->idle);
	pieces_free(e->pieces);
	*e = (struct expose){ 0 };
}
