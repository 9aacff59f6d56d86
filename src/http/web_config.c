#include "http/web_config.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "base/file.h"

static const char *const client_auth_names[] = {
	[WEB_CLIENT_NONE] = "NoClientCert", [WEB_CLIENT_REQUEST] = "RequestClientCert",
	[WEB_CLIENT_REQUIRE_ANY] = "RequireAnyClientCert", [WEB_CLIENT_VERIFY_IF_GIVEN] = "VerifyClientCertIfGiven",
	[WEB_CLIENT_REQUIRE] = "RequireAndVerifyClientCert",
};
static const char *const version_names[] = {
	[WEB_TLS10] = "TLS10", [WEB_TLS11] = "TLS11", [WEB_TLS12] = "TLS12", [WEB_TLS13] = "TLS13",
};

/* Those that Go has under CipherSuites(); what it calls insecure is no suite here either. */
static const struct web_suite suites[] = {
	{ "TLS_AES_128_GCM_SHA256", WEB_KX_TLS13, "AES-128-GCM", "AEAD" },
	{ "TLS_AES_256_GCM_SHA384", WEB_KX_TLS13, "AES-256-GCM", "AEAD" },
	{ "TLS_CHACHA20_POLY1305_SHA256", WEB_KX_TLS13, "CHACHA20-POLY1305", "AEAD" },
	{ "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", WEB_KX_ECDSA, "AES-128-CBC", "SHA1" },
	{ "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", WEB_KX_ECDSA, "AES-256-CBC", "SHA1" },
	{ "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", WEB_KX_RSA, "AES-128-CBC", "SHA1" },
	{ "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", WEB_KX_RSA, "AES-256-CBC", "SHA1" },
	{ "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", WEB_KX_ECDSA, "AES-128-GCM", "AEAD" },
	{ "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", WEB_KX_ECDSA, "AES-256-GCM", "AEAD" },
	{ "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", WEB_KX_RSA, "AES-128-GCM", "AEAD" },
	{ "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", WEB_KX_RSA, "AES-256-GCM", "AEAD" },
	{ "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", WEB_KX_RSA, "CHACHA20-POLY1305", "AEAD" },
	{ "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", WEB_KX_ECDSA, "CHACHA20-POLY1305", "AEAD" },
};
static const struct web_curve curves[] = {
	{ "CurveP256", "SECP256R1" }, { "CurveP384", "SECP384R1" }, { "CurveP521", "SECP521R1" }, { "X25519", "X25519" },
};
_Static_assert(ARRAY_SIZE(suites) == WEB_SUITES_MAX && ARRAY_SIZE(curves) == WEB_CURVES_MAX, "room for each once");

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

enum { KEYS_MAX = 16 };

struct reader {
	yaml_parser_t parser;
	struct web_config *config;
	struct text *error;
	char section[64], key[128];	/* where we are, as errors say it */
	size_t line;
	size_t tls_line, tls_lines[KEYS_MAX];	/* of each of tls_keys[], 0: not there */
	size_t top_lines[KEYS_MAX], http_lines[KEYS_MAX], rate_lines[KEYS_MAX];
};

/* "FILE:LINE: KEY: what": always -EINVAL. */
static int refuse(struct reader *r, const char *format, ...) PRINTF_LIKE(2, 3);
static int refuse(struct reader *r, const char *format, ...)
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

static int no_memory(struct reader *r)
{
	text_addf(r->error, "%s: no memory", r->config->path);
	return -ENOMEM;
}

enum { SHOWN_MAX = 64 };
struct shown {
	char at[SHOWN_MAX * 3 + 1];
};

/* A string of the file, fit for one line. */
static struct shown show(const char *string)
{
	char head[SHOWN_MAX + 1];
	struct shown out;

	text_copy(head, sizeof head, string);
	text_printable(head, out.at, sizeof out.at);
	return out;
}

/* ---- events */

/* References are for files that people do not type, and would let a small file stand for a large one. */
static int check_event(struct reader *r, const yaml_event_t *e)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	switch (e->type) {
	case YAML_ALIAS_EVENT:
		return refuse(r, "anchors and aliases are not taken");
	case YAML_SCALAR_EVENT:
		anchor = e->data.scalar.anchor;
		tag = e->data.scalar.tag;
		if (strlen((const char *)e->data.scalar.value) != e->data.scalar.length)
			return refuse(r, "has a NUL byte");
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
		return refuse(r, "anchors and aliases are not taken");
	return tag ? refuse(r, "tags are not taken") : 0;
}

/* The caller deletes the event, also after an error. */
static int next_event(struct reader *r, yaml_event_t *ret)
{
	if (!yaml_parser_parse(&r->parser, ret)) {
		*ret = (yaml_event_t){ 0 };
		if (r->parser.error == YAML_MEMORY_ERROR)
			return no_memory(r);
		r->line = (r->parser.error == YAML_READER_ERROR ? r->parser.mark.line : r->parser.problem_mark.line) + 1;
		*r->section = *r->key = 0;
		return refuse(r, "not YAML: %s", r->parser.problem ? r->parser.problem : "cannot be parsed");
	}
	r->line = ret->start_mark.line + 1;
	return check_event(r, ret);
}

#define AUTO_EVENT CLEANUP(yaml_event_delete) yaml_event_t

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

/* The next value's text, which the caller frees; NULL where there is none. */
static int read_scalar(struct reader *r, char **ret)
{
	AUTO_EVENT e = { 0 };
	int err = next_event(r, &e);

	*ret = NULL;
	if (err < 0)
		return err;
	if (e.type != YAML_SCALAR_EVENT)
		return refuse(r, "is %s, not one value", e.type == YAML_MAPPING_START_EVENT ? "a mapping" : "a list");
	if (is_null(&e))
		return 0;
	*ret = strdup(scalar(&e));
	return *ret ? 0 : no_memory(r);
}

typedef int (*item_fn)(struct reader *, char **item);

/* item() may keep an item by setting it to NULL. */
static int read_list(struct reader *r, item_fn item)
{
	AUTO_EVENT start = { 0 };
	int err = next_event(r, &start);

	if (err < 0)
		return err;
	if (is_null(&start))
		return 0;
	if (start.type != YAML_SEQUENCE_START_EVENT)
		return refuse(r, "is not a list");
	for (;;) {
		AUTO_EVENT e = { 0 };
		AUTO_FREE char *string = NULL;

		err = next_event(r, &e);
		if (err < 0)
			return err;
		if (e.type == YAML_SEQUENCE_END_EVENT)
			return 0;
		if (e.type != YAML_SCALAR_EVENT)
			return refuse(r, "has an item that is no string");
		string = strdup(scalar(&e));
		if (!string)
			return no_memory(r);
		err = item(r, &string);
		if (err < 0)
			return err;
	}
}

typedef int (*entry_fn)(struct reader *, const char *key);

/* Calls entry() at each key, with its value still to come. */
static int read_mapping(struct reader *r, entry_fn entry)
{
	AUTO_EVENT start = { 0 };
	int err = next_event(r, &start);

	if (err < 0)
		return err;
	if (is_null(&start))
		return 0;
	if (start.type != YAML_MAPPING_START_EVENT)
		return refuse(r, "is not a mapping of keys to values");
	for (;;) {
		AUTO_EVENT e = { 0 };

		*r->key = 0;
		err = next_event(r, &e);
		if (err < 0)
			return err;
		if (e.type == YAML_MAPPING_END_EVENT)
			return 0;
		if (e.type != YAML_SCALAR_EVENT)
			return refuse(r, "has a key that is no string");
		text_copy(r->key, sizeof r->key, show(scalar(&e)).at);
		err = entry(r, scalar(&e));
		if (err < 0)
			return err;
	}
}

/* ---- values */

/* A key of a mapping with fixed ones. */
struct key {
	const char *name;
	int (*read)(struct reader *, void *to);
	size_t at;			/* in struct web_config */
};

/* lines: where each key of the table has been, so that none comes twice. */
static int read_key(struct reader *r, const struct key *keys, size_t n, size_t *lines, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(keys[i].name, name))
			continue;
		if (lines[i])
			return refuse(r, "is there twice, first in line %zu", lines[i]);
		lines[i] = r->line;
		return keys[i].read(r, (char *)r->config + keys[i].at);
	}
	return refuse(r, "unknown key");
}

static int read_string(struct reader *r, void *to)
{
	return read_scalar(r, to);
}

/* Relative to the folder of the file that names it. */
static int read_path(struct reader *r, void *to)
{
	const char *config = r->config->path, *slash = strrchr(config, '/');
	AUTO_FREE char *name = NULL;
	AUTO_TEXT path = TEXT_LIMIT(1 << 16);
	int err = read_scalar(r, &name);

	if (err < 0 || !name)
		return err;
	if (!*name)
		return refuse(r, "is empty");
	if (*name != '/' && slash)
		text_add_bytes(&path, config, (size_t)(slash - config) + 1);
	text_add(&path, name);
	if (path.truncated)
		return refuse(r, "is too long");
	*(char **)to = pointer_steal(&path.at);
	return 0;
}

static int read_bool(struct reader *r, void *to)
{
	static const char *const names[2][3] = { { "false", "no", "off" }, { "true", "yes", "on" } };
	AUTO_FREE char *value = NULL;
	int err = read_scalar(r, &value);

	if (err < 0 || !value)
		return err;
	for (size_t i = 0; i < 6; i++)
		if (!strcasecmp(value, names[i / 3][i % 3])) {
			*(bool *)to = i / 3;
			return 0;
		}
	return refuse(r, "\"%s\" is neither true nor false", show(value).at);
}

static int read_ignored_bool(struct reader *r, void *to)
{
	bool ignored;

	return read_bool(r, &ignored);
}

/* One of the names; its place comes back. -1: the key has no value. */
static int read_name(struct reader *r, const char *const *names, size_t n, int *ret)
{
	AUTO_FREE char *value = NULL;
	AUTO_TEXT list = TEXT_LIMIT(400);
	int err = read_scalar(r, &value);

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
	return refuse(r, "\"%s\" is none of %s", show(value).at, list.at ? list.at : "");
}

static int read_client_auth(struct reader *r, void *to)
{
	int i, err = read_name(r, client_auth_names, ARRAY_SIZE(client_auth_names), &i);

	if (i >= 0)
		*(enum web_client_auth *)to = (enum web_client_auth)i;
	return err;
}

static int read_version(struct reader *r, void *to)
{
	int i, err = read_name(r, version_names, ARRAY_SIZE(version_names), &i);

	if (i >= 0)
		*(enum web_tls_version *)to = (enum web_tls_version)i;
	return err;
}

static int add_suite(struct reader *r, char **item)
{
	struct web_tls *tls = &r->config->tls;

	for (size_t i = 0; i < tls->n_suites; i++)
		if (!strcmp(tls->suites[i]->name, *item))
			return refuse(r, "%s is there twice", *item);
	for (size_t i = 0; i < ARRAY_SIZE(suites); i++)
		if (!strcmp(suites[i].name, *item)) {
			tls->suites[tls->n_suites++] = &suites[i];
			return 0;
		}
	return refuse(r, "\"%s\" is no suite that is known and safe", show(*item).at);
}

static int add_curve(struct reader *r, char **item)
{
	struct web_tls *tls = &r->config->tls;

	for (size_t i = 0; i < tls->n_curves; i++)
		if (!strcmp(tls->curves[i]->name, *item))
			return refuse(r, "%s is there twice", *item);
	for (size_t i = 0; i < ARRAY_SIZE(curves); i++)
		if (!strcmp(curves[i].name, *item)) {
			tls->curves[tls->n_curves++] = &curves[i];
			return 0;
		}
	return refuse(r, "\"%s\" is none of CurveP256, CurveP384, CurveP521, X25519", show(*item).at);
}

static int add_san(struct reader *r, char **item)
{
	struct web_tls *tls = &r->config->tls;

	if (!**item)
		return refuse(r, "has an empty name");
	if (tls->n_allowed_sans == WEB_SANS_MAX)
		return refuse(r, "has more than %d names", WEB_SANS_MAX);
	if (!tls->allowed_sans)
		tls->allowed_sans = calloc(WEB_SANS_MAX, sizeof *tls->allowed_sans);
	if (!tls->allowed_sans)
		return no_memory(r);
	tls->allowed_sans[tls->n_allowed_sans++] = pointer_steal(item);
	return 0;
}

static int read_suites(struct reader *r, void *to)
{
	return read_list(r, add_suite);
}

static int read_curves(struct reader *r, void *to)
{
	return read_list(r, add_curve);
}

static int read_sans(struct reader *r, void *to)
{
	return read_list(r, add_san);
}

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

static int read_interval(struct reader *r, void *to)
{
	AUTO_FREE char *value = NULL;
	int err = read_scalar(r, &value);

	if (err < 0 || !value)
		return err;
	return parse_duration(value, to) ? 0 : refuse(r, "\"%s\" is no time from 1us to 24h, as in 250ms or 1m30s", show(value).at);
}

static int read_burst(struct reader *r, void *to)
{
	enum { BURST_MAX = 1000000 };
	AUTO_FREE char *value = NULL;
	int err = read_scalar(r, &value);
	uint64_t n;

	if (err < 0 || !value)
		return err;
	if (!text_to_u64(value, BURST_MAX, &n))
		return refuse(r, "\"%s\" is no whole number up to %d", show(value).at, BURST_MAX);
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

static int read_header(struct reader *r, const char *name)
{
	struct web_config *c = r->config;
	const struct header_rule *rule = NULL;
	AUTO_FREE char *value = NULL;
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(header_rules); i++)
		if (!strcmp(header_rules[i].name, name))
			rule = &header_rules[i];
	if (!rule)
		return refuse(r, "no header that can be set here");
	for (size_t i = 0; i < c->n_headers; i++)
		if (c->headers[i].name == rule->name)
			return refuse(r, "is there twice");
	err = read_scalar(r, &value);
	if (err < 0 || !value)
		return err;
	if (has_control(value))
		return refuse(r, "has a control character");
	if (rule->values && !is_one_of(value, rule->values))
		return refuse(r, "\"%s\" is none of: %s", show(value).at, rule->values);
	c->headers[c->n_headers++] = (struct web_header){ rule->name, pointer_steal(&value) };
	return 0;
}

static int read_headers(struct reader *r, void *to)
{
	int err;

	text_copy(r->section, sizeof r->section, "http_server_config.headers");
	*r->key = 0;
	err = read_mapping(r, read_header);
	if (!err)
		text_copy(r->section, sizeof r->section, "http_server_config");
	return err;
}

/* "$2y$", two digits of cost, '$', 22 characters of salt and 31 of hash. */
static int check_hash(struct reader *r, const char *hash)
{
	static const char digits[] = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	enum { HEAD = 7, TAIL = 53, COST_MIN = 4 };
	int cost;

	if (strlen(hash) != HEAD + TAIL || strncmp(hash, "$2", 2) || !strchr("aby", hash[2]) || hash[3] != '$' ||
	    !isdigit((unsigned char)hash[4]) || !isdigit((unsigned char)hash[5]) || hash[6] != '$' ||
	    strspn(hash + HEAD, digits) != TAIL)
		return refuse(r, "is no bcrypt hash");	/* it may be the password itself: not shown */
	cost = (hash[4] - '0') * 10 + hash[5] - '0';
	if (cost < COST_MIN || cost > WEB_BCRYPT_COST_MAX)
		return refuse(r, "the bcrypt hash has a cost of %d, not of %d to %d", cost, COST_MIN, WEB_BCRYPT_COST_MAX);
	return 0;
}

static int read_user(struct reader *r, const char *name)
{
	struct web_config *c = r->config;
	AUTO_FREE char *hash = NULL, *kept = NULL;
	int err;

	if (!*name || strlen(name) > WEB_USER_BYTES_MAX || strchr(name, ':') || has_control(name))
		return refuse(r, "a user has 1 to %d bytes, no colon and no control character", WEB_USER_BYTES_MAX);
	for (size_t i = 0; i < c->n_users; i++)
		if (!strcmp(c->users[i].name, name))
			return refuse(r, "is there twice");
	if (c->n_users == WEB_USERS_MAX)
		return refuse(r, "more than %d users", WEB_USERS_MAX);
	err = read_scalar(r, &hash);
	if (err < 0)
		return err;
	err = check_hash(r, hash ? hash : "");
	if (err < 0)
		return err;
	if (!c->users)
		c->users = calloc(WEB_USERS_MAX, sizeof *c->users);
	kept = strdup(name);
	if (!c->users || !kept)
		return no_memory(r);
	c->users[c->n_users++] = (struct web_user){ pointer_steal(&kept), pointer_steal(&hash) };
	return 0;
}

/* ---- the sections */

#define TLS(field) offsetof(struct web_config, tls.field)
enum { TLS_CERT_FILE, TLS_CERT, TLS_KEY_FILE, TLS_KEY, TLS_CA_FILE, TLS_CA, TLS_AUTH, TLS_SANS, TLS_MIN, TLS_MAX };
static const struct key tls_keys[] = {
	[TLS_CERT_FILE] = { "cert_file", read_path, TLS(cert_file) },
	[TLS_CERT] = { "cert", read_string, TLS(cert) },
	[TLS_KEY_FILE] = { "key_file", read_path, TLS(key_file) },
	[TLS_KEY] = { "key", read_string, TLS(key) },
	[TLS_CA_FILE] = { "client_ca_file", read_path, TLS(client_ca_file) },
	[TLS_CA] = { "client_ca", read_string, TLS(client_ca) },
	[TLS_AUTH] = { "client_auth_type", read_client_auth, TLS(client_auth) },
	[TLS_SANS] = { "client_allowed_sans", read_sans, 0 },
	[TLS_MIN] = { "min_version", read_version, TLS(min_version) },
	[TLS_MAX] = { "max_version", read_version, TLS(max_version) },
	{ "cipher_suites", read_suites, 0 },
	{ "prefer_server_cipher_suites", read_bool, TLS(prefers_server_order) },
	{ "curve_preferences", read_curves, 0 },
};
_Static_assert(ARRAY_SIZE(tls_keys) <= KEYS_MAX, "each has its line");

static int read_tls_key(struct reader *r, const char *name)
{
	r->config->has_tls = true;
	return read_key(r, tls_keys, ARRAY_SIZE(tls_keys), r->tls_lines, name);
}

/* The section as a whole, from the line of one of its keys or, where that is not there, its own. */
static int refuse_tls(struct reader *r, int key, const char *what)
{
	r->line = r->tls_lines[key] ? r->tls_lines[key] : r->tls_line;
	text_copy(r->key, sizeof r->key, tls_keys[key].name);
	return refuse(r, "%s", what);
}

static int check_tls(struct reader *r)
{
	const struct web_tls *t = &r->config->tls;
	bool is_verified = t->client_auth == WEB_CLIENT_VERIFY_IF_GIVEN || t->client_auth == WEB_CLIENT_REQUIRE;
	bool has_ca = t->client_ca || t->client_ca_file;
	const struct {
		bool is_wrong;
		int key;
		const char *what;
	} rules[] = {
		{ t->cert && t->cert_file, TLS_CERT, "cert_file is there, too: one of them" },
		{ t->key && t->key_file, TLS_KEY, "key_file is there, too: one of them" },
		{ t->client_ca && t->client_ca_file, TLS_CA, "client_ca_file is there, too: one of them" },
		{ !t->cert && !t->cert_file, TLS_CERT_FILE, "is missing" },
		{ !t->key && !t->key_file, TLS_KEY_FILE, "is missing" },
		{ has_ca && t->client_auth == WEB_CLIENT_NONE, t->client_ca ? TLS_CA : TLS_CA_FILE,
		  "asks for a client_auth_type other than NoClientCert" },
		{ is_verified && !has_ca, TLS_AUTH, "asks for client_ca_file" },
		{ t->n_allowed_sans && !is_verified, TLS_SANS,
		  "asks for client_auth_type RequireAndVerifyClientCert or VerifyClientCertIfGiven" },
		{ t->min_version > t->max_version, r->tls_lines[TLS_MIN] ? TLS_MIN : TLS_MAX, "min_version is above max_version" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].is_wrong)
			return refuse_tls(r, rules[i].key, rules[i].what);
	return 0;
}

static int read_tls(struct reader *r, void *to)
{
	int err;

	r->tls_line = r->line;
	err = read_mapping(r, read_tls_key);
	return err < 0 || !r->config->has_tls ? err : check_tls(r);
}

static int read_http_key(struct reader *r, const char *name)
{
	static const struct key keys[] = { { "http2", read_ignored_bool, 0 }, { "headers", read_headers, 0 } };

	return read_key(r, keys, ARRAY_SIZE(keys), r->http_lines, name);
}

static int read_rate_key(struct reader *r, const char *name)
{
	static const struct key keys[] = {
		{ "interval", read_interval, offsetof(struct web_config, rate_interval_us) },
		{ "burst", read_burst, offsetof(struct web_config, rate_burst) },
	};

	return read_key(r, keys, ARRAY_SIZE(keys), r->rate_lines, name);
}

static int read_http(struct reader *r, void *to)
{
	return read_mapping(r, read_http_key);
}

static int read_users(struct reader *r, void *to)
{
	return read_mapping(r, read_user);
}

static int read_rate(struct reader *r, void *to)
{
	return read_mapping(r, read_rate_key);
}

static int enter_section(struct reader *r, const char *name)
{
	static const struct key sections[] = {
		{ "tls_server_config", read_tls, 0 },
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
	err = read_key(r, sections, ARRAY_SIZE(sections), r->top_lines, name);
	if (!err)
		*r->section = 0;
	return err;
}

/* ---- the file */

static int expect(struct reader *r, yaml_event_type_t type, const char *otherwise)
{
	AUTO_EVENT e = { 0 };
	int err = next_event(r, &e);

	if (err < 0)
		return err;
	return e.type == type ? 0 : refuse(r, "%s", otherwise);
}

static int read_stream(struct reader *r)
{
	int err = expect(r, YAML_STREAM_START_EVENT, "not YAML");

	if (!err) {
		AUTO_EVENT first = { 0 };

		err = next_event(r, &first);
		if (err < 0 || first.type == YAML_STREAM_END_EVENT)
			return err;		/* an empty file asks for nothing */
	}
	if (!err)
		err = read_mapping(r, enter_section);
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

static int parse(struct web_config *c, const struct text *bytes, struct text *error)
{
	struct reader r = { .config = c, .error = error, .line = 1 };
	int err;

	if (!yaml_parser_initialize(&r.parser))
		return no_memory(&r);
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)bytes->at, bytes->length);
	err = read_stream(&r);
	yaml_parser_delete(&r.parser);
	return err;
}

int web_config_read(const char *path, struct web_config **ret, struct text *error)
{
	CLEANUP(config_freep) struct web_config *c = calloc(1, sizeof *c);
	CLEANUP(wiped_free) struct text bytes = TEXT_LIMIT(WEB_CONFIG_BYTES_MAX);	/* there may be a key in it */
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
	err = file_read(path, &bytes);
	if (err < 0) {
		text_addf(error, "%s: %s", path, file_read_error(err));
		return err;
	}
	err = parse(c, &bytes, error);
	if (!err)
		*ret = pointer_steal(&c);
	return err;
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
