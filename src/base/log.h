/* One line to standard error, never waiting for whoever reads it: a line that would block is dropped and counted. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Opens our own view of standard error: a socket is sent to without waiting; a pipe or terminal is reopened so that
 * O_NONBLOCK is ours alone; a regular file, which could hang with its disk, and what may not be
 * reopened get a child that writes it. Call once,
 * at start, before descriptors matter; until then lines go to standard error as they are. */
void log_open(const char *program);

/* The first act of every main(): a standard stream that is closed becomes one that reads nothing and takes no writing, so
 * that no file or socket opened later gets its number. */
void log_guard_streams(void);
void log_set_level(enum log_level level);
bool log_level_from_name(const char *name, enum log_level *ret);	/* debug, info, warn, error */
const char *log_level_name(enum log_level level);
uint64_t log_dropped(void);

void log_line(enum log_level level, const char *format, ...) PRINTF_LIKE(2, 3);

#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)
