#include "http/web_config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "http/web_config_tls.h"
#include "http/web_yaml.h"

/* A header that may be set, and what it may say, separated by blanks; NULL: anything. */
static const struct header_rule {
	const char *name, *values;
} header_rules[] = {
	{ "Content-Security-Policy", NULL },
	{ "Strict-Transport-Security", NULL },
	{ "X-Content-Type-Options", "nosniff" },
	{ "X-Frame-Options", "deny sameorigin" },
	{ "X-XSS-Protection", NULL },
};
_Static_assert(ARRAY_SIZE(header_rules) == WEB_HEADERS_MAX, "room for each once");

/* ---- rate_limit */

/* A duration as Go writes it: "250ms", "1m30s", "1.5s", or 0. At most a day. */
static bool parse_duration(const char *s, uint64_t *ret_us)
{
	static const struct {
		const char *name;
		double us;
	} units[] = {
		{ "ns", 1e-3 }, { "us", 1 }, { "\xc2\xb5s", 1 }, { "ms", 1e3 }, { "s", 1e6 }, { "m", 60e6 }, { "h", 3600e6 },
	};
	const double day_us = 86400e6;
	double sum = 0;

	*ret_us = 0;
	if (!strcmp(s, "0"))
		return true;
	while (*s) {
		size_t n = strspn(s, "0123456789."), letters = strcspn(s + n, "0123456789."), u;
		char number[24];
		double value;

		if (!n || n >= sizeof number)
			return false;
		text_copy(number, n + 1, s);
		if (!text_to_decimal(number, 0, 1e15, &value))
			return false;
		for (u = 0; u < ARRAY_SIZE(units); u++)
			if (strlen(units[u].name) == letters && !strncmp(units[u].name, s + n, letters))
				break;
		if (u == ARRAY_SIZE(units))
			return false;
		sum += value * units[u].us;
		if (sum > day_us)
			return false;
		s += n + letters;
		if (!*s)
			*ret_us = (uint64_t)(sum + 0.5);
	}
	return sum >= 1;
}

static int read_interval(struct web_reader *r, void *to)
{
	AUTO_FREE char *value = NULL;
	int err = web_read_scalar(r, &value);

	if (err < 0 || !value)
		return err;
	return parse_duration(value, to) ? 0 : web_refuse(r, "\"%s\" is no time from 1us to 24h, as in 250ms or 1m30s", web_show(value).at);
}

static int read_burst(struct web_reader *r, void *to)
{
	enum { BURST_MAX = 1000000 };
	AUTO_FREE char *value = NULL;
	int err = web_read_scalar(r, &value);
	uint64_t n;

	if (err < 0 || !value)
		return err;
	if (!text_to_u64(value, BURST_MAX, &n))
		return web_refuse(r, "\"%s\" is no whole number up to %d", web_show(value).at, BURST_MAX);
	*(unsigned *)to = (unsigned)n;
	return 0;
}

/* ---- headers and users */

static bool is_one_of(const char *value, const char *list)
{
	size_t n = strlen(value);

	for (const char *at = list; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
		if (n && strcspn(at, " ") == n && !strncmp(at, value, n))
			return true;
	return false;
}

static bool has_control(const char *value)
{
	for (; *value; value++)
		if ((unsigned char)*value < ' ' || *value == 0x7f)
			return true;
	return false;
}

static int read_header(struct web_reader *r, const char *name)
{
	struct web_config *c = r->config;
	const struct header_rule *rule = NULL;
	AUTO_FREE char *value = NULL;
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(header_rules); i++)
		if (!strcmp(header_rules[i].name, name))
			rule = &header_rules[i];
	if (!rule)
		return web_refuse(r, "no header that can be set here");
	for (size_t i = 0; i < c->n_headers; i++)
		if (c->headers[i].name == rule->name)
			return web_refuse(r, "is there twice");
	err = web_read_scalar(r, &value);
	if (err < 0 || !value)
		return err;
	if (has_control(value))
		return web_refuse(r, "has a control character");
	if (rule->values && !is_one_of(value, rule->values))
		return web_refuse(r, "\"%s\" is none of: %s", web_show(value).at, rule->values);
	c->headers[c->n_headers++] = (struct web_header){ rule->name, pointer_steal(&value) };
	return 0;
}

static int read_headers(struct web_reader *r, void *to)
{
	int err;

	text_copy(r->section, sizeof r->section, "http_server_config.headers");
	*r->key = 0;
	err = web_read_mapping(r, read_header);
	if (!err)
		text_copy(r->section, sizeof r->section, "http_server_config");
	return err;
}

/* "$2y$", two digits of cost, '$', 22 characters of salt and 31 of hash. */
static int check_hash(struct web_reader *r, const char *hash)
{
	static const char digits[] = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	enum { HEAD = 7, TAIL = 53, COST_MIN = 4 };
	int cost;

	if (strlen(hash) != HEAD + TAIL || strncmp(hash, "$2", 2) || !strchr("aby", hash[2]) || hash[3] != '$' ||
	    !isdigit((unsigned char)hash[4]) || !isdigit((unsigned char)hash[5]) || hash[6] != '$' ||
	    strspn(hash + HEAD, digits) != TAIL)
		return web_refuse(r, "is no bcrypt hash");	/* it may be the password itself: not shown */
	cost = (hash[4] - '0') * 10 + hash[5] - '0';
	if (cost < COST_MIN || cost > WEB_BCRYPT_COST_MAX)
		return web_refuse(r, "the bcrypt hash has a cost of %d, not of %d to %d", cost, COST_MIN, WEB_BCRYPT_COST_MAX);
	return 0;
}

static int read_user(struct web_reader *r, const char *name)
{
	struct web_config *c = r->config;
	AUTO_FREE char *hash = NULL, *kept = NULL;
	int err;

	if (!*name || strlen(name) > WEB_USER_BYTES_MAX || strchr(name, ':') || has_control(name))
		return web_refuse(r, "a user has 1 to %d bytes, no colon and no control character", WEB_USER_BYTES_MAX);
	for (size_t i = 0; i < c->n_users; i++)
		if (!strcmp(c->users[i].name, name))
			return web_refuse(r, "is there twice");
	if (c->n_users == WEB_USERS_MAX)
		return web_refuse(r, "more than %d users", WEB_USERS_MAX);
	err = web_read_scalar(r, &hash);
	if (err < 0)
		return err;
	err = check_hash(r, hash ? hash : "");
	if (err < 0)
		return err;
	if (!c->users)
		c->users = calloc(WEB_USERS_MAX, sizeof *c->users);
	kept = strdup(name);
	if (!c->users || !kept)
		return web_no_memory(r);
	c->users[c->n_users++] = (struct web_user){ pointer_steal(&kept), pointer_steal(&hash) };
	return 0;
}

/* ---- the sections */

static int read_ignored_bool(struct web_reader *r, void *to)
{
	bool ignored;

	return web_read_bool(r, &ignored);
}

static int read_http_key(struct web_reader *r, const char *name)
{
	static const struct web_key keys[] = { { "http2", read_ignored_bool, 0 }, { "headers", read_headers, 0 } };

	return web_read_key(r, keys, ARRAY_SIZE(keys), r->http_lines, name);
}

static int read_rate_key(struct web_reader *r, const char *name)
{
	static const struct web_key keys[] = {
		{ "interval", read_interval, offsetof(struct web_config, rate_interval_us) },
		{ "burst", read_burst, offsetof(struct web_config, rate_burst) },
	};

	return web_read_key(r, keys, ARRAY_SIZE(keys), r->rate_lines, name);
}

static int read_http(struct web_reader *r, void *to)
{
	return web_read_mapping(r, read_http_key);
}

static int read_users(struct web_reader *r, void *to)
{
	return web_read_mapping(r, read_user);
}

static int read_rate(struct web_reader *r, void *to)
{
	return web_read_mapping(r, read_rate_key);
}

static int enter_section(struct web_reader *r, const char *name)
{
	static const struct web_key sections[] = {
		{ "tls_server_config", web_read_tls, 0 },
		{ "http_server_config", read_http, 0 },
		{ "basic_auth_users", read_users, 0 },
		{ "rate_limit", read_rate, 0 },
	};
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		if (!strcmp(sections[i].name, name) && !r->top_lines[i]) {
			text_copy(r->section, sizeof r->section, name);
			*r->key = 0;
		}
	err = web_read_key(r, sections, ARRAY_SIZE(sections), r->top_lines, name);
	if (!err)
		*r->section = 0;
	return err;
}

/* ---- the file */

static int expect(struct web_reader *r, yaml_event_type_t type, const char *otherwise)
{
	AUTO_YAML_EVENT e = { 0 };
	int err = web_next_event(r, &e);

	if (err < 0)
		return err;
	return e.type == type ? 0 : web_refuse(r, "%s", otherwise);
}

static int read_stream(struct web_reader *r)
{
	int err = expect(r, YAML_STREAM_START_EVENT, "not YAML");

	if (!err) {
		AUTO_YAML_EVENT first = { 0 };

		err = web_next_event(r, &first);
		if (err < 0 || first.type == YAML_STREAM_END_EVENT)
			return err;		/* an empty file asks for nothing */
	}
	if (!err)
		err = web_read_mapping(r, enter_section);
	if (!err)
		err = expect(r, YAML_DOCUMENT_END_EVENT, "not YAML");
	return err ? err : expect(r, YAML_STREAM_END_EVENT, "a second document");
}

static void config_freep(struct web_config **config)
{
	web_config_free(*config);
}

static void wiped_free(struct text *t)
{
	if (t->at)
		explicit_bzero(t->at, t->length);
	text_free(t);
}

static int parse(struct web_config *c, const char *bytes, size_t n, struct text *error)
{
	struct web_reader r = { .config = c, .error = error, .line = 1 };
	int err;

	if (!yaml_parser_initialize(&r.parser))
		return web_no_memory(&r);
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)bytes, n);
	err = read_stream(&r);
	yaml_parser_delete(&r.parser);
	return err;
}

int web_config_parse(const char *path, const char *bytes, size_t n, struct web_config **ret, struct text *error)
{
	CLEANUP(config_freep) struct web_config *c = calloc(1, sizeof *c);
	int err;

	if (c)
		c->path = strdup(path);
	if (!c || !c->path) {
		text_addf(error, "%s: no memory", path);
		return -ENOMEM;
	}
	c->tls.min_version = WEB_TLS12;
	c->tls.max_version = WEB_TLS13;
	c->tls.prefers_server_order = true;
	err = parse(c, bytes, n, error);
	if (!err)
		*ret = pointer_steal(&c);
	return err;
}

int web_config_read(const char *path, struct web_config **ret, struct text *error)
{
	CLEANUP(wiped_free) struct text bytes = TEXT_LIMIT(WEB_CONFIG_BYTES_MAX);	/* there may be a key in it */
	int err = file_read(path, &bytes);

	if (err < 0) {
		text_addf(error, "%s: %s", path, file_read_error(err));
		return err;
	}
	return web_config_parse(path, bytes.at, bytes.length, ret, error);
}

static void secret_free(char *secret)
{
	if (secret)
		explicit_bzero(secret, strlen(secret));
	free(secret);
}

void web_config_free(struct web_config *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->tls.n_allowed_sans; i++)
		free(c->tls.allowed_sans[i]);
	free(c->tls.allowed_sans);
	free(c->tls.cert_file);
	free(c->tls.key_file);
	free(c->tls.client_ca_file);
	free(c->tls.cert);
	secret_free(c->tls.key);
	free(c->tls.client_ca);
	for (size_t i = 0; i < c->n_headers; i++)
		free(c->headers[i].value);
	for (size_t i = 0; i < c->n_users; i++) {
		free(c->users[i].name);
		secret_free(c->users[i].hash);
	}
	free(c->users);
	free(c->path);
	free(c);
}
