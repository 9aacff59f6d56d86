/* The drives that a host has or had. A drive that is gone is not forgotten: the commonest death of an SSD is to vanish. */
#pragma once

#include "history/history.h"

/* Why one is no longer there. */
enum ledger_reason {
	LEDGER_FAILED,			/* it, or the kernel, had said that it is failing */
	LEDGER_VANISHED,		/* nobody had said anything */
	N_LEDGER_REASONS
};
extern const char *const ledger_reason_names[N_LEDGER_REASONS];

struct ledger_entry {
	struct history_known known;	/* missing_s 0: it is there, or nobody has looked since it was loaded */
	bool is_failing;		/* when last seen */
	bool is_seen;			/* not only loaded */
	bool is_confirmed;		/* that it is missing was found, not only loaded */
	int64_t written_s;		/* its seen_s when ledger_see() last told to write it down */
};

struct ledger {
	struct ledger_entry *at;
	size_t n, room;
	uint64_t removed[N_LEDGER_REASONS];
};

/* What has become of a drive. */
enum ledger_news {
	LEDGER_NOTHING,
	LEDGER_TO_WRITE,		/* no news, but it is to be written down: another slot or firmware, or an hour is over */
	LEDGER_NEW,
	LEDGER_BACK,			/* it was missing */
};

/* The drive is there, and who it is; what it does not tell now (empty, NaN) stays as it told before. first_s and missing_s are
 * not looked at, seen_s is now. The entry, with *ret_news; NULL: no memory. Entries move when others come. */
struct ledger_entry *ledger_see(struct ledger *, const struct history_known *, bool is_failing, enum ledger_news *ret_news);
/* It is there, though it does not tell anything now. */
enum ledger_news ledger_is_there(struct ledger_entry *, int64_t now_s);
/* It is not there: missing since now or, where it was not seen since it was loaded, since it was last seen before. Counts it;
 * false where that is known. */
bool ledger_is_gone(struct ledger *, struct ledger_entry *, int64_t now_s, enum ledger_reason *ret_reason);
/* It has been missing for longer than that. Where it went missing while the clock was not set, that counts from now. */
bool ledger_is_overdue(struct ledger_entry *, int64_t now_s, int64_t forget_after_s);
struct ledger_entry *ledger_find(const struct ledger *, const char *drive);
/* Takes over what was written down before; what was seen since stands. 0 or -ENOMEM. */
int ledger_merge(struct ledger *, const struct history_known *known, size_t n);
void ledger_forget(struct ledger *, struct ledger_entry *);
void ledger_free(struct ledger *);
