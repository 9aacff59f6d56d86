#include "exporter/answer.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"

/* Prometheus refuses bodies that are larger than its own limit, but does not have one by default. */
enum { BODY_MAX = 64 << 20 };

/* An answer up to this size is put in one place: it is sent from there. Larger ones are sent from the pieces, which several may
 * share. */
enum { JOINED_MAX = 512 << 10 };

/* What is being made. */
struct making {
	struct pieces *pieces;
	const struct answer_form *form;
	struct answer *answer;
	size_t length;			/* not compressed */
};

static bool add_part(struct answer *a, const void *bytes, size_t n)
{
	if (!ARRAY_GROW(a->parts, a->room, a->n))
		return false;
	a->parts[a->n++] = (struct iovec){ (void *)(uintptr_t)bytes, n };
	return true;
}

static bool add_held(struct answer *a, struct buffer *bytes)
{
	if (!ARRAY_GROW(a->held, a->room_held, a->n_held) || !add_part(a, bytes->bytes, bytes->n))
		return false;
	a->held[a->n_held++] = buffer_ref(bytes);
	return true;
}

static bool add_block(struct answer *a, const struct gzip_block *block)
{
	gzip_sum_add(&a->sum, block);
	return add_held(a, block->bytes);
}

static int add_piece(struct making *m, enum metric_family_id family, size_t group, bool is_first)
{
	const struct text *header = pieces_header(m->pieces, family, m->form->format);
	struct buffer *text = piece_text(m->pieces, family, group);
	const struct gzip_block *block;
	int r;

	m->length += text->n + (is_first ? header->length : 0);
	if (!m->form->is_gzip)
		return (!is_first || add_part(m->answer, header->at, header->length)) && add_held(m->answer, text) ? 0 : -ENOMEM;
	r = piece_packed(m->pieces, family, group, is_first, m->form->format, &block);
	return r || add_block(m->answer, block) ? r : -ENOMEM;
}

static int add_family(struct making *m, enum metric_family_id family)
{
	bool is_first = true;
	int r = 0;

	for (size_t group = 0; !r && group < pieces_groups(m->pieces); group++) {
		if (!piece_text(m->pieces, family, group))
			continue;
		r = add_piece(m, family, group, is_first);
		is_first = false;
	}
	return r;
}

static int add_end(struct making *m)
{
	const struct gzip_block *block;
	int r;

	if (m->form->format != EXPOSITION_OPENMETRICS)
		return 0;
	if (!m->form->is_gzip)
		return add_part(m->answer, pieces_end, strlen(pieces_end)) ? 0 : -ENOMEM;
	r = pieces_end_packed(m->pieces, &block);
	return r || add_block(m->answer, block) ? r : -ENOMEM;
}

static int add_tail(struct answer *a)
{
	gzip_tail(&a->sum, a->tail);
	return add_part(a, a->tail, GZIP_TAIL) ? 0 : -ENOMEM;
}

static int add_all(struct making *m)
{
	int r = 0;

	if (m->form->is_gzip && !add_part(m->answer, gzip_head, GZIP_HEAD))
		return -ENOMEM;
	for (enum metric_family_id family = 0; !r && family < N_METRIC_FAMILIES && m->length <= BODY_MAX; family++)
		if (!m->form->is_wanted || m->form->is_wanted[family])
			r = add_family(m, family);
	if (m->length > BODY_MAX)
		log_error("the metrics do not fit into %d MiB; they end early", BODY_MAX >> 20);
	if (!r)
		r = add_end(m);
	return r || !m->form->is_gzip ? r : add_tail(m->answer);
}

static void drop_parts(struct answer *a)
{
	for (size_t i = 0; i < a->n_held; i++)
		buffer_unref(a->held[i]);
	free(a->held);
	free(a->parts);
	a->held = NULL;
	a->parts = NULL;
	a->n = a->room = a->n_held = a->room_held = 0;
}

static size_t length_of(const struct answer *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		n += a->parts[i].iov_len;
	return n;
}

static int join(struct answer *a)
{
	size_t n = length_of(a);
	struct buffer *whole = n <= JOINED_MAX ? buffer_new(NULL, n) : NULL;
	bool is_added;
	char *to;

	if (!whole)
		return n <= JOINED_MAX ? -ENOMEM : 0;
	to = whole->bytes;
	for (size_t i = 0; i < a->n; i++)
		to = mempcpy(to, a->parts[i].iov_base, a->parts[i].iov_len);
	drop_parts(a);
	is_added = add_held(a, whole);
	buffer_unref(whole);
	return is_added ? 0 : -ENOMEM;
}

int answer_make(struct pieces *pieces, const struct answer_form *form, struct answer **ret)
{
	struct making m = { .pieces = pieces, .form = form, .answer = calloc(1, sizeof *m.answer) };
	int r;

	if (!m.answer)
		return -ENOMEM;
	m.answer->refs = 1;
	r = add_all(&m);
	if (!r)
		r = join(m.answer);
	if (r)
		answer_unref(m.answer);
	else
		*ret = m.answer;
	return r;
}

struct answer *answer_ref(struct answer *a)
{
	a->refs++;
	return a;
}

void answer_unref(struct answer *a)
{
	if (!a || --a->refs)
		return;
	drop_parts(a);
	free(a);
}
