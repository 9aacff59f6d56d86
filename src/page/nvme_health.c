/* NVMe log 02h, of the whole controller (NVM Express base, SMART / Health Information log page). */
#include "page/page.h"
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
};

/* Critical Warning, from bit 0 on. */
static const char *const warning_bits[] = { "spare", "temperature", "reliability", "read_only", "backup", "pmr" };

static struct fail decode_health(const struct page *page, struct bytes in, const struct drive_facts *facts,
				 struct sample_sink *to)
{
	struct bytes log = bytes_take(&in, HEALTH_BYTES), flags = log;
	uint64_t warning = bytes_le(&flags, 1);

	if (in.torn)
		return fail_format(page->name, "shorter than 512 bytes");
	if (bytes_all(log, 0))
		return fail_format(page->name, "all zeroes");
	if (bytes_all(log, 0xff))
		return fail_format(page->name, "all ones");
	for (size_t i = 0; i < ARRAY_SIZE(warning_bits); i++)
		sample_put(to, &(struct sample){ .family = drive_nvme_critical_warning, .label = { warning_bits[i] },
						 .value = (double)(warning >> i & 1) });
	for (size_t i = 0; i < page->n_fields; i++)
		page_field_put(&page->fields[i], log, true, facts, to);
	return OK;
}

const struct page nvme_health = {
	.name = "NVMe log 0x02", .transport = TRANSPORT_NVME,
	.command = { .name = COMMAND_NVME_LOG, .key = { [KEY_ID] = 0x02, [KEY_NSID] = UINT32_MAX } },
	.period_s = 60, .is_health = true, .decode = decode_health,
	.fields = health_fields, .n_fields = ARRAY_SIZE(health_fields),
};
