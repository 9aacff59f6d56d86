#!/usr/bin/env python3
"""fd-nvmetcp answers a host that speaks NVMe/TCP as the kernel does: Identify and logs are the capture's, with what
Fabrics wants of a controller; a hang holds up one queue; a drive that is pulled hangs up."""

import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]

import cases
import exporter
import host as rig

ICREQ, ICRESP, COMMAND, RESPONSE, C2H_DATA = 0, 1, 4, 5, 7
FABRICS, IDENTIFY, GET_LOG_PAGE = 0x7f, 0x06, 0x02
NAME = 'nvme_intel_p4510'


class Queue:
    """A queue of a host: one command at a time."""

    def __init__(self, port, nqn, number=0):
        self.socket = socket.create_connection(('127.0.0.1', port), timeout=10)
        self.socket.sendall(bytes([ICREQ, 0, 128, 0]) + struct.pack('<I', 128) + bytes(120))
        if self.receive(128)[0] != ICRESP:
            raise ValueError('no ICResp')
        connect = bytearray(64)
        connect[0], connect[4] = FABRICS, 1
        connect[42:46] = struct.pack('<HH', number, 31)
        data = bytearray(1024)
        data[256:256 + len(nqn)] = nqn.encode('ascii')
        self.status, self.controller, _ = self.ask(bytes(connect), bytes(data))

    def receive(self, n):
        data = b''
        while len(data) < n:
            part = self.socket.recv(n - len(data))
            if not part:
                raise ConnectionError('it hung up')
            data += part
        return data

    def send(self, sqe, data=b''):
        self.socket.sendall(bytes([COMMAND, 0, 72, 72 if data else 0]) + struct.pack('<I', 72 + len(data)) + sqe + data)

    def answer(self):
        """(status, result, data)"""
        data = b''
        while True:
            header = self.receive(8)
            body = self.receive(struct.unpack('<I', header[4:8])[0] - 8)
            if header[0] == RESPONSE:
                return struct.unpack('<H', body[14:16])[0] >> 1, struct.unpack('<I', body[0:4])[0], data
            if header[0] != C2H_DATA:
                raise ValueError('PDU %d' % header[0])
            data += body[16:]

    def ask(self, sqe, data=b''):
        self.send(sqe, data)
        return self.answer()


def command(opcode, nsid=0, dwords=(), length=0):
    sqe = bytearray(64)
    sqe[0], sqe[2] = opcode, 7
    sqe[4:8] = struct.pack('<I', nsid)
    sqe[32:36] = struct.pack('<I', length)
    for number, value in dwords:
        sqe[4 * number:4 * number + 4] = struct.pack('<I', value)
    return bytes(sqe)


def health():
    return command(GET_LOG_PAGE, 0xffffffff, [(10, 127 << 16 | 0x02)], 512)


def answers(queue, capture):
    node = next(n for n in capture.nodes if n.is_controller)
    identity, log = capture.answer('nvme-identify cns=01', node), capture.answer('nvme-log id=02', node)
    status, _, data = queue.ask(command(IDENTIFY, 0, [(10, 1)], 4096))
    cases.check(status == 0 and data[:76] == identity[:76] and len(data) == 4096,
                'Identify Controller is the capture\'s', data[:76])
    cases.check(data[78] == queue.controller and data[77] == 1 and struct.unpack('<II', data[1792:1800]) == (516, 1) and
                struct.unpack('<H', data[320:322])[0] > 0 and data[536] & 3, 'with what Fabrics wants', data[1792:1808])
    status, _, data = queue.ask(health())
    cases.check(status == 0 and data == log, 'and so is the health log', data[:16])
    status, _, data = queue.ask(command(IDENTIFY, 0, [(10, 2)], 4096))
    cases.check(status == 0 and data[:8] == struct.pack('<II', 1, 0), 'it lists its one namespace', data[:16])
    status, _, data = queue.ask(command(IDENTIFY, 1, [(10, 3)], 4096))
    cases.check(status == 0 and data[0] in (1, 2, 3) and data[1] in (8, 16), 'which has a name', data[:24])
    status, _, _ = queue.ask(command(GET_LOG_PAGE, 0xffffffff, [(10, 127 << 16 | 0xc5)], 512))
    cases.check(status & 0x7ff, 'a log that the capture lacks is refused', status)


def changes(port, path, nqn, queue):
    io = Queue(port, nqn, 1)
    cases.check(io.ask(command(0x02, 1, [(12, 7)], 4096)) == (0, 0, bytes(4096)), 'the medium is read as zeroes')
    with open(path + '.fault', 'w', encoding='utf-8') as f:
        f.write('nvme-log hang\n')
    queue.send(health())
    cases.check(io.ask(command(0x02, 1, [(12, 0)], 512))[0] == 0, 'a hang of one queue holds up no other')
    os.unlink(path + '.fault')
    cases.check(queue.answer()[0] == 0, 'and ends when it is let go')
    with open(path + '.new', 'w', encoding='utf-8') as f, open(path, encoding='utf-8') as old:
        f.write(re.sub(r'^@ .*', '', old.read(), flags=re.MULTILINE | re.DOTALL) + '@ 0\nabsent\n')
    os.rename(path + '.new', path)
    try:
        queue.ask(health())
        cases.check(False, 'a drive that was pulled hangs up')
    except ConnectionError:
        cases.check(True, 'a drive that was pulled hangs up')
    cases.check(Queue(port, nqn).status != 0, 'and is not to be connected to')


def main():
    port = exporter.free_port()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, NAME + '.capture')
        shutil.copy(os.path.join(exporter.CAPTURES, NAME + '.capture'), path)
        with subprocess.Popen([rig.program('fd-nvmetcp'), str(port), path], stdout=subprocess.PIPE, text=True) as target:
            try:
                nqn = target.stdout.readline().strip()
                cases.check(nqn.endswith(':' + NAME) and target.stdout.readline() == 'ready 1\n',
                            'it says its name, and that it is ready', nqn)
                queue = Queue(port, nqn)
                cases.check(queue.status == 0 and queue.controller == 1, 'it is connected to', (queue.status, queue.controller))
                answers(queue, rig.Capture(path))
                changes(port, path, nqn, queue)
                cases.check(Queue(port, nqn + 'x').status != 0, 'nobody connects to what is not there')
            finally:
                target.kill()


cases.run(main, (os.access(rig.program('fd-nvmetcp'), os.X_OK), 'no ' + rig.program('fd-nvmetcp')))
