/* A capture's answer in the drive's place. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/clock.h"
#include "replay/replay.h"

/* Who is asked, and when. */
struct question {
	struct replay *replay;
	size_t drive, node;
	uint64_t at_s;
};

static const struct capture *capture_of(const struct question *q)
{
	return q->replay->drives[q->drive].capture;
}

/* ---- which answer */

/* The place of this node in a group's answers; NULL: no memory for it. */
static struct replay_place *place_of(const struct question *q, size_t group)
{
	struct replay *r = q->replay;
	struct replay_place *grown;

	for (size_t i = 0; i < r->n_places; i++)
		if (r->places[i].drive == q->drive && r->places[i].node == q->node && r->places[i].group == group)
			return &r->places[i];
	grown = reallocarray(r->places, r->n_places + 1, sizeof *grown);
	if (!grown)
		return NULL;
	r->places = grown;
	grown += r->n_places++;
	*grown = (struct replay_place){ .drive = q->drive, .node = q->node, .group = group };
	return grown;
}

/* The next of successive answers. The last one stays for ever; a later section begins anew. */
static const struct capture_answer *next_answer(const struct question *q, size_t group, const struct replay_answers *first,
						size_t n)
{
	struct replay_place *place = n > 1 ? place_of(q, group) : NULL;

	if (!place)
		return first[n - 1].answer;
	if (place->first != first) {
		place->first = first;
		place->next = 0;
	}
	return first[place->next < n - 1 ? place->next++ : n - 1].answer;
}

/* Of the node's own path, or of the default, which is the first node's. */
static const struct capture_answer *find_on_path(const struct question *q, const struct command *command, bool is_own)
{
	const struct replay_drive *d = &q->replay->drives[q->drive];
	const struct replay_answers *first;
	size_t group, n = replay_answers_at(d, command, is_own ? d->nodes[q->node].name : "", q->at_s, &first, &group);

	return n ? next_answer(q, group, first, n) : NULL;
}

static const struct capture_answer *find(const struct question *q, const struct command *command)
{
	const struct capture_answer *a = find_on_path(q, command, true);

	return a ? a : find_on_path(q, command, false);
}

/* ---- answers made of others */

static void give(const struct capture_answer *a, size_t offset, size_t n, uint8_t *buffer, struct replay_answer *ret)
{
	size_t left = offset < a->n_bytes ? a->n_bytes - offset : 0;

	if (n > left)
		n = left;
	if (n > COMMAND_ANSWER_MAX - ret->n_bytes)
		n = COMMAND_ANSWER_MAX - ret->n_bytes;
	if (n)
		memcpy(buffer + ret->n_bytes, a->bytes + offset, n);
	ret->n_bytes += n;
	ret->fail = failed(a->fail) ? a->fail : OK;	/* sense data that is no failure: an answer, if an empty one */
	ret->delay_us += a->delay_us;
	ret->is_hang = a->is_hang;
}

/* Several pages of an ATA log out of single ones. A page that fails, or is lacking, fails the whole command. */
static bool join_pages(const struct question *q, const struct command *command, uint8_t *buffer,
		       struct replay_answer *ret)
{
	struct command single = *command;

	if (command->key[KEY_COUNT] < 2 || command->key[KEY_COUNT] > COMMAND_ANSWER_MAX / 512)
		return false;
	single.key[KEY_COUNT] = 0;
	for (uint32_t i = 0; i < command->key[KEY_COUNT]; i++) {
		const struct capture_answer *a;

		single.key[KEY_LOG_PAGE] = command->key[KEY_LOG_PAGE] + i;
		a = find(q, &single);
		if (!a)
			return false;
		give(a, 0, a->n_bytes, buffer, ret);
		if (failed(ret->fail) || ret->is_hang) {
			ret->n_bytes = 0;
			return true;
		}
	}
	return true;
}

/* To a controller's logs all namespaces and none are one (NVM Express base, Get Log Page), but for the health log, where
 * versions before 2.0 know only the former. */
static const struct capture_answer *find_log(const struct question *q, const struct command *command)
{
	enum { HEALTH_LOG = 0x02 };
	const struct capture_answer *a = find(q, command);
	struct command other = *command;

	if (a || command->key[KEY_ID] == HEALTH_LOG || (command->key[KEY_NSID] && command->key[KEY_NSID] != UINT32_MAX))
		return a;
	other.key[KEY_NSID] = ~command->key[KEY_NSID];
	return find(q, &other);
}

/* A piece of an NVMe log: cut from the log at that offset, else from the whole. */
static bool cut_log(const struct question *q, const struct command *command, uint8_t *buffer, struct replay_answer *ret)
{
	struct command whole = *command;
	uint32_t offset = 0, length = command->key[KEY_LENGTH];
	const struct capture_answer *a = NULL;

	whole.key[KEY_LENGTH] = 0;
	if (length || !command->key[KEY_OFFSET])
		a = find_log(q, &whole);
	if (!a && command->key[KEY_OFFSET]) {
		whole.key[KEY_OFFSET] = 0;
		offset = command->key[KEY_OFFSET];
		a = find_log(q, &whole);
	}
	if (!a)
		return false;
	give(a, offset, length ? length : COMMAND_ANSWER_MAX, buffer, ret);
	if (a->n_bytes && offset >= a->n_bytes)		/* Invalid Field in Command (NVM Express base, Get Log Page) */
		ret->fail = fail_nvme(0x0, 0x02);
	return true;
}

/* SPC, LOG SENSE, PARAMETER POINTER: the page from the first parameter whose code is not less. */
static bool skip_parameters(const struct question *q, const struct command *command, uint8_t *buffer,
			    struct replay_answer *ret)
{
	struct command whole = *command;
	const struct capture_answer *a;
	struct bytes page;
	size_t offset = 4;

	if (!command->key[KEY_PARAMETER])
		return false;
	whole.key[KEY_PARAMETER] = 0;
	a = find(q, &whole);
	if (!a)
		return false;
	if (a->n_bytes < offset) {
		give(a, 0, a->n_bytes, buffer, ret);
		return true;
	}
	page = bytes_at(bytes_of(a->bytes, a->n_bytes), offset, a->n_bytes - offset);
	while (page.left) {
		uint32_t code = (uint32_t)bytes_be(&page, 2);

		if (page.torn || code >= command->key[KEY_PARAMETER])
			break;
		bytes_skip(&page, 1);
		bytes_skip(&page, bytes_be(&page, 1));
		if (!page.torn)
			offset = a->n_bytes - page.left;
	}
	give(a, 0, 4, buffer, ret);
	ret->delay_us = 0;
	give(a, offset, a->n_bytes - offset, buffer, ret);
	if (ret->n_bytes == 4) {	/* past the last one: INVALID FIELD IN CDB */
		ret->n_bytes = 0;
		ret->fail = fail_sense(0x5, 0x24, 0x00);
		return true;
	}
	buffer[2] = (uint8_t)((ret->n_bytes - 4) >> 8);
	buffer[3] = (uint8_t)(ret->n_bytes - 4);
	return true;
}

/* As a drive answers that does not know the command. */
static struct fail unknown(enum transport transport, enum command_name name)
{
	bool is_ata = name >= COMMAND_ATA_IDENTIFY && name <= COMMAND_ATA_CHECK_POWER;

	if (transport == TRANSPORT_NVME)
		return fail_nvme(0x0, 0x01);		/* Invalid Command Opcode */
	if (transport == TRANSPORT_ATA && is_ata)
		return fail_ata(0x51, 0x04);		/* aborted */
	return fail_sense(0x5, 0x20, 0x00);		/* INVALID COMMAND OPERATION CODE */
}

void replay_look_up(struct replay *r, size_t drive, size_t node, uint64_t at_s, const struct command *command,
		    uint8_t *buffer, struct replay_answer *ret)
{
	struct question q = { .replay = r, .drive = drive, .node = node, .at_s = at_s };
	const struct capture_answer *a = find(&q, command);
	bool is_answered = false;

	*ret = (struct replay_answer){ .fail = OK };
	if (a) {
		give(a, 0, a->n_bytes, buffer, ret);
		return;
	}
	if (command->name == COMMAND_ATA_LOG)
		is_answered = join_pages(&q, command, buffer, ret);
	else if (command->name == COMMAND_NVME_LOG)
		is_answered = cut_log(&q, command, buffer, ret);
	else if (command->name == COMMAND_LOG_SENSE)
		is_answered = skip_parameters(&q, command, buffer, ret);
	if (!is_answered)
		*ret = (struct replay_answer){ .fail = unknown(capture_of(&q)->transport, command->name) };
}

/* ---- in the child */

/* "host0" out of /devices/.../host0/target0:0:0/... */
static bool host_of_devpath(const char *devpath, char host[NODE_NAME_MAX])
{
	for (const char *at = strstr(devpath, "/host"); at; at = strstr(at + 1, "/host")) {
		size_t digits = strspn(at + 5, "0123456789");

		if (!digits || (at[5 + digits] && at[5 + digits] != '/') || 4 + digits >= NODE_NAME_MAX)
			continue;
		memcpy(host, at + 1, 4 + digits);
		host[4 + digits] = 0;
		return true;
	}
	return false;
}

int replay_child_for(void *replay, const struct wire_request *request, char ret_child[NODE_NAME_MAX])
{
	const struct replay *r = replay;
	const char *devpath = NULL;
	size_t drive, node;

	if (request->command.name != COMMAND_HOST_PHYS) {
		text_copy(ret_child, NODE_NAME_MAX, request->node);
		return 0;
	}
	if (replay_owner(r, request->node, (uint64_t)replay_elapsed_us(r) / 1000000, &drive, &node))
		devpath = replay_devpath(&r->drives[drive], node);
	if (!devpath || !host_of_devpath(devpath, ret_child))
		snprintf(ret_child, NODE_NAME_MAX, "host-%.*s", NODE_NAME_MAX - 6, request->node);
	return 0;
}

static void sleep_us(uint64_t us)
{
	struct timespec left = { .tv_sec = (time_t)(us / 1000000), .tv_nsec = (long)(us % 1000000) * 1000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		;
}

/* No answer, ever. A write to a frozen file system is a true state D: no signal ends it before the thaw. */
static _Noreturn void hang(const char *file)
{
	int fd = file ? open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;

	if (fd >= 0)
		(void)!write(fd, "", 1);
	for (;;)
		pause();
}

void replay_answer(void *replay, const struct wire_request *request, uint8_t *buffer, struct wire_reply *ret)
{
	struct replay *r = replay;
	uint64_t at_s = (uint64_t)replay_elapsed_us(r) / 1000000, began_us = clock_monotonic_us(), took_us;
	struct replay_answer answer;
	size_t drive, node;

	prctl(PR_SET_PDEATHSIG, SIGKILL);	/* who sleeps in place of a drive reads no end of file */
	ret->verdict = WIRE_ANSWERED;
	ret->started_us = clock_real_us();
	if (!replay_owner(r, request->node, at_s, &drive, &node)) {
		ret->fail = fail_os(ENODEV, "open");
		return;
	}
	ret->diskseq = replay_diskseq(r, drive, node, at_s);
	if (request->diskseq && request->diskseq != ret->diskseq) {
		ret->verdict = WIRE_OTHER_DISK;
		return;
	}
	replay_look_up(r, drive, node, at_s, &request->command, buffer, &answer);
	if (answer.is_hang)
		hang(r->hang_file);
	sleep_us(answer.delay_us);
	took_us = clock_monotonic_us() - began_us;
	ret->duration_us = took_us > answer.delay_us ? took_us : answer.delay_us;
	ret->fail = answer.fail;
	ret->bytes = buffer;
	ret->n_bytes = answer.n_bytes;
}
