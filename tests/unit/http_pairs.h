/* For the tests of TLS: authorities, and certificates of every kind. */
#pragma once

#include "unit.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/* A certificate and its key, as PEM and as they are. */
struct pair {
	gnutls_x509_crt_t crt;
	gnutls_x509_privkey_t key;
	gnutls_datum_t cert_pem, key_pem;
};

/* no_use: without a purpose, which is any; server_use: for servers only. */
extern struct pair ca, stranger_ca, rsa_server, ecdsa_server, good, stranger, expired, server_use, no_use;

/* cmocka's fixtures of a group. */
int make_pairs(void **state);
int free_pairs(void **state);
