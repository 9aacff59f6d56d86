#include "http/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

union endpoint {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un local;
};

static const char unix_prefix[] = "unix:";

/* What an address means. */
struct target {
	union endpoint at[HTTP_SOCKETS_MAX];
	socklen_t local_length;	/* of a Unix socket's; 0: it is none */
	bool is_wildcard;	/* :PORT: one socket for both families, or at[1] where the kernel has no IPv6 */
	bool is_localhost;	/* at[1], ::1, only where the machine has it */
};

static union endpoint endpoint_v4(in_addr_t host, uint16_t port)
{
	return (union endpoint){
		.v4 = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(host) },
	};
}

static union endpoint endpoint_v6(struct in6_addr host, uint16_t port)
{
	return (union endpoint){ .v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = host } };
}

/* getaddrinfo() for IPv6 only, since it knows scopes (fe80::1%eth0); for IPv4 it would take "1" for 0.0.0.1. */
static bool parse_v6(const char *host, uint16_t port, union endpoint *ret)
{
	struct addrinfo hints = { .ai_family = AF_INET6, .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_NUMERICHOST | AI_PASSIVE };
	struct addrinfo *found;

	if (getaddrinfo(host, NULL, &hints, &found))
		return false;
	memcpy(&ret->v6, found->ai_addr, sizeof ret->v6);
	ret->v6.sin6_port = htons(port);
	freeaddrinfo(found);
	return true;
}

/* "/run/x.sock", or "@x" in the abstract name space. */
static const char *parse_local(const char *path, struct target *ret)
{
	struct sockaddr_un *at = &ret->at[0].local;
	size_t n = strlen(path);

	if (path[0] != '/' && (path[0] != '@' || n == 1))
		return "after unix: comes a path that begins with /, or @NAME for the abstract name space";
	if (n >= sizeof at->sun_path)
		return "a Unix socket's path is shorter than 108 bytes";
	at->sun_family = AF_UNIX;
	memcpy(at->sun_path, path, n);
	ret->local_length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + 1);
	if (path[0] == '@') {
		at->sun_path[0] = 0;
		ret->local_length--;
	}
	return NULL;
}

/* NULL, or what is wrong with it. */
static const char *parse(const char *address, struct target *ret)
{
	const char *colon = strrchr(address, ':');
	size_t length = colon ? (size_t)(colon - address) : 0;
	char host[128];
	struct in_addr v4;
	uint64_t number;
	uint16_t port;

	*ret = (struct target){ 0 };
	if (!strncmp(address, unix_prefix, strlen(unix_prefix)))
		return parse_local(address + strlen(unix_prefix), ret);
	if (!colon || length >= sizeof host)
		return "it is not HOST:PORT, [IPV6]:PORT, :PORT or unix:PATH";
	if (!text_to_u64(colon + 1, UINT16_MAX, &number))
		return "the port is no number from 0 to 65535";
	port = (uint16_t)number;
	memcpy(host, address, length);
	host[length] = 0;
	if (!*host) {
		ret->at[0] = endpoint_v6(in6addr_any, port);
		ret->at[1] = endpoint_v4(INADDR_ANY, port);
		ret->is_wildcard = true;
		return NULL;
	}
	if (!strcmp(host, "localhost")) {
		ret->at[0] = endpoint_v4(INADDR_LOOPBACK, port);
		ret->at[1] = endpoint_v6(in6addr_loopback, port);
		ret->is_localhost = true;
		return NULL;
	}
	if (host[0] == '[' && host[length - 1] == ']') {
		host[length - 1] = 0;
		return parse_v6(host + 1, port, &ret->at[0]) ? NULL : "what the brackets hold is no IPv6 address";
	}
	if (strchr(host, ':'))
		return "an IPv6 address goes in brackets, as in [::1]:9946";
	if (inet_pton(AF_INET, host, &v4) != 1)
		return "the host must be a numeric address or localhost";
	ret->at[0] = endpoint_v4(ntohl(v4.s_addr), port);
	return NULL;
}

/* A listening socket or a negative errno. */
static int open_socket(const union endpoint *at, bool is_dual)
{
	socklen_t length = at->any.sa_family == AF_INET6 ? sizeof at->v6 : sizeof at->v4;
	AUTO_FD fd = socket(at->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int yes = 1, v6_only = !is_dual;

	if (fd < 0)
		return -errno;
	/* After a restart, connections of our predecessor may still hold the port. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) < 0)
		return -errno;
	if (at->any.sa_family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6_only, sizeof v6_only) < 0)
		return -errno;
	if (bind(fd, &at->any, length) < 0 || listen(fd, SOMAXCONN) < 0)
		return -errno;
	return fd_steal(&fd);
}

/* The errors of a machine without IPv6: no such sockets, or none of its addresses. */
static bool is_family_missing(int r)
{
	return r == -EAFNOSUPPORT || r == -EADDRNOTAVAIL;
}

/* A socket that nobody listens on any more: its owner is gone. */
static bool is_stale(const struct target *t)
{
	AUTO_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	return fd >= 0 && connect(fd, &t->at[0].any, t->local_length) < 0 && errno == ECONNREFUSED;
}

/* A listening socket or a negative errno. A path that is no socket, or one that is listened on, is left alone. */
static int open_local(const struct target *t)
{
	const char *path = t->at[0].local.sun_path;
	AUTO_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct stat st;
	int r;

	if (fd < 0)
		return -errno;
	r = bind(fd, &t->at[0].any, t->local_length);
	if (r < 0 && errno == EADDRINUSE && *path && !lstat(path, &st) && S_ISSOCK(st.st_mode) && is_stale(t) && !unlink(path))
		r = bind(fd, &t->at[0].any, t->local_length);
	if (r < 0 || listen(fd, SOMAXCONN) < 0)
		return errno ? -errno : -EADDRINUSE;
	return fd_steal(&fd);
}

static in_port_t bound_port(int fd)
{
	union endpoint at = { 0 };
	socklen_t length = sizeof at;

	getsockname(fd, &at.any, &length);
	return at.any.sa_family == AF_INET6 ? at.v6.sin6_port : at.v4.sin_port;
}

static int open_target(struct target *target, int ret_fds[HTTP_SOCKETS_MAX])
{
	AUTO_FD fd = target->local_length ? open_local(target) : open_socket(&target->at[0], target->is_wildcard);
	int second;

	if (target->is_wildcard && is_family_missing(fd))
		fd = open_socket(&target->at[1], false);
	if (fd < 0)
		return fd;
	if (!target->is_localhost) {
		ret_fds[0] = fd_steal(&fd);
		return 1;
	}
	target->at[1].v6.sin6_port = bound_port(fd);
	second = open_socket(&target->at[1], false);
	if (second < 0 && !is_family_missing(second))
		return second;
	ret_fds[0] = fd_steal(&fd);
	ret_fds[1] = second;
	return second < 0 ? 1 : 2;
}

int http_listen(const char *address, int ret_fds[HTTP_SOCKETS_MAX], struct text *error)
{
	struct target target;
	const char *wrong = parse(address, &target);
	int r = wrong ? -EINVAL : open_target(&target, ret_fds);
	char shown[256];

	if (r < 0)
		text_addf(error, "cannot listen on \"%s\": %s", text_printable(address, shown, sizeof shown),
			  wrong ? wrong : strerror(-r));
	return r;
}

/* As web servers write it that pass requests on to such a socket. One in the abstract name space begins with @. */
static char *local_url(const struct sockaddr_un *at, socklen_t length, char url[HTTP_URL_MAX])
{
	size_t begin = offsetof(struct sockaddr_un, sun_path), n = length > begin ? length - begin : 0;
	bool is_abstract = n && !at->sun_path[0];

	snprintf(url, HTTP_URL_MAX, "http://unix:%s%.*s:", is_abstract ? "@" : "", (int)(n - is_abstract), at->sun_path + is_abstract);
	return url;
}

char *http_socket_url(int fd, char url[HTTP_URL_MAX])
{
	union endpoint at = { 0 };
	socklen_t length = sizeof at;
	char host[INET6_ADDRSTRLEN] = "localhost";
	const void *address;
	bool is_v6, is_any;

	getsockname(fd, &at.any, &length);
	if (at.any.sa_family == AF_UNIX)
		return local_url(&at.local, length, url);
	is_v6 = at.any.sa_family == AF_INET6;
	is_any = is_v6 ? IN6_IS_ADDR_UNSPECIFIED(&at.v6.sin6_addr) : at.v4.sin_addr.s_addr == htonl(INADDR_ANY);
	address = is_v6 ? (const void *)&at.v6.sin6_addr : &at.v4.sin_addr;
	if (!is_any)
		inet_ntop(at.any.sa_family, address, host, sizeof host);
	snprintf(url, HTTP_URL_MAX, is_v6 && !is_any ? "http://[%s]:%u" : "http://%s:%u", host,
		 ntohs(is_v6 ? at.v6.sin6_port : at.v4.sin_port));
	return url;
}
