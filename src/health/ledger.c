#include "health/ledger.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "health/observation.h"

enum { WRITE_EVERY_S = 3600 };

const char *const ledger_reason_names[N_LEDGER_REASONS] = { "failed", "vanished" };

struct ledger_entry *ledger_find(const struct ledger *ledger, const char *drive)
{
	for (size_t i = 0; i < ledger->n; i++)
		if (!strcmp(ledger->at[i].known.id.drive, drive))
			return &ledger->at[i];
	return NULL;
}

static struct ledger_entry *add(struct ledger *ledger, const struct history_known *known)
{
	struct ledger_entry *entry;

	if (ledger->n == HISTORY_KNOWN_DRIVES_MAX || !ARRAY_GROW(ledger->at, ledger->room, ledger->n))
		return NULL;
	entry = &ledger->at[ledger->n++];
	*entry = (struct ledger_entry){ .known = *known };
	return entry;
}

/* ---- one that is there */

#define TEXT(member) { offsetof(struct history_known, member), sizeof ((struct history_known *)NULL)->member }
static const struct {
	size_t offset, size;
} texts[] = {
	TEXT(id.model), TEXT(id.serial), TEXT(id.wwn), TEXT(vendor), TEXT(firmware), TEXT(transport), TEXT(type), TEXT(form_factor),
	TEXT(family),
};

/* Where it sits is told as a whole: one that is in no slot has left the one it was in. */
static const struct {
	size_t offset, size;
} places[] = { TEXT(enclosure), TEXT(slot), TEXT(path) };
#undef TEXT

static bool take_text(struct history_known *to, const struct history_known *from, size_t offset, size_t size, bool is_empty_told)
{
	char *old = (char *)to + offset;
	const char *told = (const char *)from + offset;

	if (!strcmp(old, told) || (!*told && !is_empty_told))
		return false;
	text_copy(old, size, told);
	return true;
}

/* True: it is another one than it was. What a drive counts is no change. */
static bool take(struct history_known *to, const struct history_known *from)
{
	bool is_changed = false;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		is_changed |= take_text(to, from, texts[i].offset, texts[i].size, false);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		is_changed |= take_text(to, from, places[i].offset, places[i].size, true);
	if (!isnan(from->capacity_bytes)) {
		is_changed |= to->capacity_bytes != from->capacity_bytes;
		to->capacity_bytes = from->capacity_bytes;
	}
	if (!isnan(from->power_on_s))
		to->power_on_s = from->power_on_s;
	return is_changed;
}

/* A clock that is not set tells nothing. */
static void note_seen(struct ledger_entry *entry, int64_t now_s)
{
	if (now_s >= OBSERVED_CLOCK_SET_S || !entry->known.seen_s)
		entry->known.seen_s = now_s;
	entry->is_seen = true;
}

static enum ledger_news news_of(struct ledger_entry *entry, bool is_new, bool is_changed)
{
	bool is_hour_over = entry->known.seen_s - entry->written_s >= WRITE_EVERY_S || entry->known.seen_s < entry->written_s;
	enum ledger_news news = is_new ? LEDGER_NEW : entry->known.missing_s ? LEDGER_BACK :
				is_changed || is_hour_over ? LEDGER_TO_WRITE : LEDGER_NOTHING;

	entry->known.missing_s = 0;
	if (news != LEDGER_NOTHING)
		entry->written_s = entry->known.seen_s;
	return news;
}

struct ledger_entry *ledger_see(struct ledger *ledger, const struct history_known *known, bool is_failing,
				enum ledger_news *ret_news)
{
	struct ledger_entry *entry = ledger_find(ledger, known->id.drive);
	bool is_new = !entry, is_changed;

	if (is_new)
		entry = add(ledger, known);
	if (!entry)
		return NULL;
	is_changed = take(&entry->known, known);
	note_seen(entry, known->seen_s);
	if (is_new)
		entry->known.first_s = entry->known.seen_s;
	entry->is_failing = is_failing;
	*ret_news = news_of(entry, is_new, is_changed);
	return entry;
}

enum ledger_news ledger_is_there(struct ledger_entry *entry, int64_t now_s)
{
	note_seen(entry, now_s);
	return news_of(entry, false, false);
}

/* ---- one that is not */

bool ledger_is_gone(struct ledger *ledger, struct ledger_entry *entry, int64_t now_s, enum ledger_reason *ret_reason)
{
	entry->is_confirmed = true;
	if (entry->known.missing_s)
		return false;
	entry->known.missing_s = entry->is_seen && now_s > entry->known.seen_s ? now_s : entry->known.seen_s;
	*ret_reason = entry->is_failing ? LEDGER_FAILED : LEDGER_VANISHED;
	ledger->removed[*ret_reason]++;
	return true;
}

bool ledger_is_overdue(struct ledger_entry *entry, int64_t now_s, int64_t forget_after_s)
{
	if (!entry->known.missing_s || now_s < OBSERVED_CLOCK_SET_S)
		return false;
	if (entry->known.missing_s < OBSERVED_CLOCK_SET_S)
		entry->known.missing_s = now_s;
	return now_s - entry->known.missing_s > forget_after_s;
}

int ledger_merge(struct ledger *ledger, const struct history_known *known, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct ledger_entry *entry = ledger_find(ledger, known[i].id.drive);

		if (!entry && !add(ledger, &known[i]))
			return -ENOMEM;
		if (entry && known[i].first_s < entry->known.first_s)
			entry->known.first_s = known[i].first_s;
	}
	return 0;
}

void ledger_forget(struct ledger *ledger, struct ledger_entry *entry)
{
	*entry = ledger->at[--ledger->n];
}

void ledger_free(struct ledger *ledger)
{
	free(ledger->at);
	*ledger = (struct ledger){ 0 };
}
