"""Where a tool says something else of a drive than we do, and is meant to. docs/decoding.md has a row for each such difference,
with its reason, in the section of its transport; scsi_deliberate.py, ata_deliberate.py and nvme_deliberate.py have what shows
that a difference is the one of that row: (page, field, seen, explains).

explains(capture, claim, ours) is true then; see scsi.py and ata.py for the first two, ours is our value or None. `seen` is
where the difference must occur, or the row is no longer true: CAPTURES (tests/captures, or captures here), CORPUS (only in the
larger collection of those who develop this), NOWHERE (in no capture yet, and must not)."""

import collections

CAPTURES, CORPUS, NOWHERE = 'captures', 'corpus', 'nowhere'

HEAD = '| page | field | tool | it says | we say | because |\n| --- | --- | --- | --- | --- | --- |\n'

Row = collections.namedtuple('Row', 'transport page field seen explains tools')


def rows(path, section, transport, here):
    """The rows here with the tools that the section's table names. ValueError where it has other rows than these."""
    tools = {}
    with open(path, encoding='utf-8') as f:
        table = f.read().partition('\n## %s\n' % section)[2].partition(HEAD)[2].partition('\n\n')[0]
    for line in table.splitlines():
        page, field, who = line.strip('| ').split(' | ')[:3]
        tools[page, field] = tuple(who.split(', '))
    here_too = {(page, field) for page, field, *_ in here}
    if here_too ^ tools.keys():
        raise ValueError('only in one of %s and the rows of %s: %r' % (path, transport, sorted(here_too ^ tools.keys())))
    return [Row(transport, *row, tools[row[:2]]) for row in here]


def reason(table, capture, claim, ours):
    """The first of the rows that explains it, or None."""
    for row in table:
        if claim.tool in row.tools and row.explains(capture, claim, ours):
            return row
    return None
