/* discover/: where in an enclosure a drive sits. The trees are made, as the kernel's ses driver shows them. */
#include "test_discover.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sysfs.h"

/* ---- what the kernel says */

static void a_place_is_read_out_of_its_link(void **state)
{
	static const struct {
		const char *link, *target, *enclosure, *component;	/* enclosure NULL: it is none */
	} cases[] = {
		{ "enclosure_device:Slot 05", "../../../0:0:24:0/enclosure/0:0:24:0/Slot 05", "0:0:24:0", "Slot 05" },
		{ "enclosure_device:Slot 05", "../../../0:0:24:0/enclosure/0:0:24:0/Slot\\x2005", "0:0:24:0", "Slot 05" },
		{ "enclosure_device:5", "/sys/class/enclosure/10:0:0:0/5", "10:0:0:0", "5" },
		{ "enclosure_device:5", "enclosure/10:0:0:0/5", "10:0:0:0", "5" },
		{ "enclosure_device:  SLOT  01   ", "/x/enclosure/0:0:1:0/  SLOT  01   ", "0:0:1:0", "SLOT  01" },
		{ "enclosure_device:Disk #1\n\x7f", "/x/enclosure/0:0:1:0/y", "0:0:1:0", "Disk _1__" },
		{ "enclosure_device:a\\x20b/c", "/x/enclosure/0:0:1:0/y", "0:0:1:0", "a_x20b_c" },
		{ "enclosure_device:\xc3\xa4", "/x/enclosure/0:0:1:0/y", "0:0:1:0", "\xc3\xa4" },
		{ "enclosure_device:\xc3\xa4\xff", "/x/enclosure/0:0:1:0/y", "0:0:1:0", "___" },
		{ "enclosure_device:", "/x/enclosure/0:0:1:0/y", NULL, "" },
		{ "enclosure_device:   ", "/x/enclosure/0:0:1:0/y", NULL, "" },
		{ "enclosure:5", "/x/enclosure/0:0:1:0/5", NULL, "" },
		{ "enclosure_device:5", "/x/enclosure/..", NULL, "" },
		{ "enclosure_device:5", "/x/enclosure/../5", NULL, "" },
		{ "enclosure_device:5", "/x/enclosure//5", NULL, "" },
		{ "enclosure_device:5", "/x/enclosure/0:0:1:0/", NULL, "" },
		{ "enclosure_device:5", "/x/enclosures/0:0:1:0/5", NULL, "" },
		{ "enclosure_device:5", "/xenclosure/0:0:1:0/5", NULL, "" },
		{ "enclosure_device:5", "/0:0:1:0/5", NULL, "" }, { "enclosure_device:5", "0:0:1:0/5", NULL, "" },
		{ "enclosure_device:5", "5", NULL, "" }, { "enclosure_device:5", "/", NULL, "" }, { "enclosure_device:5", "", NULL, "" },
		{ "enclosure_device:5", "/x/enclosure/"
		  "0123456789012345678901234567890123456789012345678901234567890123/5", NULL, "" },
		{ "enclosure_device:0123456789012345678901234567890123456789012345678901234567890123",
		  "/x/enclosure/0:0:1:0/5", NULL, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct device_slot slot = { .id = "0x1" };

		if (slot_from_link(&slot, cases[i].link, cases[i].target) != (cases[i].enclosure != NULL))
			fail_msg("%s to %s", cases[i].link, cases[i].target);
		assert_string_equal(slot.enclosure, cases[i].enclosure ? cases[i].enclosure : "");
		assert_string_equal(slot.component, cases[i].component);
		assert_string_equal(slot.id, "");
	}
}

static void numbers_of_an_enclosure_are_judged(void **state)
{
	static const struct {
		const char *said, *id;
	} ids[] = {
		{ "0x500304801e8a7b3f", "0x500304801e8a7b3f" }, { "0x30605b000272bf", "0x0030605b000272bf" },	/* "%#llx" */
		{ "0", "" }, { "0x0", "" }, { "0xffffffffffffffff", "" }, { "0x1500304801e8a7b3f", "" }, { "0x", "" }, { "", "" },
		{ "500304801e8a7b3f", "" }, { "0x50 03", "" }, { "-1", "" },
	};
	static const struct {
		const char *said, *number;
	} numbers[] = {
		{ "5", "5" }, { "0", "0" }, { "05", "5" }, { "2147483647", "2147483647" }, { "2147483648", "" }, { "-1", "" },
		{ "", "" }, { "5 ", "" }, { "0x5", "" }, { "Slot 5", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		struct device_slot slot = { .enclosure = "0:0:1:0" };

		slot_take_id(&slot, ids[i].said);
		assert_string_equal(slot.id, ids[i].id);
		assert_string_equal(slot_enclosure(&slot), *ids[i].id ? ids[i].id : "0:0:1:0");
	}
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct device_slot slot = { .component = "Slot 05" };

		slot_take_number(&slot, numbers[i].said);
		assert_string_equal(slot.number, numbers[i].number);
		assert_string_equal(slot_name(&slot), *numbers[i].number ? numbers[i].number : "Slot 05");
	}
}

/* ---- a tree of folders */

struct tree {
	char top[64], disk[128];
};

static const char *below(const struct tree *t, const char *path)
{
	static char whole[SYSFS_PATH_MAX];

	snprintf(whole, sizeof whole, "%s/%s", t->top, path);
	return whole;
}

static void make_folders(const struct tree *t, const char *path)
{
	char whole[SYSFS_PATH_MAX];

	snprintf(whole, sizeof whole, "%s/%s", t->top, path);
	for (char *at = whole + strlen(t->top) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = 0;
		(void)mkdir(whole, 0700);
	}
	(void)mkdir(whole, 0700);
}

static void put(const struct tree *t, const char *folder, const char *name, const char *value)
{
	char path[SYSFS_PATH_MAX];
	FILE *f;

	make_folders(t, folder);
	snprintf(path, sizeof path, "%s/%s/%s", t->top, folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(value, f);
	assert_int_equal(fclose(f), 0);
}

static struct tree tree_new(void)
{
	struct tree t = { .top = "/tmp/discover_slot.XXXXXX" };

	assert_non_null(mkdtemp(t.top));
	make_folders(&t, "devices/0:0:4:0/block/sda");
	assert_int_equal(symlink("../../../0:0:4:0", below(&t, "devices/0:0:4:0/block/sda/device")), 0);
	snprintf(t.disk, sizeof t.disk, "%s/devices/0:0:4:0/block/sda", t.top);
	return t;
}

static void remove_all(const char *path)
{
	struct stat st;
	DIR *dir;

	if (lstat(path, &st))
		return;
	dir = S_ISDIR(st.st_mode) ? opendir(path) : NULL;
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		char whole[1024];

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(whole, sizeof whole, "%s/%s", path, entry->d_name);
		remove_all(whole);
	}
	if (dir)
		closedir(dir);
	remove(path);
}

/* A component of an enclosure, and the disk's link to it. */
static void put_place(const struct tree *t, const char *enclosure, const char *component, const char *slot)
{
	char folder[SYSFS_PATH_MAX], target[SYSFS_PATH_MAX], link[SYSFS_PATH_MAX];

	snprintf(folder, sizeof folder, "devices/%s/enclosure/%s/%s", enclosure, enclosure, component);
	make_folders(t, folder);
	if (slot)
		put(t, folder, "slot", slot);
	snprintf(target, sizeof target, "../%s/enclosure/%s/%s", enclosure, enclosure, component);
	snprintf(link, sizeof link, "%s/devices/0:0:4:0/enclosure_device:%s", t->top, component);
	assert_int_equal(symlink(target, link), 0);
}

static struct device_slot read_slot(const struct tree *t)
{
	struct device_slot slot;

	memset(&slot, 0x55, sizeof slot);
	slot_from_sysfs(&slot, t->disk);
	return slot;
}

static void a_place_is_found_in_sysfs(void **state)
{
	struct tree t = tree_new();
	struct device_slot slot;

	slot = read_slot(&t);
	assert_string_equal(slot_enclosure(&slot), "");
	assert_string_equal(slot_name(&slot), "");
	put_place(&t, "0:0:24:0", "Slot 05", NULL);
	slot = read_slot(&t);
	assert_string_equal(slot_enclosure(&slot), "0:0:24:0");		/* nothing more is told */
	assert_string_equal(slot_name(&slot), "Slot 05");
	put(&t, "devices/0:0:24:0/enclosure/0:0:24:0/Slot 05", "slot", "7\n");
	put(&t, "devices/0:0:24:0/enclosure/0:0:24:0", "id", "0x500304801e8a7b3f\n");
	slot = read_slot(&t);
	assert_string_equal(slot_enclosure(&slot), "0x500304801e8a7b3f");
	assert_string_equal(slot_name(&slot), "7");
	assert_string_equal(slot.enclosure, "0:0:24:0");
	assert_string_equal(slot.component, "Slot 05");
	remove_all(t.top);
}

static void of_two_enclosures_the_first_counts(void **state)
{
	struct tree t = tree_new();
	struct device_slot slot;

	put_place(&t, "0:0:25:0", "Slot B", "2\n");
	put_place(&t, "0:0:24:0", "Slot A", "1\n");
	put_place(&t, "0:0:23:0", "slot 0", "3\n");
	put(&t, "devices/0:0:4:0", "enclosure_device:A", "no link");
	slot = read_slot(&t);
	assert_string_equal(slot_enclosure(&slot), "0:0:24:0");
	assert_string_equal(slot_name(&slot), "1");
	remove_all(t.top);
}

static void what_is_odd_about_an_enclosure_does_no_harm(void **state)
{
	char longest[200];
	struct tree t = tree_new();
	struct device_slot slot;

	memset(longest, 'A', sizeof longest - 1);
	longest[sizeof longest - 1] = 0;
	put_place(&t, "0:0:24:0", longest, "1\n");		/* longer than the kernel has them: passed over */
	put_place(&t, "0:0:24:0", "\xff\x01#\n", "2\n");
	slot = read_slot(&t);
	assert_string_equal(slot_name(&slot), "2");
	assert_string_equal(slot.component, "____");

	assert_int_equal(symlink("nowhere/enclosure/0:0:24:0/0", below(&t, "devices/0:0:4:0/enclosure_device:0")), 0);
	slot = read_slot(&t);
	assert_string_equal(slot_enclosure(&slot), "");
	assert_int_equal(unlink(below(&t, "devices/0:0:4:0/enclosure_device:0")), 0);
	assert_int_equal(symlink("/etc/passwd", below(&t, "devices/0:0:4:0/enclosure_device:0")), 0);
	slot = read_slot(&t);
	assert_string_equal(slot_enclosure(&slot), "");
	slot_from_sysfs(&slot, "/none/such");
	assert_string_equal(slot_enclosure(&slot), "");
	remove_all(t.top);
}

/* ---- a replay's lines */

struct line {
	const char *path, *value;
};

static struct device_list replayed(const struct line *lines, size_t n)
{
	struct inventory_sysfs sysfs[8];
	struct inventory_device device = { .name = "sda", .diskseq = 1, .rotational = -1, .sysfs = sysfs, .n_sysfs = n };
	struct inventory_drive drive = { .key = "k", .is_present = true, .devices = &device, .n_devices = 1 };
	AUTO_TEXT text = TEXT_LIMIT(10000);
	struct device_list list = { 0 };
	char key[INVENTORY_KEY_MAX];

	for (size_t i = 0; i < n; i++)
		sysfs[i] = (struct inventory_sysfs){ .path = (char *)lines[i].path, .value = (char *)lines[i].value };
	inventory_write(&drive, &text);
	assert_int_equal(discover_inventory(text.at, &list, key), 0);
	assert_int_equal(list.n, 1);
	return list;
}

static void a_replay_tells_the_same(void **state)
{
	static const struct line lines[] = {
		{ "device/enclosure_device:Slot 06", "/x/enclosure/0:0:25:0/Slot 06" },
		{ "/sys/class/enclosure/0:0:24:0/Slot 05/slot", "7" },
		{ "/sys/class/enclosure/0:0:24:0/id", "0x500304801e8a7b3f" },
		{ "/sys/class/enclosure/0:0:25:0/id", "0x500304801e8a7b4f" },
		{ "device/enclosure_device:Slot 05", "../../../0:0:24:0/enclosure/0:0:24:0/Slot\\x2005" },
	};
	struct device_list list = replayed(lines, ARRAY_SIZE(lines));

	assert_string_equal(slot_enclosure(&list.at[0].slot), "0x500304801e8a7b3f");
	assert_string_equal(slot_name(&list.at[0].slot), "7");
	device_list_free(&list);
	list = replayed(lines, 1);
	assert_string_equal(slot_enclosure(&list.at[0].slot), "0:0:25:0");
	assert_string_equal(slot_name(&list.at[0].slot), "Slot 06");
	device_list_free(&list);
	list = replayed(lines + 1, 2);
	assert_string_equal(slot_enclosure(&list.at[0].slot), "");
	assert_string_equal(slot_name(&list.at[0].slot), "");
	device_list_free(&list);
}

static void a_drive_sits_where_its_first_path_in_an_enclosure_leads(void **state)
{
	struct device devices[] = {
		{ .name = "sda" },
		{ .name = "sdb", .slot = { .enclosure = "0:0:24:0", .component = "Slot 05" } },
		{ .name = "sdc", .slot = { .enclosure = "1:0:24:0", .component = "Slot 05" } },
	};
	struct drive drive = { .devices = devices, .n_devices = 3 };

	assert_string_equal(slot_enclosure(drive_slot(&drive)), "0:0:24:0");
	drive.n_devices = 1;
	assert_string_equal(slot_enclosure(drive_slot(&drive)), "");
	assert_string_equal(slot_name(drive_slot(&drive)), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_is_read_out_of_its_link),
		cmocka_unit_test(numbers_of_an_enclosure_are_judged),
		cmocka_unit_test(a_place_is_found_in_sysfs),
		cmocka_unit_test(of_two_enclosures_the_first_counts),
		cmocka_unit_test(what_is_odd_about_an_enclosure_does_no_harm),
		cmocka_unit_test(a_replay_tells_the_same),
		cmocka_unit_test(a_drive_sits_where_its_first_path_in_an_enclosure_leads),
	};

	return cmocka_run_group_tests_name("discover_slot", tests, NULL, NULL);
}
