#!/usr/bin/env python3
"""The web side under abuse: thousands of slow connections, thousands of wrong passwords, thousands of broken requests. Beside
them an honest client scrapes, and must not notice."""

import base64
import collections
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import broken_requests
import cases
import exporter
import web
from honest import Program, Watch, cpu_seconds, descriptors, ms, pss_kib, step_forward

DRIVES = 24
CONNECTIONS_MAX, CONNECTION_KIB = 256, 36       # src/http/driver.h, driver.c
HEAD_S = 10                                     # src/http/crowd.c
BESIDE_KIB = 2048                               # what a connection has beside its own memory
ANSWERS_KIB = 40 * 512                          # --web.max-requests of the largest that are in one place (answer.c)

SLOW = {'silent': 450, 'trickle': 600, 'half_closed': 200, 'vanished': 50, 'huge': 300, 'idle': 400}
UNREAD = {'unread': 400, 'silent': 800, 'trickle': 800}
NO_BODY = {'no_body': 400, 'silent': 800, 'trickle': 800}
CROWD_S = 5

FLAGS = ('--log.level=warn', '--poll.interval=1h', '--no-collector.history')


def copy_captures(folder):
    names = sorted(n for n in os.listdir(exporter.CAPTURES) if n.endswith('.capture'))
    for name in names[:DRIVES]:
        os.symlink(os.path.join(exporter.CAPTURES, name), os.path.join(folder, name))
    return folder


def serve(folder, *flags):
    return exporter.Exporter('--replay=' + folder, *FLAGS, *flags)


# ---- slow connections

class Crowded:
    """The exporter before, in and after a crowd."""

    def __init__(self, pid):
        self.pid, self.base_kib, self.base_descriptors = pid, pss_kib(pid), descriptors(pid)
        self.most_kib, self.most_descriptors, self.looked = self.base_kib, self.base_descriptors, 0

    def look(self):
        if time.monotonic() - self.looked < 0.2:
            return
        self.most_kib = max(self.most_kib, pss_kib(self.pid))
        self.most_descriptors = max(self.most_descriptors, descriptors(self.pid))
        self.looked = time.monotonic()

    def judge(self, beside, more_kib):
        bound = self.base_kib + CONNECTIONS_MAX * CONNECTION_KIB + BESIDE_KIB + more_kib
        print('# memory (PSS): %d KiB before, %d KiB at most, bound %d KiB (%d connections of %d KiB and %d KiB); descriptors: %d before, %d at most'
              % (self.base_kib, self.most_kib, bound, CONNECTIONS_MAX, CONNECTION_KIB, BESIDE_KIB + more_kib, self.base_descriptors, self.most_descriptors))
        cases.check(self.most_kib <= bound, 'memory stays below its bound beside ' + beside, '%d KiB' % self.most_kib)
        cases.check(self.most_descriptors <= self.base_descriptors + CONNECTIONS_MAX + 1, 'and so do descriptors', self.most_descriptors)

    def judge_after(self, beside):
        """libmicrohttpd does not see every end that comes together with what is before it; those connections go when their time is over."""
        try:
            exporter.wait_for('descriptors', lambda: descriptors(self.pid) <= self.base_descriptors, HEAD_S + 2)
            gone = True
        except AssertionError:
            gone = False
        cases.check(gone, 'and all connections are closed when it leaves: ' + beside, '%d descriptors' % descriptors(self.pid))
        after = pss_kib(self.pid)
        # The allocator keeps some of what was given back.
        cases.check(after <= self.base_kib + (self.most_kib - self.base_kib) // 2 + 1024, 'and its memory is given back', '%d KiB' % after)
        print('# afterwards %d KiB, %d descriptors' % (after, descriptors(self.pid)))


def a_crowd(daemon, numbers):
    pid = daemon.process.pid
    beside = '%d slow connections (%s)' % (sum(numbers.values()), ', '.join('%d %s' % (n, kind) for kind, n in numbers.items()))
    with Watch(daemon) as watch:
        watch.scrape_for(1)
        watch.forget()
        crowded, cpu = Crowded(pid), cpu_seconds(pid)
        with Program('crowd.py', daemon.port, *('%s=%d' % pair for pair in numbers.items())) as crowd:
            came = []
            threading.Thread(target=lambda: came.append(crowd.line()), daemon=True).start()
            watch.scrape_for(CROWD_S, crowded.look)
            cpu = cpu_seconds(pid) - cpu
            counts = json.loads(crowd.end())
        print('# %s' % ', '.join('%d %s' % (n, what) for what, n in sorted(counts.items())))
        print('# the exporter used %.2f s of processor time in %d s' % (cpu, CROWD_S))
        cases.check(came and counts['opened'] >= sum(numbers.values()), 'all of the crowd have connected', counts)
        watch.judge(beside, is_flood=numbers is UNREAD)
        crowded.judge(beside, ANSWERS_KIB if numbers is UNREAD else 0)
    crowded.judge_after(beside)
    cases.check(daemon.process.poll() is None, 'the exporter lives on')


def times_end_tricklers(daemon):
    """Whether a byte comes now and then or none at all, the head of a request has its time and no more."""
    began = time.monotonic()
    clients = {web.Client(daemon.port).socket: kind for kind in ('silent', 'trickle', 'torn', 'half-closed') * 2}
    for s, kind in clients.items():
        if kind in ('torn', 'half-closed'):
            s.sendall(b'GET /metrics HTTP/1.1\r\nHost: ')
        if kind == 'half-closed':
            s.shutdown(socket.SHUT_WR)
        s.setblocking(False)
    ended = {}
    while len(ended) < len(clients) and time.monotonic() < began + 2 * HEAD_S:
        for s in clients.keys() - ended.keys():
            try:
                if clients[s] == 'trickle':
                    s.send(b'G')
                is_over = not s.recv(1)
            except BlockingIOError:
                is_over = False
            except ConnectionError:
                is_over = True
            if is_over:
                ended[s] = time.monotonic() - began
        time.sleep(0.1)
    for s in clients:
        s.close()
    said = ', '.join('%s %.1f s' % (clients[s], t) for s, t in ended.items())
    print('# ended: ' + said)
    cases.check(len(ended) == len(clients) and all(t < HEAD_S + 1 and (t > HEAD_S - 0.2 or clients[s] == 'half-closed') for s, t in ended.items()),
                'who sends no whole head is ended after %d s, byte by byte or silent' % HEAD_S, said)


def slow_connections(folder):
    for numbers in (SLOW, NO_BODY, UNREAD):
        with serve(folder) as daemon:
            scraper = web.Scraper(daemon.port)
            settle(scraper)
            scraper.close()
            a_crowd(daemon, numbers)
            if numbers is SLOW:
                times_end_tricklers(daemon)


# ---- wrong passwords

WRONG = 10000
GUESSERS = 16
USER, PASSWORD = 'prometheus', 'correct horse'
HASH = '$2b$10$gqnIXSTm5WZ1CwABF.JbA.u.da8Kexsxxc6JrdKeiUMtnB78Skupa'
# Tries that come to bcrypt, by docs/web-config.md: so many at once, then so many a second
BCRYPT_BURST, BCRYPT_RATE = 24, 4
REQUEST_S, SCRAPE_S = 0.0003, 0.010     # of processor time, to refuse one, and for an honest scrape

WEB_CONFIG = 'basic_auth_users:\n  %s: %s\n'


def basic(user, password):
    return 'Authorization: Basic ' + base64.b64encode(('%s:%s' % (user, password)).encode('utf-8')).decode('ascii')


def guess(port, number, count, statuses, errors):
    """One who guesses, from an address of his own or from that of the honest client."""
    source = '127.0.0.%d' % (1 + number % 8)
    client = None
    for n in range(count):
        try:
            client = client or web.Client(port, source)
            statuses[client.ask(web.request('/metrics', 'GET', basic(USER, 'guess %d %d' % (number, n)))).status] += 1
        except (OSError, web.BadAnswer) as error:
            errors[type(error).__name__] += 1
            client = None


def guessers(port):
    """In a process of its own: its last line is what they were answered."""
    statuses, errors = collections.Counter(), collections.Counter()
    threads = [threading.Thread(target=guess, args=(port, n, WRONG // GUESSERS, statuses, errors)) for n in range(GUESSERS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(json.dumps([statuses, errors]))


def has_flag(flag):
    return flag in subprocess.run([exporter.PROGRAM, '--help'], stdout=subprocess.PIPE, timeout=30).stdout.decode('utf-8')


def password_seconds(pid, port):
    """Processor time of the first try of a wrong password, which no cache knows."""
    before, answers = cpu_seconds(pid), []
    for n in range(4):
        with web.Client(port, '127.0.1.%d' % (n + 1)) as client:
            answers.append(client.ask(web.request('/metrics', 'GET', basic(USER, 'calibration %d' % n))))
    cases.check(all(a.status == 401 and a.headers.get('www-authenticate', '').startswith('Basic ') for a in answers),
                'a wrong password is answered with 401 and what is wanted', answers)
    return (cpu_seconds(pid) - before) / len(answers)


def wrong_passwords(folder):
    if not has_flag('--web.config.file'):
        cases.skip('wrong passwords: this exporter has no --web.config.file')
        return
    configuration = os.path.join(folder, 'web.yml')
    with open(configuration, 'w', encoding='utf-8') as f:
        f.write(WEB_CONFIG % (USER, HASH))
    with serve(os.path.join(folder, 'captures'), '--web.config.file=' + configuration) as daemon:
        pid, right = daemon.process.pid, basic(USER, PASSWORD)
        honest = web.Scraper(daemon.port, right)
        exporter.wait_for('drives up', lambda: (honest.scrape() or web.Answer(0, {}, b'')).body.count(b'\ndrive_up{') >= DRIVES)
        honest.close()
        each_s = password_seconds(pid, daemon.port)
        with Watch(daemon, right) as watch:
            watch.forget()
            began, cpu = time.monotonic(), cpu_seconds(pid)
            process = subprocess.Popen([sys.executable, os.path.abspath(__file__), '--guess', str(daemon.port)], stdout=subprocess.PIPE)
            watch.scrape_until(lambda: process.poll() is not None)
            took, cpu = time.monotonic() - began, cpu_seconds(pid) - cpu
            statuses, errors = json.loads(process.stdout.read())
            scrapes = len(watch.scraper.seconds)
            watch.judge('%d wrong passwords' % WRONG)
        bcrypts = BCRYPT_BURST + BCRYPT_RATE * took + 1
        bound = bcrypts * each_s * 1.5 + WRONG * REQUEST_S + scrapes * SCRAPE_S
        print('# answers to %d wrong passwords in %.1f s: %s, %s; %.2f s of processor time, bound %.2f s; one bcrypt takes %s'
              % (WRONG, took, statuses, errors or 'no errors', cpu, bound, ms(each_s)))
        cases.check(set(statuses) <= {'401', '429'} and not errors and sum(statuses.values()) == WRONG // GUESSERS * GUESSERS,
                    'every wrong password is answered with 401 or 429', (statuses, errors))
        cases.check(statuses.get('401', 0) <= bcrypts, 'no more of them come to bcrypt than the rates let through', statuses)
        cases.check(cpu <= bound, 'and processor time is bounded', '%.2f s of %.2f s' % (cpu, bound))


# ---- broken requests

SEED, BROKEN = 20, 4400
MOMENT_S, WAITING_MAX = 0.02, 20
REFUSED = {web.CLOSED, 400, 405, 413, 414, 431, 501, 505}
LIVE = re.compile(rb'^(?:# (?:HELP|TYPE) )?(?:drive_exporter_|process_).*\n', re.M)

CLOSING = b' HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
FIXED = [
    ('a version to come', b'GET /metrics HTTP/9.9\r\nHost: x\r\n\r\n', REFUSED),
    ('HTTP/0.9', b'GET /metrics\r\n\r\n', REFUSED),
    ('the preface of HTTP/2', broken_requests.H2_PREFACE, REFUSED),
    ('a hello of TLS', broken_requests.CLIENT_HELLO, REFUSED),
    ('a negative length', b'GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', REFUSED),
    ('a length that is no number', b'POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n', REFUSED),
    ('a header of a megabyte', b'GET /metrics HTTP/1.1\r\nHost: x\r\nX: ' + b'h' * (1 << 20) + b'\r\n\r\n', REFUSED),
    ('a URL of 100 KB', b'GET /' + b'u' * 100000 + b' HTTP/1.1\r\nHost: x\r\n\r\n', REFUSED),
    ('257 of name[]', b'GET /metrics?' + b'name[]=drive_up&' * 257 + CLOSING, {400}),
    ('257 of collect[]', b'GET /metrics?' + b'collect[]=block&' * 257 + CLOSING, {400}),
    ('900 arguments', b'GET /?' + b'a&' * 900 + b' HTTP/1.1\r\nHost: x\r\n\r\n', REFUSED),
    ('a Range', b'GET /metrics HTTP/1.1\r\nHost: x\r\nRange: bytes=0-9\r\nConnection: close\r\n\r\n', {200}),
]


def steady(body):
    return LIVE.sub(b'', body)


def exchange_broken(port, judge):
    """Some are left open for a while, so that the server has others beside them."""
    r, waiting = random.Random(SEED), collections.deque()
    for kind, data in broken_requests.broken_requests(SEED, BROKEN):
        e = web.Exchange(port, kind, data, r.choice([1, 1, 2, 5]), r.random() < 0.05)
        if e.read(MOMENT_S):
            judge(e)
            continue
        waiting.append(e)
        if len(waiting) > WAITING_MAX:
            judge(waiting.popleft())
    for e in waiting:
        judge(e)


def broken(daemon):
    counts, wrong, began = collections.Counter(), [], time.monotonic()

    def judge(e):
        e.read(web.PATIENCE_S if e.is_half() else 0)
        wrong.append(e.wrong(counts))
        e.close()
    exchange_broken(daemon.port, judge)
    wrong = list(filter(None, wrong))
    print('# %d broken requests in %.1f s: %s' % (BROKEN, time.monotonic() - began, dict(sorted(counts.items(), key=str))))
    cases.check(not wrong, 'whatever is answered to broken requests is HTTP, and an answer or an error', '%d\n%s' % (len(wrong), '\n'.join(wrong[:10])))


def refused(daemon):
    """Those that must not be taken for something else."""
    open_ones = {what: web.Exchange(daemon.port, what, data) for what, data, _ in FIXED}
    end = time.monotonic() + HEAD_S + 1
    for what, _, statuses in FIXED:
        e = open_ones[what]
        e.read(max(0.01, end - time.monotonic()))
        cases.check(e.is_over and e.status() in statuses and not e.wrong(collections.Counter()),
                    '%s: %s' % (what, ' or '.join(str(s or 'the end') for s in sorted(statuses))), (e.is_over, e.got[:200]))
        e.close()


def head_is_get(daemon):
    for path in ('/', '/metrics', '/-/healthy', '/-/ready', '/none'):
        with web.Client(daemon.port) as client:
            got, head = client.ask(web.request(path)), client.ask(web.request(path, 'HEAD'), is_head=True)
            after = client.ask(web.request('/-/healthy'))       # a body would stand before it
        own = ('date', 'content-length')
        same = {k: v for k, v in got.headers.items() if k not in own} == {k: v for k, v in head.headers.items() if k not in own}
        cases.check(same and got.status == head.status and got.headers.keys() == head.headers.keys() and after.status == 200,
                    'HEAD %s is GET without the body' % path, (got.headers, head.headers))


def good_manners(daemon):
    head_is_get(daemon)
    with web.Client(daemon.port) as client:
        whole, part = client.ask(web.request()), client.ask(web.request('/metrics', 'GET', 'Range: bytes=0-9'))
        cases.check(part.status == 200 and steady(part.body) == steady(whole.body) and 'content-range' not in part.headers, 'Range is not heeded')
    with web.Client(daemon.port) as client:
        statuses = collections.Counter(client.ask(web.request()).status for _ in range(100))
        cases.check(statuses == {200: 100}, 'a connection serves 100 requests', statuses)
    paths = ['/-/healthy', '/metrics', '/none', '/'] * 5
    with web.Client(daemon.port) as client:
        client.socket.sendall(b''.join(web.request(path) for path in paths))
        statuses = [client.answer().status for _ in paths]
        cases.check(statuses == [200, 200, 404, 200] * 5, '20 requests that come at once are answered in order', statuses)


def settle(scraper):
    """Until all drives have been read, and nothing changes any more."""
    def is_steady():
        before = scraper.scrape()
        time.sleep(1)
        return steady(scraper.scrape().body) == steady(before.body)
    exporter.wait_for('the first readings', is_steady)


def broken_requests_and_others(folder):
    with serve(folder) as daemon:
        pid, honest = daemon.process.pid, web.Scraper(daemon.port)
        settle(honest)
        good_manners(daemon)
        before, base = honest.scrape(), descriptors(pid)
        kib = pss_kib(pid)
        broken(daemon)
        refused(daemon)
        after = honest.scrape()
        cases.check(daemon.process.poll() is None, 'the exporter lives on')
        cases.check(before and after and steady(before.body) == steady(after.body), 'and tells the same as before')
        time.sleep(0.5)
        cases.check(descriptors(pid) <= base, 'no descriptor is left over', '%d, then %d' % (base, descriptors(pid)))
        print('# memory (PSS): %d KiB before, %d KiB after' % (kib, pss_kib(pid)))
        honest.close()


def main():
    step_forward()
    with tempfile.TemporaryDirectory() as folder:
        captures = os.path.join(folder, 'captures')
        os.mkdir(captures)
        copy_captures(captures)
        broken_requests_and_others(captures)
        wrong_passwords(folder)
        slow_connections(captures)


if sys.argv[1:2] == ['--guess']:
    guessers(int(sys.argv[2]))
else:
    cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM))
