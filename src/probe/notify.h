/* What systemd is told of this process (sd_notify(3)), without libsystemd: the program that may read every drive loads few
 * libraries. Where systemd did not start us, nothing is done. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* One of the first acts of main(), while there is no child yet: takes NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID out of
 * the environment, so that no program we start can speak for us. */
void notify_open(void);
bool notify_is_wanted(void);

/* "READY=1"; several with line ends between. Never waits: what systemd has no room for is sent before whatever comes next. */
void notify_state(const char *states);
/* What `systemctl status` shows; nothing is sent where that was the last text. */
void notify_status(const char *text);

/* How often notify_alive() is to be called: twice in the time after which systemd takes us for hung. 0: it does not watch. */
uint64_t notify_alive_ms(void);
void notify_alive(void);
