/* Where in an enclosure a drive sits. The kernel's ses driver has asked the enclosure for that when it came; here only
 * what it keeps is looked at. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/sysfs.h"
#include "discover/device.h"

/* A component is called as the enclosure likes. Blanks around its name are padding; what neither a label nor a line of a
 * capture can hold is a _. */
static void copy_component(char to[ENCLOSURE_NAME_MAX], const char *from)
{
	bool is_utf8 = text_is_utf8(from);
	size_t n;

	from += strspn(from, " ");
	n = strlen(from);
	while (n && from[n - 1] == ' ')
		n--;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)from[i];

		to[i] = c < 0x20 || c == 0x7f || (c >= 0x80 && !is_utf8) || strchr("#\\/", c) ? '_' : from[i];
	}
	to[n] = 0;
}

/* The part of a path before END, ended with a / or the beginning; *end is then where it begins. */
static size_t last_part(const char *path, const char **end)
{
	const char *at = *end;

	while (at > path && at[-1] != '/')
		at--;
	*end = at;
	return strcspn(at, "/");
}

/* The second last part of ".../enclosure/0:0:24:0/Slot 05". The name of an enclosure is that of a SCSI device. */
static bool copy_enclosure(char to[ENCLOSURE_NAME_MAX], const char *target)
{
	const char *at = target + strlen(target);
	size_t n;

	if (!last_part(target, &at) || at == target)
		return false;
	at--;
	n = last_part(target, &at);
	if (!n || n >= ENCLOSURE_NAME_MAX || strspn(at, "0123456789:") != n || at - target < (ptrdiff_t)strlen("enclosure/"))
		return false;
	memcpy(to, at, n);
	to[n] = 0;
	at--;
	return last_part(target, &at) == strlen("enclosure") && !strncmp(at, "enclosure/", strlen("enclosure/"));
}

bool slot_from_link(struct device_slot *slot, const char *link, const char *target)
{
	*slot = (struct device_slot){ 0 };
	if (strncmp(link, SLOT_LINK, strlen(SLOT_LINK)) || strlen(link + strlen(SLOT_LINK)) >= ENCLOSURE_NAME_MAX)
		return false;
	copy_component(slot->component, link + strlen(SLOT_LINK));
	if (slot->component[0] && copy_enclosure(slot->enclosure, target))
		return true;
	*slot = (struct device_slot){ 0 };
	return false;
}

/* ses.c, ses_show_id(): "%#llx", so leading zeroes are left out. A world wide name has 16 digits. */
void slot_take_id(struct device_slot *slot, const char *value)
{
	uint64_t id;

	if (strncmp(value, "0x", 2) || !text_hex_to_u64(value + 2, UINT64_MAX, &id) || !id || id == UINT64_MAX)
		return;
	snprintf(slot->id, sizeof slot->id, "0x%016llx", (unsigned long long)id);
}

void slot_take_number(struct device_slot *slot, const char *value)
{
	uint64_t number;

	if (text_to_u64(value, INT_MAX, &number))
		snprintf(slot->number, sizeof slot->number, "%d", (int)number);
}

void slot_from_sysfs(struct device_slot *slot, const char *dir)
{
	char link[sizeof SLOT_LINK + ENCLOSURE_NAME_MAX - 1], path[SYSFS_PATH_MAX], component[SYSFS_PATH_MAX];
	char value[SYSFS_VALUE_MAX];

	*slot = (struct device_slot){ 0 };
	if (snprintf(path, sizeof path, "%s/device", dir) >= (int)sizeof path ||
	    sysfs_find_link(path, SLOT_LINK, link, sizeof link))
		return;
	if (snprintf(path, sizeof path, "%s/device/%s", dir, link) >= (int)sizeof path)
		return;
	if (sysfs_resolve(path, component, sizeof component) || !slot_from_link(slot, link, component))
		return;
	if (sysfs_read(component, "slot", value, sizeof value) > 0)
		slot_take_number(slot, value);
	*strrchr(component, '/') = 0;		/* the enclosure's own folder */
	if (sysfs_read(component, "id", value, sizeof value) > 0)
		slot_take_id(slot, value);
}

const char *slot_enclosure(const struct device_slot *slot)
{
	return slot->id[0] ? slot->id : slot->enclosure;
}

const char *slot_name(const struct device_slot *slot)
{
	return slot->number[0] ? slot->number : slot->component;
}
