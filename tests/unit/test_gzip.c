/* Blocks compressed apart and stitched, in any order, are one member that zlib reads whole. */
#include "metric/gzip.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/text.h"
#include "unit.h"

enum { TEXT_MAX = 1 << 20 };

static void packer_freep(struct gzip_packer **p)
{
	gzip_packer_free(*p);
}

static void add_blocks(struct text *out, struct gzip_sum *sum, const struct gzip_block *block)
{
	text_add_bytes(out, block->bytes->bytes, block->bytes->n);
	gzip_sum_add(sum, block);
}

/* inflate() judges the CRC and the length, too. */
static void assert_unpacks(const struct text *packed, const struct text *expected)
{
	static char out[TEXT_MAX];
	z_stream z = { .next_in = (Bytef *)packed->at, .avail_in = (uInt)packed->length,
		       .next_out = (Bytef *)out, .avail_out = sizeof out };

	assert_int_equal(inflateInit2(&z, 16 + 15), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	assert_int_equal(sizeof out - z.avail_out, expected->length);
	assert_memory_equal(out, expected->at ? expected->at : "", expected->length);
	inflateEnd(&z);
}

static void stitch(const struct gzip_block *blocks, const char *const *texts, const size_t *order, size_t n)
{
	AUTO_TEXT packed = TEXT_LIMIT(0), expected = TEXT_LIMIT(0);
	struct gzip_sum sum = { 0 };
	unsigned char tail[GZIP_TAIL];

	text_add_bytes(&packed, gzip_head, GZIP_HEAD);
	for (size_t i = 0; i < n; i++) {
		add_blocks(&packed, &sum, &blocks[order[i]]);
		text_add(&expected, texts[order[i]]);
	}
	gzip_tail(&sum, tail);
	text_add_bytes(&packed, tail, GZIP_TAIL);
	assert_unpacks(&packed, &expected);
}

static void blocks_stand_in_any_order(void **state)
{
	CLEANUP(packer_freep) struct gzip_packer *p = gzip_packer_new();
	AUTO_TEXT lines = TEXT_LIMIT(0);
	struct gzip_block blocks[3];
	const char *texts[3] = { "a", "# EOF\n", NULL };
	const size_t orders[][6] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 1, 2, 2, 0, 0 } };

	for (int i = 0; i < 3000; i++)
		text_addf(&lines, "drive_power_cycles_total{drive=\"MODEL_%d\"} %d\n", i, i * i);
	texts[2] = lines.at;
	for (size_t i = 0; i < 3; i++) {
		struct iovec part = { (void *)(uintptr_t)texts[i], strlen(texts[i]) };

		assert_int_equal(gzip_pack(p, &part, 1, i == 1, &blocks[i]), 0);
		assert_int_equal(blocks[i].length, strlen(texts[i]));
	}
	assert_true(blocks[2].bytes->n < lines.length / 4);
	stitch(blocks, texts, orders[0], 3);
	stitch(blocks, texts, orders[1], 3);
	stitch(blocks, texts, orders[2], 6);
	stitch(blocks, texts, orders[0], 0);
	for (size_t i = 0; i < 3; i++)
		buffer_unref(blocks[i].bytes);
}

static void parts_of_a_block_are_one(void **state)
{
	CLEANUP(packer_freep) struct gzip_packer *p = gzip_packer_new();
	struct iovec parts[] = { { "# HELP a\n", 9 }, { "", 0 }, { "a 1\n", 4 } };
	const char *texts[] = { "# HELP a\na 1\n" };
	struct gzip_block block;

	for (int again = 0; again < 2; again++) {	/* the packer forgets what it had before */
		assert_int_equal(gzip_pack(p, parts, 3, again, &block), 0);
		stitch(&block, texts, (const size_t[]){ 0 }, 1);
		buffer_unref(block.bytes);
	}
}

/* What no compression makes smaller. */
static void noise_fits(void **state)
{
	CLEANUP(packer_freep) struct gzip_packer *p = gzip_packer_new();
	static char noise[200000];
	const char *texts[] = { noise };
	struct iovec part = { noise, sizeof noise - 1 };
	struct gzip_block block;
	unsigned x = 1;

	for (size_t i = 0; i < sizeof noise - 1; i++) {
		x = x * 1103515245 + 12345;
		noise[i] = (char)(x >> 16 | 1);
	}
	assert_int_equal(gzip_pack(p, &part, 1, true, &block), 0);
	stitch(&block, texts, (const size_t[]){ 0 }, 1);
	buffer_unref(block.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_stand_in_any_order),
		cmocka_unit_test(parts_of_a_block_are_one),
		cmocka_unit_test(noise_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
