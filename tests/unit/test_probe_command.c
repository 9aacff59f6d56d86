/* probe/: the vocabulary. What may be asked, and above all what may not. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "probe/command.h"

static bool allows(const struct command *c)
{
	const char *why = NULL;
	bool yes = command_is_allowed(c, &why);

	assert_true(yes ? !why : why && *why);	/* a refusal has a reason */
	return yes;
}

/* The rules between keys, so that one key's edges can be tried alone. */
static struct command plain(enum command_name name)
{
	struct command c = command_default(name);

	if (name == COMMAND_NVME_LOG)
		c.key[KEY_ID] = 0x02;
	if (name == COMMAND_MODE_SENSE)
		c.key[KEY_PAGE] = 0x1c;
	return c;
}

static bool is_bound_by_others(enum command_name name, int key, uint32_t value)
{
	if (name == COMMAND_NVME_LOG && (key == KEY_OFFSET || key == KEY_LENGTH))
		return value % 4 || (key == KEY_OFFSET && value >= 512);
	return name == COMMAND_ATA_LOG && key == KEY_LOG_PAGE && value > 0xffff;
}

static void every_command_is_found_by_its_name(void **state)
{
	enum command_name name;

	for (int i = 0; i < N_COMMANDS; i++) {
		assert_non_null(commands[i].name);
		assert_true(command_name_from_text(commands[i].name, &name));
		assert_int_equal(name, i);
	}
	assert_false(command_name_from_text("log-select", &name));
	assert_false(command_name_from_text("", &name));
}

static void every_listed_value_is_allowed_and_its_neighbours_are_not(void **state)
{
	for (int name = 0; name < N_COMMANDS; name++)
		for (int k = 0; k < COMMAND_KEYS && commands[name].key[k].name; k++) {
			const struct command_key *key = &commands[name].key[k];
			struct command c = plain(name);

			for (size_t r = 0; r < key->n_allowed; r++) {
				uint32_t first = key->allowed[r].first, last = key->allowed[r].last;

				assert_true(first <= last);
				if (r && key->allowed[r - 1].last != VPD_NONE)	/* ascending, with gaps */
					assert_true(first > key->allowed[r - 1].last + 1);
				c.key[k] = first;
				if (!is_bound_by_others(name, k, first))
					assert_true(allows(&c));
				c.key[k] = last;
				if (!is_bound_by_others(name, k, last))
					assert_true(allows(&c));
				c.key[k] = first - 1;
				if (first && c.key[k] != VPD_NONE)
					assert_false(allows(&c));
				c.key[k] = last + 1;
				if (last != UINT32_MAX)
					assert_false(allows(&c));
			}
		}
}

static void keys_that_a_command_lacks_must_be_zero(void **state)
{
	for (int name = 0; name < N_COMMANDS; name++)
		for (int k = 0; k < COMMAND_KEYS; k++) {
			struct command c = plain(name);

			if (commands[name].key[k].name)
				continue;
			c.key[k] = 1;
			assert_false(allows(&c));
		}
}

static void unknown_commands_are_refused_everywhere(void **state)
{
	struct command c = { .name = (enum command_name)N_COMMANDS };
	char text[COMMAND_TEXT_MAX];

	assert_false(allows(&c));
	assert_int_equal(command_answer_max(&c), 0);
	assert_string_equal(command_text(&c, text), "unknown");
	c.name = (enum command_name)0xffff;
	assert_false(allows(&c));
	assert_int_equal(command_key_index(c.name, "page"), -1);
}

static void logs_whose_reading_has_an_effect_are_refused(void **state)
{
	static const uint8_t nvme[] = { 0x04, 0x07, 0x08, 0x0a, 0x0c, 0x0d, 0x0e, 0x70, 0x80, 0xc1, 0xdf, 0xff };
	static const uint8_t ata[] = { 0x10, 0x15, 0x18, 0x24, 0x80, 0x9f, 0xa0, 0xc0, 0xe1 };
	static const uint8_t smart[] = { 0x10, 0x80, 0x9f, 0xa0, 0xdf, 0xe1 };
	static const uint8_t scsi[] = { 0x01, 0x0f, 0x12, 0x3f, 0x40, 0xff };
	struct command c;

	for (size_t i = 0; i < ARRAY_SIZE(nvme); i++) {
		c = plain(COMMAND_NVME_LOG);
		c.key[KEY_ID] = nvme[i];
		assert_false(allows(&c));
	}
	for (size_t i = 0; i < ARRAY_SIZE(ata); i++) {
		c = plain(COMMAND_ATA_LOG);
		c.key[KEY_ADDRESS] = ata[i];
		assert_false(allows(&c));
	}
	for (size_t i = 0; i < ARRAY_SIZE(smart); i++) {
		c = plain(COMMAND_ATA_SMART_LOG);
		c.key[KEY_SMART_ADDRESS] = smart[i];
		assert_false(allows(&c));
	}
	for (size_t i = 0; i < ARRAY_SIZE(scsi); i++) {
		c = plain(COMMAND_LOG_SENSE);
		c.key[KEY_PAGE] = scsi[i];
		assert_false(allows(&c));
	}
	c = plain(COMMAND_NVME_LOG);
	c.key[KEY_LSP] = 1;		/* would establish a context, or take a snapshot */
	assert_false(allows(&c));
}

static void the_pages_of_the_coming_issues_have_values(void **state)
{
	static const uint16_t log[][2] = { { 0x00, 0 }, { 0x00, 0xff }, { 0x02, 0 }, { 0x03, 0 }, { 0x05, 0 }, { 0x06, 0 },
		{ 0x0d, 0 }, { 0x0d, 1 }, { 0x0d, 2 }, { 0x0e, 0 }, { 0x0e, 1 }, { 0x10, 0 }, { 0x11, 0 }, { 0x15, 0 },
		{ 0x15, 1 }, { 0x18, 0 }, { 0x19, 0 }, { 0x19, 0x20 }, { 0x1a, 0 }, { 0x2f, 0 }, { 0x30, 0 },
		{ 0x37, 0 }, { 0x3c, 0 }, { 0x3e, 0 } };
	static const uint8_t ata[] = { 0x00, 0x03, 0x04, 0x07, 0x0c, 0x11, 0xa6 };
	static const uint8_t nvme[] = { 0x00, 0x01, 0x02, 0x03, 0x06, 0x09, 0x81, 0xc0, 0xc3, 0xca };
	static const uint8_t vpd[] = { 0x00, 0x80, 0x83, 0x86, 0x89, 0xb0, 0xb1, 0xb2 };
	struct command c;

	for (size_t i = 0; i < ARRAY_SIZE(log); i++) {
		c = plain(COMMAND_LOG_SENSE);
		c.key[KEY_PAGE] = log[i][0];
		c.key[KEY_SUBPAGE] = log[i][1];
		assert_true(allows(&c));
	}
	for (size_t i = 0; i < ARRAY_SIZE(ata); i++) {
		c = plain(COMMAND_ATA_LOG);
		c.key[KEY_ADDRESS] = ata[i];
		assert_true(allows(&c));
	}
	for (size_t i = 0; i < ARRAY_SIZE(nvme); i++) {
		c = plain(COMMAND_NVME_LOG);
		c.key[KEY_ID] = nvme[i];
		assert_true(allows(&c));
	}
	for (size_t i = 0; i < ARRAY_SIZE(vpd); i++) {
		c = plain(COMMAND_INQUIRY);
		c.key[KEY_VPD] = vpd[i];
		assert_true(allows(&c));
	}
}

static void rules_between_keys_hold(void **state)
{
	struct command c = plain(COMMAND_NVME_IDENTIFY);

	c.key[KEY_CNS] = 1;
	assert_true(allows(&c));
	c.key[KEY_IDENTIFY_NSID] = UINT32_MAX;	/* some controllers log an error for it */
	assert_false(allows(&c));
	c = plain(COMMAND_NVME_LOG);
	c.key[KEY_OFFSET] = 508;
	assert_true(allows(&c));
	assert_int_equal(command_answer_max(&c), 4);
	c.key[KEY_OFFSET] = 512;		/* past the 512 bytes of log 02h */
	assert_false(allows(&c));
	c.key[KEY_LENGTH] = 4;			/* who gives a length knows the log's size */
	assert_true(allows(&c));
	c.key[KEY_LENGTH] = 2;
	assert_false(allows(&c));
	c = plain(COMMAND_ATA_LOG);
	c.key[KEY_LOG_PAGE] = 0xffff;
	assert_true(allows(&c));
	c.key[KEY_COUNT] = 2;
	assert_false(allows(&c));
}

static void texts_are_as_in_captures(void **state)
{
	char text[COMMAND_TEXT_MAX];
	struct command c = command_default(COMMAND_INQUIRY);

	assert_string_equal(command_text(&c, text), "inquiry");
	c.key[KEY_VPD] = 0;
	assert_string_equal(command_text(&c, text), "inquiry vpd=00");
	c = command_default(COMMAND_LOG_SENSE);
	c.key[KEY_PAGE] = 0x0d;
	c.key[KEY_SUBPAGE] = 1;
	assert_string_equal(command_text(&c, text), "log-sense page=0d subpage=01");
	c = command_default(COMMAND_NVME_LOG);
	c.key[KEY_ID] = 2;
	assert_string_equal(command_text(&c, text), "nvme-log id=02");
	memset(c.key, 0xfe, sizeof c.key);	/* the longest there is */
	assert_non_null(strstr(command_text(&c, text), "uuid=fefefefe"));
}

/* Text to command and back, for each key at each edge of its values. */
static void every_text_reads_back(void **state)
{
	for (int name = 0; name < N_COMMANDS; name++)
		for (int k = 0; k < COMMAND_KEYS && commands[name].key[k].name; k++)
			for (size_t r = 0; r < commands[name].key[k].n_allowed; r++) {
				char text[COMMAND_TEXT_MAX], key[16];
				struct command c = command_default(name), back;
				const char *at;
				unsigned value;

				c.key[k] = commands[name].key[k].allowed[r].last;
				command_text(&c, text);
				back = command_default(name);
				at = strchr(text, ' ');
				while (at && sscanf(at, " %15[a-z]=%x", key, &value) == 2) {
					assert_in_range(command_key_index(name, key), 0, COMMAND_KEYS - 1);
					back.key[command_key_index(name, key)] = value;
					at = strchr(at + 1, ' ');
				}
				assert_true(command_is_equal(&c, &back));
			}
}

static void answers_fit_the_largest_message(void **state)
{
	struct command c = plain(COMMAND_ATA_LOG);

	for (int i = 0; i < N_COMMANDS; i++) {
		struct command any = plain(i);

		assert_in_range(command_answer_max(&any), 1, COMMAND_ANSWER_MAX);
		if (commands[i].fixed_length)
			assert_int_equal(command_answer_max(&any), commands[i].fixed_length);
	}
	c.key[KEY_COUNT] = 128;
	assert_int_equal(command_answer_max(&c), 65536);
	c.key[KEY_COUNT] = UINT32_MAX;		/* a stranger's, not yet judged */
	assert_int_equal(command_answer_max(&c), 65536);
	c = plain(COMMAND_NVME_LOG);
	c.key[KEY_ID] = 0x06;
	assert_int_equal(command_answer_max(&c), 564);
	c.key[KEY_LENGTH] = UINT32_MAX;
	assert_int_equal(command_answer_max(&c), 65536);
}

static void node_names_are_kernel_names(void **state)
{
	static const char *const good[] = { "sda", "sdaa", "sdzzz", "nvme0", "nvme10", "nvme0n1", "nvme12n34" };
	static const char *const bad[] = { "", "sd", "sda1", "sdA", "hda", "vda", "sg0", "nvme", "nvmen1", "nvme0n", "nvme0n1p1",
		"nvme00", "nvme0c0n1", "nvme01n1", "../sda", "sda/", "/dev/sda", "sda ", "sda\n", "nvme-fabrics", "loop0",
		"sdaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" };

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_true(node_name_is_valid(good[i]));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(node_name_is_valid(bad[i]));
}

static void transports_have_names(void **state)
{
	enum transport t;

	for (int i = 0; i < N_TRANSPORTS; i++) {
		assert_true(transport_from_name(transport_name(i), &t));
		assert_int_equal(t, i);
	}
	assert_false(transport_from_name("sas", &t));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_command_is_found_by_its_name),
		cmocka_unit_test(every_listed_value_is_allowed_and_its_neighbours_are_not),
		cmocka_unit_test(keys_that_a_command_lacks_must_be_zero),
		cmocka_unit_test(unknown_commands_are_refused_everywhere),
		cmocka_unit_test(logs_whose_reading_has_an_effect_are_refused),
		cmocka_unit_test(the_pages_of_the_coming_issues_have_values),
		cmocka_unit_test(rules_between_keys_hold),
		cmocka_unit_test(texts_are_as_in_captures),
		cmocka_unit_test(every_text_reads_back),
		cmocka_unit_test(answers_fit_the_largest_message),
		cmocka_unit_test(node_names_are_kernel_names),
		cmocka_unit_test(transports_have_names),
	};

	return cmocka_run_group_tests_name("probe: vocabulary", tests, NULL, NULL);
}
