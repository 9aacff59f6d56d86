"""Small captures made for one test: a SAS SSD with identity, health and temperature, and what the test wants changed."""

import os
import re


def hexa(data):
    return ' '.join('%02x' % b for b in data)


def log_page(page, *parameters):
    body = b''.join(code.to_bytes(2, 'big') + bytes([3, len(value)]) + value for code, value in parameters)
    return bytes([page, 0]) + len(body).to_bytes(2, 'big') + body


def answers(serial, wwn, celsius=30, used=1):
    """{command: bytes}"""
    name = wwn.to_bytes(8, 'big')
    return {
        'inquiry': bytes([0, 0, 6, 0x12, 31, 0, 0, 2]) + b'MADEUP  ' + b'TEST-SAS-SSD    ' + b'0001',
        'inquiry vpd=00': bytes([0, 0, 0, 4, 0, 0x80, 0x83, 0xb1]),
        'inquiry vpd=80': bytes([0, 0x80, 0, len(serial)]) + serial.encode('ascii'),
        'inquiry vpd=83': bytes([0, 0x83, 0, 12, 1, 3, 0, 8]) + name,
        'inquiry vpd=b1': bytes([0, 0xb1, 0, 0x3c, 0, 1, 0, 3]) + bytes(56),
        'read-capacity': (1 << 20).to_bytes(8, 'big') + (512).to_bytes(4, 'big') + bytes(20),
        'request-sense': bytes([0x70, 0, 0, 0, 0, 0, 0, 10]) + bytes(10),
        'log-sense page=00': bytes([0, 0, 0, 4, 0, 0x0d, 0x11, 0x2f]),
        'log-sense page=0d': log_page(0x0d, (0, bytes([0, celsius])), (1, bytes([0, 70]))),
        'log-sense page=11': log_page(0x11, (1, bytes([0, 0, 0, used]))),
        'log-sense page=2f': log_page(0x2f, (0, bytes([0, 0, celsius, 0]))),
    }


def capture(device, serial, wwn, changes=None, head=(), tail=()):
    """The text of a capture. changes are {command: bytes, or the word of a failure}; head are more header lines; tail are
    lines at the end."""
    out = ['drive-capture 1', 'transport scsi', 'device ' + device, 'size 536871424', 'logical-block 512', 'rotational 0',
           'sysfs device/state running', *head]
    for command, answer in {**answers(serial, wwn), **(changes or {})}.items():
        out += ['', '> ' + command, '! ' + answer if isinstance(answer, str) else hexa(answer)]
    return '\n'.join(out + ['', *tail]) + '\n'


def device_name(number):
    """sda to sdz, then sdaa on"""
    letters = ''
    while number >= 0:
        letters = chr(ord('a') + number % 26) + letters
        number = number // 26 - 1
    return 'sd' + letters


# ---- many drives, each with all that a real one tells

PATTERN, SERIAL, WWN = 'hgst_ss200_sas.capture', b'A02B7C11', bytes.fromhex('5000cca0970b4a')


def clone(text, number):
    """That capture with another serial number and world wide name, as another device."""
    def pattern(data):
        return re.compile(r'\s+'.join('%02x' % b for b in data))
    wwn = WWN[:4] + number.to_bytes(3, 'big')
    text = pattern(SERIAL).sub(hexa(b'C%07d' % number), text)
    text = pattern(WWN).sub(hexa(wwn), text).replace(WWN.hex(), wwn.hex())
    return re.sub(r'^device \S+', 'device ' + device_name(number), text, count=1, flags=re.M)


def write_clones(folder, captures, drives):
    with open(os.path.join(captures, PATTERN), encoding='utf-8') as f:
        text = f.read()
    for number in range(drives):
        with open(os.path.join(folder, '%05d.capture' % number), 'w', encoding='utf-8') as f:
            f.write(clone(text, number))
