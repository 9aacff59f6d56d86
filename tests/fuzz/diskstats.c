/* /proc/diskstats: any text; what is found must be whole. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "block/diskstats.h"

static void look_at(struct sample_sink *to, const struct sample *s)
{
	if (s->family >= N_METRIC_FAMILIES || !s->label[0] || s->value < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sample_sink sink = { .put = look_at };
	struct diskstats_table table = { 0 };
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = 0;
	diskstats_parse(&table, text);
	for (size_t i = 0; i < table.n; i++) {
		const struct diskstats *d = &table.at[i];

		if (d->n < 11 || d->n > DISKSTATS_FIELDS || !d->name[0] || !diskstats_find(&table, d->name))
			abort();
		diskstats_samples(d->name, d->field, d->n, &sink);
	}
	diskstats_free(&table);
	free(text);
	return 0;
}
