/* What a scrape costs at least: libmicrohttpd that answers every request with the bytes of a file, out of one buffer.
 *	static_server FILE PORT [ENCODING]
 * One thread, epoll, the headers of the exporter's own answers. */
#include <fcntl.h>
#include <microhttpd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct MHD_Response *response;

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *path, const char *method,
			      const char *version, const char *upload, size_t *n_upload, void **request)
{
	static char is_begun;

	if (!*request) {
		*request = &is_begun;
		return MHD_YES;
	}
	return MHD_queue_response(connection, MHD_HTTP_OK, response);
}

static const char *const headers[][2] = {
	{ "Content-Type", "text/plain; version=0.0.4; charset=utf-8" },
	{ "Vary", "Accept, Accept-Encoding" },
	{ "Cache-Control", "no-store" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "X-Frame-Options", "DENY" },
	{ "Referrer-Policy", "no-referrer" },
};

static int make_response(const char *path, const char *encoding)
{
	struct stat st;
	void *bytes;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st))
		return -1;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return -1;
	response = MHD_create_response_from_buffer((size_t)st.st_size, bytes, MHD_RESPMEM_PERSISTENT);
	for (size_t i = 0; response && i < sizeof headers / sizeof *headers; i++)
		MHD_add_response_header(response, headers[i][0], headers[i][1]);
	if (response && encoding)
		MHD_add_response_header(response, "Content-Encoding", encoding);
	return response ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct MHD_Daemon *d;

	if (argc < 3 || make_response(argv[1], argc > 3 ? argv[3] : NULL)) {
		fprintf(stderr, "usage: static_server FILE PORT [ENCODING]\n");
		return 2;
	}
	d = MHD_start_daemon(MHD_USE_EPOLL, (uint16_t)atoi(argv[2]), NULL, NULL, answer, NULL, MHD_OPTION_END);
	if (!d) {
		fprintf(stderr, "static_server: cannot listen on port %s\n", argv[2]);
		return 1;
	}
	for (;;)
		MHD_run_wait(d, -1);
}
