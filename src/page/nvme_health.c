/* NVMe log 02h, of the whole controller (NVM Express base, SMART / Health Information log page). */
#include "page/nvme_page.h"
#include "page/pages.h"

enum { HEALTH_BYTES = 512 };

#define SPEC(field) .spec = "NVM Express base, SMART / Health Information, " field

#define SENSOR(number, offset) \
	{ .at = offset, .width = 2, .unit = RAW_KELVIN, .absent = ABSENT_ZERO, .family = drive_temperature_celsius, \
	  .label = { number }, SPEC("Temperature Sensor " number) }

/* The percentages may pass 100; of percentage used 255 means more than 254. */
static const struct page_field health_fields[] = {
	{ .at = 1, .width = 2, .unit = RAW_KELVIN, .absent = ABSENT_ZERO, .family = drive_temperature_celsius,
	  .label = { "composite" }, SPEC("Composite Temperature") },
	{ .at = 3, .width = 1, .unit = RAW_PERCENT, .family = drive_spare_available_ratio, SPEC("Available Spare") },
	{ .at = 4, .width = 1, .unit = RAW_PERCENT, .family = drive_spare_threshold_ratio,
	  SPEC("Available Spare Threshold") },
	{ .at = 5, .width = 1, .unit = RAW_PERCENT, .family = drive_endurance_used_ratio, SPEC("Percentage Used") },
	{ .at = 32, .width = 16, .unit = RAW_NVME_DATA_UNITS, .family = drive_read_bytes_total, SPEC("Data Units Read") },
	{ .at = 48, .width = 16, .unit = RAW_NVME_DATA_UNITS, .family = drive_written_bytes_total,
	  SPEC("Data Units Written") },
	{ .at = 64, .width = 16, .family = drive_nvme_commands_total, .label = { "read" }, SPEC("Host Read Commands") },
	{ .at = 80, .width = 16, .family = drive_nvme_commands_total, .label = { "write" }, SPEC("Host Write Commands") },
	{ .at = 96, .width = 16, .unit = RAW_MINUTES, .family = drive_nvme_busy_seconds_total,
	  SPEC("Controller Busy Time") },
	{ .at = 112, .width = 16, .family = drive_power_cycles_total, SPEC("Power Cycles") },
	{ .at = 128, .width = 16, .unit = RAW_HOURS, .family = drive_power_on_seconds_total, SPEC("Power On Hours") },
	{ .at = 144, .width = 16, .family = drive_unsafe_shutdowns_total, SPEC("Unsafe Shutdowns") },
	{ .at = 160, .width = 16, .family = drive_media_errors_total, SPEC("Media and Data Integrity Errors") },
	{ .at = 160, .width = 16, .family = drive_uncorrected_errors_total, .label = { "all" },
	  SPEC("Media and Data Integrity Errors") },
	{ .at = 176, .width = 16, .family = drive_error_log_entries_total,
	  SPEC("Number of Error Information Log Entries") },
	{ .at = 192, .width = 4, .unit = RAW_MINUTES, .family = drive_nvme_over_temperature_seconds_total,
	  .label = { "warning" }, SPEC("Warning Composite Temperature Time") },
	{ .at = 196, .width = 4, .unit = RAW_MINUTES, .family = drive_nvme_over_temperature_seconds_total,
	  .label = { "critical" }, SPEC("Critical Composite Temperature Time") },
	SENSOR("1", 200), SENSOR("2", 202), SENSOR("3", 204), SENSOR("4", 206),
	SENSOR("5", 208), SENSOR("6", 210), SENSOR("7", 212), SENSOR("8", 214),
	{ .at = 216, .width = 4, .family = drive_nvme_thermal_transitions_total, .label = { "light" },
	  SPEC("Thermal Management Temperature 1 Transition Count") },
	{ .at = 220, .width = 4, .family = drive_nvme_thermal_transitions_total, .label = { "heavy" },
	  SPEC("Thermal Management Temperature 2 Transition Count") },
	{ .at = 224, .width = 4, .family = drive_nvme_thermal_seconds_total, .label = { "light" },
	  SPEC("Total Time For Thermal Management Temperature 1") },
	{ .at = 228, .width = 4, .family = drive_nvme_thermal_seconds_total, .label = { "heavy" },
	  SPEC("Total Time For Thermal Management Temperature 2") },
	{ .at = 232, .width = 8, .unit = RAW_WATT_HOURS, .absent = ABSENT_ZERO, .family = drive_nvme_energy_joules_total,
	  SPEC("Operational Lifetime Energy Consumed") },
};

/* From bit 0 on. NULL: reserved. */
static const char *const warning_bits[] = { "spare", "temperature", "reliability", "read_only", "backup", "pmr", NULL };
const char *const nvme_group_bits[] = { "spare", "", "reliability", "read_only", NULL };

void nvme_warning_put(uint64_t warning, uint16_t family, const char *const *bits, struct sample_sink *to)
{
	for (size_t i = 0; bits[i]; i++)
		if (bits[i][0])
			page_put(to, family, bits[i], NULL, (double)(warning >> i & 1));
}

/* Interval Power Measurement: a number in bits 15:0 and its unit in bits 17:16 (1: 0.1 mW, 2: 10 mW). */
static void power_put(struct bytes log, struct sample_sink *to)
{
	enum { POWER_AT = 240, TENTHS_OF_MILLIWATTS = 1, HUNDREDTHS_OF_WATTS = 2 };
	uint64_t field = nvme_number(log, POWER_AT, 4), unit = field >> 16 & 3;

	if (unit == TENTHS_OF_MILLIWATTS || unit == HUNDREDTHS_OF_WATTS)
		page_put(to, drive_nvme_power_watts, NULL, NULL,
			 (double)(field & 0xffff) / (unit == TENTHS_OF_MILLIWATTS ? 10000 : 100));
}

static struct fail decode_health(const struct page *page, struct bytes in, const struct drive_facts *facts,
				 struct sample_sink *to)
{
	struct bytes log;
	struct fail f = nvme_log_take(page, in, HEALTH_BYTES, false, &log);

	if (failed(f))
		return f;
	nvme_warning_put(nvme_number(log, 0, 1), drive_nvme_critical_warning, warning_bits, to);
	if (facts->nvme_has_groups)
		nvme_warning_put(nvme_number(log, 6, 1), drive_nvme_endurance_groups_warning, nvme_group_bits, to);
	nvme_fields_put(page, log, facts, to);
	power_put(log, to);
	return OK;
}

/* How many errors there are in the log, for nvme_errors. Where the count falls it begins anew. */
static struct fail learn_health(const struct page *page, struct bytes in, struct drive_facts *facts)
{
	enum { ERRORS_AT = 176 };
	struct bytes log;
	struct fail f = nvme_log_take(page, in, HEALTH_BYTES, false, &log);

	if (failed(f))
		return f;
	facts->nvme_errors = nvme_number(log, ERRORS_AT, 8);
	if (!facts->has_nvme_errors || facts->nvme_errors < facts->nvme_errors_asked)
		facts->nvme_errors_asked = facts->nvme_errors_seen = facts->nvme_errors;
	facts->has_nvme_errors = true;
	return OK;
}

static const struct page_told told[] = {
	{ drive_nvme_critical_warning, "NVM Express base, SMART / Health Information, Critical Warning" },
	{ drive_nvme_endurance_groups_warning,
	  "NVM Express base, SMART / Health Information, Endurance Group Critical Warning Summary" },
	{ drive_nvme_power_watts, "NVM Express base 2.3, SMART / Health Information, Interval Power Measurement" },
};

const struct page nvme_health = {
	.name = "NVMe log 0x02", NVME_LOG(NVME_LOG_HEALTH),
	.period_s = 60, .is_health = true, .is_mandatory = true, .learn = learn_health, .decode = decode_health,
	.fields = health_fields, .n_fields = ARRAY_SIZE(health_fields), .told = told, .n_told = ARRAY_SIZE(told),
};
