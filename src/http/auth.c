#include "http/auth.h"

#include <crypt.h>
#include <errno.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "base/clock.h"

enum {
	JOBS_MAX = 16,
	KNOWN_MAX = 256,
	PEERS_MAX = 256,
	DIGEST_BYTES = 32,
	HASH_BYTES = 60,
	PEER_BYTES = 16,
	/* bcrypts that come to nothing: so many at once, then one each so often */
	PEER_BURST = 8, TOTAL_BURST = 24,
};
static const uint64_t peer_refill_us = 1000000, total_refill_us = 250000;

/* Of what nobody knows: an unknown user takes as long as one who exists. */
static const char nobodys_tail[] = "N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";

enum job_state { JOB_FREE, JOB_WAITING, JOB_RUNNING, JOB_DONE };

struct job {
	enum job_state state;
	uint64_t turn;			/* first come, first served */
	char password[HTTP_PASSWORD_BYTES_MAX + 1], hash[HASH_BYTES + 1];
	unsigned char digest[DIGEST_BYTES];
	bool is_user, is_good;
	unsigned char peer[PEER_BYTES];
	size_t n_peer;
	http_auth_done done;		/* NULL: cancelled */
	void *tag;
};

struct bucket {
	double tokens;
	uint64_t at_us;			/* 0: never used */
	unsigned char peer[PEER_BYTES];
	size_t n_peer;
};

/* jobs' state, password, hash, is_good and is_ending are the thread's, too: under the lock. All else is the loop's. */
struct http_auth {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t call;
	bool is_started, is_ending;
	int done_fd;			/* eventfd: a job is done */
	sd_event_source *source;
	struct job jobs[JOBS_MAX];
	uint64_t turn;
	struct web_user *users;
	size_t n_users;
	char nobody[HASH_BYTES + 1];
	unsigned char salt[DIGEST_BYTES];
	unsigned char known[KNOWN_MAX][DIGEST_BYTES];	/* good passwords; the oldest goes first */
	size_t n_known, next_known;
	struct bucket total, peers[PEERS_MAX];
};

/* ---- the thread */

static bool is_equal(const void *a, const void *b, size_t n)
{
	return gnutls_memcmp(a, b, n) == 0;
}

/* Of a password bcrypt itself looks at 72 bytes; crypt_r() takes no more than 511. */
static bool is_password(const char *password, const char *hash)
{
	struct crypt_data *data = calloc(1, sizeof *data);
	const char *made = data ? crypt_r(password, hash, data) : NULL;
	bool is_good = made && strlen(made) == HASH_BYTES && is_equal(made, hash, HASH_BYTES);

	if (data)
		explicit_bzero(data, sizeof *data);
	free(data);
	return is_good;
}

static struct job *next_job(struct http_auth *a, enum job_state state)
{
	struct job *next = NULL;

	for (size_t i = 0; i < JOBS_MAX; i++)
		if (a->jobs[i].state == state && (!next || a->jobs[i].turn < next->turn))
			next = &a->jobs[i];
	return next;
}

static void run_job(struct http_auth *a, struct job *job)
{
	const uint64_t one = 1;
	bool is_good;

	job->state = JOB_RUNNING;
	pthread_mutex_unlock(&a->lock);
	is_good = is_password(job->password, job->hash) && job->is_user;
	pthread_mutex_lock(&a->lock);
	explicit_bzero(job->password, sizeof job->password);
	job->is_good = is_good;
	job->state = JOB_DONE;
	while (write(a->done_fd, &one, sizeof one) < 0 && errno == EINTR)
		;
}

static void *work(void *context)
{
	struct http_auth *a = context;

	pthread_mutex_lock(&a->lock);
	while (!a->is_ending) {
		struct job *job = next_job(a, JOB_WAITING);

		if (job)
			run_job(a, job);
		else
			pthread_cond_wait(&a->call, &a->lock);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

static int start_thread(struct http_auth *a)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	r = pthread_sigmask(SIG_BLOCK, &all, &before);
	if (r)
		return -r;
	r = pthread_create(&a->thread, NULL, work, a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	a->is_started = !r;
	return -r;
}

/* ---- what was good before */

static int digest(const struct http_auth *a, const char *user, const char *password, const char *hash, unsigned char *ret)
{
	gnutls_hmac_hd_t mac;
	int r = gnutls_hmac_init(&mac, GNUTLS_MAC_SHA256, a->salt, sizeof a->salt);

	if (r < 0)
		return r;
	/* each with its NUL, so that no two triples are the same bytes */
	r = gnutls_hmac(mac, user, strlen(user) + 1);
	if (r >= 0)
		r = gnutls_hmac(mac, password, strlen(password) + 1);
	if (r >= 0)
		r = gnutls_hmac(mac, hash, strlen(hash) + 1);
	gnutls_hmac_deinit(mac, ret);
	return r;
}

static bool is_known(const struct http_auth *a, const unsigned char *wanted)
{
	bool found = false;

	for (size_t i = 0; i < a->n_known; i++)
		found |= is_equal(a->known[i], wanted, DIGEST_BYTES);
	return found;
}

static void learn(struct http_auth *a, const unsigned char *good)
{
	if (is_known(a, good))
		return;
	memcpy(a->known[a->next_known], good, DIGEST_BYTES);
	a->next_known = (a->next_known + 1) % KNOWN_MAX;
	if (a->n_known < KNOWN_MAX)
		a->n_known++;
}

/* ---- how often who may ask */

static void refill(struct bucket *b, double burst, uint64_t each_us, uint64_t now)
{
	b->tokens = b->at_us ? b->tokens + (double)(now - b->at_us) / (double)each_us : burst;
	if (b->tokens > burst)
		b->tokens = burst;
	b->at_us = now;
}

/* A network's /64 is one subscriber, who has all of its addresses. */
static size_t peer_bytes(size_t n)
{
	return n == 16 ? 8 : n < PEER_BYTES ? n : PEER_BYTES;
}

static bool is_mapped_ipv4(const unsigned char *peer, size_t n)
{
	static const unsigned char prefix[12] = { [10] = 0xff, [11] = 0xff };

	return n == 16 && !memcmp(peer, prefix, sizeof prefix);
}

/* The peer's own, or that of who was not heard of for longest. */
static struct bucket *peer_bucket(struct http_auth *a, const void *peer, size_t n)
{
	const unsigned char *bytes = peer;
	struct bucket *oldest = &a->peers[0];

	if (is_mapped_ipv4(bytes, n)) {
		bytes += 12;
		n = 4;
	}
	n = peer_bytes(n);
	for (size_t i = 0; i < PEERS_MAX; i++) {
		struct bucket *b = &a->peers[i];

		if (b->at_us && b->n_peer == n && (!n || !memcmp(b->peer, bytes, n)))
			return b;
		if (b->at_us < oldest->at_us)
			oldest = b;
	}
	*oldest = (struct bucket){ .n_peer = n };
	if (n)
		memcpy(oldest->peer, bytes, n);
	return oldest;
}

static bool may_ask(struct http_auth *a, const void *peer, size_t n)
{
	uint64_t now = clock_monotonic_us();
	struct bucket *b = peer_bucket(a, peer, n);

	refill(b, PEER_BURST, peer_refill_us, now);
	refill(&a->total, TOTAL_BURST, total_refill_us, now);
	if (b->tokens < 1 || a->total.tokens < 1)
		return false;
	b->tokens--;
	a->total.tokens--;
	return true;
}

/* A good password was no try. */
static void give_back(struct http_auth *a, const struct job *job)
{
	peer_bucket(a, job->peer, job->n_peer)->tokens++;	/* refill() sees to the most there may be */
	a->total.tokens++;
}

/* ---- the loop's side */

/* One after another, since done() may well ask or cancel again. */
void http_auth_settle(struct http_auth *a)
{
	for (size_t i = 0; i < JOBS_MAX; i++) {
		struct job *job;
		http_auth_done done;
		void *tag;
		bool is_good;

		pthread_mutex_lock(&a->lock);
		job = next_job(a, JOB_DONE);
		if (job) {
			done = job->done;
			tag = job->tag;
			is_good = job->is_good;
			if (is_good) {
				learn(a, job->digest);
				give_back(a, job);
			}
			job->state = JOB_FREE;
		}
		pthread_mutex_unlock(&a->lock);
		if (!job)
			break;
		if (done)
			done(tag, is_good ? HTTP_AUTH_GOOD : HTTP_AUTH_WRONG);
	}
}

static int on_done(sd_event_source *source, int fd, uint32_t events, void *auth)
{
	uint64_t n;

	if (read(fd, &n, sizeof n) == sizeof n)
		http_auth_settle(auth);
	return 0;
}

static enum http_auth_verdict enqueue(struct http_auth *a, const struct job *from, const char *password)
{
	struct job *job;

	pthread_mutex_lock(&a->lock);
	job = next_job(a, JOB_FREE);
	if (job) {
		*job = *from;
		text_copy(job->password, sizeof job->password, password);
		job->turn = ++a->turn;
		job->state = JOB_WAITING;
		pthread_cond_signal(&a->call);
	}
	pthread_mutex_unlock(&a->lock);
	return job ? HTTP_AUTH_LATER : HTTP_AUTH_BUSY;
}

static const char *hash_of(const struct http_auth *a, const char *user)
{
	for (size_t i = 0; i < a->n_users; i++)
		if (!strcmp(a->users[i].name, user))
			return a->users[i].hash;
	return NULL;
}

enum http_auth_verdict http_auth_check(struct http_auth *a, const char *user, const char *password,
				       const void *peer, size_t n_peer, http_auth_done done, void *tag)
{
	const char *hash = hash_of(a, user);
	struct job job = { .is_user = hash, .done = done, .tag = tag };

	if (strlen(user) > WEB_USER_BYTES_MAX || strlen(password) > HTTP_PASSWORD_BYTES_MAX)
		return HTTP_AUTH_WRONG;
	text_copy(job.hash, sizeof job.hash, hash ? hash : a->nobody);
	job.n_peer = n_peer < sizeof job.peer ? n_peer : sizeof job.peer;
	if (n_peer)
		memcpy(job.peer, peer, job.n_peer);
	if (digest(a, user, password, job.hash, job.digest) < 0)
		return HTTP_AUTH_BUSY;
	if (is_known(a, job.digest))
		return HTTP_AUTH_GOOD;
	return may_ask(a, job.peer, job.n_peer) ? enqueue(a, &job, password) : HTTP_AUTH_BUSY;
}

void http_auth_cancel(struct http_auth *a, void *tag)
{
	pthread_mutex_lock(&a->lock);
	for (size_t i = 0; i < JOBS_MAX; i++) {
		struct job *job = &a->jobs[i];

		if (job->state == JOB_FREE || job->tag != tag)
			continue;
		job->done = NULL;
		if (job->state == JOB_WAITING) {	/* the thread need not do it */
			explicit_bzero(job->password, sizeof job->password);
			job->state = JOB_FREE;
		}
	}
	pthread_mutex_unlock(&a->lock);
}

/* ---- users */

static void free_users(struct web_user *users, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(users[i].name);
		free(users[i].hash);
	}
	free(users);
}

/* As dear as the dearest user's. */
static void make_nobody(struct http_auth *a)
{
	const char *cost = "10";

	for (size_t i = 0; i < a->n_users; i++)
		if (!i || memcmp(a->users[i].hash + 4, cost, 2) > 0)
			cost = a->users[i].hash + 4;
	memcpy(a->nobody, "$2b$", 4);
	memcpy(a->nobody + 4, cost, 2);
	a->nobody[6] = '$';
	memcpy(a->nobody + 7, nobodys_tail, sizeof nobodys_tail);
}

int http_auth_set_users(struct http_auth *a, const struct web_config *config)
{
	size_t n = config->n_users;
	struct web_user *users = calloc(n ? n : 1, sizeof *users);

	if (!users)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		users[i].name = strdup(config->users[i].name);
		users[i].hash = strdup(config->users[i].hash);
		if (!users[i].name || !users[i].hash) {
			free_users(users, n);
			return -ENOMEM;
		}
	}
	free_users(a->users, a->n_users);
	a->users = users;
	a->n_users = n;
	make_nobody(a);
	return 0;
}

/* ---- beginning and end */

int http_auth_new(sd_event *event, struct http_auth **ret)
{
	struct http_auth *a = calloc(1, sizeof *a);
	int r;

	if (!a)
		return -ENOMEM;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->call, NULL);
	make_nobody(a);
	a->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = a->done_fd < 0 ? -errno : 0;
	if (!r && gnutls_rnd(GNUTLS_RND_KEY, a->salt, sizeof a->salt) < 0)
		r = -EIO;
	if (!r)
		r = sd_event_add_io(event, &a->source, a->done_fd, EPOLLIN, on_done, a);
	if (r >= 0)
		r = start_thread(a);
	if (r < 0) {
		http_auth_free(a);
		return r;
	}
	(void)sd_event_source_set_description(a->source, "http-auth");
	*ret = a;
	return 0;
}

void http_auth_free(struct http_auth *a)
{
	if (!a)
		return;
	if (a->is_started) {
		pthread_mutex_lock(&a->lock);
		a->is_ending = true;
		pthread_cond_signal(&a->call);
		pthread_mutex_unlock(&a->lock);
		pthread_join(a->thread, NULL);
	}
	sd_event_source_disable_unref(a->source);
	fd_closep(&a->done_fd);
	pthread_cond_destroy(&a->call);
	pthread_mutex_destroy(&a->lock);
	free_users(a->users, a->n_users);
	explicit_bzero(a, sizeof *a);
	free(a);
}
