/* drive_exporter: the command line, and what it asks for. */
#include <stdio.h>

#include "base/clock.h"
#include "exporter/verbs.h"
#include "history/history.h"
#include "probe/notify.h"

int main(int argc, char **argv)
{
	static int (*const run[])(const struct options *) = {
		[VERB_SERVE] = verb_serve, [VERB_ONCE] = verb_once, [VERB_LIST] = verb_list, [VERB_CAPTURE] = verb_capture,
		[VERB_HISTORY] = verb_history,
		[VERB_CHECK_CONFIG] = verb_check_config,
	};
	AUTO_TEXT error = TEXT_LIMIT(1024);
	struct options options;
	int status = 1;

	history_child_main(argc, argv);
	log_guard_streams();
	event_block_signals();
	notify_open();
	switch (options_parse(argc, argv, &options, &error)) {
	case OPTIONS_GO:
		options.replay_start_us = clock_monotonic_us();
		clock_run(options.replay_speed, options.replay_start_us, options.replay_from_us);
		log_open("drive_exporter");
		log_set_level(options.log_level);
		status = run[options.verb](&options);
		break;
	case OPTIONS_DONE:
		status = 0;
		break;
	case OPTIONS_BAD:
		fprintf(stderr, "drive_exporter: error: %s\n", error.at ? error.at : "bad command line");
		break;
	}
	options_free(&options);
	return status;
}
