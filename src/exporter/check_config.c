/* check-config: what is wrong with the files that the user wrote, before a daemon has to tell. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "exporter/verbs.h"
#include "health/catalogue.h"
#include "http/web.h"

struct verdict {
	size_t errors;
	struct text said;
};

static int check_catalogue(const struct options *options, const char *const *given, struct verdict *v)
{
	const char *const *named = given && *given ? given : options->catalogue_paths;
	AUTO_TEXT errors = TEXT_LIMIT(4096);
	struct catalogue_verdict found;
	char **files = catalogue_files(named, &errors);
	int r = files ? catalogue_check((const char *const *)files, &v->said, &found) : -ENOMEM;

	catalogue_files_free(files);
	if (r < 0)
		return r;
	if (errors.length) {		/* the folder */
		text_addf(&v->said, "error: %s", errors.at);
		found.errors++;
	}
	v->errors += found.errors;
	text_addf(&v->said, "catalogue: %zu files, %zu rows, %zu errors, %zu warnings\n", found.files, found.rows, found.errors,
		  found.warnings);
	return 0;
}

/* "FILE:LINE: KEY: what", as the server says it, in the form of all that is said here. */
static void say_error(struct text *said, const struct text *error)
{
	const char *line = error->at ? error->at : "no memory", *end = strstr(line, ": ");
	const char *rest = end ? end + 2 : line;

	text_add_bytes(said, line, (size_t)(rest - line));
	text_addf(said, "error: %s\n", rest);
}

/* Like the server, with all files that it names. */
static bool check_web_file(const char *path, struct verdict *v)
{
	AUTO_TEXT error = TEXT_LIMIT(2048);
	struct web_config *config;
	struct http_web *web = NULL;
	int r = web_config_read(path, &config, &error);

	if (!r)
		r = http_web_new(config, &web, &error);
	if (r < 0)
		say_error(&v->said, &error);
	http_web_free(web);
	return r >= 0;
}

static int check_web(const struct options *options, const char *const *given, struct verdict *v)
{
	const char *const flag[] = { options->web_config_file, NULL };
	const char *const *named = given && *given ? given : flag;
	size_t n = 0, errors = 0;

	for (; named[n]; n++)
		errors += !check_web_file(named[n], v);
	if (n)
		text_addf(&v->said, "web configuration: %zu files, %zu errors\n", n, errors);
	v->errors += errors;
	return 0;
}

/* Kinds of configuration. A file that is named on the command line is of the first kind whose pattern its name fits; without
 * any, each kind is looked for where it usually is. */
static const struct {
	const char *name;		/* patterns as of text_matches_any() */
	int (*check)(const struct options *, const char *const *given, struct verdict *);	/* 0 or a negative errno */
} kinds[] = {
	{ "*.csv", check_catalogue },
	{ "*.yml|*.yaml", check_web },
};

static bool is_of_kind(const char *path, size_t kind)
{
	const char *slash = strrchr(path, '/');

	return text_matches_any(kinds[kind].name, slash ? slash + 1 : path);
}

static bool is_of_any_kind(const char *path)
{
	for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		if (is_of_kind(path, kind))
			return true;
	return false;
}

/* Of the files that were named, those of this kind and of none before it. */
static size_t pick(const struct options *options, size_t kind, const char **ret)
{
	size_t n = 0;

	for (size_t i = 0; options->files[i]; i++) {
		bool is_earlier = false;

		for (size_t earlier = 0; earlier < kind; earlier++)
			is_earlier |= is_of_kind(options->files[i], earlier);
		if (!is_earlier && is_of_kind(options->files[i], kind))
			ret[n++] = options->files[i];
	}
	ret[n] = NULL;
	return n;
}

static int check_all(const struct options *options, struct verdict *v)
{
	const char *files[OPTIONS_LIST + 1];
	int r = 0;

	for (size_t i = 0; options->files[i]; i++)
		if (!is_of_any_kind(options->files[i])) {
			text_addf(&v->said, "%s: error: no kind of configuration has such a name\n", options->files[i]);
			v->errors++;
		}
	for (size_t kind = 0; kind < ARRAY_SIZE(kinds) && !r; kind++)
		if (pick(options, kind, files) || !options->files[0])
			r = kinds[kind].check(options, files, v);
	return r;
}

int verb_check_config(const struct options *options)
{
	struct verdict v = { .said = TEXT_LIMIT(1 << 20) };
	int r = check_all(options, &v);

	if (v.said.at)
		fputs(v.said.at, stdout);
	text_free(&v.said);
	if (r < 0) {
		log_error("cannot check the configuration: %s", strerror(-r));
		return 1;
	}
	if (fflush(stdout) || ferror(stdout)) {
		log_error("cannot write to standard output: %s", strerror(errno));
		return 1;
	}
	return v.errors ? 1 : 0;
}
