#include "exporter/site.h"

#include <errno.h>
#include <string.h>

int site_init(struct site *site, const struct fleet *fleet, sd_event *event)
{
	*site = (struct site){ .fleet = fleet, .io = io_rate_new(event, fleet) };
	return site->io ? 0 : -ENOMEM;
}

void site_free(struct site *site)
{
	io_rate_free(site->io);
	*site = (struct site){ 0 };
}

static const char type_html[] = "text/html; charset=utf-8", type_json[] = "application/json";

static bool begins_with(const char **path, const char *start)
{
	size_t n = strlen(start);

	if (strncmp(*path, start, n))
		return false;
	*path += n;
	return **path;
}

static int json_page(const struct view *view, const struct view_drive *drive, struct text *out)
{
	int r = drive ? json_drive(drive, view->now_s, out) : json_error("there is no such drive", out);

	return r ? 500 : drive ? 200 : 404;
}

static int answer(struct site *site, const struct view *view, const char *path, struct text *out, const char **ret_type)
{
	*ret_type = type_html;
	if (!strcmp(path, "/")) {
		page_index(site, view, out);
		return 200;
	}
	if (begins_with(&path, "/drives/")) {
		const struct view_drive *drive = view_find(view, path);

		if (drive)
			page_drive(site, view, drive, out);
		return drive ? 200 : 404;
	}
	*ret_type = type_json;
	if (!strcmp(path, "/api/v1/drives"))
		return json_drives(view, out) ? 500 : 200;
	if (begins_with(&path, "/api/v1/drives/"))
		return json_page(view, view_find(view, path), out);
	return 404;
}

int site_page(struct site *site, const char *path, struct text *out, const char **ret_type)
{
	struct view view;
	int status;

	if (strcmp(path, "/") && strncmp(path, "/drives/", 8) && strncmp(path, "/api/v1/drives", 14))
		return 404;
	if (view_new(site->fleet, site->io, &view))
		return 500;
	status = answer(site, &view, path, out, ret_type);
	view_free(&view);
	return status;
}
