/* What every layout shares: a value's absence, its conversion into our unit, and its way into a sample. */
#include <string.h>

#include "page/page.h"

/* Our unit is raw * times / per + plus. A division rather than a factor, so that 42 percent is the double nearest to
 * 0.42 and prints so. Every whole number up to 2^53 stays exact, and data units up to 2^53 do too: 512,000 is 125 * 2^12. */
static const struct raw_scale {
	double times, per, plus;
} raw_scales[N_RAW_UNITS] = {
	[RAW_ONE] = { 1, 1, 0 },
	[RAW_PERCENT] = { 1, 100, 0 },
	[RAW_HUNDREDTH_PERCENT] = { 1, 10000, 0 },
	[RAW_MILLIONTHS] = { 1, 1000000, 0 },
	[RAW_CELSIUS] = { 1, 1, 0 },
	[RAW_KELVIN] = { 1, 1, -273 },
	[RAW_SECONDS] = { 1, 1, 0 },
	[RAW_MINUTES] = { 60, 1, 0 },
	[RAW_HOURS] = { 3600, 1, 0 },
	[RAW_NVME_DATA_UNITS] = { 512000, 1, 0 },
	[RAW_BILLIONS] = { 1000000000, 1, 0 },
	[RAW_32_MIB] = { 32 << 20, 1, 0 },
	[RAW_WATT_HOURS] = { 3600, 1, 0 },
	[RAW_1024TH_PERCENT] = { 1, 102400, 0 },
};

bool raw_convert(enum raw_unit unit, double raw, const struct drive_facts *facts, double *ret)
{
	const struct raw_scale *scale;

	if (unit == RAW_LOGICAL_BLOCKS) {
		*ret = raw * facts->logical_block;
		return facts->logical_block != 0;
	}
	scale = &raw_scales[unit];
	*ret = raw * scale->times / scale->per + scale->plus;
	return true;
}

static uint8_t top_byte(struct bytes raw, bool is_little_endian)
{
	return raw.at[is_little_endian ? raw.left - 1 : 0];
}

/* The most negative number: the top bit alone. */
static bool is_lowest(struct bytes raw, bool is_little_endian)
{
	size_t top = is_little_endian ? raw.left - 1 : 0;

	for (size_t i = 0; i < raw.left; i++)
		if (raw.at[i] != (i == top ? 0x80 : 0))
			return false;
	return true;
}

static bool raw_is_absent(enum raw_absent absent, struct bytes raw, bool is_little_endian)
{
	switch (absent) {
	case ABSENT_ONES:
		return bytes_all(raw, 0xff);
	case ABSENT_ZERO:
		return bytes_all(raw, 0);
	case ABSENT_ONES_OR_ZERO:
		return bytes_all(raw, 0xff) || bytes_all(raw, 0);
	case ABSENT_MIN:
		return is_lowest(raw, is_little_endian);
	case ABSENT_NEVER:
		break;
	}
	return false;
}

/* Little-endian numbers may have 128 bits (NVM Express); of a long SCSI counter the last 64 bits count, as bytes_be()
 * reads them. */
static double raw_number(struct bytes raw, bool is_signed, bool is_little_endian)
{
	size_t width = raw.left;
	bool is_negative = is_signed && width < 8 && top_byte(raw, is_little_endian) & 0x80;
	uint64_t low = is_little_endian ? bytes_le(&raw, width < 8 ? width : 8) : bytes_be(&raw, width);
	uint64_t high = bytes_le(&raw, raw.left);

	if (is_negative)
		low |= UINT64_MAX << 8 * width;
	if (is_signed)
		return (double)(int64_t)low;
	return (double)high * 0x1p64 + (double)low;
}

void page_field_put(const struct page_field *field, struct bytes value, bool is_little_endian,
		    const struct drive_facts *facts, struct sample_sink *to)
{
	struct sample s = { .family = field->family, .rank = field->rank };
	size_t width = field->width;
	struct bytes raw;

	if (!width && value.left > field->at)
		width = value.left - field->at;
	raw = bytes_at(value, field->at, width);
	if (raw.torn || !raw.left || raw_is_absent(field->absent, raw, is_little_endian))
		return;
	if (!raw_convert(field->unit, raw_number(raw, field->is_signed, is_little_endian), facts, &s.value))
		return;
	memcpy(s.label, field->label, sizeof s.label);
	sample_put(to, &s);
}

void page_put(struct sample_sink *to, uint16_t family, const char *label, const char *second, double value)
{
	sample_put(to, &(struct sample){ .family = family, .label = { label, second }, .value = value });
}
