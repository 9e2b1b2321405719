#!/usr/bin/env python3
"""Runs litmus tests and compares what is observed with what a memory model allows.

    run_litmus.py FOLDER TABLE.tsv --assay build/release/bin/assay [--results FILE] [-- OPTIONS OF ASSAY RUN]
    run_litmus.py --check --assay ...     the tests beside this script, as ctest runs them

A row of the table: file (below FOLDER), expected (allowed, forbidden: the state that the test asks for; holds, violated: what
it claims), race (race, none, or - where it is not known), and in this suite's own table what assay gives now.  A line
of the result: file, expected, observed, race expected, race found, verdict.

The verdict is `agrees`, or
    FORBIDDEN      a forbidden state was observed, or a claim that holds was violated: assay is wrong
    FALSE RACE     a race was found in a test without one: assay is wrong
    missed race    no run shows the race that the model has
    not reached    an allowed state was never observed: the schedules explored do not have it
    racy           the program has a data race, so nothing can be said of its states
    error          assay did not run the test
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SEVERE = ('FORBIDDEN', 'FALSE RACE', 'error')


class Result:
    """What assay says of one test."""

    def __init__(self, assay, path, options):
        command = [assay, 'run', str(path), '--json', '-', '-q', *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.error, self.observed, self.race, self.states = '', '-', 'none', []
        try:
            report = json.loads(done.stdout)
        except json.JSONDecodeError:
            self.error = (done.stderr.strip().splitlines() or ['no report'])[0]
            return
        rules = sorted({finding['rule'] for finding in report['findings']})
        self.race = 'race' if any(rule.startswith('race-') for rule in rules) else 'none'
        self.other_rules = [rule for rule in rules if not rule.startswith('race-')]
        litmus = report.get('litmus')
        if litmus:
            self.observed = litmus['verdict']
            self.states = litmus['states']
            self.explored = litmus['explored']
        if report['end'] not in ('completed', 'deadlock'):
            self.error = f"{report['end']}: {report['message']}"


def verdict(expected, race, result):
    """The verdict of the table above, for one row."""
    if result.error:
        return 'error'
    if race == 'none' and result.race == 'race':
        return 'FALSE RACE'
    if race == 'race' and result.race == 'none':
        return 'missed race'
    wrong = {'forbidden': 'observed', 'holds': 'violated'}.get(expected)
    missing = {'allowed': 'never-observed', 'violated': 'holds'}.get(expected)
    if result.race == 'race' and result.observed in (wrong, missing):
        return 'racy'
    if result.observed == wrong:
        return 'FORBIDDEN'
    return 'not reached' if result.observed == missing else 'agrees'


def read_table(path):
    """Rows of fields; lines that begin with # are comments."""
    rows = []
    for line in path.read_text(encoding='utf-8').splitlines():
        if line and not line.startswith('#'):
            fields = line.split('\t')
            rows.append((fields + ['-'] * 4)[:4])
    return rows


def run_all(assay, folder, rows, options, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda row: Result(assay, folder / row[0], options), rows))


def now_of(result):
    """What the suite's own table keeps: the observation, and the race."""
    if result.error:
        return 'error'
    return result.observed + (', race' if result.race == 'race' else '')


def check(assay, jobs):
    """The suite's own tests: what is wrong stays wrong only where the table says so."""
    table = HERE / 'expected.tsv'
    rows = read_table(table)
    listed = {row[0] for row in rows}
    files = {path.name for path in (HERE / 'tests').glob('*.*')}
    faults = [f'{name}: no row in expected.tsv' for name in sorted(files - listed)]
    results = run_all(assay, HERE / 'tests', rows, ['--threads', '1'], jobs)
    lines = []
    for (name, expected, race, now), result in zip(rows, results):
        lines.append('\t'.join((name, expected, race, now_of(result))))
        if now_of(result) != now:
            faults.append(f'{name}: {now_of(result)} {result.error}, and expected.tsv has {now} ({expected} by the model: '
                          f'{verdict(expected, race, result)})')
    if os.environ.get('ASSAY_BLESS'):
        head = [line for line in table.read_text(encoding='utf-8').splitlines() if line.startswith('#')]
        table.write_text('\n'.join(head + lines) + '\n', encoding='utf-8')
        return 0
    print('\n'.join(faults) or f'{len(rows)} tests are as expected.tsv has them')
    return 1 if faults else 0


def main():
    arguments = sys.argv[1:]
    options = []
    if '--' in arguments:
        place = arguments.index('--')
        arguments, options = arguments[:place], arguments[place + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder', nargs='?', type=pathlib.Path)
    parser.add_argument('table', nargs='?', type=pathlib.Path)
    parser.add_argument('--assay', required=True)
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--results', type=pathlib.Path)
    parser.add_argument('--jobs', type=int, default=2)
    given = parser.parse_args(arguments)
    if given.check:
        return check(given.assay, given.jobs)
    if not given.folder or not given.table:
        parser.error('name a folder and a table, or --check')
    rows = read_table(given.table)
    results = run_all(given.assay, given.folder, rows, options, given.jobs)
    lines, counts = ['file\texpected\tobserved\trace expected\trace found\tverdict'], {}
    for (name, expected, race, _), result in zip(rows, results):
        word = verdict(expected, race, result)
        counts[word] = counts.get(word, 0) + 1
        lines.append('\t'.join((name, expected, result.observed, race, result.race,
                                f'{word}: {result.error}' if result.error else word)))
    text = '\n'.join(lines) + '\n'
    if given.results:
        given.results.write_text(text, encoding='utf-8')
    print(text + ', '.join(f'{count} {word}' for word, count in sorted(counts.items())))
    return 1 if any(word in counts for word in SEVERE) else 0


if __name__ == '__main__':
    sys.exit(main())
