/* exporter/status.c: the line that `systemctl status` shows. */
#include "exporter/status.h"

#include "unit.h"

static void the_line_tells_what_there_is(void **state)
{
	static const struct {
		struct status_counts counts;
		const char *line;
	} rows[] = {
		{ { .has_source = { [SOURCE_HOST] = true } }, "looking for drives; prober down" },
		{ { .is_discovered = true, .has_source = { [SOURCE_HOST] = true }, .is_up = { [SOURCE_HOST] = true } },
		  "no drives; prober up" },
		{ { .is_discovered = true, .n = { [STATUS_MISSING] = 2 } }, "no drives: 2 missing" },
		{ { .is_discovered = true, .n = { [STATUS_READ] = 1 } }, "1 drive: 1 read" },
		{ { .is_discovered = true, .n = { [STATUS_READ] = 22, [STATUS_ASLEEP] = 1, [STATUS_STUCK] = 1, [STATUS_MISSING] = 2 },
		    .has_source = { [SOURCE_HOST] = true }, .is_up = { [SOURCE_HOST] = true } },
		  "24 drives: 22 read, 1 asleep, 1 stuck, 2 missing; prober up" },
		{ { .is_discovered = true, .n = { [STATUS_UNREAD] = 3, [STATUS_RESERVED] = 4, [STATUS_VIRTUAL] = 5 },
		    .has_source = { true, true }, .is_up = { [SOURCE_REPLAY] = true } },
		  "12 drives: 4 reserved, 3 not read, 5 virtual; prober down, replay up" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO_TEXT line = TEXT_LIMIT(256);

		status_text(&rows[i].counts, &line);
		assert_string_equal(line.at, rows[i].line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_tells_what_there_is),
	};

	return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
