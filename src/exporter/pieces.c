#include "exporter/pieces.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "metric/series.h"

enum { GROUP_TEXT_MAX = 64 << 20 };

/* A piece compressed: alone, or below one header or the other. */
enum { PACKED_ALONE = N_EXPOSITION_FORMATS, N_PACKED };

struct piece {
	struct buffer *text;		/* NULL: no lines */
	uint32_t *ends;			/* of each subject's lines in it */
	struct gzip_block *packed;	/* N_PACKED of them, made when first asked for; NULL: none of them yet */
};

struct group {
	uint64_t hash[PIECE_SUBJECTS][N_LINES_PARTS];	/* of what each subject's lines were written from; 0: it has none */
	struct piece pieces[N_METRIC_FAMILIES];
};

/* Lines that were written anew. */
struct segment {
	uint32_t at, n;
};

struct pieces {
	const struct fleet *fleet;
	bool has_own;
	struct io io;
	struct exposition *text;	/* of the subjects that are written anew, one behind another */
	struct segment segments[PIECE_SUBJECTS][N_METRIC_FAMILIES];
	struct group **groups;
	size_t n_groups, room_groups;
	struct subject *subjects;
	size_t n_subjects, room_subjects;
	bool *is_clash;			/* of each subject: another one before it has its label */
	size_t room_clash;
	struct text labels;
	struct series_set label_set;
	uint64_t clashes;		/* series left out for that */
	struct text headers[N_EXPOSITION_FORMATS][N_METRIC_FAMILIES];
	struct gzip_packer *packer;
	struct gzip_block end;
	struct pieces_work work;
};

/* ---- whom it tells of */

static bool add_subject(struct pieces *p, struct subject subject)
{
	if (!ARRAY_GROW(p->subjects, p->room_subjects, p->n_subjects) || !ARRAY_GROW(p->is_clash, p->room_clash, p->n_subjects))
		return false;
	p->subjects[p->n_subjects++] = subject;
	return true;
}

static bool add_missing(struct pieces *p)
{
	const struct ledger *all = ledgers_all(p->fleet->ledgers);

	for (size_t i = 0; i < all->n; i++)
		if (ledgers_is_missing(p->fleet->ledgers, &all->at[i]) &&
		    !add_subject(p, (struct subject){ .missing = &all->at[i].known }))
			return false;
	return true;
}

static bool collect_subjects(struct pieces *p)
{
	p->n_subjects = 0;
	for (size_t i = 0; i < p->fleet->drives.n; i++)
		if (!add_subject(p, (struct subject){ .drive = p->fleet->drives.at[i] }))
			return false;
	return add_missing(p) && add_subject(p, (struct subject){ 0 });
}

/* Labels are made to differ. If two did not, Prometheus would refuse the whole scrape for it. */
static bool find_clashes(struct pieces *p)
{
	p->labels.length = 0;
	series_set_clear(&p->label_set);
	for (size_t i = 0; i < p->n_subjects; i++) {
		const struct subject *s = &p->subjects[i];
		const char *label = subject_label(s);
		size_t at = p->labels.length;
		int r;

		p->is_clash[i] = false;
		if (!label || (s->drive && !drive_is_shown(s->drive)))
			continue;
		text_add(&p->labels, label);
		if (p->labels.truncated)
			return false;
		r = series_set_add(&p->label_set, p->labels.at, at, p->labels.length - at);
		if (r == -ENOMEM)
			return false;
		p->is_clash[i] = r < 0;
	}
	return true;
}

static const struct subject *subject_at(const struct pieces *p, size_t i)
{
	return i < p->n_subjects ? &p->subjects[i] : NULL;
}

/* ---- pieces */

static void drop_packed(struct piece *piece)
{
	for (size_t i = 0; piece->packed && i < N_PACKED; i++)
		buffer_unref(piece->packed[i].bytes);
	free(piece->packed);
	piece->packed = NULL;
}

static void drop_piece(struct piece *piece)
{
	drop_packed(piece);
	buffer_unref(piece->text);
	free(piece->ends);
	*piece = (struct piece){ 0 };
}

static uint32_t start_of(const struct piece *piece, size_t subject)
{
	return piece->ends && subject ? piece->ends[subject - 1] : 0;
}

static uint32_t length_of(const struct piece *piece, size_t subject)
{
	return piece->ends ? piece->ends[subject] - start_of(piece, subject) : 0;
}

static const char *written(const struct pieces *p, const struct segment *s)
{
	return exposition_text(p->text)->at + s->at;
}

/* What was written anew is what stands there. */
static bool is_same(const struct pieces *p, const struct piece *piece, enum metric_family_id family, uint32_t subjects)
{
	for (size_t i = 0; i < PIECE_SUBJECTS; i++) {
		const struct segment *s = &p->segments[i][family];

		if (!(subjects & 1u << i))
			continue;
		if (s->n != length_of(piece, i) ||
		    (s->n && memcmp(written(p, s), piece->text->bytes + start_of(piece, i), s->n)))
			return false;
	}
	return true;
}

static size_t size_of(const struct pieces *p, const struct piece *piece, enum metric_family_id family, uint32_t subjects)
{
	size_t size = 0;

	for (size_t i = 0; i < PIECE_SUBJECTS; i++)
		size += subjects & 1u << i ? p->segments[i][family].n : length_of(piece, i);
	return size;
}

static void fill_piece(struct piece *to, const struct pieces *p, const struct piece *old, enum metric_family_id family,
		       uint32_t subjects)
{
	uint32_t at = 0;

	for (size_t i = 0; i < PIECE_SUBJECTS; i++) {
		const struct segment *s = &p->segments[i][family];
		bool is_new = subjects & 1u << i;
		uint32_t n = is_new ? s->n : length_of(old, i);

		if (n)
			memcpy(to->text->bytes + at, is_new ? written(p, s) : old->text->bytes + start_of(old, i), n);
		at += n;
		to->ends[i] = at;
	}
}

/* Those subjects' lines were written anew. Whoever sends the old text keeps it. */
static bool make_piece(struct pieces *p, struct piece *piece, enum metric_family_id family, uint32_t subjects)
{
	size_t size = size_of(p, piece, family, subjects);
	struct piece made = { 0 };

	p->work.made++;
	if (size) {
		made.text = buffer_new(NULL, size);
		made.ends = calloc(PIECE_SUBJECTS, sizeof *made.ends);
		if (!made.text || !made.ends) {
			drop_piece(&made);
			return false;
		}
		fill_piece(&made, p, piece, family, subjects);
	}
	drop_piece(piece);
	*piece = made;
	return true;
}

/* ---- groups */

/* Lines of one whose label another has, left out. */
static void withdraw(struct pieces *p, size_t start)
{
	struct text *t = exposition_text(p->text);

	for (size_t i = start; i < t->length; i++)
		p->clashes += t->at[i] == '\n';
	t->length = start;
}

static void write_subject(struct pieces *p, const struct moment *m, size_t number, enum lines_part part)
{
	const struct subject *subject = subject_at(p, number);
	struct segment *segments = p->segments[number % PIECE_SUBJECTS];
	size_t ends[N_METRIC_FAMILIES], at = exposition_text(p->text)->length, start = at;

	p->work.written++;
	exposition_again(p->text);
	if (subject)
		lines_write(m, subject, part, p->text, ends);
	if (subject && p->is_clash[number]) {
		withdraw(p, start);
		subject = NULL;
	}
	for (enum metric_family_id family = 0; family < N_METRIC_FAMILIES; family++) {
		size_t end = subject ? ends[family] : at;

		if (lines_part_of(family) == part)
			segments[family] = (struct segment){ (uint32_t)at, (uint32_t)(end - at) };
		at = end;
	}
}

static bool is_own(const struct subject *s)
{
	return s && !s->drive && !s->missing;
}

/* Which subjects of the group have changed, in a part of their lines. The exporter itself always has. */
static uint32_t changed(struct pieces *p, const struct moment *m, size_t group, enum lines_part part)
{
	uint32_t subjects = 0;

	for (size_t i = 0; i < PIECE_SUBJECTS; i++) {
		size_t number = group * PIECE_SUBJECTS + i;
		const struct subject *s = subject_at(p, number);
		uint64_t hash = s ? lines_hash(m, s, part) + p->is_clash[number] : 0, *before = &p->groups[group]->hash[i][part];

		if (hash != *before || is_own(s))
			subjects |= 1u << i;
		*before = hash;
	}
	return subjects;
}

static bool update_pieces(struct pieces *p, struct group *g, const uint32_t subjects[N_LINES_PARTS])
{
	bool is_good = true;

	for (enum metric_family_id family = 0; family < N_METRIC_FAMILIES; family++) {
		uint32_t of_family = subjects[lines_part_of(family)];

		if (of_family && !is_same(p, &g->pieces[family], family, of_family))
			is_good &= make_piece(p, &g->pieces[family], family, of_family);
	}
	return is_good;
}

static bool refresh_group(struct pieces *p, struct moment *m, size_t group)
{
	uint32_t subjects[N_LINES_PARTS];
	bool is_good;

	subjects[LINES_STATE] = changed(p, m, group, LINES_STATE);
	subjects[LINES_IO] = changed(p, m, group, LINES_IO) | subjects[LINES_STATE];	/* the names of drive and devices are state */
	if (!subjects[LINES_IO])
		return true;
	exposition_reset(p->text);
	m->duplicates = exposition_duplicates(p->text) + p->clashes;
	for (size_t i = 0; i < PIECE_SUBJECTS; i++)
		for (enum lines_part part = 0; part < N_LINES_PARTS; part++)
			if (subjects[part] & 1u << i)
				write_subject(p, m, group * PIECE_SUBJECTS + i, part);
	is_good = update_pieces(p, p->groups[group], subjects);
	if (exposition_text(p->text)->truncated)
		log_error("the metrics of %d drives do not fit into %d MiB, or into memory; some are left out", PIECE_SUBJECTS,
			  GROUP_TEXT_MAX >> 20);
	if (!is_good || exposition_text(p->text)->truncated)	/* next time they are written anew */
		memset(p->groups[group]->hash, 0xff, sizeof p->groups[group]->hash);
	return is_good;
}

static bool add_groups(struct pieces *p)
{
	while (p->n_groups * PIECE_SUBJECTS < p->n_subjects) {
		struct group *g = calloc(1, sizeof *g);

		if (!g || !ARRAY_GROW(p->groups, p->room_groups, p->n_groups)) {
			free(g);
			return false;
		}
		p->groups[p->n_groups++] = g;
	}
	return true;
}

int pieces_refresh(struct pieces *p)
{
	struct moment m;
	bool is_good;

	moment_take(&m, p->fleet, &p->io, p->has_own);
	is_good = collect_subjects(p) && find_clashes(p) && add_groups(p);
	for (size_t i = 0; is_good && i < p->n_groups; i++)
		is_good = refresh_group(p, &m, i);
	return is_good ? 0 : -ENOMEM;
}

/* ---- for whoever serves them */

size_t pieces_groups(const struct pieces *p)
{
	return p->n_groups;
}

struct buffer *piece_text(const struct pieces *p, enum metric_family_id family, size_t group)
{
	return p->groups[group]->pieces[family].text;
}

const struct text *pieces_header(const struct pieces *p, enum metric_family_id family, enum exposition_format format)
{
	return &p->headers[format][family];
}

static int pack(struct pieces *p, const struct iovec *parts, size_t n, bool is_passing, struct gzip_block *ret)
{
	p->work.packed++;
	if (!p->packer)
		p->packer = gzip_packer_new();
	return p->packer ? gzip_pack(p->packer, parts, n, is_passing, ret) : -ENOMEM;
}

int piece_packed(struct pieces *p, enum metric_family_id family, size_t group, bool is_first, enum exposition_format format,
		 const struct gzip_block **ret)
{
	struct piece *piece = &p->groups[group]->pieces[family];
	const struct text *header = pieces_header(p, family, format);
	struct iovec parts[] = { { header->at, header->length }, { piece->text->bytes, piece->text->n } };
	struct gzip_block *block;

	if (!piece->packed)
		piece->packed = calloc(N_PACKED, sizeof *piece->packed);
	if (!piece->packed)
		return -ENOMEM;
	block = &piece->packed[is_first ? format : PACKED_ALONE];
	*ret = block;
	return block->bytes ? 0 : pack(p, parts + !is_first, 1 + is_first, lines_are_own(family), block);
}

const char pieces_end[] = "# EOF\n";

int pieces_end_packed(struct pieces *p, const struct gzip_block **ret)
{
	struct iovec part = { (void *)(uintptr_t)pieces_end, strlen(pieces_end) };

	*ret = &p->end;
	return p->end.bytes ? 0 : pack(p, &part, 1, false, &p->end);
}

struct pieces_work pieces_work(const struct pieces *p)
{
	return p->work;
}

/* ---- begin and end */

static bool make_headers(struct pieces *p)
{
	for (enum exposition_format format = 0; format < N_EXPOSITION_FORMATS; format++)
		for (enum metric_family_id family = 0; family < N_METRIC_FAMILIES; family++) {
			exposition_header(family, format, &p->headers[format][family]);
			if (p->headers[format][family].truncated)
				return false;
		}
	return true;
}

struct pieces *pieces_new(const struct fleet *fleet, bool has_own)
{
	struct pieces *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->fleet = fleet;
	p->has_own = has_own;
	p->text = exposition_new(GROUP_TEXT_MAX);
	if (p->text && make_headers(p))
		return p;
	pieces_free(p);
	return NULL;
}

void pieces_free(struct pieces *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_groups; i++) {
		for (size_t family = 0; family < N_METRIC_FAMILIES; family++)
			drop_piece(&p->groups[i]->pieces[family]);
		free(p->groups[i]);
	}
	for (size_t format = 0; format < N_EXPOSITION_FORMATS; format++)
		for (size_t family = 0; family < N_METRIC_FAMILIES; family++)
			text_free(&p->headers[format][family]);
	free(p->groups);
	free(p->subjects);
	free(p->is_clash);
	text_free(&p->labels);
	series_set_free(&p->label_set);
	exposition_free(p->text);
	gzip_packer_free(p->packer);
	buffer_unref(p->end.bytes);
	io_free(&p->io);
	free(p);
}
