"""Certificates for tests, made with openssl: an authority, a server's, and clients' of every kind that there is to be refused.

    make(folder)

leaves NAME.crt and NAME.key in the folder, for each of these names:

    ca, stranger_ca      authorities; nobody trusts the second one
    server, next_server  of localhost, 127.0.0.1 and ::1
    rsa_server           the same with an RSA key
    good                 a client's
    stranger             of the authority that nobody trusts
    expired              until yesterday
    wrong_use            for servers only
"""

import os
import subprocess

SERVER = 'subjectAltName=DNS:localhost,DNS:host.example,IP:127.0.0.1,IP:::1\nextendedKeyUsage=serverAuth\n'
CLIENT = 'subjectAltName=DNS:prometheus.example\nextendedKeyUsage=clientAuth\n'
EC, RSA = ('ec', '-pkeyopt', 'ec_paramgen_curve:P-256'), ('rsa:2048',)

CERTIFICATES = {
    'server': (SERVER, 'ca', '30', EC), 'next_server': (SERVER, 'ca', '30', EC), 'rsa_server': (SERVER, 'ca', '30', RSA),
    'good': (CLIENT, 'ca', '30', EC), 'stranger': (CLIENT, 'stranger_ca', '30', EC), 'expired': (CLIENT, 'ca', '-1', EC),
    'wrong_use': (CLIENT.replace('clientAuth', 'serverAuth'), 'ca', '30', EC),
}

# 'secret' and 'other', as `htpasswd -nBC 4` makes them
SECRET = '$2b$04$EH0DW0texLQfMhLYpN9UC.CM43AkKaD3sgOxKR198wu/pV/7iMrxa'
OTHER = '$2b$04$zt/WI6spQ8UvNR1Cvd6ju.VSlbbVabc6LGAF91HS9/sm2ebpNjZMa'


def openssl(folder, *words):
    done = subprocess.run(['openssl', *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise AssertionError('openssl %s: %s' % (' '.join(words), done.stdout.decode('utf-8', 'replace')))


def make(folder):
    for name in ('ca', 'stranger_ca'):
        openssl(folder, 'req', '-x509', '-newkey', *EC, '-nodes', '-days', '30', '-subj', '/CN=' + name,
                '-keyout', name + '.key', '-out', name + '.crt')
    for name, (extensions, authority, days, key) in CERTIFICATES.items():
        with open(os.path.join(folder, name + '.ext'), 'w', encoding='ascii') as f:
            f.write(extensions)
        openssl(folder, 'req', '-newkey', *key, '-nodes', '-subj', '/CN=' + name, '-keyout', name + '.key', '-out', name + '.csr')
        openssl(folder, 'x509', '-req', '-in', name + '.csr', '-CA', authority + '.crt', '-CAkey', authority + '.key',
                '-CAcreateserial', '-days', days, '-extfile', name + '.ext', '-out', name + '.crt')
