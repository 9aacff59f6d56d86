/* The vocabulary: all that a drive can be asked. A writing command cannot be expressed. commands[] in command.c lists,
 * for each, its name and keys (as captures spell them), and the values each key may take; the prober refuses others. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fail.h"

/* Which commands a drive takes; ATA also where a SCSI host translates (SAT). */
enum transport { TRANSPORT_SCSI, TRANSPORT_ATA, TRANSPORT_NVME, N_TRANSPORTS };

/* "scsi", "ata", "nvme", as captures spell them. */
const char *transport_name(enum transport transport);
bool transport_from_name(const char *name, enum transport *ret);

enum command_name {
	COMMAND_INQUIRY,		/* SPC, INQUIRY */
	COMMAND_READ_CAPACITY,		/* SBC, READ CAPACITY(16) */
	COMMAND_LOG_SENSE,		/* SPC, LOG SENSE, cumulative values */
	COMMAND_MODE_SENSE,		/* SPC, MODE SENSE(10), current values */
	COMMAND_REQUEST_SENSE,		/* SPC, REQUEST SENSE */
	COMMAND_READ_DEFECTS,		/* SBC, READ DEFECT DATA: the grown list's header */
	COMMAND_ATA_IDENTIFY,		/* ACS, IDENTIFY DEVICE */
	COMMAND_ATA_SMART_DATA,		/* ATA8-ACS, SMART READ DATA */
	COMMAND_ATA_SMART_THRESHOLDS,	/* ATA-3, SMART READ ATTRIBUTE THRESHOLDS */
	COMMAND_ATA_SMART_STATUS,	/* ACS, SMART RETURN STATUS: LBA mid and high */
	COMMAND_ATA_SMART_LOG,		/* ACS, SMART READ LOG */
	COMMAND_ATA_LOG,		/* ACS, READ LOG EXT */
	COMMAND_ATA_CHECK_POWER,	/* ACS, CHECK POWER MODE: the COUNT field */
	COMMAND_NVME_IDENTIFY,		/* NVM Express, Identify */
	COMMAND_NVME_LOG,		/* NVM Express, Get Log Page; RAE is always 1 */
	COMMAND_PCIE_LINK,		/* from sysfs, which may wake the device */
	COMMAND_HOST_PHYS,		/* from sysfs, which may send commands on the host's wire */
	N_COMMANDS
};

/* Indices of the keys, by command. */
enum { KEY_VPD = 0 };					/* inquiry; VPD_NONE: the standard data */
enum { KEY_PAGE = 0, KEY_SUBPAGE, KEY_PARAMETER };	/* log-sense, mode-sense */
enum { KEY_ADDRESS = 0, KEY_LOG_PAGE, KEY_COUNT };	/* ata-log */
enum { KEY_SMART_ADDRESS = 0, KEY_SMART_COUNT };	/* ata-smart-log */
enum { KEY_CNS = 0, KEY_IDENTIFY_NSID };		/* nvme-identify */
enum { KEY_ID = 0, KEY_NSID, KEY_LSP, KEY_LSI, KEY_OFFSET, KEY_LENGTH, KEY_UUID };	/* nvme-log */
enum { COMMAND_KEYS = 7 };

#define VPD_NONE UINT32_MAX
enum { COMMAND_ANSWER_MAX = 65536, NODE_NAME_MAX = 32 };

/* One question to a drive. Data, so that it can travel to the prober, be looked up in a capture, and be printed.
 * Unused keys are 0. */
struct command {
	enum command_name name;
	uint32_t key[COMMAND_KEYS];
};

struct command_range {
	uint32_t first, last;
};

struct command_key {
	const char *name;			/* as captures spell it */
	uint32_t absent;			/* the value of a key left out */
	const struct command_range *allowed;	/* what the prober lets pass */
	size_t n_allowed;
};

struct command_kind {
	const char *name;			/* as captures spell it */
	uint32_t fixed_length;			/* an answer always has this many bytes (times count); 0: it varies */
	struct command_key key[COMMAND_KEYS];	/* name NULL ends the list */
};

extern const struct command_kind commands[N_COMMANDS];

/* Each key left out has its absent value. */
struct command command_default(enum command_name name);
bool command_name_from_text(const char *text, enum command_name *ret);
int command_key_index(enum command_name name, const char *key);	/* -1: no such key */
bool command_is_equal(const struct command *, const struct command *);

/* May the prober ask this? *ret_why says what it refuses, static ("key page: value not listed"). */
bool command_is_allowed(const struct command *, const char **ret_why);

/* As in a capture: "log-sense page=0d subpage=01"; keys at their absent value are left out. Returns text. */
enum { COMMAND_TEXT_MAX = 128 };
char *command_text(const struct command *, char text[COMMAND_TEXT_MAX]);

/* How many bytes an answer to it can have at most: what to allocate, at most COMMAND_ANSWER_MAX. */
size_t command_answer_max(const struct command *);

/* A kernel name of a SCSI disk, an NVMe namespace or an NVMe controller: [a-z][a-z0-9]*, sd..., nvmeN, nvmeNnM, and
 * no path. */
bool node_name_is_valid(const char *name);
