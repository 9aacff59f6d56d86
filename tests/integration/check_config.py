#!/usr/bin/env python3
"""drive_exporter check-config: what it says, its exit status, and which files it takes."""

import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))

import cases
import exporter

SHIPPED = os.path.join(exporter.SOURCE, 'data', 'drives.csv')
GOOD = 'model,family,capacity_gb,rated_tbw,rated_dwpd,warranty_years\nM1,F,3840,7000,1,5\n'
DOUBTFUL = 'model,family,capacity_gb,rated_tbw,rated_dwpd,warranty_years\nM1,F,800,17800,10,5\nM1,F,,100,,\n'
BROKEN = 'model,family,rated_dwpd\nM1,F,1\n(M2,F,1\nM3,F,-1\n'
OTHER_COLUMN = 'model,price\nM1,100\n'


def run(*words, program=exporter.PROGRAM):
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          timeout=exporter.PATIENCE_S)
    return done.returncode, done.stdout.decode('utf-8'), done.stderr.decode('utf-8')


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    return path


def says(words, status, lines, sentence):
    """The lines are all that is said, in this order."""
    found, out, err = run(*words)
    cases.check(found == status and out.splitlines() == lines and not err, sentence, 'exit status %d\n%s%s' % (found, out, err))


def named_files(folder):
    good, doubtful = write(folder, 'good.csv', GOOD), write(folder, 'doubtful.csv', DOUBTFUL)
    broken, column = write(folder, 'broken.csv', BROKEN), write(folder, 'column.csv', OTHER_COLUMN)
    other = write(folder, 'drives.csv.old', GOOD)
    missing = os.path.join(folder, 'missing.csv')
    warnings = [doubtful + ':2: warning: 17800 TBW, but 10 DWPD x 800 GB x 365 x 5 years is 14600: +21.9 %',
                doubtful + ':2: warning: never counts: line 3 is for the same drives']
    errors = [broken + ':3: error: model: "(M2" is no pattern: \'(\' without \')\'',
              broken + ':4: error: rated_dwpd: -1 is not within 0.0001 to 200']
    says(['check-config', good], 0, ['catalogue: 1 files, 1 rows, 0 errors, 0 warnings'], 'a good file passes')
    says(['check-config', doubtful], 0, warnings + ['catalogue: 1 files, 2 rows, 0 errors, 2 warnings'], 'warnings pass')
    says(['check-config', broken], 1, errors + ['catalogue: 1 files, 1 rows, 2 errors, 0 warnings'],
         'errors have file, line and reason, and do not pass')
    says(['check-config', column], 1, [column + ':1: error: unknown column "price"; the file\'s rows are not read',
                                       'catalogue: 1 files, 0 rows, 1 errors, 0 warnings'], 'an unknown column is an error')
    says(['check-config', missing], 1, [missing + ': error: No such file or directory',
                                        'catalogue: 1 files, 0 rows, 1 errors, 0 warnings'], 'a file that is not there is an error')
    says(['check-config', folder + '/'], 1, [folder + '/: error: no kind of configuration has such a name'],
         'what is no configuration by its name is an error')
    says(['check-config', other, good], 1, [other + ': error: no kind of configuration has such a name',
                                            'catalogue: 1 files, 1 rows, 0 errors, 0 warnings'], 'and the rest is checked')
    says(['check-config', good, doubtful], 0,
         [good + ':2: warning: never counts: %s:3 is for the same drives' % doubtful] + warnings +
         ['catalogue: 2 files, 3 rows, 0 errors, 3 warnings'], 'a later file can hide a row')
    says(['check-config', '--catalogue.path=' + broken, '--catalogue.path=' + good], 1,
         errors + ['catalogue: 2 files, 2 rows, 2 errors, 0 warnings'], 'files of --catalogue.path are checked')
    says(['check-config', '--catalogue.path=' + broken, good], 0, ['catalogue: 1 files, 1 rows, 0 errors, 0 warnings'],
         'but not where others are named')


def our_own(folder):
    status, out, err = run('check-config')
    lines = out.splitlines()
    cases.check(status == 0 and not err and ' error: ' not in out and 'never counts' not in out,
                'the catalogue that comes with the program has neither errors nor rows that never count', out + err)
    beside = os.path.join(exporter.BUILD, 'data', 'drives.csv')
    cases.check(lines and os.path.samefile(beside, SHIPPED) and all(line.startswith((beside + ':', 'catalogue: ')) for line in lines),
                'a program that is not installed checks the file beside it', out)
    status, out, err = run('check-config', SHIPPED)
    cases.check(status == 0 and [line.split(':', 2)[2] for line in out.splitlines()[:-1]] ==
                [line.split(':', 2)[2] for line in lines[:-1]], 'and says the same of it by its name', out + err)
    copy = shutil.copy(exporter.PROGRAM, os.path.join(folder, 'alone'))
    status, out, err = run('--list-catalogue-markdown', program=copy)
    if status == 0:
        cases.skip('a catalogue is installed')
    else:
        cases.check(status == 1 and not out and '/drives.csv: No such file or directory' in err,
                    'without a catalogue there is no page, and it is said why', err)


def unusual_places(folder):
    """Output that cannot be written is no success."""
    with open('/dev/full', 'w', encoding='utf-8') as full:
        done = subprocess.run([exporter.PROGRAM, 'check-config', SHIPPED], stdout=full, stderr=subprocess.PIPE,
                              timeout=exporter.PATIENCE_S)
    cases.check(done.returncode == 1 and b'standard output' in done.stderr, 'output that cannot be written is an error',
                done.stderr.decode('utf-8'))
    big = write(folder, 'big.csv', 'model\n' + '#' * (16 << 20))
    says(['check-config', big], 1, [big + ': error: File too large', 'catalogue: 1 files, 0 rows, 1 errors, 0 warnings'],
         'a file that is too large is an error')


def main():
    with tempfile.TemporaryDirectory() as folder:
        named_files(folder)
        our_own(folder)
        unusual_places(folder)


cases.run(main, (os.access(exporter.PROGRAM, os.X_OK), 'no ' + exporter.PROGRAM))
