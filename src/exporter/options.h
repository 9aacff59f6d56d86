/* The command line. */
#pragma once

#include "base/log.h"
#include "base/text.h"
#include "discover/drive.h"

enum { OPTIONS_LIST = 64 };

enum verb { VERB_SERVE, VERB_ONCE, VERB_LIST, VERB_CAPTURE, VERB_HISTORY, VERB_CHECK_CONFIG };

struct options {
	enum verb verb;
	const char *device;			/* of capture */
	const char *words[2];			/* of history: DRIVE, export, or import FILE */
	bool has_csv;				/* history --csv */
	const char *files[OPTIONS_LIST + 1];	/* of check-config; none: the usual ones */
	const char *listen_addresses[OPTIONS_LIST + 1];
	bool has_systemd_socket;		/* in place of addresses */
	const char *telemetry_path;
	uint64_t max_requests;			/* 0: any number */
	const char *web_config_file;		/* NULL: plain HTTP for everybody */
	bool lacks_exporter_metrics;		/* --web.disable-exporter-metrics */
	enum log_level log_level;
	const char *replays[OPTIONS_LIST + 1];	/* captures, or folders of them */
	bool replay_beside_host;
	const char *replay_path, *replay_hang_file;
	bool has_replay_clock;			/* one of these two was given */
	double replay_speed;
	uint64_t replay_from_us;
	uint64_t replay_start_us;		/* when the replay began, by CLOCK_MONOTONIC */
	const char *prober_path, *prober_socket;
	bool has_ata_attributes, has_block, has_host_phys, has_drivedb, has_history;
	const char *drivedb_paths[OPTIONS_LIST + 1];	/* instead of the usual places */
	const char *catalogue_paths[OPTIONS_LIST + 1];	/* instead of the usual places */
	bool skips_idle;			/* --standby.skip=idle */
	bool has_all;				/* once --all: every optional collector that asks drives nothing more */
	uint64_t poll_interval_us;
	uint64_t forget_after_us;		/* --ledger.forget-after */
	bool has_fabrics;			/* NVMe over fabrics, discovery and administrative controllers too */
	struct drive_filter *filter;
	bool keep_serials;
};

enum options_verdict { OPTIONS_GO, OPTIONS_DONE /* --help and the like were printed */, OPTIONS_BAD };

/* OPTIONS_BAD: *error says why, in one line. Strings are kept by reference. */
enum options_verdict options_parse(int argc, char **argv, struct options *ret, struct text *error);
void options_free(struct options *);
