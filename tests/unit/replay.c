/* replay/: what a drive answers, by node and time, and what the client is told of the drives. */
#include "unit.h"

#include <string.h>

#include "base/clock.h"
#include "replay/replay.h"

static uint8_t buffer[COMMAND_ANSWER_MAX];

static void add(struct replay *r, const char *name, const char *text)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	struct capture *c = capture_parse(text, strlen(text), name, &error);

	if (!c || !replay_add(r, c, &error))
		fail_msg("%s", error.at);
}

static struct command command(enum command_name name, unsigned first, unsigned second, unsigned third)
{
	struct command c = command_default(name);
	unsigned keys[] = { first, second, third };

	for (size_t i = 0; i < 3 && commands[name].key[i].name; i++)
		c.key[i] = keys[i];
	return c;
}

static struct replay_answer ask(struct replay *r, const char *node, uint64_t at_s, struct command c)
{
	struct replay_answer a;
	size_t drive, n;

	memset(buffer, 0xee, sizeof buffer);
	assert_true(replay_owner(r, node, at_s, &drive, &n));
	replay_look_up(r, drive, n, at_s, &c, buffer, &a);
	return a;
}

/* The first byte of the answer, -1: a failure. */
static int first_byte(struct replay *r, const char *node, uint64_t at_s, struct command c)
{
	struct replay_answer a = ask(r, node, at_s, c);

	return a.n_bytes ? buffer[0] : -1;
}

static void answers_come_in_order_and_the_last_stays(void **state)
{
	struct replay r = { 0 };
	struct command c = command(COMMAND_REQUEST_SENSE, 0, 0, 0);

	add(&r, "x", "drive-capture 1\ntransport scsi\ndevice sda\n> request-sense\n01\n> request-sense\n02\n"
		     "> request-sense\n! sense 02 04 01\n@ 10\n> request-sense\n11\n> request-sense\n12\n@ 5\n> inquiry\n05\n");
	assert_int_equal(first_byte(&r, "sda", 0, c), 1);
	assert_int_equal(first_byte(&r, "sda", 1, c), 2);
	assert_int_equal(ask(&r, "sda", 2, c).fail.code, 0x020401);
	assert_int_equal(ask(&r, "sda", 7, c).fail.code, 0x020401);	/* @ 5 does not mention it */
	assert_int_equal(first_byte(&r, "sda", 10, c), 0x11);		/* a section begins with its first */
	assert_int_equal(first_byte(&r, "sda", 11, c), 0x12);
	assert_int_equal(first_byte(&r, "sda", 99, c), 0x12);
	assert_int_equal(first_byte(&r, "sda", 100, c), 0x12);		/* and stays */
	assert_true(failed(ask(&r, "sda", 4, command(COMMAND_INQUIRY, VPD_NONE, 0, 0)).fail));
	assert_int_equal(first_byte(&r, "sda", 5, command(COMMAND_INQUIRY, VPD_NONE, 0, 0)), 5);
	replay_free(&r);
}

static void each_path_answers_for_itself(void **state)
{
	struct replay r = { 0 };
	struct command inquiry = command(COMMAND_INQUIRY, VPD_NONE, 0, 0), sense = command(COMMAND_REQUEST_SENSE, 0, 0, 0);

	add(&r, "x", "drive-capture 1\ntransport scsi\ndevice sda\ndevice sdb\n> inquiry\n01\n> inquiry\n02\n> request-sense\n0a\n"
		     "path sdb\n> inquiry\n21\n@ 10\n> inquiry\n31\npath sdb\n> request-sense\n! status 18\npath sda\n> request-sense\n3a\n> log-sense page=02\n05\n");
	assert_int_equal(first_byte(&r, "sda", 0, inquiry), 1);
	assert_int_equal(first_byte(&r, "sdb", 0, inquiry), 0x21);
	assert_int_equal(first_byte(&r, "sdb", 0, sense), 0x0a);
	assert_int_equal(first_byte(&r, "sda", 0, inquiry), 2);
	assert_int_equal(first_byte(&r, "sdb", 10, inquiry), 0x21);	/* its own, though older */
	assert_int_equal(first_byte(&r, "sda", 10, inquiry), 0x31);
	assert_int_equal(ask(&r, "sdb", 10, sense).fail.source, FAIL_RESERVED);
	assert_int_equal(first_byte(&r, "sda", 10, sense), 0x3a);
	assert_int_equal(first_byte(&r, "sdb", 10, command(COMMAND_LOG_SENSE, 2, 0, 0)), 5);	/* the first one's is the default */
	replay_free(&r);
}

static void the_place_in_successive_answers_is_the_nodes_own(void **state)
{
	struct replay r = { 0 };
	struct command c = command(COMMAND_REQUEST_SENSE, 0, 0, 0);

	add(&r, "x", "drive-capture 1\ntransport scsi\ndevice sda\ndevice sdb\n> request-sense\n01\n> request-sense\n02\n");
	assert_int_equal(first_byte(&r, "sda", 0, c), 1);
	assert_int_equal(first_byte(&r, "sda", 0, c), 2);
	assert_int_equal(first_byte(&r, "sdb", 0, c), 1);
	replay_free(&r);
}

static void what_is_lacking_is_not_known_to_the_drive(void **state)
{
	struct replay r = { 0 };

	add(&r, "s", "drive-capture 1\ntransport scsi\ndevice sda\n> inquiry\n01\n> inquiry vpd=80\n! sense 01 00 00\n");
	add(&r, "a", "drive-capture 1\ntransport ata\ndevice sdb\n> ata-check-power\nff\n> ata-smart-status\n~ 70\n! hang\n");
	add(&r, "n", "drive-capture 1\ntransport nvme\ndevice nvme0n1\n> nvme-log id=01\n01\n");
	assert_int_equal(ask(&r, "sda", 0, command(COMMAND_LOG_SENSE, 2, 0, 0)).fail.code, 0x052000);
	assert_int_equal(ask(&r, "sdb", 0, command(COMMAND_INQUIRY, 0x80, 0, 0)).fail.code, 0x052000);
	assert_int_equal(ask(&r, "sdb", 0, command(COMMAND_ATA_LOG, 4, 1, 0)).fail.kind, FAIL_KIND_ATA);
	assert_int_equal(ask(&r, "sdb", 0, command(COMMAND_ATA_LOG, 4, 1, 0)).fail.code, 0x5104);
	assert_int_equal(ask(&r, "nvme0", 0, command(COMMAND_NVME_IDENTIFY, 1, 0, 0)).fail.kind, FAIL_KIND_NVME);
	assert_int_equal(ask(&r, "nvme0n1", 0, command(COMMAND_PCIE_LINK, 0, 0, 0)).fail.code, 0x001);
	assert_false(failed(ask(&r, "sda", 0, command(COMMAND_INQUIRY, 0x80, 0, 0)).fail));	/* no failure, no bytes */
	assert_true(ask(&r, "sdb", 0, command(COMMAND_ATA_SMART_STATUS, 0, 0, 0)).is_hang);
	replay_free(&r);
}

static void add_page(struct text *t, const char *of, unsigned byte, size_t n)
{
	text_addf(t, "> %s\n", of);
	while (n--)
		text_addf(t, "%02x\n", byte);
}

static void an_ata_log_is_joined_from_single_pages(void **state)
{
	struct replay r = { 0 };
	AUTO_TEXT t = TEXT_LIMIT(100000);
	struct replay_answer a;

	text_add(&t, "drive-capture 1\ntransport ata\ndevice sda\n");
	add_page(&t, "ata-log address=04 page=00", 0, 512);
	add_page(&t, "ata-log address=04 page=01 count=01", 1, 512);
	add_page(&t, "ata-log address=04 page=02\n~ 7", 2, 512);
	add_page(&t, "ata-log address=03 count=02", 3, 1024);
	text_add(&t, "> ata-log address=04 page=03\n! ata 51 40\n");
	add(&r, "x", t.at);
	a = ask(&r, "sda", 0, command(COMMAND_ATA_LOG, 4, 0, 3));
	assert_int_equal(a.n_bytes, 1536);
	assert_int_equal(buffer[511], 0);
	assert_int_equal(buffer[512], 1);
	assert_int_equal(buffer[1535], 2);
	assert_int_equal(a.delay_us, 7);
	assert_int_equal(ask(&r, "sda", 0, command(COMMAND_ATA_LOG, 4, 1, 1)).n_bytes, 512);	/* 0 is 1 */
	assert_int_equal(ask(&r, "sda", 0, command(COMMAND_ATA_LOG, 4, 1, 0)).n_bytes, 512);
	assert_int_equal(ask(&r, "sda", 0, command(COMMAND_ATA_LOG, 3, 0, 2)).n_bytes, 1024);
	a = ask(&r, "sda", 0, command(COMMAND_ATA_LOG, 4, 2, 2));				/* one of them fails */
	assert_int_equal(a.fail.code, 0x5140);
	assert_int_equal(a.n_bytes, 0);
	a = ask(&r, "sda", 0, command(COMMAND_ATA_LOG, 4, 3, 5));
	assert_int_equal(a.fail.code, 0x5140);
	a = ask(&r, "sda", 0, command(COMMAND_ATA_LOG, 5, 0, 2));				/* nothing there */
	assert_int_equal(a.fail.code, 0x5104);
	replay_free(&r);
}

static void an_nvme_log_is_cut_from_the_whole(void **state)
{
	struct replay r = { 0 };
	AUTO_TEXT t = TEXT_LIMIT(1000000);
	struct command c = command_default(COMMAND_NVME_LOG);
	struct replay_answer a;

	text_add(&t, "drive-capture 1\ntransport nvme\ncontroller nvme0\n> nvme-log id=02\n");
	for (unsigned i = 0; i < 512; i++)
		text_addf(&t, "%02x\n", i / 4 & 0xff);
	add_page(&t, "nvme-log id=03 offset=100", 3, 512);
	add_page(&t, "nvme-log id=01", 1, 70000);
	add(&r, "x", t.at);
	c.key[KEY_ID] = 2;
	assert_int_equal(ask(&r, "nvme0", 0, c).n_bytes, 512);
	c.key[KEY_OFFSET] = 40;
	a = ask(&r, "nvme0", 0, c);
	assert_int_equal(a.n_bytes, 472);
	assert_int_equal(buffer[0], 10);
	c.key[KEY_LENGTH] = 8;
	a = ask(&r, "nvme0", 0, c);
	assert_int_equal(a.n_bytes, 8);
	assert_int_equal(buffer[7], 11);
	c.key[KEY_OFFSET] = 512;
	a = ask(&r, "nvme0", 0, c);
	assert_int_equal(a.fail.code, 0x002);
	assert_int_equal(a.n_bytes, 0);
	c.key[KEY_OFFSET] = 0;
	assert_int_equal(ask(&r, "nvme0", 0, c).n_bytes, 8);
	c.key[KEY_ID] = 3;
	c.key[KEY_OFFSET] = 0x100;
	assert_int_equal(ask(&r, "nvme0", 0, c).n_bytes, 8);		/* of the part that starts there */
	c.key[KEY_ID] = 1;
	c.key[KEY_OFFSET] = c.key[KEY_LENGTH] = 0;
	assert_int_equal(ask(&r, "nvme0", 0, c).n_bytes, COMMAND_ANSWER_MAX);
	c.key[KEY_OFFSET] = COMMAND_ANSWER_MAX;
	assert_int_equal(ask(&r, "nvme0", 0, c).n_bytes, 70000 - COMMAND_ANSWER_MAX);
	replay_free(&r);
}

/* NSID 0 and FFFFFFFFh mean the same for the logs of a controller, but for the health log. */
static void a_log_without_namespace_is_that_of_all(void **state)
{
	struct replay r = { 0 };
	struct command c = command_default(COMMAND_NVME_LOG);

	add(&r, "x", "drive-capture 1\ntransport nvme\ncontroller nvme0\n> nvme-log id=02\n01\n> nvme-log id=09 lsi=01\n02\n"
		     "> nvme-log id=03 nsid=00\n03\n> nvme-log id=06 nsid=01\n04\n");
	c.key[KEY_ID] = 0x09;
	c.key[KEY_LSI] = 1;
	c.key[KEY_NSID] = 0;
	assert_int_equal(ask(&r, "nvme0", 0, c).n_bytes, 1);
	assert_int_equal(buffer[0], 2);
	c.key[KEY_LSI] = 2;
	assert_int_equal(ask(&r, "nvme0", 0, c).fail.code, 0x001);
	c = command_default(COMMAND_NVME_LOG);
	c.key[KEY_ID] = 0x03;
	assert_int_equal(ask(&r, "nvme0", 0, c).n_bytes, 1);
	c.key[KEY_ID] = 0x06;
	assert_int_equal(ask(&r, "nvme0", 0, c).fail.code, 0x001);
	c.key[KEY_ID] = 0x02;
	c.key[KEY_NSID] = 0;
	assert_int_equal(ask(&r, "nvme0", 0, c).fail.code, 0x001);
	replay_free(&r);
}

static void a_log_page_is_answered_from_a_parameter_on(void **state)
{
	struct replay r = { 0 };
	struct replay_answer a;

	add(&r, "x", "drive-capture 1\ntransport scsi\ndevice sda\n> log-sense page=02\n02 00 00 0f\n00 00 03 01 aa\n"
		     "00 05 03 01 bb\n80 09 03 01 cc\n> log-sense page=03 parameter=05\n77\n> log-sense page=06\n06 00\n"
		     "> log-sense page=05\n05 00 00 06\n00 00 03 ff 00\n");
	a = ask(&r, "sda", 0, command(COMMAND_LOG_SENSE, 2, 0, 5));
	assert_int_equal(a.n_bytes, 14);
	assert_memory_equal(buffer, "\x02\x00\x00\x0a\x00\x05\x03\x01\xbb\x80\x09\x03\x01\xcc", 14);
	a = ask(&r, "sda", 0, command(COMMAND_LOG_SENSE, 2, 0, 6));
	assert_memory_equal(buffer, "\x02\x00\x00\x05\x80\x09\x03\x01\xcc", 9);
	assert_int_equal(ask(&r, "sda", 0, command(COMMAND_LOG_SENSE, 2, 0, 0x800a)).fail.code, 0x052400);
	assert_int_equal(first_byte(&r, "sda", 0, command(COMMAND_LOG_SENSE, 3, 0, 5)), 0x77);
	assert_int_equal(ask(&r, "sda", 0, command(COMMAND_LOG_SENSE, 6, 0, 5)).n_bytes, 2);	/* torn, as the drive said it */
	assert_int_equal(ask(&r, "sda", 0, command(COMMAND_LOG_SENSE, 5, 0, 5)).n_bytes, 9);
	replay_free(&r);
}

static void drives_leave_come_back_and_take_turns(void **state)
{
	struct replay r = { 0 };
	AUTO_TEXT error = TEXT_LIMIT(1000);
	const char *third = "drive-capture 1\ntransport scsi\ndevice sda\n@ 25\nabsent\n";
	size_t drive, node;
	uint64_t seq;

	add(&r, "a/old", "drive-capture 1\ntransport scsi\ndevice sda\n> inquiry\n01\n@ 10\nabsent\n@ 30\npresent\n");
	add(&r, "b/new", "drive-capture 1\ntransport scsi\ndevice sda\n> inquiry\n02\n@ 0\nabsent\n@ 20\npresent\n@ 30\nabsent\n");
	assert_int_equal(first_byte(&r, "sda", 9, command(COMMAND_INQUIRY, VPD_NONE, 0, 0)), 1);
	assert_false(replay_owner(&r, "sda", 10, &drive, &node));
	assert_int_equal(first_byte(&r, "sda", 20, command(COMMAND_INQUIRY, VPD_NONE, 0, 0)), 2);
	assert_int_equal(first_byte(&r, "sda", 30, command(COMMAND_INQUIRY, VPD_NONE, 0, 0)), 1);
	seq = replay_diskseq(&r, 0, 0, 0);
	assert_true(seq && replay_diskseq(&r, 0, 0, 15) == seq);
	assert_true(replay_diskseq(&r, 0, 0, 30) != seq);
	assert_true(replay_diskseq(&r, 1, 0, 20) != seq && replay_diskseq(&r, 1, 0, 20) != replay_diskseq(&r, 0, 0, 30));
	assert_false(replay_add(&r, capture_parse(third, strlen(third), "c/third", &error), &error));
	assert_string_equal(error.at, "c/third: sda is the drive of a/old already, which is present at the same time\n");
	replay_free(&r);
}

static void keys_are_unique(void **state)
{
	struct replay r = { 0 };

	add(&r, "a/x.capture", "drive-capture 1\ntransport scsi\ndevice sda\n");
	add(&r, "b/x.capture", "drive-capture 1\ntransport scsi\ndevice sdb\n");
	assert_string_equal(r.drives[0].key, "x.capture");
	assert_string_equal(r.drives[1].key, "x.capture#2");
	replay_free(&r);
}

static void a_capture_that_nobody_could_ask_is_left_out(void **state)
{
	struct replay r = { 0 };
	AUTO_TEXT error = TEXT_LIMIT(1000);
	const char *text = "drive-capture 1\ntransport scsi\n> inquiry\n00\n";

	assert_false(replay_add(&r, capture_parse(text, strlen(text), "x", &error), &error));
	assert_non_null(strstr(error.at, "x: it has neither a device nor a controller line"));
	replay_free(&r);
}

static void the_inventory_is_that_of_its_moment(void **state)
{
	struct replay r = { .start_real_us = 1700000000000000 };
	struct inventory_drive *d;

	add(&r, "n", "drive-capture 1\ntransport nvme\ndevice nvme3n1\nsize 77\nlogical-block 4096\nrotational 0\n"
		     "devpath /devices/x/nvme/nvme3/nvme3n1\nstat 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n"
		     "sysfs a\\x20b one\nsysfs c two\n@ 5\nsysfs a\\x20b three\nstat 9\n@ 8\nabsent\n@ 9\npresent\n");
	d = replay_inventory(&r, 0, 0);
	assert_non_null(d);
	assert_int_equal(d->n_devices, 2);
	assert_string_equal(d->devices[1].name, "nvme3");
	assert_true(d->devices[1].is_controller);
	assert_string_equal(d->devices[1].devpath, "/devices/x/nvme/nvme3");
	assert_int_equal(d->time_s, 1700000000);
	assert_int_equal(d->devices[0].size, 77);
	assert_int_equal(d->devices[0].n_stat, INVENTORY_STAT);
	assert_string_equal(inventory_sysfs(&d->devices[0], "a b"), "one");
	inventory_free(d);
	d = replay_inventory(&r, 0, 5);
	assert_string_equal(inventory_sysfs(&d->devices[0], "a b"), "three");
	assert_string_equal(inventory_sysfs(&d->devices[0], "c"), "two");
	assert_int_equal(d->devices[0].n_stat, 1);
	assert_int_equal(d->devices[0].stat[0], 9);
	assert_int_equal(d->time_s, 1700000005);
	inventory_free(d);
	d = replay_inventory(&r, 0, 8);
	assert_false(d->is_present);
	inventory_free(d);
	replay_free(&r);
}

/* Thousands of sections, in no order: each moment is answered out of the latest that has begun. */
static void a_life_is_answered_by_its_sections(void **state)
{
	enum { SECTIONS = 4001, STEP = 1234 };		/* without a common divisor */
	struct command sense = command(COMMAND_REQUEST_SENSE, 0, 0, 0), inquiry = command(COMMAND_INQUIRY, VPD_NONE, 0, 0);
	struct replay r = { 0 };
	AUTO_TEXT t = TEXT_LIMIT(1 << 20);
	uint64_t seq;

	text_add(&t, "drive-capture 1\ntransport scsi\ndevice sda\ndevice sdb\n> inquiry\n07\n");
	for (unsigned i = 0; i < SECTIONS; i++) {
		unsigned day = i * STEP % SECTIONS;

		text_addf(&t, "@ %u\n> request-sense\n%02x %02x\n", day * 86400, day >> 8, day & 0xff);
		if (day % 100 == 50)
			text_addf(&t, "%s\n", day % 200 == 50 ? "absent" : "present");
		if (day % 1000 == 570)
			text_addf(&t, "path sdb\n> request-sense\nee\n> request-sense\nef\n");
	}
	add(&r, "x", t.at);
	assert_int_equal(r.drives[0].n_moments, 40);	/* sections that hold answers alone tell nothing new of the drive */
	seq = replay_diskseq(&r, 0, 0, 0);
	for (unsigned day = 0; day < SECTIONS; day++) {
		bool is_present = day < 50 || (day - 50) / 100 % 2;
		uint64_t at_s = day * UINT64_C(86400);

		assert_int_equal(replay_is_present(&r.drives[0], at_s), is_present);
		assert_int_equal(replay_is_present(&r.drives[0], at_s + 86399), is_present);
		if (!is_present)
			continue;
		assert_int_equal(first_byte(&r, "sda", at_s + 86399, sense), day >> 8);
		assert_int_equal(buffer[1], day & 0xff);
		assert_int_equal(first_byte(&r, "sda", at_s, inquiry), 7);
		assert_int_equal(first_byte(&r, "sdb", at_s, sense), day < 570 ? day >> 8 : day % 1000 == 570 ? 0xee : 0xef);
		assert_true(day < 150 || replay_diskseq(&r, 0, 0, at_s) > seq);
		seq = day % 200 == 149 ? replay_diskseq(&r, 0, 0, at_s) : seq;
	}
	replay_free(&r);
}

static int n_inventories, n_ends;

static void count(void *to, const uint8_t *message, size_t n)
{
	enum wire_type type;

	assert_int_equal(wire_get_type(bytes_of(message, n), &type), 0);
	n_inventories += type == WIRE_INVENTORY;
	n_ends += type == WIRE_INVENTORY_END;
}

static void the_client_is_told_all_and_then_what_changes(void **state)
{
	struct replay r = { 0 };

	add(&r, "a", "drive-capture 1\ntransport scsi\ndevice sda\n@ 10\nabsent\n@ 3000\npresent\n");
	add(&r, "b", "drive-capture 1\ntransport scsi\ndevice sdb\n@ 5\n> inquiry\n00\n");	/* tells nothing new of itself */
	replay_start(&r, clock_monotonic_us());
	n_inventories = n_ends = 0;
	replay_tell(&r, true, count, NULL);
	assert_int_equal(n_inventories, 2);
	assert_int_equal(n_ends, 1);
	assert_in_range(replay_next_event_ms(&r), 9000, 10000);
	r.start_steady_us -= 10500000;				/* ten seconds later */
	assert_int_equal(replay_next_event_ms(&r), 0);
	replay_tell(&r, false, count, NULL);
	assert_int_equal(n_inventories, 3);
	assert_int_equal(n_ends, 1);
	assert_in_range(replay_next_event_ms(&r), 2980000, 2990000);
	r.start_steady_us -= 3000000000;
	replay_tell(&r, false, count, NULL);
	assert_int_equal(n_inventories, 4);
	assert_int_equal(replay_next_event_ms(&r), -1);
	replay_free(&r);
}

/* Sections come as much sooner as the clock runs faster, and a wait for one is never too short. */
static void sections_come_by_the_clock_of_the_replay(void **state)
{
	struct wire_request q = { .node = "sda", .command = command(COMMAND_INQUIRY, VPD_NONE, 0, 0) };
	struct wire_reply reply = { 0 };
	struct replay r = { 0 };
	uint64_t start_us = clock_monotonic_us();
	int wait_ms;

	add(&r, "a", "drive-capture 1\ntransport scsi\ndevice sda\n> inquiry\n~ 3000\n01\n@ 86400\n> inquiry\n02\n@ 100000000\nabsent\n");
	clock_run(86400, start_us, UINT64_C(43200000000));		/* half a day in */
	replay_start(&r, start_us);
	n_inventories = 0;
	replay_tell(&r, true, count, NULL);
	assert_int_equal(n_inventories, 1);
	wait_ms = replay_next_event_ms(&r);
	assert_in_range(wait_ms, 1150000, 1157000);			/* 1157.4 days */
	assert_true(clock_steady_from(clock_monotonic_us() + (uint64_t)wait_ms * 1000) - start_us >= 99999999 * UINT64_C(1000000));
	replay_answer(&r, &q, buffer, &reply);
	assert_int_equal(reply.bytes[0], 1);
	assert_in_range(reply.duration_us, 3000, 400000);		/* really */
	assert_true(reply.started_us >= r.start_real_us + INT64_C(43200000000));
	usleep(510000);
	reply = (struct wire_reply){ 0 };
	replay_answer(&r, &q, buffer, &reply);
	assert_int_equal(reply.bytes[0], 2);
	assert_true(reply.started_us >= r.start_real_us + INT64_C(86400000000));
	clock_run(CLOCK_SPEED_MAX, start_us, UINT64_C(99999900000000));	/* 100 s before, which are 10 us */
	usleep(1000);
	assert_int_equal(replay_next_event_ms(&r), 0);
	replay_tell(&r, false, count, NULL);
	assert_int_equal(n_inventories, 2);
	assert_int_equal(replay_next_event_ms(&r), -1);
	clock_run(1, 0, 0);
	replay_free(&r);
}

static void requests_are_answered_with_the_disks_number(void **state)
{
	struct replay r = { 0 };
	struct wire_request q = { .node = "sda", .command = command(COMMAND_INQUIRY, VPD_NONE, 0, 0) };
	struct wire_reply reply = { 0 };

	add(&r, "a", "drive-capture 1\ntransport scsi\ndevice sda\n> inquiry\n~ 2000\n01 02\n@ 60\nabsent\n");
	replay_start(&r, clock_monotonic_us());
	replay_answer(&r, &q, buffer, &reply);
	assert_int_equal(reply.verdict, WIRE_ANSWERED);
	assert_int_equal(reply.n_bytes, 2);
	assert_true(reply.diskseq == replay_diskseq(&r, 0, 0, 0));
	assert_true(reply.duration_us >= 2000);
	assert_true(reply.started_us >= r.start_real_us);
	q.diskseq = reply.diskseq;
	reply = (struct wire_reply){ 0 };
	replay_answer(&r, &q, buffer, &reply);
	assert_int_equal(reply.verdict, WIRE_ANSWERED);
	q.diskseq++;
	reply = (struct wire_reply){ 0 };
	replay_answer(&r, &q, buffer, &reply);
	assert_int_equal(reply.verdict, WIRE_OTHER_DISK);
	text_copy(q.node, sizeof q.node, "sdz");
	reply = (struct wire_reply){ 0 };
	replay_answer(&r, &q, buffer, &reply);
	assert_int_equal(reply.fail.code, ENODEV);
	text_copy(q.node, sizeof q.node, "sda");
	q.diskseq = 0;
	r.start_steady_us -= 61000000;
	reply = (struct wire_reply){ 0 };
	replay_answer(&r, &q, buffer, &reply);
	assert_int_equal(reply.fail.kind, FAIL_KIND_ERRNO);
	assert_int_equal(reply.fail.code, ENODEV);
	replay_free(&r);
}

static void a_hosts_phys_have_one_child(void **state)
{
	struct replay r = { 0 };
	struct wire_request q = { .node = "sda", .command = command(COMMAND_HOST_PHYS, 0, 0, 0) };
	char child[NODE_NAME_MAX];

	add(&r, "a", "drive-capture 1\ntransport scsi\ndevice sda\ndevpath /devices/pci0/hostile/host12/port-12:0/block/sda\n");
	add(&r, "b", "drive-capture 1\ntransport scsi\ndevice sdb\n");
	replay_start(&r, clock_monotonic_us());
	assert_int_equal(replay_child_for(&r, &q, child), 0);
	assert_string_equal(child, "host12");
	text_copy(q.node, sizeof q.node, "sdb");
	replay_child_for(&r, &q, child);
	assert_string_equal(child, "host-sdb");
	q.command = command(COMMAND_INQUIRY, VPD_NONE, 0, 0);
	replay_child_for(&r, &q, child);
	assert_string_equal(child, "sdb");
	replay_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_come_in_order_and_the_last_stays),
		cmocka_unit_test(each_path_answers_for_itself),
		cmocka_unit_test(the_place_in_successive_answers_is_the_nodes_own),
		cmocka_unit_test(what_is_lacking_is_not_known_to_the_drive),
		cmocka_unit_test(an_ata_log_is_joined_from_single_pages),
		cmocka_unit_test(an_nvme_log_is_cut_from_the_whole),
		cmocka_unit_test(a_log_without_namespace_is_that_of_all),
		cmocka_unit_test(a_log_page_is_answered_from_a_parameter_on),
		cmocka_unit_test(drives_leave_come_back_and_take_turns),
		cmocka_unit_test(keys_are_unique),
		cmocka_unit_test(a_capture_that_nobody_could_ask_is_left_out),
		cmocka_unit_test(the_inventory_is_that_of_its_moment),
		cmocka_unit_test(a_life_is_answered_by_its_sections),
		cmocka_unit_test(the_client_is_told_all_and_then_what_changes),
		cmocka_unit_test(sections_come_by_the_clock_of_the_replay),
		cmocka_unit_test(requests_are_answered_with_the_disks_number),
		cmocka_unit_test(a_hosts_phys_have_one_child),
	};

	return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
