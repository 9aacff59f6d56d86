#!/usr/bin/env python3
"""Lives of drives, from new to past their end, replayed in a minute or so: what was said of the end on the way, against when it
came. First every drive that reviews gave figures of, under a steady load; then lives that are not steady, a drive that takes
another one's place, an exporter that is started anew, and a history that cannot be kept.

LIVES_SPEED: how much faster than the clock (default 500000). Where a machine cannot read the drives often enough at that
speed the life is played again more slowly; what is judged is only what was said, by the clock of the replay."""

import bisect
import calendar
import csv
import glob
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter
import life
import made
import mounts

DAY_S = life.DAY_S
SPEED = int(os.environ.get('LIVES_SPEED', 500000))
TRIES = 4                       # each at half the speed of the one before
POLL = '1200s'                  # wear is read each tenth time, Device Statistics each thirtieth
LAG_MAX = 1.5                   # days by which nearly all that is told may be old, or steps of the indicator are missed
SPACING_DAYS = 0.25             # of a life's sections
STEPS = 5                       # of the indicator, from which its pace of late follows
RATED_DAYS = 360                # in so many days the rating is written, at load 1
SEEN_DAYS = 45                  # after which each forecast must be there, and right again after a change
AHEAD_DAYS = 90
LOOK_DAYS = 1.5                 # between two looks: each costs as much as some visits of drives
CATALOGUE = os.path.join(exporter.SOURCE, 'data', 'drives.csv')
OURS = ['hgst_ss200_sas', 'hgst_ssd800mm_sas', 'seagate_1200_sas', 'seagate_1200_2_sas', 'seagate_ironwolf_110_sata']
BASES, WINDOWS = ('indicator', 'rated', 'earliest'), ('lifetime', '30d')
DATE, BOUND = 'drive_endurance_exhaustion_timestamp_seconds', 'drive_endurance_exhaustion_bound_timestamp_seconds'
USED, RATED_USED = 'drive_endurance_used_ratio', 'drive_rated_endurance_used_ratio'
WANTED = (DATE, BOUND, USED, RATED_USED, 'drive_writes_per_day', 'drive_written_bytes_total', 'drive_rated_endurance_bytes',
          'drive_exporter_time_seconds', 'drive_exporter_collector_up')


# ---- what is said

class Look:
    """A scrape, of which only what this test wants is kept; read when somebody asks."""

    def __init__(self, text, began):
        self.lines = [line for line in text.split('\n') if line.startswith(WANTED)]
        self.values = None
        self.time = self.get('drive_exporter_time_seconds')
        self.day = (self.time - began) / DAY_S
        self.values = None

    def get(self, name, /, **labels):
        if self.values is None:
            self.values = {}
            for number, line in enumerate(self.lines):
                have, its, value = exporter.Metrics.sample(number, line)
                self.values[have, tuple(sorted(its.items()))] = float(value)
        return self.values.get((name, tuple(sorted(labels.items()))))

    def date(self, drive, basis, window):
        return self.get(DATE, drive=drive, basis=basis, window=window)


class Played:
    """All looks of a run, what it logged, and how fast it was."""

    def __init__(self, looks, log, speed):
        self.looks, self.log, self.speed = looks, log, speed
        self.days = [look.day for look in looks]
        self.lags = {}          # of each drive: by how many days nearly all that was told was old at most
        self.early_lags = {}    # and all that was told in the first weeks, when each step of the indicator still counts

    def before(self, day):
        """The last look before that day; None."""
        i = bisect.bisect_right(self.days, day)
        return self.looks[i - 1] if i else None

    def lag(self, course, look):
        return (self.early_lags if look.day < SEEN_DAYS else self.lags).get(course.label, 0)

    def stall(self, course, first, last):
        """By how many days something told between these days was late at most: as looks show it, or because for so long nobody
        could look, since half a second in which a busy machine stood still is three days here."""
        looks = self.between(first, last)
        gaps = [b.day - a.day - LOOK_DAYS for a, b in zip(looks, looks[1:])]
        return max([0, *gaps, *lags_of(course, looks)])

    def between(self, first, last):
        return self.looks[bisect.bisect_left(self.days, first):bisect.bisect_right(self.days, last)]


# ---- how a drive is used

def steady(_):
    return 1


def weekends(day):
    return 1.3 if int(day) % 7 < 5 else 0.25


def triples(day):
    return 1 if day < 100 else 3


def idles(day):
    return 0 if 100 <= day < 160 else 1


class TooBusy(Exception):
    pass


class Course:
    """How one drive is used up. Its days are those of its own life; `begin` is the day of the replay on which that is `from_day`."""

    HOURS = 24

    def __init__(self, seed, label, rated, load=steady, wear_at_rated=1, from_day=0, begin=0, reset_day=None, firmware_day=None,
                 jump=0, wear_max=None):
        self.seed, self.label, self.rated = seed, label, rated
        self.load, self.wear_at_rated, self.from_day, self.begin = load, wear_at_rated, from_day, begin
        self.reset_day, self.firmware_day, self.jump, self.wear_max = reset_day, firmware_day, jump, wear_max
        self.is_fine = any('page=3c' in command for command in seed.answers)
        self.amounts = [0]
        for hour in range(3 * RATED_DAYS * self.HOURS):
            self.amounts.append(self.amounts[-1] + load(hour / self.HOURS) / self.HOURS)

    def amount(self, day):
        """The days of load 1 that were as much."""
        at = max(day, 0) * self.HOURS
        i = min(int(at), len(self.amounts) - 2)
        return self.amounts[i] + (at - i) * (self.amounts[i + 1] - self.amounts[i])

    def used(self, basis, day):
        rated = self.amount(day) / RATED_DAYS
        jump = self.jump if self.firmware_day is not None and day >= self.firmware_day else 0
        return {'rated': rated, 'indicator': rated * self.wear_at_rated + jump}[basis]

    def told(self, replay_day):
        """What the drive says on that day of the replay."""
        day = replay_day - self.begin + self.from_day
        written = self.amount(day)
        if self.reset_day is not None and day >= self.reset_day:
            written -= self.amount(self.reset_day)
        wear = self.used('indicator', day)
        return life.State(wear if self.wear_max is None else min(wear, self.wear_max), written / RATED_DAYS * self.rated,
                          max(day, 0) * DAY_S, '9999' if self.firmware_day is not None and day >= self.firmware_day else None)

    def end(self, basis):
        """The day of the replay on which it is used up."""
        if basis == 'earliest':
            return min(self.end('indicator'), self.end('rated'))
        hour = bisect.bisect_left(range(len(self.amounts)), 1, key=lambda h: self.used(basis, h / self.HOURS))
        return hour / self.HOURS + self.begin - self.from_day

    def lag(self, look):
        """By how many days what is told of the bytes is old; None: it tells none."""
        written = look.get('drive_written_bytes_total', drive=self.label)
        if written is None:
            return None
        load = max(1, self.load(look.day - self.begin + self.from_day))
        return (self.told(look.day).written - written) / self.rated * RATED_DAYS / load

    def memory(self, basis, window, look):
        """The days from which a forecast follows: what it is told late by some days is so much of these wrong. Where a month's
        bytes, or much of a life, stand against a day that is nothing to speak of."""
        if window == '30d' and basis != 'rated' and not self.is_fine:
            return STEPS / 100 * RATED_DAYS / self.wear_at_rated
        return look.day / 3 if look.day < SEEN_DAYS else math.inf

    def captured(self, device, until, spacing=SPACING_DAYS):
        return self.seed.lived(device, life.days(until, self.told, self.begin, spacing))


# ---- a run

def write(folder, name, text):
    with open(os.path.join(folder, name), 'w', encoding='utf-8') as f:
        f.write(text)


def flags_of(folder, speed, own_catalogue):
    return ['--replay=' + folder, '--replay.speed=%d' % speed, '--poll.interval=' + POLL, '--log.level=warn',
            '--catalogue.path=' + CATALOGUE, '--catalogue.path=' + own_catalogue]


def watch(folder, until, speed, own_catalogue, state, *flags, began=None):
    """Scrapes from the start to that day of the replay."""
    began = began or time.time()        # the replay's time begins as the exporter's process does
    looks = []
    with exporter.Exporter(*flags_of(folder, speed, own_catalogue), *flags, environment={'STATE_DIRECTORY': state}) as daemon:
        while not looks or looks[-1].day < until:
            looks.append(Look(daemon.scrape(), began))
            time.sleep(LOOK_DAYS * DAY_S / speed)
        daemon.stop()
    return Played(looks, daemon.log, speed)


def lags_of(course, looks):
    return sorted(lag for lag in map(course.lag, looks) if lag is not None)


def is_read_often(played, courses, until):
    """What was served was always young enough. A machine that stood still for half a second has made what it was told then some
    days late: much of a life's first weeks, and, a month later, of that month."""
    for course in courses:
        lags = lags_of(course, played.between(course.begin + 10, until))
        played.lags[course.label] = lags[len(lags) * 95 // 100] if lags else LAG_MAX
        played.early_lags[course.label] = played.stall(course, course.begin + 3, course.begin + SEEN_DAYS)
        worst = played.stall(course, course.begin + 3, until)
        if worst > LAG_MAX:
            print('# %s: what is told is %.1f days old at a speed of %d' % (course.label, worst, played.speed))
            return False
    return True


def play(folder, courses, until, own_catalogue, state_of):
    """A run that read the drives often enough. state_of() makes a new state directory."""
    for attempt in range(TRIES):
        state = state_of()
        began = time.monotonic()
        played = watch(folder, until, SPEED >> attempt, own_catalogue, state)
        if is_read_often(played, courses, until):
            break
    else:
        raise TooBusy('this machine is too busy: drives are not read once a day even at a speed of %d' % played.speed)
    print('# %d days of %d drives in %.0f s, %d scrapes' % (until, len(courses), time.monotonic() - began, len(played.looks)))
    return played, state


# ---- the drives

def catalogue_rows(path):
    with open(path, encoding='utf-8') as f:
        return list(csv.DictReader(line for line in f if line.strip() and not line.startswith('#')))


def rating_of(rows, model):
    """(capacity, endurance) in bytes by the last row that fits and tells one; None."""
    found = None
    for row in rows:
        if row['model'] and re.fullmatch(row['model'], model) and not row['serial'] and not row['firmware']:
            capacity, tbw = float(row['capacity_gb'] or 0) * 1e9, float(row['rated_tbw'] or 0) * 1e12
            if not tbw and row['rated_dwpd'] and row['warranty_years']:
                tbw = capacity * float(row['rated_dwpd']) * 365 * float(row['warranty_years'])
            found = (capacity, tbw) if tbw else None
    return found


def seeds():
    """{path: Seed}; those of the shared folder where that is."""
    paths = [os.path.join(exporter.CAPTURES, name + '.capture') for name in OURS]
    folder = exporter.shared('corpus', 'seed_drives')
    if folder:
        paths += sorted(glob.glob(os.path.join(folder, '*.capture')))
    else:
        cases.skip('no folder of captures of all seed drives: only those of tests/captures are replayed')
    found = {}
    for path in paths:
        with open(path, encoding='utf-8') as f:
            found[path] = life.Seed(f.read())
    return found


class World:
    """A folder for this test: catalogue, captures, state directories."""

    def __init__(self, folder):
        self.folder, self.made = folder, 0
        self.catalogue = os.path.join(folder, 'own.csv')

    def new(self):
        self.made += 1
        path = os.path.join(self.folder, 'made%d' % self.made)
        os.mkdir(path)
        return path

    def know(self, found):
        """Who the drives are: {name: (label, model, capacity, endurance)}. For what the catalogue has no rating of we give one."""
        folder, by_device = self.new(), {}
        for number, (name, seed) in enumerate(found.items()):
            by_device[made.device_name(number)] = name
            write(folder, '%02d.capture' % number, seed.lived(made.device_name(number), ()))
        metrics = exporter.Metrics(exporter.once('--replay=' + folder, '--log.level=error')[0])
        rows, own, known = catalogue_rows(CATALOGUE), [], {}
        for labels, _ in metrics.all('drive_device_info'):
            drive = labels['drive']
            model = metrics.all('drive_info', drive=drive)[0][0]['model']
            rating = rating_of(rows, model)
            if not rating:
                rating = round(metrics.value('drive_capacity_bytes', drive=drive) / 1e9) * 1e9, 3e15
                own.append({'model': model, 'capacity_gb': '%d' % (rating[0] / 1e9), 'rated_tbw': '3000', 'warranty_years': '5',
                            'source': 'this test', 'grade': 'C'})
            known[by_device[labels['device']]] = (drive, model, *rating)
        with open(self.catalogue, 'w', encoding='utf-8', newline='') as f:
            table = csv.DictWriter(f, rows[0].keys(), lineterminator='\n')
            table.writeheader()
            table.writerows(own)
        return known


# ---- steady lives

WEARS = (1.1, 1, 0.92)          # what the indicators show when the rating is written: each drive another


def check_tenths(course, played):
    """At each tenth: the forecast that was made 90 days before."""
    bad, judged = [], 0
    for basis in BASES:
        end = course.end(basis)
        for tenth in range(1, 11):
            moment = end * tenth / 10 - AHEAD_DAYS
            look = played.before(moment)
            if not look or moment < 7:
                continue
            for window in WINDOWS:
                judged += 1
                tolerance = 0.05 + played.lag(course, look) / course.memory(basis, window, look)
                bad += ['%s %s, tenth %d: %s' % (basis, window, tenth, why)
                        for why in faults_of(course, look, basis, window, tolerance, look.day >= SEEN_DAYS, played)]
    cases.check(judged and not bad, course.label + ': at each tenth of its life the forecast of 90 days before was right, and so were '
                'its bounds', '\n'.join(bad) or 'nothing was said')


def check_most(courses, played):
    """The tolerance above is that of a single one: most are far better."""
    for basis in BASES:
        for window in WINDOWS:
            off = []
            for course in courses:
                end = course.end(basis)
                for look in played.between(SEEN_DAYS, end - AHEAD_DAYS):
                    date = look.date(course.label, basis, window)
                    off.append(abs((date or math.inf) - look.time - (end - look.day) * DAY_S) / (end - look.day) / DAY_S)
            middle = statistics.median(off)
            cases.check(middle < 0.01, 'half of all forecasts by %s, %s, are off by less than 1 %%' % (basis, window), middle)
            print('#   %.2f %%, and %.2f %% at most' % (100 * middle, 100 * max(off)))


def month_late(course, look, played):
    """The pace of a month follows from its first reading. That was told late by so much of the four weeks since."""
    return played.stall(course, look.day - 30 - 2 * LOOK_DAYS, look.day - 28 + 2 * LOOK_DAYS) / 28


def faults_of(course, look, basis, window, tolerance, is_due, played=None):
    """What is wrong with a forecast. played None: at a speed at which nothing is late."""
    end, began = course.end(basis), look.time - look.day * DAY_S
    end_s, drive = began + end * DAY_S, course.label
    date = look.date(drive, basis, window)
    if date is None:
        return ['on day %.1f nothing is said' % look.day] if is_due else []
    late = month_late(course, look, played) if played and window == '30d' else 0
    # A date is the begin of its day.
    out = []
    if abs(date - end_s // DAY_S * DAY_S) > (tolerance + late) * (end - look.day) * DAY_S:
        out.append('on day %.1f it says day %.1f, and it was %.1f' % (look.day, (date - began) / DAY_S, end))
    if basis == 'earliest':
        return out
    bounds = [look.get(BOUND, drive=drive, basis=basis, window=window, bound=b) for b in ('earliest', 'latest')]
    # What it was told is up to a day old: so much of its age, and of what follows from that.
    slack = DAY_S + (1 / (look.day - course.begin + course.from_day) + late) * (end - look.day) * DAY_S
    if bounds[0] is not None and not bounds[0] - slack <= end_s <= bounds[1] + slack:
        out.append('on day %.1f it says days %.1f to %.1f, and it was %.1f' %
                   (look.day, (bounds[0] - began) / DAY_S, (bounds[1] - began) / DAY_S, end))
    return out


def check_end(course, played):
    look, drive = played.looks[-1], course.label
    used = look.get(USED, drive=drive), look.get(RATED_USED, drive=drive)
    day = look.day - 3
    cases.check(course.used('indicator', day) - 0.01 <= used[0] <= course.used('indicator', look.day) + 0.001
                if course.wear_max is None else used[0] == course.wear_max, drive + ': its wear goes on beyond 1, as it tells', used[0])
    cases.check(course.used('rated', day) <= used[1] <= course.used('rated', look.day) + 0.001 and used[1] > 1,
                drive + ': and so do bytes by the rating', used[1])
    bad = []
    for basis in BASES:
        for window in WINDOWS:
            date, end = look.date(drive, basis, window), course.end(basis)
            off = None if date is None else (date - (look.time - look.day * DAY_S)) / DAY_S - end
            if off is None or not -3 <= off <= 3 or date > look.time:
                bad.append('%s %s: off by %s days' % (basis, window, off))
    cases.check(not bad, drive + ': after the end its day is in the past, and the right one', '\n'.join(bad))


def check_writes(course, played, capacity):
    want, bad = course.rated / RATED_DAYS / capacity, []
    for window, days in (('lifetime', math.inf), ('30d', 30), ('7d', 7)):
        off = 0.01 + played.lags[course.label] / 4 / days       # what is told late at both ends of a window all but cancels out
        said = [look.get('drive_writes_per_day', drive=course.label, window=window) for look in played.between(200, played.days[-1])]
        middle = statistics.median([s for s in said if s is not None] or [0])
        # Of the seven days nine tenths must have been seen, and the last reading may be old here.
        if (None in said and window != '7d') or abs(middle - want) > off * want:
            bad.append('%s: %g in place of %g' % (window, middle, want))
    cases.check(not bad, course.label + ': writes per day are its load', '\n'.join(bad))


def live_steadily(world, found, known):
    courses = []
    folder = world.new()
    for number, (name, (label, _, capacity, rated)) in enumerate(known.items()):
        seed = found[name]
        # An attribute that tells what is left ends at nothing.
        wear_max = 1 if 'ata-smart-data' in seed.answers and 'ata-log address=04 page=07' not in seed.answers else None
        courses.append(Course(seed, label, rated, wear_at_rated=WEARS[number % len(WEARS)], wear_max=wear_max))
    until = 1.1 * max(course.end(basis) for course in courses for basis in BASES)
    for number, course in enumerate(courses):
        write(folder, '%02d.capture' % number, course.captured(made.device_name(number), until + 20))
    played, state = play(folder, courses, until, world.catalogue, world.new)
    for course, (_, _, capacity, rated) in zip(courses, known.values()):
        cases.check(played.looks[-1].get('drive_rated_endurance_bytes', drive=course.label) == rated,
                    course.label + ': its rating is the catalogue\'s', rated)
        check_tenths(course, played)
        check_end(course, played)
        check_writes(course, played, capacity)
    check_most(courses, played)
    down = [look.day for look in played.between(10, until) if look.get('drive_exporter_collector_up', collector='history') != 1]
    cases.check(not down, 'the history is kept all the time', down)
    for course in courses[:3]:
        check_history(course, state, played)


# ---- afterwards

def history_of(state, drive):
    done = subprocess.run([exporter.PROGRAM, 'history', drive], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, STATE_DIRECTORY=state), timeout=exporter.PATIENCE_S)
    return done.stdout.decode('utf-8'), done.stderr.decode('utf-8', 'replace'), done.returncode


def check_history(course, state, played):
    text, said, status = history_of(state, course.label)
    began = played.looks[-1].time - played.looks[-1].day * DAY_S
    rows, bad = re.findall(r'^(\d{4})-(\d\d)-(\d\d) +(\S+) +(\S+) +(\S+) +(\S+)', text, re.M), []
    for year, month, mday, wear, written, _, hours in rows:
        end = (calendar.timegm((int(year), int(month), int(mday), 24, 0, 0)) - began) / DAY_S      # of that UTC day
        first, last = course.told(end - 3), course.told(end)
        if not (first.wear - 0.01 <= float(wear) / 100 <= last.wear + 0.001 and
                first.written <= float(written) * 1e12 + 1e9 and float(written) * 1e12 <= last.written + 1e9 and
                first.on_s <= float(hours) * 3600 + 3600 and float(hours) * 3600 <= last.on_s + 3600):
            bad.append((year, month, mday, wear, written, hours, end))
    cases.check(status == 0 and not bad, 'history %s: its days are those that were lived' % course.label, bad[:5] or said)
    cases.check(len(rows) > 0.9 * played.days[-1], 'and there are as many', '%d of %d' % (len(rows), played.days[-1]))


# ---- lives that are not steady

CHANGE_DAY, WEAR_JUMP = 100, 0.15
GONE_DAY = 150                  # of the drive that another one replaces
COARSE, FINE = 'hgst_ss200_sas', 'seagate_1200_sas'

# Sentence; what differs from a steady life; the day of its own life on which that is; whether the whole life's average, too, can
# know of it.
CHANGES = (
    ('an idle weekend each week', {'load': weekends}, CHANGE_DAY, True),
    ('a load that triples', {'load': triples}, CHANGE_DAY, False),
    ('sixty idle days', {'load': idles}, CHANGE_DAY + 60, False),
    ('new firmware that tells 15 % more wear', {'firmware_day': CHANGE_DAY, 'jump': WEAR_JUMP}, CHANGE_DAY, True),
    ('a host that is new', {'from_day': CHANGE_DAY}, CHANGE_DAY, True),
    ('written bytes that begin at 0 again', {'reset_day': CHANGE_DAY}, CHANGE_DAY, True),
    ('a drive that goes', {}, 0, True),
    ('a drive that comes in its place', {'begin': GONE_DAY + 1}, 0, True),
)


def known_again(course, played, sentence, change_day, is_life_known):
    """Each forecast, 45 days after the change and on."""
    since = change_day - course.from_day + course.begin + SEEN_DAYS
    bad = []
    for day in (since, since + 15, since + 30):
        look = played.before(day)
        for basis in BASES:
            for window in WINDOWS[0 if is_life_known else 1:]:
                bad += ['%s %s: %s' % (basis, window, why) for why in faults_of(course, look, basis, window, 0.2, True, played)]
    cases.check(not bad, '%s: %d days later each forecast of %s is right again' % (sentence, SEEN_DAYS, course.label), '\n'.join(bad))


def check_replaced(old, new, played):
    def said_of(course, looks):
        return [look.day for look in looks if any('drive="%s"' % course.label in line for line in look.lines if line.startswith(DATE))]
    late = 10                   # days of a busy machine
    cases.check(not said_of(old, played.between(GONE_DAY + late, math.inf)), old.label + ': nothing is said of it when it is gone')
    # It is taken to be as much older as its first readings came late.
    early = said_of(new, played.between(0, new.begin + 6 - played.early_lags[new.label]))
    cases.check(not early, new.label + ': in its first week nothing is said of it', early)
    early = [look.day for look in played.between(0, new.begin + 25) if look.date(new.label, 'rated', '30d') is not None]
    cases.check(not early, 'and of its last 30 days nothing before it had them', early)


def check_log(played, course, words):
    told = [line for line in played.log if course.label in line and 'what was seen before is not compared' in line]
    cases.check(len(told) == len(words) and all(w in line for w, line in zip(words, told)),
                '%s: the log says %s' % (course.label, ', and '.join(words) or 'of no new series'), '\n'.join(told))


def live_unsteadily(world, found, known):
    folder, courses = world.new(), []
    for number, (sentence, differs, change_day, is_life_known) in enumerate(CHANGES):
        for kind, name in enumerate((COARSE, FINE)):
            path = os.path.join(exporter.CAPTURES, name + '.capture')
            seed = found[path].another(10 + number)
            label = '%s_%s' % (known[path][1], seed.serial())
            courses.append((Course(seed, label, known[path][3], **differs), sentence, change_day, is_life_known, 2 * number + kind))
    until = GONE_DAY + SEEN_DAYS + 75
    for course, sentence, _, _, number in courses:
        goes, comes = 'goes' in sentence.split(), 'begin' in CHANGES[number // 2][1]
        text = course.captured(made.device_name(number - 2 * comes), GONE_DAY if goes else until + 20)
        text += '@ %d\nabsent\n' % (GONE_DAY * DAY_S) if goes else ''
        text += '@ 0\nabsent\n@ %d\npresent\n' % (course.begin * DAY_S) if comes else ''
        write(folder, '%02d.capture' % number, text)
    played, _ = play(folder, [c[0] for c in courses if not c[1].startswith('a drive that goes')], until, world.catalogue, world.new)
    for course, sentence, change_day, is_life_known, _ in courses:
        known_again(course, played, sentence, change_day, is_life_known)
        words = {'new firmware': ['wear'], 'written bytes': ['written bytes began anew']}.get(' '.join(sentence.split()[:2]), [])
        check_log(played, course, words)
    for old, new in zip(courses[-4:-2], courses[-2:]):
        check_replaced(old[0], new[0], played)


# ---- the exporter starts anew in the middle of a life

RESTART_DAY, STAND_STILL = 120, 1000    # the second run is to show what it knows at once: at this speed


def pair(world, found, known, until, **differs):
    """A folder with two lives."""
    folder, courses = world.new(), []
    for number, name in enumerate((COARSE, FINE)):
        path = os.path.join(exporter.CAPTURES, name + '.capture')
        courses.append(Course(found[path], known[path][0], known[path][3], **differs))
        write(folder, name + '.capture', courses[-1].captured(made.device_name(number), until))
    return folder, courses


def goes_on(world, folder, courses, from_day, state, windows):
    """What a second run says as soon as it says something of both drives, and what it has logged."""
    began = time.time()

    def first():
        look = Look(daemon.scrape(), began)
        is_all = all(look.date(course.label, basis, window) is not None for course in courses for basis in BASES for window in windows)
        return look if is_all else None

    with exporter.Exporter(*flags_of(folder, STAND_STILL, world.catalogue), '--replay.from=%ds' % (from_day * DAY_S),
                           environment={'STATE_DIRECTORY': state}) as daemon:
        return exporter.wait_for('forecasts', first), daemon.log


def restart(world, found, known):
    folder, courses = pair(world, found, known, RESTART_DAY + 60)
    played, state = play(folder, courses, RESTART_DAY, world.catalogue, world.new)
    # Some days on: the first run went on after its last look until it had ended.
    from_day = int((played.looks[-1].time - time.time()) / DAY_S) + 5
    look, log = goes_on(world, folder, courses, from_day, state, WINDOWS)
    for course in courses:
        bad = [why for basis in BASES for window in WINDOWS for why in faults_of(course, look, basis, window, 0.1, True)]
        cases.check(not bad, course.label + ': after a restart all its forecasts are there at once, and right', '\n'.join(bad))
    cases.check(look.day < from_day + 0.2, 'at once means within some hours', look.day - from_day)
    cases.check(not any('what was seen before' in line for line in log), 'and no new series began', '\n'.join(log))
    look, _ = goes_on(world, folder, courses, from_day, world.new(), WINDOWS[:1])
    for course in courses:
        bad = [why for basis in BASES for why in faults_of(course, look, basis, 'lifetime', 0.1, True)]
        bad += ['30d by %s is there' % basis for basis in BASES if look.date(course.label, basis, '30d') is not None]
        cases.check(not bad, course.label + ': with an empty history its life is known, and of the last 30 days nothing', '\n'.join(bad))


# ---- a history that cannot be kept, or is not to be

def check_unkept(sentence, played, courses):
    about = [line for line in played.log if 'history' in line]
    cases.check(len(about) == 1 and 'warn' in about[0], sentence + ': one warning', '\n'.join(played.log[:20]))
    up = {look.get('drive_exporter_collector_up', collector='history') for look in played.between(10, math.inf)}
    cases.check(up == {0}, sentence + ': the collector is down', up)
    look = played.before(SEEN_DAYS + 20)
    for course in courses:
        bad = [why for basis in BASES for window in WINDOWS for why in faults_of(course, look, basis, window, 0.1, True, played)]
        told = [look.get(USED, drive=course.label), look.get('drive_written_bytes_total', drive=course.label)]
        cases.check(not bad and None not in told, '%s: all else of %s is served, forecasts too' % (sentence, course.label), bad or told)


def cannot_keep(world, found, known):
    folder, courses = pair(world, found, known, SEEN_DAYS + 40)
    in_its_place = os.path.join(world.folder, 'a_file')
    write(world.folder, 'a_file', '')
    played, _ = play(folder, courses, SEEN_DAYS + 20, world.catalogue, lambda: in_its_place)
    check_unkept('a file in place of the state directory', played, courses)
    try:
        with mounts.read_only(world.new()) as mount:
            played, _ = play(folder, courses, SEEN_DAYS + 20, world.catalogue, lambda: mount)
            check_unkept('a read-only state directory', played, courses)
    except mounts.NoFileSystem as reason:
        cases.skip('a read-only state directory: %s' % reason)


def opened_to_write(path):
    """Files that a trace of system calls shows being opened for writing, or made; not devices."""
    with open(path, encoding='utf-8', errors='replace') as f:
        found = re.findall(r'(?:openat|mkdir|mkdirat|unlink|rename)\((?:AT_FDCWD, )?"([^"]*)"(?:.*O_(?:WRONLY|RDWR|CREAT)|, 0\d+\)|\))',
                           f.read())
    return sorted({name for name in found if not name.startswith(('/dev/', '/proc/'))})


def not_to_keep(world, found, known):
    folder, courses = pair(world, found, known, 30)
    capture = os.path.join(folder, COARSE + '.capture')
    trace = os.path.join(world.folder, 'trace')
    strace = exporter.tool('strace')
    tracing = [strace, '-D', '-f', '-o', trace, '-e', 'trace=openat,mkdir,mkdirat,unlink,rename'] if strace else []
    if not strace:
        cases.skip('no strace: which files are opened')
    state = world.new()
    for words in (['once'], ['list'], ['capture', made.device_name(0)]):
        done = subprocess.run(tracing + [exporter.PROGRAM, *words, '--replay=' + capture], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=dict(os.environ, STATE_DIRECTORY=state), timeout=exporter.PATIENCE_S)
        cases.check(done.stdout and not os.listdir(state) and not (strace and [p for p in opened_to_write(trace) if state in p]),
                    words[0] + ': does not touch the history', os.listdir(state) or done.stderr.decode('utf-8', 'replace'))
    with exporter.Exporter(*flags_of(folder, STAND_STILL, world.catalogue), prefix=tracing, environment={'STATE_DIRECTORY': ''}) as daemon:
        daemon.wait_until('forecasts', lambda m: len(m.all(USED)) == len(courses))
        time.sleep(1)
        up = daemon.metrics().value('drive_exporter_collector_up', collector='history')
    cases.check(up == 1, 'a replay without a state directory keeps its history in memory', up)
    if strace:
        bad = [path for path in opened_to_write(trace) if 'drive_exporter' in path or '.sqlite' in path or '.db' in path]
        cases.check(not bad, 'and writes no file', bad)


def main():
    with tempfile.TemporaryDirectory() as folder:
        world = World(folder)
        found = seeds()
        known = world.know(found)
        os.environ.pop('STATE_DIRECTORY', None)
        for test in (live_steadily, live_unsteadily, restart, cannot_keep, not_to_keep):
            try:
                test(world, found, known)
            except TooBusy as reason:
                cases.skip('%s: %s' % (test.__name__, reason))


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM))
