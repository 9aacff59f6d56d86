"""What a test in a guest looks at: processes, how long scrapes take, how old readings are."""

import statistics
import threading
import time

import exporter

PROGRAMS = '/usr/local/sbin'


class Process:
    def __init__(self, line):
        pid, _, rest = line.partition(' (')
        self.name, _, rest = rest.rpartition(') ')
        self.pid, self.state, self.parent = int(pid), rest.split()[0], int(rest.split()[1])

    def __repr__(self):
        return '%d %s %s' % (self.pid, self.name, self.state)


def processes(guest, *names):
    """Those with these names. A child of the prober has the name of its node."""
    text = guest.run('for p in /proc/[0-9]*/stat; do read line < $p && echo "$line"; done 2> /dev/null; true')
    return [p for p in map(Process, text.splitlines()) if p.name in names]


def hung(guest, *names):
    """Those in state D."""
    return [p for p in processes(guest, *names) if p.state == 'D']


def stays_hung(guest, *names, seconds=0.5):
    """Those that are in state D now and after a while: a drive that answers makes a short one of its own."""
    before = {p.pid for p in hung(guest, *names)}
    time.sleep(seconds)
    return [p for p in hung(guest, *names) if p.pid in before]


def ages(metrics, labels=None):
    """{drive: how many seconds ago it was read}"""
    now = metrics.value('drive_exporter_time_seconds')
    return {have['drive']: now - value for have, value in metrics.all('drive_poll_timestamp_seconds')
            if labels is None or have['drive'] in labels}


def read_since(metrics, moment, labels):
    """Whether all of these drives were read after that moment of the guest's clock."""
    return all((metrics.value('drive_poll_timestamp_seconds', drive=label) or 0) > moment for label in labels)


def up(metrics):
    return {have['drive'] for have, value in metrics.all('drive_up') if value == 1}


def node(metrics, label):
    """The kernel's name of a drive's device, or of its controller."""
    return metrics.all('drive_path_state', drive=label)[0][0]['device']


def state(metrics, label):
    """What the kernel says of the path to it."""
    found = [have['state'] for have, value in metrics.all('drive_path_state', drive=label) if value == 1]
    return found[0] if found else None


class Scraping:
    """Scrapes from outside all the time. As a context manager; afterwards it tells how long the scrapes took."""

    def __init__(self, guest, pause_s=0.05):
        self.guest, self.pause_s, self.seconds, self.failures = guest, pause_s, [], []
        self.is_ending = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_ending.set()
        self.thread.join(exporter.PATIENCE_S)

    def run(self):
        while not self.is_ending.wait(self.pause_s):
            try:
                self.seconds.append(self.guest.scrape()[1])
            except Exception as error:
                self.failures.append(repr(error))

    def p50(self):
        return statistics.median(self.seconds) if self.seconds else float('inf')

    def p99(self):
        return statistics.quantiles(self.seconds, n=100)[98] if len(self.seconds) > 1 else float('inf')

    def __str__(self):
        return '%d scrapes: p50 %.0f ms, p99 %.0f ms, longest %.0f ms; %d failed' % (
            len(self.seconds), 1000 * self.p50(), 1000 * self.p99(), 1000 * max(self.seconds),
            len(self.failures))
