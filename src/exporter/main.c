/* drive_exporter: the command line, and what it asks for. */
#include <stdio.h>

#include "exporter/verbs.h"

int main(int argc, char **argv)
{
	static int (*const run[])(const struct options *) = {
		[VERB_SERVE] = verb_serve, [VERB_ONCE] = verb_once, [VERB_LIST] = verb_list, [VERB_CAPTURE] = verb_capture,
	};
	AUTO_TEXT error = TEXT_LIMIT(1024);
	struct options options;
	int status = 1;

	log_guard_streams();
	event_block_signals();
	switch (options_parse(argc, argv, &options, &error)) {
	case OPTIONS_GO:
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
