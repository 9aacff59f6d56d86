/* Runs a fuzz target over files, and the files of folders, when there is no libFuzzer. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static unsigned long n_run;

static int run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL, *exact;
	size_t n = 0;
	int c;

	if (!f) {
		perror(path);
		return 1;
	}
	while ((c = getc(f)) != EOF) {
		if (n % 4096 == 0)
			data = realloc(data, n + 4096);
		data[n++] = (uint8_t)c;
	}
	fclose(f);
	exact = malloc(n ? n : 1);	/* of exact size, so that ASan sees one byte too far */
	if (n)
		memcpy(exact, data, n);
	LLVMFuzzerTestOneInput(exact, n);
	free(exact);
	free(data);
	n_run++;
	return 0;
}

static int run_path(const char *path)
{
	struct dirent **entries;
	struct stat st;
	int n, bad = 0;

	if (!stat(path, &st) && !S_ISDIR(st.st_mode))
		return run_file(path);
	n = scandir(path, &entries, NULL, alphasort);
	if (n < 0) {
		perror(path);
		return 1;
	}
	for (int i = 0; i < n; i++) {
		char file[4096];

		if (entries[i]->d_name[0] != '.') {
			snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
			bad |= run_path(file);
		}
		free(entries[i]);
	}
	free(entries);
	return bad;
}

int main(int argc, char **argv)
{
	int bad = 0;

	for (int i = 1; i < argc; i++)
		bad |= run_path(argv[i]);
	printf("%s: %lu inputs\n", argv[0], n_run);
	return bad;
}
