"""The built-in table of attributes, as docs/wear-sources.md has it: what it makes of a capture's bytes."""

import collections
import functools
import os
import re

import exporter
from ata_tables import CRC
from scsi import Claim

NAME = 'wear-sources.md'

QUANTITIES = {
    'drive_endurance_used_ratio': 'wear', 'drive_spare_available_ratio': 'spare blocks',
    'drive_written_bytes_total': 'bytes written', 'drive_read_bytes_total': 'bytes read',
    'drive_nand_written_bytes_total': 'bytes written to flash', 'drive_power_on_seconds_total': 'power-on time',
    'drive_reallocated_sectors': 'reallocated sectors', 'drive_retired_blocks': 'retired blocks',
    'drive_program_failures_total': 'program failures', 'drive_erase_failures_total': 'erase failures',
    'drive_uncorrected_errors_total': 'uncorrected errors', 'drive_command_timeouts_total': 'command timeouts',
    'drive_unsafe_shutdowns_total': 'unsafe shutdowns', 'drive_link_errors_total': 'CRC errors of the link',
}
LABELS = {'drive_uncorrected_errors_total': {'op': 'all'}, 'drive_link_errors_total': CRC}
PARTS = {
    'raw': lambda raw: raw, 'raw, low 32 bits': lambda raw: raw & 0xffffffff, 'raw, low byte': lambda raw: raw & 0xff,
    'raw, bytes 4 and 5': lambda raw: raw >> 32,
}
UNITS = {
    'count': lambda n, block: n, 'hours': lambda n, block: n * 3600, 'GiB': lambda n, block: n << 30,
    '32 MiB': lambda n, block: n << 25, 'per cent left': lambda n, block: n / 100,
    'logical blocks (512 bytes, or the drive\'s own)': lambda n, block: n * block,
    'per cent of life left, falling': lambda n, block: (100 - n) / 100,
    'life used, rising: per cents in the high byte, hundredths in the low':
        lambda n, block: ((n >> 8) * 100 + (n & 0xff)) / 10000,
}

Row = collections.namedtuple('Row', 'quantity id name part unit')
Family = collections.namedtuple('Family', 'rows others')        # others: {id: name} of what is not taken


@functools.lru_cache(None)
def families():
    found = {}
    with open(os.path.join(exporter.SOURCE, 'docs', NAME), encoding='utf-8') as f:
        for section in f.read().split('\n## ')[1:]:
            rows = re.findall(r'^\| \**([^|*]+?)\** \| (\d+) `(.*?)` \| (.*?) \| (.*?) \|$', section, re.MULTILINE)
            others = re.findall(r'(\d+) `(.*?)`', section.partition('\nNot taken')[2])
            found[section.partition('\n')[0]] = Family([Row(quantity, int(number), *rest) for quantity, number, *rest in rows],
                                                       {int(number): name for number, name in others})
    return found


def family(capture):
    """By the name that we serve; None: not of the table."""
    names = [labels.get('family') for labels, _ in capture.drive.metrics.all('drive_info')]
    return families().get(names[0]) if names else None


def of_table(capture):
    return family(capture) or Family((), {})


def is_in_table(capture, number):
    return number in [row.id for row in of_table(capture).rows]


def name_in_table(capture, number):
    table = of_table(capture)
    return {**table.others, **{row.id: row.name for row in table.rows}}.get(number)


def value_of(capture, name):
    """Of the family of metrics, by the attribute that stands first; None where the table is silent."""
    for row in of_table(capture).rows:
        if row.quantity == QUANTITIES.get(name) and row.id in capture.attributes:
            n = capture.attributes[row.id][0] if row.part == 'value' else PARTS[row.part](capture.raw(row.id))
            return UNITS[row.unit](n, capture.block)
    return None


def claims(capture):
    """As if it were a tool."""
    for name in QUANTITIES:
        yield Claim(NAME, 'built-in table', name, LABELS.get(name, {}), value_of(capture, name))
