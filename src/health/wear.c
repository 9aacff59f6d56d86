#include "health/wear.h"

#include <math.h>

static void put(struct sample_sink *to, enum metric_family_id family, const char *label, const char *second, const char *third,
		double value)
{
	struct sample s = { .family = (uint16_t)family, .label = { label, second, third }, .value = value };

	if (!isnan(value))
		sample_put(to, &s);
}

static void put_rated(const struct rated *r, struct sample_sink *to)
{
	static const char *const ops[RATED_OPS] = { "read", "write" };
	const char *where = r->temperature_where ? r->temperature_where : "";

	put(to, drive_rated_endurance_bytes, NULL, NULL, NULL, r->endurance_bytes);
	put(to, drive_rated_writes_per_day, NULL, NULL, NULL, r->writes_per_day);
	put(to, drive_rated_warranty_seconds, NULL, NULL, NULL, r->warranty_s);
	put(to, drive_rated_annual_failure_ratio, NULL, NULL, NULL, r->annual_failure_ratio);
	put(to, drive_rated_unrecoverable_errors_per_bit_read, NULL, NULL, NULL, r->errors_per_bit);
	put(to, drive_rated_temperature_celsius, "low", where, NULL, r->temperature_low);
	put(to, drive_rated_temperature_celsius, "high", where, NULL, r->temperature_high);
	for (size_t i = 0; i < RATED_OPS; i++)
		put(to, drive_rated_latency_seconds, ops[i], NULL, NULL, r->latency_s[i]);
}

/* The bounds of the earliest are those of the basis that it is. */
static void put_dates(const struct outlook *out, struct sample_sink *to)
{
	for (size_t b = 0; b < N_OUTLOOK_BASES; b++)
		for (size_t w = 0; w < N_FORECAST_WINDOWS; w++) {
			const char *basis = outlook_basis_name((enum outlook_basis)b);
			const char *window = outlook_window_name((enum outlook_window)w);
			const struct outlook_date *date = &out->dates[b][w];

			put(to, drive_endurance_exhaustion_timestamp_seconds, basis, window, NULL, date->at);
			if (b == OUTLOOK_EARLIEST)
				continue;
			put(to, drive_endurance_exhaustion_bound_timestamp_seconds, basis, window, "earliest", date->earliest);
			put(to, drive_endurance_exhaustion_bound_timestamp_seconds, basis, window, "latest", date->latest);
		}
}

void wear_samples(const struct rated *rated, const struct outlook *out, uint64_t capacity_bytes, struct sample_sink *to)
{
	double capacity = rated && rated->capacity_bytes > 0 ? rated->capacity_bytes : (double)capacity_bytes;

	if (rated)
		put_rated(rated, to);
	put(to, drive_rated_endurance_used_ratio, NULL, NULL, NULL, out->rated_used);
	for (size_t w = 0; w < N_OUTLOOK_WINDOWS; w++) {
		const char *window = outlook_window_name((enum outlook_window)w);

		if (capacity > 0)
			put(to, drive_writes_per_day, window, NULL, NULL, out->written_per_day[w] / capacity);
		put(to, drive_write_amplification_ratio, window, NULL, NULL, out->amplification[w]);
	}
	put_dates(out, to);
}
