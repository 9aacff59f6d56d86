/* --web.config.file: read at the start, and anew at SIGHUP or when one of its files is another one. */
#pragma once

#include "exporter/reload.h"
#include "http/server.h"

struct web;

/* 0, or a negative errno with *error saying what is wrong, in one line. The path is kept by reference. */
int web_load(const char *path, struct web **ret, struct text *error);
/* What was read, for http_options. */
struct http_web **web_loaded(struct web *);
/* From now on the server gets what is read anew. What has a mistake changes nothing, and is told in the log. */
int web_watch(struct web *, sd_event *, struct reload *, struct http_server *);
void web_free(struct web *);		/* before the reload and the server; NULL does nothing */
