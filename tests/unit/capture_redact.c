/* capture/: what tells one drive from all others is replaced wherever it stands, and nothing else is. */
#include "unit.h"

#include <ctype.h>
#include <string.h>

#include "capture/capture.h"

static struct capture *parse(const struct text *t)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	struct capture *c = capture_parse(t->at, t->length, "x", &error);

	if (!c)
		fail_msg("%s", error.at);
	return c;
}

static void add_bytes(struct text *t, const char *command, const void *bytes, size_t n)
{
	text_addf(t, "> %s\n", command);
	for (size_t i = 0; i < n; i++)
		text_addf(t, "%02x\n", ((const uint8_t *)bytes)[i]);
}

static const struct capture_answer *answer(const struct capture *c, const char *command)
{
	char text[COMMAND_TEXT_MAX];

	for (size_t i = 0; i < c->n_answers; i++)
		if (!strcmp(command_text(&c->answers[i].command, text), command))
			return &c->answers[i];
	fail_msg("no answer to %s", command);
	return NULL;
}

static const char *sysfs(const struct capture *c, const char *path)
{
	for (size_t i = 0; i < c->n_lines; i++)
		if (c->lines[i].kind == CAPTURE_SYSFS && c->lines[i].n_path == strlen(path) &&
		    !strncmp(c->lines[i].value, path, strlen(path)))
			return c->lines[i].value + strlen(path) + 1;
	fail_msg("no attribute %s", path);
	return NULL;
}

/* Same kinds of characters in the same places, and none of them what it was. */
static void assert_made_up(const void *before, const void *after, size_t n)
{
	const uint8_t *b = before, *a = after;

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(!isdigit(b[i]), !isdigit(a[i]));
		assert_int_equal(!isupper(b[i]), !isupper(a[i]));
		assert_true(isalnum(b[i]) ? a[i] != b[i] : a[i] == b[i]);
	}
}

static void swap(uint8_t *to, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i ^ 1] = (uint8_t)text[i];
}

static uint8_t sum(const uint8_t *sector)
{
	uint8_t total = 0;

	for (size_t i = 0; i < 512; i++)
		total += sector[i];
	return total;
}

static void an_ata_serial_number_goes_everywhere(void **state)
{
	static const char serial[] = "        WD-WX41A23B4567";	/* right-justified, as WDC does; it has odd length */
	uint8_t id[512] = { 0x40 }, log[512] = { 1 }, stats[512] = { 2 }, page83[4 + 4 + 68] = { 0, 0x83, 0, 72, 2, 1, 0, 68 };
	AUTO_TEXT t = TEXT_LIMIT(100000);
	char plain[21] = "";
	struct capture *c;
	const uint8_t *at;

	swap(id + 20, serial + 3, 20);
	swap(id + 54, "WDC WD40EFRX-68N32N0                    ", 40);
	memcpy(id + 216, "\x01\x50\x01\x50\x34\x12\x78\x56", 8);	/* words of 5001 5001 1234 5678 */
	id[510] = 0xa5;
	id[511] = (uint8_t)-sum(id);
	memcpy(log + 101, serial + 8, 15);			/* plain, at an odd place, with a checksum */
	log[511] = (uint8_t)-sum(log);
	memcpy(stats + 200, serial + 8, 15);			/* and without one */
	stats[511] = 0x77;
	memcpy(page83 + 8, "ATA     WDC WD40EFRX-68N32N0                    ", 48);
	memcpy(page83 + 56, serial + 3, 20);
	text_add(&t, "drive-capture 1\ntransport ata\ndevice sda\nsysfs device/wwid t10.ATA WDC_WD40EFRX-68N32N0 WD-WX41A23B4567\n"
		     "sysfs wwid naa.5001500112345678\n");
	add_bytes(&t, "ata-identify", id, 512);
	add_bytes(&t, "ata-smart-log address=e0", log, 512);
	add_bytes(&t, "ata-smart-log address=09", stats, 512);
	add_bytes(&t, "inquiry vpd=83", page83, sizeof page83);
	c = parse(&t);
	capture_redact(c);

	at = answer(c, "ata-identify")->bytes;
	for (size_t i = 0; i < 20; i++)
		plain[i] = (char)at[20 + (i ^ 1)];
	assert_made_up(serial + 3, plain, 20);
	assert_memory_equal(at + 54, id + 54, 40);			/* the model stays */
	assert_int_equal(sum(at), 0);
	assert_memory_equal(at + 216, id + 216, 2);			/* NAA 5 and the maker's number, up to its last digit */
	assert_int_equal(at[219], id[219]);
	assert_int_equal(at[218] >> 4, id[218] >> 4);
	assert_memory_not_equal(at + 218, id + 218, 6);
	assert_memory_equal(answer(c, "ata-smart-log address=e0")->bytes + 101, plain + 5, 15);
	assert_int_equal(sum(answer(c, "ata-smart-log address=e0")->bytes), 0);
	assert_memory_equal(answer(c, "ata-smart-log address=09")->bytes + 200, plain + 5, 15);
	assert_int_equal(answer(c, "ata-smart-log address=09")->bytes[511], 0x77);
	assert_memory_equal(answer(c, "inquiry vpd=83")->bytes + 56, plain, 20);
	assert_memory_equal(answer(c, "inquiry vpd=83")->bytes + 8, page83 + 8, 48);
	assert_memory_equal(sysfs(c, "device/wwid"), "t10.ATA WDC_WD40EFRX-68N32N0 ", 29);
	assert_memory_equal(sysfs(c, "device/wwid") + 29, plain + 5, 15);
	assert_memory_equal(sysfs(c, "wwid"), "naa.5001501", 10);
	assert_null(strstr(sysfs(c, "wwid"), "112345678"));
	capture_free(c);
}

static void sas_names_stay_siblings(void **state)
{
	static const uint8_t unit[] = { 0x50, 0x00, 0xc5, 0x00, 0x12, 0x34, 0x56, 0x78 };
	static const uint8_t host[] = { 0x50, 0x06, 0x05, 0xb0, 0x0a, 0xbb, 0xcc, 0xdd };
	uint8_t page83[] = { 0, 0x83, 0, 36, 1, 3, 0, 8, 0x50, 0x00, 0xc5, 0x00, 0x12, 0x34, 0x56, 0x78, 2, 8, 0, 20, 'n', 'a', 'a',
			     '.', '5', '0', '0', '0', 'C', '5', '0', '0', '1', '2', '3', '4', '5', '6', '7', 'B' };
	uint8_t page18[4 + 8 + 48] = { 0x18, 0, 0, 56, 0, 1, 3, 52, 6, 0, 0, 1 }, little[16] = { 0x3c, 0, 0, 12 };
	uint8_t page80[] = { 0, 0x80, 0, 20, 'Z', '1', 'Z', '0', 'A', 'B', 'C', 'D', '0', '0', '0', '0', 'C', '1', '2', '3',
			     '9', 'X', 'Y', 'Z' };
	uint8_t inquiry[60] = "\x00\x00\x06\x12\x37\x00\x00\x00" "SEAGATE ST800FM0043     0003Z1Z0ABCD";
	AUTO_TEXT t = TEXT_LIMIT(100000);
	const uint8_t *name, *phy;
	char spelled[32];
	struct capture *c;

	memcpy(page18 + 12 + 8, unit, 8);
	page18[12 + 15] = 0x79;
	memcpy(page18 + 12 + 16, host, 8);
	for (size_t i = 0; i < 8; i++)
		little[4 + i] = unit[7 - i];
	little[4] = 0x7a;			/* a third port, little-endian, in a page that nobody knows */
	text_add(&t, "drive-capture 1\ntransport scsi\ndevice sda\ndevpath /devices/port-0:0/expander-0:0\n"
		     "sysfs device/sas_address 0x5000c5001234567a\nsysfs eui 50 00 c5 00 12 34 56 78\n");
	add_bytes(&t, "inquiry", inquiry, sizeof inquiry);
	add_bytes(&t, "inquiry vpd=80", page80, sizeof page80);
	add_bytes(&t, "inquiry vpd=83", page83, sizeof page83);
	add_bytes(&t, "log-sense page=18", page18, sizeof page18);
	add_bytes(&t, "log-sense page=3c", little, sizeof little);
	c = parse(&t);
	capture_redact(c);

	name = answer(c, "inquiry vpd=83")->bytes + 8;
	assert_memory_equal(name, unit, 3);
	assert_int_equal(name[3] >> 4, unit[3] >> 4);
	assert_memory_not_equal(name + 4, unit + 4, 4);
	phy = answer(c, "log-sense page=18")->bytes + 12;
	assert_memory_equal(phy + 8, name, 7);
	assert_int_equal((phy[15] - name[7]) & 15, 1);			/* as far from its sibling as before */
	assert_memory_equal(phy + 16, host, 3);
	assert_memory_not_equal(phy + 20, host + 4, 4);
	for (size_t i = 1; i < 8; i++)
		assert_int_equal(answer(c, "log-sense page=3c")->bytes[4 + i], name[7 - i]);
	snprintf(spelled, sizeof spelled, "naa.%02X%02X%02X%02X%02X%02X%02X%X", name[0], name[1], name[2], name[3], name[4], name[5],
		 name[6], name[7] >> 4);
	assert_memory_equal(answer(c, "inquiry vpd=83")->bytes + 20, spelled, strlen(spelled));
	snprintf(spelled, sizeof spelled, "%02x %02x %02x %02x %02x %02x %02x %02x", name[0], name[1], name[2], name[3], name[4],
		 name[5], name[6], name[7]);
	assert_string_equal(sysfs(c, "eui"), spelled);
	assert_null(strstr(sysfs(c, "device/sas_address"), "1234567"));
	assert_made_up(page80 + 4, answer(c, "inquiry vpd=80")->bytes + 4, 20);
	/* The short number in INQUIRY is the beginning of the long one, before and after. */
	assert_memory_equal(answer(c, "inquiry")->bytes + 36, answer(c, "inquiry vpd=80")->bytes + 4, 8);
	assert_memory_equal(answer(c, "inquiry")->bytes, inquiry, 36);
	capture_free(c);
}

/* Some enclosures have the drive's serial number in what they call its place. */
static void an_enclosure_keeps_its_maker_and_its_slots(void **state)
{
	static const uint8_t page80[] = { 0, 0x80, 0, 8, 'Z', '1', 'Z', '0', 'A', 'B', 'C', 'D' };
	static const char id[] = "/sys/class/enclosure/0:0:24:0/id", link[] = "device/enclosure_device:SLOT 05,";
	AUTO_TEXT t = TEXT_LIMIT(10000), out = TEXT_LIMIT(10000), error = TEXT_LIMIT(1000);
	char component[16], path[64];
	struct capture *c, *again;

	text_add(&t, "drive-capture 1\ntransport scsi\ndevice sda\n"
		     "sysfs device/enclosure_device:SLOT\\x2005,Z1Z0ABCD /sys/class/enclosure/0:0:24:0/SLOT 05,Z1Z0ABCD\n"
		     "sysfs /sys/class/enclosure/0:0:24:0/SLOT\\x2005,Z1Z0ABCD/slot 5\n"
		     "sysfs /sys/class/enclosure/0:0:24:0/id 0x500304801e8a7b3f\n");
	add_bytes(&t, "inquiry vpd=80", page80, sizeof page80);
	c = parse(&t);
	capture_redact(c);
	capture_write(c, &out);
	again = capture_parse(out.at, out.length, "again", &error);
	if (!again)
		fail_msg("%s", error.at);
	assert_null(strstr(out.at, "Z1Z0ABCD"));
	assert_null(strstr(out.at, "1e8a7b3"));
	assert_memory_equal(sysfs(again, id), "0x5003048", 9);		/* NAA 5 and the maker's number */
	assert_int_equal(strlen(sysfs(again, id)), 18);
	assert_int_equal(strspn(sysfs(again, id) + 2, "0123456789abcdef"), 16);

	assert_memory_equal(again->lines[1].value, link, strlen(link));
	snprintf(component, sizeof component, "%.8s", again->lines[1].value + strlen(link));
	assert_made_up(page80 + 4, component, 8);
	assert_memory_equal(answer(again, "inquiry vpd=80")->bytes + 4, component, 8);
	snprintf(path, sizeof path, "/sys/class/enclosure/0:0:24:0/SLOT 05,%s/slot", component);
	assert_string_equal(sysfs(again, path), "5");			/* is found where the link leads */
	capture_free(again);
	capture_free(c);
}

static void nvme_names_go_and_the_model_stays(void **state)
{
	static const char nqn[] = "nqn.2014.08.org.nvmexpress:144d144dS4EVNF0M123456      Samsung SSD 970 EVO Plus 1TB";
	static uint8_t controller[4096], space[4096];
	AUTO_TEXT t = TEXT_LIMIT(1000000);
	const uint8_t *at;
	struct capture *c;

	memcpy(controller, "\x4d\x14\x4d\x14S4EVNF0M123456      Samsung SSD 970 EVO Plus 1TB            2B2QEXM7", 72);
	memcpy(controller + 73, "\x38\x25\x00", 3);		/* 00 25 38, little-endian */
	memcpy(controller + 768, nqn, sizeof nqn);
	memcpy(space + 104, "\x01\x02\x03\x04\x05\x06\x07\x08\x00\x25\x38\x11\x12\x13\x14\x15", 16);
	memcpy(space + 120, "\x00\x25\x38\x5a\x91\xb0\x01\x22", 8);
	text_add(&t, "drive-capture 1\ntransport nvme\ndevice nvme0n1\nsysfs eui 00 25 38 5a 91 b0 01 22\n"
		     "sysfs wwid nvme.144d-533445564e46304d313233343536-53616d-00000001\n"
		     "controller nvme0\nsysfs serial S4EVNF0M123456\nsysfs firmware_rev 2B2QEXM7\n");
	text_addf(&t, "sysfs subsysnqn %s\n", nqn);
	add_bytes(&t, "nvme-identify cns=01", controller, sizeof controller);
	add_bytes(&t, "nvme-identify nsid=01", space, sizeof space);
	c = parse(&t);
	capture_redact(c);

	at = answer(c, "nvme-identify cns=01")->bytes;
	assert_made_up("S4EVNF0M123456      ", at + 4, 20);
	assert_memory_equal(at + 24, controller + 24, 52);
	assert_memory_equal(at + 768 + 35, at + 4, 14);
	assert_memory_equal(at + 768, nqn, 27);
	assert_memory_equal(at + 768 + 49, nqn + 49, sizeof nqn - 49);
	assert_memory_equal(sysfs(c, "serial"), at + 4, 14);
	assert_string_equal(sysfs(c, "firmware_rev"), "2B2QEXM7");
	assert_memory_equal(sysfs(c, "subsysnqn"), nqn, 27);
	assert_null(strstr(sysfs(c, "subsysnqn"), "S4EVNF0M123456"));
	assert_null(strstr(sysfs(c, "wwid"), "533445564e46304d313233343536"));
	assert_memory_equal(sysfs(c, "wwid"), "nvme.144d-", 10);
	at = answer(c, "nvme-identify nsid=01")->bytes;
	assert_memory_equal(at + 120, space + 120, 3);
	assert_memory_not_equal(at + 123, space + 123, 5);
	assert_memory_equal(at + 112, space + 112, 3);			/* the maker's number in NGUID */
	assert_memory_not_equal(at + 104, space + 104, 8);
	assert_memory_not_equal(at + 115, space + 115, 5);
	assert_null(strstr(sysfs(c, "eui"), "5a 91 b0 01 22"));
	capture_free(c);
}

static void what_tells_nothing_stays(void **state)
{
	uint8_t id[512] = { 0x40 }, before[512];
	AUTO_TEXT t = TEXT_LIMIT(100000);
	struct capture *c;

	swap(id + 20, "00000000            ", 20);
	memcpy(before, id, 512);
	text_add(&t, "drive-capture 1\ntransport ata\ndevice sda\nsysfs serial 0123456789ABCDEF\n");
	add_bytes(&t, "ata-identify", id, 512);
	c = parse(&t);
	capture_redact(c);
	assert_memory_equal(answer(c, "ata-identify")->bytes, before, 512);
	assert_string_equal(sysfs(c, "serial"), "0123456789ABCDEF");
	capture_free(c);
}

/* A name whose bytes spell a part of the model: what replaces it there must still be text of a capture. */
static void a_line_stays_a_line(void **state)
{
	static const char text[] = "drive-capture 1\ntransport scsi\ndevice sda\nsysfs device/model PX04SRB192\n\n"
				   "> inquiry vpd=83\n00 83 00 0c 01 03 00 08 58 30 34 53 52 42 31 39\n";

	for (int i = 0; i < 50; i++) {
		AUTO_TEXT error = TEXT_LIMIT(200), out = TEXT_LIMIT(4096);
		struct capture *c = capture_parse(text, sizeof text - 1, "test", &error), *again;

		assert_non_null(c);
		capture_redact(c);
		capture_write(c, &out);
		assert_null(strstr(out.at, "PX04SRB192"));
		again = capture_parse(out.at, out.length, "again", &error);
		if (!again)
			fail_msg("%s in\n%s", error.at, out.at);
		capture_free(again);
		capture_free(c);
	}
}

static void every_redaction_is_another(void **state)
{
	uint8_t page80[] = { 0, 0x80, 0, 12, 'A', 'B', 'C', 'D', 'E', 'F', 'G', '1', '2', '3', '4', '7' };
	AUTO_TEXT t = TEXT_LIMIT(10000);
	struct capture *a, *b;

	text_add(&t, "drive-capture 1\ntransport scsi\ndevice sda\n");
	add_bytes(&t, "inquiry vpd=80", page80, sizeof page80);
	a = parse(&t);
	b = parse(&t);
	capture_redact(a);
	capture_redact(b);
	assert_memory_not_equal(a->answers[0].bytes + 4, b->answers[0].bytes + 4, 12);
	capture_free(a);
	capture_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ata_serial_number_goes_everywhere),
		cmocka_unit_test(sas_names_stay_siblings),
		cmocka_unit_test(an_enclosure_keeps_its_maker_and_its_slots),
		cmocka_unit_test(nvme_names_go_and_the_model_stays),
		cmocka_unit_test(what_tells_nothing_stays),
		cmocka_unit_test(a_line_stays_a_line),
		cmocka_unit_test(every_redaction_is_another),
	};

	return cmocka_run_group_tests_name("capture_redact", tests, NULL, NULL);
}
