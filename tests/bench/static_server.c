/* The least that libmicrohttpd can cost: the bytes of a file, from memory, to whoever asks for whatever.
 *
 *     static_server FILE [HEADER: VALUE]...
 *
 * Its first line of output is its port, at 127.0.0.1. One thread; it runs until it is killed. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"

enum { FILE_MAX = 256 << 20 };

static char *read_file(const char *path, size_t *ret_size)
{
	AUTO_FILE f = fopen(path, "rb");
	AUTO_FREE char *bytes = NULL;
	struct stat st;

	if (!f || fstat(fileno(f), &st) < 0 || st.st_size > FILE_MAX)
		return NULL;
	*ret_size = (size_t)st.st_size;
	bytes = malloc(*ret_size + 1);
	if (!bytes || fread(bytes, 1, *ret_size, f) != *ret_size)
		return NULL;
	return pointer_steal(&bytes);
}

/* "Name: value" */
static bool add_header(struct MHD_Response *response, char *line)
{
	char *colon = strstr(line, ": ");

	if (!colon)
		return false;
	*colon = 0;
	return MHD_add_response_header(response, line, colon + 2) == MHD_YES;
}

static struct MHD_Response *make_response(const char *path, char **headers)
{
	struct MHD_Response *response;
	size_t size;
	char *bytes = read_file(path, &size);

	if (!bytes)
		return NULL;
	response = MHD_create_response_from_buffer(size, bytes, MHD_RESPMEM_MUST_FREE);
	if (!response) {
		free(bytes);
		return NULL;
	}
	for (; *headers; headers++) {
		if (add_header(response, *headers))
			continue;
		MHD_destroy_response(response);
		return NULL;
	}
	return response;
}

/* As http/page.c does, which waits for the end of a body. */
static enum MHD_Result answer(void *response, struct MHD_Connection *connection, const char *url, const char *method,
			      const char *version, const char *upload, size_t *n_upload, void **request)
{
	static char is_begun;

	if (!*request) {
		*request = &is_begun;
		return MHD_YES;
	}
	return MHD_queue_response(connection, MHD_HTTP_OK, response);
}

static struct MHD_Daemon *start(struct MHD_Response *response)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	return MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, answer, response, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&at,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32 * 1024, MHD_OPTION_END);
}

int main(int argc, char **argv)
{
	struct MHD_Response *response = argc > 1 ? make_response(argv[1], argv + 2) : NULL;
	struct MHD_Daemon *daemon = response ? start(response) : NULL;
	const union MHD_DaemonInfo *info = daemon ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;

	if (!info) {
		fprintf(stderr, "usage: static_server FILE [HEADER: VALUE]...\n");
		return 1;
	}
	printf("%u\n", info->port);
	fflush(stdout);
	while (MHD_run_wait(daemon, -1) == MHD_YES)
		;
	MHD_stop_daemon(daemon);
	MHD_destroy_response(response);
	return 1;
}
