#include "http_pairs.h"

#include <time.h>

#include "base/cleanup.h"

enum { DAY = 86400 };

struct pair ca, stranger_ca, rsa_server, ecdsa_server, good, stranger, expired, server_use, no_use;

static void make_pair(struct pair *p, const struct pair *issuer, gnutls_pk_algorithm_t algorithm, const char *use, time_t end)
{
	static unsigned char serial = 1;
	const unsigned bits = algorithm == GNUTLS_PK_RSA ? 2048 : GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1);
	const unsigned char ip[] = { 10, 0, 0, 7 };

	assert_int_equal(gnutls_x509_privkey_init(&p->key), 0);
	assert_int_equal(gnutls_x509_privkey_generate(p->key, algorithm, bits, 0), 0);
	assert_int_equal(gnutls_x509_crt_init(&p->crt), 0);
	gnutls_x509_crt_set_version(p->crt, 3);
	gnutls_x509_crt_set_serial(p->crt, &serial, 1);
	serial++;
	gnutls_x509_crt_set_dn(p->crt, issuer ? "CN=leaf" : "CN=authority", NULL);
	gnutls_x509_crt_set_activation_time(p->crt, time(NULL) - 10 * DAY);
	gnutls_x509_crt_set_expiration_time(p->crt, end);
	gnutls_x509_crt_set_key(p->crt, p->key);
	gnutls_x509_crt_set_basic_constraints(p->crt, !issuer, -1);
	gnutls_x509_crt_set_key_usage(p->crt, issuer ? GNUTLS_KEY_DIGITAL_SIGNATURE : GNUTLS_KEY_KEY_CERT_SIGN);
	if (use)
		gnutls_x509_crt_set_key_purpose_oid(p->crt, use, 0);
	if (issuer) {
		gnutls_x509_crt_set_subject_alt_name(p->crt, GNUTLS_SAN_DNSNAME, "prometheus.example", 18, GNUTLS_FSAN_SET);
		gnutls_x509_crt_set_subject_alt_name(p->crt, GNUTLS_SAN_IPADDRESS, ip, 4, GNUTLS_FSAN_APPEND);
		gnutls_x509_crt_set_subject_alt_name(p->crt, GNUTLS_SAN_RFC822NAME, "a@example", 9, GNUTLS_FSAN_APPEND);
		gnutls_x509_crt_set_subject_alt_name(p->crt, GNUTLS_SAN_URI, "spiffe://x/y", 12, GNUTLS_FSAN_APPEND);
	}
	assert_int_equal(gnutls_x509_crt_sign2(p->crt, issuer ? issuer->crt : p->crt, issuer ? issuer->key : p->key,
					       GNUTLS_DIG_SHA256, 0), 0);
	assert_int_equal(gnutls_x509_crt_export2(p->crt, GNUTLS_X509_FMT_PEM, &p->cert_pem), 0);
	assert_int_equal(gnutls_x509_privkey_export2(p->key, GNUTLS_X509_FMT_PEM, &p->key_pem), 0);
}

static struct pair *const pairs[] = {
	&ca, &stranger_ca, &rsa_server, &ecdsa_server, &good, &stranger, &expired, &server_use, &no_use,
};

int make_pairs(void **state)
{
	const time_t end = time(NULL) + 100 * DAY;

	make_pair(&ca, NULL, GNUTLS_PK_ECDSA, NULL, end);
	make_pair(&stranger_ca, NULL, GNUTLS_PK_ECDSA, NULL, end);
	make_pair(&rsa_server, &ca, GNUTLS_PK_RSA, GNUTLS_KP_TLS_WWW_SERVER, end);
	make_pair(&ecdsa_server, &ca, GNUTLS_PK_ECDSA, GNUTLS_KP_TLS_WWW_SERVER, end);
	make_pair(&good, &ca, GNUTLS_PK_ECDSA, GNUTLS_KP_TLS_WWW_CLIENT, end);
	make_pair(&stranger, &stranger_ca, GNUTLS_PK_ECDSA, GNUTLS_KP_TLS_WWW_CLIENT, end);
	make_pair(&expired, &ca, GNUTLS_PK_ECDSA, GNUTLS_KP_TLS_WWW_CLIENT, time(NULL) - DAY);
	make_pair(&server_use, &ca, GNUTLS_PK_ECDSA, GNUTLS_KP_TLS_WWW_SERVER, end);
	make_pair(&no_use, &ca, GNUTLS_PK_ECDSA, NULL, end);
	return 0;
}

int free_pairs(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		gnutls_x509_crt_deinit(pairs[i]->crt);
		gnutls_x509_privkey_deinit(pairs[i]->key);
		gnutls_free(pairs[i]->cert_pem.data);
		gnutls_free(pairs[i]->key_pem.data);
	}
	return 0;
}
