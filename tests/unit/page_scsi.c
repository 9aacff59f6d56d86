/* page/: SCSI log pages, INQUIRY, vital product data, READ CAPACITY(16). */
#include "page_common.h"

#include <math.h>
#include <string.h>

#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof (const uint8_t[]){ __VA_ARGS__ }

static const struct drive_facts blank;

/* A page with parameters 0000h to 0006h of eight bytes, each field of it at 1. */
enum { PARAMS = 7, PARAM_BYTES = 12, MADE_BYTES = 4 + PARAMS * PARAM_BYTES };

static size_t place_of(const struct page_field *field)
{
	return 4 + field->param * PARAM_BYTES + 4 + (field->width ? field->at + field->width - 1u : 7);
}

static void make_page(const struct page *page, uint8_t raw[MADE_BYTES])
{
	memset(raw, 0, MADE_BYTES);
	raw[0] = (uint8_t)page->command.key[KEY_PAGE];
	raw[3] = MADE_BYTES - 4;
	for (size_t i = 0; i < PARAMS; i++) {
		raw[4 + i * PARAM_BYTES + 1] = (uint8_t)i;
		raw[4 + i * PARAM_BYTES + 3] = PARAM_BYTES - 4;
	}
	for (size_t i = 0; i < page->n_fields; i++)
		raw[place_of(&page->fields[i])] = 1;
}

static const struct {
	const struct page *page;
	size_t value;		/* bytes of a parameter, by the standard; counters: 8 as made here */
} log_pages[] = {
	{ &scsi_write_errors, 8 }, { &scsi_read_errors, 8 }, { &scsi_verify_errors, 8 }, { &scsi_non_medium_errors, 8 },
	{ &scsi_temperature, 2 }, { &scsi_solid_state, 4 }, { &scsi_informational_exceptions, 8 },
};

static void log_rows_stand_apart_and_move_alone(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(log_pages); i++) {
		const struct page *page = log_pages[i].page;
		uint8_t raw[MADE_BYTES];

		make_page(page, raw);
		fields_are_within_and_apart(page, log_pages[i].value);
		each_field_moves_its_sample(page, raw, sizeof raw, place_of);
		every_truncation_is_refused(page, raw, sizeof raw);
	}
}

static void log_pages_fail_alone_and_say_why(void **state)
{
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(log_pages); i++) {
		const struct page *page = log_pages[i].page;
		uint8_t raw[MADE_BYTES + 3];	/* three bytes of padding */

		make_page(page, raw);
		assert_false(failed(decode_exactly(page, raw, sizeof raw, &blank, &c)));
		raw[0] ^= 1;
		assert_failed(decode_exactly(page, raw, sizeof raw, &blank, &c), "answered with another page");
		raw[0] ^= 0x41;
		raw[1] = 1;
		assert_failed(decode_exactly(page, raw, sizeof raw, &blank, &c), "answered with another page");
		raw[0] ^= 0xc0;		/* not SPF, so that byte 1 is reserved; DS */
		assert_false(failed(decode_exactly(page, raw, sizeof raw, &blank, &c)));
		raw[3]++;
		assert_failed(decode_exactly(page, raw, sizeof raw, &blank, &c), "parameter runs past the page");
		raw[3] = MADE_BYTES;
		assert_failed(decode_exactly(page, raw, sizeof raw, &blank, &c), "shorter than its header says");
		raw[3] = 0;
		assert_failed(decode_exactly(page, raw, sizeof raw, &blank, &c), "empty");
		assert_int_equal(c.set.n, 0);
	}
	collect_end(&c);
}

static void counters_may_have_any_length(void **state)
{
	struct collect c;

	collect_begin(&c);
	assert_false(failed(decode_exactly(&scsi_write_errors, BYTES(
		0x02, 0, 0, 58,
		0, 0, 2, 1, 7,
		0, 1, 2, 2, 1, 0,
		0, 2, 2, 3, 1, 0, 0,
		0, 6, 2, 0,
		0, 5, 2, 8, 0, 0, 0x12, 0x66, 0xf5, 0xac, 0x50, 0,
		0, 3, 2, 16, 9, 9, 9, 9, 9, 9, 9, 9, 0, 0, 0, 0, 0, 0, 1, 2,
		0x80, 9, 2, 0), &blank, &c)));
	assert_sample(&c, 7, drive_corrected_errors_total, "write", "ecc_fast");
	assert_sample(&c, 256, drive_corrected_errors_total, "write", "ecc_delayed");
	assert_sample(&c, 65536, drive_corrected_errors_total, "write", "retry");
	assert_sample(&c, 20233417674752, drive_written_bytes_total);
	assert_sample(&c, 258, drive_scsi_corrected_errors_total, "write");	/* the last eight bytes */
	assert_no_sample(&c, drive_uncorrected_errors_total, "write");		/* no value */
	assert_no_sample(&c, drive_scsi_correction_runs_total, "write");	/* no parameter */
	collect_end(&c);
}

static void saturated_counters_are_absent(void **state)
{
	struct collect c;

	collect_begin(&c);
	assert_false(failed(decode_exactly(&scsi_read_errors, BYTES(
		0x03, 0, 0, 29,
		0, 0, 2, 4, 0xff, 0xff, 0xff, 0xff,
		0, 1, 2, 4, 0xff, 0xff, 0xff, 0xfe,
		0, 5, 2, 1, 0xff,
		0, 6, 2, 4, 0, 0, 0, 0), &blank, &c)));
	assert_no_sample(&c, drive_corrected_errors_total, "read", "ecc_fast");
	assert_sample(&c, 4294967294, drive_corrected_errors_total, "read", "ecc_delayed");
	assert_no_sample(&c, drive_read_bytes_total, NULL);
	assert_sample(&c, 0, drive_uncorrected_errors_total, "read");
	assert_false(failed(decode_exactly(&scsi_non_medium_errors, BYTES(0x06, 0, 0, 6, 0, 0, 2, 2, 0xff, 0xff), &blank, &c)));
	assert_int_equal(c.set.n, 0);
	collect_end(&c);
}

static void a_parameter_told_twice_counts_once(void **state)
{
	struct collect c;

	collect_begin(&c);
	assert_false(failed(decode_exactly(&scsi_non_medium_errors, BYTES(
		0x06, 0, 0, 10, 0, 0, 2, 1, 3, 0, 0, 2, 1, 4), &blank, &c)));
	assert_sample(&c, 3, drive_scsi_non_medium_errors_total);
	collect_end(&c);
}

static void temperatures_not_available_are_absent(void **state)
{
	struct collect c;

	collect_begin(&c);
	assert_false(failed(decode_exactly(&scsi_temperature, BYTES(
		0x0d, 0, 0, 12, 0, 0, 3, 2, 0, 0xff, 0, 1, 3, 2, 0, 0xff), &blank, &c)));
	assert_int_equal(c.set.n, 0);
	assert_false(failed(decode_exactly(&scsi_temperature, BYTES(
		0x0d, 0, 0, 12, 0, 0, 3, 2, 0, 27, 0, 1, 3, 2, 0, 60), &blank, &c)));
	assert_sample(&c, 27, drive_temperature_celsius, "drive");
	assert_sample(&c, 60, drive_temperature_limit_celsius, "reference");
	assert_false(failed(decode_exactly(&scsi_temperature, BYTES(0x0d, 0, 0, 5, 0, 0, 3, 1, 0), &blank, &c)));
	assert_int_equal(c.set.n, 0);	/* a parameter too short for its value */
	collect_end(&c);
}

static void wear_of_page_11h_may_pass_one(void **state)
{
	static const struct { uint8_t percent; double ratio; } wears[] = {
		{ 0, 0 }, { 20, 0.2 }, { 42, 0.42 }, { 104, 1.04 }, { 0xff, 2.55 },
	};
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(wears); i++) {
		assert_false(failed(decode_exactly(&scsi_solid_state, BYTES(
			0x11, 0, 0, 8, 0, 1, 3, 4, 0, 0, 0, wears[i].percent), &blank, &c)));
		assert_sample(&c, wears[i].ratio, drive_endurance_used_ratio);
	}
	collect_end(&c);
}

static void only_a_predicted_failure_is_one(void **state)
{
	static const struct { uint8_t asc, ascq; bool is_failing; const char *hex[2]; } codes[] = {
		{ 0x00, 0x00, false, { "00", "00" } }, { 0x5d, 0x00, true, { "5d", "00" } },
		{ 0x5d, 0x32, true, { "5d", "32" } }, { 0x5d, 0x73, false, { "5d", "73" } },
		{ 0x5d, 0xff, false, { "5d", "ff" } }, { 0x0b, 0x01, false, { "0b", "01" } },
	};
	struct collect c;

	collect_begin(&c);
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		assert_false(failed(decode_exactly(&scsi_informational_exceptions, BYTES(
			0x2f, 0, 0, 12, 0, 0, 3, 8, codes[i].asc, codes[i].ascq, 41, 70, 0, 0, 0, 0), &blank, &c)));
		assert_sample(&c, codes[i].is_failing, drive_warning, "smart_failing", "fatal");
		assert_sample(&c, 1, drive_scsi_informational_exception, codes[i].hex[0], codes[i].hex[1]);
		assert_sample(&c, 41, drive_temperature_celsius, "drive");
		assert_int_equal(c.set.n, 3 + (codes[i].asc && codes[i].ascq != 0xff));	/* and why, in words */
	}
	collect_end(&c);
}

static void exceptions_tell_what_they_have_bytes_for(void **state)
{
	struct collect c;

	collect_begin(&c);
	assert_false(failed(decode_exactly(&scsi_informational_exceptions, BYTES(
		0x2f, 0, 0, 7, 0, 0, 3, 3, 0, 0, 38), &blank, &c)));
	assert_int_equal(c.set.n, 3);
	assert_false(failed(decode_exactly(&scsi_informational_exceptions, BYTES(
		0x2f, 0, 0, 6, 0, 0, 3, 2, 0, 0), &blank, &c)));
	assert_int_equal(c.set.n, 2);
	assert_false(failed(decode_exactly(&scsi_informational_exceptions, BYTES(0x2f, 0, 0, 5, 0, 0, 3, 1, 0), &blank, &c)));
	assert_int_equal(c.set.n, 0);
	assert_false(failed(decode_exactly(&scsi_informational_exceptions, BYTES(
		0x2f, 0, 0, 8, 0, 1, 3, 4, 0x5d, 0x53, 0, 0), &blank, &c)));
	assert_int_equal(c.set.n, 0);	/* a vendor's parameter alone */
	collect_end(&c);
}

static void unknown_temperatures_of_exceptions_are_absent(void **state)
{
	struct collect c;

	collect_begin(&c);
	for (unsigned unknown = 0; unknown <= 0xff; unknown += 0xff) {
		assert_false(failed(decode_exactly(&scsi_informational_exceptions, BYTES(
			0x2f, 0, 0, 8, 0, 0, 3, 4, 0, 0, (uint8_t)unknown, 0), &blank, &c)));
		assert_no_sample(&c, drive_temperature_celsius, "drive");
		assert_sample(&c, 0, drive_warning, "smart_failing", "fatal");
	}
	collect_end(&c);
}

static void the_temperature_page_ranks_above_exceptions(void **state)
{
	assert_true(scsi_temperature.fields[0].rank > scsi_informational_exceptions.fields[0].rank);
}

/* ---- lists of log pages */

#define LEARN(page, facts, ...) learn_exactly(page, BYTES(__VA_ARGS__), facts)

static void both_lists_of_log_pages_add_up(void **state)
{
	static struct drive_facts facts;

	facts = (struct drive_facts){ .scsi_version = 6 };
	assert_false(scsi_temperature.is_offered(&scsi_temperature, &facts));
	assert_false(scsi_log_list_with_subpages.is_offered(&scsi_log_list_with_subpages, &facts));
	assert_false(failed(LEARN(&scsi_log_list, &facts, 0, 0, 0, 4, 0, 0x02, 0x0d, 0x2f)));
	assert_true(scsi_log_list_with_subpages.is_offered(&scsi_log_list_with_subpages, &facts));
	assert_true(scsi_temperature.is_offered(&scsi_temperature, &facts));
	assert_false(scsi_solid_state.is_offered(&scsi_solid_state, &facts));

	/* only what the first did not list (Samsung), and FFh for the lists of each page (HGST) */
	assert_false(failed(LEARN(&scsi_log_list_with_subpages, &facts,
		0x40, 0xff, 0, 10, 0x0d, 0x01, 0x0d, 0xff, 0x11, 0x00, 0x03, 0xff, 0x05, 0x01, 0, 0, 0)));
	assert_true(scsi_solid_state.is_offered(&scsi_solid_state, &facts));
	assert_true(scsi_temperature.is_offered(&scsi_temperature, &facts));
	assert_false(scsi_read_errors.is_offered(&scsi_read_errors, &facts));
	assert_true(facts_bit(facts.log_subpages[0x0d], 1));
	assert_false(scsi_verify_errors.is_offered(&scsi_verify_errors, &facts));	/* a subpage of it only */
	assert_false(facts_bit(facts.log_subpages[0x0d], 0xff));
	facts.scsi_version = 5;
	assert_false(scsi_log_list_with_subpages.is_offered(&scsi_log_list_with_subpages, &facts));
}

static void a_list_without_spf_is_told_from_the_plain_one(void **state)
{
	static struct drive_facts facts;

	facts = (struct drive_facts){ .scsi_version = 6 };
	assert_false(failed(LEARN(&scsi_log_list, &facts, 0, 0, 0, 4, 0, 0x02, 0x0d, 0x2f)));
	assert_failed(LEARN(&scsi_log_list_with_subpages, &facts, 0, 0xff, 0, 4, 0, 0x02, 0x0d, 0x2f), "answered with another page");
	assert_failed(LEARN(&scsi_log_list_with_subpages, &facts, 0x40, 0, 0, 4, 0, 0x02, 0x0d, 0x2f), "answered with another page");
	assert_false(facts_bit(facts.log_subpages[0], 2));
	assert_false(failed(LEARN(&scsi_log_list_with_subpages, &facts, 0, 0, 0, 6, 0, 0, 0, 0xff, 0x19, 0)));
	assert_true(facts_bit(facts.log_pages, 0x19));
	assert_false(failed(LEARN(&scsi_log_list_with_subpages, &facts, 0, 0xff, 0, 4, 0, 0, 0x0d, 0)));
}

static void broken_lists_of_log_pages_are_refused(void **state)
{
	static struct drive_facts facts;

	facts = (struct drive_facts){ .scsi_version = 6 };
	every_truncation_is_refused(&scsi_log_list, BYTES(0, 0, 0, 4, 0, 0x02, 0x0d, 0x2f));
	every_truncation_is_refused(&scsi_log_list_with_subpages, BYTES(0x40, 0xff, 0, 4, 0, 0, 0x0d, 1));
	assert_failed(LEARN(&scsi_log_list, &facts, 0, 0, 0, 0), "empty");
	assert_failed(LEARN(&scsi_log_list, &facts, 2, 0, 0, 1, 0), "answered with another page");
	assert_failed(LEARN(&scsi_log_list_with_subpages, &facts, 0x40, 0xff, 0, 3, 0, 0, 2), "ends within an entry");
	assert_memory_equal(&facts, &(struct drive_facts){ .scsi_version = 6 }, sizeof facts);
}

/* ---- identity */

static void make_inquiry(uint8_t raw[36])
{
	memset(raw, 0, 36);
	raw[2] = 6;
	raw[4] = 31;
	memcpy(raw + 8, "SEAGATE ST400FM0053     0A07", 28);
}

static void inquiry_says_who_the_drive_is(void **state)
{
	struct drive_facts facts = { 0 };
	uint8_t raw[36];

	make_inquiry(raw);
	every_truncation_is_refused(&scsi_inquiry, raw, sizeof raw);
	assert_false(failed(learn_exactly(&scsi_inquiry, raw, sizeof raw, &facts)));
	assert_string_equal(facts.vendor, "SEAGATE");
	assert_string_equal(facts.model, "ST400FM0053");
	assert_string_equal(facts.firmware, "0A07");
	assert_int_equal(facts.scsi_version, 6);
	assert_int_equal(facts.rpm, -1);
	facts.rpm = 0;		/* learned from page B1h, which is not asked again */
	assert_false(failed(learn_exactly(&scsi_inquiry, raw, sizeof raw, &facts)));
	assert_int_equal(facts.rpm, 0);
}

static void other_devices_are_no_disks(void **state)
{
	static const uint8_t others[] = { 0x05, 0x01, 0x0d, 0x1e, 0x1f, 0x20, 0x7f };
	struct drive_facts facts = { 0 };
	uint8_t raw[36];

	make_inquiry(raw);
	for (size_t i = 0; i < sizeof others; i++) {
		raw[0] = others[i];
		assert_failed(learn_exactly(&scsi_inquiry, raw, sizeof raw, &facts), "not a disk");
	}
	assert_string_equal(facts.model, "");
	for (size_t i = 0; i < 3; i++) {
		raw[0] = (const uint8_t[]){ 0x07, 0x0e, 0x14 }[i];	/* optical memory, RBC, a zoned disk */
		assert_false(failed(learn_exactly(&scsi_inquiry, raw, sizeof raw, &facts)));
	}
}

static void serials_are_trimmed_and_bounded(void **state)
{
	struct drive_facts facts = { 0 };
	uint8_t raw[4 + 200] = { 0, 0x80, 0, 200 };

	every_truncation_is_refused(&scsi_vpd_serial, BYTES(0, 0x80, 0, 5, ' ', 'A', 'B', 0, ' '));
	assert_false(failed(LEARN(&scsi_vpd_serial, &facts, 0, 0x80, 0, 5, ' ', 'A', 'B', 0, ' ', 'x')));
	assert_string_equal(facts.serial, "AB");
	assert_false(failed(LEARN(&scsi_vpd_serial, &facts, 0, 0x80, 0, 3, 'A', 0, 0xff)));
	assert_string_equal(facts.serial, "A \xff");
	memset(raw + 4 + 100, 'z', 100);
	assert_false(failed(learn_exactly(&scsi_vpd_serial, raw, sizeof raw, &facts)));
	assert_int_equal(strlen(facts.serial), 64);
	assert_false(failed(LEARN(&scsi_vpd_serial, &facts, 0, 0x80, 0, 0)));
	assert_string_equal(facts.serial, "");
	assert_failed(LEARN(&scsi_vpd_serial, &facts, 0, 0x83, 0, 1, 'A'), "answered with another page");
}

#define NAME(association_type, ...) 0x61, association_type, 0, 8, __VA_ARGS__
#define VPD83(length, ...) LEARN(&scsi_vpd_identification, &facts, 0, 0x83, 0, length, __VA_ARGS__)

static void the_world_wide_name_is_the_logical_units(void **state)
{
	struct drive_facts facts = { 0 };

	every_truncation_is_refused(&scsi_vpd_identification,
				    BYTES(0, 0x83, 0, 12, NAME(0x03, 0x50, 0, 0xcc, 0xa5, 0xbd, 0x77, 0xf7, 0xa8)));
	assert_false(failed(VPD83(52, NAME(0x93, 0x50, 0, 0xcc, 0xa5, 0xbd, 0x77, 0xf7, 0xa9),	/* target port */
		0x02, 0x01, 0, 0,	/* T10 vendor */
		NAME(0x02, 1, 2, 3, 4, 5, 6, 7, 8), NAME(0x03, 0x50, 0, 0xcc, 0xa5, 0xbd, 0x77, 0xf7, 0xa8),
		NAME(0xa3, 0x50, 0, 0xcc, 0xa5, 0xbd, 0x77, 0xf7, 0xab))));
	assert_string_equal(facts.wwn, "5000cca5bd77f7a8");
	assert_true(facts.is_sas);
	assert_false(failed(VPD83(24, NAME(0x03, 0, 0, 0, 0, 0, 0, 0, 0), NAME(0x02, 1, 2, 3, 4, 5, 6, 7, 0xff))));
	assert_string_equal(facts.wwn, "01020304050607ff");	/* EUI-64, for want of an NAA */
	assert_false(facts.is_sas);		/* the protocol is told by a port, with PIV */
	assert_false(failed(VPD83(20, 1, 3, 0, 16, 0x60, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)));
	assert_string_equal(facts.wwn, "600102030405060708090a0b0c0d0e0f");
	assert_failed(VPD83(11, 1, 3, 0, 8, 1, 2, 3, 4, 5, 6, 7), "descriptor runs past the page");
	assert_string_equal(facts.wwn, "600102030405060708090a0b0c0d0e0f");
	assert_false(failed(VPD83(12, NAME(0x03, 0, 0, 0, 0, 0, 0, 0, 0))));
	assert_string_equal(facts.wwn, "");
	assert_false(failed(VPD83(24, NAME(0x03, 0x50, 0, 0, 0, 0, 0, 0, 1), NAME(0x03, 0x50, 0, 0, 0, 0, 0, 0, 2))));
	assert_string_equal(facts.wwn, "5000000000000001");	/* the first */
	assert_false(failed(VPD83(5, 1, 3, 0, 1, 0x50)));	/* no name has one byte */
	assert_string_equal(facts.wwn, "");
}

static void rotation_and_form_factor_come_from_page_b1h(void **state)
{
	static const struct { uint8_t raw[4]; int32_t rpm; const char *form_factor; } drives[] = {
		{ { 0x00, 0x01, 0, 3 }, 0, "2.5in" }, { { 0x1c, 0x20, 0, 2 }, 7200, "3.5in" },
		{ { 0x00, 0x00, 0, 0 }, -1, NULL }, { { 0x00, 0x02, 0, 1 }, -1, "5.25in" },
		{ { 0x04, 0x00, 0, 4 }, -1, "1.8in" }, { { 0x04, 0x01, 0, 0xf5 }, 1025, "<1.8in" },
		{ { 0xff, 0xff, 0, 6 }, -1, NULL },
	};
	struct drive_facts facts = { 0 };

	every_truncation_is_refused(&scsi_vpd_characteristics, BYTES(0, 0xb1, 0, 4, 0, 1, 0, 3));
	assert_failed(LEARN(&scsi_vpd_characteristics, &facts, 0, 0xb1, 0, 3, 0, 1, 0, 3), "shorter than its fields");
	for (size_t i = 0; i < ARRAY_SIZE(drives); i++) {
		const uint8_t *d = drives[i].raw;

		assert_false(failed(LEARN(&scsi_vpd_characteristics, &facts, 0, 0xb1, 0, 4, d[0], d[1], d[2], d[3])));
		assert_int_equal(facts.rpm, drives[i].rpm);
		if (drives[i].form_factor)
			assert_string_equal(facts.form_factor, drives[i].form_factor);
		else
			assert_null(facts.form_factor);
	}
}

static void pages_of_product_data_are_asked_as_listed(void **state)
{
	struct drive_facts facts = { 0 };

	assert_true(scsi_vpd_serial.is_offered(&scsi_vpd_serial, &facts));
	assert_true(scsi_vpd_characteristics.is_offered(&scsi_vpd_characteristics, &facts));
	every_truncation_is_refused(&scsi_vpd_list, BYTES(0, 0, 0, 3, 0, 0x80, 0x83));
	assert_failed(LEARN(&scsi_vpd_list, &facts, 0, 0, 0, 0), "empty");
	assert_false(failed(LEARN(&scsi_vpd_list, &facts, 0, 0, 0, 3, 0, 0x80, 0x83, 0xb1)));	/* B1h: padding */
	assert_true(scsi_vpd_serial.is_offered(&scsi_vpd_serial, &facts));
	assert_true(scsi_vpd_identification.is_offered(&scsi_vpd_identification, &facts));
	assert_false(scsi_vpd_characteristics.is_offered(&scsi_vpd_characteristics, &facts));
}

static void standard_inquiry_data_is_no_product_data(void **state)
{
	struct drive_facts facts = { 0 };
	uint8_t raw[36];

	make_inquiry(raw);
	assert_true(failed(learn_exactly(&scsi_vpd_list, raw, sizeof raw, &facts)));
	assert_true(failed(learn_exactly(&scsi_vpd_serial, raw, sizeof raw, &facts)));
	assert_memory_equal(&facts, &blank, sizeof facts);
}

static void capacity_is_blocks_times_their_size(void **state)
{
	struct drive_facts facts = { .transport = TRANSPORT_SCSI };
	struct collect c;

	every_truncation_is_refused(&scsi_read_capacity, BYTES(0, 0, 0, 0, 0x5d, 0x26, 0xce, 0xaf, 0, 0, 2, 0));
	assert_false(failed(LEARN(&scsi_read_capacity, &facts, 0, 0, 0, 0, 0x5d, 0x26, 0xce, 0xaf, 0, 0, 2, 0, 0, 3)));
	assert_int_equal(facts.logical_block, 512);
	collect_begin(&c);
	facts_samples(&facts, &c.sink);
	assert_sample(&c, 800166076416, drive_capacity_bytes);
	assert_sample(&c, 512, drive_logical_block_bytes);
	assert_sample(&c, 4096, drive_physical_block_bytes);
	assert_int_equal(c.set.n, 3);
	assert_failed(LEARN(&scsi_read_capacity, &facts, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 2, 0),
		      "no drive is that large");
	assert_failed(LEARN(&scsi_read_capacity, &facts, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0), "no drive is that large");
	assert_int_equal(facts.logical_block, 512);
	assert_false(failed(LEARN(&scsi_read_capacity, &facts, 0, 0, 0, 0, 0x5d, 0x26, 0xce, 0xaf, 0, 0, 0, 0)));
	sample_set_clear(&c.set);
	facts_samples(&facts, &c.sink);
	assert_int_equal(c.set.n, 0);
	collect_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log_rows_stand_apart_and_move_alone),
		cmocka_unit_test(log_pages_fail_alone_and_say_why),
		cmocka_unit_test(counters_may_have_any_length),
		cmocka_unit_test(saturated_counters_are_absent),
		cmocka_unit_test(a_parameter_told_twice_counts_once),
		cmocka_unit_test(temperatures_not_available_are_absent),
		cmocka_unit_test(wear_of_page_11h_may_pass_one),
		cmocka_unit_test(only_a_predicted_failure_is_one),
		cmocka_unit_test(exceptions_tell_what_they_have_bytes_for),
		cmocka_unit_test(unknown_temperatures_of_exceptions_are_absent),
		cmocka_unit_test(the_temperature_page_ranks_above_exceptions),
		cmocka_unit_test(both_lists_of_log_pages_add_up),
		cmocka_unit_test(a_list_without_spf_is_told_from_the_plain_one),
		cmocka_unit_test(broken_lists_of_log_pages_are_refused),
		cmocka_unit_test(inquiry_says_who_the_drive_is),
		cmocka_unit_test(other_devices_are_no_disks),
		cmocka_unit_test(serials_are_trimmed_and_bounded),
		cmocka_unit_test(the_world_wide_name_is_the_logical_units),
		cmocka_unit_test(rotation_and_form_factor_come_from_page_b1h),
		cmocka_unit_test(pages_of_product_data_are_asked_as_listed),
		cmocka_unit_test(standard_inquiry_data_is_no_product_data),
		cmocka_unit_test(capacity_is_blocks_times_their_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
