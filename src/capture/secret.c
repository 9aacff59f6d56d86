/* Secrets, found again in any spelling, and replaced. */
#include "capture/secret.h"

#include <string.h>
#include <sys/random.h>

enum { FLOATING_MIN = 4 };	/* shorter ones are too easily found where they are not */

/* ---- the made-up ones */

static uint64_t rotate(uint64_t v, unsigned n)
{
	return v << n | v >> (64 - n);
}

static void sip_rounds(uint64_t v[4], unsigned n)
{
	while (n--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

/* SipHash-2-4 (Aumasson and Bernstein, 2012): without the key nobody can compute or undo it. */
static uint64_t keyed_hash(const uint64_t key[2], const uint8_t *data, size_t n)
{
	uint64_t v[4] = { key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
			  key[1] ^ 0x7465646279746573 };
	struct bytes in = bytes_of(data, n);

	for (;;) {
		bool is_last = in.left < 8;
		uint64_t word = bytes_le(&in, is_last ? in.left : 8);

		if (is_last)
			word |= (uint64_t)n << 56;
		v[3] ^= word;
		sip_rounds(v, 2);
		v[0] ^= word;
		if (is_last)
			break;
	}
	v[2] ^= 0xff;
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Each character moves within its alphabet by a distance that hangs on the key and all characters before it. So equal
 * beginnings stay equal (a serial number cut short still fits the whole one), different secrets stay different, and no
 * character stays what it was. */
static unsigned distance(const struct secrets *s, const uint8_t *before, size_t n, unsigned alphabet)
{
	return 1 + (unsigned)(keyed_hash(s->key, before, n) % (alphabet - 1));
}

static uint8_t move(uint8_t c, uint8_t first, unsigned alphabet, unsigned by)
{
	return (uint8_t)(first + (c - first + by) % alphabet);
}

static void make_up_text(const struct secrets *s, struct secret *secret)
{
	for (size_t i = 0; i < secret->n; i++) {
		uint8_t c = secret->from[i];

		if (c >= '0' && c <= '9')
			c = move(c, '0', 10, distance(s, secret->from, i, 10));
		else if (c >= 'A' && c <= 'Z')
			c = move(c, 'A', 26, distance(s, secret->from, i, 26));
		else if (c >= 'a' && c <= 'z')
			c = move(c, 'a', 26, distance(s, secret->from, i, 26));
		secret->to[i] = c;
	}
}

static uint8_t nibble_of(const uint8_t *bytes, size_t i)
{
	return i % 2 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4;
}

/* The nibbles that stay, as a range: IEEE's part of the name and what says where it stands. */
static void kept_nibbles(const struct secrets *s, const struct secret *secret, enum name_form form, size_t *ret_first,
			 size_t *ret_end)
{
	static const struct { size_t first, end; } naa[16] = {
		[2] = { 4, 10 },	/* 2, 12 bits of the vendor, OUI, 24 bits of the vendor */
		[5] = { 1, 7 },		/* 5, OUI, 36 bits */
		[6] = { 1, 7 },		/* 6, OUI, 100 bits */
	};

	*ret_first = *ret_end = 0;
	if (form == NAME_NAA) {
		*ret_first = naa[nibble_of(secret->from, 0)].first;
		*ret_end = naa[nibble_of(secret->from, 0)].end;
	} else if (form == NAME_EUI64) {
		/* Of 16 bytes the last 8 are the EUI-64; of 12 the first 8. */
		*ret_first = secret->n == 16 ? 16 : 0;
		*ret_end = *ret_first + 6;
	} else if (form == NAME_GUID && secret->n == 16 && !bytes_all(bytes_of(s->oui, 3), 0) &&
		   !memcmp(secret->from + 8, s->oui, sizeof s->oui)) {
		*ret_first = 16;
		*ret_end = 22;
	}
}

static void make_up_name(const struct secrets *s, struct secret *secret, enum name_form form)
{
	uint8_t before[2 * SECRET_MAX];
	size_t first, end;

	kept_nibbles(s, secret, form, &first, &end);
	for (size_t i = 0; i < 2 * secret->n; i++) {
		uint8_t nibble = nibble_of(secret->from, i);
		bool is_kept = (i >= first && i < end) || (i == 0 && form == NAME_NAA);
		uint8_t to = is_kept ? nibble : move(nibble, 0, 16, distance(s, before, i, 16));

		before[i] = nibble;
		secret->to[i / 2] |= i % 2 ? to : (uint8_t)(to << 4);
	}
}

/* ---- the list */

bool secrets_begin(struct secrets *s)
{
	*s = (struct secrets){ .n = 0 };
	return getrandom(s->key, sizeof s->key, 0) == (ssize_t)sizeof s->key;
}

void secrets_end(struct secrets *s)
{
	explicit_bzero(s->key, sizeof s->key);
	free(s->at);
	*s = (struct secrets){ .n = 0 };
}

static bool is_placeholder(const uint8_t *text, size_t n)
{
	static const char counting[] = "0123456789ABCDEF";
	size_t same = 1;

	while (same < n && text[same] == text[0])
		same++;
	return same == n || memmem(counting, strlen(counting), text, n);
}

static struct secret *add(struct secrets *s, struct bytes b, bool is_text, bool any_last)
{
	if (b.left > SECRET_MAX)
		b.left = SECRET_MAX;
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].n == b.left && s->at[i].is_text == is_text && !memcmp(s->at[i].from, b.at, b.left))
			return NULL;
	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : 16;
		struct secret *grown = reallocarray(s->at, room, sizeof *grown);

		if (!grown) {
			s->out_of_memory = true;
			return NULL;
		}
		s->at = grown;
		s->room = room;
	}
	s->at[s->n] = (struct secret){ .n = b.left, .is_text = is_text, .any_last = any_last };
	memcpy(s->at[s->n].from, b.at, b.left);
	return &s->at[s->n++];
}

void secrets_add_text(struct secrets *s, struct bytes text)
{
	struct secret *secret;

	while (text.left && (*text.at == ' ' || !*text.at))
		bytes_skip(&text, 1);
	while (text.left && (text.at[text.left - 1] == ' ' || !text.at[text.left - 1]))
		text.left--;
	if (!text.left || is_placeholder(text.at, text.left))
		return;
	secret = add(s, text, true, false);
	if (secret)
		make_up_text(s, secret);
}

void secrets_add_name(struct secrets *s, struct bytes name, enum name_form form)
{
	struct secret *secret;

	if (name.left < 8 || bytes_all(name, 0x00) || bytes_all(name, 0xff))
		return;
	secret = add(s, name, false, form == NAME_NAA && name.left == 8);
	if (secret)
		make_up_name(s, secret, form);
}

static int by_length(const void *a, const void *b)
{
	const struct secret *x = a, *y = b;

	return x->n < y->n ? 1 : x->n > y->n ? -1 : memcmp(x->from, y->from, x->n);
}

void secrets_sort(struct secrets *s)
{
	if (s->n)
		qsort(s->at, s->n, sizeof *s->at, by_length);
}

/* ---- finding them again */

/* Data, and which of its bytes were replaced: those are made up, and no secret is looked for in them. */
struct field {
	uint8_t *data;
	bool *is_done;
	size_t n;
};

enum view { VIEW_PLAIN, VIEW_SWAPPED, VIEW_BACKWARDS, N_VIEWS };

/* Where byte i of a secret of n bytes stands that begins at start. */
static size_t place(enum view view, size_t start, size_t n, size_t i)
{
	switch (view) {
	case VIEW_SWAPPED:
		return (start + i) ^ 1;
	case VIEW_BACKWARDS:
		return start + n - 1 - i;
	case VIEW_PLAIN:
	case N_VIEWS:
		break;
	}
	return start + i;
}

static bool is_at(const struct secret *secret, const struct field *f, enum view view, size_t start)
{
	for (size_t i = 0; i < secret->n; i++) {
		size_t at = place(view, start, secret->n, i);
		uint8_t unlike;

		if (at >= f->n || f->is_done[at])
			return false;
		unlike = f->data[at] ^ secret->from[i];
		if (secret->any_last && i == secret->n - 1)
			unlike &= 0xf0;
		if (unlike)
			return false;
	}
	return true;
}

/* The last 4 bits move as those of the secret did. */
static uint8_t last_nibble(const struct secret *secret, uint8_t found)
{
	size_t last = secret->n - 1;

	return (found + secret->to[last] - secret->from[last]) & 15;
}

static void put_at(const struct secret *secret, struct field *f, enum view view, size_t start)
{
	for (size_t i = 0; i < secret->n; i++) {
		size_t at = place(view, start, secret->n, i);
		uint8_t to = secret->to[i];

		if (secret->any_last && i == secret->n - 1)
			to = (to & 0xf0) | last_nibble(secret, f->data[at] & 15);
		f->data[at] = to;
		f->is_done[at] = true;
	}
}

static int digit_value(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The next hexadecimal digit from *at on; between digits one separator may stand. -1: there is none. */
static int next_digit(const struct field *f, size_t *at, bool is_first)
{
	if (!is_first && *at < f->n && f->data[*at] && strchr("- :", f->data[*at]))
		++*at;
	return *at < f->n && !f->is_done[*at] ? digit_value(f->data[*at]) : -1;
}

static bool is_spelled_at(const struct secret *secret, const struct field *f, size_t start, bool *ret_is_upper)
{
	*ret_is_upper = false;
	for (size_t i = 0, at = start; i < 2 * secret->n; i++, at++) {
		int digit = next_digit(f, &at, i == 0);
		bool is_any = secret->any_last && i == 2 * secret->n - 1;

		if (digit < 0 || (!is_any && digit != nibble_of(secret->from, i)))
			return false;
		*ret_is_upper |= f->data[at] >= 'A' && f->data[at] <= 'F';
	}
	return true;
}

static void spell_at(const struct secret *secret, struct field *f, size_t start, bool is_upper)
{
	const char *digits = is_upper ? "0123456789ABCDEF" : "0123456789abcdef";

	for (size_t i = 0, at = start; i < 2 * secret->n; i++, at++) {
		int digit = next_digit(f, &at, i == 0);
		uint8_t to = nibble_of(secret->to, i);

		if (secret->any_last && i == 2 * secret->n - 1)
			to = last_nibble(secret, (uint8_t)digit);
		f->data[at] = (uint8_t)digits[to];
		f->is_done[at] = true;
	}
}

static void replace_one(const struct secret *secret, struct field *f)
{
	bool is_upper;

	for (size_t start = 0; start < f->n; start++) {
		for (int view = 0; view < N_VIEWS; view++)
			if (is_at(secret, f, (enum view)view, start))
				put_at(secret, f, (enum view)view, start);
		if (is_spelled_at(secret, f, start, &is_upper))
			spell_at(secret, f, start, is_upper);
	}
}

bool secrets_replace(const struct secrets *s, uint8_t *data, size_t n)
{
	AUTO_FREE bool *is_done = calloc(n ? n : 1, sizeof *is_done);
	struct field f = { .data = data, .is_done = is_done, .n = n };

	for (size_t i = 0; is_done && i < s->n; i++)
		if (s->at[i].n >= FLOATING_MIN)
			replace_one(&s->at[i], &f);
	return is_done;
}

bool secrets_replace_quarters(const struct secrets *s, uint8_t *data, size_t n)
{
	enum { QUARTER = 4 };
	AUTO_FREE bool *is_done = calloc(n ? n : 1, sizeof *is_done);
	struct field f = { .data = data, .is_done = is_done, .n = n };

	for (size_t i = 0; is_done && i < s->n; i++) {
		for (size_t k = 0; s->at[i].n >= 8 && k < 8; k += QUARTER) {
			struct secret quarter = { .n = QUARTER };

			memcpy(quarter.from, s->at[i].from + k, QUARTER);
			memcpy(quarter.to, s->at[i].to + k, QUARTER);
			for (size_t start = 0; start < n; start++)
				for (int view = 0; view < N_VIEWS; view++)
					if (is_at(&quarter, &f, (enum view)view, start))
						put_at(&quarter, &f, (enum view)view, start);
		}
	}
	return is_done;
}
