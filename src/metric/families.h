/* One row a family, in the order they are served:
 *	X(name, type, flags, labels after `drive`, help)
 * flags: DRIVE has the label `drive`; LIFETIME also stays when its page can no longer be read; PLAIN neither. */
#pragma once

#define FAMILIES(X) \
X(drive_info, METRIC_INFO, LIFETIME, L("kind", "vendor", "model", "serial", "firmware", "wwn", "transport", "type", "form_factor", "family"), \
	"Who the drive is; kind is physical or virtual, wwn its world wide name, type ssd or hdd. What it does not tell is left out.") \
X(drive_slot_info, METRIC_INFO, LIFETIME, L("enclosure", "slot", "path"), \
	"Where the drive sits: its path on the bus, and enclosure and slot where they are known.") \
X(drive_device_info, METRIC_INFO, LIFETIME, L("device", "nsid"), \
	"A block device of this drive; nsid is the NVMe namespace.") \
X(drive_path_state, METRIC_GAUGE, DRIVE, L("device", "state"), \
	"1 for the state the kernel gives this path to the drive, 0 for the others; host-recovery: its SCSI host is in error recovery.") \
X(drive_source_info, METRIC_INFO, LIFETIME, L("quantity", "page"), \
	"Which page of the drive feeds a quantity that several pages tell; chosen once and kept.") \
X(drive_capacity_bytes, METRIC_GAUGE, LIFETIME, L(NULL), \
	"User capacity of the drive in bytes.") \
X(drive_logical_block_bytes, METRIC_GAUGE, LIFETIME, L(NULL), \
	"Length of a logical block in bytes, the unit in which the drive is addressed.") \
X(drive_physical_block_bytes, METRIC_GAUGE, LIFETIME, L(NULL), \
	"Length of a physical block in bytes; to write a part of one the drive reads and writes back the whole.") \
X(drive_rotation_rate_rpm, METRIC_GAUGE, LIFETIME, L(NULL), \
	"Nominal rotation rate in revolutions per minute. Absent for solid-state drives, and where it is not told.") \
X(drive_present, METRIC_GAUGE, LIFETIME, L(NULL), \
	"1 while the drive is there; 0 for one that this host has had and that is missing.") \
X(drive_missing_since_timestamp_seconds, METRIC_GAUGE, LIFETIME, L(NULL), \
	"Since when the drive is missing, in seconds since 1970; if it went while the exporter did not run, when it was last seen.") \
X(drive_up, METRIC_GAUGE, LIFETIME, L(NULL), \
	"1 if the drive answered its health commands within three of their periods, or sleeps, or is reserved by another host; else 0.") \
X(drive_reserved, METRIC_GAUGE, LIFETIME, L(NULL), \
	"SCSI: 1 while another host holds a reservation that keeps this one from reading the drive's health, else 0.") \
X(drive_power_state, METRIC_GAUGE, LIFETIME, L("state"), \
	"1 for the power state the drive told when last asked, 0 for the others; absent where drives are not asked (NVMe, SATA SSDs).") \
X(drive_poll_timestamp_seconds, METRIC_GAUGE, LIFETIME, L(NULL), \
	"When the oldest of the drive's health values was read, in seconds since 1970.") \
X(drive_poll_interval_seconds, METRIC_GAUGE, LIFETIME, L(NULL), \
	"How often the drive's health values are due.") \
X(drive_command_started_timestamp_seconds, METRIC_GAUGE, LIFETIME, L(NULL), \
	"When the command started that the drive has not answered within its deadline; absent otherwise.") \
X(drive_poll_failures_total, METRIC_COUNTER, LIFETIME, L("source"), \
	"Readings that failed, by source: os (this system), permission, transport (the way to the drive), device (the drive refused), format (its answer makes no sense), reserved (by another host).") \
X(drive_command_seconds_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Time the drive took to answer our commands.") \
X(drive_commands_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Commands of ours that were sent to the drive and came back.") \
X(drive_own_command_errors_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Commands of ours that the drive ended with an error; they count in its own and the kernel's error counters too.") \
X(drive_endurance_used_ratio, METRIC_GAUGE, DRIVE, L(NULL), \
	"The drive's own wear indicator: 0 is new, 1 is rated endurance used; it may pass 1, and 2.55 stands for more as well.") \
X(drive_spare_available_ratio, METRIC_GAUGE, DRIVE, L(NULL), \
	"Spare capacity the drive has left, of what it had when new.") \
X(drive_spare_threshold_ratio, METRIC_GAUGE, DRIVE, L(NULL), \
	"Below this spare capacity the drive calls it critical.") \
X(drive_written_bytes_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Bytes written by the host over the drive's life.") \
X(drive_read_bytes_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Bytes read by the host over the drive's life.") \
X(drive_nand_written_bytes_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Bytes the drive wrote to its flash over its life; by drive_written_bytes_total this is its write amplification.") \
X(drive_nand_read_bytes_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Bytes the drive read from its flash over its life.") \
X(drive_rated_info, METRIC_INFO, LIFETIME, L("source", "grade", "tbw_basis", "dwpd_basis", "afr_basis"), \
	"What the drive's rating is worth: where it was read, graded A (the maker's own) to C (a table of other people), and whether TBW, DWPD and AFR are stated there or computed from the others.") \
X(drive_rated_endurance_bytes, METRIC_GAUGE, LIFETIME, L(NULL), \
	"Bytes the drive may be written with by its rating (TBW).") \
X(drive_rated_writes_per_day, METRIC_GAUGE, LIFETIME, L(NULL), \
	"How often a day the drive's whole capacity may be written during its warranty, by its rating (DWPD).") \
X(drive_rated_warranty_seconds, METRIC_GAUGE, LIFETIME, L(NULL), \
	"Time of the maker's warranty, of years of 365 days.") \
X(drive_rated_annual_failure_ratio, METRIC_GAUGE, LIFETIME, L(NULL), \
	"Part of such drives that may fail in a year by their rating (AFR).") \
X(drive_rated_unrecoverable_errors_per_bit_read, METRIC_GAUGE, LIFETIME, L(NULL), \
	"Unrecoverable errors by bits read that the rating allows (UBER).") \
X(drive_rated_temperature_celsius, METRIC_GAUGE, LIFETIME, L("kind", "where"), \
	"Operating temperatures of the rating, low and high, and where they hold: internal, case or ambient.") \
X(drive_rated_latency_seconds, METRIC_GAUGE, LIFETIME, L("op"), \
	"Latency of a read or write by the drive's rating.") \
X(drive_rated_endurance_used_ratio, METRIC_GAUGE, LIFETIME, L(NULL), \
	"Bytes written of those that the rating allows: 1 is the whole rating; it may pass 1.") \
X(drive_writes_per_day, METRIC_GAUGE, DRIVE, L("window"), \
	"How often a day the drive's whole capacity was written: over its lifetime, 30d or 7d; to be compared with drive_rated_writes_per_day.") \
X(drive_write_amplification_ratio, METRIC_GAUGE, DRIVE, L("window"), \
	"Bytes the drive wrote to its flash by bytes the host wrote: over its lifetime, 30d or 7d.") \
X(drive_endurance_exhaustion_timestamp_seconds, METRIC_GAUGE, DRIVE, L("basis", "window"), \
	"The day on which the drive's endurance is used up if it goes on as over its lifetime or the last 30d, in seconds since 1970; in the past once it is. basis: indicator (the drive's own), rated (bytes written against the rating), earliest (of these). +Inf: in more than 20 years. Absent: nothing can be said yet.") \
X(drive_endurance_exhaustion_bound_timestamp_seconds, METRIC_GAUGE, DRIVE, L("basis", "window", "bound"), \
	"The earliest and the latest day for that which go with what was seen, if the load stays as it is; absent where they are too far apart to be of use.") \
X(drive_warning, METRIC_GAUGE, DRIVE, L("reason", "class"), \
	"1 if there is this reason to worry about the drive, else 0.") \
X(drive_warning_info, METRIC_INFO, DRIVE, L("reason", "text"), \
	"What the drive itself gives as the reason of a warning, in words; absent while it gives none.") \
X(drive_uncorrected_errors_total, METRIC_COUNTER, LIFETIME, L("op"), \
	"Errors the drive could not correct, by operation; op is all where it tells no more.") \
X(drive_corrected_errors_total, METRIC_COUNTER, LIFETIME, L("op", "method"), \
	"Errors the drive corrected, by operation and method: ecc_fast, ecc_delayed or retry.") \
X(drive_grown_defects, METRIC_GAUGE, LIFETIME, L(NULL), \
	"Defects in the list that the drive has grown since it was made.") \
X(drive_reallocated_sectors, METRIC_GAUGE, LIFETIME, L(NULL), \
	"Sectors the drive has replaced by spare ones.") \
X(drive_retired_blocks, METRIC_GAUGE, LIFETIME, L(NULL), \
	"Blocks of flash that the drive has taken out of use.") \
X(drive_pending_sectors, METRIC_GAUGE, DRIVE, L(NULL), \
	"Sectors the drive could not read and will replace when they are written.") \
X(drive_offline_uncorrectable_sectors, METRIC_GAUGE, DRIVE, L(NULL), \
	"Sectors that the drive's own scans could not read.") \
X(drive_program_failures_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Times that programming a flash page failed.") \
X(drive_erase_failures_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Times that erasing a flash block failed.") \
X(drive_command_timeouts_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Commands that the drive did not complete within the host's time, as the drive counts them.") \
X(drive_error_log_entries_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Entries ever made in the drive's error log; a host's own mistakes count too.") \
X(drive_media_errors_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Times the drive found data that it could not recover.") \
X(drive_link_errors_total, METRIC_COUNTER, LIFETIME, L("phy", "kind", "side"), \
	"Errors that the receiver of a phy counted, by kind: invalid_dword, running_disparity, loss_of_sync, phy_reset_problem (SAS), crc (SATA, Intel NVMe), pcie_correctable (OCP). With side drive it is a phy of the drive, named port-phy, on SATA and NVMe 0; with side host one on the host's side of the cable, named path-phy.") \
X(drive_link_speed_bits_per_second, METRIC_GAUGE, DRIVE, L("phy", "side"), \
	"Negotiated rate of a phy, or of each lane of the PCIe link (with its coding; phy is the PCI address); 0 while a phy has no link.") \
X(drive_link_speed_max_bits_per_second, METRIC_GAUGE, LIFETIME, L("phy", "side"), \
	"Highest rate that a phy, or a lane of the PCIe link, can do.") \
X(drive_link_width, METRIC_GAUGE, DRIVE, L("phy", "side"), \
	"Lanes of the PCIe link that are in use.") \
X(drive_link_width_max, METRIC_GAUGE, LIFETIME, L("phy", "side"), \
	"Lanes of the PCIe link that the drive can use.") \
X(drive_power_on_seconds_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Time the drive has been powered on, as it counts it.") \
X(drive_power_cycles_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Times the drive was powered on.") \
X(drive_mechanical_cycles_total, METRIC_COUNTER, LIFETIME, L("kind"), \
	"Times a disk started or stopped its spindle (start_stop), or moved its heads off the medium (load_unload).") \
X(drive_mechanical_cycles_rated, METRIC_GAUGE, LIFETIME, L("kind"), \
	"How many of these cycles the disk is made for.") \
X(drive_unsafe_shutdowns_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Times the drive lost power without being told.") \
X(drive_manufacture_info, METRIC_INFO, LIFETIME, L("year", "week"), \
	"When the drive was made, as it says.") \
X(drive_manufactured_timestamp_seconds, METRIC_GAUGE, LIFETIME, L(NULL), \
	"Begin of the week in which the drive was made, good to a week: weeks are taken as of seven days from 1 January (UTC).") \
X(drive_self_test_info, METRIC_INFO, DRIVE, L("type", "result"), \
	"The drive's last self-test: type short, extended, conveyance, selective, other or unknown; result passed, aborted, interrupted, failed, incomplete, running or unknown.") \
X(drive_self_test_power_on_seconds, METRIC_GAUGE, DRIVE, L(NULL), \
	"Power-on time of the drive when that self-test ended; drive_power_on_seconds_total less this is its age. Absent where the drive's counter has overrun.") \
X(drive_self_test_failures, METRIC_GAUGE, DRIVE, L(NULL), \
	"Self-tests in the drive's log that found a fault; old entries fall out of the log.") \
X(drive_self_test_duration_seconds, METRIC_GAUGE, LIFETIME, L("type"), \
	"How long a self-test takes if nothing else is asked of the drive, as it says.") \
X(drive_throttled, METRIC_GAUGE, DRIVE, L("kind"), \
	"1 while the drive slows itself down: thermal, to cool.") \
X(drive_temperature_celsius, METRIC_GAUGE, DRIVE, L("sensor"), \
	"Temperature that the drive reports for one of its sensors.") \
X(drive_temperature_limit_celsius, METRIC_GAUGE, LIFETIME, L("kind"), \
	"A temperature limit that the drive states: warning, critical, reference or specified; low_warning, low_critical and low_specified are the lower ones.") \
X(drive_temperature_extreme_celsius, METRIC_GAUGE, DRIVE, L("sensor", "kind"), \
	"Extremes that the drive has measured: highest and lowest of its life, highest_since_power_on and lowest_since_power_on.") \
X(drive_relative_humidity_ratio, METRIC_GAUGE, DRIVE, L("sensor"), \
	"Relative humidity that the drive measures.") \
X(drive_relative_humidity_extreme_ratio, METRIC_GAUGE, DRIVE, L("sensor", "kind"), \
	"Extremes of relative humidity that the drive has measured; kinds as for the temperature.") \
X(drive_relative_humidity_limit_ratio, METRIC_GAUGE, LIFETIME, L("kind"), \
	"Limits of relative humidity that the drive states: kinds as for the temperature.") \
X(drive_internal_commands_total, METRIC_COUNTER, LIFETIME, L("op"), \
	"Commands the drive completed, as it counts them; the drive counts an UNMAP as a write.") \
X(drive_internal_seconds_total, METRIC_COUNTER, LIFETIME, L("op"), \
	"Time the drive spent on these commands by its own clock, added up. Its increase by that of drive_internal_commands_total is the mean latency inside the drive.") \
X(drive_internal_idle_seconds_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Time without any command, by the drive's own clock.") \
X(drive_implausible_values_total, METRIC_COUNTER, LIFETIME, L("quantity"), \
	"Readings left out because the drive cannot mean them.") \
X(drive_source_changes_total, METRIC_COUNTER, LIFETIME, L("quantity"), \
	"Times another page began to feed a quantity, or new firmware of the drive gave it another meaning.") \
X(drive_io_completed_total, METRIC_COUNTER, DRIVE, L("device", "op"), \
	"Requests that the kernel's block layer completed on this device.") \
X(drive_io_bytes_total, METRIC_COUNTER, DRIVE, L("device", "op"), \
	"Bytes moved by completed requests of this device.") \
X(drive_io_seconds_total, METRIC_COUNTER, DRIVE, L("device", "op"), \
	"Time that completed requests spent from submission to end, added up. The kernel counts it in 32-bit milliseconds, so it starts anew after 49.7 days of added time.") \
X(drive_io_merged_total, METRIC_COUNTER, DRIVE, L("device", "op"), \
	"Requests merged into another one before they were issued.") \
X(drive_io_busy_seconds_total, METRIC_COUNTER, DRIVE, L("device"), \
	"Time with at least one request under way, as the kernel samples it.") \
X(drive_io_weighted_seconds_total, METRIC_COUNTER, DRIVE, L("device"), \
	"Time weighted by the number of requests under way.") \
X(drive_io_in_flight, METRIC_GAUGE, DRIVE, L("device"), \
	"Requests under way now.") \
X(drive_ata_attribute_value, METRIC_GAUGE, DRIVE, L("id"), \
	"Normalised value of a SMART attribute, as the drive gives it.") \
X(drive_ata_attribute_worst, METRIC_GAUGE, DRIVE, L("id"), \
	"Worst normalised value that this SMART attribute ever had.") \
X(drive_ata_attribute_threshold, METRIC_GAUGE, DRIVE, L("id"), \
	"When the normalised value falls to this, the drive says it is failing (pre-failure attributes) or past its design life (others); 0 is never reached.") \
X(drive_ata_attribute_raw, METRIC_GAUGE, DRIVE, L("id"), \
	"The six raw bytes of a SMART attribute as one number; what it counts differs by vendor.") \
X(drive_ata_attribute_info, METRIC_INFO, DRIVE, L("id", "name"), \
	"What a SMART attribute is commonly called.") \
X(drive_ata_statistic, METRIC_GAUGE, DRIVE, L("page", "offset", "name"), \
	"A value of the ATA Device Statistics log in the unit that ACS gives it.") \
X(drive_ata_trim_supported, METRIC_GAUGE, LIFETIME, L(NULL), \
	"1 if the drive takes TRIM, else 0.") \
X(drive_ata_phy_events_total, METRIC_COUNTER, DRIVE, L("event"), \
	"Events that the SATA phy of the drive counted since it was powered on or its counters were reset; d2h is from the drive to the host, h2d to the drive, fis a frame, r_err that its receiver refused it, icrc an interface CRC error.") \
X(drive_ata_temperature_limit_events_total, METRIC_COUNTER, LIFETIME, L("kind"), \
	"Times the drive recorded a temperature outside of its limits (SCT status), since it last began to count: kind over or under.") \
X(drive_ata_farm_errors_total, METRIC_COUNTER, LIFETIME, L("kind"), \
	"Errors in the field reliability log (FARM) of Seagate drives, by kind: unrecoverable_read, unrecoverable_write, uncorrectable, read_recovery_attempt, mechanical_start_failure, asynchronous_signal_recovery, interface_crc, ioedc (of data between its interface and its medium), command_timeout (of these also command_timeout_over_5s and command_timeout_over_7_5s), firmware_assertion.") \
X(drive_nvme_critical_warning, METRIC_GAUGE, DRIVE, L("bit"), \
	"A bit of the NVMe critical warning field, 0 or 1.") \
X(drive_nvme_commands_total, METRIC_COUNTER, LIFETIME, L("op"), \
	"Commands the NVMe controller completed for the host, by operation.") \
X(drive_nvme_busy_seconds_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Time the NVMe controller was busy with commands of the host.") \
X(drive_nvme_over_temperature_seconds_total, METRIC_COUNTER, LIFETIME, L("kind"), \
	"Time the composite temperature was above the warning or the critical limit.") \
X(drive_nvme_thermal_transitions_total, METRIC_COUNTER, LIFETIME, L("kind"), \
	"Times the controller slowed down to cool: light or heavy.") \
X(drive_nvme_thermal_seconds_total, METRIC_COUNTER, LIFETIME, L("kind"), \
	"Time the controller ran slowed down to cool: light or heavy.") \
X(drive_nvme_endurance_groups_warning, METRIC_GAUGE, DRIVE, L("bit"), \
	"A bit of the NVMe endurance group critical warning summary, 0 or 1: of any endurance group. Absent where a drive has no endurance groups.") \
X(drive_nvme_energy_joules_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Energy that the drive has used over its life; it counts in watt-hours.") \
X(drive_nvme_power_watts, METRIC_GAUGE, DRIVE, L(NULL), \
	"Power that the drive drew when it was read, as the mean of its last second.") \
X(drive_nvme_logged_errors_total, METRIC_COUNTER, LIFETIME, L("type"), \
	"Entries that were added to the controller's error log since this exporter first read it, by status code type: generic and command (mostly a host's mistake), media (data was lost), path, vendor, other; unseen: counted, but not to be found in the log.") \
X(drive_nvme_namespace_size_bytes, METRIC_GAUGE, LIFETIME, L("nsid"), \
	"Size of a namespace as it is formatted.") \
X(drive_nvme_namespace_capacity_bytes, METRIC_GAUGE, LIFETIME, L("nsid"), \
	"How much of a namespace may be in use at a time; less than its size where it is thinly provisioned.") \
X(drive_nvme_namespace_used_bytes, METRIC_GAUGE, DRIVE, L("nsid"), \
	"How much of a namespace is in use, as the drive says: written and not deallocated. Drives that do not track it tell the capacity.") \
X(drive_nvme_namespace_block_bytes, METRIC_GAUGE, LIFETIME, L("nsid"), \
	"Length of a logical block of a namespace, without metadata.") \
X(drive_nvme_unallocated_bytes, METRIC_GAUGE, DRIVE, L(NULL), \
	"Capacity of the drive that is given to no namespace.") \
X(drive_nvme_firmware_slot_info, METRIC_INFO, DRIVE, L("slot", "firmware"), \
	"The firmware that a slot of the controller holds.") \
X(drive_nvme_firmware_active_slot, METRIC_GAUGE, DRIVE, L(NULL), \
	"The slot whose firmware runs.") \
X(drive_nvme_firmware_next_slot, METRIC_GAUGE, DRIVE, L(NULL), \
	"The slot whose firmware will run after the next reset of the controller; absent where none is set.") \
X(drive_nvme_self_test_progress_ratio, METRIC_GAUGE, DRIVE, L("type"), \
	"How far the self-test is that runs now.") \
X(drive_nvme_sanitize_info, METRIC_INFO, DRIVE, L("state"), \
	"What became of the last sanitize operation: never, done, running, failed, done_deallocated (though it was asked not to deallocate) or unknown.") \
X(drive_nvme_sanitize_progress_ratio, METRIC_GAUGE, DRIVE, L(NULL), \
	"How far the sanitize operation is that runs now.") \
X(drive_nvme_endurance_group_warning, METRIC_GAUGE, DRIVE, L("group", "bit"), \
	"A bit of an endurance group's critical warning field, 0 or 1.") \
X(drive_nvme_endurance_group_used_ratio, METRIC_GAUGE, DRIVE, L("group"), \
	"Wear of an endurance group: 1 is rated endurance used; it may pass 1, and 2.55 stands for more as well.") \
X(drive_nvme_endurance_group_spare_available_ratio, METRIC_GAUGE, DRIVE, L("group"), \
	"Spare capacity that an endurance group has left.") \
X(drive_nvme_endurance_group_spare_threshold_ratio, METRIC_GAUGE, DRIVE, L("group"), \
	"Below this spare capacity the drive calls the endurance group critical.") \
X(drive_nvme_endurance_group_estimate_bytes, METRIC_GAUGE, DRIVE, L("group"), \
	"Bytes that can be written to an endurance group over its life if its write amplification is 1, as the drive estimates; in steps of 1 GB.") \
X(drive_nvme_endurance_group_read_bytes_total, METRIC_COUNTER, LIFETIME, L("group"), \
	"Bytes read from an endurance group by the host; the drive counts in steps of 1 GB.") \
X(drive_nvme_endurance_group_written_bytes_total, METRIC_COUNTER, LIFETIME, L("group"), \
	"Bytes written to an endurance group by the host; the drive counts in steps of 1 GB.") \
X(drive_nvme_endurance_group_media_written_bytes_total, METRIC_COUNTER, LIFETIME, L("group"), \
	"Bytes written to the media of an endurance group, by the host and by the drive itself; in steps of 1 GB.") \
X(drive_nvme_endurance_group_commands_total, METRIC_COUNTER, LIFETIME, L("group", "op"), \
	"Commands of the host that an endurance group completed, by operation.") \
X(drive_nvme_endurance_group_media_errors_total, METRIC_COUNTER, LIFETIME, L("group"), \
	"Times an endurance group had data that could not be recovered.") \
X(drive_nvme_endurance_group_error_log_entries_total, METRIC_COUNTER, LIFETIME, L("group"), \
	"Error log entries ever made for an endurance group.") \
X(drive_nvme_endurance_group_capacity_bytes, METRIC_GAUGE, LIFETIME, L("group"), \
	"Capacity of an endurance group.") \
X(drive_nvme_endurance_group_unallocated_bytes, METRIC_GAUGE, DRIVE, L("group"), \
	"Capacity of an endurance group that is given to no namespace.") \
X(drive_nvme_endurance_estimate_bytes, METRIC_GAUGE, DRIVE, L(NULL), \
	"OCP: bytes that can be written to the drive over its life if its write amplification is 1, as the drive estimates.") \
X(drive_nvme_bad_blocks, METRIC_GAUGE, LIFETIME, L("kind"), \
	"OCP: blocks of flash that the drive has taken out of use, of those for user data (user) and for its own (system).") \
X(drive_nvme_bad_blocks_left_ratio, METRIC_GAUGE, DRIVE, L("kind"), \
	"OCP: how many more blocks may become bad, of those that could when new: 1 is new.") \
X(drive_nvme_xor_recoveries_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"OCP: times the drive rebuilt data from parity across its flash.") \
X(drive_nvme_uncorrectable_reads_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"OCP: reads that nothing could correct.") \
X(drive_nvme_soft_ecc_errors_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Reads of flash that took more than the first level of error correction (OCP, Intel).") \
X(drive_nvme_end_to_end_errors_total, METRIC_COUNTER, LIFETIME, L("kind"), \
	"Errors on the drive's own data path that its end-to-end protection found, by kind: detected, and of these corrected (OCP, Intel).") \
X(drive_nvme_system_data_used_ratio, METRIC_GAUGE, DRIVE, L(NULL), \
	"OCP: wear of the flash that holds the drive's own data; 1 is rated endurance used.") \
X(drive_nvme_refreshes_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"OCP: blocks of flash that the drive rewrote to keep their data.") \
X(drive_nvme_erase_cycles, METRIC_GAUGE, LIFETIME, L("kind"), \
	"How often the blocks of flash were erased: max, min and average of all blocks (OCP, Intel).") \
X(drive_nvme_throttling_level, METRIC_GAUGE, DRIVE, L(NULL), \
	"OCP: how much the drive slows down to cool: 0 not at all, 1 to 3 more and more.") \
X(drive_nvme_throttling_events_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Times the drive slowed down to cool (OCP, in 8 bits; Intel).") \
X(drive_nvme_incomplete_shutdowns_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"OCP: shutdowns that did not complete properly.") \
X(drive_nvme_free_blocks_ratio, METRIC_GAUGE, DRIVE, L(NULL), \
	"OCP: blocks that are erased and ready to be written, of all those beyond the drive's capacity.") \
X(drive_nvme_capacitor_health_ratio, METRIC_GAUGE, DRIVE, L(NULL), \
	"OCP: energy that the capacitors hold against power loss: 1 is the least with which a drive leaves the factory, 0.01 the least with which it can still save its data. Absent where it has none.") \
X(drive_nvme_unaligned_io_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"OCP: writes that did not fit the drive's internal blocks; begins anew with each power cycle.") \
X(drive_nvme_power_loss_protections_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"OCP: times that the protection against power loss started.") \
X(drive_nvme_pcie_retrainings_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"OCP: times that the PCIe link was trained anew.") \
X(drive_nvme_power_state_changes_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"OCP: changes of the power state, by the host or by the drive itself.") \
X(drive_nvme_media_dies, METRIC_GAUGE, LIFETIME, L("kind"), \
	"OCP: dies of flash: total, those whose failure the drive can stand (tolerated), and those out of use (offline).") \
X(drive_nvme_system_area_failures_total, METRIC_COUNTER, LIFETIME, L("kind"), \
	"OCP: failures in the flash that holds the drive's own data: program, erase, uncorrectable_read.") \
X(drive_nvme_latency_threshold_seconds, METRIC_GAUGE, DRIVE, L("bucket"), \
	"OCP: the least latency that the drive's latency monitor counts in a bucket, 0 to 3.") \
X(drive_nvme_latency_commands, METRIC_GAUGE, DRIVE, L("window", "op", "bucket"), \
	"OCP: commands that took at least the bucket's threshold and less than the next, in the window that runs (active) or the one before (previous). Faster ones are not counted.") \
X(drive_nvme_latency_recorded_seconds, METRIC_GAUGE, DRIVE, L("window", "op", "bucket"), \
	"OCP: a latency that the drive's latency monitor recorded in a bucket: the first, the last or the longest, as it is set up.") \
X(drive_nvme_intel_written_bytes_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Intel, Solidigm: bytes written by the host, counted in the unit of drive_nand_written_bytes_total: 32 MiB.") \
X(drive_nvme_retry_buffer_overflows_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Intel, Solidigm: overflows of the PCIe retry buffer.") \
X(drive_nvme_pll_lock_losses_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Intel, Solidigm: times that a PLL of the drive lost its lock on the PCIe clock.") \
X(drive_nvme_timed_workload_wear_ratio, METRIC_GAUGE, DRIVE, L(NULL), \
	"Intel, Solidigm: wear during the timed workload, since its timer began; absent in its first hour.") \
X(drive_nvme_timed_workload_reads_ratio, METRIC_GAUGE, DRIVE, L(NULL), \
	"Intel, Solidigm: part of the commands that were reads during the timed workload; absent in its first hour.") \
X(drive_nvme_timed_workload_seconds, METRIC_GAUGE, DRIVE, L(NULL), \
	"Intel, Solidigm: how long the timed workload has run.") \
X(drive_pcie_errors_total, METRIC_COUNTER, LIFETIME, L("device", "severity"), \
	"PCIe errors that the kernel's advanced error reporting counted at this controller since it was found: correctable, nonfatal, fatal.") \
X(drive_scsi_corrected_errors_total, METRIC_COUNTER, LIFETIME, L("op"), \
	"Total errors corrected, the SCSI error counter pages' own sum.") \
X(drive_scsi_correction_runs_total, METRIC_COUNTER, LIFETIME, L("op"), \
	"Times the correction algorithm ran, of the SCSI error counter pages.") \
X(drive_scsi_non_medium_errors_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Errors that did not come from the medium, of SCSI log page 06h.") \
X(drive_scsi_informational_exception, METRIC_GAUGE, DRIVE, L("asc", "ascq"), \
	"1: the drive reports this additional sense code and qualifier, hexadecimal, on SCSI log page 2Fh; 00 and 00 say that all is well.") \
X(drive_scsi_exceptions_enabled, METRIC_GAUGE, DRIVE, L("kind"), \
	"1 if the drive reports informational exceptions of this kind: failure (predicted failures) or warning; 0 if its mode page 1Ch says it does not.") \
X(drive_scsi_exception_threshold_ratio, METRIC_GAUGE, DRIVE, L("kind"), \
	"Hitachi and HGST SSDs: the threshold of one of the conditions that they watch.") \
X(drive_scsi_exception_tripped, METRIC_GAUGE, DRIVE, L("kind"), \
	"Hitachi and HGST SSDs: 1 if this condition has passed its threshold, else 0.") \
X(drive_scsi_exceptions_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"HGST SSDs: informational exceptions that the drive has counted.") \
X(drive_scsi_exception_present, METRIC_GAUGE, DRIVE, L("kind"), \
	"HGST SSDs: 1 if the drive reports an exception of its media or its hardware, else 0.") \
X(drive_scsi_background_scan_info, METRIC_INFO, DRIVE, L("status"), \
	"What the drive's scan of its medium is doing: none, medium_scan, pre_scan, halted_fatal_error, halted_error_pattern, halted_no_primary_list, halted_vendor, halted_temperature, waiting, halted_list_full, pre_scan_time_limit or unknown.") \
X(drive_scsi_background_scans_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Scans of any kind that the drive has made in the background; the drive counts them in 16 bits.") \
X(drive_scsi_background_medium_scans_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Scans of the whole medium that the drive has made in the background; the drive counts them in 16 bits.") \
X(drive_scsi_background_scan_progress_ratio, METRIC_GAUGE, DRIVE, L(NULL), \
	"How far the scan is that runs now.") \
X(drive_scsi_background_scan_errors, METRIC_GAUGE, DRIVE, L("status"), \
	"Logical blocks in the list of errors that the drive's scans found, by what became of them: pending, reassigned (by the drive), reassign_failed, rewritten (in place), reassigned_by_write, reassigned_by_command, command_failed, other. A full list drops its oldest. Of solid-state drives only those that are not 0.") \
X(drive_scsi_format_blocks, METRIC_GAUGE, LIFETIME, L("kind"), \
	"Logical blocks that were replaced: certification (grown defects found while formatting), during_format, since_format.") \
X(drive_scsi_since_format_seconds_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"Power-on time since the drive was last formatted.") \
X(drive_scsi_workload_utilization_ratio, METRIC_GAUGE, DRIVE, L(NULL), \
	"Workload of the drive, of what it is designed for: 1 is exactly that; 6.5535 stands for more as well.") \
X(drive_scsi_utilization_rate_ratio, METRIC_GAUGE, DRIVE, L(NULL), \
	"Rate of the workload by date and time, of what the drive is designed for; 2.55 stands for more as well.") \
X(drive_scsi_power_transitions_total, METRIC_COUNTER, LIFETIME, L("state"), \
	"Times the drive went into this power condition: active, idle_a, idle_b, idle_c, standby_y, standby_z.") \
X(drive_scsi_provisioning_info, METRIC_INFO, LIFETIME, L("type", "unmap"), \
	"How logical blocks are backed by the medium: type full, resource, thin or unknown; unmap 1 if the drive takes UNMAP, else 0.") \
X(drive_scsi_cache_operations_total, METRIC_COUNTER, LIFETIME, L("kind"), \
	"Use of the drive's cache: read_hits, reads (into the cache), write_hits, writes (out of the cache).") \
X(drive_scsi_since_hard_reset_seconds_total, METRIC_COUNTER, DRIVE, L(NULL), \
	"Time since the last hard reset of the drive, by its own clock; it begins anew with each.") \
X(drive_scsi_cache_bytes_total, METRIC_COUNTER, LIFETIME, L("kind"), \
	"Seagate: bytes sent to hosts, received from hosts, and read from the drive's cache (sent, received, read_from_cache).") \
X(drive_scsi_segment_commands_total, METRIC_COUNTER, LIFETIME, L("size"), \
	"Seagate: reads and writes that fit into a cache segment (within) or do not (beyond).") \
X(drive_scsi_next_self_test_seconds, METRIC_GAUGE, DRIVE, L(NULL), \
	"Seagate, Hitachi, HGST: time until the drive next tests itself.") \
X(drive_scsi_flash_corrections_total, METRIC_COUNTER, LIFETIME, L(NULL), \
	"HGST SSDs: flash corrections; the drive counts them in 16 bits.") \
X(drive_scsi_seeks_total, METRIC_COUNTER, LIFETIME, L("distance"), \
	"Hitachi, HGST: seeks by distance, in parts of the full stroke: zero, below_1_12, from_1_12, from_1_6, from_1_3, from_2_3; the drive counts them in 16 bits.") \
X(drive_scsi_buffer_errors_total, METRIC_COUNTER, LIFETIME, L("kind"), \
	"Hitachi, HGST: times the buffer ran over (overrun) or empty (underrun); the drive counts them in 16 bits.") \
X(drive_scsi_device_cache_total, METRIC_COUNTER, LIFETIME, L("kind"), \
	"Hitachi, HGST: use of the device cache: read_hits_full, read_hits_partial, read_misses, write_hits, fast_writes.") \
X(drive_removed_total, METRIC_COUNTER, PLAIN, L("reason"), \
	"Drives that went missing since the exporter started, by reason: failed (it or the kernel had said so) or vanished.") \
X(drive_exporter_build_info, METRIC_INFO, PLAIN, L("version"), \
	"The exporter's version.") \
X(drive_exporter_time_seconds, METRIC_GAUGE, PLAIN, L(NULL), \
	"The exporter's clock, in seconds since 1970; with --replay.speed it runs with the replay.") \
X(drive_exporter_replayed_drives, METRIC_GAUGE, PLAIN, L(NULL), \
	"Drives served out of captures: these are not drives of this host.") \
X(drive_exporter_drives_seen, METRIC_GAUGE, PLAIN, L(NULL), \
	"Drives that can be asked for their health: not virtual ones, nor those that --drive.include or --drive.exclude leave out.") \
X(drive_exporter_drives_readable, METRIC_GAUGE, PLAIN, L(NULL), \
	"Those of them with drive_up 1.") \
X(drive_exporter_prober_up, METRIC_GAUGE, PLAIN, L(NULL), \
	"1 while the programs that read the drives are connected: drive_prober, with --replay drive_replay.") \
X(drive_exporter_discovery_failures_total, METRIC_COUNTER, PLAIN, L(NULL), \
	"Scans for drives that failed; the last list stays.") \
X(drive_exporter_duplicate_series_total, METRIC_COUNTER, PLAIN, L(NULL), \
	"Series left out because one with the same name and labels was served already.") \
X(drive_exporter_log_lines_dropped_total, METRIC_COUNTER, PLAIN, L(NULL), \
	"Log lines dropped because writing them would have blocked.") \
X(drive_exporter_replies_dropped_total, METRIC_COUNTER, PLAIN, L("reason"), \
	"Answers of drive_prober not used: generation (of an earlier run of it), other_disk (the device is another disk by now), unknown (nobody asked).") \
X(drive_exporter_collector_up, METRIC_GAUGE, PLAIN, L("collector"), \
	"1 if this part is built in, switched on and working.") \
X(drive_exporter_catalogue_rows, METRIC_GAUGE, PLAIN, L(NULL), \
	"Rows of rated figures that are in use, from the catalogue that is installed and from files of the operator's.") \
X(drive_exporter_history_committed_timestamp_seconds, METRIC_GAUGE, PLAIN, L(NULL), \
	"When the newest reading was made that is known to be on the disk in the history; absent before the first.") \
X(drive_exporter_history_rows_committed_total, METRIC_COUNTER, PLAIN, L(NULL), \
	"Rows that were written to the history, each a drive's day as it was known then.") \
X(drive_exporter_command_seconds, METRIC_HISTOGRAM, PLAIN, L("transport"), \
	"How long our own commands to the drives took.") \
X(process_cpu_seconds_total, METRIC_COUNTER, PLAIN, L(NULL), \
	"Processor time of the exporter, user and system.") \
X(process_open_fds, METRIC_GAUGE, PLAIN, L(NULL), \
	"Open file descriptors of the exporter.") \
X(process_max_fds, METRIC_GAUGE, PLAIN, L(NULL), \
	"Most file descriptors the exporter may have open.") \
X(process_resident_memory_bytes, METRIC_GAUGE, PLAIN, L(NULL), \
	"Resident memory of the exporter.") \
X(process_virtual_memory_bytes, METRIC_GAUGE, PLAIN, L(NULL), \
	"Virtual memory of the exporter.") \
X(process_start_time_seconds, METRIC_GAUGE, PLAIN, L(NULL), \
	"When the exporter started, in seconds since 1970.")
