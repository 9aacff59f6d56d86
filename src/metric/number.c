/* A double as the shortest decimal. Nearly all values are whole numbers, or have few decimals because they began as
 * micro- or milliseconds or as percent; those do without printf(). */
#include "metric/exposition.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *put_digits(char *to, uint64_t v)
{
	char digits[20];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		*to++ = digits[--n];
	*to = 0;
	return to;
}

/* Writes value, positive, if it is the nearest double to a decimal with up to six places. Millionths below 2^53 and
 * 10^6 are exact doubles, so their quotient is what strtod() makes of that decimal (IEEE 754, 5.1: correctly
 * rounded). Nothing shorter is the same double: doubles stand closer than 10^-6 there. Below 10^-4 an exponent is
 * shorter. */
static bool put_millionths(char *to, double value)
{
	static const double million = 1e6, exact = 9007199254740992;
	uint64_t v;

	if (value < 1e-4 || value * million >= exact - 1)
		return false;
	v = (uint64_t)(value * million + 0.5);
	if ((double)v / million != value)
		return false;
	to = put_digits(to, v / 1000000);
	*to++ = '.';
	v %= 1000000;
	for (uint64_t unit = 100000; v; v %= unit, unit /= 10)
		*to++ = (char)('0' + v / unit);
	*to = 0;
	return true;
}

char *exposition_number(double value, char out[EXPOSITION_NUMBER_MAX])
{
	static const double two_to_63 = 9223372036854775808.0;
	char *to = out;

	if (isnan(value))
		return strcpy(out, "NaN");
	if (isinf(value))
		return strcpy(out, value < 0 ? "-Inf" : "+Inf");
	if (value < 0)
		*to++ = '-';
	if (fabs(value) < two_to_63 && (double)(int64_t)value == value) {
		put_digits(to, (uint64_t)(int64_t)fabs(value));
		return out;
	}
	if (put_millionths(to, fabs(value)))
		return out;
	/* Every normal double survives 17 digits, and 15 digits always survive a double: the shortest is found from
	 * 15 on, trailing zeroes left out by %g. Subnormal ones hold fewer (5e-324 has one). */
	for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
		snprintf(out, EXPOSITION_NUMBER_MAX, "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			break;
	}
	return out;
}
