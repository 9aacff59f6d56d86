/* drivedb_tell DATABASE [CAPTURE...]: what the data base says of the attributes of each capture's drive, for
 * drivedb.py. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "capture/capture.h"
#include "page/drivedb.h"

enum { SECTOR = 512, ENTRIES = 30, WORD_FIRMWARE = 23, WORD_MODEL = 27, WORD_ROTATION = 217 };

static const uint8_t *answer_to(const struct capture *capture, enum command_name name)
{
	for (size_t i = 0; i < capture->n_answers; i++)
		if (capture->answers[i].command.name == name && capture->answers[i].n_bytes == SECTOR)
			return capture->answers[i].bytes;
	return NULL;
}

/* Two characters a word, the first one in its upper byte; without the blanks around them. */
static void read_text(const uint8_t *identify, unsigned word, unsigned n_words, char *text)
{
	size_t n = 2 * n_words, begin = 0;
	char all[2 * 20 + 1];

	for (size_t i = 0; i < n; i++)
		all[i] = (char)identify[(2 * word + i) ^ 1];
	while (n && (all[n - 1] == ' ' || !all[n - 1]))
		n--;
	all[n] = 0;
	begin = strspn(all, " ");
	strcpy(text, all + begin);
}

static void tell_attribute(const struct drivedb_drive *drive, const uint8_t *entry)
{
	const struct drivedb_attribute *a = &drive->attributes[entry[0]];
	struct drivedb_bytes bytes = { .value = entry[3], .worst = entry[4], .reserved = entry[11] };
	int64_t number;

	memcpy(bytes.raw, entry + 5, sizeof bytes.raw);
	printf("attribute\t%u\t%s\t%s\t%llu\t", entry[0], a->name, drivedb_format_name(a->format),
	       (unsigned long long)drivedb_whole(a, &bytes));
	if (drivedb_raw(a, &bytes, &number))
		printf("%lld", (long long)number);
	printf("\t%d\t%d\n", !a->takes_value, !a->takes_worst);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void tell(const struct drivedb *db, const char *path)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	struct capture *capture = capture_read(path, &error);
	const uint8_t *identify = capture ? answer_to(capture, COMMAND_ATA_IDENTIFY) : NULL;
	const uint8_t *data = capture ? answer_to(capture, COMMAND_ATA_SMART_DATA) : NULL;
	struct drivedb_drive drive;
	char model[41], firmware[9];
	unsigned rotation;
	double began;

	if (identify && data) {
		read_text(identify, WORD_MODEL, 20, model);
		read_text(identify, WORD_FIRMWARE, 4, firmware);
		rotation = identify[2 * WORD_ROTATION] | (unsigned)identify[2 * WORD_ROTATION + 1] << 8;
		began = now_ms();
		drivedb_lookup(db, model, firmware, rotation == 1 ? 1 : rotation > 0x400 && rotation < 0xffff ? 0 : -1,
			       &drive);
		printf("drive\t%s\t%.3f\t%s\n", path, now_ms() - began, drive.family ? drive.family : "");
		for (size_t i = 0; i < ENTRIES; i++)
			if (data[2 + 12 * i])
				tell_attribute(&drive, data + 2 + 12 * i);
	}
	capture_free(capture);
}

int main(int argc, char **argv)
{
	AUTO_TEXT error = TEXT_LIMIT(1000);
	struct drivedb *db;
	double began = now_ms();

	if (argc < 2)
		return 2;
	if (drivedb_read(argv[1], &db, &error)) {
		fprintf(stderr, "%s\n", error.at);
		return 1;
	}
	printf("database\t%s\t%zu\t%zu\t%.3f\n", drivedb_version(db), drivedb_entries(db), drivedb_not_understood(db),
	       now_ms() - began);
	for (int i = 2; i < argc; i++)
		tell(db, argv[i]);
	drivedb_free(db);
	return 0;
}
