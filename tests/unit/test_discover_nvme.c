/* discover/: which NVMe controllers are drives of this host, and what the kernel counts of their ports. */
#include <string.h>

#include "test_discover.h"

static struct device *add_nvme(struct device_list *list, const char *name, const char *group, bool is_controller)
{
	struct device *d = add(list, name, group);

	d->transport = TRANSPORT_NVME;
	d->is_controller = d->is_askable = is_controller;
	return d;
}

static void controllers_that_are_no_drives_of_this_host_are_known(void **state)
{
	static const struct {
		const char *transport, *type, *subsystem;
		bool is_aside;
	} cases[] = {
		{ "pcie", "io", "nqn.1994-11.com.samsung:nvme:x", false }, { "pcie", "", "", false }, { "", "", "", false },
		{ "apple-nvme", "", "", false }, { "tcp", "io", "nqn.x", true }, { "rdma", "", "", true }, { "fc", "", "", true },
		{ "loop", "", "", true }, { "pcie", "discovery", "", true }, { "pcie", "admin", "", true },
		{ "pcie", "", "nqn.2014-08.org.nvmexpress.discovery", true }, { "pcie", "reserved", "", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(nvme_is_aside(cases[i].transport, cases[i].type, cases[i].subsystem), cases[i].is_aside);
}

/* With a controller that is left out go the namespaces that no other controller has. */
static void what_is_aside_is_left_out_whole(void **state)
{
	struct device_list list = { 0 };

	add_nvme(&list, "nvme0", "far", true)->is_aside = true;
	add_nvme(&list, "nvme1", "near", true);
	add_nvme(&list, "nvme2", "near", true)->is_aside = true;	/* the administrative one of a drive */
	add_nvme(&list, "nvme0n1", "far", false);
	add_nvme(&list, "nvme1n1", "near", false);
	add(&list, "sda", "far");
	nvme_leave_out(&list);
	assert_int_equal(list.n, 3);
	assert_string_equal(list.at[0].name, "nvme1");
	assert_string_equal(list.at[1].name, "nvme1n1");
	assert_string_equal(list.at[2].name, "sda");
	device_list_free(&list);
}

/* Older kernels do not say what a controller is for: then it says so itself. */
static void a_controller_that_says_so_itself_is_excluded_unless_asked_for(void **state)
{
	for (uint8_t type = 0; type <= 3; type++)
		for (int has_fabrics = 0; has_fabrics <= 1; has_fabrics++) {
			struct counts counts;
			struct drive_table table = table_with(&counts, NULL);
			struct device_list list = { 0 };
			struct drive *drive;

			table.has_fabrics = has_fabrics;
			add_nvme(&list, "nvme0", "n", true);
			assert_int_equal(drive_table_update(&table, SOURCE_HOST, &list), 0);
			drive = find(&table, "nvme0");
			drive->facts.nvme_is_aside = type >= 2;
			assert_true(tell(&table, drive, "M", "S1", ""));
			assert_int_equal(drive->is_excluded, type >= 2 && !has_fabrics);
			drive_table_free(&table);
			device_list_free(&list);
		}
}

/* The first of several namespaces is not the drive. */
static void the_size_of_one_namespace_is_not_the_drives(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };
	struct drive *drive;

	add_nvme(&list, "nvme0", "n", true);
	add_nvme(&list, "nvme0n1", "n", false)->size_bytes = 4096;
	assert_int_equal(drive_table_update(&table, SOURCE_HOST, &list), 0);
	drive = find(&table, "nvme0");
	assert_int_equal(drive_capacity_bytes_known(drive), 4096);	/* while it has told nothing itself */
	for (uint32_t nsid = 1; facts_namespace(&drive->facts, nsid); nsid++)
		facts_namespace(&drive->facts, nsid)->size_bytes = 4096;
	assert_int_equal(drive->facts.n_namespaces, FACTS_NAMESPACES);
	assert_int_equal(drive_capacity_bytes_known(drive), 0);		/* there may be more */
	drive->facts.n_namespaces = 3;
	assert_int_equal(drive_capacity_bytes_known(drive), 3 * 4096);
	drive->facts.nvme_total_bytes = 65536;
	assert_int_equal(drive_capacity_bytes_known(drive), 65536);
	drive_table_free(&table);
	device_list_free(&list);
}

static void the_kernels_totals_of_pcie_errors_are_read(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = {
		{ "RxErr 3\nBadTLP 4\nBadDLLP 0\nRollover 0\nTimeout 0\nNonFatalErr 0\nCorrIntErr 0\nHeaderOF 0\nTOTAL_ERR_COR 7\n", 7 },
		{ "Undefined 0\nTOTAL_ERR_NONFATAL 1\n", 1 }, { "TOTAL_ERR_FATAL 18446744073709551615", UINT64_MAX },
		{ "TOTAL_ERR 0", 0 },
	};
	static const char *const bad[] = { "", "RxErr 3\n", "TOTAL_ERR_COR", "TOTAL_ERR_COR \n", "TOTAL_ERR_COR -1",
					   "TOTAL_ERR_COR 18446744073709551616", "TOTAL_ERR_COR 1111111111111111111111111111" };
	uint64_t value;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_true(nvme_pcie_errors_from_text(good[i].text, &value));
		assert_true(value == good[i].value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(nvme_pcie_errors_from_text(bad[i], &value));
}

static void a_replay_tells_them_too(void **state)
{
	struct inventory_sysfs first[] = {
		{ (char *)"transport", (char *)"tcp" }, { (char *)"device/aer_dev_correctable", (char *)"TOTAL_ERR_COR 5" },
		{ (char *)"device/aer_dev_nonfatal", (char *)"TOTAL_ERR_NONFATAL 6" },
		{ (char *)"device/aer_dev_fatal", (char *)"TOTAL_ERR_FATAL 7" },
	};
	struct inventory_device devices[] = {
		{ .name = "nvme0", .is_controller = true, .diskseq = 1, .rotational = -1, .sysfs = first, .n_sysfs = ARRAY_SIZE(first) },
		{ .name = "nvme1", .is_controller = true, .diskseq = 1, .rotational = -1, .sysfs = first + 1, .n_sysfs = 1 },
	};
	struct inventory_drive drive = { .key = "k", .is_present = true, .transport = TRANSPORT_NVME, .devices = devices,
					 .n_devices = ARRAY_SIZE(devices) };
	AUTO_TEXT text = TEXT_LIMIT(10000);
	struct device_list list = { 0 };
	char key[INVENTORY_KEY_MAX];

	inventory_write(&drive, &text);
	assert_int_equal(discover_inventory(text.at, &list, key), 0);
	assert_int_equal(list.n, 2);
	assert_true(list.at[0].is_aside && list.at[0].has_pcie_errors);
	assert_int_equal(list.at[0].pcie_errors[PCIE_CORRECTABLE], 5);
	assert_int_equal(list.at[0].pcie_errors[PCIE_NONFATAL], 6);
	assert_int_equal(list.at[0].pcie_errors[PCIE_FATAL], 7);
	assert_false(list.at[1].is_aside || list.at[1].has_pcie_errors);
	device_list_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(controllers_that_are_no_drives_of_this_host_are_known),
		cmocka_unit_test(what_is_aside_is_left_out_whole),
		cmocka_unit_test(a_controller_that_says_so_itself_is_excluded_unless_asked_for),
		cmocka_unit_test(the_size_of_one_namespace_is_not_the_drives),
		cmocka_unit_test(the_kernels_totals_of_pcie_errors_are_read),
		cmocka_unit_test(a_replay_tells_them_too),
	};

	return cmocka_run_group_tests_name("discover: NVMe", tests, NULL, NULL);
}
