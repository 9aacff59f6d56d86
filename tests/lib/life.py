"""The life of a drive as a capture: what one drive answered, and from then on sections in which it is ever more worn, written and
old. Only those answers are given anew that hold wear, written bytes and power-on time, on the drive's own pages, wherever
it tells them, so that no page contradicts another.

    seed = life.Seed(text)
    text = seed.lived('sdx', life.days(400, lambda day: life.State(wear, written, on_s)))
"""

import collections
import math
import re

import made

DAY_S, HOUR_S = 86400, 3600
GIB = 1 << 30

# wear is what the flash is through, as a ratio; a drive shows it as finely as its page does. firmware: None leaves it as it was.
State = collections.namedtuple('State', 'wear written on_s firmware', defaults=(None,))


def percent(state, _):
    """Rounded down. 255 stands for all that is above 254."""
    return min(math.floor(state.wear * 100 + 1e-6), 255)


def percent_left(state, _):
    return max(100 - percent(state, _), 0)


def millionths(state, _):
    return math.floor(state.wear * 1e6 + 1e-3)


def hours(state, _):
    return int(state.on_s // HOUR_S)


def minutes(state, _):
    return int(state.on_s // 60)


def written(state, _):
    return int(state.written)


def blocks(state, seed):
    return int(state.written // seed.block)


def gibibytes(state, _):
    return int(state.written // GIB)


# ---- where they are

def scsi_parameter(data, code):
    """(begin, length) of a log page's parameter; None."""
    at = 4
    while at + 4 <= len(data):
        if int.from_bytes(data[at:at + 2], 'big') == code:
            return at + 4, data[at + 3]
        at += 4 + data[at + 3]
    return None


class Parameter:
    """A number in a parameter of a log page: all of it, or `width` bytes at `at`. Of vendors' pages only one of that length."""

    def __init__(self, code, what, at=0, width=None, length=None):
        self.code, self.what, self.at, self.width, self.length = code, what, at, width, length

    def put(self, data, state, seed):
        found = scsi_parameter(data, self.code)
        if not found or (self.length and found[1] != self.length):
            return False
        begin, width = found[0] + self.at, self.width or found[1]
        data[begin:begin + width] = self.what(state, seed).to_bytes(width, 'big')
        return True


class Word:
    """A little-endian number at a place of an ATA page, whose flags above it stay."""

    def __init__(self, at, width, what):
        self.at, self.width, self.what = at, width, what

    def put(self, data, state, seed):
        data[self.at:self.at + self.width] = self.what(state, seed).to_bytes(self.width, 'little')
        return True


class Attribute:
    """A SMART attribute: its raw number, or its value and the worst that was."""

    def __init__(self, number, what, is_value=False):
        self.number, self.what, self.is_value = number, what, is_value

    def put(self, data, state, seed):
        for at in range(2, 362, 12):
            if data[at] != self.number:
                continue
            what = self.what(state, seed)
            data[at + 3:at + 5] = bytes([what, what]) if self.is_value else data[at + 3:at + 5]
            data[at + 5:at + 11] = data[at + 5:at + 11] if self.is_value else what.to_bytes(6, 'little')
            return True
        return False


class Firmware:
    """The revision in INQUIRY."""

    def put(self, data, state, _):
        if state.firmware is None:
            return False
        data[32:36] = state.firmware.encode('ascii').ljust(4)
        return True


PLACES = {
    'inquiry': [Firmware()],
    'log-sense page=02': [Parameter(0x0005, written)],
    'log-sense page=11': [Parameter(0x0001, percent, at=3, width=1)],
    'log-sense page=15': [Parameter(0x0000, minutes, width=4)],
    'log-sense page=19': [Parameter(0x0001, blocks, at=16, width=8)],
    'log-sense page=37': [Parameter(0x0000, hours, at=0, width=4, length=44), Parameter(0x0000, written, at=12, width=8, length=44),
                          Parameter(0x0001, blocks)],
    'log-sense page=3c': [Parameter(0x8004, millionths)],
    'log-sense page=3c parameter=8004': [Parameter(0x8004, millionths)],
    'log-sense page=3e': [Parameter(0x0000, minutes)],
    'ata-smart-data': [Attribute(9, hours), Attribute(231, percent_left, is_value=True), Attribute(233, gibibytes),
                       Attribute(234, gibibytes), Attribute(241, gibibytes)],
    'ata-log address=04 page=01': [Word(0x10, 4, hours), Word(0x18, 6, blocks)],
    'ata-log address=04 page=07': [Word(8, 1, percent)],
}


def with_checksum(command, data):
    """The last byte of SMART data makes the sum of all nothing."""
    if command.startswith('ata-smart'):
        data[511] = -sum(data[:511]) & 0xff
    return bytes(data)


# ---- a capture, taken apart

class Seed:
    """What one drive answered, out of the text of a capture with one device and without sections."""

    def __init__(self, text):
        lines = [re.sub(r'#.*', '', line).strip() for line in text.split('\n')]
        lines = [line for line in lines if line]
        first = next(i for i, line in enumerate(lines) if line.startswith('>'))
        if sum(line.startswith('device ') for line in lines) != 1 or any(line.startswith('@') for line in lines):
            raise ValueError('not a capture of one device without sections')
        # Its old name is in the path to it, and its name in the world may become another one.
        self.header = [line for line in lines[:first] if not line.startswith(('device ', 'devpath ', 'sysfs device/wwid '))]
        self.lines, self.block = [line for line in lines[first:] if not line.startswith('~')], 512
        self.answers = {}
        for line in self.lines:
            if line.startswith('>'):
                command = ' '.join(line[1:].split())
            elif re.match(r'[0-9a-f]{2}( |$)', line):
                self.answers[command] = self.answers.get(command, b'') + bytes.fromhex(line)
        if 'read-capacity' in self.answers:
            self.block = int.from_bytes(self.answers['read-capacity'][8:12], 'big')

    def section(self, state):
        """The lines of those answers that tell this state."""
        for command, answer in self.answers.items():
            data = bytearray(answer)
            if any([place.put(data, state, self) for place in PLACES.get(command.replace(' page=00', ''), ())]):
                yield '> ' + command
                yield made.hexa(with_checksum(command, data))

    def lived(self, device, sections):
        """The text of a capture. sections are (seconds, State, or the word of an event)."""
        out = [self.header[0], self.header[1], 'device ' + device, *self.header[2:], '', *self.lines]
        for seconds, what in sections:
            out.append('@ %d' % seconds)
            out += [what] if isinstance(what, str) else self.section(what)
        return '\n'.join(out) + '\n'

    def serial(self):
        return self.answers['inquiry vpd=80'][4:].decode('ascii').strip()

    def another(self, number):
        """A SCSI drive of the same make: its serial number ends in that number, and its name in the world is another one."""
        name = self.answers['inquiry vpd=83'][8:16]
        changes = ((self.serial().encode('ascii'), (self.serial()[:-2] + '%02d' % number).encode('ascii')),
                   (name[:7], name[:5] + (0x1000 + number).to_bytes(2, 'big')))
        made_up = Seed.__new__(Seed)
        made_up.header, made_up.block, made_up.answers, made_up.lines = self.header, self.block, dict(self.answers), []
        for line in self.lines:
            if line.startswith('>'):
                command = ' '.join(line[1:].split())
                for old, new in changes:
                    made_up.answers[command] = made_up.answers.get(command, b'').replace(old, new)
                made_up.lines += [line] + [made.hexa(made_up.answers[command])] * bool(made_up.answers[command])
            elif line.startswith('!'):
                made_up.lines.append(line)
        return made_up


def days(until, state_of, begin=0.0, spacing=0.5):
    """Sections for lived(): what state_of says of each day, from the first on."""
    n = 0
    while begin + n * spacing <= until:
        day = begin + n * spacing
        yield day * DAY_S, state_of(day)
        n += 1
