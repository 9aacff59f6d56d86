/* Is the drive awake? Out of the two answers that never wake one: ATA CHECK POWER MODE and SCSI REQUEST SENSE. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/fail.h"

/* The values of the label `state` of drive_power_state. */
enum power_state {
	POWER_ACTIVE,
	POWER_IDLE,		/* awake; a disk in idle_c may have slowed its spindle */
	POWER_STANDBY,		/* stopped, or so low that reading would wake it */
	POWER_SLEEP,		/* answers nothing but a reset; no answer says so, callers set it */
	POWER_UNKNOWN,		/* answered, but with nothing that tells */
	N_POWER_STATES
};

/* "active", "idle", ...: the metric label. */
const char *power_state_name(enum power_state state);

/* The COUNT field of CHECK POWER MODE: exactly one byte. Values that ACS does not define are POWER_UNKNOWN; only a
 * wrong length fails. */
MUST_CHECK struct fail power_from_check_power(struct bytes in, enum power_state *ret);

/* Sense data of REQUEST SENSE, fixed or descriptor format. Fails on what is no sense data. */
MUST_CHECK struct fail power_from_sense(struct bytes in, enum power_state *ret);

/* REQUEST SENSE that reports a unit attention, or an error of an earlier command, clears it and says nothing of the
 * state (SPC): the next one does. */
bool power_is_hidden_by_sense(struct bytes);

/* An informational exception in the same bytes, where the drive reports it there (SPC, MRIE 6): its additional sense code and
 * qualifier. Both 0 where there is none. */
void power_exception_in_sense(struct bytes in, uint8_t *ret_asc, uint8_t *ret_ascq);

/* True where reading health pages could wake the drive. Not of POWER_UNKNOWN: bridges answer so for drives at work. */
bool power_forbids_reading(enum power_state state);
