"""HTTP over plain sockets, for tests that say what they like and look at every byte that comes back. As a program

    web.py SIZE

it is the simplest server there is: it answers whatever it reads with so many bytes, so that a test knows what the machine and its
own client cost. Its first line of output is its port; it ends with its standard input."""

import collections
import re
import select
import socket
import struct
import sys
import time

STATUS_LINE = re.compile(rb'HTTP/1\.[01] ([1-5][0-9]{2}) [\x20-\x7e]*\Z')
FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e]*?)[ \t]*\Z")
WITHOUT_BODY = (204, 304)

PATIENCE_S = 3
CLOSED = 0                      # as a status: no answer, but the end

# headers: {lower-case name: value}; a header that comes twice is an error
Answer = collections.namedtuple('Answer', 'status headers body')


class BadAnswer(Exception):
    """What came is no HTTP, or not all of it."""


def parse_head(head):
    line, *fields = head.split(b'\r\n')
    status = STATUS_LINE.match(line)
    if not status:
        raise BadAnswer('not a status line: %r' % line[:80])
    headers = {}
    for field in fields:
        m = FIELD.match(field)
        name = m and m.group(1).decode('ascii').lower()
        if not m or name in headers:
            raise BadAnswer('not a header, or a second time: %r' % field[:80])
        headers[name] = m.group(2).decode('ascii')
    return int(status.group(1)), headers


def body_length(status, headers, is_head):
    if status < 200 or status in WITHOUT_BODY or is_head:
        return 0
    length = headers.get('content-length', '')
    if not length.isdigit():
        raise BadAnswer('an answer without a length: %r' % headers)
    return int(length)


def take_answer(data, is_head=False):
    """(answer, what follows it); (None, data) while there is more to come."""
    end = data.find(b'\r\n\r\n')
    if end < 0:
        return None, data
    status, headers = parse_head(bytes(data[:end]))
    begin = end + 4
    length = body_length(status, headers, is_head)
    if len(data) < begin + length:
        return None, data
    return Answer(status, headers, bytes(data[begin:begin + length])), data[begin + length:]


def take_answers(data):
    """All of a connection that has ended: (answers, what remains, which is the beginning of one)."""
    answers = []
    while data:
        answer, data = take_answer(data)
        if not answer:
            break
        answers.append(answer)
    return answers, data


def request(path='/metrics', method='GET', *fields):
    return ('%s %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n'
            % (method, path, ''.join(field + '\r\n' for field in fields))).encode('ascii')


class Client:
    """One connection that is kept."""

    def __init__(self, port, source='127.0.0.1', timeout_s=10):
        self.socket = socket.create_connection(('127.0.0.1', port), timeout=timeout_s, source_address=(source, 0))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b''

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def answer(self, is_head=False):
        """The next one. ConnectionError where the connection ends first."""
        parts, have, need = [self.rest], len(self.rest), 0
        while True:
            if have >= need:
                data = b''.join(parts)
                answer, self.rest = take_answer(data, is_head)
                if answer:
                    return answer
                parts, need = [data], self.needed(data, is_head)
            part = self.socket.recv(1 << 18)
            if not part:
                raise ConnectionError('ended after %d bytes of an answer' % have)
            parts.append(part)
            have += len(part)

    @staticmethod
    def needed(data, is_head):
        """How many bytes the answer has whose head is whole, so that its body is looked at but once."""
        end = data.find(b'\r\n\r\n')
        return end + 4 + body_length(*parse_head(data[:end]), is_head) if end >= 0 else 0

    def ask(self, what, is_head=False):
        self.socket.sendall(what)
        return self.answer(is_head)


# From connecting to asking. A server that is full gives up who takes long to ask.
PROMPT_S = 0.005


class Scraper:
    """An honest client: scrapes in turn over a connection that it keeps, and over a new one. What was kept and is found closed is
    opened anew and asked again once, as Prometheus does. Where the machine held it up between connecting and asking, its
    being refused is told apart."""

    def __init__(self, port, *fields, source='127.0.0.1'):
        self.port, self.source = port, source
        self.request = request('/metrics', 'GET', *fields)
        self.kept, self.count = None, 0
        self.seconds, self.refused, self.held_up, self.reopened = [], [], 0, 0
        self.is_prompt = True

    def open(self):
        """A connection that has asked."""
        began = time.perf_counter()
        client = Client(self.port, self.source)
        client.socket.sendall(self.request)
        self.is_prompt = time.perf_counter() - began < PROMPT_S
        return client

    def ask_new(self):
        with self.open() as client:
            return client.answer()

    def ask_kept(self):
        if self.kept:
            try:
                return self.kept.ask(self.request)
            except ConnectionError:
                self.reopened += 1
                self.kept.close()
        self.kept = self.open()
        return self.kept.answer()

    def scrape(self):
        """The answer, or None where there was none, or one that is no 200."""
        self.count += 1
        began, answer = time.perf_counter(), None
        try:
            answer = self.ask_new() if self.count % 2 else self.ask_kept()
            why = None if answer.status == 200 else 'status %d' % answer.status
        except (OSError, BadAnswer) as error:
            why, self.kept = '%s: %s' % (type(error).__name__, error), None
        if not why:
            self.seconds.append(time.perf_counter() - began)
        elif answer or self.is_prompt:
            self.refused.append(why)
        else:
            self.held_up += 1
        return None if why else answer

    def close(self):
        if self.kept:
            self.kept.close()
            self.kept = None


def once_only(data, counts):
    """libmicrohttpd 0.9.75 sends the head of what it answers to some headers, as a bad Content-Length, twice, and then ends the
    connection. That is for the library to mend; it is counted."""
    head, end, rest = data.partition(b'\r\n\r\n')
    if not re.match(rb'HTTP/1\.1 4[0-9]{2} ', head) or b'\r\nConnection: close' not in head or not rest.startswith(head[:12]):
        return data
    counts['head twice'] += 1
    return rest


class Exchange:
    """One connection, these bytes, and what comes back. The server need not see at once that we have no more to say; who has not
    been answered after a moment is looked at later."""

    def __init__(self, port, kind, data, pieces=1, is_aborted=False):
        self.kind, self.data, self.got, self.is_cut, self.is_over = kind, data, b'', is_aborted, False
        self.client = Client(port, timeout_s=PATIENCE_S)
        self.send(pieces)
        if is_aborted:
            self.close()

    def send(self, pieces):
        step = max(1, -(-len(self.data) // pieces))
        try:
            for at in range(0, len(self.data), step):
                self.client.socket.sendall(self.data[at:at + step])
            self.client.socket.shutdown(socket.SHUT_WR)
        except socket.timeout:
            raise
        except OSError:         # it was refused before its end
            pass

    def read(self, patience_s):
        """Whether the connection has ended."""
        if not self.is_over:
            self.client.socket.settimeout(patience_s)
            try:
                while part := self.client.socket.recv(1 << 18):
                    self.got += part
                self.close()
            except (socket.timeout, BlockingIOError):
                pass
            except ConnectionError:
                self.is_cut = True
                self.close()
        return self.is_over

    def close(self):
        """Where the server has not ended it, with a reset: libmicrohttpd need not see an end that came together with a request."""
        if not self.is_over:
            self.client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        self.client.close()
        self.is_over = True

    def status(self):
        """Of the first answer; CLOSED; or None while it waits."""
        answers, _ = take_answers(self.got)
        return answers[0].status if answers else CLOSED if self.is_over else None

    def is_half(self):
        try:
            return bool(take_answers(self.got)[1])
        except BadAnswer:
            return False

    def wrong(self, counts):
        """What is wrong with the answers, or None."""
        try:
            answers, rest = take_answers(once_only(self.got, counts))
        except BadAnswer as error:
            return '%s: %s: %r' % (self.kind, error, self.data[:200])
        counts.update(a.status for a in answers)
        counts['no answer, but the end' if self.is_over else 'kept waiting'] += not answers
        if rest and not self.is_cut:
            return '%s: half an answer: %r to %r' % (self.kind, rest[:100], self.data[:200])
        wrong = [a.status for a in answers if not (a.status == 100 or 200 <= a.status < 300 or 400 <= a.status < 600)]
        return '%s: status %s to %r' % (self.kind, wrong, self.data[:200]) if wrong else None


def serve_simply(size):
    answer = b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n' % size + b'x' * size
    listener = socket.create_server(('127.0.0.1', 0))
    print(listener.getsockname()[1], flush=True)
    connections = []
    while True:
        ready, _, _ = select.select([sys.stdin, listener, *connections], [], [])
        for who in ready:
            if who is sys.stdin:
                return
            if who is listener:
                connections.append(listener.accept()[0])
            elif who.recv(65536):
                who.sendall(answer)
            else:
                connections.remove(who)
                who.close()


if __name__ == '__main__':
    serve_simply(int(sys.argv[1]))
