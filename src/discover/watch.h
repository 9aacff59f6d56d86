/* When to look for drives of this host: at once, when udevd or (where none runs) the kernel tells that a device came or went,
 * and every minute, since both drop events under load without a word. Events say when to look, never what is there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <systemd/sd-event.h>

struct host_watch;

/* Calls look(context) from the loop. 0 or a negative errno. */
int host_watch_new(sd_event *, void (*look)(void *context), void *context, struct host_watch **ret);
void host_watch_free(struct host_watch *);

/* What the kernel sends to its netlink group (lib/kobject_uevent.c): "ACTION@DEVPATH", then "KEY=VALUE", each ended with a NUL.
 * Does it tell of a disk or an NVMe controller? */
bool uevent_is_of_drive(const char *message, size_t n);
