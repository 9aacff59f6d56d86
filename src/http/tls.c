#include "http/tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <gnutls/abstract.h>
#include <gnutls/x509.h>
#include <string.h>

#include "base/file.h"
#include "http/tls_priority.h"

enum { PEM_BYTES_MAX = 1 << 20, SAN_BYTES_MAX = 1024, SANS_MAX = 1000, TICKET_SECONDS = 3600 };

struct http_tls {
	size_t n_references;
	gnutls_certificate_credentials_t credentials;
	gnutls_priority_t priority;
	gnutls_datum_t ticket_key;	/* its own: who was let in by another configuration is to be judged by this one */
	enum web_client_auth client_auth;
	char **allowed_sans;
	size_t n_allowed_sans;
};

/* What each client_auth_type asks of a handshake. GnuTLS itself would refuse who has no certificate without a word. */
static const struct {
	gnutls_certificate_request_t request;
	bool must_be_there, is_verified;
} client_auths[] = {
	[WEB_CLIENT_NONE] = { GNUTLS_CERT_IGNORE, false, false },
	[WEB_CLIENT_REQUEST] = { GNUTLS_CERT_REQUEST, false, false },
	[WEB_CLIENT_REQUIRE_ANY] = { GNUTLS_CERT_REQUEST, true, false },
	[WEB_CLIENT_VERIFY_IF_GIVEN] = { GNUTLS_CERT_REQUEST, false, true },
	[WEB_CLIENT_REQUIRE] = { GNUTLS_CERT_REQUEST, true, true },
};

struct loading {
	const struct web_config *config;
	struct http_tls *tls;
	struct text *error;
	gnutls_x509_crt_t *chain;
	unsigned n_chain;
	gnutls_x509_privkey_t key;
};

/* ---- certificates and keys */

static void wiped_free(struct text *t)
{
	if (t->at)
		explicit_bzero(t->at, t->room);
	text_free(t);
}

/* A PEM text that stands in the configuration or in a file. */
struct source {
	const char *key;		/* in tls_server_config */
	const char *file, *inlined;
};

static int refuse(const struct loading *l, const struct source *s, const char *what)
{
	if (s->file)
		text_addf(l->error, "%s: %s: %s", s->file, s->key, what);
	else
		text_addf(l->error, "%s: tls_server_config.%s: %s", l->config->path, s->key, what);
	return -EINVAL;
}

static int refuse_gnutls(const struct loading *l, const struct source *s, int r)
{
	(void)refuse(l, s, gnutls_strerror(r));
	return r == GNUTLS_E_MEMORY_ERROR ? -ENOMEM : -EINVAL;
}

static int read_source(const struct loading *l, const struct source *s, struct text *pem)
{
	int r = 0;

	if (s->file)
		r = file_read(s->file, pem);
	else
		text_add(pem, s->inlined);
	if (r < 0) {
		(void)refuse(l, s, file_read_error(r));
		return r;
	}
	return 0;
}

static gnutls_datum_t datum(const struct text *t)
{
	return (gnutls_datum_t){ (unsigned char *)t->at, (unsigned)t->length };
}

static struct source cert_source(const struct web_tls *t)
{
	return (struct source){ t->cert_file ? "cert_file" : "cert", t->cert_file, t->cert };
}

static struct source key_source(const struct web_tls *t)
{
	return (struct source){ t->key_file ? "key_file" : "key", t->key_file, t->key };
}

static int load_chain(struct loading *l)
{
	const struct source s = cert_source(&l->config->tls);
	CLEANUP(wiped_free) struct text pem = TEXT_LIMIT(PEM_BYTES_MAX);	/* some keep the key beside it */
	gnutls_datum_t bytes;
	int r = read_source(l, &s, &pem);

	if (r < 0)
		return r;
	bytes = datum(&pem);
	r = gnutls_x509_crt_list_import2(&l->chain, &l->n_chain, &bytes, GNUTLS_X509_FMT_PEM,
					 GNUTLS_X509_CRT_LIST_FAIL_IF_UNSORTED);
	if (r == GNUTLS_E_NO_CERTIFICATE_FOUND || r == GNUTLS_E_BASE64_UNEXPECTED_HEADER_ERROR)
		return refuse(l, &s, "no certificate in PEM");
	return r < 0 ? refuse_gnutls(l, &s, r) : 0;
}

static int load_key(struct loading *l)
{
	const struct source s = key_source(&l->config->tls);
	CLEANUP(wiped_free) struct text pem = TEXT_LIMIT(PEM_BYTES_MAX);
	gnutls_datum_t bytes;
	int r = read_source(l, &s, &pem);

	if (r < 0)
		return r;
	r = gnutls_x509_privkey_init(&l->key);
	if (r < 0)
		return refuse_gnutls(l, &s, r);
	bytes = datum(&pem);
	r = gnutls_x509_privkey_import2(l->key, &bytes, GNUTLS_X509_FMT_PEM, NULL, 0);
	if (r == GNUTLS_E_DECRYPTION_FAILED || r == GNUTLS_E_PK_INVALID_PRIVKEY || (r < 0 && pem.at && strstr(pem.at, "ENCRYPTED")))
		return refuse(l, &s, "a key that is encrypted");
	if (r == GNUTLS_E_BASE64_UNEXPECTED_HEADER_ERROR || r == GNUTLS_E_BASE64_DECODING_ERROR ||
	    r == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
		return refuse(l, &s, "no private key in PEM");
	return r < 0 ? refuse_gnutls(l, &s, r) : 0;
}

static int load_ca(struct loading *l)
{
	const struct web_tls *t = &l->config->tls;
	const struct source s = { t->client_ca_file ? "client_ca_file" : "client_ca", t->client_ca_file, t->client_ca };
	AUTO_TEXT pem = TEXT_LIMIT(PEM_BYTES_MAX);
	gnutls_datum_t bytes;
	int r;

	if (!s.file && !s.inlined)
		return 0;
	r = read_source(l, &s, &pem);
	if (r < 0)
		return r;
	bytes = datum(&pem);
	r = gnutls_certificate_set_x509_trust_mem(l->tls->credentials, &bytes, GNUTLS_X509_FMT_PEM);
	if (!r || r == GNUTLS_E_NO_CERTIFICATE_FOUND || r == GNUTLS_E_BASE64_UNEXPECTED_HEADER_ERROR)
		return refuse(l, &s, "no certificate in PEM");
	return r < 0 ? refuse_gnutls(l, &s, r) : 0;
}

static int load_credentials(struct loading *l)
{
	const struct source cert = cert_source(&l->config->tls), key = key_source(&l->config->tls);
	int r = gnutls_certificate_allocate_credentials(&l->tls->credentials);

	if (r < 0)
		return refuse_gnutls(l, &cert, r);
	r = load_chain(l);
	if (!r)
		r = load_key(l);
	if (!r)
		r = load_ca(l);
	if (r < 0)
		return r;
	r = gnutls_certificate_set_x509_key(l->tls->credentials, l->chain, (int)l->n_chain, l->key);
	if (r == GNUTLS_E_CERTIFICATE_KEY_MISMATCH)
		return refuse(l, &key, "not the key of the certificate");
	return r < 0 ? refuse_gnutls(l, &cert, r) : 0;
}

static int make_ticket_key(struct loading *l)
{
	int r = gnutls_session_ticket_key_generate(&l->tls->ticket_key);

	if (r < 0)
		text_addf(l->error, "%s: no key for session tickets: %s", l->config->path, gnutls_strerror(r));
	return r < 0 ? -EIO : 0;
}

/* ---- making and freeing */

static int copy_sans(struct http_tls *tls, const struct web_tls *from)
{
	if (!from->n_allowed_sans)
		return 0;
	tls->allowed_sans = calloc(from->n_allowed_sans, sizeof *tls->allowed_sans);
	if (!tls->allowed_sans)
		return -ENOMEM;
	for (size_t i = 0; i < from->n_allowed_sans; i++) {
		tls->allowed_sans[i] = strdup(from->allowed_sans[i]);
		if (!tls->allowed_sans[i])
			return -ENOMEM;
		tls->n_allowed_sans++;
	}
	return 0;
}

static void loading_clear(struct loading *l)
{
	for (unsigned i = 0; i < l->n_chain; i++)
		gnutls_x509_crt_deinit(l->chain[i]);
	gnutls_free(l->chain);
	if (l->key)
		gnutls_x509_privkey_deinit(l->key);
	http_tls_unref(l->tls);
}

int http_tls_new(const struct web_config *config, struct http_tls **ret, struct text *error)
{
	CLEANUP(loading_clear) struct loading l = { .config = config, .error = error, .tls = calloc(1, sizeof *l.tls) };
	int r;

	if (!l.tls) {
		text_addf(error, "%s: no memory", config->path);
		return -ENOMEM;
	}
	l.tls->n_references = 1;
	l.tls->client_auth = config->tls.client_auth;
	r = load_credentials(&l);
	if (!r)
		r = http_tls_priority(config, gnutls_x509_crt_get_pk_algorithm(l.chain[0], NULL), &l.tls->priority, error);
	if (!r)
		r = make_ticket_key(&l);
	if (!r)
		r = copy_sans(l.tls, &config->tls);
	if (r < 0) {
		if (!error->length)
			text_addf(error, "%s: no memory", config->path);
		return r;
	}
	*ret = pointer_steal(&l.tls);
	return 0;
}

struct http_tls *http_tls_ref(struct http_tls *tls)
{
	tls->n_references++;
	return tls;
}

void http_tls_unref(struct http_tls *tls)
{
	if (!tls || --tls->n_references)
		return;
	if (tls->credentials)
		gnutls_certificate_free_credentials(tls->credentials);
	if (tls->priority)
		gnutls_priority_deinit(tls->priority);
	if (tls->ticket_key.data)
		gnutls_memset(tls->ticket_key.data, 0, tls->ticket_key.size);
	gnutls_free(tls->ticket_key.data);
	for (size_t i = 0; i < tls->n_allowed_sans; i++)
		free(tls->allowed_sans[i]);
	free(tls->allowed_sans);
	free(tls);
}

/* ---- a handshake */

static bool is_same_ip(const char *allowed, const void *ip, size_t n)
{
	unsigned char bytes[16];

	return (n == 4 && inet_pton(AF_INET, allowed, bytes) == 1 && !memcmp(bytes, ip, 4)) ||
	       (n == 16 && inet_pton(AF_INET6, allowed, bytes) == 1 && !memcmp(bytes, ip, 16));
}

static bool is_allowed(const struct http_tls *tls, int type, const char *san, size_t n)
{
	for (size_t i = 0; i < tls->n_allowed_sans; i++) {
		const char *allowed = tls->allowed_sans[i];

		if (type == GNUTLS_SAN_IPADDRESS && is_same_ip(allowed, san, n))
			return true;
		if ((type == GNUTLS_SAN_DNSNAME || type == GNUTLS_SAN_RFC822NAME || type == GNUTLS_SAN_URI) &&
		    strlen(allowed) == n && !memcmp(allowed, san, n))
			return true;
	}
	return false;
}

static bool has_allowed_san(const struct http_tls *tls, gnutls_x509_crt_t crt)
{
	for (unsigned i = 0; i < SANS_MAX; i++) {
		char san[SAN_BYTES_MAX];
		size_t n = sizeof san;
		int type = gnutls_x509_crt_get_subject_alt_name(crt, i, san, &n, NULL);

		if (type == GNUTLS_E_SHORT_MEMORY_BUFFER)
			continue;	/* longer than any that is allowed */
		if (type < 0)
			return false;
		if (is_allowed(tls, type, san, n))
			return true;
	}
	return false;
}

static bool is_peer_allowed(const struct http_tls *tls, const gnutls_datum_t *first)
{
	gnutls_x509_crt_t crt;
	bool is_good;

	if (gnutls_x509_crt_init(&crt) < 0)
		return false;
	is_good = gnutls_x509_crt_import(crt, first, GNUTLS_X509_FMT_DER) >= 0 && has_allowed_san(tls, crt);
	gnutls_x509_crt_deinit(crt);
	return is_good;
}

/* What a client is told of its certificate: the first that holds. */
static const struct {
	unsigned status;
	gnutls_alert_description_t alert;
} refusals[] = {
	{ GNUTLS_CERT_SIGNER_NOT_FOUND, GNUTLS_A_UNKNOWN_CA },
	{ GNUTLS_CERT_EXPIRED | GNUTLS_CERT_NOT_ACTIVATED, GNUTLS_A_CERTIFICATE_EXPIRED },
	{ GNUTLS_CERT_PURPOSE_MISMATCH, GNUTLS_A_UNSUPPORTED_CERTIFICATE },
	{ ~0u, GNUTLS_A_BAD_CERTIFICATE },
};

/* libmicrohttpd would hang up without a word. */
static int refuse_client(gnutls_session_t session, int error, gnutls_alert_description_t alert)
{
	(void)gnutls_alert_send(session, GNUTLS_AL_FATAL, alert);
	return error;
}

static int refuse_certificate(gnutls_session_t session, unsigned status)
{
	size_t i = 0;

	while (!(refusals[i].status & status))
		i++;
	return refuse_client(session, GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR, refusals[i].alert);
}

static int judge_client(gnutls_session_t session)
{
	const struct http_tls *tls = gnutls_db_get_ptr(session);
	gnutls_typed_vdata_st purpose = { .type = GNUTLS_DT_KEY_PURPOSE_OID, .data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT };
	const gnutls_datum_t *peers;
	unsigned n = 0, status = 0;

	peers = gnutls_certificate_get_peers(session, &n);
	if (!peers || !n)
		return client_auths[tls->client_auth].must_be_there ?
		       refuse_client(session, GNUTLS_E_CERTIFICATE_REQUIRED, GNUTLS_A_CERTIFICATE_REQUIRED) : 0;
	if (!client_auths[tls->client_auth].is_verified)
		return 0;
	if (gnutls_certificate_verify_peers(session, &purpose, 1, &status) < 0)
		status = GNUTLS_CERT_INVALID;
	if (!status && tls->n_allowed_sans && !is_peer_allowed(tls, peers))
		status = GNUTLS_CERT_INVALID;
	return status ? refuse_certificate(session, status) : 0;
}

/* Such a client gets no ticket: with TLS 1.3 GnuTLS does not remember the certificate in it, and it may have expired since. */
static bool is_judged(const struct http_tls *tls)
{
	return client_auths[tls->client_auth].must_be_there || client_auths[tls->client_auth].is_verified;
}

/* At the end of the handshake: no byte of a request has been read yet. */
static int on_finished(gnutls_session_t session, unsigned type, unsigned when, unsigned is_incoming, const gnutls_datum_t *message)
{
	return is_incoming ? judge_client(session) : 0;
}

int http_tls_begin(struct http_tls *tls, gnutls_session_t session)
{
	int r = gnutls_priority_set(session, tls->priority);

	if (r >= 0) {
		gnutls_credentials_clear(session);
		r = gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, tls->credentials);
	}
	if (r >= 0 && !is_judged(tls))
		r = gnutls_session_ticket_enable_server(session, &tls->ticket_key);
	if (r < 0)
		return r;
	gnutls_db_set_ptr(session, tls);
	gnutls_db_set_cache_expiration(session, TICKET_SECONDS);
	gnutls_certificate_server_set_request(session, client_auths[tls->client_auth].request);
	gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_FINISHED, GNUTLS_HOOK_POST, on_finished);
	return 0;
}
