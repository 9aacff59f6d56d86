#!/usr/bin/env python3
"""--web.config.file in use: who gets in by which certificate and password, what is agreed on, and how a file that is changed is put
to use while connections go on. With curl and openssl at the other end."""

import http.client
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import authority
import cases
import exporter
import made

CLIENTS = ('none', 'good', 'stranger', 'expired', 'wrong_use')
IN, OUT = True, False

# What docs/web-config.md says of each type
CLIENT_AUTH_TYPES = {
    'NoClientCert':               (IN, IN, IN, IN, IN),
    'RequestClientCert':          (IN, IN, IN, IN, IN),
    'RequireAnyClientCert':       (OUT, IN, IN, IN, IN),
    'VerifyClientCertIfGiven':    (IN, IN, OUT, OUT, OUT),
    'RequireAndVerifyClientCert': (OUT, IN, OUT, OUT, OUT),
}
# What they are told who do not get in; openssl's words for an alert
REASONS = {'none': 'certificate required', 'stranger': 'unknown ca', 'expired': 'certificate expired', 'wrong_use': 'unsupported certificate'}

TLS = 'tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n'
VERIFIED = TLS + '  client_ca_file: ca.crt\n  client_auth_type: RequireAndVerifyClientCert\n'
USERS = 'basic_auth_users:\n  prometheus: %s\n' % authority.SECRET


class Web:
    """An exporter with a web configuration, and clients of it."""

    def __init__(self, folder, *flags, log_level='info'):
        self.folder, self.path = folder, os.path.join(folder, 'web.yml')
        self.daemon = exporter.Exporter('--replay=' + os.path.join(folder, 'one.capture'), '--no-collector.history',
                                        '--web.config.file=' + self.path, '--log.level=' + log_level, *flags)

    def __enter__(self):
        self.daemon.__enter__()
        return self

    def __exit__(self, *_):
        self.daemon.__exit__()

    def ends_well(self):
        """Also for sanitizers, whose complaints change the exit status."""
        _, status = self.daemon.stop()
        return status == 0 and 'Sanitizer' not in self.log() and 'runtime error' not in self.log()

    def log(self):
        return '\n'.join(self.daemon.log)

    def write(self, text):
        """As a whole, so that nobody reads half of it."""
        with open(self.path + '.new', 'w', encoding='utf-8') as f:
            f.write(text)
        os.rename(self.path + '.new', self.path)

    def use(self, text, said='read anew, and in use'):
        """Puts it to use by SIGHUP. Returns what the log says then."""
        before = len(self.daemon.log)
        self.write(text)
        self.daemon.process.send_signal(signal.SIGHUP)
        return exporter.wait_for('the new web configuration', lambda: [line for line in self.daemon.log[before:] if said in line],
                                 pause_s=0.005)

    def curl(self, *words, client='none', path='/-/healthy', scheme='https'):
        """(status, or 0 where there was no answer; all that curl printed)"""
        shown = [] if client == 'none' else ['--cert', client + '.crt', '--key', client + '.key']
        done = subprocess.run(['curl', '-sS', '-i', '--max-time', '20', '--cacert', 'ca.crt', *shown, *words,
                               '%s://localhost:%d%s' % (scheme, self.daemon.port, path)], cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = done.stdout.decode('utf-8', 'replace')
        status = re.match(r'HTTP/1\.[01] (\d+) ', said)
        return (int(status.group(1)) if status and not done.returncode else 0), said

    def s_client(self, *words, request=''):
        done = subprocess.run(['openssl', 's_client', '-connect', '127.0.0.1:%d' % self.daemon.port, '-CAfile', 'ca.crt', *words],
                              cwd=self.folder, input=request.encode('ascii'), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=exporter.PATIENCE_S)
        return done.stdout.decode('utf-8', 'replace')

    def connect(self):
        """A connection that is kept, and goes by the name of the certificate that it was shown."""
        connection = http.client.HTTPSConnection('localhost', self.daemon.port, timeout=10,
                                                 context=ssl.create_default_context(cafile=os.path.join(self.folder, 'ca.crt')))
        connection.connect()
        connection.auto_open = 0        # one that was closed is not opened anew in silence
        name = dict(field[0] for field in connection.sock.getpeercert()['subject'])['commonName']
        return connection, name


def ask(connection, path='/-/healthy'):
    connection.request('GET', path)
    answer = connection.getresponse()
    answer.read()
    return answer.status


# ---- certificates

def each_type_lets_in_whom_it_says(web):
    for kind, expected in CLIENT_AUTH_TYPES.items():
        asks = '' if kind == 'NoClientCert' else '  client_ca_file: ca.crt\n'
        web.use(TLS + asks + '  client_auth_type: %s\n' % kind)
        for version in ('1.2', '1.3'):
            found = tuple(web.curl('--tls-max', version, '--tlsv' + version, client=client)[0] == 200 for client in CLIENTS)
            cases.check(found == expected, '%s, TLS %s' % (kind, version), dict(zip(CLIENTS, found)))


def who_is_refused_is_told_why(web):
    web.use(VERIFIED)
    for client, reason in REASONS.items():
        for version in ('1.2', '1.3'):
            shown = () if client == 'none' else ('-cert', client + '.crt', '-key', client + '.key')
            said = web.s_client('-tls' + version.replace('.', '_'), '-ign_eof', *shown, request='GET / HTTP/1.0\r\n\r\n')
            cases.check('HTTP/1' not in said and 'alert ' + reason in said, '%s is told: %s, TLS %s' % (client, reason, version), said)


def names_that_are_allowed(web):
    for names, expected in (('[prometheus.example, other.example]', 200), ('[other.example]', 0), ('["*.example"]', 0)):
        web.use(VERIFIED + '  client_allowed_sans: %s\n' % names)
        cases.check(web.curl(client='good')[0] == expected, 'client_allowed_sans: %s' % names)


# ---- what is agreed on

VERSIONS = ('10', '11', '12', '13')


def versions_have_their_bounds(web):
    flags = {'10': '-tls1', '11': '-tls1_1', '12': '-tls1_2', '13': '-tls1_3'}
    for low, high in (('12', '13'), ('13', '13'), ('12', '12'), ('10', '11'), ('10', '13')):
        web.use(TLS + '  min_version: TLS%s\n  max_version: TLS%s\n' % (low, high))
        # Debian's openssl takes the old ones only if told so
        said = {v: web.s_client(flags[v], '-cipher', 'DEFAULT:@SECLEVEL=0') for v in VERSIONS}
        found = [v for v in VERSIONS if re.search(r'Cipher is (?!\(NONE\))', said[v])]
        cases.check(found == [v for v in VERSIONS if low <= v <= high], 'TLS%s to TLS%s' % (low, high), found)


def suites_and_curves_are_those_named(web):
    rsa = TLS.replace('server.', 'rsa_server.')

    def agreed(*words):
        said = web.s_client(*words)
        cipher = re.search(r'Cipher is (\S+)', said)
        group = re.search(r'Server Temp Key: ([^,\n]+)(?:, ([^,\n]+))?', said)
        return cipher and cipher.group(1), group and (group.group(2) if group.group(1) == 'ECDH' else group.group(1))

    web.use(rsa + '  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]\n  max_version: TLS12\n')
    cases.check(agreed('-tls1_2')[0] == 'ECDHE-RSA-AES256-GCM-SHA384', 'the suite that is named is agreed on', agreed('-tls1_2'))
    cases.check(agreed('-tls1_2', '-cipher', 'ECDHE-RSA-AES128-GCM-SHA256')[0] == '(NONE)', 'and no other', web.log())
    web.use(rsa + '  cipher_suites: [TLS_AES_128_GCM_SHA256]\n')
    cases.check(agreed()[0] == 'TLS_AES_128_GCM_SHA256' and agreed('-tls1_2')[0] == '(NONE)', 'with a suite of TLS 1.3 alone there is no TLS 1.2')
    order = ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384']
    theirs = ('-tls1_2', '-cipher', 'ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-GCM-SHA256')
    for prefers, expected in (('true', 'ECDHE-RSA-AES128-GCM-SHA256'), ('false', 'ECDHE-RSA-AES256-GCM-SHA384')):
        web.use(rsa + '  cipher_suites: [%s]\n  prefer_server_cipher_suites: %s\n' % (', '.join(order), prefers))
        cases.check(agreed(*theirs)[0] == expected, 'prefer_server_cipher_suites: %s' % prefers, agreed(*theirs))
    for name, group in (('CurveP256', 'prime256v1'), ('CurveP384', 'secp384r1'), ('X25519', 'X25519')):
        web.use(TLS + '  curve_preferences: [%s]\n' % name)
        for version in ('-tls1_2', '-tls1_3'):
            found = agreed(version)[1]
            cases.check(found in (group, 'P-256' if name == 'CurveP256' else group), 'curve_preferences: [%s] %s' % (name, version), found)
    web.use(TLS + '  curve_preferences: [CurveP256]\n')
    cases.check(agreed('-curves', 'P-384')[0] == '(NONE)', 'and no other curve')


def sessions_are_resumed(web):
    """Where no certificate of the client's counts, which a ticket would stand for."""
    request = 'GET /-/healthy HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    for config, client, expected in ((TLS, (), 'Reused'), (VERIFIED, ('-cert', 'good.crt', '-key', 'good.key'), 'New')):
        web.use(config)
        for version in ('-tls1_2', '-tls1_3'):
            web.s_client(version, '-sess_out', 'session', '-ign_eof', *client, request=request)
            said = web.s_client(version, '-sess_in', 'session', '-ign_eof', *client, request=request)
            cases.check('%s, TLSv1' % expected in said and 'is healthy' in said, 'a session is %s %s' % (expected, version), said)
    web.use(TLS)
    web.s_client('-sess_out', 'session', '-ign_eof', request=request)
    web.use(TLS)
    cases.check('New, TLSv1' in web.s_client('-sess_in', 'session', '-ign_eof', request=request), 'a ticket ends with its configuration')


# ---- users, headers, rate limit

def users_have_passwords(web):
    for config, client in ((TLS + USERS, 'none'), (VERIFIED + USERS, 'good'), (USERS, 'none')):
        scheme = 'http' if config == USERS else 'https'
        what = 'plain' if config == USERS else 'with TLS and certificate' if config.startswith(VERIFIED) else 'with TLS'
        web.use(config)

        def get(*words, path='/metrics'):
            return web.curl(*words, client=client, path=path, scheme=scheme)
        for path in ('/metrics', '/', '/-/healthy', '/-/ready', '/none'):
            status, said = get(path=path)
            cases.check(status == 401 and '\r\nWWW-Authenticate: Basic realm="drive_exporter"\r\n' in said, '%s asks for a password, %s' % (path, what), said)
        cases.check(get('-u', 'prometheus:wrong')[0] == 401, 'a wrong password, ' + what)
        cases.check(get('-u', 'nobody:secret')[0] == 401, 'another user, ' + what)
        cases.check(get('-H', 'Authorization: Bearer secret')[0] == 401, 'another scheme, ' + what)
        # The answer comes before the body is read, and the end of the connection may overtake it (RFC 9112, 9.6).
        cases.check(any(get('-u', 'prometheus:secret', '-X', 'POST', '-d', 'x' * 100000)[0] == 405 for _ in range(5)), 'another method, ' + what)
        status, said = get('-u', 'prometheus:secret')
        cases.check(status == 200 and 'drive_up{' in said, 'the right password, ' + what, said[:500])
        cases.check(get('-u', 'prometheus:secret', path='/none')[0] == 404, 'and a page that is not there, ' + what)
    web.use(TLS + USERS.replace(authority.SECRET, authority.OTHER))
    cases.check(web.curl('-u', 'prometheus:secret')[0] == 401 and web.curl('-u', 'prometheus:other')[0] == 200, 'a password that was changed')


def who_tries_passwords_is_slowed_down(web):
    web.use(USERS)
    cases.check(web.curl('-u', 'prometheus:secret', scheme='http')[0] == 200, 'a good password is remembered')
    found = [web.curl('-u', 'prometheus:wrong%d' % n, scheme='http') for n in range(30)]
    busy = [said for status, said in found if status == 429]
    cases.check({status for status, _ in found} == {401, 429} and all('\r\nRetry-After: 1\r\n' in said for said in busy),
                'many wrong ones are refused with 429', [status for status, _ in found])
    cases.check(web.curl('-u', 'prometheus:secret', scheme='http')[0] == 200, 'and who is known gets in meanwhile')


def headers_are_sent_with_every_answer(web):
    web.use('http_server_config:\n  headers:\n    X-Frame-Options: sameorigin\n    Strict-Transport-Security: max-age=31536000\n'
            '    Content-Security-Policy: default-src none\n')
    for words, path, expected in (((), '/metrics', 200), ((), '/', 200), ((), '/-/healthy', 200), ((), '/none', 404),
                                  (('-X', 'PUT'), '/', 405), (('-I',), '/metrics', 200)):
        status, said = web.curl(*words, path=path, scheme='http')
        head = said.split('\r\n\r\n')[0].split('\r\n')
        wanted = ['X-Frame-Options: sameorigin', 'Strict-Transport-Security: max-age=31536000', 'Content-Security-Policy: default-src none']
        names = [line.split(':')[0] for line in head]
        cases.check(status == expected and not set(wanted) - set(head) and len(names) == len(set(names)),
                    'headers with %d %s, each once' % (expected, path), said[:1000])


def requests_have_their_rate(web):
    web.use('rate_limit:\n  interval: 5s\n  burst: 3\n')
    found = [web.curl(scheme='http') for _ in range(5)]
    cases.check([status for status, _ in found] == [200, 200, 200, 429, 429] and '\r\nRetry-After: 5\r\n' in found[4][1],
                'rate_limit lets in as many as it says', found)
    time.sleep(5.1)
    cases.check([web.curl(scheme='http')[0] for _ in range(2)] == [200, 429], 'and then one in each interval')


# ---- changes

class Visitor(threading.Thread):
    """Connects again and again, by TLS or plain, and counts whom the listener turned away."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.refused, self.visits, self.is_over = port, [], 0, False
        self.start()

    def run(self):
        while not self.is_over:
            try:
                socket.create_connection(('127.0.0.1', self.port), timeout=5).close()
                self.visits += 1
            except OSError as error:
                self.refused.append(str(error))
            time.sleep(0.01)

    def end(self):
        self.is_over = True
        self.join()


def copy(folder, name, to):
    for kind in ('.crt', '.key'):
        shutil.copy(os.path.join(folder, name + kind), os.path.join(folder, to + kind + '.new'))
        os.rename(os.path.join(folder, to + kind + '.new'), os.path.join(folder, to + kind))


def another_certificate(web):
    config = TLS.replace('server.', 'used.')
    copy(web.folder, 'server', 'used')
    web.use(config)
    visitor, (kept, name) = Visitor(web.daemon.port), web.connect()
    cases.check(name == 'server' and ask(kept) == 200, 'the first certificate is shown', name)
    copy(web.folder, 'next_server', 'used')

    def shown():
        connection, name = web.connect()
        connection.close()
        return name
    began = time.monotonic()
    exporter.wait_for('the new certificate', lambda: shown() == 'next_server')
    print('# a changed certificate is in use after %.1f s' % (time.monotonic() - began))
    cases.check(ask(kept) == 200, 'a connection that was open goes on')
    copy(web.folder, 'server', 'used')
    web.daemon.process.send_signal(signal.SIGHUP)
    exporter.wait_for('the first certificate', lambda: shown() == 'server')
    cases.check(ask(kept) == 200, 'also at SIGHUP')
    os.unlink(os.path.join(web.folder, 'used.key'))
    exporter.wait_for('the complaint', lambda: 'used.key: key_file: No such file or directory' in web.log())
    cases.check(shown() == 'server' and ask(kept) == 200, 'a key that is gone changes nothing', web.log())
    complaints = web.log().count('used.key: key_file')
    time.sleep(2.5)
    cases.check(web.log().count('used.key: key_file') == complaints == 1, 'and is told once', web.log())
    copy(web.folder, 'next_server', 'used')
    exporter.wait_for('the new certificate', lambda: shown() == 'next_server')
    cases.check(ask(kept) == 200, 'until it is there again')
    visitor.end()
    cases.check(visitor.visits > 100 and not visitor.refused, 'nobody was turned away meanwhile', visitor.refused)


def a_folder_behind_a_link(web):
    """As Kubernetes changes them: the link leads to another folder, and no file of the first one is touched."""
    link = os.path.join(web.folder, 'linked')
    for name in ('server', 'next_server'):
        os.mkdir(os.path.join(web.folder, 'of_' + name))
        copy(web.folder, name, os.path.join('of_' + name, 'used'))
    os.symlink('of_server', link)
    web.use(TLS.replace('server.', 'linked/used.'))
    cases.check(web.connect()[1] == 'server', 'a certificate behind a link')
    os.symlink('of_next_server', link + '.new')
    os.rename(link + '.new', link)
    exporter.wait_for('the new certificate', lambda: web.connect()[1] == 'next_server')
    cases.check(True, 'and behind another one')


def another_configuration(web):
    web.use(TLS + USERS)
    visitor, (kept, _) = Visitor(web.daemon.port), web.connect()
    cases.check(ask(kept) == 401, 'without a password')
    web.write(TLS)
    exporter.wait_for('the change to be seen', lambda: ask(kept) == 200)
    cases.check(True, 'a file that is changed is read anew, and open connections go by it')
    said = web.use(TLS + 'rate_limit:\n  burst: -1\n', said='web.yml:5')
    cases.check(said == ['drive_exporter: error: %s:5: rate_limit.burst: "-1" is no whole number up to 1000000 '
                         '(the web configuration in use stays as it was)' % web.path], 'a mistake is one line that says where and what', said)
    cases.check(ask(kept) == 200 and web.curl()[0] == 200, 'and changes nothing')
    web.use('')
    cases.check(web.curl(scheme='http')[0] == 200 and web.curl()[0] == 0, 'TLS can be turned off')
    cases.check(ask(kept) == 200, 'and who has it keeps it')
    plain = http.client.HTTPConnection('127.0.0.1', web.daemon.port, timeout=10)
    plain.connect()
    plain.auto_open = 0
    cases.check(ask(plain) == 200, 'a plain connection')
    web.use(TLS)
    cases.check(web.curl(scheme='http')[0] == 0 and web.curl()[0] == 200, 'and on again')
    cases.check(ask(plain) == 200 and ask(kept) == 200, 'and both go on')
    visitor.end()
    cases.check(not visitor.refused, 'nobody was turned away meanwhile', visitor.refused)
    cases.check(web.daemon.process.poll() is None, 'the exporter runs', web.log())


# ---- beginnings

def addresses_of_all_kinds(folder):
    local, name, ports = os.path.join(folder, 'local.sock'), 'drive-exporter-%d' % os.getpid(), (exporter.free_port(), exporter.free_port())
    has_ipv6 = socket.has_ipv6 and os.path.exists('/proc/net/if_inet6') and '00000000000000000000000000000001' in open('/proc/net/if_inet6').read()
    web = Web(folder)
    web.daemon.flags += ['--web.listen-address=unix:' + local, '--web.listen-address=unix:@' + name,
                         '--web.listen-address=127.0.0.1:%d' % ports[0]]
    if has_ipv6:
        web.daemon.flags.append('--web.listen-address=[::1]:%d' % ports[1])
    for config, scheme in ((TLS + USERS, 'https'), (USERS, 'http')):
        web.write(config)
        with web:
            exporter.wait_for('the line', lambda: 'Listening on %s://127.0.0.1:%d/' % (scheme, web.daemon.port) in web.log())
            ways = {'the first': (), 'a Unix socket': ('--unix-socket', local), 'an abstract one': ('--abstract-unix-socket', name),
                    'a second': ('--connect-to', '::127.0.0.1:%d' % ports[0])}
            if has_ipv6:
                ways['IPv6'] = ('--connect-to', '::[::1]:%d' % ports[1])
            else:
                cases.skip('no IPv6 here')
            for what, words in ways.items():
                found = [web.curl(*words, *user, scheme=scheme)[0] for user in ((), ('-u', 'prometheus:no'), ('-u', 'prometheus:secret'))]
                cases.check(found == [401, 401, 200], '%s address, %s' % (what, scheme), found)


def mistakes_at_the_start(folder):
    path = os.path.join(folder, 'web.yml')
    for text, line in (('rate_limit:\n  burst: -1\n', ':2: rate_limit.burst: "-1" is no whole number up to 1000000'),
                       ('tls_server_config:\n  cert_file: server.crt\n  key_file: good.key\n', None), (None, ': No such file or directory')):
        if text is None:
            os.unlink(path)
        else:
            with open(path, 'w', encoding='utf-8') as f:
                f.write(text)
        said = path + line if line else os.path.join(folder, 'good.key') + ': key_file: not the key of the certificate'
        done = subprocess.run([exporter.PROGRAM, '--web.config.file=' + path, '--replay=' + os.path.join(folder, 'one.capture'),
                               '--web.listen-address=127.0.0.1:0', '--no-collector.history'], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=exporter.PATIENCE_S)
        cases.check(done.returncode == 1 and done.stderr.decode('utf-8') == 'drive_exporter: error: %s\n' % said,
                    'a mistake ends the start: ' + said, done)
        file, rest = said.split(': ', 1)
        for words in ([path], ['--web.config.file=' + path]):
            done = subprocess.run([exporter.PROGRAM, 'check-config', *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=exporter.PATIENCE_S)
            cases.check(done.returncode == 1 and done.stdout.decode('utf-8').splitlines()[-2:] ==
                        ['%s: error: %s' % (file, rest), 'web configuration: 1 files, 1 errors'], 'and check-config finds it', done)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(VERIFIED + USERS)
    done = subprocess.run([exporter.PROGRAM, 'check-config', path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    cases.check(done.returncode == 0 and done.stdout == b'web configuration: 1 files, 0 errors\n', 'check-config passes a good one', done)


def promtool_agrees(folder):
    """What we take, Prometheus's own exporters take, too, and what we refuse here they refuse."""
    if not exporter.tool('promtool'):
        cases.skip('no promtool')
        return
    path = os.path.join(folder, 'theirs.yml')
    good = (VERIFIED + USERS, TLS + '  min_version: TLS13\n', TLS.replace('server.', 'rsa_server.') + '  cipher_suites: [TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]\n',
            TLS + '  curve_preferences: [CurveP256, X25519]\n  prefer_server_cipher_suites: false\n', '',
            'http_server_config:\n  http2: true\n  headers: { X-Frame-Options: deny, Content-Security-Policy: x }\n')
    bad = ('unknown: 1\n', TLS + '  client_auth_type: Sometimes\n', TLS + '  min_version: TLS14\n', TLS + '  cipher_suites: [NONE]\n',
           TLS.replace('server.key', 'none.key'), 'basic_auth_users: { x: secret }\n', 'http_server_config: { headers: { Server: x } }\n',
           'http_server_config: { headers: { X-Frame-Options: x } }\n', TLS + '  client_ca_file: ca.crt\n')
    for text in good + bad:
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        found = [subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder) for words in
                 (['promtool', 'check', 'web-config', path], [exporter.PROGRAM, 'check-config', path])]
        cases.check([done.returncode != 0 for done in found] == [text in bad] * 2, '%s: %r' % ('refused' if text in bad else 'taken', text), found)


def the_example_of_the_manual(folder):
    """Its lines, as they stand there."""
    with open(os.path.join(exporter.SOURCE, 'docs', 'web-config.md'), encoding='utf-8') as f:
        text = f.read()
    commands = re.findall(r'```sh\n(.*?)```', text, re.DOTALL)
    config = re.search(r'```yaml\n(.*?)```', text, re.DOTALL).group(1)

    def run(script, said=b''):
        """Without a terminal, passwords come from standard input."""
        done = subprocess.run(['sh', '-eu', '-c', script], cwd=folder, env=dict(os.environ, HOME=folder), input=said,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, timeout=exporter.PATIENCE_S)
        return done.returncode, done.stdout.decode('utf-8'), done.stderr.decode('utf-8', 'replace')
    cases.check(len(commands) == 3, 'it has an authority, a password and a request', commands)
    with open(os.path.join(exporter.SOURCE, 'README.md'), encoding='utf-8') as f:
        shown = re.findall(r'```yaml\n(tls_server_config:.*?)```', f.read(), re.DOTALL)
    cases.check([re.sub(r' +#.*', '', block) for block in shown] == [config], 'README.md shows the same configuration', shown)
    status, out, err = run(commands[0])
    cases.check(status == 0, 'the authority and certificates', out + err)
    shutil.copy(os.path.join(folder, 'ca.crt'), os.path.join(folder, 'clients-ca.crt'))
    line = 'prometheus:' + authority.SECRET
    if exporter.tool('htpasswd'):
        status, out, err = run(commands[1], b'secret\nsecret\n')
        line = out.strip()
        cases.check(status == 0 and line.startswith('prometheus:$2y$10$'), 'the password', out + err)
    else:
        cases.skip('no htpasswd')
    with open(os.path.join(folder, 'web.yml'), 'w', encoding='utf-8') as f:
        f.write(config.replace('prometheus: $2y$10$...', line.replace(':', ': ', 1)))
    with Web(folder) as web:
        with open(os.path.join(folder, '.curlrc'), 'w', encoding='utf-8') as f:
            f.write('connect-to = "host.example:9946:127.0.0.1:%d"\nsilent\nshow-error\n' % web.daemon.port)
        exporter.wait_for('listening', lambda: 'Listening on https' in web.log())
        status, out, err = run(commands[2], b'secret\n')
        cases.check(status == 0 and '\ndrive_exporter_build_info{' in out, 'the request', out[:500] + err)
        status, out, err = run(commands[2].replace('--cert client.crt --key client.key', ''), b'secret\n')
        cases.check(status != 0, 'and without the certificate', out[:500] + err)
    if exporter.tool('promtool'):
        with open(os.path.join(folder, 'password'), 'w', encoding='ascii') as f:
            f.write('secret')
        with open(os.path.join(folder, 'prometheus.yml'), 'w', encoding='utf-8') as f:
            f.write(re.findall(r'```yaml\n(scrape_configs:.*?)```', text, re.DOTALL)[0])
        status, out, err = run('promtool check config prometheus.yml')
        cases.check(status == 0, 'what Prometheus is told', out + err)
    else:
        cases.skip('no promtool')


def main():
    with tempfile.TemporaryDirectory() as folder:
        authority.make(folder)
        with open(os.path.join(folder, 'one.capture'), 'w', encoding='utf-8') as f:
            f.write(made.capture('sda', 'WEBTLS01', 0x5000c50000050000))
        with open(os.path.join(folder, 'web.yml'), 'w', encoding='utf-8') as f:
            f.write(TLS)
        with Web(folder) as web:
            for test in (each_type_lets_in_whom_it_says, who_is_refused_is_told_why, names_that_are_allowed, versions_have_their_bounds,
                         suites_and_curves_are_those_named, sessions_are_resumed, users_have_passwords,
                         who_tries_passwords_is_slowed_down, headers_are_sent_with_every_answer, requests_have_their_rate,
                         another_certificate, a_folder_behind_a_link, another_configuration):
                test(web)
            cases.check(web.ends_well(), 'after all of that it ends well', web.log())
        addresses_of_all_kinds(folder)
        mistakes_at_the_start(folder)
        promtool_agrees(folder)
        the_example_of_the_manual(folder)


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM), (exporter.tool('openssl'), 'no openssl'),
          (exporter.tool('curl'), 'no curl'))
