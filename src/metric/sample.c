#include "metric/sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A list of copies, freed whole with the set. */
struct sample_text {
	struct sample_text *next;
	char string[];
};

static const char *copy_text(struct sample_set *set, const char *string)
{
	size_t n = strlen(string) + 1;
	struct sample_text *text = malloc(sizeof *text + n);

	if (!text)
		return NULL;
	memcpy(text->string, string, n);
	text->next = set->texts;
	set->texts = text;
	return text->string;
}

bool sample_set_add(struct sample_set *set, const struct sample *s)
{
	struct sample copy = *s;

	if (set->n == SAMPLE_SET_MAX || !ARRAY_GROW(set->at, set->room, set->n))
		return false;
	for (size_t i = 0; copy.is_dynamic && i < SAMPLE_LABELS && copy.label[i]; i++) {
		copy.label[i] = copy_text(set, copy.label[i]);
		if (!copy.label[i])
			return false;
	}
	set->at[set->n++] = copy;
	return true;
}

void sample_set_clear(struct sample_set *set)
{
	while (set->texts) {
		struct sample_text *next = set->texts->next;

		free(set->texts);
		set->texts = next;
	}
	free(set->at);
	*set = (struct sample_set){ 0 };
}

bool sample_is_same_series(const struct sample *a, const struct sample *b)
{
	if (a->family != b->family)
		return false;
	for (size_t i = 0; i < SAMPLE_LABELS; i++) {
		if (!a->label[i] || !b->label[i]) {
			if (a->label[i] != b->label[i])
				return false;
			break;
		}
		if (a->label[i] != b->label[i] && strcmp(a->label[i], b->label[i]))
			return false;
	}
	return true;
}
