/* exporter/options.c: every form of a flag, and one clear line for what is none. */
#include "exporter/options.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

enum { WORDS = 80 };

struct line {
	struct options options;
	struct text error;
	enum options_verdict verdict;
};

/* Words apart from each other by one blank; "" is the program alone. */
static void parse(struct line *l, const char *words)
{
	static char buffer[8192];
	char *argv[WORDS + 2] = { "drive_exporter" };
	int argc = 1;

	snprintf(buffer, sizeof buffer, "%s", words);
	for (char *word = strtok(buffer, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	l->error = TEXT_LIMIT(1024);
	l->verdict = options_parse(argc, argv, &l->options, &l->error);
}

static void done(struct line *l)
{
	text_free(&l->error);
	options_free(&l->options);
}

static void without_flags_the_defaults_hold(void **state)
{
	struct line l;

	parse(&l, "");
	assert_int_equal(l.verdict, OPTIONS_GO);
	assert_int_equal(l.options.verb, VERB_SERVE);
	assert_string_equal(l.options.listen_addresses[0], ":9946");
	assert_null(l.options.listen_addresses[1]);
	assert_string_equal(l.options.telemetry_path, "/metrics");
	assert_true(l.options.poll_interval_us == 60000000);
	assert_int_equal(l.options.log_level, LOG_LEVEL_INFO);
	assert_true(l.options.has_block && l.options.has_history);
	assert_false(l.options.has_ata_attributes || l.options.replay_beside_host || l.options.keep_serials);
	assert_null(l.options.prober_path);
	assert_null(l.options.prober_socket);
	done(&l);
}

static void the_web_side_has_its_flags(void **state)
{
	struct line l;

	parse(&l, "");
	assert_null(l.options.web_config_file);
	assert_false(l.options.lacks_exporter_metrics);
	assert_true(l.options.max_requests == 40);
	done(&l);
	parse(&l, "--web.config.file=/etc/web.yml --web.disable-exporter-metrics --web.max-requests 0 --web.listen-address=unix:/run/x "
		  "--web.listen-address=[::1]:9946");
	assert_int_equal(l.verdict, OPTIONS_GO);
	assert_string_equal(l.options.web_config_file, "/etc/web.yml");
	assert_true(l.options.lacks_exporter_metrics);
	assert_true(l.options.max_requests == 0);
	assert_string_equal(l.options.listen_addresses[1], "[::1]:9946");
	assert_null(l.options.listen_addresses[2]);
	done(&l);
	parse(&l, "--web.config.file");
	assert_int_equal(l.verdict, OPTIONS_BAD);
	assert_string_equal(l.error.at, "--web.config.file needs a value: FILE");
	done(&l);
}

static void sockets_of_systemd_leave_no_default_address(void **state)
{
	struct line l;

	parse(&l, "--web.systemd-socket");
	assert_int_equal(l.verdict, OPTIONS_GO);
	assert_true(l.options.has_systemd_socket);
	assert_null(l.options.listen_addresses[0]);
	done(&l);
	parse(&l, "--web.systemd-socket --no-web.systemd-socket --web.listen-address=:1");
	assert_int_equal(l.verdict, OPTIONS_GO);
	done(&l);
}

static void a_value_comes_after_an_equals_sign_or_a_blank(void **state)
{
	static const char *const forms[] = {
		"--web.telemetry-path=/m --prober.path=/p --prober.socket=/s --replay.path=/r --replay.hang-file=/h",
		"--web.telemetry-path /m --prober.path /p --prober.socket /s --replay.path /r --replay.hang-file /h",
	};

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct line l;

		parse(&l, forms[i]);
		assert_int_equal(l.verdict, OPTIONS_GO);
		assert_string_equal(l.options.telemetry_path, "/m");
		assert_string_equal(l.options.prober_path, "/p");
		assert_string_equal(l.options.prober_socket, "/s");
		assert_string_equal(l.options.replay_path, "/r");
		assert_string_equal(l.options.replay_hang_file, "/h");
		done(&l);
	}
}

static void lists_grow(void **state)
{
	struct line l;

	parse(&l, "--web.listen-address=:1 --web.listen-address [::1]:2 --replay=/tmp --replay=/");
	assert_int_equal(l.verdict, OPTIONS_GO);
	assert_string_equal(l.options.listen_addresses[0], ":1");
	assert_string_equal(l.options.listen_addresses[1], "[::1]:2");
	assert_null(l.options.listen_addresses[2]);
	assert_string_equal(l.options.replays[0], "/tmp");
	assert_string_equal(l.options.replays[1], "/");
	done(&l);
}

static void a_list_has_an_end(void **state)
{
	AUTO_TEXT words = TEXT_LIMIT(8000);
	struct line l;

	for (int i = 0; i < OPTIONS_LIST; i++)
		text_addf(&words, "--web.listen-address=:%d ", i + 1);
	parse(&l, words.at);
	assert_int_equal(l.verdict, OPTIONS_GO);
	assert_string_equal(l.options.listen_addresses[OPTIONS_LIST - 1], ":64");
	done(&l);
	text_add(&words, "--web.listen-address=:99");
	parse(&l, words.at);
	assert_int_equal(l.verdict, OPTIONS_BAD);
	assert_string_equal(l.error.at, "--web.listen-address is given more than 64 times");
	done(&l);
}

static void switches_go_on_and_off_and_the_last_word_counts(void **state)
{
	struct line l;

	parse(&l, "--no-collector.block --collector.ata-attributes --replay.beside-host --keep-serials");
	assert_int_equal(l.verdict, OPTIONS_GO);
	assert_false(l.options.has_block);
	assert_true(l.options.has_ata_attributes && l.options.replay_beside_host && l.options.keep_serials);
	done(&l);
	parse(&l, "--no-collector.block --collector.block --collector.ata-attributes --no-collector.ata-attributes");
	assert_true(l.options.has_block);
	assert_false(l.options.has_ata_attributes);
	done(&l);
}

static void durations_have_units(void **state)
{
	static const struct {
		const char *text;
		uint64_t us;
	} good[] = {
		{ "100ms", 100000 }, { "1500ms", 1500000 }, { "1s", 1000000 }, { "60s", 60000000 }, { "5m", 300000000 },
		{ "2h", 7200000000 }, { "366d", 366 * UINT64_C(86400000000) },
	};
	static const char *const bad[] = {
		"60", "0s", "99ms", "-1s", "s", "1.5s", "1h30m", "1S", "60s ", "367d", "1000000000000d", "18446744073709551616s",
		"99999999999999999999999999s", "1e3s", "0x10s",
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		char *argv[] = { "drive_exporter", "--poll.interval", (char *)good[i].text, NULL };
		struct line l = { .error = TEXT_LIMIT(1024) };

		assert_int_equal(options_parse(3, argv, &l.options, &l.error), OPTIONS_GO);
		assert_true(l.options.poll_interval_us == good[i].us);
		done(&l);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char *argv[] = { "drive_exporter", "--poll.interval", (char *)bad[i], NULL };
		struct line l = { .error = TEXT_LIMIT(1024) };
		char want[256];

		snprintf(want, sizeof want, "--poll.interval: \"%s\" is not ", bad[i]);
		assert_int_equal(options_parse(3, argv, &l.options, &l.error), OPTIONS_BAD);
		assert_memory_equal(l.error.at, want, strlen(want));
		done(&l);
	}
}

static void a_replay_has_a_clock_of_its_own(void **state)
{
	struct line l;

	parse(&l, "--replay=/tmp");
	assert_int_equal(l.verdict, OPTIONS_GO);
	assert_true(l.options.replay_speed == 1 && !l.options.replay_from_us);
	done(&l);
	parse(&l, "--replay=/tmp --replay.speed=86400.5 --replay.from=400d");
	assert_int_equal(l.verdict, OPTIONS_GO);
	assert_true(l.options.replay_speed == 86400.5 && l.options.replay_from_us == 400 * UINT64_C(86400000000));
	done(&l);
	parse(&l, "once --replay.from=0s --replay.speed=10000000 --replay=/tmp");
	assert_int_equal(l.verdict, OPTIONS_GO);
	assert_true(l.options.replay_speed == 10000000 && !l.options.replay_from_us);
	done(&l);
	parse(&l, "--replay=/tmp --replay.beside-host");
	assert_int_equal(l.verdict, OPTIONS_GO);
	done(&l);
}

static void log_levels_have_names(void **state)
{
	static const char *const names[] = { "error", "warn", "info", "debug" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct line l;
		char words[64];

		snprintf(words, sizeof words, "--log.level=%s", names[i]);
		parse(&l, words);
		assert_int_equal(l.verdict, OPTIONS_GO);
		assert_int_equal(l.options.log_level, i);
		done(&l);
	}
}

static void what_is_wrong_is_said_in_one_line(void **state)
{
	static const struct {
		const char *words, *error;
	} bad[] = {
		{ "--bogus", "unknown flag --bogus" },
		{ "--bogus=1", "unknown flag --bogus" },
		{ "--no-bogus", "unknown flag --no-bogus" },
		{ "--no-replay", "unknown flag --no-replay" },
		{ "--no-", "unknown flag --no-" },
		{ "--=x", "unknown flag --" },
		{ "--web.listen", "unknown flag --web.listen" },
		{ "--collector.block=true", "--collector.block takes no value" },
		{ "--no-collector.block=", "--collector.block takes no value" },
		{ "--version=1", "--version takes no value" },
		{ "--web.listen-address", "--web.listen-address needs a value: ADDRESS" },
		{ "--web.listen-address=", "--web.listen-address needs a value: ADDRESS" },
		{ "--web.systemd-socket --web.listen-address=:1", "--web.systemd-socket and --web.listen-address exclude each other" },
		{ "--log.level=loud", "--log.level: \"loud\" is not debug, info, warn or error" },
		{ "serve twice", "unexpected argument \"twice\"" },
		{ "once serve", "unexpected argument \"serve\"" },
		{ "-h", "unexpected argument \"-h\"" },
		{ "--", "unexpected argument \"--\"" },
		{ "capture", "capture needs a device, as in: drive_exporter capture sda" },
		{ "capture sda sdb", "unexpected argument \"sdb\"" },
		{ "history a b", "unexpected argument \"b\"" },
		{ "history export x", "unexpected argument \"x\"" },
		{ "history import x y", "unexpected argument \"y\"" },
		{ "history import", "history import needs a file, or - for standard input" },
		{ "history --csv", "--csv goes with history DRIVE" },
		{ "history export --csv", "--csv goes with history DRIVE" },
		{ "history import x --csv", "--csv goes with history DRIVE" },
		{ "once --csv", "--csv goes with history DRIVE" },
		{ "history-child /tmp", "unexpected argument \"history-child\"" },
		{ "--replay=/nonexistent/x", "--replay=/nonexistent/x: No such file or directory" },
		{ "--replay.speed=10", "--replay.speed and --replay.from go with --replay" },
		{ "--replay.speed=1", "--replay.speed and --replay.from go with --replay" },
		{ "--replay.from=1d", "--replay.speed and --replay.from go with --replay" },
		{ "--replay=/tmp --replay.beside-host --replay.speed=10", "--replay.speed and --replay.from go with --replay alone, not" },
		{ "--replay=/tmp --replay.beside-host --replay.from=1d", "--replay.speed and --replay.from go with --replay alone, not" },
		{ "--replay.beside-host --replay.from=1d", "--replay.speed and --replay.from go with --replay alone, not" },
		{ "--replay=/tmp --replay.speed=0.5", "--replay.speed: \"0.5\" is not a number from 1 to 10000000" },
		{ "--replay=/tmp --replay.speed=10000001", "--replay.speed: \"10000001\" is not a number from 1 to 10000000" },
		{ "--replay=/tmp --replay.speed=1e3", "--replay.speed: \"1e3\" is not a number from 1 to 10000000" },
		{ "--replay=/tmp --replay.from=10", "--replay.from: \"10\" is not a duration such as 90m or 400d, at most 10000d" },
		{ "--replay=/tmp --replay.from=10001d", "--replay.from: \"10001d\" is not a duration such as 90m or 400d, at most 10000d" },
		{ "--drive.include=(", "--drive.include: bad pattern \"(\": Unmatched ( or \\(" },
		{ "--drive.exclude=serial=[", "--drive.exclude: bad pattern \"[\": Unmatched [, [^, [:, [., or [=" },
		{ "--drive.include=a.* --bogus", "unknown flag --bogus" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct line l;

		parse(&l, bad[i].words);
		assert_int_equal(l.verdict, OPTIONS_BAD);
		assert_non_null(l.error.at);
		assert_memory_equal(l.error.at, bad[i].error, strlen(bad[i].error));	/* how to go on may follow */
		assert_null(strchr(l.error.at, '\n'));
		done(&l);
	}
}

static void commands_and_flags_mix(void **state)
{
	static const struct {
		const char *words;
		enum verb verb;
	} good[] = {
		{ "serve", VERB_SERVE }, { "once", VERB_ONCE }, { "list --log.level=error", VERB_LIST },
		{ "--log.level error capture --keep-serials sda", VERB_CAPTURE }, { "capture once", VERB_CAPTURE },
		{ "check-config", VERB_CHECK_CONFIG }, { "check-config a.csv --log.level=error once", VERB_CHECK_CONFIG },
		{ "history", VERB_HISTORY }, { "history --csv sda", VERB_HISTORY }, { "history import -", VERB_HISTORY },
		{ "history export", VERB_HISTORY },
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct line l;

		parse(&l, good[i].words);
		assert_int_equal(l.verdict, OPTIONS_GO);
		assert_int_equal(l.options.verb, good[i].verb);
		done(&l);
	}
}

static void files_to_check_are_kept(void **state)
{
	AUTO_TEXT words = TEXT_LIMIT(8000);
	struct line l;

	parse(&l, "check-config a.csv --catalogue.path=c.csv once --catalogue.path d.csv");
	assert_int_equal(l.verdict, OPTIONS_GO);
	assert_string_equal(l.options.files[0], "a.csv");
	assert_string_equal(l.options.files[1], "once");
	assert_null(l.options.files[2]);
	assert_string_equal(l.options.catalogue_paths[0], "c.csv");
	assert_string_equal(l.options.catalogue_paths[1], "d.csv");
	assert_null(l.options.catalogue_paths[2]);
	done(&l);
	text_add(&words, "check-config");
	for (int i = 0; i <= OPTIONS_LIST; i++)
		text_addf(&words, " %d.csv", i);
	parse(&l, words.at);
	assert_int_equal(l.verdict, OPTIONS_BAD);
	assert_string_equal(l.error.at, "a file to check is given more than 64 times");
	done(&l);
}

static void filters_are_taken(void **state)
{
	struct drive drive = { .is_identified = true, .facts.model = "ST800", .facts.serial = "S1" };
	struct line l;

	parse(&l, "--drive.include=ST.* --drive.exclude serial=S2");
	assert_int_equal(l.verdict, OPTIONS_GO);
	assert_true(!l.error.at || !*l.error.at);
	assert_true(drive_filter_passes(l.options.filter, &drive));
	strcpy(drive.facts.serial, "S2");
	assert_false(drive_filter_passes(l.options.filter, &drive));
	done(&l);
}

/* The lines that --help and the like print, read back. */
static void read_output(const char *words, char *out, size_t size)
{
	char path[] = "/tmp/drive-exporter-options-XXXXXX";
	int fd = mkstemp(path), saved = dup(1);
	struct line l;
	ssize_t n;

	fflush(stdout);
	dup2(fd, 1);
	parse(&l, words);
	fflush(stdout);
	dup2(saved, 1);
	close(saved);
	n = pread(fd, out, size - 1, 0);
	out[n > 0 ? n : 0] = 0;
	close(fd);
	unlink(path);
	assert_int_equal(l.verdict, OPTIONS_DONE);
	done(&l);
}

static void what_is_only_printed_ends_there(void **state)
{
	static char out[65536];

	read_output("--version", out, sizeof out);
	assert_memory_equal(out, "drive_exporter, version ", 24);
	read_output("--help", out, sizeof out);
	assert_non_null(strstr(out, "--[no-]collector.block\n"));
	assert_non_null(strstr(out, "--poll.interval=DURATION\n"));
	assert_non_null(strstr(out, "once"));
	assert_null(strstr(out, "history-child"));	/* is not for people */
	for (const char *line = out, *end; *line && (end = strchr(line, '\n')); line = end + 1)
		assert_in_range(end - line, 0, 120);
	read_output("--list-metrics", out, sizeof out);
	assert_non_null(strstr(out, "drive_temperature_celsius"));
	read_output("--list-metrics-markdown --bogus", out, sizeof out);	/* what comes after is not read */
	assert_non_null(strstr(out, "drive_temperature_celsius"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_flags_the_defaults_hold),
		cmocka_unit_test(the_web_side_has_its_flags),
		cmocka_unit_test(sockets_of_systemd_leave_no_default_address),
		cmocka_unit_test(a_value_comes_after_an_equals_sign_or_a_blank),
		cmocka_unit_test(lists_grow),
		cmocka_unit_test(a_list_has_an_end),
		cmocka_unit_test(switches_go_on_and_off_and_the_last_word_counts),
		cmocka_unit_test(durations_have_units),
		cmocka_unit_test(a_replay_has_a_clock_of_its_own),
		cmocka_unit_test(log_levels_have_names),
		cmocka_unit_test(what_is_wrong_is_said_in_one_line),
		cmocka_unit_test(commands_and_flags_mix),
		cmocka_unit_test(files_to_check_are_kept),
		cmocka_unit_test(filters_are_taken),
		cmocka_unit_test(what_is_only_printed_ends_there),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
