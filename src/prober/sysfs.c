/* What sysfs answers by asking hardware: counters of a host adapter's phys (commands to its firmware, or SMP frames to
 * an expander), and the PCIe link (recent kernels wake the device). So these are commands, and run in a child. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "prober/ways.h"

enum { PATH_SIZE = SYSFS_PATH_MAX + 300, PHY_BYTES = 18 };

static void put_be(uint8_t **to, uint64_t value, size_t width)
{
	for (size_t i = width; i--; value >>= 8)
		(*to)[i] = (uint8_t)value;
	*to += width;
}

/* 0 or a negative errno. White space at the end is cut. */
static int read_text(const char *dir, const char *attribute, char *value, size_t size)
{
	char path[PATH_SIZE + 64];
	ssize_t n;

	if (snprintf(path, sizeof path, "%s/%s", dir, attribute) >= (int)sizeof path)
		return -ENAMETOOLONG;
	AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	n = read(fd, value, size - 1);
	if (n < 0)
		return -errno;
	while (n > 0 && strchr(" \n", value[n - 1]))
		n--;
	value[n] = 0;
	return 0;
}

static int read_number(const char *dir, const char *attribute, uint64_t max, uint64_t *ret)
{
	char value[32];
	int r = read_text(dir, attribute, value, sizeof value);

	if (r < 0)
		return r;
	return text_to_u64(value, max, ret) ? 0 : -EINVAL;
}

/* ---- the host's side of a SAS port */

/* As drivers/scsi/scsi_transport_sas.c spells the codes of SPL (table "NEGOTIATED LOGICAL LINK RATE field"). */
static uint8_t rate_code(const char *text)
{
	static const struct {
		const char *text;
		uint8_t code;
	} rates[] = {
		{ "Phy disabled", 0x1 }, { "Link Rate failed", 0x2 }, { "Spin-up hold", 0x3 }, { "1.5 Gbit", 0x8 },
		{ "3.0 Gbit", 0x9 }, { "6.0 Gbit", 0xa }, { "12.0 Gbit", 0xb }, { "22.5 Gbit", 0xc },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		if (!strcmp(text, rates[i].text))
			return rates[i].code;
	return 0;	/* unknown */
}

/* The port that a disk hangs on: the last port-... above its end device. "" where there is none (no SAS). */
static int find_port(const char *name, char *port, size_t size)
{
	char path[64], *last = NULL, *end;
	int r;

	snprintf(path, sizeof path, "/sys/block/%.32s/device", name);
	r = sysfs_resolve(path, port, size);
	if (r < 0)
		return r;
	for (char *at = strstr(port, "/port-"); at; at = strstr(at + 1, "/port-"))
		last = at;
	if (!last)
		return -EOPNOTSUPP;
	end = strchr(last + 1, '/');
	if (end)
		*end = 0;
	return 0;
}

static int read_phy(const char *phy, uint8_t out[PHY_BYTES])
{
	static const char *const counters[] = { "invalid_dword_count", "running_disparity_error_count",
						"loss_of_dword_sync_count", "phy_reset_problem_count" };
	char dir[PATH_SIZE], rate[32];
	uint64_t value;
	int r;

	snprintf(dir, sizeof dir, "/sys/class/sas_phy/%.255s", phy);
	r = read_number(dir, "phy_identifier", 0xff, &value);
	if (r < 0)
		return r;
	put_be(&out, value, 1);
	r = read_text(dir, "negotiated_linkrate", rate, sizeof rate);
	if (r < 0)
		return r;
	put_be(&out, rate_code(rate), 1);
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		r = read_number(dir, counters[i], UINT32_MAX, &value);
		if (r < 0)
			return r;
		put_be(&out, value, 4);
	}
	return 0;
}

static int is_phy(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "phy-", 4);
}

void host_phys_ask(const struct node *node, const struct command *c, uint8_t *buffer, struct wire_reply *ret)
{
	size_t room = command_answer_max(c);
	char port[SYSFS_PATH_MAX];
	struct dirent **phys;
	int n, r;

	r = find_port(node->name, port, sizeof port);
	if (r < 0) {
		ret->fail = fail_os(-r, "SAS port");
		return;
	}
	n = scandir(port, &phys, is_phy, versionsort);
	if (n < 0) {
		ret->fail = fail_os(errno, "SAS port");
		return;
	}
	for (int i = 0; i < n; i++) {
		if (!failed(ret->fail) && ret->n_bytes + PHY_BYTES <= room) {
			r = read_phy(phys[i]->d_name, buffer + ret->n_bytes);
			if (r < 0)
				ret->fail = fail_os(-r, "SAS phy");
			else
				ret->n_bytes += PHY_BYTES;
		}
		free(phys[i]);
	}
	free(phys);
	ret->bytes = buffer;
}

/* ---- the PCIe link */

/* "8.0 GT/s PCIe", "8 GT/s" before Linux 5.7, as tenths of GT/s; 0: unknown. */
static uint16_t tenths_of_speed(const char *text)
{
	unsigned whole, tenth = 0;
	char unit;

	if (sscanf(text, "%u.%u G%c/s", &whole, &tenth, &unit) != 3 && sscanf(text, "%u G%c/s", &whole, &unit) != 2)
		return 0;
	if (whole > 6000 || tenth > 9 || unit != 'T')
		return 0;
	return (uint16_t)(10 * whole + tenth);
}

static int read_link(const char *dir, const char *speed, const char *width, uint8_t **to)
{
	char text[32];
	uint64_t lanes;
	int r = read_text(dir, speed, text, sizeof text);

	if (!r)
		r = read_number(dir, width, 0xff, &lanes);
	if (r < 0)
		return r;
	put_be(to, tenths_of_speed(text), 2);
	put_be(to, lanes, 1);
	return 0;
}

void pcie_link_ask(const struct node *node, const struct command *c, uint8_t *buffer, struct wire_reply *ret)
{
	char dir[PATH_SIZE];
	uint8_t *to = buffer;
	int r;

	/* From a namespace there is its controller between it and the PCI device. */
	snprintf(dir, sizeof dir, node->is_block ? "%s/device/device" : "%s/device", node->dir);
	r = read_link(dir, "current_link_speed", "current_link_width", &to);
	if (!r)
		r = read_link(dir, "max_link_speed", "max_link_width", &to);
	if (r < 0) {	/* a controller that is no PCIe device has no link */
		ret->fail = fail_os(r == -ENOENT ? EOPNOTSUPP : -r, "PCIe link");
		return;
	}
	ret->bytes = buffer;
	ret->n_bytes = (size_t)(to - buffer);
}
