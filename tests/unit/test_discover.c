/* discover/: labels, kinds, filters, paths, and the table of drives. */
#include "discover/drive.h"
#include "discover/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/capture.h"
#include "page/page.h"
#include "test_discover.h"

/* ---- labels */

static void a_label_is_model_and_serial(void **state)
{
	static const struct {
		const char *model, *serial, *label;
	} cases[] = {
		{ "ST800FM0053", "P3G1ABCD", "ST800FM0053_P3G1ABCD" },
		{ "Samsung SSD 860", "S3Z\"1", "Samsung_SSD_860_S3Z_1" },
		{ "", "S1", "S1" }, { "M", "", "M" }, { "", "", "" }, { "  a   b ", " c ", "a_b_c" },
	};
	char out[DRIVE_LABEL_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		label_plain(cases[i].model, cases[i].serial, out, sizeof out);
		assert_string_equal(out, cases[i].label);
	}
}

static void placeholders_are_known(void **state)
{
	static const char *const yes[] = { "", "0", "00000000", "XXXX", "    ", "123456789", "0123456789ABCDEF", "abcdef", "456",
					   "1234567890ABCDEF", "serial number" };
	static const char *const no[] = { "S1", "0001", "P3G1", "12345678900", "10" };

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		assert_true(label_is_placeholder(yes[i]));
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		assert_false(label_is_placeholder(no[i]));
}

static void a_placeholder_serial_brings_wwn_or_path(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };
	struct drive *sdc;

	add(&list, "sda", "a");
	text_copy(add(&list, "sdb", "b")->path, 64, "0:0:3:0");
	text_copy(add(&list, "sdc", "c")->path, 64, "0:0:4:0");
	assert_int_equal(drive_table_update(&table, SOURCE_HOST, &list), 0);
	tell(&table, find(&table, "sda"), "M", "00000000", "5000c50012345678");
	tell(&table, find(&table, "sdb"), "M", "00000000", "");
	sdc = find(&table, "sdc");
	if (!sdc) {
		fail();
		return;		/* for the compiler, which does not know that the line above is the last */
	}
	sdc->facts.has_identify = true;		/* words 108 to 111, which word 87 does not vouch for */
	memcpy(sdc->facts.identify + 216, "\xf0\x50\x00\x00\xd4\x58\x90\xa8", 8);
	tell(&table, sdc, "M", "00000000", "");
	assert_string_equal(find(&table, "sdc")->label, "M_00000000_50f0000058d4a890");
	assert_string_equal(find(&table, "sda")->label, "M_00000000_5000c50012345678");
	assert_string_equal(find(&table, "sdb")->label, "M_00000000_0:0:3:0");
	drive_table_free(&table);
	device_list_free(&list);
}

static void before_it_has_told_a_drive_is_called_by_its_place(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };
	struct device *d;

	text_copy(add(&list, "sda", "a")->path, 64, "0:0:0:0");
	text_copy(add(&list, "sdb", "b")->path, 64, "0:0:0:0");		/* as on another host bus */
	add(&list, "sdc", "c");
	d = add(&list, "sdd", "d");
	text_copy(d->model, sizeof d->model, "M  X");
	text_copy(d->serial, sizeof d->serial, "S7");
	d = add(&list, "sde", "e");
	text_copy(d->model, sizeof d->model, "M");
	text_copy(d->serial, sizeof d->serial, "0000");		/* tells nothing */
	assert_int_equal(drive_table_update(&table, SOURCE_HOST, &list), 0);
	assert_string_equal(find(&table, "sda")->label, "unidentified_0:0:0:0");
	assert_string_equal(find(&table, "sdb")->label, "unidentified_sdb_2");
	assert_string_equal(find(&table, "sdc")->label, "unidentified_sdc");
	assert_string_equal(find(&table, "sdd")->label, "M_X_S7");
	assert_string_equal(find(&table, "sde")->label, "unidentified_sde");
	drive_table_free(&table);
	device_list_free(&list);
}

static void a_drive_that_tells_nothing_keeps_the_name_of_its_place(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };

	add(&list, "sda", "a");
	assert_int_equal(drive_table_update(&table, SOURCE_HOST, &list), 0);
	tell(&table, find(&table, "sda"), "", "", "");
	assert_string_equal(find(&table, "sda")->label, "unidentified_sda");
	drive_table_free(&table);
	device_list_free(&list);
}

static void clashes_are_settled_once_and_kept(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };

	for (int i = 0; i < 4; i++) {
		char name[] = { 's', 'd', (char)('a' + i), 0 };

		add(&list, name, name);
	}
	text_copy(list.at[1].path, 64, "1:0:0:0");
	assert_int_equal(drive_table_update(&table, SOURCE_HOST, &list), 0);
	tell(&table, find(&table, "sda"), "M", "S1", "");
	tell(&table, find(&table, "sdb"), "M", "S1", "");
	tell(&table, find(&table, "sdc"), "M", "S1", "");
	assert_string_equal(find(&table, "sda")->label, "M_S1");
	assert_string_equal(find(&table, "sdb")->label, "M_S1_1:0:0:0");
	assert_string_equal(find(&table, "sdc")->label, "M_S1_sdc");
	tell(&table, find(&table, "sdd"), "M", "S1", "5000c500aaaaaaaa");
	assert_string_equal(find(&table, "sdd")->label, "M_S1_5000c500aaaaaaaa");

	memmove(list.at, list.at + 1, 3 * sizeof *list.at);		/* sda leaves: nobody takes its name */
	list.n = 3;
	assert_int_equal(drive_table_update(&table, SOURCE_HOST, &list), 0);
	assert_string_equal(counts.last_removed, "M_S1");
	assert_string_equal(find(&table, "sdb")->label, "M_S1_1:0:0:0");
	drive_table_free(&table);
	device_list_free(&list);
}

static void no_two_drives_ever_share_a_label(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };

	for (int i = 0; i < 40; i++) {
		char name[16];

		snprintf(name, sizeof name, "sd%c%c", 'a' + i / 26, 'a' + i % 26);
		text_copy(add(&list, name, name)->path, 64, "0:0:0:0");
	}
	assert_int_equal(drive_table_update(&table, SOURCE_HOST, &list), 0);
	for (size_t i = 0; i < table.n; i += 2)
		tell(&table, table.at[i], "M", i % 4 ? "S1" : "0000", i % 3 ? "5000c500aaaaaaaa" : "");
	for (size_t i = 0; i < table.n; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(table.at[i]->label, table.at[k]->label))
				fail_msg("two are called %s", table.at[i]->label);
	drive_table_free(&table);
	device_list_free(&list);
}

/* The units of a multi-actuator disk: sysfs tells of the second before it is asked. */
static void sibling_units_each_have_their_name(void **state)
{
	static const char *const names[] = { "5000c50000000001", "5000c50000000002" };
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };

	for (int i = 0; i < 2; i++) {
		struct device *d = add(&list, i ? "sdb" : "sda", names[i]);

		text_copy(d->wwn, sizeof d->wwn, names[i]);
		text_copy(d->serial, sizeof d->serial, "S1");
		text_copy(d->model, sizeof d->model, "MACH2");
	}
	assert_int_equal(drive_table_update(&table, SOURCE_HOST, &list), 0);
	tell(&table, find(&table, "sda"), "MACH2", "S1", names[0]);
	tell(&table, find(&table, "sdb"), "MACH2", "S1", names[1]);
	assert_string_equal(find(&table, "sda")->label, "MACH2_S1_5000c50000000001");
	assert_string_equal(find(&table, "sdb")->label, "MACH2_S1_5000c50000000002");
	drive_table_free(&table);
	device_list_free(&list);
}

/* Whichever answers first: a label that hung on that would change from start to start. */
static void sibling_units_of_which_nobody_told_have_theirs_too(void **state)
{
	for (int first = 0; first < 2; first++) {
		struct counts counts;
		struct drive_table table = table_with(&counts, NULL);
		struct device_list list = { 0 };

		add(&list, "sda", "a");
		add(&list, "sdb", "b");
		assert_int_equal(drive_table_update(&table, SOURCE_REPLAY, &list), 0);
		tell(&table, table.at[first], "MACH2", "S1", first ? "5000c50000000002" : "5000c50000000001");
		tell(&table, table.at[!first], "MACH2", "S1", first ? "5000c50000000001" : "5000c50000000002");
		assert_string_equal(table.at[0]->label, "MACH2_S1_5000c50000000001");
		assert_string_equal(table.at[1]->label, "MACH2_S1_5000c50000000002");
		drive_table_free(&table);
		device_list_free(&list);
	}
}

/* A bridge that gives two disks one name and one serial, and a sibling of theirs. */
static void no_two_drives_ever_have_one_label(void **state)
{
	static const char *const names[] = { "5000c50000000001", "5000c50000000001", "5000c50000000002" };
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };

	add(&list, "sda", "a");
	add(&list, "sdb", "b");
	add(&list, "sdc", "c");
	assert_int_equal(drive_table_update(&table, SOURCE_REPLAY, &list), 0);
	for (int i = 0; i < 3; i++)
		tell(&table, table.at[i], "M", "S1", names[i]);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < i; k++)
			assert_string_not_equal(table.at[i]->label, table.at[k]->label);
	drive_table_free(&table);
	device_list_free(&list);
}

/* ---- the corpus beside the project */

static const struct capture_answer *first_answer(const struct capture *c, const struct command *command)
{
	for (size_t i = 0; i < c->n_answers; i++)
		if (!c->answers[i].at_s && command_is_equal(&c->answers[i].command, command))
			return &c->answers[i];
	return NULL;
}

static void learn_identity(const struct capture *c, struct drive *drive)
{
	for (size_t i = 0; pages[i]; i++) {
		struct page page = *pages[i];
		const struct capture_answer *a;

		if (page.transport != c->transport || !page.is_identity ||
		    (page.is_offered && !page.is_offered(&page, &drive->facts)))
			continue;
		if (page.per_namespace)
			page.command.key[KEY_IDENTIFY_NSID] = 1;
		a = first_answer(c, &page.command);
		if (a && !failed(a->fail))
			(void)page.learn(&page, bytes_of(a->bytes, a->n_bytes), &drive->facts);
	}
}

static const char labels_program[] =
	"import glob, os, sys\n"
	"sys.path.insert(0, os.path.join(sys.argv[1], 'tools'))\n"
	"sys.dont_write_bytecode = True\n"
	"import capturefile as c\n"
	"for d in ('corpus/captures', 'corpus/seed_drives'):\n"
	"  for f in sorted(glob.glob(os.path.join(sys.argv[1], d, '*.capture'))):\n"
	"    print('%s\\t%s' % (f, c.drive_label(c.read(f))))\n";

static void compare_label(const char *path, const char *label)
{
	AUTO_TEXT error = TEXT_LIMIT(10000);
	struct capture *c = capture_read(path, &error);
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };

	if (!c)
		fail_msg("%s", error.at);
	add(&list, "sda", "a")->transport = c->transport;
	assert_int_equal(drive_table_update(&table, SOURCE_REPLAY, &list), 0);
	learn_identity(c, table.at[0]);
	drive_identified(&table, table.at[0]);
	if (*label && strcmp(table.at[0]->label, label))
		fail_msg("%s: \"%s\" where the reference has \"%s\"", path, table.at[0]->label, label);
	drive_table_free(&table);
	device_list_free(&list);
	capture_free(c);
}

static void labels_are_those_of_the_reference(void **state)
{
	AUTO_TEXT command = TEXT_LIMIT(10000);
	const char *top = getenv("top_srcdir"), *said = getenv("SHARED"), *python = getenv("PYTHON3");
	char shared[2048], *line = NULL;
	size_t room = 0;
	unsigned n = 0;
	struct stat st;
	FILE *theirs;

	if (said)
		snprintf(shared, sizeof shared, "%s", said);
	else
		snprintf(shared, sizeof shared, "%s/../shared", top ? top : ".");
	if (stat(shared, &st)) {
		print_message("no ../shared: its labels are not compared\n");
		skip();
	}
	if (!python || !*python)
		python = "python3";
	text_addf(&command, "%s -c pass 2>/dev/null", python);
	if (system(command.at)) {
		print_message("no python3: the reference is not asked\n");
		skip();
	}
	text_free(&command);
	text_addf(&command, "%s -c \"%s\" '%s'", python, labels_program, shared);
	theirs = popen(command.at, "r");
	assert_non_null(theirs);
	while (getline(&line, &room, theirs) > 0) {
		char *tab = strchr(line, '\t');

		assert_non_null(tab);
		line[strcspn(line, "\n")] = 0;
		*tab = 0;
		compare_label(line, tab + 1);
		n++;
	}
	free(line);
	assert_int_equal(pclose(theirs), 0);
	assert_true(n > 200);
}

/* ---- where it sits */

static void paths_are_read_out_of_devpaths(void **state)
{
	static const struct {
		const char *devpath, *name, *path, *host;
	} cases[] = {
		{ "/sys/devices/pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda", "sda", "0:0:0:0", "host0" },
		{ "/sys/devices/pci0000:00/0000:00:02.0/0000:02:00.0/host12/port-12:0/expander-12:0/port-12:0:7/end_device-12:0:7/"
		  "target12:0:7/12:0:7:1/block/sdz", "sdz", "12:0:7:1", "host12" },
		{ "/sys/devices/pci0000:00/0000:00:1c.4/0000:01:00.0/nvme/nvme0", "nvme0", "0000:01:00.0", "" },
		{ "/sys/devices/pci0000:00/0000:00:1c.4/0000:01:00.0/nvme/nvme0/nvme0n1", "nvme0n1", "0000:01:00.0", "" },
		{ "/sys/devices/pci0000:00/0000:00:05.0/virtio2/block/vda", "vda", "virtio2", "" },
		{ "/sys/devices/virtual/block/zram0", "zram0", "virtual", "" },
		{ "/sys/devices/hostile/host/host3/target3:0:0/3:0:0:0/block/sda", "sda", "3:0:0:0", "host3" },
		{ "/sys/devices/x/host5", "sda", "host5", "host5" },
		{ "/sys/devices/x/host99999999/y", "sda", "y", "" },
		{ "", "sda", "", "" }, { "/", "sda", "", "" }, { "sda", "sda", "", "" }, { "//", "", "", "" },
	};
	char path[64], host[NODE_NAME_MAX], small[4];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		device_path_from_devpath(cases[i].devpath, cases[i].name, path, sizeof path);
		assert_string_equal(path, cases[i].path);
		device_host_from_devpath(cases[i].devpath, host, sizeof host);
		assert_string_equal(host, cases[i].host);
	}
	device_path_from_devpath(cases[0].devpath, "sda", small, sizeof small);
	assert_string_equal(small, "0:0");
	device_host_from_devpath(cases[0].devpath, small, sizeof small);
	assert_string_equal(small, "");		/* half a host would be another one */
}

static void namespaces_are_read_out_of_names(void **state)
{
	assert_int_equal(device_nsid_from_name("nvme0n1"), 1);
	assert_int_equal(device_nsid_from_name("nvme12n34"), 34);
	assert_int_equal(device_nsid_from_name("nvme0c3n7"), 7);
	assert_int_equal(device_nsid_from_name("nvme0"), 0);
	assert_int_equal(device_nsid_from_name("nvme0n1p2"), 0);
	assert_int_equal(device_nsid_from_name("sda"), 0);
	assert_int_equal(device_nsid_from_name(""), 0);
}

/* ---- kinds */

static void what_is_no_drive_is_known_by_name(void **state)
{
	static const char *const no[] = { "loop0", "ram1", "zram0", "dm-3", "md127", "nbd0", "rbd1", "sr0", "fd0",
					  "mmcblk0boot0", "mmcblk0rpmb" };
	static const char *const yes[] = { "sda", "sdaa", "nvme0n1", "vda", "xvda", "mmcblk0" };

	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		assert_true(kind_is_no_drive(no[i]));
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		assert_false(kind_is_no_drive(yes[i]));
}

static void virtual_drives_are_known_by_what_they_say(void **state)
{
	static const struct {
		const char *vendor, *model;
		bool is_virtual;
	} cases[] = {
		{ "QEMU", "QEMU HARDDISK", true }, { "", "QEMU HARDDISK", true }, { "VMware", "Virtual disk", true },
		{ "DELL", "PERC H710P", true }, { "HP", "LOGICAL VOLUME", true }, { "Msft", "Virtual Disk", true },
		{ "LIO-ORG", "disk0", true }, { "Intel", "Raid 1 Volume", true }, { "", "Amazon Elastic Block Store", true },
		{ "", "VBOX HARDDISK", true }, { "", "VMware Virtual NVMe Disk", true },
		{ "", "VMware Virtual SATA Hard Drive", true }, { "", "QEMU NVMe Ctrl", true },
		{ "SEAGATE", "ST800FM0053", false }, { "HP", "EG0600FBDSR", false }, { "DELL", "MZ7LH480", false },
		{ "", "INTEL SSDPE2KX010T8", false }, { "", "Amazon EC2 NVMe Instance Storage", false },
		{ "HGST", "HUSMR3280ASS200", false }, { "LSI", "ST800", false }, { "", "", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (kind_is_virtual(cases[i].vendor, cases[i].model) != cases[i].is_virtual)
			fail_msg("\"%s\" \"%s\"", cases[i].vendor, cases[i].model);
}

/* ---- filters */

struct filter_case {
	const char *rules[4];		/* "+pattern" includes, "-pattern" excludes */
	bool passes;
};

static bool passes(const char *const *rules, const struct drive *drive)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	struct drive_filter *filter = drive_filter_new();
	bool is_passed;

	for (size_t i = 0; i < 4 && rules[i]; i++)
		assert_int_equal(drive_filter_add(filter, rules[i][0] == '+', rules[i] + 1, &error), 0);
	is_passed = drive_filter_passes(filter, drive);
	drive_filter_free(filter);
	return is_passed;
}

static void patterns_match_the_whole_field(void **state)
{
	static const struct filter_case cases[] = {
		{ { NULL }, true },
		{ { "+ST800" }, false }, { { "+ST800FM0053" }, true }, { { "+ST800.*" }, true }, { { "+.*53" }, true },
		{ { "-T800" }, true }, { { "-ST800.*" }, false },
		{ { "+model=ST800FM0053" }, true }, { { "+serial=P3G1" }, true }, { { "+serial=P3G" }, false },
		{ { "+transport=sas" }, true }, { { "+transport=sa" }, false }, { { "-transport=sas|nvme" }, false },
		{ { "+device=sda" }, true }, { { "+device=sdb" }, true }, { { "+device=sd" }, false },
		{ { "-device=sdb" }, false },			/* any path of it */
		{ { "+a|ST800FM0053" }, true }, { { "+ST800|x" }, false },
		{ { "+ST.*", "-serial=P3G1" }, false }, { { "-serial=P3G1", "+ST.*" }, false },
		{ { "+X.*", "+ST.*" }, true }, { { "+X.*", "+Y.*" }, false }, { { "-X.*", "-Y.*" }, true },
	};
	struct device devices[] = { { .name = "sda", .is_askable = true, .is_sas = true }, { .name = "sdb", .is_askable = true } };
	struct drive drive = { .is_identified = true, .devices = devices, .n_devices = 2, .facts.model = "ST800FM0053",
			       .facts.serial = "P3G1" };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (passes(cases[i].rules, &drive) != cases[i].passes)
			fail_msg("case %zu: %s", i, cases[i].rules[0]);
	assert_true(drive_filter_passes(NULL, &drive));
}

static void what_is_not_told_yet_decides_nothing(void **state)
{
	static const struct filter_case cases[] = {
		{ { "+X.*" }, true }, { { "-X.*" }, true }, { { "+serial=1" }, true }, { { "-transport=sas" }, true },
		{ { "+device=sda" }, true }, { { "+device=sdz" }, false }, { { "-device=sda" }, false },
		{ { "+device=sdz", "+X.*" }, true },
	};
	struct device device = { .name = "sda", .is_askable = true };
	struct drive drive = { .devices = &device, .n_devices = 1 };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (passes(cases[i].rules, &drive) != cases[i].passes)
			fail_msg("case %zu: %s", i, cases[i].rules[0]);
}

static void a_bad_pattern_is_named(void **state)
{
	AUTO_TEXT error = TEXT_LIMIT(1000), longest = TEXT_LIMIT(10000);
	struct drive_filter *filter = drive_filter_new();
	struct drive drive = { .is_identified = true, .facts.model = "ST800" };

	assert_int_equal(drive_filter_add(filter, true, "serial=(", &error), -EINVAL);
	assert_non_null(strstr(error.at, "bad pattern \"(\": "));
	assert_null(strchr(error.at, '\n'));
	for (int i = 0; i < 5000; i++)
		text_add(&longest, "x");
	text_free(&error);
	assert_int_equal(drive_filter_add(filter, true, longest.at, &error), -EINVAL);
	assert_true(drive_filter_passes(filter, &drive));	/* what was refused is no rule */
	drive_filter_free(filter);
}

/* ---- the table */

static void a_field_that_is_none_is_named(void **state)
{
	struct drive_filter *filter = drive_filter_new();
	struct text error = TEXT_LIMIT(200);

	assert_int_equal(drive_filter_add(filter, true, "sreial=Z1E0", &error), -EINVAL);
	assert_string_equal(error.at, "bad pattern \"sreial=Z1E0\": no field has this name; there are model, serial, transport, device");
	text_free(&error);
	assert_int_equal(drive_filter_add(filter, true, "model=A=B", &error), 0);
	drive_filter_free(filter);
}

static void drives_come_and_go(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };
	struct drive *a;

	add(&list, "sda", "a");
	add(&list, "sdb", "b");
	assert_int_equal(drive_table_update(&table, SOURCE_HOST, &list), 0);
	assert_int_equal(table.n, 2);
	a = find(&table, "sda");
	add(&list, "sdc", "a");		/* a second path */
	list.at[0].diskseq = 9;
	text_copy(list.at[0].state, sizeof list.at[0].state, "offline");
	assert_int_equal(drive_table_update(&table, SOURCE_HOST, &list), 0);
	assert_int_equal(counts.added, 2);
	assert_ptr_equal(find(&table, "sda"), a);		/* the same drive, with its devices' news */
	assert_int_equal(a->n_devices, 2);
	assert_true(a->devices[0].diskseq == 9);
	assert_string_equal(a->devices[0].state, "offline");
	list.at[0] = list.at[2];	/* the first path is gone */
	list.n = 2;
	assert_int_equal(drive_table_update(&table, SOURCE_HOST, &list), 0);
	assert_int_equal(a->n_devices, 1);
	assert_string_equal(a->devices[0].name, "sdc");
	assert_int_equal(counts.removed, 0);
	list.n = 0;
	assert_int_equal(drive_table_update(&table, SOURCE_HOST, &list), 0);
	assert_int_equal(table.n, 0);
	assert_int_equal(counts.removed, 2);
	drive_table_free(&table);
	device_list_free(&list);
}

static void the_same_name_with_another_group_is_another_drive(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };

	add(&list, "sda", "device:sda:1");
	assert_int_equal(drive_table_update(&table, SOURCE_HOST, &list), 0);
	tell(&table, table.at[0], "M", "S1", "");
	text_copy(list.at[0].group, sizeof list.at[0].group, "device:sda:2");
	assert_int_equal(drive_table_update(&table, SOURCE_HOST, &list), 0);
	assert_int_equal(counts.added, 2);
	assert_int_equal(counts.removed, 1);
	assert_string_equal(counts.last_removed, "M_S1");
	assert_false(table.at[0]->is_identified);
	assert_string_equal(table.at[0]->label, "unidentified_sda");
	drive_table_free(&table);
	device_list_free(&list);
}

static void two_sources_may_both_have_an_sda(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list host = { 0 }, replay = { 0 };

	add(&host, "sda", "a");
	add(&replay, "sda", "a")->source = SOURCE_REPLAY;
	assert_int_equal(drive_table_update(&table, SOURCE_HOST, &host), 0);
	assert_int_equal(drive_table_update(&table, SOURCE_REPLAY, &replay), 0);
	assert_int_equal(table.n, 2);
	assert_string_not_equal(table.at[0]->label, table.at[1]->label);
	replay.n = 0;
	assert_int_equal(drive_table_update(&table, SOURCE_REPLAY, &replay), 0);
	assert_int_equal(table.n, 1);
	assert_int_equal(table.at[0]->source, SOURCE_HOST);
	drive_table_free(&table);
	device_list_free(&host);
	device_list_free(&replay);
}

static void a_replaced_drive_begins_anew(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };
	struct device *d = add(&list, "nvme0", "n");

	text_copy(d->model, sizeof d->model, "M");
	text_copy(d->serial, sizeof d->serial, "S1");
	assert_int_equal(drive_table_update(&table, SOURCE_HOST, &list), 0);
	tell(&table, table.at[0], "M", "S1", "");
	drive_table_replace(&table, table.at[0]);
	assert_int_equal(table.n, 1);
	assert_int_equal(counts.removed, 1);
	assert_false(table.at[0]->is_identified);
	assert_string_equal(table.at[0]->label, "unidentified_nvme0");	/* sysfs may still tell of the one before */
	assert_string_equal(table.at[0]->devices[0].name, "nvme0");
	drive_table_free(&table);
	device_list_free(&list);
}

static void a_drive_nobody_can_ask_is_virtual(void **state)
{
	struct counts counts;
	struct drive_table table = table_with(&counts, NULL);
	struct device_list list = { 0 };
	struct device *d = add(&list, "vda", "v");

	d->is_askable = false;
	d->size_bytes = 1000;
	assert_int_equal(drive_table_update(&table, SOURCE_HOST, &list), 0);
	assert_true(table.at[0]->is_virtual);
	assert_string_equal(drive_transport_name(table.at[0]), "virtual");
	assert_string_equal(drive_type_name(table.at[0]), "");
	assert_int_equal(drive_capacity_bytes_known(table.at[0]), 1000);
	assert_null(drive_node(table.at[0], 0));
	assert_string_equal(drive_block_device(table.at[0])->name, "vda");
	drive_table_free(&table);
	device_list_free(&list);
}

static void paths_take_turns_and_controllers_come_first(void **state)
{
	struct device sas[] = { { .name = "sda", .is_askable = true }, { .name = "sdb" }, { .name = "sdc", .is_askable = true } };
	struct device nvme[] = { { .name = "nvme0n1", .is_askable = true }, { .name = "nvme0", .is_askable = true,
				 .is_controller = true }, { .name = "nvme1", .is_askable = true, .is_controller = true } };
	struct drive drive = { .devices = sas, .n_devices = 3 };

	for (size_t turn = 0; turn < 6; turn++)
		assert_string_equal(drive_node(&drive, turn)->name, turn % 2 ? "sdc" : "sda");
	drive.devices = nvme;
	for (size_t turn = 0; turn < 6; turn++)
		assert_string_equal(drive_node(&drive, turn)->name, turn % 2 ? "nvme1" : "nvme0");
	assert_string_equal(drive_block_device(&drive)->name, "nvme0n1");
	drive.n_devices = 1;
	assert_string_equal(drive_node(&drive, 3)->name, "nvme0n1");
}

/* ---- what a replay tells */

static void an_inventory_becomes_devices(void **state)
{
	struct inventory_device devices[] = {
		{ .name = "nvme0", .is_controller = true, .diskseq = 3, .rotational = -1,
		  .devpath = (char *)"/sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0" },
		{ .name = "nvme0n2", .diskseq = 3, .size = 1 << 30, .logical_block = 4096, .rotational = 0, .n_stat = 11 },
	};
	struct inventory_drive drive = { .key = "k", .is_present = true, .transport = TRANSPORT_NVME, .devices = devices,
					 .n_devices = 2 };
	AUTO_TEXT text = TEXT_LIMIT(10000);
	struct device_list list = { 0 };
	char key[INVENTORY_KEY_MAX];

	inventory_write(&drive, &text);
	assert_int_equal(discover_inventory(text.at, &list, key), 0);
	assert_string_equal(key, "k");
	assert_int_equal(list.n, 2);
	assert_string_equal(list.at[0].group, list.at[1].group);
	assert_string_equal(list.at[0].host, list.at[1].host);
	assert_true(list.at[0].is_askable && list.at[0].is_controller && list.at[0].source == SOURCE_REPLAY);
	assert_false(list.at[1].is_askable);
	assert_string_equal(list.at[0].path, "0000:01:00.0");
	assert_int_equal(list.at[1].nsid, 2);
	assert_int_equal(list.at[1].size_bytes, 1 << 30);
	assert_int_equal(list.at[1].logical_block, 4096);
	assert_int_equal(list.at[1].n_stat, 11);
	list.n = 0;

	drive.is_present = false;
	text_free(&text);
	inventory_write(&drive, &text);
	assert_int_equal(discover_inventory(text.at, &list, key), 0);
	assert_int_equal(list.n, 0);
	assert_int_equal(discover_inventory("drive k\nnonsense\n", &list, key), -EBADMSG);
	assert_int_equal(discover_inventory("", &list, key), -EBADMSG);
	device_list_free(&list);
}

static void groups_of_a_replay_differ(void **state)
{
	char a[160], b[160];

	discover_inventory_group("one", a, sizeof a);
	discover_inventory_group("two", b, sizeof b);
	assert_string_not_equal(a, b);
}

static void this_host_can_be_listed(void **state)
{
	struct device_list list = { 0 };

	assert_int_equal(discover_host(&list), 0);
	for (size_t i = 0; i < list.n; i++) {
		assert_true(list.at[i].name[0] && list.at[i].group[0] && list.at[i].host[0]);
		assert_false(kind_is_no_drive(list.at[i].name));
	}
	device_list_free(&list);
}

/* ---- events */

#define UEVENT(text) assert_true(uevent_is_of_drive(text, sizeof text))
#define NO_UEVENT(text) assert_false(uevent_is_of_drive(text, sizeof text))

static void events_of_disks_and_controllers_are_told_apart(void **state)
{
	static const char torn[] = "add@/x\0SUBSYSTEM=nvme";

	UEVENT("add@/devices/x/block/sda\0ACTION=add\0DEVPATH=/x\0SUBSYSTEM=block\0DEVTYPE=disk\0SEQNUM=5");
	UEVENT("remove@/devices/x/nvme/nvme0\0ACTION=remove\0SUBSYSTEM=nvme\0SEQNUM=5");
	NO_UEVENT("add@/devices/x/block/sda/sda1\0SUBSYSTEM=block\0DEVTYPE=partition");
	NO_UEVENT("add@/devices/x\0SUBSYSTEM=blocks\0DEVTYPE=disk");
	NO_UEVENT("add@/devices/x\0SUBSYSTEM=net");
	NO_UEVENT("");
	assert_false(uevent_is_of_drive("", 0));
	assert_false(uevent_is_of_drive(torn, sizeof torn - 1));	/* its last line has no end */
	assert_false(uevent_is_of_drive("\0\0\0\0", 4));
}

static void one_that_is_gone_is_filtered_by_what_it_told(void **state)
{
	AUTO_TEXT error = TEXT_LIMIT(200);
	struct drive_filter *filter = drive_filter_new();

	assert_true(drive_filter_passes_known(NULL, "M", "S", "sas"));
	assert_int_equal(drive_filter_add(filter, false, "serial=S1", &error), 0);
	assert_int_equal(drive_filter_add(filter, false, "device=sda", &error), 0);
	assert_false(drive_filter_passes_known(filter, "M", "S1", "sas"));
	assert_true(drive_filter_passes_known(filter, "M", "S2", "sas"));
	assert_int_equal(drive_filter_add(filter, true, "transport=nvme", &error), 0);
	assert_false(drive_filter_passes_known(filter, "M", "S2", "sas"));
	assert_true(drive_filter_passes_known(filter, "M", "S2", "nvme"));
	drive_filter_free(filter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_disks_and_controllers_are_told_apart),
		cmocka_unit_test(one_that_is_gone_is_filtered_by_what_it_told),
		cmocka_unit_test(a_label_is_model_and_serial),
		cmocka_unit_test(placeholders_are_known),
		cmocka_unit_test(a_placeholder_serial_brings_wwn_or_path),
		cmocka_unit_test(before_it_has_told_a_drive_is_called_by_its_place),
		cmocka_unit_test(a_drive_that_tells_nothing_keeps_the_name_of_its_place),
		cmocka_unit_test(clashes_are_settled_once_and_kept),
		cmocka_unit_test(no_two_drives_ever_share_a_label),
		cmocka_unit_test(sibling_units_each_have_their_name),
		cmocka_unit_test(sibling_units_of_which_nobody_told_have_theirs_too),
		cmocka_unit_test(no_two_drives_ever_have_one_label),
		cmocka_unit_test(labels_are_those_of_the_reference),
		cmocka_unit_test(paths_are_read_out_of_devpaths),
		cmocka_unit_test(namespaces_are_read_out_of_names),
		cmocka_unit_test(what_is_no_drive_is_known_by_name),
		cmocka_unit_test(virtual_drives_are_known_by_what_they_say),
		cmocka_unit_test(patterns_match_the_whole_field),
		cmocka_unit_test(what_is_not_told_yet_decides_nothing),
		cmocka_unit_test(a_bad_pattern_is_named),
		cmocka_unit_test(a_field_that_is_none_is_named),
		cmocka_unit_test(drives_come_and_go),
		cmocka_unit_test(the_same_name_with_another_group_is_another_drive),
		cmocka_unit_test(two_sources_may_both_have_an_sda),
		cmocka_unit_test(a_replaced_drive_begins_anew),
		cmocka_unit_test(a_drive_nobody_can_ask_is_virtual),
		cmocka_unit_test(paths_take_turns_and_controllers_come_first),
		cmocka_unit_test(an_inventory_becomes_devices),
		cmocka_unit_test(groups_of_a_replay_differ),
		cmocka_unit_test(this_host_can_be_listed),
	};

	return cmocka_run_group_tests_name("discover", tests, NULL, NULL);
}
