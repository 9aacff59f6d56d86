"""Starts and stops the programs under test, and reads what they serve. For all tests that are written in Python.

    with Exporter('--replay=x.capture') as exporter:
        metrics = exporter.metrics()
        metrics.value('drive_up', drive='...')
"""

import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

sys.dont_write_bytecode = True

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get('top_srcdir') or os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get('top_builddir') or os.path.join(SOURCE, 'build')
CAPTURES = os.path.join(SOURCE, 'tests', 'captures')
PROGRAM = os.path.join(BUILD, 'drive_exporter')

# A test must not wait for ever; with sanitizers everything takes its time.
PATIENCE_S = 30


def shared(*parts):
    """A path in the folder `shared` that lies beside the sources of those who develop this, or None."""
    top = os.environ.get('SHARED') or os.path.join(SOURCE, '..', 'shared')
    path = os.path.realpath(os.path.join(top, *parts))
    return path if os.path.exists(path) else None


def tool(name):
    """Where a program is, or None; smartctl and nvme live in sbin, which is not on everybody's path."""
    return shutil.which(name, path=os.environ.get('PATH', '') + ':/usr/sbin:/sbin')


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def wait_for(what, condition, patience_s=PATIENCE_S, pause_s=0.05):
    """What condition() returns once that is true; AssertionError if it never is."""
    end = time.monotonic() + patience_s
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError('%s: not within %g s' % (what, patience_s))
        time.sleep(pause_s)


# ---- the text format

SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)\Z', re.DOTALL)
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|\Z)')


class Metrics:
    """A text in the format 0.0.4, read strictly: ValueError on whatever breaks its rules."""

    def __init__(self, text):
        self.text, self.samples, self.types, self.help = text, [], {}, {}
        seen, family = set(), None
        if text and not text.endswith('\n'):
            raise ValueError('the last line has no end')
        for number, line in enumerate(text.split('\n')[:-1], 1):
            if line.startswith('# '):
                kind, name, rest = line[2:].split(' ', 2)
                table = {'HELP': self.help, 'TYPE': self.types}[kind]
                if name in table:
                    raise ValueError('line %d: a second %s of %s' % (number, kind, name))
                table[name], family = rest, name
                continue
            name, labels, value = self.sample(number, line)
            if not name.startswith(family or '\0'):
                raise ValueError('line %d: %s stands apart from its TYPE' % (number, name))
            series = name, tuple(sorted(labels.items()))
            if series in seen:
                raise ValueError('line %d: a second time: %s' % (number, line))
            seen.add(series)
            self.samples.append((name, labels, value))

    @staticmethod
    def sample(number, line):
        m = SAMPLE.match(line)
        if not m:
            raise ValueError('line %d: not a sample: %s' % (number, line))
        labels, at, text = {}, 0, m.group(2) or ''
        while at < len(text):
            label = LABEL.match(text, at)
            if not label or label.group(1) in labels:
                raise ValueError('line %d: bad labels: %s' % (number, line))
            labels[label.group(1)] = re.sub(r'\\(.)', lambda e: '\n' if e.group(1) == 'n' else e.group(1), label.group(2))
            at = label.end()
        float(m.group(3))
        return m.group(1), labels, m.group(3)

    def all(self, name, /, **labels):
        """(labels, value) of the series with that name and at least these labels."""
        return [(have, float(value)) for n, have, value in self.samples
                if n == name and labels.items() <= have.items()]

    def value(self, name, /, **labels):
        """The value of the one such series; None where there is none, ValueError where there are several."""
        found = self.all(name, **labels)
        if len(found) > 1:
            raise ValueError('%s%r: %d series' % (name, labels, len(found)))
        return found[0][1] if found else None

    def drives(self):
        return sorted({labels['drive'] for _, labels, _ in self.samples if 'drive' in labels})


def once(*flags, timeout=PATIENCE_S, check=None):
    """What `drive_exporter once` prints and its exit status."""
    done = subprocess.run([PROGRAM, 'once', *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout)
    if check is not None and done.returncode != check:
        raise AssertionError('once %s: exit status %d: %s' % (' '.join(flags), done.returncode,
                                                              done.stderr.decode('utf-8', 'replace')))
    return done.stdout.decode('utf-8'), done.returncode


class Exporter:
    """A serving drive_exporter, on a port of its own unless the flags name one. Use it as a context manager."""

    def __init__(self, *flags, prefix=(), environment=None, wait=True):
        self.port = free_port()
        self.flags = list(flags)
        if not any(f.startswith('--web.listen-address') for f in flags):
            self.flags.append('--web.listen-address=127.0.0.1:%d' % self.port)
        self.prefix, self.environment, self.wait = list(prefix), environment, wait
        self.log, self.process, self.url, self.listening_s = [], None, None, None

    def __enter__(self):
        self.started = time.monotonic()
        self.process = subprocess.Popen([*self.prefix, PROGRAM, *self.flags], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        env=dict(os.environ, **(self.environment or {})))
        self.reader = threading.Thread(target=self.read_log, daemon=True)
        self.reader.start()
        if self.wait:
            try:
                wait_for('listening', self.is_listening, pause_s=0.005)
            except AssertionError:
                self.stop()
                raise
        return self

    def __exit__(self, *_):
        self.stop()

    def read_log(self):
        for line in self.process.stderr:
            text = line.decode('utf-8', 'replace').rstrip('\n')
            self.log.append(text)
            m = re.search(r'Listening on (http://\S+)', text)
            if m:
                self.url = m.group(1)

    def is_listening(self):
        """By its word, or, where the log level keeps that back, because it takes connections."""
        if self.process.poll() is not None:
            self.reader.join(1)
            raise AssertionError('it ended with status %d: %s' % (self.process.returncode, '\n'.join(self.log)))
        if not self.url:
            with socket.socket() as s:
                if s.connect_ex(('127.0.0.1', self.port)) == 0:
                    self.url = 'http://127.0.0.1:%d/metrics' % self.port
        if self.url and not self.listening_s:
            self.listening_s = time.monotonic() - self.started
        return self.url

    def stop(self, patience_s=PATIENCE_S):
        """Ends it with SIGTERM. Returns how many seconds that took, and its exit status."""
        if self.process.poll() is not None:
            return 0.0, self.process.returncode
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(patience_s)
        return time.monotonic() - began, self.process.returncode

    def get(self, path='/metrics', method='GET', headers=None):
        """(status, headers, body) of a request."""
        base = re.match(r'http://[^/]+', self.url).group(0)
        request = urllib.request.Request(base + path, method=method, headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()
        except (OSError, http.client.HTTPException) as error:
            time.sleep(1)       # its last words
            raise AssertionError('%s %s: %s; exit status %s\n%s' % (method, path, error, self.process.poll(),
                                                                  '\n'.join(self.log[-100:]))) from None

    def scrape(self):
        status, _, body = self.get(re.sub(r'http://[^/]+', '', self.url) or '/metrics')
        if status != 200:
            raise AssertionError('scrape: HTTP status %d' % status)
        return body.decode('utf-8')

    def metrics(self):
        return Metrics(self.scrape())

    def wait_until(self, what, condition, patience_s=PATIENCE_S):
        """Scrapes until condition(metrics) is true, and returns those metrics."""
        def attempt():
            metrics = self.metrics()
            return metrics if condition(metrics) else None
        return wait_for(what, attempt, patience_s)

    def wait_for_visits(self, drives, patience_s=PATIENCE_S):
        """Until that many drives are up."""
        return self.wait_until('%d drives up' % drives,
                               lambda m: sum(v for _, v in m.all('drive_up')) >= drives, patience_s)
