/* IDENTIFY DEVICE (ACS, IDENTIFY DEVICE data): 256 little-endian words that say who the drive is and what it offers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "page/page.h"
#include "page/pages.h"

enum {
	IDENTIFY_BYTES = 512,
	ATA_BLOCK = 512,	/* a logical sector, where word 106 tells no other */
	ATA_BLOCK_MAX = 1 << 16,
	MODEL_AND_FIRMWARE = 23 * 2, MODEL_AND_FIRMWARE_BYTES = 24 * 2,	/* words 23 to 46 */
};

static uint64_t words(struct bytes in, size_t first, size_t n)
{
	struct bytes at = bytes_at(in, first * 2, n * 2);

	return bytes_le(&at, n * 2);
}

static uint16_t word(struct bytes in, size_t number)
{
	return (uint16_t)words(in, number, 1);
}

static bool has_bit(struct bytes in, size_t number, unsigned bit)
{
	return word(in, number) >> bit & 1;
}

/* Some words count only where their bits 15:14 are 01b (or those of the last word of their group). */
static bool is_valid(struct bytes in, size_t number)
{
	return word(in, number) >> 14 == 1;
}

/* Strings stand with the bytes of each word swapped. */
static void swapped_text(struct bytes in, size_t first, size_t n_words, char *text)
{
	uint8_t raw[40];

	for (size_t i = 0; i < n_words; i++) {
		raw[2 * i] = (uint8_t)(word(in, first + i) >> 8);
		raw[2 * i + 1] = (uint8_t)word(in, first + i);
	}
	facts_text(bytes_of(raw, n_words * 2), text, n_words * 2 + 1);
}

static uint32_t logical_block(struct bytes in)
{
	uint64_t bytes;

	if (!is_valid(in, 106) || !has_bit(in, 106, 12))
		return ATA_BLOCK;
	bytes = words(in, 117, 2) * 2;
	return bytes >= ATA_BLOCK && bytes <= ATA_BLOCK_MAX ? (uint32_t)bytes : 0;
}

/* Word 106 bits 3 to 0: the exponent of logical sectors in a physical one. */
static uint32_t physical_block(struct bytes in, uint32_t logical)
{
	if (!is_valid(in, 106))
		return 0;
	return has_bit(in, 106, 13) ? logical << (word(in, 106) & 0xf) : logical;
}

/* The larger count; one that makes more bytes than a number holds is none. */
static uint64_t larger(uint64_t sectors, uint64_t n, uint32_t block)
{
	return n > sectors && n <= UINT64_MAX / block ? n : sectors;
}

enum { SECTORS_28_BITS = 0x0fffffff };

/* The largest of the three counts of sectors: each smaller one is cut at what it can hold. Word 69 bit 3 (ACS-3): the
 * extended number of user addressable sectors is supported. */
static uint64_t capacity(struct bytes in, uint32_t block)
{
	uint64_t sectors = words(in, 60, 2);
	bool is_cut = sectors >= SECTORS_28_BITS;

	if (!block)
		return 0;
	if (is_valid(in, 83) && has_bit(in, 83, 10)) {
		sectors = larger(sectors, words(in, 100, 4), block);
		if (has_bit(in, 69, 3))
			sectors = larger(sectors, words(in, 230, 4), block);
		if (is_cut && sectors <= SECTORS_28_BITS)	/* there are more, but it does not say how many */
			return 0;
	}
	return sectors * block;
}

/* Words 108 to 111 are one number, the most significant word first. */
static void wwn(struct bytes in, char *text, size_t size)
{
	uint64_t name = 0;

	*text = 0;
	if (!is_valid(in, 87) || !has_bit(in, 87, 8))
		return;
	for (size_t i = 0; i < 4; i++)
		name = name << 16 | word(in, 108 + i);
	if (name && name != UINT64_MAX)
		snprintf(text, size, "%016" PRIx64, name);
}

/* ACS, NOMINAL MEDIA ROTATION RATE: 0401h to FFFEh are revolutions a minute. */
static int32_t rpm(struct bytes in)
{
	uint16_t rate = word(in, 217);

	if (rate == 1)
		return 0;
	return rate > 0x400 && rate < 0xffff ? rate : -1;
}

static const char *form_factor(struct bytes in)
{
	static const char *const names[] = { NULL, "5.25in", "3.5in", "2.5in", "1.8in", "below 1.8in", "mSATA", "M.2" };
	size_t code = word(in, 168) & 0xf;

	return word(in, 168) != 0xffff && code < ARRAY_SIZE(names) ? names[code] : NULL;
}

/* Serial ATA, words 76 to 79: a parallel drive has none of them. */
static bool is_sata(struct bytes in)
{
	return word(in, 76) != 0 && word(in, 76) != 0xffff;
}

/* The words 85 to 87 say what is enabled and count since ATA-4; a drive older than that has word 82 alone, and before
 * ATA-3 not even that: it is not asked, since a command it does not know counts as its error. */
static void features(struct bytes in, struct drive_facts *facts)
{
	bool tells_supported = is_valid(in, 83), tells_enabled = is_valid(in, 87);
	uint16_t logs = is_valid(in, 84) ? word(in, 84) : 0;

	if (tells_enabled)
		logs = is_valid(in, 84) ? logs & word(in, 87) : word(in, 87);
	facts->has_smart = tells_supported && has_bit(in, 82, 0) && (!tells_enabled || has_bit(in, 85, 0));
	facts->has_smart_error_log = facts->has_smart && (logs & 1);
	facts->has_smart_self_test_log = facts->has_smart && (logs & 2);
	facts->has_smart_log = facts->has_smart_error_log || facts->has_smart_self_test_log;
	facts->has_gp_log = (logs >> 5 & 1) && !ata_meaning_forbids_log_directory(facts->model, facts->firmware);
	facts->has_sct = word(in, 206) != 0xffff && has_bit(in, 206, 0);
	facts->has_phy_events = is_sata(in) && has_bit(in, 76, 10);
}

static struct fail learn(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	struct bytes all = bytes_take(&in, IDENTIFY_BYTES);
	char model[41];

	if (all.torn || in.left)
		return fail_format(page->name, "is not 512 bytes");
	if (bytes_all(all, 0) || bytes_all(all, 0xff))
		return fail_format(page->name, "empty");
	swapped_text(all, 27, 20, model);
	if (!*model)
		return fail_format(page->name, "names no model");

	/* The checksum of word 255 is not judged: drives are in use (and in our test data) whose bridge or firmware
	 * changed a word and left the checksum. */
	if (memcmp(facts->identify + MODEL_AND_FIRMWARE, all.at + MODEL_AND_FIRMWARE, MODEL_AND_FIRMWARE_BYTES))
		memset(facts->attribute_ids, 0, sizeof facts->attribute_ids);	/* their names go with the model */
	memcpy(facts->identify, all.at, IDENTIFY_BYTES);
	facts->has_identify = true;
	memcpy(facts->model, model, sizeof facts->model);
	swapped_text(all, 10, 10, facts->serial);
	swapped_text(all, 23, 4, facts->firmware);
	wwn(all, facts->wwn, sizeof facts->wwn);
	facts->form_factor = form_factor(all);
	facts->rpm = rpm(all);
	facts->logical_block = logical_block(all);
	facts->physical_block = physical_block(all, facts->logical_block);
	facts->capacity_bytes = capacity(all, facts->logical_block);
	features(all, facts);
	return OK;
}

/* ---- the link, and what it takes */

/* Serial ATA, signaling speed: generation 1 to 3. */
static const double speeds[] = { 0, 1.5e9, 3e9, 6e9 };

static void link_put(struct sample_sink *to, uint16_t family, size_t generation)
{
	if (generation > 0 && generation < ARRAY_SIZE(speeds))
		page_put(to, family, "0", "drive", speeds[generation]);
}

static size_t highest_generation(struct bytes in)
{
	size_t generation = ARRAY_SIZE(speeds) - 1;

	while (generation > 0 && !has_bit(in, 76, (unsigned)generation))	/* bit 1 is generation 1 */
		generation--;
	return generation;
}

static struct fail decode(const struct page *page, struct bytes in, const struct drive_facts *facts,
			  struct sample_sink *to)
{
	if (in.left != IDENTIFY_BYTES)
		return fail_format(page->name, "is not 512 bytes");
	if (is_sata(in)) {
		link_put(to, drive_link_speed_bits_per_second, word(in, 77) >> 1 & 7);
		link_put(to, drive_link_speed_max_bits_per_second, highest_generation(in));
	}
	if (word(in, 169) != 0xffff)
		page_put(to, drive_ata_trim_supported, NULL, NULL, has_bit(in, 169, 0));
	return OK;
}

static const struct page_told told[] = {
	{ drive_logical_block_bytes, "ACS-4, IDENTIFY DEVICE data, words 106, 117 and 118" },
	{ drive_physical_block_bytes, "ACS-4, IDENTIFY DEVICE data, word 106 bits 3:0" },
	{ drive_rotation_rate_rpm, "ACS-4, IDENTIFY DEVICE data, word 217" },
	{ drive_link_speed_bits_per_second, "ACS-4, IDENTIFY DEVICE data, word 77 bits 3:1" },
	{ drive_link_speed_max_bits_per_second, "ACS-4, IDENTIFY DEVICE data, word 76 bits 3:1" },
	{ drive_ata_trim_supported, "ACS-4, IDENTIFY DEVICE data, word 169 bit 0" },
};

const struct page ata_identify = {
	.name = "IDENTIFY DEVICE",
	.transport = TRANSPORT_ATA,
	.command = { COMMAND_ATA_IDENTIFY, { 0 } },
	.period_s = 3600,
	.is_identity = true,
	.learn = learn,
	.decode = decode,
	.told = told,
	.n_told = ARRAY_SIZE(told),
};
