#include "http/web_yaml.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int web_refuse(struct web_reader *r, const char *format, ...)
{
	char what[600];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	text_addf(r->error, "%s:%zu: %s%s%s%s%s", r->config->path, r->line, r->section, *r->section && *r->key ? "." : "", r->key,
		  *r->section || *r->key ? ": " : "", what);
	return -EINVAL;
}

int web_no_memory(struct web_reader *r)
{
	text_addf(r->error, "%s: no memory", r->config->path);
	return -ENOMEM;
}

struct web_shown web_show(const char *string)
{
	char head[WEB_SHOWN_MAX + 1];
	struct web_shown out;

	text_copy(head, sizeof head, string);
	text_printable(head, out.at, sizeof out.at);
	return out;
}

/* ---- events */

/* References are for files that people do not type, and would let a small file stand for a large one. */
static int check_event(struct web_reader *r, const yaml_event_t *e)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	switch (e->type) {
	case YAML_ALIAS_EVENT:
		return web_refuse(r, "anchors and aliases are not taken");
	case YAML_SCALAR_EVENT:
		anchor = e->data.scalar.anchor;
		tag = e->data.scalar.tag;
		if (strlen((const char *)e->data.scalar.value) != e->data.scalar.length)
			return web_refuse(r, "has a NUL byte");
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = e->data.sequence_start.anchor;
		tag = e->data.sequence_start.tag;
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = e->data.mapping_start.anchor;
		tag = e->data.mapping_start.tag;
		break;
	default:
		break;
	}
	if (anchor)
		return web_refuse(r, "anchors and aliases are not taken");
	return tag ? web_refuse(r, "tags are not taken") : 0;
}

int web_next_event(struct web_reader *r, yaml_event_t *ret)
{
	if (!yaml_parser_parse(&r->parser, ret)) {
		*ret = (yaml_event_t){ 0 };
		if (r->parser.error == YAML_MEMORY_ERROR)
			return web_no_memory(r);
		r->line = (r->parser.error == YAML_READER_ERROR ? r->parser.mark.line : r->parser.problem_mark.line) + 1;
		*r->section = *r->key = 0;
		return web_refuse(r, "not YAML: %s", r->parser.problem ? r->parser.problem : "cannot be parsed");
	}
	r->line = ret->start_mark.line + 1;
	return check_event(r, ret);
}

static const char *scalar(const yaml_event_t *e)
{
	return (const char *)e->data.scalar.value;
}

/* A key without a value is one that is not there. */
static bool is_null(const yaml_event_t *e)
{
	const char *s;

	if (e->type != YAML_SCALAR_EVENT || e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return false;
	s = scalar(e);
	return !*s || !strcmp(s, "~") || !strcasecmp(s, "null");
}

int web_read_scalar(struct web_reader *r, char **ret)
{
	AUTO_YAML_EVENT e = { 0 };
	int err = web_next_event(r, &e);

	*ret = NULL;
	if (err < 0)
		return err;
	if (e.type != YAML_SCALAR_EVENT)
		return web_refuse(r, "is %s, not one value", e.type == YAML_MAPPING_START_EVENT ? "a mapping" : "a list");
	if (is_null(&e))
		return 0;
	*ret = strdup(scalar(&e));
	return *ret ? 0 : web_no_memory(r);
}

int web_read_list(struct web_reader *r, web_item_fn item)
{
	AUTO_YAML_EVENT start = { 0 };
	int err = web_next_event(r, &start);

	if (err < 0)
		return err;
	if (is_null(&start))
		return 0;
	if (start.type != YAML_SEQUENCE_START_EVENT)
		return web_refuse(r, "is not a list");
	for (;;) {
		AUTO_YAML_EVENT e = { 0 };
		AUTO_FREE char *string = NULL;

		err = web_next_event(r, &e);
		if (err < 0)
			return err;
		if (e.type == YAML_SEQUENCE_END_EVENT)
			return 0;
		if (e.type != YAML_SCALAR_EVENT)
			return web_refuse(r, "has an item that is no string");
		string = strdup(scalar(&e));
		if (!string)
			return web_no_memory(r);
		err = item(r, &string);
		if (err < 0)
			return err;
	}
}

int web_read_mapping(struct web_reader *r, web_entry_fn entry)
{
	AUTO_YAML_EVENT start = { 0 };
	int err = web_next_event(r, &start);

	if (err < 0)
		return err;
	if (is_null(&start))
		return 0;
	if (start.type != YAML_MAPPING_START_EVENT)
		return web_refuse(r, "is not a mapping of keys to values");
	for (;;) {
		AUTO_YAML_EVENT e = { 0 };

		*r->key = 0;
		err = web_next_event(r, &e);
		if (err < 0)
			return err;
		if (e.type == YAML_MAPPING_END_EVENT)
			return 0;
		if (e.type != YAML_SCALAR_EVENT)
			return web_refuse(r, "has a key that is no string");
		text_copy(r->key, sizeof r->key, web_show(scalar(&e)).at);
		err = entry(r, scalar(&e));
		if (err < 0)
			return err;
	}
}

/* ---- values */

int web_read_key(struct web_reader *r, const struct web_key *keys, size_t n, size_t *lines, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(keys[i].name, name))
			continue;
		if (lines[i])
			return web_refuse(r, "is there twice, first in line %zu", lines[i]);
		lines[i] = r->line;
		return keys[i].read(r, (char *)r->config + keys[i].at);
	}
	return web_refuse(r, "unknown key");
}

int web_read_string(struct web_reader *r, void *to)
{
	return web_read_scalar(r, to);
}

int web_read_path(struct web_reader *r, void *to)
{
	const char *config = r->config->path, *slash = strrchr(config, '/');
	AUTO_FREE char *name = NULL;
	AUTO_TEXT path = TEXT_LIMIT(1 << 16);
	int err = web_read_scalar(r, &name);

	if (err < 0 || !name)
		return err;
	if (!*name)
		return web_refuse(r, "is empty");
	if (*name != '/' && slash)
		text_add_bytes(&path, config, (size_t)(slash - config) + 1);
	text_add(&path, name);
	if (path.truncated)
		return web_refuse(r, "is too long");
	*(char **)to = pointer_steal(&path.at);
	return 0;
}

int web_read_bool(struct web_reader *r, void *to)
{
	static const char *const names[2][3] = { { "false", "no", "off" }, { "true", "yes", "on" } };
	AUTO_FREE char *value = NULL;
	int err = web_read_scalar(r, &value);

	if (err < 0 || !value)
		return err;
	for (size_t i = 0; i < 6; i++)
		if (!strcasecmp(value, names[i / 3][i % 3])) {
			*(bool *)to = i / 3;
			return 0;
		}
	return web_refuse(r, "\"%s\" is neither true nor false", web_show(value).at);
}

int web_read_name(struct web_reader *r, const char *const *names, size_t n, int *ret)
{
	AUTO_FREE char *value = NULL;
	AUTO_TEXT list = TEXT_LIMIT(400);
	int err = web_read_scalar(r, &value);

	*ret = -1;
	if (err < 0 || !value)
		return err;
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(value, names[i])) {
			*ret = (int)i;
			return 0;
		}
		text_addf(&list, "%s%s", i ? ", " : "", names[i]);
	}
	return web_refuse(r, "\"%s\" is none of %s", web_show(value).at, list.at ? list.at : "");
}
