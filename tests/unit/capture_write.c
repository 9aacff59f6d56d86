/* capture/: writing and building, and the inventory text. */
#include "unit.h"

#include <string.h>

#include "capture/capture.h"
#include "capture/inventory.h"

static void what_is_written_reads_back_the_same(void **state)
{
	static const char text[] =
		"drive-capture 1\ntransport scsi\ndevice sda\nsize 5\nsysfs a\\x20b c d\ndevice sdb\nstat 1 2 3\n"
		"\n> inquiry\n~ 12\n00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n10\n! sense 01 5d 00\n"
		"\n> inquiry vpd=80\n! hang\n"
		"\npath sdb\n\n> inquiry\n! host 0e\n\n> log-sense page=0d subpage=01\n! sense 05 24 00\n"
		"\n@ 0\nabsent\n"
		"\n@ 30\npresent\nsysfs a\\x20b e\n\n> inquiry\n! sense 00 00 00\n"
		"\npath sdb\nstat 4 5 6\n\n> inquiry\n! errno EIO\n\n> inquiry\n! ata 51 04\n\n> inquiry\n! nvme 2 81\n"
		"\n> inquiry\n! timeout\n\n> inquiry\n! status 18\n"
		"\n@ 10\n\n> inquiry\n99\n";
	AUTO_TEXT out = TEXT_LIMIT(10000), error = TEXT_LIMIT(1000);
	struct capture *c = capture_parse(text, strlen(text), "x", &error);

	if (!c)
		fail_msg("%s", error.at);
	capture_write(c, &out);
	assert_string_equal(out.at, text);
	capture_free(c);
}

static void a_capture_is_built_piece_by_piece(void **state)
{
	struct capture *c = capture_new(TRANSPORT_NVME);
	struct command identify = command_default(COMMAND_NVME_IDENTIFY), log = command_default(COMMAND_NVME_LOG);
	AUTO_TEXT out = TEXT_LIMIT(100000);
	static uint8_t zeros[4096];

	assert_non_null(c);
	assert_false(capture_add_line(c, CAPTURE_SIZE, "5"));			/* of what? */
	assert_true(capture_add_line(c, CAPTURE_DEVICE, "nvme0n1"));
	assert_true(capture_add_line(c, CAPTURE_SIZE, "5"));
	assert_true(capture_add_line(c, CAPTURE_SYSFS, "a\\x20b  c   d "));
	assert_false(capture_add_line(c, CAPTURE_SYSFS, "a b#c"));
	assert_false(capture_add_line(c, CAPTURE_SYSFS, "a b\nc"));
	assert_false(capture_add_line(c, CAPTURE_SYSFS, "a \xff"));
	assert_false(capture_add_line(c, CAPTURE_SYSFS, "a"));
	assert_false(capture_add_line(c, CAPTURE_ABSENT, ""));			/* stands in sections only */
	assert_true(capture_add_line(c, CAPTURE_CONTROLLER, "nvme0"));
	assert_false(capture_add_line(c, CAPTURE_STAT, "1 2 3"));
	assert_true(capture_add_answer(c, NULL, &identify, zeros, 4096, OK, 7));
	assert_false(capture_add_answer(c, NULL, &identify, zeros, 4095, OK, 7));
	log.key[KEY_ID] = 2;
	assert_true(capture_add_answer(c, "nvme0", &log, NULL, 0, fail_nvme(0, 2), 0));
	assert_true(capture_add_answer(c, "nvme0", &log, NULL, 0, OK, 0));
	assert_false(capture_add_answer(c, "/dev/nvme0", &log, NULL, 0, OK, 0));
	assert_false(capture_add_answer(c, NULL, &log, NULL, 0, fail_format("x", "y"), 0));
	capture_write(c, &out);
	assert_memory_equal(out.at, "drive-capture 1\ntransport nvme\ndevice nvme0n1\nsize 5\nsysfs a\\x20b c d\ncontroller nvme0\n"
			    "\n> nvme-identify\n~ 7\n00 ", 106);
	assert_non_null(strstr(out.at, "\npath nvme0\n\n> nvme-log id=02\n! nvme 0 02\n\n> nvme-log id=02\n! sense 00 00 00\n"));
	capture_free(c);
}

static const char inventory[] =
	"drive sda.capture\ntime 1700000000\npresent 1\ntransport nvme\n"
	"device nvme0n1\ndiskseq 3\nsize 5\nlogical-block 512\nrotational 0\ndevpath /devices/x/nvme0/nvme0n1\nstat 1 2 3\n"
	"sysfs a\\x20b c d\nsysfs /sys/x y\n"
	"controller nvme0\ndiskseq 4\n";

static void an_inventory_reads_back_the_same(void **state)
{
	struct inventory_drive *d;
	AUTO_TEXT out = TEXT_LIMIT(10000);

	assert_int_equal(inventory_parse(inventory, &d), 0);
	assert_string_equal(d->key, "sda.capture");
	assert_true(d->is_present);
	assert_int_equal(d->time_s, 1700000000);
	assert_int_equal(d->n_devices, 2);
	assert_int_equal(d->devices[0].n_stat, 3);
	assert_string_equal(inventory_sysfs(&d->devices[0], "a b"), "c d");
	assert_null(inventory_sysfs(&d->devices[0], "a"));
	assert_true(d->devices[1].is_controller);
	assert_int_equal(d->devices[1].rotational, -1);
	inventory_write(d, &out);
	assert_string_equal(out.at, inventory);
	inventory_free(d);
}

static void an_inventory_that_breaks_the_rules_is_refused(void **state)
{
#define START "drive k\ntime 1\npresent 1\ntransport scsi\n"
	static const char *const broken[] = {
		"", "time 1\n", "drive k\n", "drive k", "drive \ntime 1\npresent 1\ntransport scsi\n", START "device sda\n",
		START "drive k\n", START "time 2\n", START "colour red\n", START "size 5\n", START "device sda\ndiskseq 0\n",
		START "device sda\ndiskseq 1\ndevice sda\ndiskseq 2\n", START "device sda\ndiskseq 1\nstat\n",
		START "device sda\ndiskseq 1\nstat 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 9\n", START "device sda\ndiskseq 1\nsysfs a\n",
		START "device sda\ndiskseq 1\nsysfs a b\nsysfs a c\n", START "device ../x\ndiskseq 1\n",
		START "device sda\ndiskseq 1\nsize 1", START "device sda\ndiskseq 1\nrotational 2\n",
		START "device sda\ndiskseq 1\ndiskseq 1\n", START "\n", START "present 0\n", START "absent\n",
		"drive k\ntime -1\npresent 1\ntransport scsi\n", "drive k\ntime 1\npresent 2\ntransport scsi\n",
		"drive k\ntime 1\npresent 1\ntransport usb\n", START "device nvme0\ndiskseq 1\n", "drive \xff\ntime 1\npresent 1\ntransport scsi\n",
	};
	struct inventory_drive *d = NULL;

	assert_int_equal(inventory_parse(START, &d), 0);
	inventory_free(d);
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		d = NULL;
		if (inventory_parse(broken[i], &d) != -EBADMSG)
			fail_msg("accepted: %s", broken[i]);
		assert_null(d);
	}
	for (size_t n = 0; n < strlen(inventory); n++) {
		char *cut = strndup(inventory, n);

		if (inventory_parse(cut, &d) == 0)
			inventory_free(d);
		free(cut);
	}
}

static void an_inventory_is_bounded(void **state)
{
	AUTO_TEXT many = TEXT_LIMIT(1000000), lines = TEXT_LIMIT(1000000);
	struct inventory_drive *d;

	text_add(&many, START);
	for (int i = 0; i <= INVENTORY_DEVICES; i++)
		text_addf(&many, "controller nvme%d\ndiskseq %d\n", i, i + 1);
	assert_int_equal(inventory_parse(many.at, &d), -EBADMSG);
	text_add(&lines, START "device sda\ndiskseq 1\n");
	for (int i = 0; i <= INVENTORY_SYSFS; i++)
		text_addf(&lines, "sysfs a%d b\n", i);
	assert_int_equal(inventory_parse(lines.at, &d), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_reads_back_the_same),
		cmocka_unit_test(a_capture_is_built_piece_by_piece),
		cmocka_unit_test(an_inventory_reads_back_the_same),
		cmocka_unit_test(an_inventory_that_breaks_the_rules_is_refused),
		cmocka_unit_test(an_inventory_is_bounded),
	};

	return cmocka_run_group_tests_name("capture_write", tests, NULL, NULL);
}
