/* Every page by name; pages.c gives their order. */
#pragma once

struct page;

extern const struct page scsi_inquiry, scsi_vpd_list, scsi_vpd_serial, scsi_vpd_identification, scsi_vpd_characteristics,
	scsi_read_capacity, scsi_log_list, scsi_log_list_with_subpages, scsi_informational_exceptions, scsi_temperature,
	scsi_solid_state, scsi_write_errors, scsi_read_errors, scsi_verify_errors, scsi_non_medium_errors,
	scsi_vpd_extended_inquiry, scsi_vpd_provisioning, scsi_mode_exceptions, scsi_mode_control,
	scsi_statistics, scsi_cache_statistics, scsi_environment_report, scsi_environment_limits, scsi_background_scan,
	scsi_pending_defects, scsi_ports, scsi_self_tests, scsi_start_stop, scsi_utilization, scsi_format_status,
	scsi_power_transitions, scsi_grown_defects, scsi_seagate_wear, scsi_seagate_cache, scsi_factory,
	scsi_hgst_miscellaneous, scsi_hgst_performance, scsi_host_phys, sat_identify;
extern const struct page ata_identify, ata_smart_thresholds, ata_smart_data, ata_smart_status, ata_log_directory,
	ata_statistics_list, ata_statistics_run_1, ata_statistics_run_2, ata_statistics_run_3, ata_statistics_run_4,
	ata_statistics_run_5, ata_statistics_run_6, ata_statistics_run_7, ata_general_statistics, ata_free_fall_statistics,
	ata_rotating_statistics, ata_error_statistics, ata_temperature_statistics, ata_temperature_now, ata_transport_statistics,
	ata_solid_state_statistics, ata_pending_defects, ata_extended_error_log, ata_summary_error_log, ata_extended_self_tests,
	ata_smart_self_tests, ata_sct_status, ata_sct_counts, ata_smart_sct_counts, ata_smart_sct_status, ata_phy_events, ata_farm_header, ata_farm_errors,
	ata_host_phys;
extern const struct page nvme_identify_controller, nvme_identify_namespace, nvme_identify_uuids, nvme_log_list, nvme_health,
	nvme_errors, nvme_firmware, nvme_self_tests, nvme_endurance_group, nvme_sanitize, nvme_ocp_health, nvme_ocp_latency,
	nvme_intel, nvme_pcie_link;
