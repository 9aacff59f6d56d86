/* The pages for people, and the JSON for programs. */
#pragma once

#include "exporter/view.h"

struct site {
	const struct fleet *fleet;
	struct io_rate *io;
};

/* 0 or a negative errno. */
MUST_CHECK int site_init(struct site *, const struct fleet *, sd_event *);
void site_free(struct site *);

/* Appends the page of that path and tells its type. Returns the HTTP status; 404 without a page where there is none. */
int site_page(struct site *, const char *path, struct text *out, const char **ret_type);

/* ---- page_index.c, page_drive.c, chart.c, json.c */

/* Keeps within this, whatever the drives say. */
enum { SITE_PAGE_MAX = 100000 };

void page_index(const struct site *, const struct view *, struct text *out);
void page_drive(const struct site *, const struct view *, const struct view_drive *, struct text *out);
/* A tag that names the drive's state, and its reasons; for both pages. */
void page_health(const struct view_drive *, double now_s, struct text *out);

/* A drive's wear as it was seen, and as it is expected to go on; a sentence where there is nothing to draw. */
void chart_wear(const struct view_drive *, double now_s, struct text *out);

/* 0, or -ENOMEM. */
MUST_CHECK int json_drives(const struct view *, struct text *out);
MUST_CHECK int json_drive(const struct view_drive *, double now_s, struct text *out);
MUST_CHECK int json_error(const char *words, struct text *out);
