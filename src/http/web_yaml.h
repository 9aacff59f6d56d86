/* Reads a web configuration's YAML piece by piece; errors name file, line and key. Every function returns 0, or a negative errno with
 * the reader's error said. */
#pragma once

#include <yaml.h>

#include "http/web_config.h"

enum { WEB_KEYS_MAX = 16, WEB_SHOWN_MAX = 64 };

struct web_reader {
	yaml_parser_t parser;
	struct web_config *config;
	struct text *error;
	char section[64], key[WEB_SHOWN_MAX * 3 + 1];	/* where we are, as errors say it */
	size_t line;
	size_t tls_line, tls_lines[WEB_KEYS_MAX];	/* of the section and each of its keys, 0: not there */
	size_t top_lines[WEB_KEYS_MAX], http_lines[WEB_KEYS_MAX], rate_lines[WEB_KEYS_MAX];
};

/* "FILE:LINE: KEY: what": always -EINVAL. */
int web_refuse(struct web_reader *, const char *format, ...) PRINTF_LIKE(2, 3);
int web_no_memory(struct web_reader *);

/* A string of the file, fit for one line. */
struct web_shown {
	char at[WEB_SHOWN_MAX * 3 + 1];
};
struct web_shown web_show(const char *);

#define AUTO_YAML_EVENT CLEANUP(yaml_event_delete) yaml_event_t
/* The caller deletes the event, also after an error. */
int web_next_event(struct web_reader *, yaml_event_t *ret);

/* The next value's text, which the caller frees; NULL where there is none. */
int web_read_scalar(struct web_reader *, char **ret);
/* item() may keep an item by setting it to NULL. */
typedef int (*web_item_fn)(struct web_reader *, char **item);
int web_read_list(struct web_reader *, web_item_fn);
/* Calls entry() at each key, with its value still to come. */
typedef int (*web_entry_fn)(struct web_reader *, const char *key);
int web_read_mapping(struct web_reader *, web_entry_fn);

/* A key of a mapping with fixed ones. */
struct web_key {
	const char *name;
	int (*read)(struct web_reader *, void *to);
	size_t at;			/* in struct web_config */
};
/* lines: where each key of the table has been, so that none comes twice. */
int web_read_key(struct web_reader *, const struct web_key *, size_t n, size_t *lines, const char *name);

/* Values, for such tables. A key without a value is one that is not there. */
int web_read_string(struct web_reader *, void *to);
int web_read_path(struct web_reader *, void *to);	/* relative to the folder of the file that names it */
int web_read_bool(struct web_reader *, void *to);
/* One of the names; its place comes back. -1: the key has no value. */
int web_read_name(struct web_reader *, const char *const *names, size_t n, int *ret);
