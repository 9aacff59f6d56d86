#include "poll_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* ---- the clock */

/* Far in the future, so that no timer of the kernel ever fires by itself. */
enum { STEADY_S = 1000000000, REAL_S = 1700000000 };
static uint64_t passed_us;

/* Stands in for libc's, in libsystemd too: the time passes when a test says so. */
int clock_gettime(clockid_t clock, struct timespec *t)
{
	uint64_t base = clock == CLOCK_REALTIME ? REAL_S : STEADY_S;

	if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
		return (int)syscall(SYS_clock_gettime, clock, t);
	t->tv_sec = (time_t)(base + passed_us / 1000000);
	t->tv_nsec = (long)(passed_us % 1000000) * 1000;
	return 0;
}

uint64_t world_now_us(void)
{
	return STEADY_S * UINT64_C(1000000) + passed_us;
}

int64_t world_real_us(void)
{
	return REAL_S * INT64_C(1000000) + (int64_t)passed_us;
}

void world_jump(uint64_t ms)
{
	passed_us += ms * 1000;
}

/* ---- the book */

static bool is_same(const char *a, const char *b)
{
	return !strcmp(a, b ? b : "");
}

static void remove_answer(struct world *w, size_t i)
{
	free(w->answers[i].bytes);
	memmove(w->answers + i, w->answers + i + 1, (w->n_answers - i - 1) * sizeof *w->answers);
	w->n_answers--;
}

void world_forget(struct world *w, const char *node, const char *command)
{
	for (size_t i = 0; i < w->n_answers;)
		if (is_same(w->answers[i].node, node) && is_same(w->answers[i].command, command))
			remove_answer(w, i);
		else
			i++;
}

/* Entries for some times stand before those for ever. */
static struct world_answer *add_answer(struct world *w, unsigned times, const char *node, const char *command)
{
	size_t at = 0;

	for (size_t i = 0; i < w->n_answers && !times; i++)
		if (!w->answers[i].left && is_same(w->answers[i].node, node) && is_same(w->answers[i].command, command))
			remove_answer(w, i--);
	assert_true(w->n_answers < WORLD_ANSWERS);
	while (at < w->n_answers && (!times || w->answers[at].left))
		at++;
	memmove(w->answers + at + 1, w->answers + at, (w->n_answers - at) * sizeof *w->answers);
	w->n_answers++;
	w->answers[at] = (struct world_answer){ .left = times };
	snprintf(w->answers[at].node, sizeof w->answers[at].node, "%s", node ? node : "");
	snprintf(w->answers[at].command, sizeof w->answers[at].command, "%s", command);
	return &w->answers[at];
}

void world_say(struct world *w, const char *node, const char *command, const void *bytes, size_t n)
{
	struct world_answer *a = add_answer(w, 0, node, command);

	a->bytes = memcpy(malloc(n ? n : 1), bytes, n);
	a->reply.bytes = a->bytes;
	a->reply.n_bytes = n;
}

void world_fail(struct world *w, unsigned times, const char *node, const char *command, struct fail f)
{
	add_answer(w, times, node, command)->reply.fail = f;
}

void world_verdict(struct world *w, unsigned times, const char *node, const char *command, enum wire_verdict verdict,
		   int64_t busy_since_us)
{
	struct world_answer *a = add_answer(w, times, node, command);

	a->reply.verdict = verdict;
	a->reply.busy_since_us = busy_since_us;
}

void world_hold(struct world *w, const char *node, const char *command)
{
	add_answer(w, 0, node, command)->is_held = true;
}

void world_times(struct world *w, unsigned times, const char *node, const char *command)
{
	for (size_t i = 0; i < w->n_answers; i++)
		if (is_same(w->answers[i].node, node) && is_same(w->answers[i].command, command)) {
			struct world_answer moved = w->answers[i];

			memmove(w->answers + 1, w->answers, i * sizeof *w->answers);
			moved.left = times;
			w->answers[0] = moved;
			return;
		}
	fail_msg("no answer to %s", command);
}

static struct world_answer *find_answer(struct world *w, const char *node, const char *command)
{
	for (int is_any = 0; is_any < 2; is_any++)
		for (size_t i = 0; i < w->n_answers; i++)
			if (is_same(w->answers[i].node, is_any ? "" : node) && is_same(w->answers[i].command, command))
				return &w->answers[i];
	return NULL;
}

/* ---- the prober's side */

void world_send(struct world *w, const uint8_t *message, size_t n)
{
	if (w->peer >= 0)
		(void)send(w->peer, message, n, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void world_send_reply(struct world *w, const struct wire_reply *reply)
{
	static uint8_t out[WIRE_MESSAGE_MAX];

	world_send(w, out, wire_put_reply(out, reply));
}

static void reply_to(struct world *w, const struct wire_request *request, struct wire_reply reply)
{
	reply.id = request->id;
	reply.generation = w->generation;
	if (!reply.diskseq)
		reply.diskseq = request->diskseq;
	world_send_reply(w, &reply);
}

static void drop_first_held(struct world *w)
{
	w->n_held--;
	memmove(w->held, w->held + 1, w->n_held * sizeof *w->held);
}

void world_release(struct world *w, const void *bytes, size_t n)
{
	assert_true(w->n_held > 0);
	reply_to(w, &w->held[0], (struct wire_reply){ .bytes = bytes, .n_bytes = n, .duration_us = 9000000 });
	drop_first_held(w);
}

void world_release_all_as(struct world *w, struct fail f)
{
	while (w->n_held) {
		reply_to(w, &w->held[0], (struct wire_reply){ .fail = f });
		drop_first_held(w);
	}
}

static struct fail not_supported(const struct command *command)
{
	if (command->name == COMMAND_NVME_IDENTIFY || command->name == COMMAND_NVME_LOG)
		return fail_nvme(0, 1);
	if (command->name >= COMMAND_ATA_IDENTIFY && command->name <= COMMAND_ATA_CHECK_POWER)
		return fail_ata(0x51, 0x04);
	return fail_sense(5, 0x20, 0);
}

static void take_request(struct world *w, const struct wire_request *request)
{
	char command[COMMAND_TEXT_MAX];
	struct world_answer *a = find_answer(w, request->node, command_text(&request->command, command));
	struct world_event *e = &w->log[w->n_log++];
	struct wire_reply reply = { 0 };

	assert_true(w->n_log < WORLD_LOG);
	passed_us += w->answer_us;
	*e = (struct world_event){ .at_ms = (passed_us - w->began_us) / 1000, .request = *request };
	snprintf(e->text, sizeof e->text, "%s %s", request->node, command);
	for (size_t i = 0; i < w->n_held; i++)
		if (!strcmp(w->held[i].node, request->node) && w->held[i].command.name != COMMAND_HOST_PHYS)	/* another child's */
			fail_msg("%s while another command is under way", e->text);
	if (a && a->is_held) {
		w->held[w->n_held++] = *request;
		return;
	}
	if (a)
		reply = a->reply;
	else if (w->other)
		w->other(w->other_context, request, &reply);
	else
		reply.fail = not_supported(&request->command);
	reply_to(w, request, reply);
	if (a && a->left && !--a->left)
		remove_answer(w, (size_t)(a - w->answers));
}

static void accept_client(struct world *w)
{
	struct wire_hello hello = { .version = WIRE_VERSION, .generation = w->generation };
	uint8_t out[256];

	if (w->peer >= 0 || w->listener < 0)
		return;
	w->peer = accept4(w->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (w->peer < 0)
		return;
	w->n_accepted++;
	hello.vocabulary = wire_vocabulary();	/* takes a while */
	if (!w->is_mute)
		world_send(w, out, wire_put_hello(out, &hello));
}

void world_hang_up(struct world *w)
{
	if (w->peer >= 0)
		close(w->peer);
	w->peer = -1;
	w->n_held = 0;
}

/* One message of the exporter; false: there is none. */
static bool take_message(struct world *w)
{
	static uint8_t message[WIRE_MESSAGE_MAX];
	struct wire_request request;
	enum wire_type type;
	ssize_t n = w->peer >= 0 ? wire_receive(w->peer, message) : -EAGAIN;

	if (n == -EAGAIN)
		return false;
	if (n <= 0) {
		world_hang_up(w);
		return true;
	}
	assert_int_equal(wire_get_type(bytes_of(message, (size_t)n), &type), 0);
	if (type == WIRE_HELLO) {
		struct wire_hello hello;

		assert_int_equal(wire_get_hello(bytes_of(message, (size_t)n), &hello), 0);
		assert_true(hello.generation == w->generation && hello.vocabulary == wire_vocabulary());
		w->n_hellos++;
	} else if (type == WIRE_HEARTBEAT) {
		w->n_beats++;
	} else {
		assert_int_equal(wire_get_request(bytes_of(message, (size_t)n), &request), 0);
		take_request(w, &request);
	}
	return true;
}

void world_listen(struct world *w)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof address.sun_path, "%s", w->socket_path);
	w->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(w->listener, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(w->listener, 4), 0);
}

void world_stop_listening(struct world *w)
{
	if (w->listener >= 0)
		close(w->listener);
	w->listener = -1;
	unlink(w->socket_path);
}

/* ---- time passes */

/* False: nothing happened. */
static bool turn(struct world *w)
{
	int r = sd_event_run(w->event, 0);

	assert_true(r >= 0);
	accept_client(w);
	return take_message(w) || r;
}

void world_run(struct world *w)
{
	for (unsigned turns = 0; turns < 20000; turns++)
		if (!turn(w))
			return;
	fail_msg("it does not come to rest");
}

void world_turn(struct world *w, unsigned turns)
{
	while (turns--)
		turn(w);
}

/* Long times pass in longer steps, which must stay below the silence that ends a connection. */
enum { LONG_MS = 600000, STEP_MS = 1000, LONG_STEP_MS = 10000 };

void world_pass(struct world *w, uint64_t ms)
{
	uint64_t step_ms = STEP_MS;
	uint8_t beat[8];

	world_run(w);
	if (ms > LONG_MS)
		step_ms = LONG_STEP_MS;
	while (ms) {
		uint64_t step = ms < step_ms ? ms : step_ms;

		world_jump(step);
		ms -= step;
		if (!w->is_silent && !w->is_mute)
			world_send(w, beat, wire_put_empty(beat, WIRE_HEARTBEAT));
		world_run(w);
	}
}

/* ---- what the client tells */

static void on_ready(void *context)
{
	struct world *w = context;

	w->n_ready++;
	if (w->poller)
		poller_client_ready(w->poller);
}

static void on_failed(void *context)
{
	((struct world *)context)->n_failed++;
}

static void on_lost(void *context)
{
	((struct world *)context)->n_lost++;
}

static void on_inventory(void *context, const char *text)
{
	struct world *w = context;

	w->n_inventory++;
	snprintf(w->inventory, sizeof w->inventory, "%s", text);
}

static void on_inventory_end(void *context)
{
	((struct world *)context)->n_inventory_end++;
}

static void on_reply(void *context, void *tag, const struct wire_reply *reply)
{
	struct world *w = context;

	if (w->poller) {
		poller_take_reply(w->poller, tag, reply);
		return;
	}
	assert_true(w->n_replies < WORLD_REPLIES);
	w->replies[w->n_replies].tag = tag;
	w->replies[w->n_replies++].reply = *reply;
}

static void on_added(void *context, struct drive *drive)
{
	struct world *w = context;

	w->n_added++;
	assert_int_equal(poller_add(w->poller, drive), 0);
}

static void on_removed(void *context, struct drive *drive)
{
	struct world *w = context;

	w->n_removed++;
	poller_remove(w->poller, drive);
}

struct world *world_new(uint64_t interval_ms, const struct drive_filter *filter)
{
	struct probe_client_options options = { 0 };
	struct world *w = calloc(1, sizeof *w);
	struct probe_client_events events = { .context = w, .ready = on_ready, .failed = on_failed,
					      .lost = on_lost, .inventory = on_inventory, .inventory_end = on_inventory_end, .reply = on_reply };
	static unsigned number;

	log_set_level(LOG_LEVEL_ERROR);		/* many tests provoke warnings; who wants them says so */
	w->peer = w->listener = -1;
	w->generation = 4711;
	w->began_us = passed_us;
	w->table = (struct drive_table){ .events = { w, on_added, on_removed }, .filter = filter };
	snprintf(w->socket_path, sizeof w->socket_path, "/tmp/drive-exporter-test-%d-%u", (int)getpid(), number++);
	world_listen(w);
	assert_true(sd_event_new(&w->event) >= 0);
	options.socket_path = w->socket_path;
	assert_int_equal(probe_client_new(w->event, &options, &events, &w->client), 0);
	if (interval_ms) {
		struct poller_options poller = { .interval_us = interval_ms * 1000 };

		assert_int_equal(poller_new(w->event, &w->table, &poller, &w->poller), 0);
		poller_set_client(w->poller, SOURCE_HOST, w->client);
	}
	return w;
}

void world_free(struct world *w)
{
	drive_table_free(&w->table);
	probe_client_free(w->client);
	poller_free(w->poller);
	device_list_free(&w->devices);
	world_hang_up(w);
	world_stop_listening(w);
	while (w->n_answers)
		remove_answer(w, w->n_answers - 1);
	sd_event_unref(w->event);
	free(w);
}

const char *world_asked(const struct world *w, size_t since)
{
	static char out[65536];
	size_t n = 0;

	out[0] = 0;
	for (size_t i = since; i < w->n_log && n < sizeof out; i++)
		n += (size_t)snprintf(out + n, sizeof out - n, "%s\n", w->log[i].text);
	return out;
}

size_t world_count(const struct world *w, size_t since, const char *text)
{
	size_t n = 0;

	for (size_t i = since; i < w->n_log; i++)
		n += !strcmp(w->log[i].text, text);
	return n;
}

/* ---- drives */

struct device *world_device(struct world *w, const char *name, enum transport transport, const char *host,
			    const char *group)
{
	struct device *d = device_list_add(&w->devices);

	assert_non_null(d);
	d->transport = transport;
	d->is_askable = true;
	d->is_controller = transport == TRANSPORT_NVME;
	text_copy(d->name, sizeof d->name, name);
	text_copy(d->host, sizeof d->host, host);
	text_copy(d->group, sizeof d->group, group);
	return d;
}

void world_discover(struct world *w)
{
	assert_int_equal(drive_table_update(&w->table, SOURCE_HOST, &w->devices), 0);
}

struct drive *world_drive(const struct world *w, const char *device)
{
	for (size_t i = 0; i < w->table.n; i++)
		for (size_t k = 0; k < w->table.at[i]->n_devices; k++)
			if (!strcmp(w->table.at[i]->devices[k].name, device))
				return w->table.at[i];
	return NULL;
}

struct drive_poll *world_poll(const struct world *w, const char *device)
{
	struct drive *drive = world_drive(w, device);

	assert_non_null(drive);
	return poller_of(drive);
}

double world_value(const struct world *w, const char *device, enum metric_family_id family, const char *label)
{
	struct drive_poll *poll = world_poll(w, device);
	const struct sample *s;

	readings_age(poll, poller_now_us(w->poller), poller_interval_us(w->poller));
	s = readings_find(poll, family, label);
	return s ? s->value : NAN;
}

static void pad(uint8_t *at, size_t n, const char *text)
{
	memset(at, ' ', n);
	memcpy(at, text, strlen(text));
}

void world_scsi_sense(struct world *w, const char *node, uint8_t asc, uint8_t ascq)
{
	uint8_t sense[18] = { 0x70, [7] = 10, [12] = asc, [13] = ascq };

	world_say(w, node, "request-sense", sense, sizeof sense);
}

void world_temperature(struct world *w, const char *node, int celsius)
{
	uint8_t page[] = { 0x0d, 0, 0, 6, 0, 0, 3, 2, 0, (uint8_t)celsius };

	world_say(w, node, "log-sense page=0d", page, sizeof page);
}

void world_wear(struct world *w, const char *node, int percent)
{
	uint8_t page[] = { 0x11, 0, 0, 8, 0, 1, 3, 4, 0, 0, 0, (uint8_t)percent };

	world_say(w, node, "log-sense page=11", page, sizeof page);
}

/* Health pages 0Dh, 2Fh and 11h, and 06h, which it lists and does not know. */
void world_scsi(struct world *w, const char *node, const char *vendor, const char *model, const char *serial)
{
	static const uint8_t list[] = { 0, 0, 0, 3, 0, 0x80, 0x83 }, logs[] = { 0, 0, 0, 5, 0, 0x06, 0x0d, 0x11, 0x2f };
	static const uint8_t exceptions[] = { 0x2f, 0, 0, 8, 0, 0, 3, 4, 0, 0, 0, 0 };
	uint8_t inquiry[36] = { 0, 0, 6, 2, 31 }, page80[64] = { 0, 0x80, 0, (uint8_t)strlen(serial) };
	uint8_t page83[16] = { 0, 0x83, 0, 12, 1, 3, 0, 8, 0x50 };
	uint64_t name = text_hash(serial, strlen(serial));

	pad(inquiry + 8, 8, vendor);
	pad(inquiry + 16, 16, model);
	pad(inquiry + 32, 4, "0001");
	memcpy(page80 + 4, serial, strlen(serial));
	memcpy(page83 + 9, &name, 7);
	world_scsi_sense(w, node, 0, 0);
	world_say(w, node, "inquiry", inquiry, sizeof inquiry);
	world_say(w, node, "inquiry vpd=00", list, sizeof list);
	world_say(w, node, "inquiry vpd=80", page80, 4 + strlen(serial));
	world_say(w, node, "inquiry vpd=83", page83, sizeof page83);
	world_say(w, node, "log-sense", logs, sizeof logs);
	world_say(w, node, "log-sense page=2f", exceptions, sizeof exceptions);
	world_temperature(w, node, 40);
	world_wear(w, node, 7);
}

void world_nvme(struct world *w, const char *node, const char *model, const char *serial)
{
	uint8_t identify[4096] = { 0 }, health[512] = { 0, 0x36, 1, 90, 10, 3 };

	pad(identify + 4, 20, serial);
	pad(identify + 24, 40, model);
	pad(identify + 64, 8, "1.0");
	world_say(w, node, "nvme-identify cns=01", identify, sizeof identify);
	world_say(w, node, "nvme-log id=02", health, sizeof health);
}

static void put_word(uint8_t *identify, size_t word, unsigned value)
{
	identify[word * 2] = (uint8_t)value;
	identify[word * 2 + 1] = (uint8_t)(value >> 8);
}

static void put_swapped(uint8_t *identify, size_t word, size_t n, const char *text)
{
	char padded[41];

	snprintf(padded, sizeof padded, "%-*s", (int)n * 2, text);
	for (size_t i = 0; i < n * 2; i++)
		identify[word * 2 + (i ^ 1)] = (uint8_t)padded[i];
}

/* SMART status alone. */
void world_ata(struct world *w, const char *node, const char *model, const char *serial, unsigned rpm)
{
	static const uint8_t passed[] = { 0x4f, 0xc2 }, active[] = { 0xff };
	uint8_t identify[512] = { 0 };

	put_swapped(identify, 10, 10, serial);
	put_swapped(identify, 23, 4, "1.0");
	put_swapped(identify, 27, 20, model);
	put_word(identify, 82, 1);
	put_word(identify, 83, 0x4000);
	put_word(identify, 85, 1);
	put_word(identify, 87, 0x4000);
	put_word(identify, 217, rpm);
	world_say(w, node, "ata-check-power", active, sizeof active);
	world_say(w, node, "ata-identify", identify, sizeof identify);
	world_say(w, node, "ata-smart-status", passed, sizeof passed);
}
