/* The raw bytes of an attribute as a number. Formats are those of smartctl(8), option -v. */
#include <string.h>

#include "base/cleanup.h"
#include "page/drivedb.h"

/* The orders that hold where none is said. */
static const char order48[] = "543210", order56[] = "r543210", order64[] = "543210wv";

static const struct {
	const char *word, *order;
	uint8_t shift, bits;	/* of the main number; 0 bits: there is none */
	enum drivedb_unit unit;
} formats[N_DRIVEDB_FORMATS] = {
	[DRIVEDB_UNKNOWN] = { "", order48, 0, 0, DRIVEDB_BITS },
	[DRIVEDB_RAW8] = { "raw8", order48, 0, 0, DRIVEDB_BITS },
	[DRIVEDB_RAW16] = { "raw16", order48, 0, 0, DRIVEDB_BITS },
	[DRIVEDB_RAW48] = { "raw48", order48, 0, 64, DRIVEDB_COUNT },
	[DRIVEDB_RAW56] = { "raw56", order56, 0, 64, DRIVEDB_COUNT },
	[DRIVEDB_RAW64] = { "raw64", order64, 0, 64, DRIVEDB_COUNT },
	[DRIVEDB_HEX48] = { "hex48", order48, 0, 64, DRIVEDB_BITS },
	[DRIVEDB_HEX56] = { "hex56", order56, 0, 64, DRIVEDB_BITS },
	[DRIVEDB_HEX64] = { "hex64", order64, 0, 64, DRIVEDB_BITS },
	[DRIVEDB_RAW16_RAW16] = { "raw16(raw16)", order48, 0, 16, DRIVEDB_COUNT },
	[DRIVEDB_RAW16_AVG16] = { "raw16(avg16)", order48, 0, 16, DRIVEDB_COUNT },
	[DRIVEDB_RAW24_RAW8] = { "raw24(raw8)", order48, 0, 24, DRIVEDB_COUNT },
	[DRIVEDB_RAW24_DIV_RAW24] = { "raw24/raw24", order48, 24, 24, DRIVEDB_COUNT },
	[DRIVEDB_RAW24_DIV_RAW32] = { "raw24/raw32", order56, 32, 32, DRIVEDB_COUNT },
	[DRIVEDB_SEC2HOUR] = { "sec2hour", order48, 0, 64, DRIVEDB_SECONDS },
	[DRIVEDB_MIN2HOUR] = { "min2hour", order48, 0, 32, DRIVEDB_MINUTES },	/* above: not a part of it */
	[DRIVEDB_HALFMIN2HOUR] = { "halfmin2hour", order48, 0, 64, DRIVEDB_HALF_MINUTES },
	[DRIVEDB_MSEC24HOUR32] = { "msec24hour32", order56, 0, 32, DRIVEDB_HOURS },	/* above: milliseconds */
	[DRIVEDB_TEMPMINMAX] = { "tempminmax", order48, 0, 8, DRIVEDB_CELSIUS },
	[DRIVEDB_TEMP10X] = { "temp10x", order48, 0, 15, DRIVEDB_TENTHS_CELSIUS },
};

enum drivedb_unit drivedb_unit(enum drivedb_format format)
{
	return formats[format].unit;
}

const char *drivedb_format_name(enum drivedb_format format)
{
	return formats[format].word;
}

const char *drivedb_format_order(enum drivedb_format format)
{
	return formats[format].order;
}

enum drivedb_format drivedb_format_from(const char *word)
{
	for (size_t i = DRIVEDB_UNKNOWN + 1; i < N_DRIVEDB_FORMATS; i++)
		if (!strcmp(word, formats[i].word))
			return (enum drivedb_format)i;
	return DRIVEDB_UNKNOWN;
}

static uint8_t byte_named(const struct drivedb_bytes *in, char name)
{
	switch (name) {
	case 'r':
		return in->reserved;
	case 'v':
		return in->value;
	case 'w':
		return in->worst;
	case 'z':
		return 0;
	default:
		return in->raw[name - '0'];
	}
}

uint64_t drivedb_whole(const struct drivedb_attribute *a, const struct drivedb_bytes *in)
{
	uint64_t v = 0;

	for (const char *name = a->order; *name; name++)
		v = v << 8 | byte_named(in, *name);
	return v;
}

/* ---- temperatures */

enum {
	LOWEST_CELSIUS = -60, HIGHEST_CELSIUS = 120,	/* of extremes that are taken for such */
	ONCE_WARM_CELSIUS = 40,		/* a disk that counts how often it was too hot has been warmer than this */
};

/* Where the lowest and the highest temperature stand, in either order, by vendor. Byte 0 is the temperature
 * in each of them. A layout is one only if these bound the temperature, and all else is as said. */
static const struct layout {
	uint8_t zero;		/* bit per byte that is 0 */
	uint8_t extension;	/* bit per byte that repeats the sign of the one below */
	uint8_t extremes[2];	/* which bytes; both 0: there are none */
	int8_t at_least;	/* what the highest must be */
} layouts[] = {
	{ 0x3c, 0x02, { 0, 0 }, INT8_MIN },
	{ 0x30, 0x02, { 2, 3 }, INT8_MIN },
	{ 0x38, 0x00, { 1, 2 }, INT8_MIN },
	{ 0x00, 0x2a, { 2, 4 }, INT8_MIN },
	{ 0x00, 0x02, { 2, 3 }, ONCE_WARM_CELSIUS },	/* bytes 4 and 5 count */
};

static bool fits(const struct layout *l, const uint8_t b[6])
{
	int now = (int8_t)b[0], one = (int8_t)b[l->extremes[0]], other = (int8_t)b[l->extremes[1]];
	int low = one < other ? one : other, high = one < other ? other : one;

	for (size_t i = 0; i < 6; i++) {
		if (l->zero >> i & 1 && b[i])
			return false;
		if (l->extension >> i & 1 && b[i] != (b[i - 1] & 0x80 ? 0xff : 0))
			return false;
	}
	if (!l->extremes[1])
		return true;
	return LOWEST_CELSIUS <= low && low <= now && now <= high && high <= HIGHEST_CELSIUS && high >= l->at_least;
}

static bool read_celsius(uint64_t whole, int64_t *ret)
{
	uint8_t b[6];

	for (size_t i = 0; i < sizeof b; i++)
		b[i] = (uint8_t)(whole >> 8 * i);
	*ret = (int8_t)b[0];
	for (size_t i = 0; i < ARRAY_SIZE(layouts) && b[0] != 0xff; i++)	/* ffh: not measured, rather than -1 */
		if (fits(&layouts[i], b))
			return true;
	return false;
}

bool drivedb_raw(const struct drivedb_attribute *a, const struct drivedb_bytes *in, int64_t *ret_main)
{
	uint64_t whole = drivedb_whole(a, in), bits = formats[a->format].bits, v = whole >> formats[a->format].shift;

	*ret_main = 0;
	if (a->format == DRIVEDB_TEMPMINMAX)
		return read_celsius(whole, ret_main);
	if (a->format == DRIVEDB_TEMP10X && whole & 0x8000)
		return false;	/* whether that is a sign nobody says */
	if (bits == 0)
		return false;
	if (bits < 64)
		v &= (UINT64_C(1) << bits) - 1;
	*ret_main = (int64_t)(v & INT64_MAX);
	return v <= INT64_MAX;
}
