#!/usr/bin/env python3
"""A real Prometheus scrapes by every way that the web side offers: plain, IPv6, TLS with certificates, passwords. Where it must not
get in, it says why."""

import http.client
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import authority
import cases
import exporter
import made

SCRAPES = 4
UP, DOWN = 1, 0

TLS = 'tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n'
VERIFIED = TLS + '  client_ca_file: ca.crt\n  client_auth_type: RequireAndVerifyClientCert\n'
USERS = 'basic_auth_users:\n  prometheus: %s\n' % authority.SECRET

# Each way: scheme, which exporter, what Prometheus has to show, whether it gets in, and a word of why not
CERTIFICATE = '      cert_file: {0}.crt\n      key_file: {0}.key\n'
PASSWORD = '    basic_auth: { username: prometheus, password: %s }\n'
TRUSTED, DISTRUSTED = '    tls_config:\n      ca_file: ca.crt\n', '    tls_config:\n      ca_file: stranger_ca.crt\n'
JOBS = {
    'plain': ('http', 'recorded', '', UP, ''),
    'text': ('http', 'stripped', '', UP, ''),
    'ipv6': ('http', 'ipv6', '', UP, ''),
    'certificate': ('https', 'verified', TRUSTED + CERTIFICATE.format('good'), UP, ''),
    'no_certificate': ('https', 'verified', TRUSTED, DOWN, 'certificate required'),
    'strangers_certificate': ('https', 'verified', TRUSTED + CERTIFICATE.format('stranger'), DOWN, 'unknown certificate authority'),
    'expired_certificate': ('https', 'verified', TRUSTED + CERTIFICATE.format('expired'), DOWN, 'expired certificate'),
    'certificate_of_wrong_use': ('https', 'verified', TRUSTED + CERTIFICATE.format('wrong_use'), DOWN, 'unsupported certificate'),
    'server_distrusted': ('https', 'verified', DISTRUSTED + CERTIFICATE.format('good'), DOWN, 'certificate signed by unknown authority'),
    'no_tls': ('http', 'verified', '', DOWN, ''),
    'password': ('https', 'users', TRUSTED + PASSWORD % 'secret', UP, ''),
    'wrong_password': ('https', 'users', TRUSTED + PASSWORD % 'wrong', DOWN, '401 Unauthorized'),
    'no_password': ('https', 'users', TRUSTED, DOWN, '401 Unauthorized'),
}


class Recorder(http.server.ThreadingHTTPServer):
    """Hands requests on as they are, but for headers that are left out, and keeps the headers of question and answer."""
    daemon_threads = True

    def __init__(self, target_port, left_out=()):
        super().__init__(('127.0.0.1', 0), Hand)
        self.target_port, self.left_out, self.seen = target_port, left_out, []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Hand(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        upstream = http.client.HTTPConnection('127.0.0.1', self.server.target_port, timeout=10)
        headers = {name: value for name, value in self.headers.items() if name not in self.server.left_out}
        upstream.request('GET', self.path, headers=headers)
        answer = upstream.getresponse()
        body = answer.read()
        upstream.close()
        self.server.seen.append((dict(self.headers), dict(answer.getheaders())))
        self.send_response(answer.status)
        for name in ('Content-Type', 'Content-Encoding', 'Content-Length'):
            if answer.getheader(name):
                self.send_header(name, answer.getheader(name))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Prometheus:
    def __init__(self, folder, targets):
        self.port, self.log_path = exporter.free_port(), os.path.join(folder, 'log')
        with open(os.path.join(folder, 'prometheus.yml'), 'w', encoding='utf-8') as f:
            f.write('global: { scrape_interval: 1s, scrape_timeout: 1s }\nscrape_configs:\n')
            for job, (scheme, target, words, _, _) in JOBS.items():
                if target in targets:
                    f.write("  - job_name: %s\n    scheme: %s\n    static_configs: [ { targets: ['%s'] } ]\n%s"
                            % (job, scheme, targets[target], words))
        self.log_file = open(self.log_path, 'wb')
        self.process = subprocess.Popen(
            [exporter.tool('prometheus'), '--config.file=' + os.path.join(folder, 'prometheus.yml'),
             '--storage.tsdb.path=' + os.path.join(folder, 'tsdb'), '--web.listen-address=127.0.0.1:%d' % self.port],
            stdout=self.log_file, stderr=subprocess.STDOUT, cwd=folder)

    def get(self, path):
        with urllib.request.urlopen('http://127.0.0.1:%d%s' % (self.port, path), timeout=10) as answer:
            return json.loads(answer.read())['data']

    def by_job(self, query):
        """{job: value}; nothing while it does not answer yet"""
        try:
            found = self.get('/api/v1/query?' + urllib.parse.urlencode({'query': query}))['result']
        except OSError:
            return {}
        return {r['metric']['job']: float(r['value'][1]) for r in found}

    def last_errors(self):
        return {t['labels']['job']: t['lastError'] for t in self.get('/api/v1/targets')['activeTargets']}

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log_file.close()


def has_ipv6():
    try:
        with open('/proc/net/if_inet6', encoding='ascii') as f:
            return '00000000000000000000000000000001' in f.read()
    except OSError:
        return False


def try_jobs(prometheus, jobs):
    exporter.wait_for('%d scrapes of each' % SCRAPES, lambda: [
        n for n in [prometheus.by_job('count_over_time(up[5m])')] if len(n) == len(jobs) and min(n.values()) >= SCRAPES], pause_s=0.3)
    lowest, highest = (prometheus.by_job('%s_over_time(up[5m])' % f) for f in ('min', 'max'))
    errors = prometheus.last_errors()
    for job, (_, _, _, is_up, reason) in jobs.items():
        if is_up:
            cases.check(lowest[job] == UP and not errors[job], '%s: up at every scrape' % job, errors[job])
        else:
            cases.check(highest[job] == DOWN and errors[job] and reason in errors[job], '%s: never up, for: %s' % (job, reason or 'any reason'),
                        errors[job])
    samples = prometheus.by_job('scrape_samples_scraped')
    told = {job: samples[job] for job in jobs if jobs[job][3]}
    cases.check(min(told.values()) > 50 and max(told.values()) - min(told.values()) <= 5, 'all ways lead to the same samples', told)


def what_was_sent(recorder, stripped):
    question, answer = recorder.seen[-1]
    cases.check('gzip' in question.get('Accept-Encoding', '') and all(a.get('Content-Encoding') == 'gzip' for _, a in recorder.seen),
                'Prometheus asks for gzip, and gets it', (question, answer))
    if 'application/openmetrics-text' in question.get('Accept', ''):
        cases.check(answer.get('Content-Type', '').startswith('application/openmetrics-text; version=1.0.0'),
                    'it asks for OpenMetrics, and gets it', answer)
    else:
        cases.skip('this Prometheus does not ask for OpenMetrics')
    _, answer = stripped.seen[-1]
    cases.check('Content-Encoding' not in answer and answer['Content-Type'].startswith('text/plain; version=0.0.4'),
                'where it says nothing of what it takes, it gets text as it is', answer)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    return path


def main():
    with tempfile.TemporaryDirectory() as folder:
        authority.make(folder)
        capture = write(folder, 'one.capture', made.capture('sda', 'PROMWEB01', 0x5000c50000060000))
        flags = '--replay=' + capture, '--no-collector.history', '--no-collector.block', '--log.level=warn'
        plain = exporter.Exporter(*flags)
        verified = exporter.Exporter(*flags, '--web.config.file=' + write(folder, 'verified.yml', VERIFIED))
        users = exporter.Exporter(*flags, '--web.config.file=' + write(folder, 'users.yml', TLS + USERS))
        targets = {'verified': 'localhost:%d' % verified.port, 'users': 'localhost:%d' % users.port}
        if has_ipv6():
            port = exporter.free_port()
            plain.flags.append('--web.listen-address=[::1]:%d' % port)
            targets['ipv6'] = '[::1]:%d' % port
        else:
            cases.skip('no IPv6 here')
        with plain, verified, users:
            plain.wait_for_visits(1)
            recorder, stripped = Recorder(plain.port), Recorder(plain.port, ('Accept', 'Accept-Encoding'))
            targets['recorded'] = '127.0.0.1:%d' % recorder.server_address[1]
            targets['stripped'] = '127.0.0.1:%d' % stripped.server_address[1]
            prometheus = Prometheus(folder, targets)
            try:
                try_jobs(prometheus, {job: row for job, row in JOBS.items() if row[1] in targets})
                what_was_sent(recorder, stripped)
            finally:
                prometheus.stop()
                recorder.shutdown()
                stripped.shutdown()


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM), (exporter.tool('prometheus'), 'no prometheus'),
          (exporter.tool('openssl'), 'no openssl'))
