#include "discover/device.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct device *device_list_add(struct device_list *list)
{
	if (!ARRAY_GROW(list->at, list->room, list->n))
		return NULL;
	list->at[list->n] = (struct device){ .rotational = -1 };
	return &list->at[list->n++];
}

void device_list_free(struct device_list *list)
{
	free(list->at);
	*list = (struct device_list){ 0 };
}

/* Folders that only say what kind of thing follows. */
static bool is_class_folder(const char *part, size_t n)
{
	static const char *const folders[] = { "block", "nvme", "nvme-subsystem" };

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (strlen(folders[i]) == n && !memcmp(folders[i], part, n))
			return true;
	return false;
}

void device_path_from_devpath(const char *devpath, const char *name, char *path, size_t size)
{
	const char *end = devpath + strlen(devpath);

	path[0] = 0;
	while (end > devpath) {
		const char *start = end;
		size_t n;

		while (start > devpath && start[-1] != '/')
			start--;
		n = (size_t)(end - start);
		end = start > devpath ? start - 1 : devpath;
		if (n == strlen(name) && !memcmp(start, name, n))
			continue;
		if (!n || is_class_folder(start, n) || (n > 4 && !memcmp(start, "nvme", 4) && isdigit((unsigned char)start[4])))
			continue;
		if (n >= size)
			n = size - 1;
		memcpy(path, start, n);
		path[n] = 0;
		return;
	}
}

void device_host_from_devpath(const char *devpath, char *host, size_t size)
{
	const char *at = devpath;

	host[0] = 0;
	while ((at = strstr(at, "/host"))) {
		size_t digits = strspn(at + 5, "0123456789");

		if (digits && digits < 6 && (at[5 + digits] == '/' || !at[5 + digits]) && 4 + digits < size) {
			memcpy(host, at + 1, 4 + digits);
			host[4 + digits] = 0;
			return;
		}
		at += 5;
	}
}

uint32_t device_nsid_from_name(const char *name)
{
	const char *last = strrchr(name, 'n');
	uint64_t nsid;

	return last && last > name && text_to_u64(last + 1, UINT32_MAX, &nsid) ? (uint32_t)nsid : 0;
}
