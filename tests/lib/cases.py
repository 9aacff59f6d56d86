"""The cases of a test program: each is a sentence that holds or does not. Prints a line for each and a closing summary;
the exit status is 0, 1 when one failed, or 77 (skipped, as automake knows it) when none could be tried."""

import sys
import traceback

passed, failed, skipped = 0, 0, 0


def check(holds, sentence, detail=''):
    """A case. detail is printed when it fails. Returns whether it holds."""
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
    print('%s - %s' % ('ok' if holds else 'not ok', sentence))
    if not holds and detail:
        print('\n'.join('#   ' + line for line in str(detail).splitlines()))
    sys.stdout.flush()
    return bool(holds)


def skip(reason):
    """A case, or several, that cannot be tried here."""
    global skipped
    skipped += 1
    print('# skipped: ' + reason)


def finish():
    print('%d passed, %d failed, %d skipped' % (passed, failed, skipped))
    sys.exit(1 if failed else 0 if passed else 77)


def run(main, *needs):
    """Runs main() and finishes. needs are (whether it is there, what is missing otherwise)."""
    missing = [what for there, what in needs if not there]
    if missing:
        skip(', '.join(missing))
        finish()
    try:
        main()
    except Exception:
        check(False, 'the test runs to its end', traceback.format_exc())
    finish()
