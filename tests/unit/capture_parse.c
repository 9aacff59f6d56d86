/* capture/: each rule of the format (docs/capture.md) has something it lets pass and something it refuses, by line. */
#include "unit.h"

#include <string.h>

#include "capture/capture.h"

#define HEAD "drive-capture 1\ntransport scsi\ndevice sda\n"	/* 3 lines */
#define NVME "drive-capture 1\ntransport nvme\ncontroller nvme0\n"
#define ASK HEAD "> inquiry\n"						/* 4 lines */

static struct capture *parse(const char *text, char *reason, size_t size)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	size_t n = strlen(text);
	char *exact = memcpy(malloc(n ? n : 1), text, n);	/* ASan sees one byte too far */
	struct capture *c = capture_parse(exact, n, "x", &error);

	free(exact);
	snprintf(reason, size, "%s", error.at ? error.at : "");
	return c;
}

static void accepts(const char *text)
{
	char reason[1000];
	struct capture *c = parse(text, reason, sizeof reason);

	if (!c)
		fail_msg("refused: %s\n%s", reason, text);
	assert_string_equal(reason, "");
	capture_free(c);
}

static void refuses(const char *text, const char *start_of_reason)
{
	char reason[1000];
	struct capture *c = parse(text, reason, sizeof reason);

	if (c)
		fail_msg("accepted, but should be \"%s\":\n%s", start_of_reason, text);
	if (strncmp(reason, start_of_reason, strlen(start_of_reason)))
		fail_msg("\"%s\" is not \"%s...\" for\n%s", reason, start_of_reason, text);
	capture_free(c);
}

static void text_is_utf8_with_lf(void **state)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);

	accepts("# \xc3\xa4 and \xe2\x82\xac\n" ASK "00 # \xf0\x9f\x98\x80\n");
	accepts(ASK "00");				/* without a last LF */
	refuses(HEAD "# \xff\n> inquiry\n00\n", "x:4: not UTF-8");
	refuses(HEAD "# \xc0\x80\n> inquiry\n00\n", "x:4: not UTF-8");
	refuses(HEAD "> inquiry\r\n00\n", "x:4: a carriage return");
	refuses("# note\r\n" ASK "00\n", "x:1: a carriage return");
	refuses(HEAD "sysfs a b\x1b[2J\n" "> inquiry\n00\n", "x:4: a control character");
	accepts("# \x0c form feed in a comment\n" ASK "00\n");
	assert_null(capture_parse("drive-capture 1\n\0", 17, "x", &error));
	assert_string_equal(error.at, "x:2: a NUL byte; a capture is text");
}

static void a_capture_is_bounded(void **state)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	size_t n = CAPTURE_BYTES_MAX + 1;
	char *text = memset(malloc(n), '\n', n);

	assert_null(capture_parse(text, n, "x", &error));
	assert_string_equal(error.at, "x:1: more than 16777216 bytes");
	free(text);
}

static void the_first_line_names_the_format(void **state)
{
	accepts("\n# comment\n\t \n drive-capture  1 # format\ntransport ata\n");
	refuses("", "x:1: empty");
	refuses("# only this\n", "x:1: empty");
	refuses("transport scsi\n", "x:1: the first line must be");
	refuses("\ndrive-capture 2\n", "x:2: the first line must be");
	refuses("drive-capture 1 2\n", "x:1: the first line must be");
}

static void one_transport_is_said_before_the_first_command(void **state)
{
	accepts("drive-capture 1\ndevice sda\ntransport nvme\n");
	refuses("drive-capture 1\ndevice sda\n", "x:2: no transport line");
	refuses("drive-capture 1\ndevice sda\n> inquiry\n00\n", "x:3: no transport line before");
	refuses("drive-capture 1\ntransport usb\n", "x:2: transport must be");
	refuses("drive-capture 1\ntransport\n", "x:2: transport must be");
	refuses("drive-capture 1\ntransport ata\ntransport ata\n", "x:3: transport must be");
}

static void header_lines_are_well_formed(void **state)
{
	accepts(HEAD "size 800166076416\nlogical-block 512\nrotational 0\nstat 1 2 3\ndevpath /devices/a\n"
		"sysfs device/ioerr_cnt 0x12\nsysfs /sys/class/x/a\\x20b v w\nvia megaraid 3\n> inquiry\n00\n");
	refuses(HEAD "colour red\n", "x:4: no such header line: colour");
	refuses(HEAD "absent\n", "x:4: no such header line: absent");
	refuses(HEAD "path sda\n", "x:4: no such header line: path");
	refuses(HEAD "size 1k\n", "x:4: size takes a decimal number");
	refuses(HEAD "size\n", "x:4: size takes a decimal number");
	refuses(HEAD "size 1 2\n", "x:4: size takes a decimal number");
	refuses(HEAD "size 18446744073709551616\n", "x:4: size takes a decimal number");
	refuses(HEAD "logical-block -1\n", "x:4: logical-block takes a decimal number");
	refuses(HEAD "rotational 2\n", "x:4: rotational is 0 or 1");
	refuses(HEAD "stat\n", "x:4: stat takes decimal numbers");
	refuses(HEAD "stat 1 x\n", "x:4: stat takes decimal numbers");
	refuses(HEAD "devpath /a /b\n", "x:4: devpath takes one path");
	refuses(HEAD "sysfs device/state\n", "x:4: sysfs takes a path and a value");
	refuses(HEAD "via cciss 0\n", "x:4: via takes megaraid and a number");
}

static void header_lines_belong_to_the_node_above(void **state)
{
	char reason[1000];
	struct capture *c = parse("drive-capture 1\ntransport nvme\ndevice nvme0n1\nsize 5\ncontroller nvme0\nsysfs a\\x20b c d\n",
				  reason, sizeof reason);
	bool is_controller;

	assert_non_null(c);
	assert_string_equal(capture_device(c, 0, &is_controller), "nvme0n1");
	assert_false(is_controller);
	assert_string_equal(capture_device(c, 1, &is_controller), "nvme0");
	assert_true(is_controller);
	assert_null(capture_device(c, 2, NULL));
	assert_string_equal(c->lines[1].node, "nvme0n1");
	assert_string_equal(c->lines[3].node, "nvme0");
	assert_string_equal(c->lines[3].value, "a b c d");
	assert_int_equal(c->lines[3].n_path, 3);
	capture_free(c);
	refuses("drive-capture 1\ntransport scsi\nsize 5\n", "x:3: size needs a device line");
	refuses("drive-capture 1\ntransport scsi\nsysfs a b\n", "x:3: sysfs needs a device or controller line");
	accepts("drive-capture 1\ntransport scsi\nsysfs /sys/a b\n");
	refuses(NVME "size 5\n", "x:4: size needs a device line");
	refuses(HEAD "device sda\n", "x:4: sda is said twice");
	refuses(HEAD "device nvme0\n", "x:4: device takes the kernel name of a block device");
	refuses(HEAD "device ../sda\n", "x:4: device takes the kernel name");
	refuses(HEAD "device sda sdb\n", "x:4: device takes the kernel name");
	refuses(HEAD "controller nvme0n1\n", "x:4: controller takes the kernel name of an NVMe controller");
}

static void commands_and_keys_are_those_of_the_vocabulary(void **state)
{
	char reason[1000];
	struct capture *c;

	c = parse(HEAD "> log-sense subpage=FF page=07\n00\n> nvme-log id=2\n00\n> inquiry\n00\n> inquiry vpd=00\n00\n",
		  reason, sizeof reason);
	assert_non_null(c);
	assert_int_equal(c->answers[0].command.key[KEY_PAGE], 7);	/* the prober's list does not bind captures */
	assert_int_equal(c->answers[0].command.key[KEY_SUBPAGE], 0xff);
	assert_int_equal(c->answers[1].command.key[KEY_NSID], 0xffffffff);
	assert_int_equal(c->answers[2].command.key[KEY_VPD], VPD_NONE);
	assert_int_equal(c->answers[3].command.key[KEY_VPD], 0);
	capture_free(c);
	accepts(HEAD "> mode-sense page=ffffffff\n00\n");
	refuses(HEAD ">\n", "x:4: no such command: ");
	refuses(HEAD "> format-unit\n", "x:4: no such command: format-unit");
	refuses(HEAD ">inquiry\n", "x:4: no such header line");
	refuses(HEAD "> inquiry page=00\n", "x:4: inquiry has no key page");
	refuses(HEAD "> inquiry vpd\n", "x:4: not key=value: vpd");
	refuses(HEAD "> inquiry vpd=\n", "x:4: key vpd takes");
	refuses(HEAD "> inquiry vpd=0x80\n", "x:4: key vpd takes");
	refuses(HEAD "> inquiry vpd=000000080\n", "x:4: key vpd takes");
	refuses(HEAD "> inquiry vpd=80 vpd=80\n", "x:4: key vpd is said twice");
}

static void an_answer_is_bytes_or_a_failure(void **state)
{
	accepts(ASK "00 Aa\tff # comment\n\n# between\n01\n> read-capacity\n! timeout\n");
	refuses(ASK "> read-capacity\n00\n", "x:4: neither bytes nor a failure");
	refuses(ASK, "x:4: neither bytes nor a failure");
	refuses(ASK "# only a comment\n@ 5\n", "x:4: neither bytes nor a failure");
	refuses(ASK "0011\n", "x:5: not two hexadecimal digits a byte: 0011");
	refuses(ASK "00 1\n", "x:5: not two hexadecimal digits a byte: 1");
	refuses(ASK "00 gg\n", "x:5: not two hexadecimal digits a byte: gg");
	refuses(ASK "00\n! timeout\n", "x:6: only sense may follow bytes");
	accepts(ASK "00\n! sense 01 5d 00\n");
	refuses(ASK "! timeout\n00\n", "x:6: bytes without a command");
	refuses(ASK "! timeout\n! timeout\n", "x:6: a failure stands alone");
	refuses(ASK "00\n! sense 1 0 0\n00\n", "x:7: bytes without a command");
}

static void add_rows(struct text *t, size_t bytes)
{
	while (bytes--)
		text_add(t, bytes % 16 ? "00 " : "00\n");
}

static void lengths_that_are_fixed_are_checked(void **state)
{
	static const struct {
		const char *command;
		size_t n;
	} fixed[] = {
		{ "ata-identify", 512 }, { "ata-smart-data", 512 }, { "ata-smart-thresholds", 512 }, { "ata-smart-status", 2 },
		{ "ata-check-power", 1 }, { "ata-log address=04", 512 }, { "ata-log address=04 count=01", 512 },
		{ "ata-log address=04 count=03", 1536 }, { "nvme-identify cns=01", 4096 }, { "pcie-link", 6 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++) {
		for (int more = -1; more <= 1; more++) {
			AUTO_TEXT t = TEXT_LIMIT(100000);

			text_addf(&t, HEAD "> %s\n", fixed[i].command);
			add_rows(&t, fixed[i].n + (size_t)more);
			if (!more)
				accepts(t.at);
			else
				refuses(t.at, "x:4: ");
		}
	}
}

static void beside_sense_data_an_answer_may_be_short(void **state)
{
	accepts(HEAD "> ata-smart-status\n4f\n! sense 01 00 1d\n");
}

static void answers_have_at_most_64_kib(void **state)
{
	AUTO_TEXT scsi = TEXT_LIMIT(1000000), more = TEXT_LIMIT(1000000), nvme = TEXT_LIMIT(1000000);

	text_add(&scsi, HEAD "> log-sense page=15\n");
	add_rows(&scsi, 65536);
	accepts(scsi.at);
	text_add(&more, HEAD "> log-sense page=15\n");
	add_rows(&more, 65537);
	refuses(more.at, "x:4: log-sense is answered with more than 64 KiB");
	text_add(&nvme, NVME "> nvme-log id=01\n");	/* it is asked for in parts */
	add_rows(&nvme, 70000);
	accepts(nvme.at);
}

static void failures_blame_as_the_prober_does(void **state)
{
	static const struct {
		const char *text;
		enum fail_source source;
		enum fail_kind kind;
		uint32_t code;
	} known[] = {
		{ "sense 05 24 00", FAIL_DEVICE, FAIL_KIND_SENSE, 0x052400 }, { "sense b 0 0", FAIL_TRANSPORT, FAIL_KIND_SENSE, 0xb0000 },
		{ "sense 01 5d 10", FAIL_NONE, FAIL_KIND_SENSE, 0x015d10 }, { "status 18", FAIL_RESERVED, FAIL_KIND_STATUS, 0x18 },
		{ "status 08", FAIL_TRANSPORT, FAIL_KIND_STATUS, 8 }, { "ata 51 04", FAIL_DEVICE, FAIL_KIND_ATA, 0x5104 },
		{ "nvme 0 01", FAIL_DEVICE, FAIL_KIND_NVME, 1 }, { "nvme 3 02", FAIL_TRANSPORT, FAIL_KIND_NVME, 0x302 },
		{ "errno EIO", FAIL_OS, FAIL_KIND_ERRNO, EIO }, { "errno EACCES", FAIL_PERMISSION, FAIL_KIND_ERRNO, EACCES },
		{ "errno EWOULDBLOCK", FAIL_OS, FAIL_KIND_ERRNO, EAGAIN }, { "timeout", FAIL_TRANSPORT, FAIL_KIND_TIMEOUT, 0 },
		{ "host 01", FAIL_TRANSPORT, FAIL_KIND_HOST, 1 }, { "host 03", FAIL_TRANSPORT, FAIL_KIND_TIMEOUT, 0 },
		{ "hang", FAIL_NONE, FAIL_KIND_NONE, 0 },
	};
	char text[200], reason[1000];

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct capture *c;

		snprintf(text, sizeof text, ASK "! %s\n", known[i].text);
		c = parse(text, reason, sizeof reason);
		if (!c)
			fail_msg("%s", reason);
		assert_int_equal(c->answers[0].fail.source, known[i].source);
		assert_int_equal(c->answers[0].fail.kind, known[i].kind);
		assert_int_equal(c->answers[0].fail.code, known[i].code);
		assert_int_equal(c->answers[0].is_hang, !strcmp(known[i].text, "hang"));
		assert_null(c->answers[0].bytes);
		capture_free(c);
	}
}

static void failures_are_well_formed(void **state)
{
	refuses(ASK "!\n", "x:5: which failure?");
	refuses(ASK "! oops\n", "x:5: no such failure");
	refuses(ASK "! sense 05 24\n", "x:5: a hexadecimal value of this failure is missing");
	refuses(ASK "! sense 10 00 00\n", "x:5: a hexadecimal value of this failure is missing or too large");
	refuses(ASK "! sense 05 24 00 00\n", "x:5: more values");
	refuses(ASK "! status 0008\n", "x:5: a hexadecimal value");
	refuses(ASK "! nvme 8 00\n", "x:5: a hexadecimal value");
	refuses(ASK "! errno\n", "x:5: errno takes one name");
	refuses(ASK "! errno EIO EIO\n", "x:5: errno takes one name");
	refuses(ASK "! errno ENOSUCH\n", "x:5: errno takes one name");
	refuses(ASK "! errno 5\n", "x:5: errno takes one name");
	refuses(ASK "! hang 1\n", "x:5: more values");
	refuses(ASK "! timeout 1\n", "x:5: more values");
}

static void delays_stand_right_after_their_command(void **state)
{
	char reason[1000];
	struct capture *c = parse(ASK "~ 2500\n00\n", reason, sizeof reason);

	assert_non_null(c);
	assert_int_equal(c->answers[0].delay_us, 2500);
	capture_free(c);
	accepts(ASK "~ 1\n! hang\n");
	refuses(ASK "00\n~ 1\n", "x:6: ~ takes microseconds");
	refuses(ASK "~ 1ms\n00\n", "x:5: ~ takes microseconds");
	refuses(ASK "~\n00\n", "x:5: ~ takes microseconds");
	refuses(HEAD "~ 1\n", "x:4: no such header line: ~");
	refuses(ASK "00\n@ 3\n~ 1\n", "x:7: ~ takes microseconds");
}

static void sections_hold_from_their_moment_on(void **state)
{
	char reason[1000];
	struct capture *c = parse(ASK "00\n@ 60\nsysfs device/state offline\nstat 1 2\n> inquiry\n01\nabsent\n@ 10\npresent\n",
				  reason, sizeof reason);

	assert_non_null(c);
	assert_int_equal(c->answers[1].at_s, 60);
	assert_int_equal(c->n_lines, 5);
	assert_int_equal(c->lines[3].kind, CAPTURE_ABSENT);
	assert_int_equal(c->lines[3].at_s, 60);
	assert_int_equal(c->lines[4].at_s, 10);		/* any order */
	assert_false(c->lines[4].is_header);
	capture_free(c);
	accepts(HEAD "@ 0\nabsent\n@ 5\npresent\n");
	refuses(HEAD "@\n", "x:4: @ takes a number of seconds");
	refuses(HEAD "@ 1h\n", "x:4: @ takes a number of seconds");
	refuses(HEAD "@ 1 2\n", "x:4: @ takes a number of seconds");
	refuses(HEAD "@ 5\n00\n", "x:5: a command, sysfs, stat, absent or present must follow");
	refuses(HEAD "@ 5\nabsent now\n", "x:5: absent stands alone");
	refuses(HEAD "@ 5\nsize 3\n", "x:5: size stands in the header only");
	refuses(HEAD "@ 5\nsysfs device/state\n", "x:5: sysfs takes a path and a value");
	refuses(ASK "00\nabsent\n", "x:6: absent stands in the header or a section (@) only");
	refuses(ASK "absent\n", "x:5: absent stands in the header or a section (@) only");
}

static void paths_hold_to_the_end_of_their_section(void **state)
{
	char reason[1000];
	struct capture *c = parse(HEAD "device sdb\n> inquiry\n00\npath sdb\n> inquiry\n01\n@ 9\n> inquiry\n02\n", reason,
				  sizeof reason);

	assert_non_null(c);
	assert_string_equal(c->answers[0].path, "");
	assert_string_equal(c->answers[1].path, "sdb");
	assert_string_equal(c->answers[2].path, "");
	capture_free(c);
	refuses(ASK "00\npath\n", "x:6: path takes the kernel name");
	refuses(ASK "00\npath /dev/sda\n", "x:6: path takes the kernel name");
	refuses(ASK "00\npath sda sdb\n", "x:6: path takes the kernel name");
	refuses(ASK "path sda\n", "x:4: neither bytes nor a failure");
}

static void every_truncation_ends_well(void **state)
{
	static const char whole[] = "# note\n" HEAD "size 5\nsysfs a\\x20b c\n> ata-smart-status\n~ 5\n4f c2\n"
		"> inquiry\n00\n! sense 01 00 00\npath sda\n> request-sense\n! errno EIO\n@ 7\nabsent\n";
	char reason[1000];

	for (size_t n = 0; n < strlen(whole); n++) {
		char cut[sizeof whole];
		struct capture *c;

		memcpy(cut, whole, n);
		cut[n] = 0;
		c = parse(cut, reason, sizeof reason);
		assert_true(c ? !reason[0] : !strncmp(reason, "x:", 2));	/* one or the other */
		capture_free(c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_utf8_with_lf),
		cmocka_unit_test(a_capture_is_bounded),
		cmocka_unit_test(the_first_line_names_the_format),
		cmocka_unit_test(one_transport_is_said_before_the_first_command),
		cmocka_unit_test(header_lines_are_well_formed),
		cmocka_unit_test(header_lines_belong_to_the_node_above),
		cmocka_unit_test(commands_and_keys_are_those_of_the_vocabulary),
		cmocka_unit_test(an_answer_is_bytes_or_a_failure),
		cmocka_unit_test(lengths_that_are_fixed_are_checked),
		cmocka_unit_test(beside_sense_data_an_answer_may_be_short),
		cmocka_unit_test(answers_have_at_most_64_kib),
		cmocka_unit_test(failures_blame_as_the_prober_does),
		cmocka_unit_test(failures_are_well_formed),
		cmocka_unit_test(delays_stand_right_after_their_command),
		cmocka_unit_test(sections_hold_from_their_moment_on),
		cmocka_unit_test(paths_hold_to_the_end_of_their_section),
		cmocka_unit_test(every_truncation_ends_well),
	};

	return cmocka_run_group_tests_name("capture_parse", tests, NULL, NULL);
}
