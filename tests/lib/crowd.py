"""Clients that nobody wants, thousands of them in one process:

    crowd.py PORT KIND=NUMBER...

opens so many connections of each kind, all at once, and each again a second or two after the server has ended it, until its standard
input ends. A line says when all have connected once; the last is JSON: how many were opened and ended by the server, and what answers came."""

import collections
import heapq
import json
import os
import random
import resource
import select
import socket
import sys
import time

TICK_S, SLOTS = 0.1, 10         # a byte each tick; the connections' ticks are spread over it
AGAIN_S = 1, 2                  # spread over that time: they are slow, not a flood
TCP_REPAIR = 19                 # closed under it, a socket is gone without a word to the other side

HEAD = b'GET /metrics HTTP/1.1\r\n' + b'X-Slow: yes\r\n' * 10000
ASKED = b'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'

# first: what is sent at once; step: so many bytes more of HEAD each tick; end: what is done after the first bytes
Kind = collections.namedtuple('Kind', 'first step end reads', defaults=(b'', 0, None, True))
KINDS = {
    'silent': Kind(),
    'trickle': Kind(step=1),
    'half_closed': Kind(first=HEAD[:40], end='shutdown'),
    'vanished': Kind(first=HEAD[:40], end='vanish'),
    'huge': Kind(first=HEAD[:24000], step=1000),
    'idle': Kind(first=ASKED.replace(b'/metrics', b'/-/healthy')),
    'unread': Kind(first=ASKED * 100, reads=False),       # more than the kernel holds for it
    'no_body': Kind(first=ASKED[:-2] + b'Content-Length: 5\r\n\r\n'),
}


class Member:
    def __init__(self, crowd, name):
        self.crowd, self.name, self.kind = crowd, name, KINDS[name]
        self.socket, self.sent, self.is_up = None, 0, False

    def open(self):
        self.socket = socket.socket()
        self.socket.settimeout(1)
        if not self.kind.reads:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.crowd.members[self.socket.fileno()] = self
        self.sent, self.is_up = 0, False
        self.socket.connect(('127.0.0.1', self.crowd.port))
        self.socket.setblocking(False)
        self.begin()

    def close(self, why):
        self.crowd.counts[why] += 1
        del self.crowd.members[self.socket.fileno()]
        self.socket.close()
        self.socket = None
        heapq.heappush(self.crowd.later, (time.monotonic() + self.crowd.random.uniform(*AGAIN_S), id(self), self))

    def begin(self):
        self.is_up = True
        self.crowd.counts['opened'] += 1
        self.crowd.waiting.discard(self)
        if self.kind.first:
            self.socket.send(self.kind.first)
        if self.kind.end == 'vanish' and self.vanish():
            return
        if self.kind.end == 'shutdown':
            self.socket.shutdown(socket.SHUT_WR)
        self.crowd.poll.register(self.socket, select.EPOLLRDHUP | (select.EPOLLIN if self.kind.reads else 0))

    def vanish(self):
        try:
            self.socket.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
        except OSError:         # that wants CAP_NET_ADMIN; without, it is silent
            return False
        self.close('vanished')
        return True

    def read(self):
        data = self.socket.recv(1 << 16)
        if not data:
            return self.close('ended')
        if data.startswith(b'HTTP/1.'):
            self.crowd.counts['answered %s' % data[9:12].decode('ascii', 'replace')] += 1
        return None

    def tick(self):
        if self.is_up and self.socket:
            at = len(self.kind.first) + self.sent
            self.socket.send(HEAD[at:at + self.kind.step])
            self.sent += self.kind.step

    def safely(self, what, *args):
        try:
            what(*args)
        except BlockingIOError:
            pass
        except OSError:
            self.close('ended' if self.is_up else 'refused')

    def handle(self, events):
        if events & select.EPOLLIN:
            self.safely(self.read)
        else:
            self.close('ended')


class Crowd:
    def __init__(self, port, numbers):
        self.port, self.poll, self.members = port, select.epoll(), {}
        self.later, self.counts, self.random = [], collections.Counter(), random.Random(1)
        self.all = [Member(self, name) for name, number in numbers.items() for _ in range(number)]
        self.waiting = set(self.all)
        stepping = [m for m in self.all if m.kind.step]
        self.slots = [stepping[n::SLOTS] for n in range(SLOTS)]

    def open_again(self):
        while self.later and self.later[0][0] <= time.monotonic():
            member = heapq.heappop(self.later)[2]
            member.safely(member.open)

    def run(self):
        self.poll.register(0, select.EPOLLIN)
        for member in self.all:
            member.safely(member.open)
        is_told, slot, due = False, 0, time.monotonic()
        while True:
            for fd, events in self.poll.poll(max(0, due - time.monotonic())):
                if fd == 0:
                    return
                if fd in self.members:
                    self.members[fd].handle(events)
            if time.monotonic() >= due:
                for member in self.slots[slot]:
                    member.safely(member.tick)
                slot, due = (slot + 1) % SLOTS, max(due + TICK_S / SLOTS, time.monotonic())
                self.open_again()
            if not is_told and not self.waiting:
                is_told = True
                print('all have connected', flush=True)


def main(port, *numbers):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    os.nice(19)                 # a crowd elsewhere would not take the exporter's processor
    crowd = Crowd(int(port), {name: int(number) for name, number in (word.split('=') for word in numbers)})
    crowd.run()
    print(json.dumps(crowd.counts), flush=True)
    os._exit(0)                 # the kernel closes thousands of sockets faster


if __name__ == '__main__':
    main(*sys.argv[1:])
