#include "page/drivedb_pattern.h"

#include <string.h>

#include "base/cleanup.h"

enum {
	DEPTH_MAX = 16,		/* of groups in groups */
	REPEAT_MAX = 255,	/* RE_DUP_MAX (POSIX, limits.h) */
	UNBOUNDED = 1 << 16,
};

/* Places in the subject: bit n is the one before its n-th character. */
typedef uint64_t places;

struct walk {
	const char *at;		/* in the pattern */
	const char *subject;
	size_t length;		/* of the subject */
	unsigned depth;
	uint64_t work;		/* how many characters of the pattern a match may have to walk up to here */
	const char *why;	/* what is wrong with the pattern; NULL: nothing yet */
};

/* A set of bytes. */
struct bytes_set {
	uint64_t bits[4];
};

static places walk_branches(struct walk *w, places from);

static places refuse(struct walk *w, const char *why)
{
	if (!w->why)
		w->why = why;
	return 0;
}

static bool is_repetition(char c)
{
	return c == '*' || c == '+' || c == '?' || c == '{';
}

/* ---- sets of characters */

static void add(struct bytes_set *set, unsigned char first, unsigned char last)
{
	for (unsigned c = first; c <= last; c++)
		set->bits[c / 64] |= UINT64_C(1) << c % 64;
}

static bool has(const struct bytes_set *set, unsigned char c)
{
	return set->bits[c / 64] >> c % 64 & 1;
}

/* Character classes, in the C locale: up to four ranges each. */
static const struct {
	const char *name;
	const char *ranges;
} classes[] = {
	{ ":alnum:]", "09AZaz" }, { ":alpha:]", "AZaz" }, { ":blank:]", "  \t\t" },
	{ ":cntrl:]", "\001\037\177\177" },
	{ ":digit:]", "09" }, { ":graph:]", "!~" }, { ":lower:]", "az" }, { ":print:]", " ~" },
	{ ":punct:]", "!/:@[`{~" }, { ":space:]", "  \t\r" }, { ":upper:]", "AZ" }, { ":xdigit:]", "09AFaf" },
};

/* After "[:". */
static bool read_class(struct walk *w, struct bytes_set *set)
{
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		if (strncmp(w->at, classes[i].name, strlen(classes[i].name)))
			continue;
		for (const char *range = classes[i].ranges; *range; range += 2)
			add(set, (unsigned char)range[0], (unsigned char)range[1]);
		w->at += strlen(classes[i].name);
		return true;
	}
	refuse(w, "no such character class");
	return false;
}

/* One element of a bracket expression: a class, a range, or a character. is_first: it may be a ']' or a '-'. */
static bool read_element(struct walk *w, bool is_first, struct bytes_set *set)
{
	unsigned char first = (unsigned char)*w->at++, last = first;

	if (first == '[' && *w->at == ':')
		return read_class(w, set);
	if (first == '[' && (*w->at == '.' || *w->at == '='))
		return refuse(w, "a collating element in brackets");
	if (first == '-' && !is_first && *w->at != ']')
		return refuse(w, "a '-' in brackets that is neither first, last, nor a range");
	if (w->at[0] == '-' && w->at[1] && w->at[1] != ']') {
		last = (unsigned char)w->at[1];
		if (last == '[' && (w->at[2] == '.' || w->at[2] == '=' || w->at[2] == ':'))
			return refuse(w, "a collating element in brackets");
		w->at += 2;
	}
	if (first > last)
		return refuse(w, "a range that ends before it begins");
	add(set, first, last);
	return true;
}

/* After '['. */
static bool read_brackets(struct walk *w, struct bytes_set *set)
{
	bool is_negated = *w->at == '^', is_first = true;

	if (is_negated)
		w->at++;
	for (; *w->at && (*w->at != ']' || is_first); is_first = false)
		if (!read_element(w, is_first, set))
			return false;
	if (*w->at++ != ']') {
		w->at--;
		return refuse(w, "'[' without ']'");
	}
	for (size_t i = 0; is_negated && i < ARRAY_SIZE(set->bits); i++)
		set->bits[i] = ~set->bits[i];
	return true;
}

/* After '\'. Before letters, digits and some signs it means something else in GNU's regular expressions, or
 * in Perl's. */
static bool read_escaped(struct walk *w, struct bytes_set *set)
{
	unsigned char c = (unsigned char)*w->at;

	if (!c || !strchr("^.[]$()|*+?{}\\/-\"#,:; _&%@!=~", c))
		return refuse(w, "'\\' before a character that is not special");
	w->at++;
	add(set, c, c);
	return true;
}

/* ---- walking */

/* All the places one step on from those whose character is in the set. */
static places step(const struct walk *w, places from, const struct bytes_set *set)
{
	places to = 0;

	for (size_t i = 0; i < w->length && from >> i; i++)
		if (from >> i & 1 && has(set, (unsigned char)w->subject[i]))
			to |= UINT64_C(2) << i;
	return to;
}

/* After '('. */
static places walk_group(struct walk *w, places from)
{
	places to;

	if (w->depth == DEPTH_MAX)
		return refuse(w, "groups nest too deep");
	w->depth++;
	to = walk_branches(w, from);
	w->depth--;
	if (*w->at != ')')
		return refuse(w, "'(' without ')'");
	w->at++;
	return to;
}

static bool read_set(struct walk *w, struct bytes_set *set)
{
	char c = *w->at++;

	if (is_repetition(c))
		return refuse(w, "nothing to repeat");
	if (c == '[')
		return read_brackets(w, set);
	if (c == '\\')
		return read_escaped(w, set);
	if (c == '.')
		memset(set->bits, 0xff, sizeof set->bits);
	else
		add(set, (unsigned char)c, (unsigned char)c);
	return true;
}

/* What a repetition may follow. */
static places walk_atom(struct walk *w, places from)
{
	const char *begin = w->at;
	struct bytes_set set = { { 0 } };

	if (*w->at == '(') {
		w->at++;
		w->work++;
		return walk_group(w, from);
	}
	if (!read_set(w, &set))
		return 0;
	w->work += (uint64_t)(w->at - begin);
	return step(w, from, &set);
}

struct repeat {
	unsigned least, most;
};

static bool read_number(struct walk *w, unsigned *ret)
{
	const char *begin = w->at;

	for (*ret = 0; *w->at >= '0' && *w->at <= '9' && *ret <= REPEAT_MAX; w->at++)
		*ret = *ret * 10 + (unsigned)(*w->at - '0');
	return w->at > begin && *ret <= REPEAT_MAX;
}

/* After '{': N}, N,} or N,M}. */
static bool read_interval(struct walk *w, struct repeat *ret)
{
	bool is_good = read_number(w, &ret->least);

	ret->most = ret->least;
	if (is_good && *w->at == ',') {
		w->at++;
		if (*w->at == '}')
			ret->most = UNBOUNDED;
		else
			is_good = read_number(w, &ret->most);
	}
	if (!is_good || *w->at != '}' || ret->most < ret->least)
		return refuse(w, "'{' without a count of at most 255 and '}'");
	w->at++;
	return true;
}

/* What follows an atom: a repetition, or nothing (once). */
static bool read_repeat(struct walk *w, struct repeat *ret)
{
	char c = *w->at;

	*ret = (struct repeat){ c == '*' || c == '?' ? 0 : 1, c == '*' || c == '+' ? UNBOUNDED : 1 };
	if (!is_repetition(c))
		return true;
	w->at++;
	if (c == '{' && !read_interval(w, ret))
		return false;
	return !is_repetition(*w->at) || refuse(w, "a repetition of a repetition");
}

static uint64_t times_at_most(struct repeat r)
{
	/* Without bound: each time at least one place is new. */
	return r.most == UNBOUNDED ? r.least + PATTERN_SUBJECT_MAX + 1 : r.most;
}

static places walk_again(struct walk *w, const char *atom, places from)
{
	w->at = atom;
	return walk_atom(w, from);
}

/* An atom and its repetition. The first walk finds out where it ends and what it costs. */
static places walk_repeated(struct walk *w, places from)
{
	const char *atom = w->at, *end;
	uint64_t before = w->work, cost;
	places once = walk_atom(w, from), all, fresh = from;
	struct repeat r;

	if (w->why || !read_repeat(w, &r))
		return 0;
	if (r.least == 1 && r.most == 1)
		return once;
	end = w->at;
	cost = w->work - before;
	for (unsigned i = 0; i < r.least && fresh; i++)
		fresh = walk_again(w, atom, fresh);
	all = fresh;
	for (unsigned i = r.least; i < r.most && fresh; i++) {
		fresh = walk_again(w, atom, fresh) & ~all;
		all |= fresh;
	}
	w->at = end;
	w->work = before + cost * (times_at_most(r) + 1);
	if (w->work > PATTERN_WORK_MAX)
		return refuse(w, "takes too much work");
	return all;
}

static places walk_anchor(struct walk *w, places from)
{
	places here = *w->at++ == '^' ? 1 : UINT64_C(1) << w->length;

	w->work++;
	return is_repetition(*w->at) ? refuse(w, "a repetition of an anchor") : from & here;
}

static places walk_branch(struct walk *w, places from)
{
	while (!w->why && *w->at && *w->at != '|' && *w->at != ')')
		from = *w->at == '^' || *w->at == '$' ? walk_anchor(w, from) : walk_repeated(w, from);
	return w->why ? 0 : from;
}

static places walk_branches(struct walk *w, places from)
{
	places to = walk_branch(w, from);

	while (!w->why && *w->at == '|') {
		w->at++;
		w->work++;
		to |= walk_branch(w, from);
	}
	return w->why ? 0 : to;
}

static places walk_pattern(struct walk *w, places from)
{
	places to = walk_branches(w, from);

	return *w->at == ')' ? refuse(w, "')' without '('") : to;
}

const char *pattern_refusal(const char *pattern, uint64_t *ret_work)
{
	struct walk w = { .at = pattern, .subject = "" };

	(void)walk_pattern(&w, 0);	/* from nowhere: every part is walked once */
	*ret_work = w.work;
	return !w.why && w.work > PATTERN_WORK_MAX ? "takes too much work" : w.why;
}

bool pattern_matches(const char *pattern, const char *subject)
{
	size_t length = strnlen(subject, PATTERN_SUBJECT_MAX + 1);
	struct walk w = { .at = pattern, .subject = subject, .length = length };

	return length <= PATTERN_SUBJECT_MAX && walk_pattern(&w, 1) >> length & 1;
}
