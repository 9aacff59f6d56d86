#include "http/accept.h"

#include <string.h>
#include <strings.h>

enum { QUALITY_ONE = 1000, NOT_LISTED = -1 };

/* A part of a header's value. */
struct span {
	const char *at;
	size_t n;
};

/* One element of a list. */
struct element {
	struct span name, version;	/* version.at NULL: none is named */
	int quality;			/* in thousandths */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool span_is(struct span s, const char *string)
{
	return s.n == strlen(string) && !strncasecmp(s.at, string, s.n);
}

static struct span trimmed(struct span s)
{
	while (s.n && is_blank(s.at[0])) {
		s.at++;
		s.n--;
	}
	while (s.n && is_blank(s.at[s.n - 1]))
		s.n--;
	return s;
}

static struct span unquoted(struct span s)
{
	if (s.n >= 2 && s.at[0] == '"' && s.at[s.n - 1] == '"')
		return (struct span){ s.at + 1, s.n - 2 };
	return s;
}

/* Up to one of these characters, or the end; not within quotes. *at is moved behind it. */
static struct span next_part(const char **at, const char *end, char stop)
{
	struct span part = { *at, 0 };
	bool is_quoted = false;
	const char *s = *at;

	for (; s < end && (is_quoted || *s != stop); s++) {
		if (is_quoted && *s == '\\' && s + 1 < end)
			s++;
		else if (*s == '"')
			is_quoted = !is_quoted;
	}
	part.n = (size_t)(s - part.at);
	*at = s < end ? s + 1 : end;
	return trimmed(part);
}

/* "0.25" is 250; -1: it is none. */
static int parse_quality(struct span s)
{
	int value = 0, unit = QUALITY_ONE;

	if (!s.n || s.n > 5 || (s.at[0] != '0' && s.at[0] != '1') || (s.n > 1 && s.at[1] != '.'))
		return -1;
	for (size_t i = 0; i < s.n; i++) {
		if (i == 1)
			continue;
		if (s.at[i] < '0' || s.at[i] > '9')
			return -1;
		value += (s.at[i] - '0') * unit;
		unit /= 10;
	}
	return value <= QUALITY_ONE ? value : -1;
}

/* False: its quality is none, and nothing is known of it. */
static bool parse_element(struct span text, struct element *ret)
{
	const char *at = text.at, *end = text.at + text.n;

	*ret = (struct element){ .quality = QUALITY_ONE };
	ret->name = next_part(&at, end, ';');
	while (at < end) {
		struct span parameter = next_part(&at, end, ';');
		const char *value = parameter.at, *value_end = parameter.at + parameter.n;
		struct span name = next_part(&value, value_end, '=');
		struct span rest = unquoted(trimmed((struct span){ value, (size_t)(value_end - value) }));

		if (span_is(name, "q"))
			ret->quality = parse_quality(rest);
		else if (span_is(name, "version"))
			ret->version = rest;
	}
	return ret->quality >= 0;
}

/* The next element of the list that can be read; false at its end. */
static bool next_element(const char **at, const char *end, struct element *ret)
{
	while (*at < end) {
		struct span text = next_part(at, end, ',');

		if (text.n && parse_element(text, ret))
			return true;
	}
	return false;
}

/* How well each matches: an exact name says more than a range. */
struct match {
	int quality, exactness;
	size_t place;
};

static void take(struct match *m, const struct element *e, int exactness, size_t place)
{
	if (exactness < m->exactness || (exactness == m->exactness && e->quality <= m->quality))
		return;
	*m = (struct match){ e->quality, exactness, place };
}

static bool has_version(const struct element *e, const char *version)
{
	return !e->version.at || span_is(e->version, version);
}

bool accept_openmetrics(const char *accept)
{
	struct match open = { NOT_LISTED, 0, 0 }, text = { NOT_LISTED, 0, 0 };
	const char *end = accept ? accept + strlen(accept) : accept;
	struct element e;

	for (size_t place = 0; accept && next_element(&accept, end, &e); place++) {
		if (span_is(e.name, "application/openmetrics-text") && has_version(&e, "1.0.0"))
			take(&open, &e, 3, place);
		else if (span_is(e.name, "text/plain") && has_version(&e, "0.0.4"))
			take(&text, &e, 3, place);
		else if (span_is(e.name, "text/*"))
			take(&text, &e, 2, place);
		else if (span_is(e.name, "*/*"))
			take(&text, &e, 1, place);
	}
	if (open.quality <= 0 || open.quality < text.quality)
		return false;
	return open.quality > text.quality || open.place < text.place || text.exactness < 3;
}

bool accept_gzip(const char *encoding)
{
	struct match gzip = { NOT_LISTED, 0, 0 }, identity = { NOT_LISTED, 0, 0 };
	const char *end = encoding ? encoding + strlen(encoding) : encoding;
	struct element e;

	while (encoding && next_element(&encoding, end, &e)) {
		if (span_is(e.name, "gzip") || span_is(e.name, "x-gzip"))
			take(&gzip, &e, 2, 0);
		else if (span_is(e.name, "identity"))
			take(&identity, &e, 2, 0);
		else if (span_is(e.name, "*"))
			take(&gzip, &e, 1, 0);
	}
	return gzip.quality > 0 && gzip.quality >= identity.quality;
}
