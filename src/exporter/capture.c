/* capture: everything that a drive answers to the vocabulary, as a text that replays it. The plan's pages come first, for
 * they tell what else the drive has; then the rest of what it lists. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "capture/capture.h"
#include "exporter/verbs.h"

enum { LOG_PAGES_EACH = 16 };	/* of one general purpose log; the long ones are histories and vendor data */
enum { ENDURANCE_GROUP_LOG = 0x09 };	/* of a group; the plan knows which there are */

struct session {
	sd_event *event;
	const struct options *options;
	struct fleet fleet;		/* for the programs and the devices; its poller is not started */
	struct probe_client *client;
	struct drive *drive;
	struct drive_poll plan;
	struct capture *capture;

	const struct device *path;	/* NULL: the drive, by its first path */

	bool is_ready, is_told, is_answered, is_lost;
	struct fail fail;		/* of the last answer */
	uint8_t bytes[COMMAND_ANSWER_MAX];
	size_t n_bytes;
};

/* ---- one question after another */

static void on_ready(void *context)
{
	((struct session *)context)->is_ready = true;
}

static void on_failed(void *context)
{
}

static void on_lost(void *context)
{
	((struct session *)context)->is_lost = true;
}

static void on_inventory(void *context, const char *text)
{
	struct session *s = context;
	char key[INVENTORY_KEY_MAX];

	(void)discover_inventory(text, &s->fleet.devices[SOURCE_REPLAY], key);
}

static void on_inventory_end(void *context)
{
	((struct session *)context)->is_told = true;
}

static void on_reply(void *context, void *tag, const struct wire_reply *reply)
{
	struct session *s = context;

	s->is_answered = true;
	s->fail = reply->verdict == WIRE_ANSWERED ? reply->fail
		  : fail_os(reply->verdict == WIRE_BUSY ? EBUSY : reply->verdict == WIRE_OTHER_DISK ? ENODEV : ECONNRESET, NULL);
	s->n_bytes = reply->n_bytes;
	if (reply->n_bytes)
		memcpy(s->bytes, reply->bytes, reply->n_bytes);
	if (reply->verdict == WIRE_ANSWERED)
		(void)capture_add_answer(s->capture, s->path ? s->path->name : "", tag, reply->bytes, reply->n_bytes, reply->fail, reply->duration_us);
}

static int run_until(struct session *s, const bool *done)
{
	while (!*done) {
		int r = s->is_lost || probe_client_failures(s->client) > 3 ? -ENOTCONN : sd_event_run(s->event, UINT64_MAX);

		if (r < 0)
			return r;
		if (sd_event_get_state(s->event) == SD_EVENT_FINISHED)
			return -EINTR;
	}
	return 0;
}

static bool was_asked(const struct session *s, const struct command *command)
{
	for (size_t i = 0; i < s->capture->n_answers; i++)
		if (command_is_equal(&s->capture->answers[i].command, command) && !s->path)
			return true;
	return false;
}

enum { UNIT_ATTENTION_TRIES = 2 };

/* Asks, waits however long it takes, and records the answer; a unit attention and what comes after it. Each command once; those not allowed not at all. */
static int ask(struct session *s, const struct command *command)
{
	const struct device *node = s->path ? s->path : drive_node(s->drive, 0);
	struct command copy = *command;
	struct wire_request request = { .diskseq = node->diskseq, .command = copy };
	const char *why;
	int r;

	if (was_asked(s, command) || !command_is_allowed(command, &why))
		return 0;
	text_copy(request.node, sizeof request.node, node->name);
	for (unsigned tries = 0; tries < UNIT_ATTENTION_TRIES; tries++) {
		s->is_answered = false;
		r = probe_client_request(s->client, &request, &copy);
		if (!r)
			r = run_until(s, &s->is_answered);
		if (r || !fail_is_unit_attention(s->fail))
			return r;
	}
	return 0;
}

static int ask_key(struct session *s, enum command_name name, int key, uint32_t value)
{
	struct command command = command_default(name);

	command.key[key] = value;
	return ask(s, &command);
}

/* ---- the plan's pages */

/* It did not answer: what follows from that is asked instead. */
static void set_aside(struct session *s, struct plan_entry *entry)
{
	entry->is_unsupported = true;
	if (fail_is_unsupported(s->fail) && entry->page->refused)
		entry->page->refused(entry->page, &s->drive->facts);
}

static int ask_plan(struct session *s)
{
	for (;;) {
		struct plan_entry *entry;
		struct bytes in;
		int r = plan_extend(&s->plan);

		if (r)
			return r;
		if (plan_is_identity_complete(&s->plan))
			s->drive->is_identified = true;
		if (s->drive->is_identified && (r = plan_extend(&s->plan)))
			return r;
		entry = plan_next(&s->plan, 1);
		if (!entry)
			return 0;
		entry->due_us = UINT64_MAX;
		if (entry->page->per_path)	/* asked of each, afterwards */
			continue;
		r = ask(s, &entry->page->command);
		if (r)
			return r;
		in = bytes_of(s->bytes, s->n_bytes);
		if (failed(s->fail) || (entry->page->learn && failed(entry->page->learn(entry->page, in, &s->drive->facts))))
			set_aside(s, entry);
		else
			entry->answered_us = 1;
	}
}

/* ---- the rest of what it lists */

static int ask_scsi(struct session *s)
{
	static const uint8_t modes[] = { 0x01, 0x08, 0x0a, 0x19, 0x1a, 0x1c };
	const struct drive_facts *f = &s->drive->facts;
	struct command log = command_default(COMMAND_LOG_SENSE);
	int r = ask_key(s, COMMAND_REQUEST_SENSE, 0, 0);

	if (!r)
		r = ask_key(s, COMMAND_READ_DEFECTS, 0, 0);
	for (unsigned vpd = 0; vpd < 256 && !r; vpd++)
		if (facts_bit(f->vpd_pages, vpd))
			r = ask_key(s, COMMAND_INQUIRY, KEY_VPD, vpd);
	for (size_t i = 0; i < ARRAY_SIZE(modes) && !r; i++)
		r = ask_key(s, COMMAND_MODE_SENSE, KEY_PAGE, modes[i]);
	for (unsigned page = 0; page < 64 && !r; page++) {
		log.key[KEY_PAGE] = page;
		log.key[KEY_SUBPAGE] = 0;
		if (facts_bit(f->log_pages, page))
			r = ask(s, &log);
		for (unsigned sub = 1; sub < 255 && !r; sub++) {
			log.key[KEY_SUBPAGE] = sub;
			if (facts_bit(f->log_subpages[page], sub))
				r = ask(s, &log);
		}
	}
	return r;
}

static int ask_ata(struct session *s)
{
	const struct drive_facts *f = &s->drive->facts;
	struct command log = command_default(COMMAND_ATA_LOG);
	int r = ask_key(s, COMMAND_ATA_CHECK_POWER, 0, 0);

	if (!r && s->drive->devices[0].transport == TRANSPORT_SCSI)	/* before it is known for what it is */
		r = ask_key(s, COMMAND_REQUEST_SENSE, 0, 0);
	for (unsigned address = 0; address < 256 && !r && f->has_gp_log; address++)
		for (unsigned page = 0; page < f->gp_log_pages[address] && page < LOG_PAGES_EACH && !r; page++) {
			log.key[KEY_ADDRESS] = address;
			log.key[KEY_LOG_PAGE] = page;
			r = ask(s, &log);
		}
	if (!r && f->has_smart_log)
		r = ask_key(s, COMMAND_ATA_SMART_LOG, KEY_SMART_ADDRESS, 0);
	if (r || !f->has_smart_log || failed(s->fail) || s->n_bytes != 512)
		return r;
	for (unsigned address = 1; address < 256 && !r; address++) {	/* the directory: a word of pages for each log */
		struct bytes pages_of = bytes_at(bytes_of(s->bytes, s->n_bytes), address * 2, 1);

		if (address == 1 || address == 6 || address == 9)
			r = bytes_le(&pages_of, 1) ? ask_key(s, COMMAND_ATA_SMART_LOG, KEY_SMART_ADDRESS, address) : 0;
	}
	return r;
}

/* Logs that every controller must have, or lists (NVM Express base, log page identifiers). The plan asks for the error log only
 * when it grows, and for vendors' logs only where their layout is known. */
static int ask_nvme(struct session *s)
{
	enum { VENDOR_LOGS = 0xc0 };
	const struct drive_facts *f = &s->drive->facts;
	int r = 0;

	for (uint32_t id = 0; id < VENDOR_LOGS && !r; id++) {
		bool is_mandatory = id == 0x01 || id == 0x03;

		if (f->nvme_has_log_list ? facts_bit(f->nvme_logs, id) && id != ENDURANCE_GROUP_LOG : is_mandatory)
			r = ask_key(s, COMMAND_NVME_LOG, KEY_ID, id);
	}
	return r;
}

/* Each path ends at phys of its own, or is a link of its own. */
static int ask_paths(struct session *s, enum command_name name)
{
	const struct command command = command_default(name);
	int r = 0;

	for (size_t i = 0; i < s->drive->n_devices && !r; i++) {
		const struct device *d = &s->drive->devices[i];

		if (!d->is_askable || (name == COMMAND_HOST_PHYS ? !d->is_sas : !d->is_controller))
			continue;
		s->path = d == drive_node(s->drive, 0) ? NULL : d;
		r = ask(s, &command);
	}
	s->path = NULL;
	return r;
}

static int ask_everything(struct session *s)
{
	static int (*const rest[N_TRANSPORTS])(struct session *) = {
		[TRANSPORT_SCSI] = ask_scsi, [TRANSPORT_ATA] = ask_ata, [TRANSPORT_NVME] = ask_nvme,
	};
	int r = ask_plan(s);

	if (!r && s->drive->is_identified)
		r = rest[s->drive->facts.transport](s);
	if (!r && s->options->has_host_phys)
		r = ask_paths(s, COMMAND_HOST_PHYS);
	if (!r)
		r = ask_paths(s, COMMAND_PCIE_LINK);
	return r;
}

/* ---- the head of the file */

static void add_number(struct capture *capture, enum capture_line_kind kind, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%llu", (unsigned long long)value);
	(void)capture_add_line(capture, kind, text);
}

/* PATH is a format; blanks in it are written as in a capture. */
static void PRINTF_LIKE(3, 4) add_sysfs(struct session *s, const char *value, const char *path, ...)
{
	char spelled[256];
	AUTO_TEXT line = TEXT_LIMIT(1024);
	va_list arguments;

	va_start(arguments, path);
	vsnprintf(spelled, sizeof spelled, path, arguments);
	va_end(arguments);
	for (const char *c = spelled; *c; c++)
		text_add_bytes(&line, *c == ' ' ? "\\x20" : c, *c == ' ' ? 4 : 1);
	text_addf(&line, " %s", value);
	(void)capture_add_line(s->capture, CAPTURE_SYSFS, line.at);
}

/* The link to its place in an enclosure, and what the kernel keeps of the place and of the enclosure. */
static void add_slot(struct session *s, const struct device_slot *slot)
{
	char place[256];

	if (!slot->enclosure[0])
		return;
	snprintf(place, sizeof place, "/sys/class/enclosure/%s/%s", slot->enclosure, slot->component);
	add_sysfs(s, place, "device/%s%s", SLOT_LINK, slot->component);
	if (slot->number[0])
		add_sysfs(s, slot->number, "%s/slot", place);
	if (slot->id[0])
		add_sysfs(s, slot->id, "/sys/class/enclosure/%s/id", slot->enclosure);
}

static void add_device(struct session *s, const struct device *d)
{
	char value[64];

	(void)capture_add_line(s->capture, d->is_controller ? CAPTURE_CONTROLLER : CAPTURE_DEVICE, d->name);
	if (d->size_bytes)
		add_number(s->capture, CAPTURE_SIZE, d->size_bytes);
	if (d->logical_block)
		add_number(s->capture, CAPTURE_LOGICAL_BLOCK, d->logical_block);
	if (d->rotational >= 0)
		add_number(s->capture, CAPTURE_ROTATIONAL, (uint64_t)d->rotational);
	if (d->devpath[0])
		(void)capture_add_line(s->capture, CAPTURE_DEVPATH, d->devpath);
	if (d->wwn[0]) {
		snprintf(value, sizeof value, "naa.%s", d->wwn);
		add_sysfs(s, value, "device/wwid");
	}
	if (d->nsid) {
		snprintf(value, sizeof value, "%u", d->nsid);
		add_sysfs(s, value, "nsid");
	}
	if (d->state[0])
		add_sysfs(s, d->state, d->is_controller ? "state" : "device/state");
	add_slot(s, &d->slot);
	for (size_t i = 0; i < N_PCIE_SEVERITIES && d->has_pcie_errors; i++) {
		snprintf(value, sizeof value, "TOTAL_ERR %llu", (unsigned long long)d->pcie_errors[i]);
		add_sysfs(s, value, "%s", nvme_pcie_error_attributes[i]);
	}
}

/* ---- finding the drive */

static void ignore_drive(void *context, struct drive *drive)
{
}

static struct drive *find_drive(struct session *s, const char *name)
{
	struct drive_table *table = &s->fleet.drives;

	if (!strncmp(name, "/dev/", 5))
		name += 5;
	for (size_t i = 0; i < table->n; i++)
		for (size_t k = 0; k < table->at[i]->n_devices; k++)
			if (!strcmp(table->at[i]->devices[k].name, name))
				return table->at[i];
	return NULL;
}

static int open_drive(struct session *s)
{
	enum device_source source = s->options->replays[0] ? SOURCE_REPLAY : SOURCE_HOST;
	struct probe_client_events events = { s, on_ready, on_failed, on_lost, on_inventory, on_inventory_end, on_reply };
	struct probe_client_options client;
	int r;

	s->fleet = (struct fleet){ .event = s->event, .options = s->options,
				   .drives.events = { s, ignore_drive, ignore_drive } };
	r = fleet_program(&s->fleet, source, &client);
	if (!r)
		r = probe_client_new(s->event, &client, &events, &s->client);
	if (!r)
		r = run_until(s, source == SOURCE_REPLAY ? &s->is_told : &s->is_ready);
	if (!r && source == SOURCE_HOST)
		r = discover_host(&s->fleet.devices[source]);
	if (!r)
		r = drive_table_update(&s->fleet.drives, source, &s->fleet.devices[source]);
	if (r)
		return r;
	s->drive = find_drive(s, s->options->device);
	if (!s->drive || !drive_node(s->drive, 0)) {
		log_error("%s: %s", s->options->device, s->drive ? "takes no health commands" : "no such drive here");
		return -ENODEV;
	}
	s->plan.drive = s->drive;
	s->capture = capture_new(s->drive->facts.transport);
	return s->capture ? 0 : -ENOMEM;
}

static int write_capture(struct session *s)
{
	AUTO_TEXT out = TEXT_LIMIT(CAPTURE_BYTES_MAX);

	if (!s->options->keep_serials)
		capture_redact(s->capture);
	capture_write(s->capture, &out);
	if (out.truncated || fwrite(out.at, 1, out.length, stdout) != out.length || fflush(stdout)) {
		log_error("cannot write the capture");
		return -EIO;
	}
	return 0;
}

static void session_free(struct session *s)
{
	probe_client_free(s->client);
	plan_free(&s->plan);
	readings_free(&s->plan);
	capture_free(s->capture);
	drive_table_free(&s->fleet.drives);
	fleet_free_programs(&s->fleet);
	for (size_t i = 0; i < N_DEVICE_SOURCES; i++)
		device_list_free(&s->fleet.devices[i]);
}

int verb_capture(const struct options *options)
{
	static struct session s;
	CLEANUP(event_unrefp) sd_event *event = NULL;
	int r = event_new(&event);

	if (r)
		return 1;
	s = (struct session){ .event = event, .options = options };
	r = open_drive(&s);
	if (!r) {
		for (size_t i = 0; i < s.drive->n_devices; i++)
			add_device(&s, &s.drive->devices[i]);
		r = ask_everything(&s);
	}
	if (!r)
		r = write_capture(&s);
	if (r == -ENOTCONN)
		log_error("the program that reads the drives went away");
	session_free(&s);
	return r ? 1 : 0;
}
