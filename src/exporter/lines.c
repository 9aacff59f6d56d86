#include "exporter/lines.h"

#include <string.h>

#include "base/hash.h"

const char *subject_label(const struct subject *s)
{
	return s->drive ? s->drive->label : s->missing ? s->missing->id.drive : NULL;
}

enum lines_part lines_part_of(enum metric_family_id family)
{
	return family >= drive_io_completed_total && family <= drive_io_in_flight ? LINES_IO : LINES_STATE;
}

bool lines_are_own(enum metric_family_id family)
{
	return family >= drive_exporter_build_info;
}

bool lines_are_attributes(enum metric_family_id family)
{
	return family >= drive_ata_attribute_value && family <= drive_ata_attribute_info;
}

uint64_t lines_hash(const struct moment *m, const struct subject *s, enum lines_part part)
{
	if (s->drive)
		return !drive_is_shown(s->drive) ? 0 : part == LINES_IO ? io_hash(m->io, s->drive) : drive_lines_hash(m, s->drive);
	if (s->missing && part == LINES_STATE)
		return hash_bytes(1, s->missing, sizeof *s->missing);
	return m->now_us;	/* the exporter's own are of each scrape */
}

/* One subject's lines while they are written. A drive's readings are sorted by family, so one walk finds all. */
struct walk {
	const struct moment *moment;
	const struct subject *subject;
	struct exposition *text;
	const struct sample **served;
	size_t n, at;
};

static void write_readings(struct walk *w, enum metric_family_id family)
{
	bool is_left_out = lines_are_attributes(family) && !w->moment->fleet->options->has_ata_attributes;

	for (; w->at < w->n && w->served[w->at]->family <= family; w->at++) {
		const struct sample *s = w->served[w->at];

		if (s->family == family && !is_left_out)
			exposition_sample(w->text, w->subject->drive->label, LABELS(s->label[0], s->label[1], s->label[2]), s->value);
	}
}

static void write_family(struct walk *w, enum metric_family_id family)
{
	const struct drive_writer *writer = &drive_writers[family];
	struct drive *drive = w->subject->drive;

	if (w->subject->missing)
		missing_write(w->subject->missing, family, w->text);
	else if (!drive && own_writers[family] && (w->moment->has_own || !lines_are_own(family)))
		own_writers[family](w->moment, family, w->text);
	else if (drive && writer->write && (drive_has_health(drive) || !writer->needs_health))
		writer->write(w->moment, drive, family, w->text);
	else if (drive && !writer->write)
		write_readings(w, family);
}

void lines_write(const struct moment *m, const struct subject *s, enum lines_part part, struct exposition *text,
		 size_t ends[N_METRIC_FAMILIES])
{
	struct walk w = { .moment = m, .subject = s, .text = text };
	bool is_served = !s->drive || drive_is_shown(s->drive);

	if (s->drive && is_served)
		w.served = readings_served(poller_of(s->drive), &w.n);
	for (enum metric_family_id family = 0; family < N_METRIC_FAMILIES; family++) {
		if (is_served && lines_part_of(family) == part) {
			exposition_begin(text, family);
			write_family(&w, family);
		}
		ends[family] = exposition_text(text)->length;
	}
}

void moment_take(struct moment *ret, const struct fleet *fleet, struct io *io, bool has_own)
{
	*ret = (struct moment){ .fleet = fleet, .now_us = poller_now_us(fleet->poller),
				.interval_us = poller_interval_us(fleet->poller), .io = io, .has_own = has_own };
	for (size_t i = 0; i < fleet->drives.n; i++) {
		struct drive *drive = fleet->drives.at[i];

		if (!drive_is_shown(drive))
			continue;
		readings_age(poller_of(drive), ret->now_us, ret->interval_us);
		ret->seen += drive_has_health(drive);
		ret->replayed += drive->source == SOURCE_REPLAY;
		ret->readable += drive_has_health(drive) && drive_is_up_now(ret, drive);
	}
	io_read(io, fleet->options->has_block, fleet->clients[SOURCE_HOST]);
	if (has_own)
		self_usage(&ret->usage);
}
