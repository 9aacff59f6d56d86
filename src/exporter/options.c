#include "exporter/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "base/clock.h"
#include "health/catalogue.h"
#include "metric/exposition.h"
#include "page/page.h"

/* What follows a flag, and what is done with it. */
enum flag_kind { FLAG_STRING, FLAG_LIST, FLAG_SWITCH, FLAG_COUNT, FLAG_DURATION, FLAG_SPAN, FLAG_MOMENT, FLAG_SPEED, FLAG_LEVEL, FLAG_INCLUDE, FLAG_EXCLUDE,
		 FLAG_SKIP, FLAG_HELP, FLAG_VERSION, FLAG_LIST_METRICS, FLAG_LIST_METRICS_MARKDOWN, FLAG_LIST_ATTRIBUTES,
		 FLAG_LIST_CATALOGUE };

#define MOST_REQUESTS 1000000
#define SHORTEST_INTERVAL_US UINT64_C(100000)
#define LONGEST_INTERVAL_US (366 * UINT64_C(86400000000))
#define FORGET_AFTER_US (90 * UINT64_C(86400000000))
#define LONGEST_SPAN_US (10000 * UINT64_C(86400000000))
#define LAST_MOMENT_US (10000 * UINT64_C(86400000000))	/* of a replay: 27 years */

struct flag {
	const char *name, *value;	/* value: what --help calls it; NULL: it takes none */
	enum flag_kind kind;
	size_t offset;			/* in struct options */
	const char *help;
};

#define AT(member) offsetof(struct options, member)
static const struct flag flags[] = {
	{ "web.listen-address", "ADDRESS", FLAG_LIST, AT(listen_addresses),
	  "Listen on HOST:PORT, [HOST]:PORT, :PORT or unix:PATH; may be repeated (default :9946)" },
	{ "web.systemd-socket", NULL, FLAG_SWITCH, AT(has_systemd_socket),
	  "Serve on the sockets that systemd passes, in place of addresses" },
	{ "web.telemetry-path", "PATH", FLAG_STRING, AT(telemetry_path), "Path of the metrics (default /metrics)" },
	{ "web.max-requests", "NUMBER", FLAG_COUNT, AT(max_requests),
	  "Answers under way at a time; more are refused with 503 (default 40; 0: any number)" },
	{ "web.config.file", "FILE", FLAG_STRING, AT(web_config_file),
	  "TLS, users, headers and rate limit, in the form of Prometheus's own exporters (docs/web-config.md)" },
	{ "web.disable-exporter-metrics", NULL, FLAG_SWITCH, AT(lacks_exporter_metrics),
	  "Leave out the metrics of the exporter itself: drive_exporter_* and process_*" },
	{ "collector.block", NULL, FLAG_SWITCH, AT(has_block), "Block-layer statistics (on by default)" },
	{ "collector.ata-attributes", NULL, FLAG_SWITCH, AT(has_ata_attributes),
	  "The whole table of ATA SMART attributes (off by default)" },
	{ "collector.drivedb", NULL, FLAG_SWITCH, AT(has_drivedb),
	  "Names and units of ATA attributes from smartmontools' drivedb.h where that is installed (on by default)" },
	{ "drivedb.path", "FILE", FLAG_LIST, AT(drivedb_paths), "A drivedb.h, in place of those in the usual places; may be repeated" },
	{ "catalogue.path", "FILE", FLAG_LIST, AT(catalogue_paths),
	  "A file of rated figures, in place of those in the usual places; may be repeated, and the last one overrides" },
	{ "collector.host-phys", NULL, FLAG_SWITCH, AT(has_host_phys),
	  "Error counters of the host's side of SAS links (off by default: a host adapter may have to ask its expanders)" },
	{ "collector.history", NULL, FLAG_SWITCH, AT(has_history),
	  "Days of each drive in a data base in $STATE_DIRECTORY, else /var/lib/drive_exporter (on by default)" },
	{ "ledger.forget-after", "DURATION", FLAG_SPAN, AT(forget_after_us),
	  "For how long a drive that is missing is told of (default 90d)" },
	{ "poll.interval", "DURATION", FLAG_DURATION, AT(poll_interval_us),
	  "How often health and temperature are read; slower readings scale with it (default 60s)" },
	{ "standby.skip", "STATE", FLAG_SKIP, AT(skips_idle),
	  "From which state on a disk is left alone: standby (default) or idle, so that its own timer can bring it to sleep" },
	{ "drive.include", "[FIELD=]PATTERN", FLAG_INCLUDE, 0,
	  "Only drives that match; FIELD is model, serial, transport or device (default model), PATTERN an extended\n"
	  "      regular expression for the whole of it; a drive that has not told yet passes; may be repeated" },
	{ "drive.exclude", "[FIELD=]PATTERN", FLAG_EXCLUDE, 0, "Leave out drives that match; may be repeated" },
	{ "drive.fabrics", NULL, FLAG_SWITCH, AT(has_fabrics),
	  "Also NVMe drives behind fabrics, and controllers for discovery and administration (off by default: the host\n"
	  "      that they are in serves them)" },
	{ "prober.path", "PROGRAM", FLAG_STRING, AT(prober_path), "Start this drive_prober (default: beside this program)" },
	{ "prober.socket", "PATH", FLAG_STRING, AT(prober_socket), "Connect to a running drive_prober instead" },
	{ "replay", "PATH", FLAG_LIST, AT(replays),
	  "Serve captures, a file or a folder of them, instead of this machine's drives; may be repeated" },
	{ "replay.beside-host", NULL, FLAG_SWITCH, AT(replay_beside_host), "With --replay: serve this machine's drives too" },
	{ "replay.path", "PROGRAM", FLAG_STRING, AT(replay_path), "Start this drive_replay (default: beside this program)" },
	{ "replay.hang-file", "PATH", FLAG_STRING, AT(replay_hang_file),
	  "A capture's hang writes to this file: on a frozen file system that is a true state D" },
	{ "replay.speed", "FACTOR", FLAG_SPEED, AT(replay_speed),
	  "With --replay: time runs so many times as fast, 1 (default) to 10000000; only for hung drives it does not" },
	{ "replay.from", "DURATION", FLAG_MOMENT, AT(replay_from_us),
	  "With --replay: begin at that moment of the captures; the clock is then that much ahead" },
	{ "all", NULL, FLAG_SWITCH, AT(has_all), "once: with the tables of ATA attributes" },
	{ "csv", NULL, FLAG_SWITCH, AT(has_csv), "history DRIVE: all columns, as CSV" },
	{ "keep-serials", NULL, FLAG_SWITCH, AT(keep_serials), "capture: leave serial numbers and world wide names as they are" },
	{ "log.level", "LEVEL", FLAG_LEVEL, AT(log_level), "debug, info, warn or error (default info)" },
	{ "list-metrics", NULL, FLAG_LIST_METRICS, 0, "Print every metric family and end" },
	{ "list-metrics-markdown", NULL, FLAG_LIST_METRICS_MARKDOWN, 0, "Print them as a Markdown table, as in docs/metrics.md, and end" },
	{ "list-attributes-markdown", NULL, FLAG_LIST_ATTRIBUTES, 0,
	  "Print what SATA SSDs tell by their attributes, as in docs/wear-sources.md, and end" },
	{ "list-catalogue-markdown", NULL, FLAG_LIST_CATALOGUE, 0,
	  "Print what drives are rated for, by model, as in docs/catalogue.md, and end" },
	{ "version", NULL, FLAG_VERSION, 0, "Print the version and end" },
	{ "help", NULL, FLAG_HELP, 0, "Print this and end" },
};

static const struct {
	const char *name, *help;
	enum verb verb;
} verbs[] = {
	{ "serve", "Serve metrics until told to end (the default)", VERB_SERVE },
	{ "once", "Read every drive once and print the metrics; exit status 1 if a drive could not be read", VERB_ONCE },
	{ "list", "Read every drive once and print a table; exit status as of once", VERB_LIST },
	{ "capture", "Print what DEVICE answers as a capture, serial numbers replaced", VERB_CAPTURE },
	{ "history", "Print the days of DRIVE (label, serial number, or part of the label), without it all drives;\n"
	  "           export: all of it, for import FILE (or -) on another host", VERB_HISTORY },
	{ "check-config", "Check FILE... (*.csv: rated figures, *.yml: a web configuration), or the catalogue of rated figures\n"
	  "               where it usually is and the file of --web.config.file; exit status 1 if there are errors",
	  VERB_CHECK_CONFIG },
};

static void print_help(void)
{
	printf("Usage: drive_exporter [serve|once|list|capture DEVICE|history [DRIVE|export|import FILE]|check-config [FILE...]] [FLAGS]\n\n"
	       "Prometheus exporter for the health, wear and errors of SAS, SATA and NVMe drives.\n\nCommands:\n");
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		printf("  %-12s %s\n", verbs[i].name, verbs[i].help);
	printf("\nFlags:\n");
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		char name[80];

		snprintf(name, sizeof name, "--%s%s%s%s", flags[i].kind == FLAG_SWITCH ? "[no-]" : "", flags[i].name,
			 flags[i].value ? "=" : "", flags[i].value ? flags[i].value : "");
		printf("  %s\n      %s\n", name, flags[i].help);
	}
}

static void print_metrics(bool is_markdown)
{
	AUTO_TEXT out = TEXT_LIMIT(1 << 20);

	exposition_list_families(&out, is_markdown, page_sources);
	fwrite(out.at, 1, out.length, stdout);
}

static void print_attributes(void)
{
	AUTO_TEXT out = TEXT_LIMIT(1 << 20);

	ata_families_list(&out);
	fwrite(out.at, 1, out.length, stdout);
}

static int print_catalogue(struct text *error)
{
	AUTO_FREE char *file = catalogue_shipped_file();
	AUTO_TEXT out = TEXT_LIMIT(4 << 20);
	int r = file ? catalogue_list_markdown(file, &out, error) : -ENOMEM;

	if (!r)
		fwrite(out.at, 1, out.length, stdout);
	else if (r != -EINVAL)
		text_add(error, strerror(-r));
	return r;
}

static enum options_verdict printed(struct text *error)
{
	if (!fflush(stdout) && !ferror(stdout))
		return OPTIONS_DONE;
	text_addf(error, "cannot write to standard output: %s", strerror(errno));
	return OPTIONS_BAD;
}

/* "500ms", "60s", "5m", "1h"; a number alone is not a duration, as in the ecosystem's other programs. */
static bool parse_duration(const char *text, uint64_t max_us, uint64_t *ret_us)
{
	static const struct {
		const char *name;
		uint64_t us;
	} units[] = { { "ms", 1000 }, { "s", 1000000 }, { "m", 60000000 }, { "h", 3600000000 }, { "d", 86400000000 } };
	size_t digits = strspn(text, "0123456789");
	char number[16];
	uint64_t n;

	if (!digits || digits >= sizeof number)
		return false;
	memcpy(number, text, digits);
	number[digits] = 0;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(text + digits, units[i].name) && text_to_u64(number, 1000000000000, &n)) {
			*ret_us = n * units[i].us;
			return n <= max_us / units[i].us;
		}
	return false;
}

static enum options_verdict add_to_list(const char **list, const char *value, const char *dashes, const char *name,
					struct text *error)
{
	size_t n = 0;

	while (list[n])
		n++;
	if (n == OPTIONS_LIST) {
		text_addf(error, "%s%s is given more than %d times", dashes, name, OPTIONS_LIST);
		return OPTIONS_BAD;
	}
	list[n] = value;
	return OPTIONS_GO;
}

static enum options_verdict bad_value(const struct flag *flag, const char *value, const char *want, struct text *error)
{
	text_addf(error, "--%s: \"%s\" is not %s", flag->name, value, want);
	return OPTIONS_BAD;
}

static enum options_verdict apply(const struct flag *flag, const char *value, bool is_on, struct options *o,
				  struct text *error)
{
	char *at = (char *)o + flag->offset;

	switch (flag->kind) {
	case FLAG_STRING:
		*(const char **)at = value;
		return OPTIONS_GO;
	case FLAG_LIST:
		return add_to_list((const char **)at, value, "--", flag->name, error);
	case FLAG_SWITCH:
		*(bool *)at = is_on;
		return OPTIONS_GO;
	case FLAG_COUNT:
		return text_to_u64(value, MOST_REQUESTS, (uint64_t *)at)
		       ? OPTIONS_GO : bad_value(flag, value, "a number from 0 to 1000000", error);
	case FLAG_DURATION:
		if (!parse_duration(value, LONGEST_INTERVAL_US, (uint64_t *)at))
			return bad_value(flag, value, "a duration such as 60s or 5m", error);
		return *(uint64_t *)at >= SHORTEST_INTERVAL_US ? OPTIONS_GO : bad_value(flag, value, "100ms or more", error);
	case FLAG_SPAN:
		return parse_duration(value, LONGEST_SPAN_US, (uint64_t *)at)
		       ? OPTIONS_GO : bad_value(flag, value, "a duration such as 12h or 90d, at most 10000d", error);
	case FLAG_MOMENT:
		o->has_replay_clock = true;
		return parse_duration(value, LAST_MOMENT_US, (uint64_t *)at)
		       ? OPTIONS_GO : bad_value(flag, value, "a duration such as 90m or 400d, at most 10000d", error);
	case FLAG_SPEED:
		o->has_replay_clock = true;
		return text_to_decimal(value, 1, CLOCK_SPEED_MAX, (double *)at)
		       ? OPTIONS_GO : bad_value(flag, value, "a number from 1 to 10000000", error);
	case FLAG_LEVEL:
		return log_level_from_name(value, (enum log_level *)at)
		       ? OPTIONS_GO : bad_value(flag, value, "debug, info, warn or error", error);
	case FLAG_INCLUDE:
	case FLAG_EXCLUDE:
		text_addf(error, "--%s: ", flag->name);
		if (drive_filter_add(o->filter, flag->kind == FLAG_INCLUDE, value, error))
			return OPTIONS_BAD;
		text_free(error);
		return OPTIONS_GO;
	case FLAG_SKIP:
		*(bool *)at = !strcmp(value, "idle");
		return *(bool *)at || !strcmp(value, "standby") ? OPTIONS_GO : bad_value(flag, value, "standby or idle", error);
	case FLAG_HELP:
		print_help();
		return printed(error);
	case FLAG_VERSION:
		printf("drive_exporter, version %s\n", PACKAGE_VERSION);
		return printed(error);
	case FLAG_LIST_METRICS:
	case FLAG_LIST_METRICS_MARKDOWN:
		print_metrics(flag->kind == FLAG_LIST_METRICS_MARKDOWN);
		return printed(error);
	case FLAG_LIST_ATTRIBUTES:
		print_attributes();
		return printed(error);
	case FLAG_LIST_CATALOGUE:
		return print_catalogue(error) ? OPTIONS_BAD : printed(error);
	}
	return OPTIONS_BAD;
}

static const struct flag *find_flag(const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (strlen(flags[i].name) == n && !memcmp(flags[i].name, name, n))
			return &flags[i];
	return NULL;
}

/* "--NAME=VALUE", "--NAME VALUE", "--SWITCH", "--no-SWITCH". */
static enum options_verdict take_flag(char **argv, int *i, struct options *o, struct text *error)
{
	const char *name = argv[*i] + 2, *value = strchr(name, '=');
	size_t n = value ? (size_t)(value - name) : strlen(name);
	const struct flag *flag = find_flag(name, n);
	bool is_on = true;

	if (!flag && n > 3 && !strncmp(name, "no-", 3)) {
		flag = find_flag(name + 3, n - 3);
		is_on = false;
	}
	if (!flag || (!is_on && flag->kind != FLAG_SWITCH)) {
		text_addf(error, "unknown flag --%.*s (--help lists them)", (int)n, name);
		return OPTIONS_BAD;
	}
	if (value)
		value++;
	if (!flag->value && value) {
		text_addf(error, "--%s takes no value", flag->name);
		return OPTIONS_BAD;
	}
	if (flag->value && !value)
		value = argv[*i + 1] ? argv[++*i] : NULL;
	if (flag->value && (!value || !*value)) {
		text_addf(error, "--%s needs a value: %s", flag->name, flag->value);
		return OPTIONS_BAD;
	}
	return apply(flag, value, is_on, o, error);
}

/* One word, and behind import one more. */
static bool may_follow(const struct options *o)
{
	return !o->words[0] || (!o->words[1] && !strcmp(o->words[0], "import"));
}

static enum options_verdict take_word(const char *word, bool *has_verb, struct options *o, struct text *error)
{
	if (*has_verb && o->verb == VERB_CAPTURE && !o->device) {
		o->device = word;
		return OPTIONS_GO;
	}
	if (*has_verb && o->verb == VERB_HISTORY && may_follow(o)) {
		o->words[o->words[0] ? 1 : 0] = word;
		return OPTIONS_GO;
	}
	if (*has_verb && o->verb == VERB_CHECK_CONFIG)
		return add_to_list(o->files, word, "", "a file to check", error);
	for (size_t i = 0; i < ARRAY_SIZE(verbs) && !*has_verb; i++)
		if (!strcmp(word, verbs[i].name)) {
			o->verb = verbs[i].verb;
			*has_verb = true;
			return OPTIONS_GO;
		}
	text_addf(error, "unexpected argument \"%s\" (--help lists commands and flags)", word);
	return OPTIONS_BAD;
}

/* A path that is not there, or that no socket can have, is said at once, not by who would use it later. */
static enum options_verdict check_paths(const struct options *o, struct text *error)
{
	if (o->prober_socket && strlen(o->prober_socket) >= sizeof ((struct sockaddr_un *)NULL)->sun_path) {
		text_addf(error, "--prober.socket=%.20s...: longer than a socket's path can be", o->prober_socket);
		return OPTIONS_BAD;
	}
	for (size_t i = 0; o->replays[i]; i++)
		if (access(o->replays[i], R_OK)) {
			text_addf(error, "--replay=%s: %s", o->replays[i], strerror(errno));
			return OPTIONS_BAD;
		}
	return OPTIONS_GO;
}

enum options_verdict options_parse(int argc, char **argv, struct options *ret, struct text *error)
{
	bool has_verb = false;

	*ret = (struct options){ .telemetry_path = "/metrics", .max_requests = 40, .log_level = LOG_LEVEL_INFO, .has_block = true, .has_drivedb = true,
				 .has_history = true, .poll_interval_us = 60000000, .forget_after_us = FORGET_AFTER_US, .replay_speed = 1, .filter = drive_filter_new() };
	if (!ret->filter) {
		text_add(error, "no memory");
		return OPTIONS_BAD;
	}
	for (int i = 1; i < argc; i++) {
		enum options_verdict verdict = !strncmp(argv[i], "--", 2) && argv[i][2]
					       ? take_flag(argv, &i, ret, error)
					       : take_word(argv[i], &has_verb, ret, error);

		if (verdict != OPTIONS_GO)
			return verdict;
	}
	if (ret->verb == VERB_CAPTURE && !ret->device) {
		text_add(error, "capture needs a device, as in: drive_exporter capture sda");
		return OPTIONS_BAD;
	}
	if (ret->has_all && ret->verb != VERB_ONCE) {
		text_add(error, "--all goes with once");
		return OPTIONS_BAD;
	}
	if (ret->has_replay_clock && (!ret->replays[0] || ret->replay_beside_host)) {
		text_addf(error, "--replay.speed and --replay.from go with --replay%s", ret->replay_beside_host
			  ? " alone, not with --replay.beside-host: this machine's drives have no other clock" : "");
		return OPTIONS_BAD;
	}
	if (ret->words[0] && !strcmp(ret->words[0], "import") && !ret->words[1]) {
		text_add(error, "history import needs a file, or - for standard input");
		return OPTIONS_BAD;
	}
	if (ret->has_csv && (!ret->words[0] || ret->words[1] || !strcmp(ret->words[0], "export"))) {
		text_add(error, "--csv goes with history DRIVE");
		return OPTIONS_BAD;
	}
	if (ret->has_systemd_socket && ret->listen_addresses[0]) {
		text_add(error, "--web.systemd-socket and --web.listen-address exclude each other: the socket unit has the addresses");
		return OPTIONS_BAD;
	}
	ret->has_ata_attributes |= ret->has_all;
	if (!ret->listen_addresses[0] && !ret->has_systemd_socket)
		ret->listen_addresses[0] = ":9946";
	return check_paths(ret, error);
}

void options_free(struct options *o)
{
	drive_filter_free(o->filter);
	o->filter = NULL;
}
