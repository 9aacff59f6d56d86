/* discover/: which devices are one drive, and which only look so. */
#include "test_discover.h"

#include <stdio.h>
#include <stdlib.h>

#define NAME "5000c50012345670"

/* A SCSI disk as the kernel shows it where it has no VPD pages of it. */
static struct device *add_disk(struct device_list *list, const char *name, uint64_t diskseq, const char *path)
{
	char group[64];
	struct device *d;

	snprintf(group, sizeof group, "device:%s:%u", name, (unsigned)diskseq);
	d = add(list, name, group);
	d->diskseq = diskseq;
	d->size_bytes = 1 << 30;
	text_copy(d->path, sizeof d->path, path);
	return d;
}

static struct drive *holder(const struct drive_table *table, const char *device)
{
	for (size_t i = 0; i < table->n; i++)
		for (size_t k = 0; k < table->at[i]->n_devices; k++)
			if (!strcmp(table->at[i]->devices[k].name, device))
				return table->at[i];
	fail_msg("no drive has %s", device);
	return NULL;
}

static void update(struct drive_table *table, const struct device_list *list)
{
	assert_int_equal(drive_table_update(table, SOURCE_HOST, list), 0);
}

static void drop(struct device_list *list, size_t i)
{
	memmove(list->at + i, list->at + i + 1, (--list->n - i) * sizeof *list->at);
}

/* ---- paths that meet late */

static void two_paths_meet_when_both_have_told(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };
	struct drive *first;

	add_disk(&list, "sda", 7, "0:0:0:0");
	add_disk(&list, "sdb", 8, "1:0:0:0");
	update(&table, &list);
	assert_int_equal(table.n, 2);
	first = holder(&table, "sda");
	assert_true(tell(&table, first, "M", "S1", NAME));
	assert_false(tell(&table, holder(&table, "sdb"), "M", "S1", NAME));
	assert_int_equal(table.n, 1);
	assert_int_equal(counts.removed, 1);
	assert_string_equal(counts.last_removed, "unidentified_1:0:0:0");
	assert_ptr_equal(table.at[0], first);
	assert_string_equal(first->label, "M_S1");
	assert_int_equal(first->n_devices, 2);
	assert_string_equal(first->devices[0].name, "sda");
	assert_string_equal(first->devices[1].name, "sdb");
	assert_string_equal(drive_node(first, 1)->name, "sdb");
	drive_table_free(&table);
	device_list_free(&list);
}

/* Whoever told first has the readings, and goes on; the path it is served with hangs on the order of the list alone. */
static void who_told_first_stays(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };
	struct drive *second;

	add_disk(&list, "sda", 7, "0:0:0:0");
	add_disk(&list, "sdb", 8, "1:0:0:0");
	update(&table, &list);
	second = holder(&table, "sdb");
	assert_true(tell(&table, second, "M", "S1", NAME));
	assert_false(tell(&table, holder(&table, "sda"), "M", "S1", NAME));
	assert_int_equal(table.n, 1);
	assert_ptr_equal(table.at[0], second);
	for (int i = 0; i < 2; i++) {
		assert_string_equal(second->devices[0].name, "sda");
		assert_string_equal(second->devices[1].name, "sdb");
		update(&table, &list);
	}
	drive_table_free(&table);
	device_list_free(&list);
}

static void they_stay_one_while_one_path_is_there(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };
	struct drive *drive;

	add_disk(&list, "sda", 7, "0:0:0:0");
	add_disk(&list, "sdb", 8, "1:0:0:0");
	update(&table, &list);
	drive = holder(&table, "sda");
	tell(&table, drive, "M", "S1", NAME);
	tell(&table, holder(&table, "sdb"), "M", "S1", NAME);
	for (int i = 0; i < 3; i++)
		update(&table, &list);
	assert_ptr_equal(holder(&table, "sdb"), drive);

	drop(&list, 0);			/* by which it was found */
	update(&table, &list);
	update(&table, &list);
	assert_int_equal(table.n, 1);
	assert_ptr_equal(holder(&table, "sdb"), drive);
	assert_int_equal(drive->n_devices, 1);
	assert_string_equal(drive->label, "M_S1");

	add_disk(&list, "sda", 9, "0:0:0:0");	/* it is back: known when it has told */
	update(&table, &list);
	assert_int_equal(table.n, 2);
	assert_ptr_not_equal(holder(&table, "sda"), drive);
	assert_false(tell(&table, holder(&table, "sda"), "M", "S1", NAME));
	assert_ptr_equal(holder(&table, "sda"), drive);
	assert_int_equal(drive->n_devices, 2);
	assert_int_equal(counts.added, 3);
	assert_int_equal(counts.removed, 2);

	list.n = 0;
	update(&table, &list);
	assert_int_equal(table.n, 0);
	drive_table_free(&table);
	device_list_free(&list);
}

static void a_disk_that_comes_in_the_place_of_a_path_is_its_own(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };
	struct drive *drive;

	add_disk(&list, "sda", 7, "0:0:0:0");
	add_disk(&list, "sdb", 8, "1:0:0:0");
	update(&table, &list);
	drive = holder(&table, "sda");
	tell(&table, drive, "M", "S1", NAME);
	tell(&table, holder(&table, "sdb"), "M", "S1", NAME);
	drop(&list, 1);
	add_disk(&list, "sdb", 12, "1:0:0:0");
	update(&table, &list);
	assert_int_equal(table.n, 2);
	assert_int_equal(drive->n_devices, 1);
	assert_true(tell(&table, holder(&table, "sdb"), "M", "S2", "5000c50012345680"));
	assert_string_equal(holder(&table, "sdb")->label, "M_S2");
	assert_string_equal(drive->label, "M_S1");
	drive_table_free(&table);
	device_list_free(&list);
}

static void what_answers_in_its_place_has_no_paths_of_it(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };

	add_disk(&list, "sda", 7, "0:0:0:0");
	add_disk(&list, "sdb", 8, "1:0:0:0");
	update(&table, &list);
	tell(&table, holder(&table, "sda"), "M", "S1", NAME);
	tell(&table, holder(&table, "sdb"), "M", "S1", NAME);
	drive_table_replace(&table, holder(&table, "sda"));
	assert_int_equal(table.n, 2);
	assert_ptr_not_equal(holder(&table, "sda"), holder(&table, "sdb"));
	update(&table, &list);
	assert_int_equal(table.n, 2);
	drive_table_free(&table);
	device_list_free(&list);
}

/* ---- strangers */

struct stranger {
	const char *why;
	void (*make)(struct device *, struct drive_facts *);
};

static void other_serial(struct device *d, struct drive_facts *f)
{
	text_copy(f->serial, sizeof f->serial, "S2");
}

static void other_model(struct device *d, struct drive_facts *f)
{
	text_copy(f->model, sizeof f->model, "N");
}

static void other_vendor(struct device *d, struct drive_facts *f)
{
	text_copy(f->vendor, sizeof f->vendor, "W");
}

static void other_name(struct device *d, struct drive_facts *f)
{
	text_copy(f->wwn, sizeof f->wwn, "5000c50012345671");
}

static void other_capacity(struct device *d, struct drive_facts *f)
{
	f->capacity_bytes = 1 << 29;
}

static void other_size(struct device *d, struct drive_facts *f)
{
	d->size_bytes = 1 << 29;
}

static void other_transport(struct device *d, struct drive_facts *f)
{
	f->is_sas = true;
}

static void other_unit(struct device *d, struct drive_facts *f)
{
	text_copy(d->path, sizeof d->path, "0:0:0:1");
}

static void other_wwid(struct device *d, struct drive_facts *f)
{
	text_copy(d->wwn, sizeof d->wwn, "5000c50012345671");
}

static void no_number(struct device *d, struct drive_facts *f)
{
	d->diskseq = 0;
}

static void usb(struct device *d, struct drive_facts *f)
{
	text_copy(d->devpath, sizeof d->devpath, "/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host1/target1:0:0/"
						 "1:0:0:0/block/sdb");
}

static void ata(struct device *d, struct drive_facts *f)
{
	d->transport = f->transport = TRANSPORT_ATA;
}

/* True if a disk, and one like it but for that, are taken for one. */
static bool are_one(void (*make)(struct device *, struct drive_facts *), const char *wwn, const char *serial)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };
	struct drive_facts facts = { .capacity_bytes = 1 << 30, .vendor = "V", .model = "M", .rpm = -1 };
	bool is_one;

	text_copy(facts.serial, sizeof facts.serial, serial);
	text_copy(facts.wwn, sizeof facts.wwn, wwn);
	text_copy(add_disk(&list, "sda", 7, "0:0:0:0")->wwn, 33, make == other_wwid ? wwn : "");
	add_disk(&list, "sdb", 8, "1:0:0:0");
	update(&table, &list);
	holder(&table, "sda")->facts = facts;
	assert_true(drive_identified(&table, holder(&table, "sda")));
	if (make)
		make(&holder(&table, "sdb")->devices[0], &facts);
	holder(&table, "sdb")->facts = facts;
	is_one = !drive_identified(&table, holder(&table, "sdb"));
	assert_int_equal(table.n, is_one ? 1 : 2);
	if (!is_one)
		assert_string_not_equal(table.at[0]->label, table.at[1]->label);
	drive_table_free(&table);
	device_list_free(&list);
	return is_one;
}

static void strangers_stay_apart(void **state)
{
	static const struct stranger strangers[] = {
		{ "serial", other_serial }, { "model", other_model }, { "vendor", other_vendor }, { "name", other_name },
		{ "capacity", other_capacity }, { "size", other_size }, { "transport", other_transport },
		{ "protocol", ata }, { "unit", other_unit }, { "wwid", other_wwid }, { "no diskseq", no_number }, { "usb", usb },
	};

	assert_true(are_one(NULL, NAME, "S1"));
	for (size_t i = 0; i < ARRAY_SIZE(strangers); i++)
		if (are_one(strangers[i].make, NAME, "S1"))
			fail_msg("merged in spite of another: %s", strangers[i].why);
}

static void a_name_or_a_serial_that_tells_nothing_merges_nobody(void **state)
{
	static const char *const no_names[] = {
		"", "0", "5000c500", "5000c5001234567", "0000000000000000", "ffffffffffffffff", "5000000000000000",
		"5fffffffffffffff", "00000000000000000000000000000000", "ffffffffffffffffffffffffffffffff", "not hexadecimal!",
	};
	static const char *const names[] = { NAME, "6000c500123456700000000000000000", "0025385a91b00122" };
	static const char *const no_serials[] = { "", "0", "00000000", "123456789", "SERIAL NUMBER" };

	for (size_t i = 0; i < ARRAY_SIZE(no_names); i++) {
		assert_false(wwn_is_name(no_names[i]));
		assert_false(are_one(NULL, no_names[i], "S1"));
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_true(wwn_is_name(names[i]));
		assert_true(are_one(NULL, names[i], "S1"));
	}
	for (size_t i = 0; i < ARRAY_SIZE(no_serials); i++)
		assert_false(are_one(NULL, NAME, no_serials[i]));
}

static void ata_disks_meet_too_and_nvme_and_replays_do_not(void **state)
{
	static const struct {
		enum device_source source;
		enum transport transport;
		size_t drives;
	} cases[] = {
		{ SOURCE_HOST, TRANSPORT_SCSI, 1 }, { SOURCE_HOST, TRANSPORT_ATA, 1 }, { SOURCE_HOST, TRANSPORT_NVME, 2 },
		{ SOURCE_REPLAY, TRANSPORT_SCSI, 2 }, { SOURCE_REPLAY, TRANSPORT_ATA, 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct counts counts;
		struct drive_table table = table_with(&counts, NULL);
		struct device_list list = { 0 };

		add_disk(&list, "sda", 7, "0:0:0:0");
		add_disk(&list, "sdb", 8, "1:0:0:0");
		for (size_t k = 0; k < list.n; k++) {
			list.at[k].source = cases[i].source;
			list.at[k].transport = cases[i].transport;
		}
		assert_int_equal(drive_table_update(&table, cases[i].source, &list), 0);
		tell(&table, holder(&table, "sda"), "M", "S1", NAME);
		tell(&table, holder(&table, "sdb"), "M", "S1", NAME);
		assert_int_equal(table.n, cases[i].drives);
		drive_table_free(&table);
		device_list_free(&list);
	}
}

/* A disk of this host, and a capture of it. */
static void a_replay_is_not_merged_with_the_host(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list host = { 0 }, replay = { 0 };

	add_disk(&host, "sda", 7, "0:0:0:0");
	add_disk(&replay, "sda", 7, "0:0:0:0")->source = SOURCE_REPLAY;
	update(&table, &host);
	assert_int_equal(drive_table_update(&table, SOURCE_REPLAY, &replay), 0);
	assert_true(tell(&table, table.at[0], "M", "S1", NAME));
	assert_true(tell(&table, table.at[1], "M", "S1", NAME));
	assert_int_equal(table.n, 2);
	drive_table_free(&table);
	device_list_free(&host);
	device_list_free(&replay);
}

static void units_of_one_disk_are_drives_of_their_own(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };

	add_disk(&list, "sda", 7, "0:0:0:0");
	add_disk(&list, "sdb", 8, "0:0:0:1");
	update(&table, &list);
	assert_true(tell(&table, holder(&table, "sda"), "MACH2", "S1", "6000c500a0000001"));
	assert_true(tell(&table, holder(&table, "sdb"), "MACH2", "S1", "6000c500a0000002"));
	assert_string_equal(holder(&table, "sda")->label, "MACH2_S1_6000c500a0000001");
	assert_string_equal(holder(&table, "sdb")->label, "MACH2_S1_6000c500a0000002");
	drive_table_free(&table);
	device_list_free(&list);
}

/* A disk whose name is all ones is told by its place, and is nobody's sibling. */
static void what_is_no_name_is_in_no_label(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };

	add_disk(&list, "sda", 7, "0:0:0:0");
	add_disk(&list, "sdb", 8, "1:0:0:0");
	add_disk(&list, "sdc", 9, "2:0:0:0");
	update(&table, &list);
	tell(&table, holder(&table, "sda"), "M", "0000", "ffffffffffffffff");
	tell(&table, holder(&table, "sdb"), "M", "S1", "ffffffffffffffff");
	tell(&table, holder(&table, "sdc"), "M", "S1", NAME);
	assert_string_equal(holder(&table, "sda")->label, "M_0000_0:0:0:0");
	assert_string_equal(holder(&table, "sdb")->label, "M_S1");
	assert_string_equal(holder(&table, "sdc")->label, "M_S1_" NAME);
	drive_table_free(&table);
	device_list_free(&list);
}

/* ---- what the kernel knows */

static void a_group_needs_a_name_and_a_serial(void **state)
{
	static const struct {
		const char *wwid, *serial, *group;
	} cases[] = {
		{ "naa." NAME, "S1", "wwn:" NAME ":S1" },
		{ "naa.6000c500123456700000000000000000", "S1", "wwn:6000c500123456700000000000000000:S1" },
		{ "naa." NAME, "S2", "wwn:" NAME ":S2" },		/* a name given twice */
		{ "naa." NAME, "", NULL }, { "naa." NAME, "0000", NULL }, { "naa." NAME, "0123456789", NULL },
		{ "naa.0000000000000000", "S1", NULL }, { "naa.ffffffffffffffff", "S1", NULL }, { "naa.5000000000000000", "S1", NULL },
		{ "naa.5000c500", "S1", NULL }, { "naa.", "S1", NULL }, { "", "S1", NULL },
		{ "naa." NAME NAME "0", "S1", NULL }, { "naa.5000c5001234567x", "S1", NULL },
		{ "eui.0000000000000000", "S1", NULL }, { "eui.0025385a91b00122", "S1", NULL },
		{ "t10.ATA     M S1", "S1", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char wwn[33], group[160] = "device:sda:7";

		wwn_from_wwid(cases[i].wwid, wwn);
		assert_int_equal(group_of_name(wwn, cases[i].serial, group, sizeof group), cases[i].group != NULL);
		assert_string_equal(group, cases[i].group ? cases[i].group : "device:sda:7");
	}
}

static void one_group_is_one_drive_but_for_strangers(void **state)
{
	static const struct stranger strangers[] = {
		{ "size", other_size }, { "unit", other_unit }, { "usb", usb }, { "protocol", ata }, { "wwid", other_wwid },
	};

	for (size_t i = 0; i <= ARRAY_SIZE(strangers); i++) {
		struct counts counts;
		struct drive_table table = table_with(&counts, NULL);
		struct device_list list = { 0 };
		struct drive_facts facts;

		for (int k = 0; k < 2; k++) {
			struct device *d = add_disk(&list, k ? "sdb" : "sda", 7 + k, k ? "1:0:0:0" : "0:0:0:0");

			text_copy(d->group, sizeof d->group, "wwn:" NAME ":S1");
			text_copy(d->wwn, sizeof d->wwn, NAME);
		}
		if (i < ARRAY_SIZE(strangers))
			strangers[i].make(&list.at[1], &facts);
		update(&table, &list);
		assert_int_equal(table.n, i < ARRAY_SIZE(strangers) ? 2 : 1);
		update(&table, &list);
		assert_int_equal(table.n, i < ARRAY_SIZE(strangers) ? 2 : 1);
		assert_int_equal(counts.removed, 0);
		drive_table_free(&table);
		device_list_free(&list);
	}
}

/* Between two looks the disk was away, and came back where it was. */
static void a_disk_that_comes_back_under_another_name_is_known(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };

	text_copy(add_disk(&list, "sda", 7, "0:0:0:0")->group, 160, "wwn:" NAME ":S1");
	update(&table, &list);
	list.at[0].diskseq = 8;
	text_copy(list.at[0].name, sizeof list.at[0].name, "sdb");
	update(&table, &list);
	assert_int_equal(table.n, 1);
	assert_int_equal(counts.added, 1);
	drive_table_free(&table);
	device_list_free(&list);
}

/* A path that is not ready has no size yet; a drive may be resized. */
static void a_size_that_changes_parts_nobody(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };
	struct drive *drive;

	for (int k = 0; k < 2; k++)
		text_copy(add_disk(&list, k ? "sdb" : "sda", k ? 0 : 7, k ? "1:0:0:0" : "0:0:0:0")->group, 160, "wwn:" NAME ":S1");
	list.at[1].size_bytes = 0;
	update(&table, &list);
	drive = holder(&table, "sda");
	assert_ptr_equal(holder(&table, "sdb"), drive);
	list.at[1].size_bytes = 1 << 20;
	update(&table, &list);
	list.at[0].size_bytes = 1 << 21;
	update(&table, &list);
	assert_int_equal(table.n, 1);
	assert_ptr_equal(holder(&table, "sdb"), drive);
	assert_int_equal(counts.added, 1);
	drive_table_free(&table);
	device_list_free(&list);
}

static void what_the_kernel_learns_late_changes_no_drive(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };
	struct device *d;
	struct drive *drive;

	add_disk(&list, "sda", 7, "0:0:0:0");
	update(&table, &list);
	drive = table.at[0];
	text_copy(list.at[0].group, sizeof list.at[0].group, "wwn:" NAME ":S1");	/* not told yet who it is */
	text_copy(list.at[0].wwn, sizeof list.at[0].wwn, NAME);
	update(&table, &list);
	assert_ptr_equal(table.at[0], drive);
	assert_string_equal(drive->devices[0].wwn, NAME);
	tell(&table, drive, "M", "S1", NAME);

	d = add_disk(&list, "sdb", 8, "1:0:0:0");	/* a second path, of which it knows at once */
	text_copy(d->group, sizeof d->group, "wwn:" NAME ":S1");
	update(&table, &list);
	assert_int_equal(table.n, 1);
	assert_int_equal(drive->n_devices, 2);
	assert_int_equal(counts.added, 1);
	assert_int_equal(counts.removed, 0);
	drive_table_free(&table);
	device_list_free(&list);
}

/* Kernels before 5.15 have no diskseq: then only what the drive has told itself is no news. */
static void without_diskseq_what_is_learned_late_must_be_as_told(void **state)
{
	for (int is_same = 0; is_same <= 1; is_same++) {
		struct counts counts;
		struct drive_table table = table_with(&counts, NULL);
		struct device_list list = { 0 };
		struct drive *drive;

		add_disk(&list, "sda", 0, "0:0:0:0");
		update(&table, &list);
		drive = table.at[0];
		tell(&table, drive, "M", "S1", NAME);
		text_copy(list.at[0].group, sizeof list.at[0].group, is_same ? "wwn:" NAME ":S1" : "wwn:" NAME ":S2");
		update(&table, &list);
		assert_int_equal(table.n, 1);
		assert_int_equal(counts.added, is_same ? 1 : 2);
		assert_int_equal(table.at[0]->is_identified, is_same);
		drive_table_free(&table);
		device_list_free(&list);
	}
}

/* Of NVMe only the subsystem counts: all that leaves together comes back together. */
static void a_namespace_stays_with_its_controller(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };

	add(&list, "nvme0", "nvme:a")->is_controller = true;
	add(&list, "nvme0n1", "nvme:a")->diskseq = 5;
	add(&list, "nvme0n2", "nvme:a")->diskseq = 6;
	list.at[1].size_bytes = 1;
	list.at[2].size_bytes = 2;
	for (size_t i = 0; i < list.n; i++)
		list.at[i].transport = TRANSPORT_NVME;
	update(&table, &list);
	assert_int_equal(table.n, 1);
	for (size_t i = 0; i < list.n; i++)
		text_copy(list.at[i].group, sizeof list.at[i].group, "nvme:b");
	update(&table, &list);
	assert_int_equal(table.n, 1);
	assert_int_equal(counts.added, 2);
	assert_int_equal(table.at[0]->n_devices, 3);
	drive_table_free(&table);
	device_list_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_paths_meet_when_both_have_told),
		cmocka_unit_test(who_told_first_stays),
		cmocka_unit_test(they_stay_one_while_one_path_is_there),
		cmocka_unit_test(a_disk_that_comes_in_the_place_of_a_path_is_its_own),
		cmocka_unit_test(what_answers_in_its_place_has_no_paths_of_it),
		cmocka_unit_test(strangers_stay_apart),
		cmocka_unit_test(a_name_or_a_serial_that_tells_nothing_merges_nobody),
		cmocka_unit_test(ata_disks_meet_too_and_nvme_and_replays_do_not),
		cmocka_unit_test(a_replay_is_not_merged_with_the_host),
		cmocka_unit_test(units_of_one_disk_are_drives_of_their_own),
		cmocka_unit_test(what_is_no_name_is_in_no_label),
		cmocka_unit_test(a_group_needs_a_name_and_a_serial),
		cmocka_unit_test(one_group_is_one_drive_but_for_strangers),
		cmocka_unit_test(a_disk_that_comes_back_under_another_name_is_known),
		cmocka_unit_test(a_size_that_changes_parts_nobody),
		cmocka_unit_test(what_the_kernel_learns_late_changes_no_drive),
		cmocka_unit_test(without_diskseq_what_is_learned_late_must_be_as_told),
		cmocka_unit_test(a_namespace_stays_with_its_controller),
	};

	return cmocka_run_group_tests_name("discover_same", tests, NULL, NULL);
}
