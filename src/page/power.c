#include "page/power.h"

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

enum { SENSE_NONE = 0x0, SENSE_RECOVERED = 0x1 };

struct fail power_from_sense(struct bytes in, enum power_state *ret)
{
	uint8_t response = (uint8_t)bytes_be(&in, 1) & 0x7f;
	bool is_fixed = response == 0x70 || response == 0x71;
	bool is_deferred = response & 1;	/* 71h, 73h: about an earlier command, not about now */
	uint8_t key, asc, ascq;

	if (is_fixed)
		bytes_skip(&in, 1);
	key = (uint8_t)bytes_be(&in, 1) & 0x0f;
	if (is_fixed)
		bytes_skip(&in, 9);
	asc = (uint8_t)bytes_be(&in, 1);
	ascq = (uint8_t)bytes_be(&in, 1);
	if (in.torn)
		return fail_format("REQUEST SENSE", "too short for sense data");
	if (response < 0x70 || response > 0x73)
		return fail_format("REQUEST SENSE", "is no sense data");

	/* Any other report without an error, as a predicted failure (5Dh), comes from a drive that is up. */
	*ret = key == SENSE_NONE || key == SENSE_RECOVERED ? POWER_ACTIVE : POWER_UNKNOWN;
	for (size_t i = 0; i < ARRAY_SIZE(sense_states); i++)
		if (sense_states[i].asc == asc && sense_states[i].ascq == ascq && !(asc == 0 && key > SENSE_RECOVERED))
			*ret = sense_states[i].state;
	if (asc == 0x5e && ascq > 0x0a)
		*ret = POWER_UNKNOWN;
	if (is_deferred)
		*ret = POWER_UNKNOWN;
	return OK;
}

bool power_forbids_reading(enum power_state state)
{
	return state == POWER_STANDBY || state == POWER_SLEEP;
}
