/* The built-in table of SSD families. Patterns are models as IDENTIFY DEVICE has them. docs/wear-sources.md lists what each
 * row of wear and bytes rests on; tests/unit/ata_families.c has a number for every row. */
#include "base/cleanup.h"
#include "page/ata_meaning.h"

#define ROW(an_id, a_quantity, a_part, a_unit, a_name) \
	{ .id = an_id, .quantity = ATA_##a_quantity, .part = ATA_##a_part, .unit = ATA_##a_unit, .name = a_name }
/* An attribute whose number has another meaning here than its id suggests, or none that is sure. */
#define NOT(an_id, a_name) { .id = an_id, .quantity = ATA_NOTHING, .name = a_name }
#define FAMILY(a_name, some_models, a_firmware, the_rows, a_proof) \
	{ .name = a_name, .models = some_models, .firmware = a_firmware, .rows = the_rows, .n_rows = ARRAY_SIZE(the_rows), \
	  .proof = a_proof }

/* The value of 177 falls from 100; its raw number counts erase cycles. 5 counts blocks of flash, whatever its name: those of 181
 * and 182. 251 counts sectors. */
static const struct ata_meaning samsung[] = {
	ROW(177, WEAR, VALUE, PERCENT_LEFT, "Wear_Leveling_Count"),
	ROW(241, WRITTEN, RAW, LOGICAL_BLOCKS, "Total_LBAs_Written"),
	ROW(242, READ, RAW, LOGICAL_BLOCKS, "Total_LBAs_Read"),
	ROW(251, NAND_WRITTEN, RAW, LOGICAL_BLOCKS, "NAND_Writes"),
	ROW(5, RETIRED_BLOCKS, LOW32, COUNT, "Reallocated_Sector_Ct"),
	ROW(179, SPARE, VALUE, PERCENT, "Used_Rsvd_Blk_Cnt_Tot"),
	ROW(181, PROGRAM_FAILURES, LOW32, COUNT, "Program_Fail_Cnt_Total"),
	ROW(182, ERASE_FAILURES, LOW32, COUNT, "Erase_Fail_Count_Total"),
	ROW(187, UNCORRECTED, LOW32, COUNT, "Uncorrectable_Error_Cnt"),
	ROW(199, CRC_ERRORS, LOW32, COUNT, "CRC_Error_Count"),
	ROW(235, UNSAFE_SHUTDOWNS, LOW32, COUNT, "POR_Recovery_Count"),
	ROW(197, PENDING, LOW32, COUNT, "Current_Pending_Sector"),
	NOT(195, "ECC_Error_Rate"), NOT(183, "Runtime_Bad_Block"), NOT(180, "Unused_Rsvd_Blk_Cnt_Tot"),
	NOT(245, "Timed_Workld_Media_Wear"),
};

/* 226 counts 1/1024 per cent of a timed workload, and is 65535 without one: 233 tells the whole life. 5 counts blocks of
 * flash. */
static const struct ata_meaning intel[] = {
	ROW(233, WEAR, VALUE, PERCENT_LEFT, "Media_Wearout_Indicator"),
	ROW(241, WRITTEN, RAW, 32MIB, "Host_Writes_32MiB"),
	ROW(225, WRITTEN, RAW, 32MIB, "Host_Writes_32MiB"),
	ROW(242, READ, RAW, 32MIB, "Host_Reads_32MiB"),
	ROW(243, NAND_WRITTEN, RAW, 32MIB, "NAND_Writes_32MiB"),
	ROW(5, RETIRED_BLOCKS, LOW32, COUNT, "Reallocated_Sector_Ct"),
	ROW(170, SPARE, VALUE, PERCENT, "Available_Reservd_Space"),
	ROW(232, SPARE, VALUE, PERCENT, "Available_Reservd_Space"),
	ROW(171, PROGRAM_FAILURES, LOW32, COUNT, "Program_Fail_Count"),
	ROW(172, ERASE_FAILURES, LOW32, COUNT, "Erase_Fail_Count"),
	ROW(174, UNSAFE_SHUTDOWNS, LOW32, COUNT, "Unsafe_Shutdown_Count"),
	ROW(192, UNSAFE_SHUTDOWNS, LOW32, COUNT, "Unsafe_Shutdown_Count"),
	ROW(187, UNCORRECTED, LOW32, COUNT, "Reported_Uncorrect"),
	ROW(199, CRC_ERRORS, LOW32, COUNT, "CRC_Error_Count"),
	ROW(197, PENDING, LOW32, COUNT, "Pending_Sector_Count"),
	NOT(226, "Workld_Media_Wear_Indic"), NOT(227, "Workld_Host_Reads_Perc"), NOT(228, "Workload_Minutes"),
	NOT(175, "Power_Loss_Cap_Test"),
};

/* The same drives with Dell's firmware: 233 counts what 225 and 241 count, though it is the wear of the others. */
static const struct ata_meaning intel_dell[] = {
	ROW(245, WEAR, VALUE, PERCENT_LEFT, "Percent_Life_Remaining"),
	ROW(225, WRITTEN, RAW, 32MIB, "Host_Writes_32MiB"),
	ROW(5, RETIRED_BLOCKS, LOW32, COUNT, "Reallocated_Sector_Ct"),
	ROW(170, SPARE, VALUE, PERCENT, "Available_Reservd_Space"),
	ROW(181, PROGRAM_FAILURES, LOW32, COUNT, "Program_Fail_Cnt_Total"),
	ROW(182, ERASE_FAILURES, LOW32, COUNT, "Erase_Fail_Count_Total"),
	ROW(174, UNSAFE_SHUTDOWNS, LOW32, COUNT, "Unsafe_Shutdown_Count"),
	ROW(195, UNCORRECTED, LOW32, COUNT, "Uncorrectable_Error_Cnt"),
	ROW(199, CRC_ERRORS, LOW32, COUNT, "CRC_Error_Count"),
	NOT(201, "Power_Loss_Cap_Test"), NOT(202, "End_of_Life"), NOT(226, "Workld_Media_Wear_Indic"),
	NOT(233, "Host_Writes_32MiB"), NOT(241, "Host_Writes_32MiB"), NOT(242, "Host_Reads"),
};

/* 246 counts logical sectors of 512 bytes, not physical ones. 247 and 248 count flash pages of a size that is not told. */
#define MICRON_ROWS \
	ROW(202, WEAR, VALUE, PERCENT_LEFT, "Percent_Lifetime_Remain"), \
	ROW(246, WRITTEN, RAW, LOGICAL_BLOCKS, "Total_LBAs_Written"), \
	ROW(5, RETIRED_BLOCKS, LOW32, COUNT, "Reallocate_NAND_Blk_Cnt"), \
	ROW(171, PROGRAM_FAILURES, LOW32, COUNT, "Program_Fail_Count"), \
	ROW(172, ERASE_FAILURES, LOW32, COUNT, "Erase_Fail_Count"), \
	ROW(174, UNSAFE_SHUTDOWNS, LOW32, COUNT, "Unexpect_Power_Loss_Ct"), \
	ROW(187, UNCORRECTED, LOW32, COUNT, "Reported_Uncorrect"), \
	ROW(188, TIMEOUTS, LOW32, COUNT, "Command_Timeout"), \
	ROW(199, CRC_ERRORS, LOW32, COUNT, "UDMA_CRC_Error_Count"), \
	ROW(198, OFFLINE_UNCORRECTABLE, LOW32, COUNT, "Offline_Uncorrectable"), \
	NOT(173, "Avg_Block-Erase_Count"), NOT(180, "Unused_Reserve_NAND_Blk"), NOT(206, "Write_Error_Rate"), \
	NOT(247, "Host_Program_Page_Count"), NOT(248, "Bckgnd_Program_Page_Cnt"), NOT(197, "Current_Pending_ECC_Cnt")

static const struct ata_meaning micron[] = { MICRON_ROWS, ROW(170, SPARE, VALUE, PERCENT, "Reserved_Block_Pct") };
/* Of these 170 is a count. */
static const struct ata_meaning micron_clients[] = { MICRON_ROWS, NOT(170, "Reserved_Block_Count") };

/* 231 as a value falls from 100; its raw bytes are something else. 9 has milliseconds above the hours. */
static const struct ata_meaning sandforce[] = {
	ROW(231, WEAR, VALUE, PERCENT_LEFT, "SSD_Life_Left"),
	ROW(241, WRITTEN, RAW, GIB, "Lifetime_Writes_GiB"),
	ROW(242, READ, RAW, GIB, "Lifetime_Reads_GiB"),
	ROW(9, POWER_ON, LOW32, HOURS, "Power_On_Hours_and_Msec"),
	ROW(5, RETIRED_BLOCKS, LOW32, COUNT, "Retired_Block_Count"),
	ROW(171, PROGRAM_FAILURES, LOW32, COUNT, "Program_Fail_Count"),
	ROW(172, ERASE_FAILURES, LOW32, COUNT, "Erase_Fail_Count"),
	ROW(174, UNSAFE_SHUTDOWNS, LOW32, COUNT, "Unexpect_Power_Loss_Ct"),
	ROW(187, UNCORRECTED, LOW32, COUNT, "Reported_Uncorrect"),
	NOT(177, "Wear_Range_Delta"), NOT(181, "Program_Fail_Count"), NOT(182, "Erase_Fail_Count"),
	NOT(195, "ECC_Uncorr_Error_Count"), NOT(233, "SandForce_Internal"), NOT(234, "SandForce_Internal"),
};

/* Of the same descent, with the names that say GB and the numbers that are GiB; the raw bytes of 231 hold several numbers. 1
 * has errors above operations and no meaning as a value. */
static const struct ata_meaning seagate_sata[] = {
	ROW(231, WEAR, VALUE, PERCENT_LEFT, "SSD_Life_Left"),
	ROW(241, WRITTEN, RAW, GIB, "Lifetime_Wts_Frm_Hst_GB"),
	ROW(242, READ, RAW, GIB, "Lifetime_Rds_Frm_Hst_GB"),
	ROW(233, NAND_WRITTEN, RAW, GIB, "Lifetime_Wts_To_Flsh_GB"),
	ROW(5, RETIRED_BLOCKS, LOW32, COUNT, "Reallocated_Sector_Ct"),
	ROW(171, PROGRAM_FAILURES, LOW32, COUNT, "Program_Fail_Count"),
	ROW(172, ERASE_FAILURES, LOW32, COUNT, "Erase_Fail_Count"),
	ROW(174, UNSAFE_SHUTDOWNS, LOW32, COUNT, "Unexpected_Pwr_Loss_Ct"),
	ROW(187, UNCORRECTED, LOW32, COUNT, "Uncorrectable_ECC_Ct"),
	ROW(199, CRC_ERRORS, LOW32, COUNT, "UDMA_CRC_Error_Count"),
	ROW(232, SPARE, VALUE, PERCENT, "Available_Reservd_Space"),
	NOT(1, "Raw_Read_Error_Rate"), NOT(170, "Grown_Bad_Block_Ct"), NOT(173, "Avg_Program/Erase_Ct"),
	NOT(177, "Wear_Range_Delta"), NOT(195, "RAISE_ECC_Cor_Ct"), NOT(198, "Uncor_Read_Error_Ct"),
	NOT(230, "Drv_Life_Protect_Status"), NOT(243, "Free_Space"),
};

/* Another make, of which this much is known. */
static const struct ata_meaning seagate_xf1230[] = { NOT(190, "SATA_Error_Ct"), NOT(233, "Unknown_Attribute") };

/* The raw number of 231 falls from 100. Its value stays at 100 on some firmware and is the life used on other (SBFK71...). */
static const struct ata_meaning phison[] = {
	ROW(231, WEAR, LOW8, PERCENT_LEFT, "SSD_Life_Left"),
	ROW(241, WRITTEN, RAW, GIB, "Lifetime_Writes_GiB"),
	ROW(242, READ, RAW, GIB, "Lifetime_Reads_GiB"),
	ROW(233, NAND_WRITTEN, RAW, GIB, "Flash_Writes_GiB"),
	ROW(181, PROGRAM_FAILURES, LOW32, COUNT, "Program_Fail_Count"),
	ROW(182, ERASE_FAILURES, LOW32, COUNT, "Erase_Fail_Count"),
	ROW(187, UNCORRECTED, LOW32, COUNT, "Reported_Uncorrect"),
	ROW(192, UNSAFE_SHUTDOWNS, LOW32, COUNT, "Unsafe_Shutdown_Count"),
	ROW(218, CRC_ERRORS, LOW32, COUNT, "CRC_Error_Count"),
	NOT(168, "SATA_Phy_Error_Count"), NOT(169, "Bad_Block_Rate"), NOT(170, "Bad_Blk_Ct_Erl/Lat"),
	NOT(172, "Erase_Fail_Count"), NOT(173, "MaxAvgErase_Ct"), NOT(199, "SATA_CRC_Error_Count"),
};

static const struct ata_meaning silicon_motion[] = {
	ROW(169, WEAR, LOW8, PERCENT_LEFT, "Remaining_Lifetime_Perc"),
	ROW(241, WRITTEN, RAW, 32MIB, "Host_Writes_32MiB"),
	ROW(242, READ, RAW, 32MIB, "Host_Reads_32MiB"),
	ROW(160, UNCORRECTED, LOW32, COUNT, "Uncorrectable_Error_Cnt"),
	ROW(181, PROGRAM_FAILURES, LOW32, COUNT, "Program_Fail_Cnt_Total"),
	ROW(182, ERASE_FAILURES, LOW32, COUNT, "Erase_Fail_Count_Total"),
	ROW(192, UNSAFE_SHUTDOWNS, LOW32, COUNT, "Power-Off_Retract_Count"),
	ROW(199, CRC_ERRORS, LOW32, COUNT, "UDMA_CRC_Error_Count"),
	NOT(177, "Wear_Leveling_Count"), NOT(232, "Available_Reservd_Space"), NOT(245, "Total_Erase_Count"),
};

/* 230 holds three words: life used by bytes written, by erase cycles, and the worse of the two. Each has whole per cents in
 * its high byte and hundredths in its low one (its value is of no use: it rests at 1 or at 100). */
static const struct ata_meaning western_digital[] = {
	ROW(230, WEAR, HIGH16, BYTES_OF_PERCENT, "Media_Wearout_Indicator"),
	ROW(241, WRITTEN, RAW, GIB, "Host_Writes_GiB"),
	ROW(242, READ, RAW, GIB, "Host_Reads_GiB"),
	ROW(5, RETIRED_BLOCKS, LOW32, COUNT, "Reallocated_Block_Count"),
	ROW(171, PROGRAM_FAILURES, LOW32, COUNT, "Program_Fail_Count"),
	ROW(172, ERASE_FAILURES, LOW32, COUNT, "Erase_Fail_Count"),
	ROW(174, UNSAFE_SHUTDOWNS, LOW32, COUNT, "Unexpected_Power_Loss"),
	ROW(187, UNCORRECTED, LOW32, COUNT, "Reported_Uncorrect"),
	ROW(188, TIMEOUTS, LOW32, COUNT, "Command_Timeout"),
	ROW(199, CRC_ERRORS, LOW32, COUNT, "UDMA_CRC_Error_Count"),
	ROW(232, SPARE, LOW8, PERCENT, "Available_Reservd_Space"),
	NOT(173, "Average_PE_Cycles"), NOT(233, "NAND_Writes_TLC"), NOT(234, "NAND_Writes_SLC"),
};

static const struct ata_meaning toshiba_hk4[] = {
	ROW(241, WRITTEN, RAW, 32MIB, "Host_Writes_32MiB"),
	ROW(242, READ, RAW, 32MIB, "Host_Reads_32MiB"),
	NOT(173, "Erase_Count"),
};

const struct ata_family ata_families[] = {
	FAMILY("Samsung SATA SSD", "Samsung SSD 8[3-8]0*|SAMSUNG MZ7*|MZ7*|SAMSUNG MZ-7*", NULL, samsung,
	       "captures of 840 EVO, 850 EVO, 860 EVO, 870 QVO, PM863, PM883, SM843T"),
	FAMILY("Intel SSD with Dell firmware", "SSDSC[12K][BJKH]*R", NULL, intel_dell, "capture of SSDSCKJB240G7R"),
	FAMILY("Intel and Solidigm SATA SSD", "INTEL SSDSA*|INTEL SSDSC[12K][BCJKH]*|SOLIDIGM SSDSC*|Solidigm SSDSC*", NULL, intel,
	       "captures of X25-M, 320, S3500, S3510, S3520, S4500, S4510, S4610"),
	FAMILY("Micron 5000 series SATA SSD", "Micron_5[1-9]*|MTFDDA*", NULL, micron,
	       "captures of 5200 (beside its Device Statistics), 5210, 5300"),
	FAMILY("Crucial and Micron client SSD", "Crucial_CT*M[X5]*|CT*MX[1-5]00SSD*|CT*BX500SSD*|Micron_M5[15]0*|Micron_M600*|Micron_1[13]00*",
	       NULL, micron_clients, "capture of MX200"),
	FAMILY("SandForce SSD", "TALOS2*|ADATA SSD SX9*|ADATA SSD S5*|KINGSTON SV300*|KINGSTON SKC300*|OCZ-VERTEX3*|OCZ-AGILITY3*",
	       NULL, sandforce, "captures of ADATA SX900, OCZ Talos 2"),
	FAMILY("Seagate SATA SSD", "ZA*NM1*|XA[0-9]*[LM]E*", NULL, seagate_sata,
	       "captures of IronWolf 110, Nytro 1351; names of openSeaChest say GiB"),
	FAMILY("Seagate XF1230", "XF1230*", NULL, seagate_xf1230, "drivedb's names"),
	FAMILY("Phison SSD", "KINGSTON SEDC[456]*|KINGSTON SA400*|Patriot Burst*|SPCC Solid State Disk|GIGABYTE GP-GSTFS*|SATA SSD|BP4 mSATA*",
	       "SBF*|S8FM*|SCEK*|SCEJ*|SCEH*", phison, "captures of Kingston A400 (two firmwares), Patriot, Silicon Power, Gigabyte"),
	FAMILY("Silicon Motion SSD", "TS*GMTS400*", NULL, silicon_motion, "capture of Transcend MTS400"),
	FAMILY("Western Digital and SanDisk SSD", "WDC*WDS[0-9]*|SanDisk SSD PLUS*|SanDisk SDSSDH3*|SanDisk SD9S*", NULL, western_digital,
	       "captures of WD Blue 3D, SanDisk SSD PLUS; WD's own Dashboard shows 37.06 % for 2506h"),
	FAMILY("Toshiba HK4", "TOSHIBA THNSN8*", NULL, toshiba_hk4, "unit of 241 in smartmontools' issue 312"),
	{ 0 },
};
