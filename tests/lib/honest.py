"""An honest client that scrapes beside whatever a test does to the exporter, and judges how it fared."""

import collections
import os
import re
import statistics
import subprocess
import sys
import time

import cases
import exporter
import web

HERE = os.path.dirname(os.path.abspath(__file__))
SCRAPE_LIMIT_S = 0.050
# Scrapes that may be slow, or not asked in time, for what the machine does
SPARE_SCRAPES, SPARE_SHARE = 2, 0.005
EVICTED_SHARE = 0.03            # of new connections, the oldest of 256 in a storm of thousands a second


def ms(seconds):
    return '%.1f ms' % (1000 * seconds)


def figures(seconds):
    if len(seconds) < 2:
        return 'hardly any'
    return 'median %s, p99 %s, slowest %s' % (ms(statistics.median(seconds)), ms(statistics.quantiles(seconds, n=100)[-1]), ms(max(seconds)))


# ---- what the exporter has and uses

def pss_kib(pid):
    with open('/proc/%d/smaps_rollup' % pid) as f:
        return int(re.search(r'^Pss: +(\d+) kB', f.read(), re.M).group(1))


def descriptors(pid):
    return len(os.listdir('/proc/%d/fd' % pid))


def waited_seconds(pid):
    """How long its main thread was ready to run, and had no processor."""
    with open('/proc/%d/schedstat' % pid) as f:
        return int(f.read().split()[1]) / 1e9


def cpu_seconds(pid):
    """Of all its threads."""
    with open('/proc/%d/stat' % pid) as f:
        fields = f.read().rsplit(') ', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


class Program:
    """One of the programs in tests/lib, which ends with its standard input."""

    def __init__(self, name, *args):
        self.process = subprocess.Popen([sys.executable, os.path.join(HERE, name), *map(str, args)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def line(self):
        return self.process.stdout.readline().decode('ascii')

    def end(self):
        """The last line that it says."""
        return self.process.communicate(timeout=exporter.PATIENCE_S)[0].decode('ascii').splitlines()[-1]


# ---- the honest client

def step_forward():
    """The honest client is elsewhere in real life, and does not wait for this machine's processor. Without the right to this, it
    does."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except OSError:
        print('# no right to a real-time priority: times are as the machine lets them be')


class Watch:
    """Scrapes, and beside each scrape an answer of the same size from the simplest server there is. own: seconds of each scrape
    without those that the exporter waited for a processor, which in life it does not share with a crowd."""

    def __init__(self, daemon, *fields):
        self.pid, self.own = daemon.process.pid, []
        self.scraper = web.Scraper(daemon.port, *fields)
        size = len(self.scraper.scrape().body)
        self.scraper.scrape()
        self.simple = Program('web.py', size)
        self.control = web.Scraper(int(self.simple.line()))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.scraper.close()
        self.control.close()
        self.simple.__exit__()

    def scrape_until(self, is_over, each=lambda: None):
        while not is_over():
            waited = waited_seconds(self.pid)
            if self.scraper.scrape():
                self.own.append(self.scraper.seconds[-1] - (waited_seconds(self.pid) - waited))
            self.control.scrape()
            each()
            time.sleep(0.005)

    def scrape_for(self, seconds, each=lambda: None):
        end = time.monotonic() + seconds
        self.scrape_until(lambda: time.monotonic() >= end, each)

    def forget(self):
        for times in (self.own, self.scraper.seconds, self.control.seconds):
            times.clear()

    def judge(self, beside, is_flood=False):
        """is_flood: of requests, beyond --web.max-requests; those may be refused."""
        s, c = self.scraper, self.control
        slow, own_slow, noise = (sum(t >= SCRAPE_LIMIT_S for t in times) for times in (s.seconds, self.own, c.seconds))
        print('# %d scrapes answered beside %s: %s; the simplest server: %s' % (len(s.seconds), beside, figures(s.seconds), figures(c.seconds)))
        print('# %d scrapes took 50 ms or more, %d of them of the exporter\'s own doing, and %d answers of the simplest server; a kept '
              'connection was opened anew %d times; %d times the machine held up who asked' % (slow, own_slow, noise, s.reopened, s.held_up))
        # Whoever has not asked yet gives way when 256 have come after him, also who was about to ask.
        if is_flood:
            s.refused[:] = [r for r in s.refused if r != 'status 503']
        evicted = [r for r in s.refused if r.startswith(('ConnectionError: ended after 0 bytes', 'ConnectionResetError'))]
        cases.check(s.refused == evicted and len(evicted) <= SPARE_SCRAPES + EVICTED_SHARE * s.count, 'next to no scrape is refused beside ' + beside,
                    '%d: %s' % (len(s.refused), collections.Counter(s.refused).most_common(5)))
        cases.check(len(s.seconds) > s.count / 2, 'and most are answered', (len(s.seconds), s.count))
        cases.check(s.held_up <= SPARE_SCRAPES + SPARE_SHARE * s.count, 'and next to none is held up', s.held_up)
        cases.check(s.seconds and statistics.median(s.seconds) < SCRAPE_LIMIT_S, 'a scrape takes less than 50 ms beside ' + beside, figures(s.seconds))
        cases.check(own_slow <= noise + SPARE_SCRAPES + SPARE_SHARE * len(s.seconds), 'and so do all but what the machine itself holds up',
                    sorted(self.own)[-10:])
