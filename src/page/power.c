#include "page/power.h"

#include "page/scsi_exception_codes.h"

const char *power_state_name(enum power_state state)
{
	static const char *const names[N_POWER_STATES] = {
		[POWER_ACTIVE] = "active",	[POWER_IDLE] = "idle",		[POWER_STANDBY] = "standby",
		[POWER_SLEEP] = "sleep",	[POWER_UNKNOWN] = "unknown",
	};

	return state < N_POWER_STATES ? names[state] : names[POWER_UNKNOWN];
}

/* ACS, CHECK POWER MODE, table of the COUNT field; 40h and 41h are ATA8-ACS, NV cache with the spindle down or up. */
static const struct {
	uint8_t count, state;
} ata_states[] = {
	{ 0x00, POWER_STANDBY },	/* standby_z */
	{ 0x01, POWER_STANDBY },	/* standby_y */
	{ 0x40, POWER_STANDBY },
	{ 0x41, POWER_IDLE },
	{ 0x80, POWER_IDLE },
	{ 0x81, POWER_IDLE },		/* idle_a: Seagate enters it within 100 ms; it is awake */
	{ 0x82, POWER_IDLE },		/* idle_b */
	{ 0x83, POWER_IDLE },		/* idle_c */
	{ 0xff, POWER_ACTIVE },
};

struct fail power_from_check_power(struct bytes in, enum power_state *ret)
{
	uint8_t count = (uint8_t)bytes_be(&in, 1);

	if (in.torn || in.left)
		return fail_format("CHECK POWER MODE", "is not one byte");
	*ret = POWER_UNKNOWN;
	for (size_t i = 0; i < ARRAY_SIZE(ata_states); i++)
		if (ata_states[i].count == count)
			*ret = ata_states[i].state;
	return OK;
}

/* SPC, additional sense codes with a power condition in them. */
static const struct {
	uint8_t asc, ascq, state;
} sense_states[] = {
	{ 0x00, 0x00, POWER_ACTIVE },
	{ 0x04, 0x02, POWER_STANDBY },	/* stopped: it waits for START STOP UNIT */
	{ 0x04, 0x11, POWER_STANDBY },	/* not started yet: it waits for NOTIFY (ENABLE SPINUP) */
	{ 0x04, 0x09, POWER_ACTIVE },	/* self-test in progress */
	{ 0x5e, 0x00, POWER_STANDBY },	/* low power, which one it does not say */
	{ 0x5e, 0x01, POWER_IDLE },	/* idle_a by timer */
	{ 0x5e, 0x02, POWER_STANDBY },	/* standby_z by timer */
	{ 0x5e, 0x03, POWER_IDLE },	/* idle_a by command */
	{ 0x5e, 0x04, POWER_STANDBY },	/* standby_z by command */
	{ 0x5e, 0x05, POWER_IDLE },	/* idle_b by timer */
	{ 0x5e, 0x06, POWER_IDLE },	/* idle_b by command */
	{ 0x5e, 0x07, POWER_IDLE },	/* idle_c by timer */
	{ 0x5e, 0x08, POWER_IDLE },	/* idle_c by command */
	{ 0x5e, 0x09, POWER_STANDBY },	/* standby_y by timer */
	{ 0x5e, 0x0a, POWER_STANDBY },	/* standby_y by command */
};

enum { SENSE_NONE = 0x0, SENSE_RECOVERED = 0x1, SENSE_UNIT_ATTENTION = 0x6, ASC_LOW_POWER = 0x5e, LAST_CONDITION = 0x0a };

struct sense {
	uint8_t key, asc, ascq;
	bool is_deferred;		/* about an earlier command, not about now */
};

/* SPC, sense data: response codes 70h and 71h are the fixed format, 72h and 73h descriptors; the odd ones are deferred. */
static struct fail sense_of(struct bytes in, struct sense *ret)
{
	uint8_t response = (uint8_t)bytes_be(&in, 1) & 0x7f;
	bool is_fixed = response == 0x70 || response == 0x71;

	ret->is_deferred = response & 1;
	if (is_fixed)
		bytes_skip(&in, 1);
	ret->key = (uint8_t)bytes_be(&in, 1) & 0x0f;
	if (is_fixed)
		bytes_skip(&in, 9);
	ret->asc = (uint8_t)bytes_be(&in, 1);
	ret->ascq = (uint8_t)bytes_be(&in, 1);
	if (in.torn)
		return fail_format("REQUEST SENSE", "too short for sense data");
	if (response < 0x70 || response > 0x73)
		return fail_format("REQUEST SENSE", "is no sense data");
	return OK;
}

/* Any other report without an error, as a predicted failure (5Dh), comes from a drive that is up. */
static enum power_state state_of(const struct sense *sense)
{
	bool is_error = sense->key != SENSE_NONE && sense->key != SENSE_RECOVERED;
	enum power_state state = is_error ? POWER_UNKNOWN : POWER_ACTIVE;

	for (size_t i = 0; i < ARRAY_SIZE(sense_states); i++)
		if (sense_states[i].asc == sense->asc && sense_states[i].ascq == sense->ascq && !(sense->asc == 0 && is_error))
			state = sense_states[i].state;
	if ((sense->asc == ASC_LOW_POWER && sense->ascq > LAST_CONDITION) || sense->is_deferred)
		return POWER_UNKNOWN;
	return state;
}

struct fail power_from_sense(struct bytes in, enum power_state *ret)
{
	struct sense sense;
	struct fail f = sense_of(in, &sense);

	if (!failed(f))
		*ret = state_of(&sense);
	return f;
}

bool power_is_hidden_by_sense(struct bytes in)
{
	struct sense sense;

	return !failed(sense_of(in, &sense)) && (sense.key == SENSE_UNIT_ATTENTION || sense.is_deferred);
}

void power_exception_in_sense(struct bytes in, uint8_t *ret_asc, uint8_t *ret_ascq)
{
	struct sense sense;
	bool is_one = !failed(sense_of(in, &sense)) && scsi_exception_is_one(sense.asc, sense.ascq) &&
		      (sense.key == SENSE_NONE || sense.key == SENSE_RECOVERED);

	*ret_asc = is_one ? sense.asc : 0;
	*ret_ascq = is_one ? sense.ascq : 0;
}

bool power_forbids_reading(enum power_state state)
{
	return state == POWER_STANDBY || state == POWER_SLEEP;
}
