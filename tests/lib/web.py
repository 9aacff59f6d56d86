"""HTTP over plain sockets, for tests that say what they like and look at every byte that comes back. As a program

    web.py SIZE

it is the simplest server there is: it answers whatever it reads with so many bytes, so that a test knows what the machine and its
own client cost. Its first line of output is its port; it ends with its standard input."""

import collections
import re
import select
import socket
import sys
import time

STATUS_LINE = re.compile(rb'HTTP/1\.[01] ([1-5][0-9]{2}) [\x20-\x7e]*\Z')
FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e]*?)[ \t]*\Z")
WITHOUT_BODY = (204, 304)

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
        self.seconds.append(time.perf_counter() - began)
        if why and (answer or self.is_prompt):
            self.refused.append(why)
        elif why:
            self.held_up += 1
        return None if why else answer

    def close(self):
        if self.kept:
            self.kept.close()
            self.kept = None


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
