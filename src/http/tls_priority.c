#include "http/tls_priority.h"

#include <errno.h>
#include <gnutls/x509.h>
#include <string.h>

static const char *const version_names[] = {
	[WEB_TLS10] = "VERS-TLS1.0", [WEB_TLS11] = "VERS-TLS1.1", [WEB_TLS12] = "VERS-TLS1.2", [WEB_TLS13] = "VERS-TLS1.3",
};

static void add_once(struct text *priority, const char *name)
{
	char word[64] = ":+";

	text_copy(word + 2, sizeof word - 2, name);
	if (!strstr(priority->at, word))
		text_add(priority, word);
}

/* GnuTLS multiplies key exchanges, ciphers and MACs. With the one exchange that the certificate's key can do, the product is
 * the list itself: GCM and ChaCha go with AEAD alone, and CBC with SHA1. Returns how many suites there are. */
static size_t add_suites(const struct web_tls *t, struct text *priority, enum web_key_exchange exchange)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_suites; i++) {
		if (t->suites[i]->exchange != exchange)
			continue;
		add_once(priority, t->suites[i]->cipher);
		n++;
	}
	for (size_t i = 0; i < t->n_suites; i++)
		if (t->suites[i]->exchange == exchange)
			add_once(priority, t->suites[i]->mac);
	return n;
}

static bool has_aead(const struct text *priority)
{
	return strstr(priority->at, ":+AEAD");
}

/* Named suites choose the ciphers, those of TLS 1.3, too, since GnuTLS has one list for both; a version for which none is
 * left goes. -EINVAL: there is none. */
static int add_named_suites(const struct web_tls *t, bool is_rsa, struct text *priority, enum web_tls_version *min,
			    enum web_tls_version *max)
{
	text_addf(priority, ":-CIPHER-ALL:-MAC-ALL:-KX-ALL:+ECDHE-%s", is_rsa ? "RSA" : "ECDSA");
	if (!add_suites(t, priority, is_rsa ? WEB_KX_RSA : WEB_KX_ECDSA)) {
		(void)add_suites(t, priority, WEB_KX_TLS13);
		*min = WEB_TLS13;
	}
	if (!has_aead(priority) && *max == WEB_TLS13)
		*max = WEB_TLS12;
	return *min <= *max ? 0 : -EINVAL;
}

int http_tls_priority(const struct web_config *config, int key, gnutls_priority_t *ret, struct text *error)
{
	const struct web_tls *t = &config->tls;
	const bool is_rsa = key == GNUTLS_PK_RSA || key == GNUTLS_PK_RSA_PSS;
	enum web_tls_version min = t->min_version, max = t->max_version;
	AUTO_TEXT priority = TEXT_LIMIT(2000);
	const char *wrong = NULL;
	int r;

	/* Without forward secrecy a stolen key opens what was recorded before. */
	text_add(&priority, "NORMAL:-RSA:-DHE-RSA:-VERS-ALL");
	if (t->n_suites && add_named_suites(t, is_rsa, &priority, &min, &max)) {
		text_addf(error, "%s: tls_server_config.cipher_suites: none fits the certificate's %s key and the versions allowed",
			  config->path, is_rsa ? "RSA" : "ECDSA");
		return -EINVAL;
	}
	for (int v = (int)max; v >= (int)min; v--)
		add_once(&priority, version_names[v]);
	if (t->n_curves)
		text_add(&priority, ":-GROUP-ALL");
	for (size_t i = 0; i < t->n_curves; i++)
		text_addf(&priority, ":+GROUP-%s", t->curves[i]->group);
	if (t->prefers_server_order)
		text_add(&priority, ":%SERVER_PRECEDENCE");
	if (priority.truncated)
		return -ENOMEM;
	r = gnutls_priority_init(ret, priority.at, &wrong);
	if (r < 0) {
		text_addf(error, "%s: tls_server_config: this GnuTLS does not take \"%s\": %s", config->path, priority.at,
			  gnutls_strerror(r));
		return r == GNUTLS_E_MEMORY_ERROR ? -ENOMEM : -EINVAL;
	}
	return 0;
}
