/* Sends events of a device: fakeuevent [OPTION]... ACTION[,ACTION]... SYSPATH [KEY=VALUE]...
 *
 *	--from=kernel|udevd	only that one's (default: the kernel's, then udevd's)
 *	--repeat=N		so many times, the ACTIONs in turn
 *	--pause=MICROSECONDS	between two
 *
 * The kernel's own group takes events from the kernel alone. But the kernel sends on what root sends to it, to all
 * who listen in this network name space (lib/kobject_uevent.c, uevent_net_rcv_skb): so they are true ones. udevd's
 * group is open to root; its format is that of libudev. Whoever listens hears it: use a network name space of your
 * own (unshare -n). */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/cleanup.h"
#include "base/text.h"

enum { UDEVD_GROUP = 2, UDEVD_MAGIC = 0xfeedcafe, UEVENT_SEND = NLMSG_MIN_TYPE, EVENT_MAX = 2048, WORDS_MAX = 64 };

/* What is to be sent. */
struct event {
	const char *path;		/* without /sys */
	const char *subsystem, *type;
	char **words;			/* KEY=VALUE */
	size_t n_words;
	bool is_from_kernel, is_from_udevd;
};

/* Properties, each ended with a NUL, as both formats have them. */
static void put_properties(struct text *to, const struct event *e, const char *action, unsigned long long number)
{
	text_addf(to, "ACTION=%s%cDEVPATH=%s%c", action, 0, e->path, 0);
	for (size_t i = 0; i < e->n_words; i++)
		text_addf(to, "%s%c", e->words[i], 0);
	if (number)
		text_addf(to, "SEQNUM=%llu%cUSEC_INITIALIZED=1%c", number, 0, 0);
}

/* The kernel appends SEQNUM itself. */
static bool send_as_kernel(int fd, const struct event *e, const char *action)
{
	AUTO_TEXT text = TEXT_LIMIT(EVENT_MAX);
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct nlmsghdr header = { .nlmsg_type = UEVENT_SEND, .nlmsg_flags = NLM_F_REQUEST };
	struct iovec parts[2] = { { &header, sizeof header } };
	const struct msghdr m = { .msg_name = (void *)&kernel, .msg_namelen = sizeof kernel, .msg_iov = parts, .msg_iovlen = 2 };

	text_addf(&text, "%s@%s%c", action, e->path, 0);
	put_properties(&text, e, action, 0);
	parts[1] = (struct iovec){ text.at, text.length };
	header.nlmsg_len = (uint32_t)(sizeof header + text.length);
	return sendmsg(fd, &m, 0) >= 0;
}

/* MurmurHash2 with seed 0, by which a receiver's socket filter tells subsystems. */
static uint32_t hash(const char *string)
{
	const uint32_t m = 0x5bd1e995;
	size_t n = strlen(string);
	uint32_t h = (uint32_t)n, k;

	for (; n >= 4; n -= 4, string += 4) {
		memcpy(&k, string, 4);
		k *= m;
		k ^= k >> 24;
		h = h * m ^ k * m;
	}
	for (size_t i = n; i--;)
		h ^= (uint32_t)(unsigned char)string[i] << (8 * i);
	if (n)
		h *= m;
	h ^= h >> 13;
	h *= m;
	return h ^ h >> 15;
}

static bool send_as_udevd(int fd, const struct event *e, const char *action, unsigned long long number)
{
	AUTO_TEXT text = TEXT_LIMIT(EVENT_MAX);
	const struct sockaddr_nl group = { .nl_family = AF_NETLINK, .nl_groups = UDEVD_GROUP };
	struct {	/* systemd, src/libsystemd/sd-device/device-monitor.c, monitor_netlink_header */
		char prefix[8];
		uint32_t magic, header_bytes, properties_at, properties_bytes, subsystem_hash, type_hash, tag_high, tag_low;
	} header = { .prefix = "libudev", .magic = htonl(UDEVD_MAGIC), .header_bytes = sizeof header,
		     .properties_at = sizeof header, .subsystem_hash = htonl(hash(e->subsystem)),
		     .type_hash = e->type ? htonl(hash(e->type)) : 0 };
	struct iovec parts[2] = { { &header, sizeof header } };
	const struct msghdr m = { .msg_name = (void *)&group, .msg_namelen = sizeof group, .msg_iov = parts, .msg_iovlen = 2 };

	put_properties(&text, e, action, number);
	parts[1] = (struct iovec){ text.at, text.length };
	header.properties_bytes = (uint32_t)text.length;
	return sendmsg(fd, &m, 0) >= 0 || errno == ECONNREFUSED;	/* nobody listens, which may be just what a test wants */
}

static bool send_event(int fd, const struct event *e, const char *action, unsigned long long number)
{
	return (!e->is_from_kernel || send_as_kernel(fd, e, action)) &&
	       (!e->is_from_udevd || send_as_udevd(fd, e, action, number));
}

struct options {
	uint64_t repeat, pause_us;
	struct event event;
};

/* The words after the options; NULL: one is wrong. */
static char **parse_options(char **words, struct options *o)
{
	for (; *words && !strncmp(*words, "--", 2); words++) {
		if (!strcmp(*words, "--from=kernel"))
			o->event.is_from_udevd = false;
		else if (!strcmp(*words, "--from=udevd"))
			o->event.is_from_kernel = false;
		else if ((strncmp(*words, "--repeat=", 9) || !text_to_u64(*words + 9, UINT32_MAX, &o->repeat)) &&
			 (strncmp(*words, "--pause=", 8) || !text_to_u64(*words + 8, UINT32_MAX, &o->pause_us)))
			return NULL;
	}
	return words;
}

static bool take_words(struct event *e, char **words, size_t n)
{
	e->subsystem = "block";
	e->words = words;
	e->n_words = n;
	for (size_t i = 0; i < n; i++) {
		if (!strchr(words[i], '=') || n > WORDS_MAX)
			return false;
		if (!strncmp(words[i], "SUBSYSTEM=", 10))
			e->subsystem = words[i] + 10;
		if (!strncmp(words[i], "DEVTYPE=", 8))
			e->type = words[i] + 8;
	}
	return true;
}

static int send_all(const struct options *o, char *list)
{
	const char *actions[4];
	size_t n = 0;
	char *action;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);

	while (n < ARRAY_SIZE(actions) && (action = strsep(&list, ",")))
		actions[n++] = action;
	for (uint64_t i = 0; i < o->repeat; i++) {
		if (fd < 0 || !send_event(fd, &o->event, actions[i % n], i + 1)) {
			perror("fakeuevent");
			return 1;
		}
		if (o->pause_us)
			usleep((useconds_t)o->pause_us);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct options o = { .repeat = 1, .event = { .is_from_kernel = true, .is_from_udevd = true } };
	char **words = parse_options(argv + 1, &o);
	size_t n = words ? (size_t)(argv + argc - words) : 0;

	if (n < 2 || !take_words(&o.event, words + 2, n - 2)) {
		fprintf(stderr, "usage: fakeuevent [--from=kernel|udevd] [--repeat=N] [--pause=MICROSECONDS] ACTION[,ACTION]..."
			" SYSPATH [KEY=VALUE]...\n");
		return 2;
	}
	o.event.path = strncmp(words[1], "/sys", 4) ? words[1] : words[1] + 4;
	return send_all(&o, words[0]);
}
